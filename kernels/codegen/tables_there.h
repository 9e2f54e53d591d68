/* Tables there: a page's tables made in the memory of its device, by the kernels that cut
 * (kernels/cut), a thread block for each block of the plan.
 *
 * What they are made of is brought there once, what texts depend on comes back, and the tables stay
 * there. The host's tables are the same, byte for byte. */
#pragma once

#include "kernels/codegen/tables.h"
#include "kernels/cut/cut_kernels.h"

/* The points of a target there; as in tess_plan_set, offsets and points as int. */
typedef struct tess_there_set {
    tess_address point_offset, points, local_index;
    tess_address order; /* where each point is stored; 0: at its number */
} tess_there_set;

struct tess_tables_there {
    tess_cut_kernels kernels;
    tess_cut_room room; /* of what is there until the page is written */
    /* 0 until they are asked for */
    tess_there_set *sets; /* [n_targets] */
    tess_address block_offset, owner;
    tess_address executed; /* where the element at each position is stored; 0: there, or unknown */
    bool knows_executed;
};

/* Lets the tables of a page be made there by a page of kernels (tess_cut_page), where its store is
 * placed; the caller closes it, whatever failed. From then on what makes them fails (MISSING,
 * MEMORY) where the host is to make them all, by another page. */
TESS_MUST_CHECK tess_status tess_tables_there_open(tess_page *page, const char *kernels);
void tess_tables_there_close(tess_page *page);

/* Brings the plan's block_offset there; where its elements are stored; its owner; and a target's
 * points, of which no block has more than TESS_CUT_CHUNK. */
TESS_MUST_CHECK tess_status tess_there_blocks(tess_page *page);
TESS_MUST_CHECK tess_status tess_there_elements(tess_page *page);
TESS_MUST_CHECK tess_status tess_there_owner(tess_page *page);
TESS_MUST_CHECK tess_status tess_there_points(tess_page *page, int target);

/* The slots of a target that are incremented, a bit each. Fails (MISSING) where it has more than
 * TESS_SLOTS_THERE. */
enum { TESS_SLOTS_THERE = 64 };
TESS_MUST_CHECK tess_status tess_there_incremented(const tess_page *page, int target,
                                                   int64_t *bits);

/* Brings n_blocks + 1 offsets there, as int. */
TESS_MUST_CHECK tess_status tess_there_offsets(tess_page *page, const int64_t *offset,
                                               tess_address *out);

/* Brings n of a size here; and n ints that the caller frees, NULL where it fails. */
TESS_MUST_CHECK tess_status tess_there_read(const tess_page *page, tess_address from, int64_t n,
                                            size_t size, void *to);
TESS_MUST_CHECK tess_status tess_there_bring(const tess_page *page, tess_address from, int64_t n,
                                             int32_t **out);

/* Makes an array of that room the page's: as tess_page_array. */
TESS_MUST_CHECK tess_status tess_there_array(tess_page *page, const char *type, tess_address values,
                                             int64_t bytes, const char *name, ...)
    __attribute__((format(printf, 5, 6)));

/* Gives each point of a target (-1: each element) of all blocks its staged position, *staged_at [of
 * the plan's points], and adds runs and others as tess_table_runs. `own`: how owned points lie, of
 * the set that blocks own; else NULL. *most: the positions that a block needs. */
typedef struct tess_there_own {
    tess_address offsets, ranks; /* of the plan's points: among the block's, -1: another owns it */
    bool in_order;
} tess_there_own;
TESS_MUST_CHECK tess_status tess_there_stage(tess_page *page, int target, const tess_there_own *own,
                                             tess_address *staged_at, int64_t *most);
