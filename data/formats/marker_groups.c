/* Marker groups: the numbers by which a file tells its boundary elements apart, made markers. */
#include "data/formats/marker_groups.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MARKERS = 10000 };

/* Appends the groups of a list of elements, once where neighbours have the same. */
static tess_status collect_groups(const tess_element_list *list, int64_t *n, int64_t *capacity,
                                  int32_t **groups) {
    for (int64_t i = 0; i < list->size; i++) {
        if (i > 0 && list->marker[i] == list->marker[i - 1])
            continue;
        TRY(TESS_RESERVE(*n + 1, capacity, groups));
        (*groups)[(*n)++] = list->marker[i];
    }
    return TESS_OK;
}

/* Replaces each element's group by the marker of its place among the sorted `groups`. */
static void replace_groups(tess_element_list *list, const int32_t *groups, const int32_t *markers,
                           int64_t n) {
    int64_t place = 0;
    for (int64_t i = 0; i < list->size; i++) {
        if (groups[place] != list->marker[i])
            place = tess_sorted_place(groups, n, list->marker[i]);
        list->marker[i] = markers[place];
    }
}

tess_status tess_marker_groups_name(tess_elements *elements, tess_mesh *mesh,
                                    tess_group_namer *name, const void *context) {
    tess_status status = TESS_OK;
    const int dimension = tess_elements_dimension(elements) - 1;
    int64_t n = 0, capacity = 0;
    int32_t *groups = NULL, *markers = NULL;
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++)
        if (tess_element_kinds[type].dimension == dimension)
            CHECK(collect_groups(&elements->lists[type], &n, &capacity, &groups));
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
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++)
        if (tess_element_kinds[type].dimension == dimension)
            replace_groups(&elements->lists[type], groups, markers, n);
done:
    free(groups);
    free(markers);
    return status;
}

/* Names a group by its kind, the context, and its number. */
static void name_by_kind(const void *context, int32_t group, char *text, size_t size) {
    snprintf(text, size, "%s %d", (const char *)context, group);
}

tess_status tess_marker_groups_mesh(const char *path, const tess_grouped *grouped,
                                    tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    int dimension = grouped->dimension;
    if (dimension == 3)
        dimension =
            tess_elements_flatten(grouped->elements, grouped->n_nodes, *grouped->coordinates);
    CHECK(tess_mesh_new(path, dimension, &mesh));
    CHECK(tess_mesh_add_set(mesh, "nodes", grouped->n_nodes, NULL));
    mesh->coordinates = TESS_TAKE(*grouped->coordinates);
    if (grouped->name)
        CHECK(tess_marker_groups_name(grouped->elements, mesh, grouped->name, grouped->context));
    else
        CHECK(tess_marker_groups_name(grouped->elements, mesh, name_by_kind, grouped->kind));
    CHECK(tess_elements_state(grouped->elements, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    return status;
}
