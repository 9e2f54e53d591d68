/* A device cut: elements cut on a device by where they lie, into the host's very blocks. */
#pragma once

#include "core/plan/cutter.h"
#include "kernels/cut/cut_kernels.h"

/* Fills block_of [what->n] and the seconds that the device worked, where places and blocks are in
 * its memory. The memory that it takes there is freed on return. At least one element, and no
 * rounds; fails as tess_cutter's. */
TESS_MUST_CHECK tess_status tess_device_cut_there(tess_cut_kernels *kernels, const tess_cut *what,
                                                  tess_address places, tess_address block_of,
                                                  double *seconds);

/* Fails (INPUT) by the first of params.n elements that does not lie between finite numbers. */
TESS_MUST_CHECK tess_status tess_device_refuse_places(tess_cut_kernels *kernels);
