"""Commands as partitioners: what they are given, what they answer, and every way in which they can fail."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import h5py
import numpy
import pytest
from conftest import HANG, is_alive

MESH = "tris:nx=3:ny=2"  # 13 edges inside, 12 cells


@pytest.fixture
def cut(tess, tmp_path):
    """Runs `tess partition` with the command `./cut`, which these lines of shell are."""

    def run(lines, *arguments, code=0, mesh=MESH, format="graph", **options):
        (tmp_path / "cut").write_text(f"#!/bin/sh\n{lines}\n")
        (tmp_path / "cut").chmod(0o755)
        done = tess("partition", mesh, "--map", "edges:cells", "-b", "4", "--no-view", "--json", *arguments, "-p",
                    f"exec:command=./cut:format={format}", cwd=tmp_path, code=code, **options)  # fmt: skip
        return json.loads(done.stdout)["runs"][0] if code == 0 else done.stderr

    return run


def plan_of(folder, run):
    """The blocks of a run and the cells of each edge."""
    with h5py.File(folder / run["plan_file"]) as plan:
        mesh = plan.attrs["mesh"].decode()
        blocks = plan["/partition/block_of"][:]
    with h5py.File(folder / f"lab/meshes/{mesh}.hdf") as file:
        return blocks, file["/maps/edges_cells"][:]


def neighbours_of(cells):
    """For each edge the other edges of its cells, and with how many cells in common, by brute force."""
    return [{other: len(set(mine) & set(theirs)) for other, theirs in enumerate(cells)
             if other != edge and set(mine) & set(theirs)} for edge, mine in enumerate(cells)]  # fmt: skip


def numbers(text):
    return [[float(word) for word in line.split()] for line in text.splitlines()]


def test_the_formats_and_what_is_known(cut, tess, tmp_path):
    """Each format is that of the mesh, on stdin and in the file; the answer is taken as it is."""
    keep = "cmp - $TESS_INPUT && cp $TESS_INPUT kept && env > known && awk 'BEGIN{for(i=0;i<13;i++)print i%4}'"
    texts = {}
    for format in ("graph", "hypergraph", "patoh", "matrix", "problem"):
        run = cut(keep, "--dat", "flux:cells:3:double", "--seed", "7", format=format)
        texts[format] = (tmp_path / "kept").read_text()
        tess("export", "--mesh", MESH, "--map", "edges:cells", "--dat", "flux:cells:3:double", "-b", "4", "-f", format,
             "-o", "exported", cwd=tmp_path)  # fmt: skip
        assert (tmp_path / "exported").read_text() == texts[format].replace("seed 7", "seed 1")
    blocks, cells = plan_of(tmp_path, run)
    assert run["blocks"] == 4 and sorted(numpy.bincount(blocks)) == [3, 3, 3, 4]
    assert all((blocks[a] == blocks[b]) == (a % 4 == b % 4) for a in range(13) for b in range(13))
    known = dict(line.split("=", 1) for line in (tmp_path / "known").read_text().splitlines())
    assert {key: known[f"TESS_{key}"] for key in ("ELEMENTS", "BLOCK_SIZE", "BLOCKS", "SEED")} == {
        "ELEMENTS": "13", "BLOCK_SIZE": "4", "BLOCKS": "4", "SEED": "7"}  # fmt: skip
    assert not pathlib.Path(known["TESS_INPUT"]).parent.exists(), "nothing is left behind"

    near = neighbours_of(cells)
    head, *lines = numbers(texts["graph"])
    assert head == [13, sum(map(len, near)) / 2, 1]
    assert [dict(zip(line[0::2], line[1::2])) for line in lines] == [
        {other + 1: shared for other, shared in row.items()} for row in near]  # fmt: skip

    nets = [[24, *(edge + 1 for edge in range(13) if cell in cells[edge])] for cell in range(12)]
    nets = [net for net in nets if len(net) > 2]
    assert numbers(texts["hypergraph"]) == [[len(nets), 13, 1], *nets]
    assert numbers(texts["patoh"]) == [[1, 13, len(nets), sum(len(net) - 1 for net in nets), 2], *nets]

    title, size, *entries = texts["matrix"].splitlines()
    assert title == "%%MatrixMarket matrix coordinate pattern general" and size == "13 12 26"
    assert numbers("\n".join(entries)) == [[edge + 1, cell + 1] for edge in range(13) for cell in cells[edge]]

    lines = texts["problem"].splitlines()
    assert lines[:8] == ["tesselab-problem 1", "elements 13", "block_size 4", "seed 7", "shape 0 0 0", "dimension 2",
                         "maps 1", "coordinates"]  # fmt: skip
    assert lines[21] == "map points 12 bytes 24" and numbers("\n".join(lines[22:])) == cells.tolist()
    assert all(len(point) == 2 for point in numbers("\n".join(lines[8:21])))


def test_a_record_says_what_was_executed(cut, tess, tmp_path):
    run = cut("seq 0 12")
    shown = json.loads(tess("show", run["run"], "--json", cwd=tmp_path).stdout)
    assert shown["configuration"]["partitioner:command"] == "./cut"
    digest = hashlib.sha256((tmp_path / "cut").read_bytes()).hexdigest()
    assert shown["environment"]["partitioner_files"] == f"{digest}  ./cut"
    interpreted = json.loads(tess("partition", MESH, "--map", "edges:cells", "-b", "4", "--json", "--no-view", "-p",
                                  'exec:command="FOO=1 sh cut 2>log | cat"', cwd=tmp_path).stdout)["runs"][0]  # fmt: skip
    shown = json.loads(tess("show", interpreted["run"], "--json", cwd=tmp_path).stdout)
    paths = [line.split("  ")[1] for line in shown["environment"]["partitioner_files"].splitlines()]
    assert paths[-2:] == ["cut", shutil.which("cat")] and len(paths) <= 3


def test_tables_call_a_command_by_the_name_that_it_is_given(tess, tmp_path):
    """... and what is run again from a record is the command."""
    command = 'exec:command="seq 0 12 | sed s/1./3/"'
    words = ("partition", MESH, "--map", "edges:cells", "-b", "4")
    done = tess(*words, "-p", f"rcb,{command}:name=chop,{command}:name=hack", "--refine", "1", cwd=tmp_path)
    for printed in (done.stdout, tess("runs", cwd=tmp_path).stdout, tess("best", cwd=tmp_path).stdout):
        assert "exec:name=chop --refine 1" in printed and "exec:name=hack" in printed and "seq" not in printed
    runs = json.loads(tess("runs", "--json", cwd=tmp_path).stdout)["runs"]
    assert [run["partitioner"].count("seq 0 12") for run in runs] == [0, 1, 1]
    assert "seq 0 12" in tess(*words, "-p", command, "--no-lab", cwd=tmp_path).stdout


@pytest.mark.parametrize("lines, code, words", [
    ("seq 0 11", 1, "its output:12: the text ends after 12 of 13 elements"),
    ("seq 0 13", 1, "its output:14: there are only 13 elements"),
    ("echo 0; echo -3; yes 0", 1, "its output:2: block number -3 is not in 0 to 2147483647"),
    ("echo 0; echo 2147483648", 1, "its output:2: block number 2147483648 is not in"),
    ("echo 0; echo 0; echo one; yes", 1, "its output:3: 'one' is not a block number"),
    ("echo 0 1", 1, "its output:1: '0 1' is not a block number"),
    ("echo 1.5", 1, "'1.5' is not a block number"),
    ("printf '\\357\\273\\2750\\n'", 1, "'\ufefd0' is not a block number"),
    ("yes 0 | tr -d '\\n'", 1, "its output:1: more than one block number on a line"),
    ("seq 0 12; echo out of luck >&2; exit 3", 1, "ended with exit code 3; it said: out of luck"),
    ("seq 0 5; kill -SEGV $$", 1, "was ended by Segmentation fault (SIGSEGV)"),
    ("no_such_program", 4, "a program of the command is not there (exit code 127); it said: ./cut"),
    ("sleep 100000", 1, "time limit of 0.5 s"),
])  # fmt: skip
def test_bad_answers_are_refused_by_line(cut, tmp_path, lines, code, words):
    told = cut(lines, "--time-limit", "0.5" if "sleep" in lines else "600", code=code,
               env={**os.environ, "TMPDIR": str(tmp_path)})  # fmt: skip
    assert words in told
    assert not list(tmp_path.glob("tess-worker-*")), "nothing is left behind"


@pytest.mark.parametrize("arguments, code, words", [
    (("-f", "graph"), 2, "tess export --mesh MESH --map edges:cells --format graph"),
    (("--mesh", MESH), 2, "--mesh, --map, --dat and --block-size are for --format graph|hypergraph"),
    (("--mesh", MESH, "-M", "edge:cells", "-f", "matrix"), 2, "did you mean 'edges:cells'?"),
    (("--mesh", MESH, "-M", "edges:cells", "-f", "patoh", "@last"), 2, "either runs or the problem of a mesh"),
])  # fmt: skip
def test_what_cannot_be_exported(tess, arguments, code, words):
    assert words in tess("export", *arguments, code=code).stderr


def test_a_command_is_needed(tess, tmp_path):
    done = tess("partition", MESH, "--map", "edges:cells", "-b", "4", "--no-lab", "-p", "exec", code=2, cwd=tmp_path)
    assert "'exec' needs its option 'command': write exec:command=" in done.stderr
    done = tess("partition", MESH, "--map", "edges:cells", "-b", "4", "-p", "exec:command=cat:format=dot", code=2)
    assert "graph|hypergraph|patoh|matrix|problem" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupt_ends_all_that_a_command_has_started(tess_bin, tmp_path, number):
    """With SIGKILL nobody is left who could end them: the shell ends with its parent all the same."""
    (tmp_path / "cut").write_text("#!/bin/sh\nsh -c 'echo $$ >child; exec sleep 100000' &\n"
                                  "trap '' INT TERM\necho $$ >shell; mv shell ready; sleep 100000\n")  # fmt: skip
    process = subprocess.Popen([tess_bin, "partition", MESH, "--map", "edges:cells", "-b", "4", "-p",
                                'exec:command="exec sh cut"'], cwd=tmp_path, stderr=subprocess.PIPE, text=True,
                               processor_seconds=120)  # fmt: skip
    while not ((tmp_path / "ready").exists() and (tmp_path / "child").exists() and (tmp_path / "child").read_text()):
        time.sleep(0.01)
    process.send_signal(number)
    _, words = process.communicate(timeout=HANG) if number == signal.SIGINT else (process.wait(), "")
    if number == signal.SIGINT:
        assert process.returncode == 130 and "interrupted" in words
        assert not list((tmp_path / "lab/runs").glob("*.hdf"))
        end = time.monotonic() + HANG
        while is_alive((tmp_path / "child").read_text().strip()):  # on a busy machine what is killed takes a while to end
            assert time.monotonic() < end, "the child lives on"
            time.sleep(0.01)
    while is_alive((tmp_path / "ready").read_text().strip()):
        time.sleep(0.01)  # until the kernel has told the shell
    subprocess.run(["kill", (tmp_path / "child").read_text().strip()], stderr=subprocess.DEVNULL)


RECIPE = """sweep: mine
axes:
  mesh: "tris:nx=3:ny=2"
  map: edges:cells
  partitioner: [rcb, 'exec:command="touch executed; seq 0 12"']
  block_size: 4
"""


def test_a_recipe_needs_leave_to_execute(tess, tmp_path):
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    words = tess("sweep", "recipe.yaml", cwd=tmp_path, code=3).stderr
    assert "recipe.yaml:5:" in words and "--allow-exec" in words
    assert not (tmp_path / "lab").exists()
    printed = tess("sweep", "recipe.yaml", "--dry-run", cwd=tmp_path).stdout
    assert "touch executed" in printed and not (tmp_path / "executed").exists()
    job = tess("sweep", "recipe.yaml", "--slurm", "2", "--dry-run", "--allow-exec", cwd=tmp_path).stdout
    assert "--allow-exec --share" in job
    tess("sweep", "recipe.yaml", "--allow-exec", cwd=tmp_path)
    assert (tmp_path / "executed").exists()
