/* A CGNS file that is being read: what its zones have gathered, and the elements that the boundary
 * conditions of the present zone list. */
#include "data/formats/cgns/cgns_file.h"

#include "core/base/array.h"
#include "core/base/print_args.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

tess_status tess_cgns_fail(const tess_cgns_file *file, const char *what, const char *name,
                           const char *format, ...) {
    char words[256];
    TESS_PRINT_ARGS(words, format);
    FAIL(TESS_ERROR_INPUT, "%s: zone %d, %s '%.32s': %s", file->text->path, file->zone, what, name,
         words);
}

tess_status tess_cgns_library_fail(const tess_cgns_file *file, const char *what, const char *name) {
    return tess_cgns_fail(file, what, name, "%s", file->library.error());
}

int64_t tess_cgns_size_at(const tess_cgns_file *file, const void *sizes, int64_t i) {
    return file->wide ? ((const int64_t *)sizes)[i] : ((const int32_t *)sizes)[i];
}

tess_cgns_sizes tess_cgns_sizes_of(const tess_cgns_file *file, const int64_t values[3]) {
    tess_cgns_sizes sizes = {.wide = {values[0], values[1], values[2]}};
    for (int axis = 0; axis < 3 && !file->wide; axis++)
        sizes.narrow[axis] = (int32_t)values[axis];
    return sizes;
}

tess_status tess_cgns_sizes_alloc(const tess_cgns_file *file, const char *what, const char *name,
                                  int64_t n, char **sizes) {
    if (n < 0 || n / CGNS_MOST_GROWTH > file->text->size)
        return tess_cgns_fail(file, what, name, "it announces more than the file holds");
    return tess_array_zeros(n, file->wide ? 8 : 4, (void **)sizes);
}

tess_status tess_cgns_array_find(const tess_cgns_file *file, const tess_cgns_array *array,
                                 int *tree, double *node, bool *found) {
    const tess_cgns *library = &file->library;
    char *path = NULL;
    double root = 0;
    TRY(tess_text_print(&path, "/%s/%s/%s%s/%s", file->base_name, file->zone_name, array->group,
                        array->name, array->array));
    const bool open = library->tree(file->id, tree) == 0 && library->root(file->id, &root) == 0;
    *found = open && library->node(*tree, root, path, node) == 0;
    free(path);
    return open ? TESS_OK : tess_cgns_library_fail(file, array->what, array->name);
}

tess_status tess_cgns_array_check(const tess_cgns_file *file, const tess_cgns_array *array,
                                  int64_t n) {
    int tree = 0, n_axes = 0;
    double node = 0;
    bool found = false;
    int64_t lengths[CGNS_MOST_AXES], stored = 1;
    TRY(tess_cgns_array_find(file, array, &tree, &node, &found));
    if (!found || file->library.lengths(tree, node, &n_axes, lengths) != 0)
        return TESS_OK;
    for (int axis = 0; axis < n_axes; axis++)
        if (__builtin_mul_overflow(stored, tess_cgns_size_at(file, lengths, axis), &stored))
            stored = INT64_MAX;
    if (stored > n)
        return tess_cgns_fail(file, array->what, array->name,
                              "%s has %" PRId64 " values in the file, more than the %" PRId64
                              " announced",
                              array->array, stored, n);
    return TESS_OK;
}

tess_status tess_cgns_add_group(tess_cgns_file *file, const char *name, int32_t *group) {
    TRY(TESS_RESERVE(file->n_groups + 2, &file->groups_capacity, &file->groups));
    if (file->n_groups == 0) /* the group 0 has no name */
        file->groups[file->n_groups++].name[0] = '\0';
    snprintf(file->groups[file->n_groups].name, sizeof file->groups->name, "%s", name);
    *group = (int32_t)file->n_groups++;
    return TESS_OK;
}

tess_status tess_cgns_add_condition(tess_cgns_file *file, const char *name, int32_t *condition) {
    tess_cgns_condition added = {.n = 0};
    TRY(tess_cgns_add_group(file, name, &added.group));
    TRY(TESS_RESERVE(file->n_conditions + 1, &file->conditions_capacity, &file->conditions));
    *condition = (int32_t)file->n_conditions;
    file->conditions[file->n_conditions++] = added;
    return TESS_OK;
}

tess_status tess_cgns_points_check(const tess_cgns_file *file, const char *condition, int kind,
                                   int64_t n) {
    static const char *const names[] = {[CGNS_POINT_LIST] = "PointList",
                                        [CGNS_POINT_RANGE] = "PointRange",
                                        [CGNS_ELEMENT_RANGE] = "ElementRange",
                                        [CGNS_ELEMENT_LIST] = "ElementList"};
    const int n_names = sizeof names / sizeof names[0];
    const char *array = kind >= 0 && kind < n_names ? names[kind] : NULL;
    if (!array)
        return tess_cgns_fail(file, "boundary condition", condition, "it lists nothing known");
    return tess_cgns_array_check(
        file, &(tess_cgns_array){"boundary condition", condition, "ZoneBC/", array}, n);
}

