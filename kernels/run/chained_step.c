/* A chained step: the loops of an application's time step, of which runs are executed as chains. */
#include "kernels/run/chained_step.h"

#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "core/plan/chain_check.h"
#include "kernels/devices/occupancy.h"
#include "kernels/run/chained_border.h"
#include "kernels/run/declarations.h"
#include "kernels/run/even_blocks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chain that is ready to run. */
typedef struct ready {
    tess_chain *chain; /* NULL: no chain begins here */
    tess_chain_elements elements;
    tess_chain_blocks *blocks;
    int32_t block_size;
    tess_page page;
    tess_device_module *module;
    int64_t n_core,
        n_own;         /* blocks: those that reach nothing of other ranks, then other own ones */
    int64_t n_counted; /* runs, of which the device counted */
    tess_counters counters;
} ready;

struct tess_chained_step {
    tess_store *store; /* once it is open */
    tess_chain_step step;
    const tess_kernel **kernels; /* [step.n] */
    tess_loop **loops;           /* [step.n]: what step.loops points to */
    int *length;                 /* [step.n] */
    ready *ready;                /* [step.n] */
};

void tess_chained_step_free(tess_chained_step *step) {
    if (!step)
        return;
    for (int i = 0; step->ready && i < step->step.n; i++) {
        ready *of = &step->ready[i];
        if (of->module)
            step->store->device->unload(step->store->target, of->module);
        tess_page_clear(&of->page);
        tess_chain_blocks_free(of->blocks);
        tess_chain_free(of->chain);
    }
    for (int i = 0; step->loops && i < step->step.n; i++)
        tess_loop_free(step->loops[i]);
    free(step->ready);
    free(step->loops);
    free(step->kernels);
    free(step->length);
    free(step);
}

int tess_chained_step_size(const tess_chained_step *step) {
    return step->step.n;
}

const tess_kernel *tess_chained_step_kernel(const tess_chained_step *step, int i) {
    return step->kernels[i];
}

int tess_chained_step_length(const tess_chained_step *step, int i) {
    return step->length[i];
}

const tess_chain *tess_chained_step_chain(const tess_chained_step *step, int i) {
    return step->ready[i].chain;
}

bool tess_chained_step_drops(const tess_chained_step *step, const char *dat, const char *set) {
    for (int i = 0; i < step->step.n; i++) {
        const tess_chain *chain = step->ready[i].chain;
        for (int d = 0; chain && d < chain->n_dats; d++) {
            const tess_chain_dat *of = &chain->dats[d];
            if (of->written && !of->stored && !of->begins_zero && strcmp(of->dat, dat) == 0 &&
                strcmp(of->set, set) == 0)
                return true;
        }
    }
    return false;
}

/* --- which runs ------------------------------------------------------------------------------- */

static tess_status add_loops(const tess_application *application, const tess_mesh *mesh,
                             tess_type real, tess_chained_step *step) {
    int n = 0;
    while (application->step[n])
        n++;
    TRY(TESS_ZEROS(n, &step->kernels));
    TRY(TESS_ZEROS(n, &step->loops));
    TRY(TESS_ZEROS(n, &step->length));
    TRY(TESS_ZEROS(n, &step->ready));
    step->step.loops = (const tess_loop *const *)step->loops;
    for (int i = 0; i < n; i++) {
        const tess_kernel *kernel = NULL;
        TRY(tess_application_kernel(application, application->step[i], &kernel));
        if (!tess_kernel_applies(kernel, mesh))
            continue;
        step->kernels[step->step.n] = kernel;
        step->length[step->step.n] = 1;
        TRY(tess_kernel_loop(kernel, real, &step->loops[step->step.n]));
        step->step.n++;
    }
    return TESS_OK;
}

bool tess_chains_next(const char **rest, char name[static TESS_NAME_SIZE]) {
    const char *at = *rest + (**rest == ':' ? strcspn(*rest, ",") : 0);
    at += *at == '+' || *at == ',';
    const size_t length = strcspn(at, "+:,");
    snprintf(name, TESS_NAME_SIZE, "%.*s", (int)length, at);
    *rest = at + length;
    return *at != '\0';
}

