#include <holdfast/journal/projection_catalog.h>

#include <array>

#include <holdfast/core/error.h>
#include <holdfast/storage/guard.h>

namespace holdfast::journal {
namespace {

using storage::Conjunct;

constexpr std::array kFinishWalk = {
    Conjunct{"building", "state = 'building'"},
    Conjunct{"clean", "failed = 0"},
};
constexpr std::array kSwap = {
    Conjunct{"building", "state = 'building'"},
    Conjunct{"walked", "walk_done = 1"},
    Conjunct{"clean", "failed = 0"},
};
constexpr std::array kAdvance = {
    Conjunct{"written", "state <> 'dropping'"},
    Conjunct{"forward", "watermark < $4"},
};

// Of a projection that is no longer declared only the generations are left.
constexpr std::string_view kSelect =
    "SELECT g.name, coalesce(p.type, ''), coalesce(p.upkeep, 'followed'),"
    " coalesce(p.options, '{}'), g.generation, g.state, g.signature, g.watermark,"
    " g.walk_from, g.walk_kind, g.walk_id, g.walk_done, g.walked, g.skipped, g.failed,"
    " g.created_at FROM projection_generations AS g"
    " LEFT JOIN projections AS p ON p.space = g.space AND p.name = g.name WHERE g.space = $1";

GenerationState parse_state(std::string_view text) {
  for (const auto state : {GenerationState::building, GenerationState::serving,
                           GenerationState::dropping}) {
    if (text == to_string(state)) return state;
  }
  throw Corrupt("a generation of a projection is in the state " + std::string(text));
}

Upkeep parse_upkeep(std::string_view text) {
  for (const auto upkeep : {Upkeep::in_transaction, Upkeep::followed}) {
    if (text == to_string(upkeep)) return upkeep;
  }
  throw Corrupt("a projection is kept up " + std::string(text));
}

Generation read(const storage::Row& from) {
  Generation generation;
  generation.projection = from.get<std::string>(0);
  generation.type = from.get<std::string>(1);
  generation.upkeep = parse_upkeep(from.get<std::string_view>(2));
  generation.options = JsonObject::trusted(from.get<std::string>(3));
  generation.number = from.get<Sequence>(4);
  generation.state = parse_state(from.get<std::string_view>(5));
  generation.signature = from.get<std::string>(6);
  generation.declaration = declaration_in(generation.signature);
  generation.watermark = from.get<Sequence>(7);
  generation.walk_from = from.get<Sequence>(8);
  generation.walk_kind = from.get<std::optional<std::string>>(9);
  generation.walk_id = from.get<std::optional<Uuid>>(10);
  generation.walk_done = from.get<bool>(11);
  generation.walked = from.get<Sequence>(12);
  generation.skipped = from.get<Sequence>(13);
  generation.failed = from.get<Sequence>(14);
  generation.created_at = from.get<Timestamp>(15);
  return generation;
}

std::vector<Generation> select(storage::Transaction& transaction, std::string_view space,
                               std::string_view condition) {
  const std::string sql =
      std::string(kSelect) + std::string(condition) + " ORDER BY g.name, g.generation";
  auto select = transaction.prepare(sql);
  select.bind(space);
  std::vector<Generation> generations;
  while (select.step()) generations.push_back(read(select.row()));
  return generations;
}

DeclaredProjection read_declared(const storage::Statement& from) {
  return {.name = from.get<std::string>(0),
          .type = from.get<std::string>(1),
          .upkeep = parse_upkeep(from.get<std::string_view>(2)),
          .declaration = JsonObject::trusted(from.get<std::string>(3)),
          .options = JsonObject::trusted(from.get<std::string>(4)),
          .is_default = from.get<bool>(5),
          .created_at = from.get<Timestamp>(6)};
}

bool run_on(storage::Transaction& transaction, const std::string& sql, std::string_view space,
            const Generation& generation) {
  auto update = transaction.prepare(sql);
  update.bind(space, generation.projection, generation.number);
  return update.run() == 1;
}

}  // namespace

std::vector<DeclaredProjection> declared_projections(storage::Transaction& transaction,
                                                     std::string_view space) {
  auto select = transaction.prepare(
      "SELECT name, type, upkeep, declaration, options, is_default, created_at FROM projections"
      " WHERE space = $1 ORDER BY name");
  select.bind(space);
  std::vector<DeclaredProjection> declared;
  while (select.step()) declared.push_back(read_declared(select));
  return declared;
}

std::optional<DeclaredProjection> find_declared(storage::Transaction& transaction,
                                                std::string_view space, std::string_view name) {
  auto select = transaction.prepare(
      "SELECT name, type, upkeep, declaration, options, is_default, created_at FROM projections"
      " WHERE space = $1 AND name = $2");
  select.bind(space, name);
  if (!select.step()) return std::nullopt;
  return read_declared(select);
}

void declare_projection(storage::Transaction& transaction, std::string_view space,
                        const DeclaredProjection& projection) {
  auto insert = transaction.prepare(
      "INSERT INTO projections (space, name, type, upkeep, declaration, options, is_default,"
      " created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)");
  insert.bind(space, projection.name, projection.type, to_string(projection.upkeep),
              projection.declaration.text(), projection.options.text(), projection.is_default,
              projection.created_at);
  insert.run();
  auto count =
      transaction.prepare("UPDATE spaces SET projections = projections + 1 WHERE space = $1");
  count.bind(space);
  count.run();
}

void undeclare_projection(storage::Transaction& transaction, std::string_view space,
                          std::string_view name) {
  auto remove = transaction.prepare("DELETE FROM projections WHERE space = $1 AND name = $2");
  remove.bind(space, name);
  if (remove.run() == 0) return;
  auto drop = transaction.prepare(
      "UPDATE projection_generations SET state = 'dropping' WHERE space = $1 AND name = $2");
  drop.bind(space, name);
  drop.run();
  auto count =
      transaction.prepare("UPDATE spaces SET projections = projections - 1 WHERE space = $1");
  count.bind(space);
  count.run();
}

void redeclare_projection(storage::Transaction& transaction, std::string_view space,
                          std::string_view name, const JsonObject& declaration,
                          const JsonObject& options) {
  auto update = transaction.prepare(
      "UPDATE projections SET declaration = $3, options = $4 WHERE space = $1 AND name = $2");
  update.bind(space, name, declaration.text(), options.text());
  if (update.run() == 0) throw NotFound("projection", std::string(name));
  const auto building = find_generation(transaction, space, name, GenerationState::building);
  if (building && building->declaration.text() != declaration.text()) {
    drop_generation(transaction, space, *building);
  }
}

std::optional<DeclaredProjection> find_default(storage::Transaction& transaction,
                                               std::string_view space, std::string_view type) {
  auto select = transaction.prepare(
      "SELECT name, type, upkeep, declaration, options, is_default, created_at FROM projections"
      " WHERE space = $1 AND type = $2 AND is_default = 1");
  select.bind(space, type);
  if (!select.step()) return std::nullopt;
  return read_declared(select);
}

void make_default(storage::Transaction& transaction, std::string_view space,
                  std::string_view type, std::string_view name) {
  auto clear = transaction.prepare(
      "UPDATE projections SET is_default = 0 WHERE space = $1 AND type = $2 AND is_default = 1");
  clear.bind(space, type);
  clear.run();
  auto set = transaction.prepare(
      "UPDATE projections SET is_default = 1 WHERE space = $1 AND type = $2 AND name = $3");
  set.bind(space, type, name);
  if (set.run() == 0) throw NotFound("projection", std::string(name));
}

std::vector<Generation> written_generations(storage::Transaction& transaction,
                                            std::string_view space) {
  return select(transaction, space, " AND g.state <> 'dropping'");
}

std::vector<Generation> all_generations(storage::Transaction& transaction,
                                        std::string_view space) {
  return select(transaction, space, "");
}

std::optional<Generation> find_generation(storage::Transaction& transaction,
                                          std::string_view space, std::string_view projection,
                                          GenerationState state) {
  static const std::string sql = std::string(kSelect) +
                                 " AND g.name = $2 AND g.state = $3"
                                 " ORDER BY g.generation LIMIT 1";
  auto select = transaction.prepare(sql);
  select.bind(space, projection, to_string(state));
  if (!select.step()) return std::nullopt;
  return read(select.row());
}

bool is_written(storage::Transaction& transaction, std::string_view space,
                const Generation& generation) {
  auto select = transaction.prepare(
      "SELECT state, signature FROM projection_generations WHERE space = $1 AND name = $2"
      " AND generation = $3");
  select.bind(space, generation.projection, generation.number);
  return select.step() && select.get<std::string_view>(0) != "dropping" &&
         select.get<std::string_view>(1) == generation.signature;
}

std::string rebuild_lease_name(std::string_view projection) {
  return "projection:" + std::string(projection);
}

Generation begin_generation(storage::Transaction& transaction, std::string_view space,
                            const DeclaredProjection& projection, const std::string& signature,
                            const Tail& tail, Timestamp now) {
  auto number = transaction.prepare(
      "UPDATE spaces SET last_generation = last_generation + 1 WHERE space = $1"
      " RETURNING last_generation");
  number.bind(space);
  if (!number.step()) throw NotFound("space", std::string(space));
  Generation generation;
  generation.projection = projection.name;
  generation.type = projection.type;
  generation.upkeep = projection.upkeep;
  generation.declaration = projection.declaration;
  generation.options = projection.options;
  generation.number = number.get<Sequence>(0);
  generation.signature = signature;
  generation.walk_from = tail.seq;
  generation.created_at = now;
  while (number.step()) {
  }
  auto insert = transaction.prepare(
      "INSERT INTO projection_generations (space, name, generation, state, signature, watermark,"
      " walk_from, walk_done, walked, skipped, failed, created_at)"
      " VALUES ($1, $2, $3, 'building', $4, 0, $5, 0, 0, 0, 0, $6)");
  insert.bind(space, projection.name, generation.number, signature, tail.seq, now);
  insert.run();
  return generation;
}

void save_walk(storage::Transaction& transaction, std::string_view space,
               const Generation& generation, std::uint64_t failed) {
  auto update = transaction.prepare(
      "UPDATE projection_generations SET walk_kind = $4, walk_id = $5, walked = $6, skipped = $7,"
      " failed = failed + $8 WHERE space = $1 AND name = $2 AND generation = $3");
  update.bind(space, generation.projection, generation.number, generation.walk_kind,
              generation.walk_id, generation.walked, generation.skipped, failed);
  update.run();
}

void restart_walk(storage::Transaction& transaction, std::string_view space,
                  Generation& generation, const Tail& tail) {
  generation.walk_from = tail.seq;
  generation.walk_kind.reset();
  generation.walk_id.reset();
  generation.walked = generation.skipped = generation.failed = 0;
  generation.walk_done = false;
  auto update = transaction.prepare(
      "UPDATE projection_generations SET walk_from = $4, walk_kind = NULL, walk_id = NULL,"
      " walked = 0, skipped = 0, failed = 0, walk_done = 0 WHERE space = $1 AND name = $2"
      " AND generation = $3");
  update.bind(space, generation.projection, generation.number, tail.seq);
  update.run();
}

void count_clash(storage::Transaction& transaction, std::string_view space,
                 const Generation& generation) {
  run_on(transaction,
         "UPDATE projection_generations SET failed = failed + 1 WHERE space = $1 AND name = $2"
         " AND generation = $3",
         space, generation);
}

bool finish_walk(storage::Transaction& transaction, std::string_view space,
                 const Generation& generation) {
  static const std::string sql =
      "UPDATE projection_generations SET walk_done = 1, watermark = walk_from WHERE space = $1"
      " AND name = $2 AND generation = $3 AND " +
      storage::guard_sql("projection.watermark", kFinishWalk);
  return run_on(transaction, sql, space, generation);
}

bool advance_watermark(storage::Transaction& transaction, std::string_view space,
                       const Generation& generation, Sequence to) {
  static const std::string sql =
      "UPDATE projection_generations SET watermark = $4 WHERE space = $1 AND name = $2"
      " AND generation = $3 AND " +
      storage::guard_sql("projection.advance", kAdvance);
  auto update = transaction.prepare(sql);
  update.bind(space, generation.projection, generation.number, to);
  return update.run() == 1;
}

bool swap_generations(storage::Transaction& transaction, std::string_view space,
                      const Generation& generation, std::optional<std::uint64_t> replaced) {
  static const std::string ready =
      "SELECT 1 FROM projection_generations WHERE space = $1 AND name = $2 AND generation = $3"
      " AND " +
      storage::guard_sql("projection.swap", kSwap);
  const auto serving =
      find_generation(transaction, space, generation.projection, GenerationState::serving);
  const auto number = serving ? std::optional(serving->number) : std::nullopt;
  if (!storage::holds("projection.swap", "serving", number == replaced)) return false;
  {
    auto select = transaction.prepare(ready);
    select.bind(space, generation.projection, generation.number);
    if (!select.step()) return false;
  }
  // First the old one goes: no moment, not even within this transaction, has two.
  if (serving) drop_generation(transaction, space, *serving);
  run_on(transaction,
         "UPDATE projection_generations SET state = 'serving' WHERE space = $1 AND name = $2"
         " AND generation = $3",
         space, generation);
  return true;
}

void drop_generation(storage::Transaction& transaction, std::string_view space,
                     const Generation& generation) {
  run_on(transaction,
         "UPDATE projection_generations SET state = 'dropping' WHERE space = $1 AND name = $2"
         " AND generation = $3",
         space, generation);
}

std::uint64_t remove_some_of(storage::Transaction& transaction, const Registry& registry,
                             std::string_view space, const Generation& generation,
                             std::size_t limit) {
  std::vector<std::string> tables;
  for (const Projection* const projection : registry.projections()) {
    tables.emplace_back(projection->table());
    for (const auto table : projection->side_tables()) tables.emplace_back(table);
  }
  tables.emplace_back("projection_failures");
  tables.emplace_back("projection_versions");
  for (const std::string& table : tables) {
    const std::string of = " FROM " + table +
                           " WHERE space = $1 AND name = $2 AND generation = $3";
    const std::string sql = "DELETE" + of + " AND id IN (SELECT id" + of + " LIMIT $4)";
    auto remove = transaction.prepare(sql);
    remove.bind(space, generation.projection, generation.number,
                static_cast<std::uint64_t>(limit));
    const auto count = remove.run();
    if (count > 0) return static_cast<std::uint64_t>(count);
  }
  auto forget = transaction.prepare(
      "DELETE FROM projection_generations WHERE space = $1 AND name = $2 AND generation = $3"
      " AND state = 'dropping'");
  forget.bind(space, generation.projection, generation.number);
  forget.run();
  return 0;
}

}  // namespace holdfast::journal
