/* A folder: made unless it is there. Where the folder that it lies in belongs to a group that may
 * write there (setgid and group-writable), the group may write in the new one, whatever the umask.
 */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

/* False where it cannot be made; errno says why. */
bool tess_folder_make(const char *path);

/* Makes a folder and those that it lies in, where they are missing. Unless `shared`, no group may
 * write in them but by the umask: what is executed lies there. */
TESS_MUST_CHECK tess_status tess_folders_make(const char *path, bool shared);

/* Lets the group write to an opened file where it may write in the folder of `path`, as above. */
void tess_folder_share_file(const char *path, int file);

/* Where it is not one, errno says why it cannot be looked at, if so. */
bool tess_is_folder(const char *path);

/* What a path has behind its folders, in it; all of it where that is nothing. */
const char *tess_last_of_path(const char *path);
