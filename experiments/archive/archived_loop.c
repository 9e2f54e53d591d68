/* The loop of a plan in its file: written, and read back. */
#include "experiments/archive/archived_loop.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* An arg of the loop as a row of /loop/args. */
typedef struct arg_row {
    char dat[TESS_NAME_SIZE], set[TESS_NAME_SIZE], map[TESS_NAME_SIZE];
    char type[8], access[8];
    int32_t slot, dim;
} arg_row;

enum { ARG_COLUMNS = 7 };

static const tess_archive_column arg_columns[ARG_COLUMNS] = {
    {"dat", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(arg_row, dat)},
    {"set", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(arg_row, set)},
    {"map", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(arg_row, map)},
    {"slot", TESS_ARCHIVE_INT32, sizeof(int32_t), offsetof(arg_row, slot)},
    {"dim", TESS_ARCHIVE_INT32, sizeof(int32_t), offsetof(arg_row, dim)},
    {"type", TESS_ARCHIVE_TEXT, 8, offsetof(arg_row, type)},
    {"access", TESS_ARCHIVE_TEXT, 8, offsetof(arg_row, access)},
};
static const tess_archive_row loop_row = {arg_columns, ARG_COLUMNS, sizeof(arg_row)};

/* The maps that count: the loop's increment maps, or its read maps where it increments nothing. */
static tess_status write_maps_attribute(const tess_loop *loop, tess_archive_writer *file) {
    const char **maps = NULL;
    TRY(TESS_ALLOC(loop->n_args, &maps));
    int n = 0;
    for (int reads = 0; reads < 2 && n == 0; reads++) {
        for (int i = 0; i < loop->n_args; i++) {
            const tess_arg *arg = &loop->args[i];
            bool known = !arg->map[0] || (arg->access == TESS_READ) != reads;
            for (int j = 0; j < n; j++)
                known |= strcmp(maps[j], arg->map) == 0;
            if (!known)
                maps[n++] = arg->map;
        }
    }
    const tess_status status = tess_archive_attribute_texts(file, "/", "maps", n, maps);
    free(maps);
    return status;
}

tess_status tess_archived_loop_write(const tess_loop *loop, tess_archive_writer *file) {
    arg_row *rows = NULL;
    TRY(tess_archive_attribute_text(file, "/", "loop", loop->name));
    TRY(write_maps_attribute(loop, file));
    TRY(tess_archive_attribute_text(file, "/", "set", loop->set));
    TRY(TESS_ZEROS(loop->n_args, &rows));
    for (int i = 0; i < loop->n_args; i++) {
        const tess_arg *arg = &loop->args[i];
        strcpy(rows[i].dat, arg->dat);
        strcpy(rows[i].set, arg->set);
        strcpy(rows[i].map, arg->map);
        strcpy(rows[i].type, tess_type_name(arg->type));
        strcpy(rows[i].access, tess_access_name(arg->access));
        rows[i].slot = arg->slot;
        rows[i].dim = arg->dim;
    }
    const tess_status status =
        tess_archive_write_table(file, "/loop/args", &loop_row, loop->n_args, rows, "1");
    free(rows);
    return status;
}

static tess_status access_parse(const tess_archive_reader *file, const char *name,
                                tess_access *access) {
    for (*access = TESS_READ; *access <= TESS_INC; ++*access)
        if (strcmp(name, tess_access_name(*access)) == 0)
            return TESS_OK;
    return tess_archive_damaged(file, "the access '%s' is unknown", name);
}

tess_status tess_archived_loop_read(const tess_archive_reader *file, tess_loop **out) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    arg_row *rows = NULL;
    int64_t n = 0;
    char name[TESS_NAME_SIZE], set[TESS_NAME_SIZE];
    CHECK(tess_archive_read_root_text(file, "loop", sizeof name, name));
    CHECK(tess_archive_read_root_text(file, "set", sizeof set, set));
    CHECK(tess_loop_new(name, set, &loop));
    CHECK(tess_archive_read_table(file, "/loop/args", &loop_row, &n, (void **)&rows));
    for (int64_t i = 0; i < n; i++) {
        tess_arg arg = {.slot = rows[i].slot, .dim = rows[i].dim};
        strcpy(arg.dat, rows[i].dat);
        strcpy(arg.set, rows[i].set);
        strcpy(arg.map, rows[i].map);
        if (tess_type_parse(rows[i].type, &arg.type) != TESS_OK)
            CHECK(tess_archive_damaged(file, "the type '%s' is unknown", rows[i].type));
        CHECK(access_parse(file, rows[i].access, &arg.access));
        CHECK(tess_loop_add_arg(loop, &arg));
    }
    *out = TESS_TAKE(loop);
done:
    free(rows);
    tess_loop_free(loop);
    return status;
}
