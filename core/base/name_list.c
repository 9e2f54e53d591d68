/* A name list: names with commas between them, as they are typed. */
#include "core/base/name_list.h"

#include <stdio.h>
#include <string.h>

bool tess_name_list_next(const char **rest, char name[static TESS_LISTED_SIZE]) {
    *rest += strspn(*rest, ",");
    const size_t length = strcspn(*rest, ",");
    snprintf(name, TESS_LISTED_SIZE, "%.*s", (int)length, *rest);
    *rest += length;
    return length > 0;
}
