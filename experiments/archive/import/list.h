/* The importers in the order in which they are asked whether they know a file: one line each,
 * included twice. */
X(ncu)
X(mlflow)
X(nvbench)
X(benchmark)
X(t4)
X(kernel_tuner)
X(csv)
