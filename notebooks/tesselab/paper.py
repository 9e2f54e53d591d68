"""A paper redrawn: its published values beside those of a lab, with a verdict each.

    PYTHONPATH=notebooks python3 -m tesselab.paper sulyok-2019                  # the lab that ships
    PYTHONPATH=notebooks python3 -m tesselab.paper sulyok-2019 --lab LAB --figures FOLDER
    PYTHONPATH=notebooks python3 -m tesselab.paper                              # all tables and figures, and their state

A paper is a folder of `notebooks/papers`: `published.csv` has its values, `series.csv` the run that makes each
series, `because.csv` a reason for each difference, `recipe.yaml` the runs, `lab` and `runs.csv.xz` what they gave,
`values.csv` what other commands print. The command ends with 1 where a value differs, or is missing, without a reason.

Structure and bytes are compared as they are. Times are of other hardware, so what is compared is their order: a value
holds if no other one of its item that is published as 10 % smaller is 3 % larger here, nor the other way round."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from .archive import LabError
from .lab import open_lab
from .run_file import open_table
from .side_by_side import text_table, write_part

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPERS = Path(__file__).resolve().parents[1] / "papers"
VALUE = ["item", "series", "quantity"]
SERIES = ["item", "series", "x"]
NOT_OF_RUNS = [*SERIES, "mesh", "stand_in"]  # columns of series.csv; the others are columns of runs that have to agree
FASTEST = "best"  # an x: the block size by which the series is fastest
ORDER = "order"  # a tolerance: the value's place among those of its item
CLEARLY, SLIGHTLY = 1.1, 1.03  # published as another value, and here as another one
TITLES = {"reuse_factor": "reuse", "thread_colours_mean": "thread colours", "block_colours": "block colours",
          "useful_bytes": "useful bytes", "median_time": "ms", "gflops": "GFLOPS", "speedup": "speedup",
          "dram_read_bytes": "read, MB", "dram_write_bytes": "written, MB", "shared_bytes_plan_max": "shared bytes",
          "transfer_used_op2": "transfer used, MB", "transfer_total_op2": "transfer total, MB",
          "occupancy_achieved": "occupancy", "stall_sync": "stalls, barriers", "stall_data": "stalls, data",
          "stall_dependency": "stalls, dependency", "warp_efficiency": "warp efficiency", "flop_efficiency": "flop efficiency"}
SCALES = {"median_time": 1e3, "dram_read_bytes": 1e-6, "dram_write_bytes": 1e-6, "transfer_used_op2": 2.0**-20,
          "transfer_total_op2": 2.0**-20}  # of what a title says
HELD, DIFFERS, MISSING = "held", "differs", "not made"


@dataclass(frozen=True)
class Paper:
    """What is published, the run of each series, and the reasons for differences."""

    folder: Path
    published: pd.DataFrame
    series: pd.DataFrame
    because: pd.DataFrame
    values: pd.DataFrame  # [item, series, x, quantity] ours where no run has it

    def runs(self, lab: str | Path | None = None) -> pd.DataFrame:
        """The runs of another lab, or those that ship."""
        if lab is not None:
            return open_lab(lab).runs()
        shipped = [open_lab(self.folder / "lab").runs()] if (self.folder / "lab").is_dir() else []
        if (self.folder / "runs.csv.xz").is_file():
            shipped.append(open_table(self.folder / "runs.csv.xz").runs())
        return pd.concat(shipped) if shipped else pd.DataFrame()


def published(name: str, papers: Path = PAPERS) -> pd.DataFrame:
    """What a paper says, one row a value: `item`, `series`, `x`, `quantity`, `unit`, `value`, `where`, `tolerance`."""
    return open_paper(name, papers).published


def open_paper(name: str, papers: Path = PAPERS) -> Paper:
    """Reads the tables of a paper."""
    folder = papers / name
    if not (folder / "published.csv").is_file():
        known = ", ".join(sorted(path.parent.name for path in papers.glob("*/published.csv")))
        raise LabError(f"there is no paper '{name}'; there are {known}")
    text = dict.fromkeys([*NOT_OF_RUNS, "tolerance"], str)
    published, series, because = (pd.read_csv(folder / f"{table}.csv", dtype=str if table == "series" else text)
                                  for table in ("published", "series", "because"))
    values = (pd.read_csv(folder / "values.csv", dtype=text) if (folder / "values.csv").is_file() else
              pd.DataFrame(columns=[*SERIES, "quantity", "value", "made_by"]))
    return Paper(folder, published, series, because, values)


def within(ours: float, published: float, tolerance: str) -> bool:
    """Whether ours is the published value; the tolerance is a share of that ("5%") or a number."""
    allowed = float(tolerance[:-1]) / 100 * abs(published) if tolerance.endswith("%") else float(tolerance)
    return abs(ours - published) <= allowed


def agree(runs: pd.DataFrame, column: str, wanted: str) -> pd.Series:
    """Whether runs have a setting; one that no run has is had by none."""
    if column not in runs:
        return pd.Series(False, index=runs.index)
    numbers = pd.to_numeric(runs[column], errors="coerce")
    return (runs[column].astype(str) == wanted) | (numbers == pd.to_numeric(wanted, errors="coerce"))


def run_of(series: pd.Series, runs: pd.DataFrame, mesh: str, quantity: str) -> pd.Series | None:
    """The newest run of a series on one mesh that passed and has the quantity; the fastest where x says so."""
    if quantity not in runs:
        return None
    fits = (runs.mesh == mesh) & (runs.outcome == "passed") & runs[quantity].notna()
    settings = series.drop(labels=NOT_OF_RUNS).dropna()
    if "block_size" not in settings and series.x != FASTEST:
        settings["block_size"] = series.x
    for column, wanted in settings.items():
        fits &= agree(runs, column, wanted)
    found = runs[fits]
    if found.empty:
        return None
    return found.loc[found.median_time.idxmin()] if series.x == FASTEST else found.iloc[-1]


def ours_of(value: pd.Series, series: pd.Series, runs: pd.DataFrame) -> tuple[float, str]:
    """What runs have for a published value and the mesh it was made on: the paper's, else its stand-in, which is
    too small for what grows with the mesh."""
    small = [] if value.quantity == "useful_bytes" else [series.stand_in]
    for mesh in [series.mesh, *small]:
        run = run_of(series, runs, mesh, value.quantity) if isinstance(mesh, str) and len(runs) else None
        if run is not None:
            return float(run[value.quantity]), mesh
    return float("nan"), ""


def with_rates(runs: pd.DataFrame) -> pd.DataFrame:
    """With `gflops`, what a run computes a second."""
    if "median_time" not in runs or "flops" not in runs:
        return runs
    return runs.assign(gflops=1e-9 * runs.flops / runs.median_time)


def in_order(row: pd.Series, others: pd.DataFrame) -> bool:
    """Whether a value stands to the others as published: none is clearly larger there and smaller here."""
    there, here = others.published / row.published, others.ours / row.ours
    return not (((there > CLEARLY) & (here * SLIGHTLY < 1)) | ((there * CLEARLY < 1) & (here > SLIGHTLY))).any()


def beside(paper: Paper, runs: pd.DataFrame) -> pd.DataFrame:
    """One row a published value: `published`, `ours`, `ratio`, `mesh` (that ours is of), `stand_in` (it is not the
    paper's), `verdict` (held, differs, not made) and `because`."""
    series = paper.series.set_index(SERIES, drop=False)
    other = paper.values.set_index([*SERIES, "quantity"])
    runs = with_rates(runs)
    rows = []
    for _, value in paper.published.iterrows():
        made_by = series.loc[tuple(value[SERIES])]
        ours, mesh = ours_of(value, made_by, runs)
        key = (*value[SERIES], value.quantity)
        if pd.isna(ours) and key in other.index:
            ours, mesh = other.loc[key, "value"], made_by.mesh
        rows.append({**value[[*VALUE, "x", "unit", "tolerance"]], "published": value.value, "ours": ours,
                     "ratio": ours / value.value, "mesh": mesh, "stand_in": mesh not in ("", made_by.mesh)})
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


def page(table: pd.DataFrame, markdown: bool) -> str:
    """The values by item with their verdicts, the reasons below them by number, and how many hold."""
    reasons = [reason for reason in table.because.unique() if reason]
    rows = [["item", "series", "at", "quantity", "published", "ours", "verdict"]]
    for row in table.itertuples():
        verdict = row.verdict + (f" ({reasons.index(row.because) + 1})" if row.because else "")
        rows.append([row.item, row.series, row.x, title(row.quantity), shown(row.published, row.quantity),
                     shown(row.ours, row.quantity) + ("*" if row.stand_in else ""), verdict])
    counts = table.verdict.value_counts().reindex([HELD, DIFFERS, MISSING], fill_value=0)
    listed = "\n".join(f"{place}. {reason}" for place, reason in enumerate(reasons, 1))
    return (f"Of {len(table)} values {counts[HELD]} held, {counts[DIFFERS]} differ, {counts[MISSING]} are not made. "
            f"A star: on a smaller mesh than the paper's.\n\n{text_table(rows, markdown)}\n\n{listed}").rstrip()


def items_page(papers: Path, markdown: bool) -> str:
    """All tables and figures of the papers, by their state."""
    items = pd.read_csv(papers / "items.csv", keep_default_na=False)
    rows = [["paper", "item", "shows", "state", "command", "note"]]
    for row in items.itertuples(index=False):
        rows.append([*row[:4], f"`{row.command}`" if markdown and row.command else row.command, row.note])
    counts = ", ".join(f"{state} {count}" for state, count in items.state.value_counts().items())
    return f"{len(items)} tables and figures: {counts}.\n\n{text_table(rows, markdown)}"


def bars(table: pd.DataFrame, item: str) -> Figure:
    """The quantities of one item, a panel each: ours as bars, open where they differ, with a star where they are of a
    stand-in; the published values as diamonds. What is judged by its order is drawn as its share of the largest."""
    import matplotlib.pyplot as plt

    from .pictures import strong_hue

    values = table[(table["item"] == item) & (table.quantity != "useful_bytes")]
    quantities = list(values.quantity.unique())
    widths = [max(3.1, 0.62 * (values.quantity == quantity).sum()) for quantity in quantities]
    figure, axes = plt.subplots(1, len(quantities), figsize=(sum(widths), 3.2), squeeze=False, layout="constrained",
                                gridspec_kw={"width_ratios": widths})
    for ax, quantity in zip(axes[0], quantities):
        of_quantity = values[values.quantity == quantity]
        if (of_quantity.tolerance == ORDER).all():
            of_quantity = of_quantity.assign(ours=of_quantity.ours / of_quantity.ours.max(),
                                             published=of_quantity.published / of_quantity.published.max())
        for place, row in enumerate(of_quantity.itertuples()):
            ax.bar(place, row.ours, 0.6, edgecolor=strong_hue(0), linewidth=1.5,
                   color=strong_hue(0) if row.verdict == HELD else "white")
            ax.plot(place, row.published, "D", color=strong_hue(1), markeredgecolor="white", markersize=8)
        ax.set(title=title(quantity), xticks=range(len(of_quantity)),
               xticklabels=[row.series.replace(" ", "\n") + "*" * row.stand_in for row in of_quantity.itertuples()],
               xlim=(-0.6, len(of_quantity) - 0.4), ylim=(0, 1.12 * of_quantity[["ours", "published"]].max().max()))
        ax.spines[["top", "right"]].set_visible(False)
    held = (values.verdict == HELD).sum()
    figure.suptitle(f"{item}: {held} of {len(values)} held. Bars: ours (open: differs; *: on a smaller mesh). Diamonds: "
                    "published", fontsize="small")
    return figure


def lines(runs: pd.DataFrame, x: str, y: str, by: list[str], ax: Axes | None = None) -> Axes:
    """A sweep: y over x, a line for each combination of the settings `by`, the median where several runs have one."""
    import matplotlib.pyplot as plt

    from .pictures import strong_hue

    ax = ax or plt.subplots(layout="constrained")[1]
    for place, (names, series) in enumerate(runs.dropna(subset=[x, y]).groupby(by)):
        middle = series.groupby(x)[y].median()
        ax.plot(middle.index, middle, "o-", color=strong_hue(place), label=" ".join(map(str, names)), markersize=4)
    ax.set(xlabel=x.replace("_", " "), ylabel=y.replace("_", " "), ylim=(0, None))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")
    return ax


def report(text: str, name: str, words: str, into: Path | None) -> None:
    """Prints a page, or writes it between the marks of a file."""
    if into:
        write_part(into, name, f"python3 -m tesselab.paper{words} --into {into}", text)
    else:
        print(text)


def judge(asked: argparse.Namespace) -> int:
    """Reports on one paper; the exit code."""
    paper = open_paper(asked.paper, asked.papers)
    table = beside(paper, paper.runs(asked.lab))
    report(page(table, asked.markdown or asked.into is not None), asked.paper, f" {asked.paper}", asked.into)
    if asked.figures:
        asked.figures.mkdir(parents=True, exist_ok=True)
        for item in table["item"].unique():
            bars(table, item).savefig(asked.figures / f"{item.replace(' ', '-')}.png", dpi=110)
    new = unexplained(table)
    for row in new.itertuples():
        print(f"{row.item}, {row.series}, {title(row.quantity)}: {row.verdict}, and no reason stands in because.csv "
              f"(published {shown(row.published, row.quantity)}, ours {shown(row.ours, row.quantity) or 'missing'})",
              file=sys.stderr)
    return 1 if len(new) else 0


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tesselab.paper",
                                     description="A paper's published values beside ours, with a verdict each.")
    parser.add_argument("paper", nargs="?", help="a folder of notebooks/papers, say sulyok-2019 (default: all "
                                                 "tables and figures of the papers, and their state)")
    parser.add_argument("--lab", help="of the runs of its recipe.yaml (default: the one that ships with it)")
    parser.add_argument("--papers", type=Path, default=PAPERS, help="where the folders of papers are")
    parser.add_argument("--figures", metavar="FOLDER", type=Path, help="draw a figure an item, ITEM.png")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--into", metavar="FILE", type=Path, help="write Markdown between the marks of a file")
    asked = parser.parse_args(words)
    if asked.paper is None:
        report(items_page(asked.papers, asked.markdown or asked.into is not None), "papers", "", asked.into)
        return
    try:
        code = judge(asked)
    except LabError as error:
        parser.exit(3, f"{error}\n")
    raise SystemExit(code)


if __name__ == "__main__":
    main()
