"""Marked sides of polygons and polyhedra: at the boundary, between two cells, of no cell, stated again; as of cells of other types."""

import json

import pytest
from cgns_zones_test import polyhedra_cgns
from mesh_files import Reading
from polyhedra_files import faces_of, split_hexes
from vtk_files import Legacy, Vtu, faces_of_vtk, stream_of, vtk_cells
from vtk_legacy_test import streams

HEXAGONS = [(0, 1, 2, 3, 4, 5), (1, 6, 7, 8, 9, 2)]
POINTS = [(i, 2 * i % 7, 0) for i in range(10)]
LINES = [((1, 2), 5), ((0, 1), 6), ((1, 0), 6), ((0, 1), 7), ((1, 0), 6), ((0, 3), 8), ((6, 7), 8)]
SPLIT = split_hexes()
SIDES = [(5, (1, 4, 10), 5), (9, (0, 3, 4, 1), 6), (9, (1, 0, 3, 4), 6), (9, (4, 1, 0, 3), 7), (9, (3, 4, 1, 0), 6), (5, (0, 1, 10), 8), (9, (0, 1, 7, 6), 8)]
COUNTS = {"marker 5": 1, "marker 6": 1, "marker 7": 0, "marker 8": 1}


def report(tess, mesh):
    info = json.loads(tess("mesh", "info", mesh, "--brief", "--json").stdout)
    return {row["name"]: row["elements"] for row in info["markers"]}, info["warnings"]


def lost(sides):
    return [f"1 marked {sides} are sides of no cell and were left out: 'marker 8' (1)",
            f"2 marked {sides} have their marker twice and became one: 'marker 6' (2)",
            f"1 marked {sides} have another marker before it, which alone counts: 'marker 7' (1)"]  # fmt: skip


def polygons(path):
    vtu = Vtu()
    path.write_bytes(vtu.file(vtu.piece(POINTS, [(7, ring, 0) for ring in HEXAGONS] + [(3, nodes, marker) for nodes, marker in LINES])))
    return path


def polyhedra(path, form):
    """By `form`: VTU in VTK's new form and its old one, legacy VTK."""
    if form == "legacy":
        path.write_bytes(Legacy().grid(SPLIT[0], streams(SPLIT[1]) + SIDES))
        return path
    vtu = Vtu()
    faces = stream_of(SPLIT[1]) if form == "stream" else faces_of_vtk(SPLIT[1])
    more = {name: values + [values[-1] if name == "polyhedron_offsets" else -1] * len(SIDES) if name in ("faceoffsets", "polyhedron_offsets") else values
            for name, values in faces.items()}
    path.write_bytes(vtu.file(vtu.piece(SPLIT[0], vtk_cells(SPLIT[1]) + SIDES, faces=more)))
    return path


def made(folder, form):
    return (polygons(folder / "mesh.vtu"), "edges") if form == "polygons" else (polyhedra(folder / f"mesh.{'vtk' if form == 'legacy' else 'vtu'}", form), "faces")


@pytest.mark.parametrize("form", ["polygons", "faces", "stream", "legacy"])
def test_marks_are_kept_or_named(tess, tmp_path, form):
    path, sides = made(tmp_path, form)
    counts, warnings = report(tess, path)
    assert counts == COUNTS and warnings[:3] == lost(sides) and len(warnings) == 4, warnings
    assert Reading(path).sets[sides] == (1 if form == "polygons" else 2)


@pytest.mark.parametrize("form", ["polygons", "faces"])
@pytest.mark.parametrize("ending", ["vtu", "vtkhdf"])
def test_marks_between_cells_are_written(tess, tmp_path, form, ending):
    path, _ = made(tmp_path, form)
    again = tmp_path / f"again.{ending}"
    tess("mesh", "convert", path, again)
    counts, warnings = report(tess, again)
    assert sum(counts.values()) == 3 and [name for name in counts if not counts[name]] == [] and len(warnings) == 1
    assert "The same nodes, cells and marked sides" in tess("mesh", "compare", path, again).stdout


def test_a_mark_between_cells_is_no_boundary(tess, tmp_path):
    path, _ = made(tmp_path, "polygons")
    plain = tmp_path / "plain.vtu"
    plain.write_bytes(Vtu().file(Vtu().piece(POINTS, [(7, ring, 0) for ring in HEXAGONS])))
    assert Reading(path).sets == Reading(plain).sets
    compared = json.loads(tess("mesh", "compare", path, plain, "--json").stdout)
    assert compared["same_cells"] and not compared["same_sides"]


@pytest.mark.parametrize("form", ["NFACE", "parents"])
def test_conditions_of_cgns_between_polyhedra(tess, tmp_path, form):
    """The two triangles between the hexes are faces 1 and 2."""
    path = polyhedra_cgns(tmp_path / "mesh.cgns", *SPLIT, form, conditions={"gate": ("PointList", [[2]], "FaceCenter")})
    n_outer = len(faces_of(SPLIT[1])[0]) - 2
    counts, warnings = report(tess, path)
    assert counts == {"a": n_outer // 2, "b": n_outer - n_outer // 2, "gate": 1} and len(warnings) == 1
    tess("mesh", "convert", path, tmp_path / "mesh.vtkhdf")
    assert report(tess, tmp_path / "mesh.vtkhdf")[0] == counts
