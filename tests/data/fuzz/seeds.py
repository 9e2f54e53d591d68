"""Small good files of each format: what fuzzing of its reader begins with."""

import pathlib
import tempfile

from polyhedra_files import MIXED, poly_mesh, split_hexes, zones
from exodus_cgns_test import hexagons
from hostile_test import EXCHANGE, GR3
from mesh_files import MIXED_NODES, chaste, fesom, gmsh2, gmsh4, medit, meshb, mixed_su2, op2_text, su2_text, tetgen, ugrid, ugrid_text
from mfem_test import CURVED, NAMED, mfem
from periodic_test import LEFT_NODES, RIGHT, cubes, sides_of_2_2, sides_of_4_1, strip as strip_of_su2, su2
from netcdf_files import cgns_base, cgns_conditions, cgns_file, cgns_section, cgns_zone, exodus, mpas
from vtk_files import Vtu, faces_of_vtk, pvtu, stream_of, vtk_cells
from vtk_legacy_test import SQUARES, WAYS, streams
from vtk_polyhedra_test import hdf_faces
from vtkhdf_reader_test import vtkhdf
from vtu_test import strip

BETWEEN = b"\n~~~\n"  # the files of an input

# The files of each format in the order of their parts in an input; the first is read.
FILES = {
    "su2": "mesh.su2",
    "gmsh": "mesh.msh",
    "op2": "new_grid.dat",
    "gr3": "hgrid.gr3",
    "meshb": "mesh.meshb",
    "ugrid": "mesh.lb8.ugrid",
    "ugrid_text": "mesh.ugrid",
    "ugrid_fortran": "mesh.lr4.ugrid",
    "medit": "mesh.mesh",
    "mfem": "mesh.mesh",
    "fesom": "nod2d.out elem2d.out",
    "tetgen": "mesh.ele mesh.node mesh.face",
    "vtu": "mesh.vtu",
    "pvtu": "mesh.pvtu a.vtu b.vtu",
    "vtkhdf": "mesh.vtkhdf",
    "vtk": "mesh.vtk",
    "exodus": "mesh.exo",
    "cgns": "mesh.cgns",
    "mpas": "mesh.nc",
    "mpas_polygons": "mesh.nc",
    "openfoam": "points faces owner neighbour boundary cellZones faceZones",
}


def together(*parts):
    return BETWEEN.join(parts)


def apart(content, reader, folder):
    """Writes the files of an input; the path of the first."""
    names = FILES[reader].split()
    for name, part in zip(names, content.split(BETWEEN, len(names) - 1)):
        (folder / name).write_bytes(part)
    return folder / names[0]