/* How many loops "a+b+c" names, where they follow each other from loop i on; 0: they do not. */
static int run_at(const tess_chained_step *step, const char *run, size_t length, int i) {
    char name[TESS_NAME_SIZE];
    int n = 0;
    for (const char *rest = run; rest < run + length && tess_chains_next(&rest, name); n++)
        if (i + n == step->step.n || strcmp(step->kernels[i + n]->name, name) != 0)
            return 0;
    return n;
}

/* Where the loop stands in the step for the first time. */
static int first_of(const tess_chained_step *step, int i) {
    int first = 0;
    while (step->kernels[first] != step->kernels[i])
        first++;
    return first;
}

/* Names of a run that the step has not. */
static tess_status check_names(const tess_chained_step *step, const char *run, size_t length) {
    char word[TESS_NAME_SIZE];
    for (const char *rest = run; rest < run + length && tess_chains_next(&rest, word);) {
        tess_unknown_name unknown = tess_unknown_name_of(word);
        bool found = false;
        for (int i = 0; i < step->step.n; i++) {
            if (first_of(step, i) == i)
                tess_unknown_name_add(&unknown, step->kernels[i]->name);
            found |= strcmp(step->kernels[i]->name, word) == 0;
        }
        if (!found)
            return tess_unknown_name_fail(TESS_ERROR_USAGE, "the step has no loop", &unknown,
                                          (tess_unknown_words){"?", " (known: %s)"});
    }
    FAIL(TESS_ERROR_USAGE, "no chain %.*s: these loops do not follow each other in the step",
         (int)length, run);
}

static const tess_option options_of_auto[] = {
    TESS_INT_OPTION("rings", "0", 0, 99, "around a block that are computed again"),
    TESS_CHOICE_OPTION("elements", "auto", "auto|once|points", "where an element is computed"),
    {0}};

/* What stands behind "auto" or a run, up to the next comma: ":rings=2:elements=once". */
static tess_status read_options(const char *text, const char *run, int *rings,
                                tess_chain_elements *elements) {
    tess_status status = TESS_OK;
    char *said = NULL;
    tess_spec *spec = NULL;
    int n = 0;
    const size_t names = strcspn(run, ":,");
    const tess_option *known = options_of_auto + (rings ? 0 : 1);
    CHECK(tess_text_print(&said, "chains%.*s", (int)strcspn(run + names, ","), run + names));
    CHECK(tess_spec_list_parse(said, &spec, &n));
    if (tess_spec_check(spec, known) != TESS_OK)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "--chains %s: write auto, auto:rings=N with N from 0 to 99, none, "
                        "or runs of loops, A+B,C+D+E; behind each :elements=auto|once|points",
                        text));
    if (rings)
        *rings = (int)tess_spec_int(spec, known, "rings");
    *elements = tess_spec_is(spec, known, "elements", "once")     ? TESS_ELEMENTS_ONCE
                : tess_spec_is(spec, known, "elements", "points") ? TESS_ELEMENTS_POINTS
                                                                  : TESS_ELEMENTS_AUTO;
done:
    tess_spec_list_free(spec, n);
    free(said);
    return status;
}

/* The run behind this one in a list; its end. */
static const char *next_run(const char *run) {
    run += strcspn(run, ",");
    return *run ? run + 1 : run;
}

/* Takes the longest run of the list at each loop. */
static tess_status choose_listed(tess_chained_step *step, const char *text) {
    for (const char *run = text; *run; run = next_run(run)) {
        const size_t length = strcspn(run, ":,");
        bool found = false;
        for (int i = 0; i < step->step.n; i++)
            found |= run_at(step, run, length, i) > 0;
        if (!found)
            TRY(check_names(step, run, length));
    }
    for (int i = 0; i < step->step.n;) {
        int most = 1;
        for (const char *run = text; *run; run = next_run(run)) {
            const int n = run_at(step, run, strcspn(run, ":,"), i);
            if (n >= most)
                TRY(read_options(text, run, NULL, &step->ready[i].elements));
            most = n > most ? n : most;
        }
        step->length[i] = most;
        for (int k = 1; k < most; k++)
            step->length[i + k] = 0;
        i += most;
    }
    return TESS_OK;
}

/* Flops of all loops of a chain over the set of loop k. */
static int64_t flops_of_set(const tess_chained_step *step, const tess_chain *chain, int k) {
    int64_t flops = 0;
    for (int i = 0; i < chain->n_loops; i++)
        if (strcmp(chain->loops[i].loop->set, chain->loops[k].loop->set) == 0)
            flops += step->kernels[chain->first + i]->flops;
    return flops;
}

