/* Rounds: pairs found through the points that blocks share, edge-coloured, exchanged. */
#include "partitioners/mosaic_rounds.h"
#include "core/array.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of a point that are looked at, rounds (bits of a word), points that make a pair. */
enum { CROWD = 32, N_ROUNDS = 64, LEAST_SHARED = 2, SERIAL_PAIRS = 64 };

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

/* For each block the neighbours of a higher number, once a shared point. */
static tess_status neighbours_list(const mosaic_blocks *blocks, const mosaic_rows *rows,
                                   int32_t first_block, const uint8_t *stale, int64_t **offset,
                                   int32_t **neighbour) {
    const int64_t n_points = blocks->pins->n_points;
    TRY(TESS_ZEROS((int64_t)blocks->n_blocks + 2, offset));
    int64_t *const end = *offset + 1;
    for (int fill = 0; fill < 2; ++fill) {
        int32_t *const list = *neighbour;
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
                        list[place] = found[k];
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

static int compare_blocks(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts each block's neighbours and keeps those that share at least `least` points; new counts in
 * kept [n_blocks]. */
static void neighbours_unique(const mosaic_blocks *blocks, const int64_t *offset, int32_t least,
                              int32_t *neighbour, int32_t *kept) {
#pragma omp parallel for schedule(static) if (blocks->n_blocks > SERIAL_PAIRS)
    for (int32_t b = 0; b < blocks->n_blocks; ++b) {
        int32_t *row = neighbour + offset[b];
        const int64_t n = offset[b + 1] - offset[b];
        qsort(row, (size_t)n, sizeof *row, compare_blocks);
        kept[b] = 0;
        for (int64_t i = 0; i < n;) {
            int64_t k = i;
            while (k < n && row[k] == row[i])
                ++k;
            if (k - i >= least)
                row[kept[b]++] = row[i];
            i = k;
        }
    }
}

/* First fit: the first round in which neither block is. A pair that fits in none waits for the next
 * sweep. */
static tess_status rounds_colour(const mosaic_blocks *blocks, const int64_t *offset,
                                 const int32_t *neighbour, const int32_t *kept,
                                 mosaic_rounds *rounds) {
    tess_status status = TESS_OK;
    uint64_t *busy = NULL;
    uint8_t *round = NULL;
    int64_t n_pairs = 0, size[N_ROUNDS + 1] = {0};
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        n_pairs += kept[b];
    CHECK(TESS_ZEROS(blocks->n_blocks, &busy));
    CHECK(TESS_ALLOC(n_pairs, &round));
    CHECK(TESS_ALLOC(n_pairs, &rounds->pair));
    CHECK(TESS_ZEROS(N_ROUNDS + 1, &rounds->first));
    int64_t at = 0;
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        for (int32_t i = 0; i < kept[b]; ++i) {
            const int32_t other = neighbour[offset[b] + i];
            const uint64_t free_rounds = ~(busy[b] | busy[other]);
            const int colour = free_rounds ? __builtin_ctzll(free_rounds) : N_ROUNDS;
            round[at++] = (uint8_t)colour;
            ++size[colour];
            if (colour < N_ROUNDS) {
                busy[b] |= UINT64_C(1) << colour;
                busy[other] |= UINT64_C(1) << colour;
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
    at = 0;
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        for (int32_t i = 0; i < kept[b]; ++i, ++at)
            if (round[at] < N_ROUNDS) {
                int32_t *pair = rounds->pair[place[round[at]]++];
                pair[0] = b;
                pair[1] = neighbour[offset[b] + i];
            }
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
    int32_t *neighbour = NULL, *kept = NULL;
    *rounds = (mosaic_rounds){0};
    CHECK(neighbours_list(blocks, rows, first_block, stale, &offset, &neighbour));
    CHECK(TESS_ALLOC(blocks->n_blocks, &kept));
    neighbours_unique(blocks, offset, least, neighbour, kept);
    CHECK(rounds_colour(blocks, offset, neighbour, kept, rounds));
done:
    free(offset);
    free(neighbour);
    free(kept);
    if (status != TESS_OK)
        mosaic_rounds_clear(rounds);
    return status;
}

void mosaic_rounds_clear(mosaic_rounds *rounds) {
    free(rounds->first);
    free(rounds->pair);
    *rounds = (mosaic_rounds){0};
}

/* One sweep over all rounds; fresh[b] tells which blocks changed. */
static int64_t sweep_once(mosaic_blocks *blocks, const mosaic_limits *limits,
                          const mosaic_rounds *rounds, mosaic_pair *pairs, uint8_t *fresh) {
    int64_t saved = 0;
    memset(fresh, 0, (size_t)blocks->n_blocks);
    for (int32_t r = 0; r < rounds->n_rounds; ++r) {
        const int64_t n_pairs = rounds->first[r + 1] - rounds->first[r];
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : saved) if (n_pairs > SERIAL_PAIRS)
        for (int64_t i = rounds->first[r]; i < rounds->first[r + 1]; ++i) {
            const int32_t a = rounds->pair[i][0], b = rounds->pair[i][1];
            bool changed = false;
            saved +=
                mosaic_pair_exchange(blocks, limits, a, b, pairs + omp_get_thread_num(), &changed);
            if (changed)
                fresh[a] = fresh[b] = 1;
        }
    }
    return saved;
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
    for (int s = 0; s < effort->sweeps; ++s) {
        now.patience = s ? effort->patience : effort->first_patience;
        CHECK(mosaic_rounds_build(blocks, &rows, limits->first_block, LEAST_SHARED,
                                  s ? stale : NULL, &rounds));
        const int64_t gain = sweep_once(blocks, &now, &rounds, pairs, stale);
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
