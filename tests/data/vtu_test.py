"""VTU and PVTU: the same mesh from every encoding, pieces joined, every defect refused."""

import base64
import struct

import pytest
from mesh_files import MIXED_NODES, assert_content_refused, changed, mixed_su2, read
from vtk_files import MIXED_CELLS, Vtu, pvtu

VARIANTS = {
    "ascii": {},
    "inline": {"format": "binary"},
    "inline, big-endian, 64 bits": {"format": "binary", "order": ">", "header": "UInt64"},
    "inline, compressed": {"format": "binary", "compressed": True},
    "inline, compressed, 64 bits": {"format": "binary", "compressed": True, "header": "UInt64", "index": "Int32"},
    "appended raw": {"format": "appended", "encoding": "raw"},
    "appended raw, compressed": {"format": "appended", "encoding": "raw", "compressed": True, "header": "UInt64"},
    "appended raw, big-endian": {"format": "appended", "encoding": "raw", "compressed": True, "order": ">"},
    "appended base64": {"format": "appended", "index": "UInt32"},
    "appended base64, compressed": {"format": "appended", "compressed": True, "header": "UInt64", "index": "UInt64"},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_same_mesh_from_every_encoding(tmp_path, variant):
    _, reading = read(tmp_path, "mesh.vtu", Vtu(**VARIANTS[variant]).file())
    sets = {"nodes": 12, "cells": 4, "tets": 1, "pyramids": 1, "prisms": 1, "hexes": 1}
    assert reading.assert_accepted().sets == {**sets, "marked_tris": 1, "marked_quads": 1}
    assert reading.markers == ["marker 1", "marker 2"] and not reading.warnings
    _, su2 = read(tmp_path, "mesh.su2", mixed_su2().encode())
    assert reading.digest == su2.assert_accepted().digest


SQUARE = [(0, 0, 2), (1, 0, 2), (0, 1, 2), (1, 1, 2)]


def square(*cells):
    return Vtu().file(Vtu().piece(SQUARE, [(*cell, 0) for cell in cells]))


def test_pixels_polygons_and_second_order(tmp_path):
    _, quad = read(tmp_path, "mesh.vtu", square((9, (0, 1, 3, 2))))
    assert quad.assert_accepted().sets == {"nodes": 4, "cells": 1} and "dimension 2\n" in quad.stdout
    for cell in ((8, (0, 1, 2, 3)), (7, (0, 1, 3, 2))):
        assert read(tmp_path, "mesh.vtu", square(cell))[1].assert_accepted().digest == quad.digest
    nodes = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    hexes = [(12, (0, 1, 3, 2, 4, 5, 7, 6), 0)], [(11, tuple(range(8)), 0)]
    digests = {read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(nodes, cells)))[1].assert_accepted().digest for cells in hexes}
    assert len(digests) == 1
    _, second = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(MIXED_NODES, [(22, (0, 1, 2, 3, 4, 5), 0)])))
    assert "map tris:nodes 3" in second.stdout and "corners" in second.assert_accepted().warnings[0]


def test_what_says_nothing_of_a_mesh_is_passed_over(tmp_path):
    """Lines of several sides, several points, and cells without any, as filters of VTK leave them."""
    quad = (9, (0, 1, 3, 2))
    _, alone = read(tmp_path, "mesh.vtu", square(quad))
    for others in ([(4, (0, 1, 3))], [(2, (0, 1, 2))], [(0, ())], [(4, (0, 1, 3, 2)), (0, ()), (2, (1,))]):
        _, beside = read(tmp_path, "mesh.vtu", square(others[0], quad, *others[1:]))
        assert beside.assert_accepted().digest == alone.digest and not beside.warnings


def test_a_marked_line_is_its_sides(tmp_path):
    marked = [(9, (0, 1, 3, 2), 0), (4, (0, 1, 3, 2), 5), (1, (2,), 6), (2, (0, 1, 3), 7)]
    reading = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(SQUARE, marked)))[1].assert_accepted()
    assert reading.markers == ["marker 5"] and reading.sets == {"nodes": 4, "cells": 1, "marked_edges": 3}
    assert reading.warnings == ["2 elements with a group are neither cells nor sides and were left out: 'marker 6' (1), 'marker 7' (1)"]


@pytest.mark.parametrize("old, new", [(b'"Int32" Name="marker"', b'"Float64" Name="marker"'),
                                      (b'Name="marker" format="ascii"', b'Name="marker" format="ascii" NumberOfComponents="2"')])
