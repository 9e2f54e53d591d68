/* A proof of a halo: what ranks need of each other is found again from the mesh, the owners and the
 * loops, with no code of the builder's. */
#include "core/ranks/halo_check.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>
#include <string.h>

/* Rows under proof, and which of their items something needs. */
typedef struct claimed {
    const tess_rows *rows;
    bool *needed; /* [rows->offset[rows->n]]; owned */
} claimed;

typedef struct proof {
    const tess_ranking *ranking;
    const tess_halo *halo;
    claimed *executed, *reached;  /* [n_sets] */
    bool **waits;                 /* [n_sets][size]: border, as it must be */
    const tess_ranked_loop *loop; /* the one that is proved now, and its rows: */
    claimed executes;
    claimed *lists; /* [n_args]: of the dat of each arg, at the first that names it */
} proof;

static const char *loop_name(const proof *p) {
    return p->loop->loop->name;
}

/* Rows of elements of one set, [size], that belong to other ranks than their row's. */
static tess_status claim(const proof *p, const tess_rows *rows, int set, claimed *out) {
    const tess_owners *owners = p->ranking->owners;
    const char *name = p->ranking->mesh->sets[set].name;
    if (!rows || rows->n != owners->n_ranks || rows->offset[0] != 0)
        FAIL(TESS_ERROR_CHECK, "%s: a list has not one row a rank", name);
    for (int32_t r = 0; r < owners->n_ranks; r++)
        for (int64_t i = rows->offset[r]; i < rows->offset[r + 1]; i++) {
            const int32_t e = rows->item[i];
            if (e < 0 || e >= p->ranking->mesh->sets[set].size)
                FAIL(TESS_ERROR_CHECK, "rank %d has %s %d, which the mesh lacks", r, name, e);
            if (i > rows->offset[r] && rows->item[i - 1] >= e)
                FAIL(TESS_ERROR_CHECK, "rank %d: %s %d and %d are not ascending", r, name,
                     rows->item[i - 1], e);
            if (owners->rank_of[set][e] == r)
                FAIL(TESS_ERROR_CHECK, "rank %d imports %s %d, which it owns", r, name, e);
        }
    out->rows = rows;
    return TESS_ZEROS(rows->offset[rows->n], &out->needed);
}

/* Where a rank's row, ascending, has an element; -1: nowhere. */
static int64_t find(const tess_rows *rows, int32_t rank, int32_t element) {
    const int64_t first = rows->offset[rank], n = tess_rows_size(rows, rank);
    const int64_t at = first + tess_sorted_position(rows->item + first, n, element);
    return n && rows->item[at] == element ? at : -1;
}

/* Marks an item as needed; false where the rows lack it. */
static bool need(const claimed *rows, int32_t rank, int32_t element) {
    const int64_t position = find(rows->rows, rank, element);
    if (position >= 0)
        rows->needed[position] = true;
    return position >= 0;
}

/* Likewise of the elements of a set that a rank has of others. */
static bool need_import(const proof *p, int set, int32_t rank, int32_t element) {
    return need(&p->executed[set], rank, element) || need(&p->reached[set], rank, element);
}

static tess_status all_needed(const proof *p, const claimed *rows, int set, const char *what) {
    for (int32_t r = 0; r < p->ranking->owners->n_ranks; r++)
        for (int64_t i = rows->rows->offset[r]; i < rows->rows->offset[r + 1]; i++)
            if (!rows->needed[i])
                FAIL(TESS_ERROR_CHECK, "%s %d %s rank %d, and nothing needs it there",
                     p->ranking->mesh->sets[set].name, rows->rows->item[i], what, r);
    return TESS_OK;
}

/* The value of arg a at an element of another rank must arrive (or its sum return). */
static tess_status need_value(const proof *p, int a, int32_t rank, int32_t element,
                              const char *fails) {
    const claimed *list = &p->lists[tess_loop_first_of_dat(p->loop->loop, a)];
    if (!list->rows || !need(list, rank, element))
        FAIL(TESS_ERROR_CHECK, "loop %s: '%s' of %s %d %s rank %d", loop_name(p),
             p->loop->loop->args[a].dat, p->loop->loop->args[a].set, element, fails, rank);
    return TESS_OK;
}

