"""A problem: what a partitioner that is a Python function is given, and what its answer must be. tess-worker carries
this file, too, so that a function gets the same from `tess partition` and from `tesselab.partition`."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

LARGEST = 2**31 - 1


class AnswerError(ValueError):
    """The answer of a function that is no partition."""


class PointMap:
    """The points of each element through one map: row e of `index` [n_elements, arity], in which -1 is no
    point; or index[offset[e]:offset[e + 1]] where an element may have any number of points (`offset` is
    None otherwise). Points have numbers from 0 to n_points; at each, `bytes` are accessed. Where `own` is
    true points are the elements themselves, and each row has its own element last."""

    def __init__(self, index: NDArray[np.int32], n_points: int, bytes: float, own: bool = False,
                 offset: NDArray[np.int64] | None = None) -> None:
        self.index, self.n_points, self.bytes, self.own, self.offset = index, n_points, bytes, own, offset

    def __repr__(self) -> str:
        """One line: no array in full."""
        arity = "any number of" if self.offset is not None else f"{self.index.shape[1]}"
        return f"<PointMap: {arity} of {self.n_points} points an element>"

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Elements and their points, one pair an entry, by element; none twice."""
        if self.offset is not None:
            return np.repeat(np.arange(len(self.offset) - 1), np.diff(self.offset)), self.index.astype("int64")
        elements = np.repeat(np.arange(len(self.index)), self.index.shape[1])
        points = self.index.ravel().astype("int64")
        elements, points = elements[points >= 0], points[points >= 0]
        _, first = np.unique(elements * self.n_points + points, return_index=True)
        first.sort()
        return elements[first], points[first]


class Problem:
    """What a partitioner is given: n_elements, which are to be cut into blocks of at most block_size, and
    n_blocks, how few these can be; the maps to the points of elements; the coordinates of elements
    [n_elements, dimension], or None; their shape where they are a box in lexicographic order, or None;
    the seed of what is random. Arrays are read-only."""

    def __init__(self, n_elements: int, block_size: int, seed: int, maps: Sequence[PointMap],
                 coordinates: NDArray[np.float64] | None, shape: tuple[int, ...] | None = None) -> None:
        self.n_elements, self.block_size, self.seed = n_elements, block_size, seed
        self.n_blocks = -(-n_elements // block_size)
        self.maps, self.coordinates, self.shape = list(maps), coordinates, shape
        arrays = [coordinates, *(part for each in self.maps for part in (each.index, each.offset))]
        for array in arrays:
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        """One line: no array in full."""
        where = f"{self.coordinates.shape[1]}D coordinates" if self.coordinates is not None else "no coordinates"
        return (f"<Problem: {self.n_elements} elements for {self.n_blocks} block{'s' * (self.n_blocks != 1)} of at most {self.block_size}; "
                f"maps {self.maps}; {where}>")

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Elements and their points of all maps, one pair an entry; the points of a map are numbered
        behind those of the maps before it."""
        elements, points, first = [], [], 0
        for each in self.maps:
            found = each.pairs()
            elements.append(found[0])
            points.append(found[1] + first)
            first += each.n_points
        return np.concatenate(elements), np.concatenate(points)

    def graph(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The graph of elements that share points: the neighbours of element e are
        neighbour[offset[e]:offset[e + 1]], and shared[...] says how many points each shares with it.
        Where elements are points themselves, an edge joins two of which one reaches the other."""
        elements, points = self.pairs()
        if len(self.maps) == 1 and self.maps[0].own:
            others = elements != points
            ends = [(elements[others], points[others])]
        else:
            order = np.argsort(points, kind="stable")
            elements, points, ends, apart = elements[order], points[order], [], 1
            while (points[apart:] == points[:-apart]).any():
                same = points[apart:] == points[:-apart]
                ends.append((elements[:-apart][same], elements[apart:][same]))
                apart += 1
        keys = [np.zeros(0, "int64")]
        for one, other in ends:
            keys += [one * self.n_elements + other, other * self.n_elements + one]
        edges, shared = np.unique(np.concatenate(keys), return_counts=True)
        offset = np.searchsorted(edges // self.n_elements, np.arange(self.n_elements + 1))
        return offset, edges % self.n_elements, shared


def blocks_of(answer: ArrayLike, n_elements: int, name: str) -> NDArray[np.int32]:
    """The answer of the function `name` as blocks; AnswerError names the element that is wrong."""
    if answer is None:
        raise AnswerError(f"{name} returned nothing: end it with 'return' and the blocks")
    if isinstance(answer, (tuple, list)) and any(hasattr(part, "__len__") and getattr(part, "ndim", True) for part in answer):
        kinds = ", ".join(type(part).__name__ for part in answer[:4])
        raise AnswerError(f"{name} returned {len(answer)} things ({kinds}{', ...' if len(answer) > 4 else ''}), "
                          f"not the blocks alone: return the array that has a block for each of {n_elements} elements")
    blocks = np.asarray(answer)
    if blocks.shape != (n_elements,):
        raise AnswerError(f"{name} gave an array of shape {blocks.shape}, not a block for each of {n_elements} elements")
    if blocks.dtype.kind not in "iu":
        raise AnswerError(f"{name} gave blocks of type {blocks.dtype}, not of whole numbers")
    wrong = np.flatnonzero((blocks < 0) | (blocks > LARGEST))
    if len(wrong):
        raise AnswerError(f"{name} put element {wrong[0]} in block {blocks[wrong[0]]}, which is not in 0 to {LARGEST}")
    return blocks.astype("int32")


def words_of(error: BaseException, path: str, shown: str) -> str:
    """What went wrong, and where in the file at `path`, which is called `shown`: its last line that was at work."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines = []  # it says so itself
    return f"{type(error).__name__}: {error}" + (f" ({shown}:{lines[-1]})" if lines else "")


def name_of(partitioner: object) -> str:
    """What a partitioner is called: its spec, or the name of the function."""
    return partitioner if isinstance(partitioner, str) else getattr(partitioner, "__name__", type(partitioner).__name__)


def call(function: Callable[[Problem], ArrayLike], problem: Problem) -> NDArray[np.int32]:
    """The blocks that a function of this process gives; AnswerError says what is wrong with it and where."""
    name = name_of(function)
    code = getattr(function, "__code__", getattr(getattr(type(function), "__call__", None), "__code__", None))
    try:
        return blocks_of(function(problem), problem.n_elements, name)
    except AnswerError:
        raise
    except Exception as error:  # whatever it raises is its failure, told as such
        path = code.co_filename if code else ""
        raise AnswerError(f"partitioner {name}: {words_of(error, path, os.path.basename(path))}") from error
