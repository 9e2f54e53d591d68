"""Exodus, CGNS and MPAS: the same mesh as from SU2, every defect refused, a library that is missing named."""

import json
import lzma
import re
import struct
import subprocess

import numpy as np
import pytest
from conftest import limited
from mesh_files import MIXED_NODES, MIXED_TRI, READ_MESH, Reading, assert_cut_refused, mixed_su2, su2_text
from netcdf_files import cgns, exodus, letters, mpas

MIXED = {"nodes": 12, "cells": 4, "tets": 1, "pyramids": 1, "prisms": 1, "hexes": 1, "marked_tris": 1, "marked_quads": 1}


def same_mesh_from_su2(tmp_path):
    """But for the order of the nodes of sides, which is Exodus's: the same sides."""
    path = tmp_path / "mesh.su2"
    path.write_text(mixed_su2())
    return Reading(path).assert_accepted()


def test_exodus_is_the_same_mesh(tmp_path):
    reading = Reading(exodus(tmp_path / "mesh.exo")).assert_accepted()
    assert reading.sets == MIXED and reading.markers == ["one", "side set 20"] and not reading.warnings
    # Without sides everything else is the same to the bit.
    def without_sets(variables, dimensions, attributes):
        dimensions["num_side_sets"] = 1
        dimensions["num_side_ss1"] = 1
        for name in ("ss_prop1", "ss_names", "elem_ss1", "side_ss1", "elem_ss2", "side_ss2"):
            del variables[name]
        del dimensions["num_side_ss1"], dimensions["num_side_ss2"]

    plain = Reading(exodus(tmp_path / "plain.exo", without_sets)).assert_accepted()
    su2 = tmp_path / "plain.su2"
    su2.write_text(mixed_su2().split("NMARK")[0])
    assert plain.digest == Reading(su2).assert_accepted().digest


def test_exodus_sides_are_those_of_the_cells(tmp_path, tess):
    """All sides of all cells marked: each face has its marker once."""
    def all_sides(variables, dimensions, attributes):
        sides = [(1, s) for s in range(1, 5)] + [(2, s) for s in range(1, 6)] + [(3, s) for s in range(1, 6)] + [(4, s) for s in range(1, 7)]
        dimensions["num_side_ss1"] = len(sides)
        variables["elem_ss1"] = (("num_side_ss1",), np.array([cell for cell, _ in sides], "i4"))
        variables["side_ss1"] = (("num_side_ss1",), np.array([side for _, side in sides], "i4"))

    path = exodus(tmp_path / "mesh.exo", all_sides)
    info = tess("mesh", "info", "--maps", path).stdout
    reading = Reading(path)
    assert reading.sets["marked_tris"] + reading.sets["marked_quads"] == 18
    assert reading.warnings == ["3 marked faces have their marker twice and became one: 'one' (3)"]
    # Of 20 sides the tetrahedron and the prism share one, the prism and the hexahedron, the pyramid and the hexahedron.
    assert re.search(r"^bfaces +14$", info, re.M) and re.search(r"^faces +3$", info, re.M)


def set_value(name, index, value):
    def change(variables, dimensions, attributes):
        variables[name][1][index] = value

    return change


def set_kind(i, kind):
    return lambda variables, dimensions, attributes: attributes[f"connect{i}"].update(elem_type=kind)


def resize(name, values):
    def change(variables, dimensions, attributes):
        dimensions["odd"] = len(values)
        variables[name] = (("odd",), values)

    return change


def drop(name):
    return lambda variables, dimensions, attributes: variables.pop(name)


