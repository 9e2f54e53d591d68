"""tess march: all loops of an application, on the host and on the emulator the same."""

import csv
import json
import math

import h5py
import pytest


def rows(tess, *arguments):
    return json.loads(tess("march", "--no-lab", *arguments, "--json").stdout)["rows"]


def test_the_emulator_marches_as_the_host_does(tess):
    common = ["airfoil", "--mesh", "quads:nx=20:ny=12", "--steps", "3", "--every", "1"]
    host = rows(tess, *common, "--strategy", "sequential")
    for strategy in ["atomics", "halo-atomics", "point-parallel"]:
        emulated = rows(tess, *common, "--device", "emulator", "--strategy", strategy)
        assert [row["rms"] for row in emulated] == pytest.approx([row["rms"] for row in host], rel=1e-9)


def test_copies_of_threads_leave_out_what_another_loop_changes(tess):
    """airfoil's last loop reads the time steps of its cells, which another loop has changed."""
    common = ["airfoil", "--mesh", "quads:nx=20:ny=12", "--steps", "7", "--every", "3"]
    want = rows(tess, *common, "--strategy", "sequential")
    for threads in [1, 3]:
        copies = rows(tess, *common, "--device", f"host:threads={threads}", "--strategy", "openmp:copies=private")
        assert [(row["step"], row["rms"]) for row in copies] == [
            (row["step"], pytest.approx(row["rms"], rel=1e-9)) for row in want]


def test_the_pulse_leaves_and_the_residual_falls(tess):
    gains = rows(tess, "airfoil", "--mesh", "quads:nx=40:ny=30", "--steps", "400", "--every", "100",
                 "--strategy", "sequential")
    assert gains[-1]["rms"] < 0.2 * gains[0]["rms"]


def test_the_residual_of_a_settled_flow_is_not_lost_beside_what_it_was(tess):
    gains = [row["rms"] for row in rows(tess, "airfoil", "--mesh", "quads:nx=8:ny=6", "--steps", "800",
                                        "--every", "100", "--strategy", "sequential")]
    assert gains[0] > 1e-6 and 0 < gains[-1] < 1e-27
    once = rows(tess, "airfoil", "--mesh", "quads:nx=8:ny=6", "--steps", "200", "--strategy", "sequential",
                "--every", "200")
    assert once[0]["rms"] == pytest.approx((gains[0] + gains[1]) / 2, rel=1e-9), "a row is a mean of its steps"


def test_a_flow_around_a_wing_is_the_same_on_the_emulator_and_settles(tess):
    wing = "layers:base=wing:nx=24:ny=4:prisms=4:tets=3:stretch=20:height=2:order=rcm"
    settling = rows(tess, "fun3d", "--mesh", wing, "--steps", "240", "--every", "40", "--strategy", "sequential")
    assert settling[-1]["residual"] < 0.05 * settling[0]["residual"]
    small = "layers:base=wing:nx=12:ny=3:prisms=3:tets=3"
    settling = rows(tess, "fun3d", "--mesh", small, "--steps", "2500", "--every", "250", "--strategy", "sequential")
    assert settling[-1]["residual"] < 1e-8 * settling[0]["residual"], "squares: the residual falls by four orders"
    host = rows(tess, "fun3d", "--mesh", wing, "--steps", "2", "--every", "2", "--strategy", "sequential")
    emulated = rows(tess, "fun3d", "--mesh", wing, "--steps", "2", "--device", "emulator", "--every", "2",
                    "--strategy", "atomics:aggregate=sorted+no:transpose=no+shared")
    assert emulated[0]["residual"] == pytest.approx(host[0]["residual"], rel=1e-9)


@pytest.mark.parametrize("mesh,loop,lacking", [("tets:nx=3:ny=3:nz=3", "visrhs_prisms", "prisms"),
                                               ("prisms:nx=3:ny=3:nz=3", "visrhs_tets", "tets")])
def test_a_loop_over_what_a_mesh_lacks_is_left_out_and_said(tess, mesh, loop, lacking):
    done = tess("march", "--no-lab", "fun3d", "--mesh", mesh, "--steps", "2")
    assert f"{loop} is left out: {mesh} has no {lacking}" in done.stderr
    assert lacking not in tess("march", "--no-lab", "fun3d", "--mesh", mesh, "--steps", "2", "--quiet").stderr
    refused = tess("run", "fun3d", "--loop", loop, "--mesh", mesh, code=3).stderr
    assert f"loop {loop} is over {lacking}, which {mesh} lacks" in refused


