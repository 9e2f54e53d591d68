/* Pieces: pins of a range of elements, their points numbered by first mention. */
#include "partitioners/mosaic/piece.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

static tess_status piece_reserve(int64_t n_elements, int64_t n_pins, bool weighted,
                                 mosaic_piece *piece) {
    int64_t capacity = piece->capacity_elements;
    TRY(TESS_RESERVE(n_elements + 1, &capacity, &piece->offset));
    piece->capacity_elements = capacity;
    capacity = piece->capacity_pins;
    TRY(TESS_RESERVE(n_pins, &capacity, &piece->pins.point));
    capacity = piece->capacity_pins;
    TRY(TESS_RESERVE(n_pins, &capacity, &piece->rows.element));
    piece->capacity_pins = capacity;
    capacity = piece->capacity_points;
    TRY(TESS_RESERVE(n_pins + 2, &capacity, &piece->rows.offset));
    piece->capacity_points = capacity;
    if (weighted) {
        capacity = piece->capacity_weights;
        TRY(TESS_RESERVE(n_pins, &capacity, &piece->pins.weight));
        piece->capacity_weights = capacity;
    }
    return TESS_OK;
}

/* An empty table, at least half of which stays so. */
static tess_status table_empty(int64_t n_pins, mosaic_piece *piece) {
    piece->table_size = 16;
    while (piece->table_size < 2 * n_pins)
        piece->table_size *= 2;
    int64_t capacity = piece->capacity_table;
    TRY(TESS_RESERVE(piece->table_size, &capacity, &piece->table));
    capacity = piece->capacity_table;
    TRY(TESS_RESERVE(piece->table_size, &capacity, &piece->key));
    piece->capacity_table = capacity;
    memset(piece->table, -1, (size_t)piece->table_size * sizeof *piece->table);
    return TESS_OK;
}

/* Forgets the numbers of an earlier piece. */
static tess_status direct_empty(const mosaic_pins *pins, mosaic_piece *piece) {
    piece->base += (int32_t)piece->pins.n_points;
    if (piece->n_direct == pins->n_points && piece->base < INT32_MAX / 2)
        return TESS_OK;
    free(piece->direct);
    piece->n_direct = 0;
    TRY(TESS_ZEROS(pins->n_points, &piece->direct));
    piece->n_direct = pins->n_points;
    piece->base = 1;
    return TESS_OK;
}

static int32_t new_point(mosaic_piece *piece, const mosaic_pins *pins, int32_t point) {
    const int32_t number = (int32_t)piece->pins.n_points++;
    if (pins->weight)
        piece->pins.weight[number] = pins->weight[point];
    return number;
}

/* The local number of a point, a new one where it has none. */
static int32_t piece_point(mosaic_piece *piece, const mosaic_pins *pins, int32_t point) {
    const uint64_t mask = (uint64_t)piece->table_size - 1;
    uint64_t slot = ((uint64_t)point * 0x9E3779B97F4A7C15u) >> 32 & mask;
    while (piece->table[slot] >= 0) {
        if (piece->key[slot] == point)
            return piece->table[slot];
        slot = (slot + 1) & mask;
    }
    piece->key[slot] = point;
    piece->table[slot] = new_point(piece, pins, point);
    return piece->table[slot];
}

static inline int32_t direct_point(mosaic_piece *piece, const mosaic_pins *pins, int32_t point) {
    if (piece->direct[point] < piece->base)
        piece->direct[point] = piece->base + new_point(piece, pins, point);
    return piece->direct[point] - piece->base;
}

/* Sizes of what a piece of n elements holds. */
static tess_status piece_start(const mosaic_pins *pins, const int32_t *list, int64_t first,
                               int64_t n, mosaic_piece *piece, int64_t *n_pins) {
    *n_pins = mosaic_first(pins, first + n) - mosaic_first(pins, first);
    if (list && !pins->offset)
        *n_pins = n * pins->arity;
    else if (list) {
        *n_pins = 0;
        for (int64_t i = 0; i < n; ++i)
            *n_pins += mosaic_first(pins, (int64_t)list[i] + 1) - mosaic_first(pins, list[i]);
    }
    TRY(piece_reserve(n, *n_pins, pins->weight, piece));
    piece->pins.n_elements = n;
    piece->pins.arity = pins->offset ? 0 : pins->arity;
    piece->pins.offset = pins->offset ? piece->offset : NULL;
    return TESS_OK;
}

