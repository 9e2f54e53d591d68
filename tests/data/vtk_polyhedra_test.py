"""Polygons and polyhedra in VTU and VTKHDF: the same mesh as from OpenFOAM, in all forms of VTK, defects refused."""

import large_files
import numpy as np
import pytest
from polyhedra_files import MIXED, SIDES, faces_of, poly_mesh, split_hexes
from mesh_files import MIXED_NODES, Reading, read
from vtk_files import Vtu, faces_of_vtk, pvtu, stream_of, vtk_cells
from vtkhdf_reader_test import vtkhdf

POLYGON = 7
FORMS = {"stream": stream_of, "faces": faces_of_vtk}
WAYS = {"text": {}, "inline": {"format": "binary", "compressed": True}, "raw": {"format": "appended", "encoding": "raw", "header": "UInt64"},
        "appended": {"format": "appended", "compressed": True, "order": ">", "index": "Int32"}}  # fmt: skip


def three():
    """Two polyhedra of seven sides, and a hexahedron beside them."""
    points, cells = split_hexes()
    return [*points, *((3, y, z) for z in (0, 1) for y in (0, 1))], [*cells, (2, 12, 13, 5, 8, 14, 15, 11)]


def marked(cells):
    """The sides at the boundary in OpenFOAM's order, in two halves: their types, nodes, markers."""
    faces, _, neighbour = faces_of(cells)
    outer = faces[len(neighbour):]
    return [({3: 5, 4: 9}.get(len(ring), POLYGON), ring, 1 + (i >= len(outer) // 2)) for i, ring in enumerate(outer)]


def file_of(points, cells, form, way):
    sides = marked(cells)
    way = Vtu(**way)
    return way.file(way.piece(points, vtk_cells(cells) + sides, faces=form([*cells, *(() for _ in sides)])))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", FORMS)
def test_polyhedra_are_those_of_openfoam(tmp_path, tess, form, way):
    points, cells = three()
    path, reading = read(tmp_path, "mesh.vtu", file_of(points, cells, FORMS[form], WAYS[way]))
    foam = poly_mesh(tmp_path / "foam", points, cells)
    expected = Reading(foam).assert_accepted()
    assert reading.assert_accepted().sets == expected.sets == {"nodes": 16, "cells": 3, "faces": 3, "bfaces": 14}
    assert reading.digest == expected.digest and reading.warnings == expected.warnings
    assert reading.markers == ["marker 1", "marker 2"]
    if way == "text":
        cut = tess("partition", path, "--map", "faces:cells", "-b", "1", "-p", "file-order", "--no-lab", "--no-view")
        assert "faces:cells" in cut.stdout + cut.stderr
        refused = tess("partition", path, "--map", "cells:nodes", "-p", "file-order", "--no-lab", "--no-view", code=2)
        assert "faces:cells" in refused.stderr


def hdf_faces(*pieces):
    """Adds the arrays of polyhedra of VTKHDF 2.5; `pieces`: the cells of each."""
    def change(arrays):
        parts = [faces_of_vtk(cells) for cells in pieces]
        together = lambda name, start=[]: np.array([value for part in parts for value in (*start, *part[name])], "i8")
        arrays.update({"NumberOfFaces": np.array([len(part["face_offsets"]) for part in parts], "i8"),
                       "NumberOfFaceConnectivityIds": np.array([len(part["face_connectivity"]) for part in parts], "i8"),
                       "NumberOfPolyhedronToFaceIds": np.array([len(part["polyhedron_to_faces"]) for part in parts], "i8"),
                       "FaceConnectivity": together("face_connectivity"), "FaceOffsets": together("face_offsets", [0]),
                       "PolyhedronToFaces": together("polyhedron_to_faces"), "PolyhedronOffsets": together("polyhedron_offsets", [0])})  # fmt: skip
    return change


def test_polyhedra_of_vtkhdf_are_those_of_vtu(tmp_path):
    points, cells = three()
    sides = marked(cells)
    path = vtkhdf(tmp_path / "mesh.vtkhdf", (points, vtk_cells(cells) + sides), change=hdf_faces([*cells, *(() for _ in sides)]))
    _, expected = read(tmp_path, "mesh.vtu", file_of(points, cells, stream_of, {}))
    assert Reading(path).assert_accepted().digest == expected.assert_accepted().digest


def test_pieces_with_polyhedra_are_joined(tmp_path):
    """Each cell a piece with nodes of its own; in PVTU, and in VTKHDF."""
    points, cells = three()
    pieces = []
    for cell in cells:
        used = sorted({node for ring in cell for node in ring} if isinstance(cell, list) else set(cell))
        new = lambda ring, used=used: tuple(map(used.index, ring))
        pieces.append(([points[node] for node in used], [list(map(new, cell))] if isinstance(cell, list) else [new(cell)]))
    for i, (nodes, own) in enumerate(pieces):
        (tmp_path / f"{i}.vtu").write_bytes(Vtu().file(Vtu().piece(nodes, vtk_cells(own), faces=faces_of_vtk(own))))
    _, reading = read(tmp_path, "mesh.pvtu", pvtu("0.vtu", "1.vtu", "2.vtu"))
    assert reading.assert_accepted().sets == {"nodes": 16, "cells": 3, "faces": 3, "bfaces": 14}
    path = vtkhdf(tmp_path / "mesh.vtkhdf", *((nodes, vtk_cells(own)) for nodes, own in pieces), change=hdf_faces(*(own for _, own in pieces)))
    assert Reading(path).assert_accepted().digest == reading.digest


def test_polyhedra_of_usual_shapes_are_cells(tmp_path):
    """A tet, pyramid, prism and hex by their faces."""
    rings = [[tuple(cell[i] for i in side) for side in SIDES[len(cell)]] for cell in MIXED]
    _, reading = read(tmp_path, "mesh.vtu", file_of(MIXED_NODES, rings, stream_of, {}))
    expected = Reading(poly_mesh(tmp_path / "foam", MIXED_NODES, MIXED)).assert_accepted()
    assert reading.assert_accepted().sets == expected.sets and reading.digest == expected.digest


def test_polygons_have_edges_alone(tmp_path):
    """A pentagon, a triangle, a hexagon, whose marked side is a line; ghosts are left out."""
    nodes = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (1, 3, 0), (0, 2, 0), (3, 1, 0), (4, 3, 0), (3, 5, 0), (1, 5, 0)]
    cells = [(POLYGON, (0, 1, 2, 3, 4), 0), (5, (1, 5, 2), 0), (POLYGON, (3, 2, 5, 6, 7, 8), 0), (3, (0, 1), 7)]
    _, reading = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(nodes, cells)))
    assert reading.assert_accepted().sets == {"nodes": 9, "cells": 3, "edges": 3, "bedges": 8} and reading.markers == ["marker 7"]
    assert reading.warnings == ["the cells are polygons: there are edges:cells and edges:nodes, but no cells:nodes"]
    assert Reading(vtkhdf(tmp_path / "mesh.vtkhdf", (nodes, cells))).assert_accepted().digest == reading.digest
    _, without = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(nodes, cells, ghosts=[0, 0, 1, 0])))
    assert without.assert_accepted().sets == {"nodes": 9, "cells": 2, "edges": 1, "bedges": 6}


