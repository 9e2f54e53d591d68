/* A forecast: what a time step would take on ranks that are not there. */
#include "kernels/exchange/rank_forecast.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "kernels/exchange/rank_cut.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Measured on one H200, docs/predict.md. */
static const double LAUNCH_SECONDS = 4.0e-6;

tess_status tess_rank_network_parse(const char *text, tess_rank_network *out) {
    int length = 0, rest = 0;
    *out = (tess_rank_network){.launch = LAUNCH_SECONDS};
    if (strcmp(text, "nvlink") == 0) { /* two H200s by NCCL, docs/many-gpus.md */
        out->alpha = 10e-6;
        out->beta = 229e9;
        return TESS_OK;
    }
    if (strcmp(text, "ndr") == 0) { /* assumed: InfiniBand NDR, one port a GPU */
        out->alpha = 25e-6;
        out->beta = 40e9;
        return TESS_OK;
    }
    bool is_read = sscanf(text, "alpha=%lf:beta=%lf%n", &out->alpha, &out->beta, &length) == 2 &&
                   out->alpha >= 0 && out->beta > 0;
    if (is_read && text[length] &&
        sscanf(text + length, ":launch=%lf%n", &out->launch, &rest) == 1 && out->launch >= 0)
        length += rest;
    if (!is_read || text[length] != '\0')
        FAIL(TESS_ERROR_USAGE,
             "--network takes nvlink, ndr or alpha=SECONDS:beta=BYTES_A_SECOND:launch=SECONDS, of "
             "which the launch may be left out, not '%s'",
             text);
    return TESS_OK;
}

/* A forecast on its way. */
typedef struct forecasting {
    const tess_rank_steps *steps;
    const tess_rank_network *network;
    int n_loops;
} forecasting;

/* Launches of a step that wait for no core: see the model. */
static double exposed_launches(const tess_halo_metrics *halo) {
    return halo->exchanges + 2.0 * halo->returns;
}

/* What one exchange takes: packed, sent, unpacked. */
static double travel_seconds(const forecasting *f, const tess_halo_metrics *halo) {
    const double bytes = halo->bytes_max / halo->exchanges;
    return 2 * f->network->launch + f->network->alpha + bytes / f->network->beta;
}

static double divided_seconds(const forecasting *f, const tess_halo_metrics *halo) {
    return f->steps->one / halo->n_ranks * halo->rank_imbalance;
}

/* What the cores of a step are too short to hide. */
static double unhidden_seconds(const forecasting *f, const tess_halo_metrics *halo) {
    const double core = divided_seconds(f, halo) / f->n_loops * halo->core_share;
    return halo->exchanges * fmax(0, travel_seconds(f, halo) - core);
}

/* What exchanges add to a step, at least. */
static double exposed_seconds(const forecasting *f, const tess_halo_metrics *halo) {
    const tess_halo_metrics *two = f->steps->two_halo;
    if (halo->n_ranks == 1 || halo->exchanges == 0)
        return 0;
    if (f->steps->two == 0 || f->steps->two_exposed == 0 || two->exchanges == 0)
        return exposed_launches(halo) * f->network->launch + unhidden_seconds(f, halo);
    const double share = (double)halo->exchanges / two->exchanges;
    return share * f->steps->two_exposed +
           fmax(0, unhidden_seconds(f, halo) - share * unhidden_seconds(f, two));
}

/* What no division makes shorter. */
static double fixed_seconds(const forecasting *f) {
    const tess_halo_metrics *two = f->steps->two_halo;
    return f->steps->two > 0
               ? 2 * (f->steps->two - exposed_seconds(f, two) - divided_seconds(f, two))
               : f->n_loops * f->network->launch;
}

/* What exchanges may add beyond that: nothing where the core surely hides them. */
static double unsure_seconds(const forecasting *f, const tess_halo_metrics *halo, double compute,
                             double fixed) {
    const double least = fmax(fixed / f->n_loops, f->network->launch);
    const bool is_measured = halo->n_ranks == 1 || (halo->n_ranks == 2 && f->steps->two > 0);
    if (is_measured || halo->exchanges == 0)
        return 0;
    const double travel = travel_seconds(f, halo);
    const bool is_hidden = travel + 3 * least <= compute / f->n_loops * halo->core_share;
    return is_hidden ? 0 : halo->exchanges * (travel + least) - unhidden_seconds(f, halo);
}

tess_rank_forecast tess_rank_forecast_make(const tess_halo_metrics *halo, int n_loops,
                                           const tess_rank_steps *steps,
                                           const tess_rank_network *network) {
    const forecasting f = {.steps = steps, .network = network, .n_loops = n_loops};
    const double fixed = fixed_seconds(&f);
    const double compute = divided_seconds(&f, halo) + fixed * (1 - 1.0 / halo->n_ranks);
    const double step = compute + exposed_seconds(&f, halo);
    const double most = step + unsure_seconds(&f, halo, compute, fixed);
    return (tess_rank_forecast){.step = step,
                                .most = most,
                                .efficiency = steps->one / (halo->n_ranks * step),
                                .efficiency_least = steps->one / (halo->n_ranks * most)};
}

tess_status tess_rank_case_measure(const tess_rank_case *of, int32_t n_ranks,
                                   tess_halo_metrics *out, int *n_loops, double seconds[2]) {
    tess_status status = TESS_OK;
    const tess_rank_cutting cutting = {.seed = 1};
    tess_chained_step *chained = NULL;
    tess_schedule *schedule = NULL;
    tess_owners *owners = NULL;
    tess_halo *halo = NULL;
    int32_t *rank_of = NULL;
    double lap = tess_clock_seconds();
    if (of->chains)
        CHECK(tess_chained_step_new(of->application, of->mesh, TESS_DOUBLE, of->chains, &chained));
    CHECK(of->chains
              ? tess_schedule_build_chained(chained, TESS_DOUBLE, of->mode, &schedule)
              : tess_schedule_build(of->application, of->mesh, TESS_DOUBLE, of->mode, &schedule));
    const int set = tess_rank_cut_set(of->mesh, schedule->loops, schedule->n_loops);
    CHECK(TESS_ALLOC(of->mesh->sets[set].size, &rank_of));
    CHECK(tess_rank_cut_by_name(of->partitioner, &cutting, of->mesh, set, n_ranks, rank_of));
    seconds[0] = tess_clock_lap(&lap);
    CHECK(tess_owners_build(of->mesh, set, n_ranks, rank_of, &owners));
    const tess_ranking ranking = {
        .mesh = of->mesh, .owners = owners, .n_loops = schedule->n_loops, .loops = schedule->loops};
    CHECK(tess_halo_build(&ranking, &halo));
    tess_schedule_fit(schedule, halo);
    int primary = 0; /* the first loop that adds through maps */
    while (primary + 1 < schedule->n_loops && !tess_loop_adds(schedule->bare[primary]))
        primary++;
    CHECK(tess_halo_metrics_count(schedule, &ranking, halo, set, primary, out));
    *n_loops = schedule->n_parts;
    seconds[1] = tess_clock_lap(&lap);
done:
    tess_halo_free(halo);
    tess_owners_free(owners);
    free(rank_of);
    tess_schedule_free(schedule);
    tess_chained_step_free(chained);
    return status;
}
