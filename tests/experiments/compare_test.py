"""tess compare and tess diff: verdicts, exit codes, and what differs."""

import json
import pathlib
import shutil
import subprocess

import h5py
import numpy
import pytest


@pytest.fixture(scope="module")
def lab(tess_bin, tmp_path_factory):
    """Runs by name: equal (as base), slower by 3 %, faster by 20 %, failed, and few samples."""
    folder = tmp_path_factory.mktemp("compare") / "lab"
    writer = pathlib.Path(tess_bin).parent / "lab_writer"
    runs = subprocess.run([writer, folder, "6"], check=True, capture_output=True, text=True).stdout.split()
    generator = numpy.random.default_rng(2)
    names = dict(zip(("base", "equal", "slower", "faster", "failed", "few"), runs))
    factors = {"slower": 1.03, "faster": 0.8}
    for name, run in names.items():
        with h5py.File(folder / "runs" / f"{run}.hdf", "r+") as file:
            samples = generator.normal(1e-3, 3e-6, 25) * factors.get(name, 1)
            if name == "few":
                del file["samples/time"]
                file.create_dataset("samples/time", data=samples[:3], chunks=True, fletcher32=True).attrs["unit"] = "s"
            else:
                file["samples/time"][...] = samples
            if name == "failed":
                file.attrs.modify("outcome", numpy.bytes_(b"failed"))
    return folder, names


def verdicts(tess, lab, *arguments, code=0):
    done = tess("compare", "--lab", lab, "--json", *arguments, code=code)
    return {one["name"]: one["verdict"] for one in json.loads(done.stdout)["comparisons"]}


def test_verdicts(tess, lab):
    folder, names = lab
    others = [names[name] for name in ("equal", "slower", "faster", "failed", "few")]
    found = verdicts(tess, folder, names["base"], *others)
    assert list(found.values()) == ["same", "slower", "faster", "failed", "unclear"]
    assert verdicts(tess, folder, names["slower"], names["base"]) == {names["base"]: "faster"}
    table = tess("compare", "--lab", folder, names["base"], names["slower"]).stdout
    assert "slower" in table and "partitioner=hilbert" in table


def test_slower_runs_can_fail_a_job(tess, lab):
    folder, names = lab
    base, slower = names["base"], names["slower"]
    assert "slower than" in tess("compare", "--lab", folder, base, slower, "--fail-on", "slower:2%", code=1).stderr
    tess("compare", "--lab", folder, base, slower, "--fail-on", "slower:5%")
    tess("compare", "--lab", folder, base, names["faster"], "--fail-on", "slower")
    assert "percentage" in tess("compare", "--lab", folder, base, slower, "--fail-on", "slower:x", code=2).stderr


def test_samples_of_a_tag_are_taken_together(tess, lab, tmp_path):
    folder, names = lab
    copy = tmp_path / "lab"
    shutil.copytree(folder, copy)
    tess("tag", "--lab", copy, "before", names["base"], names["equal"])
    done = tess("compare", "--lab", copy, "--json", "tag:before", names["slower"])
    compared = json.loads(done.stdout)
    assert compared["base"]["samples"] == 50 and compared["base"]["runs"] == 2
    assert compared["comparisons"][0]["verdict"] == "slower"


def test_counted_metrics_are_compared_exactly(tess, lab):
    folder, names = lab
    base, other = names["base"], names["equal"]
    assert verdicts(tess, folder, base, other, "-m", "reuse_factor") == {other: "better"}
    assert verdicts(tess, folder, base, base, "-m", "reuse_factor") == {base: "same"}
    assert "neither samples nor a metric" in tess("compare", "--lab", folder, base, other, "-m", "x", code=3).stderr


def test_diff_shows_what_changed_and_with_all_the_rest(tess, lab):
    folder, names = lab
    done = tess("diff", "--lab", folder, names["base"], names["equal"], "--json")
    differences = {one["what"]: one for one in json.loads(done.stdout)["differences"]}
    assert differences["partitioner"]["values"] == ["metis", "rcb"]
    assert differences["reuse_factor"]["values"] == [1, 1.25] and differences["reuse_factor"]["of"] == "plan"
    assert "block_size" not in differences and "cores" not in differences and "load" not in differences
    everything = tess("diff", "--lab", folder, names["base"], names["equal"], "--all").stdout
    assert "block_size" in everything and "cores" in everything and "partition" in everything


def test_best_never_ranks_what_failed_and_calls_ties(tess, lab):
    folder, names = lab
    done = tess("best", "--lab", folder, "--json", "-n", "6")
    ranked = [(run["run"], run["place"]) for run in json.loads(done.stdout)["runs"]]
    assert ranked[0] == (names["faster"], "best") and names["failed"] not in dict(ranked)
    assert dict(ranked)[names["base"]] == dict(ranked)[names["slower"]] == ""
    three = " or ".join(f"run = {names[name]}" for name in ("base", "equal", "slower"))
    without = tess("best", "--lab", folder, "--json", "-w", three)
    places = {run["run"]: run["place"] for run in json.loads(without.stdout)["runs"]}
    assert {places[names["base"]], places[names["equal"]]} == {"best", "tie"} and places[names["slower"]] == ""
    assert "tie" in tess("best", "--lab", folder, "reuse_factor", "-w", "partitioner = rcb", "-g", "mesh").stdout
    assert "is a text" in tess("best", "--lab", folder, "mesh", code=2).stderr
