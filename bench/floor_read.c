#include <stdlib.h>
#include <string.h>

#include "floor.h"

struct FloorReader {
  sqlite3* db;
  sqlite3_stmt* get;
  sqlite3_stmt* neighbors;
  sqlite3_stmt* history;
  sqlite3_stmt* find_by_key;
  sqlite3_stmt* begin;
  sqlite3_stmt* commit;
};

FloorReader* floor_reader_open(const char* path, const char* space) {
  FloorReader* floor = calloc(1, sizeof *floor);
  floor_require(NULL, floor != NULL, "memory");
  floor->db = floor_open(path, kFloorReads);
  floor->get = floor_prepare(
      floor->db,
      "SELECT id, created_at, revision, deleted_at, seq, kind, name, properties, tags, merged_into"
      " FROM entities WHERE space = ?1 AND id = ?2");
  floor->neighbors = floor_prepare(
      floor->db,
      "SELECT e.id, e.created_at, e.revision, e.deleted_at, e.seq, e.source, e.relation, e.target,"
      " e.weight, e.properties, e.valid_from, e.valid_to, e.deleted_with, n.id, n.created_at,"
      " n.revision, n.deleted_at, n.seq, n.kind, n.name, n.properties, n.tags, n.merged_into"
      " FROM edges AS e JOIN entities AS n ON n.space = e.space AND n.id = e.target"
      " WHERE e.space = ?1 AND e.source = ?2 AND e.deleted_at IS NULL"
      " ORDER BY e.relation, e.target, e.valid_from LIMIT ?3");
  floor->history = floor_prepare(
      floor->db,
      "SELECT seq, kind, id, stream_seq, prev_seq, op, body, actor, request_id, at FROM events"
      " WHERE space = ?1 AND kind = 'entity' AND id = ?2 ORDER BY stream_seq LIMIT ?3");
  sqlite3_stmt* const all[] = {floor->get, floor->neighbors, floor->history};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    sqlite3_bind_text(all[i], 1, space, -1, SQLITE_STATIC);
  }
  return floor;
}

/* Steps through the answer and looks at every column, as a reader must. */
static size_t read_all(sqlite3_stmt* statement, size_t* bytes) {
  const int columns = sqlite3_column_count(statement);
  size_t rows = 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    ++rows;
    for (int i = 0; i < columns; ++i) {
      switch (sqlite3_column_type(statement, i)) {
        case SQLITE_TEXT:
          *bytes += sqlite3_column_text(statement, i) != NULL;
          *bytes += (size_t)sqlite3_column_bytes(statement, i);
          break;
        case SQLITE_BLOB:
          *bytes += sqlite3_column_blob(statement, i) != NULL;
          *bytes += (size_t)sqlite3_column_bytes(statement, i);
          break;
        default:
          *bytes += sqlite3_column_int64(statement, i) != 0;
      }
    }
  }
  floor_require(sqlite3_db_handle(statement), code == SQLITE_DONE, "read");
  sqlite3_reset(statement);
  return rows;
}

size_t floor_get(FloorReader* floor, const unsigned char* id, size_t* bytes) {
  sqlite3_bind_blob(floor->get, 2, id, 16, SQLITE_STATIC);
  return read_all(floor->get, bytes);
}

size_t floor_neighbors(FloorReader* floor, const unsigned char* id, size_t limit, size_t* bytes) {
  sqlite3_bind_blob(floor->neighbors, 2, id, 16, SQLITE_STATIC);
  sqlite3_bind_int64(floor->neighbors, 3, (sqlite3_int64)limit);
  return read_all(floor->neighbors, bytes);
}

size_t floor_history(FloorReader* floor, const unsigned char* id, size_t limit, size_t* bytes) {
  sqlite3_bind_blob(floor->history, 2, id, 16, SQLITE_STATIC);
  sqlite3_bind_int64(floor->history, 3, (sqlite3_int64)limit);
  return read_all(floor->history, bytes);
}

void floor_reader_knows_key(FloorReader* floor, const char* space, const char* key) {
  floor->find_by_key = floor_prepare(
      floor->db,
      "SELECT e.id, e.created_at, e.revision, e.deleted_at, e.seq, e.kind, e.name, e.properties,"
      " e.tags, e.merged_into FROM keys AS k JOIN entities AS e ON e.space = k.space"
      " AND e.id = k.id WHERE k.space = ?1 AND k.name = ?2 AND k.generation = ?3"
      " AND k.value = ?4");
  const long long generation = floor_integer(
      floor->db, "SELECT max(generation) FROM projection_generations WHERE state = 'serving'");
  sqlite3_bind_text(floor->find_by_key, 1, space, -1, SQLITE_STATIC);
  sqlite3_bind_text(floor->find_by_key, 2, key, -1, SQLITE_STATIC);
  sqlite3_bind_int64(floor->find_by_key, 3, generation);
  floor->begin = floor_prepare(floor->db, "BEGIN");
  floor->commit = floor_prepare(floor->db, "COMMIT");
}

size_t floor_find_by_key(FloorReader* floor, const char* value, int in_transaction,
                         size_t* bytes) {
  if (in_transaction) floor_run(floor->begin);
  sqlite3_bind_text(floor->find_by_key, 4, value, -1, SQLITE_STATIC);
  const size_t rows = read_all(floor->find_by_key, bytes);
  if (in_transaction) floor_run(floor->commit);
  return rows;
}

void floor_reader_close(FloorReader* floor) {
  sqlite3_finalize(floor->find_by_key);
  sqlite3_finalize(floor->begin);
  sqlite3_finalize(floor->commit);
  sqlite3_finalize(floor->get);
  sqlite3_finalize(floor->neighbors);
  sqlite3_finalize(floor->history);
  floor_close(floor->db);
  free(floor);
}
