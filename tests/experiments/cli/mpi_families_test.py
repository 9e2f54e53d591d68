"""One binary on the MPI libraries of three binary interfaces: the same results, to the last bit."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from launched_ranks import ROOT_MAY

WHEEL = "mpich==5.0.2"  # its libmpi_abi.so.1 has the standard interface of MPI 5.0


@pytest.fixture(scope="module")
def wheel(pip, tmp_path_factory):
    """The folder of an environment with the wheel."""
    folder = tmp_path_factory.mktemp("mpich wheel")
    done = subprocess.run([*pip(folder), "install", "--quiet", "--no-deps", WHEEL], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        pytest.skip(f"PyPI has no {WHEEL} for this machine, or is out of reach")
    return folder


def march(tess_bin, lab, launcher, **environment):
    """The sums of each row, and what carried them."""
    done = subprocess.run(
        [*launcher, "-n", "3", tess_bin, "march", "airfoil", "--mesh", "airfoil:i=12:j=18", "--engine", "mpi", "--halo",
         "partial-sums", "--steps", "6", "--every", "1", "--check", "--json", "--lab", lab],
        env={**os.environ, **ROOT_MAY, **environment}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run([tess_bin, "show", "@last", "--lab", lab, "--json"], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    return ([row["rms"] for row in answer["rows"]], answer["check"]["difference"]), json.loads(
        shown.stdout)["environment"]["carriers"]


def test_results_do_not_depend_on_the_library(tess_bin, tmp_path, wheel):
    for program in ["mpirun.openmpi", "mpiexec.mpich"]:
        if not shutil.which(program):
            pytest.skip(f"no {program} (Debian: apt-get install openmpi-bin mpich)")
    ways = [
        (["mpirun.openmpi", "--oversubscribe"], {}, "libmpi.so.40: Open MPI"),
        (["mpiexec.mpich"], {}, "libmpich.so.12: MPICH"),
        ([str(wheel / "bin/mpiexec")], {"LD_LIBRARY_PATH": str(wheel / "lib")}, "libmpi_abi.so.1: MPICH")]
    results = []
    for launcher, environment, words in ways:
        result, carriers = march(tess_bin, tmp_path / pathlib.Path(launcher[0]).name, launcher, **environment)
        assert carriers.startswith(words)
        results.append(result)
    assert results[0] == results[1] == results[2]
