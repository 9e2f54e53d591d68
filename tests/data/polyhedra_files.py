"""Meshes of faces made in place, and OpenFOAM's files of them, for the tests of readers."""

import struct

import numpy as np
from mesh_files import MIXED_HEX, MIXED_PRISM, MIXED_PYRAMID, MIXED_TET

# The faces of each type by its nodes in VTK's order, each seen from outside.
SIDES = {
    4: [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)],
    5: [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)],
    6: [(0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)],
    8: [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
}
MIXED = [tuple(cell) for block in (MIXED_TET, MIXED_PYRAMID, MIXED_PRISM, MIXED_HEX) for cell in np.reshape(block, (-1, len(np.ravel(block))))]


def faces_of(cells):
    """Faces as OpenFOAM orders them: those between cells first; owner, neighbour."""
    found = {}
    for number, cell in enumerate(cells):
        for side in cell if isinstance(cell, list) else [tuple(cell[i] for i in side) for side in SIDES[len(cell)]]:
            found.setdefault(frozenset(side), []).append((number, side))
    inner = [sides for sides in found.values() if len(sides) == 2]
    outer = [sides for sides in found.values() if len(sides) == 1]
    return [sides[0][1] for sides in inner + outer], [sides[0][0] for sides in inner + outer], [sides[1][0] for sides in inner]


def header(kind, name, form, arch):
    return (f"/*---- OpenFOAM ----\\\n| (of a test) |\n*/\nFoamFile\n{{\n    version 2.0;\n    format {form};\n    arch \"{arch}\";\n"
            f"    class {kind};\n    object {name};\n}}\n// * * * //\n\n").encode()


