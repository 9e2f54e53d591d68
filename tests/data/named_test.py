"""What a file names is in the mesh, or a warning names it: small files of every reader, each with a thing of a rare name."""

import re

import numpy as np
import pytest
from conftest import ROOT
from exodus_cgns_test import hexagons
from faults_test import FAULTS, PERIODIC
from mesh_files import Reading, fesom, op2_text, tetgen
from netcdf_files import cgns_base, cgns_conditions, cgns_file, cgns_node, cgns_section, cgns_zone, exodus, mpas
from cgns_zones_test import polyhedra_cgns, sections_cgns
from inner_marks_test import made
from openfoam_test import baffle
from polyhedra_files import decompose, header, hexes, patches, poly_mesh, split_hexes, zones
from scipy.io import netcdf_file

NODES = ((0, 0), (1, 0), (1, 1), (0, 1))
SIDE, STRAY = (0, 1), (0, 2)  # of the square: an edge, and its diagonal


def su2(folder, side=SIDE, more="", tag="zebra"):
    rows = "\n".join(f"{x} {y}" for x, y in NODES)
    text = f"NDIME= 2\nNELEM= 1\n9 0 1 2 3\nNPOIN= 4\n{rows}\nNMARK= 1\nMARKER_TAG= {tag}\nMARKER_ELEMS= 1\n3 {side[0]} {side[1]}\n{more}"
    return write(folder / "mesh.su2", text)


def gmsh(folder, side=SIDE, dimension=1, groups=(11, 12), version="2.2"):
    """A square with a side, of the groups 11 and 12, both named, of dimensions `dimension` and 2."""
    names = f'$PhysicalNames\n2\n{dimension} 11 "zebra"\n2 12 "okapi"\n$EndPhysicalNames\n'
    if version == "2.2":
        nodes = "\n".join(f"{i + 1} {x} {y} 0" for i, (x, y) in enumerate(NODES))
        elements = f"2\n1 1 2 {groups[0]} 1 {side[0] + 1} {side[1] + 1}\n2 3 2 {groups[1]} 1 1 2 3 4"
        body = f"$Nodes\n4\n{nodes}\n$EndNodes\n$Elements\n{elements}\n$EndElements\n"
    else:
        entities = f"$Entities\n0 1 1 0\n1 0 0 0 1 1 0 1 {groups[0]} 0\n1 0 0 0 1 1 0 1 {groups[1]} 0\n$EndEntities\n"
        nodes = "1\n2\n3\n4\n" + "\n".join(f"{x} {y} 0" for x, y in NODES)
        elements = f"2 2 1 2\n1 1 1 1\n1 {side[0] + 1} {side[1] + 1}\n2 1 3 1\n2 1 2 3 4"
        body = f"{entities}$Nodes\n1 4 1 4\n2 1 0 4\n{nodes}\n$EndNodes\n$Elements\n{elements}\n$EndElements\n"
    return write(folder / "mesh.msh", f"$MeshFormat\n{version} 0 8\n$EndMeshFormat\n{names}{body}")


def gmsh_corner(folder):
    """A group of points."""
    text = gmsh(folder, dimension=0).read_text()
    return write(folder / "mesh.msh", text.replace("$Elements\n2\n1 1 2 11 1 1 2", "$Elements\n2\n1 15 2 11 1 1"))


def medit(folder, side=SIDE):
    rows = "\n".join(f"{x} {y} 0" for x, y in NODES)
    return write(folder / "mesh.mesh", f"MeshVersionFormatted 2\nDimension 2\nVertices\n4\n{rows}\nEdges\n1\n{side[0] + 1} {side[1] + 1} 4711\n"
                                       "Quadrilaterals\n1\n1 2 3 4 815\nEnd\n")


def mfem(folder, side=SIDE):
    rows = "\n".join(f"{x} {y}" for x, y in NODES)
    return write(folder / "mesh.mesh", f"MFEM mesh v1.0\n\ndimension\n2\n\nelements\n1\n815 3 0 1 2 3\n\nboundary\n1\n4711 1 {side[0]} {side[1]}\n\n"
                                       f"vertices\n4\n2\n{rows}\n")


def vtk(folder, side=SIDE):
    rows = "\n".join(f"{x} {y} 0" for x, y in NODES)
    return write(folder / "mesh.vtk", f"# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n{rows}\nCELLS 2 8\n4 0 1 2 3\n"
                                      f"2 {side[0]} {side[1]}\nCELL_TYPES 2\n9\n3\nCELL_DATA 2\nSCALARS marker int 1\nLOOKUP_TABLE default\n815\n4711\n")


