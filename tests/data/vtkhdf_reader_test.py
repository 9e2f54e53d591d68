"""VTKHDF: the same mesh as from VTU, pieces joined, every defect refused."""

import h5py
import numpy as np
import pytest
from mesh_files import MIXED_NODES, SANITIZED, Reading, assert_cut_refused, mixed_su2
from vtk_files import MIXED_CELLS, Vtu
from vtu_test import strip


def vtkhdf(path, *pieces, change=lambda arrays: None, **options):
    """Pieces of (nodes, cells), or the mixed mesh; `change` edits the arrays, options go to each dataset."""
    pieces = pieces or [(MIXED_NODES, MIXED_CELLS)]
    ids = [[node for cell in cells for node in cell[1]] for _, cells in pieces]
    arrays = {
        "NumberOfPoints": np.array([len(nodes) for nodes, _ in pieces], "i8"),
        "NumberOfCells": np.array([len(cells) for _, cells in pieces], "i8"),
        "NumberOfConnectivityIds": np.array([len(row) for row in ids], "i8"),
        "Points": np.array([node for nodes, _ in pieces for node in nodes], "f8"),
        "Connectivity": np.array([node for row in ids for node in row], "i8"),
        "Offsets": np.array([end for _, cells in pieces for end in np.cumsum([0, *(len(cell[1]) for cell in cells)])], "i8"),
        "Types": np.array([cell[0] for _, cells in pieces for cell in cells], "u1"),
        "CellData/marker": np.array([cell[2] for _, cells in pieces for cell in cells], "i4"),
    }
    change(arrays)
    with h5py.File(path, "w") as file:
        group = file.create_group("VTKHDF")
        group.attrs["Version"] = [1, 0]
        group.attrs["Type"] = np.bytes_("UnstructuredGrid")
        for name, values in arrays.items():
            if isinstance(values, (h5py.ExternalLink, h5py.SoftLink)):
                group[name] = values
            else:
                group.create_dataset(name, data=values, **options)
    return path


@pytest.mark.parametrize("options", [{}, {"compression": "gzip", "shuffle": True, "chunks": True}])
def test_same_mesh_as_vtu(tmp_path, options):
    reading = Reading(vtkhdf(tmp_path / "mesh.vtkhdf", **options)).assert_accepted()
    assert reading.markers == ["marker 1", "marker 2"] and not reading.warnings
    (tmp_path / "mesh.vtu").write_bytes(Vtu().file())
    assert reading.digest == Reading(tmp_path / "mesh.vtu").assert_accepted().digest


def test_pieces_are_joined(tmp_path):
    reading = Reading(vtkhdf(tmp_path / "mesh.vtkhdf", strip(0, 3), strip(3, 2))).assert_accepted()
    assert reading.sets == {"nodes": 12, "cells": 5}
    (tmp_path / "mesh.vtu").write_bytes(Vtu().file(Vtu().piece(*strip(0, 3)), Vtu().piece(*strip(3, 2))))
    assert reading.digest == Reading(tmp_path / "mesh.vtu").assert_accepted().digest

    def ghost(arrays):
        arrays["CellData/vtkGhostType"] = np.array([0, 0, 0, 1, 0], "u1")

    reading = Reading(vtkhdf(tmp_path / "ghost.vtkhdf", strip(0, 3), strip(2, 2), change=ghost)).assert_accepted()
    assert reading.sets == {"nodes": 10, "cells": 4}
    assert reading.warnings == ["1 ghost, a copy of a cell of another part, was left out"]


def long_strip(n):
    """Changes the arrays to those of a row of n unit quads."""
    def change(arrays):
        i = np.arange(n)
        ids = np.stack([i, i + 1, n + 2 + i, n + 1 + i], axis=1)
        x, y = np.tile(np.arange(n + 1.0), 2), np.repeat([0.0, 1.0], n + 1)
        arrays.update(NumberOfPoints=np.array([2 * n + 2]), NumberOfCells=np.array([n]), NumberOfConnectivityIds=np.array([4 * n]))
        arrays.update(Points=np.stack([x, y, 0 * x], axis=1), Connectivity=ids.ravel(), Offsets=4 * np.arange(n + 1))
        arrays.update({"Types": np.full(n, 9, "u1"), "CellData/marker": np.zeros(n, "i4")})

    return change


