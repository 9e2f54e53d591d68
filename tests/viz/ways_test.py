"""The matrix of what is shown: applications on cells of all types, two partitioners at once, by the three ways.

Four cases run with all tests; TESS_ALL_WAYS=1 runs every application on every mesh, with pictures:

    TESS_ALL_WAYS=1 python3 -m pytest tests/viz/ways_test.py

catalyst2 is shown to the double, and to the libcatalyst that TESS_CATALYST names, with ParaView's implementation beside it.
One whose Conduit is too old for pyramids and wedges refuses them, and a ParaView before 5.12 all mixed cells; TESS_CATALYST_MIXED=1
says that this one is newer."""

import ctypes
import itertools
import json
import os
import subprocess

import numpy
import pytest
from PIL import Image
from conftest import ROOT, limited
from viz_test import calls_of, check_blueprint, double, files_at, need_paraview, tree_of

import tet_duals

ALL = os.environ.get("TESS_ALL_WAYS")
REAL = os.environ.get("TESS_CATALYST")  # a libcatalyst with ParaView's implementation beside it
REAL_KNOWS_MIXED = os.environ.get("TESS_CATALYST_MIXED")
GENERATED = {"quads": "quads:nx=6:ny=5", "tris": "tris:nx=6:ny=5", "hexes": "hexes:nx=4:ny=4:nz=3",
             "tets": "tets:nx=3:ny=3:nz=2", "prisms": "prisms:nx=4:ny=3:nz=3",
             "layers": "layers:base=wing:nx=6:ny=2:prisms=1:tets=1"}
MESHES = [*GENERATED, "mixed2d", "pyramids", "mixed3d", "polygons", "polyhedra"]
RUNS = {"airfoil": {"quads", "tris", "mixed2d", "polygons"}, "volna": {"quads", "tris", "mixed2d", "polygons"}, "bookleaf": {"quads"},
        "lulesh": {"hexes"}, "miniaero": {"hexes", "tets", "prisms", "pyramids", "layers", "mixed3d", "polyhedra"},
        "fv": {"quads", "tris", "mixed2d", "tets", "layers"}, "fun3d": {"tets", "prisms", "layers"}}
CASES = [(application, mesh) for application, meshes in RUNS.items() for mesh in MESHES if mesh in meshes]
FLAT = {"quads", "tris", "mixed2d", "polygons"}
WRONG_FILES = {("bookleaf", "tris"), ("bookleaf", "mixed2d"),
               *itertools.product(("lulesh", "fun3d"), [mesh for mesh in MESHES if mesh not in FLAT])}  # by their cells
CHEAP = [("airfoil", "mixed2d"), ("miniaero", "mixed3d"), ("volna", "polygons"), ("miniaero", "polyhedra")]
LATE = {"prisms", "pyramids", "layers", "mixed3d", "polyhedra"}  # with pyramids or wedges as cells or as what shows faces
TRIANGLE, QUAD, TET, HEX, WEDGE, PYRAMID = 5, 9, 10, 12, 13, 14


def write_su2(path, dimension, points, cells):
    lines = [f"NDIME= {dimension}", f"NELEM= {len(cells)}"]
    lines += [" ".join(map(str, [*cell, i])) for i, cell in enumerate(cells)]
    lines += [f"NPOIN= {len(points)}"]
    lines += [" ".join([*(f"{x:.17g}" for x in point[:dimension]), str(i)]) for i, point in enumerate(points)]
    path.write_text("\n".join([*lines, "NMARK= 0", ""]))


def mixed_2d(path):
    """A rectangle of quads, every other one in two triangles."""
    points = [(x, y) for y in range(6) for x in range(7)]
    cells = []
    for x, y in itertools.product(range(6), range(5)):
        a, b, c, d = (7 * (y + j) + x + i for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
        cells += [(TRIANGLE, a, b, c), (TRIANGLE, a, c, d)] if (x + y) % 2 else [(QUAD, a, b, c, d)]
    write_su2(path, 2, points, cells)


def pyramids_of(corners, centre):
    """A hex in pyramids from its faces to its centre."""
    faces = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
    return [(PYRAMID, *(corners[i] for i in face), centre) for face in faces]


def solid(path, kinds):
    """A box of hexes; a column's number says what becomes of each: itself, prisms, pyramids, or pyramids
    of which that on the bottom of the box is two tets."""
    points = [(x, y, z) for z in range(4) for y in range(4) for x in range(5)]
    cells = []
    for x, y, z in itertools.product(range(4), range(3), range(3)):
        corner = [(20 * (z + k) + 5 * (y + j) + x + i) for k in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
        kind = kinds[(x + 2 * y) % len(kinds)]
        if kind == "hexes":
            cells.append((HEX, *corner))
        elif kind == "prisms":
            cells += [(WEDGE, *(corner[i] for i in tri)) for tri in ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7))]
        else:
            points.append((x + 0.5, y + 0.5, z + 0.5))
            made = pyramids_of(corner, len(points) - 1)
            if kind == "tets" and z == 0:
                _, a, b, c, d, tip = made.pop(0)
                made += [(TET, a, b, c, tip), (TET, a, c, d, tip)]
            cells += made
    write_su2(path, 3, points, cells)


