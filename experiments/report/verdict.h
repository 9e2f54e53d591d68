/* A verdict: which of some ways to run a loop is the fastest by the model of a GPU, and how much
 * that gains over the mesh as it is stored. All commands that name a winner have it from here. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A way to run the loop. */
typedef struct tess_verdict_row {
    const char *name;      /* "mosaic"; ways of one name count as the fastest of them */
    const char *detail;    /* " in blocks of 128" behind the winner's name; "" */
    double seconds;        /* predicted; NaN: it takes no part */
    double launch_seconds; /* of these for launches */
    bool is_stored;        /* the mesh as it is stored */
    bool is_yardstick;     /* it takes no part, as random order does */
} tess_verdict_row;

/* A row without detail and launches, of a way whose blocks a spec or a name that begins with one
 * makes, "metis:seed=3 by atomics"; NULL: none. */
tess_verdict_row tess_verdict_row_of(const char *name, const char *partitioner, double seconds);

/* The fastest of the rows [n] but for those as stored and yardsticks; -1: none has a time. Of ties
 * the first in the list. */
int64_t tess_verdict_best(const tess_verdict_row *rows, int64_t n);

/* Whether a time, or another number, is as good as the best: within TESS_SAME_MARGIN of it. */
bool tess_verdict_ties(double best, double number);

/* Whether launches take so much of the time as stored that blocks cannot matter: then nothing wins
 * by time. */
bool tess_verdict_is_too_small(const tess_verdict_row *rows, int64_t n);

/* What row i of a table is called beside its best, row 0: "best", "tie", "same", "worse" or, of the
 * mesh as it is stored, "better"; "" where no blocks matter. */
const char *tess_verdict_word(const tess_verdict_row *rows, int64_t n, int64_t i);

/* Prints one sentence without its end, "" where no row has a time: "mosaic in blocks of 128: 3.7
 * times as fast as your file's order by the model of an NVIDIA H200 (0.076 ms for 0.283); metis
 * ties; hilbert costs 2 %". */
void tess_verdict_print(const tess_verdict_row *rows, int64_t n, const char *device, FILE *words);
