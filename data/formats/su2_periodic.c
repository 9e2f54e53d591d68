/* Periodic sides of an SU2 file: its transformations (NPERIODIC), and the markers that one of them
 * moves onto others. Which markers these are stands in SU2's configuration, not in the mesh. */
#include "data/formats/su2_periodic.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

tess_status tess_su2_move_read(tess_scan *scan, tess_su2_moves *moves) {
    tess_su2_move move;
    double *const rows[] = {move.centre, move.angles, move.shift};
    for (int row = 0; row < 3; row++) {
        if (!tess_scan_find_line(scan))
            return tess_scan_fail(scan, "the file ends within a periodic transformation");
        for (int axis = 0; axis < 3; axis++)
            TRY(tess_scan_real(scan, "number of a transformation", &rows[row][axis]));
        TRY(tess_scan_finish_line(scan));
    }
    TRY(TESS_RESERVE(moves->n + 1, &moves->capacity, &moves->moves));
    moves->moves[moves->n++] = move;
    return TESS_OK;
}

/* A node of a marker, and how far it lies along a direction that few nodes share. */
typedef struct marked_node {
    int32_t marker, node;
    double along;
} marked_node;

typedef struct marked_nodes {
    const tess_grouped *grouped;
    double tolerance; /* nodes at one place lie no farther apart */
    int64_t n;
    marked_node *nodes; /* [n], by marker and place; owned */
    int64_t n_markers;
    int64_t *begin;    /* [n_markers + 1]; owned */
    int32_t *partner;  /* [n]: of one marker's nodes, those of another; owned */
    uint8_t *is_taken; /* [n]; owned */
} marked_nodes;

static double along(const double x[3]) {
    return 0.36 * x[0] + 0.48 * x[1] + 0.8 * x[2];
}

static int compare_nodes(const void *left, const void *right) {
    const marked_node *a = left, *b = right;
    if (a->marker != b->marker)
        return a->marker < b->marker ? -1 : 1;
    if (a->along != b->along)
        return a->along < b->along ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static void place_of(const tess_grouped *grouped, int32_t node, double x[3]) {
    for (int axis = 0; axis < 3; axis++)
        x[axis] = axis < grouped->dimension
                      ? grouped->coordinates[(int64_t)node * grouped->dimension + axis]
                      : 0;
}

/* Lists the nodes of all sides, each once for a marker. */
static tess_status list_nodes(marked_nodes *marked) {
    const tess_grouped *grouped = marked->grouped;
    int64_t capacity = 0, n = 0;
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        const tess_element_kind *kind = &tess_element_kinds[type];
        const tess_element_list *list = &grouped->elements.lists[type];
        if (kind->dimension != grouped->dimension - 1)
            continue;
        TRY(TESS_RESERVE(marked->n + list->size * kind->arity, &capacity, &marked->nodes));
        for (int64_t i = 0; i < list->size * kind->arity; i++) {
            double x[3];
            place_of(grouped, list->nodes[i], x);
            marked->nodes[marked->n++] =
                (marked_node){list->marker[i / kind->arity], list->nodes[i], along(x)};
        }
    }
    if (marked->n)
        qsort(marked->nodes, (size_t)marked->n, sizeof *marked->nodes, compare_nodes);
    for (int64_t i = 0; i < marked->n; i++)
        if (i == 0 || compare_nodes(&marked->nodes[i], &marked->nodes[n - 1]) != 0)
            marked->nodes[n++] = marked->nodes[i];
    marked->n = n;
    return TESS_OK;
}

static tess_status marked_nodes_build(const tess_grouped *grouped, marked_nodes *marked) {
    double extent = 0;
    for (int axis = 0; axis < grouped->dimension; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < grouped->n_nodes; i++) {
            low = fmin(low, grouped->coordinates[i * grouped->dimension + axis]);
            high = fmax(high, grouped->coordinates[i * grouped->dimension + axis]);
        }
        extent = fmax(extent, high - low);
    }
    marked->grouped = grouped;
    marked->tolerance = 1e-6 * extent;
    TRY(list_nodes(marked));
    for (int64_t i = 0; i < marked->n; i++)
        marked->n_markers = marked->nodes[i].marker + 1; /* they ascend */
    TRY(TESS_ZEROS(marked->n_markers + 1, &marked->begin));
    for (int64_t i = 0; i < marked->n; i++)
        marked->begin[marked->nodes[i].marker + 1] = i + 1;
    for (int64_t m = 0; m < marked->n_markers; m++)
        if (marked->begin[m + 1] < marked->begin[m])
            marked->begin[m + 1] = marked->begin[m]; /* without nodes */
    TRY(TESS_ALLOC(marked->n, &marked->partner));
    return TESS_ZEROS(marked->n, &marked->is_taken);
}

