/* A pass that is run: what this machine takes for it. */
#include "experiments/model/pass_run.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/sort.h"
#include "core/base/statistics.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/text_writer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TESS_EMBED(tess_pass_text, "experiments/model/pass.cu");

/* An opened host, and what the kernel goes through; the last address is past the values, the first
 * of which is written. */
typedef struct pass_host {
    const tess_device *device;
    tess_target *target;
    tess_device_module *module;
    tess_address index, at_points, with_elements, with_points;
} pass_host;

static int64_t words_of(int64_t bytes) {
    return (bytes + (int64_t)sizeof(double) - 1) / (int64_t)sizeof(double);
}

static bool is_padded(const tess_pass *pass) {
    for (int64_t i = 0; i < pass->n * pass->arity; i++)
        if (pass->index[i] < 0)
            return true;
    return false;
}

static tess_status compile(const tess_pass *pass, pass_host *host) {
    tess_text_writer page = {.text = NULL};
    tess_text_writer_print(
        &page,
        "#define THREADS 1\n#define LAUNCH_BOUNDS __launch_bounds__(THREADS)\n"
        "enum { ARITY = %d, PADDED = %d, PAIRS = %d, LINKED = %d, READS = %d, ADDS = %d, "
        "SOLVES = %d, WIDTH = %lld, ELEMENT = %lld, POINT = %lld, ROUNDS = %d };\n"
        "struct params {\n    long long first, count, n, n_points;\n    const int *index;\n"
        "    double *at_points;\n    const double *with_elements;\n    double *with_points;\n};\n",
        pass->arity, is_padded(pass), pass->pairs, pass->links, pass->reads, pass->adds,
        pass->solves, (long long)words_of(pass->point_bytes),
        (long long)words_of(pass->element_bytes), (long long)words_of(pass->stream_bytes),
        pass->rounds);
    tess_text_writer_include(&page, "pass.cu", tess_pass_text);
    tess_status status = tess_text_writer_finish(&page);
    if (status == TESS_OK)
        status = host->device->compile(host->target, page.text, &host->module);
    tess_text_writer_clear(&page);
    return status;
}

/* Whether the rows that are gone through differ from those of the map as it lies there. */
static bool is_moved(const tess_pass *pass) {
    return pass->elements || pass->points || (pass->solves && !pass->pairs);
}

static tess_status open_host(const tess_pass *pass, pass_host *host) {
    const int64_t word = sizeof(double), width = words_of(pass->point_bytes);
    TRY(tess_device_open("host:threads=1", &host->device, &host->target));
    TRY(compile(pass, host));
    if (is_moved(pass))
        TRY(host->device->alloc(host->target, "the map", pass->n * pass->arity * 4, &host->index));
    TRY(host->device->alloc(host->target, "the values at points",
                            (pass->reads + pass->adds + pass->solves + (pass->solves > 0)) *
                                pass->n_points * width * word,
                            &host->at_points));
    TRY(host->device->alloc(host->target, "the values with elements",
                            words_of(pass->element_bytes) * pass->n * word, &host->with_elements));
    return host->device->alloc(host->target, "the values with points",
                               (words_of(pass->stream_bytes) * pass->n_points + 1) * word,
                               &host->with_points);
}

static void close_host(pass_host *host) {
    const tess_address values[] = {host->index, host->at_points, host->with_elements,
                                   host->with_points};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i])
            host->device->free(host->target, values[i]);
    if (host->module)
        host->device->unload(host->target, host->module);
    if (host->target)
        host->device->close(host->target);
}

/* Puts the map in a pass's numbering, some elements at a time. */
static tess_status put_map(const tess_pass *pass, const pass_host *host) {
    tess_status status = TESS_OK;
    int32_t *rows = NULL;
    CHECK(TESS_ALLOC(BUFSIZ * pass->arity, &rows));
    for (int64_t first = 0; first < pass->n; first += BUFSIZ) {
        const int64_t n = pass->n - first < BUFSIZ ? pass->n - first : BUFSIZ;
        for (int64_t i = 0; i < n; i++)
            for (int slot = 0; slot < pass->arity; slot++)
                rows[i * pass->arity + slot] = (int32_t)tess_pass_point(pass, first + i, slot);
        for (int64_t i = 0; pass->solves && !pass->pairs && i < n; i++) {
            tess_sort(rows + i * pass->arity, pass->arity);
            tess_reverse(rows + i * pass->arity, pass->arity);
        }
        CHECK(host->device->upload(host->target,
                                   host->index + (tess_address)(first * pass->arity * 4), rows,
                                   n * pass->arity * 4));
    }
done:
    free(rows);
    return status;
}

static tess_status launch(const tess_pass *pass, const pass_host *host) {
    const tess_launch launch = {.kernel = "pass", .n_blocks = 1, .threads = 1, .count = 1};
    const uint64_t words[] = {0,
                              1,
                              (uint64_t)pass->n,
                              (uint64_t)pass->n_points,
                              host->index ? host->index : (tess_address)(uintptr_t)pass->index,
                              host->at_points,
                              host->with_elements,
                              host->with_points};
    return host->device->launch(host->target, host->module, &launch, words,
                                (int)(sizeof words / sizeof words[0]));
}

/* Times it, as often in one go as a small one needs to last a while. */
static tess_status time_pass(const tess_pass *pass, const pass_host *host, double *seconds) {
    const double enough = 1e-3, start = tess_clock_thread_seconds();
    double spent = 0;
    int64_t n = 0;
    TRY(tess_interrupt_check());
    while (spent < enough) {
        TRY(launch(pass, host));
        n++;
        spent = tess_clock_thread_seconds() - start;
    }
    *seconds = spent / (double)n;
    return TESS_OK;
}

/* The median, for a program that sweeps all day has the caches as others leave them on the mean. */
tess_status tess_pass_run(const tess_pass *pass, double *seconds) {
    const int least = 10;
    const double a_while = 0.25;
    double samples[256], warm_up = 0;
    tess_status status = TESS_OK;
    pass_host host = {.device = NULL};
    CHECK(open_host(pass, &host));
    if (is_moved(pass))
        CHECK(put_map(pass, &host));
    CHECK(time_pass(pass, &host, &warm_up));
    const double start = tess_clock_thread_seconds();
    int n = 0, most = sizeof samples / sizeof samples[0];
    while (n < least || (n < most && tess_clock_thread_seconds() - start < a_while))
        CHECK(time_pass(pass, &host, &samples[n++]));
    *seconds = tess_median(samples, n);
done:
    close_host(&host);
    return status;
}
