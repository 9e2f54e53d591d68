"""A recipe of commands: other programs are timed on a mesh in several orders, and archived."""

import json

import pytest

PROGRAM = """
import sys
nodes = open(sys.argv[1]).read().split("$Nodes")[1].split()
n, first = int(nodes[0]), nodes[2:5]
print("order", sys.argv[2], "begins at", *first)
print("took", {"stored": 40, "own": 30, "levels": 2}[sys.argv[2]], "s")
"""

RECIPE = """
sweep: others
folders: [meshes]
axes:
  host: counter
  mesh: small.msh
  mesh_order: [stored, levels, own]
  command: python3 count.py {mesh} {order}
  pattern: took ([0-9]+) s
  samples: 6
groups:
  - {}
"""


@pytest.fixture
def folder(tess, tmp_path):
    (tmp_path / "count.py").write_text(PROGRAM)
    (tmp_path / "meshes").mkdir()
    tess("mesh", "convert", "tris:nx=8:ny=7:shuffle=1", tmp_path / "meshes/small.msh", "-f", "gmsh2")
    return tmp_path


def sweep(tess, folder, recipe=RECIPE, *arguments, code=0):
    (folder / "others.yaml").write_text(recipe)
    done = tess("sweep", "others.yaml", "--lab", "lab", "--json", *arguments, cwd=folder, code=code)
    return done, json.loads(done.stdout) if done.stdout else None


def runs_of(tess, folder):
    return json.loads(tess("runs", "--lab", "lab", "--json", cwd=folder).stdout)["runs"]


def test_points_are_timed_archived_and_made_once(tess, folder):
    refused, _ = sweep(tess, folder, code=3)
    assert "--allow-exec" in refused.stderr and not (folder / "lab/runs").exists()
    _, told = sweep(tess, folder, RECIPE, "--allow-exec")
    assert told["states"]["passed"] == 3
    runs = runs_of(tess, folder)
    assert {run["order"]: run["median_time"] for run in runs} == {"stored": 40, "levels": 2, "own": 30}
    assert {run["application"] for run in runs} == {"counter"} and {run["sweep"] for run in runs} == {"others"}
    _, again = sweep(tess, folder, RECIPE, "--allow-exec")
    assert again["states"]["done before"] == 3 and len(runs_of(tess, folder)) == 3


def test_its_runs_are_compared_plotted_and_reported(tess, folder):
    sweep(tess, folder, RECIPE, "--allow-exec")
    by_order = {run["order"]: run["run"] for run in runs_of(tess, folder)}
    compared = tess("compare", by_order["stored"], by_order["levels"], "--lab", "lab", cwd=folder).stdout
    assert " 0.05 " in compared and "order=levels" in compared
    drawn = json.loads(tess("plot", "time", "--lab", "lab", "--json", cwd=folder).stdout)
    assert all(order in json.dumps(drawn) for order in by_order)
    (verdict,) = json.loads(tess("report", "--lab", "lab", "--json", cwd=folder).stdout)["verdicts"]
    assert [row["name"] for row in verdict["rows"]][0].endswith("levels") and len(verdict["rows"]) == 3
    assert verdict["rows"][0]["home"] == "tess mesh reorder ./meshes/small.msh OUT -p levels\n"


def test_a_dry_run_prints_commands_that_can_be_typed(tess, folder):
    (folder / "others.yaml").write_text(RECIPE)
    lines = tess("sweep", "others.yaml", "--dry-run", cwd=folder).stdout.splitlines()
    assert len(lines) == 3 and lines[1].startswith("tess record ") and lines[1].endswith("-- sh -c 'python3 count.py {mesh} {order}'")
    assert "--mesh-order=levels" in lines[1] and "--samples=6" in lines[1] and "counter" in lines[1].split()


@pytest.mark.parametrize("program, words", [
    ("echo broken; exit 7", "sh ended with 7; it printed last:\nbroken"),
    ("echo no time", "prints no seconds that the pattern finds; it printed last:\nno time"),
    ("kill -9 $$", "sh was ended by signal 9"),
])
def test_a_command_that_fails_is_a_failed_run_with_its_output(tess, folder, program, words):
    recipe = RECIPE.replace("python3 count.py {mesh} {order}", f'"{program}; : {{mesh}}"').replace("[stored, levels, own]", "stored")
    recipe = recipe.replace("exit 7; :", "exit 7 #").replace("$$; :", "$$ #")
    done, told = sweep(tess, folder, recipe, "--allow-exec", code=1)
    assert told["states"]["failed"] == 1 and words in told["points"][0]["reason"] and words.split("\n")[-1] in done.stderr
    (run,) = runs_of(tess, folder)
    assert run["outcome"] == "failed" and "median_time" not in run


def test_a_program_that_is_not_here_is_skipped_with_its_reason(tess, folder):
    recipe = RECIPE.replace("python3 count.py", "no-such-solver").replace("[stored, levels, own]", "stored")
    done, told = sweep(tess, folder, recipe, "--allow-exec")
    assert told["states"]["skipped"] == 1 and "no-such-solver: not found" in told["points"][0]["reason"]
    assert "skipped: counter on small.msh, stored: 1 point" in done.stderr
    sweep(tess, folder, recipe, "--allow-exec", "--strict", code=1)
    assert not list((folder / "lab/runs").glob("*.hdf"))


@pytest.mark.parametrize("old, new, words", [
    ("host: counter", "application: airfoil", "one of the axes 'map'"),
    ("  host: counter\n", "", "the axis 'host' is missing"),
    ("  command: python3 count.py {mesh} {order}\n", "", "the axis 'map' (partitions are compared), 'application'"),
    ("samples: 6", "partitioner: rcb", "partitioner"),
    ("samples: 6", "samples: x", "samples"),
])
def test_a_recipe_that_cannot_be_is_refused(tess, folder, old, new, words):
    (folder / "others.yaml").write_text(RECIPE.replace(old, new))
    assert words in tess("sweep", "others.yaml", "--dry-run", cwd=folder, code=3).stderr
