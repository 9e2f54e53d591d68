"""The charts of a page: figures of Plotly where it is installed, whose points name their runs, else matplotlib's pictures.

A figure lies as JSON in the page, beside the place where page.js has Plotly draw it. Names come from a lab: Plotly reads
markup in them, so that it is escaped here."""

from __future__ import annotations

import html
import importlib.util
import math
from pathlib import Path
from typing import Any

from .pictures import strong_hue

PACKAGE = "plotly==7.1.0"
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star", "triangle-left",
           "triangle-right", "hexagon", "pentagon")
DASHES = ("solid", "dash", "dashdot", "dot")
ROW_HEIGHT, PLANE_HEIGHT = 34, 440  # pixels
Chart = dict[str, Any]


def plotly_script() -> str | None:
    """Plotly as its package brings it; None where it is not installed."""
    found = importlib.util.find_spec("plotly")
    for folder in found.submodule_search_locations or [] if found else []:
        file = Path(folder) / "package_data/plotly.min.js"
        if file.exists():
            return file.read_text("utf-8").replace("</script", "<\\/script")
    return None


def shown_charts(charts: list[Chart]) -> list[Chart]:
    """Those of more than one point, and lines of more than one place: else the table tells as much."""
    found = [{**chart, "panels": [panel for panel in chart["panels"] if count_places(chart, panel) > 1]} for chart in charts]
    return [chart for chart in found if chart["panels"]]


def count_places(chart: Chart, panel: Chart) -> int:
    points = [point for series in panel["series"] if series["line"] != "limit" for point in series["points"]]
    return len({point["x"] for point in points} if chart["kind"] in ("reuse", "scaling") else points)


def title_of(chart: Chart) -> str:
    """What a chart shows, for a reader."""
    x, y = (chart[axis]["words"].split(" [")[0] for axis in "xy")
    return {"front": f"{y} against {x}", "scaling": f"{y} by {x}"}.get(chart["kind"], chart["summary"])


def figure_of(chart: Chart, panel: Chart) -> Chart:
    """A panel as Plotly takes it; `customdata` are the runs of points."""
    return rows_of(chart, panel) if chart["rows"] else plane_of(chart, panel)


def rows_of(chart: Chart, panel: Chart) -> Chart:
    """A row a point, the first at the top; what is surely worse than the best is hollow."""
    points = [point for series in panel["series"] if series["line"] != "limit" for point in series["points"]]
    names = [html.escape(point["label"] or "") for point in points]
    hues = [strong_hue(1 if point["beaten"] else 0) for point in points]
    trace = trace_of(points, "x", names)
    trace |= {"y": list(range(len(points))), "mode": "markers", "showlegend": False,
              "marker": {"size": 9, "color": hues, "symbol": symbols(points, "circle")}}
    limits = [(series["name"], series["points"][0]["x"]) for series in panel["series"]
              if series["line"] == "limit" and series["points"]]
    axis = axis_of(chart["x"], points, "x")
    is_log = axis.get("type") == "log"  # there words are placed by logarithms, lines by their values
    return {"data": [trace], "layout": {
        "xaxis": axis, "height": 130 + ROW_HEIGHT * len(points),
        "yaxis": {"tickvals": trace["y"], "ticktext": names, "range": [len(points) - 0.4, -0.6], "automargin": True,
                  "showgrid": False, "zeroline": False, "fixedrange": True},
        "shapes": [{"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": {"dash": "dash", "width": 1}}
                   for _, x in limits],
        "annotations": [{"text": html.escape(name), "x": math.log10(x) if is_log else x, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
                        for name, x in limits]}}


def plane_of(chart: Chart, panel: Chart) -> Chart:
    """A colour, a marker and a kind of line for each name of series, the same in each panel."""
    data = []
    for series in panel["series"]:
        points, place, limit = series["points"], series["place"], series["line"] == "limit"
        trace = trace_of(points, "y", [html.escape(point["label"] or series["name"]) for point in points])
        trace |= {"x": [point["x"] for point in points], "name": html.escape(series["name"])}
        if limit:
            trace |= {"mode": "lines", "line": {"dash": "dash", "width": 1, "color": "#888888"}, "hoverinfo": "name"}
        else:
            trace |= {"mode": "lines+markers" if series["line"] == "joined" else "markers",
                      "line": {"color": strong_hue(place), "dash": DASHES[place % len(DASHES)], "width": 1.5},
                      "marker": {"size": 9, "color": strong_hue(place),
                                 "symbol": symbols(points, SYMBOLS[place % len(SYMBOLS)])}}
        data.append(trace)
    everything = [point for series in panel["series"] for point in series["points"]]
    return {"data": data, "layout": {"xaxis": axis_of(chart["x"], everything, "x"), "height": PLANE_HEIGHT,
                                     "yaxis": axis_of(chart["y"], everything, "y"), "legend": {"orientation": "h", "yref": "container", "y": 0}}}


def trace_of(points: list[Chart], of: str, names: list[str]) -> Chart:
    """The points' values along one axis with their intervals, and what the others have in common."""
    bounded = any(point["low"] is not None and point["high"] is not None for point in points)
    ends = {"type": "data", "symmetric": False, "thickness": 1.2, "array": [side(point, of, "high", 1) for point in points],
            "arrayminus": [side(point, of, "low", -1) for point in points]}
    return {"type": "scatter", of: [point[of] for point in points], "text": names,
            "customdata": [point["run"] for point in points], **({f"error_{of}": ends} if bounded else {})}


def side(point: Chart, of: str, end: str, sign: int) -> float | None:
    return None if point[end] is None or point[of] is None else max(sign * (point[end] - point[of]), 0)


def symbols(points: list[Chart], symbol: str) -> list[str]:
    return [f"{symbol}-open" if point["beaten"] else symbol for point in points]


def axis_of(words: Chart, points: list[Chart], of: str) -> Chart:
    """Logarithmic where the chart says so; whole values are the only ticks."""
    values = {point[of] for point in points if point[of] is not None}
    axis: Chart = {"title": {"text": html.escape(words["words"])}, "zeroline": False, "automargin": True}
    if words["logarithmic"] and values and min(values) > 0:
        axis["type"] = "log"
        if max(values) > 4 * min(values):
            axis["dtick"] = "D2" if max(values) < 200 * min(values) else 1  # 1, 2, 5, 10 or powers of ten
    return axis | ({"tickvals": sorted(values)} if words["whole"] else {})
