/* The strategies of this build: one line each, included twice. */
X(sequential)
X(openmp)
X(atomics)
X(global_colour)
X(block_colour)