def vtu(folder, side=SIDE, ghost=0):
    rows = " ".join(f"{x} {y} 0" for x, y in NODES)
    array = lambda name, kind, values, more="": f'<DataArray type="{kind}" Name="{name}" format="ascii" {more}>{values}</DataArray>'
    return write(folder / "mesh.vtu", f"""<VTKFile type="UnstructuredGrid" byte_order="LittleEndian"><UnstructuredGrid><Piece NumberOfPoints="4"
NumberOfCells="2"><Points>{array("Points", "Float64", rows, 'NumberOfComponents="3"')}</Points><Cells>
{array("connectivity", "Int32", f"0 1 2 3 {side[0]} {side[1]}")}{array("offsets", "Int32", "4 6")}{array("types", "UInt8", "9 3")}</Cells><CellData>
{array("marker", "Int32", "815 4711")}{array("vtkGhostType", "UInt8", f"0 {ghost}")}</CellData></Piece></UnstructuredGrid></VTKFile>""")


def write(path, text):
    path.write_text(text)
    return path


def converted(name):
    """The cube with the groups fluid, 7, and wall, 3, written by `tess mesh convert`."""
    def make(folder, tess):
        tess("mesh", "convert", FAULTS / "gmsh/volume_group.msh", folder / name)
        return folder / name

    return make


def stored(folder, tess):
    tess("partition", FAULTS / "gmsh/volume_group.msh", "--map", "faces:cells", "-p", "file-order", "--lab", folder / "lab", "--no-view")
    return next((folder / "lab/meshes").glob("*.hdf"))


def exodus_numbers(folder):
    def change(variables, dimensions, attributes):
        variables["ss_prop1"][1][1] = 4711
        variables["eb_prop1"] = (("num_el_blk",), np.array([815, 2, 3, 4], "i4"))
        dimensions.update(num_node_sets=1, num_nod_ns1=3)
        variables["node_ns1"] = (("num_nod_ns1",), np.array([1, 2, 3], "i4"))

    exodus(folder / "mesh.exo", change)
    return folder / "mesh.exo"


