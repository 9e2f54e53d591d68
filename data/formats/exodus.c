/* Exodus: Exodus II files (Cubit, SEACAS, Nalu, MOOSE), NetCDF of any kind.
 *
 * Blocks of elements follow each other in the order of the file and are regions, whose names are
 * theirs, else `block ID`; sides in side sets become boundary elements, whose markers have the
 * names of the sets, else `side set ID`. Blocks of one dimension less than the cells, shells, are
 * boundary elements, too. Sides 1 and 2 of shells, and of triangles in space, are their faces;
 * edges follow. Elements of higher order keep their corners. The pieces that parallel programs
 * write, mesh.exo.4.0 to mesh.exo.4.3, are joined by the numbers of their nodes and elements in the
 * whole, whichever of them is named. Format: Exodus II, SAND92-2137, its later manuals, and
 * Nemesis, SAND96-0741. */
#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/progress.h"
#include "data/formats/exodus_kinds.h"
#include "data/formats/marker_groups.h"
#include "data/formats/name_counts.h"
#include "data/formats/netcdf_file.h"
#include "data/formats/numbered_pieces.h"
#include "data/formats/reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 40, MOST_NODES = 64, AT_ONCE = 4096, MOST_PARTS = 1 << 20 };

typedef struct exodus_block {
    const tess_exodus_kind *kind;
    int64_t first, n; /* elements, by their number in the file from 0 */
    int n_nodes;      /* of each in the file */
    int64_t row;      /* of the first in the list of the elements of its type */
} exodus_block;

typedef struct exodus_file {
    tess_netcdf *netcdf;
    int64_t n_blocks, n_sets;
    exodus_block *blocks;
    int32_t *block_ids, *set_ids; /* [n_blocks], [n_sets]; NULL where the file has none */
    int32_t *node_set_ids;        /* likewise */
    int64_t *n_sides, *n_lost;    /* [n_sets]: sides, and those that are no sides of cells */
    tess_grouped grouped;
} exodus_file;

/* The name of a variable or dimension of block or set number i from 0: "connect3". */
typedef struct exodus_name {
    char text[NAME_SIZE];
} exodus_name;

static exodus_name numbered(const char *stem, int64_t i) {
    exodus_name name;
    snprintf(name.text, sizeof name.text, "%s%" PRId64, stem, i + 1);
    return name;
}

static tess_status read_coordinates(exodus_file *file) {
    static const char *const names[] = {"coordx", "coordy", "coordz"};
    double x[AT_ONCE];
    const int dimension = file->grouped.dimension;
    const int64_t n_nodes = file->grouped.n_nodes;
    const bool together = tess_netcdf_has(file->netcdf, "coord"); /* [dimension][n_nodes], old */
    for (int axis = 0; axis < dimension; axis++)
        TRY(tess_netcdf_expect(file->netcdf, together ? "coord" : names[axis],
                               together ? dimension * n_nodes : n_nodes));
    TRY(TESS_ALLOC(dimension * n_nodes, &file->grouped.coordinates));
    for (int axis = 0; axis < dimension; axis++)
        for (int64_t first = 0; first < n_nodes; first += AT_ONCE) {
            const int64_t n = n_nodes - first < AT_ONCE ? n_nodes - first : AT_ONCE;
            const tess_netcdf_part row = {
                .row = axis, .column = first, .n_rows = 1, .n_columns = n};
            const tess_netcdf_part column = {.row = first, .n_rows = n, .n_columns = 1};
            TRY(tess_netcdf_reals_part(file->netcdf, together ? "coord" : names[axis],
                                       together ? &row : &column, x));
            for (int64_t i = 0; i < n; i++)
                file->grouped.coordinates[(first + i) * dimension + axis] = x[i];
        }
    return TESS_OK;
}

