/* A march's plans: each loop of a step bound to the mesh, in the blocks that its settings ask for.
 */
#include "experiments/bench/march_plans.h"

#include "core/base/interrupt.h"
#include "core/plan/partition.h"
#include "experiments/bench/experiment.h"
#include "kernels/run/declarations.h"

/* Binds a loop that the bench is not open for. */
static tess_status bind(const tess_bench *bench, tess_march_plan *p) {
    TRY(tess_kernel_loop(p->kernel, bench->load.real, &p->own_loop));
    TRY(tess_kernel_bind(p->own_loop, bench->load.mesh, &p->own_bound));
    p->bound = p->own_bound;
    return tess_declarations_check(p->kernel, p->bound);
}

/* The set whose points the blocks of a loop own, or NULL. */
static const char *owned_set(const tess_bench *bench, const tess_march_plan *p) {
    tess_workload load = bench->load;
    load.kernel = p->kernel;
    load.bound = p->own_bound;
    return p->experiment->strategy.plugin->owns_points ? tess_workload_points(&load) : NULL;
}

/* Cuts a loop as its experiment says and plans it, proved, by numbers that are there. */
static tess_status cut(tess_bench *bench, tess_renumbering *renumbering, tess_march_plan *p) {
    const char *owned = owned_set(bench, p);
    tess_cutter cutter;
    const int set = owned ? tess_mesh_find_set(bench->load.mesh, owned) : -1;
    TRY(tess_planned_new(&p->planned));
    TRY(tess_bench_cutter(bench, p->experiment, &cutter));
    TRY(tess_planned_cut(p->planned, p->experiment, p->bound, owned, NULL,
                         cutter.cut ? &cutter : NULL));
    TRY(tess_interrupt_check());
    p->planned->renumbering = renumbering; /* lent */
    tess_planning how = {.owned_set = set};
    TRY(tess_bench_planner(bench, p->experiment, &how.planner));
    const tess_status status = tess_planned_build(p->planned, p->experiment, p->bound, &how);
    p->planned->renumbering = NULL;
    TRY(status);
    p->plan = p->planned->plan;
    return tess_planned_prove(p->planned, p->experiment, p->bound);
}

/* Plans the loop that the bench is open for as it is run alone, with its numbers of the mesh. */
static tess_status plan_first(tess_bench *bench, tess_march_plan *p) {
    const tess_run alone = {.experiment = p->experiment};
    TRY(tess_experiment_plan(bench, &alone, &p->planned));
    p->bound = bench->load.bound;
    p->plan = p->planned->plan;
    return tess_planned_measure(p->planned, p->bound, p->experiment->layout.layouts.layout);
}

static tess_status plan_others(tess_bench *bench, tess_march_plans *plans) {
    tess_renumbering *renumbering = tess_march_plans_first(plans)->renumbering;
    for (int i = 0; i < plans->n; i++) {
        tess_march_plan *p = &plans->items[i];
        if (i == plans->first)
            continue;
        TRY(bind(bench, p));
        if (!p->experiment->partitioner.plugin || p->bound->n_targets == 0)
            continue;
        TRY(cut(bench, renumbering, p));
        if (renumbering)
            TRY(tess_renumber_follow(p->bound, p->plan, renumbering));
    }
    return renumbering ? tess_renumbering_check(bench->load.mesh, renumbering) : TESS_OK;
}

tess_status tess_march_plans_open(tess_bench *bench, const tess_step *step, tess_march_plans *out) {
    *out = (tess_march_plans){.n = 0};
    for (int i = 0; i < step->n; i++) {
        const tess_kernel *kernel = NULL;
        TRY(tess_application_kernel(step->application, step->loops[i].loop, &kernel));
        if (!tess_kernel_applies(kernel, bench->load.mesh))
            continue;
        if (i == step->first)
            out->first = out->n;
        out->items[out->n++] = (tess_march_plan){.experiment = &step->loops[i], .kernel = kernel};
    }
    TRY(plan_first(bench, &out->items[out->first]));
    return plan_others(bench, out);
}

tess_status tess_march_plans_complete(tess_march_plans *plans, const tess_store *store) {
    for (int i = 0; i < plans->n; i++) {
        tess_march_plan *p = &plans->items[i];
        tess_partition *partition = NULL;
        if (p->plan)
            continue;
        const int32_t block_size = (int32_t)p->experiment->block_size;
        const tess_plan_options options = {.position = tess_store_order(store, p->bound->set)};
        if (p->bound->n_targets == 0) {
            TRY(tess_kernel_plan_direct(p->bound, options.position, block_size, &p->in_order));
        } else {
            TRY(tess_partition_in_order(p->bound, options.position, block_size, &partition));
            const tess_status status = tess_plan_build(p->bound, partition, &options, &p->in_order);
            tess_partition_free(partition);
            TRY(status);
        }
        p->plan = p->in_order;
    }
    return TESS_OK;
}

void tess_march_plans_close(tess_march_plans *plans) {
    for (int i = 0; i < plans->n; i++) {
        tess_march_plan *p = &plans->items[i];
        tess_plan_free(p->in_order);
        tess_planned_release(p->planned);
        tess_bound_loop_free(p->own_bound);
        tess_loop_free(p->own_loop);
    }
    *plans = (tess_march_plans){.n = 0};
}
