"""OpenFOAM's polyMesh: the cells that its faces close, polyhedra, and files that are wrong."""

import json
import re
import subprocess

import numpy as np
import pytest
from polyhedra_files import MIXED, SIDES, decompose, faces_of, header, hexes, patches, poly_mesh, split_hexes, zones
from mesh_files import MIXED_NODES, Reading, changed

SU2_TYPES = {4: 10, 5: 14, 6: 13, 8: 12}


def cells_of(tess, mesh, into):
    """The cells as tess writes them to SU2: type and nodes."""
    subprocess.run([tess, "mesh", "convert", mesh, into], check=True, capture_output=True)
    lines = into.read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("NELEM="))
    return [tuple(map(int, line.split())) for line in lines[at + 1: at + 1 + int(lines[at].split("=")[1])]]


def volume(points, nodes):
    """By the divergence theorem over the sides of VTK's order: positive where they are seen from outside."""
    sum_, middle = 0.0, np.mean([points[node] for node in nodes], axis=0)
    for side in SIDES[len(nodes)]:
        corners = [np.subtract(points[nodes[i]], middle) for i in side]
        sum_ += sum(np.dot(corners[0], np.cross(corners[i], corners[i + 1])) for i in range(1, len(side) - 1)) / 6
    return sum_


@pytest.mark.parametrize("binary", [None, (4, 8), (8, 8), (4, 4)])
def test_all_types_of_cells_are_found_again(tess_bin, tmp_path, binary):
    folder = poly_mesh(tmp_path / "case/constant/polyMesh", MIXED_NODES, MIXED, binary)
    got = cells_of(tess_bin, folder, tmp_path / "mesh.su2")
    assert [cell[0] for cell in got] == [SU2_TYPES[len(cell)] for cell in MIXED]
    for row, cell in zip(got, MIXED):
        nodes = row[1: 1 + len(cell)]
        assert set(nodes) == set(cell)
        assert volume(MIXED_NODES, nodes) == pytest.approx(abs(volume(MIXED_NODES, cell))) and volume(MIXED_NODES, nodes) > 0
    digests = {Reading(path).assert_accepted().digest for path in (folder, folder / "owner", tmp_path / "case")}
    assert len(digests) == 1  # the folder, any of its files, the case
    reading = Reading(folder)
    assert reading.markers == ["wall", "outlet.far"] and not reading.warnings
    faces, _, neighbour = faces_of(MIXED)
    assert sum(reading.sets[f"marked_{kind}"] for kind in ("tris", "quads")) == len(faces) - len(neighbour)


def test_a_grid_of_hexes_is_that_of_the_generator(tess_bin, tmp_path):
    points, cells = hexes(4)
    folder = poly_mesh(tmp_path / "hexes", points, cells)
    said = [json.loads(subprocess.run([tess_bin, "partition", mesh, "--map", "cells:nodes", "-b", "16", "-p", "file-order,rcb", "--no-lab",
                                       "--no-view", "--json"], check=True, capture_output=True, text=True).stdout)["runs"]
            for mesh in (folder, "hexes:nx=4:ny=4:nz=4:lx=4:ly=4:lz=4")]
    assert [run["reuse_factor"] for run in said[0]] == [run["reuse_factor"] for run in said[1]]


