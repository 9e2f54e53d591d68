"""Ranks that a launcher of MPI starts as processes, for the tests that look at these processes."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

LAUNCHERS = {
    "Open MPI": (["mpirun.openmpi", "--oversubscribe"], "openmpi-bin"),
    "MPICH": (["mpiexec.mpich"], "mpich"),
}
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}
RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK=1", "PMI_RANK=1")


def launcher_command(launcher):
    """How a launcher is called; skips the test where it is not installed."""
    command, package = LAUNCHERS[launcher]
    if not shutil.which(command[0]):
        pytest.skip(f"no {launcher} (Debian: apt-get install {package})")
    return command


def processes(parent):
    """Those that descend from a process, by number, with what /proc says of them."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = [parent]
    for pid in found:
        found += [child for child, of in parents.items() if of == pid]
    return found[1:]


def processor_seconds(pid):
    user, system = (int(ticks) for ticks in pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])
    return (user + system) / os.sysconf("SC_CLK_TCK")


def computing(launched, n):
    """The process that computes rank 1, as soon as all n march: each has computed for a second, which MPI's start does not take."""
    for _ in range(600):
        ranks, is_rank = [], {}
        for pid in processes(launched.pid):
            try:
                folder = pathlib.Path(f"/proc/{pid}")
                if (folder / "comm").read_text().strip() == "tess" and "libmpi" in (folder / "maps").read_text() \
                        and processor_seconds(pid) >= 1:
                    ranks.append(pid)
                    is_rank[pid] = any(variable in (folder / "environ").read_text().split("\0")
                                       for variable in RANK_VARIABLES)
            except OSError:
                continue
        if len(ranks) == n and any(is_rank.values()):
            return next(pid for pid in ranks if is_rank[pid])
        time.sleep(0.1)
    pytest.fail("the ranks do not start")


def said_by_ranks_of_which_one_is_killed(program):
    """What the two ranks of a program, which computes until it is ended, say after rank 1 was killed."""
    launched = subprocess.Popen([*launcher_command("Open MPI"), "-n", "2", *program], env={**os.environ, **ROOT_MAY},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        os.kill(computing(launched, 2), signal.SIGKILL)
        return launched.communicate(timeout=300)[1]
    finally:
        launched.kill()
