#include <holdfast/core/error.h>
#include <holdfast/core/json_fields.h>

#include "commands.h"
#include "document.h"
#include "row_kinds.h"
#include "style.h"
#include "write_report.h"

namespace holdfast::cli {
namespace {

/// A plan, and the names that its document gives to new rows.
struct NamedPlan {
  Plan plan;
  std::vector<std::string> names;  ///< one for each step, as JSON: a string or null
};

NamedPlan read_plan(const Space& space, const std::string& file) {
  const JsonObject document = read_plan_document(file);
  NamedPlan read{.plan = space.parse_plan(document), .names = {}};
  for (const JsonMember& member : document.members()) {
    if (member.key != "steps") continue;
    for (const JsonObject& step : core::object_list_field(member)) {
      std::string name = "null";
      for (const JsonMember& field : step.members()) {
        if (field.key == "as") name = field.value;
      }
      read.names.push_back(std::move(name));
    }
  }
  return read;
}

template <class Kind>
WriteSummary with_row(WriteSummary summary, const typename Kind::Row& row, bool is_its_own) {
  summary.current_json = Kind::Rows::to_json(row);
  summary.current_text = describe(row);
  summary.current_is_deleted = row.deleted_at.has_value();
  summary.relation = relation_of(row);
  // Asked again, a plan makes new ids as it is read, but answers with the rows of the first time.
  if (is_its_own) summary.id = to_string(row.id);
  return summary;
}

/// A step's result as that of a single write.
WriteSummary summarise(const PlanStep& step, const StepResult& result) {
  WriteSummary summary{.kind = to_string(step.kind),
                       .id = to_string(step.id),
                       .outcome = result.outcome,
                       .seq = result.seq,
                       .request_id = "",
                       .missing = result.missing,
                       .edges = result.edges,
                       .handed_over = result.handed_over,
                       .kept_out = result.kept_out};
  if (const auto* edge = std::get_if<Edge>(&step.row)) summary.relation = edge->relation;
  const bool is_its_own = !result.is_conflict && result.outcome != Outcome::absorbed;
  if (const auto* entity = std::get_if<Entity>(&result.current)) {
    return with_row<EntityKind>(std::move(summary), *entity, is_its_own);
  }
  if (const auto* edge = std::get_if<Edge>(&result.current)) {
    return with_row<EdgeKind>(std::move(summary), *edge, is_its_own);
  }
  if (const auto* note = std::get_if<Note>(&result.current)) {
    return with_row<NoteKind>(std::move(summary), *note, is_its_own);
  }
  return summary;
}

/// "steps[3] replace entity 0197...": as a refusal of the plan's text names its steps.
std::string name_of(std::size_t index, const PlanStep& step) {
  const std::string what = step.list  ? "list"
                           : step.key ? "key \"" + printable(*step.key) + "\""
                                      : to_string(step.id);
  return "steps[" + std::to_string(index) + "] " + std::string(to_string(step.op)) + " " +
         std::string(to_string(step.kind)) + " " + what;
}

std::string steps_json(const NamedPlan& read, const PlanResult& result) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    const PlanStep& step = read.plan.steps()[i];
    const WriteSummary summary = summarise(step, result.steps[i]);
    core::JsonWriter out;
    out.unsigned_integer("step", i)
        .string("op", to_string(step.op))
        .string("kind", to_string(step.kind));
    if (step.id.is_nil()) {
      out.null("id");
    } else {
      out.string("id", summary.id);
    }
    if (step.key) out.string("key", *step.key);
    out.raw("as", read.names[i])
        .string("outcome", to_string(summary.outcome))
        .boolean("is_conflict", result.steps[i].is_conflict)
        .raw("current", summary.current_json)
        .unsigned_integer("seq", summary.seq);
    add_lists(out, summary);
    items.push_back(out.finish());
  }
  return json_array(items);
}

