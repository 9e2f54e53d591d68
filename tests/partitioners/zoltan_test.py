"""Zoltan's PHG: its blocks against what they cost by a count of our own, seeds, and libraries that it cannot use."""

import json
import os
import subprocess

import h5py
import numpy
import pytest
from conftest import limited

MESH = ("tets:nx=8:ny=8:nz=8:shuffle=1", "--map", "cells:nodes")


@pytest.fixture
def cut(tess_bin, tmp_path):
    """Runs `tess partition`; gives (run, blocks) of each partitioner."""

    def run(partitioners, size=64, mesh=MESH):
        words = ("--partitioner", partitioners, "--block-size", str(size), "--json", "--no-view")
        done = subprocess.run([tess_bin, "partition", *mesh, *words], capture_output=True, text=True, cwd=tmp_path,
                              **limited(120))  # fmt: skip
        if done.returncode == 4:
            assert "apt-get install libtrilinos-zoltan-dev" in done.stderr
            pytest.skip("Zoltan is not on this machine")
        assert done.returncode == 0, done.stderr
        found = []
        for run in json.loads(done.stdout)["runs"]:
            with h5py.File(tmp_path / run["plan_file"]) as file:
                found.append((run, file["/partition/block_of"][:]))
        return found

    return run


def costs(tess, folder, blocks):
    """(km1, cut) of the hypergraph that `tess export` writes: nets beyond their first block, nets in several."""
    path = folder / "net.hgr"
    if not path.exists():
        tess("export", "--mesh", MESH[0], *MESH[1:], "--format", "hypergraph", "--output", path)
    spans = []
    for line in path.read_text().split("\n")[1:-1]:
        spans.append(len(set(blocks[[int(word) - 1 for word in line.split()[1:]]])))
    return sum(spans) - len(spans), sum(span > 1 for span in spans)


def test_each_objective_is_the_best_at_what_it_minimises(cut, tess, tmp_path):
    (km1, blocks), (nets, other), (in_order, plain) = cut("zoltan,zoltan:objective=cut,file-order")
    for run, found in ((km1, blocks), (nets, other)):
        assert numpy.bincount(found).max() <= 64 and len(found) == 3072, run["partitioner"]
    cost = [costs(tess, tmp_path, found) for found in (blocks, other, plain)]
    assert cost[0][0] < cost[1][0] < cost[2][0] / 2
    assert cost[1][1] < cost[0][1] < cost[2][1]
    points = 9**3
    assert km1["reuse_factor"] == pytest.approx(4 * 3072 / (cost[0][0] + points), rel=1e-9)  # of nodes in blocks


def test_a_seed_decides(cut):
    (_, once), (_, other) = cut("zoltan:seed=3,zoltan:seed=4")
    ((_, again),) = cut("zoltan:seed=3")
    assert (once == again).all() and (once != other).any()


def test_many_shapes_of_problem(cut):
    for mesh, size in (("quads:nx=1:ny=2", 8), ("quads:nx=9:ny=9", 1), ("quads:nx=9:ny=9", 10000), ("tris:nx=7:ny=8", 48)):
        ((run, _),) = cut("zoltan", size, (mesh, "--map", "edges:cells"))
        assert run["status"] == "done"


def test_a_library_that_is_none_is_named(tess, tmp_path):
    words = ("partition", "quads:nx=9:ny=9", "--map", "edges:cells", "--partitioner", "zoltan", "--block-size", "32", "--no-lab")
    done = tess(*words, code=4, cwd=tmp_path, env={**os.environ, "TESS_ZOLTAN": "/nowhere/zoltan.so"})
    assert "Zoltan is not there (/nowhere/zoltan.so" in done.stderr and "TESS_ZOLTAN" in done.stderr
    (tmp_path / "none.c").write_text("int Zoltan_Create;\n")
    subprocess.run(["cc", "-shared", "-o", tmp_path / "none.so", tmp_path / "none.c"], check=True)
    done = tess(*words, code=4, cwd=tmp_path, env={**os.environ, "TESS_ZOLTAN": tmp_path / "none.so"})
    assert "this Zoltan lacks ompi_mpi_comm_world" in done.stderr
