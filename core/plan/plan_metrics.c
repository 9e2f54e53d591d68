/* The metrics whose source is the plan: counted block by block, in parallel, in whole numbers. */
#include "core/base/array.h"
#include "core/plan/plan_counts.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tess_status task_new(const tess_bound_loop *bound, const tess_plan *plan,
                            const tess_renumbering *renumbering, tess_count_task *task) {
    TRY(TESS_ZEROS(plan->n_sets, &task->place));
    TRY(TESS_ZEROS(plan->n_sets, &task->counting));
    TRY(TESS_ZEROS(plan->n_sets, &task->some_counting));
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_reach *reach = &bound->reaches[k];
        const tess_permutation *permutation =
            renumbering ? tess_renumbering_of(renumbering, reach->set) : NULL;
        task->place[k] = permutation ? permutation->old_to_new : NULL;
        TRY(TESS_ALLOC(reach->n_slots, &task->counting[k]));
        for (int s = 0; s < reach->n_slots; s++) {
            task->counting[k][s] = tess_reach_counts(bound, reach, s, TESS_POINTS_INCREMENTS);
            task->some_counting[k] |= task->counting[k][s];
        }
        task->n_slots += reach->n_slots;
    }
    return TESS_OK;
}

static void task_free(tess_count_task *task) {
    for (int k = 0; task->counting && k < task->plan->n_sets; k++)
        free(task->counting[k]);
    free(task->place);
    free(task->counting);
    free(task->some_counting);
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void counts_add(const tess_count_task *task, const tess_counts *from, tess_counts *to) {
    to->accesses += from->accesses;
    to->points += from->points;
    to->accesses_all += from->accesses_all;
    to->points_all += from->points_all;
    to->accesses_bytes += from->accesses_bytes;
    to->points_bytes += from->points_bytes;
    to->thread_colours += from->thread_colours;
    to->thread_colours_max = larger(to->thread_colours_max, from->thread_colours_max);
    to->bound += from->bound;
    to->components += from->components;
    to->shared += from->shared;
    to->shared_max = larger(to->shared_max, from->shared_max);
    to->used += from->used;
    to->total += from->total;
    for (int u = 0; u < task->uses->n; u++)
        to->sectors[u] += from->sectors[u];
    for (int i = 0; i < task->n_slots * (TESS_WARP + 1); i++)
        to->unique[i] += from->unique[i];
}

static double ratio(int64_t a, int64_t b) {
    return b ? (double)a / (double)b : 0;
}

static tess_status add(tess_metrics *metrics, const char *name, double value) {
    return tess_metrics_add(metrics, name, TESS_SOURCE_PLAN, value);
}

/* A metric of one part (a dat, a slot) of the loop: NAME/PART. */
static tess_status add_part(tess_metrics *metrics, const char *name, const char *part,
                            double value) {
    char full[TESS_METRIC_NAME_SIZE];
    if (snprintf(full, sizeof full, "%s/%s", name, part) >= (int)sizeof full)
        FAIL(TESS_ERROR_INTERNAL, "the name of the metric %s of %s is too long", name, part);
    return add(metrics, full, value);
}

static tess_status add_ratios(const tess_count_task *task, const tess_counts *counts,
                              tess_metrics *metrics) {
    const tess_plan *plan = task->plan;
    const int64_t n_blocks = plan->n_blocks;
    const int64_t n_over = tess_mesh_set_size(task->bound->mesh, plan->over);
    TRY(add(metrics, "reuse_factor", ratio(counts->accesses, counts->points)));
    TRY(add(metrics, "reuse_factor_all", ratio(counts->accesses_all, counts->points_all)));
    TRY(add(metrics, "reuse_factor_bytes", ratio(counts->accesses_bytes, counts->points_bytes)));
    TRY(add(metrics, "blocks", (double)n_blocks));
    TRY(add(metrics, "fill", ratio(n_over, n_blocks * plan->block_size)));
    TRY(add(metrics, "block_colours", plan->n_block_colours));
    TRY(add(metrics, "thread_colours_mean", ratio(counts->thread_colours, n_blocks)));
    TRY(add(metrics, "thread_colours_max", (double)counts->thread_colours_max));
    TRY(add(metrics, "thread_colours_bound_mean", ratio(counts->bound, n_blocks)));
    TRY(add(metrics, "components_mean", ratio(counts->components, n_blocks)));
    TRY(add(metrics, "redundancy", ratio(plan->n_executed, plan->n_elements)));
    TRY(add(metrics, "shared_bytes_plan", ratio(counts->shared, n_blocks)));
    TRY(add(metrics, "shared_bytes_plan_max", (double)counts->shared_max));
    TRY(add(metrics, "transfer_used", (double)counts->used));
    return add(metrics, "transfer_total", (double)counts->total);
}

/* The least number of points such that `tenths` tenths of all warps have at most that many. */
static int quantile(const int64_t histogram[TESS_WARP + 1], int tenths) {
    int64_t all = 0, up_to = 0;
    for (int v = 0; v <= TESS_WARP; v++)
        all += histogram[v];
    int v = -1;
    do
        up_to += histogram[++v];
    while (10 * up_to < tenths * all);
    return v;
}

static tess_status add_warps(const tess_count_task *task, const tess_counts *counts,
                             tess_metrics *metrics) {
    static const struct {
        const char *name;
        int tenths;
    } quantiles[] = {{"unique_points_warp", 5}, {"unique_points_warp_p90", 9}};
    int64_t pooled[TESS_WARP + 1] = {0};
    for (int i = 0; i < task->n_slots * (TESS_WARP + 1); i++)
        pooled[i % (TESS_WARP + 1)] += counts->unique[i];
    for (int q = 0; q < 2; q++) {
        TRY(add(metrics, quantiles[q].name, quantile(pooled, quantiles[q].tenths)));
        const int64_t *histogram = counts->unique;
        for (int k = 0; k < task->plan->n_sets; k++) {
            for (int s = 0; s < task->plan->sets[k].n_slots; s++, histogram += TESS_WARP + 1) {
                char slot[TESS_NAME_SIZE + 16];
                snprintf(slot, sizeof slot, "%s.%d", task->plan->sets[k].set, s);
                TRY(add_part(metrics, quantiles[q].name, slot,
                             quantile(histogram, quantiles[q].tenths)));
            }
        }
    }
    return TESS_OK;
}

/* True when the loop has a dat of the same name on another set. */
static bool is_ambiguous(const tess_dat_uses *uses, int u) {
    for (int v = 0; v < uses->n; v++)
        if (v != u && uses->uses[v].reach >= 0 && strcmp(uses->uses[v].dat, uses->uses[u].dat) == 0)
            return true;
    return false;
}

static tess_status add_sectors(const tess_count_task *task, const tess_counts *counts,
                               tess_metrics *metrics) {
    const char *const name = "sectors_per_block";
    int64_t all = 0;
    for (int u = 0; u < task->uses->n; u++)
        all += counts->sectors[u];
    TRY(add(metrics, name, ratio(all, task->plan->n_blocks)));
    for (int u = 0; u < task->uses->n; u++) {
        const tess_dat_use *use = &task->uses->uses[u];
        if (use->reach < 0)
            continue;
        char dat[2 * TESS_NAME_SIZE];
        if (is_ambiguous(task->uses, u))
            snprintf(dat, sizeof dat, "%s.%s", use->set, use->dat);
        else
            snprintf(dat, sizeof dat, "%s", use->dat);
        TRY(add_part(metrics, name, dat, ratio(counts->sectors[u], task->plan->n_blocks)));
    }
    return TESS_OK;
}

static tess_status distributions_new(int32_t n_blocks, tess_metrics *metrics) {
    metrics->n_blocks = n_blocks;
    TRY(TESS_ALLOC(n_blocks, &metrics->block_size));
    TRY(TESS_ALLOC(n_blocks, &metrics->block_points));
    TRY(TESS_ALLOC(n_blocks, &metrics->block_thread_colours));
    return TESS_ALLOC(n_blocks, &metrics->block_components);
}

/* Counts all blocks and adds up the threads' counts in those of the first. */
static tess_status count_blocks(const tess_count_task *task, int n_threads,
                                tess_count_scratch *scratches, tess_metrics *metrics) {
    for (int t = 0; t < n_threads; t++)
        TRY(tess_count_scratch_new(task, &scratches[t]));
#pragma omp parallel for schedule(dynamic, 32) num_threads(n_threads)
    for (int32_t b = 0; b < task->plan->n_blocks; b++)
        tess_count_block(task, b, &scratches[omp_get_thread_num()], metrics);
    for (int t = 1; t < n_threads; t++)
        counts_add(task, &scratches[t].counts, &scratches[0].counts);
    return TESS_OK;
}

tess_status tess_metrics_of_plan(const tess_bound_loop *bound, const tess_plan *plan,
                                 const tess_renumbering *renumbering, tess_layout layout,
                                 tess_metrics **out) {
    tess_status status = TESS_OK;
    tess_metrics *metrics = NULL;
    tess_dat_uses uses = {0};
    tess_count_task task = {.bound = bound, .plan = plan, .uses = &uses, .layout = layout};
    tess_count_scratch *scratches = NULL;
    const int n_threads = omp_get_max_threads();
    CHECK(tess_metrics_new(&metrics));
    CHECK(tess_dat_uses_build(bound, &uses));
    CHECK(task_new(bound, plan, renumbering, &task));
    CHECK(distributions_new(plan->n_blocks, metrics));
    CHECK(TESS_ZEROS(n_threads, &scratches));
    CHECK(count_blocks(&task, n_threads, scratches, metrics));
    CHECK(add_ratios(&task, &scratches[0].counts, metrics));
    CHECK(add_warps(&task, &scratches[0].counts, metrics));
    CHECK(add_sectors(&task, &scratches[0].counts, metrics));
    *out = metrics;
    metrics = NULL;
done:
    for (int t = 0; scratches && t < n_threads; t++)
        tess_count_scratch_free(&scratches[t]);
    free(scratches);
    task_free(&task);
    tess_dat_uses_free(&uses);
    tess_metrics_free(metrics);
    return status;
}
