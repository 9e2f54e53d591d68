/* Measuring a GPU: the constants of predictions (constant_list.h) that small kernels can tell. */
#include "core/base/array.h"
#include "core/base/statistics.h"
#include "experiments/model/gauge.h"
#include "kernels/run/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS = 256,
    BLOCKS_EACH = 8, /* a multiprocessor */
    AT_ONCE = 8,     /* values, in gauge.cu */
    PORTION = 2048,  /* values that a block reads together: 8 blocks' fit into a first level */
    WORD = 8,
    SECTOR = 32,
    LINE = 128,
    MEMORY = 1 << 29, /* bytes that no L2 holds */
    LAUNCHES = 1000,
    TIMES_MANY = 20,
    SINGLES = 101,
    QUEUES = 8,
    BARRIERS_BEFORE = 10000, /* some 100 us */
    PLACINGS = 16,           /* of the memory on which atomics are timed, of an empty kernel */
    PARTS = 2,               /* of each */
};

/* Where a part of the memory fits, in bytes, a power of two. */
typedef struct positions {
    int64_t l2, memory;
} positions;

/* Seconds of everything, of one repeat of one work each. */
typedef struct taken {
    double l1_sector, l2_sector, memory_sector;       /* of whole lines */
    double l2_written;                                /* the same, written */
    double l2_line, memory_line;                      /* one sector of a line */
    double added_sector, added_memory, added_value;   /* atomics */
    double instruction, barrier, chase, flop, launch; /* launch: of many */
    double single;                                    /* one launch alone */
} taken;

static tess_status time_portions(const tess_gauge *m, const char *kernel, int64_t blocks,
                                 int64_t bytes, double *sector) {
    const int64_t portions = bytes ? bytes / (PORTION * WORD) : blocks;
    const tess_gauge_work work = {kernel, blocks, PORTION, portions, bytes > 0};
    TRY(tess_gauge_time(m, &work, sector));
    *sector /= (double)(blocks * PORTION * WORD / SECTOR);
    return TESS_OK;
}

/* A turn of each thread, of n places. */
static tess_status time_turns(const tess_gauge *m, const char *kernel, int64_t blocks, int64_t n,
                              double *turn) {
    const tess_gauge_work work = {kernel, blocks, n, 1, false};
    TRY(tess_gauge_time(m, &work, turn));
    *turn /= (double)(blocks * THREADS * AT_ONCE);
    return TESS_OK;
}

/* A chain through all lines of the L2's part, whose places repeat in no short while. */
static tess_status time_chase(const tess_gauge *m, int64_t bytes, double *seconds) {
    const int64_t n = bytes / LINE;
    uint64_t *next = NULL;
    TRY(TESS_ZEROS(bytes / WORD, &next));
    for (int64_t i = 0; i < n; i++) /* a full cycle: n is a power of two */
        next[i * (LINE / WORD)] = (uint64_t)((i * 5 + 12345) % n * (LINE / WORD));
    const tess_gauge_work work = {"chase", 1, n, 1, false};
    tess_status status = TESS_OK;
    CHECK(m->device->upload(m->target, m->values, next, bytes));
    CHECK(tess_gauge_time(m, &work, seconds));
    memset(next, 0, (size_t)bytes);
    CHECK(m->device->upload(m->target, m->values, next, bytes));
done:
    free(next);
    return status;
}

/* Adds the seconds of a value that is added to lone sectors and to whole ones, in turns, so that
 * whatever slows the device down slows both, on parts of a memory. */
static tess_status add_parts(const tess_gauge *m, int64_t blocks, int64_t bytes, taken *t) {
    const tess_gauge_work lone = {"add_sectors", blocks, bytes / SECTOR, 1, false};
    const tess_gauge_work rows = {"add_rows", blocks, bytes / WORD, 1, false};
    const double n = (double)(blocks * THREADS * AT_ONCE) * PARTS * PLACINGS;
    tess_gauge part = *m;
    for (int p = 0; p < PARTS; p++) {
        double seconds[2] = {0};
        part.values = m->values + (tess_address)(m->bytes / PARTS * p);
        TRY(tess_gauge_time_both(&part, &lone, &rows, seconds));
        t->added_sector += seconds[0] / n;
        t->added_value += seconds[1] / n;
    }
    return TESS_OK;
}

