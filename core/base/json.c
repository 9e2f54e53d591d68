/* JSON values. */
#include "core/base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *tess_json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *tess_json_text(const char *text) {
    if (!text)
        return json_null();
    json_t *string = json_string(text);
    char *ascii = NULL;
    if (string || !(ascii = strdup(text)))
        return string;
    for (char *c = ascii; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = json_string(ascii);
    free(ascii);
    return string;
}

const char *tess_json_text_at(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}
