/* A recipe: the YAML file that describes a sweep. */
#include "experiments/campaign/recipe.h"

#include "core/base/argument.h"
#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPETITIONS = 10000 };

#define OF_MAPS "partitions are compared"
#define OF_LOOPS "loops are executed"
#define OF_PROGRAMS "a program is timed"

/* Where an axis is looked for, the strongest first. */
enum { LAYER_SUBSET, LAYER_GROUP, LAYER_RECIPE, LAYERS };

static const char *const recipe_keys[] = {"sweep",       "about",   "repetitions", "folders",
                                          "axes",        "groups",  "only",        "skip",
                                          "known_skips", "subsets", NULL};
static const char *const subset_keys[] = {"about", "repetitions", "axes", "groups", "only", NULL};
static const char *const rule_keys[] = {"when", "because", NULL};

/* The text of a node that must be one. */
static tess_status text_of(tess_recipe *recipe, const tess_yaml_node *node, const char *what,
                           const char **out) {
    *out = tess_yaml_text(node);
    if (!*out || !**out)
        return tess_yaml_fail(recipe->yaml, node, "%s is a word or a line of text", what);
    return TESS_OK;
}

static tess_status read_name(tess_recipe *recipe, const tess_yaml_node *root) {
    const tess_yaml_node *node = tess_yaml_find(recipe->yaml, root, "sweep");
    if (!node)
        return tess_yaml_fail(recipe->yaml, root, "a recipe needs a name, 'sweep: NAME'");
    TRY(text_of(recipe, node, "the name of a sweep", &recipe->name));
    for (const char *c = recipe->name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              strchr("-_.", *c)))
            return tess_yaml_fail(recipe->yaml, node,
                                  "the name of a sweep has letters, digits, '-', '_' and '.'");
    return TESS_OK;
}

static tess_status read_folders(tess_recipe *recipe, const tess_yaml_node *root) {
    recipe->folders = tess_yaml_find(recipe->yaml, root, "folders");
    const char *text = NULL;
    for (int i = 0; recipe->folders && i < tess_yaml_count(recipe->folders); i++)
        TRY(text_of(recipe, tess_yaml_item(recipe->yaml, recipe->folders, i), "a folder", &text));
    return TESS_OK;
}

/* Appends the rules under `key` of a map. */
static tess_status read_rules(tess_recipe *recipe, const tess_yaml_node *map, const char *key,
                              tess_recipe_rules *rules) {
    tess_yaml *yaml = recipe->yaml;
    const tess_yaml_node *list = map ? tess_yaml_find(yaml, map, key) : NULL;
    if (!list)
        return TESS_OK;
    int64_t capacity = rules->n;
    TRY(TESS_RESERVE(rules->n + tess_yaml_count(list), &capacity, &rules->items));
    for (int i = 0; i < tess_yaml_count(list); i++) {
        const tess_yaml_node *item = tess_yaml_item(yaml, list, i);
        tess_recipe_rule rule = {.node = item};
        if (item->type == YAML_MAPPING_NODE) {
            TRY(tess_yaml_check_map(yaml, item, "a rule", rule_keys));
            const tess_yaml_node *because = tess_yaml_find(yaml, item, "because");
            rule.node = tess_yaml_find(yaml, item, "when");
            if (!rule.node)
                return tess_yaml_fail(yaml, item, "a rule needs 'when: EXPRESSION'");
            if (because)
                TRY(text_of(recipe, because, "a reason", &rule.because));
        }
        TRY(text_of(recipe, rule.node, "a rule", &rule.when));
        rules->items[rules->n++] = rule;
    }
    return TESS_OK;
}

/* True for a setting that recipes of a kind may vary; repetitions have a word of their own. */
static bool is_axis(tess_field field, tess_experiment_kind kind) {
    return tess_field_is_of(field, kind) && field != TESS_FIELD_repetition;
}

