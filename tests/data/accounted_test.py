"""Every side that a file states is accounted for: it marks the mesh, or a warning counts it under its marker's name. Random meshes of
squares or cubes, some of them polygons or polyhedra, with sides at the boundary, between cells, of no cell, stated twice, by two markers."""

import json
import pathlib
import random
import re
import struct
import tempfile

import pytest
from netcdf_files import cgns_base, cgns_conditions, cgns_file, cgns_section, cgns_zone
from polyhedra_files import SIDES
from vtk_files import Vtu, stream_of, vtk_cells

CORNERS = {2: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]}
CORNERS[3] = [*CORNERS[2], *((x, y, 1) for x, y, _ in CORNERS[2])]
MARKERS = (3, 4, 11)  # of which the last one may have no sides at all


def made(random, dimension):
    """Nodes, cells by their nodes, and [marker, nodes] of sides."""
    size = [random.randint(1, 3) for _ in range(dimension)] + [0] * (3 - dimension)
    place = lambda x, y, z: (z * (size[1] + 1) + y) * (size[0] + 1) + x
    nodes = [(x, y, z) for z in range(size[2] + 1) for y in range(size[1] + 1) for x in range(size[0] + 1)]
    boxes = [(x, y, z) for z in range(max(1, size[2])) for y in range(size[1]) for x in range(size[0])]
    boxes = [box for box in boxes if random.random() < 0.8] or boxes[:1]
    cells = [[place(*(at + step for at, step in zip(box, corner))) for corner in CORNERS[dimension]] for box in boxes]
    every = [[cell[i] for i in side] for cell in cells for side in (SIDES[8] if dimension == 3 else [(0, 1), (1, 2), (2, 3), (3, 0)])]
    arity = len(every[0])
    sides = [[random.choice(MARKERS[:2]), random.choice(every)] for _ in range(random.randint(1, 9))]
    sides += [[random.choice(MARKERS[:2]), sides[0][1]], [sides[0][0], sides[0][1][::-1]]]
    sides += [[random.choice(MARKERS), random.sample(range(len(nodes)), arity)] for _ in range(random.randint(0, 2))]
    return nodes, cells, sides


def rows(*lists):
    return "".join(" ".join(map(str, row)) + "\n" for row in lists)


def ones(ids):
    return [i + 1 for i in ids]


def su2(nodes, cells, sides, dimension):
    text = rows(["NDIME=", dimension], ["NELEM=", len(cells)], *([9 if dimension == 2 else 12, *cell] for cell in cells),
                ["NPOIN=", len(nodes)], *(node[:dimension] for node in nodes), ["NMARK=", len(MARKERS)])  # fmt: skip
    for marker in MARKERS:
        mine = [side for of, side in sides if of == marker]
        text += rows(["MARKER_TAG=", f"m {marker}"], ["MARKER_ELEMS=", len(mine)], *([3 if dimension == 2 else 9, *side] for side in mine))
    return "mesh.su2", text, "m {}"


def gmsh2(nodes, cells, sides, dimension):
    line, cell = (1, 3) if dimension == 2 else (3, 5)
    elements = [[line, 2, marker, marker, *ones(side)] for marker, side in sides] + [[cell, 2, 1, 1, *ones(of)] for of in cells]
    text = rows(["$MeshFormat"], ["2.2 0 8"], ["$EndMeshFormat"], ["$Nodes"], [len(nodes)], *([i + 1, *x] for i, x in enumerate(nodes)),
                ["$EndNodes"], ["$Elements"], [len(elements)], *([i + 1, *row] for i, row in enumerate(elements)), ["$EndElements"])  # fmt: skip
    return "mesh.msh", text, "physical {}"


