/* A chain's page: the text of a kernel that executes the loops of a chain block by block, and its
 * arrays. */
#include "kernels/codegen/chain_page.h"
#include "kernels/codegen/chain_writer.h"
#include "kernels/codegen/glue.h"
#include "kernels/codegen/launch_options.h"

#include "core/base/array.h"
#include "kernels/devices/embed.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TESS_EMBED(tess_chain_stages_text, "kernels/codegen/chain_stages.h");

/* --- dats ------------------------------------------------------------------------------------- */

/* Finds the args of all loops. A view of which values of a row an arg has must be of consecutive
 * ones. */
static tess_status open_uses(tess_chain_writer *w) {
    const tess_chain *chain = w->chain;
    int n = 0;
    for (int k = 0; k < chain->n_loops; k++)
        n += chain->loops[k].loop->n_args;
    TRY(TESS_ZEROS(n + 1, &w->uses));
    tess_chain_use *use = w->uses;
    for (int k = 0; k < chain->n_loops; k++)
        for (int a = 0; a < chain->loops[k].loop->n_args; a++) {
            const tess_arg *arg = &chain->loops[k].loop->args[a];
            const tess_map *map = arg->map[0] ? tess_mesh_find_map(w->mesh, arg->map) : NULL;
            const tess_kernel *kernel = w->setting->kernels[k];
            const int first = map && arg->slot >= 0 ? arg->slot : 0;
            const int d = (int)(tess_chain_dat_of(chain, arg) - chain->dats);
            if (kernel->args[a].components)
                FAIL(TESS_ERROR_USAGE,
                     "loop %s cannot be in a chain: arg %d is of components of '%s' that are not "
                     "consecutive",
                     kernel->name, a, kernel->args[a].dat);
            *use++ = (tess_chain_use){
                .arg = arg,
                .k = k,
                .a = a,
                .d = d,
                .words = &w->dats[d],
                .component = tess_kernel_arg_component(&kernel->args[a], 0),
                .map = map,
                .first = first,
                .end = map && arg->slot < 0 ? map->arity : first + 1,
                .is_owned = strcmp(arg->set, chain->owner) == 0,
                .is_row = !map && arg->set[0] && arg->access != TESS_INC,
            };
        }
    *use = (tess_chain_use){.k = chain->n_loops};
    return TESS_OK;
}

/* The dats as the text names them: whole rows. */
static tess_status open_dats(tess_chain_writer *w, tess_kernel_arg *rows) {
    for (int d = 0; d < w->chain->n_dats; d++) {
        const tess_chain_dat *dat = &w->chain->dats[d];
        const tess_stored *stored = tess_store_find(w->setting->store, dat->dat, dat->set);
        const tess_chain_use *use = w->uses;
        while (use->d != d)
            use++;
        const int row = tess_kernel_arg_row(&w->setting->kernels[use->k]->args[use->a]);
        if (!stored || stored->dat->dim != row || stored->dat->type != dat->type)
            FAIL(TESS_ERROR_USAGE, "the chain wants %s on '%s' as %d %s, which the state lacks",
                 dat->dat, dat->set, row, tess_type_name(dat->type));
        rows[d] = (tess_kernel_arg){.dat = dat->dat, .dim = row};
        w->dats[d] = (tess_page_dat){.set = dat->set,
                                     .type = tess_type_name(dat->type),
                                     .dim = row,
                                     .size = (int)tess_type_size(dat->type),
                                     .row = stored->row,
                                     .view = &rows[d],
                                     .target = -1,
                                     .aos = stored->layout == TESS_AOS,
                                     .written = dat->written,
                                     .stored = stored};
        snprintf(w->dats[d].symbol, sizeof w->dats[d].symbol, "%.40s_%.40s",
                 dat->set[0] ? dat->set : "global", dat->dat);
    }
    return TESS_OK;
}

/* Parameters of the dats that memory has a part in. */
static tess_status put_dats(tess_chain_writer *w, tess_chain_page *out) {
    tess_page *page = w->page;
    out->n_dats = w->chain->n_dats;
    for (int d = 0; d < w->chain->n_dats; d++) {
        const tess_chain_dat *dat = &w->chain->dats[d];
        const char *symbol = w->dats[d].symbol;
        tess_stored *stored = (tess_stored *)w->dats[d].stored;
        const bool in_place = dat->stored && !dat->two_buffers;
        char type[48];
        snprintf(type, sizeof type, "const %s *", w->dats[d].type);
        const char *changing = type + strlen("const ");
        out->dats[d] = (tess_chain_param){.stored = stored, .read = -1, .written = -1};
        if (dat->loaded || in_place || !dat->set[0]) {
            out->dats[d].read = page->n_params;
            tess_page_param(page, in_place ? changing : type, stored->address, "%s", symbol);
        }
        if (dat->two_buffers) {
            if (w->setting->store->placed)
                TRY(tess_store_double(w->setting->store, stored));
            out->dats[d].written = page->n_params;
            tess_page_param(page, changing, stored->other, "%s_next", symbol);
        }
    }
    return TESS_OK;
}

