/* What the options of pictures take: a few numbers with marks between them. */
#include "experiments/report/in_situ/picture_option.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* '#' is a number, 'a' an axis. */
static const struct {
    const char *option, *form, *example;
} forms[] = {{"explode", "#", "0.2"},
             {"zoom", "#", "2"},
             {"block", "#", "7"},
             {"cut", "a=#", "x=0.5"},
             {"size", "#x#", "1200x800"},
             {"window", "#,#,#,#", "0,1,0,1"},
             {"viz-range", "#,#", "0.9,1.1"},
             {"viz-window", "#,#,#,#", "0,1,0,1"}};

static bool has_form(const char *form, const char *text) {
    for (; *form; form++) {
        char *end = NULL;
        if (*form == '#')
            strtod(text, &end);
        else if (*form == 'a' ? *text && strchr("xyz", *text) : *text == *form)
            end = (char *)text + 1;
        if (!end || end == text)
            return false;
        text = end;
    }
    return *text == '\0';
}

tess_status tess_picture_option_check(const char *option, const char *value) {
    for (size_t i = 0; value && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].option, option) == 0 && !has_form(forms[i].form, value))
            FAIL(TESS_ERROR_USAGE, "--%s takes what looks like %s, not '%s'", option,
                 forms[i].example, value);
    return TESS_OK;
}
