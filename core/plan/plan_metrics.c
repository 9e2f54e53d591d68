/* The metrics whose source is the plan: counted block by block, in parallel, in whole numbers. */
#include "core/base/array.h"
#include "core/base/distinct.h"
#include "core/base/interrupt.h"
#include "core/plan/block_quantities.h"
#include "core/plan/dat_uses.h"
#include "core/plan/neighbours.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR_BYTES = 32, LINE_BYTES = 128 };

/* Lanes of a warp: NVIDIA's, and those of AMD's CDNA. */
enum { WIDTHS = 2, MOST_LANES = 64, BINS = MOST_LANES + 1 };
static const int widths[WIDTHS] = {32, MOST_LANES};

/* What is counted and how. */
typedef struct count_task {
    tess_block_task blocks;
    const tess_bound_loop *bound;
    const tess_plan *plan;
    const tess_dat_uses *uses;
    const tess_layout *layout; /* [n sets of the mesh] */
    const int32_t **position;  /* [n_sets]: number to place, NULL where the same */
    int n_slots;               /* of all sets */
} count_task;

/* Sums over blocks; whole numbers, so that they do not depend on the order. */
typedef struct block_counts {
    int64_t accesses, points;             /* through counting slots */
    int64_t accesses_all, points_all;     /* through all */
    int64_t accesses_bytes, points_bytes; /* of the indirect dats' rows */
    int64_t bound;
    int64_t shared, shared_max;
    int64_t used, total, dat_numbers; /* of each dat's points, as OP2 has them */
    int64_t *sectors;                 /* [n uses] */
    int64_t *unique;                  /* [WIDTHS][n_slots][BINS]: warps by their distinct points */
} block_counts;

/* Scratch of one thread. */
typedef struct count_scratch {
    tess_block_scratch blocks;
    tess_distinct distinct;
    int32_t *positions;     /* [most points] */
    int32_t *number, *last; /* [most points] */
    int64_t *stamp;         /* [most points] */
    int64_t next_stamp;
    block_counts counts;
} count_scratch;

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static tess_status count_scratch_new(const count_task *task, count_scratch *scratch) {
    const int64_t most_points = tess_block_most_points(task->plan);
    TRY(tess_block_scratch_new(task->plan, &scratch->blocks));
    TRY(tess_distinct_new(most_points, &scratch->distinct));
    TRY(TESS_ALLOC(most_points, &scratch->positions));
    TRY(TESS_ALLOC(most_points, &scratch->number));
    TRY(TESS_ALLOC(most_points, &scratch->last));
    TRY(TESS_ZEROS(most_points, &scratch->stamp));
    TRY(TESS_ZEROS(task->uses->n, &scratch->counts.sectors));
    return TESS_ZEROS(WIDTHS * task->n_slots * BINS, &scratch->counts.unique);
}

static void count_scratch_free(count_scratch *scratch) {
    tess_block_scratch_free(&scratch->blocks);
    tess_distinct_free(&scratch->distinct);
    free(scratch->positions);
    free(scratch->number);
    free(scratch->last);
    free(scratch->stamp);
    free(scratch->counts.sectors);
    free(scratch->counts.unique);
}

/* Distinct units of `unit` bytes that rows of `row` bytes at ascending places touch. */
static int64_t count_units(const int32_t *positions, int64_t n, int64_t row, int64_t unit) {
    int64_t units = 0, next = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = positions[i] * row / unit,
                      last = (positions[i] * row + row - 1) / unit;
        units += last + 1 - (first > next ? first : next);
        next = last + 1;
    }
    return units;
}

