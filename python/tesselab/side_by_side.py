"""Partitioners side by side: one row a partitioner for each mesh, map and block size, over seeds.

    PYTHONPATH=python python3 -m tesselab.side_by_side LAB

Of runs that differ in nothing but how threads are coloured or how many threads partitioned, the
newest counts."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from .archive import command
from .lab import open_lab

PROBLEM = ["mesh", "loop", "block_size"]
OURS = "mosaic"
# What every seed of a partitioner has, by the name of its column here.
VALUES = {
    "before": "reuse_factor_before_repair",  # the repair makes the blocks usable
    "reuse": "reuse_factor",
    "largest": "largest_block_before_repair",
    "fill": "fill",
    "colours": "thread_colours_mean",
    "bound": "thread_colours_bound_mean",
    "block_colours": "block_colours",
    "cpu": "partition_cpu_seconds",
    "wall": "partition_seconds",
    "memory": "partition_memory_bytes",
    "blocks": "blocks"}
SETTINGS = ["points", "repair", "refine", "thread_order", "renumber", "layout", "dat"]
BEGIN, END = "<!-- {}: made by {} -->", "<!-- end of {} -->"


def mesh_label(source: str) -> str:
    """A mesh without the folder of its file: "/a/wing.su2.xz":shuffle=1 is wing:shuffle=1, quoted or
    not."""
    path, _, options = source[1:].partition('"') if source.startswith('"') else (
        source if "/" in source else "", "", "" if "/" in source else source)
    return re.sub(r"\.(msh|meshb|su2|gr3|ugrid)(\.xz)?(?=$|:)", "", Path(path).name) + options


def newest_of_each(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs that cut a mesh, the newest of each configuration, with short names of meshes."""
    cuts = runs[runs["reuse_factor"].notna() & (runs["outcome"] == "passed")].copy()
    if "strategy" in cuts:
        cuts = cuts[cuts["strategy"].isna()]
    cuts["mesh"] = cuts["mesh"].map(mesh_label)
    same = [*PROBLEM, "partitioner", "seed", *(name for name in SETTINGS if name in cuts)]
    return cuts.sort_index().drop_duplicates(same, keep="last")


def side_by_side(runs: pd.DataFrame) -> pd.DataFrame:
    """One row for each mesh, loop, block size and partitioner, the best reuse first: medians over
    its seeds of all VALUES (NaN for what the lab's runs do not have), the least and the largest reuse factor (`low`, `high`), the number of
    `seeds`, and `of_best`: reuse / the largest of any other partitioner that is not ours."""
    cuts = newest_of_each(runs)
    cuts = cuts.assign(**{name: np.nan for name in VALUES.values() if name not in cuts})
    groups = cuts.groupby([*PROBLEM, "partitioner"], sort=False)
    table = groups[list(VALUES.values())].median().set_axis(list(VALUES), axis=1)
    table["low"], table["high"] = groups["reuse_factor"].min(), groups["reuse_factor"].max()
    table["seeds"] = groups.size()
    table["elements"] = (table.blocks * table.fill * table.index.get_level_values("block_size")
                         ).round().astype(int)
    table = table.reset_index()
    table["of_best"] = table.groupby(PROBLEM, sort=False, group_keys=False).apply(against_others)
    order = {name: place for place, name in enumerate(dict.fromkeys(cuts["mesh"]))}
    table["place"] = table["mesh"].map(order)
    return (table.sort_values(["place", "loop", "block_size", "reuse"],
                              ascending=[True, True, True, False], kind="stable")
            .drop(columns="place").set_index([*PROBLEM, "partitioner"]))


def is_ours(names: Iterable[str]) -> np.ndarray:
    return np.array([name.split(":")[0] == OURS for name in names], dtype=bool)


def against_others(rows: pd.DataFrame) -> pd.DataFrame:
    """The reuse of each row over the largest of the other rows that are not ours."""
    others = rows.reuse.where(~is_ours(rows.partitioner))
    best = [others.drop(row).max() for row in rows.index]
    return (rows.reuse / best).to_frame()


