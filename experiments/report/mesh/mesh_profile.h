/* The profile of a mesh: what hangs together, how it is numbered, the shapes of its cells, what is
 * odd, and which applications run on it. */
#pragma once

#include "data/mesh_faults.h"
#include "data/mesh_links.h"
#include "data/mesh_quality.h"
#include <jansson.h>

/* Whether an application runs on a mesh. */
typedef struct tess_served {
    const char *application, *summary;
    char *refusal; /* owned; NULL: it runs */
} tess_served;

typedef struct tess_mesh_profile {
    tess_mesh_links links;
    tess_mesh_quality quality;
    tess_mesh_faults faults; /* of shape (data/mesh_faults.h); the others are the mesh's warnings */
    int n_served;
    tess_served *served; /* owned */
} tess_mesh_profile;

/* Measures a mesh and adds the sets and maps of its sides to it. Applications are asked by
 * tess_mesh_profile_ask, which adds what they need. */
TESS_MUST_CHECK tess_status tess_mesh_profile_measure(tess_mesh *mesh, tess_mesh_profile *profile);
TESS_MUST_CHECK tess_status tess_mesh_profile_ask(tess_mesh *mesh, tess_mesh_profile *profile);
void tess_mesh_profile_release(tess_mesh_profile *profile);

/* Prints it on stdout, behind the sets and markers. */
TESS_MUST_CHECK tess_status tess_mesh_profile_print(const tess_mesh_profile *profile);

/* Adds it to an object: "links", "quality", "odd", "applications". */
void tess_mesh_profile_add_json(json_t *object, const tess_mesh_profile *profile);
