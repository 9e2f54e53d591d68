"""Files that are no mesh, or of formats that are not read, are called by their names, with what to do."""

import re

import pytest
from mesh_files import medit, read, su2_text
from hostile_test import GR3

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
STRANGERS = {
    **{f"a pointer of git-lfs, {name}": (name, LFS, "a pointer of git-lfs, not the mesh: 'git lfs pull'")
       for name in ("mesh.su2", "mesh.msh", "mesh.lb8.ugrid", "mesh.ugrid", "mesh.exo", "mesh.cgns", "mesh.vtk", "mesh.meshb", "mesh", "faces")},
    "a page": ("mesh.msh", b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "a web page, not a mesh"),
    "a page behind blanks": ("mesh.vtu", b"\xef\xbb\xbf\n  <HTML lang='en'>", "a web page, not a mesh"),
    "a page as binary": ("mesh.lb8.ugrid", b"<!doctype HTML><html>", "a web page, not a mesh"),
    "a page of XML": ("mesh.vtu", b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "XML, but not of VTK's"),
    "XDMF": ("mesh.xdmf", b'<Xdmf Version="3.0"><Domain/></Xdmf>', "XML, but not of VTK's: XDMF perhaps, of which 'meshio convert' makes VTU"),
    "an answer": ("mesh.su2", b'{"message": "Not Found"}', "JSON, not a mesh"),
    "a zip archive": ("mesh.su2", b"PK\3\4" + bytes(30), "a zip archive: unpack it"),
    "Fluent": ("mesh.msh", b'(0 "Fluent mesh")\n(2 3)\n(10 (0 1 8 0 3))\n', "a mesh of Fluent, .*fluentMeshToFoam"),
    "Fluent's case": ("mesh.cas", b'(0 "fluent19.2.0  build-id: 10200")\n\n(0 "Machine Config:")\n', "a mesh of Fluent"),
    "Fluent without words": ("mesh.msh", b"\n(2 2)\n(10 (0 1 8 0 2))\n", "a mesh of Fluent"),
    "STEP": ("part.step", b"ISO-10303-21;\nHEADER;\n", "geometry .STEP., not a mesh"),
    "STL": ("part.stl", b"solid part\n facet normal 0 0 1\n", "a surface .STL., not a mesh of cells"),
}  # fmt: skip


@pytest.mark.parametrize("case", STRANGERS)
def test_is_named(tmp_path, case):
    name, content, words = STRANGERS[case]
    path, reading = read(tmp_path, name, content)
    reading.assert_refused(path, f"line 1: is {words}")


def test_what_nobody_knows_is_told_with_programs_that_may(tmp_path):
    path, reading = read(tmp_path, "mesh.inp", b"*HEADING\n*NODE\n1, 0., 0.\n")
    reading.assert_refused(path, "line 1: not in a mesh format known here: su2 .*; of others 'meshio convert' or Gmsh makes VTU or MSH")


def test_a_reader_that_is_asked_for_says_so_too(tess, tmp_path):
    (tmp_path / "mesh.msh").write_bytes(b"(2 3)\n(10 (0 1 8 0 3))\n")
    assert "is a mesh of Fluent" in tess("mesh", "info", f"{tmp_path}/mesh.msh:reader=gmsh", code=3).stderr


def test_meshes_that_begin_alike_are_read(tmp_path):
    """A title may be any words."""
    for title in ("solid earth", "{a basin}", "(2 basins)"):
        _, reading = read(tmp_path, "hgrid.gr3", title + GR3[GR3.index("\n") :])
        assert reading.assert_accepted().sets["nodes"]


@pytest.mark.parametrize("name", ["a:b.su2", "a,b.su2", "a:refine=1:b.su2"])
def test_paths_with_colons_may_have_options(tess, tmp_path, name):
    (tmp_path / name).write_text(su2_text(2))
    assert re.search(r"^cells +8$", tess("mesh", "info", name, "--brief", cwd=tmp_path).stdout, re.M)
    for mesh in (f"{name}:refine=1", f'"{name}":refine=1', f"{tmp_path}/{name}:refine=1:shuffle=3"):
        said = tess("mesh", "info", mesh, "--brief", cwd=tmp_path).stdout
        assert re.search(r"^cells +32$", said, re.M), said
    (tmp_path / "b:c.mesh").write_text(medit())
    tess("mesh", "compare", "b:c.mesh:shuffle=1", "b:c.mesh:reader=medit", cwd=tmp_path)
    assert "has no option 'refin'" in tess("mesh", "info", f"{name}:refin=1", cwd=tmp_path, code=2).stderr