/* Fills the block's kind and sizes. A block without elements may have no type. */
static tess_status read_block_head(exodus_file *file, int64_t i, exodus_block *block) {
    char type[NAME_SIZE];
    const exodus_name connect = numbered("connect", i);
    block->n = tess_netcdf_dimension(file->netcdf, numbered("num_el_in_blk", i).text);
    if (block->n <= 0) {
        block->n = 0;
        return TESS_OK;
    }
    const int64_t n_nodes = tess_netcdf_dimension(file->netcdf, numbered("num_nod_per_el", i).text);
    tess_netcdf_attribute(file->netcdf, connect.text, "elem_type", type, sizeof type);
    block->kind = tess_exodus_kind_of(type);
    if (block->kind && strcmp(block->kind->prefix, "SHELL") == 0 &&
        (n_nodes == 3 || n_nodes == 6 || n_nodes == 7))
        block->kind = tess_exodus_kind_of("TRI");
    if (!block->kind)
        return tess_netcdf_fail(
            file->netcdf, connect.text,
            "elements of the type '%s'; triangles, quadrilaterals, shells, tetrahedra, pyramids, "
            "wedges, hexahedra are read",
            type);
    if (n_nodes < tess_element_kinds[block->kind->type].arity || n_nodes > MOST_NODES)
        return tess_netcdf_fail(file->netcdf, connect.text, "%s elements of %" PRId64 " nodes",
                                type, n_nodes);
    if (block->n > INT32_MAX)
        return tess_netcdf_fail(file->netcdf, connect.text, "more than 2147483647 elements");
    block->n_nodes = (int)n_nodes;
    block->row = file->grouped.elements.lists[block->kind->type].size;
    return tess_netcdf_expect(file->netcdf, connect.text, block->n * n_nodes);
}

/* The corners of element `row` of a block that was read. */
static const int32_t *corners_of(const exodus_file *file, const exodus_block *block, int64_t row) {
    const tess_element_type type = block->kind->type;
    return file->grouped.elements.lists[type].nodes +
           (block->row + row) * tess_element_kinds[type].arity;
}

/* Appends elements first ... first + n - 1 of a block, whose nodes [n][n_nodes] count from 1. */
static tess_status append_elements(exodus_file *file, int64_t i, int64_t first, int64_t n,
                                   const int32_t *nodes) {
    const exodus_block *block = &file->blocks[i];
    const int arity = tess_element_kinds[block->kind->type].arity;
    for (int64_t row = 0; row < n; row++, nodes += block->n_nodes) {
        tess_element element = {.type = block->kind->type,
                                .cut = block->n_nodes > arity,
                                .marker = (int32_t) - (i + 1)};
        for (int k = 0; k < block->n_nodes; k++)
            if (nodes[k] < 1 || nodes[k] > file->grouped.n_nodes)
                return tess_netcdf_fail(file->netcdf, numbered("connect", i).text,
                                        "element %" PRId64 " has the node %d, which is not in "
                                        "1..%" PRId64 "%s",
                                        first + row + 1, nodes[k], file->grouped.n_nodes,
                                        nodes[k] == 0 ? " (is the file cut?)" : "");
        for (int k = 0; k < arity; k++)
            element.nodes[k] = nodes[k] - 1;
        TRY(tess_elements_append(&file->grouped.elements, &element, 1));
    }
    return TESS_OK;
}

static tess_status append_block(exodus_file *file, int64_t i) {
    tess_status status = TESS_OK;
    const exodus_block *block = &file->blocks[i];
    int32_t *nodes = NULL;
    CHECK(TESS_ALLOC(AT_ONCE * block->n_nodes, &nodes));
    for (int64_t first = 0; first < block->n; first += AT_ONCE) {
        const int64_t n = block->n - first < AT_ONCE ? block->n - first : AT_ONCE;
        tess_progress_set(block->first + first, tess_netcdf_dimension(file->netcdf, "num_elem"),
                          NULL);
        CHECK(tess_netcdf_integers_part(
            file->netcdf, numbered("connect", i).text,
            &(tess_netcdf_part){.row = first, .n_rows = n, .n_columns = block->n_nodes}, nodes));
        CHECK(append_elements(file, i, first, n, nodes));
    }
done:
    free(nodes);
    return status;
}

static tess_status read_blocks(exodus_file *file) {
    int64_t first = 0;
    TRY(TESS_ZEROS(file->n_blocks, &file->blocks));
    for (int64_t i = 0; i < file->n_blocks; i++) {
        exodus_block *block = &file->blocks[i];
        block->first = first;
        TRY(read_block_head(file, i, block));
        TRY(append_block(file, i));
        first += block->n;
    }
    return TESS_OK;
}

/* The block of an element, or NULL. */
static const exodus_block *find_block(const exodus_file *file, int64_t element) {
    int64_t low = 0, high = file->n_blocks; /* the last block that begins at or before it */
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        *(file->blocks[middle].first <= element ? &low : &high) = middle;
    }
    const exodus_block *block = &file->blocks[low];
    return file->n_blocks && element >= block->first && element < block->first + block->n ? block
                                                                                          : NULL;
}

