/* The blocks of a chain on a mesh: each block's own points, the rings around them, and the elements
 * that each point gathers. */
#include "core/plan/chain_blocks.h"

#include "core/base/array.h"
#include "core/plan/plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- slots ------------------------------------------------------------------------------------ */

static tess_status add_slot(tess_chain_slots *slots, const tess_map *map, int slot) {
    for (int s = 0; s < slots->n; s++)
        if (slots->map[s] == map && slots->slot[s] == slot)
            return TESS_OK;
    if (slots->n == (int)(sizeof slots->slot / sizeof slots->slot[0]))
        FAIL(TESS_ERROR_USAGE, "a chain reaches points through %d slots at most; %s has more",
             slots->n, map->name);
    slots->map[slots->n] = map;
    slots->slot[slots->n++] = slot;
    return TESS_OK;
}

tess_status tess_chain_slots_find(const tess_chain *chain, const tess_mesh *mesh, const char *from,
                                  const char *to, tess_access access, tess_chain_slots *out) {
    out->n = 0;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        for (int a = 0; a < loop->n_args && strcmp(loop->set, from) == 0; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!arg->map[0] || arg->access != access || strcmp(arg->set, to) != 0)
                continue;
            const tess_map *map = tess_mesh_find_map(mesh, arg->map);
            if (!map)
                FAIL(TESS_ERROR_INPUT, "loop %s goes through %s, which %s lacks", loop->name,
                     arg->map, mesh->source);
            const int end = arg->slot < 0 ? map->arity : arg->slot + 1;
            for (int s = arg->slot < 0 ? 0 : arg->slot; s < end; s++)
                TRY(add_slot(out, map, s));
        }
    }
    return TESS_OK;
}

static tess_status add_lead(const tess_chain_lead *lead, tess_chain_lead **leads, int *n) {
    int64_t capacity = *n;
    if (lead->slots.n == 0)
        return TESS_OK;
    TRY(TESS_RESERVE(*n + INT64_C(1), &capacity, leads));
    (*leads)[(*n)++] = *lead;
    return TESS_OK;
}

tess_status tess_chain_leads_find(const tess_chain *chain, const tess_mesh *mesh,
                                  tess_chain_lead **out, int *n) {
    static const tess_access accesses[] = {TESS_READ, TESS_INC};
    tess_status status = TESS_OK;
    tess_chain_lead *leads = NULL;
    *n = 0;
    for (int from = 0; from < mesh->n_sets; from++)
        for (int to = 0; to < mesh->n_sets; to++)
            for (int a = 0; a < 2; a++) {
                tess_chain_lead lead = {.from = from, .to = to, .access = accesses[a]};
                CHECK(tess_chain_slots_find(chain, mesh, mesh->sets[from].name, mesh->sets[to].name,
                                            lead.access, &lead.slots));
                CHECK(add_lead(&lead, &leads, n));
            }
    *out = TESS_TAKE(leads);
done:
    free(leads);
    return status;
}

/* --- who gathers what ------------------------------------------------------------------------- */

/* The entries of each point of the mesh, of one gathered set: element[offset[p] ... offset[p + 1]),
 * and through which slot. */
typedef struct incoming {
    tess_chain_slots adds, reads; /* of points of the owner */
    int64_t *offset;              /* [points + 1] */
    int32_t *element;
    uint8_t *slot;
} incoming;

typedef struct builder {
    const tess_chain *chain;
    const tess_mesh *mesh;
    const int32_t *block_of;
    int64_t n_points;
    tess_chain_slots own_reads; /* through which direct loops read points of the owner */
    incoming *sets;             /* [out->n_sets] */
    tess_point_list points;
    int64_t *own; /* [n_blocks + 1]: where a block's begin in by_block */
    int32_t *by_block;
    bool of_ranks; /* blocks are what ranks own */
    tess_chain_blocks *out;
} builder;

static void incoming_clear(incoming *in) {
    free(in->offset);
    free(in->element);
    free(in->slot);
}

