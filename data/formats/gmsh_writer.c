/* Writes Gmsh meshes as text: versions 4.1 and 2.2. */
#include "data/formats/writer.h"

/* Gmsh's number of a type of cells, by VTK's. */
static int gmsh_of_vtk(int vtk) {
    switch (vtk) {
    case 5:
        return 2;
    case 9:
        return 3;
    case 10:
        return 4;
    case 12:
        return 5;
    case 13:
        return 6;
    default:
        return 7; /* pyramid */
    }
}

static int gmsh_of_marked(int n_nodes) {
    return n_nodes - 1; /* edge 1, triangle 2, quad 3 */
}

/* A physical name in quotes, which it cannot hold itself. */
static void write_name(FILE *stream, const char *name) {
    fputc('"', stream);
    for (; *name; name++)
        fputc(*name == '"' || *name == '\n' ? '\'' : *name, stream);
    fputs("\"\n", stream);
}

static void write_names(FILE *stream, const tess_marked *marked, int dimension) {
    if (!marked->n_markers)
        return;
    fprintf(stream, "$PhysicalNames\n%d\n", marked->n_markers);
    for (int m = 0; m < marked->n_markers; m++) {
        fprintf(stream, "%d %d ", dimension - 1, m + 1);
        write_name(stream, marked->names[m]);
    }
    fputs("$EndPhysicalNames\n", stream);
}

static void write_point(FILE *stream, const tess_mesh *mesh, int64_t i) {
    for (int d = 0; d < 3; d++) {
        if (d)
            fputc(' ', stream);
        tess_write_real(stream,
                        d < mesh->dimension ? mesh->coordinates[i * mesh->dimension + d] : 0);
    }
    fputc('\n', stream);
}

static void write_element(FILE *stream, const int32_t *nodes, int n) {
    for (int i = 0; i < n; i++)
        fprintf(stream, " %lld", (long long)nodes[i] + 1);
    fputc('\n', stream);
}

static tess_status gmsh2_write(const tess_mesh *mesh, const tess_cells *cells,
                               const tess_marked *marked, FILE *stream) {
    fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", stream);
    write_names(stream, marked, cells->dimension);
    fprintf(stream, "$Nodes\n%lld\n", (long long)cells->n_nodes);
    for (int64_t i = 0; i < cells->n_nodes; i++) {
        fprintf(stream, "%lld ", (long long)i + 1);
        write_point(stream, mesh, i);
    }
    fprintf(stream, "$EndNodes\n$Elements\n%lld\n", (long long)(marked->n + cells->n_cells));
    for (int64_t i = 0; i < marked->n; i++) {
        const int32_t *nodes = marked->nodes + 4 * i;
        const int n = tess_marked_size(nodes), tag = marked->marker[i] + 1;
        fprintf(stream, "%lld %d 2 %d %d", (long long)i + 1, gmsh_of_marked(n), tag, tag);
        write_element(stream, nodes, n);
    }
    const int entity = marked->n_markers + 1;
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        fprintf(stream, "%lld %d 2 0 %d", (long long)(marked->n + cell) + 1, gmsh_of_vtk(type->vtk),
                entity);
        write_element(stream, nodes, type->n_nodes);
    }
    fputs("$EndElements\n", stream);
    return TESS_OK;
}

/* The least and the largest coordinates of all nodes. */
static void box_of(const tess_mesh *mesh, int64_t n_nodes, double box[6]) {
    for (int d = 0; d < 3; d++) {
        box[d] = box[3 + d] = 0;
        for (int64_t i = 0; i < n_nodes && d < mesh->dimension; i++) {
            const double x = mesh->coordinates[i * mesh->dimension + d];
            box[d] = i == 0 || x < box[d] ? x : box[d];
            box[3 + d] = i == 0 || x > box[3 + d] ? x : box[3 + d];
        }
    }
}

static void write_box(FILE *stream, const double box[6]) {
    for (int i = 0; i < 6; i++) {
        fputc(' ', stream);
        tess_write_real(stream, box[i]);
    }
}

