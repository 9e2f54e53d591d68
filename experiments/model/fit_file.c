/* A fit's file: YAML that a person can read, with all that says where its numbers are from. */
#include "core/base/old_word.h"
#include "core/base/whole_file.h"
#include "core/base/yaml_file.h"
#include "experiments/model/fit.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/text_writer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TESS_EMBED(tess_fit_h100_text, "experiments/model/machines/h100.fit.yaml");
TESS_EMBED(tess_fit_h200_text, "experiments/model/machines/h200.fit.yaml");

static const struct {
    const char *name, *text;
} shipped[] = {{"h100", tess_fit_h100_text}, {"h200", tess_fit_h200_text}};

static const char all_strategies[] = "all"; /* and all layouts */

static void print_errors(tess_text_writer *writer, const tess_fit *fit) {
    tess_text_writer_print(writer,
                           "errors: # of predictions without the mesh; low .. high: the middle "
                           "90 %% of measured / predicted\n");
    for (int i = 0; i < fit->n_errors; i++) {
        const tess_fit_errors *one = &fit->errors[i];
        tess_text_writer_print(
            writer,
            "  - {strategy: %s, points: %d, median: %.4f, p90: %.4f, bias: %.4f, "
            "low: %.4f, high: %.4f}\n",
            one->base, one->n_points, one->median, one->p90, one->bias, one->low, one->high);
    }
}

/* A way's slopes, or those of all. */
static void print_variant(tess_text_writer *writer, const char *strategy, const char *layout,
                          double offset, const double *slope) {
    tess_text_writer_print(writer, "  - {strategy: \"%s\", layout: %s, offset: %.4f", strategy,
                           *layout ? layout : all_strategies, offset);
    for (int t = 0; t < TESS_N_TRAITS; t++)
        tess_text_writer_print(writer, "%s%s: %.4f", t % 6 == 0 ? ",\n    " : ", ",
                               tess_trait_name(t), slope[t]);
    tess_text_writer_print(writer, "}\n");
}

static void print_slopes(tess_text_writer *writer, const tess_slopes *slopes) {
    if (slopes->n == 0)
        return;
    tess_text_writer_print(writer, "traits: # logarithms that slopes are of\n");
    for (int t = 0; t < TESS_N_TRAITS; t++)
        tess_text_writer_print(writer, "  %s: {mean: %.5g, deviation: %.5g}\n", tess_trait_name(t),
                               slopes->mean[t], slopes->deviation[t]);
    tess_text_writer_print(writer, "slopes: # of the logarithm of measured / modelled\n");
    print_variant(writer, all_strategies, "", 0, slopes->slope);
    for (int w = 0; w < slopes->n; w++)
        print_variant(writer, slopes->variants[w].strategy, slopes->variants[w].layout,
                      slopes->variants[w].offset, slopes->variants[w].slope);
}

static void print_offsets(tess_text_writer *writer, const tess_offsets *offsets) {
    if (offsets->n > 0)
        tess_text_writer_print(writer, "offsets: # of applications, of the same logarithm\n");
    for (int i = 0; i < offsets->n; i++)
        tess_text_writer_print(writer, "  - {of: \"%s\", offset: %.4f}\n", offsets->one[i].of,
                               offsets->one[i].value);
}

