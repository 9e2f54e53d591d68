/* The kinds of in-situ visualisation, in the order in which `auto` tries them. Included twice. */
TESS_VIZ_KIND(catalyst2)
TESS_VIZ_KIND(paraview)
TESS_VIZ_KIND(hdf)
