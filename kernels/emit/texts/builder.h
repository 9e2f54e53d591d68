/* @loop_build.c: makes @loop for a mesh that is in your program's memory, by libtesselab, which
 * nothing else here needs. Put your arrays into a mesh first:
 *
 *     tess_mesh_new, tess_mesh_add_set, tess_mesh_put_map, tess_mesh_put_coordinates
 *
 * Sizes of a mesh are constants of the text, so plan and text are written together. Compile them
 * anew; a program that was made for another mesh says so when it opens this plan. */
#include <stddef.h>
#include <tesselab.h>

/* As they were when this was written; the mesh is another. */
static const char *const settings[][2] = {
@settings    {"mesh", "in memory"},
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

/* Writes the folder; maps that the loop needs and the mesh does not have are derived into it. On
 * failure tess_message() says what is wrong. */
tess_status @loop_build(tess_mesh *mesh, const char *folder);

tess_status @loop_build(tess_mesh *mesh, const char *folder) {
    const tess_emit_setting emit = {
        .folder = folder,
        .language = "@language",
        .command = "@quoted_command",
        .typed_in = "@quoted_folder"};
    tess_bench_options options = {.mesh = mesh, .emit = &emit};
    tess_experiment *experiment = NULL;
    tess_run *run = NULL;
    tess_status status = tess_experiment_new(TESS_RUNNING, &experiment);
    for (int i = 0; i < N_SETTINGS && !status; i++)
        status = tess_experiment_set_by_name(experiment, settings[i][0], settings[i][1]);
    if (!status)
        status = tess_experiment_run(experiment, &options, &run);
    tess_run_free(run);
    tess_experiment_free(experiment);
    return status;
}
