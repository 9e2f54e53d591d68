/* A halo: what the ranks of a mesh execute and read of each other's elements. */
#include "core/ranks/halo.h"

#include "core/base/array.h"
#include "core/base/row_pairs.h"
#include "core/ranks/chain_halo.h"
#include <stdlib.h>
#include <string.h>

/* An arg through a map: where its points are, and the list that they belong to. */
typedef struct reach {
    const tess_arg *arg;
    const tess_map *map;
    int first, end; /* slots */
    const int32_t *rank_of_point;
    tess_row_pairs *reached; /* of the points' set */
    tess_row_pairs *arrives; /* of the dat; NULL: nothing does */
    tess_row_pairs *returns; /* likewise */
} reach;

/* One loop while its halo is found. */
typedef struct finding {
    const tess_mesh *mesh;
    const tess_owners *owners;
    const tess_ranked_loop *ranked;
    const int32_t *rank_of; /* of the loop's set */
    int n_reaches;
    reach *reaches;
    int n_lists;
    tess_row_pairs *lists;    /* [n_args]: of each dat, at the first arg that names it */
    tess_row_pairs executed;  /* by this loop */
    tess_row_pairs *reached;  /* [n_sets], of all loops */
    tess_row_pairs *executes; /* [n_sets], of all loops */
    bool *border;             /* of the loop's set */
} finding;

static tess_status add_reach(finding *f, int a) {
    const tess_loop *loop = f->ranked->loop;
    const tess_arg *arg = &loop->args[a];
    const tess_map *map = tess_mesh_find_map(f->mesh, arg->map);
    if (!map)
        FAIL(TESS_ERROR_INPUT, "arg %d of loop %s ('%s') goes through the map %s, which %s lacks",
             a, loop->name, arg->dat, arg->map, f->mesh->source);
    if (arg->access == TESS_WRITE || arg->access == TESS_RW)
        FAIL(
            TESS_ERROR_USAGE,
            "arg %d of loop %s ('%s' through %s) is %s: on several ranks a loop reads at points or "
            "adds to them",
            a, loop->name, arg->dat, arg->map, tess_access_name(arg->access));
    tess_row_pairs *list = &f->lists[tess_loop_first_of_dat(loop, a)];
    const bool sums = f->ranked->mode == TESS_HALO_PARTIAL_SUMS && arg->access == TESS_INC;
    f->reaches[f->n_reaches++] = (reach){.arg = arg,
                                         .map = map,
                                         .first = arg->slot < 0 ? 0 : arg->slot,
                                         .end = arg->slot < 0 ? map->arity : arg->slot + 1,
                                         .rank_of_point = f->owners->rank_of[map->to],
                                         .reached = &f->reached[map->to],
                                         .arrives = f->ranked->arrives[a] ? list : NULL,
                                         .returns = sums ? list : NULL};
    return TESS_OK;
}

/* The ranks that execute an element: its owner first, at most one more for each slot. */
static int executing_ranks(const finding *f, int64_t e, int32_t *ranks) {
    int n = 1;
    ranks[0] = f->rank_of[e];
    for (int i = 0; i < f->n_reaches && f->ranked->mode == TESS_HALO_REDUNDANT; i++) {
        const reach *r = &f->reaches[i];
        for (int s = r->first; s < r->end && r->arg->access == TESS_INC; s++) {
            const int32_t p = r->map->index[e * r->map->arity + s];
            int k = 0;
            while (p >= 0 && k < n && ranks[k] != r->rank_of_point[p])
                k++;
            if (p >= 0 && k == n)
                ranks[n++] = r->rank_of_point[p];
        }
    }
    return n;
}

