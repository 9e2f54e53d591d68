/* The cost of a pass: distinct points and lines of windows, and lines by the level of memory that
 * they come from. */
#include "experiments/model/pass_cost.h"

#include "core/base/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 8, STREAMS = 16 };

/* --- windows ---------------------------------------------------------------------------------- */

/* Which window touched a point or a line last [n]. */
typedef struct last_window {
    int32_t *of;
    int64_t n_distinct;
} last_window;

static void touch(last_window *last, int64_t i, int32_t window) {
    last->n_distinct += last->of[i] != window;
    last->of[i] = window;
}

static void count_window(const tess_pass *pass, int64_t window, last_window *points,
                         last_window *lines) {
    const int64_t end = (window + 1) * pass->window;
    for (int64_t i = window * pass->window; i < end && i < pass->n; i++)
        for (int slot = 0; slot < pass->arity; slot++) {
            const int64_t point = tess_pass_point(pass, i, slot);
            if (point < 0)
                continue;
            touch(points, point, (int32_t)window + 1);
            const int64_t first = point * pass->point_bytes;
            for (int64_t line = first / TESS_PASS_LINE;
                 line <= (first + pass->point_bytes - 1) / TESS_PASS_LINE; line++)
                touch(lines, line, (int32_t)window + 1);
        }
}

static int64_t lines_of_array(const tess_pass *pass) {
    return pass->n_points * pass->point_bytes / TESS_PASS_LINE + 1;
}

/* All windows, or so many of them, as far apart as can be. */
static tess_status count_windows(const tess_pass *pass, tess_pass_cost *out) {
    enum { MOST_WINDOWS = 256 };
    tess_status status = TESS_OK;
    last_window points = {.of = NULL}, lines = {.of = NULL};
    const int64_t n_windows = (pass->n + pass->window - 1) / pass->window;
    const int64_t n_counted = n_windows < MOST_WINDOWS ? n_windows : MOST_WINDOWS;
    CHECK(TESS_ZEROS(pass->n_points, &points.of));
    CHECK(TESS_ZEROS(lines_of_array(pass), &lines.of));
    for (int64_t i = 0; i < n_counted; i++)
        count_window(pass, i * n_windows / n_counted, &points, &lines);
    out->points = (double)points.n_distinct / fmax(1, (double)n_counted);
    out->lines = (double)lines.n_distinct / fmax(1, (double)n_counted);
done:
    free(points.of);
    free(lines.of);
    return status;
}

/* --- caches ----------------------------------------------------------------------------------- */

/* A cache of sets of WAYS lines, the one used last first; and where lines came in last. */
typedef struct line_cache {
    int64_t n_sets;
    int64_t *lines; /* [n_sets][WAYS], -1: none; owned */
    int64_t streams[STREAMS];
    int oldest;
} line_cache;

/* As many sets as lines hold all of them, and more hold no more. */
static tess_status cache_open(double words, int64_t n_lines, line_cache *out) {
    const double n_sets = words * sizeof(double) / TESS_PASS_LINE / WAYS;
    *out = (line_cache){.n_sets = (int64_t)fmax(1, fmin(n_sets, (double)n_lines))};
    TRY(TESS_ALLOC(out->n_sets * WAYS, &out->lines));
    for (int64_t i = 0; i < out->n_sets * WAYS; i++)
        out->lines[i] = -1;
    for (int i = 0; i < STREAMS; i++)
        out->streams[i] = INT64_MIN / 2;
    return TESS_OK;
}

/* Whether a line is in the cache, which has it then. */
static bool cache_has(line_cache *cache, int64_t line) {
    int64_t *set = cache->lines + line % cache->n_sets * WAYS;
    int at = 0;
    while (at < WAYS - 1 && set[at] != line)
        at++;
    const bool found = set[at] == line;
    memmove(set + 1, set, (size_t)at * sizeof *set);
    set[0] = line;
    return found;
}

/* Whether a line that is missing is the next one, or the one behind it, of some that came. */
static bool comes_ahead(line_cache *cache, int64_t line) {
    for (int i = 0; i < STREAMS; i++)
        if (line == cache->streams[i] + 1 || line == cache->streams[i] + 2) {
            cache->streams[i] = line;
            return true;
        }
    cache->streams[cache->oldest++ % STREAMS] = line;
    return false;
}

