"""Small mesh files made in place, and the program that reads them, for the tests of readers."""

import os
import pathlib
import re
import struct
import subprocess

from conftest import ROOT, limited

READ_MESH = pathlib.Path(os.environ.get("TESS_BIN", ROOT / "build/release/bin/tess")).parents[1] / "tests/read_mesh"
SANITIZED = "sanitize" in str(READ_MESH)


def shared_meshes():
    """The folder of real meshes beside the checkout, or None."""
    for folder in (os.environ.get("TESS_SHARED_MESHES"), ROOT.parent / "shared/meshes", ROOT.parent.parent / "shared/meshes"):
        if folder and pathlib.Path(folder).is_dir():
            return pathlib.Path(folder)
    return None


class Reading:
    """What read_mesh said about a file."""

    def __init__(self, path, seconds=20, reader=None):
        done = subprocess.run([READ_MESH, *([f"reader={reader}"] if reader else []), path], capture_output=True, text=True, errors="replace", **limited(seconds))
        self.code = done.returncode
        self.stdout = done.stdout
        lines = done.stderr.splitlines()
        measured = dict(line.split() for line in lines if re.fullmatch(r"(seconds|mesh_kilobytes|peak_kilobytes) \S+", line))
        self.messages = [line for line in lines if line.split(" ")[0] not in measured]
        self.seconds = float(measured.get("seconds", "inf"))
        self.peak_bytes = 1024 * int(measured.get("peak_kilobytes", 2**40))
        self.sets = {name: int(size) for name, size in re.findall(r"^set (\S+) (\d+)$", self.stdout, re.M)}
        self.markers = re.findall(r"^marker \d+ (.+)$", self.stdout, re.M)
        self.warnings = re.findall(r"^warning: (.+)$", self.stdout, re.M)
        self.digest = "".join(re.findall(r"^digest (\S+)$", self.stdout, re.M))

    def assert_accepted(self):
        assert self.code == 0, self.messages
        return self

    def assert_refused(self, path, words):
        """One message with the file and the place, code 3, fast, and within memory that the file's
        own size justifies."""
        assert self.code == 3, (self.code, self.messages, self.stdout)
        assert len(self.messages) == 1, self.messages
        assert self.messages[0].startswith(f"{path}: "), self.messages
        place = r": (line \d+|offset \d+|variable \w+|dataset \S+|zone \d+, [a-z ]+ '[^']*'): "
        assert re.search(place, self.messages[0]), self.messages
        assert re.search(words, self.messages[0]), (words, self.messages)
        assert self.stdout == ""
        assert self.seconds < 2
        if not SANITIZED:
            assert self.peak_bytes < 20e6 + 20 * pathlib.Path(path).stat().st_size
        return self


def read(folder, name, content):
    """Writes a file, of bytes or text, and reads it: its path and what was said."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path, Reading(path)


def assert_cut_refused(path, part, words):
    """That the first part of a file is refused."""
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    Reading(path).assert_refused(path, words)


def assert_content_refused(folder, name, content, words):
    path, reading = read(folder, name, content)
    reading.assert_refused(path, words)


def changed(content, old, new):
    assert old in content
    return content.replace(old, new, 1)


def grid(n):
    """Nodes and triangles of an n by n square, and its boundary edges."""
    nodes = [(i / n, j / n) for j in range(n + 1) for i in range(n + 1)]
    tris = []
    for j in range(n):
        for i in range(n):
            a = j * (n + 1) + i
            tris += [(a, a + 1, a + n + 2), (a, a + n + 2, a + n + 1)]
    edges = [(i, i + 1) for i in range(n)] + [(n * (n + 1) + i, n * (n + 1) + i + 1) for i in range(n)]
    return nodes, tris, edges


def su2_text(n=4):
    nodes, tris, edges = grid(n)
    lines = ["NDIME= 2", f"NELEM= {len(tris)}"]
    lines += [f"5 {a} {b} {c} {i}" for i, (a, b, c) in enumerate(tris)]
    lines += [f"NPOIN= {len(nodes)}"] + [f"{x} {y} {i}" for i, (x, y) in enumerate(nodes)]
    lines += ["NMARK= 1", "MARKER_TAG= wall", f"MARKER_ELEMS= {len(edges)}"]
    lines += [f"3 {a} {b}" for a, b in edges]
    return "\n".join(lines) + "\n"


def op2_text(n=4):
    """Quadrilaterals; edges and boundary edges as OP2's generator states them."""
    nodes = [(i / n, j / n) for j in range(n + 1) for i in range(n + 1)]
    node = lambda i, j: j * (n + 1) + i
    cell = lambda i, j: j * n + i
    cells = [(node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)) for j in range(n) for i in range(n)]
    edges, bedges = [], []
    for j in range(n):
        for i in range(n):
            if i + 1 < n:
                edges.append((node(i + 1, j), node(i + 1, j + 1), cell(i, j), cell(i + 1, j)))
            if j + 1 < n:
                edges.append((node(i, j + 1), node(i + 1, j + 1), cell(i, j), cell(i, j + 1)))
        bedges += [(node(0, j), node(0, j + 1), cell(0, j), 1), (node(n, j), node(n, j + 1), cell(n - 1, j), 2)]
        bedges += [(node(j, 0), node(j + 1, 0), cell(j, 0), 1), (node(j, n), node(j + 1, n), cell(j, n - 1), 2)]
    rows = [(len(nodes), len(cells), len(edges), len(bedges))] + nodes + cells + edges + bedges
    return "".join(" ".join(map(str, row)) + " \n" for row in rows)


