/* A wing: swept and tapered like ONERA's M6, with a rounded trailing edge, in closed form. */
#pragma once

/* Fills point [3] with the position of `at` [2] around the wing: at[0] in [0, 1) goes around the
 * section with the clock's hand from the trailing edge, at[1] in [0, 1] along the span from the
 * root, `height` is the distance from the wall in chords (of the circle that the section is mapped
 * from). x points downstream, y along the span; the chord at the root is 1. */
void tess_wing_point(const double at[2], double height, double point[3]);
