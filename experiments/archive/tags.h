/* Tags and notes of the runs of a lab: one small file each, notes/<id>/tag.NAME and
 * notes/<id>/note.ID.txt, so that labs merge by copying. */
#pragma once

#include "experiments/archive/lab.h"

typedef struct tess_tag {
    char run[TESS_RUN_ID_SIZE];
    char name[TESS_NAME_SIZE];
} tess_tag;

/* The tags of all runs, sorted by run and name. */
typedef struct tess_tags {
    int64_t n, capacity;
    tess_tag *items;
} tess_tags;

TESS_MUST_CHECK tess_status tess_tags_read(const tess_lab *lab, tess_tags **out);
void tess_tags_free(tess_tags *tags);
bool tess_tags_has(const tess_tags *tags, const char *run, const char *name);
/* The tags of a run, separated by commas; the caller frees it. */
TESS_MUST_CHECK tess_status tess_tags_of(const tess_tags *tags, const char *run, char **out);

/* Gives a run a tag (letters, digits, '-', '_' and '.', else USAGE), or takes it away; both succeed
 * when it is so already. */
TESS_MUST_CHECK tess_status tess_tag_add(const tess_lab *lab, const char *run, const char *name);
TESS_MUST_CHECK tess_status tess_tag_remove(const tess_lab *lab, const char *run, const char *name);

/* Adds a note to a run; gives all its notes in the order in which they were made, each with its
 * closing line end ("" where there are none; the caller frees it). */
TESS_MUST_CHECK tess_status tess_note_add(const tess_lab *lab, const char *run, const char *text);
TESS_MUST_CHECK tess_status tess_notes_read(const tess_lab *lab, const char *run, char **out);