def gmsh2(n=4, binary=False, order="<", first_tag=1, step=1):
    """Triangles of physical group 7 and boundary lines of group 3, "wall", MSH 2.2."""
    nodes, tris, edges = grid(n)
    tag = lambda node: first_tag + step * node
    out = b"$MeshFormat\n2.2 %d 8\n" % binary
    out += struct.pack(order + "i", 1) + b"\n" if binary else b""
    out += b'$EndMeshFormat\n$PhysicalNames\n2\n1 3 "wall"\n2 7 "sea"\n$EndPhysicalNames\n'
    out += b"$Nodes\n%d\n" % len(nodes)
    for i, (x, y) in enumerate(nodes):
        if binary:
            out += struct.pack(order + "i3d", tag(i), x, y, 0)
        else:
            out += f"{tag(i)} {x} {y} 0\n".encode()
    out += b"\n" * binary + b"$EndNodes\n$Elements\n%d\n" % (len(tris) + len(edges))
    number = 1
    for kind, group, elements in ((1, 3, edges), (2, 7, tris)):
        if binary:
            out += struct.pack(order + "3i", kind, len(elements), 2)
        for element in elements:
            corners = [tag(node) for node in element]
            if binary:
                out += struct.pack(f"{order}{3 + len(corners)}i", number, group, 1, *corners)
            else:
                out += f"{number} {kind} 2 {group} 1 {' '.join(map(str, corners))}\n".encode()
            number += 1
    return out + b"\n" * binary + b"$EndElements\n"


def gmsh4(n=4, binary=False, order="<", first_tag=1, step=1, parts=False):
    """The mesh in MSH 4.1: nodes in two blocks, the second with parameters on its surface; with `parts` as Gmsh writes the
    parts of a mesh, which have tags of their own and say what they are parts of."""
    nodes, tris, edges = grid(n)
    tag = lambda node: first_tag + step * node

    def row(text_format, *values):
        """Packed, or as a line; Q, i and d are the types of the values."""
        if binary:
            return struct.pack(order + "".join(text_format), *values)
        return (" ".join(map(str, values)) + "\n").encode()

    out = b"$MeshFormat\n4.1 %d 8\n" % binary
    out += struct.pack(order + "i", 1) + b"\n" if binary else b""
    out += b'$EndMeshFormat\n$PhysicalNames\n2\n1 3 "wall"\n2 7 "sea"\n$EndPhysicalNames\n$Entities\n'
    if parts:
        out += row("4Q", 0, 0, 0, 0) + b"\n" * binary + b"$EndEntities\n$PartitionedEntities\n"
        out += row("Q", 2) + row("Q", 1) + row("2i", 8, 1)
    of = lambda dimension, tag: (dimension, tag, 2, 1, 2) if parts else ()
    part = "2iQ2i" if parts else ""
    out += row("4Q", 1, 1, 1, 0)
    out += row(f"i{part}3dQ", 9, *of(0, 1), 0.0, 0.0, 0.0, 0)
    out += row(f"i{part}6dQiQ2i", 5, *of(1, 2), 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1, 3, 2, 9, -9)
    out += row(f"i{part}6dQiQi", 6, *of(2, 3), 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1, 7, 1, 5)
    out += b"\n" * binary + (b"$EndPartitionedEntities\n$Nodes\n" if parts else b"$EndEntities\n$Nodes\n")
    out += row("4Q", 2, len(nodes), tag(0), tag(len(nodes) - 1))
    half = len(nodes) // 2
    for parametric, first, last in ((0, 0, half), (1, half, len(nodes))):
        out += row("3iQ", 2, 6, parametric, last - first)
        out += b"".join(row("Q", tag(i)) for i in range(first, last))
        for x, y in nodes[first:last]:
            out += row("5d", x, y, 0.0, x, y) if parametric else row("3d", x, y, 0.0)
    out += b"\n" * binary + b"$EndNodes\n$Elements\n"
    out += row("4Q", 2, len(edges) + len(tris), 1, len(edges) + len(tris))
    number = 1
    for dimension, entity, kind, elements in ((1, 5, 1, edges), (2, 6, 2, tris)):
        out += row("3iQ", dimension, entity, kind, len(elements))
        for element in elements:
            out += row(f"{1 + len(element)}Q", number, *(tag(node) for node in element))
            number += 1
    return out + b"\n" * binary + b"$EndElements\n"