/* One indirect dat: its bytes, sectors and lines. */
static void count_dat(const count_task *task, const tess_block_view *view, int u,
                      count_scratch *scratch) {
    const tess_dat_use *use = &task->uses->uses[u];
    block_counts *counts = &scratch->counts;
    const int32_t *position = task->position[use->target], *positions = scratch->blocks.values;
    const int64_t row = use->dim * use->value_bytes, w = tess_dat_use_passes(use);
    const int64_t n = tess_block_list_points(view, use->slots, &scratch->blocks);
    if (position) {
        for (int64_t j = 0; j < n; j++)
            scratch->blocks.values[j] = position[scratch->blocks.values[j]];
        tess_distinct_find(&scratch->distinct, scratch->blocks.values, n, scratch->positions, NULL);
        positions = scratch->positions;
    }
    const bool soa = task->layout[task->bound->targets[use->target].set] == TESS_SOA;
    const int64_t arrays = soa ? use->dim : 1, width = soa ? use->value_bytes : row;
    counts->sectors[u] += arrays * count_units(positions, n, width, SECTOR_BYTES);
    counts->total += w * arrays * LINE_BYTES * count_units(positions, n, width, LINE_BYTES);
    counts->used += w * row * n;
    counts->dat_numbers += (int64_t)sizeof(int32_t) * n;
    counts->accesses_bytes += row * tess_block_count_accesses(view, use->slots);
    counts->points_bytes += row * n;
}

/* Distinct points of each slot in each warp of so many lanes; histogram[s] has the warps by their
 * number. */
static void count_warps(const tess_block_view *view, int lanes, int64_t *histogram,
                        count_scratch *scratch) {
    const int n_slots = view->set->n_slots;
    for (int s = 0; s < n_slots; s++) {
        for (int64_t start = 0; start < view->n; start += lanes) {
            const int64_t end = start + lanes < view->n ? start + lanes : view->n;
            const int64_t stamp = ++scratch->next_stamp;
            int unique = 0;
            for (int64_t i = start; i < end; i++) {
                const uint16_t local = view->local[i * n_slots + s];
                if (local == TESS_NO_POINT || scratch->stamp[local] == stamp)
                    continue;
                scratch->stamp[local] = stamp;
                unique++;
            }
            histogram[s * BINS + unique]++;
        }
    }
}

/* The largest number of elements that increment one point of the set. */
static int64_t most_at_a_point(const tess_block_view *view, count_scratch *scratch) {
    const int n_slots = view->set->n_slots;
    int32_t most = 0;
    for (int64_t j = 0; j < view->n_points; j++) {
        scratch->number[j] = 0;
        scratch->last[j] = -1;
    }
    for (int64_t i = 0; i < view->n; i++) {
        for (int s = 0; s < n_slots; s++) {
            const uint16_t local = view->local[i * n_slots + s];
            if (!view->set->slot_incremented[s] || local == TESS_NO_POINT ||
                scratch->last[local] == i)
                continue;
            scratch->last[local] = (int32_t)i;
            if (++scratch->number[local] > most)
                most = scratch->number[local];
        }
    }
    return most;
}

/* Bytes used in whole whatever the layout: direct dats, local indices, numbers of points. */
static int64_t contiguous_bytes(const count_task *task, int32_t b) {
    const tess_plan *plan = task->plan;
    const int64_t n = plan->block_offset[b + 1] - plan->block_offset[b];
    int64_t bytes = 0;
    for (int u = 0; u < task->uses->n; u++) {
        const tess_dat_use *use = &task->uses->uses[u];
        if (use->target < 0)
            bytes += tess_dat_use_passes(use) * n * use->dim * use->value_bytes;
    }
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_block_view view = tess_block_view_of(plan, k, b);
        bytes += (int64_t)sizeof(uint16_t) * n * view.set->n_slots +
                 (int64_t)sizeof(int32_t) * view.n_points;
    }
    return bytes;
}

/* By so many bytes OP2's indices are more in all blocks, the dats' numbers left out: it has local
 * indices for each slot of a dat, and numbers of points for each dat, not for each set. */
static int64_t more_indices_by_op2(const count_task *task) {
    const tess_plan *plan = task->plan;
    int64_t bytes = 0, n_more = -task->n_slots;
    for (int u = 0; u < task->uses->n; u++) {
        const tess_dat_use *use = &task->uses->uses[u];
        for (int s = 0; use->target >= 0 && s < plan->sets[use->target].n_slots; s++)
            n_more += use->slots[s];
    }
    for (int k = 0; k < plan->n_sets; k++)
        bytes -= (int64_t)sizeof(int32_t) * plan->sets[k].point_offset[plan->n_blocks];
    return bytes + (int64_t)sizeof(uint16_t) * n_more * plan->block_offset[plan->n_blocks];
}

