/* An unknown name: the one of the known names that was perhaps meant, and all of them, for the
 * message. */
#include "core/base/unknown_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = sizeof((tess_unknown_name *)NULL)->near - 1 };

/* Levenshtein's distance, with a swap of neighbours counted as one: both at most LONGEST_NAME. */
static int edit_distance(const char *a, const char *b) {
    const int n_a = (int)strlen(a), n_b = (int)strlen(b);
    int rows[3][LONGEST_NAME + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (int j = 0; j <= n_b; j++)
        above[j] = j;
    for (int i = 1; i <= n_a; i++) {
        row[0] = i;
        for (int j = 1; j <= n_b; j++) {
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        int *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[n_b];
}

/* The largest distance at which a known name is near. */
static int most_distance(const char *name) {
    return ((int)strlen(name) + 2) / 3;
}

static bool is_beginning(const char *name, const char *known) {
    enum { LEAST = 3 };
    const size_t length = strlen(name);
    return length >= LEAST && strncmp(name, known, length) == 0;
}

tess_unknown_name tess_unknown_name_of(const char *name) {
    return (tess_unknown_name){.name = name, .distance = most_distance(name) + 1};
}

void tess_unknown_name_offer(tess_unknown_name *unknown, const char *known) {
    const size_t length = strlen(unknown->name), known_length = strlen(known);
    if (!length || length > LONGEST_NAME || known_length > LONGEST_NAME)
        return;
    const int most = most_distance(unknown->name);
    int distance = edit_distance(unknown->name, known);
    if (distance > most && is_beginning(unknown->name, known))
        distance = most;
    if (distance < unknown->distance) {
        unknown->distance = distance;
        memcpy(unknown->near, known, known_length + 1);
    }
}

void tess_unknown_name_add(tess_unknown_name *unknown, const char *known) {
    tess_unknown_name_offer(unknown, known);
    const size_t used = strlen(unknown->known);
    snprintf(unknown->known + used, sizeof unknown->known - used, "%s%s", used ? ", " : "", known);
}

void tess_unknown_name_add_all(tess_unknown_name *unknown, const char *const *names) {
    for (; *names; names++)
        tess_unknown_name_add(unknown, *names);
}

tess_status tess_unknown_name_fail(const char *subject, const tess_unknown_name *unknown,
                                   tess_unknown_words words) {
    const bool is_near = unknown->near[0] != '\0';
    char rest[sizeof unknown->known + 256];
    snprintf(rest, sizeof rest, is_near ? words.suggested : words.otherwise, unknown->known);
    if (is_near)
        FAIL(TESS_ERROR_USAGE, "%s '%s'; did you mean '%s'%s", subject, unknown->name,
             unknown->near, rest);
    FAIL(TESS_ERROR_USAGE, "%s '%s'%s", subject, unknown->name, rest);
}
