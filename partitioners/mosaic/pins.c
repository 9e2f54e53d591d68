/* Pins: built from a problem, renumbered, inverted, copied in part. */
#include "partitioners/mosaic/pins.h"
#include "core/base/array.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weights are whole numbers: the lightest is WEIGHT_LEAST where the heaviest is at most WEIGHT_MOST
 * then. Exact for 8 bytes beside 16 to 128. */
enum { WEIGHT_LEAST = 4, WEIGHT_MOST = 64 };

/* The maps of a problem, then what its elements read beside. */
static int count_maps(const tess_partition_problem *problem) {
    return problem->n_maps + problem->n_reads;
}

static const tess_incidence *map_at(const tess_partition_problem *problem, int m) {
    return m < problem->n_maps ? &problem->maps[m] : &problem->reads[m - problem->n_maps];
}

/* Gives how many elements each point of a map has; a second mention in an element counts again. */
static tess_status count_degrees(const tess_incidence *map, int64_t n_elements, int32_t **degree) {
    TRY(TESS_ZEROS(map->n_points, degree));
    int32_t *const of = *degree;
#pragma omp parallel for schedule(static) if (n_elements > MOSAIC_SERIAL)
    for (int64_t e = 0; e < n_elements; ++e) {
        int64_t n = 0;
        const int32_t *row = tess_incidence_row(map, e, &n);
        for (int64_t i = 0; i < n; ++i)
            if (row[i] >= 0)
                __atomic_fetch_add(of + row[i], 1, __ATOMIC_RELAXED);
    }
    return TESS_OK;
}

/* Weights in the proportion of the maps' bytes; none where all are alike. */
static tess_status weigh_points(const tess_partition_problem *problem, mosaic_pins *pins) {
    double lightest = INFINITY, heaviest = 0;
    for (int m = 0; m < count_maps(problem); ++m) {
        lightest = fmin(lightest, map_at(problem, m)->weight);
        heaviest = fmax(heaviest, map_at(problem, m)->weight);
    }
    if (!(lightest > 0) || lightest >= heaviest)
        return TESS_OK;
    const double scale = fmin(WEIGHT_LEAST / lightest, WEIGHT_MOST / heaviest);
    TRY(TESS_ALLOC(pins->n_points, &pins->weight));
    int64_t point = 0;
    for (int m = 0; m < count_maps(problem); ++m) {
        const int32_t weight = (int32_t)fmax(1, round(map_at(problem, m)->weight * scale));
        for (int64_t p = 0; p < map_at(problem, m)->n_points; ++p)
            pins->weight[point++] = weight;
    }
    return TESS_OK;
}

/* Appends the points of one element that count, ascending; gives how many. */
static int64_t copy_row(const tess_incidence *map, int64_t e, const int32_t *degree,
                        int64_t most_elements, int64_t first_point, int32_t *out) {
    int64_t n = 0, kept = 0;
    const int32_t *row = tess_incidence_row(map, e, &n);
    for (int64_t i = 0; i < n; ++i)
        if (row[i] >= 0 && degree[row[i]] <= most_elements)
            out[kept++] = (int32_t)first_point + row[i];
    return tess_sort_unique(out, kept);
}

/* One row an element: the rows of all maps, packed; no offsets where all are as long. */
static tess_status copy_rows(const tess_partition_problem *problem, int32_t *const *degree,
                             mosaic_pins *pins) {
    const int64_t n = problem->n_elements, most = (int64_t)MOSAIC_FREQUENT * problem->block_size;
    int64_t room = 0, at = 0;
    bool alike = true;
    for (int m = 0; m < count_maps(problem); ++m) {
        const tess_incidence *map = map_at(problem, m);
        room += map->offset ? map->offset[n] : n * map->arity;
    }
    TRY(TESS_ALLOC(n + 1, &pins->offset));
    TRY(TESS_ALLOC(room, &pins->point));
    for (int64_t e = 0; e < n; ++e) {
        pins->offset[e] = at;
        for (int64_t m = 0, first = 0; m < count_maps(problem); ++m) {
            const tess_incidence *map = map_at(problem, (int)m);
            at += copy_row(map, e, degree[m], most, first, pins->point + at);
            first += map->n_points;
        }
        alike = alike && at == (e + 1) * (at - pins->offset[e]);
    }
    pins->offset[n] = pins->n_pins = at;
    if (alike && at <= (int64_t)INT32_MAX * n) {
        pins->arity = n ? (int)(at / n) : 0;
        free(pins->offset);
        pins->offset = NULL;
    }
    return TESS_OK;
}

tess_status mosaic_pins_build(const tess_partition_problem *problem, mosaic_pins *pins) {
    tess_status status = TESS_OK;
    const int n_maps = count_maps(problem);
    int32_t **degree = NULL;
    *pins = (mosaic_pins){.n_elements = problem->n_elements};
    for (int m = 0; m < n_maps; ++m)
        pins->n_points += map_at(problem, m)->n_points;
    if (pins->n_points > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "the maps lead to %lld points in all, more than 2^31 - 1",
             (long long)pins->n_points);
    CHECK(TESS_ZEROS(n_maps, &degree));
    for (int m = 0; m < n_maps; ++m)
        CHECK(count_degrees(map_at(problem, m), problem->n_elements, degree + m));
    CHECK(copy_rows(problem, degree, pins));
    CHECK(weigh_points(problem, pins));
done:
    for (int m = 0; degree && m < n_maps; ++m)
        free(degree[m]);
    free(degree);
    if (status != TESS_OK)
        mosaic_pins_clear(pins);
    return status;
}

