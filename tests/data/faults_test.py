"""Files that once gave wrong numbers without a word (tests/data/faults): each is read right now, or says what it leaves out."""

import json
import pathlib
import re

import pytest
from mesh_files import Reading

FAULTS = pathlib.Path(__file__).parent / "faults"


def report(tess, mesh):
    """What `tess mesh info` says: counts of markers and regions by name, warnings, sets."""
    info = json.loads(tess("mesh", "info", mesh, "--brief", "--json").stdout)
    info["markers"], info["tags"] = ({m["name"]: m["elements"] for m in info["markers"]}, {m["name"]: m["tag"] for m in info["markers"]})
    info["regions"] = {r["name"]: (r["tag"], r["cells"]) for r in info["regions"]}
    return info


READ = {  # markers, regions, warnings by words
    "exo/shell34.exo": ({"side set 1": 2, "side set 2": 1}, {"block 10": (10, 2)}, []),
    "gmsh/overlap_2.2_0.msh": ({"wall": 4, "outer": 12, "cut": 2}, {"left": (1, 14), "right": (2, 14), "all of it": (3, 0)},
                               [r"28 cells are stated again in another region.* 'all of it' \(28\)"]),
    "gmsh/overlap_4.1_0.msh": ({"wall": 4, "outer": 12, "cut": 2}, {"left": (1, 14), "right": (2, 14), "all of it": (3, 0)},
                               [r"28 cells are stated again in another region.* 'all of it' \(28\)"]),
    "gmsh/volume_group.msh": ({"wall": 180}, {"fluid": (7, 1140)}, []),
    "gmsh/param_2.2_0.msh": ({"Inlet": 12}, {"physical 1": (1, 28)}, []),
    "gmsh/split_1.msh": ({"Inlet": 12}, {"fluid": (1, 44)}, ["12 ghosts, copies of cells of other parts, were left out", "belong to no cell"]),
    "conv/umlaut.msh": ({"Wand ä": 2, "Wand ö": 1, "Wand ü": 1}, {"physical 9": (9, 4)}, []),
    "cgns/vertexbc.cgns": ({"inlet": 1, "floor": 2}, {"vol": (0, 2)}, []),
    "cgns/twobases.cgns": ({}, {"floor": (0, 2)}, ["of 2 bases 'Bnd' was read; 1 left out: 'Vol'", "belong to no cell"]),
    "cgns/twobases.cgns:base=Vol": ({}, {"vol": (0, 2)}, ["of 2 bases 'Vol' was read; 1 left out: 'Bnd'"]),
    "cgns/conn.cgns": ({}, {"A/vol": (0, 1), "B/vol": (0, 1)}, ["2 links between zones by lists of points were left out"]),
    "su2/ids_permuted.su2": ({"bottom": 2, "top": 2, "left": 2, "right": 2}, {}, []),
    "su2/three_coords_2d.su2": ({"bottom": 2, "top": 2, "left": 2, "right": 2}, {}, []),
    "su2/marker_stray.su2": ({"bottom": 2, "top": 2, "left": 2, "right": 2, "stray": 0}, {}, [r"1 marked edges are sides of no cell and were left out: 'stray' \(1\)"]),
    "su2/odd_tags.su2": ({"bottom": 2, "far field": 2, "wall[1]": 4, "nothing": 0}, {}, [r"1 marker has the tag of another one of the zone and became one with it: 'wall\[1\]'"]),
    "mis/periodic.nc": ({}, {}, ["14 cells cross the joined side"]),
    "oc/weir.14": ({"land": 8}, {}, []),
}


@pytest.mark.parametrize("name", READ)
def test_is_read_as_it_is_meant(tess, name):
    markers, regions, warnings = READ[name]
    info = report(tess, FAULTS / name)
    assert info["markers"] == markers and info["regions"] == regions
    assert len(info["warnings"]) == len(warnings), info["warnings"]
    for said, words in zip(info["warnings"], warnings):
        assert re.search(words, said)


REFUSED = {
    "vtu/t_moving_nopartnum.vtkhdf": "the mesh changes with time",
    "of/overlap/constant/polyMesh/boundary": r"line \d+: the patch .* has the face 1, which the patch inlet has, too",
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name):
    Reading(FAULTS / name).assert_refused(FAULTS / name, REFUSED[name])


def test_cells_are_those_that_the_elements_name(tess):
    """Points in another order than their ids: four squares of a quarter each."""
    shapes = json.loads(tess("mesh", "info", FAULTS / "su2/ids_permuted.su2", "--json").stdout)
    assert shapes["sets"]["cells"] == 4 and not shapes["warnings"]
    same = json.loads(tess("mesh", "compare", FAULTS / "su2/ids_permuted.su2", FAULTS / "su2/three_coords_2d.su2", "--json").stdout)
    assert same["same_cells"] and same["same_sides"]


