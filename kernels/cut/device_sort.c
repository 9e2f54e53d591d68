/* A device sort: ids in the order of 64-bit keys, and scans. */
#include "kernels/cut/device_sort.h"

enum { DIGIT_BITS = 8, SCANNED_BY_ONE = 2 * TESS_CUT_CHUNK };

tess_status tess_cut_launch_each(tess_cut_kernels *k, const char *name, int64_t n) {
    return tess_cut_launch(k, name, tess_cut_tiles(n, TESS_CUT_THREADS));
}

tess_status tess_cut_scan(tess_cut_kernels *k, int64_t n_values) {
    const int64_t n_chunks = tess_cut_tiles(n_values, TESS_CUT_CHUNK);
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

tess_status tess_cut_take_sort(tess_cut_room *room, int64_t n, int64_t n_keys, tess_address sorted,
                               tess_cut_params *p) {
    const bool is_odd = tess_cut_tiles(tess_cut_bits(n_keys), DIGIT_BITS) % 2; /* passes */
    p->n_tiles = tess_cut_tiles(n, TESS_CUT_CHUNK);
    const int64_t n_digits = TESS_CUT_DIGITS * p->n_tiles;
    const int64_t most = n_digits > n_keys ? n_digits : n_keys + 1;
    TRY(tess_cut_take(room, "keys", n, sizeof(uint64_t), &p->keys));
    TRY(tess_cut_take(room, "sorted keys", n, sizeof(uint64_t), &p->keys_out));
    TRY(tess_cut_take(room, "elements", n, sizeof(int32_t), is_odd ? &p->ids : &p->ids_out));
    if (!sorted)
        TRY(tess_cut_take(room, "sorted elements", n, sizeof(int32_t), &sorted));
    *(is_odd ? &p->ids_out : &p->ids) = sorted;
    TRY(tess_cut_take(room, "digits", n_digits, sizeof(int32_t), &p->values));
    return tess_cut_take(room, "sums", tess_cut_tiles(most, TESS_CUT_CHUNK), sizeof(int32_t),
                         &p->sums);
}

tess_status tess_cut_sort(tess_cut_kernels *k, int64_t n_bits) {
    tess_cut_params *p = &k->params;
    for (p->shift = 0; p->shift < n_bits; p->shift += DIGIT_BITS) {
        TRY(tess_cut_launch(k, "count_digits", p->n_tiles));
        TRY(tess_cut_scan(k, TESS_CUT_DIGITS * p->n_tiles));
        TRY(tess_cut_launch(k, "place_by_digit", p->n_tiles));
        tess_cut_swap(&p->keys, &p->keys_out);
        tess_cut_swap(&p->ids, &p->ids_out);
    }
    return TESS_OK;
}

tess_status tess_cut_order(tess_cut_kernels *k) {
    TRY(tess_cut_sort(k, tess_cut_bits(k->params.n_blocks)));
    return tess_cut_launch_each(k, "find_offsets", k->params.n + 1);
}
