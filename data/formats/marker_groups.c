/* Marker groups: the numbers by which a file tells its boundary elements apart, made markers. */
#include "data/formats/marker_groups.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "data/formats/faces/polygon_cells.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MARKERS = 10000 };

/* The markers of one list of elements, which are their groups at first. */
typedef struct group_list {
    int64_t size;
    int32_t *marker; /* [size], the elements' own */
} group_list;

/* Fills the lists of the elements of a dimension, and gives how many there are. */
static int find_lists(const tess_elements *elements, int dimension,
                      group_list lists[TESS_N_ELEMENT_TYPES + 1]) {
    int n = 0;
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++)
        if (tess_element_kinds[type].dimension == dimension)
            lists[n++] = (group_list){elements->lists[type].size, elements->lists[type].marker};
    if (dimension == 2)
        lists[n++] = (group_list){elements->polygons.size, elements->polygons.marker};
    return n;
}

/* Appends the groups of a list of elements, once where neighbours have the same. */
static tess_status collect_groups(const group_list *list, int64_t *n, int64_t *capacity,
                                  int32_t **groups) {
    for (int64_t i = 0; i < list->size; i++) {
        if (i > 0 && list->marker[i] == list->marker[i - 1])
            continue;
        TRY(TESS_RESERVE(*n + 1, capacity, groups));
        (*groups)[(*n)++] = list->marker[i];
    }
    return TESS_OK;
}

/* Replaces each element's group by the marker of its position among the sorted `groups`. */
static void replace_groups(const group_list *list, const int32_t *groups, const int32_t *markers,
                           int64_t n) {
    int64_t position = 0;
    for (int64_t i = 0; i < list->size; i++) {
        if (groups[position] != list->marker[i])
            position = tess_sorted_position(groups, n, list->marker[i]);
        list->marker[i] = markers[position];
    }
}

/* Names a group by its kind and number. */
static void name_by_kind(const void *kind, int32_t group, char *text, size_t size) {
    snprintf(text, size, "%s %d", (const char *)kind, group);
}

/* Replaces the groups of boundary elements by the markers of their names. */
static tess_status name_groups(tess_grouped *grouped, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    const tess_elements *elements = &grouped->elements;
    tess_group_namer *const name = grouped->name ? grouped->name : name_by_kind;
    const void *context = grouped->name ? grouped->context : grouped->kind;
    const int dimension = tess_elements_dimension(elements) - 1;
    int64_t n = 0, capacity = 0;
    int32_t *groups = NULL, *markers = NULL;
    group_list lists[TESS_N_ELEMENT_TYPES + 1];
    const int n_lists = dimension < 0 ? 0 : find_lists(elements, dimension, lists);
    for (int i = 0; i < n_lists; i++)
        CHECK(collect_groups(&lists[i], &n, &capacity, &groups));
    n = n ? tess_sort_unique(groups, n) : 0;
    if (n > MOST_MARKERS)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: more than %d boundary markers", mesh->source,
                        MOST_MARKERS));
    CHECK(TESS_ALLOC(n, &markers));
    for (int64_t i = 0; i < n; i++) {
        char text[128];
        name(context, groups[i], text, sizeof text);
        CHECK(tess_mesh_add_marker(mesh, text, &markers[i]));
    }
    for (int i = 0; i < n_lists; i++)
        replace_groups(&lists[i], groups, markers, n);
done:
    free(groups);
    free(markers);
    return status;
}

tess_status tess_marker_groups_mesh(const char *path, tess_grouped *grouped, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    int dimension = grouped->dimension;
    if (dimension == 3)
        dimension =
            tess_elements_flatten(&grouped->elements, grouped->n_nodes, grouped->coordinates);
    CHECK(tess_mesh_new(path, dimension, &mesh));
    CHECK(tess_mesh_add_set(mesh, "nodes", grouped->n_nodes, NULL));
    mesh->coordinates = TESS_TAKE(grouped->coordinates);
    CHECK(name_groups(grouped, mesh));
    CHECK(tess_polygon_cells_state(&grouped->elements, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    return status;
}

void tess_grouped_clear(tess_grouped *grouped) {
    free(grouped->coordinates);
    grouped->coordinates = NULL;
    tess_elements_clear(&grouped->elements);
}
