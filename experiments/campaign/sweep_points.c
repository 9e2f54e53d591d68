/* The points of a sweep: every run that a recipe asks for, once. */
#include "experiments/campaign/sweep_points.h"

#include "core/base/array.h"
#include "core/base/old_word.h"
#include "experiments/archive/filter.h"
#include "kernels/strategies/strategy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 }; /* points that rules are applied to at a time */

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool tess_sweep_points_share(const tess_sweep_point *a, const tess_sweep_point *b,
                             tess_field axis) {
    if (a->kind != b->kind)
        return false;
    for (tess_field i = 0; i < axis; i++)
        if (!same_text(a->value[i], b->value[i]))
            return false;
    return true;
}

/* The value of a setting that digests leave out: its default when the setting came, so that what
 * comes later leaves the digests of older points as they are. NULL: none. */
static const char *unsaid_value(tess_field axis, tess_experiment_kind kind) {
    if (axis == TESS_FIELD_renumber)
        return kind == TESS_CUTTING ? "none" : "blocks";
    return tess_fields[axis].standard[kind];
}

/* A word that was renamed counts as it was, so that points keep their digests. */
static tess_status digest_point(tess_sweep_point *point) {
    static const char *const commands[] = {"tess partition", "tess run", "tess record"};
    tess_status status = TESS_OK;
    char *before = NULL;
    tess_hash *hash = NULL;
    CHECK(tess_hash_new(commands[point->kind], &hash));
    for (tess_field axis = 0; axis < TESS_N_FIELDS; axis++) {
        const char *name = tess_fields[axis].name, *value = point->value[axis];
        if (!value || same_text(value, unsaid_value(axis, point->kind)))
            continue;
        free(before);
        before = NULL;
        CHECK(tess_text_spelled(TESS_SPELLED_BEFORE, name, value, &before));
        CHECK(tess_hash_text(hash, name));
        CHECK(tess_hash_text(hash, before));
    }
    CHECK(tess_hash_finish(hash, point->digest));
done:
    free(before);
    tess_hash_free(hash);
    return status;
}

/* Gives a run the order of data that its strategy likes, as `tess run` does, where the recipe names
 * none. */
static tess_status settle_renumber(tess_sweep_point *point) {
    tess_spec *spec = NULL;
    const tess_strategy *strategy = NULL;
    const char *text = point->value[TESS_FIELD_strategy];
    if (point->kind != TESS_RUNNING || *point->value[TESS_FIELD_renumber])
        return TESS_OK;
    tess_status status = tess_spec_parse_one(text, "strategy", &spec);
    if (status == TESS_OK)
        status = tess_strategy_find(spec->name, &strategy);
    tess_spec_list_free(spec, 1);
    if (status == TESS_ERROR_MEMORY)
        return status;
    point->value[TESS_FIELD_renumber] = tess_renumber_name(tess_strategy_renumber(strategy));
    return TESS_OK; /* what is no strategy is refused when its turn comes */
}

/* Appends all points of a group, the last axis the fastest. */
static tess_status add_group(const tess_recipe *recipe, const tess_recipe_group *group,
                             tess_sweep_points *points) {
    int at[TESS_N_FIELDS] = {0};
    double n = 1;
    for (tess_field axis = 0; axis < TESS_N_FIELDS; axis++)
        n *= group->axes[axis].n ? group->axes[axis].n : 1;
    if (n + (double)points->n > TESS_SWEEP_MOST_POINTS)
        FAIL(TESS_ERROR_INPUT, "%s: more than %d points", recipe->yaml->path,
             TESS_SWEEP_MOST_POINTS);
    TRY(TESS_RESERVE(points->n + (int64_t)n, &points->capacity, &points->items));
    for (int64_t i = 0; i < (int64_t)n; i++) {
        tess_sweep_point *point = &points->items[points->n++];
        *point = (tess_sweep_point){.kind = group->kind};
        for (tess_field axis = 0; axis < TESS_N_FIELDS; axis++)
            if (group->axes[axis].n)
                point->value[axis] = group->axes[axis].texts[at[axis]];
        TRY(settle_renumber(point));
        TRY(digest_point(point));
        for (int axis = TESS_N_FIELDS - 1; axis >= 0; axis--) {
            if (++at[axis] < group->axes[axis].n)
                break;
            at[axis] = 0;
        }
    }
    return TESS_OK;
}

