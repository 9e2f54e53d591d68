/* The command `tess view`: runs over their mesh, in ParaView or as a picture. */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "experiments/archive/run_names.h"
#include "experiments/archive/view_file.h"
#include "experiments/cli/command.h"
#include "experiments/report/in_situ/picture_option.h"
#include "viz/paraview.h"
#include "viz/paraview_macros.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct view_options {
    tess_common common;
    const char *lab, *png, *film, *window, *cut;
    bool install, state;
    int64_t n_names, n_arguments, names_capacity, arguments_capacity;
    tess_run_ids runs; /* that the names mean */
    const char **names;
    const char **arguments; /* of view.py, copied where they were put together; owned */
} view_options;

static const char doc[] =
    "Show the blocks of runs over their mesh: opens ParaView, or renders a picture with --png. The "
    "view file it writes, in lab/views, opens in any ParaView from 5.11 on.\v"
    "RUN is the beginning of a run's id, @last, @last~N, or tag:NAME (all that have it).\n\n"
    "Examples:\n"
    "  tess view @last\n"
    "  tess view @last --png blocks.png --explode 0.2\n"
    "  tess view @last~1 @last --side-by-side --colour reuse --png reuse.png\n"
    "  tess view @last --block 7 --png block.png\n"
    "  tess view @last --explode 0.2 --state        (then: paraview NAME.pvsm)\n"
    "  tess view @last --colour halo --png halo.png             (of a run on ranks)\n"
    "  tess view @last~2 @last~1 @last --film sizes.ogv";

/* Appends "--NAME=VALUE", or "--NAME". */
static tess_status add_argument(view_options *into, const char *name, const char *value) {
    const size_t size = strlen(name) + (value ? strlen(value) : 0) + sizeof "--=";
    char *argument = NULL;
    TRY(TESS_RESERVE(into->n_arguments + 2, &into->arguments_capacity, &into->arguments));
    TRY(TESS_ALLOC((int64_t)size, &argument));
    snprintf(argument, size, "--%s%s%s", name, value ? "=" : "", value ? value : "");
    into->arguments[into->n_arguments++] = argument;
    into->arguments[into->n_arguments] = NULL;
    return TESS_OK;
}

static tess_status pass_on(const char *option, const char *value, void *options) {
    TRY(tess_picture_option_check(option, value));
    return add_argument(options, option, value);
}

static tess_status pass_on_window(const char *option, const char *value, void *options) {
    ((view_options *)options)->window = value;
    return pass_on(option, value, options);
}

static tess_status pass_on_cut(const char *option, const char *value, void *options) {
    ((view_options *)options)->cut = value;
    return pass_on(option, value, options);
}

static tess_status add_name(const char *option, const char *name, void *options) {
    (void)option;
    view_options *into = options;
    TRY(TESS_RESERVE(into->n_names + 1, &into->names_capacity, &into->names));
    into->names[into->n_names++] = name;
    return TESS_OK;
}

/* The names of what a view has of blocks and elements, as --colour tells them. */
#define QUANTITY(name, title, scale, format, unit, better, of, ...) NAME_OF_##of(name)
#define NAME_OF_RUN(name)
#define NAME_OF_PLAN(name)
#define NAME_OF_BLOCK(name) #name ", "
#define NAME_OF_BLOCK_ONLY(name) #name ", "
#define NAME_OF_ELEMENT(name) #name ", "