std::string plan_json(const NamedPlan& read, const PlanResult& result) {
  return core::JsonWriter()
      .string("outcome", to_string(result.outcome))
      .raw("steps", steps_json(read, result))
      .string("request_id", result.request_id)
      .boolean("repeated", result.repeated)
      .finish();
}

[[noreturn]] void refuse(const NamedPlan& read, const PlanResult& result) {
  std::string details;
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    if (!result.steps[i].is_conflict) continue;
    const PlanStep& step = read.plan.steps()[i];
    const WriteSummary summary = summarise(step, result.steps[i]);
    details +=
        styled(Style::conflict, name_of(i, step) + ": " + std::string(to_string(summary.outcome))) +
        "\n  " + printable(meaning(summary)) + "\n";
    if (!summary.current_text.empty()) details += "it is now:\n" + summary.current_text;
  }
  throw Refused(
      {.exit_code = static_cast<int>(Exit::conflict),
       .code = "conflict",
       .message = "the plan was refused: " + counted(result.conflicts(), "conflict", "conflicts") +
                  " in " + counted(result.steps.size(), "step", "steps") + "; nothing was written",
       .fields = {{"outcome", json_string(to_string(result.outcome))},
                  {"steps", steps_json(read, result)},
                  {"request_id", json_string(result.request_id)},
                  {"repeated", result.repeated ? "true" : "false"}},
       .details = details});
}

std::string plan_text(const NamedPlan& read, const PlanResult& result) {
  constexpr std::size_t kShownMax = 100;
  const std::size_t count = result.steps.size();
  Table table(
      {{"STEP", Align::right}, {"OP"}, {"KIND"}, {"ID"}, {"OUTCOME"}, {"SEQUENCE", Align::right}});
  std::string edges;
  for (std::size_t i = 0; i < count; ++i) {
    const PlanStep& step = read.plan.steps()[i];
    const WriteSummary summary = summarise(step, result.steps[i]);
    edges += edges_text(summary, step.op == PlanOp::restore ? "restored" : "deleted");
    if (i >= kShownMax) continue;
    table.add({std::to_string(i), std::string(to_string(step.op)), std::string(summary.kind),
               step.list  ? "list"
               : step.key ? "key " + *step.key
                          : summary.id,
               std::string(to_string(summary.outcome)),
               summary.seq == 0 ? "" : grouped(summary.seq)});
  }
  const bool is_checked = result.outcome == PlanOutcome::checked;
  std::string out = (is_checked ? "would apply " : "applied ") + counted(count, "step", "steps") +
                    (is_checked ? "; nothing was written" : ", request " + result.request_id) +
                    "\n" + repeated_text(result.repeated);
  if (count > 0) out += table.text();
  if (count > kShownMax) out += "and " + grouped(count - kShownMax) + " more\n";
  return out + edges;
}

void report(Session& session, const NamedPlan& read, const PlanResult& result) {
  if (result.outcome == PlanOutcome::refused) refuse(read, result);
  session.confirm(session.json() ? plan_json(read, result) : plan_text(read, result));
}

}  // namespace

void begin(Session& session, const Options&) {
  const Space space = session.reading_space();
  const Beginning beginning = space.begin();
  const std::string token = to_string(beginning.read_token);
  if (!session.json()) return session.print(token);
  session.print(core::JsonWriter()
                    .string("space", space.name())
                    .unsigned_integer("tail", beginning.tail.seq)
                    .string("read_token", token)
                    .finish());
}

void check_plan(Session& session, const Options& options) {
  const Space space = session.space();
  const NamedPlan read = read_plan(space, options.file);
  report(session, read, space.check(read.plan));
}

void apply_plan(Session& session, const Options& options) {
  if (options.dry_run) return check_plan(session, options);
  const Space space = session.space();
  const NamedPlan read = read_plan(space, options.file);
  report(session, read, space.apply(read.plan, write_options(options)));
}

}  // namespace holdfast::cli