/* Elements that take so many flops are too much to compute again between blocks; of those that take
 * half as many as miniaero's faces and more one set is as much as a thread's registers and a
 * block's memory have room for (fun3d, docs/results/steps.md). */
enum { MOST_FLOPS = 1000, MANY_FLOPS = 170 };

/* Whether a run is one of those that "auto" takes. */
static bool is_taken(const void *of, const tess_chain *chain) {
    const char *heavy = NULL;
    for (int k = 0; k < chain->n_loops; k++) {
        const int64_t flops = chain->loops[k].gathered ? flops_of_set(of, chain, k) : 0;
        const char *set = chain->loops[k].loop->set;
        if (flops > MOST_FLOPS || (flops > MANY_FLOPS && heavy && strcmp(heavy, set) != 0))
            return false;
        heavy = flops > MANY_FLOPS ? set : heavy;
    }
    return true;
}

static tess_status choose(tess_chained_step *step, const char *text) {
    tess_chain_elements elements;
    int rings = 0;
    if (!text || strcmp(text, "none") == 0)
        return TESS_OK;
    if (strncmp(text, "auto", strlen("auto")) != 0 || strcspn(text, ":") != strlen("auto"))
        return choose_listed(step, text);
    TRY(read_options(text, text, &rings, &elements));
    for (int i = 0; i < step->step.n; i++)
        step->ready[i].elements = elements;
    return tess_chains_choose(&step->step, &(tess_chain_wish){rings, is_taken, step}, step->length);
}

tess_status tess_chained_step_new(const tess_application *application, const tess_mesh *mesh,
                                  tess_type real, const char *text, tess_chained_step **out) {
    tess_status status = TESS_OK;
    tess_chained_step *step = NULL;
    CHECK(TESS_ZEROS(1, &step));
    CHECK(add_loops(application, mesh, real, step));
    CHECK(choose(step, text));
    for (int i = 0; i < step->step.n; i++)
        if (step->length[i] > 1)
            CHECK(tess_chain_build(&step->step, i, step->length[i], &step->ready[i].chain));
    *out = TESS_TAKE(step);
done:
    tess_chained_step_free(step);
    return status;
}

tess_status tess_chained_step_name(const tess_chained_step *step, int i, char **out) {
    size_t size = 0;
    FILE *stream = open_memstream(out, &size);
    if (!stream)
        FAIL(TESS_ERROR_MEMORY, "out of memory for the name of a chain");
    for (int k = 0; k < step->length[i]; k++)
        fprintf(stream, "%s%s", k > 0 ? "+" : "", step->kernels[i + k]->name);
    if (fclose(stream) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for the name of a chain");
    return TESS_OK;
}

/* Whether the chains that begin at two loops are of the same loops. */
static bool are_same(const tess_chained_step *step, int a, int b) {
    int k = 0;
    while (k < step->length[a] && step->length[a] == step->length[b] &&
           step->kernels[a + k] == step->kernels[b + k])
        k++;
    return k == step->length[b];
}

static tess_status fail_of_several(const tess_chained_step *step, const char *text, int one,
                                   int other) {
    tess_status status = TESS_OK;
    char *a = NULL, *b = NULL;
    CHECK(tess_chained_step_name(step, one, &a));
    CHECK(tess_chained_step_name(step, other, &b));
    status = tess_fail(TESS_ERROR_USAGE, "--chain %s is several: %s, %s ...: name one", text, a, b);
done:
    free(a);
    free(b);
    return status;
}

tess_status tess_chained_step_new_one(const tess_application *application, const tess_mesh *mesh,
                                      tess_type real, const char *text, tess_chained_step **out,
                                      int *first) {
    tess_status status = TESS_OK;
    tess_chained_step *step = NULL;
    CHECK(tess_chained_step_new(application, mesh, real, text, &step));
    *first = 0;
    while (*first < step->step.n && !step->ready[*first].chain)
        ++*first;
    if (*first == step->step.n)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "--chain %s is no chain of %s on this mesh: name two loops or more that "
                        "follow each other, A+B; 'tess bound' shows which are one",
                        text, application->name));
    for (int i = *first + 1; i < step->step.n; i++) {
        if (step->ready[i].chain && !are_same(step, *first, i))
            CHECK(fail_of_several(step, text, *first, i));
        tess_chain_free(TESS_TAKE(step->ready[i].chain));
    }
    *out = TESS_TAKE(step);
