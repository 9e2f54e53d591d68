/* A rank cut: the set of a mesh that decides the owners of all others, cut into ranks. */
#include "kernels/exchange/rank_cut.h"

#include <math.h>
#include <string.h>

static bool is_named(const char *set, const tess_ranked_loop *loops, int n_loops) {
    for (int l = 0; l < n_loops; l++) {
        if (strcmp(loops[l].loop->set, set) == 0)
            return true;
        for (int a = 0; a < loops[l].loop->n_args; a++)
            if (strcmp(loops[l].loop->args[a].set, set) == 0)
                return true;
    }
    return false;
}

int tess_rank_cut_set(const tess_mesh *mesh, const tess_ranked_loop *loops, int n_loops) {
    static const char *const cells[] = {"cells", "hexes",  "quads",   "tets",
                                        "tris",  "prisms", "pyramids"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        if (tess_mesh_find_set(mesh, cells[i]) >= 0 && is_named(cells[i], loops, n_loops))
            return tess_mesh_find_set(mesh, cells[i]);
    return tess_mesh_find_set(mesh, loops[0].loop->set);
}

/* The map that joins elements of the set: from their sides, else to their points; NULL: none. */
static const tess_map *joining_map(const tess_mesh *mesh, int set) {
    const tess_map *from = NULL;
    for (int m = 0; m < mesh->n_maps; m++) {
        const tess_map *map = &mesh->maps[m];
        if (map->to == set && map->arity == 2 && mesh->sets[map->from].size > 0)
            return map;
        if (map->from == set && !map->padded && !from)
            from = map;
    }
    return from;
}

static tess_status build_problem(const tess_bound_loop *bound, int set, int32_t block_size,
                                 const tess_rank_cutting *cutting, tess_partition_problem **out) {
    TRY(bound->set == set
            ? tess_partition_problem_build(bound, TESS_POINTS_ALL, block_size, cutting->seed, out)
            : tess_partition_problem_build_inverse(bound, set, block_size, cutting->seed, out));
    (*out)->time_limit = cutting->time_limit;
    return TESS_OK;
}

/* Cuts once, into blocks of at most block_size. */
static tess_status cut_once(const tess_rank_cutting *cutting, const tess_bound_loop *bound, int set,
                            int32_t block_size, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    double seconds = 0;
    CHECK(build_problem(bound, set, block_size, cutting, &problem));
    CHECK(tess_partitioner_run(cutting->partitioner, problem, cutting->spec, TESS_REPAIR_MOVE,
                               &seconds, out));
done:
    tess_partition_problem_free(problem);
    return status;
}

/* Cuts with more and more room until there are no more blocks than ranks. */
static tess_status cut_with_room(const tess_rank_cutting *cutting, const tess_bound_loop *bound,
                                 int set, int32_t n_ranks, int32_t *rank_of) {
    static const double rooms[] = {1, 1.005, 1.02, 1.05};
    const int64_t n = bound->mesh->sets[set].size;
    tess_partition *partition = NULL;
    int32_t n_blocks = 0;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        const double size = ceil(rooms[i] * ceil((double)n / n_ranks));
        TRY(cut_once(cutting, bound, set, (int32_t)size, &partition));
        n_blocks = partition->n_blocks;
        if (n_blocks <= n_ranks)
            memcpy(rank_of, partition->block_of, (size_t)n * sizeof *rank_of);
        tess_partition_free(partition);
        if (n_blocks <= n_ranks)
            return TESS_OK;
    }
    FAIL(
        TESS_ERROR_USAGE,
        "%s cuts %lld %s into %d blocks, over %d ranks: take another partitioner for them, say rcb",
        cutting->partitioner->name, (long long)n, bound->mesh->sets[set].name, n_blocks, n_ranks);
}

tess_status tess_rank_cut_make(const tess_rank_cutting *cutting, const tess_mesh *mesh, int set,
                               int32_t n_ranks, int32_t *rank_of) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    const int64_t n = mesh->sets[set].size;
    const tess_map *map = joining_map(mesh, set);
    if (n_ranks < 1)
        CHECK(tess_fail(TESS_ERROR_USAGE, "%d ranks: there is at least one", n_ranks));
    memset(rank_of, 0, (size_t)n * sizeof *rank_of);
    if (n_ranks == 1 || n == 0)
        goto done;
    if (!map)
        CHECK(tess_fail(TESS_ERROR_USAGE, "%s: no map joins the %s, which are to be cut into ranks",
                        mesh->source, mesh->sets[set].name));
    CHECK(tess_loop_of_map(map->name, NULL, &loop));
    CHECK(tess_loop_bind(loop, mesh, &bound));
    CHECK(cut_with_room(cutting, bound, set, n_ranks, rank_of));
done:
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    return status;
}

tess_status tess_rank_cut_by_name(const char *text, const tess_rank_cutting *cutting,
                                  const tess_mesh *mesh, int set, int32_t n_ranks,
                                  int32_t *rank_of) {
    tess_status status = TESS_OK;
    tess_rank_cutting named = *cutting;
    tess_spec *spec = NULL;
    const char *usual = mesh->coordinates ? "rcb" : "mosaic";
    CHECK(tess_spec_parse_one(text ? text : usual, "partitioner", &spec));
    named.spec = spec;
    CHECK(tess_partitioner_find(spec->name, &named.partitioner));
    CHECK(tess_rank_cut_make(&named, mesh, set, n_ranks, rank_of));
done:
    tess_spec_list_free(spec, 1);
    return status;
}
