#include "exchange/wordnet_reader.h"

#include "exchange/wordnet_totals.h"
#include "support/catch.h"

#include <holdfast/core/error.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

using namespace holdfast;
using namespace holdfast::exchange;

namespace {

const std::filesystem::path kWordNet = "/usr/share/wordnet";  // Debian: wordnet-base

/// A small valid WordNet in a folder of its own; each test spoils one thing.
class SmallWordNet {
 public:
  SmallWordNet() {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
    write("data.noun", noun);
    write("data.verb",
          "00000200 29 v 02 breathe 0 take_a_breath 0 001 + 00000100 n 0201 "
          "02 + 02 00 + 08 01 | draw air  \n");
    write("data.adj",
          "00000300 00 a 02 able(p) 0 well_able 0 000 | having means  \n"
          "00000400 00 s 01 ready(ip) 0 001 & 00000300 a 0000 | prepared  \n");
    write("data.adv", "00000500 02 r 01 ably 0 001 \\ 00000300 s 0101 | with ability  \n");
  }
  ~SmallWordNet() { std::filesystem::remove_all(directory_); }
  SmallWordNet(const SmallWordNet&) = delete;
  SmallWordNet& operator=(const SmallWordNet&) = delete;

  const std::filesystem::path& directory() const { return directory_; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name, std::ios::binary) << text;
  }

  /// The valid noun line with its first `from` replaced.
  void spoil(const std::string& from, const std::string& to) const {
    std::string spoilt = noun;
    spoilt.replace(spoilt.find(from), from.size(), to);
    write("data.noun", spoilt);
  }

  const std::string noun =
      "  1 A licence.  \n"
      "00000100 05 n 02 dog 0 domestic_dog a 001 + 00000200 v 0102 | an animal; \"it barked\"  \n";

 private:
  std::filesystem::path directory_ = std::filesystem::temp_directory_path() /
                                     ("holdfast-wordnet-" + std::to_string(::getpid()));
};

std::vector<Synset> read_all(const std::filesystem::path& directory) {
  std::vector<Synset> synsets;
  WordNetReader reader(directory);
  while (auto synset = reader.next()) synsets.push_back(std::move(*synset));
  return synsets;
}

std::optional<Synset> find_synset(const std::string& key) {
  WordNetReader reader(kWordNet);
  while (auto synset = reader.next()) {
    if (synset->key() == key) return synset;
  }
  return std::nullopt;
}

/// What the refusal names, as "data.noun line 2: word count"; "" when nothing was refused.
template <typename Read>
std::string refused_field(Read read) {
  try {
    read();
  } catch (const InvalidArgument& error) {
    return error.field();
  }
  return "";
}

std::string refused_field(const SmallWordNet& wordnet) {
  return refused_field([&] { read_all(wordnet.directory()); });
}

}  // namespace