/* The names of the axes of a kind, or of any (TESS_N_KINDS), NULL-terminated. */
static void axis_names(tess_experiment_kind kind, const char *names[TESS_N_FIELDS + 1]) {
    int n = 0;
    for (tess_field axis = 0; axis < TESS_N_FIELDS; axis++) {
        bool is_one = false;
        for (tess_experiment_kind of = 0; of < TESS_N_KINDS; of++)
            is_one |= (kind == of || kind == TESS_N_KINDS) && is_axis(axis, of);
        if (is_one)
            names[n++] = tess_fields[axis].name;
    }
    names[n] = NULL;
}

/* The value of an axis in the strongest layer that has it; NULL: none does. */
static const tess_yaml_node *
find_axis(tess_recipe *recipe, const tess_yaml_node *const layers[LAYERS], tess_field axis) {
    const tess_yaml_node *found = NULL;
    for (int i = 0; i < LAYERS && !found; i++)
        found = layers[i] ? tess_yaml_find(recipe->yaml, layers[i], tess_fields[axis].name) : NULL;
    return found;
}

/* Fails on an axis that no sweep of the kind has. */
static tess_status check_axes(tess_recipe *recipe, const tess_yaml_node *const layers[LAYERS],
                              tess_experiment_kind kind) {
    static const char *const what[] = {"a sweep over maps", "a sweep over applications",
                                       "a sweep over commands"};
    const char *names[TESS_N_FIELDS + 1];
    axis_names(kind, names);
    for (int i = 0; i < LAYERS; i++)
        if (layers[i])
            TRY(tess_yaml_check_map(recipe->yaml, layers[i], what[kind], names));
    return TESS_OK;
}

/* What the group is made of: partitions where it has a map, runs where it has an application,
 * another program's times where it has a command. */
static tess_status kind_of(tess_recipe *recipe, const tess_yaml_node *const layers[LAYERS],
                           const tess_yaml_node *position, tess_recipe_group *group) {
    static const tess_field telling[] = {TESS_FIELD_map, TESS_FIELD_application, TESS_FIELD_kernel,
                                         TESS_FIELD_command};
    static const tess_experiment_kind told[] = {TESS_CUTTING, TESS_RUNNING, TESS_RUNNING,
                                                TESS_TIMING};
    const tess_yaml_node *telltale = NULL;
    const char *names[TESS_N_FIELDS + 1];
    axis_names(TESS_N_KINDS, names);
    for (int i = 0; i < LAYERS; i++)
        if (layers[i])
            TRY(tess_yaml_check_map(recipe->yaml, layers[i], "a sweep", names));
    for (size_t t = 0; t < sizeof telling / sizeof *telling; t++) {
        const tess_yaml_node *found = find_axis(recipe, layers, telling[t]);
        if (found && telltale && group->kind != told[t])
            return tess_yaml_fail(recipe->yaml, found,
                                  "one of the axes 'map' (" OF_MAPS "), 'application' (" OF_LOOPS
                                  ") and 'command' (" OF_PROGRAMS "), not several");
        group->kind = found ? told[t] : group->kind;
        telltale = found ? found : telltale;
    }
    if (!telltale)
        return tess_yaml_fail(recipe->yaml, position,
                              "the axis 'map' (" OF_MAPS "), 'application' (" OF_LOOPS
                              ") or 'command' (" OF_PROGRAMS ") is missing");
    return check_axes(recipe, layers, group->kind);
}

/* Gives the canonical text of a value; whether it runs code that its options name. */
static tess_status read_value(tess_experiment_kind kind, tess_field field, const char *text,
                              bool *runs_code, char **out) {
    tess_experiment experiment;
    tess_axis items;
    TRY(tess_axis_split(field, text, &items));
    const int n = items.n;
    tess_axis_clear(&items);
    if (n > 1 && tess_field_is_plugin(field))
        FAIL(TESS_ERROR_USAGE, "'%s' names %d where one is meant; a list of YAML is [a, b]", text,
             n);
    TRY(tess_experiment_init(kind, &experiment));
    tess_status status = tess_experiment_set(&experiment, field, text);
    if (status == TESS_OK)
        status = tess_experiment_text(&experiment, field, out);
    *runs_code = status == TESS_OK && tess_experiment_runs_code(&experiment);
    tess_experiment_clear(&experiment);
    return status;
}

