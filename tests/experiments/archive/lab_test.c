/* Labs: meshes and records come back as they were stored, under names that mean them. */
#include "core/base/array.h"
#include "core/base/whole_file.h"
#include "data/archive/archive_reader.h"
#include "experiments/archive/lab.h"
#include "experiments/archive/run_id.h"
#include "experiments/archive/run_query.h"
#include "tests/experiments/archive/scratch_folder.h"
#include "tests/unit.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* HDF5 itself loses memory when a file is damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5";
}

static tess_lab *lab_named(const char *name) {
    char path[64];
    tess_lab *lab = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    OK(tess_lab_open(path, true, &lab));
    return lab;
}

static void *copy_of(const void *values, size_t size) {
    void *copy = NULL;
    OK(tess_array_alloc((int64_t)size, 1, &copy));
    memcpy(copy, values, size);
    return copy;
}
#define COPY(...) copy_of((__VA_ARGS__), sizeof(__VA_ARGS__))

/* Two triangles of a square, sets and maps in the order given. */
static tess_mesh *square(bool reversed) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("square", 2, &mesh));
    static const char *const names[] = {"nodes", "cells", "bedges", "cell_pairs"};
    static const int sizes[] = {4, 2, 0, 2};
    for (int i = 0; i < 4; i++) {
        const int k = reversed ? 3 - i : i;
        OK(tess_mesh_add_set(mesh, names[k], sizes[k], NULL));
    }
    int32_t *cells = COPY((const int32_t[]){0, 1, 2, 0, 2, 3});
    int32_t *padded = COPY((const int32_t[]){1, -1, 0, -1});
    OK(tess_mesh_add_map(mesh, "cells", "nodes", 3, 0, cells));
    OK(tess_mesh_add_map(mesh, "cells", "cells", 2, TESS_MAP_PADDED | TESS_MAP_DERIVED, padded));
    OK(tess_mesh_add_map(mesh, "bedges", "nodes", 2, 0, COPY((const int32_t[]){0})));
    OK(tess_mesh_add_map(mesh, "cell_pairs", "cells", 2, TESS_MAP_DERIVED | TESS_MAP_PAIRS,
                         COPY((const int32_t[]){0, 1, 1, 0})));
    mesh->coordinates = COPY((const double[]){0, 0, 1, 0, 1, 1, 0, 1});
    OK(tess_mesh_add_dat(mesh, "q", "nodes", 1, TESS_FLOAT, COPY((const float[]){1, 2, 3, 4})));
    OK(tess_mesh_add_dat(mesh, "n_cells", "cells", 1, TESS_INT32, COPY((const int32_t[]){1, 1})));
    int marker = -1;
    OK(tess_mesh_add_marker(mesh, "wall, \xc3\xbc", &marker));
    OK(tess_mesh_warn(mesh, "a warning"));
    return mesh;
}

static void meshes_come_back_as_they_were(void **state) {
    tess_lab *lab = lab_named("meshes");
    tess_mesh *mesh = square(false), *other = square(true), *back = NULL;
    char digest[TESS_DIGEST_SIZE], other_digest[TESS_DIGEST_SIZE], back_digest[TESS_DIGEST_SIZE];
    OK(tess_lab_store_mesh(lab, mesh, digest));
    OK(tess_lab_store_mesh(lab, other, other_digest));
    assert_string_equal(digest, other_digest); /* the order of sets does not count */
    OK(tess_lab_read_mesh(lab, digest, &back));
    OK(tess_digest_of_mesh(back, back_digest));
    assert_string_equal(digest, back_digest);
    assert_int_equal(back->n_sets, 4);
    assert_string_equal(back->sets[2].name, "bedges");
    assert_int_equal(back->n_maps, 4);
    assert_string_equal(back->maps[1].name, "cells:cells");
    assert_true(back->maps[1].padded && back->maps[1].derived && !back->maps[1].pairs);
    assert_true(back->maps[3].derived && back->maps[3].pairs);
    assert_int_equal(back->n_dats, 2);
    assert_string_equal(back->markers[0], "wall, \xc3\xbc");
    assert_string_equal(back->warnings[0], "a warning");
    assert_memory_equal(back->coordinates, mesh->coordinates, 8 * sizeof(double));
    mesh->coordinates[3] = 0.5;
    OK(tess_digest_of_mesh(mesh, other_digest));
    assert_string_not_equal(digest, other_digest);
    tess_mesh_free(mesh);
    tess_mesh_free(other);
    tess_mesh_free(back);
    tess_lab_close(lab);
}