done:
    tess_chained_step_free(step);
    return status;
}

/* --- ready to run ----------------------------------------------------------------------------- */

static tess_status check_zeros(const tess_chain *chain, const tess_state *start) {
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *of = &chain->dats[d];
        const tess_dat *dat = tess_state_find(start, of->dat, of->set);
        for (int64_t i = 0; of->begins_zero && i < tess_state_size(start, dat) * dat->dim; i++)
            if (tess_dat_value(dat, i) != 0)
                FAIL(TESS_ERROR_INPUT,
                     "'%s' on %s is cleared in each step, but at the start value %lld is %g: the "
                     "chain would lose it",
                     of->dat, of->set, (long long)i, tess_dat_value(dat, i));
    }
    return TESS_OK;
}

static tess_status check_declarations(const tess_chained_step *step, const tess_mesh *mesh,
                                      int first) {
    for (int k = first; k < first + step->length[first]; k++) {
        tess_bound_loop *bound = NULL;
        TRY(tess_kernel_bind(step->loops[k], mesh, &bound));
        const tess_status status = tess_declarations_check(step->kernels[k], bound);
        tess_bound_loop_free(bound);
        TRY(status);
    }
    return TESS_OK;
}

static int32_t size_of(const tess_chain_way *way) {
    return way->plan ? way->plan->block_size : way->block_size;
}

static const tess_chain_way *way_of(const tess_chains_setting *setting, const tess_kernel *kernel) {
    const tess_chain_way *way = setting->ways;
    while (way->kernel != kernel)
        way++;
    return way;
}

int tess_chain_registers(const tess_strategy *strategy, const tess_spec *spec) {
    for (const tess_option *option = strategy->options; option && option->key; option++)
        if (strcmp(option->key, "registers") == 0) {
            const int64_t said = tess_spec_int(spec, strategy->options, "registers");
            return said > 0 ? (int)said : 0;
        }
    return 0;
}

static bool owns(const tess_chain_way *way, const tess_chain *chain) {
    return way->plan && way->plan->owns_points &&
           strcmp(way->plan->partitioned_set, chain->owner) == 0;
}

/* The loop of a chain whose blocks it takes. */
static const tess_chain_way *way_of_chain(const tess_chained_step *step,
                                          const tess_chains_setting *setting, int first) {
    for (int k = first; k < first + step->length[first]; k++)
        if (owns(way_of(setting, step->kernels[k]), step->ready[first].chain))
            return way_of(setting, step->kernels[k]);
    return way_of(setting, step->kernels[first]);
}

/* Blocks of points as a loop's plan owns them, or of those that are consecutive in memory; on a
 * rank those of other ranks are in none. Blocks of a plan that have none left are empty. */
static void fill_blocks(const tess_chains_setting *setting, const tess_chain *chain,
                        const tess_chain_way *way, int32_t *block_of, int32_t *n_blocks) {
    const tess_mesh *mesh = setting->store->state->mesh;
    const int set = tess_mesh_find_set(mesh, chain->owner);
    const int64_t n = mesh->sets[set].size;
    const int64_t n_own = setting->rank ? setting->rank->sets[set].n_owned : n;
    const int32_t *position = tess_store_order(setting->store, set);
    const int32_t size = size_of(way);
    const bool is_owned = owns(way, chain);
    *n_blocks = is_owned ? way->plan->n_blocks : (int32_t)((n_own + size - 1) / size);
    for (int64_t p = 0; p < n; p++)
        block_of[p] = p >= n_own ? -1
                      : is_owned ? way->plan->owner[p]
                                 : (int32_t)((position ? position[p] : p) / size);
}

static tess_status make_blocks(const tess_chains_setting *setting, const int32_t *block_of,
                               int32_t n_blocks, ready *of) {
    const tess_mesh *mesh = setting->store->state->mesh;
    const int set = tess_mesh_find_set(mesh, of->chain->owner);
    tess_chain_blocks_free(of->blocks);
    of->blocks = NULL;
    return tess_chain_blocks_build(of->chain, mesh, block_of, n_blocks,
                                   tess_store_order(setting->store, set), &of->blocks);
}

