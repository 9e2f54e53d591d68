/* cut_speed: seconds in which hilbert and rcb cut a million elements or many, on the host and on a
 * device, beside a copy of the mesh there, in one run; blocks are compared, element for element.
 *
 * usage: cut_speed DEVICE MILLIONS...       cut_speed cuda 1 10 plan:50 tets:5
 *
 * Exits 1 where anything is not the host's.
 *
 * Elements lie as the cells of a square of quads, whose coordinates are tied in rows, and as those
 * of a cube of hexes cut into six tets each, jittered; they are numbered at random. A mesh is what
 * a loop over sides reads: the map from sides to cells and the coordinates of nodes. A copy reads
 * and writes it once. Blocks are of 256. Then the edges of such quads in the mesh's order are
 * planned, and they, cells and nodes renumbered, with maps, coordinates and a dat of four doubles
 * on cells; those of a corner, a hundredth, become others, and their blocks are planned again; and
 * twice as many elements, of which so many have become others, are cut again, here and there;
 * cut:MILLIONS are cut alone, plan:MILLIONS planned alone. Of cells:MILLIONS quads, tets:MILLIONS
 * tets, cells alone are cut, sides, cells and nodes renumbered by these, and sides planned in
 * blocks that own cells; shuffled:MILLIONS are such tets, numbered at random. The edges of
 * refined:MILLIONS quads are cut by rcb, whose blocks swap elements then. */
#include "bench/cut_speed/answers.h"
#include "bench/cut_speed/cuts.h"
#include "bench/cut_speed/plans.h"
#include "bench/cut_speed/renumbered.h"
#include "core/base/clock.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_of(const char *size, const char *what) {
    return strncmp(size, what, strlen(what)) == 0;
}

static int64_t size_of(const char *size) {
    const char *colon = strchr(size, ':');
    return llround(1e6 * atof(colon ? colon + 1 : size));
}

/* Whether hilbert and rcb are timed. */
static bool is_cut(const char *size) {
    return !strchr(size, ':') || is_of(size, "cut:");
}

/* What follows their cut. */
static tess_status time_word(tess_cut_kernels *k, const char *word) {
    const int64_t n = size_of(word);
    if (is_of(word, "cut:"))
        return TESS_OK;
    if (is_of(word, "refined:"))
        return time_refined(k, n);
    if (is_of(word, "cells:"))
        return time_cells_of(k, n, NULL);
    if (is_of(word, "tets:") || is_of(word, "shuffled:"))
        return time_cells_of(k, n, is_of(word, "tets:") ? "" : ":shuffle=1");
    TRY(time_plan(k, n));
    return time_replan(k, n, 0.01);
}

static tess_status run(int n_sizes, char **sizes, const char *name) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_cut_kernels kernels = {.module = NULL};
    char *page = NULL;
    tess_status status = TESS_OK;
    CHECK(tess_device_open(name, &device, &target));
    CHECK(tess_cut_page(TESS_CUT_ALL, &page));
    double clock = tess_clock_seconds();
    CHECK(tess_cut_kernels_open(device, target, page, &kernels));
    printf("%s, compiled in %.1f s; %d repeats\n\n", device->model ? device->model(target) : name,
           tess_clock_lap(&clock), REPEATS);
    printf("| elements | cut by | device ms | with travel ms | host ms | a copy ms | copies |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < n_sizes; i++)
        for (int dimension = 2; dimension <= 3 && is_cut(sizes[i]); dimension++)
            CHECK(time_size(&kernels, dimension, size_of(sizes[i])));
    printf("\n");
    for (int i = 0; i < n_sizes; i++)
        CHECK(time_word(&kernels, sizes[i]));
    for (int i = 0; i < n_sizes; i++)
        if (!strchr(sizes[i], ':'))
            CHECK(time_recut(&kernels, 2 * size_of(sizes[i]), 0.01));
done:
    tess_cut_kernels_close(&kernels);
    if (target)
        device->close(target);
    free(page);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: cut_speed DEVICE MILLIONS...\n", stderr);
        return 2;
    }
    if (run(argc - 2, argv + 2, argv[1]) == TESS_OK)
        return is_wrong_told();
    fprintf(stderr, "cut_speed: %s\n", tess_message());
    return 1;
}
