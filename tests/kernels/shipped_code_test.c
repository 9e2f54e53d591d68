/* Shipped code: found by page, architecture and driver; a file that is damaged anywhere gives the
 * code that was written, or none. */
#include "kernels/devices/cuda/shipped_code.h"

#include "kernels/devices/disk_cache.h"
#include "kernels/devices/simt_text.h"
#include "tests/unit.h"
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CUDA = 13000, MOST = 4096 };

static const char *const pages[] = {"one page", "another page"};
static const char *const codes[] = {"code of one", "code of another, which is longer"};

static char folder[] = "/tmp/shipped_code_XXXXXX";

static void path_of(int capability, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/sm_%d.code", folder, capability);
}

static void write_bytes(int capability, const char *bytes, size_t size) {
    char path[PATH_MAX];
    path_of(capability, path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* The file as shipped_code.h describes it; gives its size. */
static size_t fill_file(int capability, char bytes[MOST]) {
    char architecture[16];
    int size = 0;
    snprintf(architecture, sizeof architecture, "sm_%d", capability);
    for (int i = 0; i < 2; i++) {
        char key[TESS_CACHE_KEY], digest[TESS_CACHE_KEY];
        tess_cache_key((const char *const[]){architecture, tess_simt_text, pages[i], NULL}, key);
        tess_cache_digest(codes[i], strlen(codes[i]), digest);
        size += snprintf(bytes + size, (size_t)(MOST - size), "%s %s %d %zu\n", key, digest, CUDA,
                         strlen(codes[i]));
    }
    return (size_t)(size +
                    snprintf(bytes + size, (size_t)(MOST - size), "\n%s%s", codes[0], codes[1]));
}

static void write_file(int capability) {
    char bytes[MOST];
    write_bytes(capability, bytes, fill_file(capability, bytes));
}

static bool finds(int page, int capability, int driver) {
    tess_cubin cubin;
    const bool is_there = tess_shipped_code_find(pages[page], capability, driver, NULL);
    const bool found = tess_shipped_code_find(pages[page], capability, driver, &cubin);
    assert_true(found == (cubin.code != NULL) && (is_there || !found));
    if (found) {
        assert_int_equal(cubin.size, strlen(codes[page]));
        assert_memory_equal(cubin.code, codes[page], cubin.size);
    }
    tess_cubin_clear(&cubin);
    return found;
}

static int set_up(void **state) {
    return mkdtemp(folder) && setenv("TESS_GPU_CODE", folder, 1) == 0 ? 0 : -1;
}

static int remove_file(void **state) {
    char path[PATH_MAX];
    path_of(80, path);
    unlink(path);
    return 0;
}

static int tear_down(void **state) {
    return rmdir(folder);
}

static void code_is_found_by_page_and_architecture(void **state) {
    assert_false(finds(0, 80, CUDA));
    write_file(80);
    assert_true(finds(0, 80, CUDA) && finds(1, 80, CUDA));
    assert_true(finds(0, 86, CUDA) && finds(1, 89, CUDA));
    assert_false(finds(0, 75, CUDA) || finds(0, 90, CUDA) || finds(0, 100, CUDA));
    tess_cubin cubin;
    assert_false(tess_shipped_code_find("a page of somebody else", 80, CUDA, &cubin));
    assert_false(tess_shipped_code_find("a page of somebody else", 80, CUDA, NULL));
    assert_null(cubin.code);
}

static void an_architecture_of_its_own_comes_first(void **state) {
    char path[PATH_MAX];
    write_file(80);
    write_bytes(86, "\n", 1); /* has none: the next one below is looked at */
    assert_true(finds(0, 86, CUDA));
    char bytes[MOST];
    const size_t size = fill_file(86, bytes);
    write_bytes(86, bytes, size);
    write_bytes(80, "\n", 1);
    assert_true(finds(0, 86, CUDA));
    assert_false(finds(0, 85, CUDA));
    path_of(86, path);
    unlink(path);
}

static void a_driver_of_an_earlier_major_version_takes_none(void **state) {
    write_file(80);
    assert_true(finds(0, 80, 13020) && finds(0, 80, 14000));
    assert_false(finds(0, 80, 12090) || tess_shipped_code_find(pages[0], 80, 12090, NULL));
}

/* In bytes of the first page's code, or anywhere else. */
static void a_damaged_file_gives_the_code_or_none(void **state) {
    char bytes[MOST];
    const size_t size = fill_file(80, bytes), first = size - strlen(codes[0]) - strlen(codes[1]);
    int n_found = 0;
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit += 4) {
            bytes[at] = (char)(bytes[at] ^ (1 << bit));
            write_bytes(80, bytes, size);
            const bool of_first = at >= first && at < first + strlen(codes[0]);
            const bool found = finds(0, 80, CUDA);
            assert_false(of_first && found);
            n_found += found;
            (void)finds(1, 80, CUDA);
            bytes[at] = (char)(bytes[at] ^ (1 << bit));
        }
    assert_true(n_found >= 2 * (int)strlen(codes[1]));
    for (size_t n = 0; n < size; n++) {
        write_bytes(80, bytes, n);
        assert_true(finds(0, 80, CUDA) == (n >= first + strlen(codes[0])));
        assert_false(finds(1, 80, CUDA));
    }
}

static void sizes_that_no_file_has_are_refused(void **state) {
    static const char *const sizes[] = {"9223372036854775807",  "-1", "0", "1000000000",
                                        "99999999999999999999", "x"};
    char key[TESS_CACHE_KEY], bytes[MOST];
    tess_cache_key((const char *const[]){"sm_80", tess_simt_text, pages[0], NULL}, key);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int of_another = 0; of_another < 2; of_another++) {
            char digest[TESS_CACHE_KEY];
            tess_cache_digest("", 0, digest);
            const int n =
                snprintf(bytes, MOST, "%s%s %d %s\n%s %s %d 1\n\n!", of_another ? "0" : key, digest,
                         CUDA, sizes[i], key, digest, CUDA);
            write_bytes(80, bytes, (size_t)n);
            assert_false(finds(0, 80, CUDA));
        }
}

static void a_folder_in_its_place_is_passed_over(void **state) {
    char path[PATH_MAX];
    path_of(80, path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(finds(0, 80, CUDA));
    rmdir(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(code_is_found_by_page_and_architecture, remove_file),
        cmocka_unit_test_teardown(an_architecture_of_its_own_comes_first, remove_file),
        cmocka_unit_test_teardown(a_driver_of_an_earlier_major_version_takes_none, remove_file),
        cmocka_unit_test_teardown(a_damaged_file_gives_the_code_or_none, remove_file),
        cmocka_unit_test_teardown(sizes_that_no_file_has_are_refused, remove_file),
        cmocka_unit_test(a_folder_in_its_place_is_passed_over),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