static tess_status read_axis(tess_recipe *recipe, const tess_yaml_node *node,
                             tess_experiment_kind kind, tess_axis *out) {
    const int n = tess_yaml_count(node);
    const char *name = tess_fields[out->field].name;
    if (n == 0)
        return tess_yaml_fail(recipe->yaml, node, "the axis '%s' has no value", name);
    TRY(TESS_ZEROS(n, &out->texts));
    for (int i = 0; i < n; i++) {
        const tess_yaml_node *item = tess_yaml_item(recipe->yaml, node, i);
        const char *text = NULL;
        TRY(text_of(recipe, item, name, &text));
        bool runs_code = false;
        const tess_status status =
            read_value(kind, out->field, text, &runs_code, &out->texts[out->n++]);
        TRY(tess_yaml_fail_at(status, recipe->yaml, item));
        if (runs_code)
            recipe->runs_code = item;
    }
    return TESS_OK;
}

static tess_status one_value(const char *text, tess_axis *out) {
    TRY(TESS_ZEROS(1, &out->texts));
    TRY(tess_text_copy(text, &out->texts[0]));
    out->n = 1;
    return TESS_OK;
}

static tess_status read_repetitions(tess_recipe *recipe, const tess_yaml_node *node,
                                    tess_axis *out) {
    const char *text = "1";
    int64_t n = 1;
    if (node) {
        TRY(text_of(recipe, node, "repetitions", &text));
        if (tess_argument_integer("repetitions", text, 1, MOST_REPETITIONS, &n) != TESS_OK)
            return tess_yaml_fail(recipe->yaml, node,
                                  "repetitions is a whole number from 1 to %d, not '%s'",
                                  MOST_REPETITIONS, text);
    }
    TRY(TESS_ZEROS(n, &out->texts));
    while (out->n < n) {
        char number[24];
        snprintf(number, sizeof number, "%d", out->n + 1);
        TRY(tess_text_copy(number, &out->texts[out->n]));
        out->n++;
    }
    return TESS_OK;
}

static tess_status read_group(tess_recipe *recipe, const tess_yaml_node *const layers[LAYERS],
                              const tess_yaml_node *position, const tess_yaml_node *repetitions,
                              tess_recipe_group *group) {
    TRY(kind_of(recipe, layers, position, group));
    for (tess_field axis = 0; axis < TESS_N_FIELDS; axis++) {
        const tess_field_about *about = &tess_fields[axis];
        group->axes[axis].field = axis;
        if (axis == TESS_FIELD_repetition)
            TRY(read_repetitions(recipe, repetitions, &group->axes[axis]));
        if (!is_axis(axis, group->kind))
            continue;
        const tess_yaml_node *node = find_axis(recipe, layers, axis);
        if (node)
            TRY(read_axis(recipe, node, group->kind, &group->axes[axis]));
        else if (about->standard[group->kind])
            TRY(one_value(about->standard[group->kind], &group->axes[axis]));
        else
            return tess_yaml_fail(recipe->yaml, position, "the axis '%s' is missing", about->name);
    }
    return TESS_OK;
}

/* The subset's map; NULL where none is asked for. */
static tess_status find_subset(tess_recipe *recipe, const tess_yaml_node *root, const char *name,
                               const tess_yaml_node **out) {
    const tess_yaml_node *all = tess_yaml_find(recipe->yaml, root, "subsets");
    const int n = all ? tess_yaml_pairs(all) : 0;
    *out = NULL;
    if (all && all->type != YAML_MAPPING_NODE)
        return tess_yaml_fail(recipe->yaml, all,
                              "'subsets' is a map of names and what they replace");
    char known[256] = "";
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        const tess_yaml_node *subset = tess_yaml_value(recipe->yaml, all, i);
        const char *key = tess_yaml_text(tess_yaml_key(recipe->yaml, all, i));
        TRY(tess_yaml_check_map(recipe->yaml, subset, "a subset", subset_keys));
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", key);
        if (name && strcmp(key, name) == 0)
            *out = subset;
    }
    if (name && !*out)
        FAIL(TESS_ERROR_USAGE, "%s has no subset '%s'; it has %s", recipe->yaml->path, name,
             n ? known : "none");
    return TESS_OK;
}

