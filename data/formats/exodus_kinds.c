/* Kinds of Exodus elements: their names, and the nodes of their sides. */
#include "data/formats/exodus_kinds.h"

#include <ctype.h>
#include <string.h>

static const tess_exodus_kind kinds[] = {
    {"TRI", TESS_ELEMENT_TRI, 3, {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 0, -1, -1}}},
    {"QUAD",
     TESS_ELEMENT_QUAD,
     4,
     {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 3, -1, -1}, {3, 0, -1, -1}}},
    {"SHELL",
     TESS_ELEMENT_QUAD,
     4,
     {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 3, -1, -1}, {3, 0, -1, -1}}},
    {"TET", TESS_ELEMENT_TET, 4, {{0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}, {0, 2, 1, -1}}},
    {"PYR",
     TESS_ELEMENT_PYRAMID,
     5,
     {{0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {0, 4, 3, -1}, {0, 3, 2, 1}}},
    {"WED",
     TESS_ELEMENT_PRISM,
     5,
     {{0, 1, 4, 3}, {1, 2, 5, 4}, {0, 3, 5, 2}, {0, 2, 1, -1}, {3, 4, 5, -1}}},
    {"HEX",
     TESS_ELEMENT_HEX,
     6,
     {{0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {0, 4, 7, 3}, {0, 3, 2, 1}, {4, 5, 6, 7}}},
    {"BAR", TESS_ELEMENT_LINE, 0, {{0}}},
    {"BEAM", TESS_ELEMENT_LINE, 0, {{0}}},
    {"EDGE", TESS_ELEMENT_LINE, 0, {{0}}},
    {"TRUSS", TESS_ELEMENT_LINE, 0, {{0}}},
    {"SPHERE", TESS_ELEMENT_POINT, 0, {{0}}},
    {"CIRCLE", TESS_ELEMENT_POINT, 0, {{0}}},
};

const tess_exodus_kind *tess_exodus_kind_of(const char *type) {
    char upper[40] = "";
    for (size_t i = 0; type[i] && i + 1 < sizeof upper; i++)
        upper[i] = (char)toupper((unsigned char)type[i]);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(upper, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return &kinds[i];
    return NULL;
}

int tess_exodus_faces(const tess_exodus_kind *kind, int dimension) {
    const bool is_shell = strcmp(kind->prefix, "SHELL") == 0;
    return is_shell || (kind->type == TESS_ELEMENT_TRI && dimension == 3) ? 2 : 0;
}
