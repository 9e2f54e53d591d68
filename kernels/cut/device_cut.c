/* A device cut: elements cut on a device by where they lie, into the host's very blocks.
 *
 * For a bisection the elements are sorted along each axis, so that along each they have ranks, and
 * ranks alone are divided from there on (bisect.cu). Sorted by the last axis first, ties are in the
 * order of the host. Keys of 32 bits take half of the passes; what they leave together is put in
 * order by whole coordinates, in runs, or all is sorted by these where runs are long. */
#include "kernels/cut/device_cut.h"

#include "core/base/array.h"
#include "core/plan/order/hilbert_curve.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SURVEYORS = 128, SURVEYED = 4, DIGIT_BITS = 8, SCANNED_BY_ONE = 2 * TESS_CUT_CHUNK };

/* What a survey finds of one axis. */
typedef struct axis_survey {
    uint64_t low, high; /* ordered bits */
    uint64_t differing; /* bits that are not the same in all */
} axis_survey;

static int64_t tiles_of(int64_t n, int64_t size) {
    return (n + size - 1) / size;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* What a cut needs on the device: `address` is a parameter. */
typedef struct array {
    const char *name;
    tess_address *address;
    int64_t bytes;
} array;

enum { N_ARRAYS = 16 };

static void list_arrays(tess_cut_params *p, const tess_cut *what, array *arrays) {
    const int64_t n = p->n, d = p->dimension, words = n * (int64_t)sizeof(int32_t);
    const bool bisects = what->rule != TESS_CUT_HILBERT;
    const int64_t n_values = TESS_CUT_DIGITS * p->n_tiles;
    const int64_t lists = bisects ? d * (d - 1) * words : 0, ranks = bisects ? d * words : 0;
    const int64_t parts = bisects ? p->n_blocks * (int64_t)sizeof(int32_t) : 0;
    const array all[N_ARRAYS] = {
        {"places", &p->places, d * n * (int64_t)sizeof(double)},
        {"survey", &p->survey,
         p->n_surveyors * TESS_CUT_WARPS * d * SURVEYED * (int64_t)sizeof(uint64_t)},
        {"keys", &p->keys, n * (int64_t)sizeof(uint64_t)},
        {"sorted keys", &p->keys_out, n * (int64_t)sizeof(uint64_t)},
        {"elements", &p->ids, words},
        {"sorted elements", &p->ids_out, words},
        {"counts", &p->values, n_values * (int64_t)sizeof(int32_t)},
        {"sums", &p->sums, tiles_of(n_values, TESS_CUT_CHUNK) * (int64_t)sizeof(int32_t)},
        {"a flag", &p->is_unsorted, (int64_t)sizeof(int32_t)},
        {"orders", &p->order, ranks},
        {"ranks", &p->ranks, ranks},
        {"lists", &p->lists, lists},
        {"divided lists", &p->lists_out, lists},
        {"axes", &p->cut_axis, parts},
        {"cuts", &p->cut_rank, parts},
        {"blocks", &p->block_of, words},
    };
    memcpy(arrays, all, sizeof all);
}

static tess_status take_memory(tess_cut_kernels *k, const array *arrays) {
    for (int i = 0; i < N_ARRAYS; i++)
        if (arrays[i].bytes)
            TRY(k->device->alloc(k->target, arrays[i].name, arrays[i].bytes, arrays[i].address));
    return TESS_OK;
}

static void free_memory(tess_cut_kernels *k, const array *arrays) {
    for (int i = 0; i < N_ARRAYS; i++)
        if (*arrays[i].address)
            k->device->free(k->target, *arrays[i].address);
}

/* --- sorting ---------------------------------------------------------------------------------- */

static tess_status launch_each(tess_cut_kernels *k, const char *name) {
    return tess_cut_launch(k, name, tiles_of(k->params.n, TESS_CUT_THREADS));
}

/* Makes each value the sum of those before it. */
static tess_status scan(tess_cut_kernels *k, int64_t n_values) {
    const int64_t n_chunks = tiles_of(n_values, TESS_CUT_CHUNK);
    tess_cut_kernels over_sums = *k;
    k->params.n_values = n_values;
    if (n_values <= SCANNED_BY_ONE)
        return tess_cut_launch(k, "scan_by_one_block", 1);
    over_sums.params.values = k->params.sums;
    over_sums.params.n_values = n_chunks;
    TRY(tess_cut_launch(k, "sum_chunks", n_chunks));
    TRY(tess_cut_launch(&over_sums, "scan_by_one_block", 1));
    return tess_cut_launch(k, "scan_chunks", n_chunks);
}

static void swap(tess_address *a, tess_address *b) {
    const tess_address kept = *a;
    *a = *b;
    *b = kept;
}

/* Sorts ids by keys, stably; `differing` has the bits that are not the same in all keys. */
static tess_status sort(tess_cut_kernels *k, uint64_t differing) {
    tess_cut_params *p = &k->params;
    for (p->shift = 0; p->shift < 64; p->shift += DIGIT_BITS) {
        if (!(differing >> p->shift & (TESS_CUT_DIGITS - 1)))
            continue;
        TRY(tess_cut_launch(k, "count_digits", p->n_tiles));
        TRY(scan(k, TESS_CUT_DIGITS * p->n_tiles));
        TRY(tess_cut_launch(k, "place_by_digit", p->n_tiles));
        swap(&p->keys, &p->keys_out);
        swap(&p->ids, &p->ids_out);
    }
    return TESS_OK;
}

/* --- surveying -------------------------------------------------------------------------------- */

static tess_status survey(tess_cut_kernels *k, axis_survey *axes) {
    tess_status status = TESS_OK;
    const tess_cut_params *p = &k->params;
    const int64_t n_warps = p->n_surveyors * TESS_CUT_WARPS, n = n_warps * p->dimension * SURVEYED;
    uint64_t(*found)[SURVEYED] = NULL;
    CHECK(TESS_ALLOC(n_warps * p->dimension, &found));
    CHECK(tess_cut_launch(k, "survey_places", p->n_surveyors));
    CHECK(k->device->download(k->target, found, p->survey, n * (int64_t)sizeof(uint64_t)));
    for (int64_t d = 0; d < p->dimension; d++) {
        uint64_t low = UINT64_MAX, high = 0, any = 0, all = UINT64_MAX;
        for (int64_t w = 0; w < n_warps; w++) {
            const uint64_t *of = found[w * p->dimension + d];
            low = of[0] < low ? of[0] : low;
            high = of[1] > high ? of[1] : high;
            any |= of[2];
            all &= of[3];
        }
        axes[d] = (axis_survey){.low = low, .high = high, .differing = any & ~all};
    }
done:
    free(found);
    return status;
}

/* The double of ordered bits (places.cu). */
static double coordinate_of(uint64_t ordered) {
    const uint64_t sign = UINT64_C(1) << 63, bits = ordered & sign ? ordered ^ sign : ~ordered;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* --- rules ------------------------------------------------------------------------------------ */

static tess_status order_along_curve(tess_cut_kernels *k, const axis_survey *axes) {
    tess_cut_params *p = &k->params;
    double low[3] = {0, 0, 0};
    for (int d = 0; d < p->dimension; d++) {
        low[d] = 0.5 * coordinate_of(axes[d].low);
        p->side = fmax(p->side, 0.5 * coordinate_of(axes[d].high) - low[d]);
    }
    p->low_x = low[0];
    p->low_y = low[1];
    p->low_z = low[2];
    p->bits = p->dimension == 3 ? TESS_HILBERT_BITS_3D : TESS_HILBERT_BITS_2D;
    const int64_t key_bits = p->bits * p->dimension;
    TRY(launch_each(k, "fill_hilbert_keys"));
    return sort(k, UINT64_MAX >> (64 - key_bits));
}

/* Sorts ids along an axis, stably. */
static tess_status sort_along(tess_cut_kernels *k, const axis_survey *axis) {
    tess_cut_params *p = &k->params;
    p->low_x = 0.5 * coordinate_of(axis->low);
    p->side = 0.5 * coordinate_of(axis->high) - p->low_x;
    TRY(launch_each(k, "fill_keys"));
    TRY(sort(k, p->is_short ? UINT64_MAX >> (64 - TESS_CUT_KEY_BITS) : axis->differing));
    if (!p->is_short)
        return TESS_OK;
    TRY(launch_each(k, "sort_runs"));
    swap(&p->ids, &p->ids_out);
    return TESS_OK;
}

/* Sorts along each axis: by the last first, and on until all others follow each. */
static tess_status rank_along_axes(tess_cut_kernels *k, const axis_survey *axes) {
    tess_cut_params *p = &k->params;
    for (int64_t step = 0; step < 2 * p->dimension - 1; step++) {
        p->axis = p->dimension - 1 - step % p->dimension;
        p->is_first = step == 0;
        TRY(sort_along(k, &axes[p->axis]));
        if (step >= p->dimension - 1)
            TRY(launch_each(k, "keep_order"));
    }
    return TESS_OK;
}

/* By short keys, which take half of the passes, and by whole ones where these do not do. */
static tess_status rank(tess_cut_kernels *k, const axis_survey *axes) {
    int32_t n_unsorted = 0;
    k->params.is_short = true;
    for (int64_t d = 0; d < k->params.dimension; d++)
        if (!isfinite(coordinate_of(axes[d].low)) || !isfinite(coordinate_of(axes[d].high)))
            k->params.is_short = false;
    if (k->params.is_short) {
        TRY(rank_along_axes(k, axes));
        TRY(k->device->download(k->target, &n_unsorted, k->params.is_unsorted, sizeof n_unsorted));
        if (n_unsorted == 0)
            return TESS_OK;
    }
    k->params.is_short = false;
    return rank_along_axes(k, axes);
}

static tess_status bisect(tess_cut_kernels *k, const axis_survey *axes) {
    tess_cut_params *p = &k->params;
    TRY(rank(k, axes));
    TRY(launch_each(k, "fill_lists"));
    if (p->dimension == 1)
        return TESS_OK; /* that order is all */
    for (p->level = 0; (INT64_C(1) << p->level) < p->n_blocks; p->level++) {
        TRY(tess_cut_launch(k, "choose_cuts", tiles_of(INT64_C(1) << p->level, TESS_CUT_THREADS)));
        TRY(tess_cut_launch(k, "count_excess", p->dimension * p->n_tiles));
        TRY(scan(k, p->dimension * p->n_tiles));
        TRY(tess_cut_launch(k, "divide_lists", p->dimension * p->n_tiles));
        swap(&p->lists, &p->lists_out);
    }
    return TESS_OK;
}

static tess_status cut(tess_cut_kernels *k, const tess_cut *what) {
    axis_survey axes[3];
    k->params.in_turns = what->rule == TESS_CUT_IN_TURNS;
    TRY(survey(k, axes));
    TRY(what->rule == TESS_CUT_HILBERT ? order_along_curve(k, axes) : bisect(k, axes));
    return launch_each(k, "fill_blocks");
}

static tess_status cut_in_memory(tess_cut_kernels *k, const tess_cut *what, int32_t *block_of,
                                 double *seconds) {
    const int64_t bytes = what->n * what->dimension * (int64_t)sizeof(double);
    TRY(k->device->upload(k->target, k->params.places, what->places, bytes));
    TRY(k->device->timer_start(k->target));
    TRY(cut(k, what));
    TRY(k->device->timer_stop(k->target, seconds));
    return k->device->download(k->target, block_of, k->params.block_of,
                               what->n * (int64_t)sizeof *block_of);
}

tess_status tess_device_cut(tess_cut_kernels *kernels, const tess_cut *what, int32_t *block_of,
                            double *seconds) {
    tess_status status = TESS_OK;
    array arrays[N_ARRAYS];
    const int64_t tiles = tiles_of(what->n, TESS_CUT_CHUNK);
    kernels->params =
        (tess_cut_params){.n = what->n,
                          .dimension = what->dimension,
                          .block_size = what->block_size,
                          .n_blocks = tiles_of(what->n, what->block_size),
                          .n_tiles = tiles,
                          .n_surveyors = tiles < MOST_SURVEYORS ? tiles : MOST_SURVEYORS};
    list_arrays(&kernels->params, what, arrays);
    CHECK(take_memory(kernels, arrays));
    CHECK(cut_in_memory(kernels, what, block_of, seconds));
done:
    free_memory(kernels, arrays);
    return status;
}
