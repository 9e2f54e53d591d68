/* A chart as text: panels one below the other, drawn with letters and braille dots. */
#pragma once

#include "experiments/report/chart/chart.h"
#include <stdio.h>

/* What a terminal can show. */
typedef struct tess_chart_ink {
    int width;    /* characters of a line */
    bool unicode; /* lines and dots beyond ASCII */
    bool colour;
} tess_chart_ink;

/* What the stream can show: no colours and no more than ASCII where it is a dumb terminal, no
 * colours elsewhere, or where NO_COLOR is set. */
tess_chart_ink tess_chart_ink_of(FILE *stream);

TESS_MUST_CHECK tess_status tess_chart_print(const tess_chart *chart, tess_chart_ink ink,
                                             FILE *stream);
