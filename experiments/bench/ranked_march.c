/* A ranked march: an application on the ranks of an engine, as an experiment says. */
#include "experiments/bench/ranked_march.h"

#include "core/base/array.h"
#include "experiments/bench/planned.h"
#include "partitioners/rank_cut.h"
#include <stdlib.h>

/* Blocks of a part of the experiment's loop. */
static tess_status cut_part(void *context, const tess_bound_loop *part, const char *owned_set,
                            tess_partition **out) {
    tess_planned *planned = NULL;
    TRY(tess_planned_new(&planned));
    const tess_status status = tess_planned_cut(planned, context, part, owned_set, NULL);
    *out = planned->partition;
    planned->partition = NULL;
    tess_planned_release(planned);
    return status;
}

/* Gives all processes what the first has cut. */
static tess_status share(tess_crew *crew, int32_t *rank_of, int64_t n) {
    double *values = NULL;
    TRY(TESS_ALLOC(n, &values));
    for (int64_t e = 0; e < n; e++)
        values[e] = crew->first == 0 ? rank_of[e] : 0;
    const tess_status status = crew->engine->sum(crew, values, n);
    for (int64_t e = 0; e < n; e++)
        rank_of[e] = (int32_t)values[e];
    free(values);
    return status;
}

/* Cuts by the partitioner that the setting names. */
static tess_status cut_ranks(const tess_bench *bench, const tess_rank_setting *setting,
                             const tess_schedule *schedule, tess_crew *crew, tess_owners **out) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = bench->load.mesh;
    int32_t *rank_of = NULL;
    const tess_rank_cutting cutting = {.seed = (uint64_t)bench->opened->seed,
                                       .time_limit = bench->opened->time_limit};
    const int set = tess_rank_cut_set(mesh, schedule->loops, schedule->n_loops);
    CHECK(TESS_ALLOC(mesh->sets[set].size, &rank_of));
    if (crew->first == 0)
        CHECK(tess_rank_cut_by_name(setting->partitioner, &cutting, mesh, set, crew->n_ranks,
                                    rank_of));
    CHECK(share(crew, rank_of, mesh->sets[set].size));
    CHECK(tess_owners_build(mesh, set, crew->n_ranks, rank_of, out));
done:
    free(rank_of);
    return status;
}

tess_status tess_ranked_march_await(const tess_ranked_march *march) {
    double nothing = 0;
    return march ? march->crew->engine->sum(march->crew, &nothing, 1) : TESS_OK;
}

bool tess_ranked_march_reports(const tess_ranked_march *march) {
    return !march || march->crew->first == 0;
}

static tess_status open_team(const tess_bench *bench, const tess_rank_setting *setting,
                             const tess_state *start, tess_ranked_march *march) {
    const tess_experiment *x = bench->opened;
    const tess_plan_options plan = tess_experiment_plan_options(x);
    const tess_team_setting team = {.application = bench->load.application,
                                    .kernel = bench->load.kernel,
                                    .strategy = x->strategy.plugin,
                                    .spec = x->strategy.spec,
                                    .plan = &plan,
                                    .layouts = x->layout.layouts,
                                    .block_size = (int32_t)x->block_size,
                                    .mode = setting->mode,
                                    .overlap = !setting->whole,
                                    .checked = true,
                                    .spoils = setting->spoils,
                                    .graph = setting->graph,
                                    .pulse = setting->pulse,
                                    .cut = cut_part,
                                    .cut_context = (void *)(uintptr_t)x};
    const tess_team_place place = {.crew = march->crew,
                                   .device = bench->device,
                                   .target = bench->target,
                                   .owners = march->owners};
    return tess_team_open(&team, &place, start, &march->team);
}

static tess_status count_traffic(tess_ranked_march *march) {
    const tess_team_traffic here = tess_team_traffic_of(march->team);
    double all[] = {(double)here.bytes, (double)here.messages};
    TRY(march->crew->engine->sum(march->crew, all, 2));
    march->traffic = (tess_team_traffic){.bytes = (int64_t)all[0], .messages = (int64_t)all[1]};
    return TESS_OK;
}

tess_status tess_ranked_march_join(const tess_rank_setting *setting, tess_ranked_march **out) {
    TRY(TESS_ZEROS(1, out));
    return tess_crew_open(setting->engine ? setting->engine : "local", (int32_t)setting->n_ranks,
                          &(*out)->crew);
}

tess_status tess_ranked_march_open(tess_ranked_march *march, const tess_bench *bench,
                                   const tess_rank_setting *setting, const tess_state *start) {
    tess_status status = TESS_OK;
    tess_schedule *schedule = NULL;
    CHECK(tess_crew_take_device(march->crew, bench->device, bench->target));
    CHECK(tess_schedule_build(bench->load.application, bench->load.mesh, start->real, setting->mode,
                              &schedule));
    CHECK(cut_ranks(bench, setting, schedule, march->crew, &march->owners));
    CHECK(open_team(bench, setting, start, march));
    CHECK(tess_team_measure_halo(
        march->team, tess_rank_cut_set(bench->load.mesh, schedule->loops, schedule->n_loops),
        &march->halo));
    CHECK(count_traffic(march));
done:
    tess_schedule_free(schedule);
    return status;
}

void tess_ranked_march_close(tess_ranked_march *march) {
    if (!march)
        return;
    tess_team_close(march->team);
    if (march->crew)
        march->crew->engine->close(march->crew);
    tess_owners_free(march->owners);
    free(march);
}
