/* The Hilbert partitioner: elements along a Hilbert curve through their centroids, chopped at the
 * block size. */
#include "core/base/array.h"
#include "core/plan/order/hilbert_curve.h"
#include "partitioners/chop.h"
#include "partitioners/elsewhere.h"
#include "partitioners/partitioner.h"

static const tess_option options[] = {{.key = NULL}};

static bool cut_rule(const tess_spec *spec, tess_cut *what) {
    (void)spec;
    what->rule = TESS_CUT_HILBERT;
    return true;
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    uint64_t *keys = NULL;
    bool is_cut = false;
    tess_cut what = {.n = problem->n_elements,
                     .dimension = problem->dimension,
                     .places = problem->coordinates,
                     .block_size = problem->block_size};
    cut_rule(spec, &what);
    TRY(tess_cut_elsewhere(problem, &what, block_of, &is_cut));
    if (is_cut)
        return TESS_OK;
    TRY(TESS_ALLOC(problem->n_elements, &keys));
    tess_hilbert_keys(problem->coordinates, problem->n_elements, problem->dimension, keys);
    return tess_keys_chop(keys, problem->n_elements, problem->block_size, block_of);
}

const tess_partitioner tess_partitioner_hilbert = {
    .name = "hilbert",
    .seconds = 0.5,
    .summary = "a Hilbert curve through the centroids, chopped at the block size",
    .reference = "Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707 (2004)",
    .options = options,
    .needs_coordinates = true,
    .cut_rule = cut_rule,
    .partition = partition,
};
