/* Marker groups: the numbers by which a file tells its elements apart, made markers of sides and
 * regions of cells. */
#include "data/formats/marker_groups.h"

#include "core/base/array.h"
#include "core/base/plural.h"
#include "core/base/sort.h"
#include "data/formats/faces/polygon_cells.h"
#include "data/formats/name_counts.h"
#include <stdio.h>
#include <stdlib.h>

/* The markers of one list of elements, which are their groups at first. */
typedef struct group_list {
    int64_t size;
    int32_t *marker;        /* [size], the elements' own */
    const int32_t *ordinal; /* [size]: place among all of the dimension; NULL: their own row */
} group_list;

/* The elements of some dimensions, and their groups. */
typedef struct groups {
    int n_lists;
    group_list lists[TESS_N_ELEMENT_TYPES + 2];
    int64_t n, capacity;
    int32_t *group; /* [n], ascending; owned */
    int *number;    /* [n]: of the marker or region of each, -1: none; owned */
} groups;

/* Names a group by its kind and number. */
static int32_t name_by_kind(const void *kind, tess_group_of of, int32_t group, char *text,
                            size_t size) {
    text[0] = '\0';
    if (kind && (of == TESS_GROUP_OF_SIDES || group != 0))
        snprintf(text, size, "%s %d", of == TESS_GROUP_OF_CELLS ? "region" : (const char *)kind,
                 group);
    return group;
}

static int32_t name_of(const tess_grouped *grouped, tess_group_of of, int32_t group,
                       char text[TESS_GROUP_NAME_SIZE]) {
    return grouped->name ? grouped->name(grouped->context, of, group, text, TESS_GROUP_NAME_SIZE)
                         : name_by_kind(grouped->kind, of, group, text, TESS_GROUP_NAME_SIZE);
}

/* Finds the lists of the elements of dimensions `least` to `most`. */
static void find_lists(const tess_elements *elements, int least, int most, groups *of) {
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        const tess_element_list *list = &elements->lists[type];
        const int dimension = tess_element_kinds[type].dimension;
        if (dimension >= least && dimension <= most)
            of->lists[of->n_lists++] = (group_list){list->size, list->marker, list->ordinal};
    }
    const tess_ring_list *polygons = &elements->polygons;
    if (least <= 2 && most >= 2)
        of->lists[of->n_lists++] =
            (group_list){polygons->size, polygons->marker, polygons->ordinal};
    const tess_face_list *polyhedra = &elements->faces;
    if (most == 3)
        of->lists[of->n_lists++] =
            (group_list){polyhedra->n_marked, polyhedra->marker, polyhedra->ordinal};
}

/* Gathers the groups of the elements of dimensions `least` to `most`. */
static tess_status gather(const tess_elements *elements, int least, int most, groups *of) {
    find_lists(elements, least, most, of);
    for (int l = 0; l < of->n_lists; l++) {
        const group_list *list = &of->lists[l];
        for (int64_t i = 0; i < list->size; i++) {
            if (i > 0 && list->marker[i] == list->marker[i - 1])
                continue;
            TRY(TESS_RESERVE(of->n + 1, &of->capacity, &of->group));
            of->group[of->n++] = list->marker[i];
        }
    }
    of->n = of->n ? tess_sort_unique(of->group, of->n) : 0;
    return TESS_ALLOC(of->n, &of->number);
}

static void release(groups *of) {
    free(of->group);
    free(of->number);
}

/* Gives each group the marker or the region of its name. */
static tess_status name_groups(const tess_grouped *grouped, tess_group_of kind, groups *of,
                               tess_mesh *mesh) {
    tess_name_counts same = {.n = 0};
    const int *n_named = kind == TESS_GROUP_OF_CELLS ? &mesh->n_regions : &mesh->n_markers;
    for (int64_t i = 0; i < of->n; i++) {
        char text[TESS_GROUP_NAME_SIZE];
        const int32_t tag = name_of(grouped, kind, of->group[i], text);
        const int before = *n_named;
        of->number[i] = -1;
        if (!text[0])
            continue;
        if (kind == TESS_GROUP_OF_CELLS)
            TRY(tess_mesh_add_region(mesh, text, tag, &of->number[i]));
        else
            TRY(tess_mesh_add_marker(mesh, text, &of->number[i]));
        if (*n_named > before && kind == TESS_GROUP_OF_SIDES)
            mesh->marker_tags[of->number[i]] = tag;
        if (*n_named == before)
            tess_name_counts_add(&same, text, 0);
    }
    return same.n ? tess_mesh_warn(mesh,
                                   "%d group%s of %s %s the name of another one and became one "
                                   "with it: %s",
                                   same.n, tess_plural(same.n),
                                   kind == TESS_GROUP_OF_CELLS ? "cells" : "sides",
                                   same.n == 1 ? "has" : "have", tess_name_counts_text(&same))
                  : TESS_OK;
}

/* Writes the number of each element's group over to[ordinal], which may be the elements' own. */
static void replace_groups(const groups *of, const group_list *list, int32_t *to, bool by_ordinal) {
    int64_t position = 0;
    for (int64_t i = 0; i < list->size; i++) {
        const int32_t group = list->marker[i];
        if (of->group[position] != group)
            position = tess_sorted_position(of->group, of->n, group);
        to[by_ordinal && list->ordinal ? list->ordinal[i] : i] = of->number[position];
    }
}

