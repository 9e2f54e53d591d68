/* The command `tess machine`: measures the numbers of this machine, and looks at those of a file.
 */
#include "core/base/progress.h"
#include "core/base/whole_file.h"
#include "experiments/cli/command.h"
#include "experiments/model/measurement.h"
#include "experiments/report/wrapped.h"
#include "kernels/devices/text_writer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct machine_options {
    tess_common common;
    const char *device, *into, *name; /* of measure */
    const char *machine;              /* of check */
} machine_options;

static const char measure_doc[] =
    "Measure what tess model and tess predict need of this machine, and print a machine file.\v"
    "Of a host: what one core reads a second from each level of its memory, and all cores from the "
    "last two. Of a GPU: the constants of predictions. Each number is the best of nine runs and "
    "says "
    "where it is from; what could not be found is named, on stderr, too.\n\n"
    "Examples:\n"
    "  tess machine measure --into here.yaml\n"
    "  tess model fv --machine here.yaml\n"
    "  tess machine measure --device cuda --into gpu.yaml";

/* Writes the file, or prints it. */
static tess_status give(const machine_options *asked, const tess_measurement *measurement,
                        const char *text) {
    if (asked->into)
        TRY(tess_whole_file_write(asked->into, text, strlen(text)));
    for (int i = 0; i < measurement->n_lacking && !asked->common.quiet; i++)
        fprintf(stderr, "tess: not known: %s\n", measurement->lacking[i]);
    if (asked->common.json)
        return tess_json_print(tess_measurement_json(measurement, asked->name));
    if (asked->into)
        printf("%d numbers of machine %s: %s\n", measurement->n, asked->name, asked->into);
    else
        fputs(text, stdout);
    return TESS_OK;
}

static tess_status measure_run(int argc, char **argv) {
    static const tess_option_row options[] = {
        {"device", 'd', "D", "host (default) or cuda, with options: host:threads=8",
         TESS_KEPT(machine_options, device)},
        {"into", 0, "FILE", "Write the machine file here instead of printing it",
         TESS_KEPT(machine_options, into)},
        {"name", 0, "NAME", "What the machine is called (default: the device)",
         TESS_KEPT(machine_options, name)},
        {0}};
    static const tess_usage usage = {.options = options, .doc = measure_doc};
    tess_status status = TESS_OK;
    machine_options asked = {.device = "host"};
    const tess_device *device = NULL;
    tess_target *target = NULL;
    static tess_measurement measurement;
    char *text = NULL;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (asked.into)
        CHECK(tess_whole_file_check(asked.into));
    CHECK(tess_device_open(asked.device, &device, &target));
    if (!asked.name)
        asked.name = device->name;
    tess_progress_begin("measuring %s", asked.device);
    status = tess_measurement_make(asked.device, device, target, &measurement);
    tess_progress_end();
    CHECK(status);
    CHECK(tess_measurement_text(&measurement, asked.name,
                                device->model ? device->model(target) : NULL, &text));
    CHECK(give(&asked, &measurement, text));
done:
    free(text);
    if (target)
        device->close(target);
    return status;
}

static const tess_command measure = {
    .name = "measure", .summary = "Measure this machine and write its file", .run = measure_run};

/* Whether a command finds all that it needs in a machine file. */
static tess_status print_lacking(const char *command, const char *const *names, int n) {
    tess_text_writer text = {.text = NULL};
    tess_text_writer_print(&text, "%s %s", command, n == 0 ? "has all it needs" : "lacks ");
    for (int i = 0; i < n; i++)
        tess_text_writer_print(&text, "%s%s", i == 0 ? "" : ", ", names[i]);
    tess_text_writer_print(&text, ".");
    const tess_status status = tess_text_writer_finish(&text);
    if (status == TESS_OK)
        tess_wrapped_print(text.text, 0, tess_terminal_width(stdout), stdout);
    tess_text_writer_clear(&text);
    return status;
}

static tess_status check_run(int argc, char **argv) {
    static const tess_option_row options[] = {{TESS_KEPT(machine_options, machine)}, {0}};
    static const tess_usage usage = {
        .options = options,
        .args_doc = "FILE",
        .doc =
            "Read a machine file, or one that ships by its name, and say what of its numbers tess "
            "model and tess predict lack."};
    machine_options asked = {.machine = NULL};
    tess_machine machine;
    const char *lacking[TESS_N_CONSTANTS + 2];
    int n = 0;
    TRY(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (!asked.machine)
        FAIL(TESS_ERROR_USAGE, "which machine? Say 'tess machine check FILE'");
    TRY(tess_machine_read(asked.machine, &machine));
    if (isnan(machine.line_bytes))
        lacking[n++] = "line_bytes";
    if (!tess_machine_has_limits(&machine))
        lacking[n++] = "levels, or a bandwidth";
    if (asked.common.json) {
        json_t *model = json_array(), *predict = json_array();
        for (int i = 0; i < n; i++)
            json_array_append_new(model, json_string(lacking[i]));
        for (int c = 0; c < TESS_N_CONSTANTS; c++)
            if (!machine.has[c])
                json_array_append_new(predict, json_string(tess_constants[c].name));
        return tess_json_print(json_pack("{s:s, s:s, s:o, s:o}", "schema", "tess.machine-check/1",
                                         "machine", machine.name, "model", model, "predict",
                                         predict));
    }
    TRY(print_lacking("tess model", lacking, n));
    n = 0;
    for (int c = 0; c < TESS_N_CONSTANTS; c++)
        if (!machine.has[c])
            lacking[n++] = tess_constants[c].name;
    return print_lacking("tess predict", lacking, n);
}

static const tess_command check = {
    .name = "check", .summary = "Say what a machine file lacks", .run = check_run};

static tess_status machine_run(int argc, char **argv) {
    static const tess_command *const commands[] = {&measure, &check, NULL};
    return tess_command_group("tess machine", "Machines: measure this one, look at a file of one.",
                              commands, argc, argv);
}

const tess_command tess_command_machine = {.name = "machine",
                                           .summary =
                                               "Measure this machine for models and predictions",
                                           .run = machine_run};
