/* An application on ranks for tests: mesh, owners and halo. */
#pragma once

#include "core/base/array.h"
#include "core/ranks/halo_check.h"
#include "data/mesh_open.h"
#include "kernels/applications/applications.h"
#include "kernels/exchange/rank_cut.h"
#include "kernels/exchange/schedule.h"
#include "kernels/exchange/team.h"
#include "tests/unit.h"

/* Applications and meshes that they run on, small enough for all ranks and devices. */
typedef struct ranked_case {
    const char *application, *mesh;
} ranked_case;

static const ranked_case ranked_cases[] = {
    {"airfoil", "airfoil:i=24:j=16"}, /* periodic: an O-grid */
    {"volna", "tris:nx=16:ny=12"},      {"bookleaf", "quads:nx=19:ny=13"},
    {"lulesh", "hexes:nx=7:ny=6:nz=5"}, {"miniaero", "hexes:nx=7:ny=6:nz=5"},
    {"fv", "tets:nx=4:ny=3:nz=3"},    /* cells reach cells, nothing is incremented */
    {"fun3d", "tets:nx=4:ny=3:nz=3"}, /* an arg is some components of a dat */
};
enum { N_RANKED_CASES = sizeof ranked_cases / sizeof *ranked_cases };

enum { MOST_WAYS = 32 };

typedef struct ranks_bench {
    const tess_application *application;
    tess_mesh *mesh;
    tess_state *start;
    tess_chained_step *chained; /* NULL: without chains */
    tess_schedule *schedule;
    tess_owners *owners;
    tess_ranking ranking;
    tess_halo *halo;
} ranks_bench;

/* Opens an application on a mesh, cut into ranks by `partitioner`, in chains; NULL: loop by loop.
 */
static inline void ranks_bench_open_in_chains(const ranked_case *of, const char *partitioner,
                                              int32_t n_ranks, tess_halo_mode mode,
                                              const char *chains, ranks_bench *b) {
    tess_rank_cutting cutting = {.seed = 1};
    tess_spec *specs = NULL;
    int n_specs = 0;
    int32_t *rank_of = NULL;
    *b = (ranks_bench){.mesh = NULL};
    OK(tess_application_find(of->application, &b->application));
    OK(tess_mesh_open(of->mesh, &b->mesh));
    OK(tess_application_bind(b->application, b->mesh));
    OK(tess_application_start(b->application, b->mesh, TESS_DOUBLE, &b->start));
    if (chains)
        OK(tess_chained_step_new(b->application, b->mesh, TESS_DOUBLE, chains, &b->chained));
    OK(chains ? tess_schedule_build_chained(b->chained, TESS_DOUBLE, mode, &b->schedule)
              : tess_schedule_build(b->application, b->mesh, TESS_DOUBLE, mode, &b->schedule));
    OK(tess_spec_list_parse(partitioner, &specs, &n_specs));
    cutting.spec = &specs[0];
    OK(tess_partitioner_find(specs[0].name, &cutting.partitioner));
    int set = tess_mesh_find_set(b->mesh, "cells"); /* chains name maps by their loops */
    if (!chains || set < 0)
        set = tess_rank_cut_set(b->mesh, b->schedule->loops, b->schedule->n_loops);
    OK(TESS_ALLOC(b->mesh->sets[set].size, &rank_of));
    OK(tess_rank_cut_make(&cutting, b->mesh, set, n_ranks, rank_of));
    OK(tess_owners_build(b->mesh, set, n_ranks, rank_of, &b->owners));
    b->ranking = (tess_ranking){.mesh = b->mesh,
                                .owners = b->owners,
                                .n_loops = b->schedule->n_loops,
                                .loops = b->schedule->loops};
    OK(tess_halo_build(&b->ranking, &b->halo));
    tess_schedule_fit(b->schedule, b->halo);
    free(rank_of);
    tess_spec_list_free(specs, n_specs);
}

static inline void ranks_bench_open(const ranked_case *of, const char *partitioner, int32_t n_ranks,
                                    tess_halo_mode mode, ranks_bench *b) {
    ranks_bench_open_in_chains(of, partitioner, n_ranks, mode, NULL, b);
}

static inline void ranks_bench_close(ranks_bench *b) {
    tess_halo_free(b->halo);
    tess_owners_free(b->owners);
    tess_schedule_free(b->schedule);
    tess_chained_step_free(b->chained);
    tess_state_free(b->start);
    tess_mesh_free(b->mesh);
}

/* Blocks of a part of the loop: runs of elements. */
static inline tess_status ranks_bench_cut(void *context, const tess_bound_loop *part,
                                          const char *owned_set, int64_t n, tess_partition **out) {
    tess_status status = TESS_OK;
    static const int32_t block_size = 32;
    (void)context;
    tess_partition_problem *problem = NULL;
    int32_t *block_of = NULL;
    CHECK(owned_set ? tess_partition_problem_build_inverse(
                          part, tess_mesh_find_set(part->mesh, owned_set), block_size, 1, &problem)
                    : tess_partition_problem_build(part, TESS_POINTS_INCREMENTS, block_size, 1,
                                                   &problem));
    if (n > 0)
        problem->n_elements = n;
    CHECK(TESS_ALLOC(problem->n_elements, &block_of));
    for (int64_t e = 0; e < problem->n_elements; e++)
        block_of[e] = (int32_t)(e / block_size);
    CHECK(tess_partition_build(problem, block_of, TESS_REPAIR_SPLIT, out));
done:
    free(block_of);
    tess_partition_problem_free(problem);
    return status;
}

/* Ways to execute the loops of an application: the first one by a strategy, in blocks that the team
 * cuts, the others by another one, in blocks of what lies side by side. */
static inline int ranks_bench_ways(const tess_application *application, const tess_spec *spec,
                                   const tess_spec *others, tess_loop_way *ways) {
    for (int k = 0; k < application->n_kernels; k++) {
        const tess_spec *own = k == 0 ? spec : others;
        ways[k] = (tess_loop_way){
            .kernel = &application->kernels[k], .spec = own, .block_size = 32, .is_cut = k == 0};
        OK(tess_strategy_find(own->name, &ways[k].strategy));
    }
    return application->n_kernels;
}

/* What chains do not store is as they leave it. */
static inline void ranks_bench_forget_dropped(const ranks_bench *b, const tess_state *got,
                                              tess_state *want) {
    for (int d = 0; b->chained && d < want->n_dats; d++) {
        const tess_dat *dat = &want->dats[d];
        if (dat->set == TESS_GLOBAL ||
            !tess_chained_step_drops(b->chained, dat->name, b->mesh->sets[dat->set].name))
            continue;
        for (int64_t i = 0; i < tess_state_size(want, dat) * dat->dim; i++)
            tess_dat_set(&want->dats[d], i, tess_dat_value(&got->dats[d], i));
    }
}

/* How far `steps` time steps of a team that is at the start are from those of the sequential loops.
 */
static inline tess_difference ranks_bench_march(const ranks_bench *b, tess_team *team, int steps) {
    tess_state *got = NULL, *want = NULL;
    double seconds = 0;
    OK(tess_team_run(team, steps - steps / 2, &seconds));
    OK(tess_team_run(team, steps / 2, &seconds));
    OK(tess_state_blank(b->start, &got));
    OK(tess_team_gather(team, got));
    OK(tess_state_copy(b->start, true, &want));
    for (int i = 0; i < steps; i++)
        OK(tess_application_march(b->application, want));
    ranks_bench_forget_dropped(b, got, want);
    const tess_difference difference = tess_state_compare(got, want);
    tess_state_free(want);
    tess_state_free(got);
    return difference;
}
