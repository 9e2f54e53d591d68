/* A page: the text of one module under construction, the arrays and parameters that its kernels
 * get, and their launches. */
#include "kernels/codegen/page.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/interrupt.h"
#include "core/base/print_args.h"
#include "core/base/whole_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024 }; /* of a block, by CUDA */

/* --- dats ------------------------------------------------------------------------------------- */

static int target_of(const tess_page *page, const char *set) {
    int r = 0;
    while (strcmp(page->sets[r].name, set) != 0)
        r++;
    return r;
}

/* Whether a table of a set has this name, as SET_points: a dat of the name gets another symbol. */
static bool is_table(const char *name) {
    static const char *const tables[] = {
        "begin",         "border", "border_offset", "border_sums", "end",          "entries",
        "first",         "from",   "frontier",      "gather",      "incremented",  "index",
        "list",          "local",  "list_offset",   "others",      "others_begin", "others_end",
        "others_offset", "points", "point_offset",  "rank",        "round",        "rows",
        "run",           "to"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(name, tables[i]) == 0)
            return true;
    return false;
}

tess_status tess_page_dat_open(const tess_store *store, const tess_loop *loop, int a,
                               const tess_kernel_arg *view, tess_page_dat *out) {
    const tess_arg *arg = &loop->args[a];
    const int row = tess_kernel_arg_row(view);
    const tess_stored *stored = tess_store_find(store, arg->dat, arg->set);
    if (!stored || stored->dat->dim != row || stored->dat->type != arg->type)
        FAIL(TESS_ERROR_USAGE, "loop %s wants %s on '%s' as %d %s, which the state lacks",
             loop->name, arg->dat, arg->set, row, tess_type_name(arg->type));
    *out = (tess_page_dat){.set = arg->set,
                           .type = tess_type_name(arg->type),
                           .dim = arg->dim,
                           .size = (int)tess_type_size(arg->type),
                           .row = stored->row,
                           .view = view,
                           .target = -1,
                           .aos = stored->layout == TESS_AOS,
                           .stored = stored};
    snprintf(out->symbol, sizeof out->symbol, "%s_%s%s", arg->set[0] ? arg->set : "global",
             arg->dat, is_table(arg->dat) ? "_" : "");
    return TESS_OK;
}

/* The dat of arg a, which no earlier arg names. */
static tess_status add_dat(tess_page *page, int a) {
    const tess_loop *loop = page->bound->loop;
    const tess_arg *arg = &loop->args[a];
    tess_page_dat *dat = &page->dats[page->n_dats++];
    TRY(tess_page_dat_open(page->store, loop, a, &page->kernel->args[a], dat));
    for (int b = 0; b < loop->n_args; b++) {
        const tess_arg *other = &loop->args[b];
        if (!tess_arg_shares_dat(arg, other))
            continue;
        dat->written |= other->access != TESS_READ;
        dat->read |= other->map[0] && other->access == TESS_READ;
        dat->summed |= tess_arg_adds(other);
        dat->read_directly |= !other->map[0] && arg->set[0] && other->access == TESS_READ;
        if (other->map[0])
            dat->target = target_of(page, arg->set);
    }
    return TESS_OK;
}

/* First and one past the last slot of the map that an arg goes through. */
static void slots_of(const tess_page *page, int a, int *first, int *end) {
    const tess_arg *arg = &page->bound->loop->args[a];
    *first = arg->slot < 0 ? 0 : arg->slot;
    *end = arg->slot < 0 ? tess_mesh_find_map(page->bound->mesh, arg->map)->arity : arg->slot + 1;
}

/* Adds an arg through slot `k` of its map. */
static void add_access(tess_page *page, int a, int k, int offset) {
    const tess_arg *arg = &page->bound->loop->args[a];
    const tess_page_dat *dat = tess_page_dat_of(page, a);
    const int32_t *index = tess_mesh_find_map(page->bound->mesh, arg->map)->index + k;
    int slot = 0;
    while (page->bound->targets[dat->target].slot_index[slot] != index)
        slot++;
    page->accesses[page->n_accesses++] = (tess_page_access){
        .arg = a, .dat = dat, .access = arg->access, .slot = slot, .offset = offset};
}

