"""tesselab.partition: arrays in, thread blocks out; the wheel, its types, and the examples with other packages."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import h5py
import numpy
import pytest
from conftest import ROOT
import tesselab

pytestmark = pytest.mark.usefixtures("built")

VIRTUAL = pathlib.Path(os.environ.get("TESS_PYTHON", ROOT / "build/python"))


def triangles(nx, ny):
    x, y = numpy.meshgrid(numpy.arange(nx + 1.0), numpy.arange(ny + 1.0))
    corner = (numpy.arange(nx) + numpy.arange(ny)[:, None] * (nx + 1)).ravel()
    halves = [numpy.stack([corner, corner + 1, corner + nx + 2], 1), numpy.stack([corner, corner + nx + 2, corner + nx + 1], 1)]
    return numpy.concatenate(halves), numpy.stack([x.ravel(), y.ravel()], 1)


@pytest.mark.parametrize("mesh, map", [("irregular:nx=9:ny=9", "cells:nodes"), ("irregular:nx=9:ny=9", "edges:cells"),
                                       ("tets:nx=3:ny=3:nz=2", "faces:cells"), ("prisms:nx=3:ny=3:nz=2", "cells:nodes")])  # fmt: skip
@pytest.mark.parametrize("partitioner", ["mosaic", "metis"])
def test_the_blocks_are_those_of_the_program(tess, tmp_path, mesh, map, partitioner):
    run = json.loads(tess("partition", mesh, "--map", map, "-p", partitioner, "-b", "32", "--no-view", "--json", "--seed",
                          "3", "--renumber", "none", cwd=tmp_path).stdout)["runs"][0]  # fmt: skip
    with h5py.File(tmp_path / run["plan_file"]) as plan:
        stored, expected = plan.attrs["mesh"].decode(), plan["/partition/block_of"][:]
    with h5py.File(tmp_path / f"lab/meshes/{stored}.hdf") as file:
        cells, nodes = file["/maps/cells_nodes"][:], file["/coordinates"][:]
        points = file[f"/maps/{map.replace(':', '_')}"][:]
    made = tesselab.partition(cells.astype("int64"), nodes, 32, partitioner, map=map, seed=3)
    assert (made.block_of == expected).all() and made.n_blocks == run["blocks"] == expected.max() + 1
    assert (made.points == points).all()
    assert made.metrics["reuse_factor"] == pytest.approx(run["reuse_factor"], rel=1e-12)
    assert made.metrics["thread_colours_mean"] == pytest.approx(run["thread_colours_mean"], rel=1e-12)
    assert sorted(numpy.concatenate(made.blocks())) == list(range(len(expected)))
    assert all((expected[block] == i).all() for i, block in enumerate(made.blocks()))


def test_elements_are_cut_where_they_lie():
    """NumPy's arrays take the way of a GPU's to the emulator."""
    x, y = numpy.meshgrid(numpy.arange(8.0), numpy.arange(8.0))
    order = numpy.random.default_rng(3).permutation(64)
    places = numpy.stack([x.ravel(), y.ravel()], 1)[order]
    block_of = numpy.full(64, -1, dtype="int32")
    assert tesselab.partition_on_device(places, block_of, 16) is block_of
    assert (block_of == 2 * (places[:, 0] > 3.5) + (places[:, 1] > 3.5)).all()
    tesselab.partition_on_device(places, block_of, 32, "rcb:cut=turns")
    assert (block_of == (places[:, 0] > 3.5)).all()
    tesselab.partition_on_device(places[:, :1].copy(), block_of, 8, "hilbert")
    assert (numpy.bincount(block_of) == 8).all() and (block_of == places[:, 0]).all()


def test_elements_swap_blocks_where_they_lie():
    """Those of a line that reach two points each, at random places: what is on both sides of a point comes together."""
    order = numpy.random.default_rng(4).random((256, 2))
    ends = numpy.stack([numpy.arange(256), numpy.arange(256) + 1], 1).astype("int32")
    blocks = [numpy.zeros(256, "int32") for _ in range(3)]
    tesselab.partition_on_device(order, blocks[0], 16)
    tesselab.partition_on_device(order, blocks[1], 16, "rcb:swap=2", map=ends)
    reached = [len({(block, point) for block, row in zip(of, ends.tolist()) for point in row}) for of in blocks[:2]]
    assert reached[1] < reached[0] and (numpy.bincount(blocks[1]) == 16).all()
    was = numpy.full(256, -1, "int32")
    assert tesselab.update_on_device(order, was, blocks[0], 16, blocks[2], 16, "rcb:swap=2", map=ends) == 16
    assert (blocks[2] == blocks[1]).all()  # all are cut anew
    with pytest.raises(tesselab.BadInputError, match="swaps elements by what they reach: give a map"):
        tesselab.partition_on_device(order, blocks[2], 16, "rcb:swap=2")
    with pytest.raises(tesselab.BadInputError, match=r"map is \[n, slots\] on emulator, where places \[256, 2\] are, not \[255, 2\]"):
        tesselab.partition_on_device(order, blocks[2], 16, "rcb:swap=2", map=ends[1:])


def test_what_has_changed_is_cut_anew_where_it_lies():
    """A square of four blocks: elements of one have become others, and one more comes."""
    x, y = numpy.meshgrid(numpy.arange(8.0), numpy.arange(8.0))
    places = numpy.stack([x.ravel(), y.ravel()], 1)
    before, now = numpy.zeros(64, "int32"), numpy.full(65, -1, "int32")
    tesselab.partition_on_device(places, before, 16)
    was = numpy.append(numpy.where(before == 2, -1, numpy.arange(64)), -1).astype("int32")
    more = numpy.append(places, [[9.0, 9.0]], 0)
    assert tesselab.update_on_device(more, was, before, 4, now, 16) == 5
    kept = before != 2
    assert (now[:64][kept] == before[kept]).all() and sorted(numpy.bincount(now)) == [1, 16, 16, 16, 16]
    with pytest.raises(tesselab.BadInputError, match="was in block 2: there were 2, from 0"):
        tesselab.update_on_device(more, was, before, 2, now, 16)
    with pytest.raises(tesselab.BadInputError, match=r"was \[n\], not \[65, 2\] and \[64\]"):
        tesselab.update_on_device(more, was[:64], before, 4, now, 16)
    with pytest.raises(tesselab.BadInputError, match="before is no array of int32"):
        tesselab.update_on_device(more, was, before.astype("int64"), 4, now, 16)


def test_what_has_changed_is_planned_anew_where_it_lies():
    """Elements of a line that reach two points each: of four blocks one has new elements."""
    ends = numpy.stack([numpy.arange(64), numpy.arange(64) + 1], 1).astype("int32")
    block_of, was = (numpy.arange(64) // 16).astype("int32"), numpy.arange(64, dtype="int32")
    plan = tesselab.plan_on_device(block_of, 4, [ends])
    assert (plan.executed == numpy.arange(64)).all() and plan.block_offset.tolist() == [0, 16, 32, 48, 64] and plan.n_kept == 0
    ends[20, 1], was[20] = 3, -1
    now = tesselab.plan_on_device(block_of, 4, [ends], plan, was)
    anew = tesselab.plan_on_device(block_of, 4, [ends])
    (offset, points, local), (of_anew, points_anew, local_anew) = now.sets[0], anew.sets[0]
    assert now.n_kept == 3 and (now.executed == anew.executed).all() and (offset == of_anew).all() and (local == local_anew).all()
    assert (points[: offset[-1]] == points_anew[: offset[-1]]).all() and points[offset[1]] == 3
    ranks = points[offset[block_of[now.executed]][:, None] + local.reshape(64, 2)]
    assert (ranks == ends[now.executed]).all()
    with pytest.raises(tesselab.BadInputError, match="element 0 is in block 3: there are 3, from 0"):
        tesselab.plan_on_device(block_of[::-1].copy(), 3, [ends])
    with pytest.raises(tesselab.BadInputError, match="goes with was"):
        tesselab.plan_on_device(block_of, 4, [ends], plan)
    with pytest.raises(tesselab.BadInputError, match=r"maps\[0\] is no array of int32"):
        tesselab.plan_on_device(block_of, 4, [ends.astype("int64")])


def test_sets_follow_a_plan_where_it_lies():
    """Points as elements first lead to them, walls by their points; a map and a dat follow, a point has its first block."""
    ends = numpy.stack([numpy.arange(64), numpy.arange(64) + 1], 1).astype("int32")
    block_of = (3 - numpy.arange(64) // 16).astype("int32")
    walls, heights = numpy.array([[2, -1], [64, 63], [2, 0]], "int32"), numpy.arange(66.0)
    asked = tesselab.DeviceRenumbering([(64, -1), (66, 0), (3, 1)], [(0, 1, ends), (2, 1, walls)], [(1, heights), (1, 1j * heights)])
    plan = tesselab.plan_on_device(block_of, 4, [ends], n_points=[66], renumbering=asked, colours=True)
    assert plan.thread_colours[0].tolist() == [0, 1] * 32 and plan.block_colours[0].tolist() == [0, 1, 0, 1]
    assert (asked.new_to_old[0] == plan.executed).all() and plan.executed[:2].tolist() == [48, 49]
    assert plan.owners[0][[0, 16, 48, 49, 64, 65]].tolist() == [3, 2, 0, 0, 0, -1]
    assert asked.new_to_old[1].tolist() == [*range(48, 65), *range(32, 48), *range(16, 32), *range(16), 65]
    assert (asked.old_to_new[1][asked.new_to_old[1]] == numpy.arange(66)).all()
    assert asked.new_to_old[2].tolist() == [1, 2, 0]  # 15 16, 49 51, 51
    assert (asked.new_maps[0] == asked.old_to_new[1][ends[plan.executed]]).all()
    assert asked.new_maps[1].tolist() == [[16, 15], [51, 49], [51, -1]]
    assert (asked.new_dats[0] == heights[asked.new_to_old[1]]).all() and (asked.new_dats[1] == 1j * asked.new_dats[0]).all()
    with pytest.raises(tesselab.BadInputError, match=r"n_points \[66, 66\] say to how many points each of 1 maps leads"):
        tesselab.plan_on_device(block_of, 4, [ends], n_points=[66, 66])
    with pytest.raises(tesselab.BadInputError, match="a map of set 2 is of shape .* there are 2 sets"):
        tesselab.plan_on_device(block_of, 4, [ends], renumbering=tesselab.DeviceRenumbering([(64, -1), (66, 0)], [(2, 1, ends)]))
    with pytest.raises(tesselab.BadInputError, match="set 1 has 66 elements, a dat of it 65 rows"):
        tesselab.plan_on_device(block_of, 4, [ends], renumbering=tesselab.DeviceRenumbering([(64, -1), (66, 0)], [(0, 1, ends)], [(1, heights[1:])]))
    with pytest.raises(tesselab.BadInputError, match="a map leads beyond the elements of its set"):
        tesselab.plan_on_device(block_of, 4, [ends], renumbering=tesselab.DeviceRenumbering([(64, -1), (60, 0)], [(0, 1, ends)]))
    with pytest.raises(tesselab.BadInputError, match="a dat of set 0 is an array of Python's objects"):
        tesselab.plan_on_device(block_of, 4, [ends], renumbering=tesselab.DeviceRenumbering([(64, -1)], [], [(0, numpy.zeros(64, object))]))
    with pytest.raises(tesselab.BadInputError, match="dat 0 has 1 bytes an element of set 0: a multiple of 4"):
        tesselab.plan_on_device(block_of, 4, [ends], renumbering=tesselab.DeviceRenumbering([(64, -1)], [], [(0, numpy.zeros(64, bool))]))
    with pytest.raises(tesselab.BadInputError, match="set 1 follows map 1, which is none of a set before it"):
        tesselab.plan_on_device(block_of, 4, [ends], renumbering=tesselab.DeviceRenumbering([(64, -1), (66, 1)], [(0, 1, ends)]))


@pytest.mark.parametrize("change, words", [
    ({"places": numpy.zeros((64, 2), "float32")}, "places is no array of float64"),
    ({"places": numpy.zeros((2, 64)).T}, "make it contiguous"),
    ({"places": [[0.0, 1.0]]}, "places is no array of float64"),
    ({"places": numpy.zeros((63, 2))}, r"not \[63, 2\] and \[64\]"),
    ({"places": numpy.full((64, 2), numpy.nan)}, "coordinate 0 of element 0 is not finite"),
    ({"places": numpy.zeros((64, 4))}, "4 coordinates"),
    ({"block_of": numpy.zeros(64, "int64")}, "block_of is no array of int32"),
    ({"block_of": numpy.frombuffer(bytes(256), "int32")}, "block_of is read-only"),
    ({"block_size": 0}, "a block of 0 elements"),
    ({"partitioner": "metis"}, "'metis' does not cut on a device"),
    ({"partitioner": "rbc"}, "did you mean 'rcb'")])  # fmt: skip
def test_what_cannot_be_cut_where_it_lies(change, words):
    given = {"places": numpy.zeros((64, 2)), "block_of": numpy.zeros(64, "int32"), "block_size": 16} | change
    with pytest.raises(tesselab.BadInputError, match=words):
        tesselab.partition_on_device(**given)


def test_what_may_go_in():
    """A plane in space is flat; types may have meshio's names; mixed cells are numbered type after type."""
    cells, nodes = triangles(12, 10)
    flat = tesselab.partition(cells, nodes)
    assert repr(flat).startswith("Partition(240 cells in 2 blocks of up to 128 by mosaic, reuse ")
    in_space = tesselab.partition({"triangle": cells.tolist()}, numpy.c_[nodes, numpy.full(len(nodes), 7)])
    assert (in_space.block_of == flat.block_of).all()
    quads = numpy.array([[0, 1, 14, 13]])
    triangles_left = cells[numpy.arange(240) % 120 > 0]  # the quad is where two of them were
    by_nodes = tesselab.partition({"quads": quads, "triangle": triangles_left}, nodes, block_size=16)
    assert by_nodes.map == "cells:nodes" and numpy.bincount(by_nodes.block_of).max() <= 16
    assert [set(row[row >= 0]) for row in by_nodes.points] == [set(row) for row in (*quads, *triangles_left)]
    mixed = tesselab.partition({"quads": quads, "triangle": triangles_left}, nodes, block_size=16, map="cells:cells")
    assert numpy.bincount(mixed.block_of).max() <= 16
    all_cells = [set(row) for row in (*quads, *triangles_left)]
    for cell, row in enumerate(mixed.points):
        beside = {other for other, nodes_of in enumerate(all_cells) if len(all_cells[cell] & nodes_of) == 2}
        assert set(row[row >= 0]) == beside
    assert len(tesselab.partition(numpy.zeros((0, 3), int), nodes).block_of) == 0


