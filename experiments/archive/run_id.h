/* A run id: 26 characters that sort by time and do not collide (48 bits of milliseconds since 1970,
 * 80 random bits, in Crockford's base 32, lower case). */
#pragma once

#include "experiments/archive/record.h"

/* Makes an id later than `last`, which is an id of this process or "" (ids of one process sort in
 * the order in which they were made, even within one millisecond). */
TESS_MUST_CHECK tess_status tess_run_id_make(const char *last, char id[TESS_RUN_ID_SIZE]);

/* True for 26 characters of the alphabet. */
bool tess_run_id_is(const char *text);

/* Lower case, with i and l read as 1, o as 0: what people mistake. Cuts at 26 characters. */
void tess_run_id_normalise(const char *typed, char out[TESS_RUN_ID_SIZE]);
