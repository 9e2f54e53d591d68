/* A planned loop: its elements in blocks, and what follows from them. */
#include "experiments/bench/planned.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/progress.h"
#include "core/base/step_back.h"
#include "core/plan/order/line_order.h"
#include "core/plan/plan_check.h"
#include "partitioners/refine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_planned_new(tess_planned **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->n_holders = 1;
    return TESS_OK;
}

tess_planned *tess_planned_share(tess_planned *planned) {
    planned->n_holders++;
    return planned;
}

void tess_planned_release(tess_planned *planned) {
    if (!planned || --planned->n_holders > 0)
        return;
    tess_errand_free(planned->colouring);
    for (int layout = 0; layout < 2; layout++)
        tess_metrics_free(planned->metrics[layout]);
    tess_renumbering_free(planned->renumbering);
    tess_plan_free(planned->plan);
    tess_partition_free(planned->partition);
    free(planned);
}

/* Of all elements, of all points of a set, or of its first n. */
static tess_status build_problem(const tess_experiment *x, const tess_bound_loop *bound,
                                 const char *owned_set, int64_t n, tess_partition_problem **out) {
    const int32_t block_size = (int32_t)x->block_size;
    const uint64_t seed = (uint64_t)x->seed;
    if (!owned_set)
        return tess_partition_problem_build(bound, (tess_points)x->points, block_size, seed, out);
    TRY(tess_partition_problem_build_inverse(bound, tess_mesh_find_set(bound->mesh, owned_set),
                                             block_size, seed, out));
    tess_partition_problem *problem = *out;
    if (n > 0 && n < problem->n_elements) {
        problem->n_elements = n;
        memset(problem->shape, 0, sizeof problem->shape);
    }
    const bool weighs_reads = x->partitioner.plugin->weighs_reads || x->refine > 0;
    return weighs_reads ? tess_partition_problem_add_reads(bound, problem) : TESS_OK;
}

/* Cuts as the experiment says. */
static tess_status cut(tess_planned *planned, const tess_experiment *x,
                       const tess_partition_problem *problem) {
    tess_progress_set(0, 0, "cutting");
    TRY(tess_partitioner_run(x->partitioner.plugin, problem, x->partitioner.spec,
                             (tess_repair)x->repair, &planned->partition_seconds,
                             &planned->partition));
    double clock = tess_clock_seconds();
    const double cpu = tess_clock_cpu_seconds();
    if (x->refine > 0) {
        tess_progress_set(0, 0, "refining blocks");
        TRY(tess_refine(problem, planned->partition->block_of, (int)x->refine));
        planned->partition_seconds += tess_clock_lap(&clock);
        planned->partition->cpu_seconds += tess_clock_cpu_seconds() - cpu;
    }
    return TESS_OK;
}

static tess_status cut_with(tess_planned *planned, const tess_experiment *x,
                            const tess_observer *observer, const tess_cutter *cutter,
                            tess_partition_problem *problem) {
    problem->block_numbers = (tess_block_numbers)x->block_numbers;
    problem->time_limit = x->time_limit;
    problem->observer = observer;
    problem->cutter = cutter;
    return cut(planned, x, problem);
}

tess_status tess_planned_cut(tess_planned *planned, const tess_experiment *experiment,
                             const tess_bound_loop *bound, const char *owned_set,
                             const tess_observer *observer, const tess_cutter *cutter) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    tess_progress_begin("making the graph");
    CHECK(build_problem(experiment, bound, owned_set, 0, &problem));
    CHECK(cut_with(planned, experiment, observer, cutter, problem));
done:
    tess_progress_end();
    tess_partition_problem_free(problem);
    return status;
}

tess_status tess_planned_cut_first(tess_planned *planned, const tess_experiment *experiment,
                                   const tess_bound_loop *bound, const char *owned_set, int64_t n,
                                   const tess_cutter *cutter) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    tess_progress_begin("making the graph");
    CHECK(build_problem(experiment, bound, owned_set, n, &problem));
    CHECK(cut_with(planned, experiment, NULL, cutter, problem));