/* An element may add through two slots to one point: it has an entry for each. */
static tess_status collect(const builder *b, const char *set, incoming *in) {
    const int from = tess_mesh_find_set(b->mesh, set);
    const int64_t n = b->mesh->sets[from].size;
    TRY(tess_chain_slots_find(b->chain, b->mesh, set, b->chain->owner, TESS_INC, &in->adds));
    TRY(tess_chain_slots_find(b->chain, b->mesh, set, b->chain->owner, TESS_READ, &in->reads));
    TRY(TESS_ZEROS(b->n_points + 2, &in->offset));
    for (int64_t e = 0; e < n; e++)
        for (int s = 0; s < in->adds.n; s++)
            if (tess_chain_slot_point(&in->adds, s, e) >= 0)
                in->offset[tess_chain_slot_point(&in->adds, s, e) + 2]++;
    for (int64_t p = 0; p < b->n_points; p++)
        in->offset[p + 2] += in->offset[p + 1];
    TRY(TESS_ALLOC(in->offset[b->n_points + 1], &in->element));
    TRY(TESS_ALLOC(in->offset[b->n_points + 1], &in->slot));
    for (int64_t e = 0; e < n; e++) {
        bool owned = false;
        for (int s = 0; s < in->adds.n; s++) {
            const int32_t point = tess_chain_slot_point(&in->adds, s, e);
            if (point < 0)
                continue;
            const int64_t at = in->offset[point + 1]++;
            in->element[at] = (int32_t)e;
            in->slot[at] = (uint8_t)(s | (owned ? 0 : TESS_ENTRY_OWNS));
            owned = true;
        }
    }
    return TESS_OK;
}

static bool is_new_set(const tess_chain *chain, int k) {
    for (int i = 0; i < k; i++)
        if (strcmp(chain->loops[i].loop->set, chain->loops[k].loop->set) == 0)
            return false;
    return chain->loops[k].gathered;
}

static tess_status collect_all(builder *b) {
    const tess_chain *chain = b->chain;
    TRY(TESS_ZEROS(chain->n_loops, &b->sets));
    TRY(TESS_ZEROS(chain->n_loops, &b->out->sets));
    TRY(tess_chain_slots_find(chain, b->mesh, chain->owner, chain->owner, TESS_READ,
                              &b->own_reads));
    for (int k = 0; k < chain->n_loops; k++) {
        if (!is_new_set(chain, k))
            continue;
        tess_chain_entries *entries = &b->out->sets[b->out->n_sets];
        incoming *in = &b->sets[b->out->n_sets++];
        snprintf(entries->set, sizeof entries->set, "%s", chain->loops[k].loop->set);
        entries->index = tess_mesh_find_set(b->mesh, entries->set);
        TRY(collect(b, entries->set, in));
        entries->n_slots = in->adds.n;
    }
    return TESS_OK;
}

/* --- rings ------------------------------------------------------------------------------------ */

/* Own points of all blocks, each block's in order. */
static tess_status sort_own(builder *b) {
    const int64_t n = b->n_points, n_blocks = b->out->n_blocks;
    const int32_t *in_order = b->points.by_position;
    TRY(TESS_ALLOC(n, &b->by_block));
    TRY(TESS_ZEROS(n_blocks + 2, &b->own));
    for (int64_t p = 0; p < n; p++)
        if (b->block_of[p] >= 0)
            b->own[b->block_of[p] + 2]++;
    for (int64_t i = 0; i < n_blocks; i++)
        b->own[i + 2] += b->own[i + 1];
    for (int64_t i = 0; i < n; i++)
        if (b->block_of[in_order[i]] >= 0)
            b->by_block[b->own[b->block_of[in_order[i]] + 1]++] = in_order[i];
    return TESS_OK;
}

/* Puts the points that a point reads and that the block has not seen behind the list. */
static tess_status see_neighbours(builder *b, int32_t block, int32_t point) {
    for (int s = 0; s < b->own_reads.n; s++)
        TRY(tess_point_list_see(&b->points, block, tess_chain_slot_point(&b->own_reads, s, point)));
    for (int f = 0; f < b->out->n_sets; f++) {
        const incoming *in = &b->sets[f];
        for (int64_t i = in->offset[point]; i < in->offset[point + 1]; i++)
            for (int s = 0; s < in->reads.n; s++)
                TRY(tess_point_list_see(&b->points, block,
                                        tess_chain_slot_point(&in->reads, s, in->element[i])));
    }
    return TESS_OK;
}

