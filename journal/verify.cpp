#include <holdfast/journal/verify.h>

#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection.h>
#include <holdfast/journal/projection_verify.h>
#include <holdfast/journal/row_body.h>
#include <holdfast/journal/space_store.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace holdfast::journal {
namespace {

constexpr std::size_t kFindingsMax = 1000;
constexpr std::uint64_t kProgressEvery = 5000;
constexpr std::size_t kEventsAtOnce = 1000;

struct Op {
  std::string_view name;  ///< frozen: part of the file format
  std::optional<bool> leaves_deleted;  ///< absent: as it was before
};
constexpr std::array kOps = {Op{"create", false}, Op{"create_deleted", true},
                             Op{"replace", std::nullopt},
                             Op{"delete", true}, Op{"restore", false}, Op{"hand_over", true},
                             Op{"retarget", false}, Op{"absorb", true},
                             Op{"purge", std::nullopt},
                             // What the scheduler makes of a live event.
                             Op{"fire", false}, Op{"rearm", false}, Op{"miss", false},
                             Op{"fail", false}};

/// The fields of a body that tie it to its event and to the body before.
struct Body {
  std::string id;
  std::optional<std::int64_t> revision;
  std::optional<std::int64_t> created_at;
  std::optional<std::int64_t> deleted_at;
  bool has_deleted_at = false;  ///< null counts
};

/// Receives the events of one parse and stops it at anything but an object.
class BodyReader {
 public:
  bool null() {
    if (is_field("deleted_at")) body_.has_deleted_at = true;
    return inside();
  }
  bool boolean(bool) { return inside(); }
  bool number_integer(std::int64_t value) {
    if (is_field("revision")) body_.revision = value;
    if (is_field("created_at")) body_.created_at = value;
    if (is_field("deleted_at")) {
      body_.deleted_at = value;
      body_.has_deleted_at = true;
    }
    return inside();
  }
  bool number_unsigned(std::uint64_t value) {
    return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) &&
           number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(double, const std::string&) { return inside(); }
  bool string(const std::string& value) {
    if (is_field("id")) body_.id = value;
    return inside();
  }
  bool binary(const std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return ++depth_ > 0; }
  bool end_object() { return depth_-- > 0; }
  bool start_array(std::size_t) { return inside() && ++depth_ > 0; }
  bool end_array() { return depth_-- > 0; }
  bool key(const std::string& name) {
    if (depth_ == 1) field_ = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
    return false;
  }

  Body& body() { return body_; }

 private:
  bool inside() const { return depth_ > 0; }
  bool is_field(std::string_view name) const { return depth_ == 1 && field_ == name; }

  Body body_;
  std::string field_;  ///< the outermost object's last key
  int depth_ = 0;
};

/// Absent when the text is not a JSON object with the fields that every row has.
std::optional<Body> read_body(std::string_view text) {
  // The parser takes a NUL between tokens for the end of the text.
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  BodyReader reader;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) return std::nullopt;
  Body& body = reader.body();
  if (!body.revision || !body.created_at || !body.has_deleted_at) return std::nullopt;
  return std::move(body);
}

void add(VerifyReport& report, Finding finding) {
  ++report.findings_total;
  if (report.findings.size() < kFindingsMax) report.findings.push_back(std::move(finding));
}

/// Names the spaces of a table that `spaces` does not know, deleted ones included. Jumps from name
/// to name by the index, as a table has many rows and few spaces.
void check_spaces_of(storage::Transaction& transaction, std::string_view table,
                     VerifyReport& report) {
  const std::string from = " FROM " + std::string(table);
  const std::string sql =
      "WITH RECURSIVE names (space) AS (SELECT min(space)" + from +
      " UNION ALL SELECT (SELECT min(space)" + from + " AS t WHERE t.space > names.space)"
      " FROM names WHERE names.space IS NOT NULL)"
      " SELECT space FROM names WHERE space IS NOT NULL"
      " AND space NOT IN (SELECT space FROM spaces) ORDER BY space";
  auto select = transaction.prepare(sql);
  while (select.step()) {
    add(report, {.check = "space.missing",
                 .space = select.get<std::string>(0),
                 .detail = std::string(table) + " has rows of a space that is not there"});
  }
}

/// Checks one space within one snapshot.
class SpaceCheck {
 public:
  SpaceCheck(storage::Transaction& transaction, const Registry& registry, VerifyReport& report,
             const std::function<void(const VerifyProgress&)>& progress, std::string space)
      : transaction_(transaction), registry_(registry), report_(report), progress_(progress) {
    state_.space = std::move(space);
  }

