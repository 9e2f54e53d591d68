"""tess on a pretended GPU (fake_cuda.c): what is asked of the driver, and what becomes of its errors."""

import json
import os
import pathlib
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from launched_ranks import ROOT_MAY
from pretended_gpu import gpu, libraries, runs_of  # noqa: F401 (the first two are fixtures)

HERE = pathlib.Path(__file__).parent


def test_a_loop_of_several_launches_is_one_graph(gpu):
    done = gpu("--strategy", "block-colour,atomics", "--samples", "2")
    many, one = runs_of(done)
    assert many["launches"] > 1 and many["graph"] and not one["graph"]
    calls = gpu.calls()
    assert calls.count("keep") == many["launches"] and "launch without a stream" not in calls
    assert calls.count("graph") == 1 + 3 + 2 * 2  # the first run, the warm-up, two turns
    assert calls.count("launch") == 1 + 3 + 2 * 2
    assert calls.count("free graph") == 1


def test_graphs_can_be_chosen(gpu):
    off = runs_of(gpu("--strategy", "block-colour", "--samples", "1", "--graph", "off"))[0]
    assert not off["graph"] and "graph" not in gpu.calls()
    on = runs_of(gpu("--strategy", "atomics", "--samples", "1", "--graph", "on"))[0]
    assert on["graph"] and "launch" not in gpu.calls()


def test_a_carveout_is_asked_for_where_a_strategy_says_so(gpu):
    gpu("--strategy", "halo-atomics,point-parallel,block-colour", "--samples", "1")
    assert not [call for call in gpu.calls() if call.startswith("carveout")]
    ways = ["halo-atomics:carveout=40", "owner-block:sum=slots:carveout=41", "point-parallel:carveout=42", "block-colour:carveout=43",
            "atomics:carveout=44", "two-step:carveout=45"]  # fmt: skip
    runs = runs_of(gpu("--strategy", ",".join(ways), "--samples", "1"))
    assert [run["strategy"] for run in runs] == ways and {run["check"] for run in runs} == {"passed"}
    calls = gpu.calls()
    assert {call for call in calls if call.startswith("carveout")} == {f"carveout {n}" for n in range(40, 46)}
    assert all(calls[i + 1] in ("launch", "keep") for i, call in enumerate(calls) if call.startswith("carveout"))


@pytest.mark.parametrize("mode,made", [("", ["make a graph with priorities"]),
                                       ("flat", ["make a graph with priorities", "make a graph"])])
def test_graphs_keep_the_priorities_of_streams_where_the_driver_can(gpu, mode, made):
    done = gpu("--strategy", "block-colour", "--samples", "1", mode=mode)
    assert runs_of(done)[0]["graph"]
    assert [call for call in gpu.calls() if call.startswith("make")] == made and gpu.calls().count("graph") > 0


def test_a_cold_cache_is_flushed_before_each_sample_of_ranks(gpu):
    [run] = runs_of(gpu("--strategy", "atomics", "--samples", "3", "--cache", "cold", "--ranks", "2"))
    assert run["check"] == "passed" and run["ranks"]["n"] == 2
    assert gpu.calls().count("flush") == 3


def test_the_profiler_sees_no_ranks(gpu):
    said = gpu("--strategy", "atomics", "--counters", "--ranks", "2", code=1).stderr
    assert "read by ncu in a process of its own" in said and "leave --counters or --ranks out" in said


def test_a_cold_cache_is_flushed_before_each_sample(gpu, tess, tmp_path):
    gpu("--strategy", "atomics", "--samples", "3", "--cache", "cold")
    calls = gpu.calls()
    assert calls.count("flush") == 3
    where = [i for i, call in enumerate(calls) if call == "flush"]
    assert all(calls[i + 1] == "launch" for i in where)
    assert json.loads(tess("show", "@last", "--lab", tmp_path / "lab", "--json").stdout)["configuration"]["cache"] == "cold"


def test_a_large_mesh_is_stored_while_its_loop_runs(gpu, tess, tmp_path):
    words = ["--strategy", "atomics", "--samples", "1", "--mesh", "quads:nx=502:ny=502", "--partition-on", "host"]
    first, again = (runs_of(gpu(*words))[0] for _ in range(2))
    assert first["check"] == again["check"] == "passed"
    records = [json.loads(tess("show", run["run"], "--lab", tmp_path / "lab", "--json").stdout) for run in (first, again)]
    assert records[0]["mesh_digest"] == records[1]["mesh_digest"] and records[0]["plan_digest"] == records[1]["plan_digest"]
    taken = [record["environment"].get("partition_reused_from") for record in records]
    assert taken == [None, first["run"]]
    assert (tmp_path / "lab" / "meshes" / f"{records[0]['mesh_digest']}.hdf").exists()
    tess("verify", "--lab", tmp_path / "lab")


def test_a_record_names_the_gpu_and_its_driver(gpu, tess, tmp_path):
    gpu("--strategy", "atomics", "--samples", "1")
    environment = json.loads(tess("show", "@last", "--lab", tmp_path / "lab", "--json").stdout)["environment"]
    assert environment["gpu"] == "Pretended GPU" and environment["driver"].startswith("CUDA 1")
    tess("run", "airfoil", "--mesh", "quads:nx=9:ny=9", "--lab", tmp_path / "lab")
    environment = json.loads(tess("show", "@last", "--lab", tmp_path / "lab", "--json").stdout)["environment"]
    assert "gpu" not in environment and "driver" not in environment


def test_every_sample_has_the_clock_it_ran_at(gpu):
    done = gpu("--strategy", "atomics", "--samples", "4", device="cuda:1")
    assert runs_of(done)[0]["clocks"] == [1.98e9] * 4
    with h5py.File(gpu.records()[0]) as file:
        assert np.array_equal(file["samples/clock"], [1.98e9] * 4)
        assert np.array_equal(file["samples/memory_clock"], [3.201e9] * 4)


def test_what_stands_by_moves_its_data_and_opens_the_gpu_anew(gpu):
    times = 3 * ["tess standing by: 1.250000000e-04"]
    done = gpu("--strategy", "two-step", "--samples", "2", "--no-lab", "--stand-by", say="time\ntime\ntime\nanew\ntime\ntime\ntime\n")
    assert done.stdout.splitlines() == [*["tess standing by: ready anew", *times] * 2]
    calls = gpu.calls()
    assert calls.count("release") == 2 and calls.count("make a graph with priorities") == calls.count("free graph") == 8


def test_a_mesh_run_as_it_is_stored_is_predicted_once_its_data_are_there(tess, libraries):
    """Another thread makes an application's data; the pretended GPU computes nothing, so the check fails."""
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{libraries['new']}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    words = "airfoil --mesh tris:nx=30:ny=30 --device cuda -p file-order --renumber none --strategy atomics --samples 1 --no-lab"
    done = tess("run", *words.split(), "--json", code=1, env=environment)
    assert [run["check"] for run in runs_of(done)] == ["FAILED"]
    [stored] = json.loads(done.stdout)["stored"]
    assert stored["predicted_time"] > 0


@pytest.mark.parametrize(
    "mode, driver, device, words",
    [
        ("none", "new", "cuda", "the CUDA driver finds no GPU"),
        ("", "old", "cuda", "the NVIDIA driver lacks cuStreamBeginCapture_v2: a newer one is needed"),
        ("", "new", "cuda:7", "there is no GPU 7: this machine has 2"),
    ],
)
def test_what_is_missing_is_said(gpu, mode, driver, device, words):
    done = gpu("--strategy", "atomics", mode=mode, driver=driver, device=device, code=4)
    assert words in done.stderr and not gpu.records()


