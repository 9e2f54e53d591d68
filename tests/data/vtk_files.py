"""Files of VTK's formats made in place, for the tests of their readers."""

import base64
import struct
import zlib
from itertools import accumulate

from mesh_files import MIXED_HEX, MIXED_NODES, MIXED_PRISM, MIXED_PYRAMID, MIXED_QUAD, MIXED_TET, MIXED_TRI

# VTK's number, nodes and marker of each cell, in the order of the other files of the mixed mesh.
MIXED_CELLS = [
    (5, MIXED_TRI, 1), (9, MIXED_QUAD, 2), (10, MIXED_TET, 0), (14, MIXED_PYRAMID, 0), (13, MIXED_PRISM, 0), (12, MIXED_HEX, 0),
]  # fmt: skip
LETTERS = {"Int8": "b", "UInt8": "B", "Int32": "i", "UInt32": "I", "Int64": "q", "UInt64": "Q", "Float32": "f", "Float64": "d"}


class Vtu:
    """One way of writing: format "ascii", "binary" or "appended" (raw or base64), compressed or not."""

    def __init__(self, format="ascii", encoding="base64", header="UInt32", order="<", compressed=False, index="Int64", block=40):
        self.format, self.encoding, self.header = format, encoding, header
        self.order, self.compressed, self.index, self.block = order, compressed, index, block
        self.appended = b""

    def words(self, *values):
        return struct.pack(f"{self.order}{len(values)}{LETTERS[self.header]}", *values)

    def coded(self, raw):
        """The bytes of an array behind its sizes, as the file holds them."""
        code = base64.b64encode if self.format == "binary" or self.encoding == "base64" else bytes
        if not self.compressed:
            return code(self.words(len(raw)) + raw)
        size = self.block
        blocks = [zlib.compress(raw[at : at + size]) for at in range(0, len(raw), size)]
        return code(self.words(len(blocks), size, len(raw) % size, *map(len, blocks))) + code(b"".join(blocks))

    def array(self, name, type, values, components=""):
        head = f'<DataArray type="{type}" Name="{name}" format="{self.format}"{components}'.encode()
        raw = struct.pack(f"{self.order}{len(values)}{LETTERS[type]}", *values)
        if self.format == "ascii":
            return head + b">\n" + " ".join(map(str, values)).encode() + b"\n</DataArray>\n"
        if self.format == "binary":
            return head + b">\n  " + self.coded(raw) + b"\n</DataArray>\n"
        head += b' offset="%d"/>\n' % len(self.appended)
        self.appended += self.coded(raw)
        return head

    def piece(self, nodes=MIXED_NODES, cells=MIXED_CELLS, ghosts=None, point_type="Float64", faces=None):
        """`faces`: the arrays of polyhedra by their names, of stream_of() or faces_of_vtk()."""
        ends = [sum(len(cell[1]) for cell in cells[: i + 1]) for i in range(len(cells))]
        out = b'<Piece NumberOfPoints="%d" NumberOfCells="%d">\n<PointData>\n' % (len(nodes), len(cells))
        out += self.array("Points", "Float64", [1.5] * len(nodes)) + b"</PointData>\n<CellData>\n"
        out += self.array("marker", "Int32", [cell[2] for cell in cells])
        out += self.array("vtkGhostType", "UInt8", ghosts) if ghosts else b""
        out += b"</CellData>\n<Points>\n"
        out += self.array("Points", point_type, [x for node in nodes for x in node], ' NumberOfComponents="3"')
        out += b"</Points>\n<Cells>\n" + self.array("connectivity", self.index, [node for cell in cells for node in cell[1]])
        out += self.array("offsets", self.index, ends) + self.array("types", "UInt8", [cell[0] for cell in cells])
        return out + b"".join(self.array(name, self.index, values) for name, values in (faces or {}).items()) + b"</Cells>\n</Piece>\n"

    def file(self, *pieces):
        body = b"".join(pieces or [self.piece()])
        out = b'<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="%s" header_type="%s"%s>\n' % (
            b"LittleEndian" if self.order == "<" else b"BigEndian",
            self.header.encode(),
            b' compressor="vtkZLibDataCompressor"' if self.compressed else b"",
        )
        out += b"<UnstructuredGrid>\n" + body + b"</UnstructuredGrid>\n"
        if self.format == "appended":
            out += b'<AppendedData encoding="%s">\n_' % self.encoding.encode() + self.appended + b"\n</AppendedData>\n"
        return out + b"</VTKFile>\n"


TYPE_OF_SIZE = {4: 10, 5: 14, 6: 13, 8: 12}


