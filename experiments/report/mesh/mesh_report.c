/* A report of a mesh: its sets, extent, markers, maps and warnings, for people or as JSON. */
#include "experiments/report/mesh/mesh_report.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/mesh/derive.h"
#include "experiments/report/table.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Least and largest coordinates of the nodes: zeros where there are none. */
static void extent_of(const tess_mesh *mesh, double least[3], double largest[3]) {
    const int64_t n_nodes = mesh->coordinates ? tess_mesh_set_size(mesh, "nodes") : 0;
    for (int d = 0; d < mesh->dimension; d++) {
        least[d] = largest[d] = n_nodes ? mesh->coordinates[d] : 0;
        for (int64_t i = 1; i < n_nodes; i++) {
            const double x = mesh->coordinates[i * mesh->dimension + d];
            least[d] = x < least[d] ? x : least[d];
            largest[d] = x > largest[d] ? x : largest[d];
        }
    }
}

/* Counts the elements that carry each marker in one dat. */
static void count_markers_of(const tess_mesh *mesh, const tess_dat *dat, int64_t *count) {
    for (int64_t i = 0; i < mesh->sets[dat->set].size; i++) {
        const int32_t marker = ((const int32_t *)dat->values)[i];
        if (marker >= 0 && marker < mesh->n_markers)
            count[marker]++;
    }
}

/* How many elements carry each marker: of the marked sets, or, where there are none, as of polygons
 * and polyhedra, of all sides. The caller frees *out [mesh->n_markers]. */
static tess_status count_markers(const tess_mesh *mesh, int64_t **out) {
    static const char *const marked[] = {"marked_edges", "marked_tris", "marked_quads", NULL};
    static const char *const sides[] = {"edges", "faces", "bedges", "bfaces", NULL};
    TRY(TESS_ZEROS(mesh->n_markers, out));
    bool found = false;
    for (int kind = 0; kind < 2 && !found; kind++)
        for (const char *const *set = kind ? sides : marked; *set; set++) {
            const tess_dat *dat = tess_mesh_find_dat(mesh, "marker", *set);
            if (dat && dat->type == TESS_INT32)
                count_markers_of(mesh, dat, *out);
            found = found || dat;
        }
    return TESS_OK;
}

/* A table of names [n] and of how many elements each has, behind an empty line. */
static tess_status print_counts(const char *const *titles, int n, char *const *names,
                                const int64_t *count) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    if (n == 0)
        return TESS_OK;
    CHECK(tess_table_new(titles, &table));
    for (int i = 0; i < n; i++) {
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", names[i]));
        CHECK(tess_table_add_cell(table, "%lld", (long long)count[i]));
    }
    putchar('\n');
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

static tess_status print_markers(const tess_mesh *mesh) {
    static const char *const titles[] = {"marker", ">elements", NULL};
    int64_t *count = NULL;
    TRY(count_markers(mesh, &count));
    const tess_status status = print_counts(titles, mesh->n_markers, mesh->markers, count);
    free(count);
    return status;
}

/* How many cells each region has; the caller frees *out [mesh->n_regions]. */
static tess_status count_regions(const tess_mesh *mesh, int64_t **out) {
    const int32_t *region = tess_mesh_regions(mesh);
    TRY(TESS_ZEROS(mesh->n_regions, out));
    for (int64_t cell = 0; region && cell < tess_mesh_set_size(mesh, "cells"); cell++)
        if (region[cell] >= 0)
            (*out)[region[cell]]++;
    return TESS_OK;
}

static tess_status print_regions(const tess_mesh *mesh) {
    static const char *const titles[] = {"region", ">cells", NULL};
    int64_t *count = NULL;
    TRY(count_regions(mesh, &count));
    const tess_status status = print_counts(titles, mesh->n_regions, mesh->regions, count);
    free(count);
    return status;
}

