/* Chosen numbers: those below n that are wanted, ascending. */
#include "core/base/chosen.h"

#include "core/base/array.h"
#include <omp.h>
#include <stdlib.h>

tess_status tess_choose(int64_t n, bool (*is_wanted)(const void *context, int64_t i),
                        const void *context, int64_t *n_chosen, int32_t **chosen) {
    tess_status status = TESS_OK;
    const int64_t n_stretches = omp_get_max_threads(), length = n / n_stretches + 1;
    int64_t *first = NULL;
    CHECK(TESS_ZEROS(n_stretches + 1, &first));
#pragma omp parallel for
    for (int64_t s = 0; s < n_stretches; s++)
        for (int64_t i = s * length; i < n && i < (s + 1) * length; i++)
            first[s + 1] += is_wanted(context, i);
    for (int64_t s = 0; s < n_stretches; s++)
        first[s + 1] += first[s];
    CHECK(TESS_ALLOC(first[n_stretches], chosen));
#pragma omp parallel for
    for (int64_t s = 0; s < n_stretches; s++) {
        int32_t *next = *chosen + first[s];
        for (int64_t i = s * length; i < n && i < (s + 1) * length; i++)
            if (is_wanted(context, i))
                *next++ = (int32_t)i;
    }
    *n_chosen = first[n_stretches];
done:
    free(first);
    return status;
}
