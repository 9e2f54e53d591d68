"""Medit, and the formats of several files: TetGen, Chaste, FESOM. The same mesh as from others, defects refused."""

import lzma
import struct

import pytest
from mesh_files import TETS, TETS_NODES, Reading, changed, chaste, fesom, medit, mixed_su2, su2_text, tetgen


def read(folder, files, name):
    """Writes the files (by their names or endings) and reads the one of that name or ending."""
    folder.mkdir(exist_ok=True)
    named = lambda name: folder / (f"mesh{name}" if name.startswith(".") else name)
    for file, content in files.items():
        named(file).write_bytes(content)
    path = named(name) if name else folder
    return path, Reading(path)


MEDIT = medit().encode()
MEDIT_REFUSED = {
    "cut in a section": (MEDIT[: MEDIT.index(b"Pyramids") + 10], "1 elements are announced"),
    "no cells": (MEDIT[: MEDIT.index(b"Tri")], "ends without cells"),
    "no vertices": (b"MeshVersionFormatted 2\nDimension 3\nEnd\n", "ends without Vertices"),
    "vertices before the dimension": (changed(MEDIT, b"Dimension\n3\n", b""), "Vertices before Dimension"),
    "dimension 4": (changed(MEDIT, b"Dimension\n3", b"Dimension\n4"), "neither 2 nor 3"),
    "dimension again": (changed(MEDIT, b"Vertices", b"Dimension 3\nVertices"), "again"),
    "vertices again": (changed(MEDIT, b"Corners 2\n1\n2\n", b"Vertices 1\n1 2 3 4\n"), "second section"),
    "elements first": (b"MeshVersionFormatted 2\nDimension 3\nTriangles 1\n1 2 3 0\n", "before the vertices"),
    "vertex 0": (changed(MEDIT, b"2 3 9 1", b"0 3 9 1"), r"line \d+: .*vertex 0 is not in 1..12 .does the file count from 0"),
    "vertex 13": (changed(MEDIT, b"2 3 9 1", b"2 13 9 1"), r"13 is not in 1\.\.12"),
    "huge count": (changed(MEDIT, b"Vertices\n12", b"Vertices\n2000000000"), "only .* bytes follow"),
    "count over 2^31": (changed(MEDIT, b"Vertices\n12", b"Vertices\n3000000000"), "3000000000 is not in"),
    "huge number of elements": (changed(MEDIT, b"Triangles\n1", b"Triangles\n4611686018427387904"), "only .* bytes follow"),
    "negative": (changed(MEDIT, b"Triangles\n1", b"Triangles\n-1"), "-1 is negative"),
    "too few rows promised": (changed(MEDIT, b"Vertices\n12", b"Vertices\n11"), "'2' stands where a keyword should"),
    "too many rows promised": (changed(MEDIT, b"Vertices\n12", b"Vertices\n13"), "coordinate 'Corners' is not"),
    "nan": (changed(MEDIT, b"0.5", b"nan"), "'nan' is not a finite"),
    "of another kind": (b"MFEM mesh v7\n", "of version 'v7'"),
}


def test_medit_is_the_same_mesh(tmp_path):
    _, reading = read(tmp_path, {".mesh": MEDIT}, ".mesh")
    assert reading.assert_accepted().markers == ["reference 1", "reference 2"] and not reading.warnings
    su2 = tmp_path / "mesh.su2"
    su2.write_text(mixed_su2())
    assert reading.digest == Reading(su2).assert_accepted().digest


def test_medit_keywords_may_be_in_capitals(tmp_path):
    _, reading = read(tmp_path, {".mesh": MEDIT}, ".mesh")
    for change in (bytes.upper, bytes.lower):
        _, other = read(tmp_path, {".mesh": change(MEDIT)}, ".mesh")
        assert other.assert_accepted().digest == reading.digest


