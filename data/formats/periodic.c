/* Periodic nodes: pairs of nodes that a file says to be the same, though they lie apart. */
#include "data/formats/periodic.h"

#include "core/base/array.h"
#include "core/base/union_find.h"
#include "data/formats/joined_nodes.h"
#include "data/formats/reader.h"
#include <inttypes.h>
#include <stdlib.h>

tess_periodic tess_periodic_of(const tess_file_text *text) {
    return (tess_periodic){.joins = text->reading && text->reading->joins_periodic};
}

tess_status tess_periodic_add(tess_periodic *periodic, int64_t node, int64_t other) {
    TRY(TESS_RESERVE(periodic->n + 1, &periodic->capacity, &periodic->pairs));
    periodic->pairs[periodic->n][0] = (int32_t)node;
    periodic->pairs[periodic->n++][1] = (int32_t)other;
    return TESS_OK;
}

tess_status tess_periodic_join(tess_periodic *periodic, tess_grouped *grouped) {
    tess_status status = TESS_OK;
    const int64_t n = grouped->n_nodes;
    int32_t *joined = NULL;
    if (!periodic->joins || periodic->n == 0)
        return TESS_OK;
    CHECK(TESS_ALLOC(n, &joined));
    for (int64_t i = 0; i < n; i++)
        joined[i] = (int32_t)i;
    for (int64_t i = 0; i < periodic->n; i++)
        tess_sets_join(joined, periodic->pairs[i][0], periodic->pairs[i][1]);
    for (int64_t i = 0; i < n; i++)
        joined[i] = tess_root_of(joined, (int32_t)i);
    CHECK(tess_joined_nodes_pack(grouped, joined));
done:
    free(joined);
    return status;
}

tess_status tess_periodic_warn(const tess_periodic *periodic, tess_mesh *mesh) {
    if (periodic->joins && periodic->n == 0)
        return tess_mesh_warn(mesh, "periodic=join joins nothing: the file names no nodes of "
                                    "periodic sides");
    if (periodic->n_sides == 0)
        return TESS_OK;
    if (periodic->joins)
        return tess_mesh_warn(mesh,
                              "%" PRId64 " pairs of nodes of %" PRId64 " periodic or joined sides "
                              "became one node each, which has one of their places: sizes and "
                              "shapes of the cells there are wrong where the places differ",
                              periodic->n, periodic->n_sides);
    return tess_mesh_warn(mesh,
                          "%" PRId64 " periodic or joined sides with %" PRId64
                          " pairs of nodes stay "
                          "apart (MESH:periodic=join makes each pair one node)",
                          periodic->n_sides, periodic->n);
}

void tess_periodic_clear(tess_periodic *periodic) {
    free(periodic->pairs);
    *periodic = (tess_periodic){.n = 0};
}