EXODUS_REFUSED = {
    "node 0": (set_value("connect1", (0, 0), 0), "connect1: element 1 has the node 0, which is not in 1..12 .is the file cut"),
    "node 13": (set_value("connect4", (0, 7), 13), "connect4: element 1 has the node 13"),
    "node -1": (set_value("connect2", (0, 4), -1), "node -1"),
    "unknown kind": (set_kind(2, "nsided"), "type 'nsided'"),
    "too few nodes": (set_kind(1, "HEX8"), "HEX8 elements of 4 nodes"),
    "no connectivity": (drop("connect3"), "connect3: elements of the type ''"),
    "no coordinates": (drop("coordy"), "coordy: there is none"),
    "coordinates of another number": (resize("coordz", np.zeros(5)), "5 values, not 12"),
    "connectivity of another number": (resize("connect1", np.ones(5, "i4")), "5 values, not 4|type ''"),
    "letters for coordinates": (resize("coordx", np.array([b"a"] * 12, "S1")), "not of numbers"),
    "nan": (set_value("coordx", 3, np.nan), "coordx: value 3 is nan"),
    "infinite": (set_value("coordy", 0, np.inf), "coordy: value 0 is inf"),
    "side of no element": (set_value("elem_ss1", 0, 5), "elem_ss1: there is no element 5"),
    "side of element 0": (set_value("elem_ss2", 0, 0), "no element 0 .is the file cut"),
    "no such side": (set_value("side_ss2", 0, 7), "element 4, a hexahedron, has no side 7"),
    "side 0": (set_value("side_ss1", 0, 0), "has no side 0"),
    "four dimensions": (lambda v, d, a: d.update(num_dim=4), "num_dim: 4 dimensions"),
    "real ids": (resize("connect1", np.ones(4) * 1e300), "type ''|cannot read it"),
}


@pytest.mark.parametrize("case", EXODUS_REFUSED)
def test_exodus_refused(tmp_path, case):
    change, words = EXODUS_REFUSED[case]
    path = exodus(tmp_path / "mesh.exo", change)
    Reading(path).assert_refused(path, words)


@pytest.mark.parametrize("part", [0.02, 0.3, 0.6, 0.9])
def test_exodus_cut(tmp_path, part):
    assert_cut_refused(exodus(tmp_path / "mesh.exo"), part, "cut|cannot read|does not begin")


def shells(variables, dimensions, attributes):
    """Two quadrilaterals and two triangles, all shells, with sides in a set: two edges, a face, an edge."""
    variables.clear(), attributes.clear(), dimensions.clear()
    nodes = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0), (3, 0, 1), (3, 1, 1)]
    dimensions |= {"num_dim": 3, "num_nodes": 8, "num_elem": 4, "num_el_blk": 2, "num_side_sets": 1, "num_side_ss1": 4, "len_name": 33}
    for axis, name in enumerate(("coordx", "coordy", "coordz")):
        variables[name] = (("num_nodes",), np.array([node[axis] for node in nodes], "d"))
    for i, (kind, rows) in enumerate((("SHELL4", [[1, 2, 5, 4], [2, 3, 6, 5]]), ("SHELL3", [[3, 7, 6], [7, 8, 6]])), 1):
        dimensions |= {f"num_el_in_blk{i}": 2, f"num_nod_per_el{i}": len(rows[0])}
        variables[f"connect{i}"] = ((f"num_el_in_blk{i}", f"num_nod_per_el{i}"), np.array(rows, "i4"))
        attributes[f"connect{i}"] = {"elem_type": kind}
    variables["elem_ss1"] = (("num_side_ss1",), np.array([1, 2, 3, 4], "i4"))
    variables["side_ss1"] = (("num_side_ss1",), np.array([3, 1, 3, 4], "i4"))


@pytest.mark.parametrize("kind", ["SHELL3", "SHELL", "TRISHELL3", "TRI3"])
def test_shells_of_two_kinds(tmp_path, tess, kind):
    def change(variables, dimensions, attributes):
        shells(variables, dimensions, attributes)
        attributes["connect2"] = {"elem_type": kind}

    reading = Reading(exodus(tmp_path / "mesh.exo", change)).assert_accepted()
    assert reading.sets == {"nodes": 8, "cells": 4, "tris": 2, "quads": 2, "marked_edges": 3}
    assert re.search(r"sides of elements that are no cells, which were left out: 'side set 1' \(1\)", reading.warnings[0])
    tess("mesh", "convert", tmp_path / "mesh.exo", tmp_path / "mesh.msh")
    rows = [line.split() for line in (tmp_path / "mesh.msh").read_text().split("$Elements")[1].splitlines()]
    assert {tuple(sorted(map(int, row[1:]))) for row in rows if len(row) == 3} >= {(1, 2), (3, 7), (6, 8)}


