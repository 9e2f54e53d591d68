/* In situ through Catalyst 2: Conduit nodes after the mesh blueprint over arrays that stay ours. */
#include "core/base/array.h"
#include "viz/catalyst_api.h"
#include "viz/viz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 512 }; /* TESS_VIZ_CHANNEL_LENGTH and names of ours fit */

typedef struct channel {
    char *name;
    const tess_view_mesh *view; /* the last handed over; before it `nothing` */
    int64_t *sizes;             /* [n_cells] corners of each cell, where cells are of many types */
} channel;

typedef struct session {
    tess_catalyst catalyst;
    int n_channels;
    channel *channels;
} session;

/* What channels show that are not cut yet: scripts get those of the first step only. */
static struct {
    int64_t offset, corner;
    double point;
    float explode;
    int32_t shared_by;
} no_cells;
static const tess_view_mesh nothing = {.offset = &no_cells.offset,
                                       .connectivity = &no_cells.corner,
                                       .points = &no_cells.point,
                                       .explode = &no_cells.explode,
                                       .shared_by = &no_cells.shared_by};

/* The blueprint's names of VTK's cell types. */
static const struct {
    int vtk;
    const char *name;
} shapes[] = {{7, "polygonal"}, {1, "point"},    {3, "line"},   {5, "tri"}, {9, "quad"},
              {10, "tet"},      {14, "pyramid"}, {13, "wedge"}, {12, "hex"}};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], POLYGONS = 1 };

/* A path below a node: valid until the next call on the same buffer. */
__attribute__((format(printf, 2, 3))) static const char *path_of(char path[PATH_SIZE],
                                                                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(path, PATH_SIZE, format, args);
    va_end(args);
    return path;
}

static tess_status probe(void) {
    tess_catalyst catalyst;
    TRY(tess_catalyst_open(&catalyst));
    const tess_status status = tess_catalyst_find_implementation(&catalyst);
    tess_catalyst_close(&catalyst);
    return status;
}

static void session_free(session *s) {
    for (int c = 0; s->channels && c < s->n_channels; c++) {
        free(s->channels[c].name);
        free(s->channels[c].sizes);
    }
    free(s->channels);
    tess_catalyst_close(&s->catalyst);
    free(s);
}

/* Words for Catalyst's own status codes (catalyst_api.h); NULL for those of implementations. */
static const char *status_words(int status) {
    static const char *const words[] = {NULL,
                                        "no implementation was loaded",
                                        "another implementation is running in this process",
                                        "the implementation was not found",
                                        "the implementation is no Catalyst library",
                                        "the implementation lacks functions of Catalyst",
                                        "the implementation is of another version of Catalyst"};
    return status > 0 && status < (int)(sizeof words / sizeof words[0]) ? words[status] : NULL;
}

/* Without a name libcatalyst takes a stub that does nothing: ParaView's is meant. */
static tess_status start(const session *s, const tess_viz_setting *setting) {
    char path[PATH_SIZE];
    conduit_node *node = s->catalyst.create();
    for (int i = 0; i < setting->n_scripts; i++)
        s->catalyst.set_text(node, path_of(path, "catalyst/scripts/script%d", i),
                             setting->scripts[i]);
    s->catalyst.set_text(node, "catalyst_load/implementation", tess_catalyst_implementation());
    if (setting->communicator)
        s->catalyst.set_int64(node, "catalyst/mpi_comm", setting->communicator);
    const int result = s->catalyst.initialize(node);
    s->catalyst.destroy(node);
    if (result == 0)
        return TESS_OK;
    const char *words = status_words(result);
    if (words)
        FAIL(TESS_ERROR_MISSING,
             "Catalyst does not start with '%s': %s (status %d); CATALYST_IMPLEMENTATION_PATHS "
             "names the folder of ParaView's",
             tess_catalyst_implementation(), words, result);
    FAIL(TESS_ERROR_CHECK, "Catalyst does not start: '%s' fails with status %d",
         tess_catalyst_implementation(), result);
}

