"""Edges of airfoil's mesh by tiles of 8 x 8 cells: what the file behind Giles's slides must have been cut into, since 128 edges
reach 64 + 8 + 8 cells there.

    tess partition airfoil:i=400:j=600 --map edges:cells -b 128 -p python:file=tiles.py"""

import numpy

ROW, TILE = 1200, 8  # cells in a row of airfoil:i=400:j=600, and along a side of a tile


def partition(problem):
    cells = problem.maps[0].index.max(axis=1)  # an edge is the left or the lower one of its greater cell
    across, up = cells % ROW // TILE, cells // ROW // TILE
    order = numpy.lexsort((numpy.arange(problem.n_elements), up, across))
    block_of = numpy.empty(problem.n_elements, dtype=numpy.int32)
    block_of[order] = numpy.arange(problem.n_elements) // problem.block_size
    return block_of
