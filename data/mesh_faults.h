/* Faults of a mesh: what is odd or wrong about it, counted, with the first cases of each. */
#pragma once

#include "data/marked_sides.h"

enum { TESS_MOST_SHOWN = 10 };

/* One kind of fault of the elements of one set. */
typedef struct tess_mesh_fault {
    const char *kind;  /* "node-twice", for programs */
    const char *words; /* "have a node twice" */
    char set[TESS_NAME_SIZE];
    int64_t count;
    int n_shown;                       /* at most TESS_MOST_SHOWN */
    int32_t shown[TESS_MOST_SHOWN];    /* the lowest elements; of sides the first cell of each */
    int32_t nodes[TESS_MOST_SHOWN][4]; /* of sides, -1 behind the last */
} tess_mesh_fault;

typedef struct tess_mesh_faults {
    int64_t n, capacity;
    tess_mesh_fault *items;
} tess_mesh_faults;

/* Adds a fault unless its count is 0. */
TESS_MUST_CHECK tess_status tess_mesh_faults_add(tess_mesh_faults *faults,
                                                 const tess_mesh_fault *fault);

/* Takes the faults of a kind out, and gives how many elements had it. */
int64_t tess_mesh_faults_take(tess_mesh_faults *faults, const char *kind);

void tess_mesh_faults_release(tess_mesh_faults *faults);

/* Shows one more element where there is still room for it. */
void tess_mesh_fault_show(tess_mesh_fault *fault, int64_t element);

/* Adds cells that have a node twice, cells two of whose nodes lie at the same place, cells with the
 * same nodes as another one, and nodes of no cell. Parallel, and the same on any number of threads.
 * On the way it notes which of the marked sides, if not NULL, are sides of cells. */
TESS_MUST_CHECK tess_status tess_mesh_faults_of_cells(const tess_mesh *mesh,
                                                      tess_marked_sides *sides,
                                                      tess_mesh_faults *faults);

/* Adds sides of more than two cells, cells without extent, cells that turn the other way round than
 * most of their type, polytopes whose sides leave a gap, their unused nodes, and nodes at the place
 * of another one. */
TESS_MUST_CHECK tess_status tess_mesh_faults_of_shape(const tess_mesh *mesh,
                                                      tess_mesh_faults *faults);
