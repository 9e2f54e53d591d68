"""A scatter inside JAX's transformations: jax.jit, jax.grad, jax.vmap."""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Any

import jax
import numpy as np

from .foreign_arrays import array_kind
from .jax_handler import TARGET, Call, register
from .scatter import TYPES, Scatter, scatter_of
from .shared_library import BadInputError

OTHER_WAY = {"scatter": "gather", "gather": "scatter"}

_traces: list[tuple[str, str, str, str, int]] = []  # scatter, way, reduction, type and width of what XLA calls by its number


def _work(call: Call, on_device: bool) -> None:
    name, way, reduction, type_name, width = _traces[call.number]
    device = f"cuda:gpu={call.ordinal()}" if on_device else "host"
    queue = call.stream() if on_device else None
    scatter_of(name).reduce_at(way, device, (reduction, type_name, width), (call.argument, call.result), queue, call.allocate)


@lru_cache(None)
def _registered() -> list[Any]:
    return register(_work)


@partial(jax.custom_vjp, nondiff_argnums=(0, 2, 3))
def _traced(scatter: Scatter, values: Any, way: str, reduction: str) -> Any:
    _registered()
    inner = scatter.inner_shape(values.shape, way)
    result = jax.ShapeDtypeStruct(scatter.shape_after(way) + inner, values.dtype)
    trace = scatter.name, way, reduction, str(values.dtype), math.prod(inner)
    if trace not in _traces:
        _traces.append(trace)
    reduce = jax.ffi.ffi_call(TARGET, result, vmap_method="sequential")
    return reduce(values, number=np.int64(_traces.index(trace)))


def _forward(scatter: Scatter, values: Any, way: str, reduction: str) -> tuple[Any, None]:
    if reduction in ("max", "min"):
        raise BadInputError(f"the gradient of '{reduction}' is known to PyTorch alone: take sum or mean in JAX")
    return _traced(scatter, values, way, reduction), None


def _backward(scatter: Scatter, way: str, reduction: str, _: None, gradient: Any) -> tuple[Any]:
    if reduction == "mean":
        counts = np.maximum(scatter.counts(), 1).reshape((-1,) + (1,) * (gradient.ndim - 1))
        gradient = gradient / counts.astype(gradient.dtype)
    return (_traced(scatter, gradient, OTHER_WAY[way], "sum"),)


_traced.defvjp(_forward, _backward)


def reduced(scatter: Scatter, values: Any, way: str, reduction: str) -> Any:
    """What a Scatter gives for an array of JAX's, or for what stands for one while it is traced."""
    if not isinstance(values, jax.core.Tracer):
        return scatter.reduce(array_kind(values), values, way, reduction)[0]
    scatter.inner_shape(values.shape, way)  # what is wrong is told while it is traced
    if str(values.dtype) not in TYPES:
        raise BadInputError(f"values are of type {values.dtype}: take {', '.join(TYPES)}")
    return _traced(scatter, values, way, reduction)
