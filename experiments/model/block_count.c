/* Counts of blocks that stage points in shared memory, or sum there or in registers. */
#include "experiments/model/feature_count.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/plan/point_owners.h"
#include "kernels/codegen/tables.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How blocks treat points: which sums they begin with, and how they give them. */
typedef struct staging {
    bool reads;     /* what is read is copied to shared memory */
    bool sums;      /* so are sums */
    bool border;    /* those of points that other blocks increment, too, are added by atomics */
    bool owned;     /* only own points are summed */
    bool registers; /* sums are a thread's own */
    tess_count_variant rest; /* of what is not staged */
} staging;

/* What a block knows of each of its points. */
typedef struct staged_points {
    int32_t *stored;         /* of all, ascending */
    int32_t *position;       /* of each as the plan lists them: its position among those */
    int32_t *plain, *border; /* that are stored, and added to by atomics */
    int64_t n, n_plain, n_border;
} staged_points;

static void access_list(tess_count *c, const tess_count_use *of, const int32_t *points, int64_t n,
                        tess_touch touch) {
    const tess_components all = {of->column, of->first, of->n_values};
    for (int64_t i = 0; i < n; i += TESS_LANES) {
        const int n_lanes = n - i < TESS_LANES ? (int)(n - i) : TESS_LANES;
        if (c->shapes[of->column].aos)
            tess_traffic_rows(&c->traffic, all, points + i, n_lanes, touch);
        else
            tess_traffic_warp(&c->traffic, all, points + i, n_lanes, touch);
    }
}

/* Sorts the points of block b into what it does with them. */
static void find_points(const tess_count *c, const staging *how, int r, int32_t b,
                        const int32_t *n_blocks, staged_points *out) {
    const tess_plan *plan = c->page->plan;
    const tess_plan_set *set = &plan->sets[r];
    const tess_point_owners owners =
        tess_point_owners_of(c->page->bound, plan->partitioned_set, plan->owner, r);
    out->n = out->n_plain = out->n_border = 0;
    for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++) {
        const int32_t point = set->points[i], stored = tess_page_point(c->page, r, point);
        out->stored[out->n++] = stored;
        if (!set->incremented || (n_blocks && n_blocks[point] == 0))
            continue;
        if (how->owned ? tess_point_owner(owners, point) == b
                       : !how->border || n_blocks[point] == 1)
            out->plain[out->n_plain++] = stored;
        else if (!how->owned)
            out->border[out->n_border++] = stored;
    }
    for (int64_t i = 0; i < out->n; i++)
        out->position[i] = out->stored[i];
    tess_sort(out->stored, out->n);
    for (int64_t i = 0; i < out->n; i++)
        out->position[i] = (int32_t)tess_sorted_position(out->stored, out->n, out->position[i]);
    tess_sort(out->plain, out->n_plain);
    tess_sort(out->border, out->n_border);
}

/* What a block does with the points of one target in one use. */
static void block_of_use(tess_count *c, const staging *how, const tess_count_use *of,
                         const staged_points *points) {
    const double bytes = (double)of->n_values * c->shapes[of->column].size;
    if (of->kind == TESS_COUNT_READ && how->reads) {
        access_list(c, of, points->stored, points->n, TESS_TOUCH_READ);
        c->out->wavefronts += (double)points->n * bytes / 128;
    }
    if (of->kind != TESS_COUNT_SUM || !how->sums)
        return;
    access_list(c, of, points->plain, points->n_plain, TESS_TOUCH_READ);
    access_list(c, of, points->plain, points->n_plain, TESS_TOUCH_WRITE);
    access_list(c, of, points->border, points->n_border, TESS_TOUCH_ATOMIC);
    if (!how->registers)
        c->out->wavefronts += 2 * (double)(points->n_plain + points->n_border) * bytes / 128;
}

