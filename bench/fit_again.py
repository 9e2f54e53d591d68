#!/usr/bin/env python3
"""The timed points of a fit, as docs/results/h200_features.json holds them, timed again by the program of today.

    python3 bench/fit_again.py POINTS.json --recipe again.yaml [--below SECONDS]  # the points that took less, as a recipe
    tess sweep again.yaml --lab lab
    tess runs --lab lab --csv -c device,mesh,application,strategy,layouts,renumber,block_size,partitioner,median_time,registers > runs.csv
    python3 bench/fit_again.py POINTS.json --times runs.csv                       # their times and registers into POINTS.json

What was counted of a point stays; a point that was not timed again keeps its time. Says how much times have changed."""

import argparse
import csv
import json
import statistics
from pathlib import Path

SAME_BLOCKS = ("device", "mesh", "application", "layout", "renumber", "partitioner", "block_size")


def key_of(point, names=(*SAME_BLOCKS, "strategy")):
    """What tells a point from others, as text; records of points call the layout `layouts`."""
    return tuple(str(point.get(name, point.get(name + "s"))) for name in names)


def recipe_of(points, samples):
    """A group for all strategies on the same blocks, so that these are cut once; those of one mesh follow each other."""
    groups = {}
    for point in points:
        groups.setdefault(key_of(point, SAME_BLOCKS), []).append(point["strategy"])
    return {"sweep": "fit-again", "about": "the points of a fit, timed again", "axes": {"samples": samples},
            "groups": [{**dict(zip(SAME_BLOCKS, key)), "block_size": int(key[-1]), "strategy": strategies}
                       for key, strategies in sorted(groups.items())]}  # fmt: skip


def take_times(points, rows):
    """Writes times and registers into the points. Of each that changed how many times as long it takes, and by how many seconds."""
    timed = {key_of(row): row for row in rows if row["median_time"]}
    changed = []
    for point in points:
        row = timed.get(key_of(point))
        if row is None:
            continue
        changed.append((float(row["median_time"]) / point["median_time"], float(row["median_time"]) - point["median_time"]))
        point["median_time"] = float(row["median_time"])
        if row.get("registers"):
            point["features"]["registers"] = float(row["registers"])
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("points", type=Path)
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--below", type=float, default=float("inf"))
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--times", type=Path)
    asked = parser.parse_args()
    held = json.loads(asked.points.read_text())
    if asked.recipe:
        points = [point for point in held["runs"] if point["median_time"] < asked.below]
        asked.recipe.write_text(json.dumps(recipe_of(points, asked.samples), indent=1) + "\n")  # JSON is YAML, too
        print(f"{asked.recipe}: {len(points)} points")
    if asked.times:
        with asked.times.open() as file:
            changed = take_times(held["runs"], csv.DictReader(file))
        asked.points.write_text(json.dumps(held, separators=(",", ":"), ensure_ascii=False) + "\n")
        print(f"{asked.points}: {len(changed)} of {len(held['runs'])} points have times of today")
        if changed:
            ratios, differences = zip(*changed)
            print(f"in the median {1e6 * statistics.median(differences):+.1f} µs, {statistics.median(ratios):.3f} times")


if __name__ == "__main__":
    main()