static const tess_option_row rows[] = {
    {"png", 0, "FILE", "Render a picture without a window", 1, TESS_KEPT(view_options, png)},
    {"film", 0, "FILE.ogv", "Render a film, a picture of each run in turn (or .avi)", 1,
     TESS_KEPT(view_options, film)},
    {"state", 0, NULL, "Write what is shown as a state of ParaView, beside the (first) view", 1,
     TESS_KEPT(view_options, state)},
    {"install", 0, NULL,
     "Give ParaView macros: labs opened, blocks coloured, two views side by side", 1,
     TESS_KEPT(view_options, install)},
    /* view.py's own */
    {"colour", 0, "ARRAY",
     "An array of the view: "
#include "core/plan/quantities.h"
     "element (default: display_colour, where neighbours differ, of a run on ranks rank_colour, "
     "where halos are darker, of a chain ring_colour, where rings are); reuse, points ... are "
     "those "
     "of the block",
     2, .read = pass_on},
    {"explode", 0, "F", "Move blocks apart by F times their way from the centre", 2,
     .read = pass_on},
    {"outline", 0, NULL, "Draw the outlines of blocks, as --explode and --block do", 2,
     .read = pass_on},
    {"no-outline", 0, NULL, "Leave out the outlines of blocks", 2, .read = pass_on},
    {"cut", 0, "AXIS=FRACTION", "Look inside a solid: x=0.5", 2, .read = pass_on_cut},
    {"block", 0, "N", "One block with its halo", 2, .read = pass_on},
    {"side-by-side", 0, NULL, "Several runs in one picture, with the same camera and scale", 2,
     .read = pass_on},
    {"window", 0, "X0,X1,Y0,Y1", "Part of a flat mesh", 2, .read = pass_on_window},
    {"zoom", 0, "F", "Nearer by this factor", 2, .read = pass_on},
    {"size", 0, "WxH",
     "Pixels of each view (default: as many as 1200x800, in the shape of flat meshes)", 2,
     .read = pass_on},
    {"no-edges", 0, NULL, "Leave out the edges of elements", 2, .read = pass_on},
    {"no-caption", 0, NULL, "Leave out caption and legend", 2, .read = pass_on},
    {"lab", 'l', "DIR", "The lab (default: $TESS_LAB, else ./lab)", 3,
     TESS_KEPT(view_options, lab)},
    {.read = add_name},
    {0}};

/* Fails where a run's mesh has no use for the window or the cut. */
static tess_status check_mesh(const view_options *asked, const tess_lab *lab, const char *run) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    tess_mesh *mesh = NULL;
    CHECK(tess_lab_read_run(lab, run, &record));
    if (!record->mesh[0])
        goto done;
    CHECK(tess_lab_read_mesh(lab, record->mesh, &mesh));
    if (asked->window)
        CHECK(tess_picture_option_suits("window", asked->window, mesh));
    if (asked->cut)
        CHECK(tess_picture_option_suits("cut", asked->cut, mesh));
done:
    tess_mesh_free(mesh);
    tess_record_free(record);
    return status;
}

/* Writes the views that are missing; paths [runs.n] are the caller's to free. */
static tess_status write_views(const view_options *asked, const tess_lab *lab, char **paths) {
    tess_status status = TESS_OK;
    tess_progress_begin("writing views");
    for (int64_t i = 0; i < asked->runs.n && status == TESS_OK; i++) {
        tess_progress_set(i, asked->runs.n, NULL);
        status = tess_view_file_of_run(lab, asked->runs.items[i], &paths[i]);
    }
    tess_progress_end();
    return status;
}

