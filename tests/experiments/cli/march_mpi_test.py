"""mpiexec tess march: a rank a process, on an MPI library that is opened when it is needed."""

import json
import os
import shutil
import subprocess

import h5py
import pytest
from conftest import ROOT
from launched_ranks import ROOT_MAY

open_mpi = pytest.mark.skipif(not shutil.which("mpirun.openmpi"),
                              reason="no Open MPI (Debian: apt-get install openmpi-bin)")


def run_on(tess_bin, n, *arguments, launcher="mpirun.openmpi"):
    return subprocess.run(
        [launcher, *(["--oversubscribe"] if "openmpi" in launcher else []), "-n", str(n), tess_bin, "march", "--no-lab", *arguments],
        env={**os.environ, **ROOT_MAY}, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("launcher,halo", [("mpirun.openmpi", "redundant"), ("mpirun.openmpi", "partial-sums"),
                                           ("mpiexec.mpich", "partial-sums")])
def test_processes_exchange_what_ranks_of_one_do(tess, tess_bin, launcher, halo):
    if not shutil.which(launcher):
        pytest.skip(f"no {launcher} (Debian: apt-get install openmpi-bin mpich)")
    common = ["lulesh", "--mesh", "hexes:nx=8:ny=7:nz=6", "--steps", "2", "--check", "--json", "--halo", halo]
    done = run_on(tess_bin, 3, *common, "--engine", "mpi", launcher=launcher)
    assert done.returncode == 0, done.stderr
    got, want = json.loads(done.stdout), json.loads(tess("march", "--no-lab", *common, "--ranks", "3").stdout)
    assert got["check"]["difference"] <= got["check"]["tolerance"]
    assert got["ranks"] == {**want["ranks"], "engine": "mpi"}


@open_mpi
@pytest.mark.parametrize("chains", ["auto", "auto:rings=2"])
def test_chains_exchange_between_processes(tess, tess_bin, chains):
    common = ["airfoil", "--mesh", "airfoil:i=24:j=16", "--steps", "2", "--check", "--json", "--chains", chains, "-b", "32"]
    done = run_on(tess_bin, 4, *common, "--engine", "mpi")
    assert done.returncode == 0, done.stderr
    got, want = json.loads(done.stdout), json.loads(tess("march", "--no-lab", *common, "--ranks", "4").stdout)
    assert got["check"] == want["check"] and got["ranks"] == {**want["ranks"], "engine": "mpi"}


@open_mpi
def test_one_process_shows_the_pieces_of_all(tess, tess_bin, tmp_path):
    common = ["airfoil", "--mesh", "airfoil:i=12:j=16", "--steps", "2", "--viz", "hdf", "--viz-folder"]
    done = run_on(tess_bin, 3, *common, tmp_path / "mpi", "--engine", "mpi")
    assert done.returncode == 0 and done.stderr.count("in situ: hdf") == 1, done.stderr
    tess("march", "--no-lab", *common, tmp_path / "local", "--ranks", "3")
    files = sorted((tmp_path / "local").glob("*.hdf"))
    assert len(files) == 3
    for file in files:
        with h5py.File(file) as want, h5py.File(tmp_path / "mpi" / file.name) as got:
            assert set(got["VTKHDF/CellData"]) == set(want["VTKHDF/CellData"])
            for name, values in want["VTKHDF/CellData"].items():
                assert (got["VTKHDF/CellData"][name][:] == values[:]).all(), name


@open_mpi
def test_paraview_in_one_of_several_processes_waits_for_no_others(tess_bin, tmp_path):
    if not shutil.which("pvpython") or not shutil.which("Xvfb") or not (ROOT / "build/release/lib/tess_paraview.so").exists():
        pytest.skip("ParaView is missing (Debian: apt-get install paraview-dev python3-paraview)")
    script = tmp_path / "count.py"
    script.write_text("""
import os
from paraview import simple
mesh = simple.TrivialProducer(registrationName="mesh")
def catalyst_execute(info):
    mesh.UpdatePipeline(info.time)
    with open(os.environ["TESS_VIZ_FOLDER"] + "/seen", "a") as seen:
        seen.write(f"{info.timestep} {mesh.GetDataInformation().GetNumberOfCells()} ")
""")
    done = run_on(tess_bin, 2, "airfoil", "--mesh", "quads:nx=8:ny=6", "--steps", "2", "--catalyst", script, "--viz",
                  "paraview", "--viz-folder", tmp_path / "out", "--engine", "mpi")
    assert done.returncode == 0, done.stderr
    # kites of the 82 inner edges
    assert (tmp_path / "out/seen").read_text() == "0 82 1 82 2 82 "


@open_mpi
def test_a_rank_that_fails_ends_all(tess_bin):
    done = run_on(tess_bin, 2, "airfoil", "--mesh", "quads:nx=8:ny=6", "--engine", "mpi", "--ranks", "3")
    assert done.returncode != 0 and "--ranks 3, but there are 2 processes" in done.stderr


def test_a_launcher_and_a_library_of_two_families_are_refused(tess_bin):
    if not shutil.which("mpiexec.mpich") or not shutil.which("mpirun.openmpi"):
        pytest.skip("no mpiexec.mpich and mpirun.openmpi (Debian: apt-get install openmpi-bin mpich)")
    done = subprocess.run(
        ["mpiexec.mpich", "-n", "3", tess_bin, "march", "--no-lab", "airfoil", "--mesh", "quads:nx=8:ny=6", "--engine", "mpi"],
        env={**os.environ, **ROOT_MAY, "TESS_MPI": "libmpi.so.40"}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 4
    assert "the launcher (of MPICH) has started 3 processes, but libmpi.so.40 sees 1" in done.stderr


@open_mpi
def test_a_library_of_another_family_is_refused(tess):
    words = tess("march", "--no-lab", "airfoil", "--mesh", "quads:nx=8:ny=6", "--engine", "mpi", code=4,
                 env={**os.environ, **ROOT_MAY, "PMI_SIZE": "3", "TESS_MPI": "libmpi.so.40"}).stderr
    assert "has started 3 processes, but libmpi.so.40 sees 1" in words


def test_a_machine_without_mpi_says_what_to_install(tess):
    words = tess("march", "--no-lab", "airfoil", "--mesh", "quads:nx=8:ny=6", "--engine", "mpi", code=4,
                 env={**os.environ, "TESS_MPI": "libnone.so.1"}).stderr
    assert "there is no MPI library" in words and "openmpi-bin" in words


def test_the_program_is_linked_with_no_mpi(tess_bin):
    libraries = subprocess.run(["ldd", tess_bin], capture_output=True, text=True, check=True).stdout
    assert "libmpi" not in libraries and "libnccl" not in libraries and "libcuda" not in libraries


@open_mpi
def test_what_exchanges_cost_is_timed(tess_bin):
    done = run_on(tess_bin, 2, "airfoil", "--mesh", "quads:nx=8:ny=6", "--engine", "mpi", "--steps", "2", "--json",
                  "--exchange-samples", "3")
    assert done.returncode == 0, done.stderr
    ranks = json.loads(done.stdout)["ranks"]
    for name in ["step_seconds", "serial_seconds", "unexchanged_seconds", "exchange_seconds", "pack_seconds"]:
        assert ranks[name] > 0
    assert {"exposed_seconds", "hidden_share"} <= ranks.keys()


@open_mpi
@pytest.mark.parametrize("n,messages", [(2, 1), (3, 2)])
def test_a_ring_of_ranks_is_measured(tess_bin, n, messages):
    done = subprocess.run(
        ["mpirun.openmpi", "--oversubscribe", "-n", str(n), tess_bin, "ranks", "--measure", "--json"],
        env={**os.environ, **ROOT_MAY}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured["ranks"] == n and measured["alpha"] > 0 and measured["beta"] > 0
    assert [size["bytes"] for size in measured["sizes"]] == [messages * 64 * 4**k for k in range(10)]


def test_one_process_has_nobody_to_measure(tess):
    assert "mpiexec -n 2 tess ranks --measure" in tess("ranks", code=2).stderr


@open_mpi
def test_ranks_are_started_where_nothing_has_started_them(tess):
    march = ["march", "--no-lab", "airfoil", "--mesh", "quads:nx=8:ny=6", "--engine", "mpi", "--ranks", "3", "--steps", "1"]
    done = tess(*march, "--json", "--launcher", "mpirun.openmpi --oversubscribe", env={**os.environ, **ROOT_MAY})
    assert json.loads(done.stdout)["ranks"]["n"] == 3
    words = tess(*march, "--launcher", "no-such-launcher", code=4).stderr
    assert "no-such-launcher does not start" in words and "openmpi-bin" in words
