"""What the papers found: the page is what the runs that ship say, and other runs would say otherwise."""

import re

import pytest
from conftest import ROOT

pytest.importorskip("pandas")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from tesselab import LabError, findings, page_tables  # noqa: E402

PAGE = ROOT / "docs/what_the_papers_found.md"


def test_the_page_is_made_of_the_runs_that_ship():
    text = PAGE.read_text()
    made = [findings.section(number, finding, "findings") for number, finding in enumerate(findings.findings(), 1)]
    assert len(made) == 10 and {finding.held for finding in findings.findings()} == {True, False}
    for section in made:
        assert section in text, "stale: PYTHONPATH=python python3 -m tesselab.findings --into docs/what_the_papers_found.md"
    for number in range(1, 11):
        assert (ROOT / f"docs/findings/{number}.png").is_file()
    assert "papers" in text and all(re.search(word, text) for word in ("Sulyok", "Stone", "Langguth", "Giles", "Loop splitting"))


def test_every_statement_has_a_factor_and_a_counter():
    for finding in findings.findings():
        assert len(finding.panels) >= 2 and re.search(r"\d", finding.text), finding.statement
        for panel in finding.panels:
            assert len(panel.names) == len(panel.here) and (panel.there is None or len(panel.there) == len(panel.names))


def test_faster_partitions_would_hold():
    runs = findings.of_gpu("sulyok-2019")
    assert not findings.partitions(runs).held
    is_cut = (runs.application == "airfoil") & (runs.partitioner == "metis")
    faster = runs.assign(median_time=runs.median_time.where(~is_cut, 0.8 * runs.median_time))
    assert findings.partitions(faster).held
    assert findings.hierarchical(runs).held
    slower = runs.assign(median_time=runs.median_time.where(runs.strategy != findings.HIERARCHICAL, 3 * runs.median_time))
    assert not findings.hierarchical(slower).held


def test_one_statement_is_printed_and_drawn(capsys, tmp_path):
    findings.main(["6", "--figures", str(tmp_path)])
    text = capsys.readouterr().out
    assert text.startswith("## 6. ") and "**Held.**" in text and "![" not in text
    (picture,) = tmp_path.iterdir()
    assert picture.name == "6.png" and matplotlib.image.imread(picture)[..., :3].std() > 0.02


def test_tables_of_pages(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A\n\n| loop | x |\n|---|---|\n| `a` | **1,200** (3) |\n| | 4.5; 6 |\n\n"
                    "| loop | y |\n|---|---|\n| b | no |\n")
    table = page_tables.page_table(page, "loop", "x")
    assert table.loop.tolist() == ["a", "a"] and table.x.map(page_tables.first_number).tolist() == [1200, 4.5]
    assert page_tables.page_table(page, "loop", "y").y.map(page_tables.first_number).isna().all()
    with pytest.raises(LabError, match="no table with the columns loop, z"):
        page_tables.page_table(page, "loop", "z")
