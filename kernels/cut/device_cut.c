/* A device cut: elements cut on a device by where they lie, into the host's very blocks.
 *
 * A bisection counts, at each level, the elements of all parts in bins along their axes, and
 * divides the parts by these (bisect.cu); what the host knows is how many parts there are, and how
 * large. */
#include "kernels/cut/device_cut.h"

#include "core/base/array.h"
#include "core/plan/order/hilbert_curve.h"
#include "kernels/cut/device_sort.h"
#include "partitioners/slab_cut.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FULL = 1024 }; /* thread blocks of which a GPU is full */

/* --- memory ----------------------------------------------------------------------------------- */

/* Parts of a level, some of them of one block, and what the largest has. */
static int64_t parts_at(int64_t level) {
    return INT64_C(1) << level;
}

static int64_t most_blocks(const tess_cut_params *p, int64_t level) {
    return tess_cut_tiles(p->n_blocks, parts_at(level));
}

/* The first level whose parts are cut to the end by a thread block each, or need no cut. */
static int64_t last_level(const tess_cut_params *p) {
    int64_t level = 0;
    while (most_blocks(p, level) > 1 && most_blocks(p, level) > TESS_CUT_PART / p->block_size)
        level++;
    return level;
}

/* Fewer where parts are many. */
static int64_t bins_at(int64_t level) {
    const int64_t bins = (INT64_C(1) << 21) / parts_at(level);
    return bins > TESS_CUT_CHUNK     ? TESS_CUT_CHUNK
           : bins < TESS_CUT_THREADS ? TESS_CUT_THREADS
                                     : bins;
}

