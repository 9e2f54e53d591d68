"""meshb and UGRID files: the same mixed mesh as from SU2, and every defect refused."""

import struct

import pytest
from mesh_files import Reading, assert_content_refused, changed, meshb, mixed_su2, read, ugrid, ugrid_text

VARIANTS = {
    **{f"meshb {version}": ("mesh.meshb", meshb(version)) for version in (1, 2, 3, 4)},
    "ugrid, little-endian": ("mesh.lb8.ugrid", ugrid()),
    "ugrid, big-endian": ("mesh.b8.ugrid", ugrid(">")),
    "ugrid, single precision": ("mesh.lb4.ugrid", ugrid(real="f")),
    "ugrid, single precision, big-endian": ("mesh.b4.ugrid", ugrid(">", "f")),
    "ugrid of Fortran": ("mesh.lr8.ugrid", ugrid(fortran=True)),
    "ugrid of Fortran, big-endian": ("mesh.r8.ugrid", ugrid(">", fortran=True)),
    "ugrid of Fortran, single precision": ("mesh.r4.ugrid", ugrid(">", "f", fortran=True)),
    "ugrid, text": ("mesh.ugrid", ugrid_text()),
    "ugrid, text in one line": ("mesh.ugrid", " ".join(ugrid_text().split())),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_same_mesh_from_every_variant(tmp_path, variant):
    _, reading = read(tmp_path, *VARIANTS[variant])
    sets = {"nodes": 12, "cells": 4, "tets": 1, "pyramids": 1, "prisms": 1, "hexes": 1}
    assert reading.assert_accepted().sets == {**sets, "marked_tris": 1, "marked_quads": 1}
    assert [name.split()[1] for name in reading.markers] == ["1", "2"]
    _, su2 = read(tmp_path, "mesh.su2", mixed_su2().encode())
    assert reading.digest == su2.assert_accepted().digest


def test_ugrid_is_written_as_it_should_be(tmp_path, tess):
    (tmp_path / "mesh.su2").write_text(mixed_su2())
    done = tess("mesh", "convert", tmp_path / "mesh.su2", tmp_path / "mesh.lb8.ugrid")
    assert (tmp_path / "mesh.lb8.ugrid").read_bytes() == ugrid()
    assert "ugrid files hold no names of markers, but numbers: 1 is 'one', 2 is 'two'" in done.stderr
    done = tess("mesh", "convert", tmp_path / "mesh.su2", tmp_path / "mesh.b8.ugrid", code=2)
    assert "the extension tells no format" in done.stderr
    done = tess("mesh", "convert", "quads:nx=2:ny=2", tmp_path / "flat.lb8.ugrid", code=3)
    assert "UGRID holds cells of 3 dimensions, not of 2" in done.stderr


def test_meshb_is_written_as_it_should_be(tmp_path, tess):
    """Block after block, as the format says, read here without the program."""
    (tmp_path / "mesh.su2").write_text(mixed_su2())
    tess("mesh", "convert", tmp_path / "mesh.su2", tmp_path / "mesh.meshb")
    content, at, blocks = (tmp_path / "mesh.meshb").read_bytes(), 8, {}
    assert struct.unpack_from("<2i", content) == (1, 3)
    while (key := struct.unpack_from("<i", content, at)[0]) != 54:
        end = struct.unpack_from("<q", content, at + 4)[0]
        blocks[key] = content[at + 12 : end]
        at = end
    assert content[at:] == struct.pack("<iq", 54, 0)
    assert blocks[3] == struct.pack("<i", 3) and blocks[4][:4] == struct.pack("<i", 12)
    assert blocks[6] == TRIANGLE
    assert set(blocks) == {3, 4, 6, 7, 8, 9, 10, 49}


@pytest.mark.parametrize("ending", ["lb8.ugrid", "meshb"])
@pytest.mark.parametrize("mesh", ["hexes:nx=3:ny=2:nz=4:lx=0.1", "tets:nx=3:ny=2:nz=2:shuffle=3", "prisms:nx=3:ny=2:nz=2"])
def test_round_trips_are_exact(tmp_path, tess, mesh, ending):
    tess("mesh", "generate", mesh, "-o", tmp_path / "mesh.su2")
    tess("mesh", "convert", tmp_path / "mesh.su2", tmp_path / f"mesh.{ending}")
    first = Reading(tmp_path / "mesh.su2").assert_accepted()
    second = Reading(tmp_path / f"mesh.{ending}").assert_accepted()
    assert second.sets == first.sets and second.digest == first.digest
    tess("mesh", "convert", tmp_path / f"mesh.{ending}", tmp_path / f"again.{ending}")
    assert (tmp_path / f"again.{ending}").read_bytes() == (tmp_path / f"mesh.{ending}").read_bytes()


def test_round_trip_in_a_plane(tmp_path, tess):
    tess("mesh", "generate", "irregular:nx=6:ny=5:seed=2", "-o", tmp_path / "mesh.su2")
    tess("mesh", "convert", tmp_path / "mesh.su2", tmp_path / "mesh.meshb")
    assert Reading(tmp_path / "mesh.meshb").assert_accepted().digest == Reading(tmp_path / "mesh.su2").digest


MESHB, UGRID, TEXT = meshb(), ugrid(), ugrid_text()
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
    "ugrid: C for Fortran": ("a.lr8.ugrid", UGRID, r"a record of 12 bytes where one of 28 should be"),
    "ugrid: Fortran of the other byte order": ("a.r8.ugrid", ugrid(fortran=True), "a record of 469762048 bytes"),
    "ugrid: a second record of another size": ("a.lr8.ugrid", changed(ugrid(fortran=True), struct.pack("<2i", 28, 416), struct.pack("<2i", 28, 417)), "a record of 417 bytes where one of 416"),
    "ugrid: a first record that ends as another": ("a.lr8.ugrid", changed(ugrid(fortran=True), struct.pack("<2i", 28, 416), struct.pack("<2i", 27, 416)), "a record of 27 bytes where one of 28"),
    "ugrid: a second record that ends as another": ("a.lr8.ugrid", ugrid(fortran=True)[:-4] + struct.pack("<i", 9), "a record of 9 bytes where one of 416"),
    "ugrid: text cut": ("a.ugrid", TEXT[:-20], "the counts imply|the file ends|only"),
    "ugrid: text of huge counts": ("a.ugrid", "2147483647 " * 7, "the counts imply 75161927645 numbers, but only"),
    "ugrid: negative count in text": ("a.ugrid", changed(TEXT, "12 1 1", "12 -1 1"), "line 1: the count -1"),
    "ugrid: node 13 in text": ("a.ugrid", changed(TEXT, "\n2 3 9\n", "\n2 3 13\n"), r"line 14: the node 13 is not in 1\.\.12"),
    "ugrid: word in text": ("a.ugrid", changed(TEXT, "\n2 3 9\n", "\n2 x 9\n"), "line 14: .*'x' is not"),
    "ugrid: no cells in text": ("a.ugrid", "3 1 0 0 0 0 0\n0 0 0\n1 0 0\n0 1 0\n1 2 3\n1\n", "no cells"),
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
    assert_content_refused(tmp_path, *REFUSED[case])
