/* A member: one rank of a team, on its device: its mesh, its part of the state, its loops in two
 * cuts (core and rest) and its transfers. */
#pragma once

#include "core/plan/reuse.h"
#include "core/ranks/ranked_blocks.h"
#include "kernels/exchange/schedule.h"
#include "kernels/exchange/transfer.h"
#include "kernels/run/execution.h"

/* Cuts a part of the team's own loop into blocks: of its elements, or of a set that it reaches. */
typedef tess_status tess_cut_part(void *context, const tess_bound_loop *part, const char *owned_set,
                                  tess_partition **out);

typedef struct tess_team_setting {
    const tess_application *application; /* whose step is marched; NULL: the kernel runs alone */
    const bool *changes;       /* of the kernel alone: see tess_schedule_build_alone; else NULL */
    const tess_kernel *kernel; /* the loop that strategy, partitioner and plan options are for */
    const tess_strategy *strategy; /* the others run by atomics, on the host as this one */
    const tess_spec *spec;
    const tess_plan_options *plan;
    tess_layouts layouts;
    tess_arithmetic arithmetic;
    int threads;        /* a block; 0: the block size rounded up to a warp */
    int32_t block_size; /* of the other loops: consecutive elements */
    tess_halo_mode mode;
    bool overlap; /* the core runs while values travel */
    bool checked; /* halo, schedule and plans are proved */
    bool spoils;  /* values of others that are not the last ones written are NaN */
    tess_cut_part *cut;
    void *cut_context;
    bool counted;           /* blocks of the kernel's loop are counted: see tess_rank_blocks */
    const char *keep_text;  /* a folder for the pages of the kernel's loop; NULL: not kept */
    bool graph;             /* a step is put on the device as one graph; the engine is on_device */
    _Atomic int64_t *pulse; /* grows with each loop that was put on the device; NULL: none */
} tess_team_setting;

/* What all members of a process share; all outlives them. */
typedef struct tess_team_base {
    const tess_team_setting *setting;
    tess_crew *crew;
    const tess_device *device;
    tess_target *target;
    const tess_ranking *ranking;
    const tess_schedule *schedule;
    const tess_halo *halo;
    const tess_mover *movers;            /* see tess_mover_of */
    const tess_strategy *other_strategy; /* of the loops that are not the setting's */
    tess_spec others;
} tess_team_base;

/* Blocks of the team's own loop, of all its phases. */
typedef struct tess_rank_blocks {
    int64_t blocks;
    tess_reuse reuse;
} tess_rank_blocks;

/* Some elements of a loop as they are executed; NULL, where there are none. */
typedef struct tess_member_phase {
    tess_plan *plan;
    tess_execution *execution;
} tess_member_phase;

typedef struct tess_member_loop {
    tess_bound_loop *bound; /* up to the last element that the rank executes */
    /* The core runs in two parts, one while values arrive and one while sums return; in the one
     * where only one of both happens. The rest runs between them. */
    tess_member_phase early, rest, late;
    tess_transfer *returns; /* NULL: none */
} tess_member_loop;

typedef struct tess_member {
    const tess_team_base *base;
    tess_rank_mesh *rank_mesh;
    tess_state *state;
    tess_store *store;
    tess_member_loop *loops;  /* [schedule->n_loops]; owned */
    tess_transfer **arrivals; /* [schedule->n_parts]: NULL: none; owned */
    tess_rank_blocks blocks;
    tess_counters counters; /* of its loops in the step that was counted; see tess_team_count */
} tess_member;

/* Opens a rank with its part of a state on the whole mesh. */
TESS_MUST_CHECK tess_status tess_member_open(const tess_team_base *base, int32_t rank,
                                             const tess_state *start, tess_member *out);
void tess_member_close(tess_member *member);

/* Gives the name of the set whose elements lie in the blocks of loop l: the loop's own, or that
 * whose points blocks own. */
const char *tess_member_blocked_set(const tess_member *member, int l);

/* Fills what the member owns of blocks of that set on the whole mesh, with its blocks numbered from
 * 0 on, and gives how many there are. Blocks of which it owns no element, those of an exec halo,
 * do not count. */
TESS_MUST_CHECK tess_status tess_member_fill_blocks(const tess_member *member, int l,
                                                    tess_ranked_blocks *blocks, int32_t *n_blocks);
