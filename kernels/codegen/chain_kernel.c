/* The kernel of a chain: what becomes of a point's values from loop to loop and from stage to
 * stage, and the page around it. */
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

/* --- args and dats ---------------------------------------------------------------------------- */

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
        for (int a = 0; a < chain->loops[k].loop->n_args; a++, use++) {
            const tess_arg *arg = &chain->loops[k].loop->args[a];
            const tess_kernel *kernel = w->setting->kernels[k];
            if (kernel->args[a].components)
                FAIL(TESS_ERROR_USAGE,
                     "loop %s cannot be in a chain: arg %d is of components of '%s' that are not "
                     "consecutive",
                     kernel->name, a, kernel->args[a].dat);
            *use = (tess_chain_use){
                .arg = arg,
                .k = k,
                .a = a,
                .d = (int)(tess_chain_dat_of(chain, arg) - chain->dats),
                .adds = arg->map[0] && arg->access == TESS_INC,
                .component = tess_kernel_arg_component(&kernel->args[a], 0),
                .map = arg->map[0] ? tess_mesh_find_map(w->mesh, arg->map) : NULL,
                .is_owned = strcmp(arg->set, chain->owner) == 0,
                .is_row = !arg->map[0] && arg->set[0] && arg->access != TESS_INC,
            };
            snprintf(use->name, sizeof use->name, "arg%d_%d", k, a);
            use->words = &w->dats[use->d];
            use->first = use->map && arg->slot >= 0 ? arg->slot : 0;
            use->end = use->map && arg->slot < 0 ? use->map->arity : use->first + 1;
        }
    *use = (tess_chain_use){.k = chain->n_loops};
    return TESS_OK;
}

/* The dats as the text names them, whole rows, and the parameters of those that memory has a part
 * in. */
static tess_status open_dats(tess_chain_writer *w, tess_chain_page *out) {
    const tess_store *store = w->setting->store;
    tess_page *page = w->page;
    for (int d = 0; d < w->chain->n_dats; d++) {
        const tess_chain_dat *dat = &w->chain->dats[d];
        const tess_chain_use *use = w->uses;
        const bool in_place = dat->stored && !dat->two_buffers;
        tess_page_dat *words = &w->dats[d];
        char type[48];
        while (use->d != d)
            use++;
        TRY(tess_page_dat_open(store, w->chain->loops[use->k].loop, use->a,
                               &w->setting->kernels[use->k]->args[use->a], words));
        w->now[d].row = (tess_kernel_arg){.dat = dat->dat, .dim = tess_kernel_arg_row(words->view)};
        words->view = &w->now[d].row;
        words->dim = w->now[d].row.dim;
        words->written = dat->written;
        tess_stored *stored = (tess_stored *)words->stored;
        out->dats[d] = (tess_chain_param){.stored = stored, .read = -1, .written = -1};
        snprintf(type, sizeof type, "const %s *", words->type);
        const char *changing = type + strlen("const ");
        if (dat->loaded || in_place || !dat->set[0]) {
            out->dats[d].read = page->n_params;
            tess_page_param(page, in_place ? changing : type, stored->address, "%s", words->symbol);
        }
        if (dat->two_buffers) {
            if (store->placed)
                TRY(tess_store_double(w->setting->store, stored));
            out->dats[d].written = page->n_params;
            tess_page_param(page, changing, stored->other, "%s_next", words->symbol);
        }
    }
    return TESS_OK;
}

/* --- stages ----------------------------------------------------------------------------------- */

/* The first loop of a stage, or behind the last one. */
static int stage_begin(const tess_chain *chain, int stage) {
    int k = 0;
    while (k < chain->n_loops && chain->loops[k].stage < stage)
        k++;
    return k;
}

static int stage_ring(const tess_chain *chain, int stage) {
    return tess_chain_most_ring(chain, stage_begin(chain, stage), stage_begin(chain, stage + 1));
}

/* How an arg has its dat in the point's row: it changes it, or uses what is there. */
static bool changes_row(const tess_chain_use *use) {
    return use->is_owned && use->arg->access != TESS_READ;
}

static bool is_overwritten(const tess_chain_use *use) {
    return use->arg->access == TESS_WRITE && !use->arg->is_part;
}