@pytest.mark.parametrize(
    "mode, words",
    [
        ("registers", "kernel atomics does not fit: 128 threads of 200 registers, 0 bytes of shared"),
        ("fault", "CUDA: a kernel failed (700): an illegal memory access"),
    ],
)
def test_a_run_that_fails_is_archived_as_failed(gpu, mode, words):
    done = gpu("--strategy", "atomics,block-colour", "--samples", "0", mode=mode, code=1)
    assert [run["check"] for run in runs_of(done)] == ["FAILED", "FAILED"]
    assert words in runs_of(done)[0]["failure"]
    assert len(gpu.records()) == 2


@pytest.mark.parametrize("launch", [4, 11])
def test_other_runs_go_on_after_one_that_broke_the_gpu(gpu, launch):
    """Launches 0 to 3 open the first run, 4 to 7 the second, 8 and more are turns."""
    done = gpu(
        "--strategy", "atomics,atomics:transpose=shared", "--block-size", "64", "--samples", "6",
        FAKE_CUDA_FAULT=str(launch), code=1,
    )  # fmt: skip
    checks = [run["check"] for run in runs_of(done)]
    assert sorted(checks) == ["FAILED", "passed"]
    assert launch > 4 or checks == ["passed", "FAILED"]
    assert "illegal memory access" in runs_of(done)[checks.index("FAILED")]["failure"]
    assert len(runs_of(done)[checks.index("passed")]["samples"]) == 6
    assert gpu.calls().count("reset") == 1 and len(gpu.records()) == 2


def test_the_gpu_is_taken_only_while_it_works(gpu):
    """Other processes may use the GPU while this one compiles and checks."""
    gpu("--strategy", "atomics,two-step", "--samples", "3", "--graph", "off", mode="lock")
    calls = gpu.calls()
    assert calls.count("compiled") == 2 and calls.count("launch") > 2 * (1 + 3 + 3)
    assert not [call for call in calls if "the lock" in call]


@pytest.mark.parametrize("way", [[], ["--loops"], ["--chains", "auto"]])
def test_the_gpu_is_taken_while_steps_are_marched(gpu, way):
    gpu("--mesh", "airfoil:i=10:j=12", "--device", "cuda", "--no-lab", "--steps", "4", "--every", "2", *way, command="march", file="airfoil", mode="lock")
    calls = gpu.calls()
    assert "compiled" in calls and calls.count("launch") > 4 and not [call for call in calls if "the lock" in call]


def test_after_a_fault_the_gpu_is_taken_again(gpu):
    gpu("--strategy", "atomics,atomics:transpose=shared", "--samples", "6", mode="lock",
        FAKE_CUDA_FAULT="11", code=1)  # fmt: skip
    calls = gpu.calls()
    assert "reset" in calls and not [call for call in calls if "without the lock" in call]


def test_too_little_memory_says_how_much_is_needed(gpu):
    done = gpu("--strategy", "atomics", "--samples", "0", mode="memory", code=1)
    failure = runs_of(done)[0]["failure"]
    assert "the GPU is out of memory: edges_q needs 6144 bytes, 1000000000 of 2000000000 are free" in failure
    assert len(gpu.records()) == 1


def test_a_tie_has_no_winner(gpu):
    """All kernels of the pretended GPU take 0.125 ms, however many launches they are."""
    done = gpu("--strategy", "atomics,block-colour", "--partitioner", "rcb", "--block-size", "64", "--layout",
               "soa,aos", command="tune")  # fmt: skip
    report = json.loads(done.stdout)
    assert [one["place"] for one in report["candidates"]] == ["best", "tie", "tie", "tie"]
    assert not report["won"] and report["ties"] == 3 and len(gpu.records()) == 4
    assert all(one["samples"] == 192 for one in report["candidates"])


def searched(gpu, had_room, *words, **more):
    """The report of a search that had room to do what is asked of it: a busy machine gives it a larger budget."""
    for budget in (2, 8, 32):
        report = json.loads(gpu("--partitioner", "rcb", "--block-size", "64", "--layout", "soa", "--no-lab", "--budget", f"{budget}s",
                                *words, command="tune", **more).stdout)  # fmt: skip
        if had_room(report, budget):
            break
    return report