def vtk_cells(cells):
    """Cells of VTK's types, by their nodes, or the rings of their faces; their markers are 0."""
    return [(42, sorted({node for ring in cell for node in ring}), 0) if isinstance(cell, list) else (TYPE_OF_SIZE[len(cell)], cell, 0) for cell in cells]


def stream_of(cells):
    """The faces of polyhedra as VTK had them before 9.4; `cells` as those of vtk_cells()."""
    faces, ends = [], []
    for cell in cells:
        if isinstance(cell, list):
            faces += [len(cell), *(value for ring in cell for value in (len(ring), *ring))]
        ends.append(len(faces) if isinstance(cell, list) else -1)
    return {"faces": faces, "faceoffsets": ends}


def faces_of_vtk(cells):
    """Polyhedra as VTK has them since."""
    rings = [cell if isinstance(cell, list) else [] for cell in cells]
    nodes = [node for cell in rings for ring in cell for node in ring]
    face_ends = [int(end) for end in accumulate(len(ring) for cell in rings for ring in cell)]
    return {"face_connectivity": nodes, "face_offsets": face_ends, "polyhedron_to_faces": list(range(len(face_ends))),
            "polyhedron_offsets": list(accumulate(map(len, rings)))}  # fmt: skip


def pvtu(*names):
    sources = "".join(f'<Piece Source="{name}"/>\n' for name in names)
    return f'<?xml version="1.0"?>\n<VTKFile type="PUnstructuredGrid">\n<PUnstructuredGrid GhostLevel="0">\n{sources}</PUnstructuredGrid>\n</VTKFile>\n'.encode()


class Legacy:
    """One way of writing VTK's older files: text or binary, cells as rows (version 4.2) or as offsets and connectivity (5.1)."""

    def __init__(self, binary=False, version="4.2"):
        self.binary, self.version = binary, version

    def numbers(self, letter, values):
        if self.binary:
            return struct.pack(f">{len(values)}{letter}", *values) + b"\n"
        return (" ".join(map(str, values)) + "\n").encode()

    def cells(self, key, cells):
        """The nodes of cells behind their keyword."""
        nodes = [node for cell in cells for node in cell]
        if self.version == "4.2":
            rows = [value for cell in cells for value in (len(cell), *cell)]
            return f"{key} {len(cells)} {len(rows)}\n".encode() + self.numbers("i", rows)
        ends = list(accumulate((len(cell) for cell in cells), initial=0))
        return (f"{key} {len(ends)} {len(nodes)}\nOFFSETS vtktypeint64\n".encode() + self.numbers("q", ends)
                + b"CONNECTIVITY vtktypeint64\n" + self.numbers("q", nodes))  # fmt: skip

    def head(self, dataset, nodes):
        return (f"# vtk DataFile Version {self.version}\na title\n{'BINARY' if self.binary else 'ASCII'}\nDATASET {dataset}\n"
                f"POINTS {len(nodes)} double\n").encode() + self.numbers("d", [float(x) for node in nodes for x in node])  # fmt: skip

    def data(self, markers, ghosts=None):
        """Data of cells: the markers among others."""
        n = len(markers)
        out = f"CELL_DATA {n}\nSCALARS quality float 1\nLOOKUP_TABLE default\n".encode() + self.numbers("f", [0.5] * n)
        out += f"VECTORS flow double\n".encode() + self.numbers("d", [1.5] * 3 * n)
        out += f"FIELD FieldData {1 + bool(ghosts)}\nmarker 1 {n} int\n".encode() + self.numbers("i", markers)
        out += b"METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 2\n\n"
        return out + (f"vtkGhostType 1 {n} unsigned_char\n".encode() + self.numbers("B", ghosts) if ghosts else b"")

    def grid(self, nodes=MIXED_NODES, cells=MIXED_CELLS, ghosts=None):
        """`cells`: those of Vtu.piece(); of polyhedra the stream of their faces stands for the nodes."""
        out = self.head("UNSTRUCTURED_GRID", nodes) + self.cells("CELLS", [cell[1] for cell in cells])
        out += f"CELL_TYPES {len(cells)}\n".encode() + self.numbers("i", [cell[0] for cell in cells])
        out += f"POINT_DATA {len(nodes)}\nNORMALS n float\n".encode() + self.numbers("f", [0.0, 0.0, 1.0] * len(nodes))
        return out + self.data([cell[2] for cell in cells], ghosts)

    def polydata(self, nodes, **cells):
        """Cells by their keywords, each with its marker behind its nodes."""
        out = self.head("POLYDATA", nodes)
        out += b"".join(self.cells(key, [cell for cell, _ in rows]) for key, rows in cells.items())
        return out + self.data([marker for rows in cells.values() for _, marker in rows])
