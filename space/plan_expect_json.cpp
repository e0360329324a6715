#include <stdexcept>

#include <holdfast/core/json_fields.h>

#include "plan_json.h"

namespace holdfast {
namespace {

void write_expected(core::JsonWriter& out, const PlanStep& step) {
  core::JsonWriter expect;
  expect.integer("revision", step.expected->revision.us);
  if (step.expected->deleted_at) {
    expect.integer("deleted_at", to_us(*step.expected->deleted_at));
  } else {
    expect.null("deleted_at");
  }
  out.raw("expect", expect.finish());
}

}  // namespace

std::string expectation_json(const PlanStep& step) {
  core::JsonWriter out;
  out.string("op", to_string(step.op));
  const auto named = [&]() -> core::JsonWriter& {
    return out.string("kind", to_string(step.kind)).string("id", to_string(step.id));
  };
  switch (step.op) {
    case PlanOp::expect_unchanged:
      named();
      if (step.since) out.unsigned_integer("since", *step.since);
      if (step.expected) write_expected(out, step);
      if (step.about_is_deleted) out.boolean("about_is_deleted", *step.about_is_deleted);
      return out.finish();
    case PlanOp::expect_absent:
      if (!step.key) return named().finish();
      return out.string("kind", to_string(step.kind)).string("key", *step.key).finish();
    case PlanOp::expect_neighborhood:
      return named().unsigned_integer("seq", step.seq).finish();
    case PlanOp::expect_key:
      out.string("key", step.key.value()).raw("value", step.value.value().json());
      if (step.id.is_nil()) return out.null("id").finish();
      return out.string("id", to_string(step.id)).finish();
    case PlanOp::expect_list:
      return out.raw("list", step.list.value().to_json()).string("digest", step.digest).finish();
    default: break;
  }
  throw std::logic_error("not an expectation");
}

}  // namespace holdfast