/* Makes the blocks, on a rank those first that reach nothing of others. */
static tess_status order_blocks(const tess_chains_setting *setting, int32_t *block_of,
                                int32_t *n_blocks, ready *of) {
    TRY(make_blocks(setting, block_of, *n_blocks, of));
    of->n_core = of->n_own = *n_blocks;
    if (!setting->rank)
        return TESS_OK;
    TRY(tess_chained_border_order(of->chain, setting->rank, of->blocks, block_of, &of->n_core,
                                  &of->n_own));
    *n_blocks = (int32_t)of->n_own;
    return make_blocks(setting, block_of, *n_blocks, of);
}

/* As chain-FIRST-LAST-DEVICE.cu. */
static tess_status keep_page(const tess_chains_setting *setting, const ready *of) {
    char *name = NULL;
    const tess_chain *chain = of->chain;
    TRY(tess_text_print(&name, "chain-%s-%s", chain->loops[0].loop->name,
                        chain->loops[chain->n_loops - 1].loop->name));
    const tess_status status = tess_page_keep_text(&of->page, setting->keep_text, name);
    free(name);
    return status;
}

static int64_t shared_bytes_of(const tess_page *page) {
    return page->n_launches > 0 ? page->launches[0].shared_bytes : 0;
}

/* Writes the page, and gives the lists that it has. */
static tess_status write_page(tess_chain_setting *setting, tess_chain_lists *lists, ready *of) {
    setting->blocks = of->blocks;
    setting->lists = lists;
    TRY(tess_chain_lists_choose(setting, TESS_MOST_SHARED, lists));
    return tess_chain_page_write(setting, TESS_MOST_SHARED, &of->page);
}

static tess_status prove(const tess_mesh *mesh, const int32_t *block_of,
                         const tess_chain_lists *lists, const ready *of) {
    TRY(tess_chain_check_blocks(of->chain, mesh, block_of, of->blocks));
    for (int i = 0; i < lists->n; i++)
        TRY(tess_chain_check_list(of->chain, mesh, of->blocks, &lists->of[i]));
    return TESS_OK;
}

/* Halves the largest blocks, an eighth at most, and writes the page again, while that pays: what is
 * largest then may be too large still. */
static tess_status make_even(const tess_chains_setting *setting, tess_chain_setting *page,
                             tess_chain_lists *lists, int32_t *block_of, ready *of) {
    const int32_t most = of->blocks->n_blocks + of->blocks->n_blocks / 8;
    for (;;) {
        int32_t n_blocks = of->blocks->n_blocks;
        TRY(tess_even_blocks_halve(page, shared_bytes_of(&of->page), most, block_of, &n_blocks));
        if (n_blocks == of->blocks->n_blocks)
            return TESS_OK;
        tess_page_clear(&of->page);
        tess_chain_lists_clear(lists);
        TRY(order_blocks(setting, block_of, &n_blocks, of));
        TRY(write_page(page, lists, of));
    }
}

/* Cuts the blocks and writes the page. Both are proved. */
static tess_status cut_and_write(const tess_chains_setting *setting, const tess_chain_way *way,
                                 tess_chain_setting *page, ready *of) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = setting->store->state->mesh;
    const int set = tess_mesh_find_set(mesh, of->chain->owner);
    int32_t *block_of = NULL, n_blocks = 0;
    tess_chain_lists lists = {.n = 0};
    if (set < 0)
        FAIL(TESS_ERROR_INPUT, "the blocks of a chain own %s, which %s lacks", of->chain->owner,
             mesh->source);
    CHECK(TESS_ALLOC(mesh->sets[set].size, &block_of));
    fill_blocks(setting, of->chain, way, block_of, &n_blocks);
    CHECK(order_blocks(setting, block_of, &n_blocks, of));
    CHECK(write_page(page, &lists, of));
    CHECK(make_even(setting, page, &lists, block_of, of));
    CHECK(prove(mesh, block_of, &lists, of));
done:
    tess_chain_lists_clear(&lists);
    free(block_of);
    return status;
}

static tess_status open_chain(tess_chained_step *step, const tess_chains_setting *setting, int i) {
    ready *of = &step->ready[i];
    const tess_device *device = setting->store->device;
    const tess_chain_way *way = way_of_chain(step, setting, i);
    int threads = 0;
    of->block_size = size_of(way);
    TRY(tess_page_threads(device, of->block_size, way->threads, &threads));
    TRY(check_zeros(of->chain, setting->store->state));
    TRY(check_declarations(step, setting->store->state->mesh, i));
    TRY(tess_chain_check(&step->step, of->chain));
    tess_chain_setting page = {.chain = of->chain,
                               .kernels = step->kernels + i,
                               .store = setting->store,
                               .arithmetic = setting->arithmetic,
                               .elements = of->elements,
                               .threads = threads,
                               .registers = way->registers};
    TRY(cut_and_write(setting, way, &page, of));
    if (setting->keep_text)
        TRY(keep_page(setting, of));
    if (setting->on_paper)
        return TESS_OK;
    return device->compile(setting->store->target, of->page.text.text, &of->module);
}

