/* A lab: an archive of meshes, plans and runs, a folder of files (docs/concepts.md, "The lab").
 *
 * Every file appears whole and never changes, so any number of writers on any machines need no
 * lock. Meshes and plans are named by their digests and stored once; runs by ids that sort by
 * time. */
#pragma once

#include "experiments/archive/plan_file.h"
#include "experiments/archive/record.h"

typedef struct tess_lab tess_lab;

/* Opens a lab; path NULL: the environment's TESS_LAB, else "lab". Makes its folders if `create`,
 * else fails (INPUT) without one, saying how one comes to be. */
TESS_MUST_CHECK tess_status tess_lab_open(const char *path, bool create, tess_lab **out);
void tess_lab_close(tess_lab *lab);

/* Fails (INPUT) where runs cannot be written to the lab, before they are made. */
TESS_MUST_CHECK tess_status tess_lab_check_writable(const tess_lab *lab);

const char *tess_lab_folder(const tess_lab *lab);
/* Whether it is the one that commands take where no --lab is said. */
bool tess_lab_is_usual(const tess_lab *lab);

/* Gives "<lab>/<kind>/<name><extension>" that the caller frees: kind "meshes", "plans", "runs",
 * "views" (extension ".hdf"), "notes" (""). */
TESS_MUST_CHECK tess_status tess_lab_file(const tess_lab *lab, const char *kind, const char *name,
                                          char **out);

/* Makes the folder of views where somebody has removed it with them: they are written anew. */
TESS_MUST_CHECK tess_status tess_lab_make_views(const tess_lab *lab);

/* Fills path with "<lab>/" and printf's words: "plans/%s.hdf". Fails (IO) where that is too long.
 */
enum { TESS_PATH_SIZE = 4096 };
TESS_MUST_CHECK tess_status tess_lab_path(const tess_lab *lab, char path[TESS_PATH_SIZE],
                                          const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Stores a mesh, a plan (content->mesh is the digest of its stored mesh) unless it is there and
 * intact, and gives its digest. Store a mesh with all that can be derived (tess_mesh_derive_all),
 * so that one mesh is one file whatever is run on it. */
TESS_MUST_CHECK tess_status tess_lab_store_mesh(tess_lab *lab, const tess_mesh *mesh,
                                                char digest[TESS_DIGEST_SIZE]);
TESS_MUST_CHECK tess_status tess_lab_store_plan(tess_lab *lab, const tess_plan_content *content,
                                                char digest[TESS_DIGEST_SIZE]);

/* Stores a record and fills record->id. */
TESS_MUST_CHECK tess_status tess_lab_store_run(tess_lab *lab, tess_record *record);

/* Gives the names of all files of a kind (ids or digests), sorted, NULL-terminated, without
 * temporaries; the caller frees them with tess_lab_names_free. */
TESS_MUST_CHECK tess_status tess_lab_names(const tess_lab *lab, const char *kind, char ***names,
                                           int64_t *n);
void tess_lab_names_free(char **names);

/* Finds the run that `name` means: the beginning of one id (at least 4 characters), `@last`, or
 * `@last~N`, the Nth before it. Fails (INPUT) where none is, or several are. */
TESS_MUST_CHECK tess_status tess_lab_find(const tess_lab *lab, const char *name,
                                          char id[TESS_RUN_ID_SIZE]);

TESS_MUST_CHECK tess_status tess_lab_read_run(const tess_lab *lab, const char *id,
                                              tess_record **out);
TESS_MUST_CHECK tess_status tess_lab_read_mesh(const tess_lab *lab, const char *digest,
                                               tess_mesh **out);
/* On the mesh that tess_lab_read_mesh gave for its digest. */
TESS_MUST_CHECK tess_status tess_lab_read_plan(const tess_lab *lab, const char *digest,
                                               const tess_mesh *mesh, tess_plan_content **out);
