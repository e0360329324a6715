#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::exchange {

/// Name of a synset, the same in every run: part of speech and eight-digit offset, "n02084071".
/// Satellites ('s') live in the adjectives' file and get its letter, 'a'.
std::string synset_key(char pos, std::uint32_t offset);

/// Name of the file that holds synsets of this part of speech, "data.noun"; 'a' and 's' share one.
const char* wordnet_file(char pos);

/// One pointer, as the source synset lists it: the target is the source's `relation`.
struct Pointer {
  std::string symbol;    ///< as in the file; `\` alone stands for two relations
  std::string relation;  ///< "hypernym", "part meronym", "derivationally related", ...
  bool symmetric = false;
  char target_pos = 0;  ///< 'n', 'v', 'a' (satellites too) or 'r'
  std::uint32_t target_offset = 0;
  unsigned source_word = 0;  ///< from 1; 0 in both: the pointer joins whole synsets
  unsigned target_word = 0;

  std::string target_key() const { return synset_key(target_pos, target_offset); }
};

/// A sentence frame of a verb, numbered from 1 as in wninput(5WN).
struct VerbFrame {
  unsigned frame = 0;
  unsigned word = 0;  ///< from 1; 0: every word of the synset
};

/// A set of words with one meaning, and where it points.
struct Synset {
  std::string part_of_speech;  ///< "noun", "verb", "adjective", "adjective satellite", "adverb"
  std::string lexical_domain;  ///< name of the lexicographer's file, as "noun.animal"
  char pos = 0;                ///< as in the file: 'n', 'v', 'a', 's' or 'r'
  std::uint32_t offset = 0;
  std::vector<std::string> words;    ///< spaces for underscores, no syntactic marker
  std::vector<std::string> markers;  ///< one for each word: "a", "p", "ip" or empty
  std::string gloss;                 ///< definition and examples, without outer spaces
  std::vector<Pointer> pointers;     ///< in file order, repeats kept
  std::vector<VerbFrame> frames;     ///< empty but for verbs

  std::string key() const { return synset_key(pos, offset); }
};

struct WordPair {
  unsigned source = 0;  ///< both from 1
  unsigned target = 0;
};

/// Every pointer of one synset that has the same relation and the same target.
struct PointerGroup {
  std::string relation;
  bool symmetric = false;
  std::string target_key;
  bool joins_synsets = false;        ///< at least one pointer joins the whole synsets
  std::vector<WordPair> word_pairs;  ///< the other pointers, in file order
};

/// The synset's pointers, folded by relation and target; groups in order of first appearance.
/// Of a symmetric relation WordNet mostly lists both directions, with the word pairs turned round,
/// but not always: 29 groups of WordNet 3.0 have no mirror and 160 differ from theirs. Whoever
/// makes one edge of both must therefore join them, not drop the direction that comes later.
std::vector<PointerGroup> grouped_pointers(const Synset& synset);

/// Reads WordNet 3.0's data.noun, data.verb, data.adj and data.adv, in that order, one synset at a
/// time; the format is wndb(5WN). Memory: one line.
///
/// Within a file offsets must rise, so no key comes twice. Whether the target of a pointer exists
/// is known only after the last file: count_wordnet() checks it.
/// Errors: NotFound, a folder or file is missing; Unavailable, it cannot be read; InvalidArgument,
/// a line breaks the format: its field() reads "data.noun line 30: pointer 2, symbol". After a
/// throw the reader must not be used again.
/// Thread safety: none.
class WordNetReader {
 public:
  /// Looks at all four files, so that a missing one shows before the first synset.
  explicit WordNetReader(std::filesystem::path directory);

  /// Nothing after the last synset of the last file.
  [[nodiscard]] std::optional<Synset> next();

  std::uintmax_t bytes_total() const { return bytes_total_; }  ///< of the four files, at the start
  std::uintmax_t bytes_read() const { return bytes_read_; }
  std::size_t line() const { return line_; }  ///< of the last synset in its file, from 1

 private:
  bool open_next_file();
  bool read_line(std::string& line);

  std::filesystem::path directory_;
  std::ifstream file_;
  std::size_t files_opened_ = 0;
  std::size_t line_ = 0;
  std::optional<std::uint32_t> last_offset_;
  std::uintmax_t bytes_total_ = 0;
  std::uintmax_t bytes_read_ = 0;
};

}  // namespace holdfast::exchange
