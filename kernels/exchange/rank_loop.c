/* A rank's loop: one loop of a time step as a rank executes it. */
#include "kernels/exchange/rank_loop.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "core/plan/plan_check.h"
#include "kernels/run/declarations.h"
#include <stdlib.h>
#include <string.h>

static const char *const phase_names[] = {
    [TESS_EARLY] = "early", [TESS_LATE] = "late", [TESS_REST] = "rest"};

/* The set that blocks own in strategies over points: the one that the loop adds to. */
static int owned_target(const tess_bound_loop *bound) {
    int r = 0;
    while (r + 1 < bound->n_targets && !bound->targets[r].incremented)
        r++;
    return r;
}

const char *tess_rank_loop_blocked_set(const tess_rank_loop *loop) {
    const tess_bound_loop *bound = loop->bound;
    const int set = loop->owns_points ? bound->targets[owned_target(bound)].set : bound->set;
    return bound->mesh->sets[set].name;
}

/* Divides n things, the first n_core of which wait for nothing, into phases. */
static void divide(const tess_rank_overlap *overlap, int64_t n_core, int64_t n,
                   tess_rank_loop *loop) {
    const int64_t middle = !overlap->arrives ? 0 : overlap->returns ? n_core / 2 : n_core;
    loop->phases[TESS_EARLY] = (tess_phase_span){.end = middle};
    loop->phases[TESS_LATE] = (tess_phase_span){.first = middle, .end = n_core};
    loop->phases[TESS_REST] = (tess_phase_span){.first = n_core, .end = n};
}

tess_status tess_rank_loop_bind(const tess_loop_way *way, const tess_ranked_loop *ranked,
                                const tess_rank_mesh *rank_mesh, const tess_rank_overlap *overlap,
                                tess_rank_loop *out) {
    const bool executes_others =
        ranked->mode == TESS_HALO_REDUNDANT && tess_loop_adds(ranked->loop);
    *out = (tess_rank_loop){.way = way, .overlap = *overlap};
    TRY(tess_kernel_bind(ranked->loop, rank_mesh->mesh, &out->bound));
    TRY(tess_declarations_check(way->kernel, out->bound));
    out->set = &rank_mesh->sets[out->bound->set];
    out->bound->n_elements = executes_others ? out->set->n_executed : out->set->n_owned;
    out->owns_points = way->strategy->owns_points && out->bound->n_targets > 0;
    if (out->owns_points)
        out->n_points = rank_mesh->sets[out->bound->targets[owned_target(out->bound)].set].n_owned;
    out->overlap.overlaps &=
        (overlap->arrives || overlap->returns) && !way->strategy->in_storage_order;
    divide(overlap, out->overlap.overlaps ? out->set->n_core : 0, out->bound->n_elements, out);
    return TESS_OK;
}

/* --- blocks that own points ------------------------------------------------------------------- */

/* Marks the blocks that execute elements beyond the core. */
static void mark_waiting(const tess_rank_loop *loop, const int32_t *block_of, bool *waits) {
    const tess_loop_target *target = &loop->bound->targets[owned_target(loop->bound)];
    for (int64_t e = loop->set->n_core; e < loop->bound->n_elements; e++)
        for (int s = 0; s < target->n_slots; s++) {
            const int32_t point = tess_target_point(target, e, s);
            if (point >= 0)
                waits[block_of[point]] = true;
        }
}

/* Gives the points of other ranks blocks of their own: a rank's mesh is cut as it would be alone.
 */
static tess_status add_imports(const tess_rank_loop *loop, tess_partition *partition) {
    const tess_mesh *mesh = loop->bound->mesh;
    const int64_t n = mesh->sets[loop->bound->targets[owned_target(loop->bound)].set].size;
    const int64_t n_own = partition->n_elements, size = partition->block_size;
    int64_t capacity = n_own;
    TRY(TESS_RESERVE(n, &capacity, &partition->block_of));
    for (int64_t p = n_own; p < n; p++)
        partition->block_of[p] = partition->n_blocks + (int32_t)((p - n_own) / size);
    partition->n_blocks += (int32_t)((n - n_own + size - 1) / size);
    partition->n_elements = n;
    return TESS_OK;
}

