/* Readers: the table of them, and which one reads a file. */
#include "data/formats/reader.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/progress.h"
#include "core/base/registry.h"
#include "core/base/unknown_name.h"
#include "data/formats/stranger.h"
#include "data/mesh_inspect.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define X(name) extern const tess_reader tess_reader_##name;
#include "data/formats/reader_list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_reader_##name,
#include "data/formats/reader_list.h"
#undef X
    NULL};

static const tess_registry registry = {.items = items, .kind = "reader"};

const tess_reader *tess_reader_at(int i) {
    return tess_registry_at(&registry, i);
}

static bool ends_with(const char *text, size_t length, const char *ending, size_t ending_length) {
    return length > ending_length &&
           strncmp(text + length - ending_length, ending, ending_length) == 0;
}

static bool extension_fits(const tess_reader *reader, const char *path) {
    const size_t length = tess_path_length_unpacked(path);
    for (const char *extension = reader->extensions; *extension;) {
        const size_t extension_length = strcspn(extension, " ");
        if (ends_with(path, length, extension, extension_length))
            return true;
        extension += extension_length + strspn(extension + extension_length, " ");
    }
    return false;
}

/* The readers and their extensions, for a message. */
static void list_readers(char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    const tess_reader *reader = NULL;
    for (int i = 0; (reader = tess_reader_at(i)) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s (%s)", i ? ", " : "", reader->name,
                                 reader->extensions);
}

/* The extension decides where it is known, else the content. */
static tess_status find_reader(const tess_file_text *file, const tess_reader **out) {
    const tess_reader *by_extension = NULL, *by_content = NULL;
    const tess_reader *reader = NULL;
    for (int i = 0; (reader = tess_reader_at(i)); i++) {
        const bool fits = extension_fits(reader, file->path);
        const bool recognised = reader->recognise(file);
        if (fits && recognised) {
            *out = reader;
            return TESS_OK;
        }
        by_extension = fits && !by_extension ? reader : by_extension;
        by_content = recognised && !by_content ? reader : by_content;
    }
    if (!by_content)
        TRY(tess_stranger_refuse_format(file));
    if (by_extension)
        FAIL(TESS_ERROR_INPUT, "%s: line 1: does not begin like a file of the format %s%s%s",
             file->path, by_extension->name, by_content ? ", but like one of the format " : "",
             by_content ? by_content->name : "");
    if (!by_content) {
        char known[512];
        list_readers(known, sizeof known);
        FAIL(TESS_ERROR_INPUT,
             "%s: line 1: not in a mesh format known here: %s; of others 'meshio convert' or Gmsh "
             "makes VTU or MSH",
             file->path, known);
    }
    *out = by_content;
    return TESS_OK;
}

/* A folder in which a reader looks for its file. */
typedef struct folder_search {
    const char *folder; /* with its slash */
    char *found;        /* the file, from the folder on; owned */
    char *names;        /* of the folders that a star stands for, where there are several; owned */
} folder_search;

/* Looks for BEFORE*AFTER: the star stands for any folder. */
static tess_status find_starred(folder_search *search, const char *before, const char *after) {
    tess_status status = TESS_OK;
    char *parent = NULL, *file = NULL;
    CHECK(tess_text_print(&parent, "%s%s", search->folder, before));
    DIR *listing = opendir(parent);
    for (struct dirent *entry; listing && status == TESS_OK && (entry = readdir(listing));) {
        free(TESS_TAKE(file));
        status = tess_text_print(&file, "%s%s%s", before, entry->d_name, after);
        if (status != TESS_OK || entry->d_name[0] == '.' ||
            !tess_file_text_is_beside(search->folder, file))
            continue;
        char *names = NULL;
        status = tess_text_print(&names, "%s%s%s", search->names ? search->names : "",
                                 search->names ? ", " : "", entry->d_name);
        free(search->names);
        search->names = names;
        free(search->found);
        search->found = TESS_TAKE(file);
    }
    if (listing)
        closedir(listing);
done:
    free(parent);
    free(file);
    return status;
}

/* Looks for the first file of those that a reader reads of a folder. */
static tess_status find_of_reader(folder_search *search, const tess_reader *reader) {
    for (const char *words = reader->in_folder ? reader->in_folder : "";
         *words && !search->found;) {
        char name[128];
        const size_t length = strcspn(words, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, words);
        char *star = strchr(name, '*');
        if (star) {
            *star = '\0';
            TRY(find_starred(search, name, star + 1));
        } else if (tess_file_text_is_beside(search->folder, name)) {
            TRY(tess_text_copy(name, &search->found));
        }
        words += length + strspn(words + length, " ");
    }
    return TESS_OK;
}

/* Whether the folder has processorsN, in which OpenFOAM keeps the parts of a case in one file each.
 */
static bool is_collated(const char *folder) {
    static const char begins[] = "processors";
    bool found = false;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && !found && (entry = readdir(listing));)
        found = strncmp(entry->d_name, begins, sizeof begins - 1) == 0;
    if (listing)
        closedir(listing);
    return found;
}

