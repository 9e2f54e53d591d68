"""The emulator's counters against what the plan and the layout alone say, counted here again."""

import json

import h5py
import numpy
import pytest

WARP, SECTOR, INDEX_BYTES, STRIDE = 32, 32, 4, 32


@pytest.fixture(autouse=True)
def environment(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("TESS_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")


@pytest.fixture
def counted(tess, tmp_path):
    """Runs airfoil's flux by a strategy: its report, and its plan's and mesh's files."""

    def run(mesh, strategy, *options):
        done = tess("run", "airfoil", "--mesh", mesh, "--strategy", strategy, "--block-size", "64",
                    "--lab", "lab", "--no-view", "--json", *options, cwd=tmp_path)
        (report,) = json.loads(done.stdout)["runs"]
        assert report["check"] == "passed"
        (plan,), (mesh_file,) = (tmp_path / "lab/plans").iterdir(), (tmp_path / "lab/meshes").iterdir()
        return report, plan, mesh_file

    return run


def padded(n):
    """A column of SoA is padded to whole sectors of the smallest type."""
    return (n + STRIDE - 1) // STRIDE * STRIDE


def warps(values):
    return [values[i : i + WARP] for i in range(0, len(values), WARP)]


def sectors(addresses, size):
    """Distinct sectors of each warp-level access of `size` bytes at addresses [threads], summed."""
    return sum(len(numpy.unique(warp * size // SECTOR)) for warp in warps(addresses))


def places(points, dim, d, n, layout):
    return points * dim + d if layout == "aos" else d * padded(n) + points


class Loop:
    """airfoil's edges in the order of the plan, with the places of their points in memory."""

    def __init__(self, plan_path, mesh_path):
        with h5py.File(plan_path) as plan, h5py.File(mesh_path) as mesh:
            self.executed = plan["plan/executed"][...]
            self.n = {}
            self.points = {}
            for name in ("nodes", "cells"):
                new_to_old = plan[f"renumber/{name}"][...]
                old_to_new = numpy.empty_like(new_to_old)
                old_to_new[new_to_old] = numpy.arange(len(new_to_old))
                self.n[name] = len(new_to_old)
                self.points[name] = old_to_new[mesh[f"maps/edges_{name}"][...][self.executed]]
            self.thread_colours = plan["blocks/thread_colours"][...]

    def value_sectors(self, name, dim, layout, size):
        return sum(sectors(places(self.points[name][:, slot], dim, d, self.n[name], layout), size)
                   for slot in (0, 1) for d in range(dim))

    def index_sectors(self):
        threads = numpy.arange(len(self.executed))
        return sum(sectors(slot * padded(len(threads)) + threads, INDEX_BYTES)
                   for name in ("nodes", "cells") for slot in (0, 1))


@pytest.mark.parametrize("mesh", ["tris:nx=12:ny=10", "quads:nx=9:ny=13:shuffle=2"])
@pytest.mark.parametrize("layout", ["soa", "aos"])
@pytest.mark.parametrize("precision, size", [("double", 8), ("float", 4)])
def test_atomics_touch_the_sectors_that_the_plan_says(counted, mesh, layout, precision, size):
    report, *files = counted(mesh, "atomics", "--layout", layout, "--precision", precision)
    loop = Loop(*files)
    n = len(loop.executed)
    reads = [("nodes", 2), ("cells", 4), ("cells", 1)]  # x, q, adt
    assert report["read_sectors"] == loop.index_sectors() + sum(
        loop.value_sectors(name, dim, layout, size) for name, dim in reads)
    assert report["atomic_sectors"] == loop.value_sectors("cells", 4, layout, size)
    assert report["atomics"] == n * 2 * 4
    assert report["write_sectors"] == report["barriers"] == report["shared_wavefronts"] == 0
    assert report["warp_efficiency"] == pytest.approx(n / (WARP * len(warps(loop.executed))))


@pytest.mark.parametrize("partitioner", ["natural", "rcb", "metis"])
def test_barriers_are_one_a_colour_and_one_before(counted, partitioner):
    report, *files = counted("tris:nx=12:ny=10", "block-colour", "--partitioner", partitioner)
    loop = Loop(*files)
    assert report["barriers"] == loop.thread_colours.sum() + len(loop.thread_colours)


def test_two_step_reads_and_writes_what_atomics_add(counted):
    report, *files = counted("quads:nx=9:ny=13", "two-step", "--layout", "soa")
    assert report["atomic_sectors"] == report["atomics"] == 0
    n = len(Loop(*files).executed)
    # every increment is stored once, in whole sectors: 2 x 4 doubles an edge, then the cells' 4
    temporary, cells = 2 * 4 * n * 8 // SECTOR, 4 * 9 * 13 * 8 // SECTOR
    assert temporary + cells <= report["write_sectors"] <= 1.1 * (temporary + cells) + 8