def test_ties_take_what_is_left_of_the_budget(gpu):
    report = searched(gpu, lambda report, _: min(one["samples"] for one in report["candidates"]) >= 192,
                      "--strategy", "atomics,block-colour")  # fmt: skip
    assert report["ties"] == 1 and all(one["samples"] > 192 for one in report["candidates"])


def test_a_winner_is_confirmed_until_half_of_the_budget_is_spent(gpu, tmp_path):
    (tmp_path / "times").write_text("".join(f"atomics {n} 0.13\npoint_parallel {n} 0.2\n" for n in range(1, 20)))
    words, times = ("--strategy", "atomics,two-step,point-parallel"), {"FAKE_CUDA_TIMES": str(tmp_path / "times")}
    report = searched(gpu, lambda report, budget: report["spent"]["own"]["run"] > 0.47 * budget, *words, **times)
    first, near, far = report["candidates"]
    assert report["won"] and (first["strategy"], near["strategy"]) == ("two-step", "atomics")
    assert near["samples"] > 192 > far["samples"] and near["low"] == pytest.approx(1.04, rel=1e-3)
    assert report["spent"]["own"]["run"] > 0.47 * report["budget"]
    early = searched(gpu, lambda report, _: report["won"], *words, "--early", **times)
    assert early["won"] and max(one["samples"] for one in early["candidates"]) < near["samples"]


def test_the_device_takes_samples_while_the_next_way_is_made(gpu, libraries, tmp_path):
    """A pretended NVRTC takes 0.2 s for each of 12 texts; where cores are few none is kept from compiling."""
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "libnvrtc.so.13", HERE / "fake_nvrtc.c"], check=True)
    for threads, more in (("6", True), ("3", False)):
        done = gpu("--strategy", "atomics,two-step,halo-atomics,block-colour,point-parallel,atomics:transpose=shared", "--block-size",
                   "64", "--partitioner", "rcb", "--no-lab", "--early", command="tune", OMP_NUM_THREADS=threads,
                   LD_LIBRARY_PATH=f"{libraries['new']}:{tmp_path}", FAKE_NVRTC_LOG=str(tmp_path / "log"),
                   TESS_CACHE=str(tmp_path / threads))  # fmt: skip
        samples = [one["samples"] for one in json.loads(done.stdout)["candidates"]]
        assert len(samples) == 12 and min(samples) == 192 and (max(samples) > 192) == more


@pytest.mark.parametrize("mode, sessions", [("", 1), ("little", 3)])
def test_runs_are_timed_in_turns_as_far_as_the_memory_of_the_gpu_goes(gpu, mode, sessions):
    runs = runs_of(gpu("--strategy", "atomics,two-step,block-colour", "--samples", "2", FAKE_CUDA=mode))
    assert len(runs) == 3 and len({run["session"] for run in runs}) == sessions


def counting(tmp_path, text, code=0):
    """A pretended ncu that keeps its last arguments and the blocks that they name, prints a text and ends with a code."""
    script = tmp_path / "ncu"
    (tmp_path / "text").write_text(text)
    keep = f'for word in "$@"; do case "$word" in --partitioner=file:path=*) cat "${{word#*path=}}" > {tmp_path}/blocks ;; esac; done'
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\n{keep}\ncat {tmp_path}/text\nexit {code}\n')
    script.chmod(0o755)
    return {"NCU": str(script)}


