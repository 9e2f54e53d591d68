"""CGNS's polygons, polyhedra and structured zones: the same mesh as from OpenFOAM and from a generator, defects refused."""

import json
import re

import numpy as np
import pytest
from polyhedra_files import MIXED, SIDES, faces_of, hexes, poly_mesh, split_hexes
from mesh_files import MIXED_NODES, Reading
from netcdf_files import cgns_base, cgns_conditions, cgns_file, cgns_node, cgns_section, cgns_zone, text_of

NGON, NFACE, BAR, QUAD, HEX = 22, 23, 3, 7, 17


def polyhedra_cgns(path, points, cells, form="NFACE", change=lambda rows: None, conditions=None, patches=True):
    """Polygons, the polyhedra that they close (or their parents), and OpenFOAM's two patches as conditions."""
    faces, owner, neighbour = faces_of(cells)
    n_outer, first = len(faces) - len(neighbour), len(neighbour)
    half = n_outer // 2
    signed = [[] for _ in cells]
    for face, cell in enumerate(owner):
        signed[cell].append(face + 1)
    for face, cell in enumerate(neighbour):
        signed[cell].append(-(face + 1))
    parents = np.array([np.array(owner) + len(faces) + 1, [*(np.array(neighbour) + len(faces) + 1), *[0] * n_outer]]).T
    rows = {"faces": [[node + 1 for node in face] for face in faces], "cells": signed, "parents": parents}
    change(rows)
    starts = form != "inline"
    with cgns_file(path, 3.4 if starts else 3.3) as file:
        zone = cgns_zone(cgns_base(file), "Zone", [[len(points)], [len(cells)], [0]], points)
        inline = lambda rows: rows if starts else [[len(row), *row] for row in rows]
        cgns_section(zone, "sides", NGON, 1, inline(rows["faces"]), starts, rows["parents"] if form == "parents" else None)
        if form != "parents":
            cgns_section(zone, "bodies", NFACE, len(faces) + 1, inline(rows["cells"]), starts)
        both = {"a": ("PointRange", [[first + 1], [first + half]], "FaceCenter"),
                "b": ("PointList", [[face] for face in range(first + half + 1, len(faces) + 1)], "FaceCenter")}
        cgns_conditions(zone, {**(both if patches else {}), **(conditions or {})})
    return path


@pytest.mark.parametrize("form", ["NFACE", "inline", "parents"])
@pytest.mark.parametrize("shape", ["mixed", "split"])
def test_polyhedra_are_those_of_openfoam(tmp_path, shape, form):
    points, cells = (MIXED_NODES, MIXED) if shape == "mixed" else split_hexes()
    reading = Reading(polyhedra_cgns(tmp_path / "mesh.cgns", points, cells, form)).assert_accepted()
    expected = Reading(poly_mesh(tmp_path / "foam", points, cells, names=("a", "b"))).assert_accepted()
    assert reading.markers == ["a", "b"] and reading.sets == expected.sets and reading.digest == expected.digest


def first_row(name, row):
    return lambda rows: rows[name].__setitem__(0, row)


FACED_REFUSED = {
    "node 13": ("NFACE", first_row("faces", [1, 2, 13]), "section 'sides': element 1 has the node 13, which is not in 1..12"),
    "node 0": ("inline", first_row("faces", [1, 0, 3]), "node 0"),
    "face of two": ("NFACE", first_row("faces", [1, 2]), "polygon 1 has 2 nodes"),
    "face 99": ("NFACE", first_row("cells", [1, 2, 3, 99]), "section 'bodies': polyhedron 18 has the face 99, which is no polygon"),
    "face 0": ("NFACE", first_row("cells", [1, 2, 3, 0]), "has the face 0"),
    "three faces": ("NFACE", first_row("cells", [1, 2, 3]), "polyhedron 18 has 3 faces"),
    "face twice": ("NFACE", first_row("cells", [1, 1, 2, 3]), "face 1 of polyhedron 18 has two cells already, or this one twice"),
    "face of three": ("NFACE", lambda rows: rows["cells"][3].append(rows["cells"][0][0]), "has two cells already"),
    "parent -7": ("parents", first_row("parents", [-7, 0]), "not in a range"),
    "parent far away": ("parents", first_row("parents", [2**31 - 1, 0]), "not in a range"),
    "same parent twice": ("parents", first_row("parents", [18, 18]), "face 1 has the cell 18 on both sides"),
    "no parents": ("parents", lambda rows: rows["parents"].fill(0), "no polyhedra .NFACE_n. and no ParentElements"),
}


