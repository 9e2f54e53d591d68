"""Pictures show what the view holds: checked pixel by pixel, not by looking."""

import os
import shutil
import struct
import subprocess
import zlib

import h5py
import numpy
import pytest

from conftest import ROOT

SCRIPT = ROOT / "viz/scripts/view.py"


@pytest.fixture(scope="module")
def display():
    """An X server for this module: the number of its display."""
    if not shutil.which("pvpython"):
        pytest.skip("ParaView is missing (Debian: apt-get install python3-paraview)")
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is missing (Debian: apt-get install xvfb)")
    reads, writes = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writes), "-noreset", "-screen", "0", "1280x1024x24"],
        pass_fds=[writes], stderr=subprocess.DEVNULL)
    os.close(writes)
    with os.fdopen(reads) as numbers:
        yield ":" + numbers.readline().strip()
    server.terminate()
    server.wait()


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    folder = tmp_path_factory.mktemp("views")
    subprocess.run([ROOT / "build/release/bin/vtkhdf_test"], check=True, capture_output=True,
                   env=dict(os.environ, TESS_VIEW_FOLDER=str(folder)), timeout=60)
    return folder


def view(display, *arguments):
    return subprocess.run(["pvpython", SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                          env=dict(os.environ, DISPLAY=display), timeout=120)


def pixels(path):
    """The pixels [height][width][3] of a PNG of 8-bit colours."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6)
    at, packed = 8, b""
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    channels = 3 if kind == 2 else 4
    rows = numpy.frombuffer(zlib.decompress(packed), "u1").reshape(height, 1 + width * channels)
    image = numpy.zeros((height, width * channels), "u1")
    for y, row in enumerate(rows):
        above = image[y - 1] if y else numpy.zeros(width * channels, "u1")
        image[y] = unfiltered(int(row[0]), row[1:], above, channels)
    return image.reshape(height, width, channels)[:, :, :3]


def unfiltered(kind, row, above, step):
    if kind == 0:
        return row
    if kind == 2:
        return row + above
    out = [0] * len(row)
    for i, value in enumerate(row.tolist()):
        left = out[i - step] if i >= step else 0
        up = int(above[i])
        corner = int(above[i - step]) if i >= step else 0
        guess = {1: left, 3: (left + up) // 2}.get(kind)
        if guess is None:  # Paeth
            guess = min((left, up, corner), key=lambda c: abs(left + up - corner - c))
        out[i] = (value + guess) & 255
    return out


def hue(i):
    hues = ["56b4e9", "e69f00", "009e73", "f0e442", "cc79a7", "0072b2", "d55e00", "bbbbbb"]
    return [int(hues[i][j:j + 2], 16) for j in (0, 2, 4)]


def middles(path):
    """The middle of each cell of a view [n][2], its arrays, and the bounds of the points."""
    with h5py.File(path) as file:
        grid = file["VTKHDF"]
        points, offsets = grid["Points"][:, :2], grid["Offsets"][:]
        corners = points[grid["Connectivity"][:]]
        middle = numpy.add.reduceat(corners, offsets[:-1]) / numpy.diff(offsets)[:, None]
        arrays = {name: grid["CellData"][name][:] for name in grid["CellData"]}
    return middle, arrays, points.min(0), points.max(0)


def test_every_element_has_the_colour_of_its_block(display, views, tmp_path):
    png = tmp_path / "edges.png"
    for colour in ("display_colour", "thread_colour", "block_colour"):
        done = view(display, views / "edges.hdf", "--png", png, "--size", "600x400", "--no-edges",
                    "--no-caption", "--colour", colour, "--zoom", "1")
        assert done.returncode == 0, done.stderr
        image = pixels(png)
        assert image.shape == (400, 600, 3)
        middle, arrays, low, high = middles(views / "edges.hdf")
        half = 1.04 * max((high[1] - low[1]) / 2, (high[0] - low[0]) / 2 / 1.5)
        for (x, y), value in zip(middle - (low + high) / 2, arrays[colour]):
            column, row = 300 + x / half * 200, 200 - y / half * 200
            pixel = image[int(row), int(column)]
            assert abs(pixel.astype(int) - hue(value)).max() <= 2, (colour, x, y)


def test_exploded_blocks_are_apart_and_outlined(display, views, tmp_path):
    shares = []
    for factor in ("0", "0.6"):
        png = tmp_path / f"{factor}.png"
        done = view(display, views / "edges.hdf", "--png", png, "--size", "600x400", "--outline",
                    "--no-caption", "--explode", factor)
        assert done.returncode == 0, done.stderr
        image = pixels(png).reshape(-1, 3)
        assert (image.max(1) < 60).mean() > 0.001  # black outlines; edges are lighter
        shares.append((image.min(1) > 250).mean())
    assert shares[1] > shares[0] + 0.05


def test_solids_are_cut_and_single_blocks_shown(display, views, tmp_path):
    for name, options in (("cells", ["--cut", "y=0.5"]), ("faces", ["--block", "3"]),
                          ("cells", ["--colour", "reuse", "--explode", "0.3"])):
        png = tmp_path / "solid.png"
        done = view(display, views / f"{name}.hdf", "--png", png, "--size", "300x200", *options)
        assert done.returncode == 0, done.stderr
        share = (pixels(png).reshape(-1, 3).min(1) < 250).mean()
        assert 0.1 < share < 0.95, (name, options)
        png.unlink()


def test_side_by_side_is_one_picture(display, views, tmp_path):
    png = tmp_path / "three.png"
    done = view(display, *[views / "edges.hdf"] * 3, "--side-by-side", "--png", png, "--size",
                "300x200")
    assert done.returncode == 0, done.stderr
    image = pixels(png)
    assert image.shape == (400, 600, 3)
    quarter = [image[y:y + 160, x:x + 290] for y in (2, 202) for x in (4, 304)]
    filled = [(q.reshape(-1, 3).min(1) < 250).mean() > 0.2 for q in quarter]
    assert filled == [True, True, True, False]


@pytest.mark.parametrize("options, code, words", [
    (["--colour", "colour"], 1, "known are block, "),
    (["--cut", "q"], 1, "say x=0.5"),
    (["--block", "99"], 1, "there is no block 99"),
    (["--size", "big"], 1, "1200x800"),
    (["--explode", "far"], 2, "--explode"),
])
def test_wrong_options_are_told(display, views, tmp_path, options, code, words):
    done = view(display, views / "edges.hdf", "--png", tmp_path / "no.png", *options)
    assert done.returncode == code and words in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_what_is_missing_is_told(display, views, tmp_path):
    done = view(":987", views / "edges.hdf", "--png", tmp_path / "no.png")
    assert done.returncode == 4 and "apt-get install xvfb" in done.stderr
    done = view(display, tmp_path / "none.hdf", "--png", tmp_path / "no.png")
    assert done.returncode == 1 and "none.hdf" in done.stderr
    done = view(display, views / "edges.hdf", "--png", tmp_path / "nowhere" / "no.png")
    assert done.returncode == 1 and "no picture" in done.stderr


