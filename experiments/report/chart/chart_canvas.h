/* A canvas: dots, eight to a character, and letters on a grid of characters. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

typedef struct tess_canvas {
    int n_columns, n_rows; /* characters */
    unsigned char *dots;   /* [row][column]: bits as Unicode's braille has them */
    signed char *ink;      /* [row][column]: the series of the last dot or letter; -1: none */
    char *letters;         /* [row][column]; 0: none */
} tess_canvas;

TESS_MUST_CHECK tess_status tess_canvas_new(int n_columns, int n_rows, tess_canvas **out);
void tess_canvas_free(tess_canvas *canvas);

/* Places are from 0 to 1, x to the right and y upwards; what is outside is not drawn. */
void tess_canvas_letter(tess_canvas *canvas, double x, double y, char letter, int ink);
/* A line; dashed ones have gaps. */
typedef struct tess_canvas_line {
    double x0, y0, x1, y1;
    bool dashed;
    int ink;
} tess_canvas_line;
void tess_canvas_draw(tess_canvas *canvas, const tess_canvas_line *line);
