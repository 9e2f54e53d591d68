"""Meshes written to Exodus, CGNS, OpenFOAM and legacy VTK: read back the same, by readers of others too; what a format cannot hold."""

import json
import locale
import math
import os
import re
import shutil

import pytest
from polyhedra_files import hexes, poly_mesh, split_hexes

FILES = {"exodus": "mesh.exo", "cgns": "mesh.cgns", "vtk": "mesh.vtk", "openfoam": "case/constant/polyMesh"}
MESHES = ["tets:nx=3:ny=2:nz=2:shuffle=3", "hexes:nx=3:ny=2:nz=2", "prisms:nx=2:ny=2:nz=2:shuffle=1", "layers:shuffle=3",
          "irregular:nx=6:ny=5:seed=2", "quads:nx=4:ny=3:shuffle=2"]  # fmt: skip


def convert(tess, mesh, into, *words, code=0):
    return tess("mesh", "convert", mesh, into, *words, code=code)


def groups_of(tess, mesh, kind):
    return {row["name"]: row["cells" if kind == "regions" else "elements"] for row in json.loads(tess("mesh", "info", mesh, "--brief", "--json").stdout)[kind]}


def rows_of(tess, mesh, into):
    """The cells as SU2 has them, in their order."""
    convert(tess, mesh, into, "--quiet")
    lines = into.read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("NELEM="))
    return lines[at + 1 : at + 1 + int(lines[at].split("=")[1])]


def grouped(tess, path, kind="tets", names=("rock", "air"), markers=("top",), size="nx=3:ny=2:nz=2", turn=lambda n, of: n % of):
    """A mesh whose cells are of some regions by turns, and whose sides of some markers."""
    tess("mesh", "generate", f"{kind}:{size}", "-o", path, "--format", "gmsh2")
    text = path.read_text()
    dimension = 2 if kind in ("tris", "quads") else 3
    of_cells = {"tris": 2, "quads": 3, "tets": 4, "hexes": 5, "prisms": 6}[kind]
    rows, n = [], {True: 0, False: 0}
    for row in text.split("$Elements\n")[1].split("$EndElements")[0].split("\n")[1:-1]:
        word = row.split()
        is_cell = int(word[1]) == of_cells
        word[3] = str(21 + turn(n[True], len(names)) if is_cell else 11 + turn(n[False], len(markers)))
        n[is_cell] += 1
        rows.append(" ".join(word))
    physical = [f'{d} {first + i} "{name}"' for d, first, of in ((dimension - 1, 11, markers), (dimension, 21, names)) for i, name in enumerate(of)]
    nodes = text.split("$Nodes\n")[1].split("$EndNodes")[0]
    newline = "\n"
    path.write_text(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{len(physical)}\n{newline.join(physical)}\n$EndPhysicalNames\n"
                    f"$Nodes\n{nodes}$EndNodes\n$Elements\n{len(rows)}\n{newline.join(rows)}\n$EndElements\n")  # fmt: skip
    return path


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("name", FILES)
def test_what_is_written_reads_back_the_same(tess, tmp_path, name, mesh):
    path = tmp_path / FILES[name]
    if name == "openfoam" and mesh[0] in "iq":
        assert "no cells of two dimensions" in convert(tess, mesh, path, code=3).stderr
        assert not list(path.glob("*"))
        return
    convert(tess, mesh, path)
    assert "The same nodes, cells and marked sides" in tess("mesh", "compare", mesh, path).stdout
    if name != "vtk":  # which has no names
        assert groups_of(tess, path, "markers") == groups_of(tess, mesh, "markers")
    if name != "openfoam" and not mesh.startswith("layers"):  # whose cells Exodus and CGNS hold by type
        assert rows_of(tess, path, tmp_path / "a.su2") == rows_of(tess, mesh, tmp_path / "b.su2")


@pytest.mark.parametrize("name", FILES)
def test_regions_and_their_names_are_kept(tess, tmp_path, name):
    mesh, path = grouped(tess, tmp_path / "mesh.msh"), tmp_path / FILES[name]
    said = convert(tess, mesh, path).stderr
    n = sum(groups_of(tess, mesh, "regions").values()) // 2
    assert "The same nodes, cells and marked sides" in tess("mesh", "compare", mesh, path).stdout
    if name == "vtk":
        assert groups_of(tess, path, "regions") == {"region 21": n, "region 22": n}
        return
    assert groups_of(tess, path, "regions") == {"rock": n, "air": n}
    assert groups_of(tess, path, "markers") == groups_of(tess, mesh, "markers")
    moved = re.search(r"hold cells (?:block by block|section by section): (\d+) of them have other numbers", said)
    assert bool(moved) == (name != "openfoam"), said
    if moved:  # by turns: but the first and the last all of them move
        assert int(moved.group(1)) == 2 * n - 2


