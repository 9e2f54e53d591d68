/* A race: runs that are surely slower leave, the others take more samples. */
#include "experiments/campaign/race.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

enum { LONGEST_RACE = 3 << 15 }; /* rounds: ties are known to a thousandth long before */

/* Seconds of the samples that both took in one round, in the order of the rounds; gives how many.
 */
static int64_t pair_samples(const tess_trial *a, const tess_trial *b, double *x, double *y) {
    int64_t n = 0;
    for (int64_t i = 0, k = 0; i < a->n_samples && k < b->n_samples;) {
        const tess_trial_sample *one = &a->samples[i], *other = &b->samples[k];
        if (one->round == other->round) {
            x[n] = one->seconds;
            y[n++] = other->seconds;
        }
        i += one->round <= other->round;
        k += other->round <= one->round;
    }
    return n;
}

tess_status tess_runs_compare(const tess_run *base, const tess_run *other, tess_comparison *found) {
    tess_status status = TESS_OK;
    const tess_trial *a = &base->trial, *b = &other->trial;
    double *x = NULL, *y = NULL;
    CHECK(TESS_ALLOC(a->n_samples + 1, &x));
    CHECK(TESS_ALLOC(b->n_samples + 1, &y));
    if (strcmp(base->session, other->session) == 0) {
        CHECK(tess_compare_rounds(x, y, pair_samples(a, b, x, y), found));
        goto done;
    }
    for (int64_t i = 0; i < a->n_samples; i++)
        x[i] = a->samples[i].seconds;
    for (int64_t i = 0; i < b->n_samples; i++)
        y[i] = b->samples[i].seconds;
    CHECK(tess_compare(x, a->n_samples, y, b->n_samples, found));
done:
    free(x);
    free(y);
    return status;
}

/* The open run with the smallest median of those in the race, or -1. */
static int64_t fastest_open(const tess_session *session) {
    int64_t best = -1;
    for (int64_t i = 0; i < session->n; i++) {
        const tess_run *run = session->runs[i];
        if (run->status == TESS_OK && !run->left &&
            (best < 0 ||
             tess_trial_median(&run->trial) < tess_trial_median(&session->runs[best]->trial)))
            best = i;
    }
    return best;
}

/* Lets the runs leave that are surely slower than the fastest, and with `back` those that left come
 * back that no longer are; gives how many are in the race. */
static tess_status judge_runs(tess_session *session, bool back, int64_t *n_left) {
    const int64_t best = fastest_open(session);
    *n_left = 0;
    for (int64_t i = 0; i < session->n && best >= 0; i++) {
        tess_run *run = session->runs[i];
        tess_comparison found;
        if (run->status != TESS_OK || (run->left && !back))
            continue;
        if (i != best) {
            TRY(tess_runs_compare(session->runs[best], run, &found));
            run->left = tess_comparison_verdict(&found, TESS_SAME_MARGIN) == TESS_LARGER;
        }
        *n_left += !run->left;
    }
    return TESS_OK;
}

tess_status tess_race_judge(const tess_race *race, tess_session *session, int n_taken) {
    const int most = race->goes_on ? LONGEST_RACE : TESS_SHORT_RACE;
    int stage = TESS_FIRST_ROUNDS;
    while (stage < n_taken)
        stage *= 2;
    if (stage != n_taken && !(race->late && n_taken > TESS_FIRST_ROUNDS))
        return TESS_OK;
    int64_t n_left = 0;
    TRY(judge_runs(session, race->goes_on && !race->late, &n_left));
    session->n_rounds = race->late || n_left <= 1 || n_taken >= most ? n_taken : 2 * stage;
    return TESS_OK;
}
