/* Owners, halos and ranks' meshes on meshes small enough to count by hand. */
#include "core/ranks/halo_check.h"
#include "tests/core/small_mesh.h"

/* As airfoil's res_calc: q of both cells in, res of both incremented. */
static tess_loop *flux_loop(void) {
    tess_loop *loop = NULL;
    OK(tess_loop_new("flux", "edges", &loop));
    for (int slot = 0; slot < 2; slot++) {
        add_arg(loop, "q", "edges:cells", slot, 1, TESS_READ);
        add_arg(loop, "res", "edges:cells", slot, 1, TESS_INC);
    }
    return loop;
}

typedef struct ranked_quads {
    tess_mesh *mesh;
    tess_loop *loop;
    bool arrives[4];
    tess_ranked_loop ranked;
    tess_owners *owners;
    tess_ranking ranking;
    tess_halo *halo;
} ranked_quads;

/* nx by ny quads; column i of the cells belongs to rank_of_column[i]. */
static void open_quads(int nx, int ny, const int32_t *rank_of_column, int32_t n_ranks,
                       tess_halo_mode mode, ranked_quads *q) {
    int32_t *rank_of = NULL;
    *q = (ranked_quads){
        .mesh = quad_mesh(nx, ny), .loop = flux_loop(), .arrives = {true, false, true}};
    OK(TESS_ALLOC(nx * ny, &rank_of));
    for (int c = 0; c < nx * ny; c++)
        rank_of[c] = rank_of_column[c % nx];
    OK(tess_owners_build(q->mesh, tess_mesh_find_set(q->mesh, "cells"), n_ranks, rank_of,
                         &q->owners));
    free(rank_of);
    q->ranked = (tess_ranked_loop){.loop = q->loop, .mode = mode, .arrives = q->arrives};
    q->ranking =
        (tess_ranking){.mesh = q->mesh, .owners = q->owners, .n_loops = 1, .loops = &q->ranked};
    OK(tess_halo_build(&q->ranking, &q->halo));
    OK(tess_halo_check(&q->ranking, q->halo));
}

static void close_quads(ranked_quads *q) {
    tess_halo_free(q->halo);
    tess_owners_free(q->owners);
    tess_loop_free(q->loop);
    tess_mesh_free(q->mesh);
}

static int64_t total(const tess_rows *rows) {
    return rows->offset[rows->n];
}

/* Adds `set` with a map of padded rows. */
static void add_set(tess_mesh *mesh, const char *set, const char *to, int64_t n, int arity,
                    const int32_t *index) {
    int32_t *copy = NULL;
    OK(tess_mesh_add_set(mesh, set, n, NULL));
    if (!index)
        return;
    OK(TESS_COPY(n * arity, index, &copy));
    OK(tess_mesh_add_map(mesh, set, to, arity, TESS_MAP_PADDED, copy));
}

/* Elements follow a point that they have; what has none, or is nobody's, goes to some rank; a set
 * that nothing joins to others is divided into equal runs. */
static void every_element_has_an_owner(void **state) {
    enum { POSTS = 16 };
    static const int32_t rank_of[] = {0, 1, 1, 0}, wrong[] = {0, 1, 2, 0};
    int32_t post[2 * POSTS], tip[] = {0, 0, 1, 1}, *copy = NULL;
    tess_mesh *mesh = NULL;
    tess_owners *owners = NULL;
    OK(tess_mesh_new("posts", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "cells", 4, NULL));
    for (int i = 0; i < POSTS; i++) {
        post[2 * i] = i == 5 ? -1 : i % 4;
        post[2 * i + 1] = -1;
    }
    add_set(mesh, "posts", "cells", POSTS, 2, post);
    add_set(mesh, "free", NULL, 6, 0, NULL);
    add_set(mesh, "tips", NULL, 3, 0, NULL); /* of which no cell has the last */
    OK(TESS_COPY(4, tip, &copy));
    OK(tess_mesh_add_map(mesh, "cells", "tips", 1, 0, copy));
    assert_int_equal(tess_owners_build(mesh, 0, 2, wrong, &owners), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "element 2 has rank 2, of 2 ranks"));
    OK(tess_owners_build(mesh, 0, 2, rank_of, &owners));
    for (int i = 0; i < POSTS; i++)
        if (i != 5)
            assert_int_equal(owners->rank_of[1][i], rank_of[i % 4]);
    assert_in_range(owners->rank_of[1][5], 0, 1);
    for (int i = 0; i < 6; i++)
        assert_int_equal(owners->rank_of[2][i], i / 3);
    for (int i = 0; i < 3; i++)
        assert_in_range(owners->rank_of[3][i], 0, 1);
    tess_owners_free(owners);
    tess_mesh_free(mesh);
}