/* Numbers the blocks that need nothing that travels before the others but those of imports, and
 * gives how many they are. */
static tess_status put_core_first(const tess_rank_loop *loop, int32_t n_own,
                                  tess_partition *partition, int64_t *n_core) {
    tess_status status = TESS_OK;
    bool *waits = NULL;
    int32_t *number = NULL, n = 0;
    *n_core = 0;
    if (!loop->overlap.overlaps)
        return TESS_OK;
    CHECK(TESS_ZEROS(partition->n_blocks, &waits));
    CHECK(TESS_ALLOC(n_own, &number));
    mark_waiting(loop, partition->block_of, waits);
    for (int waiting = 0; waiting < 2; waiting++) {
        for (int32_t b = 0; b < n_own; b++)
            if (waits[b] == waiting)
                number[b] = n++;
        if (!waiting)
            *n_core = n;
    }
    for (int64_t p = 0; p < partition->n_elements; p++)
        if (partition->block_of[p] < n_own)
            partition->block_of[p] = number[partition->block_of[p]];
done:
    free(waits);
    free(number);
    return status;
}

/* Whether the blocks of imports compute something that anybody wants: sums that return, values of
 * the elements themselves, or of a set that has other owners than its rows. */
static bool runs_imports(const tess_rank_loop *loop) {
    const tess_loop *of = loop->bound->loop;
    bool any = loop->overlap.returns;
    for (int r = 0; r < loop->bound->n_targets; r++)
        any |= r != owned_target(loop->bound) && loop->bound->targets[r].incremented;
    for (int a = 0; a < of->n_args; a++)
        any |= of->args[a].access != TESS_READ && !of->args[a].map[0];
    return any;
}

/* A proof that the first n_core blocks of a plan execute elements of the core alone. */
static tess_status check_core(const tess_rank_loop *loop, const tess_plan *plan, int64_t n_core) {
    for (int64_t k = 0; k < plan->block_offset[n_core]; k++)
        if (plan->executed[k] >= loop->set->n_core)
            FAIL(TESS_ERROR_CHECK,
                 "a block of %s that does not wait executes element %d, which needs what travels",
                 plan->loop, plan->executed[k]);
    return TESS_OK;
}

/* The order of the whole mesh among the elements that the rank executes, whoever owns them: sums
 * are then taken as without ranks. */
static tess_status order_as_whole(const tess_rank_loop *loop, int32_t **out) {
    tess_status status = TESS_OK;
    const int64_t n = loop->bound->n_elements;
    uint64_t *number = NULL;
    int32_t *order = NULL;
    CHECK(TESS_ALLOC(n, &number));
    for (int64_t e = 0; e < n; e++)
        number[e] = (uint64_t)loop->set->global[e];
    CHECK(tess_key_order(number, n, &order));
    CHECK(TESS_ALLOC(n, out));
    for (int64_t i = 0; i < n; i++)
        (*out)[order[i]] = (int32_t)i;
done:
    free(order);
    free(number);
    return status;
}

static tess_status cut_points(const tess_rank_loop_setting *setting, const int32_t *position,
                              tess_rank_loop *loop) {
    tess_status status = TESS_OK;
    const char *name = tess_rank_loop_blocked_set(loop);
    tess_partition *partition = NULL;
    tess_plan *plan = NULL;
    tess_plan_options options = loop->way->plan;
    int64_t n_core = 0;
    int32_t *as_whole = NULL;
    if (loop->bound->n_elements == 0)
        return TESS_OK;
    if (!position && options.thread_order != TESS_ORDER_LINES)
        CHECK(order_as_whole(loop, &as_whole));
    options.position = position ? position : as_whole;
    CHECK(setting->cut(loop->way->context, loop->bound, name, loop->n_points, &partition));
    const int32_t n_own = partition->n_blocks;
    CHECK(add_imports(loop, partition));
    CHECK(put_core_first(loop, n_own, partition, &n_core));
    CHECK(tess_plan_build_owned_by(loop->way->planner, loop->bound,
                                   tess_mesh_find_set(loop->bound->mesh, name), partition, &options,
                                   &plan));
    if (setting->checked) {
        CHECK(tess_plan_check(loop->bound, partition->block_of, plan));
        CHECK(check_core(loop, plan, n_core));
    }
    divide(&loop->overlap, n_core, runs_imports(loop) ? plan->n_blocks : n_own, loop);
    loop->phases[TESS_REST].plan = TESS_TAKE(plan);
done:
    free(as_whole);
    tess_plan_free(plan);
    tess_partition_free(partition);
    return status;
}

