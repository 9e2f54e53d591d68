"""Recipes and descriptions of loops with random bytes changed, lost or doubled: always read or refused, with
the file's name, never a crash. TESS_MUTANTS says how many of each (default 60); with TESS_BIN the program of a
sanitized build."""

import os
import random
import subprocess

import pytest
from conftest import ROOT, limited
from mutants import mutant

N_MUTANTS = int(os.environ.get("TESS_MUTANTS", "60"))
EXAMPLE = ROOT / "docs" / "user_kernel"
RECIPE = b"""sweep: blocks
axes:
  mesh: ["tris:nx=10:ny=8", quads]
  map: edges:cells
  partitioner: [rcb, metis]
  block_size: [128, 256]
skip:
  - partitioner = metis and block_size > 128
subsets:
  small: {block_size: [128]}
repetitions: 2
"""
REFUSALS = (0, 1, 2, 3, 4)


def run(program, *arguments, cwd):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, errors="replace",
                          **limited(60), cwd=cwd)  # fmt: skip
    assert done.returncode in REFUSALS, done.stderr[-3000:]
    assert done.returncode == 0 or done.stderr, "a refusal says why"
    return done


def test_recipes(tess_bin, tmp_path):
    chance = random.Random("recipe")
    codes = set()
    for i in range(N_MUTANTS):
        path = tmp_path / "recipe.yaml"
        path.write_bytes(mutant(RECIPE, chance))
        codes.add(run(tess_bin, "sweep", path, "--dry-run", "--lab", tmp_path / "lab", cwd=tmp_path).returncode)
    assert codes >= {3}, "some mutants are refused"


def test_descriptions_of_loops(tess_bin, tmp_path, monkeypatch):
    monkeypatch.setenv("TESS_CACHE", str(tmp_path / "cache"))
    chance = random.Random("loop")
    codes = set()
    for i in range(N_MUTANTS):
        name, mesh = ("blend", "tris:nx=4:ny=3") if i % 2 else ("heat", "tets:nx=1:ny=1:nz=1")
        path = tmp_path / f"{name}.yaml"
        path.write_bytes(mutant((EXAMPLE / f"{name}.yaml").read_bytes(), chance))
        done = run(tess_bin, "run", "--kernel", EXAMPLE / f"{name}.h", "--loop", path, "--mesh", mesh,
                   "--no-lab", "--device", "host", "--samples", "0", cwd=tmp_path)  # fmt: skip
        codes.add(done.returncode)
    assert codes & {2, 3}, "some mutants are refused"


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null\n", "[]\n", "{}\n", "args: null\n"])
def test_empty_files(tess_bin, tmp_path, text):
    path = tmp_path / "empty.yaml"
    path.write_text(text)
    done = run(tess_bin, "run", "--kernel", EXAMPLE / "blend.h", "--loop", path, "--mesh", "tris:nx=4:ny=3",
               "--no-lab", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 3 and "empty.yaml" in done.stderr
    done = run(tess_bin, "sweep", path, "--dry-run", "--lab", tmp_path / "lab", cwd=tmp_path)
    assert done.returncode == 3 and "empty.yaml" in done.stderr
