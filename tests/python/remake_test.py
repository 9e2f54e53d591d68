"""Tables of pages made again: what drifted is said, what nothing makes is listed, and what a computer can count stands."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

pytest.importorskip("pandas")
yaml = pytest.importorskip("yaml")

from tesselab import remake  # noqa: E402

# A program that answers with the number in its second word, and counts its calls in a file.
FAKE = """#!/usr/bin/env python3
import json, os, sys
open(os.environ["CALLS"], "a").write(" ".join(sys.argv[1:]) + "\\n")
if sys.argv[2] == "fails":
    sys.exit("no such mesh")
if sys.argv[2] == "twice":
    sys.exit(print(json.dumps({"runs": [{"samples": [0.001]}, {"samples": [0.002]}]})))
time = float(sys.argv[2])
assert sys.argv[-2:] == ["--no-lab", "--json"]
print(json.dumps({"rows": [{"seconds_per_step": 9.0}] + [{"seconds_per_step": time * (1 + i / 100)} for i in range(10)]}
                 if sys.argv[1] == "march" else {"runs": [{"samples": [time] * 9 + [1.0], "sectors": 1234567, "reuse": 2.5}]}))
"""
RECIPES = {"tables": {"times": {
    "page": "README.md", "needs": "cpu", "minutes": 1, "columns": [
        {"title": "loop", "cell": "`{words}`"}, {"title": "ms", "time": "run {words}"}, {"title": "a step", "time": "march {words}"},
        {"title": "sectors", "of": "run {words}", "value": "sectors"}, {"title": "reuse", "of": "run {words}", "value": "reuse", "format": ".2f"},
        {"title": "than", "times": ["run {other}", "run {words}"]}],
    "rows": [{"words": "0.002", "other": "0.003"}, {"words": "0.001"}]}}}
NOTES = "# Results\n\n<!-- drift: made by hand -->\n\n| table | page | numbers | drifted | the furthest |\n|---|---|---|---|---|\n| `zz` | a.md | 7 | 0 |  |\n\n<!-- end of drift -->\n"
PAGE = """# Title

| kept | by hand |
|---|---|
| a | 1 |

<!-- times: made by somebody -->

| loop | ms | a step | sectors | reuse | than |
|---|---|---|---|---|---|
| `0.002` | 1.9000 | 2.0800 | 1,234,567 | 2.50 | 1.50 |
| `gone` | 1 | 1 | 1 | 1 | 1 |

<!-- end of times -->
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with a page, a recipe of its table and a program in its place."""
    (tmp_path / "experiments/recipes").mkdir(parents=True)
    (tmp_path / "docs/results").mkdir(parents=True)
    (tmp_path / "experiments/recipes/pages.yaml").write_text(yaml.safe_dump(RECIPES))
    (tmp_path / "README.md").write_text(PAGE)
    (tmp_path / remake.NOTES).write_text(NOTES)
    program = tmp_path / "tess"
    program.write_text(FAKE)
    program.chmod(0o755)
    monkeypatch.setenv("TESS_BIN", str(program))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return tmp_path


def remade(root, *words, code=0):
    """What the command prints, after it ended with that code."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-m", "tesselab.remake", "--root", str(root), *words], capture_output=True, text=True, env=environment)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_what_drifted_is_said_and_written(checkout):
    said = remade(checkout, "--make", "--write", "--jobs", "3", code=1)
    for line in ("times: 3 drifted", "`0.002`, ms: 1.9000 -> 2.0000 [2.0000, 2.0000]", "`0.001`: is new", "`gone`: is gone"):
        assert line in said
    page = (checkout / "README.md").read_text()
    assert "| `0.002` | 2.0000 [2.0000, 2.0000] | 2.0900 [2.0200, 2.1600] | 1,234,567 | 2.50 | 1.50 |\n| `0.001` |" in page
    assert page.startswith(PAGE[: PAGE.index("<!--")]) and "| 2.50 |  |\n" in page  # no other column's words: no cell
    calls = (checkout / "calls").read_text().splitlines()
    assert sorted(calls) == sorted(set(calls)) and len(calls) == 5  # each once
    assert "times: 0 drifted" in remade(checkout, "--make", "times")


