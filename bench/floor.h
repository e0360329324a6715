#pragma once

#include <sqlite3.h>
#include <stddef.h>

/* What a plain C program does with the same tables: the floors of the benchmarks. Statements are
 * prepared once, text is bound without a copy, nothing is looked up twice. A failure ends the
 * program, as a floor that did not do its work is of no use. */

#ifdef __cplusplus
extern "C" {
#endif

enum FloorAccess { kFloorReads, kFloorWritesNormal, kFloorWritesFull };

/* Opens with the pragmas that the store uses for such a connection, and SQLite's own automatic
 * checkpoints at the same number of pages. */
sqlite3* floor_open(const char* path, enum FloorAccess access);
void floor_close(sqlite3* db);
sqlite3_stmt* floor_prepare(sqlite3* db, const char* sql);
void floor_exec(sqlite3* db, const char* sql);
/* Runs a prepared statement that answers no rows, and makes it ready for the next time. */
void floor_run(sqlite3_stmt* statement);
long long floor_integer(sqlite3* db, const char* sql);
void floor_require(sqlite3* db, int holds, const char* what);

/* One guarded replace of an entity, with everything already made. */
typedef struct FloorChange {
  unsigned char id[16];
  const char* kind;
  const char* name;
  const char* properties;
  const char* tags;
  const char* body; /* of the event */
  const char* request_id;
  long long created_at_us;
  long long read_revision_us;
  long long revision_us;
} FloorChange;

typedef struct FloorReplacer FloorReplacer;
FloorReplacer* floor_replacer_open(const char* path, enum FloorAccess access, const char* space,
                                   const char* actor);
/* Commits after every `batch` changes. */
void floor_replace(FloorReplacer* floor, const FloorChange* changes, size_t count, size_t batch);
sqlite3* floor_replacer_db(FloorReplacer* floor);
void floor_replacer_close(FloorReplacer* floor);

/* Copies the rows and events of one space into an empty database of the same schema, in the order
 * of the events. */
typedef struct FloorCopy FloorCopy;
FloorCopy* floor_copy_open(const char* from, const char* to, enum FloorAccess access,
                           const char* space);
/* Reads up to `batch` events and their rows; answers how many. */
size_t floor_copy_read(FloorCopy* copy, size_t batch);
/* Inserts what was read, in one transaction. */
void floor_copy_write(FloorCopy* copy);
/* Frees what was read, after it was written. */
void floor_copy_forget(FloorCopy* copy);
/* Closes both; the copy's log is then in its database. */
void floor_copy_close(FloorCopy* copy);

/* Reads of one space by prepared statements. Each answers the number of rows and adds the bytes
 * that it looked at, so that nothing can be left out. */
typedef struct FloorReader FloorReader;
FloorReader* floor_reader_open(const char* path, const char* space);
size_t floor_get(FloorReader* floor, const unsigned char* id, size_t* bytes);
/* Outgoing edges with the entities at their other ends. */
size_t floor_neighbors(FloorReader* floor, const unsigned char* id, size_t limit, size_t* bytes);
/* The entity that has the value of the only declared key; with `in_transaction` between a BEGIN and
 * a COMMIT of its own. Begins with floor_reader_knows_key(). */
void floor_reader_knows_key(FloorReader* floor, const char* space, const char* key);
size_t floor_find_by_key(FloorReader* floor, const char* value, int in_transaction, size_t* bytes);
size_t floor_history(FloorReader* floor, const unsigned char* id, size_t limit, size_t* bytes);
void floor_reader_close(FloorReader* floor);

/* How many entities are within so many hops along outgoing edges, by one prepared statement for
 * each node. */
typedef struct FloorTraverser FloorTraverser;
FloorTraverser* floor_traverser_open(const char* path, const char* space);
/* All reads between the two are of one instant. */
void floor_traverser_begin(FloorTraverser* floor);
void floor_traverser_end(FloorTraverser* floor);
size_t floor_reach(FloorTraverser* floor, const unsigned char* start, unsigned hops);
void floor_traverser_close(FloorTraverser* floor);

#ifdef __cplusplus
}
#endif
