/* The command `tess mesh`: what is in a mesh, making one, writing one in another format. */
#include "core/derive.h"
#include "data/generator.h"
#include "data/mesh_open.h"
#include "experiments/command.h"
#include "experiments/mesh_report.h"

#include <stdlib.h>

/* What the command line of a subcommand says. */
typedef struct mesh_arguments {
    tess_common common;
    const char *mesh;
    bool maps;
} mesh_arguments;

enum { KEY_MAPS = 0x2000 };

static error_t info_parser(int key, char *arg, struct argp_state *state) {
    mesh_arguments *arguments = state->input;
    switch (key) {
    case KEY_MAPS:
        arguments->maps = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->mesh)
            return tess_command_refuse(
                tess_fail(TESS_ERROR_USAGE, "one mesh is asked for, not '%s' besides", arg));
        arguments->mesh = arg;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->mesh)
            return tess_command_refuse(tess_fail(TESS_ERROR_USAGE,
                                                 "which mesh? tess mesh info FILE, or a generator: "
                                                 "tess mesh info quads:nx=100"));
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static tess_status info_run(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"maps", KEY_MAPS, NULL, 0, "Derive all maps and list them with their sets", 0}, {NULL}};
    static const struct argp argp = {
        options,
        info_parser,
        "MESH",
        "Show what is in a mesh: its sets, extent, boundary markers and, with --maps, every map "
        "that a loop may go through.\v"
        "MESH is a file (SU2, Gmsh, OP2; .xz, .gz, .zst as it is) or a generator with options:\n"
        "  tess mesh info naca0012_inv.su2.xz --maps\n"
        "  tess mesh info naca0012_inv.su2.xz:refine=2:shuffle=7\n"
        "  tess mesh info airfoil:i=800:j=1200\n"
        "`tess mesh generate --help` lists the generators.",
        NULL,
        NULL,
        NULL};
    tess_status status = TESS_OK;
    mesh_arguments arguments = {.mesh = NULL};
    tess_mesh *mesh = NULL;
    CHECK(tess_command_parse(&argp, argc, argv, &arguments.common, &arguments));
    CHECK(tess_mesh_open(arguments.mesh, &mesh));
    if (arguments.maps)
        CHECK(tess_mesh_derive_all(mesh));
    CHECK(arguments.common.json ? tess_mesh_report_json(mesh)
                                : tess_mesh_report_print(mesh, arguments.maps));
done:
    tess_mesh_free(mesh);
    return status;
}

static const tess_command info = {.name = "info",
                                  .summary = "Show the sets, extent, markers and maps of a mesh",
                                  .run = info_run};

static tess_status mesh_run(int argc, char **argv) {
    static const tess_command *const commands[] = {&info, NULL};
    return tess_command_group("tess mesh", "Meshes: look at them, make them, convert them.",
                              commands, argc, argv);
}

const tess_command tess_command_mesh = {
    .name = "mesh", .summary = "Look at a mesh, make one, convert one", .run = mesh_run};
