/* Counts of threads that take elements one behind the other, each for itself. */
#include "experiments/model/feature_count.h"

#include <math.h>

/* Points that the lanes of a warp add to, those that another lane sums for left out. */
static int put_together(const tess_count_variant *how, int32_t *points, int n) {
    for (int lane = n - 1; lane > 0 && (how->aggregated || how->sorted); lane--) {
        const int first = how->sorted ? lane - 1 : 0;
        for (int other = lane - 1; other >= first && points[lane] >= 0; other--)
            if (points[other] == points[lane])
                points[lane] = -1;
    }
    if (!how->transposed)
        return n;
    int n_left = 0; /* rows are put one behind the other */
    for (int lane = 0; lane < n; lane++)
        if (points[lane] >= 0)
            points[n_left++] = points[lane];
    return n_left;
}

/* What a warp of elements adds through one slot. */
static void add_by_warp(tess_count *c, const tess_count_variant *how, tess_components values,
                        int32_t *points, int n) {
    tess_traffic *t = &c->traffic;
    if (how->adds)
        tess_traffic_warp(t, values, points, n, TESS_TOUCH_READ);
    const int n_left = put_together(how, points, n);
    if (how->transposed)
        tess_traffic_rows(t, values, points, n_left, how->sums);
    else
        tess_traffic_warp(t, values, points, n_left, how->sums);
}

/* What it does with one slot. */
static void slot_of_warp(tess_count *c, const tess_count_variant *how, const tess_count_use *of,
                         int slot, int32_t *points, const tess_count_lanes *warp) {
    const int n = warp->n;
    const uint16_t *colours = warp->colours;
    const tess_components values = {of->column, of->first, of->values[slot]};
    if (of->kind == TESS_COUNT_READ) {
        tess_traffic_warp(&c->traffic, values, points, n, TESS_TOUCH_READ);
        return;
    }
    if (!colours) {
        add_by_warp(c, how, values, points, n);
        return;
    }
    int last = 0;
    for (int lane = 0; lane < n; lane++)
        last = colours[lane] > last ? colours[lane] : last;
    for (int colour = 0; colour <= last; colour++) {
        int32_t some[TESS_LANES];
        for (int lane = 0; lane < n; lane++)
            some[lane] = colours[lane] == colour ? points[lane] : -1;
        add_by_warp(c, how, values, some, n);
    }
}

/* The points [n] of elements at `positions` of an index array; false where there is no such array.
 */
static bool points_at(const tess_count *c, int target, int slot, const int32_t *positions, int n,
                      int32_t *points) {
    const bool rows = c->page->store->maps_in_rows;
    const int64_t n_slots = c->page->bound->targets[target].n_slots;
    const int64_t next_slot = rows ? 1 : tess_store_stride(c->page->bound->n_elements);
    const int32_t *index = tess_count_table(c, c->page->sets[target].name, "_index");
    for (int lane = 0; index && lane < n; lane++)
        points[lane] = index[slot * next_slot + positions[lane] * (rows ? n_slots : 1)];
    return index != NULL;
}

void tess_count_warp(tess_count *c, const tess_count_variant *how, const tess_count_lanes *warp) {
    c->n_counted += c->phase <= 0 ? warp->n : 0;
    int32_t points[TESS_LANES];
    for (int i = 0; i < c->n_uses; i++) {
        const tess_count_use *of = &c->uses[i];
        const tess_components all = {of->column, of->first, of->n_values};
        if (tess_count_phases(c, of->phases) == 0)
            continue;
        if (of->kind == TESS_COUNT_OWN_READ && how->rows && c->shapes[of->column].aos) {
            tess_traffic_rows(&c->traffic, all, warp->stored, warp->n, TESS_TOUCH_READ);
            continue;
        }
        if (of->kind == TESS_COUNT_OWN_READ || of->kind == TESS_COUNT_OWN_WRITE) {
            tess_traffic_warp(&c->traffic, all, warp->stored, warp->n,
                              of->kind == TESS_COUNT_OWN_READ ? TESS_TOUCH_READ : TESS_TOUCH_WRITE);
            continue;
        }
        if (of->kind == TESS_COUNT_READ ? !how->reads : !how->gives)
            continue;
        for (int slot = 0; slot < c->page->bound->targets[of->target].n_slots; slot++) {
            if (of->values[slot] == 0)
                continue;
            if (points_at(c, of->target, slot, warp->positions, warp->n, points))
                slot_of_warp(c, how, of, slot, points, warp);
            else
                c->unindexed = c->page->sets[of->target].name;
        }
    }
}

