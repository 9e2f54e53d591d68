/* Sweeps: pairs found through the points that blocks share, edge-coloured, exchanged; probes: runs
 * of blocks copied out and swept. */
#include "partitioners/mosaic/pair_sweep.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "core/base/sort.h"
#include "partitioners/mosaic/piece.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* The distinct blocks of a point's elements; 0 where there are more than CONTACT_CROWD. */
static int point_blocks(const mosaic_blocks *blocks, const tess_rows *rows, int64_t point,
                        int32_t *found) {
    int n = 0;
    for (int64_t i = rows->offset[point]; i < rows->offset[point + 1]; ++i) {
        const int32_t block = blocks->block_of[rows->item[i]];
        int k = n;
        while (k > 0 && found[k - 1] != block)
            --k;
        if (k > 0)
            continue;
        if (n == CONTACT_CROWD)
            return 0;
        found[n++] = block;
    }
    return n;
}

/* For each block the neighbours of a higher number, once a shared point: block << 32 | point. */
static tess_status neighbours_list(const mosaic_blocks *blocks, const tess_rows *rows,
                                   int32_t first_block, const uint8_t *stale, int64_t **offset,
                                   uint64_t **neighbour) {
    const int64_t n_points = blocks->pins->n_points;
    TRY(TESS_ZEROS((int64_t)blocks->n_blocks + 2, offset));
    int64_t *const end = *offset + 1;
    const bool shared = mosaic_is_shared(n_points);
    for (int fill = 0; fill < 2; ++fill) {
        uint64_t *const list = *neighbour;
#pragma omp parallel for schedule(static) if (n_points > MOSAIC_SERIAL)
        for (int64_t p = 0; p < n_points; ++p) {
            int32_t found[CONTACT_CROWD];
            const int n = point_blocks(blocks, rows, p, found);
            for (int i = 0; i < n; ++i)
                for (int k = 0; k < n; ++k) {
                    if (found[i] >= found[k] || found[i] < first_block ||
                        (stale && !stale[found[i]] && !stale[found[k]]))
                        continue;
                    int64_t *const at = end + found[i] + !fill;
                    const int64_t position =
                        shared ? __atomic_fetch_add(at, 1, __ATOMIC_RELAXED) : (*at)++;
                    if (fill)
                        list[position] = (uint64_t)found[k] << 32 | (uint64_t)p;
                }
        }
        if (fill)
            break;
        for (int32_t b = 0; b < blocks->n_blocks; ++b)
            end[b + 1] += end[b];
        TRY(TESS_ALLOC(end[blocks->n_blocks], neighbour));
    }
    return TESS_OK;
}

/* How many of a block's sorted neighbours, from the first on, are the same. */
static int64_t run_of(const uint64_t *row, int64_t n) {
    int64_t k = 1;
    while (k < n && row[k] >> 32 == row[0] >> 32)
        ++k;
    return k;
}

static void neighbours_sort(const mosaic_blocks *blocks, const int64_t *offset,
                            uint64_t *neighbour) {
#pragma omp parallel for schedule(static) if (blocks->n_blocks > SWEEP_SERIAL)
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        tess_sort_words(neighbour + offset[b], offset[b + 1] - offset[b]);
}

/* The contacts of all blocks, by their first block; gives their number. */
static int64_t contacts_fill(const mosaic_blocks *blocks, const int64_t *offset,
                             const uint64_t *neighbour, mosaic_contact *contact) {
    int64_t n = 0;
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        for (int64_t i = offset[b], run = 0; i < offset[b + 1]; i += run) {
            run = run_of(neighbour + i, offset[b + 1] - i);
            if (run >= CONTACT_POINTS)
                contact[n++] = (mosaic_contact){.block = {b, (int32_t)(neighbour[i] >> 32)},
                                                .n_shared = (int32_t)run,
                                                .shared = neighbour + i};
        }
    return n;
}

/* First fit: the first round in which neither block is. A pair that fits in none waits for the next
 * sweep. */