def gmsh4(nodes, cells, sides, dimension):
    line, cell = (1, 3) if dimension == 2 else (3, 5)
    box, names = [0, 0, 0, 9, 9, 9], sorted({marker for marker, _ in sides})
    count = [0, 0, 0, 0]
    count[dimension - 1 :] = [len(names), 1, 0][: 5 - dimension]
    blocks = [[[dimension - 1, marker, line], [ones(side) for of, side in sides if of == marker]] for marker in names]
    blocks += [[[dimension, 1, cell], [ones(of) for of in cells]]]
    number = iter(range(1, 10**6))
    text = rows(["$MeshFormat"], ["4.1 0 8"], ["$EndMeshFormat"], ["$Entities"], count, *([m, *box, 1, m, 0] for m in names), [1, *box, 1, 1, 0],
                ["$EndEntities"], ["$Nodes"], [1, len(nodes), 1, len(nodes)], [dimension, 1, 0, len(nodes)], *([i + 1] for i in range(len(nodes))),
                *nodes, ["$EndNodes"], ["$Elements"], [len(blocks), len(sides) + len(cells), 1, len(sides) + len(cells)])  # fmt: skip
    for head, elements in blocks:
        text += rows([*head, len(elements)], *([next(number), *element] for element in elements))
    return "mesh.msh", text + "$EndElements\n", "physical {}"


def medit(nodes, cells, sides, dimension):
    kinds = ("Edges", "Quadrilaterals") if dimension == 2 else ("Quadrilaterals", "Hexahedra")
    text = rows(["MeshVersionFormatted 2"], ["Dimension", dimension], ["Vertices"], [len(nodes)], *([*x[:dimension], 0] for x in nodes))
    text += rows([kinds[0]], [len(sides)], *([*ones(side), marker] for marker, side in sides))
    return "mesh.mesh", text + rows([kinds[1]], [len(cells)], *([*ones(cell), 1] for cell in cells), ["End"]), "reference {}"


def mfem(nodes, cells, sides, dimension):
    of_side, of_cell = (1, 3) if dimension == 2 else (3, 5)
    text = rows(["MFEM mesh v1.0"], [], ["dimension"], [dimension], [], ["elements"], [len(cells)], *([1, of_cell, *cell] for cell in cells), [])
    text += rows(["boundary"], [len(sides)], *([marker, of_side, *side] for marker, side in sides), [], ["vertices"], [len(nodes)], [dimension])
    return "mesh.mesh", text + rows(*(x[:dimension] for x in nodes)), "attribute {}"


def meshb(nodes, cells, sides, dimension):
    of_side, of_cell = (5, 7) if dimension == 2 else (7, 10)
    out = struct.pack("<2i", 1, 2)
    for key, content in ((3, [dimension]), (4, [len(nodes)]), (of_side, [len(sides)]), (of_cell, [len(cells)])):
        body = struct.pack("<i", *content)
        body += b"".join(struct.pack(f"<{dimension}di", *x[:dimension], 0) for x in nodes) if key == 4 else b""
        body += b"".join(struct.pack(f"<{len(side) + 1}i", *ones(side), marker) for marker, side in sides) if key == of_side else b""
        body += b"".join(struct.pack(f"<{len(cell) + 1}i", *ones(cell), 1) for cell in cells) if key == of_cell else b""
        out += struct.pack("<2i", key, len(out) + 8 + len(body)) + body
    return "mesh.meshb", out + struct.pack("<2i", 54, 0), "reference {}"


def cgns(nodes, cells, sides, dimension):
    """A section of the sides, which conditions list by their numbers."""
    of_side, of_cell = (3, 7) if dimension == 2 else (7, 17)
    conditions = {f"m {marker}": ("PointList", [[len(cells) + 1 + i] for i, (of, _) in enumerate(sides) if of == marker], "FaceCenter") for marker in MARKERS}
    with tempfile.TemporaryDirectory() as folder:
        with cgns_file(pathlib.Path(folder) / "mesh.cgns", 3.4) as file:
            zone = cgns_zone(cgns_base(file, dimension, dimension), "Zone", [[len(nodes)], [len(cells)], [0]], [x[:dimension] for x in nodes])
            cgns_section(zone, "cells", of_cell, 1, [ones(cell) for cell in cells])
            cgns_section(zone, "sides", of_side, len(cells) + 1, [ones(side) for _, side in sides])
            cgns_conditions(zone, {name: value for name, value in conditions.items() if value[1]})
        return "mesh.cgns", (pathlib.Path(folder) / "mesh.cgns").read_bytes(), "m {}"