static tess_status put_block(builder *b, int32_t block) {
    tess_chain_blocks *out = b->out;
    tess_point_list *points = &b->points;
    int64_t *place = out->place + (int64_t)block * (out->n_rings + 2);
    place[0] = points->n;
    for (int64_t i = b->own[block]; i < b->own[block + 1]; i++)
        TRY(tess_point_list_see(points, block, b->by_block[i]));
    place[1] = points->n;
    for (int r = 1; r <= out->n_rings; r++) {
        for (int64_t i = place[r - 1]; i < place[r]; i++)
            TRY(see_neighbours(b, block, points->points[i]));
        tess_point_list_sort(points, place[r]);
        place[r + 1] = points->n;
    }
    const int64_t n = points->n - place[0];
    if (n > TESS_NO_POINT && out->n_rings > 0 && !b->of_ranks)
        FAIL(TESS_ERROR_INPUT,
             "block %d of the chain has %lld points with its rings, over %d: take smaller blocks",
             block, (long long)n, TESS_NO_POINT);
    out->most_points = n > out->most_points ? n : out->most_points;
    return tess_point_list_pad(points);
}

/* --- entries ---------------------------------------------------------------------------------- */

/* Entries of the point at a place: of rings in which loops are computed. */
static int64_t count_entries(const builder *b, const incoming *in, int64_t place, int64_t end) {
    const int32_t point = place < end ? b->out->points[place] : -1;
    return point < 0 ? 0 : in->offset[point + 1] - in->offset[point];
}

static int64_t computed_end(const builder *b, int32_t block) {
    return b->out->place[(int64_t)block * (b->out->n_rings + 2) + b->chain->n_rings + 1];
}

/* Rounds of a slice: the most entries of one of its points. */
static int64_t rounds_of(const builder *b, const incoming *in, int64_t slice, int64_t end) {
    int64_t rounds = 0;
    for (int64_t k = slice * TESS_SLICE; k < (slice + 1) * TESS_SLICE; k++) {
        const int64_t n = count_entries(b, in, k, end);
        rounds = n > rounds ? n : rounds;
    }
    return rounds;
}

/* Where each slice begins. All have as many rounds where that adds an eighth at most: a text that
 * knows their number is faster. */
static tess_status count_slices(const builder *b, const incoming *in, tess_chain_entries *entries) {
    const tess_chain_blocks *out = b->out;
    const int64_t n_slices = out->n_places / TESS_SLICE;
    int64_t slice = 0, n_computed = 0, most = 0;
    TRY(TESS_ZEROS(n_slices + 1, &entries->first));
    for (int32_t block = 0; block < out->n_blocks; block++) {
        const int64_t end = computed_end(b, block),
                      next = block + 1 < out->n_blocks
                                 ? out->place[(int64_t)(block + 1) * (out->n_rings + 2)]
                                 : out->n_places;
        for (; slice * TESS_SLICE < next; slice++) {
            const int64_t rounds = rounds_of(b, in, slice, end);
            n_computed += slice * TESS_SLICE < end;
            most = rounds > most ? rounds : most;
            entries->first[slice + 1] = entries->first[slice] + rounds * TESS_SLICE;
        }
    }
    const int64_t even = most * TESS_SLICE;
    if (n_computed * even <= entries->first[n_slices] + entries->first[n_slices] / 8)
        for (int64_t i = 0; i <= n_slices; i++)
            entries->first[i] = i * even;
    entries->rounds = entries->first[n_slices] == n_slices * even ? (int)most : 0;
    return TESS_OK;
}

