/* Lab: meshes as Tesselab's labs keep them, lab/meshes/DIGEST.hdf, with all sets, maps and dats. */
#include "core/base/array.h"
#include "data/archive/mesh_file.h"
#include "data/formats/reader.h"

#include <stdlib.h>
#include <string.h>

static tess_status lab_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    if (text->packed)
        FAIL(TESS_ERROR_INPUT, "%s: offset 0: files of labs are read as they are: decompress it",
             text->path);
    TRY(tess_mesh_file_read(text->path, &mesh));
    free(TESS_TAKE(mesh->source));
    CHECK(tess_text_copy(text->path, &mesh->source));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    return status;
}

/* True for HDF5 that holds the name of what every file of a lab says, and of the group of sets. */
static bool lab_recognise(const tess_file_text *text) {
    const size_t size = (size_t)text->size;
    return size >= 8 && memcmp(text->content, "\x89HDF\r\n\x1a\n", 8) == 0 &&
           memmem(text->content, size, "schema_version", 14) &&
           memmem(text->content, size, "sets", 4);
}

const tess_reader tess_reader_lab = {.name = "lab",
                                     .summary = "meshes of Tesselab's labs (lab/meshes/*.hdf)",
                                     .extensions = ".hdf",
                                     .recognise = lab_recognise,
                                     .read = lab_read};
