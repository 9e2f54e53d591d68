/* A reader: a plug-in that makes a mesh of one file format.
 *
 * One const struct in one file, one line in reader_list.h. What a reader states is in
 * core/mesh/mesh.h. Bad input fails (INPUT) with file, line or offset, what is wrong and what to
 * do, before anything is allocated that the file's own size does not justify. */
#pragma once

#include "core/mesh/mesh.h"
#include "data/formats/file_text.h"

/* How a file is to be read: what the options of a mesh say. All zeros: as the file says. */
typedef struct tess_reading {
    const char *reader;  /* its name, whatever the path and the content say; or NULL */
    const char *base;    /* which of several meshes that a file holds, by name; NULL: the first */
    bool joins_periodic; /* nodes that the file says to be the same become one */
} tess_reading;

typedef struct tess_reader {
    const char *name;       /* "su2" */
    const char *summary;    /* one line */
    const char *extensions; /* ".su2", separated by spaces */
    const char *in_folder;  /* the file to read where a folder is named, the first there is of
                               those here, separated by spaces; a star in it stands for the one
                               folder that has the rest; or NULL */
    /* Whether the first bytes of the (decompressed) file look like this format. */
    bool (*recognise)(const tess_file_text *file);
    tess_status (*read)(const tess_file_text *file, tess_mesh **out);
    bool has_bases, has_periods; /* it heeds `base` and `joins_periodic` of the file's reading */
} tess_reader;

const tess_reader *tess_reader_at(int i);

/* Reads a mesh file of any known format, .xz .gz .zst transparently. The format is the reader's
 * whose extension fits and that recognises the content. A folder stands for the file in it that a
 * reader names. Refuses what is neither. */
TESS_MUST_CHECK tess_status tess_mesh_read(const char *path, tess_mesh **out);
/* Reads as told, by the reader named there whatever the extension says (where there are several for
 * a format, tess_mesh_read takes the first). Fails (USAGE) on what the file's reader does not heed,
 * and on an unknown name with the names there are. */
TESS_MUST_CHECK tess_status tess_mesh_read_as(const tess_reading *reading, const char *path,
                                              tess_mesh **out);
