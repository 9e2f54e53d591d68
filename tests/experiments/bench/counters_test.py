"""The emulator's counters against what the plan and the layout alone say, counted here again."""

import json
import shutil

import h5py
import numpy
import pytest

pytestmark = pytest.mark.usefixtures("counting_cc")
WARP, SECTOR, INDEX_BYTES, STRIDE = 32, 32, 4, 32


@pytest.fixture
def counted(tess, tmp_path):
    """Runs a loop of airfoil by a strategy: its report, its plan's file and its mesh's."""

    def run(mesh, strategy, *options):
        lab = tmp_path / f"lab{len(list(tmp_path.iterdir()))}"
        done = tess("run", "airfoil", "--mesh", mesh, "--strategy", strategy, "--block-size", "64",
                    "--lab", lab, "--no-view", "--json", *options, cwd=tmp_path)
        (report,) = json.loads(done.stdout)["runs"]
        assert report["check"] == "passed"
        return report, *(lab / "plans").iterdir(), *(lab / "meshes").iterdir()

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


def test_a_global_sum_is_one_atomic_a_block(counted):
    report, *_ = counted("quads:nx=19:ny=13", "atomics", "--loop", "update", "--threads", "96")
    n_blocks = -(-19 * 13 // 96)
    assert report["atomics"] == report["atomic_sectors"] == report["barriers"] == n_blocks


@pytest.mark.parametrize("partitioner", ["file-order", "rcb", "metis"])
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


def test_point_parallel_has_half_as_many_threads_as_points(counted):
    def steps(*options):
        return counted("quads:nx=16:ny=12", "point-parallel", *options)[0]["thread_steps"]

    assert steps() == steps("--threads", "32") < steps("--threads", "64")


@pytest.mark.parametrize("strategy, order", [("point-parallel", "owner"), ("halo-atomics", "blocks")])
def test_data_lie_in_the_order_that_the_strategy_likes(counted, strategy, order):
    def sectors(*options):
        report, *_ = counted("quads:nx=40:ny=30:shuffle=1", strategy, *options)
        return report["read_sectors"], report["write_sectors"]

    by_order = {name: sectors("--renumber", name) for name in ("none", "blocks", "owner")}
    assert len(set(by_order.values())) == 3
    assert sectors() == by_order[order]


@pytest.mark.parametrize("n", [39, 41, 43])
def test_sizes_that_are_no_multiple_of_a_sector_move_no_more(counted, n):
    """The block of another size comes last, so all others begin where a sector does."""
    options = ("--partitioner", "mosaic", "--renumber", "owner", "--layout", "soa")
    even, *_ = counted("quads:nx=40:ny=40", "point-parallel", *options)
    odd, *_ = counted(f"quads:nx={n}:ny={n}", "point-parallel", *options)
    assert odd["write_sectors"] <= even["write_sectors"] * n * n / 1600 * 1.01
    assert odd["read_sectors"] <= even["read_sectors"] * n * n / 1600 * 1.05


def test_lanes_of_a_cell_read_what_an_h200_reads(tess, tmp_path):
    """Counted on one (docs/results/emulator.md): values that lanes load in several turns, of which some have one less."""
    done = tess("run", "fun3d", "--loop", "visrhs_prisms", "--strategy", "tiles:transpose=shuffles,tiles:by=edges", "--mesh",
                "layers:base=irregular:nx=16:ny=16:prisms=8:tets=6:order=rcm", "--partitioner", "file-order", "--renumber", "none",
                "--block-size", "64", "--layout", "aos", "--device", "emulator:check=no", "--no-lab", "--json", cwd=tmp_path)
    counted = [(run["read_sectors"], run["atomic_sectors"]) for run in json.loads(done.stdout)["runs"]]
    assert counted == [(103657, 40587), (111849, 154136)]


@pytest.mark.skipif(not shutil.which("clang"), reason="there is no clang")
def test_reads_count_whatever_compiler_makes_the_page(tess, tmp_path, monkeypatch):
    """Clang drops a call that it takes for a look at memory whose value it knows."""

    def counted():
        done = tess("run", "airfoil", "--mesh", "quads:nx=20:ny=20", "--strategy", "atomics", "--layout", "aos,soa", "--no-lab",
                    "--json", cwd=tmp_path)
        return [run["read_sectors"] for run in json.loads(done.stdout)["runs"]]

    sectors = counted()
    monkeypatch.setenv("CC", "clang")
    assert counted() == sectors and min(sectors) > 0


def test_a_loop_that_has_run_before_finds_its_data_in_the_l2(tess):
    """Counted warm, a small loop asks memory for nothing; counted first, for all that it touches."""
    words = ("run", "airfoil", "--mesh", "quads:nx=20:ny=15", "--strategy", "block-colour", "--no-lab", "--json", "--device")
    cold, warm = (json.loads(tess(*words, f"emulator:caches=h100{more}").stdout)["runs"][0] for more in ("", ":profiled=warm"))
    assert cold["dram_read_bytes"] > 0 and warm["dram_read_bytes"] == 0 and warm["dram_write_bytes"] == 0
    same = ("check", "read_sectors", "write_sectors", "l2_read_sectors", "l2_write_sectors", "barriers", "launches")
    assert [warm[name] for name in same] == [cold[name] for name in same] and warm["check"] == "passed"


def test_ranks_are_not_counted_warm(tess):
    done = tess("run", "airfoil", "--mesh", "quads:nx=20:ny=15", "--ranks", "2", "--no-lab", "--device", "emulator:caches=h100:profiled=warm", code=1)
    assert "emulator:profiled=warm counts what one rank does: leave it or --ranks out" in done.stderr
