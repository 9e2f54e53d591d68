"""Writes the page of `tess report`: one HTML file that needs no network.

    tess report --json | python3 -m tesselab.report lab.html

What `tess report --json` says (schema "tess.report/1": the chosen runs, verdicts, charts, view files) is put together with
the runs' values from the lab. Everything that comes from a lab is text in the page, never markup: it is escaped here or
set by page.js as text, and the page's policy lets no script run but the two that it states by their digests."""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import importlib.util
import io
import json
import re
import sys
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from . import progress
from .archive import LabError, command
from .draw_chart import draw_chart, plt, write_figure
from .lab import Lab, open_lab
from .page_charts import PACKAGE as CHARTS_PACKAGE
from .page_charts import figure_of, plotly_script, shown_charts, title_of
from .pictures import draw_blocks, draw_ranks
from .plan import Plan
from .run_record import Ranks
from .surface import read_surface
from .whole_file import whole_file

PAGE = Path(__file__).parent / "page"
VIEWER_PACKAGE = "trame-vtk==2.11.17"
# What is compared and its values first, where a screen of 1400 pixels has them.
USUAL = ("partitioner", "strategy", "block_size", "predicted_time", "median_time", "reuse_factor", "transfer_total", "bandwidth",
         "useful_fraction", "block_colours", "thread_colours_mean", "mesh", "application", "loop", "layouts", "device", "outcome",
         "tags", "time")
MACHINE = ("host", "cpu", "gpu", "driver", "program", "commit", "commit_clean", "compiler", "flags", "system")
ICONS = "https://kitware.github.io/vtk-js/icon/favicon-"  # that vtk.js would fetch for its own page
MOST_PICTURE_CELLS = 200_000
MOST_COMMANDS = 200
Report = dict[str, Any]


def text(words: object) -> str:
    """Words as text of a page."""
    return html.escape(str(words), quote=True)


def as_data(value: object) -> str:
    """A value as JSON inside of a script element, which no text of it can end."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


# ---- Runs ----

def chosen_runs(lab: Lab, ids: list[str]) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of runs that cannot be read: tess has told of them
        runs = lab.runs()
    found = runs.reindex([run for run in ids if run in runs.index])
    found.attrs = runs.attrs
    return found


def column_data(name: str, unit: str, values: pd.Series, titles: dict[str, list[Any]]) -> Report:
    """A column as page.js takes it: texts by their places in a list, and once where all are alike; numbers in the unit of
    its title."""
    title, scale = titles.get(name, [name, None])
    column: Report = {"name": name, "title": title, "unit": "" if unit == "1" or scale is not None else unit}
    if pd.api.types.is_datetime64_any_dtype(values):
        printed = np.datetime_as_string(values.dt.tz_localize(None).to_numpy("datetime64[s]"))
        values = pd.Series(np.char.replace(printed, "T", " ").astype(object), index=values.index).where(values.notna(), None)
    if pd.api.types.is_numeric_dtype(values):
        of = seven_digits(values.to_numpy(dtype=float) * (scale or 1))
    else:
        places, raw = pd.factorize(values.where(values.notna() & (values != ""), None))
        column["text"] = [str(one) for one in raw]
        of = places.tolist()
    alike = len(of) > 0 and all(one == of[0] for one in of)
    return {**column, **({"all": of[0]} if alike else {"of": of})}


def seven_digits(numbers: np.ndarray) -> list[Any]:
    """Numbers rounded to seven digits, as JSON is to have them: whole ones without a point, or None."""
    finite = np.isfinite(numbers)
    safe = np.where(finite & (numbers != 0), numbers, 1.0)
    places = 6 - np.floor(np.log10(np.abs(safe)))
    exact = np.abs(places) <= 22  # the powers of ten that are exact
    power = 10.0 ** np.where(exact, np.abs(places), 0)
    rounded = np.where(places >= 0, np.round(safe * power) / power, np.round(safe / power) * power)
    rounded = np.where(finite & (numbers != 0), rounded, 0.0)
    whole = (rounded == np.round(rounded)).all() and (np.abs(rounded) < 2.0**53).all()
    found: list[Any] = rounded.astype("int64").tolist() if whole else rounded.tolist()
    for place in np.flatnonzero(~finite | ~exact):
        found[place] = float(f"{numbers[place]:.7g}") if finite[place] else None
    return found


def runs_data(lab: Lab, runs: pd.DataFrame, titles: dict[str, list[Any]]) -> Report:
    """The table; `titles` are those of tables, {NAME: [TITLE, SCALE]}."""
    units = runs.attrs.get("units", {})
    frame = runs.reset_index()
    columns = [column_data(name, units.get(name, ""), frame[name], titles) for name in frame.columns
               if (frame[name].notna() & (frame[name] != "")).any() and "@" not in name]
    names = [column["name"] for column in columns]
    return {"columns": columns, "n": len(frame), "usual": ["run", *(name for name in USUAL if name in names)],
            "notes": notes_of(lab, set(frame["run"]))}


def notes_of(lab: Lab, runs: set[str]) -> dict[str, str]:
    notes: dict[str, list[str]] = {}
    folder = (lab.folder / "notes").resolve()
    for path in sorted(folder.glob("*/note.*.txt")):
        if path.parent.name in runs and path.resolve() == path and path.is_file():  # no link to a file that is not one of the lab's
            notes.setdefault(path.parent.name, []).append(path.read_text("utf-8", "replace").rstrip("\n"))
    return {run: "\n".join(words) for run, words in notes.items()}


# ---- Sections ----

def verdict_rows(problem: Report) -> str:
    timed, rows = problem["metric"] == "time", []
    for row in problem["rows"]:
        median = f"{row['median']:.4g}"
        if timed and row.get("median_low") is not None and row.get("median_high") is not None:
            median += f" ({row['median_low']:.4g} to {row['median_high']:.4g})"
        ratio = "1" if row.get("ratio") is None else f"{row['ratio']:.4g}"
        if row.get("low") is not None and row.get("high") is not None:
            ratio += f" ({row['low']:.4g} to {row['high']:.4g})"
        verdict = row.get("verdict", "not compared")
        rows.append(f"<tr><td>{text(row['name'])}</td><td class='number'>{row['values']}</td>"
                    f"<td class='number'>{text(median)}</td><td class='number'>{text(ratio)}</td>"
                    f"<td class='{text(verdict)}'>{text(verdict)}</td><td>{text(row.get('how', ''))}</td></tr>")
    return "".join(rows)


def home_of(best: Report) -> str:
    """The commands that take the best of a problem into one's own mesh or code."""
    return f"<p>Take it home:</p><pre tabindex='0'>{text(best['home'])}</pre>" if best.get("home") else ""