@pytest.mark.parametrize("case", FACED_REFUSED)
def test_polyhedra_refused(tmp_path, case):
    form, change, words = FACED_REFUSED[case]
    path = polyhedra_cgns(tmp_path / "mesh.cgns", MIXED_NODES, MIXED, form, change)
    Reading(path).assert_refused(path, words)


def test_sections_without_conditions_mark_where_all_faces_are_outside(tmp_path):
    points, cells = hexes(1)
    with cgns_file(tmp_path / "mesh.cgns", 3.4) as file:
        base = cgns_base(file)
        for name in ("A", "B"):  # two zones, one behind the other
            zone = cgns_zone(base, name, [[8], [1], [0]], [(x + (name == "B") * 2, y, z) for x, y, z in points])
            faces = [[node + 1 for node in face] for face in faces_of(cells)[0]]
            cgns_section(zone, "floor " + name, NGON, 1, faces[:1], True)
            cgns_section(zone, "others", NGON, 2, faces[1:], True)
            cgns_section(zone, "bodies", NFACE, 7, [[-1, -2, -3, -4, -5, -6]], True)  # all seen from outside
    reading = Reading(tmp_path / "mesh.cgns").assert_accepted()
    assert reading.sets == {"nodes": 16, "cells": 2, "marked_quads": 12} and not reading.warnings
    assert sorted(reading.markers) == ["floor A", "floor B", "others"]


def mixed_cgns(path, points, cells, n_fixed, change=lambda rows: None, conditions=None):
    """The first n_fixed cells, hexahedra, as a section of their own, the others as polyhedra; a patch of each kind."""
    faces, owner, neighbour = faces_of([[tuple(cell[i] for i in side) for side in SIDES[8]] if len(cell) == 8 and isinstance(cell, tuple) else cell
                                        for cell in cells[n_fixed:]])  # fmt: skip
    outer = faces_of(cells)[0][len(faces_of(cells)[2]):]
    rim = [side for side in outer if frozenset(side) not in map(frozenset, faces)]
    signed = [[] for _ in cells[n_fixed:]]
    for face, cell in enumerate(owner):
        signed[cell].append(n_fixed + 1 + face)
    for face, cell in enumerate(neighbour):
        signed[cell].append(-(n_fixed + 1 + face))
    one = lambda rows: [[node + 1 for node in row] for row in rows]
    first = n_fixed + 1 + len(faces)
    walls = [n_fixed + 1 + i for i, face in enumerate(faces) if frozenset(face) in set(map(frozenset, outer))]
    rows = {"hexes": one(cells[:n_fixed]), "sides": one(faces), "bodies": signed, "rim": one(rim), "walls": walls}
    change(rows)
    with cgns_file(path, 3.4) as file:
        zone = cgns_zone(cgns_base(file), "Zone", [[len(points)], [len(cells)], [0]], points)
        cgns_section(zone, "hexes", HEX, 1, rows["hexes"])
        cgns_section(zone, "sides", NGON, n_fixed + 1, rows["sides"], True)
        cgns_section(zone, "bodies", NFACE, first, rows["bodies"], True)
        cgns_section(zone, "rim", QUAD, first + len(signed), rows["rim"])
        cgns_conditions(zone, conditions or {"walls": ("PointList", [[face] for face in rows["walls"]], "FaceCenter")})
    return path


def three():
    """A hexahedron, beside two polyhedra of seven sides."""
    points, cells = split_hexes()
    return [*points, *((3, y, z) for z in (0, 1) for y in (0, 1))], [(2, 12, 13, 5, 8, 14, 15, 11), *cells]


def test_polyhedra_beside_fixed_elements(tmp_path, tess):
    """The side between a hexahedron and a polyhedron is one face; each patch marks the sides of its kind of cells."""
    points, cells = three()
    path = mixed_cgns(tmp_path / "mesh.cgns", points, cells, 1)
    reading, expected = Reading(path).assert_accepted(), Reading(poly_mesh(tmp_path / "foam", points, cells, names=("a", "b"))).assert_accepted()
    assert reading.sets == expected.sets == {"nodes": 16, "cells": 3, "faces": 3, "bfaces": 14}
    assert reading.markers == ["walls", "rim"] and reading.warnings == [expected.warnings[0].replace("number 0", "number 1")]
    said = tess("partition", path, "--map", "faces:cells", "-b", "1", "-p", "file-order", "--no-lab", "--no-view")
    assert "faces:cells" in said.stdout + said.stderr