static int compare_points(const void *a, const void *b) {
    const tess_sweep_point *const *left = a, *const *right = b;
    const int order = strcmp((*left)->digest, (*right)->digest);
    return order ? order : (*left > *right) - (*left < *right);
}

/* Keeps the first of all points with the same digest. */
static tess_status drop_repeated(tess_sweep_points *points) {
    const tess_sweep_point **sorted = NULL;
    TRY(TESS_ALLOC(points->n, &sorted));
    for (int64_t i = 0; i < points->n; i++)
        sorted[i] = &points->items[i];
    qsort(sorted, (size_t)points->n, sizeof *sorted, compare_points);
    int64_t n_repeated = 0;
    for (int64_t i = points->n - 1; i > 0; i--) {
        if (strcmp(sorted[i]->digest, sorted[i - 1]->digest) != 0)
            continue;
        points->items[sorted[i] - points->items].digest[0] = '\0';
        n_repeated++;
    }
    free(sorted);
    int64_t kept = 0;
    for (int64_t i = 0; n_repeated && i < points->n; i++)
        if (points->items[i].digest[0])
            points->items[kept++] = points->items[i];
    points->n = n_repeated ? kept : points->n;
    return TESS_OK;
}

/* A record that has a point's values as its configuration, for the table that filters work on;
 * every point has every axis: "" and -1 stand for what it does not have. */
static tess_status point_record(const tess_sweep_point *point, int64_t number, tess_record *out) {
    snprintf(out->id, sizeof out->id, "%020lld", (long long)number);
    for (tess_field axis = 0; axis < TESS_N_FIELDS; axis++) {
        const char *text = point->value[axis] ? point->value[axis] : "";
        const tess_field_about *about = &tess_fields[axis];
        if (tess_field_is_number(axis))
            TRY(tess_values_set_number(&out->configuration, about->name,
                                       *text ? strtod(text, NULL) : -1, "1"));
        else
            TRY(tess_values_set_text(&out->configuration, about->name, text));
    }
    return TESS_OK;
}

/* The table of n points. */
static tess_status points_table(const tess_sweep_point *points, int64_t n, tess_run_table **out) {
    tess_status status = TESS_OK;
    tess_record **records = NULL;
    CHECK(TESS_ZEROS(n, &records));
    for (int64_t i = 0; i < n; i++) {
        CHECK(TESS_ZEROS(1, &records[i]));
        CHECK(point_record(&points[i], i, records[i]));
    }
    status = tess_run_table_build(NULL, NULL, 0, records, n, out);
done:
    for (int64_t i = 0; records && i < n; i++)
        tess_record_free(records[i]);
    free(records);
    return status;
}

/* Sets fits [n] of the points that fit any of the rules (`any`), or all of them. */
static tess_status apply_rules(const tess_recipe *recipe, const tess_recipe_rules *rules, bool any,
                               const tess_run_table *table, bool *fits) {
    static const tess_tags none = {0, 0, NULL};
    for (int64_t i = 0; i < table->n_rows; i++)
        fits[i] = !any;
    for (int r = 0; r < rules->n; r++) {
        tess_filter *filter = NULL;
        const tess_status status = tess_filter_parse(rules->items[r].when, table, &filter);
        if (status == TESS_ERROR_USAGE)
            return tess_yaml_fail_at(status, recipe->yaml, rules->items[r].node);
        TRY(status);
        for (int64_t i = 0; i < table->n_rows; i++) {
            const bool fit = tess_filter_fits(filter, table, &none, i);
            fits[i] = any ? fits[i] || fit : fits[i] && fit;
        }
        tess_filter_free(filter);
    }
    return TESS_OK;
}