/* Times a work on memory of its own, behind so many bytes. */
static tess_status add_placed(const tess_gauge *m, int64_t before, int64_t blocks, int64_t bytes,
                              taken *t) {
    const tess_device *device = m->device;
    tess_status status = TESS_OK;
    tess_gauge placed = *m;
    tess_address first = 0;
    placed.values = 0;
    CHECK(device->alloc(m->target, "what lies before", before, &first));
    CHECK(device->alloc(m->target, "what is measured by", m->bytes, &placed.values));
    CHECK(add_parts(&placed, blocks, bytes, t));
done:
    if (placed.values)
        device->free(m->target, placed.values);
    if (first)
        device->free(m->target, first);
    return status;
}

/* The mean over several placings of the memory: where the driver puts it decides by a hundredth how
 * long whole sectors take, the same each time until it is given back. Behind memory of another size
 * it lies elsewhere. */
static tess_status time_added(const tess_gauge *m, int64_t blocks, int64_t bytes, taken *t) {
    t->added_sector = t->added_value = 0;
    for (int i = 0; i < PLACINGS; i++)
        TRY(add_placed(m, (int64_t)(37 + 101 * i % 700) << 20, blocks, bytes, t));
    return TESS_OK;
}

static tess_status launch_many(const tess_gauge *m, const tess_gauge_work *work) {
    for (int i = 0; i < LAUNCHES; i++)
        TRY(tess_gauge_run(m, work, 1));
    return TESS_OK;
}

/* A graph of many launches; none where the device has no graphs. */
static tess_status graph_many(const tess_gauge *m, const tess_gauge_work *work,
                              tess_launch_graph **out) {
    *out = NULL;
    if (!m->device->graph_start)
        return TESS_OK;
    TRY(m->device->graph_start(m->target));
    const tess_status kept = launch_many(m, work);
    const tess_status stopped = m->device->graph_stop(m->target, out);
    return kept != TESS_OK ? kept : stopped;
}

/* Many launches, as a loop of several makes them: in one graph where the device has such. */
static tess_status time_many(const tess_gauge *m, const tess_gauge_work *work, double *seconds) {
    const tess_device *device = m->device;
    tess_launch_graph *graph = NULL;
    tess_status status = TESS_OK;
    CHECK(graph_many(m, work, &graph));
    *seconds = INFINITY;
    for (int i = 0; i < TIMES_MANY; i++) {
        double all = 0;
        CHECK(device->timer_start(m->target));
        CHECK(graph ? device->graph_launch(m->target, graph) : launch_many(m, work));
        CHECK(device->timer_stop(m->target, &all));
        *seconds = fmin(*seconds, all / LAUNCHES);
    }
done:
    if (graph)
        device->graph_free(m->target, graph);
    return status;
}

/* One launch, behind a kernel that lasts until the host has asked for all three: a sample of a run
 * lies behind a kernel, too, and how fast the host is then counts for nothing. */
static tess_status time_single(const tess_gauge *m, const tess_gauge_work *work, double *seconds) {
    const tess_gauge_work before = {"pass_barriers", 1, 1, 1, false};
    double each[SINGLES];
    for (int i = 0; i < SINGLES; i++) {
        TRY(tess_gauge_run(m, &before, BARRIERS_BEFORE));
        TRY(m->device->timer_start(m->target));
        TRY(tess_gauge_run(m, work, 1));
        TRY(m->device->timer_stop(m->target, &each[i]));
    }
    *seconds = tess_median(each, SINGLES);
    return TESS_OK;
}

/* The mean of one launch in several queues of the device: it takes up to a tenth longer in one than
 * in another, and a clock of the device ticks in steps of a hundredth of it. */
