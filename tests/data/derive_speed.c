/* Times the derivation of all sets and maps: `derive_speed MESH...`, run by hand beside `wc -w` of
 * the mesh's text file. */
#include "core/base/clock.h"
#include "core/mesh/derive.h"
#include "data/mesh_open.h"

#include <stdio.h>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        tess_mesh *mesh = NULL;
        const double begin = tess_clock_seconds();
        tess_status status = tess_mesh_open(argv[i], &mesh);
        const double opened = tess_clock_seconds(), cpu = tess_clock_cpu_seconds();
        if (status == TESS_OK)
            status = tess_mesh_derive_all(mesh);
        if (status != TESS_OK) {
            fprintf(stderr, "derive_speed: %s\n", tess_message());
            return tess_status_exit_code(status);
        }
        printf("%s: opened in %.2f s, derived in %.2f s (%.2f s of CPU)\n", argv[i], opened - begin,
               tess_clock_seconds() - opened, tess_clock_cpu_seconds() - cpu);
        tess_mesh_free(mesh);
    }
    return 0;
}
