/* The stages of a chain: what becomes of a point's values from loop to loop. */
#include "kernels/codegen/chain_writer.h"

#include <string.h>

static int stage_ring(const tess_chain *chain, int stage) {
    int ring = 0;
    for (int k = 0; k < chain->n_loops; k++)
        if (chain->loops[k].stage == stage && chain->loops[k].ring > ring)
            ring = chain->loops[k].ring;
    return ring;
}

static int stage_of(const tess_chain_writer *w, const tess_chain_use *use) {
    return w->chain->loops[use->k].stage;
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
    if (!use->map || use->arg->access == TESS_INC)
        return true;
    while (s < use->end && !tess_chain_is_own(w, use, s))
        s++;
    return s < use->end;
}

/* The rings in which loops from that of `of` on in its stage use what is in a row now. */
static int ring_of_uses(const tess_chain_writer *w, const tess_chain_use *of) {
    int ring = 0, changed_by = w->chain->n_loops;
    for (const tess_chain_use *use = w->uses; use->arg && use->k <= changed_by; use++) {
        if (use->k < of->k || use->d != of->d || stage_of(w, use) != stage_of(w, of))
            continue;
        if (uses_row(w, use) && w->chain->loops[use->k].ring > ring)
            ring = w->chain->loops[use->k].ring;
        if (changes_row(use) && !use->map)
            changed_by = use->k;
    }
    return ring;
}

static void print_guard(tess_chain_writer *w, int ring, int stage) {
    if (ring < stage_ring(w->chain, stage))
        PUT(w, NULL, "    if (k < b->n[%d])\n    ", ring);
}

/* Brings what a loop uses into the point's rows, where it is not there yet. */
static void print_rows_of_point(tess_chain_writer *w, int k) {
    for (const tess_chain_use *use = w->uses; use->arg; use++) {
        const int d = use->d, whole[2] = {0, use->words->dim};
        if (use->k != k)
            continue;
        if (!uses_row(w, use) || w->now[d].in_point) {
            w->now[d].in_point |= changes_row(use);
            continue;
        }
        w->now[d].in_point = true;
        if (tess_chain_is_zero(w->chain, k, use->arg)) {
            PUT(w, use->words,
                "    UNROLL for (int d = 0; d < @dim; d++)\n        v.@dat[d] = %s;\n",
                TESS_SUMS_BEGIN);
            continue;
        }
        print_guard(w, ring_of_uses(w, use), stage_of(w, use));
        if (tess_chain_is_before(w->chain, k, use->arg) && !w->chain->dats[d].kept_loaded)
            tess_print_fetch(w, d, whole, "v.@dat", "v.i");
        else
            tess_print_load_kept(w, d, whole, "v.@dat", "k");
    }
}

/* The last loop of a stage that writes a dat; -1: none does. */
static int last_writer(const tess_chain_writer *w, int stage, int d) {
    int last = -1;
    for (const tess_chain_use *use = w->uses; use->arg; use++)
        if (stage_of(w, use) == stage && use->d == d && use->arg->access != TESS_READ)
            last = use->k;
    return last;
}

/* Whether a later stage uses what this one leaves of a dat. */
static bool is_used_later(const tess_chain_writer *w, int stage, int d) {
    const tess_chain_use *use = w->uses;
    while (use->arg && (use->d != d || stage_of(w, use) <= stage))
        use++;
    return use->arg && !is_overwritten(use);
}

int tess_chain_ring_left(const tess_chain_writer *w, int stage, int d) {
    const tess_chain_dat *dat = &w->chain->dats[d];
    const int writer = last_writer(w, stage, d);
    if (writer < 0 || strcmp(dat->set, w->chain->owner) != 0 || dat->kept_versions == 0 ||
        !is_used_later(w, stage, d))
        return -1;
    const int ring = w->chain->loops[writer].ring;
    return ring < dat->kept_ring ? ring : dat->kept_ring;
}

/* What a stage leaves: kept for later ones, stored by the owner. */
static void print_leave(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->chain;
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        const int ring = tess_chain_ring_left(w, stage, d);
        bool is_last = last_writer(w, stage, d) >= 0 && strcmp(dat->set, chain->owner) == 0;
        for (int later = stage + 1; later < chain->n_stages; later++)
            is_last &= last_writer(w, later, d) < 0;
        if (ring >= 0) {
            w->now[d].version = (w->now[d].version + 1) % dat->kept_versions;
            w->now[d].since = w->n_barriers;
            print_guard(w, ring, stage);
            tess_print_store_kept(w, d);
        }
        if (dat->stored && is_last) {
            print_guard(w, 0, stage);
            tess_print_store(w, d, "v.i", "v.@dat");
        }
    }
}

static tess_status print_stage(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->chain;
    for (int k = 0; k < chain->n_loops; k++)
        if (chain->loops[k].stage == stage && tess_chain_group(chain, k) == k)
            TRY(tess_print_loops(w, k, tess_chain_group_end(chain, k)));
    w->n_barriers += tess_print_elements(w, stage);
    PUT(w, NULL,
        "INLINE void stage_%d(const struct params *p, const struct block *b, int k,\n"
        "                    struct sums *s) {\n"
        "    struct point v UNSET;\n    v.k = k;\n    v.i = point_at(p, b, k);\n",
        stage);
    for (int d = 0; d < chain->n_dats; d++)
        w->now[d].in_point = false;
    for (int k = 0; k < chain->n_loops; k++) {
        if (chain->loops[k].stage != stage || tess_chain_group(chain, k) != k)
            continue;
        for (int i = k; i < tess_chain_group_end(chain, k); i++)
            print_rows_of_point(w, i);
        print_guard(w, tess_chain_group_ring(chain, k), stage);
        PUT(w, NULL, "    loop_%d(p, b, &v, s);\n", k);
    }
    print_leave(w, stage);
    PUT(w, NULL, "}\n\n");
    return TESS_OK;
}

/* What neighbours in the block read of what was before the chain. */
static void print_keep_loaded(tess_chain_writer *w) {
    int ring = 0;
    PUT(w, NULL,
        "INLINE void keep_loaded(const struct params *p, const struct block *b, int k) {\n"
        "    const int i = point_at(p, b, k);\n");
    for (int d = 0; d < w->chain->n_dats; d++) {
        const tess_chain_dat *dat = &w->chain->dats[d];
        if (!dat->kept_loaded)
            continue;
        ring = dat->load_ring > ring ? dat->load_ring : ring;
        PUT(w, NULL, "    if (k < b->n[%d])\n    ", dat->load_ring);
        tess_print_keep(w, d);
    }
    PUT(w, NULL, "    (void)i;\n}\n\n");
    tess_page_print(w->page, "#define RINGS %d\n#define LOADED_RING %d\n", w->chain->n_rings, ring);
}

tess_status tess_chain_stages(tess_chain_writer *w) {
    print_keep_loaded(w);
    tess_page_print(w->page, "#define EACH_STAGE(run)");
    w->n_barriers = w->chain->n_rings > 0;
    for (int stage = 0; stage < w->chain->n_stages; stage++) {
        w->n_barriers += stage > 0;
        TRY(print_stage(w, stage));
        tess_page_print(w->page, " run(%d, %d)", stage, stage_ring(w->chain, stage));
    }
    tess_page_print(w->page, "\n");
    return TESS_OK;
}
