"""A scatter: values of a map's entries summed at its points, the same bits in every run and on every device."""

from __future__ import annotations

import ctypes
import itertools
import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .foreign_arrays import ArrayKind, array_kind, check_range, whole_numbers, worker_for
from .shared_library import BadInputError, library

REDUCTIONS = ("sum", "mean", "max", "min")  # of tess_reduction
TYPES = ("float16", "float32", "float64")  # of tess_scatter_type
MOST_ENTRIES = 2**31 - 1

_numbers = itertools.count(1)
_scatters: weakref.WeakValueDictionary[str, Scatter] = weakref.WeakValueDictionary()


class _Map(ctypes.Structure):  # tess_scatter_map
    _fields_ = [("n_entries", ctypes.c_int64), ("n_points", ctypes.c_int32), ("points", ctypes.c_void_p),
                ("sources", ctypes.c_void_p)]


class _Call(ctypes.Structure):  # tess_scatter_call
    _fields_ = [("reduction", ctypes.c_int), ("type", ctypes.c_int), ("width", ctypes.c_int),
                ("values", ctypes.c_void_p), ("result", ctypes.c_void_p), ("chosen", ctypes.c_void_p),
                ("on_device", ctypes.c_bool), ("scratch", ctypes.c_void_p), ("queue", ctypes.c_void_p)]


class Scatter:
    """Sums over a map: `s(values)` is at each point the sum of the values of the entries that name it.

    `index` [n, k] or [n] has the points of each element, from 0 to `n_points` - 1. Values are [n, k, ...] or
    [n, ...], as `index`; with `sources`, an array of the shape of `index` or one number an element, an entry
    reads row `sources[e, slot]` of values [n_sources, ...] instead, so that values of neighbours are summed
    without being copied to the edges first. The result is [n_points, ...].

    Values may be arrays of NumPy, PyTorch, CuPy or JAX, of halves (summed as floats), floats or doubles, on
    the CPU or a CUDA device; the result is of the same kind and in the same place, and nothing is copied.
    PyTorch and JAX differentiate it (PyTorch also twice) and compile it. Sums are added in the order of entries,
    of points with more than 256 entries by parts of so many.

    What is needed on a device is made when values of it come first. Indices are checked here; raises
    BadInputError, a ValueError, with the place. Scatters can be pickled."""

    def __init__(self, index: ArrayLike, n_points: int, sources: ArrayLike | None = None, block_size: int = 128, *,
                 n_sources: int | None = None, device: str | None = None) -> None:
        self.index = whole_numbers(index, "index")
        check_range(self.index, "index", n_points, "points")
        self.n_points = int(n_points)
        self.block_size = int(block_size)
        self.device = device  # of all plans, for tests on the emulator; None: where the values are
        if self.index.size > MOST_ENTRIES:
            raise BadInputError(f"index has {self.index.size} entries: a sum takes at most {MOST_ENTRIES}")
        self.sources = None if sources is None else _sources(sources, self.index)
        if self.sources is None:
            self.n_sources = self.index.size
            if n_sources is not None:
                raise BadInputError("n_sources says how many rows `sources` may name: without sources leave it out")
        else:
            self.n_sources = int(self.sources.max(initial=-1)) + 1 if n_sources is None else int(n_sources)
            check_range(self.sources, "sources", self.n_sources, "rows of values")
        self._start()

    def _start(self) -> None:
        self._plans: dict[tuple[str, str], _Plan] = {}
        self._counts: NDArray[np.int64] | None = None
        self._by_source: Scatter | None = None
        self.name = f"scatter {next(_numbers)}"  # by which PyTorch's operators know it: it takes texts for constants
        _scatters[self.name] = self

    def __getstate__(self) -> dict[str, Any]:
        kept = ("index", "n_points", "sources", "n_sources", "block_size", "device")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def __repr__(self) -> str:
        reads = "" if self.sources is None else f", which read {self.n_sources} rows"
        return f"Scatter({self.index.size} entries to {self.n_points} points{reads})"

    def __call__(self, values: Any, reduce: str = "sum") -> Any:
        """Values reduced at each point: their "sum", "mean", "max" or "min". A point without entries has 0,
        of "max" and "min" an infinity; NaN wins both."""
        if reduce not in REDUCTIONS:
            raise BadInputError(f"there is no reduction '{reduce}': take one of {', '.join(REDUCTIONS)}")
        return self._dispatched(values, "scatter", reduce)

    def sum(self, values: Any) -> Any:
        return self(values, "sum")

    def mean(self, values: Any) -> Any:
        return self(values, "mean")

    def max(self, values: Any) -> Any:
        return self(values, "max")

    def min(self, values: Any) -> Any:
        return self(values, "min")

    def gather(self, points: Any) -> Any:
        """The transpose of the sum: the values of its point for each entry, [n, k, ...] of [n_points, ...]; with
        sources the sum of these at each source."""
        return self._dispatched(points, "gather", "sum")

    def counts(self) -> NDArray[np.int64]:
        """How many entries each point has."""
        if self._counts is None:
            self._counts = np.bincount(self.index.ravel(), minlength=self.n_points)
        return self._counts

    # What follows is for this package.

    def by_source(self) -> Scatter:
        """The sum of values of entries at the sources that they read."""
        if self._by_source is None:
            assert self.sources is not None
            self._by_source = Scatter(self.sources, self.n_sources, None, self.block_size, device=self.device)
        return self._by_source

    def _dispatched(self, values: Any, way: str, reduction: str) -> Any:
        kind = array_kind(values)
        if kind.name == "torch":
            from .torch_scatter import reduced

            return reduced(self, values, way, reduction)
        if kind.name == "jax":
            from .jax_scatter import reduced

            return reduced(self, values, way, reduction)
        return self.reduce(kind, values, way, reduction)[0]

    def shape_before(self, way: str) -> tuple[int, ...]:
        """The first extents of what goes in."""
        if way == "gather":
            return (self.n_points,)
        return self.index.shape if self.sources is None and way == "scatter" else (self.n_sources,)

    def shape_after(self, way: str) -> tuple[int, ...]:
        """The first extents of what comes out."""
        if way == "gather":
            return self.index.shape if self.sources is None else (self.n_sources,)
        return (self.n_points,)

    def inner_shape(self, shape: tuple[int, ...], way: str) -> tuple[int, ...]:
        """The shape of the values of one row, checked."""
        before = self.shape_before(way)
        if tuple(shape[:len(before)]) != before:
            extents = ", ".join(str(n) for n in before)
            raise BadInputError(f"values are of shape {tuple(shape)}: the first extents must be {extents}")
        return tuple(shape[len(before):])

    def reduce(self, kind: ArrayKind, values: Any, way: str, reduction: str, chooses: bool = False) -> tuple[Any, Any]:
        """The result and, where it chooses, the entries chosen; of no gradient."""
        values = kind.contiguous(values)
        shape, type_name, device = tuple(values.shape), kind.type_of(values), kind.device(values)
        inner = self.inner_shape(shape, way)
        if type_name not in TYPES:
            raise BadInputError(f"values are of type {type_name}: take {', '.join(TYPES)}")
        shape = self.shape_after(way) + inner
        result = kind.empty(shape, type_name, values)
        chosen = kind.empty(shape, "int32", values) if chooses else None
        addresses = kind.address(values), kind.address(result)
        held: list[Any] = []

        def allocate(n_bytes: int) -> int:
            held.append(kind.empty((n_bytes,), "uint8", values))
            return kind.address(held[-1])

        queue = None if device == "host" else kind.queue(values)
        self.reduce_at(way, device, (reduction, type_name, math.prod(inner)), addresses, queue, allocate,
                       None if chosen is None else kind.address(chosen))
        return result, chosen

    def reduce_at(self, way: str, device: str, what: tuple[str, str, int], addresses: tuple[int, int], queue: int | None,
                  allocate: Callable[[int], int], chosen: int | None = None) -> None:
        """Reduces values at an address to results at another one, both on the device, on a queue of it: `what` is reduction,
        type and values a row; `allocate` gives bytes there that last as long as the work."""
        reduction, type_name, width = what
        if width and math.prod(self.shape_after(way)):
            call = _Call(REDUCTIONS.index(reduction), TYPES.index(type_name), width, *addresses, chosen, device != "host")
            self._plan(way, worker_for(self.device, device)).reduce(call, queue, allocate)

    def _plan(self, way: str, device: str) -> _Plan:
        if (way, device) not in self._plans:
            maps = self.index.ravel(), None if self.sources is None else self.sources.ravel()
            points, sources = maps if way == "scatter" else maps[::-1]
            n_rows = math.prod(self.shape_after(way))
            self._plans[way, device] = _Plan(points, sources, self.index.size, n_rows, device, self.block_size)
        return self._plans[way, device]


