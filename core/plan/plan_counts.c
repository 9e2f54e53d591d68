/* The counts that the metrics of a plan are made of, block by block. */
#include "core/plan/plan_counts.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* One set of one block. */
typedef struct view {
    const tess_plan_set *set;
    int64_t n, n_points;   /* elements, points */
    const uint16_t *local; /* [n][set->n_slots] */
    const int32_t *points; /* [n_points] */
} view;

static view view_of(const tess_plan *plan, int k, int32_t b) {
    const tess_plan_set *set = &plan->sets[k];
    const int64_t start = plan->block_offset[b], first = set->point_offset[b];
    return (view){.set = set,
                  .n = plan->block_offset[b + 1] - start,
                  .n_points = set->point_offset[b + 1] - first,
                  .local = set->local_index + start * set->n_slots,
                  .points = set->points + first};
}

tess_status tess_count_scratch_new(const tess_count_task *task, tess_count_scratch *scratch) {
    int64_t most_elements = 0, most_points = 0;
    const tess_plan *plan = task->plan;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        for (int k = 0; k < plan->n_sets; k++) {
            const view own = view_of(plan, k, b);
            most_elements = own.n > most_elements ? own.n : most_elements;
            most_points = own.n_points > most_points ? own.n_points : most_points;
        }
    }
    TRY(tess_distinct_new(most_points, &scratch->distinct));
    TRY(TESS_ALLOC(most_points, &scratch->values));
    TRY(TESS_ALLOC(most_points, &scratch->places));
    TRY(TESS_ALLOC(most_points, &scratch->marked));
    TRY(TESS_ALLOC(most_points, &scratch->number));
    TRY(TESS_ALLOC(most_points, &scratch->last));
    TRY(TESS_ZEROS(most_points, &scratch->stamp));
    TRY(TESS_ALLOC(most_elements, &scratch->parent));
    TRY(TESS_ZEROS(task->uses->n, &scratch->counts.sectors));
    return TESS_ZEROS(task->n_slots * (TESS_WARP + 1), &scratch->counts.unique);
}

void tess_count_scratch_free(tess_count_scratch *scratch) {
    tess_distinct_free(&scratch->distinct);
    free(scratch->values);
    free(scratch->places);
    free(scratch->marked);
    free(scratch->number);
    free(scratch->last);
    free(scratch->stamp);
    free(scratch->parent);
    free(scratch->counts.sectors);
    free(scratch->counts.unique);
}

static bool all_of(const bool *slots, int n_slots) {
    for (int s = 0; s < n_slots; s++)
        if (!slots[s])
            return false;
    return true;
}

/* Accesses through the chosen slots. */
static int64_t count_accesses(const view *own, const bool *slots) {
    int64_t accesses = 0;
    for (int s = 0; s < own->set->n_slots; s++)
        for (int64_t i = 0; slots[s] && i < own->n; i++)
            accesses += own->local[i * own->set->n_slots + s] != TESS_NO_POINT;
    return accesses;
}

/* Lists in `values` the points that are reached through the chosen slots; returns how many. */
static int64_t list_points(const view *own, const bool *slots, tess_count_scratch *scratch) {
    const int n_slots = own->set->n_slots;
    if (all_of(slots, n_slots)) {
        memcpy(scratch->values, own->points, (size_t)own->n_points * sizeof *own->points);
        return own->n_points;
    }
    memset(scratch->marked, 0, (size_t)own->n_points * sizeof *scratch->marked);
    for (int s = 0; s < n_slots; s++)
        for (int64_t i = 0; slots[s] && i < own->n; i++)
            if (own->local[i * n_slots + s] != TESS_NO_POINT)
                scratch->marked[own->local[i * n_slots + s]] = true;
    int64_t n = 0;
    for (int64_t j = 0; j < own->n_points; j++)
        if (scratch->marked[j])
            scratch->values[n++] = own->points[j];
    return n;
}

