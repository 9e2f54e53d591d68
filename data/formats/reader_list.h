/* The mesh readers: one line each, included twice. */
X(su2)
X(gmsh)
X(op2)
X(gr3)
X(meshb)
X(ugrid)
