"""Plans as `tess partition` stores them, proved and measured again by an independent script; and
plans with one thing changed, which neither that script nor tess verify accepts."""

import json
import shutil

import h5py
import numpy
import pytest
import recompute

PARTITIONERS = "file-order,random,rcb,hilbert,metis"
CASES = [
    ("tris:nx=9:ny=7:shuffle=3", "edges:cells", []),
    ("tris:nx=9:ny=7", "edges:nodes", ["--layout", "aos", "--renumber", "blocks"]),
    ("quads:nx=12:ny=9", "cells:nodes", ["--dat", "q:nodes:5:float", "--order", "colour"]),
    ("quads:nx=12:ny=9", "cells:cells", ["--renumber", "gps"]),  # padded
    ("quads:nx=12:ny=9", "bedges:cells", []),
    ("tets:nx=4:ny=3:nz=3", "faces:cells", ["--renumber", "owner", "--colouring", "fewest"]),
    ("quads:nx=6:ny=5", "edges:cells", ["--renumber", "colours"]),
    ("tris:nx=9:ny=7:shuffle=3", "edges:nodes", ["--renumber", "executed", "--order", "lines"]),
    ("hexes:nx=5:ny=4:nz=3", "edges:nodes", ["--dat", "v:nodes:3:double", "--layout", "aos"]),
    ("hexes:nx=5:ny=4:nz=3", "cells:nodes", ["--points", "all"]),
    ("MIXED", "cells:nodes", ["--renumber", "blocks"]),  # padded
]


def columns_of_several_types(n):
    """SU2: n x n columns, each a hex with a pyramid or two prisms above it, by turns."""
    node = lambda i, j, k: (k * (n + 1) + j) * (n + 1) + i
    n_grid = 3 * (n + 1) ** 2
    points = [(i, j, k) for k in range(3) for j in range(n + 1) for i in range(n + 1)]
    cells = []
    for j in range(n):
        for i in range(n):
            below, middle, above = ([node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k)]
                                    for k in range(3))  # fmt: skip
            cells.append([12, *below, *middle])
            if (i + j) % 2:
                cells.append([14, *middle, n_grid + sum(cell[0] == 14 for cell in cells)])
                points.append((i + 0.5, j + 0.5, 1.5))
            else:
                cells.append([13, middle[0], middle[1], middle[2], above[0], above[1], above[2]])
                cells.append([13, middle[0], middle[2], middle[3], above[0], above[2], above[3]])
    rows = ["NDIME= 3", f"NELEM= {len(cells)}"] + [" ".join(map(str, cell)) for cell in cells]
    rows += [f"NPOIN= {len(points)}"] + [" ".join(map(str, point)) for point in points] + ["NMARK= 0", ""]
    return "\n".join(rows)


def archive(tess, lab, mesh, loop_map, *options, partitioners=PARTITIONERS, sizes="64,128,256,480"):
    done = tess(
        "partition", mesh, "--map", loop_map, "--partitioner", partitioners, "--block-size", sizes,
        "--lab", lab, "--no-view", "--json", *options,
    )  # fmt: skip
    return json.loads(done.stdout)["runs"]


@pytest.mark.parametrize("mesh, loop_map, options", CASES)
def test_plans_are_proved_and_metrics_agree_exactly(tess, tmp_path, mesh, loop_map, options):
    if mesh == "MIXED":
        mesh = tmp_path / "mixed.su2"
        mesh.write_text(columns_of_several_types(9))
    runs = archive(tess, tmp_path, mesh, loop_map, *options)
    assert len(runs) == 20
    assert recompute.check_lab(tmp_path) == len({run["plan_file"] for run in runs})
    for run in runs:
        name = run["plan_file"].rsplit("/", 1)[1]
        with h5py.File(tmp_path / "plans" / name) as plan:
            assert plan["metrics/reuse_factor"][()] == run["reuse_factor"]
            assert plan.attrs["partitioner"].decode() == run["partitioner"]
    assert "0 defects" in tess("verify", "--lab", tmp_path).stdout


@pytest.mark.parametrize("mesh", ["tets:nx=6:ny=5:nz=4:shuffle=2", "tris:nx=17:ny=11:shuffle=1", "quads:nx=12:ny=9"])
def test_plans_of_a_loop_that_only_gathers(tess, tmp_path, mesh):
    """cut and border from the arrays of the lab, and no colours anywhere."""
    tess("run", "fv", "--mesh", mesh, "--partitioner", PARTITIONERS + ",mosaic", "--block-size", "32,100",
         "--strategy", "atomics", "--lab", tmp_path, "--no-view")  # fmt: skip
    assert recompute.check_lab(tmp_path) == 12
    for path in (tmp_path / "plans").iterdir():
        with h5py.File(path) as plan:
            assert "thread_colour" not in plan["plan"] and "block_colour" not in plan["plan"]
            assert not [name for name in plan["metrics"] if "colours" in name]
            assert {"cut", "border"} <= set(plan["metrics"])
    assert "0 defects" in tess("verify", "--lab", tmp_path).stdout


@pytest.fixture(scope="module")
def one_plan(tess, tmp_path_factory):
    """A lab with one plan, its path and its mesh's."""
    lab = tmp_path_factory.mktemp("one") / "lab"
    (run,) = archive(tess, lab, "tris:nx=9:ny=7", "edges:cells", partitioners="rcb", sizes="64")
    (plan,), (mesh,) = (lab / "plans").iterdir(), (lab / "meshes").iterdir()
    return lab, plan, mesh


def swap_elements(plan):
    executed, offset = plan["plan/executed"], plan["plan/block_offset"][1]
    executed[0], executed[offset] = executed[offset], executed[0]


def lose_element(plan):
    plan["plan/executed"][0] = plan["plan/executed"][1]


def shift_offset(plan):
    plan["plan/block_offset"][1] += 1


def overfill_block(plan):
    plan.attrs["block_size"] = 40


def one_thread_colour(plan):
    plan["plan/thread_colour"][...] = 0


def one_block_colour(plan):
    plan["plan/block_colour"][...] = 0


def wrong_local_index(plan):
    local = plan["plan/sets/cells/local_index"]
    local[0, 0] = 0 if local[0, 0] else 1


def wrong_point(plan):
    plan["plan/sets/cells/points"][0] += 1


def wrong_metric(plan):
    plan["metrics/fill"][()] = numpy.nextafter(plan["metrics/fill"][()], 2)


def wrong_block_of(plan):
    plan["partition/block_of"][0] = (plan["partition/block_of"][0] + 1) % plan["metrics/blocks"][()]


@pytest.mark.parametrize(
    "change",
    [
        swap_elements, lose_element, shift_offset, overfill_block, one_thread_colour, one_block_colour,
        wrong_local_index, wrong_point, wrong_metric, wrong_block_of,
    ],
)  # fmt: skip
def test_a_changed_plan_is_refused(tess, one_plan, tmp_path, change):
    lab, plan, mesh = one_plan
    recompute.Plan(plan, mesh).check()
    copy = tmp_path / "lab"
    shutil.copytree(lab, copy)
    with h5py.File(copy / "plans" / plan.name, "r+") as file:
        change(file)
    with pytest.raises((recompute.Wrong, IndexError, ValueError)):
        recompute.Plan(copy / "plans" / plan.name, mesh).check()
    assert plan.name in tess("verify", "--lab", copy, code=1).stdout
