"""PT-SCOTCH, whose processes MPI's launcher starts: what it cuts, for ranks too, what is missing, and what it leaves behind."""

import json
import os
import pathlib
import signal
import subprocess
import time

import h5py
import pytest
from launched_ranks import ROOT_MAY, launcher_command, processes

SQUARES = 40  # a side of the box
SMALL = ("partition", "quads:nx=9:ny=9", "--map", "edges:cells", "--block-size", "32", "--partitioner", "ptscotch", "--no-lab")


@pytest.fixture(scope="module", autouse=True)
def is_there(tess_bin):
    done = subprocess.run([tess_bin.parent / "tess-ptscotch", "--version"], capture_output=True, text=True)
    if done.returncode == 4 and "apt-get install libptscotch-dev" in done.stdout:
        pytest.skip("PT-SCOTCH is not on this machine")
    assert done.stdout.startswith("PT-SCOTCH 7.")


def test_blocks_are_good_and_the_same_again(tess, tmp_path):
    """4 x 4 blocks of a box have 6 * 40 sides between them; PT-SCOTCH, which knows no box, is within a half of that."""
    names = ["ptscotch", "ptscotch:processes=3:weights=shared:strategy=quality", "ptscotch:processes=1"]
    runs = []
    for lab, partitioners in (("lab", ",".join(names)), ("again", names[0])):
        done = tess("partition", f"quads:nx={SQUARES}:ny={SQUARES}:shuffle=1", "--map", "cells:nodes", "--partitioner", partitioners,
                    "--block-size", SQUARES**2 // 16, "--json", "--no-view", "--lab", lab, cwd=tmp_path)  # fmt: skip
        runs += json.loads(done.stdout)["runs"]
    (path,) = (tmp_path / "lab/meshes").iterdir()
    with h5py.File(path) as mesh:
        sides = mesh["maps/edges_cells"][:]
    plans = [run["plan_file"] for run in runs]
    for plan in plans:
        with h5py.File(tmp_path / plan) as file:
            blocks = file["partition/block_of"][:]
        assert len(set(blocks)) in (16, 17) and (blocks[sides[:, 0]] != blocks[sides[:, 1]]).sum() < 1.5 * 6 * SQUARES
    digests = [pathlib.Path(plan).name for plan in plans]
    assert digests[3] == digests[0] != digests[1], "a plan's name is its digest"


@pytest.mark.parametrize("launcher", ["Open MPI", "MPICH"])
def test_it_cuts_for_ranks_of_any_mpi(tess_bin, tmp_path, launcher):
    """It has processes of its own, by Open MPI, whoever has started the ranks."""
    words = ("march", "--no-lab", "airfoil", "--mesh", "airfoil:i=12:j=18", "--engine", "mpi", "--steps", "2", "--check",
             "--rank-partitioner", "ptscotch")  # fmt: skip
    done = subprocess.run([*launcher_command(launcher), "-n", "3", tess_bin, *words], capture_output=True, text=True,
                          cwd=tmp_path, env={**os.environ, **ROOT_MAY})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "3 ranks by mpi" in done.stdout and "come to the same state" in done.stdout


@pytest.mark.parametrize("variable, value, words", [
    ("TESS_PTSCOTCH", "/nowhere/ptscotch.so", "PT-SCOTCH is not there (/nowhere/ptscotch.so"),
    ("TESS_PTSCOTCH", "libmpi.so.40", "this PT-SCOTCH lacks SCOTCH_version"),
    ("TESS_PTSCOTCH_LAUNCHER", "/nowhere/mpiexec", "apt-get install openmpi-bin, or name it in TESS_PTSCOTCH_LAUNCHER"),
    ("TESS_PTSCOTCH_LAUNCHER", "mpiexec.mpich", "the launcher has started 2 processes that are each alone"),
])
def test_what_is_missing_is_named(tess, tmp_path, variable, value, words):
    launcher_command("MPICH")
    done = tess(*SMALL, code=4, cwd=tmp_path, env={**os.environ, variable: value})
    assert words in done.stderr


def test_the_graph_may_be_as_small_as_can_be(tess, tmp_path):
    for mesh, size in (("quads:nx=1:ny=2", 1), ("quads:nx=2:ny=2", 3), ("quads:nx=9:ny=9", 10000)):
        tess("partition", mesh, "--map", "edges:cells", "--partitioner", "ptscotch:processes=4", "--block-size", size, "--no-lab",
             cwd=tmp_path)  # fmt: skip


def of_ptscotch(pids):
    """Those of the processes that cut."""
    found = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/comm") as comm:
                found += [pid] if comm.read().startswith("tess-ptscotch") else []
        except OSError:
            continue
    return found


def test_a_process_that_is_stopped_holds_nobody_and_nothing_is_left(tess_bin, tmp_path):
    """Not even where one of them stands still, is MPI's launcher killed, and all its files are in the worker's folder."""
    words = ("partition", "tets:nx=14:ny=14:nz=14", "--map", "cells:nodes", "--block-size", "64", "--partitioner", "ptscotch",
             "--no-lab", "--time-limit", "4")  # fmt: skip
    (tmp_path / "files").mkdir()
    started = subprocess.Popen([tess_bin, *words], cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path / "files")},
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
    family = []
    while started.poll() is None and len(of_ptscotch(family)) < 2:
        family = processes(started.pid)
        time.sleep(0.02)
    for pid in of_ptscotch(family)[:1]:
        os.kill(pid, signal.SIGSTOP)
    said = started.communicate()[1]
    assert started.returncode == 1 and "did not end within its time limit of 4 s" in said
    for _ in range(600):
        left = [pid for pid in family if os.path.exists(f"/proc/{pid}/exe") and os.path.realpath(f"/proc/{pid}/exe")[0] == "/"]
        if not left:
            break
        time.sleep(0.1)
    assert not left and not list((tmp_path / "files").iterdir())
