"""tess runs: filters, columns, sorting, grouping, and an index that is always right."""

import json
import os
import subprocess

import h5py
import pytest


@pytest.fixture(scope="module")
def lab(tess_bin, tmp_path_factory):
    """Sixteen runs: 4 partitioners by 4 block sizes, the 10th failed."""
    folder = tmp_path_factory.mktemp("runs") / "lab"
    writer = tess_bin.parents[1] / "tests/lab_writer"
    subprocess.run([writer, folder, "16"], check=True, capture_output=True)
    return folder


@pytest.fixture
def runs(tess, lab):
    """Rows of `tess runs` as dictionaries."""

    def listed(*arguments, folder=lab):
        return json.loads(tess("runs", "--lab", folder, "--json", *arguments).stdout)["runs"]

    return listed


@pytest.mark.parametrize(
    "where, n",
    [
        ("partitioner = metis", 4),
        ('partitioner = "metis:method=recursive"', 4),
        ("partitioner = metis*", 8),
        ("partitioner != metis*", 8),
        ("partitioner ~ BERT", 4),
        ("block_size >= 128", 12),
        ("block_size >= 128 and partitioner = rcb", 3),
        ("block_size = 64 or block_size = 480", 8),
        ("not block_size = 64 and not (partitioner = rcb or partitioner = hilbert)", 6),
        ("partitioner = rcb or partitioner = metis and block_size = 64", 5),
        ("reuse_factor > 1.6", 4),
        ("reuse_factor@plan > 1.6", 4),
        ("outcome = failed", 1),
        ("tag:nothing", 0),
        ("block_size != 64", 12),
    ],
)
def test_filters(runs, where, n):
    assert len(runs("-w", where)) == n


def test_a_mesh_is_found_by_the_name_that_the_table_shows(tess, tmp_path):
    mesh, lab = tmp_path / "my.meshb", tmp_path / "lab"
    tess("mesh", "convert", "quads:nx=4:ny=4", mesh)
    tess("partition", mesh, "--map", "edges:cells", "-p", "rcb", "-b", "8", "--lab", lab)
    named = [json.loads(tess("runs", "--lab", lab, "--json", "-w", where).stdout)["runs"] for where in (
        "mesh = my.meshb", "mesh = my.*", f"mesh = '{mesh}'", "mesh != my.meshb", "mesh = y.meshb")]
    assert [len(runs) for runs in named] == [1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    "where, words",
    [
        ("partitoner = metis", "did you mean 'partitioner'?"),
        ("block_size = many", "it is compared with a number"),
        ("block_size", "a comparison is expected"),
        ("block_size >", "behind 'block_size >': a value is expected"),
        ("(block_size > 1", "a closing parenthesis"),
        ("block_size > 1 block_size < 2", "character 16"),
        ("mesh = 'x", "closing quote"),
        ("(" * 1000, "nested too deep"),
    ],
)
def test_wrong_filters_say_where_and_what(tess, lab, where, words):
    assert words in tess("runs", "--lab", lab, "-w", where, code=2).stderr


@pytest.mark.parametrize("command", ["runs", "best", "export"])
def test_a_second_filter_is_refused_by_the_filter_that_is_both(tess, lab, command):
    asked = ["-w", "partitioner = rcb", "--where", "seed = 1 or seed = 2"]
    told = tess(command, "--lab", lab, *asked, code=2).stderr
    assert told == "tess: error: one filter at a time: --where '(partitioner = rcb) and (seed = 1 or seed = 2)'\n"


