/* A step file: the settings of a step, as YAML. */
#include "experiments/bench/step_file.h"

#include "core/base/whole_file.h"
#include <stdlib.h>
#include <string.h>

static tess_status text_of(tess_yaml *yaml, const tess_yaml_node *node, const char *key,
                           const char **out) {
    *out = tess_yaml_text(node);
    if (!*out || !**out)
        return tess_yaml_fail(yaml, node, "%s is a word or a number", key);
    return TESS_OK;
}

/* What is wrong at a key is told where it stands; what this machine lacks is no fault of the file.
 */
static tess_status at(tess_yaml *yaml, const tess_yaml_node *node, const char *key,
                      tess_status status) {
    char words[1024];
    if (status != TESS_ERROR_USAGE && status != TESS_ERROR_INPUT)
        return status;
    snprintf(words, sizeof words, "%s", tess_message());
    return tess_yaml_fail(yaml, node, "%s: %s", key, words);
}

static tess_status check(tess_yaml *yaml, const tess_yaml_node **root) {
    const char *names[TESS_N_STEP_ONCE + 4] = {NULL};
    *root = tess_yaml_root(yaml);
    for (int i = 0; i < TESS_N_STEP_ONCE; i++)
        names[i] = tess_fields[tess_step_once[i]].name;
    names[TESS_N_STEP_ONCE] = "numbered_by";
    names[TESS_N_STEP_ONCE + 1] = "chains";
    names[TESS_N_STEP_ONCE + 2] = "loops";
    TRY(tess_yaml_check_map(yaml, *root, "a file of settings", names));
    if (!tess_yaml_find(yaml, *root, "application"))
        return tess_yaml_fail(yaml, *root,
                              "settings of which step? 'application: NAME' is missing");
    return TESS_OK;
}

/* Fails where the settings are of another application than the experiment's. */
static tess_status check_application(tess_yaml *yaml, const tess_yaml_node *node,
                                     const tess_experiment *x) {
    const char *text = NULL;
    TRY(text_of(yaml, node, "application", &text));
    const char *own = x->kernel ? x->kernel : x->application;
    if (!own && tess_user_step_is(text))
        return tess_yaml_fail(yaml, node,
                              "application: it is a step of somebody's: where you trust it, say "
                              "--kernel %s",
                              text);
    if (own && strcmp(own, text) != 0)
        return tess_yaml_fail(yaml, node, "application: these are settings of %s, not of %s", text,
                              own);
    return TESS_OK;
}

tess_status tess_step_file_share(tess_yaml *yaml, const bool *said, tess_experiment *experiment) {
    const tess_yaml_node *root = NULL;
    TRY(check(yaml, &root));
    TRY(check_application(yaml, tess_yaml_find(yaml, root, "application"), experiment));
    for (int i = 0; i < TESS_N_STEP_ONCE; i++) {
        const char *key = tess_fields[tess_step_once[i]].name, *text = NULL;
        const tess_yaml_node *node = tess_yaml_find(yaml, root, key);
        const bool is_own = tess_step_once[i] == TESS_FIELD_application && experiment->kernel;
        if (!node || is_own || said[tess_step_once[i]])
            continue;
        TRY(text_of(yaml, node, key, &text));
        TRY(at(yaml, node, key, tess_experiment_set(experiment, tess_step_once[i], text)));
    }
    return TESS_OK;
}

/* Sets what stands at one key of a loop. */
static tess_status apply_key(tess_yaml *yaml, const tess_yaml_node *loop, int i, int position,
                             tess_step *step) {
    const tess_yaml_node *key = tess_yaml_key(yaml, loop, i),
                         *value = tess_yaml_value(yaml, loop, i);
    const char *name = tess_yaml_text(key), *text = NULL;
    tess_field field = 0;
    TRY(at(yaml, key, name, tess_step_field(name, &field)));
    TRY(text_of(yaml, value, name, &text));
    const bool own = tess_step_is_of_loop(field);
    TRY(at(yaml, own ? value : key, name, tess_step_set(step, position, field, text)));
    if (field == TESS_FIELD_partitioner && step->loops[position].partitioner.plugin->runs_code)
        return tess_yaml_fail(yaml, value,
                              "%s executes code that whoever wrote the file chose: where you trust "
                              "it, say --set '%s.partitioner=%s' and leave the line out",
                              text, step->loops[position].loop, text);
    return TESS_OK;
}

