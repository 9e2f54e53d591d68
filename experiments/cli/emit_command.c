/* The command `tess emit`: the loop as source that its reader owns. */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/shell_word.h"
#include "experiments/archive/provenance.h"
#include "experiments/archive/run_names.h"
#include "experiments/bench/chain_record.h"
#include "experiments/bench/experiment.h"
#include "experiments/bench/measuring.h"
#include "experiments/bench/step_record.h"
#include "experiments/cli/experiment_options.h"
#include <stdio.h>
#include <stdlib.h>

static const tess_setting_use uses[] = {
    TESS_USES_WITHOUT_RANKS,
    TESS_USES_WITHOUT_SAMPLES,
    TESS_LEFT_OUT(device),
    TESS_LEFT_OUT(partition_on),
    TESS_LEFT_OUT(prove),
    {.field = TESS_FIELD_strategy,
     .standard = "",
     .words = "atomics; of a chain that adds to points point-parallel"},
};

static const char doc[] =
    "Write a loop, or a chain of several, as source: its kernel by a strategy, as 'tess run' "
    "compiles it, the file of its "
    "plan for this mesh, a launch function on raw pointers, and a program that checks and times "
    "it. The sources need no Tesselab.\v"
    "Examples:\n"
    "  tess emit airfoil --mesh quads:nx=1200:ny=600 --strategy \\\n"
    "      point-parallel -o res_calc\n"
    "  tess emit --settings @last -o winner\n"
    "  tess emit airfoil --mesh quads:nx=1200:ny=600 --chain \\\n"
    "      res_calc+bres_calc+update -o step\n"
    "  tess emit --kernel mine.h --loop mine.yaml --mesh tris:nx=50:ny=50 -o mine\n"
    "  tess emit airfoil --mesh quads:nx=60:ny=40 --language c -o try && \\\n"
    "      cmake -S try -B try/build\n\n"
    "Languages: cuda; hip, for AMD's GPUs; kokkos; c, the same kernel on this processor, to try it "
    "without a GPU. 'tess run' with the same settings measures what is written.";

typedef struct emit_options {
    tess_cli_settings asked;
    const char *folder, *language;
    const char *settings, *lab;
    char *command; /* as typed; owned */
} emit_options;

static const tess_option_row more[] = {
    {"output", 'o', "DIR",
     "Write the sources into this folder, made where it is missing; a file there with other words "
     "is kept as FILE~",
     7, TESS_KEPT(emit_options, folder)},
    {"language", 0, TESS_EMIT_LANGUAGES, "What they are written in (default: cuda)", 7,
     TESS_KEPT(emit_options, language)},
    {"settings", 0, "@RUN",
     "Take those of an archived run, but for what is said here: @last, an id", 7,
     TESS_KEPT(emit_options, settings)},
    {"lab", 'l', "DIR", "Of that run (default: $TESS_LAB, else ./lab)", 7,
     TESS_KEPT(emit_options, lab)},
    {0},
};

static const tess_command_spec command_spec = {.kind = TESS_RUNNING,
                                               TESS_USES(uses),
                                               .archives_nothing = true,
                                               .more = more,
                                               .doc = doc,
                                               .typed = "loop,chain,strategy,output,language"};

static tess_status report(const emit_options *options, const char *name) {
    const char *folder = options->folder;
    char run[TESS_NAME_SIZE + 16];
    const char *const before[] = {"  cmake -S ", " -B ", "/build && cmake --build ", "/build && ",
                                  run};
    snprintf(run, sizeof run, "/build/%s_check ", name);
    if (options->asked.common.json)
        return tess_json_print(json_pack("{s:s, s:s, s:s, s:s}", "schema", "tess.emit/1", "loop",
                                         name, "language", options->language, "folder", folder));
    printf("%s is in %s. Build, check and time it:\n", name, folder);
    for (int i = 0; i < 5; i++) {
        fputs(before[i], stdout);
        tess_shell_word_print(folder, stdout);
    }
    printf("/%s.plan\n", name);
    return TESS_OK;
}

static tess_status emit(emit_options *options, int argc, char **argv) {
    tess_status status = TESS_OK;
    const tess_experiment *x = &options->asked.base;
    const tess_bench_options bench_options = {.argc = argc, .argv = argv};
    tess_bench bench = {.opened = NULL};
    char name[TESS_NAME_SIZE];
    tess_run *run = NULL;
    CHECK(tess_experiment_check_whole(x));
    CHECK(tess_run_new(x, 0, &run));
    CHECK(tess_bench_open(x, &bench_options, NULL, &bench));
    tess_cli_settings_tell_mesh(&options->asked, bench.load.mesh);
    CHECK(tess_experiment_plan(&bench, run, &run->planned));
    const tess_emit_setting setting = {
        .folder = options->folder, .language = options->language, .command = options->command};
    CHECK(tess_run_emit(&bench, run, &setting, name));
    CHECK(report(options, name));
done:
    tess_run_free(run);
    tess_bench_close(&bench);
    return status;
}

/* Has the cap of registers that a chain was compiled with, where nobody says how it is cut. */
static tess_status take_cap(const tess_record *record, emit_options *options) {
    static const tess_field others[] = {TESS_FIELD_strategy, TESS_FIELD_chain,
                                        TESS_FIELD_block_size, TESS_FIELD_threads,
                                        TESS_FIELD_layout};
    const char *cap = tess_values_text(&record->environment, TESS_CAP_KEY);
    char *strategy = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!*cap || options->asked.said[others[i]])
            return TESS_OK;
    TRY(tess_text_print(&strategy, "%s:registers=%s", options->asked.base.strategy.text, cap));
    const tess_status status =
        tess_experiment_set(&options->asked.base, TESS_FIELD_strategy, strategy);
    free(strategy);
    return status;
}

/* Takes the settings of a run. */
static tess_status take_run(emit_options *options) {
    tess_status status = TESS_OK;
    char id[TESS_RUN_ID_SIZE];
    tess_lab *lab = NULL;
    tess_record *record = NULL;
    if (options->settings[0] != '@')
        FAIL(TESS_ERROR_USAGE, "--settings %s: it takes a run, say @last", options->settings);
    CHECK(tess_lab_open(options->lab, false, &lab));
    CHECK(tess_run_id_of(lab, tess_run_name_behind(options->settings), id));
    CHECK(tess_lab_read_run(lab, id, &record));
    CHECK(tess_step_record_take(record, options->asked.said, &options->asked.base));
    CHECK(take_cap(record, options));
done:
    tess_record_free(record);
    tess_lab_close(lab);
    return status;
}

static tess_status run(int argc, char **argv) {
    tess_status status = TESS_OK;
    emit_options options = {.language = "cuda"};
    CHECK(tess_typed_command(argc, argv, &options.command)); /* before parsing puts it in order */
    CHECK(tess_cli_settings_read(&command_spec, argc, argv, &options.asked, &options));
    tess_interrupts_note();
    CHECK(tess_emit_check(options.language));
    if (!options.folder)
        CHECK(tess_fail(TESS_ERROR_USAGE, "say where the sources go: -o DIR"));
    if (options.settings)
        CHECK(take_run(&options));
    CHECK(tess_experiment_choose_strategy(&options.asked.base));
    CHECK(tess_experiment_check(&options.asked.base));
    CHECK(emit(&options, argc, argv));
done:
    tess_cli_settings_clear(&options.asked);
    free(options.command);
    return status;
}

const tess_command tess_command_emit = {
    .name = "emit", .summary = "Write a loop as source of your own", .run = run};
