/* OpenFOAM's zones: those of cells are regions, those of faces and points are left out. */
#pragma once

#include "data/formats/marker_groups.h"
#include "data/formats/name_counts.h"

/* A zone, and how many cells, faces or points it lists. */
typedef struct tess_foam_zone {
    char name[TESS_GROUP_NAME_SIZE];
    int64_t n;
} tess_foam_zone;

/* The zones of a mesh, as they are read: of one folder after another. */
typedef struct tess_foam_zones {
    int64_t first, n_cells; /* the cells that the folder at hand is about */
    int32_t *region;        /* of all cells, -1: none; NULL while no zone of cells is read; owned */
    tess_name_counts again; /* cells of zones that are in an earlier one, too */
    int64_t n_lost, capacity;
    tess_foam_zone *lost; /* [n_lost]: of faces and points; owned */
} tess_foam_zones;

/* Reads cellZones, faceZones and pointZones beside a file, those that are there; adds regions to
 * the mesh, which has its cells. */
TESS_MUST_CHECK tess_status tess_foam_zones_read(const char *beside, tess_mesh *mesh,
                                                 tess_foam_zones *zones);
/* States the regions, and says what was left out. */
TESS_MUST_CHECK tess_status tess_foam_zones_state(tess_foam_zones *zones, tess_mesh *mesh);
void tess_foam_zones_clear(tess_foam_zones *zones);
