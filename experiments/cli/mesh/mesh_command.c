/* The command `tess mesh`: what is in a mesh, making one, writing one in another format. */
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/plural.h"
#include "core/mesh/derive.h"
#include "data/formats/writer.h"
#include "data/generators/generator.h"
#include "data/mesh_open.h"
#include "experiments/cli/command.h"
#include "experiments/cli/mesh/mesh_compare.h"
#include "experiments/cli/mesh/mesh_reorder.h"
#include "experiments/report/mesh/mesh_picture.h"
#include "experiments/report/mesh/mesh_profile.h"
#include "experiments/report/mesh/mesh_report.h"
#include "viz/paraview.h"
#include <argp.h>

/* What the command line of a subcommand says. */
typedef struct mesh_arguments {
    tess_common common;
    const char *mesh, *output, *format, *png; /* NULL where not given */
    bool maps, brief;
} mesh_arguments;

#define MESH                                                                                       \
    { TESS_KEPT(mesh_arguments, mesh), .refusal = "one mesh is asked for, not '%s' besides" }
#define FORMAT                                                                                     \
    {                                                                                              \
        "format", 'f', "NAME", "Write this format whatever the extension says",                    \
            TESS_KEPT(mesh_arguments, format)                                                      \
    }

static const char info_doc[] =
    "Show what is in a mesh: its sets, extent and boundary markers, what hangs together, how far "
    "apart neighbours are numbered, before and after reverse Cuthill-McKee, how many of one thing "
    "each of another has, the sizes and shapes of cells, what is odd, which applications run on "
    "it; and, with --maps, every map that a loop may go through.\v"
    "MESH is a file or folder (`tess list readers`; .xz, .gz, .zst as it is) or a generator with "
    "options (`tess list generators`).\n"
    "  tess mesh info north_sea.msh.xz --maps\n"
    "  tess mesh info north_sea.msh.xz:refine=2:shuffle=7 --png shapes.png\n"
    "  tess mesh info airfoil:i=800:j=1200 --brief\n"
    "Shapes are from 0, flat, to 1, the best of the type of cell: of triangles and tetrahedra the "
    "mean ratio, of others the least scaled Jacobian of their corners.";

/* Sets, markers and maps, then the profile unless it is to be brief. */
static tess_status info_print(const mesh_arguments *arguments, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_mesh_profile profile = {.n_served = 0};
    if (!arguments->brief)
        CHECK(tess_mesh_profile_measure(mesh, &profile));
    CHECK(tess_mesh_report_print(mesh, arguments->maps));
    if (!arguments->brief)
        CHECK(tess_mesh_profile_ask(mesh, &profile));
    if (!arguments->brief)
        CHECK(tess_mesh_profile_print(&profile));
done:
    tess_mesh_profile_release(&profile);
    return status;
}

static tess_status info_json(const mesh_arguments *arguments, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_mesh_profile profile = {.n_served = 0};
    json_t *object = NULL;
    if (!arguments->brief)
        CHECK(tess_mesh_profile_measure(mesh, &profile));
    CHECK(tess_mesh_report_json(mesh, &object));
    if (!arguments->brief) {
        CHECK(tess_mesh_profile_ask(mesh, &profile));
        tess_mesh_profile_add_json(object, &profile);
    }
    CHECK(tess_json_print(TESS_TAKE(object)));
done:
    json_decref(object);
    tess_mesh_profile_release(&profile);
    return status;
}

static tess_status info_run(int argc, char **argv) {
    static const tess_option_row options[] = {
        {"maps", 0, NULL, "Derive all maps and list them with their sets",
         TESS_KEPT(mesh_arguments, maps)},
        {"brief", 0, NULL, "Only sets, extent and markers, and maps if asked for",
         TESS_KEPT(mesh_arguments, brief)},
        {"png", 0, "FILE", "Render the mesh as a picture, coloured by the shapes of its cells",
         TESS_KEPT(mesh_arguments, png)},
        MESH,
        {0}};
    static const tess_usage usage = {.options = options, .args_doc = "MESH", .doc = info_doc};
    tess_status status = TESS_OK;
    mesh_arguments arguments = {.mesh = NULL};
    tess_mesh *mesh = NULL;
    CHECK(tess_command_parse(&usage, argc, argv, &arguments.common, &arguments));
    if (!arguments.mesh)
        CHECK(tess_fail(TESS_ERROR_USAGE, "which mesh? tess mesh info FILE, or a generator: tess "
                                          "mesh info quads:nx=100"));
    if (arguments.png)
        CHECK(tess_paraview_check_picture(arguments.png));
    CHECK(tess_mesh_open(arguments.mesh, &mesh));
    if (arguments.png)
        CHECK(tess_mesh_picture_render(mesh, arguments.png));
    if (arguments.maps)
        CHECK(tess_mesh_derive_all(mesh));
    CHECK(arguments.common.json ? info_json(&arguments, mesh) : info_print(&arguments, mesh));
done:
    tess_mesh_free(mesh);
    return status;
}

