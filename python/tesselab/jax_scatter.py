"""A scatter inside JAX's transformations: jax.jit, jax.grad, jax.vmap.

What is traced calls the host when it runs: on a GPU values go there and back, so a call outside of jax.jit is faster."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import numpy as np

from .foreign_arrays import array_kind
from .scatter import TYPES, Scatter
from .shared_library import BadInputError

OTHER_WAY = {"scatter": "gather", "gather": "scatter"}


@partial(jax.custom_vjp, nondiff_argnums=(0, 2, 3))
def _traced(scatter: Scatter, values: Any, way: str, reduction: str) -> Any:
    result = jax.ShapeDtypeStruct(scatter.shape_after(way) + scatter.inner_shape(values.shape, way), values.dtype)

    def reduce_here(here: Any) -> Any:
        array = np.asarray(here)
        return scatter.reduce(array_kind(array), array, way, reduction)[0]

    return jax.pure_callback(reduce_here, result, values, vmap_method="sequential")


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