def test_columns_sorting_and_limits(tess, runs, lab):
    rows = tess("runs", "--lab", lab, "--csv", "-c", "block_size,partitioner", "-k", "-block_size,partitioner")
    cells = [line.split(",")[1:] for line in rows.stdout.splitlines()]
    assert cells[0] == ["block_size", "partitioner"]
    assert cells[1:3] == [["480", "hilbert"], ["480", "metis"]] and cells[16] == ["64", "rcb"]
    twice = tess("runs", "--lab", lab, "--csv", "-c", "run,block_size,block_size", "-n", "1").stdout.splitlines()
    assert twice[0] == "run,block_size" and twice[1].endswith(",480"), "what a row says already is not said again"
    assert [run["block_size"] for run in runs("-n", "2")] == [480, 480]
    assert "did you mean 'block_size'" in tess("runs", "--lab", lab, "-c", "block_sise", code=2).stderr
    table = tess("runs", "--lab", lab).stdout.splitlines()
    assert table[0].split()[:5] == ["run", "time", "(UTC)", "mesh", "loop"] and len(table) == 17
    assert len({line.split()[0] for line in table[1:]}) == 16, "as many letters as tell runs apart"


def test_runs_without_a_text_come_last_whichever_way_it_is_sorted(tess_bin, tess, runs, tmp_path):
    for session in ([], ["one"], [], ["two"]):
        subprocess.run([tess_bin.parents[1] / "tests/lab_writer", tmp_path, "1", "1", *session], check=True, capture_output=True)
    for sign, expected in (("", ["one", "two"]), ("-", ["two", "one"])):
        assert [run.get("session") for run in runs("-k", f"{sign}session", folder=tmp_path)] == [*expected, None, None]


def test_groups_have_counts_and_medians(tess, lab):
    table = tess("runs", "--lab", lab, "-g", "partitioner", "-c", "reuse_factor").stdout.splitlines()
    assert [line.split() for line in table[1:3]] == [["4", "hilbert", "1.5"], ["4", "metis", "1"]]
    done = tess("runs", "--lab", lab, "-g", "partitioner", "-c", "reuse_factor", "--json")
    assert json.loads(done.stdout)["groups"][0] == {"runs": 4, "partitioner": "hilbert", "reuse_factor": 1.5}
    done = tess("runs", "--lab", lab, "-g", "block_size", "-c", "reuse_factor", "--csv")
    assert done.stdout.splitlines()[:2] == ["runs,block_size,reuse_factor", "4,64,1.375"]


def test_runs_without_a_number_are_a_group_and_no_part_of_medians(tess, tess_bin, tmp_path):
    tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "-p", "rcb", "-b", "64", "--lab", tmp_path, "--no-view")
    subprocess.run([tess_bin.parents[1] / "tests/lab_writer", tmp_path, "3"], check=True, capture_output=True)

    def groups(by, column):
        return json.loads(tess("runs", "--lab", tmp_path, "-g", by, "-c", column, "--json").stdout)["groups"]

    filled, other = groups("fill", "block_size")
    assert (filled["runs"], other["runs"], other["fill"]) == (1, 3, None) and filled["fill"] > 0.5
    (every,) = groups("outcome", "fill")
    assert every == {"runs": 4, "outcome": "passed", "fill": filled["fill"]}


def test_the_index_is_made_again_whatever_befalls_it(runs, lab):
    index = lab / "index.hdf"
    before = runs()
    for content in (b"", b"nonsense", index.read_bytes()[:-100]):
        index.write_bytes(content)
        assert runs() == before
    index.unlink()
    assert runs() == before
    assert index.exists()


def test_the_index_follows_the_runs(tess_bin, runs, tmp_path):
    writer = tess_bin.parents[1] / "tests/lab_writer"
    first = subprocess.run([writer, tmp_path, "2"], capture_output=True, text=True).stdout.split()
    assert [run["run"] for run in runs(folder=tmp_path)] == first
    more = subprocess.run([writer, tmp_path, "3"], capture_output=True, text=True).stdout.split()
    assert [run["run"] for run in runs(folder=tmp_path)] == first + more
    (tmp_path / "runs" / f"{more[1]}.hdf").unlink()
    assert [run["run"] for run in runs(folder=tmp_path)] == first + [more[0], more[2]]
    with h5py.File(tmp_path / "index.hdf") as index:
        assert [run.decode() for run in index["runs"]["run"]] == first + [more[0], more[2]]


def test_no_lab_is_bad_input_with_advice(tess, tmp_path):
    assert "TESS_LAB" in tess("runs", "--lab", tmp_path / "none", code=3).stderr