static bool is_padded(const tess_loop_target *target, int64_t n_elements) {
    bool padded = false;
    for (int s = 0; s < target->n_slots && !padded; s++) {
        const int32_t *index = target->slot_index[s];
        const int64_t stride = target->slot_stride[s];
#pragma omp parallel for reduction(|| : padded)
        for (int64_t e = 0; e < n_elements; e++)
            padded = padded || index[e * stride] < 0;
    }
    return padded;
}

tess_status tess_page_open(tess_page *page) {
    const tess_bound_loop *bound = page->bound;
    const tess_loop *loop = bound->loop;
    TRY(TESS_ZEROS(bound->n_targets, &page->sets));
    for (int r = 0; r < bound->n_targets; r++)
        page->sets[r] = (tess_page_set){.name = bound->mesh->sets[bound->targets[r].set].name,
                                        .padded = is_padded(&bound->targets[r], bound->n_elements)};
    TRY(TESS_ZEROS(loop->n_args, &page->dats));
    TRY(TESS_ZEROS(loop->n_args, &page->dat_of));
    int n_accesses = 0, first = 0, end = 0;
    for (int a = 0; a < loop->n_args; a++) {
        int b = 0;
        while (!tess_arg_shares_dat(&loop->args[b], &loop->args[a]))
            b++;
        page->dat_of[a] = b < a ? page->dat_of[b] : page->n_dats;
        if (b == a)
            TRY(add_dat(page, a));
        if (loop->args[a].map[0])
            slots_of(page, a, &first, &end);
        n_accesses += loop->args[a].map[0] ? end - first : 0;
    }
    TRY(TESS_ZEROS(n_accesses, &page->accesses));
    for (int a = 0; a < loop->n_args; a++) {
        if (!loop->args[a].map[0])
            continue;
        slots_of(page, a, &first, &end);
        for (int k = first; k < end; k++)
            add_access(page, a, k, (k - first) * loop->args[a].dim);
    }
    return TESS_OK;
}

int tess_page_local_size(const tess_page *page, int a) {
    int first = 0, end = 1;
    if (page->bound->loop->args[a].map[0])
        slots_of(page, a, &first, &end);
    return (end - first) * page->bound->loop->args[a].dim;
}

int tess_page_part_slots(const tess_page *page, const tess_kernel_part *part) {
    return tess_mesh_find_map(page->bound->mesh, page->bound->loop->args[part->adds[0]].map)->arity;
}

const tess_page_access *tess_page_access_of(const tess_page *page, int arg, int k) {
    const tess_page_access *to = page->accesses;
    while (to->arg != arg)
        to++;
    return to + k;
}

const char *tess_page_real(const tess_page *page) {
    for (int a = 0; a < page->bound->loop->n_args; a++)
        if (strcmp(page->kernel->args[a].type, "real") == 0)
            return tess_type_name(page->bound->loop->args[a].type);
    return "double";
}

int tess_page_owned_target(const tess_page *page, int *first_slot) {
    const int r = target_of(page, page->plan->partitioned_set);
    *first_slot = 0;
    while (!page->plan->sets[r].slot_incremented[*first_slot])
        ++*first_slot;
    return r;
}

tess_page_dat tess_page_set_words(const tess_page *page, int target) {
    return (tess_page_dat){.set = page->sets[target].name};
}

/* --- text ------------------------------------------------------------------------------------- */

