/* Plans of the edges of a square of cells, made and updated on a device and on the host. */
#include "bench/cut_speed/plans.h"

#include "bench/cut_speed/answers.h"
#include "bench/cut_speed/cuts.h"
#include "bench/cut_speed/renumbered.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/plan/order/renumber.h"
#include "core/plan/plan_update.h"
#include "kernels/cut/device_recut.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether each element has the least colour that none before it has at one of its points. */
static bool are_first_fit(const tess_plan *plan, const uint16_t *colour) {
    const tess_plan_set *set = &plan->sets[0];
    bool all = true;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        uint64_t taken[2 * BLOCK_SIZE] = {0}; /* of the ends of edges */
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
            const uint16_t *own = set->local_index + i * set->n_slots;
            uint64_t used = 0;
            for (int s = 0; s < set->n_slots; s++)
                used |= taken[own[s]];
            all = all && colour[i] == __builtin_ctzll(~used);
            for (int s = 0; s < set->n_slots; s++)
                taken[own[s]] |= UINT64_C(1) << colour[i] % 64;
        }
    }
    return all;
}

/* Gives blocks the least colour that none before has at one of their points. */
static tess_status colour_blocks(const tess_plan *plan, int64_t n_points, int32_t *colour) {
    const tess_plan_set *set = &plan->sets[0];
    uint64_t *taken = NULL;
    TRY(TESS_ZEROS(n_points, &taken));
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        uint64_t used = 0;
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++)
            used |= taken[set->points[i]];
        colour[b] = __builtin_ctzll(~used);
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++)
            taken[set->points[i]] |= UINT64_C(1) << colour[b];
    }
    free(taken);
    return TESS_OK;
}

/* Blocks have colours, too, where they are planned in `seconds`. */
static tess_status time_block_colours(tess_cut_kernels *k, const tess_plan *plan,
                                      tess_device_plan *here, double seconds) {
    tess_status status = TESS_OK;
    int32_t *colours = NULL, *by_host = NULL;
    double with_colours = 0;
    bool same = false;
    CHECK(TESS_ALLOC(here->n_blocks, &colours));
    CHECK(TESS_ALLOC(here->n_blocks, &by_host));
    double clock = tess_clock_seconds();
    CHECK(colour_blocks(plan, here->sets[0].n_points, by_host));
    const double host = tess_clock_lap(&clock);
    here->sets[0].block_colour = colours;
    CHECK(time_planning(k, NULL, here, &with_colours, &same));
    same = same && memcmp(colours, by_host, (size_t)here->n_blocks * sizeof *colours) == 0;
    printf("colours of %d blocks: %.3f ms there, %.1f on the host; %s\n", here->n_blocks,
           1e3 * (with_colours - seconds), 1e3 * host, told(same, "the same", "OTHERS"));
done:
    here->sets[0].block_colour = NULL;
    free(colours);
    free(by_host);
    return status;
}

/* Elements have colours, too, where they are planned. */
static tess_status time_colours(tess_cut_kernels *k, const tess_plan *plan,
                                tess_device_plan *here) {
    tess_status status = TESS_OK;
    uint16_t *colours = NULL;
    double seconds = 0;
    bool same = false;
    CHECK(TESS_ALLOC(here->n, &colours));
    here->sets[0].thread_colour = colours;
    CHECK(time_planning(k, NULL, here, &seconds, &same));
    printf("with colours of elements: planned there %.3f ms; %s\n", 1e3 * seconds,
           told(same && are_first_fit(plan, colours), "those of the host", "OTHERS"));
done:
    here->sets[0].thread_colour = NULL;
    free(colours);
    return status;
}

/* Planned again, with their points by the blocks that have them, or own them, beside the host's
 * order of points and elements. */
static tess_status time_point_order(tess_cut_kernels *k, const cut_edges *of, const tess_plan *plan,
                                    tess_device_plan *here, bool by_owner) {
    tess_status status = TESS_OK;
    tess_renumbering *host = NULL;
    int32_t *order = NULL, *none = NULL;
    double least = 0;
    const int64_t n_points = here->sets[0].n_points;
    CHECK(TESS_ALLOC(n_points, &order));
    for (int i = 0; i < REPEATS && order; i++) {
        double seconds = 0;
        CHECK(tess_device_plan_ordered(
            k, here, &(tess_device_orders){NULL, by_owner, -1, &order, &none}, &seconds));
        least = i == 0 || seconds < least ? seconds : least;
    }
    double clock = tess_clock_seconds();
    CHECK(tess_renumber_build(of->bound, plan,
                              by_owner ? TESS_RENUMBER_OWNER : TESS_RENUMBER_BLOCKS, false, &host));
    const double taken = tess_clock_lap(&clock);
    const bool same =
        order && memcmp(order, host->sets[0].new_to_old, (size_t)n_points * sizeof *order) == 0;
    printf("with points by their %s: planned there %.3f ms, these and elements on the host "
           "%.1f; %s\n",
           by_owner ? "owners" : "blocks", 1e3 * least, 1e3 * taken,
           told(same, "the same order", "ANOTHER ORDER"));
done:
    free(order);
    tess_renumbering_free(host);
    return status;
}

