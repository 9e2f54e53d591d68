/* The stages of a chain: what becomes of a point's values from loop to loop. */
#include "kernels/codegen/chain_printed.h"

#include <stdio.h>
#include <string.h>

static int stage_ring(const tess_chain *chain, int stage) {
    int ring = 0;
    for (int k = 0; k < chain->n_loops; k++)
        if (chain->loops[k].stage == stage && chain->loops[k].ring > ring)
            ring = chain->loops[k].ring;
    return ring;
}

/* How an arg has its dat in the point's row: it changes it, or uses what is there. */
static bool changes_row(const tess_printed *l, const tess_arg *arg) {
    return tess_printed_is_owned(l, arg) && arg->access != TESS_READ;
}

static bool uses_row(const tess_printed *l, const tess_arg *arg) {
    int first, end, s;
    const tess_map *map = tess_printed_map(l, arg, &first, &end);
    if (!tess_printed_is_owned(l, arg) || (arg->access == TESS_WRITE && !arg->is_part))
        return false;
    if (!map || arg->access == TESS_INC)
        return true;
    for (s = first; s < end && !tess_printed_is_own(l, map, s); s++)
        ;
    return s < end;
}

/* The rings in which loops from k on in its stage use what is in a row now. */
static int ring_of_uses(tess_chain_writer *w, int k, const tess_arg *of) {
    const tess_chain *chain = w->setting->chain;
    const int stage = chain->loops[k].stage;
    int ring = 0;
    for (bool changed = false; k < chain->n_loops && chain->loops[k].stage == stage && !changed;
         k++) {
        const tess_printed l = tess_printed_loop(w, k);
        for (int a = 0; a < l.loop->n_args; a++) {
            const tess_arg *arg = &l.loop->args[a];
            if (!tess_arg_shares_dat(arg, of))
                continue;
            if (uses_row(&l, arg) && chain->loops[k].ring > ring)
                ring = chain->loops[k].ring;
            changed |= changes_row(&l, arg) && !arg->map[0];
        }
    }
    return ring;
}

static void print_guard(tess_chain_writer *w, int ring, int stage) {
    if (ring < stage_ring(w->setting->chain, stage))
        tess_page_code(w->page, NULL, "    if (k < b->n[%d])\n    ", ring);
}

/* Brings what a loop uses into the point's rows, where it is not there yet. */
static void print_rows_of_point(tess_chain_writer *w, int k) {
    const tess_printed l = tess_printed_loop(w, k);
    for (int a = 0; a < l.loop->n_args; a++) {
        const tess_arg *arg = &l.loop->args[a];
        const int d = tess_chain_dat_number(w, arg);
        const tess_page_dat *words = &w->dats[d];
        if (!uses_row(&l, arg) || w->in_point[d]) {
            w->in_point[d] |= changes_row(&l, arg);
            continue;
        }
        w->in_point[d] = true;
        if (tess_chain_is_zero(l.chain, k, arg)) {
            tess_page_code(
                w->page, words,
                "    UNROLL for (int d = 0; d < @dim; d++)\n        v.@dat[d] = " TESS_SUMS_BEGIN
                ";\n");
            continue;
        }
        print_guard(w, ring_of_uses(w, k, arg), l.chain->loops[k].stage);
        tess_page_code(w->page, NULL, "    ");
        char to[2 * TESS_NAME_SIZE + 8];
        snprintf(to, sizeof to, "v.%s", words->symbol);
        if (tess_chain_is_before(l.chain, k, arg) && !l.chain->dats[d].kept_loaded)
            tess_print_fetch(w, d, (int[]){0, words->dim}, to, "v.i");
        else
            tess_print_load_kept(w, d, (int[]){0, words->dim}, to, "k");
    }
}

/* The last loop of a stage that writes a dat; -1: none does. */
static int last_writer(const tess_chain *chain, int stage, int d) {
    for (int k = chain->n_loops - 1; k >= 0; k--)
        for (int a = 0; a < chain->loops[k].loop->n_args; a++) {
            const tess_arg *arg = &chain->loops[k].loop->args[a];
            if (chain->loops[k].stage == stage && arg->access != TESS_READ &&
                tess_chain_dat_of(chain, arg) == &chain->dats[d])
                return k;
        }
    return -1;
}