static bool uses_row(const tess_chain_writer *w, const tess_chain_use *use) {
    int s = use->first;
    if (!use->is_owned || is_overwritten(use))
        return false;
    while (use->map && use->arg->access != TESS_INC && s < use->end &&
           !tess_chain_is_own(w, use, s))
        s++;
    return s < use->end;
}

/* The last of some loops that writes a dat; -1: none does. */
static int last_writer(const tess_chain_writer *w, int begin, int end, int d) {
    int last = -1;
    for (const tess_chain_use *use = tess_chain_uses(w, begin); use->k < end; use++)
        if (use->d == d && use->arg->access != TESS_READ)
            last = use->k;
    return last;
}

/* In how many rings a stage leaves a dat for later ones in the block's memory; -1: it does not. */
static int ring_left(const tess_chain_writer *w, int stage, int d) {
    const tess_chain_dat *dat = &w->chain->dats[d];
    const int end = stage_begin(w->chain, stage + 1);
    const int writer = last_writer(w, stage_begin(w->chain, stage), end, d);
    const tess_chain_use *later = tess_chain_uses(w, end);
    while (later->arg && later->d != d)
        later++;
    if (writer < 0 || strcmp(dat->set, w->chain->owner) != 0 || dat->kept_versions == 0 ||
        !later->arg || is_overwritten(later))
        return -1;
    const int ring = w->chain->loops[writer].ring;
    return ring < dat->kept_ring ? ring : dat->kept_ring;
}

/* The rings in which a version of a dat is kept: the last ones in fewer. */
static int version_ring(const tess_chain_writer *w, int d, int version) {
    const tess_chain_dat *dat = &w->chain->dats[d];
    int ring = version == 0 && dat->kept_loaded ? dat->load_ring : 0;
    for (int stage = 0, now = 0; stage < w->chain->n_stages; stage++) {
        const int left = ring_left(w, stage, d);
        if (left < 0)
            continue;
        now = (now + 1) % dat->kept_versions;
        ring = now == version && left > ring ? left : ring;
    }
    return ring;
}

static void print_guard(tess_chain_writer *w, int ring, int stage) {
    if (ring < stage_ring(w->chain, stage))
        PUT(w, NULL, "    if (k < b->n[%d])\n    ", ring);
}

/* Brings what a loop uses into the point's rows, where it is not there yet. */
static void print_rows_of_point(tess_chain_writer *w, int k) {
    for (const tess_chain_use *use = tess_chain_uses(w, k); use->k == k; use++) {
        const int d = use->d;
        const bool is_there = w->now[d].in_point, uses = uses_row(w, use);
        w->now[d].in_point |= uses || changes_row(use);
        if (is_there || !uses)
            continue;
        if (tess_chain_is_zero(w->chain, k, use->arg)) {
            PUT(w, use->words, "    EACH(@dim)\n        v.@dat[d] = %s;\n", TESS_SUMS_BEGIN);
            continue;
        }
        const bool fetch =
            tess_chain_is_before(w->chain, k, use->arg) && !w->chain->dats[d].kept_loaded;
        print_guard(w, fetch ? w->chain->dats[d].load_ring : version_ring(w, d, w->now[d].version),
                    w->chain->loops[k].stage);
        tess_print_move(w, d, fetch ? TESS_FETCH : TESS_LOAD_KEPT, (int[]){0, use->words->dim},
                        "v.@dat", fetch ? "v.i" : "k");
    }
}

/* What a stage leaves: kept for later ones, stored by the owner when it is the last to write. */
static void print_leave(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->chain;
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        const int ring = ring_left(w, stage, d), whole[2] = {0, w->dats[d].dim};
        const int last = last_writer(w, 0, chain->n_loops, d);
        if (ring >= 0) {
            w->now[d].version = (w->now[d].version + 1) % dat->kept_versions;
            w->now[d].since = w->n_barriers;
            print_guard(w, ring, stage);
            tess_print_move(w, d, TESS_STORE_KEPT, whole, "v.@dat", "k");
        }
        if (dat->stored && strcmp(dat->set, chain->owner) == 0 && last >= 0 &&
            chain->loops[last].stage == stage) {
            print_guard(w, 0, stage);
            tess_print_move(w, d, TESS_STORE, whole, "v.@dat", "v.i");
        }
    }
}

