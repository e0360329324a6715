#include "schema.h"

#include <array>
#include <map>
#include <span>
#include <string>

#include "log_tail.h"
#include "statement.h"

namespace holdfast::storage::sqlite {
namespace {

struct Migration {
  std::int64_t version;
  std::int64_t min_writer;  ///< the oldest code that may write to the result
  std::span<const char* const> statements;
};

// docs/file-format.md says what the columns mean. Every table of a space leads with `space`, so
// that the same layout distributes by it.
constexpr std::array kFirst = {
    "CREATE TABLE meta (version INTEGER NOT NULL CHECK (version >= 1),"
    " min_writer INTEGER NOT NULL CHECK (min_writer >= 1)) STRICT",
    "INSERT INTO meta (version, min_writer) VALUES (1, 1)",

    "CREATE TABLE spaces (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " last_seq INTEGER NOT NULL CHECK (last_seq >= 0), last_at INTEGER NOT NULL,"
    " settings TEXT NOT NULL, created_at INTEGER NOT NULL,"
    " revision INTEGER NOT NULL CHECK (revision >= 1), deleted_at INTEGER,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space),"
    " CHECK (length(CAST(space AS BLOB)) BETWEEN 1 AND 64)) STRICT",

    "CREATE TABLE events (space TEXT NOT NULL, seq INTEGER NOT NULL CHECK (seq >= 1),"
    " kind TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " stream_seq INTEGER NOT NULL CHECK (stream_seq >= 1),"
    " prev_seq INTEGER NOT NULL CHECK (prev_seq >= 0 AND prev_seq < seq),"
    " op TEXT NOT NULL, body TEXT, actor TEXT NOT NULL, request_id TEXT NOT NULL,"
    " at INTEGER NOT NULL, PRIMARY KEY (space, seq),"
    " UNIQUE (space, kind, id, stream_seq), UNIQUE (space, kind, id, prev_seq)) STRICT",

    "CREATE TABLE requests (space TEXT NOT NULL, request_id TEXT NOT NULL,"
    " digest BLOB NOT NULL CHECK (length(digest) = 32), answer TEXT NOT NULL,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), at INTEGER NOT NULL,"
    " PRIMARY KEY (space, request_id)) STRICT",
    "CREATE INDEX requests_at ON requests (space, at)",

    "CREATE TABLE entities (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " kind TEXT NOT NULL, name TEXT NOT NULL, properties TEXT NOT NULL, tags TEXT NOT NULL,"
    " merged_into BLOB CHECK (length(merged_into) = 16), created_at INTEGER NOT NULL,"
    " revision INTEGER NOT NULL CHECK (revision >= 1), deleted_at INTEGER,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, id)) STRICT",
    "CREATE INDEX entities_kind ON entities (space, kind, id)",
    "CREATE INDEX entities_name ON entities (space, name, id)",

    "CREATE TABLE relations (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " relation TEXT NOT NULL, symmetric INTEGER NOT NULL CHECK (symmetric IN (0, 1)),"
    " loops INTEGER NOT NULL CHECK (loops IN (0, 1)), source_kinds TEXT, target_kinds TEXT,"
    " created_at INTEGER NOT NULL, revision INTEGER NOT NULL CHECK (revision >= 1),"
    " deleted_at INTEGER, seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, id)) STRICT",
    "CREATE UNIQUE INDEX relations_live ON relations (space, relation) WHERE deleted_at IS NULL",

    "CREATE TABLE edges (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " source BLOB NOT NULL CHECK (length(source) = 16), relation TEXT NOT NULL,"
    " target BLOB NOT NULL CHECK (length(target) = 16), weight REAL NOT NULL,"
    " properties TEXT NOT NULL, valid_from INTEGER NOT NULL, valid_to INTEGER NOT NULL,"
    " deleted_with BLOB CHECK (length(deleted_with) = 16), created_at INTEGER NOT NULL,"
    " revision INTEGER NOT NULL CHECK (revision >= 1), deleted_at INTEGER,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, id),"
    " CHECK (valid_from < valid_to),"
    " CHECK (deleted_with IS NULL OR deleted_at IS NOT NULL)) STRICT",
    "CREATE UNIQUE INDEX edges_live ON edges (space, source, relation, target, valid_from)"
    " WHERE deleted_at IS NULL",
    "CREATE INDEX edges_in ON edges (space, target, relation, source, valid_from)"
    " WHERE deleted_at IS NULL",
    "CREATE INDEX edges_deleted_with ON edges (space, deleted_with, id)"
    " WHERE deleted_with IS NOT NULL",

    "CREATE TABLE hoods (space TEXT NOT NULL, entity BLOB NOT NULL CHECK (length(entity) = 16),"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, entity)) STRICT",

