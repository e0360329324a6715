#include <holdfast/core/error.h>
#include <holdfast/core/random.h>
#include <holdfast/vectors/chunking.h>

#include "support/catch.h"

#include <algorithm>
#include <string>
#include <vector>

#include "vectors/boundaries.h"

using namespace holdfast;
using Catch::Matchers::ContainsSubstring;
using vectors::split_into_chunks;

namespace {

std::vector<std::string> chunks(const std::string& text, std::int64_t chars,
                                std::int64_t overlap = 0) {
  std::vector<std::string> list;
  for (const auto chunk : split_into_chunks(text, {chars, overlap})) list.emplace_back(chunk);
  return list;
}

using List = std::vector<std::string>;

std::size_t characters(std::string_view text) { return vectors::find_boundaries(text).size() - 1; }

/// Words, stops, line ends, marks and emoji at random.
std::string random_text(core::Random& random) {
  static const List kPieces{"a",  "word", " ",  " ",      "  ",       ". ",   "? ",
                            "\n", "\n\n", "\t", "e\u0301", "\u6771\u4EAC", "\u3002", "\r\n\r\n",
                            "\u201D", "\U0001F468\u200D\U0001F469\u200D\U0001F467",
                            "\U0001F1E9\U0001F1EA", "\u0301"};
  std::string text;
  for (std::uint64_t i = random.below(120); i > 0; --i) {
    text += kPieces[random.below(kPieces.size())];
  }
  return text;
}

}  // namespace

TEST_CASE("without a limit the whole text is one chunk", "[vectors]") {
  const std::string text = "One. Two.\n\nThree " + std::string(100'000, 'x');
  CHECK(chunks(text, 0) == List{text});
  CHECK(chunks("  a \n", 0) == List{"a"});
}

TEST_CASE("a text with nothing to read has no chunk", "[vectors]") {
  const auto text = GENERATE(as<std::string>{}, "", " ", "\n\n \t", "\u00A0\u3000");
  CHECK(chunks(text, 0).empty());
  CHECK(chunks(text, 10).empty());
}

TEST_CASE("a chunk ends with a paragraph rather than a sentence", "[vectors]") {
  CHECK(chunks("One is here.\n\nTwo is. Three is here.", 26) ==
        List{"One is here.", "Two is. Three is here."});
}

TEST_CASE("a chunk ends with a sentence or line rather than a word", "[vectors]") {
  CHECK(chunks("It is so. And then more.", 15) == List{"It is so.", "And then more."});
  CHECK(chunks("It is so\nand then more.", 15) == List{"It is so", "and then more."});
  CHECK(chunks("\"It is.\" And then more.", 15) == List{"\"It is.\"", "And then more."});
  CHECK(chunks("他来了。「我走！」说完了吗", 10) == List{"他来了。「我走！」", "说完了吗"});
  CHECK(chunks("他们都来了。我走！」好", 9) == List{"他们都来了。", "我走！」好"});
}

TEST_CASE("a chunk ends with a word rather than within one", "[vectors]") {
  CHECK(chunks("green boats sail home", 12) == List{"green boats", "sail home"});
  CHECK(chunks("green boats sail home", 11) == List{"green boats", "sail home"});
  CHECK(chunks("3.1415926 is pi", 12) == List{"3.1415926 is", "pi"});
}

TEST_CASE("a word longer than a chunk is cut at the limit", "[vectors]") {
  CHECK(chunks("abcdefgh", 3) == List{"abc", "def", "gh"});
  CHECK(chunks("abc", 1) == List{"a", "b", "c"});
}

TEST_CASE("no cut falls within what a reader takes for one character", "[vectors]") {
  const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467";
  const std::string flag = "\U0001F1E9\U0001F1EA";
  const std::string accent = "e\u0301";
  CHECK(chunks(family + flag + accent, 1) == List{family, flag, accent});
}

TEST_CASE("a chunk repeats the end of the one before it, from a word on", "[vectors]") {
  CHECK(chunks("one two three four five", 14, 6) ==
        List{"one two three", "three four", "four five"});
  CHECK(chunks("one two three four five", 16, 8) == List{"one two three", "three four five"});
  CHECK(chunks("abcdefgh", 4, 2) == List{"abcd", "cdef", "efgh"});
}

TEST_CASE("chunks keep their limit, their order and everything there is to read",
          "[vectors]") {
  core::Random random(GENERATE(range(1, 40)));
  const std::string text = random_text(random);
  const auto chars = static_cast<std::int64_t>(1 + random.below(30));
  const auto overlap = static_cast<std::int64_t>(random.below(
      static_cast<std::uint64_t>(chars / 2) + 1));
  const auto starts = vectors::find_boundaries(text);
  const auto is_start = [&](const char* at) {
    return std::any_of(starts.begin(), starts.end(), [&](const vectors::CharacterStart& start) {
      return text.data() + start.at == at;
    });
  };
  std::string read(text.size(), ' ');
  const char* last_end = text.data();
  for (const auto chunk : split_into_chunks(text, {chars, overlap})) {
    CHECK(characters(chunk) <= static_cast<std::size_t>(chars));
    CHECK(is_start(chunk.data()));
    CHECK(is_start(chunk.data() + chunk.size()));
    CHECK(chunk.data() + chunk.size() > last_end);
    last_end = chunk.data() + chunk.size();
    std::copy(chunk.begin(), chunk.end(), read.begin() + (chunk.data() - text.data()));
  }
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    if (!starts[i].space) CHECK(read[starts[i].at] == text[starts[i].at]);
  }
}

TEST_CASE("a text of more chunks than the limit is refused, not cut short", "[vectors]") {
  CHECK(chunks(std::string(vectors::kChunksMax, 'x'), 1).size() == vectors::kChunksMax);
  CHECK_THROWS_AS(chunks(std::string(vectors::kChunksMax + 1, 'x'), 1), InvalidArgument);
}

TEST_CASE("chunking out of bounds and text that is none are refused by name", "[vectors]") {
  CHECK_THROWS_WITH(check_chunking({-1, 0}), ContainsSubstring("chunk_chars"));
  CHECK_THROWS_WITH(check_chunking({1'048'577, 0}), ContainsSubstring("chunk_chars"));
  CHECK_THROWS_WITH(check_chunking({0, 1}), ContainsSubstring("overlap_chars"));
  CHECK_THROWS_WITH(check_chunking({10, 6}), ContainsSubstring("overlap_chars"));
  CHECK_THROWS_WITH(chunks("\xFF", 10), ContainsSubstring("text"));
}

TEST_CASE("a megabyte of white space between words takes no long time", "[vectors]") {
  const std::string text = "a" + std::string(1U << 20, ' ') + "b";
  CHECK(chunks(text, 4, 2) == List{"a", "b"});
}
