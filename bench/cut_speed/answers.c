/* Answers of a device, beside the host's, and what seconds of them are set against. */
#include "bench/cut_speed/answers.h"

static int n_wrong; /* answers that are not the host's */

const char *told(bool same, const char *words, const char *otherwise) {
    n_wrong += !same;
    return same ? words : otherwise;
}

long long told_differing(const int32_t *here, const int32_t *there, int64_t n) {
    long long n_differing = 0;
    for (int64_t e = 0; e < n; e++)
        n_differing += here[e] != there[e];
    n_wrong += n_differing > 0;
    return n_differing;
}

bool is_wrong_told(void) {
    return n_wrong > 0;
}

tess_status copy_mesh(const tess_cut_kernels *k, int64_t bytes, double *seconds) {
    tess_address from = 0, to = 0;
    *seconds = 0;
    if (!k->device->copy)
        return TESS_OK;
    TRY(k->device->alloc(k->target, "a mesh", bytes, &from));
    TRY(k->device->alloc(k->target, "a copy", bytes, &to));
    for (int i = 0; i < REPEATS; i++) {
        double taken = 0;
        TRY(k->device->timer_start(k->target));
        TRY(k->device->copy(k->target, to, from, bytes));
        TRY(k->device->timer_stop(k->target, &taken));
        *seconds = i == 0 || taken < *seconds ? taken : *seconds;
    }
    k->device->free(k->target, from);
    k->device->free(k->target, to);
    return TESS_OK;
}
