/* Faces: the points around each, and the cells on both sides. */
#include "data/formats/faces/faces.h"

#include <stdlib.h>

void tess_faced_clear(tess_faced *faced) {
    free(faced->points);
    free(faced->faces.start);
    free(faced->faces.value);
    free(faced->owner);
    free(faced->neighbour);
    free(faced->marker);
}
