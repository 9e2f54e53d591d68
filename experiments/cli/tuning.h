/* A tuning: what `tess tune` is asked for, and a search of it. */
#pragma once

#include "experiments/campaign/tune.h"
#include "experiments/cli/experiment_options.h"

typedef struct tess_tuning {
    tess_cli_settings asked;
    const char *by, *predict; /* NULL, as the next */
    const char *output;       /* --output: where the settings of a step go */
    bool step;                /* --step: all loops of a time step */
    int argc;                 /* of the program */
    char **argv;
    tess_fit fit;
    tess_lab *lab; /* NULL: nothing is archived */
    tess_product product;
    tess_tune search;
} tess_tuning;

/* Checks what is asked for, before anything runs, and reads the fit. */
TESS_MUST_CHECK tess_status tess_tuning_check(tess_tuning *tuning);

/* Races the candidates of the loop that is asked for; the caller closes tuning->search. Fails as
 * tess_tune_run. */
TESS_MUST_CHECK tess_status tess_tuning_search(tess_tuning *tuning);

/* Fails where no candidate is the best: by none passed, or none had the metric. */
TESS_MUST_CHECK tess_status tess_tuning_fail_without_best(const tess_tuning *tuning);

/* The commands that make what was found again. */
typedef enum tess_tuned_command {
    TESS_TUNED_RUN,
    TESS_TUNED_MARCH,
    TESS_TUNED_EMIT
} tess_tuned_command;

/* Gives the line of a command with an experiment, whatever the defaults of commands are; the caller
 * frees it. NULL where it is not emitted: what runs on the host, or on ranks. */
TESS_MUST_CHECK tess_status tess_tuning_line(const tess_experiment *experiment,
                                             tess_tuned_command of, char **out);

/* Tunes all loops of a step, writes and archives the settings, and reports. */
TESS_MUST_CHECK tess_status tess_tuning_tune_step(tess_tuning *tuning);
