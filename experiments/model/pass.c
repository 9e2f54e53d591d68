/* A pass: what it streams, and its rows. */
#include "experiments/model/pass.h"

#include "core/base/sort.h"
#include <string.h>

int64_t tess_pass_element_bytes(const tess_pass *pass) {
    const int64_t number = sizeof(int32_t), n = tess_pass_entries(pass);
    return tess_pass_has_rows(pass)
               ? n * (number + pass->element_bytes) + pass->n_points * (int64_t)sizeof(int64_t)
               : n * (pass->arity * number + pass->element_bytes);
}

void tess_pass_put_rows(const tess_pass *pass, int64_t *begin, int32_t *columns) {
    const int64_t n = pass->n_points;
    memset(begin, 0, (size_t)(n + 1) * sizeof *begin);
    for (int64_t i = 0; i < pass->n; i++)
        begin[tess_pass_point(pass, i, 0)]++;
    for (int64_t row = 0, end = 0; row < n; row++) /* it is filled from its end on */
        begin[row] = end += begin[row] + 1;
    begin[n] = tess_pass_entries(pass);
    for (int64_t row = 0; row < n; row++)
        columns[--begin[row]] = (int32_t)row;
    for (int64_t i = 0; i < pass->n; i++)
        columns[--begin[tess_pass_point(pass, i, 0)]] = (int32_t)tess_pass_point(pass, i, 1);
    for (int64_t row = 0; row < n; row++)
        tess_sort(columns + begin[row], begin[row + 1] - begin[row]);
}
