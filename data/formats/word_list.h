/* A word list: names with their counts, for a warning. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct tess_word_list {
    int n;       /* names that were added, of which those that have room are shown */
    bool is_cut; /* some are not */
    char text[360];
} tess_word_list;

/* Adds a name with how many it is about; without a count where that is 0. */
void tess_word_list_add(tess_word_list *list, const char *name, int64_t count);
/* Adds a name and what it has become: 'a b' is now 'a_b'. */
void tess_word_list_add_pair(tess_word_list *list, const char *name, const char *now);
/* 'inlet' (3), 'wall' (12), ...: the list's own. */
const char *tess_word_list_text(const tess_word_list *list);
