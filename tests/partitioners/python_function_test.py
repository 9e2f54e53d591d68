"""Python functions as partitioners: the arrays that they are given, their graph, and every way to fail."""

import hashlib
import json
import os

import h5py
import numpy
import pytest

KEEPS = """
import numpy
from helper import blocks_of

def cut(problem):
    offset, neighbour, shared = problem.graph()
    maps = {f"map{i}": each.index for i, each in enumerate(problem.maps)}
    numpy.savez("kept", offset=offset, neighbour=neighbour, shared=shared, coordinates=problem.coordinates,
                known=[problem.n_elements, problem.block_size, problem.n_blocks, problem.seed],
                points=[each.n_points for each in problem.maps], bytes=[each.bytes for each in problem.maps],
                shape=problem.shape or (), **maps)
    try:
        problem.maps[0].index[0] = 5
    except ValueError:
        return blocks_of(problem)
"""


@pytest.fixture
def cut(tess, tmp_path):
    """Runs `tess partition` with the function `cut` of these lines."""

    def run(lines, *arguments, code=0, mesh="tris:nx=3:ny=2", map="edges:cells", **options):
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine/cut.py").write_text(lines)
        done = tess("partition", mesh, "--map", map, "-b", "4", "--no-view", "--json", *arguments, "-p",
                    "python:file=mine/cut.py:function=cut", cwd=tmp_path, code=code, **options)  # fmt: skip
        return json.loads(done.stdout)["runs"][0] if code == 0 else done.stderr

    return run


def test_what_a_function_prints_is_told_and_kept(tess, tmp_path):
    (tmp_path / "cut.py").write_text("def partition(p):\n    print('x' * 200)\n    print('level', 3)\n    return [0] * p.n_elements\n")
    done = tess("partition", "tris:nx=3:ny=2", "--map", "edges:cells", "-b", "8", "-p", "rcb,python:file=cut.py", cwd=tmp_path)
    assert "tess: it said: ...xx" in done.stderr and done.stderr.count("it said") == 1 and "x level 3\n" in done.stderr
    assert "x level 3" in tess("show", "@last", cwd=tmp_path).stdout


@pytest.mark.parametrize("mesh, map", [("tris:nx=3:ny=2", "edges:cells"), ("hexes:nx=3:ny=2:nz=2", "cells:nodes"),
                                       ("tris:nx=4:ny=3", "cells:cells")])  # fmt: skip
