/* Parts of a plan: its arrays on the device, as strategies' texts name them. */
#include "kernels/tables/tables.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "kernels/page/loop_names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_table_order(tess_page *page) {
    const int64_t n = page->plan->n_executed;
    int32_t *executed = NULL;
    TRY(TESS_ALLOC(n, &executed));
    bool in_order = n == page->bound->n_elements;
    for (int64_t k = 0; k < n; k++) {
        executed[k] = tess_page_element(page, page->plan->executed[k]);
        in_order &= executed[k] == k;
    }
    tess_page_print(page, "#define ELEMENTS_IN_ORDER %d\n#define ELEMENT_AT(p, k) %s\n", in_order,
                    in_order ? "(k)" : "fetch(&(p)->executed[k])");
    tess_status status = TESS_OK;
    if (!in_order)
        status = tess_page_array(page, "const int *", executed, n * 4, "executed");
    free(executed);
    return status;
}

static tess_status index_array(tess_page *page, const int32_t *place, int r) {
    const tess_loop_target *reach = &page->bound->targets[r];
    const int64_t n = page->bound->n_elements, stride = tess_store_stride(n);
    int32_t *index = NULL;
    TRY(TESS_ZEROS(stride * reach->n_slots, &index));
    for (int s = 0; s < reach->n_slots; s++)
        for (int64_t e = 0; e < n; e++) {
            const int32_t point = reach->slot_index[s][e * reach->slot_stride[s]];
            const int32_t stored = tess_page_element(page, (int32_t)e);
            index[s * stride + (place ? place[stored] : stored)] =
                point < 0 ? -1 : tess_page_point(page, r, point);
        }
    const tess_status status =
        tess_page_array(page, "const int *", index, stride * reach->n_slots * 4, "%s_index",
                        tess_reach_name(page, r));
    free(index);
    return status;
}

tess_status tess_table_index(tess_page *page, const int32_t *place) {
    page->has_index = true;
    for (int r = 0; r < page->bound->n_targets; r++)
        TRY(index_array(page, place, r));
    return TESS_OK;
}

tess_status tess_table_offsets(tess_page *page, const int64_t *offset, int64_t n, const char *set,
                               const char *name) {
    int32_t *narrow = NULL;
    TRY(TESS_ALLOC(n, &narrow));
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < n; i++) {
        if (offset[i] > INT32_MAX)
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s%s of this plan passes 2^31", set, name));
        narrow[i] = (int32_t)offset[i];
    }
    CHECK(tess_page_array(page, "const int *", narrow, n * 4, "%s%s", set, name));
done:
    free(narrow);
    return status;
}

tess_status tess_table_blocks(tess_page *page) {
    const tess_plan *plan = page->plan;
    TRY(tess_table_offsets(page, plan->block_offset, plan->n_blocks + 1, "", "block_offset"));
    int32_t *list = NULL;
    TRY(TESS_ALLOC(plan->n_blocks, &list));
    int32_t n = 0;
    for (int32_t colour = 0; colour < plan->n_block_colours; colour++)
        for (int32_t b = 0; b < plan->n_blocks; b++)
            if (plan->block_colour[b] == colour)
                list[n++] = b;
    const tess_status status =
        tess_page_array(page, "const int *", list, (int64_t)n * 4, "block_list");
    free(list);
    return status;
}

static tess_launch launch_of(const char *kernel) {
    tess_launch launch = {.shared_bytes = 0};
    snprintf(launch.kernel, sizeof launch.kernel, "%s", kernel);
    return launch;
}

tess_status tess_table_launch_colours(tess_page *page, const char *kernel, int64_t shared_bytes) {
    const tess_plan *plan = page->plan;
    tess_launch launch = launch_of(kernel);
    launch.shared_bytes = shared_bytes;
    for (int32_t colour = 0; colour < plan->n_block_colours; colour++) {
        launch.count = 0;
        for (int32_t b = 0; b < plan->n_blocks; b++)
            launch.count += plan->block_colour[b] == colour;
        launch.n_blocks = launch.count;
        TRY(tess_page_launch(page, &launch));
        launch.first += launch.count;
    }
    return TESS_OK;
}