static const tess_command info = {.name = "info",
                                  .summary = "Show the sets, extent, markers and maps of a mesh",
                                  .run = info_run};

/* Says what was written: on stdout, as it is the result; on stderr what reading or writing lost. */
static tess_status written_report(const mesh_arguments *arguments, const tess_mesh *mesh) {
    for (int64_t i = 0; i < mesh->n_warnings && !arguments->common.quiet; i++)
        fprintf(stderr, "tess: warning: %s\n", mesh->warnings[i]);
    if (arguments->common.json) {
        json_t *object = NULL;
        TRY(tess_mesh_report_json(mesh, &object));
        return tess_json_print(object);
    }
    printf("%s: %lld nodes, %lld cell%s\n", arguments->output,
           (long long)tess_mesh_set_size(mesh, "nodes"),
           (long long)tess_mesh_set_size(mesh, "cells"),
           tess_plural(tess_mesh_set_size(mesh, "cells")));
    return TESS_OK;
}

static tess_status open_and_write(const mesh_arguments *arguments) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    const tess_writer *writer = NULL;
    CHECK(tess_writer_find(arguments->format, arguments->output, &writer));
    CHECK(tess_mesh_open(arguments->mesh, &mesh));
    CHECK(tess_mesh_write(mesh, writer, arguments->output));
    CHECK(written_report(arguments, mesh));
done:
    tess_mesh_free(mesh);
    return status;
}

static void print_options(FILE *stream, const tess_option *options) {
    for (; options->key; options++)
        fprintf(stream, "      %s=%s  %s%s%s\n", options->key, options->value, options->help,
                options->choices ? ": " : "", options->choices ? options->choices : "");
}

/* The end of the help: every generator with its options. */
static char *generate_help(int key, const char *text, void *input) {
    (void)input;
    char *help = NULL;
    size_t size = 0;
    FILE *stream = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&help, &size) : NULL;
    if (!stream)
        return (char *)text;
    fputs("  tess mesh generate quads:nx=400:stretch=1e4 -o quads.su2\n\n"
          "Generators and their options with defaults:\n",
          stream);
    for (int i = 0; tess_generator_at(i); i++) {
        fprintf(stream, "\n  %s: %s\n", tess_generator_at(i)->name, tess_generator_at(i)->summary);
        print_options(stream, tess_generator_at(i)->options);
    }
    fputs("\n  every mesh, files too:\n", stream);
    print_options(stream, tess_mesh_options);
    fputs("\nFormats:", stream);
    for (int i = 0; tess_writer_at(i); i++)
        fprintf(stream, "%s %s (%s)", i ? "," : "", tess_writer_at(i)->name,
                tess_writer_at(i)->extension);
    fclose(stream);
    return help;
}

static tess_status generate_run(int argc, char **argv) {
    static const tess_option_row options[] = {
        {"output", 'o', "FILE", "Write to FILE", TESS_KEPT(mesh_arguments, output)},
        FORMAT,
        {TESS_KEPT(mesh_arguments, mesh),
         .refusal = "one generator is asked for, not '%s' besides: -o says which file"},
        {0}};
    static const tess_usage usage = {
        .options = options,
        .args_doc = "GENERATOR[:OPTION=VALUE...]",
        .doc = "Make a mesh and write it. Other commands take GENERATOR... in the place of a mesh "
               "file, too; 'tess list generators' names them.\vGenerators.",
        .help_filter = generate_help};
    mesh_arguments arguments = {.mesh = NULL};
    TRY(tess_command_parse(&usage, argc, argv, &arguments.common, &arguments));
    if (!arguments.mesh || !arguments.output)
        FAIL(TESS_ERROR_USAGE,
             "which mesh, and to which file? tess mesh generate quads:nx=100 -o FILE");
    return open_and_write(&arguments);
}

static const tess_command generate = {
    .name = "generate", .summary = "Make a mesh and write it to a file", .run = generate_run};

static tess_status convert_run(int argc, char **argv) {
    static const tess_option_row options[] = {
        FORMAT,
        {TESS_KEPT(mesh_arguments, mesh)},
        {TESS_KEPT(mesh_arguments, output), .refusal = "two names are asked for, not '%s' besides"},
        {0}};
    static const tess_usage usage = {
        .options = options,
        .args_doc = "MESH FILE",
        .doc =
            "Write a mesh in another format: SU2 (.su2), Gmsh 4.1 (.msh; --format gmsh2 for "
            "2.2), OP2 (.dat), UGRID (.lb8.ugrid), libMeshb (.meshb), Exodus (.exo), CGNS (.cgns), "
            "VTK (.vtkhdf, .vtu, .vtk), OpenFOAM (a folder polyMesh, or a case that is there); "
            "the last two hold polyhedra. Numbers are written so that they read back exactly. "
            "MESH:order=hilbert is the mesh in that order, or levels, rcm, gps; tess mesh reorder "
            "says what that gains."};
    mesh_arguments arguments = {.mesh = NULL};
    TRY(tess_command_parse(&usage, argc, argv, &arguments.common, &arguments));
    if (!arguments.output)
        FAIL(TESS_ERROR_USAGE, "which mesh, and to which file? tess mesh convert MESH FILE");
    return open_and_write(&arguments);
}