/* Applies all rules to up to CHUNK points and moves those that stay to `kept`. */
static tess_status sift(const tess_recipe *recipe, const tess_sweep_point *points, int64_t n,
                        tess_sweep_point *kept, int64_t *n_kept) {
    tess_status status = TESS_OK;
    tess_run_table *table = NULL;
    bool only[CHUNK], skip[CHUNK], known[CHUNK];
    CHECK(points_table(points, n, &table));
    CHECK(apply_rules(recipe, &recipe->only, false, table, only));
    CHECK(apply_rules(recipe, &recipe->skip, true, table, skip));
    CHECK(apply_rules(recipe, &recipe->known_skips, true, table, known));
    for (int64_t i = 0; i < n; i++) {
        if (!only[i] || skip[i])
            continue;
        kept[*n_kept] = points[i];
        kept[(*n_kept)++].known_skip = known[i];
    }
done:
    tess_run_table_free(table);
    return status;
}

tess_status tess_sweep_points_build(const tess_recipe *recipe, tess_sweep_points **out) {
    tess_status status = TESS_OK;
    tess_sweep_points *points = NULL;
    int64_t kept = 0;
    CHECK(TESS_ZEROS(1, &points));
    for (int g = 0; g < recipe->n_groups; g++)
        CHECK(add_group(recipe, &recipe->groups[g], points));
    CHECK(drop_repeated(points));
    for (int64_t i = 0; i < points->n; i += CHUNK)
        CHECK(sift(recipe, points->items + i, points->n - i < CHUNK ? points->n - i : CHUNK,
                   points->items, &kept));
    points->n = kept;
    *out = TESS_TAKE(points);
done:
    tess_sweep_points_free(points);
    return status;
}

void tess_sweep_points_free(tess_sweep_points *points) {
    if (points)
        free(points->items);
    free(points);
}

tess_status tess_sweep_point_note(tess_record *record, const char *sweep, const char *digest,
                                  int64_t repetition) {
    tess_values *into = &record->configuration;
    TRY(tess_values_set_text(into, "sweep", sweep));
    TRY(tess_values_set_text(into, TESS_SWEEP_POINT_KEY, digest));
    return tess_values_set_number(into, "repetition", (double)repetition, "1");
}

tess_status tess_sweep_point_note_words(tess_record *record, const char *words) {
    char sweep[256], digest[TESS_DIGEST_SIZE];
    long long repetition = 0;
    int length = 0;
    if (sscanf(words, "%255[^:]:%64[0-9a-f]:%lld%n", sweep, digest, &repetition, &length) != 3 ||
        words[length] != '\0' || strlen(digest) != TESS_DIGEST_SIZE - 1)
        FAIL(TESS_ERROR_USAGE, "--sweep-point: '%s' is no SWEEP:DIGEST:REPETITION", words);
    return tess_sweep_point_note(record, sweep, digest, repetition);
}

/* Copies the points of shard `i` of `n`, 1 <= i <= n; gives their number. */
static int64_t copy_shard(const tess_sweep_points *points, int64_t i, int64_t n,
                          tess_sweep_point *out) {
    int64_t n_copied = 0, family = -1;
    for (int64_t p = 0; p < points->n; p++) {
        const tess_sweep_point *point = &points->items[p];
        family += p == 0 || !tess_sweep_points_share(point - 1, point, TESS_FIELD_order);
        if (family % n == i - 1)
            out[n_copied++] = *point;
    }
    return n_copied;
}

tess_status tess_sweep_points_shard(tess_sweep_points *points, int64_t i, int64_t n,
                                    bool then_others) {
    tess_sweep_point *sorted = NULL;
    TRY(TESS_ALLOC(points->n, &sorted));
    int64_t n_sorted = 0;
    for (int64_t k = 0; k < (then_others ? n : 1) && n_sorted < points->n; k++)
        n_sorted += copy_shard(points, (i - 1 + k) % n + 1, n, sorted + n_sorted);
    free(points->items);
    *points = (tess_sweep_points){.n = n_sorted, .capacity = points->n, .items = sorted};
    return TESS_OK;
}

int64_t tess_sweep_points_families(const tess_sweep_points *points, const bool *counts) {
    int64_t n = 0, last = -1;
    for (int64_t p = 0, family = -1; p < points->n; p++) {
        const tess_sweep_point *point = &points->items[p];
        family += p == 0 || !tess_sweep_points_share(point - 1, point, TESS_FIELD_order);
        n += counts[p] && family != last;
        last = counts[p] ? family : last;
    }
    return n;
}
