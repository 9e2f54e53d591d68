/* A device renumbering: on a device, sets, maps and dats follow the order of a plan. */
#pragma once

#include "kernels/cut/device_arrays.h"

/* Fills the renumbering of a plan that is made, and adds the seconds that the device worked, where
 * all arrays are in its memory: the orders of tess_renumber (core/plan/order/renumber_mesh.h) for
 * sets that follow as there. Fails (USAGE) where a set follows none before it; (INPUT) on a point
 * that there is not; (MISSING) where a map has 2^31 entries. */
TESS_MUST_CHECK tess_status tess_device_renumber(tess_cut_kernels *kernels,
                                                 const tess_device_plan *plan, double *seconds);

/* Takes room there for what a plan here asks for, and brings it back once it is filled. The caller
 * closes it, and the room, whatever failed. */
TESS_MUST_CHECK tess_status tess_device_renumbering_send(tess_cut_room *room,
                                                         const tess_device_plan *plan,
                                                         tess_device_renumbering *there);
TESS_MUST_CHECK tess_status tess_device_renumbering_bring(const tess_cut_kernels *kernels,
                                                          const tess_device_renumbering *there,
                                                          tess_device_renumbering *to);
void tess_device_renumbering_close(tess_device_renumbering *there);