/* --- blocks of elements ----------------------------------------------------------------------- */

/* The order among the elements first ... end - 1 of a set of `size`, from where each is stored. */
static tess_status order_within(const int32_t *position, int64_t size, int64_t first, int64_t end,
                                int32_t **out) {
    int32_t *at = NULL, n = 0;
    *out = NULL;
    if (!position)
        return TESS_OK;
    TRY(TESS_ALLOC(size, &at));
    memset(at, 0xff, (size_t)size * sizeof *at);
    for (int64_t e = first; e < end; e++)
        at[position[e]] = (int32_t)(e - first);
    const tess_status status = TESS_ALLOC(end - first, out);
    for (int64_t i = 0; i < size && status == TESS_OK; i++)
        if (at[i] >= 0)
            (*out)[at[i]] = n++;
    free(at);
    return status;
}

/* The plan of a part, in the part's own numbers, proved. */
static tess_status plan_part(const tess_rank_loop_setting *setting, const tess_loop_way *way,
                             const tess_bound_loop *part, const int32_t *position, bool is_cut,
                             tess_plan **out) {
    tess_status status = TESS_OK;
    tess_partition *partition = NULL;
    tess_plan_options options = way->plan;
    options.position = position;
    if (part->n_targets == 0)
        return tess_kernel_plan_direct(part, position, way->block_size, out);
    CHECK(is_cut ? setting->cut(way->context, part, NULL, 0, &partition)
                 : tess_partition_in_order(part, position, way->block_size, &partition));
    CHECK(tess_plan_build_by(is_cut ? way->planner : NULL, part, partition, &options, out));
    if (setting->checked)
        CHECK(tess_plan_check(part, partition->block_of, *out));
done:
    tess_partition_free(partition);
    return status;
}

/* Plans one phase, in the numbers of the loop. */
static tess_status plan_phase(const tess_rank_loop_setting *setting, const int32_t *position,
                              bool is_cut, const tess_rank_loop *loop, tess_phase_span *phase) {
    tess_status status = TESS_OK;
    tess_bound_loop *part = NULL;
    int32_t *order = NULL;
    if (phase->first == phase->end || phase->plan)
        return TESS_OK;
    CHECK(tess_bound_loop_part(loop->bound, phase->first, phase->end, &part));
    CHECK(order_within(position, loop->set->n, phase->first, phase->end, &order));
    CHECK(plan_part(setting, loop->way, part, order, is_cut, &phase->plan));
    for (int64_t k = 0; k < phase->plan->n_executed; k++)
        phase->plan->executed[k] += (int32_t)phase->first;
done:
    free(order);
    tess_bound_loop_free(part);
    return status;
}

static tess_status plan_phases(const tess_rank_loop_setting *setting, const int32_t *position,
                               bool is_cut, tess_rank_loop *loop) {
    for (int p = 0; p < TESS_N_RANK_PHASES; p++)
        TRY(plan_phase(setting, position, is_cut, loop, &loop->phases[p]));
    return TESS_OK;
}

tess_status tess_rank_loop_cut(const tess_rank_loop_setting *setting, const int32_t *position,
                               tess_rank_loop *loop) {
    return loop->owns_points ? cut_points(setting, position, loop)
                             : plan_phases(setting, position, true, loop);
}

tess_status tess_rank_loop_plan_in_order(const tess_rank_loop_setting *setting,
                                         const int32_t *position, tess_rank_loop *loop) {
    return loop->owns_points ? TESS_OK : plan_phases(setting, position, false, loop);
}

/* --- what is planned -------------------------------------------------------------------------- */

