/* Reads mesh files and prints what is in them: `read_mesh [reader=NAME] FILE...`, for tests and
 * measurements.
 *
 * A line for each set, map, dat, marker and region, `warning:` lines, `digest` (of every array but
 * the regions, so that two files can be compared), and on stderr the processor seconds and the peak
 * memory. Exits like `tess`. */
#include "core/base/clock.h"
#include "data/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a, continued. */
static uint64_t digest(uint64_t hash, const void *bytes, size_t n) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* A line for each region: its tag, its cells and its name. */
static void print_regions(const tess_mesh *mesh) {
    const int32_t *region = tess_mesh_regions(mesh);
    const int64_t n_cells = region ? tess_mesh_set_size(mesh, "cells") : 0;
    for (int r = 0; r < mesh->n_regions; r++) {
        int64_t n = 0;
        for (int64_t cell = 0; cell < n_cells; cell++)
            n += region[cell] == r;
        printf("region %d %" PRId64 " %s\n", mesh->region_tags[r], n, mesh->regions[r]);
    }
}

static void print_mesh(const tess_mesh *mesh) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    printf("dimension %d\n", mesh->dimension);
    for (int i = 0; i < mesh->n_sets; i++)
        printf("set %s %" PRId64 "\n", mesh->sets[i].name, mesh->sets[i].size);
    for (int i = 0; i < mesh->n_maps; i++) {
        const tess_map *map = &mesh->maps[i];
        printf("map %s %d\n", map->name, map->arity);
        hash = digest(hash, map->index,
                      (size_t)mesh->sets[map->from].size * (size_t)map->arity * sizeof(int32_t));
    }
    for (int i = 0; i < mesh->n_dats; i++) {
        const tess_dat *dat = &mesh->dats[i];
        printf("dat %s %s\n", dat->name, mesh->sets[dat->set].name);
        if (dat->values == tess_mesh_regions(mesh))
            continue; /* what formats name, and not all do */
        hash = digest(hash, dat->values,
                      (size_t)mesh->sets[dat->set].size * (size_t)dat->dim *
                          tess_type_size(dat->type));
    }
    for (int i = 0; i < mesh->n_markers; i++)
        printf("marker %d %s\n", i, mesh->markers[i]);
    print_regions(mesh);
    for (int64_t i = 0; i < mesh->n_warnings; i++)
        printf("warning: %s\n", mesh->warnings[i]);
    hash = digest(hash, mesh->coordinates,
                  (size_t)tess_mesh_set_size(mesh, "nodes") * (size_t)mesh->dimension *
                      sizeof(double));
    printf("digest %016" PRIx64 "\n", hash);
}

/* Bytes of the arrays of a mesh. */
static int64_t mesh_bytes(const tess_mesh *mesh) {
    int64_t bytes = tess_mesh_set_size(mesh, "nodes") * mesh->dimension * (int64_t)sizeof(double);
    for (int i = 0; i < mesh->n_maps; i++)
        bytes += mesh->sets[mesh->maps[i].from].size * mesh->maps[i].arity * 4;
    for (int i = 0; i < mesh->n_dats; i++)
        bytes += mesh->sets[mesh->dats[i].set].size * mesh->dats[i].dim *
                 (int64_t)tess_type_size(mesh->dats[i].type);
    return bytes;
}

/* The most memory this program ever had; getrusage() would count what its parent had. */
static long peak_kilobytes(void) {
    long peak = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &peak) == 1)
            break;
    if (status)
        fclose(status);
    return peak;
}

int main(int argc, char **argv) {
    tess_status worst = TESS_OK;
    const char *reader = NULL;
    for (int i = 1; i < argc; i++) {
        tess_mesh *mesh = NULL;
        if (strncmp(argv[i], "reader=", 7) == 0) {
            reader = argv[i] + 7;
            continue;
        }
        const double start = tess_clock_cpu_seconds();
        const tess_status status =
            tess_mesh_read_as(&(tess_reading){.reader = reader}, argv[i], &mesh);
        const double seconds = tess_clock_cpu_seconds() - start;
        if (status == TESS_OK)
            print_mesh(mesh);
        else
            fprintf(stderr, "%s\n", tess_message());
        fprintf(stderr, "seconds %.3f\nmesh_kilobytes %" PRId64 "\npeak_kilobytes %ld\n", seconds,
                status == TESS_OK ? mesh_bytes(mesh) / 1024 : 0, peak_kilobytes());
        tess_mesh_free(mesh);
        worst = status > worst ? status : worst;
    }
    return tess_status_exit_code(worst);
}
