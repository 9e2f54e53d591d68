/* Blocks of chains and the proofs of both: what is right passes, each mutant is found by name. */
#include "core/plan/chain_check.h"
#include "tests/core/small_mesh.h"

/* airfoil's step on a box of quads, cut into rows of cells. */
typedef struct scene {
    tess_mesh *mesh;
    tess_loop *loops[5];
    const tess_loop *order[9];
    tess_chain_step step;
    tess_chain *chain;
    int32_t *block_of;
    tess_chain_blocks *blocks;
} scene;

static void add_loops(scene *s) {
    static const char *const names[][2] = {{"save", "cells"},
                                           {"adt", "cells"},
                                           {"res", "edges"},
                                           {"bres", "bedges"},
                                           {"update", "cells"}};
    for (int i = 0; i < 5; i++)
        OK(tess_loop_new(names[i][0], names[i][1], &s->loops[i]));
    add_arg(s->loops[0], "q", "", 0, 4, TESS_READ);
    add_arg(s->loops[0], "old", "", 0, 1, TESS_WRITE);
    add_arg(s->loops[1], "q", "", 0, 4, TESS_READ);
    add_arg(s->loops[1], "adt", "", 0, 1, TESS_WRITE);
    for (int slot = 0; slot < 2; slot++) {
        add_arg(s->loops[2], "q", "edges:cells", slot, 4, TESS_READ);
        add_arg(s->loops[2], "adt", "edges:cells", slot, 1, TESS_READ);
        add_arg(s->loops[2], "res", "edges:cells", slot, 4, TESS_INC);
    }
    add_arg(s->loops[3], "q", "bedges:cells", 0, 4, TESS_READ);
    add_arg(s->loops[3], "res", "bedges:cells", 0, 4, TESS_INC);
    add_arg(s->loops[4], "old", "", 0, 1, TESS_READ);
    add_arg(s->loops[4], "q", "", 0, 4, TESS_WRITE);
    add_arg(s->loops[4], "res", "", 0, 4, TESS_RW);
    s->loops[4]->args[2].cleared = true;
    add_arg(s->loops[4], "adt", "", 0, 1, TESS_READ);
    static const int order[9] = {0, 1, 2, 3, 4, 1, 2, 3, 4};
    for (int i = 0; i < 9; i++)
        s->order[i] = s->loops[order[i]];
    s->step = (tess_chain_step){9, s->order};
}

/* The 22 sides of the box, cell by cell: corners have two. */
static void add_boundary(tess_mesh *mesh) {
    int32_t *cells = NULL;
    int n = 0;
    OK(TESS_ALLOC(22, &cells));
    for (int c = 0; c < 30; c++)
        for (int side = (c % 6 == 0) + (c % 6 == 5) + (c / 6 == 0) + (c / 6 == 4); side > 0; side--)
            cells[n++] = c;
    OK(tess_mesh_add_set(mesh, "bedges", 22, NULL));
    OK(tess_mesh_add_map(mesh, "bedges", "cells", 1, 0, cells));
}

/* The chain of n loops from `first` on; blocks are rows of 6 cells. */
static void open_scene(scene *s, int first, int n) {
    *s = (scene){.mesh = quad_mesh(6, 5)};
    add_boundary(s->mesh);
    add_loops(s);
    OK(tess_chain_build(&s->step, first, n, &s->chain));
    OK(TESS_ALLOC(30, &s->block_of));
    for (int c = 0; c < 30; c++)
        s->block_of[c] = c / 6;
    OK(tess_chain_blocks_build(s->chain, s->mesh, s->block_of, 5, NULL, &s->blocks));
    OK(tess_chain_check(&s->step, s->chain));
    OK(tess_chain_check_blocks(s->chain, s->mesh, s->block_of, s->blocks));
}

static void close_scene(scene *s) {
    tess_chain_blocks_free(s->blocks);
    free(s->block_of);
    tess_chain_free(s->chain);
    for (int i = 0; i < 5; i++)
        tess_loop_free(s->loops[i]);
    tess_mesh_free(s->mesh);
}

