/* A point list: points of a set, block after block, each once a block. */
#include "core/plan/point_list.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>

tess_status tess_point_list_open(tess_point_list *list, int64_t n_points, const int32_t *position) {
    *list = (tess_point_list){.position = position};
    TRY(TESS_ALLOC(n_points, &list->by_position));
    TRY(TESS_ALLOC(n_points, &list->seen_by));
    for (int64_t p = 0; p < n_points; p++) {
        list->by_position[position ? position[p] : p] = (int32_t)p;
        list->seen_by[p] = -1;
    }
    return TESS_OK;
}

void tess_point_list_close(tess_point_list *list) {
    free(list->points);
    free(list->by_position);
    free(list->seen_by);
    *list = (tess_point_list){.n = 0};
}

static tess_status put(tess_point_list *list, int32_t point) {
    TRY(TESS_RESERVE(list->n + 1, &list->capacity, &list->points));
    list->points[list->n++] = point;
    return TESS_OK;
}

tess_status tess_point_list_see(tess_point_list *list, int32_t block, int32_t point) {
    if (point < 0 || list->seen_by[point] == block)
        return TESS_OK;
    list->seen_by[point] = block;
    return put(list, point);
}

void tess_point_list_sort(tess_point_list *list, int64_t begin) {
    int32_t *points = list->points + begin;
    const int64_t n = list->n - begin;
    for (int64_t i = 0; i < n && list->position; i++)
        points[i] = list->position[points[i]];
    tess_sort(points, n);
    for (int64_t i = 0; i < n; i++)
        points[i] = list->by_position[points[i]];
}

tess_status tess_point_list_pad(tess_point_list *list) {
    while (list->n % TESS_SLICE)
        TRY(put(list, -1));
    return TESS_OK;
}