/* Arg a of element e, executed by a rank, at a point of another rank. */
static tess_status prove_point(const proof *p, int a, int64_t e, int32_t rank, int32_t point) {
    const tess_arg *arg = &p->loop->loop->args[a];
    const tess_map *map = tess_mesh_find_map(p->ranking->mesh, arg->map);
    if (!need_import(p, map->to, rank, point))
        FAIL(TESS_ERROR_CHECK, "loop %s, %s %lld: rank %d has no %s %d", loop_name(p),
             p->loop->loop->set, (long long)e, rank, arg->set, point);
    const bool adds = arg->access == TESS_INC && p->loop->mode == TESS_HALO_PARTIAL_SUMS;
    if (p->loop->arrives[a])
        TRY(need_value(p, a, rank, point, "does not arrive at"));
    if (adds)
        TRY(need_value(p, a, rank, point, "is not given by"));
    const int from = map->from;
    if (p->ranking->owners->rank_of[from][e] == rank && (p->loop->arrives[a] || adds))
        p->waits[from][e] = true;
    return TESS_OK;
}

/* All that an element reaches where a rank executes it. */
static tess_status prove_reads(const proof *p, int64_t e, int32_t rank) {
    const tess_loop *loop = p->loop->loop;
    for (int a = 0; a < loop->n_args; a++) {
        if (!loop->args[a].map[0])
            continue;
        const tess_map *map = tess_mesh_find_map(p->ranking->mesh, loop->args[a].map);
        for (int s = 0; s < map->arity; s++) {
            const int32_t point = map->index[e * map->arity + s];
            if (point >= 0 && tess_arg_has_slot(&loop->args[a], s) &&
                p->ranking->owners->rank_of[map->to][point] != rank)
                TRY(prove_point(p, a, e, rank, point));
        }
    }
    return TESS_OK;
}

/* The owner of a point executes an element of another rank, with the element's own values. */
static tess_status prove_foreign(const proof *p, int64_t e, int32_t rank, int set) {
    const tess_loop *loop = p->loop->loop;
    if (!need(&p->executes, rank, (int32_t)e) || !need(&p->executed[set], rank, (int32_t)e))
        FAIL(TESS_ERROR_CHECK,
             "loop %s: %s %lld adds to a point of rank %d, which does not execute it", loop->name,
             loop->set, (long long)e, rank);
    for (int a = 0; a < loop->n_args; a++)
        if (!loop->args[a].map[0] && p->loop->arrives[a])
            TRY(need_value(p, a, rank, (int32_t)e, "does not arrive at"));
    return prove_reads(p, e, rank);
}

static tess_status prove_element(const proof *p, int64_t e, int set) {
    const tess_loop *loop = p->loop->loop;
    const int32_t mine = p->ranking->owners->rank_of[set][e];
    TRY(prove_reads(p, e, mine));
    for (int a = 0; a < loop->n_args && p->loop->mode == TESS_HALO_REDUNDANT; a++) {
        if (!tess_arg_adds(&loop->args[a]))
            continue;
        const tess_map *map = tess_mesh_find_map(p->ranking->mesh, loop->args[a].map);
        for (int s = 0; s < map->arity; s++) {
            const int32_t point = map->index[e * map->arity + s];
            const int32_t rank = point < 0 ? mine : p->ranking->owners->rank_of[map->to][point];
            if (rank != mine && tess_arg_has_slot(&loop->args[a], s))
                TRY(prove_foreign(p, e, rank, set));
        }
    }
    return TESS_OK;
}

/* Where a loop adds to points, a rank executes the imports of other loops as well: what they reach
 * is there, but nothing need arrive for them. */