tess_status tess_table_launch_blocks(tess_page *page, const char *kernel, int64_t shared_bytes) {
    tess_launch launch = launch_of(kernel);
    launch.shared_bytes = shared_bytes;
    launch.n_blocks = launch.count = page->plan->n_blocks;
    return tess_page_launch(page, &launch);
}

tess_status tess_table_launch_flat(tess_page *page, const char *kernel, int64_t first, int64_t n) {
    tess_launch launch = launch_of(kernel);
    launch.first = first;
    launch.count = n;
    launch.n_blocks = (n + page->threads - 1) / page->threads;
    return tess_page_launch(page, &launch);
}

/* What -1 stands for. */
static int64_t registers_that_fit(const tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    int64_t bytes = 0, widest = 0;
    for (int a = 0; a < loop->n_args; a++) {
        const int64_t size = (int64_t)tess_type_size(loop->args[a].type);
        bytes += tess_arg_local_size(page, &loop->args[a]) * size;
        widest = size > widest ? size : widest;
    }
    const int64_t registers = widest > 4 ? 64 : 40;
    return bytes / 4 <= registers * 3 / 4 ? registers : 0;
}

void tess_table_registers(tess_page *page, int64_t registers) {
    registers = registers < 0 ? registers_that_fit(page) : registers;
    const int64_t least = registers > 0 ? 65536 / (registers * page->threads) : 1;
    tess_page_print(page, "#define LEAST_BLOCKS %lld\n", (long long)(least > 1 ? least : 1));
}

tess_status tess_table_thread_colours(tess_page *page) {
    const tess_plan *plan = page->plan;
    TRY(tess_page_array(page, "const unsigned short *", plan->thread_colour,
                        plan->n_executed * (int64_t)sizeof *plan->thread_colour, "thread_colour"));
    return tess_page_array(page, "const int *", plan->thread_colours, plan->n_blocks * INT64_C(4),
                           "thread_colours");
}

/* Local indices component by component: [slot][stride]. */
static tess_status local_array(tess_page *page, int r) {
    const tess_plan_set *set = &page->plan->sets[r];
    const int64_t n = page->plan->n_executed, stride = tess_store_stride(n);
    uint16_t *local = NULL;
    TRY(TESS_ZEROS(stride * set->n_slots, &local));
    for (int64_t k = 0; k < n; k++)
        for (int s = 0; s < set->n_slots; s++)
            local[s * stride + k] = set->local_index[k * set->n_slots + s];
    const tess_status status =
        tess_page_array(page, "const unsigned short *", local, stride * set->n_slots * 2,
                        "%s_local", tess_reach_name(page, r));
    free(local);
    return status;
}

/* Which staged points their block increments, and how many blocks increment each point of the set;
 * the caller frees both. */
static tess_status find_incremented(const tess_page *page, int r, uint8_t **touched,
                                    int32_t **n_blocks) {
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[r];
    TRY(TESS_ZEROS(set->point_offset[plan->n_blocks], touched));
    TRY(TESS_ZEROS(page->bound->mesh->sets[page->bound->targets[r].set].size, n_blocks));
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
            for (int s = 0; s < set->n_slots; s++) {
                const uint16_t local = set->local_index[k * set->n_slots + s];
                if (set->slot_incremented[s] && local != TESS_NO_POINT)
                    (*touched)[set->point_offset[b] + local] = 1;
            }
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++)
            (*n_blocks)[set->points[i]] += (*touched)[i];
    }
    return TESS_OK;
}

static bool is_marked(const tess_plan *plan, int32_t block, int32_t point, int32_t n_blocks,
                      tess_marks marks) {
    return (marks == TESS_MARK_BORDER && n_blocks > 1) ||
           (marks == TESS_MARK_OTHERS && plan->owner[point] != block);
}

/* Gives each point of a block its place among them in the order of storage. */
static void find_places(const tess_page *page, int r, const int32_t *points, int64_t n,
                        int32_t *stored, int32_t *place) {
    for (int64_t i = 0; i < n; i++)
        stored[i] = tess_page_point(page, r, points[i]);
    tess_sort(stored, n);
    for (int64_t i = 0; i < n; i++)
        place[i] = (int32_t)tess_sorted_place(stored, n, tess_page_point(page, r, points[i]));
}

