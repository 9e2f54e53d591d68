"""Malformed mesh files, derived here from small good ones, are refused or accepted as they should."""

import bz2
import gzip
import lzma
import os
import re

import pytest
from mesh_files import SANITIZED, Reading, changed, op2_text, read, su2_text

SU2 = su2_text()
OP2 = op2_text()

SU2_REFUSED = {
    "empty": ("", "empty"),
    "garbage": (bytes(range(256)) * 40, "does not begin like"),
    "truncated in elements": (SU2[:150], "the file ends"),
    "no points": (SU2[: SU2.index("NPOIN")], "without points"),
    "no cells": (SU2[:9] + SU2[SU2.index("NPOIN") :], "without elements"),
    "zero cells": ("NDIME= 2\nNELEM= 0\nNPOIN= 1\n0 0\n", "NELEM= 0"),
    "too many elements": (changed(SU2, "NELEM= 32", "NELEM= 33"), "'NPOIN=' is not a whole number"),
    "too few elements": (changed(SU2, "NELEM= 32", "NELEM= 31"), "line 34: '5' is left over"),
    "too few points": (changed(SU2, "NPOIN= 25", "NPOIN= 24"), "24"),
    "id past the end": (changed(SU2, "\n5 0 1 6", "\n5 0 1 25"), r"line 3: .*25 is not in 0\.\.24 \(does the file"),
    "negative id": (changed(SU2, "\n5 0 1 6", "\n5 0 1 -1"), "line 3: .*-1 is not in"),
    "id over 32 bits": (changed(SU2, "\n5 0 1 6", "\n5 0 1 4294967297"), "4294967297 is not in"),
    "id over 64 bits": (changed(SU2, "\n5 0 1 6", "\n5 0 1 18446744073709551617"), "too large"),
    "huge NELEM": (changed(SU2, "NELEM= 32", f"NELEM= {2**62}"), "only .* bytes follow"),
    "NELEM over 64 bits": (changed(SU2, "NELEM= 32", f"NELEM= {2**70}"), "too large"),
    "huge NPOIN": (changed(SU2, "NPOIN= 25", "NPOIN= 99999999999"), "only .* bytes follow"),
    "negative NELEM": (changed(SU2, "NELEM= 32", "NELEM= -5"), "negative"),
    "nan": (changed(SU2, "\n0.25 0.0", "\nnan 0.0"), "'nan' is not a finite number"),
    "inf": (changed(SU2, "\n0.25 0.0", "\n1e999 0.0"), "too large for a finite number"),
    "decimal comma": (changed(SU2, "\n0.25 0.0", "\n0,25 0.0"), "'0,25' is not"),
    "missing coordinate": (changed(SU2, "\n0.25 0.0 1\n", "\n0.25\n"), "coordinate is missing"),
    "unknown type": (changed(SU2, "\n5 0 1 6", "\n77 0 1 6"), "unknown element type 77"),
    "3D cell in 2D": (changed(SU2, "\n5 0 1 6", "\n10 0 1 6"), "tetrahedron does not belong"),
    "extra column": (changed(SU2, "\n5 0 1 6 0\n", "\n5 0 1 6 0 0\n"), "left over"),
    "second NELEM": (SU2 + "NELEM= 1\n5 0 1 2\n", "second NELEM"),
    "NDIME 4": (changed(SU2, "NDIME= 2", "NDIME= 4"), "neither 2 nor 3"),
    "elements before NDIME": ("NELEM= 1\n5 0 1 2\nNDIME= 2\n", "before NDIME"),
    "marker without tag": (changed(SU2, "MARKER_TAG= wall\n", ""), "without a MARKER_TAG"),
    "nul in a number": (changed(SU2, "\n0.25 0.0", "\n0.2\0005 0.0"), "is not a finite number"),
}

OP2_REFUSED = {
    "self edge": ("4 1 1 0\n0 0\n1 0\n1 1\n0 1\n0 1 2 3\n0 1 0 0\n", "on both sides"),
    "cell id": (changed(OP2, "\n1 6 0 1 \n", "\n1 6 0 16 \n"), r"16 is not in 0\.\.15"),
    "node id": (changed(OP2, "\n0 1 6 5 \n", "\n0 1 6 25 \n"), r"25 is not in 0\.\.24"),
    "truncated": (OP2[:-20], "ends|missing"),
    "left over": (OP2 + "0 1 0 1\n", "left over"),
    "huge": (f"{2**31 - 1} 1 1 1\n0 0\n", "only .* bytes follow"),
    "over 2^31": (f"{2**31} 1 1 1\n0 0\n", "not in 1"),
    "no nodes": ("0 0 0 0\n", "not in 1"),
}