/* Rows of a box: the ring of a row are its neighbours, the next ring theirs. */
static void rings_of_rows_by_hand(void **state) {
    scene s;
    open_scene(&s, 0, 9);
    assert_int_equal(s.blocks->n_rings, 2);
    assert_int_equal(s.blocks->n_blocks, 5);
    static const int points[5][3] = {
        {6, 12, 18}, {6, 18, 24}, {6, 18, 30}, {6, 18, 24}, {6, 12, 18}};
    for (int b = 0; b < 5; b++)
        for (int r = 0; r < 3; r++)
            assert_int_equal(tess_chain_points(s.blocks, b, r), points[b][r]);
    const int32_t *list = s.blocks->points + s.blocks->place[0];
    for (int c = 0; c < 18; c++)
        assert_int_equal(list[c], c);
    assert_int_equal(s.blocks->n_places % TESS_SLICE, 0);
    assert_int_equal(s.blocks->n_sets, 2);
    assert_int_equal(s.blocks->sets[0].rounds, 4);
    assert_int_equal(s.blocks->sets[1].rounds, 2);
    close_scene(&s);
}

/* Each row of 32 cells is a block and a slice: those at the border have three edges a cell, the
 * others four. Of 17 rows these two are filled up, of three not: that adds more than an eighth. */
static void slices_have_the_same_rounds_where_that_adds_little(void **state) {
    static const int n_rows[] = {17, 3};
    for (int m = 0; m < 2; m++) {
        const int n = n_rows[m];
        scene s = {.mesh = quad_mesh(32, n)};
        add_loops(&s);
        s.order[0] = s.loops[2];
        s.order[1] = s.loops[4];
        s.step.n = 2;
        OK(tess_chain_build(&s.step, 0, 2, &s.chain));
        OK(TESS_ALLOC(32 * n, &s.block_of));
        for (int c = 0; c < 32 * n; c++)
            s.block_of[c] = c / 32;
        OK(tess_chain_blocks_build(s.chain, s.mesh, s.block_of, n, NULL, &s.blocks));
        OK(tess_chain_check_blocks(s.chain, s.mesh, s.block_of, s.blocks));
        const int64_t *first = s.blocks->sets[0].first;
        for (int i = 0; i < n; i++)
            assert_int_equal(first[i + 1] - first[i],
                             TESS_SLICE * (n == 17 || (i > 0 && i < n - 1) ? 4 : 3));
        close_scene(&s);
    }
}

static void without_rings_lists_are_the_blocks(void **state) {
    scene s;
    open_scene(&s, 2, 4);
    assert_int_equal(s.blocks->n_rings, 0);
    for (int b = 0; b < 5; b++)
        assert_int_equal(tess_chain_points(s.blocks, b, 0), 6);
    close_scene(&s);
}

static tess_chain_dat *dat_of(tess_chain *chain, const char *name) {
    int d = 0;
    while (strcmp(chain->dats[d].dat, name) != 0)
        d++;
    return &chain->dats[d];
}

static void says(tess_status status, const char *words) {
    if (status != TESS_ERROR_CHECK || !strstr(tess_message(), words))
        fail_msg("%s: status %d, said: %s", words, (int)status, tess_message());
}

/* Of a whole step: each line makes one thing wrong. */
static void mutants_of_a_chain_are_found(void **state) {
    for (int mutant = 0; mutant < 11; mutant++) {
        scene s;
        open_scene(&s, 0, 9);
        tess_chain *c = s.chain;
        const char *words = NULL;
        switch (mutant) {
        case 0:
            c->loops[5].ring = 0;
            words = "uses 'adt' in 1 rings";
            break;
        case 1:
            c->loops[1].ring = 1;
            words = "uses 'adt' in 2 rings";
            break;
        case 2:
            dat_of(c, "q")->two_buffers = false;
            words = "it has one buffer";
            break;
        case 3:
            dat_of(c, "q")->kept_versions = 1;
            words = "one version is kept";
            break;
        case 4:
            dat_of(c, "q")->stored = false;
            words = "does not store it";
            break;
        case 5:
            c->loops[6].stage = 1;
            words = "before all threads";
            break;
        case 6:
            dat_of(c, "q")->load_ring = 1;
            words = "but 1 are loaded";
            break;
        case 7:
            dat_of(c, "old")->kept_ring = 0;
            words = "but 0 are kept";
            break;
        case 8:
            dat_of(c, "res")->begins_zero = false;
            words = "not taken to be zero";
            break;
        case 9:
            dat_of(c, "q")->kept_loaded = false;
            words = "it is not kept";
            break;
        case 10:
            c->loops[4].loop = s.loops[3];
            words = "not where it belongs";
            break;
        default:
            break;
        }
        says(tess_chain_check(&s.step, c), words);
        close_scene(&s);
    }
}