class Block:
    """As meshio has cells."""

    def __init__(self, kind, data):
        self.type, self.data = kind, data


class Meshio:
    def __init__(self, points, cells):
        self.points, self.cells = points, [Block(*one) for one in cells]


class Grid:
    """As pyvista has an unstructured grid."""

    def __init__(self, points, cells_dict, celltypes):
        self.points, self.cells_dict, self.celltypes, self.n_cells = points, cells_dict, celltypes, len(celltypes)


def test_meshes_of_other_packages_go_in():
    """Several arrays of a type are joined, what has less dimensions is left out, and blocks come back as cells went in."""
    cells, nodes = triangles(12, 10)
    quads, rest = numpy.array([[0, 1, 14, 13]]), cells[numpy.arange(240) % 120 > 0]
    expected = tesselab.partition({"tris": rest, "quads": quads}, nodes, block_size=16).block_of
    lines, corner = numpy.array([[0, 1], [1, 2]]), numpy.array([[0]])
    pairs = [("line", lines), ("triangle", rest[:100]), ("quad", quads), ("vertex", corner), ("triangle", rest[100:])]
    for made in (tesselab.partition(pairs, nodes, block_size=16), tesselab.partition(Meshio(nodes, pairs), block_size=16)):
        assert (made.block_of == expected).all() and len(made.block_of) == 239
        left, first, quad, point, second = made.block_of_given
        assert left.tolist() == [-1, -1] and point.tolist() == [-1] and quad.tolist() == [expected[238]]
        assert (numpy.concatenate([first, second]) == expected[:238]).all()
    kinds = numpy.array([5] * 100 + [3, 9, 3, 1] + [5] * 138)
    grid = Grid(numpy.c_[nodes, numpy.zeros(len(nodes))], {3: lines, 5: rest, 9: quads, 1: corner}, kinds)
    (placed,) = tesselab.partition(grid, block_size=16).block_of_given
    assert (placed[kinds == 5] == expected[:238]).all() and placed[101] == expected[238] and set(placed[[100, 102, 103]]) == {-1}
    assert tesselab.partition(pairs, nodes, map="edges:cells").block_of_given == []
    with pytest.raises(tesselab.BadInputError, match="there are no cells of type 'triangle6'"):
        tesselab.partition([("triangle6", cells)], nodes)
    with pytest.raises(tesselab.BadInputError, match="there are no cells"):
        tesselab.partition([("line", lines)], nodes)
    with pytest.raises(tesselab.BadInputError, match="polygons or polyhedra"):
        tesselab.partition(Grid(nodes, {5: rest}, numpy.array([5] * 238 + [7])))