/* In all uses, as often as the phases of a launch begin to stage it. */
static void block_of_target(tess_count *c, const staging *how, int r, const staged_points *points) {
    for (int i = 0; i < c->n_uses; i++) {
        const unsigned begin = tess_phases_begin(c->page, c->uses[i].phases);
        if (c->uses[i].target == r && c->uses[i].n_values > 0)
            for (int times = tess_count_phases(c, begin); times > 0; times--)
                block_of_use(c, how, &c->uses[i], points);
    }
}

/* The way of a block's elements to their points in shared memory, which lie there value by value.
 */
static void block_of_positions(tess_count *c, const staging *how, int32_t b,
                               const staged_points *points) {
    const tess_plan *plan = c->page->plan;
    int32_t positions[TESS_LANES];
    for (int u = 0; u < c->n_uses; u++) {
        const tess_count_use *of = &c->uses[u];
        const bool sum = of->kind == TESS_COUNT_SUM && how->sums;
        if (of->target < 0 || how->registers ||
            !(sum || (of->kind == TESS_COUNT_READ && how->reads)))
            continue;
        const tess_plan_set *set = &plan->sets[of->target];
        const int times = (sum ? 2 : 1) * tess_count_phases(c, of->phases);
        for (int s = 0; times > 0 && s < set->n_slots; s++)
            for (int64_t k = plan->block_offset[b]; of->values[s] && k < plan->block_offset[b + 1];
                 k += TESS_LANES) {
                const int64_t left = plan->block_offset[b + 1] - k;
                const int n = left < TESS_LANES ? (int)left : TESS_LANES;
                for (int lane = 0; lane < n; lane++) {
                    const uint16_t local = set->local_index[(k + lane) * set->n_slots + s];
                    positions[lane] =
                        local == TESS_NO_POINT ? -1 : points[of->target].position[local];
                }
                c->out->wavefronts +=
                    times * of->values[s] *
                    tess_count_wavefronts(positions, n, c->shapes[of->column].size);
            }
    }
}

/* Whether the ends of an element share what it owns: it lies in shared memory, or nothing is
 * read at points, so that each end reads only the part that comes to it. */
static bool shares_own(const tess_count *c) {
    bool reads_points = false;
    for (int u = 0; u < c->n_uses; u++)
        reads_points |= c->uses[u].kind == TESS_COUNT_READ;
    return !reads_points || strstr(c->page->text.text, "#define STAGE_OWN 1\n");
}

/* The elements of a block: their own values once each, what they read in place, and, where threads
 * sum in registers, their way through shared memory, without conflicts. */
static void block_of_elements(tess_count *c, const staging *how, int32_t b, int32_t *stored) {
    const tess_page *page = c->page;
    const int64_t first = page->plan->block_offset[b];
    const int64_t n = page->plan->block_offset[b + 1] - first;
    for (int64_t i = 0; i < n; i++)
        stored[i] = tess_page_element(page, page->plan->executed[first + i]);
    if (how->registers)
        tess_sort(stored, n);
    tess_count_variant rest = how->rest;
    rest.gives = !how->sums;
    const double reads = c->traffic.counts.reads;
    const uint16_t *colours =
        rest.adds && page->plan->thread_colour ? page->plan->thread_colour + first : NULL;
    for (int64_t i = 0; i < n; i += TESS_LANES)
        tess_count_warp(c, &rest,
                        &(tess_count_lanes){.n = n - i < TESS_LANES ? (int)(n - i) : TESS_LANES,
                                            .stored = stored + i,
                                            .positions = stored + i,
                                            .colours = colours ? colours + i : NULL});
    const double times = how->registers ? c->times : 1;
    const bool alone = (rest.reads || c->times > 2) && !shares_own(c);
    if (how->registers && alone) /* every end reads them for itself */
        c->traffic.counts.reads += (times - 1) * (c->traffic.counts.reads - reads);
    for (int u = 0; u < c->n_uses; u++)
        for (int s = 0; c->uses[u].target >= 0 && s < TESS_MOST_COLUMNS; s++) {
            const double bytes = (double)c->uses[u].values[s] * c->shapes[c->uses[u].column].size;
            if (c->uses[u].kind == TESS_COUNT_READ && how->reads && how->registers)
                c->out->wavefronts += times * (double)n * bytes / 128;
        }
}

