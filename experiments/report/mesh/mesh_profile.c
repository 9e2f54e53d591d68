/* The profile of a mesh: what hangs together, how it is numbered, the shapes of its cells, what is
 * odd, and which applications run on it. */
#include "experiments/report/mesh/mesh_profile.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/plural.h"
#include "core/base/stream_text.h"
#include "core/mesh/derive.h"
#include "experiments/report/mesh/mesh_report.h"
#include "experiments/report/table.h"
#include "kernels/applications/applications.h"
#include <stdlib.h>
#include <string.h>

/* --- measuring -------------------------------------------------------------------------------- */

tess_status tess_mesh_profile_measure(tess_mesh *mesh, tess_mesh_profile *profile) {
    TRY(tess_mesh_links_measure(mesh, &profile->links));
    TRY(tess_mesh_quality_measure(mesh, &profile->quality, NULL));
    return tess_mesh_faults_of_shape(mesh, &profile->faults);
}

/* The first map of an application that a mesh neither has nor can have, or NULL. */
static tess_status find_missing(const tess_application *application, const tess_mesh *mesh,
                                const char **missing) {
    const char **maps = NULL;
    *missing = NULL;
    TRY(tess_mesh_derivable(mesh, &maps)); /* its names are the mesh's until it gets another map */
    for (int i = 0; application->maps[i] && !*missing; i++) {
        int m = 0;
        while (maps[m] && strcmp(maps[m], application->maps[i]) != 0)
            m++;
        if (!maps[m])
            *missing = application->maps[i];
    }
    free(maps);
    return TESS_OK;
}

/* Says why an application does not run, NULL where it does. */
static tess_status ask(const tess_application *application, tess_mesh *mesh, char **refusal) {
    const char *missing = NULL;
    tess_status status = tess_application_check(application, mesh);
    if (status == TESS_OK)
        TRY(find_missing(application, mesh, &missing));
    if (missing)
        return tess_text_print(refusal, "needs the map %s", missing);
    if (status == TESS_OK)
        status = tess_application_bind(application, mesh);
    if (status == TESS_OK || status == TESS_ERROR_MEMORY)
        return status;
    return tess_text_copy(tess_message(), refusal);
}

tess_status tess_mesh_profile_ask(tess_mesh *mesh, tess_mesh_profile *profile) {
    int n = 0;
    while (tess_application_at(n))
        n++;
    TRY(TESS_ZEROS(n, &profile->served));
    for (int i = 0; i < n; i++) {
        const tess_application *application = tess_application_at(i);
        tess_served *served = &profile->served[profile->n_served++];
        served->application = application->name;
        served->summary = application->summary;
        TRY(ask(application, mesh, &served->refusal));
    }
    return TESS_OK;
}

void tess_mesh_profile_release(tess_mesh_profile *profile) {
    for (int i = 0; i < profile->n_served; i++)
        free(profile->served[i].refusal);
    free(profile->served);
    tess_mesh_faults_release(&profile->faults);
    *profile = (tess_mesh_profile){.n_served = 0};
}

/* --- for people ------------------------------------------------------------------------------- */

static void print_links(const tess_mesh_links *links) {
    if (!links->sides)
        return;
    printf("\n%lld component%s", (long long)links->n_components, tess_plural(links->n_components));
    if (links->n_components > 1)
        printf(", the largest of %lld cell%s", (long long)links->largest_component,
               tess_plural(links->largest_component));
    printf("; %lld %.*s%s between cells, %lld at the boundary", (long long)links->n_sides,
           (int)strlen(links->sides) - 1, links->sides, tess_plural(links->n_sides),
           (long long)links->n_boundary);
    if (links->n_boundary_pieces >= 0)
        printf(" in %lld %s%s", (long long)links->n_boundary_pieces,
               strcmp(links->sides, "edges") == 0 ? "loop" : "surface",
               tess_plural(links->n_boundary_pieces));
    putchar('\n');
}

static tess_status add_counted_cells(tess_table *table, int n, const int64_t *values) {
    for (int i = 0; i < n; i++)
        TRY(tess_table_add_cell(table, "%lld", (long long)values[i]));
    return TESS_OK;
}

