"""In situ: the three kinds of visualisation hand over the same arrays, and no failure is silent."""

import glob
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

import h5py
import numpy
import pytest

from conftest import HANG, ROOT, limited

# Beside the program under test; viz_driver.c and the double are built with it.
BUILD = pathlib.Path(os.environ.get("TESS_BIN", ROOT / "build/release/bin/tess")).resolve().parent.parent
SANITIZED = BUILD.name == "sanitize"
SHAPES = {"point": (1, 1), "line": (3, 2), "tri": (5, 3), "quad": (9, 4), "tet": (10, 4),
          "pyramid": (14, 5), "wedge": (13, 6), "hex": (12, 8)}  # VTK's number, corners


def drive(kind, folder, steps, dimension, channels, *scripts, code=0, **environment):
    """Runs viz_driver.c, whose opening lines say what it hands over."""
    done = subprocess.run(
        [BUILD / "tests/viz_driver", kind, folder, str(steps), str(dimension), channels, *scripts],
        capture_output=True, text=True, **limited(120), env=dict(os.environ, **environment))
    assert done.returncode == code, done.stdout + done.stderr
    return done


def need_paraview():
    if SANITIZED:
        pytest.skip("sanitizers come first")
    if not shutil.which("pvpython") or not (BUILD / "lib/tess_paraview.so").exists():
        pytest.skip("ParaView is missing (Debian: apt-get install paraview-dev python3-paraview)")
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is missing (Debian: apt-get install xvfb)")


def files_at(folder, channel, step):
    """The arrays of a step as the hdf kind writes them, by path."""
    with h5py.File(folder / f"{channel}_{step:06d}.hdf") as file:
        grid = file["VTKHDF"]
        arrays = {"points": grid["Points"][:], "types": grid["Types"][:],
                  "offsets": grid["Offsets"][:], "connectivity": grid["Connectivity"][:],
                  "explode": grid["PointData/explode"][:],
                  "shared_by": grid["PointData/shared_by"][:]}
        arrays.update({name: grid["CellData"][name][:] for name in grid["CellData"]})
    return arrays


def tree_of(flat):
    """Paths with slashes as nested dicts, as Conduit keeps them."""
    tree = {}
    for path, value in flat.items():
        *parents, leaf = path.split("/")
        node = tree
        for parent in parents:
            node = node.setdefault(parent, {})
        assert leaf not in node, f"{path} is set twice"
        node[leaf] = value
    return tree


def check_blueprint(mesh):
    """Fails where the node is no mesh after Conduit's blueprint: one explicit coordset, unstructured
    topologies of one shape or mixed, fields that fit the set they are associated with."""
    sizes = {}
    for name, coordset in mesh["coordsets"].items():
        assert coordset["type"] == "explicit"
        lengths = {len(values) for values in coordset["values"].values()}
        assert set(coordset["values"]) in ({"x", "y"}, {"x", "y", "z"}) and len(lengths) == 1
        sizes[name] = lengths.pop()
    cells = {}
    for name, topology in mesh["topologies"].items():
        assert topology["type"] == "unstructured" and topology["coordset"] in sizes
        elements = topology["elements"]
        connectivity = elements["connectivity"]
        assert all(0 <= point < sizes[topology["coordset"]] for point in connectivity)
        if elements["shape"] != "mixed":
            corners = SHAPES[elements["shape"]][1]
            assert len(connectivity) % corners == 0
            cells[name] = len(connectivity) // corners
            continue
        numbers = {elements["shape_map"][shape]: SHAPES[shape] for shape in elements["shape_map"]}
        assert all(number == known[0] for number, known in numbers.items())
        assert len(elements["shapes"]) == len(elements["sizes"]) == len(elements["offsets"])
        assert [numbers[shape][1] for shape in elements["shapes"]] == elements["sizes"]
        assert elements["offsets"] == [sum(elements["sizes"][:i])
                                       for i in range(len(elements["sizes"]))]
        assert sum(elements["sizes"]) == len(connectivity)
        cells[name] = len(elements["shapes"])
    for name, field in mesh["fields"].items():
        assert field["association"] in ("vertex", "element") and field["topology"] in cells, name
        assert field["volume_dependent"] in ("true", "false")
        topology = mesh["topologies"][field["topology"]]
        n = (cells[field["topology"]] if field["association"] == "element"
             else sizes[topology["coordset"]])
        values = field["values"]
        for component in values.values() if isinstance(values, dict) else [values]:
            assert len(component) == n, name


