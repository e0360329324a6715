#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <holdfast/space/space.h>

/// What clients read, as text: from the store, and from a plain replay of its journal.
namespace holdfast::test {

enum class What {
  row_to_write,  ///< an entity that the client then changes
  row,
  liveness,      ///< whether an entity is deleted, and nothing else of it
  absence,       ///< an entity that may not be there yet
  edge,
  note,
  note_key,
  key,
  neighbors,
  page,
  count,
};

struct Read {
  What what = What::row;
  Uuid id{};
  std::string text{};  ///< a key, or the kind that is listed
};

/// What a client was told.
struct Seen {
  Read read;
  std::string answer;
  std::size_t after = 0;  ///< of its own changes
};

std::string form(const Entity& row);
std::string form(const Edge& row);
std::string form(const Note& row);

/// Asks a Transaction.
std::string ask(Transaction& reader, const Read& read);
/// Asks around it: what this finds, nothing tracks.
std::string ask(const Space& reader, const Read& read);

/// The rows of a space as its journal tells them.
class Replay {
 public:
  void apply(const Event& event);
  std::string answer(const Read& read) const;

 private:
  std::string note_form(const Note& note) const;

  std::map<Uuid, Entity> entities_;
  std::map<Uuid, Edge> edges_;
  std::map<Uuid, Note> notes_;
};

}  // namespace holdfast::test
