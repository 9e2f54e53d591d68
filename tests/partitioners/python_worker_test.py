"""Partitioners that are Python libraries: what they are given and asked, their answers, and every
way in which Python can fail them."""

import json
import os
import pathlib
import stat
import subprocess

import h5py
import numpy
import pytest
from conftest import ROOT

VIRTUAL = pathlib.Path(os.environ.get("TESS_PYTHON", ROOT / "build/python"))
LIBRARIES = {"mtkahypar": "mtkahypar==1.7.post1", "kaminpar": "kaminpar==3.7.3"}
PRESETS = (["mtkahypar:preset=" + preset for preset in (
    "highest_quality", "quality", "default", "large_k", "deterministic", "deterministic_quality")]
    + ["kaminpar:preset=" + preset for preset in (
        "eco", "strong", "default", "fast", "largek", "largek-eco", "largek-strong", "largek-fast")])

# In place of mtkahypar: notes what it is asked in $NOTES and answers as $ANSWER says.
DOUBLE = """
import json, os
from types import SimpleNamespace
noted = {}
class PresetType: HIGHEST_QUALITY = "highest_quality"; LARGE_K = "large_k"
class Objective: KM1 = "km1"; CUT = "cut"
class FileFormat: HMETIS = "hmetis"
def set_seed(seed): noted["seed"] = seed
class Context:
    def set_partitioning_parameters(self, n_parts, imbalance, objective):
        noted.update(n_parts=n_parts, imbalance=imbalance, objective=objective)
class Hypergraph:
    def __init__(self, path, format):
        noted.update(text=open(path).read(), format=format)
    def partition(self, context):
        json.dump(noted, open(os.environ["NOTES"], "w"))
        return SimpleNamespace(get_partition=lambda: eval(os.environ["ANSWER"]))
class Initializer:
    def context_from_preset(self, preset):
        noted["preset"] = preset
        return Context()
    def hypergraph_from_file(self, path, context, format):
        return Hypergraph(path, format)
def initialize(threads, warnings):
    noted["threads"] = threads
    return Initializer()
"""


def has(library):
    python = VIRTUAL / "bin/python3" if VIRTUAL.is_dir() else VIRTUAL
    return python.exists() and subprocess.run([python, "-c", f"import {library}"],
                                              capture_output=True).returncode == 0


@pytest.fixture
def partition(tess, tmp_path):
    """Runs `tess partition` on a small mesh; `code` 0 gives the runs, else the words on stderr."""

    def run(*arguments, mesh="quads:nx=24:ny=24", python=VIRTUAL, code=0, **environment):
        process = tess("partition", mesh, "--map", "edges:cells", "--json", "--no-view", *arguments,
                       code=code, cwd=tmp_path,
                       env=dict(os.environ, TESS_PYTHON=str(python), **environment))
        return json.loads(process.stdout)["runs"] if code == 0 else process.stderr

    return run


@pytest.fixture(params=sorted(LIBRARIES))
def library(request):
    if not has(request.param):
        pytest.skip(f"{VIRTUAL} has no {request.param} (pip install {LIBRARIES[request.param]})")
    return request.param


def blocks_of(run):
    with h5py.File(run["plan_file"]) as file:
        return file["/partition/block_of"][:]