def test_times_of_ones_own_are_recorded(tess, tess_bin, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tess_bin.parent}:{os.environ['PATH']}")
    lab = tmp_path / "lab"
    run = tesselab.record("solver", [0.25, 0.125, 0.5], lab=lab, mesh="wing.su2", loop="flux", settings={"order": "rcm"})
    calls = []
    other = tesselab.record("solver", lambda: calls.append(1), samples=3, warm_up=2, lab=lab, settings={"order": "hilbert"})
    runs = tesselab.open_lab(lab).runs()
    assert list(runs.index) == sorted([run, other]) and len(calls) == 5
    assert runs.loc[run, "median_time"] == 0.25 and runs.loc[run, ["mesh", "loop", "order"]].tolist() == ["wing.su2", "flux", "rcm"]
    assert len(tesselab.open_lab(lab).samples(other)) == 3
    for seconds, words in (([], "finite times"), ([0.1, float("nan")], "finite times"), ([0.0], "above 0")):
        with pytest.raises(tesselab.BadInputError, match=words):
            tesselab.record("solver", seconds, lab=lab)
    with pytest.raises(tesselab.BadInputError, match="NAME=VALUE"):
        tesselab.record("solver", [1.0], lab=lab, settings={"a b": 1})
    for name in ("", "--help"):
        with pytest.raises(tesselab.BadInputError, match="a name does not begin with '-'"):
            tesselab.record(name, [1.0], lab=lab)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("TESS_LIBRARY", raising=False)
    monkeypatch.chdir(tess_bin.parent.parent)  # its bin/tess is not taken
    with pytest.raises(tesselab.NotInstalledError, match="tess is not in PATH"):
        tesselab.record("solver", [1.0], lab=lab)


