/* The command `tess partition`, for others that begin with it. */
#pragma once

#include "experiments/archive/record.h"

/* Does what the words say. Gives the run that the verdict names, "" where it names none. */
TESS_MUST_CHECK tess_status tess_partition_command_run(int argc, char **argv,
                                                       char winner[TESS_RUN_ID_SIZE]);