/* Adds the bytes that the block stages and moves. */
static void count_bytes(const count_task *task, int32_t b, count_scratch *scratch) {
    block_counts *counts = &scratch->counts;
    int64_t shared = 0;
    for (int u = 0; u < task->uses->n; u++) {
        const tess_dat_use *use = &task->uses->uses[u];
        if (use->target < 0)
            continue;
        const tess_block_view view = tess_block_view_of(task->plan, use->target, b);
        count_dat(task, &view, u, scratch);
        shared += view.n_points * use->dim * use->value_bytes;
    }
    counts->shared += shared;
    counts->shared_max = larger(shared, counts->shared_max);
    const int64_t contiguous = contiguous_bytes(task, b);
    counts->used += contiguous;
    counts->total += contiguous;
}

/* Adds block b to the scratch's counts and fills its places in the distributions. */
static void count_block(const count_task *task, int32_t b, count_scratch *scratch,
                        tess_metrics *metrics) {
    const tess_plan *plan = task->plan;
    block_counts *counts = &scratch->counts;
    const int64_t n = plan->block_offset[b + 1] - plan->block_offset[b];
    int64_t bound = n > 0, first_slot = 0;
    for (int i = 0; i < metrics->n_distributions; i++)
        metrics->distributions[i].values[b] =
            tess_block_quantity_count(&task->blocks, i, b, &scratch->blocks);
    tess_block_reach(&task->blocks, b, &scratch->blocks);
    counts->accesses += scratch->blocks.accesses;
    counts->points += scratch->blocks.points;
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_block_view view = tess_block_view_of(plan, k, b);
        for (int64_t i = 0; i < n * view.set->n_slots; i++)
            counts->accesses_all += view.local[i] != TESS_NO_POINT;
        counts->points_all += view.n_points;
        for (int w = 0; w < WIDTHS; w++)
            count_warps(&view, widths[w], counts->unique + (w * task->n_slots + first_slot) * BINS,
                        scratch);
        first_slot += view.set->n_slots;
        if (view.set->incremented)
            bound = larger(bound, most_at_a_point(&view, scratch));
    }
    counts->bound += bound;
    count_bytes(task, b, scratch);
}

static tess_status task_new(const tess_bound_loop *bound, const tess_plan *plan,
                            const tess_renumbering *renumbering, count_task *task) {
    TRY(tess_block_task_new(bound, plan, &task->blocks));
    TRY(TESS_ZEROS(plan->n_sets, &task->position));
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_loop_target *target = &bound->targets[k];
        const tess_permutation *permutation =
            renumbering ? tess_renumbering_of(renumbering, target->set) : NULL;
        task->position[k] = permutation ? permutation->old_to_new : NULL;
        task->n_slots += target->n_slots;
    }
    return TESS_OK;
}

static void task_free(count_task *task) {
    tess_block_task_free(&task->blocks);
    free(task->position);
}

