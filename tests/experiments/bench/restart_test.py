"""tess where a run breaks the pretended GPU for good: the rest is made by a process of its own, and nothing twice."""

import json

import h5py
import pytest
from pretended_gpu import KERNEL, gpu, libraries, runs_of  # noqa: F401 (two are fixtures)


@pytest.mark.parametrize("launch", [4, 11])
def test_where_a_reset_does_not_mend_it_the_command_is_made_anew(gpu, launch):
    """Launches 0 to 3 open the first run, 4 to 7 the second, 8 and more are turns."""
    words = ("--strategy", "atomics,atomics:transpose=shared", "--block-size", "64", "--samples", "6")
    gpu(*words, "--lab", "elsewhere")  # its pages are compiled: NVRTC, where it must, starts the GPU once more
    done = gpu(*words, mode="sticky", FAKE_CUDA_FAULT=str(launch), code=1)
    runs = runs_of(done)
    checks = [run["check"] for run in runs]
    assert sorted(checks) == ["FAILED", "passed"]
    failed, passed = runs[checks.index("FAILED")], runs[checks.index("passed")]
    assert "illegal memory access" in failed["failure"] and failed["run"] and len(passed["samples"]) == 6
    assert "starting anew without the run that broke it" in done.stderr
    assert gpu.calls().count("fault") == 1 and len(gpu.records()) == 2
    assert len([call for call in gpu.calls() if call == "start"]) == 3  # the first, opened again, and the new one


def test_what_breaks_the_gpu_each_time_is_left_out_each_time(gpu):
    """Every kernel fails for good."""
    done = gpu("--strategy", "atomics,two-step,block-colour", "--samples", "2", "--graph", "off", mode="wreck", code=1)
    assert [run["check"] for run in runs_of(done)] == ["FAILED"] * 3 and len(gpu.records()) == 3


def test_what_is_over_when_the_gpu_breaks_is_neither_made_nor_archived_again(gpu, tmp_path):
    """Untimed runs are over at once: the first and the third are wrong, the second breaks the GPU."""
    (tmp_path / "nothing.h").write_text(KERNEL.replace("0 * q[0]", "1 + q[0]"))  # what nobody adds is missed
    words = ("--strategy", "atomics,two-step,global-colour", "--samples", "0", "--graph", "off")
    done = gpu(*words, mode="sticky", FAKE_CUDA_FAULT="1", code=1)
    runs = runs_of(done)
    assert [run["check"] for run in runs] == ["FAILED"] * 3
    assert "the result is wrong" in runs[0]["failure"] and "illegal memory access" in runs[1]["failure"]
    assert len({run["run"] for run in runs}) == 3 and len(gpu.records()) == 3
    assert done.stderr.count("atomics, rcb, block size 128 failed") == 1


def test_what_passed_before_the_gpu_broke_is_told_as_it_was(gpu):
    """Sessions of one run each: no memory for more. Launch 8 is the first of the second run."""
    words = ("--strategy", "atomics,two-step,block-colour", "--samples", "2", "--memory", "1e-6", "--graph", "off")
    whole = runs_of(gpu(*words))
    n_records = len(gpu.records())
    done = gpu(*words, mode="sticky", FAKE_CUDA_FAULT="8", code=1)
    runs = runs_of(done)
    assert [run["check"] for run in runs] == ["passed", "FAILED", "passed"] and len(gpu.records()) == n_records + 3
    assert gpu.calls().count("fault") == 1
    same = [key for key in whole[0]  # but times, and what blocks cost that the lab has by now
            if key not in ("run", "session") and not key.startswith("partition_") and not key.endswith("_seconds")]
    assert [runs[0][key] for key in same] == [whole[0][key] for key in same] and len(same) > 40
    with h5py.File(gpu.records()[n_records]) as file:
        assert file.attrs["id"].decode() == runs[0]["run"]