/* Positions [from, to) of the plan, or of the colours of global-colour, in warps. */
static void positions(tess_count *c, const tess_count_variant *how, int64_t from, int64_t to) {
    const int32_t *executed = tess_count_table(c, "", "executed"),
                  *coloured = tess_count_table(c, "", "coloured");
    const bool by_colour = tess_count_is(c, "global-colour");
    int32_t stored[TESS_LANES], positions[TESS_LANES];
    for (int64_t k = from; k < to; k += TESS_LANES) {
        const int n = to - k < TESS_LANES ? (int)(to - k) : TESS_LANES;
        for (int lane = 0; lane < n; lane++) {
            const int64_t at = k + lane;
            stored[lane] = by_colour  ? (coloured ? coloured[at] : (int32_t)at)
                           : executed ? executed[at]
                                      : (int32_t)at;
            positions[lane] = by_colour ? (int32_t)at : stored[lane];
        }
        tess_count_warp(c, how,
                        &(tess_count_lanes){.n = n, .stored = stored, .positions = positions});
    }
}

/* The n positions from `from` in thread blocks, whose threads take `elements` each, one after
 * another. */
static void blocks_of_positions(tess_count *c, const tess_count_variant *how, int64_t from,
                                int64_t n, int elements) {
    const int64_t to = from + (int64_t)ceil(c->share * (double)n);
    const int64_t size = (int64_t)c->page->threads * elements;
    const double sectors = c->table_sectors / (double)c->page->plan->n_executed;
    for (int64_t k = from; k < to; k += size) {
        const int64_t end = k + size < to ? k + size : to;
        tess_traffic_block(&c->traffic);
        tess_traffic_stream(&c->traffic, sectors * (double)(end - k));
        positions(c, how, k, end);
    }
}

/* Sectors that threads read of map rows beyond those of the rows: each slot's by itself. */
static double map_row_reads(const tess_count *c) {
    double reads = 0;
    for (int r = 0; c->page->store->maps_in_rows && r < c->page->bound->n_targets; r++) {
        const double n_slots = c->page->bound->targets[r].n_slots;
        reads += (n_slots - 1) * n_slots * 4 * c->n_counted / TESS_SECTOR;
    }
    return reads;
}

void tess_count_atomics(tess_count *c) {
    const tess_count_variant how = {.reads = true,
                                    .gives = true,
                                    .aggregated = tess_count_has(c, "aggregate", "unsorted"),
                                    .sorted = tess_count_has(c, "aggregate", "sorted"),
                                    .transposed = !tess_count_has(c, "transpose", "no"),
                                    .sums = TESS_TOUCH_ATOMIC};
    const tess_option *options = c->setting->strategy->options;
    const int elements = (int)tess_spec_int(c->setting->spec, options, "elements");
    blocks_of_positions(c, &how, 0, c->page->plan->n_executed, elements);
    c->traffic.counts.reads += map_row_reads(c);
    if (tess_count_has(c, "transpose", "shared"))
        c->out->wavefronts = 2 * c->traffic.counts.values * 8 / 128;
    c->out->turns = elements;
}

void tess_count_global_colour(tess_count *c) {
    const tess_count_variant how = {
        .reads = true, .gives = true, .adds = true, .sums = TESS_TOUCH_WRITE};
    for (int l = 0; l < c->page->n_launches; l++) {
        const tess_launch *launch = &c->page->launches[l];
        blocks_of_positions(c, &how, launch->first, launch->count, 1);
    }
}

/* The way of own rows through shared memory: copied value by value, then read by a thread each. */
static double wavefronts_of_rows(const tess_count *c, int n_values, int size) {
    int32_t positions[TESS_LANES];
    for (int lane = 0; lane < TESS_LANES; lane++)
        positions[lane] = lane * n_values;
    const double warps = c->n_counted / TESS_LANES;
    return warps * n_values * (size / 4 + tess_count_wavefronts(positions, TESS_LANES, size));
}

static void count_rows(tess_count *c) {
    for (int i = 0; i < c->n_uses; i++) {
        const tess_column_shape *shape = &c->shapes[c->uses[i].column];
        if (c->uses[i].kind == TESS_COUNT_OWN_READ && shape->aos && shape->dim > 1)
            c->out->wavefronts += wavefronts_of_rows(c, c->uses[i].n_values, shape->size);
    }
    for (int r = 0; c->page->store->maps_in_rows && r < c->page->bound->n_targets; r++)
        c->out->wavefronts += wavefronts_of_rows(c, c->page->bound->targets[r].n_slots, 4);
}

void tess_count_gather(tess_count *c) {
    const bool staged = tess_count_has(c, "own", "staged");
    const tess_count_variant how = {.reads = true, .rows = staged};
    const int elements =
        (int)tess_spec_int(c->setting->spec, c->setting->strategy->options, "elements");
    blocks_of_positions(c, &how, 0, c->page->plan->n_executed, elements);
    c->out->turns = elements;
    c->traffic.counts.reads += staged ? 0 : map_row_reads(c);
    if (staged && c->out->shared_bytes > 0) {
        count_rows(c);
        c->out->barriers = c->out->blocks * (2 * elements - 1);
    }
}

