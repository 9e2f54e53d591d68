"""Files made to harm: each ends within two seconds, in memory that its size justifies, with code 3 and one message."""

import os
import re
import struct
import zlib
from base64 import b64encode

import h5py
import numpy as np
import pytest
from cgns_zones_test import polyhedra_cgns
from polyhedra_files import MIXED, hexes, poly_mesh
from mesh_files import MIXED_NODES, SANITIZED, Reading, chaste, changed, fesom, medit, tetgen
from netcdf_files import cgns, exodus, mpas
from vtk_files import Vtu, pvtu
from vtkhdf_reader_test import vtkhdf


def one(name, content):
    """A file with this content."""
    def write(folder):
        (folder / name).write_bytes(content)
        return folder / name

    return write


def several(files, name=lambda name: name):
    """Files with these contents, of which the first is read."""
    def write(folder):
        for file, content in files.items():
            (folder / name(file)).write_bytes(content)
        return folder / name(next(iter(files)))

    return write


def vtu_points(*sizes, body=b""):
    """A compressed file whose points hold these sizes and bytes, each coded by itself."""
    def coded(way, raw):
        return b64encode(struct.pack(f"<{len(sizes)}I", *sizes)) + b64encode(body) if len(raw) == 8 * 3 * len(MIXED_NODES) else usual(way, raw)

    usual = Vtu.coded
    way = type("Odd", (Vtu,), {"coded": coded})(format="binary", compressed=True)
    return one("mesh.vtu", way.file())


VTU = {
    "blocks without end": (vtu_points(0xFFFFFFFF, 0xFFFFFFFF, 0, 8), "line 16: the array Points"),
    "a block of gigabytes": (vtu_points(1, 0xFFFFFFF0, 0, 8, body=b"12345678"), "line 16: the array Points"),
    "elements in elements": (one("mesh.vtu", b'<VTKFile type="UnstructuredGrid">' + b"<a>" * 300_000), "line 1"),
    "an attribute of megabytes": (one("mesh.vtu", b'<VTKFile type="' + b"x" * 4_000_000 + b'">'), "line 1"),
    "counts that overflow": (one("mesh.vtu", changed(Vtu().file(), b'NumberOfPoints="12"', b'NumberOfPoints="6148914691236517206"')), "line"),
    "ends that go back": (one("mesh.vtu", changed(Vtu().file(), b"\n3 7 11 16 22 30\n", b"\n3 7 5 16 22 30\n")), "line"),
}


def pipe(folder):
    os.mkfifo(folder / "a.vtu")
    return several({"mesh.pvtu": pvtu("a.vtu")})(folder)


PVTU = {
    "itself as a piece": (several({"mesh.pvtu": pvtu("mesh.pvtu")}), "mesh.pvtu"),
    "each other as pieces": (several({"mesh.pvtu": pvtu("b.pvtu"), "b.pvtu": pvtu("mesh.pvtu")}), "pvtu"),
    "a hundred thousand pieces": (several({"mesh.pvtu": pvtu(*["a.vtu"] * 100_000)}), "a.vtu"),
    "a device as a piece": (several({"mesh.pvtu": pvtu("/dev/zero")}), "/dev/zero: is a pipe, socket or device"),
    "a pipe as a piece": (pipe, "a.vtu: is a pipe"),
    "a file that is not one of VTK's": (several({"mesh.pvtu": pvtu("/etc/passwd")}), "/etc/passwd: line 1"),
}


def linked(link):
    def change(arrays):
        arrays["Types"] = link

    return lambda folder: vtkhdf(folder / "mesh.vtkhdf", change=change)


def arrays(name, values):
    def change(content):
        content[name] = values

    return lambda folder: vtkhdf(folder / "mesh.vtkhdf", change=change)


def user_block(folder):
    """HDF5 lets a file begin late: its name is all that says it is one."""
    path = vtkhdf(folder / "mesh.vtkhdf")
    path.write_bytes(bytes(512) + path.read_bytes())
    return path


VTKHDF = {
    "a link to itself": (linked(h5py.SoftLink("/VTKHDF/Types")), "Types"),
    "a link to another file": (linked(h5py.ExternalLink("/etc/passwd", "/")), "Types"),
    "sizes that overflow": (arrays("NumberOfPoints", np.array([1 << 62], "i8")), "NumberOfPoints"),
    "negative sizes": (arrays("NumberOfCells", np.array([-1], "i8")), "NumberOfCells"),
    "a million pieces of nothing": (arrays("NumberOfPoints", np.zeros(1_000_000, "i8")), "NumberOf|Points"),
    "a file within a file": (user_block, "line 1"),
}


