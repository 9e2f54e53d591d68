/* Writes SU2 meshes. */
#include "data/formats/writer.h"

#include <ctype.h>

static void write_nodes(FILE *stream, const int32_t *nodes, int n) {
    for (int i = 0; i < n; i++)
        fprintf(stream, " %d", nodes[i]);
}

/* VTK's number of an edge, a triangle or a quad. */
static int vtk_of_marked(int n_nodes) {
    return n_nodes == 2 ? 3 : n_nodes == 3 ? 5 : 9;
}

/* SU2's tags are one word: what separates words becomes '_'. */
static void write_tag(FILE *stream, const char *name) {
    fputs("MARKER_TAG= ", stream);
    for (; *name; name++)
        fputc(isspace((unsigned char)*name) || *name == '%' ? '_' : *name, stream);
    fputc('\n', stream);
}

static void write_marker(FILE *stream, const tess_marked *marked, int marker) {
    int64_t n = 0;
    for (int64_t i = 0; i < marked->n; i++)
        n += marked->marker[i] == marker;
    write_tag(stream, marked->names[marker]);
    fprintf(stream, "MARKER_ELEMS= %lld\n", (long long)n);
    for (int64_t i = 0; i < marked->n; i++) {
        if (marked->marker[i] != marker)
            continue;
        const int32_t *nodes = marked->nodes + 4 * i;
        fprintf(stream, "%d", vtk_of_marked(tess_marked_size(nodes)));
        write_nodes(stream, nodes, tess_marked_size(nodes));
        fputc('\n', stream);
    }
}

static tess_status su2_write(const tess_mesh *mesh, const tess_cells *cells,
                             const tess_marked *marked, FILE *stream) {
    if (cells->dimension != mesh->dimension)
        FAIL(TESS_ERROR_INPUT, "%s: SU2 holds no cells of %d dimensions in space of %d",
             mesh->source, cells->dimension, mesh->dimension);
    fprintf(stream, "NDIME= %d\nNELEM= %lld\n", mesh->dimension, (long long)cells->n_cells);
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        fprintf(stream, "%d", type->vtk);
        write_nodes(stream, nodes, type->n_nodes);
        fprintf(stream, " %lld\n", (long long)cell);
    }
    fprintf(stream, "NPOIN= %lld\n", (long long)cells->n_nodes);
    for (int64_t i = 0; i < cells->n_nodes; i++) {
        for (int d = 0; d < mesh->dimension; d++) {
            tess_write_real(stream, mesh->coordinates[i * mesh->dimension + d]);
            fputc(' ', stream);
        }
        fprintf(stream, "%lld\n", (long long)i);
    }
    fprintf(stream, "NMARK= %d\n", marked->n_markers);
    for (int m = 0; m < marked->n_markers; m++)
        write_marker(stream, marked, m);
    return TESS_OK;
}

const tess_writer tess_writer_su2 = {.name = "su2",
                                     .summary = "SU2, with boundary markers",
                                     .extension = ".su2",
                                     .maps = "",
                                     .write = su2_write};