static tess_status fill_bands(const tess_mesh_profile *profile, tess_table *table) {
    const tess_mesh_links *links = &profile->links;
    TRY(tess_table_add_columns(table, TESS_TITLES("distance of numbers", ">mean", ">most",
                                                  ">mean after RCM", ">most after RCM")));
    for (int i = 0; i < links->n_bands; i++) {
        const tess_band *band = &links->bands[i];
        TRY(tess_table_add_row(table));
        TRY(tess_table_add_cell(table, "%s over %s", band->of, band->over));
        TRY(tess_table_add_number(table, "%.1f", band->now.mean));
        TRY(add_counted_cells(table, 1, &band->now.most));
        TRY(tess_table_add_number(table, "%.1f", band->rcm.mean));
        TRY(add_counted_cells(table, 1, &band->rcm.most));
    }
    return TESS_OK;
}

/* "3: 120, 4: 6000, 16 and more: 5" */
static tess_status degrees_text(const tess_degrees *degrees, char **out) {
    tess_printed text;
    TRY(tess_printed_open(&text));
    for (int i = 0; i <= TESS_MOST_DEGREE; i++)
        if (degrees->count[i])
            fprintf(text.stream, "%s%d%s: %lld", ftell(text.stream) ? ", " : "", i,
                    i == TESS_MOST_DEGREE ? " and more" : "", (long long)degrees->count[i]);
    return tess_printed_close(&text, TESS_OK, out);
}

static tess_status fill_degrees(const tess_mesh_profile *profile, tess_table *table) {
    tess_status status = TESS_OK;
    const tess_mesh_links *links = &profile->links;
    char *text = NULL;
    CHECK(tess_table_add_columns(table, TESS_TITLES("how many", ">mean", ">most", "how often")));
    for (int i = 0; i < links->n_degrees; i++) {
        const tess_degrees *degrees = &links->degrees[i];
        CHECK(degrees_text(degrees, &text));
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", degrees->of));
        CHECK(tess_table_add_number(table, "%.2f",
                                    degrees->n ? (double)degrees->sum / (double)degrees->n : 0));
        CHECK(add_counted_cells(table, 1, &degrees->most));
        CHECK(tess_table_add_cell(table, "%s", text));
        free(TESS_TAKE(text));
    }
done:
    free(text);
    return status;
}

static tess_status fill_quality(const tess_mesh_profile *profile, tess_table *table) {
    const tess_mesh_quality *quality = &profile->quality;
    TRY(tess_table_add_columns(table,
                               TESS_TITLES("cells", ">least size", ">largest size", ">inside out",
                                           ">mean shape", ">least shape", ">worst")));
    for (int i = 0; i < quality->n; i++) {
        const tess_cell_quality *cells = &quality->types[i];
        TRY(tess_table_add_row(table));
        TRY(tess_table_add_cell(table, "%s", cells->type->set));
        TRY(tess_table_add_number(table, "%.3g", cells->least_size));
        TRY(tess_table_add_number(table, "%.3g", cells->largest_size));
        TRY(add_counted_cells(table, 1, &cells->n_inverted));
        TRY(tess_table_add_number(table, "%.3f", cells->mean));
        TRY(tess_table_add_number(table, "%.3g", cells->least));
        TRY(add_counted_cells(table, 1, &cells->worst));
    }
    return TESS_OK;
}

/* The cells of each type by tenths of their shape. */
static tess_status fill_shapes(const tess_mesh_profile *profile, tess_table *table) {
    const tess_mesh_quality *quality = &profile->quality;
    TRY(tess_table_add_column(table, "shape, from", TESS_ALIGN_LEFT));
    for (int i = 0; i < TESS_QUALITY_BINS; i++) {
        char from[16];
        snprintf(from, sizeof from, "%.1f", (double)i / TESS_QUALITY_BINS);
        TRY(tess_table_add_column(table, from, TESS_ALIGN_RIGHT));
    }
    for (int i = 0; i < quality->n; i++) {
        TRY(tess_table_add_row(table));
        TRY(tess_table_add_cell(table, "%s", quality->types[i].type->set));
        TRY(add_counted_cells(table, TESS_QUALITY_BINS, quality->types[i].count));
    }
    return TESS_OK;
}

static tess_status fill_served(const tess_mesh_profile *profile, tess_table *table) {
    TRY(tess_table_add_columns(table,
                               TESS_TITLES("application", "runs", "what it is, or why not")));
    for (int i = 0; i < profile->n_served; i++) {
        const tess_served *served = &profile->served[i];
        TRY(tess_table_add_row(table));
        TRY(tess_table_add_cell(table, "%s", served->application));
        TRY(tess_table_add_cell(table, "%s", served->refusal ? "no" : "yes"));
        TRY(tess_table_add_cell(table, "%s", served->refusal ? served->refusal : served->summary));
    }
    return TESS_OK;
}