/* What a rank needs at the points of an element that it executes. */
static tess_status find_points(finding *f, int64_t e, int32_t rank) {
    for (int i = 0; i < f->n_reaches; i++) {
        const reach *r = &f->reaches[i];
        for (int s = r->first; s < r->end; s++) {
            const int32_t p = r->map->index[e * r->map->arity + s];
            if (p < 0 || r->rank_of_point[p] == rank)
                continue;
            TRY(tess_row_pairs_add(r->reached, rank, p));
            if (r->arrives)
                TRY(tess_row_pairs_add(r->arrives, rank, p));
            if (r->returns)
                TRY(tess_row_pairs_add(r->returns, rank, p));
            if (rank == f->rank_of[e])
                f->border[e] |= r->arrives || r->returns;
        }
    }
    return TESS_OK;
}

/* What a rank needs of an element of another that it executes: the element's own values. */
static tess_status find_own_values(finding *f, int64_t e, int32_t rank) {
    const tess_loop *loop = f->ranked->loop;
    TRY(tess_row_pairs_add(&f->executed, rank, (int32_t)e));
    for (int a = 0; a < loop->n_args; a++)
        if (!loop->args[a].map[0] && f->ranked->arrives[a])
            TRY(tess_row_pairs_add(&f->lists[tess_loop_first_of_dat(loop, a)], rank, (int32_t)e));
    return TESS_OK;
}

/* Whether all points of an element are of the element's rank. */
static bool is_inner(const finding *f, int64_t e) {
    const int32_t rank = f->rank_of[e];
    for (int i = 0; i < f->n_reaches; i++) {
        const reach *r = &f->reaches[i];
        const int32_t *row = &r->map->index[e * r->map->arity];
        for (int s = r->first; s < r->end; s++)
            if (row[s] >= 0 && r->rank_of_point[row[s]] != rank)
                return false;
    }
    return true;
}

static tess_status find_elements(finding *f, int64_t n) {
    tess_status status = TESS_OK;
    int32_t *ranks = NULL;
    int64_t n_slots = 0;
    for (int i = 0; i < f->n_reaches; i++)
        n_slots += f->reaches[i].end - f->reaches[i].first;
    CHECK(TESS_ALLOC(n_slots + 1, &ranks));
    for (int64_t e = 0; e < n; e++) {
        if (is_inner(f, e))
            continue;
        const int n_ranks = executing_ranks(f, e, ranks);
        for (int k = 0; k < n_ranks; k++) {
            CHECK(find_points(f, e, ranks[k]));
            if (k > 0)
                CHECK(find_own_values(f, e, ranks[k]));
        }
    }
done:
    free(ranks);
    return status;
}

/* Adds the pairs of a rank's rows to others. */
static tess_status add_rows(const tess_rows *rows, tess_row_pairs *to) {
    for (int64_t r = 0; r < rows->n; r++)
        for (int64_t i = rows->offset[r]; i < rows->offset[r + 1]; i++)
            TRY(tess_row_pairs_add(to, (int32_t)r, rows->item[i]));
    return TESS_OK;
}

/* The list of a dat becomes one that arrives or one that returns. A dat that a loop adds to is read
 * by none of its args (kernels/run/execution.c), so that it is never both. */
static tess_status close_list(finding *f, int a, tess_halo_loop *out) {
    const tess_arg *arg = &f->ranked->loop->args[a];
    bool arrives = false, returns = false;
    for (int b = a; b < f->ranked->loop->n_args; b++)
        if (tess_arg_shares_dat(arg, &f->ranked->loop->args[b])) {
            arrives |= f->ranked->arrives[b];
            returns |= f->ranked->mode == TESS_HALO_PARTIAL_SUMS &&
                       tess_arg_adds(&f->ranked->loop->args[b]);
        }
    if (!arrives && !returns)
        return TESS_OK;
    tess_halo_list *list =
        returns ? &out->returns[out->n_returns++] : &out->arrivals[out->n_arrivals++];
    *list = (tess_halo_list){.arg = a, .set = tess_mesh_find_set(f->mesh, arg->set)};
    return tess_row_pairs_rows(&f->lists[a], f->owners->n_ranks, &list->rows);
}

