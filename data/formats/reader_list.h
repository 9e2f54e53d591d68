/* The mesh readers that are built in: a line each. Included twice, to declare and to tabulate. */
TESS_READER(su2)
TESS_READER(gmsh)
TESS_READER(op2)
TESS_READER(gr3)
TESS_READER(meshb)
TESS_READER(ugrid)
