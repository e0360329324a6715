#include "floor_schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "floor.h"

#define ARMED                                                                                  \
  " FROM scheduled_events WHERE space = ?1 AND status = 'pending' AND deleted_at IS NULL"      \
  " AND NOT EXISTS (SELECT 1 FROM attempts AS a WHERE a.space = scheduled_events.space"        \
  " AND a.event = scheduled_events.id AND a.finished_at IS NULL)"                              \
  " AND NOT EXISTS (SELECT 1 FROM attempts AS a WHERE a.space = scheduled_events.space"        \
  " AND a.event = scheduled_events.id AND a.armed_at = scheduled_events.trigger_at"            \
  " AND a.retry_at > ?2)"
#define ROW                                                                                    \
  "SELECT id, created_at, revision, deleted_at, seq, kind, payload, trigger_text, trigger_at," \
  " zone, repeat, anchor, catch_up, grace, max_attempts, status, properties"
#define ATTEMPT                                                                                \
  "SELECT occurrence, number, event, trigger_at, armed_at, invocation, worker, state, effect," \
  " error, passed_over, tries, is_idempotent, claimed_at, invoked_at, completed_at,"           \
  " finished_at, retry_at FROM attempts WHERE space = ?1 AND event = ?2"

typedef struct Due {
  unsigned char id[16];
  unsigned char invocation[16];
  long long trigger_at;
  long long revision;
  long long fencing;
  char lease[64];
  char* properties;
} Due;

struct FloorScheduler {
  sqlite3* db;
  char space[64];
  char worker[256];
  unsigned long long made; /* ids so far */
  sqlite3_stmt *due, *seen, *open, *last, *lease, *find_lease, *number, *insert;
  sqlite3_stmt *held, *invoke, *complete, *creator, *read, *exact, *close, *lock, *replace;
  sqlite3_stmt *stream, *event, *end, *release;
};

static sqlite3_stmt* prepared(FloorScheduler* f, const char* sql) {
  sqlite3_stmt* statement = floor_prepare(f->db, sql);
  sqlite3_bind_text(statement, 1, f->space, -1, SQLITE_STATIC);
  return statement;
}

FloorScheduler* floor_scheduler_open(const char* path, const char* space, const char* worker) {
  FloorScheduler* f = calloc(1, sizeof *f);
  f->db = floor_open(path, kFloorWritesFull);
  snprintf(f->space, sizeof f->space, "%s", space);
  snprintf(f->worker, sizeof f->worker, "%s", worker);
  f->due = prepared(f, ROW ARMED " AND trigger_at <= ?2 ORDER BY trigger_at, id LIMIT ?3");
  f->seen = prepared(f, "SELECT 1 FROM scheduled_events WHERE space = ?1 AND id = ?2 AND"
                        " deleted_at IS NULL AND status = 'pending' AND trigger_at = ?3"
                        " AND revision = ?4");
  f->open = prepared(f, ATTEMPT " AND finished_at IS NULL ORDER BY occurrence, number LIMIT 1");
  f->last = prepared(f, ATTEMPT " AND armed_at = ?3 ORDER BY trigger_at DESC, number DESC LIMIT 1");
  f->lease = prepared(f, "INSERT INTO leases (space, name, owner, fencing, expires_at)"
                         " VALUES (?1, ?2, ?3, 1, ?5) ON CONFLICT (space, name) DO UPDATE SET"
                         " owner = ?3, fencing = leases.fencing + 1, expires_at = ?5"
                         " WHERE leases.expires_at <= ?4");
  f->find_lease = prepared(f, "SELECT owner, fencing, expires_at FROM leases"
                              " WHERE space = ?1 AND name = ?2");
  f->number = prepared(f, "SELECT coalesce(max(number), 0) + 1 FROM attempts"
                          " WHERE space = ?1 AND occurrence = ?2");
  f->insert = prepared(f, "INSERT INTO attempts (space, occurrence, number, event, trigger_at,"
                          " armed_at, invocation, worker, state, error, passed_over, tries,"
                          " is_idempotent, claimed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7,"
                          " 'claimed', '', 0, 1, 0, ?8)");
  f->held = prepared(f, "SELECT 1 FROM leases WHERE space = ?1 AND name = ?2 AND owner = ?3"
                        " AND fencing = ?4");
  f->invoke = prepared(f, "UPDATE attempts SET state = 'invoking', is_idempotent = 0,"
                          " invoked_at = ?4 WHERE space = ?1 AND occurrence = ?2 AND number = 1"
                          " AND invocation = ?3 AND state = 'claimed'");
  f->complete = prepared(f, "UPDATE attempts SET state = 'succeeded', effect = NULL, error = '',"
                            " completed_at = ?4 WHERE space = ?1 AND occurrence = ?2"
                            " AND number = 1 AND invocation = ?3 AND state = 'invoking'");
  f->creator = prepared(f, "SELECT actor FROM events WHERE space = ?1"
                           " AND kind = 'scheduled_event' AND id = ?2 AND stream_seq = 1");
  f->read = prepared(f, ROW " FROM scheduled_events WHERE space = ?1 AND id = ?2");
  f->exact = prepared(f, "SELECT 1 FROM scheduled_events WHERE space = ?1 AND id = ?2"
                         " AND revision = ?3 AND deleted_at IS NULL AND properties = ?4");
  f->close = prepared(f, "UPDATE attempts SET state = 'succeeded', effect = NULL, error = '',"
                         " completed_at = coalesce(completed_at, ?4), finished_at = ?4,"
                         " retry_at = NULL WHERE space = ?1 AND occurrence = ?2 AND number = 1"
                         " AND invocation = ?3 AND finished_at IS NULL");
  f->lock = prepared(f, "SELECT last_seq, last_at, settings, row_count, body_bytes, projections"
                        " FROM spaces WHERE space = ?1");
  f->replace = prepared(f, "UPDATE scheduled_events SET revision = ?4, seq = ?5,"
                           " status = 'fired', trigger_at = trigger_at, deleted_at = NULL"
                           " WHERE space = ?1 AND id = ?2 AND revision = ?3"
                           " AND deleted_at IS NULL AND revision < ?4");
  f->stream = prepared(f, "SELECT seq, stream_seq FROM events WHERE space = ?1"
                          " AND kind = 'scheduled_event' AND id = ?2"
                          " ORDER BY stream_seq DESC LIMIT 1");
  f->event = prepared(f, "INSERT INTO events (space, seq, kind, id, stream_seq, prev_seq, op,"
                         " body, actor, request_id, at) VALUES (?1, ?3, 'scheduled_event', ?2,"
                         " ?4, ?5, 'fire', ?6, 'scheduler', ?7, ?8)"
                         " ON CONFLICT (space, kind, id, stream_seq) DO NOTHING");
  f->end = prepared(f, "UPDATE spaces SET last_seq = ?2, last_at = ?3, row_count = row_count,"
                       " body_bytes = body_bytes + ?4 WHERE space = ?1");
  f->release = prepared(f, "UPDATE leases SET expires_at = 0 WHERE space = ?1 AND name = ?2"
                           " AND owner = ?3 AND fencing = ?4");
  return f;
}

