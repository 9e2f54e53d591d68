/* Cuts: by hilbert and rcb, again where a part has changed, and refined. */
#include "bench/cut_speed/cuts.h"

#include "bench/cut_speed/answers.h"
#include "bench/cut_speed/meshes.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/sort.h"
#include "core/plan/order/hilbert_curve.h"
#include "core/plan/recut.h"
#include "kernels/cut/device_recut.h"
#include "kernels/cut/device_swap.h"
#include "partitioners/chop.h"
#include "partitioners/rcb.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 8 };

tess_cut by_rcb(int64_t n, int dimension, const double *places) {
    return (tess_cut){.rule = TESS_CUT_LONGEST,
                      .n = n,
                      .dimension = dimension,
                      .places = places,
                      .block_size = BLOCK_SIZE};
}

static tess_status cut_here(const tess_cut *what, int32_t *block_of) {
    if (what->rule == TESS_CUT_HILBERT) {
        uint64_t *keys = NULL;
        TRY(TESS_ALLOC(what->n, &keys));
        tess_hilbert_keys(what->places, what->n, what->dimension, keys);
        return tess_keys_chop(keys, what->n, what->block_size, block_of);
    }
    return tess_rcb_cut(what, block_of);
}

static tess_status time_rule(tess_cut_kernels *k, const tess_cut *what, double copy) {
    tess_status status = TESS_OK;
    int32_t *here = NULL, *there = NULL;
    double device[REPEATS], wall[REPEATS];
    CHECK(TESS_ALLOC(what->n, &here));
    CHECK(TESS_ALLOC(what->n, &there));
    double clock = tess_clock_seconds();
    CHECK(cut_here(what, here));
    const double host = tess_clock_lap(&clock);
    for (int i = 0; i < REPEATS; i++) {
        CHECK(tess_device_cut_refined(k, what, there, &device[i]));
        wall[i] = tess_clock_lap(&clock);
    }
    tess_sort_reals(device, REPEATS);
    tess_sort_reals(wall, REPEATS);
    printf("| %#.3gM %s | %s | %.2f | %.1f | %.0f | %.3f | %.0f |\n", (double)what->n / 1e6,
           what->dimension == 2 ? "quads" : "tets",
           what->rule == TESS_CUT_HILBERT ? "hilbert" : "rcb", 1e3 * device[REPEATS / 2],
           1e3 * wall[REPEATS / 2], 1e3 * host, 1e3 * copy,
           copy > 0 ? device[REPEATS / 2] / copy : 0);
    const long long n_differing = told_differing(here, there, what->n);
    if (n_differing > 0)
        printf("%lld elements differ\n", n_differing);
    fflush(stdout);
done:
    free(here);
    free(there);
    return status;
}

tess_status time_size(tess_cut_kernels *k, int dimension, int64_t n) {
    double *places = NULL, copy = 0;
    TRY(places_build(dimension, &n, &places));
    tess_status status = copy_mesh(k, dimension == 2 ? n * (16 + 16) : n * (16 + 4), &copy);
    for (int rule = TESS_CUT_HILBERT; rule <= TESS_CUT_LONGEST && status == TESS_OK; rule++) {
        const tess_cut what = {.rule = (tess_cut_rule)rule,
                               .n = n,
                               .dimension = dimension,
                               .places = places,
                               .block_size = BLOCK_SIZE};
        status = time_rule(k, &what, copy);
    }
    free(places);
    return status;
}

/* What the host joins where elements that `was` says are cut anew. */
static tess_status recut_here(const tess_cut *what, const tess_partition *before,
                              const int32_t *was, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_recut recut;
    double *places = NULL;
    tess_partition cut = {.block_size = BLOCK_SIZE};
    CHECK(tess_recut_open(before, was, what->n, &recut));
    CHECK(TESS_ALLOC(recut.n * what->dimension, &places));
    CHECK(TESS_ALLOC(recut.n, &cut.block_of));
    for (int64_t i = 0; i < recut.n; i++)
        memcpy(places + i * what->dimension,
               what->places + (int64_t)recut.elements[i] * what->dimension,
               (size_t)what->dimension * sizeof *places);
    cut.n_elements = recut.n;
    cut.n_blocks = (int32_t)((recut.n + BLOCK_SIZE - 1) / BLOCK_SIZE);
    const tess_cut part = by_rcb(recut.n, what->dimension, places);
    CHECK(cut_here(&part, cut.block_of));
    CHECK(tess_recut_join(&recut, &cut, out));
done:
    tess_recut_close(&recut);
    free(places);
    free(cut.block_of);
    return status;
}

