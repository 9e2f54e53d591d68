/* The choices by which blocks and plans are made: their names, in the order of core's enums, are
 * those of command lines and of records. */
#ifndef TESS_PLAN_CHOICES_H
#define TESS_PLAN_CHOICES_H

#define TESS_POINTS_NAMES                                                                          \
    { "increments", "all" }
#define TESS_REPAIR_NAMES                                                                          \
    { "split", "move" }
#define TESS_ORDER_NAMES                                                                           \
    { "element", "colour" }
#define TESS_COLOURING_NAMES                                                                       \
    { "fewest", "dsatur", "greedy" }
#define TESS_RENUMBER_NAMES                                                                        \
    { "none", "gps", "rcm", "blocks", "owner", "colours" }

/* The entries of a table of tess_choice (command.h) for ints of these names in the struct `type`,
 * in a file that has their keys KEY_POINTS, KEY_REPAIR, KEY_ORDER, KEY_COLOURING, KEY_RENUMBER. */
#define TESS_PLAN_CHOICES(type)                                                                    \
    {KEY_POINTS, "points", offsetof(type, points), TESS_POINTS_NAMES},                             \
        {KEY_REPAIR, "repair", offsetof(type, repair), TESS_REPAIR_NAMES},                         \
        {KEY_ORDER, "order", offsetof(type, order), TESS_ORDER_NAMES},                             \
        {KEY_COLOURING, "colouring", offsetof(type, colouring), TESS_COLOURING_NAMES}, {           \
        KEY_RENUMBER, "renumber", offsetof(type, renumber), TESS_RENUMBER_NAMES                    \
    }

#endif
