/* Writes SU2 meshes: one zone, or one for each region of the cells where these share no nodes. */
#include "core/base/array.h"
#include "data/formats/writer.h"
#include <stdlib.h>
#include <string.h>

/* The zones that a file gets. */
typedef struct su2_zones {
    int n;
    int32_t *of_node; /* [nodes], NULL where there is one zone; owned */
    int32_t *local;   /* [nodes]: number in its zone; owned */
} su2_zones;

static void zones_release(su2_zones *zones) {
    free(zones->of_node);
    free(zones->local);
}

/* Gives the nodes of each cell to its region; *apart: no node is in two, and no cell in none. */
static tess_status share_nodes(const tess_cells *cells, const int32_t *region_of, int32_t *of_node,
                               bool *apart) {
    for (int64_t i = 0; i < cells->n_nodes; i++)
        of_node[i] = -1;
    *apart = true;
    for (int64_t cell = 0; cell < cells->n_cells && *apart; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        *apart = region_of[cell] >= 0;
        for (int k = 0; k < type->n_nodes && *apart; k++) {
            int32_t *zone = &of_node[nodes[k]];
            *apart = *zone < 0 || *zone == region_of[cell];
            *zone = region_of[cell];
        }
    }
    return TESS_OK;
}

/* Whether regions can be zones, which share no nodes: there are several, all with cells. */
static bool regions_are_zones(const tess_mesh *mesh, const tess_cells *cells) {
    const int32_t *region_of = tess_mesh_regions(mesh);
    int32_t *of_node = NULL;
    bool apart = false, *has_cells = NULL;
    if (region_of && mesh->n_regions > 1 && TESS_ALLOC(cells->n_nodes, &of_node) == TESS_OK &&
        TESS_ZEROS(mesh->n_regions, &has_cells) == TESS_OK &&
        share_nodes(cells, region_of, of_node, &apart) == TESS_OK && apart) {
        for (int64_t cell = 0; cell < cells->n_cells; cell++)
            has_cells[region_of[cell]] = true;
        for (int r = 0; r < mesh->n_regions; r++)
            apart = apart && has_cells[r];
    }
    free(of_node);
    free(has_cells);
    return apart;
}

/* Numbers the nodes of each zone; nodes of no cell are those of the first. */
static tess_status find_zones(const tess_cells *cells, const tess_marked *marked,
                              su2_zones *zones) {
    tess_status status = TESS_OK;
    int32_t *n_nodes = NULL;
    bool apart = false;
    *zones = (su2_zones){.n = 1};
    if (!marked->region_of)
        return TESS_OK;
    zones->n = marked->n_regions;
    CHECK(TESS_ALLOC(cells->n_nodes, &zones->of_node));
    CHECK(TESS_ALLOC(cells->n_nodes, &zones->local));
    CHECK(TESS_ZEROS(zones->n, &n_nodes));
    CHECK(share_nodes(cells, marked->region_of, zones->of_node, &apart));
    for (int64_t i = 0; i < cells->n_nodes; i++) {
        zones->of_node[i] = zones->of_node[i] < 0 ? 0 : zones->of_node[i];
        zones->local[i] = n_nodes[zones->of_node[i]]++;
    }
done:
    free(n_nodes);
    return status;
}

static bool node_is_in(const su2_zones *zones, int zone, int64_t node) {
    return !zones->of_node || zones->of_node[node] == zone;
}

static int64_t count_nodes(const su2_zones *zones, int zone, int64_t n_nodes) {
    int64_t n = 0;
    for (int64_t i = 0; i < n_nodes; i++)
        n += node_is_in(zones, zone, i);
    return n;
}

static void write_row(FILE *stream, const su2_zones *zones, int vtk, const int32_t *nodes, int n) {
    fprintf(stream, "%d", vtk);
    for (int i = 0; i < n; i++)
        fprintf(stream, " %d", zones->local ? zones->local[nodes[i]] : nodes[i]);
}

/* VTK's number of an edge, a triangle or a quad. */
static int vtk_of_marked(int n_nodes) {
    return n_nodes == 2 ? 3 : n_nodes == 3 ? 5 : 9;
}

static int64_t count_marked(const tess_marked *marked, int marker, const su2_zones *zones,
                            int zone) {
    int64_t n = 0;
    for (int64_t i = 0; i < marked->n; i++)
        n += marked->marker[i] == marker && node_is_in(zones, zone, marked->nodes[4 * i]);
    return n;
}

