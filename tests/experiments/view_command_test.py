"""`tess view` shows runs: its views hold the plan's values, its pictures are there or it says why."""

import json
import os
import shutil

import h5py
import numpy
import pytest

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
        for name, of_blocks in (("block_size", "size"), ("block_points", "points"),
                                ("thread_colours", "thread_colours"), ("components", "components")):
            assert (cells[name] == plan["blocks"][of_blocks][:][cells["block"]]).all(), name
        points = view["VTKHDF/FieldData"]
        assert points["reuse_factor"][0] == plan["metrics/reuse_factor"][()]
        if map_name == "faces:cells":
            return
        # The mean of the blocks' reuse factors, weighted by their points, is the plan's.
        first = numpy.unique(cells["block"], return_index=True)[1]
        weights = cells["block_points"][first]
        mean = (cells["reuse_factor"][first] * weights).sum() / weights.sum()
        assert mean == pytest.approx(plan["metrics/reuse_factor"][()], rel=1e-6)


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


def test_wrong_usage_ends_with_2_and_bad_input_with_3(tess, lab, tmp_path):
    need_paraview()
    folder, _ = lab
    assert "needs a run" in tess("view", code=2).stderr
    assert "did you mean '--explode'" in tess("view", "@last", "--exploed", "1", code=2).stderr
    assert "zzzz" in tess("view", "zzzz", "--lab", folder, code=3).stderr
    done = tess("view", "@last", "--lab", folder, "--png", tmp_path / "a.png", "--explode", "far",
                code=2)
    assert "--explode" in done.stderr
    assert not (tmp_path / "a.png").exists()


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