static tess_status prove_other_imports(const proof *p, int set) {
    tess_status status = TESS_OK;
    const tess_rows *rows = p->executed[set].rows;
    tess_ranked_loop quiet = *p->loop;
    proof there = *p;
    if (quiet.mode != TESS_HALO_REDUNDANT || !tess_loop_adds(quiet.loop))
        return TESS_OK;
    there.loop = &quiet;
    CHECK(TESS_ZEROS(quiet.loop->n_args, &quiet.arrives));
    for (int32_t r = 0; r < p->ranking->owners->n_ranks; r++)
        for (int64_t i = rows->offset[r]; i < rows->offset[r + 1]; i++)
            if (find(p->executes.rows, r, rows->item[i]) < 0)
                CHECK(prove_reads(&there, rows->item[i], r));
done:
    free(quiet.arrives);
    return status;
}

static tess_status claim_lists(proof *p, const tess_halo_list *lists, int n) {
    for (int i = 0; i < n; i++) {
        const int a = lists[i].arg;
        if (a < 0 || a >= p->loop->loop->n_args || tess_loop_first_of_dat(p->loop->loop, a) != a ||
            p->lists[a].rows)
            FAIL(TESS_ERROR_CHECK, "loop %s: a list is of no dat, or the second of one",
                 loop_name(p));
        TRY(claim(p, lists[i].rows, lists[i].set, &p->lists[a]));
    }
    return TESS_OK;
}

/* --- chains ----------------------------------------------------------------------------------- */

enum { NOWHERE = 127 }; /* a ring that no rank reaches */

/* A slot through which loops of a chain over a set reach points. */
typedef struct hop {
    int from, to; /* sets */
    int arity, slot;
    const int32_t *index;
    bool reads, adds;
} hop;

/* The ring around a rank's own points in which each point of a chain's owner lies, `near` [points].
 */
typedef struct chain_proof {
    const proof *p;
    const tess_chain *chain;
    int32_t rank;
    int owner; /* the set */
    int n_hops;
    hop *hops;
    int8_t *near;
} chain_proof;

static tess_status add_hops(chain_proof *c, const tess_loop *loop, const tess_arg *arg) {
    const tess_mesh *mesh = c->p->ranking->mesh;
    const tess_map *map = arg->map[0] ? tess_mesh_find_map(mesh, arg->map) : NULL;
    int64_t capacity = c->n_hops;
    for (int s = 0; map && s < map->arity; s++) {
        if (!tess_arg_has_slot(arg, s))
            continue;
        TRY(TESS_RESERVE(c->n_hops + INT64_C(1), &capacity, &c->hops));
        c->hops[c->n_hops++] = (hop){.from = tess_mesh_find_set(mesh, loop->set),
                                     .to = map->to,
                                     .arity = map->arity,
                                     .slot = s,
                                     .index = map->index,
                                     .reads = arg->access == TESS_READ,
                                     .adds = arg->access == TESS_INC};
    }
    return TESS_OK;
}

static int32_t end_of(const hop *h, int64_t e) {
    return h->index[e * h->arity + h->slot];
}

/* The nearest ring whose points an element adds to; of a point its own. */
static int ring_of_element(const chain_proof *c, int set, int64_t e) {
    int nearest = set == c->owner ? c->near[e] : NOWHERE;
    for (int i = 0; i < c->n_hops && set != c->owner; i++) {
        const hop *h = &c->hops[i];
        if (h->from == set && h->adds && end_of(h, e) >= 0 && c->near[end_of(h, e)] < nearest)
            nearest = c->near[end_of(h, e)];
    }
    return nearest;
}

/* Brings what elements of ring - 1 read of the owner's points into a ring. */
static void spread(const chain_proof *c, int set, int ring) {
    for (int64_t e = 0; e < c->p->ranking->mesh->sets[set].size; e++) {
        if (ring_of_element(c, set, e) > ring - 1)
            continue;
        for (int i = 0; i < c->n_hops; i++) {
            const hop *h = &c->hops[i];
            if (h->from == set && h->reads && h->to == c->owner && end_of(h, e) >= 0 &&
                c->near[end_of(h, e)] > ring)
                c->near[end_of(h, e)] = (int8_t)ring;
        }
    }
}

