/* Faces: the points around each, and the cells on both sides. */
#include "data/formats/faces/faces.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

tess_status tess_jagged_array_append(tess_jagged_array *array, int64_t capacity[2], int64_t n,
                                     const int32_t *values) {
    TRY(TESS_RESERVE(array->n + 2, &capacity[0], &array->start));
    if (array->n == 0)
        array->start[0] = 0;
    const int64_t at = array->start[array->n];
    TRY(TESS_RESERVE(at + n, &capacity[1], &array->value));
    memcpy(array->value + at, values, (size_t)n * sizeof *values);
    array->start[++array->n] = at + n;
    return TESS_OK;
}

void tess_polyhedra_clear(tess_polyhedra *polyhedra) {
    free(polyhedra->points);
    free(polyhedra->faces.start);
    free(polyhedra->faces.value);
    free(polyhedra->owner);
    free(polyhedra->neighbour);
    free(polyhedra->marker);
    free(polyhedra->inner_marker);
}
