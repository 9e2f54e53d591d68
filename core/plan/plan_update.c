/* A plan update: blocks of an earlier plan taken over where they are as they were.
 *
 * The other blocks become a plan of their own elements, and both are copied, block by block. */
#include "core/plan/plan_update.h"

#include "core/base/array.h"
#include "core/base/chosen.h"
#include "core/plan/recut.h"
#include <stdlib.h>
#include <string.h>

typedef struct update {
    const tess_bound_loop *bound;
    const tess_partition *partition;
    const tess_plan *before;
    int32_t *now;      /* [before->n_elements]: the number that each has, or -1 */
    int32_t *size;     /* [n_blocks] */
    int32_t *kept_as;  /* [n_blocks]: the block before, -1 of one that is planned anew */
    int32_t **points;  /* [n_sets][points before]: what those of kept blocks are now */
    int32_t *anew;     /* [n_blocks]: the number of a block among those planned anew, or -1 */
    int32_t *elements; /* [n_chosen]: of these blocks */
    int64_t n_chosen;
    tess_plan *fresh; /* of these blocks, in the numbers of `elements` */
} update;

static void update_close(update *u) {
    for (int k = 0; u->points && k < u->before->n_sets; k++)
        free(u->points[k]);
    free(u->points);
    free(u->now);
    free(u->size);
    free(u->kept_as);
    free(u->anew);
    free(u->elements);
    tess_plan_free(u->fresh);
}

static tess_status refuse_plan(const tess_bound_loop *bound, const tess_plan *before) {
    bool fits = !before->owns_points && before->n_sets == bound->n_targets &&
                strcmp(before->partitioned_set, bound->mesh->sets[bound->set].name) == 0;
    for (int k = 0; fits && k < before->n_sets; k++) {
        const tess_loop_target *target = &bound->targets[k];
        const tess_plan_set *set = &before->sets[k];
        fits = set->n_slots == target->n_slots &&
               strcmp(set->set, bound->mesh->sets[target->set].name) == 0 &&
               memcmp(set->slot_incremented, target->slot_incremented,
                      (size_t)set->n_slots * sizeof *set->slot_incremented) == 0;
    }
    if (!fits)
        FAIL(TESS_ERROR_USAGE,
             "the plan before is of loop %s over %s, with other points than loop %s: build it anew",
             before->loop, before->partitioned_set, bound->loop->name);
    return TESS_OK;
}

static tess_status update_open(const tess_bound_loop *bound, const tess_partition *partition,
                               const tess_plan *before, const int32_t *was, update *u) {
    const int32_t n_blocks = partition->n_blocks;
    *u = (update){.bound = bound, .partition = partition, .before = before};
    TRY(refuse_plan(bound, before));
    TRY(tess_numbers_now(was, bound->n_elements, before->n_elements, &u->now));
    TRY(TESS_ZEROS(n_blocks, &u->size));
    TRY(TESS_ALLOC(n_blocks, &u->kept_as));
    TRY(TESS_ALLOC(n_blocks, &u->anew));
    TRY(TESS_ZEROS(before->n_sets, &u->points));
    for (int k = 0; k < before->n_sets; k++)
        TRY(TESS_ALLOC(before->sets[k].point_offset[before->n_blocks], &u->points[k]));
    return TESS_OK;
}

/* --- blocks that are as they were ------------------------------------------------------------- */

/* The block that has exactly the elements of block a before; -1 where none has. */
static int32_t same_block(const update *u, int32_t a) {
    const int64_t *offset = u->before->block_offset;
    int32_t block = -1;
    for (int64_t i = offset[a]; i < offset[a + 1]; i++) {
        const int32_t e = u->now[u->before->executed[i]];
        if (e < 0 || (block >= 0 && u->partition->block_of[e] != block))
            return -1;
        block = u->partition->block_of[e];
    }
    return block >= 0 && u->size[block] == offset[a + 1] - offset[a] ? block : -1;
}

/* Fills the points that block a before has now; false where its local indices do not find them, or
 * they do not ascend. */
