"""tess machine: a measured file is one that tess model and tess predict read; what is not known is named."""

import json
import os
import subprocess

import pytest
from conftest import limited
from pretended_gpu import libraries  # noqa: F401 (a fixture)

LEVELS = ["L1", "L2", "L3", "memory"]


def test_a_host_is_measured_and_modelled(tess, tmp_path):
    done = tess("machine", "measure", "--device", "host:threads=2", "--name", "mine", "--into", "mine.yaml", "--json", cwd=tmp_path)
    report = json.loads(done.stdout)
    numbers = {(row["level"], row["name"]): row for row in report["numbers"]}
    assert report["machine"] == "mine" and all(row["value"] > 0 and row["source"] for row in report["numbers"])
    levels = [level for level in LEVELS if (level, "bandwidth") in numbers]
    assert levels[-1] == "memory" and len(levels) + sum("level" in lacks for lacks in report["lacking"]) == 4
    for lacks in report["lacking"]:
        assert f"not known: {lacks}" in done.stderr and f"# not known: {lacks}" in (tmp_path / "mine.yaml").read_text()
    for name, parameter in {"L1": "LEVEL1_DCACHE_SIZE", "L2": "LEVEL2_CACHE_SIZE", "L3": "LEVEL3_CACHE_SIZE"}.items():
        size = int(subprocess.run(["getconf", parameter], capture_output=True, text=True, check=True).stdout)
        assert (name in levels) == (size > 0)
        if name in levels:  # the capacity of a level in the model is that of the one above it
            below = levels[levels.index(name) + 1]
            assert numbers[below, "capacity"]["value"] == size / 8
    table = {row["level"]: row["gflops"] for row in json.loads(
        tess("model", "fv", "--machine", "mine.yaml", "--working-set", "1", "--json", cwd=tmp_path).stdout)["levels"]}
    for level in levels:  # a working set of one word hits always: bandwidth / 8 bytes / (8 / 11 words a flop)
        assert table[level] == [pytest.approx(numbers[level, "bandwidth"]["value"] / 64 * 11 / 1e9, rel=1e-5)]
    lacking = json.loads(tess("machine", "check", "mine.yaml", "--json", cwd=tmp_path).stdout)
    assert lacking["model"] == [] and "pass" in lacking["predict"]
    refused = tess("predict", "airfoil", "--mesh", "quads:nx=20:ny=20", "--machine", "mine.yaml", code=3, cwd=tmp_path)
    assert "machine mine lacks the number 'copy_bandwidth'" in refused.stderr


def test_a_gpu_is_measured_for_predictions(tess, tess_bin, libraries, tmp_path):  # noqa: F811
    """On a pretended GPU, whose times mean nothing: the file has every number, in its unit."""
    paths = {"LD_LIBRARY_PATH": f"{libraries['new']}:{os.environ.get('LD_LIBRARY_PATH', '')}", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [tess_bin, "machine", "measure", "--device", "cuda", "--name", "gpu", "--into", "gpu.yaml"], capture_output=True, text=True,
        cwd=tmp_path, env={**os.environ, **paths, "FAKE_CUDA_LOG": str(tmp_path / "calls")}, **limited(120))  # fmt: skip
    if "libnvrtc" in done.stderr:
        pytest.skip("NVRTC is not on this machine")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "gpu.yaml").read_text()
    assert 'device: "Pretended GPU"' in text and 'processors: {value: 4, unit: "1", source: "given: the driver"}' in text
    assert "tess predict has all it needs." in tess("machine", "check", "gpu.yaml", cwd=tmp_path).stdout
    report = json.loads(tess("predict", "airfoil", "--mesh", "quads:nx=20:ny=20", "--machine", "gpu.yaml", "--partitioner", "rcb",
                             "--strategy", "atomics", "--registers", "assumed", "--json", cwd=tmp_path).stdout)  # fmt: skip
    assert report["machine"] == "gpu"


def test_terms_are_solved_for_their_constants(tess_bin, libraries, tmp_path):  # noqa: F811
    """Atomics to lone sectors take what 'pass' and 'value' are together, those to whole ones a 'pass' and four values; launches are
    timed as one graph, whose launches take nothing here but what lies between two events, an eighth of a millisecond; the kernel
    that a single launch waits for is not timed."""
    values = 32 * 256 * 8  # 8 blocks of 256 threads on each of 4 multiprocessors, 8 values a thread
    (tmp_path / "times").write_text("add_sectors 32 16\nadd_rows 32 8\nnothing 1 0.002\npass_barriers 1 7\n")
    paths = {"LD_LIBRARY_PATH": f"{libraries['new']}:{os.environ.get('LD_LIBRARY_PATH', '')}", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [tess_bin, "machine", "measure", "--device", "cuda", "--name", "gpu", "--into", "gpu.yaml", "--json"], capture_output=True, text=True,
        cwd=tmp_path, env={**os.environ, **paths, "FAKE_CUDA_LOG": str(tmp_path / "calls"), "FAKE_CUDA_TIMES": str(tmp_path / "times")},
        **limited(120))  # fmt: skip
    if "libnvrtc" in done.stderr:
        pytest.skip("NVRTC is not on this machine")
    found = {row["name"]: row["value"] for row in json.loads(done.stdout)["numbers"]}
    assert found["pass"] + found["value"] == pytest.approx(16e-3 / values, rel=1e-5)
    assert found["pass"] + 4 * found["value"] == pytest.approx(4 * 8e-3 / values, rel=1e-5)
    assert found["launch"] == pytest.approx(0.125e-3 / 1000) and found["launch"] + found["start"] == pytest.approx(2e-6)
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls.count("keep") == 1000 and calls.count("graph") == 20 and calls.count("free graph") == 1
    single = [call for call in calls if call in ("took pass_barriers", "took nothing")][-24 * 2 * 101 :]
    assert single == ["took pass_barriers", "took nothing"] * 24 * 101


def test_nvrtc_is_no_machine(tess_bin):
    done = subprocess.run([tess_bin, "machine", "measure", "--device", "nvrtc"], capture_output=True, text=True, **limited(120))
    if "libnvrtc" in done.stderr:
        pytest.skip("NVRTC is not on this machine")
    assert done.returncode == 2 and "device nvrtc says nothing of a machine" in done.stderr


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["measure", "--device", "emulator"], 2, "device emulator says nothing of a machine: measure host or cuda"),
        (["check"], 2, "which machine? Say 'tess machine check FILE'"),
        (["check", "nowhere"], 2, "there is no machine file 'nowhere'"),
        (["check", "bad.yaml"], 3, "bad.yaml:3:23: 'line_bytes' needs a value above 0"),
        (["check", "odd.yaml"], 3, "odd.yaml:2:34: 'pass' needs the unit s"),
        (["mesure"], 2, "did you mean 'tess machine measure'"),
    ],
)
def test_refusals_are_clear(tess, tmp_path, words, code, message):
    (tmp_path / "bad.yaml").write_text("machine: bad\nnumbers:\n  line_bytes: {value: -1, unit: B, source: none}\n")
    (tmp_path / "odd.yaml").write_text("machine: odd\nnumbers: {pass: {value: 1, unit: B, source: none}}\n")
    assert message in tess("machine", *words, code=code, cwd=tmp_path).stderr
