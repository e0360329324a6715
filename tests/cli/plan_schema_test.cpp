#include <fstream>

#include <nlohmann/json.hpp>

#include <holdfast/core/error.h>
#include <holdfast/space/plan.h>

#include "cli.h"
#include "support/catch.h"

namespace holdfast::test {
namespace {

using nlohmann::json;

json schema() {
  std::ifstream file(HOLDFAST_PLAN_SCHEMA);
  return json::parse(file);
}

/// Plans as the library reads them.
class Reader {
 public:
  /// The field of the refusal; empty when it is read.
  std::string refusal(const json& plan) {
    try {
      (void)Plan::parse(JsonObject::parse("plan", plan.dump()), *environment_.ids);
      return "";
    } catch (const InvalidArgument& error) {
      return error.field();
    }
  }
  std::string refusal_of_step(const json& step) { return refusal({{"steps", {step}}}); }

 private:
  TestEnvironment environment_;
};

/// Makes values that the schema allows.
class Maker {
 public:
  json value(const json& given) const {
    const json& type = resolved(given);
    if (type == true) return nullptr;
    if (type.contains("const")) return type["const"];
    if (type.contains("enum")) return type["enum"][0];
    if (type.contains("anyOf")) return value(type["anyOf"][0]);
    const json& name = type["type"].is_array() ? type["type"][0] : type["type"];
    if (name == "string") return type.contains("pattern") ? json(kNobody) : json("text");
    if (name == "integer" || name == "number") return 1;
    if (name == "array") return json::array();
    if (name == "boolean") return true;
    return object(type);
  }

  /// With all of its members.
  json object(const json& type) const {
    json out = json::object();
    if (!type.contains("properties")) return out;
    for (const auto& [key, member] : type["properties"].items()) out[key] = value(member);
    if (out.contains("valid_to")) out["valid_to"] = 2;  // after valid_from
    return out;
  }

  const json& resolved(const json& type) const {
    if (!type.is_object() || !type.contains("$ref")) return type;
    const std::string name = type["$ref"];
    return schema_["$defs"][name.substr(std::string("#/$defs/").size())];
  }

  /// The steps there are.
  std::vector<json> steps() const {
    std::vector<json> found;
    for (const json& one : schema_["properties"]["steps"]["items"]["oneOf"]) {
      found.push_back(resolved(one));
    }
    return found;
  }

 private:
  const json schema_ = schema();
};

/// Each of the kinds that a step may be of; one absent where it names none.
std::vector<json> kinds_of(const json& step) {
  const json& properties = step["properties"];
  if (!properties.contains("kind")) return {nullptr};
  const json& kind = properties["kind"];
  if (kind.contains("const")) return {kind["const"]};
  return kind["enum"].get<std::vector<json>>();
}

}  // namespace

TEST_CASE("the schema's examples are plans", "[cli]") {
  Reader reader;
  const json examples = schema()["examples"];
  REQUIRE(examples.size() >= 2);
  for (const json& plan : examples) CHECK(reader.refusal(plan) == "");
}

TEST_CASE("a validator of JSON Schema takes the examples and refuses others", "[cli]") {
  Cli python;
  python.program = {"sh", "-c"};
  if (python.run({"python3 -c 'import jsonschema' 2>/dev/null"}).exit_code != 0) return;
  python.program = {"python3", "-c"};
  const auto answer = python.run({R"(
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for plan in schema["examples"]:
    validator.validate(plan)
    for step in plan["steps"]:
        for wrong in ({**step, "more": 1}, {**step, "op": "merge"}, {**step, "kind": "relation"}):
            assert not validator.is_valid({"steps": [wrong]}), wrong
print("sound")
)",
                                  HOLDFAST_PLAN_SCHEMA});
  CHECK(answer.err == "");
  CHECK(answer.out == "sound\n");
}

TEST_CASE("every step of the schema is read, with all of its fields", "[cli]") {
  Reader reader;
  const Maker make;
  for (const json& type : make.steps()) {
    for (const json& kind : kinds_of(type)) {
      json step = make.object(type);
      if (!kind.is_null()) step["kind"] = kind;
      INFO(step.dump());
      CHECK(reader.refusal_of_step(step) == "");
    }
  }
}

