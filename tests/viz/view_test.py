"""Pictures show what the view holds: checked pixel by pixel, not by looking."""

import json
import os
import shutil
import subprocess

import h5py
import numpy
import pytest
from PIL import Image

from conftest import ROOT, limited

SCRIPT = ROOT / "viz/scripts/view.py"


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    folder = tmp_path_factory.mktemp("views")
    subprocess.run([ROOT / "build/release/tests/vtkhdf_test"], check=True, capture_output=True,
                   env=dict(os.environ, TESS_VIEW_FOLDER=str(folder)), **limited(60))
    return folder


# Runs view.py again and again in one pvpython, which takes seconds to start: a line of JSON with its
# arguments comes in, one with its exit code and its words goes out.
SERVE = """
import contextlib, io, json, os, sys
sys.path.insert(0, sys.argv[1])
import view
# A new session looks for the help of each filter, in half a second, which nobody reads.
view.scene.servermanager.ProxyNamespace.getDocumentation = lambda self, name: ""
for line in open(0):  # sys.stdin and sys.stdout are ParaView's own here, and buffer
    words = io.StringIO()
    with contextlib.redirect_stderr(words):
        try:
            code = view.main(json.loads(line))
        except SystemExit as usage:
            code = usage.code
    names = sorted(name for name, _ in view.simple.GetSources())
    manager = view.scene.servermanager.ProxyManager()
    links = [manager.GetLinkName(i) for i in range(manager.GetNumberOfLinks())]
    seen = {"sources": names, "links": [link for link in links if link.startswith("cameras")],
            "layouts": len(view.simple.GetLayouts())}
    view.simple.ResetSession()
    os.write(1, (json.dumps([code, words.getvalue(), seen]) + chr(10)).encode())
"""