/* Points by first mention. */
static void fill_hashed(const mosaic_pins *pins, const int32_t *list, int64_t first, int64_t n,
                        mosaic_piece *piece) {
    int64_t at = 0;
    piece->pins.n_points = 0;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t e = list ? list[i] : first + i;
        piece->offset[i] = at;
        for (int64_t k = mosaic_first(pins, e); k < mosaic_first(pins, e + 1); ++k)
            piece->pins.point[at++] = piece_point(piece, pins, pins->point[k]);
    }
    piece->offset[n] = at;
}

/* Points of a range of elements less the least of them, where these are nearly all in between: so
 * it is with consecutive elements of a walked mesh. */
static bool fill_shifted(const mosaic_pins *pins, int64_t first, int64_t n, mosaic_piece *piece) {
    const int64_t begin = mosaic_first(pins, first), end = mosaic_first(pins, first + n);
    int32_t least = INT32_MAX, most = -1;
    for (int64_t k = begin; k < end; ++k) {
        least = pins->point[k] < least ? pins->point[k] : least;
        most = pins->point[k] > most ? pins->point[k] : most;
    }
    const int64_t n_points = most < 0 ? 0 : (int64_t)most - least + 1;
    if (n_points > end - begin)
        return false;
    piece->pins.n_points = n_points;
    for (int64_t k = begin; k < end; ++k)
        piece->pins.point[k - begin] = pins->point[k] - least;
    for (int64_t i = 0; i <= n; ++i)
        piece->offset[i] = mosaic_first(pins, first + i) - begin;
    if (pins->weight && n_points)
        memcpy(piece->pins.weight, pins->weight + least, (size_t)n_points * sizeof *pins->weight);
    return true;
}

tess_status mosaic_piece_fill(const mosaic_pins *pins, const int32_t *list, int64_t first,
                              int64_t n, mosaic_piece *piece) {
    int64_t n_pins = 0;
    TRY(piece_start(pins, list, first, n, piece, &n_pins));
    if (list || !fill_shifted(pins, first, n, piece)) {
        TRY(table_empty(n_pins, piece));
        fill_hashed(pins, list, first, n, piece);
    }
    piece->pins.n_pins = n_pins;
    mosaic_rows_fill(&piece->pins, &piece->rows);
    return mosaic_walk_reset(&piece->pins, &piece->rows, &piece->walk);
}

tess_status mosaic_piece_copy(const mosaic_pins *pins, const int32_t *list, int64_t n,
                              mosaic_piece *piece) {
    int64_t n_pins = 0, at = 0;
    TRY(piece_start(pins, list, 0, n, piece, &n_pins));
    TRY(direct_empty(pins, piece));
    piece->pins.n_points = 0;
    for (int64_t i = 0; i < n; ++i) {
        piece->offset[i] = at;
        for (int64_t k = mosaic_first(pins, list[i]); k < mosaic_first(pins, (int64_t)list[i] + 1);
             ++k)
            piece->pins.point[at++] = direct_point(piece, pins, pins->point[k]);
    }
    piece->offset[n] = piece->pins.n_pins = at;
    mosaic_rows_fill(&piece->pins, &piece->rows);
    return TESS_OK;
}

void mosaic_piece_clear(mosaic_piece *piece) {
    free(piece->offset);
    free(piece->pins.point);
    free(piece->pins.weight);
    free(piece->rows.offset);
    free(piece->rows.element);
    free(piece->table);
    free(piece->key);
    free(piece->direct);
    mosaic_walk_clear(&piece->walk);
    *piece = (mosaic_piece){0};
}
