/* A table of marked facets: which marker a file gives to the boundary facet with certain nodes. */
#include "core/mesh/marker_table.h"

#include "core/base/array.h"
#include "core/mesh/facet_slots.h"
#include <stdlib.h>

typedef struct marked_facet {
    int32_t key[TESS_FACET_NODES_MAX];
    int32_t marker;
    bool used;
} marked_facet;

struct tess_marker_table {
    int64_t n_facets, n_repeated;
    marked_facet *facets;
    tess_facet_slots slots;
};

static void insert_set(const tess_map *nodes, const tess_dat *markers, int64_t n,
                       tess_facet_kind kind, tess_marker_table *table) {
    for (int64_t i = 0; i < n; i++) {
        marked_facet facet = {.marker = ((const int32_t *)markers->values)[i]};
        if (!tess_facet_key(nodes->arity, nodes->index + i * nodes->arity, kind, facet.key))
            continue;
        int32_t *slot = tess_facet_slot(&table->slots, table->facets, facet.key);
        if (*slot >= 0) {
            table->n_repeated++;
            continue;
        }
        *slot = (int32_t)table->n_facets;
        table->facets[table->n_facets++] = facet;
    }
}

tess_status tess_marker_table_build(const tess_mesh *mesh, tess_facet_kind kind,
                                    tess_marker_table **out) {
    static const char *const sets[2][2] = {{"marked_edges", NULL}, {"marked_tris", "marked_quads"}};
    tess_status status = TESS_OK;
    tess_marker_table *table = NULL;
    const tess_map *nodes[2] = {NULL};
    const tess_dat *markers[2] = {NULL};
    int64_t n = 0;
    for (int s = 0; s < 2 && sets[kind == TESS_FACET_FACES][s]; s++) {
        const char *set = sets[kind == TESS_FACET_FACES][s];
        nodes[s] = tess_mesh_find_map_between(mesh, set, "nodes");
        markers[s] = tess_mesh_find_dat(mesh, "marker", set);
        if (nodes[s] && markers[s] && markers[s]->type == TESS_INT32)
            n += tess_mesh_set_size(mesh, set);
        else
            nodes[s] = NULL;
    }
    *out = NULL;
    if (!nodes[0] && !nodes[1])
        return TESS_OK;
    if (n > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "%s: %lld marked faces are too many", mesh->source, (long long)n);
    CHECK(TESS_ZEROS(1, &table));
    CHECK(TESS_ALLOC(n, &table->facets));
    CHECK(tess_facet_slots_new(n, sizeof *table->facets, &table->slots));
    for (int s = 0; s < 2; s++)
        if (nodes[s])
            insert_set(nodes[s], markers[s], mesh->sets[nodes[s]->from].size, kind, table);
    *out = TESS_TAKE(table);
done:
    tess_marker_table_free(table);
    return status;
}

int32_t tess_marker_table_find(tess_marker_table *table, const int32_t key[TESS_FACET_NODES_MAX]) {
    const int32_t found = *tess_facet_slot(&table->slots, table->facets, key);
    if (found < 0)
        return -1;
    __atomic_store_n(&table->facets[found].used, true, __ATOMIC_RELAXED);
    return table->facets[found].marker;
}

int64_t tess_marker_table_unused(const tess_marker_table *table) {
    int64_t n = 0;
    for (int64_t i = 0; i < table->n_facets; i++)
        n += !table->facets[i].used;
    return n;
}

int64_t tess_marker_table_repeated(const tess_marker_table *table) {
    return table->n_repeated;
}

void tess_marker_table_free(tess_marker_table *table) {
    if (!table)
        return;
    free(table->facets);
    tess_facet_slots_clear(&table->slots);
    free(table);
}
