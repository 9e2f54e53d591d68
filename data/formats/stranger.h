/* Strangers: files that are no mesh, or of a format that is not read, known by how they begin. */
#pragma once

#include "data/formats/file_text.h"

/* Fail (INPUT) with what the file is, and what to do: where it is no mesh at all; where it is of
 * another format, which no reader recognises. */
TESS_MUST_CHECK tess_status tess_stranger_refuse_no_mesh(const tess_file_text *file);
TESS_MUST_CHECK tess_status tess_stranger_refuse_format(const tess_file_text *file);