@pytest.mark.parametrize("form", ["gmsh2", "gmsh4", "vtu", "vtkhdf"])
def test_cells_of_no_region_have_none(tess, tmp_path, form):
    mesh, path = grouped(tess, tmp_path / "mesh.msh"), tmp_path / f"of.{form if form[0] == 'v' else 'msh'}"
    mesh.write_text(re.sub(r"(?m)^(\d+ 4 2) 22 ", r"\1 0 ", mesh.read_text()))
    n = groups_of(tess, mesh, "regions")["rock"]
    convert(tess, mesh, path, *(("--format", form) if form[0] == "g" else ()))
    assert "The same nodes, cells and marked sides" in tess("mesh", "compare", mesh, path).stdout
    assert list(groups_of(tess, path, "regions").values()) == [n] and json.loads(tess("mesh", "info", path, "--json").stdout)["sets"]["cells"] == 2 * n


def test_entities_of_gmsh_say_where_they_are(tess, tmp_path):
    (tmp_path / "mesh.su2").write_text("NDIME= 2\nNELEM= 1\n9 0 1 2 3\nNPOIN= 4\n-3 -2\n-1 -2.5\n-1 -1\n-3 -1\n")
    convert(tess, tmp_path / "mesh.su2", tmp_path / "mesh.msh", "--format", "gmsh4")
    (entity,) = re.search(r"\$Entities\n0 0 1 0\n(.*)\n\$EndEntities", (tmp_path / "mesh.msh").read_text()).groups()
    assert [float(word) for word in entity.split()[1:7]] == [-3, -2.5, 0, -1, -1, 0]


HOSTILE = ["a b", "1", "-2", "x/y", "ß" * 30, "GridCoordinates", "x_y", "{", "$include", "#", ";", "it's", "defaultFaces"]


def triangle(n, of):
    """One of the first, two of the second, ...: each is known by how many it has; the last has the rest."""
    return min(int((math.sqrt(8 * n + 1) - 1) / 2), of - 1)


@pytest.mark.parametrize("name", ["exodus", "cgns", "openfoam"])
def test_hostile_names_stay_distinct(tess, tmp_path, name):
    """Each marker and region of a name that some format cannot hold is there, once, and a warning says what it is called."""
    path, words = tmp_path / FILES[name], (*HOSTILE, "rock")
    mesh = grouped(tess, tmp_path / "mesh.msh", names=words, markers=words, size="nx=4:ny=3:nz=3", turn=triangle)
    said = convert(tess, mesh, path).stderr
    for kind in ("markers", "regions"):
        was, now = groups_of(tess, mesh, kind), groups_of(tess, path, kind)
        assert set(was) == set(words) and len(set(was.values())) == len(words)
        assert sorted(was.values()) == sorted(now.values()), now
        called = {n: word for word, n in now.items()}
        for word, n in was.items():
            assert called[n] == word or f"'{called[n]}'" in said, (word, called[n], said)
            assert called[n] == word or word not in ("rock", *(("a b", "it's") if name == "exodus" else ()))


def test_a_condition_of_cgns_has_all_sides_of_its_marker(tess, tmp_path):
    """Not by the section's name alone, which our reader would take, too."""
    h5py = pytest.importorskip("h5py")
    convert(tess, grouped(tess, tmp_path / "mesh.msh"), tmp_path / "mesh.cgns")
    with h5py.File(tmp_path / "mesh.cgns") as file:
        zone = file["Base/Zone1"]
        assert zone["ZoneBC/top/PointRange/ data"][:].ravel().tolist() == zone["top/ElementRange/ data"][:].ravel().tolist()
        assert bytes(zone["ZoneBC/top/GridLocation/ data"][:]) == b"FaceCenter"


def test_names_that_become_the_same_are_told_apart(tess, tmp_path):
    mesh = grouped(tess, tmp_path / "mesh.msh", names=("x/y", "x_y"))
    for name in ("cgns", "openfoam"):
        convert(tess, mesh, tmp_path / FILES[name])
        assert set(groups_of(tess, tmp_path / FILES[name], "regions")) == {"x_y", "x_y_2"}


