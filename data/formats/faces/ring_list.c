/* A ring list: cells or boundary elements of any number of nodes, in the order of the file. */
#include "data/formats/faces/ring_list.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

tess_status tess_ring_list_append(tess_ring_list *list, const tess_polygon_list *added,
                                  int32_t ordinal) {
    const int64_t at = list->n_rings ? list->start[list->n_rings] : 0;
    const int64_t n_nodes = added->start[added->n] - added->start[0];
    TRY(TESS_RESERVE(list->size + 2, &list->first_capacity, &list->first));
    TRY(TESS_RESERVE(list->n_rings + added->n + 1, &list->start_capacity, &list->start));
    TRY(TESS_RESERVE(at + n_nodes, &list->nodes_capacity, &list->nodes));
    TRY(TESS_RESERVE(list->size + 1, &list->marker_capacity, &list->marker));
    TRY(TESS_RESERVE(list->size + 1, &list->ordinal_capacity, &list->ordinal));
    for (int64_t ring = 0; ring <= added->n; ring++)
        list->start[list->n_rings + ring] = at + added->start[ring] - added->start[0];
    memcpy(list->nodes + at, added->nodes + added->start[0], (size_t)n_nodes * sizeof *list->nodes);
    list->first[list->size] = list->n_rings;
    list->marker[list->size] = added->marker;
    list->ordinal[list->size] = ordinal;
    list->n_rings += added->n;
    list->first[++list->size] = list->n_rings;
    return TESS_OK;
}

void tess_ring_list_clear(tess_ring_list *list) {
    free(list->first);
    free(list->start);
    free(list->nodes);
    free(list->marker);
    free(list->ordinal);
    *list = (tess_ring_list){.size = 0};
}
