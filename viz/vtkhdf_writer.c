/* VTKHDF files: a view mesh as ParaView's own reader opens it. */
#include "viz/vtkhdf_writer.h"

#include "core/base/hdf_file.h"
#include "core/base/whole_file.h"
#include <stdlib.h>
#include <string.h>

enum { FIELD_NAME_SIZE = TESS_METRIC_NAME_SIZE + TESS_NAME_SIZE + 8 };

static tess_status write_counts(hid_t root, const tess_view_mesh *view) {
    TRY(tess_hdf_write(root, "NumberOfPoints", H5T_NATIVE_INT64, 1, 0, &view->n_points));
    TRY(tess_hdf_write(root, "NumberOfCells", H5T_NATIVE_INT64, 1, 0, &view->n_cells));
    return tess_hdf_write(root, "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, 0,
                          &view->n_corners);
}

static tess_status write_geometry(hid_t root, const tess_view_mesh *view) {
    TRY(tess_hdf_write(root, "Points", H5T_NATIVE_DOUBLE, view->n_points, 3, view->points));
    TRY(tess_hdf_write(root, "Types", H5T_NATIVE_UINT8, view->n_cells, 0, view->type));
    TRY(tess_hdf_write(root, "Offsets", H5T_NATIVE_INT64, view->n_cells + 1, 0, view->offset));
    return tess_hdf_write(root, "Connectivity", H5T_NATIVE_INT64, view->n_corners, 0,
                          view->connectivity);
}

static hid_t memory_type(tess_type type) {
    return type == TESS_INT32   ? H5T_NATIVE_INT32
           : type == TESS_FLOAT ? H5T_NATIVE_FLOAT
                                : H5T_NATIVE_DOUBLE;
}

static tess_status write_arrays(hid_t group, const tess_view_mesh *view) {
    for (int i = 0; i < view->n_arrays; i++)
        TRY(tess_hdf_write(group, view->arrays[i].name, memory_type(view->arrays[i].type),
                           view->n_cells, 0, view->arrays[i].values));
    return TESS_OK;
}

static tess_status write_cell_data(hid_t group, const tess_view_mesh *view, int n_fields,
                                   const tess_viz_field *fields) {
    TRY(write_arrays(group, view));
    for (int i = 0; i < n_fields; i++)
        TRY(tess_hdf_write(group, fields[i].name, memory_type(fields[i].type), view->n_cells,
                           fields[i].dim > 1 ? fields[i].dim : 0, fields[i].values));
    return TESS_OK;
}

/* Points that stand for blocks have what their vertices have. */
static tess_status write_point_data(hid_t group, const tess_view_mesh *view) {
    TRY(tess_hdf_write(group, "explode", H5T_NATIVE_FLOAT, view->n_points, 3, view->explode));
    return view->shared_by ? tess_hdf_write(group, "shared_by", H5T_NATIVE_INT32, view->n_points, 0,
                                            view->shared_by)
                           : write_arrays(group, view);
}

/* A metric's name as ParaView shows it, which takes '/' and '.' of names for paths:
 * "transfer_total [B]", "unique_points_warp_cells_slot_0". */
static void field_name(const tess_metric_value *value, char out[FIELD_NAME_SIZE]) {
    const bool has_unit = *value->unit && strcmp(value->unit, "1") != 0;
    const char *dot = strchr(value->name, '.');
    const int length = dot ? (int)(dot - value->name) : TESS_METRIC_NAME_SIZE;
    snprintf(out, FIELD_NAME_SIZE, "%.*s%s%s%s%s%s", length, value->name, dot ? "_slot_" : "",
             dot ? dot + 1 : "", has_unit ? " [" : "", has_unit ? value->unit : "",
             has_unit ? "]" : "");
    for (char *slash = out; (slash = strchr(slash, '/'));)
        *slash = '_';
}

/* What readers of HDF5 find beside the number, as in the lab's other files. */
static tess_status write_meaning(hid_t group, const char *field, const tess_metric_value *value) {
    const tess_quantity *metric = tess_metric_find(value->name);
    const hid_t array = H5Oopen(group, field, H5P_DEFAULT);
    tess_status status = tess_hdf_attribute_text(array, "unit", *value->unit ? value->unit : "1");
    if (status == TESS_OK && metric)
        status = tess_hdf_attribute_text(array, "long_name", metric->long_name);
    H5Oclose(array);
    return status;
}