def test_markers_that_are_no_whole_numbers_are_told_of(tmp_path, old, new):
    content = changed(Vtu().file(Vtu().piece(SQUARE, [(9, (0, 1, 3, 2), 1)])), old, new)
    for name, parts in (("mesh.vtu", None), ("mesh.pvtu", pvtu("mesh.vtu"))):
        reading = read(tmp_path, name, parts or content)[1].assert_accepted()
        assert reading.warnings == ["the cell data 'marker' are not one whole number for each cell: they were left out, and mark nothing"]


def test_cell_data_that_mark_what_others_have_marked_are_told_of(tmp_path):
    vtu = Vtu()
    second = vtu.array("medit:ref", "Int32", [9])
    content = changed(vtu.file(vtu.piece(SQUARE, [(9, (0, 1, 3, 2), 1)])), b"</CellData>", second + b"</CellData>")
    for name, parts in (("mesh.vtu", None), ("mesh.pvtu", pvtu("mesh.vtu"))):
        reading = read(tmp_path, name, parts or content)[1].assert_accepted()
        assert reading.warnings == ["the cell data 'medit:ref' mark cells as others before them do: they were left out, and mark nothing"]


def test_a_strip_is_its_triangles(tmp_path):
    _, strip = read(tmp_path, "mesh.vtu", square((6, (0, 1, 2, 3))))
    _, triangles = read(tmp_path, "mesh.vtu", square((5, (0, 1, 2)), (5, (1, 3, 2))))
    assert strip.assert_accepted().digest == triangles.assert_accepted().digest and strip.sets == {"nodes": 4, "cells": 2}


@pytest.mark.parametrize("format", ["ascii", "binary"])
def test_elements_inside_of_arrays_end_them(tmp_path, format):
    """As ParaView writes ranges; a piece there is not one of the array's, which fuzzing found."""
    content = Vtu(format=format).file()
    key = b'<InformationKey name="L2_NORM_RANGE" length="1"><Value index="0">7</Value></InformationKey></DataArray>'
    _, good = read(tmp_path, "mesh.vtu", content)
    assert read(tmp_path, "mesh.vtu", content.replace(b"</DataArray>", key))[1].assert_accepted().digest == good.digest
    inside = content.replace(b"</DataArray>", b'<Piece NumberOfPoints="1" NumberOfCells="1"/></DataArray>')
    path, reading = read(tmp_path, "mesh.vtu", inside)
    reading.assert_refused(path, "no array")


def strip(first, n):
    """A row of n unit quads from x = first."""
    nodes = [(first + i, j, 0) for j in (0, 1) for i in range(n + 1)]
    return nodes, [(9, (i, i + 1, n + 2 + i, n + 1 + i), 0) for i in range(n)]


def test_pieces_are_joined(tmp_path):
    """Three quads and three: as one strip of six, with ghosts or without, in one file or in two."""
    _, whole = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(*strip(0, 6))))
    assert whole.assert_accepted().sets == {"nodes": 14, "cells": 6}
    _, two = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(*strip(0, 3)), Vtu().piece(*strip(3, 3))))
    assert two.assert_accepted().sets == whole.sets and not two.warnings
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/0.vtu").write_bytes(Vtu(format="appended").file(Vtu().piece(*strip(0, 3))))
    way = Vtu(format="appended", encoding="raw", compressed=True)
    (tmp_path / "parts/1.vtu").write_bytes(way.file(way.piece(*strip(2, 4), ghosts=[1, 0, 0, 0])))
    _, parallel = read(tmp_path, "mesh.pvtu", pvtu("parts/0.vtu", "parts/1.vtu"))
    assert parallel.assert_accepted().sets == whole.sets and parallel.digest == two.digest
    _, four = read(tmp_path, "mesh.vtu", Vtu().file(*[Vtu().piece(*strip(i, 1)) for i in range(6)]))
    assert four.assert_accepted().sets == whole.sets


@pytest.mark.parametrize("format", ["binary", "appended"])
def test_arrays_may_be_shorter_than_a_block(tmp_path, format):
    """VTK states 32768 bytes of a full block, whatever there is; a thousand equal types are compressed to a few bytes."""
    way = Vtu(format=format, compressed=True, block=32768)
    _, reading = read(tmp_path, "mesh.vtu", way.file(way.piece(*strip(0, 1000))))
    _, plain = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(*strip(0, 1000))))
    assert reading.assert_accepted().digest == plain.assert_accepted().digest


