"""tess march --chains: runs of loops as one kernel each come to the state of the loops one by one."""

import itertools
import json
import math
import re

import pytest
from conftest import ROOT

pytestmark = pytest.mark.usefixtures("compiling_cc")

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
    "fun3d": [["keep", "zero", "lstgs"], ["update", "zero"]],
    "fv": []}  # fmt: skip


def marched(tess, application, *arguments, mesh=None):
    archive = () if "--lab" in arguments else ("--no-lab",)
    return json.loads(tess("march", application, *archive, "--mesh", mesh or MESHES[application], "--steps", "3",
                           "--every", "3", "--check", "--json", *arguments).stdout)


@pytest.mark.parametrize("application", sorted(MESHES))
@pytest.mark.parametrize("chains", ["auto", "auto:rings=1", "auto:rings=9", "auto:rings=2:elements=once"])
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


def test_a_steps_time_is_predicted(tess, tmp_path):
    """Of chains from a sample of their blocks; what a launch takes is in each part of the step once."""
    ships = (ROOT / "experiments/model/machines/h200.yaml").read_text()
    (tmp_path / "slow.yaml").write_text(re.sub(r"launch: {value: 1.5e-6", "launch: {value: 1.5e-3", ships))
    (tmp_path / "same.yaml").write_text(ships)
    words = ["airfoil", "--mesh", "quads:nx=48:ny=40", "--steps", "1", "--strategy", "point-parallel", "--block-size", "128",
             "--chains", "save_soln+adt_calc,res_calc+bres_calc+update", "--device", "emulator:sample=8", "--json"]

    def predicted(*more):
        return json.loads(tess("march", *words, *(() if "--lab" in more else ("--no-lab",)), *more).stdout)

    same, slow = (predicted("--machine", tmp_path / f"{name}.yaml") for name in ("same", "slow"))
    of_chains = [chain["predicted"]["seconds"] for chain in same["chains"]]
    assert len(of_chains) == 3 and of_chains[1] == of_chains[2] != of_chains[0]
    assert sum(of_chains) < same["predicted"]["seconds_per_step"] < 1e-3, "one loop is in no chain"
    assert slow["predicted"]["seconds_per_step"] - same["predicted"]["seconds_per_step"] == pytest.approx(4 * (1.5e-3 - 1.5e-6))
    fast = predicted("--machine", tmp_path / "same.yaml", "--arithmetic", "fast")
    for one, other in zip(same["chains"], fast["chains"], strict=True):
        terms, fewer = one["predicted"]["terms"], other["predicted"]["terms"]
        assert fewer["flops"] < terms["flops"] and fewer["L2"] == terms["L2"] > 0 and fewer["memory"] == terms["memory"] > 0
    once, points = (json.loads(tess("march", "lulesh", "--no-lab", "--mesh", "hexes:nx=8:ny=8:nz=8", "--chains", chains,
                                    *words[3:9], *words[-3:]).stdout)["chains"][0]["predicted"]["terms"]
                    for chains in ("auto", "auto:elements=points"))
    assert 2 * once["flops"] < points["flops"] and points["shared"] < once["shared"]
    h200 = predicted("--lab", tmp_path / "lab")["predicted"]
    assert h200["device"] == "NVIDIA H200" and 0 < h200["seconds_per_step"] < 1e-3
    [run] = json.loads(tess("runs", "--lab", tmp_path / "lab", "--json").stdout)["runs"]
    kept = json.loads(tess("show", run["run"], "--lab", tmp_path / "lab", "--json").stdout)["metrics"]
    assert [metric["value"] for metric in kept if metric["name"] == "predicted_time"] == [h200["seconds_per_step"]]
    assert "predicted" not in predicted("--machine", "none")
    words[words.index("emulator:sample=8")] = "emulator"
    assert "predicted" not in predicted()


def test_a_step_of_three_sets_as_one_kernel(tess):
    stage = "zero+lstgs+roe_flux+visrhs_tets+visrhs_prisms+update"
    for elements in ("points", "once"):
        found = marched(tess, "fun3d", "--chains", f"keep+{stage}+{stage}:elements={elements}", "--device", "emulator",
                        "--block-size", "32")
        assert found["check"]["difference"] <= found["check"]["tolerance"]
        assert [chain["rings"] for chain in found["chains"]] == [3]


def test_an_element_once_a_block_asks_for_less(tess):
    """Sums are equal to the last bit, sectors fewer."""
    found = {}
    for elements in ("points", "once"):
        march = marched(tess, "lulesh", "--chains", f"auto:elements={elements}", "--device", "emulator",
                        mesh="hexes:nx=9:ny=8:nz=7")
        assert march["check"]["difference"] == 0
        found[elements] = march["chains"][0]["counters"]["read_sectors"]
    assert found["once"] < 0.6 * found["points"]


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


@pytest.mark.parametrize("application", ["bookleaf", "airfoil"])
def test_a_point_of_hundreds_of_elements(tess, tmp_path, application):
    """A node gathers 500 quads; each of 500 cells reads it."""
    mesh = fan(tmp_path / "fan.su2", 500)
    for device, chains in itertools.product(("host", "emulator"), ("auto", "auto:rings=2")):
        check = marched(tess, application, "--chains", chains, "--device", device, mesh=mesh)["check"]
        assert check["difference"] <= check["tolerance"]


