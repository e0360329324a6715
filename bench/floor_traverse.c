#include <stdlib.h>
#include <string.h>

#include "floor.h"

/* Ids met so far, in the order they were met, and an open-addressing table of their places. */
struct FloorTraverser {
  sqlite3* db;
  sqlite3_stmt* targets;
  unsigned char (*ids)[16];
  size_t count;
  size_t room;
  unsigned* table;
  size_t places; /* a power of two */
};

static size_t home(const FloorTraverser* floor, const unsigned char* id) {
  unsigned long long high;
  unsigned long long low;
  memcpy(&high, id, 8);
  memcpy(&low, id + 8, 8);
  const unsigned long long mixed = (low ^ high * 0x9E3779B97F4A7C15ULL) * 0xD6E8FEB86659FD93ULL;
  return (size_t)(mixed ^ mixed >> 32) & (floor->places - 1);
}

static void place_all(FloorTraverser* floor) {
  memset(floor->table, 0xff, floor->places * sizeof *floor->table);
  for (size_t i = 0; i < floor->count; ++i) {
    size_t at = home(floor, floor->ids[i]);
    while (floor->table[at] != ~0U) at = (at + 1) & (floor->places - 1);
    floor->table[at] = (unsigned)i;
  }
}

static void grow(FloorTraverser* floor) {
  floor->places = floor->places == 0 ? 64 : floor->places * 2;
  floor->room = floor->places * 2 / 3;
  floor->table = realloc(floor->table, floor->places * sizeof *floor->table);
  floor->ids = realloc(floor->ids, floor->room * sizeof *floor->ids);
  floor_require(floor->db, floor->table != NULL && floor->ids != NULL, "memory");
  place_all(floor);
}

static void meet(FloorTraverser* floor, const unsigned char* id) {
  if (floor->count == floor->room) grow(floor);
  size_t at = home(floor, id);
  for (; floor->table[at] != ~0U; at = (at + 1) & (floor->places - 1)) {
    if (memcmp(floor->ids[floor->table[at]], id, 16) == 0) return;
  }
  floor->table[at] = (unsigned)floor->count;
  memcpy(floor->ids[floor->count++], id, 16);
}

FloorTraverser* floor_traverser_open(const char* path, const char* space) {
  FloorTraverser* floor = calloc(1, sizeof *floor);
  floor_require(NULL, floor != NULL, "memory");
  floor->db = floor_open(path, kFloorReads);
  floor->targets = floor_prepare(floor->db,
                                 "SELECT target FROM edges WHERE space = ?1 AND source = ?2"
                                 " AND deleted_at IS NULL ORDER BY relation, target, valid_from");
  sqlite3_bind_text(floor->targets, 1, space, -1, SQLITE_STATIC);
  return floor;
}

void floor_traverser_begin(FloorTraverser* floor) { floor_exec(floor->db, "BEGIN"); }
void floor_traverser_end(FloorTraverser* floor) { floor_exec(floor->db, "ROLLBACK"); }

size_t floor_reach(FloorTraverser* floor, const unsigned char* start, unsigned hops) {
  floor->count = 0;
  if (floor->places != 0) memset(floor->table, 0xff, floor->places * sizeof *floor->table);
  meet(floor, start);
  size_t begin = 0;
  for (unsigned hop = 0; hop < hops; ++hop) {
    const size_t end = floor->count;
    for (size_t i = begin; i < end; ++i) {
      unsigned char id[16];
      memcpy(id, floor->ids[i], 16);
      sqlite3_bind_blob(floor->targets, 2, id, 16, SQLITE_STATIC);
      int code = SQLITE_ROW;
      while ((code = sqlite3_step(floor->targets)) == SQLITE_ROW) {
        meet(floor, sqlite3_column_blob(floor->targets, 0));
      }
      floor_require(floor->db, code == SQLITE_DONE, "read");
      sqlite3_reset(floor->targets);
    }
    begin = end;
  }
  return floor->count - 1;
}

void floor_traverser_close(FloorTraverser* floor) {
  sqlite3_finalize(floor->targets);
  floor_close(floor->db);
  free(floor->ids);
  free(floor->table);
  free(floor);
}
