/* A libFuzzer program of one reader: tests/data/fuzz/fuzz.py runs it.
 *
 * TESS_FUZZ_FILES names the files of a mesh, separated by spaces. An input is written to memory as these files, its
 * parts between lines of `~~~`, and the first of them is read as `tess` would read it, by the reader
 * that TESS_FUZZ_READER names if it does, with TESS_FUZZ_PERIODIC also with periodic sides joined. What was read is examined as by `tess mesh check`, all its maps are
 * derived. Beside what sanitizers find it is a defect when a bad input ends in another way than with code 3 and a message
 * that begins with its path. */
#include "core/mesh/derive.h"
#include "data/formats/reader.h"
#include "data/mesh_faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 7 };

static char folder[64]; /* in memory */
static char paths[MOST_FILES][128];

static void remove_files(void) {
    for (int i = 0; i < MOST_FILES; i++)
        if (paths[i][0])
            unlink(paths[i]);
    rmdir(folder);
}

static void complain(const char *words) {
    fprintf(stderr, "fuzz_reader: %s\n", words);
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    const char *name = getenv("TESS_FUZZ_FILES");
    snprintf(folder, sizeof folder, "/dev/shm/tess-fuzz-%d", (int)getpid());
    if (mkdir(folder, 0700) != 0)
        complain("no folder in /dev/shm");
    for (int i = 0; name && *name && i < MOST_FILES; i++) {
        const int length = (int)strcspn(name, " ");
        snprintf(paths[i], sizeof paths[i], "%s/%.*s", folder, length, name);
        name += length + (name[length] == ' ');
    }
    atexit(remove_files);
    if (!paths[0][0])
        complain("TESS_FUZZ_FILES names no file");
    return 0;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        complain("a file cannot be written");
}

/* Writes the parts of an input; files that it has no part for are not there. */
static void write_files(const uint8_t *data, size_t size) {
    static const char line[] = "\n~~~\n";
    const size_t length = sizeof line - 1;
    for (int i = 0; i < MOST_FILES && paths[i][0]; i++) {
        const bool last = i + 1 == MOST_FILES || !paths[i + 1][0];
        const uint8_t *end = last || !data ? NULL : memmem(data, size, line, length);
        const size_t part = end ? (size_t)(end - data) : size;
        unlink(paths[i]);
        if (data)
            write_file(paths[i], data, part);
        data = end ? end + length : NULL;
        size -= end ? part + length : size;
    }
}

/* What follows a reading: none of it may fail where the mesh was read, but for what it cannot have. */
static void examine(tess_mesh *mesh) {
    tess_mesh_faults faults = {.n = 0};
    if (tess_mesh_faults_of_cells(mesh, NULL, &faults) != TESS_OK ||
        tess_mesh_faults_of_shape(mesh, &faults) != TESS_OK)
        complain(tess_message());
    tess_mesh_faults_release(&faults);
    if (tess_mesh_derive_all(mesh) != TESS_OK)
        complain(tess_message());
}

static void try_reading(const tess_reading *reading) {
    tess_mesh *mesh = NULL;
    const tess_status status = tess_mesh_read_as(reading, paths[0], &mesh);
    if (status == TESS_OK)
        examine(mesh);
    else if (tess_status_exit_code(status) != 3 ||
             strncmp(tess_message(), folder, strlen(folder)) != 0)
        complain(tess_message());
    tess_mesh_free(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    write_files(data, size);
    tess_reading reading = {.reader = getenv("TESS_FUZZ_READER")};
    try_reading(&reading);
    reading.joins_periodic = getenv("TESS_FUZZ_PERIODIC");
    if (reading.joins_periodic)
        try_reading(&reading);
    return 0;
}
