/* Writes the tables of quantities and of old words as JSON for Python: quantities_json FILE. A file that says so
 * already is left as it is. */
#include "core/plan/quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const subjects[] = {"run", "plan", "block", "block", "element", "setting"};

static json_t *quantity_json(const tess_quantity *one) {
    return json_pack("{s:s, s:s, s:f, s:s, s:s, s:i, s:s, s:b, s:s, s:s?, s:s?}", "name", one->name,
                     "title", one->title, "scale", one->scale, "format",
                     one->format ? one->format : "", "unit", one->unit ? one->unit : "", "better",
                     one->better, "of", subjects[one->of], "metric",
                     tess_metric_find(one->name) != NULL, "source", tess_source_name(one->source),
                     "long_name", one->long_name, "definition", one->definition);
}

static void print_item(FILE *out, int i, json_t *item) {
    char *text = item ? json_dumps(item, 0) : NULL;
    fprintf(out, "%s\n%s", i ? "," : "", text ? text : "");
    free(text);
    json_decref(item);
}

/* A line each. */
static void print_table(FILE *out) {
    int n = 0;
    fputs("{\"comment\": \"written by the build from core/plan/quantities.h and core/base/old_words.h\", \"quantities\": [",
          out);
    for (int i = 0; tess_quantity_at(i); i++)
        print_item(out, i, quantity_json(tess_quantity_at(i)));
    fputs("], \"renamed\": [", out);
#define RENAMED(old, now) print_item(out, n++, json_pack("[s, s]", #old, #now));
#include "core/plan/quantities.h"
    fputs("], \"old_words\": [", out);
    n = 0;
#define OLD_WORD(of, old, today) print_item(out, n++, json_pack("[s, s, s]", of, old, today));
#include "core/base/old_words.h"
#undef OLD_WORD
    fputs("]}\n", out);
}

static bool says(const char *path, const char *text) {
    const size_t size = strlen(text);
    char *found = malloc(size + 2);
    FILE *file = fopen(path, "r");
    const size_t n = file && found ? fread(found, 1, size + 1, file) : 0;
    const bool same = n == size && memcmp(found, text, size) == 0;
    if (file)
        fclose(file);
    free(found);
    return same;
}

int main(int argc, char **argv) {
    char *text = NULL;
    size_t size = 0;
    FILE *table = open_memstream(&text, &size);
    if (argc != 2 || !table)
        return EXIT_FAILURE;
    print_table(table);
    if (fclose(table) != 0)
        return EXIT_FAILURE;
    int code = EXIT_SUCCESS;
    if (!says(argv[1], text)) {
        FILE *file = fopen(argv[1], "w");
        if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
            perror(argv[1]);
            code = EXIT_FAILURE;
        }
    }
    free(text);
    return code;
}