CELLS, NODES = triangles(3, 2)


GIVEN = """
import numpy
def partition(problem):
    each = problem.maps[0]
    numpy.savez("given.npz", n=problem.n_elements, size=problem.block_size, n_blocks=problem.n_blocks, seed=problem.seed,
                at=problem.coordinates, index=each.index, n_points=each.n_points, bytes=each.bytes, own=each.own,
                graph=numpy.concatenate(problem.graph()), n_maps=len(problem.maps))
    return numpy.arange(problem.n_elements) % 3 * 7
"""


@pytest.mark.parametrize("mesh, map", [("irregular:nx=4:ny=4", "edges:cells"), ("tets:nx=2:ny=2:nz=2", "faces:cells"),
                                       ("prisms:nx=2:ny=2:nz=2", "cells:nodes")])  # fmt: skip
def test_a_function_is_given_what_the_program_gives(tess, tmp_path, monkeypatch, mesh, map):
    """Its answer is any numbers: blocks are numbered along the mesh, and split where they are too large."""
    (tmp_path / "cut.py").write_text(GIVEN)
    run = json.loads(tess("partition", mesh, "--map", map, "-p", "python:file=cut.py", "-b", "8", "--no-view", "--json",
                          "--seed", "3", cwd=tmp_path).stdout)["runs"][0]  # fmt: skip
    theirs = dict(numpy.load(tmp_path / "given.npz"))
    with h5py.File(tmp_path / run["plan_file"]) as plan:
        stored, expected = plan.attrs["mesh"].decode(), plan["/partition/block_of"][:]
    with h5py.File(tmp_path / f"lab/meshes/{stored}.hdf") as file:
        cells, nodes = file["/maps/cells_nodes"][:], file["/coordinates"][:]
    monkeypatch.chdir(tmp_path)
    place = {}
    exec(GIVEN, place)
    made = tesselab.partition(cells, nodes, 8, place["partition"], map=map, seed=3)
    ours = dict(numpy.load(tmp_path / "given.npz"))
    assert made.partitioner == "partition" and (made.block_of == expected).all()
    assert ours.keys() == theirs.keys() and all(numpy.allclose(ours[key], theirs[key], rtol=1e-14) for key in ours)


