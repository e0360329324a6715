#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

enum class Operation { write, truncate, sync, remove, read };

enum class FaultKind {
  crash,        ///< the operation does not happen and the process counts as dead
  torn_write,   ///< only the first sectors of a write reach the file, then as crash
  disk_full,    ///< a write gives SQLITE_FULL and changes nothing
  write_error,  ///< a write, truncation or removal gives its SQLITE_IOERR code, changes nothing
  sync_error,   ///< SQLITE_IOERR_FSYNC: nothing becomes durable, readers still see the change
  short_read,   ///< a read fills half of the buffer, zeros the rest, SQLITE_IOERR_SHORT_READ
  read_error,   ///< SQLITE_IOERR_READ
};

/// A failure to come. Only operations that suit the kind, and pass both filters, are counted.
struct Fault {
  /// Strikes at the nth such operation after arm(); 1 is the next. For a crash without filters,
  /// armed on a fresh disk, this is the count of CrashDisk::operations().
  long at = 1;
  FaultKind kind = FaultKind::crash;
  bool lasting = false;              ///< strikes at every later such operation too
  std::optional<Operation> on = {};  ///< strikes only at this operation
  std::string suffix = {};           ///< strikes only files whose name ends so, as "-wal"
};

/// The armed faults and how far each has counted. Thread safety: none.
class FaultPlan {
 public:
  void arm(const Fault& fault) { armed_.push_back({fault, 0}); }
  void disarm() { armed_.clear(); }
  /// Counts the operation against every armed fault; the first one that strikes decides.
  [[nodiscard]] std::optional<FaultKind> strike(Operation operation, std::string_view name);
  [[nodiscard]] long struck() const { return struck_; }

 private:
  struct Armed {
    Fault fault;
    long seen;
  };
  std::vector<Armed> armed_;
  long struck_ = 0;
};

}  // namespace holdfast::test