static tess_status open_session(const tess_viz_setting *setting, void **out) {
    tess_status status = TESS_OK;
    session *s = NULL;
    CHECK(TESS_ZEROS(1, &s));
    CHECK(TESS_ZEROS(setting->n_channels, &s->channels));
    for (int *c = &s->n_channels; *c < setting->n_channels; ++*c) {
        s->channels[*c].view = &nothing;
        CHECK(tess_text_copy(setting->channels[*c], &s->channels[*c].name));
    }
    CHECK(tess_catalyst_open(&s->catalyst));
    CHECK(start(s, setting));
    *out = TESS_TAKE(s);
done:
    if (s)
        session_free(s);
    return status;
}

/* Bit i: cells of shapes[i] are there; POLYGONS is the first. */
static unsigned shapes_of(const tess_view_mesh *view) {
    unsigned present = 0;
    for (int64_t c = 0; c < view->n_cells; c++)
        for (int i = 0; i < N_SHAPES; i++)
            present |= (unsigned)(shapes[i].vtk == view->type[c]) << i;
    return present;
}

/* Bits of pyramids and wedges, for which Conduit and its readers need care. */
static unsigned late_shapes(void) {
    unsigned late = 0;
    for (int i = 0; i < N_SHAPES; i++)
        late |= (unsigned)(shapes[i].vtk == 13 || shapes[i].vtk == 14) << i;
    return late;
}

/* Size and place of each cell, where cells have different ones. */
static tess_status set_sizes(const tess_catalyst *api, conduit_node *node, const char *elements,
                             channel *of) {
    const tess_view_mesh *view = of->view;
    char path[PATH_SIZE];
    if (!of->sizes) {
        TRY(TESS_ALLOC(view->n_cells, &of->sizes));
        for (int64_t c = 0; c < view->n_cells; c++)
            of->sizes[c] = view->offset[c + 1] - view->offset[c];
    }
    api->set_int64s(node, path_of(path, "%s/sizes", elements), of->sizes, view->n_cells, 0, 8, 8,
                    0);
    api->set_int64s(node, path_of(path, "%s/offsets", elements), view->offset, view->n_cells, 0, 8,
                    8, 0);
    return TESS_OK;
}

/* Cells of several types: the map of their names, and type, size and place of each. */
static tess_status set_mixed(const tess_catalyst *api, conduit_node *node, const char *elements,
                             channel *of, unsigned present) {
    const tess_view_mesh *view = of->view;
    char path[PATH_SIZE];
    api->set_text(node, path_of(path, "%s/shape", elements), "mixed");
    for (int i = 0; i < N_SHAPES; i++)
        if (present >> i & 1) /* VTK reads these as 32 bits and ends the process on others */
            api->set_int32(node, path_of(path, "%s/shape_map/%s", elements, shapes[i].name),
                           shapes[i].vtk);
    api->set_uint8s(node, path_of(path, "%s/shapes", elements), view->type, view->n_cells, 0, 1, 1,
                    0);
    return set_sizes(api, node, elements, of);
}

/* Polygons, and triangles and quads beside them as such: no mixed cells, which ParaView before 5.12
 * does not know. */
static tess_status set_polygons(const tess_catalyst *api, conduit_node *node, const char *elements,
                                channel *of) {
    char path[PATH_SIZE];
    api->set_text(node, path_of(path, "%s/shape", elements), shapes[0].name);
    return set_sizes(api, node, elements, of);
}

/* ParaView's adaptor takes pyramids and wedges only in topologies of mixed cells, and those
 * from 5.12 on. */
