#include "commands.h"
#include "parser.h"

namespace holdfast::cli {
namespace {

void add_query(CLI::App& app, SimilarFlags& flags) {
  text_option(app, "--text", flags.text, "A text, which the model's embedder makes a vector of");
  text_option(app, "--id", flags.id,
              "A row that has vectors, with its kind before it where two rows share an id")
      ->type_name("[KIND:]ID");
  text_option(app, "--vector", flags.vector, "A vector of the model's")->type_name("[X,...]");
  text_option(app, "--vector-file", flags.vector_file, "The same from a file, or from stdin (-)")
      ->type_name("FILE|-");
  text_option(app, "--generation", flags.generation,
              "That made the vector: refused when another serves")
      ->type_name("N");
}

void add_filters(CLI::App& app, Options& options) {
  FilterOptions& filter = options.filter;
  choice_option(app, "--rows", options.similar.rows, "Only rows of this sort",
                {"entity", "note"});
  text_option(app, "--kind", filter.kind, "Only entities and notes of this kind");
  text_option(app, "--name", filter.name, "Only entities of this name, exactly");
  text_option(app, "--name-prefix", filter.name_prefix, "Only entities whose name begins so");
  text_option(app, "--key", filter.key, "Only the note with this key");
  text_option(app, "--key-prefix", filter.key_prefix, "Only notes whose key begins so");
  text_option(app, "--about", filter.about, "Only notes about this entity")->type_name("ID");
  app.add_flag("--include-expired", filter.include_expired, "Also notes past their time");
  add_conditions(app, filter, true);
  add_times(app, filter);
  repeated_option(app, "--ids", options.similar.ids, "Only rows with one of these ids; repeat it")
      ->type_name("ID");
}

}  // namespace

void add_similar_command(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  SimilarFlags& flags = options.similar;
  auto& similar = add_command(
      app, line, "similar",
      "Find the rows whose texts are nearest to a text, a row or a vector, as of now",
      &find_similar, "holdfast similar --text \"how do we deploy\" -k 5 --tag-any runbook");
  add_query(similar, flags);
  text_option(similar, "--model", flags.model, "The model; the default when absent")
      ->type_name("NAME");
  text_option(similar, "-k,--top", flags.k, "So many, 1 to 1,000 (default 10)")->type_name("N");
  text_option(similar, "--ef", flags.ef,
              "Candidates of the search, up to 10,000: more find more of what is nearest")
      ->type_name("N");
  similar.add_flag("--exact", flags.exact, "Compare every vector that may be answered");
  add_filters(similar, options);
  similar.add_option("--stale", flags.stale, "What to do with rows whose text has changed since")
      ->check(CLI::IsMember({"exclude", "flag", "only"}))
      ->type_name("WHICH")
      ->capture_default_str();
}

}  // namespace holdfast::cli
