/* The partitioners, in the order of lists: TESS_PARTITIONER(name) where this build has it,
 * TESS_PARTITIONER_ABSENT(name, advice) where its library was missing. Included more than once. */
TESS_PARTITIONER(natural)
TESS_PARTITIONER(random)
TESS_PARTITIONER(hilbert)
TESS_PARTITIONER(rcb)
