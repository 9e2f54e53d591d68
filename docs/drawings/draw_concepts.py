#!/usr/bin/env python3
"""Draws the pictures of docs/concepts.md from plans that tess makes: docs/drawings/draw_concepts.py, after a build.

Needs python3-matplotlib, python3-h5py, python3-pandas and python3-pil."""

import io
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "python"))

import matplotlib  # noqa: E402

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import tesselab  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402
from PIL import Image  # noqa: E402
from tesselab.pictures import HUES, display_colours  # noqa: E402
from tesselab.shapes import shapes_of  # noqa: E402

INK, PALE = "#222222", "#b8b8b8"
plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 11, "axes.titlesize": 11,
                     "axes.titlelocation": "left"})


def tint(hue, strength=0.55):
    """A hue mixed with white."""
    return tuple(1 - strength * (1 - np.array(to_rgb(hue))))


def plan_of(folder, *words):
    """The mesh and the plan that one command of tess leaves."""
    lab = pathlib.Path(folder) / "lab"
    tess = ROOT / "build/release/bin/tess"
    subprocess.run([tess, *words, "--lab", lab, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    lab = tesselab.open_lab(lab)
    return lab.mesh("@last"), lab.plan("@last")


def keep(figure, name):
    """Writes docs/drawings/NAME.png in 64 colours, which keeps the file small."""
    pixels = io.BytesIO()
    figure.savefig(pixels, dpi=110, facecolor="white", bbox_inches="tight", pad_inches=0.1)
    plt.close(figure)
    small = Image.open(pixels).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    small.save(HERE / f"{name}.png", optimize=True)
    print(HERE / f"{name}.png")


def bare(ax, title=""):
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title(title)


def centres(mesh, name):
    """The middle of each element: cells' centroids, edges' midpoints."""
    nodes = mesh.maps["cells:nodes" if name == "cells" else f"{name}:nodes"]
    return mesh.coordinates[nodes].mean(axis=1)


def draw_mesh(ax, mesh, colour=PALE):
    ax.add_collection(PolyCollection(mesh.coordinates[mesh.maps["cells:nodes"]], facecolor="none",
                                     edgecolor=colour, linewidth=0.8))


def fill_edges(ax, mesh, which, hues, width=1.0):
    """Kites of some edges, each in its hue."""
    shapes = shapes_of(mesh, "edges")
    corners = shapes.corners()[np.searchsorted(shapes.element, which)]
    ax.add_collection(PolyCollection(corners, facecolor=hues, edgecolor="white", linewidth=width))


def fill_cells(ax, mesh, which, hues):
    ax.add_collection(PolyCollection(mesh.coordinates[mesh.maps["cells:nodes"][which]], facecolor=hues,
                                     edgecolor="white", linewidth=1.5))


def write_numbers(ax, places, numbers, **style):
    for (x, y), number in zip(places, numbers):
        ax.text(x, y, str(number), **{"ha": "center", "va": "center", "color": INK, **style})


def write_table(ax, top, titles, rows, widths, hues=None):
    """Rows of words in columns of these widths, below `top`; hues[row] fills a row."""
    height = 0.085
    for r, row in enumerate([titles, *rows]):
        x = 0.0
        for word, width in zip(row, widths):
            if r:
                ax.add_patch(plt.Rectangle((x, top - (r + 1) * height), width, height, edgecolor=PALE,
                                           facecolor=hues[r - 1] if hues else "white"))
            ax.text(x + width / 2, top - (r + 0.5) * height, word, ha="center", va="center", color=INK,
                    weight="normal" if r else "bold", fontsize=10 if r else 9)
            x += width


def draw_sets_and_maps(folder):
    mesh, _ = plan_of(folder, "partition", "quads:nx=3:ny=2:lx=1.5", "--map", "edges:cells", "--block-size", "8",
                      "--partitioner", "file-order")
    cells = mesh.maps["edges:cells"]
    shared = 1  # the cell whose edges race
    at_shared = np.flatnonzero((cells == shared).any(axis=1))
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(1.8, 1), layout="constrained")
    draw_mesh(left, mesh)
    fill_cells(left, mesh, [shared], [tint(HUES[1], 0.35)])
    fill_edges(left, mesh, np.arange(mesh.sets["edges"]),
               [tint(HUES[0], 0.7 if e in at_shared else 0.3) for e in range(mesh.sets["edges"])])
    write_numbers(left, mesh.coordinates, range(mesh.sets["nodes"]), color="#777777", fontsize=9,
                  bbox={"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": PALE})
    write_numbers(left, centres(mesh, "cells"), range(mesh.sets["cells"]), weight="bold", fontsize=13,
                  bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8})
    write_numbers(left, centres(mesh, "edges"), range(mesh.sets["edges"]), fontsize=10)
    bare(left, "cells (bold), interior edges (blue), nodes (circles)")
    write_table(right, 0.85, ["edge", "slot 0", "slot 1"],
                [[str(e), *map(str, row)] for e, row in enumerate(cells)], [0.25, 0.3, 0.3],
                [tint(HUES[0], 0.5 if e in at_shared else 0.12) for e in range(len(cells))])
    right.set(xlim=(-0.01, 1), ylim=(0.1, 0.9))
    right.set_axis_off()
    right.set_title("edges:cells")
    keep(figure, "sets_and_maps")