static tess_status write_metric(hid_t group, const tess_metric_value *value) {
    char name[FIELD_NAME_SIZE];
    field_name(value, name);
    if (H5Lexists(group, name, H5P_DEFAULT) > 0)
        return TESS_OK; /* the first of a name, as tess_metrics_get */
    TRY(tess_hdf_write(group, name, H5T_NATIVE_DOUBLE, 1, 0, &value->value));
    return write_meaning(group, name, value);
}

/* ParaView's reader knows texts of variable length only. */
static tess_status write_label(hid_t group, const tess_view_label *label) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    const tess_status status = tess_hdf_write(group, label->key, type, 1, 0, &label->text);
    H5Tclose(type);
    return status;
}

static tess_status write_rings(hid_t group, const tess_view_mesh *view) {
    if (!view->ring_begin)
        return TESS_OK;
    TRY(tess_hdf_write(group, "ring_begin", H5T_NATIVE_INT64, view->n_blocks + 1, 0,
                       view->ring_begin));
    return tess_hdf_write(group, "ring_element", H5T_NATIVE_INT32, view->ring_begin[view->n_blocks],
                          0, view->ring_element);
}

static tess_status write_field_data(hid_t group, const tess_view_source *source) {
    for (int i = 0; source->metrics && i < source->metrics->n_values; i++)
        TRY(write_metric(group, &source->metrics->values[i]));
    for (int i = 0; i < source->n_labels; i++)
        TRY(write_label(group, &source->labels[i]));
    return TESS_OK;
}

static tess_status write_source(hid_t file, const tess_view_source *source) {
    if (!source->of)
        return TESS_OK;
    TRY(tess_hdf_attribute_text(file, "view_of", source->of));
    return tess_hdf_attribute_ints(file, "view_version", 1, (const int64_t[]){source->version});
}

/* What goes into a file. */
typedef struct content {
    const tess_view_mesh *view;
    int n_fields;
    const tess_viz_field *fields;
    const tess_view_source *source;
} content;

static tess_status write_content(hid_t file, const content *c) {
    tess_status status = TESS_OK;
    hid_t groups[4] = {-1, -1, -1, -1}; /* VTKHDF and its data of cells, points and the whole */
    CHECK(tess_hdf_group(file, "VTKHDF", &groups[0]));
    CHECK(tess_hdf_attribute_ints(groups[0], "Version", 2, (const int64_t[]){1, 0}));
    CHECK(tess_hdf_attribute_text(groups[0], "Type", "UnstructuredGrid"));
    CHECK(write_counts(groups[0], c->view));
    CHECK(write_geometry(groups[0], c->view));
    CHECK(tess_hdf_group(groups[0], "CellData", &groups[1]));
    CHECK(write_cell_data(groups[1], c->view, c->n_fields, c->fields));
    CHECK(tess_hdf_group(groups[0], "PointData", &groups[2]));
    CHECK(write_point_data(groups[2], c->view));
    CHECK(tess_hdf_group(groups[0], "FieldData", &groups[3]));
    CHECK(write_field_data(groups[3], c->source));
    CHECK(write_rings(groups[3], c->view));
    CHECK(write_source(file, c->source));
done:
    for (int i = 3; i >= 0; i--)
        tess_hdf_close(groups[i]);
    return status;
}

static tess_status write_file(const content *c, const char *path) {
    tess_status status = TESS_OK;
    tess_hdf_file *file = NULL;
    CHECK(tess_whole_file_check(path));
    CHECK(tess_hdf_create(H5F_LIBVER_EARLIEST, &file));
    CHECK(write_content(file->id, c));
    CHECK(tess_hdf_commit(file, path));
done:
    tess_hdf_free(file);
    return status;
}

tess_status tess_vtkhdf_write(const tess_view_mesh *view, const tess_view_source *source,
                              const char *path) {
    const content c = {.view = view, .source = source};
    return write_file(&c, path);
}

tess_status tess_vtkhdf_write_step(const tess_view_mesh *view, int n_fields,
                                   const tess_viz_field *fields, const char *path) {
    const content c = {.view = view,
                       .n_fields = n_fields,
                       .fields = fields,
                       .source = &(const tess_view_source){.of = NULL}};
    return write_file(&c, path);
}
