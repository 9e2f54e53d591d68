/* A canvas: dots, eight to a character, and letters on a grid of characters. */
#include "experiments/report/chart/chart_canvas.h"

#include "core/base/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 2, DOWN = 4, DASH = 4 }; /* dots of a character; dots of a dash */

tess_status tess_canvas_new(int n_columns, int n_rows, tess_canvas **out) {
    tess_status status = TESS_OK;
    tess_canvas *canvas = NULL;
    const int64_t n = (int64_t)n_columns * n_rows;
    CHECK(TESS_ZEROS(1, &canvas));
    canvas->n_columns = n_columns;
    canvas->n_rows = n_rows;
    CHECK(TESS_ZEROS(n, &canvas->dots));
    CHECK(TESS_ZEROS(n, &canvas->letters));
    CHECK(TESS_ALLOC(n, &canvas->ink));
    memset(canvas->ink, -1, (size_t)n);
    *out = TESS_TAKE(canvas);
done:
    tess_canvas_free(canvas);
    return status;
}

void tess_canvas_free(tess_canvas *canvas) {
    if (!canvas)
        return;
    free(canvas->dots);
    free(canvas->ink);
    free(canvas->letters);
    free(canvas);
}

static bool is_inside(double x, double y) {
    return x >= 0 && x <= 1 && y >= 0 && y <= 1;
}

/* The cell of n that a position from 0 to 1 lies in. */
static int cell_of(double position, int n) {
    const int cell = (int)(position * n);
    return cell < n ? cell : n - 1;
}

void tess_canvas_letter(tess_canvas *canvas, double x, double y, char letter, int ink) {
    if (!is_inside(x, y))
        return;
    const int at =
        cell_of(1 - y, canvas->n_rows) * canvas->n_columns + cell_of(x, canvas->n_columns);
    canvas->letters[at] = letter;
    canvas->ink[at] = (signed char)ink;
}

static void add_dot(tess_canvas *canvas, double x, double y, int ink) {
    static const unsigned char bits[DOWN][ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (!is_inside(x, y))
        return;
    const int column = cell_of(x, ACROSS * canvas->n_columns);
    const int row = cell_of(1 - y, DOWN * canvas->n_rows);
    const int at = row / DOWN * canvas->n_columns + column / ACROSS;
    canvas->dots[at] |= bits[row % DOWN][column % ACROSS];
    if (!canvas->letters[at])
        canvas->ink[at] = (signed char)ink;
}

void tess_canvas_draw(tess_canvas *canvas, const tess_canvas_line *line) {
    const double across = (line->x1 - line->x0) * ACROSS * canvas->n_columns;
    const double down = (line->y1 - line->y0) * DOWN * canvas->n_rows;
    const double longest = fmax(fabs(across), fabs(down));
    if (!isfinite(longest))
        return;
    const int n = (int)fmin(ceil(longest), 1e5);
    for (int i = 0; i <= n; i++) {
        const double t = n ? (double)i / n : 0;
        if (!line->dashed || i / DASH % 2 == 0)
            add_dot(canvas, line->x0 + t * (line->x1 - line->x0),
                    line->y0 + t * (line->y1 - line->y0), line->ink);
    }
}