def test_counters_are_kept_beside_the_times(gpu, tmp_path, tess):
    text = (HERE / "ncu.csv").read_text()
    done = gpu(
        "--strategy", "block-colour:stage=none", "--samples", "2", "--counters", "--block-size", "64",
        "--cache", "cold", "--seed", "5", **counting(tmp_path, text),
    )  # fmt: skip
    run = runs_of(done)[0]
    assert run["counters"]["dram_read_bytes"] > 0 and len(run["samples"]) == 2
    with h5py.File(gpu.records()[0]) as file:
        sources = {tuple(x.decode() if isinstance(x, bytes) else x for x in (m["name"], m["source"])) for m in file["metrics"][:]}
    assert {("registers", "driver"), ("spilled_bytes", "driver"), ("registers", "counter"), ("stall_sync", "counter")} <= sources
    arguments = (tmp_path / "arguments").read_text().split("\n")
    at = arguments.index("run")
    assert arguments[arguments.index("--cache-control") + 1] == "all"
    again = subprocess.run([arguments[at - 1], *arguments[at:-1], "--help"], capture_output=True)
    assert again.returncode == 0
    for word in ("--kernel=nothing.h", "--strategy=block-colour:stage=none", "--block-size=64",
                 "--seed=5", "--samples=0", "--no-lab", "--counters=no"):  # fmt: skip
        assert word in arguments


@pytest.mark.parametrize(
    "partitioner, strategy, more, kept",
    [
        ("metis:seed=7", "block-colour", ["--block-numbers", "given"], ["--block-numbers", "given"]),
        ("random", "atomics", [], ["--block-numbers", "kept"]),
        ("random", "block-colour", ["--refine", "2"], ["--block-numbers", "kept"]),
        ("rcb", "owner-block", [], ["--block-numbers", "kept"]),
    ],
)
def test_counters_are_of_the_blocks_that_were_timed(gpu, tmp_path, partitioner, strategy, more, kept):
    settings = ("--block-size", "64", "--strategy", strategy, "--samples", "1")
    gpu("--partitioner", partitioner, *settings, *more, "--counters", **counting(tmp_path, (HERE / "ncu.csv").read_text()))
    arguments = (tmp_path / "arguments").read_text().split("\n")
    assert "=".join(kept) in arguments and "--refine=0" in arguments and f"--partitioner={partitioner}" not in arguments
    gpu("--partitioner", f"file:path={tmp_path}/blocks", *settings, *kept)
    runs = []
    for record in gpu.records():
        with h5py.File(record) as file, h5py.File(tmp_path / "lab/plans" / f"{file.attrs['plan'].decode()}.hdf") as plan:
            runs.append({name: plan[name][:].tolist() for name in ("partition/block_of", "plan/executed", "plan/block_colour")})
    assert len(runs) == 2 and runs[0] == runs[1]


WARM = "".join(f'"{i}","{i}","{10 * i}"\n' for i in range(12))  # six executions of two launches


def counts_of_two(gpu, tmp_path, warm, code=None, cache="hot"):
    """What is counted by an ncu that prints two launches, but other rows where it counts memory only."""
    head = '"ID","dram__bytes_read.sum","dram__bytes_write.sum"\n"","byte","byte"\n'
    settings = counting(tmp_path, head.replace("dram__bytes_read", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared") +
                        '"0","1","77"\n"1","2","88"\n')  # fmt: skip
    (tmp_path / "warm").write_text(head + warm)
    script = tmp_path / "ncu"
    script.write_text(script.read_text().replace(f"cat {tmp_path}/text", f"""
case "$*" in *--metrics\\ dram__bytes_read.sum,dram__bytes_write.sum\\ *) cat {tmp_path}/warm ;; *) cat {tmp_path}/text ;; esac
printf "%s\n" "$*" >> {tmp_path}/calls_of_ncu"""))  # fmt: skip
    return runs_of(gpu("--strategy", "block-colour", "--samples", "3", "--counters", "--cache", cache, code=code, **settings))[0]


def test_memory_is_counted_in_a_pass_of_its_own_when_the_loop_runs_again(gpu, tmp_path):
    """By several passes ncu puts back before each what a launch changed, which lies in the L2 then."""
    counters = counts_of_two(gpu, tmp_path, WARM)["counters"]
    assert (counters["dram_read_bytes"], counters["dram_write_bytes"]) == (10 + 11, 100 + 110)
    assert counters["shared_bank_conflicts"] == 3
    once, warm = (tmp_path / "calls_of_ncu").read_text().splitlines()
    assert "--samples=0" in once and "dram_" not in once and "--samples=1" in warm and "--graph=off" in warm
    assert "--cache-control none" in once and "--cache-control none" in warm


def test_what_runs_from_empty_caches_is_counted_once(gpu, tmp_path):
    counters = counts_of_two(gpu, tmp_path, WARM, cache="cold")["counters"]
    assert counters["dram_write_bytes"] == 77 + 88
    (once,) = (tmp_path / "calls_of_ncu").read_text().splitlines()
    assert "--cache-control all" in once and "dram__bytes_write.sum" in once


def test_launches_that_memory_was_not_counted_of_are_missed(gpu, tmp_path):
    run = counts_of_two(gpu, tmp_path, WARM.splitlines(True)[0], code=4)
    assert "ncu counted 1 of a loop's 2 launches" in run["uncounted"]


def test_stalls_are_shares_of_the_time_without_an_issue(gpu, tmp_path):
    stalls = {"selected": 20, "lg_throttle": 30, "drain": 10, "long_scoreboard": 16}
    columns = ["ID", "gpu__time_duration.sum", *(f"smsp__warp_issue_stalled_{name}_per_warp_active.pct" for name in stalls)]
    rows = [columns, ["", "ns", *"%%%%"], ["0", "1", *map(str, stalls.values())]]
    text = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)
    counters = runs_of(gpu("--strategy", "atomics", "--samples", "0", "--counters", **counting(tmp_path, text)))[0]["counters"]
    assert counters["stall_throttle"] == pytest.approx(0.5) and counters["stall_data"] == pytest.approx(0.2)