def test_polyhedra_have_faces_alone(tess_bin, tmp_path):
    points, cells = split_hexes()
    points += [(x + 2, y, z) for x, y, z in points]  # and a hex beside them: node 12 and on
    folder = poly_mesh(tmp_path / "split", points, [*cells, (14, 13, 16, 17, 20, 19, 22, 23)])
    reading = Reading(folder).assert_accepted()
    assert reading.sets == {"nodes": 24, "cells": 3, "faces": 2, "bfaces": 16}
    assert re.findall(r"^map (.*)$", reading.stdout, re.M) == ["faces:cells 2", "bfaces:cells 1", "faces:nodes 3", "bfaces:nodes 4"]
    assert reading.warnings == ["2 of the 3 cells are polyhedra beside tets, pyramids, prisms and hexes (the first is number 0): "
                                "there is faces:cells, but no cells:nodes"]
    cut = [tess_bin, "partition", folder, "-b", "1", "--no-lab", "--no-view", "--json"]
    done = subprocess.run([*cut, "-p", "metis,mosaic,file-order", "--map", "faces:cells"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [run["reuse_factor"] for run in json.loads(done.stdout)["runs"]] == [1.0] * 3  # both faces have the same two cells
    refused = subprocess.run([*cut, "-p", "metis", "--map", "cells:nodes"], capture_output=True, text=True)
    assert refused.returncode == 2 and "faces:cells" in refused.stderr


REFUSED = {
    "no header": ("faces", b"FoamFile", b"Foam", "does not begin like a file of the format openfoam"),
    "header without end": ("points", b"}\n", b"\n", "behind an entry of FoamFile"),
    "cut": ("points", b")\n)\n", b"", "the file ends where '\\)' should be"),
    "fewer points than announced": ("points", b"\n)\n", b"\n", "the file ends where"),
    "huge count": ("points", b"\n\n12\n", b"\n\n2000000000\n", "more than the file can hold"),
    "no number": ("points", b"(0", b"(O", "'O.*' is not a finite number"),
    "nan": ("points", b"(0", b"(nan ", "not a finite number"),
    "point out of range": ("faces", b"(0 ", b"(77 ", r"77 is not in 0\.\.11"),
    "face of two": ("faces", b"4(", b"2(", r"number of points of a face 2 is not in 3"),
    "owner negative": ("owner", b"\n0\n", b"\n-1\n", "-1 is not in 0"),
    "more cells than faces": ("owner", b"\n0\n", b"\n900000000\n", "is not in 0"),
    "owners missing": ("owner", b"0\n", b"", "ends where|stands where|is not a whole"),
    "neighbour is the owner": ("neighbour", b"(\n", b"(\n0\n", "there are|stands where"),
    "patch without faces": ("boundary", b"nFaces", b"faces", "patch wall has no nFaces"),
    "patch between cells": ("boundary", b"startFace", b"startFace 0; x", "those at the boundary are"),
    "patches without end": ("boundary", b"}\n)", b"", "ends within the patch"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path, case):
    name, old, new, words = REFUSED[case]
    folder = poly_mesh(tmp_path / "mesh", MIXED_NODES, MIXED)
    path = folder / name
    path.write_bytes(changed(path.read_bytes(), old, new))
    Reading(path).assert_refused(path, words)


def test_a_cell_on_both_sides_is_refused(tmp_path):
    folder = poly_mesh(tmp_path / "mesh", *hexes(2))
    path = folder / "neighbour"
    body = path.read_bytes()
    owner = int(re.search(rb"\(\n(\d+)", (folder / "owner").read_bytes()).group(1))
    path.write_bytes(re.sub(rb"\(\n\d+\n", b"(\n%d\n" % owner, body, count=1))
    Reading(path).assert_refused(path, "has the cell 0 on both sides")


def test_a_missing_file_is_named(tmp_path):
    folder = poly_mesh(tmp_path / "mesh", *hexes(1), halves=False)
    (folder / "owner").unlink()
    reading = Reading(folder)
    assert reading.code == 3 and "owner" in reading.messages[0]


def test_labels_that_are_all_the_same(tmp_path):
    folder = poly_mesh(tmp_path / "mesh", *hexes(1), halves=False)
    (folder / "owner").write_bytes(re.sub(rb"6\n\(.*\)\n", b"6{0}\n", (folder / "owner").read_bytes(), flags=re.S))
    assert Reading(folder).assert_accepted().sets == {"nodes": 8, "cells": 1, "marked_quads": 6}
    (folder / "owner").write_bytes(changed((folder / "owner").read_bytes(), b"6{0}", b"2000000000{0}"))
    Reading(folder).assert_refused(folder / "owner", "not 6")


def test_applications_run_on_polyhedra_or_say_why_not(tess, tmp_path):
    mesh = poly_mesh(tmp_path / "polyMesh", *split_hexes())
    run = lambda name, code: tess("run", name, "--mesh", mesh, "--device", "emulator", "--no-lab", "--no-view", code=code)
    assert "passed" in run("miniaero", 0).stdout
    assert "has no map 'hexes:nodes'" in run("lulesh", 2).stderr


@pytest.mark.parametrize("named", ["case", "case/", "case/constant/polyMesh", "case/wing.foam", "case/constant/polyMesh/faces"])
def test_a_mesh_has_the_name_that_it_was_called_by(tess, tmp_path, named):
    poly_mesh(tmp_path / "case/constant/polyMesh", *split_hexes())
    (tmp_path / "case/wing.foam").touch()
    said = tess("mesh", "info", named, "--brief", cwd=tmp_path).stdout
    assert said.startswith(f"{named.rstrip('/')}: 3D, ")


# --- regions, processors, case.foam ---------------------------------------------------------------


def marked_counts(tess, mesh):
    return {row["name"]: row["elements"] for row in json.loads(tess("mesh", "info", mesh, "--json").stdout)["markers"]}


def test_a_region_is_read(tmp_path):
    points, cells = hexes(2)
    whole = Reading(poly_mesh(tmp_path / "plain", points, cells)).assert_accepted()
    case = tmp_path / "case"
    poly_mesh(case / "constant/fluid/polyMesh", points, cells)
    (case / "case.foam").touch()
    for path in (case, case / "constant/fluid", case / "constant/fluid/polyMesh", case / "case.foam"):
        assert Reading(path).assert_accepted().digest == whole.digest
    poly_mesh(case / "constant/solid/polyMesh", points[:], cells)
    reading = Reading(case)
    assert reading.code == 3 and re.search("has several meshes, in the folders (fluid, solid|solid, fluid): name one", reading.messages[0])
    assert Reading(case / "constant/solid").assert_accepted().digest == whole.digest
    reading = Reading(case / "case.foam")
    assert reading.code == 3 and "several meshes" in reading.messages[0]


@pytest.mark.parametrize("parts, where", [(1, "constant/polyMesh"), (2, "constant/polyMesh"), (5, "constant/polyMesh"), (2, "constant/fluid/polyMesh")])
def test_processors_are_read_together(tess, tmp_path, parts, where):
    points, cells = hexes(3)
    whole = poly_mesh(tmp_path / "whole", points, cells)
    part_of = [(7 * i + i // 9) % parts for i in range(len(cells))]
    case = decompose(tmp_path / "case", points, cells, part_of, where=where)
    reading, expected = Reading(case).assert_accepted(), Reading(whole).assert_accepted()
    assert reading.sets == expected.sets and reading.markers == expected.markers and not reading.warnings
    tess("mesh", "compare", case, whole)
    assert marked_counts(tess, case) == marked_counts(tess, whole) == {"wall": 27, "outlet.far": 27}
    last = case / f"processor{parts - 1}"
    assert Reading(last / where / "owner").assert_accepted().digest == Reading(case / "processor0" / where).assert_accepted().digest == reading.digest


def test_processors_of_all_types_of_cells_and_polyhedra(tess, tmp_path):
    points, cells = split_hexes()
    for name, nodes, body in (("mixed", MIXED_NODES, MIXED), ("polyhedra", points, cells)):
        whole = poly_mesh(tmp_path / name / "whole", nodes, body)
        case = decompose(tmp_path / name / "case", nodes, body, [i % 2 for i in range(len(body))])
        reading, expected = Reading(case).assert_accepted(), Reading(whole).assert_accepted()
        assert reading.sets == expected.sets and reading.markers == expected.markers


def test_processors_that_do_not_fit(tmp_path):
    points, cells = hexes(2)
    part_of = [0, 0, 0, 0, 1, 1, 1, 1]
    case = decompose(tmp_path / "moved", points, cells, part_of)
    file = case / "processor1/constant/polyMesh/points"
    file.write_bytes(changed(file.read_bytes(), b"(1 1 1)", b"(1 1 1.5)"))
    reading = Reading(case)
    assert reading.code == 3 and re.search("face 0 of those between the processors 0 and 1 is not at the same place", reading.messages[0])
    case = decompose(tmp_path / "fewer", points, cells, part_of)
    file = case / "processor1/constant/polyMesh/boundary"
    file.write_bytes(changed(file.read_bytes(), b"type processor;\n        nFaces 4", b"type processor;\n        nFaces 3"))
    reading = Reading(case)
    assert reading.code == 3 and "processor 0 has 4 faces towards processor 1, which has 3 towards it" in reading.messages[0]
    case = decompose(tmp_path / "periodic", points, cells, part_of, kind="processorCyclic")
    assert Reading(case).assert_accepted().markers == ["wall", "outlet.far", "procBoundary0to1", "procBoundary1to0"]
    case = decompose(tmp_path / "missing", points, cells, part_of)
    (case / "processor1").rename(case / "other")
    reading = Reading(case).assert_accepted()
    assert reading.markers == ["wall", "outlet.far", "procBoundary0to1"] and reading.sets["cells"] == 4
    assert reading.warnings == ["4 faces lie between processors of which one has no folder: they stay at the boundary"]
    (case / "processor0").rename(case / "processor3")
    assert Reading(case / "processor3").assert_accepted().markers == reading.markers


def test_a_case_that_is_decomposed_and_whole_says_so(tmp_path):
    points, cells = hexes(2)
    case = decompose(tmp_path / "case", points, cells, [0] * 4 + [1] * 4)
    poly_mesh(case / "constant/polyMesh", *hexes(3))
    reading = Reading(case).assert_accepted()
    assert reading.sets["cells"] == 27 and "CASE/processor0" in reading.warnings[0]
    assert Reading(case / "processor0").assert_accepted().sets["cells"] == 8


# --- zones, names, baffles ------------------------------------------------------------------------


def report(tess, mesh):
    info = json.loads(tess("mesh", "info", mesh, "--brief", "--json").stdout)
    return {row["name"]: row["cells"] for row in info["regions"]}, {row["name"]: row["elements"] for row in info["markers"]}, info["warnings"]


@pytest.mark.parametrize("binary", [False, True])
def test_zones_of_processors(tess, tmp_path, binary):
    """Zones of the cells of each processor are those of the whole; a zone that a processor lacks has no cells there."""
    points, cells = hexes(2)
    case = decompose(tmp_path / "case", points, cells, [0, 1, 0, 1, 2, 2, 2, 0])
    folder = lambda part: case / f"processor{part}/constant/polyMesh"
    zones(folder(0), binary, cellZones={"rotor": [2], "stator": [0, 1]}, faceZones={"gate": [0, 1]}, pointZones={"tip": [3]})
    zones(folder(1), binary, cellZones={"rotor": [], "stator": [1]}, faceZones={"gate": [0]}, pointZones={"tip": []})
    zones(folder(2), binary, cellZones={"stator": [0], "rotor": [2, 0]})
    regions, _, warnings = report(tess, case)
    assert regions == {"rotor": 2, "stator": 4}
    assert warnings == ["2 zones of faces or points (faceZones, pointZones) are left out: 'gate' (3), 'tip' (1)",
                        "cells are in several zones and have the first as region; of 1 zones cells are left out: 'rotor' (1)"]  # fmt: skip
    tess("mesh", "convert", case, tmp_path / "mesh.vtkhdf")
    assert report(tess, tmp_path / "mesh.vtkhdf")[0] == regions
    centres = {name: sorted(cell for part, cell in of) for name, of in {"rotor": [(0, 7), (2, 6)], "stator": [(0, 0), (0, 2), (1, 3), (2, 4)]}.items()}
    whole = zones(poly_mesh(tmp_path / "whole", points, cells), cellZones=centres)
    assert report(tess, whole)[0] == regions
    for name in ("case", "whole"):
        tess("mesh", "convert", f"{tmp_path / name}:order=canonical", tmp_path / f"{name}.msh")
    assert (tmp_path / "case.msh").read_text().split("$Nodes")[1] == (tmp_path / "whole.msh").read_text().split("$Nodes")[1]


@pytest.mark.parametrize("file, old, new, words", [
    ("cellZones", b"1(0)", b"1(8)", r"cellZones: line \d+: the number in the zone 8 is not in 0\.\.7"),
    ("cellZones", b"1(0)", b"9(0)", r"cellZones: line \d+: "),
    ("faceZones", b")\n;\n}", b")\n", "faceZones: line 27: .*(behind an entry of a zone|does not end)"),
    ("pointZones", b"\n1\n(", b"\n20000\n(", "pointZones: .*(more than 10000 zones|more than the file can hold)"),
])  # fmt: skip
def test_zones_that_are_wrong(tmp_path, file, old, new, words):
    folder = zones(poly_mesh(tmp_path / "mesh", *hexes(2)), cellZones={"a": [0]}, faceZones={"b": [0]}, pointZones={"c": [0]})
    (folder / file).write_bytes(changed((folder / file).read_bytes(), old, new))
    reading = Reading(folder)
    assert reading.code == 3 and re.search(words, reading.messages[0]), reading.messages


def test_names_in_quotes_and_names_that_are_there_twice(tess, tmp_path):
    folder = poly_mesh(tmp_path / "quoted", *hexes(2), names=('"in let.*"', "wall"))
    assert report(tess, folder)[1] == {"in let.*": 12, "wall": 12}
    folder = poly_mesh(tmp_path / "twice", *hexes(2), names=("wall", "wall"))
    assert report(tess, folder)[1:] == ({"wall": 24}, ["two patches have the name 'wall' and became one marker"])


def baffle(folder, names):
    """Two hexes that share points, but no face: both sides of the wall between them are faces at the boundary."""
    points = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)]
    cells = [(0, 1, 4, 3, 6, 7, 10, 9), (1, 2, 5, 4, 7, 8, 11, 10)]
    sides = [(cell, tuple(nodes[i] for i in side)) for cell, nodes in enumerate(cells) for side in SIDES[8]]
    sides.sort(key=lambda side: set(side[1]) == {1, 4, 7, 10})
    rows = [("walls", "wall", 10, 0, ""), *((name, "wall", 2 // len(names), 10 + i, "") for i, name in enumerate(names))]
    content = {"points": [f"({x} {y} {z})" for x, y, z in points], "faces": [f"4({' '.join(map(str, side))})" for _, side in sides],
               "owner": [cell for cell, _ in sides], "neighbour": []}  # fmt: skip
    folder.mkdir()
    for name, values in content.items():
        body = f"{len(values)}\n(\n" + "\n".join(map(str, values)) + "\n)\n"
        (folder / name).write_bytes(header("List", name, "ascii", "LSB;label=32;scalar=64") + body.encode())
    (folder / "boundary").write_bytes(patches(rows))
    return folder


def test_both_sides_of_a_baffle(tess, tmp_path):
    """Cells that are told by their nodes are neighbours through it, which a warning says."""
    _, markers, warnings = report(tess, baffle(tmp_path / "two", ("master", "slave")))
    assert markers == {"walls": 10, "master": 1, "slave": 1}
    assert warnings == ["2 faces at the boundary are both sides of a baffle, which parts cells that count as neighbours here: 'master' (1), 'slave' (1)"]
    _, markers, warnings = report(tess, baffle(tmp_path / "one", ("baffle",)))
    assert markers == {"walls": 10, "baffle": 1}
    assert warnings[0].endswith("as neighbours here: 'baffle' (2)") and "twice and became one: 'baffle' (1)" in warnings[1]
    assert not report(tess, poly_mesh(tmp_path / "plain", *hexes(3)))[2]


def test_collated_parts_are_told_of(tmp_path):
    (tmp_path / "case/processors4/constant/polyMesh").mkdir(parents=True)
    reading = Reading(tmp_path / "case")
    assert reading.code == 3 and "collated (processorsN)" in reading.messages[0] and "reconstructParMesh" in reading.messages[0]
