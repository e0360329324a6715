#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <holdfast/space/store.h>

#include "location.h"
#include "options.h"

namespace holdfast::cli {

/// One run of the program: the database it is about, opened when first asked for, and the way its
/// answer is written.
class Session {
 public:
  explicit Session(const GlobalOptions& options) : options_(options) {}

  const Location& location();
  /// Throws NotFound when there is no database: only create_store() makes one, so that a mistyped
  /// path is an error.
  Store& store();
  /// The same for a command that only reads: where the file or its folder cannot be written, the
  /// database is opened read-only.
  Store& reader();
  Store& create_store();
  /// The space that the command line names, written to by the actor it names.
  Space space();
  /// The same, with `otherwise` in place of the default actor.
  Space space(std::string_view otherwise);
  /// The same for a command that only reads.
  Space reading_space();
  std::string actor() const;

  bool json() const { return options_.json; }
  /// Writes what was asked for to stdout, with a line end behind it. Throws when it cannot:
  /// Unavailable, or a silent Refused when the reader went away, having seen enough.
  void print(std::string_view answer);
  /// The same as it is: a piece of an answer that comes bit by bit.
  void write(std::string_view piece);
  /// The same for the answer of a write. Throws Unavailable, which says that the write was done.
  void confirm(std::string_view answer);

 private:
  const GlobalOptions& options_;
  std::optional<Location> location_;
  std::unique_ptr<Store> store_;
};

/// Whether the database's file or its folder refuses this user's writes, as on read-only media.
bool is_unwritable(const std::filesystem::path& file);

}  // namespace holdfast::cli
