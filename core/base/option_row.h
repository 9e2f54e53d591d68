/* An option row: one option of a command line, and the member of a struct that keeps its value.
 *
 *   static const tess_option_row options[] = {
 *       {"lab", 'l', "DIR", "The lab (default: ./lab)", TESS_KEPT(rm_options, lab)},
 *       {"empty", 0, NULL, "Delete what is in the trash", TESS_KEPT(rm_options, empty)},
 *       {TESS_KEPT_LIST(rm_options, runs, n_runs), .refusal = "more than %d runs at once"},
 *       {0}};
 */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a member keeps. */
typedef enum tess_kept {
    TESS_KEEPS_NOTHING,
    TESS_KEEPS_TEXT,    /* const char *: the value as typed */
    TESS_KEEPS_FLAG,    /* bool: true */
    TESS_KEEPS_INTEGER, /* int64_t from `least` to `most` */
    TESS_KEEPS_REAL,    /* double of at least `least` */
    TESS_KEEPS_LIST,    /* const char *[most] and an int: each value as typed */
    TESS_KEEPS_CHOICE,  /* int or enum: the index among `choices` */
    TESS_KEEPS_EITHER   /* bool: whether it is the second of two `choices` */
} tess_kept;

/* An option; without a name what is done with arguments, a row after the other: a text is taken
 * once, a list until it is full. Or all rows of another table, whose options are a member. */
typedef struct tess_option_row {
    const char *name;
    int letter;          /* 0: none */
    const char *value;   /* what stands for the value in help; NULL: it takes none */
    const char *help;    /* without a name: the title of the group */
    int group;           /* of the help, as argp has it */
    bool hidden;         /* help is silent of it */
    bool optional;       /* it may stand without its value */
    const char *refusal; /* what is said of one argument too many: printf's words for it, or for
                            the most that a list has; of a named text that is typed twice, for
                            both (NULL: the last one counts) */
    tess_kept kept;
    size_t offset; /* of the member; 0: all options, where `read` wants them */
    int64_t least, most;
    const char *const *choices; /* ended by NULL */
    size_t n_offset;            /* of the length of a list */
    /* Makes something else of the value (NULL where none was typed) and keeps it. */
    tess_status (*read)(const char *option, const char *value, void *member);
    const struct tess_option_row *table;
} tess_option_row;

/* Keeps a value by the type of the member: a text, a flag or a number. */
#define TESS_KEPT(options, member)                                                                 \
    .kept = _Generic(((options *)0)->member,                                                       \
                     const char *: TESS_KEEPS_TEXT,                                                \
                     bool: TESS_KEEPS_FLAG,                                                        \
                     int64_t: TESS_KEEPS_INTEGER,                                                  \
                     double: TESS_KEEPS_REAL),                                                     \
    .offset = offsetof(options, member)
#define TESS_KEPT_LIST(options, items, n)                                                          \
    .kept = TESS_KEEPS_LIST, .offset = offsetof(options, items), .n_offset = offsetof(options, n), \
    .most = sizeof((options *)0)->items / sizeof(const char *)
#define TESS_KEPT_CHOICE(options, member, names)                                                   \
    .kept = _Generic(((options *)0)->member,                                                       \
                     bool: TESS_KEEPS_EITHER,                                                      \
                     default: TESS_KEEPS_CHOICE),                                                  \
    .offset = offsetof(options, member), .choices = names
#define TESS_READ_BY(function, options, member)                                                    \
    .read = function, .offset = offsetof(options, member)
#define TESS_ROWS_OF(other, options, member) .table = other, .offset = offsetof(options, member)
