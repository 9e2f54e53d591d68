"""tess bound: bytes and flops of a step, by hand for airfoil on quads, and what is asked wrongly."""

import json

import pytest
from conftest import ROOT

NX, NY = 240, 120
CELLS, NODES, EDGES, BEDGES = NX * NY, (NX + 1) * (NY + 1), 2 * NX * NY - NX - NY, 2 * (NX + NY)
AIRFOIL = ["bound", "airfoil", "--mesh", f"quads:nx={NX}:ny={NY}"]


@pytest.fixture(scope="module")
def said(tess):
    return json.loads(tess(*AIRFOIL, "--json").stdout)


def part(said, kind, *loops):
    return next(p for p in said["parts"] if p["kind"] == kind and (not loops or p["loops"] == list(loops)))


def test_loops_move_what_is_counted_by_hand(said):
    x, q, res, adt = 16 * NODES, 32 * CELLS, 32 * CELLS, 8 * CELLS
    by_hand = {
        "save_soln": 2 * q,
        "adt_calc": x + q + adt + 16 * CELLS,  # cells:nodes, four indices
        "res_calc": x - 16 * 4 + q + adt + 2 * res + 16 * EDGES,  # but for the corners; edges:nodes and edges:cells
        # at BEDGES nodes and, but for the corners, as many cells; bound, bedges:nodes and bedges:cells
        "bres_calc": 16 * BEDGES + (32 + 8 + 64) * (BEDGES - 4) + 4 * BEDGES + 12 * BEDGES,
        "update": q + q + 2 * res + adt}  # old, q, res in and out
    for loop, n_bytes in by_hand.items():
        assert part(said, "loop", loop)["bytes"] == n_bytes, loop
    assert (said["points"], said["n_points"]) == ("cells", CELLS)


def test_a_step_takes_784_bytes_a_cell_loop_by_loop_and_128_at_once(said):
    """The hand-written step of 118 reads 32 bytes of indices a cell, where edges:nodes, edges:cells and cells:nodes
    have 48, and some more of its rings."""
    assert part(said, "loop by loop")["bytes"] / CELLS == pytest.approx(784, rel=0.01)
    once = part(said, "once")
    edges = 16 * EDGES + 12 * BEDGES + 16 * CELLS
    assert once["bytes"] == 2 * 32 * CELLS + 16 * NODES + edges + 4 * BEDGES  # q in and out, x, maps, bound
    assert once["bytes"] / CELLS == pytest.approx(128, rel=0.01)


def test_stages_in_chains_are_those_of_a_hand_written_step(said):
    """288 bytes a cell by hand, with 32 of indices a stage in place of 48."""
    in_chains = {p["rings"]: p["bytes"] for p in said["parts"] if p["kind"] == "in chains"}
    assert list(in_chains) == [0, 1, 2]
    assert in_chains[1] / CELLS == pytest.approx(288 + 2 * 16, rel=0.01)
    assert in_chains[2] == part(said, "once")["bytes"]
    rings = {p["rings"]: p["points"] for p in said["parts"] if p["kind"] == "chain" and p["blocks"]}
    assert rings == pytest.approx({0: 1, 1: 1.25, 2: 1.51}, rel=0.02)  # 256 cells on large quads
    chains = [p for p in said["parts"] if p["kind"] == "chain"]
    for p in chains:
        assert p["flops"] >= sum(q["flops"] for q in said["parts"] if q["kind"] == "loop"
                                 and p["first"] <= q["first"] < p["first"] + len(p["loops"])) * 0.999  # fmt: skip


def test_elements_of_many_points_count_once_a_block(tess):
    """729 nodes in one block compute each hex once, as the loops do; in blocks of 128 some hexes more than once, but not
    at each of their eight nodes."""
    for block, least, most in ((1024, 1, 1), (128, 1.3, 3)):
        said = json.loads(tess("bound", "lulesh", "--mesh", "hexes:nx=8:ny=8:nz=8", "--block-size", block, "--json").stdout)
        ratio = part(said, "in chains")["flops"] / part(said, "loop by loop")["flops"]
        assert least * 0.999 <= ratio <= most * 1.001, (block, ratio)


def test_flops_are_those_of_the_kernels_texts(said):
    """By hand: 75 of res_calc, two of which are reciprocals (four flux terms of two cells); update and save_soln."""
    flux = part(said, "loop", "res_calc")
    assert flux["flops"] == 75 * EDGES and flux["divisions"] == 2 * EDGES and flux["roots"] == 0
    assert part(said, "loop", "save_soln")["flops"] == 0
    update = part(said, "loop", "update")
    assert update["flops"] == 4 * 4 * CELLS and update["divisions"] == 4 * CELLS
    adt = part(said, "loop", "adt_calc")
    assert adt["roots"] == 5 * CELLS


def test_fast_arithmetic_finds_equal_divisors_once(tess, said):
    fast = json.loads(tess(*AIRFOIL, "--arithmetic", "fast", "--json").stdout)
    update = part(fast, "loop", "update")
    assert update["divisions"] == CELLS and update["flops"] == part(said, "loop", "update")["flops"] + CELLS
    assert update["seconds_of_flops"] < part(said, "loop", "update")["seconds_of_flops"]


