"""bench/corpus_meshes.py: what a seed draws, and that the rows of the gate are of its meshes."""

import json
import subprocess
import sys

import pytest
from conftest import ROOT

SCRIPT = ROOT / "bench/corpus_meshes.py"
OWN = [str(seed) for seed in range(20, 36)]  # whose meshes tess makes: Gmsh is not needed


def drawn(folder, *words):
    return subprocess.run([sys.executable, SCRIPT, folder, *words], check=True, capture_output=True, text=True).stdout


def test_the_rows_of_the_gate_are_those_that_their_seeds_draw(tmp_path):
    kept = [line for line in (ROOT / "bench/mosaic_rows.csv").read_text().splitlines()[1:] if not line.endswith(",known")]
    assert len(kept) == 162
    assert drawn(tmp_path, *map(str, range(0, 108, 2)), "--rows").splitlines() == kept
    assert not list(tmp_path.iterdir())


def test_neighbours_have_meshes_of_the_same_kind(tmp_path):
    names = drawn(tmp_path, *OWN).split()
    assert len(set(names)) == len(OWN)
    kinds = [name.split(":")[0] for name in names]
    assert kinds[::2] == kinds[1::2]
    assert len(set(kinds)) == 8


@pytest.mark.parametrize("seed, of_a_cell", [("32", 2), ("20", 3)])  # quads, hexes: sides a cell
def test_elements_are_as_many_as_promised(tess_bin, tmp_path, seed, of_a_cell):
    mesh = drawn(tmp_path, seed).strip()
    said = json.loads(subprocess.run([tess_bin, "mesh", "info", mesh, "--json"], check=True, capture_output=True,
                                     text=True).stdout)
    assert 20_000 <= said["sets"]["cells"] and of_a_cell * said["sets"]["cells"] <= 300_000