static const tess_command convert = {
    .name = "convert", .summary = "Write a mesh in another format", .run = convert_run};

static const char check_doc[] =
    "List what is wrong with a mesh, with the first ten elements of each fault: cells with a node "
    "or a place twice, cells stated twice, sides of more than two cells, cells without extent or "
    "turned the other way round than most of their type, polyhedra with a gap, nodes at the place "
    "of "
    "another one, nodes of no cell. Exits with 1 where there is a fault.\v"
    "A fault need not be a mistake: wake cuts and zones have nodes at the place of others. "
    "Elements of higher order are read as their corners; their other nodes are no fault. "
    "Tesselab runs loops on such meshes, too. Elements count from 0, cells of mixed meshes in "
    "their type's set. Sides are told by their nodes.";

static tess_status faults_report(const mesh_arguments *arguments, const tess_mesh *mesh,
                                 const tess_mesh_faults *faults, int64_t n_beside_corners) {
    if (arguments->common.json)
        return tess_json_print(json_pack("{s:s, s:o, s:I, s:o}", "schema", "tess.mesh_check/1",
                                         "source", tess_json_text(mesh->source),
                                         "nodes_beside_corners", (json_int_t)n_beside_corners,
                                         "faults", tess_mesh_faults_array(faults)));
    if (n_beside_corners)
        printf("%s: %lld node%s of %lld element%s of higher order %s beside the corners, which "
               "are read alone\n",
               mesh->source, (long long)n_beside_corners, tess_plural(n_beside_corners),
               (long long)mesh->n_of_higher_order, tess_plural(mesh->n_of_higher_order),
               n_beside_corners == 1 ? "is" : "are");
    if (faults->n == 0)
        printf("%s: nothing is wrong with its %lld cell%s and %lld nodes\n", mesh->source,
               (long long)tess_mesh_set_size(mesh, "cells"),
               tess_plural(tess_mesh_set_size(mesh, "cells")),
               (long long)tess_mesh_set_size(mesh, "nodes"));
    tess_mesh_faults_print(faults);
    return TESS_OK;
}

static tess_status check_run(int argc, char **argv) {
    static const tess_option_row options[] = {MESH, {0}};
    static const tess_usage usage = {.options = options, .args_doc = "MESH", .doc = check_doc};
    tess_status status = TESS_OK;
    mesh_arguments arguments = {.mesh = NULL};
    tess_mesh *mesh = NULL;
    tess_mesh_faults faults = {.n = 0};
    CHECK(tess_command_parse(&usage, argc, argv, &arguments.common, &arguments));
    if (!arguments.mesh)
        CHECK(tess_fail(TESS_ERROR_USAGE, "which mesh? tess mesh check FILE"));
    CHECK(tess_mesh_open(arguments.mesh, &mesh));
    CHECK(tess_mesh_faults_of_cells(mesh, NULL, &faults));
    CHECK(tess_mesh_faults_of_shape(mesh, &faults));
    /* nodes of no cell are no fault of a mesh of higher order */
    const int64_t n_beside_corners =
        mesh->n_of_higher_order ? tess_mesh_faults_take(&faults, "node-unused") : 0;
    CHECK(faults_report(&arguments, mesh, &faults, n_beside_corners));
    if (faults.n)
        CHECK(tess_fail(TESS_ERROR_CHECK, "%s has %lld kind%s of fault", arguments.mesh,
                        (long long)faults.n, tess_plural(faults.n)));
done:
    tess_mesh_faults_release(&faults);
    tess_mesh_free(mesh);
    return status;
}

static const tess_command check = {
    .name = "check", .summary = "List what is wrong with a mesh", .run = check_run};

static tess_status mesh_run(int argc, char **argv) {
    static const tess_command *const commands[] = {
        &info, &check, &tess_mesh_compare, &generate, &convert, &tess_mesh_reorder, NULL};
    return tess_command_group(
        "tess mesh",
        "Meshes: look at them, check them, compare them, make, convert and reorder them.", commands,
        argc, argv);
}

const tess_command tess_command_mesh = {
    .name = "mesh",
    .summary = "Look at a mesh, check, compare, make, convert or reorder one",
    .run = mesh_run};
