"""tess march --chains: runs of loops as one kernel each come to the state of the loops one by one."""

import itertools
import json

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
    return json.loads(tess("march", "--no-lab", application, "--mesh", mesh or MESHES[application], "--steps", "3", "--every", "3",
                           "--check", "--json", *arguments).stdout)


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


def test_a_list_of_runs(tess):
    check = marched(tess, "airfoil", "--chains", "res_calc+bres_calc+update,save_soln+adt_calc")["check"]
    assert check["difference"] <= check["tolerance"]


@pytest.mark.parametrize("application, chains, words", [
    ("airfoil", "save_soln+adt_kalk", "the step has no loop 'adt_kalk'"),
    ("airfoil", "update+res_calc", "these loops do not follow each other"),
    ("airfoil", "auto:rings=x", "write auto, auto:rings=N"),
    ("fv", "none,", "the step has no loop 'none'"),
])
def test_bad_chains_are_refused(tess, application, chains, words):
    failed = tess("march", "--no-lab", application, "--mesh", MESHES[application], "--chains", chains, "--steps", "1", code=2)
    assert words in failed.stderr
