"""VTK's legacy files: the same mesh as from VTU in all their forms, as VTK writes them, defects refused."""

import json
import pathlib
import subprocess
import sys

import pytest
from polyhedra_files import split_hexes
from mesh_files import Reading, assert_content_refused, changed, read
from vtk_files import MIXED_CELLS, Legacy, Vtu, stream_of, vtk_cells

WAYS = [Legacy(binary, version) for binary in (False, True) for version in ("4.2", "5.1")]
NAMES = [f"{'binary' if way.binary else 'text'} {way.version}" for way in WAYS]
SQUARES = [(x, y, 0) for y in (0, 1) for x in range(4)]


def streams(cells):
    """Polyhedra by the stream of their faces, of which the first number is left out in stream_of()."""
    numbers = [stream_of([cell])["faces"] if isinstance(cell, list) else cell for cell in cells]
    return [(vtk, stream, marker) for (vtk, _, marker), stream in zip(vtk_cells(cells), numbers)]


def same_mesh(folder, legacy, vtu):
    """Reads both; what the first says."""
    _, reading = read(folder, "mesh.vtk", legacy)
    _, expected = read(folder, "mesh.vtu", vtu)
    assert reading.assert_accepted().digest == expected.assert_accepted().digest
    assert (reading.sets, reading.markers, reading.warnings) == (expected.sets, expected.markers, expected.warnings)
    return reading


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_grids_are_those_of_vtu(tmp_path, way):
    mixed = same_mesh(tmp_path, way.grid(), Vtu().file())
    assert mixed.sets["cells"] == 4 and mixed.markers == ["marker 1", "marker 2"] and not mixed.warnings
    points, cells = split_hexes()
    points, cells = [*points, (0, 0, -1)], [*cells, (0, 1, 4, len(points))]
    polyhedra = Vtu().file(Vtu().piece(points, vtk_cells(cells), faces=stream_of(cells)))
    assert same_mesh(tmp_path, way.grid(points, streams(cells)), polyhedra).sets["cells"] == 3
    quads = [(9, (i, i + 1, i + 5, i + 4), 0) for i in range(3)]
    ghosts = same_mesh(tmp_path, way.grid(SQUARES, quads, ghosts=[0, 1, 0]), Vtu().file(Vtu().piece(SQUARES, quads, ghosts=[0, 1, 0])))
    assert ghosts.sets["cells"] == 2


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_polygons_and_strips(tmp_path, way):
    """Cell data count points before lines before polygons before strips; a line is its sides."""
    lines = [((0, 1), 5), ((1, 2), 6), ((2, 3), 6), ((0, 1, 2), 9)]
    rows = {"VERTICES": [((4,), 7), ((5,), 7)], "LINES": lines, "POLYGONS": [((0, 1, 5, 4), 0)], "TRIANGLE_STRIPS": [((1, 5, 2, 6, 3, 7), 0)]}
    cells = [(1, (4,), 7), (1, (5,), 7)] + [(3, nodes, marker) for nodes, marker in [*lines[:3], ((0, 1), 9), ((1, 2), 9)]]
    cells += [(9, (0, 1, 5, 4), 0)] + [(5, nodes, 0) for nodes in ((1, 5, 2), (5, 6, 2), (2, 6, 3), (6, 7, 3))]
    reading = same_mesh(tmp_path, way.polydata(SQUARES, **rows), Vtu().file(Vtu().piece(SQUARES, cells)))
    assert reading.sets["cells"] == 5 and reading.markers == ["marker 5", "marker 6", "marker 9"]
    strip = [(9, (0, 1, 5, 4), 0), (6, (1, 5, 2, 6, 3, 7), 0)]
    same_mesh(tmp_path, way.grid(SQUARES, strip), Vtu().file(Vtu().piece(SQUARES, strip)))


def by_vtk(*words):
    """What the script of VTK prints."""
    done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("write_by_vtk.py"), *words], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(f"VTK is not here: {done.stdout.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def of_vtk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vtk")
    by_vtk("write", folder)
    return folder


FORMS = ["42 text", "42 binary", "51 text", "51 binary"]


@pytest.mark.parametrize("form", FORMS)
def test_grids_that_vtk_writes(of_vtk, form):
    """What VTK writes as .vtk is what it writes as .vtu, a polyhedron and texts among the data, too."""
    expected, reading = (Reading(of_vtk / name).assert_accepted() for name in ("mesh.vtu", f"grid {form}.vtk"))
    assert (reading.digest, reading.sets, reading.markers) == (expected.digest, expected.sets, expected.markers)
    assert reading.warnings == expected.warnings and reading.markers == ["marker 1", "marker 2"] and reading.sets["cells"] == 4
    named = Reading(of_vtk / f"named {form}.vtk").assert_accepted()
    assert (named.digest, named.markers, named.warnings) == (expected.digest, expected.markers, expected.warnings)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name, n", [("plane", 12), ("triangles", 24), ("strips", 24)])