GR3 = """a square
4 5 ! elements and nodes
10 0 0 1.5
20 1 0 1.5
30 1 1 2.5
40 0 1 2.5
50 2D0 1 2.5
1 3 10 20 30
2 3 10 30 40
3 3 20 50 30
4 3 50 30 20
1 = Number of open boundaries
2 = nodes
2 = nodes of it
10
20
1 = Number of land boundaries
3 = nodes
3 1 an island
30
40
10
""".replace("4 5 !", "3 5 !").replace("4 3 50 30 20\n", "")

GR3_REFUSED = {
    "swapped counts": (changed(GR3, "3 5 !", "5 3 !"), "not in 3"),
    "many nodes of an element": (changed(GR3, "1 3 10 20 30", "1 7 10 20 30"), "line 8: .*7 is not in 3"),
    "id twice": (changed(GR3, "20 1 0", "10 1 0"), "tag 10 is given twice"),
    "no such node": (changed(GR3, "1 3 10 20 30", "1 3 10 20 60"), "no node 60"),
    "no such boundary node": (changed(GR3, "\n40\n10\n", "\n41\n10\n"), "no node 41"),
    "blank counts": ("a\n      \n", "line 1: does not begin"),
    "cut": (GR3[:-6], "ends"),
    "left over": (GR3 + "7\n", "left over"),
    "huge": (changed(GR3, "3 5 !", "3 2000000000 !"), "only .* bytes"),
    "huge boundary": (changed(GR3, "2 = nodes of it", "2000000000"), "whole number|no node"),
}


def test_gr3_ids_are_labels(tmp_path):
    _, reading = read(tmp_path, "fort.14", GR3)
    assert reading.assert_accepted().sets == {"nodes": 5, "cells": 3, "marked_edges": 4}
    assert reading.markers == ["open", "land"] and "dat depth nodes" in reading.stdout
    lines = GR3.splitlines(True)
    _, shuffled = read(tmp_path, "fort.14", "".join(lines[:2] + lines[6:1:-1] + lines[7:]))
    assert shuffled.assert_accepted().sets == reading.sets


SU2_SAME = {
    "CRLF": SU2.replace("\n", "\r\n"),
    "no final newline": SU2[:-1],
    "byte order mark": b"\xef\xbb\xbf" + SU2.encode(),
    "comments, tabs and blank lines": SU2.replace("\n5 ", "\n\n% words\n\t5\t").replace("NDIME= 2", "NDIME = 2 % plane"),
    "no ids at the line ends": "\n".join(
        " ".join(line.split()[:4]) if line.startswith("5 ") else line for line in SU2.splitlines()
    ),
    "long line": SU2.replace("NELEM", " " * 3000000 + "NELEM"),
    "points first": SU2[:9] + SU2[SU2.index("NPOIN") : SU2.index("NMARK")] + SU2[9 : SU2.index("NPOIN")] + SU2[SU2.index("NMARK") :],
    "free-form deformation box": SU2 + "FFD_NBOX= 1\nFFD_CORNER_POINTS= 2\n0.0 0.0\n1 1\n",
    "exponents": SU2.replace("\n0.25 ", "\n2.5D-1 "),
}


@pytest.mark.parametrize("case", SU2_SAME)
def test_su2_same_mesh(tmp_path, case):
    _, good = read(tmp_path, "good.su2", SU2)
    assert good.assert_accepted().sets == {"nodes": 25, "cells": 32, "marked_edges": 8}
    assert good.markers == ["wall"] and not good.warnings
    _, reading = read(tmp_path, "mesh.su2", SU2_SAME[case])
    assert reading.assert_accepted().digest == good.digest


