/* Faces: the points around each, and the cells on both sides. */
#include "data/formats/faces/faces.h"

#include <stdlib.h>

void tess_polyhedra_clear(tess_polyhedra *polyhedra) {
    free(polyhedra->points);
    free(polyhedra->faces.start);
    free(polyhedra->faces.value);
    free(polyhedra->owner);
    free(polyhedra->neighbour);
    free(polyhedra->marker);
    free(polyhedra->inner_marker);
}
