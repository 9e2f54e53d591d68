/* The measure of a cell: its size, and how near its shape is to the best of its type. */
#include "data/cell_measure.h"

#include <math.h>

typedef struct vector {
    double x[3];
} vector;

/* From one node to another, zero behind the mesh's dimension. */
static vector between(const tess_mesh *mesh, int32_t from, int32_t to) {
    const double *a = mesh->coordinates + (int64_t)from * mesh->dimension;
    const double *b = mesh->coordinates + (int64_t)to * mesh->dimension;
    vector variant = {{0}};
    for (int axis = 0; axis < mesh->dimension; axis++)
        variant.x[axis] = b[axis] - a[axis];
    return variant;
}

static vector cross(vector a, vector b) {
    return (vector){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                     a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static double dot(vector a, vector b) {
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

/* The sum of the triangles at the first node: twice the area, across it. */
static vector area_twice(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes) {
    vector sum = {{0}};
    for (int i = 2; i < type->n_nodes; i++) {
        const vector part =
            cross(between(mesh, nodes[0], nodes[i - 1]), between(mesh, nodes[0], nodes[i]));
        for (int axis = 0; axis < 3; axis++)
            sum.x[axis] += part.x[axis];
    }
    return sum;
}

double tess_cell_size(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes) {
    double size = 0;
    if (type->dimension == 2) {
        const vector area = area_twice(mesh, type, nodes);
        return mesh->dimension == 2 ? area.x[2] / 2 : sqrt(dot(area, area)) / 2;
    }
    for (int face = 0; face < type->n_faces; face++) {
        const signed char *ring = type->face[face];
        const vector first = between(mesh, nodes[0], nodes[ring[0]]);
        for (int i = 2; i < tess_cell_face_size(type, face); i++)
            size += dot(cross(first, between(mesh, nodes[0], nodes[ring[i - 1]])),
                        between(mesh, nodes[0], nodes[ring[i]])) /
                    6;
    }
    return size;
}

double tess_cell_box_size(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes) {
    double longest = 0;
    for (int i = 1; i < type->n_nodes; i++) {
        const vector variant = between(mesh, nodes[0], nodes[i]);
        for (int axis = 0; axis < 3; axis++)
            longest = fmax(longest, fabs(variant.x[axis]));
    }
    return type->dimension == 2 ? longest * longest : longest * longest * longest;
}

static double mean_ratio(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes) {
    const double size = fabs(tess_cell_size(mesh, type, nodes));
    double squares = 0;
    for (int edge = 0; edge < type->n_edges; edge++) {
        const vector variant =
            between(mesh, nodes[type->edge[edge][0]], nodes[type->edge[edge][1]]);
        squares += dot(variant, variant);
    }
    if (!(squares > 0))
        return 0;
    return type->dimension == 2 ? 4 * sqrt(3) * size / squares
                                : 12 * cbrt(9 * size * size) / squares;
}

/* The corners of a type: a node and those that its edges lead to, such that they turn right-handed
 * in a cell of positive size; the third is -1 in two dimensions. */
typedef struct corner_table {
    int n;
    double best; /* scaled Jacobian of a corner of the best cell */
    signed char corner[8][4];
} corner_table;

static const corner_table *corners_of(const tess_cell_type *type) {
    static const corner_table quad = {
        4, 1, {{0, 1, 3, -1}, {1, 2, 0, -1}, {2, 3, 1, -1}, {3, 0, 2, -1}}};
    static const corner_table pyramid = {
        4, M_SQRT1_2, {{0, 1, 3, 4}, {1, 2, 0, 4}, {2, 3, 1, 4}, {3, 0, 2, 4}}};
    static const corner_table prism = {
        6,
        0.86602540378443865, /* sin 60 degrees */
        {{0, 1, 2, 3}, {1, 2, 0, 4}, {2, 0, 1, 5}, {3, 5, 4, 0}, {4, 3, 5, 1}, {5, 4, 3, 2}}};
    static const corner_table hex = {8,
                                     1,
                                     {{0, 1, 3, 4},
                                      {1, 2, 0, 5},
                                      {2, 3, 1, 6},
                                      {3, 0, 2, 7},
                                      {4, 7, 5, 0},
                                      {5, 4, 6, 1},
                                      {6, 5, 7, 2},
                                      {7, 6, 4, 3}}};
    switch (type->n_nodes) {
    case 5:
        return &pyramid;
    case 6:
        return &prism;
    case 8:
        return &hex;
    default:
        return &quad;
    }
}

/* The volume between the edges of a corner, or their area along `up`, over their lengths. */
static double corner_jacobian(const tess_mesh *mesh, const int32_t *nodes,
                              const signed char corner[4], vector up) {
    const vector a = between(mesh, nodes[corner[0]], nodes[corner[1]]);
    const vector b = between(mesh, nodes[corner[0]], nodes[corner[2]]);
    const vector c = corner[3] < 0 ? up : between(mesh, nodes[corner[0]], nodes[corner[3]]);
    const double lengths = sqrt(dot(a, a)) * sqrt(dot(b, b)) * sqrt(dot(c, c));
    return lengths > 0 ? dot(cross(a, b), c) / lengths : 0;
}

static double least_jacobian(const tess_mesh *mesh, const tess_cell_type *type,
                             const int32_t *nodes) {
    const corner_table *corners = corners_of(type);
    const bool flat = type->dimension == 2;
    const vector up = flat ? area_twice(mesh, type, nodes) : (vector){{0}};
    const double sign = flat || tess_cell_size(mesh, type, nodes) > 0 ? 1 : -1;
    double least = 1;
    for (int i = 0; i < corners->n; i++)
        least = fmin(least,
                     sign * corner_jacobian(mesh, nodes, corners->corner[i], up) / corners->best);
    return least;
}

double tess_cell_shape(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes) {
    const bool simplex = type->n_nodes == type->dimension + 1;
    const double shape =
        simplex ? mean_ratio(mesh, type, nodes) : least_jacobian(mesh, type, nodes);
    return shape > 0 ? fmin(shape, 1) : 0;
}
