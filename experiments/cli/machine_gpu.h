/* What a machine has for GPUs. */
#ifndef TESS_MACHINE_GPU_H
#define TESS_MACHINE_GPU_H

#include "experiments/cli/machine.h"

/* Looks for a GPU that runs what this program compiles: opens it and, where NVRTC is there, runs an
 * empty kernel. */
void tess_machine_look_for_gpu(tess_finding *finding);

/* Why counters of the hardware may be forbidden to this user; "" where they are not. */
const char *tess_machine_counters_forbidden(void);

#endif
