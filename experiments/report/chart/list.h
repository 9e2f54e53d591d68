/* The plots in the order of their help: one line each, included twice. */
X(reuse)
X(time)
X(bandwidth)
X(front)
X(scaling)
X(roofline)
