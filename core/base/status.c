/* A status: its texts, its exit codes and the message kept beside it. */
#include "core/base/status.h"

#include "core/base/print_args.h"
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 2048 };

static _Thread_local char message[MESSAGE_SIZE];

tess_status tess_fail(tess_status code, const char *format, ...) {
    char words[MESSAGE_SIZE]; /* an argument may be the kept message itself */
    TESS_PRINT_ARGS(words, format);
    memcpy(message, words, sizeof words);
    return code;
}

tess_status tess_fail_at(tess_status code, const char *format, ...) {
    char position[MESSAGE_SIZE / 2];
    if (code == TESS_OK)
        return code;
    TESS_PRINT_ARGS(position, format);
    char words[MESSAGE_SIZE];
    memcpy(words, message, sizeof words);
    snprintf(message, sizeof message, "%s: %.*s", position,
             (int)(MESSAGE_SIZE - strlen(position) - 3), words);
    return code;
}

const char *tess_message(void) {
    return message;
}

const char *tess_status_text(tess_status code) {
    static const char *const texts[] = {
#define TESS_STATUS_TEXT(code, exit_code, text) text,
        TESS_STATUS_LIST(TESS_STATUS_TEXT)
#undef TESS_STATUS_TEXT
    };
    return (size_t)code < sizeof texts / sizeof texts[0] ? texts[code] : "unknown status";
}

int tess_status_exit_code(tess_status code) {
    static const int exit_codes[] = {
#define TESS_STATUS_EXIT(code, exit_code, text) exit_code,
        TESS_STATUS_LIST(TESS_STATUS_EXIT)
#undef TESS_STATUS_EXIT
    };
    return (size_t)code < sizeof exit_codes / sizeof exit_codes[0] ? exit_codes[code] : 1;
}