/* What stands for a word that begins at `word`; its length. */
static const char *word_for(const tess_page_dat *dat, const char *word, char number[16],
                            size_t *length) {
    snprintf(number, 16, "%d", dat ? dat->dim : 0);
    const struct {
        const char *word, *instead;
    } words[] = {{"@dat", dat ? dat->symbol : ""},
                 {"@set", dat ? dat->set : ""},
                 {"@type", dat ? dat->type : ""},
                 {"@dim", number}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        *length = strlen(words[i].word);
        if (strncmp(word, words[i].word, *length) == 0)
            return words[i].instead;
    }
    *length = 1;
    return "@";
}

/* Prints, and puts the dat's words in place of those with an @. */
static void print_with(tess_text_writer *writer, const tess_page_dat *dat, const char *format,
                       va_list args) {
    tess_text_writer words = {.text = NULL};
    char number[16];
    size_t length = 0;
    tess_text_writer_print_list(&words, format, args);
    for (const char *at = words.text ? words.text : ""; *at; at += length) {
        length = strcspn(at, "@");
        if (length > 0)
            tess_text_writer_print(writer, "%.*s", (int)length, at);
        else
            tess_text_writer_print(writer, "%s", word_for(dat, at, number, &length));
    }
    if (words.failure != TESS_OK)
        writer->failure = words.failure;
    tess_text_writer_clear(&words);
}

void tess_page_print(tess_page *page, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tess_text_writer_print_list(&page->text, format, args);
    va_end(args);
}

void tess_page_code(tess_page *page, const tess_page_dat *dat, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_with(&page->functions, dat, format, args);
    va_end(args);
}

void tess_page_member(tess_page *page, const tess_page_dat *dat, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_with(&page->block, dat, format, args);
    va_end(args);
}

void tess_page_open_code(tess_page *page, const tess_page_dat *dat, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_with(&page->open_block, dat, format, args);
    va_end(args);
}

/* --- parameters, arrays, launches ------------------------------------------------------------- */

void tess_page_param(tess_page *page, const char *type, uint64_t value, const char *format, ...) {
    if (page->failure == TESS_OK)
        page->failure = TESS_RESERVE(page->n_params + 1, &page->param_capacity, &page->params);
    if (page->failure != TESS_OK)
        return;
    tess_param *param = &page->params[page->n_params++];
    *param = (tess_param){.value = value};
    snprintf(param->type, sizeof param->type, "%s", type);
    TESS_PRINT_ARGS(param->name, format);
    for (int i = 0; i < page->n_params - 1; i++)
        if (strcmp(page->params[i].name, param->name) == 0)
            page->failure = tess_fail(TESS_ERROR_USAGE,
                                      "two arrays of the loop's text would both be called %s: "
                                      "call the dat otherwise",
                                      param->name);
}

void tess_page_param_dat(tess_page *page, const char *type, const tess_page_dat *dat, bool other) {
    const tess_stored *stored = dat->stored;
    tess_page_param(page, type, other ? stored->other : stored->address, "%s%s", dat->symbol,
                    other ? "_next" : "");
    if (page->failure == TESS_OK) {
        page->params[page->n_params - 1].stored = stored;
        page->params[page->n_params - 1].other = other;
    }
}

void tess_page_param_own(tess_page *page, tess_page_own own) {
    if (page->failure == TESS_OK)
        page->params[page->n_params - 1].own = own;
}

static tess_status place_array(const tess_page *page, tess_page_table *array,
                               const tess_filler *values) {
    const tess_device *device = page->store->device;
    tess_target *target = page->store->target;
    TRY(device->alloc(target, array->name, array->bytes, &array->address));
    array->placed = true;
    return values ? tess_device_upload_filled(device, target, array->address, *values, array->bytes)
                  : TESS_OK;
}

static tess_status name_array(tess_page *page, int64_t bytes, const char *name) {
    TRY(TESS_RESERVE(page->n_arrays + 1, &page->array_capacity, &page->arrays));
    tess_page_table *array = &page->arrays[page->n_arrays++];
    *array = (tess_page_table){.bytes = bytes};
    snprintf(array->name, sizeof array->name, "%s", name);
    page->array_bytes += bytes;
    return TESS_OK;
}

