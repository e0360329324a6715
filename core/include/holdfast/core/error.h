#pragma once

// Thread safety: values and functions without state; any thread.

#include <stdexcept>
#include <string>
#include <utility>

namespace holdfast {

/// Base of every exception the library throws on purpose. Expected answers (a conflict, a missing
/// row) are values; an exception means that the caller's input, the environment or a spent retry
/// budget stopped the call. None leaves a half-done change.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  /// Stable machine-readable name of the kind, as printed by `--json`.
  virtual const char* code() const noexcept = 0;
};

/// Input that breaks a rule. Names the field, what it held and the rule.
class InvalidArgument : public Error {
 public:
  /// `value` is shortened to 80 bytes, with `?` for what cannot be printed; `rule` reads on from
  /// "must", as in "be 1 to 1,024 bytes".
  InvalidArgument(std::string field, std::string value, std::string rule);
  const char* code() const noexcept override { return "invalid_argument"; }
  const std::string& field() const noexcept { return field_; }
  const std::string& value() const noexcept { return value_; }
  const std::string& rule() const noexcept { return rule_; }

 private:
  std::string field_;
  std::string value_;
  std::string rule_;
};

/// A lock was held elsewhere for the whole busy limit. Nothing was written; trying again is safe.
class Busy : public Error {
 public:
  using Error::Error;
  const char* code() const noexcept override { return "busy"; }
};

/// The disk, or a limit of the store, is full. Nothing of this call was written.
class Full : public Error {
 public:
  using Error::Error;
  const char* code() const noexcept override { return "full"; }
};

/// The database file failed a check. Stop writing; run `verify`; restore a backup.
class Corrupt : public Error {
 public:
  using Error::Error;
  const char* code() const noexcept override { return "corrupt"; }
};

/// The environment refused: an I/O error, a missing file, no permission, a read older than allowed.
class Unavailable : public Error {
 public:
  using Error::Error;
  const char* code() const noexcept override { return "unavailable"; }
};

/// The file or the request needs something this build does not have.
class Unsupported : public Error {
 public:
  using Error::Error;
  const char* code() const noexcept override { return "unsupported"; }
};

/// A write lost its race more often than its retry budget allows.
class Conflict : public Error {
 public:
  using Error::Error;
  const char* code() const noexcept override { return "conflict"; }
};

/// A row, space or file that the call names does not exist.
class NotFound : public Error {
 public:
  /// `what` names the kind of thing ("entity"), `id` the one that was asked for.
  NotFound(std::string what, std::string id);
  const char* code() const noexcept override { return "not_found"; }
  const std::string& kind() const noexcept { return what_; }
  const std::string& id() const noexcept { return id_; }

 private:
  std::string what_;
  std::string id_;
};

/// What is asked for was here and is kept no longer: a stored answer past its retention, a row that
/// was purged.
class Gone : public Error {
 public:
  using Error::Error;
  const char* code() const noexcept override { return "gone"; }
};

/// The commit failed in a way that may or may not have kept the change. The store refuses further
/// writes until it knows; reading the row's history for `request_id()` then settles the question.
class OutcomeUnknown : public Error {
 public:
  OutcomeUnknown(const std::string& message, std::string request_id)
      : Error(message), request_id_(std::move(request_id)) {}
  const char* code() const noexcept override { return "outcome_unknown"; }
  const std::string& request_id() const noexcept { return request_id_; }

 private:
  std::string request_id_;
};

}  // namespace holdfast
