"""Files of settings with random bytes changed, lost or doubled, or other values in some places: always read or refused, with
the file's name, never a crash. TESS_MUTANTS says how many of each (default 60); with TESS_BIN the program of a
sanitized build."""

import json
import os
import random
import re
import subprocess

import pytest
import yaml
from conftest import ROOT, limited
from mutants import changed_tree, mutant

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
  small: {axes: {block_size: [128]}}
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
    assert codes >= {0, 3}, "some mutants are refused, and some not"


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


LOOP = ("--kernel", EXAMPLE / "blend.h", "--mesh", "tris:nx=4:ny=3")
READS = {  # what reads a file of settings, in the words before its path
    "loop": ("bound", *LOOP, "--loop"),
    "step": ("bound", "--mesh", "tris:nx=4:ny=3", "--kernel"),
    "recipe": ("sweep", "--dry-run"),
    "gate": ("gate",),
    "settings": ("march", "airfoil", "--mesh", "airfoil:i=2:j=3", "--no-lab", "--settings"),
    "machine": ("machine", "check"),
    "fit": ("predict", "airfoil", "--mesh", "airfoil:i=2:j=3", "--no-lab", "--using"),
    "marches": ("ranks", "--against"),
    "points": ("predict", "--evaluate"),
    "import": ("import",),
}


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null\n", "[]\n", "{}\n", "- x\n", "a: null\n", "args: null\n"])
@pytest.mark.parametrize("reads", READS)
def test_files_with_nothing_that_is_asked_for(tess_bin, tmp_path, reads, text):
    path = tmp_path / "empty.yaml"
    path.write_text(text)
    done = run(tess_bin, *READS[reads], path, cwd=tmp_path)
    assert done.returncode == 3 and "empty.yaml" in done.stderr


@pytest.mark.parametrize("character", ["\\0", "\\e", "\\x7f", "\\a"])
def test_no_text_has_what_a_terminal_obeys(tess_bin, tmp_path, character):
    """The commands of a dry run are printed as they are, for a shell."""
    path = tmp_path / "r.yaml"
    path.write_bytes(RECIPE.replace(b"quads", f'"quads:nx=4{character}"'.encode()))
    done = run(tess_bin, "sweep", path, "--dry-run", cwd=tmp_path)
    assert done.returncode == 3 and "r.yaml:3:29: a control character inside a text" in done.stderr and not done.stdout


MARCHES = """marches:
- {application: airfoil, mesh: "airfoil:i=6:j=6", halo: redundant, rank_partitioner: hilbert, chains: "auto:rings=2",
   steps: {1: 3.0e-4, 2: 2.0e-4, 4: 1.0e-4}, exposed: {2: 1.6e-06, 4: 1.3e-06}}
- {application: volna, mesh: "tris:nx=6:ny=6", halo: partial-sums, rank_partitioner: rcb, steps: {1: 9.0e-5, 2: 6.0e-5}}
"""
SETTINGS = """application: airfoil
layout: soa
renumber: owner
numbered_by: res_calc
chains: none
loops:
  res_calc: {strategy: sequential, partitioner: rcb, block_size: 128}
  update: {strategy: openmp, block_size: 128}
"""
MACHINES = ROOT / "experiments/model/machines"


def points():
    """Some of those that were timed on an H200, as if of a small mesh, for some must be counted again."""
    told = json.loads((ROOT / "docs/results/h200_features.json").read_text())
    return json.dumps({**told, "runs": [{**run, "mesh": "tris:nx=9:ny=9:shuffle=1"} for run in told["runs"][:5]]})


TREES = {
    "loop": (EXAMPLE / "blend.yaml").read_text,
    "step": lambda: (EXAMPLE / "diffusion.yaml").read_text() + f"header: {EXAMPLE}/diffusion.h\n",
    "recipe": RECIPE.decode,
    "settings": lambda: SETTINGS,
    "machine": (MACHINES / "h200.yaml").read_text,
    "fit": (MACHINES / "h200.fit.yaml").read_text,
    "marches": lambda: MARCHES,
    "points": points,
}


@pytest.mark.parametrize("reads", TREES)
def test_changed_trees(tess_bin, tmp_path, reads):
    """Other values in some places of a good file: it is read, or refused by its name, never for how the command is used."""
    chance, codes = random.Random(reads), set()
    tree = yaml.safe_load(TREES[reads]())
    options = {"settings": ("--steps", 1), "fit": ("--registers", "assumed", "-p", "rcb", "-s", "atomics"), "points": ("--using", "h200")}
    for i in range(N_MUTANTS + 1):
        changed = changed_tree(tree, chance) if i else tree
        (tmp_path / "tree.yaml").write_text(json.dumps(changed) if reads == "points" else yaml.dump(changed, sort_keys=False, allow_unicode=True))
        done = run(tess_bin, *READS[reads], "tree.yaml", *options.get(reads, ()), cwd=tmp_path)
        assert done.returncode in (0, 3) and (i or done.returncode == 0), (changed, done.stderr)
        assert done.returncode == 0 or re.search(r"\b(tree|blend|diffusion)\.(yaml|h)\b", done.stderr), (changed, done.stderr)
        codes.add(done.returncode)
    assert codes == {0, 3}, "some are refused, and some not"


@pytest.mark.parametrize("word", ["[", "{", "- ", "? "])
def test_what_lies_deep_is_not_searched_again_and_again(tess_bin, tmp_path, word):
    (tmp_path / "deep.yaml").write_text(word * 300_000)
    done = run(tess_bin, "sweep", "deep.yaml", "--dry-run", cwd=tmp_path)
    assert done.returncode == 3 and "deep.yaml:1:" in done.stderr
    assert ("1000 brackets in one another" in done.stderr) == (word in "[{")


@pytest.mark.parametrize("reads", READS)
def test_what_might_never_end_is_no_file(tess_bin, tmp_path, reads):
    os.mkfifo(tmp_path / "pipe.yaml")
    os.symlink("/dev/zero", tmp_path / "device.yaml")
    for name in "pipe.yaml", "device.yaml":
        done = run(tess_bin, *READS[reads], name, cwd=tmp_path)
        assert done.returncode == 3 and f"{name}: is a pipe, socket or device, not a file" in done.stderr
    done = run(tess_bin, *READS[reads], "none.yaml", cwd=tmp_path)
    assert done.returncode in (2, 3) and "none.yaml" in done.stderr