/* Appends the boundary element that has the nodes of `of` in these slots, -1 behind the last. */
static tess_status append_marked(exodus_file *file, int64_t set, const int32_t *of,
                                 const signed char slots[4]) {
    tess_element element = {.type = slots[2] < 0   ? TESS_ELEMENT_LINE
                                    : slots[3] < 0 ? TESS_ELEMENT_TRI
                                                   : TESS_ELEMENT_QUAD,
                            .marker = (int32_t)(set + 1)};
    for (int k = 0; k < tess_element_kinds[element.type].arity; k++)
        element.nodes[k] = of[slots[k]];
    return tess_elements_append(&file->grouped.elements, &element, 1);
}

/* Appends a side of an element, both from 1, where it is a side of a cell. */
static tess_status append_side(exodus_file *file, int64_t set, int32_t cell, int32_t side) {
    const exodus_block *block = find_block(file, (int64_t)cell - 1);
    const exodus_name name = numbered("elem_ss", set);
    if (!block)
        return tess_netcdf_fail(file->netcdf, name.text, "there is no element %d%s", cell,
                                cell == 0 ? " (is the file cut?)" : "");
    const tess_exodus_kind *kind = block->kind;
    const int below =
        tess_elements_dimension(&file->grouped.elements) - tess_element_kinds[kind->type].dimension;
    const int n_faces = tess_exodus_faces(kind, file->grouped.dimension);
    if (below == 0 && (side < 1 || side > kind->n_sides + n_faces))
        return tess_netcdf_fail(file->netcdf, numbered("side_ss", set).text,
                                "element %d, a %s, has no side %d", cell,
                                tess_element_kinds[kind->type].name, side);
    const int32_t *nodes = corners_of(file, block, cell - 1 - block->first);
    if (below == 0 && side > n_faces)
        return append_marked(file, set, nodes, kind->side[side - 1 - n_faces]);
    const signed char whole[4] = {0, 1, 2, kind->type == TESS_ELEMENT_QUAD ? 3 : -1};
    if (below == 1 && side <= n_faces) /* a shell that lies on the side of a cell */
        return append_marked(file, set, nodes, whole);
    file->n_lost[set]++;
    return TESS_OK;
}

static tess_status read_side_set(exodus_file *file, int64_t set) {
    tess_status status = TESS_OK;
    int32_t *cells = NULL, *sides = NULL;
    const int64_t n = tess_netcdf_dimension(file->netcdf, numbered("num_side_ss", set).text);
    if (n <= 0)
        return TESS_OK;
    CHECK(tess_netcdf_integers(file->netcdf, numbered("elem_ss", set).text, n, &cells));
    CHECK(tess_netcdf_integers(file->netcdf, numbered("side_ss", set).text, n, &sides));
    file->n_sides[set] = n;
    for (int64_t i = 0; i < n; i++)
        CHECK(append_side(file, set, cells[i], sides[i]));
done:
    free(cells);
    free(sides);
    return status;
}

/* The name of item i from 0 of an array of names, else its kind and number; gives the number. */
static int32_t name_item(const exodus_file *file, const char *const words[2], const int32_t *ids,
                         int64_t i, char *text, size_t size) {
    const int32_t id = ids ? ids[i] : (int32_t)i + 1;
    tess_netcdf_letters(file->netcdf, words[0], i, text, size);
    if (!text[0])
        snprintf(text, size, "%s %d", words[1], id);
    return id;
}

static int32_t name_set(const exodus_file *file, int64_t set, char *text, size_t size) {
    return name_item(file, (const char *const[]){"ss_names", "side set"}, file->set_ids, set, text,
                     size);
}

/* Names side set `group` - 1, or block -`group` - 1. */
static int32_t name_group(const void *context, tess_group_of of, int32_t group, char *text,
                          size_t size) {
    const exodus_file *file = context;
    (void)of;
    if (group > 0)
        return name_set(file, group - 1, text, size);
    return name_item(file, (const char *const[]){"eb_names", "block"}, file->block_ids, -group - 1,
                     text, size);
}

