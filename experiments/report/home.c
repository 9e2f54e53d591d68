/* The way home: the commands that take what a run found into somebody's own mesh or code. */
#include "experiments/report/home.h"

#include "core/base/shell_word.h"
#include "core/base/stream_text.h"
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

/* The number of a setting of a run, 0 where it has none. */
static double number_of(const tess_query *query, const char *name, int64_t row) {
    tess_run_field field;
    const double value = tess_run_table_find(query->table, name, &field) && !field.is_text
                             ? tess_run_number(query->table, &field, row)
                             : 0;
    return value > 0 ? value : 0; /* NAN: this run has none */
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

static void print_reorder(const char *mesh, const char *map, const char *order, FILE *stream) {
    fputs("tess mesh reorder", stream);
    print_word("", mesh, stream);
    fputs(" OUT", stream);
    if (map)
        print_word("--map", map, stream);
    print_word("-p", order, stream);
}

void tess_home_print_cut(const tess_home_cut *cut, const tess_lab *lab, FILE *stream) {
    const bool is_order = strchr(cut->map, ':') && cut->block_size > 0 && !cut->is_refined &&
                          strcmp(cut->partitioner, "file-order") != 0;
    if (is_order) {
        print_reorder(cut->mesh, cut->map, cut->partitioner, stream);
        fprintf(stream, " -b %lld", (long long)cut->block_size);
    } else {
        fprintf(stream, "tess export -f arrays %s -o blocks", cut->run);
        tess_home_print_lab(lab, stream);
    }
}

static void print(const tess_query *query, int64_t row, const char *indent, FILE *stream) {
    const tess_home_cut cut = {.run = tess_run_table_id(query->table, row),
                               .mesh = setting_of(query, "mesh", row),
                               .map = setting_of(query, "loop", row),
                               .partitioner = setting_of(query, "partitioner", row),
                               .block_size = (int64_t)number_of(query, "block_size", row),
                               .is_refined = number_of(query, "refine", row) > 0};
    const char *order = setting_of(query, "order", row);
    const bool is_given = !*cut.partitioner && *order && tess_given_order_is_ours(order);
    if (is_given || *cut.partitioner) {
        fputs(indent, stream);
        if (is_given)
            print_reorder(cut.mesh, NULL, order, stream);
        else
            tess_home_print_cut(&cut, query->lab, stream);
        fputc('\n', stream);
    }
    if (is_emitted(query, row)) {
        fprintf(stream, "%stess emit --settings @%s -o DIR", indent, cut.run);
        tess_home_print_lab(query->lab, stream);
        fputc('\n', stream);
    }
}

tess_status tess_home_text(const tess_query *query, int64_t row, const char *indent, char **out) {
    tess_printed home;
    TRY(tess_printed_open(&home));
    if (row >= 0 && !*setting_of(query, "import_file", row)) /* of others nothing is known */
        print(query, row, indent, home.stream);
    return tess_printed_close(&home, TESS_OK, out);
}
