/* A proof of a chain: what its descriptors ask for is worked out anew, use by use. */
#include "core/plan/chain_check.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* --- descriptors ------------------------------------------------------------------------------ */

/* One use of a dat by a loop of the chain, or what the chain leaves of it (loop = n_loops). */
typedef struct use {
    const tess_chain_step *step;
    const tess_chain *chain;
    const tess_chain_dat *dat;
    int loop;
    bool at_neighbours;
    int ring; /* in which the value has to be there */
} use;

static const tess_loop *loop_of(const use *u, int k) {
    return u->chain->loops[k].loop;
}

static bool is_of(const tess_chain_dat *dat, const tess_arg *arg) {
    return strcmp(arg->dat, dat->dat) == 0 && strcmp(arg->set, dat->set) == 0;
}

/* The arg by which a loop changes the dat; NULL: it does not. */
static const tess_arg *change(const tess_loop *loop, const tess_chain_dat *dat) {
    for (int a = 0; a < loop->n_args; a++)
        if (is_of(dat, &loop->args[a]) && loop->args[a].access != TESS_READ)
            return &loop->args[a];
    return NULL;
}

/* The last loop before the use that changes the dat; -1: none. */
static int source(const use *u) {
    int k = u->loop - 1;
    while (k >= 0 && !change(loop_of(u, k), u->dat))
        k--;
    return k;
}

static bool leaves_zero(const tess_arg *arg) {
    return arg->access == TESS_RW && arg->cleared && !arg->is_part && !arg->map[0];
}

/* Whether the last change before loop `at` of the step, wherever in the step before it, clears. */
static bool is_zero_at(const use *u, int at) {
    for (int back = 1; back <= u->step->n; back++) {
        const tess_arg *arg =
            change(u->step->loops[(at + 2 * u->step->n - back) % u->step->n], u->dat);
        if (arg)
            return leaves_zero(arg);
    }
    return false;
}

static const char *name_at(const use *u) {
    return u->loop < u->chain->n_loops ? loop_of(u, u->loop)->name : "a loop after the chain";
}

/* Whether the stage of the use keeps another version of the dat for a later stage. */
static bool keeps_another(const use *u, int stage) {
    int writer = -1;
    for (int k = 0; k < u->chain->n_loops; k++) {
        if (u->chain->loops[k].stage == stage && change(loop_of(u, k), u->dat))
            writer = k;
        if (writer < 0 || u->chain->loops[k].stage <= stage)
            continue;
        for (int a = 0; a < loop_of(u, k)->n_args; a++)
            if (is_of(u->dat, &loop_of(u, k)->args[a]))
                return loop_of(u, k)->args[a].access != TESS_WRITE;
    }
    return false;
}

static tess_status check_kept(const use *u) {
    const int stage = u->chain->loops[u->loop].stage;
    if (u->dat->kept_versions < 1 || u->dat->kept_ring < u->ring)
        FAIL(TESS_ERROR_CHECK, "loop %s uses '%s' in %d rings, but %d are kept", name_at(u),
             u->dat->dat, u->ring, u->dat->kept_versions < 1 ? -1 : u->dat->kept_ring);
    if (u->at_neighbours && u->dat->kept_versions < 2 && keeps_another(u, stage))
        FAIL(TESS_ERROR_CHECK,
             "loop %s reads '%s' at neighbours while its stage overwrites it: one version is kept",
             name_at(u), u->dat->dat);
    return TESS_OK;
}

/* A value from before the chain. */
static tess_status check_before(const use *u) {
    const tess_chain_dat *dat = u->dat;
    const bool is_owned = strcmp(dat->set, u->chain->owner) == 0;
    const bool is_zero = is_zero_at(u, u->chain->first);
    if (dat->begins_zero != (is_zero && dat->written))
        FAIL(TESS_ERROR_CHECK, "'%s' is%s taken to be zero before the chain", dat->dat,
             dat->begins_zero ? "" : " not");
    if (dat->begins_zero)
        return TESS_OK;
    if (!dat->loaded || (is_owned && dat->load_ring < u->ring))
        FAIL(TESS_ERROR_CHECK,
             "loop %s uses '%s' from before the chain in %d rings, but %d are "
             "loaded",
             name_at(u), dat->dat, u->ring, dat->loaded ? dat->load_ring : -1);
    if (dat->stored && !dat->two_buffers && (!is_owned || u->ring > 0))
        FAIL(TESS_ERROR_CHECK,
             "loop %s reads '%s' of other blocks, which the chain overwrites: it has one buffer",
             name_at(u), dat->dat);
    if (u->at_neighbours && u->chain->n_rings > 0) {
        if (!dat->kept_loaded)
            FAIL(TESS_ERROR_CHECK,
                 "loop %s reads '%s' at neighbours in the block, but it is not "
                 "kept",
                 name_at(u), dat->dat);
        return check_kept(u);
    }
    return TESS_OK;
}

