/* A scatter: values of a map's entries reduced at its points, in one order on every device. */
#include "kernels/scatter/scatter.h"

#include "core/base/array.h"
#include "kernels/scatter/reduce_on_host.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, MOST_THREADS = 1024 };

/* Arrays of a level of rows in the memory of a device; 0 where the level has NULL. */
typedef struct level_there {
    tess_address offset, entry, target, count;
} level_there;

typedef struct page {
    tess_scatter_kind kind;
    tess_device_module *module;
} page;

struct tess_scatter {
    tess_scatter_rows rows;
    int64_t n_sources; /* rows of values that entries may read */
    int threads;
    const tess_device *device; /* NULL: the host */
    tess_target *target;
    level_there there[TESS_MOST_REDUCTIONS];
    tess_address order;
    page *pages; /* [n_pages] */
    int64_t n_pages, capacity;
};

/* --- arrays on the device --------------------------------------------------------------------- */

static tess_status put_there(tess_scatter *s, const char *name, const void *values, int64_t bytes,
                             tess_address *out) {
    if (!values)
        return TESS_OK;
    TRY(s->device->alloc(s->target, name, bytes > 0 ? bytes : 1, out));
    return bytes > 0 ? s->device->upload(s->target, *out, values, bytes) : TESS_OK;
}

static tess_status put_levels(tess_scatter *s) {
    const int64_t word = sizeof(int32_t);
    int64_t n_entries = s->rows.n_entries;
    TRY(put_there(s, "order", s->rows.order, n_entries * word, &s->order));
    for (int i = 0; i < s->rows.n_levels; i++) {
        const tess_scatter_level *level = &s->rows.level[i];
        level_there *there = &s->there[i];
        const int64_t n = level->n_rows;
        TRY(put_there(s, "offsets", level->offset, (n + 1) * word, &there->offset));
        TRY(put_there(s, "entries", level->entry, n_entries * word, &there->entry));
        TRY(put_there(s, "targets", level->target, n * word, &there->target));
        TRY(put_there(s, "counts", level->count, n * word, &there->count));
        n_entries = level->n_partials;
    }
    tess_scatter_rows_drop(&s->rows);
    return TESS_OK;
}

static int64_t count_sources(const tess_scatter_map *map) {
    int64_t n = map->sources ? 0 : map->n_entries;
    for (int64_t i = 0; map->sources && i < map->n_entries; i++)
        n = map->sources[i] >= n ? map->sources[i] + INT64_C(1) : n;
    return n;
}

tess_status tess_scatter_build(const tess_scatter_map *map, const char *device, int threads,
                               tess_scatter **out) {
    tess_status status = TESS_OK;
    tess_scatter *s = NULL;
    if (threads < TESS_WARP || threads > MOST_THREADS || threads % TESS_WARP != 0)
        FAIL(TESS_ERROR_USAGE, "blocks of %d threads: take a multiple of %d up to %d", threads,
             TESS_WARP, MOST_THREADS);
    CHECK(TESS_ZEROS(1, &s));
    s->threads = threads;
    CHECK(tess_scatter_rows_build(map, &s->rows));
    s->n_sources = count_sources(map);
    if (strcmp(device, "host") != 0) {
        CHECK(tess_device_open(device, &s->device, &s->target));
        if (s->device->one_thread || s->device->compiles_only)
            CHECK(tess_fail(TESS_ERROR_USAGE, "device %s runs no sums: take host, cuda or emulator",
                            s->device->name));
        CHECK(put_levels(s));
    }
    *out = TESS_TAKE(s);
done:
    tess_scatter_free(s);
    return status;
}

static void free_there(const tess_scatter *s, tess_address address) {
    if (address)
        s->device->free(s->target, address);
}

void tess_scatter_free(tess_scatter *s) {
    if (!s)
        return;
    for (int64_t i = 0; i < s->n_pages; i++)
        s->device->unload(s->target, s->pages[i].module);
    free(s->pages);
    free_there(s, s->order);
    for (int i = 0; i < TESS_MOST_REDUCTIONS; i++) {
        const level_there *there = &s->there[i];
        free_there(s, there->offset);
        free_there(s, there->entry);
        free_there(s, there->target);
        free_there(s, there->count);
    }
    if (s->target)
        s->device->close(s->target);
    tess_scatter_rows_clear(&s->rows);
    free(s);
}

/* --- scratch ---------------------------------------------------------------------------------- */

/* The arrays of one call, as addresses or, at first, as offsets in its scratch. */
typedef struct scratch {
    tess_address partial[TESS_MOST_REDUCTIONS], chosen[TESS_MOST_REDUCTIONS]; /* of each level */
    int64_t bytes;
} scratch;

