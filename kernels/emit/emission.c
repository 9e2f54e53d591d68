/* An emission: a loop written as source that a person owns. */
#include "kernels/emit/emission.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/stream_text.h"
#include "core/base/whole_file.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/simt_text.h"
#include "kernels/emit/c_text.h"
#include "kernels/emit/pruning.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TESS_EMBED(tess_emit_plan_format, "kernels/emit/texts/plan_format.h");
TESS_EMBED(tess_emit_plan_reader, "kernels/emit/texts/plan_reader.h");
TESS_EMBED(tess_emit_again, "kernels/emit/texts/build_again.h");
TESS_EMBED(tess_emit_builder, "kernels/emit/texts/builder.h");
TESS_EMBED(tess_emit_builder_main, "kernels/emit/texts/builder_main.h");
TESS_EMBED(tess_emit_build_builder, "kernels/emit/texts/build_builder.h");
TESS_EMBED(tess_emit_main, "kernels/emit/texts/main.cu");
TESS_EMBED(tess_emit_words_host, "kernels/devices/host/simt_host.h");

/* --- texts -------------------------------------------------------------------------------------*/

/* A word of a text, and what stands for it: a text, or what prints it. */
typedef struct replacement {
    const char *word, *text;
    void (*print)(const tess_emission *x, tess_text_writer *out);
} replacement;

static bool is_letter(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static void print_again(const tess_emission *x, tess_text_writer *out);
static void print_folder(const tess_emission *x, tess_text_writer *out);
static void print_quoted_command(const tess_emission *x, tess_text_writer *out);
static void print_quoted_folder(const tess_emission *x, tess_text_writer *out);

/* Prints a text with @loop and the like replaced, and cuda or hip for the gpu of functions' names.
 */
static void print_filled(const tess_emission *x, const char *text, tess_text_writer *out) {
    const replacement words[] = {
        {"@loop", .text = x->name},
        {"@api", .text = x->language->api},
        {"@samples", .text = x->language->has_graphs ? "20" : "3"},
        {"@launches", .print = tess_emission_print_launch_count},
        {"@sequential_files", .print = tess_emission_print_sequential_files},
        {"@sequential_sources", .print = tess_emission_print_sequential_sources},
        {"@again", .print = print_again},
        {"@command", .text = x->setting->command},
        {"@quoted_command", .print = print_quoted_command},
        {"@quoted_folder", .print = print_quoted_folder},
        {"@language", .text = x->language->name},
        {"@settings", .text = x->words->settings},
        {"@folder", .print = print_folder},
        {"@declarations", .print = tess_emission_print_declarations},
        {"@calls", .print = tess_emission_print_calls},
        {"@dats", .print = tess_emission_print_dats},
        {"@arguments", .print = tess_emission_print_arguments},
        {"gpu", .text = x->language->prefix},
    };
    for (const char *at = text; *at;) {
        const bool is_inside = at > text && is_letter(at[-1]) && *at == 'g';
        size_t length = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words && length == 0 && !is_inside; i++) {
            const size_t n = strlen(words[i].word);
            const bool is_name = *at != 'g' || isupper((unsigned char)at[n]);
            if (strncmp(at, words[i].word, n) != 0 || !is_name)
                continue;
            if (words[i].print)
                words[i].print(x, out);
            else
                tess_text_writer_print(out, "%s", words[i].text);
            length = n;
        }
        if (length == 0)
            tess_text_writer_print(out, "%c", *at);
        at += length > 0 ? length : 1;
    }
}

static void print_again(const tess_emission *x, tess_text_writer *out) {
    print_filled(x, tess_emit_again, out);
}

/* Where the command was typed, which its paths begin with. */
static void print_folder(const tess_emission *x, tess_text_writer *out) {
    char folder[4096];
    if (x->setting->typed_in)
        tess_text_writer_print(out, "%s", x->setting->typed_in);
    else
        tess_text_writer_print(out, "%s", getcwd(folder, sizeof folder) ? folder : ".");
}

/* A text of C, without its quotes. */
static void print_quoted(const char *text, tess_text_writer *out) {
    for (; *text; text++)
        tess_text_writer_print(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
}

static void print_quoted_command(const tess_emission *x, tess_text_writer *out) {
    print_quoted(x->setting->command, out);
}

static void print_quoted_folder(const tess_emission *x, tess_text_writer *out) {
    tess_text_writer folder = {.text = NULL};
    print_folder(x, &folder);
    if (folder.text)
        print_quoted(folder.text, out);
    tess_text_writer_clear(&folder);
}

/* --- files -------------------------------------------------------------------------------------*/

/* What is there with other words, which its reader may have written, is kept as PATH~. */
static tess_status keep_words(const char *path, const tess_text_writer *text) {
    tess_status status = TESS_OK;
    char *was = NULL, *kept = NULL;
    int64_t size = 0;
    TRY(tess_whole_file_check(path));
    FILE *file = fopen(path, "rb");
    if (!file)
        return TESS_OK;
    CHECK(tess_stream_read(file, &was, &size));
    if (size == text->length && memcmp(was, text->text, (size_t)size) == 0)
        goto done;
    CHECK(tess_text_print(&kept, "%s~", path));
    if (rename(path, kept) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "%s cannot be kept as %s: %s", path, kept, strerror(errno)));
done:
    fclose(file);
    free(was);
    free(kept);
    return status;
}

