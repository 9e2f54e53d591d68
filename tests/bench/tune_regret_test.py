"""bench/tune_regret.py: what its table says of two searches, by a program that is a double."""

import subprocess
import sys

from conftest import ROOT

SCRIPT = ROOT / "bench/tune_regret.py"
DOUBLE = """#!/usr/bin/env python3
import json, sys
assert sys.argv[1:4] == ["tune", "airfoil", "--mesh"] and "--loop" in sys.argv
short = sys.argv[sys.argv.index("--budget") + 1] == "5.0s"
ways = [("rcb", 1.03), ("mosaic", 1.0)] if not short else [("rcb", 1.0)]
candidates = [{"block_size": 128, "partitioner": p, "strategy": "atomics", "layout": "soa", "value": 1e-3 * r, "ratio": r}
              for p, r in sorted(ways, key=lambda way: way[1])]
candidates.append({"block_size": 256, "partitioner": "rcb", "strategy": "atomics", "layout": "soa", "value": None, "ratio": None})
own = {"open": 1, "wait_cut": 0.5, "wait": 2}
print(json.dumps({"ties": 0, "candidates": candidates,
                  "spent": {"tried": 1, "hopeless": 0, "first_candidate": 2.5, "device_share": 0.625, "own": own}}))
"""


def test_the_regret_is_what_the_short_winner_takes_over_the_best(tmp_path):
    program = tmp_path / "tess"
    program.write_text(DOUBLE)
    program.chmod(0o755)
    words = [sys.executable, SCRIPT, "--tess", program, "--budget", "5", "airfoil/res_calc@quads"]
    done = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")
    titles, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in (done[0], done[2]))
    found = dict(zip(titles, row))
    assert found["loop, mesh"] == "airfoil/res_calc@quads" and found["tried"] == "1 of 2" and found["regret, %"] == "3.00"
    assert (found["waited for blocks, s"], found["for the compiler, s"], found["on the device, %"]) == ("0.5", "1.5", "62")
    assert found["tried by the long search"] == "1 of 3"
    assert found["winner"] == "128 rcb atomics soa"
    alone = subprocess.run([*words, "--long", "0"], capture_output=True, text=True, check=True).stdout
    assert alone.split("\n")[2].strip("|").split("|")[-1].strip() == ""


def test_a_search_that_fails_says_why(tmp_path):
    program = tmp_path / "tess"
    program.write_text("#!/bin/sh\necho 'no such mesh' >&2\nexit 3\n")
    program.chmod(0o755)
    done = subprocess.run([sys.executable, SCRIPT, "--tess", program, "airfoil@nowhere"], capture_output=True, text=True)
    assert done.returncode == 1 and "no such mesh" in done.stderr
