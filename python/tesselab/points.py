"""Rows as `tess runs --json` has them, from points in milliseconds as tesselab.strategies --all prints them.

    python3 -m tesselab.points docs/results/h200_points.csv --into points.json

What the points do not say is taken from the recipe that made them (experiments/recipes/h200.yaml): the numbering that
goes with each order.
"""

import argparse
import csv
import json
import pathlib

RENUMBER = {"file-order": "none", "gps": "gps", "random": "blocks"}  # the others: by owner


def renumbering(partitioner: str, strategy: str) -> str:
    if partitioner == "gps" and strategy.startswith("global-colour"):
        return "colours"
    return RENUMBER.get(partitioner, "owner")


def run_of(point: dict[str, str]) -> dict[str, object]:
    """A point as a run that passed."""
    known = {name: point[name] for name in ("application", "mesh", "strategy", "layouts", "partitioner")}
    return {**known, "block_size": int(point["block_size"]), "device": "cuda", "outcome": "passed",
            "renumber": renumbering(point["partitioner"], point["strategy"]), "median_time": float(point["ms"]) / 1e3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("points", type=pathlib.Path)
    parser.add_argument("--into", type=pathlib.Path, required=True)
    asked = parser.parse_args()
    with asked.points.open() as file:
        made = [run_of(point) for point in csv.DictReader(file)]
    asked.into.write_text(json.dumps({"schema": "tess.points/1", "runs": made}, indent=0) + "\n")
    print(f"{asked.into}: {len(made)} points")


if __name__ == "__main__":
    main()