def test_what_drifted_is_noted_the_furthest_first(checkout):
    page = checkout / "README.md"
    page.write_text(PAGE.replace("2.0800", "1.0000").replace("| `gone` | 1 | 1 | 1 | 1 | 1 |", "| `0.001` | 1.0000 | 1.03 | 2 | 2.50 |  |"))
    said = remade(checkout, "--make", "--write", code=1)
    furthest = "`0.001`, sectors: 2 -> 1,234,567\n", "`0.002`, a step: 1.0000 -> 2.0900 [2.0200, 2.1600]\n", "`0.002`, ms: 1.9000 -> 2.0000 [2.0000, 2.0000]\n"
    assert "times: 3 drifted\n  " + "  ".join(furthest) in said
    lines = "| `times` | README.md | 9 | 3 | `0.001`, sectors: 2 -> 1,234,567 |", "| `zz` | a.md | 7 | 0 |  |"
    assert f"|---|---|---|---|---|\n{lines[0]}\n{lines[1]}\n\n<!-- end" in (checkout / remake.NOTES).read_text()
    remade(checkout, "--make", "--write")
    assert f"| `times` | README.md | 9 | 0 |  |\n{lines[1]}\n\n<!-- end" in (checkout / remake.NOTES).read_text()


def test_a_table_that_says_alone_has_one_command_at_a_time(checkout):
    """Each command waits for another to begin, which comes but where there may be two."""
    wait = "mkdir {folder}/{n}; for i in $(seq {patience}); do [ -d {folder}/{other} ] && break; sleep 0.02; done; ls -d {folder}/{other} 2>&1; echo end"
    rows = [{"n": "a", "other": "b", "patience": 20}, {"n": "b", "other": "a", "patience": 1}]
    table = {**RECIPES["tables"]["times"], "with": {"folder": str(checkout / "at")}, "rows": rows,
             "columns": [{"title": "n", "cell": "{n}"}, {"title": "beside", "shell": wait, "find": "(.*)\nend"}]}
    for alone in (True, False):
        (checkout / "at").mkdir()
        rows[0]["patience"] = 20 if alone else 1000
        (checkout / "experiments/recipes/pages.yaml").write_text(yaml.safe_dump({"tables": {"times": {**table, "alone": alone}}}))
        assert ("at/b': No such file" in remade(checkout, "--make", "--jobs", "2", code=1)) == alone
        shutil.rmtree(checkout / "at")


def test_a_table_that_was_cut_off_is_carried_on(checkout):
    answers = checkout / "answers"
    said = remade(checkout, "--make", "--answers", answers, code=1)
    kept = answers.read_text().splitlines(keepends=True)
    answers.write_text("".join(kept[:3]) + kept[3][:20])  # as if ended while it wrote
    (checkout / "calls").unlink()
    assert remade(checkout, "--make", "--answers", answers, code=1) == said
    calls = (checkout / "calls").read_text().splitlines()
    assert len(kept) == 5 and len(calls) == 2
    assert sorted(answers.read_text().splitlines(keepends=True)) == sorted(kept)


def test_a_table_by_commands_is_written_where_it_was_not_made(checkout):
    table = {"page": "README.md", "needs": "cpu", "minutes": 1, "commands": ["echo ran >> {root}/ran", "printf '| loop | ms |\\n|---|---|\\n| a | 3 |\\n'"]}
    table["commands"][0] = table["commands"][0].replace("{root}", str(checkout))
    (checkout / "experiments/recipes/pages.yaml").write_text(yaml.safe_dump({"tables": {"times": table}}))
    for write in ([], ["--write"]):
        assert "| a | 3 |\n" in remade(checkout, "--make", "--answers", str(checkout / "answers"), *write, code=1)
    assert (checkout / "ran").read_text() == "ran\n" and "| a | 3 |\n" in (checkout / "README.md").read_text()


def test_tables_that_nothing_makes_are_listed(checkout):
    said = remade(checkout)
    assert "times  README.md" in said and "no recipe makes README.md:3: | kept | by hand |" in said and said.count("no recipe") == 1
    assert "no recipe makes elses; there are times" in remade(checkout, "--make", "elses", code=2)
    assert "times" not in remade(checkout, "--needs", "cuda").split("no recipe")[0]
    assert "times" not in remade(checkout, "--minutes", "0.5").split("no recipe")[0]


