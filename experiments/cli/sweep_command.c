/* The command `tess sweep`: makes the runs that a recipe describes and a lab lacks. */
#include "core/base/argument.h"
#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "experiments/campaign/sweep_job.h"
#include "experiments/cli/command.h"
#include "experiments/report/sweep_progress.h"
#include "experiments/report/sweep_report.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_TASKS = 100000, MOST_JOB_OPTIONS = 32, MOST_MESH_FOLDERS = 16 };

static const char doc[] =
    "Make the runs that a recipe describes. What the lab has is not made again, so the same "
    "command carries on after an interruption, and any number of sweeps may work on one lab.\v"
    "A recipe in short:\n"
    "  sweep: blocks\n"
    "  axes:\n"
    "    mesh: [wing.su2, \"tris:nx=100:ny=80\"]\n"
    "    map: edges:cells            (or application: airfoil and strategy: [...])\n"
    "    partitioner: [rcb, metis]\n"
    "    block_size: [128, 256]\n"
    "  skip: [partitioner = metis and block_size > 128]\n"
    "  repetitions: 1\n"
    "All that it can hold: experiments/recipes/README.md.\n\n"
    "A point that fails is archived with its reason and not made again unless --retry-failed; one "
    "that does not fit is skipped and its reason printed.\n\n"
    "Examples:\n"
    "  tess sweep blocks.yaml --dry-run\n"
    "  tess sweep blocks.yaml --shard 1/2\n"
    "  tess sweep blocks.yaml --slurm 16 --submit-option=--time=1:00:00\n"
    "  tess sweep blocks.yaml --submit print --tasks 4 | parallel";

typedef struct sweep_options {
    tess_common common;
    const char *file, *subset, *lab, *launcher;
    int64_t shard_at, n_shards; /* 0: all */
    bool then_others;           /* behind the shard */
    int system;                 /* tess_batch_system */
    int64_t n_tasks;            /* 0: no array job */
    int n_job_options, n_mesh_folders;
    const char *job_options[MOST_JOB_OPTIONS];
    const char *mesh_folders[MOST_MESH_FOLDERS];
    double memory;
    bool dry_run, retry_failed, strict, view, no_view, fresh, allow_exec;
} sweep_options;

static tess_status read_shard(const char *option, const char *text, void *options) {
    sweep_options *into = options;
    const char *slash = strchr(text, '/');
    char first[24];
    if (!slash || slash - text >= (int)sizeof first)
        FAIL(TESS_ERROR_USAGE, "--%s: '%s' is no I/N, say 1/4", option, text);
    snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    TRY(tess_argument_integer(option, slash + 1, 1, MOST_TASKS, &into->n_shards));
    return tess_argument_integer(option, first, 1, into->n_shards, &into->shard_at);
}

static tess_status read_share(const char *option, const char *text, void *options) {
    sweep_options *into = options;
    into->then_others = true;
    return read_shard(option, text, options);
}