static tess_status add_array(tess_page *page, const char *type, const tess_filler *values,
                             int64_t bytes, const char *name) {
    TRY(tess_interrupt_check()); /* tables of millions of elements take seconds */
    TRY(name_array(page, bytes, name));
    tess_page_table *array = &page->arrays[page->n_arrays - 1];
    if (page->store->placed) {
        TRY(place_array(page, array, values));
    } else if (values) {
        TRY(tess_array_alloc(bytes, 1, &array->values));
        values->fill(values->context, 0, bytes, array->values);
    }
    tess_page_param(page, type, array->address, "%s", name);
    return TESS_OK;
}

tess_status tess_page_array(tess_page *page, const char *type, const void *values, int64_t bytes,
                            const char *name, ...) {
    char words[80];
    const tess_filler copied = tess_filler_of(values);
    TESS_PRINT_ARGS(words, name);
    return add_array(page, type, values ? &copied : NULL, bytes, words);
}

tess_status tess_page_array_filled(tess_page *page, const char *type, tess_filler values,
                                   int64_t bytes, const char *name, ...) {
    char words[80];
    TESS_PRINT_ARGS(words, name);
    return add_array(page, type, &values, bytes, words);
}

tess_status tess_page_array_placed(tess_page *page, const char *type, tess_address values,
                                   int64_t bytes, const char *name) {
    TRY(name_array(page, bytes, name));
    page->arrays[page->n_arrays - 1].placed = true;
    page->arrays[page->n_arrays - 1].address = values;
    tess_page_param(page, type, values, "%s", name);
    return TESS_OK;
}

void tess_page_find_dats(tess_page *page) {
    for (tess_param *param = page->params; param < page->params + page->n_params; param++)
        if (param->stored)
            param->value = param->other ? param->stored->other : param->stored->address;
}

void tess_page_find_arrays(tess_page *page) {
    for (int i = 0; i < page->n_arrays; i++)
        for (int k = 0; k < page->n_params; k++)
            if (strcmp(page->params[k].name, page->arrays[i].name) == 0)
                page->params[k].value = page->arrays[i].address;
}

tess_status tess_page_place(tess_page *page) {
    for (int i = 0; i < page->n_arrays; i++) {
        tess_page_table *array = &page->arrays[i];
        if (array->placed)
            continue;
        const tess_filler kept = tess_filler_of(array->values);
        TRY(place_array(page, array, array->values ? &kept : NULL));
        free(array->values);
        array->values = NULL;
    }
    tess_page_find_arrays(page);
    tess_page_find_dats(page);
    return TESS_OK;
}

tess_status tess_page_launch(tess_page *page, const tess_launch *launch) {
    if (launch->n_blocks == 0)
        return TESS_OK;
    TRY(TESS_RESERVE(page->n_launches + 1, &page->launch_capacity, &page->launches));
    page->launches[page->n_launches] = *launch;
    page->launches[page->n_launches].threads = page->threads;
    page->n_launches++;
    return TESS_OK;
}

/* 4 of 16: rows of 4 doubles that lanes turn from AoS fall into different banks. */
static int64_t whole_rows(int64_t n) {
    return (n + 11) / 16 * 16 + 4;
}

int64_t tess_page_staged(const tess_page *page, int target) {
    const tess_plan *plan = page->plan;
    int64_t most = 0;
    for (int32_t b = 0; target < plan->n_sets && b < plan->n_blocks; b++) {
        const int64_t *offset = &plan->sets[target].point_offset[b];
        most = offset[1] - offset[0] > most ? offset[1] - offset[0] : most;
    }
    return whole_rows(most + page->staged_more);
}

int64_t tess_page_most_executed(const tess_page *page) {
    const int64_t most = tess_plan_largest_block(page->plan);
    return most > 1 ? most : 1;
}

