#include "wordnet_reader.h"

#include <holdfast/core/error.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

namespace holdfast::exchange {
namespace {

struct DataFile {
  const char* name;
  char pos;
};
constexpr std::array kDataFiles{DataFile{"data.noun", 'n'}, DataFile{"data.verb", 'v'},
                                DataFile{"data.adj", 'a'}, DataFile{"data.adv", 'r'}};

// By number, as in lexnames(5WN).
constexpr std::array<const char*, 45> kLexicalDomains{
    "adj.all", "adj.pert", "adv.all", "noun.Tops", "noun.act", "noun.animal", "noun.artifact",
    "noun.attribute", "noun.body", "noun.cognition", "noun.communication", "noun.event",
    "noun.feeling", "noun.food", "noun.group", "noun.location", "noun.motive", "noun.object",
    "noun.person", "noun.phenomenon", "noun.plant", "noun.possession", "noun.process",
    "noun.quantity", "noun.relation", "noun.shape", "noun.state", "noun.substance", "noun.time",
    "verb.body", "verb.change", "verb.cognition", "verb.communication", "verb.competition",
    "verb.consumption", "verb.contact", "verb.creation", "verb.emotion", "verb.motion",
    "verb.perception", "verb.possession", "verb.social", "verb.stative", "verb.weather",
    "adj.ppl"};

constexpr unsigned kFrameMax = 35;

struct Relation {
  std::string_view symbol;
  const char* name;
  bool symmetric = false;
  char only_from = 0;  // where set, the symbol means this only in the file of that letter
};
constexpr std::array kRelations{
    Relation{"~", "hyponym"},
    Relation{"@", "hypernym"},
    Relation{"+", "derivationally related", true},
    Relation{"&", "similar to", true},
    Relation{"#m", "member holonym"},
    Relation{"%m", "member meronym"},
    Relation{"#p", "part holonym"},
    Relation{"%p", "part meronym"},
    Relation{"~i", "instance hyponym"},
    Relation{"@i", "instance hypernym"},
    Relation{"!", "antonym", true},
    Relation{";c", "domain topic"},
    Relation{"-c", "member of domain topic"},
    Relation{"\\", "pertainym", false, 'a'},
    Relation{"\\", "derived from", false, 'r'},
    Relation{"^", "also see"},
    Relation{"$", "verb group", true},
    Relation{";u", "domain usage"},
    Relation{"-u", "member of domain usage"},
    Relation{";r", "domain region"},
    Relation{"-r", "member of domain region"},
    Relation{"=", "attribute"},
    Relation{"#s", "substance holonym"},
    Relation{"%s", "substance meronym"},
    Relation{"*", "entailment"},
    Relation{">", "cause"},
    Relation{"<", "participle of"},
};

const char* part_of_speech(char pos) {
  switch (pos) {
    case 'n': return "noun";
    case 'v': return "verb";
    case 'a': return "adjective";
    case 's': return "adjective satellite";
    default: return "adverb";
  }
}

// The letter of the file that holds synsets of this part of speech; 0 when there is none.
char file_letter(std::string_view pos) {
  if (pos.size() != 1) return 0;
  if (pos == "s") return 'a';
  const std::string_view letters = "nvar";
  return letters.find(pos[0]) == std::string_view::npos ? '\0' : pos[0];
}

// Without the folder: messages show only the first 80 bytes, and the line number must be in them.
std::string place(const char* file, std::size_t line, const std::string& field) {
  return std::string(file) + " line " + std::to_string(line) + ": " + field;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// A field's name in an error; the number tells which of several words, pointers or frames.
struct Field {
  const char* name;
  unsigned number = 0;
  const char* of = "";

  std::string text() const {
    return number == 0 ? name : std::string(of) + ' ' + std::to_string(number) + ", " + name;
  }
};

enum class Base { decimal = 10, hex = 16 };

class SynsetParser {
 public:
  SynsetParser(std::string_view line, const DataFile& file, std::size_t line_number)
      : rest_(line), file_(file.name), letter_(file.pos), line_number_(line_number) {}

  Synset parse() {
    Synset synset;
    synset.offset = number({"synset offset"}, 8, Base::decimal);
    const Field domain{"lexicographer file number"};
    const auto domain_text = token(domain);
    const unsigned domain_number = number(domain, domain_text, 2, Base::decimal);
    if (domain_number >= kLexicalDomains.size()) fail(domain, domain_text, "be 00 to 44");
    synset.lexical_domain = kLexicalDomains[domain_number];
    const auto pos = token({"synset type"});
    if (file_letter(pos) != letter_) {
      fail({"synset type"}, pos, letter_ == 'a' ? "be a or s in this file"
                                                : std::string("be ") + letter_ + " in this file");
    }
    synset.pos = pos[0];
    synset.part_of_speech = part_of_speech(synset.pos);
    parse_words(synset);
    parse_pointers(synset);
    if (letter_ == 'v') parse_frames(synset);
    parse_gloss(synset);
    return synset;
  }

 private:
  [[noreturn]] void fail(const Field& field, std::string_view value, std::string rule) const {
    throw InvalidArgument(place(file_, line_number_, field.text()), std::string(value),
                          std::move(rule));
  }

  // Fields are apart by one space each.
  std::string_view token(const Field& field) {
    if (rest_.empty()) fail(field, "", "be present: the line ends too early");
    const auto end = std::min(rest_.find(' '), rest_.size());
    const auto text = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return text;
  }

  unsigned number(const Field& field, std::string_view text, std::size_t digits, Base base) const {
    unsigned value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, static_cast<int>(base));
    if (text.size() != digits || error != std::errc() || stop != end) {
      fail(field, text, "be " + std::to_string(digits) +
                            (base == Base::hex ? " hexadecimal digits" : " decimal digits"));
    }
    return value;
  }

  unsigned number(const Field& field, std::size_t digits, Base base) {
    return number(field, token(field), digits, base);
  }

  void parse_words(Synset& synset) {
    const unsigned count = number({"word count"}, 2, Base::hex);
    if (count == 0) fail({"word count"}, "00", "be 01 or more");
    for (unsigned i = 1; i <= count; ++i) {
      std::string word(token({"text", i, "word"}));
      if (word.empty()) fail({"text", i, "word"}, word, "not be empty");
      number({"lex id", i, "word"}, 1, Base::hex);
      synset.markers.push_back(letter_ == 'a' ? take_marker(word) : std::string());
      std::replace(word.begin(), word.end(), '_', ' ');
      synset.words.push_back(std::move(word));
    }
  }

  static std::string take_marker(std::string& word) {
    for (const std::string_view marker : {"(a)", "(p)", "(ip)"}) {
      if (word.size() > marker.size() && std::string_view(word).ends_with(marker)) {
        word.resize(word.size() - marker.size());
        return std::string(marker.substr(1, marker.size() - 2));
      }
    }
    return {};
  }

  void parse_pointers(Synset& synset) {
    const unsigned count = number({"pointer count"}, 3, Base::decimal);
    synset.pointers.reserve(count);
    for (unsigned i = 1; i <= count; ++i) {
      Pointer pointer;
      const Relation& relation = parse_relation(i);
      pointer.symbol = relation.symbol;
      pointer.relation = relation.name;
      pointer.symmetric = relation.symmetric;
      pointer.target_offset = number({"target offset", i, "pointer"}, 8, Base::decimal);
      const auto pos = token({"target type", i, "pointer"});
      pointer.target_pos = file_letter(pos);
      if (pointer.target_pos == 0) {
        fail({"target type", i, "pointer"}, pos, "be n, v, a, s or r");
      }
      parse_word_numbers(pointer, i, synset.words.size());
      synset.pointers.push_back(std::move(pointer));
    }
  }

  const Relation& parse_relation(unsigned pointer) {
    const Field field{"symbol", pointer, "pointer"};
    const auto symbol = token(field);
    const auto found =
        std::find_if(kRelations.begin(), kRelations.end(), [&](const Relation& relation) {
          return relation.symbol == symbol &&
                 (relation.only_from == 0 || relation.only_from == letter_);
        });
    if (found == kRelations.end()) fail(field, symbol, "be a pointer symbol of this file");
    return *found;
  }

  void parse_word_numbers(Pointer& pointer, unsigned index, std::size_t word_count) {
    const Field field{"source and target word", index, "pointer"};
    const auto text = token(field);
    const unsigned both = number(field, text, 4, Base::hex);
    pointer.source_word = both >> 8U;
    pointer.target_word = both & 0xFFU;
    if ((pointer.source_word == 0) != (pointer.target_word == 0)) {
      fail(field, text, "name a word on both sides or on none");
    }
    if (pointer.source_word > word_count) {
      fail(field, text, "name one of the synset's " + std::to_string(word_count) + " words");
    }
  }

  void parse_frames(Synset& synset) {
    const unsigned count = number({"frame count"}, 2, Base::decimal);
    for (unsigned i = 1; i <= count; ++i) {
      const auto plus = token({"sign", i, "frame"});
      if (plus != "+") fail({"sign", i, "frame"}, plus, "be +");
      VerbFrame frame;
      frame.frame = number({"number", i, "frame"}, 2, Base::decimal);
      if (frame.frame == 0 || frame.frame > kFrameMax) {
        fail({"number", i, "frame"}, std::to_string(frame.frame), "be 01 to 35");
      }
      frame.word = number({"word", i, "frame"}, 2, Base::hex);
      if (frame.word > synset.words.size()) {
        fail({"word", i, "frame"}, std::to_string(frame.word),
             "be one of the synset's " + std::to_string(synset.words.size()) + " words");
      }
      synset.frames.push_back(frame);
    }
  }

  void parse_gloss(Synset& synset) {
    const auto bar = token({"gloss"});
    if (bar != "|") {
      fail({"gloss"}, bar, "begin with | after " + std::to_string(synset.pointers.size()) +
                               " pointers and " + std::to_string(synset.frames.size()) + " frames");
    }
    synset.gloss = trimmed(rest_);
    if (synset.gloss.empty()) fail({"gloss"}, rest_, "not be empty");
  }

  std::string_view rest_;
  const char* file_;
  char letter_;  // of the file; satellites stand in the adjectives' file
  std::size_t line_number_;
};

std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw NotFound("WordNet file", file.string());
  }
  if (error) throw Unavailable("cannot look at " + file.string() + ": " + error.message());
  if (!std::filesystem::is_regular_file(status)) {
    throw Unavailable("cannot read " + file.string() + ": not a regular file");
  }
  const auto size = std::filesystem::file_size(file, error);
  if (error) throw Unavailable("cannot look at " + file.string() + ": " + error.message());
  return size;
}

}  // namespace

