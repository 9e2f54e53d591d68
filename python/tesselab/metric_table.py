"""The table of all metrics, as docs/concepts.md has it, from core/plan/quantities.h.

    PYTHONPATH=python python3 -m tesselab.metric_table                            # prints it
    PYTHONPATH=python python3 -m tesselab.metric_table --into docs/concepts.md"""

from __future__ import annotations

import argparse
from pathlib import Path

from .quantities import QUANTITIES
from .side_by_side import print_or_write, text_table


def metric_table() -> str:
    """Markdown: a row a metric."""
    rows = [["name", "unit", "better", "meaning and definition"]]
    for metric in QUANTITIES.values():
        if not metric.metric:
            continue
        better = {1: "larger", -1: "smaller"}.get(metric.better, "")
        meaning = f"*{metric.long_name}.* {metric.definition}".replace("|", "\\|").replace(" * ", " × ")
        title = f", in tables *{metric.title}*" if metric.title != metric.name else ""
        rows.append([f"`{metric.name}`{title}", metric.unit, better, meaning])
    return text_table(rows, True)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tesselab.metric_table", description="The table of all metrics.")
    parser.add_argument("--into", metavar="FILE", type=Path,
                        help="write it between the marks `metrics` of this file (default: print it)")
    asked = parser.parse_args(words)
    print_or_write(asked.into, "metrics", "metric_table", metric_table())


if __name__ == "__main__":
    main()
