/* HDF5 breaks on some damaged CGNS files, as its memory happens to lie: here it breaks on each.
 * Looking through the file must end a process of its own, not this one. */
#include "data/formats/reader.h"
#include "tests/unit.h"

#include <hdf5.h>
#include <unistd.h>

/* How HDF5 converts texts from now on. */
static herr_t breaks(hid_t from, hid_t to, H5T_cdata_t *about, size_t n, size_t stride,
                     size_t background_stride, void *values, void *background, hid_t transfer) {
    (void)from, (void)to, (void)n, (void)stride, (void)background_stride;
    (void)values, (void)background, (void)transfer;
    if (about->command == H5T_CONV_CONV)
        abort();
    return 0;
}

/* A file with one node of CGNS, whose type is a text of another length than the reader's. */
static void write_node(const char *path, hid_t text) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t node =
        H5Gcreate2(file, "CGNSLibraryVersion", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t one = H5Screate(H5S_SCALAR);
    const hid_t type = H5Acreate2(node, "type", text, one, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(type, text, "R4     ") >= 0);
    H5Aclose(type);
    H5Sclose(one);
    H5Gclose(node);
    assert_true(H5Fclose(file) >= 0);
}

static void what_breaks_hdf5_breaks_a_process_of_its_own(void **state) {
    char path[] = "/tmp/tess_apart_XXXXXX.cgns", expected[128];
    tess_mesh *mesh = NULL;
    const hid_t text = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(text, 8) >= 0);
    close(mkstemps(path, 5));
    write_node(path, text);
    assert_true(H5Tregister(H5T_PERS_SOFT, "breaks", text, text, breaks) >= 0);
    snprintf(expected, sizeof expected, "%s: offset 0: CGNS breaks as it looks through it: damaged",
             path);
    assert_int_equal(tess_mesh_read(path, &mesh), TESS_ERROR_INPUT);
    assert_string_equal(tess_message(), expected);
    unlink(path);
    H5Tclose(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_breaks_hdf5_breaks_a_process_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
