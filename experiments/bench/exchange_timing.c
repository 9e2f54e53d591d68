/* An exchange timing: what the exchanges of a time step cost ranks. */
#include "experiments/bench/exchange_timing.h"

#include "core/base/array.h"
#include "core/base/statistics.h"
#include <stdlib.h>

enum { N_VARIANTS = TESS_N_TEAM_VARIANTS, MOST_STEPS = 1000, WARM_UPS = 3 };
static const double SAMPLE_SECONDS = 0.02;

/* Steps that a sample takes: the same in all processes, since they know the slowest. */
static tess_status choose_steps(tess_team *team, int *n) {
    double seconds = 0;
    for (int variant = 0; variant < N_VARIANTS; variant++)
        TRY(tess_team_time(team, variant, WARM_UPS, &seconds));
    TRY(tess_team_time(team, TESS_OVERLAPPED, WARM_UPS, &seconds));
    const double wanted = SAMPLE_SECONDS / seconds;
    *n = wanted < 1 ? 1 : wanted > MOST_STEPS ? MOST_STEPS : (int)wanted;
    return TESS_OK;
}

void tess_exchange_timing_sum_up(double *samples, int n_rounds, double *differences,
                                 tess_exchange_timing *out) {
    const double *step = samples + (ptrdiff_t)TESS_OVERLAPPED * n_rounds;
    const double *serial = samples + (ptrdiff_t)TESS_SERIAL * n_rounds;
    const double *unexchanged = samples + (ptrdiff_t)TESS_UNEXCHANGED * n_rounds;
    for (int i = 0; i < n_rounds; i++)
        differences[i] = step[i] - unexchanged[i];
    out->exposed = tess_median(differences, n_rounds);
    for (int i = 0; i < n_rounds; i++)
        differences[i] = (serial[i] - step[i]) / (serial[i] - unexchanged[i]);
    out->hidden = tess_median(differences, n_rounds);
    double *const medians[] = {&out->step, &out->serial, &out->unexchanged, &out->exchange,
                               &out->pack};
    for (int variant = 0; variant < N_VARIANTS; variant++)
        *medians[variant] = tess_median(samples + (ptrdiff_t)variant * n_rounds, n_rounds);
}

tess_status tess_exchange_timing_take(tess_team *team, int n_rounds, tess_exchange_timing *out) {
    tess_status status = TESS_OK;
    double *samples = NULL, *differences = NULL;
    int n_steps = 0;
    *out = (tess_exchange_timing){.n_rounds = n_rounds};
    CHECK(TESS_ALLOC((int64_t)N_VARIANTS * n_rounds, &samples));
    CHECK(TESS_ALLOC(n_rounds, &differences));
    CHECK(choose_steps(team, &n_steps));
    for (int i = 0; i < n_rounds; i++)
        for (int variant = 0; variant < N_VARIANTS; variant++)
            CHECK(tess_team_time(team, variant, n_steps, &samples[variant * n_rounds + i]));
    tess_exchange_timing_sum_up(samples, n_rounds, differences, out);
done:
    free(differences);
    free(samples);
    return status;
}