def test_blocks_without_elements_and_sets_of_nodes_are_named(tmp_path):
    def change(variables, dimensions, attributes):
        dimensions.update(num_el_blk=5, num_el_in_blk5=0, num_node_sets=1, num_nod_ns1=3)
        variables["eb_names"] = (("num_el_blk", "len_name"), letters(["a", "b", "c", "d", "zebra"]))
        variables["node_ns1"] = (("num_nod_ns1",), np.array([1, 2, 3], "i4"))
        variables["ns_prop1"] = (("num_node_sets",), np.array([4711], "i4"))

    warnings = Reading(exodus(tmp_path / "mesh.exo", change)).assert_accepted().warnings
    assert warnings[:2] == ["1 block has no elements: 'zebra'", "1 node set was left out: 'node set 4711' (3)"]


def test_exodus_cut_in_coordinates_that_come_last(tmp_path):
    """NetCDF gives zeros for what a file lacks, which no later check would find."""
    path = exodus(tmp_path / "mesh.exo")
    content, size = path.read_bytes(), 8 * len(MIXED_NODES)

    def entry(name):
        """Of the header, for a variable of one dimension without attributes, up to where its values begin; and that place."""
        start = content.index(len(name).to_bytes(4, "big") + name)
        end = start + 4 + 8 + 4 + 4 + 8 + 4 + 4
        return start, end, *struct.unpack(">q", content[end:end + 8])

    start, end, begin = entry(b"coordz")
    data = entry(b"coordx")[2]  # which stands first
    moved = content[:start] + content[end + 8:data] + content[start:end] + struct.pack(">q", len(content)) + content[data:]
    moved += content[begin:begin + size]
    path.write_bytes(moved)
    assert Reading(path).assert_accepted().sets == MIXED
    path.write_bytes(moved[:-8])
    Reading(path).assert_refused(path, f"variable coordz: NetCDF cannot read it: {size} bytes from byte {len(content)} on, where the "
                                       f"file has {len(moved) - 8}: it is cut or damaged")


def test_exodus_of_something_else(tmp_path):
    path = tmp_path / "mesh.exo"
    path.write_bytes(b"CDF\x05" + bytes(range(256)) + b"num_el_blk")
    Reading(path).assert_refused(path, "NetCDF cannot open it")


@pytest.mark.parametrize("mixed", [True, False])
def test_cgns_is_the_same_mesh(tmp_path, mixed):
    reading = Reading(cgns(tmp_path / "mesh.cgns", mixed)).assert_accepted()
    assert reading.sets == MIXED and reading.markers == ["one", "two"] and not reading.warnings
    assert reading.digest == same_mesh_from_su2(tmp_path).digest
    packed = tmp_path / "mesh.cgns.xz"
    packed.write_bytes(lzma.compress((tmp_path / "mesh.cgns").read_bytes()))
    assert Reading(packed).assert_accepted().digest == reading.digest


def test_cgns_conditions_win_over_sections(tmp_path):
    def ranged(sections, conditions, sizes):
        conditions["one"] = ("PointRange", [[5, 6]], "FaceCenter")
        conditions["of nodes"] = ("PointList", [[5], [6]], "Vertex")

    reading = Reading(cgns(tmp_path / "mesh.cgns", True, ranged)).assert_accepted()
    assert reading.markers == ["one"] and reading.sets == MIXED
    assert reading.warnings == ["1 boundary condition lists what are no sides of cells: 'of nodes'"]


def test_cgns_conditions_of_vertices_mark_sides(tmp_path):
    """The triangle that a section has, too, of a cell of which no other node is listed; each may be listed twice."""
    def of_nodes(sections, conditions, sizes):
        conditions["one"] = ("PointList", [[node + 1] for node in (*MIXED_TRI, *MIXED_TRI)], "Vertex")

    reading = Reading(cgns(tmp_path / "mesh.cgns", True, of_nodes)).assert_accepted()
    assert reading.sets == MIXED | {"marked_tris": 2} and reading.markers == ["one", "other", "two"] and not reading.warnings


def test_cgns_conditions_at_centres_of_elements(tmp_path):
    """As Gmsh writes them: lists of elements of either dimension."""
    def gmsh(sections, conditions, sizes):
        conditions["one"] = ("PointRange", [[5, 6]], "CellCenter")
        conditions["fluid"] = ("PointRange", [[1, 4]], "CellCenter")

    reading = Reading(cgns(tmp_path / "mesh.cgns", True, gmsh)).assert_accepted()
    assert reading.markers == ["one"] and reading.sets == MIXED
    assert reading.warnings == ["1 boundary condition lists what are no sides of cells: 'fluid' (4)"]


