"""tess tune: the race, ties that stay ties, budgets, choices by a metric, refusals."""

import json
import re

import pytest

AIRFOIL = ("tune", "airfoil", "--mesh", "quads:nx=30:ny=20", "--json")
PLACES = ["best", "tie", "unclear", "worse", "slower", "not applicable", "failed", "not tried"]


def tuned(done):
    report = json.loads(done.stdout)
    assert report["schema"] == "tess.tune/1"
    places = [one["place"] for one in report["candidates"]]
    assert places == sorted(places, key=PLACES.index) and places.count("best") == 1
    assert report["ties"] == places.count("tie") + places.count("unclear") and report["won"] == (report["ties"] == 0)
    return report, report["candidates"]


def test_the_host_is_raced(tess, tmp_path):
    lab = tmp_path / "lab"
    done = tess(*AIRFOIL, "--device", "host", "--partitioner", "file-order", "--block-size", "128",
                "--budget", "1m", "--early", "--lab", lab)  # fmt: skip
    report, candidates = tuned(done)
    assert len(candidates) == 4 and {one["layout"] for one in candidates} == {"soa", "aos"}
    # One that dropped out may have been timed in a better moment than the winner's last rounds.
    last = [one["value"] for one in candidates if one["place"] != "slower"]
    assert last[0] == min(last) and candidates[0]["place"] == "best"
    for one in candidates:
        assert one["samples"] >= 6
        assert one["place"] != "slower" or (one["low"] > 1 and one["ratio"] > 1)
        record = json.loads(tess("show", one["run"], "--lab", lab, "--json").stdout)
        assert len(record["samples"]["time"]["values"]) == one["samples"]


def test_the_winner_is_compared_with_the_mesh_as_stored(tess):
    """By measured time, first in line, where no partitioner is asked for."""
    words = ("--no-lab", "airfoil", "--mesh", "quads:nx=30:ny=20:shuffle=1", "--device", "host", "--layout", "soa", "--block-size", "128")
    tuned = ("tune", *words, "--strategy", "sequential", "--budget", "5m", "--early")
    printed = tess(*tuned).stdout
    assert printed.count("128  as stored") == 1 and printed.count("128  rcb ") == 1
    (verdict,) = [line for line in printed.split("\n") if line.startswith(("Fastest: ", "No winner by time: "))]
    assert "sequential (as stored)" in verdict or "Your file's order" in verdict
    first = tess("tune", *words, "--strategy", "openmp,sequential", "--runs", "1", "--json").stdout
    tried = [one for one in json.loads(first)["candidates"] if one["place"] != "not tried"]
    assert len(tried) == 2 and [one["strategy"] for one in tried if one["partitioner"] == "file-order"] == ["openmp"]


def test_a_metric_decides_without_times(tess, tmp_path):
    lab = tmp_path / "lab"
    done = tess(*AIRFOIL, "--by", "read_sectors", "--partitioner", "rcb,file-order", "--block-size", "64",
                "--strategy", "atomics,point-parallel,openmp", "--layout", "soa", "--lab", lab)  # fmt: skip
    report, candidates = tuned(done)
    assert report["by"] == "read_sectors"
    assert [one["strategy"] for one in candidates if one["place"] == "not applicable"] == ["openmp"] * 2
    ranked = [one for one in candidates if one["value"] is not None]
    assert [one["value"] for one in ranked] == sorted(one["value"] for one in ranked)
    for one in ranked:
        record = json.loads(tess("show", one["run"], "--lab", lab, "--json").stdout)
        metric = [m for m in record["metrics"] if m["name"] == "read_sectors"]
        assert metric[0]["value"] == one["value"]


ADDING = ["atomics", "atomics:transpose=shared", "atomics:aggregate=sorted:elements=4", "block-colour", "two-step",
          "halo-atomics", "owner-block", "point-parallel"]  # fmt: skip
SPLIT = ["halo-atomics:parts=staged", "halo-atomics:parts=separate"]
ORDERED = ["halo-atomics:border=ordered", "owner-block:sum=block-gather", "owner-block:sum=mesh-order", "point-parallel:sum=mesh-order"]  # tried for their bits


