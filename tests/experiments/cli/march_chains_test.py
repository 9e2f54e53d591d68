"""tess march --chains: runs of loops as one kernel each come to the state of the loops one by one."""

import itertools
import json
import math
import re

import pytest

MESHES = {
    "airfoil": "quads:nx=13:ny=9", "bookleaf": "quads:nx=13:ny=9", "volna": "tris:nx=9:ny=7",
    "lulesh": "hexes:nx=5:ny=4:nz=3", "miniaero": "hexes:nx=5:ny=4:nz=3", "fv": "tets:nx=3:ny=3:nz=3",
    "fun3d": "layers:nx=5:ny=3:prisms=2:tets=2"}  # fmt: skip
# The runs that are one kernel without rings; lulesh and bookleaf have nothing else.
RUNS = {
    "airfoil": [["save_soln", "adt_calc"], ["res_calc", "bres_calc", "update", "adt_calc"],
                ["res_calc", "bres_calc", "update"]],
    "bookleaf": [["get_force", "getacc_scatter", "getacc_apply"]],
    "volna": [["compute_fluxes", "space_discretization", "wall_pressure", "evolve"]],
    "lulesh": [["init_stress", "integrate_stress", "move_nodes"]],
    "miniaero": [["compute_face_flux", "advance"]],
    "fv": []}  # fmt: skip


def marched(tess, application, *arguments, mesh=None):
    archive = () if "--lab" in arguments else ("--no-lab",)
    return json.loads(tess("march", application, *archive, "--mesh", mesh or MESHES[application], "--steps", "3",
                           "--every", "3", "--check", "--json", *arguments).stdout)


@pytest.mark.parametrize("application", sorted(MESHES))
@pytest.mark.parametrize("chains", ["auto", "auto:rings=1", "auto:rings=9"])
def test_chains_come_to_the_state_of_the_loops(tess, application, chains):
    for device in ("host", "emulator"):
        check = marched(tess, application, "--chains", chains, "--device", device, "--block-size", "32")["check"]
        assert check["difference"] <= check["tolerance"]


def test_runs_without_rings(tess):
    for application, runs in RUNS.items():
        chains = marched(tess, application, "--chains", "auto")["chains"]
        assert [chain["loops"] for chain in chains] == runs
        assert all(chain["rings"] == 0 and chain["stages"] == 1 for chain in chains)


def test_a_whole_step_in_one_kernel(tess):
    (chain,) = marched(tess, "airfoil", "--chains", "auto:rings=2")["chains"]
    assert len(chain["loops"]) == 9 and chain["stages"] == 3 and chain["rings"] == 2
    assert sorted(chain["not_stored"]) == ["adt", "old", "res"]
    (chain,) = marched(tess, "fv", "--chains", "auto:rings=1")["chains"]
    assert chain["rings"] == 1


@pytest.mark.parametrize("layout", ["soa", "aos", "aos16", "soa,cells=aos,cells.q=soa"])
@pytest.mark.parametrize("precision", ["double", "float"])
def test_any_layout_and_precision(tess, layout, precision):
    for application, chains in itertools.product(("airfoil", "volna"), ("auto", "auto:rings=2")):
        check = marched(tess, application, "--chains", chains, "--device", "emulator", "--layout", layout,
                        "--precision", precision)["check"]
        assert check["difference"] <= check["tolerance"]


def test_blocks_of_a_partitioner_and_sums(tess):
    plain = marched(tess, "airfoil")["rows"][-1]["rms"]
    for chains, strategy in itertools.product(("auto", "auto:rings=2"), ("point-parallel", "halo-atomics")):
        got = marched(tess, "airfoil", "--chains", chains, "--device", "emulator", "--strategy", strategy,
                      "--partitioner", "rcb", "--block-size", "64", "--renumber", "gps")
        assert got["rows"][-1]["rms"] == pytest.approx(plain, rel=1e-9)


