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
    TRY(TESS_ZEROS(chain->n_dats, &w->dats));
    w->page->n_dats = chain->n_dats;
    w->page->dats = w->dats;
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
                .adds = tess_arg_adds(arg),
                .component = tess_kernel_arg_component(&kernel->args[a], 0),
                .map = arg->map[0] ? tess_mesh_find_map(w->mesh, arg->map) : NULL,
                .is_owned = strcmp(arg->set, chain->owner) == 0,
                .is_row = !arg->map[0] && arg->set[0],
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
static tess_status open_dats(tess_chain_writer *w) {
    tess_page *page = w->page;
    TRY(TESS_ZEROS(w->chain->n_dats, &page->pieces));
    for (int d = 0; d < w->chain->n_dats; d++) {
        const tess_chain_dat *dat = &w->chain->dats[d];
        const tess_chain_use *use = w->uses;
        const bool in_place = dat->stored && !dat->two_buffers;
        tess_page_dat *words = &w->dats[d];
        char type[32];
        while (use->d != d)
            use++;
        TRY(tess_page_dat_open(page->store, w->chain->loops[use->k].loop, use->a,
                               &w->setting->kernels[use->k]->args[use->a], words));
        page->pieces[d] =
            (tess_kernel_arg){.dat = dat->dat, .dim = tess_kernel_arg_row(words->view)};
        words->view = &page->pieces[d];
        words->dim = page->pieces[d].dim;
        words->written = dat->written;
        snprintf(type, sizeof type, "%s%s *", in_place ? "" : "const ", words->type);
        if (dat->loaded || in_place || !dat->set[0])
            tess_page_param_dat(page, type, words, false);
        if (dat->two_buffers && page->store->placed)
            TRY(tess_store_double(page->store, (tess_stored *)words->stored));
        if (dat->two_buffers)
            tess_page_param_dat(page, type + strlen("const "), words, true);
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

/* Whether an arg makes a new row, or uses what is in the point's. */
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

static void print_guard(tess_chain_writer *w, int ring) {
    if (ring < w->stage_ring)
        PUT(w, NULL, "    if (k < b->n[%d])\n    ", ring);
}

/* Brings what a loop uses into the point's rows, where it is not there yet. */
static void print_rows_of_point(tess_chain_writer *w, int k) {
    for (const tess_chain_use *use = tess_chain_uses(w, k); use->k == k; use++) {
        const int d = use->d;
        const bool is_there = w->now[d].in_point, uses = uses_row(w, use);
        w->now[d].in_point |= uses || (use->is_owned && use->arg->access != TESS_READ);
        if (is_there || !uses)
            continue;
        if (tess_chain_is_zero(w->chain, k, use->arg)) {
            PUT(w, use->words, "    EACH(@dim)\n        v.@dat[d] = %s;\n", TESS_SUMS_BEGIN);
            continue;
        }
        const bool fetch =
            tess_chain_is_before(w->chain, k, use->arg) && !w->chain->dats[d].kept_loaded;
        print_guard(w, fetch ? w->chain->dats[d].load_ring : version_ring(w, d, w->now[d].version));
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
            print_guard(w, ring);
            tess_print_move(w, d, TESS_STORE_KEPT, whole, "v.@dat", "k");
        }
        if (dat->stored && strcmp(dat->set, chain->owner) == 0 && last >= 0 &&
            chain->loops[last].stage == stage) {
            print_guard(w, 0);
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
    w->stage_ring = tess_chain_most_ring(chain, begin, end);
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
        print_guard(w, tess_chain_most_ring(chain, k, next));
        PUT(w, NULL, "    loop_%d(p, b, &v, s);\n", k);
    }
    print_leave(w, stage);
    PUT(w, NULL, "}\n\n");
    tess_page_print(w->page, " run(%d, %d)", stage, w->stage_ring);
}

/* What a thread has of its point, rows of the owner's dats; and what all stages do with it. */
static void print_stages(tess_chain_writer *w) {
    const tess_chain *chain = w->chain;
    PUT(w, NULL,
        "/* A point: its place in the block, where it is stored, its rows. */\n"
        "struct point {\n    int k, i;\n");
    for (int d = 0; d < chain->n_dats; d++)
        if (strcmp(chain->dats[d].set, chain->owner) == 0)
            PUT(w, &w->dats[d], "    @type @dat[@dim];\n");
    PUT(w, NULL, "};\n\n");
    tess_page_print(w->page, "#define RINGS %d\n#define EACH_STAGE(run)", chain->n_rings);
    w->n_barriers = chain->n_rings > 0;
    for (int stage = 0; stage < chain->n_stages; stage++) {
        w->n_barriers += stage > 0;
        print_stage(w, stage);
    }
    tess_page_print(w->page, "\n");
}

/* --- what is kept ----------------------------------------------------------------------------- */

/* @dat_kept_VERSION(b, k, d): value d of the point at place k of the block. Values that 16 bytes
 * hold lie side by side. */
static void print_kept(tess_chain_writer *w) {
    for (int d = 0; d < w->chain->n_dats; d++) {
        const tess_page_dat *words = &w->dats[d];
        const tess_chain_list *other = tess_chain_read_of(w->setting->lists, words->set);
        const int run = tess_chain_kept_run(words);
        for (int v = 0; v < (other ? 1 : w->chain->dats[d].kept_versions); v++) {
            const int ring = other ? 0 : version_ring(w, d, v);
            const int64_t n =
                other ? other->most : tess_chain_most_points(w->setting->blocks, ring, 4);
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

/* Fails where a block needs more than there is, by the size to try next, whole warps where it has
 * one: what it needs grows about as the power 0.8 of its size, for its own points are not all. */
static tess_status check_shared(const tess_chain_writer *w, int64_t bytes, int64_t most) {
    const double own = (double)tess_chain_most_points(w->setting->blocks, 0, 1);
    const double fits = own * pow((double)most / (double)bytes, 1 / 0.8);
    char advice[48] = "";
    if (w->page->one_thread || bytes <= most)
        return TESS_OK;
    if (fits >= 1)
        snprintf(advice, sizeof advice, "try --block-size %d, or ",
                 fits < TESS_WARP ? (int)fits : (int)(fits / TESS_WARP) * TESS_WARP);
    FAIL(TESS_ERROR_USAGE,
         "a block of %.0f %s needs %lld bytes of shared memory for the chain, over the %lld that "
         "there are: %stake a shorter chain",
         own, w->chain->owner, (long long)bytes, (long long)most, advice);
}

/* --- the page --------------------------------------------------------------------------------- */

static void print_head(tess_chain_writer *w) {
    tess_page_print(w->page, "#line 1 \"chain.h\"\n/* Chain over blocks of %s:", w->chain->owner);
    for (int k = 0; k < w->chain->n_loops; k++)
        tess_page_print(w->page, " %s", w->chain->loops[k].loop->name);
    tess_page_print(w->page,
                    ". */\n#define THREADS %d\n"
                    "#define LAUNCH_BOUNDS __launch_bounds__(THREADS, LEAST_BLOCKS)\n"
                    "#define EACH(n) UNROLL for (int d = 0; d < (n); d++)\n",
                    w->page->threads);
    tess_least_blocks_print(&w->page->text, w->setting->registers, w->page->threads);
    tess_kernel_text_print_arities(&w->page->text, w->mesh);
}

/* Each user's text once: an application's kernels share one. */
static void print_kernels(tess_chain_writer *w) {
    const tess_kernel *const *kernels = w->setting->kernels;
    tess_kernel_text_print_real(&w->page->text, tess_type_name(w->setting->store->state->real),
                                w->setting->arithmetic);
    for (int k = 0; k < w->chain->n_loops; k++) {
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

tess_status tess_chain_page_write(const tess_chain_setting *setting, int64_t most_shared,
                                  tess_page *page) {
    tess_status status = TESS_OK;
    const int n_dats = setting->chain->n_dats, n_blocks = setting->blocks->n_blocks;
    tess_chain_writer w = {.setting = setting,
                           .chain = setting->chain,
                           .mesh = setting->store->state->mesh,
                           .page = page};
    *page = (tess_page){.store = setting->store,
                        .threads = setting->threads,
                        .one_thread = setting->store->device->one_thread};
    tess_page_param(page, "long long", 0, "first");
    tess_page_param(page, "long long", 0, "count");
    CHECK(TESS_ZEROS(n_dats, &w.now));
    CHECK(open_uses(&w));
    CHECK(open_dats(&w));
    print_head(&w);
    print_kept(&w);
    CHECK(tess_chain_tables(&w));
    tess_chain_rows_print(&w);
    const int64_t end = tess_glue_sums_print(page, page->dats, n_dats, w.kept_end);
    print_stages(&w);
    CHECK(tess_text_writer_finish(&page->functions));
    CHECK(check_shared(&w, end, most_shared));
    page->thread_bytes = page->one_thread ? end + 64 : 0;
    tess_glue_params(page);
    print_kernels(&w);
    for (int d = 0; d < n_dats; d++)
        tess_glue_at(page, &page->dats[d]);
    tess_glue_block(page);
    tess_glue_open_block(page);
    tess_page_print(page, "%s", page->functions.text);
    tess_text_writer_include(&page->text, "chain_stages.h", tess_chain_stages_text);
    CHECK(tess_page_launch(page, &(tess_launch){.kernel = "chain",
                                                .n_blocks = n_blocks,
                                                .shared_bytes = page->one_thread ? 0 : end,
                                                .carveout = w.chain->n_rings > 0 ? 100 : 0,
                                                .count = n_blocks}));
    CHECK(tess_page_finish(page));
done:
    free(w.now);
    free(w.uses);
    free(w.records);
    return status;
}
