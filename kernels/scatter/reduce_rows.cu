/* How rows of entries are reduced, in the words of simt.h: LANES threads a row, each RUN of its WIDTH values.
 * The page defines, besides these and KERNEL_NAME,
 *   FROM       what an entry has: VALUE, or SUM for what the level before left
 *   VALUE      what a point gets
 *   SUM        in what it is reduced
 *   LOADED(v)  a FROM as a SUM, STORED(v) a SUM as a VALUE
 *   TOGETHER   entries that are fetched together
 *   READ_VALUES, STORE_VALUES    of RUN values
 *   SUMS, MEANS, TAKES(v, of)    what is done; TAKES: whether v goes before what was found, for max and min
 * Entries are taken one after the other, so that a sum has one order. */

KERNEL(KERNEL_NAME) {
    const struct params *p = PARAMS;
    const long long thread = (long long)block_index() * block_threads() + thread_index();
    const int row = (int)(thread / LANES), first = (int)(thread % LANES) * RUN;
    if (row < p->n_rows) {
        const FROM *const values = (const FROM *)p->values + first;
        const int begin = p->offset ? fetch(&p->offset[row]) : row;
        const int end = p->offset ? fetch(&p->offset[row + 1]) : begin + 1;
        SUM sum[RUN];
        int chosen[RUN];
        UNROLL for (int c = 0; c < RUN; c++) {
            sum[c] = (SUM)p->start;
            chosen[c] = -1;
        }
        for (int e = begin; e < end; e += TOGETHER) {
            FROM ahead[TOGETHER][RUN];
            UNROLL for (int a = 0; a < TOGETHER; a++)
                if (e + a < end) {
                    const long long at = p->entry ? fetch(&p->entry[e + a]) : e + a;
                    READ_VALUES(ahead[a], &values[at * WIDTH], RUN);
                }
            UNROLL for (int a = 0; a < TOGETHER; a++)
                if (e + a < end)
                    UNROLL for (int c = 0; c < RUN; c++) {
                        const SUM value = LOADED(ahead[a][c]);
                        if (SUMS) {
                            sum[c] += value;
                        } else if (chosen[c] < 0 || TAKES(value, sum[c]) || (value != value && sum[c] == sum[c])) {
                            sum[c] = value;
                            chosen[c] = e + a;
                        }
                    }
        }
        const int target = p->target ? fetch(&p->target[row]) : row, is_whole = target < p->n_points;
        const int count = p->count ? fetch(&p->count[row]) : end - begin;
        const long long to = (long long)(is_whole ? target : target - p->n_points) * WIDTH + first;
        if (is_whole) {
            VALUE stored[RUN];
            UNROLL for (int c = 0; c < RUN; c++)
                stored[c] = STORED(MEANS && count > 0 ? sum[c] / (SUM)count : sum[c]);
            STORE_VALUES((VALUE *)p->result + to, stored, RUN);
        } else {
            STORE_VALUES((SUM *)p->partial + to, sum, RUN);
        }
        if (!SUMS && p->chosen)
            UNROLL for (int c = 0; c < RUN; c++)
                store(&(is_whole ? p->chosen : p->chosen_partial)[to + c],
                      chosen[c] < 0      ? -1
                      : p->chosen_before ? load(&p->chosen_before[(long long)chosen[c] * WIDTH + first + c])
                      : p->order         ? fetch(&p->order[chosen[c]])
                      : p->entry         ? fetch(&p->entry[chosen[c]])
                                         : chosen[c]);
    }
}