/* Whether a marker is written in a zone: where it has elements, without any in the first. */
static bool marker_is_in(const tess_marked *marked, int marker, const su2_zones *zones, int zone) {
    if (zones->n == 1 || count_marked(marked, marker, zones, zone))
        return true;
    for (int other = 0; other < zones->n && zone == 0; other++)
        if (count_marked(marked, marker, zones, other))
            return false;
    return zone == 0;
}

/* The tag, without the words by which a marker of a later zone is told from one before. */
static void write_tag(FILE *stream, const char *name, int zone) {
    char ending[32];
    const int length = (int)strlen(name);
    const int n = snprintf(ending, sizeof ending, "_zone_%d", zone + 1);
    const bool ends = zone > 0 && length > n && strcmp(name + length - n, ending) == 0;
    fprintf(stream, "MARKER_TAG= %.*s\n", ends ? length - n : length, name);
}

static void write_marker(FILE *stream, const tess_marked *marked, int marker,
                         const su2_zones *zones, int zone) {
    write_tag(stream, marked->names[marker], zone);
    fprintf(stream, "MARKER_ELEMS= %lld\n", (long long)count_marked(marked, marker, zones, zone));
    for (int64_t i = 0; i < marked->n; i++) {
        const int32_t *nodes = marked->nodes + 4 * i;
        if (marked->marker[i] != marker || !node_is_in(zones, zone, nodes[0]))
            continue;
        write_row(stream, zones, vtk_of_marked(tess_marked_size(nodes)), nodes,
                  tess_marked_size(nodes));
        fputc('\n', stream);
    }
}

static void write_markers(FILE *stream, const tess_marked *marked, const su2_zones *zones,
                          int zone) {
    int n = 0;
    for (int m = 0; m < marked->n_markers; m++)
        n += marker_is_in(marked, m, zones, zone);
    fprintf(stream, "NMARK= %d\n", n);
    for (int m = 0; m < marked->n_markers; m++)
        if (marker_is_in(marked, m, zones, zone))
            write_marker(stream, marked, m, zones, zone);
}

static void write_cells(FILE *stream, const tess_cells *cells, const tess_marked *marked,
                        const su2_zones *zones, int zone) {
    int64_t n = 0;
    for (int64_t cell = 0; cell < cells->n_cells; cell++)
        n += zones->n == 1 || marked->region_of[cell] == zone;
    fprintf(stream, "NELEM= %lld\n", (long long)n);
    n = 0;
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        if (zones->n > 1 && marked->region_of[cell] != zone)
            continue;
        write_row(stream, zones, type->vtk, nodes, type->n_nodes);
        fprintf(stream, " %lld\n", (long long)n++);
    }
}

static void write_zone(FILE *stream, const tess_mesh *mesh, const tess_cells *cells,
                       const tess_marked *marked, const su2_zones *zones, int zone) {
    int64_t n = 0;
    fprintf(stream, "NDIME= %d\n", mesh->dimension);
    write_cells(stream, cells, marked, zones, zone);
    fprintf(stream, "NPOIN= %lld\n", (long long)count_nodes(zones, zone, cells->n_nodes));
    for (int64_t i = 0; i < cells->n_nodes; i++) {
        if (!node_is_in(zones, zone, i))
            continue;
        for (int d = 0; d < mesh->dimension; d++) {
            tess_write_real(stream, mesh->coordinates[i * mesh->dimension + d]);
            fputc(' ', stream);
        }
        fprintf(stream, "%lld\n", (long long)n++);
    }
    write_markers(stream, marked, zones, zone);
}

static tess_status su2_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                             FILE *stream) {
    su2_zones zones;
    if (cells->dimension != mesh->dimension)
        FAIL(TESS_ERROR_INPUT, "%s: SU2 holds no cells of %d dimensions in space of %d",
             mesh->source, cells->dimension, mesh->dimension);
    TRY(find_zones(cells, marked, &zones));
    if (zones.n > 1)
        fprintf(stream, "NZONE= %d\n", zones.n);
    for (int zone = 0; zone < zones.n; zone++) {
        if (zones.n > 1)
            fprintf(stream, "IZONE= %d\n", zone + 1);
        write_zone(stream, mesh, cells, marked, &zones, zone);
    }
    zones_release(&zones);
    return TESS_OK;
}

const tess_writer tess_writer_su2 = {.name = "su2",
                                     .summary = "SU2, with boundary markers; regions as zones "
                                                "where they share no nodes",
                                     .extension = ".su2",
                                     .maps = "",
                                     .forbidden = " \t\r\n\v\f%",
                                     .instead = '_',
                                     .keeps_regions = true,
                                     .holds = regions_are_zones,
                                     .write = su2_write};