def test_fun3d_refuses_other_cells(tess):
    assert "fun3d runs on tets and prisms; hexes:nx=3:ny=3:nz=3 has hexes (27)" in tess(
        "march", "--no-lab", "fun3d", "--mesh", "hexes:nx=3:ny=3:nz=3", code=3).stderr


def test_a_state_beyond_all_numbers_is_warned_of(tess, tmp_path):
    """Cells that are 100,000 times as long as high are too flat for volna's step."""
    n = 9
    cells = [f"9 {j * n + i} {j * n + i + 1} {j * n + n + i + 1} {j * n + n + i}" for j in range(n - 1) for i in range(n - 1)]
    nodes = [f"{i} {1e-5 * j}" for j in range(n) for i in range(n)]
    (tmp_path / "flat.su2").write_text("\n".join(["NDIME= 2", f"NELEM= {len(cells)}", *cells, f"NPOIN= {len(nodes)}", *nodes, ""]))
    flat = tess("march", "volna", "--mesh", tmp_path / "flat.su2", "--steps", 60, "--every", 20, "--no-lab")
    assert "tess: warning: volume is no number from step 20 on: " in flat.stderr and "-nan" not in flat.stdout and flat.stdout.count(" nan\n") == 3
    assert "no number" not in tess("march", "volna", "--mesh", "quads:nx=8:ny=8", "--steps", 60, "--no-lab").stderr


def test_an_unknown_application_is_refused(tess):
    assert "airfoil" in tess("march", "--no-lab", "airfol", "--mesh", "quads:nx=4:ny=4", code=2).stderr


def test_a_machine_that_is_not_there_is_told_before_the_march(tess):
    done = tess("march", "--no-lab", "airfoil", "--mesh", "quads:nx=4:ny=4", "--machine", "h20", code=2)
    assert "there is no machine file 'h20'" in done.stderr and not done.stdout


def surface(tess, folder, mesh, *arguments):
    """The lines of --surface: dicts of numbers, with the place turned by `turn` degrees."""
    tess("march", "--no-lab", "airfoil", "--mesh", mesh, "--strategy", "sequential", "--surface", "wall.csv",
         *arguments, cwd=folder)
    with open(folder / "wall.csv") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def turned(degrees, x, y):
    angle = math.radians(degrees)
    return math.cos(angle) * x - math.sin(angle) * y, math.sin(angle) * x + math.cos(angle) * y


def force(rows):
    """What the pressure coefficient pushes with, along and across airfoil's stream (3 degrees)."""
    push = [sum(row["pressure_coefficient"] * row[key] for row in rows) for key in ("normal_x", "normal_y")]
    return turned(-3, *push)


def test_drag_is_of_the_scheme_and_goes_with_the_grid(tess, tmp_path):
    drags = []
    for grid, steps in [("i=20:j=30", "1200"), ("i=40:j=60", "2000")]:
        drag, _ = force(surface(tess, tmp_path, f"airfoil:{grid}:turn=3", "--steps", steps))
        drags.append(drag)
    assert 0 < drags[1] < 0.7 * drags[0]


def test_a_profile_in_line_with_the_stream_has_no_lift(tess, tmp_path):
    rows = surface(tess, tmp_path, "airfoil:i=20:j=30:turn=3", "--steps", "1500")
    assert len(rows) == 20
    upper, lower = {}, {}
    for row in rows:
        x, y = turned(-3, row["x"], row["y"])
        (upper if y > 0 else lower)[round(x, 9)] = row["pressure_coefficient"]
    assert sorted(upper) == sorted(lower)
    for x, coefficient in upper.items():
        assert coefficient == pytest.approx(lower[x], abs=1e-6)
    assert max(upper, key=upper.get) == min(upper), "the stream stops at the nose"
    assert min(upper.values()) < -0.2, "and is faster beside it"
    drag, lift = force(rows)
    assert abs(lift) < 1e-6 and 0 < drag < 0.15, "coarse: its drag is of the scheme"


def test_a_profile_at_an_angle_has_the_lift_of_theory(tess, tmp_path):
    rows = surface(tess, tmp_path, "airfoil:i=20:j=30", "--steps", "1500")
    drag, lift = force(rows)
    # a thin aerofoil at 3 degrees and Mach 0.4, by Glauert and Prandtl
    assert lift == pytest.approx(2 * math.pi * math.radians(3) / math.sqrt(1 - 0.4**2), rel=0.05)
    lowest = min(rows, key=lambda row: row["pressure_coefficient"])
    highest = max(rows, key=lambda row: row["pressure_coefficient"])
    assert lowest["y"] > 0 and lowest["x"] < 0.3, "suction on the upper side, towards the nose"
    assert highest["y"] < 0 and highest["x"] < 0.05, "the stream stops under the nose"
    for row in rows:
        assert row["pressure_coefficient"] == pytest.approx((row["pressure"] - 1) / (0.7 * 0.4**2), rel=1e-4)
    assert sum(row["normal_x"] for row in rows) == pytest.approx(0, abs=1e-12), "the profile is closed"