def test_what_a_function_is_given(cut, tess, tmp_path, mesh, map):
    """The arrays are those of the mesh, the graph is that of METIS's file; a helper beside it is found."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/helper.py").write_text(
        "def blocks_of(problem):\n    return [i // 3 for i in range(problem.n_elements)]\n")
    run = cut(KEEPS, "--seed", "9", mesh=mesh, map=map)
    kept = numpy.load(tmp_path / "kept.npz")
    with h5py.File(tmp_path / run["plan_file"]) as plan:
        stored, blocks = plan.attrs["mesh"].decode(), plan["/partition/block_of"][:]
    with h5py.File(tmp_path / f"lab/meshes/{stored}.hdf") as file:
        points = file[f"/maps/{map.replace(':', '_')}"][:]
    n = len(points)
    assert kept["known"].tolist() == [n, 4, -(-n // 4), 9]
    together = numpy.arange(n) // 3
    assert ((blocks[:, None] == blocks) == (together[:, None] == together)).all()
    assert (kept["map0"][:, :points.shape[1]] == points).all() and kept["coordinates"].shape[0] == n
    tess("partition", mesh, "--map", map, "-b", "4", "--no-lab", "-p",
         'exec:command="cp $TESS_INPUT graph; seq $TESS_ELEMENTS"', cwd=tmp_path)  # fmt: skip
    lines = [[int(word) for word in line.split()] for line in (tmp_path / "graph").read_text().splitlines()]
    near = [dict(zip(line[0::2], line[1::2])) for line in lines[1:]]
    offset = kept["offset"]
    assert len(offset) == n + 1 and offset[-1] == len(kept["neighbour"]) == 2 * lines[0][1]
    for element in range(n):
        mine = slice(offset[element], offset[element + 1])
        assert dict(zip(kept["neighbour"][mine] + 1, kept["shared"][mine])) == near[element]


def test_the_file_is_recorded(cut, tess, tmp_path):
    run = cut("def cut(problem):\n    return [0] * problem.n_elements\n")
    shown = json.loads(tess("show", run["run"], "--json", cwd=tmp_path).stdout)
    digest = hashlib.sha256((tmp_path / "mine/cut.py").read_bytes()).hexdigest()
    assert shown["environment"]["partitioner_files"] == f"{digest}  mine/cut.py"
    assert run["blocks"] == 4 and run["largest_block_before_repair"] == 13


def given(answer):
    return f"def cut(problem):\n    return {answer}\n"


@pytest.mark.parametrize("lines, code, words", [
    (given("[0, 1]"), 1, "cut gave an array of shape (2,), not a block for each of 13 elements"),
    (given("[0.5] * 13"), 1, "cut gave blocks of type float64, not of whole numbers"),
    (given("[0, 1, -1] + [0] * 10"), 1, "cut put element 2 in block -1, which is not in 0 to 2147483647"),
    (given("[0, 2 ** 31] + [0] * 11"), 1, "cut put element 1 in block 2147483648"),
    (given("None"), 1, "cut returned nothing: end it with 'return' and the blocks"),
    (given("(__import__('numpy').zeros(13, int), 0.5)"), 1, "cut returned 2 things (ndarray, float), not the blocks alone: return the array that has a block for each of 13 elements"),
    (given("([0] * 13, [1, 2])"), 1, "cut returned 2 things (list, list), not the blocks alone"),
    (given("1 / 0"), 1, "ZeroDivisionError: division by zero (mine/cut.py:2)"),
    (given("exit(3)"), 1, "exit code 3"),
    (given("print('hm') or __import__('os').abort()"), 1, "SIGABRT"),
    (given("__import__('time').sleep(100000)"), 1, "time limit of 0.5 s"),
    ("import no_such_library\n", 4, "lacks what mine/cut.py imports (No module named 'no_such_library')"),
    ("def cut(problem:\n", 1, "SyntaxError: '(' was never closed (cut.py, line 1)"),
    ("def other(problem): pass\n", 1, "mine/cut.py has no function 'cut'"),
])  # fmt: skip
def test_bad_functions_are_told(cut, lines, code, words):
    told = cut(lines, "--time-limit", "0.5" if "sleep" in lines else "600", code=code)
    assert words in told and "Traceback" not in told


def test_a_file_and_numpy_are_needed(tess, tmp_path):
    words = ("partition", "tris:nx=3:ny=2", "--map", "edges:cells", "-b", "4", "--no-lab", "-p")
    assert "write python:file=VALUE" in tess(*words, "python", code=2, cwd=tmp_path).stderr
    assert "none.py: No such file" in tess(*words, "python:file=none.py", code=1, cwd=tmp_path).stderr
    assert ". is no file" in tess(*words, "python:file=.", code=1, cwd=tmp_path).stderr
    bare = tmp_path / "bare"
    bare.write_text('#!/bin/sh\nexec /usr/bin/python3 -S -E "$@"\n')
    bare.chmod(0o755)
    (tmp_path / "cut.py").write_text("def partition(problem): pass\n")
    told = tess(*words, "python:file=cut.py", code=4, cwd=tmp_path, env={**os.environ, "TESS_PYTHON": str(bare)}).stderr
    assert "pip install numpy" in told


def test_a_recipe_needs_leave(tess, tmp_path):
    (tmp_path / "recipe.yaml").write_text(
        'sweep: mine\naxes: {mesh: "tris:nx=3:ny=2", map: "edges:cells", partitioner: "python:file=cut.py"}\n')
    assert "--allow-exec" in tess("sweep", "recipe.yaml", cwd=tmp_path, code=3).stderr
