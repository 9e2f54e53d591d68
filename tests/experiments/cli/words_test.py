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
        lists = re.findall(r"titles\[\] = ?\{(.*?)\}", text, re.S) + re.findall(r"TESS_TITLES\((.*?)\)", text, re.S)
        for title in re.findall(r'"([^"]*)"', " ".join(lists)):
            found.setdefault(title.lstrip(">"), path.name)
    for name, title, _ in listed():
        found.setdefault(title, "quantities.h")
        found.setdefault(name, "quantities.h")
    for kind, name in re.findall(r'tess_record_add_(measure|step)\([^,]+,\s*"(\w+)"', recorders()):
        found.setdefault(f"{name}_seconds" if kind == "step" else name, "records")
    for path in sorted((ROOT / "kernels/applications").glob("*.c")):  # what `tess march` prints of a step
        for name in re.findall(r'ARG_GLOBAL\("(\w+)", 1, "\w+", TESS_INC\)', path.read_text()):
            found.setdefault(name, path.name)
    found.pop("", None)
    return found


def listed():
    """(name in records, title, scale) of the one list of quantities, those with a title of their own."""
    table = json.loads((ROOT / "python/tesselab/quantities.json").read_text())["quantities"]
    return [(one["name"], one["title"], one["scale"]) for one in table
            if (one["metric"] or one["of"] == "setting") and one["title"] != one["name"]]  # fmt: skip


def recorders():
    return "".join(path.read_text() for path in sorted((ROOT / "experiments").rglob("*.c")))


def test_explain_finds_each_word_that_a_table_prints(tess):
    every = titles()
    assert len(every) > 60 and {"reuse", "touched MB", "ratio", "95 % interval", "ms/step", "verdict"} <= every.keys()
    for title, file in every.items():
        answer = json.loads(tess("explain", *title.split(), "--json").stdout)
        assert answer["definition"] and answer["long_name"], (title, file)


def test_titles_are_told_apart():
    """No title is the name of something else in records, nor that of two."""
    names, titles, scales = zip(*listed())
    assert len(titles) > 15 and len({*names, *titles}) == len(names) + len(titles)
    for title, scale in zip(titles, map(float, scales)):
        unit = {"MB": 1e-6, "kB": 1e-3, "ms": 1e3, "GB/s": 1e-9, "GFLOPS": 1e-9}.get(title.split()[-1], 1)
        assert scale == unit, title


@pytest.fixture(scope="module")
def lab(tess, tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    tess("partition", "quads:nx=9:ny=8", "--map", "edges:cells", "-p", "rcb,file-order", "-b", "32", "--lab", folder)
    tess("run", "airfoil", "--mesh", "airfoil:i=8:j=9", "-d", "host", "-s", "sequential", "--samples", "6", "--lab", folder)
    return folder


def test_commands_head_columns_by_the_titles(tess, lab):
    """tess runs, its groups and tess best say what tess partition says of the same runs; numbers fit the unit."""
    cut = ["reuse", "block colours", "thread colours", "touched MB"]
    for words in (["runs"], ["runs", "-g", "block size"], ["runs", "-c", ",".join([*cut, "ms"])]):
        head = tess(*words, "--lab", lab).stdout.split("\n")[0]
        assert all(title in head for title in [*cut, "ms"]), head
        assert not any(name in head for name, title, _ in listed() if name != title and "_" in name), head
    head, first, *_ = tess("best", "--lab", lab, "touched MB").stdout.split("\n")
    assert "touched MB" in head and "transfer_total" not in head
    run = json.loads(tess("best", "--lab", lab, "transfer_total", "--json").stdout)["runs"][0]
    assert f"{run['transfer_total'] / 1e6:.4g}" in first.split()


def test_diff_and_compare_name_metrics_as_tables_do(tess, lab):
    """`file-order` is the base, `rcb` the other; bytes are shown as the MB that the title says."""
    base, other = json.loads(tess("runs", "--lab", lab, "--json", "-w", "partitioner = file-order or loop = edges:cells",
                                  "--sort", "partitioner").stdout)["runs"][:2]  # fmt: skip
    shown = [re.split("  +", line) for line in tess("diff", base["run"], other["run"], "--lab", lab).stdout.split("\n")]
    words = {line[1]: line[2:4] for line in shown if len(line) > 3}
    assert words["touched MB"] == [f"{run['transfer_total'] / 1e6:.4g}" for run in (base, other)]
    assert words["reuse"] == [f"{run['reuse_factor']:.4g}" for run in (base, other)]
    assert not words.keys() & {"transfer_total", "reuse_factor"}
    digests, = [row[2:4] for row in shown if "plan_digest" in row]
    assert all(re.fullmatch("[0-9a-f]{12}", digest) for digest in digests), "a row is to fit a line"
    head, first, *_ = tess("compare", base["run"], other["run"], "--metric", "touched MB", "--lab", lab).stdout.split("\n")
    assert "touched MB" in head and f"{base['transfer_total'] / 1e6:.5g}" in first.split()


def test_runs_say_how_blocks_were_refined(tess, tmp_path):
    tess("partition", "quads:nx=9:ny=8", "--map", "edges:cells", "-p", "rcb", "-b", "32", "--refine", "2", "--lab", tmp_path)
    assert "rcb --refine 2" in tess("runs", "--lab", tmp_path).stdout
    assert ",rcb," in tess("runs", "--csv", "--lab", tmp_path).stdout, "programs have the column `refine`"


def test_titles_choose_sort_and_filter(tess, lab):
    runs = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]
    moved = sorted(run["transfer_total"] for run in runs)
    limit = (moved[0] + moved[1]) / 2e6
    few = json.loads(tess("runs", "--lab", lab, "--json", "-w", f"touched_MB < {limit}").stdout)["runs"]
    assert [run["transfer_total"] for run in few] == moved[:1]
    ordered = json.loads(tess("runs", "--lab", lab, "--json", "--sort", "-touched MB").stdout)["runs"]
    assert [run["transfer_total"] for run in ordered] == moved[::-1]
    (timed,) = [run["median_time"] for run in runs if "median_time" in run]
    assert len(json.loads(tess("runs", "--lab", lab, "--json", "-w", f"ms > {timed * 999}").stdout)["runs"]) == 1
    assert tess("runs", "--lab", lab, "-w", f"ms > {timed * 1001}").stderr == "no run fits\n"
    clauses = f"mesh = none.su2 and not (reuse > 1e9 or block_size = 7) and tag:paper and ms <= {timed * 1001}"
    assert tess("runs", "--lab", lab, "-w", clauses).stderr == (
        f"no run fits all of: mesh = none.su2 (0), not (reuse > 1e9 or block_size = 7) ({len(runs)}), tag:paper (0), ms <= {timed * 1001} (1)\n")
    assert "(0)" not in tess("plot", "reuse", "--lab", lab, "-w", "mesh = none.su2", code=3).stderr
    plan, reuse = (tess("plot", "front", "--x", x, "--y", y, "--lab", lab, "--json").stdout
                   for x, y in (("reuse_factor", "transfer_total"), ("reuse", "touched MB")))
    assert plan == reuse
    assert "did you mean 'touched MB'" in tess("runs", "--lab", lab, "-w", "touched_M > 1", code=2).stderr