static tess_status close_lists(finding *f, int set, tess_halo_loop *out) {
    const tess_loop *loop = f->ranked->loop;
    TRY(tess_row_pairs_rows(&f->executed, f->owners->n_ranks, &out->executed));
    TRY(add_rows(out->executed, &f->executes[set]));
    TRY(TESS_ZEROS(loop->n_args, &out->arrivals));
    TRY(TESS_ZEROS(loop->n_args, &out->returns));
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].set[0] && tess_loop_first_of_dat(loop, a) == a)
            TRY(close_list(f, a, out));
    return TESS_OK;
}

static tess_status find_chain(finding *f) {
    return tess_chain_halo_find(&(tess_chain_halo){.mesh = f->mesh,
                                                   .owners = f->owners,
                                                   .ranked = f->ranked,
                                                   .executes = f->executes,
                                                   .reached = f->reached,
                                                   .executed = &f->executed,
                                                   .lists = f->lists});
}

static tess_status find_loop(finding *f, tess_halo *halo, int l) {
    tess_status status = TESS_OK;
    const tess_loop *loop = f->ranked->loop;
    const int set = tess_mesh_find_set(f->mesh, loop->set);
    if (set < 0)
        FAIL(TESS_ERROR_INPUT, "loop %s is over %s, which %s lacks", loop->name, loop->set,
             f->mesh->source);
    f->rank_of = f->owners->rank_of[set];
    f->border = halo->sets[set].border;
    CHECK(TESS_ZEROS(loop->n_args, &f->reaches));
    CHECK(TESS_ZEROS(loop->n_args, &f->lists));
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].map[0])
            CHECK(add_reach(f, a));
    CHECK(f->ranked->chain ? find_chain(f) : find_elements(f, f->mesh->sets[set].size));
    CHECK(close_lists(f, set, &halo->loops[l]));
done:
    for (int a = 0; f->lists && a < loop->n_args; a++)
        tess_row_pairs_clear(&f->lists[a]);
    tess_row_pairs_clear(&f->executed);
    free(f->lists);
    free(f->reaches);
    return status;
}

/* A loop that adds to points executes all elements of its set that its rank executes for any loop:
 * their points must be there. */
static tess_status reach_from_executed(finding *f, const tess_halo *halo) {
    const tess_ranked_loop *ranked = f->ranked;
    const tess_rows *executed = halo->sets[tess_mesh_find_set(f->mesh, ranked->loop->set)].executed;
    if (ranked->mode != TESS_HALO_REDUNDANT || !tess_loop_adds(ranked->loop))
        return TESS_OK;
    for (int a = 0; a < ranked->loop->n_args; a++) {
        const tess_arg *arg = &ranked->loop->args[a];
        const tess_map *map = arg->map[0] ? tess_mesh_find_map(f->mesh, arg->map) : NULL;
        for (int32_t r = 0; map && r < f->owners->n_ranks; r++)
            for (int64_t i = executed->offset[r]; i < executed->offset[r + 1]; i++)
                for (int s = 0; s < map->arity; s++) {
                    const int32_t p = map->index[(int64_t)executed->item[i] * map->arity + s];
                    if (tess_arg_has_slot(arg, s) && p >= 0 && f->owners->rank_of[map->to][p] != r)
                        TRY(tess_row_pairs_add(&f->reached[map->to], r, p));
                }
    }
    return TESS_OK;
}

/* What is reached without what is executed anyhow. */
static void drop_executed(const tess_rows *executed, tess_rows *reached) {
    int64_t n = 0, first = 0;
    for (int64_t r = 0; r < reached->n; r++) {
        const int64_t end = reached->offset[r + 1];
        int64_t x = executed->offset[r];
        for (int64_t i = first; i < end; i++) {
            while (x < executed->offset[r + 1] && executed->item[x] < reached->item[i])
                x++;
            if (x == executed->offset[r + 1] || executed->item[x] != reached->item[i])
                reached->item[n++] = reached->item[i];
        }
        reached->offset[r + 1] = n;
        first = end;
    }
}