def test_polygons_beside_solids_are_left_out(tmp_path):
    nodes = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    _, reading = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(nodes, [(12, range(8), 0), (POLYGON, range(5), 3)])))
    assert reading.assert_accepted().sets == {"nodes": 8, "cells": 1}
    assert reading.warnings == ["1 polygons of more than four nodes are no side of a cell and were left out"]


def instead(name, place, value):
    def change(faces):
        faces[name] = list(faces[name])
        faces[name][place] = value

    return change


def without(name):
    return lambda faces: faces.pop(name)


def test_faces_in_any_order(tmp_path):
    """Of more cells than are read at once: those of OpenFOAM's files, also where faces stand behind those of later cells."""
    mesh = large_files.Polyhedra(20)
    expected = Reading(large_files.openfoam(tmp_path / "polyMesh", mesh, True)).assert_accepted()
    arrays = large_files.vtu_polyhedra(mesh, True)
    before = large_files.vtu(tmp_path / "before.vtu", large_files.vtu_polyhedra(mesh, False), mesh.n_cells, "zlib")
    in_order = large_files.vtu(tmp_path / "order.vtu", arrays, mesh.n_cells, "ascii")
    n = len(arrays["face_offsets"])
    turned, ends = large_files.chosen_rows(arrays["face_connectivity"], arrays["face_offsets"], np.arange(n)[::-1])
    arrays |= {"face_connectivity": turned, "face_offsets": ends, "polyhedron_to_faces": np.arange(n)[::-1].copy()}
    assert n > 2**15
    readings = [Reading(path).assert_accepted() for path in
                (before, in_order, *(large_files.vtu(tmp_path / f"{way}.vtu", arrays, mesh.n_cells, way) for way in ("ascii", "appended", "zlib")))]
    assert {reading.sets["faces"] for reading in readings} == {expected.sets["faces"]}
    assert len({reading.digest for reading in readings}) == 1


