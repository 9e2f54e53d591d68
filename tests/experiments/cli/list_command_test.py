"""`tess list` and `tess explain`: names, options, definitions."""

import json
import re

import pytest

KINDS = ["partitioners", "strategies", "applications", "devices", "metrics", "readers", "generators", "plots"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_lists_names_with_a_line_about_each(tess, kind):
    items = json.loads(tess("list", kind, "--json").stdout)[kind]
    names = [item["name"] for item in items]
    assert len(names) > 2 and len(set(names)) == len(names)
    assert all(len(item["summary"]) > 5 for item in items)
    table = tess("list", kind).stdout
    assert all(name in table for name in names)


@pytest.mark.parametrize("kind", KINDS)
def test_lists_keep_to_100_columns_in_a_pipe(tess, kind):
    lines = tess("list", kind).stdout.splitlines()
    assert max(map(len, lines)) <= 100 and not [line for line in lines if line.endswith(" ")]
    items = json.loads(tess("list", kind, "--json").stdout)[kind]
    if any("options" in item for item in items):
        assert lines[-2:] == ["", f"What the options of one do: tess list {kind} NAME"]
        del lines[-2:]
    assert [line.split()[0] for line in lines if line[0] != " "] == [item["name"] for item in items]


@pytest.mark.parametrize("kind", ["partitioners", "strategies", "devices", "generators"])
def test_options_of_one_are_told_by_its_name(tess, kind):
    """A list names options; what they do, with their defaults, is told of one."""
    names = tess("list", kind).stdout
    for item in json.loads(tess("list", kind, "--json").stdout)[kind]:
        said = tess("list", kind, item["name"]).stdout
        assert said.split()[0] == item["name"] and max(map(len, said.splitlines())) <= 100
        assert json.loads(tess("list", kind, item["name"], "--json").stdout)[kind] == [item]
        keys = re.findall(r"^  :(\w+)=(.*)$", said, re.MULTILINE)
        assert dict(keys) == item.get("options", {})
        assert all(f":{key}=" in names for key, _ in keys)
    assert len(names.split()) < 600, "no reading of an hour"


def test_help_and_explanations_keep_to_100_columns(tess):
    commands = re.findall(r"^  ([a-z]+) ", tess("--help").stdout, re.MULTILINE)
    words = [metric["name"] for metric in json.loads(tess("list", "metrics", "--json").stdout)["metrics"]]
    assert len(commands) > 20 and len(words) > 60
    for said in (["--help"], *([command, form] for command in commands for form in ("--help", "--help=all")), *(["explain", word] for word in words)):
        assert max(map(len, tess(*said).stdout.splitlines())) <= 100, said


def test_options_are_listed_with_their_defaults(tess):
    items = json.loads(tess("list", "partitioners", "--json").stdout)["partitioners"]
    metis = next(item for item in items if item["name"] == "metis")
    assert metis["options"]["l"] == "1.001" and metis["options"]["epsilon"] == "0.1"


def test_every_strategy_on_gpus_ends_with_the_options_of_launches(tess):
    items = json.loads(tess("list", "strategies", "--json").stdout)["strategies"]
    last = {item["name"]: dict(list(item["options"].items())[-2:]) for item in items}
    assert last.pop("peer") == {"name": ""}
    assert "registers" not in last.pop("sequential") and "registers" not in last.pop("openmp")
    assert last.pop("point-parallel") == {"registers": "-1", "carveout": "0"}
    assert len(last) > 6 and all(options == {"registers": "0", "carveout": "0"} for options in last.values())


def test_listed_partitioners_are_those_that_run(tess, tmp_path):
    items = json.loads(tess("list", "partitioners", "--json").stdout)["partitioners"]
    names = [item["name"] for item in items if item["name"] in ("file-order", "rcb", "mosaic")]
    done = tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "--no-lab", "--json",
                "--partitioner", ",".join(names))
    assert [run["partitioner"] for run in json.loads(done.stdout)["runs"]][::2] == names