def test_files_and_their_series(tmp_path):
    done = drive("auto", tmp_path, 3, 2, "mesh,rcb")
    assert done.stdout.startswith("hdf: there are no scripts")
    series = json.loads((tmp_path / "rcb.hdf.series").read_text())
    assert [(f["name"], f["time"]) for f in series["files"]] == [
        (f"rcb_{step:06d}.hdf", step / 2) for step in range(3)]
    for step in range(3):
        cells = files_at(tmp_path, "mesh", step)
        element = cells["element"]
        assert (cells["block"] == element // (8 * (step + 1))).all()
        assert cells["density"] == pytest.approx(element + step / 10)
        assert (cells["momentum"] == numpy.stack([element, -element], 1)).all()
    assert not list(tmp_path.glob("*.tmp"))


def double(folder, **more):
    """The environment in which catalyst2 finds the double, and what passes for ParaView's
    implementation beside it."""
    (folder / "libcatalyst-paraview.so").touch()
    return {"TESS_CATALYST": str(BUILD / "tests/libcatalyst_double.so"),
            "CATALYST_DOUBLE_LOG": str(folder / "log"),
            "CATALYST_IMPLEMENTATION_PATHS": f"/nowhere:{folder}", **more}


def watching(folder):
    """A script that watches, so that nobody waits for files."""
    script = folder / "script.py"
    script.write_text("EnableCatalystLive")
    return script


def calls_of(folder):
    return [json.loads(line) for line in (folder / "log").read_text().splitlines()]


@pytest.mark.parametrize("dimension", [2, 3])
def test_catalyst2_gives_a_double_the_same_arrays(tmp_path, dimension):
    script = watching(tmp_path)
    done = drive("catalyst2", tmp_path, 2, dimension, "mesh,other", script, **double(tmp_path),
                 TESS_VIZ_LIVE="there:22")
    assert "Catalyst Live looks" in done.stdout and "listens at there:22" in done.stdout
    drive("hdf", tmp_path, 2, dimension, "mesh,other")
    calls = calls_of(tmp_path)
    assert [call["call"] for call in calls] == ["initialize", "execute", "execute", "finalize"]
    start = tree_of(calls[0]["node"])
    assert start["catalyst"]["scripts"] == {"script0": str(ROOT / "viz/scripts/failures.py"),
                                            "script1": str(script)}
    assert start["catalyst_load"]["implementation"] == "paraview"
    for step, call in enumerate(calls[1:3]):
        node = tree_of(call["node"])["catalyst"]
        assert node["state"] == {"timestep": step, "time": step / 2}
        assert set(node["channels"]) == {"mesh", "other"}
        for name, channel in node["channels"].items():
            assert channel["type"] == "mesh"
            check_blueprint(channel["data"])
            check_same(channel["data"], files_at(tmp_path, name, step))


def test_every_channel_is_in_the_first_step_whatever_its_name(tmp_path):
    """ParaView's adaptor knows no channel that comes later, and a name of 65 letters is one name."""
    late = "metis_" + "x" * 59
    assert len(late) == 65
    given = double(tmp_path, VIZ_DRIVER_LATE="1")
    drive("catalyst2", tmp_path, 2, 2, f"mesh,{late}", watching(tmp_path), **given)
    drive("hdf", tmp_path, 2, 2, f"mesh,{late}", VIZ_DRIVER_LATE="1")
    first, second = (tree_of(call["node"])["catalyst"]["channels"] for call in calls_of(tmp_path)[1:3])
    assert set(first) == set(second) == {"mesh", late}
    check_blueprint(first[late]["data"])
    assert first[late]["data"]["topologies"]["mesh"]["elements"]["connectivity"] == []
    check_same(second[late]["data"], files_at(tmp_path, late, 1))
    done = drive("catalyst2", tmp_path, 2, 2, "x" * 201, watching(tmp_path), code=2, **given)
    assert "up to 200 letters" in done.stderr


@pytest.mark.parametrize("cells", ["pyramids", "prisms"])
def test_pyramids_and_wedges_alone_are_mixed_cells(tmp_path, cells):
    """As ParaView 5.11's adaptor takes them; a Conduit before 0.8.5 takes them in no way."""
    given = double(tmp_path, VIZ_DRIVER_CELLS=cells)
    drive("catalyst2", tmp_path, 1, 3, "mesh", watching(tmp_path), **given)
    drive("hdf", tmp_path, 1, 3, "mesh", VIZ_DRIVER_CELLS=cells)
    mesh = tree_of(calls_of(tmp_path)[1]["node"])["catalyst"]["channels"]["mesh"]["data"]
    check_blueprint(mesh)
    check_same(mesh, files_at(tmp_path, "mesh", 0))
    done = drive("catalyst2", tmp_path, 1, 3, "mesh", watching(tmp_path), code=4, **given,
                 CATALYST_DOUBLE_CONDUIT="0.8.3")
    assert "0.8.5" in done.stderr and "--viz paraview" in done.stderr


@pytest.mark.parametrize("cells, dimension, n_cells", [("pyramids", 3, 384), (None, 3, 224), (None, 2, 24)])
def test_cells_that_paraview_leaves_out_are_told(tmp_path, cells, dimension, n_cells):
    """ParaView 5.11 returns 0 and knows no mixed cells: 64 hexes in pyramids, or half of them; half of 16 quads
    in triangles."""
    given = double(tmp_path, **{"VIZ_DRIVER_CELLS": cells} if cells else {})
    drive("catalyst2", tmp_path, 2, dimension, "mesh,other", watching(tmp_path), **given)
    done = drive("catalyst2", tmp_path, 2, dimension, "mesh,other", watching(tmp_path), code=4, **given,
                 CATALYST_DOUBLE_PARAVIEW="5.11")
    assert f"taken 0 of the {n_cells} cells of 'mesh'" in done.stderr and "--viz paraview" in done.stderr


def check_same(mesh, files):
    points = mesh["coordsets"]["coords"]["values"]
    assert numpy.stack([points[axis] for axis in "xyz"], 1) == pytest.approx(files["points"], abs=0)
    elements = mesh["topologies"]["mesh"]["elements"]
    assert elements["shapes"] == files["types"].tolist()
    assert elements["offsets"] == files["offsets"][:-1].tolist()
    assert elements["connectivity"] == files["connectivity"].tolist()
    fields = {name: field["values"] for name, field in mesh["fields"].items()}
    for name in ("explode", "momentum"):
        parts = fields.pop(name)
        joined = numpy.stack([parts[axis] for axis in "xyz" if axis in parts], 1)
        assert (joined.astype("f4") == files[name]).all(), name
    assert set(fields) == set(files) - {"points", "types", "offsets", "connectivity", "explode",
                                        "momentum"}
    for name, values in fields.items():
        assert (numpy.array(values).astype(files[name].dtype) == files[name]).all(), name


@pytest.mark.parametrize("call, status, code, words", [
    ("initialize", "3", 4, "was not found"), ("initialize", "4", 4, "is no Catalyst library"),
    ("initialize", "6", 4, "another version"), ("initialize", "100", 1, "fails with status 100"),
    ("execute", "3", 1, "cycle 0"), ("finalize", "3", 1, "does not end well")])
def test_a_failing_catalyst_is_told(tmp_path, call, status, code, words):
    done = drive("catalyst2", tmp_path, 2, 2, "mesh", watching(tmp_path), code=code,
                 **double(tmp_path, CATALYST_DOUBLE_FAILS=call, CATALYST_DOUBLE_STATUS=status))
    assert words in done.stderr


def test_a_libcatalyst_without_an_implementation_is_told_and_passed_over(tmp_path):
    given = double(tmp_path, TESS_PARAVIEW_PLUGIN="/nowhere/p.so")
    (tmp_path / "libcatalyst-paraview.so").unlink()
    script = watching(tmp_path)
    done = drive("catalyst2", tmp_path, 1, 2, "mesh", script, code=4, **given)
    assert f"no libcatalyst-paraview.so in /nowhere:{tmp_path}, nor in" in done.stderr
    done = drive("auto", tmp_path, 1, 2, "mesh", script, **given)
    assert "no catalyst2 (there is no libcatalyst-paraview.so" in done.stdout
    assert done.stdout.strip().endswith("so hdf")
    assert not (tmp_path / "log").exists()


def test_what_the_linker_says_of_libcatalyst_is_told(tmp_path):
    """A libcatalyst whose own libraries are missing is there."""
    broken = tmp_path / "libcatalyst.so"
    broken.write_text("no library")
    script = watching(tmp_path)
    done = drive("catalyst2", tmp_path, 1, 2, "mesh", script, code=4, TESS_CATALYST=str(broken))
    assert "file too short" in done.stderr or "invalid ELF header" in done.stderr
    done = drive("catalyst2", tmp_path, 1, 2, "mesh", script, code=4, TESS_CATALYST="",
                 LD_LIBRARY_PATH=str(tmp_path))
    assert "libcatalyst.so does not open" in done.stderr and "header" in done.stderr \
        or "too short" in done.stderr
    done = drive("catalyst2", tmp_path, 1, 2, "mesh", script, code=4, TESS_CATALYST="")
    assert "no libcatalyst.so.3, libcatalyst.so.2 or libcatalyst.so" in done.stderr


READ_EXTRACT = """
import json, sys
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPartitionedDataSetReader
reader = vtkXMLPartitionedDataSetReader()
reader.SetFileName(sys.argv[1])
reader.Update()
grid = reader.GetOutput().GetPartition(0)
data = {"points": vtk_to_numpy(grid.GetPoints().GetData()).tolist(),
        "types": vtk_to_numpy(grid.GetCellTypesArray()).tolist(),
        "connectivity": vtk_to_numpy(grid.GetCells().GetConnectivityArray()).tolist(),
        "offsets": vtk_to_numpy(grid.GetCells().GetOffsetsArray()).tolist()}
for arrays in (grid.GetCellData(), grid.GetPointData()):
    for i in range(arrays.GetNumberOfArrays()):
        data[arrays.GetArrayName(i)] = vtk_to_numpy(arrays.GetArray(i)).tolist()
print(json.dumps(data))
"""


@pytest.mark.parametrize("dimension", [2, 3])
def test_paraview_gets_the_same_arrays_and_scripts_draw(tmp_path, dimension):
    need_paraview()
    drive("paraview", tmp_path, 2, dimension, "mesh", ROOT / "viz/scripts/blocks.py")
    drive("hdf", tmp_path, 2, dimension, "mesh")
    assert len(glob.glob(str(tmp_path / "blocks_00000?.png"))) == 2
    done = subprocess.run(["pvpython", "/dev/stdin", tmp_path / "mesh_000001.vtpd"],
                          input=READ_EXTRACT, capture_output=True, text=True, **limited(120))
    assert done.returncode == 0, done.stderr
    extract = json.loads(done.stdout)
    files = files_at(tmp_path, "mesh", 1)
    assert set(extract) == set(files)
    for name, values in files.items():
        assert (numpy.array(extract[name]).astype(values.dtype) == values).all(), name


@pytest.mark.slow
def test_the_shipped_scripts_run(tmp_path):
    need_paraview()
    drive("paraview", tmp_path / "film", 2, 2, "mesh,rcb", ROOT / "viz/scripts/partitioning.py")
    assert (tmp_path / "film/partitioning.ogv").stat().st_size > 10000
    drive("paraview", tmp_path / "solution", 2, 3, "mesh", ROOT / "viz/scripts/solution.py")
    assert (tmp_path / "solution/solution_000001.png").exists()
    done = drive("paraview", tmp_path / "none", 2, 2, "mesh", ROOT / "viz/scripts/solution.py",
                 code=1, TESS_VIZ_FIELD="vorticity")
    assert "known are" in done.stderr and "failed at cycle 0" in done.stderr


@pytest.mark.parametrize("text, code, words", [
    ("\nimport nosuch", 1, "script.py' cannot be imported: ModuleNotFoundError: No module named "
     "'nosuch' (line 2)"),
    ("def f(:", 1, "script.py' cannot be imported: SyntaxError"),
    # late, when the first step has left a file
    ("def catalyst_execute(info):\n    WRITE\n    1 / (1 - info.timestep)", 1,
     "script.py' failed at cycle 1: ZeroDivisionError: division by zero (line 3)"),
    ("import sys\ndef catalyst_execute(info):\n    WRITE\n    sys.exit(7)", 1,
     "failed at cycle 0: ScriptExit: the script exits with 7"),
    ("def catalyst_execute(info):\n    WRITE\ndef catalyst_finalize():\n    raise SystemExit", 1,
     "failed at the end: ScriptExit (line 4)"),
    ("def catalyst_execute(info):\n    pass", 1, "wrote nothing into"),
    (None, 3, "cannot be read: No such file"),
])
def test_bad_scripts_are_told(tmp_path, text, code, words):
    need_paraview()
    script = tmp_path / "script.py"
    if text is not None:
        write = "open(__import__('os').environ['TESS_VIZ_FOLDER'] + '/seen', 'w').write('1')"
        script.write_text(text.replace("WRITE", write))
    done = drive("paraview", tmp_path / "out", 2, 2, "mesh", script, code=code)
    assert words in done.stderr and str(script) in done.stderr + str(script)


def test_a_script_that_python_would_not_find_is_told_before_the_work(tmp_path):
    need_paraview()
    (tmp_path / "script").write_text("def catalyst_execute(info):\n    pass")
    done = drive("paraview", tmp_path / "out", 2, 2, "mesh", tmp_path / "script", code=3)
    assert f"the Catalyst script '{tmp_path}/script' cannot be imported by Python: end its name with .py" in done.stderr


def test_a_file_in_the_place_of_the_folder_is_told_before_the_work(tmp_path):
    (tmp_path / "out").write_text("")
    done = drive("hdf", tmp_path / "out", 2, 2, "mesh", code=1)
    assert "out' is a file: --viz-folder names a folder" in done.stderr and not done.stdout


def test_paraview_tells_how_many_cells_it_has(tmp_path):
    """By which catalyst2 knows what ParaView's adaptor left out."""
    need_paraview()
    script = tmp_path / "script.py"
    script.write_text("""
import os
def catalyst_execute(info):
    with open(os.environ["TESS_VIZ_FOLDER"] + "/seen", "a") as seen:
        print(os.environ["TESS_VIZ_SEEN"], file=seen)
""")
    drive("paraview", tmp_path, 2, 3, "mesh,other", script, VIZ_DRIVER_LATE="1")
    assert (tmp_path / "seen").read_text().splitlines() == ["mesh=224,other=0", "mesh=224,other=224"]


def test_without_an_x_server_only_scripts_that_draw_fail(tmp_path):
    """They fail before the work where ParaView would end the process; with catalyst2, whose ParaView
    may draw without a server, at their first view."""
    need_paraview()
    broken = tmp_path / "Xvfb"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    nothing = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "DISPLAY": ""}
    done = drive("paraview", tmp_path / "out", 2, 2, "mesh", ROOT / "viz/scripts/blocks.py", code=4,
                 **nothing)
    assert "nothing to render on" in done.stderr
    script = tmp_path / "script.py"
    script.write_text("""
import os
from paraview import simple
def catalyst_execute(info):
    open(os.environ["TESS_VIZ_FOLDER"] + "/seen", "w").write("1")
    if info.timestep == 1:
        getattr(simple, "Create" + "View")("Render" "View")  # nobody sees that it draws
""")
    drive("paraview", tmp_path / "out", 1, 2, "mesh", script, **nothing)
    done = drive("paraview", tmp_path / "out", 2, 2, "mesh", script, code=1, **nothing)
    assert "failed at cycle 1: RuntimeError: there is no X server to draw on" in done.stderr
    done = drive("catalyst2", tmp_path / "none", 1, 2, "mesh", ROOT / "viz/scripts/blocks.py", code=1,
                 **double(tmp_path, **nothing))
    assert "warning: no X server" in done.stdout and "wrote nothing" in done.stderr


