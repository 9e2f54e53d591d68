"""`tess mesh compare`: files of different formats, numberings and turns hold the same mesh, or do not."""

import itertools
import json
import math

import numpy as np
import pytest
from mesh_files import meshb, mixed_su2
from netcdf_files import cgns, exodus

CORNERS = {
    (2, 5): [(0, 0), (1, 0), (0.5, math.sqrt(0.75))],
    (2, 9): [(0, 0), (1, 0), (1, 1), (0, 1)],
    (3, 10): [(1, 1, 1), (-1, 1, -1), (1, -1, -1), (-1, -1, 1)],
    (3, 14): [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 1.5)],
    (3, 13): [(math.cos(t), math.sin(t), z) for z in (0, 2) for t in (0, 2 * math.pi / 3, 4 * math.pi / 3)],
    (3, 12): [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],
}
TURNS = {5: 3, 9: 4, 10: 12, 14: 4, 13: 6, 12: 24}


def compare(tess, *meshes, code=0):
    done = tess("mesh", "compare", "--json", *meshes, code=code)
    return json.loads(done.stdout), done.stderr


def turns_of(corners):
    """The permutations of corners that a rotation of space (of the plane) does, found from their places."""
    x = np.array(corners) - np.mean(corners, axis=0)
    for order in itertools.permutations(range(len(corners))):
        turn, *_ = np.linalg.lstsq(x, x[list(order)], rcond=None)
        if np.allclose(x @ turn, x[list(order)]) and np.allclose(turn @ turn.T, np.eye(len(turn))) and np.linalg.det(turn) > 0:
            yield order


def one_cell(path, dimension, vtk, corners, order):
    rows = [" ".join(map(str, (vtk, *order)))]
    path.write_text("\n".join([f"NDIME= {dimension}", "NELEM= 1", *rows, f"NPOIN= {len(corners)}",
                               *(" ".join(map(str, corner)) for corner in corners), "NMARK= 0"]) + "\n")
    return path


@pytest.mark.parametrize("dimension, vtk", [key for key in CORNERS if key[1] != 12])
def test_a_cell_turned_onto_itself_is_the_same(tess, tmp_path, dimension, vtk):
    corners = CORNERS[dimension, vtk]
    orders = list(turns_of(corners))
    assert len(orders) == TURNS[vtk]
    files = [one_cell(tmp_path / f"{i}.su2", dimension, vtk, corners, order) for i, order in enumerate(orders)]
    said, _ = compare(tess, *files)
    assert said["same_cells"] and len({mesh["digest"] for mesh in said["meshes"]}) == 1
    mirrored = one_cell(tmp_path / "mirrored.su2", dimension, vtk, corners, (1, 0, *range(2, len(corners))) if vtk != 9 else (3, 2, 1, 0))
    _, error = compare(tess, files[0], mirrored, code=1)
    assert "places of nodes or their cells differ" in error


def test_a_hexahedron_has_24_turns(tess, tmp_path):
    """Each of its nodes first, with the three that follow it around a corner: 8 times 3."""
    corners = CORNERS[3, 12]
    edges = lambda i: [k for k in range(8) if sum(a != b for a, b in zip(corners[i], corners[k])) == 1]
    at = {corner: i for i, corner in enumerate(corners)}
    orders = []
    for first in range(8):
        for axes in itertools.permutations(edges(first)):
            e = [np.subtract(corners[k], corners[first]) for k in axes]
            if np.linalg.det(e) > 0:
                orders.append([at[tuple(int(v) for v in np.array(corners[first]) + i * e[0] + j * e[1] + k * e[2])] for i, j, k in corners])
    assert len(orders) == 24
    said, _ = compare(tess, *(one_cell(tmp_path / f"{i}.su2", 3, 12, corners, order) for i, order in enumerate(orders)))
    assert said["same_cells"]


def test_formats_of_one_mesh_are_the_same(tess, tmp_path):
    (tmp_path / "mesh.su2").write_text(mixed_su2())
    (tmp_path / "mesh.meshb").write_bytes(meshb())
    files = [tmp_path / "mesh.su2", tmp_path / "mesh.meshb", exodus(tmp_path / "mesh.exo"), cgns(tmp_path / "mesh.cgns"),
             f"{tmp_path}/mesh.su2:shuffle=5"]
    for name in ("again.msh", "again.lb8.ugrid", "again.vtkhdf", "again.meshb"):
        tess("mesh", "convert", f"{tmp_path}/mesh.su2:shuffle=8", tmp_path / name)
        files.append(tmp_path / name)
    said, _ = compare(tess, *files)
    assert said["same_cells"] and said["same_sides"]
    assert {(mesh["nodes"], mesh["cells"], mesh["marked_sides"], mesh["markers"]) for mesh in said["meshes"]} == {(12, 4, 2, 2)}


def test_what_differs_is_said(tess, tmp_path):
    text = mixed_su2()
    (tmp_path / "mesh.su2").write_text(text)
    one_marker = text.replace("MARKER_TAG= two", "MARKER_TAG= one")
    (tmp_path / "one.su2").write_text(one_marker)
    said, _ = compare(tess, tmp_path / "mesh.su2", tmp_path / "one.su2")
    assert said["same_cells"] and not said["same_sides"]
    assert "other marked sides" in tess("mesh", "compare", tmp_path / "mesh.su2", tmp_path / "one.su2").stdout
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("NPOIN")) + 3
    x, *rest = lines[at].split()
    lines[at] = " ".join([repr(np.nextafter(float(x), 9.0).item()), *rest])
    (tmp_path / "moved.su2").write_text("\n".join(lines))
    said, error = compare(tess, tmp_path / "mesh.su2", tmp_path / "moved.su2", code=1)
    assert not said["same_cells"] and "places of nodes or their cells differ" in error
    assert "which meshes?" in tess("mesh", "compare", tmp_path / "mesh.su2", code=2).stderr


def test_nodes_at_one_place_are_told_apart_by_their_cells(tess, tmp_path):
    """Two rows of quadrilaterals, each with nodes of its own at the places between them."""
    nodes = [(x, y) for y in (0, 1, 1, 2) for x in range(4)]
    cells = [(9, 4 * r + i, 4 * r + i + 1, 4 * r + i + 5, 4 * r + i + 4) for r in (0, 2) for i in range(3)]
    row = lambda values: " ".join(map(str, values))
    (tmp_path / "mesh.su2").write_text("\n".join(["NDIME= 2", "NELEM= 6", *map(row, cells), "NPOIN= 16", *map(row, nodes), "NMARK= 0"]) + "\n")
    said, _ = compare(tess, tmp_path / "mesh.su2", *(f"{tmp_path}/mesh.su2:shuffle={seed}" for seed in range(6)))
    assert said["same_cells"]
