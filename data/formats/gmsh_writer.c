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

/* The physical group of a cell, 0 for none, and its entity: one for each region and the last for
 * cells of none. */
static int32_t group_of_cell(const tess_marked *marked, int64_t cell) {
    const int32_t region = marked->region_of ? marked->region_of[cell] : -1;
    return region < 0 ? 0 : marked->region_tags[region];
}

static int entity_of_cell(const tess_marked *marked, int64_t cell) {
    const int32_t region = marked->region_of ? marked->region_of[cell] : -1;
    return region < 0 ? marked->n_regions + 1 : region + 1;
}

static void write_names(FILE *stream, const tess_marked *marked, int dimension) {
    if (!marked->n_markers && !marked->n_regions)
        return;
    fprintf(stream, "$PhysicalNames\n%d\n", marked->n_markers + marked->n_regions);
    for (int m = 0; m < marked->n_markers; m++)
        fprintf(stream, "%d %d \"%s\"\n", dimension - 1, marked->tags[m], marked->names[m]);
    for (int r = 0; r < marked->n_regions; r++)
        fprintf(stream, "%d %d \"%s\"\n", dimension, marked->region_tags[r],
                marked->region_names[r]);
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

static tess_status gmsh2_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                               FILE *stream) {
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
        const int n = tess_marked_size(nodes), marker = marked->marker[i];
        fprintf(stream, "%lld %d 2 %d %d", (long long)i + 1, gmsh_of_marked(n),
                marked->tags[marker], marker + 1);
        write_element(stream, nodes, n);
    }
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        fprintf(stream, "%lld %d 2 %d %d", (long long)(marked->n + cell) + 1,
                gmsh_of_vtk(type->vtk), group_of_cell(marked, cell),
                marked->n_markers + entity_of_cell(marked, cell));
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

/* An entity that nothing bounds, in a physical group, 0 for none. */
static void write_entity(FILE *stream, int tag, const double box[6], int32_t group) {
    fprintf(stream, "%d", tag);
    write_box(stream, box);
    if (group)
        fprintf(stream, " 1 %d 0\n", group);
    else
        fputs(" 0 0\n", stream);
}

/* One entity for each marker and each region, with its physical group, and one for other cells. */
static void write_entities(FILE *stream, const tess_mesh *mesh, const tess_cells *cells,
                           const tess_marked *marked) {
    const int dimension = cells->dimension, n = marked->n_regions + 1;
    double box[6];
    box_of(mesh, cells->n_nodes, box);
    fprintf(stream, "$Entities\n0 %d %d %d\n", dimension == 2 ? marked->n_markers : 0,
            dimension == 2 ? n : marked->n_markers, dimension == 3 ? n : 0);
    for (int m = 0; m < marked->n_markers; m++)
        write_entity(stream, m + 1, box, marked->tags[m]);
    for (int e = 0; e < n; e++)
        write_entity(stream, e + 1, box, e + 1 < n ? marked->region_tags[e] : 0);
    fputs("$EndEntities\n", stream);
}

/* Where the run of elements alike that begins at `begin` ends. */
static int64_t marked_run(const tess_marked *marked, int64_t begin) {
    int64_t end = begin;
    while (end < marked->n && marked->marker[end] == marked->marker[begin] &&
           tess_marked_size(marked->nodes + 4 * end) == tess_marked_size(marked->nodes + 4 * begin))
        end++;
    return end;
}

static int64_t cell_run(const tess_cells *cells, const tess_marked *marked, int64_t begin) {
    const tess_cell_type *first = NULL, *type = NULL;
    tess_cell_nodes(cells, begin, &first);
    int64_t end = begin + 1;
    for (; end < cells->n_cells; end++) {
        tess_cell_nodes(cells, end, &type);
        if (type != first || entity_of_cell(marked, end) != entity_of_cell(marked, begin))
            break;
    }
    return end;
}

static void write_elements4(FILE *stream, const tess_cells *cells, const tess_marked *marked) {
    int64_t n_runs = 0;
    for (int64_t i = 0; i < marked->n; i = marked_run(marked, i))
        n_runs++;
    for (int64_t i = 0; i < cells->n_cells; i = cell_run(cells, marked, i))
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
        end = cell_run(cells, marked, i);
        const tess_cell_type *type = NULL;
        tess_cell_nodes(cells, i, &type);
        fprintf(stream, "%d %d %d %lld\n", cells->dimension, entity_of_cell(marked, i),
                gmsh_of_vtk(type->vtk), (long long)(end - i));
        for (int64_t k = i; k < end; k++) {
            fprintf(stream, "%lld", (long long)(marked->n + k) + 1);
            write_element(stream, tess_cell_nodes(cells, k, &type), type->n_nodes);
        }
    }
    fputs("$EndElements\n", stream);
}

static tess_status gmsh4_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                               FILE *stream) {
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
                                       .summary = "Gmsh 4.1 as text, with physical groups",
                                       .extension = ".msh",
                                       .maps = "",
                                       .keeps_regions = true,
                                       .forbidden = "\"\n",
                                       .instead = '\'',
                                       .write = gmsh4_write};

const tess_writer tess_writer_gmsh2 = {.name = "gmsh2",
                                       .summary = "Gmsh 2.2 as text, with physical groups",
                                       .extension = ".msh",
                                       .maps = "",
                                       .keeps_regions = true,
                                       .forbidden = "\"\n",
                                       .instead = '\'',
                                       .write = gmsh2_write};
