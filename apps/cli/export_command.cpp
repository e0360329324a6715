#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <holdfast/core/error.h>
#include <holdfast/core/json_text.h>
#include <holdfast/exchange/export.h>

#include "commands.h"
#include "failure.h"
#include "folders.h"
#include "interrupt.h"
#include "progress.h"
#include "session.h"
#include "text.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

/// A new file that is removed again unless it was finished.
class NewFile {
 public:
  explicit NewFile(fs::path path) : path_(std::move(path)) {
    file_.reset(std::fopen(path_.c_str(), "wbx"));
    if (file_) return;
    if (errno == EEXIST) throw InvalidArgument("file", path_.string(), "not exist yet");
    throw Unavailable("cannot create " + path_.string() + ": " + std::strerror(errno));
  }
  ~NewFile() {
    if (!file_) return;
    file_.reset();
    unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view piece) {
    if (std::fwrite(piece.data(), 1, piece.size(), file_.get()) != piece.size()) fail();
  }
  void finish() {
    if (std::fflush(file_.get()) != 0 || fsync(fileno(file_.get())) != 0) fail();
    (void)std::fclose(file_.release());
  }

 private:
  [[noreturn]] void fail() const {
    const std::string message = "cannot write " + path_.string() + ": " + std::strerror(errno);
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) throw Full(message);
    throw Unavailable(message);
  }

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  fs::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

exchange::ExportReport run(Session& session, const Options& options,
                           const exchange::ExportSink& sink) {
  const exchange::ExportOptions asked{.tombstones = !options.exchange.no_tombstones,
                                      .history = options.exchange.history};
  const Interrupt interrupt;
  Progress progress("export", session.json());
  auto report = exchange::export_space(session.reader(), options.global.space, sink, asked,
                                       [&](const exchange::ExportProgress& now) {
                                         progress.update(now.done, now.total);
                                         return interrupt.signal() == 0;
                                       });
  progress.finish();
  if (!report.complete) {
    stop_for(interrupt.signal(), "stopped; what was written is not whole, and no import takes it");
  }
  return report;
}

std::string report_json(const std::string& path, const exchange::ExportReport& report) {
  return core::JsonWriter()
      .raw("path", json_string(path))
      .unsigned_integer("relations", report.relations)
      .unsigned_integer("entities", report.entities)
      .unsigned_integer("notes", report.notes)
      .unsigned_integer("edges", report.edges)
      .unsigned_integer("scheduled_events", report.scheduled_events)
      .unsigned_integer("events", report.events)
      .unsigned_integer("tombstones", report.tombstones)
      .unsigned_integer("left_out", report.left_out)
      .unsigned_integer("bytes", report.bytes)
      .finish();
}

std::string report_text(const std::string& path, const exchange::ExportReport& report) {
  const std::string what = report.events > 0
                               ? counted(report.events, "event", "events")
                               : counted(report.entities, "entity", "entities") + ", " +
                                     counted(report.edges, "edge", "edges") + ", " +
                                     counted(report.scheduled_events, "scheduled event",
                                             "scheduled events") + ", " +
                                     counted(report.notes, "note", "notes") + " and " +
                                     counted(report.relations, "relation", "relations");
  std::string out =
      "exported " + what + ", " + grouped(report.bytes) + " bytes, to " + printable(path) + "\n";
  if (report.tombstones > 0) out += "  deleted ones among them: " + grouped(report.tombstones);
  if (report.left_out > 0) out += "  deleted ones left out: " + grouped(report.left_out);
  return out;
}

}  // namespace

void export_rows(Session& session, const Options& options) {
  if (options.file.empty() || options.file == "-") {
    if (session.json()) refuse_usage("--json tells of an export into a file; name one");
    (void)run(session, options, [&](std::string_view piece) { session.write(piece); });
    return;
  }
  // Before the file is made: a wrong space leaves none behind.
  (void)session.reading_space();
  const fs::path path = fs::absolute(options.file).lexically_normal();
  make_private_folders(path);
  NewFile file(path);
  const auto report = run(session, options, [&](std::string_view piece) { file.write(piece); });
  file.finish();
  session.confirm(session.json() ? report_json(path.string(), report)
                                 : report_text(path.string(), report));
}

}  // namespace holdfast::cli
