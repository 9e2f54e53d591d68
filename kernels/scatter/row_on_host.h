/* How the host reduces one row; reduce_on_host.c includes it for each type.
 *
 * It defines NAME, FROM, VALUE and SUM as reduce_rows.cu has them. */

static void NAME(const tess_host_reduction *what, int32_t row) {
    const tess_scatter_level *level = what->level;
    const int64_t width = what->width, begin = level->offset ? level->offset[row] : row;
    const int64_t end = level->offset ? level->offset[row + 1] : row + INT64_C(1);
    const int64_t target = level->target ? level->target[row] : row;
    const int64_t count = level->count ? level->count[row] : end - begin;
    for (int64_t first = 0; first < width; first += COLUMNS) {
        const int n = (int)(width - first < COLUMNS ? width - first : COLUMNS);
        SUM sum[COLUMNS];
        int64_t chosen[COLUMNS];
        for (int c = 0; c < n; c++) {
            sum[c] = (SUM)tess_reduction_start(what->reduction);
            chosen[c] = -1;
        }
        for (int64_t e = begin; e < end; e++) {
            const int64_t at = level->entry ? level->entry[e] : e;
            const FROM *const values = (const FROM *)what->values + at * width + first;
            for (int c = 0; c < n; c++) {
                const SUM value = (SUM)values[c];
                const bool takes = what->reduction == TESS_MAX ? value > sum[c] : value < sum[c];
                if (what->reduction == TESS_SUM || what->reduction == TESS_MEAN) {
                    sum[c] += value;
                } else if (chosen[c] < 0 || takes || (isnan(value) && !isnan(sum[c]))) {
                    sum[c] = value;
                    chosen[c] = e;
                }
            }
        }
        const int64_t partial = (target - what->n_points) * width + first;
        for (int c = 0; c < n; c++)
            if (target >= what->n_points)
                ((SUM *)what->partial)[partial + c] = sum[c];
            else
                ((VALUE *)what->result)[target * width + first + c] =
                    (VALUE)(what->reduction == TESS_MEAN && count > 0 ? sum[c] / (SUM)count
                                                                      : sum[c]);
        if (what->chosen)
            note_chosen(what, target, first, n, chosen);
    }
}
#undef NAME
#undef FROM
#undef VALUE
#undef SUM
