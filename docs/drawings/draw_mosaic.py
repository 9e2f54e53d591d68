#!/usr/bin/env python3
"""Draws the pictures of docs/mosaic.md from partitions that tess makes: docs/drawings/draw_mosaic.py, after a build.

Needs what draw_concepts.py needs, whose helpers it uses."""

import tempfile

import numpy as np
from draw_concepts import HUES, INK, bare, centres, draw_mesh, fill_cells, fill_edges, keep, plan_of, plt, tint
from matplotlib.collections import LineCollection, PolyCollection
from tesselab.pictures import display_colours
from tesselab.shapes import shapes_of


def draw_problem(folder):
    """One block of 32 edges by three partitioners, and the cells that it reaches."""
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.6), layout="constrained")
    for ax, partitioner in zip(axes, ("file-order", "rcb", "mosaic")):
        mesh, plan = plan_of(folder, "partition", "quads:nx=14:ny=14", "--map", "edges:cells", "--block-size", "32",
                             "--partitioner", partitioner)
        middle = mesh.coordinates.mean(axis=0)
        at = centres(mesh, "edges")
        blocks = [b for b in range(plan.n_blocks) if len(plan.elements_of(b)) == 32]
        block = min(blocks, key=lambda b: np.linalg.norm(at[plan.elements_of(b)].mean(axis=0) - middle))
        elements = plan.elements_of(block)
        points = np.unique(mesh.maps["edges:cells"][elements])
        draw_mesh(ax, mesh)
        fill_cells(ax, mesh, points, [tint(HUES[1], 0.3)] * len(points))
        fill_edges(ax, mesh, elements, [tint(HUES[0], 0.7)] * len(elements))
        bare(ax, f"{partitioner}: 64 accesses, {len(points)} cells,\nreuse {64 / len(points):.2f}")
    keep(figure, "mosaic_problem")


def levels_from(cells_of, edges_of, sources):
    """The level of each edge of a breadth-first walk over edges that share cells."""
    level = np.full(len(cells_of), -1)
    level[sources] = 0
    front = list(sources)
    while front:
        reached = {int(other) for edge in front for cell in cells_of[edge] for other in edges_of[cell]
                   if level[other] < 0}
        level[list(reached)] = level[front[0]] + 1
        front = sorted(reached)
    return level


def last_piece(cells_of, edges_of, level):
    """The connected piece of the last level that holds one of its edges."""
    last = set(np.flatnonzero(level == level.max()))
    piece = {min(last)}
    grown = True
    while grown:
        found = {e for edge in piece for cell in cells_of[edge] for e in edges_of[cell]} & last
        grown = not found <= piece
        piece |= found
    return sorted(piece)


def draw_walk(folder):
    """Levels of a walk out from inside and back from a side, then the slabs and blocks that follow."""
    mesh, plan = plan_of(folder, "partition", "quads:nx=26:ny=22:lx=1.18", "--map", "edges:cells", "--block-size", "32",
                         "--partitioner", "mosaic:cut=slabs:level=quick")
    cells_of = mesh.maps["edges:cells"]
    edges_of = [[] for _ in range(mesh.sets["cells"])]
    for edge, cells in enumerate(cells_of):
        for cell in cells:
            edges_of[cell].append(edge)
    start = int(0.382 * len(cells_of))
    out = levels_from(cells_of, edges_of, [start])
    sources = last_piece(cells_of, edges_of, out)
    back = levels_from(cells_of, edges_of, sources)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.7), layout="constrained")
    shapes = shapes_of(mesh, "edges")
    ramp = plt.get_cmap("viridis")
    for ax, level, sources, title in (
            (axes[0], out, [start], "out from somewhere inside"),
            (axes[1], back, sources, "back from the last piece: flat fronts")):
        hues = np.array([ramp(0.15 + 0.85 * (k % 6) / 6)[:3] for k in range(level.max() + 1)])[level]
        ax.add_collection(PolyCollection(shapes.corners(), facecolor=hues[shapes.element], edgecolor="white",
                                         linewidth=0.2))
        ax.plot(*centres(mesh, "edges")[sources].T, "o", color="white", markersize=9, markeredgecolor=INK,
                clip_on=False)
        bare(ax, title)
    block = plan.block_of[shapes.element]
    hues = np.array([tint(HUES[c], 0.75) for c in display_colours(shapes, plan)])
    axes[2].add_collection(PolyCollection(shapes.corners(), facecolor=hues[block], edgecolor="white", linewidth=0.2))
    axes[2].add_collection(LineCollection(shapes.outline(block), colors=INK, linewidths=0.9))
    bare(axes[2], f"slabs of slabs, every 32 edges a block: reuse {plan.metrics['value']['reuse_factor']:.2f}")
    keep(figure, "mosaic_walk")