def test_what_a_chain_moves_is_counted(tess):
    """One kernel asks for less than three."""
    common = ["--device", "emulator", "--strategy", "point-parallel", "--block-size", "128"]
    moved = {}
    for chains in ("auto", "auto:rings=2"):
        of = marched(tess, "airfoil", *common, "--chains", chains, mesh="quads:nx=48:ny=40")["chains"]
        moved[chains] = sum(chain["counters"]["read_sectors"] + chain["counters"]["write_sectors"] for chain in of)
        assert all(chain["counters"]["atomic_sectors"] <= 2 * 48 * 40 // 128 for chain in of), "a sum a block"
    assert moved["auto:rings=2"] < 0.8 * moved["auto"]
    assert "counters" not in marched(tess, "airfoil", "--chains", "auto")["chains"][0], "the host counts nothing"
    words = tess("march", "--no-lab", "airfoil", "--mesh", MESHES["airfoil"], "--steps", "1", "--chains", "auto",
                 "--device", "emulator").stdout
    assert re.search(r"a point: [0-9.]+ B in the sectors that warps ask for", words)


def test_a_list_of_runs(tess):
    check = marched(tess, "airfoil", "--chains", "res_calc+bres_calc+update,save_soln+adt_calc")["check"]
    assert check["difference"] <= check["tolerance"]


def fan(path, n):
    """Quads around one node: n of them, so that it gathers n elements."""
    points = [(0.0, 0.0)] + [(radius * math.cos(angle), radius * math.sin(angle))
                             for i in range(n)
                             for radius, angle in ((1.0, 2 * math.pi * i / n), (2.0, 2 * math.pi * (i + 0.5) / n))]
    quads = [(0, 1 + 2 * i, 2 + 2 * i, 1 + 2 * ((i + 1) % n)) for i in range(n)]
    rim = [(1 + 2 * i, 2 + 2 * i) for i in range(n)] + [(2 + 2 * i, 1 + 2 * ((i + 1) % n)) for i in range(n)]
    path.write_text("\n".join(
        ["NDIME= 2", f"NELEM= {n}", *(f"9 {a} {b} {c} {d}" for a, b, c, d in quads), f"NPOIN= {len(points)}",
         *(f"{x} {y}" for x, y in points), "NMARK= 1", "MARKER_TAG= rim", f"MARKER_ELEMS= {len(rim)}",
         *(f"3 {a} {b}" for a, b in rim)]) + "\n")
    return str(path)


def test_a_point_of_hundreds_of_elements(tess, tmp_path):
    mesh = fan(tmp_path / "fan.su2", 500)
    for device in ("host", "emulator"):
        check = marched(tess, "bookleaf", "--chains", "auto", "--device", device, mesh=mesh)["check"]
        assert check["difference"] <= check["tolerance"]


def test_too_little_shared_memory_names_a_block_that_fits(tess):
    arguments = ["march", "--no-lab", "airfoil", "--mesh", "quads:nx=96:ny=96", "--chains", "auto:rings=2",
                 "--steps", "1", "--device", "emulator", "--threads", "256", "--strategy", "point-parallel"]
    failed = tess(*arguments, "--threads", "100", code=2)
    assert "--threads 100: a block has 32 to 1024 threads, whole warps of 32" in failed.stderr
    failed = tess(*arguments, "--block-size", "4096", code=2)
    assert "bytes of shared memory for the chain, over the 232448 that there are" in failed.stderr
    size = re.search(r"take --block-size (\d+) or less, or a shorter chain", failed.stderr)[1]
    assert int(size) >= 768
    tess(*arguments, "--block-size", size)


def test_loops_of_chains_are_not_timed(tess):
    march = ["march", "--no-lab", "airfoil", "--mesh", MESHES["airfoil"], "--chains", "auto", "--steps", "1"]
    failed = tess(*march, "--loops", code=2)
    assert "leave out --chains or --loops" in failed.stderr


def test_a_march_with_chains_is_archived(tess, tmp_path):
    marched(tess, "airfoil", "--chains", "auto:rings=2", "--lab", str(tmp_path / "lab"))
    (run,) = json.loads(tess("runs", "--lab", tmp_path / "lab", "--json").stdout)["runs"]
    shown = json.loads(tess("show", run["run"], "--lab", tmp_path / "lab", "--json").stdout)
    assert shown["configuration"]["chains"] == "auto:rings=2" and shown["outcome"] == "passed"


@pytest.mark.parametrize("application, chains, words", [
    ("airfoil", "save_soln+adt_kalk", "the step has no loop 'adt_kalk'"),
    ("airfoil", "update+res_calc", "these loops do not follow each other"),
    ("airfoil", "auto:rings=x", "write auto, auto:rings=N"),
    ("fv", "none,", "the step has no loop 'none'"),
])
def test_bad_chains_are_refused(tess, application, chains, words):
    failed = tess("march", "--no-lab", application, "--mesh", MESHES[application], "--chains", chains, "--steps", "1",
                  code=2)
    assert words in failed.stderr
