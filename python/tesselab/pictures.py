"""Pictures of blocks over a 2D mesh, and of how a value is distributed over blocks."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from .archive import LabError
from .markup import counted
from .mesh import Mesh
from .plan import Plan
from .quantities import of_block
from .run_record import Ranks
from .shapes import Shapes, shapes_of

# Fills that stay apart under every common colour blindness, as in viz/scripts/scene.py: Okabe and
# Ito's, then Tol's muted ones.
HUES = ("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#0072b2", "#d55e00", "#bbbbbb",
        "#882255", "#999933", "#332288", "#44aa99")
INK = "#222222"
MOST_IN_LEGEND = 12
CATEGORIES = {"block_colour": "block colour", "display_colour": "",
              "thread_colour": "thread colour"}


def draw_blocks(mesh: Mesh, plan: Plan, colour: str | np.ndarray = "block_colour",
                ax: Axes | None = None, title: str | None = None, outlines: bool = True,
                label: str = "") -> Axes:
    """Draws the blocks of a plan over its mesh (2D) and gives the axes.

    `colour` is "block_colour" (blocks of one launch are alike), "display_colour" (few hues,
    neighbours differ), "thread_colour" (of each element), a column of `plan.blocks`, or values
    [block] of your own with their `label`."""
    if plan.mesh_digest != mesh.digest:
        raise LabError(f"the plan is of another mesh than {mesh.source}: both are asked for by one run")
    ax = ax if ax is not None else plt.subplots(figsize=(7, 7), layout="constrained")[1]
    shapes = shapes_of(mesh, plan.over)
    block = plan.block_of[shapes.element]
    polygons = PolyCollection(shapes.corners(), linewidths=0.3, rasterized=True)
    if isinstance(colour, str) and colour in CATEGORIES:
        _paint_categories(ax, polygons, _categories(shapes, plan, colour), CATEGORIES[colour])
    else:
        values = _values(plan, colour)[block]
        polygons.set(array=values, cmap="YlGnBu", edgecolor="face")
        ax.figure.colorbar(polygons, ax=ax, shrink=0.7,
                           label=label or _title_of(colour, ""))
    ax.add_collection(polygons)
    if outlines:
        ax.add_collection(LineCollection(list(shapes.outline(block)), colors=INK, linewidths=0.8))
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title(title if title is not None else _title(plan), loc="left", fontsize="medium")
    return ax


def draw_ranks(mesh: Mesh, ranks: Ranks, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draws the ranks of a run over its mesh (2D), elements that others have a copy of darker, and gives the axes."""
    ax = ax if ax is not None else plt.subplots(figsize=(7, 7), layout="constrained")[1]
    shapes = shapes_of(mesh, ranks.set)
    rank, is_halo = ranks.rank_of[shapes.element], ranks.copies[shapes.element] > 0
    fills = np.array([hue(int(i) % len(HUES) + len(HUES) * bool(h)) for i, h in zip(rank, is_halo, strict=True)])
    ax.add_collection(PolyCollection(shapes.corners(), facecolors=fills, linewidths=0.3, edgecolor=INK, rasterized=True))
    ax.add_collection(LineCollection(list(shapes.outline(rank)), colors=INK, linewidths=0.8))
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title(title if title is not None else f"{counted(ranks.n, 'rank')} of {len(ranks.rank_of)} {ranks.set}, their halos darker",
                 loc="left", fontsize="medium")
    return ax


def draw_distribution(plans: dict[str, Plan], column: str, ax: Axes | None = None) -> Axes:
    """Draws, for each plan by its label, which share of the blocks has at most a value of
    `plan.blocks[column]`, and gives the axes."""
    ax = ax if ax is not None else plt.subplots(figsize=(6, 4), layout="constrained")[1]
    styles = ("-", "--", "-.", ":")
    for i, (label, plan) in enumerate(plans.items()):
        values = np.sort(plan.blocks[column].to_numpy())
        ax.step(values, np.arange(1, len(values) + 1) / len(values), where="post", label=label,
                color=strong_hue(i), linestyle=styles[i // len(STRONG) % len(styles)])
    ax.set(xlabel=_title_of(column, column), ylabel="share of the blocks", ylim=(0, 1.02))
    ax.legend(frameon=False)
    return ax


def hue(i: int) -> tuple[float, float, float]:
    """Category i's fill: beyond the table the same hues again, darker and lighter."""
    rgb = np.array(to_rgb(HUES[i % len(HUES)]))
    turn = i // len(HUES) % 3
    red, green, blue = 0.6 * rgb if turn == 1 else 0.5 + 0.5 * rgb if turn == 2 else rgb
    return red, green, blue


# Those of the fills that are dark enough for lines and points on white.
STRONG = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#882255", "#e69f00", "#332288", "#44aa99")


def strong_hue(i: int) -> str:
    """Category i's colour for lines and points."""
    return STRONG[i % len(STRONG)]


def display_colours(shapes: Shapes, plan: Plan) -> np.ndarray:
    """A hue [block] such that blocks that touch differ: first fit, in the order of blocks."""
    beside: list[list[int]] = [[] for _ in range(plan.n_blocks)]
    for a, b in shapes.neighbours(plan.block_of[shapes.element]):
        beside[max(a, b)].append(min(a, b))
    colour = np.zeros(plan.n_blocks, dtype=int)
    for block, earlier in enumerate(beside):
        taken = np.bincount(colour[earlier], minlength=len(HUES) + 1)
        free = np.flatnonzero(taken[:len(HUES)] == 0)
        colour[block] = free[0] if len(free) else int(np.argmin(taken[:len(HUES)]))
    return colour


def _categories(shapes: Shapes, plan: Plan, colour: str) -> np.ndarray:
    """The category of each polygon."""
    if colour == "thread_colour":
        if plan.over_to_set:
            raise LabError("blocks own points here: an element has a thread colour in each block "
                           "that executes it, and none of its own")
        return plan.element_thread_colour()[shapes.element]
    of_block = display_colours(shapes, plan) if colour == "display_colour" else plan.block_colour
    return of_block[plan.block_of[shapes.element]]


def _values(plan: Plan, colour: str | np.ndarray) -> np.ndarray:
    if not isinstance(colour, str):
        values = np.asarray(colour)
        if len(values) != plan.n_blocks:
            raise LabError(f"{len(values)} values for {plan.n_blocks} blocks")
        return values
    if colour not in plan.blocks:
        raise LabError(f"nothing is called '{colour}': known are "
                       f"{', '.join([*CATEGORIES, *plan.blocks.columns])}")
    return plan.blocks[colour].to_numpy()


def _paint_categories(ax: Axes, polygons: PolyCollection, category: np.ndarray, name: str) -> None:
    n = int(category.max(initial=-1)) + 1
    hues = np.array([hue(i) for i in range(n)]).reshape(n, 3)
    polygons.set(facecolor=hues[category], edgecolor=hues[category])
    if name and n <= MOST_IN_LEGEND:
        ax.legend(handles=[Patch(color=hues[i], label=str(i)) for i in range(n)], title=name,
                  frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))


def _title_of(column: str | np.ndarray, other: str) -> str:
    """What a column of `plan.blocks` is."""
    quantity = of_block(column) if isinstance(column, str) else None
    return quantity.long_name or other if quantity else other


def _title(plan: Plan) -> str:
    reuse = plan.metrics["value"].get("reuse_factor")
    return (f"{plan.partitioner}: {counted(plan.n_blocks, 'block')} of {plan.block_size} {plan.over}"
            + (f", reuse {reuse:.3f}" if reuse is not None else ""))