def test_cgns_arrays_longer_than_announced_are_kept_within_memory(tmp_path):
    """The library takes the second size of a list for its length, and reads all of it."""
    turned = lambda sections, conditions, sizes: conditions.update(one=("PointList", [[5] * 900], "FaceCenter"))
    assert Reading(cgns(tmp_path / "mesh.cgns", True, turned)).code in (0, 3)


def section(name, change):
    def edit(sections, conditions, sizes):
        sections[name] = change(*sections[name])

    return edit


CGNS_REFUSED = {
    "node 13": (section("other", lambda kind, first, rows: [kind, first, [[1, 2, 13]]]), "section 'other': element 5 has the node 13"),
    "node 0": (section("other", lambda kind, first, rows: [kind, first, [[1, 0, 3]]]), "node 0, which is not in 1..12"),
    "node -5": (section("cells", lambda kind, first, rows: [kind, first, [[10, 1, 2, 3, -5], *rows[1:]]]), "node -5"),
    "polygons": (section("other", lambda kind, first, rows: [22, first, [[3, 1, 2, 3]]]), "its polygons bound no cells"),
    "unknown type among mixed": (section("cells", lambda kind, first, rows: [kind, first, [[39, 1, 2, 3, 4], *rows[1:]]]), "CGNS|type 39|ends before|not fit"),
    "mixed ends early": (section("cells", lambda kind, first, rows: [kind, first, [*rows[:3], rows[3][:5]]]), "ends before|CGNS|not fit|cells"),
    "huge number of nodes": (lambda s, c, sizes: sizes.__setitem__(0, 2**31 - 1), "can hold|coordinates array dimension"),
    "no nodes": (lambda s, c, sizes: sizes.__setitem__(0, 0), "can hold|coordinates array dimension"),
    "more nodes than coordinates": (lambda s, c, sizes: sizes.__setitem__(0, 13), "coordinates array dimension"),
    "no cells": (lambda sections, c, s: sections.pop("cells"), "base 'Base': it has no cells"),
}


@pytest.mark.parametrize("case", CGNS_REFUSED)
def test_cgns_refused(tmp_path, case):
    change, words = CGNS_REFUSED[case]
    path = cgns(tmp_path / "mesh.cgns", True, change)
    Reading(path).assert_refused(path, words)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.95])
def test_cgns_cut(tmp_path, part):
    assert_cut_refused(cgns(tmp_path / "mesh.cgns"), part, "HDF5 cannot open it|CGNS cannot open it|does not begin|zone")


def test_mpas_is_the_dual_triangulation(tmp_path):
    reading = Reading(mpas(tmp_path / "mesh.nc")).assert_accepted()
    assert reading.sets == {"nodes": 25, "cells": 32} and "dimension 2\n" in reading.stdout
    assert reading.warnings == ["1 of MPAS's vertices lie at the border and are no triangles"]
    su2 = tmp_path / "mesh.su2"
    su2.write_text(su2_text(4).split("NMARK")[0])
    assert reading.digest == Reading(su2).assert_accepted().digest
    sphere = lambda v, d, a: v["zCell"][1].__setitem__(3, 0.5)
    assert "dimension 3\n" in Reading(mpas(tmp_path / "sphere.nc", sphere)).assert_accepted().stdout


def test_mpas_has_two_words_for_a_missing_cell(tmp_path, tess):
    """0, as the specification says, and nCells + 1, as MPAS's own programs write."""
    def beyond(name, n):
        return lambda v, d, a: v[name][1].__setitem__(v[name][1] == 0, n + 1)

    zero, other = (Reading(mpas(tmp_path / "mesh.nc", change)).assert_accepted() for change in (lambda v, d, a: None, beyond("cellsOnVertex", 25)))
    assert zero.digest == other.digest and zero.warnings == other.warnings
    paths = [mpas(tmp_path / name, both(change)) for name, change in (("a.nc", lambda v, d, a: None), ("b.nc", beyond("cellsOnEdge", 2)))]
    infos = [json.loads(tess("mesh", "info", "--json", f"{path}:reader=mpas_polygons").stdout) for path in paths]
    assert infos[0]["sets"] == infos[1]["sets"] and infos[0]["sets"]["bedges"] == 10


