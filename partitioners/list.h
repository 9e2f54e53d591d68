/* The partitioners, in the order of lists: one line each, X(name) where this build has it,
 * ABSENT(name, advice) where its library was missing. Included more than once. */
X(file_order)
X(random)
X(rcm)
X(gps)
X(hilbert)
X(rcb)
X(mosaic)
#ifdef TESS_HAVE_METIS
X(metis)
#else
ABSENT(metis, "apt-get install libmetis-dev and build again")
#endif
#ifdef TESS_HAVE_SCOTCH
X(scotch)
#else
ABSENT(scotch, "apt-get install libscotch-dev and build again")
#endif
X(mtkahypar)
X(kaminpar)
X(zoltan)
X(ptscotch)
X(bricks)
X(file)
X(exec)
X(python)