static tess_status find_in_folder(folder_search *search) {
    const tess_reader *reader = NULL;
    for (int i = 0; (reader = tess_reader_at(i)) && !search->found; i++)
        TRY(find_of_reader(search, reader));
    if (!search->found && is_collated(search->folder))
        FAIL(TESS_ERROR_INPUT,
             "%.*s: is a case of OpenFOAM whose parts are collated (processorsN), which are not "
             "read: reconstructParMesh makes one mesh of them",
             (int)strlen(search->folder) - 1, search->folder);
    if (!search->found)
        FAIL(TESS_ERROR_INPUT,
             "%.*s: is a directory, and none that a reader knows (tess list readers)",
             (int)strlen(search->folder) - 1, search->folder);
    if (search->names && strstr(search->names, ", "))
        FAIL(TESS_ERROR_INPUT, "%.*s: has several meshes, in the folders %s: name one of these",
             (int)strlen(search->folder) - 1, search->folder, search->names);
    return TESS_OK;
}

static tess_status read_in_folder(const char *folder, tess_file_text **out) {
    tess_status status = TESS_OK;
    folder_search search = {.folder = folder};
    CHECK(find_in_folder(&search));
    CHECK(tess_file_text_read_beside(folder, search.found, out));
done:
    free(search.found);
    free(search.names);
    return status;
}

/* NAME.foam stands for the folder that it is in: it is empty, for ParaView to open. */
static bool names_its_folder(const char *path) {
    struct stat about;
    return ends_with(path, strlen(path), ".foam", 5) && stat(path, &about) == 0 &&
           S_ISREG(about.st_mode);
}

/* Reads the file, or of a folder the file that a reader names. */
static tess_status read_text(const char *path, tess_file_text **out) {
    const bool of_folder = tess_is_folder(path);
    char *folder = NULL;
    if (!of_folder && !names_its_folder(path))
        return tess_file_text_read(path, out);
    const char *slash = strrchr(path, '/');
    TRY(of_folder ? tess_text_print(&folder, "%s/", path)
                  : tess_text_print(&folder, "%.*s", slash ? (int)(slash + 1 - path) : 2,
                                    slash ? path : "./"));
    const tess_status status = read_in_folder(folder, out);
    free(folder);
    return status;
}

/* The reader of that name, which recognises the file. */
static tess_status find_named(const char *name, const tess_file_text *file,
                              const tess_reader **out) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    const tess_reader *reader = NULL;
    for (int i = 0; (reader = tess_reader_at(i)) && strcmp(reader->name, name) != 0; i++)
        tess_unknown_name_offer(&unknown, reader->name);
    if (!reader)
        FAIL(TESS_ERROR_USAGE, "there is no reader '%s'%s%s%s; 'tess list readers' names them",
             name, unknown.near[0] ? "; did you mean '" : "", unknown.near,
             unknown.near[0] ? "'?" : "");
    if (!reader->recognise(file)) {
        TRY(tess_stranger_refuse_format(file));
        FAIL(TESS_ERROR_INPUT, "%s: line 1: does not begin like a file of the format %s",
             file->path, name);
    }
    *out = reader;
    return TESS_OK;
}

/* Fails on what a reader is told and does not heed. */
static tess_status check_heeds(const tess_reader *reading_by, const tess_reading *reading) {
    if (reading->base && !reading_by->has_bases)
        FAIL(TESS_ERROR_USAGE, "base=%s: files that the reader %s reads hold one mesh each",
             reading->base, reading_by->name);
    if (reading->joins_periodic && !reading_by->has_periods)
        FAIL(TESS_ERROR_USAGE, "periodic=join: the reader %s knows of no periodic sides",
             reading_by->name);
    return TESS_OK;
}

/* A mesh in a folder has the folder's name, as it was given, and not that of one of its files. */
static tess_status name_by_folder(const char *path, tess_mesh *mesh) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    char *name = NULL;
    TRY(tess_text_print(&name, "%.*s", (int)length, path));
    free(mesh->source);
    mesh->source = name;
    return TESS_OK;
}

static tess_status read_mesh(const tess_reading *reading, const char *path, tess_mesh **out) {
    const char *name = reading->reader;
    tess_status status = TESS_OK;
    tess_file_text *file = NULL;
    tess_mesh *mesh = NULL;
    const tess_reader *reader = NULL;
    CHECK(read_text(path, &file));
    if (file->size == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: line 1: the file is empty", path));
    CHECK(tess_stranger_refuse_no_mesh(file));
    CHECK(name ? find_named(name, file, &reader) : find_reader(file, &reader));
    CHECK(check_heeds(reader, reading));
    file->reading = reading;
    if (file->mapped) /* what was looked at to tell the format */
        tess_file_pages_pass(file->content, file->content + file->size);
    CHECK(reader->read(file, &mesh));
    tess_file_text_free(file); /* before the inspection asks for memory */
    file = NULL;
    if (tess_is_folder(path) || names_its_folder(path))
        CHECK(name_by_folder(path, mesh));
    CHECK(tess_mesh_inspect(mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_file_text_free(file);
    tess_mesh_free(mesh);
    return status;
}

tess_status tess_mesh_read_as(const tess_reading *reading, const char *path, tess_mesh **out) {
    tess_progress_begin("reading %s", tess_last_of_path(path));
    const tess_status status = read_mesh(reading, path, out);
    tess_progress_end();
    return status;
}

tess_status tess_mesh_read(const char *path, tess_mesh **out) {
    return tess_mesh_read_as(&(tess_reading){.reader = NULL}, path, out);
}
