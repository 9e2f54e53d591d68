/* A report as JSON. */
#include "experiments/report/json_print.h"

#include <stdio.h>

tess_status tess_json_print(json_t *object) {
    if (!object)
        FAIL(TESS_ERROR_MEMORY, "out of memory: the JSON output cannot be made");
    const int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    if (failed || putchar('\n') == EOF)
        FAIL(TESS_ERROR_IO, "the JSON output cannot be written to stdout");
    return TESS_OK;
}
