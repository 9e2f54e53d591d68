/* The generators: TESS_GENERATOR(name) stands for the `const tess_generator tess_generator_name`
 * of one file. Included twice by generator.c. */
TESS_GENERATOR(quads)
TESS_GENERATOR(tris)
TESS_GENERATOR(hexes)
TESS_GENERATOR(tets)
TESS_GENERATOR(prisms)
TESS_GENERATOR(irregular)
TESS_GENERATOR(ogrid)
TESS_GENERATOR(airfoil)