    "CREATE TABLE notes (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " kind TEXT NOT NULL, key TEXT, about BLOB CHECK (length(about) = 16),"
    " content TEXT NOT NULL, properties TEXT NOT NULL, tags TEXT NOT NULL,"
    " salience REAL NOT NULL, expires_at INTEGER NOT NULL, created_at INTEGER NOT NULL,"
    " revision INTEGER NOT NULL CHECK (revision >= 1), deleted_at INTEGER,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, id)) STRICT",
    "CREATE UNIQUE INDEX notes_key ON notes (space, key)"
    " WHERE deleted_at IS NULL AND key IS NOT NULL",
    "CREATE INDEX notes_kind ON notes (space, kind, id)",
    "CREATE INDEX notes_about ON notes (space, about, id) WHERE about IS NOT NULL",
};

// What a space holds, counted as it is written; answers past their retention leave the index over
// time; the edges at one end, live and deleted, in the order of lists.
constexpr std::array kSecond = {
    "ALTER TABLE spaces ADD COLUMN row_count INTEGER NOT NULL DEFAULT 0 CHECK (row_count >= 0)",
    "ALTER TABLE spaces ADD COLUMN body_bytes INTEGER NOT NULL DEFAULT 0 CHECK (body_bytes >= 0)",
    "UPDATE spaces SET row_count ="
    " (SELECT count(*) FROM entities AS r WHERE r.space = spaces.space)"
    " + (SELECT count(*) FROM relations AS r WHERE r.space = spaces.space)"
    " + (SELECT count(*) FROM edges AS r WHERE r.space = spaces.space)"
    " + (SELECT count(*) FROM notes AS r WHERE r.space = spaces.space),"
    " body_bytes = (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM events AS e"
    " WHERE e.space = spaces.space)",
    "DROP INDEX requests_at",
    "CREATE INDEX requests_at ON requests (space, at) WHERE answer <> ''",
    "CREATE INDEX edges_by_source ON edges (space, source, id)",
    "CREATE INDEX edges_by_target ON edges (space, target, id)",
};

// Projections: their catalogue, the version of each source in each generation, who may build them;
// declared keys, the first of them. A space counts its projections, as every write asks for them,
// and numbers the generations of all, as a number must never come back.
constexpr std::array kThird = {
    "ALTER TABLE spaces ADD COLUMN projections INTEGER NOT NULL DEFAULT 0"
    " CHECK (projections >= 0)",
    "ALTER TABLE spaces ADD COLUMN last_generation INTEGER NOT NULL DEFAULT 0"
    " CHECK (last_generation >= 0)",

    "CREATE TABLE leases (space TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL,"
    " fencing INTEGER NOT NULL CHECK (fencing >= 1), expires_at INTEGER NOT NULL,"
    " PRIMARY KEY (space, name)) STRICT",

    "CREATE TABLE projections (space TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,"
    " upkeep TEXT NOT NULL CHECK (upkeep IN ('in_transaction', 'followed')),"
    " declaration TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (space, name)) STRICT",

    "CREATE TABLE projection_generations (space TEXT NOT NULL, name TEXT NOT NULL,"
    " generation INTEGER NOT NULL CHECK (generation >= 1),"
    " state TEXT NOT NULL CHECK (state IN ('building', 'serving', 'dropping')),"
    " signature TEXT NOT NULL, watermark INTEGER NOT NULL CHECK (watermark >= 0),"
    " walk_from INTEGER NOT NULL CHECK (walk_from >= 0), walk_kind TEXT, walk_id BLOB"
    " CHECK (length(walk_id) = 16), walk_done INTEGER NOT NULL CHECK (walk_done IN (0, 1)),"
    " walked INTEGER NOT NULL CHECK (walked >= 0), skipped INTEGER NOT NULL CHECK (skipped >= 0),"
    " failed INTEGER NOT NULL CHECK (failed >= 0), created_at INTEGER NOT NULL,"
    " PRIMARY KEY (space, name, generation),"
    " CHECK ((walk_kind IS NULL) = (walk_id IS NULL))) STRICT",
    "CREATE UNIQUE INDEX projection_generations_serving ON projection_generations (space, name)"
    " WHERE state = 'serving'",
    "CREATE UNIQUE INDEX projection_generations_building ON projection_generations (space, name)"
    " WHERE state = 'building'",

    "CREATE TABLE projection_versions (space TEXT NOT NULL, name TEXT NOT NULL,"
    " generation INTEGER NOT NULL CHECK (generation >= 1), kind TEXT NOT NULL,"
    " id BLOB NOT NULL CHECK (length(id) = 16), as_of_seq INTEGER NOT NULL CHECK (as_of_seq >= 0),"
    " digest BLOB NOT NULL CHECK (length(digest) = 32),"
    " PRIMARY KEY (space, name, generation, kind, id)) STRICT",

    "CREATE TABLE keys (space TEXT NOT NULL, name TEXT NOT NULL,"
    " generation INTEGER NOT NULL CHECK (generation >= 1), value TEXT NOT NULL,"
    " id BLOB NOT NULL CHECK (length(id) = 16),"
    " PRIMARY KEY (space, name, generation, value)) STRICT",
    "CREATE UNIQUE INDEX keys_id ON keys (space, name, generation, id)",
};

