/* A writer: a plug-in that writes a mesh in one file format.
 *
 * One const struct in one file, one line in writer_list.h. What a format cannot hold is refused (a
 * type of cell) or left out with a warning of the mesh (stated maps). Numbers are written so that
 * they read back exactly. */
#pragma once

#include "core/mesh/cells.h"
#include "data/formats/marked.h"
#include <stdio.h>

typedef struct tess_writer {
    const char *name;      /* "su2" */
    const char *summary;   /* one line */
    const char *extension; /* ".su2" */
    const char *maps;      /* that it needs and derives, separated by spaces */
    bool keeps_maps;       /* edges:nodes, edges:cells ... are written */
    bool holds_polytopes;  /* polygons and polyhedra (core/mesh/polytopes.h) are written */
    bool loses_names;      /* markers become numbers, their tags */
    const char *numbers;   /* which number of its own each marker becomes, NULL: none */
    const char *forbidden; /* letters that a name cannot hold, NULL: none ... */
    char instead;          /* ... and the one that stands for them; names stay distinct */
    bool keeps_regions;    /* groups of cells are written ... */
    bool (*holds)(const tess_mesh *mesh, const tess_cells *cells); /* ... where this is so; NULL:
                                                                      always */
    /* Writes the whole file; errors of the stream are found by the caller. */
    tess_status (*write)(const tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                         FILE *stream);
} tess_writer;

/* The writers in the order of writer_list.h; NULL past the last. */
const tess_writer *tess_writer_at(int i);

/* The writer of that format, or where `format` is NULL of the path's extension; fails (USAGE) with
 * the formats there are. */
TESS_MUST_CHECK tess_status tess_writer_find(const char *format, const char *path,
                                             const tess_writer **out);

/* Writes the mesh under a temporary name beside `path`, then renames it. Maps that the format needs
 * are derived into the mesh, warnings of what is lost are added to it. Fails (INPUT) with the count
 * and the first of the cells that the format cannot hold. */
TESS_MUST_CHECK tess_status tess_mesh_write(tess_mesh *mesh, const tess_writer *writer,
                                            const char *path);

/* Writes `value` in the fewest digits that read back as the same number. */
void tess_write_real(FILE *stream, double value);

/* Write a number in binary, little-endian. */
void tess_write_int32(FILE *stream, int32_t value);
void tess_write_int64(FILE *stream, int64_t value);
void tess_write_double(FILE *stream, double value);
