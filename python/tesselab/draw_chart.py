"""Draws a chart of `tess plot`, as PNG, SVG or PDF.

    tess plot time --json | python3 -m tesselab.draw_chart time.svg

A chart is JSON of the schema "tess.chart/1" (experiments/report/chart/chart.h): panels of series of points with
intervals. All words of it are plain text, whatever a lab's names hold."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import textwrap
from typing import Any, TextIO

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator  # noqa: E402

from . import progress  # noqa: E402
from .pictures import INK, strong_hue  # noqa: E402
from .whole_file import whole_file  # noqa: E402

MARKERS = "os^DvPX*<>hp"
LINES = ("-", "--", "-.", ":")
STYLE = {
    "text.parse_math": False,  # a '$' in a name is a '$'
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "svg.fonttype": "path",  # looks alike everywhere
    "svg.hashsalt": "tesselab",  # the same chart is the same file
}
PANEL_WIDTH, PANEL_HEIGHT, ROW_HEIGHT = 6.4, 4.2, 0.3  # inches
TITLE_LETTERS, LABEL_LETTERS, NOTE_LETTERS = 70, 60, 100

Chart = dict[str, Any]


class NameWrapper(textwrap.TextWrapper):
    """Breaks names of partitioners and meshes where tables do: behind a mark, where a space comes too late."""

    wordsep_simple_re = re.compile(r"(\s+)|(?<=[:,/=_])")

    def __init__(self, width: int) -> None:
        super().__init__(width, break_on_hyphens=False)

    def _split(self, text: str) -> list[str]:
        return [part for part in self.wordsep_simple_re.split(text) if part]


def draw_chart(chart: Chart) -> Figure:
    """The chart as a figure, its panels one below the other."""
    with plt.rc_context(STYLE):
        heights = [panel_height(chart, panel) for panel in chart["panels"]]
        width = PANEL_WIDTH + (2.4 if chart["rows"] else 1.6)  # labels, or the legend
        figure, axes = plt.subplots(len(heights), 1, figsize=(width, sum(heights) + 0.5), squeeze=False,
                                    layout="constrained", gridspec_kw={"height_ratios": heights})
        for ax, panel in zip(axes[:, 0], chart["panels"]):
            (draw_rows if chart["rows"] else draw_plane)(ax, chart, panel)
            ax.set_title("\n".join(textwrap.wrap(panel["title"], TITLE_LETTERS)), loc="left", fontsize="medium")
            ax.set_xlabel(chart["x"]["words"])
        notes = [line for note in chart["notes"].split("\n") for line in textwrap.wrap(note, NOTE_LETTERS)]
        figure.supxlabel("\n".join(notes), x=0.01, ha="left", fontsize="small", color="#555555")
        return figure


def write_figure(figure: Figure, into: Any, **how: Any) -> None:
    """Writes a chart: the style's names of an SVG's parts are made now."""
    with plt.rc_context(STYLE):
        figure.savefig(into, **how)


def panel_height(chart: Chart, panel: Chart) -> float:
    rows = max((len(series["points"]) for series in panel["series"]), default=1)
    return 0.9 + ROW_HEIGHT * max(rows, 2) if chart["rows"] else PANEL_HEIGHT


def interval(point: Chart, value: float) -> tuple[list[float], list[float]] | None:
    """The lengths of an interval to both sides, as errorbar takes them."""
    if point["low"] is None or point["high"] is None:
        return None
    return [max(value - point["low"], 0)], [max(point["high"] - value, 0)]


def draw_rows(ax: Axes, chart: Chart, panel: Chart) -> None:
    """A row a point, the first at the top; what is surely worse than the best is hollow."""
    points = [point for series in panel["series"] if series["line"] != "limit" for point in series["points"]]
    scale_axis(ax.xaxis, chart["x"], [point["x"] for point in points])
    for row, point in enumerate(points):
        hue = strong_hue(1 if point["beaten"] else 0)
        ax.errorbar(point["x"], row, xerr=interval(point, point["x"]), fmt="o", color=hue, capsize=3, markersize=6,
                    markerfacecolor="white" if point["beaten"] else hue)
        samples = f"   n = {point['n']}" if point["n"] else ""
        ax.annotate(f"{point['x']:.4g}{samples}", (1.01, row), xycoords=("axes fraction", "data"), va="center",
                    fontsize="small", color=INK)
    for series in panel["series"]:
        if series["line"] == "limit" and series["points"]:
            place = series["points"][0]["x"]
            ax.axvline(place, color=INK, linestyle="--", linewidth=1)
            ax.annotate(series["name"], (place, 0.02), xycoords=("data", "axes fraction"), ha="right", va="bottom",
                        rotation="vertical", fontsize="small", color=INK)
    ax.set_yticks(range(len(points)), ["\n".join(NameWrapper(LABEL_LETTERS).wrap(point["label"] or "")) for point in points])
    ax.set_ylim(len(points) - 0.4, -0.6)
    ax.grid(axis="y", visible=False)


def draw_plane(ax: Axes, chart: Chart, panel: Chart) -> None:
    """A colour, a marker and a kind of line for each name of series, the same in each panel."""
    everything = [point for series in panel["series"] for point in series["points"]]
    scale_axis(ax.xaxis, chart["x"], [point["x"] for point in everything])
    scale_axis(ax.yaxis, chart["y"], [point["y"] for point in everything])
    for series in panel["series"]:
        points, place = series["points"], series["place"]
        if not points:
            continue
        if series["line"] == "limit":
            ax.plot([point["x"] for point in points], [point["y"] for point in points], color=INK, linestyle="--",
                    linewidth=1, label=series["name"], zorder=1.5)
            continue
        hue, marker = strong_hue(place), MARKERS[place % len(MARKERS)]
        if series["line"] == "joined":
            ax.plot([point["x"] for point in points], [point["y"] for point in points], color=hue, linewidth=1.4,
                    linestyle=LINES[place % len(LINES)])
        for point in points:
            ax.errorbar(point["x"], point["y"], yerr=interval(point, point["y"]), color=hue, marker=marker, markersize=6,
                        capsize=3, markerfacecolor="white" if point["beaten"] else hue, linestyle="none")
            if point["label"]:
                ax.annotate("\n".join(NameWrapper(32).wrap(point["label"])), (point["x"], point["y"]), xytext=(6, 4),
                            textcoords="offset points", fontsize="x-small", color=INK)
        ax.plot([], [], color=hue, marker=marker, label=named(series),
                linestyle=LINES[place % len(LINES)] if series["line"] == "joined" else "none")
    ax.set_ylabel(chart["y"]["words"])
    ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))


def named(series: Chart) -> str:
    """The name of a series, with how many values a point stands for where these are samples."""
    counts = {point["n"] for point in series["points"]}
    words = "\n".join(NameWrapper(28).wrap(series["name"]))
    return f"{words} (n = {counts.pop()})" if len(counts) == 1 and max(counts) > 1 else words


def scale_axis(axis: Any, words: Chart, values: list[float]) -> None:
    """Logarithmic where the chart says so; whole values are the only ticks."""
    positive = all(value is not None and value > 0 for value in values)
    if words["logarithmic"] and positive:
        axis._set_axes_scale("log")
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_locator(NullLocator())
        if len(values) and max(values) / min(values) < 200:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    if words["whole"]:
        axis.set_major_locator(FixedLocator(sorted({value for value in values if value is not None})))


def read_chart(stream: TextIO) -> Chart:
    chart = json.load(stream)
    if chart.get("schema") != "tess.chart/1":
        raise SystemExit("draw_chart: this is no chart as 'tess plot --json' prints it")
    return chart


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="FILE.png, FILE.svg or FILE.pdf")
    asked = parser.parse_args(words)
    chart = read_chart(sys.stdin)
    progress.begin(2)
    figure = draw_chart(chart)
    progress.end_part()
    # Dates and versions would make equal charts differ.
    ending = os.path.splitext(asked.file)[1]
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending, {})
    with whole_file(asked.file) as temporary:
        write_figure(figure, temporary, dpi=150, metadata=metadata)
    progress.end_part()


if __name__ == "__main__":
    main()
