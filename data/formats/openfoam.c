/* OpenFOAM: a polyMesh, the five files points, faces, owner, neighbour and boundary of one folder.
 *
 * A face is a ring of points whose normal leaves its owner; the faces that have a neighbour, too,
 * come first. What cells these close, see polyhedra.h. Zones of cells (cellZones) are regions. The
 * folders processor0, processor1 ... of a decomposed case are read together, whichever is named;
 * the faces between two are joined. ASCII and binary, labels of 32 and 64 bits. Format: OpenFOAM
 * user guide, "Mesh description". */
#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/progress.h"
#include "data/formats/faces/polyhedra.h"
#include "data/formats/foam_words.h"
#include "data/formats/foam_zones.h"
#include "data/formats/marker_groups.h"
#include "data/formats/name_counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- the files -------------------------------------------------------------------------------- */

static tess_status read_points(tess_foam_file *file, tess_polyhedra *mesh) {
    tess_scan *scan = &file->scan;
    const char *raw = NULL;
    TRY(tess_foam_list_open(file, "points", file->binary ? 3 * file->real_bytes : 8,
                            &mesh->n_points));
    TRY(TESS_ALLOC(3 * mesh->n_points, &mesh->points));
    if (file->binary && mesh->n_points > 0)
        TRY(tess_scan_raw(scan, "points", 3 * mesh->n_points, file->real_bytes, &raw));
    for (int64_t i = 0; i < 3 * mesh->n_points; i++) {
        double *x = &mesh->points[i];
        if (raw && file->real_bytes == 8) {
            *x = tess_raw_double(raw + 8 * i, scan->swap);
        } else if (raw) {
            const int32_t bits = tess_raw_int32(raw + 4 * i, scan->swap);
            float narrow = 0;
            memcpy(&narrow, &bits, sizeof narrow);
            *x = (double)narrow;
        } else {
            if (i % 3 == 0)
                TRY(tess_foam_expect(scan, '(', "before a point"));
            TRY(tess_foam_real(scan, x));
            if (i % 3 == 2)
                TRY(tess_foam_expect(scan, ')', "behind a point"));
        }
        if (!(*x - *x == 0))
            return tess_scan_fail(scan, "a coordinate of point %" PRId64 " is not finite", i / 3);
        tess_scan_passed(scan, i, raw ? raw : scan->start,
                         raw ? raw + file->real_bytes * i : scan->at);
    }
    return tess_foam_list_close(file, mesh->n_points);
}

/* Faces one behind the other: 4(0 1 2 3). */
static tess_status read_face_list(tess_foam_file *file, tess_polyhedra *mesh) {
    tess_scan *scan = &file->scan;
    tess_jagged_array *faces = &mesh->faces;
    int64_t capacity = 0, used = 0;
    TRY(tess_foam_list_open(file, "faces", 8, &faces->n));
    TRY(TESS_ZEROS(faces->n + 1, &faces->start));
    for (int64_t f = 0; f < faces->n; f++) {
        int64_t n = 0, label = 0;
        TRY(tess_foam_label(scan, "number of points of a face", 3, (scan->end - scan->at) / 2, &n));
        TRY(tess_foam_expect(scan, '(', "before the points of a face"));
        TRY(TESS_RESERVE(used + n, &capacity, &faces->value));
        for (int64_t i = 0; i < n; i++) {
            TRY(tess_foam_label(scan, "point of the face", 0, mesh->n_points - 1, &label));
            faces->value[used++] = (int32_t)label;
        }
        TRY(tess_foam_expect(scan, ')', "behind the points of a face"));
        faces->start[f + 1] = used;
        tess_scan_passed(scan, f, scan->start, scan->at);
    }
    return tess_foam_list_close(file, faces->n);
}

/* Where each face begins, and all their points (class faceCompactList). */
static tess_status read_compact_faces(tess_foam_file *file, tess_polyhedra *mesh) {
    tess_status status = TESS_OK;
    tess_jagged_array *faces = &mesh->faces;
    int64_t n = 0, n_values = 0;
    int32_t *start = NULL;
    const int64_t bytes_left = file->scan.end - file->scan.at; /* a point takes two at least */
    CHECK(tess_foam_labels(file, "begin of a face", bytes_left, -1, &n, &start));
    CHECK(tess_foam_labels(file, "point of a face", mesh->n_points, -1, &n_values, &faces->value));
    faces->n = n > 0 ? n - 1 : 0;
    CHECK(TESS_ZEROS(faces->n + 1, &faces->start));
    for (int64_t f = 0; f < n; f++) {
        if ((f == 0 && start[f] != 0) || (f > 0 && start[f] - start[f - 1] < 3) ||
            start[f] > n_values)
            CHECK(tess_scan_fail(&file->scan, "face %" PRId64 " has not three points or more",
                                 f - (f > 0)));
        faces->start[f] = start[f];
    }
    if (faces->start[faces->n] != n_values)
        CHECK(tess_scan_fail(&file->scan,
                             "the points of the faces end at %" PRId64 ", not at %" PRId64,
                             n_values, faces->start[faces->n]));
done:
    free(start);
    return status;
}

