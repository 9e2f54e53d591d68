/* The kinds of in-situ visualisation, in the order in which `auto` tries them: one line each,
 * included twice. */
X(catalyst2)
X(paraview)
X(hdf)