static void bind_id(sqlite3_stmt* statement, int at, const unsigned char* id) {
  sqlite3_bind_blob(statement, at, id, 16, SQLITE_STATIC);
}

static long long answer(FloorScheduler* f, sqlite3_stmt* statement, int column) {
  long long value = -1;
  const int result = sqlite3_step(statement);
  floor_require(f->db, result == SQLITE_ROW || result == SQLITE_DONE, "a look failed");
  if (result == SQLITE_ROW) value = sqlite3_column_int64(statement, column);
  sqlite3_reset(statement);
  return value;
}

static size_t look(FloorScheduler* f, Due* due, size_t batch, long long now) {
  static const char digits[] = "0123456789abcdef";
  size_t count = 0;
  sqlite3_bind_int64(f->due, 2, now);
  sqlite3_bind_int64(f->due, 3, (long long)batch);
  while (sqlite3_step(f->due) == SQLITE_ROW) {
    Due* one = &due[count++];
    memcpy(one->id, sqlite3_column_blob(f->due, 0), 16);
    one->revision = sqlite3_column_int64(f->due, 2);
    one->trigger_at = sqlite3_column_int64(f->due, 8);
    one->properties = strdup((const char*)sqlite3_column_text(f->due, 16));
    ++f->made;
    memset(one->invocation, 0, sizeof one->invocation);
    memcpy(one->invocation, &f->made, sizeof f->made);
    memcpy(one->lease, "event:", 6);
    for (int i = 0; i < 16; ++i) {
      one->lease[6 + 2 * i] = digits[one->id[i] >> 4];
      one->lease[7 + 2 * i] = digits[one->id[i] & 15];
    }
    one->lease[38] = 0;
  }
  sqlite3_reset(f->due);
  return count;
}

static void claim(FloorScheduler* f, Due* one, long long now) {
  bind_id(f->seen, 2, one->id);
  sqlite3_bind_int64(f->seen, 3, one->trigger_at);
  sqlite3_bind_int64(f->seen, 4, one->revision);
  floor_require(f->db, answer(f, f->seen, 0) == 1, "an event has changed");
  bind_id(f->open, 2, one->id);
  floor_require(f->db, answer(f, f->open, 1) == -1, "an event is open");
  bind_id(f->last, 2, one->id);
  sqlite3_bind_int64(f->last, 3, one->trigger_at);
  (void)answer(f, f->last, 1);
  sqlite3_bind_text(f->lease, 2, one->lease, -1, SQLITE_STATIC);
  sqlite3_bind_text(f->lease, 3, f->worker, -1, SQLITE_STATIC);
  sqlite3_bind_int64(f->lease, 4, now);
  sqlite3_bind_int64(f->lease, 5, now + 30000000);
  floor_run(f->lease);
  sqlite3_bind_text(f->find_lease, 2, one->lease, -1, SQLITE_STATIC);
  one->fencing = answer(f, f->find_lease, 1);
  bind_id(f->number, 2, one->invocation);
  (void)answer(f, f->number, 0);
  bind_id(f->insert, 2, one->invocation); /* as the occurrence, whose digest is not the point */
  sqlite3_bind_int64(f->insert, 3, 1);
  bind_id(f->insert, 4, one->id);
  sqlite3_bind_int64(f->insert, 5, one->trigger_at);
  bind_id(f->insert, 6, one->invocation);
  sqlite3_bind_text(f->insert, 7, f->worker, -1, SQLITE_STATIC);
  sqlite3_bind_int64(f->insert, 8, now);
  floor_run(f->insert);
}

