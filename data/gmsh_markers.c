/* The markers of a Gmsh file: physical groups by their names, entities where there are none. */
#include "data/gmsh.h"

#include "core/array.h"
#include "core/sort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void name_group(const tess_gmsh *gmsh, int dimension, int32_t group, char *text,
                       size_t size) {
    if (group > 0) {
        snprintf(text, size, "physical %d", group);
        for (int64_t i = 0; i < gmsh->n_names; i++)
            if (gmsh->names[i].dimension == dimension && gmsh->names[i].physical == group)
                snprintf(text, size, "%s", gmsh->names[i].text);
    } else if (group != 0) {
        snprintf(text, size, "%s %lld", dimension == 1 ? "curve" : "surface", -(long long)group);
    } else {
        snprintf(text, size, "unmarked");
    }
}

/* Replaces each element's group by the marker of its place among the sorted `groups`. */
static void replace_groups(tess_element_list *list, const int32_t *groups, const int32_t *markers,
                           int64_t n) {
    int64_t place = 0;
    for (int64_t i = 0; i < list->size; i++) {
        if (groups[place] != list->marker[i]) {
            int64_t low = 0, high = n - 1;
            while (low < high) {
                const int64_t middle = (low + high) / 2;
                if (groups[middle] < list->marker[i])
                    low = middle + 1;
                else
                    high = middle;
            }
            place = low;
        }
        list->marker[i] = markers[place];
    }
}

tess_status tess_gmsh_name_markers(tess_gmsh *gmsh, int dimension, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    int64_t n = 0, capacity = 0;
    int32_t *groups = NULL, *markers = NULL;
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++)
        if (tess_element_kinds[type].dimension == dimension)
            CHECK(collect_groups(&gmsh->elements.lists[type], &n, &capacity, &groups));
    n = n ? tess_sort_unique(groups, n) : 0;
    if (n > MOST_MARKERS)
        CHECK(tess_scan_fail(&gmsh->scan, "more than %d boundary markers", MOST_MARKERS));
    CHECK(TESS_ALLOC(n, &markers));
    for (int64_t i = 0; i < n; i++) {
        char text[sizeof gmsh->names->text];
        name_group(gmsh, dimension, groups[i], text, sizeof text);
        CHECK(tess_mesh_add_marker(mesh, text, &markers[i]));
    }
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++)
        if (tess_element_kinds[type].dimension == dimension)
            replace_groups(&gmsh->elements.lists[type], groups, markers, n);
done:
    free(groups);
    free(markers);
    return status;
}