/* A table below an empty line, where it has rows. */
static tess_status print_table(const tess_mesh_profile *profile, int n_rows,
                               tess_status (*fill)(const tess_mesh_profile *, tess_table *)) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    if (n_rows == 0)
        return TESS_OK;
    CHECK(tess_table_new(NULL, &table));
    CHECK(fill(profile, table));
    putchar('\n');
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

tess_status tess_mesh_profile_print(const tess_mesh_profile *profile) {
    print_links(&profile->links);
    TRY(print_table(profile, profile->links.n_bands, fill_bands));
    TRY(print_table(profile, profile->links.n_degrees, fill_degrees));
    TRY(print_table(profile, profile->quality.n, fill_quality));
    TRY(print_table(profile, profile->quality.n, fill_shapes));
    if (profile->faults.n)
        printf("\nOdd:\n");
    tess_mesh_faults_print(&profile->faults);
    return print_table(profile, profile->n_served, fill_served);
}

/* --- as JSON ---------------------------------------------------------------------------------- */

static json_t *numbers_json(const int64_t *values, int n) {
    json_t *array = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(array, json_integer(values[i]));
    return array;
}

static json_t *band_json(const tess_bandwidth *band) {
    return json_pack("{s:o, s:I}", "mean", tess_json_number(band->mean), "most",
                     (json_int_t)band->most);
}

static json_t *links_json(const tess_mesh_links *links) {
    json_t *bands = json_array(), *degrees = json_array();
    for (int i = 0; i < links->n_bands; i++) {
        const tess_band *band = &links->bands[i];
        json_array_append_new(bands, json_pack("{s:s, s:s, s:o, s:o}", "of", band->of, "over",
                                               band->over, "now", band_json(&band->now), "rcm",
                                               band_json(&band->rcm)));
    }
    for (int i = 0; i < links->n_degrees; i++) {
        const tess_degrees *found = &links->degrees[i];
        json_array_append_new(
            degrees, json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "of", found->of, "elements",
                               (json_int_t)found->n, "sum", (json_int_t)found->sum, "least",
                               (json_int_t)found->least, "most", (json_int_t)found->most, "count",
                               numbers_json(found->count, TESS_MOST_DEGREE + 1)));
    }
    return json_pack("{s:s?, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "sides", links->sides, "n_sides",
                     (json_int_t)links->n_sides, "n_boundary", (json_int_t)links->n_boundary,
                     "components", (json_int_t)links->n_components, "largest_component",
                     (json_int_t)links->largest_component, "boundary_pieces",
                     (json_int_t)links->n_boundary_pieces, "bandwidth", bands, "degrees", degrees);
}

static json_t *quality_json(const tess_mesh_quality *quality) {
    json_t *array = json_array();
    for (int i = 0; i < quality->n; i++) {
        const tess_cell_quality *cells = &quality->types[i];
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:o}", "type",
                             cells->type->set, "set", cells->set, "cells", (json_int_t)cells->n,
                             "inside_out", (json_int_t)cells->n_inverted, "least_size",
                             tess_json_number(cells->least_size), "largest_size",
                             tess_json_number(cells->largest_size), "mean_shape",
                             tess_json_number(cells->mean), "least_shape",
                             tess_json_number(cells->least), "worst", (json_int_t)cells->worst,
                             "count", numbers_json(cells->count, TESS_QUALITY_BINS)));
    }
    return array;
}

void tess_mesh_profile_add_json(json_t *object, const tess_mesh_profile *profile) {
    json_t *applications = json_object();
    for (int i = 0; i < profile->n_served; i++)
        json_object_set_new(applications, profile->served[i].application,
                            json_pack("{s:b, s:o}", "runs", profile->served[i].refusal == NULL,
                                      "refusal", tess_json_text(profile->served[i].refusal)));
    json_object_set_new(object, "links", links_json(&profile->links));
    json_object_set_new(object, "quality", quality_json(&profile->quality));
    json_object_set_new(object, "odd", tess_mesh_faults_array(&profile->faults));
    json_object_set_new(object, "applications", applications);
}
