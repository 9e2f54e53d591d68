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
    assert ranked["configuration"]["ranks"]["value"] == 4 and ranked["configuration"]["halo"] == "exec"
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
