/* Strangers: files that are no mesh, or of a format that is not read, known by how they begin. */
#include "data/formats/stranger.h"

#include "core/base/byte_order_mark.h"
#include <string.h>
#include <strings.h>

/* Beginnings behind blanks, in letters of either case: what the file is, and what to do. */
typedef struct stranger {
    const char *begins, *is;
} stranger;

static const stranger no_meshes[] = {
    {"version https://git-lfs.github.com", "a pointer of git-lfs, not the mesh: 'git lfs pull' in "
                                           "its repository fetches that"},
    {"<!DOCTYPE html", "a web page, not a mesh: fetch the file itself, by its raw address"},
    {"<html", "a web page, not a mesh: fetch the file itself, by its raw address"},
    {"%PDF-", "a PDF document, not a mesh"},
    {"PK\003\004", "a zip archive: unpack it, and name the file in it"},
    {NULL}};

static const stranger other_formats[] = {
    {"{", "JSON, not a mesh: an error perhaps that a server answered with"},
    {"<",
     "XML, but not of VTK's: XDMF perhaps, of which 'meshio convert' makes VTU, or an error that "
     "a server answered with"},
    {"ISO-10303-21;", "geometry (STEP), not a mesh: a mesher, as Gmsh, makes one of it"},
    {"solid ", "a surface (STL), not a mesh of cells: a mesher, as Gmsh, makes one of it"},
    {NULL}};

static const char fluent[] =
    "a mesh of Fluent, which is not read: OpenFOAM's fluentMeshToFoam (2D) and fluent3DMeshToFoam "
    "make a polyMesh of it, which is";

static const char *skip_blanks(const tess_file_text *file) {
    const char *at = file->content + tess_byte_order_mark(file->content);
    const char *const end = file->content + file->size;
    while (at < end && strchr(" \t\r\n", *at) && *at)
        at++;
    return at;
}

/* Sections of Fluent: (0 "a comment"), (2 3), (10 (0 1 8 0 3)) ... */
static bool is_fluent(const char *at) {
    const size_t digits = *at == '(' ? strspn(at + 1, "0123456789") : 0;
    return digits > 0 && digits < 5 && at[1 + digits] && strchr(" (\"\r\n", at[1 + digits]);
}

static tess_status refuse(const tess_file_text *file, const stranger *strangers) {
    const char *at = skip_blanks(file);
    for (; strangers->begins; strangers++)
        if (strncasecmp(at, strangers->begins, strlen(strangers->begins)) == 0)
            FAIL(TESS_ERROR_INPUT, "%s: line 1: is %s", file->path, strangers->is);
    return TESS_OK;
}

tess_status tess_stranger_refuse_no_mesh(const tess_file_text *file) {
    return refuse(file, no_meshes);
}

tess_status tess_stranger_refuse_format(const tess_file_text *file) {
    if (is_fluent(skip_blanks(file)))
        FAIL(TESS_ERROR_INPUT, "%s: line 1: is %s", file->path, fluent);
    return refuse(file, other_formats);
}