/* A patch of faces at the boundary. */
typedef struct foam_patch {
    char name[TESS_GROUP_NAME_SIZE];
    int64_t n, first; /* -1: not said */
    int64_t other;    /* the processor that has these faces, too; -1: none */
    bool is_between;  /* of the type processor */
    bool is_cyclic;   /* its faces stand in the order of those of another patch */
    bool is_periodic; /* of another cyclic type, too */
} foam_patch;

/* The value of an entry of a patch, its key read. */
static tess_status read_entry(tess_scan *scan, const char *key, size_t length, int64_t most,
                              foam_patch *patch) {
    const char *word = NULL;
    if (tess_foam_word_is(key, length, "nFaces"))
        return tess_foam_label(scan, "number of faces of the patch", 0, most, &patch->n);
    if (tess_foam_word_is(key, length, "startFace"))
        return tess_foam_label(scan, "first face of the patch", 0, most, &patch->first);
    if (tess_foam_word_is(key, length, "neighbProcNo"))
        return tess_foam_label(scan, "processor behind the patch", 0, INT32_MAX, &patch->other);
    if (tess_foam_word_is(key, length, "type")) {
        const size_t type_length = tess_foam_word(scan, &word);
        patch->is_between = tess_foam_word_is(word, type_length, "processor");
        patch->is_cyclic = tess_foam_word_is(word, type_length, "cyclic") ||
                           tess_foam_word_is(word, type_length, "cyclicSlip");
        patch->is_periodic = type_length >= 6 && memcmp(word, "cyclic", 6) == 0;
    }
    return TESS_OK;
}

/* One patch: NAME { nFaces N; startFace S; ... }, other entries of any kind between them. */
static tess_status read_patch(tess_scan *scan, const tess_polyhedra *mesh, foam_patch *patch) {
    const char *word = NULL;
    int depth = 1;
    *patch = (foam_patch){.n = -1, .first = -1, .other = -1};
    tess_foam_name(scan, patch->name);
    TRY(tess_foam_expect(scan, '{', "behind the name of a patch"));
    while (depth > 0) {
        const size_t length = tess_foam_word(scan, &word);
        if (length == 0 && scan->at == scan->end)
            return tess_scan_fail(scan, "the file ends within the patch %s", patch->name);
        if (length == 0) {
            depth += *scan->at == '{' ? 1 : *scan->at == '}' ? -1 : 0;
            scan->at++;
        } else if (depth == 1) {
            TRY(read_entry(scan, word, length, mesh->faces.n, patch));
        }
    }
    if (patch->n < 0 || patch->first < 0)
        return tess_scan_fail(scan, "the patch %s has no nFaces or no startFace", patch->name);
    if (patch->n > 0 && (patch->first < mesh->n_inner || patch->first + patch->n > mesh->faces.n))
        return tess_scan_fail(scan,
                              "the patch %s has the faces %" PRId64 "..%" PRId64
                              "; those at the boundary are %" PRId64 "..%" PRId64,
                              patch->name, patch->first, patch->first + patch->n - 1, mesh->n_inner,
                              mesh->faces.n - 1);
    return TESS_OK;
}

/* Marks the faces of a patch, or keeps that another processor has them, too. */
static tess_status take_patch(tess_foam_file *file, const foam_patch *patch, tess_polyhedra *mesh) {
    const bool joins = file->pieces && patch->is_between && patch->other >= 0;
    const int n_before = file->out->n_markers;
    int marker = 0;
    if (patch->is_cyclic)
        TRY(tess_mesh_tie(file->out, "cyclic patches, whose faces stand in pairs"));
    if (joins)
        TRY(tess_face_pieces_add_joint(
            file->pieces, &(tess_piece_joint){file->piece, patch->other, patch->first, patch->n}));
    if (joins && patch->other < file->pieces->n)
        return TESS_OK;
    TRY(tess_mesh_add_marker(file->out, patch->name, &marker));
    if (file->out->n_markers == n_before && file->piece == 0) /* others have the same patches */
        TRY(tess_mesh_warn(file->out, "two patches have the name '%s' and became one marker",
                           patch->name));
    for (int64_t f = patch->first; f < patch->first + patch->n; f++) {
        int32_t *of = &mesh->marker[f - mesh->n_inner];
        if (*of >= 0)
            return tess_scan_fail(&file->scan,
                                  "the patch %s has the face %" PRId64 ", which the patch %s has, "
                                  "too: startFace and nFaces of patches may not overlap",
                                  patch->name, f, file->out->markers[*of]);
        *of = marker;
    }
    return TESS_OK;
}

