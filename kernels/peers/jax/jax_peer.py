"""JAX, compiled: sums by at[].add, or by segment_sum."""

import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others measure on the same GPU

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from columns import Columns, functions_of  # noqa: E402

CALLS = 10  # one behind the other, on a GPU
POOL_SHARE = 16  # of the memory that JAX may take


def add(dat, aos, column, index, value):
    return dat.at[index, column].add(value) if aos else dat.at[column, index].add(value)


def add_rows(dat, index, values):
    return dat.at[index].add(jnp.stack(jnp.broadcast_arrays(*values), 1))


def add_segments(dat, aos, column, index, value):
    n = dat.shape[0 if aos else 1]
    sums = jax.ops.segment_sum(jnp.broadcast_to(value, index.shape), index, num_segments=n)
    return dat.at[:, column].add(sums) if aos else dat.at[column].add(sums)


def add_segments_of_rows(dat, index, values):
    return dat + jax.ops.segment_sum(jnp.stack(jnp.broadcast_arrays(*values), 1), index, num_segments=dat.shape[0])


def put(dat, aos, column, n, value):
    return dat.at[:n, column].set(value) if aos else dat.at[column, :n].set(value)


def version():
    return f"JAX {jax.__version__}"


def forget():
    """JAX never gives memory of a GPU back: it keeps too much where that is more than a loop is likely to need again."""
    jax.clear_caches()
    held = [device.memory_stats() or {} for device in jax.devices()]
    return any(one.get("pool_bytes", 0) > one.get("bytes_limit", 0) / POOL_SHARE for one in held)


def build(loop):
    jax.config.update("jax_enable_x64", True)
    devices = jax.devices("gpu" if loop.on_gpu else "cpu")
    device = devices[loop.gpu if loop.on_gpu else 0]
    by_segments = loop.peer == "jax-segment_sum"
    library = {**functions_of(jnp), "put": put, "add": add_segments if by_segments else add,
               "add_rows": add_segments_of_rows if by_segments else add_rows,
               "load": lambda array: jax.device_put(array, device), "unload": jax.device_get}
    return Columns(loop, library, lambda step, dats, index: jax.jit(step, donate_argnums=0).lower(dats, index).compile(),
                   jax.block_until_ready, CALLS if loop.on_gpu else 1)
