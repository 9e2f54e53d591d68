"""`tess view` shows runs: its views hold the plan's values, its pictures are there or it says why."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import h5py
import numpy
import pytest
from PIL import Image

from conftest import ROOT, limited

LOOPS = ["irregular:nx=12:ny=12/edges:cells", "tets:nx=4:ny=4:nz=4/cells:nodes", "prisms:nx=3:ny=3:nz=3/faces:cells"]


@pytest.fixture(scope="module")
def lab(tess, tmp_path_factory):
    """A lab with a run of each loop, and their JSON objects by loop."""
    folder = tmp_path_factory.mktemp("view") / "lab"
    runs = {}
    for loop in LOOPS:
        mesh, map_name = loop.split("/")
        done = tess("partition", mesh, "--map", map_name, "--partitioner", "rcb", "--block-size",
                    "32", "--lab", folder, "--json", "--no-view")
        runs[map_name] = json.loads(done.stdout)["runs"][0]
    return folder, runs


@pytest.mark.parametrize("map_name, pieces", [("edges:cells", 1), ("cells:nodes", 1),
                                              ("faces:cells", 2)])
def test_views_hold_the_values_of_the_plan(tess, lab, map_name, pieces):
    folder, runs = lab
    run = runs[map_name]
    done = tess("view", run["run"], "--lab", folder, "--json")
    path = json.loads(done.stdout)["views"][0]
    with h5py.File(path) as view, h5py.File(run["plan_file"]) as plan:
        cells = {name: array[:] for name, array in view["VTKHDF/CellData"].items()}
        executed = plan["plan/executed"][:]
        offset = plan["plan/block_offset"][:]
        block = numpy.repeat(numpy.arange(len(offset) - 1), numpy.diff(offset))
        assert (cells["element"] == numpy.repeat(executed, pieces)).all()
        assert (cells["block"] == numpy.repeat(block, pieces)).all()
        assert (cells["block"] == plan["partition/block_of"][:][cells["element"]]).all()
        assert (cells["thread_colour"] == numpy.repeat(plan["plan/thread_colour"][:], pieces)).all()
        assert (cells["block_colour"] == plan["plan/block_colour"][:][cells["block"]]).all()
        for name, of_blocks in (("block_elements", "size"), ("block_points", "points"),
                                ("block_thread_colours", "thread_colours"), ("block_components", "components")):
            assert (cells[name] == plan["blocks"][of_blocks][:][cells["block"]]).all(), name
        thread = numpy.concatenate([numpy.arange(n) for n in numpy.diff(offset)])
        assert (cells["thread"] == numpy.repeat(thread, pieces)).all()
        assert (cells["warp"] == cells["thread"] // 32).all()
        whole = view["VTKHDF/FieldData"]
        assert whole["reuse_factor"][0] == plan["metrics/reuse_factor"][()]
        digest = whole["mesh_digest"][0].decode()
        assert digest == plan.attrs["mesh"].decode()
        if map_name == "cells:nodes":  # the corners are the points that blocks load
            with h5py.File(folder / f"meshes/{digest}.hdf") as mesh:
                places = map(tuple, mesh["coordinates"][:])
            blocks = numpy.bincount(plan["plan/sets/nodes/points"][:])
            loads = dict(zip(places, blocks))
            dimension = len(next(iter(loads)))
            corners = map(tuple, view["VTKHDF/Points"][:, :dimension])
            shared = view["VTKHDF/PointData/shared_by"][:]
            assert [loads[corner] for corner in corners] == shared.tolist()
            assert shared.max() > 2
        check_blocks(view, plan, path.replace(".hdf", ".blocks.hdf"))
        if map_name == "faces:cells":
            return
        # The mean of the blocks' reuse factors, weighted by their points, is the plan's.
        first = numpy.unique(cells["block"], return_index=True)[1]
        weights = cells["block_points"][first]
        mean = (cells["block_reuse"][first] * weights).sum() / weights.sum()
        assert mean == pytest.approx(plan["metrics/reuse_factor"][()], rel=1e-6)


def check_blocks(view, plan, path):
    """One vertex a block, with its numbers; who shares a corner with whom, by the places of corners."""
    corners, offsets = view["VTKHDF/Connectivity"][:], view["VTKHDF/Offsets"][:]
    block = numpy.repeat(view["VTKHDF/CellData/block"][:], numpy.diff(offsets))
    places = [tuple(place) for place in view["VTKHDF/Points"][:]]
    n = block.max() + 1
    of_block = [{places[i] for i in corners[block == b]} for b in range(n)]
    near = [{a for a in range(n) if a != b and of_block[a] & of_block[b]} for b in range(n)]
    with h5py.File(path) as blocks:
        points = {name: array[:] for name, array in blocks["VTKHDF/PointData"].items()}
        assert (blocks["VTKHDF/CellData/block"][:] == numpy.arange(n)).all() and (points["block"] == numpy.arange(n)).all()
        assert blocks["VTKHDF/Types"][:].tolist() == [1] * n and "view_of" not in blocks.attrs
        assert blocks["VTKHDF/FieldData/run"][0] == view["VTKHDF/FieldData/run"][0]
        centres = [numpy.mean(list(mine), axis=0) for mine in of_block]
        assert blocks["VTKHDF/Points"][:] == pytest.approx(numpy.array(centres), abs=1e-12)
    for name, of_blocks in (("block_elements", "size"), ("block_points", "points"),
                            ("block_thread_colours", "thread_colours"), ("block_components", "components")):
        assert (points[name] == plan["blocks"][of_blocks][:]).all(), name
    assert (points["block_colour"] == plan["plan/block_colour"][:]).all()
    assert points["block_neighbours"].tolist() == [len(others) for others in near]
    assert points["block_shared"].tolist() == [sum(any(place in of_block[a] for a in near[b]) for place in of_block[b])
                                               for b in range(n)]
    explode = view["VTKHDF/PointData/explode"][:]
    for b in range(n):
        assert (explode[corners[block == b]] == points["explode"][b]).all()


def need_paraview():
    for program, package in (("pvpython", "python3-paraview"), ("Xvfb", "xvfb")):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing (Debian: apt-get install {package})")


def test_pictures_are_rendered_without_a_display(tess, lab, tmp_path):
    need_paraview()
    folder, runs = lab
    without = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    picture = tmp_path / "picture.png"
    ids = [run["run"] for run in runs.values()]
    done = tess("view", ids[0], ids[0], "--side-by-side", "--lab", folder, "--png", picture,
                "--size", "300x200", "--colour", "reuse", env=without)
    assert done.stdout.splitlines()[-1] == str(picture)
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


# Opens a state by each choice of ParaView's dialogue in turn, and tells what its pipeline has: in a function, as filters
# in Python put all names of NumPy into __main__.
OPEN = """
import json, os, sys
sys.path.append(sys.argv[2])
import quick_start
from paraview import servermanager, simple
servermanager.ProxyNamespace.getDocumentation = lambda self, name: ""  # nor at a new session

