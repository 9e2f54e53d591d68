/* A reduction on the host: rows of entries, by the cores of this machine. */
#include "kernels/scatter/reduce_on_host.h"

#include <math.h>

__extension__ typedef _Float16 half;

enum { COLUMNS = 16, ROWS_AT_ONCE = 1024 };

/* What was chosen for n columns of a row from `first` on, by the entries of its level. */
static void note_chosen(const tess_host_reduction *what, int64_t target, int64_t first, int n,
                        const int64_t *chosen) {
    const bool is_partial = target >= what->n_points;
    int32_t *of = is_partial ? what->chosen_partial + (target - what->n_points) * what->width
                             : what->chosen + target * what->width;
    for (int c = 0; c < n; c++) {
        const int64_t e = chosen[c];
        of[first + c] = e < 0                 ? -1
                        : what->chosen_before ? what->chosen_before[e * what->width + first + c]
                        : what->order         ? what->order[e]
                        : what->level->entry  ? what->level->entry[e]
                                              : (int32_t)e;
    }
}

#define NAME reduce_halves
#define FROM half
#define VALUE half
#define SUM float
#include "kernels/scatter/row_on_host.h"

#define NAME reduce_partials_of_halves
#define FROM float
#define VALUE half
#define SUM float
#include "kernels/scatter/row_on_host.h"

#define NAME reduce_floats
#define FROM float
#define VALUE float
#define SUM float
#include "kernels/scatter/row_on_host.h"

#define NAME reduce_doubles
#define FROM double
#define VALUE double
#define SUM double
#include "kernels/scatter/row_on_host.h"

void tess_reduce_on_host(const tess_host_reduction *what) {
    void (*const reduce)(const tess_host_reduction *, int32_t) =
        what->type == TESS_SCATTER_DOUBLE  ? reduce_doubles
        : what->type == TESS_SCATTER_FLOAT ? reduce_floats
        : what->reads_partials             ? reduce_partials_of_halves
                                           : reduce_halves;
#pragma omp parallel for schedule(dynamic, ROWS_AT_ONCE)
    for (int32_t row = 0; row < what->level->n_rows; row++)
        reduce(what, row);
}