/* Distinct units of `unit` bytes that rows of `row` bytes at ascending places touch. */
static int64_t count_units(const int32_t *places, int64_t n, int64_t row, int64_t unit) {
    int64_t units = 0, next = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = places[i] * row / unit, last = (places[i] * row + row - 1) / unit;
        const int64_t from = first > next ? first : next;
        units += last >= from ? last - from + 1 : 0;
        next = last + 1 > next ? last + 1 : next;
    }
    return units;
}

/* One indirect dat: its bytes, sectors and lines. */
static void count_dat(const tess_count_task *task, const view *own, int u,
                      tess_count_scratch *scratch) {
    const tess_dat_use *use = &task->uses->uses[u];
    tess_counts *counts = &scratch->counts;
    const int32_t *place = task->place[use->reach], *places = scratch->values;
    const int64_t row = use->dim * use->value_bytes, w = use->is_read + use->is_written;
    const int64_t n = list_points(own, use->slots, scratch);
    if (place) {
        for (int64_t j = 0; j < n; j++)
            scratch->values[j] = place[scratch->values[j]];
        tess_distinct_find(&scratch->distinct, scratch->values, n, scratch->places, NULL);
        places = scratch->places;
    }
    const bool soa = task->layout == TESS_SOA;
    const int64_t arrays = soa ? use->dim : 1, width = soa ? use->value_bytes : row;
    counts->sectors[u] += arrays * count_units(places, n, width, TESS_SECTOR_BYTES);
    counts->total += w * arrays * TESS_LINE_BYTES * count_units(places, n, width, TESS_LINE_BYTES);
    counts->used += w * row * n;
    counts->accesses_bytes += row * count_accesses(own, use->slots);
    counts->points_bytes += row * n;
}

/* Distinct points of each slot in each warp; histogram[s] has the warps by their number. */
static void count_warps(const view *own, int64_t *histogram, tess_count_scratch *scratch) {
    const int n_slots = own->set->n_slots;
    for (int s = 0; s < n_slots; s++) {
        for (int64_t start = 0; start < own->n; start += TESS_WARP) {
            const int64_t end = start + TESS_WARP < own->n ? start + TESS_WARP : own->n;
            const int64_t stamp = ++scratch->next_stamp;
            int unique = 0;
            for (int64_t i = start; i < end; i++) {
                const uint16_t local = own->local[i * n_slots + s];
                if (local == TESS_NO_POINT || scratch->stamp[local] == stamp)
                    continue;
                scratch->stamp[local] = stamp;
                unique++;
            }
            histogram[s * (TESS_WARP + 1) + unique]++;
        }
    }
}

static int32_t root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Joins elements that share a point through counting slots; returns how many pieces fewer there
 * are. */
static int64_t join_pieces(const view *own, const bool *counting, tess_count_scratch *scratch) {
    const int n_slots = own->set->n_slots;
    int64_t joined = 0;
    for (int64_t j = 0; j < own->n_points; j++)
        scratch->last[j] = -1;
    for (int64_t i = 0; i < own->n; i++) {
        for (int s = 0; s < n_slots; s++) {
            const uint16_t local = own->local[i * n_slots + s];
            if (!counting[s] || local == TESS_NO_POINT)
                continue;
            if (scratch->last[local] >= 0) {
                const int32_t a = root_of(scratch->parent, scratch->last[local]);
                const int32_t b = root_of(scratch->parent, (int32_t)i);
                scratch->parent[a] = b;
                joined += a != b;
            }
            scratch->last[local] = (int32_t)i;
        }
    }
    return joined;
}