@pytest.mark.parametrize("device, case, expected", [
    ("emulator", ("airfoil", "--mesh", "quads:nx=9:ny=9"), ADDING),
    ("emulator", ("miniaero", "--mesh", "hexes:nx=5:ny=5:nz=5"), [*ADDING[:6], *SPLIT, *ADDING[6:]]),
    ("emulator", ("fv", "--mesh", "random_blocks:n=500:b=50"),
     ["atomics", "halo-atomics", "gather", "gather:own=staged", "gather:reads=staged"]),
    ("host", ("airfoil", "--mesh", "quads:nx=9:ny=9"), ["sequential", "openmp"]),
    ("emulator", ("fun3d", "--loop", "lstgs", "--mesh", "layers:nx=3:ny=3:prisms=2:tets=1"), [*ADDING[:6], *SPLIT, *ADDING[6:]]),
    ("emulator", ("airfoil", "--mesh", "quads:nx=9:ny=9", "--same-bits", "run"), [*ADDING, *ORDERED]),
    ("emulator", ("miniaero", "--mesh", "hexes:nx=5:ny=5:nz=5", "--same-bits", "any"),
     [*ADDING, *SPLIT, *ORDERED, "halo-atomics:border=ordered:parts=staged"]),
    ("host", ("airfoil", "--mesh", "quads:nx=9:ny=9", "--same-bits", "run"), ["sequential", "openmp"]),
])  # fmt: skip
def test_strategies_say_which_of_their_variants_are_tried(tess, device, case, expected):
    """Those of the version before, which had them as a text, in the order of the strategies."""
    budget = "10m" if "--same-bits" in case else "0.001s"  # the first may not fit
    done = tess("tune", *case, "--device", device, "--by", "reuse_factor", "--budget", budget, "--layout", "soa",
                "--partitioner", "file-order", "--block-size", "64", "--json", "--no-lab")  # fmt: skip
    tried = [one["strategy"].replace(":sum=slots", "") for one in json.loads(done.stdout)["candidates"]]
    assert sorted(tried) == sorted(expected)


def test_a_loop_in_parts_reads_no_more_for_being_split_where_its_stages_stay_together(tess):
    done = tess("tune", "fun3d", "--loop", "lstgs", "--mesh", "layers:nx=3:ny=3:prisms=2:tets=1", "--by", "read_sectors",
                "--strategy", "halo-atomics,halo-atomics:parts=staged,halo-atomics:parts=separate", "--layout", "soa",
                "--partitioner", "rcb", "--block-size", "64", "--no-lab", "--json")  # fmt: skip
    _, candidates = tuned(done)
    value = {one["strategy"]: one["value"] for one in candidates}
    assert value["halo-atomics:parts=staged"] == value["halo-atomics"] < value["halo-atomics:parts=separate"]


def test_larger_may_be_better_and_equals_tie(tess):
    done = tess(*AIRFOIL, "--by", "reuse_factor", "--partitioner", "rcb,file-order", "--block-size", "64",
                "--strategy", "atomics,block-colour", "--layout", "soa", "--no-lab")  # fmt: skip
    report, candidates = tuned(done)
    assert [one["partitioner"] for one in candidates] == ["rcb", "rcb", "file-order", "file-order"]
    assert [one["place"] for one in candidates] == ["best", "tie", "worse", "worse"]
    assert not report["won"] and candidates[2]["ratio"] < 1


def test_a_budget_that_is_over_leaves_the_rest_untried(tess):
    done = tess(*AIRFOIL, "--device", "host", "--budget", "0.001", "--no-lab")
    _, candidates = tuned(done)
    assert len(candidates) == 25 and [one["place"] for one in candidates[1:]] == ["not tried"] * 24
    assert candidates[0]["samples"] == 6


