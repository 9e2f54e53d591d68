/* The random partitioner: a random order of the elements, chopped at the block size. */
#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "partitioners/chop.h"
#include "partitioners/partitioner.h"

/* Bits of `i` mixed with the seed until each looks random: distinct for distinct i. */
static uint64_t mixed(uint64_t seed, uint64_t i) {
    uint64_t state = i * UINT64_C(0x9e3779b97f4a7c15) + seed;
    return tess_random_next(&state);
}

static const tess_option options[] = {TESS_OPTION_SEED, {.key = NULL}};

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    uint64_t *keys = NULL;
    const uint64_t seed = mixed(0, tess_partitioner_seed(problem, spec, options));
    TRY(TESS_ALLOC(problem->n_elements, &keys));
#pragma omp parallel for
    for (int64_t e = 0; e < problem->n_elements; e++)
        keys[e] = mixed(seed, (uint64_t)e);
    return tess_keys_chop(keys, problem->n_elements, problem->block_size, block_of);
}

const tess_partitioner tess_partitioner_random = {
    .name = "random",
    .seconds = 0.05,
    .summary = "a random order, chopped at the block size: how bad blocks can be",
    .reference = "Tesselab",
    .options = options,
    .yardstick = true,
    .partition = partition,
};
