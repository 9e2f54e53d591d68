"""`tess demo`: the main job on the mesh that ships."""

import json
import os
import re
import shlex
import shutil

import pytest
from conftest import ROOT


def test_demo_compares_partitioners_at_two_block_sizes(tess, tmp_path):
    runs = json.loads(tess("demo", "--json", cwd=tmp_path).stdout)["runs"]
    assert {run["block_size"] for run in runs} == {128, 256}
    names = {run["partitioner"].split(":")[0] for run in runs}
    assert {"file-order", "random", "rcm", "gps", "hilbert", "rcb", "mosaic", "metis"} <= names
    assert all(run["status"] == "done" for run in runs)
    reuse = {run["partitioner"].split(":")[0]: run["reuse_factor"] for run in runs if run["block_size"] == 128}
    assert reuse["metis"] > reuse["hilbert"] > reuse["file-order"] > reuse["random"]
    for run in runs:
        assert (tmp_path / run["plan_file"]).exists() and run["view_file"] is None


def test_demo_needs_no_paraview_and_says_what_to_open_next(tess, tmp_path):
    for program in ("cc", "gcc", "as", "ld"):  # a PATH without ParaView
        if shutil.which(program):
            (tmp_path / program).symlink_to(shutil.which(program))
    meshes = tmp_path / "my meshes"
    meshes.symlink_to(ROOT / "data/meshes")
    done = tess("demo", cwd=tmp_path, env={"PATH": str(tmp_path), "HOME": str(tmp_path), "OMP_WAIT_POLICY": "passive",
                                           "TESS_DATA": str(meshes)})
    assert shlex.split(done.stderr.splitlines()[0])[2:4] == [str(meshes / "north_sea.msh.xz"), "--map"], "it can be typed"
    shown, viewed, drawn = re.findall(r"tess (?:show|view) (\w+)", done.stderr)
    assert shown == viewed == drawn, "the picture is of the winner"
    (winner,) = [line for line in done.stdout.splitlines() if line.endswith(drawn[:14])]
    assert winner.split()[1] == re.search(r"Least predicted traffic at block size 128: (\w+)", done.stdout)[1]
    assert "No picture here" in done.stderr and not (tmp_path / "demo.png").exists()


@pytest.mark.skipif(shutil.which("pvpython") is None, reason="ParaView is not installed")
def test_demo_ends_with_a_picture_where_paraview_is(tess, tmp_path):
    tess("demo", cwd=tmp_path, env=dict(os.environ))
    picture = tmp_path / "demo.png"
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and picture.stat().st_size > 50_000


def test_demo_takes_no_mesh(tess):
    assert "tess partition" in tess("demo", "mine.su2", code=2).stderr