static const tess_option_row rows[] = {
    {"subset", 0, "NAME", "Only the recipe's subset of this name", 1,
     TESS_KEPT(sweep_options, subset)},
    {"dry-run", 0, NULL,
     "Run nothing: print the commands of the points that are missing, one a line", 1,
     TESS_KEPT(sweep_options, dry_run)},
    {"retry-failed", 0, NULL, "Make the points again that failed", 1,
     TESS_KEPT(sweep_options, retry_failed)},
    {"strict", 0, NULL,
     "Fail when a point is skipped that the recipe does not list under known_skips", 1,
     TESS_KEPT(sweep_options, strict)},
    {"allow-exec", 0, NULL,
     "Execute the code that the recipe names, be it partitioners (exec, python) or kernels: read "
     "it first where the recipe is somebody else's",
     1, TESS_KEPT(sweep_options, allow_exec)},
    {"shard", 0, "I/N", "Only the Ith of N parts, say 1/4", 2, .read = read_shard},
    {"share", 0, "I/N", "Begin with the Ith of N parts, then help with the others", 2,
     .read = read_share},
    {"tasks", 0, "N",
     "Write and submit an array job of N tasks, which share what is left; with --dry-run: print it",
     2, TESS_KEPT(sweep_options, n_tasks), .least = 1, .most = MOST_TASKS},
    {"submit", 0, "SYSTEM",
     "What takes the job: slurm, pbs, sge, or print: the commands of the tasks (default: slurm)", 2,
     TESS_KEPT_CHOICE(sweep_options, system, tess_batch_system_names)},
    {"slurm", 0, "N", "The same as --submit slurm --tasks N", 2, TESS_KEPT(sweep_options, n_tasks),
     .least = 1, .most = MOST_TASKS},
    {"submit-option", 0, "OPTION",
     "An option of the job, say --submit-option=--time=1:00:00; may be given many times", 2,
     TESS_KEPT_LIST(sweep_options, job_options, n_job_options),
     .refusal = "at most %d options of a job"},
    {"launcher", 0, "CMD",
     "What starts the processes of points with engine mpi or nccl, say 'srun --mpi=pmix' (default: "
     "srun in a job of Slurm, else mpiexec)",
     2, TESS_KEPT(sweep_options, launcher)},
    {"meshes", 0, "DIR", "Look for mesh files in this folder, too; may be given many times", 3,
     TESS_KEPT_LIST(sweep_options, mesh_folders, n_mesh_folders),
     .refusal = "at most %d folders of meshes"},
    {"lab", 'l', "DIR", "Archive in this folder (default: $TESS_LAB, else ./lab)", 3,
     TESS_KEPT(sweep_options, lab)},
    {"memory", 0, "GIB",
     "Memory of the device that runs which are timed in turns may hold, as in tess run: less where "
     "several sweeps work on one GPU",
     3, TESS_KEPT(sweep_options, memory)},
    {"view", 0, NULL, "Write each plan's file for ParaView now; else the first tess view does", 3,
     TESS_KEPT(sweep_options, view)},
    {"no-view", .hidden = true, TESS_KEPT(sweep_options, no_view)}, /* of 0.1 */
    {"ignore-cache", 0, NULL, "Take no blocks that an earlier run of the lab left", 3,
     TESS_KEPT(sweep_options, fresh)},
    {"fresh", .hidden = true, TESS_KEPT(sweep_options, fresh)}, /* of 0.2 */
    {TESS_KEPT(sweep_options, file), .refusal = "one recipe at a time, not '%s' besides"},
    {0}};

/* Fewer tasks than asked for, where less is left or the system takes no more. */
static tess_status count_tasks(const sweep_options *asked, const tess_sweep *sweep, int64_t *n) {
    bool *is_left = NULL;
    TRY(TESS_ALLOC(sweep->points->n, &is_left));
    for (int64_t i = 0; i < sweep->points->n; i++)
        is_left[i] = sweep->results[i].state == TESS_POINT_LEFT;
    const int64_t left = tess_sweep_points_families(sweep->points, is_left);
    free(is_left);
    const int64_t most = tess_batch_system_most_tasks(asked->system);
    *n = asked->n_tasks < left ? asked->n_tasks : left;
    if (*n < asked->n_tasks && !asked->common.quiet)
        fprintf(stderr, "tess: %lld tasks are enough for what is left\n", (long long)*n);
    if (*n > most && !asked->common.quiet)
        fprintf(stderr, "tess: %lld tasks and not %lld: the system takes no more (MaxArraySize)\n",
                (long long)most, (long long)*n);
    *n = *n < most ? *n : most;
    return TESS_OK;
}

/* The most processes that a point which is left is divided among. */
static int64_t count_processes(const tess_sweep *sweep) {
    int64_t most = 1;
    for (int64_t i = 0; i < sweep->points->n; i++) {
        const char *const *value = sweep->points->items[i].value;
        const char *engine = value[TESS_FIELD_engine], *ranks = value[TESS_FIELD_ranks];
        if (sweep->results[i].state != TESS_POINT_LEFT || !ranks || !engine || !*engine ||
            strcmp(engine, "local") == 0)
            continue;
        const int64_t n = strtoll(ranks, NULL, 10);
        most = n > most ? n : most;
    }
    return most;
}

