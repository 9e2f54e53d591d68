"""A loop: a C kernel of yours over maps, as one call on arrays of NumPy, PyTorch, CuPy or JAX."""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .foreign_arrays import ArrayKind, array_kind, check_range, whole_numbers, worker_for
from .shared_library import BadInputError, Library, TesselabError, library

TYPES = ("int32", "float32", "float64")  # of tess_type
REAL = {"float32": 1, "float64": 2}


class _Setting(ctypes.Structure):  # tess_array_loop_setting
    _fields_ = [("header", ctypes.c_char_p), ("description", ctypes.c_char_p), ("real", ctypes.c_int),
                ("device", ctypes.c_char_p), ("strategy", ctypes.c_char_p), ("partitioner", ctypes.c_char_p),
                ("block_size", ctypes.c_int)]


class _Dat(ctypes.Structure):  # tess_array_loop_dat
    _fields_ = [("name", ctypes.c_char_p), ("set", ctypes.c_char_p), ("n_elements", ctypes.c_int64),
                ("dim", ctypes.c_int), ("type", ctypes.c_int), ("read", ctypes.c_bool), ("written", ctypes.c_bool)]


class _Call(ctypes.Structure):  # tess_array_loop_call
    _fields_ = [("arrays", ctypes.POINTER(ctypes.c_void_p)), ("on_device", ctypes.c_bool), ("queue", ctypes.c_void_p)]


class Loop:
    """A C kernel over maps: `loop(q=q, w=w)` runs it on all elements and gives what it writes.

    `source` is the kernel, a C function as of `tess run --kernel`: its text, or the path of a header.
    `description` says what its parameters are: a dict, or the text or path of YAML, with the keys of
    `tess run --loop`. `maps` has an array [n, k] for each map that the args go through, {"edges:cells":
    index}, and `sizes` the number of elements of each set, of which those that maps lead from may be left out.

    Arrays are [n, dim], or [n] where dim is 1, of NumPy, PyTorch, CuPy or JAX, on the CPU or a CUDA device, and
    used where they lie; `real` is what they are, float32 or float64. Those that the kernel writes or
    increments come back, new ones: one array, or a dict of several. What is given of these is what they start
    from, else zeros. By the strategies that are taken unless one is named the bits are the same in every run on
    one device; there is no gradient. On the CPU a C compiler is needed.

    Raises BadInputError, a ValueError, where something is wrong with what is given."""

    def __init__(self, source: str | os.PathLike[str], description: Mapping[str, Any] | str | os.PathLike[str],
                 maps: Mapping[str, ArrayLike], sizes: Mapping[str, int] | None = None, *, strategy: str | None = None,
                 partitioner: str | None = None, block_size: int = 128, device: str | None = None) -> None:
        self._texts = _text(source, ".h"), _text(json.dumps(description) if isinstance(description, Mapping) else description, ".yaml")
        self._chosen = strategy, partitioner, block_size
        self.device = device  # of all calls, for tests on the emulator; None: where the arrays are
        self._library = library()
        self._mesh = _Mesh(self._library, maps, sizes or {})
        self._made: dict[tuple[str, str], _Made] = {}

    def __call__(self, **arrays: Any) -> Any:
        kind, device, types = _common(arrays)
        made = self._find(worker_for(self.device, device), types)
        results = made.run(kind, device != "host", arrays)
        return next(iter(results.values())) if len(results) == 1 else results

    def _find(self, device: str, types: dict[str, str]) -> _Made:
        """The loop in the precision that fits what is given, double where nothing says it."""
        given = [name for name in ("float64", "float32") if name in types.values()] or ["float64"]
        wrong: BadInputError | None = None
        for real in given:
            if (device, real) not in self._made:
                self._made[device, real] = _Made(self._library, self._mesh, self._texts, device, real, self._chosen)
            try:
                self._made[device, real].check_types(types)
                return self._made[device, real]
            except BadInputError as error:
                wrong = wrong or error
        assert wrong is not None
        raise wrong


class _Mesh:
    """A tess_mesh of maps alone."""

    def __init__(self, library: Library, maps: Mapping[str, ArrayLike], sizes: Mapping[str, int]) -> None:
        self.made = library.made("tess_mesh_new", b"arrays", ctypes.c_int(2))
        self._finalizer = weakref.finalize(self, library.freed_by("tess_mesh_free", self.made))
        self._finalizer.atexit = False
        index = {name: whole_numbers(array, f"maps['{name}']") for name, array in maps.items()}
        known = {name: int(n) for name, n in sizes.items()}
        if broken := [name for name, n in known.items() if n != sizes[name]]:
            raise BadInputError(f"sizes['{broken[0]}'] is {sizes[broken[0]]}: write a whole number")
        for name, array in index.items():
            start = name.partition(":")[0]
            if name.count(":") != 1:
                raise BadInputError(f"'{name}' is no name of a map: write FROM:TO, 'edges:cells'")
            if array.ndim > 2:
                raise BadInputError(f"maps['{name}'] is an array [n, k] or [n], not of shape {array.shape}")
            if known.setdefault(start, len(array)) != len(array):
                raise BadInputError(f"maps['{name}'] has {len(array)} rows, but there are {known[start]} {start}")
        for name, n in known.items():
            library.call("tess_mesh_add_set", self.made, name.encode(), ctypes.c_int64(n), ctypes.byref(ctypes.c_int()))
        for name, array in index.items():
            start, _, end = name.partition(":")
            if end not in known:
                raise BadInputError(f"sizes lack '{end}', which maps['{name}'] leads to: how many are there?")
            check_range(array, f"maps['{name}']", known[end], end, -1)
            arity = array.shape[1] if array.ndim == 2 else 1
            library.call("tess_mesh_put_map", self.made, start.encode(), end.encode(), ctypes.c_int(arity),
                         ctypes.c_void_p(array.ctypes.data))


