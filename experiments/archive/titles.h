/* A title: what people read of a value that records name, in tables, pages and pictures. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

typedef struct tess_title {
    const char *name;  /* in records: "transfer_total" */
    const char *title; /* "moved MB", with the unit of what is shown */
    double scale;      /* of what is shown, per what is recorded */
} tess_title;

/* The i-th title of experiments/archive/title_list.h; NULL past the last. */
const tess_title *tess_title_at(int i);

/* The title of a recorded name, or what a title names, where '_' is as good as a space
 * ("moved_MB"); NULL where there is none: then the name is its own title. */
const tess_title *tess_title_of(const char *name);
const tess_title *tess_title_find(const char *title);

/* All of them for pages, {NAME: [TITLE, SCALE]}; NULL when out of memory. */
json_t *tess_titles_json(void);

/* The recorded name of what a title names; else the words themselves. */
const char *tess_recorded_name(const char *words);
