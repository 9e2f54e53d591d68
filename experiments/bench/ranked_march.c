/* A ranked march: an application on the ranks of an engine, as an experiment says. */
#include "experiments/bench/ranked_march.h"

#include "core/base/array.h"
#include "experiments/bench/planned.h"
#include "kernels/exchange/rank_cut.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tess_halo_mode tess_experiment_halo(const tess_experiment *experiment) {
    return experiment->halo == TESS_HALO_PARTIAL_SUMS ? TESS_HALO_PARTIAL_SUMS
                                                      : TESS_HALO_REDUNDANT;
}

/* Blocks of a part of the experiment's loop. */
static tess_status cut_part(void *context, const tess_bound_loop *part, const char *owned_set,
                            int64_t n, tess_partition **out) {
    tess_rank_cut *by = context;
    tess_planned *planned = NULL;
    tess_cutter cutter = {.cut = NULL};
    if (by->experiment->partition_on == TESS_PARTITION_ON_DEVICE)
        TRY(by->cutter->find(by->cutter->bench, by->experiment, &cutter));
    TRY(tess_planned_new(&planned));
    const tess_status status = tess_planned_cut_first(planned, by->experiment, part, owned_set, n,
                                                      cutter.cut ? &cutter : NULL);
    *out = planned->partition;
    if (*out)
        memcpy(by->place, (*out)->place, sizeof by->place);
    planned->partition = NULL;
    tess_planned_release(planned);
    return status;
}

/* Its plan. */
static tess_status fill_part(void *context, const tess_bound_loop *part, const int32_t *block_of,
                             const int32_t *position, tess_plan *plan) {
    tess_rank_cut *by = context;
    const tess_planner *planner = NULL;
    TRY(by->cutter->planner(by->cutter->bench, by->experiment, &planner));
    if (!planner)
        FAIL(TESS_ERROR_MISSING, "the device is lost");
    const tess_status status = planner->fill(planner->context, part, block_of, position, plan);
    if (status != TESS_OK)
        snprintf(by->remark, sizeof by->remark, "%s", tess_message());
    else
        memcpy(by->planned, plan->place, sizeof by->planned);
    return status;
}

/* Gives all processes what the first has cut. */
static tess_status share(tess_crew *crew, int32_t *rank_of, int64_t n) {
    double *values = NULL;
    TRY(TESS_ALLOC(n, &values));
    for (int64_t e = 0; e < n; e++)
        values[e] = crew->first == 0 ? rank_of[e] : 0;
    const tess_status status = tess_crew_sum(crew, values, n);
    for (int64_t e = 0; e < n; e++)
        rank_of[e] = (int32_t)values[e];
    free(values);
    return status;
}

/* Cuts by the partitioner that the experiment names. */
static tess_status cut_ranks(const tess_experiment *x, tess_ranked_march *march) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = march->place.load->mesh;
    tess_crew *crew = march->crew;
    const int set = march->cut_set;
    int32_t *rank_of = NULL;
    const tess_rank_cutting cutting = {.seed = (uint64_t)x->seed, .time_limit = x->time_limit};
    CHECK(TESS_ALLOC(mesh->sets[set].size, &rank_of));
    if (crew->first == 0)
        CHECK(tess_rank_cut_by_name(x->rank_partitioner.text, &cutting, mesh, set, crew->n_ranks,
                                    rank_of));
    CHECK(share(crew, rank_of, mesh->sets[set].size));
    CHECK(tess_owners_build(mesh, set, crew->n_ranks, rank_of, &march->owners));
done:
    free(rank_of);
    return status;
}

tess_status tess_ranked_march_await(const tess_ranked_march *march) {
    return march ? tess_crew_meet(march->crew) : TESS_OK;
}

bool tess_ranked_march_reports(const tess_ranked_march *march) {
    return !march || march->crew->first == 0;
}

static tess_loop_way way_of(const tess_experiment *x, const tess_kernel *kernel,
                            tess_rank_cut *cut) {
    return (tess_loop_way){.kernel = kernel,
                           .strategy = x->strategy.plugin,
                           .spec = x->strategy.spec,
                           .threads = x->threads == TESS_UNSAID ? 0 : (int)x->threads,
                           .block_size = (int32_t)x->block_size,
                           .is_cut = x->partitioner.plugin != NULL,
                           .context = cut,
                           .plan = tess_experiment_plan_options(x),
                           .planner =
                               x->partition_on == TESS_PARTITION_ON_DEVICE ? &cut->planner : NULL};
}

/* How the loops of the step are executed, or the one alone. */
static tess_status set_ways(const tess_experiment *x, tess_ranked_march *march) {
    const tess_step *step = march->place.step;
    TRY(TESS_ZEROS(step ? step->n : 1, &march->ways));
    TRY(TESS_ZEROS(step ? step->n : 1, &march->cuts));
    for (int i = 0; i < (step ? step->n : 1); i++)
        march->cuts[i] =
            (tess_rank_cut){.experiment = step ? &step->loops[i] : x,
                            .cutter = &march->place.cutter,
                            .planner = {.context = &march->cuts[i], .fill = fill_part}};
    if (!step)
        march->ways[0] = way_of(x, march->place.load->kernel, march->cuts);
    for (int i = 0; step && i < step->n; i++) {
        const tess_kernel *kernel = NULL;
        TRY(tess_application_kernel(step->application, step->loops[i].loop, &kernel));
        march->ways[i] = way_of(&step->loops[i], kernel, &march->cuts[i]);
    }
    return TESS_OK;
}