/* Whether a later stage uses what this one leaves of a dat. */
static bool is_used_later(const tess_chain *chain, int stage, int d) {
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        for (int a = 0; a < loop->n_args && chain->loops[k].stage > stage; a++)
            if (tess_chain_dat_of(chain, &loop->args[a]) == &chain->dats[d])
                return loop->args[a].access != TESS_WRITE || loop->args[a].is_part;
    }
    return false;
}

int tess_chain_ring_left(const tess_chain *chain, int stage, int d) {
    const tess_chain_dat *dat = &chain->dats[d];
    const int writer = last_writer(chain, stage, d);
    if (writer < 0 || strcmp(dat->set, chain->owner) != 0 || dat->kept_versions == 0 ||
        !is_used_later(chain, stage, d))
        return -1;
    const int ring = chain->loops[writer].ring;
    return ring < dat->kept_ring ? ring : dat->kept_ring;
}

/* What a stage leaves: kept for later ones, stored by the owner. */
static void print_leave(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->setting->chain;
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        const int writer = last_writer(chain, stage, d);
        if (writer < 0 || strcmp(dat->set, chain->owner) != 0)
            continue;
        const int ring = tess_chain_ring_left(chain, stage, d);
        if (ring >= 0) {
            w->kept_version[d] = (w->kept_version[d] + 1) % dat->kept_versions;
            w->kept_since[d] = w->n_barriers;
            print_guard(w, ring, stage);
            tess_print_store_kept(w, d);
        }
        bool again = false;
        for (int later = stage + 1; later < chain->n_stages; later++)
            again |= last_writer(chain, later, d) >= 0;
        if (!dat->stored || again)
            continue;
        print_guard(w, 0, stage);
        tess_page_code(w->page, NULL, "    ");
        tess_print_store(w, d, "v.i", "v.");
    }
}

static tess_status print_stage(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->setting->chain;
    for (int k = 0; k < chain->n_loops; k++) {
        if (chain->loops[k].stage != stage || tess_chain_group(chain, k) != k)
            continue;
        TRY(chain->loops[k].gathered ? tess_print_group(w, k, tess_chain_group_end(chain, k))
                                     : tess_print_direct(w, k));
    }
    w->n_barriers += tess_print_elements(w, stage);
    tess_page_code(w->page, NULL,
                   "INLINE void stage_%d(const struct params *p, const struct block *b, int k,\n"
                   "                    struct sums *s) {\n"
                   "    struct point v UNSET;\n    v.k = k;\n    v.i = point_at(p, b, k);\n",
                   stage);
    memset(w->in_point, 0, sizeof *w->in_point * (size_t)chain->n_dats);
    for (int k = 0; k < chain->n_loops; k++) {
        if (chain->loops[k].stage != stage || tess_chain_group(chain, k) != k)
            continue;
        for (int i = k; i < tess_chain_group_end(chain, k); i++)
            print_rows_of_point(w, i);
        print_guard(w, tess_chain_group_ring(chain, k), stage);
        tess_page_code(w->page, NULL, "    loop_%d(p, b, &v, s);\n", k);
    }
    print_leave(w, stage);
    tess_page_code(w->page, NULL, "}\n\n");
    return TESS_OK;
}

/* What neighbours in the block read of what was before the chain. */
static void print_keep_loaded(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    int ring = 0;
    tess_page_code(
        w->page, NULL,
        "INLINE void keep_loaded(const struct params *p, const struct block *b, int k) {\n"
        "    const int i = point_at(p, b, k);\n");
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        if (!dat->kept_loaded)
            continue;
        ring = dat->load_ring > ring ? dat->load_ring : ring;
        tess_page_code(w->page, NULL, "    if (k < b->n[%d])\n    ", dat->load_ring);
        tess_chain_print_keep(w, d);
    }
    tess_page_code(w->page, NULL, "    (void)i;\n}\n\n");
    tess_page_print(w->page, "#define RINGS %d\n#define LOADED_RING %d\n", chain->n_rings, ring);
}

tess_status tess_chain_stages(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    print_keep_loaded(w);
    tess_page_print(w->page, "#define EACH_STAGE(run)");
    w->n_barriers = chain->n_rings > 0;
    for (int stage = 0; stage < chain->n_stages; stage++) {
        w->n_barriers += stage > 0;
        TRY(print_stage(w, stage));
        tess_page_print(w->page, " run(%d, %d)", stage, stage_ring(chain, stage));
    }
    tess_page_print(w->page, "\n");
    return TESS_OK;
}
