"""Polygons and polyhedra are cut, run, drawn by ParaView and reported as any other cells; a run that cannot be drawn
costs its picture, not the page."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
from PIL import Image
from conftest import ROOT, limited
import tet_duals

SNAPPY = ROOT / "tests/data/faults/snappy"


@pytest.fixture(scope="module")
def lab(tess, tmp_path_factory):
    """Runs over all that a view can show: cells, faces and edges, those at the boundary; of an application."""
    folder = tmp_path_factory.mktemp("polytopes")
    duals = tet_duals.poly_mesh(folder / "duals", 4)
    square = tet_duals.square(folder / "square.vtu", 20)
    lab = folder / "lab"
    for mesh, map, size in ((duals, "cells:cells", 32), (duals, "faces:cells", 64), (duals, "bfaces:cells", 64), (SNAPPY, "cells:cells", 2),
                            (SNAPPY, "faces:cells", 2), (square, "cells:cells", 32), (square, "edges:cells", 32)):
        tess("partition", mesh, "--map", map, "-b", size, "-p", "rcb", "--lab", lab, "--view")
    tess("run", "miniaero", "--mesh", duals, "-d", "host", "-s", "sequential", "-p", "rcb", "-b", "64", "--lab", lab, "--view")
    tess("run", "airfoil", "--mesh", square, "-d", "host", "-s", "sequential", "-p", "rcb", "-b", "32", "--lab", lab, "--view")
    return lab


def runs(tess, lab):
    return json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]


def pixels(picture):
    return np.asarray(Image.open(picture).convert("RGB")).astype(int)


def hues(pixels):
    """How many pixels are neither white nor grey, and how many colours some of them have."""
    coloured = pixels[np.ptp(pixels, axis=-1) > 20]
    _, count = np.unique(coloured, axis=0, return_counts=True)
    return len(coloured), int((count > 30).sum())


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("options", [("--explode", "0.3"), ("--block", "1")])
def test_every_run_is_drawn(tess, lab, tmp_path, display, flat, options):
    shown = [run["run"] for run in runs(tess, lab) if ("square" in run["mesh"]) == flat]
    more = [] if flat or "--block" in options else ["--cut", "x=0.9"]
    tess("view", *shown, "--lab", lab, "--png", tmp_path / "a.png", "--size", "300x240", "--side-by-side", "--no-caption", *options, *more,
         seconds=300, env=dict(os.environ, DISPLAY=display))
    picture = pixels(tmp_path / "a.png")
    columns, rows = picture.shape[1] // 300, picture.shape[0] // 240
    tiles = [picture[240 * (i // columns):240 * (i // columns + 1), 300 * (i % columns):300 * (i % columns + 1)] for i in range(columns * rows)]
    for run, tile in zip(shown, tiles):
        n, n_hues = hues(tile)
        assert n > 500 and n_hues > 1, (run, n, n_hues)


def test_meshes_are_drawn(tess, lab, tmp_path, display):
    for mesh in (SNAPPY, lab.parent / "duals", lab.parent / "square.vtu"):
        tess("mesh", "info", mesh, "--png", tmp_path / "a.png", seconds=300, env=dict(os.environ, DISPLAY=display))
        assert hues(pixels(tmp_path / "a.png"))[0] > 20000


def page_of(tess, lab, file, *options, code=0):
    done = tess("report", "--lab", lab, "-o", file, *options, env=dict(os.environ, PYTHONPATH=str(ROOT / "build/vtkjs")), code=code)
    assert "Traceback" not in done.stderr
    return done, file.read_text()


def test_a_page_shows_them(tess, lab, tmp_path):
    """Pictures of the flat ones, and surfaces of all."""
    shown = [run["run"] for run in runs(tess, lab)][-4:]
    _, page = page_of(tess, lab, tmp_path / "a.html", *(word for run in shown for word in ("--blocks", run)))
    assert page.count(' src="data:image/png;base64,iVBOR') == 3 and "No picture of" not in page


def test_surfaces_of_polyhedra_are_closed(tess, lab):
    script = """