tess_status tess_chained_step_open(tess_chained_step *step, const tess_chains_setting *setting) {
    step->store = setting->store;
    for (int i = 0; i < step->step.n; i++)
        if (step->ready[i].chain)
            TRY(open_chain(step, setting, i));
    return TESS_OK;
}

/* Adds what the device counted of the chain that just ran. */
static void take_counters(const tess_chained_step *step, ready *of) {
    const tess_device *device = step->store->device;
    const tess_counters *counted = device->counters ? device->counters(step->store->target) : NULL;
    if (!counted)
        return;
    tess_counters_add(&of->counters, counted);
    of->n_counted++;
}

int64_t tess_chained_step_counters(const tess_chained_step *step, int i, tess_counters *out) {
    *out = step->ready[i].counters;
    return step->ready[i].n_counted;
}

/* Launches blocks first ... end - 1. */
static tess_status launch(const tess_chained_step *step, ready *of, int64_t first, int64_t end) {
    tess_page *page = &of->page;
    uint64_t words[256];
    const int n = page->n_params;
    if (n > (int)(sizeof words / sizeof words[0]))
        FAIL(TESS_ERROR_USAGE, "a chain needs %d kernel parameters, over 256", n);
    tess_page_find_dats(page); /* chains may have changed their buffers */
    for (int w = 0; w < n; w++)
        words[w] = page->params[w].value;
    for (int l = 0; l < page->n_launches && first < end; l++) {
        tess_launch part = page->launches[l];
        part.first = first;
        part.n_blocks = part.count = end - first;
        words[0] = (uint64_t)part.first;
        words[1] = (uint64_t)part.count;
        TRY(step->store->device->launch(step->store->target, of->module, &part, words, n));
    }
    return TESS_OK;
}

tess_status tess_chained_step_run_blocks(const tess_chained_step *step, int i,
                                         tess_chain_blocks_of blocks) {
    ready *of = &step->ready[i];
    return blocks == TESS_CHAIN_CORE ? launch(step, of, 0, of->n_core)
                                     : launch(step, of, of->n_core, of->n_own);
}

void tess_chained_step_swap(const tess_chained_step *step, int i) {
    const ready *of = &step->ready[i];
    for (int d = 0; d < of->chain->n_dats; d++)
        if (of->chain->dats[d].two_buffers)
            tess_stored_swap((tess_stored *)of->page.dats[d].stored);
}

tess_status tess_chained_step_run(const tess_chained_step *step, int i) {
    if (step->store->device->reset_counters)
        step->store->device->reset_counters(step->store->target);
    TRY(launch(step, &step->ready[i], 0, step->ready[i].n_own));
    take_counters(step, &step->ready[i]);
    tess_chained_step_swap(step, i);
    return TESS_OK;
}

tess_status tess_chained_step_resources(const tess_chained_step *step, int i, tess_resources *out,
                                        int64_t *shared_bytes) {
    *shared_bytes = shared_bytes_of(&step->ready[i].page);
    return step->store->device->resources(step->store->target, step->ready[i].module, "chain", out);
}

const tess_chain_blocks *tess_chained_step_blocks(const tess_chained_step *step, int i) {
    return step->ready[i].blocks;
}

int32_t tess_chained_step_block_size(const tess_chained_step *step, int i) {
    return step->ready[i].block_size;
}

int tess_chained_step_like(const tess_chained_step *step, int i) {
    int first = 0;
    while (!are_same(step, first, i))
        first++;
    return first;
}

tess_chain_elements tess_chained_step_elements(const tess_chained_step *step, int i) {
    return step->ready[i].elements;
}

const tess_page *tess_chained_step_page(const tess_chained_step *step, int i) {
    return &step->ready[i].page;
}

tess_device_module *tess_chained_step_module(const tess_chained_step *step, int i) {
    return step->ready[i].module;
}