/* The largest number of elements that increment one point of the set. */
static int64_t most_at_a_point(const view *own, tess_count_scratch *scratch) {
    const int n_slots = own->set->n_slots;
    int32_t most = 0;
    for (int64_t j = 0; j < own->n_points; j++) {
        scratch->number[j] = 0;
        scratch->last[j] = -1;
    }
    for (int64_t i = 0; i < own->n; i++) {
        for (int s = 0; s < n_slots; s++) {
            const uint16_t local = own->local[i * n_slots + s];
            if (!own->set->slot_incremented[s] || local == TESS_NO_POINT ||
                scratch->last[local] == i)
                continue;
            scratch->last[local] = (int32_t)i;
            if (++scratch->number[local] > most)
                most = scratch->number[local];
        }
    }
    return most;
}

/* Bytes that are used in whole whatever the layout: direct dats, local indices, numbers of points.
 */
static int64_t contiguous_bytes(const tess_count_task *task, int32_t b) {
    const tess_plan *plan = task->plan;
    const int64_t n = plan->block_offset[b + 1] - plan->block_offset[b];
    int64_t bytes = 0;
    for (int u = 0; u < task->uses->n; u++) {
        const tess_dat_use *use = &task->uses->uses[u];
        if (use->reach < 0)
            bytes += (use->is_read + use->is_written) * n * use->dim * use->value_bytes;
    }
    for (int k = 0; k < plan->n_sets; k++) {
        const view own = view_of(plan, k, b);
        bytes += (int64_t)sizeof(uint16_t) * n * own.set->n_slots +
                 (int64_t)sizeof(int32_t) * own.n_points;
    }
    return bytes;
}

/* Adds the bytes that the block stages and moves. */
static void count_bytes(const tess_count_task *task, int32_t b, tess_count_scratch *scratch) {
    tess_counts *counts = &scratch->counts;
    int64_t shared = 0;
    for (int u = 0; u < task->uses->n; u++) {
        const tess_dat_use *use = &task->uses->uses[u];
        if (use->reach < 0)
            continue;
        const view own = view_of(task->plan, use->reach, b);
        count_dat(task, &own, u, scratch);
        shared += own.n_points * use->dim * use->value_bytes;
    }
    counts->shared += shared;
    counts->shared_max = shared > counts->shared_max ? shared : counts->shared_max;
    counts->used += contiguous_bytes(task, b);
    counts->total += contiguous_bytes(task, b);
}

void tess_count_block(const tess_count_task *task, int32_t b, tess_count_scratch *scratch,
                      tess_metrics *metrics) {
    const tess_plan *plan = task->plan;
    tess_counts *counts = &scratch->counts;
    const int64_t n = plan->block_offset[b + 1] - plan->block_offset[b];
    int64_t pieces = n, bound = n > 0, points = 0, first_slot = 0;
    for (int64_t i = 0; i < n; i++)
        scratch->parent[i] = (int32_t)i;
    for (int k = 0; k < plan->n_sets; k++) {
        const view own = view_of(plan, k, b);
        for (int64_t i = 0; i < n * own.set->n_slots; i++)
            counts->accesses_all += own.local[i] != TESS_NO_POINT;
        counts->points_all += own.n_points;
        count_warps(&own, counts->unique + first_slot * (TESS_WARP + 1), scratch);
        first_slot += own.set->n_slots;
        if (task->some_counting[k]) {
            counts->accesses += count_accesses(&own, task->counting[k]);
            points += list_points(&own, task->counting[k], scratch);
            pieces -= join_pieces(&own, task->counting[k], scratch);
        }
        if (own.set->incremented) {
            const int64_t most = most_at_a_point(&own, scratch);
            bound = most > bound ? most : bound;
        }
    }
    const int32_t colours = plan->thread_colours[b];
    counts->points += points;
    counts->components += pieces;
    counts->bound += bound;
    counts->thread_colours += colours;
    if (colours > counts->thread_colours_max)
        counts->thread_colours_max = colours;
    count_bytes(task, b, scratch);
    metrics->block_size[b] = (int32_t)n;
    metrics->block_points[b] = (int32_t)points;
    metrics->block_thread_colours[b] = colours;
    metrics->block_components[b] = (int32_t)pieces;
}
