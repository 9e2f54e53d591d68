/* What the options of pictures take: a few numbers with marks between them. */
#include "experiments/report/in_situ/picture_option.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIXELS = 10000 }; /* of a side: ParaView ends without a word where memory does */

/* '#' is a number, '+' one of at least 0, '>' one above 0, 'n' a whole one of at least 0, 'a' an
 * axis. */
static const struct {
    const char *option, *form, *example;
} forms[] = {{"explode", "+", "0.2"},
             {"zoom", ">", "2"},
             {"block", "n", "7"},
             {"cut", "a=#", "x=0.5"},
             {"size", "nxn", "1200x800"},
             {"window", "#,#,#,#", "0,1,0,1"},
             {"viz-range", "#,#", "0.9,1.1"},
             {"viz-window", "#,#,#,#", "0,1,0,1"}};

static bool is_number(char form, double value) {
    return isfinite(value) && (form == '#' || value > 0 || (form == '+' && value == 0));
}

static bool has_form(const char *form, const char *text) {
    for (; *form; form++) {
        char *end = NULL;
        if (strchr("#+>", *form))
            end = is_number(*form, strtod(text, &end)) ? end : NULL;
        else if (*form == 'n')
            end = (char *)text + strspn(text, "0123456789");
        else if (*form == 'a' ? *text && strchr("xyz", *text) : *text == *form)
            end = (char *)text + 1;
        if (!end || end == text)
            return false;
        text = end;
    }
    return *text == '\0';
}

/* Whether "WxH" is a picture. */
static bool is_size(const char *size) {
    const long width = strtol(size, NULL, 10), height = strtol(strchr(size, 'x') + 1, NULL, 10);
    return width > 0 && width <= MOST_PIXELS && height > 0 && height <= MOST_PIXELS;
}

static bool is_window(const char *option) {
    return strcmp(option, "window") == 0 || strcmp(option, "viz-window") == 0;
}

/* Whether the first of each two numbers, as in X0,X1,Y0,Y1, is the smaller one. */
static bool has_room(const char *pairs) {
    for (bool is_last = false; !is_last;) {
        char *end = NULL;
        const double low = strtod(pairs, &end), high = strtod(end + 1, &end);
        if (!(low < high))
            return false;
        is_last = *end == '\0';
        pairs = end + 1;
    }
    return true;
}

tess_status tess_picture_option_check(const char *option, const char *value) {
    if (!value)
        return TESS_OK;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].option, option) == 0 && !has_form(forms[i].form, value))
            FAIL(TESS_ERROR_USAGE, "--%s takes what looks like %s, not '%s'", option,
                 forms[i].example, value);
    if (strcmp(option, "size") == 0 && !is_size(value))
        FAIL(TESS_ERROR_USAGE, "--size %s: a side has 1 to %d pixels", value, MOST_PIXELS);
    if (is_window(option) && !has_room(value))
        FAIL(TESS_ERROR_USAGE, "--%s=%s is empty: it is X0,X1,Y0,Y1 with X0 < X1 and Y0 < Y1",
             option, value);
    if (strcmp(option, "viz-range") == 0 && !has_room(value))
        FAIL(TESS_ERROR_USAGE, "--viz-range=%s is empty: it is LOW,HIGH with LOW < HIGH", value);
    if (strcmp(option, "cut") == 0) {
        const double fraction = strtod(value + 2, NULL);
        if (!(fraction > 0 && fraction < 1))
            FAIL(TESS_ERROR_USAGE,
                 "--cut %s leaves all or nothing: the fraction is between 0 and 1, say x=0.5",
                 value);
    }
    return TESS_OK;
}

static bool is_flat_along(const tess_mesh *mesh, int axis) {
    const int dimension = mesh->dimension;
    const int64_t n = axis < dimension ? tess_mesh_set_size(mesh, "nodes") : 0;
    for (int64_t i = 1; i < n; i++)
        if (mesh->coordinates[i * dimension + axis] != mesh->coordinates[axis])
            return false;
    return true;
}

tess_status tess_picture_option_suits(const char *option, const char *value,
                                      const tess_mesh *mesh) {
    if (is_window(option) && !is_flat_along(mesh, 2))
        FAIL(TESS_ERROR_USAGE,
             "--%s is for flat meshes, and this is a solid: --cut x=0.5 looks inside, --zoom goes "
             "nearer",
             option);
    if (strcmp(option, "cut") == 0 && is_flat_along(mesh, value[0] - 'x'))
        FAIL(TESS_ERROR_USAGE,
             "--cut %s cuts nothing: the mesh is flat, and --window shows a part of it", value);
    return TESS_OK;
}
