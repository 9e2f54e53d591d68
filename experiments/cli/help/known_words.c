/* Known words: names that a mesh or a lab has, for a shell that completes them. */
#include "experiments/cli/help/known_words.h"

#include "core/base/folder.h"
#include "core/mesh/derive.h"
#include "data/mesh_open.h"
#include "experiments/archive/run_query.h"
#include "experiments/archive/tags.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 40 };

void tess_known_maps_print(const char *before, const char *mesh, FILE *stream) {
    tess_mesh *opened = NULL;
    const char **names = NULL;
    if (tess_mesh_open(mesh, &opened) == TESS_OK && tess_mesh_derivable(opened, &names) == TESS_OK)
        for (int i = 0; names[i]; i++)
            fprintf(stream, "%s%s\ta map of the mesh\n", before, names[i]);
    free(names);
    tess_mesh_free(opened);
}

/* What a run is of, where it has it: "north_sea.msh metis 128". */
static void print_about(const tess_query *query, int64_t row, FILE *stream) {
    static const char *const names[] = {"mesh", "partitioner", "strategy"};
    tess_run_field field;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!tess_run_table_find(query->table, names[i], &field))
            continue;
        const char *text = tess_run_text(query->table, &field, row);
        fprintf(stream, "%s%s", i && *text ? " " : "", i == 0 ? tess_last_of_path(text) : text);
    }
}

static void print_tags(const char *before, const char *prefix, const tess_tags *tags,
                       FILE *stream) {
    for (int64_t i = 0; i < tags->n; i++) {
        int64_t first = 0;
        while (strcmp(tags->items[first].name, tags->items[i].name) != 0)
            first++;
        if (first == i)
            fprintf(stream, "%s%s%s\ta tag\n", before, prefix, tags->items[i].name);
    }
}

void tess_known_runs_print(const char *before, const char *lab, FILE *stream) {
    tess_query *query = NULL;
    if (tess_query_open(lab, &query) != TESS_OK)
        return;
    const int width = tess_query_id_width(query);
    for (int64_t back = 0; back < query->n_rows && back < MOST_RUNS; back++) {
        const int64_t row = query->rows[query->n_rows - 1 - back];
        char last[32] = "@last";
        if (back)
            snprintf(last, sizeof last, "@last~%lld", (long long)back);
        for (int named = 0; named < 2; named++) {
            fprintf(stream, "%s%.*s\t", before, named ? (int)sizeof last : width,
                    named ? last : tess_run_table_id(query->table, row));
            print_about(query, row, stream);
            fputc('\n', stream);
        }
    }
    print_tags(before, "tag:", query->tags, stream);
    tess_query_close(query);
}

void tess_known_tags_print(const char *before, const char *lab, FILE *stream) {
    tess_lab *opened = NULL;
    tess_tags *tags = NULL;
    if (tess_lab_open(lab, false, &opened) == TESS_OK && tess_tags_read(opened, &tags) == TESS_OK)
        print_tags(before, "", tags, stream);
    tess_tags_free(tags);
    tess_lab_close(opened);
}
