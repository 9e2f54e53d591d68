"""Polygons and polyhedra after they are read: counted, compared, converted, and read by VTK; what cannot hold them refuses."""

import json
import os
import subprocess

import h5py
import numpy as np
import pytest
import tet_duals
from conftest import ROOT, limited
from polyhedra_files import split_hexes
from vtk_files import Vtu, stream_of, vtk_cells

FAULTS = ROOT / "tests/data/faults"
SNAPPY, POLYGONS = FAULTS / "snappy", FAULTS / "polygons.vtu"
VTK = os.environ.get("TESS_VTK") or "pvpython"  # tests/viz/vtkhdf_test.py says how to get a newer one

# What VTK's own reader has of a file: volumes and areas, markers, types.
LOOK = """
import json, sys
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
READERS = {"vtu": vtkXMLUnstructuredGridReader, "vtk": vtkUnstructuredGridReader}
for path in sys.argv[1:]:
    reader = READERS.get(path[-3:], vtkHDFReader)()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutputDataObject(0)
    sizes = vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    measured = sizes.GetOutput().GetCellData()
    faces = [grid.GetCell(i).GetNumberOfFaces() for i in range(min(grid.GetNumberOfCells(), 2000)) if grid.GetCellType(i) == 42]
    print(json.dumps({"points": grid.GetNumberOfPoints(), "cells": grid.GetNumberOfCells(),
        "types": {int(t): int(n) for t, n in zip(*__import__("numpy").unique(vtk_to_numpy(grid.GetCellTypesArray()), return_counts=True))},
        "marker": vtk_to_numpy(grid.GetCellData().GetArray("marker")).tolist(), "faces": faces,
        "area": vtk_to_numpy(measured.GetArray("Area")).tolist(), "volume": vtk_to_numpy(measured.GetArray("Volume")).tolist()}))
"""


def looked_at(*paths):
    done = subprocess.run([VTK, "-c", LOOK, *paths] if VTK != "pvpython" else ["pvpython", script(paths[0].parent), *paths],
                          capture_output=True, text=True, **limited(300))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def script(folder):
    (folder / "look.py").write_text(LOOK)
    return folder / "look.py"


@pytest.fixture(scope="module")
def duals(tmp_path_factory):
    """343 polyhedra that fill the unit cube, in random numbers, too."""
    return tet_duals.poly_mesh(tmp_path_factory.mktemp("duals"), 6)


@pytest.fixture(scope="module")
def square(tmp_path_factory):
    """100 polygons that fill the unit square."""
    return tet_duals.square(tmp_path_factory.mktemp("square") / "square.vtu", 9)


def info(tess, mesh):
    return json.loads(tess("mesh", "info", "--json", mesh).stdout)


def test_patches_are_counted(tess, square):
    markers = {one["name"]: one["elements"] for one in info(tess, SNAPPY)["markers"]}
    assert markers == {"inlet": 1, "outlet": 4, "walls": 12}
    assert [one["elements"] for one in info(tess, square)["markers"]] == [18, 18, 18, 18]


def compared(tess, *meshes, code=0):
    done = tess("mesh", "compare", "--json", *meshes, code=code)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["snappy", "duals", "square", "polygons"])
def test_a_mesh_is_itself_in_any_numbering_and_file(tess, tmp_path, duals, square, name):
    mesh = {"snappy": SNAPPY, "duals": duals, "square": square, "polygons": POLYGONS}[name]
    files = [mesh, f"{mesh}:shuffle=3", f"{mesh}:shuffle=4:order=canonical"]
    for ending in ("vtu", "vtkhdf", "vtk"):
        tess("mesh", "convert", f"{mesh}:shuffle=5", tmp_path / f"{name}.{ending}")
        files.append(tmp_path / f"{name}.{ending}")
    said = compared(tess, *files)
    assert said["same_cells"] and said["same_sides"]
    assert {(one["nodes"], one["cells"], one["marked_sides"]) for one in said["meshes"]} == {
        {"snappy": (22, 5, 17), "duals": (2594, 343, 1296), "square": (234, 100, 72), "polygons": (9, 4, 0)}[name]}


def test_what_differs_is_found(tess, tmp_path, duals):
    for name, change in (("moved", lambda cells, x: x), ("marked", lambda cells, x: x)):
        tess("mesh", "convert", duals, tmp_path / f"{name}.vtkhdf")
    with h5py.File(tmp_path / "moved.vtkhdf", "r+") as file:
        file["VTKHDF/Points"][7, 0] = np.nextafter(file["VTKHDF/Points"][7, 0], 2)
    with h5py.File(tmp_path / "marked.vtkhdf", "r+") as file:
        file["VTKHDF/CellData/marker"][-1] = 1
    assert not compared(tess, duals, tmp_path / "moved.vtkhdf", code=1)["same_cells"]
    said = compared(tess, duals, tmp_path / "marked.vtkhdf")
    assert said["same_cells"] and not said["same_sides"]


def test_vtk_reads_what_is_written(tess, tmp_path, duals, square):
    """VTKHDF 2.5 by VTK from 9.4 on: by ParaView 5.11 only polygons."""
    for mesh, name in ((duals, "duals.vtu"), (SNAPPY, "snappy.vtu"), (square, "square.vtu"), (square, "square.vtkhdf"),
                       (duals, "duals.vtk"), (SNAPPY, "snappy.vtk"), (duals, "duals.vtkhdf"), (SNAPPY, "snappy.vtkhdf")):
        tess("mesh", "convert", mesh, tmp_path / name)
    names = ["duals.vtu", "snappy.vtu", "square.vtu", "duals.vtk", "snappy.vtk", "square.vtkhdf"] + (["duals.vtkhdf", "snappy.vtkhdf"] if VTK != "pvpython" else [])
    for name in names if VTK == "pvpython" else ():
        if name.endswith("hdf"):  # the name that ParaView 5.11 wants
            (tmp_path / name).rename(tmp_path / name.replace(".vtkhdf", ".hdf"))
    paths = [tmp_path / (name.replace(".vtkhdf", ".hdf") if VTK == "pvpython" else name) for name in names]
    for name, seen in zip(names, looked_at(*paths), strict=True):
        cells = np.array(seen["marker"]) == 0
        if name.startswith("square"):
            assert (seen["points"], cells.sum(), seen["types"]["3"]) == (234, 100, 72) and "7" in seen["types"]
            assert np.isclose(sum(seen["area"]), 1)
        elif name.startswith("duals"):
            assert (seen["points"], cells.sum(), seen["types"]) == (2594, 343, {"9": 1296, "42": 343})
            assert np.isclose(np.array(seen["volume"])[cells].sum(), 1, rtol=0.03) and min(seen["faces"]) >= 8  # faces are bent: VTK cuts them anew in each cell
            assert np.isclose(np.array(seen["area"])[~cells].sum(), 6)
        else:
            assert (seen["points"], cells.sum(), seen["types"]) == (22, 5, {"7": 4, "9": 13, "42": 5})
            assert sorted(seen["faces"]) == [6, 6, 6, 6, 9] and (np.array(seen["volume"])[cells] > 0).all()


@pytest.mark.parametrize("name", ["x.msh", "x.su2", "x.meshb", "x.lb8.ugrid", "x.dat"])
def test_formats_without_polyhedra_refuse(tess, tmp_path, square, name):
    done = tess("mesh", "convert", SNAPPY, tmp_path / name, code=3)
    assert "1 of its 5 cells are polyhedra, the first is number 0" in done.stderr and ".vtkhdf" in done.stderr
    done = tess("mesh", "convert", square, tmp_path / name, code=3)
    assert "98 of its 100 cells are polygons, the first is number 0" in done.stderr
    assert not list(tmp_path.iterdir())


def test_names_of_markers_are_kept_or_told(tess, tmp_path):
    assert "1 is 'inlet', 2 is 'outlet', 3 is 'walls'" in tess("mesh", "convert", SNAPPY, tmp_path / "x.vtu").stderr
    tess("mesh", "convert", SNAPPY, tmp_path / "x.vtkhdf")
    assert [(one["name"], one["elements"]) for one in info(tess, tmp_path / "x.vtkhdf")["markers"]] == [("inlet", 1), ("outlet", 4), ("walls", 12)]


def test_edges_of_polygons_are_not_lost(tess, tmp_path, square):
    words = tess("mesh", "convert", square, tmp_path / "x.vtkhdf").stderr
    assert words.count("left out: 'Points'") == 1 and words.count("tess: warning") == 2, "VTK's own data on points, what reading said, and no more"


def test_cells_are_written_as_polyhedra_of_vtkhdf_2_5(tess, tmp_path):
    tess("mesh", "convert", SNAPPY, tmp_path / "x.vtkhdf")
    with h5py.File(tmp_path / "x.vtkhdf") as file:
        grid = file["VTKHDF"]
        assert grid.attrs["Version"].tolist() == [2, 5] and grid["Types"][:5].tolist() == [42] * 5
        starts = grid["PolyhedronOffsets"][:]
        assert np.diff(starts)[:5].tolist() == [9, 6, 6, 6, 6] and set(np.diff(starts)[5:]) == {0}
        ends = grid["FaceOffsets"][:]
        rings = [grid["FaceConnectivity"][a:b].tolist() for a, b in zip(ends, ends[1:])]
        for cell in range(5):  # closed, and turned the same way: each edge once in each direction
            edges = sorted((a, b) for ring in rings[starts[cell]:starts[cell + 1]] for a, b in zip(ring, ring[1:] + ring[:1]))
            assert edges == sorted((b, a) for a, b in edges) and len(set(edges)) == len(edges)


def checked(tess, mesh, code=0):
    return {fault["kind"]: (fault["count"], fault.get("shown", fault.get("first"))) for fault in json.loads(tess("mesh", "check", mesh, "--json", code=code).stdout)["faults"]}


def test_a_polyhedron_with_a_gap_is_a_fault(tess, tmp_path):
    """And a node that no side has; whole ones say nothing."""
    for mesh in (SNAPPY, POLYGONS, tet_duals.poly_mesh(tmp_path / "box", 3)):
        assert not {"cell-open", "node-unused"} & checked(tess, mesh).keys()
    points, (left, right) = split_hexes()
    whole = [left, right]
    for name, cells, nodes in (("whole.vtu", whole, points), ("gap.vtu", [left[1:], right], [*points, (9, 9, 9)])):
        (tmp_path / name).write_bytes(Vtu().file(Vtu().piece(nodes, vtk_cells(cells), faces=stream_of(cells))))
    assert not checked(tess, tmp_path / "whole.vtu")
    found = checked(tess, tmp_path / "gap.vtu", code=1)
    assert {kind: n for kind, (n, _) in found.items()} == {"cell-open": 1, "node-unused": 1}