static tess_status submit(const sweep_options *asked, const tess_sweep *sweep) {
    int64_t n_tasks = 0;
    TRY(count_tasks(asked, sweep, &n_tasks));
    if (n_tasks == 0)
        return TESS_OK;
    const char *lab = asked->lab ? asked->lab : getenv("TESS_LAB");
    const char *words[14 + 2 * MOST_MESH_FOLDERS] = {asked->file, "--quiet"};
    int n = 2;
    if (lab) {
        words[n++] = "--lab";
        words[n++] = lab;
    }
    if (asked->subset) {
        words[n++] = "--subset";
        words[n++] = asked->subset;
    }
    if (asked->launcher) {
        words[n++] = "--launcher";
        words[n++] = asked->launcher;
    }
    for (int i = 0; i < asked->n_mesh_folders; i++) {
        words[n++] = "--meshes";
        words[n++] = asked->mesh_folders[i];
    }
    if (asked->retry_failed)
        words[n++] = "--retry-failed";
    if (asked->strict)
        words[n++] = "--strict";
    if (asked->view)
        words[n++] = "--view";
    if (asked->fresh)
        words[n++] = "--ignore-cache";
    if (asked->allow_exec)
        words[n++] = "--allow-exec";
    const tess_sweep_job job = {.system = asked->system,
                                .recipe = sweep->recipe,
                                .n_tasks = n_tasks,
                                .n_processes = count_processes(sweep),
                                .n_options = asked->n_job_options,
                                .options = asked->job_options,
                                .argc = n,
                                .argv = words};
    return asked->dry_run ? tess_sweep_job_print(&job, stdout) : tess_sweep_job_submit(&job);
}

/* Opens the lab; a dry run makes none, nor does a job's submission. */
static tess_status open_lab(const sweep_options *asked, tess_lab **out) {
    const bool makes = !asked->dry_run && asked->n_tasks == 0;
    const tess_status status = tess_lab_open(asked->lab, makes, out);
    return !makes && status == TESS_ERROR_INPUT ? TESS_OK : status;
}

static tess_status report(const sweep_options *asked, const tess_sweep *sweep) {
    if (!asked->common.quiet)
        TRY(tess_sweep_reasons_print(sweep, stderr));
    if (sweep->points->n == 0 && !asked->common.quiet)
        fprintf(stderr, "tess: warning: no points: the rules of %s (only, skip) leave none%s\n",
                asked->file, asked->n_shards ? ", or --shard does" : "");
    if (asked->common.json)
        return tess_json_print(tess_sweep_report_json(sweep));
    if (asked->dry_run)
        TRY(tess_sweep_commands_print(sweep, stdout));
    return tess_sweep_report_print(sweep, asked->dry_run ? stderr : stdout);
}

/* What the command's status says of the points. */
static tess_status verdict(const sweep_options *asked, const tess_sweep *sweep) {
    const int64_t n_before = tess_sweep_count(sweep, TESS_POINT_FAILED_BEFORE);
    const int64_t n_failed = n_before + tess_sweep_count(sweep, TESS_POINT_FAILED);
    const int64_t n_unknown = tess_sweep_unknown_skips(sweep);
    if (n_failed)
        FAIL(TESS_ERROR_CHECK,
             "%lld of %lld points failed; --retry-failed makes them again, 'tess runs -w \"outcome "
             "= failed\"' lists them",
             (long long)n_failed, (long long)sweep->points->n);
    if (asked->strict && n_unknown)
        FAIL(TESS_ERROR_CHECK, "%lld point%s skipped that %s does not list under known_skips",
             (long long)n_unknown, n_unknown == 1 ? " was" : "s were", asked->file);
    return TESS_OK;
}