/* All values of an element of another rank arrive that the time step changes. */
static tess_status prove_chain_values(const chain_proof *c, int set, int32_t e, int ring) {
    for (int d = 0; d < c->chain->n_dats; d++) {
        const bool is_there =
            strcmp(c->chain->dats[d].set, c->p->ranking->mesh->sets[set].name) == 0;
        if (is_there && c->p->loop->arrives[d] &&
            (set != c->owner || ring <= c->chain->dats[d].load_ring))
            TRY(need_value(c->p, d, c->rank, e, "does not arrive at"));
    }
    return TESS_OK;
}

/* What the rank has besides of a point that an element which it computes leads to. */
static tess_status prove_chain_point(const chain_proof *c, int set, int64_t e, int32_t point) {
    if (c->p->ranking->owners->rank_of[set][point] == c->rank)
        return TESS_OK;
    if (!need_import(c->p, set, c->rank, point))
        FAIL(TESS_ERROR_CHECK, "chain %s: element %lld leads to %s %d, which rank %d lacks",
             loop_name(c->p), (long long)e, c->p->ranking->mesh->sets[set].name, point, c->rank);
    return set == c->owner ? TESS_OK : prove_chain_values(c, set, point, 0);
}

/* An element of a set that the rank computes, its own or another's. */
static tess_status prove_chain_element(const chain_proof *c, int set, int64_t e, int ring) {
    const bool foreign = c->p->ranking->owners->rank_of[set][e] != c->rank;
    if (foreign && !need(&c->p->executed[set], c->rank, (int32_t)e))
        FAIL(TESS_ERROR_CHECK, "chain %s: rank %d does not compute %s %lld, in ring %d",
             loop_name(c->p), c->rank, c->p->ranking->mesh->sets[set].name, (long long)e, ring);
    if (foreign && set == c->owner && !need(&c->p->executes, c->rank, (int32_t)e))
        FAIL(TESS_ERROR_CHECK, "chain %s: rank %d does not say that it computes point %lld",
             loop_name(c->p), c->rank, (long long)e);
    if (foreign)
        TRY(prove_chain_values(c, set, (int32_t)e, ring));
    for (int i = 0; i < c->n_hops; i++)
        if (c->hops[i].from == set && end_of(&c->hops[i], e) >= 0)
            TRY(prove_chain_point(c, c->hops[i].to, e, end_of(&c->hops[i], e)));
    return TESS_OK;
}

static bool is_of_chain(const chain_proof *c, int set) {
    bool any = set == c->owner;
    for (int i = 0; i < c->n_hops; i++)
        any |= c->hops[i].from == set;
    return any;
}

static tess_status prove_chain_rank(const chain_proof *c) {
    const tess_mesh *mesh = c->p->ranking->mesh;
    const int32_t *rank_of = c->p->ranking->owners->rank_of[c->owner];
    for (int64_t i = 0; i < mesh->sets[c->owner].size; i++)
        c->near[i] = rank_of[i] == c->rank ? 0 : NOWHERE;
    const int most =
        c->chain->load_rings > c->chain->n_rings ? c->chain->load_rings : c->chain->n_rings;
    for (int ring = 1; ring <= most; ring++)
        for (int set = 0; set < mesh->n_sets; set++)
            if (is_of_chain(c, set))
                spread(c, set, ring);
    for (int set = 0; set < mesh->n_sets; set++)
        for (int64_t e = 0; e < mesh->sets[set].size && is_of_chain(c, set); e++) {
            const int ring = ring_of_element(c, set, e);
            if (ring <= c->chain->n_rings)
                TRY(prove_chain_element(c, set, e, ring));
            else if (ring <= most && set == c->owner) {
                if (!need_import(c->p, set, c->rank, (int32_t)e))
                    FAIL(TESS_ERROR_CHECK, "chain %s: rank %d lacks point %lld of ring %d",
                         loop_name(c->p), c->rank, (long long)e, ring);
                TRY(prove_chain_values(c, set, (int32_t)e, ring));
            }
        }
    return TESS_OK;
}

