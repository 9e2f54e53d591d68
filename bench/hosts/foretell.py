#!/usr/bin/env python3
"""What `tess mesh reorder` foretells, by three tries of each order in turns: foretell.py TESS MESH OPTIONS...
prints milliseconds of a sweep in the mesher's order, and how many times as fast it will be: the median of the tries,
and between the least and the most of them."""

import json
import statistics
import subprocess
import sys

ORDERS = ("hilbert", "levels", "rcb")
words = [sys.argv[1], "mesh", "reorder", sys.argv[2], "--dry-run", "--json", "--quiet", *sys.argv[3:]]
tries = {order: [] for order in ORDERS}
for _ in range(3):
    for order in ORDERS:
        tries[order].append(json.loads(subprocess.run([*words, "-p", order], capture_output=True, text=True, check=True).stdout))
print(f"now {1e3 * statistics.median(one['now']['seconds'] for these in tries.values() for one in these):.4g} ms")
for order, these in tries.items():
    gains = [one["gain"] for one in these]
    print(f"{order} {statistics.median(gains):.2f} [{min(gains):.2f}, {max(gains):.2f}]")
