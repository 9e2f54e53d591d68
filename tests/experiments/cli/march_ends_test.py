"""Chained marches and tune --step that end early: Ctrl-C, kill, a full disk. What is finished is kept, nothing false is."""

import json
import os
import re
import signal
import subprocess
import time

import pytest
from conftest import HANG
from interrupt_test import interrupted

pytestmark = pytest.mark.usefixtures("compiling_cc")

CHAINED = ("march", "airfoil", "--mesh", "quads:nx=80:ny=60", "--chains", "auto:rings=2", "--block-size", "64")
TUNE = ("tune", "airfoil", "--mesh", "quads:nx=60:ny=40", "--step", "--device", "host")


def is_whole(tess, folder):
    """The lab has no defect, and no file is left half written."""
    if (folder / "lab").exists():
        assert "0 defects" in tess("verify", cwd=folder).stdout
        assert not list((folder / "lab").rglob("*.tmp"))


@pytest.mark.parametrize("device, steps", [("host", 10**6), ("emulator", 10**4)])
@pytest.mark.parametrize("after", [0.05, 1.5])
def test_a_chained_march_is_interrupted(tess, tess_bin, tmp_path, device, steps, after):
    interrupted(tess_bin, tmp_path, *CHAINED, "--device", device, "--steps", steps, "--every", "1", after=after)
    is_whole(tess, tmp_path)


@pytest.mark.parametrize("every, more, words", [
    (1, [], r"interrupted after \d+ of 1000000 steps, which are kept: run "),
    (1, ["--check"], r"interrupted after \d+ of 1000000 steps, which are kept: run "),
    (1, ["--no-lab"], r"interrupted after \d+ of 1000000 steps\n"),
    (10**6, [], "interrupted before the first row: nothing is kept"),
], ids=["kept", "unchecked", "no lab", "no row"])  # fmt: skip
def test_an_interrupted_march_says_what_is_kept(tess, tess_bin, tmp_path, every, more, words):
    output, said = interrupted(tess_bin, tmp_path, "march", "airfoil", "--mesh", "quads:nx=20:ny=20", "--steps", 10**6,
                               "--every", every, *more, after=1.5)  # fmt: skip
    assert re.search(words, said) and "come to the same state" not in output
    kept = json.loads(tess("runs", "--json", cwd=tmp_path).stdout)["runs"] if "kept: run" in said else []
    assert [run["outcome"] for run in kept] == ["unchecked"] * len(kept)
    assert all(f"run {run['run']}" in said for run in kept)
    assert list((tmp_path / "lab").glob("runs/*")) == [] or kept


@pytest.mark.parametrize("after", [0.05, 1, 4])
def test_the_tuning_of_a_step_is_interrupted(tess, tess_bin, tmp_path, after):
    interrupted(tess_bin, tmp_path, *TUNE, "--budget", "1000s", after=after)
    is_whole(tess, tmp_path)
    assert not list(tmp_path.glob("*.yaml")), "settings are written when all is found"


@pytest.mark.parametrize("arguments", [(*CHAINED, "--steps", "1000000", "--every", "1"), (*TUNE, "--budget", "1000s")],
                         ids=["march", "tune"])
def test_what_is_killed_leaves_a_lab_that_is_whole(tess, tess_bin, tmp_path, arguments):
    process = subprocess.Popen([tess_bin, *arguments], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               start_new_session=True, processor_seconds=60)
    time.sleep(1.5)
    process.kill()
    process.communicate(timeout=HANG)
    assert process.returncode == -signal.SIGKILL and not list(tmp_path.glob("*.yaml"))
    is_whole(tess, tmp_path)
    tess(*CHAINED, "--steps", "2", cwd=tmp_path)
    assert json.loads(tess("runs", "--json", cwd=tmp_path).stdout)["runs"][-1]["outcome"] == "unchecked"


@pytest.mark.parametrize("size", ["20k", "40k", "80k", "100k"])
def test_a_full_disk_ends_a_chained_march_in_words(tess, small_disk, size):
    """Where the disk has no room for the mesh or the plan, with and without room for the run that failed so."""
    lab = small_disk(size)
    done = tess("march", "airfoil", "--mesh", "irregular:nx=40:ny=40", "--chains", "auto:rings=2", "--steps", "2", "--lab", lab, code=1)
    assert "No space left on device" in done.stderr
    assert not list(lab.rglob("*.tmp")) and "0 defects" in tess("verify", "--lab", lab).stdout


def test_a_full_disk_ends_the_tuning_of_a_step_in_words(tess, small_disk, tmp_path):
    """Of the lab, and of the file of settings, which is not left half written."""
    disk = small_disk("60k").parent
    done = tess(*TUNE, "--budget", "5s", "--lab", disk / "lab", cwd=tmp_path, code=1)
    assert "No space left on device" in done.stderr and not list(disk.rglob("*.tmp"))
    with open(disk / "filler", "wb") as filler:
        filler.write(bytes(os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize))
    done = tess(*TUNE, "--budget", "5s", "--no-lab", "--output", disk / "found.yaml", cwd=tmp_path, code=1)
    assert "No space left on device" in done.stderr and "found.yaml" in done.stderr
    assert not (disk / "found.yaml").exists() and not list(disk.rglob("*.tmp"))
