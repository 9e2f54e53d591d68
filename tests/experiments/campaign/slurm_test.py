"""tess sweep on a real Slurm: a cluster of one node in namespaces of its own (slurm_cluster.sh)."""

import collections
import os
import pathlib
import shutil
import signal
import subprocess
import time

import h5py
import pytest
from conftest import HANG

HERE = pathlib.Path(__file__).parent
NAMESPACES = ["--mount", "--net", "--uts", "--ipc", "--pid"]
RECIPE = """\
sweep: blocks
axes:
  mesh: ["tris:nx=24:ny=20", "quads:nx=16:ny=16"]
  map: edges:cells
  partitioner: [file-order, rcb, mosaic, "exec:command=./cut:format=graph"]
  block_size: [32, 64]
repetitions: 3
"""
N_POINTS = 2 * 4 * 2 * 3
CUT = """\
#!/bin/sh
# Blocks of consecutive elements, not before the file `hold` is gone.
touch begun
while [ -e hold ]; do sleep 0.05; done
exec awk -v n=$TESS_ELEMENTS -v size=$TESS_BLOCK_SIZE 'BEGIN { for (i = 0; i < n; i++) print int(i / size) }'
"""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Runs a command where the cluster is: slurm("sbatch", ..., cwd=..., wait=False)."""
    folder = tmp_path_factory.mktemp("slurm")
    if not shutil.which("slurmctld", path=f"{os.environ['PATH']}:/usr/sbin"):
        pytest.skip("Slurm is not on this machine")
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "SLURM_CONF": str(folder / "slurm.conf"),
                   "OMP_NUM_THREADS": "1"}
    cluster = subprocess.Popen(
        ["unshare", *NAMESPACES, "--fork", "--kill-child", "--mount-proc", HERE / "slurm_cluster.sh", folder],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = []
    while not (said and said[-1] == "ready\n") and (line := cluster.stdout.readline()):
        said.append(line)
    if not said or said[-1] != "ready\n":
        cluster.communicate()
        pytest.skip(f"no Slurm in namespaces here: {' '.join(''.join(said).split())}")
    inside = pathlib.Path(f"/proc/{cluster.pid}/task/{cluster.pid}/children").read_text().split()[0]

    def run(*words, cwd, code=0, wait=True):
        process = subprocess.Popen(["nsenter", "--target", inside, *NAMESPACES, f"--wd={cwd}", *map(str, words)], env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if not wait:
            return process
        printed, errors = process.communicate(timeout=HANG)
        assert process.returncode == code, printed + errors
        return subprocess.CompletedProcess(words, code, printed, errors)

    yield run
    cluster.communicate(input="end\n")


def points(folder):
    """How many records each point has."""
    found = collections.Counter()
    for path in (folder / "lab/runs").glob("*.hdf"):
        with h5py.File(path, "r") as file:
            assert file.attrs["outcome"] == b"passed"
            found[next(row["text"] for row in file["configuration"] if row["key"] == b"sweep_point")] += 1
    return found


def is_idle(slurm, folder):
    return not slurm("squeue", "--noheader", cwd=folder).stdout.strip()


def wait_for(condition):
    limit = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < limit, "it never came"
        time.sleep(0.02)


def test_cancelled_killed_and_submitted_again_a_sweep_makes_each_point_once(slurm, tess_bin, tmp_path):
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    (tmp_path / "cut").write_text(CUT)
    (tmp_path / "cut").chmod(0o755)
    begun, hold = tmp_path / "begun", tmp_path / "hold"
    hold.touch()
    sweep = (tess_bin, "sweep", "recipe.yaml", "--allow-exec", "--lab", "lab", "--no-view")

    # More tasks than the cluster takes; cancelled midway.
    done = slurm(*sweep, "--slurm", "9", "--submit-option=--time=5", cwd=tmp_path)
    assert "Submitted batch job" in done.stdout and "3 tasks and not 9: the system takes no more (MaxArraySize)" in done.stderr
    wait_for(begun.exists)
    slurm("scancel", done.stdout.split()[-1], cwd=tmp_path)
    wait_for(lambda: is_idle(slurm, tmp_path))
    assert sum(points(tmp_path).values()) < N_POINTS

    # Waited for, one task killed: the others make what it had begun, and the message says what happened.
    begun.unlink()
    waiting = slurm(*sweep, "--slurm", "3", "--submit-option=--wait", cwd=tmp_path, wait=False)
    wait_for(begun.exists)
    wait_for(lambda: kill_first_task(tess_bin, tmp_path))
    hold.unlink()
    printed, errors = waiting.communicate(timeout=HANG)
    assert "Submitted batch job" in printed
    assert waiting.returncode == 1 and "a task of blocks.sbatch failed (see blocks-*.log" in errors, errors

    # Once more, for what may be left; then nothing is submitted.
    slurm(*sweep, "--slurm", "3", cwd=tmp_path)
    wait_for(lambda: is_idle(slurm, tmp_path))
    found = points(tmp_path)
    assert len(found) == N_POINTS and set(found.values()) == {1}
    done = slurm(*sweep, "--slurm", "3", cwd=tmp_path)
    assert not done.stdout and "0 tasks are enough for what is left" in done.stderr
    assert "0 defects" in slurm(tess_bin, "verify", "--lab", "lab", cwd=tmp_path).stdout
    refused = slurm(*sweep[:-3], "--lab", "other", "--slurm", "3", "--submit-option=--partition=none", cwd=tmp_path, code=1)
    assert "sbatch refused blocks.sbatch" in refused.stderr and "none" in refused.stderr


@pytest.mark.parametrize("launcher,mpi", [("srun", "mpirun.openmpi"), ("srun --mpi=pmi2", "mpiexec.mpich")])
def test_srun_starts_ranks_in_the_allocation_of_a_task(slurm, tess_bin, tmp_path, launcher, mpi):
    if not shutil.which(mpi):
        pytest.skip(f"no {mpi} (Debian: apt-get install openmpi-bin mpich)")
    (tmp_path / "recipe.yaml").write_text(
        "sweep: ranks\naxes: {application: airfoil, mesh: 'quads:nx=12:ny=12', device: host, strategy: openmp, engine: mpi, "
        "ranks: 3, halo: partial-sums, samples: 1}\n")
    slurm(tess_bin, "sweep", "recipe.yaml", "--lab", "lab", "--slurm", "1", "--launcher", launcher, cwd=tmp_path)
    wait_for(lambda: is_idle(slurm, tmp_path))
    assert list(points(tmp_path).values()) == [1]


def kill_first_task(tess_bin, folder):
    """Kills the first task of the job where it runs."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[0].decode() == str(tess_bin) and b"1/3" in words and os.path.samefile(process / "cwd", folder):
                os.kill(int(process.name), signal.SIGKILL)
                return True
        except OSError:
            continue
    return False
