"""Figures of a paper's items: ours beside the published values."""

from __future__ import annotations

import re
import textwrap
from itertools import cycle
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from .paper_tables import FASTEST, HELD, ORDER, TIMED, Paper, timed
from .paper_page import scale_of, shown, title
from .pictures import INK, strong_hue

WIDEST = 13  # inches of a row of panels
SHARE = "share of "  # a scale of figures.csv: ours as a share of its largest, theirs of the number that follows
OURS, THEIRS = strong_hue(0), strong_hue(1)
GREY = "#888888"
MARKERS, MARK_ABOVE = "Ds^v", 3  # of published series that have no line; above all lines
WORDS = {"block_size": "block size", "b": "cells of a block of the mesh, b", "gflops": "GFLOPS",
         "k20m_gflops": "GFLOPS that a K20m allows", "partitioner": ""}
KEY = (Patch(facecolor=OURS, edgecolor=OURS, label="ours, held"), Patch(facecolor="white", edgecolor=OURS, label="ours, differs"),
       Line2D([], [], color=THEIRS, marker="D", linestyle="none", markeredgecolor="white", markersize=8, label="published"))


def named(quantity: str) -> str:
    return WORDS.get(quantity, title(quantity))


def write_title(figure: Figure, heading: str, values: pd.DataFrame) -> None:
    """The line above a figure: what it shows, and how many values hold."""
    held = f"{(values.verdict == HELD).sum()} of {len(values)} published values held" if len(values) else "no number is published"
    figure.suptitle(f"{heading}. {held[0].upper()}{held[1:]}", fontsize="medium", x=0.01, ha="left")


def finish(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis="y", color="#e4e4e4", linewidth=0.6)


def rows_of(widths: list[float]) -> list[list[int]]:
    """Which panels stand in each row: as many as the widest row has room for."""
    rows: list[list[int]] = [[]]
    for place, width in enumerate(widths):
        if rows[-1] and sum(widths[i] for i in rows[-1]) + width > WIDEST:
            rows.append([])
        rows[-1].append(place)
    return rows


def panels(widths: list[float], height: float, narrowest: float = 5.0) -> tuple[Figure, list[Axes]]:
    """A figure of panels of these widths, broken into rows, at least so wide."""
    rows = rows_of(widths)
    widest = max(narrowest, max(sum(widths[i] for i in row) for row in rows))
    figure = plt.figure(figsize=(widest, height * len(rows) + 0.8), layout="constrained")
    axes = []
    for part, row in zip(figure.subfigures(len(rows), 1, squeeze=False)[:, 0], rows):
        ratios = [widths[i] for i in row]
        rest = [widest - sum(ratios)] if len(rows) > 1 and widest - sum(ratios) > 1 else []
        found = part.subplots(1, len(ratios + rest), squeeze=False, gridspec_kw={"width_ratios": ratios + rest})[0]
        for empty in found[len(row):]:
            empty.remove()
        axes += list(found[:len(row)])
    return figure, axes


def shares(values: pd.DataFrame) -> pd.DataFrame:
    """Ours and published as shares of the largest of those series that have both."""
    both = values[values.ours.notna()]
    if both.empty:
        return values.assign(published=values.published / values.published.max())
    return values.assign(ours=values.ours / both.ours.max(), published=values.published / both.published.max())


def broken(series: str) -> str:
    """A series's name below its bar: a word a line, short ones together."""
    return "\n".join(textwrap.wrap(series, 8, break_long_words=False))


def bars(table: pd.DataFrame, item: str, heading: str | None = None) -> Figure:
    """The quantities of one item, a panel each: ours as bars, open where they differ, with a star where they are of a
    stand-in; the published values as diamonds. What is judged by its order is drawn as its share of the largest."""
    of_item = table[table["item"] == item]
    values = of_item[of_item.quantity != "useful_bytes"]
    shown_as = values.quantity.map(named)
    figure, axes = panels([max(2.6, 0.8 + 0.62 * (shown_as == name).sum()) for name in shown_as.unique()], 2.9)
    for ax, name in zip(axes, shown_as.unique()):
        draw_bars(ax, values[shown_as == name], values.quantity[shown_as == name].iloc[0])
    write_title(figure, heading or item, of_item)
    figure.legend(handles=KEY, loc="upper left", ncols=3, frameon=False, fontsize="small", bbox_to_anchor=(0, 0))
    return figure