def written(write):
    """The bytes of the file that a function writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mesh"
        write(path)
        return path.read_bytes()


def polymesh(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        poly_mesh(pathlib.Path(folder), *arguments)
        zones(pathlib.Path(folder), cellZones={"left": [0], "both": [0, 1]}, faceZones={"gate": [0]})
        return together(*((pathlib.Path(folder) / name).read_bytes() for name in FILES["openfoam"].split()))


def zones_of_su2():
    return "NZONE= 2\nIZONE= 1\n" + su2_text(2) + "IZONE= 2\n" + su2_text(2)


TET = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
TET_FACES = [[1, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]]


def small_cgns(*sections, dimension=3, condition=False, version=3.4):
    """One tetrahedron or triangle: each node takes a kilobyte, and what is large is fuzzed little."""
    def write(path):
        nodes = [node[:dimension] for node in TET[: dimension + 1]]
        with cgns_file(path, version) as file:
            zone = cgns_zone(cgns_base(file, dimension, dimension), "Z", [[len(nodes)], [1], [0]], nodes)
            for section in sections:
                cgns_section(zone, *section)
            if condition:
                cgns_conditions(zone, {"c": ("PointList", [[1]], "FaceCenter")})

    return written(write)


VTU_WAYS = [{}, {"format": "binary", "compressed": True}, {"format": "appended", "encoding": "raw", "header": "UInt64"},
            {"format": "appended", "compressed": True, "order": ">"}]  # fmt: skip
SPLIT = split_hexes()
TETS = [tetgen(), tetgen(first=0), chaste()]

SEEDS = {
    "su2": lambda: [su2_text(2).encode(), zones_of_su2().encode(), EXCHANGE.encode(), mixed_su2().encode(),
                    written(lambda path: su2(path, 2, strip_of_su2, [(0, 0, 0), (0, 0, 0), (6, 0, 0)]))],
    "gmsh": lambda: [make(2, binary) for make in (gmsh2, gmsh4) for binary in (False, True)] + [gmsh4(2, True, ">", step=10**6), gmsh4(2, parts=True), gmsh4(2, True, parts=True),
                     gmsh2() + sides_of_2_2(), gmsh4() + sides_of_4_1("<", False), gmsh4(binary=True) + sides_of_4_1("<", True)],
    "op2": lambda: [op2_text(2).encode()],
    "gr3": lambda: [GR3.encode()],
    "meshb": lambda: [meshb(version) for version in (1, 2, 3, 4)],
    "ugrid": lambda: [ugrid()],
    "ugrid_text": lambda: [ugrid_text().encode()],
    "ugrid_fortran": lambda: [ugrid(real="f", fortran=True)],
    "medit": lambda: [medit().encode()],
    "mfem": lambda: [text.encode() for text in (mfem(), NAMED, CURVED)],
    "fesom": lambda: [together(fesom(2)["nod2d.out"], fesom(2)["elem2d.out"])],
    "tetgen": lambda: [together(files[".ele"], files[".node"], files.get(".face", b"0 1\n")) for files in TETS],
    "vtu": lambda: [Vtu(**way).file() for way in VTU_WAYS] + [Vtu().file(Vtu().piece(*strip(0, 2)), Vtu().piece(*strip(2, 2)))]
    + [Vtu(**way).file(Vtu(**way).piece(SPLIT[0], vtk_cells(SPLIT[1]), faces=form(SPLIT[1]))) for way in VTU_WAYS[:2] for form in (stream_of, faces_of_vtk)],
    "pvtu": lambda: [together(pvtu("a.vtu", "b.vtu"), *(Vtu().file(Vtu().piece(*strip(2 * i, 2))) for i in (0, 1)))],
    "vtkhdf": lambda: [written(vtkhdf), written(lambda path: vtkhdf(path, strip(0, 2), strip(2, 2))),
                       written(lambda path: vtkhdf(path, (SPLIT[0], vtk_cells(SPLIT[1])), change=hdf_faces(SPLIT[1])))],
    "vtk": lambda: [way.grid() for way in WAYS] + [way.grid(SPLIT[0], streams(SPLIT[1])) for way in WAYS]
    + [way.polydata(SQUARES, LINES=[((0, 1), 5)], POLYGONS=[((0, 1, 5, 4), 0)], TRIANGLE_STRIPS=[((1, 5, 2, 6, 3), 0)]) for way in WAYS[1:]],
    "exodus": lambda: [written(exodus)],
    "cgns": lambda: [small_cgns(("T", 5, 1, [[1, 2, 3]]), dimension=2), small_cgns(("M", 20, 1, [[10, 1, 2, 3, 4]], True)),
                     small_cgns(("F", 22, 1, TET_FACES, True), ("C", 23, 5, [[1, 2, 3, 4]], True)),
                     small_cgns(("F", 22, 1, [[3, *face] for face in TET_FACES]), ("C", 23, 5, [[4, 1, 2, 3, 4]]), version=3.3),
                     small_cgns(("T", 10, 1, [[1, 2, 3, 4]]), ("S", 5, 2, [[1, 3, 2]]), condition=True),
                     written(lambda path: cubes(path, ("A", "A", RIGHT, LEFT_NODES, {}), names="A"))],
    "mpas": lambda: [written(mpas)],
    "mpas_polygons": lambda: [written(lambda path: mpas(path, hexagons))],
    "openfoam": lambda: [polymesh(MIXED_NODES, MIXED), polymesh(MIXED_NODES, MIXED, (8, 8)), polymesh(*split_hexes())],
}

# Words that a mutation may put in, beside what the comparisons of the reader show libFuzzer.
NUMBERS = ["-1", "0", "1", "2147483647", "2147483648", "4294967296", "9223372036854775807", "99999999999999999999", "1e999",
           "nan", "1D0", "-0"]  # fmt: skip
WORDS = {
    "su2": "NDIME= NELEM= NPOIN= NMARK= MARKER_TAG= MARKER_ELEMS= NZONE= IZONE= SEND_RECEIVE SEND_TO= FFD_NBOX= NPERIODIC= PERIODIC_INDEX= NCHUNK=",
    "gmsh": "$MeshFormat $EndMeshFormat $PhysicalNames $EndPhysicalNames $Entities $EndEntities $Nodes $EndNodes $Elements "
    "$EndElements $Periodic $PartitionedEntities $Comments 2.2 4.1",
    "medit": "MeshVersionFormatted Dimension Vertices Triangles Quadrilaterals Tetrahedra Pyramids Prisms Hexahedra Edges Corners "
    "Ridges RequiredVertices Normals End #",
    "vtu": "<Piece <DataArray </DataArray> <Points> <Cells> NumberOfPoints= NumberOfCells= type= Name= format= offset= encoding= "
    "ascii binary appended base64 raw UInt8 Int32 UInt64 Float32 Float64 connectivity offsets types vtkGhostType marker "
    "faces faceoffsets face_connectivity face_offsets polyhedron_to_faces polyhedron_offsets "
    "header_type= compressor= vtkZLibDataCompressor BigEndian NumberOfComponents= <!DOCTYPE <!ENTITY &amp; <AppendedData _",
    "mfem": "MFEM mesh v1.0 v1.3 dimension elements boundary vertices attribute_sets bdr_attribute_sets nodes FiniteElementSpace "
    "FiniteElementCollection: H1_2D_P2 VDim: Ordering: mfem_mesh_end mfem_serial_mesh_end",
    "vtk": "DATASET UNSTRUCTURED_GRID POLYDATA POINTS CELLS CELL_TYPES OFFSETS CONNECTIVITY vtktypeint64 VERTICES LINES POLYGONS "
    "TRIANGLE_STRIPS CELL_DATA POINT_DATA SCALARS LOOKUP_TABLE FIELD METADATA VECTORS TENSORS COLOR_SCALARS marker vtkGhostType int "
    "double float bit string unsigned_char ASCII BINARY",
    "openfoam": "FoamFile format binary ascii arch label=64 scalar=32 nFaces startFace type ( ) { } ; /* */ // nCells:",
    "tetgen": "# BIN",
}  # fmt: skip
WORDS["pvtu"] = WORDS["vtu"] + " <PUnstructuredGrid Source= GhostLevel= a.vtu b.vtu mesh.pvtu"


def dictionary(reader):
    """In libFuzzer's format."""
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in NUMBERS + WORDS.get(reader, "").split() + [BETWEEN.decode().strip()])
    return "".join(f'"{word}"\n' for word in escaped)