// Vectors: the rows that indexes are made from, and the last change of each source's rows, which
// indexes follow; it outlives them, so that what is gone is told. What could not be derived is
// listed until it is. Options are what a declaration says that derived rows do not depend on.
constexpr std::array kFourth = {
    "ALTER TABLE projections ADD COLUMN options TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE projections ADD COLUMN is_default INTEGER NOT NULL DEFAULT 0"
    " CHECK (is_default IN (0, 1))",
    "CREATE UNIQUE INDEX projections_default ON projections (space, type) WHERE is_default = 1",

    "CREATE TABLE projection_failures (space TEXT NOT NULL, name TEXT NOT NULL,"
    " generation INTEGER NOT NULL CHECK (generation >= 1), kind TEXT NOT NULL,"
    " id BLOB NOT NULL CHECK (length(id) = 16), as_of_seq INTEGER NOT NULL CHECK (as_of_seq >= 0),"
    " attempts INTEGER NOT NULL CHECK (attempts >= 1), reason TEXT NOT NULL, at INTEGER NOT NULL,"
    " PRIMARY KEY (space, name, generation, kind, id)) STRICT",

    // Indexes read vectors by their numbers, which costs less than by the key.
    "CREATE TABLE vectors (number INTEGER PRIMARY KEY, space TEXT NOT NULL, name TEXT NOT NULL,"
    " generation INTEGER NOT NULL CHECK (generation >= 1), kind TEXT NOT NULL,"
    " id BLOB NOT NULL CHECK (length(id) = 16), chunk INTEGER NOT NULL CHECK (chunk >= 0),"
    " vector BLOB NOT NULL CHECK (length(vector) > 0 AND length(vector) % 4 = 0),"
    " UNIQUE (space, name, generation, kind, id, chunk)) STRICT",

    "CREATE TABLE vector_changes (space TEXT NOT NULL, name TEXT NOT NULL,"
    " generation INTEGER NOT NULL CHECK (generation >= 1), kind TEXT NOT NULL,"
    " id BLOB NOT NULL CHECK (length(id) = 16), change INTEGER NOT NULL CHECK (change >= 1),"
    " PRIMARY KEY (space, name, generation, kind, id),"
    " UNIQUE (space, name, generation, change)) STRICT",

    // The index's file that is of these rows, by an id of its own: a file beside a database that
    // was put back to an earlier state is not named any more.
    "CREATE TABLE vector_files (space TEXT NOT NULL, name TEXT NOT NULL,"
    " generation INTEGER NOT NULL CHECK (generation >= 1),"
    " id BLOB NOT NULL CHECK (length(id) = 16), change INTEGER NOT NULL CHECK (change >= 0),"
    " PRIMARY KEY (space, name, generation)) STRICT",
};

// What is to happen later. Attempts are the receipts of what was done about it, neither journaled
// nor revisioned; who has one holds the lease "event:<id>".
constexpr std::array kFifth = {
    "CREATE TABLE scheduled_events (space TEXT NOT NULL, id BLOB NOT NULL CHECK (length(id) = 16),"
    " kind TEXT NOT NULL, payload TEXT NOT NULL, trigger_text TEXT NOT NULL,"
    " trigger_at INTEGER NOT NULL, zone TEXT NOT NULL, repeat TEXT, anchor TEXT,"
    " catch_up TEXT NOT NULL, grace INTEGER NOT NULL CHECK (grace >= 0),"
    " max_attempts INTEGER NOT NULL CHECK (max_attempts >= 1), status TEXT NOT NULL,"
    " properties TEXT NOT NULL, created_at INTEGER NOT NULL,"
    " revision INTEGER NOT NULL CHECK (revision >= 1), deleted_at INTEGER,"
    " seq INTEGER NOT NULL CHECK (seq >= 1), PRIMARY KEY (space, id)) STRICT",
    "CREATE INDEX scheduled_events_armed ON scheduled_events (space, trigger_at, id)"
    " WHERE status = 'pending' AND deleted_at IS NULL",

    "CREATE TABLE attempts (space TEXT NOT NULL,"
    " occurrence BLOB NOT NULL CHECK (length(occurrence) = 16),"
    " number INTEGER NOT NULL CHECK (number >= 1),"
    " event BLOB NOT NULL CHECK (length(event) = 16), trigger_at INTEGER NOT NULL,"
    " armed_at INTEGER NOT NULL CHECK (armed_at <= trigger_at),"
    " invocation BLOB NOT NULL CHECK (length(invocation) = 16), worker TEXT NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('claimed', 'invoking', 'succeeded', 'failed',"
    " 'indeterminate', 'not_invoked', 'missed')),"
    " effect TEXT CHECK (effect IN ('committed', 'not_committed', 'unknown')),"
    " error TEXT NOT NULL, passed_over INTEGER NOT NULL CHECK (passed_over >= 0),"
    " tries INTEGER NOT NULL CHECK (tries >= 1),"
    " is_idempotent INTEGER NOT NULL CHECK (is_idempotent IN (0, 1)),"
    " claimed_at INTEGER NOT NULL, invoked_at INTEGER, completed_at INTEGER,"
    " finished_at INTEGER, retry_at INTEGER, PRIMARY KEY (space, occurrence, number),"
    " CHECK ((state IN ('claimed', 'invoking')) = (completed_at IS NULL)),"
    " CHECK (finished_at IS NULL OR completed_at IS NOT NULL),"
    " CHECK (retry_at IS NULL OR finished_at IS NOT NULL)) STRICT",
    "CREATE INDEX attempts_event ON attempts (space, event, armed_at, trigger_at, number)",
    "CREATE UNIQUE INDEX attempts_open ON attempts (space, event) WHERE finished_at IS NULL",
    "CREATE INDEX attempts_retry ON attempts (space, retry_at) WHERE retry_at IS NOT NULL",
    "CREATE INDEX leases_held ON leases (space, expires_at) WHERE expires_at > 0",
};

