"""Partitions of meshes that are arrays: thread blocks without a file, a lab or another process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .markup import counted, html_table
from .quantities import QUANTITIES
from .problem import AnswerError, PointMap, Problem, call, name_of
from .shared_library import BadInputError, Library, library

# The cells of each type by the nodes that they have, in the plane and in space.
TYPES_OF_SIZE = {2: {3: "tris", 4: "quads"},
                 3: {3: "tris", 4: "tets", 5: "pyramids", 6: "prisms", 8: "hexes"}}
SIZES = {"tris": 3, "quads": 4, "tets": 4, "pyramids": 5, "prisms": 6, "hexes": 8}
# meshio's and VTK's names, as pyvista has them in lower case.
OTHER_NAMES = {"triangle": "tris", "tri": "tris", "quad": "quads", "tetra": "tets", "tet": "tets",
               "pyramid": "pyramids", "wedge": "prisms", "prism": "prisms", "hexahedron": "hexes",
               "hex": "hexes"}
VTK_TYPES = {1: "vertex", 3: "line", 5: "tris", 9: "quads", 10: "tets", 12: "hexes", 13: "prisms", 14: "pyramids"}
LOWER = {"vertex": 0, "line": 1}  # what files have beside cells
DIMENSIONS = {**LOWER, "tris": 2, "quads": 2, "tets": 3, "pyramids": 3, "prisms": 3, "hexes": 3}
DOUBLE_BYTES = 8  # of what a loop of its map increments at a point
SHOWN_METRICS = ("reuse_factor", "thread_colours_mean", "block_colours", "components_mean", "fill",
                 "transfer_total")


@dataclass(frozen=True)
class Partition:
    """The block of each element of the partitioned set."""

    block_of: NDArray[np.int32]  # [n_elements], from 0, numbered along the mesh
    n_blocks: int
    block_size: int
    partitioner: str
    map: str  # "cells:nodes": elements and the points that they share
    points: NDArray[np.int32]  # [n_elements, arity]: the points of each element, or -1
    metrics: Mapping[str, float] = field(repr=False)  # of its plan, as `tess explain` describes them
    new_to_old: Mapping[str, NDArray[np.int32]] = field(repr=False)  # of each set that the plan puts in another order
    block_offset: NDArray[np.int64] = field(repr=False)  # [n_blocks + 1]: into the elements in the new order
    thread_colour: NDArray[np.int32] = field(repr=False)  # [n_elements]: of each element in the new order
    block_colour: NDArray[np.int32] = field(repr=False)  # [n_blocks]
    # Of a mesh of meshio or a list of (type, cells) the block of each cell of each array, of a grid of pyvista one array
    # of all cells; -1 of what is left out.
    block_of_given: list[NDArray[np.int32]] = field(repr=False, default_factory=list)

    def __repr__(self) -> str:
        return (f"Partition({len(self.block_of)} {self.map.partition(':')[0]} in {counted(self.n_blocks, 'block')} of up to "
                f"{self.block_size} by {self.partitioner}, reuse {self.metrics['reuse_factor']:.3f})")

    def _repr_html_(self) -> str:
        return html_table(repr(self), [(name, self.metrics[name]) for name in SHOWN_METRICS if name in self.metrics])

    def blocks(self) -> list[NDArray[np.int64]]:
        """The elements of each block."""
        order = np.argsort(self.block_of, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.block_of, minlength=self.n_blocks))[:-1])


def partition(cells: Any, nodes: ArrayLike | None = None, block_size: int = 128,
              partitioner: str | Callable[[Problem], ArrayLike] = "mosaic", *, map: str | None = None, seed: int = 1) -> Partition:
    """Cuts the cells of a mesh into blocks of at most `block_size` that share few points.

    `cells` are the nodes of each cell [n, k], or such arrays by type where cells are mixed: {"tris": ...,
    "quads": ...}, in which meshio's names do as well; they are then numbered one type after another. `nodes`
    are their coordinates [n, 2] or [n, 3]. A mesh of meshio, a grid of pyvista and a list of (type, cells) do as
    well: arrays of one type are joined, and cells of less dimensions than others left out. A mesh whose nodes lie in a plane of constant z is one of two
    dimensions. Nodes of a cell are in VTK's order. `partitioner` is any of `tess list partitioners` with its
    options, say "metis:method=recursive", or a function of yours: it is called with a Problem, and gives a whole
    number from 0 for each element.

    Elements share points through `map`: "cells:nodes", where "cells:cells" means neighbours across edges or faces. Of
    "edges:cells" or "faces:cells" the edges or faces are cut, which follow from the cells; their cells are in
    `points` of the result. Without `nodes` `cells` is a map of yours: the points of each element [n, k], of
    as many points as it names; its partitioner then needs no coordinates, and `map` is left out.

    Raises BadInputError, a ValueError, where something is wrong with what is given, NotInstalledError where
    the library or a partitioner is not on this machine. What a function of yours raises is the cause of a
    BadInputError that says where it happened."""
    cells, nodes, given = _given(cells, nodes)
    if nodes is None:
        if map is not None or isinstance(cells, Mapping):
            raise BadInputError("without nodes cells are one array, the points of each element, and no map is named")
        asked = _Asked(None, {"elements": _indices(cells, "cells")}, "elements:points", block_size, partitioner, seed)
        with ExitStack() as stack:
            own = _cut(library(), stack, asked)
        return own
    by_type, coordinates = cells_by_type(cells, nodes)
    name = map if map is not None else "cells:nodes"
    with ExitStack() as stack:
        found = _cut(library(), stack, _Asked(coordinates, by_type, name, block_size, partitioner, seed))
    return replace(found, block_of_given=given.blocks(by_type, found.block_of)) if given and name.startswith("cells:") else found


@dataclass(frozen=True)
class _Given:
    """Cells of another package, or a list of (type, cells): their types and numbers, one array after another."""

    parts: list[tuple[str, int]]
    places: NDArray[np.int64] | None = None  # of a grid of pyvista: where each of these cells stands in it

    def blocks(self, by_type: Mapping[str, NDArray[np.int32]], block_of: NDArray[np.int32]) -> list[NDArray[np.int32]]:
        """The block of each cell of each part, -1 of those that were left out."""
        first = dict(zip(by_type, np.cumsum([0, *map(len, by_type.values())]).tolist()))
        found = []
        for name, n in self.parts:
            found.append(block_of[first[name]:first[name] + n] if name in first else np.full(n, -1, np.int32))
            first.update({name: first[name] + n} if name in first else {})
        if self.places is None:
            return found
        placed = np.empty(len(self.places), np.int32)
        placed[self.places] = np.concatenate(found)
        return [placed]


def _given(cells: Any, nodes: ArrayLike | None) -> tuple[Any, ArrayLike | None, _Given | None]:
    """Cells and nodes as arrays, of a mesh of another package; others as they are."""
    places = None
    if hasattr(cells, "points") and nodes is None:
        nodes = cells.points
        if hasattr(cells, "celltypes"):  # pyvista: by VTK's numbers
            kinds = list(cells.cells_dict)
            if sum(map(len, cells.cells_dict.values())) != cells.n_cells:
                raise BadInputError("the grid has polygons or polyhedra, which have any number of nodes: tess reads them from a file")
            places = np.concatenate([np.flatnonzero(np.asarray(cells.celltypes) == kind) for kind in kinds])
            cells = [(VTK_TYPES.get(int(kind), f"VTK {kind}"), cells.cells_dict[kind]) for kind in kinds]
        else:  # meshio
            cells = [(block.type, block.data) for block in cells.cells]
    pairs = isinstance(cells, (list, tuple)) and len(cells) > 0 and all(
        isinstance(one, (list, tuple)) and len(one) == 2 and isinstance(one[0], str) for one in cells)
    if not pairs:
        return cells, nodes, None
    named = [(kind if kind in LOWER else _type_named(kind), _indices(index, kind)) for kind, index in cells]
    most = max(DIMENSIONS[name] for name, _ in named)
    arrays: dict[str, list[NDArray[np.int32]]] = {}
    for name, index in named:
        if DIMENSIONS[name] == most and name not in LOWER:
            arrays.setdefault(name, []).append(index)
    return ({name: np.concatenate(parts) for name, parts in arrays.items()}, nodes,
            _Given([(name, len(index)) for name, index in named], places))


def cells_by_type(cells: ArrayLike | Mapping[str, ArrayLike],
                  nodes: ArrayLike) -> tuple[dict[str, NDArray[np.int32]], NDArray[np.float64]]:
    """The cells of each type and the coordinates of nodes, as they are given; checked."""
    coordinates = _coordinates(nodes)
    if isinstance(cells, Mapping):
        by_type = {_type_named(name): _indices(array, name) for name, array in cells.items()}
        if len(by_type) != len(cells):
            raise BadInputError(f"a type of cells is given twice: {', '.join(cells)}")
    else:
        array = _indices(cells, "cells")
        by_type = {_type_of(array.shape[1], coordinates.shape[1]): array}
    _check_sizes(by_type)
    return by_type, coordinates


@dataclass(frozen=True)
class _Asked:
    coordinates: NDArray[np.float64] | None  # None: a map of the caller's own, by the name "elements"
    by_type: Mapping[str, NDArray[np.int32]]
    map: str
    block_size: int
    partitioner: str | Callable[[Problem], ArrayLike]
    seed: int


def _coordinates(nodes: ArrayLike) -> NDArray[np.float64]:
    coordinates = np.asarray(nodes, dtype=np.float64)
    if coordinates.ndim != 2 or coordinates.shape[1] not in (2, 3):
        raise BadInputError(f"nodes are an array [n, 2] or [n, 3], not of shape {coordinates.shape}")
    if coordinates.shape[1] == 3 and len(coordinates) and np.ptp(coordinates[:, 2]) == 0:
        coordinates = coordinates[:, :2]
    return np.ascontiguousarray(coordinates)


def _indices(cells: ArrayLike, name: str) -> NDArray[np.int32]:
    array = np.asarray(cells)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer):
        raise BadInputError(f"{name} are an array [n, k] of whole numbers, not of shape {array.shape} and type "
                            f"{array.dtype}")
    if array.size and (array.min() < 0 or array.max() > np.iinfo(np.int32).max):
        raise BadInputError(f"{name} refer to nodes from {array.min()} to {array.max()}: nodes have numbers from 0 to "
                            f"{np.iinfo(np.int32).max}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _type_named(name: str) -> str:
    found = OTHER_NAMES.get(name, name)
    if found not in SIZES:
        raise BadInputError(f"there are no cells of type '{name}'; types are {', '.join(SIZES)}")
    return found


def _type_of(size: int, dimension: int) -> str:
    types = TYPES_OF_SIZE[dimension]
    if size not in types:
        raise BadInputError(f"cells in {dimension} dimensions have {', '.join(str(n) for n in types)} nodes, not {size}")
    return types[size]


def _check_sizes(by_type: Mapping[str, NDArray[np.int32]]) -> None:
    if not by_type:
        raise BadInputError("there are no cells")
    for name, array in by_type.items():
        if array.shape[1] != SIZES[name]:
            raise BadInputError(f"{name} have {SIZES[name]} nodes, not {array.shape[1]}")


def _pointer(array: NDArray[np.int32] | NDArray[np.float64]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _mesh_of_map(lib: Library, stack: ExitStack, index: NDArray[np.int32]) -> ctypes.c_void_p:
    """A mesh of two sets and the map between them."""
    mesh = lib.made("tess_mesh_new", b"arrays", 2)
    stack.callback(lib.freed_by("tess_mesh_free", mesh))
    for name, size in (("elements", len(index)), ("points", int(index.max(initial=-1)) + 1)):
        lib.call("tess_mesh_add_set", mesh, name.encode(), ctypes.c_int64(size), None)
    lib.call("tess_mesh_put_map", mesh, b"elements", b"points", index.shape[1], _pointer(index))
    return mesh


def mesh_of_cells(lib: Library, stack: ExitStack, by_type: Mapping[str, NDArray[np.int32]],
                  coordinates: NDArray[np.float64]) -> ctypes.c_void_p:
    """The mesh of the arrays."""
    mesh = lib.made("tess_mesh_new", b"arrays", coordinates.shape[1])
    stack.callback(lib.freed_by("tess_mesh_free", mesh))
    n_cells = sum(len(array) for array in by_type.values())
    mixed = len(by_type) > 1
    for name, size in (("nodes", len(coordinates)), ("cells", n_cells)):
        lib.call("tess_mesh_add_set", mesh, name.encode(), ctypes.c_int64(size), None)
    lib.call("tess_mesh_put_coordinates", mesh, _pointer(coordinates))
    first = 0
    for name, array in by_type.items():
        set_name = name.encode() if mixed else b"cells"
        if mixed:
            lib.call("tess_mesh_add_set", mesh, set_name, ctypes.c_int64(len(array)), None)
            places = np.arange(first, first + len(array), dtype=np.int32)
            lib.call("tess_mesh_put_map", mesh, set_name, b"cells", 1, _pointer(places))
        lib.call("tess_mesh_put_map", mesh, set_name, b"nodes", array.shape[1], _pointer(array))
        first += len(array)
    return mesh


def _array(lib: Library, name: str, kind: type, shape: tuple[int, ...], *arguments: object) -> NDArray[np.int32]:
    """A copy of an array of the library."""
    address = lib.ask(name, ctypes.POINTER(kind), *arguments)
    return np.ctypeslib.as_array(address, shape).copy() if np.prod(shape) else np.zeros(shape, np.int32)


def _index(lib: Library, mesh: ctypes.c_void_p, name: str) -> NDArray[np.int32]:
    """The map of a mesh [elements, arity]; without columns if the mesh lacks it."""
    n = lib.ask("tess_mesh_set_size", ctypes.c_int64, mesh, name.partition(":")[0].encode())
    arity = lib.ask("tess_mesh_map_arity", ctypes.c_int, mesh, name.encode())
    return _array(lib, "tess_mesh_map_index", ctypes.c_int32, (n, arity), mesh, name.encode())


def _means(index: NDArray[np.int32], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of the points of each row; -1 does not count."""
    there = index >= 0
    total = np.where(there[..., None], points[index], 0.0).sum(1)
    return total / np.maximum(there.sum(1), 1)[:, None]