/* The increments of one dat that two-step keeps in memory: as the dat lies, slot by slot. */
static int kept_column(const tess_count *c, int of) {
    int at = c->n_shapes;
    for (int i = 0; i < of; i++)
        at += c->uses[i].kind == TESS_COUNT_SUM;
    return at;
}

/* The columns of what two-step keeps, behind those of the loop's dats. */
void tess_count_add_kept(tess_count *c) {
    const int n = c->n_shapes;
    for (int i = 0; i < c->n_uses; i++) {
        const tess_count_use *of = &c->uses[i];
        if (of->kind != TESS_COUNT_SUM)
            continue;
        const int n_slots = c->page->bound->targets[of->target].n_slots;
        tess_column_shape *shape = &c->shapes[n + c->n_kept++];
        *shape = c->shapes[of->column];
        shape->n_points = n_slots * c->page->plan->n_executed;
    }
}

/* Where the increment of position k through a slot is kept. */
static int32_t kept_at(const tess_count *c, int i, int slot, int64_t k) {
    const tess_count_use *of = &c->uses[i];
    const int n_slots = c->page->bound->targets[of->target].n_slots;
    return (int32_t)(c->shapes[of->column].aos ? k * n_slots + slot
                                               : slot * c->page->plan->n_executed + k);
}

/* A warp of positions stores its increments. */
static void keep_increments(tess_count *c, int64_t first, int n) {
    int32_t positions[TESS_LANES];
    for (int i = 0; i < c->n_uses; i++)
        for (int s = 0; c->uses[i].kind == TESS_COUNT_SUM && s < TESS_MOST_COLUMNS; s++) {
            for (int lane = 0; lane < n; lane++)
                positions[lane] = kept_at(c, i, s, first + lane);
            if (c->uses[i].values[s] > 0)
                tess_traffic_warp(&c->traffic,
                                  (tess_components){kept_column(c, i), 0, c->uses[i].values[s]},
                                  positions, n, TESS_TOUCH_WRITE);
        }
}

/* A warp of points sums what its lists name. */
static void gather_points(tess_count *c, int i, int32_t first, int n) {
    const tess_count_use *of = &c->uses[i];
    const tess_components sums = {of->column, of->first, of->n_values},
                          kept = {kept_column(c, i), 0, of->n_values};
    const char *set = c->page->sets[of->target].name;
    const int32_t *offset = tess_count_table(c, set, "_list_offset"),
                  *list = tess_count_table(c, set, "_list");
    int32_t points[TESS_LANES], positions[TESS_LANES];
    int n_rounds = 0;
    for (int lane = 0; lane < n; lane++) {
        points[lane] = first + lane;
        const int length = offset[first + lane + 1] - offset[first + lane];
        n_rounds = length > n_rounds ? length : n_rounds;
    }
    for (int round = 0; round < n_rounds; round++) {
        for (int lane = 0; lane < n; lane++) {
            const int32_t at = offset[first + lane] + round;
            const int64_t n_all = c->page->plan->n_executed;
            positions[lane] = at < offset[first + lane + 1]
                                  ? kept_at(c, i, (int)(list[at] / n_all), list[at] % n_all)
                                  : -1;
        }
        tess_traffic_warp(&c->traffic, kept, positions, n, TESS_TOUCH_READ);
    }
    tess_traffic_warp(&c->traffic, sums, points, n, TESS_TOUCH_READ);
    tess_traffic_warp(&c->traffic, sums, points, n, TESS_TOUCH_WRITE);
}

void tess_count_two_step(tess_count *c) {
    const tess_count_variant how = {.reads = true};
    const tess_page *page = c->page;
    const int64_t n = (int64_t)ceil(c->share * (double)page->plan->n_executed);
    const int64_t size = page->threads;
    const double sectors = c->table_sectors / (double)(page->launches[0].n_blocks);
    for (int64_t k = 0; k < n; k += size) {
        const int64_t end = k + size < n ? k + size : n;
        tess_traffic_block(&c->traffic);
        tess_traffic_stream(&c->traffic, sectors);
        positions(c, &how, k, end);
        for (int64_t at = k; at < end; at += TESS_LANES)
            keep_increments(c, at, end - at < TESS_LANES ? (int)(end - at) : TESS_LANES);
    }
    for (int i = 0; i < c->n_uses; i++) {
        if (c->uses[i].kind != TESS_COUNT_SUM)
            continue;
        const int64_t n_points =
            page->bound->mesh->sets[page->bound->targets[c->uses[i].target].set].size;
        for (int64_t p = 0; p < c->share * (double)n_points; p += TESS_LANES) {
            if (p % size == 0)
                tess_traffic_block(&c->traffic);
            gather_points(c, i, (int32_t)p,
                          n_points - p < TESS_LANES ? (int)(n_points - p) : TESS_LANES);
        }
    }
}
