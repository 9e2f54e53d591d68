/* The cost of a piece of work in this process: processor time and memory, from a mark on. */
#pragma once

#include <stdint.h>

/* How things stood when the work began. */
typedef struct tess_process_mark {
    double cpu_seconds;
    int64_t bytes; /* resident; -1: it cannot be told */
} tess_process_mark;

/* The most memory that this process has had resident so far, or since the last mark. */
int64_t tess_process_peak_bytes(void);

/* The memory of the largest program that it has started and waited for; 0: there was none. */
int64_t tess_process_children_peak_bytes(void);

/* Marks where the work begins: gives memory that was freed back to the system and lets the peak
 * start anew. */
tess_process_mark tess_process_mark_now(void);

/* How far resident memory rose above the mark at most; 0 where it cannot be told. */
int64_t tess_process_grown_bytes(const tess_process_mark *mark);