INSTANCES = (HERE / "ncu_instances.csv").read_text()


@pytest.mark.parametrize(
    "text, barriers",
    [
        (INSTANCES, 2335),  # 9,340 of warps, four a block: as the emulator counts on the same mesh
        (INSTANCES + INSTANCES.split("\n")[2] + "\n", 2 * 2335),  # two launches
        (INSTANCES.replace(" BAR: 9,340;", ""), 0),
        (INSTANCES.replace("BAR: 9,340", "BAR.SYNC: 9,340"), 0),
        (INSTANCES.replace("; DEPBAR: 1,868)", "; BAR: 4)").replace(" BAR: 9,340;", ""), 1),
        (INSTANCES.replace("128 (0: 128)", "80"), 9340 / 3),
        (INSTANCES.replace("695,000 (", "695,000 ["), None),
        (INSTANCES.replace("128 (0: 128)", ""), None),
    ],
    ids=["one", "two launches", "none", "another opcode", "the last", "three warps", "no list", "no threads"],
)
def test_barriers_are_counted_by_their_opcode(gpu, tmp_path, text, barriers):
    """What an H200's ncu prints of airfoil by halo-atomics on quads:nx=200:ny=150, 128 threads."""
    done = gpu("--strategy", "atomics", "--samples", "0", "--counters", **counting(tmp_path, text))
    assert runs_of(done)[0].get("counters", {}).get("barriers") == barriers
    assert "--print-metric-instances" in (tmp_path / "arguments").read_text()


@pytest.mark.parametrize(
    "text, code, words",
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", 1, "may not read the counters"),
        ("==ERROR== Failed to prepare kernel for profiling\n", 9, "ncu ended with exit code 9: ==ERROR== Failed to"),
        ("tess: error: no such mesh\n==ERROR== The application returned\n", 1, "tess: error: no such mesh"),
        ("==WARNING== No kernels were profiled.\n", 0, "ncu counted no kernel"),
        ('"ID","dram__bytes_read.sum"\n"","byte"\n"0","many"\n', 0, "'many' where a number is meant"),
        ('"ID","dram__bytes_read.sum\n', 0, "a quote is not closed"),
    ],
)
def test_times_stay_where_counters_cannot_be_read(gpu, tmp_path, text, code, words):
    done = gpu("--strategy", "atomics", "--samples", "2", "--counters", code=4, **counting(tmp_path, text, code))
    run = runs_of(done)[0]
    assert words in run["uncounted"] and words in done.stderr
    assert run["check"] == "passed" and len(run["samples"]) == 2
    assert len(gpu.records()) == 1


