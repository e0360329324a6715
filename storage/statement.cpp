#include <holdfast/storage/statement.h>

#include <limits>
#include <stdexcept>

#include <holdfast/core/error.h>
#include <holdfast/storage/connection.h>

namespace holdfast::storage {

void bind_value(PreparedStatement& to, int at, std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw InvalidArgument("sequence", std::to_string(value), "be at most 9223372036854775807");
  }
  to.bind_integer(at, static_cast<std::int64_t>(value));
}

Sequence read_sequence(const PreparedStatement& from, int column) {
  const std::int64_t value = from.integer(column);
  if (value < 0) throw Corrupt("stored sequence " + std::to_string(value) + " is negative");
  return static_cast<Sequence>(value);
}

Uuid read_uuid(const PreparedStatement& from, int column) {
  const auto bytes = from.blob(column);
  Uuid id;
  if (bytes.size() != id.bytes.size()) {
    throw Corrupt("stored id has " + std::to_string(bytes.size()) + " bytes instead of 16");
  }
  std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
  return id;
}

std::unique_ptr<PreparedStatement> StatementCache::take(std::string_view sql) {
  const auto found = idle_.find(sql);
  if (found == idle_.end() || found->second.empty()) return compile_(sql);
  auto statement = std::move(found->second.back());
  found->second.pop_back();
  return statement;
}

void StatementCache::give_back(std::string_view sql,
                               std::unique_ptr<PreparedStatement> statement) {
  auto found = idle_.find(sql);
  if (found == idle_.end()) {
    if (idle_.size() >= kTextsMax) idle_.clear();
    found = idle_.emplace(std::string(sql), 0).first;
  }
  found->second.push_back(std::move(statement));
}

Statement::Statement(StatementCache& home, std::string_view sql,
                     const std::function<void()>* before_step)
    : home_(home), prepared_(home.take(sql)), sql_(sql), before_step_(before_step) {}

Statement::~Statement() {
  prepared_->reset();
  try {
    home_.give_back(sql_, std::move(prepared_));
  } catch (...) {
    // Out of memory: the statement is compiled again when it is next needed.
  }
}

bool Statement::step() {
  if (before_step_ != nullptr && *before_step_) (*before_step_)();
  return prepared_->step();
}

std::int64_t Statement::run() {
  while (step()) {
  }
  const std::int64_t affected = prepared_->affected();
  prepared_->reset();
  return affected;
}

void Statement::require_parameters(std::size_t given) const {
  if (static_cast<int>(given) != prepared_->parameters()) {
    throw std::logic_error("statement has " + std::to_string(prepared_->parameters()) +
                           " parameters, " + std::to_string(given) + " were bound: " +
                           std::string(sql_));
  }
}

}  // namespace holdfast::storage
