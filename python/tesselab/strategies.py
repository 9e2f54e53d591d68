"""Strategies side by side: what each loop takes on a GPU by every strategy, order, layout and block size.

    PYTHONPATH=python python3 -m tesselab.strategies LAB          # the best layout and block size of each
    PYTHONPATH=python python3 -m tesselab.strategies LAB --all    # every point, as CSV
    PYTHONPATH=python python3 -m tesselab.strategies LAB --duels  # the fastest beside the fastest `atomics`

The labs are those of `tess sweep experiments/recipes/h200.yaml`; any other of timed runs does as well. Of
runs that were made twice the newest counts."""

from __future__ import annotations

import pandas as pd

from .archive import command
from .lab import Lab, open_lab
from .markup import counted
from .side_by_side import print_or_write, report_parser, text_table

PROBLEM = ["application", "mesh"]
POINT = ["strategy", "partitioner", "layouts", "block_size"]
ORDERS = ["file-order", "random", "gps", "rcb", "metis", "mosaic"]  # the others follow by name


def timed_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs that passed and were timed, the newest of each point: indexed by problem and point, with `ms`
    and the useful `share` of the copy bandwidth."""
    timed = runs[(runs["outcome"] == "passed") & runs["median_time"].notna()].sort_index()
    timed = timed.assign(ms=1e3 * timed["median_time"], share=timed["useful_fraction"])
    threads = timed["threads"].fillna(0) if "threads" in timed else 0
    timed = timed[threads == 0]  # a block size is what it says
    timed = timed.drop_duplicates([*PROBLEM, *POINT], keep="last")
    return timed.set_index([*PROBLEM, *POINT])[["ms", "share"]]


def orders_of(names: list[str]) -> list[str]:
    return [name for name in ORDERS if name in names] + sorted(set(names) - set(ORDERS))


def kinds(table: pd.DataFrame) -> pd.DataFrame:
    """The points without options of the strategy but those that are a kind of their own: transposed atomics."""
    names = table.index.get_level_values("strategy")
    return table[[":" not in name or name == "atomics:transpose=shared" for name in names]]


def best_cell(points: pd.DataFrame) -> str:
    """The fastest of the layouts and block sizes of a strategy and an order."""
    layout, block_size = points["ms"].idxmin()
    best = points.loc[(layout, block_size)]
    return f"{best.ms:.4f} ({best.share:.2f}) {layout} {block_size:g}"


def best_rows(here: pd.DataFrame) -> list[list[str]]:
    """A row a strategy, fastest first, a column an order; the fastest of all is bold."""
    orders = orders_of(list(here.index.get_level_values("partitioner").unique()))
    rows = [["strategy", *orders]]
    fastest = here["ms"].min()
    for strategy in here.groupby(level="strategy")["ms"].min().sort_values().index:
        row = [strategy]
        for order in orders:
            points = here[(here.index.get_level_values("strategy") == strategy)
                          & (here.index.get_level_values("partitioner") == order)]
            points = points.droplevel(["strategy", "partitioner"])
            cell = best_cell(points) if len(points) else ""
            row.append(f"**{cell}**" if len(points) and points["ms"].min() == fastest else cell)
        rows.append(row)
    return rows


def every_point(table: pd.DataFrame) -> str:
    """A row a point, as CSV: milliseconds."""
    rows = table["ms"].round(4).reset_index()
    return rows[[*PROBLEM, "strategy", "layouts", "block_size", "partitioner", "ms"]].to_csv(index=False).rstrip()


def tables(table: pd.DataFrame, markdown: bool) -> str:
    """A table for each application and mesh."""
    parts = []
    for (application, mesh), here in table.groupby(level=PROBLEM, sort=False):
        here = here.droplevel(PROBLEM)
        rows = best_rows(kinds(here))
        mark = "`" if markdown else ""
        parts.append(f"{application}, {mark}{mesh}{mark}: {counted(len(here), 'point')}\n\n{text_table(rows, markdown)}")
    return "\n\n".join(parts)


def duels(lab: Lab, markdown: bool) -> str:
    """For each application and mesh the fastest run beside the fastest by `atomics`, as `tess compare` has it: how
    many times as fast, with the 95 % interval."""
    runs = lab.runs()
    runs = runs[(runs["outcome"] == "passed") & runs["median_time"].notna()]
    rows = [["loop, mesh", "fastest, ms", "by `atomics`, ms", "times as fast"]]
    for (application, mesh), here in runs.groupby(PROBLEM, sort=False):
        by_atomics = here["strategy"].str.partition(":")[0] == "atomics"
        if by_atomics.all() or not by_atomics.any():
            continue
        fastest, atomics = (here[these]["median_time"].idxmin() for these in (~by_atomics, by_atomics))
        found = lab.compare(fastest, atomics).iloc[0]
        row = [f"{application}, `{mesh}`"]
        for run in (here.loc[fastest], here.loc[atomics]):
            row.append(f"`{run.strategy}` {1e3 * run.median_time:.4f} ({run.useful_fraction:.3f})")
        rows.append([*row, f"{found.ratio:.3f} ({found.low:.3f} to {found.high:.3f})"])
    return text_table(rows, markdown)


@command
def main(words: list[str] | None = None) -> None:
    parser = report_parser("strategies", "Strategies side by side, over orders, layouts and block sizes.")
    parser.add_argument("--all", action="store_true", help="print every point as CSV, not the best layout and block size")
    parser.add_argument("--duels", action="store_true", help="the fastest beside the fastest by atomics")
    asked = parser.parse_args(words)
    lab, markdown = open_lab(asked.lab), asked.markdown or asked.into is not None
    if asked.all:
        print(every_point(timed_runs(lab.runs())))
        return
    text = duels(lab, markdown) if asked.duels else tables(timed_runs(lab.runs()), markdown)
    kind = " --duels" if asked.duels else ""
    print_or_write(asked.into, "duels" if asked.duels else "strategies", f"strategies LAB{kind}", text)


if __name__ == "__main__":
    main()
