/* Provenance: where and with what a run is made, taken before it starts. */
#pragma once

#include "experiments/archive/values.h"

/* Fills `environment` (command, host, cpu, cores, memory, system, program, commit, compiler, flags,
 * libraries) and gives the program's difference from its commit (or ""), which the
 * caller frees; the home directory's path is redacted. The cuda device adds GPU, driver and clocks
 * of its own. */
TESS_MUST_CHECK tess_status tess_provenance_take(int argc, char *const *argv,
                                                 tess_values *environment, char **diff);

/* Gives the arguments, quoted where a shell would split them; the caller frees it. */
TESS_MUST_CHECK tess_status tess_typed_command(int argc, char *const *argv, char **out);