/* Writes FOLDER/NAME. */
static tess_status write_file(const tess_emission *x, const char *name,
                              const tess_text_writer *text) {
    tess_status status = TESS_OK;
    char *path = NULL;
    CHECK(tess_text_writer_finish(text));
    CHECK(tess_text_print(&path, "%s/%s", x->setting->folder, name));
    CHECK(keep_words(path, text));
    CHECK(tess_whole_file_remake(path, text->text, (size_t)text->length));
done:
    free(path);
    return status;
}

/* Writes what one function prints. */
static tess_status write_printed(const tess_emission *x, const char *suffix,
                                 void (*print)(const tess_emission *x, tess_text_writer *out)) {
    char name[2 * TESS_NAME_SIZE];
    tess_text_writer text = {.text = NULL};
    print(x, &text);
    snprintf(name, sizeof name, "%s%s", x->name, suffix);
    const tess_status status = write_file(x, name, &text);
    tess_text_writer_clear(&text);
    return status;
}

static tess_status write_sequential(const tess_emission *x, int loop) {
    char name[2 * TESS_NAME_SIZE];
    tess_text_writer text = {.text = NULL};
    tess_emission_print_sequential(x, loop, &text);
    snprintf(name, sizeof name, "%s_sequential.c", x->loops[loop].kernel->name);
    const tess_status status = write_file(x, name, &text);
    tess_text_writer_clear(&text);
    return status;
}

/* Writes a text, filled, with another behind it as it is. */
static tess_status write_text(const tess_emission *x, const char *name, const char *text,
                              const char *more) {
    tess_text_writer out = {.text = NULL};
    print_filled(x, text, &out);
    tess_text_writer_print(&out, "%s", more);
    const tess_status status = write_file(x, name, &out);
    tess_text_writer_clear(&out);
    return status;
}

/* A folder of its own, for it alone needs libtesselab. */
static tess_status write_builder(const tess_emission *x) {
    tess_status status = TESS_OK;
    char *folder = NULL, name[2 * TESS_NAME_SIZE];
    CHECK(tess_text_print(&folder, "%s/builder", x->setting->folder));
    CHECK(tess_folders_make(folder, true));
    snprintf(name, sizeof name, "builder/%s_build.c", x->name);
    CHECK(write_text(x, name, tess_emit_builder, ""));
    CHECK(write_text(x, "builder/main.c", tess_emit_builder_main, ""));
    CHECK(write_text(x, "builder/CMakeLists.txt", tess_emit_build_builder, ""));
done:
    free(folder);
    return status;
}

static tess_status write_files(const tess_emission *x) {
    char *plan = NULL;
    TRY(tess_folders_make(x->setting->folder, true));
    TRY(write_printed(x, ".h", tess_emission_print_header));
    TRY(write_printed(x, "_plan.c", tess_emission_print_plan));
    TRY(write_printed(x, "_kernel.h", tess_emission_print_user));
    TRY(write_printed(x, "_data.h", tess_emission_print_data));
    TRY(write_printed(x, x->language->suffix, tess_emission_print_kernel));
    for (int i = 0; i < x->n_loops; i++)
        TRY(write_sequential(x, i));
    TRY(write_text(x, "main.c", tess_emit_main, ""));
    TRY(write_text(x, "plan_reader.h", tess_emit_plan_reader, ""));
    TRY(write_text(x, "plan_format.h", tess_emit_plan_format, ""));
    TRY(write_text(x, "words.h", x->language->words, tess_simt_text));
    TRY(write_text(x, "words_host.h", tess_emit_words_host, tess_simt_text));
    TRY(write_text(x, "CMakeLists.txt", x->language->build, ""));
    for (int i = 0; x->language->more[i].name; i++)
        TRY(write_text(x, x->language->more[i].name, x->language->more[i].text, ""));
    TRY(write_builder(x));
    TRY(tess_text_print(&plan, "%s/%s.plan", x->setting->folder, x->name));
    const tess_status status = tess_emission_write_plan(x, plan);
    free(plan);
    return status;
}

