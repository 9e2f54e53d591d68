"""Ctrl-C: a command ends with 130 wherever it is, keeps what is finished and archives nothing false."""

import json
import os
import pathlib
import signal
import subprocess
import time

import pytest
from conftest import HANG, is_alive

RUN = ("run", "airfoil", "--mesh", "airfoil:i=12:j=16", "-s", "atomics,block-colour,owner-block")
LONG = "irregular:nx=500:ny=500"


def catches(process, number):
    """Whether the program has come so far that it notes a signal."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except FileNotFoundError:
        return False
    return int(status.split("SigCgt:")[1].split()[0], 16) >> (number - 1) & 1


def interrupted(tess_bin, folder, *arguments, ready=None, after=0.0, to_all=False, number=signal.SIGINT,
                seconds=120, **environment):  # fmt: skip
    """Sends a signal `after` so many seconds, or once the file `ready` is there, to the program alone
    or as a terminal does; gives the finished process."""
    process = subprocess.Popen(
        [tess_bin, *map(str, arguments)], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, env={**os.environ, **environment},
        processor_seconds=seconds)  # fmt: skip
    while not (catches(process, number) and (not ready or ready.exists())) and process.poll() is None:
        time.sleep(0.01)
    time.sleep(after)
    (os.killpg if to_all else os.kill)(process.pid, number)
    output, words = process.communicate(timeout=HANG)
    assert process.returncode == 130, words
    assert "interrupted" in words
    return output, words


def outcomes(tess, folder):
    if not (folder / "lab").exists():
        return []
    return [run["outcome"] for run in json.loads(tess("runs", "--json", cwd=folder).stdout)["runs"]]


@pytest.fixture
def slow_compiler(tmp_path):
    """A C compiler that says where it is, and then takes its time; the pages of one run fit a file each."""
    script = tmp_path / "slow-cc"
    script.write_text(f'#!/bin/sh\necho $$ > {tmp_path}/compiling.part\n'
                      f'mv {tmp_path}/compiling.part {tmp_path}/compiling\nsleep 0.3\nexec cc "$@"\n')  # fmt: skip
    script.chmod(0o755)
    return script


@pytest.mark.parametrize("to_all", [True, False])
@pytest.mark.parametrize("after", [0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2])
def test_a_compiler_that_is_killed_is_no_failed_run(tess, tess_bin, tmp_path, slow_compiler, after, to_all):
    """Wherever it hits: the compiler, its sleep, a run between two, or one that is executed."""
    arguments = (*RUN, "--samples", "0") if after < 0.5 else ("tune", *RUN[1:4], "--by", "read_sectors")
    _, words = interrupted(tess_bin, tmp_path, *arguments, ready=tmp_path / "compiling", after=after, to_all=to_all,
                           CC=str(slow_compiler), TESS_CACHE=str(tmp_path / "cache"))  # fmt: skip
    assert "failed" not in words and "refuses" not in words
    assert set(outcomes(tess, tmp_path)) <= {"passed"}
    assert not is_alive((tmp_path / "compiling").read_text().strip())
    assert not list((tmp_path / "cache").rglob("*.c")), "texts are left where a compiler refuses them"


def test_tune_says_why_candidates_were_not_tried(tess_bin, tmp_path, slow_compiler):
    output, _ = interrupted(
        tess_bin, tmp_path, "tune", *RUN[1:4], "--by", "read_sectors", "--budget", "1000s",
        ready=tmp_path / "compiling", after=0.5, CC=str(slow_compiler), TESS_CACHE=str(tmp_path / "cache"))  # fmt: skip
    assert "candidates were not tried: the search was interrupted" in output
    assert "budget" not in output


@pytest.mark.parametrize("after", [0, 0.1, 0.3, 0.6, 1, 1.5])
def test_mosaic_ends_wherever_it_is(tess, tess_bin, tmp_path, after):
    """Uninterrupted it computes for ten seconds."""
    interrupted(tess_bin, tmp_path, "partition", LONG, "--map", "edges:cells", "-p", "rcb,mosaic:level=long",
                "-b", "128", after=after + 0.3, seconds=40)  # fmt: skip
    assert set(outcomes(tess, tmp_path)) <= {"passed"}


@pytest.mark.parametrize("partitioner", ["mosaic", "gps", "rcm", "rcb", "rcb --refine 6", "file-order --order colour"])
def test_every_phase_ends(tess_bin, tmp_path, partitioner):
    for after in (0.2, 0.4, 0.7):
        interrupted(tess_bin, tmp_path, "partition", "irregular:nx=900:ny=900", "--map", "edges:cells", "--no-lab",
                    "-p", *partitioner.split(), "-b", "64,96,128,160,192,224,256", after=after, seconds=60)  # fmt: skip


def test_the_worker_ends_with_the_program(tess, tess_bin, tmp_path):
    """SIGINT to tess alone, as a scheduler sends it."""
    worker = tmp_path / "worker"
    worker.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid.part; mv {tmp_path}/pid.part {tmp_path}/pid\n"
                      "exec sleep 100000\n")  # fmt: skip
    worker.chmod(0o755)
    for number in (signal.SIGINT, signal.SIGTERM):
        (tmp_path / "pid").unlink(missing_ok=True)
        output, _ = interrupted(tess_bin, tmp_path, "partition", "quads:nx=30:ny=30", "--map", "edges:cells",
                                "-p", "rcb,metis", "-b", "32", "--json", ready=tmp_path / "pid", number=number,
                                TESS_WORKER=str(worker))  # fmt: skip
        assert not is_alive((tmp_path / "pid").read_text().strip())
        assert [run["partitioner"] for run in json.loads(output)["runs"]] == ["rcb"], "what is finished is shown"
    assert set(outcomes(tess, tmp_path)) == {"passed"}


@pytest.mark.parametrize("arguments", [
    ("run", "airfoil", "--mesh", "quads:nx=700:ny=700"),
    ("march", "airfoil", "--mesh", "quads:nx=300:ny=300", "--steps", "100000"),
    ("march", "airfoil", "--mesh", "quads:nx=100:ny=100", "--steps", "1000", "--device", "emulator"),
    ("tune", "airfoil", "--mesh", "quads:nx=300:ny=300", "--device", "host", "--budget", "1000s"),
])  # fmt: skip
def test_what_computes_for_long_ends(tess, tess_bin, tmp_path, arguments):
    for after in (0.2, 0.7, 1.5):
        interrupted(tess_bin, tmp_path, *arguments, after=after, seconds=60)
    assert set(outcomes(tess, tmp_path)) <= {"passed"}


@pytest.mark.parametrize("after", [2, 5])
def test_a_search_ends_while_others_cut(tess_bin, tmp_path, after):
    """Half a million cells, whose blocks and tables are made by threads that nobody can end."""
    before = time.monotonic()
    output, _ = interrupted(tess_bin, tmp_path, "tune", "airfoil", "--mesh", "quads:nx=800:ny=700", "--device", "host",
                            "--budget", "1000s", "--json", after=after, number=signal.SIGTERM,
                            seconds=100)  # fmt: skip
    assert not output or json.loads(output)["schema"] == "tess.tune/1"
    assert time.monotonic() - before - after < 30