/* Puts the blocks of all phases side by side. */
static tess_status join_blocks(const tess_rank_loop *loop, tess_partition *partition) {
    partition->n_elements = loop->bound->n_elements;
    partition->block_size = loop->way->block_size;
    TRY(TESS_ALLOC(partition->n_elements, &partition->block_of));
    for (int p = 0; p < TESS_N_RANK_PHASES; p++) {
        const tess_plan *plan = loop->phases[p].plan;
        for (int32_t b = 0; plan && b < plan->n_blocks; b++)
            for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
                partition->block_of[plan->executed[k]] = partition->n_blocks + b;
        partition->n_blocks += plan ? plan->n_blocks : 0;
    }
    return TESS_OK;
}

tess_status tess_rank_loop_join(const tess_rank_loop *loop, const tess_plan **out,
                                tess_plan **made) {
    tess_partition partition = {.n_blocks = 0};
    int n = 0;
    *out = *made = NULL;
    for (int p = 0; p < TESS_N_RANK_PHASES; p++)
        if (loop->phases[p].plan) {
            *out = loop->phases[p].plan;
            n++;
        }
    if (n == 1)
        return TESS_OK;
    tess_status status = join_blocks(loop, &partition);
    if (status == TESS_OK)
        status = tess_plan_build(loop->bound, &partition, NULL, made);
    *out = *made;
    free(partition.block_of);
    return status;
}

tess_status tess_rank_loop_count_reuse(const tess_rank_loop *loop, int64_t *blocks,
                                       tess_reuse *reuse) {
    for (int p = 0; p < TESS_N_RANK_PHASES; p++) {
        const tess_plan *plan = loop->phases[p].plan;
        tess_reuse own;
        if (!plan || loop->bound->n_targets == 0)
            continue;
        TRY(tess_reuse_count(loop->bound, plan, &own));
        *blocks += loop->owns_points ? loop->phases[TESS_REST].end : plan->n_blocks;
        reuse->accesses += own.accesses;
        reuse->points += own.points;
    }
    return TESS_OK;
}

/* --- executed --------------------------------------------------------------------------------- */

tess_status tess_rank_loop_open(const tess_rank_loop_setting *setting, const char *folder,
                                tess_store *store, tess_rank_loop *loop) {
    const tess_loop_way *way = loop->way;
    for (int p = 0; p < TESS_N_RANK_PHASES; p++) {
        tess_phase_span *phase = &loop->phases[p];
        char *own = NULL;
        if (!phase->plan)
            continue;
        if (folder)
            TRY(tess_text_print(&own, "%s-%s", folder, phase_names[p]));
        const tess_execution_options options = {.kernel = way->kernel,
                                                .strategy = way->strategy,
                                                .spec = way->spec,
                                                .threads = way->threads,
                                                .arithmetic = setting->arithmetic,
                                                .keep_text = own,
                                                .whole = setting->whole,
                                                .any_size = setting->one_text,
                                                .tables_page = setting->tables_page,
                                                .application = setting->application};
        const tess_status status =
            tess_execution_open(&options, store, loop->bound, phase->plan, &phase->execution);
        free(own);
        TRY(status);
    }
    return TESS_OK;
}

bool tess_rank_loop_tables_there(const tess_rank_loop *loop, const char **remark) {
    bool there = false;
    *remark = "";
    for (int p = 0; p < TESS_N_RANK_PHASES; p++) {
        const tess_execution *execution = loop->phases[p].execution;
        if (execution && !execution->tables_there) {
            *remark = execution->remark;
            return false;
        }
        there = there || execution;
    }
    return there;
}

tess_status tess_rank_loop_run(const tess_rank_loop *loop, tess_rank_phase p) {
    const tess_phase_span *phase = &loop->phases[p];
    tess_execution *execution = loop->phases[loop->owns_points ? TESS_REST : p].execution;
    if (!execution)
        return TESS_OK;
    tess_page_find_dats(&execution->page); /* chains may have changed their buffers */
    return loop->owns_points ? tess_execution_run_blocks(execution, phase->first, phase->end)
                             : tess_execution_run(execution);
}

void tess_rank_loop_clear(tess_rank_loop *loop) {
    for (int p = 0; p < TESS_N_RANK_PHASES; p++) {
        tess_execution_close(loop->phases[p].execution);
        tess_plan_free(loop->phases[p].plan);
    }
    tess_bound_loop_free(loop->bound);
}
