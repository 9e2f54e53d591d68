/* A member: one rank of a team, on its device: its mesh, its part of the state, its loops in two
 * cuts (core and rest) and its transfers. */
#pragma once

#include "core/ranks/ranked_blocks.h"
#include "kernels/exchange/rank_loop.h"
#include "kernels/exchange/transfer.h"

typedef struct tess_team_setting {
    const tess_application *application; /* whose step is marched; NULL: the kernel runs alone */
    const bool *changes; /* of the kernel alone: see tess_schedule_build_alone; else NULL */
    int n_ways;
    const tess_loop_way *ways; /* [n_ways]: of each loop of the step, or of the one alone */
    int first;                 /* the loop whose blocks number a rank's mesh, and that is counted */
    tess_renumber_method renumber;
    tess_layouts layouts;
    tess_arithmetic arithmetic;
    tess_halo_mode mode;
    const char *chains; /* runs of the step's loops that are one kernel; NULL: none */
    bool overlap;       /* the core runs while values travel */
    bool checked;       /* halo, schedule and plans are proved */
    bool spoils;        /* values of others that are not the last ones written are NaN */
    tess_cut_part *cut;
    const char *tables_page; /* of loops, as tess_execution_options has it */
    bool counted;            /* blocks of the first loop are counted: see tess_rank_blocks */
    const char *keep_text;   /* a folder for the pages of the first loop; NULL: not kept */
    bool graph;              /* a step is put on the device as one graph; the engine is on_device */
    _Atomic int64_t *pulse;  /* grows with each loop that was put on the device; NULL: none */
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
    const tess_chained_step *chained; /* the step in chains, of the whole mesh; NULL: without */
    const tess_mover *mover;
} tess_team_base;

/* Blocks of the team's own loop, of all its phases. */
typedef struct tess_rank_blocks {
    int64_t blocks;
    tess_reuse reuse;
} tess_rank_blocks;

/* One loop, and the sums that return after its rest, or NULL. Of a chain that loop whose blocks it
 * takes; it has no bound loop where no partitioner cuts one. */
typedef struct tess_member_loop {
    tess_rank_loop loop;
    tess_transfer *returns;
} tess_member_loop;

typedef struct tess_member {
    const tess_team_base *base;
    tess_rank_mesh *rank_mesh;
    tess_state *state;
    tess_renumbering *renumbering; /* within segments of the rank's mesh; NULL: none */
    tess_store *store;
    tess_chained_step *chained; /* the chains that it runs; NULL: none; owned */
    tess_member_loop *loops;    /* [schedule->n_loops]; owned */
    tess_transfer **arrivals;   /* [schedule->n_parts]: NULL: none; owned */
    tess_rank_blocks blocks;
    tess_counters counters; /* of its loops in the step that was counted; see tess_team_count */
} tess_member;

/* Opens a rank with its part of a state on the whole mesh. */
TESS_MUST_CHECK tess_status tess_member_open(const tess_team_base *base, int32_t rank,
                                             const tess_state *start, tess_member *out);
void tess_member_close(tess_member *member);

/* Runs the blocks of a chain that wait for nothing, or the others; `l` is the loop that stands for
 * it. */
TESS_MUST_CHECK tess_status tess_member_run_chain(const tess_member *member, int l,
                                                  tess_chain_blocks_of blocks);

/* Whether the rest of a loop may run beside its core, and does: what they write is apart. */
bool tess_member_runs_rest_beside(const tess_member *member, int l);

/* Fills what the member owns of blocks of that set on the whole mesh, with its blocks numbered from
 * 0 on, and gives how many there are. Blocks of which it owns no element, those of an exec halo,
 * do not count. */
TESS_MUST_CHECK tess_status tess_member_fill_blocks(const tess_member *member, int l,
                                                    tess_ranked_blocks *blocks, int32_t *n_blocks);