def test_large_files_are_read_part_by_part(tmp_path):
    """More cells than are read at once, in a chunk that is larger than what HDF5 keeps: the mesh that SU2's text gives."""
    n = 36000
    path = vtkhdf(tmp_path / "mesh.vtkhdf", change=long_strip(n), compression="gzip", shuffle=True)
    with h5py.File(path, "a") as file:
        ids = file["VTKHDF/Connectivity"][:]
        del file["VTKHDF/Connectivity"]
        file["VTKHDF"].create_dataset("Connectivity", data=ids, compression="gzip", chunks=ids.shape)
    nodes, cells = strip(0, n)
    lines = ["NDIME= 2", f"NELEM= {n}", *("9 %d %d %d %d" % cell[1] for cell in cells), f"NPOIN= {len(nodes)}", *("%d %d" % node[:2] for node in nodes)]
    (tmp_path / "mesh.su2").write_text("\n".join([*lines, "NMARK= 0", ""]))
    assert Reading(path).assert_accepted().digest == Reading(tmp_path / "mesh.su2").assert_accepted().digest


def test_memory_is_that_of_the_mesh(tmp_path):
    n = 300000
    small, large = Reading(vtkhdf(tmp_path / "small.vtkhdf")), Reading(vtkhdf(tmp_path / "large.vtkhdf", change=long_strip(n)))
    assert large.assert_accepted().sets == {"nodes": 2 * n + 2, "cells": n}
    mesh_bytes = 16 * n + 16 * (2 * n + 2)
    assert SANITIZED or large.peak_bytes < small.assert_accepted().peak_bytes + 2 * mesh_bytes


def put(name, index, value):
    return lambda arrays: arrays[name].__setitem__(index, value)


def become(name, values):
    return lambda arrays: arrays.update({name: values})


