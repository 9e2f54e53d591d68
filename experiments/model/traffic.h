/* Traffic: the sectors of 32 bytes that warps and blocks touch, and which of them come from memory,
 * counted from where points and elements are stored, without running anything.
 *
 * Dats of one set that lie in SoA with values of one size are a column: their sectors have the same
 * pattern, so it is counted once. A dat in AoS is a column of its own. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stdint.h>

enum { TESS_SECTOR = 32, TESS_LINE = 128, TESS_LANES = 32 };

/* What was counted. Sectors, but for what says otherwise. */
typedef struct tess_traffic_counts {
    double reads;       /* distinct in each warp-level instruction */
    double block_reads; /* distinct in each block */
    double writes;      /* distinct in each instruction */
    double lines;  /* of 128 bytes, distinct in each instruction: those that it writes, and those of
                      which it reads sectors that its block has not read before */
    double passes; /* atomics: of each sector of an instruction the most lanes on one address */
    double missed; /* such passes whose sector was not in the L2 */
    double values; /* lanes of atomics, in units of 8 bytes */
    double memory_reads, memory_writes; /* what the L2 fetches and writes back */
    double instructions;                /* of warps, to memory */
} tess_traffic_counts;

typedef struct tess_column {
    bool aos;
    int size;          /* bytes of a value */
    int dim;           /* values at a point: of all its dats; in AoS of a row */
    int64_t n_units;   /* SoA: of TESS_SECTOR / size points; AoS: sectors */
    int64_t first;     /* unit among those of all columns */
    int32_t *in_warp;  /* [n_units]: the last warp that touched it ... */
    int32_t *in_block; /* ... and the last block that read it */
    int32_t *in_line;  /* [n_units / 4 + 1]: the last warp that touched a line */
} tess_column;

typedef struct tess_traffic {
    tess_traffic_counts counts;
    int n_columns;
    tess_column *columns;
    int32_t warp, block; /* that access memory now */
    /* The L2: units by when they were used last, and streams, which are used once. */
    int64_t capacity, used; /* sectors */
    int64_t n_units, n_streams, stream;
    int32_t newest, oldest;
    int32_t *newer, *older; /* [n_units + n_streams]; -1 at an end */
    int32_t *sectors;       /* of each; 0 where it is not in the L2 */
    bool *dirty;
} tess_traffic;

typedef enum tess_touch { TESS_TOUCH_READ, TESS_TOUCH_WRITE, TESS_TOUCH_ATOMIC } tess_touch;

/* Begins with nothing in an L2 of that many bytes; `columns` [n] have aos, size and dim, and for
 * how many points; `n_streams` is how many streams there will be at most. */
typedef struct tess_column_shape {
    bool aos;
    int size, dim;
    int64_t n_points;
} tess_column_shape;
TESS_MUST_CHECK tess_status tess_traffic_open(const tess_column_shape *columns, int n,
                                              int64_t l2_bytes, int64_t n_streams,
                                              tess_traffic *out);
void tess_traffic_close(tess_traffic *traffic);

/* What follows is of another thread block. */
void tess_traffic_block(tess_traffic *traffic);

/* Some components of a column: n of them; in AoS those of a row from `first` on. */
typedef struct tess_components {
    int column, first, n;
} tess_components;

/* The lanes of a warp access values at the points [n], n <= 32, -1 where a lane has none; each
 * instruction one value of every point. */
void tess_traffic_warp(tess_traffic *traffic, tess_components values, const int32_t *points, int n,
                       tess_touch touch);

/* Counts with lanes side by side on the values of a point: atomics that a warp transposes. */
void tess_traffic_rows(tess_traffic *traffic, tess_components values, const int32_t *points, int n,
                       tess_touch touch);

/* A block reads n sectors that lie one behind the other, once. */
void tess_traffic_stream(tess_traffic *traffic, double sectors);

/* What is dirty in the L2 is written back in the end. */
void tess_traffic_flush(tess_traffic *traffic);