def test_a_lab_that_may_not_be_read_is_no_lab_that_is_not_there(tess_bin, tmp_path):
    (tmp_path / "lab").mkdir(mode=0)
    somebody = {"user": "nobody"} if os.geteuid() == 0 else {}
    try:
        done = subprocess.run([tess_bin, "runs", "--lab", tmp_path / "lab"], cwd="/", capture_output=True, text=True, **somebody)
    except PermissionError:
        pytest.skip("nobody may not run this build")
    assert done.returncode == 3 and f"the lab {tmp_path}/lab cannot be read: Permission denied" in done.stderr


def test_the_last_run_is_no_file_that_somebody_put_beside_the_runs(tess, tess_bin, tmp_path):
    """Such a file sorts behind the runs; its name is longer than an id."""
    writer = tess_bin.parents[1] / "tests/lab_writer"
    subprocess.run([writer, tmp_path / "lab", "2"], check=True, capture_output=True)
    last = sorted((tmp_path / "lab/runs").glob("*.hdf"))[-1]
    (tmp_path / "lab/runs" / f"z copy of {last.stem}.hdf").write_bytes(last.read_bytes())
    (tmp_path / "lab/runs/z.hdf").touch()
    shown = json.loads(tess("show", "@last", "--json", "--lab", tmp_path / "lab").stdout)
    assert shown["run"] == last.stem
    assert "has no run 'z co'" in tess("show", "z co", "--lab", tmp_path / "lab", code=3).stderr


def test_a_name_without_its_options_is_told_of(tess, lab):
    """`partitioner = metis` is not `metis:method=recursive`."""
    for where in ("partitioner = metis", 'partitioner="metis" and block_size >= 128'):
        words = tess("runs", "--lab", lab, "-w", where).stderr
        assert "4 runs have metis with options: 'partitioner = metis*'" in words
    for where in ("partitioner = metis*", "partitioner = rcb", "block_size = 64"):
        assert tess("runs", "--lab", lab, "-w", where).stderr == ""


def test_a_limit_takes_the_first_of_what_is_sorted_and_the_last_by_time(runs):
    """The top two, not the two worst."""
    every = sorted((run["reuse_factor"] for run in runs()), reverse=True)
    assert [run["reuse_factor"] for run in runs("-k", "-reuse_factor", "-n", "2")] == every[:2]
    assert [run["reuse_factor"] for run in runs("-k", "reuse_factor", "-n", "3")] == every[::-1][:3]
    assert runs("-n", "2") == runs()[-2:]
    assert len(runs("-k", "reuse_factor", "-n", "100")) == 16


def test_columns_are_listed_as_json_too(tess, lab):
    listed = json.loads(tess("runs", "--lab", lab, "--list-columns", "--json").stdout)["columns"]
    plain = [line.split() for line in tess("runs", "--lab", lab, "--list-columns").stdout.splitlines()]
    assert [one["name"] for one in listed] == [words[0] for words in plain]
    assert {"name": "block_size", "unit": "elements"} in listed and {"name": "mesh", "unit": None} in listed


def test_a_lab_that_cannot_be_made_is_bad_input(tess, tmp_path):
    (tmp_path / "file").write_text("")
    done = tess("partition", "quads:nx=3:ny=3", "--map", "edges:cells", "-p", "rcb", "--lab", tmp_path / "file/lab",
                code=3)
    assert "cannot make the folder" in done.stderr and "--lab DIR or TESS_LAB name another" in done.stderr


def test_many_runs_are_in_the_index_before_anyone_lists_them(tess, tmp_path):
    """A sweep puts its runs there as it goes: the first list of a large lab does not read each file."""
    sizes = ",".join(map(str, range(1, 259)))
    tess("partition", "quads:nx=2:ny=2", "--map", "edges:cells", "-p", "file-order", "-b", sizes, "--no-view", "--lab", tmp_path)
    with h5py.File(tmp_path / "index.hdf") as index:
        indexed = {row.decode() for row in index["runs"]["run"]}
    stored = {path.stem for path in (tmp_path / "runs").iterdir()}
    assert len(stored) == 258 and indexed < stored and len(indexed) >= 256
