/* A writer: a plug-in that writes a mesh in one file format, as one file or the files of a folder.
 */
#include "data/formats/writer.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/progress.h"
#include "core/base/registry.h"
#include "core/base/whole_file.h"
#include "core/mesh/derive.h"
#include "core/mesh/polytopes.h"
#include "data/formats/faces/polytope_count.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define X(name) extern const tess_writer tess_writer_##name;
#include "data/formats/writer_list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_writer_##name,
#include "data/formats/writer_list.h"
#undef X
    NULL};

static const tess_registry registry = {.items = items, .kind = "format"};

const tess_writer *tess_writer_at(int i) {
    return tess_registry_at(&registry, i);
}

static bool is_for(const tess_writer *writer, const char *path) {
    return tess_text_ends(path, writer->extension) || strcmp(path, writer->extension) == 0 ||
           (writer->files && tess_is_folder(path));
}

tess_status tess_writer_find(const char *format, const char *path, const tess_writer **out) {
    tess_unknown_name unknown = tess_unknown_name_of(format ? format : "");
    char known[256] = "";
    const tess_writer *writer = NULL;
    for (int i = 0; (writer = tess_writer_at(i)); i++) {
        if (format ? strcmp(format, writer->name) == 0 : is_for(writer, path)) {
            *out = writer;
            return TESS_OK;
        }
        tess_unknown_name_offer(&unknown, writer->name);
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s (%s)", i ? ", " : "", writer->name,
                 writer->extension);
    }
    if (!format)
        FAIL(TESS_ERROR_USAGE, "'%s': the extension tells no format: name one of %s", path, known);
    if (unknown.near[0])
        FAIL(TESS_ERROR_USAGE, "there is no format '%s'; did you mean '%s'?", format, unknown.near);
    FAIL(TESS_ERROR_USAGE, "there is no format '%s': it is one of %s", format, known);
}

void tess_write_real(FILE *stream, double value) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, stream);
}

void tess_write_int32(FILE *stream, int32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
        putc_unlocked((int)((uint32_t)value >> shift & 0xff), stream);
}

void tess_write_int64(FILE *stream, int64_t value) {
    for (int shift = 0; shift < 64; shift += 8)
        putc_unlocked((int)((uint64_t)value >> shift & 0xff), stream);
}

void tess_write_double(FILE *stream, double value) {
    int64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    tess_write_int64(stream, bits);
}

static tess_status derive_maps(tess_mesh *mesh, const char *maps) {
    while (*maps) {
        char name[TESS_NAME_SIZE];
        const size_t length = strcspn(maps, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, maps);
        TRY(tess_mesh_derive(mesh, name));
        maps += length + strspn(maps + length, " ");
    }
    return TESS_OK;
}

/* The edges of polygons are not lost: they are where two polygons have the same nodes. */
static tess_status warn_of_lost_maps(tess_mesh *mesh, const tess_writer *writer) {
    const tess_map *edges = tess_mesh_find_map(mesh, "edges:cells");
    tess_polytopes polytopes = {.dimension = 0};
    if (!edges || edges->derived || writer->keeps_maps)
        return TESS_OK;
    TRY(tess_polytopes_build(mesh, &polytopes));
    const bool are_polygons = polytopes.dimension > 0;
    tess_polytopes_release(&polytopes);
    if (are_polygons)
        return TESS_OK;
    return tess_mesh_warn(
        mesh,
        "%s files hold no maps: the stated edges:cells is lost, and cells that it "
        "joins without common nodes come apart",
        writer->name);
}

/* Says which dats are left out: all but those that tell where the boundary is, or how long the rows
 * of a derived map are. */