/* Most points of a target, or elements, that a block has. */
static int64_t most_of(const tess_plan *plan, const int64_t *offset) {
    int64_t most = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        most = offset[b + 1] - offset[b] > most ? offset[b + 1] - offset[b] : most;
    return most;
}

static void staged_free(staged_points *points, int32_t **n_blocks, int n) {
    for (int r = 0; r < n; r++) {
        free(points[r].stored);
        free(points[r].position);
        free(points[r].plain);
        free(points[r].border);
        free(n_blocks[r]);
    }
    free(points);
    free(n_blocks);
}

static tess_status staged_new(const tess_count *c, staged_points *points, int32_t **n_blocks) {
    const tess_plan *plan = c->page->plan;
    for (int r = 0; r < plan->n_sets; r++) {
        const int64_t most = most_of(plan, plan->sets[r].point_offset);
        TRY(TESS_ALLOC(most, &points[r].stored));
        TRY(TESS_ALLOC(most, &points[r].position));
        TRY(TESS_ALLOC(most, &points[r].plain));
        TRY(TESS_ALLOC(most, &points[r].border));
        uint8_t *incremented = NULL;
        const tess_status status = tess_table_incremented(c->page, r, &incremented, &n_blocks[r]);
        free(incremented);
        TRY(status);
    }
    return TESS_OK;
}

/* Values that phases with launches of their own pass on, of a block's elements: they wait in
 * memory, as columns behind those of the loop's dats. */
static void block_of_passed(tess_count *c, int32_t b) {
    const int64_t *offset = c->page->plan->block_offset;
    int column = c->n_shapes;
    for (int i = 0; c->phase >= 0 && i < c->page->n_arrays; i++) {
        const tess_page_table *passed = &c->page->arrays[i];
        if (!passed->taken)
            continue;
        const tess_components all = {column, 0, c->shapes[column].dim},
                              share = {column, 0, all.n / __builtin_popcount(passed->given)};
        for (int64_t k = offset[b]; k < offset[b + 1]; k += TESS_LANES) {
            int32_t positions[TESS_LANES];
            const int n = offset[b + 1] - k < TESS_LANES ? (int)(offset[b + 1] - k) : TESS_LANES;
            for (int lane = 0; lane < n; lane++)
                positions[lane] = (int32_t)(k + lane);
            if (passed->taken >> c->phase & 1)
                tess_traffic_warp(&c->traffic, all, positions, n, TESS_TOUCH_READ);
            if (passed->given >> c->phase & 1)
                tess_traffic_warp(&c->traffic, share, positions, n, TESS_TOUCH_WRITE);
        }
        column++;
    }
}

void tess_count_add_passed(tess_count *c) {
    const tess_page *page = c->page;
    const int64_t n = tess_store_stride(page->plan->n_executed);
    const int size = strcmp(tess_page_real(page), "double") == 0 ? 8 : 4;
    for (int i = 0; i < page->n_arrays; i++)
        if (page->arrays[i].taken)
            c->shapes[c->n_shapes + c->n_kept++] = (tess_column_shape){
                .size = size, .dim = (int)(page->arrays[i].bytes / n / size), .n_points = n};
}

/* What is staged of the points of all targets, and who. */
typedef struct staged_work {
    staged_points *points; /* [n_sets of the plan] */
    int32_t **n_blocks;    /* [n_sets of the plan] that increment each point */
    int32_t *stored;       /* of a block's elements */
} staged_work;