static tess_status time_in_queues(const tess_gauge *m, const char *words,
                                  const tess_gauge_work *work, double *seconds) {
    *seconds = 0;
    for (int i = 0; i < QUEUES; i++) {
        const tess_device *device = NULL;
        tess_gauge other = *m;
        double one = 0;
        TRY(tess_device_open(words, &device, &other.target));
        const tess_status status = time_single(&other, work, &one);
        device->close(other.target);
        TRY(status);
        *seconds += one / QUEUES;
    }
    return TESS_OK;
}

/* Empty launches: many behind each other, and one, the mean of several loads of the kernel: where
 * it lies counts, too. */
static tess_status time_launches(const tess_gauge *m, const char *words, taken *t) {
    const tess_gauge_work work = {"nothing", 1, 1, 1, false};
    tess_gauge loaded[PLACINGS] = {{.threads = 0}};
    tess_status status = TESS_OK;
    CHECK(time_many(m, &work, &t->launch));
    t->single = 0;
    for (int i = 0; i < PLACINGS; i++) {
        double seconds = 0;
        CHECK(tess_gauge_open(m->device, m->target, THREADS, LINE, &loaded[i]));
        CHECK(time_in_queues(&loaded[i], words, &work, &seconds));
        t->single += seconds / PLACINGS;
    }
done:
    for (int i = 0; i < PLACINGS; i++)
        tess_gauge_close(&loaded[i]);
    return status;
}

static tess_status time_all(const tess_gauge *m, int processors, const positions *at, taken *t) {
    const int64_t blocks = (int64_t)processors * BLOCKS_EACH;
    const tess_gauge_work barriers = {"pass_barriers", processors, 1, 1, false};
    TRY(time_portions(m, "read_portions", blocks, 0, &t->l1_sector));
    TRY(time_portions(m, "read_portions", blocks, at->l2, &t->l2_sector));
    TRY(time_portions(m, "read_portions", blocks, at->memory, &t->memory_sector));
    TRY(time_portions(m, "write_portions", blocks, at->l2, &t->l2_written));
    TRY(time_turns(m, "read_lines", blocks, at->l2 / LINE, &t->l2_line));
    TRY(time_turns(m, "read_lines", blocks, at->memory / LINE, &t->memory_line));
    TRY(time_turns(m, "add_sectors", blocks, at->memory / SECTOR, &t->added_memory));
    TRY(time_added(m, blocks, at->l2, t));
    TRY(time_turns(m, "read_same", blocks, 256, &t->instruction));
    TRY(time_turns(m, "multiply", blocks, 1, &t->flop));
    TRY(tess_gauge_time(m, &barriers, &t->barrier));
    return time_chase(m, at->l2, &t->chase);
}

static void add(tess_measurement *out, const char *name, double value, const char *source) {
    const char *unit = "B/s";
    for (int i = 0; i < TESS_N_CONSTANTS; i++)
        if (strcmp(tess_constants[i].name, name) == 0)
            unit = tess_constants[i].unit;
    if (strcmp(name, "line_bytes") == 0)
        unit = "B";
    tess_measurement_add(out, (tess_measured){.name = name, .value = value, .unit = unit}, "%s",
                         source);
}