static tess_record *record_of_a_run(void) {
    char *const argv[] = {"tess", "partition", "a mesh.su2", NULL};
    tess_record *record = NULL;
    OK(tess_record_new(3, argv, &record));
    OK(tess_values_set_text(&record->configuration, "partitioner", "metis"));
    OK(tess_values_set_number(&record->configuration, "block_size", 128, "1"));
    OK(tess_record_add_measure(record, "reuse_factor", "1", "plan", 2.5));
    OK(tess_record_add_measure(record, "bandwidth", "B/s", "timer", 1e12));
    OK(tess_record_add_measure(record, "reuse_factor", "1", "emulator", 2.25));
    for (int i = 0; i < 3; i++)
        OK(tess_record_add_sample(record, "time", "s", 0.1 * i));
    OK(tess_record_add_step(record, "partition", 1.5));
    OK(tess_record_set_check(record, TESS_FAILED, "block 3 holds 129"));
    OK(tess_record_log(record, "%d blocks were repaired", 7));
    return record;
}

static void records_come_back_as_they_were(void **state) {
    tess_lab *lab = lab_named("records");
    tess_record *record = record_of_a_run(), *back = NULL;
    OK(tess_lab_store_run(lab, record));
    OK(tess_lab_read_run(lab, record->id, &back));
    assert_string_equal(back->id, record->id);
    assert_string_equal(back->time, record->time);
    assert_int_equal(back->outcome, TESS_FAILED);
    assert_string_equal(tess_values_text(&back->check, "message"), "block 3 holds 129");
    assert_string_equal(tess_values_text(&back->environment, "command"),
                        "tess partition 'a mesh.su2'");
    assert_true(tess_values_find(&back->environment, "memory")->number > 0);
    assert_true(tess_values_find(&back->configuration, "block_size")->number == 128);
    assert_true(isnan(tess_values_find(&back->configuration, "partitioner")->number));
    assert_true(tess_record_measure(back, "reuse_factor", "emulator") == 2.25);
    assert_true(tess_record_measure(back, "reuse_factor", NULL) == 2.5);
    assert_true(isnan(tess_record_measure(back, "nothing", NULL)));
    assert_string_equal(back->series[0].unit, "s");
    assert_true(back->series[0].n == 3 && back->series[0].values[2] == 0.2);
    assert_string_equal(tess_values_find(&back->steps, "partition")->unit, "s");
    assert_string_equal(back->log, "7 blocks were repaired\n");
    tess_record_free(record);
    tess_record_free(back);
    tess_lab_close(lab);
}

static double number_at(const tess_query *query, int64_t row, const char *key) {
    json_t *object = tess_query_json(query, row);
    const json_t *value = json_object_get(object, key);
    const double number = value ? json_number_value(value) : NAN;
    json_decref(object);
    return number;
}

/* A metric that a run has from several sources is told with each, else by its name. */
static void metrics_name_their_source_where_there_are_several(void **state) {
    tess_lab *lab = lab_named("sources");
    tess_query *query = NULL;
    tess_record *records[2] = {record_of_a_run()};
    char *const argv[] = {"tess", "partition", NULL};
    OK(tess_record_new(2, argv, &records[1]));
    OK(tess_record_add_measure(records[1], "reuse_factor", "1", "plan", 3));
    char path[64];
    for (int i = 0; i < 2; i++)
        OK(tess_lab_store_run(lab, records[i]));
    snprintf(path, sizeof path, "%s/sources", folder);
    OK(tess_query_open(path, &query));
    assert_true(number_at(query, 0, "reuse_factor@plan") == 2.5);
    assert_true(number_at(query, 0, "reuse_factor@emulator") == 2.25);
    assert_true(isnan(number_at(query, 0, "reuse_factor")));
    assert_true(number_at(query, 1, "reuse_factor") == 3);
    assert_true(isnan(number_at(query, 1, "reuse_factor@plan")));
    assert_true(number_at(query, 0, "bandwidth") == 1e12);
    tess_query_close(query);
    for (int i = 0; i < 2; i++)
        tess_record_free(records[i]);
    tess_lab_close(lab);
}

static void numbers_are_written_with_as_many_digits_as_they_need(void **state) {
    tess_values values = {.n = 0};
    OK(tess_values_set_number(&values, "k", 0.3, "1"));
    assert_string_equal(tess_values_text(&values, "k"), "0.3");
    OK(tess_values_set_number(&values, "k", 0.1 + 0.2, "1"));
    assert_string_equal(tess_values_text(&values, "k"), "0.30000000000000004");
    tess_values_clear(&values);
}

static void home_is_redacted(void **state) {
    static const char *const homes[] = {"/home/ada", "/home/ada/"};
    for (int i = 0; i < 2; i++) {
        char *text = NULL;
        assert_int_equal(setenv("HOME", homes[i], 1), 0);
        OK(tess_redact_home("--lab=/home/ada/lab /home/ada /home/adam /x/home/ada", &text));
        assert_string_equal(text, "--lab=~/lab ~ /home/adam /x/home/ada");
        free(text);
    }
}

static void ids_sort_and_name_runs(void **state) {
    tess_lab *lab = lab_named("ids");
    tess_record *record = record_of_a_run();
    char first[TESS_RUN_ID_SIZE], last[TESS_RUN_ID_SIZE] = "", found[TESS_RUN_ID_SIZE];
    for (int i = 0; i < 20; i++) {
        OK(tess_lab_store_run(lab, record));
        assert_true(tess_run_id_is(record->id));
        assert_true(strcmp(record->id, last) > 0);
        strcpy(last, record->id);
        if (i == 0)
            strcpy(first, record->id);
    }
    char **ids = NULL;
    int64_t n = 0;
    OK(tess_lab_names(lab, "runs", &ids, &n));
    assert_int_equal(n, 20);
    assert_string_equal(ids[0], first);
    tess_lab_names_free(ids);
    OK(tess_lab_find(lab, "@last", found));
    assert_string_equal(found, last);
    OK(tess_lab_find(lab, "@last~19", found));
    assert_string_equal(found, first);
    assert_int_equal(tess_lab_find(lab, "@last~20", found), TESS_ERROR_INPUT);
    assert_int_equal(tess_lab_find(lab, "@last~x", found), TESS_ERROR_USAGE);
    OK(tess_lab_find(lab, first, found));
    first[4] = '\0';
    assert_int_equal(tess_lab_find(lab, first, found), TESS_ERROR_INPUT); /* all 20 */
    assert_int_equal(tess_lab_find(lab, "zzzz", found), TESS_ERROR_INPUT);
    tess_record_free(record);
    tess_lab_close(lab);
}

static void a_lab_that_is_not_there_is_named(void **state) {
    tess_lab *lab = NULL;
    assert_int_equal(tess_lab_open("/nowhere/at/all", false, &lab), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "/nowhere/at/all"));
}

/* A file system that is full: no file may pass a few bytes. */
static void full_disk_says_so_and_loses_nothing(void **state) {
    tess_lab *lab = lab_named("full");
    tess_record *record = record_of_a_run();
    OK(tess_lab_store_run(lab, record));
    struct rlimit before, tiny;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tiny = before;
    tiny.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    const tess_status failed = tess_lab_store_run(lab, record);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(failed, TESS_ERROR_IO);
    assert_non_null(strstr(tess_message(), "File too large"));
    char command[128];
    snprintf(command, sizeof command, "test $(ls -A %s/runs | wc -l) = 1", tess_lab_folder(lab));
    assert_int_equal(system(command), 0); /* the first run, and no temporary */
    OK(tess_lab_store_run(lab, record));
    tess_record_free(record);
    tess_lab_close(lab);
}