def test_the_table_says_whether_there_is_a_winner(tess):
    words = ("tune", "airfoil", "--mesh", "quads:nx=9:ny=9", "--by", "reuse_factor", "--layout", "soa",
             "--block-size", "64", "--no-lab")  # fmt: skip
    assert "The winner by reuse_factor, which is no time, is the first." in tess(*words, "--strategy", "atomics", "--partitioner", "rcb,file-order").stdout
    alone = tess(*words, "--strategy", "atomics", "--partitioner", "rcb").stdout
    assert "No winner: one variant was measured" in alone and "winner by" not in alone
    both = tess(*words, "--strategy", "atomics,two-step", "--partitioner", "rcb").stdout
    assert "No winner by reuse_factor, which is no time: 1 tie with the first." in both


def test_the_table_says_what_was_left_out_and_how_to_run_the_best(tess, tmp_path):
    words = ("tune", "airfoil", "--mesh", "quads:nx=9:ny=9", "--by", "read_sectors", "--block-size", "64", "--no-lab")
    printed = tess(*words, "--strategy", "point-parallel:stage=none,atomics", "--budget", "0.001").stdout
    assert "11 of 12 candidates were not tried: the budget of 0.001 s was over; for all about --budget" in printed
    assert "not tried\n" not in printed and "samples" not in printed and "interval" not in printed
    (again,) = [line for line in printed.split("\n") if line.startswith("The first again: tess run ")]
    done = tess(*again.removeprefix("The first again: tess ").split(), "--json", "--lab", tmp_path / "lab")
    (run,) = json.loads(done.stdout)["runs"]
    assert (run["strategy"], run["partitioner"], run["block_size"]) == ("point-parallel:stage=none", "rcb", 64)


@pytest.mark.parametrize(
    "options, words",
    [
        ([], "choose by a metric, say --by read_sectors"),
        (["--budget", "soon"], "--budget takes a time, say 60s or 5m, not 'soon'"),
        (["--budget", "-1"], "--budget takes a time"),
        (["--by", "speed"], "there is no metric 'speed'"),
        (["--by", "blocks"], "neither a small nor a large 'blocks' is better"),
        (["--by", "read_sectors", "--layout", "soap"], "soap"),
        (["--by", "read_sectors", "--strategy", "atomic"], "did you mean 'atomics'"),
        (["--by", "read_sectors", "--partitioner", "rbc"], "did you mean 'rcb'?"),
    ],
)
def test_refusals_are_clear(tess, options, words):
    assert words in tess(*AIRFOIL, "--no-lab", *options, code=2).stderr


def test_nothing_that_fits_is_no_success(tess):
    done = tess(*AIRFOIL, "--by", "read_sectors", "--strategy", "openmp", "--no-lab", code=1)
    assert re.search("none of the candidates passed: .*openmp .*host", done.stderr), done.stderr


def test_a_metric_that_no_run_has_is_named(tess):
    """They pass, but without caches nothing counts what the L2 is asked for."""
    words = (*AIRFOIL, "--by", "l2_read_sectors", "--strategy", "atomics", "--partitioner", "rcb", "--no-lab")
    done = tess(*words, code=2)
    assert "of the candidates passed, and none has a 'l2_read_sectors' on emulator: 'tess explain l2_read_sectors' says" in done.stderr
    tess(*words, "--device", "emulator:check=no:caches=h100")


def test_the_report_says_where_the_budget_went(tess):
    words = ("tune", "airfoil", "--mesh", "quads:nx=30:ny=20", "--device", "host", "--layout", "soa", "--budget", "300s",
             "--early", "--no-lab")  # fmt: skip
    report = json.loads(tess(*words, "--json").stdout)
    own, ahead = report["spent"]["own"], report["spent"]["ahead"]
    assert report["spent"]["tried"] == len(report["candidates"]) == 13
    assert all(seconds >= 0 for seconds in [*own.values(), *ahead.values()])
    assert own["wait_cut"] <= own["wait"]
    assert sum(own.values()) - own["wait_cut"] <= report["spent"]["seconds"] and own["run"] > 0 and own["copy"] > 0 and own["check"] > 0
    assert own["cut"] == 0 and ahead["cut"] > 0 and ahead["plan"] > 0  # the main thread cut nothing itself
    assert "13 of 13 candidates tried in" in tess(*words).stdout


