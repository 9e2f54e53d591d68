"""The arena: which run a cell shows, and which rows stand first."""

import pandas as pd

from tesselab import arena


def run(application, strategy, ms, partitioner="rcb", outcome="passed"):
    return {"application": application, "loop": "it", "mesh": "quads", "partitioner": partitioner, "strategy": strategy,
            "median_time": ms / 1e3, "outcome": outcome}  # fmt: skip


NAN = float("nan")
RUNS = pd.DataFrame([
    run("airfoil", "atomics", 0.5), run("airfoil", "point-parallel", 0.25), run("airfoil", "peer:name=jax", 0.8),
    run("airfoil", "peer:name=jax", 0.75),  # another layout
    run("airfoil", "peer:kokkos", 0.5), run("airfoil", "atomics", 1.0, "random"), run("airfoil", "peer:jax", 0.9, "random"),
    run("airfoil", "peer:op2", NAN, outcome="failed"),
    run("lulesh", "atomics", 0.5), run("lulesh", "peer:jax", 0.01, outcome="failed"), run("lulesh", "peer:op2", 0.55),
    run("volna", "atomics", 0.5),  # no peer
    run("fun3d", "peer:jax", 0.5),  # not ours
    run("fun3d", "atomics", 0.4, outcome="failed"),
    run("miniaero", "atomics", 0.5), run("miniaero", "peer:jax", 0.5, outcome="failed")], index=[f"{i:02}" for i in range(16)])  # fmt: skip


def test_the_rows_that_a_peer_wins_stand_first():
    titles, *rows = arena.table_rows(RUNS)
    assert titles == ["loop, mesh, order", "ours, ms", "`kokkos`", "`op2`", "`jax`", "times ours"]
    assert rows == [
        ["airfoil `it`, `quads`, random", "1 `atomics`", "", "", "0.9", "0.90"],
        ["lulesh `it`, `quads`, rcb", "0.5 `atomics`", "", "0.55", "failed", "1.10"],
        ["airfoil `it`, `quads`, rcb", "0.25 `point-parallel`", "0.5", "failed", "0.75", "2.00"],
        ["miniaero `it`, `quads`, rcb", "0.5 `atomics`", "", "", "failed", ""]]  # fmt: skip


def test_a_step_is_the_sum_of_its_loops():
    loops = {"save_soln": 1.0, "adt_calc": 2.0, "res_calc": 3.0, "bres_calc": 0.5, "update": 4.0}
    runs = [{**run("airfoil", strategy, ms * share), "loop": loop} for strategy, share in (("atomics", 1), ("peer:jax", 3), ("peer:op2", 2))
            for loop, ms in loops.items() if (strategy, loop) != ("peer:op2", "update")]
    runs.append({**run("airfoil", "point-parallel", 1.5), "loop": "res_calc"})
    step = ["airfoil `step`, `quads`, rcb", "17 `each the fastest`", "", "60", "3.53"]  # 1 + 2 (2 + 1.5 + 0.5 + 4), and 3 (1 + 2 * 9.5)
    assert step in arena.table_rows(pd.DataFrame(runs))[1:]
    runs.append({**run("airfoil", "peer:op2", NAN, outcome="failed"), "loop": "update"})
    assert ["airfoil `step`, `quads`, rcb", "17 `each the fastest`", "failed", "60", "3.53"] in arena.table_rows(pd.DataFrame(runs))[1:]
    assert not any("`step`" in row[0] for row in arena.table_rows(pd.DataFrame([one for one in runs if one["loop"] != "bres_calc"])))


def test_it_is_written_into_a_page(monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- arena: old -->\nold\n<!-- end of arena -->\n")
    monkeypatch.setattr(arena, "open_lab", lambda path: type("Lab", (), {"runs": lambda self: RUNS})())
    arena.main(["lab", "--into", str(page)])
    assert page.read_text().startswith("<!-- arena: made by python3 -m tesselab.arena LAB --into") and "| 0.90 |" in page.read_text()
