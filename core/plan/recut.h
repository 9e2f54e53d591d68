/* A recut: the elements that are cut anew where a part of a loop's elements has changed. */
#pragma once

#include "core/plan/partition.h"

typedef struct tess_recut {
    const tess_partition *before;
    const int32_t
        *was; /* [n_elements]: the number that each had before, -1 of one to be cut anew */
    int64_t n_elements; /* of the loop now */
    bool *touched;      /* [before->n_blocks]: some element of it is not there any more; owned */
    int64_t n;          /* to be cut: */
    int32_t
        *elements; /* [n], ascending: those without a number, and all of touched blocks; owned */
} tess_recut;

/* Gives the number of each of n_before earlier elements now, -1 of one that is not there any more;
 * the caller frees it. Fails (INPUT) on a number that there was not, or that two have. */
TESS_MUST_CHECK tess_status tess_numbers_now(const int32_t *was, int64_t n, int64_t n_before,
                                             int32_t **now);

/* Finds them. The caller closes it, whatever failed; partition and numbers outlive it. Fails as
 * tess_numbers_now. */
TESS_MUST_CHECK tess_status tess_recut_open(const tess_partition *before, const int32_t *was,
                                            int64_t n_elements, tess_recut *recut);
void tess_recut_close(tess_recut *recut);

/* Gives the partition of all elements from that of recut->elements (NULL where there are none).
 * Other blocks keep their elements and their order; those of the cut take the numbers of touched
 * ones, as long as there are some, then the last ones. Its reuse_factor_before is not counted. */
TESS_MUST_CHECK tess_status tess_recut_join(const tess_recut *recut, const tess_partition *cut,
                                            tess_partition **out);
