/* A recipe: the YAML file that describes a sweep.
 *
 *   sweep: partitioners             its name: letters, digits, '-', '_' and '.'
 *   about: one line                 may be missing, as all below but axes or groups
 *   repetitions: 3                  of every point
 *   folders: [../meshes]            where meshes are, from the recipe's own folder
 *   axes:                           a value or a list of values each (experiment_fields.h)
 *     map: edges:cells              or application and strategy, or host and command
 *     mesh: [a.su2, "tris:nx=24"]
 *   groups:                         the sweep is all points of all groups; a group's axes replace
 *     - {mesh: b.su2}               those above
 *   only: [EXPRESSION]              points that fit (experiments/archive/filter.h) all of these ...
 *   skip:                           ... and none of these: on the axes and `repetition`
 *     - block_size > 128 and partitioner = metis*
 *     - {when: EXPRESSION, because: WORDS}
 *   known_skips: [...]              as `skip`: points that may turn out not to fit
 *   subsets:
 *     ci: {about, axes, groups, repetitions, only}    replace or narrow down what is above
 */
#pragma once

#include "core/base/yaml_file.h"
#include "experiments/campaign/product.h"

/* One product of axes. */
typedef struct tess_recipe_group {
    tess_experiment_kind kind;
    tess_axis axes[TESS_N_FIELDS]; /* their texts are canonical; n = 0 where the kind has none */
} tess_recipe_group;

/* An expression over the values of a point. */
typedef struct tess_recipe_rule {
    const tess_yaml_node *node;
    const char *when, *because; /* because: NULL where none is given */
} tess_recipe_rule;

typedef struct tess_recipe_rules {
    int n;
    tess_recipe_rule *items;
} tess_recipe_rules;

typedef struct tess_recipe {
    tess_yaml *yaml; /* texts and nodes below are its */
    const char *name, *about;
    const char *subset;            /* NULL: the whole */
    const tess_yaml_node *folders; /* a list of texts, or NULL */
    int n_mesh_folders;
    const char *const *mesh_folders; /* [n_mesh_folders] of the command line; the caller's */
    int n_groups;
    tess_recipe_group *groups;
    const tess_yaml_node *runs_code; /* a value that names code of its writer; NULL: none does */
    tess_recipe_rules only, skip, known_skips;
} tess_recipe;

/* Reads a recipe, or its subset of that name (NULL: the whole). Fails (INPUT) with file, line,
 * column and, for what is mistyped, a suggestion; USAGE where there is no such subset. */
TESS_MUST_CHECK tess_status tess_recipe_read(const char *path, const char *subset,
                                             tess_recipe **out);
void tess_recipe_free(tess_recipe *recipe);
