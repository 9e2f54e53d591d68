"""Files of every format with random bytes changed, lost or doubled: always a mesh or a refusal."""

import pathlib
import random
import subprocess

import pytest
from conftest import limited
from hostile_test import GR3
from mesh_files import READ_MESH, chaste, fesom, gmsh2, gmsh4, medit, meshb, op2_text, su2_text, tetgen, ugrid, ugrid_text
from mfem_test import CURVED, mfem
from mutants import mutant
from vtk_files import Legacy, Vtu

SEEDS = {
    "mesh.su2": su2_text(3).encode(),
    "zones.su2": ("NZONE= 2\nIZONE= 1\n" + su2_text(2) + "IZONE= 2\n" + su2_text(2)).encode(),
    "new_grid.dat": op2_text(3).encode(),
    "hgrid.gr3": GR3.encode(),
    "text2.msh": gmsh2(3),
    "binary2.msh": gmsh2(3, binary=True),
    "text4.msh": gmsh4(3),
    "binary4.msh": gmsh4(3, binary=True),
    "big4.msh": gmsh4(3, binary=True, order=">", step=10**6),
    "two.meshb": meshb(),
    "four.meshb": meshb(4),
    "mesh.lb8.ugrid": ugrid(),
    "mixed.ugrid": ugrid_text().encode(),
    "fortran.lr8.ugrid": ugrid(fortran=True),
    "mixed.mesh": medit().encode(),
    "mfem.mesh": mfem().encode(),
    "curved.mesh": CURVED.encode(),
    "text.vtk": Legacy().grid(),
    "binary.vtk": Legacy(True).grid(),
    "split.vtk": Legacy(True, "5.1").grid(),
    "text.node": tetgen()[".node"],
    "text.ele": tetgen()[".ele"],
    "text.face": tetgen()[".face"],
    "packed.node": chaste()[".node"],
    "packed.ele": chaste()[".ele"],
    "text.vtu": Vtu().file(),
    "inline.vtu": Vtu(format="binary", compressed=True).file(),
    "appended.vtu": Vtu(format="appended", encoding="raw", header="UInt64").file(),
    "base64.vtu": Vtu(format="appended", compressed=True, order=">").file(),
    "nod2d.out": fesom()["nod2d.out"],
    "elem2d.out": fesom()["elem2d.out"],
}
# What lies beside a mutant, unchanged, and which of the files is read.
BESIDE = {
    **{f"text{ending}": {f"text{other}": content for other, content in tetgen().items()} for ending in tetgen()},
    **{f"packed{ending}": {f"packed{other}": content for other, content in chaste().items()} for ending in chaste()},
    **{name: fesom() for name in fesom()},
}
READ_INSTEAD = {"text.face": "text.ele"}
N_MUTANTS = 150


@pytest.mark.parametrize("name", SEEDS)
def test_mutants(tmp_path, name):
    chance = random.Random(name)
    paths = []
    for i in range(N_MUTANTS):
        folder = tmp_path / str(i)
        folder.mkdir()
        for file, content in BESIDE.get(name, {}).items():
            (folder / file).write_bytes(content)
        (folder / name).write_bytes(mutant(SEEDS[name], chance))
        paths.append(folder / READ_INSTEAD.get(name, name))
    done = subprocess.run([READ_MESH, *paths], capture_output=True, text=True, errors="replace", **limited(120))
    assert done.returncode in (0, 3), done.stderr[-3000:]
    meshes = done.stdout.count("digest ")
    messages = [line for line in done.stderr.splitlines() if line.startswith(str(tmp_path))]
    assert meshes + len(messages) == N_MUTANTS, done.stderr[-3000:]
    folders = {path.parent for path in paths}
    assert all(pathlib.Path(line.split(": ")[0]).parent in folders for line in messages)