def test_a_function_may_be_any_callable_and_may_cut_mixed_cells():
    class Halves:
        def __call__(self, problem):
            assert not problem.coordinates.flags.writeable and problem.n_blocks == 1
            return (problem.coordinates[:, 0] > 1).tolist()

    cells, nodes = triangles(2, 2)
    quads = numpy.array([[0, 1, 4, 3]])
    with pytest.raises(tesselab.BadInputError, match="Halves gave blocks of type bool, not of whole numbers"):
        tesselab.partition({"quads": quads, "tris": cells[1::4]}, nodes, 8, Halves())
    made = tesselab.partition({"quads": quads, "tris": cells[1::4]}, nodes, 8,
                              lambda problem: (problem.coordinates[:, 0] > 1).astype(int))  # fmt: skip
    left = [nodes[row].mean(0)[0] > 1 for row in (*quads, *cells[1::4])]
    assert [block == made.block_of[0] for block in made.block_of] == [side == left[0] for side in left]
    assert made.partitioner == "<lambda>"


def test_what_a_function_raises_is_told_with_its_place():
    def cut(problem):
        return problem.maps[7]

    with pytest.raises(tesselab.BadInputError) as told:
        tesselab.partition(CELLS, NODES, 4, cut)
    line = cut.__code__.co_firstlineno + 1
    assert str(told.value) == f"partitioner cut: IndexError: list index out of range ({pathlib.Path(__file__).name}:{line})"
    assert isinstance(told.value.__cause__, IndexError)
    for answer, words in (([-1] * len(CELLS), "<lambda> put element 0 in block -1"), ([0], "an array of shape (1,)")):
        with pytest.raises(tesselab.BadInputError) as told:
            tesselab.partition(CELLS, NODES, 4, lambda problem, answer=answer: answer)
        assert words in str(told.value)


