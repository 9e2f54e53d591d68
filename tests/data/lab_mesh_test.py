"""The meshes of a lab are read as any file is: whole, under the name of the file."""

import json

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
