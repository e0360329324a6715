#pragma once

#include <set>
#include <string>
#include <variant>

#include <holdfast/notes/note_store.h>
#include <holdfast/space/list_request.h>
#include <holdfast/storage/transaction.h>

namespace holdfast {

/// What a request answers at one instant. `NotFound` is an answer too: that of a filter which
/// names an entity that never was.
struct ListAnswer {
  std::variant<std::monostate, std::uint64_t, Page<Entity>, Page<Edge>, Page<Note>> found;
  std::string missing;  ///< with std::monostate: the id of the entity that is not there

  /// SHA-256 as hexadecimal over all of the answer: of each row its seen_form(), their order,
  /// whether more follow and how many.
  std::string digest(const std::set<Uuid>& written = {}) const;
};

/// A row as a digest covers it: id, revision, deletion mark and, of a note, whether what it is
/// about is deleted; of one in `written`, whose revision and times will be others, all that it
/// holds besides.
std::string seen_form(const Entity& row, const std::set<Uuid>& written);
std::string seen_form(const Edge& row, const std::set<Uuid>& written);
std::string seen_form(const Note& row, const std::set<Uuid>& written);
std::string digest_of(const std::string& text);

ListAnswer answer_of(storage::Transaction& transaction, std::string_view space,
                     const notes::NoteStore& notes, const ListRequest& request);

}  // namespace holdfast
