#include "vector_rows.h"

#include <cstring>

#include <holdfast/core/error.h>
#include <holdfast/vectors/given_vectors.h>

namespace holdfast::vectors {
namespace {

void copy_vector(storage::Blob stored, const VectorsOf& of, std::span<float> into) {
  if (stored.size() != of.dimension * sizeof(float)) {
    throw Corrupt("a vector of model " + std::string(of.model) + " in space " +
                  std::string(of.space) + " has " + std::to_string(stored.size()) +
                  " bytes, and should have " + std::to_string(of.dimension * sizeof(float)));
  }
  std::memcpy(into.data(), stored.data(), stored.size());
}

/// Of rows of kind, id, chunk, number and vector.
void visit_rows(storage::Statement& select, const VectorsOf& of, const VectorVisit& visit) {
  std::vector<float> vector(of.dimension);
  while (select.step()) {
    copy_vector(select.get<storage::Blob>(4), of, vector);
    const bool goes_on =
        visit({.kind = select.get<std::string_view>(0),
               .id = select.get<Uuid>(1),
               .chunk = static_cast<std::uint32_t>(select.get<std::int64_t>(2)),
               .number = select.get<std::int64_t>(3),
               .vector = vector});
    if (!goes_on) return;
  }
}

std::int64_t delete_vectors(storage::Transaction& transaction, const VectorsOf& of,
                            std::string_view kind, const Uuid& id) {
  auto remove = transaction.prepare(
      "DELETE FROM vectors WHERE space = $1 AND name = $2 AND generation = $3 AND kind = $4"
      " AND id = $5");
  remove.bind(of.space, of.model, of.generation, kind, id);
  return remove.run();
}

void put_change(storage::Transaction& transaction, const VectorsOf& of, std::string_view kind,
                const Uuid& id) {
  auto put = transaction.prepare(
      "INSERT INTO vector_changes (space, name, generation, kind, id, change)"
      " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (space, name, generation, kind, id)"
      " DO UPDATE SET change = $6");
  put.bind(of.space, of.model, of.generation, kind, id, last_change(transaction, of) + 1);
  put.run();
}

}  // namespace

std::uint64_t last_change(storage::Transaction& transaction, const VectorsOf& of) {
  auto select = transaction.prepare(
      "SELECT change FROM vector_changes WHERE space = $1 AND name = $2 AND generation = $3"
      " ORDER BY change DESC LIMIT 1");
  select.bind(of.space, of.model, of.generation);
  return select.step() ? select.get<Sequence>(0) : 0;
}

void each_change(storage::Transaction& transaction, const VectorsOf& of, std::uint64_t after,
                 const std::function<bool(const VectorChange&)>& visit) {
  auto select = transaction.prepare(
      "SELECT kind, id, change FROM vector_changes WHERE space = $1 AND name = $2"
      " AND generation = $3 AND change > $4 ORDER BY change");
  select.bind(of.space, of.model, of.generation, after);
  while (select.step()) {
    const bool goes_on = visit({.kind = select.get<std::string_view>(0),
                                .id = select.get<Uuid>(1),
                                .change = select.get<Sequence>(2)});
    if (!goes_on) return;
  }
}

std::uint64_t count_changes(storage::Transaction& transaction, const VectorsOf& of,
                            std::uint64_t after) {
  auto count = transaction.prepare(
      "SELECT count(*) FROM vector_changes WHERE space = $1 AND name = $2 AND generation = $3"
      " AND change > $4");
  count.bind(of.space, of.model, of.generation, after);
  return count.step() ? count.get<Sequence>(0) : 0;
}

void each_vector(storage::Transaction& transaction, const VectorsOf& of,
                 const VectorVisit& visit) {
  auto select = transaction.prepare(
      "SELECT kind, id, chunk, number, vector FROM vectors WHERE space = $1 AND name = $2"
      " AND generation = $3 ORDER BY kind, id, chunk");
  select.bind(of.space, of.model, of.generation);
  visit_rows(select, of, visit);
}

void each_vector_of(storage::Transaction& transaction, const VectorsOf& of, std::string_view kind,
                    const Uuid& id, const VectorVisit& visit) {
  auto select = transaction.prepare(
      "SELECT kind, id, chunk, number, vector FROM vectors WHERE space = $1 AND name = $2"
      " AND generation = $3 AND kind = $4 AND id = $5 ORDER BY chunk");
  select.bind(of.space, of.model, of.generation, kind, id);
  visit_rows(select, of, visit);
}

// One statement, and no sorting: both tables are walked in the order of an index.
void each_changed_vector(storage::Transaction& transaction, const VectorsOf& of,
                         std::uint64_t after,
                         const std::function<bool(const ChangedVector&)>& visit) {
  auto select = transaction.prepare(
      "SELECT c.kind, c.id, v.chunk, v.number, v.vector, c.change FROM vector_changes AS c"
      " LEFT JOIN vectors AS v ON v.space = c.space AND v.name = c.name"
      " AND v.generation = c.generation AND v.kind = c.kind AND v.id = c.id"
      " WHERE c.space = $1 AND c.name = $2 AND c.generation = $3 AND c.change > $4"
      " ORDER BY c.change, v.chunk");
  select.bind(of.space, of.model, of.generation, after);
  std::vector<float> components(of.dimension);
  while (select.step()) {
    ChangedVector changed{.of = {.kind = select.get<std::string_view>(0),
                                 .id = select.get<Uuid>(1),
                                 .change = select.get<Sequence>(5)}};
    StoredVector stored{.kind = changed.of.kind, .id = changed.of.id, .vector = {}};
    if (const auto chunk = select.get<std::optional<std::int64_t>>(2)) {
      copy_vector(select.get<storage::Blob>(4), of, components);
      stored.chunk = static_cast<std::uint32_t>(*chunk);
      stored.number = select.get<std::int64_t>(3);
      stored.vector = components;
      changed.vector = &stored;
    }
    if (!visit(changed)) return;
  }
}

std::uint64_t count_vectors(storage::Transaction& transaction, const VectorsOf& of) {
  auto count = transaction.prepare(
      "SELECT count(*) FROM vectors WHERE space = $1 AND name = $2 AND generation = $3");
  count.bind(of.space, of.model, of.generation);
  return count.step() ? count.get<Sequence>(0) : 0;
}

std::string packed_vectors_of(storage::Transaction& transaction, const VectorsOf& of,
                              std::string_view kind, const Uuid& id) {
  auto select = transaction.prepare(
      "SELECT vector FROM vectors WHERE space = $1 AND name = $2 AND generation = $3"
      " AND kind = $4 AND id = $5 ORDER BY chunk");
  select.bind(of.space, of.model, of.generation, kind, id);
  std::string packed;
  while (select.step()) {
    const auto blob = select.get<storage::Blob>(0);
    if (packed.empty()) {
      const auto dimension = static_cast<std::uint32_t>(blob.size() / sizeof(float));
      packed.assign(reinterpret_cast<const char*>(&dimension), sizeof dimension);
    }
    packed.append(reinterpret_cast<const char*>(blob.data()), blob.size());
  }
  return packed;
}

Uuid file_of(storage::Transaction& transaction, const VectorsOf& of) {
  auto select = transaction.prepare(
      "SELECT id FROM vector_files WHERE space = $1 AND name = $2 AND generation = $3");
  select.bind(of.space, of.model, of.generation);
  return select.step() ? select.get<Uuid>(0) : Uuid{};
}

void put_file(storage::Transaction& transaction, const VectorsOf& of, const Uuid& file,
              std::uint64_t change) {
  auto put = transaction.prepare(
      "INSERT INTO vector_files (space, name, generation, id, change) VALUES ($1, $2, $3, $4, $5)"
      " ON CONFLICT (space, name, generation) DO UPDATE SET id = $4, change = $5");
  put.bind(of.space, of.model, of.generation, file, change);
  put.run();
}

VectorReader::VectorReader(storage::Transaction& transaction, const VectorsOf& of)
    : of_(of),
      select_(transaction.prepare(
          "SELECT id, chunk, vector FROM vectors WHERE number = $1 AND space = $2 AND name = $3"
          " AND generation = $4")) {
  select_.bind(0, of.space, of.model, of.generation);
}

bool VectorReader::read(std::int64_t number, const Uuid& id, std::uint32_t chunk,
                        std::span<float> into) {
  select_.reset();
  select_.bind_at(1, number);
  if (!select_.step() || select_.get<Uuid>(0) != id ||
      select_.get<std::int64_t>(1) != static_cast<std::int64_t>(chunk)) {
    return false;
  }
  copy_vector(select_.get<storage::Blob>(2), of_, into);
  return true;
}

void replace_vectors(storage::Transaction& transaction, const VectorsOf& of,
                     std::string_view kind, const Uuid& id, std::string_view packed) {
  const Packed open = open_packed(packed);
  (void)delete_vectors(transaction, of, kind, id);
  auto insert = transaction.prepare(
      "INSERT INTO vectors (space, name, generation, kind, id, chunk, vector)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7)");
  const std::size_t bytes = open.dimension * sizeof(float);
  std::int64_t chunk = 0;
  for (std::size_t from = 0; from < open.components.size(); from += bytes, ++chunk) {
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(open.components.data() + from);
    insert.reset();
    insert.bind(of.space, of.model, of.generation, kind, id, chunk,
                storage::Blob(begin, bytes));
    insert.run();
  }
  put_change(transaction, of, kind, id);
}

void remove_vectors(storage::Transaction& transaction, const VectorsOf& of, std::string_view kind,
                    const Uuid& id) {
  if (delete_vectors(transaction, of, kind, id) > 0) put_change(transaction, of, kind, id);
}

}  // namespace holdfast::vectors