static tess_status make(const sweep_options *asked, tess_sweep *sweep) {
    TRY(open_lab(asked, &sweep->options.bench.lab));
    tess_interrupts_note();
    TRY(tess_sweep_begin(sweep));
    if (asked->n_tasks)
        return submit(asked, sweep);
    if (asked->dry_run)
        return report(asked, sweep);
    tess_progress_begin("points");
    const tess_status made = tess_sweep_run(sweep);
    tess_progress_end();
    if (made != TESS_OK && made != TESS_ERROR_INTERRUPTED)
        return made;
    TRY(report(asked, sweep));
    if (sweep->elsewhere && !asked->common.quiet)
        fprintf(stderr, "tess: %lld point%s left to other sweeps of this lab\n",
                (long long)sweep->elsewhere, sweep->elsewhere == 1 ? " is" : "s are");
    if (made == TESS_ERROR_INTERRUPTED)
        FAIL(made, "interrupted; %lld points are finished and kept, the same command carries on",
             (long long)(sweep->points->n - tess_sweep_count(sweep, TESS_POINT_LEFT)));
    return verdict(asked, sweep);
}

/* Who writes a recipe may have it execute anything: whoever sweeps it must have agreed. */
static tess_status check_exec(const sweep_options *asked, const tess_recipe *recipe) {
    if (!recipe->runs_code || asked->allow_exec || asked->dry_run)
        return TESS_OK;
    return tess_yaml_fail(recipe->yaml, recipe->runs_code,
                          "the recipe names code that would be executed here: read it ('tess sweep "
                          "--dry-run' prints the commands), then say --allow-exec");
}

/* Fails where what is asked for does not go together. */
static tess_status check_asked(const sweep_options *asked) {
    if (!asked->file)
        FAIL(TESS_ERROR_USAGE, "name a recipe: tess sweep FILE.yaml");
    if (asked->n_tasks && asked->n_shards)
        FAIL(TESS_ERROR_USAGE, "the tasks share by themselves: leave --shard and --share out");
    if (!asked->n_tasks && (asked->system >= 0 || asked->n_job_options))
        FAIL(TESS_ERROR_USAGE, "say how many tasks the job has: --tasks N");
    for (int i = 0; i < asked->n_job_options; i++)
        if (strchr(asked->job_options[i], '\n'))
            FAIL(TESS_ERROR_USAGE, "--submit-option is one line, not '%s'", asked->job_options[i]);
    for (int i = 0; i < asked->n_mesh_folders; i++)
        if (!tess_is_folder(asked->mesh_folders[i]))
            FAIL(TESS_ERROR_USAGE, "--meshes: there is no folder %s", asked->mesh_folders[i]);
    return TESS_OK;
}

static tess_status run(int argc, char **argv) {
    static const tess_usage usage = {
        .options = rows,
        .args_doc = "FILE.yaml",
        .doc = doc,
        .typed = "allow-exec,dry-run,memory,meshes,retry-failed,shard,slurm,submit,subset,tasks"};
    tess_status status = TESS_OK;
    sweep_options asked = {.system = -1};
    tess_recipe *recipe = NULL;
    tess_sweep_points *points = NULL;
    tess_sweep sweep = {.show = tess_sweep_progress_show};
    TRY(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    TRY(check_asked(&asked));
    asked.system = asked.system < 0 ? TESS_BATCH_SLURM : asked.system;
    CHECK(tess_recipe_read(asked.file, asked.subset, &recipe));
    CHECK(check_exec(&asked, recipe));
    recipe->n_mesh_folders = asked.n_mesh_folders;
    recipe->mesh_folders = asked.mesh_folders;
    CHECK(tess_sweep_points_build(recipe, &points));
    if (asked.n_shards)
        CHECK(tess_sweep_points_shard(points, asked.shard_at, asked.n_shards, asked.then_others));
    sweep.recipe = recipe;
    sweep.points = points;
    sweep.launcher = asked.launcher;
    sweep.retry_failed = asked.retry_failed;
    sweep.quiet = asked.common.quiet;
    sweep.options = (tess_campaign_options){
        .bench = {.argc = argc, .argv = argv, .fresh = asked.fresh, .view = asked.view},
        .memory = asked.memory};
    status = make(&asked, &sweep);
done:
    tess_sweep_clear(&sweep);
    tess_lab_close(sweep.options.bench.lab);
    tess_sweep_points_free(points);
    tess_recipe_free(recipe);
    return status;
}

const tess_command tess_command_sweep = {
    .name = "sweep",
    .summary = "Make the runs that a recipe describes and a lab lacks",
    .run = run};