/* A value that loop `writer` made. */
static tess_status check_passed(const use *u, int writer) {
    const tess_chain_loop *from = &u->chain->loops[writer], *to = &u->chain->loops[u->loop];
    if (strcmp(u->dat->set, u->chain->owner) != 0) {
        for (int k = writer; k < u->loop; k++)
            if (strcmp(loop_of(u, k)->set, loop_of(u, k + 1)->set) != 0 ||
                u->chain->loops[k].stage != u->chain->loops[k + 1].stage)
                FAIL(TESS_ERROR_CHECK, "loop %s uses '%s' of elements that %s left behind",
                     name_at(u), u->dat->dat, from->loop->name);
        if (from->ring < u->ring)
            FAIL(TESS_ERROR_CHECK, "loop %s uses '%s' in %d rings, but %s is computed in %d",
                 name_at(u), u->dat->dat, u->ring, from->loop->name, from->ring);
        return TESS_OK;
    }
    if (leaves_zero(change(from->loop, u->dat)))
        return TESS_OK;
    if (from->stage > to->stage || (from->stage == to->stage && u->at_neighbours))
        FAIL(TESS_ERROR_CHECK, "loop %s uses '%s' before all threads have come through %s",
             name_at(u), u->dat->dat, from->loop->name);
    if (from->ring < u->ring)
        FAIL(TESS_ERROR_CHECK, "loop %s uses '%s' in %d rings, but %s is computed in %d",
             name_at(u), u->dat->dat, u->ring, from->loop->name, from->ring);
    return from->stage < to->stage ? check_kept(u) : TESS_OK;
}

static tess_status check_use(const tess_chain_step *step, const tess_chain *chain, int k,
                             const tess_arg *arg) {
    const bool at_neighbours =
        arg->map[0] && arg->access == TESS_READ && strcmp(arg->set, chain->owner) == 0;
    const use u = {.step = step,
                   .chain = chain,
                   .dat = tess_chain_dat_of(chain, arg),
                   .loop = k,
                   .at_neighbours = at_neighbours,
                   .ring = chain->loops[k].ring + at_neighbours};
    if (!arg->set[0]) {
        for (int i = 0; i < chain->n_loops && arg->access == TESS_READ; i++)
            if (change(loop_of(&u, i), u.dat))
                FAIL(TESS_ERROR_CHECK, "loop %s reads the sum '%s' that %s makes", name_at(&u),
                     arg->dat, loop_of(&u, i)->name);
        return TESS_OK;
    }
    if (arg->access == TESS_WRITE && !arg->is_part)
        return TESS_OK;
    const int writer = source(&u);
    return writer < 0 ? check_before(&u) : check_passed(&u, writer);
}

/* What the chain leaves: stored, if a loop uses it before another overwrites it. */
static tess_status check_left(const tess_chain_step *step, const tess_chain *chain,
                              const tess_chain_dat *dat) {
    const use u = {.step = step, .chain = chain, .dat = dat, .loop = chain->n_loops};
    const int end = chain->first + chain->n_loops, writer = source(&u);
    if (dat->stored && (writer < 0 || !dat->written))
        FAIL(TESS_ERROR_CHECK, "'%s' is stored, but no loop writes it", dat->dat);
    if (writer < 0 || dat->stored || (dat->begins_zero && is_zero_at(&u, end)))
        return TESS_OK;
    for (int i = 0; i < step->n; i++) {
        const tess_loop *loop = step->loops[(end + i) % step->n];
        bool overwritten = false;
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!is_of(dat, arg))
                continue;
            if (arg->access != TESS_WRITE || arg->is_part || arg->map[0])
                FAIL(TESS_ERROR_CHECK, "loop %s uses '%s' after the chain, which does not store it",
                     loop->name, dat->dat);
            overwritten = true;
        }
        if (overwritten)
            return TESS_OK;
    }
    return TESS_OK;
}

