/* Vertex sides: the sides of cells at the boundary all of whose nodes are in a group of nodes. */
#include "data/formats/vertex_sides.h"

#include "core/base/array.h"
#include "core/mesh/facets.h"
#include <stdlib.h>
#include <string.h>

tess_status tess_vertex_groups_add(tess_vertex_groups *groups, int64_t node, int32_t group) {
    TRY(TESS_RESERVE(groups->n + 1, &groups->capacity, &groups->nodes));
    groups->nodes[groups->n++] = (tess_grouped_node){(int32_t)node, group};
    return TESS_OK;
}

static int compare_nodes(const void *left, const void *right) {
    const tess_grouped_node *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

/* A side of a cell whose nodes are all in a group. */
typedef struct found_side {
    int32_t key[TESS_FACET_NODES_MAX], group;
    tess_element element;
} found_side;

static int compare_sides(const void *left, const void *right) {
    const found_side *a = left, *b = right;
    const int order = memcmp(a->key, b->key, sizeof a->key);
    return order ? order : (a->group > b->group) - (a->group < b->group);
}

typedef struct side_search {
    const tess_vertex_groups *groups;
    int32_t *first; /* [n_nodes + 1]: the groups of each node; owned */
    tess_facet_kind kind;
    int64_t n, capacity;
    found_side *sides; /* [n]; owned */
} side_search;

static bool has_group(const side_search *search, int32_t node, int32_t group) {
    int32_t low = search->first[node], high = search->first[node + 1];
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (search->groups->nodes[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low < search->first[node + 1] && search->groups->nodes[low].group == group;
}

/* The next group from *at on, of those of the first node, that all n nodes have; -1 behind the
 * last. */
static int32_t next_group(const side_search *search, int64_t n, const int32_t *nodes, int32_t *at) {
    for (; *at < search->first[nodes[0] + 1]; ++*at) {
        const int32_t group = search->groups->nodes[*at].group;
        bool all = *at == search->first[nodes[0]] || search->groups->nodes[*at - 1].group != group;
        for (int64_t k = 1; k < n && all; k++)
            all = has_group(search, nodes[k], group);
        if (!all)
            continue;
        ++*at;
        return group;
    }
    return -1;
}

/* Adds a side once for each group that all its nodes have. */
static tess_status add_side(side_search *search, int n_nodes, const int32_t *nodes) {
    found_side side = {.element.type = n_nodes == 2   ? TESS_ELEMENT_LINE
                                       : n_nodes == 3 ? TESS_ELEMENT_TRI
                                                      : TESS_ELEMENT_QUAD};
    int32_t at = search->first[nodes[0]];
    if (!tess_facet_key(n_nodes, nodes, search->kind, side.key))
        return TESS_OK;
    memcpy(side.element.nodes, nodes, (size_t)n_nodes * sizeof *nodes);
    while ((side.group = next_group(search, n_nodes, nodes, &at)) >= 0) {
        side.element.marker = side.group;
        TRY(TESS_RESERVE(search->n + 1, &search->capacity, &search->sides));
        search->sides[search->n++] = side;
    }
    return TESS_OK;
}

/* Adds the sides of the cells of one type. */
static tess_status find_sides(side_search *search, const tess_cell_type *type,
                              const tess_element_list *list) {
    for (int64_t i = 0; i < list->size; i++) {
        const int32_t *nodes = list->nodes + i * type->n_nodes;
        int n_grouped = 0;
        for (int k = 0; k < type->n_nodes; k++)
            n_grouped += search->first[nodes[k] + 1] > search->first[nodes[k]];
        const int n = n_grouped < type->dimension ? 0 : tess_facet_count(type, search->kind);
        for (int position = 0; position < n; position++) {
            int32_t of[TESS_FACET_NODES_MAX];
            const int n_nodes = tess_facet_nodes(type, nodes, search->kind, position, of);
            TRY(add_side(search, n_nodes, of));
        }
    }
    return TESS_OK;
}

static tess_status index_nodes(const tess_vertex_groups *groups, int64_t n_nodes,
                               side_search *search) {
    TRY(TESS_ZEROS(n_nodes + 1, &search->first));
    for (int64_t i = 0; i < groups->n; i++)
        search->first[groups->nodes[i].node + 1]++;
    for (int64_t node = 0; node < n_nodes; node++)
        search->first[node + 1] += search->first[node];
    return TESS_OK;
}

/* Adds the edges of polygons that are cells. */
static tess_status find_edges(side_search *search, const tess_jagged_array *rings) {
    for (int64_t ring = 0; ring < rings->n; ring++) {
        const int64_t first = rings->start[ring], end = rings->start[ring + 1];
        for (int64_t i = first; i < end; i++)
            TRY(add_side(search, 2,
                         (int32_t[]){rings->value[i], rings->value[i + 1 < end ? i + 1 : first]}));
    }
    return TESS_OK;
}

/* Adds the sides of polyhedra that have one; those of more than four nodes lie beside no other kind
 * of cell, and are appended at once. */
static tess_status find_polygons(side_search *search, const tess_vertex_polygons *polygons,
                                 tess_elements *elements) {
    const tess_jagged_array *rings = polygons->rings;
    for (int64_t ring = 0; ring < rings->n; ring++) {
        const int64_t n = rings->start[ring + 1] - rings->start[ring];
        const int32_t *nodes = rings->value + rings->start[ring];
        int32_t at = search->first[nodes[0]], group = 0;
        if (polygons->beyond[ring] >= 0)
            continue;
        if (n <= TESS_FACET_NODES_MAX) {
            TRY(add_side(search, (int)n, nodes));
            continue;
        }
        while ((group = next_group(search, n, nodes, &at)) >= 0)
            TRY(tess_elements_append_polygons(elements,
                                              &(tess_polygon_list){.dimension = 2,
                                                                   .marker = group,
                                                                   .n = 1,
                                                                   .start = rings->start + ring,
                                                                   .nodes = rings->value}));
    }
    return TESS_OK;
}

tess_status tess_vertex_sides_append(tess_vertex_groups *groups, int64_t n_nodes,
                                     const tess_vertex_polygons *polygons,
                                     tess_elements *elements) {
    tess_status status = TESS_OK;
    const int dimension = polygons->dimension;
    side_search search = {.groups = groups,
                          .kind = dimension == 2 ? TESS_FACET_EDGES : TESS_FACET_FACES};
    if (groups->n == 0)
        return TESS_OK;
    if (groups->n > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "groups of nodes have more than 2147483647 nodes");
    qsort(groups->nodes, (size_t)groups->n, sizeof *groups->nodes, compare_nodes);
    CHECK(index_nodes(groups, n_nodes, &search));
    for (int t = 0; t < TESS_CELL_TYPES; t++)
        if (tess_cell_types[t].dimension == dimension)
            CHECK(find_sides(&search, &tess_cell_types[t], &elements->lists[TESS_ELEMENT_TRI + t]));
    CHECK(dimension == 2 ? find_edges(&search, polygons->rings)
                         : find_polygons(&search, polygons, elements));
    if (search.n)
        qsort(search.sides, (size_t)search.n, sizeof *search.sides, compare_sides);
    for (int64_t i = 0, end = 0; i < search.n; i = end) {
        while (end < search.n && compare_sides(&search.sides[i], &search.sides[end]) == 0)
            end++;
        if (end == i + 1) /* others lie between cells */
            CHECK(tess_elements_append(elements, &search.sides[i].element, 1));
    }
done:
    free(search.first);
    free(search.sides);
    return status;
}

void tess_vertex_groups_clear(tess_vertex_groups *groups) {
    free(groups->nodes);
    *groups = (tess_vertex_groups){.n = 0};
}
