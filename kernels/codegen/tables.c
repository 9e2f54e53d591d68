/* Parts of a plan: its arrays on the device, as strategies' texts name them. */
#include "kernels/codegen/tables.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>

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

tess_status tess_table_block_list(const tess_plan *plan, int32_t **out) {
    TRY(TESS_ALLOC(plan->n_blocks, out));
    int32_t n = 0;
    for (int32_t colour = 0; colour < plan->n_block_colours; colour++)
        for (int32_t b = 0; b < plan->n_blocks; b++)
            if (!plan->block_colour || plan->block_colour[b] == colour)
                (*out)[n++] = b;
    return TESS_OK;
}

tess_status tess_table_blocks(tess_page *page) {
    const tess_plan *plan = page->plan;
    TRY(tess_table_offsets(page, plan->block_offset, plan->n_blocks + 1, "", "block_offset"));
    tess_page_member(page, NULL, "    int begin, end; /* its elements, by position */\n");
    tess_page_open_code(page, NULL,
                        "    b.begin = fetch(&p->block_offset[index]);\n"
                        "    b.end = fetch(&p->block_offset[index + 1]);\n");
    return TESS_OK;
}

tess_status tess_table_blocks_by_colour(tess_page *page) {
    int32_t *list = NULL;
    TRY(tess_table_block_list(page->plan, &list));
    const tess_status status =
        tess_page_array(page, "const int *", list, (int64_t)page->plan->n_blocks * 4, "block_list");
    free(list);
    return status;
}

int64_t tess_table_groups(tess_page *page, int64_t n) {
    const int64_t n_positions = page->plan->n_executed;
    tess_page_member(page, NULL, "    int begin, end; /* its elements, by position */\n");
    tess_page_open_code(
        page, NULL,
        "    b.begin = index * %lld;\n"
        "    b.end = N_POSITIONS - b.begin < %lld ? N_POSITIONS : b.begin + %lld;\n",
        (long long)n, (long long)n, (long long)n);
    return (n_positions + n - 1) / n;
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
            launch.count += !plan->block_colour || plan->block_colour[b] == colour;
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

tess_status tess_table_thread_colours(tess_page *page) {
    const tess_plan *plan = page->plan;
    TRY(tess_page_array(page, "const unsigned short *", plan->thread_colour,
                        plan->n_executed * (int64_t)sizeof *plan->thread_colour, "thread_colour"));
    tess_page_member(page, NULL, "    int n_rounds; /* thread colours */\n");
    tess_page_open_code(page, NULL, "    b.n_rounds = fetch(&p->thread_colours[index]);\n");
    return tess_page_array(page, "const int *", plan->thread_colours, plan->n_blocks * INT64_C(4),
                           "thread_colours");
}
