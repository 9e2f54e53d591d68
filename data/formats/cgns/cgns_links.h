/* The links between zones of a CGNS file by lists of nodes, of which each is one of another zone or
 * of the same. */
#pragma once

#include "data/formats/cgns/cgns_interfaces.h"

/* Adds the pairs of nodes of all links, when all zones are read. Links that list no pairs of nodes
 * are counted and left. Fails (INPUT) on numbers that are none of a zone's nodes, and on zones that
 * there are not. */
TESS_MUST_CHECK tess_status tess_cgns_links_read(tess_cgns_file *file,
                                                 tess_cgns_interfaces *interfaces);