@pytest.mark.parametrize("ids, words", [
    ([1, 1, 2, 3, 4, 5, 6, 7, 8], "ids of the 9 points of zone 1 are not 0 to 8 and are ignored"),
    ([10 + i for i in range(9)], "are ignored"),
])
def test_ids_that_are_none_are_ignored_with_a_word(tess, tmp_path, ids, words):
    head, points, rest = re.match(r"(.*NPOIN= 9\n)((?:.*\n){9})(.*)", (FAULTS / "su2/marker_stray.su2").read_text(), re.S).groups()
    rows = [" ".join([*row.split()[:2], str(i)]) for row, i in zip(points.splitlines(), ids)]
    (tmp_path / "mesh.su2").write_text(head + "\n".join(rows) + "\n" + rest)
    assert words in report(tess, tmp_path / "mesh.su2")["warnings"][0]


def converted(tess, mesh, path, *options):
    return tess("mesh", "convert", mesh, path, *options).stderr


@pytest.mark.parametrize("name, options", [("mesh.msh", ["--format", "gmsh2"]), ("mesh.msh", []), ("mesh.vtkhdf", [])])
def test_groups_of_cells_are_kept(tess, tmp_path, name, options):
    assert not converted(tess, FAULTS / "gmsh/volume_group.msh", tmp_path / name, *options)
    info = report(tess, tmp_path / name)
    assert info["regions"] == {"fluid": (7, 1140)} and info["tags"] == {"wall": 3} and not info["warnings"]
    fine = report(tess, f"{tmp_path / name}:refine=1")
    assert fine["regions"] == {"fluid": (7, 8 * 1140)} and fine["tags"] == {"wall": 3}


def test_groups_keep_their_numbers_where_names_are_lost(tess, tmp_path):
    said = converted(tess, FAULTS / "gmsh/volume_group.msh", tmp_path / "mesh.meshb")
    assert "3 is 'wall'" in said and "7 is 'fluid'" in said
    info = report(tess, tmp_path / "mesh.meshb")
    assert info["regions"] == {"region 7": (7, 1140)} and info["markers"] == {"reference 3": 180}
    assert "1 region is left out: 'fluid'" in converted(tess, FAULTS / "gmsh/volume_group.msh", tmp_path / "mesh.lb8.ugrid")
    assert "1 region is left out: 'fluid'" in converted(tess, FAULTS / "gmsh/volume_group.msh", tmp_path / "mesh.su2")


def test_markers_that_become_numbers_of_op2_are_named(tess, tmp_path):
    said = converted(tess, FAULTS / "su2/three_coords_2d.su2", tmp_path / "mesh.dat")
    assert "op2 files hold numbers of markers, 1 at all walls" in said and "left out: 'bottom', 'top', 'left', 'right'" in said


def test_names_keep_their_letters(tess, tmp_path):
    converted(tess, FAULTS / "conv/umlaut.msh", tmp_path / "mesh.vtkhdf")
    assert report(tess, tmp_path / "mesh.vtkhdf")["markers"] == {"Wand ä": 2, "Wand ö": 1, "Wand ü": 1}


def test_names_stay_distinct(tess, tmp_path):
    said = converted(tess, FAULTS / "conv/collide.msh", tmp_path / "mesh.su2")
    assert "cannot hold 2 of the names: 'a b' is now 'a_b_2', 'a%b' is now 'a_b_3'" in said
    assert report(tess, tmp_path / "mesh.su2")["markers"] == {"a_b_2": 2, "a_b": 1, "a_b_3": 1}
    quoted = (FAULTS / "conv/collide.msh").read_text().replace('"a b"', '"a\'b"').replace('"a%b"', '"a"b"')
    (tmp_path / "quoted.msh").write_text(quoted)
    assert "'a\"b' is now 'a'b_2'" in converted(tess, tmp_path / "quoted.msh", tmp_path / "again.msh")
    assert report(tess, tmp_path / "again.msh")["markers"] == {"a'b": 2, "a_b": 1, "a'b_2": 1}


ZONE = "NDIME= 2\nNELEM= 1\n9 0 1 3 2 0\nNPOIN= 4\n0 {y} 0\n1 {y} 1\n0 {top} 2\n1 {top} 3\nNMARK= 1\nMARKER_TAG= wall\nMARKER_ELEMS= 1\n3 0 1\n"


def test_zones_are_regions_and_regions_zones(tess, tmp_path):
    one, two = ZONE.format(y=0.0, top=1.0), ZONE.format(y=2.0, top=3.0)
    two = two.replace("NPOIN= 4", "NPOIN= 5").replace("NMARK", "7 7 4\nNMARK")  # of no cell
    text = f"NZONE= 2\nIZONE= 1\n{one}IZONE= 2\n{two}"
    (tmp_path / "two.su2").write_text(text)
    expected = ({"zone 1": (1, 1), "zone 2": (2, 1)}, {"wall": 1, "wall zone 2": 1})
    for name in ("two.su2", "two.msh", "again.su2"):
        if name != "two.su2":
            converted(tess, tmp_path / ("two.su2" if name == "two.msh" else "two.msh"), tmp_path / name)
        info = report(tess, tmp_path / name)
        assert (info["regions"], info["markers"]) == expected and info["sets"]["nodes"] == 9
        assert [words.split(";")[0] for words in info["warnings"]] == ["1 of the nodes belong to no cell"]
    assert (tmp_path / "again.su2").read_text().count("MARKER_TAG= wall\n") == 2


