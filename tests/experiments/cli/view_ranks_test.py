"""`tess view` of runs on ranks: who owns what and what others have a copy of, as files, pictures and on the page."""

import json
import shutil

import h5py
import numpy
import pytest


@pytest.fixture(scope="module")
def lab(tess, tmp_path_factory):
    """A march and a run on four ranks."""
    folder = tmp_path_factory.mktemp("ranks") / "lab"
    common = ["--mesh", "quads:nx=12:ny=12", "--device", "host", "--ranks", "4", "--lab", folder]
    tess("march", "airfoil", *common, "--steps", "1")
    tess("run", "airfoil", *common, "--samples", "0")
    return folder


@pytest.mark.parametrize("run", ["@last", "@last~1"])
def test_views_say_whose_cells_are_and_who_has_copies(tess, lab, run):
    [path] = json.loads(tess("view", run, "--lab", lab, "--json").stdout)["views"]
    record = json.loads(tess("show", run, "--lab", lab, "--json").stdout)
    with h5py.File(lab / "meshes" / (record['mesh_digest'] + ".hdf")) as mesh:
        sides = mesh["maps/edges_cells"][:]
    with h5py.File(path) as view:
        cells = {name: array[:] for name, array in view["VTKHDF/CellData"].items()}
        assert view["VTKHDF/FieldData/ranks"][0] == b"4" and view["VTKHDF/FieldData/run"][0].decode() == record["run"]
    loop = "step" if "~" in run else "res_calc"
    assert path.split("/")[-1] == f"quads-nx=12-ny=12.{loop}.rcb.4-ranks.hdf"
    assert (numpy.sort(cells["element"]) == numpy.arange(144)).all() and (cells["block"] == cells["rank"]).all()
    assert (numpy.bincount(cells["rank"]) == 36).all()
    rank = numpy.empty(144, int)
    rank[cells["element"]] = cells["rank"]
    # both ranks of an edge execute it, and so have a copy of the other's cell
    near = [set() for _ in rank]
    for a, b in sides:
        near[a].add(rank[b])
        near[b].add(rank[a])
    copies = numpy.array([len(near[e] - {rank[e]}) for e in cells["element"]])
    assert (cells["halo"] == copies).all() and copies.max() == 2 and (copies > 0).sum() == 44
    assert (cells["rank_colour"] - cells["display_colour"] == 12 * (copies > 0)).all()
    assert "0 defects" in tess("verify", "--lab", lab).stdout


def test_a_picture_of_ranks_is_rendered(tess, lab, tmp_path):
    if not shutil.which("pvpython") or not shutil.which("Xvfb"):
        pytest.skip("no pvpython (Debian: apt-get install --no-install-recommends python3-paraview xvfb)")
    for colour in ["rank", "halo"]:
        tess("view", "@last", "--lab", lab, "--colour", colour, "--png", tmp_path / f"{colour}.png")
    assert (tmp_path / "rank.png").stat().st_size > 5000
    assert (tmp_path / "rank.png").read_bytes() != (tmp_path / "halo.png").read_bytes()


def test_the_page_has_a_picture_of_ranks(tess, lab, tmp_path):
    tess("report", "--lab", lab, "--blocks", "@last", "-o", tmp_path / "page.html")
    assert "4 ranks of 144 cells, their halos darker" in (tmp_path / "page.html").read_text()


def test_a_damaged_rank_is_named(tess, lab, tmp_path):
    shutil.copytree(lab, tmp_path / "lab")
    run = max((tmp_path / "lab" / "runs").iterdir())
    shutil.rmtree(tmp_path / "lab" / "views")
    with h5py.File(run, "r+") as file:
        file["ranks/rank_of"][7] = 4
    words = tess("view", "@last", "--lab", tmp_path / "lab", "--json", code=3).stderr
    assert "/ranks/rank_of: element 7 is 4, not in [0, 4)" in words
