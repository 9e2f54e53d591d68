/* Scatter rows: the entries of a map by the points that they add to, each point's in a fixed order.
 *
 * A row is what one thread reduces. A point that has many entries is several rows, whose results
 * are reduced by rows of the next level, and so on: no order depends on the device, nor on how many
 * threads it has. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

enum { TESS_LONGEST_ROW = 256, TESS_MOST_REDUCTIONS = 4 /* 256^4 entries are more than 2^31 */ };

typedef struct tess_scatter_level {
    int32_t n_rows, n_partials; /* rows that do not end in a point */
    int32_t *offset;            /* [n_rows + 1]: of entries; NULL: row i has entry i alone */
    int32_t *entry;             /* of each entry, what it reads; NULL: entry i reads i */
    int32_t *target; /* [n_rows]: a point, or n_points + a partial; NULL: row i is point i */
    int32_t *count;  /* [n_rows]: entries of the point; NULL: those of the row */
} tess_scatter_level;

typedef struct tess_scatter_rows {
    int32_t n_points, n_entries;
    int n_levels;
    tess_scatter_level level[TESS_MOST_REDUCTIONS]; /* the next one reads the partials of the last */
    int32_t *order; /* [n_entries]: the number of each entry of the first level in the map, where
                       entries read sources; NULL: what it reads is its number */
} tess_scatter_rows;

/* What each entry of a map adds to, and what it reads. */
typedef struct tess_scatter_map {
    int64_t n_entries;
    int32_t n_points;
    const int32_t *points;  /* [n_entries]; NULL: entry i is point i */
    const int32_t *sources; /* [n_entries]; NULL: entry i reads values i */
} tess_scatter_map;

/* Sorts the entries by their points, stable. Fails (INPUT) where an entry names a point that is not
 * there, or there are more than 2^31 - 1 entries. tess_scatter_rows_clear frees what it holds. */
TESS_MUST_CHECK tess_status tess_scatter_rows_build(const tess_scatter_map *map,
                                                    tess_scatter_rows *rows);
void tess_scatter_rows_clear(tess_scatter_rows *rows);

/* Frees the arrays alone, where a device has copies of them. */
void tess_scatter_rows_drop(tess_scatter_rows *rows);