static void print_stage(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->chain;
    const int begin = stage_begin(chain, stage), end = stage_begin(chain, stage + 1);
    for (int k = begin; k < end; k = tess_chain_group_end(chain, k))
        tess_print_loops(w, k, tess_chain_group_end(chain, k));
    w->n_barriers += tess_print_elements(w, stage);
    PUT(w, NULL,
        "INLINE void stage_%d(const struct params *p, const struct block *b, int k,\n"
        "                    struct sums *s) {\n"
        "    struct point v UNSET;\n    v.k = k;\n    v.i = point_at(p, b, k);\n",
        stage);
    for (int d = 0; d < chain->n_dats; d++)
        w->now[d].in_point = false;
    for (int k = begin, next; k < end; k = next) {
        next = tess_chain_group_end(chain, k);
        for (int i = k; i < next; i++)
            print_rows_of_point(w, i);
        print_guard(w, tess_chain_most_ring(chain, k, next), stage);
        PUT(w, NULL, "    loop_%d(p, b, &v, s);\n", k);
    }
    print_leave(w, stage);
    PUT(w, NULL, "}\n\n");
}

/* What neighbours in the block read of what was before the chain, and all stages. */
static void print_stages(tess_chain_writer *w) {
    const tess_chain *chain = w->chain;
    int ring = 0;
    PUT(w, NULL,
        "INLINE void keep_loaded(const struct params *p, const struct block *b, int k) {\n"
        "    const int i = point_at(p, b, k);\n");
    for (int d = 0; d < chain->n_dats; d++) {
        if (!chain->dats[d].kept_loaded)
            continue;
        ring = chain->dats[d].load_ring > ring ? chain->dats[d].load_ring : ring;
        PUT(w, NULL, "    if (k < b->n[%d])\n    ", chain->dats[d].load_ring);
        tess_print_keep(w, d);
    }
    PUT(w, NULL, "    (void)i;\n}\n\n");
    tess_page_print(w->page, "#define RINGS %d\n#define LOADED_RING %d\n#define EACH_STAGE(run)",
                    chain->n_rings, ring);
    w->n_barriers = chain->n_rings > 0;
    for (int stage = 0; stage < chain->n_stages; stage++) {
        w->n_barriers += stage > 0;
        print_stage(w, stage);
        tess_page_print(w->page, " run(%d, %d)", stage, stage_ring(chain, stage));
    }
    tess_page_print(w->page, "\n");
}

/* --- what is kept ----------------------------------------------------------------------------- */

static int64_t most_points(const tess_chain_writer *w, int ring) {
    return tess_chain_most_points(w->setting->blocks, ring, 4);
}

/* @dat_kept_VERSION(b, k, d): value d of the point at place k of the block. Values that 16 bytes
 * hold lie side by side. */
static void print_kept(tess_chain_writer *w) {
    for (int d = 0; d < w->chain->n_dats; d++) {
        const tess_page_dat *words = &w->dats[d];
        const tess_chain_list *other = tess_chain_read_of(w->setting->lists, words->set);
        const int run = tess_chain_kept_run(words);
        for (int v = 0; v < (other ? 1 : w->chain->dats[d].kept_versions); v++) {
            const int ring = other ? 0 : version_ring(w, d, v);
            const int64_t n = other ? (other->most + 3) / 4 * 4 : most_points(w, ring);
            PUT(w, words, "INLINE @type *@dat_kept_%d(const struct block *b, int k, int d) {\n", v);
            PUT(w, words, other ? "    within(k, b->n_@set, " : "    within(k, b->n[%d], ", ring);
            PUT(w, words,
                "\"what is kept of @dat\");\n"
                "    return &((@type *)(b->shared + %lld))[(d / %d * %lld + k) * %d + d %% %d];\n"
                "}\n\n",
                (long long)w->kept_end, run, (long long)n, run, run);
            w->kept_end += n * words->dim * words->size;
        }
    }
}

/* Fails where a block needs more than there is, by how large it may be, in whole warps: rings grow
 * as the square root of a block at least, and one at the mesh's border has half of what others
 * have; elements that lead out of it grow with its surface, too. */