# One cell of each type on a hexahedron with a prism, a pyramid and a tetrahedron beside it.
MIXED_NODES = [
    (0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1),
    (2, 0.5, 0), (2, 0.5, 1), (0.5, 0.5, 2), (2, 2, 2),
]  # fmt: skip
MIXED_HEX = (0, 1, 2, 3, 4, 5, 6, 7)
MIXED_PRISM = (1, 8, 2, 5, 9, 6)
MIXED_PYRAMID = (4, 5, 6, 7, 10)
MIXED_TET = (5, 9, 6, 11)
MIXED_TRI = (1, 2, 8)
MIXED_QUAD = (0, 1, 2, 3)


def mixed_su2():
    cells = [(10, MIXED_TET), (14, MIXED_PYRAMID), (13, MIXED_PRISM), (12, MIXED_HEX)]
    lines = ["NDIME= 3", f"NELEM= {len(cells)}"] + [" ".join(map(str, (vtk, *nodes))) for vtk, nodes in cells]
    lines += [f"NPOIN= {len(MIXED_NODES)}"] + [" ".join(map(str, node)) for node in MIXED_NODES]
    lines += ["NMARK= 2", "MARKER_TAG= one", "MARKER_ELEMS= 1", " ".join(map(str, (5, *MIXED_TRI)))]
    lines += ["MARKER_TAG= two", "MARKER_ELEMS= 1", " ".join(map(str, (9, *MIXED_QUAD)))]
    return "\n".join(lines) + "\n"


def meshb(version=2):
    """The mixed mesh with references 1 and 2, and a block of an unknown keyword."""
    real, number, offset = "f" if version == 1 else "d", "q" if version == 4 else "i", "q" if version > 2 else "i"
    out = struct.pack("<2i", 1, version)

    def block(key, content):
        nonlocal out
        end = len(out) + 4 + struct.calcsize("<" + offset) + len(content)
        out += struct.pack("<i" + offset, key, end) + content

    block(3, struct.pack("<i", 3))
    block(126, b"whatever")
    rows = [struct.pack(f"<3{real}{number}", *node, 0) for node in MIXED_NODES]
    block(4, struct.pack("<" + number, len(rows)) + b"".join(rows))
    tables = [(6, MIXED_TRI, 1), (7, MIXED_QUAD, 2), (8, MIXED_TET, 0), (49, MIXED_PYRAMID, 0)]
    for key, nodes, reference in tables + [(9, MIXED_PRISM, 0), (10, MIXED_HEX, 0)]:
        block(key, struct.pack(f"<{2 + len(nodes)}{number}", 1, *(node + 1 for node in nodes), reference))
    return out + struct.pack("<i" + offset, 54, 0)