# The first cell of three() has the faces 0 ... 6, of 4 or 3 nodes.
REFUSED = {
    "node": ("stream", instead("faces", 2, 16), "polyhedron 0 has the node 16, which is not in 0..15"),
    "negative node": ("faces", instead("face_connectivity", 0, -1), "polyhedron 0 has the node -1"),
    "more faces": ("stream", instead("faces", 0, 8), "the faces of polyhedron 0 end in face 7 of 8"),
    "faces without end": ("stream", instead("faces", 0, 2**62), "the faces of polyhedron 0 end in face 7 of"),
    "a face without end": ("stream", instead("faces", 1, 2**62), "the faces of polyhedron 0 end in face 0 of 7"),
    "a face of a negative number": ("stream", instead("faces", 1, -4), "the faces of polyhedron 0 end in face 0 of 7"),
    "three faces": ("stream", instead("faces", 0, 3), "polyhedron 0 has 3 faces"),
    "a face of two": ("faces", instead("face_offsets", 0, 2), "polyhedron 0 has a face of 2 nodes"),
    "ends that go back": ("faces", instead("face_offsets", 1, 1), "the nodes of face 1 go from 4 to 1, not in"),
    "ends behind all": ("faces", instead("face_offsets", 13, 2**40), "of the array face_connectivity, which has fewer"),
    "unknown face": ("faces", instead("polyhedron_to_faces", 1, 14), "number 14 of the array face_offsets, which has fewer"),
    "negative face": ("faces", instead("polyhedron_to_faces", 1, -2), "polyhedron 0 has the face -2: numbers of faces count from 0"),
    "a face of two to the 63": ("faces", instead("polyhedron_to_faces", 1, 2**63 - 1), "of the array face_offsets, which has fewer"),
    "cells that go back": ("faces", instead("polyhedron_offsets", 1, 3), "the faces of polyhedron 1 go from 7 to 3, not in"),
    "cells behind all": ("faces", instead("polyhedron_offsets", 1, 99), "number 98 of the array polyhedron_to_faces, which has fewer"),
    "stream ends late": ("stream", instead("faceoffsets", 1, 2**50), "of the array faces, which has fewer"),
    "stream ends before": ("stream", instead("faceoffsets", 0, -1), "the faces of polyhedron 0 go from 0 to -1"),
    "no ends": ("stream", without("faceoffsets"), "cell 0 is a polyhedron, but the file has no faces"),
    "no faces": ("faces", without("face_offsets"), "cell 0 is a polyhedron, but the file has no faces"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("way", ["text", "raw"])
def test_refused(tmp_path, case, way):
    form, change, words = REFUSED[case]
    points, cells = three()
    faces = FORMS[form](cells)
    change(faces)
    way = Vtu(**WAYS[way])
    path, reading = read(tmp_path, "mesh.vtu", way.file(way.piece(points, vtk_cells(cells), faces=faces)))
    reading.assert_refused(path, words)


def add(name, value):
    return lambda arrays: arrays.__setitem__(name, arrays[name] + np.eye(1, len(arrays[name]), dtype="i8")[0] * value)


HDF_REFUSED = {
    "more faces than there are": (add("NumberOfFaces", 1), "dataset /VTKHDF/FaceOffsets: it is not as long as"),
    "a negative number of faces": (add("NumberOfFaces", -20), "dataset /VTKHDF/NumberOfFaces: the sizes are not in"),
    "more faces of cells": (add("NumberOfPolyhedronToFaceIds", 5), "dataset /VTKHDF/PolyhedronToFaces: it is not as long as"),
    "face numbers outside": (add("PolyhedronToFaces", 14), "polyhedron 0 has number 14 of the array FaceOffsets, which has fewer"),
    "nodes outside": (add("FaceConnectivity", 2**40), "polyhedron 0 has the node 1099511627"),
    "no faces": (lambda arrays: arrays.pop("FaceOffsets"), "cell 0 is a polyhedron, but the file has no faces"),
}


@pytest.mark.parametrize("case", HDF_REFUSED)
def test_refused_vtkhdf(tmp_path, case):
    change, words = HDF_REFUSED[case]
    points, cells = three()

    def both(arrays):
        hdf_faces(cells)(arrays)
        change(arrays)

    path = vtkhdf(tmp_path / "mesh.vtkhdf", (points, vtk_cells(cells)), change=both)
    Reading(path).assert_refused(path, words)