static void marked_nodes_release(marked_nodes *marked) {
    free(marked->nodes);
    free(marked->begin);
    free(marked->partner);
    free(marked->is_taken);
}

/* Moves x; angles are in `unit` radians. */
static void apply(const tess_su2_move *move, double unit, double x[3]) {
    for (int axis = 0; axis < 3; axis++)
        x[axis] -= move->centre[axis];
    for (int axis = 0; axis < 3; axis++) {
        const double c = cos(unit * move->angles[axis]), s = sin(unit * move->angles[axis]);
        double *const a = &x[(axis + 1) % 3], *const b = &x[(axis + 2) % 3], old = *a;
        *a = c * old - s * *b;
        *b = s * old + c * *b;
    }
    for (int axis = 0; axis < 3; axis++)
        x[axis] += move->centre[axis] + move->shift[axis];
}

/* The entry of a marker that is nearest to x within the tolerance, -1: none. */
static int64_t find_near(const marked_nodes *marked, int64_t marker, const double x[3]) {
    const double wanted = along(x), tolerance = marked->tolerance;
    int64_t low = marked->begin[marker], high = marked->begin[marker + 1], found = -1;
    double least = tolerance;
    const int64_t end = high;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (marked->nodes[middle].along < wanted - tolerance)
            low = middle + 1;
        else
            high = middle;
    }
    for (int64_t i = low; i < end && marked->nodes[i].along <= wanted + tolerance; i++) {
        double y[3];
        place_of(marked->grouped, marked->nodes[i].node, y);
        const double apart = hypot(hypot(y[0] - x[0], y[1] - x[1]), y[2] - x[2]);
        if (apart <= least) {
            least = apart;
            found = i;
        }
    }
    return found;
}

/* Whether each node of marker a, moved, lies at one of b's; fills their partners. */
static bool moves_onto(const marked_nodes *marked, int64_t a, int64_t b, const tess_su2_move *move,
                       double unit) {
    const int64_t first = marked->begin[a], end = marked->begin[a + 1];
    int64_t n = 0;
    for (int64_t i = first; i < end; i++, n++) {
        double x[3];
        place_of(marked->grouped, marked->nodes[i].node, x);
        apply(move, unit, x);
        const int64_t found = find_near(marked, b, x);
        if (found < 0 || marked->is_taken[found])
            break;
        marked->is_taken[found] = 1;
        marked->partner[i] = (int32_t)found;
    }
    for (int64_t i = first; i < first + n; i++)
        marked->is_taken[marked->partner[i]] = 0;
    return n == end - first;
}

/* Adds the pairs of all markers of which one is the other, moved; *n_sides: how many. */
static tess_status add_pairs(const marked_nodes *marked, const tess_su2_move *move, double unit,
                             tess_periodic *periodic, int64_t *n_sides) {
    *n_sides = 0;
    for (int64_t a = 0; a < marked->n_markers; a++)
        for (int64_t b = 0; b < marked->n_markers; b++) {
            const int64_t n = marked->begin[a + 1] - marked->begin[a];
            if (a == b || n == 0 || n != marked->begin[b + 1] - marked->begin[b] ||
                !moves_onto(marked, a, b, move, unit))
                continue;
            for (int64_t i = marked->begin[a]; i < marked->begin[a + 1]; i++)
                TRY(tess_periodic_add(periodic, marked->nodes[i].node,
                                      marked->nodes[marked->partner[i]].node));
            ++*n_sides;
        }
    return TESS_OK;
}

static bool moves_nothing(const tess_su2_move *move) {
    for (int axis = 0; axis < 3; axis++)
        if (move->angles[axis] != 0 || move->shift[axis] != 0)
            return false;
    return true;
}

tess_status tess_su2_moves_pair(const tess_scan *scan, const tess_su2_moves *moves,
                                const tess_grouped *grouped, tess_periodic *periodic) {
    tess_status status = TESS_OK;
    marked_nodes marked = {.n = 0};
    CHECK(marked_nodes_build(grouped, &marked));
    for (int64_t i = 0; i < moves->n; i++) {
        int64_t n_sides = 0;
        if (moves_nothing(&moves->moves[i]))
            continue;
        CHECK(add_pairs(&marked, &moves->moves[i], 1, periodic, &n_sides)); /* as SU2 writes them */
        if (n_sides == 0)
            CHECK(add_pairs(&marked, &moves->moves[i], M_PI / 180, periodic, &n_sides));
        if (n_sides == 0)
            CHECK(tess_fail(TESS_ERROR_INPUT,
                            "%s: periodic transformation %" PRId64 " moves no marker onto another: "
                            "without periodic=join the sides stay apart",
                            scan->path, i));
        periodic->n_sides += n_sides;
    }
done:
    marked_nodes_release(&marked);
    return status;
}
