"""tess mesh: info on a shipped mesh and on generated ones, generate, convert, errors, exit codes."""

import json
import os
import signal
import subprocess

import pytest
from conftest import ROOT, limited

DATA = ROOT / "data/meshes"
NORTH_SEA = DATA / "north_sea.msh.xz"  # 6565 nodes, 10920 triangles, 2280 boundary edges, MIT


def info(tess, mesh, *options):
    return json.loads(tess("mesh", "info", mesh, "--json", *options).stdout)


def test_info_of_a_shipped_mesh(tess):
    report = info(tess, NORTH_SEA, "--maps")
    assert report["schema"] == "tess.mesh/1"
    assert report["source"] == str(NORTH_SEA)
    sets = report["sets"]
    assert (sets["nodes"], sets["cells"]) == (6565, 10920)
    assert (sets["edges"], sets["bedges"]) == (15240, 2280)
    assert report["maps"]["edges:cells"] == {"arity": 2, "padded": False, "derived": True}
    assert report["maps"]["cells:nodes"]["derived"] is False
    assert sum(marker["elements"] for marker in report["markers"]) == 2280


def test_a_shipped_mesh_goes_by_its_name(tess, tmp_path):
    """Unless a file of that name is there; its options are those of any mesh."""
    told = tess("mesh", "info", "north_sea.msh.xz:shuffle=3", cwd=tmp_path).stdout
    assert told.startswith("north_sea.msh.xz:shuffle=3: 2D, x from ") and "10920" in told
    (tmp_path / "north_sea.msh.xz").write_text("mine\n")
    assert "north_sea.msh.xz: " in tess("mesh", "info", "north_sea.msh.xz", cwd=tmp_path, code=3).stderr
    assert "cannot be opened" in tess("mesh", "info", "./bay_delta_coarse_v4.gr3.xz", cwd=tmp_path, code=3).stderr


def test_paths_that_a_shell_would_read_otherwise(tess, tmp_path):
    said = tess("mesh", "info", "~/x.su2", cwd=tmp_path, code=3).stderr
    assert "~/x.su2: cannot be opened: No such file or directory; ~ is a home only where the shell sees it: without quotes" in said
    assert "'tess mesh info' has no option '-1'; see" in tess("mesh", "info", "-1", cwd=tmp_path, code=2).stderr
    tess("mesh", "generate", "quads:nx=2:ny=2", "-o", "mesh.su2", cwd=tmp_path)
    (tmp_path / "mesh.su2").rename(tmp_path / "-1")
    assert "has no option '-1'; the file of that name is './-1'" in tess("mesh", "info", "-1", cwd=tmp_path, code=2).stderr
    for named in (["./-1"], ["--", "-1"]):
        assert "cells            4" in tess("mesh", "info", "--brief", *named, cwd=tmp_path).stdout
    (tmp_path / "~").mkdir()
    (tmp_path / "-1").rename(tmp_path / "~/x.su2")
    assert "cells            4" in tess("mesh", "info", "--brief", "~/x.su2", cwd=tmp_path).stdout


def test_info_as_a_table(tess):
    text = tess("mesh", "info", NORTH_SEA, "--maps").stdout
    assert text.startswith(f"{NORTH_SEA}: 2D, x from ")
    assert "edges:cells" in text and "derived" in text
    assert "\033" not in text
    assert "edges:cells" not in tess("mesh", "info", NORTH_SEA).stdout


def test_refined_and_shuffled(tess):
    report = info(tess, f"{NORTH_SEA}:refine=1:shuffle=3", "--maps")
    assert report["sets"]["cells"] == 4 * 10920
    assert report["sets"]["bedges"] == 2 * 2280
    assert sum(marker["elements"] for marker in report["markers"]) == 2 * 2280
    assert report["warnings"] == info(tess, NORTH_SEA, "--maps")["warnings"]