def test_medit_of_second_order(tmp_path):
    """As Gmsh writes it: the corners stay."""
    nodes = "\n".join(f"{x} {y} {z} 0" for x, y, z in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)] + [(0.5, 0.5, i / 8) for i in range(6)])
    text = f"MeshVersionFormatted 2\nDimension 3\nVertices\n10\n{nodes}\nTrianglesP2\n1\n1 2 3 5 6 7 4\nTetrahedraP2\n1\n1 2 3 4 5 6 7 8 9 10 0\nEnd\n"
    _, reading = read(tmp_path, {".mesh": text.encode()}, ".mesh")
    assert reading.assert_accepted().sets == {"nodes": 10, "cells": 1, "marked_tris": 1} and reading.markers == ["reference 4"]
    assert "map cells:nodes 4" in reading.stdout and reading.warnings[0] == "2 elements of higher order were read as their corners"
    path, cut = read(tmp_path, {".mesh": text.replace("8 9 10 0", "8 9 11 0").encode()}, ".mesh")
    cut.assert_refused(path, "the vertex 11 is not in 1..10")


def test_medit_in_a_plane_has_two_dimensions(tmp_path):
    rows = "0 0 4 1\n1 0 4 1\n1 1 4 1\n"
    text = "MeshVersionFormatted 1 Dimension 3\n".replace(" D", "\nD") + f"Vertices 3\n{rows}Edges 1\n1 2 5\nTriangles 1\n1 2 3 0\n"
    _, reading = read(tmp_path, {".mesh": text.encode()}, ".mesh")
    assert reading.assert_accepted().sets == {"nodes": 3, "cells": 1, "marked_edges": 1}
    assert "dimension 2\n" in reading.stdout and reading.markers == ["reference 5"]
    _, bent = read(tmp_path, {".mesh": text.replace("1 1 4 1", "1 1 5 1").encode()}, ".mesh")
    assert "dimension 3\n" in bent.assert_accepted().stdout


@pytest.mark.parametrize("case", MEDIT_REFUSED)
def test_medit_refused(tmp_path, case):
    content, words = MEDIT_REFUSED[case]
    path, reading = read(tmp_path, {".mesh": content}, ".mesh")
    reading.assert_refused(path, words)


def tets_su2():
    lines = ["NDIME= 3", f"NELEM= {len(TETS)}"] + [" ".join(map(str, (10, *tet))) for tet in TETS]
    lines += [f"NPOIN= {len(TETS_NODES)}"] + [" ".join(map(str, x)) for x in TETS_NODES]
    lines += ["NMARK= 2", "MARKER_TAG= a", "MARKER_ELEMS= 1", "5 0 1 4", "MARKER_TAG= b", "MARKER_ELEMS= 2", "5 0 1 3", "5 1 2 3"]
    return "\n".join(lines) + "\n"


def test_tetgen_from_any_of_its_files(tmp_path):
    digests = set()
    for first in (0, 1, 5):
        for name in (".node", ".ele"):
            _, reading = read(tmp_path / f"{first}{name}", tetgen(first), name)
            assert reading.assert_accepted().sets == {"nodes": 5, "cells": 2, "marked_tris": 3}
            assert reading.markers == ["marker -2", "marker 7"] and "dat region cells" in reading.stdout
            digests.add(reading.digest)
    assert len(digests) == 1


def test_tetgen_is_the_same_mesh(tmp_path):
    """As from SU2, but for the order of the sides; without sides and regions."""
    files = {ending: tetgen()[ending] for ending in (".node", ".ele")}
    files[".ele"] = files[".ele"].replace(b"2 4 1\n", b"2 4 0\n").replace(b" 10.5\n", b"\n").replace(b" -2\n", b"\n")
    _, plain = read(tmp_path, files, ".ele")
    su2 = tmp_path / "mesh.su2"
    su2.write_text(tets_su2().split("NMARK")[0] + "NMARK= 0\n")
    assert plain.assert_accepted().digest == Reading(su2).assert_accepted().digest


def test_chaste_is_the_same_mesh_as_tetgen(tmp_path):
    packed = {ending + ".xz": lzma.compress(content) for ending, content in chaste().items()}
    _, reading = read(tmp_path / "packed", packed, ".ele.xz")
    text = {ending: tetgen()[ending] for ending in (".node", ".ele")}
    assert reading.assert_accepted().digest == read(tmp_path / "text", text, ".node")[1].assert_accepted().digest
    other = chaste(regions=(10.5, 3))
    assert read(tmp_path / "other", other, ".ele")[1].assert_accepted().digest != reading.digest


