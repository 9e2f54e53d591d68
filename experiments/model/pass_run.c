/* Passes that are run: what this machine takes for each. */
#include "experiments/model/pass_run.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/sort.h"
#include "core/plan/incidence.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/text_writer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TESS_EMBED(tess_pass_text, "experiments/model/pass.cu");
TESS_EMBED(tess_pass_gpu_text, "experiments/model/pass_gpu.cu");

/* What a pass goes through beside its map. */
typedef struct pass_values {
    tess_address at_points, with_elements, with_points, lists;
} pass_values;

/* Its own, and as much for other loops, which bring it out of the caches. */
enum { OWN, OF_OTHERS, VALUES };

/* An opened host, and what the kernel goes through, in whatever numbering: so passes are told apart
 * by this alone. */
typedef struct pass_host {
    const tess_device *device;
    tess_target *target;
    tess_device_module *module;
    pass_values values[VALUES];
    int64_t n_entries;     /* of the lists */
    tess_address index[2]; /* of passes whose map is not gone through as it is */
    uint64_t steps;        /* that an element computes */
    double a_while;        /* seconds that a time is taken over, at least */
    bool on_gpu;
    int64_t word; /* bytes of a value */
} pass_host;

static int64_t words_of(int64_t bytes, const pass_host *host) {
    return (bytes + host->word - 1) / host->word;
}

/* Bytes of a value: floats are a GPU's alone. */
static int64_t word_of(const tess_pass *pass, bool on_gpu) {
    return on_gpu && pass->point_bytes % (int64_t)sizeof(double) ? sizeof(float) : sizeof(double);
}

/* Of a block. */
static int threads_of(const tess_pass *pass, const pass_host *host) {
    return host->on_gpu ? pass->window : 1;
}

static bool is_padded(const tess_pass *pass) {
    for (int64_t i = 0; i < pass->n * pass->arity; i++)
        if (pass->index[i] < 0)
            return true;
    return false;
}

tess_status tess_pass_page(const tess_pass *pass, bool on_gpu, char **out) {
    const pass_host of = {.on_gpu = on_gpu, .word = word_of(pass, on_gpu)}, *host = &of;
    tess_text_writer page = {.text = NULL};
    tess_text_writer_print(
        &page,
        "#define THREADS %d\n#define LAUNCH_BOUNDS __launch_bounds__(THREADS)\n"
        "#define REAL %s\n"
        "enum { ARITY = %d, PADDED = %d, ROWS = %d, LISTS = %d, READS = %d, ADDS = %d, "
        "SOLVES = %d, WIDTH = %lld, ELEMENT = %lld, WRITTEN = %lld, POINT = %lld, ROUNDS = %d, "
        "WORK = %d };\n"
        "struct params {\n    long long first, count, n, n_points;\n    const int *index;\n"
        "    REAL *at_points, *with_elements, *with_points;\n    void *lists;\n    long long "
        "steps;\n};\n",
        threads_of(pass, host), host->word == sizeof(float) ? "float" : "double", pass->arity,
        is_padded(pass), tess_pass_has_rows(pass), pass->lists, pass->reads, pass->adds,
        pass->solves, (long long)words_of(pass->point_bytes, host),
        (long long)words_of(pass->element_bytes, host),
        (long long)words_of(pass->written_bytes, host),
        (long long)words_of(pass->stream_bytes, host), pass->rounds, pass->work > 0);
    if (on_gpu)
        tess_text_writer_include(&page, "pass_gpu.cu", tess_pass_gpu_text);
    else
        tess_text_writer_include(&page, "pass.cu", tess_pass_text);
    const tess_status status = tess_text_writer_finish(&page);
    *out = status == TESS_OK ? TESS_TAKE(page.text) : NULL;
    tess_text_writer_clear(&page);
    return status;
}

static tess_status compile(const tess_pass *pass, pass_host *host) {
    char *page = NULL;
    TRY(tess_pass_page(pass, host->on_gpu, &page));
    const tess_status status = host->device->compile(host->target, page, &host->module);
    free(page);
    return status;
}

/* Whether the rows that are gone through differ from those of the map as it lies there. */
static bool is_moved(const tess_pass *pass) {
    return pass->elements || pass->points || pass->solves;
}

