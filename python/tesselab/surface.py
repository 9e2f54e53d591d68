"""The surface of the blocks of a view file (lab/views/*.hdf), as triangles for a page."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from .archive import LabError, texts
from .quantities import QUANTITIES, old_names, title_of

MOST_TRIANGLES = 400_000
# The faces of VTK's cells, by type: triangles and quadrilaterals of corners.
FACES: dict[int, list[tuple[int, ...]]] = {
    5: [(0, 1, 2)],
    9: [(0, 1, 2, 3)],
    10: [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)],
    12: [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
    13: [(0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (1, 4, 5, 2), (2, 5, 3, 0)],
    14: [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)],
}
POLYGON = 7
FLAT = (5, POLYGON, 9)
# What colours a block.
ARRAYS = ["display_colour", "block_colour", *(one.name for one in QUANTITIES.values() if one.of == "block")]


@dataclass(frozen=True)
class Surface:
    """Triangles of the outer faces of all blocks; a point belongs to one block."""

    points: np.ndarray  # [point][3]
    triangles: np.ndarray  # [triangle][3]
    block: np.ndarray  # [point]
    explode: np.ndarray  # [block][3], from the mesh's centre to the block's
    of_block: dict[str, np.ndarray]  # by ARRAYS' names: [block]
    captions: dict[str, str]  # partitioner, mesh, loop, block_size
    flat: bool

    def as_json(self) -> dict[str, Any]:
        """For a page: little-endian arrays, deflated, as base64; centred and of unit size."""
        centre = (self.points.min(axis=0) + self.points.max(axis=0)) / 2
        size = float(np.ptp(self.points, axis=0).max()) or 1.0
        return {
            "points": packed((self.points - centre) / size, "<f4"),
            "explode": packed(self.explode / size, "<f4"),
            "triangles": packed(self.triangles, "<u4"),
            "block": packed(self.block, "<u4"),
            "arrays": [{"name": name, "words": title_of(name), "values": [round(float(one), 4) for one in values]}
                       for name, values in self.of_block.items()],
            "flat": self.flat,
        }


def packed(values: np.ndarray, kind: str) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(values, dtype=kind).tobytes(), 9)).decode()


def outer_faces(faces: np.ndarray) -> np.ndarray:
    """The rows that no other row has the corners of."""
    order = np.sort(faces, axis=1)
    _, place, count = np.unique(order, axis=0, return_index=True, return_counts=True)
    return faces[place[count == 1]]


def triangles_of(corners: np.ndarray, offsets: np.ndarray, types: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The triangles of the faces that only one cell has; blocks share no points, so theirs are all there."""
    by_width: dict[int, list[np.ndarray]] = {3: [], 4: []}
    kept = polygons_cut(corners, offsets[:-1][types == POLYGON], offsets[1:][types == POLYGON], points) if POLYGON in types else []
    for kind in np.unique(types[types != POLYGON]):
        if int(kind) not in FACES:
            raise LabError(f"cells of VTK's type {kind} are not drawn in pages: 'tess view' shows them")
        first = offsets[:-1][types == kind]
        for face in FACES[int(kind)]:
            by_width[len(face)].append(corners[first[:, None] + np.array(face)])
    flat = all(int(kind) in FLAT for kind in np.unique(types))
    for width, lists in by_width.items():
        if lists:
            faces = np.concatenate(lists)
            faces = faces if flat else outer_faces(faces)
            kept.append(faces[:, :3])
            if width == 4:
                kept.append(faces[:, [0, 2, 3]])
    return np.concatenate(kept) if kept else np.empty((0, 3), dtype=corners.dtype)


def polygons_cut(corners: np.ndarray, first: np.ndarray, end: np.ndarray, points: np.ndarray) -> list[np.ndarray]:
    """The triangles at the first corner of convex polygons, the ears of others."""
    kept, bent = [], np.zeros(len(first), dtype=bool)
    for n in np.unique(end - first):
        which = np.flatnonzero(end - first == n)
        rings = corners[first[which, None] + np.arange(n)]
        along = np.roll(points[rings], -1, axis=1) - points[rings]
        turns = np.cross(np.roll(along, 1, axis=1), along)
        normal = np.cross(points[rings], np.roll(points[rings], -1, axis=1)).sum(axis=1)
        bent[which] = ((turns * normal[:, None]).sum(axis=2) < -1e-9 * (normal * normal).sum(axis=1)[:, None]).any(axis=1)
        flat = rings[~bent[which]]
        kept += [flat[:, [0, i, i + 1]] for i in range(1, n - 1)]
    return kept + [ears_of(corners[first[one]:end[one]], points) for one in np.flatnonzero(bent)]


def ears_of(ring: np.ndarray, points: np.ndarray) -> np.ndarray:
    """A polygon cut into triangles, one corner after another that no other lies in."""
    at = points[ring]
    normal = np.cross(at, np.roll(at, -1, axis=0)).sum(axis=0)
    turn = lambda a, b, c: float(np.cross(at[b] - at[a], at[c] - at[a]) @ normal)
    left, triangles = list(range(len(ring))), []
    while len(left) > 3:
        ears = (i for i in range(len(left)) if is_ear(left[i - 1], left[i], left[(i + 1) % len(left)], left, turn))
        i = next(ears, 1)
        triangles.append((left[i - 1], left[i], left[(i + 1) % len(left)]))
        del left[i]
    return ring[np.array([*triangles, tuple(left)])]


def is_ear(a: int, b: int, c: int, left: list[int], turn: Callable[[int, int, int], float]) -> bool:
    """Whether corner b may be cut off: it turns outwards, and its triangle holds none of the others."""
    return turn(a, b, c) > 0 and not any(min(turn(a, b, p), turn(b, c, p), turn(c, a, p)) >= 0 for p in left if p not in (a, b, c))


def read_surface(path: Path) -> Surface:
    """Reads a view file. Raises LabError where it cannot be, or has too many triangles for a page."""
    if not path.is_file():
        raise LabError(f"{path}: not a file")
    try:
        with h5py.File(path, "r") as file:
            view = file["VTKHDF"]
            cells = view["CellData"]
            offsets, types = view["Offsets"][()], view["Types"][()]
            corners, points = view["Connectivity"][()], view["Points"][()]
            explode = view["PointData/explode"][()]
            block_of_cell = cells["block"][()]
            values = {name: cells[array][()] for name in ARRAYS for array in (name, *old_names(name)) if array in cells}
            captions = {name: texts(view["FieldData"][name][()])[0]
                        for name in ("partitioner", "mesh", "loop", "block_size") if name in view["FieldData"]}
    except (OSError, KeyError) as error:
        raise LabError(f"{path}: no view file, or a damaged one ({error})") from error
    triangles = triangles_of(corners, offsets, types, points)
    if len(triangles) > MOST_TRIANGLES:
        raise LabError(f"{path}: {len(triangles)} triangles are too many for a page ({MOST_TRIANGLES} at most)")
    block = np.zeros(len(points), dtype=np.uint32)
    block[corners] = np.repeat(block_of_cell, np.diff(offsets))
    n_blocks = int(block_of_cell.max(initial=-1)) + 1
    of_block = {}
    for name, of_cell in values.items():
        of_block[name] = np.zeros(n_blocks)
        of_block[name][block_of_cell] = of_cell
    used, triangles = np.unique(triangles, return_inverse=True)
    of_block_explode = np.zeros((n_blocks, 3))
    of_block_explode[block] = explode
    return Surface(points[used], triangles.reshape(-1, 3), block[used], of_block_explode, of_block, captions,
                   bool(np.isin(types, FLAT).all()))
