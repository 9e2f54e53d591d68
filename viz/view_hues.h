/* Hues: few colours for many blocks, such that blocks that touch differ. */
#ifndef TESS_VIEW_HUES_H
#define TESS_VIEW_HUES_H

#include "core/base/status.h"
#include <stdint.h>

/* Gives hue [n_blocks], each in [0, n_hues): first fit in the order of blocks among those that have
 * a site of sites[offset[b] ... offset[b + 1]) in common; where all hues are taken, the one that
 * fewest of them have. The caller frees it. */
TESS_MUST_CHECK tess_status tess_view_hues_build(int32_t n_blocks, const int64_t *offset,
                                                 const int32_t *sites, int64_t n_sites, int n_hues,
                                                 int32_t **hue);

#endif
