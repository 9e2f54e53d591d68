/* Features: what decides how long a loop takes by a strategy, counted without running it. */
#include "kernels/predict/features.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "kernels/applications/loop_bytes.h"
#include "kernels/run/execution.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARP = TESS_LANES, MOST_COLUMNS = 64, REGISTERS_DOUBLE = 64, REGISTERS_FLOAT = 40 };

/* A GPU of which nothing is asked but what pages look like there. */
static const tess_device paper = {.name = "model", .summary = "no device: pages are only written"};

/* What the loop does with values of one column at points of a set, or at elements themselves. */
typedef enum use_kind { USE_READ, USE_SUM, USE_OWN_READ, USE_OWN_WRITE, N_USES } use_kind;

/* A column in one use: how many values each slot has of it. */
typedef struct use {
    use_kind kind;
    int target; /* -1: elements themselves */
    int column;
    int n_values;             /* of all slots' dats once each: what a block copies of a point */
    int values[MOST_COLUMNS]; /* by slot */
} use;

typedef struct count {
    const tess_features_setting *setting;
    tess_execution *execution; /* drafted */
    const tess_page *page;
    tess_traffic traffic;
    int n_shapes, n_uses, n_kept; /* kept: increments, behind the shapes of dats */
    tess_column_shape shapes[MOST_COLUMNS];
    int set_of[MOST_COLUMNS]; /* target of a column, -1: elements */
    bool is_summed[MOST_COLUMNS];
    use uses[MOST_COLUMNS];
    double table_sectors; /* of the plan's arrays, once */
    double times;         /* that an element is computed where each own point does so for itself */
    tess_features *out;
} count;

/* --- what is there ---------------------------------------------------------------------------- */

/* The column of a dat, a new one where none has its like. */
static int column_of(count *c, const tess_page_dat *dat) {
    int i = 0;
    while (i < c->n_shapes && (dat->aos || c->shapes[i].aos || c->set_of[i] != dat->target ||
                               c->shapes[i].size != dat->size || c->is_summed[i] != dat->summed))
        i++;
    if (i == c->n_shapes) {
        c->shapes[i] = (tess_column_shape){
            .aos = dat->aos, .size = dat->size, .n_points = dat->stored->stride};
        c->set_of[i] = dat->target;
        c->is_summed[i] = dat->summed;
        c->n_shapes++;
    }
    c->shapes[i].dim += dat->dim;
    return i;
}

/* The use of a column in this kind; a new one where there is none. */
static use *use_of(count *c, use_kind kind, int target, int column) {
    int i = 0;
    while (i < c->n_uses &&
           (c->uses[i].kind != kind || c->uses[i].column != column || c->uses[i].target != target))
        i++;
    if (i == c->n_uses)
        c->uses[c->n_uses++] = (use){.kind = kind, .target = target, .column = column};
    return &c->uses[i];
}

/* True where an arg of the dat is read (else written) of elements themselves. */
static bool is_own(const tess_page *page, const tess_page_dat *dat, bool written) {
    const tess_loop *loop = page->bound->loop;
    for (int a = 0; a < loop->n_args; a++) {
        const bool writes = loop->args[a].access != TESS_READ;
        const bool reads = loop->args[a].access != TESS_WRITE;
        if (tess_page_dat_of(page, a) == dat && !loop->args[a].map[0] && loop->args[a].set[0] &&
            (written ? writes : reads))
            return true;
    }
    return false;
}

/* Finds the columns of all dats, then which slots use how much of each. */
static tess_status find_columns(count *c) {
    const tess_page *page = c->page;
    int column[MOST_COLUMNS] = {0};
    if (page->n_dats > MOST_COLUMNS / 4)
        FAIL(TESS_ERROR_USAGE, "loop %s has %d dats: there is no model of so many",
             page->bound->loop->name, page->n_dats);
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (dat->set[0])
            column[i] = column_of(c, dat);
    }
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *access = &page->accesses[i];
        const bool sum = access->access != TESS_READ;
        use *of = use_of(c, sum ? USE_SUM : USE_READ, access->dat->target,
                         column[access->dat - page->dats]);
        if (access->slot >= MOST_COLUMNS)
            FAIL(TESS_ERROR_USAGE, "loop %s has a map of over %d slots: there is no model of it",
                 page->bound->loop->name, MOST_COLUMNS);
        of->values[access->slot] += access->dat->dim;
    }
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        for (int written = 0; written < 2; written++)
            if (dat->set[0] && dat->target < 0 && is_own(page, dat, written))
                use_of(c, written ? USE_OWN_WRITE : USE_OWN_READ, -1, column[i])->n_values +=
                    dat->dim;
        if (dat->read)
            use_of(c, USE_READ, dat->target, column[i])->n_values += dat->dim;
        if (dat->summed)
            use_of(c, USE_SUM, dat->target, column[i])->n_values += dat->dim;
    }
    return TESS_OK;
}

