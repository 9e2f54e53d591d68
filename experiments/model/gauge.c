/* A gauge: a device on which kernels run, and the numbers that are found so. */
#include "experiments/model/gauge.h"

#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/text_writer.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

TESS_EMBED(tess_gauge_text, "experiments/model/gauge.cu");

/* --- running ---------------------------------------------------------------------------------- */

tess_status tess_gauge_open(const tess_device *device, tess_target *target, int threads,
                            int64_t bytes, tess_gauge *out) {
    tess_status status = TESS_OK;
    tess_text_writer page = {.text = NULL};
    *out = (tess_gauge){.device = device, .target = target, .threads = threads, .bytes = bytes};
    tess_text_writer_print(&page,
                           "#define THREADS %d\n#define LAUNCH_BOUNDS __launch_bounds__(THREADS)\n"
                           "struct params {\n"
                           "    long long first, count, blocks, n, portions, mixed, repeats;\n"
                           "    unsigned long long *values;\n    double *sums;\n};\n",
                           threads);
    tess_text_writer_include(&page, "gauge.cu", tess_gauge_text);
    CHECK(tess_text_writer_finish(&page));
    CHECK(device->compile(target, page.text, &out->module));
    CHECK(device->alloc(target, "what is measured by", bytes, &out->values));
done:
    tess_text_writer_clear(&page);
    if (status != TESS_OK)
        tess_gauge_close(out);
    return status;
}

void tess_gauge_close(tess_gauge *gauge) {
    if (gauge->values)
        gauge->device->free(gauge->target, gauge->values);
    if (gauge->module)
        gauge->device->unload(gauge->target, gauge->module);
    *gauge = (tess_gauge){.threads = 0};
}

tess_status tess_gauge_run(const tess_gauge *m, const tess_gauge_work *work, int64_t repeats) {
    tess_launch launch = {.n_blocks = work->blocks, .threads = m->threads, .count = work->blocks};
    snprintf(launch.kernel, sizeof launch.kernel, "%s", work->kernel);
    const uint64_t words[] = {0,
                              (uint64_t)work->blocks,
                              (uint64_t)work->blocks,
                              (uint64_t)work->n,
                              (uint64_t)work->portions,
                              (uint64_t)work->mixed,
                              (uint64_t)repeats,
                              m->values,
                              m->values};
    return m->device->launch(m->target, m->module, &launch, words,
                             (int)(sizeof words / sizeof words[0]));
}

/* What runs on the thread that calls is timed by what that takes of its core, so that other
 * programs on it matter little. */
static bool is_of_this_thread(const tess_gauge *m, const tess_gauge_work *work) {
    return m->device->one_thread && work->blocks == 1;
}

static tess_status time_once(const tess_gauge *m, const tess_gauge_work *work, int64_t repeats,
                             double *seconds) {
    tess_status status = TESS_OK;
    CHECK(tess_interrupt_check());
    if (m->device->lock)
        m->device->lock(m->target);
    const double begin = tess_clock_thread_seconds();
    CHECK(m->device->timer_start(m->target));
    CHECK(tess_gauge_run(m, work, repeats));
    CHECK(m->device->timer_stop(m->target, seconds));
    if (is_of_this_thread(m, work))
        *seconds = tess_clock_thread_seconds() - begin;
done:
    if (m->device->unlock)
        m->device->unlock(m->target);
    return status;
}

/* How many repeats last some milliseconds, and the seconds of all. */
static tess_status find_repeats(const tess_gauge *m, const tess_gauge_work *work, int64_t *repeats,
                                double *seconds) {
    enum { MOST_REPEATS = 1 << 24 };
    const double enough = 4e-3;
    *repeats = 1;
    TRY(time_once(m, work, *repeats, seconds));
    while (*seconds < enough && *repeats < MOST_REPEATS) {
        *repeats *= 2;
        TRY(time_once(m, work, *repeats, seconds));
    }
    return TESS_OK;
}

/* The seconds of one repeat of each of n works, in turns. */
static tess_status time_in_turns(const tess_gauge *m, const tess_gauge_work *const *works, int n,
                                 double *seconds) {
    enum { TIMES = 9, MOST_WORKS = 2 };
    int64_t repeats[MOST_WORKS] = {0};
    for (int w = 0; w < n; w++)
        TRY(find_repeats(m, works[w], &repeats[w], &seconds[w]));
    for (int i = 1; i < TIMES; i++)
        for (int w = 0; w < n; w++) {
            double other = 0;
            TRY(time_once(m, works[w], repeats[w], &other));
            seconds[w] = other < seconds[w] ? other : seconds[w];
        }
    for (int w = 0; w < n; w++)
        seconds[w] /= (double)repeats[w];
    return TESS_OK;
}

tess_status tess_gauge_time(const tess_gauge *m, const tess_gauge_work *work, double *seconds) {
    return time_in_turns(m, &work, 1, seconds);
}

tess_status tess_gauge_time_both(const tess_gauge *m, const tess_gauge_work *one,
                                 const tess_gauge_work *other, double seconds[2]) {
    const tess_gauge_work *const works[] = {one, other};
    return time_in_turns(m, works, 2, seconds);
}

/* --- numbers ---------------------------------------------------------------------------------- */

void tess_measurement_add(tess_measurement *measurement, tess_measured number, const char *source,
                          ...) {
    if (!isfinite(number.value) || number.value <= 0) {
        tess_measurement_lacks(measurement, "%s%s%s: no value above 0 was found",
                               number.level ? number.level : "", number.level ? " " : "",
                               number.name);
        return;
    }
    va_list args;
    va_start(args, source);
    vsnprintf(number.source, sizeof number.source, source, args);
    va_end(args);
    measurement->numbers[measurement->n] = number;
    measurement->n += measurement->n + 1 < TESS_MOST_MEASURED;
}

void tess_measurement_lacks(tess_measurement *measurement, const char *format, ...) {
    char *text = measurement->lacking[measurement->n_lacking];
    measurement->n_lacking += measurement->n_lacking + 1 < TESS_MOST_LACKING;
    va_list args;
    va_start(args, format);
    vsnprintf(text, TESS_SOURCE_TEXT, format, args);
    va_end(args);
}
