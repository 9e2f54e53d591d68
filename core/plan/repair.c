/* A repair: puts the elements that overfill blocks elsewhere. */
#include "core/plan/repair.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include "core/plan/incidence.h"
#include <stdlib.h>

enum {
    MOVE_ROUNDS = 16,       /* each hands over the rim that the one before laid bare */
    POINT_ELEMENTS = 64,    /* of a point that are looked at for neighbours to move to */
    ELEMENT_NEIGHBOURS = 64 /* blocks among which an element chooses */
};

/* What a repair works on. */
typedef struct repair_state {
    const tess_partition_problem *problem;
    tess_rows **inverses; /* [problem->n_maps] */
    int32_t *block_of;
    int64_t n_blocks, n_moved;
} repair_state;

/* The searches inside one block: what has been reached, and by which search. */
typedef struct block_search {
    uint8_t *pass_of;        /* [n_elements]: as in a block order, 0 where not reached */
    uint32_t **point_search; /* [n_maps][n_points]: the last search that reached the point */
    uint32_t n_searches;     /* at most two for each element */
} block_search;

static tess_status inverses_build(repair_state *state) {
    TRY(TESS_ZEROS(state->problem->n_maps, &state->inverses));
    for (int m = 0; m < state->problem->n_maps; m++)
        TRY(tess_incidence_invert(&state->problem->maps[m], state->problem->n_elements,
                                  &state->inverses[m]));
    return TESS_OK;
}

static void inverses_free(repair_state *state) {
    for (int m = 0; state->inverses && m < state->problem->n_maps; m++)
        tess_rows_free(state->inverses[m]);
    free(state->inverses);
}

/* A block that an element may move to, and what the element shares with it. */
typedef struct move_target {
    int32_t block;
    int32_t shared; /* (point, element) pairs */
} move_target;

/* A move that a round considers. */
typedef struct block_move {
    int32_t element, to;
    int32_t gain; /* shared with the new block less shared with the old one */
} block_move;

static int compare_moves(const void *a, const void *b) {
    const block_move *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

/* Counts what `element` shares with the blocks around it, its own one included; returns how many
 * blocks there are. */
static int targets_of(const repair_state *state, int32_t element, move_target *targets) {
    int n_targets = 0;
    for (int m = 0; m < state->problem->n_maps; m++) {
        int64_t n = 0;
        const int32_t *points = tess_incidence_row(&state->problem->maps[m], element, &n);
        for (int64_t s = 0; s < n; s++) {
            if (points[s] < 0)
                continue;
            const int64_t first = state->inverses[m]->offset[points[s]];
            int64_t last = state->inverses[m]->offset[points[s] + 1];
            last = last - first > POINT_ELEMENTS ? first + POINT_ELEMENTS : last;
            for (int64_t i = first; i < last; i++) {
                const int32_t block = state->block_of[state->inverses[m]->item[i]];
                int t = 0;
                while (t < n_targets && targets[t].block != block)
                    t++;
                if (t == n_targets && n_targets < ELEMENT_NEIGHBOURS)
                    targets[n_targets++] = (move_target){block, 0};
                if (t < n_targets)
                    targets[t].shared++;
            }
        }
    }
    return n_targets;
}

/* The best move of an element to a block with room; to = -1 if no block has room. */
static block_move best_move(const repair_state *state, int32_t element, const int32_t *size) {
    move_target targets[ELEMENT_NEIGHBOURS];
    const int n_targets = targets_of(state, element, targets);
    const int32_t own = state->block_of[element];
    block_move best = {.element = element, .to = -1};
    int32_t shared_best = 0, shared_own = 0;
    for (int t = 0; t < n_targets; t++) {
        if (targets[t].block == own)
            shared_own = targets[t].shared;
        else if (size[targets[t].block] < state->problem->block_size &&
                 targets[t].shared > shared_best) {
            best.to = targets[t].block;
            shared_best = targets[t].shared;
        }
    }
    best.gain = shared_best - shared_own;
    return best;
}

/* Moves what a block has too much of to neighbours with room, rim by rim. */
static void move_from_block(repair_state *state, const tess_rows *rows, int32_t block,
                            int32_t *size, block_move *moves) {
    for (int round = 0; round < MOVE_ROUNDS && size[block] > state->problem->block_size; round++) {
        int64_t n_moves = 0;
        for (int64_t i = rows->offset[block]; i < rows->offset[block + 1]; i++) {
            if (state->block_of[rows->item[i]] != block)
                continue;
            moves[n_moves] = best_move(state, rows->item[i], size);
            n_moves += moves[n_moves].to >= 0;
        }
        if (n_moves == 0)
            return;
        qsort(moves, (size_t)n_moves, sizeof *moves, compare_moves);
        for (int64_t i = 0; i < n_moves && size[block] > state->problem->block_size; i++) {
            if (size[moves[i].to] >= state->problem->block_size)
                continue;
            state->block_of[moves[i].element] = moves[i].to;
            size[moves[i].to]++;
            size[block]--;
            state->n_moved++;
        }
    }
}

static tess_status move_overflow(repair_state *state) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    int32_t *size = NULL;
    block_move *moves = NULL;
    CHECK(tess_rows_build(state->block_of, state->problem->n_elements, state->n_blocks, &rows));
    CHECK(TESS_ALLOC(state->n_blocks, &size));
    CHECK(TESS_ALLOC(tess_rows_longest(rows), &moves));
    for (int64_t b = 0; b < state->n_blocks; b++)
        size[b] = (int32_t)tess_rows_size(rows, b);
    for (int32_t b = 0; b < state->n_blocks; b++)
        move_from_block(state, rows, b, size, moves);
done:
    tess_rows_free(rows);
    free(size);
    free(moves);
    return status;
}

