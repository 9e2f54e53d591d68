"""Large meshes written as files of each format, by arrays, for measurements of reading."""

import base64
import ctypes
import re
import subprocess
import zlib

import numpy as np
from netcdf_files import CGNS_TYPES, cgns_base, cgns_file, cgns_node, text_of


def rows(path, head, table, form="%d", mode="wb"):
    with open(path, mode) as file:
        file.write(head.encode())
        np.savetxt(file, table, fmt=form)
    return path


def numbered(table, first=1):
    return np.column_stack([np.arange(first, first + len(table)), table])


# --- meshes -------------------------------------------------------------------------------------


def grid_nodes(n):
    axis = np.arange(n + 1) / n
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    return np.column_stack([x.ravel(), y.ravel(), z.ravel()])


class Polyhedra:
    """A grid of n x n x n hexahedra whose common sides along x are cut into two triangles, or not: faces, those inside first."""

    def __init__(self, n, cut=True):
        number = np.arange((n + 1) ** 3).reshape(n + 1, n + 1, n + 1)  # [z][y][x]
        cell = np.arange(n**3).reshape(n, n, n)
        quads = {"x": [number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]],
                 "y": [number[:-1, :, :-1], number[1:, :, :-1], number[1:, :, 1:], number[:-1, :, 1:]],
                 "z": [number[:, :-1, :-1], number[:, :-1, 1:], number[:, 1:, 1:], number[:, 1:, :-1]]}  # fmt: skip
        inner, outer = [], []  # nodes, owner, neighbour
        for along, axis in (("x", 2), ("y", 1), ("z", 0)):
            rings = np.stack(quads[along], axis=-1)
            part = lambda what, at: np.take(what, at, axis=axis)
            inside, low, high = range(1, n), part(cell, range(n - 1)).ravel(), part(cell, range(1, n)).ravel()
            faces = part(rings, inside).reshape(-1, 4)
            inner += [(faces[:, [0, 1, 2]], low, high), (faces[:, [0, 2, 3]], low, high)] if cut and along == "x" else [(faces, low, high)]
            outer += [(part(rings, [0]).reshape(-1, 4)[:, ::-1], part(cell, [0]).ravel()), (part(rings, [n]).reshape(-1, 4), part(cell, [n - 1]).ravel())]
        self.points, self.n_cells = grid_nodes(n), n**3
        part = lambda k, j, i: number[k : n + k, j : n + j, i : n + i].ravel()
        self.corners = np.stack([part(k, j, i) for k in (0, 1) for j in (0, 1) for i in (0, 1)], axis=1)
        self.rings = [nodes for nodes, *_ in inner + outer]
        self.sizes = np.concatenate([np.full(len(nodes), nodes.shape[1]) for nodes in self.rings])
        self.nodes = np.concatenate([nodes.ravel() for nodes in self.rings])
        self.owner = np.concatenate([owner for _, owner, *_ in inner + outer])
        self.neighbour = np.concatenate([neighbour for *_, neighbour in inner])

    def sides(self):
        """Of each cell the numbers of its faces, ~f where it is their neighbour, one cell behind the other, and how many it has."""
        cells = np.concatenate([self.owner, self.neighbour])
        faces = np.concatenate([np.arange(len(self.owner)), ~np.arange(len(self.neighbour))])
        order = np.argsort(cells, kind="stable")
        return faces[order], np.bincount(cells, minlength=self.n_cells)


# --- files --------------------------------------------------------------------------------------


def fesom(folder, points, tris):
    folder.mkdir()
    rows(folder / "elem2d.out", f"{len(tris)}\n", tris + 1)
    return rows(folder / "nod2d.out", f"{len(points)}\n", numbered(np.column_stack([points, 0 * points[:, 0]])), "%d %.17g %.17g %d")


def gr3(path, points, tris):
    rows(path, f"a box\n{len(tris)} {len(points)}\n", numbered(np.column_stack([points, points[:, 0]])), "%d %.17g %.17g %g")
    return rows(path, "", numbered(np.column_stack([np.full(len(tris), 3), tris + 1])), mode="ab")


def tetgen(path, points, tets):
    rows(path.with_suffix(".node"), f"{len(points)} 3 0 0\n", numbered(points), "%d %.17g %.17g %.17g")
    return rows(path, f"{len(tets)} 4 0\n", numbered(tets + 1))


