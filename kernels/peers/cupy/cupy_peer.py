"""CuPy: gathers by arrays of indices, sums by cupyx.scatter_add."""

import cupy
import cupyx
from columns import Columns, functions_of

CALLS = 10  # one behind the other


def add(dat, aos, column, index, value):
    cupyx.scatter_add(dat[:, column] if aos else dat[column], index, value)
    return dat


def add_rows(dat, index, values):
    cupyx.scatter_add(dat, index, cupy.stack(cupy.broadcast_arrays(*values), 1))
    return dat


def version():
    return f"CuPy {cupy.__version__}"


def forget():
    cupy.get_default_memory_pool().free_all_blocks()


def build(loop):
    if not loop.on_gpu:
        raise NotImplementedError("CuPy runs on a GPU: say --device cuda")
    cupy.cuda.Device(loop.gpu).use()
    library = {**functions_of(cupy), "load": cupy.asarray, "unload": cupy.asnumpy, "add": add, "add_rows": add_rows}
    return Columns(loop, library, wait=lambda dats: cupy.cuda.get_current_stream().synchronize(), calls=CALLS)
