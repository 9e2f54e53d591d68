/* Writes OpenFOAM's polyMesh as text: faces upper triangular, markers as patches, regions as
 * cellZones. Patches keep what the boundary file that is there says of them, but for their faces.
 */
#include "core/base/array.h"
#include "data/formats/faces/foam_faces.h"
#include "data/formats/foam_words.h"
#include "data/formats/writer.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum foam_file { POINTS, FACES, OWNER, NEIGHBOUR, BOUNDARY, CELL_ZONES, N_FILES } foam_file;

static const char *const file_names[] = {"points",   "faces",     "owner", "neighbour",
                                         "boundary", "cellZones", NULL};

static void write_head(FILE *stream, const char *class, const char *note, foam_file file) {
    fprintf(stream,
            "FoamFile\n{\n    version     2.0;\n    format      ascii;\n    class       %s;\n",
            class);
    if (note)
        fprintf(stream, "    note        \"%s\";\n", note);
    fprintf(stream, "    location    \"constant/polyMesh\";\n    object      %s;\n}\n\n",
            file_names[file]);
}

static void write_points(FILE *stream, const tess_mesh *mesh, int64_t n) {
    write_head(stream, "vectorField", NULL, POINTS);
    fprintf(stream, "%" PRId64 "\n(\n", n);
    for (int64_t i = 0; i < n; i++) {
        for (int d = 0; d < 3; d++) {
            fputc(d ? ' ' : '(', stream);
            tess_write_real(stream, mesh->coordinates[3 * i + d]);
        }
        fputs(")\n", stream);
    }
    fputs(")\n", stream);
}

static tess_status write_faces(FILE *stream, const tess_foam_faces *faces) {
    int32_t *nodes = NULL;
    TRY(TESS_ALLOC(tess_foam_faces_most(faces), &nodes));
    write_head(stream, "faceList", NULL, FACES);
    fprintf(stream, "%" PRId64 "\n(\n", faces->n);
    for (int64_t f = 0; f < faces->n; f++) {
        const int n = tess_foam_face_nodes(faces, &faces->faces[f], nodes);
        fprintf(stream, "%d", n);
        for (int i = 0; i < n; i++)
            fprintf(stream, "%c%d", i ? ' ' : '(', nodes[i]);
        fputs(")\n", stream);
    }
    fputs(")\n", stream);
    free(nodes);
    return TESS_OK;
}

static void write_cells_of_faces(FILE *const *streams, const tess_foam_faces *faces,
                                 int64_t n_cells) {
    char note[160];
    snprintf(note, sizeof note,
             "nPoints:%" PRId64 "  nCells:%" PRId64 "  nFaces:%" PRId64 "  nInternalFaces:%" PRId64,
             tess_mesh_set_size(faces->mesh, "nodes"), n_cells, faces->n, faces->n_inner);
    write_head(streams[OWNER], "labelList", note, OWNER);
    fprintf(streams[OWNER], "%" PRId64 "\n(\n", faces->n);
    for (int64_t f = 0; f < faces->n; f++)
        fprintf(streams[OWNER], "%d\n", faces->faces[f].owner);
    fputs(")\n", streams[OWNER]);
    write_head(streams[NEIGHBOUR], "labelList", note, NEIGHBOUR);
    fprintf(streams[NEIGHBOUR], "%" PRId64 "\n(\n", faces->n_inner);
    for (int64_t f = 0; f < faces->n_inner; f++)
        fprintf(streams[NEIGHBOUR], "%d\n", faces->faces[f].neighbour);
    fputs(")\n", streams[NEIGHBOUR]);
}

/* --- patches ---------------------------------------------------------------------------------- */

/* The words between the braces of a patch in the boundary file that is there. */
typedef struct foam_entry {
    const char *begin, *end; /* NULL: it has no such patch */
} foam_entry;

/* The patches of a folder's boundary file: none where there is no such file. */
typedef struct older_patches {
    tess_file_text *text;
    tess_scan first; /* at the first patch */
    int64_t n;
} older_patches;

/* Moves behind the '}' that belongs to the '{' before. */
static tess_status pass_braces(tess_scan *scan) {
    const char *word = NULL;
    for (int depth = 1; depth > 0;) {
        const size_t length = tess_foam_word(scan, &word);
        if (length == 0 && scan->at == scan->end)
            return tess_scan_fail(scan, "the file ends between the braces of an entry");
        if (length == 0) {
            depth += *scan->at == '{' ? 1 : *scan->at == '}' ? -1 : 0;
            scan->at++;
        }
    }
    return TESS_OK;
}