def chaste(path, points, tets):
    path.with_suffix(".node").write_bytes(b"%d\t3\t0\t0\tBIN\n" % len(points) + points.astype("<f8").tobytes())
    path.write_bytes(b"%d\t4\t0\tBIN\n" % len(tets) + tets.astype("<u4").tobytes())
    return path


def vtu(path, arrays, n_cells, way):
    """`arrays`: of numbers by their names, points first; `way`: ascii, base64, zlib, appended."""
    head = ' compressor="vtkZLibDataCompressor"' if way == "zlib" else ""
    types = {"f": "Float64", "i": "Int64", "u": "UInt8"}
    appended = []
    with open(path, "wb") as file:
        say = lambda text: file.write(text.encode())
        say(f'<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64"{head}>\n'
            f'<UnstructuredGrid>\n<Piece NumberOfPoints="{len(arrays["Points"])}" NumberOfCells="{n_cells}">\n<Points>\n')  # fmt: skip
        for name, values in arrays.items():
            raw, components = values.tobytes(), ' NumberOfComponents="3"' if name == "Points" else ""
            form = {"ascii": 'format="ascii"', "appended": f'format="appended" offset="{sum(map(len, appended))}"'}.get(way, 'format="binary"')
            say(f'<DataArray type="{types[values.dtype.kind]}" Name="{name}" {form}{components}>\n')
            size = np.array([len(raw)], "<u8").tobytes()
            if way == "ascii":
                if name == "Points":
                    np.savetxt(file, values, fmt="%.17g")
                else:
                    words = list(map(str, values.tolist()))
                    file.writelines(" ".join(words[at : at + 8]).encode() + b"\n" for at in range(0, len(words), 8))
            elif way == "appended":
                appended += [size, raw]
            elif way == "base64":
                file.write(base64.b64encode(size + raw))
            else:
                blocks = [zlib.compress(raw[at : at + (1 << 15)]) for at in range(0, len(raw), 1 << 15)]
                file.write(base64.b64encode(np.array([len(blocks), 1 << 15, len(raw) % (1 << 15), *map(len, blocks)], "<u8").tobytes()))
                file.write(base64.b64encode(b"".join(blocks)))
            say("\n</DataArray>\n" + ("</Points>\n<Cells>\n" if name == "Points" else ""))
        say("</Cells>\n</Piece>\n</UnstructuredGrid>\n")
        if appended:
            say('<AppendedData encoding="raw">\n_')
            file.writelines(appended)
            say("\n</AppendedData>\n")
        say("</VTKFile>\n")
    return path


def vtu_cells(points, tets):
    return {"Points": points, "connectivity": tets.ravel().astype("<i8"), "offsets": np.arange(4, 4 * len(tets) + 1, 4, "<i8"), "types": np.full(len(tets), 10, "u1")}


def chosen_rows(values, ends, chosen):
    """The rows that are chosen, one behind the other, and where each ends."""
    sizes = np.diff(ends, prepend=0)[chosen]
    return values[np.repeat(ends[chosen] - np.cumsum(sizes), sizes) + np.arange(sizes.sum())], np.cumsum(sizes)


def vtu_polyhedra(mesh, new):
    """The faces of each cell on their own, as VTK writes them since version 9.4 (`new`) or before."""
    faces, n_sides = mesh.sides()
    nodes, ends = chosen_rows(mesh.nodes, np.cumsum(mesh.sizes), np.where(faces < 0, ~faces, faces))
    cell_ends = np.cumsum(n_sides)
    first = np.concatenate([[0], cell_ends[:-1]])
    arrays = {"Points": mesh.points, "connectivity": mesh.corners.ravel().astype("<i8"), "offsets": np.arange(8, 8 * mesh.n_cells + 1, 8, "<i8"),
              "types": np.full(mesh.n_cells, 42, "u1")}  # fmt: skip
    if new:
        return {**arrays, "face_connectivity": nodes.astype("<i8"), "face_offsets": ends.astype("<i8"),
                "polyhedron_to_faces": np.arange(len(ends)), "polyhedron_offsets": cell_ends.astype("<i8")}  # fmt: skip
    sizes = np.diff(ends, prepend=0)
    with_sizes = np.insert(nodes, ends - sizes, sizes)
    begins = (ends - sizes + np.arange(len(ends)))[first]  # a cell's first face, in what has the sizes
    return {**arrays, "faces": np.insert(with_sizes, begins, n_sides).astype("<i8"),
            "faceoffsets": (ends + np.arange(1, len(ends) + 1))[cell_ends - 1] + np.arange(1, mesh.n_cells + 1)}  # fmt: skip


