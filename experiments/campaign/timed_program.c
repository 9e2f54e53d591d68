/* A timed program: another program's time, for a record beside runs of our own. */
#include "experiments/campaign/timed_program.h"

#include "core/base/byte_order_mark.h"
#include "core/base/clock.h"
#include "core/base/process.h"
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static tess_status add_seconds(tess_record *record, double seconds) {
    return tess_record_add_sample(record, "time", "s", seconds);
}

/* Fails with why and the end of what the program printed. */
static tess_status fail_of(const tess_timed_program *asked, tess_status as, const char *why,
                           FILE *printed) {
    char tail[600];
    tess_process_tail(printed, tail, sizeof tail);
    FAIL(as, "%s %s%s%s", asked->argv[0], why, *tail ? "; it printed last:\n" : "", tail);
}

/* Reads the seconds of the last line that matches; NaN where none does. */
static double seconds_printed(const regex_t *pattern, FILE *printed) {
    double seconds = NAN;
    char *line = NULL;
    size_t capacity = 0;
    rewind(printed);
    while (getline(&line, &capacity, printed) > 0) {
        regmatch_t found[2];
        if (regexec(pattern, line, 2, found, 0) != 0 || found[1].rm_so < 0)
            continue;
        char *end = NULL;
        const double value = strtod(line + found[1].rm_so, &end);
        if (end == line + found[1].rm_eo && value > 0)
            seconds = value;
    }
    free(line);
    return seconds;
}

static tess_status run_once(const tess_timed_program *asked, const regex_t *pattern,
                            double *seconds) {
    tess_status status = TESS_OK;
    int ended = 0;
    FILE *printed = tmpfile();
    if (!printed)
        FAIL(TESS_ERROR_IO, "no file for what %s prints: %s", asked->argv[0], strerror(errno));
    const double began = tess_clock_seconds();
    CHECK(tess_process_run(
        &(tess_process_call){
            .program = asked->argv[0], .argv = asked->argv, .output = printed, .errors = printed},
        &ended));
    *seconds = tess_clock_seconds() - began;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 127) /* as a shell that does not find a program */
        CHECK(fail_of(asked, TESS_ERROR_MISSING, "lacks a program (it ended with 127)", printed));
    if (WIFSIGNALED(ended) || WEXITSTATUS(ended) != 0) {
        char why[64];
        snprintf(why, sizeof why, WIFSIGNALED(ended) ? "was ended by signal %d" : "ended with %d",
                 WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended));
        CHECK(fail_of(asked, TESS_ERROR_CHECK, why, printed));
    }
    if (pattern)
        *seconds = seconds_printed(pattern, printed);
    if (isnan(*seconds))
        CHECK(
            fail_of(asked, TESS_ERROR_CHECK, "prints no seconds that the pattern finds", printed));
done:
    fclose(printed);
    return status;
}

tess_status tess_timed_program_run(const tess_timed_program *asked, tess_record *record) {
    tess_status status = TESS_OK;
    regex_t pattern;
    if (asked->pattern && regcomp(&pattern, asked->pattern, REG_EXTENDED | REG_NEWLINE) != 0)
        FAIL(TESS_ERROR_USAGE, "'%s' is no extended regular expression", asked->pattern);
    if (asked->pattern && pattern.re_nsub < 1)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "'%s' has no group, as in 'took ([0-9.]+) s', that says where the seconds "
                        "are",
                        asked->pattern));
    for (int64_t i = -asked->warm_up; i < asked->samples; i++) {
        double seconds = 0;
        CHECK(run_once(asked, asked->pattern ? &pattern : NULL, &seconds));
        if (i >= 0)
            CHECK(add_seconds(record, seconds));
    }
done:
    if (asked->pattern)
        regfree(&pattern);
    return status;
}

tess_status tess_timed_seconds_read(const char *path, tess_record *record) {
    tess_status status = TESS_OK;
    char *line = NULL;
    size_t capacity = 0;
    int64_t n = 0;
    const bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "r");
    if (!file)
        FAIL(TESS_ERROR_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    tess_stream_pass_mark(file);
    for (int64_t at = 1; getline(&line, &capacity, file) > 0; at++) {
        line[strcspn(line, "#\n")] = '\0';
        char *end = NULL;
        const double seconds = strtod(line, &end);
        const bool is_empty = line[strspn(line, " \t\r")] == '\0';
        if (!is_empty &&
            (end == line || end[strspn(end, " \t\r")] || !isfinite(seconds) || seconds <= 0))
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s:%lld: '%.40s' is no time: seconds, one a line",
                            path, (long long)at, line));
        if (!is_empty)
            CHECK(add_seconds(record, seconds));
        n += !is_empty;
    }
    if (n == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s holds no time: seconds, one a line", path));
done:
    free(line);
    if (!is_input)
        fclose(file);
    return status;
}