def patched(write, name, old, new):
    def change(folder):
        path = write(folder / name)
        path.write_bytes(changed(path.read_bytes(), old, new))
        return path

    return change


def dimension(name, length, instead):
    """The bytes of a dimension of this length, and of another."""
    padded = struct.pack(">I", len(name)) + name.encode() + bytes(-len(name) % 4)
    return padded + struct.pack(">I", length), padded + struct.pack(">I", instead)


EXODUS = {
    "four billion nodes": (patched(exodus, "mesh.exo", *dimension("num_nodes", 12, 0xFFFFFFF0)), "coordx|num_nodes|offset"),
    "two billion blocks": (patched(exodus, "mesh.exo", *dimension("num_el_blk", 4, 0x7FFFFFFF)), "num_el_blk|blk|connect|variable|offset"),
    "two billion side sets": (patched(exodus, "mesh.exo", *dimension("num_side_sets", 2, 0x7FFFFFFF)), "ss_|side|variable|offset"),
    "dimension two billion": (patched(exodus, "mesh.exo", *dimension("num_dim", 3, 0x7FFFFFFF)), "num_dim|dimension"),
    "a huge block": (patched(exodus, "mesh.exo", *dimension("num_el_in_blk1", 1, 0x7FFFFFFF)), "connect1|variable sizes"),
}
MPAS = {
    "two billion vertices": (patched(mpas, "mesh.nc", *dimension("nVertices", 33, 0x7FFFFFFF)), "cellsOnVertex|nVertices|variable sizes"),
    "a degree of two billion": (patched(mpas, "mesh.nc", *dimension("vertexDegree", 3, 0x7FFFFFFF)), "vertexDegree|cellsOnVertex|variable sizes"),
    "four billion cells": (patched(mpas, "mesh.nc", *dimension("nCells", 25, 0xFFFFFFFF)), "nCells|xCell|variable sizes"),
}


def cgns_zone(change):
    return lambda folder: cgns(folder / "mesh.cgns", change=lambda sections, conditions, sizes: change(sections, sizes))


def cgns_linked(folder):
    """A node that is a link to itself."""
    path = cgns(folder / "mesh.cgns")
    with h5py.File(path, "r+") as file:
        del file["Base/Zone/cells"]
        file["Base/Zone/cells"] = h5py.SoftLink("/Base/Zone/cells")
        del file["Base/Zone/other"], file["Base/Zone/two"]
    return path


def cgns_data(write, node, change):
    """The data of a node changed, and compressed: the file is shorter than they are."""
    def changed_file(folder):
        path = write(folder / "mesh.cgns")
        with h5py.File(path, "r+") as file:
            values = change(file[node][" data"][:])
            del file[node][" data"]
            file[node].create_dataset(" data", data=values, compression=9)
        return path

    return changed_file


def longer(values):
    return np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, 100_000)])


def polyhedra(path):
    return polyhedra_cgns(path, MIXED_NODES, MIXED)


