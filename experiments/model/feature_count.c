/* Features: what decides how long a loop takes by a strategy, counted without running it. */
#include "experiments/model/feature_count.h"

#include "core/base/array.h"
#include "kernels/loops/loop_bytes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A GPU of which nothing is asked but what pages look like there. */
static const tess_device paper = {.name = "model", .summary = "no device: pages are only written"};

/* --- what is there ---------------------------------------------------------------------------- */

/* Whether an arg of the dat is read (else written) of elements themselves. */
static bool is_own(const tess_page *page, const tess_page_dat *dat, bool written) {
    const tess_loop *loop = page->bound->loop;
    for (int a = 0; a < loop->n_args; a++) {
        const bool writes = loop->args[a].access != TESS_READ;
        const bool reads = loop->args[a].access != TESS_WRITE;
        if (tess_page_dat_of(page, a) == dat && !loop->args[a].map[0] && loop->args[a].set[0] &&
            (written ? writes : reads))
            return true;
    }
    return false;
}

/* Whether a column has the values of a dat, or values that lie as these do: what is written back
 * of a column is all of it, so dats that change and dats that are only read have columns of their
 * own; and what is staged in other phases lies elsewhere. In AoS a column is of one dat's rows. */
static bool is_column_of(const tess_count *c, int i, const tess_page_dat *dat, bool changed) {
    if (dat->aos || c->shapes[i].aos)
        return c->row_of[i] == dat->stored;
    return c->set_of[i] == dat->target && c->shapes[i].size == dat->size &&
           c->is_changed[i] == changed && c->phases_of[i] == dat->phases;
}

/* The column of a dat, a new one where none is. */
static int column_of(tess_count *c, const tess_page_dat *dat) {
    const bool changed = dat->summed || is_own(c->page, dat, true);
    int i = 0;
    while (i < c->n_shapes && !is_column_of(c, i, dat, changed))
        i++;
    if (i == c->n_shapes) {
        c->shapes[i] = (tess_column_shape){
            .aos = dat->aos, .size = dat->size, .n_points = dat->stored->stride};
        c->set_of[i] = dat->target;
        c->is_changed[i] = changed;
        c->row_of[i] = dat->aos ? dat->stored : NULL;
        c->phases_of[i] = dat->phases;
        c->n_shapes++;
    }
    c->shapes[i].dim = dat->aos ? dat->row : c->shapes[i].dim + dat->dim;
    return i;
}

static bool is_same_use(const tess_count_use *a, const tess_count_use *b) {
    return a->kind == b->kind && a->target == b->target && a->column == b->column &&
           a->first == b->first && a->phases == b->phases;
}

/* The use that is like this one; a new one without such a use. */
static tess_status use_of(tess_count *c, const tess_count_use *like, tess_count_use **out) {
    int i = 0;
    while (i < c->n_uses && !is_same_use(&c->uses[i], like))
        i++;
    if (i == TESS_MOST_COLUMNS)
        FAIL(TESS_ERROR_USAGE,
             "loop %s has over %d dats and parts of dats: there is no model of "
             "so many",
             c->page->bound->loop->name, TESS_MOST_COLUMNS);
    if (i == c->n_uses)
        c->uses[c->n_uses++] = *like;
    *out = &c->uses[i];
    return TESS_OK;
}

/* What is done with a dat in some phases, of a column. */
static tess_count_use use_like(const tess_count *c, tess_count_kind kind, const tess_page_dat *dat,
                               unsigned phases) {
    const bool own = kind == TESS_COUNT_OWN_READ || kind == TESS_COUNT_OWN_WRITE;
    return (tess_count_use){.kind = kind,
                            .target = own ? -1 : dat->target,
                            .column = c->column[dat - c->page->dats],
                            .first = dat->aos ? tess_kernel_arg_component(dat->view, 0) : 0,
                            .phases = phases};
}

/* Adds what slots use of a dat. */
static tess_status add_access(tess_count *c, const tess_page_access *access) {
    const tess_count_kind kind = access->access != TESS_READ ? TESS_COUNT_SUM : TESS_COUNT_READ;
    const tess_count_use like = use_like(c, kind, access->dat, access->phases);
    tess_count_use *of = NULL;
    if (access->slot >= TESS_MOST_COLUMNS)
        FAIL(TESS_ERROR_USAGE, "loop %s has a map of over %d slots: there is no model of it",
             c->page->bound->loop->name, TESS_MOST_COLUMNS);
    if (c->page->n_phases > 0 && access->phases == 0)
        return TESS_OK; /* no phase needs this slot's */
    TRY(use_of(c, &like, &of));
    of->values[access->slot] += access->dat->dim;
    return TESS_OK;
}