/* All blocks, those of one colour after those of another. */
static void staged_launch(tess_count *c, const staging *how, const staged_work *work) {
    const tess_plan *plan = c->page->plan;
    const bool coloured = tess_count_is(c, "block-colour") && plan->block_colour;
    for (int32_t colour = 0; colour < (coloured ? plan->n_block_colours : 1); colour++)
        for (int32_t b = 0; b < c->share * plan->n_blocks; b++) {
            if (coloured && plan->block_colour[b] != colour)
                continue;
            tess_traffic_block(&c->traffic);
            tess_traffic_stream(&c->traffic, c->table_sectors / plan->n_blocks);
            for (int r = 0; r < plan->n_sets; r++) {
                find_points(c, how, r, b, work->n_blocks[r], &work->points[r]);
                block_of_target(c, how, r, &work->points[r]);
            }
            block_of_elements(c, how, b, work->stored);
            block_of_positions(c, how, b, work->points);
            block_of_passed(c, b);
        }
}

/* All launches: of a split loop one a phase, where phases have launches of their own. */
static tess_status staged_launches(tess_count *c, const staging *how) {
    const tess_plan *plan = c->page->plan;
    const bool launched = c->page->n_phases > 0 && c->page->phase_order == TESS_PHASES_LAUNCHED;
    tess_status status = TESS_OK;
    staged_work work = {.stored = NULL};
    CHECK(TESS_ZEROS(plan->n_sets, &work.points));
    CHECK(TESS_ZEROS(plan->n_sets, &work.n_blocks));
    CHECK(staged_new(c, work.points, work.n_blocks));
    CHECK(TESS_ALLOC(most_of(plan, plan->block_offset), &work.stored));
    if (!launched)
        staged_launch(c, how, &work);
    for (int phase = 0; launched && phase < c->page->n_phases; phase++) {
        c->phase = phase;
        staged_launch(c, how, &work);
    }
done:
    if (work.points && work.n_blocks)
        staged_free(work.points, work.n_blocks, plan->n_sets);
    free(work.stored);
    return status;
}

/* Most elements of a block that reach one point through the same slot. */
static tess_status most_through_slot(const tess_plan *plan, const tess_plan_set *set, int slot,
                                     double *most) {
    int32_t *times = NULL;
    TRY(TESS_ZEROS(set->point_offset[plan->n_blocks], &times));
    *most = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            const uint16_t local = set->local_index[k * set->n_slots + slot];
            if (local != TESS_NO_POINT && ++times[set->point_offset[b] + local] > *most)
                *most = times[set->point_offset[b] + local];
        }
    free(times);
    return TESS_OK;
}

/* Rounds in which elements that are computed at once add what they increment in a phase, or at all
 * (-1): a slot takes as many as elements of a block reach one point through it. */
static tess_status count_slot_rounds(const tess_count *c, int phase, double *rounds) {
    const tess_plan *plan = c->page->plan;
    double most = 0;
    *rounds = 0;
    for (int r = 0; r < plan->n_sets; r++)
        for (int s = 0; s < plan->sets[r].n_slots; s++) {
            bool adds = phase < 0 && plan->sets[r].slot_incremented[s];
            for (int i = 0; phase >= 0 && i < c->n_uses; i++)
                adds |= c->uses[i].kind == TESS_COUNT_SUM && c->uses[i].target == r &&
                        c->uses[i].values[s] > 0 && (c->uses[i].phases >> phase & 1);
            if (!adds)
                continue;
            TRY(most_through_slot(plan, &plan->sets[r], s, &most));
            *rounds += most;
        }
    return TESS_OK;
}

/* Barriers of blocks: one after the copies, and for all elements that are computed at once one a
 * thread colour, or one a slot and colour of its increments. */
static tess_status count_rounds(const tess_count *c, bool by_colour, double *rounds) {
    const tess_plan *plan = c->page->plan;
    double slots = 0;
    if (!by_colour)
        TRY(count_slot_rounds(c, -1, &slots));
    *rounds = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t n = plan->block_offset[b + 1] - plan->block_offset[b];
        const double turns = (double)((n + c->page->threads - 1) / c->page->threads);
        const double colours = plan->thread_colours ? plan->thread_colours[b] : 1;
        *rounds += 1 + turns * (by_colour ? colours : slots);
    }
    return TESS_OK;
}