def test_polygons_that_vtk_writes(of_vtk, form, name, n):
    """A plane as quadrilaterals, as triangles, and as triangles in strips."""
    reading = Reading(of_vtk / f"{name} {form}.vtk").assert_accepted()
    assert reading.sets == {"nodes": 20, "cells": n} and "dimension 2\n" in reading.stdout


def test_markers_that_are_no_whole_numbers_are_told_of(tmp_path):
    content = changed(Legacy().grid(), b"marker 1 6 int", b"marker 1 6 float")
    assert "the cell data 'marker' are not one whole number" in read(tmp_path, "mesh.vtk", content)[1].assert_accepted().warnings[0]


def test_cell_data_that_mark_what_others_have_marked_are_told_of(tmp_path):
    content = changed(TEXT, b"SCALARS quality", b"SCALARS CellEntityIds int 1\nLOOKUP_TABLE default\n1 2 3 4 5 6\nSCALARS quality")
    reading = read(tmp_path, "mesh.vtk", content)[1].assert_accepted()
    assert reading.warnings == ["the cell data 'marker' mark cells as others before them do: they were left out, and mark nothing"]


def test_data_of_an_unknown_type_are_named(tmp_path):
    """Their end is not known, so the markers behind them are not found."""
    _, reading = read(tmp_path, "mesh.vtk", changed(TEXT, b"SCALARS quality float 1", b"SCALARS quality variant 1"))
    assert reading.assert_accepted().markers == ["marker 0"]
    assert reading.warnings == ["the data 'quality' are of an unknown type: data behind them were not searched for markers"]


def test_vtk_reads_what_the_tests_write(tmp_path):
    """The files above are ones of VTK's format."""
    for way in WAYS:
        (tmp_path / "mesh.vtk").write_bytes(way.grid())
        assert json.loads(by_vtk("read", tmp_path / "mesh.vtk")) == [[vtk, list(nodes), marker] for vtk, nodes, marker in MIXED_CELLS]


TEXT, SPLIT, BINARY, SPLIT_BINARY = (way.grid() for way in WAYS)


def cells(*rows):
    return Legacy().grid(cells=[(*row, 0) for row in rows])