class _Plan:
    """A tess_scatter."""

    def __init__(self, points: NDArray[np.int32] | None, sources: NDArray[np.int32] | None, n_entries: int, n_rows: int,
                 device: str, threads: int) -> None:
        asked = _Map(n_entries, n_rows, *(None if a is None else a.ctypes.data for a in (points, sources)))
        self._library = library()
        self._made = self._library.made("tess_scatter_build", ctypes.byref(asked), device.encode(), ctypes.c_int(threads))
        self._scratch: dict[tuple[int, int, int, bool], int] = {}  # bytes, by what a call reduces
        self._finalizer = weakref.finalize(self, self._library.freed_by("tess_scatter_free", self._made))
        self._finalizer.atexit = False

    def reduce(self, call: _Call, queue: int | None, allocate: Callable[[int], int]) -> None:
        if call.on_device:
            bytes_needed = self._scratch_bytes(call)
            call.scratch = allocate(bytes_needed) if bytes_needed else None
            held = ctypes.c_void_p(queue)
            call.queue = None if queue is None else ctypes.addressof(held)
        self._library.call("tess_scatter_reduce", self._made, ctypes.byref(call))

    def _scratch_bytes(self, call: _Call) -> int:
        key = call.reduction, call.type, call.width, call.chosen is not None
        if key not in self._scratch:
            self._scratch[key] = self._library.ask("tess_scatter_scratch", ctypes.c_int64, self._made, ctypes.byref(call))
        return self._scratch[key]


def scatter_of(name: str) -> Scatter:
    """The scatter that an operator of PyTorch means."""
    found = _scatters.get(name)
    if found is None:
        raise BadInputError("the Scatter of this compiled function is gone: keep it as long as the function")
    return found


def _sources(sources: ArrayLike, index: NDArray[np.int32]) -> NDArray[np.int32]:
    array = whole_numbers(sources, "sources")
    if array.shape == index.shape[:1] and array.shape != index.shape:
        array = array.reshape(array.shape + (1,) * (index.ndim - 1))
    if array.shape != index.shape and array.shape[:1] != index.shape[:1]:
        raise BadInputError(f"sources are of shape {array.shape}: an entry of index, {index.shape}, has one each")
    return np.ascontiguousarray(np.broadcast_to(array, index.shape))
