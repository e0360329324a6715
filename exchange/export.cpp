#include <holdfast/exchange/export.h>

#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <holdfast/core/error.h>
#include <holdfast/core/input.h>
#include <holdfast/core/json_text.h>

#include "jsonl_file.h"

namespace holdfast::exchange {
namespace {

constexpr std::size_t kPieceBytes = 64U << 10;
constexpr std::uint64_t kProgressEvery = 1000;
constexpr std::size_t kEventsAtOnce = 100;  // a body may have two MiB

struct Stopped {};

std::string words(const std::vector<std::string>& list) { return core::tags_to_json(list); }

std::vector<std::string> left_out(const ExportOptions& options) {
  std::vector<std::string> list = {"sequences", "request answers", "ids of relations"};
  if (options.history) {
    list.push_back("events of the space itself");
    list.push_back("contents of purged rows");
    return list;
  }
  list.push_back("history");
  list.push_back("purged rows");
  if (!options.tombstones) list.push_back("tombstones");
  return list;
}

/// A relation's body begins with its id, which depends on the space's name.
std::string_view without_id(std::string_view body) {
  constexpr std::size_t kIdBytes = std::string_view(R"("id":"",)").size() + 36;
  return body.substr(1 + kIdBytes);
}

class Export {
 public:
  Export(storage::Transaction& transaction, const std::string& space, const ExportSink& sink,
         const ExportOptions& options, const ExportControl& control)
      : transaction_(transaction),
        space_(space),
        sink_(sink),
        options_(options),
        control_(control) {}

  ExportReport run() {
    const auto row = journal::SpaceStore::find(transaction_, space_);
    if (!row || row->deleted_at) throw NotFound("space", space_);
    try {
      write_header(*row);
      options_.history ? write_events() : write_rows();
      write_end();
    } catch (const Stopped&) {
      report_.complete = false;
    }
    flush();
    return report_;
  }

 private:
  void write_header(const SpaceRow& row) {
    core::JsonWriter header;
    header.integer("holdfast_export", kFormatVersion)
        .string("space", space_)
        .raw("settings", to_json(read_settings(row.settings)).text())
        .boolean("tombstones", options_.history || options_.tombstones)
        .boolean("history", options_.history)
        .raw("left_out", words(left_out(options_)));
    write(header.finish());
    progress_.total = options_.history ? journal::tail(transaction_, space_).seq : count_rows();
  }

  std::uint64_t count_rows() {
    const auto count = [&]<class Store>(const Store& store) {
      typename Store::Filter all;
      all.deleted = options_.tombstones ? Deleted::include : Deleted::exclude;
      if constexpr (requires { all.include_expired; }) all.include_expired = true;
      return store.count(transaction_, space_, all);
    };
    return count(graph::EntityStore{}) + count(graph::EdgeStore{}) +
           count(notes::NoteStore(registry_)) + count(schedule::EventStore{});
  }

  void write_rows() {
    PageRequest page{.limit = 1000, .cursor = {}};
    for (bool is_more = true; is_more;) {
      const auto relations = graph::RelationStore::list(transaction_, space_, page);
      for (const Relation& relation : relations.items) {
        write_row("relation",
                  "{" + std::string(without_id(graph::RelationStore::body(relation))));
        ++report_.relations;
      }
      is_more = relations.next.has_value();
      if (is_more) page.cursor = *relations.next;
    }
    write_table(graph::EntityStore::source(), report_.entities);
    write_table(notes::NoteStore::source(), report_.notes);
    write_table(graph::EdgeStore::source(), report_.edges);
    write_table(schedule::EventStore::source(), report_.scheduled_events);
  }

  void write_table(const journal::Source& source, std::uint64_t& count) {
    source.walk(transaction_, space_, [&](const journal::StoredRow& row) {
      if (row.body.empty()) {
        throw Corrupt(std::string(source.kind) + " " + to_string(row.id) +
                      " cannot be read; verify says more");
      }
      const bool is_live = row.body.ends_with("\"deleted_at\":null}");
      if (!is_live && !options_.tombstones) {
        ++report_.left_out;
        return;
      }
      if (!is_live) ++report_.tombstones;
      ++count;
      write_row(source.kind, row.body);
    });
  }

  void write_events() {
    Sequence after = 0;
    for (;;) {
      const auto events = journal::read_after(transaction_, space_, after, kEventsAtOnce);
      if (events.empty()) return;
      for (const Event& event : events) {
        after = event.seq;
        if (event.kind != "space") write_event(event);
      }
    }
  }

  void write_event(const Event& event) {
    const bool is_relation = event.kind == "relation";
    core::JsonWriter out;
    out.string("kind", event.kind);
    is_relation ? out.null("id") : out.string("id", to_string(event.id));
    out.string("op", event.op)
        .integer("at", to_us(event.at))
        .string("actor", event.actor)
        .string("request_id", event.request_id);
    if (!event.body) {
      out.null("body");
    } else if (is_relation) {
      out.raw("body", "{" + std::string(without_id(*event.body)));
    } else {
      out.raw("body", *event.body);
    }
    ++report_.events;
    write_row("event", out.finish());
  }

  void write_end() {
    core::JsonWriter counts;
    if (options_.history) {
      counts.unsigned_integer("events", report_.events);
    } else {
      counts.unsigned_integer("relations", report_.relations)
          .unsigned_integer("entities", report_.entities)
          .unsigned_integer("notes", report_.notes)
          .unsigned_integer("edges", report_.edges);
      // Readers that know none take a file that has none.
      if (report_.scheduled_events > 0) {
        counts.unsigned_integer("scheduled_events", report_.scheduled_events);
      }
    }
    write("{\"end\":" + counts.finish() + "}");
  }

  void write_row(std::string_view kind, std::string_view body) {
    piece_.append("{\"").append(kind).append("\":").append(body);
    write("}");
    if (++progress_.done % kProgressEvery != 0) return;
    if (control_ && !control_(progress_)) throw Stopped{};
  }

  void write(std::string_view text) {
    piece_.append(text).append("\n");
    if (piece_.size() >= kPieceBytes) flush();
  }

  void flush() {
    report_.bytes += piece_.size();
    if (!piece_.empty()) sink_(piece_);
    piece_.clear();
  }

  storage::Transaction& transaction_;
  const std::string& space_;
  const ExportSink& sink_;
  const ExportOptions& options_;
  const ExportControl& control_;
  journal::Registry registry_;  // counting notes without a filter asks it nothing
  ExportProgress progress_;
  ExportReport report_;
  std::string piece_;
};

}  // namespace

ExportReport export_space(Store& store, std::string_view space, const ExportSink& sink,
                          const ExportOptions& options, const ExportControl& control) {
  const std::string name = core::check_space_name(space);
  const auto snapshot = store.database().snapshot(storage::ReaderAge::unbounded);
  return Export(snapshot->transaction(), name, sink, options, control).run();
}

ExportReport export_space(Store& store, std::string_view space, std::ostream& out,
                          const ExportOptions& options, const ExportControl& control) {
  const auto require_good = [&out] {
    if (!out) throw Unavailable("the export cannot be written: its stream has failed");
  };
  auto report = export_space(
      store, space,
      [&](std::string_view piece) {
        out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
        require_good();
      },
      options, control);
  out.flush();
  require_good();
  return report;
}

}  // namespace holdfast::exchange