/* The terms of docs/predict.md, solved for their constants: what is timed has no other term. */
static void add_times(const taken *t, double copy, tess_measurement *out) {
    static const double least = 1e-13; /* of what a difference of two times leaves nothing */
    const double read = fmax((4 * t->l2_sector - t->l2_line) / 3, least);
    const double line = fmax(t->l2_line - read, least);
    const double value = fmax((4 * t->added_value - t->added_sector) / 3, least);
    add(out, "memory", t->memory_sector / SECTOR * copy, "measured: reads of whole lines");
    add(out, "random", t->memory_line / SECTOR * copy, "measured: reads of lone sectors");
    add(out, "l2_read", read, "measured: whole lines and lone sectors in the L2");
    add(out, "l2_line", line, "measured: whole lines and lone sectors in the L2");
    add(out, "l2_write", fmax((4 * t->l2_written - line) / 4, least),
        "measured: writes of whole lines in the L2");
    add(out, "l1_read", t->l1_sector, "measured: each block reads its 16 kB again");
    add(out, "value", value, "measured: atomics to consecutive doubles and to lone ones");
    add(out, "pass", fmax(t->added_sector - value, least),
        "measured: atomics to consecutive doubles and to lone ones");
    add(out, "missed_pass", fmax(t->added_memory - t->added_sector, least),
        "measured: atomics to lone doubles of 512 MB");
    add(out, "instruction", TESS_WARP * t->instruction, "measured: a warp reads one value");
    add(out, "barrier", t->barrier, "measured: one block of 256 threads a multiprocessor");
    add(out, "wait", t->chase, "measured: a chain of reads in the L2");
    add(out, "flop", t->flop / 2, "measured: multiplications and sums of doubles");
    add(out, "launch", t->launch,
        "measured: 1000 empty launches, as one graph where the device has graphs");
    add(out, "start", fmax(t->single - t->launch, 1e-7),
        "measured: one empty launch behind a kernel, the mean of 16 loads in 8 queues, less "
        "'launch'");
}

/* What no kernel tells: as of the machine that predictions were made on first. */
static tess_status add_others(tess_measurement *out) {
    static const char *const taken_over[] = {"kept_power", "turn", "compare_and_swap", "overlap",
                                             "exponent"};
    tess_machine h200;
    TRY(tess_machine_read("h200", &h200));
    add(out, "wavefront", 1, "given: one a clock");
    add(out, "line_bytes", SECTOR, "given: a sector");
    for (size_t i = 0; i < sizeof taken_over / sizeof *taken_over; i++)
        for (int c = 0; c < TESS_N_CONSTANTS; c++)
            if (strcmp(tess_constants[c].name, taken_over[i]) == 0)
                add(out, taken_over[i], h200.number[c],
                    "given: as of h200, not measured; a fit changes it");
    return TESS_OK;
}

static int64_t power_below(int64_t bytes) {
    int64_t power = 1;
    while (2 * power <= bytes)
        power *= 2;
    return power;
}

tess_status tess_measure_gpu(const char *words, const tess_device *device, tess_target *target,
                             tess_measurement *out) {
    tess_status status = TESS_OK;
    tess_gauge gauge = {.threads = 0};
    const tess_device_facts facts = device->facts(target);
    const positions at = {.l2 = power_below(facts.cache_bytes / 4), .memory = MEMORY};
    taken t;
    double copy = 0;
    if (facts.processors == 0 || at.l2 < PORTION * WORD)
        CHECK(tess_fail(TESS_ERROR_MISSING,
                        "the driver does not tell how many multiprocessors the device has, or what "
                        "its L2 holds, which a measurement needs"));
    CHECK(tess_trial_copy_bandwidth(device, target, &copy));
    CHECK(tess_gauge_open(device, target, THREADS, MEMORY, &gauge));
    CHECK(time_all(&gauge, facts.processors, &at, &t));
    CHECK(time_launches(&gauge, words, &t));
    add(out, "copy_bandwidth", copy, "measured: copies of 256 MiB");
    add(out, "memory_bandwidth", copy, "measured: copies of 256 MiB");
    add(out, "l2_bandwidth", SECTOR / t.l2_sector, "measured: reads of whole lines in the L2");
    add(out, "processors", facts.processors, "given: the driver");
    add(out, "clock", device->clocks ? device->clocks(target).compute : NAN,
        "measured: behind the last kernel");
    add(out, "l2_bytes", 0.4 * (double)facts.cache_bytes,
        "given: two fifths of what the driver says, as fitted for an H200");
    add(out, "kept_bytes", (double)facts.cache_bytes, "given: the driver, the L2");
    add_times(&t, copy, out);
    CHECK(add_others(out));
done:
    tess_gauge_close(&gauge);
    return status;
}