REFUSED = {
    "no form": (changed(TEXT, b"ASCII", b"TEXT"), "line 3: 'TEXT' stands where ASCII or BINARY"),
    "of images": (changed(TEXT, b"UNSTRUCTURED_GRID", b"STRUCTURED_POINTS"), "line 4: a DATASET of STRUCTURED_POINTS"),
    "of two kinds": (changed(TEXT, b"POINTS 12", b"DATASET POLYDATA\nPOINTS 12"), "line 5: a DATASET of POLYDATA behind another"),
    "no points": (TEXT[: TEXT.index(b"POINTS")], "no POINTS"),
    "no cells": (TEXT[: TEXT.index(b"CELLS")], "no cells"),
    "no types": (TEXT[: TEXT.index(b"CELL_TYPES")], "there are 0 CELL_TYPES for 6 cells"),
    "only lines": (cells((3, (0, 1))), "no cells"),
    "points twice": (changed(TEXT, b"CELLS", b"POINTS 0 double\nCELLS"), "second section POINTS"),
    "cells twice": (changed(TEXT, b"CELL_TYPES", b"CELLS 0 0\nCELL_TYPES"), "CELLS behind another"),
    "polygons of a grid": (changed(TEXT, b"CELLS", b"POLYGONS"), "POLYGONS, which this type of DATASET does not have"),
    "truncated in points": (TEXT[:160], "numbers of the points|the file ends"),
    "truncated in cells": (TEXT[: TEXT.index(b"CELL_TYPES") - 9], "the file ends|only"),
    "truncated in binary points": (BINARY[:160], r"offset \d+: 36 points"),
    "truncated in binary cells": (BINARY[: BINARY.index(b"CELL_TYPES") - 9], "cells of 4 bytes"),
    "truncated in binary data": (BINARY[:-200], "data of|of the data|bytes follow|stands where|missing"),
    "too many points": (changed(TEXT, b"POINTS 12", b"POINTS 13"), "line 7: 'CELLS' stands where number 37 of 39 of the points"),
    "too few points": (changed(TEXT, b"POINTS 12", b"POINTS 11"), r"line 6: '2\.0' stands where a keyword should"),
    "huge number of points": (changed(TEXT, b"POINTS 12", b"POINTS 2000000000"), "6000000000 numbers of the points are announced"),
    "huge number of points, binary": (changed(BINARY, b"POINTS 12", b"POINTS 2000000000"), "6000000000 points of 8 bytes"),
    "points over 32 bits": (changed(TEXT, b"POINTS 12", b"POINTS 4294967297"), "not in 0"),
    "negative": (changed(TEXT, b"POINTS 12", b"POINTS -1"), "-1 is not in 0"),
    "unknown type of numbers": (changed(TEXT, b"12 double", b"12 quadruple"), "unknown type 'quadruple'"),
    "more cells than rows": (changed(TEXT, b"CELLS 6 36", b"CELLS 7 36"), "CELL_DATA are of 6 cells; there are 7"),
    "more cells and types than rows": (changed(changed(TEXT, b"CELLS 6 36", b"CELLS 7 36"), b"CELL_TYPES 6\n", b"CELL_TYPES 7\n5 "), "end before those that are announced|CELL_DATA"),
    "size too large": (changed(TEXT, b"CELLS 6 36", b"CELLS 6 40"), "'CELL_TYPES' stands where"),
    "size too small": (changed(TEXT, b"CELLS 6 36", b"CELLS 6 35"), "'7' stands where a keyword should"),
    "huge size": (changed(TEXT, b"CELLS 6 36", b"CELLS 6 400000000000"), "400000000000 numbers of the cells"),
    "huge size, binary": (changed(BINARY, b"CELLS 6 36", b"CELLS 6 400000000000"), "400000000000 cells of 4 bytes"),
    "more cells than numbers": (changed(TEXT, b"CELLS 6 36", b"CELLS 37 36"), "37 cells of 36 numbers"),
    "row longer than the rest": (changed(TEXT, b"\n3 1 2 8", b"\n99 1 2 8"), "a cell of the cells has 99 nodes|has 99 nodes"),
    "negative row": (changed(TEXT, b"\n3 1 2 8", b"\n-3 1 2 8"), "-3 nodes"),
    "node 12": (cells((10, (0, 1, 2, 12))), r"cell 0 has the node 12, which is not in 0\.\.11"),
    "node -1": (cells((10, (0, 1, 2, -1))), "the node -1"),
    "unknown cell": (cells((99, (0, 1, 2, 3))), "unknown VTK type 99"),
    "too few nodes": (cells((12, (0, 1, 2, 3))), "of VTK's type 12 has 4 nodes"),
    "strip of two": (cells((6, (0, 1))), "cell 0 is a strip of 2 nodes"),
    "strip of node 12": (cells((6, (0, 1, 2, 12))), "the node 12"),
    "polyhedron without faces": (cells((42, (0,))), "polyhedron 0 has 0 faces"),
    "polyhedron that ends early": (cells((42, (4, 3, 0, 1))), "the faces of polyhedron 0 end"),
    "first offset": (changed(SPLIT, b"\n0 3 7", b"\n1 3 7"), "the first offset is 1"),
    "offsets descend": (changed(SPLIT, b"\n0 3 7 11", b"\n0 3 2 11"), "the nodes of cell 1 end at 2"),
    "offset past the nodes": (changed(SPLIT, b" 22 30\n", b" 22 31\n"), "the file ends where the connectivity should be"),
    "no connectivity": (changed(SPLIT, b"CONNECTIVITY", b"CONNECT"), "'CONNECT' stands where CONNECTIVITY"),
    "offsets of reals": (changed(SPLIT, b"OFFSETS vtktypeint64", b"OFFSETS double"), "holds reals"),
    "data of other cells": (changed(TEXT, b"CELL_DATA 6", b"CELL_DATA 5"), "stands where|left over"),
    "word among numbers": (changed(TEXT, b"\n3 1 2 8", b"\n3 1 ! 8"), "'!' is not a whole number"),
    "nan": (changed(TEXT, b"0.5", b"nan"), "'nan' is not a finite"),
    "unknown keyword": (changed(TEXT, b"POINT_DATA", b"NODE_DATA"), "'NODE_DATA' stands where a keyword should"),
    "a field that ends": (TEXT + b"FIELD f 3\n", "the file ends before 3 arrays"),
    "texts without end": (TEXT + b"FIELD f 1\nnames 1 2147483647 string\na\nb\n", "the file ends after 2 of 2147483647 texts"),
    "texts without end, binary": (BINARY + b"FIELD f 1\nnames 1 9 string\n\xc1a\x00\x00\x00\x00\x7f\xff\xff\xff", "texts? of 1 bytes are announced"),
    "huge data": (changed(BINARY, b"SCALARS quality float 1", b"SCALARS quality float 2147483647"), "data of 4 bytes"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path, case):
    assert_content_refused(tmp_path, "mesh.vtk", *REFUSED[case])
