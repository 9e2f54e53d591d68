"""Loops that only gather: what partitioners and orders are worth there, in the emulator's counters (cut and border
themselves: recompute_test.py)."""

import csv
import lzma
import pathlib

import pytest

pytestmark = pytest.mark.usefixtures("counting_cc")
SHARED = pathlib.Path(__file__).resolve().parents[4] / "shared/meshes"


@pytest.fixture
def archived(tess, tmp_path):
    """Runs fv by some partitioners: their runs by name, as rows of the lab's table."""

    def run(mesh, partitioners, *options):
        tess("run", "fv", "--mesh", mesh, "--partitioner", partitioners, "--strategy", "atomics", "--block-size", "128",
             "--no-view", "--lab", tmp_path, *options, seconds=600)  # fmt: skip
        columns = "partitioner,outcome,cut,read_sectors,write_sectors"
        rows = list(csv.DictReader(tess("runs", "--lab", tmp_path, "--csv", "-c", columns).stdout.splitlines()))
        assert all(row["outcome"] == "passed" for row in rows)
        numbers = ("cut", "read_sectors", "write_sectors")
        return {row["partitioner"]: {name: float(row[name]) for name in numbers} for row in rows}

    return run


def test_writes_are_whole_sectors_whoever_cuts(archived):
    """Values of 8 bytes, four a sector, are written in the order in which cells are executed."""
    found = archived("tets:nx=5:ny=5:nz=21:shuffle=1", "file-order,random,rcb,hilbert,gps,rcm,metis,scotch,mosaic")
    assert {name: run["write_sectors"] for name, run in found.items()} == dict.fromkeys(found, -(-6 * 5 * 5 * 21 // 4))
    assert len(found) == 9


def test_cuts_of_shuffled_tets(archived):
    """47,616 pairs of neighbours, of which METIS on their graph, called by itself, cut 7,751."""
    metis = ["metis", "metis:l=1.03", "metis:method=recursive"]
    found = archived("tets:nx=16:ny=16:nz=16:shuffle=1", ",".join([*metis, "mosaic", "rcb"]))
    assert all(found[name]["cut"] <= 8200 for name in metis)
    assert all(found["mosaic"]["cut"] <= found[name]["cut"] for name in [*metis, "rcb"])
    assert all(run["read_sectors"] <= 4.5 * 24576 for run in found.values())


@pytest.mark.parametrize("mesh", ["irregular:nx=80:ny=80:shuffle=1",  # coordinates make the cut
                                  "tris:nx=60:ny=50:periodic=xy",  # the map does
                                  "tets:nx=12:ny=18:nz=12:periodic=xyz"])  # fmt: skip
def test_mosaic_cuts_fewer_pairs(archived, mesh):
    found = archived(mesh, "metis,metis:method=recursive,mosaic")
    assert found["mosaic"]["cut"] <= 0.98 * min(found[name]["cut"] for name in ("metis", "metis:method=recursive"))


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="no ../shared/meshes beside the checkout")
def test_cuts_of_a_real_mesh(archived, tmp_path_factory):
    """633,014 pairs of neighbours; METIS on their graph, called by itself, cut 100,866."""
    mesh = tmp_path_factory.mktemp("mesh") / "dlr_f6_tets.msh"
    mesh.write_bytes(lzma.decompress((SHARED / "dlr_f6_tets.msh.xz").read_bytes()))
    found = archived(mesh, "metis,mosaic")
    assert found["metis"]["cut"] <= 104_000
    assert found["mosaic"]["cut"] <= found["metis"]["cut"]
    assert all(run["read_sectors"] <= 4.35 * 329_065 for run in found.values())
    assert all(run["write_sectors"] == -(-329_065 // 4) for run in found.values())
