#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <holdfast/core/clock.h>
#include <holdfast/core/id.h>
#include <holdfast/core/revision.h>

namespace holdfast::storage {

enum class Type { integer, real, text, blob };

/// One compiled statement of one backend. Parameters are named $1, $2, ... wherever they stand in
/// the text. Bound text and blobs are copied.
class PreparedStatement {
 public:
  virtual ~PreparedStatement() = default;
  virtual int parameters() const = 0;
  virtual void bind_integer(int parameter, std::int64_t value) = 0;
  virtual void bind_real(int parameter, double value) = 0;
  virtual void bind_text(int parameter, std::string_view value) = 0;
  virtual void bind_blob(int parameter, std::span<const std::uint8_t> value) = 0;
  virtual void bind_null(int parameter, Type type) = 0;
  /// True while there is a row; only false means that the statement has done its work.
  virtual bool step() = 0;
  /// Rows that the finished INSERT, UPDATE or DELETE touched.
  virtual std::int64_t affected() const = 0;
  virtual void reset() noexcept = 0;

  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  virtual std::string_view text(int column) const = 0;  ///< valid until the next step
  virtual std::span<const std::uint8_t> blob(int column) const = 0;
};

/// Binds a C++ value as its one SQL type; an absent optional is a null of that type.
inline void bind_value(PreparedStatement& to, int at, std::int64_t value) {
  to.bind_integer(at, value);
}
inline void bind_value(PreparedStatement& to, int at, int value) { to.bind_integer(at, value); }
inline void bind_value(PreparedStatement& to, int at, bool value) {
  to.bind_integer(at, value ? 1 : 0);
}
/// Sequences and counts; throws InvalidArgument beyond signed 64 bits.
void bind_value(PreparedStatement& to, int at, std::uint64_t value);
inline void bind_value(PreparedStatement& to, int at, double value) { to.bind_real(at, value); }
inline void bind_value(PreparedStatement& to, int at, std::string_view value) {
  to.bind_text(at, value);
}
inline void bind_value(PreparedStatement& to, int at, const std::string& value) {
  to.bind_text(at, value);
}
inline void bind_value(PreparedStatement& to, int at, const char* value) {
  to.bind_text(at, value);
}
inline void bind_value(PreparedStatement& to, int at, const Uuid& value) {
  to.bind_blob(at, value.bytes);
}
template <class Tag>
void bind_value(PreparedStatement& to, int at, const Id<Tag>& value) {
  to.bind_blob(at, value.uuid.bytes);
}
inline void bind_value(PreparedStatement& to, int at, Revision value) {
  to.bind_integer(at, value.us);
}
inline void bind_value(PreparedStatement& to, int at, Timestamp value) {
  to.bind_integer(at, to_us(value));
}

/// Bytes that are no id, such as a digest.
using Blob = std::span<const std::uint8_t>;
inline void bind_value(PreparedStatement& to, int at, Blob value) { to.bind_blob(at, value); }

template <class T>
inline constexpr Type kTypeOf = Type::integer;
template <>
inline constexpr Type kTypeOf<double> = Type::real;
template <>
inline constexpr Type kTypeOf<std::string> = Type::text;
template <>
inline constexpr Type kTypeOf<std::string_view> = Type::text;
template <>
inline constexpr Type kTypeOf<Uuid> = Type::blob;
template <class Tag>
inline constexpr Type kTypeOf<Id<Tag>> = Type::blob;

template <class T>
void bind_value(PreparedStatement& to, int at, const std::optional<T>& value) {
  if (value) {
    bind_value(to, at, *value);
  } else {
    to.bind_null(at, kTypeOf<T>);
  }
}

/// The current row of a statement. get<T> throws Corrupt when the stored value cannot be a T: a
/// negative sequence, an id of the wrong length.
class Row {
 public:
  explicit Row(const PreparedStatement& statement) : statement_(&statement) {}
  template <class T>
  T get(int column) const {
    return Reader<T>::read(*statement_, column);
  }
  bool is_null(int column) const { return statement_->is_null(column); }

