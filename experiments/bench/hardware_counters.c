/* Hardware counters: what NVIDIA's profiler, ncu, counts while a GPU runs a loop. */
#include "experiments/bench/hardware_counters.h"

#include "core/base/array.h"
#include "core/base/csv_rows.h"
#include "core/base/process.h"
#include "core/base/stream_text.h"
#include "experiments/archive/import/ncu_number.h"
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the values of several launches become one. */
typedef enum combination {
    SUM,
    MEAN, /* weighted by the time of each launch */
    LARGEST,
} combination;

#define SECTORS "l1tex__t_sectors_pipe_lsu_mem_global_op_"
#define SASS_SECTORS "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_"
#define L2_SECTORS "lts__t_sectors_srcunit_tex_op_"
#define STALLED(reason) "smsp__warp_issue_stalled_" reason "_per_warp_active.pct"
#define FLOPS(kind)                                                                                \
    "smsp__sass_thread_inst_executed_ops_" kind "_pred_on.avg.pct_of_peak_sustained_elapsed"
static const char duration[] = "gpu__time_duration.sum";
static const char threads[] = "launch__block_size";
static const char selected[] = STALLED("selected");

enum { MOST_TERMS = 3 };

/* What is counted of a run under ncu. */
typedef enum { ALL, ALL_BUT_MEMORY, MEMORY } counted_pass;

