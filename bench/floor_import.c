#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "floor.h"

enum { kColumnsMax = 16, kTables = 4 };

/* A table of rows that events are about, and the event's kind. */
typedef struct Table {
  const char* kind;
  const char* name;
  int columns;
  sqlite3_stmt* select; /* of one row, by space and id */
  sqlite3_stmt* insert;
} Table;

typedef struct Record {
  sqlite3_stmt* insert;
  int columns;
  sqlite3_value* values[kColumnsMax];
} Record;

typedef struct Hood {
  unsigned char entity[16];
  sqlite3_int64 seq;
} Hood;

struct FloorCopy {
  sqlite3* from;
  sqlite3* to;
  const char* space;
  Table tables[kTables];
  sqlite3_stmt* events;
  sqlite3_stmt* insert_event;
  sqlite3_stmt* insert_hood;
  sqlite3_stmt* finish;
  sqlite3_stmt* begin;
  sqlite3_stmt* commit;
  Record* records;
  size_t record_count;
  size_t records_max;
  Hood* hoods; /* all of them, by sequence */
  size_t hood_count;
  size_t hoods_written;
  int is_read; /* stepping a statement that has ended would begin it again */
  sqlite3_int64 last_seq;
  sqlite3_int64 last_at_us;
};

static sqlite3_stmt* prepare_insert(sqlite3* db, const char* table, int columns) {
  char sql[256];
  int length = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", table);
  for (int i = 1; i < columns; ++i) {
    length += snprintf(sql + length, sizeof sql - (size_t)length, ", ?");
  }
  snprintf(sql + length, sizeof sql - (size_t)length, ")");
  return floor_prepare(db, sql);
}

static Table open_table(FloorCopy* copy, const char* kind, const char* name) {
  char sql[256];
  snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE space = ?1 AND id = ?2", name);
  Table table = {.kind = kind, .name = name};
  table.select = floor_prepare(copy->from, sql);
  sqlite3_bind_text(table.select, 1, copy->space, -1, SQLITE_STATIC);
  table.columns = sqlite3_column_count(table.select);
  floor_require(copy->from, table.columns <= kColumnsMax, "too many columns");
  table.insert = prepare_insert(copy->to, name, table.columns);
  return table;
}

static void read_hoods(FloorCopy* copy) {
  sqlite3_stmt* select =
      floor_prepare(copy->from, "SELECT entity, seq FROM hoods WHERE space = ?1 ORDER BY seq");
  sqlite3_bind_text(select, 1, copy->space, -1, SQLITE_STATIC);
  size_t most = 0;
  while (sqlite3_step(select) == SQLITE_ROW) {
    if (copy->hood_count == most) {
      most = most == 0 ? 1024 : 2 * most;
      copy->hoods = realloc(copy->hoods, most * sizeof *copy->hoods);
      floor_require(NULL, copy->hoods != NULL, "memory");
    }
    Hood* hood = &copy->hoods[copy->hood_count++];
    memcpy(hood->entity, sqlite3_column_blob(select, 0), sizeof hood->entity);
    hood->seq = sqlite3_column_int64(select, 1);
  }
  sqlite3_finalize(select);
}

FloorCopy* floor_copy_open(const char* from, const char* to, enum FloorAccess access,
                           const char* space) {
  FloorCopy* copy = calloc(1, sizeof *copy);
  floor_require(NULL, copy != NULL, "memory");
  copy->space = space;
  copy->from = floor_open(from, kFloorReads);
  copy->to = floor_open(to, access);
  copy->tables[0] = open_table(copy, "entity", "entities");
  copy->tables[1] = open_table(copy, "note", "notes");
  copy->tables[2] = open_table(copy, "edge", "edges");
  copy->tables[3] = open_table(copy, "relation", "relations");
  /* The space's own event is in the empty database already. */
  copy->events = floor_prepare(
      copy->from, "SELECT * FROM events WHERE space = ?1 AND kind <> 'space' ORDER BY seq");
  sqlite3_bind_text(copy->events, 1, space, -1, SQLITE_STATIC);
  copy->insert_event = prepare_insert(copy->to, "events", sqlite3_column_count(copy->events));
  copy->insert_hood = prepare_insert(copy->to, "hoods", 3);
  copy->finish =
      floor_prepare(copy->to, "UPDATE spaces SET last_seq = ?2, last_at = ?3 WHERE space = ?1");
  sqlite3_bind_text(copy->insert_hood, 1, space, -1, SQLITE_STATIC);
  sqlite3_bind_text(copy->finish, 1, space, -1, SQLITE_STATIC);
  copy->begin = floor_prepare(copy->to, "BEGIN IMMEDIATE");
  copy->commit = floor_prepare(copy->to, "COMMIT");
  read_hoods(copy);
  return copy;
}