static tess_status print_sets(const tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(TESS_TITLES("set", ">size"), &table));
    for (int s = 0; s < mesh->n_sets; s++) {
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", mesh->sets[s].name));
        CHECK(tess_table_add_cell(table, "%lld", (long long)mesh->sets[s].size));
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

static tess_status add_map_row(tess_table *table, const tess_mesh *mesh, const char *name) {
    const tess_map *map = tess_mesh_find_map(mesh, name);
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", name));
    if (!map)
        return TESS_OK;
    TRY(tess_table_add_cell(table, "%lld", (long long)mesh->sets[map->from].size));
    TRY(tess_table_add_cell(table, "%s%d", map->padded ? "up to " : "", map->arity));
    return tess_table_add_cell(table, "%s", map->derived ? "derived" : "stated");
}

static tess_status print_maps(const tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    const char **names = NULL;
    CHECK(tess_mesh_derivable(mesh, &names));
    CHECK(tess_table_new(TESS_TITLES("map", ">elements", ">points", "origin"), &table));
    for (int i = 0; names[i]; i++)
        if (tess_mesh_find_map(mesh, names[i]))
            CHECK(add_map_row(table, mesh, names[i]));
    putchar('\n');
    CHECK(tess_table_print(table, stdout));
    bool first = true;
    for (int i = 0; names[i]; i++) {
        if (tess_mesh_find_map(mesh, names[i]))
            continue;
        printf("%s%s", first ? "\nAlso on request: " : ", ", names[i]);
        first = false;
    }
    if (!first)
        putchar('\n');
done:
    free(names);
    tess_table_free(table);
    return status;
}

/* ", x from 0 to 1", by as many digits as tell the two apart. */
static void print_extent(char axis, double least, double largest) {
    char low[32], high[32];
    int digits = FLT_DIG;
    do {
        snprintf(low, sizeof low, "%.*g", digits, least);
        snprintf(high, sizeof high, "%.*g", digits, largest);
    } while (least < largest && strcmp(low, high) == 0 && digits++ < DBL_DECIMAL_DIG);
    printf(", %c from %s to %s", axis, low, high);
}

tess_status tess_mesh_report_print(const tess_mesh *mesh, bool maps) {
    double least[3], largest[3];
    extent_of(mesh, least, largest);
    printf(mesh->coordinates ? "%s: %dD" : "%s: no coordinates", mesh->source, mesh->dimension);
    for (int d = 0; mesh->coordinates && d < mesh->dimension; d++)
        print_extent("xyz"[d], least[d], largest[d]);
    if (mesh->shape[0]) {
        printf(", a box of");
        for (int d = 0; d < mesh->dimension; d++)
            printf("%s%lld", d ? " x " : " ", (long long)mesh->shape[d]);
    }
    printf("\n\n");
    TRY(print_sets(mesh));
    TRY(print_markers(mesh));
    TRY(print_regions(mesh));
    if (maps)
        TRY(print_maps(mesh));
    for (int64_t i = 0; i < mesh->n_warnings; i++)
        printf("%swarning: %s\n", i ? "" : "\n", mesh->warnings[i]);
    return TESS_OK;
}

/* Adds a value to an object; what fails shows as a NULL object in the end. */
static void put(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static json_t *coordinates_json(const tess_mesh *mesh, const double *values) {
    json_t *array = json_array();
    for (int d = 0; d < mesh->dimension; d++)
        json_array_append_new(array, tess_json_number(values[d]));
    return array;
}

static json_t *maps_json(const tess_mesh *mesh) {
    json_t *maps = json_object();
    for (int m = 0; m < mesh->n_maps; m++)
        put(maps, mesh->maps[m].name,
            json_pack("{s:i, s:b, s:b}", "arity", mesh->maps[m].arity, "padded",
                      (int)mesh->maps[m].padded, "derived", (int)mesh->maps[m].derived));
    return maps;
}

tess_status tess_mesh_report_json(const tess_mesh *mesh, json_t **out) {
    tess_status status = TESS_OK;
    const char **names = NULL;
    int64_t *count = NULL, *n_cells = NULL;
    double least[3], largest[3];
    CHECK(tess_mesh_derivable(mesh, &names));
    CHECK(count_markers(mesh, &count));
    CHECK(count_regions(mesh, &n_cells));
    extent_of(mesh, least, largest);
    json_t *sets = json_object(), *derivable = json_array(), *markers = json_array();
    json_t *regions = json_array();
    json_t *warnings = json_array(), *shape = json_array();
    for (int s = 0; s < mesh->n_sets; s++)
        put(sets, mesh->sets[s].name, json_integer(mesh->sets[s].size));
    for (int i = 0; names[i]; i++)
        json_array_append_new(derivable, json_string(names[i]));
    for (int m = 0; m < mesh->n_markers; m++)
        json_array_append_new(
            markers, json_pack("{s:o, s:i, s:I}", "name", tess_json_text(mesh->markers[m]), "tag",
                               (int)mesh->marker_tags[m], "elements", (json_int_t)count[m]));
    for (int r = 0; r < mesh->n_regions; r++)
        json_array_append_new(
            regions, json_pack("{s:o, s:i, s:I}", "name", tess_json_text(mesh->regions[r]), "tag",
                               (int)mesh->region_tags[r], "cells", (json_int_t)n_cells[r]));
    for (int64_t i = 0; i < mesh->n_warnings; i++)
        json_array_append_new(warnings, tess_json_text(mesh->warnings[i]));
    for (int d = 0; d < mesh->dimension && mesh->shape[0]; d++)
        json_array_append_new(shape, json_integer(mesh->shape[d]));
    *out = json_pack("{s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "tess.mesh/1", "source", tess_json_text(mesh->source), "dimension",
                     mesh->dimension, "least", coordinates_json(mesh, least), "largest",
                     coordinates_json(mesh, largest), "shape", shape, "sets", sets, "maps",
                     maps_json(mesh), "derivable", derivable, "markers", markers, "regions",
                     regions, "warnings", warnings);
done:
    free(names);
    free(count);
    free(n_cells);
    return status;
}

/* The first elements of a fault; sides by their nodes. */
static void print_shown(const tess_mesh_fault *fault) {
    const bool sides = strcmp(fault->kind, "non-manifold") == 0;
    for (int i = 0; i < fault->n_shown; i++) {
        printf("%s", i ? ", " : ": ");
        for (int k = 0; sides && k < 4 && fault->nodes[i][k] >= 0; k++)
            printf("%s%d", k ? "-" : "", fault->nodes[i][k]);
        if (!sides)
            printf("%d", fault->shown[i]);
    }
    puts(fault->count > fault->n_shown ? " ..." : "");
}

void tess_mesh_faults_print(const tess_mesh_faults *faults) {
    for (int64_t i = 0; i < faults->n; i++) {
        const tess_mesh_fault *fault = &faults->items[i];
        printf("%lld of the %s %s", (long long)fault->count, fault->set, fault->words);
        print_shown(fault);
    }
}

static json_t *fault_json(const tess_mesh_fault *fault) {
    json_t *elements = json_array(), *sides = json_array();
    for (int i = 0; i < fault->n_shown; i++) {
        json_t *nodes = json_array();
        for (int k = 0; k < 4 && fault->nodes[i][k] >= 0; k++)
            json_array_append_new(nodes, json_integer(fault->nodes[i][k]));
        json_array_append_new(elements, json_integer(fault->shown[i]));
        json_array_append_new(sides, nodes);
    }
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:I, s:o}", "kind", fault->kind, "set", fault->set, "words",
                  fault->words, "count", (json_int_t)fault->count, "first", elements);
    if (strcmp(fault->kind, "non-manifold") == 0)
        put(object, "nodes", sides);
    else
        json_decref(sides);
    return object;
}

json_t *tess_mesh_faults_array(const tess_mesh_faults *faults) {
    json_t *array = json_array();
    for (int64_t i = 0; i < faults->n; i++)
        json_array_append_new(array, fault_json(&faults->items[i]));
    return array;
}