/* Puts the elements of `start`'s block that are reached from it through shared points into the
 * queue, breadth first; returns how many. A point is followed once: linear whatever its degree. */
static int64_t search_block(const repair_state *state, block_search *search, int32_t start,
                            uint8_t pass, int32_t *queue) {
    const int32_t block = state->block_of[start];
    const uint32_t mark = ++search->n_searches;
    int64_t head = 0, tail = 0;
    queue[tail++] = start;
    search->pass_of[start] = pass;
    while (head < tail) {
        const int32_t element = queue[head++];
        for (int m = 0; m < state->problem->n_maps; m++) {
            const tess_rows *inverse = state->inverses[m];
            int64_t n = 0;
            const int32_t *points = tess_incidence_row(&state->problem->maps[m], element, &n);
            for (int64_t s = 0; s < n; s++) {
                if (points[s] < 0 || search->point_search[m][points[s]] == mark)
                    continue;
                search->point_search[m][points[s]] = mark;
                for (int64_t i = inverse->offset[points[s]]; i < inverse->offset[points[s] + 1];
                     i++) {
                    const int32_t other = inverse->item[i];
                    if (state->block_of[other] != block || search->pass_of[other] == pass)
                        continue;
                    search->pass_of[other] = pass;
                    queue[tail++] = other;
                }
            }
        }
    }
    return tail;
}

/* The new block that tails are put into, one after the other. */
typedef struct tail_block {
    int32_t block, room;
} tail_block;

/* Splits one block: `order` [its size] is scratch. */
static void split_block(repair_state *state, block_search *search, const tess_rows *rows,
                        int64_t block, int32_t *order, tail_block *tails) {
    const int32_t *row = rows->item + rows->offset[block];
    const int64_t size = tess_rows_size(rows, block);
    const int64_t block_size = state->problem->block_size;
    int64_t n_ordered = 0;
    for (int64_t i = 0; i < size; i++) {
        if (search->pass_of[row[i]])
            continue;
        int32_t *piece = order + n_ordered;
        const int64_t reached = search_block(state, search, row[i], 1, piece);
        n_ordered += search_block(state, search, piece[reached - 1], 2, piece);
    }
    int64_t i = block_size;
    for (; i + block_size <= size; i += block_size, state->n_blocks++)
        for (int64_t j = i; j < i + block_size; j++)
            state->block_of[order[j]] = (int32_t)state->n_blocks;
    for (; i < size; i++) {
        if (tails->room == 0)
            *tails = (tail_block){(int32_t)state->n_blocks++, (int32_t)block_size};
        state->block_of[order[i]] = tails->block;
        tails->room--;
    }
    state->n_moved += size - block_size;
}

static tess_status split_overflow(repair_state *state) {
    tess_status status = TESS_OK;
    const tess_partition_problem *problem = state->problem;
    tess_rows *rows = NULL;
    block_search search = {.n_searches = 0};
    int32_t *order = NULL;
    tail_block tails = {0, 0};
    CHECK(tess_rows_build(state->block_of, problem->n_elements, state->n_blocks, &rows));
    if (tess_rows_longest(rows) <= problem->block_size)
        goto done;
    CHECK(TESS_ALLOC(tess_rows_longest(rows), &order));
    CHECK(TESS_ZEROS(problem->n_elements, &search.pass_of));
    CHECK(TESS_ZEROS(problem->n_maps, &search.point_search));
    for (int m = 0; m < problem->n_maps; m++)
        CHECK(TESS_ZEROS(problem->maps[m].n_points, &search.point_search[m]));
    for (int64_t b = 0; b < rows->n; b++)
        if (tess_rows_size(rows, b) > problem->block_size)
            split_block(state, &search, rows, b, order, &tails);
done:
    for (int m = 0; search.point_search && m < problem->n_maps; m++)
        free(search.point_search[m]);
    free(search.point_search);
    free(search.pass_of);
    free(order);
    tess_rows_free(rows);
    return status;
}

tess_status tess_repair_overfull(const tess_partition_problem *problem, tess_repair repair,
                                 int32_t *block_of, int64_t *n_blocks, int64_t *n_moved) {
    tess_status status = TESS_OK;
    repair_state state = {.problem = problem, .block_of = block_of, .n_blocks = *n_blocks};
    CHECK(inverses_build(&state));
    if (repair == TESS_REPAIR_MOVE)
        CHECK(move_overflow(&state));
    CHECK(split_overflow(&state));
    *n_blocks = state.n_blocks;
    *n_moved = state.n_moved;
done:
    inverses_free(&state);
    return status;
}
