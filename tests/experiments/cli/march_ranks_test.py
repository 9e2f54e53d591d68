"""tess march --ranks: all applications on several ranks come to the state of the sequential loops."""

import functools
import json

import h5py
import numpy
import pytest

pytestmark = pytest.mark.usefixtures("compiling_cc")
CASES = {
    "airfoil": "airfoil:i=24:j=16", "volna": "tris:nx=16:ny=12", "bookleaf": "quads:nx=30:ny=20",
    "lulesh": "hexes:nx=10:ny=10:nz=10", "miniaero": "hexes:nx=7:ny=6:nz=5", "fv": "tets:nx=4:ny=3:nz=3",
    "fun3d": "layers:base=wing:nx=12:ny=3:prisms=2:tets=2:order=rcm"}


def march(tess, application, *arguments, mesh=None):
    done = tess("march", "--no-lab", application, "--mesh", mesh or CASES[application], "--precision", "double", "--steps", "2",
                "--check", "--json", *arguments)
    return json.loads(done.stdout)


@functools.cache
def alone(tess, application):
    """The rows of a march without ranks, which no test changes."""
    return march(tess, application)["rows"]


@pytest.mark.parametrize("application", CASES)
def test_ranks_come_to_the_state_of_the_sequential_loops(tess, application):
    for halo in ["redundant", "partial-sums"]:
        ranked = march(tess, application, "--ranks", "3", "--halo", halo)
        assert ranked["check"]["difference"] <= ranked["check"]["tolerance"]
        assert ranked["ranks"]["n"] == 3 and ranked["ranks"]["exchange_bytes"] > 0
        for row, other in zip(alone(tess, application), ranked["rows"], strict=True):
            sums = {name: value for name, value in row.items() if name not in ("step", "seconds_per_step")}
            assert {name: other[name] for name in sums} == pytest.approx(sums, rel=1e-9)


@pytest.mark.parametrize("application", CASES)
def test_chains_on_ranks_come_to_the_state_of_one(tess, application):
    last = alone(tess, application)[-1]
    for ranks, chains in [(1, "auto"), (2, "auto:rings=9"), (4, "auto"), (4, "auto:rings=1")]:
        ranked = march(tess, application, "--ranks", ranks, "--chains", chains, "-b", "32")
        assert ranked["check"]["difference"] <= ranked["check"]["tolerance"]
        sums = {name: value for name, value in last.items() if name not in ("step", "seconds_per_step")}
        assert {name: ranked["rows"][-1][name] for name in sums} == pytest.approx(sums, rel=1e-9)


@pytest.mark.parametrize("words", [[], ["--overlap", "no"], ["--device", "emulator", "-b", "32", "--strategy", "point-parallel", "--partitioner", "rcb"],
                                   ["--device", "emulator", "-b", "32", "--layout", "soa", "--halo", "partial-sums", "--ranks", "5"]])
def test_a_chain_exchanges_once(tess, words):
    """airfoil's whole step as one kernel: a message to each neighbour, deep halos' too, where loops send two."""
    loops, chain = (march(tess, "airfoil", "--ranks", "4", "--chains", chains, *words, mesh="airfoil:i=40:j=30")
                    for chains in ("none", "auto:rings=2"))
    assert len(chain["chains"]) == 1 and len(chain["chains"][0]["loops"]) == 9
    assert chain["check"]["difference"] <= chain["check"]["tolerance"]
    n = chain["ranks"]["n"]
    assert chain["ranks"]["exchange_messages"] <= n * (n - 1)
    assert chain["ranks"]["exchange_messages"] < loops["ranks"]["exchange_messages"]


@pytest.mark.parametrize("method", ["gps", "rcm"])
def test_cells_that_gather_are_numbered_by_a_graph_on_ranks_too(tess, method):
    """A rank reads more cells than it computes."""
    ranked = march(tess, "fv", "--ranks", "3", "--renumber", method, mesh="airfoil:i=8:j=6")
    assert ranked["check"]["difference"] <= ranked["check"]["tolerance"]


