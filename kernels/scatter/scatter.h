/* A scatter: values of a map's entries reduced at its points, in one order on every device. */
#pragma once

#include "kernels/scatter/scatter_page.h"

typedef struct tess_scatter tess_scatter;

/* One reduction. Arrays are [rows][width], `width` values of a row side by side. */
typedef struct tess_scatter_call {
    tess_reduction reduction;
    tess_scatter_type type; /* of values and result */
    int width;
    const void *values;
    void *result;    /* [n_points][width] */
    int32_t *chosen; /* of TESS_MAX, TESS_MIN, [n_points][width]: the entry whose value it is, the
                        first of equals, or -1; NULL: not asked for */
    bool on_device;  /* where the three are: in the device's memory, else in this machine's */
    void *scratch;   /* there, too: tess_scatter_scratch bytes, a multiple of 16 of an address */
    void *const *queue; /* the queue of the device that takes the work, CUDA's stream, and is not
                           waited for; NULL: one of its own, and all is done on return */
} tess_scatter_call;

/* Makes it for a device as text, "host", "cuda:gpu=1", "emulator", by blocks of `threads`. Fails
 * as tess_scatter_rows_build, (USAGE, MISSING) on the device. The map is not needed any more. */
TESS_MUST_CHECK tess_status tess_scatter_build(const tess_scatter_map *map, const char *device,
                                               int threads, tess_scatter **out);
void tess_scatter_free(tess_scatter *scatter);

/* Bytes of the device's memory that a call needs besides, which the caller gives as call->scratch
 * and may have back when the queue has done its work; 0 of arrays in this machine's memory. */
int64_t tess_scatter_scratch(const tess_scatter *scatter, const tess_scatter_call *call);

/* Fills call->result: a point without entries gets 0, or the infinity that its reduction begins
 * with; NaN wins a maximum and a minimum. Sums are added in the order of the map's entries, in
 * float for halves, of points with more than 256 entries by parts of so many: the same bits in
 * every run, on every device. Fails (USAGE) on a width below 1, (MISSING) where a page cannot be
 * compiled. One thread at a time. */
TESS_MUST_CHECK tess_status tess_scatter_reduce(tess_scatter *scatter,
                                                const tess_scatter_call *call);
