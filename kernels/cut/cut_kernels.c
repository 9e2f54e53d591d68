/* The kernels that cut: their texts, compiled for a device, and what they take. */
#include "kernels/cut/cut_kernels.h"

#include "core/base/array.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/text_writer.h"
#include "partitioners/swap_rule.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TESS_EMBED(tess_hilbert_key_text, "core/plan/order/hilbert_key.h");
TESS_EMBED(tess_slab_key_text, "partitioners/slab_key.h");
TESS_EMBED(tess_cut_scan_text, "kernels/cut/scan.cu");
TESS_EMBED(tess_cut_sort_text, "kernels/cut/radix_sort.cu");
TESS_EMBED(tess_cut_places_text, "kernels/cut/places.cu");
TESS_EMBED(tess_cut_select_text, "kernels/cut/select_cut.cu");
TESS_EMBED(tess_cut_bisect_text, "kernels/cut/bisect.cu");
TESS_EMBED(tess_cut_finish_text, "kernels/cut/finish_parts.cu");
TESS_EMBED(tess_cut_numbers_text, "kernels/cut/number_set.cu");
TESS_EMBED(tess_cut_plan_text, "kernels/cut/plan_blocks.cu");
TESS_EMBED(tess_cut_colour_text, "kernels/cut/colour_blocks.cu");
TESS_EMBED(tess_swap_rule_text, "partitioners/swap_rule.h");
TESS_EMBED(tess_cut_swap_text, "kernels/cut/swap.cu");
TESS_EMBED(tess_cut_recut_text, "kernels/cut/recut.cu");
TESS_EMBED(tess_cut_replan_text, "kernels/cut/replan.cu");
TESS_EMBED(tess_cut_renumber_text, "kernels/cut/renumber.cu");
TESS_EMBED(tess_cut_order_text, "kernels/cut/point_order.cu");
TESS_EMBED(tess_cut_stage_text, "kernels/cut/stage_tables.cu");
TESS_EMBED(tess_cut_entry_text, "kernels/cut/entry_tables.cu");
TESS_EMBED(tess_cut_spread_text, "kernels/cut/spread_banks.cu");
TESS_EMBED(tess_cut_slots_text, "kernels/cut/slot_tables.cu");

enum { EACH_CUT = TESS_CUT_BLOCKS | TESS_CUT_ANEW };

/* In the order of pages; `of` what each is, and its functions alone. */
static const struct {
    const char *name, *text;
    unsigned of, functions_of;
} texts[] = {
    {"hilbert_key.h", tess_hilbert_key_text, EACH_CUT, TESS_CUT_ENDS},
    {"slab_key.h", tess_slab_key_text, EACH_CUT, TESS_CUT_ENDS},
    {"scan.cu", tess_cut_scan_text, TESS_CUT_ALL & ~TESS_CUT_ENDS, TESS_CUT_ENDS},
    {"radix_sort.cu", tess_cut_sort_text, EACH_CUT | TESS_CUT_PLANS | TESS_CUT_TABLES, 0},
    {"places.cu", tess_cut_places_text, EACH_CUT, TESS_CUT_ENDS},
    {"select_cut.cu", tess_cut_select_text, EACH_CUT, TESS_CUT_ENDS},
    {"bisect.cu", tess_cut_bisect_text, EACH_CUT, TESS_CUT_ENDS},
    {"finish_parts.cu", tess_cut_finish_text, TESS_CUT_ENDS, 0},
    {"number_set.cu", tess_cut_numbers_text, TESS_CUT_ANEW | TESS_CUT_PLANS | TESS_CUT_TABLES, 0},
    {"plan_blocks.cu", tess_cut_plan_text, TESS_CUT_PLANS, 0},
    {"colour_blocks.cu", tess_cut_colour_text, TESS_CUT_PLANS, 0},
    {"swap_rule.h", tess_swap_rule_text, TESS_CUT_ANEW, 0},
    {"swap.cu", tess_cut_swap_text, TESS_CUT_ANEW, 0},
    {"recut.cu", tess_cut_recut_text, TESS_CUT_ANEW | TESS_CUT_PLANS, 0},
    {"replan.cu", tess_cut_replan_text, TESS_CUT_PLANS, 0},
    {"renumber.cu", tess_cut_renumber_text, TESS_CUT_PLANS, 0},
    {"point_order.cu", tess_cut_order_text, TESS_CUT_PLANS, 0},
    {"stage_tables.cu", tess_cut_stage_text, TESS_CUT_TABLES, 0},
    {"entry_tables.cu", tess_cut_entry_text, TESS_CUT_TABLES, 0},
    {"spread_banks.cu", tess_cut_spread_text, TESS_CUT_TABLES, 0},
    {"slot_tables.cu", tess_cut_slots_text, TESS_CUT_TABLES, 0},
};

