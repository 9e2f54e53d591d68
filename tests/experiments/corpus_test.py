"""experiments/recipes/corpus_meshes.py: what a seed draws."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "experiments/recipes/corpus_meshes.py"
OWN = range(20, 36)  # seeds whose meshes tess makes: Gmsh is not needed


def drawn(folder, *words):
    return subprocess.run([sys.executable, SCRIPT, folder, *words], check=True, capture_output=True, text=True).stdout


def test_the_two_halves_have_meshes_of_the_same_kinds_and_share_none(tmp_path):
    work, held = (drawn(tmp_path, "20-35", "--half", half).split() for half in ("work", "held"))
    assert len(work) == len(held) == len(OWN) / 2
    assert [name.split(":")[0] for name in work] == [name.split(":")[0] for name in held]
    assert len({name.split(":")[0] for name in work}) == 8
    assert not set(work) & set(held)
    assert drawn(tmp_path, "20-35").split() == [name for pair in zip(work, held) for name in pair]  # again the same


def test_the_recipe_is_a_sweep_of_every_map_of_each_mesh(tess_bin, tmp_path):
    recipe = drawn(tmp_path, "32", "--recipe")
    (tmp_path / "corpus.yaml").write_text(recipe)
    maps = re.findall(r'map: "(.*?)"', recipe)
    assert maps == ["edges:cells", "cells:nodes", "edges:nodes"]
    n_partitioners = len(re.findall(r"^    - ", recipe, re.MULTILINE))
    done = subprocess.run([tess_bin, "sweep", "corpus.yaml", "--dry-run", "--lab", "none", "--json"],
                          check=True, capture_output=True, text=True, cwd=tmp_path)
    assert json.loads(done.stdout)["states"]["left"] == len(maps) * n_partitioners


def test_cells_are_as_many_as_promised(tess_bin, tmp_path):
    mesh = drawn(tmp_path, "32").strip()  # quads
    said = json.loads(subprocess.run([tess_bin, "mesh", "info", mesh, "--json"], check=True, capture_output=True,
                                     text=True).stdout)
    assert 20_000 <= 2 * said["sets"]["cells"] <= 300_000  # two edges a cell
