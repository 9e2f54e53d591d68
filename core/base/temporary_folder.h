/* A temporary folder: files of a while, below TMPDIR or /tmp. */
#pragma once

enum { TESS_TEMPORARY_SIZE = 512 };

/* Makes one whose name begins with that; "" where there can be none. */
void tess_temporary_folder_make(const char *name, char folder[static TESS_TEMPORARY_SIZE]);

/* Removes it with all that is in it; "" is left alone. */
void tess_temporary_folder_remove(const char *folder);
