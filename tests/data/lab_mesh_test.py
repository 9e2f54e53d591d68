"""The meshes of a lab are read as any file is: whole, under the name of the file."""

import json

import h5py
import numpy as np
import pytest
from mesh_files import Reading, mixed_su2


@pytest.fixture
def stored(tmp_path, tess):
    (tmp_path / "mesh.su2").write_text(mixed_su2())
    tess("partition", tmp_path / "mesh.su2", "--map", "faces:cells", "-b", "2", "-p", "file-order", "--lab", tmp_path / "lab", "--no-view", "--quiet")
    return next((tmp_path / "lab/meshes").iterdir())


def test_a_stored_mesh_is_the_mesh(tmp_path, tess, stored):
    said = json.loads(tess("mesh", "compare", "--json", stored, tmp_path / "mesh.su2").stdout)
    assert said["same_cells"] and said["same_sides"]
    reading = Reading(stored).assert_accepted()
    assert reading.markers == ["one", "two"] and reading.sets["faces"] == 3  # what was derived is kept
    assert json.loads(tess("mesh", "info", "--json", stored).stdout)["source"] == str(stored)
    tess("partition", stored, "--map", "faces:cells", "-b", "2", "-p", "file-order", "--lab", tmp_path / "lab", "--no-view", "--quiet")
    assert list((tmp_path / "lab/meshes").iterdir()) == [stored]  # the same content, stored once


def test_other_files_of_a_lab_are_none(tmp_path, tess, stored):
    plan = next((tmp_path / "lab/plans").iterdir())
    assert "this is not the file of a mesh" in tess("mesh", "info", plan, code=3).stderr
    content = stored.read_bytes()
    stored.chmod(0o644)
    stored.write_bytes(content[: len(content) * 2 // 3])
    error = tess("mesh", "info", stored, code=3).stderr
    assert str(stored) in error and len(error.splitlines()) == 1


@pytest.mark.parametrize("marker, refused", [(-1, ""), (-2, "has the marker -2 of 6"), (6, "has the marker 6 of 6"), (0.5, "are not one integer each")])
def test_sides_have_markers_that_have_names_or_none(tmp_path, tess, marker, refused):
    """Those without are no walls of fun3d."""
    tess("mesh", "generate", "tets:nx=2:ny=2:nz=2", "-o", tmp_path / "mesh.su2", "--quiet")
    tess("partition", tmp_path / "mesh.su2", "--map", "cells:nodes", "-b", "2", "-p", "file-order", "--lab", tmp_path / "stated", "--no-view", "--quiet")
    mesh = next((tmp_path / "stated/meshes").iterdir())
    mesh.chmod(0o644)
    with h5py.File(mesh, "r+") as file:
        shape = file["dats/marked_tris/marker"].shape
        del file["dats/marked_tris/marker"]
        values = np.full(shape, marker, dtype=np.float64 if marker == 0.5 else np.int32)
        file.create_dataset("dats/marked_tris/marker", data=values, chunks=shape, fletcher32=True)
    done = tess("run", "fun3d", "--loop", "zero", "--mesh", mesh, "-s", "sequential", "--device", "host", "--no-lab", code=3 if refused else 0)
    assert refused in done.stderr and (not refused or str(mesh) in done.stderr)