def test_source_is_canonical(tess):
    assert info(tess, "quads:ny=5:nx=7:lx=1.0:refine=0")["source"] == "quads:nx=7:ny=5"


def test_airfoil_has_op2s_counts(tess):
    report = info(tess, "airfoil")
    assert report["sets"] == {"nodes": 721801, "cells": 720000, "edges": 1438600, "bedges": 2800}


@pytest.mark.parametrize("generator", ["quads", "tris", "hexes", "tets", "prisms", "irregular", "ogrid"])
@pytest.mark.parametrize("extension", ["su2", "msh"])
def test_generate_then_info(tess, tmp_path, generator, extension):
    path = tmp_path / f"mesh.{extension}"
    size = "ni=9:nj=4" if generator == "ogrid" else "nx=4:ny=3"
    made = tess("mesh", "generate", f"{generator}:{size}", "-o", path)
    assert made.stdout.startswith(f"{path}: ") and made.stderr == ""
    written, generated = info(tess, path, "--maps"), info(tess, f"{generator}:{size}", "--maps")
    for name, n in generated["sets"].items():
        assert written["sets"][name] == n, name
    assert written["least"] == generated["least"] and written["largest"] == generated["largest"]


def test_convert_there_and_back(tess, tmp_path):
    first, second, third = (tmp_path / name for name in ("a.su2", "b.msh", "c.su2"))
    tess("mesh", "convert", NORTH_SEA, first)
    tess("mesh", "convert", first, second, "--format", "gmsh2")
    assert second.read_text().startswith("$MeshFormat\n2.2 ")
    tess("mesh", "convert", second, third)
    assert third.read_bytes() == first.read_bytes()


def test_convert_says_what_is_lost(tess, tmp_path):
    done = tess("mesh", "convert", "airfoil:i=4:j=3", tmp_path / "a.su2")
    assert "tess: warning: su2 files hold no maps" in done.stderr
    done = tess("mesh", "convert", "airfoil:i=4:j=3", tmp_path / "b.su2", "--quiet")
    assert done.stderr == ""


def su2(path, points, cells, dimension=2):
    rows = [f"NDIME= {dimension}", f"NELEM= {len(cells)}", *(" ".join(map(str, cell)) for cell in cells)]
    rows += [f"NPOIN= {len(points)}", *(" ".join(map(str, point)) for point in points)]
    path.write_text("\n".join(rows) + "\n")
    return path


SQUARES = [(i, j) for j in (0, 1) for i in (0, 1, 2, 3)]  # three unit squares in a row
QUADS = [(9, i, i + 1, i + 5, i + 4) for i in range(3)]
CUBE = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
HEX = (12, 0, 1, 3, 2, 4, 5, 7, 6)