def test_nodes_of_one_piece_stay_apart(tmp_path):
    """A slit: two nodes at one place in each of two pieces; the slit goes on over their border."""
    nodes = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 0), (1, 0, 0), (0, -1, 0), (1, -1, 0)]
    cells = [(9, (0, 1, 3, 2), 0), (9, (6, 7, 5, 4), 0)]
    right = [(x + 1, y, z) for x, y, z in nodes]
    _, reading = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(nodes, cells), Vtu().piece(right, cells)))
    assert reading.assert_accepted().sets == {"nodes": 12, "cells": 4}


ASCII, INLINE = Vtu().file(), Vtu(format="binary").file()
PACKED = Vtu(format="binary", compressed=True).file()
RAW = Vtu(format="appended", encoding="raw").file()


def after_points(content, old, new):
    at = content.index(b"<Points>")
    return content[:at] + changed(content[at:], old, new)


def cells(*rows):
    return Vtu().file(Vtu().piece(MIXED_NODES, [(*row, 0) for row in rows]))


def points_of(content, new):
    """The content with the sizes of the array of points replaced."""
    at = content.index(b'NumberOfComponents="3">\n  ') + 26
    return content[:at] + base64.b64encode(new) + content[at + len(base64.b64encode(new)) :]


REFUSED = {
    "no XML": (ASCII[:600], "line \\d+: no well-formed XML"),
    "garbage": (b"<VTKFile type='UnstructuredGrid'><" + bytes(range(128, 256)), "no well-formed XML"),
    "entities": (changed(ASCII, b"?>\n", b'?><!DOCTYPE a [<!ENTITY a "aaaa">]>\n'), "line 1: a DOCTYPE"),
    "external entity": (changed(ASCII, b"?>\n", b'?><!DOCTYPE a SYSTEM "/etc/passwd">\n'), "line 1: a DOCTYPE"),
    "of images": (changed(ASCII, b"UnstructuredGrid", b"ImageData"), "line 2: a VTKFile of the type ImageData"),
    "lz4": (changed(PACKED, b"vtkZLib", b"vtkLZ4"), "compressed by vtkLZ4DataCompressor"),
    "header": (changed(INLINE, b"UInt32", b"Int128"), "header_type Int128"),
    "no points": (changed(ASCII, b"<Points>", b"<Other>").replace(b"</Points>", b"</Other>"), "no array Points"),
    "no types": (changed(ASCII, b'"types"', b'"tapes"'), "no array types"),
    "no pieces": (Vtu().file(b" "), "no cells"),
    "no cells": (cells(), "no cells"),
    "only lines": (cells((3, (0, 1))), "no cells"),
    "number of points": (changed(ASCII, b'NumberOfPoints="12"', b'NumberOfPoints="-1"'), 'NumberOfPoints="-1" is not in'),
    "no number of cells": (changed(ASCII, b"NumberOfCells", b"NumberofCells"), 'NumberOfCells="" is not'),
    "cells without points": (changed(ASCII, b'NumberOfPoints="12"', b'NumberOfPoints="0"'), "cells, but no points"),
    "huge number of points": (changed(ASCII, b'NumberOfPoints="12"', b'NumberOfPoints="2000000000"'), "has only .* bytes"),
    "huge, inline": (changed(INLINE, b'NumberOfPoints="12"', b'NumberOfPoints="2000000000"'), "288 bytes, not 48000000000"),
    "huge, compressed": (changed(PACKED, b'NumberOfPoints="12"', b'NumberOfPoints="2000000000"'), "288 bytes, not 48000000000"),
    "huge number of cells": (changed(ASCII, b'NumberOfCells="6"', b'NumberOfCells="2000000000"'), "has only .* bytes"),
    "more cells than rows": (changed(ASCII, b'NumberOfCells="6"', b'NumberOfCells="7"'), "'</DataArray>'|file ends|is missing|not a whole"),
    "two components": (changed(ASCII, b'Components="3"', b'Components="2"'), 'NumberOfComponents="2", not 3'),
    "unknown type of numbers": (changed(ASCII, b'"Int64"', b'"Int65"'), "unknown type 'Int65'"),
    "unknown format": (changed(ASCII, b'"connectivity" format="ascii"', b'"connectivity" format="asci"'), "unknown format 'asci'"),
    "real connectivity": (changed(ASCII, b'"Int64" Name="connectivity"', b'"Float64" Name="connectivity"'), "holds reals"),
    "node 12": (cells((10, (0, 1, 2, 12))), r"cell 0 has the node 12, which is not in 0\.\.11"),
    "node -1": (cells((10, (0, 1, 2, -1))), "the node -1"),
    "node over 32 bits": (cells((10, (0, 1, 2, 2**32 + 1))), "the node 4294967297"),
    "polygon": (cells((7, (0, 1))), "cell 0 is a polygon of 2 nodes"),
    "polyhedron": (cells((42, (0, 1, 2, 3))), "polyhedron"),
    "unknown cell": (cells((99, (0, 1, 2, 3))), "unknown VTK type 99"),
    "too few nodes": (cells((12, (0, 1, 2, 3))), "of VTK's type 12 has 4 nodes"),
    "offsets descend": (changed(ASCII, b"\n3 7 11 ", b"\n3 2 11 "), r"the nodes of cell 1 end at 2, not in 3\.\."),
    "offset negative": (cells((5, (0, 1, 2))).replace(b"\n3\n", b"\n-3\n"), "-3"),
    "offset huge": (changed(ASCII, b" 30\n", b" 4611686018427387904\n"), "has only .* bytes|too large"),
    "offset huge, inline": (changed(INLINE, base64.b64encode(struct.pack("<I6q", 48, 3, 7, 11, 16, 22, 30)), base64.b64encode(struct.pack("<I6q", 48, 3, 7, 11, 16, 22, 2**62))), "too large|bytes, not"),
    "word among numbers": (changed(ASCII, b"\n1 2 8 0 ", b"\n1 x 8 0 "), "'x' is not a whole number"),
    "nan": (changed(ASCII, b"0.5", b"nan"), "'nan' is not a finite"),
    "nan, inline": (Vtu(format="binary").file(Vtu(format="binary").piece([(float("nan"), 0, 0), *MIXED_NODES[1:]])), "value 0 of the array Points"),
    "array cut": (after_points(INLINE, b"AAAA", b""), "damaged|ends before"),
    "no base64": (after_points(INLINE, b"AAAA", b"A!AA"), "damaged"),
    "array longer than the file": (points_of(INLINE, struct.pack("<I", 2**31) + bytes(8)), "more than follow"),
    "many blocks": (points_of(PACKED, struct.pack("<3I", 2**31, 40, 8)), "blocks: more than follow"),
    "large blocks": (points_of(PACKED, struct.pack("<3I", 8, 2**31, 8)), "damaged"),
    "last block larger": (points_of(PACKED, struct.pack("<3I", 8, 40, 41)), "damaged"),
    "block of another size": (points_of(PACKED, struct.pack("<3I", 8, 41, 8)), "cannot be decompressed"),
    "appended data missing": (RAW[: RAW.index(b"<AppendedData")] + b"</VTKFile>\n", "is not in the file"),
    "appended data cut": (RAW[:-330], "is not in the file"),
    "appended data cut in an array": (RAW[:-33], "more than follow"),
    "appended, offset behind the file": (changed(RAW, b'offset="0"', b'offset="9"').replace(b'offset="128"', b'offset="99999999"'), "behind the end of the file"),
    "appended, negative offset": (RAW.replace(b'offset="128"', b'offset="-1"'), "behind the end of the file"),
    "appended, no underscore": (changed(RAW, b"\n_", b"\n").replace(b"_", b"-"), "underscore|no well-formed"),
    "appended, unknown encoding": (changed(RAW, b'encoding="raw"', b'encoding="hex"'), "encoding 'hex'"),
    "only the appended array damaged": (RAW.replace(struct.pack("<I", 240), struct.pack("<I", 2**31 - 1)), "more than follow"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path, case):
    assert_content_refused(tmp_path, "mesh.vtu", *REFUSED[case])


def test_pieces_refused(tmp_path):
    path, reading = read(tmp_path, "mesh.pvtu", pvtu("none.vtu"))
    assert reading.code == 3 and "none.vtu: cannot be opened" in reading.messages[0]
    path, reading = read(tmp_path, "mesh.pvtu", pvtu("mesh.pvtu"))
    reading.assert_refused(path, "a piece that names pieces itself")
    (tmp_path / "0.vtu").write_bytes(ASCII)
    (tmp_path / "1.vtu").write_bytes(cells((10, (0, 1, 2, 12))))
    _, reading = read(tmp_path, "mesh.pvtu", pvtu("0.vtu", "1.vtu"))
    reading.assert_refused(tmp_path / "1.vtu", "node 12")
    assert len(MIXED_CELLS) == 6