tess_status time_recut(tess_cut_kernels *k, int64_t n, double share) {
    tess_status status = TESS_OK;
    double *places = NULL, seconds = 0, least = 0;
    int32_t *was = NULL, *there = NULL, n_blocks = 0;
    int64_t n_changed = 0;
    tess_partition before = {.block_size = BLOCK_SIZE}, *here = NULL;
    CHECK(places_build(2, &n, &places));
    CHECK(TESS_ALLOC(n, &was));
    CHECK(TESS_ALLOC(n, &there));
    CHECK(TESS_ALLOC(n, &before.block_of));
    const tess_cut what = by_rcb(n, 2, places);
    before.n_elements = n;
    before.n_blocks = (int32_t)((n + BLOCK_SIZE - 1) / BLOCK_SIZE);
    CHECK(tess_device_cut_refined(k, &what, before.block_of, &seconds));
    for (int64_t e = 0; e < n; e++) {
        const bool changed = fmax(places[2 * e], places[2 * e + 1]) < sqrt(share);
        was[e] = changed ? -1 : (int32_t)e;
        n_changed += changed;
    }
    const tess_device_blocks blocks = {n, before.n_blocks, before.block_of, was};
    for (int i = 0; i < REPEATS; i++) {
        CHECK(tess_device_recut(k, &what, &blocks, there, &n_blocks, &seconds));
        least = i == 0 || seconds < least ? seconds : least;
    }
    double clock = tess_clock_seconds();
    CHECK(recut_here(&what, &before, was, &here));
    const double host = tess_clock_lap(&clock);
    printf("recut of %.2fM elements, %.2fM others: on the device %.3f ms, on the host %.1f; "
           "%d blocks, the host's %d, %lld elements differ\n",
           1e-6 * (double)n, 1e-6 * (double)n_changed, 1e3 * least, 1e3 * host, n_blocks,
           here->n_blocks, told_differing(here->block_of, there, n));
done:
    free(places);
    free(was);
    free(there);
    free(before.block_of);
    tess_partition_free(here);
    return status;
}

tess_status time_refined(tess_cut_kernels *k, int64_t n_cells) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    double *places = NULL, cut[REPEATS], all[REPEATS];
    int32_t *here = NULL, *there = NULL;
    CHECK(edges_build((int32_t)llround(sqrt((double)n_cells)), &places, &mesh));
    const int64_t n = mesh->sets[1].size;
    const tess_cut once = by_rcb(n, 2, places);
    tess_cut what = once;
    what.n_rounds = ROUNDS;
    what.n_slots = 2;
    what.map = mesh->maps[0].index;
    CHECK(TESS_ALLOC(n, &here));
    CHECK(TESS_ALLOC(n, &there));
    for (int i = 0; i < REPEATS; i++) {
        CHECK(tess_device_cut_refined(k, &once, there, &cut[i]));
        CHECK(tess_device_cut_refined(k, &what, there, &all[i]));
    }
    double clock = tess_clock_seconds();
    CHECK(tess_swap_cut(&what, here));
    const double host = tess_clock_lap(&clock);
    tess_sort_reals(cut, REPEATS);
    tess_sort_reals(all, REPEATS);
    printf("%.2fM edges by rcb and %d rounds of swaps: on the device %.3f ms, rcb alone %.3f, "
           "on the host %.1f; %lld elements differ\n",
           1e-6 * (double)n, ROUNDS, 1e3 * all[REPEATS / 2], 1e3 * cut[REPEATS / 2], 1e3 * host,
           told_differing(here, there, n));
done:
    free(places);
    free(here);
    free(there);
    tess_mesh_free(mesh);
    return status;
}
