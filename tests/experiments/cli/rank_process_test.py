"""A rank that is killed, stopped or stuck ends all ranks, and one line says which and why."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import time

import pytest
from launched_ranks import LAUNCHERS, ROOT_MAY, computing, launcher_command, processes

TIMEOUT = 2


@pytest.fixture(scope="module", autouse=True)
def compiled(tess):
    """What the ranks run is compiled beforehand, so that they march soon after they have started."""
    tess("march", "--no-lab", "airfoil", "--mesh", "airfoil:i=20:j=30", "--ranks", "3", "--steps", "1")


def gone(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def shared_memory():
    """What lies in shared memory, but for what LLVM's OpenMP notes there, which we do not use but others here may."""
    return {path.name for path in pathlib.Path("/dev/shm").iterdir() if not path.name.startswith("__KMP_REGISTERED_LIB_")}


def wait_until(is_so):
    """Tests beside this one have shared memory, too, for a while."""
    end = time.monotonic() + 60
    while not is_so() and time.monotonic() < end:
        time.sleep(0.1)


def run_to_the_end(launcher, tess_bin, harm):
    """What all ranks say after `harm` has been done to the one that computes rank 1. Nothing of them is left."""
    command = launcher_command(launcher)
    before = shared_memory()
    launched = subprocess.Popen(
        [*command, "-n", "3", tess_bin, "march", "--no-lab", "airfoil", "--mesh", "airfoil:i=20:j=30", "--engine", "mpi",
         "--steps", "100000000", "--rank-timeout", str(TIMEOUT)],
        env={**os.environ, **ROOT_MAY}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        victim = computing(launched, 3)
        all_of_them = processes(launched.pid)
        harm(victim)
        _, said = launched.communicate(timeout=300)  # for a busy machine: it is the timeout and 5 s
    finally:
        launched.kill()
    assert launched.returncode != 0
    wait_until(lambda: all(map(gone, all_of_them)) and shared_memory() <= before)
    assert [pid for pid in all_of_them if not gone(pid)] == []
    assert shared_memory() <= before
    return [line for line in said.splitlines() if line.startswith("tess: ")]


@pytest.mark.parametrize("launcher,what,words", [
    ("Open MPI", signal.SIGKILL, "ended by signal 9 (Killed): by somebody, or because memory ran out"),
    ("MPICH", signal.SIGKILL, "ended by signal 9 (Killed): by somebody, or because memory ran out"),
    ("Open MPI", signal.SIGSTOP, f"stopped by a signal for over {TIMEOUT} s (--rank-timeout)"),
    ("MPICH", signal.SIGSTOP, f"stopped by a signal for over {TIMEOUT} s (--rank-timeout)"),
    ("MPICH", signal.SIGSEGV, "ended by signal 11 (Segmentation fault)")])
def test_a_rank_that_ends_or_stops_is_named_and_ends_all(tess_bin, launcher, what, words):
    said = run_to_the_end(launcher, tess_bin, lambda rank: os.kill(rank, what))
    assert said == [f"tess: rank 1 on {socket.gethostname()}: {words}"]


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_ranks_that_wait_for_one_that_is_lost_end(tess_bin, launcher):
    def lose(rank):  # who watches over it is stopped as well, as on a host that is gone
        os.kill(int(pathlib.Path(f"/proc/{rank}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGSTOP)
        os.kill(rank, signal.SIGSTOP)

    said = run_to_the_end(launcher, tess_bin, lose)
    assert said
    for line in said:
        assert "rank 1" not in line and f"stands still for over {TIMEOUT} s (--rank-timeout)" in line


@pytest.mark.parametrize("harm,words", [
    ({"FAKE_CUDA_FAULT": "120"}, "an illegal memory access was encountered"),
    ({"FAKE_CUDA": "memory"}, "the GPU is out of memory: ")])
def test_a_rank_whose_gpu_fails_is_named_and_ends_all(tess, tess_bin, tmp_path, harm, words):
    """On a driver that pretends to a GPU (fake_cuda.c), which fails in the second rank alone."""
    for library in ("libcuda.so.1", "libnvidia-ml.so.1"):
        subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-z,nodelete", "-o", tmp_path / library,
                        pathlib.Path(__file__).parents[1] / "bench/fake_cuda.c"], check=True)
    march = [tess_bin, "march", "airfoil", "--mesh", "airfoil:i=20:j=30", "--device", "cuda", "--engine", "mpi",
             "--steps", "100000000", "--rank-timeout", str(TIMEOUT), "--lab", tmp_path / "lab"]
    before = shared_memory()
    (tmp_path / "calls").touch()
    launched = subprocess.Popen(
        [*launcher_command("Open MPI"), "-n", "1", *march, ":", "-n", "1", "env", *map("=".join, harm.items()), *march],
        env={**os.environ, **ROOT_MAY, "LD_LIBRARY_PATH": str(tmp_path), "TMPDIR": str(tmp_path),
             "FAKE_CUDA_LOG": str(tmp_path / "calls")},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said = launched.communicate(timeout=300)[1]
    finally:
        launched.kill()
    if "libnvrtc" in said:
        pytest.skip("NVRTC is not on this machine")
    [line] = [line for line in said.splitlines() if line.startswith("tess: ")]
    assert launched.returncode != 0 and line.startswith(f"tess: rank 1 on {socket.gethostname()}: ") and words in line
    wait_until(lambda: shared_memory() <= before)
    assert shared_memory() <= before
    [run] = json.loads(tess("runs", "--lab", tmp_path / "lab", "--json").stdout)["runs"]
    assert run["outcome"] == "failed"
