/* The 1-to-1 interfaces of the structured zones of a CGNS file: ranges of nodes that two zones, or
 * two sides of one, have in common. */
#pragma once

#include "data/formats/cgns/cgns_block.h"
#include "data/formats/cgns/cgns_faces.h"

/* A structured zone that was read. */
typedef struct tess_cgns_position {
    char name[CGNS_NAME_SIZE];
    int zone; /* of the file, from 1 */
    int64_t first_node;
    tess_cgns_block block;
} tess_cgns_position;

typedef struct tess_cgns_interface {
    char name[CGNS_NAME_SIZE], donor[CGNS_NAME_SIZE]; /* the donor: the other zone */
    int64_t position;                                 /* of its own zone */
    int64_t first[3], last[3], donor_first[3];        /* nodes, from 1; the first along each axis
                                                         of the range is that of the donor's */
    int axis[3]; /* of the donor for each of its own, from 1; negative: the other way round */
} tess_cgns_interface;

typedef struct tess_cgns_interfaces {
    int64_t n_positions, place_capacity, n, capacity;
    tess_cgns_position *positions; /* [n_positions]; owned */
    tess_cgns_interface *items;    /* [n]; owned */
    int64_t n_apart;               /* of those whose nodes lie elsewhere than the donor's */
    char apart[CGNS_NAME_SIZE];    /* the name of the first of them */
} tess_cgns_interfaces;

/* Keeps the present zone, a structured one, and its interfaces. Fails (INPUT) on ranges that are
 * not in its box, and on axes that are none. */
TESS_MUST_CHECK tess_status tess_cgns_interfaces_read(tess_cgns_file *file,
                                                      const tess_cgns_block *block,
                                                      tess_cgns_interfaces *interfaces);
/* Makes the two nodes of each pair one, when all zones are read: those of `faces`, too. Interfaces
 * whose nodes lie elsewhere than the donor's, as periodic ones do, are counted and left apart.
 * Fails (INPUT) on ranges that are not in the donor's box. */
TESS_MUST_CHECK tess_status tess_cgns_interfaces_join(tess_cgns_file *file,
                                                      tess_cgns_interfaces *interfaces,
                                                      tess_cgns_faces *faces);
void tess_cgns_interfaces_clear(tess_cgns_interfaces *interfaces);