static void temporaries_of_the_dead_are_stale(void **state) {
    char path[128], host[65], name[160];
    gethostname(host, sizeof host);
    host[strcspn(host, ".")] = '\0';
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    snprintf(name, sizeof name, ".x.hdf.%s.%d.0123456789abcdef.tmp", host, (int)child);
    assert_true(tess_whole_file_is_temporary(name));
    assert_true(tess_whole_file_is_stale(folder, name));
    snprintf(name, sizeof name, ".x.hdf.%s.%d.0123456789abcdef.tmp", host, (int)getpid());
    snprintf(path, sizeof path, "%s/%.100s", folder, name);
    fclose(fopen(path, "w"));
    assert_false(tess_whole_file_is_stale(folder, name));
    assert_false(tess_whole_file_is_temporary("x.hdf"));
}

/* Flips or cuts bytes of a run and a mesh: reading fails by name or gives what was there. */
static void damage_is_an_error_not_a_crash(void **state) {
    tess_lab *lab = lab_named("damage");
    tess_record *record = record_of_a_run();
    tess_mesh *mesh = square(false);
    char digest[TESS_DIGEST_SIZE], *paths[2];
    OK(tess_lab_store_run(lab, record));
    OK(tess_lab_store_mesh(lab, mesh, digest));
    OK(tess_lab_file(lab, "runs", record->id, &paths[0]));
    OK(tess_lab_file(lab, "meshes", digest, &paths[1]));
    unsigned seed = 1;
    for (int p = 0; p < 2; p++) {
        FILE *file = fopen(paths[p], "r+");
        static char bytes[1 << 20], damaged[1 << 20];
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        int n_refused = 0;
        for (int trial = 0; trial < 300; trial++) {
            memcpy(damaged, bytes, size);
            const size_t at = (size_t)rand_r(&seed) % size;
            const size_t length = trial % 3 == 0 ? at : size;
            damaged[at] ^= (char)(1 << (trial & 7));
            rewind(file);
            assert_int_equal(ftruncate(fileno(file), 0), 0);
            assert_int_equal(fwrite(damaged, 1, length, file), length);
            fflush(file);
            tess_archive_reader *reader = NULL;
            tess_status status = tess_archive_open(paths[p], NULL, &reader);
            if (status == TESS_OK)
                status = tess_archive_read_all(reader);
            tess_archive_reader_free(reader);
            n_refused += status != TESS_OK;
            tess_record *back = NULL;
            tess_mesh *back_mesh = NULL;
            status = p == 0 ? tess_lab_read_run(lab, record->id, &back)
                            : tess_lab_read_mesh(lab, digest, &back_mesh);
            if (status != TESS_OK)
                assert_non_null(strstr(tess_message(), paths[p]));
            tess_record_free(back);
            tess_mesh_free(back_mesh);
        }
        assert_true(n_refused > 200); /* what is not refused was padding */
        fclose(file);
        free(paths[p]);
    }
    tess_mesh_free(mesh);
    tess_record_free(record);
    tess_lab_close(lab);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_come_back_as_they_were),
        cmocka_unit_test(records_come_back_as_they_were),
        cmocka_unit_test(metrics_name_their_source_where_there_are_several),
        cmocka_unit_test(numbers_are_written_with_as_many_digits_as_they_need),
        cmocka_unit_test(home_is_redacted),
        cmocka_unit_test(ids_sort_and_name_runs),
        cmocka_unit_test(a_lab_that_is_not_there_is_named),
        cmocka_unit_test(full_disk_says_so_and_loses_nothing),
        cmocka_unit_test(temporaries_of_the_dead_are_stale),
        cmocka_unit_test(damage_is_an_error_not_a_crash),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