tess_status tess_fit_write(const tess_fit *fit, const char *path) {
    tess_text_writer writer = {.text = NULL};
    tess_text_writer_print(
        &writer,
        "fit: %s\ndevice: %s\nmachine_digest: \"%s\"\ncommit: \"%s\"\npoints: %d\n"
        "constants:\n",
        fit->machine, fit->device, fit->digest, fit->commit, fit->n_points);
    for (int c = 0; c < TESS_N_CONSTANTS; c++)
        tess_text_writer_print(&writer, "  %s: %.6g # %s, %s\n", tess_constants[c].name,
                               fit->constants[c], tess_constants[c].unit,
                               tess_constants[c].fitted ? "fitted" : "the machine's");
    tess_text_writer_print(&writer, "kinds: # a factor beside the model's time\n");
    for (int k = 0; k < fit->n_kinds; k++)
        tess_text_writer_print(&writer,
                               "  - {strategy: \"%s\", layout: \"%s\", factor: %.4f, points: %d, "
                               "meshes: %d}\n",
                               fit->kinds[k].strategy, fit->kinds[k].layout, fit->kinds[k].factor,
                               fit->kinds[k].n_points, fit->kinds[k].n_meshes);
    print_slopes(&writer, &fit->slopes);
    print_offsets(&writer, &fit->slopes.offsets);
    print_errors(&writer, fit);
    tess_status status = tess_text_writer_finish(&writer);
    if (status == TESS_OK)
        status = tess_whole_file_write(path, writer.text, (size_t)writer.length);
    tess_text_writer_clear(&writer);
    return status;
}

/* The number of a key, which must be there and finite. */
static tess_status read_number(tess_yaml *yaml, const tess_yaml_node *map, const char *key,
                               double *out) {
    const tess_yaml_node *node = tess_yaml_find(yaml, map, key);
    const char *text = node ? tess_yaml_text(node) : NULL;
    char *end = NULL;
    *out = text ? strtod(text, &end) : NAN;
    if (!text || end == text || *end || !isfinite(*out))
        return tess_yaml_fail(yaml, node ? node : map, "a fit needs the number '%s'", key);
    return TESS_OK;
}

static tess_status read_text(tess_yaml *yaml, const tess_yaml_node *map, const char *key, char *out,
                             size_t size) {
    const tess_yaml_node *node = tess_yaml_find(yaml, map, key);
    const char *text = node ? tess_yaml_text(node) : NULL;
    if (!text)
        return tess_yaml_fail(yaml, node ? node : map, "a fit needs the text '%s'", key);
    char *today = NULL;
    TRY(tess_text_spelled(TESS_SPELLED_TODAY, key, text, &today));
    snprintf(out, size, "%s", today);
    free(today);
    return TESS_OK;
}

static tess_status read_constants(tess_yaml *yaml, const tess_yaml_node *map, tess_fit *out) {
    for (int c = 0; c < TESS_N_CONSTANTS; c++) {
        TRY(read_number(yaml, map, tess_constants[c].name, &out->constants[c]));
        if (out->constants[c] <= 0)
            return tess_yaml_fail(yaml, tess_yaml_find(yaml, map, tess_constants[c].name),
                                  "'%s' must be above 0", tess_constants[c].name);
    }
    return TESS_OK;
}

static tess_status read_kind(tess_yaml *yaml, const tess_yaml_node *node, tess_fit_kind *out) {
    double points = 0, meshes = 0;
    TRY(read_text(yaml, node, "strategy", out->strategy, sizeof out->strategy));
    TRY(read_text(yaml, node, "layout", out->layout, sizeof out->layout));
    TRY(read_number(yaml, node, "factor", &out->factor));
    TRY(read_number(yaml, node, "points", &points));
    TRY(read_number(yaml, node, "meshes", &meshes));
    out->n_points = (int)points;
    out->n_meshes = (int)meshes;
    return TESS_OK;
}

static tess_status read_errors(tess_yaml *yaml, const tess_yaml_node *node, tess_fit_errors *out) {
    double points = 0;
    TRY(read_text(yaml, node, "strategy", out->base, sizeof out->base));
    TRY(read_number(yaml, node, "points", &points));
    TRY(read_number(yaml, node, "median", &out->median));
    TRY(read_number(yaml, node, "p90", &out->p90));
    TRY(read_number(yaml, node, "bias", &out->bias));
    TRY(read_number(yaml, node, "low", &out->low));
    TRY(read_number(yaml, node, "high", &out->high));
    out->n_points = (int)points;
    return TESS_OK;
}

