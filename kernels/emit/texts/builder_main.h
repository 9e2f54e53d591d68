/* main.c: makes @loop for another mesh.
 *
 *     @loop_build MESH FOLDER     a mesh's file, or the words of a generator */
#include <stdio.h>
#include <tesselab.h>

tess_status @loop_build(tess_mesh *mesh, const char *folder);

int main(int argc, char **argv) {
    tess_mesh *mesh = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: @loop_build MESH FOLDER\n");
        return 2;
    }
    tess_status status = tess_mesh_open(argv[1], &mesh);
    if (!status)
        status = @loop_build(mesh, argv[2]);
    if (status)
        fprintf(stderr, "%s\n", tess_message());
    tess_mesh_free(mesh);
    return status != TESS_OK;
}