def test_too_little_shared_memory_names_a_block_that_fits(tess):
    arguments = ["march", "--no-lab", "airfoil", "--mesh", "quads:nx=96:ny=96", "--chains", "auto:rings=2",
                 "--steps", "1", "--device", "emulator", "--threads", "256", "--strategy", "point-parallel"]
    failed = tess(*arguments, "--threads", "100", code=2)
    assert "--threads 100: a block has 32 to 1024 threads, whole warps of 32" in failed.stderr
    failed = tess(*arguments, "--block-size", "4096", code=2)
    assert "bytes of shared memory for the chain, over the 232448 that there are" in failed.stderr
    size = re.search(r"try --block-size (\d+), or take a shorter chain", failed.stderr)[1]
    assert int(size) >= 768
    tess(*arguments, "--block-size", size)


def test_sizes_of_blocks_that_are_tried_as_told_come_to_one_that_fits(tess):
    """Rows of a mesh, which blocks number: what is told first is a guess."""
    march = ["march", "--no-lab", "airfoil", "--mesh", "airfoil:i=100:j=100", "--chains", "auto:rings=2", "--steps", "1"]
    size = 1024
    for _ in range(3):
        failed = tess(*march, "--device", "emulator:sample=4", "--block-size", size, code=2)
        told = int(re.search(r"try --block-size (\d+), or take a shorter chain", failed.stderr)[1])
        assert 128 <= told < size
        size = told
    tess(*march, "--device", "emulator:sample=4", "--block-size", size)


def test_chains_are_timed_beside_loops(tess, tmp_path):
    lab = ["--lab", str(tmp_path / "lab")]
    for chains, counts in (("res_calc+bres_calc+update", {"save_soln": 3, "adt_calc": 6, "res_calc+bres_calc+update": 6}),
                           ("auto:rings=2", {"save_soln+...+update": 3})):
        told = json.loads(tess("march", "airfoil", *lab, "--mesh", MESHES["airfoil"], "--steps", "3", "--chains", chains,
                               "--block-size", "32", "--loops", "--json").stdout)["loops"]
        assert {loop["loop"]: loop["count"] for loop in told} == counts
        assert all(loop["seconds"] > 0 and loop["bandwidth"] > 0 and loop["blocks"] == 4 for loop in told if "+" in loop["loop"])
        assert [loop["line_bandwidth"] is None for loop in told] == ["+" in loop["loop"] for loop in told]
        shown = json.loads(tess("show", "@last", *lab, "--json").stdout)
        kept = {metric["name"]: metric["value"] for metric in shown["metrics"]}
        for loop in told:
            assert kept[f"loop_seconds/{loop['loop']}"] == loop["seconds"]
            assert (f"loop_line_bandwidth/{loop['loop']}" in kept) == (loop["line_bandwidth"] is not None)
        assert told[-1]["loop"] in tess("show", "@last", *lab).stdout.split("\nloops\n")[1].split("\nmetrics\n")[0]
    # nobody waits for chains unless --loops says so; the record has them from steps of their own
    tess("march", "airfoil", *lab, "--mesh", MESHES["airfoil"], "--steps", "2", "--chains", "auto:rings=2")
    shown = json.loads(tess("show", "@last", *lab, "--json").stdout)
    kept = {metric["name"]: metric["value"] for metric in shown["metrics"]}
    assert shown["environment"]["loops_timed"] == "after it" and kept["loop_count/save_soln+...+update"] == 2


def test_what_became_of_chains_is_explained(tess, tmp_path):
    lab = ["--lab", str(tmp_path / "lab")]
    for chains in ("auto:rings=2", "auto"):
        marched(tess, "airfoil", "--chains", chains, "--block-size", "32", *lab)
    whole, *none = json.loads(tess("explain", "@last~1", *lab, "--json").stdout)["chains"]
    assert not none and whole.startswith("save_soln+adt_calc+res_calc") and "4 blocks own cells" in whole
    for words in ("save_soln, adt_calc; res_calc, bres_calc, update, adt_calc; res_calc, bres_calc, update.",
                  "2 rings of points computed again", "Of two buffers, since neighbours read what others store: q.",
                  "Not stored, since nobody reads it afterwards: old, adt, res.", "Not read, since it is zero before: res."):
        assert words in whole
    cells, nodes = 13 * 9, 14 * 10
    maps = 2 * (12 * 9 + 13 * 8) * 2 + (13 + 9) * 2 * 3 + cells * 4  # edges and boundary to cells and nodes, cells to nodes
    bytes_ = 4 * maps + 8 * (2 * 4 * cells + 2 * nodes) + 4 * (13 + 9) * 2 + 8  # q twice, x, bound, rms
    said = float(re.search(r"Loads and stores ([0-9.]+) B for each", whole)[1])
    assert said == pytest.approx(bytes_ / cells, rel=2e-3)
    run = json.loads(tess("explain", "@last", *lab, "--json").stdout)
    assert [words.split(":")[0] for words in run["chains"]] == ["+".join(loops) for loops in RUNS["airfoil"]]
    assert tess("explain", "@" + run["run"], *lab).stdout.split(":")[0] == "save_soln+adt_calc"
    marched(tess, "airfoil", *lab)
    assert "has no chains" in tess("explain", "@last", *lab, code=2).stderr


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
