/* The applications of this build: one line each, included twice. */
X(airfoil)
