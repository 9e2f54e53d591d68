"""tess record: the time of any program beside runs."""
import json
import pathlib

import pytest


def samples_of(tess, lab, run="@last"):
    shown = json.loads(tess("show", run, "--lab", lab, "--json").stdout)
    return shown, shown["samples"].get("time", {}).get("values")


def test_a_program_is_timed_and_compared(tess, tmp_path):
    for name, seconds in (("short", "0.01"), ("long", "0.1")):
        done = tess("record", "sleeper", "-m", "m", "--set", f"order={name}", "--samples", 6, "--warm-up", 0, "-l", tmp_path, "--", "sleep", seconds)
        assert done.stdout.startswith("sleeper: 0.") and "the median of 6 samples" in done.stdout
    shown, values = samples_of(tess, tmp_path)
    assert len(values) == 6 and min(values) >= 0.1
    assert shown["configuration"]["order"] == "long" and shown["configuration"]["application"] == "sleeper"
    assert shown["environment"]["command"].endswith("-- sleeper sleep 0.1")
    verdict = tess("compare", "@last~1", "@last", "--lab", tmp_path).stdout
    assert "slower" in verdict and "order=long" in verdict


def test_seconds_are_what_the_program_prints_last(tess, tmp_path):
    printing = ("sh", "-c", "echo took 3 s; echo took 2.5 s; echo took -1 s >&2")
    told = json.loads(tess("record", "p", "--json", "--pattern", "took ([0-9.e-]+) s", "-l", tmp_path, "--", *printing).stdout)
    assert told["median_time"] == {"value": 2.5, "unit": "s"} and told["samples"] == 5


def test_warm_up_runs_do_not_count(tess, tmp_path):
    count = f"n=$(cat {tmp_path}/n 2>/dev/null || echo 0); n=$((n + 1)); echo $n > {tmp_path}/n; echo took $n s"
    tess("record", "p", "--pattern", "took ([0-9]+)", "--samples", 3, "--warm-up", 2, "-l", tmp_path / "lab", "--", "sh", "-c", count)
    assert samples_of(tess, tmp_path / "lab")[1] == [3, 4, 5]


def test_times_come_from_a_file_or_standard_input(tess, tmp_path):
    (tmp_path / "t.txt").write_text("1.5\n\n2 # busy\r\n 0.5\n")
    tess("record", "p", "--seconds", tmp_path / "t.txt", "-l", tmp_path / "lab")
    assert samples_of(tess, tmp_path / "lab")[1] == [1.5, 2, 0.5]
    tess("record", "p", "--seconds", "-", "-l", tmp_path / "lab", input="7\n")
    assert samples_of(tess, tmp_path / "lab")[1] == [7]


@pytest.mark.parametrize("program, words", [
    (("false",), "false ended with 1"),
    (("sh", "-c", "echo why; kill -9 $$"), "sh was ended by signal 9; it printed last:\nwhy"),
    (("echo", "took forever"), "echo prints no seconds that the pattern finds; it printed last:\ntook forever"),
])
def test_a_program_that_fails_is_a_failed_run(tess, tmp_path, program, words):
    done = tess("record", "p", "--pattern", "took ([0-9.]+)", "-l", tmp_path, "--", *program, code=1)
    assert done.stderr == f"tess: error: {words}\n" and done.stdout == ""
    shown, _ = samples_of(tess, tmp_path)
    assert shown["outcome"] == "failed" and words in shown["check"]["message"]
    assert "median_time" not in shown["metrics"]


@pytest.mark.parametrize("content, words", [
    ("1\nx\n", ":2: 'x' is no time"), ("1 2\n", ":1: '1 2' is no time"), ("0\n", ":1: '0' is no time"),
    ("-1\n", ":1: '-1' is no time"), ("inf\n", ":1: 'inf' is no time"), ("\n# none\n", " holds no time"),
])
def test_what_is_no_time_is_named_by_its_line(tess, tmp_path, content, words):
    (tmp_path / "t.txt").write_text(content)
    assert f"t.txt{words}" in tess("record", "p", "--seconds", tmp_path / "t.txt", "-l", tmp_path / "lab", code=3).stderr
    assert not list((tmp_path / "lab/runs").glob("*"))