def cgns(folder):
    """A tetrahedron in a section, with a condition of three nodes and one of nodes that bound nothing, beside another base."""
    with cgns_file(folder / "mesh.cgns", 3.4) as file:
        zone = cgns_zone(cgns_base(file), "Zone", [[4], [1], [0]], [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
        cgns_section(zone, "okapi", 10, 1, [[1, 2, 3, 4]])
        cgns_node(file["Base"], "herd", "Family_t")
        cgns_conditions(zone, {"zebra": ("PointList", [[1], [2], [3]], "Vertex"), "gnu": ("PointList", [[1], [2]], "Vertex")})
    return folder / "mesh.cgns"


def two_zones(folder):
    """A tetrahedron each, whose sides have the same names."""
    with cgns_file(folder / "mesh.cgns", 3.4) as file:
        base = cgns_base(file)
        for number in (0, 1):
            zone = cgns_zone(base, f"Zone {number}", [[4], [1], [0]], [(number, 0, 0), (number + 1, 0, 0), (number, 1, 0), (number, 0, 1)])
            cgns_section(zone, "okapi", 10, 1, [[1, 2, 3, 4]])
            cgns_section(zone, "gnu", 5, 2, [[1, 2, 3], [1, 2, 4]])
            cgns_conditions(zone, {"zebra": ("PointList", [[3]], "FaceCenter")})
    return folder / "mesh.cgns"


def openfoam(folder):
    poly_mesh(folder, *split_hexes(), names=("zebra", "rest"))
    zone = lambda name, cells: f"{name}\n{{\n    type cellZone;\n    cellLabels List<label> {len(cells)}({' '.join(map(str, cells))});\n}}\n"
    (folder / "cellZones").write_bytes(header("regIOobject", "cellZones", "ascii", "LSB;label=32;scalar=64")
                                       + f"2\n(\n{zone('okapi', [0])}{zone('gnu', [0])})\n".encode())
    return folder / "points"


def cyclic(folder):
    poly_mesh(folder, *split_hexes())
    (folder / "boundary").write_bytes(patches([("zebra", "cyclic", 3, 2, "neighbourPatch okapi;"), ("okapi", "cyclicAMI", 7, 5, "")]))
    return folder / "points"


def openfoam_parts(folder):
    case = decompose(folder / "case", *hexes(2), [0, 0, 0, 1, 1, 1, 1, 1])
    zones(case / "processor0/constant/polyMesh", cellZones={"okapi": [0]}, faceZones={"herd": [1, 2]})
    zones(case / "processor1/constant/polyMesh", cellZones={"okapi": [4], "gnu": [0, 1, 2, 3]}, faceZones={"herd": [0]})
    return case


LOST_POLYGONS = [r"cell and were left out: 'marker 8' \(1\)", r"twice and became one: 'marker 6' \(2\)", r"alone counts: 'marker 7' \(1\)"]


def tetgen_files(folder, **options):
    for ending, content in tetgen(**options).items():
        (folder / f"mesh{ending}").write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / "mesh.ele"


def fesom_files(folder):
    for name, content in fesom().items():
        (folder / name).write_bytes(content)
    return folder / "nod2d.out"


def periodic_polygons(folder):
    """Two hexagons, of which the side between them has its nodes at both ends."""
    def change(variables, dimensions, attributes):
        hexagons(variables, dimensions, attributes)
        variables["xVertex"][1][2] = 9

    mpas(folder / "mesh.nc", change)
    with netcdf_file(folder / "mesh.nc", "a") as file:
        file.is_periodic = b"YES"
    return folder / "mesh.nc"


# By reader: what is written, and words of which each must be in what is said of the mesh.
SAYS = {
    "su2": [
        (su2, [r"^marker 0 zebra$"]),
        (lambda folder: su2(folder, tag="far zebra"), [r"^marker 0 far zebra$"]),
        (lambda folder: su2(folder, side=STRAY), [r"^marker 0 zebra$", r"^warning: 1 marked edges are sides of no cell and were left out: 'zebra' \(1\)"]),
        (lambda folder: su2(folder, more="MARKER_TAG= zebra\nMARKER_ELEMS= 1\n3 1 2\n"), [r"^warning: .*became one with it: 'zebra'", r"NMARK= 1, but 2 markers"]),
        (lambda folder: su2(folder, more="MARKER_TAG= again\nMARKER_ELEMS= 2\n3 1 2\n3 2 1\n"), [r"1 marked edges have their marker twice and became one: 'again' \(1\)"]),
        (lambda folder: su2(folder, more="MARKER_TAG= dot\nMARKER_ELEMS= 2\n1 2\n1 3\n"), [r"2 points are neither cells nor sides and were left out: 'dot' \(2\)"]),
        (lambda folder: su2(folder, more="NPERIODIC= 3\n"), [r"^warning: 2 periodic transformations"]),
        (lambda folder: su2(folder, more="MARKER_TAG= SEND_RECEIVE\nMARKER_ELEMS= 1\nSEND_RECV= 1\n1 0 0\n"), [r"^warning: 1 vertices that parts"]),
    ],
    "gmsh": [(lambda folder, v=version, s=side: gmsh(folder, s, version=v), words)
             for version in ("2.2", "4.1")
             for side, words in ((SIDE, [r"^marker 0 zebra$", r"^region 12 1 okapi$"]),
                                 (STRAY, [r"1 marked edges are sides of no cell and were left out: 'zebra' \(1\)"]))]
    + [
        (gmsh_corner, [r"1 element with a group is neither cell nor side and was left out: 'zebra' \(1\)"]),
        (lambda folder: gmsh(folder, groups=(5, 12)), [r"1 physical groups are named, but no element has them: 'zebra'", r"^marker 0 physical 5$"]),
        (lambda folder: write(folder / "mesh.msh", PERIODIC), [r"1 periodic or joined sides with 2 pairs of nodes stay apart"]),
    ],
    "op2": [(lambda folder: write(folder / "new_grid.dat", op2_text()), [r"^dat bound bedges$", r"^set bedges 16$"])],
    "fesom": [(fesom_files, [r"^dat coast nodes$"])],
    "gr3": [(lambda folder: FAULTS / "oc/weir.14", [r"^set marked_edges 8$", r"^marker 0 land$"])],
    "meshb": [(converted("mesh.meshb"), [r"^marker 0 reference 3$", r"^region 7 1140 region 7$"])],
    "ugrid": [(converted("mesh.lb8.ugrid"), [r"^marker 0 surface 3$"])],
    "medit": [(medit, [r"^marker 0 reference 4711$", r"^region 815 1 region 815$"]),
              (lambda folder: medit(folder, STRAY), [r"left out: 'reference 4711' \(1\)"])],
    "mfem": [(mfem, [r"^marker 0 attribute 4711$", r"^region 815 1 attribute 815$"]),
             (lambda folder: mfem(folder, STRAY), [r"left out: 'attribute 4711' \(1\)"])],
    "tetgen": [(tetgen_files, [r"^marker 0 marker -2$", r"^marker 1 marker 7$", r"^dat region cells$"]),
               (lambda folder: tetgen_files(folder, regions=(815, -2)), [r"^region 815 1 region 815$", r"^region -2 1 region -2$", r"^marker 1 marker 7$"])],
    "vtu": [(vtu, [r"^marker 0 marker 4711$", r"^region 815 1 region 815$"]), (lambda folder: vtu(folder, STRAY), [r"left out: 'marker 4711' \(1\)"]),
            (lambda folder: vtu(folder, ghost=1), [r"^warning: 1 ghost, a copy"]),
            (lambda folder: made(folder, "polygons")[0], [*LOST_POLYGONS, r"^dat marker edges$"]),
            (lambda folder: made(folder, "faces")[0], [*LOST_POLYGONS, r"^dat marker faces$"]), (converted("mesh.vtu"), [r"^marker 0 marker 3$", r"^region 7 1140 region 7$"])],
    "vtkhdf": [(converted("mesh.vtkhdf"), [r"^marker 0 wall$", r"^region 7 1140 fluid$"])],
    "vtk": [(vtk, [r"^marker 0 marker 4711$", r"^region 815 1 region 815$"]), (lambda folder: vtk(folder, STRAY), [r"left out: 'marker 4711' \(1\)"])],
    "exodus": [(exodus_numbers, [r"^marker \d side set 4711$", r"^region 815 1 block 815$", r"^warning: 1 node set was left out: .* \(3\)"])],
    "cgns": [(cgns, [r"^marker 0 zebra$", r"^region 0 1 okapi$", r"^warning: 1 boundary condition lists what are no sides of cells: 'gnu'",
                    r"^warning: 1 family is left out.*'herd'"]),
             (two_zones, [r"2 groups of sides have the name of another one and became one with it: 'zebra', 'gnu'"]),
             (lambda folder: FAULTS / "cgns/twobases.cgns", [r"^warning: of 2 bases 'Bnd' was read; 1 left out: 'Vol'"]),
             (lambda folder: polyhedra_cgns(folder / "mesh.cgns", *split_hexes(), conditions={"zebra": ("PointList", [[2]], "FaceCenter")}),
              [r"^marker 2 zebra$", r"^dat marker faces$", r"^region 0 2 bodies$"]),
             (lambda folder: sections_cgns(folder / "mesh.cgns", ["okapi", "gnu"]), [r"^region 0 1 okapi$", r"^region 0 1 gnu$", r"^marker \d rim$"]),
             (lambda folder: FAULTS / "cgns/conn.cgns", [r"^warning: 2 links between zones", r"^region 0 1 A/vol$"])],
    "mpas": [(lambda folder: FAULTS / "mis/periodic.nc", [r"^warning: MPAS's mesh is periodic: 14 cells"]),
             (lambda folder: mpas(folder / "mesh.nc"), [r"^warning: 1 of MPAS's vertices lie at the border"])],
    "mpas_polygons": [(periodic_polygons, [r"^warning: MPAS's mesh is periodic: 1 edges cross"])],
    "openfoam": [(openfoam, [r"^marker 0 zebra$", r"^region 1 1 okapi$", r"^warning: cells are in several zones .*'gnu' \(1\)"]),
                 (openfoam_parts, [r"^region 1 2 okapi$", r"^region 2 4 gnu$", r"^warning: 1 zones of faces or points .*'herd' \(3\)"]),
                 (lambda folder: poly_mesh(folder / "mesh", *hexes(2), names=("zebra", "zebra")), [r"^warning: two patches have the name 'zebra'"]),
                 (cyclic, [r"^warning: 2 cyclic patches stay apart.*'zebra' \(3\), 'okapi' \(7\)"]),
                 (lambda folder: baffle(folder / "mesh", ("zebra", "okapi")), [r"^warning: 2 faces .* of a baffle, .*'zebra' \(1\), 'okapi' \(1\)"])],
    "lab": [(stored, [r"^marker 0 wall$", r"^region 7 1140 fluid$"])],
}
CASES = [(reader, i) for reader, cases in SAYS.items() for i in range(len(cases))]


def test_every_reader_is_asked():
    readers = re.findall(r"^X\((\w+)\)", (ROOT / "data/formats/reader_list.h").read_text(), re.M)
    assert set(readers) == SAYS.keys()


@pytest.mark.parametrize("reader, i", CASES)
def test_what_is_named_is_said(tess, tmp_path, reader, i):
    make, words = SAYS[reader][i]
    path = make(tmp_path, tess) if make is stored or make.__qualname__.startswith("converted.") else make(tmp_path)
    said = Reading(path, reader="mpas_polygons" if reader == "mpas_polygons" else None).assert_accepted().stdout
    for word in words:
        assert re.search(word, said, re.M), (word, said)
