/* A chain: a run of consecutive loops of a step that one kernel executes block by block. */
#include "core/plan/chain.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the builder knows of a dat while it goes through the loops. */
typedef struct tracked {
    int writer; /* the last loop of the chain so far that wrote it; -1: none did */
    int adder;  /* of a global: a loop that adds to it, and one that reads it; -1: none */
    int reader;
    int need; /* backwards: rings in which the loops behind use the value; -1: none does */
} tracked;

typedef struct builder {
    const tess_chain_step *step;
    tess_chain *chain;
    tracked *tracked; /* [n_dats] */
} builder;

static int index_of(const tess_chain *chain, const tess_arg *arg) {
    int d = 0;
    while (d < chain->n_dats &&
           (strcmp(chain->dats[d].dat, arg->dat) != 0 || strcmp(chain->dats[d].set, arg->set) != 0))
        d++;
    return d;
}

const tess_chain_dat *tess_chain_dat_of(const tess_chain *chain, const tess_arg *arg) {
    return &chain->dats[index_of(chain, arg)];
}

static bool is_on(const char *set, const tess_arg *arg) {
    return strcmp(arg->set, set) == 0;
}

static bool is_global(const tess_arg *arg) {
    return !arg->set[0];
}

/* Whether an arg uses the value that was there before the loop. */
static bool uses(const tess_arg *arg) {
    return arg->access != TESS_WRITE;
}

/* Whether nothing of what an element had is left: every element of the set is written, whole. */
static bool overwrites(const tess_arg *arg) {
    return arg->access == TESS_WRITE && !arg->map[0] && !arg->is_part;
}

/* Whether what an arg leaves is known without computing it. */
static bool clears(const tess_arg *arg) {
    return arg->cleared && !arg->is_part;
}

/* Whether a loop reads a dat of the owner at neighbours. */
static bool reads_neighbours(const tess_chain *chain, const tess_arg *arg) {
    return arg->map[0] && arg->access == TESS_READ && is_on(chain->owner, arg);
}

static const char *name_of(const tess_chain *chain, int k) {
    return chain->loops[k].loop->name;
}

bool tess_chain_goes_on(const tess_chain *chain, int a) {
    const tess_chain_loop *one = &chain->loops[a], *next = one + 1;
    return a + 1 < chain->n_loops && one->gathered && next->gathered && one->stage == next->stage &&
           strcmp(one->loop->set, next->loop->set) == 0;
}

/* Whether loops a ... b are all of one group. */
static bool is_one_group(const tess_chain *chain, int a, int b) {
    while (a < b && tess_chain_goes_on(chain, a))
        a++;
    return a == b;
}

/* --- who owns --------------------------------------------------------------------------------- */

/* The set that loops add to: the owner, or else that of the first loop. */
static tess_status find_owner(tess_chain *chain) {
    int adder = -1;
    snprintf(chain->owner, sizeof chain->owner, "%s", chain->loops[0].loop->set);
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!arg->map[0] || arg->access == TESS_READ)
                continue;
            if (arg->access != TESS_INC || is_on(loop->set, arg))
                FAIL(TESS_ERROR_USAGE,
                     "loops %s and %s are no chain: %s %ss '%s' on %s through %s, and a point can "
                     "gather only what elements of another set add",
                     name_of(chain, 0), name_of(chain, chain->n_loops - 1), loop->name,
                     tess_access_name(arg->access), arg->dat, arg->set, arg->map);
            if (adder >= 0 && !is_on(chain->owner, arg))
                FAIL(TESS_ERROR_USAGE,
                     "loops %s and %s are no chain: %s adds to points of %s, %s to '%s' on %s, and "
                     "the blocks of a chain own the points of one set",
                     name_of(chain, adder), loop->name, name_of(chain, adder), chain->owner,
                     loop->name, arg->dat, arg->set);
            adder = k;
            snprintf(chain->owner, sizeof chain->owner, "%s", arg->set);
        }
    }
    return TESS_OK;
}

/* Whether some loop of the chain over a set adds to points of the owner. */
static bool is_joined(const tess_chain *chain, const char *set) {
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        if (strcmp(loop->set, set) == 0 && tess_loop_adds(loop))
            return true;
    }
    return false;
}

/* The first dat that two loops share; else the first that b has. */
static const char *shared_dat(const tess_loop *a, const tess_loop *b) {
    for (int i = 0; i < b->n_args; i++)
        for (int j = 0; j < a->n_args; j++)
            if (tess_arg_shares_dat(&b->args[i], &a->args[j]))
                return b->args[i].dat;
    return b->n_args > 0 ? b->args[0].dat : "";
}

