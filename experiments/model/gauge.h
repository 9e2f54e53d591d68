/* A gauge: a device on which kernels of gauge.cu run, and the numbers that are found so. */
#pragma once

#include "experiments/model/machine.h"
#include "kernels/devices/device.h"

/* One number; texts but for the source are constants. */
typedef struct tess_measured {
    const char *name, *level; /* level: NULL where the machine's */
    const char *unit;
    double value;
    char source[TESS_SOURCE_TEXT];
} tess_measured;

enum { TESS_MOST_MEASURED = 64, TESS_MOST_LACKING = 16 };

typedef struct tess_measurement {
    int n, n_lacking;
    tess_measured numbers[TESS_MOST_MEASURED]; /* levels from the nearest on, capacity first */
    char lacking[TESS_MOST_LACKING][TESS_SOURCE_TEXT]; /* what is not known, and why */
} tess_measurement;

typedef struct tess_gauge {
    const tess_device *device;
    tess_target *target;
    int threads;         /* a block */
    int64_t bytes;       /* of its values, which all kernels share */
    tess_address values; /* zeros */
    tess_device_module *module;
} tess_gauge;

/* What a kernel does in a run: experiments/model/gauge.cu says what the numbers are. */
typedef struct tess_gauge_work {
    const char *kernel;
    int64_t blocks, n, portions;
    bool mixed;
} tess_gauge_work;

/* Compiles the kernels, and takes memory. */
TESS_MUST_CHECK tess_status tess_gauge_open(const tess_device *device, tess_target *target,
                                            int threads, int64_t bytes, tess_gauge *out);
void tess_gauge_close(tess_gauge *gauge);

/* Runs a kernel with so many repeats, once. */
TESS_MUST_CHECK tess_status tess_gauge_run(const tess_gauge *gauge, const tess_gauge_work *work,
                                           int64_t repeats);

/* The seconds of one repeat: of runs that last some milliseconds the fastest. */
TESS_MUST_CHECK tess_status tess_gauge_time(const tess_gauge *gauge, const tess_gauge_work *work,
                                            double *seconds);

/* Times two works, which take turns. */
TESS_MUST_CHECK tess_status tess_gauge_time_both(const tess_gauge *gauge,
                                                 const tess_gauge_work *one,
                                                 const tess_gauge_work *other, double seconds[2]);

/* Adds a number, with printf's words for its source; one that is not above 0 is noted as lacking.
 */
void tess_measurement_add(tess_measurement *measurement, tess_measured number, const char *source,
                          ...) __attribute__((format(printf, 3, 4)));

/* Notes what is not known. */
void tess_measurement_lacks(tess_measurement *measurement, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of a processor, and of a GPU. */
TESS_MUST_CHECK tess_status tess_measure_host(const tess_device *device, tess_target *target,
                                              tess_measurement *out);
TESS_MUST_CHECK tess_status tess_measure_gpu(const char *words, const tess_device *device,
                                             tess_target *target, tess_measurement *out);