MPAS_REFUSED = {
    "no such cell": (set_value("cellsOnVertex", (2, 1), 27), "cellsOnVertex: vertex 3 has the cell 27, which is not in 0..25"),
    "cell -1": (set_value("cellsOnVertex", (0, 0), -1), "vertex 1 has the cell -1"),
    "all zeros": (lambda v, d, a: v["cellsOnVertex"][1].fill(0), "no three cells meet in any vertex .is the file cut"),
    "four at a vertex": (lambda v, d, a: d.update(vertexDegree=4) or v.update(cellsOnVertex=(("nVertices", "vertexDegree"), np.ones((33, 4), "i4"))), "4 cells meet"),
    "no coordinates": (drop("yCell"), "yCell: there is none"),
    "nan": (set_value("zCell", 7, np.nan), "zCell: value 7 is nan"),
    "other number": (resize("xCell", np.zeros(7)), "7 values, not 25"),
    "no degree": (lambda v, d, a: d.pop("vertexDegree") and v.update(cellsOnVertex=(("nVertices", "three"), v["cellsOnVertex"][1])) or d.update(three=3), "vertexDegree: -1 cells"),
    "one number a vertex": (resize("cellsOnVertex", np.ones(33, "i4")), "33 values, not 99"),
}


@pytest.mark.parametrize("case", MPAS_REFUSED)
def test_mpas_refused(tmp_path, case):
    change, words = MPAS_REFUSED[case]
    path = mpas(tmp_path / "mesh.nc", change)
    Reading(path).assert_refused(path, words)


