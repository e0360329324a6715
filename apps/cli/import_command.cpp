#include <filesystem>

#include "commands.h"
#include "failure.h"
#include "import_report.h"
#include "interrupt.h"
#include "progress.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

constexpr const char* kWordNetDirectory = "/usr/share/wordnet";

std::string source_of(const Options& options) {
  const std::string& format = options.exchange.format;
  if (options.exchange.mode && format != "jsonl") {
    refuse_usage("--mode is for --format jsonl alone; --on-conflict is for all");
  }
  if (options.exchange.source) return *options.exchange.source;
  if (format != "wordnet") refuse_usage("name the file to import");
  std::error_code ignored;
  if (std::filesystem::is_directory(kWordNetDirectory, ignored)) return kWordNetDirectory;
  refuse_usage(std::string("name the source's folder; there is no ") + kWordNetDirectory);
}

/// One import: shows how far it is, stops it at a signal, and prints what it did.
class Import {
 public:
  Import(Session& session, const Options& options, std::string source)
      : session_(session), options_(options), source_(std::move(source)) {}

  /// `read` calls the library: read(space, source, control).
  template <class Read>
  void run(std::string_view actor, Read read) {
    const Space space = session_.space(actor);
    const Interrupt interrupt;
    exchange::ImportProgress last;
    const auto report = [&] {
      Progress progress("import", session_.json());
      progress.note("reading " + source_);
      return read(space, source_, [&](const exchange::ImportProgress& now) {
        last = now;
        progress.update(now.done, now.total);
        // Asked to stop at the very end, it has nothing left to do.
        return interrupt.signal() == 0 || now.done == now.total;
      });
    }();
    session_.confirm(session_.json() ? to_json(report) : describe(report));
    if (report.complete) return;
    stop_for(interrupt.signal(),
             "stopped after " + grouped(last.done) + " of " + grouped(last.total) +
                 " rows, all of which are stored; run the same command again to go on",
             {{"done", std::to_string(last.done)}, {"total", std::to_string(last.total)}});
  }

  exchange::OnConflict on_conflict() const {
    return exchange::parse_on_conflict("on_conflict", options_.exchange.on_conflict);
  }
  exchange::ImportMode mode() const {
    return exchange::parse_import_mode("mode", options_.exchange.mode.value_or("fail"));
  }

 private:
  Session& session_;
  const Options& options_;
  std::string source_;
};

}  // namespace

void import_source(Session& session, const Options& options) {
  Import import(session, options, source_of(options));
  const std::string& format = options.exchange.format;
  using exchange::ImportControl;
  if (format == "wordnet") {
    import.run(exchange::kWordNetActor,
               [&](const Space& space, const std::string& source, const ImportControl& control) {
                 return exchange::import_wordnet(
                     space, source, exchange::WordNetOptions{.on_conflict = import.on_conflict()},
                     control);
               });
  } else if (format == "go") {
    import.run(exchange::kGoActor,
               [&](const Space& space, const std::string& source, const ImportControl& control) {
                 return exchange::import_go(space, source, {.on_conflict = import.on_conflict()},
                                            control);
               });
  } else if (format == "jsonl") {
    import.run(exchange::kJsonlActor,
               [&](const Space& space, const std::string& source, const ImportControl& control) {
                 return exchange::import_jsonl(
                     space, source,
                     {.mode = import.mode(), .on_conflict = import.on_conflict()}, control);
               });
  } else {
    import.run(exchange::kMcpMemoryActor,
               [&](const Space& space, const std::string& source, const ImportControl& control) {
                 return exchange::import_mcp_memory(
                     space, source, {.on_conflict = import.on_conflict()}, control);
               });
  }
}

}  // namespace holdfast::cli
