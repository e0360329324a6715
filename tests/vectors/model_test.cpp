#include <holdfast/vectors/model.h>

#include <string>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/vectors/given_vectors.h>

#include "support/catch.h"

using namespace holdfast;

namespace {

Model some_model() {
  Model model;
  model.name = "m";
  model.dimension = 384;
  model.metric = Metric::ip;
  model.embedder = HttpEmbedderSpec{.url = "http://localhost:1/v1", .model = "e", .key_env = "K"};
  model.sources = {{.kind = "entity", .paths = {"/name", "/properties/a~1b"}}};
  model.chunking = {.chunk_chars = 100, .overlap_chars = 10};
  return model;
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.field() + " must " + error.rule();
  }
  return "";
}

}  // namespace

TEST_CASE("a model's declaration reads back equal", "[model]") {
  const Model model = some_model();
  CHECK(Model::parse("m", model.to_json()) == model);
  Model plain;
  plain.name = "m";
  plain.dimension = 8;
  CHECK(Model::parse("m", JsonObject::parse("d", R"({"dimension":8})")) == plain);
}

TEST_CASE("what a model's declaration holds is named when it will not do", "[model]") {
  const auto parse = [](const std::string& text) {
    return refusal([&] { (void)Model::parse("m", JsonObject::parse("d", text)); });
  };
  CHECK(parse("{}") == "dimension must be 1 to 8,192");
  CHECK(parse(R"({"dimension":"8"})") == "dimension must be an integer");
  CHECK(parse(R"({"dimension":8,"metric":"dot"})").starts_with("metric must "));
  CHECK(parse(R"({"dimension":8,"embedder":{"type":"magic"}})").starts_with("embedder.type must"));
  CHECK(parse(R"({"dimension":8,"sources":[{"kind":"note","paths":["content"]}]})")
            .starts_with("sources[0].paths[0] must "));
  CHECK(parse(R"({"dimension":8,"sources":[{"kind":"note","path":"/content"}]})")
            .starts_with("sources[0].path must "));
  CHECK(parse(R"({"dimension":8,"size":8})").starts_with("size must not be given"));
}

TEST_CASE("sources in another order are the same model", "[model]") {
  Model model = some_model();
  model.sources = {{.kind = "note", .paths = {"/content"}},
                   {.kind = "entity", .paths = {"/name"}}};
  Model other = model;
  std::swap(other.sources[0], other.sources[1]);
  CHECK(check_model(model) == check_model(other));
}

TEST_CASE("vectors serve another model when nothing that makes them differs", "[model]") {
  const Model model = some_model();
  const auto alike = [&](const std::function<void(Model&)>& change) {
    Model other = model;
    change(other);
    return embeds_alike(model, other);
  };
  const auto http = [](Model& m) -> HttpEmbedderSpec& {
    return std::get<HttpEmbedderSpec>(m.embedder);
  };
  CHECK(alike([](Model& m) { m.metric = Metric::l2; }));
  CHECK(alike([](Model& m) { m.sources = default_model_sources(); }));
  CHECK(alike([&](Model& m) { http(m).key_env = "OTHER"; }));
  CHECK(alike([&](Model& m) { http(m).timeout = std::chrono::milliseconds(1); }));
  CHECK_FALSE(alike([&](Model& m) { http(m).model = "f"; }));
  CHECK_FALSE(alike([&](Model& m) { http(m).url = "http://localhost:2/v1"; }));
  CHECK_FALSE(alike([&](Model& m) { http(m).send_dimension = true; }));
  CHECK_FALSE(alike([](Model& m) { m.dimension = 385; }));
  CHECK_FALSE(alike([](Model& m) { m.chunking.overlap_chars = 11; }));
  CHECK_FALSE(alike([](Model& m) { m.embedder = HashingEmbedderSpec{}; }));
}

TEST_CASE("index parameters read back equal and keep their bounds", "[model]") {
  const IndexParameters parameters{
      .form = IndexForm::floats, .m = 8, .ef_construction = 200, .ef_search = 50, .exact_max = 0};
  CHECK(IndexParameters::parse(parameters.to_json()) == parameters);
  CHECK(IndexParameters::parse({}) == IndexParameters{});
  CHECK(refusal([] { check_index_parameters({.m = 65}); }) == "m must be 2 to 64");
  CHECK(refusal([] { check_index_parameters({.ef_construction = 0}); }) ==
        "ef_construction must be 1 to 10,000");
  CHECK(refusal([] { check_index_parameters({.exact_max = -1}); }) ==
        "exact_max must be 0 to 1,000,000");
}

TEST_CASE("packed vectors open as what they were", "[model]") {
  const std::vector<Embedding> vectors = {{1, -2.5F}, {0, 3}};
  const std::string packed = vectors::pack(vectors);
  CHECK(vectors::unpack(packed) == vectors);
  CHECK(vectors::open_packed(packed).dimension == 2);
  for (const std::size_t bytes : {0UL, 3UL, 4UL, 11UL, packed.size() - 1}) {
    CHECK_THROWS_AS(vectors::open_packed(std::string_view(packed).substr(0, bytes)), Corrupt);
  }
}

TEST_CASE("lists of vectors have one text when they give the same", "[model]") {
  const GivenVectors given{.model = "m", .vectors = {{1, 2}, {3, 4}}};
  const auto differs = [&](const std::function<void(GivenVectors&)>& change) {
    GivenVectors other = given;
    change(other);
    return text_of(std::span(&given, 1)) != text_of(std::span(&other, 1));
  };
  CHECK_FALSE(differs([](GivenVectors&) {}));
  CHECK(differs([](GivenVectors& g) { g.vectors[1][1] = 5; }));
  CHECK(differs([](GivenVectors& g) { g.vectors = {{1, 2, 3, 4}}; }));
  CHECK(differs([](GivenVectors& g) { g.model = "n"; }));
  CHECK(differs([](GivenVectors& g) { g.generation = 1; }));
  CHECK(text_of({}).empty());
}
