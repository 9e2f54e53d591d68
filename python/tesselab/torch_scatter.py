"""A scatter as operators of PyTorch, which it differentiates and compiles."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .foreign_arrays import array_kind
from .scatter import Scatter, scatter_of

OTHER_WAY = {"scatter": "gather", "gather": "scatter"}


@torch.library.custom_op("tesselab::reduce", mutates_args=())
def _reduce(values: Tensor, scatter: str, way: str, reduction: str) -> Tensor:
    result: Tensor = scatter_of(scatter).reduce(array_kind(values), values.detach(), way, reduction)[0]
    return result


@torch.library.custom_op("tesselab::choose", mutates_args=())
def _choose(values: Tensor, scatter: str, reduction: str) -> tuple[Tensor, Tensor]:
    return scatter_of(scatter).reduce(array_kind(values), values.detach(), "scatter", reduction, chooses=True)


def _empty_result(values: Tensor, scatter: str, way: str) -> Tensor:
    s = scatter_of(scatter)
    return values.new_empty(s.shape_after(way) + s.inner_shape(tuple(values.shape), way))


@_reduce.register_fake
def _(values: Tensor, scatter: str, way: str, reduction: str) -> Tensor:
    return _empty_result(values, scatter, way)


@_choose.register_fake
def _(values: Tensor, scatter: str, reduction: str) -> tuple[Tensor, Tensor]:
    result = _empty_result(values, scatter, "scatter")
    return result, torch.empty_like(result, dtype=torch.int32)


def _keep_reduction(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _, ctx.scatter, ctx.way, ctx.reduction = inputs


def _reduce_backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
    if ctx.reduction == "mean":
        counts = torch.as_tensor(scatter_of(ctx.scatter).counts(), device=gradient.device).clamp(min=1)
        gradient = gradient / counts.to(gradient.dtype).reshape((-1,) + (1,) * (gradient.ndim - 1))
    return _reduce(gradient.contiguous(), ctx.scatter, OTHER_WAY[ctx.way], "sum"), None, None, None


def _keep_choice(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _, ctx.scatter, _ = inputs
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def _choose_backward(ctx: Any, gradient: Tensor, _: Any) -> tuple[Tensor, None, None]:
    """The gradient of a point goes to the entry that was chosen, which no other point has."""
    s = scatter_of(ctx.scatter)
    chosen, = ctx.saved_tensors
    inner, n_entries = gradient.shape[1:], s.index.size
    rows = torch.where(chosen < 0, n_entries, chosen).long().reshape(s.n_points, -1)
    at_entries = gradient.new_zeros((n_entries + 1, rows.shape[1]))  # the last one is nobody's
    at_entries = at_entries.scatter(0, rows, gradient.reshape(s.n_points, -1))[:n_entries]
    if s.sources is None:
        return at_entries.reshape(s.index.shape + inner), None, None
    by_source = s.by_source()
    at_sources = _reduce(at_entries.reshape(s.index.shape + inner), by_source.name, "scatter", "sum")
    return at_sources, None, None


_reduce.register_autograd(_reduce_backward, setup_context=_keep_reduction)
_choose.register_autograd(_choose_backward, setup_context=_keep_choice)


def reduced(scatter: Scatter, values: Tensor, way: str, reduction: str) -> Tensor:
    """What a Scatter gives for a tensor."""
    scatter.inner_shape(tuple(values.shape), way)  # what is wrong is told before PyTorch looks at it
    if not torch.compiler.is_compiling() and not (values.requires_grad and torch.is_grad_enabled()):
        found: Tensor = scatter.reduce(array_kind(values), values, way, reduction)[0]
        return found  # operators take longer than many a sum
    if reduction in ("max", "min"):
        result: Tensor = _choose(values, scatter.name, reduction)[0]
        return result
    summed: Tensor = _reduce(values, scatter.name, way, reduction)
    return summed
