"""tess compare and tess diff: verdicts, exit codes, and what differs."""

import json
import shutil
import subprocess

import h5py
import numpy
import pytest


FACTORS = {"slower": 1.03, "faster": 0.8, "half": 0.5}


def write_runs(tess_bin, folder, names, generator, session=None, drift=1.0):
    """Runs by name: equal (as base), slower by 3 %, faster by 20 %, failed, and few samples."""
    writer = tess_bin.parents[1] / "tests/lab_writer"
    command = [writer, folder, str(len(names)), "1", *([session] if session else [])]
    runs = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    for name, run in zip(names, runs):
        with h5py.File(folder / "runs" / f"{run}.hdf", "r+") as file:
            samples = drift * generator.normal(1e-3, 3e-6, 25) * FACTORS.get(name, 1)
            if name == "few":
                del file["samples/time"]
                file.create_dataset("samples/time", data=samples[:3], chunks=True, fletcher32=True).attrs["unit"] = "s"
            else:
                file["samples/time"][...] = samples
            if name == "failed":
                file.attrs.modify("outcome", numpy.bytes_(b"failed"))
    return dict(zip(names, runs))


@pytest.fixture(scope="module")
def lab(tess_bin, tmp_path_factory):
    """Runs of one session."""
    folder = tmp_path_factory.mktemp("compare") / "lab"
    names = ("base", "equal", "slower", "faster", "failed", "few")
    return folder, write_runs(tess_bin, folder, names, numpy.random.default_rng(2), "one")


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
    assert "sweep_point" not in table  # the digest of what differs says nothing


def comparison(tess, lab, base, other):
    return json.loads(tess("compare", "--lab", lab, "--json", base, other).stdout)["comparisons"][0]


def test_single_sessions_apart_say_little_of_small_differences(tess, tess_bin, tmp_path):
    """However many samples: sessions of one machine differ, and a lab without repetitions does not know by
    how much."""
    generator = numpy.random.default_rng(3)
    one = write_runs(tess_bin, tmp_path, ("base", "slower", "faster", "half"), generator)
    found = comparison(tess, tmp_path, one["base"], one["slower"])
    assert (found["manner"], found["verdict"], found["session_spread_df"]) == ("apart", "unclear", 0)
    assert "rounds" not in found and found["session_spread"] == 0.1
    assert comparison(tess, tmp_path, one["base"], one["half"])["verdict"] == "faster"
    assert "apart, 10 % between sessions assumed" in tess("compare", "--lab", tmp_path, one["base"], one["half"]).stdout


@pytest.mark.parametrize("drift, verdict", [(0.001, "slower"), (0.05, "unclear")])
def test_repetitions_tell_what_sessions_differ_by(tess, tess_bin, tmp_path, drift, verdict):
    """Six sessions of each of two variants, the second 3 % slower: enough where sessions differ by 0.1 %,
    not where they differ by 5 %. lab_writer's partitioner goes with the place of a run."""
    stats = pytest.importorskip("scipy.stats")
    generator = numpy.random.default_rng(8)
    logs = []
    for place, name in enumerate(("base", "slower")):
        for k in range(6):
            factor = numpy.exp(drift * generator.standard_normal())
            names = ("padding", name)[1 - place:]
            runs = write_runs(tess_bin, tmp_path, names, generator, drift=factor)
            tess("tag", "--lab", tmp_path, name, runs[name])
            if "padding" in runs:
                tess("rm", "--lab", tmp_path, runs["padding"])
            with h5py.File(tmp_path / "runs" / f"{runs[name]}.hdf") as file:
                logs.append(numpy.log(numpy.median(file["samples/time"][:])))
    for k in range(2):  # which tells nothing of the first
        (run,) = write_runs(tess_bin, tmp_path, ("on another device",), generator, drift=1 + k).values()
        with h5py.File(tmp_path / "runs" / f"{run}.hdf", "r+") as file:
            rows = file["configuration"][...]
            (row,) = numpy.nonzero(rows["key"] == b"loop")
            more = rows[row]
            more["key"], more["text"] = b"device", b"cuda"
            del file["configuration"]
            file.create_dataset("configuration", data=numpy.concatenate([rows, more]), chunks=True, fletcher32=True)
    found = comparison(tess, tmp_path, "tag:base", "tag:slower")
    assert found["sessions"] == 6 and found["session_spread_df"] == 10, found
    spread = numpy.sqrt((numpy.var(logs[:6], ddof=1) + numpy.var(logs[6:], ddof=1)) / 2)
    assert found["session_spread"] == pytest.approx(spread, rel=1e-9)
    half = stats.t.isf(0.025, 10) * spread * numpy.sqrt(2 / 6)
    assert found["ratio"] == pytest.approx(numpy.exp(numpy.mean(logs[6:]) - numpy.mean(logs[:6])), rel=1e-9)
    assert found["low"] == pytest.approx(found["ratio"] * numpy.exp(-half), rel=1e-6)
    assert found["high"] == pytest.approx(found["ratio"] * numpy.exp(half), rel=1e-6)
    assert found["p"] == pytest.approx(stats.ttest_ind(logs[:6], logs[6:]).pvalue, rel=1e-4)
    assert found["verdict"] == verdict


def test_common_sessions_are_compared_in_turns(tess, tess_bin, tmp_path):
    """Two sessions, the second on a machine that is 40 % slower: a tag of both is compared by rounds."""
    generator = numpy.random.default_rng(5)
    for session, drift in (("first", 1.0), ("second", 1.4)):
        runs = write_runs(tess_bin, tmp_path, ("base", "slower"), generator, session, drift)
        for name, run in runs.items():
            tess("tag", "--lab", tmp_path, name, run)
    found = comparison(tess, tmp_path, "tag:base", "tag:slower")
    assert (found["manner"], found["rounds"], found["verdict"]) == ("in turns", 50, "slower")
    assert found["ratio"] == pytest.approx(1.03, abs=2e-3)
    assert "in turns, 50 rounds" in tess("compare", "--lab", tmp_path, "tag:base", "tag:slower").stdout


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
    times = {}
    for name in ("base", "equal", "slower"):
        with h5py.File(copy / "runs" / f"{names[name]}.hdf") as file:
            times[name] = file["samples/time"][:]
    in_turns = numpy.median(numpy.log(2 * times["slower"] / (times["base"] + times["equal"])))
    assert compared["comparisons"][0]["ratio"] == pytest.approx(numpy.exp(in_turns), rel=1e-12)


def test_how_far_apart_sides_are_is_from_the_last_of_one_to_the_first_of_the_other(tess, tess_bin, tmp_path):
    runs = write_runs(tess_bin, tmp_path, ("base", "again", "equal"), numpy.random.default_rng(4))
    for run, time in zip(runs.values(), ("04:00:00.000", "04:01:40.000", "04:06:40.250")):
        with h5py.File(tmp_path / "runs" / f"{run}.hdf", "r+") as file:
            file.attrs.modify("time", numpy.bytes_(f"2026-11-21T{time}Z".encode()))
    tess("tag", "--lab", tmp_path, "two", runs["base"], runs["again"])
    for sides in (("tag:two", runs["equal"]), (runs["equal"], "tag:two")):
        assert comparison(tess, tmp_path, *sides)["seconds_apart"] == 300.25
    assert comparison(tess, tmp_path, "tag:two", runs["again"])["seconds_apart"] == 0


def test_counted_metrics_are_compared_exactly(tess, lab):
    folder, names = lab
    base, other = names["base"], names["equal"]
    assert verdicts(tess, folder, base, other, "--metric", "reuse_factor") == {other: "better"}
    assert verdicts(tess, folder, base, base, "--metric", "reuse_factor") == {base: "same"}
    for margin, verdict in (("24%", "better"), ("26%", "same")):  # 1 and 1.25
        assert verdicts(tess, folder, base, other, "--metric", "reuse_factor", "--same", margin) == {other: verdict}
    for margin, verdict in (("19%", "worse"), ("21%", "same")):
        assert verdicts(tess, folder, other, base, "--metric", "reuse_factor", "--same", margin) == {base: verdict}
    assert "neither samples nor a metric" in tess("compare", "--lab", folder, base, other, "-m", "x", code=3).stderr


def test_diff_shows_what_changed_and_with_all_the_rest(tess, lab):
    folder, names = lab
    done = tess("diff", "--lab", folder, names["base"], names["equal"], "--json")
    differences = {one["what"]: one for one in json.loads(done.stdout)["differences"]}
    assert differences["partitioner"]["values"] == ["metis", "rcb"]
    assert differences["reuse_factor"]["values"] == [1, 1.25] and differences["reuse_factor"]["of"] == "plan"
    assert "block_size" not in differences and "cores" not in differences and "load" not in differences
    everything = tess("diff", "--lab", folder, names["base"], names["equal"], "--all").stdout
    assert "block size" in everything and "cores" in everything and "partition" in everything


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


def test_best_does_not_go_by_times_of_failed_runs_alone(tess, tmp_path):
    tess("partition", "tris:nx=20:ny=20", "--map", "edges:cells", "-p", "rcb", "-b", "64", "--lab", tmp_path, "--no-view")
    run = json.loads(tess("run", "airfoil", "--mesh", "quads:nx=8:ny=9", "-d", "host", "-s", "sequential", "--samples", "1", "--lab", tmp_path, "--json").stdout)
    with h5py.File(tmp_path / "runs" / f"{run['runs'][0]['run']}.hdf", "r+") as file:
        file.attrs.modify("outcome", numpy.bytes_(b"failed"))
    ranked = json.loads(tess("best", "--lab", tmp_path, "--json").stdout)
    assert ranked["metric"] == "transfer_total" and [one["place"] for one in ranked["runs"]] == ["best"]


def test_best_says_how_it_is_taken_home(tess, tess_bin, tmp_path):
    """Of blocks for a map the mesh in their order, by a command that runs; of a loop that ran, arrays."""
    mesh = "tris:nx=20:ny=20:shuffle=1"
    tess("partition", mesh, "--map", "edges:cells", "-p", "file-order,rcb", "-b", "64", "--lab", tmp_path / "cut", "--no-view")
    done = tess("best", "--lab", tmp_path / "cut")
    assert f"tess mesh reorder {mesh} OUT --map edges:cells -p rcb -b 64" in done.stderr and "Take it home" not in done.stdout
    with open("/dev/full", "w", encoding="utf-8") as full:
        lost = subprocess.run([tess_bin, "best", "--lab", tmp_path / "cut"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert lost.returncode == 1 and "the output cannot be written to stdout" in lost.stderr.splitlines()[-1]
    words = done.stderr.split("  tess ")[1].replace("OUT", str(tmp_path / "new.su2")).split()
    tess(*words, "--dry-run", "--quiet")
    assert tess("best", "--lab", tmp_path / "cut", "--quiet").stderr == ""
    kept = tess("best", "--lab", tmp_path / "cut", "-w", "partitioner = file-order").stderr
    assert "tess export -f arrays" in kept and "reorder" not in kept, "the mesh has that order already"
    assert tess("best", "--lab", tmp_path / "cut", "--json").stderr == ""
    refined = tess("partition", mesh, "--map", "edges:cells", "-p", "rcb", "-b", "64", "--refine", "1", "--lab", tmp_path / "refined", "--no-view")
    alone = tess("partition", mesh, "--map", "edges:cells", "-p", "file-order", "-b", "64", "--lab", tmp_path / "alone", "--no-view")
    assert "tess export -f arrays" in alone.stderr and "reorder" not in alone.stderr, "as tess best says"
    for told in (refined, tess("best", "--lab", tmp_path / "refined")):
        assert "tess export -f arrays" in told.stderr and "reorder" not in told.stderr, "tess mesh reorder refines no blocks"
    tess("run", "airfoil", "--mesh", "airfoil:i=8:j=9", "-d", "host", "-s", "sequential", "--samples", "1", "--lab", tmp_path / "ran")
    home = tess("best", "--lab", tmp_path / "ran").stderr.split("  tess ")[1].split()
    assert home[:3] == ["export", "-f", "arrays"] and home[-2:] == ["-l", str(tmp_path / "ran")]
    tess(*home, cwd=tmp_path)
    assert (tmp_path / "blocks/arrays.json").exists()
    (tmp_path / "ran").rename(tmp_path / "lab")
    assert " -l " not in tess("best", cwd=tmp_path).stderr, "the lab that every command takes"
