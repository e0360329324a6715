#include "commands.h"
#include "parser.h"

namespace holdfast::cli {
namespace {

CLI::Option* add_name(CLI::App& app, Options& options, const std::string& help) {
  return app.add_option("name", options.name, help)->type_name("NAME");
}

void number_option(CLI::App& app, const std::string& name, std::optional<std::string>& into,
                   const std::string& help) {
  text_option(app, name, into, help)->type_name("N");
}

/// How texts become vectors.
void add_declaration(CLI::App& app, ModelOptions& model) {
  choice_option(app, "--metric", model.metric, "How far two vectors are (cosine in a new model)",
                {"cosine", "ip", "l2"});
  choice_option(app, "--embedder", model.embedder,
                "Who makes vectors: the built-in one, which is lexical (hashing, in a new model), "
                "an OpenAI-compatible endpoint, or the caller, with its writes",
                {"hashing", "http", "caller"});
  text_option(app, "--url", model.url, "Of the endpoint, as in http://localhost:11434/v1")
      ->type_name("URL");
  text_option(app, "--embed-model", model.embed_model, "What the endpoint calls its model")
      ->type_name("NAME");
  text_option(app, "--key-env", model.key_env,
              "The environment variable that holds the endpoint's key, which is never stored")
      ->type_name("VARIABLE");
  text_option(app, "--timeout", model.timeout, "For one request, up to 600 (default 30)")
      ->type_name("SECONDS");
  app.add_flag("--send-dimension", model.send_dimension,
               "Ask the endpoint for vectors of this dimension");
  text_option(app, "--embedder-name", model.embedder_name,
              "Of the embedder that the embedding program brings")
      ->type_name("NAME");
  number_option(app, "--gram-min", model.gram_min,
                "Characters of the shortest parts of words that are hashed (default 3)");
  number_option(app, "--gram-max", model.gram_max,
                "Of the longest (default 5); 0, with --gram-min 0: whole words alone");
  repeated_option(app, "--source", model.sources,
                  "Rows that are embedded, and where in them the text is: entity, edge, note or "
                  "relation; repeat it (default entity:/name and note:/content)")
      ->type_name("KIND:/PATH,...");
  number_option(app, "--chunk-chars", model.chunk_chars,
                "Cut texts into chunks of up to so many characters; 0 (the default): do not");
  number_option(app, "--chunk-overlap", model.chunk_overlap,
                "Characters that a chunk repeats of the one before, up to half of it");
}

/// How vectors are indexed.
void add_parameters(CLI::App& app, ModelOptions& model) {
  choice_option(app, "--form", model.form,
                "What is held in memory: 8 bits a component (codes, in a new model) or floats",
                {"codes", "floats"});
  number_option(app, "--m", model.m, "Neighbours of a vector in the graph, 2 to 64 (default 16)");
  number_option(app, "--ef-construction", model.ef_construction,
                "Candidates for these, 1 to 10,000 (default 100)");
  number_option(app, "--ef", model.ef,
                "Candidates of a search that does not say, 1 to 10,000 (default 100)");
  number_option(app, "--exact-max", model.exact_max,
                "Up to so many vectors are compared one by one (default 4,096)");
}

void add_embedding(CLI::App& app, EmbedFlags& flags) {
  number_option(app, "--attempts", flags.attempts,
                "At one request, before the endpoint counts as down, 1 to 100 (default 5)");
  number_option(app, "--requests-per-minute", flags.requests_per_minute,
                "Evenly spaced; 0 (the default) sets no limit");
}

void add_model_group(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  CLI::App& group = add_group(app, "model", "How texts become vectors",
                              "holdfast model create words --dim 256");
  auto& create = add_command(
      group, line, "create",
      "Declare one, and embed what is there. Stopped, it goes on when it is run again",
      &create_model,
      "holdfast model create small --dim 1536 --embedder http --url https://api.openai.com/v1 "
      "--embed-model text-embedding-3-small --key-env OPENAI_API_KEY");
  add_name(create, options, "The model's name")->required();
  text_option(create, "--dim", options.model.dimension, "Components of a vector, 1 to 8,192")
      ->required()
      ->type_name("N");
  add_declaration(create, options.model);
  add_parameters(create, options.model);
  create.add_flag("--default", options.model.make_default,
                  "Make it the one that is meant when none is named, as the first is anyway");
  create.add_flag("--no-build", options.model.no_build,
                  "Declare it only; `index rebuild` builds it");
  add_embedding(create, options.embed);
  add_lease(create, options, "15");
  add_command(group, line, "list", "List them", &list_models, "holdfast model list");
  auto& show = add_command(group, line, "show", "Show how one is declared", &show_model,
                           "holdfast model show words");
  add_name(show, options, "The model's name")->required();
  auto& set_default = add_command(group, line, "default",
                                  "Make one the model that is meant when none is named",
                                  &make_default_model, "holdfast model default words");
  add_name(set_default, options, "The model's name")->required();
  auto& drop = add_command(group, line, "drop", "Take one back, with all its vectors", &drop_model,
                           "holdfast model drop words --yes");
  add_name(drop, options, "The model's name")->required();
  drop.add_flag("--yes", options.yes, "Yes, remove its vectors");
}

void add_rebuild(CLI::App& group, CommandLine& line) {
  Options& options = line.options;
  auto& rebuild = add_command(
      group, line, "rebuild",
      "Make a model's vectors anew, as it is declared or with what is said here, while the old "
      "ones serve, and swap the two. Stopped, it goes on when it is run again. New parameters of "
      "the index alone leave the vectors as they are",
      &rebuild_index, "holdfast index rebuild words --dim 512 --ef-construction 200");
  add_name(rebuild, options, "The model's name")->required();
  number_option(rebuild, "--dim", options.model.dimension, "Components of a vector, 1 to 8,192");
  add_declaration(rebuild, options.model);
  add_parameters(rebuild, options.model);
  rebuild.add_flag("--restart", options.projection.restart,
                   "Begin anew instead of going on with what was stopped");
  rebuild.add_flag("--anew", options.model.anew,
                   "Embed every text again, also where the vectors that serve are of the same "
                   "text and embedder");
  rebuild.add_flag("--allow-failures", options.model.allow_failures,
                   "Let the new vectors serve without those that cannot be made; they stay listed");
  add_embedding(rebuild, options.embed);
  add_lease(rebuild, options, "15");
}

void add_index_group(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  CLI::App& group = add_group(app, "index", "The vectors of a model, and the index over them",
                              "holdfast index status");
  auto& status = add_command(group, line, "status",
                             "Count exactly how far a model is, or all; reads every row",
                             &show_indexes, "holdfast index status words");
  add_name(status, options, "The model's name; all when absent");
  add_rebuild(group, line);
  auto& cancel = add_command(group, line, "cancel",
                             "Give up the vectors that are being made; those that serve stay",
                             &cancel_index, "holdfast index cancel words");
  add_name(cancel, options, "The model's name")->required();
  auto& verify = add_command(
      group, line, "verify",
      "Hold the index, and its file, against the rows, and search for vectors by themselves",
      &verify_index, "holdfast index verify words");
  add_name(verify, options, "The model's name; the default when absent");
  auto& compact = add_command(group, line, "compact",
                              "Fold changes into the index, write its file, remove old ones",
                              &compact_index, "holdfast index compact words");
  add_name(compact, options, "The model's name; the default when absent");
  auto& failures = add_command(
      group, line, "failures",
      "List the rows that cannot be embedded, and why; `embed --retry-failed` tries them again",
      &list_failures, "holdfast index failures words --limit 20");
  add_name(failures, options, "The model's name; the default when absent");
  number_option(failures, "--generation", options.embed.generation,
                "Of another generation than the one that serves");
  add_page_options(failures, options);
}

void add_embed_command(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  EmbedFlags& flags = options.embed;
  auto& embed = add_command(app, line, "embed",
                            "Make the vectors that rows wait for. One process at a time does so "
                            "for a model; others wait, with --watch, or are told who it is",
                            &cli::embed, "holdfast embed words --batch 256");
  add_name(embed, options, "The model's name; the default when absent");
  auto* watch = embed.add_flag("--watch", flags.watch, "Go on as rows change, until Ctrl-C");
  embed
      .add_flag("--retry-failed", flags.retry_failed,
                "Try again what could not be embedded, all of it or the rows named by --id")
      ->excludes(watch);
  repeated_option(embed, "--id", flags.ids, "Of a row that is tried again; repeat it")
      ->type_name("ID")
      ->needs("--retry-failed");
  add_embedding(embed, flags);
  add_lease(embed, options, "120");
}

}  // namespace

void add_model_commands(CLI::App& app, CommandLine& line) {
  add_model_group(app, line);
  add_index_group(app, line);
  add_embed_command(app, line);
}

}  // namespace holdfast::cli
