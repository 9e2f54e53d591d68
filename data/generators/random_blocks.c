/* The generator `random_blocks`: cells without a place, whose neighbours are random cells of the
 * same block. */
#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "data/generators/generator.h"

#include <stdlib.h>

enum { MOST_NEIGHBOURS = 64 };

static const tess_option options[] = {
    TESS_INT_OPTION("n", "1000000", 2, INT32_MAX, "cells"),
    TESS_INT_OPTION("b", "128", 2, INT32_MAX, "cells of a block, which are consecutive"),
    TESS_INT_OPTION("neighbours", "4", 1, MOST_NEIGHBOURS, "of each cell"),
    TESS_CHOICE_OPTION("symmetric", "no", "no|yes", "whether neighbours are each other's"),
    TESS_INT_OPTION("seed", "1", 0, INT32_MAX, "of the neighbours"),
    {NULL},
};

typedef struct random_blocks {
    int64_t n, size; /* cells, of a block */
    int neighbours;
    uint64_t seed;
    int32_t *index; /* [n][neighbours] */
} random_blocks;

/* How many blocks there are: a rest that is too small for one joins the last. */
static int64_t count_blocks(const random_blocks *all) {
    const int64_t whole = all->n / all->size, rest = all->n % all->size;
    return whole + (whole == 0 || rest > all->neighbours);
}

static int64_t block_end(const random_blocks *all, int64_t block) {
    return block + 1 == count_blocks(all) ? all->n : (block + 1) * all->size;
}

/* The state of a sequence of random numbers that is block's, or cell's, own. */
static uint64_t sequence_of(const random_blocks *all, int64_t i) {
    uint64_t state = all->seed << 32 ^ (uint64_t)i;
    return tess_random_next(&state);
}

static bool row_has(const int32_t *row, int n, int32_t cell) {
    for (int i = 0; i < n; i++)
        if (row[i] == cell)
            return true;
    return false;
}

/* Gives a cell distinct others of its block, each as likely as the next. */
static void draw_neighbours(const random_blocks *all, int64_t first, int64_t end, int64_t cell) {
    int32_t *const row = all->index + cell * all->neighbours;
    uint64_t state = sequence_of(all, cell);
    for (int drawn = 0; drawn < all->neighbours;) {
        const int64_t other = first + tess_random_below(&state, end - first - 1);
        row[drawn] = (int32_t)(other + (other >= cell));
        drawn += !row_has(row, drawn, row[drawn]);
    }
}

/* Adds `other` to a row unless it is there; n[cell - first] is how many it has. */
static void add_neighbour(const random_blocks *all, int64_t first, int32_t cell, int32_t other,
                          int32_t *n) {
    int32_t *const row = all->index + (int64_t)cell * all->neighbours;
    if (cell != other && !row_has(row, n[cell - first], other))
        row[n[cell - first]++] = other;
}

/* Joins the cells of a block in random rings, two neighbours a ring; those that two rings have in
 * common leave slots without a neighbour. `ring` and `n` are scratch for a cell each. */
static void join_rings(const random_blocks *all, int64_t block, int32_t *ring, int32_t *n) {
    const int64_t first = block * all->size, size = block_end(all, block) - first;
    uint64_t state = sequence_of(all, block);
    for (int64_t i = 0; i < size; i++) {
        ring[i] = (int32_t)(first + i);
        n[i] = 0;
    }
    for (int k = 0; k < all->neighbours / 2; k++) {
        for (int64_t i = size - 1; i > 0; i--) {
            const int64_t j = tess_random_below(&state, i + 1);
            const int32_t kept = ring[i];
            ring[i] = ring[j];
            ring[j] = kept;
        }
        for (int64_t i = 0; i < size; i++) {
            const int32_t next = ring[(i + 1) % size];
            add_neighbour(all, first, ring[i], next, n);
            add_neighbour(all, first, next, ring[i], n);
        }
    }
    for (int64_t i = 0; i < size; i++)
        for (int k = n[i]; k < all->neighbours; k++)
            all->index[(first + i) * all->neighbours + k] = -1;
}

static tess_status fill_symmetric(const random_blocks *all) {
    tess_status status = TESS_OK;
    const int64_t n_blocks = count_blocks(all);
    const int64_t longest = block_end(all, n_blocks - 1) - (n_blocks - 1) * all->size;
    int32_t *ring = NULL, *n = NULL;
    CHECK(TESS_ALLOC(longest > all->size ? longest : all->size, &ring));
    CHECK(TESS_ALLOC(longest > all->size ? longest : all->size, &n));
    for (int64_t block = 0; block < n_blocks; block++)
        join_rings(all, block, ring, n);
done:
    free(ring);
    free(n);
    return status;
}

static void fill_directed(const random_blocks *all) {
    const int64_t n_blocks = count_blocks(all);
#pragma omp parallel for schedule(static)
    for (int64_t cell = 0; cell < all->n; cell++) {
        const int64_t block = cell / all->size < n_blocks ? cell / all->size : n_blocks - 1;
        draw_neighbours(all, block * all->size, block_end(all, block), cell);
    }
}

static tess_status check(const random_blocks *all, bool symmetric) {
    const int64_t least = all->neighbours + 1;
    if (all->size < least || all->n < least)
        FAIL(TESS_ERROR_USAGE,
             "random_blocks: %d neighbours of the same block need blocks of at least %lld cells",
             all->neighbours, (long long)least);
    if (symmetric && all->neighbours % 2 != 0)
        FAIL(TESS_ERROR_USAGE,
             "random_blocks: symmetric=yes gives an even number of neighbours, not %d",
             all->neighbours);
    return TESS_OK;
}

static tess_status fill(const tess_spec *spec, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    const bool symmetric = tess_spec_is(spec, options, "symmetric", "yes");
    random_blocks all = {.n = tess_spec_int(spec, options, "n"),
                         .size = tess_spec_int(spec, options, "b"),
                         .neighbours = (int)tess_spec_int(spec, options, "neighbours"),
                         .seed = (uint64_t)tess_spec_int(spec, options, "seed")};
    CHECK(check(&all, symmetric));
    CHECK(tess_mesh_add_set(mesh, "cells", all.n, NULL));
    CHECK(TESS_ALLOC(all.n * all.neighbours, &all.index));
    if (symmetric)
        CHECK(fill_symmetric(&all));
    else
        fill_directed(&all);
    int32_t *const index = all.index;
    all.index = NULL;
    CHECK(tess_mesh_add_map(mesh, "cells", "cells", all.neighbours, symmetric ? TESS_MAP_PADDED : 0,
                            index));
done:
    free(all.index);
    return status;
}

const tess_generator tess_generator_random_blocks = {
    .name = "random_blocks",
    .summary = "cells without nodes, their neighbours at random in blocks of consecutive cells",
    .dimension = 3,
    .options = options,
    .fill = fill};
