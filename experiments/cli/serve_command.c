/* The command `tess serve`: the page of a lab, live while the lab grows. */
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/plan/quantity.h"
#include "experiments/archive/lab.h"
#include "experiments/cli/command.h"
#include "experiments/report/python_module.h"

typedef struct serve_options {
    tess_common common;
    const char *lab;
    int64_t port;
} serve_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(serve_options, lab)},
    {"port", 0, "N", "Listen on this port (default: one that is free)",
     TESS_KEPT(serve_options, port), .least = 0, .most = 65535},
    {TESS_KEPT(serve_options, lab), .refusal = "'tess serve' shows one lab, not '%s', too"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "[LAB]",
    .doc = "Show a lab in a browser of this machine, live while runs come in: the page of 'tess "
           "report'.\v"
           "  tess serve\n"
           "  tess serve /data/lab --port 8080\n\n"
           "The address that it prints holds a secret: who does not have it sees nothing. It "
           "listens on the loopback address only; from elsewhere, ssh -L leads to it. The lab is "
           "only read. Ctrl-C ends it."};

static tess_status serve(const tess_lab *lab, const serve_options *asked) {
    char program[PATH_MAX];
    TRY(tess_own_program(program));
    json_t *input = json_pack("{s:o, s:o, s:I, s:o}", "lab", tess_json_text(tess_lab_folder(lab)),
                              "program", tess_json_text(program), "port", (json_int_t)asked->port,
                              "titles", tess_titles_json());
    const tess_status status =
        tess_python_module_run("serve", (const char *const[]){NULL}, input, NULL);
    json_decref(input);
    return status;
}

static tess_status serve_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    serve_options asked = {.port = 0};
    tess_lab *lab = NULL;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    tess_interrupts_note();
    CHECK(tess_lab_open(asked.lab, false, &lab));
    CHECK(serve(lab, &asked));
done:
    if (status == TESS_ERROR_INTERRUPTED) { /* how it is ended */
        tess_interrupts_forget();
        status = TESS_OK;
    }
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_serve = {
    .name = "serve", .summary = "Show a lab in a browser, live", .run = serve_run};