/* A plan's array by its parameter's name, as it would lie on the device; NULL: there is none. */
static const int32_t *table_of(const count *c, const char *set, const char *name) {
    char words[80];
    snprintf(words, sizeof words, "%s%s", set, name);
    for (int i = 0; i < c->page->n_arrays; i++)
        if (strcmp(c->page->arrays[i].name, words) == 0)
            return c->page->arrays[i].values;
    return NULL;
}

static bool is_strategy(const count *c, const char *name) {
    return strcmp(c->setting->strategy->name, name) == 0;
}

static bool has_option(const count *c, const char *key, const char *value) {
    return tess_spec_is(c->setting->spec, c->setting->strategy->options, key, value);
}

/* --- threads of elements ---------------------------------------------------------------------- */

/* How elements that are computed one a thread treat what they read and increment. */
typedef struct flat {
    bool reads;                          /* what is read through maps comes from memory */
    bool aggregated, sorted, transposed; /* atomics of a warp together */
    tess_touch sums;
    bool adds;  /* sums are read before they are written */
    bool gives; /* increments go to memory at all */
} flat;

/* Points that the lanes of a warp add to, those that another lane sums for left out. */
static int put_together(const flat *how, int32_t *points, int n) {
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
static void add_by_warp(count *c, const flat *how, const use *of, int slot, int32_t *points,
                        int n) {
    tess_traffic *t = &c->traffic;
    if (how->adds)
        tess_traffic_warp(t, of->column, points, n, of->values[slot], TESS_TOUCH_READ);
    const int n_left = put_together(how, points, n);
    if (how->transposed)
        tess_traffic_rows(t, of->column, points, n_left, of->values[slot], how->sums);
    else
        tess_traffic_warp(t, of->column, points, n_left, of->values[slot], how->sums);
}

/* A warp of elements. */
typedef struct lanes {
    int n;
    const int32_t *stored, *places; /* [n] where they are stored, and where their maps lie */
    const uint16_t *colours;        /* [n] that are added one after another; NULL: all at once */
} lanes;

/* What it does with one slot. */
static void slot_of_warp(count *c, const flat *how, const use *of, int slot, int32_t *points,
                         const lanes *warp) {
    const int n = warp->n;
    const uint16_t *colours = warp->colours;
    if (of->kind == USE_READ) {
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
static void points_at(const count *c, int target, int slot, const int32_t *places, int n,
                      int32_t *points) {
    const int64_t stride = tess_store_stride(c->page->bound->n_elements);
    const int32_t *index = table_of(c, c->page->sets[target].name, "_index");
    for (int lane = 0; lane < n; lane++)
        points[lane] = index[slot * stride + places[lane]];
}

static void warp_of_elements(count *c, const flat *how, const lanes *warp) {
    int32_t points[TESS_LANES];
    for (int i = 0; i < c->n_uses; i++) {
        const use *of = &c->uses[i];
        if (of->kind == USE_OWN_READ || of->kind == USE_OWN_WRITE) {
            tess_traffic_warp(&c->traffic, of->column, warp->stored, warp->n, of->n_values,
                              of->kind == USE_OWN_READ ? TESS_TOUCH_READ : TESS_TOUCH_WRITE);
            continue;
        }
        if (of->kind == USE_READ ? !how->reads : !how->gives)
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
static void positions(count *c, const flat *how, int64_t from, int64_t to) {
    const int32_t *executed = table_of(c, "", "executed"), *coloured = table_of(c, "", "coloured");
    const bool by_colour = is_strategy(c, "global-colour");
    int32_t stored[TESS_LANES], places[TESS_LANES];
    for (int64_t k = from; k < to; k += WARP) {
        const int n = to - k < WARP ? (int)(to - k) : WARP;
        for (int lane = 0; lane < n; lane++) {
            const int64_t at = k + lane;
            stored[lane] = by_colour  ? (coloured ? coloured[at] : (int32_t)at)
                           : executed ? executed[at]
                                      : (int32_t)at;
            places[lane] = by_colour ? (int32_t)at : stored[lane];
        }
        warp_of_elements(c, how, &(lanes){.n = n, .stored = stored, .places = places});
    }
}

/* Launches whose threads take elements one behind the other, `elements` a thread. */
static void flat_launches(count *c, const flat *how, int elements) {
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

static void count_atomics(count *c) {
    const flat how = {.reads = true,
                      .gives = true,
                      .aggregated = has_option(c, "aggregate", "unsorted"),
                      .sorted = has_option(c, "aggregate", "sorted"),
                      .transposed = !has_option(c, "transpose", "no"),
                      .sums = TESS_TOUCH_ATOMIC};
    const tess_option *options = c->setting->strategy->options;
    const int elements = (int)tess_spec_int(c->setting->spec, options, "elements");
    flat_launches(c, &how, elements);
    if (has_option(c, "transpose", "shared"))
        c->out->wavefronts = 2 * c->traffic.counts.values * 8 / 128;
    c->out->turns = elements;
}

static void count_global_colour(count *c) {
    const flat how = {.reads = true, .gives = true, .adds = true, .sums = TESS_TOUCH_WRITE};
    flat_launches(c, &how, 1);
}

/* The increments of one dat that two-step keeps in memory: as the dat lies, slot by slot. */
static int kept_column(const count *c, int of) {
    int at = c->n_shapes;
    for (int i = 0; i < of; i++)
        at += c->uses[i].kind == USE_SUM;
    return at;
}

/* The columns of what two-step keeps, behind those of the loop's dats. */
static void add_kept_columns(count *c) {
    const int n = c->n_shapes;
    for (int i = 0; i < c->n_uses; i++) {
        const use *of = &c->uses[i];
        if (of->kind != USE_SUM)
            continue;
        const int n_slots = c->page->bound->targets[of->target].n_slots;
        tess_column_shape *shape = &c->shapes[n + c->n_kept++];
        *shape = c->shapes[of->column];
        shape->n_points = n_slots * c->page->plan->n_executed;
    }
}

/* Where the increment of position k through a slot is kept. */
static int32_t kept_at(const count *c, int i, int slot, int64_t k) {
    const use *of = &c->uses[i];
    const int n_slots = c->page->bound->targets[of->target].n_slots;
    return (int32_t)(c->shapes[of->column].aos ? k * n_slots + slot
                                               : slot * c->page->plan->n_executed + k);
}

/* A warp of positions stores its increments. */
static void keep_increments(count *c, int64_t first, int n) {
    int32_t places[TESS_LANES];
    for (int i = 0; i < c->n_uses; i++)
        for (int s = 0; c->uses[i].kind == USE_SUM && s < MOST_COLUMNS; s++) {
            for (int lane = 0; lane < n; lane++)
                places[lane] = kept_at(c, i, s, first + lane);
            if (c->uses[i].values[s] > 0)
                tess_traffic_warp(&c->traffic, kept_column(c, i), places, n, c->uses[i].values[s],
                                  TESS_TOUCH_WRITE);
        }
}

/* A warp of points sums what its lists name. */
static void gather_points(count *c, int i, int32_t first, int n) {
    const use *of = &c->uses[i];
    const char *set = c->page->sets[of->target].name;
    const int32_t *offset = table_of(c, set, "_list_offset"), *list = table_of(c, set, "_list");
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

static void count_two_step(count *c) {
    const flat how = {.reads = true};
    const tess_page *page = c->page;
    const int64_t n = page->plan->n_executed, size = page->threads;
    const double sectors = c->table_sectors / (double)(page->launches[0].n_blocks);
    for (int64_t k = 0; k < n; k += size) {
        const int64_t end = k + size < n ? k + size : n;
        tess_traffic_block(&c->traffic);
        tess_traffic_stream(&c->traffic, sectors, false);
        positions(c, &how, k, end);
        for (int64_t at = k; at < end; at += WARP)
            keep_increments(c, at, end - at < WARP ? (int)(end - at) : WARP);
    }
    for (int i = 0; i < c->n_uses; i++) {
        if (c->uses[i].kind != USE_SUM)
            continue;
        const int64_t n_points =
            page->bound->mesh->sets[page->bound->targets[c->uses[i].target].set].size;
        for (int64_t p = 0; p < n_points; p += WARP) {
            if (p % size == 0)
                tess_traffic_block(&c->traffic);
            gather_points(c, i, (int32_t)p, n_points - p < WARP ? (int)(n_points - p) : WARP);
        }
    }
}

/* --- blocks that stage ------------------------------------------------------------------------ */

/* How blocks treat points: which sums they begin with, and how they give them. */
typedef struct staging {
    bool reads;     /* what is read is copied to shared memory */
    bool sums;      /* so are sums */
    bool preloaded; /* sums begin with what their points have */
    bool border;    /* those of points that other blocks increment, too, are added by atomics */
    bool owned;     /* only own points are summed */
    bool registers; /* sums are a thread's own */
    flat rest;      /* of what is not staged */
} staging;

/* What a block knows of each of its points. */
typedef struct staged_points {
    int32_t *stored;         /* of all, ascending */
    int32_t *plain, *border; /* that are stored, and added to by atomics */
    int64_t n, n_plain, n_border;
} staged_points;

static void access_list(count *c, int column, const int32_t *points, int64_t n, int dim,
                        tess_touch touch) {
    const bool rows = c->shapes[column].aos;
    for (int64_t i = 0; i < n; i += WARP) {
        const int n_lanes = n - i < WARP ? (int)(n - i) : WARP;
        if (rows)
            tess_traffic_rows(&c->traffic, column, points + i, n_lanes, dim, touch);
        else
            tess_traffic_warp(&c->traffic, column, points + i, n_lanes, dim, touch);
    }
}

/* Blocks that increment each point of a target; the caller frees it. */
static tess_status count_incrementing(const count *c, int r, int32_t **n_blocks) {
    const tess_plan *plan = c->page->plan;
    const tess_plan_set *set = &plan->sets[r];
    const int64_t size = c->page->bound->mesh->sets[c->page->bound->targets[r].set].size;
    int32_t *last = NULL;
    TRY(TESS_ZEROS(size, &last));
    tess_status status = TESS_ZEROS(size, n_blocks);
    for (int32_t b = 0; status == TESS_OK && b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
            for (int s = 0; s < set->n_slots; s++) {
                const uint16_t local = set->local_index[k * set->n_slots + s];
                if (!set->slot_incremented[s] || local == TESS_NO_POINT)
                    continue;
                const int32_t point = set->points[set->point_offset[b] + local];
                if (last[point] != b + 1) {
                    last[point] = b + 1;
                    (*n_blocks)[point]++;
                }
            }
    free(last);
    return status;
}

/* Sorts the points of block b into what it does with them. */
static void find_points(const count *c, const staging *how, int r, int32_t b,
                        const int32_t *n_blocks, staged_points *out) {
    const tess_plan *plan = c->page->plan;
    const tess_plan_set *set = &plan->sets[r];
    out->n = out->n_plain = out->n_border = 0;
    for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++) {
        const int32_t point = set->points[i], stored = tess_page_point(c->page, r, point);
        out->stored[out->n++] = stored;
        if (!set->incremented || (n_blocks && n_blocks[point] == 0))
            continue;
        if (how->owned ? plan->owner[point] == b : !how->border || n_blocks[point] == 1)
            out->plain[out->n_plain++] = stored;
        else if (!how->owned)
            out->border[out->n_border++] = stored;
    }
    tess_sort(out->stored, out->n);
    tess_sort(out->plain, out->n_plain);
    tess_sort(out->border, out->n_border);
}

/* What a block does with the points of one target. */
static void block_of_target(count *c, const staging *how, int r, const staged_points *points) {
    for (int i = 0; i < c->n_uses; i++) {
        const use *of = &c->uses[i];
        if (of->target != r)
            continue;
        const double bytes = (double)of->n_values * c->shapes[of->column].size;
        if (of->kind == USE_READ && how->reads) {
            access_list(c, of->column, points->stored, points->n, of->n_values, TESS_TOUCH_READ);
            c->out->wavefronts += (double)points->n * bytes / 128;
        }
        if (of->kind != USE_SUM || !how->sums)
            continue;
        access_list(c, of->column, points->plain, points->n_plain, of->n_values, TESS_TOUCH_READ);
        access_list(c, of->column, points->plain, points->n_plain, of->n_values, TESS_TOUCH_WRITE);
        access_list(c, of->column, points->border, points->n_border, of->n_values,
                    TESS_TOUCH_ATOMIC);
        if (!how->registers)
            c->out->wavefronts += 2 * (double)(points->n_plain + points->n_border) * bytes / 128;
    }
}

/* The elements of a block: their own values once each, what they read in place, and their way
 * through shared memory. */
static void block_of_elements(count *c, const staging *how, int32_t b, int32_t *stored) {
    const tess_page *page = c->page;
    const int64_t first = page->plan->block_offset[b];
    const int64_t n = page->plan->block_offset[b + 1] - first;
    for (int64_t i = 0; i < n; i++)
        stored[i] = tess_page_element(page, page->plan->executed[first + i]);
    if (how->registers)
        tess_sort(stored, n);
    flat rest = how->rest;
    rest.gives = !how->sums;
    const double reads = c->traffic.counts.reads;
    const uint16_t *colours = rest.adds ? page->plan->thread_colour + first : NULL;
    for (int64_t i = 0; i < n; i += WARP)
        warp_of_elements(c, &rest,
                         &(lanes){.n = n - i < WARP ? (int)(n - i) : WARP,
                                  .stored = stored + i,
                                  .places = stored + i,
                                  .colours = colours ? colours + i : NULL});
    const double times = how->registers ? c->times : 1;
    if (how->registers && (rest.reads || c->times > 2)) /* every end reads them for itself */
        c->traffic.counts.reads += (times - 1) * (c->traffic.counts.reads - reads);
    for (int u = 0; u < c->n_uses; u++)
        for (int s = 0; c->uses[u].target >= 0 && s < MOST_COLUMNS; s++) {
            const double bytes = (double)c->uses[u].values[s] * c->shapes[c->uses[u].column].size;
            if (c->uses[u].kind == USE_READ && how->reads)
                c->out->wavefronts += times * (double)n * bytes / 128;
            if (c->uses[u].kind == USE_SUM && how->sums && !how->registers)
                c->out->wavefronts += 2 * (double)n * bytes / 128;
        }
}

/* Most points of a target, or elements, that a block has. */
static int64_t most_of(const tess_plan *plan, const int64_t *offset) {
    int64_t most = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        most = offset[b + 1] - offset[b] > most ? offset[b + 1] - offset[b] : most;
    return most;
}

static void staged_free(staged_points *points, int32_t **n_blocks, int n) {
    for (int r = 0; r < n; r++) {
        free(points[r].stored);
        free(points[r].plain);
        free(points[r].border);
        free(n_blocks[r]);
    }
    free(points);
    free(n_blocks);
}

static tess_status staged_new(const count *c, staged_points *points, int32_t **n_blocks) {
    const tess_plan *plan = c->page->plan;
    for (int r = 0; r < plan->n_sets; r++) {
        const int64_t most = most_of(plan, plan->sets[r].point_offset);
        TRY(TESS_ALLOC(most, &points[r].stored));
        TRY(TESS_ALLOC(most, &points[r].plain));
        TRY(TESS_ALLOC(most, &points[r].border));
        TRY(count_incrementing(c, r, &n_blocks[r]));
    }
    return TESS_OK;
}

/* All blocks, those of one colour after those of another. */
static tess_status staged_launches(count *c, const staging *how) {
    const tess_plan *plan = c->page->plan;
    tess_status status = TESS_OK;
    staged_points *points = NULL;
    int32_t **n_blocks = NULL, *stored = NULL;
    CHECK(TESS_ZEROS(plan->n_sets, &points));
    CHECK(TESS_ZEROS(plan->n_sets, &n_blocks));
    CHECK(staged_new(c, points, n_blocks));
    CHECK(TESS_ALLOC(most_of(plan, plan->block_offset), &stored));
    const bool coloured = is_strategy(c, "block-colour");
    for (int32_t colour = 0; colour < (coloured ? plan->n_block_colours : 1); colour++)
        for (int32_t b = 0; b < plan->n_blocks; b++) {
            if (coloured && plan->block_colour[b] != colour)
                continue;
            tess_traffic_block(&c->traffic);
            tess_traffic_stream(&c->traffic, c->table_sectors / plan->n_blocks, false);
            for (int r = 0; r < plan->n_sets; r++) {
                find_points(c, how, r, b, n_blocks[r], &points[r]);
                block_of_target(c, how, r, &points[r]);
            }
            block_of_elements(c, how, b, stored);
        }
done:
    if (points && n_blocks)
        staged_free(points, n_blocks, plan->n_sets);
    free(stored);
    return status;
}

/* Most elements of a block that reach one point through the same slot. */
static tess_status most_through_slot(const tess_plan *plan, const tess_plan_set *set, int slot,
                                     double *most) {
    int32_t *times = NULL;
    TRY(TESS_ZEROS(set->point_offset[plan->n_blocks], &times));
    *most = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            const uint16_t local = set->local_index[k * set->n_slots + slot];
            if (local != TESS_NO_POINT && ++times[set->point_offset[b] + local] > *most)
                *most = times[set->point_offset[b] + local];
        }
    free(times);
    return TESS_OK;
}

/* Barriers of blocks: one after the copies, and for all elements that are computed at once one a
 * thread colour, or one a slot and colour of its increments. */
static tess_status count_rounds(const count *c, bool by_colour, double *rounds) {
    const tess_plan *plan = c->page->plan;
    double slots = 0, most = 0;
    for (int r = 0; r < plan->n_sets && !by_colour; r++)
        for (int s = 0; s < plan->sets[r].n_slots; s++)
            if (plan->sets[r].slot_incremented[s]) {
                TRY(most_through_slot(plan, &plan->sets[r], s, &most));
                slots += most;
            }
    *rounds = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t n = plan->block_offset[b + 1] - plan->block_offset[b];
        const double turns = (double)((n + c->page->threads - 1) / c->page->threads);
        *rounds += 1 + turns * (by_colour ? plan->thread_colours[b] : slots);
    }
    return TESS_OK;
}

static tess_status count_block_colour(count *c) {
    const bool none = has_option(c, "stage", "none");
    const staging how = {
        .reads = has_option(c, "stage", "all"),
        .sums = !none,
        .rest = {.reads = !has_option(c, "stage", "all"), .adds = none, .sums = TESS_TOUCH_WRITE}};
    TRY(staged_launches(c, &how));
    return count_rounds(c, true, &c->out->barriers);
}

static tess_status count_block_sum(count *c, bool owned) {
    const bool reads = has_option(c, "stage", "all");
    const staging how = {
        .reads = reads, .sums = true, .border = !owned, .owned = owned, .rest = {.reads = !reads}};
    TRY(staged_launches(c, &how));
    const bool by_colour =
        has_option(c, "sum", "thread-colours") || has_option(c, "sum", "increment-colours");
    const bool at_once =
        has_option(c, "sum", "block-gather") || has_option(c, "sum", "shared-atomics");
    c->out->shared_atomics = has_option(c, "sum", "shared-atomics");
    c->out->barriers = 2.0 * c->page->plan->n_blocks;
    return at_once ? TESS_OK : count_rounds(c, by_colour, &c->out->barriers);
}

static tess_status count_point_parallel(count *c) {
    const bool reads = has_option(c, "stage", "all");
    const staging how = {
        .reads = reads, .sums = true, .owned = true, .registers = true, .rest = {.reads = !reads}};
    int first_slot = 0, n_slots = 0;
    const tess_plan_set *set = &c->page->plan->sets[tess_page_owned_target(c->page, &first_slot)];
    for (int s = 0; s < set->n_slots; s++)
        n_slots += set->slot_incremented[s];
    c->times =
        (double)n_slots * (double)c->page->plan->n_elements / (double)c->page->plan->n_executed;
    TRY(staged_launches(c, &how));
    c->out->turns = c->out->turns > 2 ? c->out->turns / 2 : 1; /* two points are begun at once */
    c->out->barriers = reads ? c->page->plan->n_blocks : 0;
    return TESS_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */

static tess_status count_launches(count *c) {
    if (is_strategy(c, "atomics"))
        count_atomics(c);
    else if (is_strategy(c, "global-colour"))
        count_global_colour(c);
    else if (is_strategy(c, "two-step"))
        count_two_step(c);
    else if (is_strategy(c, "block-colour"))
        return count_block_colour(c);
    else if (is_strategy(c, "halo-atomics") || is_strategy(c, "owner-block"))
        return count_block_sum(c, is_strategy(c, "owner-block"));
    else if (is_strategy(c, "point-parallel"))
        return count_point_parallel(c);
    else
        FAIL(TESS_ERROR_USAGE,
             "there is no model of strategy %s: predict atomics, global-colour, two-step, "
             "block-colour, halo-atomics, owner-block or point-parallel",
             c->setting->strategy->name);
    return TESS_OK;
}

/* What follows from the page alone. */
static void count_page(count *c) {
    const tess_page *page = c->page;
    double threads = 0;
    bool doubles = false;
    c->out->moved_bytes = (double)(tess_dat_bytes(page->bound) + page->array_bytes);
    c->out->launches = page->n_launches;
    c->out->threads = page->threads;
    for (int l = 0; l < page->n_launches; l++) {
        const tess_launch *launch = &page->launches[l];
        c->out->blocks += (double)launch->n_blocks;
        if ((double)launch->shared_bytes > c->out->shared_bytes)
            c->out->shared_bytes = (double)launch->shared_bytes;
    }
    for (int i = 0; i < page->n_arrays; i++)
        if (page->arrays[i].values) /* others are written first */
            c->table_sectors += (double)page->arrays[i].bytes / TESS_SECTOR;
    for (int i = 0; i < page->n_dats; i++)
        doubles |= page->dats[i].size == 8;
    c->out->registers = doubles ? REGISTERS_DOUBLE : REGISTERS_FLOAT;
    threads = c->out->blocks * page->threads;
    const bool own = c->setting->strategy->owns_points;
    int first_slot = 0;
    const double work =
        own && is_strategy(c, "point-parallel")
            ? (double)page->bound->mesh
                  ->sets[page->bound->targets[tess_page_owned_target(page, &first_slot)].set]
                  .size
            : (double)page->plan->n_executed;
    c->out->turns = threads > 0 && work > threads ? work / threads : 1;
}

static tess_status draft(const tess_features_setting *setting, tess_store **store,
                         tess_execution **out) {
    const tess_execution_options options = {.kernel = setting->kernel,
                                            .strategy = setting->strategy,
                                            .spec = setting->spec,
                                            .threads = setting->threads};
    if (setting->strategy->one_thread)
        FAIL(TESS_ERROR_USAGE, "strategy %s runs on the host only: there is no model of it",
             setting->strategy->name);
    TRY(tess_store_draft(&paper, NULL, setting->state, setting->renumbering, &setting->layouts,
                         store));
    return tess_execution_draft(&options, *store, setting->bound, setting->plan, out);
}

tess_status tess_features_compute(const tess_features_setting *setting, tess_features *out) {
    tess_status status = TESS_OK;
    tess_store *store = NULL;
    count *c = NULL;
    CHECK(TESS_ZEROS(1, &c));
    *out = (tess_features){.blocks = 0};
    c->setting = setting;
    c->out = out;
    CHECK(draft(setting, &store, &c->execution));
    c->page = &c->execution->page;
    CHECK(find_columns(c));
    count_page(c);
    if (is_strategy(c, "two-step"))
        add_kept_columns(c);
    CHECK(tess_traffic_open(c->shapes, c->n_shapes + c->n_kept, setting->l2_bytes,
                            4 * (int64_t)out->blocks + 64, &c->traffic));
    CHECK(count_launches(c));
    tess_traffic_flush(&c->traffic);
    out->traffic = c->traffic.counts;
done:
    if (c) {
        tess_traffic_close(&c->traffic);
        tess_execution_close(c->execution);
    }
    free(c);
    tess_store_close(store);
    return status;
}