/* Elements of a zone, or its nodes, that a condition lists from one number to another. */
typedef struct listed_range {
    int64_t first, last;
    int32_t condition;
    bool of_elements;
} listed_range;

static tess_status append_marked(tess_cgns_file *file, const listed_range *range) {
    TRY(TESS_RESERVE(file->n_marked + 1, &file->marked_capacity, &file->marked));
    file->marked[file->n_marked++] =
        (tess_cgns_marked){range->first, range->last, range->last, range->condition};
    file->conditions[range->condition].n += range->last - range->first + 1;
    return TESS_OK;
}

static tess_status append_nodes(tess_cgns_file *file, const listed_range *range) {
    const int64_t first = range->first, last = range->last;
    const tess_cgns_condition *condition = &file->conditions[range->condition];
    if (first < 1 || last > file->n_zone_nodes)
        return tess_cgns_fail(file, "boundary condition", file->groups[condition->group].name,
                              "its nodes %" PRId64 "..%" PRId64 " are not in 1..%" PRId64, first,
                              last, file->n_zone_nodes);
    for (int64_t node = first; node <= last; node++)
        TRY(tess_vertex_groups_add(&file->vertices, file->grouped.n_nodes + node - 1,
                                   condition->group));
    return TESS_OK;
}

static tess_status append_range(tess_cgns_file *file, const listed_range *range) {
    return range->of_elements ? append_marked(file, range) : append_nodes(file, range);
}

/* What a condition lists, as the library says. */
typedef struct condition_head {
    char name[CGNS_NAME_SIZE];
    int kind, position;
    int64_t n;
} condition_head;

static tess_status read_head(tess_cgns_file *file, int condition, condition_head *head) {
    const tess_cgns *library = &file->library;
    int type = 0, normal_index[3], normal_type = 0, n_data = 0;
    tess_cgns_size n_raw = {.wide = 0}, n_normals = {.wide = 0};
    *head = (condition_head){.position = CGNS_VERTEX};
    if (library->condition(file->id, file->base, file->zone, condition, head->name, &type,
                           &head->kind, &n_raw, normal_index, &n_normals, &normal_type,
                           &n_data) != 0 ||
        library->condition_position(file->id, file->base, file->zone, condition, &head->position) !=
            0)
        return tess_cgns_library_fail(file, "boundary condition", head->name);
    head->n = tess_cgns_size_at(file, &n_raw, 0);
    return TESS_OK;
}

/* Keeps which elements or nodes a boundary condition lists. */
static tess_status read_condition(tess_cgns_file *file, int condition) {
    static const char what[] = "boundary condition";
    tess_status status = TESS_OK;
    condition_head head;
    listed_range range = {.first = 0};
    char *points = NULL;
    CHECK(read_head(file, condition, &head));
    CHECK(tess_cgns_add_condition(file, head.name, &range.condition));
    const bool is_range = head.kind == CGNS_POINT_RANGE || head.kind == CGNS_ELEMENT_RANGE;
    range.of_elements = head.kind == CGNS_ELEMENT_LIST || head.kind == CGNS_ELEMENT_RANGE ||
                        head.position != CGNS_VERTEX; /* Gmsh calls sides cells */
    const int64_t n = is_range ? 2 : head.n;
    CHECK(tess_cgns_points_check(file, head.name, head.kind, n));
    CHECK(tess_cgns_sizes_alloc(file, what, head.name, n, &points));
    if (file->library.condition_points(file->id, file->base, file->zone, condition, points, NULL) !=
        0)
        CHECK(tess_cgns_library_fail(file, what, head.name));
    for (int64_t i = 0; i < n; i += is_range ? 2 : 1) {
        range.first = tess_cgns_size_at(file, points, i);
        range.last = is_range ? tess_cgns_size_at(file, points, 1) : range.first;
        CHECK(append_range(file, &range));
    }
done:
    free(points);
    return status;
}

static int compare_marked(const void *left, const void *right) {
    const tess_cgns_marked *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->condition > b->condition) - (a->condition < b->condition);
}

tess_status tess_cgns_conditions_read(tess_cgns_file *file) {
    int n = 0;
    file->n_marked = 0;
    if (file->library.n_conditions(file->id, file->base, file->zone, &n) != 0)
        return tess_cgns_library_fail(file, "zone", "");
    for (int i = 1; i <= n; i++)
        TRY(read_condition(file, i));
    if (file->n_marked)
        qsort(file->marked, (size_t)file->n_marked, sizeof *file->marked, compare_marked);
    for (int64_t i = 1; i < file->n_marked; i++)
        if (file->marked[i - 1].reach > file->marked[i].reach)
            file->marked[i].reach = file->marked[i - 1].reach;
    return TESS_OK;
}

