#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace holdfast {

/// A UUID (RFC 9562), 16 bytes in network order. Text form: 36 characters, lower case.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Uuid&) const = default;
  bool is_nil() const { return *this == Uuid{}; }
};

std::string to_string(const Uuid& id);
/// Accepts the 36-character form in either case. Throws InvalidArgument naming `field`.
Uuid parse_uuid(std::string_view field, std::string_view text);
/// UUIDv5: SHA-1 of the namespace and the name; the same input gives the same id everywhere.
Uuid uuid_v5(const Uuid& name_space, std::string_view name);

/// Names one row of one kind for the life of the database; made by the client, never reused.
template <class Tag>
struct Id {
  Uuid uuid;
  auto operator<=>(const Id&) const = default;
  static Id parse(std::string_view field, std::string_view text) {
    return Id{parse_uuid(field, text)};
  }
};
template <class Tag>
std::string to_string(const Id<Tag>& id) {
  return to_string(id.uuid);
}

using EntityId = Id<struct EntityTag>;
using EdgeId = Id<struct EdgeTag>;
using NoteId = Id<struct NoteTag>;
using RelationId = Id<struct RelationTag>;

namespace core {

class Clock;

/// The only source of fresh ids. Thread safety: any thread.
class IdSource {
 public:
  virtual ~IdSource() = default;
  virtual Uuid next() = 0;
};

/// UUIDv7: milliseconds, then random bits from the operating system's generator; increases within
/// one source even when the clock does not.
std::unique_ptr<IdSource> make_uuid_v7_source(Clock& clock);
/// UUIDv7 shape with random bits from a seed, so that a run can be repeated.
std::unique_ptr<IdSource> make_seeded_id_source(Clock& clock, std::uint64_t seed);

}  // namespace core
}  // namespace holdfast

template <>
struct std::hash<holdfast::Uuid> {
  std::size_t operator()(const holdfast::Uuid& id) const noexcept;
};
template <class Tag>
struct std::hash<holdfast::Id<Tag>> {
  std::size_t operator()(const holdfast::Id<Tag>& id) const noexcept {
    return std::hash<holdfast::Uuid>{}(id.uuid);
  }
};
