/* Measuring a processor: the levels of its memory, by one core, and what all cores read together.
 */
#include "experiments/model/gauge.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WORD = 8,
    AT_ONCE = 8,                     /* values, in gauge.cu */
    PLACE = 128,                     /* bytes from one of its lines to the next */
    LINE = 64,                       /* bytes that caches of processors move */
    LEAST_MEMORY = 1 << 26,          /* bytes that no cache holds, at least */
    MOST_MEMORY = 1 << 30,           /* at most */
    REGISTERS = 16 + 16 * 16 / WORD, /* words, in the registers of x86-64 */
};

typedef struct level {
    const char *name;
    int64_t bytes; /* what it holds; 0: the system does not tell */
} level;

/* What one core reads a second in `bytes` of its own, as `cores` of them do so at once; of all. */
static tess_status read_bandwidth(const tess_gauge *m, int64_t cores, int64_t bytes, double *out) {
    const tess_gauge_work work = {.kernel = "read_portions",
                                  .blocks = cores,
                                  .n = bytes / WORD / AT_ONCE * AT_ONCE,
                                  .portions = cores};
    double seconds = 0;
    TRY(tess_gauge_time(m, &work, &seconds));
    *out = (double)(cores * work.n * WORD) / seconds;
    return TESS_OK;
}

/* What one core gets a second in lines at any places of a level, of which each second one counts.
 */
static tess_status random_bandwidth(const tess_gauge *m, int64_t bytes, double *out) {
    tess_gauge_work work = {.kernel = "read_lines", .blocks = 1, .n = 1, .portions = 1};
    double seconds = 0;
    while (2 * work.n * LINE <= bytes && 2 * work.n * PLACE <= m->bytes)
        work.n *= 2;
    TRY(tess_gauge_time(m, &work, &seconds));
    *out = AT_ONCE * LINE / seconds;
    return TESS_OK;
}

/* One core: each level is read in half of what it holds, so that the one above holds little of it.
 */
static tess_status measure_levels(const tess_gauge *m, const level *levels, int n,
                                  tess_measurement *out) {
    double above = REGISTERS, bandwidth = 0;
    const char *source = "given: 16 registers of 8 bytes and 16 of 16, as compiled";
    for (int i = 0; i < n; i++) {
        if (levels[i].bytes == 0) {
            tess_measurement_lacks(out, "level %s: the system does not tell its size",
                                   levels[i].name);
            continue;
        }
        const bool last = i + 1 == n;
        const int64_t bytes = last ? m->bytes : levels[i].bytes / 2;
        TRY(read_bandwidth(m, 1, bytes, &bandwidth));
        tess_measurement_add(
            out,
            (tess_measured){
                .name = "capacity", .level = levels[i].name, .value = above, .unit = "words"},
            "%s", source);
        tess_measurement_add(
            out,
            (tess_measured){
                .name = "bandwidth", .level = levels[i].name, .value = bandwidth, .unit = "B/s"},
            "measured: one core reads %lld bytes again and again", (long long)bytes);
        TRY(random_bandwidth(m, bytes, &bandwidth));
        tess_measurement_add(out,
                             (tess_measured){.name = "random_bandwidth",
                                             .level = levels[i].name,
                                             .value = bandwidth,
                                             .unit = "B/s"},
                             "measured: lines of %d bytes at any places of so many", LINE);
        above = (double)levels[i].bytes / WORD;
        source = "given: the system, of the level above";
    }
    return TESS_OK;
}

static int64_t size_of(int name) {
    const long bytes = sysconf(name);
    return bytes > 0 ? bytes : 0;
}

/* "", or that other programs want the cores, too, which makes what all read together less. */
static const char *words_on_load(int cores, char text[static 64]) {
    double load = 0;
    text[0] = '\0';
    if (getloadavg(&load, 1) == 1 && load > cores)
        snprintf(text, 64, ", at a load of %.1f: less than alone", load);
    return text;
}

tess_status tess_measure_host(const tess_device *device, tess_target *target,
                              tess_measurement *out) {
    tess_status status = TESS_OK;
    tess_gauge gauge = {.threads = 0};
    level levels[] = {{"L1", size_of(_SC_LEVEL1_DCACHE_SIZE)},
                      {"L2", size_of(_SC_LEVEL2_CACHE_SIZE)},
                      {"L3", size_of(_SC_LEVEL3_CACHE_SIZE)},
                      {"memory", LEAST_MEMORY}};
    const int cores = device->threads(target);
    const int64_t line = size_of(_SC_LEVEL1_DCACHE_LINESIZE), last = levels[2].bytes;
    double bandwidth = 0;
    char load[64];
    if (4 * last > LEAST_MEMORY)
        levels[3].bytes = 4 * last < MOST_MEMORY ? 4 * last : MOST_MEMORY;
    CHECK(tess_gauge_open(device, target, 1, levels[3].bytes, &gauge));
    CHECK(read_bandwidth(&gauge, cores, gauge.bytes / cores, &bandwidth));
    tess_measurement_add(
        out, (tess_measured){.name = "memory_bandwidth", .value = bandwidth, .unit = "B/s"},
        "measured: %d threads read %lld bytes%s", cores, (long long)gauge.bytes,
        words_on_load(cores, load));
    if (last > 0) {
        CHECK(read_bandwidth(&gauge, cores, last / 2 / cores, &bandwidth));
        tess_measurement_add(
            out, (tess_measured){.name = "l3_bandwidth", .value = bandwidth, .unit = "B/s"},
            "measured: %d threads read half of one L3%s", cores, words_on_load(cores, load));
    }
    if (line == 0)
        tess_measurement_lacks(out, "line_bytes: the system does not tell it");
    else
        tess_measurement_add(
            out, (tess_measured){.name = "line_bytes", .value = (double)line, .unit = "B"},
            "given: the system");
    CHECK(measure_levels(&gauge, levels, 4, out));
done:
    tess_gauge_close(&gauge);
    return status;
}
