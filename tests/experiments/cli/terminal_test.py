"""Tables in a terminal of 80 columns, a real one: nothing is wider, what is left out is said."""

import os
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, in_terminal

NORTH_SEA = ROOT / "data/meshes/north_sea.msh.xz"
LONG = "metis:method=recursive:weights=shared"
PARTITION = ("partition", NORTH_SEA, "--map", "edges:cells", "-b", "128,256", "-p", f"rcb,gps,{LONG}")
RUN = ("run", "airfoil", "--mesh", "quads:nx=20:ny=20", "-s", "atomics:transpose=shared,point-parallel")


@pytest.fixture
def screen(tess_bin, tmp_path):
    """Runs the program in a terminal and gives what it shows, without colours."""

    def run(*arguments, width=80, **environment):
        code, shown = in_terminal([tess_bin, *arguments], width, stderr=subprocess.DEVNULL, cwd=tmp_path,
                                  env={**os.environ, "TERM": "xterm", **environment})
        assert code == 0, shown
        run.raw = shown.decode()
        return re.sub(r"\x1b\[[0-9;]*m", "", run.raw).replace("\r\n", "\n")

    return run


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("arguments", [
    PARTITION, RUN, ("runs",), ("runs", "-g", "partitioner,block_size"), ("list", "partitioners"), ("list", "strategies"),
    ("best", "reuse_factor"), ("diff", "@last~1", "@last"), ("doctor",), ("machine", "check", "k20m"),
])  # fmt: skip
def test_nothing_is_wider_than_the_terminal(screen, tess, tmp_path, arguments, width):
    if arguments[0] in ("runs", "best", "diff"):
        tess(*PARTITION, cwd=tmp_path)
    table = screen(*arguments, width=width).split("\n\n")[0].split("\n")
    assert [line for line in table if len(line) > width] == []
    assert len(table) > 2


MESH = ("--mesh", "quads:nx=12:ny=12")
TABLES = [
    ("partition", *PARTITION[1:]), ("run", "airfoil", *MESH, "-s", "atomics:transpose=shared,point-parallel"),
    ("run", "airfoil", *MESH, "-d", "host", "-s", "sequential,openmp", "--samples", "6"),
    ("march", "airfoil", *MESH, "--steps", "4", "--lab", "lab"), ("march", "--no-lab", "volna", *MESH, "--steps", "4", "--ranks", "2"),
    ("tune", "airfoil", *MESH, "--by", "read_sectors", "--runs", "2"),
    ("predict", "airfoil", *MESH, "--machine", "h200", "-b", "128", "--layout", "soa"),
    ("tag", "paper", "@last"), ("tag",), ("runs",), ("runs", "-g", "partitioner,block size"), ("best",), ("best", "reuse"),
    ("compare", "--metric", "reuse", "@last~5", "@last~4"), ("diff", "@last~5", "@last~4"), ("show", "@last~3"), ("verify",),
    ("mesh", "info", "--maps", "quads:nx=4:ny=4"), ("mesh", "check", "quads:nx=4:ny=4"), ("explain", "reuse"),
    ("parts", "miniaero", "--mesh", "tets:nx=1:ny=1:nz=1"), ("plot", "reuse"), ("plot", "time"), ("plot", "front"), ("plot", "roofline"), ("doctor",), ("machine", "check", "k20m"),
    ("bound", "airfoil", *MESH), ("model", "fv"), ("model", "fv", "--machine", "k20m"), ("ranks", "airfoil", *MESH), ("ranks", "airfoil", *MESH, "--step", "0.001"),
    ("sweep", "tiny.yaml"), ("note", "@last", "a word"), ("note", "@last"), ("merge", "other"), ("rm", "@last"),
    *((("list", kind)) for kind in ("partitioners", "strategies", "applications", "devices", "metrics", "readers", "generators",
                                    "plots")),
    ("gate", "runs.yaml", "--reference-program", "true", "--budget", "1e-9s"),
    ("record", "nothing", "--samples", "2", "--", "true"),
]  # fmt: skip
# Names of files and addresses, which are not to be broken, and what programs read.
OTHERS = {
    "demo": "is tess partition of the mesh that ships, whose table is tried",
    "report": "prints the name of the page",
    "serve": "prints an address with a secret of 32 characters",
    "export": "writes files for programs and pages",
    "import": "prints names of files",
    "view": "prints the names of view file and picture",
    "emit": "writes a folder of source and prints its files",
}


