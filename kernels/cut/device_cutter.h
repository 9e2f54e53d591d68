/* A device cutter: cuts on a device, on any thread, beside what else runs there. */
#pragma once

#include "core/plan/cutter.h"
#include "kernels/devices/device.h"

typedef struct tess_device_cutter tess_device_cutter;

/* Fails (USAGE) where the device that a text names cuts no blocks: the host, one that only
 * compiles, or none that is known. */
TESS_MUST_CHECK tess_status tess_device_cutter_check(const char *device);

/* A cutter on the device that a text names, as for a loop; of an emulator all blocks are run, and
 * nothing is counted. The caller closes it. Fails as the check. The device itself is opened by the
 * first cut, which fails without one. */
TESS_MUST_CHECK tess_status tess_device_cutter_open(const char *device, tess_device_cutter **out);
void tess_device_cutter_close(tess_device_cutter *cutter);

/* Its face for problems, which lives as long as it. NULL of NULL. */
const tess_cutter *tess_device_cutter_face(const tess_device_cutter *cutter);
