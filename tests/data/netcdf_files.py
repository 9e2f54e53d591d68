"""NetCDF and CGNS files made in place, for the tests of their readers."""

import h5py
import numpy as np
from mesh_files import MIXED_HEX, MIXED_NODES, MIXED_PRISM, MIXED_PYRAMID, MIXED_TET, grid
from scipy.io import netcdf_file


def write_netcdf(path, variables, dimensions, attributes={}):
    """A classic file of 64-bit offsets: variables {name: (dimension names, values)}, and their attributes."""
    with netcdf_file(path, "w", version=2) as file:
        for name, length in dimensions.items():
            file.createDimension(name, length)
        for name, (names, values) in variables.items():
            values = np.asarray(values)
            variable = file.createVariable(name, values.dtype, names)
            variable[:] = values
            for key, value in attributes.get(name, {}).items():
                setattr(variable, key, value)
    return path


def mpas(path, change=lambda variables, dimensions, attributes: None):
    """The square's grid: its nodes are MPAS's cells, its triangles MPAS's vertices, and one vertex is at the border."""
    nodes, tris, _ = grid(4)
    dimensions = {"nCells": len(nodes), "nVertices": len(tris) + 1, "vertexDegree": 3}
    variables = {"xCell": (("nCells",), np.array([x for x, _ in nodes])), "yCell": (("nCells",), np.array([y for _, y in nodes]))}
    variables["zCell"] = (("nCells",), np.zeros(len(nodes)))
    variables["cellsOnVertex"] = (("nVertices", "vertexDegree"), np.array([*tris, (3, 4, -1)], "i4") + 1)
    change(variables, dimensions, {})
    return write_netcdf(path, variables, dimensions)


def letters(names, length=33):
    return np.array([list(name.ljust(length, "\0")) for name in names], "S1")


# The sides of the mixed mesh with markers: (1, 2, 8) is side 4 of the prism, (0, 1, 2, 3) side 5 of the hexahedron.
MIXED_BLOCKS = [("TETRA4", MIXED_TET), ("PYRAMID5", MIXED_PYRAMID), ("WEDGE", MIXED_PRISM), ("hex8", MIXED_HEX)]
MIXED_SIDES = [("one", 3, 4), ("two", 4, 5)]


def exodus(path, change=lambda variables, dimensions, attributes: None):
    """The mixed mesh with side sets "one" and one without a name, id 20; `change` edits what is written."""
    dimensions = {"num_dim": 3, "num_nodes": len(MIXED_NODES), "num_elem": 4, "num_el_blk": 4, "num_side_sets": 2, "len_name": 33}
    variables, attributes = {}, {}
    for axis, name in enumerate(("coordx", "coordy", "coordz")):
        variables[name] = (("num_nodes",), np.array([node[axis] for node in MIXED_NODES], "d"))
    for i, (kind, nodes) in enumerate(MIXED_BLOCKS, 1):
        dimensions |= {f"num_el_in_blk{i}": 1, f"num_nod_per_el{i}": len(nodes)}
        variables[f"connect{i}"] = ((f"num_el_in_blk{i}", f"num_nod_per_el{i}"), np.array([nodes], "i4") + 1)
        attributes[f"connect{i}"] = {"elem_type": kind}
    for i, (_, element, side) in enumerate(MIXED_SIDES, 1):
        dimensions[f"num_side_ss{i}"] = 1
        variables[f"elem_ss{i}"] = ((f"num_side_ss{i}",), np.array([element], "i4"))
        variables[f"side_ss{i}"] = ((f"num_side_ss{i}",), np.array([side], "i4"))
    variables["ss_prop1"] = (("num_side_sets",), np.array([10, 20], "i4"))
    variables["ss_names"] = (("num_side_sets", "len_name"), letters(["one", ""]))
    change(variables, dimensions, attributes)
    return write_netcdf(path, variables, dimensions, attributes)


def cgns_node(parent, name, label, values=None, kind="MT"):
    node = parent.create_group(name)
    for key, text, size in (("name", name, 33), ("label", label, 33), ("type", kind, 3)):
        node.attrs.create(key, np.bytes_(text.encode().ljust(size, b"\0")), dtype=f"S{size}")
    node.attrs.create("flags", np.array([1], "i4"))
    if values is not None:
        node.create_dataset(" data", data=values)
    return node


def text_of(word):
    return np.frombuffer(word.encode(), "i1")


