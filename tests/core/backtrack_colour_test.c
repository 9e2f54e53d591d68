/* Colours by backtracking: proper wherever they are found, found in blocks of lattices where DSATUR
 * needs more, and not found where there are none. */
#include "core/plan/colour/backtrack_colour.h"
#include "core/plan/colour/colour.h"
#include "tests/core/small_mesh.h"

enum { MOST = 600, MOST_ARITY = 6, MOST_POINTS = 800 };

/* Elements of a block, their points in order. */
typedef struct block {
    int32_t index[MOST * MOST_ARITY];
    int n, arity, n_points;
} block;

static tess_incidence map_of(const block *b) {
    return (tess_incidence){.index = b->index, .arity = b->arity, .n_points = b->n_points};
}

static bool share_a_point(const block *b, int e, int f) {
    for (int s = 0; s < b->arity; s++)
        for (int t = 0; t < b->arity; t++) {
            const int32_t p = b->index[e * b->arity + s];
            if (p >= 0 && p == b->index[f * b->arity + t])
                return true;
        }
    return false;
}

static void assert_proper(const block *b, const int32_t *colour, int32_t n_colours) {
    static int last[MOST_POINTS][TESS_MOST_BACKTRACKED_COLOURS]; /* an element, 1 more */
    memset(last, 0, sizeof last);
    for (int e = 0; e < b->n; e++) {
        assert_in_range(colour[e], 0, n_colours - 1);
        for (int s = 0; s < b->arity; s++) {
            const int32_t p = b->index[e * b->arity + s];
            if (p < 0)
                continue;
            assert_true(last[p][colour[e]] == 0 || last[p][colour[e]] == e + 1);
            last[p][colour[e]] = e + 1;
        }
    }
}

/* Puts the elements into a random order. */
static void block_shuffle(block *b, uint64_t *seed) {
    for (int i = b->n - 1; i > 0; i--) {
        const int j = random_below(seed, i + 1);
        for (int s = 0; s < b->arity; s++) {
            const int32_t kept = b->index[i * b->arity + s];
            b->index[i * b->arity + s] = b->index[j * b->arity + s];
            b->index[j * b->arity + s] = kept;
        }
    }
}

/* 500 triangles of quads cut along one diagonal, or 470 prisms of five layers of them, within a
 * circle: six or twelve meet at a point. */
static void lattice_fill(block *b, bool prisms) {
    const int corners[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    const int layers = prisms ? 5 : 1, radius = prisms ? 4 : 9, row = 2 * radius + 1;
    *b = (block){.arity = prisms ? 6 : 3, .n_points = (layers + 1) * row * row};
    for (int cell = 0; cell < 4 * radius * radius * layers; cell++) {
        const int i = cell % (2 * radius), j = cell / (2 * radius) % (2 * radius);
        const int layer = cell / (4 * radius * radius);
        if ((i - radius) * (i - radius) + (j - radius) * (j - radius) > radius * radius)
            continue;
        for (int half = 0; half < 2; half++, b->n++)
            for (int s = 0; s < b->arity; s++) {
                const int *at = corners[half][s % 3];
                b->index[b->n * b->arity + s] =
                    ((layer + s / 3) * row + j + at[1]) * row + i + at[0];
            }
    }
}

static void lattices_have_as_many_colours_as_meet_at_a_point(void **state) {
    uint64_t seed = 95;
    int dsatur_needs_more = 0;
    for (int trial = 0; trial < 32; trial++) {
        static block b;
        int32_t colour[MOST], at_point[MOST_POINTS], n_colours = 0;
        bool found = false;
        lattice_fill(&b, trial % 2);
        block_shuffle(&b, &seed);
        const tess_incidence map = map_of(&b);
        const int32_t bound = tess_colour_bound(&map, b.n, at_point);
        assert_int_equal(bound, trial % 2 ? 12 : 6);
        OK(tess_colour_dsatur(&map, b.n, colour, &n_colours));
        dsatur_needs_more += n_colours > bound;
        OK(tess_colour_backtrack(&map, b.n, bound, colour, &found));
        assert_true(found);
        assert_proper(&b, colour, bound);
        OK(tess_colour_fewest(&map, b.n, colour, &n_colours));
        assert_int_equal(n_colours, bound);
        assert_proper(&b, colour, bound);
    }
    assert_true(dsatur_needs_more > 24);
}

/* Whether some colouring has so many colours: all are tried, an element after the other, but for
 * exchanges of colours. */
static bool exists(const block *b, int32_t n_colours, int32_t *colour, int e) {
    if (e == b->n)
        return true;
    for (colour[e] = 0; colour[e] < n_colours && colour[e] <= e; colour[e]++) {
        bool is_free = true;
        for (int f = 0; f < e; f++)
            is_free &= colour[e] != colour[f] || !share_a_point(b, e, f);
        if (is_free && exists(b, n_colours, colour, e + 1))
            return true;
    }
    return false;
}

/* Small blocks of any elements, some of few points or none, some with a point twice: found if and
 * only if there is a colouring. */
static void small_blocks_are_decided(void **state) {
    uint64_t seed = 97;
    int n_found = 0, n_not = 0;
    for (int trial = 0; trial < 400; trial++) {
        static block b;
        int32_t colour[MOST], at_point[MOST_POINTS];
        bool found = false;
        b = (block){.n = 1 + random_below(&seed, 10), .arity = 1 + random_below(&seed, 4)};
        b.n_points = 2 + random_below(&seed, 12);
        for (int i = 0; i < b.n * b.arity; i++)
            b.index[i] = random_below(&seed, 5) ? random_below(&seed, b.n_points) : -1;
        const tess_incidence map = map_of(&b);
        const int32_t bound = tess_colour_bound(&map, b.n, at_point);
        OK(tess_colour_backtrack(&map, b.n, bound, colour, &found));
        if (found)
            assert_proper(&b, colour, bound);
        assert_int_equal(found, exists(&b, bound, colour, 0));
        n_found += found;
        n_not += !found;
    }
    assert_true(n_found > 100 && n_not > 20);
}

/* Points of one element of each class, of 64 classes, the most that there may be. */
static void as_many_colours_as_a_word_has_bits(void **state) {
    enum { N_COLOURS = TESS_MOST_BACKTRACKED_COLOURS };
    uint64_t seed = 99;
    static block b;
    int32_t colour[MOST];
    bool found = false;
    b = (block){.n = 2 * N_COLOURS, .arity = 2, .n_points = 4};
    for (int e = 0; e < b.n; e++) {
        b.index[2 * e] = e / N_COLOURS;
        b.index[2 * e + 1] = 2 + (e / N_COLOURS + e % N_COLOURS / 32) % 2;
    }
    block_shuffle(&b, &seed);
    const tess_incidence map = map_of(&b);
    OK(tess_colour_backtrack(&map, b.n, N_COLOURS, colour, &found));
    assert_true(found);
    assert_proper(&b, colour, N_COLOURS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattices_have_as_many_colours_as_meet_at_a_point),
        cmocka_unit_test(small_blocks_are_decided),
        cmocka_unit_test(as_many_colours_as_a_word_has_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
