/* A mesh: sets, the maps between them, the dats on them, and the coordinates of its nodes.
 *
 * A mesh is built once (a reader or a generator states sets and maps, tess_mesh_derive adds those
 * that follow from them) and is const to everything after. Counts are 64-bit, indices int32: a set
 * of more than 2^31 - 1 elements is refused by name.
 *
 * What a reader states (docs/concepts.md, "Sets and maps"):
 *   nodes, coordinates        [nodes][dimension]
 *   tris quads (2D), tets pyramids prisms hexes (3D), each with TYPE:nodes; node order within a
 *                             cell is VTK's (readers permute); orientation is not to be trusted
 *   cells                     all cells in the order of the file. All of one type: `cells:nodes`
 *                             is stated and TYPE:nodes is a second map of the same content only on
 *                             demand. Mixed: TYPE:cells (arity 1) says which cell each one is.
 *   marked_edges (2D), marked_tris, marked_quads (3D): boundary elements that the file marks, each
 *                             with a map to nodes and an int32 dat `marker` indexing mesh->markers
 *   region                    a dat on cells where the file names groups of them: int32, indexing
 *                             mesh->regions, -1 for none
 *   any map that the file states itself (OP2: edges:nodes, edges:cells, bedges:nodes, bedges:cells
 *                             and a dat `bound` on bedges); it wins over the derived one
 * What tess_mesh_derive adds: see core/mesh/derive.h. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TESS_NAME_SIZE = 48 }; /* bytes of a set's, map's or dat's name with its closing zero */

/* Fails (INPUT) on a name that is too long. */
TESS_MUST_CHECK tess_status tess_name_copy(char out[TESS_NAME_SIZE], const char *name);

typedef enum tess_type { TESS_INT32, TESS_FLOAT, TESS_DOUBLE } tess_type;

size_t tess_type_size(tess_type type);
const char *tess_type_name(tess_type type); /* "int", "float", "double" */
TESS_MUST_CHECK tess_status tess_type_parse(const char *name, tess_type *type);

/* Where the values of a dat of several lie: those of an element together, or each an array. */
typedef enum tess_layout { TESS_AOS, TESS_SOA } tess_layout;

typedef struct tess_set {
    char name[TESS_NAME_SIZE];
    int64_t size;
} tess_set;

typedef struct tess_map {
    char name[TESS_NAME_SIZE]; /* "from:to" */
    int from, to;              /* indices into mesh->sets */
    int arity;
    bool padded;    /* unused slots hold -1 and come last (cells:cells) */
    bool derived;   /* false: stated by the file */
    bool pairs;     /* row and column of pairs, which may follow their rows (core/mesh/pairs.h) */
    int32_t *index; /* [size of from][arity], each in [0, size of to) or -1 if padded; owned */
} tess_map;

typedef struct tess_dat {
    char name[TESS_NAME_SIZE];
    int set; /* index into mesh->sets */
    int dim;
    tess_type type;
    void *values; /* [size of set][dim], owned */
} tess_dat;

typedef struct tess_mesh {
    char *source;  /* file or generator line it came from; owned */
    int dimension; /* of the coordinates: 2 or 3 */
    int n_sets, n_maps, n_dats, n_markers, n_regions;
    tess_set *sets;
    tess_map *maps;
    tess_dat *dats;
    char **markers;       /* names of boundary markers, by the values of the dats `marker` */
    int32_t *marker_tags; /* [n_markers]: the numbers that their file knows them by, 0: none */
    char **regions;       /* names of groups of cells, by the values of the dat `region` on cells */
    int32_t *region_tags; /* [n_regions], likewise */
    double *coordinates;  /* [nodes][dimension], finite; owned */
    int64_t shape[3];     /* cells along each axis where the cells are a box of quads or hexes in
                             lexicographic order (first axis fastest), else zeros */
    char *tied; /* what of its file cannot be kept where elements get other numbers: "its FFD boxes
                   (FFD_NBOX)"; NULL: nothing; owned */
    char *passed_over; /* names of data on points and cells that its file has; NULL: none; owned */
    int64_t n_of_higher_order; /* elements that were read as their corners: the other nodes of
                                  theirs, on sides and within, belong to no cell */
    int64_t n_warnings;        /* what a reader accepted but a user should know */
    char **warnings;
} tess_mesh;

/* An empty mesh with no sets. */
TESS_MUST_CHECK tess_status tess_mesh_new(const char *source, int dimension, tess_mesh **out);

/* Adds a set and gives its index. Fails (INPUT) on a size over 2^31 - 1 or a name that exists. */
TESS_MUST_CHECK tess_status tess_mesh_add_set(tess_mesh *mesh, const char *name, int64_t size,
                                              int *set);

/* Of a map: unused slots hold -1 and come last (cells:cells); it was not stated by the file; it
 * leads from pairs to their rows and columns. */
enum { TESS_MAP_PADDED = 1, TESS_MAP_DERIVED = 2, TESS_MAP_PAIRS = 4 };

/* Adds the map `from:to` with `arity` slots and these traits, and takes over `index` (also on
 * failure: it is freed). Both sets exist. Every index is checked against the to-set: the first bad
 * one fails (INPUT) by map, element and slot. */
TESS_MUST_CHECK tess_status tess_mesh_add_map(tess_mesh *mesh, const char *from, const char *to,
                                              int arity, unsigned traits, int32_t *index);

/* Adds a dat on a set and takes over `values` (also on failure). */
TESS_MUST_CHECK tess_status tess_mesh_add_dat(tess_mesh *mesh, const char *name, const char *set,
                                              int dim, tess_type type, void *values);

/* Adds a marker name, or finds it, and gives its number. */
TESS_MUST_CHECK tess_status tess_mesh_add_marker(tess_mesh *mesh, const char *name, int *marker);

/* Adds a region, a named group of cells, or finds it, and gives its number. A new one has the tag
 * by which its file knows it, 0 for none. */
TESS_MUST_CHECK tess_status tess_mesh_add_region(tess_mesh *mesh, const char *name, int32_t tag,
                                                 int *region);

/* The region of each cell [cells], -1 for none: the int32 dat `region`; NULL where no cell has one.
 */
const int32_t *tess_mesh_regions(const tess_mesh *mesh);

/* Adds a warning in printf's words. */
TESS_MUST_CHECK tess_status tess_mesh_warn(tess_mesh *mesh, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says what of the mesh's file cannot be kept where elements get other numbers; the first is kept.
 */
TESS_MUST_CHECK tess_status tess_mesh_tie(tess_mesh *mesh, const char *what);
/* Says which data of the mesh's file are in no mesh: solutions. */
TESS_MUST_CHECK tess_status tess_mesh_pass_over(tess_mesh *mesh, const char *names);

/* Index of a set, or -1; a map or dat, or NULL. */
int tess_mesh_find_set(const tess_mesh *mesh, const char *name);
const tess_map *tess_mesh_find_map(const tess_mesh *mesh, const char *name);
const tess_map *tess_mesh_find_map_between(const tess_mesh *mesh, const char *from, const char *to);
const tess_dat *tess_mesh_find_dat(const tess_mesh *mesh, const char *name, const char *set);

/* Size of a set by name, or 0. */
int64_t tess_mesh_set_size(const tess_mesh *mesh, const char *name);

void tess_mesh_free(tess_mesh *mesh);