void mosaic_pins_clear(mosaic_pins *pins) {
    free(pins->offset);
    free(pins->weight);
    free(pins->point);
    *pins = (mosaic_pins){0};
}

/* The elements of each point into arrays of [n_points + 2] and [n_pins]. */
static void fill_rows(const mosaic_pins *pins, tess_rows *rows) {
    rows->n = pins->n_points;
    memset(rows->offset, 0, (size_t)(rows->n + 2) * sizeof *rows->offset);
    int64_t *const end = rows->offset + 1; /* of each point's row, once it is filled */
    for (int64_t i = 0; i < pins->n_pins; ++i)
        ++end[pins->point[i] + 1];
    for (int64_t p = 0; p < rows->n; ++p)
        end[p + 1] += end[p];
    for (int64_t e = 0; e < pins->n_elements; ++e)
        for (int64_t i = mosaic_first(pins, e); i < mosaic_end(pins, e); ++i)
            rows->item[end[pins->point[i]]++] = (int32_t)e;
}

tess_status mosaic_rows_build(const mosaic_pins *pins, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    CHECK(tess_rows_new(pins->n_points, &rows));
    CHECK(TESS_ALLOC(pins->n_pins, &rows->item));
    fill_rows(pins, rows);
    *out = TESS_TAKE(rows);
done:
    tess_rows_free(rows);
    return status;
}

static inline int64_t element_of(mosaic_part part, int64_t i) {
    return part.list ? part.list[i] : part.first + i;
}

/* Room for the pins of a part, and for the numbers of all points: those of earlier pieces are below
 * the base. */
static tess_status piece_reserve(const mosaic_pins *pins, mosaic_part part, mosaic_piece *piece) {
    int64_t n_pins = part.n * pins->arity;
    for (int64_t i = 0; pins->offset && i < part.n; ++i)
        n_pins += mosaic_end(pins, element_of(part, i)) - mosaic_first(pins, element_of(part, i));
    const int64_t n_points = n_pins < pins->n_points ? n_pins : pins->n_points;
    if (pins->offset)
        TRY(TESS_RESERVE(part.n + 1, &piece->capacity_offset, &piece->pins.offset));
    if (pins->weight)
        TRY(TESS_RESERVE(n_points, &piece->capacity_weights, &piece->pins.weight));
    TRY(TESS_RESERVE(n_pins, &piece->capacity_pins, &piece->pins.point));
    piece->pins.n_elements = part.n;
    piece->pins.n_pins = n_pins;
    piece->pins.arity = pins->arity;
    if (piece->n_numbers < pins->n_points || piece->base > INT32_MAX / 2) {
        free(piece->number);
        piece->n_numbers = 0;
        TRY(TESS_ZEROS(pins->n_points, &piece->number));
        piece->n_numbers = pins->n_points;
        piece->base = 1;
    }
    return TESS_OK;
}

/* Copies the pins of a part. */
static tess_status copy_pins(const mosaic_pins *pins, mosaic_part part, mosaic_piece *piece) {
    TRY(piece_reserve(pins, part, piece));
    int32_t *const number = piece->number, *const point = piece->pins.point, next = piece->base;
    int64_t at = 0;
    for (int64_t i = 0; i < part.n; ++i) {
        const int64_t e = element_of(part, i), end = mosaic_end(pins, e);
        if (pins->offset)
            piece->pins.offset[i] = at;
        for (int64_t k = mosaic_first(pins, e); k < end; ++k) {
            const int32_t p = pins->point[k];
            if (number[p] < piece->base) {
                if (pins->weight)
                    piece->pins.weight[next - piece->base] = pins->weight[p];
                number[p] = next++;
            }
            point[at++] = number[p] - piece->base;
        }
    }
    if (pins->offset)
        piece->pins.offset[part.n] = at;
    piece->pins.n_points = next - piece->base;
    piece->base = next;
    return TESS_OK;
}

tess_status mosaic_piece_copy(const mosaic_pins *pins, mosaic_part part, mosaic_piece *piece) {
    TRY(copy_pins(pins, part, piece));
    TRY(TESS_RESERVE(piece->pins.n_pins, &piece->capacity_items, &piece->rows.item));
    TRY(TESS_RESERVE(piece->pins.n_points + 2, &piece->capacity_rows, &piece->rows.offset));
    fill_rows(&piece->pins, &piece->rows);
    return TESS_OK;
}

tess_status mosaic_pins_permute(const mosaic_pins *pins, const int32_t *new_to_old,
                                mosaic_pins *out) {
    mosaic_piece all = {0};
    const mosaic_part part = {.list = new_to_old, .n = pins->n_elements};
    const tess_status status = copy_pins(pins, part, &all);
    if (status == TESS_OK) {
        *out = all.pins;
        all.pins = (mosaic_pins){0};
    }
    mosaic_piece_clear(&all);
    return status;
}

void mosaic_piece_clear(mosaic_piece *piece) {
    mosaic_pins_clear(&piece->pins);
    free(piece->rows.offset);
    free(piece->rows.item);
    free(piece->number);
    *piece = (mosaic_piece){0};
}
