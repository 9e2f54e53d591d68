/* The applications of this build: one line each, included twice. */
X(airfoil)
X(volna)
X(bookleaf)
X(lulesh)
X(miniaero)
X(fv)
X(fun3d)
