/* A given mesh: what another program is timed on, in an order and a format, as a file of a while.
 */
#pragma once

#include "core/base/status.h"
#include "core/base/temporary_folder.h"
#include <stdbool.h>

typedef struct tess_given_mesh {
    char folder[TESS_TEMPORARY_SIZE]; /* the program's, too; "": none is made yet */
    char *path;                       /* of the mesh; owned */
} tess_given_mesh;

/* Whether an order is one that we put a mesh in: not "stored", nor "own", where the program orders
 * it itself. */
bool tess_given_order_is_ours(const char *order);

/* Writes the mesh in that format (NULL: of its name's extension) by an order or a partitioner as
 * `tess mesh reorder` has it; one that is not ours leaves it as it is. Fails as reading, ordering
 * and writing it do. */
TESS_MUST_CHECK tess_status tess_given_mesh_write(const char *mesh, const char *order,
                                                  const char *format, tess_given_mesh *out);

/* Gives the program's words with the mesh's file for each {mesh}, the folder for {folder} and the
 * order for {order}; each is the caller's to free. */
TESS_MUST_CHECK tess_status tess_given_mesh_say(const tess_given_mesh *given, const char *order,
                                                const char *word, char **out);

/* Whether a word names the mesh or its folder. */
bool tess_given_mesh_is_said(const char *word);

void tess_given_mesh_remove(tess_given_mesh *given);