@pytest.mark.parametrize("asked, words", [
    ({"cells": CELLS[:, :2]}, "cells in 2 dimensions have 3, 4 nodes, not 2"),
    ({"nodes": NODES[:5]}, "element 0, slot 2 refers to nodes 5 of 5"),
    ({"nodes": NODES[0]}, "nodes are an array [n, 2] or [n, 3], not of shape (2,)"),
    ({"nodes": NODES + numpy.inf}, "is not finite"),
    ({"cells": -CELLS}, "cells refer to nodes from -11 to 0"),
    ({"cells": CELLS / 2}, "cells are an array [n, k] of whole numbers"),
    ({"cells": {"hexa": CELLS}}, "there are no cells of type 'hexa'; types are tris, quads"),
    ({"cells": {"tri": CELLS, "tris": CELLS}}, "a type of cells is given twice"),
    ({"cells": {"quads": CELLS}}, "quads have 4 nodes, not 3"),
    ({"cells": {}}, "there are no cells"),
    ({"block_size": 0}, "a block size is a whole number from 1"),
    ({"block_size": 64.5}, "a block size is a whole number from 1 to 2147483647, not 64.5"),
    ({"block_size": "64"}, "a block size is a whole number from 1 to 2147483647, not '64'"),
    ({"partitioner": ["rcb", "metis"]}, "a partitioner is a name, as of `tess list partitioners`, or a function, not ['rcb', 'metis']"),
    ({"partitioner": None}, "or a function, not None"),
    ({"partitioner": "mosiac"}, "did you mean 'mosaic'?"),
    ({"map": "edge:cells"}, "did you mean 'edges:cells'?"),
])  # fmt: skip
def test_what_is_wrong_is_told(asked, words):
    with pytest.raises(tesselab.BadInputError, match=re.escape(words)) as told:
        tesselab.partition(**{"cells": CELLS, "nodes": NODES, **asked})
    assert isinstance(told.value, ValueError)