static tess_status set_cells(const session *s, conduit_node *node, const char *mesh, channel *of) {
    const tess_view_mesh *view = of->view;
    const tess_catalyst *api = &s->catalyst;
    const unsigned present = shapes_of(view);
    char path[PATH_SIZE], elements[PATH_SIZE];
    if (present & late_shapes() && !api->knows_pyramids)
        FAIL(TESS_ERROR_MISSING,
             "this libcatalyst's Conduit knows no pyramids and wedges (0.8.5 does); --viz "
             "paraview and --viz hdf show them");
    api->set_text(node, path_of(path, "%s/topologies/mesh/type", mesh), "unstructured");
    api->set_text(node, path_of(path, "%s/topologies/mesh/coordset", mesh), "coords");
    path_of(elements, "%s/topologies/mesh/elements", mesh);
    api->set_int64s(node, path_of(path, "%s/connectivity", elements), view->connectivity,
                    view->n_corners, 0, 8, 8, 0);
    if (present & POLYGONS)
        return set_polygons(api, node, elements, of);
    if (present & late_shapes() || present & (present - 1))
        return set_mixed(api, node, elements, of, present);
    int i = 1; /* one type; or no cells at all, which any name fits */
    while (i < N_SHAPES - 1 && !(present >> i & 1))
        i++;
    api->set_text(node, path_of(path, "%s/shape", elements), shapes[i].name);
    return TESS_OK;
}

/* A field's values [n][dim] below `mesh`, of points or cells, component by component. */
static void set_field(const session *s, conduit_node *node, const char *mesh, const char *on,
                      int64_t n, const tess_viz_field *field) {
    const tess_catalyst *api = &s->catalyst;
    char path[PATH_SIZE];
    const int64_t size = (int64_t)tess_type_size(field->type), stride = size * field->dim;
    api->set_text(node, path_of(path, "%s/fields/%s/association", mesh, field->name), on);
    api->set_text(node, path_of(path, "%s/fields/%s/topology", mesh, field->name), "mesh");
    api->set_text(node, path_of(path, "%s/fields/%s/volume_dependent", mesh, field->name), "false");
    for (int d = 0; d < field->dim; d++) {
        static const char *const axes[] = {"/x", "/y", "/z"};
        char component[16];
        snprintf(component, sizeof component, "/c%d", d);
        path_of(path, "%s/fields/%s/values%s", mesh, field->name,
                field->dim == 1   ? ""
                : field->dim <= 3 ? axes[d]
                                  : component);
        void *values = (void *)(uintptr_t)field->values; /* read only: Conduit knows no const */
        if (field->type == TESS_INT32)
            api->set_int32s(node, path, values, n, d * size, stride, size, 0);
        else if (field->type == TESS_FLOAT)
            api->set_float32s(node, path, values, n, d * size, stride, size, 0);
        else
            api->set_float64s(node, path, values, n, d * size, stride, size, 0);
    }
}

static tess_status set_channel(const session *s, conduit_node *node, channel *of, int n_fields,
                               const tess_viz_field *fields) {
    const tess_view_mesh *view = of->view;
    static const char *const axes[] = {"x", "y", "z"};
    char path[PATH_SIZE], mesh[PATH_SIZE];
    path_of(mesh, "catalyst/channels/%s/data", of->name);
    s->catalyst.set_text(node, path_of(path, "catalyst/channels/%s/type", of->name), "mesh");
    s->catalyst.set_text(node, path_of(path, "%s/coordsets/coords/type", mesh), "explicit");
    for (int d = 0; d < 3; d++)
        s->catalyst.set_float64s(node,
                                 path_of(path, "%s/coordsets/coords/values/%s", mesh, axes[d]),
                                 view->points, view->n_points, 8 * d, 24, 8, 0);
    TRY(set_cells(s, node, mesh, of));
    const tess_viz_field explode = {
        .name = "explode", .dim = 3, .type = TESS_FLOAT, .values = view->explode};
    set_field(s, node, mesh, "vertex", view->n_points, &explode);
    const tess_viz_field shared_by = {
        .name = "shared_by", .dim = 1, .type = TESS_INT32, .values = view->shared_by};
    set_field(s, node, mesh, "vertex", view->n_points, &shared_by);
    for (int i = 0; i < view->n_arrays; i++) {
        const tess_viz_field array = {.name = view->arrays[i].name,
                                      .dim = 1,
                                      .type = view->arrays[i].type,
                                      .values = view->arrays[i].values};
        set_field(s, node, mesh, "element", view->n_cells, &array);
    }
    for (int i = 0; i < n_fields; i++)
        set_field(s, node, mesh, "element", view->n_cells, &fields[i]);
    return TESS_OK;
}