static tess_status open_team(const tess_experiment *x, const tess_rank_setting *setting,
                             const tess_state *start, tess_ranked_march *march) {
    const tess_step *step = march->place.step;
    const tess_rank_cutter *cutter = &march->place.cutter;
    const char *tables_page = NULL;
    if (x->partition_on == TESS_PARTITION_ON_DEVICE)
        TRY(cutter->tables(cutter->bench, x, &tables_page));
    TRY(set_ways(x, march));
    const tess_team_setting team = {.application = step ? step->application : NULL,
                                    .changes = march->changes,
                                    .n_ways = step ? step->n : 1,
                                    .ways = march->ways,
                                    .first = step ? step->first : 0,
                                    .renumber = tess_experiment_renumber(x),
                                    .layouts = x->layout.layouts,
                                    .arithmetic = (tess_arithmetic)x->arithmetic,
                                    .mode = tess_experiment_halo(x),
                                    .chains = step ? step->chains : NULL,
                                    .overlap = x->overlap != TESS_OVERLAP_NO,
                                    .checked = true,
                                    .spoils = setting->spoils,
                                    .counted = setting->counted,
                                    .keep_text = setting->keep_text,
                                    .graph = setting->graph,
                                    .pulse = setting->pulse,
                                    .cut = cut_part,
                                    .tables_page = tables_page};
    const tess_team_place place = {.crew = march->crew,
                                   .device = march->place.device,
                                   .target = march->place.target,
                                   .owners = march->owners};
    return tess_team_open(&team, &place, start, &march->team);
}

static tess_status count_traffic(tess_ranked_march *march) {
    const tess_team_traffic here = tess_team_traffic_of(march->team);
    double all[] = {(double)here.bytes, (double)here.messages};
    TRY(tess_crew_sum(march->crew, all, 2));
    march->traffic = (tess_team_traffic){.bytes = (int64_t)all[0], .messages = (int64_t)all[1]};
    return TESS_OK;
}

tess_status tess_ranked_march_join(const tess_experiment *experiment, tess_crew *lent,
                                   tess_ranked_march **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->is_lent = lent != NULL;
    (*out)->crew = lent;
    const int32_t n_ranks = experiment->ranks > 0 ? (int32_t)experiment->ranks : 0;
    return lent ? TESS_OK
                : tess_crew_open(tess_experiment_engine(experiment), n_ranks, &(*out)->crew);
}

/* The schedule of the time step, or of the loop alone. */
static tess_status build_schedule(const tess_experiment *x, tess_ranked_march *march,
                                  tess_schedule **out) {
    const tess_workload *load = march->place.load;
    const tess_halo_mode mode = tess_experiment_halo(x);
    if (march->place.step)
        return tess_schedule_build(load->application, load->mesh, load->real, mode, out);
    TRY(tess_workload_changes(load, &march->changes));
    return tess_schedule_build_alone(load->kernel, march->changes, load->real, mode, out);
}

/* Whether the strategy fits the loop that runs alone: parts are cut as it asks for. */
static tess_status check_alone(const tess_experiment *x, const tess_ranked_place *place) {
    const tess_strategy *strategy = x->strategy.plugin;
    return place->step || !strategy->fits ? TESS_OK
                                          : strategy->fits(place->load->bound, x->strategy.spec);
}

tess_status tess_ranked_march_open(tess_ranked_march *march, const tess_ranked_place *place,
                                   const tess_experiment *experiment,
                                   const tess_rank_setting *setting, const tess_state *start) {
    tess_status status = TESS_OK;
    tess_schedule *schedule = NULL;
    const tess_workload *load = place->load;
    march->place = *place;
    if (!march->is_lent)
        CHECK(tess_crew_take_device(march->crew, place->device, place->target));
    CHECK(check_alone(experiment, place));
    CHECK(build_schedule(experiment, march, &schedule));
    march->cut_set = tess_rank_cut_set(load->mesh, schedule->loops, schedule->n_loops);
    CHECK(cut_ranks(experiment, march));
    CHECK(open_team(experiment, setting, start ? start : load->start, march));
    CHECK(tess_team_measure_halo(march->team, march->cut_set, &march->halo));
    CHECK(count_traffic(march));
    CHECK(tess_team_sum_blocks(march->team, &march->blocks));
done:
    tess_schedule_free(schedule);
    return status;
}

void tess_ranked_march_close(tess_ranked_march *march) {
    if (!march)
        return;
    tess_team_close(march->team);
    if (march->crew && !march->is_lent)
        march->crew->engine->close(march->crew);
    tess_owners_free(march->owners);
    free(march->ways);
    free(march->cuts);
    free(march->counters);
    free(march->changes);
    free(march);
}