/* Says where views lie that the lab has no place for. */
static void tell_where(const view_options *asked, const tess_lab *lab, const char *path) {
    const char *folder = tess_lab_folder(lab), *slash = strrchr(path, '/');
    if (strncmp(path, folder, strlen(folder)) != 0 && !asked->common.quiet)
        fprintf(stderr, "tess view: the lab %s cannot be written: views are in %.*s\n", folder,
                slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static tess_status must_be_there(const char *path) {
    if (path && access(path, R_OK) != 0)
        FAIL(TESS_ERROR_IO, "ParaView ended without an error but wrote no %s", path);
    return TESS_OK;
}

/* Renders the picture and the film, writes the state (a path or NULL), and makes sure that they are
 * there. */
static tess_status render(view_options *asked, char *const *paths, const char *state) {
    if (state)
        TRY(add_argument(asked, "state", state));
    if (asked->png)
        TRY(add_argument(asked, "png", asked->png));
    if (asked->film)
        TRY(add_argument(asked, "film", asked->film));
    const int64_t n = asked->n_arguments + asked->runs.n;
    const char **arguments = NULL;
    TRY(TESS_ALLOC(n + 1, &arguments));
    memcpy(arguments, asked->arguments, (size_t)asked->n_arguments * sizeof *arguments);
    memcpy(arguments + asked->n_arguments, paths, (size_t)asked->runs.n * sizeof *arguments);
    arguments[n] = NULL;
    const tess_status status = tess_paraview_run("view.py", arguments);
    free(arguments);
    TRY(status);
    TRY(must_be_there(state));
    TRY(must_be_there(asked->png));
    return must_be_there(asked->film);
}

/* Hands the views and options over to the script in ParaView's own window. */
static tess_status open_window(const view_options *asked, char *const *paths) {
    char *files = NULL, *words = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&files, &size);
    for (int64_t i = 0; text && i < asked->runs.n; i++)
        fprintf(text, "%s%s", i ? "\n" : "", paths[i]);
    if (text)
        fclose(text);
    text = open_memstream(&words, &size);
    for (int64_t i = 0; text && i < asked->n_arguments; i++)
        fprintf(text, "%s%s", i ? "\n" : "", asked->arguments[i]);
    if (text)
        fclose(text);
    if (files && words) {
        setenv("TESS_VIEW_FILES", files, 1);
        setenv("TESS_VIEW_OPTIONS", words, 1);
    }
    free(files);
    free(words);
    const tess_status status = tess_paraview_become("view.py");
    return tess_fail_at(status, "the views are written; open them in ParaView, or use --png FILE");
}

static tess_status install(const view_options *asked) {
    char *folder = NULL;
    TRY(tess_paraview_install(&folder));
    tess_status status = TESS_OK;
    if (asked->common.json)
        status = tess_json_print(
            json_pack("{s:s, s:o}", "schema", "tess.view/1", "macros", tess_json_text(folder)));
    else
        printf("%s\n", folder);
    if (!asked->common.quiet)
        fputs(
            "ParaView's toolbar of macros has them from its next start on: press 'Tesselab lab'\n",
            stderr);
    free(folder);
    return status;
}

static tess_status print_paths(const view_options *asked, char *const *paths, const char *state) {
    if (!asked->common.json) {
        for (int64_t i = 0; i < asked->runs.n; i++)
            printf("%s\n", paths[i]);
        if (state)
            printf("%s\n", state);
        if (asked->png)
            printf("%s\n", asked->png);
        if (asked->film)
            printf("%s\n", asked->film);
        return TESS_OK;
    }
    json_t *views = json_array(), *blocks = json_array();
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < asked->runs.n && status == TESS_OK; i++) {
        char *beside = NULL;
        status = tess_view_beside(paths[i], TESS_VIEW_BLOCKS, &beside);
        json_array_append_new(views, tess_json_text(paths[i]));
        json_array_append_new(blocks, tess_json_text(beside));
        free(beside);
    }
    json_t *all = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "schema", "tess.view/1", "views",
                            views, "blocks", blocks, "state", tess_json_text(state), "picture",
                            tess_json_text(asked->png), "film", tess_json_text(asked->film));
    const tess_status printed = tess_json_print(all);
    return status == TESS_OK ? printed : status;
}

static tess_status run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static const tess_usage usage = {
        .options = rows,
        .args_doc = "RUN...",
        .doc = doc,
        .typed = "block,colour,cut,explode,film,png,side-by-side,size,state,window"};
    view_options asked = {0};
    tess_lab *lab = NULL;
    char **paths = NULL, *state = NULL;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (asked.install)
        CHECK(install(&asked));
    if (asked.install && asked.n_names == 0)
        goto done;
    if (asked.n_names == 0)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "tess view needs a run: say @last ('tess runs' lists them)"));
    tess_interrupts_note();
    if (asked.png)
        CHECK(tess_paraview_check_picture(asked.png));
    if (asked.film)
        CHECK(tess_paraview_check_film(asked.film));
    CHECK(tess_lab_open(asked.lab, false, &lab));
    CHECK(tess_run_ids_add(lab, asked.names, asked.n_names, &asked.runs));
    for (int64_t i = 0; (asked.window || asked.cut) && i < asked.runs.n; i++)
        CHECK(check_mesh(&asked, lab, asked.runs.items[i]));
    CHECK(TESS_ZEROS(asked.runs.n, &paths));
    CHECK(write_views(&asked, lab, paths));
    tell_where(&asked, lab, paths[0]);
    if (asked.state)
        CHECK(tess_view_beside(paths[0], TESS_VIEW_STATE, &state));
    const bool rendered = asked.png || asked.film || state;
    if (rendered)
        CHECK(render(&asked, paths, state));
    CHECK(print_paths(&asked, paths, state));
    if (!rendered && !asked.common.json) {
        fflush(stdout);
        CHECK(open_window(&asked, paths));
    }
done:
    for (int64_t i = 0; paths && i < asked.runs.n; i++)
        free(paths[i]);
    for (int64_t i = 0; i < asked.n_arguments; i++)
        free((char *)asked.arguments[i]);
    free(paths);
    free(state);
    free(asked.names);
    tess_run_ids_clear(&asked.runs);
    free(asked.arguments);
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_view = {
    .name = "view",
    .summary = "Show blocks over the mesh, in ParaView or as a picture",
    .run = run,
};
