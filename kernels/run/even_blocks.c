/* Even blocks: those of a chain, of which the few that ask for the most memory are halved. */
#include "kernels/run/even_blocks.h"

#include "core/base/array.h"
#include "kernels/devices/occupancy.h"
#include <stdlib.h>

enum { REGISTERS = 128 }; /* of a thread, where nobody says how many: chains have 56 to 168 */

/* Blocks being halved, one after the other. */
typedef struct halving {
    const tess_chain_blocks *blocks;
    tess_chain_slots *reads; /* [blocks->n_sets]: through which an element reads points; owned */
    int32_t *block_of;
    int64_t *place_of; /* [points]: where a block's own point is in blocks->points; owned */
    int32_t *queue;    /* [block size]: points taken; owned */
    int64_t n_taken, n_wanted;
} halving;

/* How much of the largest block's memory a block may need, 1 for all of it. */
static double fullness(const tess_chain_setting *setting, int32_t block) {
    const tess_chain_blocks *blocks = setting->blocks;
    double full = 0;
    if (blocks->n_rings > 0) /* else no point has its values there */
        full =
            (double)tess_chain_points(blocks, block, blocks->n_rings) / (double)blocks->most_points;
    for (int i = 0; i < setting->lists->n; i++) {
        const tess_chain_list *list = &setting->lists->of[i];
        const double share = list->most > 0 ? (double)list->n[block] / (double)list->most : 0;
        full = share > full ? share : full;
    }
    return full;
}

static int64_t count_fuller(const tess_chain_setting *setting, double than) {
    int64_t n = 0;
    for (int32_t b = 0; b < setting->blocks->n_blocks; b++)
        n += fullness(setting, b) > than;
    return n;
}

static int registers_of(const tess_chain_setting *setting) {
    return setting->taken > 0       ? setting->taken
           : setting->registers > 0 ? setting->registers
                                    : REGISTERS;
}

static tess_block_needs needs_of(const tess_chain_setting *setting, double shared_bytes) {
    return (tess_block_needs){.threads = setting->threads,
                              .registers = registers_of(setting),
                              .shared_bytes = (int64_t)shared_bytes};
}

/* More of such blocks than of `than` run at once. */
static bool run_more(const tess_block_needs *needs, const tess_block_needs *than) {
    return tess_occupancy(90, needs) > tess_occupancy(90, than);
}

/* As many do, and leave more of a multiprocessor's memory to L1. */
static bool leave_more(const tess_block_needs *needs, const tess_block_needs *than) {
    return run_more(needs, than) || tess_carveout(90, needs) < tess_carveout(90, than);
}

/* The fullness over which blocks are halved, the largest by which the others are better; 1: more
 * than `most` would be. */
static double find_limit(const tess_chain_setting *setting, int64_t shared_bytes, int64_t most,
                         bool (*better)(const tess_block_needs *, const tess_block_needs *)) {
    const tess_block_needs now = needs_of(setting, (double)shared_bytes);
    double limit = 0, too_full = 1;
    while (too_full - limit > 1e-3) {
        const double middle = (limit + too_full) / 2;
        const tess_block_needs needs = needs_of(setting, middle * (double)shared_bytes);
        *(better(&needs, &now) ? &limit : &too_full) = middle;
    }
    /* some of a block's memory does not shrink with its points */
    const double below = 1 - 1.5 * (1 - limit);
    if (count_fuller(setting, below) <= most)
        return below;
    return count_fuller(setting, limit) <= most ? limit : 1;
}

/* That lets more run at once; else, without rings (which ask for all shared memory), that leaves
 * more L1. */
static double choose_limit(const tess_chain_setting *setting, int64_t shared_bytes, int64_t most) {
    const double limit = find_limit(setting, shared_bytes, most, run_more);
    return limit < 1 || setting->blocks->n_rings > 0
               ? limit
               : find_limit(setting, shared_bytes, most, leave_more);
}

/* Takes a point of a block into another one, while more are wanted. */
static void take(halving *h, int32_t point, int32_t from, int32_t into) {
    if (point < 0 || h->block_of[point] != from || h->n_taken == h->n_wanted)
        return;
    h->block_of[point] = into;
    h->queue[h->n_taken++] = point;
}

static void take_neighbours(halving *h, int32_t point, int32_t from, int32_t into) {
    const int64_t place = h->place_of[point];
    for (int f = 0; f < h->blocks->n_sets; f++) {
        const tess_chain_entries *entries = &h->blocks->sets[f];
        for (int64_t at = tess_chain_next_entry(entries, place, -1); at >= 0;
             at = tess_chain_next_entry(entries, place, at))
            for (int s = 0; s < h->reads[f].n; s++)
                take(h, tess_chain_slot_point(&h->reads[f], s, entries->element[at]), from, into);
    }
}

/* Takes n points of a block, whose own ones begin at `first`, into another one: those near `start`
 * first; where none is near, goes on with the next one. Gives the last one taken. */
static int32_t take_near(halving *h, const int32_t *first, int64_t n, int32_t start, int32_t from,
                         int32_t into) {
    const int32_t *next = first;
    h->n_taken = 0;
    h->n_wanted = n;
    take(h, start, from, into);
    for (int64_t head = 0; h->n_taken < n; head++) {
        while (head == h->n_taken)
            take(h, *next++, from, into);
        take_neighbours(h, h->queue[head], from, into);
    }
    return h->queue[n - 1];
}

/* The half that is farthest from the block's first point stays, the other one is a new block. */
static void halve(halving *h, int32_t block, int32_t made) {
    const int64_t *place = h->blocks->place + (int64_t)block * (h->blocks->n_rings + 2);
    const int64_t n = place[1] - place[0];
    const int32_t *first = h->blocks->points + place[0];
    const int32_t farthest = take_near(h, first, n, *first, block, made);
    (void)take_near(h, first, n / 2, farthest, made, block);
}

static tess_status open_halving(const tess_chain_setting *setting, halving *h) {
    const tess_chain_blocks *blocks = setting->blocks;
    const tess_mesh *mesh = setting->store->state->mesh;
    const int64_t n_points = mesh->sets[tess_mesh_find_set(mesh, setting->chain->owner)].size;
    TRY(TESS_ZEROS(blocks->n_sets, &h->reads));
    TRY(TESS_ZEROS(n_points, &h->place_of));
    TRY(TESS_ALLOC(blocks->most_points, &h->queue));
    for (int f = 0; f < blocks->n_sets; f++)
        TRY(tess_chain_slots_find(setting->chain, mesh, blocks->sets[f].set, setting->chain->owner,
                                  TESS_READ, &h->reads[f]));
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * (blocks->n_rings + 2);
        for (int64_t k = place[0]; k < place[1]; k++)
            h->place_of[blocks->points[k]] = k;
    }
    return TESS_OK;
}

tess_status tess_even_blocks_halve(const tess_chain_setting *setting, int64_t shared_bytes,
                                   int32_t most, int32_t *block_of, int32_t *n_blocks) {
    tess_status status = TESS_OK;
    const tess_chain_blocks *blocks = setting->blocks;
    const double limit = choose_limit(setting, shared_bytes, most - *n_blocks);
    halving h = {.blocks = blocks, .block_of = block_of};
    if (limit == 1)
        return TESS_OK;
    CHECK(open_halving(setting, &h));
    for (int32_t b = 0; b < blocks->n_blocks; b++)
        if (fullness(setting, b) > limit && tess_chain_points(blocks, b, 0) > 1)
            halve(&h, b, (*n_blocks)++);
done:
    free(h.reads);
    free(h.place_of);
    free(h.queue);
    return status;
}