 private:
  template <class T>
  struct Reader;
  const PreparedStatement* statement_;
};

/// Throws Corrupt when a stored sequence is negative or a stored id is not 16 bytes.
Sequence read_sequence(const PreparedStatement& from, int column);
Uuid read_uuid(const PreparedStatement& from, int column);

template <>
struct Row::Reader<std::int64_t> {
  static std::int64_t read(const PreparedStatement& from, int at) { return from.integer(at); }
};
template <>
struct Row::Reader<bool> {
  static bool read(const PreparedStatement& from, int at) { return from.integer(at) != 0; }
};
template <>
struct Row::Reader<Sequence> {
  static Sequence read(const PreparedStatement& from, int at) { return read_sequence(from, at); }
};
template <>
struct Row::Reader<double> {
  static double read(const PreparedStatement& from, int at) { return from.real(at); }
};
template <>
struct Row::Reader<std::string> {
  static std::string read(const PreparedStatement& from, int at) {
    return std::string(from.text(at));
  }
};
template <>
struct Row::Reader<std::string_view> {
  static std::string_view read(const PreparedStatement& from, int at) { return from.text(at); }
};
template <>
struct Row::Reader<Blob> {  ///< valid until the next step
  static Blob read(const PreparedStatement& from, int at) { return from.blob(at); }
};
template <>
struct Row::Reader<Uuid> {
  static Uuid read(const PreparedStatement& from, int at) { return read_uuid(from, at); }
};
template <class Tag>
struct Row::Reader<Id<Tag>> {
  static Id<Tag> read(const PreparedStatement& from, int at) { return {read_uuid(from, at)}; }
};
template <>
struct Row::Reader<Revision> {
  static Revision read(const PreparedStatement& from, int at) { return {from.integer(at)}; }
};
template <>
struct Row::Reader<Timestamp> {
  static Timestamp read(const PreparedStatement& from, int at) {
    return from_us(from.integer(at));
  }
};
template <class T>
struct Row::Reader<std::optional<T>> {
  static std::optional<T> read(const PreparedStatement& from, int at) {
    if (from.is_null(at)) return std::nullopt;
    return Reader<T>::read(from, at);
  }
};

/// Compiled statements of one connection, kept for reuse. One text may be in use several times at
/// once. Thread safety: that of its connection, one thread at a time.
class StatementCache;

/// A use of a cached statement: bind, step, read; going out of scope hands it back. Must not
/// outlive its transaction.
class Statement {
 public:
  /// `before_step`, when there is one, may refuse the next step by throwing.
  Statement(StatementCache& home, std::string_view sql, const std::function<void()>* before_step);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds $1, $2, ... in order; the number of values must be the statement's.
  template <class... Values>
  Statement& bind(const Values&... values) {
    require_parameters(sizeof...(Values));
    int at = 0;
    (bind_value(*prepared_, ++at, values), ...);
    return *this;
  }
  template <class Value>
  Statement& bind_at(int parameter, const Value& value) {
    bind_value(*prepared_, parameter, value);
    return *this;
  }
  /// True while there is a row to read.
  bool step();
  /// The same for rows behind the first that are few or cheap: does not ask the clock whether the
  /// transaction has grown too old, which step() does.
  bool step_on() { return prepared_->step(); }
  /// Runs to the end and returns the number of rows inserted, updated or deleted.
  std::int64_t run();
  /// Makes the statement ready to be bound and run again.
  void reset() { prepared_->reset(); }

  Row row() const { return Row(*prepared_); }
  template <class T>
  T get(int column) const {
    return row().get<T>(column);
  }

 private:
  void require_parameters(std::size_t given) const;

  StatementCache& home_;
  std::unique_ptr<PreparedStatement> prepared_;
  std::string_view sql_;
  const std::function<void()>* before_step_;
};

}  // namespace holdfast::storage
