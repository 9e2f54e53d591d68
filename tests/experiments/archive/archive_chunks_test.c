/* Arrays of several chunks: what is packed in parallel, HDF5 reads with its own filters. */
#include "core/base/splitmix.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"
#include "tests/experiments/archive/scratch_folder.h"
#include "tests/unit.h"

enum { CHUNK = 1 << 19 }; /* bytes, of archive_writer.c */

/* Bytes that do not get smaller, or that do. */
static unsigned char *bytes_of(size_t n, bool random) {
    uint64_t state = 7;
    unsigned char *bytes = malloc(n);
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(random ? tess_random_below(&state, 256) : (int64_t)(i / 300));
    return bytes;
}

/* Writes an array of rows and reads it back. */
static void comes_back(tess_archive_type type, size_t size, int64_t n_rows, int64_t n_columns,
                       bool random) {
    char path[96];
    tess_archive_writer *writer = NULL;
    tess_archive_reader *reader = NULL;
    const int64_t dims[] = {n_rows, n_columns};
    int64_t found[] = {n_rows, n_columns};
    void *back = NULL;
    const size_t n_bytes = (size_t)(n_rows * n_columns) * size;
    unsigned char *bytes = bytes_of(n_bytes, random);
    snprintf(path, sizeof path, "%s/array.hdf", folder);
    OK(tess_archive_create("plan", &writer));
    OK(tess_archive_write_matrix(writer, "/a", type, dims, bytes));
    OK(tess_archive_commit(writer, path));
    tess_archive_writer_free(writer);
    OK(tess_archive_verify(path, "plan"));
    OK(tess_archive_open(path, "plan", &reader));
    OK(tess_archive_read_array(reader, "/a", type, 2, found, &back));
    assert_memory_equal(back, bytes, n_bytes);
    tess_archive_reader_free(reader);
    free(back);
    free(bytes);
}

static void every_type_and_size(void **state) {
    static const int64_t bytes[] = {4 * CHUNK - 64, 4 * CHUNK, 4 * CHUNK + 64};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        for (int random = 0; random < 2; random++) {
            comes_back(TESS_ARCHIVE_UINT8, 1, bytes[i] / 2, 2, random);
            comes_back(TESS_ARCHIVE_UINT16, 2, bytes[i] / 8, 4, random);
            comes_back(TESS_ARCHIVE_INT32, 4, bytes[i] / 4, 1, random);
            comes_back(TESS_ARCHIVE_INT64, 8, bytes[i] / 16, 2, random);
        }
    }
}

/* Rows that fill no chunk of half a MiB evenly. */
static void rows_of_odd_size(void **state) {
    comes_back(TESS_ARCHIVE_UINT8, 1, 900001, 3, true);
    comes_back(TESS_ARCHIVE_DOUBLE, 8, 1430001, 3, false); /* more than are packed at a time */
    comes_back(TESS_ARCHIVE_UINT16, 2, 300007, 5, false);
    comes_back(TESS_ARCHIVE_INT32, 4, 100003, 7, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_size),
        cmocka_unit_test(rows_of_odd_size),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