def test_numbers_that_other_programs_print(checkout):
    recipes = {"tables": {"times": {**RECIPES["tables"]["times"], "with": {"unit": "ms", "folder": str(checkout)},
                                     "first": ["echo 7 > {folder}/seven", "echo 1 >> {folder}/seven"], "columns": [
        {"title": "loop", "cell": "{n}"},
        {"title": "slow", "shell": "echo {n}; echo cut: 1{n}.5 {unit}", "find": "cut: ([0-9.,]+) ms", "scale": 0.1, "format": ".2f"},
        {"title": "fast", "shell": "{python} -c 'print({n})'", "find": "([0-9]+)"},
        {"title": "than", "ratio": ["slow", "fast"]}, {"title": "again", "ratio": ["fast", "loop"]},
        {"title": "regret, %", "shell": "printf '| n | regret, %% |\\n|---|---|\\n| a | 0.{n} [0, 1] |\\n| b | 2 |\\n'"},
        {"title": "first", "shell": "cat {folder}/seven", "find": "(7\n1)"}], "rows": [{"n": 4}]}}}
    path = checkout / "experiments/recipes/pages.yaml"
    path.write_text(yaml.safe_dump(recipes))
    assert "| 4 | 1.45 | 4 | 0.36 | 1.00 | 0.4 [0, 1] | 7\n1 |" in remade(checkout, "--make", code=1)
    recipes["tables"]["times"]["columns"][5]["title"] = "ms"
    path.write_text(yaml.safe_dump(recipes))
    assert "printed no table with ms: | n | regret, % |" in remade(checkout, "--make", code=1)
    recipes["tables"]["times"]["columns"][5]["title"] = "regret, %"
    recipes["tables"]["times"]["columns"][1]["find"] = "planned: ([0-9]+)"
    path.write_text(yaml.safe_dump(recipes))
    assert "printed nothing like planned: ([0-9]+): 4\ncut: 14.5 ms" in remade(checkout, "--make", code=1)
    recipes["tables"]["times"]["columns"][1]["shell"] = "echo {n} >&2; exit 7"
    path.write_text(yaml.safe_dump(recipes))
    assert "echo 4 >&2; exit 7\nended with exit code 7: 4" in remade(checkout, "--make", code=1)


def test_all_is_made_that_a_machine_can(checkout):
    recipes = {"tables": {name: {**RECIPES["tables"]["times"], "needs": needs} for name, needs in (
        ("times", "1 cores"), ("many", "100000 cores"), ("odd", "an old program"), ("module", "no_such_module"))}}
    (checkout / "experiments/recipes/pages.yaml").write_text(yaml.safe_dump(recipes))
    said = remade(checkout, "--make", code=1)
    assert "times: 3 drifted" in said and said.count(" 3 drifted") == 1 and "drifted: times;" in said
    for name, needs in (("many", "100000 cores"), ("odd", "an old program"), ("module", "no_such_module")):
        assert f"{name}: not made, for it needs {needs}" in said
    assert "odd: " in remade(checkout, "--make", "odd", code=1)  # who names it has it
    assert remake.is_here("sh") and not remake.is_here("no_such_program")