def tell(state, options, picture, told):
    simple.LoadState(state, **options)
    sources = {}
    for (name, _), source in simple.GetSources().items():
        source.UpdatePipeline()
        cells = source.GetCellDataInformation() if name != "caption" else {}
        sources[name] = {"cells": source.GetDataInformation().GetNumberOfCells(),
                         "arrays": {array: cells.GetArray(array).GetRange() for array in cells.keys()}}
    view = simple.GetActiveView()
    coloured = [shown.ColorArrayName[1] for shown in view.Representations if hasattr(shown, "ColorArrayName")]
    simple.SaveScreenshot(picture, view)
    with open(told, "w") as file:
        json.dump({"sources": sources, "coloured": coloured}, file)
    simple.ResetSession()

for moves, *choice in json.loads(sys.argv[1]):
    for here, there in moves:
        os.rename(here, there)
    tell(*choice)
"""


def reader_of(state):
    """The id that a state gives its reader, by which *Choose File Names* finds it."""
    return next(proxy.get("id") for proxy in ElementTree.parse(state).getroot().iter("Proxy")
                if proxy.get("type") == "HDFReader")


def test_a_state_opens_elsewhere_without_tesselab_and_shows_the_same(tess, lab, display, tmp_path):
    """By all choices of ParaView's dialogue: *Use File Names From State* where it was written, in a moved folder *Search
    files under specified directory*, and *Choose File Names* for a view of another name."""
    folder, runs = lab
    block, png = 1, tmp_path / "seen.png"
    done = tess("view", runs["edges:cells"]["run"], "--lab", folder, "--block", block, "--state", "--png", png,
                "--size", "300x200", "--json")
    said = json.loads(done.stdout)
    view, state = map(Path, (said["views"][0], said["state"]))
    assert state == view.with_suffix(".pvsm")
    with h5py.File(view) as file:
        cells = {name: array[:] for name, array in file["VTKHDF/CellData"].items()}
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    named = {"name": "rcb 32", "id": reader_of(state), "FileName": str(tmp_path / "another.hdf")}
    choices = [([], state, {}),
               ([(view, moved / view.name), (state, moved / state.name)], moved / state.name,
                {"data_directory": str(moved), "restrict_to_data_directory": True}),
               ([(moved / view.name, named["FileName"])], moved / state.name, {"filenames": [named]})]
    (tmp_path / "open.py").write_text(OPEN)
    words = json.dumps([[*choice, f"{tmp_path}/{i}.png", f"{tmp_path}/{i}.json"] for i, choice in enumerate(choices)],
                       default=str)
    subprocess.run(["pvpython", "--no-mpi", tmp_path / "open.py", words, ROOT / "viz/scripts"], check=True, env=dict(os.environ, DISPLAY=display), **limited(120))
    for i in range(len(choices)):
        opened = json.loads((tmp_path / f"{i}.json").read_text())
        assert set(opened["sources"]) == {"rcb 32", f"roles round block {block}", f"block {block}", "halo",
                                          "edges", "surface", "outlines", "outlines in ink", "caption"}
        whole, own = opened["sources"]["rcb 32"], opened["sources"][f"block {block}"]
        assert whole["cells"] == len(cells["block"]) and own["cells"] == (cells["block"] == block).sum()
        assert whole["arrays"] == {name: [values.min(), values.max()] for name, values in cells.items()}
        assert own["arrays"]["block"] == [block, block] and "thread_colour" in opened["coloured"]
        again = numpy.asarray(Image.open(tmp_path / f"{i}.png"))
        assert (numpy.asarray(Image.open(png)) == again[:, :, :3]).all()


def test_a_film_shows_run_after_run(tess, lab, tmp_path):
    need_paraview()
    folder, runs = lab
    film = tmp_path / "film.ogv"
    run = runs["edges:cells"]["run"]
    done = tess("view", run, run, "--lab", folder, "--film", film, "--size", "300x200")
    assert done.stdout.splitlines()[-1] == str(film)
    assert film.read_bytes()[:4] == b"OggS"
    assert sorted(tmp_path.iterdir()) == [film]  # no frames are left


def test_wrong_usage_ends_with_2_and_bad_input_with_3(tess, lab, tmp_path):
    need_paraview()
    folder, _ = lab
    assert "needs a run" in tess("view", code=2).stderr
    assert "did you mean '--explode'" in tess("view", "@last", "--exploed", "1", code=2).stderr
    assert "zzzz" in tess("view", "zzzz", "--lab", folder, code=3).stderr
    done = tess("view", "@last", "--lab", folder, "--png", tmp_path / "a.png", "--explode", "far",
                code=2)
    assert "--explode" in done.stderr
    for option, value, words in (("--block", "9999", "there is no block 9999"), ("--colour", "nonsense", "the view has no 'nonsense'")):
        done = tess("view", "@last", "--lab", folder, "--png", tmp_path / "a.png", option, value, code=2)
        assert f"tess: error: {words}" in done.stderr
    assert not (tmp_path / "a.png").exists()


@pytest.mark.parametrize("arguments, code, words", [
    (("--png", "nofolder/a.png"), 1, "nofolder/a.png cannot be written"),
    (("--png", "folder.png"), 1, "folder.png is a folder"),
    (("--png", "a.jpg"), 2, "pictures are PNG files"),
    (("--film", "a.mp4"), 2, "'a.mp4': films are .ogv or .avi files"),
    (("--film", "nofolder/a.ogv"), 1, "--film: nofolder/a.ogv cannot be written"),
    (("--png", "a.png", "--size", "foo"), 2, "--size takes what looks like 1200x800, not 'foo'"),
    (("--png", "a.png", "--size", "300x200x1"), 2, "not '300x200x1'"),
    (("--png", "a.png", "--size", "99999x20"), 2, "--size 99999x20: a side has 1 to 10000 pixels"),
    (("--png", "a.png", "--size", "20x99999"), 2, "a side has 1 to 10000 pixels"),
    (("--png", "a.png", "--size", "10x0"), 2, "--size 10x0: a side has 1 to 10000 pixels"),
    (("--png", "a.png", "--explode", "nan"), 2, "--explode takes what looks like 0.2, not 'nan'"),
    (("--png", "a.png", "--block", "1.5"), 2, "--block takes what looks like 7, not '1.5'"),
    (("--png", "a.png", "--cut", "q=3"), 2, "looks like x=0.5"),
    (("--png", "a.png", "--zoom", ""), 2, "--zoom"),
    (("--png", "a.png", "--zoom", "0"), 2, "--zoom takes what looks like 2, not '0'"),
    (("--png", "a.png", "--explode=-1"), 2, "--explode takes what looks like 0.2, not '-1'"),
    (("--png", "a.png", "--window", "0,1,0"), 2, "0,1,0,1"),
    (("--png", "a.png", "--window=1,1,0,1"), 2, "--window=1,1,0,1 is empty"),
    (("--png", "a.png", "--window=0,1,2,1"), 2, "--window=0,1,2,1 is empty"),
    (("--png", "a.png", "--cut", "x=1"), 2, "--cut x=1 leaves all or nothing"),
    (("--cut", "z=2"), 2, "--cut z=2 leaves all or nothing"),
])
def test_what_cannot_be_rendered_is_refused_at_once(tess, lab, tmp_path, arguments, code, words):
    """Without ParaView, in its own words: one line."""
    (tmp_path / "folder.png").mkdir()
    done = tess("view", "@last", "--lab", lab[0], *arguments, code=code, cwd=tmp_path, env={"PATH": ""})
    assert words in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("runs, arguments, words", [
    (("@last",), ("--window", "5,6,0,1"), "the window 5,6,0,1 shows nothing: x is from 0 to 1 there, y from 0 to 1"),
    (("@last",), ("--colour", "rank"), "the view has no 'rank': known are block,"),
    (("@last", "@last~1"), (), "several views are shown with --side-by-side or --film"),
])
def test_what_a_view_has_not_is_wrong_usage_in_the_words_of_the_user(tess, tmp_path, runs, arguments, words):
    tess("partition", "quads:nx=4:ny=3", "-M", "edges:cells", "-p", "rcb", "-b", "4,8", "--lab", tmp_path)
    done = tess("view", *runs, "--lab", tmp_path, *arguments, "--png", tmp_path / "a.png", code=2)
    assert words in done.stderr and not (tmp_path / "a.png").exists()


def test_a_window_on_a_solid_and_a_cut_of_a_plane_are_refused_before_paraview_starts(tess, tmp_path):
    for mesh, loop, (option, value), words in (("hexes:nx=4:ny=3:nz=2", "cells:nodes", ("--window", "0,1,0,1"), "and this is a solid"),
                                               ("quads:nx=4:ny=3", "edges:cells", ("--cut", "z=0.5"), "the mesh is flat")):
        tess("partition", mesh, "-M", loop, "-p", "rcb", "--lab", tmp_path)
        view = ("view", "@last", "--lab", tmp_path, "--png", tmp_path / "a.png")
        assert words in tess(*view, option, value, code=2, env={"PATH": ""}).stderr
        assert not list((tmp_path / "views").iterdir())
    for fits in (("@last", "--window", "0,1,0,1"), ("@last", "--cut", "x=0.5"), ("@last~2", "--cut", "z=0.5")):
        assert "apt-get install" in tess("view", *fits, "--lab", tmp_path, "--png", tmp_path / "a.png", code=4, env={"PATH": ""}).stderr


def test_what_is_missing_is_named_with_its_package(tess, lab, tmp_path):
    folder, _ = lab
    empty = tmp_path / "bin"
    empty.mkdir()
    environment = {"PATH": str(empty), "HOME": str(tmp_path)}
    done = tess("view", "@last", "--lab", folder, "--png", tmp_path / "a.png", code=4,
                env=environment)
    assert "apt-get install" in done.stderr
    done = tess("view", "@last", "--lab", folder, code=4, env=environment)
    assert "no display" in done.stderr and done.stdout.strip().endswith(".hdf")
    done = tess("view", "@last", "--lab", folder, "--png", tmp_path / "a.png", code=4,
                env=dict(environment, TESS_SCRIPTS=str(tmp_path)))
    assert "TESS_SCRIPTS" in done.stderr
    done = tess("view", "--install", code=4, env=dict(environment, HOME="", XDG_CONFIG_HOME=""))
    assert "HOME names no folder" in done.stderr
    settings = tmp_path / 'my "settings"'
    done = tess("view", "--install", "--json", env=dict(environment, XDG_CONFIG_HOME=str(settings)))
    macros = sorted((settings / "ParaView/Macros").iterdir())
    assert json.loads(done.stdout)["macros"] == str(settings / "ParaView/Macros") and len(macros) == 3
    for macro in macros:
        compile(macro.read_text(), macro.name, "exec")


def test_a_partitioner_is_shown_at_work(tess, tmp_path):
    done = tess("partition", "irregular:nx=12:ny=12", "--map", "edges:cells", "--partitioner",
                "rcb,hilbert", "--block-size", "32", "--no-lab", "--json", "--viz", "hdf",
                "--viz-folder", tmp_path / "steps")
    assert "in situ: hdf" in done.stderr
    last = json.loads(done.stdout)["runs"][0]
    series = json.loads((tmp_path / "steps/rcb_32.hdf.series").read_text())["files"]
    assert [step["time"] for step in series] == list(range(len(series)))
    counts = []
    for step in series:
        with h5py.File(tmp_path / "steps" / step["name"]) as file:
            cells = {name: array[:] for name, array in file["VTKHDF/CellData"].items()}
        assert sorted(cells["element"]) == list(range(len(cells["element"])))
        counts.append(cells["block"].max() + 1)
    assert counts == sorted(counts) and len(set(counts)) > 2  # level by level
    assert counts[-1] == last["blocks"] and "thread_colour" in cells  # the plan comes last
    assert len(json.loads((tmp_path / "steps/hilbert_32.hdf.series").read_text())["files"]) == 1


def test_a_failing_script_keeps_the_numbers(tess, tmp_path):
    need_paraview()
    script = tmp_path / "script.py"
    script.write_text("import sys\nsys.path.append('%s')\nimport in_situ\ndef catalyst_execute(info):\n"
                      "    raise ValueError(in_situ.titled('mesh'))\n" % (ROOT / "viz/scripts"))
    done = tess("partition", "irregular:nx=8:ny=8", "--map", "edges:cells", "--partitioner", "rcb",
                "--block-size", "32", "--lab", tmp_path / "lab", "--json", "--catalyst", script,
                "--viz", "paraview", "--viz-folder", tmp_path / "viz", code=1)
    assert "failed at cycle 0" in done.stderr and "ValueError: irregular:nx=8:ny=8 · rcb, block size 32" in done.stderr
    run = json.loads(done.stdout)["runs"][0]
    assert os.path.exists(run["plan_file"]) and run["reuse_factor"] > 1
    missing = tess("partition", "irregular:nx=8:ny=8", "--map", "edges:cells", "--catalyst",
                   tmp_path / "none.py", code=3)
    assert "none.py" in missing.stderr


def test_what_pictures_in_situ_show_is_said_by_options(tess, tmp_path):
    march = ("march", "airfoil", "--mesh", "airfoil:i=8:j=10", "--steps", "1", "--no-lab", "--viz-folder", tmp_path / "viz")
    for option, value, words in (("--viz-window", "0,1,2", "looks like 0,1,0,1"), ("--viz-range", "low", "looks like 0.9,1.1"),
                                 ("--viz-range", "2,1", "--viz-range=2,1 is empty: it is LOW,HIGH with LOW < HIGH"),
                                 ("--viz-field", "pressure", "add --catalyst solution.py")):
        assert words in tess(*march, option, value, code=2).stderr
    need_paraview()
    script = tmp_path / "script.py"
    script.write_text("import os, sys\nsys.path.append('%s')\nimport in_situ\ndef catalyst_execute(info):\n"
                      "    raise ValueError(os.environ['TESS_VIZ_FIELD'], in_situ.RANGE, in_situ.WINDOW)\n" % (ROOT / "viz/scripts"))
    done = tess(*march, "--viz-field", "pressure", "--viz-range", "0.9,1.1", "--viz-window=-1,1,-2,2", "--catalyst", script,
                "--viz", "paraview", code=1)
    assert "('pressure', [0.9, 1.1], [-1.0, 1.0, -2.0, 2.0])" in done.stderr


def test_a_mesh_is_drawn_by_the_shapes_of_its_cells(tess, tmp_path):
    need_paraview()
    tess("mesh", "info", "tris:nx=6:ny=4:ly=0.1", "--brief", "--png", tmp_path / "mesh.png")
    content = (tmp_path / "mesh.png").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(content[16:20], "big") > 400
