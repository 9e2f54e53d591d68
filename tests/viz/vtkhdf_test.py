"""ParaView's own reader opens views and finds in them the plan's values."""

import json
import os
import shutil
import subprocess

import pytest

from conftest import ROOT

# Runs inside pvpython: prints one JSON object that tells what ParaView sees in a view.
LOOK = """
import json, sys
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
view = simple.OpenDataFile(sys.argv[1])
view.UpdatePipeline()
grid = servermanager.Fetch(view)
sizes = vtkCellSizeFilter()
sizes.SetInputData(grid)
sizes.Update()
measured = sizes.GetOutput().GetCellData()
def arrays(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)).tolist()
            for i in range(data.GetNumberOfArrays()) if data.GetArray(i)}
field = grid.GetFieldData()
print(json.dumps({
    "cells": arrays(grid.GetCellData()), "points": arrays(grid.GetPointData()),
    "area": sum(map(abs, vtk_to_numpy(measured.GetArray("Area")))),
    "volume": sum(map(abs, vtk_to_numpy(measured.GetArray("Volume")))),
    "types": sorted({grid.GetCellType(i) for i in range(grid.GetNumberOfCells())}),
    "metric": field.GetArray("cache_lines_per_block_q").GetValue(0),
    "partitioner": field.GetAbstractArray("partitioner").GetValue(0)}))
"""

TRIANGLE, QUAD, TET, HEX = 5, 9, 10, 12


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """The folder of cells.hdf, edges.hdf and faces.hdf, as vtkhdf_test.c writes them by rule."""
    program = ROOT / "build/release/bin/vtkhdf_test"
    if not program.exists():
        pytest.fail(f"{program} is not built")
    folder = tmp_path_factory.mktemp("views")
    subprocess.run([program], env=dict(os.environ, TESS_VIEW_FOLDER=str(folder)), check=True,
                   capture_output=True, timeout=60)
    return folder


def look(path):
    if not shutil.which("pvpython"):
        pytest.skip("ParaView is missing (Debian: apt-get install python3-paraview)")
    done = subprocess.run(["pvpython", "/dev/stdin", path], input=LOOK, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0 and "ERR" not in done.stderr, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("loop, n_elements, types", [
    ("cells", 27, [HEX]), ("edges", 21, [QUAD]), ("faces", 6 * 27 * 4 // 2 - 54, [TET])])
def test_paraview_finds_the_values_of_the_plan(views, loop, n_elements, types):
    seen = look(views / f"{loop}.hdf")
    cells = seen["cells"]
    assert seen["types"] == types
    assert sorted(set(cells["element"])) == list(range(n_elements))
    assert len(cells["element"]) == n_elements * (2 if loop == "faces" else 1)
    assert cells["block"] == [e // 7 for e in cells["element"]]
    assert cells["thread_colour"] == [e % 5 for e in cells["element"]]
    assert cells["block_colour"] == [b % 3 for b in cells["block"]]
    assert cells["block_size"] == [min(7, n_elements - 7 * b) for b in cells["block"]]
    assert len(seen["points"]["explode"][0]) == 3
    assert seen["metric"] == 3.25
    assert seen["partitioner"] == "runs of 7: rückwärts"


def test_cells_fill_the_box_and_kites_leave_the_boundary_open(views):
    assert look(views / "cells.hdf")["volume"] == pytest.approx(1)
    assert 0.7 < look(views / "edges.hdf")["area"] < 1