/* Of a split loop: one after the copies of each phase, one before them where they take the place of
 * those before, and one a slot and colour of what it increments. */
static tess_status count_phase_rounds(const tess_count *c, double *rounds) {
    const tess_page *page = c->page;
    const tess_plan *plan = page->plan;
    const bool launched = page->phase_order == TESS_PHASES_LAUNCHED;
    const double most_turns = ceil((double)most_of(plan, plan->block_offset) / page->threads);
    *rounds = 0;
    for (int phase = 0; phase < page->n_phases; phase++) {
        double slots = 0;
        TRY(count_slot_rounds(c, phase, &slots));
        for (int32_t b = 0; b < plan->n_blocks; b++) {
            const double n = (double)(plan->block_offset[b + 1] - plan->block_offset[b]);
            const double turns = launched ? ceil(n / page->threads) : most_turns;
            const bool waits = page->phase_order == TESS_PHASES_AFTER && phase > 0;
            *rounds += 1 + waits + turns * slots;
        }
    }
    return TESS_OK;
}

tess_status tess_count_block_colour(tess_count *c) {
    const bool split = c->page->n_phases > 0;
    const bool none = !split && tess_count_has(c, "stage", "none");
    const bool all = split || tess_count_has(c, "stage", "all");
    const staging how = {.reads = all,
                         .sums = !none,
                         .rest = {.reads = !all, .adds = none, .sums = TESS_TOUCH_WRITE}};
    TRY(staged_launches(c, &how));
    if (split)
        return count_phase_rounds(c, &c->out->barriers);
    return count_rounds(c, true, &c->out->barriers);
}

tess_status tess_count_block_sum(tess_count *c, bool owned) {
    const bool split = c->page->n_phases > 0;
    const bool reads = split || tess_count_has(c, "stage", "all");
    const staging how = {
        .reads = reads, .sums = true, .border = !owned, .owned = owned, .rest = {.reads = !reads}};
    TRY(staged_launches(c, &how));
    if (split)
        return count_phase_rounds(c, &c->out->barriers);
    const bool by_colour =
        tess_count_has(c, "sum", "thread-colours") || tess_count_has(c, "sum", "increment-colours");
    const bool at_once =
        tess_count_has(c, "sum", "block-gather") || tess_count_has(c, "sum", "shared-atomics");
    c->out->shared_atomics = tess_count_has(c, "sum", "shared-atomics");
    c->out->barriers = 2.0 * c->page->plan->n_blocks;
    return at_once ? TESS_OK : count_rounds(c, by_colour, &c->out->barriers);
}

tess_status tess_count_gather_staged(tess_count *c) {
    const staging how = {.reads = true};
    c->out->barriers = c->page->plan->n_blocks;
    return staged_launches(c, &how);
}

tess_status tess_count_point_parallel(tess_count *c) {
    if (c->page->n_phases > 0)
        FAIL(TESS_ERROR_USAGE, "there is no model of point-parallel by parts: predict parts=fused, "
                               "or parts of halo-atomics, owner-block and block-colour");
    const bool reads = tess_count_has(c, "stage", "all");
    const staging how = {
        .reads = reads, .sums = true, .owned = true, .registers = true, .rest = {.reads = !reads}};
    int first_slot = 0, n_slots = 0;
    const tess_plan_set *set = &c->page->plan->sets[tess_page_owned_target(c->page, &first_slot)];
    for (int s = 0; s < set->n_slots; s++)
        n_slots += set->slot_incremented[s];
    c->times =
        (double)n_slots * (double)c->page->plan->n_elements / (double)c->page->plan->n_executed;
    TRY(staged_launches(c, &how));
    c->out->flops *= c->times;
    c->out->turns = c->out->turns > 2 ? c->out->turns / 2 : 1; /* two points are begun at once */
    c->out->barriers = reads ? c->page->plan->n_blocks : 0;
    return TESS_OK;
}