/* Bytes of a block. */
enum {
    SORT_INTS = (TESS_CUT_WARPS + 1) * TESS_CUT_DIGITS + TESS_CUT_WARPS + TESS_CUT_CHUNK,
    SORT_BYTES = SORT_INTS * (int)sizeof(int) + TESS_CUT_CHUNK * (int)sizeof(int64_t),
    MOST_BINS_BYTES = TESS_CUT_CHUNK * (int)sizeof(int)
};

/* Of selections (select_cut.cu), and of the words of a few elements, or counts. */
static int64_t selection_bytes(int n) {
    return n * ((2 * 5 + 4 + 6) * (int64_t)sizeof(uint64_t) +
                (12 + TESS_CUT_WARPS + 3 + 3 + 2) * (int64_t)sizeof(int)) +
           4 * TESS_CUT_THREADS * (int64_t)sizeof(uint64_t);
}

/* Of a group whose elements swap. */
static int64_t swap_bytes(const tess_cut_params *p) {
    const int64_t n_pins = p->group_blocks * p->block_size * p->n_slots;
    const int64_t n_points = swap_points((int)p->n_slots);
    const int64_t n_ints = 2 * n_points + SWAP_DIRECTIONS + SWAP_POSITIONS / TESS_WARP;
    const int64_t n_shorts = n_points + 1 + 2 * (SWAP_POSITIONS + n_pins);
    return (n_ints + TESS_CUT_WARPS + 1) * (int64_t)sizeof(int) +
           n_shorts * (int64_t)sizeof(uint16_t);
}

static int64_t shared_bytes_of(const char *name, const tess_cut_params *p) {
    if (strcmp(name, "place_by_digit") == 0)
        return SORT_BYTES;
    if (strcmp(name, "count_bins") == 0)
        return MOST_BINS_BYTES;
    if (strcmp(name, "count_again") == 0)
        return 6 * (int)sizeof(int64_t) + 2 * MOST_BINS_BYTES;
    if (strcmp(name, "order_elements") == 0 || strcmp(name, "list_points") == 0 ||
        strcmp(name, "rank_own_points") == 0 || strcmp(name, "stage_points") == 0)
        return (3 * TESS_CUT_CHUNK + 1 + TESS_CUT_WARPS) * (int)sizeof(int);
    if (strcmp(name, "colour_elements") == 0)
        return TESS_CUT_CHUNK * (int)(sizeof(uint64_t) + sizeof(uint32_t)) + (int)sizeof(int);
    if (strcmp(name, "swap_elements") == 0 || strcmp(name, "count_reached_points") == 0)
        return swap_bytes(p);
    if (strcmp(name, "colour_slots") == 0)
        return TESS_CUT_WARPS * p->n_staged * (int)sizeof(int);
    if (strcmp(name, "spread_banks") == 0)
        return p->n_warps * p->most_rounds * p->round_bytes;
    if (strcmp(name, "sort_block") == 0 || strcmp(name, "list_neighbours") == 0 ||
        strcmp(name, "count_rounds") == 0 || strcmp(name, "list_entries") == 0)
        return TESS_CUT_CHUNK * (int)sizeof(int);
    if (strcmp(name, "follow_points") == 0)
        return (TESS_CUT_CHUNK + 1) * (int)sizeof(int);
    if (strcmp(name, "settle_parts") == 0)
        return selection_bytes(1);
    if (strcmp(name, "finish_parts") == 0)
        return selection_bytes(TESS_CUT_TEAMS) +
               p->tile * (int64_t)(sizeof(uint64_t) + sizeof(int32_t));
    return TESS_CUT_DIGITS * (int)sizeof(int); /* others take less */
}

/* Includes a text without its kernels, in whose place lines are empty. */
static void include_functions(tess_text_writer *page, const char *name, const char *text) {
    static const char begin[] = "\nKERNEL(", end[] = "\n}\n";
    tess_text_writer_print(page, "#line 1 \"%s\"\n", name);
    for (const char *at; (at = strstr(text, begin));) {
        tess_text_writer_print(page, "%.*s", (int)(at - text), text);
        text = strstr(at, end);
        for (; at < text; at++)
            if (*at == '\n')
                tess_text_writer_print(page, "\n");
        text += strlen("\n}");
    }
    tess_text_writer_print(page, "%s\n", text);
}