static tess_status warn_of_lost_dats(tess_mesh *mesh, const tess_writer *writer) {
    char words[256] = "";
    int n = 0;
    for (int d = 0; d < mesh->n_dats; d++) {
        const tess_dat *dat = &mesh->dats[d];
        const char *set = mesh->sets[dat->set].name;
        if (strcmp(dat->name, "marker") == 0 || strcmp(dat->name, "bound") == 0 ||
            strcmp(dat->name, "n_nodes") == 0 || strcmp(dat->name, "n_cells") == 0 ||
            dat->values == tess_mesh_regions(mesh))
            continue;
        const size_t length = strlen(words);
        snprintf(words + length, sizeof words - length, "%s%s (%s)", n++ ? ", " : "", dat->name,
                 set);
    }
    if (n)
        TRY(tess_mesh_warn(mesh, "of data on elements %s files hold none: %s %s left out",
                           writer->name, words, n == 1 ? "is" : "are"));
    return mesh->passed_over
               ? tess_mesh_warn(mesh,
                                "data on points and cells are no part of a mesh, and were "
                                "left out: %s",
                                mesh->passed_over)
               : TESS_OK;
}

/* Refuses cells that the format cannot hold. */
static tess_status check_cells(const tess_mesh *mesh, const tess_writer *writer) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_polytopes polytopes = {.dimension = 0};
    int64_t n = 0, first = 0;
    CHECK(tess_cells_build(mesh, &cells));
    if (cells.dimension || cells.n_cells == 0)
        goto done;
    CHECK(tess_polytopes_build(mesh, &polytopes));
    if (!polytopes.dimension)
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "%s: neither the nodes of its %lld cells are known nor their sides'",
                        mesh->source, (long long)cells.n_cells));
    if (writer->holds_polytopes)
        goto done;
    CHECK(tess_polytopes_count(&polytopes, &n, &first));
    CHECK(tess_fail(TESS_ERROR_INPUT,
                    "%s: %lld of its %lld cells are %s, the first is number %lld: %s files hold "
                    "none, .vtu, .vtk and .vtkhdf files do",
                    mesh->source, (long long)n, (long long)cells.n_cells,
                    polytopes.dimension == 3 ? "polyhedra" : "polygons", (long long)first,
                    writer->name));
done:
    tess_polytopes_release(&polytopes);
    tess_cells_release(&cells);
    return status;
}

/* Names and the number of each. */
typedef struct numbered_names {
    int n;
    char *const *names;
    const int32_t *tags;
} numbered_names;

/* Says which number each marker has, or region, the first three of them. */
static tess_status warn_of_numbers(tess_mesh *mesh, const tess_writer *writer, const char *what,
                                   const numbered_names *names) {
    char words[256] = "";
    for (int i = 0; i < names->n && i < 3; i++) {
        const size_t length = strlen(words);
        snprintf(words + length, sizeof words - length, "%s%d is '%.40s'", i ? ", " : "",
                 names->tags[i], names->names[i]);
    }
    return names->n && writer->loses_names
               ? tess_mesh_warn(mesh, "%s files hold no names of %s, but numbers: %s%s",
                                writer->name, what, words, names->n > 3 ? ", ..." : "")
               : TESS_OK;
}

/* Says which markers become numbers of the format's own. */
static tess_status warn_of_own_numbers(tess_mesh *mesh, const tess_writer *writer,
                                       const tess_marked *marked) {
    tess_name_counts words = {.n = 0};
    for (int m = 0; m < marked->n_markers; m++)
        tess_name_counts_add(&words, marked->names[m], 0);
    return words.n && writer->numbers && mesh->n_markers
               ? tess_mesh_warn(
                     mesh, "%s files hold numbers of markers, %s; their names are left out: %s",
                     writer->name, writer->numbers, tess_name_counts_text(&words))
               : TESS_OK;
}

/* Says which regions are left out, where some are. */
static tess_status warn_of_lost_regions(tess_mesh *mesh, const tess_writer *writer,
                                        const tess_marked *marked) {
    tess_name_counts words = {.n = 0};
    for (int r = 0; r < marked->n_regions; r++)
        tess_name_counts_add(&words, marked->region_names[r], 0);
    return words.n
               ? tess_mesh_warn(mesh,
                                "%s files hold no such groups of cells: %d region%s left out: %s",
                                writer->name, words.n, words.n == 1 ? " is" : "s are",
                                tess_name_counts_text(&words))
               : TESS_OK;
}

/* --- names ------------------------------------------------------------------------------------ */