static tess_status read_patches(tess_foam_file *file, tess_polyhedra *mesh) {
    int64_t n = 0;
    const int64_t n_outer = mesh->faces.n - mesh->n_inner;
    TRY(TESS_ALLOC(n_outer, &mesh->marker));
    memset(mesh->marker, 0xff, (size_t)n_outer * sizeof *mesh->marker);
    tess_name_counts periodic = {.n = 0};
    TRY(tess_foam_list_open(file, "patches", 4, &n));
    if (n > TESS_MOST_GROUPS)
        return tess_scan_fail(&file->scan, "more than %d patches", TESS_MOST_GROUPS);
    for (int64_t i = 0; i < n; i++) {
        foam_patch patch;
        TRY(read_patch(&file->scan, mesh, &patch));
        TRY(take_patch(file, &patch, mesh));
        if (patch.is_periodic)
            tess_name_counts_add(&periodic, patch.name, file->pieces ? 0 : patch.n);
    }
    if (periodic.n && file->piece == 0) /* others have the same patches */
        TRY(tess_mesh_warn(file->out,
                           "%d cyclic patch%s, as their faces are sides at the boundary: %s",
                           periodic.n, periodic.n == 1 ? " stays apart" : "es stay apart",
                           tess_name_counts_text(&periodic)));
    int64_t n_bare = 0;
    for (int64_t f = 0; f < n_outer && !file->pieces; f++)
        n_bare += mesh->marker[f] < 0;
    if (n_bare)
        TRY(tess_mesh_warn(file->out, "%" PRId64 " faces at the boundary are in no patch", n_bare));
    return tess_foam_list_close(file, n);
}

static tess_status read_face_rings(tess_foam_file *file, tess_polyhedra *mesh) {
    return file->binary ? read_compact_faces(file, mesh) : read_face_list(file, mesh);
}

/* A cell has four faces at least, and a face two cells at most. */
static tess_status read_owner(tess_foam_file *file, tess_polyhedra *mesh) {
    int64_t n = 0;
    return tess_foam_labels(file, "owner", mesh->faces.n, mesh->faces.n, &n, &mesh->owner);
}

static tess_status read_neighbour(tess_foam_file *file, tess_polyhedra *mesh) {
    TRY(tess_foam_labels(file, "neighbour", mesh->faces.n, -1, &mesh->n_inner, &mesh->neighbour));
    if (mesh->n_inner > mesh->faces.n)
        return tess_scan_fail(&file->scan,
                              "%" PRId64 " neighbours are more than the %" PRId64 " faces",
                              mesh->n_inner, mesh->faces.n);
    for (int64_t f = 0; f < mesh->n_inner; f++)
        if (mesh->neighbour[f] == mesh->owner[f])
            return tess_scan_fail(&file->scan, "face %" PRId64 " has the cell %d on both sides", f,
                                  mesh->owner[f]);
    return TESS_OK;
}

typedef tess_status file_reader(tess_foam_file *file, tess_polyhedra *mesh);

/* Reads one of the files beside `beside`. */
static tess_status read_file(const char *beside, const char *name, file_reader *read,
                             const tess_foam_file *about, tess_polyhedra *mesh) {
    tess_foam_file file = *about;
    file.label_bytes = 4;
    file.real_bytes = 8;
    tess_status status = tess_foam_file_open(beside, name, &file);
    if (status == TESS_OK)
        status = read(&file, mesh);
    tess_file_text_free(file.text);
    return status;
}

static tess_status read_files(const char *beside, const tess_foam_file *about,
                              tess_polyhedra *mesh) {
    mesh->dimension = 3;
    TRY(read_file(beside, "points", read_points, about, mesh));
    TRY(read_file(beside, "faces", read_face_rings, about, mesh));
    TRY(read_file(beside, "owner", read_owner, about, mesh));
    TRY(read_file(beside, "neighbour", read_neighbour, about, mesh));
    return read_file(beside, "boundary", read_patches, about, mesh);
}

/* --- decomposed cases ------------------------------------------------------------------------- */

/* Where the number of a processor is in a path, CASE/processorN/...: its digits, or NULL. */
static const char *find_processor(const char *path) {
    const char *found = NULL;
    for (const char *at = path; (at = strstr(at, "processor")); at++) {
        const char *digits = at + strlen("processor");
        const size_t n = strspn(digits, "0123456789");
        if ((at == path || at[-1] == '/') && n > 0 && digits[n] == '/')
            found = digits;
    }
    return found;
}

/* The path of the file of another processor. */
static tess_status path_of_processor(const char *path, int64_t processor, char **out) {
    const char *digits = find_processor(path);
    return tess_text_print(out, "%.*s%" PRId64 "%s", (int)(digits - path), path, processor,
                           digits + strspn(digits, "0123456789"));
}

