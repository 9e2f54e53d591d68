/* Face pieces: the pieces of a mesh of faces that several processes have, which becomes one. */
#include "data/formats/faces/face_pieces.h"

#include "core/base/array.h"
#include "core/base/union_find.h"
#include "data/formats/faces/polyhedra.h"
#include "data/formats/faces/polyhedra_order.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the parts of each piece are in the whole. */
typedef struct piece_offsets {
    int64_t *point, *cell, *face, *value; /* [n + 1]; owned */
} piece_offsets;

tess_status tess_face_pieces_add_joint(tess_face_pieces *pieces, const tess_piece_joint *joint) {
    TRY(TESS_RESERVE(pieces->n_joints + 1, &pieces->joint_capacity, &pieces->joints));
    pieces->joints[pieces->n_joints++] = *joint;
    return TESS_OK;
}

static tess_status find_offsets(const char *path, const tess_face_pieces *pieces,
                                piece_offsets *offsets) {
    TRY(TESS_ZEROS(pieces->n + 1, &offsets->point));
    TRY(TESS_ZEROS(pieces->n + 1, &offsets->cell));
    TRY(TESS_ZEROS(pieces->n + 1, &offsets->face));
    TRY(TESS_ZEROS(pieces->n + 1, &offsets->value));
    for (int64_t p = 0; p < pieces->n; p++) {
        const tess_polyhedra *piece = &pieces->pieces[p];
        offsets->point[p + 1] = offsets->point[p] + piece->n_points;
        offsets->cell[p + 1] = offsets->cell[p] + tess_polyhedra_cells(piece);
        offsets->face[p + 1] = offsets->face[p] + piece->faces.n;
        offsets->value[p + 1] = offsets->value[p] + piece->faces.start[piece->faces.n];
    }
    if (offsets->point[pieces->n] > INT32_MAX || offsets->face[pieces->n] > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "%s: the pieces have more than 2147483647 points or faces together",
             path);
    return TESS_OK;
}

static void release_offsets(piece_offsets *offsets) {
    free(offsets->point);
    free(offsets->cell);
    free(offsets->face);
    free(offsets->value);
}

/* The faces of all pieces one behind the other, each with the numbers of the whole. */
static tess_status take_faces(const tess_face_pieces *pieces, const piece_offsets *offsets,
                              tess_polyhedra *out) {
    const int64_t n = offsets->face[pieces->n];
    out->n_points = offsets->point[pieces->n];
    out->faces.n = n;
    TRY(TESS_ALLOC(3 * out->n_points, &out->points));
    TRY(TESS_ZEROS(n + 1, &out->faces.start));
    TRY(TESS_ALLOC(offsets->value[pieces->n], &out->faces.value));
    TRY(TESS_ALLOC(n, &out->owner));
    TRY(TESS_ALLOC(n, &out->neighbour));
    TRY(TESS_ALLOC(n, &out->marker));
    for (int64_t p = 0; p < pieces->n; p++) {
        const tess_polyhedra *piece = &pieces->pieces[p];
        const int32_t cell = (int32_t)offsets->cell[p], point = (int32_t)offsets->point[p];
        memcpy(out->points + 3 * offsets->point[p], piece->points,
               (size_t)(3 * piece->n_points) * sizeof *piece->points);
        for (int64_t f = 0; f < piece->faces.n; f++) {
            const int64_t at = offsets->face[p] + f;
            const bool is_inner = f < piece->n_inner;
            out->faces.start[at + 1] = offsets->value[p] + piece->faces.start[f + 1];
            out->owner[at] = cell + piece->owner[f];
            out->neighbour[at] = is_inner ? cell + piece->neighbour[f] : -1;
            out->marker[at] = is_inner ? -1 : piece->marker[f - piece->n_inner];
        }
        for (int64_t i = 0; i < piece->faces.start[piece->faces.n]; i++)
            out->faces.value[offsets->value[p] + i] = point + piece->faces.value[i];
    }
    return TESS_OK;
}

/* Whether the points of two faces lie at the same places, the second's the other way round. */
static bool is_same_face(const tess_polyhedra *whole, int64_t f, int64_t g) {
    enum { FINER = 10000 }; /* than the face: what writing in text may have moved a point */
    const int64_t *start = whole->faces.start;
    const int64_t n = start[f + 1] - start[f];
    const int32_t *a = whole->faces.value + start[f], *b = whole->faces.value + start[g];
    double size = 0, apart = 0;
    if (start[g + 1] - start[g] != n)
        return false;
    for (int64_t i = 0; i < n; i++)
        for (int axis = 0; axis < 3; axis++) {
            const double x = whole->points[3 * (int64_t)a[i] + axis];
            size = fmax(size, fabs(x - whole->points[3 * (int64_t)a[0] + axis]));
            apart = fmax(apart, fabs(x - whole->points[3 * (int64_t)b[(n - i) % n] + axis]));
        }
    return apart <= size / FINER;
}