static tess_status apply_loop(tess_yaml *yaml, const tess_yaml_node *loops, int i,
                              tess_step *step) {
    const tess_yaml_node *key = tess_yaml_key(yaml, loops, i),
                         *loop = tess_yaml_value(yaml, loops, i);
    const char *name = tess_yaml_text(key);
    int position = 0;
    TRY(at(yaml, key, name, tess_step_find(step, name, &position)));
    if (loop->type != YAML_MAPPING_NODE)
        return tess_yaml_fail(yaml, loop, "%s: the settings of a loop are a map of keys and values",
                              name);
    for (int k = 0; k < tess_yaml_pairs(loop); k++)
        TRY(apply_key(yaml, loop, k, position, step));
    return TESS_OK;
}

tess_status tess_step_file_apply(tess_yaml *yaml, tess_step *step) {
    const tess_yaml_node *root = NULL;
    TRY(check(yaml, &root));
    const tess_yaml_node *loops = tess_yaml_find(yaml, root, "loops");
    const tess_yaml_node *by = tess_yaml_find(yaml, root, "numbered_by");
    const tess_yaml_node *chains = tess_yaml_find(yaml, root, "chains");
    const char *text = NULL;
    if (chains) {
        TRY(text_of(yaml, chains, "chains", &text));
        TRY(at(yaml, chains, "chains", tess_step_check_chains(step, text)));
        TRY(tess_step_chain(step, text));
    }
    if (loops && loops->type != YAML_MAPPING_NODE)
        return tess_yaml_fail(yaml, loops, "loops is a map: the name of a loop, then its settings");
    for (int i = 0; loops && i < tess_yaml_pairs(loops); i++)
        TRY(apply_loop(yaml, loops, i, step));
    if (!by)
        return TESS_OK;
    TRY(text_of(yaml, by, "numbered_by", &text));
    return at(yaml, by, "numbered_by", tess_step_number_by(step, text));
}

/* A text in quotes, where a plain one would be read as something else. */
static void print_text(const char *text, FILE *stream) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+:-";
    const size_t n = strlen(text);
    if (n > 0 && strspn(text, plain) == n && text[n - 1] != ':' && text[0] != '-') {
        fputs(text, stream);
        return;
    }
    putc('"', stream);
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ')
            fprintf(stream, "\\x%02x", (unsigned)*c);
        else
            fprintf(stream, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    putc('"', stream);
}

/* A setting on a line of its own; what is unsaid has none, nor, with `brief`, what is usual. */
static tess_status print_field(const tess_experiment *x, tess_field field, const char *indent,
                               bool brief, FILE *stream) {
    const char *standard = tess_fields[field].standard[TESS_RUNNING];
    char *text = NULL;
    TRY(tess_experiment_text(x, field, &text));
    if (*text && !(brief && standard && strcmp(text, standard) == 0)) {
        fprintf(stream, "%s%s: ", indent, tess_fields[field].name);
        print_text(text, stream);
        putc('\n', stream);
    }
    free(text);
    return TESS_OK;
}

static tess_status print_loop(const tess_experiment *x, FILE *stream) {
    static const tess_field told[] = {TESS_FIELD_strategy, TESS_FIELD_partitioner,
                                      TESS_FIELD_block_size, TESS_FIELD_threads};
    enum { N_TOLD = sizeof told / sizeof *told };
    fprintf(stream, "  %s:\n", x->loop);
    for (int i = 0; i < N_TOLD; i++)
        TRY(print_field(x, told[i], "    ", false, stream));
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        bool is_told = false;
        for (int i = 0; i < N_TOLD; i++)
            is_told |= field == told[i];
        if (!is_told && tess_step_is_of_loop(field))
            TRY(print_field(x, field, "    ", true, stream));
    }
    return TESS_OK;
}

static tess_status print(const tess_step *step, const char *about, FILE *stream) {
    const tess_experiment *first = &step->loops[step->first];
    fputs(about, stream);
    if (first->kernel) {
        fputs("application: ", stream);
        print_text(first->kernel, stream);
        putc('\n', stream);
    }
    for (int i = 0; i < TESS_N_STEP_ONCE; i++)
        TRY(print_field(first, tess_step_once[i], "",
                        tess_step_once[i] == TESS_FIELD_pairs ||
                            tess_step_once[i] == TESS_FIELD_arithmetic,
                        stream));
    fprintf(stream, "numbered_by: %s\n", first->loop);
    if (step->chains) {
        fputs("chains: ", stream);
        print_text(step->chains, stream);
        putc('\n', stream);
    }
    fputs("loops:\n", stream);
    for (int i = 0; i < step->n; i++)
        TRY(print_loop(&step->loops[i], stream));
    return TESS_OK;
}

tess_status tess_step_file_write(const tess_step *step, const char *about, const char *path) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.path = NULL};
    CHECK(tess_whole_file_open(path, &file));
    CHECK(print(step, about, file.stream));
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    return status;
}
