"""The shapes of a 2D mesh's elements: polygons that tile it, for pictures.

As in viz/view_shape.h: cells are themselves; an edge is the kite of its nodes and the centroids of
its cells, a triangle at the boundary; a node is its corners of the cells around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .archive import LabError
from .mesh import Mesh

CELL_SETS = ("tris", "quads")


@dataclass(frozen=True)
class Shapes:
    """Polygons of the elements of a set. Sites are the mesh's nodes, then centroids of cells, then
    middles of edges."""

    element: np.ndarray  # [polygon]
    sites: np.ndarray  # [polygon][corners], -1 after the last one
    points: np.ndarray  # [site][2]

    def corners(self) -> np.ndarray:
        """The polygons' corners [polygon][corners][2], the first again behind the last."""
        return self.points[np.where(self.sites >= 0, self.sites, self.sites[:, :1])]

    def outline(self, group: np.ndarray) -> np.ndarray:
        """Segments [n][2][2] where polygons of different groups, group [polygon], meet, and where
        the polygons end."""
        following = _following(self.sites)
        real = self.sites >= 0
        ends = np.sort(np.stack([self.sites[real], following[real]], axis=1), axis=1)
        owner = np.broadcast_to(np.asarray(group)[:, None], self.sites.shape)[real]
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        ends, owner = ends[order], owner[order]
        twin = (ends[1:] == ends[:-1]).all(axis=1)
        inside = twin & (owner[1:] == owner[:-1])
        drawn = np.ones(len(ends), dtype=bool)
        drawn[1:] &= ~twin
        drawn[:-1] &= ~inside
        return self.points[ends[drawn]]

    def neighbours(self, group: np.ndarray) -> np.ndarray:
        """Pairs [n][2] of different groups that have a site in common, each once, smaller first."""
        real = self.sites >= 0
        owner = np.broadcast_to(np.asarray(group)[:, None], self.sites.shape)[real]
        at_site = np.unique(np.stack([self.sites[real], owner], axis=1), axis=0)
        pairs = []
        for apart in range(1, len(at_site)):
            same = at_site[apart:, 0] == at_site[:-apart, 0]
            if not same.any():
                break
            pairs.append(np.stack([at_site[:-apart, 1][same], at_site[apart:, 1][same]], axis=1))
        return np.unique(np.concatenate(pairs), axis=0) if pairs else np.empty((0, 2), dtype=int)


def shapes_of(mesh: Mesh, name: str) -> Shapes:
    """The polygons of the set `name`."""
    if mesh.dimension != 2:
        raise LabError("pictures of this package are of 2D meshes: 'tess view' shows 3D ones")
    if not len(mesh.coordinates):
        raise LabError(f"{mesh.source} has no coordinates: there is nothing to draw")
    cells = _cells(mesh)
    points = np.concatenate([mesh.coordinates, _centroids(cells, mesh.coordinates)])
    n_nodes = len(mesh.coordinates)
    if name == "cells":
        return Shapes(np.arange(len(cells)), cells, points)
    if name in CELL_SETS:
        return Shapes(np.arange(mesh.sets[name]), _padded(mesh.maps[f"{name}:nodes"]), points)
    if name == "nodes":
        return _corners(cells, points, n_nodes)
    if f"{name}:nodes" not in mesh.maps or mesh.maps[f"{name}:nodes"].shape[1] != 2:
        raise LabError(f"'{name}' has no shape: neither cells, nor nodes, nor edges of two nodes")
    return _kites(mesh.maps[f"{name}:nodes"], _cells_beside(mesh, name), points, n_nodes)


def _padded(nodes: np.ndarray) -> np.ndarray:
    padded = np.full((len(nodes), max(4, nodes.shape[1])), -1, dtype=np.int64)
    padded[:, :nodes.shape[1]] = nodes
    return padded


def _cells(mesh: Mesh) -> np.ndarray:
    """The nodes [cell][corners] around each cell, -1 behind the last."""
    if "cells:nodes" in mesh.maps:
        return _each_once(_padded(mesh.maps["cells:nodes"]))
    if not any(f"{name}:nodes" in mesh.maps for name in CELL_SETS):
        return _rings(mesh)
    cells = np.full((mesh.sets.get("cells", 0), 4), -1, dtype=np.int64)
    for name in CELL_SETS:
        if f"{name}:nodes" in mesh.maps:
            numbers = mesh.maps.get(f"{name}:cells")
            nodes = mesh.maps[f"{name}:nodes"]
            cells[np.arange(len(nodes)) if numbers is None else numbers[:, 0]] = _padded(nodes)
    return cells


def _each_once(cells: np.ndarray) -> np.ndarray:
    """Cells without the repetitions of their last node: applications pad with it."""
    cells = cells.copy()
    for i in range(cells.shape[1] - 1, 0, -1):
        cells[cells[:, i] == cells[:, i - 1], i] = -1
    return cells


