/* A given mesh: what another program is timed on, in an order and a format. */
#include "experiments/campaign/given_mesh.h"

#include "core/base/array.h"
#include "core/base/stream_text.h"
#include "data/formats/writer.h"
#include "data/mesh_open.h"
#include "data/permute_mesh.h"
#include "experiments/bench/reordering.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tess_given_order_is_ours(const char *order) {
    return strcmp(order, "stored") != 0 && strcmp(order, "own") != 0;
}

static tess_status reorder(tess_mesh *mesh, const char *order) {
    const tess_reordering_asked asked = {.order = order, .block_size = 128, .seed = 1};
    tess_reordering reordering = {.loop = NULL};
    tess_status status = TESS_OK;
    if (!tess_given_order_is_ours(order))
        return TESS_OK;
    CHECK(tess_reordering_make(&asked, mesh, &reordering));
    CHECK(tess_mesh_renumber(mesh, reordering.renumbering));
done:
    tess_reordering_release(&reordering);
    return status;
}

tess_status tess_given_mesh_write(const char *name, const char *order, const char *format,
                                  tess_given_mesh *out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    const tess_writer *writer = NULL;
    CHECK(tess_writer_find(format, name, &writer));
    tess_temporary_folder_make("tess-record", out->folder);
    if (!out->folder[0])
        CHECK(tess_fail(TESS_ERROR_IO, "no temporary folder for the mesh: TMPDIR says where"));
    const bool is_file = writer->extension[0] == '.';
    CHECK(tess_text_print(&out->path, "%s/%s%s", out->folder, is_file ? "mesh" : "",
                          writer->extension));
    CHECK(tess_mesh_open(name, &mesh));
    CHECK(reorder(mesh, order));
    CHECK(tess_mesh_write(mesh, writer, out->path));
done:
    tess_mesh_free(mesh);
    return status;
}

bool tess_given_mesh_is_said(const char *word) {
    return strstr(word, "{mesh}") || strstr(word, "{folder}");
}

tess_status tess_given_mesh_say(const tess_given_mesh *given, const char *order, const char *word,
                                char **out) {
    const char *const names[] = {"{mesh}", "{folder}", "{order}"};
    const char *const values[] = {given->path, given->folder, order};
    tess_printed said;
    TRY(tess_printed_open(&said));
    while (*word) {
        size_t i = 0;
        while (i < 3 && (!values[i] || strncmp(word, names[i], strlen(names[i])) != 0))
            i++;
        fputs(i < 3 ? values[i] : (const char[]){*word, '\0'}, said.stream);
        word += i < 3 ? strlen(names[i]) : 1;
    }
    return tess_printed_close(&said, TESS_OK, out);
}

void tess_given_mesh_remove(tess_given_mesh *given) {
    tess_temporary_folder_remove(given->folder);
    free(given->path);
    *given = (tess_given_mesh){.path = NULL};
}
