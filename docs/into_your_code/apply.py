"""apply.py new.npz cells < data > moved: data of the old elements, a number a line, in the new order."""
import sys

import numpy

order = numpy.load(sys.argv[1])[f"{sys.argv[2]}.new_to_old"]
data = numpy.loadtxt(sys.stdin)
numpy.savetxt(sys.stdout, data[order], fmt="%.17g")
# a map to a renumbered set, say edges to cells: new = numpy.argsort(order); map = new[map]