def test_a_table_needs_all_that_it_names(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_ROOT", str(tmp_path))
    assert remake.is_here("cpu, SOME_ROOT") and not remake.is_here("no_such_program, SOME_ROOT")
    for nowhere in ("", str(tmp_path / "gone")):
        monkeypatch.setenv("SOME_ROOT", nowhere)
        assert not remake.is_here("cpu, SOME_ROOT")


def test_no_table_needs_what_no_machine_has():
    known = {"cpu", "cuda", "nvrtc", "icoFoam", "gmsh", "meshio", "ncu", "2 cores", "8 cores", "an old program",
             "KOKKOS_ROOT", "OP2_ROOT", "LIBCEED_ROOT", "MFEM_ROOT"}  # fmt: skip
    tables = remake.read_recipes(ROOT / remake.RECIPES)
    assert {part.strip() for table in tables.values() for part in table["needs"].split(",")} <= known


def test_a_command_of_two_runs_fills_no_cell(checkout):
    twice = {**RECIPES["tables"]["times"], "rows": [{"words": "twice", "other": "0.003"}]}
    (checkout / "experiments/recipes/pages.yaml").write_text(yaml.safe_dump({"tables": {"times": twice}}))
    assert "times: failed: tess run twice\nmade 2 runs, of which a cell has room for one\n" in remade(checkout, "--make", code=1)


def test_two_recipes_of_one_name_are_refused(checkout):
    path = checkout / "experiments/recipes/pages.yaml"
    path.write_text(path.read_text() + "  other: {page: README.md, needs: cpu, minutes: 1, commands: [x]}\n  times: {page: README.md, needs: cpu, minutes: 1, commands: [x]}\n")
    assert "pages.yaml: there are two recipes times\n" in remade(checkout, code=3)


def test_what_fails_leaves_the_other_tables_and_is_counted(checkout):
    broken = {**RECIPES["tables"]["times"], "rows": [{"words": "fails"}]}
    late = {**RECIPES["tables"]["times"], "columns": [{"title": "x", "of": "run {words}", "value": "no_such_value"}]}
    (checkout / "experiments/recipes/pages.yaml").write_text(yaml.safe_dump({"tables": {"a": broken, "b": late, "times": RECIPES["tables"]["times"]}}))
    said = remade(checkout, "--make", code=1)
    assert "a: failed: tess run fails\nended with exit code 1: no such mesh\n" in said and "b: failed: 'no_such_value'" in said
    assert "times: 3 drifted" in said and "made: 1 of 3 tables; drifted: times; failed: a, b\nno recipe makes README.md:3:" in said
    assert "no recipe" not in remade(checkout, "--make", "times", "--write", code=1)
    (checkout / "README.md").write_text((checkout / "README.md").read_text().replace("| a | 1 |\n", "| a | b |\n"))
    (checkout / "experiments/recipes/pages.yaml").write_text(yaml.safe_dump(RECIPES))
    assert remade(checkout, "--make").endswith("made: 1 of 1 tables; drifted: none; failed: none\neach table has a recipe\ntimes: about 1 min\n")


def test_a_table_that_its_recipe_would_make_otherwise_is_named(checkout):
    assert "\ntimes: README.md has other titles or rows than its recipe\n" in remade(checkout)
    remade(checkout, "--make", "--write", code=1)
    assert remade(checkout).endswith("hand |\n")
    page = checkout / "README.md"
    for old, new in (("| `0.001` |", "| `0.1` |"), ("| loop |", "| Loop |"), ("<!-- times:", "<!-- other:")):
        before = page.read_text()
        page.write_text(before.replace(old, new))
        assert "\ntimes: README.md has other titles or rows than its recipe\n" in remade(checkout), old
        page.write_text(before)


def test_a_cell_that_its_recipe_does_not_write_is_named(checkout):
    page, tables = checkout / "README.md", RECIPES["tables"]
    made = PAGE.replace("1.9000 | 2.0800", "2.0000 [2.0000, 2.0000] | 2.0900 [2.0200, 2.1600]").replace("| `gone` | 1 | 1 | 1 | 1 | 1 |", "| `0.001` | 1.0000 [1.0000, 1.0000] | 1.0450 [1.0100, 1.0800] | 1,234,567 | 2.50 |  |")
    page.write_text(made)
    assert remake.unlike(checkout, tables) == []
    for old, new, cell in (("2.0000 [2.0000, 2.0000]", "2.000 [2.000, 2.000]", "`0.002`, ms: 2.000 [2.000, 2.000]"), ("2.0000 [2.0000, 2.0000]", "2.0000", "`0.002`, ms: 2.0000"),
                           ("1,234,567", "1234567", "`0.002`, sectors: 1234567"), ("| 2.50 | 1.50 |", "| 2.5 | 1.50 |", "`0.002`, reuse: 2.5"),
                           ("| 2.50 | 1.50 |", "| 2.50 | 1.5 (2) |", "`0.002`, than: 1.5 (2)"), ("| 2.50 | 1.50 |", "| – | 1.50 |", "`0.002`, reuse: –"),
                           ("| 2.50 |  |", "| 2.50 | 1.50 |", "`0.001`, than: 1.50"), ("| 2.50 |  |", "|  |  |", "`0.001`, reuse: nothing")):  # fmt: skip
        assert old in made
        page.write_text(made.replace(old, new, 1))
        assert remake.unlike(checkout, tables) == [f"times: README.md has 1 cells that its recipe does not write, the first {cell}"]


def test_rows_and_columns_of_one_name_are_told_apart():
    text = "| a | b | ms | b |\n|---|---|---|---|\n| x | 1 | 2 | 3 |\n| x | 1 | 4 | 5 |\n| x | 2 | 6 | 7 |\n"
    ((_, rows),) = remake.parse_tables(text)
    assert rows == {"x": {"b": "1", "ms": "2", "b (2)": "3"}, "x, 1": {"b": "1", "ms": "4", "b (2)": "5"}, "x, 2": {"b": "2", "ms": "6", "b (2)": "7"}}


def test_a_table_without_numbers_cannot_drift(checkout):
    (checkout / "docs/results/words.md").write_text("| a | b |\n|---|---|\n| 1 | `-b 128` two |\n\n| a | b |\n|---|---|\n| x | 2 |\n")
    assert [line for line in remade(checkout).splitlines() if "words.md" in line] == ["no recipe makes docs/results/words.md:5: | a | b |"]


def test_what_fails_is_said_with_its_command(checkout):
    recipes = json.loads(json.dumps(RECIPES))
    recipes["tables"]["times"]["rows"][1]["words"] = "fails"
    path = checkout / "experiments/recipes/pages.yaml"
    path.write_text(yaml.safe_dump(recipes))
    assert "tess run fails\nended with exit code 1: no such mesh" in remade(checkout, "--make", "--write", code=1)
    assert (checkout / "README.md").read_text() == PAGE
    for broken, words in (({"page": "README.md", "rows": []}, "minutes, needs"), ({"page": "a", "needs": "cpu", "minutes": 1}, "either rows or commands")):
        path.write_text(yaml.safe_dump({"tables": {"times": broken}}))
        assert f"the table times needs {words}" in remade(checkout, code=3)
    path.unlink()
    assert "--root names the checkout" in remade(checkout, code=3)


@pytest.mark.parametrize("old, new, drifted", [
    ("1.000", "1.02 [1.01, 1.03]", False), ("1.000", "1.08 [1.05, 1.09]", True), ("2,000 `-b 128`", "2,000 `-b 256`", False),
    ("2.0", "2.1", True), ("2.0", "2.05", False), ("", "3", True), ("none", "`x` none", False), ("5e-3", "0.005", False)])
def test_a_number_drifts_out_of_its_interval(old, new, drifted):
    assert remake.has_drifted(old, new, 0.03) == drifted


def test_each_recipe_has_its_place_and_no_table_more_is_made_by_hand():
    tables = remake.read_recipes(ROOT / remake.RECIPES)
    for name, table in tables.items():
        assert f"<!-- {name}: made by" in (ROOT / table["page"]).read_text(), f"{table['page']} has no marks for {name}"
    assert not remake.unmade(ROOT, tables), "a table that no recipe makes: give it one in experiments/recipes/pages.yaml"


def test_what_the_readme_says_of_a_gpu_is_in_the_tables():
    text = (ROOT / "README.md").read_text()
    numbers = {name: [remake.numbers(cells[title])[0] for _, rows in remake.parse_tables(remake.part_of(ROOT / "docs/results" / page, name)) for cells in rows.values()]
               for name, page, title in (("best", "h200.md", "share of the copy"), ("duels", "h200.md", "times as fast"), ("steps", "steps.md", "faster by"))}  # fmt: skip
    said = f"reach {min(numbers['best']):.2f} to {max(numbers['best']):.1f} of the copy bandwidth, up to {max(numbers['duels']):.1f} times what atomics"
    assert said in " ".join(text.split()) and f"up to {max(numbers['steps']):.1f} times as fast as its loops" in " ".join(text.split())


def test_the_table_of_the_readme_is_that_of_today(tess_bin, monkeypatch):
    monkeypatch.setenv("TESS_BIN", str(tess_bin))
    assert "demo: 0 drifted" in subprocess.run([sys.executable, "-m", "tesselab.remake", "--make", "demo"], cwd=ROOT, capture_output=True, text=True,
                                               env={**os.environ, "PYTHONPATH": str(ROOT / "python")}).stdout