/* The channel of that name takes a new view. */
static tess_status take_view(session *s, const tess_viz_channel *given) {
    for (int c = 0; c < s->n_channels; c++) {
        channel *kept = &s->channels[c];
        if (strcmp(kept->name, given->name) != 0)
            continue;
        if (given->view != kept->view) {
            free(kept->sizes);
            kept->sizes = NULL;
            kept->view = given->view;
        }
        return TESS_OK;
    }
    FAIL(TESS_ERROR_INTERNAL, "channel '%s' was not announced", given->name);
}

/* The cells that ParaView has of a channel, where `seen` is "CHANNEL=CELLS,..."; -1: not told. */
static int64_t cells_seen(const char *seen, const char *name) {
    const size_t length = strlen(name);
    while (seen && *seen) {
        if (strncmp(seen, name, length) == 0 && seen[length] == '=')
            return strtoll(seen + length + 1, NULL, 10);
        const char *comma = strchr(seen, ',');
        seen = comma ? comma + 1 : NULL;
    }
    return -1;
}

/* ParaView leaves out what it does not know and says that all is well. failures.py counts what it
 * has; other implementations tell nothing. */
static tess_status check_seen(const session *s) {
    for (int c = 0; c < s->n_channels; c++) {
        const int64_t n_cells = s->channels[c].view->n_cells;
        const int64_t n_seen = cells_seen(getenv("TESS_VIZ_SEEN"), s->channels[c].name);
        if (n_seen >= 0 && n_seen != n_cells)
            FAIL(TESS_ERROR_MISSING,
                 "ParaView has taken %lld of the %lld cells of '%s': before 5.12 it knows no mixed "
                 "cells, pyramids and wedges in Catalyst; --viz paraview and --viz hdf show them",
                 (long long)n_seen, (long long)n_cells, s->channels[c].name);
    }
    return TESS_OK;
}

static tess_status execute(void *state, const tess_viz_step *step) {
    tess_status status = TESS_OK;
    session *s = state;
    unsetenv("TESS_VIZ_SEEN");
    conduit_node *node = s->catalyst.create();
    s->catalyst.set_int64(node, "catalyst/state/timestep", step->cycle);
    s->catalyst.set_float64(node, "catalyst/state/time", step->time);
    for (int i = 0; i < step->n_channels; i++)
        CHECK(take_view(s, &step->channels[i]));
    for (int c = 0; c < s->n_channels; c++) {
        const tess_viz_channel *given = NULL;
        for (int i = 0; i < step->n_channels; i++)
            if (strcmp(step->channels[i].name, s->channels[c].name) == 0)
                given = &step->channels[i];
        CHECK(set_channel(s, node, &s->channels[c], given ? given->n_fields : 0,
                          given ? given->fields : NULL));
    }
    const int result = s->catalyst.execute(node);
    if (result != 0)
        CHECK(tess_fail(TESS_ERROR_CHECK, "Catalyst failed at cycle %lld (status %d)",
                        (long long)step->cycle, result));
    CHECK(check_seen(s));
done:
    s->catalyst.destroy(node);
    return status;
}

static tess_status close_session(void *state) {
    session *s = state;
    conduit_node *node = s->catalyst.create();
    const int result = s->catalyst.finalize(node);
    s->catalyst.destroy(node);
    session_free(s);
    if (result != 0)
        FAIL(TESS_ERROR_CHECK, "Catalyst does not end well (status %d)", result);
    return TESS_OK;
}

const tess_viz_kind tess_viz_catalyst2 = {
    .name = "catalyst2",
    .summary = "the Catalyst 2 C API of any libcatalyst",
    .runs_scripts = true,
    .probe = probe,
    .open = open_session,
    .execute = execute,
    .close = close_session,
};
