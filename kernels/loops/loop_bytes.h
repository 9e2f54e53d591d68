/* Loop bytes: what a loop moves, as the papers count it (docs/concepts.md, "Metrics"). */
#pragma once

#include "core/plan/loop.h"

/* Bytes that the loop's dats move, each once, written and read ones twice. */
int64_t tess_dat_bytes(const tess_bound_loop *bound);

/* Bytes of the distinct maps that the loop goes through. */
int64_t tess_map_bytes(const tess_bound_loop *bound);
