"""Bits: what strategies say of a result's bits, proved by shuffled threads and blocks."""

import json

import h5py
import pytest

MESH = "irregular:nx=14:ny=11:shuffle=1"
SURE = {"sequential": "run", "openmp": "run", "atomics": "no", "global-colour": "run", "block-colour": "run", "two-step": "run",
        "halo-atomics": "no", "owner-block:sum=slots": "run", "owner-block:sum=block-gather": "any", "owner-block:sum=shared-atomics": "no",
        "point-parallel": "run"}  # fmt: skip


def runs(tess, lab, *arguments, code=0):
    done = tess("run", "airfoil", "--mesh", MESH, "--samples", "0", "--lab", lab, "--json", *arguments, code=code)
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


def test_the_bits_are_those_of_any_blocks_whatever_runs_first(tess, tmp_path):
    """By each seed threads and blocks go in other orders, in every launch."""
    bits = set()
    for seed in (1, 2):
        found, _, _ = runs(tess, tmp_path / "lab", "--device", f"emulator:seed={seed}", "--same-bits", "any", "-b", "32", "-b", "64", "-b",
                           "256", "--partitioner", "rcb,random", "--strategy", "owner-block:sum=block-gather")
        assert len(found) == 6 and {sure for _, sure, _ in found} == {"any"}
        bits |= {result for _, _, result in found}
    assert len(bits) == 1 and len(bits.pop()) == 64


def test_bits_that_are_sure_in_a_run_differ_with_blocks(tess, tmp_path):
    found, _, _ = runs(tess, tmp_path / "lab", "--device", "emulator:seed=3", "--same-bits", "run", "-b", "32", "-b", "64",
                       "--strategy", "block-colour,owner-block,two-step,point-parallel")
    assert len(found) == 8 and {sure for _, sure, _ in found} == {"run"}
    by_strategy = {name: {result for strategy, _, result in found if strategy == name} for name, _, _ in found}
    assert len(by_strategy["block-colour"]) == 2


@pytest.mark.parametrize("asked, arguments, words", [
    ("run", ["--strategy", "atomics"], "sums are taken in any order"),
    ("any", ["--strategy", "block-colour"], "the bits are the same in every run of a plan, but not with any blocks"),
    ("any", ["--strategy", "owner-block:sum=block-gather", "--order", "lines"], "--same-bits any is for others"),
    ("run", ["--strategy", "point-parallel", "--ranks", "2"], "sums are taken in any order"),
])
def test_others_are_left_out(tess, tmp_path, asked, arguments, words):
    found, all_runs, said = runs(tess, tmp_path / "lab", "--same-bits", asked, *arguments, code=1)
    assert found == [] and all_runs[0]["check"] == "not applicable" and words in said


def test_best_of_those_with_sure_bits(tess, tmp_path):
    lab = tmp_path / "lab"
    runs(tess, lab, "--strategy", "atomics,point-parallel,block-colour")
    done = tess("best", "atomic_sectors", "-w", "same_bits != no", "--lab", lab, "--json")
    assert {run["strategy"] for run in json.loads(done.stdout)["runs"]} == {"point-parallel", "block-colour"}
