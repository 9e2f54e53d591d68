/* The exchange engines of this build: one line each, included twice. */
X(local)
X(mpi)
X(nccl)
X(peer)