tess_status time_plan(tess_cut_kernels *k, int64_t n_cells) {
    tess_status status = TESS_OK;
    cut_edges of = {.mesh = NULL};
    tess_plan *plan = NULL;
    tess_device_plan here = {.sets = NULL};
    double seconds = 0, copy = 0;
    bool same = false;
    CHECK(cut_edges_open(k, n_cells, &of));
    const int64_t n = of.bound->n_elements;
    CHECK(copy_mesh(k, n * (16 + 16), &copy));
    double clock = tess_clock_seconds();
    CHECK(tess_plan_build(of.bound, &of.partition, NULL, &plan));
    const double host = tess_clock_lap(&clock);
    CHECK(tess_device_plan_open(of.bound, of.partition.block_of, plan, &here));
    CHECK(time_planning(k, NULL, &here, &seconds, &same));
    printf("plan of %.2fM edges: cut on the device %.3f ms, planned there %.3f, on the host %.1f; "
           "a copy %.3f; %s\n",
           1e-6 * (double)n, 1e3 * of.seconds, 1e3 * seconds, 1e3 * host, 1e3 * copy,
           told(same, "the same arrays", "OTHER ARRAYS"));
    CHECK(time_colours(k, plan, &here));
    CHECK(time_point_order(k, &of, plan, &here, false));
    CHECK(time_point_order(k, &of, plan, &here, true));
    here.sets[0].n_points = of.mesh->sets[of.bound->targets[0].set].size;
    CHECK(time_block_colours(k, plan, &here, seconds));
    CHECK(time_cells(k, of.mesh));
    CHECK(time_renumbering(k, &of, plan, &here));
done:
    tess_device_plan_close(&here);
    tess_plan_free(plan);
    cut_edges_close(&of);
    return status;
}

/* Edges in a corner of the square, a share of all, become others, without a number before. */
static tess_status change_corner(const double *places, int64_t n, int64_t n_cells, double share,
                                 int32_t **was) {
    const double corner = sqrt(share) * sqrt((double)n_cells);
    TRY(TESS_ALLOC(n, was));
    for (int64_t e = 0; e < n; e++)
        (*was)[e] = fmax(places[2 * e], places[2 * e + 1]) < corner ? -1 : (int32_t)e;
    return TESS_OK;
}

tess_status time_replan(tess_cut_kernels *k, int64_t n_cells, double share) {
    tess_status status = TESS_OK;
    cut_edges of = {.mesh = NULL};
    tess_plan *before = NULL, *updated = NULL;
    tess_device_plan was_there = {.sets = NULL}, here = {.sets = NULL};
    tess_partition now = {.block_size = BLOCK_SIZE};
    int32_t *was = NULL;
    double seconds = 0, all = 0;
    bool same = false, same_anew = false;
    CHECK(cut_edges_open(k, n_cells, &of));
    const int64_t n = of.bound->n_elements;
    CHECK(change_corner(of.places, n, n_cells, share, &was));
    now.n_elements = n;
    CHECK(TESS_ALLOC(n, &now.block_of));
    const tess_cut what = by_rcb(n, 2, of.places);
    const tess_device_blocks blocks = {n, of.partition.n_blocks, of.partition.block_of, was};
    CHECK(tess_device_recut(k, &what, &blocks, now.block_of, &now.n_blocks, &seconds));
    CHECK(tess_plan_build(of.bound, &of.partition, NULL, &before));
    double clock = tess_clock_seconds();
    CHECK(tess_plan_update(of.bound, &now, before, was, NULL, &updated));
    const double host = tess_clock_lap(&clock);
    CHECK(tess_device_plan_open(of.bound, of.partition.block_of, before, &was_there));
    CHECK(tess_device_plan_open(of.bound, now.block_of, updated, &here));
    CHECK(time_planning(k, &(tess_device_change){&was_there, was}, &here, &seconds, &same));
    CHECK(time_planning(k, NULL, &here, &all, &same_anew));
    printf("plan of %.2fM edges, %d of %d blocks kept: updated on the device in %.3f ms, all "
           "planned there %.3f, updated on the host %.1f; %s, anew %s\n",
           1e-6 * (double)n, updated->n_kept, updated->n_blocks, 1e3 * seconds, 1e3 * all,
           1e3 * host, told(same, "the same arrays", "OTHER ARRAYS"),
           told(same_anew, "the same", "OTHERS"));
done:
    tess_device_plan_close(&was_there);
    tess_device_plan_close(&here);
    tess_plan_free(before);
    tess_plan_free(updated);
    free(now.block_of);
    free(was);
    cut_edges_close(&of);
    return status;
}