def _rings(mesh: Mesh) -> np.ndarray:
    """The nodes around polygons, by the edges that each has."""
    edges = [name for name in ("edges", "bedges") if f"{name}:nodes" in mesh.maps and f"{name}:cells" in mesh.maps]
    if not edges:
        raise LabError("the mesh says neither which nodes its cells have nor which edges")
    nodes = np.concatenate([np.repeat(mesh.maps[f"{name}:nodes"], mesh.maps[f"{name}:cells"].shape[1], axis=0) for name in edges])
    cells = np.concatenate([mesh.maps[f"{name}:cells"].reshape(-1) for name in edges])
    order = np.argsort(cells, kind="stable")
    order = order[cells[order] >= 0]
    n_cells = mesh.sets.get("cells", 0)
    ends = np.cumsum(np.bincount(cells[order], minlength=n_cells))
    rings = [_ring(part.tolist()) for part in np.split(nodes[order], ends[:-1])] if n_cells else []
    padded = np.full((n_cells, max(4, *map(len, rings), 4)), -1, dtype=np.int64)
    for cell, ring in enumerate(rings):
        padded[cell, :len(ring)] = ring
    return padded


def _ring(edges: list[list[int]]) -> list[int]:
    """Nodes in the order in which edges go on from each other."""
    at: dict[int, list[int]] = {}
    for i, (a, b) in enumerate(edges):
        at.setdefault(a, []).append(i)
        at.setdefault(b, []).append(i)
    if not edges or any(len(both) != 2 for both in at.values()):
        raise LabError("the edges of a polygon are no ring")
    ring: list[int] = []
    edge, node = 0, edges[0][0]
    while not ring or node != ring[0]:
        ring.append(node)
        node = edges[edge][0] + edges[edge][1] - node
        edge = at[node][0] + at[node][1] - edge
    return ring


def _centroids(cells: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
    """The means [cell][2] of the cells' nodes."""
    real = cells >= 0
    return np.where(real[..., None], coordinates[cells], 0).sum(axis=1) / real.sum(axis=1, keepdims=True)


def _following(sites: np.ndarray) -> np.ndarray:
    """The next corner after each one, around its polygon."""
    following = np.roll(sites, -1, axis=1)
    return np.where(following >= 0, following, sites[:, :1])


def _preceding(sites: np.ndarray) -> np.ndarray:
    """The corner before each one, around its polygon."""
    preceding = np.roll(sites, 1, axis=1)
    preceding[:, 0] = sites[np.arange(len(sites)), (sites >= 0).sum(axis=1) - 1]
    return preceding


def _cells_beside(mesh: Mesh, name: str) -> np.ndarray:
    """The cells [edge][2] beside each edge of a set, or -1."""
    if f"{name}:cells" in mesh.maps:
        return _two(mesh.maps[f"{name}:cells"])
    known = [one for one in ("edges", "bedges")
             if f"{one}:nodes" in mesh.maps and f"{one}:cells" in mesh.maps]
    if not known:
        raise LabError(f"the mesh does not say which cells are beside '{name}'")
    n_nodes = len(mesh.coordinates)
    keys = np.concatenate([_key(mesh.maps[f"{one}:nodes"], n_nodes) for one in known])
    cells = np.concatenate([_two(mesh.maps[f"{one}:cells"]) for one in known])
    order = np.argsort(keys)
    asked = _key(mesh.maps[f"{name}:nodes"], n_nodes)
    at = np.minimum(np.searchsorted(keys[order], asked), len(keys) - 1)
    found = order[at]
    return np.where((keys[found] == asked)[:, None], cells[found], -1)


def _two(cells: np.ndarray) -> np.ndarray:
    """A map to one cell or two as one to two; a cell named twice counts once."""
    two = np.full((len(cells), 2), -1, dtype=np.int64)
    two[:, :cells.shape[1]] = cells
    two[two[:, 0] == two[:, 1], 1] = -1
    return two


def _key(nodes: np.ndarray, n_nodes: int) -> np.ndarray:
    ordered = np.sort(nodes.astype(np.int64), axis=1)
    return ordered[:, 0] * n_nodes + ordered[:, 1]


def _kites(nodes: np.ndarray, cells: np.ndarray, points: np.ndarray, n_nodes: int) -> Shapes:
    sites = np.full((len(nodes), 4), -1, dtype=np.int64)
    sites[:, 0], sites[:, 2] = nodes[:, 0], nodes[:, 1]
    sites[:, 1] = np.where(cells[:, 0] >= 0, cells[:, 0] + n_nodes, -1)
    sites[:, 3] = np.where(cells[:, 1] >= 0, cells[:, 1] + n_nodes, -1)
    seen = (cells >= 0).any(axis=1)
    return Shapes(np.flatnonzero(seen), sites[seen], points)


def _corners(cells: np.ndarray, points: np.ndarray, n_nodes: int) -> Shapes:
    real = cells >= 0
    node = cells[real]
    centroid = np.broadcast_to(np.arange(len(cells))[:, None] + n_nodes, cells.shape)[real]
    ahead = np.stack([node, _following(cells)[real]], axis=1)
    behind = np.stack([node, _preceding(cells)[real]], axis=1)
    sides, of_side = np.unique(np.sort(np.concatenate([ahead, behind]), axis=1), axis=0,
                               return_inverse=True)
    middle = of_side.reshape(2, -1) + len(points)
    return Shapes(node, np.stack([node, middle[0], centroid, middle[1]], axis=1),
                  np.concatenate([points, points[sides].mean(axis=1)]))
