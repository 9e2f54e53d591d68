/* Traffic: the sectors that warps and blocks touch, and which of them come from memory. */
#include "experiments/model/traffic.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECTORS = TESS_LINE / TESS_SECTOR }; /* of a line */

/* --- the L2 ----------------------------------------------------------------------------------- */

static void unlink_unit(tess_traffic *t, int32_t unit) {
    if (t->newer[unit] >= 0)
        t->older[t->newer[unit]] = t->older[unit];
    else
        t->newest = t->older[unit];
    if (t->older[unit] >= 0)
        t->newer[t->older[unit]] = t->newer[unit];
    else
        t->oldest = t->newer[unit];
}

static void put_first(tess_traffic *t, int32_t unit) {
    t->newer[unit] = -1;
    t->older[unit] = t->newest;
    if (t->newest >= 0)
        t->newer[t->newest] = unit;
    t->newest = unit;
    if (t->oldest < 0)
        t->oldest = unit;
}

/* Lets the oldest go until the rest fits. */
static void make_room(tess_traffic *t) {
    while (t->used > t->capacity && t->oldest >= 0) {
        const int32_t unit = t->oldest;
        t->used -= t->sectors[unit];
        t->counts.memory_writes += t->dirty[unit] ? t->sectors[unit] : 0;
        unlink_unit(t, unit);
        t->sectors[unit] = 0;
    }
}

/* Accesses a unit of so many sectors; `fetched`: what is missing comes from memory. Gives whether
 * it was missing. */
static bool use(tess_traffic *t, int32_t unit, int32_t sectors, bool dirty, bool fetched) {
    const bool missing = t->sectors[unit] == 0;
    if (missing) {
        t->sectors[unit] = sectors;
        t->dirty[unit] = dirty;
        t->used += sectors;
        t->counts.memory_reads += fetched ? sectors : 0;
        put_first(t, unit);
        make_room(t);
    } else {
        t->dirty[unit] |= dirty;
        if (t->newest != unit) {
            unlink_unit(t, unit);
            put_first(t, unit);
        }
    }
    return missing;
}

void tess_traffic_flush(tess_traffic *t) {
    for (int32_t unit = t->newest; unit >= 0; unit = t->older[unit])
        if (t->dirty[unit]) {
            t->counts.memory_writes += t->sectors[unit];
            t->dirty[unit] = false;
        }
}

void tess_traffic_stream(tess_traffic *t, double sectors) {
    if (sectors <= 0)
        return;
    t->counts.instructions += sectors * TESS_SECTOR / 4 / TESS_LANES;
    t->counts.lines += sectors / SECTORS;
    t->counts.reads += sectors;
    t->counts.block_reads += sectors;
    const int64_t unit = t->n_units + t->stream++ % t->n_streams;
    if (t->sectors[unit] > 0) { /* one of so long ago that it does not matter */
        t->used -= t->sectors[unit];
        unlink_unit(t, (int32_t)unit);
        t->sectors[unit] = 0;
    }
    (void)use(t, (int32_t)unit, (int32_t)ceil(sectors), false, true);
}

/* --- columns ---------------------------------------------------------------------------------- */

tess_status tess_traffic_open(const tess_column_shape *columns, int n, int64_t l2_bytes,
                              int64_t n_streams, tess_traffic *out) {
    tess_status status = TESS_OK;
    tess_traffic t = {.n_columns = n,
                      .capacity = l2_bytes / TESS_SECTOR,
                      .n_streams = n_streams > 0 ? n_streams : 1,
                      .newest = -1,
                      .oldest = -1};
    CHECK(TESS_ZEROS(n, &t.columns));
    for (int i = 0; i < n; i++) {
        tess_column *c = &t.columns[i];
        *c = (tess_column){.aos = columns[i].aos,
                           .size = columns[i].size,
                           .dim = columns[i].dim,
                           .first = t.n_units};
        const int64_t bytes = columns[i].n_points * c->size * (c->aos ? c->dim : 1);
        c->n_units = (bytes + TESS_SECTOR - 1) / TESS_SECTOR + 1;
        t.n_units += c->n_units;
        CHECK(TESS_ZEROS(c->n_units, &c->in_warp));
        CHECK(TESS_ZEROS(c->n_units, &c->in_block));
        CHECK(TESS_ZEROS(c->n_units / SECTORS + 1, &c->in_line));
    }
    if (t.n_units + t.n_streams > INT32_MAX)
        CHECK(tess_fail(TESS_ERROR_INPUT, "the loop's data have over 2^31 sectors"));
    CHECK(TESS_ALLOC(t.n_units + t.n_streams, &t.newer));
    CHECK(TESS_ALLOC(t.n_units + t.n_streams, &t.older));
    CHECK(TESS_ZEROS(t.n_units + t.n_streams, &t.sectors));
    CHECK(TESS_ZEROS(t.n_units + t.n_streams, &t.dirty));
    *out = t;
    return TESS_OK;
done:
    tess_traffic_close(&t);
    return status;
}

