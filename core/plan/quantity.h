/* A quantity: a number that is said of a run, a plan, its blocks or its elements, and what its name
 * means (docs/concepts.md, "Metrics"). */
#pragma once

#include "core/base/status.h"
#include <jansson.h>
#include <stdbool.h>

typedef enum tess_source {
    TESS_SOURCE_PLAN,
    TESS_SOURCE_EMULATOR,
    TESS_SOURCE_COUNTER, /* of the hardware */
    TESS_SOURCE_DRIVER,
    TESS_SOURCE_TIMER,
    TESS_SOURCE_SYSTEM,
    TESS_SOURCE_SAMPLE, /* the emulator's estimate from a sample of blocks */
    TESS_SOURCE_MODEL,  /* of a GPU: nothing was run */
    TESS_N_SOURCES
} tess_source;

const char *tess_source_name(tess_source source);
/* The source of a name, or false. */
bool tess_source_find(const char *name, tess_source *out);

/* What a quantity is a number of; core/plan/quantities.h explains them. */
typedef enum tess_subject {
    TESS_OF_RUN,
    TESS_OF_PLAN,
    TESS_OF_BLOCK,
    TESS_OF_BLOCK_ONLY,
    TESS_OF_ELEMENT,
    TESS_OF_SETTING /* no quantity: a title alone */
} tess_subject;

/* A line of core/plan/quantities.h. */
typedef struct tess_quantity {
    const char *name;   /* in records: "transfer_total" */
    const char *title;  /* in tables: "moved MB", with the unit of what is shown */
    double scale;       /* of what is shown, per what is recorded */
    const char *format; /* of what is shown: "%.2f" */
    const char *unit;   /* "1" where it has none */
    int better;         /* 1: larger is better, -1: smaller is, 0: neither */
    tess_subject of;
    tess_source source;     /* where nothing else is said */
    const char *long_name;  /* one line */
    const char *definition; /* formula and, where it misleads, the pitfall */
} tess_quantity;

/* Whether it counts something: all its values are whole numbers. */
bool tess_quantity_is_whole(const tess_quantity *quantity);

/* All quantities in the order of the table, then what has a title alone; NULL past the last. */
const tess_quantity *tess_quantity_at(int i);

/* The quantity of a name, or of one that it had in earlier versions; what follows a / in it is left
 * out: "sectors_per_block/q". NULL if unknown. */
const tess_quantity *tess_quantity_find(const char *name);

/* Those that are one number of a run: metrics. NULL past the last, and for other names. */
const tess_quantity *tess_metric_at(int i);
const tess_quantity *tess_metric_find(const char *name);

/* Puts the name that a metric has now in the place of one that it had in earlier versions; what
 * follows a / or an @ stays. Whether it was such a one. The new name is never longer. */
bool tess_metric_rename(char *name);

/* A text that names a metric as earlier versions did, say a filter: the old name and the new one.
 */
bool tess_metric_old_name_in(const char *text, const char **old, const char **now);

/* What has a title other than its name, by that name, or by the title, where '_' is as good as a
 * space ("moved_MB"), or NULL: then the name is its own title. */
const tess_quantity *tess_title_of(const char *name);
const tess_quantity *tess_title_find(const char *title);

/* The recorded name of what a title names; else the words themselves. */
const char *tess_recorded_name(const char *words);

/* All titles for pages, {NAME: [TITLE, SCALE]}; NULL when out of memory. */
json_t *tess_titles_json(void);