tess_status tess_chain_check(const tess_chain_step *step, const tess_chain *chain) {
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_chain_loop *of = &chain->loops[k];
        if (of->loop != step->loops[chain->first + k] || of->stage < 0 ||
            of->stage >= chain->n_stages || of->ring < 0 || of->ring > chain->n_rings ||
            (k > 0 && of->stage < of[-1].stage) ||
            of->gathered != (strcmp(of->loop->set, chain->owner) != 0))
            FAIL(TESS_ERROR_CHECK, "loop %s of the chain is not where it belongs", of->loop->name);
        for (int a = 0; a < of->loop->n_args; a++) {
            const tess_arg *arg = &of->loop->args[a];
            if (arg->map[0] && arg->access != TESS_READ &&
                (arg->access != TESS_INC || strcmp(arg->set, chain->owner) != 0))
                FAIL(TESS_ERROR_CHECK, "loop %s changes '%s' on %s, which no block owns",
                     of->loop->name, arg->dat, arg->set);
            TRY(check_use(step, chain, k, arg));
        }
    }
    for (int d = 0; d < chain->n_dats; d++)
        TRY(check_left(step, chain, &chain->dats[d]));
    return TESS_OK;
}

/* --- blocks ----------------------------------------------------------------------------------- */

typedef struct blocks_check {
    const tess_chain *chain;
    const tess_mesh *mesh;
    const tess_chain_blocks *blocks;
    const int32_t *block_of;
    const tess_chain_list *list; /* of what loops read; NULL: the owner's points */
    int64_t n_points;            /* of the owner, or of the list's set */
    int64_t
        *place_of; /* [n_points]: where the block at hand has a point; less than its begin: not */
} blocks_check;

static const int64_t *places(const blocks_check *c, int32_t block) {
    return c->blocks->place + (int64_t)block * (c->blocks->n_rings + 2);
}

/* Lists: own points where they belong, no point twice. */
static tess_status check_lists(blocks_check *c, const int32_t *block_of) {
    int64_t n_own = 0;
    for (int32_t b = 0; b < c->blocks->n_blocks; b++) {
        const int64_t *place = places(c, b);
        for (int64_t k = place[0]; k < place[c->blocks->n_rings + 1]; k++) {
            const int32_t point = c->blocks->points[k];
            if (point < 0 || point >= c->n_points || c->place_of[point] >= place[0])
                FAIL(TESS_ERROR_CHECK,
                     "block %d has point %d at position %lld, which it has already", b, point,
                     (long long)(k - place[0]));
            c->place_of[point] = k;
            if ((k < place[1]) != (block_of[point] == b))
                FAIL(TESS_ERROR_CHECK, "block %d: point %d at position %lld is of block %d", b,
                     point, (long long)(k - place[0]), block_of[point]);
        }
        n_own += place[1] - place[0];
    }
    int64_t n_wanted = 0;
    for (int64_t p = 0; p < c->n_points; p++)
        n_wanted += block_of[p] >= 0;
    if (n_own != n_wanted)
        FAIL(TESS_ERROR_CHECK, "blocks own %lld of %lld points", (long long)n_own,
             (long long)n_wanted);
    return TESS_OK;
}

/* Whether the block at hand has a point, for a loop that is computed in so many rings. */
static bool has_point(const blocks_check *c, int32_t block, int ring, int32_t point) {
    const int64_t at = c->place_of[point];
    if (c->list)
        return at >= c->list->begin[block] && at < c->list->begin[block] + c->list->n[block];
    return at >= places(c, block)[0] && at < places(c, block)[ring + 2];
}

/* Everything that an element of a loop reads of the owner lies within the rings that are there, of
 * another set in the block's list. */
static tess_status check_reads(const blocks_check *c, int32_t block, int k, int64_t element) {
    const tess_chain_loop *of = &c->chain->loops[k];
    const char *set = c->list ? c->list->set : c->chain->owner;
    for (int a = 0; a < of->loop->n_args; a++) {
        const tess_arg *arg = &of->loop->args[a];
        if (!arg->map[0] || arg->access != TESS_READ || strcmp(arg->set, set) != 0)
            continue;
        const tess_map *map = tess_mesh_find_map(c->mesh, arg->map);
        const int end = arg->slot < 0 ? map->arity : arg->slot + 1;
        for (int s = arg->slot < 0 ? 0 : arg->slot; s < end; s++) {
            const int32_t point = map->index[element * map->arity + s];
            if (point < 0 || has_point(c, block, of->ring, point))
                continue;
            if (c->list)
                FAIL(TESS_ERROR_CHECK,
                     "loop %s reads '%s' of point %d, which is not in the list of block %d",
                     of->loop->name, arg->dat, point, block);
            FAIL(TESS_ERROR_CHECK,
                 "loop %s reads '%s' of point %d, which is not in the %d rings of block %d",
                 of->loop->name, arg->dat, point, of->ring + 1, block);
        }
    }
    return TESS_OK;
}