static void keep(FloorCopy* copy, sqlite3_stmt* row, sqlite3_stmt* insert) {
  Record* record = &copy->records[copy->record_count++];
  record->insert = insert;
  record->columns = sqlite3_column_count(row);
  for (int i = 0; i < record->columns; ++i) {
    record->values[i] = sqlite3_value_dup(sqlite3_column_value(row, i));
    floor_require(NULL, record->values[i] != NULL, "memory");
  }
}

static void keep_row(FloorCopy* copy, const char* kind, const void* id) {
  for (int i = 0; i < kTables; ++i) {
    const Table* table = &copy->tables[i];
    if (strcmp(table->kind, kind) != 0) continue;
    sqlite3_bind_blob(table->select, 2, id, 16, SQLITE_STATIC);
    floor_require(copy->from, sqlite3_step(table->select) == SQLITE_ROW, "event without a row");
    keep(copy, table->select, table->insert);
    sqlite3_reset(table->select);
    return;
  }
  floor_require(NULL, 0, kind);
}

size_t floor_copy_read(FloorCopy* copy, size_t batch) {
  if (copy->records_max < 2 * batch) {
    copy->records_max = 2 * batch;
    copy->records = realloc(copy->records, copy->records_max * sizeof *copy->records);
    floor_require(NULL, copy->records != NULL, "memory");
  }
  size_t events = 0;
  while (!copy->is_read && events < batch) {
    copy->is_read = sqlite3_step(copy->events) != SQLITE_ROW;
    if (copy->is_read) break;
    ++events;
    copy->last_seq = sqlite3_column_int64(copy->events, 1);
    copy->last_at_us = sqlite3_column_int64(copy->events, 10);
    keep_row(copy, (const char*)sqlite3_column_text(copy->events, 2),
             sqlite3_column_blob(copy->events, 3));
    keep(copy, copy->events, copy->insert_event);
  }
  return events;
}

/* Text and blobs by their address: sqlite3_bind_value() would copy them. */
static void bind_static(sqlite3_stmt* statement, int at, sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      sqlite3_bind_int64(statement, at, sqlite3_value_int64(value));
      break;
    case SQLITE_FLOAT:
      sqlite3_bind_double(statement, at, sqlite3_value_double(value));
      break;
    case SQLITE_TEXT: {
      const unsigned char* text = sqlite3_value_text(value);
      sqlite3_bind_text(statement, at, (const char*)text, sqlite3_value_bytes(value),
                        SQLITE_STATIC);
      break;
    }
    case SQLITE_BLOB: {
      const void* blob = sqlite3_value_blob(value);
      sqlite3_bind_blob(statement, at, blob, sqlite3_value_bytes(value), SQLITE_STATIC);
      break;
    }
    default:
      sqlite3_bind_null(statement, at);
  }
}

static void write_hoods(FloorCopy* copy) {
  while (copy->hoods_written < copy->hood_count &&
         copy->hoods[copy->hoods_written].seq <= copy->last_seq) {
    const Hood* hood = &copy->hoods[copy->hoods_written++];
    sqlite3_bind_blob(copy->insert_hood, 2, hood->entity, 16, SQLITE_STATIC);
    sqlite3_bind_int64(copy->insert_hood, 3, hood->seq);
    floor_run(copy->insert_hood);
  }
}

void floor_copy_write(FloorCopy* copy) {
  floor_run(copy->begin);
  for (size_t r = 0; r < copy->record_count; ++r) {
    const Record* record = &copy->records[r];
    for (int i = 0; i < record->columns; ++i) {
      bind_static(record->insert, i + 1, record->values[i]);
    }
    floor_run(record->insert);
  }
  write_hoods(copy);
  sqlite3_bind_int64(copy->finish, 2, copy->last_seq);
  sqlite3_bind_int64(copy->finish, 3, copy->last_at_us);
  floor_run(copy->finish);
  floor_run(copy->commit);
}

void floor_copy_forget(FloorCopy* copy) {
  for (size_t r = 0; r < copy->record_count; ++r) {
    for (int i = 0; i < copy->records[r].columns; ++i) {
      sqlite3_value_free(copy->records[r].values[i]);
    }
  }
  copy->record_count = 0;
}

void floor_copy_close(FloorCopy* copy) {
  for (int i = 0; i < kTables; ++i) {
    sqlite3_finalize(copy->tables[i].select);
    sqlite3_finalize(copy->tables[i].insert);
  }
  sqlite3_stmt* const rest[] = {copy->events, copy->insert_event, copy->insert_hood,
                                copy->finish, copy->begin,        copy->commit};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i) sqlite3_finalize(rest[i]);
  floor_close(copy->from);
  floor_close(copy->to);
  free(copy->records);
  free(copy->hoods);
  free(copy);
}
