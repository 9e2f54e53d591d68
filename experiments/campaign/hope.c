/* Hope: how fast a candidate of a search may be, by what those took that are like it. */
#include "experiments/campaign/hope.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* How far a candidate may be below one that is like it: by blocks of an unknown cut; by blocks of
 * another size, or other options of a strategy. Mosaic's reuse is up to a fifth more than that of
 * rcb (docs/results/mosaic.md), and time falls by less; sizes and options differ by up to a fourth.
 */
static const double by_cut = 0.85, by_way = 0.75;

typedef enum likeness { BY_CUT, BY_SIZE, BY_OPTIONS, UNLIKE } likeness;

/* What kind of likeness two cases have. */
static likeness likeness_of(const tess_hope_case *a, const tess_hope_case *b) {
    const bool same_way =
        strcmp(a->strategy, b->strategy) == 0 && strcmp(a->layout, b->layout) == 0;
    if (same_way)
        return a->block_size == b->block_size ? BY_CUT : BY_SIZE;
    return strcmp(a->base, b->base) == 0 ? BY_OPTIONS : UNLIKE;
}

/* The share of b's time that a may take for its blocks. */
static double share_of_blocks(const tess_hope_case *a, const tess_hope_case *b) {
    if (strcmp(a->partitioner, b->partitioner) == 0 && a->block_size == b->block_size)
        return 1;
    if (isnan(a->reuse) || isnan(b->reuse))
        return strcmp(a->partitioner, b->partitioner) == 0 ? 1 : by_cut;
    return fmin(1, b->reuse / a->reuse);
}

double tess_hope(const tess_hope_case *cases, int64_t n, int64_t i) {
    const tess_hope_case *one = &cases[i];
    double least[] = {[BY_CUT] = INFINITY, [BY_SIZE] = INFINITY, [BY_OPTIONS] = INFINITY};
    for (int64_t k = 0; k < n; k++) {
        const likeness kind = k == i ? UNLIKE : likeness_of(one, &cases[k]);
        if (kind == UNLIKE || isnan(cases[k].seconds))
            continue;
        const double share = kind == BY_CUT ? 1 : by_way;
        least[kind] = fmin(least[kind], share * cases[k].seconds * share_of_blocks(one, &cases[k]));
    }
    for (likeness kind = BY_CUT; kind < UNLIKE; kind++)
        if (isfinite(least[kind]))
            return least[kind];
    return 0;
}