/* --- what is emitted -------------------------------------------------------------------------- */

/* Name and sizes of the sets, in words. */
static void describe(tess_emission *x) {
    int sets[TESS_MOST_EMITTED_SETS];
    const tess_mesh *mesh = x->loop->bound->mesh;
    const int n = tess_emission_sets(x, sets);
    size_t used = (size_t)snprintf(x->about, sizeof x->about, "%s over ", x->name);
    for (int i = 0; i < n && used < sizeof x->about; i++)
        used += (size_t)snprintf(x->about + used, sizeof x->about - used, "%s%lld %s",
                                 i > 0 ? ", " : "", (long long)mesh->sets[sets[i]].size,
                                 mesh->sets[sets[i]].name);
}

/* What a plan must be for: the text with its constants, and the launches. */
static tess_status find_program(tess_emission *x) {
    tess_text_writer launches = {.text = NULL};
    for (int i = 0; i < x->page->n_launches; i++) {
        const tess_launch *launch = &x->page->launches[i];
        tess_text_writer_print(&launches, "%s %lld %d %lld %lld %lld\n", launch->kernel,
                               (long long)launch->n_blocks, launch->threads,
                               (long long)launch->shared_bytes, (long long)launch->first,
                               (long long)launch->count);
    }
    for (int i = 0; i < x->n_loops; i++)
        tess_text_writer_print(&launches, "%s", x->loops[i].page->text.text);
    const tess_status status = tess_text_writer_finish(&launches);
    const char *const texts[] = {x->page->text.text, launches.text ? launches.text : "", NULL};
    if (status == TESS_OK)
        tess_cache_key(texts, x->program);
    tess_text_writer_clear(&launches);
    return status;
}

/* Fails where the kernels need what lanes of a warp do together. */
static tess_status check_lanes(const tess_emission *x, const char *text) {
    static const char *const words[] = {"shuffle", "shuffle_down", "shuffle_xor",
                                        "ballot",  "match_any",    "warp_barrier"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tess_c_names(text, words[i]))
            FAIL(TESS_ERROR_USAGE,
                 "--language %s has no lanes that exchange values, and strategy %s with these "
                 "settings needs %s: take another strategy or setting, or cuda, hip or c",
                 x->language->name, x->page->strategy ? x->page->strategy : "of a chain", words[i]);
    return TESS_OK;
}

/* Fails where a block needs more shared memory than the language's GPUs have. */
static tess_status check_shared(const tess_emission *x) {
    const int most = x->language->most_shared;
    for (int i = 0; i < x->page->n_launches && most > 0; i++)
        if (x->page->launches[i].shared_bytes > most)
            FAIL(TESS_ERROR_USAGE,
                 "--language %s: a block may have %d bytes of shared memory, and kernel %s needs "
                 "%lld: take smaller blocks",
                 x->language->name, most, x->page->launches[i].kernel,
                 (long long)x->page->launches[i].shared_bytes);
    return TESS_OK;
}

/* A strategy that needs what a language lacks. */
static tess_status check_language(tess_emission *x) {
    tess_status status = TESS_OK;
    const tess_page *page = x->page;
    char *text = NULL;
    bool has_runs = false;
    for (const tess_option *option = page->options; option && option->key; option++)
        has_runs |= strcmp(option->key, "adds") == 0 &&
                    tess_spec_is(page->spec, page->options, "adds", "widest");
    if (has_runs && strcmp(x->language->name, "cuda") != 0 && strcmp(x->language->name, "c") != 0)
        FAIL(TESS_ERROR_USAGE,
             "--language %s has no additions of whole runs, which %s:adds=widest needs: take "
             "adds=values",
             x->language->name, page->strategy);
    TRY(check_shared(x));
    CHECK(tess_prune(page->text.text, x->language->is_cuda, &text));
    x->has_teams = tess_c_names(text, "barrier") || tess_c_names(text, "shared_memory");
    if (x->language->lacks_lanes)
        CHECK(check_lanes(x, text));
done:
    free(text);
    return status;
}

/* Gives the number of the loop of a kernel, which is drafted where it is the first of it. */
static tess_status find_loop(tess_emission *x, const tess_kernel *kernel, int *out) {
    for (*out = 0; *out < x->n_loops; (*out)++)
        if (x->loops[*out].kernel == kernel)
            return TESS_OK;
    return tess_sequential_loop_draft(x->doubles, x->store, &x->trial->layouts, kernel,
                                      &x->loops[x->n_loops++]);
}

