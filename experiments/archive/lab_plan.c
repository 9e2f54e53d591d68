/* The plans of a lab. */
#include "experiments/archive/lab.h"

#include <stdlib.h>

tess_status tess_lab_store_plan(tess_lab *lab, const tess_plan_content *content,
                                char digest[TESS_DIGEST_SIZE]) {
    tess_status status = TESS_OK;
    char *path = NULL;
    CHECK(tess_digest_of_plan(content, digest));
    CHECK(tess_lab_missing(lab, "plans", digest, &path));
    if (path) {
        CHECK(tess_plan_file_write(content, digest, path));
        CHECK(tess_lab_remember(lab, digest));
    }
done:
    free(path);
    return status;
}

tess_status tess_lab_read_plan(const tess_lab *lab, const char *digest, const tess_mesh *mesh,
                               tess_plan_content **out) {
    char *path = NULL;
    TRY(tess_lab_file(lab, "plans", digest, &path));
    const tess_status status = tess_plan_file_read(path, mesh, out);
    free(path);
    return status;
}