@pytest.fixture(scope="module")
def view(display, tmp_path_factory):
    """Runs view.py with arguments: gives its exit code and what it says on stderr; `run.seen` is
    what ParaView's windows would show of the last run's pipeline."""
    script = tmp_path_factory.mktemp("serve") / "serve.py"
    script.write_text(SERVE)
    with open(script.parent / "share", "w+b") as share, subprocess.Popen(
            ["pvpython", script, SCRIPT.parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, pass_fds=[share.fileno()],
            env=dict(os.environ, DISPLAY=display, TESS_PROGRESS_FD=str(share.fileno()))) as server:
        def run(*arguments):
            print(json.dumps([*map(str, arguments)]), file=server.stdin, flush=True)
            answer = server.stdout.readline()
            assert answer, "view.py took its process down"
            code, words, run.seen = json.loads(answer)
            done, parts = os.pread(share.fileno(), 64, 0).split()[:2] or (b"", b"")
            assert code or done == parts, "all parts of a picture that is made are told as done"
            return code, words

        yield run
        server.kill()


def pixels(path):
    """The pixels [height][width][3] of a picture."""
    return numpy.asarray(Image.open(path).convert("RGB"))


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


def test_every_element_has_the_colour_of_its_block(view, views, tmp_path):
    png = tmp_path / "edges.png"
    for colour in ("display_colour", "thread_colour", "block_colour"):
        code, words = view(views / "edges.hdf", "--png", png, "--size", "600x400", "--no-edges",
                           "--no-caption", "--colour", colour, "--zoom", "1")
        assert code == 0, words
        image = pixels(png)
        assert image.shape == (400, 600, 3)
        middle, arrays, low, high = middles(views / "edges.hdf")
        half = 1.04 * max((high[1] - low[1]) / 2, (high[0] - low[0]) / 2 / 1.5)
        for (x, y), value in zip(middle - (low + high) / 2, arrays[colour]):
            column, row = 300 + x / half * 200, 200 - y / half * 200
            pixel = image[int(row), int(column)]
            assert abs(pixel.astype(int) - hue(value)).max() <= 2, (colour, x, y)


def test_exploded_blocks_are_apart_and_outlined(view, views, tmp_path):
    shares = []
    for factor in ("0", "0.6"):
        png = tmp_path / f"{factor}.png"
        code, words = view(views / "edges.hdf", "--png", png, "--size", "600x400", "--outline",
                           "--no-caption", "--explode", factor)
        assert code == 0, words
        image = pixels(png).reshape(-1, 3)
        assert (image.max(1) < 60).mean() > 0.001  # black outlines; edges are lighter
        shares.append((image.min(1) > 250).mean())
    assert shares[1] > shares[0] + 0.05
    code, words = view(views / "edges.hdf", "--png", png, "--size", "600x400", "--no-caption",
                       "--explode", "0.6", "--no-outline", "--no-edges")
    assert code == 0, words
    assert (pixels(png).reshape(-1, 3).max(1) >= 60).all()


def test_the_pipeline_has_names_that_a_person_reads(view, views, tmp_path):
    code, words = view(views / "edges.hdf", "--png", tmp_path / "e.png", "--size", "150x100",
                       "--explode", "0.5")
    assert code == 0, words
    with h5py.File(views / "edges.hdf") as file:
        known = file["VTKHDF/FieldData"]
        name = " ".join(known[key][0].decode() for key in ("partitioner", "block_size")
                        if key in known)
    assert name and set(view.seen["sources"]) == {
        name, "explode", "edges", "surface", "outlines", "outlines in ink", "caption"}
    code, words = view(views / "edges.hdf", "--png", tmp_path / "e.png", "--size", "30x20")
    assert code == 0, words
    assert set(view.seen["sources"]) == {name, "surface", "edges"}, "neither edges of elements nor words have room"


def darkness(image):
    """The share of dark pixels among those of the mesh."""
    seen = image.reshape(-1, 3)[image.reshape(-1, 3).min(1) < 250]
    return (seen.max(1) < 100).mean()


def check_silhouettes(view, path, folder):
    """Outlines of jagged blocks are where another block, or the ground, begins; not those of their elements. States can
    be turned: they have sharp edges."""
    common = [path, "--size", "600x450", "--no-caption", "--no-edges", "--explode", "0.5", "--png", folder / "o.png"]
    assert view(*common)[0] == 0 and "silhouettes" in view.seen["sources"]
    outlined = pixels(folder / "o.png").astype(int)
    assert view(*common, "--no-outline")[0] == 0
    bare = pixels(folder / "o.png").astype(int)
    assert view(*common, "--state", folder / "o.pvsm")[0] == 0 and "silhouettes" not in view.seen["sources"]
    creases = pixels(folder / "o.png").astype(int)
    hue = bare / bare.max(2)[:, :, None]  # whatever the light
    near = numpy.zeros(hue.shape[:2], bool)
    for y, x in ((2, 0), (0, 2), (2, 2), (2, -2)):  # within two pixels
        other = numpy.roll(hue, (y, x), (0, 1))
        step = abs(hue - other).max(2) > 0.1
        near |= step | numpy.roll(step, (-y, -x), (0, 1))

    def lines(picture):
        return (bare - picture).max(2) > 60

    assert (lines(outlined) & near).sum() > 0.95 * lines(outlined).sum() > 1000
    assert (lines(creases) & near).sum() < 0.8 * lines(creases).sum()


def test_lines_never_hide_what_they_go_round(view, tess, tmp_path):
    """Blocks and elements of a few pixels stay in their colours, in solids of faces and where a mesh
    is graded, while the outlines of large blocks are drawn."""
    png = tmp_path / "lines.png"
    paths = []
    for mesh, loop in (("hexes:nx=16:ny=16:nz=16", "faces:cells"),
                       ("airfoil:i=200:j=60", "edges:cells")):
        tess("partition", mesh, "--map", loop, "--partitioner", "rcb", "--block-size", "128",
             "--quiet", "--lab", tmp_path / "lab")
        shown = tess("view", "@last", "--json", "--lab", tmp_path / "lab")
        paths.append(json.loads(shown.stdout)["views"][0])
    code, words = view(paths[0], "--png", png, "--size", "300x225", "--no-caption", "--explode",
                       "0.3")
    assert code == 0, words
    assert darkness(pixels(png)) < 0.15
    check_silhouettes(view, paths[0], tmp_path)
    code, words = view(paths[1], "--png", png, "--size", "1200x800", "--no-caption",
                       "--outline")
    assert code == 0, words
    image = pixels(png)
    assert darkness(image[380:420, 580:620]) < 0.2  # around the profile
    assert darkness(image[:200]) > 0.001


def test_pictures_have_the_shape_of_flat_meshes_and_tell_their_captions(view, views, tmp_path):
    png = tmp_path / "edges.png"
    code, words = view(views / "edges.hdf", "--png", png, "--no-edges")
    assert code == 0, words
    image = pixels(png)
    assert abs(image.shape[0] * image.shape[1] / (1200 * 800) - 1) < 0.01
    across = numpy.flatnonzero((image[:-100].min(2) < 250).any(0))
    assert across[-1] - across[0] > 0.75 * image.shape[1]
    with h5py.File(views / "cells.hdf") as file:
        arrays = {name: file["VTKHDF/CellData"][name][:] for name in file["VTKHDF/CellData"]}
    last = arrays["block"].max()
    own = {name: values[arrays["block"] == last] for name, values in arrays.items()}
    code, words = view(views / "cells.hdf", "--png", png, "--size", "300x200", "--block", last)
    assert code == 0, words
    _, told = Image.open(png).text["Description"].split("\n")
    assert told.startswith(f"block {last} · {own['block_elements'][0]} elements · ")
    assert (f" · reuse {own['block_reuse'][0]:.4g} · "
            f"{own['block_thread_colours'][0]} thread colours") in told


def test_one_thing_has_no_plural(view, tess, tmp_path):
    png, lab = tmp_path / "one.png", tmp_path / "lab"
    tess("partition", "quads:nx=1:ny=1", "--map", "cells:nodes", "--partitioner", "rcb", "--quiet", "--lab", lab)
    path = json.loads(tess("view", "@last", "--json", "--lab", lab).stdout)["views"][0]
    for options, words in (([], "1 block · reuse 1 · 1 block colour · 1 thread colour · components 1"),
                           (["--block", "0"], "block 0 · 1 element · 4 points · reuse 1 · 1 thread colour · components 1 · block colour 0")):
        assert view(path, "--png", png, "--size", "300x200", *options) == (0, "")
        assert Image.open(png).text["Description"].split("\n")[1] == words


def bands(image):
    """The rows of a picture in which something is drawn, as (first, last) of each band, from the top."""
    drawn = numpy.concatenate([[False], (image.min(2) < 215).any(1), [False]])
    changes = numpy.flatnonzero(drawn[1:] != drawn[:-1])
    return list(zip(changes[::2], changes[1::2] - 1))


@pytest.mark.parametrize("width, height, has_legend", [(150, 100, False), (240, 320, True), (640, 300, True)])
def test_words_overlap_neither_one_another_nor_the_mesh(view, views, tmp_path, width, height, has_legend):
    """However small the picture and long the names: each line is a band of its own, inside the picture."""
    path, png = tmp_path / "long.hdf", tmp_path / "long.png"
    shutil.copy(views / "edges.hdf", path)
    with h5py.File(path, "r+") as file:
        known = file["VTKHDF/FieldData"]
        for name in ("mesh", "partitioner"):
            known.pop(name, None)
            known.create_dataset(name, data=[b"W" * 70], dtype=h5py.string_dtype("ascii"))
    for colour in ("reuse", "size", "thread_colour") if has_legend else ("size",):
        code, words = view(path, "--png", png, "--size", f"{width}x{height}", "--no-edges", "--colour", colour)
        assert code == 0, words
        image = pixels(png)
        mesh, *legend, first, second = bands(image)
        assert mesh[1] - mesh[0] > 0.4 * height and bool(legend) == has_legend, (colour, bands(image))
        letters = max(9, min(16, width // 48))
        assert all(last - top < 1.4 * letters for top, last in (first, second)), (colour, bands(image))
        words = image[mesh[1] + 1:].min(2) < 215
        assert not words[:, :4].any() and not words[:, -4:].any(), colour
        title = words[first[0] - mesh[1] - 1:first[1] - mesh[1]].any(0)
        assert numpy.flatnonzero(title)[-1] > 0.8 * width, "no room is left unused, either"


def test_solids_are_cut_and_single_blocks_shown(view, views, tmp_path):
    for name, options in (("cells", ["--cut", "y=0.5"]), ("faces", ["--block", "3"]),
                          ("cells", ["--colour", "reuse", "--explode", "0.3"])):
        png = tmp_path / "solid.png"
        code, words = view(views / f"{name}.hdf", "--png", png, "--size", "300x200", *options)
        assert code == 0, words
        share = (pixels(png).reshape(-1, 3).min(1) < 250).mean()
        assert 0.1 < share < 0.95, (name, options)
        png.unlink()


def test_what_a_mesh_has_no_room_for_is_refused(view, views, tmp_path):
    for name, options, words in (("cells", ["--window", "0,1,0,1"], "a window is for flat meshes"),
                                 ("cells", ["--cut", "z=2"], "the fraction is between 0 and 1"),
                                 ("edges", ["--cut", "z=0.5"], "the mesh is flat")):
        code, said = view(views / f"{name}.hdf", "--png", tmp_path / "none.png", *options)
        assert code != 0 and words in said and "Traceback" not in said, said
        assert not (tmp_path / "none.png").exists()


@pytest.mark.parametrize("scale", [1e-30, 1e200])
def test_sizes_of_which_paraview_draws_nothing_are_told(view, views, tmp_path, scale):
    shutil.copy(views / "edges.hdf", tmp_path / "sized.hdf")
    with h5py.File(tmp_path / "sized.hdf", "r+") as file:
        file["VTKHDF/Points"][...] = file["VTKHDF/Points"][...] * scale
    code, words = view(tmp_path / "sized.hdf", "--png", tmp_path / "sized.png")
    assert code == 1 and "scale its coordinates" in words and not (tmp_path / "sized.png").exists()


def test_a_film_of_three_views_has_three_pictures(view, views, tmp_path):
    """Beside each other they would leave a fourth place free. The fixture looks whether as many parts are done as were begun."""
    film = tmp_path / "three.ogv"
    assert view(*[views / "edges.hdf"] * 3, "--film", film, "--size", "160x120") == (0, "")
    assert film.read_bytes()[:4] == b"OggS"


def test_side_by_side_is_one_picture(view, views, tmp_path):
    png = tmp_path / "three.png"
    code, words = view(*[views / "edges.hdf"] * 3, "--side-by-side", "--png", png, "--size",
                       "300x200")
    assert code == 0, words
    image = pixels(png)
    assert image.shape == (400, 600, 3)
    quarter = [image[y:y + 160, x:x + 290] for y in (2, 202) for x in (4, 304)]
    filled = [(q.reshape(-1, 3).min(1) < 250).mean() > 0.2 for q in quarter]
    assert filled == [True, True, True, False]
    assert view.seen["links"] == ["cameras 1 and 2", "cameras 1 and 3"]
    assert view.seen["layouts"] == 1


@pytest.mark.parametrize("options, wanted, told", [
    (["--colour", "nonsense"], 2, "known are block, "),
    (["--cut", "q"], 1, "say x=0.5"),
    (["--block", "99"], 2, "there is no block 99"),
    (["--size", "big"], 1, "1200x800"),
    (["--explode", "far"], 2, "--explode"),
])
def test_wrong_options_are_told(view, views, tmp_path, options, wanted, told):
    code, words = view(views / "edges.hdf", "--png", tmp_path / "no.png", *options)
    assert code == wanted and told in words, words
    assert not list(tmp_path.iterdir())


def test_what_is_missing_is_told(view, views, tmp_path):
    code, words = view(tmp_path / "none.hdf", "--png", tmp_path / "no.png")
    assert code == 1 and "none.hdf" in words
    code, words = view(views / "edges.hdf", "--png", tmp_path / "nowhere" / "no.png")
    assert code == 1 and "no picture" in words
    done = subprocess.run(["pvpython", SCRIPT, views / "edges.hdf", "--png", tmp_path / "no.png"],
                          capture_output=True, text=True, env=dict(os.environ, DISPLAY=":987"),
                          **limited(120))
    assert done.returncode == 4 and "apt-get install xvfb" in done.stderr


def test_lines_fade_where_elements_are_a_few_pixels(view, views, tmp_path):
    """Colours are seen, not the ink of their outlines."""
    png = tmp_path / "small.png"
    code, words = view(views / "faces.hdf", "--png", png, "--size", "60x40", "--explode", "0.2", "--no-caption")
    assert code == 0, words
    image = pixels(png).reshape(-1, 3).astype(int)
    drawn = image[image.min(1) < 250]
    assert len(drawn) > 100 and (drawn.max(1) < 90).mean() < 0.15
