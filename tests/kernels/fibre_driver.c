/* fibre_driver: fibres that hand a turn around, on every way of switching. Prints the sum of what
 * they did; ends with 1 where a fibre lost what a call must preserve. */
#include "kernels/devices/emulator/fibre.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIBRES = 70, ROUNDS = 200, STACK = 32768 };

typedef struct walker {
    tess_fibre fibre;
    int number, rounds;
    double sum;
    int lost; /* values that changed while it waited */
} walker;

static tess_fibre home;

/* Values of both kinds that stay in registers over a switch: as many as a call may preserve. */
static void walk(void *argument) {
    walker *w = argument;
    const double step = w->number + 0.5;
    double d0 = step, d1 = 2 * step, d2 = 3 * step, d3 = 4 * step;
    long i0 = w->number, i1 = i0 + 1, i2 = i0 + 2, i3 = i0 + 3;
    for (w->rounds = 0; w->rounds < ROUNDS; w->rounds++) {
        tess_fibre_switch(&w->fibre, home);
        w->lost += d0 != step || d1 != 2 * step || d2 != 3 * step || d3 != 4 * step;
        w->lost += i0 != w->number || i1 != i0 + 1 || i2 != i0 + 2 || i3 != i0 + 3;
        w->sum += d0 + d1 + d2 + d3 + (double)(i0 + i1 + i2 + i3);
    }
    for (;;)
        tess_fibre_switch(&w->fibre, home);
}

/* Runs all fibres on stacks of their own, each at another place below its stack's top. */
static double run(int *lost) {
    static walker walkers[FIBRES];
    char *stacks = aligned_alloc(STACK, (size_t)FIBRES * STACK);
    double sum = 0;
    if (!stacks)
        exit(2);
    for (int f = 0; f < FIBRES; f++) {
        walkers[f] = (walker){.number = f};
        walkers[f].fibre = tess_fibre_start(stacks + (size_t)f * STACK, STACK,
                                            (size_t)(f % 16) * 320, walk, &walkers[f]);
    }
    for (int round = 0; round <= ROUNDS; round++)
        for (int f = 0; f < FIBRES; f++)
            tess_fibre_switch(&home, walkers[f].fibre);
    for (int f = 0; f < FIBRES; f++) {
        sum += walkers[f].rounds == ROUNDS ? walkers[f].sum : 0;
        *lost += walkers[f].lost;
    }
    free(stacks);
    return sum;
}

int main(void) {
    int lost = 0;
    const double first = run(&lost), again = run(&lost);
    printf("%.1f\n", first);
    if (lost || first != again)
        fprintf(stderr, "%d values lost; %.1f, then %.1f\n", lost, first, again);
    return lost || first != again;
}
