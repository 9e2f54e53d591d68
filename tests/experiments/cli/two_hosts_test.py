"""Ranks on two hosts (two_hosts.sh: namespaces that a cable joins): they come to the same state, and one that ends ends all."""

import json
import os
import pathlib
import signal
import subprocess

import pytest
from launched_ranks import ROOT_MAY, computing, launcher_command

HERE = pathlib.Path(__file__).parent
HOSTS = ("10.78.0.1", "10.78.0.2")
MARCH = ["march", "lulesh", "--mesh", "hexes:nx=6:ny=5:nz=4", "--halo", "partial-sums"]


def on_hosts(launcher, folder, *command):
    """The words that start a command as a rank on each host."""
    command_of = {
        "Open MPI": ["--mca", "plm_rsh_agent", folder / "rsh", "--mca", "btl_tcp_if_include", "cable",
                     "--mca", "oob_tcp_if_include", "cable", "--host", ",".join(HOSTS)],
        "MPICH": ["-launcher", "ssh", "-launcher-exec", folder / "rsh", "-hosts", ",".join(HOSTS), "-ppn", "1"],
    }
    return ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc",
            HERE / "two_hosts.sh", folder, launcher_command(launcher)[0], *command_of[launcher], "-n", "2", *command]


@pytest.fixture(autouse=True)
def hosts(tmp_path):
    """Skips where there can be no hosts."""
    folder = tmp_path / "probe"
    folder.mkdir()
    done = subprocess.run([*on_hosts("Open MPI", folder, "true")[:9], HERE / "two_hosts.sh", folder, folder / "rsh", HOSTS[1],
                           "hostname"], capture_output=True, text=True, timeout=60)
    if done.stdout != "hostb\n":
        pytest.skip(f"no hosts in namespaces here: {' '.join(done.stderr.split())}")


@pytest.mark.parametrize("launcher", ["Open MPI", "MPICH"])
def test_ranks_on_two_hosts_come_to_the_same_state(tess, tess_bin, tmp_path, launcher):
    common = [*MARCH, "--no-lab", "--steps", "2", "--check", "--json"]
    done = subprocess.run(on_hosts(launcher, tmp_path, tess_bin, *common, "--engine", "mpi"), env={**os.environ, **ROOT_MAY},
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    got, want = json.loads(done.stdout), json.loads(tess(*common, "--ranks", "2").stdout)
    assert got["check"]["difference"] <= got["check"]["tolerance"]
    assert got["ranks"] == {**want["ranks"], "engine": "mpi"}


def test_a_rank_of_mpich_that_stays_in_a_collective_ends_well(tess_bin, tmp_path):
    """It answers the other one's MPI_Finalize, which would not answer its own (MPICH 4.0 over UCX 1.13)."""
    (tmp_path / "lingering.c").write_text("""
        #include <stdlib.h>
        #include <unistd.h>
        int PMPI_Allreduce(const void *, void *, int, int, int, int), PMPI_Iprobe(int, int, int, int *, void *);
        int MPI_Allreduce(const void *send, void *receive, int n, int type, int op, int comm) {
            int result = PMPI_Allreduce(send, receive, n, type, op, comm), found;
            long status[8];
            for (int i = 0; i < 200 && atoi(getenv("PMI_RANK")) == 1; i++, usleep(1000))
                PMPI_Iprobe(-2, -1, comm, &found, status);
            return result;
        }""")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "lingering.so", tmp_path / "lingering.c", "-Wl,--no-as-needed",
                    "-l:libmpich.so.12"], check=True)
    done = subprocess.run(on_hosts("MPICH", tmp_path, tess_bin, *MARCH, "--no-lab", "--engine", "mpi", "--steps", "1"), capture_output=True,
                          text=True, timeout=300, env={**os.environ, **ROOT_MAY, "TESS_MPI": str(tmp_path / "lingering.so")})
    assert done.returncode == 0, done.stderr


def test_a_rank_that_is_killed_on_another_host_is_named_with_it(tess_bin, tmp_path):
    lab = tmp_path / "lab"
    launched = subprocess.Popen(
        on_hosts("Open MPI", tmp_path, tess_bin, *MARCH, "--engine", "mpi", "--steps", "100000000", "--lab", lab),
        env={**os.environ, **ROOT_MAY}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        os.kill(computing(launched, 2), signal.SIGKILL)
        said = launched.communicate(timeout=300)[1]
    finally:
        launched.kill()
    assert launched.returncode != 0
    assert [line for line in said.splitlines() if line.startswith("tess: ")] == [
        "tess: rank 1 on hostb: ended by signal 9 (Killed): by somebody, or because memory ran out"]
    assert len(list((lab / "runs").glob("*.hdf"))) == 1