def test_what_is_missing_or_mistyped_is_told(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("")
    nowhere = {"TESS_CATALYST": "/nowhere/libcatalyst.so", "TESS_PARAVIEW_PLUGIN": "/nowhere/p.so"}
    done = drive("catalyst2", tmp_path, 1, 2, "mesh", script, code=4, **nowhere)
    assert "/nowhere/libcatalyst.so" in done.stderr
    done = drive("paraview", tmp_path, 1, 2, "mesh", script, code=4, **nowhere)
    assert "apt-get install" in done.stderr
    done = drive("auto", tmp_path, 1, 2, "mesh", script, **nowhere)
    assert "no catalyst2" in done.stdout and "no paraview" in done.stdout and "hdf" in done.stdout
    done = drive("parview", tmp_path, 1, 2, "mesh", code=2)
    assert "did you mean 'paraview'" in done.stderr
    done = drive("hdf", tmp_path, 1, 2, "a b", code=2)
    assert "'a b'" in done.stderr
    assert drive("off", tmp_path, 1, 2, "mesh").stdout.strip() == ""


# What ParaView's own window does at Catalyst, Connect. The events come with the notifications; an
# extract that is asked for before the program has connected stays empty for ever.
WATCH = """
import os, sys, time
from paraview import live
def say(*words):  # ParaView's own sys.stdout may keep words to itself, even when it is flushed
    os.write(1, (" ".join(map(str, words)) + chr(10)).encode())
link = live.ConnectToCatalyst("localhost", int(sys.argv[1]))
steps = []
link.AddObserver("UpdateEvent", lambda link, event: steps.append(event))
say("listening")
def wait_until(done):
    while not done():
        live.ProcessServerNotifications()
        time.sleep(0.02)
wait_until(lambda: steps)
say("connected")
mesh = live.ExtractCatalystData(link, "mesh")
def is_there():
    mesh.UpdatePipeline()
    return mesh.GetDataInformation().GetNumberOfCells() > 0
wait_until(is_there)
say(mesh.GetDataInformation().GetNumberOfCells(),
    *sorted(mesh.GetCellDataInformation().keys()))
"""


def wait_for(word, path, watcher):
    """Waits until the watcher has written the line."""
    end = time.time() + HANG
    while word not in path.read_text().splitlines():
        assert watcher.poll() is None and time.time() < end, (
            f"the watcher did not say '{word}' but: {path.read_text()}")
        time.sleep(0.1)


@pytest.mark.slow
def test_catalyst_live_round_trip_on_loopback(tmp_path):
    need_paraview()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    seen = tmp_path / "seen"
    with open(seen, "w") as said:
        watcher = subprocess.Popen(["pvpython", "/dev/stdin", port], stdin=subprocess.PIPE,
                                   stdout=said, stderr=subprocess.STDOUT, text=True)
    program = None
    try:
        watcher.stdin.write(WATCH)
        watcher.stdin.close()
        wait_for("listening", seen, watcher)
        program = subprocess.Popen(
            [BUILD / "tests/viz_driver", "paraview", tmp_path, "10000", "2", "mesh",
             ROOT / "viz/scripts/live.py"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, TESS_VIZ_LIVE=f"127.0.0.1:{port}", VIZ_DRIVER_PAUSE="50"))
        wait_for("connected", seen, watcher)
        watcher.wait(timeout=HANG)
    finally:
        watcher.kill()
        if program:
            program.terminate()
            program.wait(timeout=HANG)
    assert ("24 block block_elements density display_colour element momentum"
            in seen.read_text().splitlines())


@pytest.mark.slow
def test_a_program_waits_for_a_paraview_that_comes_later(tess_bin, tmp_path):
    """Without --wait a partition is over before anybody connects; the program says who has come."""
    need_paraview()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [tess_bin, "partition", "quads:nx=12:ny=9", "--map", "cells:nodes", "--partitioner", "rcb", "--lab",
               tmp_path / "lab", "--viz", "paraview", "--catalyst", "live.py", "--viz-folder", tmp_path / "out", "--wait"]
    told = {**os.environ, "TESS_VIZ_LIVE": f"127.0.0.1:{port}"}
    done = subprocess.run([*command, "0.3"], capture_output=True, text=True, **limited(), env=told)
    assert done.returncode == 0 and "no ParaView has connected in 0.3 s: going on" in done.stderr
    program = subprocess.Popen([*command, "600"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=told)
    watcher = None
    try:
        with open(tmp_path / "seen", "w") as said:
            watcher = subprocess.Popen(["pvpython", "/dev/stdin", port], stdin=subprocess.PIPE, stdout=said,
                                       stderr=subprocess.STDOUT, text=True)
        watcher.stdin.write(WATCH)
        watcher.stdin.close()
        words = program.communicate(timeout=HANG)[1]
    finally:
        program.kill()
        if watcher:
            watcher.kill()
    assert program.returncode == 0 and "a ParaView has connected" in words and "going on" not in words
