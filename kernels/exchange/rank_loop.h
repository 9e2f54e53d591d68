/* A rank's loop: one loop of a time step as a rank executes it: the core, which needs nothing that
 * travels, and the rest, which waits. */
#pragma once

#include "core/plan/reuse.h"
#include "core/ranks/rank_mesh.h"
#include "kernels/exchange/schedule.h"
#include "kernels/run/execution.h"

/* How the ranks of a team execute a loop; what it points to outlives them. */
typedef struct tess_loop_way {
    const tess_kernel *kernel;
    const tess_strategy *strategy;
    const tess_spec *spec; /* of the strategy, checked */
    int threads;           /* a block; 0: as many as the strategy likes */
    int32_t block_size;
    bool is_cut; /* by the team's `cut`, in this context; else blocks of consecutive elements */
    void *context;
    tess_plan_options plan;
    const tess_planner *planner; /* of what is cut; NULL: the host */
} tess_loop_way;

/* Cuts a part of a loop into blocks: of its elements, or of the first n points of a set that it
 * reaches; 0: of all. */
typedef tess_status tess_cut_part(void *context, const tess_bound_loop *part, const char *owned_set,
                                  int64_t n, tess_partition **out);

/* The core runs in two phases, one while values arrive and one while sums return; in the one where
 * only one of both happens. The rest runs between them. */
typedef enum tess_rank_phase {
    TESS_EARLY,
    TESS_LATE,
    TESS_REST,
    TESS_N_RANK_PHASES
} tess_rank_phase;

/* Elements of a loop that run together; where blocks own points, blocks of the rest's plan. */
typedef struct tess_phase_span {
    int64_t first, end;
    tess_plan *plan; /* owned, as the next one; NULL, where they are none */
    tess_execution *execution;
} tess_phase_span;

/* Whether a loop is cut into core and rest, and what travels beside them. */
typedef struct tess_rank_overlap {
    bool overlaps, arrives, returns;
} tess_rank_overlap;

typedef struct tess_rank_loop {
    const tess_loop_way *way;
    const tess_rank_set *set; /* the loop's */
    tess_bound_loop *bound;   /* up to the last element that the rank executes; owned */
    tess_rank_overlap overlap;
    bool owns_points; /* blocks do: all phases are of one plan and one execution */
    int64_t n_points; /* the rank's own, which are cut there */
    tess_phase_span phases[TESS_N_RANK_PHASES];
} tess_rank_loop;

/* What a rank asks of the plans and pages of its loops. */
typedef struct tess_rank_loop_setting {
    tess_cut_part *cut;
    bool checked; /* plans are proved */
    tess_arithmetic arithmetic;
    const tess_mesh *whole;  /* of which ranks have parts */
    bool one_text;           /* serves all ranks; else each has its own, which knows its sizes */
    const char *tables_page; /* as tess_execution_options has it */
    const tess_application *application;
} tess_rank_loop_setting;

/* Binds a loop to a rank's mesh and divides its elements into phases. Strategies that go through
 * what is stored one by one take all at once. The loop is the caller's to clear, whatever failed.
 */
TESS_MUST_CHECK tess_status tess_rank_loop_bind(const tess_loop_way *way,
                                                const tess_ranked_loop *ranked,
                                                const tess_rank_mesh *rank_mesh,
                                                const tess_rank_overlap *overlap,
                                                tess_rank_loop *out);

/* Plans its phases by the partitioner, in the order in which elements lie [size of the set], NULL:
 * as the mesh numbers them. */
TESS_MUST_CHECK tess_status tess_rank_loop_cut(const tess_rank_loop_setting *setting,
                                               const int32_t *position, tess_rank_loop *loop);
/* Plans those without a plan: blocks of elements that lie side by side. */
TESS_MUST_CHECK tess_status tess_rank_loop_plan_in_order(const tess_rank_loop_setting *setting,
                                                         const int32_t *position,
                                                         tess_rank_loop *loop);

/* Gives the plan of all phases together; where there are several it is made, else lent: *made is
 * NULL. */
TESS_MUST_CHECK tess_status tess_rank_loop_join(const tess_rank_loop *loop, const tess_plan **out,
                                                tess_plan **made);

/* Whether the device made the tables of all phases; *remark: why not, "" where it was not asked. */
bool tess_rank_loop_tables_there(const tess_rank_loop *loop, const char **remark);

/* Compiles the phases; `folder` is that of their pages and begins their names, NULL: not kept. */
TESS_MUST_CHECK tess_status tess_rank_loop_open(const tess_rank_loop_setting *setting,
                                                const char *folder, tess_store *store,
                                                tess_rank_loop *loop);
TESS_MUST_CHECK tess_status tess_rank_loop_run(const tess_rank_loop *loop, tess_rank_phase phase);
void tess_rank_loop_clear(tess_rank_loop *loop);

/* Adds how often the blocks of its phases use the points that they load. */
TESS_MUST_CHECK tess_status tess_rank_loop_count_reuse(const tess_rank_loop *loop, int64_t *blocks,
                                                       tess_reuse *reuse);

/* The set whose elements lie in its blocks: its own, or that whose points blocks own. */
const char *tess_rank_loop_blocked_set(const tess_rank_loop *loop);
