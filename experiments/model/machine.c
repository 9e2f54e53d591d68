/* A machine: numbers of a GPU or of the levels of memory of a processor, each with unit and source.
 */
#include "experiments/model/machine.h"

#include "core/base/array.h"
#include "core/base/input_file.h"
#include "core/base/stream_text.h"
#include "core/base/unknown_name.h"
#include "core/base/yaml_file.h"
#include "kernels/devices/disk_cache.h"
#include "kernels/devices/embed.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TESS_EMBED(tess_machine_h100_text, "experiments/model/machines/h100.yaml");
TESS_EMBED(tess_machine_h200_text, "experiments/model/machines/h200.yaml");
TESS_EMBED(tess_machine_k20m_text, "experiments/model/machines/k20m.yaml");
TESS_EMBED(tess_machine_sandy_bridge_text, "experiments/model/machines/sandy-bridge.yaml");
TESS_EMBED(tess_machine_sandy_bridge_core_text,
           "experiments/model/machines/sandy-bridge-core.yaml");

const tess_constant_about tess_constants[TESS_N_CONSTANTS] = {
#define X(id, unit_, fitted_, low_, high_, help_)                                                  \
    {.name = #id, .unit = unit_, .fitted = fitted_, .low = low_, .high = high_, .help = help_},
#include "experiments/model/constant_list.h"
#undef X
};

static const struct {
    const char *name, *text;
} shipped[] = {{"h100", tess_machine_h100_text},
               {"h200", tess_machine_h200_text},
               {"k20m", tess_machine_k20m_text},
               {"sandy-bridge", tess_machine_sandy_bridge_text},
               {"sandy-bridge-core", tess_machine_sandy_bridge_core_text}};

enum { N_SHIPPED = sizeof shipped / sizeof *shipped };

/* A positive number in the unit that is expected: {value: 4.19e12, unit: B/s, source: given}. */
static tess_status read_number(tess_yaml *yaml, const tess_yaml_node *node, const char *name,
                               const char *unit, double *value, char *source) {
    static const char *const keys[] = {"value", "unit", "source", NULL};
    TRY(tess_yaml_check_map(yaml, node, name, keys));
    const tess_yaml_node *number = tess_yaml_find(yaml, node, "value");
    const char *text = number ? tess_yaml_text(number) : NULL, *words = NULL;
    char *end = NULL;
    *value = text ? strtod(text, &end) : NAN;
    if (!text || end == text || *end || !isfinite(*value) || *value <= 0)
        return tess_yaml_fail(yaml, number ? number : node, "'%s' needs a value above 0", name);
    const tess_yaml_node *said = tess_yaml_find(yaml, node, "unit");
    if (!said || !tess_yaml_text(said) || strcmp(tess_yaml_text(said), unit) != 0)
        return tess_yaml_fail(yaml, said ? said : node, "'%s' needs the unit %s", name, unit);
    said = tess_yaml_find(yaml, node, "source");
    words = said ? tess_yaml_text(said) : NULL;
    if (!words || !*words)
        return tess_yaml_fail(yaml, said ? said : node,
                              "'%s' needs a source: where its value is from", name);
    if (source)
        snprintf(source, TESS_SOURCE_TEXT, "%s", words);
    return TESS_OK;
}

const char *tess_bandwidth_name(tess_bandwidth bandwidth) {
    static const char *const names[] = {"memory_bandwidth", "reached_bandwidth", "l2_bandwidth",
                                        "l3_bandwidth",     "socket_bandwidth",  "link_bandwidth"};
    return names[bandwidth];
}

static const char line_name[] = "line_bytes";
static const char *const rate_names[] = {"float_rate", "double_rate"};

static tess_status read_numbers(tess_yaml *yaml, const tess_yaml_node *map, tess_machine *out) {
    enum { KNOWN = TESS_N_CONSTANTS + TESS_N_BANDWIDTHS };
    const char *names[KNOWN + 4] = {[KNOWN] = line_name, rate_names[0], rate_names[1]};
    for (int i = 0; i < TESS_N_CONSTANTS; i++)
        names[i] = tess_constants[i].name;
    for (int i = 0; i < TESS_N_BANDWIDTHS; i++)
        names[TESS_N_CONSTANTS + i] = tess_bandwidth_name((tess_bandwidth)i);
    TRY(tess_yaml_check_map(yaml, map, "numbers", names));
    for (int i = 0; i < TESS_N_CONSTANTS; i++) {
        const tess_yaml_node *node = tess_yaml_find(yaml, map, tess_constants[i].name);
        if (!node)
            continue;
        TRY(read_number(yaml, node, tess_constants[i].name, tess_constants[i].unit, &out->number[i],
                        out->source[i]));
        out->has[i] = true;
    }
    for (int i = 0; i < TESS_N_BANDWIDTHS; i++) {
        const char *name = tess_bandwidth_name((tess_bandwidth)i);
        const tess_yaml_node *node = tess_yaml_find(yaml, map, name);
        if (node)
            TRY(read_number(yaml, node, name, "B/s", &out->bandwidth[i], NULL));
    }
    for (int i = 0; i < 2; i++) {
        const tess_yaml_node *node = tess_yaml_find(yaml, map, rate_names[i]);
        if (node)
            TRY(read_number(yaml, node, rate_names[i], "flop/s", &out->flop_rate[i], NULL));
    }
    const tess_yaml_node *line = tess_yaml_find(yaml, map, line_name);
    return line ? read_number(yaml, line, line_name, "B", &out->line_bytes, NULL) : TESS_OK;
}

static tess_status read_levels(tess_yaml *yaml, const tess_yaml_node *list, tess_machine *out) {
    static const char *const keys[] = {"name", "capacity", "bandwidth", "random_bandwidth", NULL};
    const int n = list ? tess_yaml_count(list) : 0;
    if (n > TESS_MOST_LEVELS)
        return tess_yaml_fail(yaml, list, "over %d levels", TESS_MOST_LEVELS);
    for (int i = 0; i < n; i++) {
        const tess_yaml_node *node = tess_yaml_item(yaml, list, i);
        tess_machine_level *level = &out->levels[i];
        TRY(tess_yaml_check_map(yaml, node, "a level", keys));
        for (int k = 0; k < 3; k++)
            if (!tess_yaml_find(yaml, node, keys[k]))
                return tess_yaml_fail(yaml, node, "a level needs '%s'", keys[k]);
        const char *name = tess_yaml_text(tess_yaml_find(yaml, node, "name"));
        snprintf(level->name, sizeof level->name, "%s", name ? name : "");
        TRY(read_number(yaml, tess_yaml_find(yaml, node, "capacity"), "capacity", "words",
                        &level->capacity, NULL));
        TRY(read_number(yaml, tess_yaml_find(yaml, node, "bandwidth"), "bandwidth", "B/s",
                        &level->bandwidth, NULL));
        const tess_yaml_node *random = tess_yaml_find(yaml, node, keys[3]);
        level->random = NAN;
        if (random)
            TRY(read_number(yaml, random, keys[3], "B/s", &level->random, NULL));
    }
    out->n_levels = n;
    return TESS_OK;
}

static void copy_text(tess_yaml *yaml, const tess_yaml_node *root, const char *key, char *out,
                      size_t size) {
    const tess_yaml_node *node = tess_yaml_find(yaml, root, key);
    const char *text = node ? tess_yaml_text(node) : NULL;
    snprintf(out, size, "%s", text ? text : "");
}

static tess_status read_yaml(tess_yaml *yaml, tess_machine *out) {
    static const char *const keys[] = {"machine", "about", "device", "numbers", "levels", NULL};
    const tess_yaml_node *root = tess_yaml_root(yaml);
    if (tess_yaml_find(yaml, root, "fit"))
        return tess_yaml_fail(yaml, root,
                              "this is a fit, not a machine file: 'tess predict --using FILE' and "
                              "'tess tune --predict FILE' take it");
    TRY(tess_yaml_check_map(yaml, root, "a machine", keys));
    copy_text(yaml, root, "machine", out->name, sizeof out->name);
    if (!out->name[0])
        return tess_yaml_fail(yaml, root, "a machine needs its name: 'machine: NAME'");
    copy_text(yaml, root, "device", out->device, sizeof out->device);
    const tess_yaml_node *numbers = tess_yaml_find(yaml, root, "numbers");
    if (numbers)
        TRY(read_numbers(yaml, numbers, out));
    return read_levels(yaml, tess_yaml_find(yaml, root, "levels"), out);
}

/* Fails with the names of those that ship. */
static tess_status fail_unknown(const char *name) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int i = 0; i < N_SHIPPED; i++)
        tess_unknown_name_add(&unknown, shipped[i].name);
    FAIL(TESS_ERROR_USAGE, "there is no machine file '%s', and none of that name ships: %s", name,
         unknown.known);
}