/* Adds what blocks, or elements themselves, use of a dat: all of it, once. */
static tess_status add_dat(tess_count *c, const tess_page_dat *dat) {
    const bool does[TESS_N_COUNT_KINDS] = {[TESS_COUNT_READ] = dat->read,
                                           [TESS_COUNT_SUM] = dat->summed,
                                           [TESS_COUNT_OWN_READ] = is_own(c->page, dat, false),
                                           [TESS_COUNT_OWN_WRITE] = is_own(c->page, dat, true)};
    for (tess_count_kind kind = 0; kind < TESS_N_COUNT_KINDS; kind++) {
        const tess_count_use like = use_like(c, kind, dat, dat->phases);
        tess_count_use *of = NULL;
        if (!does[kind])
            continue;
        TRY(use_of(c, &like, &of));
        of->n_values += dat->dim;
    }
    return TESS_OK;
}

/* Finds the columns of all dats, then which slots use how much of each. */
static tess_status find_columns(tess_count *c) {
    const tess_page *page = c->page;
    if (page->n_dats > TESS_MOST_COLUMNS / 4)
        FAIL(TESS_ERROR_USAGE, "loop %s has %d dats: there is no model of so many",
             page->bound->loop->name, page->n_dats);
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].set[0])
            c->column[i] = column_of(c, &page->dats[i]);
    for (int i = 0; i < page->n_accesses; i++)
        TRY(add_access(c, &page->accesses[i]));
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].set[0])
            TRY(add_dat(c, &page->dats[i]));
    return TESS_OK;
}

/* A plan's array by its parameter's name, as it would lie on the device, or NULL. */
const int32_t *tess_count_table(const tess_count *c, const char *set, const char *name) {
    char words[80];
    snprintf(words, sizeof words, "%s%s", set, name);
    for (int i = 0; i < c->page->n_arrays; i++)
        if (strcmp(c->page->arrays[i].name, words) == 0)
            return c->page->arrays[i].values;
    return NULL;
}

bool tess_count_is(const tess_count *c, const char *name) {
    return strcmp(c->setting->strategy->name, name) == 0;
}

bool tess_count_has(const tess_count *c, const char *key, const char *value) {
    return tess_spec_is(c->setting->spec, c->setting->strategy->options, key, value);
}

int tess_count_phases(const tess_count *c, unsigned phases) {
    if (c->page->n_phases == 0)
        return 1;
    return __builtin_popcount(c->phase < 0 ? phases : phases & 1u << c->phase);
}

double tess_count_wavefronts(const int32_t *positions, int n, int size) {
    const int width = size == 8 ? TESS_LANES / 2 : TESS_LANES; /* lanes, and banks */
    double all = 0;
    for (int first = 0; first < n; first += width) {
        int in_bank[TESS_LANES] = {0}, most = 0;
        for (int lane = first; lane < n && lane < first + width; lane++) {
            bool again = positions[lane] < 0;
            for (int other = first; other < lane && !again; other++)
                again = positions[other] == positions[lane];
            if (!again && ++in_bank[positions[lane] % width] > most)
                most = in_bank[positions[lane] % width];
        }
        all += most;
    }
    return all;
}

/* --- all of it -------------------------------------------------------------------------------- */

static tess_status count_launches(tess_count *c) {
    if (tess_count_is(c, "atomics"))
        tess_count_atomics(c);
    else if (tess_count_is(c, "global-colour"))
        tess_count_global_colour(c);
    else if (tess_count_is(c, "two-step"))
        tess_count_two_step(c);
    else if (tess_count_is(c, "gather") && tess_count_has(c, "reads", "cached"))
        tess_count_gather(c);
    else if (tess_count_is(c, "gather"))
        return tess_count_gather_staged(c);
    else if (tess_count_is(c, "block-colour"))
        return tess_count_block_colour(c);
    else if (tess_count_is(c, "halo-atomics") || tess_count_is(c, "owner-block"))
        return tess_count_block_sum(c, tess_count_is(c, "owner-block"));
    else if (tess_count_is(c, "point-parallel"))
        return tess_count_point_parallel(c);
    else
        FAIL(TESS_ERROR_USAGE,
             "there is no model of strategy %s: predict atomics, global-colour, two-step, "
             "block-colour, halo-atomics, owner-block, point-parallel or gather",
             c->setting->strategy->name);
    return TESS_OK;
}

