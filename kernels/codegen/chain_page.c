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

/* The arg of some loop on a dat, and the kernel's. */
static const tess_kernel_arg *kernel_arg_of(const tess_chain_setting *setting,
                                            const tess_chain_dat *dat) {
    for (int k = 0; k < setting->chain->n_loops; k++) {
        const tess_loop *loop = setting->chain->loops[k].loop;
        for (int a = 0; a < loop->n_args; a++)
            if (tess_chain_dat_of(setting->chain, &loop->args[a]) == dat)
                return &setting->kernels[k]->args[a];
    }
    return NULL;
}

/* A view of which values of a row an arg has must be of consecutive ones. */
static tess_status check_views(const tess_chain_setting *setting) {
    for (int k = 0; k < setting->chain->n_loops; k++) {
        const tess_kernel *kernel = setting->kernels[k];
        for (int a = 0; a < kernel->n_args; a++)
            if (kernel->args[a].components)
                FAIL(TESS_ERROR_USAGE,
                     "loop %s cannot be in a chain: arg %d is of components of '%s' that are not "
                     "consecutive",
                     kernel->name, a, kernel->args[a].dat);
    }
    return TESS_OK;
}

/* The dats as the text names them: whole rows. */
static tess_status open_dats(tess_chain_writer *w, tess_kernel_arg *rows) {
    const tess_chain *chain = w->setting->chain;
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        const tess_stored *stored = tess_store_find(w->setting->store, dat->dat, dat->set);
        const int row = tess_kernel_arg_row(kernel_arg_of(w->setting, dat));
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
    const tess_chain *chain = w->setting->chain;
    tess_page *page = w->page;
    out->n_dats = chain->n_dats;
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        tess_stored *stored = (tess_stored *)w->dats[d].stored;
        const bool in_place = dat->stored && !dat->two_buffers;
        out->dats[d] = (tess_chain_param){.stored = stored, .read = -1, .written = -1};
        if (dat->loaded || in_place || !dat->set[0]) {
            char type[32];
            snprintf(type, sizeof type, "%s%s *", in_place ? "" : "const ", w->dats[d].type);
            out->dats[d].read = page->n_params;
            tess_page_param(page, type, stored->address, "%s", w->dats[d].symbol);
        }
        if (dat->two_buffers) {
            char type[32];
            if (w->setting->store->placed)
                TRY(tess_store_double(w->setting->store, stored));
            snprintf(type, sizeof type, "%s *", w->dats[d].type);
            out->dats[d].written = page->n_params;
            tess_page_param(page, type, stored->other, "%s_next", w->dats[d].symbol);
        }
    }
    return TESS_OK;
}

/* --- what is kept and summed ------------------------------------------------------------------ */

static int64_t most_points(const tess_chain_writer *w, int ring) {
    return tess_chain_most_points(w->setting->blocks, ring, 4);
}

/* The rings in which each version of a dat is kept: the last ones in fewer. */
static void find_version_rings(const tess_chain *chain, int d, int rings[2]) {
    const tess_chain_dat *dat = &chain->dats[d];
    rings[0] = dat->kept_loaded ? dat->load_ring : 0;
    rings[1] = 0;
    for (int stage = 0, version = 0; stage < chain->n_stages; stage++) {
        const int ring = tess_chain_ring_left(chain, stage, d);
        if (ring < 0)
            continue;
        version = (version + 1) % dat->kept_versions;
        rings[version] = ring > rings[version] ? ring : rings[version];
    }
}

int tess_chain_kept_run(const tess_page_dat *dat) {
    const int run = 16 / dat->size;
    return strcmp(dat->type, "int") != 0 && dat->dim % run == 0 ? run : 1;
}

/* @dat_kept(b, version, k, d): value d of the point at place k of the block. Values that 16 bytes
 * hold lie side by side. */
