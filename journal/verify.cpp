#include <holdfast/journal/verify.h>

#include <limits>

#include <holdfast/journal/journal.h>
#include <holdfast/journal/space_store.h>

namespace holdfast::journal {
namespace {

constexpr std::size_t kFindingsMax = 1000;
constexpr std::uint64_t kProgressEvery = 5000;
constexpr std::size_t kEventsAtOnce = 1000;

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
    check_events(end);
    for (const Source& source : registry_.sources()) {
      check_rows(source);
      if (source.check) {
        source.check(transaction_, state_.space,
                     [this](Finding finding) { found(std::move(finding)); });
      }
    }
    ++report_.spaces;
    if (progress_) progress_(state_);
  }

 private:
  void found(Finding finding) {
    ++report_.findings_total;
    if (report_.findings.size() < kFindingsMax) report_.findings.push_back(std::move(finding));
  }
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
        check_link(event);
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

  void check_link(const Event& event) {
    const std::string name = event.kind + " " + to_string(event.id) + " at sequence " +
                             std::to_string(event.seq);
    if (event.prev_seq == 0) {
      if (event.stream_seq != 1) found("stream.root", name + " is a root but not the first");
      if (!registry_.knows(event.kind)) {
        found("journal.kind", name + " is of a kind that no store here has");
      } else if (!registry_.probe(transaction_, state_.space, event.kind, event.id)) {
        found("row.missing", name + " has no row");
      }
      return;
    }
    auto select = transaction_.prepare(
        "SELECT kind, id, stream_seq FROM events WHERE space = $1 AND seq = $2");
    select.bind(state_.space, event.prev_seq);
    if (!select.step() || select.get<std::string_view>(0) != event.kind ||
        select.get<Uuid>(1) != event.id || select.get<Sequence>(2) + 1 != event.stream_seq) {
      found("stream.link", name + " names a predecessor that is not one");
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
};

}  // namespace

VerifyReport verify(storage::Transaction& transaction, const Registry& registry,
                    const std::function<void(const VerifyProgress&)>& progress) {
  VerifyReport report;
  for (const std::string& space : SpaceStore::names(transaction)) {
    SpaceCheck(transaction, registry, report, progress, space).run();
  }
  return report;
}

}  // namespace holdfast::journal
