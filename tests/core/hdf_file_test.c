/* HDF5 files appear whole or not at all, and hold what was written. */
#include "core/base/hdf_file.h"

#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/splitmix.h"
#include "tests/unit.h"
#include <dirent.h>
#include <math.h>
#include <unistd.h>

static char folder[] = "/tmp/tess_hdf_XXXXXX";

static const char *path_in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int files_in_folder(void) {
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    int n = 0;
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing))
        n += entry->d_name[0] != '.';
    closedir(listing);
    return n;
}

static int make_folder(void **state) {
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    return rmdir(folder);
}

static void test_written_arrays_are_read_back(void **state) {
    enum { ROWS = 2000000 }; /* more than a piece */
    int32_t *values = malloc(ROWS * 3 * sizeof *values);
    int32_t *read = malloc(ROWS * 3 * sizeof *read);
    for (int i = 0; i < ROWS * 3; i++)
        values[i] = i / 7;
    tess_hdf_file *file = NULL;
    const char *path = path_in_folder("a.hdf");
    OK(tess_hdf_create(H5F_LIBVER_EARLIEST, &file));
    assert_int_not_equal(access(path, F_OK), 0); /* not before it is whole */
    OK(tess_hdf_write(file->id, "v", H5T_NATIVE_INT32, ROWS, 3, values));
    OK(tess_hdf_write(file->id, "none", H5T_NATIVE_INT32, 0, 0, NULL));
    OK(tess_hdf_attribute_text(file->id, "t", "text"));
    OK(tess_hdf_commit(file, path));
    tess_hdf_free(file);
    assert_int_equal(files_in_folder(), 1);

    const hid_t id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t array = H5Dopen2(id, "v", H5P_DEFAULT);
    assert_true(H5Dread(array, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0);
    assert_memory_equal(values, read, ROWS * 3 * sizeof *values);
    assert_true(H5Dget_storage_size(array) < ROWS * 3 * sizeof *values / 4);
    H5Dclose(array);
    const hid_t attribute = H5Aopen(id, "t", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    assert_int_equal(H5Tget_cset(type), H5T_CSET_ASCII);
    assert_false(H5Tis_variable_str(type) > 0);
    assert_int_equal(H5Tget_size(type), 4);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Fclose(id);
    unlink(path);
    free(values);
    free(read);
}

static void test_discarded_files_leave_nothing(void **state) {
    tess_hdf_file *file = NULL;
    OK(tess_hdf_create(H5F_LIBVER_EARLIEST, &file));
    tess_hdf_free(file);
    tess_hdf_free(NULL);
    assert_int_equal(files_in_folder(), 0);
}

static void test_failures_say_why(void **state) {
    tess_hdf_file *file = NULL;
    OK(tess_hdf_create(H5F_LIBVER_EARLIEST, &file));
    assert_int_equal(tess_hdf_commit(file, "/nowhere/at/all.hdf"), TESS_ERROR_IO);
    tess_hdf_free(file);
    assert_non_null(strstr(tess_message(), "/nowhere/at/all.hdf"));
    assert_non_null(strstr(tess_message(), "No such file"));
    OK(tess_hdf_create(H5F_LIBVER_EARLIEST, &file));
    const int32_t value = 1;
    OK(tess_hdf_write(file->id, "v", H5T_NATIVE_INT32, 1, 0, &value));
    assert_int_equal(tess_hdf_write(file->id, "v", H5T_NATIVE_INT32, 1, 0, &value), TESS_ERROR_IO);
    assert_non_null(strstr(tess_message(), "'v'"));
    tess_hdf_free(file);
    assert_int_equal(files_in_folder(), 0);
}

/* A file is given up between the pieces of an array: half a second is over before all of it is
 * deflated, or it was before the first. */
static void test_an_array_is_given_up_when_time_is_over(void **state) {
    enum { N = 1 << 25 };
    uint64_t seed = 1;
    int32_t *values = malloc(N * sizeof *values);
    tess_hdf_file *file = NULL;
    for (int i = 0; i < N; i++)
        values[i] = (int32_t)tess_random_next(&seed);
    OK(tess_hdf_create(H5F_LIBVER_EARLIEST, &file));
    tess_interrupt_at(tess_clock_seconds() + 0.5);
    assert_int_equal(tess_hdf_write(file->id, "v", H5T_NATIVE_INT32, N, 0, values),
                     TESS_ERROR_INTERRUPTED);
    tess_interrupt_at(INFINITY);
    tess_hdf_free(file);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_arrays_are_read_back),
        cmocka_unit_test(test_discarded_files_leave_nothing),
        cmocka_unit_test(test_failures_say_why),
        cmocka_unit_test(test_an_array_is_given_up_when_time_is_over),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
