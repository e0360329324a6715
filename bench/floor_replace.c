#include <stdlib.h>
#include <string.h>

#include "floor.h"

struct FloorReplacer {
  sqlite3* db;
  sqlite3_stmt* begin;
  sqlite3_stmt* lock;
  sqlite3_stmt* update;
  sqlite3_stmt* last;
  sqlite3_stmt* append;
  sqlite3_stmt* finish;
  sqlite3_stmt* commit;
};

static void bind_text(sqlite3_stmt* statement, int at, const char* text) {
  sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

FloorReplacer* floor_replacer_open(const char* path, enum FloorAccess access, const char* space,
                                   const char* actor) {
  FloorReplacer* floor = calloc(1, sizeof *floor);
  floor_require(NULL, floor != NULL, "memory");
  floor->db = floor_open(path, access);
  floor->begin = floor_prepare(floor->db, "BEGIN IMMEDIATE");
  floor->lock = floor_prepare(floor->db,
                              "SELECT last_seq, last_at, settings FROM spaces"
                              " WHERE space = ?1 AND deleted_at IS NULL");
  floor->update = floor_prepare(
      floor->db,
      "UPDATE entities SET revision = ?4, seq = ?6, properties = ?9, tags = ?10, merged_into = ?11"
      " WHERE space = ?1 AND id = ?2 AND revision = ?12 AND deleted_at IS NOT DISTINCT FROM ?13"
      " AND revision < ?4 AND created_at = ?3 AND deleted_at IS NOT DISTINCT FROM ?5"
      " AND kind IS NOT DISTINCT FROM ?7 AND name IS NOT DISTINCT FROM ?8");
  floor->last = floor_prepare(floor->db,
                              "SELECT seq, stream_seq FROM events WHERE space = ?1 AND kind = ?2"
                              " AND id = ?3 ORDER BY stream_seq DESC LIMIT 1");
  floor->append = floor_prepare(
      floor->db,
      "INSERT INTO events (space, seq, kind, id, stream_seq, prev_seq, op, body, actor,"
      " request_id, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");
  floor->finish =
      floor_prepare(floor->db, "UPDATE spaces SET last_seq = ?2, last_at = ?3 WHERE space = ?1");
  floor->commit = floor_prepare(floor->db, "COMMIT");

  sqlite3_stmt* const with_space[] = {floor->lock, floor->update, floor->last, floor->append,
                                      floor->finish};
  for (size_t i = 0; i < sizeof with_space / sizeof *with_space; ++i) {
    bind_text(with_space[i], 1, space);
  }
  bind_text(floor->last, 2, "entity");
  bind_text(floor->append, 3, "entity");
  bind_text(floor->append, 7, "replace");
  bind_text(floor->append, 9, actor);
  return floor;
}

static void replace_one(FloorReplacer* floor, const FloorChange* change) {
  sqlite3* const db = floor->db;
  floor_require(db, sqlite3_step(floor->lock) == SQLITE_ROW, "no space");
  const long long seq = sqlite3_column_int64(floor->lock, 0) + 1;
  sqlite3_reset(floor->lock);

  sqlite3_bind_blob(floor->update, 2, change->id, 16, SQLITE_STATIC);
  sqlite3_bind_int64(floor->update, 3, change->created_at_us);
  sqlite3_bind_int64(floor->update, 4, change->revision_us);
  sqlite3_bind_int64(floor->update, 6, seq);
  bind_text(floor->update, 7, change->kind);
  bind_text(floor->update, 8, change->name);
  bind_text(floor->update, 9, change->properties);
  bind_text(floor->update, 10, change->tags);
  sqlite3_bind_int64(floor->update, 12, change->read_revision_us);
  floor_run(floor->update);
  floor_require(db, sqlite3_changes(db) == 1, "the guard refused");

  sqlite3_bind_blob(floor->last, 3, change->id, 16, SQLITE_STATIC);
  floor_require(db, sqlite3_step(floor->last) == SQLITE_ROW, "no event");
  const long long prev_seq = sqlite3_column_int64(floor->last, 0);
  const long long stream_seq = sqlite3_column_int64(floor->last, 1) + 1;
  sqlite3_reset(floor->last);

  sqlite3_bind_int64(floor->append, 2, seq);
  sqlite3_bind_blob(floor->append, 4, change->id, 16, SQLITE_STATIC);
  sqlite3_bind_int64(floor->append, 5, stream_seq);
  sqlite3_bind_int64(floor->append, 6, prev_seq);
  bind_text(floor->append, 8, change->body);
  bind_text(floor->append, 10, change->request_id);
  sqlite3_bind_int64(floor->append, 11, change->revision_us);
  floor_run(floor->append);

  sqlite3_bind_int64(floor->finish, 2, seq);
  sqlite3_bind_int64(floor->finish, 3, change->revision_us);
  floor_run(floor->finish);
}

void floor_replace(FloorReplacer* floor, const FloorChange* changes, size_t count, size_t batch) {
  for (size_t first = 0; first < count; first += batch) {
    const size_t end = first + batch < count ? first + batch : count;
    floor_run(floor->begin);
    for (size_t i = first; i < end; ++i) replace_one(floor, &changes[i]);
    floor_run(floor->commit);
  }
}

sqlite3* floor_replacer_db(FloorReplacer* floor) { return floor->db; }

void floor_replacer_close(FloorReplacer* floor) {
  sqlite3_finalize(floor->begin);
  sqlite3_finalize(floor->lock);
  sqlite3_finalize(floor->update);
  sqlite3_finalize(floor->last);
  sqlite3_finalize(floor->append);
  sqlite3_finalize(floor->finish);
  sqlite3_finalize(floor->commit);
  floor_close(floor->db);
  free(floor);
}