static tess_status read_head(exodus_file *file) {
    const tess_netcdf *netcdf = file->netcdf;
    const int64_t dimension = tess_netcdf_dimension(netcdf, "num_dim");
    file->grouped.n_nodes = tess_netcdf_dimension(netcdf, "num_nodes");
    file->n_blocks = tess_netcdf_dimension(netcdf, "num_el_blk");
    file->n_sets = tess_netcdf_dimension(netcdf, "num_side_sets");
    if (dimension != 2 && dimension != 3)
        return tess_netcdf_fail(netcdf, "num_dim",
                                "%" PRId64 " dimensions; no Exodus file, or damaged", dimension);
    if (file->grouped.n_nodes < 1 || file->grouped.n_nodes > INT32_MAX)
        return tess_netcdf_fail(netcdf, "num_nodes", "%" PRId64 " nodes are not in 1..2147483647",
                                file->grouped.n_nodes);
    if (file->n_blocks < 1 || file->n_blocks > MOST_PARTS || file->n_sets > MOST_PARTS)
        return tess_netcdf_fail(netcdf, "num_el_blk",
                                "%" PRId64 " blocks and %" PRId64 " side sets", file->n_blocks,
                                file->n_sets);
    file->grouped.dimension = (int)dimension;
    TRY(TESS_ZEROS(file->n_sets > 0 ? file->n_sets : 0, &file->n_sides));
    TRY(TESS_ZEROS(file->n_sets > 0 ? file->n_sets : 0, &file->n_lost));
    if (tess_netcdf_has(netcdf, "eb_prop1"))
        TRY(tess_netcdf_integers(netcdf, "eb_prop1", file->n_blocks, &file->block_ids));
    if (file->n_sets > 0 && tess_netcdf_has(netcdf, "ss_prop1"))
        TRY(tess_netcdf_integers(netcdf, "ss_prop1", file->n_sets, &file->set_ids));
    const int64_t n_node_sets = tess_netcdf_dimension(netcdf, "num_node_sets");
    if (n_node_sets > 0 && n_node_sets <= MOST_PARTS && tess_netcdf_has(netcdf, "ns_prop1"))
        TRY(tess_netcdf_integers(netcdf, "ns_prop1", n_node_sets, &file->node_set_ids));
    return TESS_OK;
}

static void file_release(exodus_file *file) {
    free(file->blocks);
    free(file->block_ids);
    free(file->set_ids);
    free(file->node_set_ids);
    free(file->n_sides);
    free(file->n_lost);
    tess_grouped_clear(&file->grouped);
    tess_netcdf_close(file->netcdf);
}

/* Reads all of a file but its name for the markers: the file stays open for these. */
static tess_status read_file(const tess_file_text *text, exodus_file *file) {
    TRY(tess_netcdf_open(text, &file->netcdf));
    TRY(read_head(file));
    TRY(read_coordinates(file));
    TRY(read_blocks(file));
    for (int64_t set = 0; set < file->n_sets; set++)
        TRY(read_side_set(file, set));
    return TESS_OK;
}

/* --- pieces ----------------------------------------------------------------------------------- */

/* Whether the path ends with ".N.I", I in 0 ... N - 1 with as many digits as N has, and N > 1. */
static bool find_piece(const char *path, int *n_pieces, size_t *stem) {
    enum { MOST_DIGITS = 6 };
    size_t end = tess_path_length_unpacked(path), digits[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        while (end > digits[k] && isdigit((unsigned char)path[end - 1 - digits[k]]))
            digits[k]++;
        if (digits[k] == 0 || digits[k] > MOST_DIGITS || end <= digits[k] ||
            path[end - 1 - digits[k]] != '.')
            return false;
        end -= digits[k] + 1;
    }
    *n_pieces = atoi(path + end + 1);
    *stem = end;
    return digits[0] == digits[1] && *n_pieces > 1 && atoi(path + end + 2 + digits[1]) < *n_pieces;
}

/* Adds the nodes of a piece by their numbers in the whole, and gives those of its elements. */
static tess_status add_nodes(const exodus_file *file, int64_t n_elements,
                             tess_numbered_pieces *pieces, int32_t **element_numbers) {
    tess_status status = TESS_OK;
    const int dimension = file->grouped.dimension;
    int32_t *numbers = NULL;
    CHECK(tess_netcdf_integers(file->netcdf, "node_num_map", file->grouped.n_nodes, &numbers));
    CHECK(tess_netcdf_integers(file->netcdf, "elem_num_map", n_elements, element_numbers));
    for (int64_t i = 0; i < file->grouped.n_nodes; i++) {
        tess_numbered_node node = {.number = numbers[i]};
        memcpy(node.x, file->grouped.coordinates + i * dimension,
               (size_t)dimension * sizeof node.x[0]);
        CHECK(tess_numbered_add_node(pieces, &node));
    }
done:
    free(numbers);
    return status;
}