/* The value of a key in the subset, else in the recipe. */
static const tess_yaml_node *stronger(tess_recipe *recipe, const tess_yaml_node *root,
                                      const tess_yaml_node *subset, const char *key) {
    const tess_yaml_node *found = subset ? tess_yaml_find(recipe->yaml, subset, key) : NULL;
    return found ? found : tess_yaml_find(recipe->yaml, root, key);
}

static tess_status read_groups(tess_recipe *recipe, const tess_yaml_node *root,
                               const tess_yaml_node *subset) {
    tess_yaml *yaml = recipe->yaml;
    const tess_yaml_node *groups = stronger(recipe, root, subset, "groups");
    const tess_yaml_node *repetitions = stronger(recipe, root, subset, "repetitions");
    const tess_yaml_node *layers[LAYERS] = {
        [LAYER_SUBSET] = subset ? tess_yaml_find(yaml, subset, "axes") : NULL,
        [LAYER_RECIPE] = tess_yaml_find(yaml, root, "axes")};
    const int n = groups ? tess_yaml_count(groups) : 1;
    TRY(TESS_ZEROS(n, &recipe->groups));
    for (int i = 0; i < n; i++) {
        layers[LAYER_GROUP] = groups ? tess_yaml_item(yaml, groups, i) : NULL;
        const tess_yaml_node *position = layers[LAYER_GROUP]    ? layers[LAYER_GROUP]
                                         : layers[LAYER_RECIPE] ? layers[LAYER_RECIPE]
                                                                : root;
        TRY(read_group(recipe, layers, position, repetitions, &recipe->groups[recipe->n_groups++]));
    }
    return TESS_OK;
}

static tess_status read(tess_recipe *recipe, const char *subset_name) {
    const tess_yaml_node *root = tess_yaml_root(recipe->yaml);
    const tess_yaml_node *subset = NULL, *about = NULL;
    TRY(tess_yaml_check_map(recipe->yaml, root, "a recipe", recipe_keys));
    TRY(read_name(recipe, root));
    TRY(find_subset(recipe, root, subset_name, &subset));
    recipe->subset = subset_name;
    about = stronger(recipe, root, subset, "about");
    recipe->about = "";
    if (about)
        TRY(text_of(recipe, about, "what it is about", &recipe->about));
    TRY(read_folders(recipe, root));
    TRY(read_groups(recipe, root, subset));
    TRY(read_rules(recipe, root, "only", &recipe->only));
    TRY(read_rules(recipe, subset, "only", &recipe->only));
    TRY(read_rules(recipe, root, "skip", &recipe->skip));
    return read_rules(recipe, root, "known_skips", &recipe->known_skips);
}

tess_status tess_recipe_read(const char *path, const char *subset, tess_recipe **out) {
    tess_recipe *recipe = NULL;
    TRY(TESS_ZEROS(1, &recipe));
    tess_status status = tess_yaml_read(path, &recipe->yaml);
    if (status == TESS_OK)
        status = read(recipe, subset);
    if (status != TESS_OK) {
        tess_recipe_free(recipe);
        return status;
    }
    *out = recipe;
    return TESS_OK;
}

static void group_clear(tess_recipe_group *group) {
    for (tess_field axis = 0; axis < TESS_N_FIELDS; axis++)
        tess_axis_clear(&group->axes[axis]);
}

void tess_recipe_free(tess_recipe *recipe) {
    if (!recipe)
        return;
    for (int i = 0; i < recipe->n_groups; i++)
        group_clear(&recipe->groups[i]);
    free(recipe->groups);
    free(recipe->only.items);
    free(recipe->skip.items);
    free(recipe->known_skips.items);
    tess_yaml_free(recipe->yaml);
    free(recipe);
}
