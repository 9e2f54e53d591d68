/* The exporters in the order of help: one line each, included twice. */
X(csv)
X(json)
X(markdown)
X(metis)
X(arrays)
X(t4)
X(benchmark)
X(crate)