static tess_status join_loops(tess_chain *chain) {
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        chain->loops[k].gathered = strcmp(loop->set, chain->owner) != 0;
        if (!chain->loops[k].gathered || is_joined(chain, loop->set))
            continue;
        int other = k > 0 ? k - 1 : 1;
        while (other + 1 < chain->n_loops && strcmp(chain->loops[other].loop->set, loop->set) == 0)
            other++;
        FAIL(TESS_ERROR_USAGE,
             "loops %s and %s are no chain by '%s': %s is over %s, of which no loop of the chain "
             "adds to points of %s, so that no block owns them",
             loop->name, name_of(chain, other), shared_dat(chain->loops[other].loop, loop),
             loop->name, loop->set, chain->owner);
    }
    return TESS_OK;
}

/* --- stages ----------------------------------------------------------------------------------- */

static tess_status add_dats(builder *b) {
    tess_chain *chain = b->chain;
    int n = 0;
    for (int k = 0; k < chain->n_loops; k++)
        n += chain->loops[k].loop->n_args;
    TRY(TESS_ZEROS(n, &chain->dats));
    TRY(TESS_ZEROS(n, &b->tracked));
    for (int k = 0; k < chain->n_loops; k++)
        for (int a = 0; a < chain->loops[k].loop->n_args; a++) {
            const tess_arg *arg = &chain->loops[k].loop->args[a];
            tess_chain_dat *dat = &chain->dats[index_of(chain, arg)];
            if (dat == &chain->dats[chain->n_dats]) {
                chain->n_dats++;
                *dat = (tess_chain_dat){.type = arg->type};
                memcpy(dat->dat, arg->dat, sizeof dat->dat);
                memcpy(dat->set, arg->set, sizeof dat->set);
            }
            dat->dim = arg->dim > dat->dim ? arg->dim : dat->dim;
        }
    for (int d = 0; d < n; d++)
        b->tracked[d] = (tracked){.writer = -1, .adder = -1, .reader = -1, .need = -1};
    return TESS_OK;
}

/* A sum is whole when all blocks are done: no loop of the chain may read it, nor what it was. */
static tess_status check_global(builder *b, int k, const tess_arg *arg) {
    tracked *of = &b->tracked[index_of(b->chain, arg)];
    if (arg->access == TESS_INC)
        of->adder = k;
    else
        of->reader = k;
    if (of->adder < 0 || of->reader < 0)
        return TESS_OK;
    const bool first = of->adder <= of->reader;
    FAIL(TESS_ERROR_USAGE,
         "loops %s and %s are no chain by '%s': the one %s, the other %s a sum that is whole only "
         "when all blocks are done",
         name_of(b->chain, first ? of->adder : of->reader),
         name_of(b->chain, first ? of->reader : of->adder), arg->dat, first ? "makes" : "reads",
         first ? "reads" : "makes");
}

/* What loops write at elements passes on only to loops that go through the element with them. */
static tess_status check_element(const builder *b, int k, const tess_arg *arg) {
    const int writer = b->tracked[index_of(b->chain, arg)].writer;
    const tess_chain *chain = b->chain;
    if (writer < 0 || arg->access == TESS_WRITE || (!arg->map[0] && is_one_group(chain, writer, k)))
        return TESS_OK;
    FAIL(
        TESS_ERROR_USAGE,
        "loops %s and %s are no chain by '%s': %s needs it %s%s, but between the two a block of %s "
        "keeps no values of %s",
        name_of(chain, writer), name_of(chain, k), arg->dat, name_of(chain, k),
        arg->map[0] ? "through " : "at elements of ", arg->map[0] ? arg->map : arg->set,
        chain->owner, arg->set);
}

/* Whether loop k reads at neighbours what the stage that it would be in has written. */
static bool begins_stage(const builder *b, int k, int stage) {
    const tess_loop *loop = b->chain->loops[k].loop;
    for (int a = 0; a < loop->n_args; a++) {
        const int writer = b->tracked[index_of(b->chain, &loop->args[a])].writer;
        if (reads_neighbours(b->chain, &loop->args[a]) && writer >= 0 &&
            b->chain->loops[writer].stage == stage)
            return true;
    }
    return false;
}

static tess_status place_loops(builder *b) {
    tess_chain *chain = b->chain;
    int stage = 0;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        stage += begins_stage(b, k, stage);
        chain->loops[k].stage = stage;
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (is_global(arg))
                TRY(check_global(b, k, arg));
            else if (!is_on(chain->owner, arg))
                TRY(check_element(b, k, arg));
        }
        for (int a = 0; a < loop->n_args; a++)
            if (loop->args[a].access != TESS_READ)
                b->tracked[index_of(chain, &loop->args[a])].writer = k;
    }
    chain->n_stages = stage + 1;
    return TESS_OK;
}

/* --- what is loaded and stored ---------------------------------------------------------------- */

