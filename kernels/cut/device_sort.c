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
