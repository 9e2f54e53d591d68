"""Ids past 2^31, each one that 32 bits would make a good one of, are refused by name in every array that makes faces and cells."""

import re

import h5py
import numpy as np
import pytest
from cgns_zones_test import polyhedra_cgns
from polyhedra_files import poly_mesh, split_hexes
from mesh_files import MIXED_NODES, Reading, changed, read
from netcdf_files import cgns
from vtk_files import Vtu, faces_of_vtk, stream_of, vtk_cells
from vtk_polyhedra_test import hdf_faces
from vtkhdf_reader_test import vtkhdf

PAST = 2**32


@pytest.mark.parametrize("name, words", [
    ("faces", "the point of the face 4294967297 is not in 0..11"),
    ("owner", "the owner 4294967296 is not in 0..11"),
    ("neighbour", "the neighbour 4294967297 is not in 0..11"),
])  # fmt: skip
def test_openfoam(tmp_path, name, words):
    folder = poly_mesh(tmp_path / "polyMesh", *split_hexes())
    head, _, body = (folder / name).read_bytes().partition(b"\n(\n")
    first = re.search(rb"\d+(?=[ \n])", body)
    (folder / name).write_bytes(head + b"\n(\n" + body[: first.start()] + b"%d" % (PAST + int(first[0])) + body[first.end() :])
    Reading(folder).assert_refused(folder / name, words)


@pytest.mark.parametrize("name", ["faces", "owner", "neighbour"])
def test_openfoam_of_64_bits(tmp_path, name):
    folder = poly_mesh(tmp_path / "polyMesh", *split_hexes(), (8, 8))
    content = bytearray((folder / name).read_bytes())
    last = len(content) - len(b")\n") - 8
    content[last + 4] = 1
    (folder / name).write_bytes(bytes(content))
    Reading(folder).assert_refused(folder / name, r"42949[\d]+ .number \d+. is not in 0..11")


VTU = {
    "stream": (stream_of, "faces", "polyhedron 0 "),
    "stream ends": (stream_of, "faceoffsets", "of the array faces, which has fewer"),
    "nodes of faces": (faces_of_vtk, "face_connectivity", "polyhedron 0 has the node 42949672"),
    "ends of faces": (faces_of_vtk, "face_offsets", "of the array face_connectivity, which has fewer"),
    "faces of cells": (faces_of_vtk, "polyhedron_to_faces", "of the array face_offsets, which has fewer"),
    "ends of cells": (faces_of_vtk, "polyhedron_offsets", "of the array polyhedron_to_faces, which has fewer"),
}


@pytest.mark.parametrize("case", VTU)
@pytest.mark.parametrize("format", ["ascii", "binary"])
def test_vtu(tmp_path, case, format):
    form, name, words = VTU[case]
    points, cells = split_hexes()
    faces = form(cells)
    place = 2 if name == "faces" else 0
    faces[name][place] += PAST
    way = Vtu(format=format)
    path, reading = read(tmp_path, "mesh.vtu", way.file(way.piece(points, vtk_cells(cells), faces=faces)))
    reading.assert_refused(path, words)


def test_vtu_cells(tmp_path):
    cells = [(10, (0, 1, 2, PAST + 3), 0)]
    path, reading = read(tmp_path, "mesh.vtu", Vtu().file(Vtu().piece(MIXED_NODES, cells)))
    reading.assert_refused(path, "cell 0 has the node 4294967299, which is not in 0..11")
    path, reading = read(tmp_path, "mesh.vtu", changed(Vtu().file(), b'NumberOfPoints="12"', b'NumberOfPoints="4294967308"'))
    reading.assert_refused(path, 'NumberOfPoints="4294967308" is not in 0..2147483647')


@pytest.mark.parametrize("name, words", [
    ("FaceConnectivity", "polyhedron 0 has the node 42949672"),
    ("PolyhedronToFaces", "of the array FaceOffsets, which has fewer"),
    ("NumberOfCells", "NumberOfCells: the sizes are not in 0..2147483647"),
])  # fmt: skip
def test_vtkhdf(tmp_path, name, words):
    points, cells = split_hexes()

    def change(arrays):
        hdf_faces(cells)(arrays)
        arrays[name] = arrays[name].astype("i8")
        arrays[name][0] += PAST

    path = vtkhdf(tmp_path / "mesh.vtkhdf", (points, vtk_cells(cells)), change=change)
    Reading(path).assert_refused(path, words)


def widen(path, section, array):
    """Makes an array of a section one of 64 bits, whose last number is past 2^31."""
    with h5py.File(path, "a") as file:
        node = file["Base/Zone"][section][array]
        values = node[" data"][:].astype("i8")
        values[-1] += PAST
        del node[" data"], node.attrs["type"]
        node.create_dataset(" data", data=values)
        node.attrs.create("type", np.bytes_(b"I8\0"), dtype="S3")


@pytest.mark.parametrize("section, words", [("sides", "element 12 has the node 4294967308"), ("bodies", "has the face 4294967|has the face -?429496")])
def test_cgns_polyhedra(tmp_path, section, words):
    path = polyhedra_cgns(tmp_path / "faces.cgns", *split_hexes())
    widen(path, section, "ElementConnectivity")
    Reading(path).assert_refused(path, words)


def test_cgns_mixed(tmp_path):
    path = cgns(tmp_path / "mixed.cgns")
    widen(path, "cells", "ElementConnectivity")
    Reading(path).assert_refused(path, "element 4 has the node 42949673")