static const tess_arg *arg_on(const tess_loop *loop, const tess_chain_dat *dat, int from) {
    for (int a = from; a < loop->n_args; a++)
        if (strcmp(loop->args[a].dat, dat->dat) == 0 && strcmp(loop->args[a].set, dat->set) == 0)
            return &loop->args[a];
    return NULL;
}

/* Whether the loops from `at` on, once around the step, use the value of a dat before it is
 * overwritten. */
static bool is_used_from(const tess_chain_step *step, int at, const tess_chain_dat *dat) {
    for (int i = 0; i < step->n; i++) {
        const tess_loop *loop = step->loops[(at + i) % step->n];
        const tess_arg *arg = arg_on(loop, dat, 0);
        bool gone = false;
        for (; arg; arg = arg_on(loop, dat, (int)(arg - loop->args) + 1)) {
            if (uses(arg))
                return true;
            gone |= overwrites(arg);
        }
        if (gone)
            return false;
    }
    return false;
}

/* Whether the last loop before `at`, once around the step, that writes the dat clears it. */
static bool is_cleared_before(const tess_chain_step *step, int at, const tess_chain_dat *dat) {
    for (int i = 1; i <= step->n; i++) {
        const tess_loop *loop = step->loops[(at - i + 2 * step->n) % step->n];
        const tess_arg *arg = arg_on(loop, dat, 0);
        for (; arg; arg = arg_on(loop, dat, (int)(arg - loop->args) + 1))
            if (arg->access != TESS_READ)
                return clears(arg);
    }
    return false;
}

static void decide_stores(builder *b) {
    tess_chain *chain = b->chain;
    const int end = chain->first + chain->n_loops;
    for (int d = 0; d < chain->n_dats; d++) {
        tess_chain_dat *dat = &chain->dats[d];
        dat->written = b->tracked[d].writer >= 0;
        dat->begins_zero =
            dat->set[0] && dat->written && is_cleared_before(b->step, chain->first, dat);
        const bool stays_zero = dat->begins_zero && is_cleared_before(b->step, end, dat);
        dat->stored =
            dat->written && !stays_zero && (!dat->set[0] || is_used_from(b->step, end, dat));
        b->tracked[d].need = dat->stored ? 0 : -1;
    }
}

/* How many rings a loop is computed in: as many as somebody uses what it writes. */
static int ring_of(const builder *b, const tess_loop *loop) {
    int ring = 0;
    for (int a = 0; a < loop->n_args; a++) {
        const int need = b->tracked[index_of(b->chain, &loop->args[a])].need;
        if (loop->args[a].access != TESS_READ && !clears(&loop->args[a]) && need > ring)
            ring = need;
    }
    return ring;
}

static void need_at_least(tracked *of, int ring) {
    of->need = ring > of->need ? ring : of->need;
}

/* From the last loop to the first: who needs what, in how many rings. */
static void decide_rings(builder *b) {
    tess_chain *chain = b->chain;
    for (int k = chain->n_loops - 1; k >= 0; k--) {
        tess_chain_loop *of = &chain->loops[k];
        of->ring = ring_of(b, of->loop);
        chain->n_rings = of->ring > chain->n_rings ? of->ring : chain->n_rings;
        for (int a = 0; a < of->loop->n_args; a++)
            if (overwrites(&of->loop->args[a]) || clears(&of->loop->args[a]))
                b->tracked[index_of(chain, &of->loop->args[a])].need = -1;
        for (int a = 0; a < of->loop->n_args; a++) {
            const tess_arg *arg = &of->loop->args[a];
            if (uses(arg) || arg->is_part)
                need_at_least(&b->tracked[index_of(chain, arg)],
                              of->ring + reads_neighbours(chain, arg));
        }
    }
    for (int d = 0; d < chain->n_dats; d++) {
        tess_chain_dat *dat = &chain->dats[d];
        const bool is_owned = strcmp(dat->set, chain->owner) == 0;
        dat->loaded =
            b->tracked[d].need >= 0 && !dat->begins_zero && (dat->set[0] || !dat->written);
        dat->load_ring = dat->loaded && is_owned ? b->tracked[d].need : 0;
        dat->two_buffers =
            dat->set[0] && dat->loaded && dat->stored && (dat->load_ring > 0 || !is_owned);
        if (dat->load_ring > chain->load_rings)
            chain->load_rings = dat->load_ring;
    }
}

/* --- what is kept ----------------------------------------------------------------------------- */

/* The last loop before loop k that writes the dat of an arg, and its arg; -1: none. */
static int writer_before(const tess_chain *chain, const tess_arg *arg, int k, const tess_arg **by) {
    for (int i = k - 1; i >= 0; i--)
        for (int a = 0; a < chain->loops[i].loop->n_args; a++) {
            *by = &chain->loops[i].loop->args[a];
            if ((*by)->access != TESS_READ && tess_arg_shares_dat(*by, arg))
                return i;
        }
    return -1;
}

