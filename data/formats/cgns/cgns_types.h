/* The types of the nodes of a CGNS file in HDF5. */
#pragma once

#include "data/formats/file_text.h"

/* Fails (INPUT) by the first node whose data are not of the type that it states: the library takes
 * memory for the latter and reads the former into it. TESS_OK for files that are no HDF5. Looks
 * through the file as tess_hdf_content_check does, but in this process: damaged files break HDF5,
 * so it belongs into one of its own (probe_in_child.h). */
TESS_MUST_CHECK tess_status tess_cgns_types_check(const tess_file_text *text);
