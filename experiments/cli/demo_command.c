/* The command `tess demo`: the main job on a real mesh that ships, without GPU or ParaView. */
#include "core/base/shell_word.h"
#include "data/shipped.h"
#include "experiments/cli/command.h"
#include "experiments/cli/partition_command.h"

extern const tess_command tess_command_view;

static const tess_option_row options[] = {
    {.refusal = "the demo takes no '%s'; for a mesh of yours: tess partition MESH --map "
                "edges:cells"},
    {0}};

/* A picture of the winner's blocks, where this machine can draw one. */
static tess_status draw(char *winner) {
    char *arguments[] = {(char[]){"tess view"},      winner,
                         (char[]){"--png=demo.png"}, (char[]){"--explode=0.15"},
                         (char[]){"--outline"},      NULL};
    fprintf(stderr, "\ntess view %s --explode 0.15 --outline --png demo.png\n", winner);
    const tess_status status = tess_command_view.run(5, arguments);
    if (status != TESS_ERROR_MISSING)
        return status;
    fprintf(stderr, "No picture here, and none is needed: %s\n", tess_message());
    return TESS_OK;
}

static tess_status run(int argc, char **argv) {
    static const tess_usage usage = {
        .options = options,
        .doc = "Compare all partitioners on a real mesh, the coast of the North Sea in 10,920 "
               "triangles, for a loop over its edges that increments its cells."};
    tess_common common = {.json = false};
    TRY(tess_command_parse(&usage, argc, argv, &common, &common));
    char path[4096];
    TRY(tess_shipped_mesh("north_sea.msh.xz", path));
    fputs("tess partition ", stderr);
    tess_shell_word_print(path, stderr);
    fputs(" --map edges:cells --dat q:cells:4:double --block-size 128,256\n\n", stderr);
    char *arguments[] = {(char[]){"tess partition"},
                         path,
                         (char[]){"--map=edges:cells"},
                         (char[]){"--dat=q:cells:4:double"},
                         (char[]){"--block-size=128,256"},
                         common.json ? (char[]){"--json"} : NULL,
                         NULL};
    char winner[TESS_RUN_ID_SIZE];
    TRY(tess_partition_command_run(common.json ? 6 : 5, arguments, winner));
    return common.json || !*winner ? TESS_OK : draw(winner);
}

const tess_command tess_command_demo = {
    .name = "demo", .summary = "Compare all partitioners on a real mesh that ships", .run = run};