TEST_CASE("WordNet 3.0 has the known number of synsets, pointers, triples and self loops",
          "[wordnet]") {
  const auto totals = count_wordnet(kWordNet);
  CHECK(totals.synsets == 117'659);
  CHECK(totals.pointers == 377'592);
  CHECK(totals.kinds == 26);
  CHECK(totals.distinct_triples == 364'552);
  CHECK(totals.folded_triples == 317'372);
  CHECK(totals.self_loops ==
        std::map<std::string, std::size_t>{{"derivationally related", 9}});
  CHECK(totals.pointers_by_relation.size() == 27);  // one symbol stands for two relations
  CHECK(totals.pointers_by_relation.at("hypernym") == 89'089);
  CHECK(totals.pointers_by_relation.at("pertainym") == 4'801);
  CHECK(totals.pointers_by_relation.at("derived from") == 3'222);
}

TEST_CASE("the synset of dog is read with its words, gloss and hypernyms", "[wordnet]") {
  const auto dog = find_synset("n02084071");
  REQUIRE(dog);
  CHECK(dog->words == std::vector<std::string>{"dog", "domestic dog", "Canis familiaris"});
  CHECK(dog->part_of_speech == "noun");
  CHECK(dog->lexical_domain == "noun.animal");
  CHECK(dog->gloss ==
        "a member of the genus Canis (probably descended from the common wolf) that has been "
        "domesticated by man since prehistoric times; occurs in many breeds; \"the dog barked "
        "all night\"");
  std::vector<std::string> hypernyms;
  for (const auto& pointer : dog->pointers) {
    if (pointer.relation == "hypernym") hypernyms.push_back(pointer.target_key());
  }
  CHECK(hypernyms == std::vector<std::string>{"n02083346", "n01317541"});
  CHECK(dog->pointers.size() == 23);
}

TEST_CASE("every synset of WordNet has its own key and one of the 45 lexical domains",
          "[wordnet]") {
  std::set<std::string> keys;
  std::set<std::string> domains;
  WordNetReader reader(kWordNet);
  while (const auto synset = reader.next()) {
    keys.insert(synset->key());
    domains.insert(synset->lexical_domain);
  }
  CHECK(keys.size() == 117'659);
  CHECK(domains.size() == 45);
}

TEST_CASE("bytes read rise to the bytes total", "[wordnet]") {
  WordNetReader reader(kWordNet);
  CHECK(reader.bytes_read() == 0);
  std::uintmax_t before = 0;
  bool always_rose = true;
  while (reader.next()) {
    always_rose = always_rose && reader.bytes_read() > before;
    before = reader.bytes_read();
  }
  CHECK(always_rose);
  CHECK(reader.bytes_read() == reader.bytes_total());
}

TEST_CASE("synsets come as nouns, verbs, adjectives, adverbs, in file order", "[wordnet]") {
  const SmallWordNet wordnet;
  std::vector<std::string> seen;
  for (const auto& synset : read_all(wordnet.directory())) {
    seen.push_back(synset.key() + " " + synset.part_of_speech);
  }
  CHECK(seen == std::vector<std::string>{"n00000100 noun", "v00000200 verb",
                                         "a00000300 adjective", "a00000400 adjective satellite",
                                         "r00000500 adverb"});
}

TEST_CASE("an adjective's syntactic marker is kept apart from its word", "[wordnet]") {
  const SmallWordNet wordnet;
  const auto synsets = read_all(wordnet.directory());
  CHECK(synsets.at(2).words == std::vector<std::string>{"able", "well able"});
  CHECK(synsets.at(2).markers == std::vector<std::string>{"p", ""});
  CHECK(synsets.at(3).markers == std::vector<std::string>{"ip"});
}

TEST_CASE("a pointer between words names both words", "[wordnet]") {
  const SmallWordNet wordnet;
  const auto noun = read_all(wordnet.directory()).at(0);
  REQUIRE(noun.pointers.size() == 1);
  CHECK(noun.pointers[0].relation == "derivationally related");
  CHECK(noun.pointers[0].symmetric);
  CHECK(noun.pointers[0].source_word == 1);
  CHECK(noun.pointers[0].target_word == 2);
}

TEST_CASE("a pointer to a satellite has the key of an adjective", "[wordnet]") {
  const SmallWordNet wordnet;
  const auto adverb = read_all(wordnet.directory()).at(4);
  CHECK(adverb.pointers.at(0).target_key() == "a00000300");
}

TEST_CASE("a backslash is a pertainym of an adjective and the origin of an adverb", "[wordnet]") {
  const SmallWordNet wordnet;
  wordnet.write("data.adj", "00000300 01 a 01 canine 0 001 \\ 00000100 n 0101 | of dogs  \n");
  const auto synsets = read_all(wordnet.directory());
  CHECK(synsets.at(2).pointers.at(0).relation == "pertainym");
  CHECK(synsets.at(3).pointers.at(0).relation == "derived from");
}

TEST_CASE("a verb keeps its sentence frames", "[wordnet]") {
  const SmallWordNet wordnet;
  const auto frames = read_all(wordnet.directory()).at(1).frames;
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].frame == 2);
  CHECK(frames[0].word == 0);
  CHECK(frames[1].frame == 8);
  CHECK(frames[1].word == 1);
}

TEST_CASE("pointers with one relation and one target become one group", "[wordnet]") {
  const SmallWordNet wordnet;
  wordnet.spoil("001 + 00000200 v 0102",
                "004 + 00000200 v 0102 = 00000300 a 0000 + 00000200 v 0201 + 00000400 s 0101");
  const auto groups = grouped_pointers(read_all(wordnet.directory()).at(0));
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].target_key == "v00000200");
  REQUIRE(groups[0].word_pairs.size() == 2);
  CHECK(groups[0].word_pairs[1].source == 2);
  CHECK(groups[0].word_pairs[1].target == 1);
  CHECK_FALSE(groups[0].joins_synsets);
  CHECK(groups[1].relation == "attribute");
  CHECK(groups[1].joins_synsets);
  CHECK(groups[1].word_pairs.empty());
  CHECK(groups[2].target_key == "a00000400");
}

TEST_CASE("a malformed line is refused with its file, line and field", "[wordnet]") {
  struct Spoilt {
    const char* from;
    const char* to;
    const char* field;
  };
  const auto spoilt = GENERATE(
      Spoilt{"00000100", "0000010", "synset offset"},
      Spoilt{" 05 n", " 45 n", "lexicographer file number"},
      Spoilt{" n 02", " v 02", "synset type"},
      Spoilt{" 02 dog", " 0g dog", "word count"},
      Spoilt{" 02 dog", " 00 dog", "word count"},
      Spoilt{" 02 dog", " 03 dog", "word 3, lex id"},
      Spoilt{" 02 dog", " 01 dog", "pointer count"},
      Spoilt{" a 001 +", " g 001 +", "word 2, lex id"},
      Spoilt{"001 +", "002 +", "pointer 2, symbol"},
      Spoilt{"001 +", "000 +", "gloss"},
      Spoilt{"001 +", "001 \\", "pointer 1, symbol"},
      Spoilt{"00000200", "-0000200", "pointer 1, target offset"},
      Spoilt{" v 0102", " x 0102", "pointer 1, target type"},
      Spoilt{" v 0102", " v 01g2", "pointer 1, source and target word"},
      Spoilt{" v 0102", " v 0302", "pointer 1, source and target word"},
      Spoilt{" v 0102", " v 0100", "pointer 1, source and target word"},
      Spoilt{" v 0102 | an animal; \"it barked\"  ", "", "pointer 1, target type"},
      Spoilt{" | an animal; \"it barked\"  ", "", "gloss"},
      Spoilt{"an animal; \"it barked\"  ", " ", "gloss"},
      Spoilt{"  \n00000100", "  \n\n00000100", "synset offset"});
  const SmallWordNet wordnet;
  wordnet.spoil(spoilt.from, spoilt.to);
  CAPTURE(spoilt.from, spoilt.to);
  CHECK(refused_field(wordnet) == "data.noun line 2: " + std::string(spoilt.field));
}

TEST_CASE("a malformed verb frame is refused", "[wordnet]") {
  const auto frames =
      GENERATE("01 - 02 00", "01 + 36 00", "01 + 02 02", "02 + 02 00", "0a + 02 00");
  const SmallWordNet wordnet;
  wordnet.write("data.verb", "00000200 29 v 01 breathe 0 000 " + std::string(frames) + " | x  \n");
  CHECK(refused_field(wordnet).find("data.verb line 1: frame") == 0);
}

TEST_CASE("a file that ends within a line is refused", "[wordnet]") {
  const SmallWordNet wordnet;
  wordnet.spoil("barked\"  \n", "bark");
  CHECK(refused_field(wordnet) == "data.noun line 2: last line");
}

TEST_CASE("an offset that comes twice in a file is refused", "[wordnet]") {
  const SmallWordNet wordnet;
  wordnet.spoil("00000100", "00000100 05 n 01 dog 0 000 | an animal  \n00000100");
  CHECK(refused_field(wordnet) == "data.noun line 3: synset offset");
}

TEST_CASE("a pointer to a synset that does not exist is refused by the count", "[wordnet]") {
  const SmallWordNet wordnet;
  wordnet.spoil("00000200 v", "00000201 v");
  CHECK(refused_field([&] { count_wordnet(wordnet.directory()); }) ==
        "data.noun line 2: pointer target");
}

TEST_CASE("a pointer to a word that its target does not have is refused by the count",
          "[wordnet]") {
  const SmallWordNet wordnet;
  wordnet.spoil("0102", "0103");
  CHECK(refused_field([&] { count_wordnet(wordnet.directory()); }) ==
        "data.noun line 2: target word");
}

TEST_CASE("a missing file is named before anything is read", "[wordnet]") {
  const SmallWordNet wordnet;
  const auto missing = wordnet.directory() / "data.adv";
  std::filesystem::remove(missing);
  try {
    const WordNetReader reader(wordnet.directory());
    FAIL("the reader opened without data.adv");
  } catch (const NotFound& error) {
    CHECK(error.id() == missing.string());
  }
}

TEST_CASE("a missing directory is named", "[wordnet]") {
  const SmallWordNet wordnet;
  const auto missing = wordnet.directory() / "nowhere";
  try {
    const WordNetReader reader(missing);
    FAIL("the reader opened a directory that does not exist");
  } catch (const NotFound& error) {
    CHECK(error.id() == missing.string());
  }
}

TEST_CASE("a directory in a file's place is an unavailable file", "[wordnet]") {
  const SmallWordNet wordnet;
  std::filesystem::remove(wordnet.directory() / "data.adj");
  std::filesystem::create_directory(wordnet.directory() / "data.adj");
  CHECK_THROWS_AS(WordNetReader(wordnet.directory()), Unavailable);
}