def test_no_command_is_wider_than_80_columns(screen, tess, tmp_path):
    """In one small lab, in turn; sentences below tables may be longer, a terminal breaks them. So are names of files."""
    (tmp_path / "tiny.yaml").write_text("sweep: tiny\nabout: of two runs\naxes:\n  partitioner: [rcb, gps]\n  block_size: [32]\n"
                                        "groups:\n  - mesh: ['quads:nx=9:ny=9']\n    map: ['edges:cells']\n")  # fmt: skip
    (tmp_path / "runs.yaml").write_text("sweep: runs\naxes:\n  application: airfoil\n  mesh: airfoil:i=4:j=6\n  strategy: [atomics, sequential]\n")
    tess("partition", "quads:nx=5:ny=5", "--map", "edges:cells", "-b", "32", "-p", "rcb", "--lab", tmp_path / "other")
    commands = set(re.findall(r"^X\((\w+)\)", (ROOT / "experiments/cli/list.h").read_text(), re.M))
    assert {arguments[0] for arguments in TABLES} | OTHERS.keys() == commands
    for arguments in TABLES:
        text = screen(*arguments)
        if arguments[0] == "show":
            text = text[text.index("\nmetrics\n") + 1:]
        table = text.split("\n\n")[0].split("\n")
        prose = {line for line in table if re.match(r"\S+ .*[.:]$|\S+: .* \S+ ", line) or not re.search(r"\s", line)}
        assert [line for line in table if len(line) > 80 and line not in prose] == [], arguments


def test_words_are_torn_in_need_only(screen, tmp_path):
    """Of a table that is too wide in each of its columns: lines are broken at spaces and behind marks."""
    shutil.copytree(ROOT / "notebooks/lab", tmp_path / "lab", ignore=shutil.ignore_patterns("index.hdf", "views"))
    shown = screen("compare", "@last~2", "@last~1", "@last")
    words = set(re.split(r"\s+", shown))
    assert words >= {"@last~1", "@last~2", "verdict", "turns,", "rounds", "partitioner=", "random"}, shown
    assert words & {"faster", "slower", "same", "unclear"}, shown


def test_what_matters_stays_and_the_rest_is_named(screen):
    text = screen(*PARTITION)
    title = text.split("\n")[0]
    for column in ("block size", "partitioner", "reuse", "thread colours", "touched MB"):
        assert column in title
    left_out = text[text.index("not shown on this terminal: "):].replace("\n", " ")
    for column in ("blocks", "full threads", "staged MB", "plan s"):
        assert column not in title.replace("block size", "") and column in left_out
    assert "metis:method=recursive: " in text and LONG not in text.split("not shown")[0], "the name is wrapped"
    assert "Least predicted traffic" in text.replace("\n", " ")


def test_all_columns_are_shown_where_there_is_room_or_no_terminal(screen, tess, tmp_path):
    wide = screen(*PARTITION, width=250)
    piped = tess(*PARTITION, cwd=tmp_path).stdout
    for text in (wide, piped):
        assert "plan s" in text.split("\n")[0] and "run" in text.split("\n")[0] and LONG in text
        assert "not shown" not in text


def test_columns_that_are_asked_for_are_not_left_out(screen):
    title = screen(*PARTITION, "--columns", "partitioner,plan s,staged MB,fill,sectors/block,blocks,cut").split("\n")[0]
    assert title.split() == ["partitioner", "plan", "s", "staged", "MB", "full", "threads", "sectors/block", "blocks", "cut"]


def test_runs_show_the_last_part_of_a_mesh(screen, tess, tmp_path):
    mesh = tmp_path / ("long_" * 10) / NORTH_SEA.name
    mesh.parent.mkdir()
    shutil.copy(NORTH_SEA, mesh)
    tess("partition", mesh, *PARTITION[2:], cwd=tmp_path)
    assert str(mesh) not in screen("runs", width=250) and mesh.name in screen("runs", width=250)
    assert str(mesh) in tess("runs", "--csv", cwd=tmp_path).stdout, "programs are told all of it"


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": "vt100"}, {"TERM": "xterm-mono"}, {"NO_COLOR": "1"}])
def test_colours_can_be_off(screen, environment):
    screen(*PARTITION)
    assert "\x1b[" in screen.raw
    screen(*PARTITION, **environment)
    assert "\x1b[" not in screen.raw and "*" in screen.raw
