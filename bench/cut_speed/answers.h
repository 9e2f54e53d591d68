/* Answers of a device, beside the host's, and what seconds of them are set against. */
#pragma once

#include "kernels/cut/cut_kernels.h"

enum { BLOCK_SIZE = 256, REPEATS = 7 };

/* The words for what is the host's, or is not. */
const char *told(bool same, const char *words, const char *otherwise);

/* How many elements are in other blocks than the host's. */
long long told_differing(const int32_t *here, const int32_t *there, int64_t n);

/* Whether an answer was told that is not the host's. */
bool is_wrong_told(void);

/* Seconds in which the device reads and writes so many bytes once; 0 where it copies nothing. */
TESS_MUST_CHECK tess_status copy_mesh(const tess_cut_kernels *k, int64_t bytes, double *seconds);