std::string synset_key(char pos, std::uint32_t offset) {
  const std::string digits = std::to_string(offset);
  std::string key(1, pos == 's' ? 'a' : pos);
  key.append(digits.size() < 8 ? 8 - digits.size() : 0, '0');
  return key += digits;
}

const char* wordnet_file(char pos) {
  const char letter = pos == 's' ? 'a' : pos;
  for (const DataFile& file : kDataFiles) {
    if (file.pos == letter) return file.name;
  }
  throw InvalidArgument("part of speech", std::string(1, pos), "be n, v, a, s or r");
}

std::vector<PointerGroup> grouped_pointers(const Synset& synset) {
  std::vector<PointerGroup> groups;
  std::map<std::pair<std::string_view, std::string>, std::size_t> index;
  for (const Pointer& pointer : synset.pointers) {
    auto target = pointer.target_key();
    const auto [found, is_new] = index.try_emplace({pointer.relation, target}, groups.size());
    if (is_new) {
      groups.push_back({pointer.relation, pointer.symmetric, std::move(target), false, {}});
    }
    PointerGroup& group = groups[found->second];
    if (pointer.source_word == 0) {
      group.joins_synsets = true;
    } else {
      group.word_pairs.push_back({pointer.source_word, pointer.target_word});
    }
  }
  return groups;
}

