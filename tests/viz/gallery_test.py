"""The pictures of the documents carry their captions, which say what is measured today."""

import json

from conftest import ROOT
from PIL import Image

PICTURES = ("blocks", "partitioners_2d", "partitioners_3d", "solid", "cut", "reuse")


def captions():
    """Of each picture, and of each partitioner in it: what was cut, and how well."""
    for name in PICTURES:
        lines = Image.open(ROOT / f"docs/{name}.png").text["Description"].split("\n")
        assert len(lines) % 2 == 0, name
        yield from zip(lines[::2], lines[1::2])


def test_captions_of_the_gallery_hold_the_numbers_of_today(tess):
    wanted = {}  # by mesh, loop and block size: the second line of each partitioner
    for what, how_well in captions():
        partitioner, mesh, loop, block_size = what.split(" · ")
        wanted.setdefault((mesh, loop, block_size.split()[-1]), {})[partitioner] = how_well
    assert len(wanted) == 3
    for (mesh, loop, block_size), told in wanted.items():
        path = ROOT / "data/meshes" / mesh
        done = tess("partition", path if path.exists() else mesh, "--map", loop, "--block-size",
                    block_size, "--partitioner", ",".join(told), "--no-lab", "--json")
        runs = {run["partitioner"]: run for run in json.loads(done.stdout)["runs"]}
        for partitioner, how_well in told.items():
            run = runs[partitioner]
            numbers = (f"{run['blocks']:.9g} blocks · reuse {run['reuse_factor']:.4g} · "
                       f"{run['block_colours']:.4g} block colours · "
                       f"{run['thread_colours_mean']:.3g} thread colours · "
                       f"components {run['components_mean']:.3g}")
            assert how_well == numbers, f"{partitioner} of {mesh}: docs/draw_gallery.sh draws anew"
