"""A paper redrawn: its published values beside those of a lab, with a verdict each.

    PYTHONPATH=notebooks python3 -m tesselab.paper sulyok-2019                  # the lab that ships
    PYTHONPATH=notebooks python3 -m tesselab.paper sulyok-2019 --lab LAB --figures FOLDER
    PYTHONPATH=notebooks python3 -m tesselab.paper                              # all tables and figures, and their state

A paper is a folder of `notebooks/papers`: `published.csv` has its values, `series.csv` the run that makes each
series, `because.csv` a reason for each difference, `recipe.yaml` the runs, `lab` what they gave. The command ends with 1
where a value differs, or is missing, without a reason."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from .archive import LabError
from .lab import open_lab
from .side_by_side import text_table, write_part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPERS = Path(__file__).resolve().parents[1] / "papers"
VALUE = ["item", "series", "quantity"]
RUN = {"application": "application", "partitioner": "partitioner", "colouring": "colouring", "layout": "layout",
       "x": "block_size"}  # a column of series.csv, and of a lab's runs
TITLES = {"reuse_factor": "reuse", "thread_colours_mean": "thread colours", "block_colours": "block colours",
          "useful_bytes": "useful bytes"}
HELD, DIFFERS, MISSING = "held", "differs", "not made"


@dataclass(frozen=True)
class Paper:
    """What is published, the run of each series, and the reasons for differences."""

    folder: Path
    published: pd.DataFrame
    series: pd.DataFrame
    because: pd.DataFrame


def open_paper(name: str, papers: Path = PAPERS) -> Paper:
    """Reads the tables of a paper."""
    folder = papers / name
    if not (folder / "published.csv").is_file():
        known = ", ".join(sorted(path.parent.name for path in papers.glob("*/published.csv")))
        raise LabError(f"there is no paper '{name}'; there are {known}")
    return Paper(folder, *(pd.read_csv(folder / f"{table}.csv", dtype={"tolerance": str})
                           for table in ("published", "series", "because")))


def within(ours: float, published: float, tolerance: str) -> bool:
    """Whether ours is the published value; the tolerance is a share of that ("5%") or a number."""
    allowed = float(tolerance[:-1]) / 100 * abs(published) if tolerance.endswith("%") else float(tolerance)
    return abs(ours - published) <= allowed


def run_of(series: pd.Series, runs: pd.DataFrame, mesh: str) -> pd.Series | None:
    """The newest run of a series on one mesh that passed."""
    fits = (runs.mesh == mesh) & (runs.outcome == "passed")
    for column, name in RUN.items():
        fits &= runs[name] == series[column]
    return runs[fits].iloc[-1] if fits.any() else None


def ours_of(value: pd.Series, series: pd.Series, runs: pd.DataFrame) -> tuple[float, str]:
    """What the lab has for a published value and the mesh it was made on: the paper's, else its stand-in, which is
    too small for what grows with the mesh."""
    small = [] if value.quantity == "useful_bytes" else [series.stand_in]
    for mesh in [series.mesh, *small]:
        run = run_of(series, runs, mesh) if isinstance(mesh, str) else None
        if run is not None and value.quantity in run and pd.notna(run[value.quantity]):
            return float(run[value.quantity]), mesh
    return float("nan"), ""


def beside(paper: Paper, runs: pd.DataFrame) -> pd.DataFrame:
    """One row a published value: `published`, `ours`, `ratio`, `mesh` (that ours is of), `stand_in` (it is not the
    paper's), `verdict` (held, differs, not made) and `because`."""
    because = paper.because.set_index(VALUE).because
    series = paper.series.set_index(["item", "series"])
    rows = []
    for _, value in paper.published.iterrows():
        made_by = series.loc[(value["item"], value.series)]
        ours, mesh = ours_of(value, made_by, runs)
        verdict = MISSING if pd.isna(ours) else HELD if within(ours, value.value, value.tolerance) else DIFFERS
        reason = "" if verdict == HELD else because.get(tuple(value[VALUE]), "")
        rows.append({**value[[*VALUE, "x", "unit", "tolerance"]], "published": value.value, "ours": ours,
                     "ratio": ours / value.value, "mesh": mesh, "stand_in": mesh not in ("", made_by.mesh),
                     "verdict": verdict, "because": reason})
    return pd.DataFrame(rows)


def unexplained(table: pd.DataFrame) -> pd.DataFrame:
    """What differs or is missing without a reason."""
    return table[(table.verdict != HELD) & (table.because == "")]


def shown(value: float) -> str:
    return "" if pd.isna(value) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def title(quantity: str) -> str:
    return TITLES.get(quantity, "lines a block" if quantity.startswith("sectors_per_block/") else quantity)


def page(table: pd.DataFrame, markdown: bool) -> str:
    """The values by item with their verdicts, the reasons below them by number, and how many hold."""
    reasons = [reason for reason in table.because.unique() if reason]
    rows = [["item", "series", "block size", "quantity", "published", "ours", "verdict"]]
    for row in table.itertuples():
        verdict = row.verdict + (f" ({reasons.index(row.because) + 1})" if row.because else "")
        rows.append([row.item, row.series, str(row.x), title(row.quantity), shown(row.published),
                     shown(row.ours) + ("*" if row.stand_in else ""), verdict])
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
    stand-in; the published values as diamonds."""
    import matplotlib.pyplot as plt

    from .pictures import strong_hue

    values = table[(table["item"] == item) & (table.quantity != "useful_bytes")]
    quantities = list(values.quantity.unique())
    figure, axes = plt.subplots(1, len(quantities), figsize=(3.1 * len(quantities), 3.2), squeeze=False,
                                layout="constrained")
    for ax, quantity in zip(axes[0], quantities):
        of_quantity = values[values.quantity == quantity]
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


def report(text: str, name: str, words: str, into: Path | None) -> None:
    """Prints a page, or writes it between the marks of a file."""
    if into:
        write_part(into, name, f"python3 -m tesselab.paper{words} --into {into}", text)
    else:
        print(text)


def judge(asked: argparse.Namespace) -> int:
    """Reports on one paper; the exit code."""
    paper = open_paper(asked.paper, asked.papers)
    table = beside(paper, open_lab(asked.lab or paper.folder / "lab").runs())
    report(page(table, asked.markdown or asked.into is not None), asked.paper, f" {asked.paper}", asked.into)
    if asked.figures:
        asked.figures.mkdir(parents=True, exist_ok=True)
        for item in table["item"].unique():
            bars(table, item).savefig(asked.figures / f"{item.replace(' ', '-')}.png", dpi=110)
    new = unexplained(table)
    for row in new.itertuples():
        print(f"{row.item}, {row.series}, {title(row.quantity)}: {row.verdict}, and no reason stands in because.csv "
              f"(published {shown(row.published)}, ours {shown(row.ours) or 'missing'})", file=sys.stderr)
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
