/* A measurement: the numbers of a machine file (experiments/model/machine.h), found by running
 * small kernels on a device: for `tess model` the levels of a processor's memory, for `tess
 * predict` a GPU's constants. */
#pragma once

#include "experiments/model/gauge.h"
#include <jansson.h>

/* Measures the machine of a device that was opened by `words` (tess_device_open), and is opened
 * again by them where queues differ. Each number is the best of several runs, so what else runs
 * meanwhile matters little. Fails (USAGE) where times of the device mean nothing. */
TESS_MUST_CHECK tess_status tess_measurement_make(const char *words, const tess_device *device,
                                                  tess_target *target, tess_measurement *out);

/* The text of a machine file, which the caller frees; `model` is what the driver calls the device,
 * or NULL. */
TESS_MUST_CHECK tess_status tess_measurement_text(const tess_measurement *measurement,
                                                  const char *name, const char *model, char **out);

/* The measurement as an object, the caller's; NULL: out of memory. */
json_t *tess_measurement_json(const tess_measurement *measurement, const char *name);
