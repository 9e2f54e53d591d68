/* A plan: a partition made executable.
 *
 * Immutable, serialisable, and a function of (mesh, loop, partition, plan options) alone: the same
 * on any number of threads. All ids are those of the mesh, in its own numbering; a renumbering is
 * a separate object (core/plan/order/renumber.h) that the executor applies. plan_check.h proves a
 * plan from the mesh and the partition, sharing no code with the builder. */
#pragma once

#include "core/plan/colour/colour.h"
#include "core/plan/loop.h"
#include "core/plan/order/renumber_method.h"
#include "core/plan/partition.h"

/* The points of one to-set that each block stages, and where each element finds them. */
typedef struct tess_plan_set {
    char set[TESS_NAME_SIZE];
    int n_slots;            /* as in tess_loop_target */
    bool incremented;       /* some slot is */
    bool *slot_incremented; /* [n_slots] */
    int64_t *point_offset;  /* [n_blocks + 1] into points */
    int32_t *points;        /* distinct points of each block, ascending */
    uint16_t *local_index;  /* [n_executed][n_slots]: place of the point among its block's points;
                               TESS_NO_POINT where the map is padded there */
    int32_t *new_to_old;    /* [size of the set]: its points as `renumbered` orders them, where a
                               planner gave that order; NULL */
} tess_plan_set;

enum { TESS_NO_POINT = 0xffff };

typedef enum tess_thread_order {
    TESS_ORDER_ELEMENT, /* by element id, or place, inside a block */
    TESS_ORDER_COLOUR,  /* by thread colour, then as above (paper, section 2.4) */
    TESS_ORDER_LINES    /* by the lines of memory in which their points lie (order/line_order.h), of
                           points as the mesh numbers them; by place where it is given */
} tess_thread_order;

typedef struct tess_plan_options {
    tess_thread_order thread_order;
    tess_colouring thread_colouring;
    bool by_number; /* where the least used colour is taken: blocks in the order of their numbers,
                       not of their first elements */
    const int32_t *position; /* [n_elements]: the order of the elements of a block, and of the first
                             elements of blocks, for threads and colours; NULL: that of ids */
} tess_plan_options;

typedef struct tess_plan {
    char loop[TESS_NAME_SIZE];
    char partitioned_set[TESS_NAME_SIZE];
    bool owns_points; /* blocks own points: elements may be executed more than once */
    int32_t block_size;
    int64_t n_elements; /* of the loop's from-set */
    int64_t n_executed; /* n_elements where over the from-set */
    int32_t n_blocks;
    int32_t n_kept;              /* blocks that an update took over from an earlier plan */
    char place[TESS_PLACE_SIZE]; /* where a planner filled it; "": on the host */
    /* What the orders of points and elements that a planner gave are by. */
    tess_renumber_method renumbered;
    int32_t *new_to_old;   /* [n_elements]: elements as `renumbered` orders them, where blocks own
                              points and a planner gave that order; NULL */
    int32_t *owner;        /* [size of the partitioned set]: the block of each point; NULL unless
                              owns_points */
    int32_t *executed;     /* [n_executed]: the element at each position */
    int64_t *block_offset; /* [n_blocks + 1] into executed */
    /* Colours; NULL, and all blocks of one, where the loop increments nothing. */
    uint16_t *thread_colour; /* [n_executed] by position, from 0 */
    int32_t *thread_colours; /* [n_blocks]: how many a block has */
    int32_t *block_colour;   /* [n_blocks], from 0 */
    int32_t n_block_colours;
    int n_sets;
    tess_plan_set *sets; /* the to-sets in the order of tess_bound_loop.targets */
} tess_plan;

/* Builds the plan of a loop from a partition of its from-set. `options` NULL: by element, fewest. A
 * block with more than 65535 distinct points of one set is refused (INPUT). Parallel over blocks,
 * deterministic. */
TESS_MUST_CHECK tess_status tess_plan_build(const tess_bound_loop *bound,
                                            const tess_partition *partition,
                                            const tess_plan_options *options, tess_plan **out);

/* What plans blocks in another place than the host, as on a device. */
typedef struct tess_planner {
    void *context;
    /* Fills executed and block_offset of a plan, and of each set point_offset, points and
     * local_index, for which there is room, as the host would: elements of a block by position
     * [n_elements], NULL: ascending. block_of is of elements, or of the points that blocks own.
     * Fails (MEMORY, MISSING) where the host is to do it. Each new_to_old for which there is room
     * is filled, too, or freed and NULL then; place says where that was. NULL: the host does it. */
    tess_status (*fill)(void *context, const tess_bound_loop *bound, const int32_t *block_of,
                        const int32_t *position, tess_plan *plan);
    tess_renumber_method renumbers; /* a method that needs the plan: new_to_old is wanted */
    /* Colours, by which no threads are ordered, come later: by tess_plan_colour, same options. */
    bool colours_later;
} tess_planner;

/* Builds it by a planner; the host does what that cannot. NULL: all. */
TESS_MUST_CHECK tess_status tess_plan_build_by(const tess_planner *planner,
                                               const tess_bound_loop *bound,
                                               const tess_partition *partition,
                                               const tess_plan_options *options, tess_plan **out);

/* Gives a plan its colours that were to come later. All else of it may be read meanwhile. */
TESS_MUST_CHECK tess_status tess_plan_colour(const tess_bound_loop *bound,
                                             const tess_plan_options *options, tess_plan *plan);

/* Builds a plan from a partition of a to-set, an index into mesh->sets: a block executes every
 * element that increments one of its points (that reaches one, where the loop increments none of
 * the set). Blocks write the points they own and no others: all have block colour 0, and a loop
 * that increments another set as well is refused (USAGE), but for pairs of these points: they
 * belong to the owner of their row, which must be among what their element increments. */
TESS_MUST_CHECK tess_status tess_plan_build_owned(const tess_bound_loop *bound, int partitioned_set,
                                                  const tess_partition *partition,
                                                  const tess_plan_options *options,
                                                  tess_plan **out);

/* As that, by a planner; NULL: the host. */
TESS_MUST_CHECK tess_status tess_plan_build_owned_by(
    const tess_planner *planner, const tess_bound_loop *bound, int partitioned_set,
    const tess_partition *partition, const tess_plan_options *options, tess_plan **out);
void tess_plan_free(tess_plan *plan);

/* Elements that the largest block executes. */
int64_t tess_plan_largest_block(const tess_plan *plan);

/* The points of set k that each block increments, -1 of one that it only reads. The index is the
 * caller's to free where out->owned. */
TESS_MUST_CHECK tess_status tess_plan_incremented(const tess_bound_loop *bound,
                                                  const tess_plan *plan, int k,
                                                  tess_incidence *out);
