#include "hashing_features.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include <utf8proc.h>
#include <xxhash.h>

namespace holdfast::vectors {
namespace {

/// Keeps words, parts and pairs that are spelled alike apart.
enum class Feature : XXH64_hash_t { word = 1, part = 2, pair = 3 };

/// As NFC in one case; what is not UTF-8 is taken as it is.
std::string normalised(const std::string& text) {
  constexpr auto kOptions =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
  utf8proc_uint8_t* mapped = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &mapped, kOptions);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  if (size < 0) return text;
  return std::string(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size));
}

struct Range {
  utf8proc_int32_t first;
  utf8proc_int32_t last;
};

/// Thai and Lao, Myanmar, Khmer, kana, ideographs.
constexpr Range kWithoutSpaces[] = {{0x0E00, 0x0EFF}, {0x1000, 0x109F},   {0x1780, 0x17FF},
                                    {0x3040, 0x30FF}, {0x31F0, 0x31FF},   {0x3400, 0x4DBF},
                                    {0x4E00, 0x9FFF}, {0xF900, 0xFAFF},   {0x20000, 0x3FFFF}};

bool is_without_spaces(utf8proc_int32_t code) {
  for (const Range& range : kWithoutSpaces) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

bool is_word_character(utf8proc_int32_t code) {
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return true;
    default: return false;
  }
}

enum class Script { none, spaced, unspaced };

class FeatureReader {
 public:
  FeatureReader(std::size_t gram_min, std::size_t gram_max)
      : gram_min_(gram_min), gram_max_(gram_max) {}

  HashedFeatures read(std::string_view text) {
    while (!text.empty()) {
      utf8proc_int32_t code = 0;
      const auto taken = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                          static_cast<utf8proc_ssize_t>(text.size()), &code);
      const std::size_t bytes = taken < 1 ? 1 : static_cast<std::size_t>(taken);
      take(taken < 1 ? Script::none : script_of(code), text.substr(0, bytes));
      text.remove_prefix(bytes);
    }
    end_run();
    return std::move(features_);
  }

 private:
  static Script script_of(utf8proc_int32_t code) {
    if (!is_word_character(code)) return Script::none;
    return is_without_spaces(code) ? Script::unspaced : Script::spaced;
  }

  void take(Script script, std::string_view character) {
    if (script != script_) end_run();
    script_ = script;
    if (script == Script::none) return;
    if (starts_.empty()) begin_run();
    starts_.push_back(run_.size());
    run_ += character;
  }

  void begin_run() {
    run_.clear();
    if (script_ != Script::spaced) return;
    starts_.push_back(0);
    run_ += '<';
  }

  void end_run() {
    if (!starts_.empty()) {
      if (script_ == Script::spaced) {
        add_word();
      } else {
        add_characters();
      }
    }
    starts_.clear();
  }

  void add_word() {
    add(features_.words, Feature::word, std::string_view(run_).substr(1));
    starts_.push_back(run_.size());
    run_ += '>';
    if (gram_max_ == 0) return;
    for (std::size_t chars = gram_min_; chars <= gram_max_; ++chars) {
      add_sequences(features_.parts, Feature::part, chars);
    }
  }

  void add_characters() {
    add_sequences(features_.words, Feature::word, 1);
    add_sequences(features_.words, Feature::pair, 2);
  }

  void add_sequences(std::vector<std::uint64_t>& out, Feature kind, std::size_t chars) {
    const std::string_view run = run_;
    for (std::size_t i = 0; i + chars <= starts_.size(); ++i) {
      const bool last = i + chars == starts_.size();
      const std::size_t end = last ? run.size() : starts_[i + chars];
      add(out, kind, run.substr(starts_[i], end - starts_[i]));
    }
  }

  static void add(std::vector<std::uint64_t>& out, Feature kind, std::string_view text) {
    out.push_back(XXH64(text.data(), text.size(), static_cast<XXH64_hash_t>(kind)));
  }

  std::size_t gram_min_;
  std::size_t gram_max_;
  Script script_ = Script::none;
  std::string run_;                  ///< characters of one script, a word's between < and >
  std::vector<std::size_t> starts_;  ///< of the run's characters, in bytes
  HashedFeatures features_;
};

}  // namespace

HashedFeatures hashed_features(const std::string& text, std::size_t gram_min,
                               std::size_t gram_max) {
  return FeatureReader(gram_min, gram_max).read(normalised(text));
}

}  // namespace holdfast::vectors
