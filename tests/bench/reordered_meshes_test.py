"""bench/reordered_meshes.py: ten reordered meshes are the same to readers of others, and it says where one is not."""

import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

SCRIPT = ROOT / "bench/reordered_meshes.py"
NEEDS = {"gmsh2": "meshio", "vtu": "vtk", "vtk": "vtk", "exodus": "vtk", "cgns": "vtk", "openfoam": "checkMesh"}
# A tess that gives one edge of the reordered triangles another marker.
DOUBLE = """#!/usr/bin/env python3
import pathlib, subprocess, sys
subprocess.run([{tess!r}, *sys.argv[1:]], check=True)
if "reorder" in sys.argv:
    path = pathlib.Path(next(word for word in sys.argv if word.endswith("mesh.msh")))
    head, elements = path.read_text().split("$Elements\\n")
    rows = [row.split() for row in elements.split("\\n")]
    side = next((row for row in rows if len(row) > 4 and row[1] == "1" and row[3] == "1"), None)
    if side:
        side[3] = "2"
    path.write_text(head + "$Elements\\n" + "\\n".join(" ".join(row) for row in rows))
"""


def rows_of(build, *formats):
    done = subprocess.run([sys.executable, SCRIPT, "--build", build, *formats], capture_output=True, text=True)
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("| ")][2:], done.stderr


@pytest.mark.parametrize("name", NEEDS)
def test_readers_of_others_find_the_same_mesh(tess_bin, name):
    if NEEDS[name] == "checkMesh" and not shutil.which("checkMesh"):
        pytest.skip("OpenFOAM is not on this machine")
    if NEEDS[name] != "checkMesh":
        pytest.importorskip(NEEDS[name])
    code, rows, said = rows_of(pathlib.Path(tess_bin).parents[1], name)
    assert code == 0 and len(rows) == (1 if name in ("exodus", "cgns") else 2), said
    assert all(row.endswith(" | equal |") for row in rows)


def test_a_side_of_another_marker_is_found(tess_bin, tmp_path):
    pytest.importorskip("meshio")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tess").write_text(DOUBLE.format(tess=str(tess_bin)))
    (tmp_path / "bin/tess").chmod(0o755)
    code, rows, said = rows_of(tmp_path, "gmsh2")
    assert code == 1 and [row.endswith(" | DIFFERENT |") for row in rows] == [True, False], said