/* The rows of each set, from what all loops found. */
static tess_status close_sets(const tess_ranking *ranking, tess_row_pairs *executes,
                              tess_row_pairs *reached, tess_halo *halo) {
    for (int s = 0; s < halo->n_sets; s++)
        TRY(tess_row_pairs_rows(&executes[s], ranking->owners->n_ranks, &halo->sets[s].executed));
    for (int l = 0; l < ranking->n_loops; l++) {
        finding f = {.mesh = ranking->mesh,
                     .owners = ranking->owners,
                     .ranked = &ranking->loops[l],
                     .reached = reached};
        TRY(reach_from_executed(&f, halo));
    }
    for (int s = 0; s < halo->n_sets; s++) {
        TRY(tess_row_pairs_rows(&reached[s], ranking->owners->n_ranks, &halo->sets[s].reached));
        drop_executed(halo->sets[s].executed, halo->sets[s].reached);
    }
    return TESS_OK;
}

tess_status tess_halo_build(const tess_ranking *ranking, tess_halo **out) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = ranking->mesh;
    tess_halo *halo = NULL;
    tess_row_pairs *reached = NULL, *executes = NULL;
    CHECK(TESS_ZEROS(mesh->n_sets, &reached));
    CHECK(TESS_ZEROS(mesh->n_sets, &executes));
    CHECK(TESS_ZEROS(1, &halo));
    *halo = (tess_halo){.n_loops = ranking->n_loops, .n_sets = mesh->n_sets};
    CHECK(TESS_ZEROS(ranking->n_loops, &halo->loops));
    CHECK(TESS_ZEROS(mesh->n_sets, &halo->sets));
    for (int s = 0; s < mesh->n_sets; s++)
        CHECK(TESS_ZEROS(mesh->sets[s].size, &halo->sets[s].border));
    for (int l = 0; l < ranking->n_loops; l++) {
        finding f = {.mesh = mesh,
                     .owners = ranking->owners,
                     .ranked = &ranking->loops[l],
                     .reached = reached,
                     .executes = executes};
        CHECK(find_loop(&f, halo, l));
    }
    CHECK(close_sets(ranking, executes, reached, halo));
    *out = TESS_TAKE(halo);
done:
    for (int s = 0; s < mesh->n_sets && executes; s++) {
        tess_row_pairs_clear(&reached[s]);
        tess_row_pairs_clear(&executes[s]);
    }
    free(reached);
    free(executes);
    tess_halo_free(halo);
    return status;
}

static void free_lists(tess_halo_list *lists, int n) {
    for (int i = 0; i < n; i++)
        tess_rows_free(lists[i].rows);
    free(lists);
}

void tess_halo_count_copies(const tess_halo *halo, int set, int64_t size, int32_t *n_copies) {
    const tess_rows *both[] = {halo->sets[set].executed, halo->sets[set].reached};
    memset(n_copies, 0, (size_t)size * sizeof *n_copies);
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < both[k]->offset[both[k]->n]; i++)
            n_copies[both[k]->item[i]]++;
}

void tess_halo_free(tess_halo *halo) {
    if (!halo)
        return;
    for (int l = 0; halo->loops && l < halo->n_loops; l++) {
        tess_rows_free(halo->loops[l].executed);
        free_lists(halo->loops[l].arrivals, halo->loops[l].n_arrivals);
        free_lists(halo->loops[l].returns, halo->loops[l].n_returns);
    }
    for (int s = 0; halo->sets && s < halo->n_sets; s++) {
        tess_rows_free(halo->sets[s].executed);
        tess_rows_free(halo->sets[s].reached);
        free(halo->sets[s].border);
    }
    free(halo->loops);
    free(halo->sets);
    free(halo);
}