done:
    tess_progress_end();
    tess_partition_problem_free(problem);
    return status;
}

double tess_planned_cut_seconds(const tess_planned *planned) {
    const bool cut = planned->partition && !planned->partition_run[0];
    return cut ? planned->partition_seconds : 0;
}

tess_status tess_planned_measure(tess_planned *planned, const tess_bound_loop *bound,
                                 tess_layout layout) {
    if (!planned->partition || planned->metrics[layout])
        return TESS_OK;
    const double start = tess_clock_seconds();
    tess_progress_begin("counting metrics");
    const tess_status status = tess_metrics_of_plan(bound, planned->plan, planned->renumbering,
                                                    layout, &planned->metrics[layout]);
    tess_progress_end();
    TRY(status);
    planned->metrics_seconds[layout] = tess_clock_seconds() - start;
    return TESS_OK;
}

const tess_metrics *tess_planned_metrics(const tess_planned *planned) {
    return planned->metrics[0] ? planned->metrics[0] : planned->metrics[1];
}

tess_plan_options tess_experiment_plan_options(const tess_experiment *experiment) {
    return (tess_plan_options){.thread_order = (tess_thread_order)experiment->order,
                               .thread_colouring = (tess_colouring)experiment->colouring,
                               .by_number = experiment->block_numbers == TESS_BLOCKS_GIVEN};
}

tess_renumber_method tess_experiment_renumber(const tess_experiment *experiment) {
    return experiment->renumber >= 0 ? (tess_renumber_method)experiment->renumber
                                     : tess_strategy_renumber(experiment->strategy.plugin);
}

/* The order of elements by the lines of points that are renumbered. */
static tess_status order_by_lines(const tess_bound_loop *bound, const tess_renumbering *renumbering,
                                  int32_t **position) {
    const int32_t **points = NULL;
    TRY(TESS_ZEROS(bound->n_targets, &points));
    for (int r = 0; r < bound->n_targets; r++) {
        const tess_permutation *own = tess_renumbering_of(renumbering, bound->targets[r].set);
        points[r] = own ? own->old_to_new : NULL;
    }
    const tess_status status = tess_line_order_build(bound, points, position);
    free(points);
    return status;
}

static tess_status colour_beside(void *context) {
    tess_planned *planned = context;
    tess_thread_step_aside();
    return tess_plan_colour(planned->bound, &planned->options, planned->plan);
}

tess_status tess_planned_await(tess_planned *planned) {
    if (!planned->colouring)
        return TESS_OK;
    const double start = tess_clock_seconds();
    const tess_status status = tess_errand_wait_for(planned->colouring, "colouring blocks");
    planned->plan_seconds += tess_clock_seconds() - start;
    TRY(status);
    tess_errand_free(planned->colouring);
    planned->colouring = NULL;
    return TESS_OK;
}

/* A planner, and the partition that is told why it did not plan; NULL: nobody asked for it. */
typedef struct told {
    const tess_planner *planner;
    tess_partition *partition;
} told;

static tess_status fill_or_tell(void *context, const tess_bound_loop *bound,
                                const int32_t *block_of, const int32_t *position, tess_plan *plan) {
    const told *to = context;
    const tess_status status =
        to->planner->fill(to->planner->context, bound, block_of, position, plan);
    if (to->partition && (status == TESS_ERROR_MEMORY || status == TESS_ERROR_MISSING) &&
        !to->partition->remark[0])
        snprintf(to->partition->remark, TESS_REMARK_SIZE, "planned on the host: %.*s",
                 TESS_REMARK_SIZE - 24, tess_message());
    return status;
}

