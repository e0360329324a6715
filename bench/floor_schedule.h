#pragma once

#include <sqlite3.h>
#include <stddef.h>

/* What a plain C program does to fire events that are due: the same statements as the scheduler,
 * in batches of the same size, and nothing between them. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FloorScheduler FloorScheduler;
/* Fires as `worker`, in one space. */
FloorScheduler* floor_scheduler_open(const char* path, const char* space, const char* worker);
/* Fires what is due, `batch` events in a transaction; with `calls_handler` the two steps around a
 * handler's call are stored too. Answers how many there were. */
size_t floor_scheduler_drain(FloorScheduler* floor, long long now_us, size_t batch,
                             int calls_handler);
void floor_scheduler_close(FloorScheduler* floor);

#ifdef __cplusplus
}
#endif
