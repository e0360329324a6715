#include "commands.h"
#include "parser.h"
#include "row_kinds.h"

namespace holdfast::cli {
namespace {

constexpr const char* kId = "0197b0a2-7c1e-7d7f-b4f1-6f4a5f3c2d10";

/// What the kinds differ in on the command line.
struct Shape {
  std::string kind;
  std::string plural;
  bool is_entity = false;
  bool is_edge = false;
  bool is_note = false;
  std::string create_example;
  std::string update_example;
  std::string list_example;
};

/// Flags for fields; `is_new`: those too that only a new row may name.
std::vector<CLI::Option*> add_fields(CLI::App& app, FieldOptions& fields, const Shape& shape,
                                     bool is_new) {
  std::vector<CLI::Option*> added;
  const auto add = [&](const char* name, std::optional<std::string>& into, const char* help) {
    added.push_back(text_option(app, name, into, help));
    return added.back();
  };
  if (!shape.is_edge) add("--kind", fields.kind, "What sort of thing it is");
  if (shape.is_entity) add("--name", fields.name, "Its name; need not be unique");
  if (shape.is_edge && is_new) {
    add("--source", fields.source, "The entity it starts from")->type_name("ID");
    add("--relation", fields.relation, "How source and target relate");
    add("--target", fields.target, "The entity it leads to")->type_name("ID");
    add("--valid-from", fields.valid_from, "When it begins to hold")->type_name("TIME");
  }
  if (shape.is_edge) {
    add("--valid-to", fields.valid_to, "When it stops holding")->type_name("TIME");
    add("--weight", fields.weight, "A number; 1 in a new edge")->type_name("X");
  }
  if (shape.is_note) {
    auto* content = add("--content", fields.content, "The text");
    add("--content-file", fields.content_file, "Read the text from a file, or from stdin (-)")
        ->type_name("FILE|-")
        ->excludes(content);
    add("--about", fields.about, "The entity it is about")->type_name("ID");
    add("--key", fields.key, "Names at most one live note");
    add("--salience", fields.salience, "How much it matters")->type_name("X");
    add("--expires-at", fields.expires_at, "Lists leave it out from then on")->type_name("TIME");
  }
  if (!shape.is_edge) {
    added.push_back(repeated_option(app, "--tag", fields.tags, "A tag; repeat it for more"));
  }
  add("--properties", fields.properties,
      is_new ? "A JSON object" : "A JSON merge patch over the properties")
      ->type_name("JSON");
  return added;
}

void exclude(CLI::Option* one, const std::vector<CLI::Option*>& others) {
  for (CLI::Option* other : others) one->excludes(other);
}

void add_id(CLI::App& app, Options& options, const Shape& shape) {
  app.add_option("id", options.id, "Of the " + shape.kind)->required()->type_name("ID");
}

void add_deleted_at(CLI::App& app, Options& options) {
  text_option(app, "--deleted-at", options.deleted_at,
              "Deletion mark of the row that was read, when it is deleted")
      ->type_name("TIME");
}

void add_filters(CLI::App& app, Options& options, const Shape& shape) {
  FilterOptions& filter = options.filter;
  if (!shape.is_edge) text_option(app, "--kind", filter.kind, "Only this kind");
  if (shape.is_entity) {
    text_option(app, "--name", filter.name, "Only this name, exactly");
    text_option(app, "--name-prefix", filter.name_prefix, "Only names that begin like this");
  }
  if (shape.is_edge) {
    text_option(app, "--relation", filter.relation, "Only this relation");
    text_option(app, "--source", filter.source, "Only from this entity")->type_name("ID");
    text_option(app, "--target", filter.target, "Only to this entity")->type_name("ID");
    text_option(app, "--valid-at", filter.valid_at, "Only what holds at this time")
        ->type_name("TIME");
  }
  if (shape.is_note) {
    text_option(app, "--key", filter.key, "Only the note with this key");
    text_option(app, "--key-prefix", filter.key_prefix,
                "Only keys that begin like this, in their order");
    text_option(app, "--about", filter.about, "Only about this entity")->type_name("ID");
    app.add_flag("--include-expired", filter.include_expired, "Also notes past their time");
  }
  add_conditions(app, filter, !shape.is_edge);
  add_times(app, filter);
  app.add_option("--deleted", filter.deleted, "What to do with deleted ones")
      ->check(CLI::IsMember({"exclude", "include", "only"}))
      ->type_name("WHICH")
      ->capture_default_str();
  add_page_options(app, options);
  auto* count = app.add_flag("--count", options.count, "Only say how many there are");
  count->excludes(app.get_option("--limit"))->excludes(app.get_option("--cursor"));
}

/// Vectors that come with a row; edges' texts are embedded too, where a model says so.
void add_vectors(CLI::App& app, Options& options) {
  repeated_option(app, "--vector", options.vector,
                  "A vector of the row's text as it will be, kept with it: one for each chunk, in "
                  "their order; without MODEL= for the default model; repeat it")
      ->type_name("MODEL=[X,...]");
  text_option(app, "--vectors", options.vectors,
              "The same as a document: {\"model\":...,\"vectors\":[[...],...]}, or a list of "
              "such as {\"vectors\":[{...},...]}")
      ->type_name("JSON|@FILE|-");
}

template <class Kind>
void add_create(CLI::App& group, CommandLine& line, const Shape& shape, const std::string& call) {
  Options& options = line.options;
  auto& create = add_command(group, line, "create",
                             "Insert one, from flags or from a JSON document; an id that is taken "
                             "is a conflict",
                             &RowCommands<Kind>::create, call + shape.create_example);
  const auto fields = add_fields(create, options.fields, shape, true);
  text_option(create, "--id", options.new_id, "Its id; a fresh one when absent")->type_name("ID");
  exclude(text_option(create, "--from", options.from, "Read the fields from a JSON document")
              ->type_name("FILE|-"),
          fields);
  add_vectors(create, options);
  add_request_id(create, options);
}

template <class Kind>
void add_changes(CLI::App& group, CommandLine& line, const Shape& shape, const std::string& call) {
  Options& options = line.options;
  auto& update = add_command(group, line, "update",
                             "Change the fields that are named, whoever else is writing",
                             &RowCommands<Kind>::update, call + shape.update_example);
  add_id(update, options, shape);
  const auto changes = add_fields(update, options.fields, shape, false);
  exclude(text_option(update, "--patch", options.patch,
                      "A JSON merge patch (RFC 7396): null clears a field")
              ->type_name("JSON|@FILE|-"),
          changes);
  add_vectors(update, options);
  add_request_id(update, options);

  auto& replace = add_command(
      group, line, "replace",
      "Put a whole " + shape.kind + " in the place of the one that was read. The document may be "
      "what `get --json` printed, edited: its revision then says what was read",
      &RowCommands<Kind>::replace,
      "holdfast --json " + shape.kind + " get " + kId + " >row.json; edit row.json; " + call +
          "replace " + kId + " --from row.json");
  add_id(replace, options, shape);
  text_option(replace, "--from", options.from, "The JSON document")
      ->type_name("FILE|-")
      ->required();
  add_revision(replace, options, "Of the row that was read; not needed when the document has it");
  add_deleted_at(replace, options);
  add_vectors(replace, options);
  add_request_id(replace, options);
}

template <class Kind>
void add_endings(CLI::App& group, CommandLine& line, const Shape& shape, const std::string& call) {
  struct Ending {
    std::string name;
    std::string help;
    Command command;
  };
  const std::string gone = shape.is_entity ? "; its edges go with it" : "";
  for (const Ending& ending :
       {Ending{"delete", "Delete one; its history stays", &RowCommands<Kind>::remove},
        Ending{"restore", "Bring a deleted one back", &RowCommands<Kind>::restore},
        Ending{"purge",
               "Remove a deleted one for good, with what its history holds of it" + gone,
               &RowCommands<Kind>::purge}}) {
    auto& command = add_command(group, line, ending.name, ending.help, ending.command,
                                call + ending.name + " " + kId);
    add_id(command, line.options, shape);
    add_revision(command, line.options, "Refuse when the row has moved on from this revision");
    if (ending.name != "delete") add_deleted_at(command, line.options);
    add_request_id(command, line.options);
  }
}

/// What one kind alone can do.
void add_own_commands(CLI::App& group, CommandLine& line, const Shape& shape) {
  Options& options = line.options;
  if (shape.is_entity) {
    auto& rename = add_command(group, line, "rename", "Give one another name; its id stays",
                               &rename_entity,
                               std::string("holdfast entity rename ") + kId + " \"Ada Lovelace\"");
    add_id(rename, options, shape);
    rename.add_option("name", options.name, "The new one")->required()->type_name("NAME");
    add_revision(rename, options, "Refuse when the row has moved on from this revision");
    add_request_id(rename, options);
  }
  if (!shape.is_edge) return;
  auto& retarget = add_command(
      group, line, "retarget",
      "Move one to another place. Where a live edge has that place already, the moved one is "
      "deleted and the other stays as it is",
      &retarget_edge, std::string("holdfast edge retarget ") + kId +
                          " --target 0197b0a2-8d2f-7c11-9a3e-1b5c7d9e0f20");
  add_id(retarget, options, shape);
  FieldOptions& fields = options.fields;
  text_option(retarget, "--source", fields.source, "The entity it is to start from")
      ->type_name("ID");
  text_option(retarget, "--relation", fields.relation, "How they are to relate");
  text_option(retarget, "--target", fields.target, "The entity it is to lead to")->type_name("ID");
  for (const bool starts : {true, false}) {
    text_option(retarget, starts ? "--valid-from" : "--valid-to",
                starts ? fields.valid_from : fields.valid_to,
                std::string("When it is to ") + (starts ? "begin" : "stop") +
                    " holding; none opens that end")
        ->type_name("TIME|none");
  }
  add_revision(retarget, options, "Refuse when the row has moved on from this revision");
  add_request_id(retarget, options);
}

template <class Kind>
void add_reads(CLI::App& group, CommandLine& line, const Shape& shape) {
  const std::string call = "holdfast " + shape.kind + " ";
  auto& get = add_command(group, line, "get", "Show one, live or deleted", &RowCommands<Kind>::get,
                          call + "get " + kId);
  add_id(get, line.options, shape);
  text_option(get, "--as-of", line.options.as_of,
              "As it was when the space's history had come to a sequence, or at a time")
      ->type_name("SEQ|TIME");
  add_expect(get, line.options);
  get.get_option("--expect")->excludes(get.get_option("--as-of"));
  auto& list = add_command(group, line, "list", "List the " + shape.plural + ", page by page",
                           &RowCommands<Kind>::list, call + shape.list_example);
  add_filters(list, line.options, shape);
  add_expect(list, line.options);
  auto& history = add_command(group, line, "history", "Show every change of one, oldest first",
                              &RowCommands<Kind>::history, call + "history " + kId);
  add_id(history, line.options, shape);
  add_page_options(history, line.options);
}

template <class Kind>
void add_kind(CLI::App& app, CommandLine& line, const Shape& shape, const std::string& help) {
  const std::string call = "holdfast " + shape.kind + " ";
  CLI::App& group = add_group(app, shape.kind, help, call + shape.list_example);
  add_create<Kind>(group, line, shape, call);
  add_changes<Kind>(group, line, shape, call);
  add_endings<Kind>(group, line, shape, call);
  add_own_commands(group, line, shape);
  add_reads<Kind>(group, line, shape);
}

}  // namespace

void add_conditions(CLI::App& app, FilterOptions& filter, bool have_tags) {
  if (have_tags) {
    repeated_option(app, "--tag-any", filter.tags_any,
                    "Only with one of these tags at least; repeat it");
    repeated_option(app, "--tag-all", filter.tags_all, "Only with all of these tags; repeat it");
  }
  repeated_option(
      app, "--where", filter.where,
           "Only where a property is so, such as '/born >= 1815', '/field = \"mathematics\"' or "
           "'/born exists'; a JSON pointer, then = != < <= > >= and a JSON scalar, or exists or "
           "absent; all must hold; repeat it")
      ->type_name("'POINTER OP VALUE'");
}

void add_times(CLI::App& app, FilterOptions& filter) {
  const auto time = [&](const char* name, std::optional<std::string>& into, const char* help) {
    text_option(app, name, into, help)->type_name("TIME");
  };
  time("--created-from", filter.created_from, "Created at this time or later");
  time("--created-to", filter.created_to, "Created before this time");
  time("--changed-from", filter.changed_from, "Last changed at this time or later");
  time("--changed-to", filter.changed_to, "Last changed before this time");
}

void add_row_commands(CLI::App& app, CommandLine& line) {
  add_kind<EntityKind>(app, line,
                       {.kind = "entity",
                        .plural = "entities",
                        .is_entity = true,
                        .create_example = "create --kind person --name Alice --tag friend "
                                          "--properties '{\"born\":1990}'",
                        .update_example =
                            std::string("update ") + kId + " --patch '{\"properties\":"
                                                           "{\"city\":\"Basel\",\"born\":null}}'",
                        .list_example = "list --kind person --name-prefix Al --limit 20"},
                       "Things that facts are about");
  add_kind<EdgeKind>(app, line,
                     {.kind = "edge",
                      .plural = "edges",
                      .is_edge = true,
                      .create_example = std::string("create --source ") + kId +
                                        " --relation \"lives in\" --target "
                                        "0197b0a2-8d2f-7c11-9a3e-1b5c7d9e0f20 "
                                        "--valid-from 2026-01-01T00:00:00Z",
                      .update_example =
                          std::string("update ") + kId + " --valid-to 2026-06-30T00:00:00Z",
                      .list_example = "list --relation \"lives in\" --valid-at "
                                      "2026-03-01T00:00:00Z"},
                     "Facts: source -relation-> target");
  add_kind<NoteKind>(app, line,
                     {.kind = "note",
                      .plural = "notes",
                      .is_note = true,
                      .create_example = std::string("create --kind observation --about ") + kId +
                                        " --content \"prefers tea\"",
                      .update_example = std::string("update ") + kId + " --content-file summary.md",
                      .list_example = std::string("list --about ") + kId},
                     "Text about something");
}

}  // namespace holdfast::cli
