"""ParaView's window: `tess view RUN` shows the blocks in their colours, and so do the macro that `tess view --install` gives it
and a state beside the view."""

import json
import os
import shutil
import struct
import subprocess
import time

import numpy
import pytest
from conftest import HANG, ROOT, limited
import tet_duals

HUES = ["56b4e9", "e69f00", "009e73", "f0e442"]  # the first display colours of scene.py


def screen(path):
    """The pixels [height][width][3] of an X server's screen, which it keeps as an XWD file."""
    data = path.read_bytes()
    size, _, _, _, width, height = struct.unpack(">6I", data[:24])
    row, = struct.unpack(">I", data[48:52])
    n_colours, = struct.unpack(">I", data[76:80])
    begin = size + 12 * n_colours
    rows = numpy.frombuffer(data[begin:begin + row * height], "u1").reshape(height, row)
    return rows[:, :4 * width].reshape(height, width, 4)[:, :, 2::-1]


@pytest.fixture
def server(tmp_path):
    """An X server: its display and the file of its screen."""
    for program, package in (("paraview", "paraview"), ("Xvfb", "xvfb")):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing (Debian: apt-get install {package})")
    reads, writes = os.pipe()
    xvfb = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writes), "-noreset", "-screen", "0", "1280x1024x24", "-fbdir",
         tmp_path], pass_fds=[writes], stderr=subprocess.DEVNULL)
    os.close(writes)
    with os.fdopen(reads) as numbers:
        yield ":" + numbers.readline().strip(), tmp_path / "Xvfb_screen0"
    xvfb.terminate()
    xvfb.wait()


def home_without_welcome(folder):
    """A home whose ParaView opens without its welcome, which would hide the view."""
    version = subprocess.run(["pvpython", "--version"], capture_output=True, text=True, **limited()).stdout.split()[-1]
    settings = folder / f"home/.config/ParaView/ParaView{version}.ini"
    settings.parent.mkdir(parents=True)
    settings.write_text("[General]\nGeneralSettings.ShowWelcomeDialog=false\n")
    return folder / "home"


def count_pixels(path):
    """How many pixels of the screen have each of the hues."""
    pixels = screen(path).astype(int)
    hues = [[int(hue[i:i + 2], 16) for i in (0, 2, 4)] for hue in HUES]
    return [int((abs(pixels - hue).max(2) <= 2).sum()) for hue in hues]


def wait_for_blocks(command, shown, n_hues=4, least=2000, **how):
    """Starts ParaView and waits until its window shows blocks in so many hues."""
    end = time.time() + HANG
    while max(count_pixels(shown)):  # what is counted is this window's
        assert time.time() < end, "the screen is not empty"
        time.sleep(0.1)
    window = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **how)
    try:
        while sum(n >= least for n in count_pixels(shown)) < n_hues:
            assert window.poll() is None, f"ParaView ended with {window.returncode}"
            assert time.time() < end, f"no blocks on the screen: {count_pixels(shown)} pixels"
            time.sleep(0.5)
    finally:
        window.terminate()
        try:
            window.wait(timeout=HANG)
        except subprocess.TimeoutExpired:
            window.kill()


@pytest.mark.slow
def test_the_window_shows_the_blocks(tess, tess_bin, server, tmp_path):
    display, shown = server
    lab = tmp_path / "lab"
    tess("partition", "quads:nx=20:ny=20", "--map", "cells:nodes", "--partitioner", "rcb",
         "--block-size", "25", "--lab", lab)
    environment = dict(os.environ, DISPLAY=display, HOME=str(home_without_welcome(tmp_path)), XDG_CONFIG_HOME="")
    wait_for_blocks([tess_bin, "view", "@last", "--outline", "--lab", lab], shown, env=environment)
    folder = tess("view", "--install", env=environment).stdout.strip()
    assert folder == str(tmp_path / "home/.config/ParaView/Macros")
    macros = sorted(path.name for path in (tmp_path / folder).iterdir())
    assert macros == ["Tesselab blocks.py", "Tesselab lab.py", "Tesselab side by side.py"]
    wait_for_blocks(["paraview", f"--script={folder}/Tesselab lab.py"], shown, env=environment, cwd=tmp_path)
    state = tess("view", "@last", "--explode", "0.2", "--state", "--lab", lab, "--json", env=environment)
    wait_for_blocks(["paraview", json.loads(state.stdout)["state"]], shown, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize("make, name, n, map", [(tet_duals.square, "square.vtu", 15, "edges:cells"), (tet_duals.poly_mesh, "box", 4, "faces:cells")])
def test_the_window_shows_polytopes(tess, tess_bin, server, tmp_path, make, name, n, map):
    """Light leaves few pixels of a solid their hue, and one block lies behind the others."""
    display, shown = server
    expected = {"n_hues": 3, "least": 200} if map == "faces:cells" else {}
    mesh = make(tmp_path / name, n)
    tess("partition", mesh, "--map", map, "--partitioner", "rcb", "--block-size", "25", "--lab", tmp_path / "lab")
    environment = dict(os.environ, DISPLAY=display, HOME=str(home_without_welcome(tmp_path)), XDG_CONFIG_HOME="")
    wait_for_blocks([tess_bin, "view", "@last", "--explode", "0.2", "--lab", tmp_path / "lab"], shown, **expected, env=environment)


# Selects in the left view, then in the right one, at which the window clears the left one, then clears all: writes what is selected
# in both.
SELECT = """
import json, os, sys
sys.path.insert(0, {scripts!r})
import tesselab_paraview
from paraview import simple
sources = [simple.OpenDataFile(path) for path in {paths!r}]
tesselab_paraview.side_by_side()
told = []
def tell():
    told.append([tesselab_paraview.selected_elements(source).tolist() for source in sources])
simple.QuerySelect("(element >= 40) & (element <= 44)", "CELL", sources[0])
tell()
simple.QuerySelect("element == 7", "CELL", sources[1])
sources[0].SMProxy.CleanSelectionInputs(0)
tell()
simple.ClearSelection(sources[1])
tell()
json.dump(told, open({told!r}, "w"))
os._exit(0)
"""


@pytest.mark.slow
def test_what_is_selected_in_one_view_is_selected_in_both(tess, server, tmp_path):
    """The window looks at selections that a console does not, and ended on some."""
    tess("partition", "quads:nx=12:ny=12", "--map", "edges:cells", "-p", "rcb,hilbert", "-b", "32", "--lab", tmp_path / "lab")
    paths = json.loads(tess("view", "@last~1", "@last", "--lab", tmp_path / "lab", "--json").stdout)["views"]
    script, told = tmp_path / "select.py", tmp_path / "told.json"
    script.write_text(SELECT.format(scripts=str(ROOT / "viz/scripts"), paths=paths, told=str(told)))
    environment = dict(os.environ, DISPLAY=server[0], HOME=str(home_without_welcome(tmp_path)), XDG_CONFIG_HOME="")
    done = subprocess.run(["paraview", f"--script={script}"], env=environment, capture_output=True, text=True, **limited())
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(told.read_text()) == [[[40, 41, 42, 43, 44]] * 2, [[7]] * 2, [[]] * 2]
