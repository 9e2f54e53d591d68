/* Counts of threads that take elements one behind the other, each for itself. */
#include "kernels/predict/feature_count.h"

/* Points that the lanes of a warp add to, those that another lane sums for left out. */
static int put_together(const tess_count_way *how, int32_t *points, int n) {
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
static void add_by_warp(tess_count *c, const tess_count_way *how, const tess_count_use *of,
                        int slot, int32_t *points, int n) {
    tess_traffic *t = &c->traffic;
    if (how->adds)
        tess_traffic_warp(t, of->column, points, n, of->values[slot], TESS_TOUCH_READ);
    const int n_left = put_together(how, points, n);
    if (how->transposed)
        tess_traffic_rows(t, of->column, points, n_left, of->values[slot], how->sums);
    else
        tess_traffic_warp(t, of->column, points, n_left, of->values[slot], how->sums);
}

/* What it does with one slot. */
static void slot_of_warp(tess_count *c, const tess_count_way *how, const tess_count_use *of,
                         int slot, int32_t *points, const tess_count_lanes *warp) {
    const int n = warp->n;
    const uint16_t *colours = warp->colours;
    if (of->kind == TESS_COUNT_READ) {
        tess_traffic_warp(&c->traffic, of->column, points, n, of->values[slot], TESS_TOUCH_READ);
        return;
    }
    if (!colours) {
        add_by_warp(c, how, of, slot, points, n);
        return;
    }
    int last = 0;
    for (int lane = 0; lane < n; lane++)
        last = colours[lane] > last ? colours[lane] : last;
    for (int colour = 0; colour <= last; colour++) {
        int32_t some[TESS_LANES];
        for (int lane = 0; lane < n; lane++)
            some[lane] = colours[lane] == colour ? points[lane] : -1;
        add_by_warp(c, how, of, slot, some, n);
    }
}

/* The points [n] of elements at `places` of an index array. */
static void points_at(const tess_count *c, int target, int slot, const int32_t *places, int n,
                      int32_t *points) {
    const int64_t stride = tess_store_stride(c->page->bound->n_elements);
    const int32_t *index = tess_count_table(c, c->page->sets[target].name, "_index");
    for (int lane = 0; lane < n; lane++)
        points[lane] = index[slot * stride + places[lane]];
}

void tess_count_warp(tess_count *c, const tess_count_way *how, const tess_count_lanes *warp) {
    int32_t points[TESS_LANES];
    for (int i = 0; i < c->n_uses; i++) {
        const tess_count_use *of = &c->uses[i];
        if (of->kind == TESS_COUNT_OWN_READ || of->kind == TESS_COUNT_OWN_WRITE) {
            tess_traffic_warp(&c->traffic, of->column, warp->stored, warp->n, of->n_values,
                              of->kind == TESS_COUNT_OWN_READ ? TESS_TOUCH_READ : TESS_TOUCH_WRITE);
            continue;
        }
        if (of->kind == TESS_COUNT_READ ? !how->reads : !how->gives)
            continue;
        for (int slot = 0; slot < c->page->bound->targets[of->target].n_slots; slot++) {
            if (of->values[slot] == 0)
                continue;
            points_at(c, of->target, slot, warp->places, warp->n, points);
            slot_of_warp(c, how, of, slot, points, warp);
        }
    }
}

/* Positions [from, to) of the plan, or of the colours of global-colour, in warps. */
static void positions(tess_count *c, const tess_count_way *how, int64_t from, int64_t to) {
    const int32_t *executed = tess_count_table(c, "", "executed"),
                  *coloured = tess_count_table(c, "", "coloured");
    const bool by_colour = tess_count_is(c, "global-colour");
    int32_t stored[TESS_LANES], places[TESS_LANES];
    for (int64_t k = from; k < to; k += TESS_LANES) {
        const int n = to - k < TESS_LANES ? (int)(to - k) : TESS_LANES;
        for (int lane = 0; lane < n; lane++) {
            const int64_t at = k + lane;
            stored[lane] = by_colour  ? (coloured ? coloured[at] : (int32_t)at)
                           : executed ? executed[at]
                                      : (int32_t)at;
            places[lane] = by_colour ? (int32_t)at : stored[lane];
        }
        tess_count_warp(c, how, &(tess_count_lanes){.n = n, .stored = stored, .places = places});
    }
}

/* Launches whose threads take elements one behind the other, `elements` a thread. */
static void flat_launches(tess_count *c, const tess_count_way *how, int elements) {
    const tess_page *page = c->page;
    const int64_t size = (int64_t)page->threads * elements;
    for (int l = 0; l < page->n_launches; l++) {
        const tess_launch *launch = &page->launches[l];
        const int64_t end = elements > 1 ? page->plan->n_executed : launch->first + launch->count;
        for (int64_t k = launch->first; k < end; k += size) {
            const int64_t to = k + size < end ? k + size : end;
            tess_traffic_block(&c->traffic);
            tess_traffic_stream(
                &c->traffic, c->table_sectors * (double)(to - k) / (double)page->plan->n_executed,
                false);
            positions(c, how, k, to);
        }
    }
}

void tess_count_atomics(tess_count *c) {
    const tess_count_way how = {.reads = true,
                                .gives = true,
                                .aggregated = tess_count_has(c, "aggregate", "unsorted"),
                                .sorted = tess_count_has(c, "aggregate", "sorted"),
                                .transposed = !tess_count_has(c, "transpose", "no"),
                                .sums = TESS_TOUCH_ATOMIC};
    const tess_option *options = c->setting->strategy->options;
    const int elements = (int)tess_spec_int(c->setting->spec, options, "elements");
    flat_launches(c, &how, elements);
    if (tess_count_has(c, "transpose", "shared"))
        c->out->wavefronts = 2 * c->traffic.counts.values * 8 / 128;
    c->out->turns = elements;
}

void tess_count_global_colour(tess_count *c) {
    const tess_count_way how = {
        .reads = true, .gives = true, .adds = true, .sums = TESS_TOUCH_WRITE};
    flat_launches(c, &how, 1);
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
    int32_t places[TESS_LANES];
    for (int i = 0; i < c->n_uses; i++)
        for (int s = 0; c->uses[i].kind == TESS_COUNT_SUM && s < TESS_MOST_COLUMNS; s++) {
            for (int lane = 0; lane < n; lane++)
                places[lane] = kept_at(c, i, s, first + lane);
            if (c->uses[i].values[s] > 0)
                tess_traffic_warp(&c->traffic, kept_column(c, i), places, n, c->uses[i].values[s],
                                  TESS_TOUCH_WRITE);
        }
}

/* A warp of points sums what its lists name. */
static void gather_points(tess_count *c, int i, int32_t first, int n) {
    const tess_count_use *of = &c->uses[i];
    const char *set = c->page->sets[of->target].name;
    const int32_t *offset = tess_count_table(c, set, "_list_offset"),
                  *list = tess_count_table(c, set, "_list");
    int32_t points[TESS_LANES], places[TESS_LANES];
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
            places[lane] = at < offset[first + lane + 1]
                               ? kept_at(c, i, (int)(list[at] / n_all), list[at] % n_all)
                               : -1;
        }
        tess_traffic_warp(&c->traffic, kept_column(c, i), places, n, of->n_values, TESS_TOUCH_READ);
    }
    tess_traffic_warp(&c->traffic, of->column, points, n, of->n_values, TESS_TOUCH_READ);
    tess_traffic_warp(&c->traffic, of->column, points, n, of->n_values, TESS_TOUCH_WRITE);
}

void tess_count_two_step(tess_count *c) {
    const tess_count_way how = {.reads = true};
    const tess_page *page = c->page;
    const int64_t n = page->plan->n_executed, size = page->threads;
    const double sectors = c->table_sectors / (double)(page->launches[0].n_blocks);
    for (int64_t k = 0; k < n; k += size) {
        const int64_t end = k + size < n ? k + size : n;
        tess_traffic_block(&c->traffic);
        tess_traffic_stream(&c->traffic, sectors, false);
        positions(c, &how, k, end);
        for (int64_t at = k; at < end; at += TESS_LANES)
            keep_increments(c, at, end - at < TESS_LANES ? (int)(end - at) : TESS_LANES);
    }
    for (int i = 0; i < c->n_uses; i++) {
        if (c->uses[i].kind != TESS_COUNT_SUM)
            continue;
        const int64_t n_points =
            page->bound->mesh->sets[page->bound->targets[c->uses[i].target].set].size;
        for (int64_t p = 0; p < n_points; p += TESS_LANES) {
            if (p % size == 0)
                tess_traffic_block(&c->traffic);
            gather_points(c, i, (int32_t)p,
                          n_points - p < TESS_LANES ? (int)(n_points - p) : TESS_LANES);
        }
    }
}