def test_metrics_of_partition_are_all_explained(tess):
    done = tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "--no-lab", "--json",
                "--partitioner", "rcb", "--block-size", "32")
    known = {item["name"] for item in json.loads(tess("list", "metrics", "--json").stdout)["metrics"]}
    (run,) = json.loads(done.stdout)["runs"]
    explained = [key for key in run if key in known]
    assert len(explained) > 12
    for name in explained:
        page = json.loads(tess("explain", name, "--json").stdout)
        assert page["definition"] and page["unit"] and page["better"] in (-1, 0, 1)


TITLES = {
    ("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "-p", "rcb,gps", "-b", "32"): (
        "block size", "partitioner", "blocks", "full threads", "reuse", "thread colours", "block colours", "components",
        "sectors/block", "staged MB", "touched MB", "predicted ms", "partition s", "plan s", "run"),
    ("run", "airfoil", "--mesh", "quads:nx=8:ny=8", "--layout", "soa,aos"): (
        "block size", "partitioner", "strategy", "layout", "outcome", "predicted ms", "launches", "shared B", "read sectors",
        "write sectors", "atomic sectors", "warp efficiency", "conflicts", "barriers", "run"),
    ("run", "airfoil", "--mesh", "quads:nx=8:ny=8", "--device", "host", "--samples", "6"): (
        "block size", "partitioner", "strategy", "outcome", "launches", "shared B", "ms", "GB/s", "of copy", "run"),
}  # fmt: skip


def test_words_of_records_of_steps_are_explained(tess):
    for word, said in (("chains", "runs of loops"), ("numbered_by", "number the mesh"), ("partitioned_on", "were cut"),
                       ("planned_on", "made")):
        assert said in tess("explain", word).stdout.split("\n")[0]


@pytest.mark.parametrize("command", TITLES, ids=range(len(TITLES)))
def test_titles_of_tables_are_all_explained(tess, tmp_path, command):
    title = tess(*command, cwd=tmp_path).stdout.split("\n")[0]
    assert title.split() == " ".join(TITLES[command]).split(), "a title that this test does not know"
    for name in TITLES[command]:
        page = tess("explain", *name.split()).stdout
        assert "better" in page and len(page) > 80
        recorded = page.split(":")[0]
        assert recorded == name or f"'{name}' in tables" in page
        assert tess("explain", recorded).stdout == page, "by the name of records, too"


@pytest.mark.parametrize("arguments, words", [
    (("explain", "thread", "colurs"), "did you mean 'thread colours'"),
    (("explain", "componets"), "did you mean 'components'"),
    (("list",), "say what to list"),
    (("list", "foo"), "there is no list of 'foo'; there are: partitioners, strategies"),
    (("run", "airfoil", "--mesh", "quads:nx=3:ny=3", "--loop", "foo"), "(known: res_calc"),
    (("march", "--no-lab", "foo", "--mesh", "quads:nx=3:ny=3"), "known: airfoil"),
    (("tune", "airfoil"), "name a mesh: airfoil --mesh MESH"),
    (("tune",), "name an application and a mesh: APPLICATION --mesh MESH"),
    (("doctor", "x"), "tess: error: 'tess doctor' takes no 'x'; see 'tess doctor --help'"),
    (("parts", "fun3d"), "on which mesh? Say 'tess parts"),
    (("list", "partitoners"), "did you mean 'partitioners'"),
    (("list", "strategies", "atomic"), "among the strategies there is no 'atomic'; did you mean 'atomics'?"),
    (("list", "strategies", "tiles", "gather"), "takes no 'gather'"),
    (("explain",), "name a metric"),
    (("explain", "reuse_factr"), "did you mean 'reuse_factor'"),
    (("explain", "xyzzy"), "tess list metrics"),
])
def test_mistyped_names_are_told_with_what_to_do(tess, arguments, words):
    assert words in tess(*arguments, code=2).stderr
