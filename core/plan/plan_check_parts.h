/* The parts of the proof of a plan; for core/plan/plan_check*.c only. */
#ifndef TESS_PLAN_CHECK_PARTS_H
#define TESS_PLAN_CHECK_PARTS_H

#include "core/plan/plan_check.h"
#include <inttypes.h>

#define DEFECT(...) FAIL(TESS_ERROR_CHECK, __VA_ARGS__)

/* Scratch of one thread, for the block with most points and the one with most elements. */
typedef struct tess_block_marks {
    bool *reached;     /* [most points]: some element reaches the point */
    int64_t *position; /* [most points]: who incremented the point last ... */
    int32_t *colour;   /* [most points]: ... and in which colour, -1: nobody yet */
    int64_t *next;     /* [most elements]: next position of the same colour, -1: none */
    int64_t *head;     /* [65536]: first position of each colour */
} tess_block_marks;

TESS_MUST_CHECK tess_status tess_block_marks_new(const tess_plan *plan, tess_block_marks *marks);
void tess_block_marks_free(tess_block_marks *marks);

/* Checks the points, local indices and thread colours of one block, whose offsets and elements are
 * known to be right. */
TESS_MUST_CHECK tess_status tess_block_check(const tess_bound_loop *bound, const tess_plan *plan,
                                             int32_t b, tess_block_marks *marks);

/* The point of an element through a slot, -1 where padded. */
static inline int32_t tess_reach_point(const tess_reach *reach, int64_t element, int slot) {
    return reach->slot_index[slot][element * reach->slot_stride[slot]];
}

#endif
