"""The papers redrawn: a verdict for each published value, 1 for a difference without a reason, and a lab that ships which
today's program makes again."""

import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, limited

PAPERS = ROOT / "notebooks/papers"
sys.path.insert(0, str(ROOT / "notebooks"))
pytest.importorskip("pandas")

from tesselab import open_lab, paper  # noqa: E402


@pytest.fixture
def papers(tmp_path):
    """A copy of the papers to spoil."""
    return shutil.copytree(PAPERS, tmp_path / "papers")


def judged(capsys, *words):
    """The exit code of the command, and what it printed."""
    with pytest.raises(SystemExit) as end:
        paper.main(list(words))
    printed = capsys.readouterr()
    return end.value.code, printed.out, printed.err


def spoil(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_what_ships_has_a_reason_for_each_difference(capsys, tmp_path):
    code, text, complaint = judged(capsys, "sulyok-2019", "--figures", str(tmp_path))
    assert (code, complaint) == (0, "")
    assert len(list(tmp_path.glob("*.png"))) == 15
    held = [line.split() for line in text.splitlines() if line.endswith(" held")]
    assert ["table", "2", "none", "480", "useful", "bytes", "437,772,816", "437,772,816", "held"] in held
    assert ["table", "2", "original", "128", "block", "colours", "5", "5", "held"] in held


@pytest.mark.parametrize("old, new, named", [
    ("table 2,part.,480,reuse_factor,1,3.6,", "table 2,part.,480,reuse_factor,1,3.8,", "table 2, part., reuse: differs"),
    ("table 4,none,320,block_colours,1,4,", "table 4,none,320,block_colours,1,9,", "table 4, none, block colours: differs")])
def test_another_published_value_is_a_difference_without_a_reason(capsys, papers, old, new, named):
    spoil(papers / "sulyok-2019/published.csv", old, new)
    code, _, complaint = judged(capsys, "sulyok-2019", "--papers", str(papers))
    assert code == 1 and complaint.startswith(named) and complaint.count("\n") == 1


def test_a_lost_reason_and_a_lost_run_are_named(capsys, papers):
    because = papers / "sulyok-2019/because.csv"
    because.write_text("".join(line for line in because.open() if not line.startswith("table 3,part.,thread")))
    runs = open_lab(papers / "sulyok-2019/lab").runs()
    lost = runs[(runs.application == "lulesh") & (runs.partitioner == "metis") & (runs.layouts == "soa,nodes=aos") & (runs.mesh != "hexes:nx=40:ny=40:nz=40")]
    for run in lost.index:
        (papers / f"sulyok-2019/lab/runs/{run}.hdf").unlink()
    code, _, complaint = judged(capsys, "sulyok-2019", "--papers", str(papers))
    assert code == 1
    assert [line.partition(",  ")[0].partition(" and")[0] for line in complaint.splitlines()] == [
        "table 3, part., thread colours: differs,", "table 4, part. AoS, lines a block: not made,"]


def test_tolerances_are_shares_or_numbers():
    assert paper.within(3.43, 3.6, "5%") and not paper.within(3.41, 3.6, "5%")
    assert paper.within(6, 8, "2") and not paper.within(5, 8, "2") and not paper.within(1.0001e9, 1e9, "0")


def test_an_unknown_paper_is_told_which_there_are(capsys):
    code, _, complaint = judged(capsys, "sulyok")
    assert code == 3 and "there are fun3d-2021, giles-2012, langguth-2014, sulyok-2019" in complaint


def test_every_series_is_published_and_every_reason_belongs_to_a_value():
    for folder in (path.parent for path in PAPERS.glob("*/published.csv")):
        tables = paper.open_paper(folder.name)
        values = set(tables.published[paper.VALUE].itertuples(index=False, name=None))
        assert not tables.published.duplicated([*paper.VALUE, "x"]).any()
        for item, series, quantity in tables.because[paper.VALUE].itertuples(index=False, name=None):
            assert any(item == value[0] and series in (value[1], "*") and quantity in (value[2], "*") for value in values)
        series = tables.series[["item", "series", "x"]].itertuples(index=False, name=None)
        assert len(tables.values) == 0 or not tables.values.duplicated([*paper.VALUE, "x"]).any()
        assert set(series) == set(tables.published[["item", "series", "x"]].itertuples(index=False, name=None))


def test_today_s_program_makes_the_same_row(tess_bin, tmp_path):
    lab = tmp_path / "lab"
    done = subprocess.run([tess_bin, "sweep", PAPERS / "sulyok-2019/recipe.yaml", "--subset", "row", "--lab", lab],
                          capture_output=True, text=True, **limited(60))  # fmt: skip
    assert done.returncode == 0, done.stderr
    tables = paper.open_paper("sulyok-2019")
    tables.series["mesh"] = tables.series.stand_in  # also where the lab that ships has the paper's
    shipped, made = (paper.beside(tables, open_lab(folder).runs()) for folder in (tables.folder / "lab", lab))
    made = made[made.verdict != paper.MISSING]
    assert len(made) == 7
    assert made.ours.tolist() == shipped.ours[made.index].tolist(), "stale: make the subset small again"


def test_all_tables_and_figures_are_listed(capsys):
    paper.main([])
    text = capsys.readouterr().out
    assert text.startswith("42 tables and figures") and len(text.splitlines()) == 2 + 1 + 42