/* Finds the level that a line comes from: the nearest cache that has it, the last level else. */
static void fetch(line_cache *caches, int n_caches, int64_t line, tess_pass_lines *from) {
    int level = 0;
    bool ahead = true;
    while (level < n_caches && !cache_has(&caches[level], line))
        ahead = comes_ahead(&caches[level++], line);
    from[level].ahead += level == 0 || ahead;
    from[level].apart += level > 0 && !ahead;
}

/* Arrays at points, those that are solved there and back. */
static int count_arrays(const tess_pass *pass) {
    return tess_pass_arrays(pass) + pass->solves;
}

/* Arrays lie behind each other. */
static void pass_through(const tess_pass *pass, line_cache *caches, int n_caches,
                         tess_pass_lines *from) {
    const int n_arrays = count_arrays(pass);
    const int64_t n_lines = lines_of_array(pass);
    for (int64_t i = 0; i < pass->n; i++)
        for (int slot = 0; slot < pass->arity; slot++) {
            const int64_t first = tess_pass_point(pass, i, slot) * pass->point_bytes;
            for (int array = 0; first >= 0 && array < n_arrays; array++)
                for (int64_t line = first / TESS_PASS_LINE;
                     line <= (first + pass->point_bytes - 1) / TESS_PASS_LINE; line++)
                    fetch(caches, n_caches, array * n_lines + line, from);
        }
}

/* What a level gives of lines that come ahead: no less than of any others, whatever a busy machine
 * measured. */
static double bandwidth_ahead(const tess_machine_level *level) {
    return isnan(level->random) ? level->bandwidth : fmax(level->bandwidth, level->random);
}

/* What gives bytes that are gone through again and again: the nearest level that holds them. */
static double bandwidth_again(const tess_machine *machine, double bytes) {
    int level = machine->n_levels - 1;
    while (level > 0 && bytes <= machine->levels[level].capacity * sizeof(double))
        level--;
    return bandwidth_ahead(&machine->levels[level]);
}

/* What the lines take, and what streams: elements with their rows of the map from the last level,
 * once and for each way of a solution, and points. */
static double seconds_of(const tess_pass *pass, const tess_machine *machine,
                         const tess_pass_lines *from) {
    const int last = machine->n_levels - 1;
    const double of_points = (double)pass->n_points * (double)pass->stream_bytes;
    double seconds =
        ((double)tess_pass_element_bytes(pass) * (1 + 2 * (pass->solves > 0)) + of_points) /
        bandwidth_ahead(&machine->levels[last]);
    if (pass->rounds > 1)
        seconds += (pass->rounds - 1) * of_points / bandwidth_again(machine, of_points);
    for (int i = 0; i <= last; i++) {
        const tess_machine_level *level = &machine->levels[i];
        const double bytes = i == 0 ? sizeof(double) : TESS_PASS_LINE;
        seconds += (double)from[i].ahead * bytes / bandwidth_ahead(level);
        seconds += (double)from[i].apart * bytes /
                   (isnan(level->random) ? level->bandwidth : level->random);
    }
    return seconds;
}

/* Passes twice: what the first leaves in caches the second finds. */
static tess_status count_levels(const tess_pass *pass, const tess_machine *machine,
                                tess_pass_cost *out) {
    tess_status status = TESS_OK;
    line_cache caches[TESS_MOST_LEVELS] = {{0}};
    const int n_caches = machine->n_levels - 1;
    const int64_t n_lines = count_arrays(pass) * lines_of_array(pass);
    for (int i = 0; i < n_caches; i++)
        CHECK(cache_open(machine->levels[i + 1].capacity, n_lines, &caches[i]));
    for (int turn = 0; turn < 2; turn++) {
        memset(out->from, 0, sizeof out->from);
        pass_through(pass, caches, n_caches, out->from);
    }
    out->seconds = seconds_of(pass, machine, out->from);
done:
    for (int i = 0; i < n_caches; i++)
        free(caches[i].lines);
    return status;
}

tess_status tess_pass_count(const tess_pass *pass, const tess_machine *machine,
                            tess_pass_cost *out) {
    *out = (tess_pass_cost){.seconds = NAN};
    TRY(count_windows(pass, out));
    return machine && machine->n_levels > 0 ? count_levels(pass, machine, out) : TESS_OK;
}
