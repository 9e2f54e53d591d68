/* An argument: the value of an option, read as what the option takes, or refused by name. */
#include "core/base/argument.h"

#include "core/base/old_word.h"
#include "core/base/unknown_name.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_argument_choice(const char *option, const char *text, const char *const *names,
                                 int *choice) {
    const char *today = tess_word_spelled(TESS_SPELLED_TODAY, option, text);
    for (int i = 0; names[i]; i++) {
        if (strcmp(today, names[i]) == 0) {
            *choice = i;
            return TESS_OK;
        }
    }
    tess_unknown_name unknown = tess_unknown_name_of(text);
    tess_unknown_name_add_all(&unknown, names);
    if (unknown.near[0])
        FAIL(TESS_ERROR_USAGE, "--%s: '%s' is not one of %s; did you mean '%s'?", option, text,
             unknown.known, unknown.near);
    FAIL(TESS_ERROR_USAGE, "--%s: '%s' is not one of %s", option, text, unknown.known);
}

tess_status tess_argument_integer(const char *option, const char *text, int64_t minimum,
                                  int64_t maximum, int64_t *value) {
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < minimum || number > maximum)
        FAIL(TESS_ERROR_USAGE, "--%s: '%s' is no whole number from %lld to %lld", option, text,
             (long long)minimum, (long long)maximum);
    *value = number;
    return TESS_OK;
}

tess_status tess_argument_real(const char *option, const char *text, double minimum,
                               double *value) {
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number) || number < minimum)
        FAIL(TESS_ERROR_USAGE, "--%s: '%s' is no number of at least %g", option, text, minimum);
    *value = number;
    return TESS_OK;
}

tess_status tess_argument_seconds(const char *option, const char *text, double *seconds) {
    char *end = NULL;
    *seconds = strtod(text, &end);
    if (end != text && strcmp(end, "m") == 0)
        *seconds *= 60;
    else if (end == text || (*end && strcmp(end, "s") != 0))
        *seconds = NAN;
    if (!(*seconds > 0) || !isfinite(*seconds))
        FAIL(TESS_ERROR_USAGE, "--%s takes a time, say 60s or 5m, not '%s'", option, text);
    return TESS_OK;
}

tess_status tess_argument_percent(const char *option, const char *text, double *share) {
    char *end = NULL;
    *share = strtod(text, &end) / 100;
    if (end == text || (*end && strcmp(end, "%") != 0) || !(*share >= 0) || !isfinite(*share))
        FAIL(TESS_ERROR_USAGE, "--%s takes a percentage, not '%s'", option, text);
    return TESS_OK;
}