def test_polyhedra_of_usual_shapes_beside_fixed_elements_are_cells(tmp_path, tess):
    """Two hexahedra, one of them by its faces: the mesh that SU2's text gives, but for the order of a cell's nodes."""
    points, cells = hexes(2)
    reading = Reading(mixed_cgns(tmp_path / "mesh.cgns", points, cells, 3)).assert_accepted()
    assert reading.sets == {"nodes": 27, "cells": 8, "marked_quads": 24} and not reading.warnings
    info = tess("mesh", "check", tmp_path / "mesh.cgns").stdout
    assert "inside out" not in info


def pentagons():
    """A prism of five sides beside one of four."""
    points = [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (2, 0), (2, 2), (1, 3), (0, 2), (4, 0), (4, 2))]
    prism = lambda ring: [ring[::-1], tuple(node + 7 for node in ring),
                          *((a, b, b + 7, a + 7) for a, b in zip(ring, (*ring[1:], ring[0])))]
    return points, [prism((0, 1, 2, 3, 4)), prism((1, 5, 6, 2))]


def nodes_where(points, is_in):
    return ("PointList", [[i + 1] for i, point in enumerate(points) if is_in(point)], "Vertex")


def counts(tess, path):
    return {marker["name"]: marker["elements"] for marker in json.loads(tess("mesh", "info", path, "--brief", "--json").stdout)["markers"]}


def outer_sides(cells):
    faces, _, neighbour = faces_of(cells)
    return faces[len(neighbour):]


PLANES = {"low": lambda point: point[2] == 0, "near": lambda point: point[1] == 0, "left": lambda point: point[0] == 0}


@pytest.mark.parametrize("n_fixed", [0, 1])
def test_conditions_of_vertices_mark_the_sides_of_polyhedra(tmp_path, tess, n_fixed):
    """Sides of five nodes, too, and those of hexahedra beside them; none between two cells."""
    points, cells = three() if n_fixed else pentagons()
    conditions = {name: nodes_where(points, is_in) for name, is_in in PLANES.items()}
    conditions["all"] = nodes_where(points, lambda point: point[0] >= 1)
    path = tmp_path / "mesh.cgns"
    mixed_cgns(path, points, cells, n_fixed, conditions=conditions) if n_fixed else polyhedra_cgns(path, points, cells, conditions=conditions, patches=False)
    reading, got = Reading(path).assert_accepted(), counts(tess, path)
    again = "".join(said for said in reading.warnings if "another marker before it" in said)  # the hexahedra's sides are of the rim
    lost = {name: int(n) for name, n in re.findall(r"'(\w+)' \((\d+)\)", again)}
    within = lambda is_in: sum(all(is_in(points[node]) for node in side) for side in outer_sides(cells))
    for name, is_in in PLANES.items():
        assert got[name] + lost.get(name, 0) == within(is_in) > 0
    assert "dat marker faces" not in reading.stdout and "no sides of cells" not in " ".join(reading.warnings)


def test_conditions_of_vertices_mark_the_edges_of_polygons(tmp_path, tess):
    points = [(0, 0), (2, 0), (2, 2), (1, 3), (0, 2), (4, 0), (4, 2)]
    path = polygons_cgns(tmp_path / "mesh.cgns", [(0, 1, 2, 3, 4), (5, 6, 2, 1)], points, [(3, 4), (6, 5)], {
        "floor": nodes_where(points, lambda point: point[1] == 0), "between": nodes_where(points, lambda point: point[0] == 2)})
    assert counts(tess, path) == {"rim": 2, "floor": 2}
    assert "no sides of cells: 'between'" in " ".join(Reading(path).warnings)


