/* Writes Exodus II: cells in blocks by region and type, markers as side sets, as classic NetCDF,
 * which the NetCDF library makes in memory. */
#include "core/base/array.h"
#include "data/formats/cell_groups.h"
#include "data/formats/cell_sides.h"
#include "data/formats/exodus_kinds.h"
#include "data/formats/name_counts.h"
#include "data/formats/netcdf_library.h"
#include "data/formats/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1 << 16 };

/* What is written. */
typedef struct exodus_output {
    tess_netcdf_library library;
    int id;
    bool is_open;
    const tess_mesh *mesh;
    const tess_cells *cells;
    const tess_marked *marked;
    tess_facets facets;
    tess_cell_groups blocks;
    int64_t *half_of; /* [marked->n]: of which cell each is a side; owned */
    int64_t *n_sides; /* [markers]; owned */
    int64_t *n_lost;  /* [markers]: of no cell; owned */
} exodus_output;

static tess_status check(const exodus_output *out, const char *what, int code) {
    return code == 0 ? TESS_OK
                     : tess_fail(TESS_ERROR_IO, "%s: NetCDF cannot write %s: %s", out->mesh->source,
                                 what, out->library.error_string(code));
}

/* The name of a variable or dimension of block or set number i from 0: "connect3". */
typedef struct numbered_name {
    char text[TESS_NAME_SIZE];
} numbered_name;

static numbered_name numbered(const char *stem, int i) {
    numbered_name name;
    snprintf(name.text, sizeof name.text, "%s%d", stem, i + 1);
    return name;
}

/* --- definitions ------------------------------------------------------------------------------ */

static tess_status add_dimension(const exodus_output *out, const char *name, int64_t length) {
    int dimension = 0;
    return check(out, name,
                 out->library.define_dimension(out->id, name, (size_t)length, &dimension));
}

/* Defines a variable by the names of its dimensions, of which the second may be NULL. */
static tess_status add_variable(const exodus_output *out, const char *name, int type,
                                const char *rows, const char *columns) {
    int dimensions[2] = {0}, variable = 0;
    TRY(check(out, name, out->library.dimension_id(out->id, rows, &dimensions[0])));
    if (columns)
        TRY(check(out, name, out->library.dimension_id(out->id, columns, &dimensions[1])));
    return check(
        out, name,
        out->library.define_variable(out->id, name, type, columns ? 2 : 1, dimensions, &variable));
}

/* Gives a variable, of the whole file NULL, an attribute of letters. */
static tess_status add_text(const exodus_output *out, const char *of, const char *name,
                            const char *text) {
    int variable = NC_GLOBAL;
    if (of)
        TRY(check(out, of, out->library.variable_id(out->id, of, &variable)));
    return check(out, name,
                 out->library.put_text_attribute(out->id, variable, name, strlen(text), text));
}

/* The bytes of a name in the file with its closing zero. */
static int64_t name_size(const tess_marked *marked) {
    size_t most = 32; /* as files had it always */
    for (int m = 0; m < marked->n_markers; m++)
        most = strlen(marked->names[m]) > most ? strlen(marked->names[m]) : most;
    for (int r = 0; r < marked->n_regions; r++)
        most = strlen(marked->region_names[r]) > most ? strlen(marked->region_names[r]) : most;
    return (int64_t)most + 1;
}

static tess_status define_head(const exodus_output *out) {
    static const float version = 7.05F;
    const int word_size = 8, is_large = 1, letters = (int)name_size(out->marked) - 1;
    const tess_netcdf_library *library = &out->library;
    TRY(check(
        out, "api_version",
        library->put_float_attribute(out->id, NC_GLOBAL, "api_version", NC_FLOAT, 1, &version)));
    TRY(check(out, "version",
              library->put_float_attribute(out->id, NC_GLOBAL, "version", NC_FLOAT, 1, &version)));
    TRY(check(out, "floating_point_word_size",
              library->put_int_attribute(out->id, NC_GLOBAL, "floating_point_word_size", NC_INT, 1,
                                         &word_size)));
    TRY(check(out, "file_size",
              library->put_int_attribute(out->id, NC_GLOBAL, "file_size", NC_INT, 1, &is_large)));
    TRY(check(out, "maximum_name_length",
              library->put_int_attribute(out->id, NC_GLOBAL, "maximum_name_length", NC_INT, 1,
                                         &letters)));
    TRY(add_text(out, NULL, "title", "written by tess"));
    TRY(add_dimension(out, "len_string", 33));
    TRY(add_dimension(out, "len_name", name_size(out->marked)));
    TRY(add_dimension(out, "len_line", 81));
    TRY(add_dimension(out, "four", 4));
    TRY(add_dimension(out, "time_step", 0)); /* any number, of which there are none */
    TRY(add_variable(out, "time_whole", NC_DOUBLE, "time_step", NULL));
    TRY(add_dimension(out, "num_dim", out->mesh->dimension));
    TRY(add_dimension(out, "num_nodes", out->cells->n_nodes));
    return add_dimension(out, "num_elem", out->cells->n_cells);
}