def test_chains_that_take_the_same_blocks_have_them_cut_once(tess, tmp_path):
    """airfoil's step is three chains, of which two take the blocks of res_calc: each rank cuts these once."""
    cuts, partitioner = tmp_path / "cuts", tmp_path / "chop.py"
    partitioner.write_text(f"def partition(p):\n    open({str(cuts)!r}, 'a').write('.')\n"
                           "    return [e // p.block_size for e in range(p.n_elements)]\n")  # fmt: skip
    marched = march(tess, "airfoil", "--ranks", "2", "--chains", "auto", "-p", f"python:file={partitioner}")
    assert len(marched["chains"]) == 3 and cuts.read_text() == ".."


def test_blocks_that_are_too_large_for_a_chain_are_refused_on_ranks_too(tess):
    words = tess("march", "--no-lab", "airfoil", "--mesh", "airfoil:i=40:j=60", "--device", "emulator", "--ranks", "2", "--chains", "auto:rings=2",
                 "--strategy", "point-parallel", "-b", "4096", "--steps", "1", code=2).stderr
    assert "bytes of shared memory for the chain" in words


@pytest.mark.parametrize("application,most", [("lulesh", 0.7), ("bookleaf", 0.4)])
def test_sums_send_less_where_cells_add_to_nodes(tess, application, most):
    sent = {halo: march(tess, application, "--ranks", "4", "--halo", halo)["ranks"]["exchange_bytes"]
            for halo in ["redundant", "partial-sums"]}
    assert 0 < sent["partial-sums"] <= most * sent["redundant"]


@pytest.mark.parametrize("arguments", [["--rank-partitioner", "metis"], ["--overlap", "no"], ["--layout", "soa"],
                                       ["--strategy", "sequential"], ["--ranks", "64"], ["--renumber", "gps"],
                                       ["--device", "emulator", "--strategy", "point-parallel", "-b", "32", "--halo", "partial-sums",
                                        "--set", "adt_calc.strategy=gather", "--set", "adt_calc.partitioner=rcb"]])
def test_each_way_to_march_on_ranks(tess, arguments):
    ranked = march(tess, "airfoil", "--ranks", "3", *arguments)
    assert ranked["check"]["difference"] <= ranked["check"]["tolerance"]


def write_pieces(path, boxes):
    """An SU2 file of boxes of quads that share nothing."""
    points, cells = [], []
    for piece, (nx, ny) in enumerate(boxes):
        at = {(i, j): len(points) + j * (nx + 1) + i for j in range(ny + 1) for i in range(nx + 1)}
        points += [(10 * piece + i / nx, j / ny) for j in range(ny + 1) for i in range(nx + 1)]
        cells += [(at[i, j], at[i + 1, j], at[i + 1, j + 1], at[i, j + 1]) for j in range(ny) for i in range(nx)]
    lines = [f"NELEM= {len(cells)}", *(" ".join(map(str, (9, *cell))) for cell in cells),
             f"NPOIN= {len(points)}", *(f"{x} {y}" for x, y in points)]  # fmt: skip
    path.write_text("\n".join(["NDIME= 2", *lines, "NMARK= 0"]) + "\n")


@pytest.mark.parametrize("application,ranks,partitioner,halo,exchanges", [
    ("volna", 2, "file-order", "redundant", False), ("airfoil", 5, "mosaic", "redundant", True), ("bookleaf", 8, "metis", "partial-sums", True)])
def test_pieces_of_a_mesh_need_not_be_connected(tess, tmp_path, application, ranks, partitioner, halo, exchanges):
    """30 and 30 cells: two ranks have a piece each, and nothing to say to each other."""
    write_pieces(tmp_path / "pieces.su2", [(6, 5), (5, 6)])
    ranked = json.loads(tess("march", "--no-lab", application, "--mesh", tmp_path / "pieces.su2", "--device", "host", "--ranks", ranks,
                             "--rank-partitioner", partitioner, "--halo", halo, "--steps", "2", "--check", "--json").stdout)
    assert ranked["check"]["difference"] <= ranked["check"]["tolerance"]
    assert (ranked["ranks"]["exchange_bytes"] > 0) == exchanges