def test_a_side_of_two_conditions_is_counted(tmp_path, tess):
    """Of polyhedra, whose sides have one marker each."""
    points, cells = split_hexes()
    path = polyhedra_cgns(tmp_path / "mesh.cgns", points, cells, conditions={"zebra": ("PointRange", [[3], [5]], "FaceCenter")})
    got, said = counts(tess, path), " ".join(Reading(path).assert_accepted().warnings)
    lost = {name: int(n) for name, n in re.findall(r"'(\w+)' \((\d+)\)", said)}
    assert {name: got[name] + lost.get(name, 0) for name in got} == {"a": 5, "b": 5, "zebra": 3} and sum(lost.values()) == 3
    assert "1 boundary condition lists sides that have another one, which alone counts" in said and "no sides" not in said


def sections_cgns(path, names):
    """Two polyhedra in a section each, and a section of two of their sides."""
    points, cells = split_hexes()
    faces, owner, neighbour = faces_of(cells)
    signed = [[(1 if owner[f] == cell else -1) * (f + 1) for f in range(len(faces)) if cell in (owner[f], *neighbour[f : f + 1])] for cell in range(2)]
    rim = [face for face in faces[len(neighbour):] if len(face) == 4][:2]
    with cgns_file(path, 3.4) as file:
        zone = cgns_zone(cgns_base(file), "Zone", [[len(points)], [2], [0]], points)
        cgns_section(zone, "faces", NGON, 1, [[node + 1 for node in face] for face in faces], True)
        for cell, name in enumerate(names):
            cgns_section(zone, name, NFACE, len(faces) + 1 + cell, signed[cell : cell + 1], True)
        cgns_section(zone, "rim", QUAD, len(faces) + 3, [[node + 1 for node in side] for side in rim])
    return path


def test_sections_of_polyhedra_are_regions(tmp_path, tess):
    """And elements beside them mark their sides."""
    path = sections_cgns(tmp_path / "mesh.cgns", ["okapi", "gnu"])
    info = json.loads(tess("mesh", "info", path, "--brief", "--json").stdout)
    assert {region["name"]: region["cells"] for region in info["regions"]} == {"okapi": 1, "gnu": 1}
    assert counts(tess, path) == {"rim": 2}
    alone = polyhedra_cgns(tmp_path / "alone.cgns", *split_hexes())
    assert [region["name"] for region in json.loads(tess("mesh", "info", alone, "--brief", "--json").stdout)["regions"]] == ["bodies"]


def test_mixed_refused(tmp_path):
    points, cells = three()
    path = mixed_cgns(tmp_path / "mesh.cgns", points, cells, 1, lambda rows: rows["bodies"][0].__setitem__(0, 1))
    Reading(path).assert_refused(path, "section 'bodies': polyhedron 14 has the face 1, which is no polygon of the zone")


def test_polygons_beside_fixed_elements(tmp_path):
    """A pentagon beside a section of a quadrilateral: as where both are polygons, in the other order."""
    points = [(0, 0), (2, 0), (2, 2), (1, 3), (0, 2), (4, 0), (4, 2)]
    with cgns_file(tmp_path / "mesh.cgns", 3.4) as file:
        zone = cgns_zone(cgns_base(file, 2, 2), "Zone", [[7], [2], [0]], points)
        cgns_section(zone, "polygons", NGON, 1, [[1, 2, 3, 4, 5]], True)
        cgns_section(zone, "quads", QUAD, 2, [[6, 7, 3, 2]])
        cgns_section(zone, "rim", BAR, 3, [[1, 2], [7, 6]])
    expected = Reading(polygons_cgns(tmp_path / "all.cgns", [(5, 6, 2, 1), (0, 1, 2, 3, 4)], points, [(0, 1), (6, 5)])).assert_accepted()
    assert Reading(tmp_path / "mesh.cgns").assert_accepted().digest == expected.digest and expected.sets["edges"] == 1


def polygons_cgns(path, rings, points, bars, conditions=None):
    with cgns_file(path, 3.4) as file:
        zone = cgns_zone(cgns_base(file, 2, len(points[0])), "Zone", [[len(points)], [len(rings)], [0]], points)
        cgns_section(zone, "cells", NGON, 1, [[node + 1 for node in ring] for ring in rings], True)
        cgns_section(zone, "rim", BAR, len(rings) + 1, [[node + 1 for node in bar] for bar in bars])
        cgns_conditions(zone, conditions or {})
    return path