static tess_status open_older(const char *folder, older_patches *out) {
    tess_status status = TESS_OK;
    char *beside = NULL;
    const char *word = NULL;
    *out = (older_patches){.n = 0};
    CHECK(tess_text_print(&beside, "%s/faces", folder));
    if (!tess_file_text_is_beside(beside, "boundary"))
        goto done;
    CHECK(tess_file_text_read_beside(beside, "boundary", &out->text));
    tess_foam_file file = {.scan = tess_scan_open(out->text, 0)};
    tess_foam_word(&file.scan, &word);
    CHECK(tess_foam_expect(&file.scan, '{', "behind FoamFile"));
    CHECK(pass_braces(&file.scan));
    CHECK(tess_foam_list_open(&file, "patches", 4, &out->n));
    out->first = file.scan;
done:
    free(beside);
    return status;
}

/* Finds the entry of a patch by its name. */
static tess_status find_entry(const older_patches *older, const char *name, foam_entry *out) {
    tess_scan scan = older->first;
    *out = (foam_entry){.begin = NULL};
    for (int64_t i = 0; i < older->n && !out->begin; i++) {
        char found[TESS_GROUP_NAME_SIZE];
        tess_foam_name(&scan, found);
        TRY(tess_foam_expect(&scan, '{', "behind the name of a patch"));
        const char *begin = scan.at;
        TRY(pass_braces(&scan));
        if (strcmp(found, name) == 0)
            *out = (foam_entry){begin, scan.at - 1};
    }
    return TESS_OK;
}

/* Moves behind the value of an entry: what ends at a ';', or lies between braces. */
static tess_status pass_value(tess_scan *scan) {
    while (!tess_foam_next_is(scan, ';') && !tess_foam_next_is(scan, '{') && scan->at < scan->end)
        scan->at++;
    if (tess_foam_next_is(scan, '{')) {
        scan->at++;
        return pass_braces(scan);
    }
    return tess_foam_expect(scan, ';', "behind an entry of a patch");
}

/* Fails on patches whose faces other faces know by their number. */
static tess_status check_type(const tess_scan *at, const char *name) {
    tess_scan scan = *at;
    const char *word = NULL;
    const size_t length = tess_foam_word(&scan, &word);
    if (tess_foam_word_is(word, length, "cyclic") || tess_foam_word_is(word, length, "processor") ||
        tess_foam_word_is(word, length, "cyclicSlip") ||
        tess_foam_word_is(word, length, "processorCyclic"))
        return tess_scan_fail(at,
                              "the patch %s is of the type %.*s, whose faces stand in the order of "
                              "those of another one: no other mesh can be written over it",
                              name, (int)length, word);
    return TESS_OK;
}

/* Writes what an older patch has but its faces. */
static tess_status write_entry(FILE *stream, const older_patches *older, const char *name,
                               const foam_entry *entry) {
    tess_scan scan = older->first;
    scan.at = entry->begin;
    scan.end = entry->end;
    tess_foam_skip(&scan);
    while (scan.at < scan.end) {
        const char *begin = scan.at, *word = NULL;
        const size_t length = tess_foam_word(&scan, &word);
        if (tess_foam_word_is(word, length, "type"))
            TRY(check_type(&scan, name));
        TRY(pass_value(&scan));
        if (!tess_foam_word_is(word, length, "nFaces") &&
            !tess_foam_word_is(word, length, "startFace"))
            fprintf(stream, "        %.*s\n", (int)(scan.at - begin), begin);
        tess_foam_skip(&scan);
    }
    return TESS_OK;
}

/* A patch that is written. */
typedef struct foam_patch {
    const char *name;
    int64_t n, first;
} foam_patch;

static tess_status write_patch(FILE *stream, const older_patches *older, const foam_patch *patch) {
    foam_entry entry;
    TRY(find_entry(older, patch->name, &entry));
    fprintf(stream, "    %s\n    {\n", patch->name);
    if (entry.begin)
        TRY(write_entry(stream, older, patch->name, &entry));
    else
        fputs("        type            patch;\n", stream);
    fprintf(stream,
            "        nFaces          %" PRId64 ";\n        startFace       %" PRId64 ";\n    }\n",
            patch->n, patch->first);
    return TESS_OK;
}

/* The name of the patch of faces without a marker, which no marker has. */
static tess_status name_bare(const tess_marked *marked, char **out) {
    TRY(tess_text_copy("defaultFaces", out));
    for (int number = 2, m = 0; m < marked->n_markers; m++)
        if (strcmp(marked->names[m], *out) == 0) {
            free(TESS_TAKE(*out));
            TRY(tess_text_print(out, "defaultFaces_%d", number++));
            m = -1;
        }
    return TESS_OK;
}

/* Writes the patches, each with its run of the faces: first counted, then named. */
static tess_status write_patches(FILE *stream, const tess_foam_faces *faces,
                                 const tess_marked *marked, const older_patches *older) {
    tess_status status = TESS_OK;
    const int n_most = marked->n_markers + 1;
    foam_patch *patches = NULL;
    char *bare = NULL;
    int64_t first = faces->n_inner;
    int n = 0;
    CHECK(TESS_ZEROS(n_most, &patches));
    CHECK(name_bare(marked, &bare));
    for (int64_t f = faces->n_inner; f < faces->n; f++)
        patches[faces->faces[f].patch].n++;
    for (int p = 0; p < n_most; p++) {
        const int64_t size = patches[p].n;
        const bool is_there = size || (p < marked->n_markers && faces->n_left_out[p] == 0);
        if (is_there)
            patches[n++] =
                (foam_patch){p < marked->n_markers ? marked->names[p] : bare, size, first};
        first += size;
    }
    write_head(stream, "polyBoundaryMesh", NULL, BOUNDARY);
    fprintf(stream, "%d\n(\n", n);
    for (int p = 0; p < n; p++)
        CHECK(write_patch(stream, older, &patches[p]));
    fputs(")\n", stream);
done:
    free(patches);
    free(bare);
    return status;
}

/* --- zones ------------------------------------------------------------------------------------ */

static tess_status write_zones(FILE *stream, const tess_marked *marked, int64_t n_cells) {
    int64_t *n = NULL;
    TRY(TESS_ZEROS(marked->n_regions, &n));
    for (int64_t cell = 0; marked->n_regions && cell < n_cells; cell++)
        if (marked->region_of[cell] >= 0)
            n[marked->region_of[cell]]++;
    write_head(stream, "regIOobject", NULL, CELL_ZONES);
    fprintf(stream, "%d\n(\n", marked->n_regions);
    for (int r = 0; r < marked->n_regions; r++) {
        fprintf(stream, "%s\n{\n    type cellZone;\n    cellLabels List<label>\n%" PRId64 "\n(\n",
                marked->region_names[r], n[r]);
        for (int64_t cell = 0; cell < n_cells; cell++)
            if (marked->region_of[cell] == r)
                fprintf(stream, "%" PRId64 "\n", cell);
        fputs(")\n;\n}\n", stream);
    }
    fputs(")\n", stream);
    free(n);
    return TESS_OK;
}

/* --- the mesh --------------------------------------------------------------------------------- */

static tess_status warn_of_sides(tess_mesh *mesh, const tess_foam_faces *faces,
                                 const tess_marked *marked, bool has_types) {
    tess_name_counts words = {.n = 0};
    int64_t n = 0;
    for (int m = 0; m < marked->n_markers; m++)
        n += faces->n_left_out[m];
    tess_name_counts_add_all(&words, marked->names, faces->n_left_out, marked->n_markers);
    if (n)
        TRY(tess_mesh_warn(mesh,
                           "%" PRId64 " marked faces lie between cells or are in a patch already, "
                           "and were left out: %s",
                           n, tess_name_counts_text(&words)));
    if (faces->n_bare)
        TRY(tess_mesh_warn(mesh,
                           "%" PRId64 " faces at the boundary have no marker: they are the patch "
                           "defaultFaces",
                           faces->n_bare));
    return has_types ? TESS_OK
                     : tess_mesh_warn(mesh, "all patches have the type patch, for no boundary file "
                                            "was there that would tell them");
}