static tess_status read_variant(tess_yaml *yaml, const tess_yaml_node *node,
                                tess_slopes_variant *out) {
    TRY(read_text(yaml, node, "strategy", out->strategy, sizeof out->strategy));
    if (!tess_yaml_find(yaml, node, "layout"))
        return tess_yaml_fail(yaml, node,
                              "slopes need the text 'layout', which older fits lack: make the fit "
                              "again: tess predict --fit");
    TRY(read_text(yaml, node, "layout", out->layout, sizeof out->layout));
    if (strcmp(out->layout, all_strategies) == 0)
        out->layout[0] = '\0';
    TRY(read_number(yaml, node, "offset", &out->offset));
    for (int t = 0; t < TESS_N_TRAITS; t++)
        TRY(read_number(yaml, node, tess_trait_name(t), &out->slope[t]));
    return TESS_OK;
}

/* The slopes, of which a fit may have none; those of all strategies come first. */
static tess_status read_slopes(tess_yaml *yaml, const tess_yaml_node *traits,
                               const tess_yaml_node *list, tess_slopes *out) {
    tess_slopes_variant all;
    const char *names[TESS_N_TRAITS + 1] = {NULL};
    const int n = list ? tess_yaml_count(list) : 0;
    if (!traits || n < 2 || n > TESS_MOST_VARIANTS + 1)
        return tess_yaml_fail(yaml, traits ? traits : list,
                              "a fit has both 'traits' and 'slopes', of all strategies and of 1 to "
                              "%d, or neither",
                              TESS_MOST_VARIANTS);
    for (int t = 0; t < TESS_N_TRAITS; t++)
        names[t] = tess_trait_name(t);
    TRY(tess_yaml_check_map(yaml, traits,
                            "the list of traits of this version's fits (make an older one again: "
                            "tess predict --fit)",
                            names));
    for (int t = 0; t < TESS_N_TRAITS; t++) {
        const tess_yaml_node *one = tess_yaml_find(yaml, traits, tess_trait_name(t));
        if (!one)
            return tess_yaml_fail(yaml, traits, "a fit needs the trait '%s'", tess_trait_name(t));
        TRY(read_number(yaml, one, "mean", &out->mean[t]));
        TRY(read_number(yaml, one, "deviation", &out->deviation[t]));
    }
    TRY(read_variant(yaml, tess_yaml_item(yaml, list, 0), &all));
    if (strcmp(all.strategy, all_strategies) != 0)
        return tess_yaml_fail(yaml, list, "the first slopes are those of '%s' strategies",
                              all_strategies);
    memcpy(out->slope, all.slope, sizeof out->slope);
    for (int i = 1; i < n; i++)
        TRY(read_variant(yaml, tess_yaml_item(yaml, list, i), &out->variants[out->n++]));
    return TESS_OK;
}

/* The offsets of applications, of which a fit may have none. */
static tess_status read_offsets(tess_yaml *yaml, const tess_yaml_node *list, tess_offsets *out) {
    for (int i = 0; i < tess_yaml_count(list); i++) {
        const tess_yaml_node *one = tess_yaml_item(yaml, list, i);
        char of[TESS_OFFSET_TEXT];
        double value = 0;
        TRY(read_text(yaml, one, "of", of, sizeof of));
        TRY(read_number(yaml, one, "offset", &value));
        TRY(tess_offsets_add(out, of, value));
    }
    return TESS_OK;
}

