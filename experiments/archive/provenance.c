/* Provenance: where and with what a run is made. */
#include "experiments/archive/provenance.h"

#include "core/base/shell_word.h"
#include "core/base/stream_text.h"
#include "tess_build.h"
#include "tess_commit.h"
#include <hdf5.h>
#include <omp.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Gives the text behind "key<separator>" of the first such line of a file of the system, without
 * quotes, or "". */
static void text_of_file(const char *path, const char *key, char separator, char *out,
                         size_t size) {
    out[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    char line[512];
    const size_t length = strlen(key);
    while (fgets(line, sizeof line, file)) {
        const char *text = strchr(line, separator);
        if (!text || strncmp(line, key, length) != 0)
            continue;
        text += 1 + strspn(text + 1, " \t\"");
        snprintf(out, size, "%.*s", (int)strcspn(text, "\"\n"), text);
        break;
    }
    fclose(file);
}

tess_status tess_typed_command(int argc, char *const *argv, char **out) {
    tess_printed line;
    TRY(tess_printed_open(&line));
    if (argc > 0) /* the program itself may be two words: tess partition */
        fputs(argv[0], line.stream);
    for (int i = 1; i < argc; i++) {
        fputc(' ', line.stream);
        tess_shell_word_print(argv[i], line.stream);
    }
    return tess_printed_close(&line, TESS_OK, out);
}

static tess_status take_command(int argc, char *const *argv, tess_values *environment) {
    tess_status status = TESS_OK;
    char *command = NULL;
    char folder[4096];
    CHECK(tess_typed_command(argc, argv, &command));
    CHECK(tess_values_set_text(environment, "command", command));
    CHECK(tess_values_set_text(environment, "folder", getcwd(folder, sizeof folder) ? folder : ""));
done:
    free(command);
    return status;
}

static tess_status take_machine(tess_values *environment) {
    char text[512];
    struct utsname system;
    if (uname(&system) == 0) {
        TRY(tess_values_set_text(environment, "host", system.nodename));
        snprintf(text, sizeof text, "%s %s %s", system.sysname, system.release, system.machine);
        TRY(tess_values_set_text(environment, "kernel", text));
    }
    text_of_file("/etc/os-release", "PRETTY_NAME", '=', text, sizeof text);
    TRY(tess_values_set_text(environment, "system", text));
    text_of_file("/proc/cpuinfo", "model name", ':', text, sizeof text);
    TRY(tess_values_set_text(environment, "cpu", text));
    text_of_file("/proc/cpuinfo", "cpu MHz", ':', text, sizeof text);
    if (*text)
        TRY(tess_values_set_number(environment, "cpu_clock", strtod(text, NULL), "MHz"));
    TRY(tess_values_set_number(environment, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN), "1"));
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    TRY(tess_values_set_number(environment, "memory", memory, "B"));
    double load = 0;
    if (getloadavg(&load, 1) == 1)
        TRY(tess_values_set_number(environment, "load", load, "1"));
    return TESS_OK;
}

/* What the environment asks of OpenMP, and the threads that it takes: times of the host depend on
 * both. */
static tess_status take_threads(tess_values *environment) {
    static const char *const variables[] = {
        "OMP_NUM_THREADS",  "OMP_PROC_BIND",     "OMP_PLACES",
        "OMP_SCHEDULE",     "OMP_WAIT_POLICY",   "OMP_DYNAMIC",
        "OMP_THREAD_LIMIT", "GOMP_CPU_AFFINITY", "GOMP_SPINCOUNT"};
    TRY(tess_values_set_number(environment, "omp_threads", omp_get_max_threads(), "1"));
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            TRY(tess_values_set_text(environment, variables[i], value));
    }
    return TESS_OK;
}

static tess_status take_program(tess_values *environment) {
    TRY(tess_values_set_text(environment, "program", "tess " TESS_BUILD_VERSION));
    TRY(tess_values_set_text(environment, "commit", TESS_COMMIT));
    TRY(tess_values_set_text(environment, "commit_clean",
                             sizeof tess_commit_diff > 1 ? "no" : "yes"));
    TRY(tess_values_set_text(environment, "compiler", TESS_BUILD_COMPILER " " __VERSION__));
    TRY(tess_values_set_text(environment, "flags", TESS_BUILD_FLAGS));
    unsigned major = 0, minor = 0, release = 0;
    char text[64];
    H5get_libversion(&major, &minor, &release);
    snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
    TRY(tess_values_set_text(environment, "hdf5", text));
    return tess_values_set_text(environment, "openssl", OpenSSL_version(OPENSSL_VERSION_STRING));
}

tess_status tess_provenance_take(int argc, char *const *argv, tess_values *environment,
                                 char **diff) {
    TRY(take_command(argc, argv, environment));
    TRY(take_machine(environment));
    TRY(take_threads(environment));
    TRY(take_program(environment));
    return tess_redact_home((const char *)tess_commit_diff, diff);
}