FAULTS = {
    "none": (SQUARES, QUADS, {}),
    "all turned": (SQUARES, [(9, *reversed(quad[1:])) for quad in QUADS], {}),
    "one turned": (SQUARES, [QUADS[0], (9, 5, 6, 2, 1), QUADS[2]], {"orientation": (1, [1])}),
    "flat": (SQUARES + [(1.5, 1)], [*QUADS, (5, 5, 6, 8)], {"no-extent": (1, [0])}),
    "flat but for rounding": ([(0.3, 0.9), (0.1, 0.3), (0.2, 0.6), (1, 0)], [(5, 0, 1, 2), (5, 0, 2, 3)], {"no-extent": (1, [0])}),
    "twice": (SQUARES, [*QUADS, (9, 5, 6, 2, 1)], {"cell-twice": (1, [3]), "non-manifold": (2, [0, 1]), "orientation": (1, [3])}),
    "node twice": (SQUARES, [*QUADS[:2], (9, 2, 3, 3, 6)], {"node-twice": (1, [2]), "node-unused": (1, [7])}),
    "three at an edge": (SQUARES + [(9, 9)], [*QUADS, (5, 1, 5, 8)], {"non-manifold": (1, [0])}),
    "places": (SQUARES + [(3, 1), (0, 0)], QUADS, {"place-shared": (2, [8, 9]), "node-unused": (2, [8, 9])}),
    "a cube": (CUBE, [HEX], {}),
    "a tetrahedron inside out": (
        CUBE + [(0, 0, 2), (3, 3, 0.5)],
        [(10, 4, 5, 6, 8), (10, 5, 7, 6, 8), (10, 1, 5, 3, 9)],
        {"orientation": (1, [2]), "node-unused": (2, [0, 2])},
    ),
    "a face of three": (
        CUBE + [(0, 0, 2), (0, 0, 3), (0, 0, -2)],
        [(10, 4, 5, 6, 8), (10, 4, 5, 6, 9), (10, 4, 6, 5, 10)],
        {"non-manifold": (1, [0]), "node-unused": (5, [0, 1, 2, 3, 7])},
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_check_lists_faults(tess, tmp_path, case):
    points, cells, faults = FAULTS[case]
    path = su2(tmp_path / "mesh.su2", points, cells, len(points[0]))
    done = tess("mesh", "check", path, "--json", code=1 if faults else 0)
    report = json.loads(done.stdout)
    assert report["schema"] == "tess.mesh_check/1"
    assert {fault["kind"]: (fault["count"], fault["first"]) for fault in report["faults"]} == faults
    text = tess("mesh", "check", path, code=1 if faults else 0)
    assert len(text.stdout.splitlines()) == max(1, len(faults))
    assert ("nothing is wrong" in text.stdout) == (not faults) == (text.stderr == "")


def test_check_shows_ten_and_sides_by_their_nodes(tess, tmp_path):
    nodes = [(i, j) for j in (0, 1) for i in range(13)]
    path = su2(tmp_path / "mesh.su2", nodes + [(i, 5) for i in range(12)], [(9, i, i + 1, i + 14, i + 13) for i in range(12)])
    text = tess("mesh", "check", path, code=1).stdout
    assert text == "12 of the nodes belong to no cell: 26, 27, 28, 29, 30, 31, 32, 33, 34, 35 ...\n"
    path = su2(tmp_path / "mesh.su2", SQUARES + [(9, 9)], [*QUADS, (5, 1, 5, 8)])
    assert "1 of the edges belong to more than two cells: 1-5\n" in tess("mesh", "check", path, code=1).stdout
    assert "warning: 1 edge is shared by more than two cells: " in tess("mesh", "info", path).stdout
    apart = su2(tmp_path / "apart.su2", nodes + [(i, 5) for i in range(12)], [(9, 0, 1, 14, 13), (9, 2, 3, 16, 15)])
    assert "2 components, the largest of 1 cell; 0 edges" in tess("mesh", "info", apart).stdout


HIGHER_ORDER = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
7
1 0 0 0
2 1 0 0
3 0 1 0
4 .5 0 0
5 .5 .5 0
6 0 .5 0
7 9 9 0
$EndNodes
$Elements
1
1 9 2 1 1 1 2 3 4 5 6
$EndElements
"""


def test_nodes_beside_corners_are_no_fault_and_their_loss_is_told(tess, tmp_path):
    mesh = tmp_path / "mesh.msh"
    mesh.write_text(HIGHER_ORDER)
    for name in (mesh, f"{mesh}:order=rcm"):
        done = tess("mesh", "check", name)
        assert "4 nodes of 1 element of higher order are beside the corners" in done.stdout and "nothing is wrong" in done.stdout
    report = json.loads(tess("mesh", "check", mesh, "--json").stdout)
    assert report["nodes_beside_corners"] == 4 and report["faults"] == []
    for command in ("convert", "reorder"):
        assert "1 element of higher order was read as its corners" in tess("mesh", command, mesh, tmp_path / "out.su2").stderr
    assert "4 of the nodes belong to no cell" in tess("mesh", "check", tmp_path / "out.su2", code=1).stdout


@pytest.mark.parametrize("mesh", ["quads", "tets:nx=5:ny=4:nz=3", "prisms:nx=5:ny=4", NORTH_SEA])
def test_check_of_good_meshes(tess, mesh):
    assert "nothing is wrong" in tess("mesh", "check", mesh).stdout


def test_generate_help_lists_generators_and_formats(tess):
    text = tess("mesh", "generate", "--help=all").stdout
    for word in ("quads", "airfoil", "stretch", "refine=0", "gmsh4 (.msh)"):
        assert word in text


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        ([], 2, "a command is missing behind 'tess mesh'"),
        (["inf"], 2, "did you mean 'tess mesh info'?"),
        (["info"], 2, "which mesh?"),
        (["info", "quads", "tris"], 2, "one mesh is asked for"),
        (["info", "quds"], 2, "did you mean 'quads'?"),
        (["info", "quads:nx=0"], 2, "between 1 and 2147483647"),
        (["info", "quads:mx=3"], 2, "did you mean 'nx'?"),
        (["info", "quads,tris"], 2, "names 2 meshes"),
        (["info", "quads:nx=100000:ny=100000"], 3, "set 'nodes'"),
        (["info", "quads:refine=20"], 3, "at most 2147483647"),
        (["info", "--jsn", "quads"], 2, "did you mean '--json'?"),
        (["info", "no/such/file.su2"], 3, "no/such/file.su2"),
        (["generate", "quads"], 2, "to which file?"),
        (["generate", "quads", "-o"], 2, "option '-o' of 'tess mesh generate' needs a value: -o FILE"),
        (["generate", "quads", "-o", "x.obj"], 2, "su2 (.su2)"),
        (["generate", "tris:nx=2:ny=2", "-o", "x.dat"], 3, "nothing but quads"),
        (["convert", "quads", "/no/such/folder/x.su2"], 1, "No such file or directory"),
        (["convert", "quads", "x.su2", "--format", "gmsh"], 2, "did you mean 'gmsh4'?"),
    ],
)
def test_errors(tess, tmp_path, arguments, code, words):
    done = tess("mesh", *arguments, code=code, cwd=tmp_path, seconds=20)
    assert words in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_path_with_colons_is_taken_as_it_is_or_quoted(tess, tmp_path):
    path = tmp_path / "a:b,c.su2"
    tess("mesh", "generate", "quads:nx=3:ny=3", "-o", path)
    assert info(tess, path)["sets"]["cells"] == 9
    assert info(tess, f'"{path}":refine=1')["sets"]["cells"] == 36


def test_a_writer_that_is_ended_leaves_nothing(tess_bin, tmp_path):
    """The limit of a file's size ends it in the middle."""
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_RDWR))
    except OSError:
        pytest.skip("this file system has no files without names")
    done = subprocess.run(["bash", "-c", f"ulimit -c 0 -f 8; exec {tess_bin} mesh generate quads -o mesh.su2"], cwd=tmp_path,
                          capture_output=True, text=True, **limited(60))
    assert done.returncode == -signal.SIGXFSZ and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [
    ("mesh", "generate", "quads:nx=2:ny=2", "--format", "su2", "-o"), ("machine", "measure", "--into"),
    ("export", "--mesh", "quads:nx=2:ny=2", "--map", "edges:cells", "--format", "graph", "-o")])
def test_a_device_is_not_replaced_by_a_file(tess, tmp_path, words):
    """A pipe stands for /dev/null, which root would lose."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert f"{pipe} is a pipe, socket or device, not a file to write" in tess(*words, pipe, code=1).stderr
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


def test_disk_full(tess_bin, tmp_path):
    """A file-size limit stands for a full disk: an error, and no file, whole or torn."""
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 8; trap '' XFSZ; exec {tess_bin} mesh generate quads -o mesh.su2"],
        cwd=tmp_path, capture_output=True, text=True, **limited(60),
    )
    assert done.returncode == 1
    assert "mesh.su2 cannot be written: File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []
