"""Periodic sides and zones that lists of nodes join: a word, and on request (`MESH:periodic=join`) one node for each pair."""

import json
import math
import re
import struct

import numpy as np
import pytest
from cgns_zones_test import LEFT, blocks_cgns
from faults_test import FAULTS, report
from mesh_files import gmsh2, gmsh4, su2_text
from netcdf_files import cgns_base, cgns_file, cgns_node, cgns_section, cgns_zone, text_of

N = 4
PAIRS = [(j * (N + 1) + N, j * (N + 1)) for j in range(N + 1)]  # right and left of the square's grid


def sides_of_4_1(order, binary):
    """$Periodic of version 4.1: two entities, the first a point without pairs."""
    values = [2, 0, 9, 9, 0, 0, 1, 5, 6, 16, *[float(i % 5 == 0) for i in range(16)], len(PAIRS), *(i + 1 for pair in PAIRS for i in pair)]
    form = f"Q3iQQ3iQ16dQ{2 * len(PAIRS)}Q"
    if binary:
        return b"$Periodic\n" + struct.pack(order + form, *values) + b"\n$EndPeriodic\n"
    rows = [values[:1], values[1:4], values[4:5], values[5:6], values[6:9], values[9:26], values[26:27], *([a + 1, b + 1] for a, b in PAIRS)]
    return b"$Periodic\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows).encode() + b"$EndPeriodic\n"


def sides_of_2_2():
    return f"$Periodic\n1\n1 5 6\nAffine {' '.join(str(int(i % 5 == 0)) for i in range(16))}\n{len(PAIRS)}\n".encode() + b"".join(
        b"%d %d\n" % (a + 1, b + 1) for a, b in PAIRS) + b"$EndPeriodic\n"  # fmt: skip


GMSH = {
    "2.2 text": gmsh2(N) + sides_of_2_2(),
    "2.2 binary": gmsh2(N, True) + sides_of_2_2(),
    "4.1 text": gmsh4(N) + sides_of_4_1("<", False),
    "4.1 binary": gmsh4(N, True) + sides_of_4_1("<", True),
    "4.1 binary, big-endian": gmsh4(N, True, ">") + sides_of_4_1(">", True),
}


@pytest.mark.parametrize("version", GMSH)
def test_gmsh(tess, tmp_path, version):
    path = tmp_path / "mesh.msh"
    path.write_bytes(GMSH[version])
    apart, joined = report(tess, path), report(tess, f"{path}:periodic=join")
    assert apart["sets"]["nodes"] == 25 and f"with {len(PAIRS)} pairs of nodes stay apart" in apart["warnings"][0]
    assert joined["sets"]["nodes"] == 20 and f"{len(PAIRS)} pairs of nodes" in joined["warnings"][0]
    assert derived(tess, path)["edges"] == 40 and derived(tess, f"{path}:periodic=join")["edges"] == 44


def derived(tess, mesh):
    return json.loads(tess("mesh", "info", mesh, "--maps", "--json").stdout)["sets"]


GMSH_REFUSED = {
    "huge number of pairs": (struct.pack("<Q", len(PAIRS)) + struct.pack("<2Q", 5, 1), struct.pack("<Q", 2**60) + struct.pack("<2Q", 5, 1), "pairs of nodes of 16 bytes"),
    "negative number of pairs": (struct.pack("<Q", len(PAIRS)) + struct.pack("<2Q", 5, 1), struct.pack("<q", -1) + struct.pack("<2Q", 5, 1), "is negative"),
    "no such node": (struct.pack("<2Q", 5, 1), struct.pack("<2Q", 5, 99), "there is no node 99"),
    "huge transformation": (struct.pack("<Qd", 16, 1), struct.pack("<Qd", 2**61, 1), "transformation of 8 bytes"),
}


@pytest.mark.parametrize("case", GMSH_REFUSED)
def test_gmsh_refused(tess, tmp_path, case):
    """What is wrong is refused where sides are to be joined, and else passed over with a word."""
    old, new, words = GMSH_REFUSED[case]
    head, sides = gmsh4(N, True), sides_of_4_1("<", True)
    assert sides.count(old) == 1
    (tmp_path / "mesh.msh").write_bytes(head + sides.replace(old, new))
    assert words in tess("mesh", "info", f"{tmp_path / 'mesh.msh'}:periodic=join", code=3).stderr
    assert "periodic or joined sides" in report(tess, tmp_path / "mesh.msh")["warnings"][0]


