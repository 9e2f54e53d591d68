/* Name counts: names with their counts, as the list of a warning. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct tess_name_counts {
    int n;       /* names that were added, of which those that have room are shown */
    bool is_cut; /* some are not */
    char text[360];
} tess_name_counts;

/* Adds a name with how many it is about; without a count where that is 0. */
void tess_name_counts_add(tess_name_counts *list, const char *name, int64_t count);
/* Adds those of n names whose counts are not zero. */
void tess_name_counts_add_all(tess_name_counts *list, char *const *names, const int64_t *counts,
                              int n);
/* Adds a name and what it has become: 'a b' is now 'a_b'. */
void tess_name_counts_add_pair(tess_name_counts *list, const char *name, const char *now);
/* 'inlet' (3), 'wall' (12), ...: the list's own. */
const char *tess_name_counts_text(const tess_name_counts *list);