/* What follows from the page alone. */
static void count_page(tess_count *c) {
    const tess_page *page = c->page;
    double threads = 0;
    bool doubles = false;
    c->out->moved_bytes = (double)(tess_dat_bytes(page->bound) + page->array_bytes);
    c->out->launches = page->n_launches;
    c->out->flops = page->kernel->flops * (double)page->plan->n_executed;
    c->out->threads = page->threads;
    for (int l = 0; l < page->n_launches; l++) {
        const tess_launch *launch = &page->launches[l];
        c->out->blocks += (double)launch->n_blocks;
        if ((double)launch->shared_bytes > c->out->shared_bytes)
            c->out->shared_bytes = (double)launch->shared_bytes;
    }
    for (int i = 0; i < page->n_arrays; i++)
        if (page->arrays[i].values) /* others are written first */
            c->table_sectors += (double)page->arrays[i].bytes / TESS_SECTOR;
    for (int i = 0; i < page->n_dats; i++)
        doubles |= page->dats[i].size == 8;
    c->out->registers = doubles ? TESS_REGISTERS_DOUBLE : TESS_REGISTERS_FLOAT;
    threads = c->out->blocks * page->threads;
    const bool own = c->setting->strategy->owns_points;
    int first_slot = 0;
    const double work =
        own && tess_count_is(c, "point-parallel")
            ? (double)page->bound->mesh
                  ->sets[page->bound->targets[tess_page_owned_target(page, &first_slot)].set]
                  .size
            : (double)page->plan->n_executed;
    c->out->turns = threads > 0 && work > threads ? work / threads : 1;
}

static tess_status draft(const tess_features_setting *setting, tess_store **store,
                         tess_execution **out) {
    const tess_execution_options options = {.kernel = setting->kernel,
                                            .strategy = setting->strategy,
                                            .spec = setting->spec,
                                            .threads = setting->threads,
                                            .on_paper = true};
    if (setting->strategy->one_thread)
        FAIL(TESS_ERROR_USAGE, "strategy %s runs on the host only: there is no model of it",
             setting->strategy->name);
    TRY(tess_store_draft(&paper, NULL, setting->state, setting->renumbering, &setting->layouts,
                         store));
    return tess_execution_draft(&options, *store, setting->bound, setting->plan, out);
}

/* Has the page compiled and takes the registers of a thread from that, where it tells. */
static tess_status compile_registers(tess_count *c) {
    const tess_features_setting *setting = c->setting;
    tess_device_module *module = NULL;
    tess_status status = TESS_OK;
    int most = 0;
    if (!setting->compiler)
        return TESS_OK;
    TRY(setting->compiler->compile(setting->target, c->page->text.text, &module));
    for (int l = 0; l < c->page->n_launches && status == TESS_OK; l++) {
        tess_resources found;
        status = setting->compiler->resources(setting->target, module, c->page->launches[l].kernel,
                                              &found);
        if (status == TESS_OK && found.registers > most)
            most = found.registers;
    }
    setting->compiler->unload(setting->target, module);
    if (most > 0)
        c->out->registers = most;
    return status;
}

/* The share of elements whose accesses are counted. */
static double share_of(const tess_features_setting *setting) {
    const double n = (double)setting->plan->n_executed, most = (double)setting->most_elements;
    return most > 0 && n > most ? most / n : 1;
}

/* Gives what was counted, multiplied where only a share of the elements was. */
static void take_counts(tess_count *c) {
    const double times = (double)c->page->plan->n_executed / fmax(1, c->n_counted);
    tess_traffic_counts *n = &c->out->traffic;
    *n = c->traffic.counts;
    double *const numbers[] = {&n->reads,        &n->block_reads,    &n->writes,
                               &n->lines,        &n->passes,         &n->missed,
                               &n->values,       &n->memory_reads,   &n->memory_writes,
                               &n->instructions, &c->out->wavefronts};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] *= times;
}

tess_status tess_features_compute(const tess_features_setting *setting, tess_features *out) {
    tess_status status = TESS_OK;
    tess_store *store = NULL;
    tess_count *c = NULL;
    CHECK(TESS_ZEROS(1, &c));
    *out = (tess_features){.blocks = 0};
    c->setting = setting;
    c->phase = -1;
    c->out = out;
    CHECK(draft(setting, &store, &c->execution));
    c->page = &c->execution->page;
    c->share = share_of(setting);
    CHECK(find_columns(c));
    count_page(c);
    CHECK(compile_registers(c));
    if (tess_count_is(c, "two-step"))
        tess_count_add_kept(c);
    else
        tess_count_add_passed(c);
    CHECK(tess_traffic_open(c->shapes, c->n_shapes + c->n_kept, setting->l2_bytes,
                            4 * (int64_t)out->blocks + 64, &c->traffic));
    CHECK(count_launches(c));
    if (c->unindexed)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "there is no model of strategy %s where loop %s finds its %s without a "
                        "table",
                        setting->strategy->name, c->page->bound->loop->name, c->unindexed));
    tess_traffic_flush(&c->traffic);
    take_counts(c);
done:
    if (c) {
        tess_traffic_close(&c->traffic);
        tess_execution_close(c->execution);
    }
    free(c);
    tess_store_close(store);
    return status;
}