REFUSED = {
    "node 12": (put("Connectivity", 0, 12), r"cell 0 has the node 12, which is not in 0\.\.11"),
    "node -1": (put("Connectivity", 7, -1), "node -1"),
    "unknown type": (put("Types", 2, 99), "unknown VTK type 99"),
    "polyhedron": (put("Types", 2, 42), "polyhedron"),
    "offsets descend": (put("Offsets", 2, 1), "end at 1, not in 3"),
    "offset past the end": (put("Offsets", 6, 2**40), "end at 1099511627776"),
    "huge number of points": (put("NumberOfPoints", 0, 2**62), "NumberOfPoints: the sizes are not in"),
    "negative number of cells": (put("NumberOfCells", 0, -1), "NumberOfCells: the sizes"),
    "more points": (put("NumberOfPoints", 0, 13), "Points: it does not have three reals"),
    "more cells": (put("NumberOfCells", 0, 7), "Offsets: it is not as long"),
    "fewer ids": (put("NumberOfConnectivityIds", 0, 29), "Connectivity: it is not as long"),
    "pieces of another number": (become("NumberOfCells", np.array([3, 3], "i8")), "one number for each piece"),
    "no pieces": (become("NumberOfPoints", np.zeros(0, "i8")), "one number for each piece"),
    "real connectivity": (become("Connectivity", np.zeros(30)), "Connectivity: it is not of as many whole numbers"),
    "texts for types": (become("Types", np.array([b"a"] * 6, "S1")), "Types: it is not of"),
    "points of whole numbers": (become("Points", np.zeros((12, 3), "i4")), "three reals"),
    "nan": (put("Points", (3, 1), np.nan), "not finite"),
    "no types": (lambda arrays: arrays.pop("Types"), "Types: there is none in this file"),
    "another file's": (become("Points", h5py.ExternalLink("other.hdf", "/VTKHDF/Points")), "three reals"),
    "a link in circles": (become("Types", h5py.SoftLink("/VTKHDF/Types")), "none in this file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path, case):
    change, words = REFUSED[case]
    vtkhdf(tmp_path / "other.hdf")
    path = vtkhdf(tmp_path / "mesh.vtkhdf", change=change)
    Reading(path).assert_refused(path, words)


def test_more_than_the_file_holds_is_refused(tmp_path):
    """A dataset without data that says that it has 2^40 numbers."""
    path = vtkhdf(tmp_path / "mesh.vtkhdf", change=lambda arrays: arrays.pop("Connectivity"))
    with h5py.File(path, "a") as file:
        file["VTKHDF"].create_dataset("Connectivity", (2**40,), "i8", chunks=(1024,))
    Reading(path).assert_refused(path, "Connectivity: it is not of as many whole numbers as the file can hold")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_cut(tmp_path, part):
    assert_cut_refused(vtkhdf(tmp_path / "mesh.vtkhdf"), part, "HDF5 cannot open it|does not begin|none in this file")


@pytest.mark.parametrize("parts", [[1], [2, 2], [1, 1]])
def test_time_steps(tmp_path, parts):
    """The pieces of several steps are not joined; a mesh that stays is read, whatever steps its data have."""
    def steps(arrays):
        arrays["Steps/NumberOfParts"] = np.array(parts)

    path = vtkhdf(tmp_path / "mesh.vtkhdf", strip(0, 2), strip(2, 2), change=steps)
    if parts[0] == 2:
        assert Reading(path).assert_accepted().sets["cells"]
    else:
        Reading(path).assert_refused(path, "dataset /VTKHDF/Steps/NumberOfParts: the mesh changes with time")


def test_other_types_are_named(tmp_path):
    path = vtkhdf(tmp_path / "mesh.vtkhdf", change=lambda arrays: arrays.pop("Connectivity"))
    with h5py.File(path, "a") as file:
        file["VTKHDF"].attrs["Type"] = np.bytes_("PolyData")
    Reading(path).assert_refused(path, "dataset /VTKHDF: it holds the type PolyData; UnstructuredGrid is read")


def test_written_files_are_vtks_and_read_back_with_their_names(tmp_path, tess):
    """ParaView's arrays: the cells, then the marked sides; names of markers stand where VTK does not look."""
    (tmp_path / "mesh.su2").write_text(mixed_su2())
    tess("mesh", "convert", tmp_path / "mesh.su2", tmp_path / "mesh.vtkhdf")
    su2, again = (Reading(tmp_path / name).assert_accepted() for name in ("mesh.su2", "mesh.vtkhdf"))
    assert again.markers == su2.markers and again.sets == su2.sets and again.digest == su2.digest
    with h5py.File(tmp_path / "mesh.vtkhdf") as file:
        group = file["VTKHDF"]
        assert list(group.attrs["Version"]) == [1, 0] and group.attrs["Type"] == b"UnstructuredGrid"
        assert list(group["Types"]) == [10, 14, 13, 12, 5, 9] and list(group["CellData/marker"]) == [0, 0, 0, 0, 1, 2]
        assert list(group["Offsets"]) == [0, 4, 9, 15, 23, 26, 30] and list(group["NumberOfCells"]) == [6]
    for names in (b"one", b"", b"\n\n", b"one\ntwo", b"one\n\xff\n"):  # cut, none, empty: then by number
        with h5py.File(tmp_path / "mesh.vtkhdf", "a") as file:
            del file["VTKHDF/marker_names"]
            file["VTKHDF/marker_names"] = np.frombuffer(names, "u1")
        Reading(tmp_path / "mesh.vtkhdf").assert_accepted()
    with h5py.File(tmp_path / "mesh.vtkhdf", "a") as file:
        del file["VTKHDF/marker_names"]
    assert Reading(tmp_path / "mesh.vtkhdf").assert_accepted().markers == ["marker 1", "marker 2"]


def test_data_that_a_format_lacks_are_named(tmp_path, tess):
    path = tmp_path / "mesh.gr3"
    path.write_text("grid\n1 3\n1 0 0 5.5\n2 1 0 6\n3 0 1 7\n1 3 1 2 3\n")
    said = tess("mesh", "convert", path, tmp_path / "mesh.su2").stderr
    assert "of data on elements su2 files hold none: depth (nodes) is left out" in said


def test_chunks_and_numbers_that_are_larger_than_the_file_can_be(tmp_path):
    """Which fuzzing found: HDF5 takes their memory, here 268 MB, to read the first of them."""
    path = vtkhdf(tmp_path / "mesh.vtkhdf")
    with h5py.File(path, "r+") as file:
        del file["VTKHDF/Types"]
        file.create_dataset("VTKHDF/Types", (6,), "u1", chunks=(1 << 28,), maxshape=(None,))
    Reading(path).assert_refused(path, "dataset /VTKHDF/Types: its chunks or numbers have 268435456 bytes, more than")