static tess_status foam_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                              const char *folder, FILE *const *streams) {
    tess_status status = TESS_OK;
    const int64_t n_cells = tess_mesh_set_size(mesh, "cells");
    tess_foam_faces faces = {.n = 0};
    older_patches older = {.n = 0};
    char *beside = NULL;
    if (mesh->dimension != 3 || cells->dimension == 2)
        FAIL(TESS_ERROR_INPUT,
             "%s: OpenFOAM holds no cells of two dimensions: a plane mesh needs "
             "a layer of cells",
             mesh->source);
    CHECK(tess_text_print(&beside, "%s/faces", folder));
    CHECK(open_older(folder, &older));
    CHECK(tess_foam_faces_build(mesh, cells, marked, &faces));
    if (faces.n > INT32_MAX)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: %" PRId64 " faces are more than OpenFOAM's 32 bits",
                        mesh->source, faces.n));
    write_points(streams[POINTS], mesh, tess_mesh_set_size(mesh, "nodes"));
    CHECK(write_faces(streams[FACES], &faces));
    write_cells_of_faces(streams, &faces, n_cells);
    CHECK(write_patches(streams[BOUNDARY], &faces, marked, &older));
    if (marked->n_regions || tess_file_text_is_beside(beside, "cellZones"))
        CHECK(write_zones(streams[CELL_ZONES], marked, n_cells));
    CHECK(warn_of_sides(mesh, &faces, marked, older.n > 0));
done:
    tess_foam_faces_release(&faces);
    tess_file_text_free(older.text);
    free(beside);
    return status;
}

/* --- what holds numbers of a mesh ------------------------------------------------------------- */

static const char *const others[] = {
    "faceZones",          "pointZones",          "sets",
    "cellLevel",          "pointLevel",          "refinementHistory",
    "surfaceIndex",       "meshModifiers",       "cellProcAddressing",
    "faceProcAddressing", "pointProcAddressing", NULL};

/* Adds a file that gives values cell by cell, or face by face. */
static tess_status find_field(const char *times, const char *path, tess_name_counts *found) {
    struct stat about;
    tess_file_text *text = NULL;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return TESS_OK;
    TRY(tess_file_text_read(path, &text));
    if (tess_file_text_holds(text, "nonuniform"))
        tess_name_counts_add(found, path + strlen(times) + 1, 0);
    tess_file_text_free(text);
    return TESS_OK;
}

/* Adds such files of the folder, and those in folders that are called by a time. */
static tess_status find_fields(const char *times, const char *folder, tess_name_counts *found) {
    tess_status status = TESS_OK;
    const bool has_times = strcmp(times, folder) == 0;
    char *path = NULL;
    DIR *files = opendir(folder);
    for (struct dirent *file; files && (file = readdir(files));) {
        char *end = NULL;
        strtod(file->d_name, &end);
        if (has_times && (*end || !isdigit((unsigned char)*file->d_name)))
            continue;
        CHECK(tess_text_print(&path, "%s/%s", folder, file->d_name));
        CHECK(has_times ? find_fields(times, path, found) : find_field(times, path, found));
        free(TESS_TAKE(path));
    }
done:
    if (files)
        closedir(files);
    free(path);
    return status;
}

static tess_status foam_find_others(const char *folder, tess_name_counts *found) {
    static const char in_case[] = "/constant/polyMesh";
    const size_t length = strlen(folder), end = sizeof in_case - 1;
    tess_status status = TESS_OK;
    char *path = NULL;
    for (int i = 0; others[i]; i++) {
        CHECK(tess_text_print(&path, "%s/%s", folder, others[i]));
        if (access(path, F_OK) == 0)
            tess_name_counts_add(found, others[i], 0);
        free(TESS_TAKE(path));
    }
    if (strcmp(folder, in_case + 1) == 0 ||
        (length > end && strcmp(folder + length - end, in_case) == 0)) {
        CHECK(tess_text_print(&path, "%s/../..", folder));
        CHECK(find_fields(path, path, found));
    }
done:
    free(path);
    return status;
}

const tess_writer tess_writer_openfoam = {
    .name = "openfoam",
    .summary = "OpenFOAM's polyMesh, or that of a case; regions as cellZones",
    .extension = "polyMesh",
    .maps = "",
    .holds_polytopes = true,
    .forbidden = " \t\r\n\v\f\"'/\\;{}()$#",
    .instead = '_',
    .not_first = "0123456789+-.",
    .keeps_regions = true,
    .files = file_names,
    .find_others = foam_find_others,
    .write_files = foam_write};
