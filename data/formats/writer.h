/* A writer: a plug-in that writes a mesh in one file format, as one file or the files of a folder.
 *
 * One const struct in one file, one line in writer_list.h. What a format cannot hold is refused (a
 * type of cell) or left out with a warning of the mesh (stated maps). Numbers are written so that
 * they read back exactly. */
#pragma once

#include "core/mesh/cells.h"
#include "data/formats/marked.h"
#include "data/formats/name_counts.h"
#include <stdio.h>

typedef struct tess_writer {
    const char *name;      /* "su2" */
    const char *summary;   /* one line */
    const char *extension; /* ".su2"; of a folder its name, "polyMesh" */
    const char *maps;      /* that it needs and derives, separated by spaces */
    bool keeps_maps;       /* edges:nodes, edges:cells ... are written */
    bool holds_polytopes;  /* polygons and polyhedra (core/mesh/polytopes.h) are written */
    bool loses_names;      /* markers become numbers, their tags */
    const char *numbers;   /* which number of its own each marker becomes, NULL: none */
    const char *forbidden; /* letters that a name cannot hold, NULL: none ... */
    char instead;          /* ... and the one that stands for them; names stay distinct */
    const char *not_first; /* letters that a name cannot begin with: that one comes before them */
    int most_letters;      /* bytes of a name, the others are cut off; 0: any number */
    const char *const *taken; /* names that are something else in a file, NULL last; NULL: none */
    bool keeps_regions;       /* groups of cells are written ... */
    bool (*holds)(const tess_mesh *mesh, const tess_cells *cells); /* ... where this is so; NULL:
                                                                      always */
    /* Writes the whole file; errors of the stream are found by the caller. What is left out is a
     * warning of the mesh. */
    tess_status (*write)(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                         FILE *stream);
    const char *const *files; /* names of the files of a folder, NULL last; NULL: one file */
    /* Adds the names of those in or beside a folder that hold numbers of the mesh in it. */
    tess_status (*find_others)(const char *folder, tess_name_counts *found);
    /* Writes them, each to its stream, instead; one without a byte is not kept. `folder` may hold
     * older ones. */
    tess_status (*write_files)(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                               const char *folder, FILE *const *streams);
} tess_writer;

/* The writers in the order of writer_list.h; NULL past the last. */
const tess_writer *tess_writer_at(int i);

/* The writer of that format, or where `format` is NULL of the path's extension, of a folder that is
 * there that of folders; fails (USAGE) with the formats there are. */
TESS_MUST_CHECK tess_status tess_writer_find(const char *format, const char *path,
                                             const tess_writer **out);

/* Fails where no mesh can be written to the path, asked before long work: (IO) as
 * core/base/whole_file.h, (INPUT) where a folder has files that hold numbers of the mesh that was
 * there, naming them. */
TESS_MUST_CHECK tess_status tess_writer_check(const tess_writer *writer, const char *path);

/* Writes the mesh under a temporary name beside `path`, then renames it. A folder's path is its
 * own, or that of a case which has or gets it as constant/polyMesh. Maps that the format needs
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
