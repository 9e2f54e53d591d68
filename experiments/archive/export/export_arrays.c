/* The exporter of arrays: the blocks of one run as NumPy's .npy files, for codes of one's own. */
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/whole_file.h"
#include "data/archive/archive_reader.h"
#include "data/array_file.h"
#include "experiments/archive/export/exporter.h"

#include <stdlib.h>
#include <string.h>

/* An array of a plan file. */
typedef struct array_about {
    const char *name;
    tess_archive_type type;
    int rank;
    const char *meaning;
} array_about;

static const array_about of_partition[] = {
    {"block_of", TESS_ARCHIVE_INT32, 1,
     "the block of each element, or of each point where blocks own points"},
    {NULL}};
static const array_about of_plan[] = {
    {"executed", TESS_ARCHIVE_INT32, 1, "the element at each position, block after block"},
    {"block_offset", TESS_ARCHIVE_INT64, 1,
     "block b has the positions block_offset[b] to block_offset[b + 1] - 1"},
    {"thread_colour", TESS_ARCHIVE_INT32, 1,
     "of each position: what has one colour in a block increments no point twice"},
    {"block_colour", TESS_ARCHIVE_INT32, 1,
     "of each block: blocks of one colour increment no point twice"},
    {NULL}};
static const array_about of_set[] = {
    {"point_offset", TESS_ARCHIVE_INT64, 1,
     "block b reaches points[point_offset[b]] to points[point_offset[b + 1] - 1]"},
    {"points", TESS_ARCHIVE_INT32, 1, "the distinct points that each block reaches, ascending"},
    {"local_index", TESS_ARCHIVE_INT32, 2,
     "of each position and slot: that of the point among its block's; 65535: none"},
    {NULL}};
static const array_about of_order = {"order", TESS_ARCHIVE_INT32, 1,
                                     "new to old: where value i of the renumbered set stood"};

typedef struct arrays_export {
    tess_archive_reader *plan;
    const char *folder;
    json_t *arrays; /* of the list */
} arrays_export;

static tess_status write_npy(const char *path, const array_about *about, const int64_t *dims,
                             const void *values) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = false};
    const tess_named_array array = {
        .width = (int)tess_archive_type_size(about->type), .n = dims[0], .values = values};
    CHECK(tess_whole_file_open(path, &file));
    tess_npy_write(file.stream, &array, about->rank == 2 ? dims[1] : 0);
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    return status;
}

/* Writes the array at a path of the plan, where the plan has it, as FOLDER/[SET.]NAME.npy. */
static tess_status write_array(const arrays_export *to, const char *from, const char *set,
                               const array_about *about) {
    tess_status status = TESS_OK;
    char *path = NULL;
    int64_t dims[2] = {-1, -1};
    void *values = NULL;
    if (!tess_archive_exists(to->plan, from))
        return TESS_OK;
    CHECK(tess_archive_read_array(to->plan, from, about->type, about->rank, dims, &values));
    CHECK(tess_text_print(&path, "%s/%s%s%s.npy", to->folder, set, *set ? "." : "", about->name));
    CHECK(write_npy(path, about, dims, values));
    json_array_append_new(to->arrays,
                          json_pack("{s:o, s:s, s:I}", "file",
                                    tess_json_text(path + strlen(to->folder) + 1), "what",
                                    about->meaning, "length", (json_int_t)dims[0]));
done:
    free(values);
    free(path);
    return status;
}

static tess_status write_group(const arrays_export *to, const char *group, const char *set,
                               const array_about *about) {
    for (; about->name; about++) {
        char *from = NULL;
        TRY(tess_text_print(&from, "%s%s/%s", group, set, about->name));
        const tess_status status = write_array(to, from, set, about);
        free(from);
        TRY(status);
    }
    return TESS_OK;
}

static tess_status write_sets(const arrays_export *to) {
    tess_status status = TESS_OK;
    char **sets = NULL, **renumbered = NULL, *from = NULL;
    int n_sets = 0, n_renumbered = 0;
    CHECK(tess_archive_names(to->plan, "/plan/sets", &sets, &n_sets));
    for (int i = 0; i < n_sets; i++)
        CHECK(write_group(to, "/plan/sets/", sets[i], of_set));
    CHECK(tess_archive_names(to->plan, "/renumber", &renumbered, &n_renumbered));
    for (int i = 0; i < n_renumbered; i++) {
        free(from);
        CHECK(tess_text_print(&from, "/renumber/%s", renumbered[i]));
        CHECK(write_array(to, from, renumbered[i], &of_order));
    }
done:
    free(from);
    tess_archive_names_free(sets, n_sets);
    tess_archive_names_free(renumbered, n_renumbered);
    return status;
}

/* The list of the arrays comes last: where it is, all are. */
static tess_status write_list(const arrays_export *to, const char *run) {
    char *path = NULL;
    json_t *list =
        json_pack("{s:s, s:s, s:O}", "schema", "tess.arrays/1", "run", run, "arrays", to->arrays);
    char *text = list ? json_dumps(list, JSON_INDENT(1)) : NULL;
    json_decref(list);
    tess_status status = text ? tess_text_print(&path, "%s/arrays.json", to->folder)
                              : tess_fail(TESS_ERROR_MEMORY, "out of memory for a list of arrays");
    if (status == TESS_OK)
        status = tess_whole_file_write(path, text, strlen(text));
    free(text);
    free(path);
    return status;
}

static tess_status write_arrays(const tess_query *query, const char *folder) {
    tess_status status = TESS_OK;
    char path[TESS_PATH_SIZE];
    arrays_export to = {.folder = folder, .arrays = json_array()};
    CHECK(tess_export_plan_path(query, path));
    CHECK(tess_archive_open(path, "plan", &to.plan));
    CHECK(write_group(&to, "/partition", "", of_partition));
    CHECK(write_group(&to, "/plan", "", of_plan));
    CHECK(write_sets(&to));
    CHECK(write_list(&to, tess_run_table_id(query->table, query->rows[0])));
done:
    tess_archive_reader_free(to.plan);
    json_decref(to.arrays);
    return status;
}

const tess_exporter tess_exporter_arrays = {
    .name = "arrays",
    .summary = "order, blocks, colours and local indices of one run as .npy files in a folder",
    .write_folder = write_arrays};