def su2(path, n_sectors, place, *moves, marker_of=lambda side: side):
    """A strip of `n_sectors` + 1 columns of nodes, `place(i, j)`, with the markers start and end."""
    rows = 3
    node = lambda i, j: i * rows + j
    cells = [(node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)) for i in range(n_sectors) for j in range(rows - 1)]
    text = f"NDIME= 2\nNELEM= {len(cells)}\n" + "".join(f"9 {' '.join(map(str, cell))}\n" for cell in cells)
    text += f"NPOIN= {rows * (n_sectors + 1)}\n" + "".join("%.12g %.12g\n" % place(i, j) for i in range(n_sectors + 1) for j in range(rows))
    sides = {"start": [(0, 1), (1, 2)], "end": [tuple(node(n_sectors, j) for j in pair) for pair in ((2, 1), (1, 0))],
             "wall": [(node(i, 0), node(i + 1, 0)) for i in range(n_sectors)]}  # fmt: skip
    text += f"NMARK= {len(sides)}\n" + "".join(
        f"MARKER_TAG= {marker_of(name)}\nMARKER_ELEMS= {len(edges)}\n" + "".join(f"3 {a} {b}\n" for a, b in edges) for name, edges in sides.items())
    text += f"NPERIODIC= {len(moves) + 1}\n" + "".join(
        f"PERIODIC_INDEX= {i}\n" + "".join(" ".join(map(str, row)) + "\n" for row in move) for i, move in enumerate([[(0, 0, 0)] * 3, *moves]))
    path.write_text(text)
    return path


def strip(i, j):
    return (3 * i, j)


def sector(i, j):
    """Of a quarter of a ring about (1, 2)."""
    angle = i * math.pi / 2 / 4
    return 1 + (2 + j) * math.cos(angle), 2 + (2 + j) * math.sin(angle)


SU2 = {
    "shifted": (strip, [[(0, 0, 0), (0, 0, 0), (12, 0, 0)]]),
    "shifted back": (strip, [[(0, 0, 0), (0, 0, 0), (-12, 0, 0)]]),
    "both ways": (strip, [[(0, 0, 0), (0, 0, 0), (12, 0, 0)], [(0, 0, 0), (0, 0, 0), (-12, 0, 0)]]),
    "turned": (sector, [[(1, 2, 0), (0, 0, math.pi / 2), (0, 0, 0)]]),
    "turned by degrees": (sector, [[(1, 2, 0), (0, 0, 90), (0, 0, 0)]]),
    "turned about another point": (sector, [[(0, 0, 0), (0, 0, math.pi / 2), (3, 1, 0)]]),
}


@pytest.mark.parametrize("case", SU2)
def test_su2(tess, tmp_path, case):
    place, moves = SU2[case]
    path = su2(tmp_path / "mesh.su2", 4, place, *moves)
    apart, joined = report(tess, path), report(tess, f"{path}:periodic=join")
    assert apart["sets"]["nodes"] == 15 and f"{len(moves)} periodic transformations" in apart["warnings"][0]
    assert joined["sets"]["nodes"] == 12 and f"{3 * len(moves)} pairs of nodes of {len(moves)} periodic" in joined["warnings"][0]
    assert derived(tess, f"{path}:periodic=join")["edges"] == derived(tess, path)["edges"] + 2
    assert joined["markers"] == {"start": 2, "end": 2, "wall": 4}


SU2_REFUSED = {
    "elsewhere": ([[(0, 0, 0), (0, 0, 0), (11.9, 0, 0)]], "periodic transformation 1 moves no marker onto another"),
    "part of a marker": ([[(0, 0, 0), (0, 0, 0), (3, 0, 0)]], "moves no marker onto another"),
    "cut off": ([[(0, 0, 0), (0, 0, 0)]], "the file ends within a periodic transformation"),
    "too few numbers": ([[(0, 0), (0, 0, 0), (12, 0, 0)]], r"line \d+: .*number of a transformation"),
}


@pytest.mark.parametrize("case", SU2_REFUSED)
def test_su2_refused(tess, tmp_path, case):
    moves, words = SU2_REFUSED[case]
    path = su2(tmp_path / "mesh.su2", 4, strip, *moves)
    said = tess("mesh", "info", f"{path}:periodic=join", code=3).stderr
    assert re.search(words, said), said
    assert "periodic transformations" in report(tess, path)["warnings"][0]


