/* A verdict: which of some ways to run a loop is the fastest by a model, and what that gains. */
#include "experiments/report/verdict.h"

#include "core/base/statistics.h"
#include "partitioners/partitioner.h"
#include <math.h>
#include <string.h>

enum { MOST_BESIDE = 3 /* that are named beside the best */ };

/* Less than a twentieth nobody would notice; where launches take half of the time and more, a
 * quarter is within what the model is off for short loops. */
static const double noticed = 1.05, noticed_of_launches = 1.25;

static bool is_yardstick(const char *name) {
    const size_t length = name ? strcspn(name, ":, ") : 0;
    for (int i = 0; name && tess_partitioner_at(i); i++) {
        const tess_partitioner *one = tess_partitioner_at(i);
        if (one->yardstick && strncmp(name, one->name, length) == 0 && !one->name[length])
            return true;
    }
    return false;
}

tess_verdict_row tess_verdict_row_of(const char *name, const char *partitioner, double seconds) {
    return (tess_verdict_row){
        .name = name, .detail = "", .seconds = seconds, .is_yardstick = is_yardstick(partitioner)};
}

static bool takes_part(const tess_verdict_row *row) {
    return isfinite(row->seconds) && !row->is_stored && !row->is_yardstick;
}

int64_t tess_verdict_best(const tess_verdict_row *rows, int64_t n) {
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++)
        if (takes_part(&rows[i]) && (best < 0 || rows[i].seconds < rows[best].seconds))
            best = i;
    return best;
}

bool tess_verdict_ties(double best, double number) {
    return fabs(number - best) <= TESS_SAME_MARGIN * fabs(best);
}

static int64_t stored_of(const tess_verdict_row *rows, int64_t n) {
    int64_t stored = -1;
    for (int64_t i = 0; i < n; i++)
        if (rows[i].is_stored && isfinite(rows[i].seconds) &&
            (stored < 0 || rows[i].seconds < rows[stored].seconds))
            stored = i;
    return stored;
}

/* Whether a row is the fastest of its name, and of another name than the best. */
static bool stands_for_name(const tess_verdict_row *rows, int64_t n, int64_t best, int64_t i) {
    if (!takes_part(&rows[i]) || strcmp(rows[i].name, rows[best].name) == 0)
        return false;
    for (int64_t k = 0; k < n; k++)
        if (k != i && takes_part(&rows[k]) && strcmp(rows[k].name, rows[i].name) == 0 &&
            (rows[k].seconds < rows[i].seconds || (rows[k].seconds == rows[i].seconds && k < i)))
            return false;
    return true;
}

/* "; metis and rcb tie". */
static void print_ties(const tess_verdict_row *rows, int64_t n, int64_t best, FILE *words) {
    int n_ties = 0, named = 0;
    for (int64_t i = 0; i < n; i++)
        n_ties += stands_for_name(rows, n, best, i) &&
                  tess_verdict_ties(rows[best].seconds, rows[i].seconds);
    for (int64_t i = 0; i < n && named < MOST_BESIDE; i++) {
        if (!stands_for_name(rows, n, best, i) ||
            !tess_verdict_ties(rows[best].seconds, rows[i].seconds))
            continue;
        fprintf(words, "%s%s",
                named == 0            ? "; "
                : named + 1 == n_ties ? " and "
                                      : ", ",
                rows[i].name);
        named++;
    }
    if (n_ties > named)
        fprintf(words, " and %d more", n_ties - named);
    if (n_ties > 0)
        fputs(n_ties == 1 ? " ties" : " tie", words);
}

/* The fastest of those that are slower than `than`, -1: none. */
static int64_t next_slower(const tess_verdict_row *rows, int64_t n, int64_t best, double than) {
    int64_t next = -1;
    for (int64_t i = 0; i < n; i++)
        if (stands_for_name(rows, n, best, i) && rows[i].seconds > than &&
            (next < 0 || rows[i].seconds < rows[next].seconds))
            next = i;
    return next;
}

