/* Names of view files: north_sea.edges-cells.metis.128.6f28d9cb413e.hdf, what people look for in
 * the dialogues of ParaView; the last part is the beginning of the plan's digest, so that no two
 * plans of a lab share a name. Until 0.1 the whole digest was the name. */
#pragma once

#include "experiments/archive/lab.h"

enum { TESS_VIEW_KEY_SIZE = 13, TESS_VIEW_NAME_SIZE = 192 };

/* Fills the name, without ".hdf", of the view of a plan whose digest is given. What is no letter,
 * digit, '=', '_' or '+' becomes '-'; long words are cut. */
void tess_view_name(const tess_plan_content *content, const char *plan,
                    char name[TESS_VIEW_NAME_SIZE]);

/* The views of a lab, by the plans that they show. */
typedef struct tess_view_names {
    char **names; /* [n] and a NULL */
    int64_t n;
    char **by_plan; /* [n]: the same, sorted by the plan's digest */
} tess_view_names;

TESS_MUST_CHECK tess_status tess_view_names_read(const tess_lab *lab, tess_view_names *out);
void tess_view_names_clear(tess_view_names *views);

/* The name of the view of a plan; NULL where it has none. */
const char *tess_view_names_find(const tess_view_names *views, const char *plan);

/* Fills the beginning of the digest of the plan that a view of this name shows; "" where the name
 * is none of ours. */
void tess_view_key(const char *name, char key[TESS_VIEW_KEY_SIZE]);
