#!/usr/bin/env python3
"""What `tess mesh reorder` foretells, the median of three tries: foretell.py TESS MESH OPTIONS...
prints milliseconds of a sweep in the mesher's order, and how many times as fast it will be."""
import json
import statistics
import subprocess
import sys

words = [sys.argv[1], "mesh", "reorder", sys.argv[2], "--dry-run", "--json", "--quiet", *sys.argv[3:]]
tries = [json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout) for _ in range(3)]
now, gain = (statistics.median(values) for values in zip(*((one["now"]["seconds"], one["gain"]) for one in tries)))
print(f"now {1e3 * now:.4g} ms, gain {gain:.4g}")
