/* The writers: one line each, included twice. The first with a file's extension is its default. */
X(su2)
X(gmsh4)
X(gmsh2)
X(op2)
X(ugrid)
X(meshb)
X(vtkhdf)
X(vtu)
