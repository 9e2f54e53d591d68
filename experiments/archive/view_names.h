/* Names of view files: north_sea.edges-cells.metis.128.hdf, what people look for in the dialogues
 * of ParaView; where another plan has that name, the beginning of the plan's digest stands before
 * ".hdf". A view says in its root attribute `view_of` what it shows. Until 0.1 the whole digest was
 * the name, or its beginning ended the name, and there was no such attribute. */
#pragma once

#include "experiments/archive/lab.h"

enum { TESS_VIEW_NAME_SIZE = 192, TESS_VIEW_VERSION = 2 };

/* Fills the name, without ".hdf", of the view of a plan. What is no letter, digit, '=', '_' or '+'
 * becomes '-'; long words are cut. */
void tess_view_name(const tess_plan_content *content, char name[TESS_VIEW_NAME_SIZE]);

/* The name of the view of a run on ranks, "north_sea.res_calc.rcb.4-ranks", or of a chain,
 * "north_sea.adt_calc+res_calc.rcb.1-rings". */
void tess_view_name_of_record(const tess_record *record, const tess_mesh *mesh,
                              char name[TESS_VIEW_NAME_SIZE]);

/* One view of a lab. */
typedef struct tess_view_entry {
    char name[TESS_VIEW_NAME_SIZE + TESS_DIGEST_SIZE];
    char of[TESS_DIGEST_SIZE]; /* the plan's digest or its beginning, or the id of a run on ranks;
                                  "": it is not one of ours */
    int version;               /* TESS_VIEW_VERSION, or 1: its arrays have other names */
} tess_view_entry;

typedef struct tess_view_names {
    tess_view_entry *items; /* [n], by name */
    int64_t n;
} tess_view_names;

TESS_MUST_CHECK tess_status tess_view_names_read(const tess_lab *lab, tess_view_names *out);
void tess_view_names_clear(tess_view_names *views);

/* Deletes a view by its name, and what is beside it. */
TESS_MUST_CHECK tess_status tess_view_delete(const tess_lab *lab, const char *name);

/* The view of a plan or of a run on ranks; NULL where it has none. */
const tess_view_entry *tess_view_names_find(const tess_view_names *views, const char *of);
