"""Rows as `tess runs --json` has them, from a table of milliseconds as tesselab.strategies --all writes it.

    python3 -m tesselab.points docs/results/h200_points.md --into points.json

What the table does not say is taken from the recipe that made it (experiments/recipes/h200.yaml): the numbering that
goes with each order.
"""

import argparse
import json
import pathlib
import re
from collections.abc import Iterator

RENUMBER = {"natural": "none", "gps": "gps", "random": "blocks"}  # the others: by owner


def renumbering(partitioner: str, strategy: str) -> str:
    if partitioner == "gps" and strategy.startswith("global-colour"):
        return "colours"
    return RENUMBER.get(partitioner, "owner")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def rows(text: str) -> Iterator[dict[str, object]]:
    """A row for each cell that has a time."""
    application = mesh = None
    orders: list[str] = []
    for line in text.splitlines():
        head = re.match(r"(\w+), `([^`]+)`: \d+ points", line)
        if head:
            application, mesh = head.groups()
        elif line.startswith("| strategy"):
            orders = cells(line)[3:]
        elif line.startswith("| ") and application:
            strategy, layout, block_size, *times = cells(line)
            for partitioner, time in zip(orders, times):
                if time:
                    yield {
                        "application": application,
                        "mesh": mesh,
                        "strategy": strategy,
                        "layouts": layout,
                        "block_size": int(block_size),
                        "partitioner": partitioner,
                        "renumber": renumbering(partitioner, strategy),
                        "device": "cuda",
                        "outcome": "passed",
                        "median_time": float(time) / 1e3,
                    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--into", type=pathlib.Path, required=True)
    asked = parser.parse_args()
    made = list(rows(asked.table.read_text()))
    asked.into.write_text(json.dumps({"schema": "tess.points/1", "runs": made}, indent=0) + "\n")
    print(f"{asked.into}: {len(made)} points")


if __name__ == "__main__":
    main()