def poly_mesh(folder, points, cells, binary=None, halves=True, names=("wall", "outlet.far")):
    """Writes the five files; `binary`: bytes of labels and reals."""
    faces, owner, neighbour = faces_of(cells)
    n_outer, first = len(faces) - len(neighbour), len(neighbour)
    half = n_outer // 2 if halves else n_outer
    patches = [(names[0], half, first), (names[1], n_outer - half, first + half)][: 1 + halves]
    label, real = {4: "i", 8: "q"}[(binary or (4, 8))[0]], {4: "f", 8: "d"}[(binary or (4, 8))[1]]
    arch = f"LSB;label={8 * struct.calcsize('<' + label)};scalar={8 * struct.calcsize('<' + real)}"
    labels = lambda values: b"%d\n(" % len(values) + struct.pack(f"<{len(values)}{label}", *values) + b")\n"
    rows = lambda values: (f"{len(values)}\n(\n" + "\n".join(map(str, values)) + "\n)\n").encode()
    starts = np.cumsum([0] + [len(face) for face in faces])
    content = {
        "points": b"%d(" % len(points) + struct.pack(f"<{3 * len(points)}{real}", *np.ravel(points)) + b")\n" if binary
        else rows([f"({x} {y} {z})" for x, y, z in points]),
        "faces": labels(starts) + labels([node for face in faces for node in face]) if binary
        else rows([f"{len(face)}({' '.join(map(str, face))})" for face in faces]),
        "owner": labels(owner) if binary else rows(owner),
        "neighbour": labels(neighbour) if binary else rows(neighbour),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in content.items():
        (folder / name).write_bytes(header("List", name, "binary" if binary else "ascii", arch) + body)
    text = "".join(f"    {name}\n    {{\n        type patch; inGroups 1(all);\n        nFaces {n};\n        startFace {at};\n    }}\n"
                   for name, n, at in patches)
    (folder / "boundary").write_bytes(header("polyBoundaryMesh", "boundary", "ascii", arch) + f"{len(patches)}\n(\n{text})\n".encode())
    return folder


def patches(rows):
    """The file boundary: name, type, number of faces, first face, further entries."""
    text = "".join(f"    {name}\n    {{\n        type {kind};\n        nFaces {n};\n        startFace {at};\n        {more}\n    }}\n"
                   for name, kind, n, at, more in rows)
    return header("polyBoundaryMesh", "boundary", "ascii", "LSB;label=32;scalar=64") + f"{len(rows)}\n(\n{text})\n".encode()


def decompose(case, points, cells, part_of, kind="processor", names=("wall", "outlet.far"), where="constant/polyMesh"):
    """The files of poly_mesh() as decomposePar makes them, a folder a processor: `part_of`: the processor of each cell. Faces keep
    the order of the whole; those between two processors are seen from outside of each, from the same point on."""
    faces, owner, neighbour = faces_of(cells)
    half = (len(faces) - len(neighbour)) // 2
    place = [part_of[: i].count(part_of[i]) for i in range(len(cells))]
    for part in range(max(part_of) + 1):
        inner, outer, between = [], [[], []], {}
        for f, face in enumerate(faces):
            sides = [owner[f], *neighbour[f : f + 1]]
            mine = [cell for cell in sides if part_of[cell] == part]
            if len(mine) == 2:
                inner.append((face, place[mine[0]], place[mine[1]]))
            elif mine and len(sides) == 1:
                outer[f - len(neighbour) >= half].append((face, place[mine[0]]))
            elif mine:
                other = part_of[sides[0] + sides[1] - mine[0]]
                seen = face if mine[0] == sides[0] else (face[0], *reversed(face[1:]))
                between.setdefault(other, []).append((seen, place[mine[0]]))
        rows, used = [(name, "patch", len(group), None, "") for name, group in zip(names, outer)], [*inner, *outer[0], *outer[1]]
        for other, group in sorted(between.items()):
            rows.append((f"procBoundary{part}to{other}", kind, len(group), None, f"matchTolerance 0.0001; myProcNo {part}; neighbProcNo {other};"))
            used += group
        first, nodes = len(inner), sorted({node for row in used for node in row[0]})
        for i, (name, type_, n, _, more) in enumerate(rows):
            rows[i] = (name, type_, n, first, more)
            first += n
        number = {node: i for i, node in enumerate(nodes)}
        folder = case / f"processor{part}" / where
        folder.mkdir(parents=True)
        listed = lambda values: (f"{len(values)}\n(\n" + "\n".join(map(str, values)) + "\n)\n").encode()
        content = {
            "points": [f"({points[node][0]} {points[node][1]} {points[node][2]})" for node in nodes],
            "faces": [f"{len(row[0])}({' '.join(str(number[node]) for node in row[0])})" for row in used],
            "owner": [row[1] for row in used],
            "neighbour": [row[2] for row in inner],
        }
        for name, values in content.items():
            (folder / name).write_bytes(header("List", name, "ascii", "LSB;label=32;scalar=64") + listed(values))
        (folder / "boundary").write_bytes(patches(rows))
    return case


def zones(folder, binary=False, **files):
    """Writes zones, cellZones={"name": [0, 1]} and the like, beside the files of poly_mesh()."""
    for file, listed in files.items():
        kind = file[:-5]
        text = b""
        for name, labels in listed.items():
            values = struct.pack(f"<{len(labels)}i", *labels) if binary else " ".join(map(str, labels)).encode()
            text += f"{name}\n{{\n    type {kind}Zone;\n    {kind}Labels List<label> {len(labels)}(".encode() + values + b");\n"
            if kind == "face":
                text += f"    flipMap List<bool>\n{len(labels)}\n(\n".encode() + b"0\n" * len(labels) + b")\n;\n"
            text += b"}\n"
        head = header("regIOobject", file, "binary" if binary else "ascii", "LSB;label=32;scalar=64")
        (folder / file).write_bytes(head + f"{len(listed)}\n(\n".encode() + text + b")\n")
    return folder


def hexes(n):
    node = lambda i, j, k: (k * (n + 1) + j) * (n + 1) + i
    ring = lambda i, j, k: [node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k)]
    points = [(i, j, k) for k in range(n + 1) for j in range(n + 1) for i in range(n + 1)]
    return points, [tuple(ring(i, j, k) + ring(i, j, k + 1)) for k in range(n) for j in range(n) for i in range(n)]


def split_hexes():
    """Two hexes whose common side is cut into two triangles: seven sides each."""
    points = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)]
    left, right = (0, 1, 4, 3, 6, 7, 10, 9), (1, 2, 5, 4, 7, 8, 11, 10)
    sides = lambda cell: [tuple(cell[i] for i in side) for side in SIDES[8]]
    common = {1, 4, 7, 10}
    cut = lambda cell, turn: [side for side in sides(cell) if set(side) != common] + [side[::turn] for side in ((1, 4, 10), (1, 10, 7))]
    return points, [cut(left, 1), cut(right, -1)]