def text_table(rows: list[list[str]], markdown: bool) -> str:
    """Rows of cells, the first the titles, as Markdown or in columns for a terminal."""
    if markdown:
        lines = ["| " + " | ".join(cells) + " |" for cells in rows]
        return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) if place == 0 else cell.rjust(width)
                               for place, (cell, width) in enumerate(zip(cells, widths))).rstrip()
                     for cells in rows)


def number(value: float, digits: int) -> str:
    return "" if pd.isna(value) else f"{value:.{digits}f}"


def percent(ratio: float) -> str:
    return "" if pd.isna(ratio) else f"{100 * (ratio - 1):+.1f} %"


COLUMNS: dict[str, Callable[[pd.Series], str]] = {
    "reuse": lambda row: number(row.reuse, 3),
    "min–max": lambda row: f"{row.low:.3f}–{row.high:.3f}" if row.seeds > 1 else "",
    "of best": lambda row: percent(row.of_best),
    "before repair": lambda row: number(row.before, 3),
    "largest": lambda row: number(row.largest, 0),
    "fill": lambda row: number(row.fill, 4),
    "thread colours": lambda row: number(row.colours, 3),
    "bound": lambda row: number(row.bound, 3),
    "block colours": lambda row: number(row.block_colours, 0),
    "CPU s": lambda row: number(row.cpu, 3),
    "wall s": lambda row: number(row.wall, 3),
    "MB": lambda row: number(row.memory / 1e6, 1),
    "seeds": lambda row: number(row.seeds, 0)}


def side_by_side_text(table: pd.DataFrame, markdown: bool) -> str:
    """A table for each mesh, map and block size."""
    parts = []
    for (mesh, loop, size), here in table.groupby(level=PROBLEM, sort=False):
        rows = [["partitioner", *COLUMNS]]
        for name, row in here.droplevel(PROBLEM).iterrows():
            rows.append([name, *(cell(row) for cell in COLUMNS.values())])
        title = f"{mesh} {loop}, {here.elements.iloc[0]:,} elements, S = {size}"
        parts.append(("#### " if markdown else "") + title + "\n\n" + text_table(rows, markdown))
    return "\n\n".join(parts)


def write_part(path: Path, name: str, maker: str, content: str) -> None:
    """Writes the content between the marks of this name in a file, which must have them."""
    text, begin, end = path.read_text(), f"<!-- {name}:", END.format(name)
    first, last = text.find(begin), text.find(end)
    if first < 0 or last < first:
        raise SystemExit(f"there are no marks '{begin} ... -->' and '{end}' to write between")
    path.write_text(text[:first] + BEGIN.format(name, maker) + f"\n\n{content}\n\n" + text[last:])


def print_or_write(into: Path | None, name: str, call: str, content: str) -> None:
    """Prints what a module's call makes, or writes it between the marks of a file."""
    if into:
        write_part(into, name, f"python3 -m tesselab.{call} --into {into}", content)
    else:
        print(content)


def report_parser(module: str, description: str) -> argparse.ArgumentParser:
    """The options of every report on a lab."""
    parser = argparse.ArgumentParser(prog=f"python3 -m tesselab.{module}", description=description)
    parser.add_argument("lab", nargs="?", help="default: TESS_LAB, else ./lab")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--into", metavar="FILE", type=Path,
                        help="write Markdown between the marks of a file")
    return parser


@command
def main(words: list[str] | None = None) -> None:
    parser = report_parser("side_by_side", "Partitioners side by side, over their seeds.")
    parser.add_argument("--mesh", default="", help="only meshes whose name holds this")
    asked = parser.parse_args(words)
    table = side_by_side(open_lab(asked.lab).runs())
    table = table[table.index.get_level_values("mesh").str.contains(asked.mesh, regex=False)]
    print_or_write(asked.into, "side by side", "side_by_side LAB",
                   side_by_side_text(table, asked.markdown or bool(asked.into)))


if __name__ == "__main__":
    main()
