/* A device cutter: cuts on a device, on any thread, beside what else runs there. */
#pragma once

#include "core/plan/cutter.h"
#include "core/plan/plan.h"
#include "kernels/cut/device_arrays.h"
#include "kernels/cut/device_recut.h"

typedef struct tess_device_cutter tess_device_cutter;

/* Where elements lie, in the memory of a device. */
typedef struct tess_device_places {
    const char *device; /* "cuda", "cuda:1"; of "emulator" the memory is the host's */
    int64_t n;
    int dimension;             /* 1 to 3 */
    const double *coordinates; /* [n][dimension], finite */
    int n_slots;
    /* [n][n_slots]: what each reaches, once, below 0: nothing; NULL: not told. */
    const int32_t *map;
} tess_device_places;

/* Fails (USAGE) where the device that a text names cuts no blocks: the host, one that only
 * compiles, or none that is known. */
TESS_MUST_CHECK tess_status tess_device_cutter_check(const char *device);

/* A cutter on the device that a text names, as for a loop; of an emulator all blocks are run, and
 * nothing is counted. The caller closes it. Fails as the check. The device itself is opened by the
 * first cut, which fails without one. */
TESS_MUST_CHECK tess_status tess_device_cutter_open(const char *device, tess_device_cutter **out);
void tess_device_cutter_close(tess_device_cutter *cutter);

/* Says what kernels will be asked for after a cut (TESS_CUT_PLANS ...): their pages are compiled
 * beside its own, where they are not in the disk's cache. */
void tess_device_cutter_expect(tess_device_cutter *cutter, unsigned what);

/* Its face for problems, which lives as long as it. NULL of NULL. */
const tess_cutter *tess_device_cutter_face(const tess_device_cutter *cutter);

/* What plans there, for the options of plans; it lives as long. NULL of NULL. */
const tess_planner *tess_device_cutter_planner(const tess_device_cutter *cutter);

/* Fills block_of [what->n] where places and blocks are in the memory of the device: of a GPU's
 * primary context, or the host's for a device without a memory of its own. At least one element;
 * fails (INPUT) on a coordinate that is not finite. */
TESS_MUST_CHECK tess_status tess_device_cutter_cut(tess_device_cutter *cutter, const tess_cut *what,
                                                   int32_t *block_of);

/* As before, where elements were in blocks: what has changed is cut anew (device_recut.h). */
TESS_MUST_CHECK tess_status tess_device_cutter_recut(tess_device_cutter *cutter,
                                                     const tess_cut *what,
                                                     const tess_device_blocks *before,
                                                     int32_t *block_of, int32_t *n_blocks);

/* Fills a plan whose arrays are in that memory (device_plan.h); `change` NULL: all of it is new. */
TESS_MUST_CHECK tess_status tess_device_cutter_plan(tess_device_cutter *cutter,
                                                    const tess_device_change *change,
                                                    tess_device_plan *plan);