def test_a_run_that_is_interrupted_while_ncu_counts_is_not_kept(gpu, tmp_path):
    """A sweep would take it for finished, and count it no more."""
    settings = counting(tmp_path, "")
    (tmp_path / "ncu").write_text("#!/bin/sh\nkill -INT $PPID\nsleep 1\nexit 130\n")
    gpu("--strategy", "atomics", "--samples", "2", "--counters", code=130, **settings)
    assert gpu.records() == []


@pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="no Open MPI (Debian: apt-get install openmpi-bin)")
def test_ranks_give_a_gpu_back_after_their_memory(gpu):
    done = gpu("--engine", "peer", "--ranks", "1", "--samples", "1", **ROOT_MAY)
    assert runs_of(done)[0]["ranks"]["core_share"] == 1
    assert gpu.calls()[-1] == "release" and "memory freed without a context" not in gpu.calls()


def test_a_machine_without_ncu(gpu):
    done = gpu("--strategy", "atomics", "--samples", "1", "--counters", code=4, NCU="/nowhere/ncu")
    assert "/nowhere/ncu cannot be started" in done.stderr and "Nsight Compute" in done.stderr


# Without the programs whose start takes the doctor seconds.
QUICK = {"PATH": "/nowhere", "CC": "/usr/bin/cc", "TESS_PYTHON": "/nowhere"}


@pytest.mark.parametrize(
    "mode, driver, found, fix",
    [
        ("", "new", "2 x Pretended GPU, 1.0 of 2.0 GB free, driver for CUDA 13.0", None),
        ("none", "new", "finds no GPU", "docker run --gpus all"),
        ("stopped", "new", "the CUDA driver (13.0) does not start", "load its module again"),
        ("", "old", "lacks cuStreamBeginCapture_v2", "install a newer NVIDIA driver"),
        ("ancient", "new", "GPU 0 has compute capability 6.1: 7.0 is needed", "or --device emulator"),
        ("image", "new", "CUDA: loading a module failed (200)", "install the NVRTC of the driver's CUDA version"),
        ("fault", "new", "CUDA: a kernel failed (700)", "nvidia-smi tells why"),
    ],
)
def test_the_doctor_tells_what_is_wrong_with_a_gpu(tess, libraries, tmp_path, mode, driver, found, fix):
    environment = {**os.environ, **QUICK, "LD_LIBRARY_PATH": str(libraries[driver]), "FAKE_CUDA": mode}
    findings = json.loads(tess("doctor", "--json", env=environment, cwd=tmp_path).stdout)["findings"]
    (gpu,) = [finding for finding in findings if finding["name"] == "GPU"]
    if mode in ("image", "fault") and not [one for one in findings if one["name"] == "NVRTC"][0]["is_there"]:
        pytest.skip("NVRTC is not on this machine")
    assert found in gpu["found"] and gpu["is_there"] == (fix is None)
    assert gpu["fix"] is None if fix is None else fix in gpu["fix"]


def test_the_doctor_looks_for_ncu(tess, tmp_path):
    def ncu(**more):
        environment = {**os.environ, **QUICK, "PATH": "/usr/bin:/bin", **more}
        findings = json.loads(tess("doctor", "--json", env=environment, cwd=tmp_path).stdout)["findings"]
        return [finding for finding in findings if finding["name"] == "ncu"][0]

    nowhere = ncu(NCU="/nowhere/ncu")
    assert not nowhere["is_there"] and "Nsight Compute" in nowhere["fix"]
    environment = counting(tmp_path, "NVIDIA (R) Nsight Compute\nVersion 2025.3.1.0 (build 1)\n")
    assert ncu(**environment)["found"] == "Version 2025.3.1.0 (build 1)"


