/* A case for groups of blocks: two elements a block, and one point that all elements have. */
#pragma once

#include "partitioners/mosaic/group.h"
#include "tests/partitioners/mosaic_case.h"

enum { COMMON_POINT_ELEMENTS = 64, COMMON_POINT_BLOCKS = COMMON_POINT_ELEMENTS / 2 };

typedef struct common_point_case {
    int32_t point[COMMON_POINT_ELEMENTS], block_of[COMMON_POINT_ELEMENTS];
    mosaic_pins pins;
    mosaic_blocks blocks;
    mosaic_group group; /* of all blocks */
} common_point_case;

/* Elements lie at `centroid` [COMMON_POINT_ELEMENTS], or nowhere where it is NULL. */
static inline void common_point_open(const mosaic_centroid *centroid, common_point_case *c) {
    int32_t list[COMMON_POINT_BLOCKS];
    *c = (common_point_case){.pins = {.n_elements = COMMON_POINT_ELEMENTS,
                                      .n_points = 1,
                                      .n_pins = COMMON_POINT_ELEMENTS,
                                      .arity = 1,
                                      .point = c->point}};
    for (int32_t e = 0; e < COMMON_POINT_ELEMENTS; e++)
        c->block_of[e] = list[e / 2] = e / 2;
    OK(mosaic_blocks_build(&c->pins, 2, COMMON_POINT_BLOCKS, c->block_of, &c->blocks));
    c->blocks.centroid = centroid;
    OK(mosaic_group_load(&c->blocks, list, COMMON_POINT_BLOCKS, &c->group));
}

static inline void assert_no_block_is_empty(const common_point_case *c) {
    for (int32_t b = 0; b < COMMON_POINT_BLOCKS; b++)
        assert_true(c->group.size[b] >= 1);
}

static inline void common_point_close(common_point_case *c) {
    mosaic_group_clear(&c->group);
    mosaic_blocks_clear(&c->blocks);
}
