/* OpenFOAM's zones: those of cells are regions, those of faces and points are left out. */
#include "data/formats/foam_zones.h"

#include "core/base/array.h"
#include "data/formats/foam_words.h"

#include <stdlib.h>
#include <string.h>

/* A kind of zones: its file, and the entry of a zone that lists what is in it. */
typedef struct zone_kind {
    const char *file, *labels;
} zone_kind;

static const zone_kind zone_kinds[] = {
    {"cellZones", "cellLabels"}, {"faceZones", "faceLabels"}, {"pointZones", "pointLabels"}};

/* Passes over an entry of any length, up to its ';'. */
static void pass_entry(tess_scan *scan) {
    for (; scan->at < scan->end && *scan->at != ';'; scan->at++)
        scan->line += *scan->at == '\n';
}

/* One zone: NAME { type cellZone; cellLabels List<label> N(...); } Gives the name and the labels.
 */
static tess_status read_zone(tess_foam_file *file, const char *labels, int64_t limit,
                             tess_foam_zone *zone, int32_t **out) {
    tess_scan *scan = &file->scan;
    const char *word = NULL;
    *zone = (tess_foam_zone){.n = 0};
    tess_foam_name(scan, zone->name);
    TRY(tess_foam_expect(scan, '{', "behind the name of a zone"));
    while (!tess_foam_next_is(scan, '}')) {
        const size_t length = tess_foam_word(scan, &word);
        if (length == 0)
            return tess_scan_fail(scan, "the zone %s does not end", zone->name);
        if (tess_foam_word_is(word, length, labels) && !*out) {
            tess_foam_word(scan, &word); /* List<label> */
            TRY(tess_foam_labels(file, "number in the zone", limit, -1, &zone->n, out));
        } else {
            pass_entry(scan);
        }
        TRY(tess_foam_expect(scan, ';', "behind an entry of a zone"));
    }
    return tess_foam_expect(scan, '}', "behind a zone");
}

/* Makes a zone the region of its cells. */
static tess_status take_cells(const tess_foam_zone *zone, const int32_t *cells, tess_mesh *mesh,
                              tess_foam_zones *zones) {
    int region = 0;
    int64_t n_again = 0;
    if (!zones->region) {
        const int64_t n = tess_mesh_set_size(mesh, "cells");
        TRY(TESS_ALLOC(n, &zones->region));
        memset(zones->region, 0xff, (size_t)n * sizeof *zones->region);
    }
    TRY(tess_mesh_add_region(mesh, zone->name, mesh->n_regions + 1, &region));
    for (int64_t i = 0; i < zone->n; i++) {
        int32_t *of = &zones->region[zones->first + cells[i]];
        n_again += *of >= 0;
        *of = *of < 0 ? region : *of;
    }
    if (n_again)
        tess_name_counts_add(&zones->again, zone->name, n_again);
    return TESS_OK;
}

/* Counts a zone that is left out with those of its name in other processors. */
static tess_status count_lost(const tess_foam_zone *zone, tess_foam_zones *zones) {
    int64_t at = 0;
    while (at < zones->n_lost && strcmp(zones->lost[at].name, zone->name) != 0)
        at++;
    if (at == zones->n_lost) {
        TRY(TESS_RESERVE(at + 1, &zones->capacity, &zones->lost));
        zones->lost[zones->n_lost++] = (tess_foam_zone){.n = 0};
        memcpy(zones->lost[at].name, zone->name, sizeof zone->name);
    }
    zones->lost[at].n += zone->n;
    return TESS_OK;
}

static tess_status read_zones(tess_foam_file *file, const zone_kind *kind, tess_foam_zones *zones) {
    const bool of_cells = kind == zone_kinds;
    int64_t n = 0;
    TRY(tess_foam_list_open(file, "zones", 4, &n));
    if (n > TESS_MOST_GROUPS)
        return tess_scan_fail(&file->scan, "more than %d zones", TESS_MOST_GROUPS);
    for (int64_t i = 0; i < n; i++) {
        tess_foam_zone zone;
        int32_t *labels = NULL;
        tess_status status =
            read_zone(file, kind->labels, of_cells ? zones->n_cells : INT32_MAX, &zone, &labels);
        if (status == TESS_OK)
            status =
                of_cells ? take_cells(&zone, labels, file->out, zones) : count_lost(&zone, zones);
        free(labels);
        TRY(status);
    }
    return tess_foam_list_close(file, n);
}

tess_status tess_foam_zones_read(const char *beside, tess_mesh *mesh, tess_foam_zones *zones) {
    for (size_t k = 0; k < sizeof zone_kinds / sizeof zone_kinds[0]; k++) {
        tess_foam_file file = {.label_bytes = 4, .real_bytes = 8, .out = mesh};
        if (!tess_file_text_is_beside(beside, zone_kinds[k].file))
            continue;
        tess_status status = tess_foam_file_open(beside, zone_kinds[k].file, &file);
        if (status == TESS_OK)
            status = read_zones(&file, &zone_kinds[k], zones);
        tess_file_text_free(file.text);
        TRY(status);
    }
    return TESS_OK;
}

static tess_status warn_of_zones(const tess_foam_zones *zones, tess_mesh *mesh) {
    tess_name_counts lost = {.n = 0};
    for (int64_t i = 0; i < zones->n_lost; i++)
        tess_name_counts_add(&lost, zones->lost[i].name, zones->lost[i].n);
    if (lost.n)
        TRY(tess_mesh_warn(mesh,
                           "%d zones of faces or points (faceZones, pointZones) are left "
                           "out: %s",
                           lost.n, tess_name_counts_text(&lost)));
    return zones->again.n ? tess_mesh_warn(mesh,
                                           "cells are in several zones and have the first as "
                                           "region; of %d zones cells are left out: %s",
                                           zones->again.n, tess_name_counts_text(&zones->again))
                          : TESS_OK;
}

tess_status tess_foam_zones_state(tess_foam_zones *zones, tess_mesh *mesh) {
    if (mesh->n_regions)
        TRY(tess_mesh_add_dat(mesh, "region", "cells", 1, TESS_INT32, TESS_TAKE(zones->region)));
    return warn_of_zones(zones, mesh);
}

void tess_foam_zones_clear(tess_foam_zones *zones) {
    free(zones->region);
    free(zones->lost);
    *zones = (tess_foam_zones){.first = 0};
}