def test_devices_without_counters_or_graphs_refuse(tess):
    common = ("run", "airfoil", "--mesh", "quads:nx=4:ny=4", "--no-lab")
    assert "has no counters" in tess(*common, "--device", "host", "--counters", code=2).stderr
    assert "no graphs of launches" in tess(*common, "--graph", "on", code=1).stderr
    assert "has no caches" in tess(*common, "--cache", "cold", code=1).stderr
    tess(*common, "--device", "host", "--samples", "2", "--cache", "cold")


def test_a_search_corrects_its_predictions(gpu, tess, tmp_path):
    """A GPU on which each strategy takes a multiple of its predicted time: the best is found in fewer runs than in
    predicted order, and what was tried moves what is expected of the rest."""
    predictions = []
    for mesh in ("quads:nx=60:ny=50", "tris:nx=40:ny=50"):
        done = tess("predict", "airfoil", "--mesh", mesh, "--partitioner", "rcb", "--block-size", "32,64,128,256",
                    "--layout", "soa", "--registers", "assumed", "--json")  # fmt: skip
        predictions += [{**one, "mesh": mesh} for one in json.loads(done.stdout)["predictions"]]
    points = [
        {"application": "airfoil", "mesh": one["mesh"], "strategy": one["strategy"], "layouts": one["layout"],
         "block_size": one["block_size"], "partitioner": one["partitioner"], "device": "cuda", "outcome": "passed",
         "features": one["features"], "median_time": one["seconds"]}
        for one in predictions
    ]  # fmt: skip
    (tmp_path / "points.json").write_text(json.dumps({"runs": points}))
    tess("predict", "--fit", tmp_path / "points.json", "--into", tmp_path / "fit.yaml")
    words = ("--partitioner", "rcb", "--layout", "soa", "--block-size", "32,64,96,128", "--strategy",
             "point-parallel,atomics,halo-atomics,owner-block")  # fmt: skip
    kernel = ("--kernel", "nothing.h", "--loop", "nothing.yaml", "--mesh", "quads:nx=20:ny=20")
    done = tess("predict", *kernel, "--using", "fit.yaml", *words, "--json", cwd=tmp_path)
    predicted = json.loads(done.stdout)["predictions"]
    words += ("--predict", "fit.yaml", "--no-lab")
    refused = gpu(*words, command="tune", code=3)
    assert "the fit is of the GPU 'NVIDIA H200', and this one is 'Pretended GPU'" in refused.stderr
    fit = (tmp_path / "fit.yaml").read_text().replace("NVIDIA H200", "Pretended GPU")
    (tmp_path / "fit.yaml").write_text(fit)

    # What is predicted to be slowest at its best takes a third of that, all others thrice.
    slowest = max({one["strategy"] for one in predicted},
                  key=lambda name: min(one["seconds"] for one in predicted if one["strategy"] == name))  # fmt: skip
    times = {(one["strategy"], one["block_size"]): one["seconds"] * (1 / 3 if one["strategy"] == slowest else 3)
             for one in predicted}  # fmt: skip
    (tmp_path / "times").write_text("".join(
        f"{one['strategy'].split(':')[0].replace('-', '_')} {one['features']['blocks']:.0f} "
        f"{1e3 * times[one['strategy'], one['block_size']]:.9f}\n" for one in predicted))  # fmt: skip
    best = min(times, key=times.get)
    place = [(one["strategy"], one["block_size"]) for one in predicted].index(best) + 1  # in predicted order
    assert len(times) == 16 and place >= 9
    found = gpu(*words, "--runs", str(place - 2), command="tune", FAKE_CUDA_TIMES=str(tmp_path / "times"))
    candidates = json.loads(found.stdout)["candidates"]
    assert sum(one["place"] != "not tried" for one in candidates) == place - 2
    assert (candidates[0]["strategy"], candidates[0]["block_size"]) == best
    assert candidates[0]["value"] == pytest.approx(times[best], rel=1e-3)
    assert {one["strategy"] for one in candidates[:3]} == {slowest}  # tried before the others' rest
    for one in candidates:
        if one["place"] != "not tried":
            assert one["expected"] == pytest.approx(times[one["strategy"], one["block_size"]], rel=0.5)
