/* Marked sides of a mesh, found by their nodes: which of them are sides of cells, and which are
 * stated again. */
#include "data/marked_sides.h"

#include "core/base/array.h"
#include "core/mesh/cells.h"
#include "core/mesh/facet_slots.h"
#include "data/formats/lost_marks.h"
#include "data/keep_rows.h"
#include <inttypes.h>
#include <stdlib.h>

/* A row of a marked set. */
typedef struct marked_row {
    int32_t key[TESS_FACET_NODES_MAX];
    int32_t marker;
    int32_t next;  /* the next row with the same nodes, -1: none */
    int32_t head;  /* the first of them */
    bool is_facet; /* its nodes differ */
    bool is_side;  /* of a cell: of the first row with these nodes */
    bool is_kept;
} marked_row;

/* The marked sides of a mesh, found by their nodes. */
struct tess_marked_sides {
    tess_facet_kind kind;
    int n_sets, set[2];     /* with marked sides */
    int64_t begin[3];       /* of the rows of each set */
    marked_row *rows;       /* owned */
    tess_facet_slots slots; /* of the first row with some nodes */
    uint8_t *is_of_sides;   /* [nodes]: some marked side has it; owned */
};

/* Enters a row; of several with the same nodes and marker the first is kept. */
static void enter(tess_marked_sides *marked, int32_t row) {
    marked_row *entered = &marked->rows[row];
    int32_t *head = tess_facet_slot(&marked->slots, marked->rows, entered->key);
    entered->is_facet = entered->is_kept = true;
    for (int32_t other = *head; other >= 0; other = marked->rows[other].next)
        entered->is_kept = entered->is_kept && marked->rows[other].marker != entered->marker;
    entered->head = *head < 0 ? row : *head;
    if (*head < 0) {
        *head = row;
        entered->next = -1;
    } else if (entered->is_kept) {
        entered->next = marked->rows[*head].next;
        marked->rows[*head].next = row;
    }
}

static void enter_set(const tess_mesh *mesh, int s, tess_marked_sides *marked) {
    const tess_set *set = &mesh->sets[marked->set[s]];
    const tess_map *nodes = tess_mesh_find_map_between(mesh, set->name, "nodes");
    const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", set->name);
    for (int64_t i = 0; i < set->size; i++) {
        const int32_t row = (int32_t)(marked->begin[s] + i);
        const int32_t *of = nodes->index + i * nodes->arity;
        marked->rows[row].marker = ((const int32_t *)marker->values)[i];
        marked->rows[row].next = -1;
        if (!tess_facet_key(nodes->arity, of, marked->kind, marked->rows[row].key))
            continue; /* collapsed: no side */
        for (int k = 0; k < nodes->arity; k++)
            marked->is_of_sides[of[k]] = 1;
        enter(marked, row);
    }
}

/* Finds the sets of marked sides that have nodes and markers. */
static void find_sets(const tess_mesh *mesh, int dimension, tess_marked_sides *marked) {
    static const char *const names[2][2] = {{"marked_edges", NULL},
                                            {"marked_tris", "marked_quads"}};
    marked->kind = dimension == 2 ? TESS_FACET_EDGES : TESS_FACET_FACES;
    for (int i = 0; i < 2 && names[dimension == 3][i]; i++) {
        const char *set = names[dimension == 3][i];
        const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", set);
        if (!tess_mesh_find_map_between(mesh, set, "nodes") || !marker ||
            marker->type != TESS_INT32)
            continue;
        const int s = marked->n_sets++;
        marked->set[s] = tess_mesh_find_set(mesh, set);
        marked->begin[s + 1] = marked->begin[s] + mesh->sets[marked->set[s]].size;
    }
}

static tess_status enter_rows(const tess_mesh *mesh, int64_t n_nodes, tess_marked_sides *marked) {
    const int64_t n = marked->begin[marked->n_sets];
    if (n > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "%s: %" PRId64 " marked faces are too many", mesh->source, n);
    TRY(TESS_ZEROS(n, &marked->rows));
    TRY(tess_facet_slots_new(n, sizeof *marked->rows, &marked->slots));
    TRY(TESS_ZEROS(n_nodes, &marked->is_of_sides));
    for (int s = 0; s < marked->n_sets; s++)
        enter_set(mesh, s, marked);
    return TESS_OK;
}

const uint8_t *tess_marked_sides_nodes(const tess_marked_sides *marked) {
    return marked->is_of_sides;
}

void tess_marked_sides_note(tess_marked_sides *marked, const tess_cell_type *type,
                            const int32_t *nodes) {
    const int n = tess_facet_count(type, marked->kind);
    for (int position = 0; position < n; position++) {
        int32_t of[TESS_FACET_NODES_MAX], key[TESS_FACET_NODES_MAX];
        const int n_nodes = tess_facet_nodes(type, nodes, marked->kind, position, of);
        bool are_marked = true;
        for (int k = 0; k < n_nodes; k++)
            are_marked = are_marked && marked->is_of_sides[of[k]];
        if (!are_marked || !tess_facet_key(n_nodes, of, marked->kind, key))
            continue;
        const int32_t row = *tess_facet_slot(&marked->slots, marked->rows, key);
        if (row >= 0)
            __atomic_store_n(&marked->rows[row].is_side, true, __ATOMIC_RELAXED);
    }
}

/* Counts rows that are no sides of cells, and those that repeat another; `keep` is for the others.
 */
static int64_t sort_out(const tess_marked_sides *marked, tess_lost_marks *lost, bool *keep) {
    int64_t n_gone = 0;
    for (int64_t row = 0; row < marked->begin[marked->n_sets]; row++) {
        const marked_row *of = &marked->rows[row];
        const bool is_side = of->is_facet && marked->rows[of->head].is_side;
        keep[row] = is_side && of->is_kept;
        n_gone += !keep[row];
        if (!keep[row])
            tess_lost_marks_add(lost, is_side ? TESS_MARK_TWICE : TESS_MARK_STRAY, of->marker);
    }
    return n_gone;
}

tess_status tess_marked_sides_drop(const tess_marked_sides *marked, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_lost_marks lost = {.n_markers = 0};
    bool *keep = NULL;
    if (!marked)
        return TESS_OK;
    CHECK(tess_lost_marks_begin(mesh, &lost));
    CHECK(TESS_ALLOC(marked->begin[marked->n_sets], &keep));
    if (sort_out(marked, &lost, keep) == 0)
        goto done;
    CHECK(tess_lost_marks_warn(&lost, marked->kind == TESS_FACET_EDGES ? "edges" : "faces", mesh));
    for (int s = 0; s < marked->n_sets; s++)
        CHECK(tess_mesh_keep_rows(mesh, marked->set[s], keep + marked->begin[s]));
done:
    tess_lost_marks_release(&lost);
    free(keep);
    return status;
}

void tess_marked_sides_free(tess_marked_sides *marked) {
    if (!marked)
        return;
    free(marked->rows);
    tess_facet_slots_clear(&marked->slots);
    free(marked->is_of_sides);
    free(marked);
}

tess_status tess_marked_sides_build(const tess_mesh *mesh, tess_marked_sides **out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_marked_sides *marked = NULL;
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(TESS_ZEROS(1, &marked));
    if (cells.n_blocks)
        find_sets(mesh, cells.dimension, marked);
    if (marked->begin[marked->n_sets] == 0)
        goto done;
    CHECK(enter_rows(mesh, cells.n_nodes, marked));
    *out = TESS_TAKE(marked);
done:
    tess_marked_sides_free(marked);
    tess_cells_release(&cells);
    return status;
}
