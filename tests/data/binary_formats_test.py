"""meshb and UGRID files: the same mixed mesh as from SU2, and every defect refused."""

import struct

import pytest
from mesh_files import Reading, meshb, mixed_su2, ugrid

VARIANTS = {
    **{f"meshb {version}": ("mesh.meshb", meshb(version)) for version in (1, 2, 3, 4)},
    "ugrid, little-endian": ("mesh.lb8.ugrid", ugrid()),
    "ugrid, big-endian": ("mesh.b8.ugrid", ugrid(">")),
}


def read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path, Reading(path)


@pytest.mark.parametrize("variant", VARIANTS)
def test_same_mesh_from_every_variant(tmp_path, variant):
    _, reading = read(tmp_path, *VARIANTS[variant])
    sets = {"nodes": 12, "cells": 4, "tets": 1, "pyramids": 1, "prisms": 1, "hexes": 1}
    assert reading.assert_accepted().sets == {**sets, "marked_tris": 1, "marked_quads": 1}
    assert [name.split()[1] for name in reading.markers] == ["1", "2"]
    _, su2 = read(tmp_path, "mesh.su2", mixed_su2().encode())
    assert reading.digest == su2.assert_accepted().digest


def changed(content, old, new):
    assert old in content
    return content.replace(old, new, 1)


MESHB, UGRID = meshb(), ugrid()
TRIANGLE = struct.pack("<5i", 1, 2, 3, 9, 1)

REFUSED = {
    "meshb: byte-swapped": ("a.meshb", struct.pack(">2i", 1, 2) + MESHB[8:], "16777216, not 1"),
    "meshb: version 7": ("a.meshb", struct.pack("<2i", 1, 7) + MESHB[8:], "version 7"),
    "meshb: cut": ("a.meshb", MESHB[: len(MESHB) // 2], "past the end of the file"),
    "meshb: cut between blocks": ("a.meshb", MESHB[:20], "announced"),
    "meshb: offset points backwards": ("a.meshb", MESHB[:12] + struct.pack("<i", 8) + MESHB[16:], "not behind its start"),
    "meshb: offset points at itself": ("a.meshb", MESHB[:12] + struct.pack("<i", 16) + MESHB[16:], "not behind its start"),
    "meshb: dimension 4": ("a.meshb", MESHB[:16] + struct.pack("<i", 4) + MESHB[20:], "neither 2 nor 3"),
    "meshb: node 0": ("a.meshb", changed(MESHB, TRIANGLE, struct.pack("<5i", 1, 0, 3, 9, 1)), "node 0, which is not in 1..12"),
    "meshb: node 13": ("a.meshb", changed(MESHB, TRIANGLE, struct.pack("<5i", 1, 13, 3, 9, 1)), "node 13"),
    "meshb: count over the file": ("a.meshb", changed(MESHB, TRIANGLE, struct.pack("<5i", 2**30, 2, 3, 9, 1)), "announced"),
    "meshb: count over the block": ("a.meshb", MESHB[:12] + struct.pack("<i", 17) + MESHB[16:], "longer than it says"),
    "meshb: negative count": ("a.meshb", changed(MESHB, TRIANGLE, struct.pack("<5i", -2, 2, 3, 9, 1)), "-2 records"),
    "meshb: nan": ("a.meshb", changed(MESHB, struct.pack("<d", 0.5), struct.pack("<d", float("nan"))), "coordinate -?nan"),
    "ugrid: other byte order": ("a.b8.ugrid", UGRID, "negative|imply"),
    "ugrid: cut": ("a.lb8.ugrid", UGRID[:-8], "imply"),
    "ugrid: longer": ("a.lb8.ugrid", UGRID + b"1234", "imply"),
    "ugrid: shorter than its head": ("a.lb8.ugrid", UGRID[:20], "announced"),
    "ugrid: counts overflow": ("a.lb8.ugrid", struct.pack("<7i", *[2**31 - 1] * 7) + UGRID[28:], "imply"),
    "ugrid: negative": ("a.lb8.ugrid", struct.pack("<7i", *[-1] * 7) + UGRID[28:], "negative"),
    "ugrid: node 0": ("a.lb8.ugrid", changed(UGRID, struct.pack("<3i", 2, 3, 9), struct.pack("<3i", 0, 3, 9)), "node 0, which"),
    "ugrid: infinite": ("a.lb8.ugrid", changed(UGRID, struct.pack("<d", 0.5), struct.pack("<d", float("inf"))), "coordinate inf"),
    "ugrid: no cells": ("a.lb8.ugrid", struct.pack("<7i", 1, 0, 0, 0, 0, 0, 0) + bytes(24), "no cells"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path, case):
    name, content, words = REFUSED[case]
    path, reading = read(tmp_path, name, content)
    reading.assert_refused(path, words)