/* Adds the sides in side sets, behind all elements of blocks: set by set. */
static tess_status add_sides(const exodus_file *file, int64_t first_node,
                             tess_numbered_pieces *pieces) {
    const int dimension = tess_elements_dimension(&file->grouped.elements) - 1;
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        const tess_element_list *list = &file->grouped.elements.lists[type];
        const int arity = tess_element_kinds[type].arity;
        for (int64_t i = 0; i < list->size && tess_element_kinds[type].dimension == dimension;
             i++) {
            if (list->marker[i] <= 0)
                continue; /* an element of a block */
            tess_numbered_element side = {
                .number = (int64_t)list->marker[i] << 32,
                .element = {.type = (tess_element_type)type, .marker = list->marker[i]}};
            for (int k = 0; k < arity; k++)
                side.element.nodes[k] = (int32_t)(first_node + list->nodes[i * arity + k]);
            TRY(tess_numbered_add_element(pieces, &side));
        }
    }
    return TESS_OK;
}

static tess_status add_piece(const exodus_file *file, tess_numbered_pieces *pieces) {
    tess_status status = TESS_OK;
    const int64_t first_node = pieces->n_nodes;
    int64_t n_elements = 0;
    int32_t *numbers = NULL;
    for (int64_t b = 0; b < file->n_blocks; b++)
        n_elements += file->blocks[b].n;
    CHECK(add_nodes(file, n_elements, pieces, &numbers));
    for (int64_t b = 0; b < file->n_blocks; b++) {
        const exodus_block *block = &file->blocks[b];
        const int arity = block->kind ? tess_element_kinds[block->kind->type].arity : 0;
        for (int64_t row = 0; row < block->n; row++) {
            tess_numbered_element cell = {.number = numbers[block->first + row],
                                          .element = {.type = block->kind->type,
                                                      .cut = block->n_nodes > arity,
                                                      .marker = (int32_t) - (b + 1)}};
            for (int k = 0; k < arity; k++)
                cell.element.nodes[k] = (int32_t)(first_node + corners_of(file, block, row)[k]);
            CHECK(tess_numbered_add_element(pieces, &cell));
        }
    }
    CHECK(add_sides(file, first_node, pieces));
done:
    free(numbers);
    return status;
}

/* Reads the file of that name, a piece of the mesh that `first` is a piece of, too. */
static tess_status read_piece(exodus_file *first, const char *name, tess_numbered_pieces *pieces) {
    tess_status status = TESS_OK;
    tess_file_text *text = NULL;
    exodus_file file = {.n_blocks = 0};
    CHECK(tess_file_text_read_beside(tess_netcdf_path(first->netcdf), name, &text));
    CHECK(read_file(text, &file));
    if (file.n_blocks != first->n_blocks || file.n_sets != first->n_sets ||
        file.grouped.dimension != first->grouped.dimension)
        CHECK(tess_netcdf_fail(file.netcdf, "num_el_blk",
                               "%" PRId64 " blocks and %" PRId64 " side sets, but %" PRId64
                               " and %" PRId64 " in %s: no pieces of one mesh",
                               file.n_blocks, file.n_sets, first->n_blocks, first->n_sets,
                               tess_netcdf_path(first->netcdf)));
    for (int64_t set = 0; set < file.n_sets; set++) {
        first->n_sides[set] += file.n_sides[set];
        first->n_lost[set] += file.n_lost[set];
    }
    CHECK(add_piece(&file, pieces));
done:
    file_release(&file);
    tess_file_text_free(text);
    return status;
}

/* Replaces what was read of one piece by the whole. */
static tess_status join_pieces(const char *path, int n_pieces, size_t stem, exodus_file *file) {
    tess_status status = TESS_OK;
    tess_numbered_pieces pieces = {.n_nodes = 0};
    char *name = NULL;
    const char *base = tess_last_of_path(path);
    const int digits = snprintf(NULL, 0, "%d", n_pieces);
    for (int64_t set = 0; set < file->n_sets; set++) /* those of the first piece come again */
        file->n_sides[set] = file->n_lost[set] = 0;
    for (int i = 0; i < n_pieces; i++) {
        free(TESS_TAKE(name));
        CHECK(tess_text_print(&name, "%.*s.%d.%0*d", (int)(stem - (size_t)(base - path)), base,
                              n_pieces, digits, i));
        CHECK(read_piece(file, name, &pieces));
    }
    tess_grouped_clear(&file->grouped);
    CHECK(tess_numbered_join(&pieces, &file->grouped));
done:
    free(name);
    tess_numbered_clear(&pieces);
    return status;
}

