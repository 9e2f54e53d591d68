/* A name list: names with commas between them, as they are typed. */
#pragma once

#include <stdbool.h>

enum { TESS_LISTED_SIZE = 256 }; /* of a name with its end */

/* Takes the next name of *rest, which moves on, or false. Empty names are passed
 * over, longer ones cut. */
bool tess_name_list_next(const char **rest, char name[static TESS_LISTED_SIZE]);
