"""NumPy: gathers by arrays of indices, sums by add.at, on one core."""

import numpy
from columns import Columns, functions_of


def add(dat, aos, column, index, value):
    numpy.add.at(dat[:, column] if aos else dat[column], index, value)
    return dat


def add_rows(dat, index, values):
    numpy.add.at(dat, index, numpy.stack(numpy.broadcast_arrays(*values), 1))
    return dat


def version():
    return f"NumPy {numpy.__version__}"


def forget():
    """NumPy keeps nothing of a loop."""


def build(loop):
    if loop.on_gpu:
        raise NotImplementedError("NumPy has no GPU: take cupy")
    numpy.seterr(all="ignore")
    return Columns(loop, {**functions_of(numpy), "load": numpy.copy, "unload": numpy.asarray, "add": add, "add_rows": add_rows})