void tess_traffic_close(tess_traffic *t) {
    for (int i = 0; t->columns && i < t->n_columns; i++) {
        free(t->columns[i].in_warp);
        free(t->columns[i].in_block);
        free(t->columns[i].in_line);
    }
    free(t->columns);
    free(t->newer);
    free(t->older);
    free(t->sectors);
    free(t->dirty);
    *t = (tess_traffic){.n_columns = 0};
}

void tess_traffic_block(tess_traffic *t) {
    t->block++;
}

/* The units of some values of a point: [*from, *to]. */
static inline void units_of(const tess_column *c, tess_components values, int32_t point,
                            int64_t *from, int64_t *to) {
    if (!c->aos) {
        *from = *to = (int64_t)point * c->size / TESS_SECTOR;
        return;
    }
    const int64_t first = ((int64_t)point * c->dim + values.first) * c->size;
    *from = first / TESS_SECTOR;
    *to = (first + (int64_t)values.n * c->size - 1) / TESS_SECTOR;
}

/* Units that a warp touches, those of them that were not in the L2, and lines that it asks the L2
 * for, of each value. */
typedef struct touched {
    int n_units, n_missing, n_lines;
} touched;

/* Has every unit that the warp touches used once. */
static touched touch_units(tess_traffic *t, tess_components values, const int32_t *points, int n,
                           tess_touch touch) {
    tess_column *c = &t->columns[values.column];
    touched found = {0, 0, 0};
    t->warp++;
    for (int lane = 0; lane < n; lane++) {
        int64_t from = 0, to = -1;
        if (points[lane] >= 0)
            units_of(c, values, points[lane], &from, &to);
        for (int64_t u = from; u <= to; u++) {
            if (c->in_warp[u] == t->warp)
                continue;
            c->in_warp[u] = t->warp;
            found.n_units++;
            const int sectors = c->aos ? 1 : values.n;
            const bool again = touch == TESS_TOUCH_READ && c->in_block[u] == t->block;
            if (again)
                continue;
            if (touch == TESS_TOUCH_READ) {
                c->in_block[u] = t->block;
                t->counts.block_reads += sectors;
            }
            found.n_lines += c->in_line[u / SECTORS] != t->warp;
            c->in_line[u / SECTORS] = t->warp;
            found.n_missing += use(t, (int32_t)(c->first + u), c->aos ? 1 : c->dim,
                                   touch != TESS_TOUCH_READ, touch != TESS_TOUCH_WRITE);
        }
    }
    return found;
}

/* Sorts the points of a warp, which mostly are; those that are none (-1) come first. */
static void sort_lanes(const int32_t *points, int n, int32_t *sorted) {
    memcpy(sorted, points, (size_t)n * sizeof *sorted);
    tess_sort(sorted, n);
}

/* The bytes of a point that lanes access, from where its row begins. */
typedef struct bytes_of_row {
    int64_t row, first, n;
} bytes_of_row;

/* What an instruction touches; passes: of each sector the most lanes on one address. */
typedef struct tally {
    double sectors, lines, passes;
} tally;

/* Adds what one instruction touches, `times` times, whose lanes access these bytes of sorted
 * points. */