@pytest.mark.parametrize("arguments, code, words", [
    ((), 2, "a name is missing"),
    (("", "--", "true"), 2, "a name is missing"),
    (("--", "sleep", "0.1"), 2, "a name is missing"),
    (("p",), 2, "what is timed?"),
    (("p", "--seconds", "t", "--", "true"), 2, "either --seconds or a program"),
    (("p", "--pattern", "seconds", "--", "true"), 2, "'seconds' has no group"),
    (("p", "--pattern", "(", "--", "true"), 2, "is no extended regular expression"),
    (("p", "--set", "a-b=c", "--", "true"), 2, "--set a-b=c: it is NAME=VALUE"),
    (("p", "--seconds", "/nowhere/t"), 3, "/nowhere/t: cannot be opened"),
    (("p", "--", "no-such-program"), 4, "no-such-program does not start"),
])
def test_bad_calls_are_told(tess, tmp_path, arguments, code, words):
    done = tess("record", "-l", tmp_path, *arguments, code=code)
    assert words in done.stderr and not list(tmp_path.glob("runs/*"))




def test_a_program_is_given_its_mesh_in_an_order(tess, tmp_path):
    """The file is what `tess mesh reorder` writes, and is gone afterwards."""
    def given(order, *more):
        keep = tmp_path / f"{order}.msh"
        words = ("sh", "-c", f"cp {{mesh}} {keep}; test -d {{folder}} && echo {{order}} {{mesh}} > {tmp_path}/{order}; echo 1 s")
        tess("record", "p", "-m", "tris:nx=9:ny=8:shuffle=3", "--mesh-order", order, "--mesh-format", "gmsh2", "--samples", 1, "--warm-up", 0,
             "--pattern", "([0-9]) s", "-l", tmp_path / "lab", *more, "--", *words)
        said, path = (tmp_path / order).read_text().split()
        assert said == order and not pathlib.Path(path).parent.exists()
        return keep.read_bytes()

    stored = given("stored")
    assert given("own") == stored
    for order in ("levels", "rcb"):
        tess("mesh", "reorder", "tris:nx=9:ny=8:shuffle=3", tmp_path / "by.msh", "-f", "gmsh2", "-p", order)
        assert given(order) == (tmp_path / "by.msh").read_bytes() != stored
    shown, _ = samples_of(tess, tmp_path / "lab")
    assert shown["configuration"]["order"] == "rcb" and shown["configuration"]["mesh"] == "tris:nx=9:ny=8:shuffle=3"


@pytest.mark.parametrize("arguments, code, words", [
    (("--mesh-order", "rcb", "--", "echo", "{mesh}"), 2, "which mesh?"),
    (("-m", "tris", "--mesh-order", "rcb", "--", "echo"), 2, "name no {mesh}"),
    (("-m", "tris", "--", "echo", "{mesh}"), 2, "'tris': the extension tells no format: name one of su2 (.su2), "),
    (("-m", "tris", "--mesh-format", "su2", "--mesh-order", "rcx", "--", "echo", "{mesh}"), 2, "rcx"),
    (("-m", "no.su2", "--", "echo", "{mesh}"), 3, "no.su2"),
    (("--", "sh", "-c", "no-such-program"), 4, "no-such-program: not found"),
])
def test_what_cannot_be_given_or_found_leaves_no_run(tess, tmp_path, arguments, code, words):
    done = tess("record", "p", "-l", tmp_path, *arguments, code=code)
    assert words in done.stderr and not list(tmp_path.glob("runs/*"))


def test_words_without_a_mesh_stay(tess, tmp_path):
    tess("record", "p", "--samples", 1, "--warm-up", 0, "-l", tmp_path / "lab", "--", "sh", "-c", f"echo '{{order}}{{x}}' > {tmp_path}/said")
    assert (tmp_path / "said").read_text() == "{order}{x}\n"


def test_programs_are_told_apart_where_they_are_ranked(tess, tmp_path):
    """They have one loop, `program`, on one mesh; runs of one program need no column that says so."""
    (tmp_path / "t.txt").write_text("1\n")
    for name in ("fast", "slow"):
        tess("record", name, "-m", "m", "--seconds", tmp_path / "t.txt", "-l", tmp_path / "lab")
    assert tess("best", "--lab", tmp_path / "lab").stdout.split()[:3] == ["mesh", "loop", "application"]
    assert "application" not in tess("best", "--lab", tmp_path / "lab", "-w", "application = fast").stdout


def test_a_diff_tells_how_runs_ended_or_that_nothing_differs(tess, tmp_path):
    tess("record", "p", "--samples", 1, "-l", tmp_path, "--", "true")
    tess("record", "p", "--samples", 1, "-l", tmp_path, "--", "false", code=1)
    assert ["check", "outcome", "unchecked", "failed"] in [line.split() for line in tess("diff", "@last~1", "@last", "--lab", tmp_path).stdout.splitlines()]
    same = tess("diff", "@last", "@last", "--lab", tmp_path).stdout
    assert same == "nothing differs but what no two runs have in common, which --all shows\n"
