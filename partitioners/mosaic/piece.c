/* Pieces: pins of a range of elements, their points numbered by first mention. */
#include "partitioners/mosaic/piece.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

static tess_status rows_reserve(int64_t n_points, int64_t n_pins, mosaic_piece *piece) {
    TRY(TESS_RESERVE(n_pins, &piece->capacity_items, &piece->rows.item));
    return TESS_RESERVE(n_points + 2, &piece->capacity_points, &piece->rows.offset);
}

/* Room for n_pins like those. */
static tess_status piece_reserve(const mosaic_pins *like, int64_t n_elements, int64_t n_pins,
                                 mosaic_piece *piece) {
    if (like->offset)
        TRY(TESS_RESERVE(n_elements + 1, &piece->capacity_elements, &piece->offset));
    if (like->weight)
        TRY(TESS_RESERVE(n_pins, &piece->capacity_weights, &piece->pins.weight));
    return TESS_RESERVE(n_pins, &piece->capacity_pins, &piece->pins.point);
}

/* Room for the numbers of all points; those of earlier pieces are below the base. */
static tess_status numbers_reserve(int64_t n_points, mosaic_piece *piece) {
    if (piece->n_numbers >= n_points && piece->base < INT32_MAX / 2)
        return TESS_OK;
    free(piece->number);
    piece->n_numbers = 0;
    TRY(TESS_ZEROS(n_points, &piece->number));
    piece->n_numbers = n_points;
    piece->base = 1;
    return TESS_OK;
}

/* The local number of a point, a new one where it has none. */
static inline int32_t number_of(const mosaic_pins *pins, int32_t point, mosaic_piece *piece) {
    if (piece->number[point] < piece->base) {
        const int32_t next = (int32_t)piece->pins.n_points++;
        piece->number[point] = piece->base + next;
        if (pins->weight)
            piece->pins.weight[next] = pins->weight[point];
    }
    return piece->number[point] - piece->base;
}

static inline int64_t element_of(mosaic_part part, int64_t i) {
    return part.list ? part.list[i] : part.first + i;
}

/* Room for the pins of a part. */
static tess_status piece_start(const mosaic_pins *pins, mosaic_part part, mosaic_piece *piece) {
    int64_t n_pins = 0;
    for (int64_t i = 0; part.list && pins->offset && i < part.n; ++i)
        n_pins += mosaic_end(pins, part.list[i]) - mosaic_first(pins, part.list[i]);
    if (part.list && !pins->offset)
        n_pins = part.n * pins->arity;
    else if (!part.list)
        n_pins = mosaic_first(pins, part.first + part.n) - mosaic_first(pins, part.first);
    TRY(piece_reserve(pins, part.n, n_pins, piece));
    piece->pins.n_elements = part.n;
    piece->pins.n_pins = n_pins;
    piece->pins.arity = pins->offset ? 0 : pins->arity;
    piece->pins.offset = pins->offset ? piece->offset : NULL;
    return TESS_OK;
}

/* Points by first mention. */
static tess_status number_points(const mosaic_pins *pins, mosaic_part part, mosaic_piece *piece) {
    int64_t at = 0, *const offset = piece->pins.offset;
    TRY(numbers_reserve(pins->n_points, piece));
    piece->pins.n_points = 0;
    for (int64_t i = 0; i < part.n; ++i) {
        const int64_t e = element_of(part, i);
        if (offset)
            offset[i] = at;
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k)
            piece->pins.point[at++] = number_of(pins, pins->point[k], piece);
    }
    if (offset)
        offset[part.n] = at;
    piece->base += (int32_t)piece->pins.n_points;
    return TESS_OK;
}

/* Points of a range of elements less the least of them, where these are nearly all in between: so
 * it is with consecutive elements of a walked mesh. */
static bool shift_points(const mosaic_pins *pins, mosaic_part part, mosaic_piece *piece) {
    const int64_t begin = mosaic_first(pins, part.first), end = begin + piece->pins.n_pins;
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
    for (int64_t i = 0; pins->offset && i <= part.n; ++i)
        piece->offset[i] = mosaic_first(pins, part.first + i) - begin;
    if (pins->weight && n_points)
        memcpy(piece->pins.weight, pins->weight + least, (size_t)n_points * sizeof *pins->weight);
    return true;
}

tess_status mosaic_piece_copy(const mosaic_pins *pins, mosaic_part part, mosaic_piece *piece) {
    TRY(piece_start(pins, part, piece));
    if (part.list || !shift_points(pins, part, piece))
        TRY(number_points(pins, part, piece));
    TRY(rows_reserve(piece->pins.n_points, piece->pins.n_pins, piece));
    mosaic_rows_fill(&piece->pins, &piece->rows);
    return TESS_OK;
}

tess_status mosaic_piece_fill(const mosaic_pins *pins, mosaic_part part, mosaic_piece *piece) {
    TRY(mosaic_piece_copy(pins, part, piece));
    return mosaic_walk_reset(&piece->pins, &piece->rows, &piece->walk);
}

tess_status mosaic_piece_span(const mosaic_pins *pins, mosaic_piece *piece) {
    TRY(rows_reserve(pins->n_points, pins->n_pins, piece));
    mosaic_rows_fill(pins, &piece->rows);
    return mosaic_walk_reset(pins, &piece->rows, &piece->walk);
}

void mosaic_piece_strip(mosaic_piece *piece) {
    free(piece->rows.offset);
    free(piece->rows.item);
    free(piece->number);
    mosaic_walk_clear(&piece->walk);
    const mosaic_piece all = *piece;
    *piece = (mosaic_piece){.pins = all.pins, .offset = all.offset};
}

void mosaic_piece_clear(mosaic_piece *piece) {
    mosaic_piece_strip(piece);
    free(piece->offset);
    free(piece->pins.point);
    free(piece->pins.weight);
    *piece = (mosaic_piece){0};
}