def test_plans_are_stored_while_others_are_tried(tess, tmp_path):
    """Not after the last sample, when the budget is over."""
    lab = str(tmp_path / "lab")
    words = ("tune", "airfoil", "--mesh", "quads:nx=60:ny=40", "--device", "host", "--budget", "300s", "--early", "--lab", lab)
    report = json.loads(tess(*words, "--json").stdout)
    assert report["spent"]["ahead"]["store"] > 0 and report["spent"]["own"]["store"] > 0
    assert report["spent"]["tried"] == len(report["candidates"]) == 25
    used = {run["plan_digest"] for run in json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]}
    assert len(used) == 13 and {one.stem for one in (tmp_path / "lab/plans").iterdir()} == used
    assert "13 plans, 25 runs, 0 views verified; 0 defects" in tess("verify", "--lab", lab).stdout


def test_what_is_made_ahead_is_what_a_run_makes(tess):
    """The counters of every candidate, to the sector, and plans that are cut once for all of a kind."""
    words = ("airfoil", "--mesh", "quads:nx=30:ny=20:shuffle=1", "--block-size", "64", "--json", "--no-lab")
    report = json.loads(tess("tune", *words, "--by", "read_sectors", "--renumber", "owner", "--budget", "900s").stdout)
    tried = [one for one in report["candidates"] if one["value"] is not None]
    assert len(tried) == len(report["candidates"]) == 48
    for one in tried[::5]:
        done = tess("run", *words, "--renumber", "owner", "--partitioner", one["partitioner"], "--strategy",
                    one["strategy"], "--layout", one["layout"])  # fmt: skip
        assert json.loads(done.stdout)["runs"][0]["read_sectors"] == one["value"]


@pytest.mark.parametrize("strategies", ["atomics,halo-atomics", "point-parallel,owner-block"])
def test_what_a_device_cuts_at_once_is_made_first(tess, tmp_path, strategies):
    """By the thread that runs, which cuts nothing else; others take over its plan."""
    words = ("--by", "read_sectors", "--partitioner", "file-order,rcb", "--block-size", "64", "--strategy", strategies,
             "--layout", "soa")  # fmt: skip
    own = {}
    for place in ("host", "device"):
        report, candidates = tuned(tess(*AIRFOIL, *words, "--partition-on", place, "--lab", tmp_path / place))
        own[place] = report["spent"]["own"]
        assert {one["place"] for one in candidates} <= {"best", "tie", "worse"}
        assert len(candidates) == len(list((tmp_path / place / "runs").glob("*.hdf"))) == 4
        first = min(candidates, key=lambda one: one["run"])
        assert (first["partitioner"], first["strategy"]) == ({"host": "file-order", "device": "rcb"}[place], strategies.split(",")[0])
    assert own["host"]["cut"] == 0 < own["device"]["cut"]


def test_a_fit_is_for_a_gpu(tess):
    done = tess(*AIRFOIL, "--device", "host", "--no-lab", "--predict", "fit.yaml", code=2)
    assert "--predict is for --device cuda: a fit is of a GPU, not of device host" in done.stderr
    done = tess("tune", "airfoil", "--mesh", "quads:nx=9:ny=9", "--predict", "h200", code=2)
    assert "--predict is for --device cuda: a fit is of a GPU, not of device emulator" in done.stderr


def test_at_most_so_many_candidates_are_tried(tess):
    words = ("tune", "airfoil", "--mesh", "quads:nx=9:ny=9", "--by", "read_sectors", "--block-size", "64", "--no-lab")
    report = json.loads(tess(*words, "--runs", "3", "--json").stdout)
    places = [one["place"] for one in report["candidates"]]
    assert report["spent"]["tried"] == 3 and places.count("not tried") == len(places) - 3
    assert "candidates were not tried: --runs 3." in tess(*words, "--runs", "3").stdout
    assert "--runs: 'all' is no whole number from 1" in tess(*words, "--runs", "all", code=2).stderr