int32_t tess_page_element(const tess_page *page, int32_t element) {
    const int32_t *order = tess_store_order(page->store, page->bound->set);
    return order ? order[element] : element;
}

int32_t tess_page_point(const tess_page *page, int target, int32_t point) {
    const int32_t *order = tess_store_order(page->store, page->bound->targets[target].set);
    return order ? order[point] : point;
}

/* --- shared memory ---------------------------------------------------------------------------- */

const char *tess_page_phase(const tess_page *page) {
    return page->n_phases > 0 ? ", int phase" : "";
}

void tess_page_if_phase(tess_page *page, unsigned phases) {
    if (page->n_phases > 0)
        tess_page_code(page, NULL, "    if (0x%xu >> phase & 1)\n", phases);
}

/* Prints @dat_WORD(b, i, d) for a dat whose copies lie at byte `at`, or those of its block's own
 * points (n_own > 0); gives where they end. */
static int64_t print_position(tess_page *page, const tess_page_dat *dat, const char *word,
                              int64_t n_own, int64_t end) {
    const int64_t at = page->n_phases > 0 ? dat->position : end;
    const int64_t staged = n_own > 0 ? whole_rows(n_own) : tess_page_staged(page, dat->target);
    tess_page_code(page, dat,
                   n_own > 0 ? "INLINE @type *@dat_%s(const struct block *b, int i, int d) {\n"
                               "    return &((@type *)(b->shared + %lld))[d * %lld + i - "
                               "b->@set_own];\n}\n\n"
                             : "INLINE @type *@dat_%s(const struct block *b, int i, int d) {\n"
                               "    return &((@type *)(b->shared + %lld))[d * %lld + i];\n}\n\n",
                   word, (long long)at, (long long)staged);
    const int64_t own_end = at + (staged * dat->dim * dat->size + 15) / 16 * 16;
    return own_end > end ? own_end : end;
}

/* read_staged: what an element reads at its points, from the block's copies. */
static void print_read_staged(tess_page *page) {
    tess_page_code(page, NULL,
                   "INLINE void read_staged(const struct block *b, struct element *e%s) {\n",
                   tess_page_phase(page));
    for (int i = 0; i < page->n_accesses; i++)
        if (page->accesses[i].access == TESS_READ && page->accesses[i].dat->read) {
            tess_page_if_phase(page, page->accesses[i].phases);
            tess_page_read_staged(page, &page->accesses[i]);
        }
    tess_page_code(page, NULL, "    (void)b, (void)e;\n}\n\n");
}

void tess_page_read_staged(tess_page *page, const tess_page_access *from) {
    tess_page_code(page, from->dat,
                   "    UNROLL for (int d = 0; d < @dim; d++)\n"
                   "        e->arg%d[%d + d] = ",
                   from->arg, from->offset);
    if (page->sets[from->dat->target].padded)
        tess_page_code(page, from->dat, "e->@set_local[%d] < 0 ? (@type)0 : ", from->slot);
    tess_page_code(page, from->dat, "load(@dat_copy(b, e->@set_local[%d], d));\n", from->slot);
}

bool tess_page_reads_own(const tess_page *page, int a) {
    const tess_arg *arg = &page->bound->loop->args[a];
    return !arg->map[0] && (arg->access == TESS_READ || arg->access == TESS_RW);
}

void tess_page_read_own(tess_page *page, int a) {
    const tess_page_dat *dat = tess_page_dat_of(page, a);
    tess_page_code(page, dat,
                   "    UNROLL for (int d = 0; d < @dim; d++)\n"
                   "        e->arg%d[d] = %s(&p->@dat[@dat_at(%s, d)]);\n",
                   a, dat->written ? "load" : "fetch", dat->set[0] ? "i" : "0");
}

int64_t tess_page_stage_reads(tess_page *page) {
    int64_t end = 0;
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].read)
            end = print_position(page, &page->dats[i], "copy", 0, end);
    print_read_staged(page);
    return end;
}

