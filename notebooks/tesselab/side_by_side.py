"""Partitioners side by side: one row a partitioner for each mesh, map and block size, over seeds.

    PYTHONPATH=notebooks python3 -m tesselab.side_by_side LAB            # a table per mesh and S
    PYTHONPATH=notebooks python3 -m tesselab.side_by_side LAB --goals    # ours against the best other

The labs are those of `tess sweep experiments/recipes/mosaic.yaml`; any other with several
partitioners does as well. Of runs that differ in nothing but how threads are coloured or how many
threads partitioned, the newest counts."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from .archive import command
from .lab import Lab, open_lab

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
STRUCTURED = ("quads", "tris", "airfoil", "ogrid")  # generators of 2D meshes with rows and columns


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


def metis_of_loops(table: pd.DataFrame) -> dict[str, set[str]]:
    """By loop: the METIS variants that it has on some mesh, but for `objtype=vol`, which takes an
    hour on dense graphs and is far from the best there."""
    found: dict[str, set[str]] = {}
    for _, loop, _, name in table.index:
        found.setdefault(loop, set()).update(
            [name] if name.split(":")[0] == "metis" and "objtype=vol" not in name else [])
    return found


EQUAL = 0.997  # part of the reuse of mosaic that counts as the same


def times_as_long(other: float, ours: float) -> float:
    """A ratio of seconds; NaN where the clock, which may tick every 10 ms, counted none."""
    return other / ours if other > 0 and ours > 0 else np.nan


def equal_metis(graphs: pd.DataFrame, reuse: float) -> str | None:
    """METIS's fastest setting that reaches this reuse; where none does, the one of the most reuse."""
    metis = graphs[[name.split(":")[0] == "metis" for name in graphs.index]]
    if metis.empty:
        return None
    equal = metis[metis.reuse >= EQUAL * reuse]
    return metis.reuse.idxmax() if equal.empty else equal.cpu.idxmin()


def goals(table: pd.DataFrame, highest: str = "mosaic:effort=6") -> pd.DataFrame:
    """How mosaic stands beside the best of the others, one row a mesh, loop and block size of `side_by_side`. Ratios
    above 1 are better than the other: `after`, `before` its median reuse over the best median of
    METIS and SCOTCH after and before the repair; `highest` that of the highest effort over every
    baseline, `cpu` the time of METIS recursive over its own, `equal_cpu` that of METIS's setting `equal` (`equal_metis`).
    `excess` is thread colours / bound. What lacks a
    METIS variant that the same loop has on another mesh is left out: the best may be missing."""
    rows = []
    asked = metis_of_loops(table)
    for problem, here in table.groupby(level=PROBLEM, sort=False):
        here = here.droplevel(PROBLEM)
        if OURS not in here.index or not asked[problem[1]] <= set(here.index):
            continue
        ours, others = here.loc[OURS], here[~is_ours(here.index)]
        graphs = others[[name.split(":")[0] in ("metis", "scotch") for name in others.index]]
        if graphs.empty:
            continue
        best = graphs["reuse"].idxmax()
        row = {"elements": ours.elements, "seeds": ours.seeds, "reuse": ours.reuse,
               "best": best, "best_reuse": graphs.reuse[best],
               "after": ours.reuse / graphs.reuse.max(), "before": ours.reuse / graphs.before.max(),
               "colours": ours.colours, "excess": ours.colours / ours.bound,
               "block_colours": ours.block_colours, "best_block_colours": graphs.block_colours[best],
               "fill": ours.fill, "blocks": ours.blocks, "seconds": ours.cpu, "memory": ours.memory,
               "best_memory": graphs.memory[best], "best_seeds": graphs.seeds[best]}
        if "metis:method=recursive" in graphs.index:
            row["cpu"] = times_as_long(graphs.cpu["metis:method=recursive"], ours.cpu)
        row["equal"] = equal_metis(graphs, ours.reuse)
        row["equal_cpu"] = times_as_long(graphs.cpu[row["equal"]], ours.cpu) if row["equal"] else np.nan
        row["reached"] = bool(row["equal"]) and graphs.reuse[row["equal"]] >= EQUAL * ours.reuse
        if highest in here.index:
            row["highest_reuse"] = here.reuse[highest]
            row["highest_seconds"] = here.cpu[highest]
            row["best_of_all"] = others.reuse.idxmax()
            row["highest"] = here.reuse[highest] / max(others.reuse.max(), others.before.max())
        rows.append(dict(zip(PROBLEM, problem)) | row)
    columns = [*PROBLEM, "cpu", "highest", "highest_reuse", "highest_seconds", "best_of_all"]
    frame = pd.DataFrame(rows)
    return frame.reindex(columns=[*columns, *frame.columns.drop(columns, errors="ignore")]
                         ).set_index(PROBLEM)