/* Counts the processors from 0 on that have a mesh. */
static tess_status count_processors(const char *path, int64_t *n) {
    bool is_there = true;
    for (*n = 0; is_there; *n += is_there) {
        char *file = NULL;
        TRY(path_of_processor(path, *n, &file));
        is_there = tess_file_text_is_beside(file, "faces");
        free(file);
    }
    return TESS_OK;
}

/* Reads the meshes of all processors as one. */
static tess_status read_processors(const char *path, tess_face_pieces *pieces, tess_mesh *out,
                                   tess_polyhedra *mesh) {
    char *file = NULL;
    TRY(TESS_ZEROS(pieces->n, &pieces->pieces));
    for (int64_t p = 0; p < pieces->n; p++) {
        const tess_foam_file about = {.out = out, .pieces = pieces, .piece = p};
        TRY(path_of_processor(path, p, &file));
        const tess_status status = read_files(file, &about, &pieces->pieces[p]);
        free(TESS_TAKE(file));
        TRY(status);
        tess_progress_set(p + 1, pieces->n, NULL);
    }
    mesh->dimension = 3;
    TRY(tess_face_pieces_join(path, pieces, mesh));
    return pieces->n_open
               ? tess_mesh_warn(out,
                                "%" PRId64 " faces lie between processors of which one has no "
                                "folder: they stay at the boundary",
                                pieces->n_open)
               : TESS_OK;
}

/* Makes the zones of the cells regions: of all processors, whose cells are one behind the other. */
static tess_status add_zones(const tess_face_pieces *pieces, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_foam_zones zones = {.n_cells = tess_mesh_set_size(mesh, "cells")};
    char *file = NULL;
    if (pieces->n == 0)
        CHECK(tess_foam_zones_read(mesh->source, mesh, &zones));
    for (int64_t p = 0; p < pieces->n; p++) {
        zones.n_cells = tess_polyhedra_cells(&pieces->pieces[p]);
        CHECK(path_of_processor(mesh->source, p, &file));
        CHECK(tess_foam_zones_read(file, mesh, &zones));
        zones.first += zones.n_cells;
        free(TESS_TAKE(file));
    }
    CHECK(tess_foam_zones_state(&zones, mesh));
done:
    free(file);
    tess_foam_zones_clear(&zones);
    return status;
}

/* --- the mesh --------------------------------------------------------------------------------- */

static tess_status warn_of_processors(const char *path, tess_mesh *mesh) {
    return tess_file_text_is_beside(path, "../../processor0/constant/polyMesh/faces")
               ? tess_mesh_warn(mesh, "the case is decomposed, too: its processor folders, which "
                                      "CASE/processor0 names, were not read")
               : TESS_OK;
}

static tess_status openfoam_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_polyhedra polyhedra = {.dimension = 3};
    tess_face_pieces pieces = {.n = 0};
    tess_mesh *mesh = NULL;
    CHECK(tess_mesh_new(text->path, 3, &mesh));
    if (find_processor(text->path))
        CHECK(count_processors(text->path, &pieces.n));
    if (pieces.n)
        CHECK(read_processors(text->path, &pieces, mesh, &polyhedra));
    else
        CHECK(read_files(text->path, &(tess_foam_file){.out = mesh}, &polyhedra));
    if (!find_processor(text->path))
        CHECK(warn_of_processors(text->path, mesh));
    CHECK(tess_polyhedra_state(&polyhedra, mesh));
    CHECK(add_zones(&pieces, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_face_pieces_release(&pieces);
    tess_polyhedra_clear(&polyhedra);
    tess_mesh_free(mesh);
    return status;
}

/* The names of the files are fixed, and each begins with FoamFile behind comments. */
static bool openfoam_recognise(const tess_file_text *text) {
    static const char *const names[] = {"points", "faces", "owner", "neighbour", "boundary"};
    const char *name = tess_last_of_path(text->path);
    const size_t length = tess_path_length_unpacked(name);
    tess_scan scan = tess_scan_open(text, 0);
    const char *word = NULL;
    const size_t word_length = tess_foam_word(&scan, &word);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (length == strlen(names[i]) && strncmp(name, names[i], length) == 0)
            return tess_foam_word_is(word, word_length, "FoamFile");
    return false;
}

const tess_reader tess_reader_openfoam = {
    .name = "openfoam",
    .summary = "OpenFOAM's polyMesh: points, faces, owner, neighbour, boundary",
    .extensions = "points faces owner neighbour boundary",
    .in_folder = "faces polyMesh/faces constant/polyMesh/faces processor0/constant/polyMesh/faces "
                 "constant/*/polyMesh/faces processor0/constant/*/polyMesh/faces",
    .recognise = openfoam_recognise,
    .read = openfoam_read};
