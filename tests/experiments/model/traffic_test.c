/* Traffic: sectors, passes and misses, against what is counted one access after another. */
#include "experiments/model/traffic.h"

#include "core/base/splitmix.h"
#include "tests/unit.h"

enum { N_POINTS = 416, LANES = TESS_LANES }; /* values of a set end with a line */

/* One address of each lane, -1 where it is idle. */
typedef struct instruction {
    int n;
    int64_t address[LANES];
} instruction;

/* Distinct pieces of so many bytes. */
static int count_pieces(const instruction *in, int64_t bytes) {
    int n = 0;
    for (int i = 0; i < in->n; i++) {
        bool first = in->address[i] >= 0;
        for (int j = 0; j < i; j++)
            first &= in->address[j] < 0 || in->address[j] / bytes != in->address[i] / bytes;
        n += first;
    }
    return n;
}

/* Distinct sectors, and the most lanes on one address of each, by comparing all with all. */
static void count_slowly(const instruction *in, int *n_sectors, int *passes) {
    *n_sectors = *passes = 0;
    for (int i = 0; i < in->n; i++) {
        bool first = in->address[i] >= 0;
        int most = 0;
        for (int j = 0; j < i; j++)
            first &= in->address[j] < 0 || in->address[j] / 32 != in->address[i] / 32;
        if (!first)
            continue;
        for (int j = i; j < in->n; j++) {
            int same = 0;
            if (in->address[j] < 0 || in->address[j] / 32 != in->address[i] / 32)
                continue;
            for (int k = 0; k < in->n; k++)
                same += in->address[k] == in->address[j];
            most = same > most ? same : most;
        }
        ++*n_sectors;
        *passes += most;
    }
}

static int64_t address_of(const tess_column_shape *shape, int32_t point, int d) {
    if (point < 0)
        return -1;
    return shape->aos ? ((int64_t)point * shape->dim + d) * shape->size
                      : ((int64_t)d * N_POINTS + point) * shape->size;
}

/* Atomics by an instruction a value, or `rows`: side by side on a point's values. */
static tess_traffic_counts expect(const tess_column_shape *shape, tess_components values,
                                  const int32_t *points, int n, bool rows) {
    tess_traffic_counts counts = {.reads = 0};
    const int dim = values.n, together = LANES / dim;
    for (int turn = 0; turn < (rows ? (n + together - 1) / together : dim); turn++) {
        instruction in = {.n = 0};
        int n_sectors = 0, n_passes = 0;
        if (rows)
            for (int i = turn * together; i < n && i < (turn + 1) * together; i++)
                for (int d = 0; d < dim; d++)
                    in.address[in.n++] = address_of(shape, points[i], values.first + d);
        else
            for (int i = 0; i < n; i++)
                in.address[in.n++] = address_of(shape, points[i], values.first + turn);
        count_slowly(&in, &n_sectors, &n_passes);
        counts.reads += n_sectors;
        counts.passes += n_passes;
        counts.lines += count_pieces(&in, 128);
    }
    return counts;
}

static void sectors_lines_and_passes_are_those_of_every_instruction(void **state) {
    uint64_t random = 7;
    for (int trial = 0; trial < 3000; trial++) {
        const tess_column_shape shape = {.aos = trial & 1,
                                         .size = trial & 2 ? 4 : 8,
                                         .dim = 1 << tess_random_below(&random, 4),
                                         .n_points = N_POINTS};
        const int part = 1 + (int)tess_random_below(&random, shape.dim);
        const tess_components some = {
            .first = (int)tess_random_below(&random, shape.dim - part + 1), .n = part};
        const bool rows = trial & 4;
        const int n = 1 + (int)tess_random_below(&random, LANES);
        const int64_t range = 1 + tess_random_below(&random, trial & 8 ? 8 : N_POINTS);
        int32_t points[LANES];
        tess_traffic t;
        for (int i = 0; i < n; i++)
            points[i] = !rows && tess_random_below(&random, 5) == 0
                            ? -1
                            : (int32_t)tess_random_below(&random, range);
        const tess_traffic_counts expected = expect(&shape, some, points, n, rows);
        OK(tess_traffic_open(&shape, 1, 1 << 20, 1, &t));
        tess_traffic_block(&t);
        if (rows)
            tess_traffic_rows(&t, some, points, n, TESS_TOUCH_ATOMIC);
        else
            tess_traffic_warp(&t, some, points, n, TESS_TOUCH_ATOMIC);
        assert_int_equal((int)t.counts.passes, (int)expected.passes);
        assert_int_equal((int)t.counts.lines, (int)expected.lines);
        t.counts = (tess_traffic_counts){.reads = 0};
        if (rows)
            tess_traffic_rows(&t, some, points, n, TESS_TOUCH_READ);
        else
            tess_traffic_warp(&t, some, points, n, TESS_TOUCH_READ);
        assert_int_equal((int)t.counts.reads, (int)expected.reads);
        tess_traffic_close(&t);
    }
}