def test_polygons_have_edges_alone(tmp_path, tess):
    """A pentagon beside a quadrilateral; in a plane of three dimensions, too."""
    points = [(0, 0), (2, 0), (2, 2), (1, 3), (0, 2), (4, 0), (4, 2)]
    rings, bars = [(0, 1, 2, 3, 4), (5, 6, 2, 1)], [(0, 1), (6, 5)]
    reading = Reading(polygons_cgns(tmp_path / "mesh.cgns", rings, points, bars)).assert_accepted()
    assert reading.sets == {"nodes": 7, "cells": 2, "edges": 1, "bedges": 7} and reading.markers == ["rim"]
    assert re.findall(r"^map (.*)$", reading.stdout, re.M) == ["edges:cells 2", "bedges:cells 1", "edges:nodes 2", "bedges:nodes 2"]
    assert reading.warnings == ["the cells are polygons: there are edges:cells and edges:nodes, but no cells:nodes"]
    space = Reading(polygons_cgns(tmp_path / "space.cgns", rings, [(x, y, 7) for x, y in points], bars)).assert_accepted()
    assert space.digest == reading.digest
    cut = tess("partition", tmp_path / "mesh.cgns", "--map", "edges:cells", "-b", "1", "-p", "file-order", "--no-lab", "--no-view")
    assert "edges:cells" in cut.stdout + cut.stderr


def test_polygons_of_four_nodes_at_most_are_cells(tmp_path):
    points = [(0, 0), (2, 0), (2, 2), (0, 2), (4, 0)]
    reading = Reading(polygons_cgns(tmp_path / "mesh.cgns", [(0, 1, 2, 3), (1, 4, 2)], points, [(0, 1)])).assert_accepted()
    assert reading.sets == {"nodes": 5, "cells": 2, "tris": 1, "quads": 1, "marked_edges": 1} and not reading.warnings


def block_cgns(path, shape, conditions, points=None):
    n = [size + 1 for size in shape] + [1] * (3 - len(shape))
    axes = len(shape)
    points = points or [(i, j, k)[:axes] for k in range(n[2]) for j in range(n[1]) for i in range(n[0])]
    with cgns_file(path) as file:
        zone = cgns_zone(cgns_base(file, axes, axes), "Block", [n[:axes], list(shape), [0] * axes], points)
        cgns_conditions(zone, conditions)
    return path


def su2_lines(path, key):
    lines = path.read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(key))
    return [sorted(line.split()) if key == "MARKER" else line.split() for line in lines[at + 1: at + 1 + int(lines[at].split("=")[1])]]


@pytest.mark.parametrize("shape", [(3, 4, 2), (3, 4)])
def test_a_structured_zone_is_the_grid_of_the_generator(tmp_path, tess, shape):
    size = ":".join(f"n{axis}={n}:l{axis}={n}" for axis, n in zip("xyz", shape))
    tess("mesh", "generate", ("quads:" if len(shape) == 2 else "hexes:") + size, "-o", tmp_path / "generated.su2")
    tess("mesh", "convert", block_cgns(tmp_path / "block.cgns", shape, {}), tmp_path / "block.su2")
    for key in ("NELEM", "NPOIN"):
        assert su2_lines(tmp_path / "block.su2", key) == su2_lines(tmp_path / "generated.su2", key)


def test_ranges_of_structured_zones_are_sides(tmp_path):
    """Of nodes, and of faces at their centre; a range of a line or of single points states none."""
    conditions = {"i": ("PointRange", [[1, 1, 1], [1, 5, 3]], "Vertex"),  # 4 x 2 sides
                  "j": ("PointRange", [[1, 5, 1], [3, 5, 2]], "FaceCenter"),  # 3 x 2
                  "k": ("PointRange", [[1, 1, 3], [2, 2, 3]], "KFaceCenter"),  # 2 x 2
                  "line": ("PointRange", [[1, 1, 1], [1, 5, 1]], "Vertex")}
    reading = Reading(block_cgns(tmp_path / "block.cgns", (3, 4, 2), conditions)).assert_accepted()
    assert reading.sets == {"nodes": 60, "cells": 24, "marked_quads": 18} and reading.markers == ["i", "j", "k"]
    flat = Reading(block_cgns(tmp_path / "flat.cgns", (3, 4), {"low": ("PointRange", [[1, 1], [4, 1]], "Vertex")})).assert_accepted()
    assert flat.sets == {"nodes": 20, "cells": 12, "marked_edges": 3} and flat.markers == ["low"]