LONGER = r"has 100\d+ values in the file, more than the \d+ announced"
CGNS = {
    "more starts of polygons than polygons": (cgns_data(polyhedra, "Base/Zone/sides/ElementStartOffset", longer), f"'sides': ElementStartOffset {LONGER}"),
    "more starts of polyhedra than polyhedra": (cgns_data(polyhedra, "Base/Zone/bodies/ElementStartOffset", longer), f"'bodies': ElementStartOffset {LONGER}"),
    "a list of points in many dimensions": (cgns_data(cgns, "Base/Zone/ZoneBC/one/PointList", longer), "'one': PointList has 100001 values in the file, more than the 1 announced"),
    "numbers of twice the size": (cgns_data(cgns, "Base/Zone/other/ElementConnectivity", lambda values: values.astype("i8")), "node /Base/Zone/other/ElementConnectivity: its numbers of 8 bytes are not of its type 'I4'"),
    "numbers that are texts": (cgns_data(cgns, "Base/Zone/cells/ElementRange", lambda values: values.astype("S16")), "ElementRange: its numbers of 16 bytes"),
    "two billion nodes": (cgns_zone(lambda sections, sizes: sizes.__setitem__(0, 0x7FFFFFFF)), "CGNS cannot open it|zone"),
    "no nodes": (cgns_zone(lambda sections, sizes: sizes.__setitem__(0, 0)), "CGNS cannot open it|zone"),
    "an unknown type": (cgns_zone(lambda sections, sizes: sections["cells"].__setitem__(0, 77)), "CGNS cannot open it|section"),
    "an element of node two billion": (cgns_zone(lambda sections, sizes: sections["cells"][2][0].__setitem__(1, 0x7FFFFFFF)), "node 2147483647"),
    "a link to itself": (cgns_linked, "CGNS|HDF5|section|cells"),
}
FESOM, TETGEN, CHASTE, MEDIT = fesom(), tetgen(), chaste(), medit().encode()
TEXTS = {
    "FESOM: two billion nodes": (several({**FESOM, "nod2d.out": changed(FESOM["nod2d.out"], b"16\n", b"2147483647\n")}), "nod2d.out: line 2"),
    "FESOM: more than 64 bits": (several({**FESOM, "nod2d.out": changed(FESOM["nod2d.out"], b"16\n", b"9" * 400 + b"\n")}), "nod2d.out: line 1"),
    "FESOM: elements are a folder": (lambda folder: [(folder / "elem2d.out").mkdir(), one("nod2d.out", FESOM["nod2d.out"])(folder)][1], "elem2d.out: is a directory"),
    "TetGen: a billion attributes": (several({".ele": changed(TETGEN[".ele"], b"2 4 1\n", b"2 4 1000000000\n"), ".node": TETGEN[".node"]}, lambda name: f"mesh{name}"), "line 2"),
    "TetGen: elements of a billion nodes": (several({".ele": changed(TETGEN[".ele"], b"2 4 1\n", b"2 1000000000 1\n"), ".node": TETGEN[".node"]}, lambda name: f"mesh{name}"), "line 2"),
    "Chaste: more records than bytes": (several({".ele": changed(CHASTE[".ele"], b"2\t4", b"2147483647\t4"), ".node": CHASTE[".node"]}, lambda name: f"mesh{name}"), "bytes"),
    "Medit: a keyword of megabytes": (one("mesh.mesh", changed(MEDIT, b"Corners", b"C" * 4_000_000)), "line"),
    "Medit: a count over 64 bits": (one("mesh.mesh", changed(MEDIT, b"Vertices\n12", b"Vertices\n" + b"9" * 100_000)), "line"),
}


def foam(name, old, new):
    def write(folder):
        poly_mesh(folder / "mesh", *hexes(2))
        path = folder / "mesh" / name
        path.write_bytes(changed(path.read_bytes(), old, new))
        return folder / "mesh" / "owner"

    return write


def brackets(folder):
    return foam("boundary", b"type patch", b"type " + b"(" * 300_000 + b"{" * 300_000)(folder)


OPENFOAM = {
    "labels of one value without end": (foam("owner", b"\n36\n(", b"\n2000000000{0}\n("), "owner"),
    "a comment without end": (foam("faces", b"// * * * //", b"/* * * *"), "faces: line"),
    "a face of a billion points": (foam("faces", b"\n4(", b"\n1000000000("), "faces: line"),
    "brackets in brackets": (brackets, "boundary: line"),
    "a header without end": (foam("points", b"version 2.0;", b"version " + b"{" * 300_000), "points"),
}
FILES = {f"{group}: {case}" if group else case: row
         for group, cases in {"VTU": VTU, "PVTU": PVTU, "VTKHDF": VTKHDF, "Exodus": EXODUS, "MPAS": MPAS, "CGNS": CGNS, "": TEXTS,
                              "OpenFOAM": OPENFOAM}.items() for case, row in cases.items()}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_is_refused(tmp_path, case):
    write, words = FILES[case]
    path = write(tmp_path)
    size = sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file())
    reading = Reading(path)
    assert reading.code == 3 and reading.stdout == "" and len(reading.messages) == 1, (reading.code, reading.messages)
    assert re.search(words, reading.messages[0].replace(str(tmp_path), "")), (words, reading.messages)
    assert len(reading.messages[0]) < 700
    assert reading.seconds < 2
    assert SANITIZED or reading.peak_bytes < 20e6 + 20 * size


def test_a_bomb_of_zlib_is_no_more_than_its_array(tmp_path):
    """A block that would be 200 MB, of which the array needs 288 bytes."""
    bomb = zlib.compress(bytes(200_000_000), 9)
    reading = Reading(vtu_points(1, 200_000_000, 0, len(bomb), body=bomb)(tmp_path))
    assert reading.code in (0, 3) and reading.seconds < 2
    assert SANITIZED or reading.peak_bytes < 20e6 + 20 * len(bomb)