@pytest.fixture
def own_locale():
    """VTK sets another one, in which Python takes all files for ASCII."""
    before = locale.setlocale(locale.LC_ALL)
    yield
    locale.setlocale(locale.LC_ALL, before)


def test_vtk_reads_them(tess, tmp_path, own_locale):
    vtk = pytest.importorskip("vtk")
    mesh = grouped(tess, tmp_path / "mesh.msh")
    (n_sides,), n_cells = groups_of(tess, mesh, "markers").values(), sum(groups_of(tess, mesh, "regions").values())
    for name, reader in (("exodus", "vtkExodusIIReader"), ("vtk", "vtkUnstructuredGridReader"), ("openfoam", "vtkOpenFOAMReader")):
        if not hasattr(vtk, reader):
            pytest.skip(f"this VTK has no {reader}")
        path = tmp_path / FILES[name]
        convert(tess, mesh, path)
        if name == "openfoam":
            path = tmp_path / "case/case.foam"
            path.touch()
        read = getattr(vtk, reader)()
        read.SetFileName(str(path))
        if name != "vtk":
            read.UpdateInformation()
        if name == "exodus":
            names = [read.GetObjectName(vtk.vtkExodusIIReader.SIDE_SET, 0), *(read.GetObjectName(vtk.vtkExodusIIReader.ELEM_BLOCK, i) for i in (0, 1))]
            assert names == ["top", "rock", "air"]
            read.SetObjectStatus(vtk.vtkExodusIIReader.SIDE_SET, 0, 1)
        if name == "openfoam":
            read.EnableAllPatchArrays()
        read.Update()
        leaves, found = [read.GetOutput()], {}
        while leaves:
            leaf = leaves.pop()
            if leaf is not None and leaf.IsA("vtkMultiBlockDataSet"):
                leaves += [leaf.GetBlock(i) for i in range(leaf.GetNumberOfBlocks())]
            elif leaf is not None:
                for i in range(leaf.GetNumberOfCells()):
                    found[leaf.GetCell(i).GetCellDimension()] = found.get(leaf.GetCell(i).GetCellDimension(), 0) + 1
        assert found == {3: n_cells, 2: n_sides}, name


# --- OpenFOAM -------------------------------------------------------------------------------------


def test_polyhedra_and_faces_seen_from_outside(tess, tmp_path):
    mesh = poly_mesh(tmp_path / "split/constant/polyMesh", *split_hexes())
    path = tmp_path / "case/constant/polyMesh"
    convert(tess, mesh, path)
    assert "The same nodes, cells and marked sides" in tess("mesh", "compare", mesh, path).stdout
    assert "tells no format" in convert(tess, mesh, tmp_path / "new", code=2).stderr  # a case that is not there
    assert not (tmp_path / "new").exists()


def faces_of(folder):
    """Rings, owners and neighbours, and the points."""
    numbers = lambda text: [int(word) for word in re.findall(r"\d+", text)]
    body = {name: (folder / name).read_text().split("}\n", 1)[1] for name in ("points", "faces", "owner", "neighbour")}
    points = [tuple(map(float, row.split())) for row in re.findall(r"\(([-+.\de]+ [-+.\de]+ [-+.\de]+)\)", body["points"])]
    return [numbers(row) for row in re.findall(r"^\d+\(([\d ]+)\)$", body["faces"], re.M)], numbers(body["owner"])[1:], numbers(body["neighbour"])[1:], points


@pytest.mark.parametrize("mesh", ["layers:shuffle=3", "tets:nx=3:ny=2:nz=2:shuffle=3", "hexes:nx=2:ny=2:nz=2", "turned"])
def test_faces_are_upper_triangular_and_leave_their_owners(tess, tmp_path, mesh):
    """Also those of cells whose nodes go the other way round."""
    folder = tmp_path / "constant/polyMesh"
    if mesh == "turned":
        mesh = tmp_path / "turned.su2"
        convert(tess, "tets:nx=3:ny=2:nz=2", mesh)
        mesh.write_text(re.sub(r"^10 (\d+) (\d+) (\d+) (\d+) (\d*[02468])$", r"10 \2 \1 \3 \4 \5", mesh.read_text(), flags=re.M))
    convert(tess, mesh, folder)
    rings, owner, neighbour, points = faces_of(folder)
    pairs = list(zip(owner, neighbour))
    assert pairs == sorted(pairs) and all(a < b for a, b in pairs)
    assert len(rings) == len(owner) > len(neighbour) > 0
    cells = {}
    for f, ring in enumerate(rings):
        for cell in {owner[f], neighbour[f] if f < len(neighbour) else owner[f]}:
            cells.setdefault(cell, set()).update(ring)
    middle = lambda nodes: [sum(points[n][d] for n in nodes) / len(nodes) for d in range(3)]
    for f, ring in enumerate(rings):
        a, b, c = (points[n] for n in ring[:3])
        u, v = [b[d] - a[d] for d in range(3)], [c[d] - a[d] for d in range(3)]
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        out = [x - y for x, y in zip(middle(ring), middle(cells[owner[f]]))]
        assert sum(x * y for x, y in zip(normal, out)) > 0