/* The entries of a place, element after element, to loops over the set. */
static tess_status check_entries_read(const blocks_check *c, int32_t block, int k, int64_t at) {
    for (int f = 0; f < c->blocks->n_sets; f++) {
        const tess_chain_entries *entries = &c->blocks->sets[f];
        if (strcmp(entries->set, c->chain->loops[k].loop->set) != 0)
            continue;
        for (int64_t i = entries->first[at / TESS_SLICE] + at % TESS_SLICE;
             i < entries->first[at / TESS_SLICE + 1]; i += TESS_SLICE)
            if (entries->element[i] >= 0)
                TRY(check_reads(c, block, k, entries->element[i]));
    }
    return TESS_OK;
}

/* What the loops of a block read. */
static tess_status check_block_reads(const blocks_check *c, int32_t b) {
    const int64_t *place = places(c, b);
    for (int k = 0; k < c->chain->n_loops; k++) {
        const tess_chain_loop *of = &c->chain->loops[k];
        if (of->ring > c->blocks->n_rings)
            FAIL(TESS_ERROR_CHECK, "blocks have %d rings, loop %s needs %d", c->blocks->n_rings,
                 of->loop->name, of->ring);
        for (int64_t at = place[0]; at < place[of->ring + 1]; at++)
            TRY(of->gathered ? check_entries_read(c, b, k, at)
                             : check_reads(c, b, k, c->blocks->points[at]));
    }
    return TESS_OK;
}

static tess_status check_rings(blocks_check *c) {
    for (int64_t p = 0; p < c->n_points; p++)
        c->place_of[p] = -1;
    for (int32_t b = 0; b < c->blocks->n_blocks && c->blocks->n_rings > 0; b++) {
        const int64_t *place = places(c, b);
        for (int64_t at = place[0]; at < place[c->blocks->n_rings + 1]; at++)
            c->place_of[c->blocks->points[at]] = at;
        TRY(check_block_reads(c, b));
    }
    return TESS_OK;
}

/* What is known of the elements of a set while places are gone through. */
typedef struct elements_seen {
    tess_chain_slots adds;
    int64_t n;
    int64_t *last;   /* [n]: the place that had it last */
    uint64_t *slots; /* [n]: there, through which slots */
    uint8_t *owners; /* [n] */
    int32_t *degree; /* [points]: slots of all elements that lead to it */
} elements_seen;

static tess_status check_place(const blocks_check *c, const tess_chain_entries *entries,
                               elements_seen *seen, int64_t at, bool is_own) {
    const int32_t point = c->blocks->points[at];
    int32_t n = 0;
    for (int64_t i = entries->first[at / TESS_SLICE] + at % TESS_SLICE;
         i < entries->first[at / TESS_SLICE + 1]; i += TESS_SLICE) {
        const int32_t element = entries->element[i];
        const int slot = entries->slot[i] & (TESS_ENTRY_OWNS - 1);
        if (element < 0)
            continue;
        if (element >= seen->n || slot >= seen->adds.n ||
            tess_chain_slot_point(&seen->adds, slot, element) != point)
            FAIL(TESS_ERROR_CHECK, "point %d gathers %d of %s, which adds nothing to it there",
                 point, element, entries->set);
        if (seen->last[element] != at)
            seen->slots[element] = 0;
        seen->last[element] = at;
        if (seen->slots[element] >> slot & 1)
            FAIL(TESS_ERROR_CHECK, "point %d gathers element %d of %s twice", point, element,
                 entries->set);
        seen->slots[element] |= (uint64_t)1 << slot;
        if (is_own && (entries->slot[i] & TESS_ENTRY_OWNS) && seen->owners[element]++)
            FAIL(TESS_ERROR_CHECK, "element %d of %s has two owners", element, entries->set);
        n++;
    }
    if (n != seen->degree[point])
        FAIL(TESS_ERROR_CHECK, "point %d gathers %d of %s, but %d add to it", point, n,
             entries->set, seen->degree[point]);
    return TESS_OK;
}