/* --- what is kept and summed ------------------------------------------------------------------ */

static int64_t most_points(const tess_chain_writer *w, int ring) {
    return tess_chain_most_points(w->setting->blocks, ring, 4);
}

/* The rings in which each version of a dat is kept: the last ones in fewer. */
static void find_version_rings(const tess_chain_writer *w, int d, int rings[2]) {
    const tess_chain_dat *dat = &w->chain->dats[d];
    rings[0] = dat->kept_loaded ? dat->load_ring : 0;
    rings[1] = 0;
    for (int stage = 0, version = 0; stage < w->chain->n_stages; stage++) {
        const int ring = tess_chain_ring_left(w, stage, d);
        if (ring < 0)
            continue;
        version = (version + 1) % dat->kept_versions;
        rings[version] = ring > rings[version] ? ring : rings[version];
    }
}

/* @dat_kept(b, version, k, d): value d of the point at place k of the block. Values that 16 bytes
 * hold lie side by side. */
static void print_kept(tess_chain_writer *w) {
    for (int d = 0; d < w->chain->n_dats; d++) {
        const tess_page_dat *words = &w->dats[d];
        const tess_chain_list *other = tess_chain_read_of(w->setting->lists, w->chain->dats[d].set);
        int rings[2];
        int64_t n[2] = {other ? (other->most + 3) / 4 * 4 : 0, 0};
        if (w->chain->dats[d].kept_versions == 0 && !other)
            continue;
        if (!other) {
            find_version_rings(w, d, rings);
            n[0] = most_points(w, rings[0]);
            n[1] = w->chain->dats[d].kept_versions > 1 ? most_points(w, rings[1]) : 0;
        }
        const int64_t size = words->dim * words->size;
        const int run = tess_chain_kept_run(words);
        char places[2 * TESS_NAME_SIZE];
        if (other)
            snprintf(places, sizeof places, "b->n_%s", other->set);
        else
            snprintf(places, sizeof places, "b->n[version ? %d : %d]", rings[1], rings[0]);
        tess_page_code(
            w->page, words,
            "INLINE @type *@dat_kept(const struct block *b, int version, int k, int d) {\n"
            "    const int n = version ? %lld : %lld, at = version ? %lld : %lld;\n"
            "    within(k, %s, \"what is kept of @dat\");\n"
            "    return &((@type *)(b->shared + at))[(d / %d * n + k) * %d + d %% %d];\n"
            "}\n\n",
            (long long)n[1], (long long)n[0], (long long)(w->kept_end + n[0] * size),
            (long long)w->kept_end, places, run, run, run);
        w->kept_end += (n[0] + n[1]) * size;
    }
}

/* --- the page --------------------------------------------------------------------------------- */

static void print_head(tess_chain_writer *w) {
    tess_page_print(w->page, "#line 1 \"chain.h\"\n/* Chain over blocks of %s:", w->chain->owner);
    for (int k = 0; k < w->chain->n_loops; k++)
        tess_page_print(w->page, " %s", w->chain->loops[k].loop->name);
    tess_page_print(w->page,
                    ". */\n#define THREADS %d\n"
                    "#define LAUNCH_BOUNDS __launch_bounds__(THREADS, %lld)\n",
                    w->page->threads,
                    (long long)tess_least_blocks(w->setting->registers, w->page->threads));
    tess_kernel_text_print_arities(&w->page->text, w->mesh);
}

/* Each user's text once: an application's kernels share one. */
static void print_kernels(tess_chain_writer *w) {
    tess_kernel_text_print_real(&w->page->text, tess_type_name(w->setting->store->state->real),
                                w->setting->arithmetic);
    for (int k = 0; k < w->chain->n_loops; k++) {
        char file[2 * TESS_NAME_SIZE];
        bool is_new = true;
        for (int i = 0; i < k; i++)
            is_new &= w->setting->kernels[i]->text != w->setting->kernels[k]->text;
        if (!is_new)
            continue;
        snprintf(file, sizeof file, "kernel-%s.h", w->setting->kernels[k]->name);
        tess_text_writer_include(&w->page->text, file, w->setting->kernels[k]->text);
    }
    tess_page_print(w->page, "#line 1 \"chain.h\"\n");
}

/* What a thread has of its point: rows of the owner's dats. */
static void print_point(tess_chain_writer *w) {
    PUT(w, NULL,
        "/* A point: its place in the block, where it is stored, its rows. */\n"
        "struct point {\n    int k, i;\n");
    for (int d = 0; d < w->chain->n_dats; d++)
        if (strcmp(w->chain->dats[d].set, w->chain->owner) == 0)
            PUT(w, &w->dats[d], "    @type @dat[@dim];\n");
    PUT(w, NULL, "};\n\n");
}

/* Fails where a block needs more than there is, by how large it may be, in whole warps: rings grow
 * as the square root of a block at least, and one at the mesh's border has half of what others
 * have; elements that lead out of it grow with its surface, too. */
