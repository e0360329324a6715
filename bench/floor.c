#include "floor.h"

#include <stdio.h>
#include <stdlib.h>

void floor_require(sqlite3* db, int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "floor: %s: %s\n", what, db == NULL ? "no database" : sqlite3_errmsg(db));
  exit(1);
}

sqlite3* floor_open(const char* path, enum FloorAccess access) {
  const int flags = access == kFloorReads ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  sqlite3* db = NULL;
  const int code = sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL);
  floor_require(db, code == SQLITE_OK, path);
  floor_exec(db, "PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0;"
                 "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY");
  if (access == kFloorReads) return db;
  floor_exec(db, "PRAGMA cache_size = -65536; PRAGMA journal_size_limit = 67108864;"
                 "PRAGMA wal_autocheckpoint = 4000");
  floor_exec(db, access == kFloorWritesFull ? "PRAGMA synchronous = FULL"
                                            : "PRAGMA synchronous = NORMAL");
  return db;
}

void floor_close(sqlite3* db) {
  floor_require(db, sqlite3_close(db) == SQLITE_OK, "close");
}

sqlite3_stmt* floor_prepare(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement = NULL;
  const int code = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  floor_require(db, code == SQLITE_OK, sql);
  return statement;
}

void floor_exec(sqlite3* db, const char* sql) {
  floor_require(db, sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

void floor_run(sqlite3_stmt* statement) {
  floor_require(sqlite3_db_handle(statement), sqlite3_step(statement) == SQLITE_DONE,
                sqlite3_sql(statement));
  sqlite3_reset(statement);
}

long long floor_integer(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement = floor_prepare(db, sql);
  floor_require(db, sqlite3_step(statement) == SQLITE_ROW, sql);
  const long long value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}
