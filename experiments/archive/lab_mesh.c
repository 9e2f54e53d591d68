/* The meshes of a lab. */
#include "experiments/archive/lab.h"
#include "experiments/archive/mesh_file.h"

#include <stdlib.h>

tess_status tess_lab_store_mesh(tess_lab *lab, const tess_mesh *mesh,
                                char digest[TESS_DIGEST_SIZE]) {
    tess_status status = TESS_OK;
    char *path = NULL;
    CHECK(tess_digest_of_mesh(mesh, digest));
    CHECK(tess_lab_missing(lab, "meshes", digest, &path));
    if (path) {
        CHECK(tess_mesh_file_write(mesh, digest, path));
        CHECK(tess_lab_remember(lab, digest));
    }
done:
    free(path);
    return status;
}

tess_status tess_lab_read_mesh(const tess_lab *lab, const char *digest, tess_mesh **out) {
    char *path = NULL;
    TRY(tess_lab_file(lab, "meshes", digest, &path));
    const tess_status status = tess_mesh_file_read(path, out);
    free(path);
    return status;
}