def _problem(lib: Library, mesh: ctypes.c_void_p, asked: _Asked) -> Problem:
    """What a function is given: the same as by `tess partition`."""
    elements, _, points = asked.map.partition(":")
    index = _index(lib, mesh, asked.map)
    if asked.coordinates is None:
        return Problem(len(index), asked.block_size, asked.seed, [PointMap(index, int(index.max(initial=-1)) + 1, DOUBLE_BYTES)],
                       None)
    centres = np.concatenate([_means(cells, asked.coordinates) for cells in asked.by_type.values()])
    nodes = _index(lib, mesh, f"{elements}:nodes")
    if elements == "cells":
        coordinates = centres
    elif nodes.shape[1]:
        coordinates = _means(nodes, asked.coordinates)
    else:
        coordinates = _means(index, centres)
    n_points = lib.ask("tess_mesh_set_size", ctypes.c_int64, mesh, points.encode())
    return Problem(len(index), asked.block_size, asked.seed, [PointMap(index, n_points, DOUBLE_BYTES)], coordinates)


def _cut_by_function(lib: Library, mesh: ctypes.c_void_p, bound: ctypes.c_void_p, asked: _Asked) -> ctypes.c_void_p:
    if not callable(asked.partitioner):
        raise BadInputError(f"a partitioner is a name, as of `tess list partitioners`, or a function, not {asked.partitioner!r}")
    try:
        blocks = call(asked.partitioner, _problem(lib, mesh, asked))
    except AnswerError as error:
        raise BadInputError(str(error)) from error.__cause__
    return lib.made("tess_partition_of_blocks", bound, _pointer(blocks), ctypes.c_int32(asked.block_size))


