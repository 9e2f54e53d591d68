"""Words that were renamed (core/base/old_words.h): each old one is read in options, recipes, records and filters, and means
today's. old_words/runs was written by 0.1.0."""

import json
import pathlib
import re
import shutil
import sys

import pytest
from conftest import ROOT

OLD_WORDS = re.findall(r'^OLD_WORD\("(.*?)", "(.*?)", "(.*?)"\)$', (ROOT / "core/base/old_words.h").read_text(), re.MULTILINE)
RECORDS = pathlib.Path(__file__).parent / "old_words/runs"
AIRFOIL = ("airfoil", "--mesh", "quads:nx=8:ny=6", "--block-size", "64", "--samples", "1")
PARTS = ("fun3d", "--loop", "lstgs", "--mesh", "layers:nx=3:ny=3:prisms=2:tets=1", "--block-size", "64")
# A command that takes the setting or option, and its strategy where the word is one's.
TAKES = {"halo": ((*AIRFOIL, "--device", "host", "--ranks", "2"), None),
         "": (AIRFOIL, "point-parallel:{}=3"),
         "made": (("fun3d", "--loop", "visjac_tets", *PARTS[3:]), "atomics:made={}"),
         "parts": (PARTS, "halo-atomics:parts={}"),
         "partitioner": (AIRFOIL, None),
         "rank_partitioner": ((*AIRFOIL, "--device", "host", "--ranks", "2"), None)}  # fmt: skip


def test_no_word_is_renamed_twice():
    """Neither into one that is old itself, nor two into one."""
    assert len(OLD_WORDS) >= 7
    for of, old, today in OLD_WORDS:
        assert (of, today) not in [one[:2] for one in OLD_WORDS], f"{today} is old itself"
        assert [one[2] for one in OLD_WORDS if one[0] == of].count(today) == 1


@pytest.mark.parametrize("of, old, today", OLD_WORDS)
def test_an_old_word_is_read_as_an_option(tess, tmp_path, of, old, today):
    words, strategy = TAKES[of]
    said = []
    for word in (old, today):
        lab = tmp_path / word
        tess("run", *words, *(("--strategy", strategy.format(word)) if strategy else (f"--{of.replace('_', '-')}", word)), "--lab", lab)
        record = json.loads(tess("show", "@last", "--lab", lab, "--json").stdout)
        assert record["outcome"] == "passed"
        said.append(record["configuration"]["strategy" if strategy else of])
    assert said[0] == said[1]
    if today != "fused":  # the default, which is not said
        assert today in re.split("[:=]", said[0]) and old not in re.split("[:=]", said[0])


@pytest.mark.parametrize("of, old, today", OLD_WORDS)
def test_an_old_word_is_read_in_recipes(tess, tmp_path, of, old, today):
    """A point keeps the digest that it had, so that nothing is made twice."""
    strategy = TAKES[of][1]
    for word in (old, today):
        value = strategy.format(word) if strategy else word
        (tmp_path / f"{word}.yaml").write_text(
            "sweep: words\naxes: {application: airfoil, mesh: 'quads:nx=8:ny=6', device: host, ranks: 2, "
            f"strategy: openmp, {of}: {value}}}\n" if not strategy else
            f"sweep: words\naxes: {{application: airfoil, mesh: 'quads:nx=8:ny=6', strategy: '{value}'}}\n")  # fmt: skip
    said = [tess("sweep", tmp_path / f"{word}.yaml", "--dry-run", "--lab", tmp_path / "none").stdout for word in (old, today)]
    assert said[0] == said[1] and "tess run" in said[0]
    if not strategy:
        lab = tmp_path / "lab"
        for word in (old, today):
            tess("sweep", tmp_path / f"{word}.yaml", "--lab", lab)
        assert len(list((lab / "runs").iterdir())) == 1


@pytest.fixture
def lab(tmp_path):
    shutil.copytree(RECORDS, tmp_path / "lab/runs")
    return tmp_path / "lab"


def test_records_have_the_words_of_today(tess, lab):
    runs = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]
    assert sorted(run["strategy"] for run in runs) == [
        "atomics:made=per-part", "halo-atomics:parts=separate", "halo-atomics:parts=staged", "openmp",
        "point-parallel:prefetch=4"]  # fmt: skip
    assert [run["halo"] for run in runs if run["strategy"] == "openmp"] == ["partial-sums"]
    staged = [run["run"] for run in runs if "staged" in run["strategy"]]
    assert json.loads(tess("show", staged[0], "--lab", lab, "--json").stdout)["configuration"]["strategy"] == "halo-atomics:parts=staged"


@pytest.mark.parametrize("words", ["strategy = 'halo-atomics:parts=phases'", "strategy = 'halo-atomics:parts=staged'",
                                   "strategy ~ 'parts=phases'", "strategy ~ 'parts=staged'"])  # fmt: skip
def test_filters_take_both(tess, lab, words):
    (run,) = json.loads(tess("runs", "--lab", lab, "-w", words, "--json").stdout)["runs"]
    assert run["strategy"] == "halo-atomics:parts=staged"


def test_python_has_the_words_of_today(lab, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    pytest.importorskip("pandas")
    import tesselab

    lab = tesselab.open_lab(lab)
    runs = lab.runs()
    assert {"halo-atomics:parts=staged", "atomics:made=per-part", "point-parallel:prefetch=4"} < set(runs.strategy)
    assert set(runs.halo.dropna()) == {"partial-sums"}
    assert lab.record(runs.index[0]).configuration.text["halo"] == "partial-sums"
    assert sys.modules["tesselab.quantities"].spelled("strategy", "a:ahead=1,b:made=each:x=phases") == "a:prefetch=1,b:made=per-part:x=phases"