def ugrid(nodes, cells, sides, dimension):
    text = rows([len(nodes), 0, len(sides), 0, 0, 0, len(cells)], *nodes, *(ones(side) for _, side in sides), *([marker] for marker, _ in sides))
    return "mesh.ugrid", text + rows(*(ones(cell) for cell in cells)), "surface {}"


def vtk(nodes, cells, sides, dimension):
    elements = [*cells, *(side for _, side in sides)]
    kinds = [9 if dimension == 2 else 12] * len(cells) + [3 if dimension == 2 else 9] * len(sides)
    text = rows(["# vtk DataFile Version 3.0"], ["t"], ["ASCII"], ["DATASET UNSTRUCTURED_GRID"], ["POINTS", len(nodes), "double"], *nodes)
    text += rows(["CELLS", len(elements), sum(len(e) + 1 for e in elements)], *([len(e), *e] for e in elements), ["CELL_TYPES", len(elements)])
    text += rows(*([kind] for kind in kinds), ["CELL_DATA", len(elements)], ["SCALARS marker int 1"], ["LOOKUP_TABLE default"])
    return "mesh.vtk", text + rows(*([0] for _ in cells), *([marker] for marker, _ in sides)), "marker {}"


def vtu(nodes, cells, sides, dimension):
    """The first cell as a polygon that has a node more in its first edge, or as a polyhedron one side of which is two triangles."""
    nodes, first = list(nodes), cells[0]
    if dimension == 2:
        nodes.append((nodes[first[0]][0] + 0.5, nodes[first[0]][1] - 0.1, 0))
        of_cells = [(7, (first[0], len(nodes) - 1, *first[1:]), 0), *((9, cell, 0) for cell in cells[1:])]
        faces = None
    else:
        rings = [tuple(first[i] for i in side) for side in SIDES[8]]
        whole = [[rings[0][:3], (rings[0][0], *rings[0][2:]), *rings[1:]], *map(tuple, cells[1:])]
        of_cells, faces = vtk_cells(whole), stream_of([*whole, *((0, 0) for _ in sides)])
    marked = [(3 if dimension == 2 else 9, side, marker) for marker, side in sides]
    return "mesh.vtu", Vtu().file(Vtu().piece(nodes, [*of_cells, *marked], faces=faces)), "marker {}"


WAYS = [(way, dimension) for way in (su2, gmsh2, gmsh4, medit, meshb, mfem, cgns, ugrid, vtk, vtu) for dimension in (2, 3) if (way, dimension) != (ugrid, 2)]


@pytest.mark.parametrize("way, dimension", WAYS)
def test_every_side_is_accounted_for(tess, tmp_path, way, dimension):
    for seed in range(8):
        nodes, cells, sides = made(random.Random(f"{seed} {dimension}"), dimension)
        name, content, named = way(nodes, cells, sides, dimension)
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        info = json.loads(tess("mesh", "info", path, "--brief", "--json").stdout)
        found = {marker["name"]: marker["elements"] for marker in info["markers"]}
        lost = re.findall(r"'([^']+)' \((\d+)\)", " ".join(said for said in info["warnings"] if "marked" in said))
        for marker in MARKERS:
            known = named.format(marker)
            stated = sum(of == marker for of, _ in sides)
            assert found.get(known, 0) <= len({frozenset(side) for of, side in sides if of == marker}), (seed, known, info)
            assert found.get(known, 0) + sum(int(n) for of, n in lost if of == known) == stated, (seed, known, stated, info)
        assert set(found) <= {named.format(marker) for marker in MARKERS}
