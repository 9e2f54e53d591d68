"""tess march --lab: a march leaves a record, what its ranks cost in it, also where it failed."""

import json

import pytest

from launched_ranks import said_by_ranks_of_which_one_is_killed


def runs(tess, lab):
    listed = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]
    return [json.loads(tess("show", run["run"], "--lab", lab, "--json").stdout) for run in listed]


def metrics(run):
    return {metric["name"]: metric["value"] for metric in run["metrics"]}


def test_marches_on_ranks_are_archived_and_compared(tess, tmp_path):
    march = ["march", "airfoil", "--mesh", "quads:nx=12:ny=12", "--steps", "4", "--check", "--json", "--lab", tmp_path]
    for n in [1, 4]:
        told = json.loads(tess(*march, "--ranks", n, "--rank-partitioner", "rcb").stdout)
    alone, ranked = runs(tess, tmp_path)
    assert ranked["configuration"]["ranks"]["value"] == 4 and ranked["configuration"]["halo"] == "redundant"
    assert ranked["outcome"] == "passed"
    counted = metrics(ranked)
    # four squares of 6 by 6 cells: each has two sides of 6 cells with another
    assert counted["ranks"] == 4 and counted["rank_imbalance"] == 1
    assert counted["exchange_bytes"] == told["ranks"]["exchange_bytes"]
    assert counted["exchange_messages"] == told["ranks"]["exchange_messages"]
    inside, between = 2 * 12 * 11, 2 * 12
    assert counted["core_share"] == pytest.approx(1 - between / inside)
    assert counted["exec_share"] == pytest.approx(between / inside)
    assert counted["neighbours_mean"] == counted["neighbours_max"] == 2
    assert metrics(alone)["exchange_bytes"] == 0 and metrics(alone)["core_share"] == 1
    compared = json.loads(tess("compare", "@last~1", "@last", "--lab", tmp_path, "--json").stdout)["comparisons"][0]
    assert compared["scaling_efficiency"] == pytest.approx(1 / (4 * compared["ratio"]))
    assert "efficiency" in tess("compare", "@last~1", "@last", "--lab", tmp_path).stdout


def test_a_march_whose_rank_is_killed_is_archived_as_failed(tess, tess_bin, tmp_path):
    said = said_by_ranks_of_which_one_is_killed(
        [tess_bin, "march", "airfoil", "--mesh", "quads:nx=12:ny=12", "--engine", "mpi", "--steps", "100000000", "--lab",
         tmp_path])
    [run] = runs(tess, tmp_path)
    assert run["outcome"] == "failed"
    assert run["check"]["message"] in said and "ended by signal 9" in run["check"]["message"]


def test_loops_are_timed_as_op2_prints_them(tess, tmp_path):
    march = ["march", "airfoil", "--mesh", "quads:nx=12:ny=12", "--steps", "4", "--check", "--json", "--lab", tmp_path]
    told = json.loads(tess(*march, "--loops", "--block-size", "64", "--set", "res_calc.block_size=32",
                           "--set", "update.block_size=48").stdout)
    loops = {loop["loop"]: loop for loop in told["loops"]}
    # a step saves once and has two stages
    assert {name: loop["count"] for name, loop in loops.items()} == {
        "save_soln": 4, "adt_calc": 8, "res_calc": 8, "bres_calc": 8, "update": 8}
    assert {name: loop["block_size"] for name, loop in loops.items()} == {
        "save_soln": 64, "adt_calc": 64, "res_calc": 32, "bres_calc": 64, "update": 48}
    save = loops["save_soln"]  # a direct loop: it reads and writes four doubles a cell, and has no lines of its own
    assert save["bandwidth"] == save["line_bandwidth"] == pytest.approx(4 * 2 * 4 * 8 * 144 / save["seconds"])
    assert loops["res_calc"]["line_bandwidth"] > loops["res_calc"]["bandwidth"] > 0
    [run] = runs(tess, tmp_path)
    kept = metrics(run)
    assert run["outcome"] == "passed"
    for name, loop in loops.items():
        assert kept[f"loop_seconds/{name}"] == loop["seconds"] and kept[f"loop_count/{name}"] == loop["count"]
        assert kept[f"loop_bandwidth/{name}"] == pytest.approx(loop["bandwidth"])
        assert kept[f"loop_block_size/{name}"] == loop["block_size"]