/* A cache of lists: what is used goes to the front, the last goes. */
typedef struct slow_cache {
    int64_t n, capacity, units[4096];
    bool dirty[4096];
    int n_fetched, n_written;
} slow_cache;

static void use_slowly(slow_cache *cache, int64_t unit, bool write) {
    int64_t at = 0;
    bool dirty = write;
    while (at < cache->n && cache->units[at] != unit)
        at++;
    if (at < cache->n) {
        dirty |= cache->dirty[at];
    } else {
        cache->n_fetched += !write;
        at = cache->n++;
    }
    memmove(cache->units + 1, cache->units, (size_t)at * sizeof *cache->units);
    memmove(cache->dirty + 1, cache->dirty, (size_t)at * sizeof *cache->dirty);
    cache->units[0] = unit;
    cache->dirty[0] = dirty;
    if (cache->n > cache->capacity)
        cache->n_written += cache->dirty[--cache->n];
}

static void the_l2_keeps_what_was_used_last(void **state) {
    const tess_column_shape shape = {.aos = true, .size = 8, .dim = 4, .n_points = N_POINTS};
    slow_cache *cache = calloc(1, sizeof *cache);
    uint64_t random = 3;
    tess_traffic t;
    cache->capacity = 64;
    OK(tess_traffic_open(&shape, 1, cache->capacity * TESS_SECTOR, 1, &t));
    for (int i = 0; i < 20000; i++) { /* a point is a sector, and each access a block of its own */
        const int32_t near = (int32_t)(i / 50 % N_POINTS);
        const int32_t point = (near + (int32_t)tess_random_below(&random, 90)) % N_POINTS;
        const bool write = tess_random_below(&random, 3) == 0;
        tess_traffic_block(&t);
        tess_traffic_warp(&t, (tess_components){0, 0, 4}, &point, 1,
                          write ? TESS_TOUCH_WRITE : TESS_TOUCH_READ);
        use_slowly(cache, point, write);
    }
    assert_int_equal((int)t.counts.memory_reads, cache->n_fetched);
    assert_int_equal((int)t.counts.memory_writes, cache->n_written);
    assert_true(cache->n_written > 100 && cache->n_fetched > 1000);
    for (int64_t i = 0; i < cache->n; i++)
        cache->n_written += cache->dirty[i];
    tess_traffic_flush(&t);
    assert_int_equal((int)t.counts.memory_writes, cache->n_written);
    tess_traffic_close(&t);
    free(cache);
}

static void a_block_reads_a_sector_once(void **state) {
    const tess_column_shape shape = {.size = 8, .dim = 5, .n_points = N_POINTS};
    const int32_t points[] = {0, 1, 4, 100};
    tess_traffic t;
    OK(tess_traffic_open(&shape, 1, 1 << 20, 1, &t));
    tess_traffic_block(&t);
    for (int times = 0; times < 3; times++)
        tess_traffic_warp(&t, (tess_components){0, 0, 5}, points, 4, TESS_TOUCH_READ);
    assert_int_equal((int)t.counts.block_reads, 3 * 5);
    assert_int_equal((int)t.counts.reads, 3 * 3 * 5);
    tess_traffic_block(&t);
    tess_traffic_warp(&t, (tess_components){0, 0, 5}, points, 4, TESS_TOUCH_READ);
    assert_int_equal((int)t.counts.block_reads, 2 * 3 * 5);
    assert_int_equal((int)t.counts.memory_reads, 3 * 5); /* the L2 has them */
    tess_traffic_close(&t);
}

/* Of 64 sectors: words of 4 bytes by 32 lanes, four sectors a line, all from memory. */
static void what_streams_comes_from_memory(void **state) {
    tess_traffic t;
    OK(tess_traffic_open(NULL, 0, 1 << 20, 1, &t));
    tess_traffic_stream(&t, 64);
    tess_traffic_stream(&t, 0);
    assert_true(t.counts.instructions == 16 && t.counts.lines == 16);
    assert_true(t.counts.reads == 64 && t.counts.block_reads == 64 && t.counts.memory_reads == 64);
    assert_true(t.counts.writes == 0 && t.counts.memory_writes == 0);
    tess_traffic_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_lines_and_passes_are_those_of_every_instruction),
        cmocka_unit_test(the_l2_keeps_what_was_used_last),
        cmocka_unit_test(a_block_reads_a_sector_once),
        cmocka_unit_test(what_streams_comes_from_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
