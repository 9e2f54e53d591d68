/* Block colours for tests: as many as a plan gives the blocks of a problem of one map. */
#pragma once

#include "core/base/array.h"
#include "core/plan/block_colours.h"
#include "tests/core/small_problem.h"

#include <stdlib.h>
#include <string.h>

/* The points of each block: fills offset [n_blocks + 1] and index [slots of the map]. */
static inline void list_block_points(const tess_incidence *map, const tess_rows *elements,
                                     int64_t *offset, int32_t *index) {
    int32_t *last = NULL; /* block seen at each point */
    int64_t n = 0;
    OK(TESS_ALLOC(map->n_points, &last));
    memset(last, -1, (size_t)map->n_points * sizeof *last);
    offset[0] = 0;
    for (int32_t b = 0; b < elements->n; b++) {
        for (int64_t i = elements->offset[b]; i < elements->offset[b + 1]; i++) {
            int64_t width = 0;
            const int32_t *const row = tess_incidence_row(map, elements->item[i], &width);
            for (int64_t k = 0; k < width; k++)
                if (row[k] >= 0 && last[row[k]] != b) {
                    last[row[k]] = b;
                    index[n++] = row[k];
                }
        }
        offset[b + 1] = n;
    }
    free(last);
}

static inline int32_t block_colours_of(const tess_partition_problem *problem,
                                       const int32_t *block_of, int32_t n_blocks) {
    const tess_incidence *const map = problem->maps;
    int32_t *colour = NULL, *index = NULL, n_colours = 0;
    int64_t *offset = NULL;
    tess_rows *elements = NULL;
    OK(TESS_ALLOC(n_blocks, &colour));
    OK(TESS_ALLOC(problem->n_elements * map->arity, &index));
    OK(TESS_ALLOC(n_blocks + 1, &offset));
    OK(tess_rows_build(block_of, problem->n_elements, n_blocks, &elements));
    list_block_points(map, elements, offset, index);
    tess_incidence points = {.index = index, .offset = offset, .n_points = map->n_points};
    const tess_blocks_to_colour blocks = {&points, 1, n_blocks, NULL};
    OK(tess_block_colours_find(&blocks, TESS_COLOUR_FEWEST, colour, &n_colours));
    free(colour);
    free(index);
    free(offset);
    tess_rows_free(elements);
    return n_colours;
}
