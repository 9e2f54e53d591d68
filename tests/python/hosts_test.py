"""Hosts: which of its runs a cell shows, and what our orders gain."""

import pytest

pd = pytest.importorskip("pandas")

from tesselab import hosts  # noqa: E402


def run(host, order, ms, time=4):
    return {"application": host, "order": order, "median_time": None if ms is None else 1e-3 * ms, "time": time}


RUNS = pd.DataFrame([
    run("solver", "stored", 9.0, 1), run("solver", "hilbert", 4.5, 1), run("solver", "levels", 3.0, 1), run("solver", "own", 3.0, 1),
    run("solver", "levels", 5.0, 3), run("solver", "stored", 10.0, 3), run("solver", "stored", 20.0, 2), run("solver", "levels", 4.0, 2),
    run("another", "stored", 5.0), run("another", "hilbert", None), run("another", "rcb", 10.0), run("fails", "stored", None)])  # fmt: skip


def test_a_gain_is_of_the_rounds_ratios_and_of_the_fastest_of_ours():
    titles, *rows = hosts.host_rows(RUNS)
    assert rows == [["solver", "10", "4.5", "4", "", "3", "3.00", "1.00"], ["another", "5", "", "", "10", "", "0.50", ""]]
    assert titles[2:5] == ["`-p hilbert`", "`-p levels`", "`-p rcb`"] and all(len(row) == len(titles) for row in rows)


def test_they_are_written_into_the_page(tmp_path, monkeypatch):
    page = tmp_path / "hosts.md"
    page.write_text("<!-- hosts: old -->\nold\n<!-- end of hosts -->\n")
    monkeypatch.setattr(hosts, "open_lab", lambda path: type("Lab", (), {"runs": lambda self: RUNS})())
    hosts.main(["lab", "--into", str(page)])
    assert "| solver | 10 | 4.5 | 4 |" in page.read_text() and "old" not in page.read_text()


SWEEPS = """<!-- sweeps: made by hand -->

| host | share | gain by `hilbert` | `levels` | `rcb` |
|---|---|---|---|---|
| solver, solutions | 0.5 | 2.00 [2.00, 6.00] | 4.00 [2.00, 5.00] | 1.00 |
| solver, the rest | 0.25 | 1.00 | 5.00 | 0.50 |
| another | 1 | 2.00 | 2.00 | 0.50 |
| unmeasured | 1 | 2.00 | 2.00 | 2.00 |

<!-- end of sweeps -->
<!-- foretold: old -->
old
<!-- end of foretold -->
"""


def test_a_step_is_foretold_by_the_shares_of_its_sweeps(tmp_path, monkeypatch):
    """solver by levels: 1 - 0.5 + 0.5 / 4 - 0.25 + 0.25 / 5 = 0.425 of a step, 0.4 at a gain of 5; measured a third in its three rounds."""
    page = tmp_path / "hosts.md"
    page.write_text(SWEEPS)
    assert sum(hosts.foretold_steps(page)["solver"], ()) == pytest.approx([0.75, 0.5 + 0.5 / 6, 0.75, 0.425, 0.4, 0.55, 1.25, 1.25, 1.25])
    monkeypatch.setattr(hosts, "open_lab", lambda path: type("Lab", (), {"runs": lambda self: RUNS})())
    hosts.main(["lab", "--foretold", str(page)])
    assert page.read_text().count("| solver | 0.75 [0.58, 0.75], 0.50 | 0.43 [0.40, 0.55], 0.33 |  | 25 | 8 |") == 1
    assert "| another |  |  | 2.00 [2.00, 2.00], 2.00 | 0 | 0 |" in page.read_text() and "old\n" not in page.read_text() and "fails" not in page.read_text()


def test_a_page_without_sweeps_is_said(tmp_path):
    page = tmp_path / "hosts.md"
    page.write_text("nothing\n")
    with pytest.raises(hosts.LabError, match="has no table of sweeps"):
        hosts.foretold_steps(page)
