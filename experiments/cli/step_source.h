/* Where the settings of a step are from: a file, or runs of a lab. */
#pragma once

#include "core/base/yaml_file.h"
#include "experiments/archive/record.h"
#include "experiments/bench/step.h"
#include "kernels/run/marcher.h"

typedef struct tess_step_sources {
    tess_yaml *yaml; /* a file; NULL: runs, or nothing */
    int n;
    tess_record *records[TESS_MOST_MARCHED]; /* [n]; the first says most */
} tess_step_sources;

/* Opens FILE, or @RUN,@RUN...: @last, @ and the beginning of an id, @tag:NAME. Fails (INPUT) where
 * there is no such file or run. The caller closes them, whatever failed. */
TESS_MUST_CHECK tess_status tess_step_sources_open(const char *names, const char *lab,
                                                   tess_step_sources *out);
void tess_step_sources_close(tess_step_sources *sources);

/* As tess_step_file_share and tess_step_file_apply. */
TESS_MUST_CHECK tess_status tess_step_sources_share(const tess_step_sources *sources,
                                                    const bool *said, tess_experiment *experiment);
TESS_MUST_CHECK tess_status tess_step_sources_apply(const tess_step_sources *sources,
                                                    tess_step *step);
