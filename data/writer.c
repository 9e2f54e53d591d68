/* A writer: a plug-in that writes a mesh in one file format. */
#include "data/writer.h"

#include "core/array.h"
#include "core/derive.h"
#include "core/spec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TESS_WRITER(name) extern const tess_writer tess_writer_##name;
#include "data/writer_list.h"
#undef TESS_WRITER

const tess_writer *tess_writer_at(int i) {
    static const tess_writer *const writers[] = {
#define TESS_WRITER(name) &tess_writer_##name,
#include "data/writer_list.h"
#undef TESS_WRITER
        NULL};
    return writers[i];
}

tess_status tess_writer_find(const char *format, const char *path, const tess_writer **out) {
    const char *names[16] = {NULL};
    char known[256] = "";
    const char *dot = strrchr(path, '.');
    for (int i = 0; tess_writer_at(i) && i < 15; i++) {
        const tess_writer *writer = tess_writer_at(i);
        if (format ? strcmp(format, writer->name) == 0
                   : dot && strcmp(dot, writer->extension) == 0) {
            *out = writer;
            return TESS_OK;
        }
        names[i] = writer->name;
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s (%s)", i ? ", " : "", writer->name,
                 writer->extension);
    }
    if (!format)
        FAIL(TESS_ERROR_USAGE, "'%s': the extension tells no format; --format is one of %s", path,
             known);
    const char *near = tess_suggest(format, names);
    if (near)
        FAIL(TESS_ERROR_USAGE, "there is no format '%s'; did you mean '%s'?", format, near);
    FAIL(TESS_ERROR_USAGE, "there is no format '%s': it is one of %s", format, known);
}

int tess_marked_size(const int32_t nodes[4]) {
    return nodes[2] < 0 ? 2 : nodes[3] < 0 ? 3 : 4;
}

static tess_status marked_add_name(tess_marked *marked, const char *name) {
    int64_t capacity = marked->n_markers;
    TRY(TESS_RESERVE(marked->n_markers + 1, &capacity, &marked->names));
    TRY(tess_text_copy(name, &marked->names[marked->n_markers]));
    marked->n_markers++;
    return TESS_OK;
}

/* Adds elements of a map to nodes with their markers. */
static tess_status marked_add(const tess_mesh *mesh, const tess_map *map, const int32_t *markers,
                              tess_marked *marked) {
    const int64_t n = mesh->sets[map->from].size, first = marked->n;
    int64_t capacity = 4 * first;
    TRY(TESS_RESERVE(4 * (first + n), &capacity, &marked->nodes));
    capacity = first;
    TRY(TESS_RESERVE(first + n, &capacity, &marked->marker));
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++)
            marked->nodes[4 * (first + i) + k] =
                k < map->arity ? map->index[i * map->arity + k] : -1;
        if (markers[i] < 0 || markers[i] >= marked->n_markers)
            FAIL(TESS_ERROR_INPUT, "%s: element %lld of %s has the marker %d of %d", mesh->source,
                 (long long)i, mesh->sets[map->from].name, markers[i], marked->n_markers);
        marked->marker[first + i] = markers[i];
    }
    marked->n += n;
    return TESS_OK;
}

/* Makes markers of the values of `bound` on bedges, as OP2 has them: named by the value. */
static tess_status marked_of_bound(const tess_mesh *mesh, const tess_map *map,
                                   const tess_dat *bound, tess_marked *marked) {
    tess_status status = TESS_OK;
    const int64_t n = mesh->sets[map->from].size;
    const int32_t *values = bound->values;
    int32_t *marker = NULL;
    enum { MOST = 1000 };
    CHECK(TESS_ALLOC(n, &marker));
    for (int64_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", values[i]);
        int m = 0;
        while (m < marked->n_markers && strcmp(marked->names[m], name) != 0)
            m++;
        if (m == MOST)
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s: bedges have more than %d boundary conditions",
                            mesh->source, MOST));
        if (m == marked->n_markers)
            CHECK(marked_add_name(marked, name));
        marker[i] = m;
    }
    CHECK(marked_add(mesh, map, marker, marked));
done:
    free(marker);
    return status;
}

tess_status tess_marked_build(const tess_mesh *mesh, tess_marked *out) {
    static const char *const sets[] = {"marked_edges", "marked_tris", "marked_quads"};
    tess_status status = TESS_OK;
    tess_marked marked = {.n = 0};
    for (int m = 0; m < mesh->n_markers; m++)
        CHECK(marked_add_name(&marked, mesh->markers[m]));
    for (int s = 0; s < 3; s++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:nodes", sets[s]);
        const tess_map *map = tess_mesh_find_map(mesh, name);
        const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", sets[s]);
        if (map && marker && marker->type == TESS_INT32)
            CHECK(marked_add(mesh, map, marker->values, &marked));
    }
    const tess_map *bedges = tess_mesh_find_map(mesh, "bedges:nodes");
    const tess_dat *bound = tess_mesh_find_dat(mesh, "bound", "bedges");
    if (!marked.n && bedges && bound && bound->type == TESS_INT32 && bound->dim == 1)
        CHECK(marked_of_bound(mesh, bedges, bound, &marked));
    *out = marked;
    marked = (tess_marked){.n = 0};
done:
    tess_marked_release(&marked);
    return status;
}

void tess_marked_release(tess_marked *marked) {
    for (int m = 0; m < marked->n_markers; m++)
        free(marked->names[m]);
    free(marked->names);
    free(marked->nodes);
    free(marked->marker);
    *marked = (tess_marked){.n = 0};
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

static tess_status warn_of_lost_maps(tess_mesh *mesh, const tess_writer *writer) {
    const tess_map *edges = tess_mesh_find_map(mesh, "edges:cells");
    if (!edges || edges->derived || writer->keeps_maps)
        return TESS_OK;
    return tess_mesh_warn(
        mesh,
        "%s files hold no maps: the stated edges:cells is lost, and cells that it "
        "joins without common nodes come apart",
        writer->name);
}

static tess_status write_stream(const tess_mesh *mesh, const tess_writer *writer, FILE *stream,
                                const char *path) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_marked marked = {.n = 0};
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(tess_marked_build(mesh, &marked));
    CHECK(writer->write(mesh, &cells, &marked, stream));
    if (fflush(stream) != 0 || ferror(stream) || fsync(fileno(stream)) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "%s cannot be written: %s", path, strerror(errno)));
done:
    tess_marked_release(&marked);
    tess_cells_release(&cells);
    return status;
}

tess_status tess_mesh_write(tess_mesh *mesh, const tess_writer *writer, const char *path) {
    tess_status status = TESS_OK;
    char *temporary = NULL;
    FILE *stream = NULL;
    bool is_made = false;
    CHECK(derive_maps(mesh, writer->maps));
    if (asprintf(&temporary, "%s.tmp-%ld", path, (long)getpid()) < 0) {
        temporary = NULL;
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory: the name of %s", path));
    }
    stream = fopen(temporary, "wx");
    if (!stream)
        CHECK(tess_fail(TESS_ERROR_IO, "%s cannot be written: %s", path, strerror(errno)));
    is_made = true;
    CHECK(write_stream(mesh, writer, stream, path));
    const int closed = fclose(stream);
    stream = NULL;
    if (closed != 0 || rename(temporary, path) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "%s cannot be written: %s", path, strerror(errno)));
    is_made = false;
    CHECK(warn_of_lost_maps(mesh, writer));
done:
    if (stream)
        fclose(stream);
    if (is_made)
        unlink(temporary);
    free(temporary);
    return status;
}