def test_sides_of_structured_zones_are_those_of_their_cells(tmp_path, tess):
    """All six planes marked: every boundary face of the box finds its marker."""
    n = (4, 5, 3)
    conditions = {f"{axis}{end}": ("PointRange", [[end if a == axis else 1 for a in range(3)], [end if a == axis else n[a] for a in range(3)]], "Vertex")
                  for axis in range(3) for end in (1, n[axis])}
    info = tess("mesh", "info", "--maps", block_cgns(tmp_path / "block.cgns", (3, 4, 2), conditions)).stdout
    assert re.search(r"^bfaces +52$", info, re.M) and re.search(r"^marked_quads +52$", info, re.M)


def test_structured_zones_are_not_reordered(tmp_path, tess):
    path = block_cgns(tmp_path / "block.cgns", (3, 4, 2), {})
    before = path.read_bytes()
    for out in ("new.su2", "block.cgns"):
        said = tess("mesh", "reorder", path, tmp_path / out, code=3).stderr
        assert "structured zones, whose numbers are positions in a box, which would be lost" in said
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["block.cgns"]


BLOCK_REFUSED = {
    "outside": ({"bad": ("PointRange", [[1, 1, 1], [1, 6, 3]], "Vertex")}, r"condition 'bad': its range 1\.\.6 along axis 2 is not in 1\.\.5"),
    "from zero": ({"bad": ("PointRange", [[0, 1, 1], [0, 5, 3]], "Vertex")}, r"its range 0\.\.0 along axis 1"),
    "faces outside": ({"bad": ("PointRange", [[1, 1, 1], [1, 5, 2]], "IFaceCenter")}, r"its range 1\.\.5 along axis 2 is not in 1\.\.4"),
}


@pytest.mark.parametrize("case", BLOCK_REFUSED)
def test_ranges_outside_are_refused(tmp_path, case):
    conditions, words = BLOCK_REFUSED[case]
    path = block_cgns(tmp_path / "block.cgns", (3, 4, 2), conditions)
    Reading(path).assert_refused(path, words)


def interface(zone, name, donor, range, donor_range, transform, longer=0):
    """A 1-to-1 interface; ranges as [first, last] along the axes."""
    group = zone["ZoneGridConnectivity"] if "ZoneGridConnectivity" in zone else cgns_node(zone, "ZoneGridConnectivity", "ZoneGridConnectivity_t")
    node = cgns_node(group, name, "GridConnectivity1to1_t", text_of(donor), "C1")
    cgns_node(node, "Transform", '"int[IndexDimension]"', np.array(transform, "i4"), "I4")
    padded = lambda rows: np.pad(np.array(rows, "i4"), [(0, longer), (0, 0)])
    cgns_node(node, "PointRange", "IndexRange_t", padded(range), "I4")
    cgns_node(node, "PointRangeDonor", "IndexRange_t", padded(donor_range), "I4")


def blocks_cgns(path, blocks, interfaces):
    """Structured zones of points [k][j][i] each."""
    with cgns_file(path) as file:
        base = cgns_base(file, 3, 3)
        zones = {}
        for name, points in blocks.items():
            n = np.array(points.shape[2::-1])
            zones[name] = cgns_zone(base, name, [n, n - 1, 0 * n], points.reshape(-1, 3))
        for zone, *row in interfaces:
            interface(zones[zone], *row)
    return path


def lattice(x, y, z):
    return np.stack(np.meshgrid(z, y, x, indexing="ij")[::-1], axis=-1).astype(float)


LEFT, RIGHT = lattice(range(4), range(3), range(5)), lattice(range(3, 6), range(3), range(5))
# Indices of the right box turned: i' = 5 - k + 1, j' = i, k' = 3 - j + 1.
TURNED = RIGHT.transpose(1, 2, 0, 3)[::-1, :, ::-1]