static bool points_follow(const update *u, int32_t a, int k) {
    const tess_plan *before = u->before;
    const tess_plan_set *set = &before->sets[k];
    const tess_loop_target *target = &u->bound->targets[k];
    const int64_t n = set->point_offset[a + 1] - set->point_offset[a];
    int32_t *points = u->points[k] + set->point_offset[a];
    for (int64_t j = 0; j < n; j++)
        points[j] = -1;
    for (int64_t i = before->block_offset[a]; i < before->block_offset[a + 1]; i++)
        for (int s = 0; s < set->n_slots; s++) {
            const int64_t e = u->now[before->executed[i]];
            const int32_t point = tess_target_point(target, e, s);
            const uint16_t local = set->local_index[i * set->n_slots + s];
            if ((local == TESS_NO_POINT) != (point < 0))
                return false;
            if (point < 0)
                continue;
            if (points[local] >= 0 && points[local] != point)
                return false;
            points[local] = point;
        }
    for (int64_t j = 1; j < n; j++)
        if (points[j] <= points[j - 1])
            return false;
    return true;
}

static void find_kept(update *u) {
    const tess_partition *partition = u->partition;
#pragma omp parallel for
    for (int64_t e = 0; e < partition->n_elements; e++)
#pragma omp atomic
        u->size[partition->block_of[e]]++;
    for (int32_t b = 0; b < partition->n_blocks; b++)
        u->kept_as[b] = -1;
#pragma omp parallel for schedule(dynamic, 32)
    for (int32_t a = 0; a < u->before->n_blocks; a++) {
        const int32_t b = same_block(u, a);
        bool follows = b >= 0;
        for (int k = 0; follows && k < u->before->n_sets; k++)
            follows = points_follow(u, a, k);
        if (follows)
            u->kept_as[b] = a;
    }
}

/* --- the others ------------------------------------------------------------------------------- */

static bool is_planned_anew(const void *context, int64_t e) {
    const update *u = context;
    return u->kept_as[u->partition->block_of[e]] < 0;
}

/* Plans the blocks that are not kept. */
static tess_status plan_anew(update *u, const tess_plan_options *options) {
    tess_status status = TESS_OK;
    tess_bound_loop *part = NULL;
    tess_partition blocks = {.block_size = u->partition->block_size};
    tess_plan_options chosen = {.thread_order = TESS_ORDER_ELEMENT};
    int32_t *position = NULL;
    if (options)
        chosen = *options;
    for (int32_t b = 0; b < u->partition->n_blocks; b++)
        u->anew[b] = u->kept_as[b] < 0 ? blocks.n_blocks++ : -1;
    CHECK(tess_choose(u->bound->n_elements, is_planned_anew, u, &u->n_chosen, &u->elements));
    CHECK(tess_bound_loop_choose(u->bound, u->n_chosen, u->elements, &part));
    CHECK(TESS_ALLOC(u->n_chosen, &blocks.block_of));
    CHECK(TESS_ALLOC(u->n_chosen, &position));
    blocks.n_elements = u->n_chosen;
#pragma omp parallel for
    for (int64_t i = 0; i < u->n_chosen; i++) {
        blocks.block_of[i] = u->anew[u->partition->block_of[u->elements[i]]];
        position[i] = chosen.position ? chosen.position[u->elements[i]] : (int32_t)i;
    }
    chosen.position = chosen.position ? position : NULL;
    CHECK(tess_plan_build(part, &blocks, &chosen, &u->fresh));
done:
    free(position);
    free(blocks.block_of);
    tess_bound_loop_free(part);
    return status;
}

/* --- both, block by block --------------------------------------------------------------------- */

/* Where a block of the plan is copied from. */
typedef struct source {
    const tess_plan *plan;
    int32_t block;
    const int32_t *number; /* of its elements */
    bool kept;
} source;

static source source_of(const update *u, int32_t b) {
    if (u->kept_as[b] >= 0)
        return (source){u->before, u->kept_as[b], u->now, true};
    return (source){u->fresh, u->anew[b], u->elements, false};
}

static const int32_t *points_of(const update *u, source from, int k) {
    return (from.kept ? u->points[k] : from.plan->sets[k].points) +
           from.plan->sets[k].point_offset[from.block];
}