static tess_status check_shared(const tess_chain_writer *w, int64_t bytes) {
    if (w->page->one_thread || bytes <= w->most_shared)
        return TESS_OK;
    const int64_t own = most_points(w, 0);
    int64_t own_bytes = own * tess_chain_kept_bytes(w->chain, 0),
            fits = own / TESS_WARP * TESS_WARP;
    for (int i = 0; i < w->n_records; i++)
        if (w->records[i].kept)
            own_bytes += own * w->records[i].rounds * w->records[i].n_words * 4;
    const double ring_bytes = (double)(bytes - own_bytes - w->row_bytes);
    for (; fits > 0; fits -= TESS_WARP) {
        const double share = (double)fits / (double)own;
        if ((double)own_bytes * share + (double)w->row_bytes * pow(share, 0.8) +
                2 * ring_bytes * sqrt(share) <=
            (double)w->most_shared)
            break;
    }
    char advice[48] = "";
    if (fits > 0 && fits < own)
        snprintf(advice, sizeof advice, "--block-size %lld or less, or ", (long long)fits);
    FAIL(TESS_ERROR_USAGE,
         "a block of %lld %s needs %lld bytes of shared memory for the chain, over the %lld that "
         "there are: take %sa shorter chain",
         (long long)own, w->chain->owner, (long long)bytes, (long long)w->most_shared, advice);
}

/* Prints the functions; gives the bytes of shared memory. Stages find which fields records have:
 * these come before them in the text, but are printed after them. */
static tess_status print_functions(tess_chain_writer *w, int64_t *shared_bytes) {
    tess_page *page = w->page;
    TRY(tess_chain_records_open(w));
    TRY(tess_chain_tables(w));
    print_kept(w);
    tess_chain_rows_print(w);
    print_point(w);
    const tess_text_writer before = page->functions;
    page->functions = (tess_text_writer){.text = NULL};
    const tess_status status = tess_chain_stages(w);
    w->stages = page->functions;
    page->functions = before;
    TRY(status);
    tess_chain_others_print(w);
    TRY(tess_chain_records_finish(w));
    *shared_bytes = tess_glue_sums_print(page, w->dats, w->chain->n_dats, w->kept_end);
    TRY(tess_text_writer_finish(&w->stages));
    return tess_text_writer_finish(&page->functions);
}

static tess_status write_page(tess_chain_writer *w, tess_chain_page *out) {
    tess_page *page = w->page;
    int64_t end = 0;
    print_head(w);
    tess_page_param(page, "long long", 0, "first");
    tess_page_param(page, "long long", 0, "count");
    TRY(print_functions(w, &end));
    TRY(put_dats(w, out));
    TRY(check_shared(w, end));
    if (page->one_thread) /* a block's memory is its thread's */
        tess_page_print(
            page,
            "static _Thread_local char chain_memory[%lld] __attribute__((aligned(64)));\n"
            "#define shared_memory() chain_memory\n",
            (long long)(end + 64));
    tess_glue_params(page);
    print_kernels(w);
    for (int d = 0; d < w->chain->n_dats; d++)
        tess_glue_at(page, &w->dats[d]);
    tess_page_print(page, "%s%s", page->functions.text, w->stages.text);
    tess_text_writer_include(&page->text, "chain_stages.h", tess_chain_stages_text);
    const tess_launch launch = {.kernel = "chain",
                                .n_blocks = w->setting->blocks->n_blocks,
                                .shared_bytes = page->one_thread ? 0 : end,
                                .carveout = w->chain->n_rings > 0 ? 100 : 0,
                                .count = w->setting->blocks->n_blocks};
    TRY(tess_page_launch(page, &launch));
    return tess_page_finish(page);
}

void tess_chain_page_clear(tess_chain_page *page) {
    tess_page_clear(&page->page);
    free(page->dats);
    *page = (tess_chain_page){.n_dats = 0};
}

tess_status tess_chain_page_write(const tess_chain_setting *setting, int64_t most_shared,
                                  tess_chain_page *out) {
    tess_status status = TESS_OK;
    const int n_dats = setting->chain->n_dats;
    tess_kernel_arg *rows = NULL;
    tess_chain_writer w = {.setting = setting,
                           .chain = setting->chain,
                           .mesh = setting->store->state->mesh,
                           .page = &out->page,
                           .most_shared = most_shared};
    *out = (tess_chain_page){.page = {.store = setting->store,
                                      .threads = setting->threads,
                                      .one_thread = setting->store->device->one_thread}};
    CHECK(TESS_ZEROS(n_dats, &w.dats));
    CHECK(TESS_ZEROS(n_dats, &w.now));
    CHECK(TESS_ZEROS(n_dats, &out->dats));
    CHECK(TESS_ZEROS(n_dats, &rows));
    CHECK(open_uses(&w));
    CHECK(open_dats(&w, rows));
    CHECK(write_page(&w, out));
done:
    free(w.dats);
    free(w.now);
    free(w.uses);
    free(w.records);
    tess_text_writer_clear(&w.stages);
    free(rows);
    return status;
}
