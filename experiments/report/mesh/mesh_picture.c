/* A picture of a mesh: its cells coloured by their shapes, polygons and polyhedra by their sides.
 */
#include "experiments/report/mesh/mesh_picture.h"

#include "core/base/array.h"
#include "core/base/temporary_folder.h"
#include "core/mesh/polytopes.h"
#include "data/mesh_quality.h"
#include "viz/paraview.h"
#include "viz/view_shape.h"
#include "viz/vtkhdf_writer.h"
#include <stdlib.h>

/* Gives what cells are coloured by [cells], and its name: their shape, or how many sides they have
 * where they are polygons and polyhedra. */
static tess_status measure_cells(const tess_mesh *mesh, float **value, const char **name) {
    tess_status status = TESS_OK;
    tess_mesh_quality quality;
    tess_polytopes polytopes = {.dimension = 0};
    *name = "shape";
    CHECK(tess_mesh_quality_measure(mesh, &quality, value));
    CHECK(tess_polytopes_build(mesh, &polytopes));
    if (!*value)
        CHECK(TESS_ZEROS(tess_mesh_set_size(mesh, "cells"), value));
    if (polytopes.dimension)
        *name = "sides of a cell";
    for (int64_t cell = 0; cell < polytopes.n_cells && polytopes.dimension; cell++)
        (*value)[cell] = (float)tess_rows_size(polytopes.sides, cell);
done:
    tess_polytopes_release(&polytopes);
    return status;
}

/* Gives the cells as one block, with what they are coloured by. */
static tess_status build_view(tess_mesh *mesh, tess_view_mesh **out, const char **colour) {
    tess_status status = TESS_OK;
    tess_view_mesh *view = NULL;
    int32_t *block_of = NULL;
    float *value = NULL, *shown = NULL;
    CHECK(tess_view_derive(mesh, "cells"));
    CHECK(TESS_ZEROS(tess_mesh_set_size(mesh, "cells"), &block_of));
    CHECK(tess_view_mesh_of_partition(mesh, "cells", 1, block_of, &view));
    CHECK(measure_cells(mesh, &value, colour));
    CHECK(TESS_ALLOC(view->n_cells, &shown));
    const tess_view_array *element = tess_view_mesh_find(view, "element");
    for (int64_t i = 0; i < view->n_cells; i++)
        shown[i] = value[((const int32_t *)element->values)[i]];
    view->arrays[view->n_arrays++] =
        (tess_view_array){.name = *colour, .type = TESS_FLOAT, .values = TESS_TAKE(shown)};
    *out = TESS_TAKE(view);
done:
    free(block_of);
    free(value);
    free(shown);
    tess_view_mesh_free(view);
    return status;
}

tess_status tess_mesh_picture_render(tess_mesh *mesh, const char *png) {
    tess_status status = TESS_OK;
    tess_view_mesh *view = NULL;
    char folder[TESS_TEMPORARY_SIZE] = "", *path = NULL;
    const char *arguments[] = {"--png", png, "--colour", NULL, NULL, NULL};
    const tess_view_label label = {"mesh", mesh->source};
    CHECK(build_view(mesh, &view, &arguments[3]));
    tess_temporary_folder_make("tess-mesh", folder);
    if (!folder[0])
        CHECK(tess_fail(TESS_ERROR_IO, "no temporary folder: TMPDIR says where"));
    CHECK(tess_text_print(&path, "%s/mesh.hdf", folder));
    arguments[4] = path;
    CHECK(tess_vtkhdf_write(view, &(tess_view_source){.n_labels = 1, .labels = &label}, path));
    CHECK(tess_paraview_run("view.py", arguments));
done:
    tess_temporary_folder_remove(folder);
    free(path);
    tess_view_mesh_free(view);
    return status;
}