def test_block_sizes_are_tried_for_each_loop(tess):
    march = ["march", "--no-lab", "airfoil", "--mesh", "quads:nx=12:ny=12", "--steps", "1", "--json", "--loops"]
    told = json.loads(tess(*march, "--tune-blocks", "32,96").stdout)
    assert {loop["block_size"] for loop in told["loops"]} <= {32, 96}


@pytest.mark.parametrize("words, said", [
    (["--set", "res_calk.block_size=32"], "there is no loop 'res_calk'"), (["--set", "update"], "is no LOOP.SETTING=VALUE"),
    (["--tune-blocks", "64,0"], "'0' is no block size"), (["--loops", "--ranks", "2"], "without ranks"),
    (["--loops", "--strategy", "openmp:copies=private"], "leave out copies=private")])
def test_loops_that_cannot_be_timed_are_refused(tess, words, said):
    done = tess("march", "--no-lab", "fv" if "private" in words[-1] else "airfoil", "--mesh", "quads:nx=6:ny=6", "--steps", "1", *words, code=2)
    assert said in done.stderr


def test_an_emulated_march_has_no_time(tess, tmp_path):
    """What the emulator takes is no time of a GPU: such a march never ranks."""
    march = ("march", "airfoil", "--mesh", "quads:nx=4:ny=4", "--steps", "1")
    for device in ("emulator", "host"):
        tess(*march, "--device", device, cwd=tmp_path)
    assert ["time" in run["samples"] for run in runs(tess, tmp_path / "lab")] == [False, True]
    ranked = json.loads(tess("best", "--json", cwd=tmp_path).stdout)["runs"]
    assert [run["device"] for run in ranked] == ["host"]


def test_a_march_is_archived_as_a_run_is(tess, tmp_path):
    """By default, in one record: how each loop ran, and what each took in steps of their own after the march."""
    march = ["march", "airfoil", "--mesh", "quads:nx=12:ny=12", "--steps", "4", "--every", "1", "--set", "update.block_size=32"]
    tess(*march, "--check", cwd=tmp_path)
    tess(*march, "--strategy", "sequential", cwd=tmp_path)
    tess(*march, "--no-lab", cwd=tmp_path)
    first, second = runs(tess, tmp_path / "lab")
    kept = metrics(first)
    assert first["outcome"] == "passed" and len(first["samples"]["time"]["values"]) == 4
    assert {name: kept[f"loop_count/{name}"] for name in ("save_soln", "res_calc")} == {"save_soln": 4, "res_calc": 8}
    assert kept["loop_seconds/res_calc"] > 0 and kept["loop_block_size/update"] == 32
    settings = {key: entry["value"] if isinstance(entry, dict) else entry for key, entry in first["configuration"].items()}
    assert settings["strategy/res_calc"] == "openmp" and settings["block_size/update"] == 32 and settings["steps"] == 4
    assert settings["partitioner/res_calc"] == "rcb" and "partitioner/update" not in settings
    assert first["environment"]["loops_timed"] == "after it" and second["outcome"] == "unchecked"
    shown = tess("show", "@last", "--lab", "lab", cwd=tmp_path).stdout.split("\nloops\n")[1].split("\n")
    assert shown[0].split()[:3] == ["loop", "ms", "GB/s"] and [row.split()[0] for row in shown[1:6]] == [
        "save_soln", "adt_calc", "res_calc", "bres_calc", "update"]
    compared = json.loads(tess("compare", "@last~1", "@last", "--lab", "lab", "--json", cwd=tmp_path).stdout)
    assert compared["comparisons"][0]["ratio"] > 0
    assert "step" in tess("runs", "--lab", "lab", cwd=tmp_path).stdout
    assert "strategy/res_calc" in tess("export", "--lab", "lab", "-f", "csv", cwd=tmp_path).stdout.split("\n")[0]
    tess("report", "--lab", "lab", "-o", "page.html", cwd=tmp_path)
    assert "airfoil" in (tmp_path / "page.html").read_text()


def test_an_emulated_march_has_settings_of_loops_but_no_times(tess, tmp_path):
    tess("march", "airfoil", "--mesh", "quads:nx=8:ny=8", "--steps", "1", "--device", "emulator", "--lab", tmp_path)
    [run] = runs(tess, tmp_path)
    assert run["configuration"]["strategy/adt_calc"] == "atomics" and not [
        name for name in metrics(run) if name.startswith("loop_")]