static const char *const axes[] = {"coordx", "coordy", "coordz"};

static tess_status define_nodes(const exodus_output *out) {
    for (int axis = 0; axis < out->mesh->dimension; axis++)
        TRY(add_variable(out, axes[axis], NC_DOUBLE, "num_nodes", NULL));
    return add_variable(out, "coor_names", NC_CHAR, "num_dim", "len_name");
}

/* What Exodus calls cells of a type: shells where they lie in space. */
static const char *kind_name(const tess_cell_type *type, int dimension) {
    static const char *const names[] = {"TRI3", "QUAD4", "TETRA", "PYRAMID", "WEDGE", "HEX"};
    return type->n_nodes == 4 && type->dimension == 2 && dimension == 3
               ? "SHELL4"
               : names[type - tess_cell_types];
}

static tess_status define_blocks(const exodus_output *out) {
    TRY(add_dimension(out, "num_el_blk", out->blocks.n));
    TRY(add_variable(out, "eb_status", NC_INT, "num_el_blk", NULL));
    TRY(add_variable(out, "eb_prop1", NC_INT, "num_el_blk", NULL));
    TRY(add_text(out, "eb_prop1", "name", "ID"));
    TRY(add_variable(out, "eb_names", NC_CHAR, "num_el_blk", "len_name"));
    for (int b = 0; b < out->blocks.n; b++) {
        const tess_cell_group *block = &out->blocks.groups[b];
        const numbered_name n = numbered("num_el_in_blk", b), arity = numbered("num_nod_per_el", b);
        TRY(add_dimension(out, n.text, block->n));
        TRY(add_dimension(out, arity.text, block->type->n_nodes));
        TRY(add_variable(out, numbered("connect", b).text, NC_INT, n.text, arity.text));
        TRY(add_text(out, numbered("connect", b).text, "elem_type",
                     kind_name(block->type, out->mesh->dimension)));
    }
    return TESS_OK;
}