def netcdf(path, form, dimensions, variables, attributes):
    """`form`: NETCDF3_64BIT_OFFSET or NETCDF4."""
    import netCDF4

    with netCDF4.Dataset(path, "w", format=form) as file:
        for name, length in dimensions.items():
            file.createDimension(name, length)
        for name, (names, values) in variables.items():
            variable = file.createVariable(name, values.dtype, names)
            for key, value in attributes.get(name, {}).items():
                setattr(variable, key, value)
            variable[:] = values
    return path


def exodus(path, form, points, tets):
    dimensions = {"num_dim": 3, "num_nodes": len(points), "num_elem": len(tets), "num_el_blk": 1, "num_el_in_blk1": len(tets), "num_nod_per_el1": 4}
    variables = {f"coord{axis}": (("num_nodes",), np.ascontiguousarray(points[:, i])) for i, axis in enumerate("xyz")}
    variables["connect1"] = (("num_el_in_blk1", "num_nod_per_el1"), tets.astype("i4") + 1)
    return netcdf(path, form, dimensions, variables, {"connect1": {"elem_type": "TETRA4"}})


def mpas(path, points, tris):
    """MPAS's cells are the nodes, its vertices the triangles, in whose middle they lie."""
    sides = np.sort(np.concatenate([tris[:, [0, 1]], tris[:, [1, 2]], tris[:, [2, 0]]]), axis=1)
    edges, which = np.unique(sides[:, 0].astype("i8") * len(points) + sides[:, 1], return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    both = np.flatnonzero(np.diff(which.ravel()[order]) == 0)  # only edges with a triangle on both sides
    vertices = np.column_stack([order[both], order[both + 1]]) % len(tris) + 1
    edges = edges[which.ravel()[order[both]]]
    cells = np.column_stack([edges // len(points), edges % len(points)]) + 1
    middle = points[tris].mean(axis=1)
    variables = {"cellsOnVertex": (("nVertices", "vertexDegree"), tris.astype("i4") + 1), "cellsOnEdge": (("nEdges", "two"), cells.astype("i4")),
                 "verticesOnEdge": (("nEdges", "two"), vertices.astype("i4"))}  # fmt: skip
    for name, count, places in (("Cell", "nCells", points), ("Vertex", "nVertices", middle)):
        variables |= {f"x{name}": ((count,), places[:, 0]), f"y{name}": ((count,), places[:, 1]), f"z{name}": ((count,), 0 * places[:, 0])}
    return netcdf(path, "NETCDF3_64BIT_OFFSET", {"nCells": len(points), "nVertices": len(tris), "nEdges": len(cells), "vertexDegree": 3, "two": 2}, variables, {})


def cgns_section(zone, name, kind, first, n, values, starts=None):
    section = cgns_node(zone, name, "Elements_t", np.array([kind, 0], "i4"), "I4")
    cgns_node(section, "ElementRange", "IndexRange_t", np.array([first, first + n - 1], "i4"), "I4")
    cgns_node(section, "ElementConnectivity", "DataArray_t", values.astype("i4"), "I4")
    if starts is not None:
        cgns_node(section, "ElementStartOffset", "DataArray_t", starts.astype("i4"), "I4")


def cgns(path, points, n_cells, *sections):
    with cgns_file(path, 3.4) as file:
        zone = cgns_node(cgns_base(file), "Zone", "Zone_t", np.array([[len(points)], [n_cells], [0]], "i4"), "I4")
        cgns_node(zone, "ZoneType", "ZoneType_t", text_of("Unstructured"), "C1")
        grid = cgns_node(zone, "GridCoordinates", "GridCoordinates_t")
        for i, axis in enumerate("XYZ"):
            cgns_node(grid, "Coordinate" + axis, "DataArray_t", np.ascontiguousarray(points[:, i]), "R8")
        for section in sections:
            cgns_section(zone, *section)
    return path


def cgns_tets(path, points, tets):
    return cgns(path, points, len(tets), ("tets", CGNS_TYPES[4], 1, len(tets), tets.ravel() + 1))


def cgns_mixed(path, points, tets):
    values = np.column_stack([np.full(len(tets), CGNS_TYPES[4]), tets + 1]).ravel()
    return cgns(path, points, len(tets), ("tets", 20, 1, len(tets), values, np.arange(0, len(values) + 1, 5)))


def starts_of(sizes):
    return np.concatenate([[0], np.cumsum(sizes)])


def cgns_polyhedra(path, mesh):
    faces, n_sides = mesh.sides()
    numbers = np.where(faces < 0, faces, faces + 1)  # -(f + 1) is ~f
    n = len(mesh.sizes)
    return cgns(path, mesh.points, mesh.n_cells, ("faces", 22, 1, n, mesh.nodes + 1, starts_of(mesh.sizes)),
                ("cells", 23, n + 1, mesh.n_cells, numbers, starts_of(n_sides)))  # fmt: skip


def cgns_adf(path, points, tets):
    """Written by libcgns, which alone knows this form; its sizes have 32 bits in Debian."""
    library = ctypes.CDLL("libcgns.so.3.4")
    ADF, WRITE, UNSTRUCTURED, DOUBLE, TETRA = 1, 1, 3, 4, 10
    ids = [ctypes.c_int() for _ in range(5)]
    name, place = str(path).encode(), [ctypes.byref(i) for i in ids]
    done = [library.cg_set_file_type(ADF), library.cg_open(name, WRITE, place[0]), library.cg_base_write(ids[0], b"Base", 3, 3, place[1])]
    sizes = (ctypes.c_int * 3)(len(points), len(tets), 0)
    done.append(library.cg_zone_write(ids[0], ids[1], b"Zone", sizes, UNSTRUCTURED, place[2]))
    for i, axis in enumerate("XYZ"):
        values = np.ascontiguousarray(points[:, i])
        done.append(library.cg_coord_write(ids[0], ids[1], ids[2], DOUBLE, f"Coordinate{axis}".encode(), values.ctypes.data_as(ctypes.c_void_p), place[3]))
    values = (tets + 1).astype("i4")
    done.append(library.cg_section_write(ids[0], ids[1], ids[2], b"tets", TETRA, 1, len(tets), 0, values.ctypes.data_as(ctypes.c_void_p), place[4]))
    assert not any(done + [library.cg_close(ids[0])]), done
    return path


def foam_header(kind, name, binary):
    form = 'format binary;\n    arch "LSB;label=32;scalar=64"' if binary else "format ascii"
    return f"FoamFile\n{{\n    version 2.0;\n    {form};\n    class {kind};\n    object {name};\n}}\n\n".encode()


def openfoam(folder, mesh, binary):
    folder.mkdir()
    lists = {"points": mesh.points, "owner": mesh.owner, "neighbour": mesh.neighbour}
    for name, values in lists.items():
        with open(folder / name, "wb") as file:
            file.write(foam_header("vectorField" if name == "points" else "labelList", name, binary) + b"%d\n(" % len(values))
            if binary:
                file.write(values.astype("<f8" if name == "points" else "<i4").tobytes())
            else:
                np.savetxt(file, values, fmt="(%.17g %.17g %.17g)" if name == "points" else "%d", header="", comments="")
            file.write(b")\n")
    with open(folder / "faces", "wb") as file:
        file.write(foam_header("faceCompactList" if binary else "faceList", "faces", binary))
        if binary:
            for values in (starts_of(mesh.sizes), mesh.nodes):
                file.write(b"%d\n(" % len(values) + values.astype("<i4").tobytes() + b")\n")
        else:
            file.write(b"%d\n(\n" % len(mesh.sizes))
            for nodes in mesh.rings:
                np.savetxt(file, nodes, fmt=f"{nodes.shape[1]}({' '.join(['%d'] * nodes.shape[1])})")
            file.write(b")\n")
    n_outer = len(mesh.owner) - len(mesh.neighbour)
    patch = f"1\n(\nwall\n{{\n    type patch;\n    nFaces {n_outer};\n    startFace {len(mesh.neighbour)};\n}}\n)\n"
    (folder / "boundary").write_bytes(foam_header("polyBoundaryMesh", "boundary", False) + patch.encode())
    return folder


def lab(tess, folder, mesh):
    """As `tess partition` keeps it: with the faces that it has derived."""
    subprocess.run([tess, "partition", mesh, "--map", "cells:nodes", "-p", "file-order", "--lab", folder, "--no-view", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return next((folder / "meshes").iterdir())
