/* Provenance: where and with what a run is made, taken before it starts. */
#ifndef TESS_PROVENANCE_H
#define TESS_PROVENANCE_H

#include "experiments/archive/record.h"

/* Fills record->environment (command, host, cpu, cores, memory, system, program, commit, compiler,
 * flags, libraries) and record->diff, the home directory's path redacted. The cuda device adds GPU,
 * driver and clocks of its own. */
TESS_MUST_CHECK tess_status tess_provenance_take(int argc, char *const *argv, tess_record *record);

#endif