/* The loops, one after another, which the result is compared with. */
static tess_status draft_loops(tess_emission *x, const tess_chained_step *step, int first) {
    const int n = step ? tess_chained_step_length(step, first) : 1;
    TRY(tess_state_copy(x->loop->start, true, &x->doubles));
    TRY(TESS_ZEROS(n, &x->loops));
    TRY(TESS_ZEROS(n, &x->calls));
    for (; x->n_calls < n; x->n_calls++)
        TRY(find_loop(x,
                      step ? tess_chained_step_kernels(step)[first + x->n_calls] : x->trial->kernel,
                      &x->calls[x->n_calls]));
    return TESS_OK;
}

/* What is launched: pages, in a store that is placed behind them, so that they keep their arrays.
 */
typedef struct launched {
    const tess_device *device;
    tess_target *target;
    tess_store *store;
    tess_execution *execution; /* of a loop; NULL */
    tess_chained_step *step;   /* of a chain; NULL */
} launched;

static void close_launched(launched *of) {
    tess_execution_close(of->execution);
    tess_chained_step_free(of->step);
    tess_store_close(of->store);
    if (of->target)
        of->device->close(of->target);
}

static tess_status draft(tess_emission *x, launched *of, int *first) {
    const tess_trial_setting *trial = x->trial;
    const tess_execution_options options = {.kernel = trial->kernel,
                                            .strategy = trial->strategy,
                                            .spec = trial->spec,
                                            .threads = trial->threads,
                                            .arithmetic = trial->arithmetic};
    /* A device whose pages are a GPU's, and whose memory is at hand. */
    TRY(tess_device_open("emulator", &of->device, &of->target));
    TRY(tess_store_draft(of->device, of->target, x->loop->start, x->loop->renumbering,
                         &trial->layouts, &of->store));
    x->store = of->store;
    if (trial->chain) {
        TRY(tess_trial_chain_open(trial, x->loop, of->store, true, &of->step, first));
        x->page = &tess_chained_step_ready(of->step, *first)->page;
    } else {
        tess_store_leave_out(of->store, x->loop->bound->loop);
        TRY(tess_execution_draft(&options, of->store, x->loop->bound, x->loop->plan,
                                 &of->execution));
        x->page = &of->execution->page;
    }
    return tess_store_place(of->store);
}

/* RES_CALC, and "the loop res_calc of airfoil by point-parallel"; a chain is called after its first
 * and its last loop. */
static void name_it(tess_emission *x) {
    const char *first = x->loops[0].kernel->name;
    const char *last = x->loops[x->calls[x->n_calls - 1]].kernel->name;
    const bool is_chain = x->trial->chain != NULL;
    if (is_chain)
        snprintf(x->name, sizeof x->name, "%.20s_to_%.20s", first, last);
    else
        snprintf(x->name, sizeof x->name, "%s", first);
    for (int i = 0; x->name[i]; i++)
        x->title[i] = (char)toupper((unsigned char)x->name[i]);
    size_t used =
        (size_t)snprintf(x->what, sizeof x->what, "the %s %s", is_chain ? "chain" : "loop", first);
    for (int i = 1; i < x->n_calls && used < sizeof x->what; i++)
        used += (size_t)snprintf(x->what + used, sizeof x->what - used, "+%s",
                                 x->loops[x->calls[i]].kernel->name);
    if (used < sizeof x->what)
        snprintf(x->what + used, sizeof x->what - used, " of %.*s%s%s", TESS_NAME_SIZE,
                 x->words->application, is_chain ? "" : " by ", is_chain ? "" : x->page->strategy);
}

static void clear(tess_emission *x) {
    for (int i = 0; i < x->n_loops; i++)
        tess_sequential_loop_clear(&x->loops[i]);
    tess_state_free(x->doubles);
    free(x->loops);
    free(x->calls);
    free(x->dats);
}

tess_status tess_emit(const tess_emit_setting *setting, const tess_emit_words *words,
                      const tess_trial_setting *trial, const tess_trial_loop *loop,
                      char name[static TESS_NAME_SIZE]) {
    tess_status status = TESS_OK;
    int first = 0;
    launched of = {.device = NULL};
    tess_emission x = {.setting = setting, .words = words, .trial = trial, .loop = loop};
    CHECK(tess_emit_language_find(setting->language, &x.language));
    if (trial->strategy->one_thread)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "strategy %s runs on the host, and tess emit writes kernels of GPUs: take "
                        "atomics, point-parallel or another of 'tess list strategies'",
                        trial->strategy->name));
    CHECK(draft(&x, &of, &first));
    CHECK(draft_loops(&x, of.step, first));
    CHECK(tess_emission_find_dats(&x));
    name_it(&x);
    memcpy(name, x.name, sizeof x.name);
    CHECK(check_language(&x));
    describe(&x);
    CHECK(find_program(&x));
    CHECK(write_files(&x));
done:
    clear(&x);
    close_launched(&of);
    return status;
}