static tess_status see_elements(const blocks_check *c, const char *set, elements_seen *seen) {
    seen->n = c->mesh->sets[tess_mesh_find_set(c->mesh, set)].size;
    TRY(tess_chain_slots_find(c->chain, c->mesh, set, c->chain->owner, TESS_INC, &seen->adds));
    TRY(TESS_ALLOC(seen->n, &seen->last));
    TRY(TESS_ZEROS(seen->n, &seen->slots));
    TRY(TESS_ZEROS(seen->n, &seen->owners));
    TRY(TESS_ZEROS(c->n_points, &seen->degree));
    for (int64_t e = 0; e < seen->n; e++) {
        seen->last[e] = -1;
        for (int s = 0; s < seen->adds.n; s++)
            if (tess_chain_slot_point(&seen->adds, s, e) >= 0)
                seen->degree[tess_chain_slot_point(&seen->adds, s, e)]++;
    }
    return TESS_OK;
}

/* Each computed point has each of its elements once a slot, each element one owner. */
static tess_status check_entries(const blocks_check *c, const tess_chain_entries *entries) {
    tess_status status = TESS_OK;
    elements_seen seen = {.n = 0};
    CHECK(see_elements(c, entries->set, &seen));
    for (int32_t b = 0; b < c->blocks->n_blocks; b++) {
        const int64_t *place = places(c, b);
        for (int64_t at = place[0]; at < place[c->chain->n_rings + 1]; at++)
            CHECK(check_place(c, entries, &seen, at, at < place[1]));
    }
    for (int64_t e = 0; e < seen.n; e++) {
        int s = 0;
        while (s < seen.adds.n && tess_chain_slot_point(&seen.adds, s, e) < 0)
            s++;
        const int32_t first = s < seen.adds.n ? tess_chain_slot_point(&seen.adds, s, e) : -1;
        if (first >= 0 && c->block_of[first] >= 0 && !seen.owners[e])
            CHECK(tess_fail(TESS_ERROR_CHECK, "element %lld of %s has no owner", (long long)e,
                            entries->set));
    }
done:
    free(seen.last);
    free(seen.slots);
    free(seen.owners);
    free(seen.degree);
    return status;
}