def test_a_surface_needs_walls(tess, tmp_path):
    few = ["--steps", "1", "--surface", "wall.csv"]
    assert "volna" in tess("march", "--no-lab", "volna", "--mesh", "quads:nx=4:ny=4", *few, code=2, cwd=tmp_path).stderr
    done = tess("march", "--no-lab", "airfoil", "--mesh", "quads:nx=4:ny=4", *few, code=3, cwd=tmp_path)
    assert "has no walls" in done.stderr
    done = tess("march", "--no-lab", "airfoil", "--mesh", "airfoil:i=4:j=4", "--steps", "1", "--surface", "no/wall.csv",
                code=1, cwd=tmp_path)
    assert "no/wall.csv" in done.stderr


@pytest.mark.parametrize("options, rows, shown", [
    (("--every", "5", "--catalyst-every", "10"), [5, 10, 15, 20], [0, 10, 20]),
    (("--every", "10", "--catalyst-every", "4"), [10, 20], [0, 4, 8, 12, 16, 20]),
    (("--every", "8"), [8, 16, 20], [0, 8, 16, 20]),
    ((), list(range(2, 21, 2)), list(range(0, 21, 2))),
])
def test_rows_and_pictures_have_steps_of_their_own(tess, tmp_path, options, rows, shown):
    arguments = ("march", "--no-lab", "airfoil", "--mesh", "quads:nx=8:ny=8", "--steps", "20", "--device", "emulator", "--json")
    done = tess(*arguments, *options, "--viz", "hdf", cwd=tmp_path)
    report = json.loads(done.stdout)["rows"]
    assert [row["step"] for row in report] == rows
    assert sorted(int(path.stem.split("_")[1]) for path in (tmp_path / "tess-viz").glob("mesh_*.hdf")) == shown
    assert "files go to tess-viz" in done.stderr
    # what the sums gain does not depend on who looks
    plain = json.loads(tess(*arguments, *(options[:2]), cwd=tmp_path).stdout)["rows"]
    assert [row["rms"] for row in report] == pytest.approx([row["rms"] for row in plain])


def test_what_is_shown_has_the_time_of_the_application(tess, tmp_path):
    """A step moves the nodes by dt times their new velocity; airfoil's steps are local, so its times are their numbers."""
    tess("march", "--no-lab", "bookleaf", "--mesh", "quads:nx=6:ny=5", "--precision", "double", "--steps", "4", "--every", "1",
         "--strategy", "sequential", "--viz", "hdf", "--viz-folder", tmp_path / "own")
    series = json.loads((tmp_path / "own/mesh.hdf.series").read_text())["files"]
    times = [file["time"] for file in series]
    cells = []
    for file in series:
        with h5py.File(tmp_path / "own" / file["name"]) as opened:
            cells.append({name: opened["VTKHDF/CellData"][name][:] for name in ("x", "u")})
    for before, after, begin, end in zip(cells, cells[1:], times, times[1:]):
        # means over the corners of a cell, as both are
        assert after["x"] - before["x"] == pytest.approx((end - begin) * after["u"], rel=1e-9, abs=1e-15)
    assert times[0] == 0 and 0 < times[1] < 1
    tess("march", "--no-lab", "airfoil", "--mesh", "quads:nx=6:ny=5", "--steps", "2", "--viz", "hdf", "--viz-folder", tmp_path / "steps")
    series = json.loads((tmp_path / "steps/mesh.hdf.series").read_text())["files"]
    assert [file["time"] for file in series] == [0, 1, 2]


@pytest.mark.parametrize("strategy", ["halo-atomics", "point-parallel:stage=none"])
def test_the_strategy_that_was_typed_is_named_where_it_is_not_for_the_device(tess, strategy):
    done = tess("march", "airfoil", "--mesh", "quads:nx=9:ny=9", "--strategy", strategy, "--device", "host", "--no-lab", code=2)
    assert f"strategy {strategy.partition(':')[0]} runs on GPUs and the emulator; this is device host" in done.stderr
    assert "--device emulator, or cuda" in done.stderr and "save_soln" not in done.stderr
