"""Bits: what strategies say of a result's bits, proved by shuffled threads and blocks."""

import json
import os
import shutil

import h5py
import pytest
from launched_ranks import ROOT_MAY

pytestmark = pytest.mark.usefixtures("compiling_cc")

MESH = "irregular:nx=14:ny=11:shuffle=1"
SURE = {"sequential": "run", "openmp": "run", "atomics": "no", "global-colour": "run", "block-colour": "run", "two-step": "run",
        "halo-atomics": "no", "halo-atomics:border=ordered": "run", "halo-atomics:border=ordered:sum=shared-atomics": "no",
        "owner-block:sum=slots": "run", "owner-block:sum=block-gather": "any", "owner-block:sum=shared-atomics": "no",
        "owner-block:sum=mesh-order": "any", "point-parallel": "run", "point-parallel:sum=mesh-order": "any"}  # fmt: skip
OF_ANY = [strategy for strategy, bits in SURE.items() if bits == "any"]


def runs(tess, lab, *arguments, code=0):
    done = tess("run", "airfoil", "--mesh", MESH, "--samples", "0", "--lab", lab, "--json", *arguments, code=code,
                env={**os.environ, **ROOT_MAY})
    found = []
    for run in json.loads(done.stdout)["runs"]:
        if run["run"]:
            with h5py.File(lab / "runs" / f"{run['run']}.hdf") as file:
                said = {row["key"].decode(): row["text"].decode()
                        for group in ("configuration", "environment") for row in file[group]}
            found.append((run["strategy"], said.get("same_bits"), said.get("result_bits")))
    return found, json.loads(done.stdout)["runs"], done.stderr


@pytest.mark.parametrize("device", ["host", "emulator"])
def test_each_strategy_says_what_is_sure(tess, tmp_path, device):
    on_host = ("sequential", "openmp")
    strategies = [name for name in SURE if (name in on_host) == (device == "host")]
    found, _, _ = runs(tess, tmp_path / "lab", "--device", device, "--strategy", ",".join(strategies))
    assert {strategy: bits for strategy, bits, _ in found} == {name: SURE[name] for name in strategies}


@pytest.mark.parametrize("loop, bits", [("save_soln", "any"), ("update", "no"), ("bres_calc", "no")])
def test_what_is_sure_depends_on_the_loop(tess, tmp_path, loop, bits):
    found, _, _ = runs(tess, tmp_path / "lab", "--loop", loop, "--strategy", "atomics")
    assert found == [("atomics", bits, None)]


@pytest.mark.parametrize("strategy", OF_ANY)
def test_the_bits_are_those_of_any_blocks_whatever_runs_first(tess, tmp_path, strategy):
    """By each seed threads and blocks go in other orders, in every launch."""
    bits = set()
    for seed in (1, 2):
        found, _, _ = runs(tess, tmp_path / "lab", "--device", f"emulator:seed={seed}", "--same-bits", "any", "-b", "32", "-b", "64", "-b",
                           "256", "--partitioner", "rcb,random", "--strategy", strategy)
        assert len(found) == 6 and {sure for _, sure, _ in found} == {"any"}
        bits |= {result for _, _, result in found}
    assert len(bits) == 1 and len(bits.pop()) == 64


def test_an_order_of_slots_suits_all_points_of_a_grid(tess, tmp_path):
    """Each slot comes once, so that the mesh's order costs no barrier; blocks have sums of the points alone that they own."""
    done = tess("run", "lulesh", "--mesh", "hexes:nx=8:ny=8:nz=8", "--partitioner", "rcb", "-b", "64", "--threads", "64", "--samples", "0", "--no-lab",
                "--strategy", "owner-block,owner-block:sum=mesh-order", "--json")
    by_slots, in_order = json.loads(done.stdout)["runs"]
    assert in_order["check"] == "passed" and in_order["redundancy"] > 1.3  # several passes of a block's threads
    assert in_order["barriers"] == by_slots["barriers"] and in_order["shared_bytes"] < 0.85 * by_slots["shared_bytes"]


@pytest.mark.parametrize("engine, strategy", [*(("local", strategy) for strategy in OF_ANY), ("mpi", OF_ANY[0])])
def test_the_bits_are_those_of_any_ranks(tess, tmp_path, engine, strategy):
    """Each rank shuffles its threads and blocks; four ranks that are cut at random share nearly all points."""
    if engine == "mpi" and not shutil.which("mpirun.openmpi"):
        pytest.skip("no Open MPI (Debian: apt-get install openmpi-bin)")
    by = ["--engine", "mpi", "--launcher", "mpirun.openmpi --oversubscribe"] if engine == "mpi" else []
    common = ["--device", "emulator:seed=4", "--same-bits", "any", "--strategy", strategy]
    (alone,), _, _ = runs(tess, tmp_path / "lab", *common, "-b", "64")
    blocks = ["-b", "32", "-b", "64", "-b", "256"]
    ranks = [["--ranks", "1", *blocks], ["--ranks", "2", *blocks], ["--ranks", "4", "--rank-partitioner", "random", *blocks]]
    for some in ranks:
        found, _, _ = runs(tess, tmp_path / "lab", *common, *some, *by)
        assert len(found) == 3 and all(one == alone and one[1] == "any" for one in found), (some, found, alone)


