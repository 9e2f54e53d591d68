/* A tile: what the lanes of an element share, and how they load and give it. */
#pragma once

#include "core/mesh/cell_type.h"
#include "kernels/codegen/tables.h"
#include "kernels/codegen/warp_reduction.h"
#include "kernels/loops/kernel_parts.h"

enum { TESS_TILE_WORD = 8 };

/* How the edges of a cell sum up. */
typedef enum tess_edge_sum {
    TESS_EDGES_GLOBAL,
    TESS_EDGES_ATOMICS,
    TESS_EDGES_SERIAL,
    TESS_EDGES_SETS
} tess_edge_sum;

/* What is printed, of what. */
typedef struct tess_tile {
    tess_page *page;
    tess_reduction_variants variants;
    const tess_cell_type *type; /* NULL: the loop is over no cells */
    int lanes;
    tess_edge_sum sum;
    int64_t words; /* of 8 bytes, from one tile to the next */
    int64_t shift; /* and so many more to those of a warp's second half */
} tess_tile;

/* Whether a part is used. */
bool tess_tile_uses(const tess_tile *t, const tess_kernel_part *part);

/* Whether edges of a part sum up in the tile. */
bool tess_tile_sums(const tess_tile *t, const tess_kernel_part *part);

/* The type of what a part makes. */
const char *tess_tile_made_type(const tess_tile *t, const tess_kernel_part *part);

/* How a part's call names what lies in the tile. */
extern const tess_part_words tess_tile_words;

/* Says what a part takes, for the emulator's checks. */
void tess_tile_print_reads(const tess_tile *t, const tess_kernel_part *part);

/* Prints the tile, whose words it counts, and
 *
 *   SET_slot(p, i, s)             the point of slot s of the element stored at i; `pairs` as
 *                                 tess_table_index_found has left them
 *   load_tile(p, t, i, active)    what parts read, by all lanes */
TESS_MUST_CHECK tess_status tess_tile_print(tess_tile *t, const tess_pair_slots *pairs);

/* Prints give_parts(t, active): parts that give, each instance by a lane. */
TESS_MUST_CHECK tess_status tess_tile_print_give_parts(const tess_tile *t);
