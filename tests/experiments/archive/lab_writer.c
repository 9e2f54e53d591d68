/* A writer for tests of labs: lab_writer LAB N [SEED [SESSION]] stores one small mesh and N runs as
 * fast as it can and prints each id once it is stored; with SESSION they are of one session. */
#include "core/base/array.h"
#include "experiments/archive/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tess_status strip_mesh(tess_mesh **out) {
    tess_status status = TESS_OK;
    enum { N_CELLS = 1000 };
    tess_mesh *mesh = NULL;
    int32_t *index = NULL;
    CHECK(tess_mesh_new("a strip", 2, &mesh));
    CHECK(tess_mesh_add_set(mesh, "edges", N_CELLS - 1, NULL));
    CHECK(tess_mesh_add_set(mesh, "cells", N_CELLS, NULL));
    CHECK(TESS_ALLOC(2 * (N_CELLS - 1), &index));
    for (int32_t i = 0; i < 2 * (N_CELLS - 1); i++)
        index[i] = (i + 1) / 2;
    CHECK(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, index));
    *out = mesh;
    mesh = NULL;
done:
    tess_mesh_free(mesh);
    return status;
}

static tess_status add_samples(tess_record *record, const char *session, unsigned *seed) {
    if (session)
        TRY(tess_values_set_text(&record->environment, "session", session));
    for (int k = 0; k < 25; k++) {
        TRY(tess_record_add_sample(record, "time", "s", 1e-3 + rand_r(seed) % 1000 * 1e-7));
        if (session)
            TRY(tess_record_add_sample(record, TESS_SERIES_ROUND, "1", k));
    }
    return TESS_OK;
}

static tess_status store_run(tess_lab *lab, const char *mesh, int i, unsigned *seed, int argc,
                             char **argv) {
    static const char *const partitioners[] = {"metis", "rcb", "hilbert", "metis:method=recursive"};
    static const int block_sizes[] = {64, 128, 256, 480};
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    CHECK(tess_record_new(argc, argv, &record));
    strcpy(record->mesh, mesh);
    CHECK(tess_values_set_text(&record->configuration, "mesh", "strip"));
    CHECK(tess_values_set_text(&record->configuration, "loop", "increment"));
    CHECK(tess_values_set_text(&record->configuration, "partitioner", partitioners[i % 4]));
    CHECK(tess_values_set_text(&record->configuration, "sweep_point", partitioners[i % 4]));
    CHECK(tess_values_set_number(&record->configuration, "block_size", block_sizes[i / 4 % 4],
                                 "elements"));
    for (int k = 0; k < 30; k++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "metric_%d", k);
        CHECK(tess_record_add_measure(record, name, "1", "plan", rand_r(seed)));
    }
    CHECK(tess_record_add_measure(record, "reuse_factor", "1", "plan", 1 + i % 4 * 0.25));
    CHECK(add_samples(record, argc > 4 ? argv[4] : NULL, seed));
    CHECK(tess_record_add_step(record, "partition", 0.25));
    CHECK(tess_record_set_check(record, i % 10 == 9 ? TESS_FAILED : TESS_PASSED, ""));
    CHECK(tess_lab_store_run(lab, record));
    puts(record->id);
    fflush(stdout);
done:
    tess_record_free(record);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    tess_lab *lab = NULL;
    tess_mesh *mesh = NULL;
    char digest[TESS_DIGEST_SIZE];
    tess_status status = tess_lab_open(argv[1], true, &lab);
    if (status == TESS_OK)
        status = strip_mesh(&mesh);
    if (status == TESS_OK)
        status = tess_lab_store_mesh(lab, mesh, digest);
    for (int i = 0; i < atoi(argv[2]) && status == TESS_OK; i++)
        status = store_run(lab, digest, i, &seed, argc, argv);
    if (status != TESS_OK)
        fprintf(stderr, "lab_writer: %s\n", tess_message());
    tess_mesh_free(mesh);
    tess_lab_close(lab);
    return tess_status_exit_code(status);
}
