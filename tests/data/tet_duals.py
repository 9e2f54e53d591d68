"""Polyhedra and polygons: the duals of tetrahedra in a box, as OpenFOAM has them, and of triangles in a square, as VTU.

    PYTHONPATH=tests:tests/data python3 tests/data/tet_duals.py 46 box           103,823 polyhedra in box/
    PYTHONPATH=tests:tests/data python3 tests/data/tet_duals.py 316 square.vtu   100,489 polygons"""

import itertools
import sys
from pathlib import Path

import numpy as np
from polyhedra_files import header
from vtk_files import Vtu


def lattice(n, dimension):
    """Nodes, moved a little from the places of a lattice unless they are at the boundary; simplices as Kuhn cuts cubes."""
    axes = np.meshgrid(*[np.arange(n + 1)] * dimension, indexing="ij")
    place = np.stack([axis.ravel() for axis in axes[::-1]], axis=1)
    inside = ((place > 0) & (place < n)).all(axis=1, keepdims=True)
    nodes = (place + inside * np.random.default_rng(7).uniform(-0.2, 0.2, place.shape)) / n
    step = (n + 1) ** np.arange(dimension)
    corner = (place[(place < n).all(axis=1)] * step).sum(axis=1)
    ways = [np.concatenate([[0], np.cumsum(step[list(order)])]) for order in itertools.permutations(range(dimension))]
    return nodes, np.concatenate([corner[:, None] + way for way in ways])


def outer_sides(simplices):
    """The sides that one simplex has, nodes ascending, and which simplex that is."""
    n = simplices.shape[1]
    sides = np.sort(np.concatenate([np.delete(simplices, i, axis=1) for i in range(n)]), axis=1)
    of = np.tile(np.arange(len(simplices)), n)
    distinct, first, count = np.unique(sides, axis=0, return_index=True, return_counts=True)
    return distinct[count == 1], of[first[count == 1]]


def chained(links):
    """Links (c, d, what) in the order in which they go on from each other, and where that begins and ends."""
    at = {}
    for link in links:
        at.setdefault(link[0], []).append(link)
        at.setdefault(link[1], []).append(link)
    begin = next((node for node, both in at.items() if len(both) == 1), links[0][0])
    node, chain, left = begin, [], set(links)
    while left:
        link = next(link for link in at[node] if link in left)
        left.remove(link)
        chain.append(link[2])
        node = link[1] if link[0] == node else link[0]
    return chain, begin, node


def turned(ring, points, towards):
    """The ring, turned such that its normal goes that way."""
    at = points[ring]
    normal = np.cross(at - at[0], np.roll(at, -1, axis=0) - at[0]).sum(axis=0)
    return ring if normal @ towards >= 0 else ring[::-1]


def polyhedra(n):
    """Points, faces (between two cells first), their owners and neighbours, and where z = 0."""
    nodes, tets = lattice(n, 3)
    tris, of_tri = outer_sides(tets)
    pairs = [(0, 1), (0, 2), (1, 2)]
    sides = np.unique(np.concatenate([tris[:, pair] for pair in pairs]), axis=0)
    points = np.concatenate([nodes[tets].mean(axis=1), nodes[tris].mean(axis=1), nodes[sides].mean(axis=1), nodes[np.unique(tris)]])
    tri_at = {tuple(tri): len(tets) + i for i, tri in enumerate(tris.tolist())}
    middle_at = {tuple(side): len(tets) + len(tris) + i for i, side in enumerate(sides.tolist())}
    node_at = {node: len(tets) + len(tris) + len(sides) + i for i, node in enumerate(np.unique(tris).tolist())}
    links = {}
    for t, tet in enumerate(np.sort(tets, axis=1).tolist()):
        for i, k in itertools.combinations(range(4), 2):
            c, d = (tet[j] for j in range(4) if j not in (i, k))
            links.setdefault((tet[i], tet[k]), []).append((c, d, t))
    faces, owner, neighbour = [], [], []
    for (a, b), around in links.items():
        chain, begin, end = chained(around)
        if begin != end:
            chain = [middle_at[a, b], tri_at[tuple(sorted((a, b, begin)))], *chain, tri_at[tuple(sorted((a, b, end)))]]
        faces.append(turned(chain, points, nodes[b] - nodes[a]))
        owner.append(a)
        neighbour.append(b)
    outer = []
    for tri, t in zip(tris.tolist(), of_tri):
        away = nodes[tri].mean(axis=0) - nodes[tets[t]].mean(axis=0)
        for i, node in enumerate(tri):
            before, behind = (middle_at[tuple(sorted((node, tri[(i + step) % 3])))] for step in (1, 2))
            ring = [node_at[node], before, tri_at[tuple(tri)], behind]
            outer.append((bool((points[ring][:, 2] != 0).any()), turned(ring, points, away), node))
    outer.sort(key=lambda one: one[0])
    return points, faces + [one[1] for one in outer], owner + [one[2] for one in outer], neighbour, sum(not one[0] for one in outer)