WordNetReader::WordNetReader(std::filesystem::path directory) : directory_(std::move(directory)) {
  std::error_code error;
  const auto status = std::filesystem::status(directory_, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw NotFound("WordNet directory", directory_.string());
  }
  if (error) throw Unavailable("cannot look at " + directory_.string() + ": " + error.message());
  if (!std::filesystem::is_directory(status)) {
    throw Unavailable("cannot read " + directory_.string() + ": not a directory");
  }
  for (const DataFile& file : kDataFiles) bytes_total_ += size_of(directory_ / file.name);
}

std::optional<Synset> WordNetReader::next() {
  std::string line;
  while (file_.is_open() || open_next_file()) {
    if (!read_line(line)) {
      file_.close();
      continue;
    }
    if (line.starts_with("  ")) continue;  // the licence
    const DataFile& data_file = kDataFiles[files_opened_ - 1];
    Synset synset = SynsetParser(line, data_file, line_).parse();
    if (last_offset_ && synset.offset <= *last_offset_) {
      throw InvalidArgument(place(data_file.name, line_, "synset offset"),
                            std::to_string(synset.offset), "be above that of the synset before");
    }
    last_offset_ = synset.offset;
    return synset;
  }
  return std::nullopt;
}

bool WordNetReader::open_next_file() {
  if (files_opened_ == kDataFiles.size()) return false;
  const auto path = directory_ / kDataFiles[files_opened_].name;
  file_.clear();
  file_.open(path, std::ios::binary);
  if (!file_) throw Unavailable("cannot open " + path.string());
  ++files_opened_;
  line_ = 0;
  last_offset_.reset();
  return true;
}

bool WordNetReader::read_line(std::string& line) {
  std::getline(file_, line);
  const char* const name = kDataFiles[files_opened_ - 1].name;
  if (file_.bad()) throw Unavailable("cannot read " + (directory_ / name).string());
  if (file_.fail()) return false;
  ++line_;
  // Every line of WordNet ends with a line feed; without one even the gloss may be half there.
  if (file_.eof()) {
    throw InvalidArgument(place(name, line_, "last line"), line, "end with a line feed");
  }
  bytes_read_ += line.size() + 1;
  return true;
}

}  // namespace holdfast::exchange