def test_sums_that_ranks_send_depend_on_the_ranks(tess, tmp_path):
    common = ["--ranks", "2", "--halo", "partial-sums", "--strategy", "owner-block:sum=block-gather"]
    found, _, _ = runs(tess, tmp_path / "lab", "--same-bits", "run", *common)
    assert [sure for _, sure, _ in found] == ["run"] and len(found[0][2]) == 64
    assert "but not with any blocks" in runs(tess, tmp_path / "lab", "--same-bits", "any", *common, code=1)[2]


def test_bits_that_are_sure_in_a_run_differ_with_blocks(tess, tmp_path):
    found, _, _ = runs(tess, tmp_path / "lab", "--device", "emulator:seed=3", "--same-bits", "run", "-b", "32", "-b", "64",
                       "--strategy", "block-colour,owner-block,two-step,point-parallel,halo-atomics:border=ordered")
    assert len(found) == 10 and {sure for _, sure, _ in found} == {"run"}
    by_strategy = {name: {result for strategy, _, result in found if strategy == name} for name, _, _ in found}
    assert len(by_strategy["block-colour"]) == 2


def test_border_sums_have_the_bits_of_a_plan_whatever_runs_first(tess, tmp_path):
    """The first block of a point adds at once, what others add is kept: in any order of threads and blocks."""
    for strategy in ("halo-atomics:border=ordered", "halo-atomics:border=ordered:sum=block-gather"):
        for partitioner in ("rcb", "random"):
            bits = {result for seed in (1, 2, 3) for _, sure, result in runs(
                tess, tmp_path / "lab", "--device", f"emulator:seed={seed}", "--same-bits", "run", "-b", "32", "--partitioner", partitioner,
                "--strategy", strategy)[0]}
            assert len(bits) == 1 and len(bits.pop()) == 64, (strategy, partitioner)


@pytest.mark.parametrize("asked, arguments, words", [
    ("run", ["--strategy", "atomics"], "sums are taken in any order"),
    ("any", ["--strategy", "block-colour"], "the bits are the same in every run of a plan, but not with any blocks"),
    ("any", ["--strategy", "owner-block:sum=block-gather", "--order", "lines"], "--same-bits any is for others"),
    ("run", ["--strategy", "atomics", "--ranks", "2"], "sums are taken in any order"),
])
def test_others_are_left_out(tess, tmp_path, asked, arguments, words):
    found, all_runs, said = runs(tess, tmp_path / "lab", "--same-bits", asked, *arguments, code=1)
    assert found == [] and all_runs[0]["check"] == "not applicable" and words in said


def test_all_strategies_are_those_with_sure_bits_too(tess, tmp_path):
    """Some are only a variant of a strategy whose bits vary."""
    tried = {}
    for asked in ("no", "run", "any"):
        _, every, _ = runs(tess, tmp_path / asked, "--same-bits", asked, "--strategy", "all")
        tried[asked] = {run["strategy"] for run in every if run["check"] == "passed"}
    ordered = {"halo-atomics:border=ordered", *OF_ANY}
    assert ordered & tried["no"] == set() and ordered < tried["run"] and "halo-atomics" in tried["no"] - tried["run"]
    assert tried["any"] == set(OF_ANY)


def test_best_of_those_with_sure_bits(tess, tmp_path):
    lab = tmp_path / "lab"
    runs(tess, lab, "--strategy", "atomics,point-parallel,block-colour")
    done = tess("best", "atomic_sectors", "-w", "same_bits != no", "--lab", lab, "--json")
    assert {run["strategy"] for run in json.loads(done.stdout)["runs"]} == {"point-parallel", "block-colour"}


def test_the_best_are_ranked_of_those_whose_bits_are_sure(tess, tmp_path):
    lab = tmp_path / "lab"
    runs(tess, lab, "--strategy", "atomics,two-step,point-parallel:sum=mesh-order")
    found = {bits: {run["strategy"] for run in json.loads(tess("best", "--lab", lab, "--json", *words).stdout)["runs"]}
             for bits, words in (("no", ()), ("run", ("--same-bits", "run")), ("any", ("--same-bits", "any")))}  # fmt: skip
    sure = {"two-step", "point-parallel:sum=mesh-order"}
    assert found == {"no": {"atomics", *sure}, "run": sure, "any": {"point-parallel:sum=mesh-order"}}
    assert "takes run or any, not 'all'" in tess("best", "--lab", lab, "--same-bits", "all", code=2).stderr