static tess_status define_sets(const exodus_output *out) {
    if (out->marked->n_markers == 0)
        return TESS_OK;
    TRY(add_dimension(out, "num_side_sets", out->marked->n_markers));
    TRY(add_variable(out, "ss_status", NC_INT, "num_side_sets", NULL));
    TRY(add_variable(out, "ss_prop1", NC_INT, "num_side_sets", NULL));
    TRY(add_text(out, "ss_prop1", "name", "ID"));
    TRY(add_variable(out, "ss_names", NC_CHAR, "num_side_sets", "len_name"));
    for (int m = 0; m < out->marked->n_markers; m++) {
        const numbered_name n = numbered("num_side_ss", m);
        if (out->n_sides[m] == 0)
            continue; /* no dimension can be 0 */
        TRY(add_dimension(out, n.text, out->n_sides[m]));
        TRY(add_variable(out, numbered("elem_ss", m).text, NC_INT, n.text, NULL));
        TRY(add_variable(out, numbered("side_ss", m).text, NC_INT, n.text, NULL));
    }
    return TESS_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Rows of a variable, from `first` on, of `width` values each. */
typedef struct exodus_rows {
    int64_t first, n, width;
} exodus_rows;

static tess_status put_ints(const exodus_output *out, const char *name, const exodus_rows *rows,
                            const int *values) {
    int variable = 0;
    const size_t start[2] = {(size_t)rows->first, 0};
    const size_t count[2] = {(size_t)rows->n, (size_t)rows->width};
    TRY(check(out, name, out->library.variable_id(out->id, name, &variable)));
    return check(out, name, out->library.put_ints(out->id, variable, start, count, values));
}

static tess_status put_name(const exodus_output *out, const char *variable_name, int row,
                            const char *name) {
    int variable = 0;
    const size_t start[2] = {(size_t)row, 0}, count[2] = {1, strlen(name)};
    TRY(check(out, variable_name, out->library.variable_id(out->id, variable_name, &variable)));
    return count[1] == 0 ? TESS_OK
                         : check(out, variable_name,
                                 out->library.put_text(out->id, variable, start, count, name));
}

static tess_status put_nodes(const exodus_output *out) {
    tess_status status = TESS_OK;
    const int dimension = out->mesh->dimension;
    double *x = NULL;
    CHECK(TESS_ALLOC(AT_ONCE, &x));
    for (int axis = 0; axis < dimension; axis++) {
        int variable = 0;
        CHECK(check(out, axes[axis], out->library.variable_id(out->id, axes[axis], &variable)));
        for (int64_t first = 0; first < out->cells->n_nodes; first += AT_ONCE) {
            const int64_t left = out->cells->n_nodes - first, n = left < AT_ONCE ? left : AT_ONCE;
            const size_t start = (size_t)first, count = (size_t)n;
            for (int64_t i = 0; i < n; i++)
                x[i] = out->mesh->coordinates[(first + i) * dimension + axis];
            CHECK(check(out, axes[axis],
                        out->library.put_doubles(out->id, variable, &start, &count, x)));
        }
        CHECK(put_name(out, "coor_names", axis, (const char *const[]){"x", "y", "z"}[axis]));
    }
done:
    free(x);
    return status;
}

/* Writes a block's rows of nodes, which count from 1. */
static tess_status put_cells(const exodus_output *out, int b) {
    tess_status status = TESS_OK;
    const tess_cell_group *block = &out->blocks.groups[b];
    const int arity = block->type->n_nodes;
    int *nodes = NULL;
    CHECK(TESS_ALLOC(AT_ONCE * arity, &nodes));
    for (int64_t first = 0; first < block->n; first += AT_ONCE) {
        const int64_t left = block->n - first;
        const exodus_rows rows = {first, left < AT_ONCE ? left : AT_ONCE, arity};
        for (int64_t i = 0; i < rows.n; i++) {
            const tess_cell_type *type = NULL;
            const int32_t *of =
                tess_cell_nodes(out->cells, out->blocks.cell[block->first + first + i], &type);
            for (int k = 0; k < arity; k++)
                nodes[i * arity + k] = of[k] + 1;
        }
        CHECK(put_ints(out, numbered("connect", b).text, &rows, nodes));
    }
done:
    free(nodes);
    return status;
}

/* Block IDs are the regions' tags where each has one block, else the blocks are counted. */
static tess_status put_blocks(const exodus_output *out) {
    const tess_marked *marked = out->marked;
    bool has_tags = true;
    for (int b = 0; b < out->blocks.n; b++)
        has_tags = has_tags && out->blocks.groups[b].region >= 0 &&
                   (b == 0 || out->blocks.groups[b].region != out->blocks.groups[b - 1].region);
    for (int b = 0; b < out->blocks.n; b++) {
        const int region = out->blocks.groups[b].region, is_there = 1;
        const int id = has_tags ? marked->region_tags[region] : b + 1;
        const exodus_rows row = {b, 1, 1};
        TRY(put_ints(out, "eb_status", &row, &is_there));
        TRY(put_ints(out, "eb_prop1", &row, &id));
        TRY(put_name(out, "eb_names", b, region >= 0 ? marked->region_names[region] : ""));
        TRY(put_cells(out, b));
    }
    return TESS_OK;
}

/* Exodus's number of the side of a cell that has these nodes of it. */
static int side_of(const exodus_output *out, const tess_cell_type *type, int position) {
    const bool is_edge = out->facets.kind == TESS_FACET_EDGES;
    const tess_exodus_kind *kind = tess_exodus_kind_of(kind_name(type, out->mesh->dimension));
    const signed char edge[4] = {type->edge[position][0], type->edge[position][1], -1, -1};
    const signed char *wanted = is_edge ? edge : type->face[position];
    for (int side = 0; side < kind->n_sides; side++) {
        int n_same = 0, n = 0;
        for (int i = 0; i < 4 && wanted[i] >= 0; i++, n++)
            for (int k = 0; k < 4; k++)
                n_same += kind->side[side][k] == wanted[i];
        const int size = kind->side[side][2] < 0 ? 2 : kind->side[side][3] < 0 ? 3 : 4;
        if (n_same == n && n == size)
            return side + 1 + tess_exodus_faces(kind, out->mesh->dimension);
    }
    return 0;
}

/* Writes the sides of one marker. */
static tess_status put_sides(const exodus_output *out, int m) {
    tess_status status = TESS_OK;
    int *cells = NULL, *sides = NULL;
    exodus_rows rows = {.n = 0, .width = 1};
    CHECK(TESS_ALLOC(out->n_sides[m], &cells));
    CHECK(TESS_ALLOC(out->n_sides[m], &sides));
    for (int64_t i = 0; i < out->marked->n; i++) {
        const int64_t half = out->half_of[i];
        if (out->marked->marker[i] != m || half < 0)
            continue;
        const tess_cell_type *type = NULL;
        const int64_t cell = half / out->facets.stride;
        tess_cell_nodes(out->cells, cell, &type);
        cells[rows.n] = out->blocks.place[cell] + 1;
        sides[rows.n++] = side_of(out, type, (int)(half % out->facets.stride));
    }
    CHECK(put_ints(out, numbered("elem_ss", m).text, &rows, cells));
    CHECK(put_ints(out, numbered("side_ss", m).text, &rows, sides));
done:
    free(cells);
    free(sides);
    return status;
}

static tess_status put_sets(const exodus_output *out) {
    for (int m = 0; m < out->marked->n_markers; m++) {
        const exodus_rows row = {m, 1, 1};
        const int is_there = out->n_sides[m] > 0;
        TRY(put_ints(out, "ss_status", &row, &is_there));
        TRY(put_ints(out, "ss_prop1", &row, &out->marked->tags[m]));
        TRY(put_name(out, "ss_names", m, out->marked->names[m]));
        if (is_there)
            TRY(put_sides(out, m));
    }
    return TESS_OK;
}

/* --- the file --------------------------------------------------------------------------------- */

static tess_status find_sides(exodus_output *out) {
    out->facets = tess_facets_of(out->cells,
                                 out->cells->dimension == 2 ? TESS_FACET_EDGES : TESS_FACET_FACES);
    TRY(TESS_ZEROS(out->marked->n_markers, &out->n_sides));
    TRY(TESS_ZEROS(out->marked->n_markers, &out->n_lost));
    TRY(tess_cell_sides_find(&out->facets, out->marked, &out->half_of));
    for (int64_t i = 0; i < out->marked->n; i++)
        (out->half_of[i] < 0 ? out->n_lost : out->n_sides)[out->marked->marker[i]]++;
    return TESS_OK;
}

/* Begins a file in memory: with offsets of 64 bits, or where an array has 4 GB all sizes. */
static tess_status create(exodus_output *out) {
    const double most = 4e9;
    bool is_wide = 8 * (double)out->cells->n_nodes > most;
    double bytes = 1e6 + 8.0 * out->mesh->dimension * (double)out->cells->n_nodes;
    for (int b = 0; b < out->blocks.n; b++) {
        const tess_cell_group *block = &out->blocks.groups[b];
        const double size = 4.0 * (double)block->n * block->type->n_nodes;
        is_wide = is_wide || size > most;
        bytes += size;
    }
    TRY(check(out, "it",
              out->library.create_memory("mesh.exo", is_wide ? NC_64BIT_DATA : NC_64BIT_OFFSET,
                                         (size_t)bytes, &out->id)));
    out->is_open = true;
    return TESS_OK;
}

static tess_status write_all(exodus_output *out, FILE *stream) {
    tess_netcdf_memory memory = {.size = 0};
    TRY(create(out));
    TRY(define_head(out));
    TRY(define_nodes(out));
    TRY(define_blocks(out));
    TRY(define_sets(out));
    TRY(check(out, "it", out->library.end_definitions(out->id)));
    TRY(put_nodes(out));
    TRY(put_blocks(out));
    TRY(put_sets(out));
    out->is_open = false;
    TRY(check(out, "it", out->library.close_memory(out->id, &memory)));
    fwrite(memory.memory, 1, memory.size, stream);
    free(memory.memory);
    return TESS_OK;
}

static tess_status warn(const exodus_output *out, tess_mesh *mesh) {
    tess_name_counts words = {.n = 0};
    int64_t n = 0;
    for (int m = 0; m < out->marked->n_markers; m++)
        n += out->n_lost[m];
    tess_name_counts_add_all(&words, out->marked->names, out->n_lost, out->marked->n_markers);
    if (n)
        TRY(tess_mesh_warn(mesh,
                           "%" PRId64 " marked sides are sides of no cell and were left out: "
                           "%s",
                           n, tess_name_counts_text(&words)));
    return tess_cell_groups_warn(&out->blocks, "exodus", "block", mesh);
}

static tess_status exodus_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                                FILE *stream) {
    tess_status status = TESS_OK;
    exodus_output out = {.mesh = mesh, .cells = cells, .marked = marked};
    CHECK(tess_netcdf_library_open(mesh->source, &out.library));
    CHECK(tess_cell_groups_build(cells, marked, true, &out.blocks));
    CHECK(find_sides(&out));
    CHECK(write_all(&out, stream));
    CHECK(warn(&out, mesh));
done:
    if (out.is_open)
        out.library.close(out.id);
    tess_cell_groups_release(&out.blocks);
    free(out.half_of);
    free(out.n_sides);
    free(out.n_lost);
    return status;
}

const tess_writer tess_writer_exodus = {
    .name = "exodus",
    .summary = "Exodus II: regions as blocks, markers as side sets (NetCDF opened when needed)",
    .extension = ".exo",
    .maps = "",
    .keeps_regions = true,
    .forbidden = "\n",
    .instead = ' ',
    .most_letters = 255,
    .write = exodus_write};