def test_the_emulator_marches_on_ranks(tess):
    ranked = march(tess, "airfoil", "--ranks", "2", "--device", "emulator", "--strategy", "halo-atomics")
    assert ranked["check"]["difference"] <= ranked["check"]["tolerance"]


@pytest.mark.parametrize("arguments,words", [
    (["--halo", "partial-sums"], "say how many ranks: --ranks N"),
    (["--ranks", "0"], "--ranks"),
    (["--ranks", "2", "--halo", "some"], "redundant"),
    (["--ranks", "2", "--graph", "yes"], "with --engine nccl or peer only"),
    (["--ranks", "2", "--engine", "locl"], "local"),
    (["--ranks", "2", "--rank-partitioner", "rbc"], "rcb"),
    (["--ranks", "2", "--rank-partitioner", "rcb,metis"], "'rcb,metis' is not one partitioner")])
def test_what_is_wrong_is_named(tess, arguments, words):
    assert words in tess("march", "--no-lab", "airfoil", "--mesh", "quads:nx=8:ny=6", *arguments, code=2).stderr


def shown(folder, step):
    """The arrays of the cells shown after a step, in the order of their elements."""
    with h5py.File(folder / f"mesh_{step:06d}.hdf") as file:
        cells = {name: array[:] for name, array in file["VTKHDF/CellData"].items()}
    order = numpy.argsort(cells["element"], kind="stable")
    return {name: values[order] for name, values in cells.items()}


@pytest.mark.parametrize("way", [[], ["--device", "emulator", "--strategy", "owner-block"]])
def test_what_marches_on_ranks_is_shown_as_a_whole(tess, tmp_path, way):
    """The solution is that of one rank; each rank's piece has blocks of its own."""
    common = ["march", "--no-lab", "airfoil", "--mesh", "airfoil:i=12:j=16", "--precision", "double", "--steps", "2", "--block-size",
              "32", "--viz", "hdf", *way]
    tess(*common, "--viz-folder", tmp_path / "alone")
    told = tess(*common, "--ranks", "3", "--viz-folder", tmp_path / "ranks").stderr
    assert told.count("in situ: hdf") == 1
    for step in [0, 1, 2]:
        alone, ranks = shown(tmp_path / "alone", step), shown(tmp_path / "ranks", step)
        assert (ranks["element"] == alone["element"]).all()
        for name in ["density", "pressure"]:
            assert ranks[name] == pytest.approx(alone[name], rel=1e-13)
    blocks = sorted(set(zip(ranks["rank"], ranks["block"])))
    assert {rank for rank, _ in blocks} == {0, 1, 2} and [block for _, block in blocks] == list(range(len(blocks)))
    sizes = dict(zip(ranks["block"], ranks["block_elements"]))
    assert max(sizes.values()) <= 32 and (ranks["thread"] < 32).all()
    if not way:
        places = {(block, thread) for block, thread in zip(ranks["block"], ranks["thread"])}
        assert len(places) == len(set(ranks["element"])), "no two elements of a block have one thread"


def test_the_ranks_shown_are_those_of_the_record(tess, tmp_path):
    tess("march", "lulesh", "--mesh", "hexes:nx=4:ny=5:nz=6", "--steps", "1", "--ranks", "4", "--viz", "hdf",
         "--viz-folder", tmp_path / "shown", "--lab", tmp_path / "lab")
    [path] = json.loads(tess("view", "@last", "--lab", tmp_path / "lab", "--json").stdout)["views"]
    with h5py.File(path) as view:
        cells = view["VTKHDF/CellData"]
        order = numpy.argsort(cells["element"][:])
        assert (shown(tmp_path / "shown", 1)["rank"] == cells["rank"][:][order]).all()