tess_status tess_cut_page(unsigned what, char **out) {
    tess_text_writer page = {.text = NULL};
    tess_text_writer_print(
        &page,
        "#define LAUNCH_BOUNDS __launch_bounds__(THREADS)\n"
        "enum { THREADS = %d, ITEMS = %d, CHUNK = %d, WARPS = %d, DIGITS = %d, TEAMS = %d, "
        "PART_ITEMS = %d };"
        "\nenum { WRONG_NUMBER, WRONG_BLOCK, LARGE_BLOCK, WRONG_POINT, "
        "MANY_COLOURS, MANY_HOLDERS };"
        "\nstruct params {\n" TESS_CUT_PARAMS(TESS_PARAM_TEXT) "};\n",
        TESS_CUT_THREADS, TESS_CUT_ITEMS, TESS_CUT_CHUNK, TESS_CUT_WARPS, TESS_CUT_DIGITS,
        TESS_CUT_TEAMS, TESS_CUT_PART_ITEMS);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].of & what)
            tess_text_writer_include(&page, texts[i].name, texts[i].text);
        else if (texts[i].functions_of & what)
            include_functions(&page, texts[i].name, texts[i].text);
    const tess_status status = tess_text_writer_finish(&page);
    *out = status == TESS_OK ? TESS_TAKE(page.text) : NULL;
    tess_text_writer_clear(&page);
    return status;
}

tess_status tess_cut_uncompiled(const tess_device *device, const tess_target *target, unsigned what,
                                unsigned *out) {
    *out = 0;
    for (unsigned one = 1; one < TESS_CUT_ALL && device->is_compiled; one *= 2) {
        char *page = NULL;
        bool compiled = false;
        if (!(what & one))
            continue;
        TRY(tess_cut_page(one, &page));
        const tess_status status = device->is_compiled(target, page, &compiled);
        free(page);
        TRY(status);
        *out |= compiled ? 0 : one;
    }
    return TESS_OK;
}

tess_status tess_cut_kernels_open(const tess_device *device, tess_target *target, const char *page,
                                  tess_cut_kernels *kernels) {
    *kernels = (tess_cut_kernels){.device = device, .target = target};
    return device->compile(target, page, &kernels->module);
}

tess_status tess_cut_kernels_add_ends(tess_cut_kernels *kernels, const char *page) {
    return kernels->device->compile(kernels->target, page, &kernels->ends);
}

void tess_cut_kernels_close(tess_cut_kernels *kernels) {
    if (kernels->module)
        kernels->device->unload(kernels->target, kernels->module);
    if (kernels->ends)
        kernels->device->unload(kernels->target, kernels->ends);
    kernels->module = kernels->ends = NULL;
}

tess_status tess_cut_take(tess_cut_room *room, const char *name, int64_t n, size_t size,
                          tess_address *out) {
    const tess_cut_kernels *k = room->kernels;
    enum { MOST = sizeof room->taken / sizeof *room->taken };
    if (room->n == MOST)
        FAIL(TESS_ERROR_MISSING, "more than %d arrays on a device at once: the host does that",
             MOST);
    TRY(k->device->alloc(k->target, name, n * (int64_t)size, out));
    room->taken[room->n++] = *out;
    return TESS_OK;
}

tess_status tess_cut_send(tess_cut_room *room, const char *name, const void *from, int64_t n,
                          size_t size, void *to) {
    const tess_cut_kernels *k = room->kernels;
    tess_address there = 0;
    TRY(tess_cut_take(room, name, n, size, &there));
    if (from)
        TRY(k->device->upload(k->target, there, from, n * (int64_t)size));
    void *const pointer = (void *)(uintptr_t)there;
    memcpy(to, &pointer, sizeof pointer);
    return TESS_OK;
}

tess_status tess_cut_bring(const tess_cut_kernels *k, void *to, const void *from, int64_t n,
                           size_t size) {
    return k->device->download(k->target, to, tess_cut_address(from), n * (int64_t)size);
}

void tess_cut_keep(tess_cut_room *room, tess_address address) {
    for (int i = 0; i < room->n; i++)
        if (room->taken[i] == address)
            room->taken[i--] = room->taken[--room->n];
}

void tess_cut_room_close(tess_cut_room *room) {
    while (room->n > 0)
        room->kernels->device->free(room->kernels->target, room->taken[--room->n]);
}

tess_status tess_cut_launch(const tess_cut_kernels *kernels, const char *name, int64_t n_blocks) {
    const bool ends = kernels->ends && strcmp(name, "finish_parts") == 0;
    uint64_t words[sizeof kernels->params / sizeof(uint64_t)];
    tess_launch launch = {.n_blocks = n_blocks,
                          .threads = TESS_CUT_THREADS,
                          .shared_bytes = shared_bytes_of(name, &kernels->params)};
    snprintf(launch.kernel, sizeof launch.kernel, "%s", name);
    memcpy(words, &kernels->params, sizeof words);
    return kernels->device->launch(kernels->target, ends ? kernels->ends : kernels->module, &launch,
                                   words, (int)(sizeof words / sizeof *words));
}