def test_times_follow_from_the_machine(tess, said, tmp_path):
    flux = part(said, "loop", "res_calc")
    assert flux["seconds_of_bytes"] == pytest.approx(flux["bytes"] / 4.19e12)
    assert flux["seconds_of_flops"] == pytest.approx((73 + 2 * 10) * EDGES / 3.345e13)
    own = tmp_path / "own.yaml"
    own.write_text("machine: own\nnumbers: {memory_bandwidth: {value: 1e12, unit: B/s, source: given}}\n")
    told = json.loads(tess(*AIRFOIL, "--machine", own, "--json").stdout)
    assert part(told, "loop", "res_calc")["seconds_of_bytes"] == pytest.approx(flux["bytes"] / 1e12)
    assert part(told, "loop", "res_calc")["seconds_of_flops"] is None
    assert "add 'double_rate'" in tess(*AIRFOIL, "--machine", own).stdout
    own.write_text("machine: own\nnumbers: {line_bytes: {value: 32, unit: B, source: given}}\n")
    assert "lacks a bandwidth" in tess(*AIRFOIL, "--machine", own, code=3).stderr


def test_the_table_is_narrow_and_names_why(tess):
    lines = tess(*AIRFOIL).stdout.splitlines()
    table = [line for line in lines if line and not line.startswith(("A point", "loop ", "loops "))]
    assert any(line.startswith("res_calc, 2 times") for line in table)
    assert any(line.startswith("step, each value once") for line in table)
    end = next(i for i, line in enumerate(lines) if line.startswith("A point is one of"))
    assert max(len(line) for line in lines[:end]) <= 105


def test_loops_that_are_no_chain_are_named_with_the_dat(tess):
    said = json.loads(tess("bound", "lulesh", "--mesh", "hexes:nx=5:ny=4:nz=3", "--json").stdout)
    assert all(refusal["why"].startswith("loops ") and "are no chain" in refusal["why"] for refusal in said["refusals"])


@pytest.mark.parametrize("words", [
    ["volna", "--mesh", "tris:nx=9:ny=7"], ["bookleaf", "--mesh", "quads:nx=9:ny=7"],
    ["lulesh", "--mesh", "hexes:nx=5:ny=4:nz=3"], ["miniaero", "--mesh", "tets:nx=3:ny=3:nz=3"],
    ["fv", "--mesh", "tets:nx=3:ny=3:nz=3"], ["fun3d", "--mesh", "layers:nx=4:ny=3:prisms=2:tets=2"],
    ["--kernel", ROOT / "docs/user_kernel/blend.h", "--loop", ROOT / "docs/user_kernel/blend.yaml", "--mesh", "tris"],
    ["--kernel", ROOT / "docs/user_kernel/heat.h", "--loop", ROOT / "docs/user_kernel/heat.yaml", "--mesh", "tets"]],
    ids=str)  # fmt: skip
@pytest.mark.parametrize("precision", ["float", "double"])
def test_any_step_has_a_bound(tess, words, precision):
    said = json.loads(tess("bound", *words, "--precision", precision, "--all", "--json").stdout)
    assert said["precision"] == precision
    once, apart = part(said, "once"), part(said, "loop by loop") if words[0] != "--kernel" else None
    assert once["bytes"] > 0 and once["flops"] > 0
    if apart:
        assert once["bytes"] <= apart["bytes"] and once["flops"] == pytest.approx(apart["flops"])


@pytest.mark.parametrize("arguments, code, words", [
    ([], 2, "on which mesh?"), (["airfoil"], 2, "on which mesh?"), (["--mesh", "quads"], 2, "whose step?"),
    (["airfoil", "--kernel", "a.h", "--mesh", "quads"], 2, "not both"),
    (["--kernel", "a.h", "--mesh", "quads"], 2, "needs --loop"),
    (["airfoil", "--loop", "res_calc", "--mesh", "quads"], 2, "goes with --kernel"),
    (["airfoil", "--mesh", "quads", "--machine", "h2000"], 2, "h2000"),
    (["airfoil", "--mesh", "quads", "--precision", "half"], 2, "--precision: 'half' is not one of auto, float, double"),
    (["airfoil", "--mesh", "quads", "--arithmetic", "quick"], 2, "--arithmetic: 'quick' is not one of exact, fast"),
    (["airfoil", "--mesh", "quads", "-p", "rcb,gps"], 2, "'rcb,gps' is not one partitioner"),
    (["airfoil", "--mesh", "quads", "-p", "rcbb"], 2, "rcb"),
    (["airfoil", "--mesh", "tets"], 2, "airfoil"), (["airfoil", "--mesh", "nothing.su2"], 3, "nothing.su2")])  # fmt: skip
def test_wrong_usage_is_refused(tess, arguments, code, words):
    assert words in tess("bound", *arguments, code=code).stderr