static tess_status rounds_colour(const mosaic_blocks *blocks, const mosaic_contact *contact,
                                 int64_t n_contacts, mosaic_rounds *rounds) {
    tess_status status = TESS_OK;
    uint64_t *busy = NULL;
    uint8_t *round = NULL;
    int64_t size[SWEEP_ROUNDS + 1] = {0};
    CHECK(TESS_ZEROS(blocks->n_blocks, &busy));
    CHECK(TESS_ALLOC(n_contacts, &round));
    CHECK(TESS_ALLOC(n_contacts, &rounds->pair));
    CHECK(TESS_ZEROS(SWEEP_ROUNDS + 1, &rounds->first));
    for (int64_t i = 0; i < n_contacts; ++i) {
        uint64_t *const a = busy + contact[i].block[0], *const b = busy + contact[i].block[1];
        const uint64_t free_rounds = ~(*a | *b);
        const int colour = free_rounds ? __builtin_ctzll(free_rounds) : SWEEP_ROUNDS;
        round[i] = (uint8_t)colour;
        ++size[colour];
        if (colour < SWEEP_ROUNDS) {
            *a |= UINT64_C(1) << colour;
            *b |= UINT64_C(1) << colour;
        }
    }
    rounds->n_rounds = 0;
    while (rounds->n_rounds < SWEEP_ROUNDS && size[rounds->n_rounds]) {
        rounds->first[rounds->n_rounds + 1] =
            rounds->first[rounds->n_rounds] + size[rounds->n_rounds];
        ++rounds->n_rounds;
    }
    rounds->n_pairs = rounds->first[rounds->n_rounds];
    int64_t next[SWEEP_ROUNDS];
    memcpy(next, rounds->first, sizeof next);
    for (int64_t i = 0; i < n_contacts; ++i)
        if (round[i] < SWEEP_ROUNDS)
            rounds->pair[next[round[i]]++] = contact[i];
done:
    free(busy);
    free(round);
    return status;
}

tess_status mosaic_rounds_build(const mosaic_blocks *blocks, const tess_rows *rows,
                                int32_t first_block, const uint8_t *stale, mosaic_rounds *rounds) {
    tess_status status = TESS_OK;
    int64_t *offset = NULL;
    mosaic_contact *contact = NULL;
    *rounds = (mosaic_rounds){0};
    CHECK(neighbours_list(blocks, rows, first_block, stale, &offset, &rounds->shared));
    neighbours_sort(blocks, offset, rounds->shared);
    CHECK(TESS_ALLOC(offset[blocks->n_blocks] / CONTACT_POINTS, &contact));
    const int64_t n = contacts_fill(blocks, offset, rounds->shared, contact);
    CHECK(rounds_colour(blocks, contact, n, rounds));
done:
    free(offset);
    free(contact);
    if (status != TESS_OK)
        mosaic_rounds_clear(rounds);
    return status;
}

void mosaic_rounds_clear(mosaic_rounds *rounds) {
    free(rounds->first);
    free(rounds->pair);
    free(rounds->shared);
    *rounds = (mosaic_rounds){0};
}

/* One sweep over all rounds; fresh[b] tells which blocks changed. */
static int64_t sweep_once(const mosaic_exchange *how, const mosaic_rounds *rounds,
                          mosaic_pair *pairs, uint8_t *fresh) {
    int64_t saved = 0;
    memset(fresh, 0, (size_t)how->blocks->n_blocks);
    for (int32_t r = 0; r < rounds->n_rounds && !tess_interrupted(); ++r) {
        const bool parallel = rounds->first[r + 1] - rounds->first[r] > SWEEP_SERIAL;
#pragma omp parallel for schedule(dynamic, SWEEP_CHUNK) reduction(+ : saved) if (parallel)
        for (int64_t i = rounds->first[r]; i < rounds->first[r + 1]; ++i) {
            const mosaic_contact *contact = rounds->pair + i;
            bool changed = false;
            saved += mosaic_exchange_pair(how, contact, pairs, omp_get_thread_num(), &changed);
            if (changed)
                fresh[contact->block[0]] = fresh[contact->block[1]] = 1;
        }
    }
    return saved;
}

/* Bands are found through the points' rows: these must not be longer than blocks are, and nobody
 * asks for all points of a block. */
static bool has_bands(const mosaic_blocks *blocks, const tess_rows *rows,
                      const mosaic_limits *limits) {
    return !limits->max_points && tess_rows_longest(rows) <= blocks->block_size;
}

static double pins_weight(const mosaic_pins *pins) {
    int64_t weight = pins->n_pins;
    for (int64_t i = 0; pins->weight && i < pins->n_pins; ++i)
        weight += pins->weight[pins->point[i]] - 1;
    return (double)weight;
}

