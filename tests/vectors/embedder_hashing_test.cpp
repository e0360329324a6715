#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>

#include "support/catch.h"
#include "vectors/hashing_embedder.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using namespace holdfast;

namespace {

Embedding embedded(const std::string& text, std::size_t dimension = 256,
                   const HashingEmbedderSpec& spec = {}) {
  return vectors::HashingEmbedder(spec, dimension).embed(std::vector{text}).at(0);
}

double cosine(const std::string& a, const std::string& b) {
  const Embedding x = embedded(a, 1024);
  const Embedding y = embedded(b, 1024);
  double dot = 0;
  for (std::size_t i = 0; i < x.size(); ++i) dot += double{x[i]} * double{y[i]};
  return dot;
}

/// SHA-256 of the components as little-endian single precision.
std::string digest(const Embedding& vector) {
  std::string bytes;
  for (const float component : vector) {
    std::uint32_t bits;
    std::memcpy(&bits, &component, sizeof bits);
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift);
  }
  const auto hash = core::sha256(bytes);
  return core::to_hex(std::string(hash.begin(), hash.end()));
}

}  // namespace

TEST_CASE("hashing vectors are the same bytes forever", "[vectors]") {
  CHECK(embedded("Ann", 4) == Embedding{0, -0.1961161345243454F, 0, 0.9805806875228882F});
  CHECK(digest(embedded("Holdfast keeps what it was told.", 384)) ==
        "4a0db21ab92875b166bfb598deeb35006fb1f85223607261b627e59387da0e34");
  CHECK(digest(embedded("Stra\u00DFe, \u00C9COLE et \u03A3\u03AF\u03C3\u03C5\u03C6\u03BF\u03C2 42",
                        384)) ==
        "304dd1de9bbd76380da8b308fcab86eef79a5754833d8e2430779bb379eec155");
  CHECK(digest(embedded("私は東京に住んでいます。", 384)) ==
        "b88c34e22b99710ce97c63690b8ebb6c186bfecd38cf9b510edb2ba567018bbf");
  CHECK(digest(embedded("words alone, no parts", 384, {.gram_min = 0, .gram_max = 0})) ==
        "24aa20c3f87897c2387a293354c1470a7f2d3ca918b6fdef9a18a7f68d3be088");
}

TEST_CASE("a text without words is the zero vector", "[vectors]") {
  const auto text = GENERATE(as<std::string>{}, "", " \n\t", "?!...", "\u2014");
  CHECK(embedded(text, 8) == Embedding(8, 0.0F));
}

TEST_CASE("a hashing vector has length 1", "[vectors]") {
  const auto text = GENERATE(as<std::string>{}, "a", "one two three", "東京", "\xFF broken \xC3");
  double squares = 0;
  for (const float component : embedded(text)) squares += double{component} * double{component};
  CHECK(std::abs(squares - 1) < 1e-6);
}

TEST_CASE("case, composition and punctuation do not matter", "[vectors]") {
  CHECK(embedded("STRASSE") == embedded("straße"));
  CHECK(embedded("e\u0301cole") == embedded("\u00C9COLE"));
  CHECK(embedded("one, two!") == embedded("two one"));
}

TEST_CASE("texts are the nearer the more words they share", "[vectors]") {
  const std::string query = "the green boat in the harbour";
  CHECK(cosine(query, "a green boat lies in the harbour") > cosine(query, "a green door"));
  CHECK(cosine(query, "a green door") > cosine(query, "stock prices fell"));
  CHECK(std::abs(cosine(query, "stock prices fell")) < 0.15);
}

TEST_CASE("forms of one word are near each other", "[vectors]") {
  CHECK(cosine("embedding", "embeddings") > 0.3);
  CHECK(cosine("embedding", "zoology") < 0.1);
}

TEST_CASE("words are found within scripts that put no spaces between them", "[vectors]") {
  CHECK(cosine("東京", "私は東京に住んでいます") > 0.2);
  CHECK(cosine("大阪", "私は東京に住んでいます") < 0.1);
}

TEST_CASE("a word said often weighs more, but less than as often", "[vectors]") {
  std::string often = "boat";
  for (int i = 1; i < 100; ++i) often += " boat";
  const std::string other = " harbour";
  const double once = cosine("boat" + other, "boat");
  const double many = cosine(often + other, "boat");
  CHECK(many > once);
  CHECK(many < 0.9999);
}

TEST_CASE("without parts only whole words count", "[vectors]") {
  const HashingEmbedderSpec words{.gram_min = 0, .gram_max = 0};
  std::size_t set = 0;
  for (const float component : embedded("embedding", 1024, words)) set += component != 0 ? 1 : 0;
  CHECK(set == 1);
}

TEST_CASE("any text can be hashed, in any dimension", "[vectors]") {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>((i * 7919) >> 3);
  for (const std::size_t dimension : {1U, 2U, 7U, 8192U}) {
    for (const float component : embedded(bytes, dimension)) CHECK(std::isfinite(component));
  }
}
