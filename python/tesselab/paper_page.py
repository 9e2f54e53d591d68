"""A paper as text: its values beside ours, a table an item, with the reasons below; and all items with their state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from .markup import wrapped
from .paper_tables import DIFFERS, FASTEST, HELD, MISSING, Paper, beside, open_paper, read_items
from .quantities import QUANTITIES, title_of
from .side_by_side import text_table

# As papers have them; others have the titles of tables.
TITLES = {"useful_bytes": "useful bytes", "gflops": "GFLOPS", "speedup": "speedup",
          "dram_read_bytes": "read, MB", "dram_write_bytes": "written, MB", "shared_bytes_plan_max": "shared bytes",
          "transfer_used_op2": "transfer used, MiB", "transfer_total_op2": "transfer total, MiB",
          "occupancy_achieved": "occupancy", "stall_sync": "stalls, barriers", "stall_data": "stalls, data",
          "stall_dependency": "stalls, dependency", "warp_efficiency": "warp efficiency", "flop_efficiency": "flop efficiency",
          "useful_fraction": "share of bandwidth", "global_colours": "global colours", "loop_count": "calls",
          "loop_time": "ms a call", "loop_bandwidth": "GB/s", "loop_line_bandwidth": "GB/s of lines",
          "application_speedup": "speedup of the whole application", "l2_reads_per_element": "L2 sectors read a cell",
          "l2_writes_per_element": "L2 sectors written a cell", "memory_reads_per_element": "memory sectors read a cell",
          **{f"unique_points_warp{warp}{p90}/nodes.{end}": f"{side} nodes, {words}"
             for warp in ("", "64") for p90, words in (("", "median"), ("_p90", "ninth decile"))
             for end, side in enumerate(("left", "right"))}}
SCALES = {"loop_time": 1e3, "loop_bandwidth": 1e-9, "loop_line_bandwidth": 1e-9, "dram_read_bytes": 1e-6,
          "dram_write_bytes": 1e-6, "transfer_used_op2": 2.0**-20, "transfer_total_op2": 2.0**-20}  # of what a title says
STATES = REDRAWN, ON_STAND_IN, NOT_REDRAWN = "redrawn", "redrawn on a stand-in", "not redrawn"


def scale_of(quantity: str) -> float:
    """Of what a title says, per what is recorded."""
    return SCALES.get(quantity, 1 if quantity in TITLES or quantity not in QUANTITIES else QUANTITIES[quantity].scale)


def shown(value: float, quantity: str = "") -> str:
    value = value * scale_of(quantity)
    return "" if pd.isna(value) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def title(quantity: str) -> str:
    return TITLES.get(quantity) or ("lines a block" if quantity.startswith("sectors_per_block/") else title_of(quantity))


def page(paper: Paper, table: pd.DataFrame, markdown: bool) -> str:
    """How many values hold, and all of them: a table an item as Markdown, else a row a value."""
    counts = table.verdict.value_counts().reindex([HELD, DIFFERS, MISSING], fill_value=0)
    held = f"Of {len(table)} values {counts[HELD]} held, {counts[DIFFERS]} differ, {counts[MISSING]} are not made."
    of_quantity = (table.verdict == HELD).groupby(table.quantity.map(title), sort=False).agg(["sum", "size"])
    parts = [f"{name} {row['sum']} of {row['size']}" for name, row in of_quantity.iterrows()]
    if not markdown:
        return f"{held} A star: on another mesh than the paper's.\n\n{value_rows(table)}"
    text = wrapped(f"{held} By quantity: {'; '.join(parts)}.")
    for item, rows in table.groupby("item", sort=False):
        section = item_section(paper.heading(item), rows)
        listed = section.startswith("- ") and text.rsplit("\n\n", 1)[-1].startswith("- ")
        text += ("\n" if listed else "\n\n") + section
    return text


def item_section(heading: str, values: pd.DataFrame) -> str:
    """An item as its paper has it, a column a series and a row a quantity: ours, the published value in brackets, bold and
    with the number of the reason below where they differ. One of a single row is an entry of a list."""
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
    heading = f"{heading[0].upper()}{heading[1:]}{where}"
    if len(rows) == 2:
        measured = "; ".join(f"{name} {words}" for name, words in zip(rows[0][1:], rows[1][1:]) if words)
        because = "".join(f" [{place}] {reason}." for place, reason in enumerate(reasons, 1))
        return wrapped(f"- **{heading}**, {rows[1][0]}: {measured}.{because}", "  ")
    listed = "\n".join(wrapped(f"{place}. {reason}", "   ") for place, reason in enumerate(reasons, 1))
    return f"### {heading}\n\n{text_table(rows, True)}\n\n{listed}".rstrip()


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