/* A metric of ours and those of ncu whose sum it is. */
static const struct {
    const char *name, *unit;
    const char *terms[MOST_TERMS];
    combination how;
    double scale;
    bool of_stalls;     /* a share of the time of warps that do not issue */
    const char *opcode; /* the instance of the first term that counts, once a block; NULL: all */
} metrics[] = {
    {"read_sectors", "1", {SECTORS "ld.sum"}, SUM, 1, false, NULL}, /* asynchronous copies among
                                                                       them */
    {"write_sectors", "1", {SECTORS "st.sum"}, SUM, 1, false, NULL},
    /* those of the text: the pipe counts a sector once for each lane that hits the same address */
    {"atomic_sectors", "1", {SASS_SECTORS "red.sum", SASS_SECTORS "atom.sum"}, SUM, 1, false, NULL},
    {"l2_read_sectors", "1", {L2_SECTORS "read.sum"}, SUM, 1, false, NULL},
    {"l2_write_sectors",
     "1",
     {L2_SECTORS "write.sum", L2_SECTORS "red.sum", L2_SECTORS "atom.sum"},
     SUM,
     1,
     false,
     NULL},
    {"dram_read_bytes", "B", {"dram__bytes_read.sum"}, SUM, 1, false, NULL},
    {"dram_write_bytes", "B", {"dram__bytes_write.sum"}, SUM, 1, false, NULL},
    {"shared_bank_conflicts",
     "1",
     {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
     SUM,
     1,
     false,
     NULL},
    {"warp_efficiency",
     "1",
     {"smsp__thread_inst_executed_per_inst_executed.ratio"},
     MEAN,
     1. / 32,
     false,
     NULL},
    {"occupancy_achieved",
     "1",
     {"sm__warps_active.avg.pct_of_peak_sustained_active"},
     MEAN,
     0.01,
     false,
     NULL},
    {"occupancy_theoretical",
     "1",
     {"sm__maximum_warps_per_active_cycle_pct"},
     MEAN,
     0.01,
     false,
     NULL},
    {"stall_sync", "1", {STALLED("barrier"), STALLED("membar")}, MEAN, 1, true, NULL},
    {"stall_data", "1", {STALLED("long_scoreboard")}, MEAN, 1, true, NULL},
    {"stall_throttle", "1", {STALLED("lg_throttle"), STALLED("drain")}, MEAN, 1, true, NULL},
    {"stall_dependency", "1", {STALLED("short_scoreboard"), STALLED("wait")}, MEAN, 1, true, NULL},
    {"flop_efficiency",
     "1",
     {FLOPS("dadd_dmul_dfma"), FLOPS("fadd_fmul_ffma")},
     MEAN,
     0.01,
     false,
     NULL},
    {"barriers", "1", {"sass__inst_executed_per_opcode"}, SUM, 1, false, "BAR"},
    {"registers", "1", {"launch__registers_per_thread"}, LARGEST, 1, false, NULL},
    {"shared_bytes",
     "B",
     {"launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"},
     LARGEST,
     1,
     false,
     NULL},
};

enum { N_METRICS = sizeof metrics / sizeof metrics[0] };
_Static_assert((int)N_METRICS <= (int)TESS_MOST_COUNTERS, "more metrics than there is room for");

/* A cell as a number; NaN where ncu could not count: it then prints nothing, n/a or nan. */
static tess_status read_number(const char *cell, double *out) {
    const bool is_counted = *cell && strcmp(cell, "n/a") != 0 && strcmp(cell, "nan") != 0;
    if (!tess_ncu_number(cell, out)) {
        *out = NAN;
        if (is_counted)
            FAIL(TESS_ERROR_INPUT, "ncu prints '%.60s' where a number is meant", cell);
    }
    return TESS_OK;
}

/* The value of a column in one launch, or NaN. */
static tess_status read_value(const tess_csv *csv, int64_t row, const char *column, double *out) {
    const char *cell = tess_csv_cell(csv, row, column);
    *out = NAN;
    return cell ? read_number(cell, out) : TESS_OK;
}

/* How often the warps of a launch executed an opcode, for each warp of a block: a cell "1,234 (LDS:
 * 1,200; BAR: 34)". None of them is in the list: 0; ncu gives no list: NaN. */
static tess_status read_opcode(const tess_csv *csv, int64_t row, const char *column,
                               const char *opcode, double *out) {
    char digits[64];
    double n_threads = 0;
    const char *cell = tess_csv_cell(csv, row, column);
    const char *list = cell ? strstr(cell, " (") : NULL;
    *out = NAN;
    TRY(read_value(csv, row, threads, &n_threads));
    if (!list || !(n_threads > 0))
        return TESS_OK;
    *out = 0;
    for (const char *entry = list + 2; *entry; entry += strspn(entry, "; ")) {
        const size_t length = strcspn(entry, ";)");
        const size_t name = strcspn(entry, ":;)");
        if (name == strlen(opcode) && strncmp(entry, opcode, name) == 0 && entry[name] == ':') {
            snprintf(digits, sizeof digits, "%.*s", (int)(length - name - 2), entry + name + 2);
            TRY(read_number(digits, out));
            *out /= ceil(n_threads / 32);
        }
        entry += length;
        if (*entry == ')')
            break;
    }
    return TESS_OK;
}

/* The sum of a metric's terms in one launch, scaled; NaN where one of them is missing. */
static tess_status read_launch(const tess_csv *csv, int64_t row, int metric, double *out) {
    *out = 0;
    if (metrics[metric].opcode)
        return read_opcode(csv, row, metrics[metric].terms[0], metrics[metric].opcode, out);
    for (int t = 0; t < MOST_TERMS && metrics[metric].terms[t]; t++) {
        double value = 0;
        TRY(read_value(csv, row, metrics[metric].terms[t], &value));
        *out += value;
    }
    *out *= metrics[metric].scale;
    if (!metrics[metric].of_stalls)
        return TESS_OK;
    double issuing = 0;
    TRY(read_value(csv, row, selected, &issuing));
    *out = issuing < 100 ? *out / (100 - issuing) : NAN;
    return TESS_OK;
}

/* A metric of the launches from a row on. */
static tess_status combine(const tess_csv *csv, int64_t first, int metric, double *out) {
    double sum = 0, largest = -INFINITY, weighted = 0, weights = 0;
    for (int64_t row = first; row < tess_csv_count(csv); row++) {
        double value = 0, weight = 0;
        TRY(read_launch(csv, row, metric, &value));
        TRY(read_value(csv, row, duration, &weight));
        sum += value;
        largest = value > largest ? value : largest;
        weighted += value * weight;
        weights += weight;
    }
    *out = metrics[metric].how == SUM    ? sum
           : metrics[metric].how == MEAN ? weighted / weights
                                         : largest;
    return TESS_OK;
}

/* True of what reaches memory: it depends on what the L2 held before. */
static bool is_of_memory(int metric) {
    return strncmp(metrics[metric].name, "dram_", 5) == 0;
}

static bool is_counted(int metric, counted_pass pass) {
    return pass == ALL || (pass == MEMORY) == is_of_memory(metric);
}

/* Adds the metrics of a pass that are numbers, of the launches from a row on. */
static tess_status add_metrics(const tess_csv *csv, int64_t first, counted_pass pass,
                               tess_hardware_counters *out) {
    for (int m = 0; m < N_METRICS; m++) {
        double value = NAN;
        if (!is_counted(m, pass))
            continue;
        TRY(combine(csv, first, m, &value));
        if (!isfinite(value))
            continue;
        out->values[out->n].name = metrics[m].name;
        out->values[out->n].unit = metrics[m].unit;
        out->values[out->n++].value = value;
    }
    return TESS_OK;
}

/* Reads what ncu prints with --csv --page raw --print-units base. Fails (INPUT) where that is no
 * such text or not a number, (CHECK) where no kernel was profiled, or fewer launches than
 * another pass had. */
static tess_status parse(const char *text, counted_pass pass, tess_hardware_counters *out) {
    tess_status status = TESS_OK;
    tess_csv *csv = NULL;
    const char *head = strncmp(text, "\"ID\"", 4) == 0 ? text : strstr(text, "\n\"ID\"");
    if (!head)
        FAIL(strstr(text, "No kernels were profiled") ? TESS_ERROR_CHECK : TESS_ERROR_INPUT,
             "ncu counted no kernel");
    CHECK(tess_csv_read(*head == '\n' ? head + 1 : head, 1, &csv)); /* behind the units */
    const int n = (int)tess_csv_count(csv);
    if (n == 0)
        CHECK(tess_fail(TESS_ERROR_CHECK, "ncu counted no kernel"));
    if (pass != MEMORY)
        out->n_launches = n;
    if (n < out->n_launches)
        CHECK(tess_fail(TESS_ERROR_CHECK, "ncu counted %d of a loop's %d launches", n,
                        out->n_launches));
    CHECK(add_metrics(csv, n - out->n_launches, pass, out));
done:
    tess_csv_free(csv);
    return status;
}

/* The metrics of ncu for a pass, separated by commas; the caller frees it. */
static tess_status list_metrics(counted_pass pass, char **out) {
    tess_printed list;
    TRY(tess_printed_open(&list));
    const char *comma = "";
    if (pass != MEMORY) {
        fprintf(list.stream, "%s,%s,%s", duration, selected, threads);
        comma = ",";
    }
    for (int m = 0; m < N_METRICS; m++)
        for (int t = 0; is_counted(m, pass) && t < MOST_TERMS && metrics[m].terms[t]; t++) {
            fprintf(list.stream, "%s%s", comma, metrics[m].terms[t]);
            comma = ",";
        }
    return tess_printed_close(&list, TESS_OK, out);
}

/* Starts ncu, found in PATH where it is a bare name, with its output and its errors in `output`. */
static int start(const char *ncu, char *const *argv, int output, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    const int error = posix_spawnp(pid, ncu, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static tess_status start_somewhere(char *const *argv, int output, pid_t *pid) {
    const char *chosen = getenv("NCU");
    const char *const programs[] = {chosen && *chosen ? chosen : "ncu", "/usr/local/cuda/bin/ncu"};
    int error = start(programs[0], argv, output, pid);
    if (error == ENOENT && !(chosen && *chosen))
        error = start(programs[1], argv, output, pid);
    if (error)
        FAIL(TESS_ERROR_MISSING,
             "the counters of the hardware are read by ncu, and %s cannot be started (%s): install "
             "Nsight Compute, or set NCU to its path",
             programs[0], strerror(error));
    return TESS_OK;
}

/* What was written into a memory file, as a text that the caller frees. */
static tess_status read_output(int output, char **out) {
    struct stat about;
    if (fstat(output, &about) != 0)
        FAIL(TESS_ERROR_IO, "ncu's output cannot be read: %s", strerror(errno));
    TRY(TESS_ZEROS(about.st_size + 1, out));
    if (pread(output, *out, (size_t)about.st_size, 0) != about.st_size)
        FAIL(TESS_ERROR_IO, "ncu's output cannot be read: %s", strerror(errno));
    return TESS_OK;
}

/* The line of a text that tells best what went wrong, and its length. */
static const char *telling_line(const char *text, int *length) {
    const char *line = strstr(text, "==ERROR==");
    const char *ours = strstr(text, "tess: error:");
    if (ours)
        line = ours;
    if (!line) {
        line = text + strlen(text);
        while (line > text && line[-1] == '\n')
            line--;
        while (line > text && line[-1] != '\n')
            line--;
    }
    *length = (int)strcspn(line, "\n");
    return line;
}

static tess_status judge(const char *text, int wait_status) {
    int length = 0;
    const char *line = telling_line(text, &length);
    if (strstr(text, "ERR_NVGPUCTRPERM"))
        FAIL(TESS_ERROR_MISSING,
             "this user may not read the counters of the GPU (ERR_NVGPUCTRPERM): run as root, or "
             "load the NVIDIA module with NVreg_RestrictProfilingToAdminUsers=0");
    if (WIFSIGNALED(wait_status))
        FAIL(TESS_ERROR_CHECK, "ncu was ended by %s", strsignal(WTERMSIG(wait_status)));
    if (WEXITSTATUS(wait_status) != 0)
        FAIL(TESS_ERROR_CHECK, "ncu ended with exit code %d: %.*s", WEXITSTATUS(wait_status),
             length < 300 ? length : 300, line);
    return TESS_OK;
}

/* Runs ncu and gives what it printed. */
static tess_status run_ncu(char *const *argv, char **out) {
    tess_status status = TESS_OK;
    pid_t pid = 0;
    int wait_status = 0;
    const int output = memfd_create("tess-ncu-output", MFD_CLOEXEC);
    if (output < 0)
        FAIL(TESS_ERROR_MEMORY, "no memory for ncu's output: %s", strerror(errno));
    CHECK(start_somewhere(argv, output, &pid));
    CHECK(tess_process_wait(pid, &wait_status));
    CHECK(read_output(output, out));
    CHECK(judge(*out, wait_status));
done:
    close(output);
    return status;
}

/* Adds what ncu counts of a command in a pass. */
static tess_status count(char *const *command, bool cold, counted_pass pass,
                         tess_hardware_counters *out) {
    tess_status status = TESS_OK;
    char *names = NULL, *text = NULL;
    char **argv = NULL;
    char *const options[] = {"ncu",
                             "--csv",
                             "--page",
                             "raw",
                             "--print-units",
                             "base",
                             "--print-metric-instances",
                             "details",
                             "--clock-control",
                             "none",
                             "--cache-control",
                             cold ? "all" : "none",
                             "--metrics"};
    enum { N_OPTIONS = sizeof options / sizeof options[0] };
    int n = 0;
    while (command[n])
        n++;
    CHECK(list_metrics(pass, &names));
    CHECK(TESS_ZEROS(N_OPTIONS + n + 2, &argv));
    memcpy(argv, options, sizeof options);
    argv[N_OPTIONS] = names;
    memcpy(argv + N_OPTIONS + 1, command, (size_t)n * sizeof *command);
    CHECK(run_ncu(argv, &text));
    CHECK(parse(text, pass, out));
done:
    free(argv);
    free(text);
    free(names);
    return status;
}

tess_status tess_hardware_counters_read(char *const *once, char *const *warm,
                                        tess_hardware_counters *out) {
    *out = (tess_hardware_counters){.n = 0};
    TRY(count(once, !warm, warm ? ALL_BUT_MEMORY : ALL, out));
    return warm ? count(warm, false, MEMORY, out) : TESS_OK;
}
