/* Times the derivation of all sets and maps: `derive_speed MESH...`, run by hand beside `wc -w` of
 * the mesh's text file. */
#include "core/mesh/derive.h"
#include "data/mesh_open.h"

#include <stdio.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        tess_mesh *mesh = NULL;
        const double begin = seconds(CLOCK_MONOTONIC);
        tess_status status = tess_mesh_open(argv[i], &mesh);
        const double opened = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (status == TESS_OK)
            status = tess_mesh_derive_all(mesh);
        if (status != TESS_OK) {
            fprintf(stderr, "derive_speed: %s\n", tess_message());
            return tess_status_exit_code(status);
        }
        printf("%s: opened in %.2f s, derived in %.2f s (%.2f s of CPU)\n", argv[i], opened - begin,
               seconds(CLOCK_MONOTONIC) - opened, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
        tess_mesh_free(mesh);
    }
    return 0;
}