/* The text of a file, or of a machine that ships; the caller frees it. */
static tess_status read_text(const char *name, char **out) {
    int64_t size = 0;
    FILE *file = NULL;
    if (access(name, R_OK) == 0) {
        TRY(tess_input_open_stream(name, &file));
        const tess_status status = tess_stream_read(file, out, &size);
        fclose(file);
        return status;
    }
    for (int i = 0; i < N_SHIPPED; i++)
        if (strcmp(shipped[i].name, name) == 0)
            return tess_text_copy(shipped[i].text, out);
    return fail_unknown(name);
}

tess_status tess_machine_read(const char *name, tess_machine *out) {
    tess_status status = TESS_OK;
    tess_yaml *yaml = NULL;
    char *text = NULL;
    tess_machine machine = {.line_bytes = NAN, .flop_rate = {NAN, NAN}};
    for (int i = 0; i < TESS_N_BANDWIDTHS; i++)
        machine.bandwidth[i] = NAN;
    CHECK(read_text(name, &text));
    tess_cache_key((const char *const[]){text, NULL}, machine.digest);
    CHECK(tess_yaml_read_text(name, text, &yaml));
    CHECK(read_yaml(yaml, &machine));
    *out = machine;
done:
    tess_yaml_free(yaml);
    free(text);
    return status;
}

tess_status tess_machine_check(const tess_machine *machine) {
    for (int i = 0; i < TESS_N_CONSTANTS; i++)
        if (!machine->has[i])
            FAIL(TESS_ERROR_INPUT,
                 "machine %s lacks the number '%s' (%s; %s): add it to 'numbers' of its file, with "
                 "unit and source; 'tess machine check' names all that is missing, 'tess machine "
                 "measure --device cuda' measures them",
                 machine->name, tess_constants[i].name, tess_constants[i].unit,
                 tess_constants[i].help);
    return TESS_OK;
}

bool tess_machine_has_limits(const tess_machine *machine) {
    bool has = machine->n_levels > 0;
    for (int b = 0; b < TESS_N_BANDWIDTHS; b++)
        has |= !isnan(machine->bandwidth[b]);
    return has;
}