static void hold(FloorScheduler* f, sqlite3_stmt* statement, const Due* one) {
  sqlite3_bind_text(statement, 2, one->lease, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 3, f->worker, -1, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 4, one->fencing);
}

static void step(FloorScheduler* f, sqlite3_stmt* statement, const Due* one, long long now) {
  hold(f, f->held, one);
  floor_require(f->db, answer(f, f->held, 0) == 1, "a lease was lost");
  bind_id(statement, 2, one->invocation);
  bind_id(statement, 3, one->invocation);
  sqlite3_bind_int64(statement, 4, now);
  floor_run(statement);
}

static void finish(FloorScheduler* f, const Due* one, long long now) {
  bind_id(f->creator, 2, one->id);
  (void)answer(f, f->creator, 0);
  const long long seq = answer(f, f->lock, 0) + 1;
  hold(f, f->held, one);
  floor_require(f->db, answer(f, f->held, 0) == 1, "a lease was lost");
  bind_id(f->exact, 2, one->id);
  sqlite3_bind_int64(f->exact, 3, one->revision);
  sqlite3_bind_text(f->exact, 4, one->properties, -1, SQLITE_STATIC);
  floor_require(f->db, answer(f, f->exact, 0) == 1, "an event has changed");
  bind_id(f->close, 2, one->invocation);
  bind_id(f->close, 3, one->invocation);
  sqlite3_bind_int64(f->close, 4, now);
  floor_run(f->close);
  bind_id(f->replace, 2, one->id);
  sqlite3_bind_int64(f->replace, 3, one->revision);
  sqlite3_bind_int64(f->replace, 4, one->revision + 1);
  sqlite3_bind_int64(f->replace, 5, seq);
  floor_run(f->replace);
  bind_id(f->stream, 2, one->id);
  const long long before = answer(f, f->stream, 0);
  char body[700];
  memset(body, 'x', sizeof body - 1);
  body[sizeof body - 1] = 0;
  bind_id(f->event, 2, one->id);
  sqlite3_bind_int64(f->event, 3, seq);
  sqlite3_bind_int64(f->event, 4, 2);
  sqlite3_bind_int64(f->event, 5, before);
  sqlite3_bind_text(f->event, 6, body, 560, SQLITE_STATIC);
  sqlite3_bind_text(f->event, 7, one->lease, -1, SQLITE_STATIC);
  sqlite3_bind_int64(f->event, 8, now);
  floor_run(f->event);
  sqlite3_bind_int64(f->end, 2, seq);
  sqlite3_bind_int64(f->end, 3, now);
  sqlite3_bind_int64(f->end, 4, 560);
  floor_run(f->end);
  hold(f, f->release, one);
  floor_run(f->release);
}

size_t floor_scheduler_drain(FloorScheduler* f, long long now, size_t batch, int calls_handler) {
  Due* due = calloc(batch, sizeof *due);
  size_t all = 0;
  for (size_t count; (count = look(f, due, batch, now)) > 0; all += count) {
    floor_exec(f->db, "BEGIN IMMEDIATE");
    for (size_t i = 0; i < count; ++i) claim(f, &due[i], now);
    floor_exec(f->db, "COMMIT");
    if (calls_handler) {
      floor_exec(f->db, "BEGIN IMMEDIATE");
      for (size_t i = 0; i < count; ++i) step(f, f->invoke, &due[i], now);
      floor_exec(f->db, "COMMIT");
      floor_exec(f->db, "BEGIN IMMEDIATE");
      for (size_t i = 0; i < count; ++i) step(f, f->complete, &due[i], now);
      floor_exec(f->db, "COMMIT");
    }
    for (size_t i = 0; i < count; ++i) {
      bind_id(f->read, 2, due[i].id);
      (void)answer(f, f->read, 2);
    }
    floor_exec(f->db, "BEGIN IMMEDIATE");
    for (size_t i = 0; i < count; ++i) {
      finish(f, &due[i], now);
      free(due[i].properties);
    }
    floor_exec(f->db, "COMMIT");
  }
  free(due);
  return all;
}

void floor_scheduler_close(FloorScheduler* f) {
  sqlite3_stmt* statement = NULL;
  while ((statement = sqlite3_next_stmt(f->db, NULL)) != NULL) sqlite3_finalize(statement);
  floor_close(f->db);
  free(f);
}
