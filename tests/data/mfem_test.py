"""MFEM's meshes: the same as in other formats, named sets, curved meshes at their vertices, defects refused."""

import pytest
from mesh_files import MIXED_HEX, MIXED_NODES, MIXED_PRISM, MIXED_PYRAMID, MIXED_QUAD, MIXED_TET, MIXED_TRI
from mesh_files import assert_content_refused, changed, medit, mixed_su2, read

GEOMETRIES = {(3, 4): 4, (3, 5): 7, (3, 6): 6, (3, 8): 5, (2, 3): 2, (2, 4): 3, (1, 2): 1}


def rows(dimension, elements):
    """The number of elements, and each with its attribute."""
    lines = [" ".join(map(str, (attribute, GEOMETRIES[dimension, len(nodes)], *nodes))) for attribute, nodes in elements]
    return "\n".join([str(len(lines)), *lines]) + "\n"


def sets(names):
    return f"{len(names)}\n" + "".join(f'"{name}" {len(members)} {" ".join(map(str, members))}\n' for name, members in names.items())


def straight(nodes):
    return f"{len(nodes[0])}\n" + "".join(" ".join(map(str, node)) + "\n" for node in nodes)


def curved(nodes, further, space="H1_3D_P2", by_vertex=True):
    """The nodes of a finite element space, those of edges and so on behind the vertices."""
    values = [*nodes, *further]
    numbers = [x for node in values for x in node] if by_vertex else [node[axis] for axis in range(len(nodes[0])) for node in values]
    head = f"\nnodes\nFiniteElementSpace\nFiniteElementCollection: {space}\nVDim: {len(nodes[0])}\nOrdering: {int(by_vertex)}\n\n"
    return head + "\n".join(map(str, numbers)) + "\n"


MIXED = [(2, MIXED_TET), (1, MIXED_PYRAMID), (1, MIXED_PRISM), (1, MIXED_HEX)]
SIDES = [(1, MIXED_TRI), (2, MIXED_QUAD)]


def mfem(version="1.0", nodes=MIXED_NODES, cells=MIXED, sides=SIDES, dimension=3, vertices=None, materials={}, names={}):
    named = version == "1.3"
    return (f"MFEM mesh v{version}\n\n#\n# MFEM Geometry Types\n#\n\ndimension\n{dimension}\n\nelements\n{rows(dimension, cells)}\n"
            + (f"attribute_sets\n{sets(materials)}\n" if named else "") + f"boundary\n{rows(dimension - 1, sides)}\n"
            + (f"bdr_attribute_sets\n{sets(names)}\n" if named else "")
            + f"vertices\n{len(nodes)}\n{vertices or straight(nodes)}" + ("\nmfem_mesh_end\n" if named else ""))  # fmt: skip


@pytest.mark.parametrize("version", ["1.0", "1.2", "1.3"])
def test_the_same_mesh(tmp_path, version):
    _, reading = read(tmp_path, "mesh.mesh", mfem(version))
    _, su2 = read(tmp_path, "mesh.su2", mixed_su2())
    assert reading.assert_accepted().digest == su2.assert_accepted().digest and not reading.warnings
    assert reading.sets == su2.sets and reading.markers == ["attribute 1", "attribute 2"]


def test_the_same_mesh_for_compare(tmp_path, tess):
    (tmp_path / "a.mesh").write_text(mfem())
    (tmp_path / "b.mesh").write_text(medit())
    tess("mesh", "compare", tmp_path / "a.mesh", tmp_path / "b.mesh")
    assert "attribute 2" in tess("mesh", "info", tmp_path / "a.mesh").stdout


TRIANGLES = [(1, (0, 1, 2)), (1, (1, 3, 2))]
SQUARE = [(0, 0), (1, 0), (0, 1), (1, 1)]
EDGES = [(1, (0, 1)), (2, (1, 3)), (3, (3, 2)), (4, (2, 0))]


def test_named_sets(tmp_path):
    """A side whose attribute is in two sets has both markers, one in none keeps its number; names may hold blanks."""
    names = {"South and east": (1, 2), "all but west": (1, 2, 3), "east": (2,)}
    _, reading = read(tmp_path, "mesh.mesh", mfem("1.3", SQUARE, TRIANGLES, EDGES, 2, names=names, materials={"rock": (1,)}))
    assert reading.assert_accepted().markers == ["east", "all but west", "South and east", "attribute 4"]
    assert reading.sets["marked_edges"] == 2 + 3 + 1 + 1
    spread = mfem("1.3", SQUARE, TRIANGLES, EDGES, 2).replace("bdr_attribute_sets\n0\n", 'bdr_attribute_sets\n1\nAll\n3\n1\n2 3\n')
    _, reading = read(tmp_path, "mesh.mesh", spread)
    assert reading.assert_accepted().markers == ["All", "attribute 4"]


def test_attributes_of_cells_are_regions(tmp_path):
    """A set that holds one attribute alone names it; what others would name is said to be left out."""
    cells = [(1, (0, 1, 2)), (7, (1, 3, 2))]
    _, reading = read(tmp_path, "mesh.mesh", mfem("1.0", SQUARE, cells, EDGES, 2))
    assert "region 1 1 attribute 1\n" in reading.stdout and "region 7 1 attribute 7\n" in reading.stdout
    materials = {"all of it": (1, 7), "rock": (7,), "stone": (7,), "of no cell": (3,)}
    _, reading = read(tmp_path, "mesh.mesh", mfem("1.3", SQUARE, cells, EDGES, 2, materials=materials))
    assert "region 1 1 attribute 1\n" in reading.assert_accepted().stdout and "region 7 1 rock\n" in reading.stdout
    words = "2 sets of cells do not hold one attribute alone or are not the first to do so, and were left out"
    assert reading.warnings == [f"{words} (with their attributes): 'all of it' (2), 'stone' (1)"]


