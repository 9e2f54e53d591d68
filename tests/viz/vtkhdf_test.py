"""ParaView's own reader opens views and finds in them the plan's values; so does that of VTK's wheels, by hand:

    python3 -m venv vtk && vtk/bin/pip install vtk==9.7.* numpy
    TESS_VTK=vtk/bin/python python3 -m pytest tests/viz/vtkhdf_test.py
    PYTHONPATH=tests vtk/bin/python -m pytest tests/viz/silhouette_test.py    # and what draws lines: pip install pytest h5py"""

import json
import os
import shutil
import subprocess

import pytest

from conftest import ROOT, limited

PYTHON = os.environ.get("TESS_VTK") or "pvpython"

# Runs inside pvpython, or a Python with VTK: prints a line of JSON for each view that tells what ParaView sees in it.
LOOK = """
import json, sys
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
try:
    from paraview import servermanager, simple
except ImportError:
    from vtkmodules.vtkIOHDF import vtkHDFReader
def read(path):
    if "simple" in globals():
        view = simple.OpenDataFile(path)
        view.UpdatePipeline()
        return servermanager.Fetch(view)
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()
def arrays(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)).tolist()
            for i in range(data.GetNumberOfArrays()) if data.GetArray(i)}
for path in sys.argv[1:]:
    grid = read(path)
    sizes = vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    measured = sizes.GetOutput().GetCellData()
    field = grid.GetFieldData()
    print(json.dumps({
        "cells": arrays(grid.GetCellData()), "points": arrays(grid.GetPointData()),
        "area": sum(map(abs, vtk_to_numpy(measured.GetArray("Area")))),
        "volume": sum(map(abs, vtk_to_numpy(measured.GetArray("Volume")))),
        "types": sorted({grid.GetCellType(i) for i in range(grid.GetNumberOfCells())}),
        "metric": field.GetArray("sectors_per_block_q").GetValue(0),
        "partitioner": field.GetAbstractArray("partitioner").GetValue(0)}))
"""

TRIANGLE, QUAD, TET, HEX = 5, 9, 10, 12


LOOPS = ["cells", "edges", "faces"]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What ParaView sees in cells.hdf, edges.hdf and faces.hdf, as vtkhdf_test.c writes them by
    rule."""
    if not shutil.which(PYTHON):
        pytest.skip("ParaView is missing (Debian: apt-get install python3-paraview)")
    program = ROOT / "build/release/tests/vtkhdf_test"
    if not program.exists():
        pytest.fail(f"{program} is not built")
    folder = tmp_path_factory.mktemp("views")
    subprocess.run([program], env=dict(os.environ, TESS_VIEW_FOLDER=str(folder)), check=True,
                   capture_output=True, **limited(60))
    done = subprocess.run([PYTHON, "/dev/stdin", *(folder / f"{loop}.hdf" for loop in LOOPS)],
                          input=LOOK, capture_output=True, text=True, **limited(120))
    assert done.returncode == 0 and "ERR" not in done.stderr, done.stderr
    return dict(zip(LOOPS, map(json.loads, done.stdout.splitlines())))


@pytest.mark.parametrize("loop, n_elements, types", [
    ("cells", 27, [HEX]), ("edges", 21, [QUAD]), ("faces", 6 * 27 * 4 // 2 - 54, [TET])])
def test_paraview_finds_the_values_of_the_plan(seen, loop, n_elements, types):
    view = seen[loop]
    cells = view["cells"]
    assert view["types"] == types
    assert sorted(set(cells["element"])) == list(range(n_elements))
    assert len(cells["element"]) == n_elements * (2 if loop == "faces" else 1)
    assert cells["block"] == [e // 7 for e in cells["element"]]
    assert cells["thread_colour"] == [e % 5 for e in cells["element"]]
    assert cells["block_colour"] == [b % 3 for b in cells["block"]]
    assert cells["block_elements"] == [min(7, n_elements - 7 * b) for b in cells["block"]]
    assert len(view["points"]["explode"][0]) == 3
    assert view["metric"] == 3.25
    assert view["partitioner"] == "runs of 7: rückwärts"


def test_cells_fill_the_box_and_kites_leave_the_boundary_open(seen):
    assert seen["cells"]["volume"] == pytest.approx(1)
    assert 0.7 < seen["edges"]["area"] < 1