static void copy_block(const update *u, int32_t b, tess_plan *plan) {
    const source from = source_of(u, b);
    const int64_t to = plan->block_offset[b], first = from.plan->block_offset[from.block];
    const int64_t n = plan->block_offset[b + 1] - to;
    for (int64_t i = 0; i < n; i++)
        plan->executed[to + i] = from.number[from.plan->executed[first + i]];
    for (int k = 0; k < plan->n_sets; k++) {
        tess_plan_set *set = &plan->sets[k];
        const int64_t n_slots = set->n_slots, at = set->point_offset[b];
        memcpy(set->points + at, points_of(u, from, k),
               (size_t)(set->point_offset[b + 1] - at) * sizeof *set->points);
        memcpy(set->local_index + to * n_slots, from.plan->sets[k].local_index + first * n_slots,
               (size_t)(n * n_slots) * sizeof *set->local_index);
    }
    if (!plan->thread_colour)
        return;
    memcpy(plan->thread_colour + to, from.plan->thread_colour + first,
           (size_t)n * sizeof *plan->thread_colour);
    plan->thread_colours[b] = from.plan->thread_colours[from.block];
    plan->block_colour[b] = from.kept ? from.plan->block_colour[from.block] : -1;
}

/* Room for the points of set k, block after block, and for local indices. */
static tess_status set_open(const update *u, int k, tess_plan *plan) {
    const tess_plan_set *like = &u->before->sets[k];
    tess_plan_set *set = &plan->sets[k];
    memcpy(set->set, like->set, sizeof set->set);
    set->n_slots = like->n_slots;
    set->incremented = like->incremented;
    TRY(TESS_COPY(set->n_slots, like->slot_incremented, &set->slot_incremented));
    TRY(TESS_ZEROS(plan->n_blocks + 1, &set->point_offset));
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const source from = source_of(u, b);
        const int64_t *offset = from.plan->sets[k].point_offset + from.block;
        set->point_offset[b + 1] = set->point_offset[b] + offset[1] - offset[0];
    }
    TRY(TESS_ALLOC(set->point_offset[plan->n_blocks], &set->points));
    return TESS_ALLOC(plan->n_executed * set->n_slots, &set->local_index);
}

/* A plan with room for its blocks. */
static tess_status plan_open(const update *u, tess_plan **out) {
    const tess_plan *before = u->before;
    TRY(TESS_ZEROS(1, out));
    tess_plan *plan = *out;
    memcpy(plan->loop, before->loop, sizeof plan->loop);
    memcpy(plan->partitioned_set, before->partitioned_set, sizeof plan->partitioned_set);
    plan->block_size = u->partition->block_size;
    plan->n_elements = plan->n_executed = u->bound->n_elements;
    plan->n_blocks = u->partition->n_blocks;
    plan->n_kept = plan->n_blocks - u->fresh->n_blocks;
    TRY(TESS_ALLOC(plan->n_executed, &plan->executed));
    TRY(TESS_ZEROS(plan->n_blocks + 1, &plan->block_offset));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        plan->block_offset[b + 1] = plan->block_offset[b] + u->size[b];
    TRY(TESS_ZEROS(before->n_sets, &plan->sets));
    plan->n_sets = before->n_sets;
    for (int k = 0; k < plan->n_sets; k++)
        TRY(set_open(u, k, plan));
    if (!before->thread_colour)
        return TESS_OK;
    TRY(TESS_ALLOC(plan->n_executed, &plan->thread_colour));
    TRY(TESS_ALLOC(plan->n_blocks, &plan->thread_colours));
    return TESS_ALLOC(plan->n_blocks, &plan->block_colour);
}

/* --- colours of blocks ------------------------------------------------------------------------ */

enum { MOST_COLOURS = 64 };

/* The incremented points of blocks, and which colours are taken at them, a bit each. */
typedef struct colouring {
    tess_incidence *maps; /* [n_maps] */
    uint64_t **taken;     /* [n_maps][points] */
    int n_maps;
} colouring;