tess_status tess_planned_build(tess_planned *planned, const tess_experiment *x,
                               const tess_bound_loop *bound, const tess_planning *how) {
    tess_plan_options options = tess_experiment_plan_options(x);
    const bool coloured_beside = how->coloured_beside && options.thread_order == TESS_ORDER_ELEMENT;
    int32_t *by_lines = NULL;
    if (planned->renumbering && options.thread_order == TESS_ORDER_LINES) {
        TRY(order_by_lines(bound, planned->renumbering, &by_lines));
        options.position = by_lines;
    } else if (planned->renumbering) {
        const tess_permutation *elements = tess_renumbering_of(planned->renumbering, bound->set);
        options.position = elements ? elements->old_to_new : NULL;
    }
    const bool is_asked = x->partition_on == TESS_PARTITION_ON_DEVICE;
    const tess_renumber_method method = tess_experiment_renumber(x);
    told to = {how->planner, is_asked ? planned->partition : NULL};
    const tess_planner planner = {
        .context = &to,
        .fill = how->planner ? fill_or_tell : NULL,
        .renumbers = tess_renumber_needs_plan(method) ? method : TESS_RENUMBER_NONE,
        .colours_later = coloured_beside};
    const tess_partition *partition = planned->partition;
    const tess_status status =
        how->owned_set >= 0
            ? tess_plan_build_owned_by(&planner, bound, how->owned_set, partition, &options,
                                       &planned->plan)
            : tess_plan_build_by(&planner, bound, partition, &options, &planned->plan);
    free(by_lines);
    if (status != TESS_OK || !coloured_beside)
        return status;
    planned->bound = bound;
    planned->options = options;
    return tess_errand_begin(colour_beside, planned, &planned->colouring);
}

bool tess_experiment_proves(const tess_experiment *experiment, int64_t n_executed) {
    enum { MANY = 4000000 }; /* their proof takes more than a second */
    return n_executed <= MANY || experiment->kind == TESS_CUTTING ||
           experiment->prove == TESS_PROVE_YES;
}

tess_status tess_planned_prove(tess_planned *planned, const tess_experiment *x,
                               const tess_bound_loop *bound) {
    const double start = tess_clock_seconds();
    if (!tess_experiment_proves(x, planned->plan->n_executed))
        return TESS_OK;
    TRY(tess_planned_await(planned));
    tess_progress_begin("proving the plan");
    const tess_status status = tess_plan_check(bound, planned->partition->block_of, planned->plan);
    tess_progress_end();
    planned->check_seconds = tess_clock_seconds() - start;
    return status;
}

tess_status tess_shared_plans_key(const tess_experiment *experiment, char **out) {
    const tess_strategy *strategy = experiment->strategy.plugin;
    char *key = NULL;
    TRY(tess_experiment_key(experiment, TESS_DECIDES_BLOCKS, TESS_DECIDES_PLAN, &key));
    const int length =
        asprintf(out, "%s%s %s", key, tess_renumber_name(tess_experiment_renumber(experiment)),
                 strategy && strategy->owns_points ? "points" : "elements");
    free(key);
    if (length < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for what plans follow from");
    return TESS_OK;
}

tess_planned *tess_shared_plans_find(const tess_shared_plans *shared, const char *key) {
    for (int i = 0; i < TESS_MOST_SHARED_PLANS; i++)
        if (shared->kept[i].key && strcmp(shared->kept[i].key, key) == 0)
            return tess_planned_share(shared->kept[i].planned);
    return NULL;
}

void tess_shared_plans_keep(tess_shared_plans *shared, char *key, tess_planned *planned) {
    const int most = shared->most ? shared->most : TESS_USUAL_SHARED_PLANS;
    const int i = shared->n_kept++ % most;
    free(shared->kept[i].key);
    tess_planned_release(shared->kept[i].planned);
    shared->kept[i].key = key;
    shared->kept[i].planned = tess_planned_share(planned);
}

void tess_shared_plans_clear(tess_shared_plans *shared) {
    for (int i = 0; i < TESS_MOST_SHARED_PLANS; i++) {
        free(shared->kept[i].key);
        tess_planned_release(shared->kept[i].planned);
    }
    *shared = (tess_shared_plans){.n_kept = 0};
}
