#pragma once

#include <string>
#include <string_view>

#include <holdfast/core/environment.h>
#include <holdfast/core/revision.h>
#include <holdfast/storage/transaction.h>

namespace holdfast::journal {

/// Who writes, and where; the same for every change of one write.
struct WriteContext {
  std::string space;
  std::string actor;
  std::string request_id;
  core::Environment& environment;
};

/// One write's hold on its space's line of history: locks the space's row, hands out sequences,
/// appends one event for each change. Made and finished by in_space().
/// Thread safety: none; lives within one write transaction.
class Appender {
 public:
  /// Throws NotFound when there is no such space.
  Appender(storage::Transaction& transaction, const WriteContext& context);

  storage::Transaction& transaction() { return transaction_; }
  const std::string& space() const { return context_.space; }
  const std::string& request_id() const { return context_.request_id; }
  core::Environment& environment() { return context_.environment; }
  /// The time of this write: the clock, or the space's last time when the clock is behind it.
  Timestamp at() const { return at_; }
  /// The clock as this write found it, which may be behind at(). Revisions come from it: one write
  /// under a clock that is far ahead must not draw every later one after it.
  Timestamp now() const { return now_; }
  /// The sequence that the next append() will take, for the row that is written beside it.
  Sequence next_seq() const { return last_seq_ + 1; }
  /// The space's settings, as stored.
  const std::string& settings() const { return settings_; }

  enum class Stream {
    begins,     ///< the row did not exist before
    continues,  ///< it has events already
  };
  struct Change {
    std::string_view kind;
    Uuid id;
    std::string_view op;
    std::string body;
    Stream stream = Stream::continues;
  };
  Sequence append(const Change& change);
  /// Stores where the space's line now ends. in_space() calls it.
  void finish();

 private:
  struct Previous {
    Sequence seq = 0;
    Sequence stream_seq = 0;
  };
  Previous last_of_stream(const Change& change);

  storage::Transaction& transaction_;
  const WriteContext& context_;
  Sequence first_seq_ = 0;
  Sequence last_seq_ = 0;
  Timestamp now_;
  Timestamp at_;
  std::string settings_;
};

/// Runs `change(Appender&)` on the space's line of history. What it returns is returned.
template <class Change>
auto in_space(storage::Transaction& transaction, const WriteContext& context, Change change) {
  Appender appender(transaction, context);
  auto answer = change(appender);
  appender.finish();
  return answer;
}

}  // namespace holdfast::journal
