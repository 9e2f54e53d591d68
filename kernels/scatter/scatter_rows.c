/* Scatter rows: the entries of a map by the points that they add to, each point's in a fixed order.
 */
#include "kernels/scatter/scatter_rows.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include <stdbool.h>
#include <stdlib.h>

static tess_status check(const tess_scatter_map *map) {
    if (map->n_entries < 0 || map->n_entries > INT32_MAX || map->n_points < 0)
        FAIL(TESS_ERROR_INPUT, "%lld entries of %d points: a sum takes 0 to 2147483647",
             (long long)map->n_entries, map->n_points);
    for (int64_t i = 0; map->points && i < map->n_entries; i++)
        if (map->points[i] < 0 || map->points[i] >= map->n_points)
            FAIL(TESS_ERROR_INPUT, "entry %lld names point %d: there are %d points, from 0",
                 (long long)i, map->points[i], map->n_points);
    for (int64_t i = 0; map->sources && i < map->n_entries; i++)
        if (map->sources[i] < 0)
            FAIL(TESS_ERROR_INPUT, "entry %lld reads values %d: they are numbered from 0",
                 (long long)i, map->sources[i]);
    return TESS_OK;
}

/* Offsets of points and the entries of each in the map's order. */
static tess_status sort(const tess_scatter_map *map, tess_scatter_level *level) {
    tess_status status = TESS_OK;
    tess_rows *of_points = NULL;
    CHECK(tess_rows_build(map->points, map->n_entries, map->n_points, &of_points));
    CHECK(TESS_ALLOC(map->n_points + INT64_C(1), &level->offset));
    for (int64_t p = 0; p <= map->n_points; p++)
        level->offset[p] = (int32_t)of_points->offset[p];
    level->entry = TESS_TAKE(of_points->item);
done:
    tess_rows_free(of_points);
    return status;
}

/* What was an entry's number is its source, and the numbers are kept beside. */
static tess_status read_sources(const tess_scatter_map *map, tess_scatter_rows *rows) {
    tess_scatter_level *level = rows->level;
    if (!level->entry)
        return TESS_COPY(map->n_entries, map->sources, &level->entry);
    TRY(TESS_COPY(map->n_entries, level->entry, &rows->order));
    for (int64_t i = 0; i < map->n_entries; i++)
        level->entry[i] = map->sources[rows->order[i]];
    return TESS_OK;
}

static int32_t length(const tess_scatter_level *level, int32_t row) {
    return level->offset[row + 1] - level->offset[row];
}

static int32_t pieces_of(int32_t n) {
    return n <= TESS_LONGEST_ROW ? 1 : (n + TESS_LONGEST_ROW - 1) / TESS_LONGEST_ROW;
}

/* Rows and partials that a level has when its long rows are cut, and how many of them are long. */
static void count_pieces(const tess_scatter_level *level, int32_t *n_rows, int32_t *n_partials,
                         int32_t *n_long) {
    *n_rows = *n_partials = *n_long = 0;
    for (int32_t r = 0; r < level->n_rows; r++) {
        const int32_t pieces = pieces_of(length(level, r));
        *n_rows += pieces;
        *n_partials += pieces > 1 ? pieces : 0;
        *n_long += pieces > 1;
    }
}

/* Cuts the long rows of a level into pieces, which the next level reduces. */
static tess_status cut_long_rows(int32_t n_points, tess_scatter_level *level,
                                 tess_scatter_level *next) {
    tess_scatter_level cut = {.entry = level->entry};
    int32_t row = 0, partial = 0;
    tess_status status = TESS_OK;
    count_pieces(level, &cut.n_rows, &cut.n_partials, &next->n_rows);
    CHECK(TESS_ALLOC(cut.n_rows + INT64_C(1), &cut.offset));
    CHECK(TESS_ALLOC(cut.n_rows, &cut.target));
    CHECK(TESS_ALLOC(cut.n_rows, &cut.count));
    CHECK(TESS_ZEROS(next->n_rows + INT64_C(1), &next->offset));
    CHECK(TESS_ALLOC(next->n_rows, &next->target));
    CHECK(TESS_ALLOC(next->n_rows, &next->count));
    cut.offset[0] = 0;
    for (int32_t r = 0, l = 0; r < level->n_rows; r++) {
        const int32_t pieces = pieces_of(length(level, r)), end = level->offset[r + 1];
        const int32_t target = level->target ? level->target[r] : r;
        const int32_t count = level->count ? level->count[r] : length(level, r);
        for (int32_t i = 0; i < pieces; i++, row++) {
            const int32_t here = cut.offset[row] + TESS_LONGEST_ROW;
            cut.offset[row + 1] = i + 1 == pieces ? end : here;
            cut.target[row] = pieces == 1 ? target : n_points + partial++;
            cut.count[row] = count;
        }
        if (pieces > 1) {
            next->target[l] = target;
            next->count[l] = count;
            next->offset[++l] = partial;
        }
    }
    free(level->offset);
    free(level->target);
    free(level->count);
    *level = cut;
    return TESS_OK;
done:
    free(cut.offset);
    free(cut.target);
    free(cut.count);
    return status;
}

static bool is_long(const tess_scatter_level *level) {
    for (int32_t r = 0; r < level->n_rows; r++)
        if (length(level, r) > TESS_LONGEST_ROW)
            return true;
    return false;
}

tess_status tess_scatter_rows_build(const tess_scatter_map *map, tess_scatter_rows *rows) {
    tess_status status = TESS_OK;
    *rows = (tess_scatter_rows){.n_points = map->n_points, .n_levels = 1};
    tess_scatter_level *level = rows->level;
    CHECK(check(map));
    rows->n_entries = (int32_t)map->n_entries;
    level->n_rows = map->points ? map->n_points : rows->n_entries;
    if (map->points)
        CHECK(sort(map, level));
    if (map->sources)
        CHECK(read_sources(map, rows));
    for (; level->offset && is_long(level); level++) {
        rows->n_levels++;
        CHECK(cut_long_rows(rows->n_points, level, level + 1));
    }
    return TESS_OK;
done:
    tess_scatter_rows_clear(rows);
    return status;
}

void tess_scatter_rows_drop(tess_scatter_rows *rows) {
    for (int i = 0; i < rows->n_levels; i++) {
        tess_scatter_level *level = &rows->level[i];
        free(level->offset);
        free(level->entry);
        free(level->target);
        free(level->count);
        level->offset = level->entry = level->target = level->count = NULL;
    }
    free(rows->order);
    rows->order = NULL;
}

void tess_scatter_rows_clear(tess_scatter_rows *rows) {
    tess_scatter_rows_drop(rows);
    *rows = (tess_scatter_rows){.n_levels = 0};
}