def _cut(lib: Library, stack: ExitStack, asked: _Asked) -> Partition:
    def made(kind: str, function: str, *arguments: object) -> ctypes.c_void_p:
        thing = lib.made(function, *arguments)
        stack.callback(lib.freed_by(f"tess_{kind}_free", thing))
        return thing

    mesh, map_name = (_mesh_of_map(lib, stack, asked.by_type["elements"]) if asked.coordinates is None else
                      mesh_of_cells(lib, stack, asked.by_type, asked.coordinates)), asked.map.encode()
    if not isinstance(asked.block_size, Integral) or not 1 <= asked.block_size < 2**31:
        raise BadInputError(f"a block size is a whole number from 1 to {2**31 - 1}, not {asked.block_size!r}")
    lib.call("tess_mesh_derive", mesh, map_name)
    loop = made("loop", "tess_loop_of_map", map_name, None)
    bound = made("bound_loop", "tess_loop_bind", loop, mesh)
    if isinstance(asked.partitioner, str):
        cut = made("partition", "tess_partition_cut", bound, asked.partitioner.encode(),
                   ctypes.c_int32(asked.block_size), ctypes.c_uint64(asked.seed))
    else:
        cut = _cut_by_function(lib, mesh, bound, asked)
        stack.callback(lib.freed_by("tess_partition_free", cut))
    plan = made("plan", "tess_plan_build", bound, cut, None)
    metrics = made("metrics", "tess_metrics_of_plan", bound, plan, None, 1)
    counted = {one.name: lib.ask("tess_metrics_get", ctypes.c_double, metrics, one.name.encode())
               for one in QUANTITIES.values() if one.metric and one.of != "run"}
    points = _index(lib, mesh, asked.map)
    n_blocks = lib.ask("tess_partition_n_blocks", ctypes.c_int32, cut)
    renumbering = made("renumbering", "tess_renumber", bound, plan)
    return Partition(
        block_of=_array(lib, "tess_partition_block_of", ctypes.c_int32, (len(points),), cut),
        n_blocks=n_blocks,
        block_size=asked.block_size, partitioner=name_of(asked.partitioner), map=asked.map, points=points,
        metrics={name: value for name, value in counted.items() if not np.isnan(value)},
        new_to_old=permutations(lib, mesh, renumbering),
        block_offset=_array(lib, "tess_plan_block_offset", ctypes.c_int64, (n_blocks + 1,), plan).astype(np.int64),
        thread_colour=_array(lib, "tess_plan_thread_colour", ctypes.c_uint16, (len(points),), plan).astype(np.int32),
        block_colour=_array(lib, "tess_plan_block_colour", ctypes.c_int32, (n_blocks,), plan))


def permutations(lib: Library, mesh: ctypes.c_void_p, renumbering: ctypes.c_void_p) -> dict[str, NDArray[np.int32]]:
    """New to old of each set that is renumbered."""
    found = {}
    for i in range(lib.ask("tess_mesh_n_sets", ctypes.c_int, mesh)):
        name = lib.ask("tess_mesh_set_name", ctypes.c_char_p, mesh, i)
        n = lib.ask("tess_mesh_set_size", ctypes.c_int64, mesh, name)
        if lib.ask("tess_renumbering_new_to_old", ctypes.c_void_p, renumbering, mesh, name):
            found[name.decode()] = _array(lib, "tess_renumbering_new_to_old", ctypes.c_int32, (n,), renumbering, mesh, name)
    return found
