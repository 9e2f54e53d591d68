/* A peer: a loop in somebody else's code, which a process of its own runs on the same data. */
#include "kernels/peers/peer.h"

#include "core/base/array.h"
#include "core/base/temporary_folder.h"
#include "core/base/whole_file.h"
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct tess_peer {
    const tess_page *page;
    tess_peer_setting setting;
    bool has_saved;
    bool stays;      /* it would run another loop ... */
    bool is_trusted; /* ... and has answered right so far */
    char *version;
    tess_peer_process *process;
    char folder[TESS_TEMPORARY_SIZE]; /* of the loop */
};

/* --- the folder ------------------------------------------------------------------------------- */

static tess_status write_file(const tess_peer *peer, const char *name, const void *bytes,
                              size_t size) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", peer->folder, name);
    return tess_whole_file_remake(path, bytes, size);
}

static tess_status write_text(const tess_peer *peer, const char *name, const char *text) {
    return write_file(peer, name, text, strlen(text));
}

/* Writes what lies at an address of the device. */
static tess_status write_memory(const tess_peer *peer, const char *name, tess_address from,
                                int64_t bytes) {
    const tess_store *store = peer->page->store;
    char *image = NULL;
    TRY(TESS_ALLOC(bytes, &image));
    tess_status status = store->device->download(store->target, image, from, bytes);
    if (status == TESS_OK)
        status = write_file(peer, name, image, (size_t)bytes);
    free(image);
    return status;
}

static tess_status write_kernel(const tess_peer *peer) {
    const tess_page *page = peer->page;
    tess_text_writer text = {.text = NULL};
    tess_kernel_text_print_arities(&text, page->bound->mesh);
    tess_text_writer_print(&text, "%s", page->kernel->text);
    tess_status status = tess_text_writer_finish(&text);
    if (status == TESS_OK)
        status = write_text(peer, "kernel.h", text.text);
    tess_text_writer_clear(&text);
    return status;
}

/* A dat as it lies: [n][row] in AoS, else [dim][stride], of which n are elements. */
static json_t *dat_json(const tess_page *page, const tess_page_dat *dat) {
    json_t *components = json_array();
    for (int d = 0; d < dat->dim; d++)
        json_array_append_new(components, json_integer(tess_kernel_arg_component(dat->view, d)));
    return json_pack("{s:s, s:s, s:b, s:i, s:i, s:I, s:I, s:b, s:b, s:o}", "file", dat->symbol,
                     "type", dat->type, "aos", (int)dat->aos, "dim", dat->stored->dat->dim, "row",
                     dat->row, "stride", (json_int_t)dat->stored->stride, "n",
                     (json_int_t)tess_state_size(page->store->state, dat->stored->dat), "written",
                     (int)dat->written, "global", (int)!dat->set[0], "components", components);
}

/* An arg: its dat, what is done with it, and from which slots of its set its local array is. */
static json_t *arg_json(const tess_page *page, int a) {
    json_t *slots = json_array();
    for (int i = 0; i < page->n_accesses; i++)
        if (page->accesses[i].arg == a)
            json_array_append_new(slots, json_integer(page->accesses[i].slot));
    const int target = tess_page_dat_of(page, a)->target;
    const bool direct = json_array_size(slots) == 0;
    return json_pack("{s:i, s:s, s:i, s:i, s:o}", "dat", page->dat_of[a], "access",
                     tess_access_name(page->bound->loop->args[a].access), "size",
                     tess_page_local_size(page, a), "set", direct ? -1 : target, "slots", slots);
}

/* The points of elements in a set: [slots][stride] of int32, or [stride][slots]. */
static json_t *set_json(const tess_page *page, int target) {
    const tess_page_set *set = &page->sets[target];
    char file[TESS_SYMBOL_SIZE];
    snprintf(file, sizeof file, "%s_index", set->name);
    return json_pack("{s:s, s:i, s:b, s:b}", "file", file, "n_slots",
                     page->bound->targets[target].n_slots, "aos", (int)page->store->maps_in_rows,
                     "padded", (int)set->padded);
}

static json_t *loop_json(const tess_page *page, const tess_peer_setting *setting) {
    json_t *dats = json_array(), *args = json_array(), *sets = json_array();
    for (int i = 0; i < page->n_dats; i++)
        json_array_append_new(dats, dat_json(page, &page->dats[i]));
    for (int a = 0; a < page->bound->loop->n_args; a++)
        json_array_append_new(args, arg_json(page, a));
    for (int r = 0; r < page->bound->n_targets; r++)
        json_array_append_new(sets, set_json(page, r));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:o, s:o}", "peer", setting->name, "loop",
                     page->bound->loop->name, "function", tess_kernel_function(page->kernel),
                     "real", tess_page_real(page), "device", setting->device, "n",
                     (json_int_t)page->bound->n_elements, "dats", dats, "args", args, "sets", sets);
}