static tess_status colouring_open(const tess_bound_loop *bound, const tess_plan *plan,
                                  colouring *of) {
    TRY(TESS_ZEROS(plan->n_sets, &of->maps));
    TRY(TESS_ZEROS(plan->n_sets, &of->taken));
    for (int k = 0; k < plan->n_sets; k++) {
        if (!plan->sets[k].incremented)
            continue;
        tess_incidence *map = &of->maps[of->n_maps];
        TRY(tess_plan_incremented(bound, plan, k, map));
        TRY(TESS_ZEROS(map->n_points, &of->taken[of->n_maps++]));
    }
    return TESS_OK;
}

static void colouring_close(colouring *of) {
    for (int m = 0; m < of->n_maps; m++) {
        free(of->taken[m]);
        if (of->maps[m].owned)
            free((void *)of->maps[m].index);
    }
    free(of->taken);
    free(of->maps);
}

/* The colours that were taken at the points of a block, to which `more` are added. */
static uint64_t take_colours(const colouring *of, int32_t b, uint64_t more) {
    uint64_t taken = 0;
    for (int m = 0; m < of->n_maps; m++) {
        int64_t n = 0;
        const int32_t *row = tess_incidence_row(&of->maps[m], b, &n);
        for (int64_t i = 0; i < n; i++)
            if (row[i] >= 0)
                taken |= __atomic_fetch_or(&of->taken[m][row[i]], more, __ATOMIC_RELAXED);
    }
    return taken;
}

/* Gives the blocks without a colour the least one that is free, where the others' still are a
 * colouring and so many are enough; else all blocks new ones. */
static tess_status colour_all(const colouring *of, tess_plan *plan) {
    bool differ = true;
#pragma omp parallel for schedule(dynamic, 32) reduction(&& : differ)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int32_t colour = plan->block_colour[b];
        if (colour >= MOST_COLOURS)
            differ = false;
        else if (colour >= 0 && take_colours(of, b, UINT64_C(1) << colour) & UINT64_C(1) << colour)
            differ = false;
    }
    for (int32_t b = 0; differ && b < plan->n_blocks; b++) {
        if (plan->block_colour[b] >= 0)
            continue;
        const uint64_t left = ~take_colours(of, b, 0);
        differ = left != 0;
        plan->block_colour[b] = differ ? __builtin_ctzll(left) : -1;
        if (differ)
            take_colours(of, b, left & (~left + 1));
    }
    return differ ? TESS_OK
                  : tess_colour_first_fit(of->maps, of->n_maps, plan->n_blocks, plan->block_colour,
                                          &plan->n_block_colours);
}

/* Numbers colours densely: some may have gone with their blocks. */
static tess_status close_gaps(tess_plan *plan) {
    int32_t *number = NULL, most = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (plan->block_colour[b] >= most)
            most = plan->block_colour[b] + 1;
    TRY(TESS_ZEROS(most, &number));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        number[plan->block_colour[b]] = 1;
    plan->n_block_colours = 0;
    for (int32_t c = 0; c < most; c++)
        number[c] = number[c] ? plan->n_block_colours++ : -1;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        plan->block_colour[b] = number[plan->block_colour[b]];
    free(number);
    return TESS_OK;
}

static tess_status colour_blocks(const tess_bound_loop *bound, tess_plan *plan) {
    colouring of = {.maps = NULL};
    tess_status status = TESS_OK;
    CHECK(colouring_open(bound, plan, &of));
    CHECK(colour_all(&of, plan));
    CHECK(close_gaps(plan));
done:
    colouring_close(&of);
    return status;
}

tess_status tess_plan_update(const tess_bound_loop *bound, const tess_partition *partition,
                             const tess_plan *before, const int32_t *was,
                             const tess_plan_options *options, tess_plan **out) {
    tess_status status = TESS_OK;
    update u;
    tess_plan *plan = NULL;
    CHECK(update_open(bound, partition, before, was, &u));
    find_kept(&u);
    CHECK(plan_anew(&u, options));
    CHECK(plan_open(&u, &plan));
#pragma omp parallel for schedule(dynamic, 32)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        copy_block(&u, b, plan);
    plan->n_block_colours = plan->block_colour ? 0 : plan->n_blocks > 0;
    if (plan->block_colour)
        CHECK(colour_blocks(bound, plan));
    *out = TESS_TAKE(plan);
done:
    update_close(&u);
    tess_plan_free(plan);
    return status;
}