static bool is_among(const char *name, char *const *names, int n) {
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Says which blocks have no elements, in any piece. */
static tess_status warn_of_empty_blocks(const exodus_file *file, tess_mesh *mesh) {
    tess_name_counts empty = {.n = 0};
    for (int64_t i = 0; i < file->n_blocks; i++) {
        char text[TESS_GROUP_NAME_SIZE];
        name_group(file, TESS_GROUP_OF_CELLS, (int32_t) - (i + 1), text, sizeof text);
        if (file->blocks[i].n == 0 && !is_among(text, mesh->regions, mesh->n_regions) &&
            !is_among(text, mesh->markers, mesh->n_markers))
            tess_name_counts_add(&empty, text, 0);
    }
    return empty.n ? tess_mesh_warn(mesh, "%d block%s no elements: %s", empty.n,
                                    empty.n == 1 ? " has" : "s have", tess_name_counts_text(&empty))
                   : TESS_OK;
}

/* Says which sides of sets are no sides of cells, and which sets there are of other things. */
static tess_status warn_of_lost(const exodus_file *file, tess_mesh *mesh) {
    char text[NAME_SIZE];
    tess_name_counts sides = {.n = 0}, empty = {.n = 0}, nodes = {.n = 0};
    const int64_t n_node_sets = tess_netcdf_dimension(file->netcdf, "num_node_sets");
    for (int64_t set = 0; set < file->n_sets; set++) {
        name_set(file, set, text, sizeof text);
        if (file->n_lost[set])
            tess_name_counts_add(&sides, text, file->n_lost[set]);
        if (!file->n_sides[set])
            tess_name_counts_add(&empty, text, 0);
    }
    for (int64_t set = 0; set < n_node_sets && set < MOST_PARTS; set++) {
        name_item(file, (const char *const[]){"ns_names", "node set"}, file->node_set_ids, set,
                  text, sizeof text);
        const int64_t n = tess_netcdf_dimension(file->netcdf, numbered("num_nod_ns", set).text);
        tess_name_counts_add(&nodes, text, n > 0 ? n : 0);
    }
    if (sides.n)
        TRY(tess_mesh_warn(mesh,
                           "%d side set%s faces of shells or sides of elements that are no "
                           "cells, which were left out: %s",
                           sides.n, sides.n == 1 ? " has" : "s have",
                           tess_name_counts_text(&sides)));
    if (empty.n)
        TRY(tess_mesh_warn(mesh, "%d side set%s no sides: %s", empty.n,
                           empty.n == 1 ? " has" : "s have", tess_name_counts_text(&empty)));
    return nodes.n ? tess_mesh_warn(mesh, "%d node set%s left out: %s", nodes.n,
                                    nodes.n == 1 ? " was" : "s were", tess_name_counts_text(&nodes))
                   : TESS_OK;
}

static tess_status exodus_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    exodus_file file = {.grouped = {.name = name_group, .context = &file}};
    tess_mesh *mesh = NULL;
    int n_pieces = 0;
    size_t stem = 0;
    CHECK(read_file(text, &file));
    if (find_piece(text->path, &n_pieces, &stem) &&
        tess_netcdf_dimension(file.netcdf, "num_processors") == n_pieces)
        CHECK(join_pieces(text->path, n_pieces, stem, &file));
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, &mesh));
    CHECK(warn_of_empty_blocks(&file, mesh));
    CHECK(warn_of_lost(&file, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    file_release(&file);
    return status;
}

/* True for NetCDF that holds the name of a dimension that every Exodus file has. */
static bool exodus_recognise(const tess_file_text *text) {
    return tess_netcdf_recognise(text) && tess_file_text_holds(text, "num_el_blk");
}

const tess_reader tess_reader_exodus = {.name = "exodus",
                                        .summary =
                                            "Exodus II: blocks and side sets, parallel pieces "
                                            "joined (NetCDF opened when needed)",
                                        .extensions = ".exo .e .g .ex2 .exii",
                                        .recognise = exodus_recognise,
                                        .read = exodus_read};
