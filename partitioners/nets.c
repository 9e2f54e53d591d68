/* Nets: the points of several elements, one map after the other. */
#include "partitioners/nets.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* Room of the arrays. */
typedef struct room {
    int64_t first, pin, weight;
} room;

static tess_status append(const tess_rows *elements, double weight, room *has, tess_nets *nets) {
    TRY(TESS_RESERVE(nets->n + elements->n + 1, &has->first, &nets->first));
    TRY(TESS_RESERVE(nets->n + elements->n, &has->weight, &nets->weight));
    TRY(TESS_RESERVE(nets->n_pins + elements->offset[elements->n], &has->pin, &nets->pin));
    for (int64_t p = 0; p < elements->n; p++) {
        const int64_t size = tess_rows_size(elements, p);
        if (size < 2)
            continue;
        memcpy(nets->pin + nets->n_pins, elements->item + elements->offset[p],
               (size_t)size * sizeof *nets->pin);
        nets->weight[nets->n] = weight;
        nets->first[nets->n++] = nets->n_pins;
        nets->n_pins += size;
    }
    nets->first[nets->n] = nets->n_pins;
    return TESS_OK;
}

tess_status tess_nets_find(const tess_partition_problem *problem, tess_nets *nets) {
    room has = {0, 0, 0};
    tess_status status = TESS_OK;
    for (int m = 0; m < problem->n_maps && status == TESS_OK; m++) {
        tess_rows *elements = NULL;
        TRY(tess_incidence_invert(&problem->maps[m], problem->n_elements, &elements));
        status = append(elements, problem->maps[m].weight, &has, nets);
        tess_rows_free(elements);
    }
    return status;
}

void tess_nets_clear(tess_nets *nets) {
    free(nets->first);
    free(nets->pin);
    free(nets->weight);
    *nets = (tess_nets){.n = 0};
}
