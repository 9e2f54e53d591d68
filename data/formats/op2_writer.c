/* Writes OP2's new_grid.dat: quads with their edges, as OP2's airfoil application reads them. */
#include "data/formats/writer.h"

/* The side of a cell's middle from the way a to b: positive on the left. */
static double side_of_cell(const tess_mesh *mesh, const int32_t *cell_nodes, int32_t a, int32_t b) {
    const double *x = mesh->coordinates;
    double middle[2] = {0};
    for (int i = 0; i < 4; i++) {
        middle[0] += x[2 * cell_nodes[i]] / 4;
        middle[1] += x[2 * cell_nodes[i] + 1] / 4;
    }
    return (x[2 * b] - x[2 * a]) * (middle[1] - x[2 * a + 1]) -
           (x[2 * b + 1] - x[2 * a + 1]) * (middle[0] - x[2 * a]);
}

/* Writes edges or bedges; those derived are turned so that their first cell lies on the right, as
 * OP2 has it. `bound` is NULL, or what is written behind each. */
static void write_sides(FILE *stream, const tess_mesh *mesh, const int32_t *cells_nodes,
                        const char *set, const int32_t *bound) {
    char name[TESS_NAME_SIZE];
    snprintf(name, sizeof name, "%s:nodes", set);
    const tess_map *nodes = tess_mesh_find_map(mesh, name);
    snprintf(name, sizeof name, "%s:cells", set);
    const tess_map *cells = tess_mesh_find_map(mesh, name);
    for (int64_t e = 0; e < tess_mesh_set_size(mesh, set); e++) {
        const int32_t *of = cells->index + e * cells->arity;
        int32_t a = nodes->index[2 * e], b = nodes->index[2 * e + 1];
        if (nodes->derived && side_of_cell(mesh, cells_nodes + 4 * (int64_t)of[0], a, b) > 0) {
            a = b;
            b = nodes->index[2 * e];
        }
        fprintf(stream, "%d %d %d", a, b, of[0]);
        if (cells->arity == 2)
            fprintf(stream, " %d", of[1]);
        if (bound)
            fprintf(stream, " %d", bound[e]);
        else if (cells->arity == 1)
            fputs(" 0", stream);
        fputc('\n', stream);
    }
}

static tess_status op2_write(const tess_mesh *mesh, const tess_cells *cells,
                             const tess_marked *marked, FILE *stream) {
    (void)marked;
    const tess_map *all = tess_mesh_find_map(mesh, "cells:nodes");
    if (!all || all->arity != 4 || mesh->dimension != 2)
        FAIL(TESS_ERROR_INPUT, "%s: OP2's new_grid.dat holds nothing but quads in a plane",
             mesh->source);
    fprintf(stream, "%lld %lld %lld %lld\n", (long long)cells->n_nodes, (long long)cells->n_cells,
            (long long)tess_mesh_set_size(mesh, "edges"),
            (long long)tess_mesh_set_size(mesh, "bedges"));
    for (int64_t i = 0; i < cells->n_nodes; i++) {
        tess_write_real(stream, mesh->coordinates[2 * i]);
        fputc(' ', stream);
        tess_write_real(stream, mesh->coordinates[2 * i + 1]);
        fputc('\n', stream);
    }
    for (int64_t cell = 0; cell < cells->n_cells; cell++)
        fprintf(stream, "%d %d %d %d\n", all->index[4 * cell], all->index[4 * cell + 1],
                all->index[4 * cell + 2], all->index[4 * cell + 3]);
    write_sides(stream, mesh, all->index, "edges", NULL);
    const tess_dat *bound = tess_mesh_find_dat(mesh, "bound", "bedges");
    const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", "bedges");
    const tess_dat *dat = bound ? bound : marker;
    const bool usable = dat && dat->type == TESS_INT32 && dat->dim == 1;
    write_sides(stream, mesh, all->index, "bedges", usable ? dat->values : NULL);
    return TESS_OK;
}

const tess_writer tess_writer_op2 = {
    .name = "op2",
    .summary = "OP2's new_grid.dat: quads with edges:nodes, edges:cells and boundary conditions",
    .extension = ".dat",
    .maps = "edges:nodes edges:cells bedges:nodes bedges:cells",
    .keeps_maps = true,
    .write = op2_write};