/* 4 x 3 cells, two columns a rank: three edges lie across. Each is owned by one rank and executed
 * by both; each rank reads q of the three cells across. */
static void two_ranks_execute_what_lies_between(void **state) {
    ranked_quads q;
    open_quads(4, 3, (const int32_t[]){0, 0, 1, 1}, 2, TESS_HALO_REDUNDANT, &q);
    const int cells = tess_mesh_find_set(q.mesh, "cells"),
              edges = tess_mesh_find_set(q.mesh, "edges");
    assert_int_equal(total(q.halo->loops[0].executed), 3);
    assert_int_equal(q.halo->loops[0].n_arrivals, 1);
    assert_int_equal(q.halo->loops[0].n_returns, 0);
    const tess_rows *arrives = q.halo->loops[0].arrivals[0].rows;
    const int32_t of_rank_0[] = {2, 6, 10}, of_rank_1[] = {1, 5, 9};
    assert_int_equal(tess_rows_size(arrives, 0), 3);
    assert_int_equal(tess_rows_size(arrives, 1), 3);
    assert_memory_equal(arrives->item, of_rank_0, sizeof of_rank_0);
    assert_memory_equal(arrives->item + 3, of_rank_1, sizeof of_rank_1);
    int border = 0;
    for (int e = 0; e < 17; e++)
        border += q.halo->sets[edges].border[e];
    assert_int_equal(border, 3);
    assert_int_equal(total(q.halo->sets[cells].reached), 6);
    for (int32_t rank = 0; rank < 2; rank++) {
        tess_rank_mesh *rank_mesh = NULL;
        OK(tess_rank_mesh_build(&q.ranking, q.halo, rank, &rank_mesh));
        OK(tess_rank_mesh_check(&q.ranking, q.halo, rank_mesh));
        assert_int_equal(rank_mesh->sets[edges].n_core, 7); /* 2 x 3 cells: 3 + 4 edges inside */
        assert_int_equal(rank_mesh->sets[edges].n_executed, 10);
        assert_int_equal(rank_mesh->sets[cells].n_owned, 6);
        assert_int_equal(rank_mesh->sets[cells].n, 9);
        tess_rank_mesh_free(rank_mesh);
    }
    close_quads(&q);
}

/* By sums each edge across is executed once, and its rank reads and gives one cell of the other. */
static void by_sums_nothing_is_executed_twice(void **state) {
    ranked_quads q;
    open_quads(4, 3, (const int32_t[]){0, 0, 1, 1}, 2, TESS_HALO_PARTIAL_SUMS, &q);
    assert_int_equal(total(q.halo->loops[0].executed), 0);
    assert_int_equal(total(q.halo->loops[0].arrivals[0].rows), 3);
    assert_int_equal(q.halo->loops[0].n_returns, 1);
    assert_int_equal(total(q.halo->loops[0].returns[0].rows), 3);
    close_quads(&q);
}

/* The nodes between two columns belong to one rank, all of them. */
static void an_interface_belongs_to_one_side(void **state) {
    ranked_quads q;
    open_quads(8, 9, (const int32_t[]){0, 0, 1, 1, 2, 2, 3, 3}, 4, TESS_HALO_REDUNDANT, &q);
    const int32_t *rank_of = q.owners->rank_of[tess_mesh_find_set(q.mesh, "nodes")];
    for (int i = 0; i <= 8; i++)
        for (int j = 0; j <= 9; j++) {
            const int32_t rank = rank_of[j * 9 + i];
            assert_int_equal(rank, rank_of[i]);
            assert_true(i % 2 == 1 || i == 0 || i == 8 ? rank == (i == 8 ? 3 : i / 2)
                                                       : rank == i / 2 || rank == i / 2 - 1);
        }
    close_quads(&q);
}

/* Points at which the same ranks meet have one owner, of these, however many elements meet there.
 */