static tess_status prove_chain(const proof *p) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = p->ranking->mesh;
    chain_proof c = {
        .p = p, .chain = p->loop->chain, .owner = tess_mesh_find_set(mesh, p->loop->chain->owner)};
    for (int k = 0; k < c.chain->n_loops; k++)
        for (int a = 0; a < c.chain->loops[k].loop->n_args; a++)
            CHECK(add_hops(&c, c.chain->loops[k].loop, &c.chain->loops[k].loop->args[a]));
    CHECK(TESS_ALLOC(mesh->sets[c.owner].size, &c.near));
    for (c.rank = 0; c.rank < p->ranking->owners->n_ranks; c.rank++)
        CHECK(prove_chain_rank(&c));
done:
    free(c.hops);
    free(c.near);
    return status;
}

static tess_status prove_loop(proof *p, int l) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = p->ranking->mesh;
    const tess_halo_loop *loop = &p->halo->loops[l];
    p->loop = &p->ranking->loops[l];
    const int n_args = p->loop->loop->n_args;
    const int set = tess_mesh_find_set(mesh, p->loop->loop->set);
    p->executes = (claimed){.rows = NULL};
    CHECK(TESS_ZEROS(n_args, &p->lists));
    CHECK(claim(p, loop->executed, set, &p->executes));
    CHECK(claim_lists(p, loop->arrivals, loop->n_arrivals));
    CHECK(claim_lists(p, loop->returns, loop->n_returns));
    if (p->loop->chain)
        CHECK(prove_chain(p));
    for (int64_t e = 0; e < mesh->sets[set].size && !p->loop->chain; e++)
        CHECK(prove_element(p, e, set));
    CHECK(prove_other_imports(p, set));
    CHECK(all_needed(p, &p->executes, set, "is executed by"));
    for (int a = 0; a < n_args; a++)
        if (p->lists[a].rows)
            CHECK(all_needed(p, &p->lists[a], tess_mesh_find_set(mesh, p->loop->loop->args[a].set),
                             "is exchanged with"));
done:
    for (int a = 0; p->lists && a < n_args; a++)
        free(p->lists[a].needed);
    free(p->lists);
    p->lists = NULL;
    free(p->executes.needed);
    return status;
}

static tess_status prove_owners(const tess_ranking *ranking) {
    const tess_owners *owners = ranking->owners;
    for (int s = 0; s < ranking->mesh->n_sets; s++) {
        const tess_rows *owned = owners->owned[s];
        if (owned->n != owners->n_ranks || owned->offset[0] != 0 ||
            owned->offset[owned->n] != ranking->mesh->sets[s].size)
            FAIL(TESS_ERROR_CHECK, "%s: not every element has one owner",
                 ranking->mesh->sets[s].name);
        for (int32_t r = 0; r < owners->n_ranks; r++)
            for (int64_t i = owned->offset[r]; i < owned->offset[r + 1]; i++)
                if (owners->rank_of[s][owned->item[i]] != r ||
                    (i > owned->offset[r] && owned->item[i - 1] >= owned->item[i]))
                    FAIL(TESS_ERROR_CHECK, "%s %d is among those of rank %d, at the wrong position",
                         ranking->mesh->sets[s].name, owned->item[i], r);
    }
    return TESS_OK;
}