static tess_address take(scratch *all, int64_t bytes) {
    const tess_address at = (tess_address)all->bytes;
    all->bytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static scratch lay_out(const tess_scatter *s, const tess_scatter_call *call) {
    const int64_t summed = tess_scatter_type_size(tess_scatter_type_summed(call->type));
    scratch all = {.bytes = 0};
    for (int i = 0; i < s->rows.n_levels; i++) {
        const int64_t n = (int64_t)s->rows.level[i].n_partials * call->width;
        all.partial[i] = take(&all, n * summed);
        all.chosen[i] = take(&all, call->chosen ? n * (int64_t)sizeof(int32_t) : 0);
    }
    return all;
}

static void place_at(scratch *all, tess_address start) {
    for (int i = 0; i < TESS_MOST_REDUCTIONS; i++) {
        all->partial[i] += start;
        all->chosen[i] += start;
    }
}

/* --- on the host ------------------------------------------------------------------------------ */

static tess_status reduce_here(const tess_scatter *s, const tess_scatter_call *call) {
    scratch all = lay_out(s, call);
    char *memory = NULL;
    TRY(TESS_ALLOC(all.bytes, &memory));
    place_at(&all, (tess_address)(uintptr_t)memory);
    for (int i = 0; i < s->rows.n_levels; i++) {
        const tess_host_reduction what = {
            .level = &s->rows.level[i],
            .reduction = call->reduction,
            .type = call->type,
            .reads_partials = i > 0,
            .width = call->width,
            .n_points = s->rows.n_points,
            .order = s->rows.order,
            .chosen_before = i > 0 ? (const int32_t *)(uintptr_t)all.chosen[i - 1] : NULL,
            .values = i > 0 ? (const void *)(uintptr_t)all.partial[i - 1] : call->values,
            .result = call->result,
            .partial = (void *)(uintptr_t)all.partial[i],
            .chosen = call->chosen,
            .chosen_partial = (int32_t *)(uintptr_t)all.chosen[i],
        };
        tess_reduce_on_host(&what);
    }
    free(memory);
    return TESS_OK;
}

/* --- on a device ------------------------------------------------------------------------------ */

/* The module of a kind, compiled when it is asked for first. */
static tess_status find_module(tess_scatter *s, const tess_scatter_kind *kind,
                               tess_device_module **out) {
    tess_status status = TESS_OK;
    char *text = NULL;
    for (int64_t i = 0; i < s->n_pages; i++)
        if (memcmp(&s->pages[i].kind, kind, sizeof *kind) == 0) {
            *out = s->pages[i].module;
            return TESS_OK;
        }
    TRY(TESS_RESERVE(s->n_pages + 1, &s->capacity, &s->pages));
    CHECK(tess_scatter_page(kind, &text));
    CHECK(s->device->compile(s->target, text, out));
    s->pages[s->n_pages++] = (page){.kind = *kind, .module = *out};
done:
    free(text);
    return status;
}

/* How many values a thread takes at once: 16 bytes where all addresses allow it. */
static int run_of(const tess_scatter_call *call) {
    const int size = tess_scatter_type_size(call->type), run = ALIGNMENT / size;
    const bool fits = call->width % run == 0 && (uintptr_t)call->values % ALIGNMENT == 0 &&
                      (uintptr_t)call->result % ALIGNMENT == 0;
    return fits && call->type != TESS_SCATTER_HALF ? run : 1;
}

static tess_address address_of(const void *pointer) {
    return (tess_address)(uintptr_t)pointer;
}

static tess_scatter_params params_of(const tess_scatter *s, const tess_scatter_call *call,
                                     int level, const scratch *all) {
    return (tess_scatter_params){
        .n_rows = s->rows.level[level].n_rows,
        .n_points = s->rows.n_points,
        .start = tess_reduction_start(call->reduction),
        .offset = s->there[level].offset,
        .entry = s->there[level].entry,
        .target = s->there[level].target,
        .count = s->there[level].count,
        .order = s->order,
        .values = level > 0 ? all->partial[level - 1] : address_of(call->values),
        .result = address_of(call->result),
        .partial = all->partial[level],
        .chosen = address_of(call->chosen),
        .chosen_partial = all->chosen[level],
        .chosen_before = level > 0 && call->chosen ? all->chosen[level - 1] : 0,
    };
}

/* What is launched, and by which page. */
typedef struct work {
    tess_scatter *s;
    const tess_scatter_call *call;
    const tess_device_module *module;
    const tess_scatter_kind *kind;
} work;

static tess_status launch(const work *w, const char *name, int64_t n_blocks,
                          const tess_scatter_params *params) {
    uint64_t words[sizeof *params / sizeof(uint64_t)];
    tess_launch what = {.n_blocks = n_blocks, .threads = w->kind->threads, .queue = w->call->queue};
    snprintf(what.kernel, sizeof what.kernel, "%s", name);
    memcpy(words, params, sizeof words);
    if (n_blocks > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "%lld thread blocks: too many for one launch", (long long)n_blocks);
    return n_blocks == 0 ? TESS_OK
                         : w->s->device->launch(w->s->target, w->module, &what, words,
                                                (int)(sizeof words / sizeof *words));
}

static int64_t blocks_for(int64_t n, int64_t a_block) {
    return (n + a_block - 1) / a_block;
}

static tess_status launch_levels(const work *w, const scratch *all) {
    const tess_scatter_rows *rows = &w->s->rows;
    for (int i = 0; i < rows->n_levels; i++) {
        const tess_scatter_params params = params_of(w->s, w->call, i, all);
        const int64_t n_threads = params.n_rows * (w->kind->width / w->kind->run);
        TRY(launch(w, i > 0 ? "reduce_partials" : "reduce_values",
                   blocks_for(n_threads, w->kind->threads), &params));
    }
    return TESS_OK;
}

static tess_status reduce_there(tess_scatter *s, const tess_scatter_call *call) {
    tess_device_module *module = NULL;
    const tess_scatter_kind kind = {.reduction = call->reduction,
                                    .type = call->type,
                                    .width = call->width,
                                    .run = run_of(call),
                                    .threads = s->threads};
    scratch all = lay_out(s, call);
    if (all.bytes > 0 && (!call->scratch || (uintptr_t)call->scratch % ALIGNMENT != 0))
        FAIL(TESS_ERROR_USAGE, "a call needs %lld bytes of scratch, at a multiple of %d",
             (long long)all.bytes, ALIGNMENT);
    place_at(&all, address_of(call->scratch));
    TRY(find_module(s, &kind, &module));
    const work w = {.s = s, .call = call, .module = module, .kind = &kind};
    TRY(launch_levels(&w, &all));
    double seconds = 0; /* waits for what came before */
    if (!call->queue) {
        TRY(s->device->timer_start(s->target));
        TRY(s->device->timer_stop(s->target, &seconds));
    }
    return TESS_OK;
}

/* Values of this machine are brought there, and what came of them here. */
static tess_status reduce_brought(tess_scatter *s, const tess_scatter_call *call) {
    const int64_t row = (int64_t)call->width * tess_scatter_type_size(call->type);
    const int64_t n_results = (int64_t)s->rows.n_points * call->width;
    tess_address there[4] = {0};
    tess_status status = TESS_OK;
    tess_scatter_call inside = *call;
    const int64_t sizes[] = {s->n_sources * row, s->rows.n_points * row,
                             call->chosen ? n_results * (int64_t)sizeof(int32_t) : 0,
                             lay_out(s, call).bytes};
    for (int i = 0; i < 4; i++)
        if (sizes[i] > 0)
            CHECK(s->device->alloc(s->target, "values", sizes[i], &there[i]));
    if (sizes[0] > 0)
        CHECK(s->device->upload(s->target, there[0], call->values, sizes[0]));
    inside.values = (const void *)(uintptr_t)there[0];
    inside.result = (void *)(uintptr_t)there[1];
    inside.chosen = (int32_t *)(uintptr_t)there[2];
    inside.scratch = (void *)(uintptr_t)there[3];
    inside.queue = NULL;
    CHECK(reduce_there(s, &inside));
    if (sizes[1] > 0)
        CHECK(s->device->download(s->target, call->result, there[1], sizes[1]));
    if (sizes[2] > 0)
        CHECK(s->device->download(s->target, call->chosen, there[2], sizes[2]));
done:
    for (int i = 0; i < 4; i++)
        free_there(s, there[i]);
    return status;
}

static tess_status enter(const tess_scatter *s) {
    return s->device->enter ? s->device->enter(s->target) : TESS_OK;
}

int64_t tess_scatter_scratch(const tess_scatter *scatter, const tess_scatter_call *call) {
    return scatter->device && call->on_device ? lay_out(scatter, call).bytes : 0;
}

tess_status tess_scatter_reduce(tess_scatter *scatter, const tess_scatter_call *call) {
    if (call->width < 1)
        FAIL(TESS_ERROR_USAGE, "an entry has at least one value, not %d", call->width);
    if ((unsigned)call->reduction > TESS_MIN || (unsigned)call->type > TESS_SCATTER_DOUBLE)
        FAIL(TESS_ERROR_USAGE, "there is no reduction %d, or no type %d", call->reduction,
             call->type);
    if (call->chosen && (call->reduction == TESS_SUM || call->reduction == TESS_MEAN))
        FAIL(TESS_ERROR_USAGE, "a sum or a mean chooses no entry");
    if (!scatter->device)
        return reduce_here(scatter, call);
    TRY(enter(scatter));
    return call->on_device ? reduce_there(scatter, call) : reduce_brought(scatter, call);
}