constexpr std::array kMigrations = {
    Migration{.version = 1, .min_writer = 1, .statements = kFirst},
    // An older writer would not count.
    Migration{.version = 2, .min_writer = 2, .statements = kSecond},
    // An older writer would not keep declared keys.
    Migration{.version = 3, .min_writer = 3, .statements = kThird},
    // An older writer would leave the rows of dropped generations behind.
    Migration{.version = 4, .min_writer = 4, .statements = kFourth},
    // An older writer would leave the events of deleted spaces behind.
    Migration{.version = 5, .min_writer = 5, .statements = kFifth},
};

static_assert(kMigrations.back().version == kSchemaVersion);

void run(SqliteConnection& connection, const Migration& migration) {
  for (const char* statement : migration.statements) connection.execute(statement);
  connection.execute(("UPDATE meta SET version = " + std::to_string(migration.version) +
                      ", min_writer = " + std::to_string(migration.min_writer))
                         .c_str());
}

/// What each object of the schema was made by, under its type and name. SQLite's own are left out:
/// they come and go with ours, or with ANALYZE.
using Objects = std::map<std::string, std::string>;

Objects read_objects(SqliteConnection& connection) {
  SqliteStatement select(connection.handle(),
                         "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema"
                         " WHERE substr(name, 1, 7) <> 'sqlite_'");
  Objects objects;
  while (select.step()) objects.emplace(select.text(0), select.text(1));
  return objects;
}

Objects objects_to_be() {
  SqliteConnection scratch({.path = ":memory:", .vfs = "", .access = Access::create});
  for (const Migration& migration : kMigrations) run(scratch, migration);
  return read_objects(scratch);
}

}  // namespace

SchemaVersion read_schema_version(SqliteConnection& connection) {
  if (connection.answer("SELECT name FROM sqlite_schema WHERE name = 'meta'").empty()) return {};
  return {.version = connection.answer_integer("SELECT version FROM meta"),
          .min_writer = connection.answer_integer("SELECT min_writer FROM meta")};
}

void migrate(SqliteConnection& connection) {
  for (const Migration& migration : kMigrations) {
    if (migration.version <= read_schema_version(connection).version) continue;
    connection.execute("BEGIN IMMEDIATE");
    try {
      run(connection, migration);
      connection.execute("COMMIT");
    } catch (...) {
      if (connection.in_transaction()) connection.execute("ROLLBACK");
      wipe_log_tail(connection, WipeSync::none);
      throw;
    }
  }
}

std::vector<std::string> check_schema(SqliteConnection& connection) {
  if (read_schema_version(connection).version > kSchemaVersion) return {};
  std::vector<std::string> findings;
  const Objects there = read_objects(connection);
  const Objects to_be = objects_to_be();
  for (const auto& [name, sql] : to_be) {
    const auto found = there.find(name);
    if (found == there.end()) {
      findings.push_back("the schema lacks " + name);
    } else if (found->second != sql) {
      findings.push_back("the schema has another " + name + " than it should");
    }
  }
  for (const auto& [name, sql] : there) {
    if (!to_be.contains(name)) findings.push_back("the schema has an extra " + name);
  }
  return findings;
}

}  // namespace holdfast::storage::sqlite