def pairs_without(runs: pd.DataFrame, shown: set[tuple[str, str]], why: str) -> str:
    """A line that names the meshes and loops of runs that are not among those shown, and says why."""
    if not {"mesh", "loop"} <= set(runs.columns):
        return ""
    missing = sorted({(str(mesh), str(loop)) for mesh, loop in zip(runs["mesh"], runs["loop"], strict=True)} - shown)
    names = "; ".join(f"{loop} on {Path(mesh).name}" for mesh, loop in missing[:MOST_COMMANDS])
    return f"<p class='missing'>{text(why)}: {text(names)}.</p>" if missing else ""


def verdicts_section(report: Report, runs: pd.DataFrame) -> str:
    parts = []
    for problem in report["verdicts"]:
        timed = problem["metric"] == "time"
        unit = f" [{problem['unit']}]" if problem["unit"] else ""
        left = f"<p>Left out: {problem['left_out']} more.</p>" if problem["left_out"] else ""
        told = f"<p>{text(problem['words'])}.</p>" if problem.get("words") else ""
        parts.append(f"<h3>{text(problem['title'])}</h3>{told}" + scrolled(problem["title"], "<table class='verdicts'><thead><tr>"
                     f"<th>variant</th><th class='number'>{'samples' if timed else 'runs'}"
                     f"</th><th class='number'>median {text(problem['metric'])}{text(unit)}</th><th class='number'>ratio</th>"
                     f"<th>{'verdict' if any(row.get('verdict', 'none') for row in problem['rows']) else ''}</th><th>{'how' if timed else ''}</th></tr></thead><tbody>{verdict_rows(problem)}"
                     "</tbody></table>") + f"{left}{home_of(problem['rows'][0])}")
    words = ("<p>Each beside the first of its table. Of times the ratio has its 95 % interval, and the verdict is that of "
             "<code>tess compare</code>: same and unclear are ties.</p>")
    missing = pairs_without(runs, {(problem.get("mesh", ""), problem.get("loop", "")) for problem in report["verdicts"]},
                            "Not compared, as no two of their runs differ in how they were cut or run")
    return section("verdicts", "Verdicts", (words + "".join(parts) if parts else "<p>There is nothing to compare.</p>") + missing)