/* Counts the entries of its lists: the pairs of points that some element has, each once. */
static tess_status count_entries(const tess_pass *pass, int64_t *n) {
    tess_status status = TESS_OK;
    const tess_incidence map = {
        .index = pass->index, .arity = pass->arity, .n_points = pass->n_points};
    tess_rows *elements = NULL;
    int32_t *last_row = NULL; /* [n_points]: that had a column */
    CHECK(tess_incidence_invert(&map, pass->n, &elements));
    CHECK(TESS_ALLOC(pass->n_points, &last_row));
    for (int64_t point = 0; point < pass->n_points; point++)
        last_row[point] = -1;
    for (int32_t row = 0; row < pass->n_points; row++)
        for (int64_t i = elements->offset[row]; i < elements->offset[row + 1]; i++)
            for (int slot = 0; slot < pass->arity; slot++) {
                const int32_t column = pass->index[(int64_t)elements->item[i] * pass->arity + slot];
                if (column < 0 || last_row[column] == row)
                    continue;
                last_row[column] = row;
                ++*n;
            }
done:
    tess_rows_free(elements);
    free(last_row);
    return status;
}

/* Of its lists (pass.cu): two pointers a point, and entries. */
static int64_t bytes_of_lists(const tess_pass *pass, const pass_host *host) {
    const int64_t word = host->word;
    return pass->lists
               ? (2 * pass->n_points + host->n_entries * (2 + words_of(pass->point_bytes, host))) *
                     word
               : 0;
}

static tess_status open_values(const tess_pass *pass, pass_host *host, pass_values *values) {
    const int64_t word = host->word, width = words_of(pass->point_bytes, host);
    TRY(host->device->alloc(host->target, "the lists", bytes_of_lists(pass, host), &values->lists));
    TRY(host->device->alloc(host->target, "the values at points",
                            tess_pass_arrays(pass) * pass->n_points * width * word,
                            &values->at_points));
    TRY(host->device->alloc(host->target, "the values with elements",
                            words_of(pass->element_bytes, host) * tess_pass_entries(pass) * word,
                            &values->with_elements));
    return host->device->alloc(host->target, "the values with points",
                               (words_of(pass->stream_bytes, host) * pass->n_points + 1) * word,
                               &values->with_points);
}

static void close_value(const pass_host *host, tess_address value) {
    if (value)
        host->device->free(host->target, value);
}

static void close_values(int n_passes, pass_host *host) {
    for (int set = 0; set < VALUES; set++) {
        const pass_values *values = &host->values[set];
        const tess_address all[] = {values->at_points, values->with_elements, values->with_points,
                                    values->lists};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            close_value(host, all[i]);
        host->values[set] = (pass_values){0};
    }
    for (int p = 0; p < n_passes; p++) {
        close_value(host, host->index[p]);
        host->index[p] = 0;
    }
}

static void close_host(int n_passes, pass_host *host) {
    close_values(n_passes, host);
    if (host->module)
        host->device->unload(host->target, host->module);
    if (host->target)
        host->device->close(host->target);
}

/* Puts the map in a pass's numbering, some elements at a time. */
static tess_status put_map(const tess_pass *pass, const pass_host *host, tess_address *index) {
    tess_status status = TESS_OK;
    int32_t *rows = NULL;
    CHECK(TESS_ALLOC(BUFSIZ * pass->arity, &rows));
    CHECK(host->device->alloc(host->target, "the map", pass->n * pass->arity * 4, index));
    for (int64_t first = 0; first < pass->n; first += BUFSIZ) {
        const int64_t n = pass->n - first < BUFSIZ ? pass->n - first : BUFSIZ;
        for (int64_t i = 0; i < n; i++)
            for (int slot = 0; slot < pass->arity; slot++)
                rows[i * pass->arity + slot] = (int32_t)tess_pass_point(pass, first + i, slot);
        for (int64_t i = 0; pass->solves && i < n; i++) {
            tess_sort(rows + i * pass->arity, pass->arity);
            tess_reverse(rows + i * pass->arity, pass->arity);
        }
        CHECK(host->device->upload(host->target, *index + (tess_address)(first * pass->arity * 4),
                                   rows, n * pass->arity * 4));
    }
done:
    free(rows);
    return status;
}

static tess_status put_rows(const tess_pass *pass, const pass_host *host, tess_address *index) {
    const int64_t begins = (pass->n_points + 1) * (int64_t)sizeof(int64_t);
    TRY(host->device->alloc(host->target, "the rows",
                            begins + tess_pass_entries(pass) * (int64_t)sizeof(int32_t), index));
    tess_pass_put_rows(pass, (int64_t *)(uintptr_t)*index,
                       (int32_t *)(uintptr_t)(*index + (tess_address)begins));
    return TESS_OK;
}