def kinds_of(lab: Lab, runs: pd.DataFrame) -> dict[str, str]:
    """By the name of a mesh: "structured 2D", "irregular 2D" or "3D"."""
    kinds = {}
    for run, source in runs.drop_duplicates("mesh")["mesh"].items():
        name = mesh_label(source)
        flat = lab.mesh(run).coordinates.shape[1] == 2
        plain = name.split(":")[0] in STRUCTURED
        kinds[name] = "3D" if not flat else "structured 2D" if plain else "irregular 2D"
    return kinds


def squares(mesh: str, loop: str, size: int) -> float:
    """The reuse of 45° squares of edges among quads."""
    quads = mesh.split(":")[0] in ("quads", "airfoil", "ogrid") and loop == "edges:cells"
    return 4 / (1 + size**-0.5) ** 2 if quads else np.nan


def bricks(mesh: str, loop: str, size: int) -> float:
    """The reuse of the best brick of this many hexes by their nodes."""
    if not mesh.startswith("hexes") or loop != "cells:nodes":
        return np.nan
    return max(8 * size / ((a + 1) * (b + 1) * (size // (a * b) + 1))
               for a in range(1, size + 1) if size % a == 0
               for b in range(1, size // a + 1) if size // a % b == 0)


def shaped(table: pd.DataFrame, ideal: Callable[[str, str, int], float]) -> pd.Series:
    return pd.Series([ideal(*problem) for problem in table.index], index=table.index)


def verdicts(table: pd.DataFrame, kinds: dict[str, str]) -> list[list[str]]:
    """How many rows of `goals` meet each goal, and the worst of them; the first row are titles."""
    kind = pd.Series([kinds[mesh] for mesh, _, _ in table.index], index=table.index)
    faces = pd.Series([loop.startswith(("edges:cells", "faces")) for _, loop, _ in table.index],
                      index=table.index)
    most_excess = pd.Series(np.where((kind != "3D") | faces, 1.01, 1.05), index=table.index)
    full = np.ceil(table.elements / table.index.get_level_values("block_size"))
    values: list[tuple[str, pd.Series, float, Callable[[float], str]]] = [
        ("reuse ≥ METIS and SCOTCH after the repair", table.after, 1, percent),
        ("reuse ≥ METIS and SCOTCH before the repair", table.before, 1, percent),
        ("effort=6: reuse ≥ every baseline, before and after", table.highest, 1, percent)]
    values += [(f"CPU ≤ METIS recursive / {limit}, {name}", table.cpu[kind == name], limit,
                lambda ratio: f"1/{ratio:.1f}")
               for name, limit in (("structured 2D", 20), ("irregular 2D", 8), ("3D", 6))]
    values += [(f"CPU ≤ METIS's fastest of equal reuse / {limit}, {name}", table.equal_cpu[where], limit,
                lambda ratio: f"1/{ratio:.1f}")
               for limit, name, where in ((15, "2D", kind != "3D"), (10, "3D", kind == "3D"),
                                          (3, "from 50,000 elements", table.elements >= 50_000))]
    values += [("METIS has a setting of equal reuse", table.reached.astype(float), 1, number_of)]
    values += [(f"thread colours within {words}", 1 / table.excess[most_excess == limit], 1 / limit,
                lambda inverse: percent(1 / inverse))
               for words, limit in (("1 % of the bound, 2D and faces", 1.01),
                                    ("5 % of the bound, cells and edges by nodes in 3D", 1.05))]
    values += [
        ("quads edges:cells within 1 % of 45° squares", table.reuse / shaped(table, squares), 0.99,
         percent),
        ("hexes cells:nodes within 2 % of the best brick", table.reuse / shaped(table, bricks), 0.98,
         percent),
        ("block colours ≤ those of the best of METIS and SCOTCH",
         table.best_block_colours / table.block_colours, 1, lambda inverse: percent(1 / inverse)),
        ("blocks: ⌈elements / S⌉, no more", full / table.blocks, 1, percent)]
    rows = [["statement", "holds in", "median", "worst", "where"]]
    for words, ratios, limit, text in values:
        known = ratios.dropna()
        if known.empty:
            continue
        worst = known.idxmin()
        rows.append([words, f"{(known >= limit - 1e-12).sum()} of {len(known)}",
                     text(known.median()), text(known.min()),
                     f"{worst[0]} {worst[1]}, S = {worst[2]}"])
    return rows


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


def number_of(value: float) -> str:
    return number(value, 0)


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


GOAL_COLUMNS: dict[str, Callable[[pd.Series], str]] = {
    "S": lambda row: str(row.name[2]),
    "mosaic": lambda row: f"{row.reuse:.3f} ({row.seconds:.2f})",
    "effort=6": lambda row: "" if pd.isna(row.highest) else
    f"{row.highest_reuse:.3f} ({row.highest_seconds:.2f})",
    "best METIS, SCOTCH": lambda row: f"{row.best_reuse:.3f} {row.best}",
    "after": lambda row: percent(row.after),
    "before": lambda row: percent(row.before),
    "effort=6, best of all": lambda row: "" if pd.isna(row.highest) else
    f"{percent(row.highest)} {row.best_of_all}",
    "CPU": lambda row: number(row.cpu, 1),
    "thread colours / bound": lambda row: f"{row.colours:.3f} {percent(row.excess)}",
    "block colours": lambda row: f"{row.block_colours:.0f}; {row.best_block_colours:.0f}",
    "fill": lambda row: number(row.fill, 4),
    "MB": lambda row: f"{row.memory / 1e6:.0f}; {row.best_memory / 1e6:.0f}",
    "seeds": lambda row: f"{row.seeds:.0f}; {row.best_seeds:.0f}"}


def goals_text(table: pd.DataFrame, markdown: bool) -> str:
    rows = [["mesh, map (elements)", *GOAL_COLUMNS]]
    for (mesh, loop, _), row in table.iterrows():
        rows.append([f"{mesh} {loop} ({row.elements:,.0f})",
                     *(cell(row) for cell in GOAL_COLUMNS.values())])
    return text_table(rows, markdown)


def goals_page(lab: Lab, table: pd.DataFrame, markdown: bool) -> str:
    """What is met and what is not, and the rows behind it."""
    reached = goals(table)
    kinds = kinds_of(lab, lab.runs())
    return "\n\n".join([text_table(verdicts(reached, kinds), markdown),
                        goals_text(reached, markdown)])


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
    parser.add_argument("--goals", action="store_true", help="mosaic against the best of the others")
    parser.add_argument("--mesh", default="", help="only meshes whose name holds this")
    asked = parser.parse_args(words)
    lab: Lab = open_lab(asked.lab)
    table = side_by_side(lab.runs())
    table = table[table.index.get_level_values("mesh").str.contains(asked.mesh, regex=False)]
    if asked.into:
        maker = f"python3 -m tesselab.side_by_side LAB --into {asked.into}"
        write_part(asked.into, "summary", maker, goals_page(lab, table, True))
    elif asked.goals:
        print(goals_page(lab, table, asked.markdown))
    else:
        print(side_by_side_text(table, asked.markdown))


if __name__ == "__main__":
    main()
