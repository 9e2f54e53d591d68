"""tests/partitioners/corpus_tables.py: what it makes of the lines of partition_benchmark."""

import importlib.util
import pathlib
import sys
import time
from types import SimpleNamespace

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
spec = importlib.util.spec_from_file_location("corpus_tables", HERE / "corpus_tables.py")
corpus_tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(corpus_tables)

HEAD = "{} {}, 1000 elements, 1 threads\ntitles\n"
LINE = "{} 64 {before} {reuse} 4 4 {block} 1 {pieces} {cpu} 1 9 30 0123abcd\n"
VALUES = {"mosaic": dict(before=3, reuse=3, block=6, pieces=1.05, cpu=0.1),
          "metis": dict(before=2.9, reuse=2.8, block=4, pieces=1, cpu=0.2),
          "metis:objtype=vol": dict(before=3.1, reuse=2.995, block=4, pieces=1, cpu=0.7),
          "metis:method=recursive": dict(before=3, reuse=2.995, block=5, pieces=1, cpu=0.5)}


def program_in(folder):
    """A partition_benchmark that prints the values above, counts its calls, and has no rcb."""
    lines = {name: LINE.format(name, **values) for name, values in VALUES.items()} | {"rcb": "rcb 64 is not here\n"}
    path = folder / "benchmark"
    path.write_text(f"#!{sys.executable}\nimport sys\nopen({str(folder / 'calls')!r}, 'a').write('.')\n"
                    f"print({HEAD.format('m', 'l')!r} + {lines!r}[sys.argv[4]], end='')\n")
    path.chmod(0o755)
    return path


def test_the_best_of_the_others_and_the_fastest_metis_of_equal_reuse(tmp_path):
    measured = corpus_tables.Measured(tmp_path / "results", tmp_path, 60)
    row = ("quads:nx=5:periodic=x", "edges:cells", 64)
    one = corpus_tables.judge(row, measured, program_in(tmp_path), [*list(VALUES)[1:], "rcb"])
    assert (one["kind"], one["best"], one["most"]) == ("quads, joined ends", "metis:objtype=vol", 3.1)
    assert (one["pieces"], one["block"], one["thread"]) == (True, True, False)
    assert one["time"] == 5  # recursive: plain METIS has too little reuse, objtype=vol takes longer
    table = corpus_tables.by_kind([one])
    assert table[1][:4] == ["quads, joined ends", "1", "0", "1"] and table[-1][0] == "all"
    assert [line[0] for line in corpus_tables.those([one], "behind", lambda one: one["ratio"] < 1)] == [
        "behind", "`quads:nx=5:periodic=x` edges:cells"]


@pytest.mark.parametrize("half, seeds", [("work", [300, 302]), ("held", [301, 303]), ("all", [300, 301, 302, 303])])
def test_a_half_is_even_seeds_or_odd_ones(half, seeds):
    assert corpus_tables.seeds_of(SimpleNamespace(seeds="300-303", half=half)) == seeds


@pytest.fixture
def ring():
    """A row, and what all efforts and three settings of METIS make of it."""
    metis = {"metis": (3.0, 0.2), "metis:objtype=vol": (3.2, 0.2), "metis:method=recursive": (2.7, 0.2)}
    efforts = zip(corpus_tables.EFFORTS, (2.8, 3.0, 3.05, 3.3), (0.01, 0.02, 0.04, 0.08))
    cuts = {name: dict(reuse=reuse, before=2, cpu=cpu) for name, reuse, cpu in efforts} | {
        name: dict(reuse=reuse, before=2.6, cpu=cpu) for name, (reuse, cpu) in metis.items()}
    one = {"row": ("ogrid:ni=9", "edges:cells", 64), "kind": "ogrid", "ours": {"elements": 60_000}}
    return one, cuts, SimpleNamespace(cut=lambda program, row, name: cuts[name])


def test_each_effort_beside_the_fastest_metis_of_equal_reuse(ring):
    one, cuts, measured = ring
    cuts["metis:objtype=vol"]["cpu"] = 0.1
    table = corpus_tables.each_effort([one], measured, "program")
    assert [line[:4] for line in table[1:]] == [["mosaic:effort=0", "1", "1", "10.0; 10.00"], ["mosaic:effort=1", "1", "1", "5.0; 5.00"],
                                                ["mosaic:effort=2", "1", "1", "2.5; 2.50"],
                                                ["mosaic", "1", "0", "1.2; 1.25"]]  # no setting has its reuse: that of most
    assert [line[5] for line in table[1:]] == ["0 of 1", "0 of 1", "1 of 1", "1 of 1"]


def test_metis_beside_the_lowest_effort_of_its_reuse(ring):
    one, cuts, measured = ring
    cuts["mosaic"]["reuse"] = 3.1
    table = corpus_tables.by_effort([one], measured, "program")
    assert [line[:4] for line in table[1:4]] == [["metis", "1", "0, 1, 0, 0; 0", "10.0; 10.00"],
                                                 ["metis:objtype=vol", "1", "0, 0, 0, 0; 1", "2.5; 2.50"],
                                                 ["metis:method=recursive", "1", "1, 0, 0, 0; 0", "20.0; 20.00"]]
    assert [line[5] for line in table[1:]] == ["0", "1", "0", "0"]


def test_what_was_measured_is_not_measured_again(tmp_path):
    program = program_in(tmp_path)
    row = ("corpus-006-hexes.msh:shuffle=1", "cells:nodes", 64)
    for _ in range(2):
        measured = corpus_tables.Measured(tmp_path / "results", tmp_path, 60)
        assert measured.cut(program, row, "mosaic")["elements"] == 1000
        assert measured.cut(program, row, "rcb") is None
    assert (tmp_path / "calls").read_text() == ".."
    assert corpus_tables.kind_of(row[0]) == "hexes"


@pytest.fixture
def own_program(tmp_path, monkeypatch):
    program = program_in(tmp_path)
    for module in (corpus_tables, sys.modules["corpus_cuts"]):
        monkeypatch.setattr(module, "PROGRAM", program)


def test_many_hands_cut_every_row_once_by_all_sizes(tmp_path, own_program):
    rivals, seeds = ["metis", "metis:method=recursive:weights=shared", "rcb"], [32, 68]  # a ring, a sheet: no Gmsh
    for _ in range(2):
        measured = corpus_tables.Measured(tmp_path / "results", tmp_path / "meshes", 60)
        corpus_tables.cut_many(measured, ["mosaic", *rivals], seeds, 3, 1)
        assert (tmp_path / "calls").read_text() == "." * (2 * 4 * (3 + 4 + 3))  # weights by cells:nodes alone
    again = corpus_tables.Measured(tmp_path / "results", tmp_path, 60)
    asked = SimpleNamespace(seeds="30-70", half="work", drawn=True, efforts=False)
    assert len(corpus_tables.finished(asked, again, rivals)) == 6
    asked.drawn = False
    assert len(corpus_tables.finished(asked, again, rivals)) == 24
    assert corpus_tables.finished(asked, again, ["scotch"]) == []


def test_hands_rest_when_time_is_over_and_keep_nothing_half_done(tmp_path, own_program):
    measured = corpus_tables.Measured(tmp_path / "results", tmp_path / "meshes", 60, time.monotonic() - 1)
    corpus_tables.cut_many(measured, ["mosaic"], [32], 2, 1)
    assert not measured.known and not (tmp_path / "calls").exists()