/* "; hilbert costs 2 %, gps 5 %". */
static void print_costs(const tess_verdict_row *rows, int64_t n, int64_t best, FILE *words) {
    double than = (1 + TESS_SAME_MARGIN) * rows[best].seconds;
    for (int k = 0; k < MOST_BESIDE; k++) {
        const int64_t next = next_slower(rows, n, best, than);
        if (next < 0)
            return;
        than = rows[next].seconds;
        const double ratio = than / rows[best].seconds;
        fprintf(words, "%s%s%s ", k == 0 ? "; " : ", ", rows[next].name, k == 0 ? " costs" : "");
        if (ratio < 2)
            fprintf(words, "%.0f %%", 100 * (ratio - 1));
        else
            fprintf(words, "%.2g times the time", ratio);
    }
}

bool tess_verdict_is_too_small(const tess_verdict_row *rows, int64_t n) {
    const int64_t best = tess_verdict_best(rows, n), stored = stored_of(rows, n);
    return best >= 0 && stored >= 0 && 2 * rows[stored].launch_seconds >= rows[stored].seconds &&
           rows[stored].seconds < noticed_of_launches * rows[best].seconds;
}

/* Whether somebody would notice what the best gains over the mesh as it is stored. */
static bool gains(const tess_verdict_row *best, const tess_verdict_row *stored) {
    return stored->seconds >= noticed * best->seconds;
}

const char *tess_verdict_word(const tess_verdict_row *rows, int64_t n, int64_t i) {
    const bool ties = tess_verdict_ties(rows[0].seconds, rows[i].seconds);
    if (tess_verdict_is_too_small(rows, n))
        return "";
    if (rows[i].is_stored && gains(&rows[0], &rows[i]))
        return "worse";
    if (rows[i].is_stored)
        return tess_verdict_ties(rows[i].seconds, rows[0].seconds) ||
                       rows[i].seconds > rows[0].seconds
                   ? "same"
                   : "better";
    if (i > 0)
        return ties ? "same" : "worse";
    return n > 1 && !rows[1].is_stored && tess_verdict_ties(rows[0].seconds, rows[1].seconds)
               ? "tie"
               : "best";
}

/* What the best gains over the mesh as it is stored. */
static void print_gain(const tess_verdict_row *best, const tess_verdict_row *stored,
                       const char *device, FILE *words) {
    const double gain = stored->seconds / best->seconds, ms = 1e3 * best->seconds;
    if (!gains(best, stored))
        fprintf(words,
                "Your file's order is as good: by the model of the %s it takes %.3g ms, %s%s "
                "%.3g ms",
                device, 1e3 * stored->seconds, best->name, best->detail, ms);
    else
        fprintf(words,
                "%s%s: %.2g times as fast as your file's order by the model of the %s (%.3g ms for "
                "%.3g)",
                best->name, best->detail, gain, device, ms, 1e3 * stored->seconds);
}

void tess_verdict_print(const tess_verdict_row *rows, int64_t n, const char *device, FILE *words) {
    const int64_t best = tess_verdict_best(rows, n), stored = stored_of(rows, n);
    if (best < 0)
        return;
    if (tess_verdict_is_too_small(rows, n)) {
        fprintf(words,
                "The mesh is too small for a GPU to care: by the model of the %s launches take "
                "%.0f %% of the %.3g ms in your file's order, and no blocks change that",
                device, 100 * rows[stored].launch_seconds / rows[stored].seconds,
                1e3 * rows[stored].seconds);
        return;
    }
    if (stored >= 0)
        print_gain(&rows[best], &rows[stored], device, words);
    else
        fprintf(words, "%s%s: the fastest by the model of the %s (%.3g ms)", rows[best].name,
                rows[best].detail, device, 1e3 * rows[best].seconds);
    print_ties(rows, n, best, words);
    print_costs(rows, n, best, words);
}