/* The first entry of a set that has an element. */
static int64_t an_entry(const tess_chain_entries *entries) {
    int64_t i = 0;
    while (entries->element[i] < 0)
        i++;
    return i;
}

static void mutants_of_blocks_are_found(void **state) {
    for (int mutant = 0; mutant < 8; mutant++) {
        scene s;
        open_scene(&s, 0, 9);
        tess_chain_blocks *b = s.blocks;
        tess_chain_entries *edges = &b->sets[0], *bedges = &b->sets[1];
        const int64_t edge = an_entry(edges), bedge = an_entry(bedges);
        const char *words = NULL;
        switch (mutant) {
        case 0: /* a ring too small */
            b->place[3]--;
            words = "which is not in the 2 rings";
            break;
        case 1: /* a point of the ring is another one */
            b->points[6] = 29;
            words = "which is not in the";
            break;
        case 2: /* a corner's second boundary element is its first */
            bedges->element[bedge + TESS_SLICE] = bedges->element[bedge];
            words = "twice";
            break;
        case 3: /* an edge is missing */
            edges->element[edge] = -1;
            words = "add to it";
            break;
        case 4: /* through the other slot */
            edges->slot[edge] ^= 1;
            words = "adds nothing to it there";
            break;
        case 5: /* the second point of an edge claims it, too */
            edges->slot[edge + 1] |= TESS_ENTRY_OWNS;
            words = "two owners";
            break;
        case 6: /* two blocks own a point */
            s.block_of[0] = 1;
            words = "is of block 1";
            break;
        case 7:
            bedges->slot[bedge] &= TESS_ENTRY_OWNS - 1;
            words = "has no owner";
            break;
        default:
            break;
        }
        says(tess_chain_check_blocks(s.chain, s.mesh, s.block_of, b), words);
        close_scene(&s);
    }
}

/* Of half a step, whose edges blocks compute once. */
static void mutants_of_lists_are_found(void **state) {
    for (int mutant = -1; mutant < 6; mutant++) {
        scene s;
        tess_chain_list edges;
        open_scene(&s, 0, 5);
        OK(tess_chain_list_build(s.chain, s.mesh, s.blocks, "edges", NULL, &edges));
        const char *words = NULL;
        switch (mutant) {
        case 0:
            edges.mark[0] ^= TESS_ENTRY_OWNS;
            words = "block 0 disowns element";
            break;
        case 1: /* an edge between rows 0 and 1 */
            edges.mark[edges.begin[1]] ^= TESS_ENTRY_OWNS;
            words = "block 1 claims element";
            break;
        case 2: /* one more than points sum, from the other end of the mesh */
            edges.points[edges.n[0]++] = 48;
            edges.most++;
            words = "of which its points sum";
            break;
        case 3:
            edges.ring = 1;
            words = "but edges are listed in 1";
            break;
        case 4:
            edges.begin[2] += 1;
            words = "where they do not belong";
            break;
        case 5:
            edges.most = 3;
            words = "where they do not belong";
            break;
        default:
            break;
        }
        const tess_status status = tess_chain_check_list(s.chain, s.mesh, s.blocks, &edges);
        if (mutant < 0)
            OK(status);
        else
            says(status, words);
        tess_chain_list_clear(&edges);
        close_scene(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_of_rows_by_hand),
        cmocka_unit_test(slices_have_the_same_rounds_where_that_adds_little),
        cmocka_unit_test(without_rings_lists_are_the_blocks),
        cmocka_unit_test(mutants_of_a_chain_are_found),
        cmocka_unit_test(mutants_of_blocks_are_found),
        cmocka_unit_test(mutants_of_lists_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