  void run() {
    const Tail end = tail(transaction_, state_.space);
    state_.total = end.seq + count_rows();
    const auto findings = report_.findings_total;
    check_events(end);
    // Counted over the events: where these are broken it would say nothing more.
    if (report_.findings_total == findings) check_counts();
    for (const Source& source : registry_.sources()) {
      check_rows(source);
      if (source.check) {
        source.check(transaction_, state_.space,
                     [this](Finding finding) { found(std::move(finding)); });
      }
    }
    verify_projections(transaction_, registry_, state_.space, "",
                       [this](Finding finding) { found(std::move(finding)); });
    ++report_.spaces;
    if (progress_) progress_(state_);
  }

 private:
  void found(Finding finding) { add(report_, std::move(finding)); }
  void found(std::string check, std::string detail) {
    found(Finding{std::move(check), state_.space, std::move(detail)});
  }

  void advance() {
    ++state_.done;
    if (progress_ && state_.done % kProgressEvery == 0) progress_(state_);
  }

  std::uint64_t count_rows() {
    std::uint64_t rows = 0;
    for (const Source& source : registry_.sources()) {
      const std::string sql =
          "SELECT count(*) FROM " + std::string(source.table) + " WHERE space = $1";
      auto count = transaction_.prepare(sql);
      count.bind(state_.space);
      if (count.step()) rows += count.get<Sequence>(0);
    }
    return rows;
  }

  void check_events(const Tail& end) {
    Sequence last = 0;
    Timestamp last_at = from_us(std::numeric_limits<std::int64_t>::min());
    for (;;) {
      const auto events = read_after(transaction_, state_.space, last, kEventsAtOnce);
      if (events.empty()) break;
      for (const Event& event : events) {
        if (event.seq != last + 1) {
          found("journal.gap", "sequence " + std::to_string(event.seq) + " follows " +
                                   std::to_string(last));
        }
        if (event.at < last_at) {
          found("journal.time", "sequence " + std::to_string(event.seq) + " is dated before " +
                                    std::to_string(last));
        }
        check_event(event);
        last = event.seq;
        last_at = event.at;
        ++report_.events;
        advance();
      }
    }
    if (last != end.seq || (last > 0 && last_at != end.at)) {
      found("journal.tail", "the space says that it ends at " + std::to_string(end.seq) +
                                ", the journal at " + std::to_string(last));
    }
  }

  /// What the limits of a space are measured by.
  void check_counts() {
    auto select = transaction_.prepare(
        "SELECT row_count, body_bytes FROM spaces WHERE space = $1");
    select.bind(state_.space);
    if (!select.step()) return;
    const auto check = [this](const char* what, Sequence says, Sequence is) {
      if (says == is) return;
      found("space.counts", std::string("the space says that it has ") + std::to_string(says) +
                                " " + what + ", the journal has " + std::to_string(is));
    };
    check("rows", select.get<Sequence>(0), rows_begun_);
    check("bytes of bodies", select.get<Sequence>(1), body_bytes_);
  }

  void check_event(const Event& event) {
    const std::string name = event.kind + " " + to_string(event.id) + " at sequence " +
                             std::to_string(event.seq);
    const auto op = std::find_if(kOps.begin(), kOps.end(),
                                 [&](const Op& known) { return known.name == event.op; });
    if (op == kOps.end()) found("event.op", name + " did what no event does");
    const auto body = event.body ? read_body(*event.body) : std::nullopt;
    body_bytes_ += event.body ? event.body->size() : 0;
    if (event.prev_seq == 0 && event.kind != "space") ++rows_begun_;
    if (event.op == "purge") {
      check_purge(event, name);
    } else if (!event.body) {
      check_blank(event, name);
    } else if (!body || body->id != to_string(event.id)) {
      found("event.body", name + " has no body that is a row of this id");
    } else if (op != kOps.end() && op->leaves_deleted &&
               *op->leaves_deleted != body->deleted_at.has_value()) {
      found("event.body", name + " and its body disagree on whether the row is deleted");
    }
    if (event.prev_seq == 0) {
      check_root(event, name);
    } else {
      check_link(event, name, body);
    }
  }