/* The faces of `joint` as the other piece has them; NULL: that does not say so. */
static const tess_piece_joint *find_other_side(const tess_face_pieces *pieces,
                                               const tess_piece_joint *joint) {
    for (int64_t j = 0; j < pieces->n_joints; j++)
        if (pieces->joints[j].piece == joint->other && pieces->joints[j].other == joint->piece)
            return &pieces->joints[j];
    return NULL;
}

/* Makes faces of a piece and those of a later one the same, and their points. */
static tess_status join_faces(const char *path, const tess_piece_joint sides[2],
                              const piece_offsets *offsets, tess_polyhedra *whole,
                              int32_t *joined) {
    const int64_t first[2] = {offsets->face[sides[0].piece] + sides[0].first,
                              offsets->face[sides[1].piece] + sides[1].first};
    for (int64_t i = 0; i < sides[0].n; i++) {
        const int64_t f = first[0] + i, g = first[1] + i;
        const int64_t *start = whole->faces.start, n = start[f + 1] - start[f];
        if (whole->neighbour[f] >= 0 || whole->owner[g] < 0 || !is_same_face(whole, f, g))
            FAIL(TESS_ERROR_INPUT,
                 "%s: face %" PRId64 " of those between the processors %" PRId64 " and %" PRId64
                 " is not at the same place on both",
                 path, i, sides[0].piece, sides[1].piece);
        for (int64_t k = 0; k < n; k++)
            tess_sets_join(joined, whole->faces.value[start[f] + k],
                           whole->faces.value[start[g] + (n - k) % n]);
        whole->neighbour[f] = whole->owner[g];
        whole->owner[g] = -1;
    }
    return TESS_OK;
}

static tess_status join_all(const char *path, tess_face_pieces *pieces,
                            const piece_offsets *offsets, tess_polyhedra *whole, int32_t *joined) {
    for (int64_t j = 0; j < pieces->n_joints; j++) {
        const tess_piece_joint *joint = &pieces->joints[j];
        if (joint->other >= pieces->n)
            pieces->n_open += joint->n;
        if (joint->other >= pieces->n || joint->other < joint->piece)
            continue;
        const tess_piece_joint *other = find_other_side(pieces, joint);
        if (!other || other->n != joint->n)
            FAIL(TESS_ERROR_INPUT,
                 "%s: processor %" PRId64 " has %" PRId64 " faces towards processor %" PRId64
                 ", which has %" PRId64 " towards it",
                 path, joint->piece, joint->n, joint->other, other ? other->n : 0);
        TRY(join_faces(path, (tess_piece_joint[]){*joint, *other}, offsets, whole, joined));
    }
    return TESS_OK;
}

/* Numbers the points that are left, and moves them there. */
static void pack_points(tess_polyhedra *whole, int32_t *joined) {
    int64_t n = 0;
    for (int64_t i = 0; i < whole->n_points; i++) {
        const int32_t root = tess_root_of(joined, (int32_t)i);
        joined[i] = root;
    }
    for (int64_t i = 0; i < whole->n_points; i++) { /* a root is the lowest of its set */
        if (joined[i] < i) {
            joined[i] = joined[joined[i]];
            continue;
        }
        memmove(whole->points + 3 * n, whole->points + 3 * i, 3 * sizeof *whole->points);
        joined[i] = (int32_t)n++;
    }
    for (int64_t i = 0; i < whole->faces.start[whole->faces.n]; i++)
        whole->faces.value[i] = joined[whole->faces.value[i]];
    whole->n_points = n;
}

tess_status tess_face_pieces_join(const char *path, tess_face_pieces *pieces, tess_polyhedra *out) {
    tess_status status = TESS_OK;
    piece_offsets offsets = {.point = NULL};
    int32_t *joined = NULL;
    CHECK(find_offsets(path, pieces, &offsets));
    CHECK(take_faces(pieces, &offsets, out));
    CHECK(TESS_ALLOC(out->n_points, &joined));
    for (int64_t i = 0; i < out->n_points; i++)
        joined[i] = (int32_t)i;
    CHECK(join_all(path, pieces, &offsets, out, joined));
    pack_points(out, joined);
    CHECK(tess_polyhedra_order(out));
    if (offsets.cell[pieces->n] > out->faces.n)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: %" PRId64 " cells have %" PRId64 " faces together",
                        path, offsets.cell[pieces->n], out->faces.n));
done:
    release_offsets(&offsets);
    free(joined);
    return status;
}

void tess_face_pieces_release(tess_face_pieces *pieces) {
    for (int64_t p = 0; p < pieces->n; p++)
        tess_polyhedra_clear(&pieces->pieces[p]);
    free(pieces->pieces);
    free(pieces->joints);
}