/* The places of all blocks' points: as in the plan, or in the order of storage. */
static tess_status places_of(const tess_page *page, int r, bool sorted, int32_t **place) {
    tess_status status = TESS_OK;
    const tess_plan_set *set = &page->plan->sets[r];
    const int64_t *offset = set->point_offset;
    int32_t *stored = NULL;
    CHECK(TESS_ALLOC(offset[page->plan->n_blocks], place));
    CHECK(TESS_ALLOC(sorted ? offset[page->plan->n_blocks] : 0, &stored));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < page->plan->n_blocks; b++) {
        const int64_t first = offset[b], n = offset[b + 1] - first;
        if (sorted)
            find_places(page, r, set->points + first, n, stored + first, *place + first);
        for (int64_t i = 0; !sorted && i < n; i++)
            (*place)[first + i] = (int32_t)i;
    }
done:
    free(stored);
    return status;
}

/* Staged points as stored and marked, each at its place, and which of them the block increments. */
static tess_status points_array(tess_page *page, int r, tess_marks marks, const int32_t *place) {
    tess_status status = TESS_OK;
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[r];
    const int64_t n = set->point_offset[plan->n_blocks];
    int32_t *points = NULL, *n_blocks = NULL;
    uint8_t *touched = NULL, *incremented = NULL;
    bool all = true;
    CHECK(find_incremented(page, r, &touched, &n_blocks));
    CHECK(TESS_ALLOC(n, &points));
    CHECK(TESS_ALLOC(n, &incremented));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++) {
            const int32_t point = set->points[i], stored = tess_page_point(page, r, point);
            /* a set that is only read may be another than the one that blocks own */
            const bool marked =
                set->incremented && is_marked(plan, b, point, n_blocks[point], marks);
            const int64_t at = set->point_offset[b] + place[i];
            points[at] = marked ? ~stored : stored;
            incremented[at] = touched[i];
            all &= touched[i];
        }
    CHECK(
        tess_page_array(page, "const int *", points, n * 4, "%s_points", tess_reach_name(page, r)));
    const bool partly = set->incremented && !all;
    tess_page_print(page, "#define %s_INCREMENTS(p, i) ", tess_reach_name(page, r));
    tess_page_print(page, partly ? "fetch(&(p)->%s_incremented[i])\n" : "1 /* %s: all */\n",
                    tess_reach_name(page, r));
    if (partly)
        CHECK(tess_page_array(page, "const unsigned char *", incremented, n, "%s_incremented",
                              tess_reach_name(page, r)));
done:
    free(incremented);
    free(touched);
    free(n_blocks);
    free(points);
    return status;
}

tess_status tess_table_staged_points(tess_page *page, int r, tess_marks marks, bool sorted,
                                     int32_t **place) {
    TRY(places_of(page, r, sorted, place));
    TRY(tess_table_offsets(page, page->plan->sets[r].point_offset, page->plan->n_blocks + 1,
                           tess_reach_name(page, r), "_point_offset"));
    return points_array(page, r, marks, *place);
}

tess_status tess_table_points(tess_page *page, tess_marks marks) {
    page->has_local = true;
    for (int r = 0; r < page->plan->n_sets; r++) {
        int32_t *place = NULL;
        const tess_status status = tess_table_staged_points(page, r, marks, false, &place);
        free(place);
        TRY(status);
        TRY(local_array(page, r));
    }
    return TESS_OK;
}

/* The sum over distinct dats of their copies, each rounded up to 16 bytes, as the glue's READ_BYTES
 * and SUM_BYTES. */
static int64_t copies_bytes(const tess_page *page, bool summed) {
    const tess_loop *loop = page->bound->loop;
    int64_t bytes = 0;
    for (int a = 0; a < loop->n_args; a++) {
        const int r = tess_arg_first_reach(page, a, summed);
        if (r >= 0)
            bytes += (tess_page_staged(page, r) * loop->args[a].dim *
                          (int64_t)tess_type_size(loop->args[a].type) +
                      15) /
                     16 * 16;
    }
    return bytes;
}

int64_t tess_table_read_bytes(const tess_page *page) {
    return copies_bytes(page, false);
}

int64_t tess_table_sum_bytes(const tess_page *page) {
    return copies_bytes(page, true);
}
