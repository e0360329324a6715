#include "list_answer.h"

#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>
#include <holdfast/graph/edge_store.h>
#include <holdfast/graph/entity_store.h>

namespace holdfast {
namespace {

struct Reader {
  storage::Transaction& transaction;
  std::string_view space;
  const notes::NoteStore& notes;
  const ListRequest& request;

  template <class Store, class Filter>
  ListAnswer of(const Store& store, const Filter& filter) const {
    if (request.is_count) return {.found = store.count(transaction, space, filter), .missing = ""};
    return {.found = store.list(transaction, space, filter, request.page), .missing = ""};
  }
  ListAnswer operator()(const EntityFilter& filter) const {
    return of(graph::EntityStore{}, filter);
  }
  ListAnswer operator()(const EdgeFilter& filter) const { return of(graph::EdgeStore{}, filter); }
  ListAnswer operator()(const NoteFilter& filter) const { return of(notes, filter); }
};

template <class Store>
std::string form_of(typename Store::Row row, const std::set<Uuid>& written, bool flag) {
  const std::string mark = row.deleted_at ? std::to_string(to_us(*row.deleted_at)) : "live";
  const std::string tail = flag ? " about_is_deleted\n" : "\n";
  if (!written.contains(row.id.uuid)) {
    return to_string(row.id) + " " + std::to_string(row.revision.us) + " " + mark + tail;
  }
  const bool is_deleted = row.deleted_at.has_value();
  row.created_at = {};
  row.revision = {};
  row.deleted_at.reset();
  return Store::body(row) + (is_deleted ? " deleted" : " live") + tail;
}

struct Text {
  const std::set<Uuid>& written;
  std::string operator()(std::monostate) const { return "not found"; }
  std::string operator()(std::uint64_t count) const { return "count " + std::to_string(count); }
  template <class Row>
  std::string operator()(const Page<Row>& page) const {
    std::string text = "page\n";
    for (const Row& row : page.items) text += seen_form(row, written);
    return text + (page.next ? "more " : "end ") + std::to_string(page.left_out) +
           (page.left_out_is_minimum ? "+" : "");
  }
};

}  // namespace

std::string seen_form(const Entity& row, const std::set<Uuid>& written) {
  return form_of<graph::EntityStore>(row, written, false);
}
std::string seen_form(const Edge& row, const std::set<Uuid>& written) {
  return form_of<graph::EdgeStore>(row, written, false);
}
std::string seen_form(const Note& row, const std::set<Uuid>& written) {
  return form_of<notes::NoteStore>(row, written, row.about_is_deleted);
}

std::string digest_of(const std::string& text) {
  const auto bytes = core::sha256(text);
  return core::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string ListAnswer::digest(const std::set<Uuid>& written) const {
  return digest_of(std::visit(Text{written}, found));
}

ListAnswer answer_of(storage::Transaction& transaction, std::string_view space,
                     const notes::NoteStore& notes, const ListRequest& request) {
  try {
    return std::visit(Reader{transaction, space, notes, request}, request.filter);
  } catch (const NotFound& error) {
    if (error.kind() != graph::EntityStore::kKind) throw;
    return {.found = std::monostate{}, .missing = error.id()};
  }
}

}  // namespace holdfast