static void an_owner_depends_on_the_ranks_that_meet_alone(void **state) {
    enum { N_RANKS = 3 };
    uint64_t seed = 11;
    int32_t owner_of[1 << N_RANKS] = {0}, rank_of[60];
    for (int trial = 0; trial < 40; trial++) {
        tess_mesh *mesh = random_mesh_of(&seed, 1, 60);
        const tess_map *map = &mesh->maps[0];
        const int64_t n = mesh->sets[map->from].size, n_points = mesh->sets[map->to].size;
        tess_owners *owners = NULL;
        int *met = NULL;
        OK(TESS_ZEROS(n_points, &met));
        for (int64_t e = 0; e < n; e++)
            rank_of[e] = random_below(&seed, N_RANKS);
        for (int64_t i = 0; i < n * map->arity; i++)
            if (map->index[i] >= 0)
                met[map->index[i]] |= 1 << rank_of[i / map->arity];
        OK(tess_owners_build(mesh, map->from, N_RANKS, rank_of, &owners));
        for (int64_t p = 0; p < n_points; p++) {
            const int32_t owner = owners->rank_of[map->to][p];
            if (met[p] == 0)
                continue;
            assert_true(met[p] >> owner & 1);
            assert_true(owner_of[met[p]] == 0 || owner_of[met[p]] == owner + 1);
            owner_of[met[p]] = owner + 1;
        }
        free(met);
        tess_owners_free(owners);
        tess_mesh_free(mesh);
    }
}

/* Ranks that own nothing have empty meshes; more ranks than elements are no trouble. */
static void ranks_may_own_nothing(void **state) {
    ranked_quads q;
    open_quads(3, 1, (const int32_t[]){6, 2, 6}, 9, TESS_HALO_REDUNDANT, &q);
    assert_int_equal(tess_rows_size(q.owners->owned[tess_mesh_find_set(q.mesh, "cells")], 6), 2);
    for (int32_t rank = 0; rank < 9; rank++) {
        tess_rank_mesh *rank_mesh = NULL;
        OK(tess_rank_mesh_build(&q.ranking, q.halo, rank, &rank_mesh));
        OK(tess_rank_mesh_check(&q.ranking, q.halo, rank_mesh));
        const int64_t cells = tess_mesh_set_size(rank_mesh->mesh, "cells");
        assert_int_equal(cells, rank == 2 || rank == 6 ? 3 : 0);
        tess_rank_mesh_free(rank_mesh);
    }
    close_quads(&q);
}

/* Cells of a row that add to both neighbours: the cell across is executed, and reached from its
 * neighbour; it is imported once, with the cell behind it. */
static void what_is_executed_and_reached_is_imported_once(void **state) {
    tess_mesh *mesh = quad_mesh(4, 1);
    tess_loop *loop = NULL;
    tess_owners *owners = NULL;
    tess_halo *halo = NULL;
    int32_t *beside = NULL;
    const int cells = tess_mesh_find_set(mesh, "cells");
    bool arrives[] = {true, false};
    OK(TESS_ALLOC(8, &beside));
    memcpy(beside, (const int32_t[]){-1, 1, 0, 2, 1, 3, 2, -1}, 8 * sizeof *beside);
    OK(tess_mesh_add_map(mesh, "cells", "cells", 2, TESS_MAP_PADDED, beside));
    OK(tess_loop_new("spread", "cells", &loop));
    add_arg(loop, "q", "cells:cells", -1, 1, TESS_READ);
    add_arg(loop, "res", "cells:cells", -1, 1, TESS_INC);
    OK(tess_owners_build(mesh, cells, 2, (const int32_t[]){0, 0, 1, 1}, &owners));
    const tess_ranked_loop ranked = {.loop = loop, .arrives = arrives};
    const tess_ranking ranking = {.mesh = mesh, .owners = owners, .n_loops = 1, .loops = &ranked};
    OK(tess_halo_build(&ranking, &halo));
    OK(tess_halo_check(&ranking, halo));
    const tess_rows *executed = halo->sets[cells].executed, *reached = halo->sets[cells].reached;
    assert_int_equal(total(executed), 2);
    assert_memory_equal(executed->item, ((const int32_t[]){2, 1}), 2 * sizeof *executed->item);
    assert_int_equal(total(reached), 2);
    assert_memory_equal(reached->item, ((const int32_t[]){3, 0}), 2 * sizeof *reached->item);
    tess_halo_free(halo);
    tess_owners_free(owners);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

static void elements_without_points_are_spread_over_ranks(void **state) {
    enum { N = 64 };
    tess_mesh *mesh = quad_mesh(2, 1);
    tess_owners *owners = NULL;
    int32_t *points = NULL;
    int of_rank[2] = {0};
    OK(TESS_ALLOC(2 * N, &points));
    for (int i = 0; i < 2 * N; i++)
        points[i] = -1;
    points[0] = 1; /* of element 0 alone */
    OK(tess_mesh_add_set(mesh, "loose", N, NULL));
    OK(tess_mesh_add_map(mesh, "loose", "cells", 2, TESS_MAP_PADDED, points));
    OK(tess_owners_build(mesh, tess_mesh_find_set(mesh, "cells"), 2, (const int32_t[]){0, 1},
                         &owners));
    const int32_t *rank_of = owners->rank_of[tess_mesh_find_set(mesh, "loose")];
    assert_int_equal(rank_of[0], 1);
    for (int e = 1; e < N; e++)
        of_rank[rank_of[e]]++;
    assert_true(of_rank[0] > N / 4 && of_rank[1] > N / 4);
    tess_owners_free(owners);
    tess_mesh_free(mesh);
}

static void a_rank_out_of_range_is_refused(void **state) {
    tess_mesh *mesh = quad_mesh(2, 1);
    tess_owners *owners = NULL;
    const int cells = tess_mesh_find_set(mesh, "cells");
    assert_int_equal(tess_owners_build(mesh, cells, 2, (const int32_t[]){0, 2}, &owners),
                     TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "element 1 has rank 2, of 2 ranks"));
    assert_int_equal(tess_owners_build(mesh, cells, 0, (const int32_t[]){0, 0}, &owners),
                     TESS_ERROR_USAGE);
    tess_mesh_free(mesh);
}

