"""One word for one thing: what any table prints, `tess explain` finds; units and time zones are said."""

import json
import re

import pytest
from conftest import ROOT

COMMANDS = ROOT / "experiments/cli"


def titles():
    """The titles of all columns of all tables, as the sources state them, with the file."""
    found = {}
    for path in COMMANDS.rglob("*.c"):
        text = path.read_text()
        for title in re.findall(r'add_column\(\s*[\w>.-]+,\s*"([^"]*)"', text):
            found.setdefault(title.strip(), path.name)
        lists = re.findall(r"(?:titles\[\] =|\(const char \*const\[\]\)) ?\{(.*?)\}", text, re.S)
        for title in re.findall(r'"([^"]*)"', " ".join(lists)):
            found.setdefault(title.lstrip(">"), path.name)
    for title in re.findall(r'^    \{"([^"]+)", "', (COMMANDS / "report/report_columns.c").read_text(), re.M):
        found.setdefault(title, "report_columns.c")
    found.pop("", None)
    return found


def test_explain_finds_each_word_that_a_table_prints(tess):
    every = titles()
    assert len(every) > 60 and {"reuse", "moved MB", "ratio", "95 % interval", "ms/step", "verdict"} <= every.keys()
    for title, file in every.items():
        answer = json.loads(tess("explain", *title.split(), "--json").stdout)
        assert answer["definition"] and answer["long_name"], (title, file)


@pytest.mark.parametrize("asked, name", [
    ("transfer_total [B]", "transfer_total"), ("cut@plan", "cut"), ("sectors per block", "sectors_per_block"),
    ("time (UTC)", "time"), ("how", "manner"), ("moved MB", "transfer_total"),
])  # fmt: skip
def test_a_word_is_found_as_tables_write_it(tess, asked, name):
    assert json.loads(tess("explain", asked, "--json").stdout)["name"] == name


def test_columns_that_runs_lists_are_explained_or_of_the_machine(tess, tmp_path):
    tess("partition", "quads:nx=4:ny=4", "--map", "edges:cells", "-p", "rcb", "-b", "32", "--lab", tmp_path)
    table = tess("runs", "--lab", tmp_path).stdout.split("\n")[0]
    assert "time (UTC)" in table
    for title in re.findall(r"\S+(?: [\[(]\w+[\])])?", table):
        tess("explain", title)


def test_signs_of_definitions_are_told(tess):
    told = tess("explain", "reuse").stdout
    assert "P(b)" in told and re.search(r"E\(b\) the\s+elements", told)
    assert "E(b)" not in tess("explain", "launches").stdout


def test_pictures_and_notebooks_have_the_words_of_tables():
    captions = (ROOT / "viz/scripts/scene.py").read_text()
    assert '"reuse {}"' in captions and '"pieces {}"' in captions and "reuse factor" not in captions
    for notebook in (ROOT / "notebooks").glob("*.py"):
        text = notebook.read_text()
        assert "reuse factor" not in text and "MB moved" not in text, notebook
