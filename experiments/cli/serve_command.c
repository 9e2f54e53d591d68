/* The command `tess serve`: the page of a lab, live while the lab grows. */
#include "core/base/argument.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "experiments/archive/lab.h"
#include "experiments/archive/titles.h"
#include "experiments/cli/command.h"
#include "experiments/cli/python_module.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

typedef struct serve_options {
    tess_common common;
    const char *lab;
    int64_t port;
} serve_options;

enum { KEY_PORT = 0x3000, LAST_PORT = 65535 };

static const struct argp_option options[] = {
    {"lab", 'l', "DIR", 0, "The lab (default: TESS_LAB, else ./lab)", 0},
    {"port", KEY_PORT, "N", 0, "Listen on this port (default: one that is free)", 0},
    {NULL}};

static error_t parse(int key, char *value, struct argp_state *state) {
    serve_options *into = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (into->lab)
            return tess_command_refuse(
                tess_fail(TESS_ERROR_USAGE, "'tess serve' shows one lab, not '%s', too", value));
        into->lab = value;
        return 0;
    case 'l':
        into->lab = value;
        return 0;
    case KEY_PORT:
        return tess_command_refuse(tess_argument_integer("port", value, 0, LAST_PORT, &into->port));
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[LAB]",
    .doc = "Shows a lab in a browser of this machine, live while runs come in: the page of 'tess "
           "report'.\v"
           "  tess serve\n"
           "  tess serve /data/lab --port 8080\n\n"
           "The address that it prints holds a secret: who does not have it sees nothing. It "
           "listens on the loopback address only; from elsewhere, ssh -L leads to it. The lab is "
           "only read. Ctrl-C ends it."};

static tess_status serve(const tess_lab *lab, const serve_options *asked) {
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        FAIL(TESS_ERROR_IO, "the program's own path is unknown: %s", strerror(errno));
    program[length] = '\0';
    json_t *input = json_pack("{s:o, s:o, s:I, s:o}", "lab", tess_json_text(tess_lab_folder(lab)),
                              "program", tess_json_text(program), "port", (json_int_t)asked->port,
                              "titles", tess_titles_json());
    const tess_status status = tess_python_module_run("serve", (const char *const[]){NULL}, input);
    json_decref(input);
    return status;
}

static tess_status serve_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    serve_options asked = {.port = 0};
    tess_lab *lab = NULL;
    CHECK(tess_command_parse(&argp, argc, argv, &asked.common, &asked));
    tess_interrupts_note();
    CHECK(tess_lab_open(asked.lab, false, &lab));
    CHECK(serve(lab, &asked));
done:
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_serve = {
    .name = "serve", .summary = "Show a lab in a browser, live", .run = serve_run};