/* One entity for each marker, with its physical name, and one for the cells. */
static void write_entities(FILE *stream, const tess_mesh *mesh, const tess_cells *cells,
                           const tess_marked *marked) {
    const int dimension = cells->dimension;
    double box[6];
    box_of(mesh, cells->n_nodes, box);
    fprintf(stream, "$Entities\n0 %d %d %d\n", dimension == 2 ? marked->n_markers : 0,
            dimension == 2 ? 1 : marked->n_markers, dimension == 3);
    for (int m = 0; m < marked->n_markers; m++) {
        fprintf(stream, "%d", m + 1);
        write_box(stream, box);
        fprintf(stream, " 1 %d 0\n", m + 1);
    }
    fputs("1", stream);
    write_box(stream, box);
    fputs(" 0 0\n$EndEntities\n", stream);
}

/* Where the run of elements alike that begins at `begin` ends. */
static int64_t marked_run(const tess_marked *marked, int64_t begin) {
    int64_t end = begin;
    while (end < marked->n && marked->marker[end] == marked->marker[begin] &&
           tess_marked_size(marked->nodes + 4 * end) == tess_marked_size(marked->nodes + 4 * begin))
        end++;
    return end;
}

static int64_t cell_run(const tess_cells *cells, int64_t begin) {
    const tess_cell_type *first = NULL, *type = NULL;
    tess_cell_nodes(cells, begin, &first);
    int64_t end = begin + 1;
    for (; end < cells->n_cells; end++) {
        tess_cell_nodes(cells, end, &type);
        if (type != first)
            break;
    }
    return end;
}

static void write_elements4(FILE *stream, const tess_cells *cells, const tess_marked *marked) {
    int64_t n_runs = 0;
    for (int64_t i = 0; i < marked->n; i = marked_run(marked, i))
        n_runs++;
    for (int64_t i = 0; i < cells->n_cells; i = cell_run(cells, i))
        n_runs++;
    const long long n = (long long)(marked->n + cells->n_cells);
    fprintf(stream, "$Elements\n%lld %lld 1 %lld\n", (long long)n_runs, n, n);
    for (int64_t i = 0, end = 0; i < marked->n; i = end) {
        end = marked_run(marked, i);
        const int n_nodes = tess_marked_size(marked->nodes + 4 * i);
        fprintf(stream, "%d %d %d %lld\n", cells->dimension - 1, marked->marker[i] + 1,
                gmsh_of_marked(n_nodes), (long long)(end - i));
        for (int64_t k = i; k < end; k++) {
            fprintf(stream, "%lld", (long long)k + 1);
            write_element(stream, marked->nodes + 4 * k, n_nodes);
        }
    }
    for (int64_t i = 0, end = 0; i < cells->n_cells; i = end) {
        end = cell_run(cells, i);
        const tess_cell_type *type = NULL;
        tess_cell_nodes(cells, i, &type);
        fprintf(stream, "%d 1 %d %lld\n", cells->dimension, gmsh_of_vtk(type->vtk),
                (long long)(end - i));
        for (int64_t k = i; k < end; k++) {
            fprintf(stream, "%lld", (long long)(marked->n + k) + 1);
            write_element(stream, tess_cell_nodes(cells, k, &type), type->n_nodes);
        }
    }
    fputs("$EndElements\n", stream);
}

static tess_status gmsh4_write(const tess_mesh *mesh, const tess_cells *cells,
                               const tess_marked *marked, FILE *stream) {
    fputs("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", stream);
    write_names(stream, marked, cells->dimension);
    write_entities(stream, mesh, cells, marked);
    const long long n = (long long)cells->n_nodes;
    fprintf(stream, "$Nodes\n1 %lld 1 %lld\n%d 1 0 %lld\n", n, n, cells->dimension, n);
    for (long long i = 1; i <= n; i++)
        fprintf(stream, "%lld\n", i);
    for (int64_t i = 0; i < cells->n_nodes; i++)
        write_point(stream, mesh, i);
    fputs("$EndNodes\n", stream);
    write_elements4(stream, cells, marked);
    return TESS_OK;
}

const tess_writer tess_writer_gmsh4 = {.name = "gmsh4",
                                       .summary = "Gmsh 4.1 as text, with physical names",
                                       .extension = ".msh",
                                       .maps = "",
                                       .write = gmsh4_write};

const tess_writer tess_writer_gmsh2 = {.name = "gmsh2",
                                       .summary = "Gmsh 2.2 as text, with physical names",
                                       .extension = ".msh",
                                       .maps = "",
                                       .write = gmsh2_write};