def test_triangle_of_second_order(tmp_path):
    node = b"6 2 0 0\n" + b"".join(b"%d %f %f\n" % (i, *x) for i, x in enumerate([(0, 0), (2, 0), (0, 2), (1, 1), (0, 1), (1, 0)]))
    files = {".node": node, ".ele": b"1 6 0\n0 0 1 2 3 4 5\n", ".edge": b"1 1\n0 0 1 4\n"}
    _, reading = read(tmp_path, files, ".ele")
    assert reading.assert_accepted().sets == {"nodes": 6, "cells": 1, "marked_edges": 1}
    assert "map cells:nodes 3" in reading.stdout and "read as its corners" in reading.warnings[0]


TETGEN_REFUSED = {
    "no .node": ({".ele": tetgen()[".ele"]}, "mesh.node: cannot be opened"),
    "no .ele": ({".node": tetgen()[".node"]}, "mesh.ele: cannot be opened"),
    "dimension 4": ({**tetgen(), ".node": changed(tetgen()[".node"], b"5 3 1", b"5 4 1")}, r"node: line \d+: the dimension 4"),
    "huge count": ({**tetgen(), ".node": changed(tetgen()[".node"], b"5 3 1", b"2000000000 3 1")}, "only .* bytes"),
    "count over 2^31": ({**tetgen(), ".node": changed(tetgen()[".node"], b"5 3 1", b"5000000000 3 1")}, "is not in 0"),
    "too few nodes": ({**tetgen(), ".node": changed(tetgen()[".node"], b"5 3 1", b"4 3 1")}, "left over"),
    "too many nodes": ({**tetgen(), ".node": changed(tetgen()[".node"], b"5 3 1", b"6 3 1")}, "ends after 5 of 6"),
    "id twice": ({**tetgen(), ".node": changed(tetgen()[".node"], b"\n3 0 1", b"\n2 0 1")}, "has the id 2, not 3"),
    "attributes": ({**tetgen(), ".node": changed(tetgen()[".node"], b"5 3 1", b"5 3 1000000000")}, "too many"),
    "hexahedra": ({**tetgen(), ".ele": changed(tetgen()[".ele"], b"2 4 1", b"2 8 1")}, "elements of 8 nodes; 4 or 10"),
    "huge regions": ({**tetgen(), ".ele": changed(tetgen()[".ele"], b"2 4 1", b"2 4 2000000000")}, "too many"),
    "huge elements": ({**tetgen(), ".ele": changed(tetgen()[".ele"], b"2 4 1", b"2000000000 4 1")}, "only .* bytes"),
    "node past the end": ({**tetgen(), ".ele": changed(tetgen()[".ele"], b"1 2 3 4", b"1 2 3 6")}, r"ele: line 2: .*6 is not in 1\.\.5"),
    "node 0": ({**tetgen(), ".ele": changed(tetgen()[".ele"], b"1 2 3 4", b"0 2 3 4")}, r"0 is not in 1\.\.5"),
    "word": ({**tetgen(), ".ele": changed(tetgen()[".ele"], b"1 2 3 4", b"1 two 3 4")}, "'two' is not"),
    "face past the end": ({**tetgen(), ".face": changed(tetgen()[".face"], b"1 2 4 7", b"1 2 9 7")}, "face: line 2: .*9 is not in"),
    "neither BIN": ({**chaste(), ".ele": changed(chaste()[".ele"], b"BIN", b"BIG")}, "nor in BIN"),
    "packed, cut": ({**chaste(), ".ele": chaste()[".ele"][:-60]}, "ele: offset .*announced"),
    "packed, huge": ({**chaste(), ".node": changed(chaste()[".node"], b"5\t3", b"2000000000\t3")}, "announced"),
    "packed, node": ({**chaste(), ".ele": changed(chaste()[".ele"], struct.pack("<4I", 0, 2, 1, 4), struct.pack("<4I", 0, 2, 1, 5))}, "node 5, which is not in 0..4"),
    "packed, id over 2^31": ({**chaste(), ".ele": changed(chaste()[".ele"], struct.pack("<4I", 0, 2, 1, 4), struct.pack("<4I", 0, 2, 1, 2**32 - 1))}, "which is not in 0..4"),
    "packed, nan": ({**chaste(), ".node": changed(chaste()[".node"], struct.pack("<d", -1.5), struct.pack("<d", float("nan")))}, "node 4 has the coordinate"),
    "packed, longer": ({**chaste(), ".ele": changed(chaste()[".ele"], b"#\n", b"12345678#\n")}, "left over"),
}