static void print_kept(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_page_dat *words = &w->dats[d];
        const tess_chain_list *other = tess_chain_read_of(w->setting->lists, chain->dats[d].set);
        int rings[2];
        int64_t n[2] = {other ? (other->most + 3) / 4 * 4 : 0, 0};
        if (chain->dats[d].kept_versions == 0 && !other)
            continue;
        if (!other) {
            find_version_rings(chain, d, rings);
            n[0] = most_points(w, rings[0]);
            n[1] = chain->dats[d].kept_versions > 1 ? most_points(w, rings[1]) : 0;
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
    const tess_chain *chain = w->setting->chain;
    tess_page_print(w->page, "#line 1 \"chain.h\"\n/* Chain over blocks of %s:", chain->owner);
    for (int k = 0; k < chain->n_loops; k++)
        tess_page_print(w->page, " %s", chain->loops[k].loop->name);
    tess_page_print(w->page,
                    ". */\n#define THREADS %d\n"
                    "#define LAUNCH_BOUNDS __launch_bounds__(THREADS, %lld)\n",
                    w->page->threads,
                    (long long)tess_least_blocks(w->setting->registers, w->page->threads));
    tess_kernel_text_print_arities(&w->page->text, w->mesh);
}

/* Each user's text once: an application's kernels share one. */
static void print_kernels(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    tess_kernel_text_print_real(&w->page->text, tess_type_name(w->setting->store->state->real),
                                w->setting->arithmetic);
    for (int k = 0; k < chain->n_loops; k++) {
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
    const tess_chain *chain = w->setting->chain;
    tess_page_code(w->page, NULL,
                   "/* A point: its place in the block, where it is stored, its rows. */\n"
                   "struct point {\n    int k, i;\n");
    for (int d = 0; d < chain->n_dats; d++)
        if (strcmp(chain->dats[d].set, chain->owner) == 0)
            tess_page_code(w->page, &w->dats[d], "    @type @dat[@dim];\n");
    tess_page_code(w->page, NULL, "};\n\n");
}

/* What a block of `own` points needs: bytes for these, for elements that it computes once, and the
 * rest, for its rings. */
typedef struct block_bytes {
    double own, of_own, of_elements, of_rings;
} block_bytes;

/* The largest block, of whole warps, that needs no more than `most`: rings grow as the square root
 * of a block at least, and one at the mesh's border has half of what others have; elements that
 * lead out of it grow with its surface, too. */
static int64_t block_that_fits(const block_bytes *of, double most) {
    int64_t size = (int64_t)of->own / TESS_WARP * TESS_WARP;
    for (; size > 0; size -= TESS_WARP) {
        const double share = (double)size / of->own;
        if (of->of_own * share + of->of_elements * pow(share, 0.8) +
                2 * of->of_rings * sqrt(share) <=
            most)
            break;
    }
    return size;
}

/* Fails where a block needs more than there is, by how large it may be. */
static tess_status check_shared(const tess_chain_writer *w, int64_t bytes) {
    if (w->page->one_thread || bytes <= w->most_shared)
        return TESS_OK;
    const int64_t own = most_points(w, 0);
    int64_t own_bytes = own * tess_chain_kept_bytes(w->setting->chain, 0);
    for (int i = 0; i < w->n_records; i++)
        if (w->records[i].kept)
            own_bytes += own * w->records[i].rounds * w->records[i].n_words * 4;
    const block_bytes of = {.own = (double)own,
                            .of_own = (double)own_bytes,
                            .of_elements = (double)w->row_bytes,
                            .of_rings = (double)(bytes - own_bytes - w->row_bytes)};
    const int64_t fits = block_that_fits(&of, (double)w->most_shared);
    char advice[48] = "";
    if (fits > 0 && fits < own)
        snprintf(advice, sizeof advice, "--block-size %lld or less, or ", (long long)fits);
    FAIL(TESS_ERROR_USAGE,
         "a block of %lld %s needs %lld bytes of shared memory for the chain, over the %lld that "
         "there are: take %sa shorter chain",
         (long long)own, w->setting->chain->owner, (long long)bytes, (long long)w->most_shared,
         advice);
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
    *shared_bytes = tess_glue_sums_print(page, w->dats, w->setting->chain->n_dats, w->kept_end);
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
    for (int d = 0; d < w->setting->chain->n_dats; d++)
        tess_glue_at(page, &w->dats[d]);
    tess_page_print(page, "%s%s", page->functions.text, w->stages.text);
    tess_text_writer_include(&page->text, "chain_stages.h", tess_chain_stages_text);
    const tess_launch launch = {.kernel = "chain",
                                .n_blocks = w->setting->blocks->n_blocks,
                                .shared_bytes = page->one_thread ? 0 : end,
                                .carveout = w->setting->chain->n_rings > 0 ? 100 : 0,
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
    tess_chain_writer *w = NULL;
    *out = (tess_chain_page){.page = {.store = setting->store,
                                      .threads = setting->threads,
                                      .one_thread = setting->store->device->one_thread}};
    CHECK(TESS_ZEROS(1, &w));
    *w = (tess_chain_writer){.setting = setting,
                             .mesh = setting->store->state->mesh,
                             .page = &out->page,
                             .most_shared = most_shared};
    CHECK(TESS_ZEROS(n_dats, &w->dats));
    CHECK(TESS_ZEROS(n_dats, &w->in_point));
    CHECK(TESS_ZEROS(n_dats, &w->kept_version));
    CHECK(TESS_ZEROS(n_dats, &w->kept_since));
    CHECK(TESS_ZEROS(n_dats, &out->dats));
    CHECK(TESS_ZEROS(n_dats, &rows));
    CHECK(check_views(setting));
    CHECK(open_dats(w, rows));
    CHECK(write_page(w, out));
done:
    if (w) {
        free(w->dats);
        free(w->in_point);
        free(w->kept_version);
        free(w->kept_since);
        free(w->records);
        tess_text_writer_clear(&w->stages);
    }
    free(w);
    free(rows);
    return status;
}