def test_patches_keep_their_types(tess, tmp_path):
    """In place, and over the copy of a case: all that the boundary file says but the faces."""
    mesh, case = grouped(tess, tmp_path / "mesh.msh"), tmp_path / "case"
    boundary = case / "constant/polyMesh/boundary"
    assert "all patches have the type patch" in convert(tess, mesh, case, "--format", "openfoam").stderr
    old = boundary.read_text()
    boundary.write_text(old.replace("type            patch;", "type wall; // of stone\n inGroups 1(wall); deep { a { b 1; } nFaces 7; }"))
    said = tess("mesh", "reorder", case, case, "-p", "levels").stderr
    assert "type patch" not in said
    new = boundary.read_text()
    assert "type wall;" in new and "inGroups 1(wall);" in new and "deep { a { b 1; } nFaces 7; }" in new
    assert [re.findall(rf"{word} +(\d+);\n", new) for word in ("nFaces", "startFace")] == [re.findall(rf"{word} +(\d+);\n", old) for word in ("nFaces", "startFace")]
    assert "The same nodes, cells and marked sides" in tess("mesh", "compare", mesh, case).stdout


def test_patches_of_no_faces_and_the_name_of_the_rest(tess, tmp_path):
    """A marker without sides is a patch of none; one whose only face is in another patch is not there; the rest gets a name that is free."""
    sides = {"wall": ["9 0 1 3 2"], "again": ["9 0 1 3 2"], "defaultFaces_2": ["9 4 5 7 6"], "defaultFaces": ["9 0 1 5 4"], "empty": []}
    marked = [line for name, rows in sides.items() for line in (f"MARKER_TAG= {name}", f"MARKER_ELEMS= {len(rows)}", *rows)]
    nodes = [f"{x} {y} {z}" for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    (tmp_path / "mesh.su2").write_text("\n".join(["NDIME= 3", "NELEM= 1", "12 0 1 3 2 4 5 7 6", "NPOIN= 8", *nodes, "NMARK= 5", *marked, ""]))
    convert(tess, tmp_path / "mesh.su2", tmp_path / "case", "--format", "openfoam")
    boundary = (tmp_path / "case/constant/polyMesh/boundary").read_text()
    found = re.findall(r"(\w+)\s*{\s*type +patch;\s*nFaces +(\d+);\s*startFace +(\d+);", boundary)
    assert found == [("wall", "1", "0"), ("defaultFaces_2", "1", "1"), ("defaultFaces", "1", "2"), ("empty", "0", "3"), ("defaultFaces_3", "3", "3")]


def test_blocks_and_sets_of_exodus_have_numbers_of_their_own(tess, tmp_path):
    """A region of two types of cells is two blocks; a set of no sides is switched off; names have 32 letters at least."""
    netcdf = pytest.importorskip("scipy.io")
    nodes = ["0 0", "1 0", "1 1", "0 1", "2 0.5"]
    text = "\n".join(["NDIME= 2", "NELEM= 2", "9 0 1 2 3", "5 1 4 2", "NPOIN= 5", *nodes, "NMARK= 2", "MARKER_TAG= a", "MARKER_ELEMS= 1", "3 0 1",
                      "MARKER_TAG= none", "MARKER_ELEMS= 0", ""])  # fmt: skip
    (tmp_path / "mesh.su2").write_text(text)
    convert(tess, tmp_path / "mesh.su2", tmp_path / "mesh.msh", "--format", "gmsh2")
    gmsh = (tmp_path / "mesh.msh").read_text()
    for of_cells in (2, 3):
        gmsh = re.sub(rf"(?m)^(\d+ {of_cells} 2) \d+ ", r"\1 7 ", gmsh)
    head, behind = gmsh.split("$PhysicalNames\n")[0], gmsh.split("$EndPhysicalNames\n")[1]
    (tmp_path / "mesh.msh").write_text(f'{head}$PhysicalNames\n2\n1 1 "a"\n2 7 "rock"\n$EndPhysicalNames\n{behind}')
    convert(tess, tmp_path / "mesh.msh", tmp_path / "mesh.exo")
    with netcdf.netcdf_file(tmp_path / "mesh.exo", mmap=False) as file:
        assert file.variables["eb_prop1"][:].tolist() == [1, 2] and file.dimensions["len_name"] == 33
    convert(tess, tmp_path / "mesh.su2", tmp_path / "sides.exo")
    with netcdf.netcdf_file(tmp_path / "sides.exo", mmap=False) as file:
        assert (file.variables["ss_prop1"][:].tolist(), file.variables["ss_status"][:].tolist()) == ([1, 2], [1, 0])
    assert groups_of(tess, tmp_path / "mesh.exo", "regions") == {"rock": 2}


def test_refused_before_a_byte_is_written(tess, tmp_path):
    mesh, case = grouped(tess, tmp_path / "mesh.msh"), tmp_path / "case"
    folder = case / "constant/polyMesh"
    convert(tess, mesh, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "cellLevel").write_text("numbers")
    done = tess("mesh", "reorder", mesh, case, code=3)
    assert "cellLevel" in done.stderr and "remove them" in done.stderr and done.stdout == ""
    (folder / "cellLevel").unlink()
    for time, text in (("0", "internalField uniform 0;"), ("0.25", "internalField nonuniform List<scalar> 3(1 2 3);"), ("0.orig", "nonuniform")):
        (case / time).mkdir()
        (case / time / "p").write_text(text)
    (case / "0/uniform").mkdir()
    said = tess("mesh", "reorder", mesh, case, code=3).stderr
    assert "'0.25/p'" in said and "'0/p'" not in said and "orig" not in said and (folder / "faces").read_bytes() == before["faces"]
    (case / "0.25/p").unlink()
    for kind in ("cyclic", "processor", "cyclicSlip", "processorCyclic"):
        (folder / "boundary").write_bytes(before["boundary"].replace(b"patch;", kind.encode() + b";"))
        assert f"the type {kind}" in convert(tess, mesh, case, code=3).stderr
        assert (folder / "faces").read_bytes() == before["faces"]
    (folder / "boundary").write_bytes(before["boundary"][:-20])
    assert "ends between the braces" in convert(tess, mesh, case, code=3).stderr
    assert {path.name for path in folder.iterdir()} == set(before)
    (tmp_path / "file").write_text("")
    assert "is a file" in convert(tess, mesh, tmp_path / "file", "--format", "openfoam", code=1).stderr


@pytest.mark.parametrize("kind", ["cyclic", "cyclicSlip"])
def test_cyclic_patches_are_not_reordered(tess, tmp_path, kind):
    """Neither into another file, nor another case, nor their own: each is as it was."""
    folder = poly_mesh(tmp_path / "case/constant/polyMesh", *hexes(3))
    boundary = folder / "boundary"
    boundary.write_bytes(re.sub(rb"type +\w+;", f"type {kind};".encode(), boundary.read_bytes(), count=1))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for out in (tmp_path / "new.su2", tmp_path / "new/constant/polyMesh", folder):
        said = tess("mesh", "reorder", folder, out, *(["--format", "openfoam"] if out.suffix == "" else []), code=3).stderr
        assert f"{folder}: its file has cyclic patches, whose faces stand in pairs, which would be lost under new numbers" in said
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_solutions_that_are_left_out_are_named(tess, tmp_path):
    """Of the readers that know them by name: VTU, legacy VTK, Gmsh."""
    for name in ("vtu", "vtk"):
        path = tmp_path / f"mesh.{name}"
        convert(tess, "tris:nx=2:ny=1:shuffle=1", path)
        assert "left out: " not in convert(tess, path, tmp_path / f"plain.{name}").stderr
        text = path.read_bytes()
        if name == "vtu":
            array = b'<PointData><DataArray type="Float64" Name="heat" format="ascii">1 2 3 4 5 6</DataArray></PointData>\n<CellData>'
            path.write_bytes(text.replace(b"<CellData>", array, 1))
        else:
            path.write_bytes(text + b"POINT_DATA 6\nSCALARS heat double 1\nLOOKUP_TABLE default\n" + bytes(48) + b"\n")
        said = tess("mesh", "reorder", path, tmp_path / f"new.{name}", "-p", "rcm").stderr
        assert "data on points and cells are no part of a mesh, and were left out: 'heat'" in said
    path = grouped(tess, tmp_path / "mesh.msh")
    assert "NodeData" not in convert(tess, path, tmp_path / "plain.msh").stderr
    path.write_text(path.read_text() + '$NodeData\n1\n"heat"\n1\n0\n3\n0\n1\n1\n1 0.5\n$EndNodeData\n')
    assert "left out: 'NodeData' (1)" in convert(tess, path, tmp_path / "new.msh").stderr


def test_sides_without_marker_and_between_cells(tess, tmp_path):
    """Gmsh marks a face between two cells: Exodus and CGNS hold it, no patch can."""
    mesh = grouped(tess, tmp_path / "mesh.msh", kind="hexes")
    text = mesh.read_text()
    nodes = {tuple(map(float, row.split()[1:])): int(row.split()[0]) for row in text.split("$Nodes\n")[1].split("$End")[0].split("\n")[1:-1]}
    x = sorted({p[0] for p in nodes})[1]
    y, z = sorted({p[1] for p in nodes})[:2], sorted({p[2] for p in nodes})[:2]
    inner = [nodes[p] for p in ((x, y[0], z[0]), (x, y[1], z[0]), (x, y[1], z[1]), (x, y[0], z[1]))]
    rows = text.split("$Elements\n")[1].split("$EndElements")[0].split("\n")[1:-1]
    sides = [row for row in rows if row.split()[1] == "3"]
    kept = [row for row in rows if row not in sides[:4]] + [f"999 3 2 11 1 {' '.join(map(str, inner))}"]
    mesh.write_text(text.split("$Elements\n")[0] + f"$Elements\n{len(kept)}\n" + "\n".join(kept) + "\n$EndElements\n")
    n = len(sides) - 3
    for name in ("exodus", "cgns"):
        convert(tess, mesh, tmp_path / FILES[name])
        assert groups_of(tess, tmp_path / FILES[name], "markers") == {"top": n}
    said = convert(tess, mesh, tmp_path / FILES["openfoam"]).stderr
    assert "1 marked faces lie between cells or are in a patch already, and were left out: 'top' (1)" in said
    assert "4 faces at the boundary have no marker" in said
    assert groups_of(tess, tmp_path / FILES["openfoam"], "markers") == {"top": n - 1, "defaultFaces": 4}


@pytest.mark.parametrize("name", ["exodus", "cgns"])
def test_polyhedra_are_refused_by_count(tess, tmp_path, name):
    mesh = poly_mesh(tmp_path / "split/constant/polyMesh", *split_hexes())
    path = tmp_path / FILES[name]
    assert re.search(r"\d+ of its \d+ cells are polyhedra, the first is number \d+", convert(tess, mesh, path, code=3).stderr)
    assert not path.exists()


def test_shells_keep_their_edges(tess, tmp_path):
    """Quads that lie in space: sides of shells count behind their two faces."""
    mesh = tmp_path / "roof.msh"
    mesh.write_text('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 3 "eaves"\n2 4 "roof"\n$EndPhysicalNames\n$Nodes\n6\n1 0 0 0\n2 1 0 1\n3 2 0 0\n'
                    "4 0 1 0\n5 1 1 1\n6 2 1 0\n$EndNodes\n$Elements\n3\n1 1 2 3 1 3 6\n2 3 2 4 1 1 2 5 4\n3 3 2 4 1 2 3 6 5\n$EndElements\n")  # fmt: skip
    for name in ("exodus", "cgns", "vtk"):
        convert(tess, mesh, tmp_path / FILES[name])
        assert "The same nodes, cells and marked sides" in tess("mesh", "compare", mesh, tmp_path / FILES[name]).stdout


def test_a_folder_that_cgns_cannot_write_to_is_named(tess, tmp_path):
    path = tmp_path / "mesh.cgns"
    missing = str(tmp_path / "missing")
    assert f"{missing}/tess-cgns-" in tess("mesh", "convert", "tets:nx=1:ny=1:nz=1", path, code=1, env={**os.environ, "TMPDIR": missing}).stderr
    assert not path.exists()