static tess_status put_entries(const builder *b, const incoming *in, tess_chain_entries *entries) {
    const tess_chain_blocks *out = b->out;
    TRY(count_slices(b, in, entries));
    const int64_t n = entries->first[out->n_places / TESS_SLICE];
    TRY(TESS_ALLOC(n, &entries->element));
    TRY(TESS_ZEROS(n, &entries->slot));
    for (int64_t i = 0; i < n; i++)
        entries->element[i] = -1;
    for (int32_t block = 0; block < out->n_blocks; block++) {
        const int64_t end = computed_end(b, block);
        for (int64_t k = out->place[(int64_t)block * (out->n_rings + 2)]; k < end; k++) {
            const int64_t from = in->offset[out->points[k]], n_own = count_entries(b, in, k, end);
            for (int64_t i = 0; i < n_own; i++) {
                const int64_t at = entries->first[k / TESS_SLICE] + i * TESS_SLICE + k % TESS_SLICE;
                entries->element[at] = in->element[from + i];
                entries->slot[at] = in->slot[from + i];
            }
        }
    }
    return TESS_OK;
}

/* --- blocks ----------------------------------------------------------------------------------- */

void tess_chain_blocks_free(tess_chain_blocks *blocks) {
    if (!blocks)
        return;
    for (int f = 0; f < blocks->n_sets && blocks->sets; f++) {
        free(blocks->sets[f].first);
        free(blocks->sets[f].element);
        free(blocks->sets[f].slot);
    }
    free(blocks->sets);
    free(blocks->place);
    free(blocks->points);
    free(blocks);
}

static void builder_clear(builder *b) {
    for (int f = 0; b->sets && f < b->chain->n_loops; f++)
        incoming_clear(&b->sets[f]);
    free(b->sets);
    tess_point_list_close(&b->points);
    free(b->own);
    free(b->by_block);
    tess_chain_blocks_free(b->out);
}

static tess_status open_builder(builder *b, int32_t n_blocks, const int32_t *position) {
    const tess_chain *chain = b->chain;
    const int set = tess_mesh_find_set(b->mesh, chain->owner);
    if (set < 0)
        FAIL(TESS_ERROR_INPUT, "the blocks of a chain own %s, which %s lacks", chain->owner,
             b->mesh->source);
    b->n_points = b->mesh->sets[set].size;
    TRY(TESS_ZEROS(1, &b->out));
    b->out->n_blocks = n_blocks;
    if (chain->n_rings > 0 || b->of_ranks)
        b->out->n_rings = chain->load_rings > chain->n_rings ? chain->load_rings : chain->n_rings;
    TRY(TESS_ZEROS((int64_t)n_blocks * (b->out->n_rings + 2), &b->out->place));
    return tess_point_list_open(&b->points, b->n_points, position);
}

static tess_status build(builder *b, int32_t n_blocks, const int32_t *position,
                         tess_chain_blocks **out) {
    tess_status status = TESS_OK;
    CHECK(open_builder(b, n_blocks, position));
    CHECK(collect_all(b));
    CHECK(sort_own(b));
    for (int32_t block = 0; block < n_blocks; block++)
        CHECK(put_block(b, block));
    b->out->n_places = b->points.n;
    b->out->points = TESS_TAKE(b->points.points);
    for (int f = 0; f < b->out->n_sets; f++)
        CHECK(put_entries(b, &b->sets[f], &b->out->sets[f]));
    *out = TESS_TAKE(b->out);
done:
    builder_clear(b);
    return status;
}

tess_status tess_chain_blocks_build(const tess_chain *chain, const tess_mesh *mesh,
                                    const int32_t *block_of, int32_t n_blocks,
                                    const int32_t *position, tess_chain_blocks **out) {
    builder b = {.chain = chain, .mesh = mesh, .block_of = block_of};
    return build(&b, n_blocks, position, out);
}

tess_status tess_chain_rings_build(const tess_chain *chain, const tess_mesh *mesh,
                                   const int32_t *rank_of, int32_t n_ranks,
                                   tess_chain_blocks **out) {
    builder b = {.chain = chain, .mesh = mesh, .block_of = rank_of, .of_ranks = true};
    return build(&b, n_ranks, NULL, out);
}
