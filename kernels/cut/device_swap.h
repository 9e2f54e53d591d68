/* A device swap: elements of neighbouring blocks change places on a device, as on the host. */
#pragma once

#include "core/plan/cutter.h"
#include "kernels/cut/cut_kernels.h"
#include "partitioners/swap.h"

/* Cuts as tess_swap_cut does, element for element, and gives the seconds that the device worked; as
 * tess_device_cut_there without rounds. what->map is in the device's memory, too. */
TESS_MUST_CHECK tess_status tess_device_cut_refined_there(tess_cut_kernels *kernels,
                                                          const tess_cut *what, tess_address places,
                                                          tess_address block_of, double *seconds);

/* As before, where all is in the host's memory. */
TESS_MUST_CHECK tess_status tess_device_cut_refined(tess_cut_kernels *kernels, const tess_cut *what,
                                                    int32_t *block_of, double *seconds);
