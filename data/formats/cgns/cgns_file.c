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
    TRY(TESS_RESERVE(file->n_groups + 1, &file->groups_capacity, &file->groups));
    snprintf(file->groups[file->n_groups].name, CGNS_NAME_SIZE, "%s", name);
    *group = (int32_t)file->n_groups++;
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

static tess_status append_marked(tess_cgns_file *file, int64_t first, int64_t last, int32_t group) {
    TRY(TESS_RESERVE(file->n_marked + 1, &file->marked_capacity, &file->marked));
    file->marked[file->n_marked++] = (tess_cgns_marked){first, last, group};
    return TESS_OK;
}

/* Keeps which elements a boundary condition lists. */
static tess_status read_condition(tess_cgns_file *file, int condition) {
    static const char what[] = "boundary condition";
    const tess_cgns *library = &file->library;
    tess_status status = TESS_OK;
    char name[CGNS_NAME_SIZE] = "", *points = NULL;
    int type = 0, kind = 0, normal_index[3], normal_type = 0, n_data = 0, position = 0;
    int32_t group = 0;
    tess_cgns_size n_raw = {.wide = 0}, n_normals = {.wide = 0};
    if (library->condition(file->id, CGNS_BASE, file->zone, condition, name, &type, &kind, &n_raw,
                           normal_index, &n_normals, &normal_type, &n_data) != 0)
        CHECK(tess_cgns_library_fail(file, what, name));
    const bool of_elements = kind == CGNS_ELEMENT_LIST || kind == CGNS_ELEMENT_RANGE;
    const bool is_range = kind == CGNS_POINT_RANGE || kind == CGNS_ELEMENT_RANGE;
    if (!of_elements &&
        (library->condition_position(file->id, CGNS_BASE, file->zone, condition, &position) != 0 ||
         (position != CGNS_FACE_CENTRE && position != CGNS_EDGE_CENTRE)))
        return TESS_OK;
    const int64_t n = is_range ? 2 : tess_cgns_size_at(file, &n_raw, 0);
    CHECK(tess_cgns_points_check(file, name, kind, n));
    CHECK(tess_cgns_sizes_alloc(file, what, name, n, &points));
    if (library->condition_points(file->id, CGNS_BASE, file->zone, condition, points, NULL) != 0)
        CHECK(tess_cgns_library_fail(file, what, name));
    CHECK(tess_cgns_add_group(file, name, &group));
    if (is_range)
        CHECK(append_marked(file, tess_cgns_size_at(file, points, 0),
                            tess_cgns_size_at(file, points, 1), group));
    for (int64_t i = 0; i < n && !is_range; i++)
        CHECK(append_marked(file, tess_cgns_size_at(file, points, i),
                            tess_cgns_size_at(file, points, i), group));
done:
    free(points);
    return status;
}

static int compare_marked(const void *left, const void *right) {
    const tess_cgns_marked *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

tess_status tess_cgns_conditions_read(tess_cgns_file *file) {
    int n = 0;
    file->n_marked = 0;
    if (file->library.n_conditions(file->id, CGNS_BASE, file->zone, &n) != 0)
        return tess_cgns_library_fail(file, "zone", "");
    for (int i = 1; i <= n; i++)
        TRY(read_condition(file, i));
    if (file->n_marked)
        qsort(file->marked, (size_t)file->n_marked, sizeof *file->marked, compare_marked);
    return TESS_OK;
}

int32_t tess_cgns_group_of(const tess_cgns_file *file, int64_t number, int32_t otherwise) {
    int64_t low = 0, high = file->n_marked; /* the last that begins at or before it is low - 1 */
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (file->marked[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && file->marked[low - 1].last >= number ? file->marked[low - 1].group
                                                           : otherwise;
}

void tess_cgns_file_clear(tess_cgns_file *file) {
    if (file->id >= 0)
        file->library.close(file->id);
    file->id = -1;
    free(file->groups);
    free(file->marked);
    tess_grouped_clear(&file->grouped);
}