def medit():
    """The mixed mesh as Medit's text, with references 1 and 2, and sections that say nothing of it."""
    lines = ["MeshVersionFormatted 2", "# a comment", "Dimension", "3", "Vertices", str(len(MIXED_NODES))]
    lines += [" ".join(map(str, (*node, 0))) for node in MIXED_NODES] + ["Corners 2", "1", "2", ""]
    tables = [("Triangles", MIXED_TRI, 1), ("Quadrilaterals", MIXED_QUAD, 2), ("Tetrahedra", MIXED_TET, 0)]
    tables += [("Pyramids", MIXED_PYRAMID, 0), ("Prisms", MIXED_PRISM, 0), ("Hexahedra", MIXED_HEX, 0)]
    for key, nodes, reference in tables:
        lines += [key, "1", " ".join(map(str, (*(node + 1 for node in nodes), reference)))]
    return "\n".join(lines) + "\nEnd\n"


# Two tetrahedra over a triangle, in the files of TetGen.
TETS_NODES = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.25, 0.25, 1), (0.25, 0.25, -1.5)]
TETS = [(0, 1, 2, 3), (0, 2, 1, 4)]
TETS_SIDES = [((0, 1, 3), 7), ((1, 2, 3), 7), ((0, 1, 2), 0), ((0, 1, 4), -2)]


def tetgen(first=1, regions=(10.5, -2)):
    """The texts of .node, .ele and .face, whose ids count from `first`."""
    row = lambda *words: " ".join(map(str, words)) + "\n"
    node = f"# comment\n{len(TETS_NODES)} 3 1 1\n" + "".join(row(i + first, *x, 0.5, 0) for i, x in enumerate(TETS_NODES))
    ele = row(len(TETS), 4, 1) + "".join(
        row(i + first, *(n + first for n in tet), region) for i, (tet, region) in enumerate(zip(TETS, regions))
    )
    face = row(len(TETS_SIDES), 1) + "".join(
        row(i + first, *(n + first for n in side), marker) for i, (side, marker) in enumerate(TETS_SIDES)
    )
    return {".node": node.encode(), ".ele": ele.encode(), ".face": face.encode()}


def chaste(regions=(10.5, -2)):
    """The mesh packed as Chaste does; no sides."""
    node = b"%d\t3\t0\t0\tBIN\n" % len(TETS_NODES) + b"".join(struct.pack("<3d", *x) for x in TETS_NODES)
    ele = b"%d\t4\t1\tBIN\n" % len(TETS)
    ele += b"".join(struct.pack("<4Id", *tet, region) for tet, region in zip(TETS, regions))
    return {".node": node + b"#\n# Created by Chaste\n", ".ele": ele + b"#\n# Created by Chaste\n"}


def fesom(n=3):
    """The square's grid in degrees: nod2d.out and elem2d.out."""
    nodes, tris, _ = grid(n)
    nod2d = f"{len(nodes)}\n" + "".join(f"{i + 1} {x} {y} {int(x == 0)}\n" for i, (x, y) in enumerate(nodes))
    elem2d = f" {len(tris)} \n" + "".join(f"{a + 1:9d}{b + 1:9d}{c + 1:9d}\n" for a, b, c in tris)
    return {"nod2d.out": nod2d.encode(), "elem2d.out": elem2d.encode()}


UGRID_PYRAMID = tuple(MIXED_PYRAMID[place] for place in (1, 0, 4, 2, 3))
UGRID_ROWS = [MIXED_TRI, MIXED_QUAD, (0,), (1,), MIXED_TET, UGRID_PYRAMID, MIXED_PRISM, MIXED_HEX]  # with surfaces 1 and 2


def ugrid(order="<", real="d", fortran=False):
    """The mixed mesh with surfaces 1 and 2."""
    head = struct.pack(order + "7i", len(MIXED_NODES), 1, 1, 1, 1, 1, 1)
    body = b"".join(struct.pack(f"{order}3{real}", *node) for node in MIXED_NODES)
    for ids in UGRID_ROWS:
        body += struct.pack(f"{order}{len(ids)}i", *(i + 1 for i in ids))
    record = lambda content: struct.pack(order + "I", len(content)) + content + struct.pack(order + "I", len(content))
    return record(head) + record(body) if fortran else head + body


def ugrid_text():
    rows = [(len(MIXED_NODES), 1, 1, 1, 1, 1, 1), *MIXED_NODES, *([i + 1 for i in ids] for ids in UGRID_ROWS)]
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)
