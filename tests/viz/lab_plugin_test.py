"""ParaView's plug-in opens a lab by any of its run files: choices of run and colouring, exploded, one block, its blocks as points."""

import json
import os
import shutil
import subprocess

import h5py
import numpy
import pytest
from conftest import ROOT, limited

# Runs inside pvpython, in the lab's folder: prints what the reader shows, a line of JSON a step.
LOOK = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import tesselab_paraview
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy
tesselab_paraview.prepare()
tesselab_paraview.prepare()  # twice is once
def told(reader, **more):
    reader.UpdatePipeline()
    grid = servermanager.Fetch(reader)
    cells = grid.GetCellData()
    print(json.dumps(dict(more, bounds=reader.GetDataInformation().GetBounds(), scalars=cells.GetScalars().GetName(),
        cells={cells.GetArrayName(i): vtk_to_numpy(cells.GetArray(i)).tolist() for i in range(cells.GetNumberOfArrays())})))
reader = simple.OpenDataFile(sys.argv[2])
runs = list(reader.GetProperty("Run").GetAvailable())
told(reader, runs=runs, chosen=reader.GetProperty("Run").GetElement(0), kind=reader.GetXMLName(),
     view=simple.OpenDataFile(sys.argv[3]).GetXMLName())
reader.Explode = 0.5
told(reader)
reader.Block = 2
reader.Colouring = "warp"
told(reader)
reader.Halo, reader.Explode, reader.Run = 0, 0, runs[1]
told(reader)
points = servermanager.Fetch(reader, idx=1)
print(json.dumps(vtk_to_numpy(points.GetCellData().GetArray("block_elements")).tolist()))
reader.Block = 9999
reader.UpdatePipeline()
"""


def values(path):
    with h5py.File(path) as file:
        cells = {name: array[:] for name, array in file["VTKHDF/CellData"].items()}
        corners, offsets = file["VTKHDF/Connectivity"][:], file["VTKHDF/Offsets"][:]
        points, explode = file["VTKHDF/Points"][:], file["VTKHDF/PointData/explode"][:]
    return cells, [{tuple(points[i]) for i in corners[a:b]} for a, b in zip(offsets, offsets[1:])], points + 0.5 * explode


def test_a_lab_is_opened_with_choices(tess, tess_bin, tmp_path):
    if not shutil.which("pvpython"):
        pytest.skip("pvpython is missing (Debian: apt-get install python3-paraview)")
    lab = tmp_path / "lab"
    tess("partition", "irregular:nx=12:ny=12", "--map", "edges:cells", "-p", "rcb,hilbert", "-b", "32", "--lab", lab)
    files = sorted((lab / "runs").iterdir())  # rcb's, then hilbert's
    seen = [json.loads(tess("view", file.stem, "--lab", lab, "--json").stdout)["views"][0] for file in files]
    shutil.rmtree(lab / "views")
    os.mkdir(lab / "views")  # it is the reader that asks for them
    first = json.loads(tess("view", files[0].stem, "--lab", lab, "--json").stdout)["views"][0]
    done = subprocess.run(["pvpython", "/dev/stdin", ROOT / "viz/scripts", files[0], first], input=LOOK, capture_output=True, text=True,
                          env=dict(os.environ, TESS_PROGRAM=str(tess_bin), HOME=str(tmp_path), XDG_CONFIG_HOME=""), **limited(120))
    assert done.returncode == 0, done.stderr
    whole, exploded, block, other, sizes = map(json.loads, done.stdout.splitlines())
    assert whole["kind"] == "TesselabLab" and whole["view"] == "HDFReader"  # views are opened as before
    assert whole["runs"] == [f"{name} 32 irregular:nx=12:ny=12 edges:cells ({file.stem})" for name, file in
                             (("rcb", files[0]), ("hilbert", files[1]))] and whole["chosen"] == whole["runs"][0]
    cells, corners, moved = values(seen[0])
    assert {name: array.tolist() for name, array in cells.items()} == whole["cells"]
    assert whole["scalars"] == "display_colour"
    assert exploded["bounds"][:4] == pytest.approx([moved[:, 0].min(), moved[:, 0].max(), moved[:, 1].min(), moved[:, 1].max()])
    own = set().union(*(corners[i] for i in numpy.flatnonzero(cells["block"] == 2)))
    near = [i for i, mine in enumerate(corners) if mine & own]
    assert block["cells"]["element"] == cells["element"][near].tolist() and block["scalars"] == "warp"
    assert block["cells"]["role"] == [2 if cells["block"][i] == 2 else 1 for i in near]
    cells, _, _ = values(seen[1])
    assert other["cells"]["element"] == cells["element"][cells["block"] == 2].tolist()
    assert sizes == numpy.bincount(cells["block"]).tolist()
    assert f"there is no block 9999: the last is {cells['block'].max()}" in done.stderr


# A rubber band in each of two views, and an empty one: prints what is then selected in both, element and bounds.
SELECT = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import tesselab_paraview
from paraview import selection, servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy
sources = [simple.OpenDataFile(path) for path in sys.argv[2:]]
tesselab_paraview.side_by_side()
tesselab_paraview.side_by_side()  # a link more takes the place of the first
windows = simple.GetViewsInLayout(simple.GetLayoutByName("side by side"))[-2:]
for window in windows:
    simple.Render(window)
def told():
    for source in sources:
        chosen = source.SMProxy.GetSelectionInput(0)
        grid = None
        if chosen:
            grid = servermanager.Fetch(simple.ExtractSelection(
                Input=source, Selection=servermanager.OutputPort(servermanager._getPyProxy(chosen), 0)))
        cells = grid.GetCellData().GetArray("element") if grid else None
        print(json.dumps([sorted(vtk_to_numpy(cells).tolist()), grid.GetBounds()] if cells else None))
for window, rectangle in zip(windows, ([300, 250, 420, 400], [500, 300, 560, 330])):
    selection.SelectSurfaceCells(Rectangle=rectangle, View=window)
    told()
simple.ClearSelection(sources[0])
told()
simple.QuerySelect("(element >= 40) & (element <= 44)", "CELL", sources[1])
told()
"""


def test_a_rubber_band_selects_the_same_elements_in_both_views(tess, display, tmp_path):
    """Their cells have other places: what is selected lies at one place of the mesh all the same."""
    lab = tmp_path / "lab"
    tess("partition", "quads:nx=24:ny=24", "--map", "edges:cells", "-p", "rcb,hilbert", "-b", "32", "--lab", lab)
    paths = json.loads(tess("view", "@last~1", "@last", "--lab", lab, "--json").stdout)["views"]
    done = subprocess.run(["pvpython", "/dev/stdin", ROOT / "viz/scripts", *paths], input=SELECT, capture_output=True,
                          text=True, env={**os.environ, "DISPLAY": display}, **limited())
    assert done.returncode == 0, done.stderr
    shown = [json.loads(line) for line in done.stdout.splitlines() if line[0] in "[n"]
    assert len(shown) == 8
    (left, left_too), (right, right_too), (*cleared,), (asked, asked_too) = zip(shown[::2], shown[1::2])
    places = [values(path)[0]["element"] for path in paths]
    for (elements, bounds), other in ((left, left_too), (right, right_too)):
        assert 4 < len(elements) < len(places[0]) / 2 and other[0] == elements
        assert numpy.allclose(bounds, other[1])
        assert any(a != b for a, b in zip(*(numpy.argsort(place)[elements] for place in places))), "by other places"
    assert left != right and cleared == [None, None]
    assert asked[0] == asked_too[0] == [40, 41, 42, 43, 44]