def poly_mesh(folder, n):
    """Writes polyhedra as OpenFOAM's polyMesh: patches "floor", where z = 0, and "rest"."""
    points, faces, owner, neighbour, n_floor = polyhedra(n)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    labels = lambda values: b"%d\n(" % len(values) + np.asarray(values, "<i4").tobytes() + b")\n"
    starts = np.cumsum([0] + [len(face) for face in faces])
    content = {"points": b"%d(" % len(points) + points.astype("<f8").tobytes() + b")\n",
               "faces": labels(starts) + labels(list(itertools.chain.from_iterable(faces))),
               "owner": labels(owner), "neighbour": labels(neighbour)}  # fmt: skip
    for name, body in content.items():
        (folder / name).write_bytes(header("List", name, "binary", "LSB;label=32;scalar=64") + body)
    patches = [("floor", n_floor, len(neighbour)), ("rest", len(faces) - len(neighbour) - n_floor, len(neighbour) + n_floor)]
    text = "".join(f"{name} {{ type wall; nFaces {size}; startFace {first}; }}\n" for name, size, first in patches)
    (folder / "boundary").write_bytes(header("polyBoundaryMesh", "boundary", "ascii", "") + f"2\n(\n{text})\n".encode())
    return folder


def polygons(n):
    """Points in the plane, the ring of each cell, and the edges at the boundary with a marker of each side of the square."""
    nodes, tris = lattice(n, 2)
    sides, of_side = outer_sides(tris)
    rim = np.unique(sides)
    points = np.concatenate([nodes[tris].mean(axis=1), nodes[sides].mean(axis=1), nodes[rim]])
    side_at = {tuple(side): len(tris) + i for i, side in enumerate(sides.tolist())}
    node_at = {node: len(tris) + len(sides) + i for i, node in enumerate(rim.tolist())}
    links = {}
    for t, tri in enumerate(tris.tolist()):
        for i in range(3):
            links.setdefault(tri[i], []).append((tri[i - 1], tri[i - 2], t))
    rings, edges = [], []
    for node, around in sorted(links.items()):
        chain, begin, end = chained(around)
        if begin != end:
            chain = [node_at[node], side_at[tuple(sorted((node, begin)))], *chain, side_at[tuple(sorted((node, end)))]]
        rings.append(chain)
    for i, side in enumerate(sides.tolist()):
        at = points[len(tris) + i]
        marker = 1 + int(np.argmin([at[1], 1 - at[0], 1 - at[1], at[0]]))
        edges += [(node_at[node], len(tris) + i, marker) for node in side]
    return points, rings, edges


def square(path, n):
    """Writes polygons as VTU, the sides of the square with the markers 1 to 4 from y = 0 on round it."""
    points, rings, edges = polygons(n)
    cells = [(7, ring, 0) for ring in rings] + [(3, edge[:2], edge[2]) for edge in edges]
    vtu = Vtu("appended", "raw")
    Path(path).write_bytes(vtu.file(vtu.piece([(x, y, 0.0) for x, y in points.tolist()], cells)))
    return Path(path)


if __name__ == "__main__":
    (square if sys.argv[2].endswith(".vtu") else poly_mesh)(sys.argv[2], int(sys.argv[1]))
