"""Gmsh files of both versions, text and binary: the same mesh from each, and every defect refused."""

import struct

import pytest
from mesh_files import assert_content_refused, changed, gmsh2, gmsh4, read, su2_text

VARIANTS = {
    "2.2 text": gmsh2(),
    "2.2 binary": gmsh2(binary=True),
    "2.2 binary, big-endian": gmsh2(binary=True, order=">"),
    "2.2 text, tags in a table": gmsh2(first_tag=17, step=3),
    "2.2 text, sparse tags": gmsh2(first_tag=10**12, step=10**9),
    "4.1 text": gmsh4(),
    "4.1 binary": gmsh4(binary=True),
    "4.1 binary, big-endian": gmsh4(binary=True, order=">"),
    "4.1 binary, sparse tags": gmsh4(binary=True, first_tag=5, step=10**6),
    "4.1 text, in parts": gmsh4(parts=True),
    "4.1 binary, in parts": gmsh4(binary=True, parts=True),
    "4.1 binary, big-endian, in parts": gmsh4(binary=True, order=">", parts=True),
    "CRLF": gmsh2().replace(b"\n", b"\r\n"),
    "blank line first": b"\n" + gmsh2(),
    "comments first": b"$Comments\n5 words $Nodes\n$EndComments\n" + gmsh2(),
    "unknown sections": gmsh4().replace(b"$Nodes", b"$GhostElements\n1 2\n$EndGhostElements\n$Nodes")
    + b'$Periodic\n0\n$EndPeriodic\n$NodeData\n1\n"$Nodes"\n$EndNodeData\n',
    "names last": gmsh2().replace(b'$PhysicalNames\n2\n1 3 "wall"\n2 7 "sea"\n$EndPhysicalNames\n', b"")
    + b'$PhysicalNames\n2\n1 3 "wall"\n2 7 "sea"\n$EndPhysicalNames\n',
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_same_mesh_from_every_variant(tmp_path, variant):
    _, reading = read(tmp_path, "mesh.msh", VARIANTS[variant])
    assert reading.assert_accepted().sets == {"nodes": 25, "cells": 32, "marked_edges": 8}
    assert reading.markers == ["wall"] and not reading.warnings
    assert "dimension 2\n" in reading.stdout
    _, su2 = read(tmp_path, "mesh.su2", su2_text().encode())
    assert reading.digest == su2.digest


TEXT2, TEXT4, BINARY2, BINARY4 = gmsh2(), gmsh4(), gmsh2(binary=True), gmsh4(binary=True)

REFUSED = {
    "future version": (changed(TEXT2, b"2.2 0", b"9.9 0"), r"line 2: unsupported version 9\.9"),
    "version 4.0": (changed(TEXT4, b"4.1 0", b"4.0 0"), "unsupported version 4.0"),
    "text said to be binary": (changed(TEXT2, b"2.2 0", b"2.2 1"), "byte order marker is not 1"),
    "binary said to be text": (changed(BINARY2, b"2.2 1", b"2.2 0"), "EndMeshFormat"),
    "no $EndNodes": (changed(TEXT2, b"$EndNodes\n", b""), "'.Elements' stands where .EndNodes"),
    "no $Nodes": (TEXT2[: TEXT2.index(b"$Nodes")], "without .Nodes"),
    "no $Elements": (TEXT2[: TEXT2.index(b"$Elements")], "without .Elements"),
    "elements first": (changed(TEXT2, b"$Nodes", b"$Elements\n0\n$EndElements\n$Nodes"), "before .Nodes"),
    "nodes twice": (TEXT2 + b"$Nodes\n0\n$EndNodes\n", "second section .Nodes"),
    "no format": (TEXT2[TEXT2.index(b"$Nodes") :], "before .MeshFormat"),
    "left over": (TEXT2 + b"1 2 3\n", "'1' stands where a section"),
    "too few nodes": (changed(TEXT2, b"$Nodes\n25", b"$Nodes\n26"), "EndNodes"),
    "too many nodes": (changed(TEXT2, b"$Nodes\n25", b"$Nodes\n24"), "stands where .EndNodes"),
    "huge number of nodes": (changed(TEXT2, b"$Nodes\n25", b"$Nodes\n4611686018427387904"), "only .* bytes"),
    "negative number of nodes": (changed(TEXT2, b"$Nodes\n25", b"$Nodes\n-25"), "negative"),
    "huge number of elements": (changed(TEXT2, b"$Elements\n40", b"$Elements\n4611686018427387904"), "only .* bytes"),
    "no such node": (changed(TEXT2, b"\n9 2 2 7 1 1 2 7\n", b"\n9 2 2 7 1 1 2 26\n"), "there is no node 26"),
    "node tag of 65 bits": (changed(TEXT2, b"\n9 2 2 7 1 1 2 7\n", b"\n9 2 2 7 1 1 2 18446744073709551617\n"), "too large"),
    "node tag twice": (changed(TEXT2, b"\n2 0.25 0.0 0\n", b"\n1 0.25 0.0 0\n"), "tag 1 is given twice"),
    "sparse node tag twice": (changed(gmsh2(step=10**9), b"\n1000000001 0.25", b"\n1 0.25"), "tag 1 is given twice"),
    "nan": (changed(TEXT2, b"\n2 0.25 0.0 0\n", b"\n2 nan 0.0 0\n"), "'nan' is not a finite number"),
    "unknown type": (changed(TEXT2, b"\n9 2 2 7 1 1 2 7\n", b"\n9 77 2 7 1 1 2 7\n"), "unknown element type 77"),
    "type 0": (changed(TEXT2, b"\n9 2 2 7 1 1 2 7\n", b"\n9 0 2 7 1 1 2 7\n"), "unknown element type 0"),
    "many tags": (changed(TEXT2, b"\n9 2 2 7 1 1 2 7\n", b"\n9 2 2000000 7 1 1 2 7\n"), "missing"),
    "a node too many": (changed(TEXT2, b"\n9 2 2 7 1 1 2 7\n", b"\n9 2 2 7 1 1 2 7 8\n"), "left over"),
    "lines only": (TEXT2[: TEXT2.index(b"$Elements")] + b"$Elements\n1\n1 1 2 3 1 1 2\n$EndElements\n", "no cells"),
    "name not closed": (changed(TEXT2, b'"wall"', b'"wall'), "not closed"),
    "name without quotes": (changed(TEXT2, b'"wall"', b"wall"), "in quotes"),
    "4.1: wrong total of nodes": (changed(TEXT4, b"$Nodes\n2 25", b"$Nodes\n2 26"), "26 nodes are stated"),
    "4.1: wrong total of elements": (changed(TEXT4, b"$Elements\n2 40", b"$Elements\n2 39"), "39 elements are stated"),
    "4.1: many blocks": (changed(TEXT4, b"$Nodes\n2 25", b"$Nodes\n4611686018427387904 25"), "not a whole number"),
    "4.1: negative blocks": (changed(TEXT4, b"$Nodes\n2 25", b"$Nodes\n-2 25"), "negative"),
    "4.1: cut": (TEXT4[:-60], "ends|missing|stands"),
    "2.2 binary: cut": (BINARY2[:-60], r"offset \d+: .*announced"),
    "2.2 binary: infinite": (changed(BINARY2, struct.pack("<3d", 0.25, 0, 0), struct.pack("<3d", 1e308 * 10, 0, 0)), "has the coordinate inf"),
    "2.2 binary: huge block": (changed(BINARY2, struct.pack("<3i", 2, 32, 2), struct.pack("<3i", 2, 2**31 - 1, 2)), "a block of"),
    "2.2 binary: negative block": (changed(BINARY2, struct.pack("<3i", 2, 32, 2), struct.pack("<3i", 2, -1, 2)), "a block of -1"),
    "2.2 binary: empty blocks": (changed(BINARY2, struct.pack("<3i", 2, 32, 2), struct.pack("<3i", 2, 0, 2)), "a block of 0"),
    "4.1 binary: cut": (BINARY4[:-60], r"offset \d+: .*announced"),
    "4.1 binary: huge block": (changed(BINARY4, struct.pack("<3iQ", 2, 6, 2, 32), struct.pack("<3iQ", 2, 6, 2, 2**62)), "announced"),
    "4.1 binary: huge number of groups": (
        changed(BINARY4, struct.pack("<QiQ", 1, 3, 2), struct.pack("<QiQ", 2**61, 3, 2)),
        "physical groups",
    ),
    "4.1 binary: number over 63 bits": (
        changed(BINARY4, struct.pack("<3iQ", 2, 6, 2, 32), struct.pack("<3iQ", 2, 6, 2, 2**63 + 1)),
        "announced",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path, case):
    assert_content_refused(tmp_path, "mesh.msh", *REFUSED[case])


def test_elements_without_groups_are_marked_by_entity(tmp_path):
    content = changed(TEXT4, b" 1 3 2 9 -9\n", b" 0 2 9 -9\n")
    assert read(tmp_path, "mesh.msh", content)[1].assert_accepted().markers == ["curve 5"]
    content = TEXT2.replace(b" 1 2 3 1 ", b" 1 2 0 4 ")
    assert read(tmp_path, "mesh.msh", content)[1].assert_accepted().markers == ["curve 4"]
    content = TEXT2.replace(b" 1 2 3 1 ", b" 1 0 ")
    assert read(tmp_path, "mesh.msh", content)[1].assert_accepted().markers == ["unmarked"]
    content = TEXT2.replace(b'1 3 "wall"', b'1 4 "other"')
    assert read(tmp_path, "mesh.msh", content)[1].assert_accepted().markers == ["physical 3"]


def test_higher_order_keeps_corners(tmp_path):
    content = (
        b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 .5 0 0\n5 .5 .5 0\n6 0 .5 0\n"
        b"$EndNodes\n$Elements\n1\n1 9 2 0 1 1 2 3 4 5 6\n$EndElements\n"
    )
    reading = read(tmp_path, "mesh.msh", content)[1].assert_accepted()
    assert reading.sets == {"nodes": 6, "cells": 1} and "map cells:nodes 3" in reading.stdout
    assert any("higher order" in words for words in reading.warnings)


@pytest.mark.parametrize("number, n, corners, kind", [
    (39, 12, 4, "quads"), (52, 18, 3, "tris"), (79, 34, 4, "tets"), (90, 40, 6, "prisms"), (99, 32, 8, "hexes"), (118, 30, 5, "pyramids"), (137, 16, 4, "tets"),
])  # fmt: skip
def test_elements_of_any_order(tmp_path, number, n, corners, kind):
    """Beside others of two kinds; the nodes behind the corners are those of no cell."""
    nodes = "".join(f"{i + 1} {i % 5} {i // 5 % 5} {i // 25 + i % 2}\n" for i in range(n))
    listed = " ".join(str(i + 1) for i in range(n))
    content = f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{n}\n{nodes}$EndNodes\n$Elements\n1\n1 {number} 2 0 1 {listed}\n$EndElements\n"
    reading = read(tmp_path, "mesh.msh", content)[1].assert_accepted()
    assert f"map {'tris' if kind == 'tris' else 'quads' if kind == 'quads' else 'cells'}:nodes {corners}" in reading.stdout
    assert reading.warnings[0] == "1 element of higher order was read as its corners"
    assert f"{n - corners} of the nodes belong to no cell; the first is number {corners}" in reading.warnings[1]


def test_a_second_name_of_a_group_and_version_1_are_told_of(tmp_path):
    content = changed(TEXT2, b'$PhysicalNames\n2\n1 3 "wall"\n', b'$PhysicalNames\n3\n1 3 "wall"\n1 3 "again"\n')
    reading = read(tmp_path, "mesh.msh", content)[1].assert_accepted()
    assert reading.markers == ["wall"] and reading.warnings == ["1 physical groups are named, but no element has them: 'again'"]
    assert_content_refused(tmp_path, "old.msh", b"$NOD\n1\n1 0 0 0\n$ENDNOD\n", "unsupported version 1; 2.x and 4.1 are read")


def test_surface_in_space_keeps_three_coordinates(tmp_path):
    reading = read(tmp_path, "mesh.msh", changed(TEXT2, b"\n1 0.0 0.0 0\n", b"\n1 0.0 0.0 2.5\n"))[1].assert_accepted()
    assert "dimension 3\n" in reading.stdout
    assert reading.sets == {"nodes": 25, "cells": 32, "tris": 32, "marked_edges": 8}


def test_every_cut_is_survived(tmp_path):
    """A file that ends anywhere is refused or, behind the last element, accepted."""
    for content in (TEXT4, BINARY4, BINARY2):
        for size in range(0, len(content), 61):
            path, reading = read(tmp_path, "mesh.msh", content[:size])
            assert reading.code in (0, 3), (size, reading.messages)
            assert reading.code == 3 or size > len(content) - 15