/* Bytes of the longest beginning of a text that has at most `most` and ends with a whole letter. */
static int cut_of(const char *text, size_t most) {
    size_t n = strlen(text);
    if (n > most)
        for (n = most; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--;
    return (int)n;
}

static size_t most_letters(const tess_writer *writer) {
    return writer->most_letters ? (size_t)writer->most_letters : INT_MAX;
}

static bool is_name_taken(const tess_writer *writer, int n, char *const *names, int but,
                          const char *name) {
    for (int i = 0; i < n; i++)
        if (i != but && strcmp(names[i], name) == 0)
            return true;
    for (int i = 0; writer->taken && writer->taken[i]; i++)
        if (strcmp(writer->taken[i], name) == 0)
            return true;
    return false;
}

static bool is_bad_first(const tess_writer *writer, const char *name) {
    return writer->not_first && *name && strchr(writer->not_first, *name);
}

/* Whether a format can hold a name as it is, where no other one is the same. */
static bool holds_name(const tess_writer *writer, const char *name) {
    return !(writer->forbidden && name[strcspn(name, writer->forbidden)]) &&
           !is_bad_first(writer, name) && strlen(name) <= most_letters(writer) &&
           !is_name_taken(writer, 0, NULL, 0, name);
}

/* Replaces the letters of a name that a format cannot hold, and what follows them where another
 * name is the same then. */
static tess_status fit_name(const tess_writer *writer, int n, char **names, int at,
                            tess_name_counts *changed) {
    tess_status status = TESS_OK;
    char *fitted = NULL, *again = NULL;
    if (holds_name(writer, names[at]))
        return TESS_OK;
    CHECK(is_bad_first(writer, names[at])
              ? tess_text_print(&fitted, "%c%s", writer->instead, names[at])
              : tess_text_copy(names[at], &fitted));
    for (char *letter = fitted; *letter && writer->forbidden; letter++)
        if (strchr(writer->forbidden, *letter))
            *letter = writer->instead;
    CHECK(tess_text_print(&again, "%.*s", cut_of(fitted, most_letters(writer)), fitted));
    for (int number = 2; is_name_taken(writer, n, names, at, again); number++) {
        const size_t end = (size_t)snprintf(NULL, 0, "_%d", number);
        free(TESS_TAKE(again));
        CHECK(tess_text_print(&again, "%.*s_%d", cut_of(fitted, most_letters(writer) - end), fitted,
                              number));
    }
    tess_name_counts_add_pair(changed, names[at], again);
    free(names[at]);
    names[at] = TESS_TAKE(again);
done:
    free(fitted);
    free(again);
    return status;
}

/* Makes the names of markers and regions such as the format can hold, each of them another one, and
 * says which have changed. */
static tess_status fit_names(tess_mesh *mesh, const tess_writer *writer, tess_marked *marked) {
    tess_name_counts changed = {.n = 0};
    for (int m = 0; m < marked->n_markers; m++)
        TRY(fit_name(writer, marked->n_markers, marked->names, m, &changed));
    for (int r = 0; r < marked->n_regions; r++)
        TRY(fit_name(writer, marked->n_regions, marked->region_names, r, &changed));
    return changed.n ? tess_mesh_warn(mesh, "%s files cannot hold %d of the names: %s",
                                      writer->name, changed.n, tess_name_counts_text(&changed))
                     : TESS_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

enum { MOST_FILES = 8 };

/* The files that a mesh is written to. */
typedef struct written_files {
    char *folder; /* that they lie in; NULL where the path is that of one file; owned */
    int n;
    tess_whole_file files[MOST_FILES];
    FILE *streams[MOST_FILES];
} written_files;

/* The folder of the path, or of the case whose path it is; the caller frees it. */
static tess_status find_folder(const tess_writer *writer, const char *path, char **out) {
    int length = (int)strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const int size = (int)strlen(writer->extension);
    const bool is_it = length >= size && (length == size || path[length - size - 1] == '/') &&
                       strncmp(path + length - size, writer->extension, (size_t)size) == 0;
    return tess_text_print(out, is_it ? "%.*s" : "%.*s/constant/polyMesh", length, path);
}

/* Fails where a folder has files that hold numbers of its older mesh. */
static tess_status check_others(const tess_writer *writer, const char *folder) {
    tess_name_counts found = {.n = 0};
    if (writer->find_others)
        TRY(writer->find_others(folder, &found));
    if (found.n)
        FAIL(TESS_ERROR_INPUT,
             "%s has what refers to the numbers of the mesh that is there, and would be wrong: "
             "%s; remove them, or write to another folder",
             folder, tess_name_counts_text(&found));
    return TESS_OK;
}

tess_status tess_writer_check(const tess_writer *writer, const char *path) {
    char *folder = NULL;
    struct stat about;
    if (!writer->files)
        return tess_whole_file_check(path);
    if (stat(path, &about) == 0 && !S_ISDIR(about.st_mode))
        FAIL(TESS_ERROR_IO, "%s is a file, and a mesh of the format %s is a folder", path,
             writer->name);
    TRY(find_folder(writer, path, &folder));
    const tess_status status = check_others(writer, folder);
    free(folder);
    return status;
}

static tess_status open_files(const tess_writer *writer, const char *path, written_files *files) {
    TRY(tess_writer_check(writer, path));
    if (!writer->files) {
        files->n = 1;
        TRY(tess_whole_file_open(path, &files->files[0]));
        files->streams[0] = files->files[0].stream;
        return TESS_OK;
    }
    TRY(find_folder(writer, path, &files->folder));
    TRY(tess_folders_make(files->folder, true));
    for (int i = 0; writer->files[i]; i++) {
        char *name = NULL;
        TRY(tess_text_print(&name, "%s/%s", files->folder, writer->files[i]));
        files->n++;
        const tess_status status = tess_whole_file_open(name, &files->files[i]);
        free(name);
        TRY(status);
        files->streams[i] = files->files[i].stream;
    }
    return TESS_OK;
}

/* Keeps all of them; of a folder but for those without a byte. */
static tess_status keep_files(written_files *files) {
    for (int i = 0; i < files->n; i++)
        if (!files->folder || ftell(files->streams[i]) > 0)
            TRY(tess_whole_file_keep(&files->files[i]));
    return TESS_OK;
}

static void release_files(written_files *files) {
    for (int i = 0; i < files->n; i++)
        tess_whole_file_release(&files->files[i]);
    free(files->folder);
}

static tess_status write_to(const written_files *files, tess_mesh *mesh,
                            const tess_writer *writer) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_marked marked = {.n = 0};
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(tess_marked_build(mesh, &marked));
    if (!writer->keeps_regions || (writer->holds && !writer->holds(mesh, &cells))) {
        CHECK(warn_of_lost_regions(mesh, writer, &marked));
        tess_marked_drop_regions(&marked);
    }
    CHECK(warn_of_own_numbers(mesh, writer, &marked));
    CHECK(warn_of_numbers(mesh, writer, "markers",
                          &(numbered_names){marked.n_markers, marked.names, marked.tags}));
    CHECK(warn_of_numbers(
        mesh, writer, "regions",
        &(numbered_names){marked.n_regions, marked.region_names, marked.region_tags}));
    CHECK(fit_names(mesh, writer, &marked));
    CHECK(writer->files ? writer->write_files(mesh, &cells, &marked, files->folder, files->streams)
                        : writer->write(mesh, &cells, &marked, files->streams[0]));
done:
    tess_marked_release(&marked);
    tess_cells_release(&cells);
    return status;
}

tess_status tess_mesh_write(tess_mesh *mesh, const tess_writer *writer, const char *path) {
    tess_status status = TESS_OK;
    written_files files = {.n = 0};
    tess_progress_begin("writing %s", tess_last_of_path(path));
    CHECK(check_cells(mesh, writer));
    CHECK(derive_maps(mesh, writer->maps));
    CHECK(open_files(writer, path, &files));
    CHECK(write_to(&files, mesh, writer));
    CHECK(keep_files(&files));
    CHECK(warn_of_lost_maps(mesh, writer));
    CHECK(warn_of_lost_dats(mesh, writer));
done:
    release_files(&files);
    tess_progress_end();
    return status;
}
