/* A race: runs that are surely slower leave, the others take more samples. */
#include "experiments/campaign/race.h"

#include "core/base/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_RACE = 3 << 15 }; /* rounds: ties are known to a thousandth long before */

static const double near = 1.1; /* times as long as the fastest */

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

/* The first of 6, 12, 24 ... that is not below n. */
static int stage_of(int n) {
    int stage = TESS_FIRST_ROUNDS;
    while (stage < n)
        stage *= 2;
    return stage;
}

/* The median of a run's samples from a round on; infinite where they are fewer than `least`. */
static double median_since(const tess_run *run, int round, int least) {
    tess_trial part = run->trial;
    while (part.n_samples > 0 && part.samples->round < round) {
        part.samples++;
        part.n_samples--;
    }
    return part.n_samples < least ? INFINITY : tess_trial_median(&part);
}

/* The run in the race that was the fastest from a round on, of those with so many samples since, or
 * -1: what it took when others did not take part tells nothing of them. */
static int64_t fastest_since(const tess_session *session, int round, int least) {
    int64_t best = -1;
    double least_median = INFINITY;
    for (int64_t i = 0; i < session->n; i++) {
        const tess_run *run = session->runs[i];
        if (run->status != TESS_OK || run->left)
            continue;
        const double median = median_since(run, round, least);
        if (!(median < least_median))
            continue;
        best = i;
        least_median = median;
    }
    return best;
}

/* The round after which all that are in the race took part, six rounds ago at least where there
 * were so many: who came back did so at 6, 12, 24 ... */
static int common_since(int n_taken) {
    const int last = stage_of(n_taken) / 2;
    return n_taken <= TESS_FIRST_ROUNDS          ? 0
           : n_taken - last >= TESS_FIRST_ROUNDS ? last
           : last / 2 >= TESS_FIRST_ROUNDS       ? last / 2
                                                 : 0;
}

/* Tells whether a run is surely slower than the fastest, and with `only_far` by a tenth, too. */
static tess_status is_slower(const tess_run *best, const tess_run *run, bool only_far, bool *slower,
                             bool *leaves) {
    tess_comparison found;
    TRY(tess_runs_compare(best, run, &found));
    *slower = tess_comparison_verdict(&found, TESS_SAME_MARGIN) == TESS_LARGER;
    *leaves = *slower && (!only_far || found.ratio > near);
    return TESS_OK;
}

/* Lets the runs leave that are surely slower than the fastest; where time is left those that left
 * come back that no longer are. Gives how many are in the race; `won`: all others are slower. */
static tess_status judge_runs(tess_race *race, tess_session *session, int n_taken,
                              int64_t *n_left) {
    const int64_t best = fastest_since(session, session->n_meanwhile + common_since(n_taken), 1);
    *n_left = 0;
    race->won = best >= 0;
    for (int64_t i = 0; i < session->n && best >= 0; i++) {
        tess_run *run = session->runs[i];
        bool slower = true;
        if (run->status != TESS_OK || (run->left && (!race->goes_on || race->late)))
            continue;
        if (i != best)
            TRY(is_slower(session->runs[best], run, race->confirms && !race->late, &slower,
                          &run->left));
        race->won = race->won && slower;
        *n_left += !run->left;
    }
    return TESS_OK;
}

tess_status tess_race_judge(tess_race *race, tess_session *session, int n_taken) {
    const int most = race->goes_on ? LONGEST_RACE : TESS_SHORT_RACE;
    const int stage = stage_of(n_taken);
    const bool ends = race->late || (race->goes_on && race->won && !race->confirms);
    if (stage != n_taken && !(ends && n_taken > TESS_FIRST_ROUNDS))
        return TESS_OK;
    int64_t n_left = 0;
    TRY(judge_runs(race, session, n_taken, &n_left));
    session->n_rounds = race->late || n_left <= 1 || n_taken >= most ? n_taken : 2 * stage;
    return TESS_OK;
}

tess_status tess_race_thin(tess_session *session) {
    const int since = session->n_meanwhile - TESS_FIRST_ROUNDS;
    const int64_t best = fastest_since(session, since, TESS_FIRST_ROUNDS);
    for (int64_t i = 0; i < session->n && best >= 0; i++) {
        tess_run *run = session->runs[i];
        bool slower = false;
        if (run->status != TESS_OK || run->left ||
            stage_of((int)run->trial.n_samples) != run->trial.n_samples)
            continue;
        if (i != best)
            TRY(is_slower(session->runs[best], run, true, &slower, &run->left));
    }
    return TESS_OK;
}

bool tess_run_is_faster(const tess_run *a, const tess_run *b) {
    tess_comparison found = {.ratio = NAN};
    if (a->left != b->left)
        return b->left;
    if (a->trial.n_samples == b->trial.n_samples || tess_runs_compare(b, a, &found) != TESS_OK ||
        isnan(found.ratio))
        return tess_trial_median(&a->trial) < tess_trial_median(&b->trial);
    return found.ratio < 1;
}