def draw_blocks(folder):
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for ax, partitioner in zip(axes, ("file-order", "rcb", "mosaic")):
        mesh, plan = plan_of(folder, "partition", "quads:nx=16:ny=12:lx=1.333", "--map", "edges:cells",
                             "--block-size", "32", "--partitioner", partitioner)
        shapes = shapes_of(mesh, "edges")
        block = plan.block_of[shapes.element]
        hues = np.array([tint(HUES[c], 0.75) for c in display_colours(shapes, plan)])
        ax.add_collection(PolyCollection(shapes.corners(), facecolor=hues[block], edgecolor="white", linewidth=0.4))
        ax.add_collection(LineCollection(shapes.outline(block), colors=INK, linewidths=1))
        bare(ax, f"{partitioner}: reuse {plan.metrics['value']['reuse_factor']:.2f}")
    keep(figure, "blocks")


def draw_plan(folder):
    mesh, plan = plan_of(folder, "partition", "quads:nx=6:ny=4:lx=1.5", "--map", "edges:cells", "--block-size", "8",
                         "--partitioner", "rcb")
    block = 2
    elements, staged = plan.elements_of(block), plan.sets["cells"]
    points = staged.points_of(block)
    rows = slice(plan.block_offset[block], plan.block_offset[block + 1])
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), width_ratios=(1.7, 1.05, 0.85), layout="constrained")
    draw_mesh(axes[0], mesh)
    fill_cells(axes[0], mesh, points, [tint(HUES[1], 0.3)] * len(points))
    fill_edges(axes[0], mesh, elements, [tint(HUES[0], 0.6)] * len(elements))
    write_numbers(axes[0], centres(mesh, "cells")[points], points, weight="bold",
                  bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8})
    write_numbers(axes[0], centres(mesh, "edges")[elements], elements, fontsize=9)
    bare(axes[0], f"block {block}: 8 edges (blue), 8 cells (orange)")
    write_table(axes[1], 1.0, ["position", "executed", "local_index"],
                [[str(k), str(e), " ".join(map(str, local))] for k, (e, local) in
                 enumerate(zip(elements, staged.local_index[rows]), rows.start)], [0.28, 0.32, 0.4],
                [tint(HUES[0], 0.3)] * len(elements))
    axes[1].set_title("its edges, in the order of its threads")
    write_table(axes[2], 1.0, ["local", "points"], [[str(i), str(p)] for i, p in enumerate(points)], [0.4, 0.5],
                [tint(HUES[1], 0.3)] * len(points))
    axes[2].set_title("its cells, each once")
    for ax in axes[1:]:
        ax.set(xlim=(-0.01, 1), ylim=(0.2, 1))
        ax.set_axis_off()
    keep(figure, "plan")


def draw_colours(folder):
    mesh, plan = plan_of(folder, "partition", "quads:nx=9:ny=7:lx=1.3", "--map", "edges:cells", "--block-size", "16",
                         "--partitioner", "mosaic")
    shapes = shapes_of(mesh, "edges")
    block = plan.block_of[shapes.element]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.7), layout="constrained")
    for ax, colour, title in (
            (axes[0], plan.element_thread_colour()[shapes.element], "thread colours: a barrier each"),
            (axes[1], plan.block_colour[block], "block colours: a launch each")):
        hues = np.array([tint(hue, 0.8) for hue in HUES])
        ax.add_collection(PolyCollection(shapes.corners(), facecolor=hues[colour], edgecolor="white", linewidth=0.6))
        ax.add_collection(LineCollection(shapes.outline(block), colors=INK, linewidths=1.4))
        bare(ax, title)
    keep(figure, "colours")


def draw_owners(folder):
    mesh, plan = plan_of(folder, "run", "airfoil", "--mesh", "quads:nx=7:ny=4:lx=1.75", "--block-size", "14",
                         "--partitioner", "rcb", "--renumber", "none", "--strategy", "owner-block")
    figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    fill_cells(ax, mesh, np.arange(mesh.sets["cells"]), [tint(HUES[b], 0.35) for b in plan.block_of])
    executed = [plan.elements_of(b) for b in range(plan.n_blocks)]
    twice = np.intersect1d(executed[0], executed[1])
    for b, hue in enumerate(HUES[:plan.n_blocks]):
        once = np.setdiff1d(executed[b], twice)
        fill_edges(ax, mesh, once, [tint(hue, 0.95)] * len(once))
    fill_edges(ax, mesh, twice, [INK] * len(twice))
    bare(ax, f"Blocks own cells. Both execute the black edges:\nredundancy "
             f"{plan.metrics['value']['redundancy']:.2f}")
    keep(figure, "owners")


def main():
    for draw in (draw_sets_and_maps, draw_blocks, draw_plan, draw_colours, draw_owners):
        with tempfile.TemporaryDirectory() as folder:
            draw(folder)


if __name__ == "__main__":
    main()