static void counts_add(const count_task *task, const block_counts *from, block_counts *to) {
    to->accesses += from->accesses;
    to->points += from->points;
    to->accesses_all += from->accesses_all;
    to->points_all += from->points_all;
    to->accesses_bytes += from->accesses_bytes;
    to->points_bytes += from->points_bytes;
    to->bound += from->bound;
    to->shared += from->shared;
    to->shared_max = larger(to->shared_max, from->shared_max);
    to->used += from->used;
    to->total += from->total;
    to->dat_numbers += from->dat_numbers;
    for (int u = 0; u < task->uses->n; u++)
        to->sectors[u] += from->sectors[u];
    for (int i = 0; i < WIDTHS * task->n_slots * BINS; i++)
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

/* The mean over blocks of a quantity that they have. */
static double mean_of(const tess_metrics *metrics, const char *name) {
    const double *values = tess_metrics_of_blocks(metrics, name);
    double sum = 0;
    for (int32_t b = 0; b < metrics->n_blocks; b++)
        sum += values[b];
    return metrics->n_blocks ? sum / metrics->n_blocks : 0;
}

static tess_status add_ratios(const count_task *task, const block_counts *counts,
                              tess_metrics *metrics) {
    const tess_plan *plan = task->plan;
    const int64_t n_blocks = plan->n_blocks, more = counts->dat_numbers + more_indices_by_op2(task);
    const int64_t n_partitioned = tess_mesh_set_size(task->bound->mesh, plan->partitioned_set);
    TRY(add(metrics, "reuse_factor", ratio(counts->accesses, counts->points)));
    TRY(add(metrics, "reuse_factor_all", ratio(counts->accesses_all, counts->points_all)));
    TRY(add(metrics, "reuse_factor_bytes", ratio(counts->accesses_bytes, counts->points_bytes)));
    TRY(add(metrics, "blocks", (double)n_blocks));
    TRY(add(metrics, "fill", ratio(n_partitioned, n_blocks * plan->block_size)));
    TRY(add(metrics, "components_mean", mean_of(metrics, "block_components")));
    TRY(add(metrics, "redundancy", ratio(plan->n_executed, plan->n_elements)));
    TRY(add(metrics, "shared_bytes_plan", ratio(counts->shared, n_blocks)));
    TRY(add(metrics, "shared_bytes_plan_max", (double)counts->shared_max));
    TRY(add(metrics, "transfer_used", (double)counts->used));
    TRY(add(metrics, "transfer_total", (double)counts->total));
    TRY(add(metrics, "transfer_used_op2", (double)(counts->used + more)));
    return add(metrics, "transfer_total_op2", (double)(counts->total + more));
}

static tess_status add_colours(const count_task *task, const block_counts *counts,
                               tess_metrics *metrics) {
    const int64_t n_blocks = task->plan->n_blocks;
    if (task->blocks.gathers)
        return TESS_OK;
    const double *colours = tess_metrics_of_blocks(metrics, "block_thread_colours");
    double most = 0;
    for (int64_t b = 0; b < n_blocks; b++)
        most = colours[b] > most ? colours[b] : most;
    TRY(add(metrics, "block_colours", task->plan->n_block_colours));
    TRY(add(metrics, "thread_colours_mean", mean_of(metrics, "block_thread_colours")));
    TRY(add(metrics, "thread_colours_max", most));
    return add(metrics, "thread_colours_bound_mean", ratio(counts->bound, n_blocks));
}

static tess_status add_neighbours(const count_task *task, tess_metrics *metrics) {
    tess_neighbour_counts counts = {.cut = 0};
    if (task->plan->owns_points || !tess_neighbours_target(task->bound))
        return TESS_OK;
    TRY(tess_neighbours_count(task->bound, task->plan, &counts));
    TRY(add(metrics, "cut", (double)counts.cut));
    return add(metrics, "border", ratio(counts.border, task->plan->n_elements));
}

/* The least number of points such that `tenths` tenths of all warps have at most that many. */
static int quantile(const int64_t histogram[BINS], int tenths) {
    int64_t all = 0, up_to = 0;
    for (int v = 0; v < BINS; v++)
        all += histogram[v];
    int v = -1;
    do
        up_to += histogram[++v];
    while (10 * up_to < tenths * all);
    return v;
}

static tess_status add_warps(const count_task *task, const block_counts *counts, int w,
                             tess_metrics *metrics) {
    static const struct {
        const char *name;
        int tenths;
    } quantiles[WIDTHS][2] = {{{"unique_points_warp", 5}, {"unique_points_warp_p90", 9}},
                              {{"unique_points_warp64", 5}, {"unique_points_warp64_p90", 9}}};
    const int64_t *const unique = counts->unique + w * task->n_slots * BINS;
    int64_t pooled[BINS] = {0};
    for (int i = 0; i < task->n_slots * BINS; i++)
        pooled[i % BINS] += unique[i];
    for (int q = 0; q < 2; q++) {
        TRY(add(metrics, quantiles[w][q].name, quantile(pooled, quantiles[w][q].tenths)));
        const int64_t *histogram = unique;
        for (int k = 0; k < task->plan->n_sets; k++) {
            for (int s = 0; s < task->plan->sets[k].n_slots; s++, histogram += BINS) {
                char slot[TESS_NAME_SIZE + 16];
                snprintf(slot, sizeof slot, "%s.%d", task->plan->sets[k].set, s);
                TRY(add_part(metrics, quantiles[w][q].name, slot,
                             quantile(histogram, quantiles[w][q].tenths)));
            }
        }
    }
    return TESS_OK;
}

/* Whether the loop has a dat of the same name on another set. */
static bool is_ambiguous(const tess_dat_uses *uses, int u) {
    for (int v = 0; v < uses->n; v++)
        if (v != u && uses->uses[v].target >= 0 &&
            strcmp(uses->uses[v].dat, uses->uses[u].dat) == 0)
            return true;
    return false;
}

static tess_status add_sectors(const count_task *task, const block_counts *counts,
                               tess_metrics *metrics) {
    const char *const name = "sectors_per_block";
    int64_t all = 0;
    for (int u = 0; u < task->uses->n; u++)
        all += counts->sectors[u];
    TRY(add(metrics, name, ratio(all, task->plan->n_blocks)));
    for (int u = 0; u < task->uses->n; u++) {
        const tess_dat_use *use = &task->uses->uses[u];
        if (use->target < 0)
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
    for (int i = 0; tess_block_quantity_at(i); i++) {
        double *values = NULL;
        TRY(TESS_ALLOC(n_blocks, &values));
        TRY(tess_metrics_add_blocks(metrics, tess_block_quantity_at(i)->name, values));
    }
    return TESS_OK;
}

/* Drops quantities that the loop does not have. */
static void distributions_settle(tess_metrics *metrics) {
    int n = 0;
    for (int i = 0; i < metrics->n_distributions; i++) {
        if (metrics->n_blocks > 0 && isnan(metrics->distributions[i].values[0]))
            free(metrics->distributions[i].values);
        else
            metrics->distributions[n++] = metrics->distributions[i];
    }
    metrics->n_distributions = n;
}

/* Of those that no other metric tells of all blocks. */
static tess_status add_means(tess_metrics *metrics) {
    for (int i = 0; i < metrics->n_distributions; i++) {
        const char *name = metrics->distributions[i].name;
        if (tess_metric_find(name))
            TRY(add(metrics, name, mean_of(metrics, name)));
    }
    return TESS_OK;
}

/* Counts all blocks and adds up the threads' counts in those of the first. */
static tess_status count_blocks(const count_task *task, int n_threads, count_scratch *scratches,
                                tess_metrics *metrics) {
    for (int t = 0; t < n_threads; t++)
        TRY(count_scratch_new(task, &scratches[t]));
#pragma omp parallel for schedule(dynamic, 32) num_threads(n_threads)
    for (int32_t b = 0; b < task->plan->n_blocks; b++)
        if (!tess_interrupted())
            count_block(task, b, &scratches[omp_get_thread_num()], metrics);
    TRY(tess_interrupt_check());
    for (int t = 1; t < n_threads; t++)
        counts_add(task, &scratches[t].counts, &scratches[0].counts);
    return TESS_OK;
}

tess_status tess_metrics_of_plan_by_set(const tess_bound_loop *bound, const tess_plan *plan,
                                        const tess_renumbering *renumbering,
                                        const tess_layout *of_set, tess_metrics **out) {
    tess_status status = TESS_OK;
    tess_metrics *metrics = NULL;
    tess_dat_uses uses = {0};
    count_task task = {.bound = bound, .plan = plan, .uses = &uses, .layout = of_set};
    count_scratch *scratches = NULL;
    const int n_threads = omp_get_max_threads();
    CHECK(tess_metrics_new(&metrics));
    CHECK(tess_dat_uses_build(bound, &uses));
    CHECK(task_new(bound, plan, renumbering, &task));
    CHECK(distributions_new(plan->n_blocks, metrics));
    CHECK(TESS_ZEROS(n_threads, &scratches));
    CHECK(count_blocks(&task, n_threads, scratches, metrics));
    distributions_settle(metrics);
    CHECK(add_means(metrics));
    CHECK(add_ratios(&task, &scratches[0].counts, metrics));
    CHECK(add_colours(&task, &scratches[0].counts, metrics));
    CHECK(add_neighbours(&task, metrics));
    for (int w = 0; w < WIDTHS; w++)
        CHECK(add_warps(&task, &scratches[0].counts, w, metrics));
    CHECK(add_sectors(&task, &scratches[0].counts, metrics));
    *out = TESS_TAKE(metrics);
done:
    for (int t = 0; scratches && t < n_threads; t++)
        count_scratch_free(&scratches[t]);
    free(scratches);
    task_free(&task);
    tess_dat_uses_free(&uses);
    tess_metrics_free(metrics);
    return status;
}
