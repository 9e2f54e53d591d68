/* The generators: one line each, included twice. */
X(quads)
X(tris)
X(hexes)
X(tets)
X(prisms)
X(irregular)
X(ogrid)
X(airfoil)