tess_status mosaic_sweep(mosaic_blocks *blocks, const mosaic_limits *limits,
                         const mosaic_sweeps *sweeps, int64_t *saved) {
    tess_status status = TESS_OK;
    const int n_threads = omp_get_max_threads();
    const double n_pins = pins_weight(blocks->pins);
    tess_rows *rows = NULL;
    mosaic_rounds rounds = {0};
    mosaic_pair *pairs = NULL;
    uint8_t *stale = NULL;
    mosaic_exchange how = {.blocks = blocks, .limits = *limits};
    *saved = 0;
    if (!sweeps->n)
        return TESS_OK;
    tess_progress_begin("exchanging");
    CHECK(mosaic_pairs_build(blocks, n_threads, &pairs));
    CHECK(TESS_ALLOC(blocks->n_blocks, &stale));
    CHECK(mosaic_rows_build(blocks->pins, &rows));
    how.rows = has_bands(blocks, rows, limits) ? rows : NULL;
    for (int s = 0; s < sweeps->n; ++s) {
        how.patience = s ? sweeps->patience : sweeps->first_patience;
        CHECK(mosaic_rounds_build(blocks, rows, limits->first_block, s ? stale : NULL, &rounds));
        const int64_t gain = sweep_once(&how, &rounds, pairs, stale);
        mosaic_rounds_clear(&rounds);
        CHECK(tess_interrupt_check());
        tess_progress_set(s + 1, sweeps->n, NULL);
        *saved += gain;
        if ((double)gain <= sweeps->least_gain * n_pins)
            break;
    }
done:
    tess_progress_end();
    mosaic_pairs_free(pairs, n_threads);
    free(stale);
    mosaic_rounds_clear(&rounds);
    tess_rows_free(rows);
    return status;
}

/* What runs had and saved, in the weight of points. */
typedef struct sums {
    double shared, saved;  /* that its blocks have in common; less of it after a sweep */
    double points, blocks; /* of all its blocks; how many they are */
} sums;

/* Adds what blocks first ... first + n - 1 save among each other. */
static tess_status add_run(const mosaic_blocks *blocks, int32_t first, int32_t n,
                           mosaic_piece *piece, sums *all) {
    tess_status status = TESS_OK;
    const mosaic_limits limits = {.keep_sizes = true};
    const mosaic_sweeps once = {.n = 1, .first_patience = PROBE_PATIENCE};
    mosaic_blocks run = {0};
    int32_t *list = NULL, *block_of = NULL;
    int64_t n_elements = 0, shared = 0, saved = 0, at = 0;
    for (int32_t b = first; b < first + n; ++b)
        n_elements += blocks->size[b];
    CHECK(TESS_ALLOC(n_elements, &list));
    CHECK(TESS_ALLOC(n_elements, &block_of));
    for (int32_t b = first; b < first + n; ++b)
        for (int32_t i = 0; i < blocks->size[b]; ++i) {
            list[at] = mosaic_block(blocks, b)[i];
            block_of[at++] = b - first;
        }
    const mosaic_part part = {.list = list, .n = n_elements};
    CHECK(mosaic_piece_fill(blocks->pins, part, piece));
    CHECK(mosaic_blocks_build(&piece->pins, blocks->block_size, n, block_of, &run));
    CHECK(mosaic_blocks_shared(&run, &shared));
    CHECK(mosaic_sweep(&run, &limits, &once, &saved));
    all->shared += (double)shared;
    all->saved += (double)saved;
    all->points += (double)(mosaic_weight_of_all(&piece->pins) + shared);
    all->blocks += n;
done:
    free(list);
    free(block_of);
    mosaic_blocks_clear(&run);
    return status;
}

tess_status mosaic_probe_take(const mosaic_blocks *blocks, int32_t first_block, int32_t most_runs,
                              mosaic_probe *probe) {
    tess_status status = TESS_OK;
    mosaic_piece piece = {0};
    sums all = {0};
    const int32_t n_blocks = blocks->n_blocks - first_block;
    const int32_t n = n_blocks < PROBE_BLOCKS ? n_blocks : PROBE_BLOCKS;
    const int32_t wanted = n_blocks / (PROBE_BLOCKS * PROBE_PART);
    const int32_t n_runs = wanted < 1 ? 1 : wanted < most_runs ? wanted : most_runs;
    for (int32_t r = 0; r < n_runs; ++r) {
        const int64_t gap = n_blocks - n;
        const int32_t first = first_block + (int32_t)(gap * (2 * r + 1) / (2 * n_runs));
        CHECK(add_run(blocks, first, n, &piece, &all));
    }
    const double weight = (double)mosaic_weight_of_all(blocks->pins);
    const double points = all.points * blocks->n_blocks / all.blocks;
    probe->ragged = all.shared > 0 ? all.saved / all.shared : 0;
    probe->gain = points > weight ? probe->ragged * (points - weight) / points : 0;
done:
    mosaic_piece_clear(&piece);
    return status;
}