TEST_CASE("what the schema requires of a step, its row and its place is required", "[cli]") {
  Reader reader;
  const Maker make;
  for (const json& type : make.steps()) {
    const json whole = make.object(type);
    for (const json& field : type["required"]) {
      json step = whole;
      step.erase(field.get<std::string>());
      INFO(step.dump());
      CHECK(reader.refusal_of_step(step) != "");
    }
    if (!whole.contains("row")) continue;
    const json& row = make.resolved(type["properties"]["row"]);
    if (!row.contains("required")) continue;
    for (const json& field : row["required"]) {
      // A new edge's ends are looked for when it is written.
      if (field == "source" || field == "target") continue;
      json step = whole;
      step["row"].erase(field.get<std::string>());
      INFO(step.dump());
      CHECK(reader.refusal_of_step(step) != "");
    }
  }
}

TEST_CASE("a field that the schema does not have is refused", "[cli]") {
  Reader reader;
  const Maker make;
  for (const json& type : make.steps()) {
    const json whole = make.object(type);
    json step = whole;
    step["more"] = 1;
    CHECK(reader.refusal_of_step(step).find("more") != std::string::npos);
    for (const char* part : {"row", "to", "expect", "list"}) {
      if (!whole.contains(part)) continue;
      step = whole;
      step[part]["more"] = 1;
      INFO(step.dump());
      CHECK(reader.refusal_of_step(step).find("more") != std::string::npos);
    }
  }
  CHECK(reader.refusal({{"steps", json::array()}, {"more", 1}}) == "more");
}

TEST_CASE("an op or a kind that the schema does not have is refused", "[cli]") {
  Reader reader;
  const Maker make;
  std::set<std::string> ops;
  for (const json& type : make.steps()) ops.insert(type["properties"]["op"]["const"]);
  for (int op = 0; op <= static_cast<int>(PlanOp::expect_list); ++op) {
    CHECK(ops.contains(std::string(to_string(static_cast<PlanOp>(op)))));
  }
  CHECK(ops.size() == static_cast<std::size_t>(PlanOp::expect_list) + 1);
  CHECK(reader.refusal_of_step({{"op", "merge"}}) == "steps[0] op");
  for (const char* op : {"create", "delete", "expect_absent"}) {
    CHECK(reader.refusal_of_step({{"op", op}, {"kind", "relation"}, {"id", kNobody}}) ==
          "steps[0] " + std::string(op) + ": kind");
  }
}

TEST_CASE("the fields that the schema gives a patch are those that a row can be patched by",
          "[cli]") {
  const ReadyCli cli;
  const Maker make;
  const std::string ada = cli.entity("Ada");
  const std::map<std::string, std::string> ids = {
      {"entity", ada},
      {"edge", cli.edge(ada, "knows", cli.entity("Bob"))},
      {"note", cli.json({"note", "create", "--kind", "x"}).json()["current"]["id"]}};
  const auto field_refused = [&](const std::string& kind, const json& patch) {
    const json step = {{"op", "patch"}, {"kind", kind}, {"id", ids.at(kind)}, {"patch", patch}};
    const auto answer = cli.json({"plan", "check", "-"}, json{{"steps", {step}}}.dump());
    return answer.exit_code == 5 ? answer.error()["rule"].get<std::string>() : "";
  };
  for (const auto& [kind, id] : ids) {
    const json type = make.resolved({{"$ref", "#/$defs/" + kind + "_patch"}});
    const std::string known = field_refused(kind, {{"more", 1}});
    std::string named = "not be given: the fields are ";
    REQUIRE(known.starts_with(named));
    std::set<std::string> fields;
    std::istringstream list(known.substr(named.size()));
    for (std::string field; list >> field;) fields.insert(field.substr(0, field.find(',')));
    std::set<std::string> in_schema;
    for (const auto& [key, member] : type["properties"].items()) in_schema.insert(key);
    CHECK(fields == in_schema);
  }
}

}  // namespace holdfast::test