static tess_status launch(const tess_pass *pass, tess_address index, const pass_host *host,
                          const pass_values *values) {
    const int64_t most = pass->n > pass->n_points ? pass->n : pass->n_points;
    const int64_t n_blocks = host->on_gpu ? (most + pass->window - 1) / pass->window : 1;
    const tess_launch launch = {.kernel = "pass",
                                .n_blocks = n_blocks,
                                .threads = threads_of(pass, host),
                                .count = n_blocks};
    const uint64_t words[] = {0,
                              1,
                              (uint64_t)pass->n,
                              (uint64_t)pass->n_points,
                              index ? index : (tess_address)(uintptr_t)pass->index,
                              values->at_points,
                              values->with_elements,
                              values->with_points,
                              values->lists,
                              host->steps};
    return host->device->launch(host->target, host->module, &launch, words,
                                (int)(sizeof words / sizeof words[0]));
}

/* What others do before a sweep, and the time that passes meanwhile. */
static tess_status run_others(const tess_pass *pass, tess_address index, const pass_host *host,
                              double *seconds) {
    const double start = tess_clock_thread_seconds();
    TRY(launch(pass, index, host, &host->values[OF_OTHERS]));
    *seconds += tess_clock_thread_seconds() - start;
    return TESS_OK;
}

/* Times it by a GPU's clock, one behind the other, as often as takes a while. */
static tess_status time_on_gpu(const tess_pass *pass, tess_address index, const pass_host *host,
                               double *seconds) {
    double spent = 0;
    int n = 1;
    TRY(tess_interrupt_check());
    for (;; n *= 2) {
        TRY(host->device->timer_start(host->target));
        for (int i = 0; i < n; i++)
            TRY(launch(pass, index, host, &host->values[OWN]));
        TRY(host->device->timer_stop(host->target, &spent));
        if (spent >= host->a_while)
            break;
    }
    *seconds = spent / n;
    return TESS_OK;
}

/* Times it, as often as takes a while. */
static tess_status time_pass(const tess_pass *pass, tess_address index, const pass_host *host,
                             double *seconds) {
    if (host->on_gpu)
        return time_on_gpu(pass, index, host, seconds);
    const double start = tess_clock_thread_seconds();
    double spent = 0, others = 0;
    int n = 0;
    TRY(tess_interrupt_check());
    while (spent < host->a_while) {
        if (pass->cold)
            TRY(run_others(pass, index, host, &others));
        TRY(launch(pass, index, host, &host->values[OWN]));
        n++;
        spent = tess_clock_thread_seconds() - start - others;
    }
    *seconds = spent / n;
    return TESS_OK;
}

/* Times it where another may have been before: behind one that brings what caches hold of it,
 * unless it takes so long that this is little. */
static tess_status time_pass_anew(const tess_pass *pass, tess_address index, const pass_host *host,
                                  double *seconds) {
    const double long_time = 0.05;
    TRY(time_pass(pass, index, host, seconds));
    return *seconds < long_time && !pass->cold ? time_pass(pass, index, host, seconds) : TESS_OK;
}

/* A pass over a small mesh that caches hold, and over a half of its elements. */
typedef struct small_pass {
    tess_pass whole, half;
    tess_address index;
} small_pass;

/* The least of some times, in nanoseconds. */
static tess_status least_time(const tess_pass *pass, tess_address index, pass_host *host,
                              double *nanoseconds) {
    *nanoseconds = INFINITY;
    for (int i = 0; i < 3; i++) {
        double seconds = 0;
        TRY(time_pass(pass, index, host, &seconds));
        *nanoseconds = fmin(*nanoseconds, 1e9 * seconds);
    }
    return TESS_OK;
}

/* The nanoseconds of an element that computes for so many steps: on a GPU of a further one, for a
 * launch is much of what few take there. */
static tess_status time_steps(const small_pass *small, uint64_t steps, pass_host *host,
                              double *nanoseconds) {
    double of_half = 0;
    int64_t n = small->whole.n;
    host->steps = steps;
    TRY(least_time(&small->whole, small->index, host, nanoseconds));
    if (host->on_gpu) {
        TRY(least_time(&small->half, small->index, host, &of_half));
        n -= small->half.n;
    }
    *nanoseconds = (*nanoseconds - of_half) / (double)n;
    return TESS_OK;
}

/* Makes the pass over as many elements as the nearest caches of a processor hold, or the last one
 * of a GPU; their points are in order, those of one half before those of the other. */