@pytest.mark.parametrize("case", TETGEN_REFUSED)
def test_tetgen_refused(tmp_path, case):
    files, words = TETGEN_REFUSED[case]
    _, reading = read(tmp_path, files, ".ele" if ".ele" in files else ".node")
    assert_refused_in(tmp_path, reading, words)


def assert_refused_in(folder, reading, words):
    """As Reading.assert_refused, but any file of the folder may be the one named."""
    path = folder / reading.messages[0].split(": ")[0].rpartition("/")[2]
    if "cannot be opened" in words:
        assert reading.code == 3 and words in reading.messages[0] and len(reading.messages) == 1
    else:
        reading.assert_refused(path, words)


def test_fesom_from_its_folder_and_files(tmp_path):
    _, reading = read(tmp_path, fesom(), None)
    assert reading.assert_accepted().sets == {"nodes": 16, "cells": 18} and "dat coast nodes" in reading.stdout
    for name in ("nod2d.out", "elem2d.out"):
        assert Reading(tmp_path / name).assert_accepted().digest == reading.digest
    packed = {name + ".xz": lzma.compress(content) for name, content in fesom().items()}
    assert read(tmp_path / "packed", packed, None)[1].assert_accepted().digest == reading.digest
    assert not reading.warnings


def test_fesom_ids_are_labels(tmp_path):
    _, good = read(tmp_path / "good", fesom(), None)
    files = fesom()
    rows = files["nod2d.out"].splitlines(True)
    files["nod2d.out"] = b"".join([rows[0], *reversed(rows[1:])])
    _, reading = read(tmp_path / "reversed", files, None)
    assert reading.assert_accepted().sets == good.assert_accepted().sets and reading.digest != good.digest


def test_fesom_tells_where_longitudes_jump(tmp_path):
    files = fesom()
    files["nod2d.out"] = changed(files["nod2d.out"], b"\n1 0.0 ", b"\n1 359.5 ")
    assert "2 of the cells lie where the longitude jumps" in read(tmp_path, files, None)[1].assert_accepted().warnings[0]


FESOM_REFUSED = {
    "no elements": ({"nod2d.out": fesom()["nod2d.out"]}, "elem2d.out: cannot be opened"),
    "huge": ({**fesom(), "nod2d.out": changed(fesom()["nod2d.out"], b"16\n", b"2000000000\n")}, "only .* bytes"),
    "none": ({**fesom(), "nod2d.out": changed(fesom()["nod2d.out"], b"16\n", b"0\n")}, "0 is not in 1"),
    "too few": ({**fesom(), "nod2d.out": changed(fesom()["nod2d.out"], b"16\n", b"15\n")}, "left over"),
    "too many": ({**fesom(), "nod2d.out": changed(fesom()["nod2d.out"], b"16\n", b"17\n")}, "ends after 16 of 17"),
    "id twice": ({**fesom(), "nod2d.out": changed(fesom()["nod2d.out"], b"\n2 ", b"\n3 ")}, "tag 3 is given twice"),
    "no coast": ({**fesom(), "nod2d.out": changed(fesom()["nod2d.out"], b"\n1 0.0 0.0 1", b"\n1 0.0 0.0")}, "coast index is missing"),
    "coast a word": ({**fesom(), "nod2d.out": changed(fesom()["nod2d.out"], b"\n1 0.0 0.0 1", b"\n1 0.0 0.0 x")}, "'x' is not"),
    "no such node": ({**fesom(), "elem2d.out": changed(fesom()["elem2d.out"], b"        6\n", b"       17\n")}, "line 2: there is no node 17"),
    "four nodes": ({**fesom(), "elem2d.out": changed(fesom()["elem2d.out"], b"        6\n", b"  6 7\n")}, "'7' is left over"),
    "elements cut": ({**fesom(), "elem2d.out": fesom()["elem2d.out"][:-12]}, "the file ends"),
}


@pytest.mark.parametrize("case", FESOM_REFUSED)
def test_fesom_refused(tmp_path, case):
    files, words = FESOM_REFUSED[case]
    _, reading = read(tmp_path, files, None)
    assert_refused_in(tmp_path, reading, words)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "mesh.su2").write_text(su2_text())
    reading = Reading(tmp_path)
    assert reading.code == 3 and "is a directory, and none that a reader knows" in reading.messages[0]
