#include "index_file.h"

#include <variant>

#include <holdfast/core/digest.h>
#include <holdfast/core/error.h>
#include <holdfast/journal/journal.h>
#include <holdfast/journal/projection_catalog.h>
#include <holdfast/journal/space_store.h>

namespace holdfast::vectors {
namespace {

/// A space that was made anew, and a database that was, begin with another event.
std::string beginning_of(storage::Transaction& transaction, const Serving& serving) {
  const auto first = journal::event_at(transaction, serving.space, 1);
  const std::string what = (first ? first->request_id + "\n" + std::to_string(to_us(first->at))
                                  : std::string("pruned")) +
                           "\n" + std::to_string(serving.created_at_us);
  const auto digest = core::sha256(what);
  return core::to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace

HnswParameters graph_parameters(const IndexParameters& parameters) {
  return {.m = static_cast<int>(parameters.m),
          .ef_construction = static_cast<int>(parameters.ef_construction),
          .seed = 1};
}

SegmentIdentity identity_of(storage::Transaction& transaction, const Serving& serving,
                            const IndexParameters& parameters, const std::optional<Uuid>& file) {
  const Uuid id = file ? *file : file_of(transaction, serving.of());
  return {.key = {.space = journal::space_id(serving.space).uuid,
                  .model = serving.generation.projection,
                  .generation = static_cast<std::int64_t>(serving.generation.number)},
          .database = beginning_of(transaction, serving) + " " + to_string(id),
          .signature = core::sha256(serving.generation.signature),
          .dimension = serving.dimension(),
          .metric = serving.model->metric,
          .form = parameters.form == IndexForm::floats ? Form::floats : Form::codes,
          .graph = graph_parameters(parameters)};
}

FileLook look_at_file(const std::string& path, const SegmentIdentity& wanted) {
  const auto look = look_at_segment(path);
  if (const auto* const refused = std::get_if<NotUsable>(&look)) {
    const bool is_missing = refused->kind == NotUsable::Kind::missing;
    return {.refusal = is_missing ? "there is none" : refused->why};
  }
  const auto& [header, bytes] = std::get<SegmentLook>(look);
  const std::string refusal = difference(header.identity, wanted).value_or("");
  return {.is_usable = refusal.empty(),
          .cursor = static_cast<std::uint64_t>(header.cursor),
          .bytes = bytes,
          .refusal = refusal};
}

std::size_t remove_orphans(storage::Database& database, const SegmentFolder& folder) {
  std::vector<SegmentKey> kept;
  {
    const auto snapshot = database.snapshot();
    storage::Transaction& transaction = snapshot->transaction();
    PageRequest request;
    for (;;) {
      const auto page = journal::SpaceStore::names(transaction, request);
      for (const std::string& space : page.items) {
        for (const journal::Generation& one : journal::written_generations(transaction, space)) {
          if (one.type != kModelType) continue;
          kept.push_back({.space = journal::space_id(space).uuid,
                          .model = one.projection,
                          .generation = static_cast<std::int64_t>(one.number)});
        }
      }
      if (!page.next) break;
      request.cursor = *page.next;
    }
  }
  return folder.remove_others(kept);
}

}  // namespace holdfast::vectors