def link(zone, donor, points, donors, kind="Abutting1to1", position=None, name="c"):
    group = zone["ZoneGridConnectivity"] if "ZoneGridConnectivity" in zone else cgns_node(zone, "ZoneGridConnectivity", "ZoneGridConnectivity_t")
    node = cgns_node(group, name, "GridConnectivity_t", text_of(donor), "C1")
    cgns_node(node, "GridConnectivityType", "GridConnectivityType_t", text_of(kind), "C1")
    if position:
        cgns_node(node, "GridLocation", "GridLocation_t", text_of(position), "C1")
    cgns_node(node, "PointList", "IndexArray_t", np.array(points, "i4"), "I4")
    cgns_node(node, "PointListDonor", "IndexArray_t", np.array(donors, "i4"), "I4")


CUBE = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
HEX = [[1, 2, 4, 3, 5, 6, 8, 7]]


def cubes(path, *links, names=("A", "B")):
    with cgns_file(path, 3.4) as file:
        base = cgns_base(file)
        zones = {}
        for i, name in enumerate(names):
            zones[name] = cgns_zone(base, name, [[8], [1], [0]], [(x + i, y, z) for x, y, z in CUBE])
            cgns_section(zones[name], "vol", 17, 1, HEX)
        for zone, *arguments, more in links:
            link(zones[zone], *arguments, **more)
    return path


RIGHT, LEFT_NODES = [[2], [4], [6], [8]], [[1], [3], [5], [7]]


def test_zones_of_cgns_are_joined_by_lists_of_nodes(tess, tmp_path):
    joined = report(tess, f"{FAULTS / 'cgns/conn.cgns'}:periodic=join")
    assert joined["sets"]["nodes"] == 12 and joined["warnings"] == [
        "8 pairs of nodes of 2 periodic or joined sides became one node each, which has one of their places: sizes and shapes of the cells there are "
        "wrong where the places differ"]  # fmt: skip
    ring = [(zone, donor, RIGHT, LEFT_NODES, {"kind": "Abutting"}) for zone, donor in ("AB", "BC", "CA")]
    path = cubes(tmp_path / "ring.cgns", *ring, names="ABC")
    assert report(tess, f"{path}:periodic=join")["sets"]["nodes"] == 12
    assert derived(tess, f"{path}:periodic=join")["faces"] == 3


def test_lists_of_faces_stay_apart_with_a_word(tess, tmp_path):
    path = cubes(tmp_path / "mesh.cgns", ("A", "B", RIGHT, LEFT_NODES, {}), ("B", "A", [[2]], [[2]], {"position": "FaceCenter", "name": "by faces"}))
    joined = report(tess, f"{path}:periodic=join")
    assert joined["sets"]["nodes"] == 12 and "1 links between zones list no pairs of nodes and were left out: 'by faces' (1)" in joined["warnings"]


CGNS_REFUSED = {
    "node outside": (("A", "B", RIGHT, [[1], [3], [5], [9]], {}), "link 'c': the number 9 is not in 1..8, the nodes of the zone 'B'"),
    "node 0": (("A", "B", [[0], [4], [6], [8]], LEFT_NODES, {}), "the number 0 is not in 1..8"),
    "no such zone": (("A", "nowhere", RIGHT, LEFT_NODES, {}), "link 'c': .*zone.* nowhere"),
}


@pytest.mark.parametrize("case", CGNS_REFUSED)
def test_cgns_refused(tess, tmp_path, case):
    row, words = CGNS_REFUSED[case]
    path = cubes(tmp_path / "mesh.cgns", row)
    said = tess("mesh", "info", f"{path}:periodic=join", code=3).stderr
    assert re.search(words, said), said
    assert "1 links between zones by lists of points" in report(tess, path)["warnings"][0]


def test_structured_zones_of_cgns_are_joined_where_they_lie_apart(tess, tmp_path):
    path = blocks_cgns(tmp_path / "mesh.cgns", {"L": LEFT}, [("L", "around", "L", [[1, 1, 1], [1, 3, 5]], [[4, 1, 1], [4, 3, 5]], [1, 2, 3])])
    joined = report(tess, f"{path}:periodic=join")
    assert joined["sets"]["nodes"] == 45 and "15 pairs of nodes of 1 periodic" in joined["warnings"][0]


def test_nothing_to_join_is_said(tess, tmp_path):
    (tmp_path / "mesh.su2").write_text(su2_text())
    assert report(tess, f"{tmp_path / 'mesh.su2'}:periodic=join")["warnings"] == ["periodic=join joins nothing: the file names no nodes of periodic sides"]
