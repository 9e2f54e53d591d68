/* Raw elements: a table of elements in a binary file, whose nodes count from 1. */
#ifndef TESS_RAW_ELEMENTS_H
#define TESS_RAW_ELEMENTS_H

#include "data/formats/elements.h"
#include "data/formats/scan.h"

typedef struct tess_raw_elements {
    tess_element_type type;
    int64_t n;
    int id_bytes;                        /* 4 or 8 */
    const char *ids;                     /* of the first element's nodes */
    int64_t record;                      /* bytes from one element to the next */
    int slot_of[TESS_ELEMENT_MAX_NODES]; /* VTK's place of each node; all 0: the same order */
    const char *groups;                  /* of the first element's group, or NULL */
    int64_t group_record;                /* bytes from one group to the next */
} tess_raw_elements;

/* Appends the elements, each with its group as `marker`; fails (INPUT) on a node that is not in
 * 1..n_nodes. `scan` knows the byte order and where the table is. */
TESS_MUST_CHECK tess_status tess_raw_elements_append(const tess_scan *scan,
                                                     const tess_raw_elements *raw, int64_t n_nodes,
                                                     tess_elements *elements);

#endif
