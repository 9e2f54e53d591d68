"""tess mesh info: components, loops, numbering, degrees, shapes, what is odd, which applications run; a picture."""

import math
import re

import pytest
from mesh_command_test import DATA, info, su2

TRIANGLE = [(0, 0, 0), (1, 0, 0), (0.5, math.sqrt(3) / 2, 0)]
TET = TRIANGLE + [(0.5, math.sqrt(3) / 6, math.sqrt(2 / 3))]
PYRAMID = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, math.sqrt(0.5))]
PRISM = TRIANGLE + [(x, y, 1) for x, y, _ in TRIANGLE]
CUBE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
# Nodes, SU2's type, the size and the shape of the cell.
CELLS = {
    "equilateral triangle": ([x[:2] for x in TRIANGLE], 5, math.sqrt(3) / 4, 1),
    "half a square": ([(0, 0), (1, 0), (0, 1)], 5, 0.5, math.sqrt(3) / 2),
    "inside out": ([(0, 0), (0, 1), (1, 0)], 5, -0.5, math.sqrt(3) / 2),
    "without extent": ([(0, 0), (1, 0), (2, 0)], 5, 0, 0),
    "rhombus of 30 degrees": ([(0, 0), (1, 0), (1 + math.sqrt(0.75), 0.5), (math.sqrt(0.75), 0.5)], 9, 0.5, 0.5),
    "not convex": ([(0, 0), (2, 0), (0.5, 0.5), (0, 2)], 9, 1, 0),
    "tetrahedron": (TET, 10, math.sqrt(2) / 12, 1),
    "corner of a cube": ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], 10, 1 / 6, 12 * 0.5 ** (2 / 3) / 9),
    "pyramid": (PYRAMID, 14, math.sqrt(2) / 6, 1),
    "prism": (PRISM, 13, math.sqrt(3) / 4, 1),
    "cube": (CUBE, 12, 1, 1),
    "sheared cube": ([(x + z, y, z) for x, y, z in CUBE], 12, 1, math.sqrt(0.5)),
}


@pytest.mark.parametrize("case", CELLS)
def test_sizes_and_shapes_are_those_of_the_formulas(tess, tmp_path, case):
    points, kind, size, shape = CELLS[case]
    path = su2(tmp_path / "mesh.su2", points, [(kind, *range(len(points)))], len(points[0]))
    (cells,) = info(tess, path)["quality"]
    assert cells["least_size"] == cells["largest_size"] == pytest.approx(abs(size))
    assert cells["inside_out"] == (size < 0)
    assert cells["least_shape"] == cells["mean_shape"] == pytest.approx(shape, abs=1e-12)
    assert sum(cells["count"]) == 1 and cells["count"][min(9, int(shape * 10 + 1e-9))] == 1


