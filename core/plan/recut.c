/* A recut: the elements that are cut anew where a part of a loop's elements has changed. */
#include "core/plan/recut.h"

#include "core/base/array.h"
#include "core/base/chosen.h"
#include <stdlib.h>

/* Says which number is wrong; now [n_before] is scratch. */
static tess_status refuse_numbers(const int32_t *was, int64_t n, int64_t n_before, int32_t *now) {
    for (int64_t o = 0; o < n_before; o++)
        now[o] = -1;
    for (int64_t e = 0; e < n; e++) {
        if (was[e] < -1 || was[e] >= n_before)
            FAIL(TESS_ERROR_INPUT, "element %lld was number %d: there were %lld, from 0",
                 (long long)e, was[e], (long long)n_before);
        if (was[e] >= 0 && now[was[e]] >= 0)
            FAIL(TESS_ERROR_INPUT, "elements %d and %lld were both number %d", now[was[e]],
                 (long long)e, was[e]);
        if (was[e] >= 0)
            now[was[e]] = (int32_t)e;
    }
    return TESS_OK;
}

tess_status tess_numbers_now(const int32_t *was, int64_t n, int64_t n_before, int32_t **now) {
    tess_status status = TESS_OK;
    int32_t *numbers = NULL;
    bool wrong = false;
    CHECK(TESS_ALLOC(n_before, &numbers));
#pragma omp parallel for
    for (int64_t o = 0; o < n_before; o++)
        numbers[o] = -1;
#pragma omp parallel for reduction(|| : wrong)
    for (int64_t e = 0; e < n; e++) {
        if (was[e] < -1 || was[e] >= n_before)
            wrong = true;
        else if (was[e] >= 0)
#pragma omp atomic write
            numbers[was[e]] = (int32_t)e;
    }
#pragma omp parallel for reduction(|| : wrong)
    for (int64_t e = 0; e < n; e++)
        wrong = wrong || (was[e] >= 0 && was[e] < n_before && numbers[was[e]] != e);
    if (wrong)
        CHECK(refuse_numbers(was, n, n_before, numbers));
    *now = TESS_TAKE(numbers);
done:
    free(numbers);
    return status;
}

static bool is_cut_anew(const void *context, int64_t e) {
    const tess_recut *recut = context;
    const int32_t was = recut->was[e];
    return was < 0 || recut->touched[recut->before->block_of[was]];
}

tess_status tess_recut_open(const tess_partition *before, const int32_t *was, int64_t n_elements,
                            tess_recut *recut) {
    tess_status status = TESS_OK;
    int32_t *now = NULL;
    *recut = (tess_recut){.before = before, .was = was, .n_elements = n_elements};
    CHECK(tess_numbers_now(was, n_elements, before->n_elements, &now));
    CHECK(TESS_ZEROS(before->n_blocks, &recut->touched));
#pragma omp parallel for
    for (int64_t o = 0; o < before->n_elements; o++)
        if (now[o] < 0)
#pragma omp atomic write
            recut->touched[before->block_of[o]] = true;
    CHECK(tess_choose(n_elements, is_cut_anew, recut, &recut->n, &recut->elements));
done:
    free(now);
    return status;
}

void tess_recut_close(tess_recut *recut) {
    free(recut->touched);
    free(recut->elements);
}

/* Numbers untouched blocks in kept [before->n_blocks] and those of the cut in made [n_made]; gives
 * how many they are. */
static int32_t number_blocks(const tess_recut *recut, int32_t n_made, int32_t *kept,
                             int32_t *made) {
    int32_t n = 0, next = 0;
    for (int32_t b = 0; b < recut->before->n_blocks; b++) {
        kept[b] = -1;
        if (!recut->touched[b])
            kept[b] = n++;
        else if (next < n_made)
            made[next++] = n++;
    }
    while (next < n_made)
        made[next++] = n++;
    return n;
}

tess_status tess_recut_join(const tess_recut *recut, const tess_partition *cut,
                            tess_partition **out) {
    tess_status status = TESS_OK;
    const int32_t n_made = cut ? cut->n_blocks : 0;
    tess_partition *joined = NULL;
    int32_t *kept = NULL, *made = NULL;
    CHECK(TESS_ZEROS(1, &joined));
    if (cut)
        *joined = *cut;
    joined->n_elements = recut->n_elements;
    joined->block_size = recut->before->block_size;
    joined->block_of = NULL;
    joined->reuse_factor_before = 0;
    CHECK(TESS_ALLOC(joined->n_elements, &joined->block_of));
    CHECK(TESS_ALLOC(recut->before->n_blocks, &kept));
    CHECK(TESS_ALLOC(n_made, &made));
    joined->n_blocks = number_blocks(recut, n_made, kept, made);
    joined->n_blocks_before = joined->n_blocks;
#pragma omp parallel for
    for (int64_t e = 0; e < joined->n_elements; e++)
        joined->block_of[e] = recut->was[e] < 0 ? -1 : kept[recut->before->block_of[recut->was[e]]];
#pragma omp parallel for
    for (int64_t i = 0; i < recut->n; i++)
        joined->block_of[recut->elements[i]] = made[cut->block_of[i]];
    *out = TESS_TAKE(joined);
done:
    free(kept);
    free(made);
    tess_partition_free(joined);
    return status;
}