def test_merge_joins_nodes(tess):
    mesh = FAULTS / "vtu/discontinuous.vtu"
    assert report(tess, mesh)["sets"]["nodes"] == 64
    info = report(tess, f"{mesh}:merge=1e-9")
    assert info["sets"]["nodes"] == 25 and "39 of 64 nodes became one with another" in info["warnings"][0]
    assert report(tess, f"{mesh}:merge=0")["sets"]["nodes"] == 25
    assert "merge=-0.5: a distance of 0 or more" in tess("mesh", "info", f"{mesh}:merge=-0.5", code=2).stderr
    assert "edges:cells" in json.loads(tess("mesh", "info", "--maps", f"{mesh}:merge=0", "--json").stdout)["maps"]


def test_an_empty_set_is_an_error_before_anything_is_archived(tess, tmp_path):
    mesh = FAULTS / "vtu/discontinuous.vtu"
    for command in (["partition", mesh, "--map", "edges:cells"], ["run", "airfoil", "--mesh", mesh]):
        said = tess(*command, "--lab", tmp_path / "lab", code=3).stderr
        assert "no two cells share a node: 39 nodes lie on others; MESH:merge=TOLERANCE joins them" in said
        assert not [*(tmp_path / "lab").rglob("*.hdf")]
    tess("partition", f"{mesh}:merge=1e-9", "--map", "edges:cells", "-p", "file-order", "--lab", tmp_path / "lab", "--no-view")


PERIODIC = '''$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
6
1 0 0 0
2 1 0 0
3 2 0 0
4 0 1 0
5 1 1 0
6 2 1 0
$EndNodes
$Elements
2
1 3 2 0 1 1 2 5 4
2 3 2 0 1 2 3 6 5
$EndElements
$Periodic
1
1 4 2
2
3 1
6 4
$EndPeriodic
'''


def test_periodic_sides_are_joined_on_request(tess, tmp_path):
    (tmp_path / "mesh.msh").write_text(PERIODIC)
    info = report(tess, tmp_path / "mesh.msh")
    assert info["sets"]["nodes"] == 6 and "1 periodic or joined sides with 2 pairs of nodes stay apart" in info["warnings"][0]
    joined = report(tess, f"{tmp_path / 'mesh.msh'}:periodic=join")
    assert joined["sets"]["nodes"] == 4 and "2 pairs of nodes of 1 periodic" in joined["warnings"][0]
    assert "periodic sections ($Periodic), which would be lost" in tess("mesh", "reorder", tmp_path / "mesh.msh", tmp_path / "new.msh", code=3).stderr
    assert not (tmp_path / "new.msh").exists()
    assert "knows of no periodic sides" in tess("mesh", "info", f"{FAULTS / 'oc/weir.14'}:periodic=join", code=2).stderr


def test_periodic_transformations_of_su2_are_said(tess, tmp_path):
    text = (FAULTS / "su2/three_coords_2d.su2").read_text() + "NPERIODIC= 2\nPERIODIC_INDEX= 0\n0 0 0\nPERIODIC_INDEX= 1\n1 0 0\n"
    (tmp_path / "mesh.su2").write_text(text)
    assert "1 periodic transformations (NPERIODIC) were left out" in report(tess, tmp_path / "mesh.su2")["warnings"][0]


def test_options_that_a_reader_does_not_know_are_refused(tess):
    assert "hold one mesh each" in tess("mesh", "info", f"{FAULTS / 'su2/odd_tags.su2'}:base=x", code=2).stderr
    assert "there are 'Bnd', 'Vol'" in tess("mesh", "info", f"{FAULTS / 'cgns/twobases.cgns'}:base=x", code=2).stderr


def test_weir_marks_both_sides():
    reading = Reading(FAULTS / "oc/weir.14").assert_accepted()
    assert reading.sets["marked_edges"] == 8 and not reading.warnings


@pytest.mark.parametrize("command", [["mesh", "info"], ["partition", "--map", "edges:cells", "-p", "file-order", "--no-view"], ["run", "airfoil", "--device", "host"],
                                     ["march", "airfoil", "--device", "host", "--steps", "1"]])  # fmt: skip
@pytest.mark.parametrize("mesh, words", [("mis/periodic.nc", "MPAS's mesh is periodic: 14 cells cross"), ("quads:nx=4:ny=4:periodic=x", "the mesh is periodic: 4 cells cross")])
def test_wrong_sizes_are_said_wherever_they_are_used(tess, command, mesh, words):
    path = FAULTS / mesh if ".nc" in mesh else mesh
    where = [path] if command[0] == "mesh" else [path, "--no-lab"] if command[0] == "partition" else ["--mesh", path, "--no-lab"]
    done = tess(*command, *where)
    assert words in (done.stdout if command[0] == "mesh" else done.stderr)