@pytest.fixture(scope="module")
def meshes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("meshes")
    mixed_2d(folder / "mixed2d.su2")
    solid(folder / "pyramids.su2", ["pyramids"])
    solid(folder / "mixed3d.su2", ["hexes", "prisms", "tets"])
    paths = {name: str(folder / f"{name}.su2") for name in MESHES if name not in GENERATED}
    paths |= {"polygons": str(tet_duals.square(folder / "polygons.vtu", 5)), "polyhedra": str(tet_duals.poly_mesh(folder / "polyhedra", 3))}
    return {**GENERATED, **paths}


def show(tess, application, mesh, way, folder, *scripts, code=0, **environment):
    """Marches two steps over the blocks of two partitioners, shown by one way."""
    folder.mkdir(exist_ok=True)
    given = ["--catalyst", ",".join(map(str, scripts))] if scripts else []
    return tess("run", application, "--mesh", mesh, "--partitioner", "rcb,metis", "--block-size", "32", "--device", "host",
                "--strategy", "sequential", "--samples", "0", "--steps", "2", "--viz", way, "--viz-folder", folder, *given,
                "--lab", folder / "lab", "--quiet", code=code, env={**os.environ, **environment})


def handed_over(channel):
    """The arrays of a channel of the double as files have them."""
    mesh = channel["data"]
    check_blueprint(mesh)
    elements = mesh["topologies"]["mesh"]["elements"]
    points = mesh["coordsets"]["coords"]["values"]
    found = {"points": numpy.stack([points[axis] for axis in "xyz"], 1), "connectivity": elements["connectivity"]}
    if elements["shape"] == "mixed":
        found.update(types=elements["shapes"], offsets=elements["offsets"] + [len(elements["connectivity"])])
    for name, field in mesh["fields"].items():
        values = field["values"]
        found[name] = numpy.stack(list(values.values()), 1) if isinstance(values, dict) else values
    return found


def check_equal(found, files, exact=True):
    """`exact`: types of numbers as well, which the double's text does not keep."""
    assert set(found) <= set(files) and set(files) - set(found) <= (set() if exact else {"types", "offsets"})
    for name, values in found.items():
        values = numpy.array(values)
        assert values.shape == files[name].shape, name
        assert (values.astype(files[name].dtype) == files[name]).all(), name
        assert not exact or values.dtype == files[name].dtype, name


def check_by_paraview(tess, application, mesh, way, folder, **environment):
    scripts = [ROOT / "tests/viz/way_arrays.py", *([ROOT / "viz/scripts/blocks.py"] if ALL else [])]
    show(tess, application, mesh, way, folder / way, *scripts, **environment)
    for channel, step in itertools.product(["rcb_32", "metis_32"], range(3)):
        with numpy.load(folder / way / f"{channel}_{step:06d}.npz") as found:
            check_equal(found, files_at(folder / "hdf", channel, step))


def types_of(folder):
    return set(files_at(folder, "rcb_32", 0)["types"])


def conduit_of(path):
    """The version of the Conduit in a libcatalyst."""
    library = ctypes.CDLL(path)
    create, text = library.catalyst_conduit_node_create, library.catalyst_conduit_node_fetch_path_as_char8_str
    create.restype, text.restype, text.argtypes = ctypes.c_void_p, ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_char_p]
    node = ctypes.c_void_p(create())
    library.catalyst_conduit_about(node)
    return tuple(int(number) for number in text(node, b"version").decode().split("-")[0].split("."))


def is_late(folder):
    """Whether a Conduit before 0.8.5 knows no such cells."""
    return bool(types_of(folder) & {WEDGE, PYRAMID})


def is_mixed(folder):
    """Whether a ParaView before 5.12 knows no such cells."""
    return is_late(folder) or len(types_of(folder)) > 1


def refuse(tess, application, mesh, folder, words, **environment):
    """It says that it cannot, names the ways that can, and keeps the finished runs."""
    folder.mkdir(exist_ok=True)
    watcher = folder / "watcher.py"
    watcher.write_text("EnableCatalystLive")
    done = show(tess, application, mesh, "catalyst2", folder, watcher, code=4, **environment)
    assert words in done.stderr and "--viz paraview and --viz hdf show them" in done.stderr
    assert len(json.loads(tess("runs", "--lab", folder / "lab", "--json").stdout)["runs"]) == 2


def check_pictures(folder, mesh, ways, display):
    """Pictures of the last step, drawn from files and by ParaView's in-situ library, are the same, to the byte by
    both ways that run scripts; files have some pixels of lines elsewhere, a few of a thousand."""
    files = [f"{channel}={folder / 'hdf' / channel}.hdf.series" for channel in ["rcb_32", "metis_32"]]
    subprocess.run(["pvpython", ROOT / "tests/viz/file_picture.py", ROOT / "viz/scripts", "2",
                    folder / "files.png", *files], check=True, **limited(120),
                   env={**os.environ, "DISPLAY": display, "TESS_VIZ_TITLE": mesh if ":" in mesh else os.path.basename(mesh),
                        "TESS_VIZ_CHANNELS": "rcb_32,metis_32"})
    pictures = [folder / way / "blocks_000002.png" for way in ways]
    assert all(picture.read_bytes() == pictures[0].read_bytes() for picture in pictures)
    drawn, from_files = (numpy.asarray(Image.open(path).convert("RGB")).astype(int)
                         for path in (pictures[0], folder / "files.png"))
    assert (abs(drawn - from_files).max(2) > 60).mean() < 0.005


@pytest.mark.parametrize("application,mesh", CASES if ALL else CHEAP)
def test_three_ways_show_the_same(tess, meshes, tmp_path, application, mesh, request):
    show(tess, application, meshes[mesh], "hdf", tmp_path / "hdf")
    given = double(tmp_path)
    watcher = tmp_path / "watcher.py"
    watcher.write_text("EnableCatalystLive")  # it leaves no files
    show(tess, application, meshes[mesh], "catalyst2", tmp_path / "double", watcher, **given)
    steps = [tree_of(call["node"])["catalyst"]["channels"] for call in calls_of(tmp_path) if call["call"] == "execute"]
    assert len(steps) == 3
    for step, channels in enumerate(steps):
        assert set(channels) == {"rcb_32", "metis_32"}
        for channel in channels:
            check_equal(handed_over(channels[channel]), files_at(tmp_path / "hdf", channel, step), exact=False)
    if not ALL and mesh not in ("mixed3d", "polygons", "polyhedra"):
        return
    need_paraview()
    ways = ["paraview"]
    if REAL and conduit_of(REAL) < (0, 8, 5) and is_late(tmp_path / "hdf"):
        refuse(tess, application, meshes[mesh], tmp_path / "catalyst2", "0.8.5")
    elif REAL and not REAL_KNOWS_MIXED and is_mixed(tmp_path / "hdf"):
        refuse(tess, application, meshes[mesh], tmp_path / "catalyst2", "before 5.12")
    elif REAL:
        ways.append("catalyst2")
    for way in ways:
        check_by_paraview(tess, application, meshes[mesh], way, tmp_path)
    if ALL:
        check_pictures(tmp_path, meshes[mesh], ways, request.getfixturevalue("display"))


@pytest.mark.parametrize("application,mesh", [case for case in CASES if case[1] in LATE | {"mixed2d"}] if ALL else [CHEAP[1], CHEAP[3]])
def test_old_libraries_name_the_ways_that_can(tess, meshes, tmp_path, application, mesh):
    show(tess, application, meshes[mesh], "hdf", tmp_path / "hdf")
    watcher = tmp_path / "watcher.py"
    watcher.write_text("EnableCatalystLive")
    for name, version, is_too_old, words in [("CONDUIT", "0.8.3", is_late(tmp_path / "hdf"), "0.8.5"),
                                             ("PARAVIEW", "5.11", is_mixed(tmp_path / "hdf"), "before 5.12")]:
        given = double(tmp_path, **{f"CATALYST_DOUBLE_{name}": version})
        if is_too_old:
            refuse(tess, application, meshes[mesh], tmp_path / name, words, **given)
        else:
            show(tess, application, meshes[mesh], "catalyst2", tmp_path / name, watcher, **given)


@pytest.mark.parametrize("application,mesh", [case for case in itertools.product(RUNS, MESHES) if case not in CASES]
                         if ALL else [("bookleaf", "tris"), ("bookleaf", "mixed2d")])
def test_applications_say_what_they_do_not_run_on(tess, meshes, tmp_path, application, mesh):
    code = 3 if (application, mesh) in WRONG_FILES else 2
    words = show(tess, application, meshes[mesh], "hdf", tmp_path / "hdf", code=code).stderr
    assert application in words or "has no map" in words
