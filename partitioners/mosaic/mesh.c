/* Walked meshes. */
#include "partitioners/mosaic/mesh.h"
#include "core/base/array.h"
#include "partitioners/mosaic/ball.h"

#include <stdlib.h>
#include <string.h>

tess_status mosaic_mesh_build(const tess_problem *problem, int64_t largest, double shift,
                              bool places, mosaic_mesh *mesh) {
    tess_status status = TESS_OK;
    mosaic_pins pins = {0};
    mosaic_rows rows = {0};
    mosaic_walk walk = {0};
    *mesh = (mosaic_mesh){.dimension = problem->coordinates ? problem->dimension : 0,
                          .coordinates = problem->coordinates};
    CHECK(mosaic_pins_build(problem, largest, &pins));
    CHECK(mosaic_rows_build(&pins, &rows));
    CHECK(mosaic_walk_reset(&pins, &rows, &walk));
    mesh->regular = mosaic_balls_are_alike(&walk, mesh->dimension);
    mesh->scattered = places && !mesh->regular &&
                      mosaic_balls_are_round(&walk, mesh->coordinates, mesh->dimension);
    if (mesh->scattered) {
        mesh->order = walk.order; /* the identity */
        walk.order = NULL;
        mesh->pins = pins;
        pins = (mosaic_pins){0};
        goto done;
    }
    mesh->ball = mosaic_balls_median(&walk, problem->block_size);
    mosaic_walk_across(&walk, 0, pins.n_elements, mosaic_walk_inside(0, shift));
    mesh->n_levels = walk.n_levels;
    CHECK(TESS_ALLOC(walk.n_levels + 1, &mesh->level));
    memcpy(mesh->level, walk.level, (size_t)(walk.n_levels + 1) * sizeof *walk.level);
    mesh->order = walk.order;
    walk.order = NULL;
    mosaic_rows_clear(&rows);
    mosaic_walk_clear(&walk);
    CHECK(mosaic_pins_permute(&pins, mesh->order, &mesh->pins));
done:
    mosaic_pins_clear(&pins);
    mosaic_rows_clear(&rows);
    mosaic_walk_clear(&walk);
    if (status != TESS_OK)
        mosaic_mesh_clear(mesh);
    return status;
}

void mosaic_mesh_clear(mosaic_mesh *mesh) {
    free(mesh->order);
    free(mesh->level);
    mosaic_pins_clear(&mesh->pins);
    *mesh = (mosaic_mesh){0};
}