/* What an element adds to the block's sums, by plain_add or atomic_add. */
static void print_add_staged(tess_page *page, const char *name, const char *add) {
    tess_page_code(page, NULL, "INLINE void %s(const struct block *b, const struct element *e) {\n",
                   name);
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access != TESS_INC || !to->dat->summed)
            continue;
        if (page->sets[to->dat->target].padded)
            tess_page_code(page, to->dat, "    if (e->@set_local[%d] >= 0)\n    ", to->slot);
        tess_page_code(page, to->dat,
                       "    UNROLL for (int d = 0; d < @dim; d++)\n"
                       "        %s(@dat_sum(b, e->@set_local[%d], d), e->arg%d[%d + d]);\n",
                       add, to->slot, to->arg, to->offset);
    }
    tess_page_code(page, NULL, "    (void)b, (void)e;\n}\n\n");
}

/* clear_sums: all places of a block. */
static void print_clear_sums(tess_page *page) {
    tess_page_code(page, NULL, "INLINE void clear_sums(const struct block *b) {\n");
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].summed)
            tess_page_code(page, &page->dats[i],
                           "    for (int v = thread_index(); v < %lld; v += THREADS)\n"
                           "        store(@dat_sum(b, v, 0), 0);\n",
                           (long long)tess_page_staged(page, page->dats[i].target) *
                               page->dats[i].dim);
    tess_page_code(page, NULL, "    (void)b;\n}\n\n");
}

int64_t tess_page_stage_sums(tess_page *page, int64_t start) {
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].summed)
            start = print_position(page, &page->dats[i], "sum",
                                   page->sets[page->dats[i].target].n_own, start);
    print_add_staged(page, "add_staged", "plain_add");
    print_add_staged(page, "add_staged_atomically", "atomic_add");
    print_clear_sums(page);
    return start;
}

tess_status tess_page_finish(const tess_page *page) {
    TRY(page->failure);
    TRY(tess_text_writer_finish(&page->text));
    TRY(tess_text_writer_finish(&page->block));
    TRY(tess_text_writer_finish(&page->open_block));
    return tess_text_writer_finish(&page->functions);
}

tess_status tess_page_threads(const tess_device *device, int64_t positions, int asked,
                              int *threads) {
    const int64_t enough = (positions + TESS_WARP - 1) / TESS_WARP * TESS_WARP;
    *threads = device->one_thread ? 1
               : asked > 0        ? asked
                                  : (int)(enough < MOST_THREADS ? enough : MOST_THREADS);
    if (!device->one_thread && (*threads % TESS_WARP != 0 || *threads > MOST_THREADS))
        FAIL(TESS_ERROR_USAGE, "--threads %d: a block has %d to %d threads, whole warps of %d",
             *threads, TESS_WARP, MOST_THREADS, TESS_WARP);
    return TESS_OK;
}

tess_status tess_page_keep_text(const tess_page *page, const char *folder, const char *name) {
    char *path = NULL;
    TRY(tess_folders_make(folder, true));
    TRY(tess_text_print(&path, "%s/%s-%s.cu", folder, name, page->store->device->name));
    const tess_status status =
        tess_whole_file_remake(path, page->text.text, (size_t)page->text.length);
    free(path);
    return status;
}

void tess_page_clear(tess_page *page) {
    for (int i = 0; i < page->n_arrays; i++) {
        if (page->arrays[i].placed)
            page->store->device->free(page->store->target, page->arrays[i].address);
        free(page->arrays[i].values);
    }
    free(page->dats);
    free(page->dat_of);
    free(page->accesses);
    free(page->sets);
    free(page->pieces);
    free(page->arrays);
    free(page->launches);
    free(page->params);
    tess_text_writer_clear(&page->text);
    tess_text_writer_clear(&page->block);
    tess_text_writer_clear(&page->open_block);
    tess_text_writer_clear(&page->functions);
    *page = (tess_page){.kernel = NULL};
}