bool tess_chain_is_before(const tess_chain *chain, int loop, const tess_arg *arg) {
    const tess_arg *by;
    return writer_before(chain, arg, loop, &by) < 0;
}

bool tess_chain_is_zero(const tess_chain *chain, int loop, const tess_arg *arg) {
    const tess_arg *by;
    return writer_before(chain, arg, loop, &by) < 0 ? tess_chain_dat_of(chain, arg)->begins_zero
                                                    : clears(by);
}

/* The stage in which the last loop before loop k wrote the dat; -1: none did. */
static int stage_written(const tess_chain *chain, const tess_arg *arg, int k) {
    const tess_arg *by;
    const int writer = writer_before(chain, arg, k, &by);
    return writer < 0 ? -1 : chain->loops[writer].stage;
}

/* Whether a stage writes a dat that it reads at neighbours. */
static bool replaces(const tess_chain *chain, int stage, const tess_chain_dat *dat) {
    bool writes = false, reads = false;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        const tess_arg *arg = chain->loops[k].stage == stage ? arg_on(loop, dat, 0) : NULL;
        for (; arg; arg = arg_on(loop, dat, (int)(arg - loop->args) + 1)) {
            writes |= arg->access != TESS_READ;
            reads |= reads_neighbours(chain, arg);
        }
    }
    return writes && reads;
}

/* A dat of the owner is kept where a stage uses what an earlier one wrote, or where neighbours in
 * the rings read what was loaded. */
static void decide_kept(tess_chain *chain) {
    for (int k = 0; k < chain->n_loops && chain->n_rings > 0; k++) {
        const tess_chain_loop *of = &chain->loops[k];
        for (int a = 0; a < of->loop->n_args; a++) {
            const tess_arg *arg = &of->loop->args[a];
            tess_chain_dat *dat = &chain->dats[index_of(chain, arg)];
            const int from = stage_written(chain, arg, k), ring = of->ring + (arg->map[0] != 0);
            const bool at_neighbours = reads_neighbours(chain, arg);
            if (!is_on(chain->owner, arg) || !uses(arg) || tess_chain_is_zero(chain, k, arg) ||
                (from < 0 ? !at_neighbours : from == of->stage))
                continue;
            dat->kept_loaded |= from < 0;
            dat->kept_versions = 1;
            if (at_neighbours && ring > dat->kept_ring)
                dat->kept_ring = ring;
            else if (of->ring > dat->kept_ring)
                dat->kept_ring = of->ring;
        }
    }
    for (int d = 0; d < chain->n_dats; d++)
        if (chain->dats[d].kept_loaded && chain->dats[d].load_ring > chain->dats[d].kept_ring)
            chain->dats[d].kept_ring = chain->dats[d].load_ring;
    for (int d = 0; d < chain->n_dats; d++)
        for (int s = 0; chain->dats[d].kept_versions == 1 && s + 1 < chain->n_stages; s++)
            if (replaces(chain, s, &chain->dats[d]))
                chain->dats[d].kept_versions = 2;
}

/* --- chains ----------------------------------------------------------------------------------- */

void tess_chain_free(tess_chain *chain) {
    if (!chain)
        return;
    free(chain->loops);
    free(chain->dats);
    free(chain);
}

tess_status tess_chain_build(const tess_chain_step *step, int first, int n, tess_chain **out) {
    tess_status status = TESS_OK;
    builder b = {.step = step};
    CHECK(TESS_ZEROS(1, &b.chain));
    b.chain->first = first;
    b.chain->n_loops = n;
    CHECK(TESS_ZEROS(n, &b.chain->loops));
    for (int k = 0; k < n; k++)
        b.chain->loops[k].loop = step->loops[first + k];
    CHECK(find_owner(b.chain));
    CHECK(join_loops(b.chain));
    CHECK(add_dats(&b));
    CHECK(place_loops(&b));
    decide_stores(&b);
    decide_rings(&b);
    decide_kept(b.chain);
    *out = TESS_TAKE(b.chain);
done:
    free(b.tracked);
    tess_chain_free(b.chain);
    return status;
}

tess_status tess_chains_choose(const tess_chain_step *step, const tess_chain_wish *wish,
                               int *length) {
    for (int first = 0; first < step->n;) {
        int n = step->n - first;
        for (; n > 1; n--) {
            tess_chain *chain = NULL;
            const tess_status status = tess_chain_build(step, first, n, &chain);
            const bool fits = status == TESS_OK && chain->n_rings <= wish->most_rings &&
                              (!wish->wants || wish->wants(wish->of, chain));
            tess_chain_free(chain);
            if (status != TESS_OK && status != TESS_ERROR_USAGE)
                return status;
            if (fits)
                break;
        }
        length[first] = n;
        for (int k = 1; k < n; k++)
            length[first + k] = 0;
        first += n;
    }
    return TESS_OK;
}