def draw_bars(ax: Axes, values: pd.DataFrame, quantity: str) -> None:
    by_order = (values.tolerance == ORDER).all()
    scale = scale_of(quantity)
    values = shares(values) if by_order else values.assign(ours=values.ours * scale, published=values.published * scale)
    for place, row in enumerate(values.itertuples()):
        if pd.isna(row.ours):
            ax.text(place, 0, "not\nmade", ha="center", va="bottom", fontsize="x-small", color=GREY)
        else:
            ax.bar(place, row.ours, 0.6, edgecolor=OURS, linewidth=1.5, color=OURS if row.verdict == HELD else "white")
        ax.plot(place, row.published, "D", color=THEIRS, markeredgecolor="white", markersize=8)
    words = "time" if quantity == "median_time" else named(quantity).removesuffix(", MB").removesuffix(", MiB")
    ax.set_title(f"{words}, share of the largest" if by_order else named(quantity), fontsize="small")
    several = values.series.duplicated().any()
    ax.set_xticks(range(len(values)), [broken(f"{row.series} {shown(float(row.x))}" if several else row.series) +
                                       "*" * row.stand_in for row in values.itertuples()], fontsize="x-small")
    margin = 0.6 if len(values) > 2 else 1.2
    ax.set(xlim=(-margin, len(values) - 1 + margin), ylim=(0, 1.12 * values[["ours", "published"]].max().max()))
    ax.tick_params(axis="y", labelsize="x-small")
    finish(ax)


def lines(runs: pd.DataFrame, x: str, y: str, by: list[str], ax: Axes | None = None) -> Axes:
    """A sweep: y over x, a line for each combination of the settings `by`, the median where several runs have one; the
    names of the lines stand beside them."""
    ax = ax or plt.subplots(figsize=(7.5, 4), layout="constrained")[1]
    for place, (names, series) in enumerate(runs.dropna(subset=[x, y]).groupby(by)):
        middle = series.groupby(x)[y].median()
        ax.plot(middle.index, middle, "o-", color=strong_hue(place), label=" ".join(map(str, names)), markersize=4)
    ax.set(xlabel=named(x).replace("_", " "), ylabel=named(y).replace("_", " "), ylim=(0, None))
    finish(ax)
    ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def draw_published(ax: Axes, x: str, value: float, hue: str, marker: str) -> None:
    """A mark, beside those that it would cover, or a dotted line where the value is of the best x."""
    place = pd.to_numeric(x, errors="coerce")
    if pd.isna(place):
        ax.axhline(value, color=hue, linestyle=":", linewidth=1.5)
    else:
        others = [line.get_ydata()[0] for line in ax.lines
                  if line.get_zorder() == MARK_ABOVE and abs(line.get_xdata()[0] / place - 1) < 0.4]
        aside = 0.3 if ax.get_xscale() == "log" else 0.03
        place *= 1 + aside * sum(abs(value / other - 1) < 0.04 for other in others)
        ax.plot(place, value, marker, color=hue, markeredgecolor="white", markersize=10, zorder=MARK_ABOVE)


def by_numbers(name: str) -> list[tuple[bool, int | str]]:
    """A key that sorts names as people do: 4 before 16."""
    return [(word.isdigit(), int(word) if word.isdigit() else word) for word in re.split(r"(\d+)", name)]


def sweep_panel(ax: Axes, runs: pd.DataFrame, values: pd.DataFrame, x: str, y: str, scale: str) -> dict[str, Line2D]:
    """One panel of a sweep; the handles of its lines and of published series without a line, by name."""
    have = timed(runs.dropna(subset=[x, y])) if y in TIMED else runs.dropna(subset=[x, y])
    middle = have.groupby(["series", x])[y].median()
    shared = scale.startswith(SHARE)
    ours, theirs = (middle.max(), float(scale.removeprefix(SHARE))) if shared else (1, 1)
    if x == "b":
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        ax.tick_params(axis="x", labelsize="small")
    colours = {name: strong_hue(place) for place, name in enumerate(sorted(set(have.series), key=by_numbers))}
    handles = {}
    for name, hue in colours.items():
        handles[name], = ax.plot(middle[name].index, middle[name] / ours, "o-", color=hue, label=name, markersize=4)
    marks = dict(zip([name for name in values.series.unique() if name not in colours], cycle(MARKERS)))
    for published in values.itertuples():
        mark = marks.get(published.series, MARKERS[0])
        draw_published(ax, published.x, published.published / theirs, colours.get(published.series, INK), mark)
    for name, mark in marks.items():
        handles[name] = Line2D([], [], color=INK, label=f"published, {name}", marker=mark, linestyle="none", markersize=7)
    highest = max([middle.max() / ours, *values.published / theirs])
    ax.set(xlabel=named(x), ylabel=named(y) + ", share of the largest" * shared, ylim=(0, 1.06 * highest))
    finish(ax)
    return handles


