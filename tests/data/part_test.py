"""MESH:part=N keeps N cells of one side of a mesh, with what they reach."""

import json

import pytest


def info(tess, mesh):
    return json.loads(tess("mesh", "info", mesh, "--json").stdout)["sets"]


@pytest.mark.parametrize("mesh, n, nodes", [
    ("quads:nx=8:ny=4", 12, 20),  # three columns of the longer axis
    ("quads:nx=4:ny=8", 16, 27),
    ("hexes:nx=5:ny=2:nz=2", 8, 27),
])  # fmt: skip
def test_a_part_is_a_side_of_the_mesh(tess, mesh, n, nodes):
    sets = info(tess, f"{mesh}:part={n}")
    assert sets["cells"] == n and sets["nodes"] == nodes


def test_all_of_a_mesh_that_has_no_more_stays(tess):
    assert info(tess, "quads:nx=8:ny=4:part=32") == info(tess, "quads:nx=8:ny=4")


@pytest.mark.parametrize("mesh", ["layers:nx=6:ny=6:prisms=2:tets=2", "pyfr_triangular_aerofoil.msh.xz", "north_sea.msh.xz",
                                  "quads:nx=30:ny=20:shuffle=1"])  # fmt: skip
def test_a_part_is_a_mesh_without_faults(tess, mesh):
    """Of several types of cells, with marked sides and regions."""
    sets = info(tess, f"{mesh}:part=300")
    assert sets["cells"] == 300 < info(tess, mesh)["cells"]
    tess("mesh", "check", f"{mesh}:part=300")


def test_a_loop_runs_on_a_part(tess):
    done = tess("run", "airfoil", "--mesh", "quads:nx=30:ny=20:part=100", "--strategy", "atomics", "--no-lab", "--json")
    (run,) = json.loads(done.stdout)["runs"]
    assert run["check"] == "passed"


def test_what_has_no_cells_has_no_part(tess):
    done = tess("mesh", "info", "random_blocks:n=500:b=50:part=20", code=3)
    assert "a part is of cells with nodes, and it has none" in done.stderr


def test_tune_takes_a_part_of_a_mesh_that_is_too_large(tess, tmp_path):
    words = ("tune", "airfoil", "--mesh", "quads:nx=300:ny=300", "--device", "host", "--strategy", "sequential",
             "--partitioner", "file-order", "--block-size", "128", "--layout", "soa", "--budget", "0.1s", "--lab", tmp_path)  # fmt: skip
    try:
        done = tess(*words)
    except AssertionError:  # a busy machine may need more than the budget to begin
        done = tess(*words)
    assert "Tried on 0.05 of 0.09 million cells, a part of the mesh (quads:nx=300:ny=300:part=50000)" in done.stdout
    assert "tess run --mesh=quads:nx=300:ny=300 airfoil" in done.stdout
