"""bench/device_cut.py: what it measures where a GPU is lent, here on the emulator, and what it says of a step that fails."""

import argparse
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT

SCRIPT = ROOT / "bench/device_cut.py"


def module():
    spec = importlib.util.spec_from_file_location("device_cut", SCRIPT)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def asked(tess_bin, seconds=100, scale=2e-4):
    return argparse.Namespace(device="emulator:check=no:count=no", build=Path(tess_bin).parent.parent, seconds=seconds,
                              began=time.monotonic(), scale=scale)  # fmt: skip


def said(*words):
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, timeout=100, check=False)


def test_the_way_from_the_mesh_to_the_first_sample_is_timed(tess_bin):
    bench = module()
    for way in bench.WAYS:
        began = time.monotonic()
        seconds = bench.to_first_sample(asked(tess_bin), way, os.environ["TESS_CACHE"])
        assert 0 < seconds < time.monotonic() - began


def test_what_takes_too_long_is_cut_off(tess_bin):
    bench = module()
    with pytest.raises(bench.StepError, match="cut off: .*bin/tess run airfoil"):
        bench.to_first_sample(asked(tess_bin, 0.01, scale=1), "atomics", os.environ["TESS_CACHE"])


def test_a_plan_of_the_host_is_no_plan_of_the_device(tmp_path):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/tess"
    program.write_text("#!/bin/sh\necho 'tess: planned on the host: no room'\necho 'tess: at    0.500 s   refining and numbering, 0.000 s'\n"
                       "echo 'tess: at    2.250 s   executing and checking, 0.001 s'\n")  # fmt: skip
    program.chmod(0o755)
    done = said("--build", tmp_path, "first-sample")
    assert done.returncode == 1 and "planned on the host: no room" in done.stdout and "not made: first-sample" in done.stdout
    program.write_text(program.read_text().replace("tess: planned on the host", "tess: nothing"))
    done = said("--build", tmp_path, "--runs", 1, "first-sample")
    assert done.returncode == 0 and "atomics: 1.75 to 1.75 s, the median 1.75" in done.stdout, done.stdout
    program.write_text("#!/bin/sh\n[ $TESS_GPU_CODE ] && at=3 || at=2\n[ $CUDA_CACHE_PATH = $TESS_CACHE ] || at=1\necho 'tess: at    0.500 s   "
                       "refining and numbering, 0.000 s'\necho \"tess: at    $at.250 s   executing and checking, 0.001 s\"\n")  # fmt: skip
    lines = said("--build", tmp_path, "--runs", 1, "first-sample").stdout.splitlines()
    assert [line.rpartition(", ")[2] for line in lines[1:4]] == ["a first use: 1.75 s", "all compiled: 2.75 s", "the median 0.75"], lines


def test_a_step_that_is_not_there_is_refused(tmp_path):
    assert "there are the steps first-sample, races, cuts, same-bits, plans" in said("race").stderr
    done = said("--build", tmp_path, "--device", "emulator", "races")
    assert done.returncode == 1 and "not made: races" in done.stdout
