/* What the two halves of the plan file share: plan_file.c (writing) and plan_file_part.c. No other
 * file includes it. */
#ifndef TESS_PLAN_ROW_H
#define TESS_PLAN_ROW_H

#include "core/plan/loop.h"
#include "experiments/archive/archive.h"

/* An arg of the loop as a row of /loop/args. */
typedef struct tess_arg_row {
    char dat[TESS_NAME_SIZE], set[TESS_NAME_SIZE], map[TESS_NAME_SIZE];
    char type[8], access[8];
    int32_t slot, dim;
} tess_arg_row;

enum { TESS_ARG_COLUMNS = 7 };

static const tess_archive_column tess_arg_columns[TESS_ARG_COLUMNS] = {
    {"dat", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(tess_arg_row, dat)},
    {"set", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(tess_arg_row, set)},
    {"map", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(tess_arg_row, map)},
    {"slot", TESS_ARCHIVE_INT32, sizeof(int32_t), offsetof(tess_arg_row, slot)},
    {"dim", TESS_ARCHIVE_INT32, sizeof(int32_t), offsetof(tess_arg_row, dim)},
    {"type", TESS_ARCHIVE_TEXT, 8, offsetof(tess_arg_row, type)},
    {"access", TESS_ARCHIVE_TEXT, 8, offsetof(tess_arg_row, access)},
};

#endif