def cgns_file(path, version=3.3):
    file = h5py.File(path, "w", libver=("earliest", "v108"))
    for key, text, size in (("name", "HDF5 MotherNode", 33), ("label", "Root Node of HDF5 File", 33), ("type", "MT", 3)):
        file.attrs.create(key, np.bytes_(text.encode().ljust(size, b"\0")), dtype=f"S{size}")
    file.create_dataset(" format", data=np.frombuffer(b"IEEE_LITTLE_32\0", "i1"))
    file.create_dataset(" hdf5version", data=np.frombuffer(b"HDF5 Version 1.8.17".ljust(33, b"\0"), "i1"))
    cgns_node(file, "CGNSLibraryVersion", "CGNSLibraryVersion_t", np.array([version], "f4"), "R4")
    return file


def cgns_base(file, cells=3, space=3):
    return cgns_node(file, "Base", "CGNSBase_t", np.array([cells, space], "i4"), "I4")


def cgns_zone(base, name, sizes, nodes):
    """`sizes`: nodes, cells and boundary nodes along each axis."""
    zone = cgns_node(base, name, "Zone_t", np.array(sizes, "i4"), "I4")
    cgns_node(zone, "ZoneType", "ZoneType_t", text_of("Unstructured" if len(sizes[0]) == 1 else "Structured"), "C1")
    grid = cgns_node(zone, "GridCoordinates", "GridCoordinates_t")
    shape = np.array(sizes)[0][::-1]  # the first axis is the fastest
    for axis in range(len(nodes[0])):
        values = np.array([node[axis] for node in nodes], "f8")
        cgns_node(grid, "Coordinate" + "XYZ"[axis], "DataArray_t", values if len(shape) == 1 else values.reshape(shape), "R8")
    return zone


def cgns_section(zone, name, kind, first, rows, starts=False, parents=None):
    """`starts`: as since version 3.4, where each row begins stands in an array of its own."""
    section = cgns_node(zone, name, "Elements_t", np.array([kind, 0], "i4"), "I4")
    cgns_node(section, "ElementRange", "IndexRange_t", np.array([first, first + len(rows) - 1], "i4"), "I4")
    cgns_node(section, "ElementConnectivity", "DataArray_t", np.array([word for row in rows for word in row], "i4"), "I4")
    if starts:
        offsets = np.cumsum([0] + [len(row) for row in rows])
        cgns_node(section, "ElementStartOffset", "DataArray_t", offsets.astype("i4"), "I4")
    if parents is not None:
        for key, values in (("ParentElements", parents), ("ParentElementsPosition", np.zeros_like(parents))):
            cgns_node(section, key, "DataArray_t", np.array(values, "i4").T, "I4")


def cgns_conditions(zone, conditions):
    marked = cgns_node(zone, "ZoneBC", "ZoneBC_t")
    for name, (kind, points, place) in conditions.items():
        condition = cgns_node(marked, name, "BC_t", text_of("BCWall"), "C1")
        label = "IndexRange_t" if kind.endswith("Range") else "IndexArray_t"
        cgns_node(condition, kind, label, np.array(points, "i4"), "I4")
        cgns_node(condition, "GridLocation", "GridLocation_t", text_of(place), "C1")


CGNS_TYPES = {4: 10, 5: 12, 6: 14, 8: 17}


def cgns(path, mixed=True, change=lambda sections, conditions, sizes: None):
    """The mixed mesh in one zone: cells in a MIXED section or in one a type, sides in two more, the first
    with a boundary condition "one"; `change` edits what is written."""
    cells = [nodes for _, nodes in MIXED_BLOCKS]
    sides = [(5, (1, 2, 8)), (7, (0, 1, 2, 3))]
    if mixed:
        sections = {"cells": [20, 1, [[CGNS_TYPES[len(nodes)], *(n + 1 for n in nodes)] for nodes in cells]]}
    else:
        sections = {f"cells {i}": [CGNS_TYPES[len(nodes)], i, [[n + 1 for n in nodes]]] for i, nodes in enumerate(cells, 1)}
    for i, (kind, nodes) in enumerate(sides):
        sections[("other", "two")[i]] = [kind, 5 + i, [[n + 1 for n in nodes]]]
    conditions = {"one": ("PointList", [[5]], "FaceCenter")}
    sizes = [len(MIXED_NODES), 4, 0]
    change(sections, conditions, sizes)
    with cgns_file(path) as file:
        zone = cgns_zone(cgns_base(file), "Zone", [[size] for size in sizes], MIXED_NODES)
        for name, (kind, first, rows) in sections.items():
            cgns_section(zone, name, kind, first, rows)
        cgns_conditions(zone, conditions)
    return path
