"""A paper redrawn: its published values beside those of a lab, with a verdict each.

    PYTHONPATH=notebooks python3 -m tesselab.paper sulyok-2019                  # the runs that ship
    PYTHONPATH=notebooks python3 -m tesselab.paper sulyok-2019 --lab LAB --figures FOLDER
    PYTHONPATH=notebooks python3 -m tesselab.paper all --figures FOLDER         # every paper, every figure
    PYTHONPATH=notebooks python3 -m tesselab.paper all --from-nothing LABS      # what needs no GPU, by `tess` in PATH
    PYTHONPATH=notebooks python3 -m tesselab.paper                              # all tables and figures, and their state

A paper is a folder of `notebooks/papers`: `published.csv` has its values, `series.csv` the run that makes each
series, `because.csv` a reason for each difference, `figures.csv` what is more than bars, `recipe.yaml` the runs, `lab`
and `runs.csv.xz` what they gave, `values.csv` what other commands print. The command ends with 1 where a value differs,
or is missing, without a reason.

Structure and bytes are compared as they are. Times are of other hardware, so what is compared is their order: a value
holds if no other one of its item that is published as 10 % smaller is 3 % larger here, nor the other way round."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from .archive import LabError, command
from .lab import open_lab
from .marches import STEP, application_speedup, is_march, with_loops
from .run_file import open_table
from .side_by_side import text_table, write_part

PAPERS = Path(__file__).resolve().parents[1] / "papers"
VALUE = ["item", "series", "quantity"]
SERIES = ["item", "series", "x"]
NOT_OF_RUNS = [*SERIES, "mesh", "stand_in"]  # columns of series.csv; the others are columns of runs that have to agree
FASTEST = "best"  # an x: the block size by which the series is fastest
TIMED = ("median_time", "useful_fraction")  # of samples
ORDER = "order"  # a tolerance: the value's place among those of its item
CLEARLY, SLIGHTLY = 1.1, 1.03  # published as another value, and here as another one
TITLES = {"reuse_factor": "reuse", "thread_colours_mean": "thread colours", "block_colours": "block colours",
          "useful_bytes": "useful bytes", "median_time": "ms", "gflops": "GFLOPS", "speedup": "speedup",
          "dram_read_bytes": "read, MB", "dram_write_bytes": "written, MB", "shared_bytes_plan_max": "shared bytes",
          "transfer_used_op2": "transfer used, MB", "transfer_total_op2": "transfer total, MB",
          "occupancy_achieved": "occupancy", "stall_sync": "stalls, barriers", "stall_data": "stalls, data",
          "stall_dependency": "stalls, dependency", "warp_efficiency": "warp efficiency", "flop_efficiency": "flop efficiency",
          "useful_fraction": "share of bandwidth", "global_colours": "global colours", "loop_count": "calls",
          "loop_time": "ms a call", "loop_bandwidth": "GB/s", "loop_line_bandwidth": "GB/s of lines",
          "application_speedup": "speedup of the whole application", "l2_reads_per_element": "L2 sectors read a cell",
          "l2_writes_per_element": "L2 sectors written a cell", "memory_reads_per_element": "memory sectors read a cell",
          **{f"unique_points_warp{warp}{p90}/nodes.{end}": f"{side} nodes, {words}"
             for warp in ("", "64") for p90, words in (("", "median"), ("_p90", "ninth decile"))
             for end, side in enumerate(("left", "right"))}}
ORDERS = {"natural": "none", "gps": "GPS", "metis": "part."}  # as the papers call them
ORDERS_OF_FILES = {"volna": {"natural": "by rows", "gps": "none"}}  # Volna's import tool numbers a mesh by GPS
MACHINES = {"cuda": "H200", "emulator:check=no:caches=k20m": "K20m, emulated"}
K20M_MEMORY, K20M_L2 = 171.17, 394.1  # GB/s that Langguth et al. reached (section 7)
SCALES = {"median_time": 1e3, "loop_time": 1e3, "loop_bandwidth": 1e-9, "loop_line_bandwidth": 1e-9, "dram_read_bytes": 1e-6, "dram_write_bytes": 1e-6, "transfer_used_op2": 2.0**-20,
          "transfer_total_op2": 2.0**-20}  # of what a title says
HELD, DIFFERS, MISSING = "held", "differs", "not made"
STATES = REDRAWN, ON_STAND_IN, NOT_REDRAWN = "redrawn", "redrawn on a stand-in", "not redrawn"


@dataclass(frozen=True)
class Paper:
    """What is published, the run of each series, and the reasons for differences."""

    folder: Path
    published: pd.DataFrame
    series: pd.DataFrame
    because: pd.DataFrame
    values: pd.DataFrame  # [item, series, x, quantity] ours where no run has it
    figures: pd.DataFrame  # what of an item is drawn over more runs than those of its values
    items: pd.DataFrame  # its tables and figures, of which each has one or more items of `published`

    def runs(self, lab: str | Path | None = None) -> pd.DataFrame:
        """The runs of another lab, or those that ship."""
        if lab is not None:
            return derived(open_lab(lab).runs())
        shipped = [open_lab(self.folder / "lab").runs()] if (self.folder / "lab").is_dir() else []
        shipped += [open_table(path).runs() for path in sorted(self.folder.glob("*.csv.xz"))]
        return derived(pd.concat(shipped)) if shipped else pd.DataFrame()

    def heading(self, item: str) -> str:
        """An item and what it shows, as the table of all items says."""
        for row in self.items.itertuples():
            if item in row.parts.split("; "):
                return f"{item}: {row.shows}" + ", on a stand-in" * bool(row.stand_in)
        return item


def published(name: str, papers: Path = PAPERS) -> pd.DataFrame:
    """What a paper says, one row a value: `item`, `series`, `x`, `quantity`, `unit`, `value`, `where`, `tolerance`."""
    return open_paper(name, papers).published


def open_paper(name: str, papers: Path = PAPERS) -> Paper:
    """Reads the tables of a paper."""
    folder = papers / name
    if not (folder / "published.csv").is_file():
        known = ", ".join(sorted(path.parent.name for path in papers.glob("*/published.csv")))
        notebook = papers / f"{name.replace('-', '_')}.py"
        if name and notebook.is_file():
            raise LabError(f"'{name}' has no tables and figures to redraw, its front matter alone is there: its claims are in "
                           f"{notebook}; papers with tables are {known}")
        raise LabError(f"there is no paper '{name}'; there are {known}")
    text = dict.fromkeys([*NOT_OF_RUNS, "tolerance"], str)
    published, series, because = (pd.read_csv(folder / f"{table}.csv", dtype=str if table == "series" else text)
                                  for table in ("published", "series", "because"))
    values = (pd.read_csv(folder / "values.csv", dtype=text) if (folder / "values.csv").is_file() else
              pd.DataFrame(columns=[*SERIES, "quantity", "value", "made_by"]))
    figures = (pd.read_csv(folder / "figures.csv", dtype=str, keep_default_na=False) if (folder / "figures.csv").is_file()
               else pd.DataFrame(columns=["item", "kind", "x", "y", "by", "where", "scale"]))
    items = read_items(papers)
    return Paper(folder, published, series, because, values, figures, items[items.paper == name])


def read_items(papers: Path) -> pd.DataFrame:
    """All tables and figures of the papers: `paper`, `title`, `item`, `shows`, its `parts`, `stand_in`, `because`."""
    return pd.read_csv(papers / "items.csv", keep_default_na=False)


def within(ours: float, published: float, tolerance: str) -> bool:
    """Whether ours is the published value; the tolerance is a share of that ("5%") or a number."""
    allowed = float(tolerance[:-1]) / 100 * abs(published) if tolerance.endswith("%") else float(tolerance)
    return abs(ours - published) <= allowed


def agree(runs: pd.DataFrame, column: str, wanted: str) -> pd.Series:
    """Whether runs have a setting, or begin with it where it ends with `*`; one that no run has is had by none."""
    if column not in runs:
        return pd.Series(False, index=runs.index)
    if wanted.endswith("*"):
        return runs[column].astype(str).str.startswith(wanted[:-1])
    numbers = pd.to_numeric(runs[column], errors="coerce")
    return (runs[column].astype(str) == wanted) | (numbers == pd.to_numeric(wanted, errors="coerce"))


def timed(runs: pd.DataFrame) -> pd.DataFrame:
    """Those without counters, beside which a run takes one sample, if there are such."""
    several = runs[runs.dram_read_bytes.isna()] if "dram_read_bytes" in runs else runs
    return several if len(several) else runs


def run_of(series: pd.Series, runs: pd.DataFrame, mesh: str, quantity: str) -> pd.Series | None:
    """The newest run of a series on one mesh that passed, or marched, and has the quantity; the fastest where x says so. Time
    steps of marches stand for no loop, nor the one sample beside counters for a time, where a run of more has it."""
    if quantity not in runs:
        return None
    fits = (runs.mesh == mesh) & ((runs.outcome == "passed") | is_march(runs)) & runs[quantity].notna()
    if quantity == "median_time":
        fits &= runs.loop != STEP
    settings = series.drop(labels=NOT_OF_RUNS).dropna()
    if "block_size" not in settings and series.x != FASTEST:
        settings["block_size"] = series.x
    for column, wanted in settings.items():
        fits &= agree(runs, column, wanted)
    found = timed(runs[fits]) if quantity in TIMED else runs[fits]
    if found.empty:
        return None
    is_timed = "median_time" in found and found.median_time.notna().any()  # not of the loops of a march, which it tuned
    return found.loc[found.median_time.idxmin()] if series.x == FASTEST and is_timed else found.iloc[-1]


def ours_of(value: pd.Series, series: pd.DataFrame, runs: pd.DataFrame) -> tuple[float, str]:
    """What runs have for a published value and the mesh it was made on: the paper's, else its stand-in, which is
    too small for what grows with the mesh. Of several ways to make a series the first that has the quantity counts."""
    for _, way in series.iterrows():
        small = [] if value.quantity == "useful_bytes" else [way.stand_in]
        for mesh in [way.mesh, *small]:
            run = run_of(way, runs, mesh, value.quantity) if isinstance(mesh, str) and len(runs) else None
            if run is not None:
                return float(run[value.quantity]), mesh
    return float("nan"), ""


def derived(runs: pd.DataFrame) -> pd.DataFrame:
    """With the loops of marches, and what figures show and runs do not say: `series`, a run's name in a figure, `b`, the
    cells of a block of the mesh, `gflops`, sectors an element, and the `application_speedup` of marches."""
    runs = with_loops(runs)
    of = {name: runs[name] if name in runs else pd.Series(dtype=float, index=runs.index) for name in (
        "blocks", "fill", "block_size", "flops", "median_time", "l2_read_sectors", "l2_write_sectors", "dram_read_bytes")}
    device = runs.device.fillna("") if "device" in runs else pd.Series("", index=runs.index)
    elements = (of["blocks"] * of["fill"] * of["block_size"]).round()
    b = runs.mesh.str.extract(r"\bb=(\d+)")[0].astype(float)
    b = b.fillna(of["block_size"].where(runs.partitioner != "natural", elements))
    asked = (of["l2_read_sectors"] + of["l2_write_sectors"]) / elements
    memory = (of["dram_read_bytes"] / elements + 8).clip(lower=64)  # of a cell; one value is written
    limit = (11 * K20M_L2 / (32 * asked)).clip(upper=11 * K20M_MEMORY / memory)
    return runs.copy().assign(series=[series_name(run) for _, run in runs.iterrows()], elements=elements, b=b,
                       gflops=1e-9 * of["flops"] / of["median_time"], l2_reads_per_element=of["l2_read_sectors"] / elements,
                       l2_writes_per_element=of["l2_write_sectors"] / elements,
                       memory_reads_per_element=of["dram_read_bytes"] / 32 / elements,
                       application_speedup=application_speedup(runs), machine=device.replace(MACHINES),
                       k20m_gflops=limit.where(device.str.contains("caches=k20m")),
                       instance=runs.mesh.str.startswith("random_blocks").map({True: "constructed", False: "mesh"}))


def series_name(run: pd.Series) -> str:
    """What a figure calls a run, as the papers do: the order of elements, with AoS where data lie so; the kernel of a
    loop that only gathers, and its threads; the threads of a processor."""
    strategy = run.get("strategy")
    if not isinstance(strategy, str):
        return str(run.partitioner)
    if strategy.startswith("gather"):
        threads = run.threads if isinstance(run.threads, (int, float)) and run.threads > 0 else run.block_size
        return f"kernel {1 if 'own=staged' in strategy else 2}, {threads:.0f} threads"
    if strategy.startswith("openmp"):
        threads = run.device.removeprefix("host:threads=")
        return f"{threads} thread{'s' * (threads != '1')}" + ", common arrays" * ("copies=private" not in strategy)
    if strategy.split(":")[0] in ("atomics", "two-step"):
        return strategy.split(":")[0]
    orders = ORDERS | ORDERS_OF_FILES.get(run.get("application"), {})
    order = orders.get(run.partitioner, run.partitioner.removeprefix("bricks:dims=").removesuffix(":full=yes"))
    registers = re.search(r":registers=(\d+)", strategy)
    return ("global " * strategy.startswith("global") + order + " AoS" * ("aos" in run.layouts) +
            (f", {registers[1]} registers" if registers else ""))


def in_order(row: pd.Series, others: pd.DataFrame) -> bool:
    """Whether a value stands to the others as published: none is clearly larger there and smaller here."""
    there, here = others.published / row.published, others.ours / row.ours
    return not (((there > CLEARLY) & (here * SLIGHTLY < 1)) | ((there * CLEARLY < 1) & (here > SLIGHTLY))).any()


def beside(paper: Paper, runs: pd.DataFrame) -> pd.DataFrame:
    """One row a published value: `published`, `ours`, `ratio`, `mesh` (that ours is of), `stand_in` (it is not the
    paper's), `verdict` (held, differs, not made) and `because`."""
    series = dict(list(paper.series.groupby(SERIES, sort=False)))
    other = paper.values.set_index([*SERIES, "quantity"])
    rows = []
    for _, value in paper.published.iterrows():
        made_by = series[tuple(value[SERIES])]
        ours, mesh = ours_of(value, made_by, runs)
        key = (*value[SERIES], value.quantity)
        if pd.isna(ours) and key in other.index:
            ours, mesh = other.loc[key, "value"], made_by.mesh.iloc[0]
        rows.append({**value[[*VALUE, "x", "unit", "tolerance"]], "published": value.value, "ours": ours,
                     "ratio": ours / value.value, "mesh": mesh, "stand_in": mesh not in ("", made_by.mesh.iloc[0])})
    table = pd.DataFrame(rows)
    table["verdict"] = [verdict(row, table) for _, row in table.iterrows()]
    table["because"] = ["" if row.verdict == HELD else reason(row, paper.because) for _, row in table.iterrows()]
    return table


def reason(row: pd.Series, because: pd.DataFrame) -> str:
    """The first of because.csv that is of a value; `*` stands for every series, or every quantity, of its item."""
    fits = because["item"] == row["item"]
    for column in ("series", "quantity"):
        fits &= because[column].isin([row[column], "*"])
    return because[fits].because.iloc[0] if fits.any() else ""


def verdict(row: pd.Series, table: pd.DataFrame) -> str:
    """Of one value among all."""
    if pd.isna(row.ours):
        return MISSING
    if row.tolerance != ORDER:
        return HELD if within(row.ours, row.published, row.tolerance) else DIFFERS
    others = table[(table["item"] == row["item"]) & (table.quantity == row.quantity) & table.ours.notna()]
    return HELD if in_order(row, others) else DIFFERS


def unexplained(table: pd.DataFrame) -> pd.DataFrame:
    """What differs or is missing without a reason."""
    return table[(table.verdict != HELD) & (table.because == "")]


def shown(value: float, quantity: str = "") -> str:
    value = value * SCALES.get(quantity, 1)
    return "" if pd.isna(value) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def title(quantity: str) -> str:
    return TITLES.get(quantity, "lines a block" if quantity.startswith("sectors_per_block/") else quantity)


def page(paper: Paper, table: pd.DataFrame, markdown: bool) -> str:
    """How many values hold, and all of them: a table an item as Markdown, else a row a value."""
    counts = table.verdict.value_counts().reindex([HELD, DIFFERS, MISSING], fill_value=0)
    held = f"Of {len(table)} values {counts[HELD]} held, {counts[DIFFERS]} differ, {counts[MISSING]} are not made."
    of_quantity = (table.verdict == HELD).groupby(table.quantity.map(title), sort=False).agg(["sum", "size"])
    parts = [f"{name} {row['sum']} of {row['size']}" for name, row in of_quantity.iterrows()]
    if not markdown:
        return f"{held} A star: on another mesh than the paper's.\n\n{value_rows(table)}"
    sections = [item_section(paper.heading(item), rows) for item, rows in table.groupby("item", sort=False)]
    return "\n\n".join([f"{held} By quantity: {'; '.join(parts)}.", *sections])


def item_section(heading: str, values: pd.DataFrame) -> str:
    """An item as its paper has it, a column a series and a row a quantity: ours, the published value in brackets, bold and
    with the number of the reason below where they differ."""
    by_x = bool(values.groupby(["series", "quantity"]).x.nunique().max() > 1)  # a sweep: a row an x
    of_series = values.drop_duplicates("series").set_index("series").x
    series, most = list(of_series.index), of_series.mode().iloc[0]
    reasons = [reason for reason in values.because.unique() if reason]
    rows = [["", *(name if by_x or of_series[name] == most else f"{name}, {at(of_series[name])}" for name in series)]]
    lines = values.assign(line=[title(row.quantity) + (f", {at(row.x)}" if by_x else "") for row in values.itertuples()])
    for line, of_line in lines.groupby("line", sort=False):
        cells = {row.series: cell(row, reasons) for row in of_line.itertuples()}
        rows.append([line, *(cells.get(name, "") for name in series)])
    where = "" if by_x else f", {at(most)}"
    listed = "\n".join(f"{place}. {reason}" for place, reason in enumerate(reasons, 1))
    return f"### {heading[0].upper()}{heading[1:]}{where}\n\n{text_table(rows, True)}\n\n{listed}".rstrip()


def at(x: str) -> str:
    """Where a value is taken: a block size, or the best of them."""
    return "at its best" if x == FASTEST else f"at {shown(float(x))}"


def cell(row: Any, reasons: list[str]) -> str:
    """Ours and the published value of a row of `beside`."""
    ours = shown(row.ours, row.quantity) or "–"
    words = f"**{ours}**" if row.verdict != HELD else ours
    star = r"\*" * row.stand_in
    return f"{words}{star} ({shown(row.published, row.quantity)})" + (f" [{reasons.index(row.because) + 1}]" if row.because else "")


def value_rows(table: pd.DataFrame) -> str:
    """The values with their verdicts, and the reasons below them by number."""
    reasons = [reason for reason in table.because.unique() if reason]
    rows = [["item", "series", "at", "quantity", "published", "ours", "verdict"]]
    for row in table.itertuples():
        verdict = row.verdict + (f" ({reasons.index(row.because) + 1})" if row.because else "")
        rows.append([row.item, row.series, row.x, title(row.quantity), shown(row.published, row.quantity),
                     shown(row.ours, row.quantity) + "*" * row.stand_in, verdict])
    listed = "\n".join(f"{place}. {reason}" for place, reason in enumerate(reasons, 1))
    return f"{text_table(rows, False)}\n\n{listed}".rstrip()


def items_page(papers: Path, markdown: bool) -> str:
    """All tables and figures of the papers: which of their values hold, where they are drawn, and why not all of it."""
    items = read_items(papers)
    rows = [["paper", "item", "shows", "state", "values held", "drawn by", "why not all, or on what instead"]]
    for folder, of_paper in items.groupby("paper", sort=False):
        paper = open_paper(folder, papers)
        runs = paper.runs()
        table = beside(paper, runs)
        for item in of_paper.itertuples():
            state, held = item_state(item.parts.split("; "), paper, runs, table)
            state = ON_STAND_IN if state == REDRAWN and item.stand_in else state
            notebook = f"notebooks/papers/{folder.replace('-', '_')}.py"
            rows.append([item.title, item.item, item.shows, state, held,
                         "" if state == NOT_REDRAWN else f"[{Path(notebook).name}](../{notebook})" if markdown else notebook,
                         item.because])
    states = pd.Series([row[3] for row in rows[1:]])
    counts = ", ".join(f"{(states == state).sum()} {state}" for state in STATES if (states == state).any())
    return f"{len(items)} tables and figures: {counts}.\n\n{text_table(rows, markdown)}"


def item_state(parts: list[str], paper: Paper, runs: pd.DataFrame, table: pd.DataFrame) -> tuple[str, str]:
    """Whether an item is redrawn, and how many of its published values hold; its parts are items of published.csv and of
    figures.csv."""
    values = table[table["item"].isin(parts)]
    drawn = [row for row in paper.figures.itertuples() if row.item in parts and len(runs.query(row.where))]
    made = values[values.verdict != MISSING]
    held = f"{(values.verdict == HELD).sum()} of {len(values)}" if len(values) else "none is published"
    if not drawn and made.empty:
        return NOT_REDRAWN, held
    return REDRAWN, held


def report(text: str, name: str, words: str, into: Path | None) -> None:
    """Prints a page, or writes it between the marks of a file."""
    if into:
        write_part(into, name, f"python3 -m tesselab.paper{words} --into {into}", text)
    else:
        print(text)


def judge(paper: Paper, asked: argparse.Namespace, lab: Path | None, figures: Path | None) -> int:
    """Reports on one paper; the exit code."""
    runs = paper.runs(lab)
    table = beside(paper, runs)
    report(page(paper, table, asked.markdown or asked.into is not None), paper.folder.name, f" {paper.folder.name}", asked.into)
    if figures:
        from .paper_figures import save_figures

        save_figures(paper, runs, table, figures)
    new = unexplained(table)
    for row in new.itertuples():
        print(f"{row.item}, {row.series}, {title(row.quantity)}: {row.verdict}, and no reason stands in because.csv "
              f"(published {shown(row.published, row.quantity)}, ours {shown(row.ours, row.quantity) or 'missing'})",
              file=sys.stderr)
    return 1 if len(new) else 0


def judge_all(asked: argparse.Namespace) -> int:
    """Reports on each paper, from its lab in a folder of labs where one is named; made by `tess` first, and only what
    needs no GPU, where asked so."""
    from .paper_again import make_again, without_gpu

    code = 0
    for path in sorted(asked.papers.glob("*/published.csv")):
        paper = open_paper(path.parent.name, asked.papers)
        print(f"\n{paper.folder.name}\n")
        name = paper.folder.name
        lab = Path(asked.lab) / name if asked.lab else None
        if asked.from_nothing:
            lab = asked.from_nothing / name
            paper = replace(without_gpu(paper), values=make_again(paper, asked.from_nothing / name))
        code = max(code, judge(paper, asked, lab, asked.figures and asked.figures / name))
    return code


@command
def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tesselab.paper",
                                     description="A paper's published values beside ours, with a verdict each.")
    parser.add_argument("paper", nargs="?", help="a folder of notebooks/papers, say sulyok-2019, or all (default: all "
                                                 "tables and figures of the papers, and their state)")
    parser.add_argument("--lab", help="of the runs of its recipe.yaml, with all a folder of labs (default: what ships)")
    parser.add_argument("--papers", type=Path, default=PAPERS, help="where the folders of papers are")
    parser.add_argument("--figures", metavar="FOLDER", type=Path, help="draw a figure an item, ITEM.png")
    parser.add_argument("--from-nothing", metavar="LABS", type=Path, help="with all: run the subsets `structure` into "
                        "labs of this folder first, by tess in PATH; tells what needs no GPU")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--into", metavar="FILE", type=Path, help="write Markdown between the marks of a file")
    asked = parser.parse_args(words)
    if asked.paper is None:
        report(items_page(asked.papers, asked.markdown or asked.into is not None), "papers", "", asked.into)
        return
    if asked.from_nothing and asked.paper != "all":
        parser.error("--from-nothing goes with all")
    raise SystemExit(judge_all(asked) if asked.paper == "all" else
                     judge(open_paper(asked.paper, asked.papers), asked, asked.lab, asked.figures))


if __name__ == "__main__":
    main()
