/* A register cap: fewer registers of a thread than the compiler takes, where more blocks then run
 * at a time. */
#pragma once

#include "kernels/devices/device.h"
#include "kernels/devices/text_writer.h"

/* A compiled kernel. */
typedef struct tess_capped {
    tess_device_module *module;
    tess_resources resources;
    int uncapped; /* registers that the compiler took before; 0: it has no cap */
} tess_capped;

/* The fewest registers that a cap leaves of those that a compiler takes. */
int tess_register_cap_fewest(int registers);

/* Compiles a page of one kernel that is launched so. Where more blocks run at a time, by the
 * device's occupancy, with up to a sixth fewer registers, and leave L1 more than its least, it is
 * compiled again for so many blocks (LEAST_BLOCKS); that is kept, and in `text`, where they do
 * indeed, and no more of a thread lies in memory. */
TESS_MUST_CHECK tess_status tess_register_cap_compile(const tess_device *device,
                                                      tess_target *target, tess_text_writer *text,
                                                      const tess_launch *launch, tess_capped *out);