static tess_status check_shared(const tess_chain_writer *w, int64_t bytes) {
    const double own = (double)most_points(w, 0);
    double own_bytes = own * (double)tess_chain_kept_bytes(w->chain, 0), fits = own, needed;
    char advice[48] = "";
    if (w->page->one_thread || bytes <= w->most_shared)
        return TESS_OK;
    for (int i = 0; i < w->n_records; i++)
        if (w->records[i].kept)
            own_bytes += own * w->records[i].rounds * w->records[i].n_words * 4;
    const double rows = (double)w->row_bytes, rings = (double)bytes - own_bytes - rows;
    do {
        fits = ceil(fits / TESS_WARP - 1) * TESS_WARP;
        const double share = fits / own;
        needed = own_bytes * share + rows * pow(share, 0.8) + 2 * rings * sqrt(share);
    } while (fits > 0 && needed > (double)w->most_shared);
    if (fits > 0)
        snprintf(advice, sizeof advice, "--block-size %.0f or less, or ", fits);
    FAIL(TESS_ERROR_USAGE,
         "a block of %.0f %s needs %lld bytes of shared memory for the chain, over the %lld that "
         "there are: take %sa shorter chain",
         own, w->chain->owner, (long long)bytes, (long long)w->most_shared, advice);
}

/* --- the page --------------------------------------------------------------------------------- */

static void print_head(tess_chain_writer *w) {
    tess_page_print(w->page, "#line 1 \"chain.h\"\n/* Chain over blocks of %s:", w->chain->owner);
    for (int k = 0; k < w->chain->n_loops; k++)
        tess_page_print(w->page, " %s", w->chain->loops[k].loop->name);
    tess_page_print(w->page,
                    ". */\n#define THREADS %d\n"
                    "#define LAUNCH_BOUNDS __launch_bounds__(THREADS, %lld)\n"
                    "#define EACH(n) UNROLL for (int d = 0; d < (n); d++)\n",
                    w->page->threads,
                    (long long)tess_least_blocks(w->setting->registers, w->page->threads));
    tess_kernel_text_print_arities(&w->page->text, w->mesh);
}

/* Each user's text once: an application's kernels share one. */
static void print_kernels(tess_chain_writer *w) {
    tess_kernel_text_print_real(&w->page->text, tess_type_name(w->setting->store->state->real),
                                w->setting->arithmetic);
    for (int k = 0; k < w->chain->n_loops; k++) {
        const tess_kernel *const *kernels = w->setting->kernels;
        char file[2 * TESS_NAME_SIZE];
        int first = 0;
        while (kernels[first]->text != kernels[k]->text)
            first++;
        snprintf(file, sizeof file, "kernel-%s.h", kernels[k]->name);
        if (first == k)
            tess_text_writer_include(&w->page->text, file, kernels[k]->text);
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

static tess_status write_page(tess_chain_writer *w, tess_chain_page *out) {
    tess_page *page = w->page;
    print_head(w);
    tess_page_param(page, "long long", 0, "first");
    tess_page_param(page, "long long", 0, "count");
    TRY(open_dats(w, out));
    print_kept(w);
    TRY(tess_chain_tables(w));
    tess_chain_rows_print(w);
    const int64_t end = tess_glue_sums_print(page, w->dats, w->chain->n_dats, w->kept_end);
    print_point(w);
    print_stages(w);
    TRY(tess_text_writer_finish(&page->functions));
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
    tess_glue_block(page);
    tess_glue_open_block(page);
    tess_page_print(page, "%s", page->functions.text);
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
    tess_chain_writer w = {.setting = setting,
                           .chain = setting->chain,
                           .mesh = setting->store->state->mesh,
                           .page = &out->page,
                           .most_shared = most_shared};
    *out = (tess_chain_page){.page = {.store = setting->store,
                                      .threads = setting->threads,
                                      .one_thread = setting->store->device->one_thread},
                             .n_dats = n_dats};
    CHECK(TESS_ZEROS(n_dats, &w.dats));
    CHECK(TESS_ZEROS(n_dats, &w.now));
    CHECK(TESS_ZEROS(n_dats, &out->dats));
    CHECK(open_uses(&w));
    CHECK(write_page(&w, out));
done:
    free(w.dats);
    free(w.now);
    free(w.uses);
    free(w.records);
    return status;
}