@pytest.mark.parametrize("write, library", [(exodus, "libnetcdf"), (cgns, "libcgns")])
def test_a_missing_library_is_named(tmp_path, write, library):
    """Where the loader finds no library, as on a machine without it: exit code 4 and what to install."""
    path = write(tmp_path / ("mesh.exo" if write is exodus else "mesh.cgns"))
    source = tmp_path / "no_library.c"
    source.write_text(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <string.h>\n"
        "void *dlopen(const char *name, int flags) {\n"
        f'    if (name && strncmp(name, "{library}", {len(library)}) == 0)\n        return NULL;\n'
        '    return ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(name, flags);\n}\n'
    )
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", tmp_path / "no_library.so"], check=True)
    environment = {"LD_PRELOAD": str(tmp_path / "no_library.so"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([READ_MESH, path], capture_output=True, text=True, env=environment, **limited(20))
    if "ASan runtime does not come first" in done.stderr:
        pytest.skip("sanitizers come first")
    assert done.returncode == 4 and f"apt-get install {library}" in done.stderr, done.stderr


def test_a_library_that_lacks_functions_is_named_with_the_file(tmp_path):
    path = cgns(tmp_path / "mesh.cgns")
    subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-o", tmp_path / "libcgns.so.3.4"], check=True)
    done = subprocess.run([READ_MESH, path], capture_output=True, text=True, env={"LD_LIBRARY_PATH": str(tmp_path)}, **limited(20))
    assert done.returncode == 4 and f"{path}: " in done.stderr and "libcgns" in done.stderr, done.stderr


def at(place, *words):
    """Puts big-endian words behind the first place of some bytes, or at an offset."""
    def change(content):
        start = place if isinstance(place, int) else content.index(place) + len(place)
        return content[:start] + b"".join(word.to_bytes(4, "big") for word in words) + content[start + 4 * len(words) :]

    return change


NETCDF_HEADERS = {
    "version": (at(0, 0x43444603), "offset 4: NetCDF cannot open it: version 3 is not 1, 2 or 5"),
    "dimensions": (at(12, 0xFFFFFFFF), "offset 12: .*4294967295 dimensions are announced, but only"),
    "a tag": (at(8, 7), "offset 8: .*7 stands where 10 begins the dimensions"),
    "a name": (at(16, 1 << 30), "offset 16: .*1073741824 letters of a name are announced"),
    "a rank": (at(b"connect1", 1 << 31), "2147483648 dimensions of a variable are announced"),
    "a dimension": (at(b"connect1", 2, 77), "dimension 77 of a variable is not one of 16"),
    "an attribute": (at(b"elem_type\0\0\0", 2, 1 << 20), "1048576 values of an attribute are announced"),
    "a type": (at(b"elem_type\0\0\0", 99), "type 99 is unknown"),
    "cut": (lambda content: content[:200], "announced, but only"),
}


@pytest.mark.parametrize("case", NETCDF_HEADERS)
def test_netcdf_headers_are_looked_through(tmp_path, case):
    """Before the NetCDF library takes the memory that they announce, which fuzzing found: 16 GB for 1.5 kB."""
    change, words = NETCDF_HEADERS[case]
    path = exodus(tmp_path / "mesh.exo")
    path.write_bytes(change(path.read_bytes()))
    Reading(path).assert_refused(path, words)


def hexagons(variables, dimensions, attributes):
    """Two hexagons beside each other: eleven edges, one of them between both."""
    rings, points = [(0, 1, 2, 3, 4, 5), (1, 6, 7, 8, 9, 2)], [(i, 2 * i % 7) for i in range(10)]
    edges = {}
    for cell, ring in enumerate(rings, 1):
        for pair in zip(ring, ring[1:] + ring[:1]):
            edges.setdefault(frozenset(pair), []).append(cell)
    dimensions |= {"nCells": 2, "nVertices": 10, "nEdges": len(edges), "two": 2}
    variables.clear()
    for axis, name in enumerate(("xVertex", "yVertex", "zVertex")):
        variables[name] = (("nVertices",), np.array([(*point, 0)[axis] for point in points], "f8"))
    variables["cellsOnEdge"] = (("nEdges", "two"), np.array([(*cells, 0)[:2] for cells in edges.values()], "i4"))
    variables["verticesOnEdge"] = (("nEdges", "two"), np.array([sorted(pair) for pair in edges], "i4") + 1)
    variables["cellsOnVertex"] = (("nVertices", "vertexDegree"), np.zeros((10, 3), "i4"))


def test_mpas_polygons_keep_its_cells_and_edges(tmp_path, tess):
    path = mpas(tmp_path / "mesh.nc", hexagons)
    info = json.loads(tess("mesh", "info", "--json", f"{path}:reader=mpas_polygons").stdout)
    assert {name: info["sets"][name] for name in ("nodes", "cells", "edges", "bedges")} == {"nodes": 10, "cells": 2, "edges": 1, "bedges": 10}
    assert {"edges:cells", "edges:nodes", "bedges:cells"} <= info["maps"].keys() and "cells:nodes" not in info["maps"]
    cut = tess("partition", f"{path}:reader=mpas_polygons", "--map", "edges:cells", "-b", "1", "-p", "file-order", "--no-lab", "--json")
    assert json.loads(cut.stdout)["runs"][0]["reuse_factor"] == 1
    assert "did you mean 'mpas_polygons'" in tess("mesh", "info", f"{path}:reader=mpas_polygon", code=2).stderr
    assert "does not begin like a file of the format su2" in tess("mesh", "info", f"{path}:reader=su2", code=3).stderr
    volna = tess("run", "volna", "--mesh", f"{path}:reader=mpas_polygons", "--device", "emulator", "--no-lab", "--no-view")
    assert "passed" in volna.stdout


def both(change):
    return lambda variables, dimensions, attributes: (hexagons(variables, dimensions, attributes), change(variables, dimensions, attributes))


@pytest.mark.parametrize("change, words", [
    (set_value("cellsOnEdge", (0, 0), 4), r"cellsOnEdge: edge 1 has 4, which is not in 0\.\.2"),
    (set_value("verticesOnEdge", (2, 1), 0), r"verticesOnEdge: edge 3 has 0, which is not in 1\.\.10"),
    (set_value("cellsOnEdge", (0, slice(None)), 2), "edge 1 has 2 on both sides"),
    (drop("verticesOnEdge"), "verticesOnEdge: there is none"),
    (lambda v, d, a: d.update(nCells=12), "nEdges: 11 edges of 12 cells"),
])
def test_mpas_polygons_refused(tmp_path, tess, change, words):
    path = mpas(tmp_path / "mesh.nc", both(change))
    assert re.search(words, tess("mesh", "info", f"{path}:reader=mpas_polygons", code=3).stderr)
