"""tess march --ranks: all applications on several ranks come to the state of the sequential loops."""

import json

import pytest

CASES = {
    "airfoil": "airfoil:i=24:j=16", "volna": "tris:nx=16:ny=12", "bookleaf": "quads:nx=30:ny=20",
    "lulesh": "hexes:nx=10:ny=10:nz=10", "miniaero": "hexes:nx=7:ny=6:nz=5", "fv": "tets:nx=4:ny=3:nz=3",
    "fun3d": "layers:base=wing:nx=12:ny=3:prisms=2:tets=2:order=rcm"}


def march(tess, application, *arguments):
    done = tess("march", application, "--mesh", CASES[application], "--precision", "double", "--steps", "2",
                "--check", "--json", *arguments)
    return json.loads(done.stdout)


@pytest.mark.parametrize("application", CASES)
def test_ranks_come_to_the_state_of_the_sequential_loops(tess, application):
    alone = march(tess, application)
    for halo in ["exec", "sums"]:
        ranked = march(tess, application, "--ranks", "3", "--halo", halo)
        assert ranked["check"]["difference"] <= ranked["check"]["tolerance"]
        assert ranked["ranks"]["n"] == 3 and ranked["ranks"]["exchange_bytes"] > 0
        for row, other in zip(alone["rows"], ranked["rows"], strict=True):
            sums = {name: value for name, value in row.items() if name not in ("step", "seconds_per_step")}
            assert {name: other[name] for name in sums} == pytest.approx(sums, rel=1e-9)


@pytest.mark.parametrize("application,most", [("lulesh", 0.7), ("bookleaf", 0.4)])
def test_sums_send_less_where_cells_add_to_nodes(tess, application, most):
    sent = {halo: march(tess, application, "--ranks", "4", "--halo", halo)["ranks"]["exchange_bytes"]
            for halo in ["exec", "sums"]}
    assert 0 < sent["sums"] <= most * sent["exec"]


@pytest.mark.parametrize("arguments", [["--rank-partitioner", "metis"], ["--overlap", "no"], ["--layout", "soa"],
                                       ["--strategy", "sequential"], ["--ranks", "64"]])
def test_each_way_to_march_on_ranks(tess, arguments):
    ranked = march(tess, "airfoil", "--ranks", "3", *arguments)
    assert ranked["check"]["difference"] <= ranked["check"]["tolerance"]


def test_the_emulator_marches_on_ranks(tess):
    ranked = march(tess, "airfoil", "--ranks", "2", "--device", "emulator", "--strategy", "halo-atomics")
    assert ranked["check"]["difference"] <= ranked["check"]["tolerance"]


@pytest.mark.parametrize("arguments,words", [
    (["--halo", "sums"], "say how many ranks: --ranks N"),
    (["--ranks", "0"], "--ranks"),
    (["--ranks", "2", "--halo", "some"], "exec"),
    (["--ranks", "2", "--graph", "yes"], "with --engine nccl only"),
    (["--ranks", "2", "--engine", "locl"], "local"),
    (["--ranks", "2", "--rank-partitioner", "rbc"], "rcb"),
    (["--ranks", "2", "--rank-partitioner", "rcb,metis"], "names 2 where one is meant")])
def test_what_is_wrong_is_named(tess, arguments, words):
    assert words in tess("march", "airfoil", "--mesh", "quads:nx=8:ny=6", *arguments, code=2).stderr