static void add_instruction(bytes_of_row bytes, const int32_t *sorted, int n, int times,
                            tally *all) {
    int64_t sector = -1;
    int most = 0, same = 0;
    for (int lane = 0; lane < n; lane += same) {
        for (same = 1; lane + same < n && sorted[lane + same] == sorted[lane];)
            same++;
        if (sorted[lane] < 0)
            continue;
        const int64_t first = sorted[lane] * bytes.row + bytes.first;
        const int64_t last = (first + bytes.n - 1) / TESS_SECTOR;
        for (int64_t at = first / TESS_SECTOR; at <= last; at++) {
            if (at != sector) {
                all->passes += times * most;
                all->lines += sector < 0 || at / SECTORS != sector / SECTORS ? times : 0;
                all->sectors += times;
                most = 0;
                sector = at;
            }
            most = same > most ? same : most;
        }
    }
    all->passes += times * most;
}

/* A value of a point, and all that are accessed where they lie side by side. */
static bytes_of_row value_of(const tess_column *c, int value) {
    const int64_t size = c->size;
    return (bytes_of_row){c->aos ? size * c->dim : size, c->aos ? size * value : 0, size};
}

static bytes_of_row values_of(const tess_column *c, tess_components values) {
    const int64_t size = c->size;
    return (bytes_of_row){size * c->dim, size * values.first, size * values.n};
}

static int n_active(const int32_t *points, int n) {
    int active = 0;
    for (int lane = 0; lane < n; lane++)
        active += points[lane] >= 0;
    return active;
}

/* Adds instructions whose lanes access so many values in all. */
static void add(tess_traffic *t, tess_touch touch, const tally *all, double values, touched found) {
    if (touch == TESS_TOUCH_READ)
        t->counts.reads += all->sectors;
    else if (touch == TESS_TOUCH_WRITE)
        t->counts.writes += all->sectors;
    else {
        t->counts.passes += all->passes;
        t->counts.values += values;
        t->counts.missed += all->passes * found.n_missing / found.n_units;
    }
    t->counts.lines += touch == TESS_TOUCH_READ ? found.n_lines : all->lines;
}

void tess_traffic_warp(tess_traffic *t, tess_components values, const int32_t *points, int n,
                       tess_touch touch) {
    const tess_column *c = &t->columns[values.column];
    int32_t sorted[TESS_LANES];
    tally all = {0, 0, 0};
    const int active = n_active(points, n), dim = values.n;
    if (active == 0 || dim == 0)
        return;
    touched found = touch_units(t, values, points, n, touch);
    const int row = c->aos ? c->dim * c->size : TESS_SECTOR;
    const bool alike = row % TESS_SECTOR == 0; /* every value's sectors have the same pattern */
    const bool whole = !c->aos || dim == c->dim;
    if (!alike || !whole || touch != TESS_TOUCH_READ) {
        sort_lanes(points, n, sorted);
        for (int i = 0; i < (alike ? 1 : dim); i++)
            add_instruction(value_of(c, values.first + i), sorted, n, alike ? dim : 1, &all);
    } else {
        all.sectors = (double)found.n_units * TESS_SECTOR / row * dim;
    }
    found.n_lines *= c->aos ? 1 : dim;
    t->counts.instructions += dim;
    add(t, touch, &all, (double)active * dim * c->size / 8, found);
}

void tess_traffic_rows(tess_traffic *t, tess_components values, const int32_t *points, int n,
                       tess_touch touch) {
    const tess_column *c = &t->columns[values.column];
    tally all = {0, 0, 0};
    const int active = n_active(points, n), dim = values.n;
    if (active == 0 || dim == 0)
        return;
    touched found = touch_units(t, values, points, n, touch);
    const int together = dim < TESS_LANES ? TESS_LANES / dim : 1; /* points of an instruction */
    for (int first = 0; first < n; first += together) {
        int32_t sorted[TESS_LANES];
        const int m = n - first < together ? n - first : together;
        sort_lanes(points + first, m, sorted);
        if (c->aos)
            add_instruction(values_of(c, values), sorted, m, 1, &all);
        else /* each value's sectors have the same pattern */
            add_instruction(value_of(c, 0), sorted, m, dim, &all);
    }
    found.n_lines *= c->aos ? 1 : dim;
    t->counts.instructions += ceil((double)n * dim / TESS_LANES);
    add(t, touch, &all, (double)active * dim * c->size / 8, found);
}
