/* A wing: swept and tapered like ONERA's M6, with a rounded trailing edge, in closed form.
 *
 * A section is the image of a circle under Joukowski's map z = zeta + 1 / zeta. The circle's centre
 * lies before the origin, which makes the section thick; it passes a little behind zeta = 1, which
 * rounds the trailing edge. Larger circles around the same centre are the layers. */
#include "data/generators/wing.h"

#include <complex.h>
#include <math.h>

/* Of the M6, by its root chord (Schmitt and Charpin, AGARD AR-138, 1979): span, leading edge's
 * sweep as its tangent, taper; its section's thickness is nearly 0.1. */
static const double span = 1.4844, sweep = 0.57735, taper = 0.562;
static const double centre = -0.08, rounding = 0.02;

static double complex section(double radius, double angle) {
    const double complex on_circle = centre + radius * cexp(I * angle);
    return on_circle + 1 / on_circle;
}

void tess_wing_point(const double at[2], double height, double point[3]) {
    const double radius = 1 - centre + rounding, chord_of_circle = 4;
    const double nose = creal(section(radius, acos(-1))), tail = creal(section(radius, 0));
    const double chord = 1 - (1 - taper) * at[1];
    const double complex z = section(radius + height * chord_of_circle, -2 * acos(-1) * at[0]);
    point[0] = sweep * span * at[1] + chord * (creal(z) - nose) / (tail - nose);
    point[1] = span * at[1];
    point[2] = chord * cimag(z) / (tail - nose);
}