/* Replaces the groups of boundary elements by the markers of their names. */
static tess_status name_sides(const tess_grouped *grouped, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    groups sides = {.n = 0};
    const int dimension = tess_elements_dimension(&grouped->elements) - 1;
    CHECK(gather(&grouped->elements, dimension, dimension, &sides));
    if (sides.n > TESS_MOST_GROUPS)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: more than %d boundary markers", mesh->source,
                        TESS_MOST_GROUPS));
    CHECK(name_groups(grouped, TESS_GROUP_OF_SIDES, &sides, mesh));
    for (int l = 0; l < sides.n_lists; l++)
        replace_groups(&sides, &sides.lists[l], sides.lists[l].marker, false);
done:
    release(&sides);
    return status;
}

/* Gives the regions of the cells, NULL where none has one; the caller frees it. */
static tess_status name_cells(const tess_grouped *grouped, tess_mesh *mesh, int32_t **out) {
    tess_status status = TESS_OK;
    groups cells = {.n = 0};
    int32_t *regions = NULL;
    const int dimension = tess_elements_dimension(&grouped->elements);
    const int64_t n = grouped->elements.n_of_dimension[dimension];
    CHECK(gather(&grouped->elements, dimension, dimension, &cells));
    if (cells.n > TESS_MOST_GROUPS) {
        CHECK(tess_mesh_warn(mesh, "%lld groups of cells are no regions, of which %d may be",
                             (long long)cells.n, TESS_MOST_GROUPS));
        goto done;
    }
    CHECK(name_groups(grouped, TESS_GROUP_OF_CELLS, &cells, mesh));
    if (mesh->n_regions == 0)
        goto done;
    CHECK(TESS_ALLOC(n, &regions));
    for (int64_t i = 0; i < n; i++)
        regions[i] = -1;
    for (int l = 0; l < cells.n_lists; l++)
        replace_groups(&cells, &cells.lists[l], regions, true);
    *out = TESS_TAKE(regions);
done:
    free(regions);
    release(&cells);
    return status;
}

/* Says which groups of elements, neither cells nor sides, were left out. */
static tess_status warn_of_lower(const tess_grouped *grouped, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    groups lower = {.n = 0};
    tess_name_counts words = {.n = 0};
    int64_t *count = NULL, n = 0;
    CHECK(gather(&grouped->elements, 0, tess_elements_dimension(&grouped->elements) - 2, &lower));
    CHECK(TESS_ZEROS(lower.n, &count));
    for (int l = 0; l < lower.n_lists; l++)
        for (int64_t i = 0; i < lower.lists[l].size; i++)
            count[tess_sorted_position(lower.group, lower.n, lower.lists[l].marker[i])]++;
    for (int64_t i = 0; i < lower.n; i++) {
        char text[TESS_GROUP_NAME_SIZE];
        name_of(grouped, TESS_GROUP_OF_LOWER, lower.group[i], text);
        n += text[0] ? count[i] : 0;
        if (text[0])
            tess_name_counts_add(&words, text, count[i]);
    }
    if (n)
        CHECK(tess_mesh_warn(
            mesh, "%lld element%s with a group %s left out: %s", (long long)n, tess_plural(n),
            n == 1 ? "is neither cell nor side and was" : "are neither cells nor sides and were",
            tess_name_counts_text(&words)));
done:
    free(count);
    release(&lower);
    return status;
}

tess_status tess_marker_groups_mesh(const char *path, tess_grouped *grouped, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    int32_t *regions = NULL;
    int dimension = grouped->dimension;
    if (dimension == 3)
        dimension =
            tess_elements_flatten(&grouped->elements, grouped->n_nodes, grouped->coordinates);
    CHECK(tess_mesh_new(path, dimension, &mesh));
    CHECK(tess_mesh_add_set(mesh, "nodes", grouped->n_nodes, NULL));
    mesh->coordinates = TESS_TAKE(grouped->coordinates);
    if (grouped->elements.n_ghosts)
        CHECK(tess_mesh_warn(mesh, "%lld ghost%s left out", (long long)grouped->elements.n_ghosts,
                             grouped->elements.n_ghosts == 1
                                 ? ", a copy of a cell of another part, was"
                                 : "s, copies of cells of other parts, were"));
    if (tess_elements_dimension(&grouped->elements) >= 2) { /* else it is refused */
        CHECK(warn_of_lower(grouped, mesh));
        CHECK(name_sides(grouped, mesh));
        CHECK(name_cells(grouped, mesh, &regions));
    }
    CHECK(tess_polygon_cells_state(&grouped->elements, mesh));
    if (regions)
        CHECK(tess_mesh_add_dat(mesh, "region", "cells", 1, TESS_INT32, TESS_TAKE(regions)));
    *out = TESS_TAKE(mesh);
done:
    free(regions);
    tess_mesh_free(mesh);
    return status;
}

void tess_grouped_clear(tess_grouped *grouped) {
    free(grouped->coordinates);
    grouped->coordinates = NULL;
    tess_elements_clear(&grouped->elements);
}