def test_what_is_asked_for_twice_is_made_twice(gpu):
    words = ("--strategy", "atomics,atomics,two-step,atomics", "--samples", "2", "--memory", "1e-6", "--graph", "off")
    runs = runs_of(gpu(*words, mode="sticky", FAKE_CUDA_FAULT="16", code=1))
    assert [run["check"] for run in runs] == ["passed", "passed", "FAILED", "passed"]
    assert len({run["run"] for run in runs}) == 4 and len(gpu.records()) == 4


def test_without_a_lab_the_others_go_on_as_well(gpu):
    done = gpu("--strategy", "atomics,two-step", "--samples", "2", "--no-lab", mode="sticky", FAKE_CUDA_FAULT="0",
               code=1)  # fmt: skip
    assert [run["check"] for run in runs_of(done)] == ["FAILED", "passed"] and runs_of(done)[0]["run"] is None


def test_a_race_goes_on_without_what_broke_the_gpu(gpu):
    done = gpu("--strategy", "atomics,block-colour", "--partitioner", "rcb", "--block-size", "64", "--layout",
               "soa,aos", command="tune", mode="sticky", FAKE_CUDA_FAULT="20")  # fmt: skip
    candidates = json.loads(done.stdout)["candidates"]
    assert sorted(one["place"] for one in candidates) == ["best", "failed", "tie", "tie"]
    failed = [one for one in candidates if one["place"] == "failed"][0]
    assert "illegal memory access" in failed["failure"] and failed["run"] and gpu.calls().count("fault") == 1


@pytest.mark.parametrize("launch", [0, 4])
def test_a_sweep_goes_on_without_what_broke_the_gpu(gpu, tmp_path, launch):
    """Kernels that do nothing pass no application's check: all points fail, but each was made, once only, though
    failed points are to be made again. Four launches open a point."""
    (tmp_path / "points.yaml").write_text(
        "sweep: points\naxes: {device: cuda, application: airfoil, mesh: 'quads:nx=9:ny=9', samples: 2,"
        " strategy: [atomics, 'atomics:transpose=shared', block-colour]}\n"
    )
    done = gpu("--retry-failed", command="sweep", file="points.yaml", mode="sticky", FAKE_CUDA_FAULT=str(launch), code=1)
    words = [point["reason"] for point in json.loads(done.stdout)["points"] if point["state"] == "failed"]
    assert len(gpu.records()) == 3 and len(words) == 3, words
    assert gpu.calls().count("fault") == 1


def test_a_race_makes_nothing_twice(gpu):
    """No memory for two at a time, so that the first two are over when the third breaks the GPU."""
    words = ("--strategy", "atomics", "--partitioner", "rcb,gps,hilbert", "--block-size", "64", "--layout", "soa")
    done = gpu(*words, "--memory", "1e-6", command="tune", mode="sticky", FAKE_CUDA_FAULT="36")
    candidates = json.loads(done.stdout)["candidates"]
    assert sorted(one["place"] for one in candidates) == ["best", "failed", "tie"]
    assert gpu.calls().count("fault") == 1 and len(gpu.records()) == 3
    assert all(one["samples"] > 0 for one in candidates if one["place"] != "failed")


def test_what_is_handed_over_is_checked(gpu, tmp_path):
    for number in ("nonsense", "-1", "0", "3", "99999999999999999999"):
        done = gpu("--strategy", "atomics", code=2, TESS_RESTART=number)
        assert "TESS_RESTART is tess's own, and what it holds cannot be understood: unset it" in done.stderr
    for text, words in [
        ("{", "cannot be understood"),
        ('{"runs": [{"key": 1}]}', "a run without key"),
        ('{"runs": [{"key": "0", "how": {}}]}', "a run without the word of its check"),
        ('{"runs": [{"key": "0", "how": {"check": "passed", "rounds": [1]}}]}', "one round and one clock"),
        ('{"runs": [{"key": "0", "how": {"check": "passed", "counters": {"x": 1}}}]}', "the counter 'x'"),
    ]:
        (tmp_path / "handed").write_text(text)
        with open(tmp_path / "handed") as file:
            done = gpu("--strategy", "atomics", code=None, TESS_RESTART=str(file.fileno()), pass_fds=[file.fileno()])
        assert words in done.stderr and done.returncode in (2, 3), done.stderr
