/* Device colours: of a plan's elements and blocks, given on a device. */
#pragma once

#include "kernels/cut/device_arrays.h"

/* Fills what a set of a plan asks for, thread_colour and block_colour; adds the seconds that the
 * device worked. All is in its memory. Fails (INPUT) on a point that there is not; (MISSING) where
 * elements need more than 64 colours, or more than TESS_CUT_THREADS blocks have a point. */
TESS_MUST_CHECK tess_status tess_device_colour(tess_cut_kernels *kernels,
                                               const tess_device_plan *plan,
                                               const tess_device_points *set, double *seconds);