def test_a_record_is_explained_line_by_line(tess, lab):
    """Each metric that `tess show` prints has its words."""
    for run in ("@last", "@last~1"):
        lines = tess("show", run, "--lab", lab).stdout.split("\nmetrics\n")[1].split("\n\n")[0].split("\n")
        head, *rows = lines
        assert len(rows) > 20 and [row for row in rows if not row[head.index("what it is"):].strip()] == []


def test_sums_of_a_march_are_told_and_volume_is_conserved(tess):
    for application, name in (("volna", "volume"), ("airfoil", "rms")):
        march = ("march", "--no-lab", application, "--mesh", "quads:nx=10:ny=9", "--steps", "60", "--every", "20", "--precision", "double")
        done = tess(*march).stdout
        told = json.loads(tess("explain", name, "--json").stdout)
        assert f"\n{name}: {told['long_name']}\n" in done and name in tess("march", "--help=all").stdout
        values = [float(row.split()[2]) for row in done.split("\n")[1:4]]
        spread = max(values) / min(values) - 1
        assert (spread < 1e-5) == ("is conserved" in told["long_name"].lower()), "six digits are printed"


@pytest.mark.parametrize("asked, name", [
    ("transfer_total [B]", "transfer_total"), ("cut@plan", "cut"), ("sectors per block", "sectors_per_block"),
    ("time (UTC)", "time"), ("how", "manner"), ("touched MB", "transfer_total"),
])  # fmt: skip
def test_a_word_is_found_as_tables_write_it(tess, asked, name):
    assert json.loads(tess("explain", asked, "--json").stdout)["name"] == name


def test_columns_that_runs_lists_are_explained(tess, lab):
    table = tess("runs", "--lab", lab).stdout.split("\n")[0]
    assert "time (UTC)" in table
    titles = [title for _, title, _ in listed() if " " in title]
    for title in re.findall("|".join(map(re.escape, titles)) + r"|\S+", table):
        tess("explain", title)


def test_signs_of_definitions_are_told(tess):
    told = tess("explain", "reuse").stdout
    assert "P(b)" in told and re.search(r"E\(b\) the\s+elements", told)
    assert "E(b)" not in tess("explain", "launches").stdout


def test_pictures_and_notebooks_have_the_words_of_tables():
    captions = (ROOT / "viz/scripts/scene.py").read_text()
    assert '"reuse {}"' in captions and '"components {}"' in captions and "reuse factor" not in captions
    for notebook in (ROOT / "notebooks").glob("*.py"):
        text = notebook.read_text()
        assert "reuse factor" not in text and "MB moved" not in text, notebook
