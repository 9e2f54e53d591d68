"""The engine nccl, on a double of NCCL that carries files between processes: no GPU is needed."""

import os
import pathlib
import shutil
import subprocess

import pytest
from launched_ranks import ROOT_MAY

pytestmark = [pytest.mark.usefixtures("compiling_cc"),
              pytest.mark.skipif(not shutil.which("mpirun.openmpi"),
                                 reason="no Open MPI (Debian: apt-get install openmpi-bin)")]


@pytest.fixture
def ranks(tess_bin, tmp_path):
    folder = pathlib.Path(tess_bin).parents[1] / "tests"
    double = folder / "libnccl_double.so"

    def run(program, n=3, code=0, **env):
        done = subprocess.run(["mpirun.openmpi", "--bind-to", "none", "--oversubscribe", "-n", str(n), *program],
                              env={**os.environ, **ROOT_MAY, "TESS_NCCL": str(double), **env},
                              capture_output=True, text=True, timeout=600)
        assert done.returncode == code, done.stdout + done.stderr
        return done
    run.driver = str(folder / "nccl_ranks")
    return run


def test_ranks_of_gpus_come_to_the_sequential_state(ranks):
    words = ranks([ranks.driver]).stdout
    assert words.startswith("3 ranks:")
    assert "NCCL_NVLS_ENABLE=0, NCCL_MAX_CTAS=8;" in words
    assert not list(pathlib.Path("/tmp").glob("nccl-double-*/*")), "a message was sent that nobody received"


def test_messages_copied_into_the_memory_of_others_come_to_the_sequential_state(ranks):
    double = pathlib.Path(ranks.driver).with_name("libpeer_double.so")
    for n, moves in [(2, 96), (4, 108)]:  # launches that pack, unpack and add, of rank 0
        words = ranks([ranks.driver, "peer"], n=n, TESS_PEER=str(double)).stdout
        assert words.startswith(f"{n} ranks:")
        assert f"{moves} moves of 184 dats" in words
        assert f" {max(len(os.sched_getaffinity(0)) // n, 1)} threads;" in words  # of the processors that they share
    assert " 3 threads;" in ranks([ranks.driver, "peer"], n=2, TESS_PEER=str(double), OMP_NUM_THREADS="3").stdout
    assert "no CUDA driver" in ranks([ranks.driver, "peer"], n=2, code=255, TESS_PEER="libnone.so").stderr


def test_steps_in_graphs_come_to_the_sequential_state(ranks):
    assert ranks([ranks.driver], n=1).stdout.startswith("1 ranks:")


def test_a_version_that_does_not_fit_is_refused(ranks, tess_bin):
    march = [tess_bin, "march", "--no-lab", "airfoil", "--mesh", "quads:nx=8:ny=6", "--engine", "nccl"]
    assert "NCCL is of version 2.6.4: 2.7 or a later 2 is needed" in ranks(
        march, n=2, code=4, NCCL_DOUBLE_VERSION="2604").stderr
    assert "NCCL is of version 3.0.1" in ranks(march, n=2, code=4, NCCL_DOUBLE_VERSION="30001").stderr
    assert "there is no NCCL" in ranks(march, n=2, code=4, TESS_NCCL="libnone.so.2").stderr


def test_channels_that_the_user_sets_stay(ranks):
    assert "NCCL_MAX_CTAS=3;" in ranks([ranks.driver], n=2, NCCL_MAX_CTAS="3").stdout


def test_nccl_is_for_gpus(ranks, tess_bin):
    march = [tess_bin, "march", "--no-lab", "airfoil", "--mesh", "quads:nx=8:ny=6", "--engine", "nccl"]
    assert "engine nccl carries between GPUs: --device cuda" in ranks(march, n=2, code=2).stderr
