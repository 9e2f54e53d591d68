"""Strategies side by side: which runs count, which cell is whose, and writing into a page."""

import pandas as pd
import pytest

from tesselab import strategies as module


def run(strategy, partitioner, layouts, block_size, ms, **more):
    return {"application": "airfoil", "mesh": "quads", "strategy": strategy, "partitioner": partitioner,
            "layouts": layouts, "block_size": block_size, "median_time": ms / 1e3, "useful_fraction": 0.1 / ms,
            "outcome": "passed", "threads": 0, **more}  # fmt: skip


RUNS = pd.DataFrame([
    run("atomics", "rcb", "soa", 128, 0.3),
    run("atomics", "rcb", "soa", 256, 0.25),
    run("atomics", "rcb", "aos", 128, 0.4),
    run("atomics", "gps", "soa", 128, 0.28),
    run("point-parallel", "rcb", "aos", 128, 0.125),
    run("point-parallel:stage=none", "rcb", "soa", 128, 0.1),  # an option: not among the kinds
    run("atomics:transpose=shared", "gps", "aos", 128, 0.2),
    run("atomics", "gps", "aos", 128, 0.01, outcome="failed"),
    run("atomics", "gps", "aos", 256, float("nan")),  # not timed
    run("point-parallel", "rcb", "soa", 128, 0.02, threads=64),  # another setting than its block size says
    run("atomics", "rcb", "soa", 128, 0.31),  # made again
], index=[f"{i:02}" for i in range(11)])  # fmt: skip


def cells(text):
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in text.split("\n") if line[:1] == "|"]


def test_the_best_layout_and_block_size_of_each():
    rows = cells(module.tables(module.timed_runs(RUNS), True))
    assert rows[0] == ["strategy", "gps", "rcb"]
    assert rows[2:] == [["point-parallel", "", "0.1250 (0.80) aos 128"],
                        ["atomics:transpose=shared", "0.2000 (0.50) aos 128", ""],
                        ["atomics", "0.2800 (0.36) soa 128", "0.2500 (0.40) soa 256"]]  # fmt: skip
    text = module.tables(module.timed_runs(RUNS), True)
    assert text.count("**0.1250 (0.80) aos 128**") == 1 and text.count("**") == 2 and "`quads`: 7 points" in text
    other = pd.DataFrame([{**run("", "", "", 0, 1), "outcome": "unchecked", "block_size": float("nan")}], index=["99"])  # a program of others
    assert module.tables(module.timed_runs(pd.concat([RUNS, other])), True) == text


def test_every_point_is_a_row_of_csv(monkeypatch, capsys):
    monkeypatch.setattr(module, "open_lab", lambda path: type("Lab", (), {"runs": lambda self: RUNS})())
    module.main(["lab", "--all"])
    head, *rows = capsys.readouterr().out.split("\n")[:-1]
    assert head == "application,mesh,strategy,layouts,block_size,partitioner,ms"
    assert len(rows) == 7 and "airfoil,quads,atomics,soa,128,rcb,0.31" in rows
    assert "airfoil,quads,point-parallel:stage=none,soa,128,rcb,0.1" in rows


def test_it_is_written_between_the_marks(monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- strategies: old -->\nold\n<!-- end of strategies -->\nafter\n")
    monkeypatch.setattr(module, "open_lab", lambda path: type("Lab", (), {"runs": lambda self: RUNS})())
    module.main(["lab", "--into", str(page)])
    text = page.read_text()
    assert text.startswith("before\n<!-- strategies: made by python3 -m tesselab.strategies LAB --into")
    assert text.endswith("<!-- end of strategies -->\nafter\n") and "old\n" not in text and "0.1250" in text
    page.write_text("nothing\n")
    with pytest.raises(SystemExit, match="no marks"):
        module.main(["lab", "--into", str(page)])


def test_duels_compare_the_fastest_with_the_fastest_atomics(tess, tmp_path):
    """On runs of the host's two strategies, one of which is called `atomics` here."""
    lab = tmp_path / "lab"
    tess("run", "airfoil", "--mesh", "quads:nx=20:ny=20", "--device", "host", "--strategy", "sequential,openmp",
         "--samples", "6", "--lab", lab, "--no-view")  # fmt: skip
    opened = module.open_lab(lab)
    runs = opened.runs().assign(useful_fraction=0.5)
    opened.runs = lambda: runs.assign(strategy=runs["strategy"].replace("openmp", "atomics:elements=4"))
    rows = cells(module.duels(opened, True))
    assert rows[0][1:] == ["fastest, ms", "by `atomics`, ms", "times as fast"]
    assert rows[2][0] == "airfoil, `quads:nx=20:ny=20`" and rows[2][1].startswith("`sequential` 0.")
    assert rows[2][2].startswith("`atomics:elements=4` ") and rows[2][2].endswith(" (0.500)")
    assert float(rows[2][3].split()[0]) > 0 and " to " in rows[2][3]