SU2_WARNED = {
    "node twice": (changed(SU2, "\n5 0 1 6", "\n5 0 1 1"), "1 of the cells have a node twice; the first is number 0"),
    "same place": (changed(SU2, "\n0.25 0.0 1\n", "\n0.0 0.0 1\n"), "1 of the cells have two nodes at the same place"),
    "duplicates": (
        changed(SU2, "NELEM= 32", "NELEM= 34").replace("NPOIN", "5 6 0 1\n5 1 6 0\nNPOIN"),
        "2 of the cells have the same nodes as another one; the first is number 32",
    ),
    "unreferenced": (
        changed(SU2, "NPOIN= 25", "NPOIN= 26").replace("NMARK", "5 5 25\nNMARK"),
        "1 of the nodes belong to no cell; the first is number 25",
    ),
}


@pytest.mark.parametrize("case", SU2_WARNED)
def test_su2_warned(tmp_path, case):
    content, words = SU2_WARNED[case]
    _, reading = read(tmp_path, "mesh.su2", content)
    assert any(words in warning for warning in reading.assert_accepted().warnings), reading.warnings


def test_su2_zones_lie_one_behind_the_other(tmp_path):
    zone = SU2[: SU2.index("NMARK")]
    _, reading = read(tmp_path, "mesh.su2", f"NZONE= 2\nIZONE= 1\n{zone}IZONE= 2\n{zone}")
    assert reading.assert_accepted().sets == {"nodes": 50, "cells": 64} and not reading.warnings
    path, reading = read(tmp_path, "bad.su2", f"NZONE= 2\nIZONE= 1\n{zone}IZONE= 2\n{zone[:-30]}")
    reading.assert_refused(path, "the file ends")


def test_su2_markers_are_those_of_a_zone(tmp_path):
    zone = SU2.replace("NMARK= 1", "NMARK= 2") + "MARKER_TAG= core\nMARKER_ELEMS= 1\n3 0 5\n"
    second = zone.replace("= core", "= rim").replace("MARKER_ELEMS= 8", "MARKER_ELEMS= 8 % wall again")
    _, reading = read(tmp_path, "mesh.su2", f"NZONE= 2\nIZONE= 1\n{zone}IZONE= 2\n{second}")
    assert reading.assert_accepted().markers == ["wall", "core", "wall zone 2", "rim"]
    assert reading.sets["marked_edges"] == 18


def test_a_zero_byte_does_not_end_a_tag(tmp_path):
    """Else two markers of the file would be one."""
    second = SU2.replace("NMARK= 1", "NMARK= 2").replace("= wall", "= wall\0a") + "MARKER_TAG= wall\0b\nMARKER_ELEMS= 1\n3 0 5\n"
    assert read(tmp_path, "mesh.su2", second)[1].assert_accepted().markers == ["wall?a", "wall?b"]


EXCHANGE = SU2.replace("NMARK= 1", "NMARK= 3") + (
    "MARKER_TAG= SEND_RECEIVE\nMARKER_ELEMS= 2\nSEND_TO= 1\n1 3 0\n1 4\n"
    "MARKER_TAG= SEND_RECEIVE\nMARKER_ELEMS= 1\nSEND_TO= -1\n1 5 0\n"
)
EXCHANGE_REFUSED = {
    "vertex past the end": (changed(EXCHANGE, "\n1 3 0", "\n1 25 0"), r"line \d+: .*25 is not in 0"),
    "fewer vertices": (changed(EXCHANGE, "MARKER_ELEMS= 2", "MARKER_ELEMS= 3"), "element type 'MARKER_TAG=' is not"),
    "more vertices": (changed(EXCHANGE, "MARKER_ELEMS= 2", "MARKER_ELEMS= 1"), "left over"),
    "a line": (changed(EXCHANGE, "\n1 3 0", "\n3 3 0"), "a line does not belong here"),
    "no SEND_TO": (changed(EXCHANGE, "SEND_TO= 1\n", ""), "SEND_TO= should follow"),
    "ends before SEND_TO": (EXCHANGE[: EXCHANGE.index("SEND_TO")], "SEND_TO= should follow"),
    "huge": (changed(EXCHANGE, "MARKER_ELEMS= 2", f"MARKER_ELEMS= {2**40}"), "only .* bytes follow"),
}


def test_su2_vertices_that_parts_exchange_are_skipped(tmp_path):
    _, good = read(tmp_path, "good.su2", SU2)
    _, reading = read(tmp_path, "mesh.su2", EXCHANGE)
    assert reading.assert_accepted().digest == good.digest and reading.markers == ["wall"]
    assert re.match(r"\d+ vertices that parts of a parallel mesh exchange \(SEND_RECEIVE\) were left out", *reading.warnings)


