"""Meshes that are arrays in another order: cells by blocks or along a curve, nodes as they are used first."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .partitioning import cells_by_type, mesh_of_cells, partition, permutations
from .shared_library import BadInputError, library

ORDERS = ("hilbert", "rcm", "gps", "levels")  # of whole meshes; all else is a partitioner


@dataclass(frozen=True)
class Reordered:
    """A mesh in a new order, and how data follow: `data[new_to_old["cells"]]`."""

    cells: NDArray[np.int32] | Mapping[str, NDArray[np.int32]] = field(repr=False)  # as they were given
    nodes: NDArray[np.float64] = field(repr=False)
    new_to_old: Mapping[str, NDArray[np.int32]] = field(repr=False)  # "cells", "nodes", and where they are mixed each type
    order: str


def reorder(cells: ArrayLike | Mapping[str, ArrayLike], nodes: ArrayLike, order: str = "hilbert", block_size: int = 128, *,
            seed: int = 1) -> Reordered:
    """Puts a mesh into another order, or into that of its blocks: cells block by block, nodes in the order of first use.

    `cells` and `nodes` are as tesselab.partition takes them. `order` is a partitioner with its options, or an order of
    the whole mesh: "hilbert" along a curve, "rcm" and "gps" along the edges of cells, "levels" for sweeps over faces.
    Raises as tesselab.partition does."""
    by_type, coordinates = cells_by_type(cells, nodes)
    if order in ORDERS:
        found = _ordered(by_type, coordinates, order)
    else:
        found = _by_blocks(cells, nodes, block_size, order, seed)
    new_of_node = np.empty(len(coordinates), np.int32)
    new_of_node[found["nodes"]] = np.arange(len(coordinates), dtype=np.int32)
    moved = {name: new_of_node[array[found[name if len(by_type) > 1 else "cells"]]] for name, array in by_type.items()}
    same = dict(zip(cells, moved.values())) if isinstance(cells, Mapping) else [*moved.values()][0]
    return Reordered(same, np.asarray(nodes, dtype=np.float64)[found["nodes"]], found, order)


def _by_blocks(cells: ArrayLike | Mapping[str, ArrayLike], nodes: ArrayLike, block_size: int, partitioner: str,
               seed: int) -> dict[str, NDArray[np.int32]]:
    try:
        return dict(partition(cells, nodes, block_size, partitioner, seed=seed).new_to_old)
    except BadInputError as error:
        if not str(error).startswith("no partitioner is called"):
            raise
        raise BadInputError(f"{error}; orders without blocks are {', '.join(ORDERS)}") from None


def _ordered(by_type: Mapping[str, NDArray[np.int32]], coordinates: NDArray[np.float64],
             order: str) -> dict[str, NDArray[np.int32]]:
    lib = library()
    with ExitStack() as stack:
        mesh = mesh_of_cells(lib, stack, by_type, coordinates)
        renumbering: ctypes.c_void_p = lib.made("tess_order_renumber", mesh, order.encode())
        stack.callback(lib.freed_by("tess_renumbering_free", renumbering))
        found = permutations(lib, mesh, renumbering)
    return found
