/* The way home: the commands that take what a run found into somebody's own mesh or code. */
#include "experiments/report/home.h"

#include "core/base/shell_word.h"
#include "experiments/campaign/given_mesh.h"
#include <stdio.h>
#include <string.h>

/* The text of a setting of a run, "" where it has none. */
static const char *setting_of(const tess_query *query, const char *name, int64_t row) {
    tess_run_field field;
    return tess_run_table_find(query->table, name, &field) && field.is_text
               ? tess_run_text(query->table, &field, row)
               : "";
}

/* Whether it is a run of one loop or chain on a GPU, or its emulator. */
static bool is_emitted(const tess_query *query, int64_t row) {
    const char *device = setting_of(query, "device", row);
    return *setting_of(query, "strategy", row) && *device &&
           strncmp(device, "host", strlen("host")) != 0 &&
           strcmp(setting_of(query, "loop", row), "step") != 0;
}

/* Whether its blocks were refined behind the partitioner, which an order of a mesh is not. */
static bool is_refined(const tess_query *query, int64_t row) {
    tess_run_field field;
    return tess_run_table_find(query->table, "refine", &field) && !field.is_text &&
           tess_run_number(query->table, &field, row) > 0;
}

/* " OPTION WORD", whatever a lab's word is: it is copied to a shell. */
static void print_word(const char *option, const char *word, FILE *stream) {
    fprintf(stream, " %s%s", option, *option ? " " : "");
    tess_shell_word_print(word, stream);
}

void tess_home_print_lab(const tess_lab *lab, FILE *stream) {
    if (!tess_lab_is_usual(lab))
        print_word("-l", tess_lab_folder(lab), stream);
}

static void print(const tess_query *query, int64_t row, const char *indent, FILE *stream) {
    tess_run_field size;
    const char *map = setting_of(query, "loop", row), *id = tess_run_table_id(query->table, row);
    const char *partitioner = setting_of(query, "partitioner", row);
    const char *order = setting_of(query, "order", row);
    const bool is_cut = strchr(map, ':') && strcmp(partitioner, "file-order") != 0 &&
                        !is_refined(query, row) &&
                        tess_run_table_find(query->table, "block_size", &size);
    const bool is_given = !*partitioner && *order && tess_given_order_is_ours(order);
    if (is_cut || is_given) {
        fprintf(stream, "%stess mesh reorder", indent);
        print_word("", setting_of(query, "mesh", row), stream);
        fputs(" OUT", stream);
        if (is_cut)
            print_word("--map", map, stream);
        print_word("-p", is_cut ? partitioner : order, stream);
        if (is_cut)
            fprintf(stream, " -b %.0f", tess_run_number(query->table, &size, row));
        fputc('\n', stream);
    } else if (*partitioner) {
        fprintf(stream, "%stess export -f arrays %s -o blocks", indent, id);
        tess_home_print_lab(query->lab, stream);
        fputc('\n', stream);
    }
    if (is_emitted(query, row)) {
        fprintf(stream, "%stess emit --settings @%s -o DIR", indent, id);
        tess_home_print_lab(query->lab, stream);
        fputc('\n', stream);
    }
}

tess_status tess_home_text(const tess_query *query, int64_t row, const char *indent, char **out) {
    size_t size = 0;
    FILE *stream = open_memstream(out, &size);
    if (!stream)
        FAIL(TESS_ERROR_MEMORY, "out of memory for the way home");
    if (row >= 0 && !*setting_of(query, "import_file", row)) /* of others nothing is known */
        print(query, row, indent, stream);
    if (fclose(stream) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for the way home");
    return TESS_OK;
}