static tess_status prove_sets(const proof *p) {
    for (int s = 0; s < p->halo->n_sets; s++) {
        TRY(all_needed(p, &p->executed[s], s, "is executed by"));
        TRY(all_needed(p, &p->reached[s], s, "is imported by"));
        for (int32_t r = 0; r < p->ranking->owners->n_ranks; r++)
            for (int64_t i = p->reached[s].rows->offset[r]; i < p->reached[s].rows->offset[r + 1];
                 i++)
                if (find(p->executed[s].rows, r, p->reached[s].rows->item[i]) >= 0)
                    FAIL(TESS_ERROR_CHECK, "rank %d imports %s %d twice", r,
                         p->ranking->mesh->sets[s].name, p->reached[s].rows->item[i]);
        for (int64_t e = 0; e < p->ranking->mesh->sets[s].size; e++)
            if (p->waits[s][e] != p->halo->sets[s].border[e])
                FAIL(TESS_ERROR_CHECK, "%s %lld is called %s, but %s",
                     p->ranking->mesh->sets[s].name, (long long)e,
                     p->waits[s][e] ? "core" : "border",
                     p->waits[s][e] ? "waits for values of others" : "waits for nothing");
    }
    return TESS_OK;
}

tess_status tess_halo_check(const tess_ranking *ranking, const tess_halo *halo) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = ranking->mesh;
    proof p = {.ranking = ranking, .halo = halo};
    CHECK(prove_owners(ranking));
    CHECK(TESS_ZEROS(mesh->n_sets, &p.executed));
    CHECK(TESS_ZEROS(mesh->n_sets, &p.reached));
    CHECK(TESS_ZEROS(mesh->n_sets, &p.waits));
    for (int s = 0; s < mesh->n_sets; s++) {
        CHECK(claim(&p, halo->sets[s].executed, s, &p.executed[s]));
        CHECK(claim(&p, halo->sets[s].reached, s, &p.reached[s]));
        CHECK(TESS_ZEROS(mesh->sets[s].size, &p.waits[s]));
    }
    for (int l = 0; l < ranking->n_loops; l++)
        CHECK(prove_loop(&p, l));
    CHECK(prove_sets(&p));
done:
    for (int s = 0; s < mesh->n_sets && p.waits; s++) {
        free(p.executed[s].needed);
        free(p.reached[s].needed);
        free(p.waits[s]);
    }
    free(p.executed);
    free(p.reached);
    free(p.waits);
    return status;
}

/* --- a rank's mesh ---------------------------------------------------------------------------- */

/* The segment that an element of the whole mesh belongs to: 0 core, 1 border, 2 and 3 imports; 4:
 * the rank has no business with it. */
static int segment_of(const tess_ranking *ranking, const tess_halo_set *halo, int set, int32_t rank,
                      int32_t element) {
    if (ranking->owners->rank_of[set][element] == rank)
        return halo->border[element] ? 1 : 0;
    return find(halo->executed, rank, element) >= 0  ? 2
           : find(halo->reached, rank, element) >= 0 ? 3
                                                     : 4;
}