def sweep(table: pd.DataFrame, runs: pd.DataFrame, item: str, row: pd.Series, heading: str) -> Figure:
    """A figure of lines, a panel a quantity; published values as diamonds in the colour of their line, dotted lines where
    they are of the best x."""
    quantities = row.y.split("; ")
    figure, axes = panels([4.2] * len(quantities), 3.6, 7.5)
    of_item = table[table["item"] == item]
    runs = runs.assign(series=runs[row.by.split("; ")].astype(str).agg(", ".join, axis=1))
    handles: dict[str, Line2D] = {}
    for ax, y in zip(axes, quantities):
        handles |= sweep_panel(ax, runs, of_item[of_item.quantity == y], row.x, y, row["scale"])
    extra = []
    if of_item[of_item.x != FASTEST].series.isin(handles.keys() & set(runs.series)).any():
        extra.append(Line2D([], [], color=GREY, marker="D", linestyle="none", markersize=8, label="published"))
    if (of_item.x == FASTEST).any():
        extra.append(Line2D([], [], color=GREY, linestyle=":", label="published, at its best"))
    write_title(figure, heading, of_item)
    axes[-1].legend(handles=[*handles.values(), *extra], frameon=False, fontsize="small",
                    loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def speedups(table: pd.DataFrame, runs: pd.DataFrame, item: str, base: str, heading: str) -> Figure:
    """How many times as fast as its base each variant is by its best block size, which stands in brackets."""
    values = table[(table["item"] == item) & (table.quantity == "median_time")].set_index("series")
    ours, theirs = values.ours[base], values.published[base]
    passed = timed(runs[runs.median_time.notna() & (runs.outcome == "passed")])
    best = passed.loc[passed.groupby("series").median_time.idxmin()].set_index("series").sort_values("median_time", ascending=False)
    figure, ax = plt.subplots(figsize=(7.5, 1.4 + 0.32 * len(best)), layout="constrained")
    for place, (name, run) in enumerate(best.iterrows()):
        hue = strong_hue(2) if name.startswith("global") else OURS
        ax.barh(place, ours / run.median_time, 0.65, color=hue)
        if name in values.index:
            ax.plot(theirs / values.published[name], place, "D", color=THEIRS, markeredgecolor="white", markersize=9)
    ax.set_yticks(range(len(best)), [f"{name} ({run.block_size})" for name, run in best.iterrows()], fontsize="small")
    ax.axvline(1, color=GREY, linewidth=1, linestyle="--")
    ax.set_xlabel(f"times as fast as {base}, {1e3 * ours:.3g} ms here and {1e3 * theirs:.3g} ms there")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(handles=[Patch(color=OURS, label="here"), Patch(color=strong_hue(2), label="here, global colours"), KEY[-1]],
              frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    write_title(figure, heading, table[table["item"] == item])
    return figure


def settings(table: pd.DataFrame, runs: pd.DataFrame, item: str, quantities: list[str], heading: str) -> Figure:
    """Bars, a run a bar, a panel a quantity; published values as diamonds, a dotted line where they are of the best."""
    of_item = table[table["item"] == item]
    runs = runs.sort_index().drop_duplicates("series", keep="last")
    is_shape = runs.series.str.contains("x")
    runs = pd.concat([runs[is_shape].sort_values("reuse_factor"), runs[~is_shape]])
    quantities = [y for y in quantities if y in runs and runs[y].notna().any()]
    figure, axes = panels([4.3] * len(quantities), 3.4)
    for ax, y in zip(axes, quantities):
        ax.bar(range(len(runs)), runs[y], 0.65, color=OURS)
        for row in of_item[of_item.quantity == y].itertuples():
            if row.series in set(runs.series):
                ax.plot(list(runs.series).index(row.series), row.published, "D", color=THEIRS, markeredgecolor="white",
                        markersize=9)
            else:
                ax.axhline(row.published, color=THEIRS, linestyle=":", linewidth=1.5, label=f"published, {row.series}")
                ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(0, 1.1))
        ax.set_xticks(range(len(runs)), runs.series, rotation=45, ha="right", fontsize="small")
        ax.set_ylabel(named(y))
        finish(ax)
    write_title(figure, heading, of_item)
    return figure


def draw_item(paper: Paper, runs: pd.DataFrame, table: pd.DataFrame, item: str) -> Figure | None:
    """An item as its paper draws it: by figures.csv, else bars of its values; None where there is nothing to draw."""
    row, heading = paper.figures[paper.figures["item"] == item], paper.heading(item)
    if row.empty:
        return bars(table, item, heading) if (table["item"] == item).any() else None
    row = row.iloc[0]
    chosen = runs.query(row["where"]) if len(runs) else runs
    if chosen.empty:
        return None
    if row.kind == "speedup":
        return speedups(table, chosen, item, row.x, heading)
    if row.kind == "settings":
        return settings(table, chosen, item, row.y.split("; "), heading)
    return sweep(table, chosen, item, row, heading)


def items_of(paper: Paper, table: pd.DataFrame) -> list[str]:
    """All that a paper draws, in the order of its tables."""
    return list(dict.fromkeys([*table["item"].unique(), *paper.figures["item"]])) if len(table) else list(paper.figures["item"])


def save_figures(paper: Paper, runs: pd.DataFrame, table: pd.DataFrame, folder: Path) -> None:
    """A PNG an item."""
    folder.mkdir(parents=True, exist_ok=True)
    for item in items_of(paper, table):
        figure = draw_item(paper, runs, table, item)
        if figure is not None:
            figure.savefig(folder / f"{item.replace(', ', '-').replace(' ', '-')}.png", dpi=110, bbox_inches="tight")
            plt.close(figure)
