/* A status: what became of a call that can fail, with the words a user needs to mend it.
 *
 * Every function that can fail returns a must-check `tess_status`. The words (what, where: file,
 * line, element, and what to do) are kept beside it, one message a thread, until the next failure
 * of that thread. Libraries never print and never exit: the program reads `tess_message()`.
 *
 * Three words carry a failure:
 *   FAIL(code, format, ...)   where it is found, in a function that has nothing to free
 *   TRY(call)                 passes it on, in a function that has nothing to free
 *   CHECK(call)               passes it on through the single label `done:` where things are freed;
 *                             the function declares `tess_status status = TESS_OK;`
 * A failure found in a function with `done:` reads CHECK(tess_fail(code, format, ...)). */
#pragma once

/* code, exit code of the program (docs/concepts.md, "Exit codes"), what the code means */
#define TESS_STATUS_LIST(X)                                                                        \
    X(TESS_OK, 0, "done")                                                                          \
    X(TESS_ERROR_CHECK, 1, "a check, comparison or run failed")                                    \
    X(TESS_ERROR_IO, 1, "reading or writing failed")                                               \
    X(TESS_ERROR_MEMORY, 1, "out of memory")                                                       \
    X(TESS_ERROR_INTERNAL, 1, "a defect of tesselab")                                              \
    X(TESS_ERROR_USAGE, 2, "wrong usage")                                                          \
    X(TESS_ERROR_INPUT, 3, "bad input")                                                            \
    X(TESS_ERROR_MISSING, 4, "something is missing on this machine")                               \
    X(TESS_ERROR_INTERRUPTED, 130, "interrupted")

typedef enum tess_status {
#define TESS_STATUS_ENUM(code, exit_code, text) code,
    TESS_STATUS_LIST(TESS_STATUS_ENUM)
#undef TESS_STATUS_ENUM
} tess_status;

#define TESS_MUST_CHECK __attribute__((warn_unused_result))

/* Keeps the formatted message for this thread and returns `code`. */
TESS_MUST_CHECK tess_status tess_fail(tess_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts the formatted words and ": " before the kept message where a caller knows the place, say the
 * file, and the callee only what was wrong. Returns `code`; of TESS_OK it does nothing else. */
TESS_MUST_CHECK tess_status tess_fail_at(tess_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The message of this thread's last failure; "" where there was none. Valid until the next one. */
const char *tess_message(void);

/* What a code means, and the program's exit code for it. */
const char *tess_status_text(tess_status code);
int tess_status_exit_code(tess_status code);

#define FAIL(code, ...) return tess_fail((code), __VA_ARGS__)

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const tess_status tess_try_status = (call);                                                \
        if (tess_try_status != TESS_OK)                                                            \
            return tess_try_status;                                                                \
    } while (0)

#define CHECK(call)                                                                                \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != TESS_OK)                                                                     \
            goto done;                                                                             \
    } while (0)