@pytest.mark.parametrize("order", ["first", "last", "both"])
def test_structured_zones_are_joined_by_their_interfaces(tmp_path, tess, order):
    """Two boxes beside each other, the second with its axes turned: one box of 6 x 3 x 5 nodes."""
    here = ("L", "l", "R", [[4, 1, 1], [4, 3, 5]], [[5, 1, 3], [1, 1, 1]], [2, -3, -1])
    there = ("R", "r", "L", [[5, 1, 3], [1, 1, 1]], [[4, 1, 1], [4, 3, 5]], [-3, 1, -2])
    interfaces = {"first": [here], "last": [there], "both": [here, there]}[order]
    path = blocks_cgns(tmp_path / "mesh.cgns", {"L": LEFT, "R": TURNED}, interfaces)
    reading = Reading(path).assert_accepted()
    assert reading.sets == {"nodes": 6 * 3 * 5, "cells": 5 * 2 * 4} and not reading.warnings
    tess("mesh", "generate", "hexes:nx=5:ny=2:nz=4:lx=5:ly=2:lz=4", "-o", tmp_path / "box.su2")
    assert tess("mesh", "compare", path, tmp_path / "box.su2").stdout


def test_a_zone_is_joined_with_itself(tmp_path):
    """A ring of eight sectors, whose last nodes lie on the first."""
    angle = np.arange(9) % 8 * np.pi / 4
    ring = np.array([[[(r * np.cos(a), r * np.sin(a), z) for a in angle] for r in (1, 2, 3)] for z in (0, 1)])
    path = blocks_cgns(tmp_path / "mesh.cgns", {"O": ring}, [("O", "cut", "O", [[1, 1, 1], [1, 3, 2]], [[9, 1, 1], [9, 3, 2]], [1, 2, 3])])
    reading = Reading(path).assert_accepted()
    assert reading.sets == {"nodes": 8 * 3 * 2, "cells": 8 * 2} and not reading.warnings


def test_interfaces_that_lie_elsewhere_stay_apart(tmp_path):
    """Periodic ones name the other side of a box as their donor."""
    path = blocks_cgns(tmp_path / "mesh.cgns", {"L": LEFT}, [("L", "around", "L", [[1, 1, 1], [1, 3, 5]], [[4, 1, 1], [4, 3, 5]], [1, 2, 3])])
    reading = Reading(path).assert_accepted()
    assert reading.sets == {"nodes": 60, "cells": 24}
    assert reading.warnings == ["1 of 1 1-to-1 interfaces lie elsewhere than their donors, as periodic ones do, and were not joined (the first is 'around'; MESH:periodic=join joins them)"]


INTERFACES_REFUSED = {
    "outside": (([[4, 1, 1], [4, 4, 5]], [[5, 1, 3], [1, 1, 1]], [2, -3, -1]), "interface 'l': its range 1..4 along axis 2 is not in 1..3|CGNS"),
    "outside of the donor": (([[4, 1, 1], [4, 3, 5]], [[5, 1, 2], [1, 1, 1]], [2, -3, -1]), "interface 'l': its range is not in the zone 'R'"),
    "an axis twice": (([[4, 1, 1], [4, 3, 5]], [[5, 1, 3], [1, 1, 1]], [2, -2, -1]), "interface 'l': its transform 2 -2 -1 does not name each axis once|CGNS"),
    "no axis": (([[4, 1, 1], [4, 3, 5]], [[5, 1, 3], [1, 1, 1]], [2, -3, 0]), "interface 'l': its transform|CGNS"),
    "an axis of two billion": (([[4, 1, 1], [4, 3, 5]], [[5, 1, 3], [1, 1, 1]], [2, -3, -(2**31)]), "interface 'l': its transform|CGNS"),
    "longer ranges": (([[4, 1, 1], [4, 3, 5]], [[5, 1, 3], [1, 1, 1]], [2, -3, -1], 9000), "a range of 27006 numbers, more than six|CGNS"),
}


@pytest.mark.parametrize("case", INTERFACES_REFUSED)
def test_interfaces_refused(tmp_path, case):
    row, words = INTERFACES_REFUSED[case]
    path = blocks_cgns(tmp_path / "mesh.cgns", {"L": LEFT, "R": TURNED}, [("L", "l", "R", *row)])
    reading = Reading(path)
    assert reading.code == 3 and len(reading.messages) == 1 and reading.messages[0].startswith(f"{path}: ")
    assert re.search(words, reading.messages[0]), reading.messages


def test_a_donor_that_there_is_not(tmp_path):
    path = blocks_cgns(tmp_path / "mesh.cgns", {"L": LEFT}, [("L", "l", "nowhere", [[4, 1, 1], [4, 3, 5]], [[5, 1, 3], [1, 1, 1]], [2, -3, -1])])
    Reading(path).assert_refused(path, "zone 1, interface 'l': there is no structured zone 'nowhere'")
