/* The content of an HDF5 file: opened without a copy where it can be, and looked through before
 * libraries take the memory that it announces. */
#pragma once

#include "data/formats/file_text.h"
#include <hdf5.h>

bool tess_hdf_is_content(const tess_file_text *text);

/* Opens it for reading; H5Fclose. Fails (INPUT) where HDF5 cannot, and by the first dataset whose
 * chunks or numbers are larger than what compression can have made the whole file of: HDF5 would
 * take that memory to read the first of them. */
TESS_MUST_CHECK tess_status tess_hdf_content_open(const tess_file_text *text, hid_t *out);

/* Looks in this process alone, for whoever has one of its own (probe_in_child.h). */
TESS_MUST_CHECK tess_status tess_hdf_content_open_here(const tess_file_text *text, hid_t *out);

/* Only looks, for libraries that open the file themselves; TESS_OK for files that are no
 * HDF5. */
TESS_MUST_CHECK tess_status tess_hdf_content_check(const tess_file_text *text);
