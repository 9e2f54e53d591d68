"""Hosts: which of its runs a cell shows, and what our orders gain."""

import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "python"))
pd = pytest.importorskip("pandas")

from tesselab import hosts  # noqa: E402


def run(host, order, ms):
    return {"application": host, "order": order, "median_time": None if ms is None else 1e-3 * ms}


RUNS = pd.DataFrame([
    run("solver", "stored", 9.0), run("solver", "stored", 8.0), run("solver", "hilbert", 4.0), run("solver", "levels", 2.5), run("solver", "own", 2.0),
    run("another", "stored", 5.0), run("another", "hilbert", None), run("another", "rcb", 10.0), run("fails", "stored", None)])  # fmt: skip


def test_the_least_of_an_order_counts_and_the_gain_is_of_the_fastest_of_ours():
    titles, *rows = hosts.host_rows(RUNS)
    assert rows == [["solver", "8", "4", "2.5", "", "2", "3.20", "0.80"], ["another", "5", "", "", "10", "", "0.50", ""]]
    assert titles[2:5] == ["`-p hilbert`", "`-p levels`", "`-p rcb`"] and all(len(row) == len(titles) for row in rows)


def test_they_are_written_into_the_page(tmp_path, monkeypatch):
    page = tmp_path / "hosts.md"
    page.write_text("<!-- hosts: old -->\nold\n<!-- end of hosts -->\n")
    monkeypatch.setattr(hosts, "open_lab", lambda path: type("Lab", (), {"runs": lambda self: RUNS})())
    hosts.main(["lab", "--into", str(page)])
    assert "| solver | 8 | 4 | 2.5 |" in page.read_text() and "old" not in page.read_text()
