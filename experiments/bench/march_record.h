/* A march's record: what a march leaves in a lab. */
#pragma once

#include "experiments/bench/march.h"

typedef struct tess_march_record_options {
    int argc; /* of the program, for provenance */
    char *const *argv;
    tess_lab *lab; /* NULL: nothing is archived */
    const tess_step *step;
    const tess_rank_setting *ranks; /* NULL: none */
    int64_t steps;                  /* to be marched, then those that were */
} tess_march_record_options;

/* Makes the record of a march that begins: when, where, with what, and what is asked for. NULL
 * where there is no lab. */
TESS_MUST_CHECK tess_status tess_march_record_new(const tess_march_record_options *options,
                                                  tess_record **out);

/* Adds the seconds of a step of some steps, unless the march is emulated, whose seconds tell
 * nothing. `record` NULL: nothing is done, as below. */
TESS_MUST_CHECK tess_status tess_march_record_add_step(const tess_march *march, double seconds,
                                                       tess_record *record);

/* Adds what ranks cost, and stores the record: `difference` NULL: the state was not checked. */
TESS_MUST_CHECK tess_status tess_march_record_store(const tess_march_record_options *options,
                                                    const tess_march *march,
                                                    const tess_difference *difference,
                                                    tess_record *record);

/* Stores the record of a march that failed, with the reason. */
TESS_MUST_CHECK tess_status tess_march_record_fail(const tess_march_record_options *options,
                                                   const char *why, tess_record *record);
