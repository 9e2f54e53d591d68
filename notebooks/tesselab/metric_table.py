"""The table of all metrics, as docs/concepts.md has it, from what `tess explain` says of each.

    PYTHONPATH=notebooks python3 -m tesselab.metric_table                            # prints it; `tess` is in PATH
    PYTHONPATH=notebooks python3 -m tesselab.metric_table --into docs/concepts.md"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

from .side_by_side import print_or_write, text_table


def explained(tess: str) -> list[dict[str, Any]]:
    """What the program says of each metric, in its order."""
    def ask(*words: str) -> dict:
        return json.loads(subprocess.run([tess, *words, "--json"], check=True, capture_output=True).stdout)

    return [ask("explain", metric["name"]) for metric in ask("list", "metrics")["metrics"]]


def metric_table(metrics: list[dict[str, Any]]) -> str:
    """Markdown: a row a metric."""
    rows = [["name", "unit", "better", "meaning and definition"]]
    for metric in metrics:
        better = {1: "larger", -1: "smaller"}.get(metric["better"], "")
        meaning = f"*{metric['long_name']}.* {metric['definition']}".replace("|", "\\|").replace(" * ", " × ")
        title = f", in tables *{metric['title']}*" if metric["title"] != metric["name"] else ""
        rows.append([f"`{metric['name']}`{title}", metric["unit"], better, meaning])
    return text_table(rows, True)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tesselab.metric_table", description="The table of all metrics.")
    parser.add_argument("--tess", default="tess", help="the program (default: of that name in PATH)")
    parser.add_argument("--into", metavar="FILE", type=Path,
                        help="write it between the marks `metrics` of this file (default: print it)")
    asked = parser.parse_args(words)
    try:
        table = metric_table(explained(asked.tess))
    except FileNotFoundError:
        parser.exit(3, f"there is no program {asked.tess}: PATH=$PWD/build/release/bin:$PATH\n")
    print_or_write(asked.into, "metrics", "metric_table", table)


if __name__ == "__main__":
    main()
