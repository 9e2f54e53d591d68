/* Rounds: pairs found through the points that blocks share, edge-coloured, exchanged. */
#include "partitioners/mosaic/rounds.h"
#include "core/base/array.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of a point that are looked at, rounds (bits of a word), points that make a pair. */
enum { CROWD = 32, N_ROUNDS = 64, LEAST_SHARED = 2, SERIAL_PAIRS = 64, FEW_NUMBERS = 64 };

/* The distinct blocks of a point's elements; 0 where there are more than CROWD. */
static int point_blocks(const mosaic_blocks *blocks, const mosaic_rows *rows, int64_t point,
                        int32_t *found) {
    int n = 0;
    for (int64_t i = rows->offset[point]; i < rows->offset[point + 1]; ++i) {
        const int32_t block = blocks->block_of[rows->element[i]];
        int k = n;
        while (k > 0 && found[k - 1] != block)
            --k;
        if (k > 0)
            continue;
        if (n == CROWD)
            return 0;
        found[n++] = block;
    }
    return n;
}

/* For each block the neighbours of a higher number, once a shared point: block << 32 | point. */
static tess_status neighbours_list(const mosaic_blocks *blocks, const mosaic_rows *rows,
                                   int32_t first_block, const uint8_t *stale, int64_t **offset,
                                   uint64_t **neighbour) {
    const int64_t n_points = blocks->pins->n_points;
    TRY(TESS_ZEROS((int64_t)blocks->n_blocks + 2, offset));
    int64_t *const end = *offset + 1;
    for (int fill = 0; fill < 2; ++fill) {
        uint64_t *const list = *neighbour;
#pragma omp parallel for schedule(static) if (n_points > MOSAIC_SERIAL)
        for (int64_t p = 0; p < n_points; ++p) {
            int32_t found[CROWD];
            const int n = point_blocks(blocks, rows, p, found);
            for (int i = 0; i < n; ++i)
                for (int k = 0; k < n; ++k) {
                    if (found[i] >= found[k] || found[i] < first_block ||
                        (stale && !stale[found[i]] && !stale[found[k]]))
                        continue;
                    int64_t *const at = end + found[i] + !fill;
                    const int64_t place = __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
                    if (fill)
                        list[place] = (uint64_t)found[k] << 32 | (uint64_t)p;
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

static int compare_numbers(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_numbers(uint64_t *list, int64_t n) {
    if (n > FEW_NUMBERS) {
        qsort(list, (size_t)n, sizeof *list, compare_numbers);
        return;
    }
    for (int64_t i = 1; i < n; ++i) {
        const uint64_t number = list[i];
        int64_t k = i;
        for (; k > 0 && list[k - 1] > number; --k)
            list[k] = list[k - 1];
        list[k] = number;
    }
}

/* How many of a block's sorted neighbours, from the first on, are the same. */
static int64_t run_of(const uint64_t *row, int64_t n) {
    int64_t k = 1;
    while (k < n && row[k] >> 32 == row[0] >> 32)
        ++k;
    return k;
}

/* Sorts each block's neighbours; kept [n_blocks]: how many share `least` points or more. */
static void neighbours_sort(const mosaic_blocks *blocks, const int64_t *offset, int32_t least,
                            uint64_t *neighbour, int32_t *kept) {
#pragma omp parallel for schedule(static) if (blocks->n_blocks > SERIAL_PAIRS)
    for (int32_t b = 0; b < blocks->n_blocks; ++b) {
        uint64_t *row = neighbour + offset[b];
        const int64_t n = offset[b + 1] - offset[b];
        sort_numbers(row, n);
        kept[b] = 0;
        for (int64_t i = 0, run = 0; i < n; i += run) {
            run = run_of(row + i, n - i);
            kept[b] += run >= least;
        }
    }
}

/* The contacts of all blocks, by their first block. */
static void contacts_fill(const mosaic_blocks *blocks, const int64_t *offset,
                          const uint64_t *neighbour, int32_t least, mosaic_contact *contact) {
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        for (int64_t i = offset[b], run = 0; i < offset[b + 1]; i += run) {
            run = run_of(neighbour + i, offset[b + 1] - i);
            if (run >= least)
                *contact++ = (mosaic_contact){.block = {b, (int32_t)(neighbour[i] >> 32)},
                                              .n_shared = (int32_t)run,
                                              .shared = neighbour + i};
        }
}

/* First fit: the first round in which neither block is. A pair that fits in none waits for the next
 * sweep. */
static tess_status rounds_colour(const mosaic_blocks *blocks, const mosaic_contact *contact,
                                 int64_t n_contacts, mosaic_rounds *rounds) {
    tess_status status = TESS_OK;
    uint64_t *busy = NULL;
    uint8_t *round = NULL;
    int64_t size[N_ROUNDS + 1] = {0};
    CHECK(TESS_ZEROS(blocks->n_blocks, &busy));
    CHECK(TESS_ALLOC(n_contacts, &round));
    CHECK(TESS_ALLOC(n_contacts, &rounds->pair));
    CHECK(TESS_ZEROS(N_ROUNDS + 1, &rounds->first));
    for (int64_t i = 0; i < n_contacts; ++i) {
        uint64_t *const a = busy + contact[i].block[0], *const b = busy + contact[i].block[1];
        const uint64_t free_rounds = ~(*a | *b);
        const int colour = free_rounds ? __builtin_ctzll(free_rounds) : N_ROUNDS;
        round[i] = (uint8_t)colour;
        ++size[colour];
        if (colour < N_ROUNDS) {
            *a |= UINT64_C(1) << colour;
            *b |= UINT64_C(1) << colour;
        }
    }
    rounds->n_rounds = 0;
    while (rounds->n_rounds < N_ROUNDS && size[rounds->n_rounds]) {
        rounds->first[rounds->n_rounds + 1] =
            rounds->first[rounds->n_rounds] + size[rounds->n_rounds];
        ++rounds->n_rounds;
    }
    rounds->n_pairs = rounds->first[rounds->n_rounds];
    int64_t place[N_ROUNDS];
    memcpy(place, rounds->first, sizeof place);
    for (int64_t i = 0; i < n_contacts; ++i)
        if (round[i] < N_ROUNDS)
            rounds->pair[place[round[i]]++] = contact[i];
done:
    free(busy);
    free(round);
    return status;
}

tess_status mosaic_rounds_build(const mosaic_blocks *blocks, const mosaic_rows *rows,
                                int32_t first_block, int32_t least, const uint8_t *stale,
                                mosaic_rounds *rounds) {
    tess_status status = TESS_OK;
    int64_t *offset = NULL;
    int32_t *kept = NULL;
    int64_t n_contacts = 0;
    mosaic_contact *contact = NULL;
    *rounds = (mosaic_rounds){0};
    CHECK(neighbours_list(blocks, rows, first_block, stale, &offset, &rounds->shared));
    CHECK(TESS_ALLOC(blocks->n_blocks, &kept));
    neighbours_sort(blocks, offset, least, rounds->shared, kept);
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        n_contacts += kept[b];
    CHECK(TESS_ALLOC(n_contacts, &contact));
    contacts_fill(blocks, offset, rounds->shared, least, contact);
    CHECK(rounds_colour(blocks, contact, n_contacts, rounds));
done:
    free(offset);
    free(contact);
    free(kept);
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
static int64_t sweep_once(mosaic_blocks *blocks, const mosaic_rows *rows,
                          const mosaic_limits *limits, const mosaic_rounds *rounds,
                          mosaic_pair *pairs, uint8_t *fresh) {
    int64_t saved = 0;
    memset(fresh, 0, (size_t)blocks->n_blocks);
    for (int32_t r = 0; r < rounds->n_rounds; ++r) {
        const int64_t n_pairs = rounds->first[r + 1] - rounds->first[r];
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : saved) if (n_pairs > SERIAL_PAIRS)
        for (int64_t i = rounds->first[r]; i < rounds->first[r + 1]; ++i) {
            const mosaic_contact *contact = rounds->pair + i;
            bool changed = false;
            saved += mosaic_pair_exchange(blocks, rows, limits, contact,
                                          pairs + omp_get_thread_num(), &changed);
            if (changed)
                fresh[contact->block[0]] = fresh[contact->block[1]] = 1;
        }
    }
    return saved;
}

/* Bands are found through the points' rows: these must not be longer than blocks are, and nobody
 * asks for all points of a block. */
static bool has_bands(const mosaic_blocks *blocks, const mosaic_rows *rows,
                      const mosaic_limits *limits) {
    int64_t longest = 0;
    for (int64_t p = 0; p < blocks->pins->n_points; ++p)
        longest = rows->offset[p + 1] - rows->offset[p] > longest
                      ? rows->offset[p + 1] - rows->offset[p]
                      : longest;
    return longest <= blocks->block_size && !limits->max_points;
}

static double pins_weight(const mosaic_pins *pins) {
    int64_t weight = pins->n_pins;
    for (int64_t i = 0; pins->weight && i < pins->n_pins; ++i)
        weight += pins->weight[pins->point[i]] - 1;
    return (double)weight;
}

tess_status mosaic_sweep(mosaic_blocks *blocks, const mosaic_limits *limits,
                         const mosaic_effort *effort, int64_t *saved) {
    tess_status status = TESS_OK;
    const int n_threads = omp_get_max_threads();
    const double n_pins = pins_weight(blocks->pins);
    mosaic_rows rows = {0};
    mosaic_rounds rounds = {0};
    mosaic_pair *pairs = NULL;
    uint8_t *stale = NULL;
    mosaic_limits now = *limits;
    *saved = 0;
    CHECK(mosaic_pairs_build(blocks, n_threads, &pairs));
    CHECK(TESS_ALLOC(blocks->n_blocks, &stale));
    CHECK(mosaic_rows_build(blocks->pins, &rows));
    const bool banded = has_bands(blocks, &rows, limits);
    for (int s = 0; s < effort->sweeps; ++s) {
        now.patience = s ? effort->patience : effort->first_patience;
        CHECK(mosaic_rounds_build(blocks, &rows, limits->first_block, LEAST_SHARED,
                                  s ? stale : NULL, &rounds));
        const int64_t gain = sweep_once(blocks, banded ? &rows : NULL, &now, &rounds, pairs, stale);
        mosaic_rounds_clear(&rounds);
        *saved += gain;
        if ((double)gain <= effort->least_gain * n_pins)
            break;
    }
done:
    mosaic_pairs_free(pairs, n_threads);
    free(stale);
    mosaic_rounds_clear(&rounds);
    mosaic_rows_clear(&rows);
    return status;
}
