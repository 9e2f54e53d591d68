/* Name counts: names with their counts, as the list of a warning. */
#include "data/formats/name_counts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends an item where it and the end of a list that is cut have room. */
static void add(tess_name_counts *list, const char *format, ...) {
    static const char end[] = ", ...";
    const size_t used = strlen(list->text), room = sizeof list->text - used;
    va_list values;
    list->n++;
    if (list->is_cut)
        return;
    if (list->n > 1)
        strcpy(list->text + used, ", ");
    va_start(values, format);
    const int n = vsnprintf(list->text + used + (list->n > 1 ? 2 : 0), room - 2, format, values);
    va_end(values);
    list->is_cut = n < 0 || (size_t)n + 2 + sizeof end > room;
    if (list->is_cut)
        strcpy(list->text + used, end);
}

void tess_name_counts_add(tess_name_counts *list, const char *name, int64_t count) {
    if (count)
        add(list, "'%.40s' (%" PRId64 ")", name, count);
    else
        add(list, "'%.40s'", name);
}

void tess_name_counts_add_all(tess_name_counts *list, char *const *names, const int64_t *counts,
                              int n) {
    for (int i = 0; i < n; i++)
        if (counts[i])
            tess_name_counts_add(list, names[i], counts[i]);
}

void tess_name_counts_add_pair(tess_name_counts *list, const char *name, const char *now) {
    add(list, "'%.40s' is now '%.40s'", name, now);
}

const char *tess_name_counts_text(const tess_name_counts *list) {
    return list->text;
}
