#include "index_file.h"

#include <fstream>

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

FileLook read_header(const std::string& path, const SegmentIdentity& wanted) {
  FileLook look;
  std::ifstream file(path, std::ios::binary);
  if (!file) return {.refusal = "there is none"};
  look.bytes = static_cast<std::uint64_t>(std::filesystem::file_size(path));
  std::string bytes(kPreambleBytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw Corrupt("it is shorter than a header");
  const std::size_t length = header_bytes(bytes, look.bytes);
  bytes.resize(length);
  file.read(bytes.data() + kPreambleBytes, static_cast<std::streamsize>(length - kPreambleBytes));
  if (!file) throw Corrupt("its header is cut short");
  const SegmentHeader header = decode(bytes, look.bytes);
  look.cursor = static_cast<std::uint64_t>(header.cursor);
  look.refusal = difference(header.identity, wanted).value_or("");
  look.is_usable = look.refusal.empty();
  return look;
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
  try {
    return read_header(path, wanted);
  } catch (const Error& error) {
    return {.refusal = error.what()};
  } catch (const std::filesystem::filesystem_error& error) {
    return {.refusal = error.what()};
  }
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
