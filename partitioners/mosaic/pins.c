/* Pins: built from a problem, renumbered, inverted. */
#include "partitioners/mosaic/pins.h"
#include "core/base/array.h"
#include "core/base/sort.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static bool row_has(const int32_t *row, int64_t n, int32_t point) {
    for (int64_t i = 0; i < n; ++i)
        if (row[i] == point)
            return true;
    return false;
}

/* The maps of a problem and what is read beside, as one list. */
static int count_maps(const tess_partition_problem *problem) {
    return problem->n_maps + problem->n_reads;
}

static const tess_incidence *map_at(const tess_partition_problem *problem, int m) {
    return m < problem->n_maps ? &problem->maps[m] : &problem->reads[m - problem->n_maps];
}

/* Copies the points of one element that count: not padded, not too frequent, each once. */
static int64_t row_copy(const tess_incidence *map, int64_t e, const int32_t *degree,
                        int64_t largest, int32_t first_point, int32_t *out) {
    int64_t n = 0, kept = 0;
    const int32_t *row = tess_incidence_row(map, e, &n);
    for (int64_t i = 0; i < n; ++i)
        if (row[i] >= 0 && degree[row[i]] <= largest &&
            (n > SCANNED_POINTS || !row_has(out, kept, first_point + row[i])))
            out[kept++] = first_point + row[i];
    return n > SCANNED_POINTS ? tess_sort_unique(out, kept) : kept;
}

bool mosaic_is_shared(int64_t n) {
    return n > MOSAIC_SERIAL && omp_get_max_threads() > 1;
}

/* How many elements each point of a map has (a second mention in an element counts again).
 * *plain: every row has its arity of distinct points that count. */
static tess_status map_degrees(const tess_incidence *map, int64_t n_elements, int64_t largest,
                               int32_t **out, bool *plain) {
    int32_t *degree = NULL;
    TRY(TESS_ZEROS(map->n_points, &degree));
    bool distinct = !map->offset;
    const bool shared = mosaic_is_shared(n_elements);
#pragma omp parallel for reduction(&& : distinct) schedule(static) if (n_elements > MOSAIC_SERIAL)
    for (int64_t e = 0; e < n_elements; ++e) {
        int64_t n = 0;
        const int32_t *row = tess_incidence_row(map, e, &n);
        for (int64_t i = 0; i < n; ++i) {
            if (row[i] < 0 || (n <= SCANNED_POINTS && row_has(row, i, row[i])))
                distinct = false;
            if (row[i] >= 0 && shared)
                __atomic_fetch_add(degree + row[i], 1, __ATOMIC_RELAXED);
            else if (row[i] >= 0)
                ++degree[row[i]];
        }
        distinct = distinct && n <= SCANNED_POINTS;
    }
#pragma omp parallel for reduction(&& : distinct) schedule(static) if (n_elements > MOSAIC_SERIAL)
    for (int64_t p = 0; p < map->n_points; ++p)
        distinct = distinct && degree[p] <= largest;
    *out = degree;
    *plain = distinct;
    return TESS_OK;
}