static tess_status write_loop(const tess_peer *peer, const tess_peer_setting *setting) {
    json_t *loop = loop_json(peer->page, setting);
    char *text = loop ? json_dumps(loop, JSON_INDENT(1)) : NULL;
    json_decref(loop);
    if (!text)
        FAIL(TESS_ERROR_MEMORY, "out of memory for the words on a loop");
    const tess_status status = write_text(peer, "loop.json", text);
    free(text);
    return status;
}

static tess_status write_data(const tess_peer *peer) {
    const tess_page *page = peer->page;
    for (int i = 0; i < page->n_dats; i++)
        TRY(write_memory(peer, page->dats[i].symbol, page->dats[i].stored->address,
                         page->dats[i].stored->bytes));
    for (int i = 0; i < page->n_arrays; i++)
        TRY(write_memory(peer, page->arrays[i].name, page->arrays[i].address,
                         page->arrays[i].bytes));
    return TESS_OK;
}

/* Brings what the peer has saved to the device. */
static tess_status take_result(const tess_peer *peer, const tess_page_dat *dat) {
    tess_status status = TESS_OK;
    const tess_store *store = peer->page->store;
    const int64_t bytes = dat->stored->bytes;
    char path[PATH_MAX], *image = NULL;
    snprintf(path, sizeof path, "%s/%s", peer->folder, dat->symbol);
    FILE *file = fopen(path, "re");
    if (!file)
        FAIL(TESS_ERROR_CHECK, "the peer %s has taken away %s", peer->setting.name, dat->symbol);
    CHECK(TESS_ALLOC(bytes, &image));
    if (fread(image, 1, (size_t)bytes, file) != (size_t)bytes || fgetc(file) != EOF)
        CHECK(tess_fail(TESS_ERROR_CHECK, "the peer %s has not saved the %lld bytes of %s",
                        peer->setting.name, (long long)bytes, dat->symbol));
    CHECK(store->device->upload(store->target, dat->stored->address, image, bytes));
done:
    free(image);
    fclose(file);
    return status;
}

/* --- the process ------------------------------------------------------------------------------ */

/* Once it fails to answer as it should, nothing more is asked of its process. */
static tess_status ask(tess_peer *peer, const char *line, const char **answer) {
    const bool was_trusted = peer->is_trusted;
    peer->is_trusted = false;
    TRY(tess_peer_process_ask(peer->process, line, peer->setting.time_limit, answer));
    peer->is_trusted = was_trusted;
    return TESS_OK;
}

tess_status tess_peer_open(const tess_page *page, const tess_peer_setting *setting,
                           tess_peer **out) {
    tess_status status = TESS_OK;
    tess_peer *peer = NULL;
    const char *answer = NULL;
    CHECK(TESS_ZEROS(1, &peer));
    *peer = (tess_peer){.page = page, .setting = *setting};
    tess_temporary_folder_make("tess-peer", peer->folder);
    if (!peer->folder[0])
        CHECK(tess_fail(TESS_ERROR_IO, "there is no folder for a peer's data: say with TMPDIR "
                                       "where one may be made"));
    CHECK(write_loop(peer, setting));
    CHECK(write_kernel(peer));
    CHECK(write_data(peer));
    CHECK(tess_peer_process_begin(setting, peer->folder, &peer->process, &answer));
    CHECK(tess_text_copy(answer, &peer->version));
    *out = TESS_TAKE(peer);
done:
    tess_peer_close(peer);
    return status;
}

void tess_peer_close(tess_peer *peer) {
    if (!peer)
        return;
    if (peer->setting.pool && peer->stays && peer->is_trusted)
        tess_peer_process_leave(peer->process, peer->setting.pool);
    else
        tess_peer_process_end(peer->process);
    tess_temporary_folder_remove(peer->folder);
    free(peer->version);
    free(peer);
}

const char *tess_peer_version(const tess_peer *peer) {
    return peer->version;
}

void tess_peer_trust(tess_peer *peer) {
    peer->is_trusted = true;
}

tess_status tess_peer_save(tess_peer *peer) {
    const char *answer = NULL;
    if (peer->has_saved)
        return TESS_OK;
    TRY(ask(peer, "save", &answer));
    peer->stays = strcmp(answer, "saved, and stays") == 0;
    for (int i = 0; i < peer->page->n_dats; i++)
        if (peer->page->dats[i].written)
            TRY(take_result(peer, &peer->page->dats[i]));
    peer->has_saved = true;
    return TESS_OK;
}

tess_status tess_peer_time(tess_peer *peer, int n, double *seconds) {
    const char *answer = NULL;
    char line[32], *end = NULL;
    snprintf(line, sizeof line, "run %d", n);
    TRY(ask(peer, line, &answer));
    *seconds = strtod(answer, &end);
    if (end != answer && !*end && *seconds > 0)
        return TESS_OK;
    peer->is_trusted = false;
    FAIL(TESS_ERROR_CHECK, "the peer %s answers '%.80s', which are no seconds", peer->setting.name,
         answer);
}