/* How many of the marked ranges begin at or before an element. */
static int64_t count_before(const tess_cgns_file *file, int64_t number) {
    int64_t low = 0, high = file->n_marked;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (file->marked[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t tess_cgns_next_group(tess_cgns_file *file, int64_t number, int32_t otherwise, int64_t *at) {
    const bool is_first = *at < 0;
    *at = is_first ? count_before(file, number) : *at;
    while (*at > 0) {
        const tess_cgns_marked *marked = &file->marked[--*at];
        if (marked->reach < number)
            *at = 0;
        if (marked->last >= number) {
            tess_cgns_condition *condition = &file->conditions[marked->condition];
            condition->n_found++;
            return condition->group;
        }
    }
    return is_first ? otherwise : -1;
}

/* Counts a side that the group's condition loses. */
static void count_again(tess_cgns_file *file, int32_t group) {
    for (int64_t i = 0; i < file->n_conditions; i++)
        file->conditions[i].n_again += file->conditions[i].group == group;
}

int32_t tess_cgns_group_of(tess_cgns_file *file, int64_t number, int32_t otherwise) {
    int64_t at = -1;
    int32_t lost = 0;
    if (file->n_marked == 0)
        return otherwise;
    const int32_t group = tess_cgns_next_group(file, number, otherwise, &at);
    while (group >= 0 && (lost = tess_cgns_next_group(file, number, otherwise, &at)) >= 0)
        count_again(file, lost);
    return group;
}

/* Counts the sides that have each group. */
static void count_sides(const tess_elements *elements, int dimension, int64_t *count) {
    for (int64_t i = 0; dimension == 2 && i < elements->polygons.size; i++)
        count[elements->polygons.marker[i]]++;
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        const tess_element_list *list = &elements->lists[type];
        for (int64_t i = 0; tess_element_kinds[type].dimension == dimension && i < list->size; i++)
            count[list->marker[i]]++;
    }
}

tess_status tess_cgns_vertices_mark(tess_cgns_file *file, const tess_vertex_polygons *polygons) {
    int64_t *count = NULL;
    TRY(tess_vertex_sides_append(&file->vertices, file->grouped.n_nodes, polygons,
                                 &file->grouped.elements));
    TRY(TESS_ZEROS(file->n_groups, &count));
    count_sides(&file->grouped.elements, file->cell_dimension - 1, count);
    for (int64_t i = 0; i < file->n_conditions; i++)
        if (file->conditions[i].n == 0)
            file->conditions[i].n_found += count[file->conditions[i].group];
    free(count);
    return TESS_OK;
}

tess_status tess_cgns_warn_of_lost(const tess_cgns_file *file, tess_mesh *mesh) {
    tess_name_counts lost = {.n = 0}, again = {.n = 0};
    const tess_name_counts bases = file->bases, families = file->families;
    for (int64_t i = 0; i < file->n_conditions; i++) {
        const tess_cgns_condition *condition = &file->conditions[i];
        const char *name = file->groups[condition->group].name;
        if (condition->n > condition->n_found)
            tess_name_counts_add(&lost, name, condition->n - condition->n_found);
        else if (condition->n_found == 0)
            tess_name_counts_add(&lost, name, 0);
        if (condition->n_again)
            tess_name_counts_add(&again, name, condition->n_again);
    }
    if (again.n)
        TRY(tess_mesh_warn(mesh,
                           "%d boundary condition%s sides that have another one, which alone "
                           "counts: %s",
                           again.n, again.n == 1 ? " lists" : "s list",
                           tess_name_counts_text(&again)));
    if (lost.n)
        TRY(tess_mesh_warn(mesh, "%d boundary condition%s what are no sides of cells: %s", lost.n,
                           lost.n == 1 ? " lists" : "s list", tess_name_counts_text(&lost)));
    if (families.n)
        TRY(tess_mesh_warn(mesh,
                           "%d %s left out, as markers have the names of boundary conditions: %s",
                           families.n, families.n == 1 ? "family is" : "families are",
                           tess_name_counts_text(&families)));
    return bases.n ? tess_mesh_warn(mesh,
                                    "of %d bases '%s' was read; %d left out: %s "
                                    "(MESH:base=NAME reads another one)",
                                    file->n_bases, file->base_name, bases.n,
                                    tess_name_counts_text(&bases))
                   : TESS_OK;
}

void tess_cgns_file_clear(tess_cgns_file *file) {
    if (file->id >= 0)
        file->library.close(file->id);
    file->id = -1;
    free(file->groups);
    free(file->conditions);
    free(file->marked);
    tess_vertex_groups_clear(&file->vertices);
    tess_grouped_clear(&file->grouped);
}
