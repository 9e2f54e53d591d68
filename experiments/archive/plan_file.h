/* A plan file of the lab: plans/<digest>.hdf (docs/concepts.md, "The lab"). All ids are the
 * stored mesh's.
 *
 * root attributes          `mesh` (digest), `digest`, `loop`, `maps` (those that count: the loop's
 *                          increment maps, its read maps where it increments nothing), `over`,
 *                          `block_size`, `partitioner`, `layout`, `owns_points`
 * /loop/args               the loop's args, a table
 * /partition/block_of      [over]; blocks_before, largest_before, moved, reuse_factor_before
 * /plan/executed           element at each position; block_offset [blocks + 1], thread_colour by
 *                          position, block_colour [blocks] where the loop increments
 * /plan/sets/<set>         point_offset [blocks + 1], points, local_index [position][slot] (65535
 *                          is no point), slot_incremented [slot]; attributes `slots` ("map.slot")
 *                          and `order`
 * /renumber/<set>          new to old, where a set is renumbered
 * /blocks/                 the quantities of blocks (core/plan/quantities.h): size, points ... [blocks]
 * /metrics/<name>          scalars with `unit`, `source`, `long_name`; a '/' in a name is a ':' */
#pragma once

#include "core/plan/metrics.h"
#include "experiments/archive/digest.h"

/* What a plan file holds. Written: all borrowed. Read: owned, freed by tess_plan_content_free; the
 * mesh it was read with outlives it. */
typedef struct tess_plan_content {
    char mesh[TESS_DIGEST_SIZE];
    const tess_bound_loop *bound;
    const tess_loop *loop;   /* the bound one */
    const char *partitioner; /* its canonical spec */
    const tess_partition *partition;
    const tess_plan *plan;
    const tess_renumbering *renumbering; /* NULL: sets keep their numbers */
    tess_layout layout;                  /* that the metrics are of */
    const tess_metrics *metrics;
} tess_plan_content;

TESS_MUST_CHECK tess_status tess_plan_file_write(const tess_plan_content *content,
                                                 const char *digest, const char *path);

/* Reads one back on its mesh: every offset and index is within its bounds, so that plan_check and
 * the metrics can be computed again. Fails (INPUT) by naming the file and what is wrong. */
TESS_MUST_CHECK tess_status tess_plan_file_read(const char *path, const tess_mesh *mesh,
                                                tess_plan_content **out);
/* Reads only the partition, NULL where the plan is of another mesh, loop, set, partitioner or block
 * size than `want` says (its mesh, bound, loop, partitioner and of its plan over, owns_points and
 * block_size are looked at). Fails (INPUT) where the partition is damaged: its checksum, a block
 * that is empty or too large. */
TESS_MUST_CHECK tess_status tess_plan_file_read_partition(const char *path,
                                                          const tess_plan_content *want,
                                                          tess_partition **out);
void tess_plan_content_free(tess_plan_content *content);
