"""`tess run --viz` and `tess march --viz` hand an application's solution over the blocks of runs."""

import json

import h5py
import numpy
import pytest


@pytest.fixture(scope="module")
def steps(tess, tmp_path_factory):
    """The folder of a march of airfoil, and the runs' JSON."""
    folder = tmp_path_factory.mktemp("march")
    done = tess("run", "airfoil", "--mesh", "quads:nx=24:ny=24", "--device", "host", "--samples", "1",
                "--partitioner", "rcb,hilbert", "--block-size", "64", "--lab", folder / "lab",
                "--json", "--steps", "5", "--catalyst-every", "2", "--viz", "hdf", "--viz-folder",
                folder / "viz")
    return folder, json.loads(done.stdout)["runs"]


def cells_at(folder, channel, step):
    with h5py.File(folder / f"viz/{channel}_{step:06d}.hdf") as file:
        return {name: array[:] for name, array in file["VTKHDF/CellData"].items()}


def test_each_run_is_a_channel_with_start_every_second_and_last_step(steps):
    folder, runs = steps
    assert len(runs) == 2
    for channel in ("rcb_64", "hilbert_64"):
        series = json.loads((folder / f"viz/{channel}.hdf.series").read_text())["files"]
        assert [step["time"] for step in series] == [0, 2, 4, 5]


def test_density_and_pressure_of_edges_are_the_means_of_their_cells(steps):
    folder, _ = steps
    mesh_file = next((folder / "lab/meshes").glob("*.hdf"))
    with h5py.File(mesh_file) as mesh:
        x, corners = mesh["coordinates"][:], mesh["maps/cells_nodes"][:]
        cells_of = mesh["maps/edges_cells"][:]
    # The start by its definition: the free stream and a pulse of 5 % in the middle (airfoil.c).
    low, high = x.min(0), x.max(0)
    distance = (x[corners].mean(1) - (low + high) / 2) / (0.1 * (high - low).max())
    density = 1 + 0.05 * numpy.exp(-(distance ** 2).sum(1))
    for channel in ("rcb_64", "hilbert_64"):
        cells = cells_at(folder, channel, 0)
        wanted = density[cells_of].mean(1)[cells["element"]]
        assert cells["density"] == pytest.approx(wanted, rel=1e-12)
        assert cells["pressure"].max() > 1.02


def test_the_solution_marches_and_is_the_same_over_any_blocks(steps):
    folder, _ = steps
    first, last = cells_at(folder, "rcb_64", 0), cells_at(folder, "rcb_64", 5)
    assert first["density"].max() > last["density"].max() > 1
    assert numpy.isfinite(last["pressure"]).all()
    other = cells_at(folder, "hilbert_64", 5)
    density, block = ([c[name][numpy.argsort(c["element"])] for c in (last, other)]
                      for name in ("density", "block"))
    assert (density[0] == density[1]).all()
    assert (block[0] != block[1]).any()


def test_a_march_on_a_device_shows_the_same_solution(tess, steps, tmp_path):
    tess("march", "--no-lab", "airfoil", "--mesh", "quads:nx=24:ny=24", "--partitioner", "rcb", "--block-size",
         "64", "--steps", "5", "--every", "5", "--viz", "hdf", "--viz-folder", tmp_path / "viz")
    shown, wanted = cells_at(tmp_path, "mesh", 5), cells_at(steps[0], "rcb_64", 5)
    by_element = [c["pressure"][numpy.argsort(c["element"])] for c in (shown, wanted)]
    assert by_element[0] == pytest.approx(by_element[1], rel=1e-12)
    assert "thread_colour" in shown


def test_applications_without_named_fields_show_their_dats(tess, tmp_path):
    tess("run", "lulesh", "--mesh", "hexes:nx=4:ny=4:nz=4", "--device", "host", "--samples", "1",
         "--no-lab", "--steps", "1", "--viz", "hdf", "--viz-folder", tmp_path / "viz")
    cells = cells_at(tmp_path, "mesh", 1)
    assert cells["pressure"].shape == (64,) and cells["u"].shape == (64, 3)


def test_a_kernel_of_ones_own_cannot_be_marched(tess, tmp_path):
    done = tess("run", "--kernel", "mine.h", "--loop", "mine.yaml", "--mesh", "quads", "--viz", "hdf",
                code=2)
    assert "no time steps" in done.stderr