def test_blocks_are_good_and_none_is_too_large(partition, library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours, in_order, metis = partition("--partitioner", f"{library},file-order,metis", "--block-size", "64")
    assert ours["largest_block_before_repair"] <= 64 and ours["elements_moved_by_repair"] == 0
    assert ours["reuse_factor"] > 1.3 * in_order["reuse_factor"]
    assert ours["reuse_factor"] > 0.98 * metis["reuse_factor"]
    assert numpy.bincount(blocks_of(ours)).max() <= 64


def test_a_seed_decides(partition, library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    once, other = partition("--partitioner", f"{library}:seed=3,{library}:seed=4", "--block-size", "32")
    (again,) = partition("--partitioner", f"{library}:seed=3", "--block-size", "32", "--lab", "again")
    assert (blocks_of(once) == blocks_of(again)).all()
    assert (blocks_of(once) != blocks_of(other)).any()


def test_many_shapes_of_problem(partition, library):
    for mesh, size in (("quads:nx=1:ny=2", 8), ("quads:nx=9:ny=9", 1), ("quads:nx=9:ny=9", 2),
                       ("quads:nx=9:ny=9", 10000), ("tris:nx=7:ny=8", 48)):
        run, = partition("--partitioner", library, "--block-size", str(size), mesh=mesh)
        assert run["status"] == "done"


@pytest.mark.parametrize("spec", PRESETS)
def test_every_preset_is_known_to_its_library(partition, spec):
    if not has(spec.partition(":")[0]):
        pytest.skip(f"{VIRTUAL} has no {spec.partition(':')[0]}")
    run, = partition("--partitioner", spec, "--block-size", "32", mesh="quads:nx=12:ny=12")
    assert run["largest_block_before_repair"] <= 32


@pytest.mark.parametrize("name", sorted(LIBRARIES))
def test_without_the_library_the_line_that_installs_it_is_told(partition, tmp_path, name):
    python = script(tmp_path, 'exec /usr/bin/python3 -S -E "$@"')
    words = partition("--partitioner", name, "--block-size", "32", python=python, code=4)
    assert f"tess-python/bin/pip install {LIBRARIES[name]} && export TESS_PYTHON=" in words
    assert not list((tmp_path / "lab/runs").glob("*.hdf"))


def test_missing_beside_a_failure_is_a_failure(partition, tmp_path):
    python = script(tmp_path, 'exec /usr/bin/python3 -S -E "$@"')
    partition("--partitioner", "kaminpar,file:path=none.part", "--block-size", "32", python=python,
              code=1)


def test_what_cannot_fit_is_told_before_it_starts(partition):
    words = partition("--partitioner", "mtkahypar", "--block-size", "3", "--no-lab",
                      mesh="quads:nx=500:ny=500", code=1)
    assert "preset highest_quality needs over 498.0 GB" in words and "preset=large_k" in words


def test_they_run_only_where_they_are_named(partition):
    names = {run["partitioner"] for run in partition("--block-size", "32")}
    assert "rcb" in names and not names & set(LIBRARIES)


def script(folder, lines):
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("lines, code, words", [
    ("kill -SEGV $$", 1, "SIGSEGV"),
    ("echo out of luck >&2; exit 9", 1, "exit code 9; it said: out of luck"),
    ("exec sleep 60", 1, "time limit of 0.5 s"),
])
def test_a_python_that_dies(partition, tmp_path, lines, code, words):
    assert words in partition("--partitioner", "mtkahypar", "--block-size", "32", "--time-limit",
                              "0.5", python=script(tmp_path, lines), code=code)


def test_no_python_at_all(partition):
    words = partition("--partitioner", "mtkahypar", "--block-size", "32", python="/nowhere/python",
                      code=4)
    assert "/nowhere/python" in words and "TESS_PYTHON" in words


@pytest.fixture
def double(partition, tmp_path):
    """Runs `tess partition` with the double of mtkahypar; gives the runs and what was noted."""
    folder = tmp_path / "libraries"
    folder.mkdir()
    (folder / "mtkahypar.py").write_text(DOUBLE)
    (tmp_path / "mtkahypar.py").write_text("raise RuntimeError('from the current folder')")

    def run(spec, *arguments, answer, code=0):
        result = partition("--partitioner", spec, *arguments, python="/usr/bin/python3", code=code,
                           mesh="tris:nx=3:ny=2", PYTHONPATH=str(folder), ANSWER=answer,
                           NOTES=str(tmp_path / "notes"))
        return result, json.loads((tmp_path / "notes").read_text())

    return run


def test_what_the_library_is_asked(double, tess, tmp_path, monkeypatch):
    """Each triangle of two or three inner edges is a net of them, 24 bytes; in a corner lies one of
    a single edge, which joins nothing."""
    monkeypatch.chdir(tmp_path)
    (run,), noted = double("mtkahypar:preset=large_k:seed=5", "--block-size", "4", "--dat",
                           "flux:cells:3:double", answer="[7, 2, 4] * 4 + [2]")
    header, *nets = noted.pop("text").splitlines()
    with h5py.File(run["plan_file"]) as plan:
        mesh = plan.attrs["mesh"].decode()
    with h5py.File(f"lab/meshes/{mesh}.hdf") as file:
        cells = file["/maps/edges_cells"][:]
    inner = [[edge + 1 for edge in range(13) if cell in cells[edge]] for cell in range(12)]
    expected = [[24, *edges] for edges in inner if len(edges) > 1]
    assert len(cells) == 13 and len(expected) < 12
    assert header == f"{len(expected)} 13 1"
    assert [[int(word) for word in net.split()] for net in nets] == expected
    assert noted.pop("imbalance") == pytest.approx((4 + 0.1) / 3 - 1)
    assert noted == {"n_parts": 5, "objective": "km1", "format": "hmetis", "seed": 5,
                     "preset": "large_k", "threads": 1}
    assert run["blocks"] == 4 and run["largest_block_before_repair"] == 5
    shown = json.loads(tess("show", run["run"], "--json").stdout)
    configuration = shown["configuration"]
    assert configuration["partitioner:preset"] == "large_k"
    assert {key: configuration[f"partitioner:{key}"]["value"] for key in (
        "l", "epsilon", "threads", "seed", "target_size", "target_imbalance")} == pytest.approx(
        {"l": 1.03, "epsilon": 0.1, "threads": 1, "seed": 5, "target_size": 3,
         "target_imbalance": 4.1 / 3})
    metrics = {metric["name"]: metric["value"] for metric in shown["metrics"]}
    assert metrics["blocks_before_repair"] == 3 and metrics["largest_block_before_repair"] == 5
    assert metrics["elements_moved_by_repair"] == 1
    assert metrics["reuse_factor_before_repair"] >= metrics["reuse_factor"]
    assert metrics["partition_peak_bytes"] > 5e6 and metrics["partition_cpu_seconds"] > 0
    assert metrics["partition_memory_bytes"] < metrics["partition_peak_bytes"] / 2
    assert metrics["worker_start_cpu_seconds"] > 0


def test_the_cut_may_be_asked_for(double):
    _, noted = double("mtkahypar:objective=cut", "--block-size", "4", answer="[0, 1, 2, 3] * 3 + [3]")
    assert noted["objective"] == "cut"


@pytest.mark.parametrize("answer, words", [
    ("[0, 1]", "mtkahypar gave 2 blocks for 13 elements"),
    ("[0, 1, 2, 1 / 0] * 3 + [0]", "ZeroDivisionError: division by zero"),
    ("[0, 1, 2, 2 ** 40] * 3 + [0]", "OverflowError"),
    ("[0, 1, -1, 0] * 3 + [0]", "-1"),
])
def test_bad_answers_are_told(double, answer, words):
    told, _ = double("mtkahypar", "--block-size", "4", answer=answer, code=1)
    assert words in told