tess_status tess_chain_check_blocks(const tess_chain *chain, const tess_mesh *mesh,
                                    const int32_t *block_of, const tess_chain_blocks *blocks) {
    tess_status status = TESS_OK;
    blocks_check c = {.chain = chain,
                      .mesh = mesh,
                      .blocks = blocks,
                      .block_of = block_of,
                      .n_points = mesh->sets[tess_mesh_find_set(mesh, chain->owner)].size};
    CHECK(TESS_ALLOC(c.n_points, &c.place_of));
    for (int64_t p = 0; p < c.n_points; p++)
        c.place_of[p] = -1;
    CHECK(check_lists(&c, block_of));
    CHECK(check_rings(&c));
    for (int f = 0; f < blocks->n_sets; f++)
        CHECK(check_entries(&c, &blocks->sets[f]));
done:
    free(c.place_of);
    return status;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* A block's list: in its place, no point twice. */
static tess_status check_listed(blocks_check *c, int32_t b, int64_t end) {
    const tess_chain_list *list = c->list;
    const int64_t begin = list->begin[b];
    if (begin < end || list->n[b] > list->most || (list->mark && begin % TESS_SLICE != 0))
        FAIL(TESS_ERROR_CHECK, "block %d has %d %s from place %lld on, where they do not belong", b,
             list->n[b], list->set, (long long)begin);
    for (int64_t k = begin; k < begin + list->n[b]; k++) {
        const int32_t point = list->points[k];
        if (point < 0 || point >= c->n_points || c->place_of[point] >= begin)
            FAIL(TESS_ERROR_CHECK, "block %d lists %s %d at place %lld, which it has already", b,
                 list->set, point, (long long)(k - begin));
        c->place_of[point] = k;
    }
    return TESS_OK;
}

/* What is known of elements that blocks compute once. */
typedef struct once_check {
    const tess_chain_entries *entries;
    tess_chain_slots adds;
    int32_t *own;     /* [points]: the block whose own a point is; -1: none's */
    int32_t *used_by; /* [elements]: the block that used it last */
} once_check;

static tess_status open_once(const blocks_check *c, once_check *o) {
    const int64_t n = c->mesh->sets[tess_mesh_find_set(c->mesh, c->chain->owner)].size;
    for (int f = 0; f < c->blocks->n_sets; f++)
        if (strcmp(c->blocks->sets[f].set, c->list->set) == 0)
            o->entries = &c->blocks->sets[f];
    if (!o->entries)
        FAIL(TESS_ERROR_CHECK, "no point gathers %s, which are to be computed once", c->list->set);
    TRY(tess_chain_slots_find(c->chain, c->mesh, c->list->set, c->chain->owner, TESS_INC,
                              &o->adds));
    TRY(TESS_ALLOC(n, &o->own));
    TRY(TESS_ALLOC(c->n_points, &o->used_by));
    memset(o->own, 0xff, (size_t)n * sizeof *o->own);
    memset(o->used_by, 0xff, (size_t)c->n_points * sizeof *o->used_by);
    for (int32_t b = 0; b < c->blocks->n_blocks; b++)
        for (int64_t k = places(c, b)[0]; k < places(c, b)[1]; k++)
            o->own[c->blocks->points[k]] = b;
    for (int k = 0; k < c->chain->n_loops; k++)
        if (strcmp(c->chain->loops[k].loop->set, c->list->set) == 0 &&
            c->chain->loops[k].ring != c->list->ring)
            FAIL(TESS_ERROR_CHECK, "loop %s is computed in %d rings, but %s are listed in %d",
                 c->chain->loops[k].loop->name, c->chain->loops[k].ring, c->list->set,
                 c->list->ring);
    return TESS_OK;
}

/* The block of an element's first point owns it. */
static tess_status check_owner(const blocks_check *c, const once_check *o, int32_t b, int64_t k) {
    const int32_t element = c->list->points[k];
    int s = 0;
    while (s < o->adds.n && tess_chain_slot_point(&o->adds, s, element) < 0)
        s++;
    const bool is_own = s < o->adds.n && o->own[tess_chain_slot_point(&o->adds, s, element)] == b;
    if (c->list->mark[k] != (is_own ? TESS_ENTRY_OWNS : 0))
        FAIL(TESS_ERROR_CHECK, "block %d %s element %d of %s", b, is_own ? "disowns" : "claims",
             element, c->list->set);
    return TESS_OK;
}

/* Entries find their elements in the list, and all of these are found. */
static tess_status check_computed(const blocks_check *c, once_check *o, int32_t b) {
    const tess_chain_list *list = c->list;
    const tess_chain_entries *entries = o->entries;
    int32_t n_used = 0;
    for (int64_t at = places(c, b)[0]; at < places(c, b)[list->ring + 1]; at++)
        for (int64_t i = entries->first[at / TESS_SLICE] + at % TESS_SLICE;
             i < entries->first[at / TESS_SLICE + 1]; i += TESS_SLICE) {
            const int32_t element = entries->element[i], place = list->place[i];
            if (element < 0)
                continue;
            if (place < 0 || place >= list->n[b] || list->points[list->begin[b] + place] != element)
                FAIL(TESS_ERROR_CHECK,
                     "block %d has nothing, or another element, where point %d sums element %d of "
                     "%s",
                     b, c->blocks->points[at], element, list->set);
            n_used += o->used_by[element] != b;
            o->used_by[element] = b;
        }
    if (n_used != list->n[b])
        FAIL(TESS_ERROR_CHECK, "block %d computes %d %s, of which its points sum %d", b, list->n[b],
             list->set, n_used);
    for (int64_t k = list->begin[b]; k < list->begin[b] + list->n[b]; k++)
        TRY(check_owner(c, o, b, k));
    return TESS_OK;
}

tess_status tess_chain_check_list(const tess_chain *chain, const tess_mesh *mesh,
                                  const tess_chain_blocks *blocks, const tess_chain_list *list) {
    tess_status status = TESS_OK;
    blocks_check c = {.chain = chain,
                      .mesh = mesh,
                      .blocks = blocks,
                      .list = list,
                      .n_points = mesh->sets[tess_mesh_find_set(mesh, list->set)].size};
    once_check o = {.entries = NULL};
    CHECK(TESS_ALLOC(c.n_points, &c.place_of));
    for (int64_t p = 0; p < c.n_points; p++)
        c.place_of[p] = -1;
    if (list->mark)
        CHECK(open_once(&c, &o));
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        CHECK(check_listed(&c, b, b > 0 ? (int64_t)list->begin[b - 1] + list->n[b - 1] : 0));
        CHECK(list->mark ? check_computed(&c, &o, b) : check_block_reads(&c, b));
    }
done:
    free(c.place_of);
    free(o.own);
    free(o.used_by);
    return status;
}