class _Made:
    """A tess_array_loop: of one device and precision."""

    def __init__(self, library: Library, mesh: _Mesh, texts: tuple[str, str], device: str, real: str,
                 chosen: tuple[str | None, str | None, int]) -> None:
        self._library = library
        self._mesh = mesh  # outlives it
        self._is_tried = False
        strategy, partitioner, block_size = chosen
        with tempfile.TemporaryDirectory() as folder:
            self._folder = folder + os.sep
            paths = [os.path.join(folder, "kernel" + end) for end in (".h", ".yaml")]
            for path, text in zip(paths, texts, strict=True):
                Path(path).write_text(text)
            asked = _Setting(paths[0].encode(), paths[1].encode(), REAL[real], device.encode(), strategy and strategy.encode(),
                             partitioner and partitioner.encode(), block_size)
            with self._named_alone():
                self._made = library.made("tess_array_loop_build", mesh.made, ctypes.byref(asked))
        self._finalizer = weakref.finalize(self, library.freed_by("tess_array_loop_free", self._made))
        self._finalizer.atexit = False
        self.dats: list[_Dat] = []
        while library.ask("tess_array_loop_dat_at", ctypes.c_bool, self._made, ctypes.c_int(len(self.dats)), ctypes.byref(dat := _Dat())):
            self.dats.append(dat)

    @contextlib.contextmanager
    def _named_alone(self) -> Iterator[None]:
        """Failures name the files of the kernel, which was never the user's folder, without it."""
        try:
            yield
        except TesselabError as error:
            raise type(error)(str(error).replace(self._folder, "")) from None

    def check_types(self, types: dict[str, str]) -> None:
        names = [dat.name.decode() for dat in self.dats]
        for name in types:
            if name not in names:
                raise BadInputError(f"the loop has no dat '{name}': it has {', '.join(names)}")
        for dat in self.dats:
            name, wanted = dat.name.decode(), TYPES[dat.type]
            if types.get(name, wanted) != wanted:
                raise BadInputError(f"{name} is of type {types[name]}: {wanted} is wanted beside the others")
            if dat.read and not dat.written and name not in types:
                raise BadInputError(f"{name} is not given: the loop reads it")

    def run(self, kind: ArrayKind, on_device: bool, arrays: dict[str, Any]) -> dict[str, Any]:
        like = next(iter(arrays.values()))
        held, results = [], {}
        for dat in self.dats:
            name = dat.name.decode()
            array = self._array(kind, dat, name, arrays.get(name), like)
            if dat.written:
                results[name] = array
            held.append(array)
        pointers = (ctypes.c_void_p * len(held))(*map(kind.address, held))
        queue = kind.queue(like) if on_device else None
        taker = ctypes.c_void_p(queue)
        call = _Call(pointers, on_device, None if queue is None else ctypes.addressof(taker))
        if not self._is_tried:
            kind.wait(like)  # for what the kernel is tried on
        with self._named_alone():
            self._library.call("tess_array_loop_run", self._made, ctypes.byref(call))
        self._is_tried = True
        return results

    def _array(self, kind: ArrayKind, dat: _Dat, name: str, given: Any, like: Any) -> Any:
        """What the kernel works on: of what it writes a new array."""
        shape = (dat.n_elements,) if dat.dim == 1 else (dat.n_elements, dat.dim)
        if given is None:
            return kind.zeros(shape, TYPES[dat.type], like)
        found = tuple(given.shape)
        if math.prod(found) != dat.n_elements * dat.dim or found[:1] not in ((dat.n_elements,), ()) and dat.set:
            of = f"{dat.n_elements} {dat.set.decode()}" if dat.set else "all elements"
            raise BadInputError(f"{name} is of shape {found}: the kernel has {dat.dim} value{'s' * (dat.dim != 1)} of {of}, {shape}")
        array = kind.contiguous(given)
        return kind.copy(array) if dat.written or kind.address(array) % 16 else array


def _common(arrays: dict[str, Any]) -> tuple[ArrayKind, str, dict[str, str]]:
    """The kind and place that all arrays share, and the type of each."""
    if not arrays:
        raise BadInputError("no array is given: write loop(NAME=array, ...)")
    kinds = {name: array_kind(array) for name, array in arrays.items()}
    first, kind = next(iter(kinds.items()))
    for name, array in arrays.items():
        if kinds[name] is not kind:
            raise BadInputError(f"{name} is an array of {kinds[name].name}, {first} one of {kind.name}: take one package")
        if not hasattr(array, "shape"):
            arrays[name] = np.asarray(array)
        kind.refuse_special(array, name)
    places = {name: kind.device(array) for name, array in arrays.items()}
    for name, place in places.items():
        if place != places[first]:
            raise BadInputError(f"{name} lies on {place}, {first} on {places[first]}")
    return kind, places[first], {name: kind.type_of(array) for name, array in arrays.items()}


def _text(given: str | os.PathLike[str], ending: str) -> str:
    """A text, or what stands in a file."""
    is_path = isinstance(given, os.PathLike) or ("\n" not in given and given.endswith(ending))
    if not is_path:
        return str(given)
    try:
        return Path(given).read_text()
    except OSError as error:
        raise BadInputError(f"{given} cannot be read: {error.strerror}") from None
