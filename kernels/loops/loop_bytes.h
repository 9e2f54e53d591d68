/* Loop bytes: what a loop moves, as the papers count it (docs/concepts.md, "Metrics"). */
#pragma once

#include "core/plan/chain.h"

/* Bytes that the loop's dats move, each once, written and read ones twice. */
int64_t tess_dat_bytes(const tess_bound_loop *bound);

/* Bytes of the distinct maps that the loop goes through. */
int64_t tess_map_bytes(const tess_bound_loop *bound);

/* Bytes of the distinct maps that n loops on a mesh go through. */
int64_t tess_maps_bytes(const tess_loop *const *loops, int n, const tess_mesh *mesh);

/* Bytes of what a chain on a mesh loads and stores, each once; the same with its maps. */
int64_t tess_chain_dat_bytes(const tess_chain *chain, const tess_mesh *mesh);
int64_t tess_chain_bytes(const tess_chain *chain, const tess_mesh *mesh);
