/* The header of a classic NetCDF file, looked through before the NetCDF library trusts it. */
#pragma once

#include "data/formats/file_text.h"

/* Fails (INPUT) with the offset of the first count, length, type or number of a dimension that the
 * rest of the file cannot bear, as the library would take memory for what is announced; or with the
 * name of the first variable that the file ends before, as the library would give zeros for the
 * rest. TESS_OK for every other kind of file. */
TESS_MUST_CHECK tess_status tess_netcdf_header_check(const tess_file_text *text);
