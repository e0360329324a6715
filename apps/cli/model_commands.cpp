#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>

#include "commands.h"
#include "failure.h"
#include "model_flags.h"
#include "model_report.h"
#include "page_report.h"
#include "projection_report.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

[[noreturn]] void refuse_name(const std::string& name, const CreateModelResult& result) {
  throw Refused(
      {.exit_code = static_cast<int>(Exit::conflict),
       .code = "conflict",
       .message = result.current ? "model " + name + " is declared otherwise; `holdfast index "
                                       "rebuild " + name + "` would change it, `holdfast model "
                                       "drop " + name + "` take it back"
                                 : "the name " + name + " is that of a projection that is no model",
       .fields = {{"outcome", "\"declared_otherwise\""},
                  {"model", json_string(name)},
                  {"current", result.current ? to_json(*result.current) : "null"}},
       .details = result.current ? "it is now:\n" + describe(*result.current) : ""});
}

[[noreturn]] void refuse_cancelled(const std::string& name) {
  throw Refused({.exit_code = static_cast<int>(Exit::conflict),
                 .code = "conflict",
                 .message = "model " + name + " was taken back by somebody else while it was built",
                 .fields = {{"outcome", "\"cancelled\""}, {"model", json_string(name)}}});
}

void require_created(const std::string& name, const CreateModelResult& result,
                     const RebuildWatch& watch) {
  switch (result.outcome) {
    case ModelOutcome::created:
    case ModelOutcome::unchanged: return;
    case ModelOutcome::declared_otherwise: refuse_name(name, result);
    case ModelOutcome::cancelled: refuse_cancelled(name);
    case ModelOutcome::incomplete:
      throw Refused(refusal("model " + name + " does not serve yet: " +
                                counted(result.build.problems_total, "row has", "rows have") +
                                " no vectors; `holdfast index rebuild " + name + "` goes on",
                            name, result.build, "incomplete"));
    case ModelOutcome::stopped:
      watch.stop("model " + name + " does not serve yet: run the same command again to go on, or "
                 "`holdfast model drop " + name + " --yes` to give it up");
  }
}

/// The model with its parameters, and what became of the call.
std::string created_json(const DeclaredModel& declared, const CreateModelResult& result,
                         bool was_built) {
  return core::JsonWriter()
      .string("outcome", to_string(result.outcome))
      .raw("model", to_json(declared))
      .raw("build", was_built ? to_json(result.build) : "null")
      .finish();
}

DeclaredModel find_model(const Space& space, const std::string& name) {
  auto declared = space.models().find(name);
  if (!declared) throw NotFound("model", name);
  return std::move(*declared);
}

}  // namespace

void create_model(Session& session, const Options& options) {
  const ModelOptions& flags = options.model;
  const Model model = new_model(options.name, flags);
  const IndexParameters parameters =
      changed_parameters(IndexParameters{}, flags).value_or(IndexParameters{});
  CreateModelOptions create{.make_default = flags.make_default,
                            .build = !flags.no_build,
                            .rebuild = rebuild_options(options),
                            .embedding = embedding_options(options.embed)};
  create.rebuild.allow_failures = true;
  const Space space = session.space();
  RebuildWatch watch(session.json());
  create.rebuild.stop = watch.token();
  const auto result = space.models().create(model, parameters, create, watch.control());
  watch.finish();
  require_created(model.name, result, watch);
  const DeclaredModel declared = find_model(space, model.name);
  const bool was_built = create.build && result.outcome == ModelOutcome::created;
  if (session.json()) return session.confirm(created_json(declared, result, was_built));
  const bool is_new = result.outcome == ModelOutcome::created;
  std::string text = (is_new ? "created " : "is there already: ") + describe(declared);
  if (was_built) text += describe(result.build);
  if (is_new && flags.no_build) {
    text += "  not built yet: `holdfast index rebuild " + printable(model.name) + "` does so\n";
  }
  session.confirm(text);
}

void list_models(Session& session, const Options&) {
  Page<DeclaredModel> page;
  page.items = session.reading_space().models().list();
  if (session.json()) {
    return session.print(page_json(page, [](const auto& item) { return to_json(item); }));
  }
  Table table({{"MODEL"}, {"DEFAULT"}, {"DIMENSION", Align::right}, {"METRIC"}, {"EMBEDDER"}});
  for (const DeclaredModel& declared : page.items) {
    table.add({declared.model.name, declared.is_default ? "yes" : "no",
               grouped(static_cast<std::uint64_t>(declared.model.dimension)),
               std::string(to_string(declared.model.metric)), describe(declared.model.embedder)});
  }
  session.print((page.items.empty() ? "" : table.text()) + page_footer(page, "model", "models"));
}

void show_model(Session& session, const Options& options) {
  const DeclaredModel declared = find_model(session.reading_space(), options.name);
  session.print(session.json() ? to_json(declared) : describe(declared));
}

void make_default_model(Session& session, const Options& options) {
  session.space().models().make_default(options.name);
  session.confirm(session.json() ? core::JsonWriter()
                                       .string("outcome", "default")
                                       .raw("name", json_string(options.name))
                                       .finish()
                                 : "model " + printable(options.name) + " is the default now");
}

void drop_model(Session& session, const Options& options) {
  const Space space = session.space();
  if (!options.yes) {
    (void)find_model(space, options.name);
    refuse_usage("dropping model " + options.name + " removes all its vectors, which cost time "
                 "to make again; say --yes if that is meant");
  }
  if (!space.models().drop(options.name)) throw NotFound("model", options.name);
  session.confirm(session.json() ? core::JsonWriter()
                                       .string("outcome", "dropped")
                                       .raw("name", json_string(options.name))
                                       .finish()
                                 : "dropped model " + printable(options.name));
}

}  // namespace holdfast::cli