def draw_rounds(folder):
    """An irregular mesh by bisection, by one round of annealing, and by all rounds of the best start."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 4.1), layout="constrained")
    for ax, partitioner in zip(axes, ("rcb", "mosaic:level=quick", "mosaic")):
        mesh, plan = plan_of(folder, "partition", "irregular:nx=36:ny=36", "--map", "edges:cells", "--block-size", "64",
                             "--partitioner", partitioner)
        shapes = shapes_of(mesh, "edges")
        block = plan.block_of[shapes.element]
        hues = np.array([tint(HUES[c], 0.75) for c in display_colours(shapes, plan)])
        ax.add_collection(PolyCollection(shapes.corners(), facecolor=hues[block], edgecolor="white", linewidth=0.15))
        ax.add_collection(LineCollection(shapes.outline(block), colors=INK, linewidths=0.9))
        ax.set(xlim=(0.2, 0.8), ylim=(0.2, 0.8))
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_title(f"{partitioner}:\nreuse {plan.metrics['value']['reuse_factor']:.3f}")
    keep(figure, "mosaic_rounds")


def draw_chain(_):
    """Blocks of a group after wandering, and the chains that even their sizes."""
    sizes = {(0, 0): 64, (1, 0): 66, (2, 0): 64, (3, 0): 63, (0, 1): 65, (1, 1): 64, (2, 1): 64, (3, 1): 62}
    chains = [([(1, 0), (2, 0), (3, 0)], "#009e73", -0.07), ([(1, 0), (2, 0), (2, 1), (3, 1)], "#d55e00", 0.07),
              ([(0, 1), (1, 1), (2, 1), (3, 1)], "#0072b2", 0.21)]
    centre = {key: (key[0] + 0.5 * (key[1] % 2), 0.87 * key[1]) for key in sizes}
    figure, ax = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
    for key, (x, y) in centre.items():
        hue = tint(HUES[1], 0.55) if sizes[key] > 64 else tint(HUES[0], 0.45) if sizes[key] < 64 else "white"
        ax.add_patch(plt.matplotlib.patches.RegularPolygon((x, y), 6, radius=0.56, facecolor=hue, edgecolor=INK))
        ax.text(x, y - 0.33, str(sizes[key]), ha="center", va="center", color=INK, fontsize=12)
    for chain, hue, lift in chains:
        for (x, y), (to_x, to_y) in ((centre[a], centre[b]) for a, b in zip(chain, chain[1:])):
            ax.annotate("", xy=(to_x - 0.1, to_y + lift), xytext=(x + 0.1, y + lift),
                        arrowprops={"arrowstyle": "-|>", "color": hue, "linewidth": 2})
    bare(ax, "Three chains: one element is handed on at every hop, then all blocks have 64")
    keep(figure, "mosaic_chain")


def main():
    for draw in (draw_problem, draw_walk, draw_rounds, draw_chain):
        with tempfile.TemporaryDirectory() as folder:
            draw(folder)


if __name__ == "__main__":
    main()