def panel_svg(chart: Report, panel: Report) -> str:
    """A panel as a picture, whose colours page.css gives to those who want dark pages."""
    figure = draw_chart({**chart, "notes": "", "panels": [panel]})
    stream = io.StringIO()
    write_figure(figure, stream, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    drawn = re.sub(r": #([0-9a-f]{6})\b", r": var(--of-\1, #\1)", stream.getvalue())
    words = text(f"{title_of(chart)}: {panel['title']}")
    return (f"<div class='scroll' tabindex='0' role='group' aria-label='{words}'>"
            + drawn[drawn.index("<svg"):].replace("<svg", f'<svg role="img" aria-label="{words}"', 1) + "</div>")


def chart_figures(chart: Report) -> str:
    """The panels of a chart for page.js, which has Plotly draw them."""
    return "".join(f"<div class='chart'><h4>{text(panel['title'])}</h4><div></div><script type='application/json'>{as_data(figure_of(chart, panel))}</script></div>"
                   for panel in chart["panels"])


def plots_section(report: Report) -> str:
    charts, is_live, figures = shown_charts(report["charts"]), plotly_script() is not None, []
    for chart in charts:
        if is_live:
            figures.append(chart_figure(chart, f"<div class='panels'>{chart_figures(chart)}</div>", chart["notes"]))
        else:
            *others, last = (panel_svg(chart, panel) for panel in chart["panels"])
            figures += [*(chart_figure(chart, panel, "") for panel in others), chart_figure(chart, last, chart["notes"])]
        progress.end_part()
    drawn = "".join(figures)
    body = ("<p>A point names its run where the mouse is over it; a click shows the run.</p>" + drawn if is_live
            else f"<div class='static'>{drawn}</div>")
    return section("plots", "Plots", body if charts else "<p>No run has what plots show.</p>")


def chart_figure(chart: Report, drawn: str, notes: str) -> str:
    return f"<figure><h3>{text(title_of(chart))}</h3>{drawn}<figcaption>{text(notes)}</figcaption></figure>"


def facts(title: str, frame: pd.DataFrame, names: tuple[str, ...]) -> str:
    """A table of the combinations of values, with how many runs have each."""
    known = [name for name in names if name in frame.columns]
    groups = frame[known].fillna("").astype(str).value_counts(sort=True) if known else {}
    head = "".join(f"<th>{text(name)}</th>" for name in known)
    rows = "".join(f"<tr><td class='number'>{count}</td>{''.join(f'<td>{text(value)}</td>' for value in values)}</tr>"
                   for values, count in list(groups.items())[:MOST_COMMANDS])
    more = f"<p>Left out: {len(groups) - MOST_COMMANDS} more.</p>" if len(groups) > MOST_COMMANDS else ""
    table = f"<table class='provenance'><thead><tr><th>runs</th>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f"<h3>{title}</h3>{scrolled(title, table)}{more}"


def provenance_section(runs: pd.DataFrame) -> str:
    return section("provenance", "Provenance", "".join((
        facts("Machines and programs", runs, MACHINE), facts("Meshes", runs, ("mesh", "mesh_digest")),
        facts("Commands", runs, ("command", "folder")))))


def scrolled(words: str, body: str) -> str:
    """A table that may be wider than the page: by keyboard, too."""
    return f"<div class='scroll' tabindex='0' role='region' aria-label='{text(words)}'>{body}</div>"


def section(name: str, title: str, body: str) -> str:
    return f'<section id="{name}"><h2>{title}</h2>{body}</section>'


# ---- Blocks ----

def picture(lab: Lab, run: str) -> str:
    """A picture of a flat mesh, as an image of the page; "" of others."""
    mesh, ranks = lab.mesh(run), lab.record(run).ranks
    shown: Plan | Ranks = lab.plan(run) if ranks is None else ranks
    n_elements = len(shown.block_of if isinstance(shown, Plan) else shown.rank_of)
    if mesh.dimension != 2 or n_elements > MOST_PICTURE_CELLS:
        return ""
    ax = draw_blocks(mesh, shown, "display_colour") if isinstance(shown, Plan) else draw_ranks(mesh, shown)
    stream = io.BytesIO()
    ax.figure.savefig(stream, format="png", dpi=130)
    plt.close(ax.figure)
    words = text(f"Blocks of run {run}: {ax.get_title(loc='left')}")
    record = lab.record(run).configuration["text"]
    of = ", ".join(filter(None, (Path(str(record.get("mesh", ""))).name, str(record.get("loop", "")), run[:14])))
    return (f'<figure><img alt="{words}" src="data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}">'
            f"<figcaption>{text(of)}. Colours tell blocks that touch apart; lines are their borders.</figcaption></figure>")


def named_view(lab: Lab, view: Report) -> str:
    record = lab.record(view["run"]).configuration["text"]
    names = ("mesh", "loop", "rank_partitioner", "engine") if "engine" in record else ("mesh", "loop", "partitioner", "block_size")
    words = [Path(str(record.get(name, ""))).name for name in names]
    return f"{', '.join(word for word in words if word)} ({view['run'][:10]})"


def read_view(lab: Lab, view: Report) -> Report:
    """The surface of a run's blocks, for the 3D view."""
    return {"name": named_view(lab, view), "run": view["run"], **read_surface(Path(view["file"])).as_json()}


def each_drawn(views: list[Report], draw: Callable[[Report], Any], undrawn: dict[str, str]) -> list[Any]:
    """What is drawn of each run; why others are not, by their id: whatever is wrong with one, the page comes."""
    drawn = []
    for view in views:
        try:
            drawn.append(draw(view))
        except Exception as error:
            undrawn.setdefault(view["run"], f"{error}" if isinstance(error, LabError) else f"{type(error).__name__}: {error}")
        progress.end_part()
    return drawn


def viewer_script() -> tuple[str, str] | None:
    """vtk.js as the package trame-vtk brings it, and its licence; None where it is not installed."""
    found = importlib.util.find_spec("trame_vtk")
    for folder in found.submodule_search_locations or [] if found else []:
        page = Path(folder) / "tools/static_viewer.html"
        if page.exists():
            words = page.read_text("utf-8")
            begin = words.index('<script type="module">') + len('<script type="module">')
            licences = sorted(Path(folder).parent.glob("trame_vtk-*.dist-info/licenses/LICENSE"))
            script = words[begin:words.index("</script>", begin)].replace(ICONS, "data:,")
            return script, licences[0].read_text("utf-8") if licences else "BSD 3-Clause"
    return None


def scene() -> str:
    """A scene of vtk.js with one triangle, zipped: page.js puts the blocks in its place."""
    arrays = {"points": np.zeros(9, "<f4"), "polys": np.array([3, 0, 1, 2], "<u4"), "colours": np.zeros(9, "u1")}

    def array(name: str, kind: str, components: int, **more: str) -> Report:
        return {"hash": name, "vtkClass": kind, "name": name, "dataType": {"f4": "Float32Array", "u4": "Uint32Array",
                "u1": "Uint8Array"}[arrays[name].dtype.str[1:]], "numberOfComponents": components, "size": arrays[name].size, **more}

    def node(name: str, kind: str, parent: str, properties: Report, inside: list[Report] = [], calls: list[Any] = []) -> Report:
        return {"id": name, "type": kind, "parent": parent, "properties": properties, "dependencies": inside, "calls": calls, "mtime": 1}

    data = node("data", "vtkPolyData", "mapper", {
        "points": array("points", "vtkPoints", 3), "polys": array("polys", "vtkCellArray", 1),
        "fields": [array("colours", "vtkDataArray", 3, location="pointData", registration="setScalars")]})
    mapper = node("mapper", "vtkMapper", "actor", {"scalarVisibility": True, "colorMode": 0, "scalarMode": 0}, [data],
                  [["setInputData", ["instance:${data}"]]])
    look = node("look", "vtkProperty", "actor", {"ambient": 0.25, "diffuse": 0.8, "specular": 0.0, "interpolation": 0})
    actor = node("actor", "vtkActor", "renderer", {"visibility": True}, [mapper, look],
                 [["setMapper", ["instance:${mapper}"]], ["setProperty", ["instance:${look}"]]])
    camera = node("camera", "vtkCamera", "renderer", {"focalPoint": [0, 0, 0], "position": [0, 0, 2], "viewUp": [0, 1, 0]})
    renderer = node("renderer", "vtkRenderer", "window", {"background": [1, 1, 1], "twoSidedLighting": True, "layer": 0},
                    [camera, actor], [["setActiveCamera", ["instance:${camera}"]], ["addViewProp", ["instance:${actor}"]]])
    window = node("window", "vtkRenderWindow", "0x0", {"numberOfLayers": 1}, [renderer], [["addRenderer", ["instance:${renderer}"]]])
    hashes = {name: {"content": base64.b64encode(values.tobytes()).decode()} for name, values in arrays.items()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr(zipfile.ZipInfo("index.json"), json.dumps({"scene": window, "hashes": hashes}))
    return base64.b64encode(stream.getvalue()).decode()


CONTROLS = """<div class="bar" id="controls" hidden>
<label>colour <select id="colour"></select></label>
<label>apart <input id="explode" type="range" min="0" max="1" step="0.02" value="0"></label>
<label>cut <select id="cut"><option value="">nowhere</option><option>x</option><option>y</option><option>z</option></select>
<input id="place" type="range" min="0" max="1" step="0.02" value="0.5" aria-label="where the cut is"></label>
<label>only block <input id="only" type="number" min="0" placeholder="all"></label>
<button id="reset">whole view</button> <small id="shown"></small></div><div id="key"></div>"""


def blocks_section(lab: Lab, report: Report, runs: pd.DataFrame) -> tuple[str, str | None]:
    """The section, and the script that its 3D view wants allowed."""
    undrawn = {one["run"]: one["why"] for one in report.get("undrawn", [])}
    known = set(undrawn)
    surfaces = each_drawn(report["views"], lambda view: read_view(lab, view), undrawn)
    pictures = "".join(each_drawn(report["views"], lambda view: picture(lab, view["run"]), undrawn))
    body = f"<div class='pictures'>{pictures}</div>" if pictures else ""
    body += "".join(f"<p class='undrawn'>No picture of run {text(run)}: {text(why)}</p>" for run, why in undrawn.items())
    shown = {run for run in (view["run"] for view in report["views"]) if run not in undrawn and run in runs.index}
    pairs = {(str(runs["mesh"][run]), str(runs["loop"][run])) for run in shown}
    body += pairs_without(runs, pairs, "Blocks are shown of up to four meshes and loops, of up to a million elements each; --blocks RUN "
                          "shows others, which are") if pairs else ""
    viewer = viewer_script() if surfaces else None
    for run in undrawn.keys() - known:
        note(report, f"no picture of run {run}: {undrawn[run]}")
    if surfaces and viewer is None:
        note(report, f"no 3D view of blocks: {sys.executable} lacks vtk.js ({how_to_install(VIEWER_PACKAGE)})")
    if viewer:
        names = "".join(f"<option>{text(surface['name'])}</option>" for surface in surfaces)
        licence = text(viewer[1])
        body += (f"<div class='bar'><label>blocks of <select id='which'>{names}</select></label>"
                 f"<button id='start'>Show in 3D</button></div>{CONTROLS}<div id='scene' hidden><div id='stage'></div><div id='block' role='status' hidden></div></div>"
                 "<p>A click on a block says its number and values. Drag to turn, Shift and drag to move, the wheel goes nearer. A cut keeps the blocks whose middle is on one side.</p>"
                 f"<details><summary>The 3D view is vtk.js of trame-vtk</summary><pre tabindex='0'>{licence}</pre></details>"
                 f"<script type='application/json' id='blocks-data'>{as_data(surfaces)}</script>"
                 f"<script type='text/plain' id='viewer' data-scene='{scene()}'>{viewer[0]}</script>")
    return section("blocks", "Blocks", body or "<p>No view of blocks is in the lab: <code>--blocks RUN</code> makes one.</p>"), \
        viewer[0] if viewer else None


def note(report: Report, words: str) -> None:
    if not report.get("quiet"):
        print(words, file=sys.stderr)


def how_to_install(package: str) -> str:
    if sys.prefix != sys.base_prefix:
        return f"{sys.executable} -m pip install --no-deps {package}"
    return (f"python3 -m venv --system-site-packages tess-python && tess-python/bin/pip install --no-deps {package} && "
            "export TESS_PYTHON=$PWD/tess-python")


# ---- The page ----

RUNS = """<section id="runs"><h2>Runs</h2>
<div class="bar"><input id="filter" type="search" placeholder="words that rows hold: mosaic airfoil" aria-label="filter all texts">
<span id="count" role="status"></span></div>
<details><summary>Columns</summary><div id="columns" role="group" aria-label="columns"></div></details>
<div id="table" tabindex="-1"><table><thead id="head"></thead><tbody id="rows"></tbody></table></div>
<div id="detail" tabindex="0" role="region" aria-label="the chosen run" hidden></div></section>"""


def digest_of(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def policy(scripts: list[str], more: str = "") -> str:
    """What the page may do: run these scripts, show its own pictures, and nothing else."""
    allowed = " ".join(map(digest_of, scripts))
    return (f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
            f"base-uri 'none'; form-action 'none'{more}")


SECTIONS = (("runs", "Runs"), ("verdicts", "Verdicts"), ("plots", "Plots"), ("blocks", "Blocks"), ("provenance", "Provenance"))


def make_page(lab: Lab, report: Report) -> tuple[str, str]:
    """The page, and its policy."""
    progress.begin(2 + len(report["charts"]) + 2 * len(report["views"]))  # runs, plots, pictures, surfaces, writing
    runs = chosen_runs(lab, report["runs"])
    progress.end_part()
    verdicts, plots, provenance = parts(report, runs)
    if report["charts"] and plotly_script() is None:
        note(report, f"charts do not name runs: {sys.executable} lacks Plotly ({how_to_install(CHARTS_PACKAGE)})")
    blocks, viewer = blocks_section(lab, report, runs)
    data = f"<script type='application/json' id='runs-data'>{as_data(runs_data(lab, runs, report['titles']))}</script>"
    where = f", those with <code>{text(report['where'])}</code>" if report.get("where") else ""
    return whole_page(lab, f"<p><span id='total'>{len(runs):,} run{'s' * (len(runs) != 1)}{where}. </span></p>",
                      f"{verdicts}{plots}{blocks}{provenance}", data, [viewer] if viewer else [])


def make_live_page(lab: Lab) -> tuple[str, str]:
    """The page that asks its server for runs and sections, and its policy."""
    viewer = viewer_script()
    told = "<p><span id='total'></span><span id='live' role='status'>The runs are being read.</span></p>"
    empty = "".join(section(name, title, "<p>This is being made.</p>") for name, title in SECTIONS[1:])
    return whole_page(lab, told, empty, "", [viewer[0]] if viewer else [], "; connect-src 'self'")


def page_script() -> str:
    return (PAGE / "page.js").read_text()


def whole_page(lab: Lab, told: str, sections: str, data: str, allowed: list[str], more: str = "") -> tuple[str, str]:
    """The page, which lets these scripts run beside its own, and its policy."""
    charts = plotly_script()
    own = ([charts] if charts else []) + [page_script()]
    rules = policy(own + allowed, more)
    name = text(lab.folder.resolve().name if lab.folder.name in ("", ".") else lab.folder.name)
    links = "".join(f"<a href='#{one}'>{title}</a>" for one, title in SECTIONS)
    return (f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{text(rules)}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>{name}: runs of Tesselab</title><style>{(PAGE / "page.css").read_text()}</style></head><body>
<a class="skip" href="#filter">To the runs</a>
<header><h1>{name}</h1>{told}<nav>{links}</nav></header>
<main>{RUNS}{sections}</main>
{data}{"".join(f"<script>{script}</script>" for script in own)}</body></html>
""", rules)


def parts(report: Report, runs: pd.DataFrame) -> tuple[str, str, str]:
    """The sections that change when a lab grows."""
    return verdicts_section(report, runs), plots_section(report), provenance_section(runs)


@command
def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="FILE.html")
    asked = parser.parse_args(words)
    report = json.load(sys.stdin)
    if report.get("schema") != "tess.report/1":
        raise SystemExit("report: this is nothing that 'tess report --json' prints")
    page = make_page(open_lab(report["lab"]), report)[0]
    with whole_file(asked.file) as temporary:
        Path(temporary).write_text(page, "utf-8")
    progress.end_part()


if __name__ == "__main__":
    main()