def test_a_partitioner_that_fails(tmp_path):
    with pytest.raises(tesselab.TesselabError, match="its output:1: 'x' is not a block number"):
        tesselab.partition(CELLS, NODES, partitioner="exec:command=echo x")


def test_without_the_library_labs_are_read(monkeypatch):
    monkeypatch.setenv("TESS_LIBRARY", "/nowhere/libtesselab.so")
    assert len(tesselab.open_lab(ROOT / "notebooks/lab").runs()) > 0
    with pytest.raises(tesselab.NotInstalledError, match="build Tesselab .* TESS_LIBRARY"):
        tesselab.partition(CELLS, NODES)


def test_a_wheel(tess_bin, tmp_path, pip):
    """It holds the package alone, and finds the library beside the program in PATH."""
    shutil.copytree(ROOT / "python", tmp_path / "source", ignore=shutil.ignore_patterns("lab", "build", "*.egg-info"))
    words = pip(tmp_path / "venv", "--system-site-packages")
    built = subprocess.run([*words, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", tmp_path, tmp_path / "source"],
                           capture_output=True, text=True)  # fmt: skip
    if "invalid command 'bdist_wheel'" in built.stdout + built.stderr or "No module named 'wheel'" in built.stderr:
        pytest.skip("the package wheel is not installed")
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.startswith("tesselab-")}
    package = ROOT / "python"
    assert names == {str(path.relative_to(package)) for path in (package / "tesselab").rglob("*")
                     if path.is_file() and "__pycache__" not in path.parts}  # fmt: skip
    subprocess.run([*words, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    script = "import tesselab; print(tesselab.partition([[0, 1, 2]], [[0, 0], [1, 0], [0, 1]]).block_of, tesselab.__file__)"
    environment = {"PATH": f"{tess_bin.parent}:/usr/bin:/bin", "HOME": str(tmp_path)}
    printed = subprocess.run([tmp_path / "venv/bin/python3", "-c", script], cwd=tmp_path, env=environment, text=True,
                             capture_output=True)  # fmt: skip
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.startswith(f"[0] {tmp_path / 'venv'}")


@pytest.mark.skipif(not shutil.which("mypy"), reason="mypy is not installed")
def test_types_are_right(tmp_path):
    done = subprocess.run(["mypy", "--cache-dir", tmp_path], cwd=ROOT / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def python_with(package):
    """A Python that has the package and what ours needs."""
    for python in ("/usr/bin/python3", VIRTUAL / "bin/python3"):
        if shutil.which(python) and not subprocess.run(
                [python, "-c", f"import {package}, h5py, matplotlib, pandas"], capture_output=True).returncode:  # fmt: skip
            return python
    pytest.skip(f"{package} is not installed (pip install {package})")


MAKE = {
    "meshio": """import meshio, numpy
n = numpy.arange(9 * 9 * 5).reshape(5, 9, 9)
x = numpy.stack(numpy.meshgrid(range(9), range(9), range(5), indexing="ij"), -1).transpose(2, 1, 0, 3).reshape(-1, 3)
c = numpy.stack([n[k:k + 4, j:j + 8, i:i + 8].ravel() for i, j, k in ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0),
                 (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))], 1)
meshio.write_points_cells("mesh.vtu", x.astype(float), [("hexahedron", c[:100]), ("hexahedron", c[100:])])""",
    "pyvista": """import pyvista, numpy
x, y, z = numpy.meshgrid(range(9), range(9), range(5), indexing="ij")
pyvista.StructuredGrid(*(a.astype(float) for a in (x, y, z))).cast_to_unstructured_grid().save("mesh.vtu")"""}


@pytest.mark.parametrize("package", ["meshio", "pyvista"])
def test_the_example_works(tmp_path, package):
    """On a mesh of 256 hexes: the file that it writes has the block of each cell."""
    python = python_with(package)
    page = (ROOT / "python/README.md").read_text()
    (example,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if f"import {package}" in block)
    check = f"""
found = numpy.concatenate([numpy.ravel(part) for part in [{package}.read("blocks.vtu").cell_data["block"]]], axis=None)
print(numpy.bincount(found).tolist())"""
    (tmp_path / "example.py").write_text(f"{MAKE[package]}\nimport tesselab\n{example}\n{check}\n")
    done = subprocess.run([python, "example.py"], cwd=tmp_path, text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [128, 128]


def test_a_map_of_ones_own():
    """Without nodes; blocks and colours are those of the elements in the new order, points come by first use."""
    rng = numpy.random.default_rng(5)
    cells, _ = triangles(20, 15)
    cells = cells[rng.permutation(len(cells))]
    made = tesselab.partition(cells, block_size=32)
    assert made.map == "elements:points" and sorted(made.new_to_old) == ["elements", "points"]
    new_of_point = numpy.argsort(made.new_to_old["points"])
    index = new_of_point[cells[made.new_to_old["elements"]]]
    assert (made.block_of[made.new_to_old["elements"]] == numpy.repeat(range(made.n_blocks), numpy.diff(made.block_offset))).all()
    flat = index.ravel()
    assert (flat <= numpy.maximum.accumulate(numpy.concatenate([[-1], flat[:-1]])) + 1).all()  # each comes after all before it
    for block in range(made.n_blocks):
        span = slice(made.block_offset[block], made.block_offset[block + 1])
        for colour in set(made.thread_colour[span]):
            touched = index[span][made.thread_colour[span] == colour].ravel()
            assert len(set(touched)) == len(touched)
    reached = [set(index[made.block_offset[b]:made.block_offset[b + 1]].ravel()) for b in range(made.n_blocks)]
    assert not any(reached[a] & reached[b] for a in range(made.n_blocks) for b in range(a)
                   if made.block_colour[a] == made.block_colour[b])
    own = tesselab.partition(cells, block_size=32, partitioner=lambda problem: numpy.arange(problem.n_elements) // 32)
    assert own.n_blocks == -(-len(cells) // 32)
    for words in ({"map": "cells:nodes"}, {"partitioner": "rcb"}):
        with pytest.raises(tesselab.BadInputError):
            tesselab.partition(cells, block_size=32, **words)


@pytest.mark.parametrize("order", ["rcb", "levels", "hilbert", "metis:objtype=vol"])
def test_reordered_meshes_are_the_same(order):
    rng = numpy.random.default_rng(5)
    cells, nodes = triangles(20, 15)
    shuffled = rng.permutation(len(nodes))
    cells, nodes = numpy.argsort(shuffled)[cells][rng.permutation(len(cells))], nodes[shuffled]
    made = tesselab.reorder(cells, nodes, order)

    def corners(cells, nodes):
        return nodes[cells].reshape(len(cells), -1)

    assert (corners(made.cells, made.nodes) == corners(cells, nodes)[made.new_to_old["cells"]]).all()
    assert sorted(made.new_to_old["cells"]) == list(range(len(cells)))
    assert (made.nodes == nodes[made.new_to_old["nodes"]]).all()
    assert numpy.ptp(made.cells, 1).mean() < numpy.ptp(cells, 1).mean() / 3


def test_mixed_cells_are_reordered():
    cells, nodes = triangles(6, 5)
    quads = numpy.array([[0, 1, 8, 7]]) + 42 * 0
    made = tesselab.reorder({"triangle": cells[2:], "quad": quads}, nodes, "rcb", 8)
    assert list(made.cells) == ["triangle", "quad"]
    for name, old in (("triangle", cells[2:]), ("quad", quads)):
        order = made.new_to_old[{"triangle": "tris", "quad": "quads"}[name]]
        assert (made.nodes[made.cells[name]] == nodes[old[order]]).all()
    with pytest.raises(tesselab.BadInputError, match="mosaik.*; orders without blocks are hilbert, rcm, gps, levels"):
        tesselab.reorder(cells, nodes, "mosaik")
