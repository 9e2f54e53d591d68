/* The partitioners, in the order of lists: TESS_PARTITIONER(name) where this build has it,
 * TESS_PARTITIONER_ABSENT(name, advice) where its library was missing. Included more than once. */
TESS_PARTITIONER(natural)
TESS_PARTITIONER(random)
TESS_PARTITIONER(rcm)
TESS_PARTITIONER(gps)
TESS_PARTITIONER(hilbert)
TESS_PARTITIONER(rcb)
TESS_PARTITIONER(mosaic)
#ifdef TESS_HAVE_METIS
TESS_PARTITIONER(metis)
#else
TESS_PARTITIONER_ABSENT(metis, "apt-get install libmetis-dev and build again")
#endif
#ifdef TESS_HAVE_SCOTCH
TESS_PARTITIONER(scotch)
#else
TESS_PARTITIONER_ABSENT(scotch, "apt-get install libscotch-dev and build again")
#endif
TESS_PARTITIONER(mtkahypar)
TESS_PARTITIONER(kaminpar)
TESS_PARTITIONER(bricks)
TESS_PARTITIONER(file)
