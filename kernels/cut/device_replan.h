/* A device replan: on a device, only what a change of elements touches is planned anew. */
#pragma once

#include "kernels/cut/device_arrays.h"

/* As tess_device_plan_there with a change, of sizes that fit. */
TESS_MUST_CHECK tess_status tess_device_replan(tess_cut_kernels *kernels,
                                               const tess_device_change *change,
                                               tess_device_plan *plan, double *seconds);