static tess_status open_small(const tess_pass *pass, const pass_host *host, small_pass *small) {
    tess_status status = TESS_OK;
    const double of_caches = host->on_gpu ? 1.6e7 : 1e5; /* bytes */
    const double n = (double)pass->n, points = (double)pass->n_points / n;
    const double bytes =
        (double)tess_pass_element_bytes(pass) / n +
        points * (double)(pass->stream_bytes + tess_pass_arrays(pass) * pass->point_bytes);
    int32_t *index = NULL;
    small->whole = *pass;
    small->whole.cold = false;
    small->half = small->whole;
    small->half.n = (int64_t)(fmin(n, 2 + of_caches / bytes) / 2);
    small->half.n_points = (int64_t)fmax(1, points * (double)small->half.n);
    small->whole.n = 2 * small->half.n;
    small->whole.n_points = 2 * small->half.n_points;
    const int64_t entries = small->whole.n * pass->arity;
    CHECK(TESS_ALLOC(entries, &index));
    for (int64_t i = 0; i < entries; i++)
        index[i] = (int32_t)(i / pass->arity % small->half.n_points +
                             (i < entries / 2 ? 0 : small->half.n_points));
    CHECK(host->device->alloc(host->target, "a small map", entries * 4, &small->index));
    CHECK(host->device->upload(host->target, small->index, index, entries * 4));
done:
    free(index);
    return status;
}

/* Finds the steps, to a 64th, by which an element of a small mesh takes as long as is asked for. */
static tess_status find_steps(const tess_pass *pass, pass_host *host) {
    tess_status status = TESS_OK;
    small_pass small = {.index = 0};
    uint64_t low = 0, high = 1;
    double taken = 0;
    CHECK(open_small(pass, host, &small));
    for (; high < INT32_MAX; low = high, high *= 2) {
        CHECK(time_steps(&small, high, host, &taken));
        if (taken >= pass->work)
            break;
    }
    while (high - low > 1 + low / 64) {
        const uint64_t middle = low + (high - low) / 2;
        CHECK(time_steps(&small, middle, host, &taken));
        if (taken < pass->work)
            low = middle;
        else
            high = middle;
    }
    host->steps = low;
done:
    close_value(host, small.index);
    return status;
}

/* One after the other, in memory that is theirs alone for so long: where its pages lie tells by how
 * many of them a cache is shared. */
static tess_status time_in_turns(const tess_pass *passes, int n_passes, int n_turns,
                                 pass_host *host, double *seconds) {
    for (int set = 0; set <= (passes->cold ? OF_OTHERS : OWN); set++)
        TRY(open_values(passes, host, &host->values[set]));
    for (int p = 0; p < n_passes; p++)
        if (is_moved(&passes[p]) || host->on_gpu)
            TRY((tess_pass_has_rows(passes) ? put_rows : put_map)(&passes[p], host,
                                                                  &host->index[p]));
    if (passes->work > 0 && passes->n > 1 && passes->n_points > 1 && !host->steps)
        TRY(find_steps(passes, host));
    for (int turn = 0; turn < n_turns; turn++)
        for (int p = 0; p < n_passes; p++)
            TRY((n_passes > 1 || turn == 0 ? time_pass_anew : time_pass)(
                &passes[p], host->index[p], host, &seconds[turn * n_passes + p]));
    close_values(n_passes, host);
    return TESS_OK;
}

tess_status tess_pass_run(const char *device, const tess_pass *passes, int n_passes, int *n_turns,
                          double *seconds) {
    const int of_a_place = 7; /* turns; fewer give no interval */
    const double long_time = 3, start = tess_clock_thread_seconds();
    int turn = 0;
    tess_status status = TESS_OK;
    pass_host host = {.a_while = n_passes > 1 ? 5e-3 : fmin(2e-3, start / 150)};
    CHECK(tess_device_open(device ? device : "host:threads=1", &host.device, &host.target));
    host.on_gpu = !host.device->one_thread;
    host.word = word_of(passes, host.on_gpu);
    if (host.device->emulates)
        host.a_while = 0;
    CHECK(compile(passes, &host));
    if (passes->lists)
        CHECK(count_entries(passes, &host.n_entries));
    while (turn < *n_turns &&
           (turn < of_a_place || tess_clock_thread_seconds() - start < long_time)) {
        const int n = *n_turns - turn < of_a_place ? *n_turns - turn : of_a_place;
        CHECK(time_in_turns(passes, n_passes, n, &host, seconds + turn * n_passes));
        turn += n;
    }
    *n_turns = turn;
done:
    close_host(n_passes, &host);
    return status;
}
