/* The interfaces of the zones of a CGNS file: nodes that two zones, or two sides of one, have in
 * common. Structured ones have ranges of them, 1-to-1; lists of nodes: cgns_links.h. */
#pragma once

#include "data/formats/cgns/cgns_block.h"
#include "data/formats/cgns/cgns_faces.h"
#include "data/formats/periodic.h"

/* A zone that was read. */
typedef struct tess_cgns_position {
    char name[CGNS_NAME_SIZE];
    int zone; /* of the file, from 1 */
    bool structured;
    int64_t first_node;
    tess_cgns_block block; /* where it is not structured, of one axis */
} tess_cgns_position;

typedef struct tess_cgns_interface {
    char name[CGNS_NAME_SIZE], donor[CGNS_NAME_SIZE]; /* the donor: the other zone */
    int64_t position;                                 /* of its own zone */
    int64_t first[3], last[3], donor_first[3];        /* nodes, from 1; the first along each axis
                                                         of the range is that of the donor's */
    int axis[3]; /* of the donor for each of its own, from 1; negative: the other way round */
} tess_cgns_interface;

typedef struct tess_cgns_interfaces {
    int64_t n_positions, n_structured, place_capacity, n, capacity;
    tess_cgns_position *positions;  /* [n_positions]; owned */
    tess_cgns_interface *items;     /* [n]; owned */
    int64_t n_pairs_apart, n_apart; /* of those whose nodes lie elsewhere than the donor's */
    char apart[CGNS_NAME_SIZE];     /* the name of the first of them */
    tess_periodic linked; /* pairs of nodes that links list, and whether to join them and those of
                             interfaces that lie apart */
    tess_name_counts other_links; /* of what are no pairs of nodes */
} tess_cgns_interfaces;

/* Keeps the present zone, and its 1-to-1 interfaces where it is structured. Fails (INPUT) on ranges
 * that are not in its box, and on axes that are none. */
TESS_MUST_CHECK tess_status tess_cgns_interfaces_read(tess_cgns_file *file,
                                                      const tess_cgns_block *block, bool structured,
                                                      tess_cgns_interfaces *interfaces);
/* The zone of that name, or NULL. */
const tess_cgns_position *tess_cgns_position_find(const tess_cgns_interfaces *interfaces,
                                                  const char *name);
/* Makes the two nodes of each pair one, when all zones are read: those of `faces`, too. Interfaces
 * whose nodes lie elsewhere than the donor's, as periodic ones do, are counted; they are left
 * apart unless that is asked for. Fails (INPUT) on ranges that are not in the
 * donor's box. */
TESS_MUST_CHECK tess_status tess_cgns_interfaces_join(tess_cgns_file *file,
                                                      tess_cgns_interfaces *interfaces,
                                                      tess_cgns_faces *faces);
/* Says what was joined, and what lies apart. */
TESS_MUST_CHECK tess_status tess_cgns_interfaces_warn(const tess_cgns_interfaces *interfaces,
                                                      int64_t n_links, tess_mesh *mesh);
void tess_cgns_interfaces_clear(tess_cgns_interfaces *interfaces);