/* Weights as small whole numbers, in the proportion of the maps' bytes. */
static tess_status point_weights(const tess_partition_problem *problem, mosaic_pins *pins) {
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

/* One row an element: the rows of all maps, packed. */
static tess_status pins_copy(const tess_partition_problem *problem, int32_t *const *degree,
                             int64_t largest, mosaic_pins *pins) {
    const int64_t n = problem->n_elements;
    int64_t room = 0;
    for (int m = 0; m < count_maps(problem); ++m)
        room += map_at(problem, m)->offset ? map_at(problem, m)->offset[n]
                                           : n * map_at(problem, m)->arity;
    TRY(TESS_ALLOC(n + 1, &pins->offset));
    TRY(TESS_ALLOC(room, &pins->point));
    int64_t at = 0;
    for (int64_t e = 0; e < n; ++e) {
        pins->offset[e] = at;
        int64_t first_point = 0;
        for (int m = 0; m < count_maps(problem); ++m) {
            at += row_copy(map_at(problem, m), e, degree[m], largest, (int32_t)first_point,
                           pins->point + at);
            first_point += map_at(problem, m)->n_points;
        }
    }
    pins->offset[n] = at;
    pins->n_pins = at;
    return TESS_OK;
}

tess_status mosaic_pins_build(const tess_partition_problem *problem, int64_t largest,
                              mosaic_pins *pins) {
    tess_status status = TESS_OK;
    int32_t **degree = NULL;
    *pins = (mosaic_pins){.n_elements = problem->n_elements};
    for (int m = 0; m < count_maps(problem); ++m)
        pins->n_points += map_at(problem, m)->n_points;
    if (pins->n_points > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "the maps lead to %lld points in all, more than 2^31 - 1",
             (long long)pins->n_points);
    CHECK(TESS_ZEROS(count_maps(problem), &degree));
    bool plain = count_maps(problem) == 1;
    for (int m = 0; m < count_maps(problem); ++m) {
        bool map_plain = false;
        CHECK(
            map_degrees(map_at(problem, m), problem->n_elements, largest, degree + m, &map_plain));
        plain = plain && map_plain;
    }
    if (plain) {
        pins->arity = problem->maps[0].arity;
        pins->n_pins = pins->n_elements * pins->arity;
        pins->point = (int32_t *)problem->maps[0].index; /* only read: see `borrowed` */
        pins->borrowed = true;
    } else {
        CHECK(pins_copy(problem, degree, largest, pins));
        CHECK(point_weights(problem, pins));
    }
done:
    for (int m = 0; degree && m < count_maps(problem); ++m)
        free(degree[m]);
    free(degree);
    if (status != TESS_OK)
        mosaic_pins_clear(pins);
    return status;
}

/* Numbers the points of pins->point by their first mention, and their weights with them. */
static tess_status points_renumber(mosaic_pins *pins, const int32_t *weight) {
    int32_t *number = NULL;
    TRY(TESS_ALLOC(pins->n_points, &number));
    memset(number, -1, (size_t)pins->n_points * sizeof *number);
    int32_t next = 0;
    for (int64_t i = 0; i < pins->n_pins; ++i) {
        const int32_t point = pins->point[i];
        if (number[point] < 0) {
            if (weight)
                pins->weight[next] = weight[point];
            number[point] = next++;
        }
        pins->point[i] = number[point];
    }
    pins->n_points = next;
    free(number);
    return TESS_OK;
}

tess_status mosaic_pins_permute(const mosaic_pins *pins, const int32_t *new_to_old,
                                mosaic_pins *out) {
    tess_status status = TESS_OK;
    const int64_t n = pins->n_elements;
    *out = *pins;
    out->offset = NULL;
    out->point = out->weight = NULL;
    out->borrowed = false;
    CHECK(TESS_ALLOC(pins->n_pins, &out->point));
    if (pins->weight)
        CHECK(TESS_ALLOC(pins->n_points, &out->weight));
    if (pins->offset) {
        CHECK(TESS_ALLOC(n + 1, &out->offset));
        out->offset[0] = 0;
        for (int64_t e = 0; e < n; ++e)
            out->offset[e + 1] =
                out->offset[e] + pins->offset[new_to_old[e] + 1] - pins->offset[new_to_old[e]];
    }
#pragma omp parallel for schedule(static) if (n > MOSAIC_SERIAL)
    for (int64_t e = 0; e < n; ++e) {
        const int64_t first = mosaic_first(out, e), end = mosaic_end(out, e);
        const int32_t *from = pins->point + mosaic_first(pins, new_to_old[e]);
        for (int64_t i = first; i < end; ++i)
            out->point[i] = from[i - first];
    }
    CHECK(points_renumber(out, pins->weight));
done:
    if (status != TESS_OK)
        mosaic_pins_clear(out);
    return status;
}

int64_t mosaic_weight_of_all(const mosaic_pins *pins) {
    int64_t weight = pins->n_points;
    for (int64_t p = 0; pins->weight && p < pins->n_points; ++p)
        weight += pins->weight[p] - 1;
    return weight;
}

void mosaic_pins_clear(mosaic_pins *pins) {
    free(pins->offset);
    free(pins->weight);
    if (!pins->borrowed)
        free(pins->point);
    *pins = (mosaic_pins){0};
}

void mosaic_rows_fill(const mosaic_pins *pins, tess_rows *rows) {
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
    mosaic_rows_fill(pins, rows);
    *out = TESS_TAKE(rows);
done:
    tess_rows_free(rows);
    return status;
}