/* Takes what a cut needs on the device beside places and blocks. */
static tess_status take_memory(tess_cut_room *room, tess_cut_params *p, tess_cut_rule rule) {
    const int64_t n = p->n, level = last_level(p);
    const bool bisects = rule == TESS_CUT_LONGEST || rule == TESS_CUT_IN_TURNS;
    const int64_t most_bins = TESS_CUT_CHUNK > bins_at(level) * parts_at(level)
                                  ? TESS_CUT_CHUNK
                                  : bins_at(level) * parts_at(level);
    const int64_t parts = bisects ? parts_at(level) : 0, n_digits = TESS_CUT_DIGITS * p->n_tiles;
    const struct {
        const char *name;
        tess_address *address;
        int64_t n;
        size_t size;
    } arrays[] = {
        {"keys", &p->keys, n, sizeof(uint64_t)},
        {"sorted keys", &p->keys_out, n, sizeof(uint64_t)},
        {"elements", &p->ids, n, sizeof(int32_t)},
        {"sorted elements", &p->ids_out, n, sizeof(int32_t)},
        {"counts", &p->values, bisects ? 3 * most_bins : n_digits, sizeof(int32_t)},
        {"sums", &p->sums, tess_cut_tiles(n_digits, TESS_CUT_CHUNK), sizeof(int32_t)},
        {"windows", &p->windows, parts * 8, sizeof(int32_t)},
        {"boxes", &p->boxes, parts * 6, sizeof(int32_t)},
        {"boxes of halves", &p->boxes_out, parts * 6, sizeof(int32_t)},
        {"extents", &p->extents, (bisects ? parts : 1) * 6, sizeof(int64_t)},
        {"extents of halves", &p->extents_out, parts * 6, sizeof(int64_t)},
        {"places taken", &p->taken, parts * 3, sizeof(int32_t)},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (arrays[i].n > 0)
            TRY(tess_cut_take(room, arrays[i].name, arrays[i].n, arrays[i].size,
                              arrays[i].address));
    return TESS_OK;
}

/* --- rules ------------------------------------------------------------------------------------ */

static tess_status order_along_curve(tess_cut_kernels *k) {
    tess_cut_params *p = &k->params;
    p->bits = p->dimension == 3 ? TESS_HILBERT_BITS_3D : TESS_HILBERT_BITS_2D;
    TRY(tess_cut_launch_each(k, "fill_hilbert_keys", k->params.n));
    return tess_cut_sort(k, p->bits * p->dimension);
}

/* What is at the ordered bits (places.cu). */
static double coordinate_of(uint64_t ordered) {
    const uint64_t sign = UINT64_C(1) << 63, bits = ordered & sign ? ordered ^ sign : ~ordered;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static tess_status order_in_slabs(tess_cut_kernels *k, const tess_cut *what) {
    tess_cut_params *p = &k->params;
    uint64_t extents[6] = {0};
    struct slabs slabs = {.dimension = what->dimension};
    TRY(k->device->download(k->target, extents, p->extents, sizeof extents));
    for (int d = 0; d < slabs.dimension; d++)
        slabs.extent[d] =
            0.5 * coordinate_of(extents[2 * d + 1]) - 0.5 * coordinate_of(~extents[2 * d]);
    p->width = tess_slabs_width(&slabs, what);
    for (p->diagonal = 0; p->diagonal < p->dimension; p->diagonal++) {
        TRY(tess_cut_launch_each(k, "fill_slab_keys", p->n));
        TRY(tess_cut_sort(k, p->diagonal ? 64 : 32));
        if (p->diagonal + 1 < p->dimension)
            TRY(tess_cut_launch_each(k, "number_slabs", p->n));
    }
    return TESS_OK;
}

/* A launch over all parts of a level, in tiles of the largest's. */
static tess_status launch_tiles(tess_cut_kernels *k, const char *name, int64_t tile) {
    tess_cut_params *p = &k->params;
    const int64_t most = most_blocks(p, p->level) * p->block_size;
    p->tile = tile;
    p->n_tiles = tess_cut_tiles(most < p->n ? most : p->n, tile);
    return tess_cut_launch(k, name, parts_at(p->level) * p->n_tiles);
}

static tess_status halve_parts(tess_cut_kernels *k) {
    tess_cut_params *p = &k->params;
    const int64_t counted =
        tess_cut_tiles(tess_cut_tiles(p->n, FULL), TESS_CUT_CHUNK) * (int64_t)TESS_CUT_CHUNK;
    if (p->level > 0 && !p->in_turns && p->dimension > 1)
        TRY(launch_tiles(k, "extend_parts", counted));
    p->n_bins = bins_at(p->level);
    TRY(launch_tiles(k, "count_bins", counted));
    TRY(tess_cut_launch(k, "choose_bins", parts_at(p->level)));
    TRY(launch_tiles(k, "count_again", counted));
    TRY(launch_tiles(k, "divide_parts", TESS_CUT_CHUNK));
    TRY(tess_cut_launch(k, "settle_parts", parts_at(p->level)));
    tess_cut_swap(&p->keys, &p->keys_out);
    tess_cut_swap(&p->ids, &p->ids_out);
    tess_cut_swap(&p->boxes, &p->boxes_out);
    tess_cut_swap(&p->extents, &p->extents_out);
    return TESS_OK;
}

static tess_status bisect(tess_cut_kernels *k) {
    tess_cut_params *p = &k->params;
    const int64_t last = last_level(p);
    TRY(tess_cut_launch_each(k, "fill_numbers", k->params.n));
    for (p->level = 0; p->level < last; p->level++)
        TRY(halve_parts(k));
    if (most_blocks(p, last) == 1)
        return TESS_OK;
    const int64_t most = most_blocks(p, last) * p->block_size;
    p->tile = most < p->n ? most : p->n;
    TRY(tess_cut_launch(k, "finish_parts", parts_at(last)));
    tess_cut_swap(&p->ids, &p->ids_out);
    return TESS_OK;
}

/* The ordered bits (places.cu) of infinity. */
static const uint64_t INFINITE_BITS = UINT64_C(0xfff) << 52;

tess_status tess_device_refuse_places(tess_cut_kernels *k) {
    enum { AT_ONCE = TESS_CUT_CHUNK };
    tess_status status = TESS_OK;
    double *places = NULL;
    const int64_t n = k->params.n * k->params.dimension, dimension = k->params.dimension;
    CHECK(TESS_ALLOC(AT_ONCE, &places));
    for (int64_t i = 0; i < n; i++) {
        const int64_t left = n - i < AT_ONCE ? n - i : AT_ONCE, bytes = (int64_t)sizeof *places;
        if (i % AT_ONCE == 0)
            CHECK(k->device->download(k->target, places, k->params.places + (uint64_t)(i * bytes),
                                      left * bytes));
        if (!isfinite(places[i % AT_ONCE]))
            CHECK(tess_fail(TESS_ERROR_INPUT, "coordinate %lld of element %lld is not finite",
                            (long long)(i % dimension), (long long)(i / dimension)));
    }
done:
    free(places);
    return status;
}

static tess_status check_extents(tess_cut_kernels *k) {
    uint64_t extents[6] = {0};
    bool finite = true;
    TRY(k->device->download(k->target, extents, k->params.extents, sizeof extents));
    for (int d = 0; d < k->params.dimension; d++)
        finite = finite && ~extents[2 * d] > ~INFINITE_BITS && extents[2 * d + 1] < INFINITE_BITS;
    return finite ? TESS_OK : tess_device_refuse_places(k);
}

static tess_status cut(tess_cut_kernels *k, const tess_cut *what) {
    k->params.in_turns = what->rule == TESS_CUT_IN_TURNS;
    TRY(tess_cut_launch(k, "survey_places", k->params.n_surveyors));
    if (what->unchecked)
        TRY(check_extents(k));
    if (what->rule == TESS_CUT_SLABS || what->rule == TESS_CUT_THICK_SLABS)
        TRY(order_in_slabs(k, what));
    else
        TRY(what->rule == TESS_CUT_HILBERT ? order_along_curve(k) : bisect(k));
    return tess_cut_launch_each(k, "fill_blocks", k->params.n);
}

tess_status tess_device_cut_there(tess_cut_kernels *kernels, const tess_cut *what,
                                  tess_address places, tess_address block_of, double *seconds) {
    tess_status status = TESS_OK;
    tess_cut_room room = {.kernels = kernels};
    const int64_t tiles = tess_cut_tiles(what->n, TESS_CUT_CHUNK);
    kernels->params = (tess_cut_params){.n = what->n,
                                        .dimension = what->dimension,
                                        .block_size = what->block_size,
                                        .n_blocks = tess_cut_tiles(what->n, what->block_size),
                                        .n_tiles = tiles,
                                        .n_surveyors = tiles < FULL ? tiles : FULL,
                                        .places = places,
                                        .block_of = block_of};
    CHECK(take_memory(&room, &kernels->params, what->rule));
    CHECK(kernels->device->timer_start(kernels->target));
    CHECK(cut(kernels, what));
    CHECK(kernels->device->timer_stop(kernels->target, seconds));
done:
    tess_cut_room_close(&room);
    return status;
}