@pytest.mark.parametrize("by_vertex", [True, False])
@pytest.mark.parametrize("space", ["H1_2D_P2", "Quadratic"])
def test_curved_meshes_are_read_at_their_vertices(tmp_path, by_vertex, space):
    _, flat = read(tmp_path, "mesh.mesh", mfem("1.0", SQUARE, TRIANGLES, EDGES, 2))
    text = curved(SQUARE, [(0.5, 0.1), (0.4, 0.6), (9, 9)], space, by_vertex)
    _, reading = read(tmp_path, "mesh.mesh", mfem("1.0", SQUARE, TRIANGLES, EDGES, 2, vertices=text))
    assert reading.assert_accepted().digest == flat.assert_accepted().digest
    assert reading.warnings == [f"the mesh is curved ({space}): it is read at its vertices"]


def test_a_surface_and_a_part(tmp_path):
    raised = [(x, y, x * y) for x, y in SQUARE]
    _, reading = read(tmp_path, "mesh.mesh", mfem("1.2", raised, TRIANGLES, EDGES, 2) + "\nmfem_serial_mesh_end\n\ncommunication_groups\n")
    assert reading.assert_accepted().sets["cells"] == 2 and "dimension 3\n" in reading.stdout
    assert "part of a parallel mesh" in reading.warnings[0]


TEXT, NAMED = mfem(), mfem("1.3", SQUARE, TRIANGLES, EDGES, 2, names={"a": (1, 2)})
CURVED = mfem("1.0", SQUARE, TRIANGLES, EDGES, 2, vertices=curved(SQUARE, [], "H1_2D_P2"))
REFUSED = {
    "NURBS": (changed(TEXT, "MFEM mesh", "MFEM NURBS mesh"), "line 1: an MFEM mesh of the kind NURBS"),
    "inline": (changed(TEXT, "MFEM mesh", "MFEM INLINE mesh"), "line 1: an MFEM mesh of the kind INLINE"),
    "hanging nodes": (changed(TEXT, "MFEM mesh", "MFEM NC mesh"), "line 1: a non-conforming MFEM mesh"),
    "hanging nodes, before": (changed(TEXT, "v1.0", "v1.1"), "line 1: a non-conforming MFEM mesh"),
    "version": (changed(TEXT, "v1.0", "v7"), "line 1: an MFEM mesh of version 'v7'"),
    "dimension 1": (changed(TEXT, "dimension\n3", "dimension\n1"), "a mesh of 1 dimensions"),
    "dimension 4": (changed(TEXT, "dimension\n3", "dimension\n4"), "4 is not in 0"),
    "no elements": (TEXT[: TEXT.index("elements")], "the file ends where 'elements' should be"),
    "zero elements": (mfem(cells=[]), "no cells"),
    "truncated in elements": (TEXT[: TEXT.index("boundary") - 20], "the file ends|is missing"),
    "truncated in vertices": (TEXT[:-9], "the file ends|is missing"),
    "too many elements": (changed(TEXT, "elements\n4", "elements\n5"), "'boundary' is not a whole number"),
    "too few elements": (changed(TEXT, "elements\n4", "elements\n3"), "'1' stands where 'boundary' should"),
    "huge number of elements": (changed(TEXT, "elements\n4", "elements\n2000000000"), "only .* bytes follow"),
    "elements over 32 bits": (changed(TEXT, "elements\n4", "elements\n4294967297"), "not in 0"),
    "huge number of vertices": (changed(TEXT, "vertices\n12", "vertices\n2000000000"), "only .* bytes follow"),
    "vertex 12": (changed(TEXT, "5 9 6 11", "5 9 6 12"), r"the vertex 12, which is not in 0\.\.11"),
    "vertex -1": (changed(TEXT, "5 9 6 11", "5 9 6 -1"), "-1 is not in"),
    "geometry 8": (changed(TEXT, "2 4 5 9 6 11", "2 8 5 9 6 11"), r"line \d+: .*geometry 8"),
    "a side among cells": (changed(TEXT, "2 4 5 9 6 11", "2 2 5 9 6"), "a triangle among elements of 3 dimensions"),
    "one coordinate": (changed(TEXT, "vertices\n12\n3\n", "vertices\n12\n1\n"), "1 coordinates for a mesh of 3"),
    "left over": (changed(TEXT, "2 4 5 9 6 11", "2 4 5 9 6 11 7"), "left over"),
    "nan": (changed(TEXT, "0.5", "nan"), "'nan' is not a finite"),
    "no sets": (changed(NAMED, "bdr_attribute_sets\n1", "vertices\n1"), "'vertices' stands where 'bdr_attribute_sets' should"),
    "no second quote": (changed(NAMED, '"a"', '"a'), "no second quote"),
    "too few attributes": (changed(NAMED, '"a" 2', '"a" 3'), "'vertices' is not a whole number"),
    "many sets": (changed(NAMED, "bdr_attribute_sets\n1", "bdr_attribute_sets\n99999"), "99999 is not in 0"),
    "discontinuous": (changed(CURVED, "H1_2D_P2", "L2_T1_2D_P2"), "the space 'L2_T1_2D_P2', which has no values at vertices"),
    "too few nodes": (changed(CURVED, "vertices\n4", "vertices\n5"), "4 nodes of 2 coordinates for 5 vertices"),
    "no coordinates": (changed(CURVED, "VDim: 2", "VDim: 0"), "0 nodes of 0"),
    "nan among nodes": (changed(CURVED, "\n1\n", "\nnan\n"), "'nan' is not a finite|whole number"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path, case):
    assert_content_refused(tmp_path, "mesh.mesh", *REFUSED[case])