def test_cells_are_counted_wherever_they_are(tess, tmp_path):
    """Shapes are all alike, so that the first is the worst; the cells of three threads of four have some that are turned."""
    strip = [(i // 2, i % 2) for i in range(42)]
    cells = [(5, i, i + 2, i + 1) if (i % 2 == 0) != (i in (5, 6, 17, 35)) else (5, i, i + 1, i + 2) for i in range(40)]
    (found,) = info(tess, su2(tmp_path / "mesh.su2", strip, cells, 2))["quality"]
    assert found["inside_out"] == 4 and found["worst"] == 0 and found["count"] == [0] * 8 + [40, 0]


def of(report, key, name):
    return next(found for found in report["links"][key] if found["of"] == name)


def test_links_of_a_box_are_those_of_the_formulas(tess):
    nx, ny = 7, 5
    report = info(tess, f"quads:nx={nx}:ny={ny}")
    links = report["links"]
    upright, level = (nx - 1) * ny, nx * (ny - 1)
    assert (links["sides"], links["n_sides"], links["n_boundary"]) == ("edges", upright + level, 2 * (nx + ny))
    assert (links["components"], links["largest_component"], links["boundary_pieces"]) == (1, nx * ny, 1)
    band = of(report, "bandwidth", "cells")
    assert band["now"] == {"mean": pytest.approx((upright + level * nx) / (upright + level)), "most": nx}
    assert band["rcm"]["most"] <= nx
    neighbours = of(report, "degrees", "neighbours of a cell")
    assert neighbours["count"][2:5] == [4, 2 * (nx + ny) - 8, (nx - 2) * (ny - 2)]
    assert (neighbours["sum"], neighbours["least"], neighbours["most"]) == (2 * (upright + level), 2, 4)
    cells = of(report, "degrees", "cells of a node")
    assert cells["count"][1:5] == [4, 2 * (nx + ny) - 4, 0, (nx - 1) * (ny - 1)] and cells["elements"] == (nx + 1) * (ny + 1)
    assert of(report, "degrees", "nodes of a cell")["count"][4] == nx * ny
    assert of(report, "degrees", "edges of a node")["sum"] == 2 * (upright + level + 2 * (nx + ny))
    (shapes,) = report["quality"]
    assert shapes["count"] == [0] * 9 + [nx * ny] and report["odd"] == []


def test_rcm_finds_the_numbering_of_a_strip(tess):
    report = info(tess, "quads:nx=60:ny=1:shuffle=3")
    band = of(report, "bandwidth", "cells")
    assert band["now"]["most"] > 30 and band["rcm"] == {"mean": 1.0, "most": 1}


def test_components_loops_and_surfaces(tess, tmp_path):
    squares = [(x + 3 * z, y) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)]
    quads = [(9, 6 * z + i, 6 * z + i + 1, 6 * z + i + 4, 6 * z + i + 3) for z in (0, 1) for i in (0, 1)]
    links = info(tess, su2(tmp_path / "two.su2", squares, quads[:3]))["links"]
    assert (links["components"], links["largest_component"], links["boundary_pieces"]) == (2, 2, 2)
    assert info(tess, "ogrid:ni=9:nj=4")["links"]["boundary_pieces"] == 2  # around the hole, and outside
    links = info(tess, "hexes:nx=3:ny=4:nz=5")["links"]
    assert (links["sides"], links["components"], links["boundary_pieces"]) == ("faces", 1, 1)
    assert links["n_boundary"] == 2 * (3 * 4 + 4 * 5 + 3 * 5)
    # A prism beside a cube: faces of two shapes, one surface.
    points = CUBE + [(2, 0.5, 0), (2, 0.5, 1)]
    links = info(tess, su2(tmp_path / "mixed.su2", points, [(12, *range(8)), (13, 1, 8, 2, 5, 9, 6)], 3))["links"]
    assert (links["n_sides"], links["n_boundary"], links["boundary_pieces"]) == (1, 9, 1)


def test_a_stated_wake_cut_is_no_boundary(tess):
    """OP2's airfoil joins cells over edges whose nodes differ: one loop around the airfoil, one far away."""
    report = info(tess, "airfoil:i=12:j=9")
    assert (report["links"]["components"], report["links"]["boundary_pieces"]) == (1, 2)
    assert [fault["kind"] for fault in report["odd"]] == ["place-shared"]


def test_applications_that_run(tess, tmp_path):
    """Those that do not say why not, and refuse to run; whether one runs does not depend on who was asked before."""
    points = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    mixed = str(su2(tmp_path / "mixed.su2", points, [(9, 0, 1, 4, 3), (5, 1, 2, 5), (5, 1, 5, 4)]))
    told = {mesh: info(tess, mesh)["applications"] for mesh in ("tris:nx=5:ny=4", "tets:nx=3:ny=3:nz=3", mixed)}
    runs = {mesh: {name for name, answer in answers.items() if answer["runs"]} for mesh, answers in told.items()}
    assert runs == {"tris:nx=5:ny=4": {"airfoil", "volna", "fv"}, "tets:nx=3:ny=3:nz=3": {"miniaero", "fv", "fun3d"},
                    mixed: {"airfoil", "volna", "fv"}}
    for mesh, answers in told.items():
        for name in answers:
            assert (answers[name]["refusal"] is None) == answers[name]["runs"]
            if not answers[name]["runs"]:
                done = tess("run", name, "--mesh", mesh, "--device", "host", "--strategy", "sequential", "--no-lab",
                            code=2 if "D meshes" in answers[name]["refusal"] else 3)
                assert answers[name]["refusal"] in done.stderr
    assert told["tris:nx=5:ny=4"]["bookleaf"]["refusal"] == "bookleaf runs on quads; tris:nx=5:ny=4 has tris (40)"
    assert told[mixed]["bookleaf"]["refusal"] == f"bookleaf runs on quads; {mixed} has tris (2)"


def test_as_a_table(tess):
    """The North Sea's numbers are those of an independent count (shared/meshes/MANIFEST.md)."""
    text = tess("mesh", "info", DATA / "north_sea.msh.xz").stdout
    assert "\n1 component; 15240 edges between cells, 2280 at the boundary in 37 loops\n" in text
    assert re.search(r"cells over edges +2485\.0", text) and re.search(r"tris +3\.98e\+05 +6\.33e\+08 +0 ", text)
    assert "airfoil      yes " in text and "bookleaf runs on quads; " in text
    assert "\n1 component; 1 edge between cells, 6 at the boundary in 1 loop\n" in tess("mesh", "info", "quads:nx=2:ny=1").stdout
    brief = tess("mesh", "info", DATA / "north_sea.msh.xz", "--brief").stdout
    assert "nodes" in brief and "component" not in brief and "airfoil" not in brief
    assert "links" not in info(tess, DATA / "north_sea.msh.xz", "--brief")


def test_an_extent_far_from_zero_is_told_by_as_many_digits_as_it_takes(tess, tmp_path):
    far = su2(tmp_path / "far.su2", [(1e12, 0), (1e12 + 1, 0), (1e12, 1 / 3)], [(5, 0, 1, 2)])
    assert ": 2D, x from 1000000000000 to 1000000000001, y from 0 to 0.333333\n" in tess("mesh", "info", far, "--brief").stdout
    line = su2(tmp_path / "line.su2", [(1e12, 0), (1e12, 0), (1e12, 1)], [(5, 0, 1, 2)])
    assert ": 2D, x from 1e+12 to 1e+12, y from 0 to 1\n" in tess("mesh", "info", line, "--brief").stdout


def test_a_picture_is_refused_before_anything_is_read(tess, tmp_path):
    assert ".png" in tess("mesh", "info", "no/such.su2", "--png", "mesh.jpg", code=2).stderr
    assert "cannot be written" in tess("mesh", "info", "no/such.su2", "--png", tmp_path / "none/mesh.png", code=1).stderr
