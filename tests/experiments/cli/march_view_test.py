"""tess view of marches and of chains: the blocks that number the mesh, or those of a chain with their rings."""

import json
import re
import shlex
import shutil

import h5py
import numpy
import pytest
from conftest import ROOT

NX, NY = 16, 12
MESH = f"quads:nx={NX}:ny={NY}"
PAGE = (ROOT / "docs" / "which-strategy.md").read_text()
PARAVIEW = shutil.which("pvpython") and shutil.which("Xvfb")
NO_PARAVIEW = "no pvpython (Debian: apt-get install --no-install-recommends python3-paraview xvfb)"


def viewed(tess, lab, run="@last"):
    (path,) = json.loads(tess("view", run, "--lab", lab, "--json").stdout)["views"]
    with h5py.File(path) as view:
        return path, {kind: {name: array[:] for name, array in view[f"VTKHDF/{kind}Data"].items()} for kind in ("Cell", "Field")}


def rings_by_hand(block):
    """The cells within two sides of each block's own, on the grid that the mesh is."""
    cells = numpy.arange(NX * NY).reshape(NY, NX)
    found = []
    for b in range(block.max() + 1):
        own = (block == b)[cells]
        wide = own.copy()
        for _ in range(2):
            grown = wide.copy()
            for there, here in ((numpy.s_[1:, :], numpy.s_[:-1, :]), (numpy.s_[:, 1:], numpy.s_[:, :-1])):
                grown[there] |= wide[here]
                grown[here] |= wide[there]
            wide = grown
        found.append(set(cells[wide & ~own]))
    return found


@pytest.mark.parametrize("what", [["march", "airfoil", "--steps", "1", "--chains", "auto:rings=2"],
                                  ["run", "airfoil", "--chain", "auto:rings=2"]])
@pytest.mark.parametrize("strategy", ["point-parallel", "atomics"])
def test_a_chain_is_seen_with_its_rings(tess, tmp_path, what, strategy):
    lab = tmp_path / "lab"
    tess(*what, "--mesh", MESH, "--device", "emulator", "--strategy", strategy, "--block-size", "32", "--lab", lab)
    path, view = viewed(tess, lab)
    cells, field = view["Cell"], view["Field"]
    assert path.endswith(".rcb.2-rings.hdf") and field["rings"][0] == b"2"
    assert (numpy.sort(cells["element"]) == numpy.arange(NX * NY)).all()
    block = numpy.empty(NX * NY, int)
    block[cells["element"]] = cells["block"]
    assert numpy.bincount(block).max() <= 32
    rings = rings_by_hand(block)
    begin = field["ring_begin"]
    assert [set(field["ring_element"][begin[b]:begin[b + 1]]) for b in range(len(rings))] == rings
    again = numpy.array([sum(cell in ring for ring in rings) for cell in cells["element"]])
    assert (cells["ring"] == again).all() and again.max() > 1
    assert (cells["ring_colour"] - cells["display_colour"] == 12 * (again > 0)).all()
    assert (cells["block_ring"] == numpy.array([len(ring) for ring in rings])[cells["block"]]).all()
    assert "0 defects" in tess("verify", "--lab", lab).stdout


def test_a_march_without_chains_is_seen_by_the_blocks_that_number_it(tess, tmp_path):
    lab = tmp_path / "lab"
    tess("march", "airfoil", "--mesh", MESH, "--steps", "1", "--block-size", "32", "--lab", lab)
    tess("run", "airfoil", "--mesh", MESH, "--device", "host", "--block-size", "32", "--samples", "0", "--lab", lab)
    assert viewed(tess, lab, "@last~1")[0] == viewed(tess, lab)[0], "a run of res_calc has the same blocks"
    assert "ring" not in viewed(tess, lab)[1]["Cell"]


def test_of_several_chains_the_longest_is_seen(tess, tmp_path):
    tess("march", "airfoil", "--mesh", MESH, "--steps", "1", "--chains", "auto", "--lab", tmp_path / "lab")
    path, view = viewed(tess, tmp_path / "lab")
    assert "res_calc+bres_calc+update+adt_calc" in path and view["Field"]["rings"][0] == b"0"
    assert not view["Cell"]["ring"].any() and (view["Cell"]["ring_colour"] == view["Cell"]["display_colour"]).all()


@pytest.mark.parametrize("change, words", [
    (("chain/points", 0, 1 << 20), "is another block's, or not there"), (("chain/points", 0, -7), "point 0 of the chain's blocks is -7"),
    (("chain/points", 0, 5), "is another block's"), (("chain/place", 1, 1 << 30), "place 1 of the chain's blocks is 1073741824")])
def test_damaged_blocks_are_named(tess, tmp_path, change, words):
    lab = tmp_path / "lab"
    tess("march", "airfoil", "--mesh", MESH, "--steps", "1", "--chains", "auto:rings=2", "--lab", lab)
    (run,) = (lab / "runs").iterdir()
    name, at, value = change
    with h5py.File(run, "r+") as file:
        file[name][at] = value
    assert words in tess("view", "@last", "--lab", lab, "--json", code=3).stderr


@pytest.mark.skipif(not PARAVIEW, reason=NO_PARAVIEW)
def test_rings_are_drawn(tess, tmp_path):
    tess("march", "airfoil", "--mesh", MESH, "--steps", "1", "--chains", "auto:rings=2", "--lab", "lab", cwd=tmp_path)
    pictures = {"whole": [], "hues": ["--colour", "display_colour"], "block": ["--block", "1"]}
    for name, more in pictures.items():
        tess("view", "@last", "--lab", "lab", *more, "--size", "300x200", "--png", f"{name}.png", cwd=tmp_path)
    assert len({(tmp_path / f"{name}.png").read_bytes() for name in pictures}) == 3


@pytest.mark.skipif(not PARAVIEW, reason=NO_PARAVIEW)
def test_chains_without_rings_are_drawn(tess, tmp_path):
    tess("march", "airfoil", "--mesh", MESH, "--steps", "1", "--chains", "auto", "--lab", "lab", cwd=tmp_path)
    tess("view", "@last", "--lab", "lab", "--size", "300x200", "--png", "blocks.png", cwd=tmp_path)
    assert (tmp_path / "blocks.png").stat().st_size > 2000


@pytest.mark.skipif(not PARAVIEW, reason=NO_PARAVIEW)
def test_the_walk_of_the_page(tess, tmp_path):
    """Tune a step, march it, look at it: typed as the page has it, but for a shorter search."""
    commands = re.findall(r"^\$ tess (.*?)(?: *#.*)?$", PAGE, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["tune", "march", "view"]
    for command in commands:
        tess(*shlex.split(command.replace("60s", "4s")), cwd=tmp_path)
    assert (tmp_path / "step.png").stat().st_size > 5000
    marched = json.loads(tess("show", "@last", "--lab", "lab", "--json", cwd=tmp_path).stdout)
    assert marched["configuration"]["loop"] == "step" and marched["configuration"]["steps"]["value"] == 100
