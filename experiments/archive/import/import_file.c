/* An import file: what is imported, read whole; and which importer knows it. */
#include "core/base/byte_order_mark.h"
#include "core/base/input_file.h"
#include "core/base/registry.h"
#include "core/base/stream_text.h"
#include "experiments/archive/import/importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define X(name) extern const tess_importer tess_importer_##name;
#include "experiments/archive/import/list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_importer_##name,
#include "experiments/archive/import/list.h"
#undef X
    NULL};

static const tess_registry registry = {
    .items = items,
    .kind = "format",
    .words = {"?; 'tess import --help' lists them", "; 'tess import --help' lists them"}};

/* JSON knows neither NaN nor Infinity, but Python and Google Benchmark print them: each becomes an
 * empty object, which is no number and keeps the place of what follows. */
static void blank_what_is_no_number(char *text) {
    bool is_quoted = false;
    for (char *c = text; *c; c++) {
        if (*c == '\\' && is_quoted && c[1])
            c++;
        else if (*c == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && (strncmp(c, "NaN", 3) == 0 || strncmp(c, "Infinity", 8) == 0)) {
            const size_t n = *c == 'N' ? 3 : 8;
            memset(c, ' ', n);
            memcpy(c, "{}", 2);
            if (c > text && c[-1] == '-')
                c[-1] = ' ';
            c += n - 1;
        }
    }
}

static tess_status read_text(tess_import_file *file) {
    tess_status status = TESS_OK;
    FILE *stream = NULL;
    TRY(tess_input_open_stream(file->path, &stream));
    tess_stream_pass_mark(stream);
    CHECK(tess_stream_read(stream, &file->text, &file->size));
    if (ferror(stream))
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: cannot be read", file->path));
done:
    fclose(stream);
    return status;
}

static tess_status parse_json(tess_import_file *file) {
    json_error_t error;
    blank_what_is_no_number(file->text);
    file->json = json_loadb(file->text, (size_t)file->size, 0, &error);
    if (file->json)
        return TESS_OK;
    const bool is_cut = json_error_code(&error) == json_error_premature_end_of_input;
    FAIL(TESS_ERROR_INPUT, "%s:%d:%d: %s%s", file->path, error.line, error.column, error.text,
         is_cut ? ": the file is cut off here, or still being written" : "");
}

tess_status tess_import_file_open(const char *path, tess_import_file *out) {
    struct stat about;
    *out = (tess_import_file){.path = path};
    if (stat(path, &about) != 0)
        FAIL(TESS_ERROR_INPUT, "%s: %s", path, strerror(errno));
    out->is_folder = S_ISDIR(about.st_mode);
    if (out->is_folder)
        return TESS_OK;
    TRY(read_text(out));
    const char first = out->text[strspn(out->text, " \t\r\n")];
    return first == '{' ? parse_json(out) : TESS_OK;
}

void tess_import_file_close(tess_import_file *file) {
    json_decref(file->json);
    free(file->text);
    *file = (tess_import_file){0};
}

/* The names of all importers: "ncu, mlflow, csv". */
static void importer_names(char *out, size_t size) {
    size_t n = 0;
    for (int i = 0; tess_registry_at(&registry, i) && n < size; i++) {
        const tess_importer *importer = tess_registry_at(&registry, i);
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", importer->name);
    }
}

tess_status tess_importer_find(const char *name, const tess_import_file *file,
                               const tess_importer **out) {
    if (name) {
        *out = tess_registry_get(&registry, name);
        return *out ? TESS_OK : tess_registry_lacks(&registry, name);
    }
    for (int i = 0; (*out = tess_registry_at(&registry, i)) && !(*out)->knows(file);)
        i++;
    if (*out)
        return TESS_OK;
    char names[256];
    importer_names(names, sizeof names);
    FAIL(TESS_ERROR_INPUT,
         "%s: no format is known by which this is written; where it is one of %s, name it by "
         "--format",
         file->path, names);
}