REFUSED = {"mesh.su2": {**SU2_REFUSED, **EXCHANGE_REFUSED}, "new_grid.dat": OP2_REFUSED, "hgrid.gr3": GR3_REFUSED}


@pytest.mark.parametrize("name, content, words", [
    pytest.param(name, *cases[case], id=f"{name} {case}") for name, cases in REFUSED.items() for case in cases])
def test_refused(tmp_path, name, content, words):
    path, reading = read(tmp_path, name, content)
    reading.assert_refused(path, words)


def test_op2_states_its_maps(tmp_path):
    _, reading = read(tmp_path, "new_grid.dat", OP2)
    assert reading.assert_accepted().sets == {"nodes": 25, "cells": 16, "edges": 24, "bedges": 16}
    for name in ("map cells:nodes 4", "map edges:cells 2", "map bedges:cells 1", "dat bound bedges"):
        assert name in reading.stdout


def test_any_number_of_threads_gives_the_same(tmp_path, monkeypatch):
    text = su2_text(300)
    digests = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        digests.add(read(tmp_path, "mesh.su2", text)[1].assert_accepted().digest)
        lines = text.splitlines(True)
        lines[150000] = "5 0 1 x\n"
        lines[170000] = "5 0 1 y\n"
        path, reading = read(tmp_path, "bad.su2", "".join(lines))
        reading.assert_refused(path, "line 150001: .*'x'")
    assert len(digests) == 1


def test_duplicates_are_named_alike_in_any_order(tmp_path, monkeypatch):
    """Two threads: the second enters cell 144405 long before the first enters its copy, 131000."""
    lines = su2_text(380).splitlines(True)
    lines[2 + 131000] = lines[2 + 144405]
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        _, reading = read(tmp_path, "mesh.su2", "".join(lines))
        words = "1 of the cells have the same nodes as another one; the first is number 144405"
        assert words in reading.assert_accepted().warnings


@pytest.mark.parametrize("ending, pack", [("xz", lzma.compress), ("gz", gzip.compress), ("bz2", bz2.compress)])
def test_compressed(tmp_path, ending, pack):
    _, good = read(tmp_path, "good.su2", SU2)
    _, packed = read(tmp_path, f"mesh.su2.{ending}", pack(SU2.encode()))
    assert packed.assert_accepted().digest == good.digest
    _, unnamed = read(tmp_path, "mesh.su2", pack(SU2.encode()))
    assert unnamed.assert_accepted().digest == good.digest
    path, cut = read(tmp_path, f"cut.su2.{ending}", pack(su2_text(40).encode())[:-200])
    assert cut.code == 3 and str(path) in cut.messages[0] and "decompress" in cut.messages[0]


def test_decompression_bomb_stays_small(tmp_path):
    path, reading = read(tmp_path, "bomb.su2.xz", lzma.compress(b"\n" * 40_000_000))
    assert reading.code == 3 and "more than 1000 times" in reading.messages[0]
    assert SANITIZED or reading.peak_bytes < 20e6 + 2500 * path.stat().st_size


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.su2")
    for name, words in ((".", "a directory"), ("pipe.su2", "a pipe"), ("none.su2", "cannot be opened")):
        reading = Reading(tmp_path / name, seconds=5)
        assert reading.code == 3 and words in reading.messages[0], reading.messages
    _, reading = read(tmp_path, "words.txt", "Not a mesh at all\n")
    assert reading.code == 3 and "su2 (.su2)" in reading.messages[0]


@pytest.mark.skipif(SANITIZED, reason="sanitizers take memory of their own")
@pytest.mark.parametrize("ending", ["su2", "meshb"])
def test_a_large_file_takes_half_as_much_memory_again_as_its_mesh(tmp_path, tess, ending):
    """Beside what a program takes that reads a small one; the text alone is twice the mesh."""
    n = 900
    tess("mesh", "generate", f"tris:nx={n}:ny={n}", "-o", tmp_path / f"large.{ending}")
    mesh = 2 * n * n * 3 * 4 + (n + 1) ** 2 * 2 * 8
    reading = Reading(tmp_path / f"large.{ending}").assert_accepted()
    assert reading.sets["cells"] == 2 * n * n
    assert reading.peak_bytes < 1.5 * mesh + 20e6