/* Elements of a set stand in segment, owner, number; *local [size] says where, -1 nowhere. */
static tess_status prove_segments(const tess_ranking *ranking, const tess_halo *halo,
                                  const tess_rank_mesh *rank_mesh, int s, int32_t *local) {
    const tess_rank_set *set = &rank_mesh->sets[s];
    const int64_t size = ranking->mesh->sets[s].size;
    const char *name = ranking->mesh->sets[s].name;
    const int64_t ends[] = {0, set->n_core, set->n_owned, set->n_executed, set->n};
    int64_t expected[5] = {0};
    for (int segment = 0; segment < 4; segment++)
        if (ends[segment + 1] < ends[segment])
            FAIL(TESS_ERROR_CHECK, "rank %d: segment %d of %s ends before it begins",
                 rank_mesh->rank, segment, name);
    for (int64_t e = 0; e < size; e++) {
        local[e] = -1;
        expected[segment_of(ranking, &halo->sets[s], s, rank_mesh->rank, (int32_t)e)]++;
    }
    for (int64_t i = 0, segment = 0; i < set->n; i++) {
        const int64_t e = set->global[i];
        while (i >= ends[segment + 1])
            segment++;
        if (e < 0 || e >= size || local[e] >= 0)
            FAIL(TESS_ERROR_CHECK, "rank %d: %s %lld stands twice, or is not one of the mesh",
                 rank_mesh->rank, name, (long long)e);
        local[e] = (int32_t)i;
        if (segment_of(ranking, &halo->sets[s], s, rank_mesh->rank, (int32_t)e) != segment)
            FAIL(TESS_ERROR_CHECK, "rank %d: %s %lld stands in the wrong segment", rank_mesh->rank,
                 name, (long long)e);
        expected[segment]--;
        if (i == ends[segment])
            continue;
        const int64_t before = set->global[i - 1];
        const int32_t owner = ranking->owners->rank_of[s][e],
                      owner_before = ranking->owners->rank_of[s][before];
        if (owner_before > owner || (owner_before == owner && before >= e))
            FAIL(TESS_ERROR_CHECK, "rank %d: %s %lld stands behind %lld", rank_mesh->rank, name,
                 (long long)e, (long long)before);
    }
    for (int segment = 0; segment < 4; segment++)
        if (expected[segment] != 0)
            FAIL(TESS_ERROR_CHECK, "rank %d lacks %lld %s in segment %d", rank_mesh->rank,
                 (long long)expected[segment], name, segment);
    return TESS_OK;
}

static tess_status prove_map(const tess_ranking *ranking, const tess_rank_mesh *rank_mesh,
                             const tess_map *map, const int32_t *local) {
    const tess_map *whole = tess_mesh_find_map(ranking->mesh, map->name);
    const tess_rank_set *from = &rank_mesh->sets[map->from];
    if (!whole || whole->arity != map->arity || whole->from != map->from || whole->to != map->to)
        FAIL(TESS_ERROR_CHECK, "rank %d: map %s is not one of the mesh", rank_mesh->rank,
             map->name);
    if (whole->pairs != map->pairs)
        FAIL(TESS_ERROR_CHECK, "rank %d: map %s is %sof pairs", rank_mesh->rank, map->name,
             map->pairs ? "" : "not ");
    const int64_t n = map->pairs ? from->n : from->n_executed; /* that lead somewhere */
    for (int64_t e = 0; e < from->n; e++)
        for (int s = 0; s < map->arity; s++) {
            const int32_t point = whole->index[from->global[e] * map->arity + s];
            const int32_t expected = e < n && point >= 0 ? local[point] : -1;
            if (map->index[e * map->arity + s] != expected)
                FAIL(TESS_ERROR_CHECK,
                     "rank %d: slot %d of %s leads from element %lld to %d, not %d",
                     rank_mesh->rank, s, map->name, (long long)e, map->index[e * map->arity + s],
                     expected);
        }
    return TESS_OK;
}

tess_status tess_rank_mesh_check(const tess_ranking *ranking, const tess_halo *halo,
                                 const tess_rank_mesh *rank_mesh) {
    tess_status status = TESS_OK;
    const int n_sets = ranking->mesh->n_sets;
    int32_t **local = NULL;
    CHECK(TESS_ZEROS(n_sets, &local));
    for (int s = 0; s < n_sets; s++) {
        if (rank_mesh->mesh->sets[s].size != rank_mesh->sets[s].n)
            CHECK(tess_fail(TESS_ERROR_CHECK, "rank %d: %s is not as large as its segments",
                            rank_mesh->rank, ranking->mesh->sets[s].name));
        CHECK(TESS_ALLOC(ranking->mesh->sets[s].size, &local[s]));
        CHECK(prove_segments(ranking, halo, rank_mesh, s, local[s]));
    }
    for (int m = 0; m < rank_mesh->mesh->n_maps; m++)
        CHECK(prove_map(ranking, rank_mesh, &rank_mesh->mesh->maps[m],
                        local[rank_mesh->mesh->maps[m].to]));
done:
    for (int s = 0; local && s < n_sets; s++)
        free(local[s]);
    free(local);
    return status;
}