/* Which rank writes last at a shared point is not defined. */
static void a_loop_that_writes_at_points_is_refused(void **state) {
    ranked_quads q;
    tess_halo *halo = NULL;
    open_quads(4, 3, (const int32_t[]){0, 0, 1, 1}, 2, TESS_HALO_REDUNDANT, &q);
    q.loop->args[1].access = TESS_WRITE;
    assert_int_equal(tess_halo_build(&q.ranking, &halo), TESS_ERROR_USAGE);
    assert_non_null(
        strstr(tess_message(), "arg 1 of loop flux ('res' through edges:cells) is write"));
    close_quads(&q);
}

/* Random maps of any arity, padded, with slots read and incremented: the proof holds for any
 * owners.
 */
static void halos_of_random_loops_are_proved(void **state) {
    uint64_t seed = 5;
    for (int round = 0; round < 200; round++) {
        tess_mesh *mesh = random_mesh(&seed, 1 + round % 3);
        tess_loop *loop = random_loop(mesh, (unsigned)round % 8);
        const int32_t n_ranks = 1 + random_below(&seed, 7);
        bool arrives[8] = {false};
        for (int a = 0; a < loop->n_args; a++)
            arrives[a] = loop->args[a].access == TESS_READ && random_below(&seed, 2);
        const tess_ranked_loop ranked = {.loop = loop,
                                         .arrives = arrives,
                                         .mode = round & 8 ? TESS_HALO_PARTIAL_SUMS
                                                           : TESS_HALO_REDUNDANT};
        int32_t rank_of[64];
        for (int e = 0; e < 64; e++)
            rank_of[e] = random_below(&seed, n_ranks);
        tess_ranking ranking = {.mesh = mesh, .n_loops = 1, .loops = &ranked};
        tess_owners *owners = NULL;
        tess_halo *halo = NULL;
        OK(tess_owners_build(mesh, 0, n_ranks, rank_of, &owners));
        ranking.owners = owners;
        OK(tess_halo_build(&ranking, &halo));
        if (tess_halo_check(&ranking, halo) != TESS_OK)
            fail_msg("round %d: %s", round, tess_message());
        for (int32_t rank = 0; rank < n_ranks; rank++) {
            tess_rank_mesh *rank_mesh = NULL;
            OK(tess_rank_mesh_build(&ranking, halo, rank, &rank_mesh));
            OK(tess_rank_mesh_check(&ranking, halo, rank_mesh));
            tess_rank_mesh_free(rank_mesh);
        }
        tess_halo_free(halo);
        tess_owners_free(owners);
        tess_loop_free(loop);
        tess_mesh_free(mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_has_an_owner),
        cmocka_unit_test(two_ranks_execute_what_lies_between),
        cmocka_unit_test(by_sums_nothing_is_executed_twice),
        cmocka_unit_test(an_interface_belongs_to_one_side),
        cmocka_unit_test(an_owner_depends_on_the_ranks_that_meet_alone),
        cmocka_unit_test(ranks_may_own_nothing),
        cmocka_unit_test(what_is_executed_and_reached_is_imported_once),
        cmocka_unit_test(elements_without_points_are_spread_over_ranks),
        cmocka_unit_test(a_rank_out_of_range_is_refused),
        cmocka_unit_test(a_loop_that_writes_at_points_is_refused),
        cmocka_unit_test(halos_of_random_loops_are_proved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
