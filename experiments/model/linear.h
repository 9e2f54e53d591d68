/* Linear equations: few unknowns, a matrix that is symmetric and positive. */
#pragma once

/* Solves the n equations a x = b by elimination; x replaces b, and a [n][n] is lost. */
void tess_linear_solve(double *a, double *b, int n);