  /// The last word on a row: nothing of it is left but its links.
  void check_purge(const Event& event, const std::string& name) {
    --rows_begun_;
    auto left = transaction_.prepare(
        "SELECT count(*) FROM events WHERE space = $1 AND kind = $2 AND id = $3"
        " AND (body IS NOT NULL OR stream_seq > $4)");
    left.bind(state_.space, event.kind, event.id, event.stream_seq);
    if (left.step() && left.get<Sequence>(0) != 0) {
      found("event.purge", name + " is a purge, yet bodies or later events of the row are there");
    }
    if (registry_.knows(event.kind) &&
        registry_.probe(transaction_, state_.space, event.kind, event.id)) {
      found("event.purge", name + " is a purge, yet the row is there");
    }
  }

  void check_blank(const Event& event, const std::string& name) {
    if (is_purged(transaction_, state_.space, event.kind, event.id)) return;
    found("event.body", name + " has no body though the row was not purged");
  }

  void check_root(const Event& event, const std::string& name) {
    if (event.stream_seq != 1) found("stream.root", name + " is a root but not the first");
    if (!registry_.knows(event.kind)) {
      found("journal.kind", name + " is of a kind that no store here has");
    } else if (!registry_.probe(transaction_, state_.space, event.kind, event.id) &&
               !is_purged(transaction_, state_.space, event.kind, event.id)) {
      found("row.missing", name + " has no row");
    }
  }

  void check_link(const Event& event, const std::string& name, const std::optional<Body>& body) {
    auto select = transaction_.prepare(
        "SELECT kind, id, stream_seq, body FROM events WHERE space = $1 AND seq = $2");
    select.bind(state_.space, event.prev_seq);
    if (!select.step() || select.get<std::string_view>(0) != event.kind ||
        select.get<Uuid>(1) != event.id || select.get<Sequence>(2) + 1 != event.stream_seq) {
      found("stream.link", name + " names a predecessor that is not one");
      return;
    }
    const auto text = select.get<std::optional<std::string_view>>(3);
    const auto before = text ? read_body(*text) : std::nullopt;
    if (!body || !before) return;  // found already, at the event whose body it is
    if (*body->revision <= *before->revision) {
      found("event.revision", name + " does not raise its predecessor's revision");
    }
    if (*body->created_at != *before->created_at) {
      found("event.body", name + " has another time of creation than its predecessor");
    }
  }

  void check_rows(const Source& source) {
    source.walk(transaction_, state_.space, [&](const StoredRow& row) {
      const std::string name = std::string(source.kind) + " " + to_string(row.id);
      const auto event = last_event(transaction_, state_.space, source.kind, row.id);
      if (!event) {
        found("row.unjournaled", name + " has no events");
      } else if (event->seq != row.seq) {
        found("row.sequence", name + " says sequence " + std::to_string(row.seq) +
                                  ", its journal " + std::to_string(event->seq));
      } else if (event->body != row.body) {
        found("row.body", name + " differs from the body of its last event, sequence " +
                              std::to_string(event->seq));
      }
      ++report_.rows;
      advance();
    });
  }

  storage::Transaction& transaction_;
  const Registry& registry_;
  VerifyReport& report_;
  const std::function<void(const VerifyProgress&)>& progress_;
  VerifyProgress state_;
  Sequence rows_begun_ = 0;
  Sequence body_bytes_ = 0;
};

}  // namespace

VerifyReport verify_space(storage::Transaction& transaction, const Registry& registry,
                          std::string_view space) {
  VerifyReport report;
  const std::function<void(const VerifyProgress&)> progress;
  SpaceCheck(transaction, registry, report, progress, std::string(space)).run();
  return report;
}

VerifyReport verify(storage::Transaction& transaction, const Registry& registry,
                    const std::function<void(const VerifyProgress&)>& progress) {
  VerifyReport report;
  // Tables of a space that are no source's.
  for (const std::string_view table : {"events", "requests", "leases", "projections",
                                       "projection_generations", "projection_versions",
                                       "projection_failures"}) {
    check_spaces_of(transaction, table, report);
  }
  for (const Projection* const projection : registry.projections()) {
    check_spaces_of(transaction, projection->table(), report);
    for (const auto table : projection->side_tables()) check_spaces_of(transaction, table, report);
  }
  for (const Source& source : registry.sources()) {
    check_spaces_of(transaction, source.table, report);
    if (source.derived) check_spaces_of(transaction, source.derived->table, report);
  }
  PageRequest page;
  for (;;) {
    const auto spaces = SpaceStore::names(transaction, page);
    for (const std::string& space : spaces.items) {
      SpaceCheck(transaction, registry, report, progress, space).run();
    }
    if (!spaces.next) break;
    page.cursor = *spaces.next;
  }
  return report;
}

}  // namespace holdfast::journal