static tess_status read_yaml(tess_yaml *yaml, tess_fit *out) {
    static const char *const keys[] = {"fit",    "device",    "machine_digest", "commit",
                                       "points", "constants", "kinds",          "errors",
                                       "traits", "slopes",    "offsets",        NULL};
    enum { N_NEEDED = 8 };
    const tess_yaml_node *root = tess_yaml_root(yaml);
    double points = 0;
    if (tess_yaml_find(yaml, root, "machine"))
        return tess_yaml_fail(yaml, root,
                              "this is a machine file, not a fit: 'tess predict --machine FILE' "
                              "takes it, and '--fit LAB --machine FILE --into FIT' makes a fit");
    TRY(tess_yaml_check_map(yaml, root, "a fit", keys));
    for (int k = 0; k < N_NEEDED; k++)
        if (!tess_yaml_find(yaml, root, keys[k]))
            return tess_yaml_fail(yaml, root,
                                  "a fit needs '%s': the file is not whole; 'tess predict --fit' "
                                  "writes it again",
                                  keys[k]);
    TRY(read_text(yaml, root, "fit", out->machine, sizeof out->machine));
    TRY(read_text(yaml, root, "device", out->device, sizeof out->device));
    TRY(read_text(yaml, root, "machine_digest", out->digest, sizeof out->digest));
    TRY(read_text(yaml, root, "commit", out->commit, sizeof out->commit));
    TRY(read_number(yaml, root, "points", &points));
    out->n_points = (int)points;
    TRY(read_constants(yaml, tess_yaml_find(yaml, root, "constants"), out));
    const tess_yaml_node *kinds = tess_yaml_find(yaml, root, "kinds");
    const tess_yaml_node *errors = tess_yaml_find(yaml, root, "errors");
    const tess_yaml_node *traits = tess_yaml_find(yaml, root, "traits");
    const tess_yaml_node *slopes = tess_yaml_find(yaml, root, "slopes");
    const tess_yaml_node *offsets = tess_yaml_find(yaml, root, "offsets");
    if (traits || slopes)
        TRY(read_slopes(yaml, traits, slopes, &out->slopes));
    if (offsets)
        TRY(read_offsets(yaml, offsets, &out->slopes.offsets));
    if (tess_yaml_count(kinds) > TESS_MOST_KINDS || tess_yaml_count(errors) > TESS_MOST_STRATEGIES)
        return tess_yaml_fail(yaml, kinds, "too many kinds");
    for (int i = 0; i < tess_yaml_count(kinds); i++)
        TRY(read_kind(yaml, tess_yaml_item(yaml, kinds, i), &out->kinds[out->n_kinds++]));
    for (int i = 0; i < tess_yaml_count(errors); i++)
        TRY(read_errors(yaml, tess_yaml_item(yaml, errors, i), &out->errors[out->n_errors++]));
    return TESS_OK;
}

/* The text of the fit of that name that ships; NULL: none does, or a file has the name. */
static const char *shipped_text(const char *name) {
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++)
        if (strcmp(shipped[i].name, name) == 0 && access(name, R_OK) != 0)
            return shipped[i].text;
    return NULL;
}

bool tess_fit_ships(const char *name) {
    return shipped_text(name) != NULL;
}

tess_status tess_fit_read(const char *path, tess_fit *out) {
    tess_yaml *yaml = NULL;
    char title[TESS_NAME_SIZE];
    const char *text = shipped_text(path);
    *out = (tess_fit){.n_points = 0};
    if (!text && access(path, F_OK) != 0)
        FAIL(TESS_ERROR_USAGE, "there is no fit '%s', and none of that name ships: h100, h200",
             path);
    snprintf(title, sizeof title, "the fit %s", path);
    TRY(text ? tess_yaml_read_text(title, text, &yaml) : tess_yaml_read(path, &yaml));
    const tess_status status = read_yaml(yaml, out);
    tess_yaml_free(yaml);
    return status;
}

tess_status tess_fit_check(const tess_fit *fit, const tess_machine *machine) {
    if (strcmp(fit->device, machine->device) != 0)
        FAIL(TESS_ERROR_INPUT,
             "the fit is of the GPU '%s', and machine %s is '%s': make one of its own runs with "
             "'tess predict --fit LAB --machine %s --into FILE'",
             fit->device, machine->name, machine->device, machine->name);
    return TESS_OK;
}