import sys, numpy as np
from pathlib import Path
from tesselab.surface import read_surface
for path in sys.argv[1:]:
    surface = read_surface(Path(path))
    a, b, c = (surface.points[surface.triangles[:, k]] for k in range(3))
    edges = np.sort(np.concatenate([surface.triangles[:, [0, 1]], surface.triangles[:, [1, 2]], surface.triangles[:, [2, 0]]]), axis=1)
    even = (np.unique(edges, axis=0, return_counts=True)[1] % 2 == 0).all()
    assert surface.flat or even
    print(surface.flat, np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)
"""
    views = [json.loads(tess("view", run["run"], "--lab", lab, "--json").stdout)["views"][0] for run in runs(tess, lab)]
    done = subprocess.run(["/usr/bin/python3", "-c", script, *views], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(ROOT / "python")), **limited(60))
    assert done.returncode == 0, done.stderr
    flat = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("True")]
    assert any(np.isclose(area, 1) for area in flat)  # the cells of the square


def test_polygons_that_are_not_convex_are_cut_at_their_ears(tmp_path):
    """A comb of two teeth, a convex polygon and one of three corners in a row."""
    script = """
import numpy as np
from tesselab.surface import triangles_of
ring = [(0, 0), (5, 0), (5, 2), (4, 2), (4, 1), (3, 1), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)]
points = np.array([(x, y, 0.5 * x) for x, y in ring] + [(9 + x, y, 0) for x, y in [(0, 0), (1, 0), (2, 0), (2, 2), (0, 2)]], float)
triangles = triangles_of(np.arange(17), np.array([0, 12, 17]), np.array([7, 7]), points)
assert len(triangles) == 10 + 3
a, b, c = (points[triangles[:, k], :2] for k in range(3))
areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
assert (areas >= 0).all() and np.isclose(areas.sum(), 8 + 4)
"""
    done = subprocess.run(["/usr/bin/python3", "-c", script], capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=str(ROOT / "python")),
                          **limited(60))
    assert done.returncode == 0, done.stderr


def test_a_run_that_cannot_be_drawn_has_a_word(tess, lab, tmp_path):
    """One whose view is damaged, and one whose view is not there and whose mesh is damaged."""
    copy = tmp_path / "lab"
    shutil.copytree(lab, copy)
    known = runs(tess, copy)
    spoilt, gone, whole = known[0]["run"], next(run["run"] for run in known if "snappy" in run["mesh"]), known[-1]["run"]
    view = lambda run: Path(json.loads(tess("view", run, "--lab", copy, "--json").stdout)["views"][0])
    with h5py.File(view(spoilt), "r+") as file:
        del file["VTKHDF/Connectivity"]
    view(gone).unlink()
    smallest = min((copy / "meshes").iterdir(), key=lambda path: path.stat().st_size)
    smallest.chmod(0o644)
    smallest.write_bytes(smallest.read_bytes()[:-1000])
    done, page = page_of(tess, copy, tmp_path / "a.html", *(word for run in (spoilt, gone, whole) for word in ("--blocks", run)))
    for run in (spoilt, gone):
        assert re.search(f"No picture of run {run}: .*hdf", page) and run in done.stderr
    assert page.count(' src="data:image/png;base64,iVBOR') == 1 and f"No picture of run {whole}" not in page


@pytest.mark.parametrize("mesh, yes", [("duals", {"miniaero"}), ("square.vtu", {"airfoil", "volna"}), (SNAPPY, {"miniaero", "fv"})])
def test_what_info_says_runs(tess, lab, tmp_path, mesh, yes):
    mesh = lab.parent / mesh
    said = json.loads(tess("mesh", "info", "--json", mesh).stdout)["applications"]
    assert {name for name, one in said.items() if one["runs"]} == yes
    for name, one in said.items():
        done = tess("run", name, "--mesh", mesh, "-d", "host", "-s", "sequential", "--lab", tmp_path / "lab", "--no-view", "--samples", "3",
                    code=0 if one["runs"] else 2)
        assert one["runs"] or re.search(r"needs|runs on|follow|no map", done.stderr)
