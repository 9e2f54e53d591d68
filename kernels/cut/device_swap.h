/* A device swap: elements of neighbouring blocks change places on a device, as on the host. */
#pragma once

#include "core/plan/cutter.h"
#include "kernels/cut/cut_kernels.h"
#include "partitioners/swap.h"

/* Improves block_of, as tess_swap_run does, element for element. `places` and `map` of the
 * swap, and block_of, are in the device's memory. Adds the seconds that the device worked. */
TESS_MUST_CHECK tess_status tess_device_swap_there(tess_cut_kernels *kernels, const tess_swap *swap,
                                                   tess_address block_of, double *seconds);

/* Cuts as tess_device_cut_there, then improves by what->n_rounds, if any; what->map is there, too.
 */
TESS_MUST_CHECK tess_status tess_device_cut_refined_there(tess_cut_kernels *kernels,
                                                          const tess_cut *what, tess_address places,
                                                          tess_address block_of, double *seconds);

/* Cuts as tess_device_cut, then improves by what->n_rounds. All is in the host's memory. */
TESS_MUST_CHECK tess_status tess_device_cut_refined(tess_cut_kernels *kernels, const tess_cut *what,
                                                    int32_t *block_of, double *seconds);
