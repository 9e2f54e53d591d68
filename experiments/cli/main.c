/* The program `tess`: finds the command, runs it and turns its status into words and exit code. */
#include "core/base/interrupt.h"
#include "core/base/plain_text.h"
#include "experiments/cli/command.h"
#include "experiments/cli/help/help_page.h"
#include "experiments/cli/page_compiler.h"
#include "experiments/report/progress_line.h"
#include "kernels/devices/cuda/nvrtc_process.h"
#include "kernels/devices/disk_cache.h"

#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_BYTES = 1 << 25 };

static const char doc[] =
    "Loops over unstructured meshes on GPUs: any partitioner with any kernel strategy on any\n"
    "mesh, every run checked and archived, and the thread blocks shown in ParaView.\n";

static void print_help(FILE *stream) {
    fprintf(stream, "Usage: tess COMMAND [OPTION...]\n%s\n", doc);
    for (const tess_command *const *command = tess_commands(); *command; command++)
        fprintf(stream, "  %-12s%s\n", (*command)->name, (*command)->summary);
    fputs("\nWhat a command takes: tess COMMAND --help. Results go to stdout, the rest to stderr.\n"
          "Exit codes: 0 done, 1 a check, comparison or run failed, 2 wrong usage, 3 bad input,\n"
          "4 something is missing on this machine, 130 interrupted.\n",
          stream);
}

static bool is(const char *word, const char *other) {
    return strcmp(word, other) == 0;
}

/* Answers a command line that asks of the program itself, or has no command. */
static tess_status answer(int argc, char **argv, bool *is_command) {
    *is_command = false;
    if (argc < 2) {
        print_help(stderr);
        FAIL(TESS_ERROR_USAGE, "a command is missing");
    }
    if (is(argv[1], "--version") || is(argv[1], "-V")) {
        puts("tess " TESS_VERSION);
        return TESS_OK;
    }
    const bool help = tess_command_asks_help(argv[1]) || is(argv[1], "help");
    if (help && argc == 2) {
        print_help(stdout);
        return TESS_OK;
    }
    if (help) {
        char *asked[] = {argv[0], argv[2], (char[]){"--help"}, NULL};
        return tess_command_dispatch("tess", tess_commands(), 3, asked);
    }
    if (argc == 2 && tess_help_form(argc, argv))
        return tess_command_help(tess_help_form(argc, argv), "tess", doc, tess_commands());
    if (argv[1][0] == '-')
        FAIL(TESS_ERROR_USAGE, "the command comes first: tess COMMAND %s; see 'tess --help'",
             argv[1]);
    *is_command = true;
    return TESS_OK;
}

/* Says where compiled pages are, where that is not where one looks. */
static void tell_of_cache(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (is(argv[i], "--quiet"))
            return;
    const char *tmp = getenv("TMPDIR"), *home = getenv("HOME");
    if (tess_cache_is_temporary())
        fprintf(stderr,
                "tess: HOME %s: what was compiled is kept in %s (TESS_CACHE names another place)\n",
                home && home[0] ? "cannot be written" : "is not set", tmp && tmp[0] ? tmp : "/tmp");
}

int main(int argc, char **argv) {
    /* HDF5 takes half a megabyte for each file it opens: given back to the system and fetched
     * again, that costs more than reading a run. */
    mallopt(M_MMAP_THRESHOLD, KEEP_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEEP_BYTES);
    if (tess_page_compiler_asked(argc, argv))
        return tess_status_exit_code(tess_page_compiler_run(argc, argv));
    tess_nvrtc_allow_processes();
    setlocale(LC_CTYPE, ""); /* for the width of characters in tables; numbers keep their point */
    bool is_command = false;
    tess_status status = answer(argc, argv, &is_command);
    if (is_command)
        status = tess_command_dispatch("tess", tess_commands(), argc, argv);
    tess_progress_line_close();
    tell_of_cache(argc, argv);
    if (status != TESS_ERROR_INTERRUPTED && tess_interrupted()) /* whatever came of it */
        status = tess_interrupt_check();
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == TESS_OK)
        status = tess_fail(TESS_ERROR_IO, "the output cannot be written to stdout%s%s",
                           errno ? ": " : "", errno ? strerror(errno) : "");
    if (status != TESS_OK)
        tess_plain_print(stderr, "tess: error: %s\n", tess_message());
    if (status == TESS_ERROR_INTERRUPTED)
        tess_interrupts_leave(true);
    return tess_status_exit_code(status);
}
