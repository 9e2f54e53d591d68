"""bench/tune_regret.py: what its table says of two searches, by a program that is a double."""

import subprocess
import sys

from conftest import ROOT

SCRIPT = ROOT / "bench/tune_regret.py"
DOUBLE = """#!/usr/bin/env python3
import json, os, sys
os.makedirs(os.environ["TESS_CACHE"], exist_ok=True)
early = "--early" in sys.argv
open(os.environ["TESS_CACHE"] + "/used", "r" if early else "x")  # by one search, and the long one, which begins with its texts
assert sys.argv[1:4] == ["tune", "airfoil", "--mesh"] and "--loop" in sys.argv
budget = float(sys.argv[sys.argv.index("--budget") + 1].rstrip("s"))
turns = "--partitioner" in sys.argv
assert early == (sys.argv[sys.argv.index("--lab") + 1].endswith("long"))
assert turns == (budget == 7) and (not turns or sys.argv[sys.argv.index("--partitioner") + 1] == "mosaic,rcb")
ways = [("rcb", 1.0)] if budget == 5 else [("rcb", 1.02 if turns else 1.03), ("mosaic", 1.0)]
candidates = [{"block_size": 128, "partitioner": p, "strategy": "atomics", "layout": "soa", "value": 1e-3 * r, "ratio": r,
               "low": r - 0.01 if r > 1 else None, "high": r + 0.01 if r > 1 else None}
              for p, r in sorted(ways, key=lambda way: way[1])]
candidates.append({"block_size": 256, "partitioner": "rcb", "strategy": "atomics", "layout": "soa", "value": None, "ratio": None})
own = {"open": 1, "wait_cut": 0.5, "wait": 2}
print(json.dumps({"budget": budget, "ties": 0, "candidates": candidates,
                  "spent": {"tried": 1, "hopeless": 0, "first_candidate": 2.5, "device_share": 0.625, "own": own}}))
"""


def test_the_regret_is_what_the_short_winner_takes_over_the_best(tmp_path, monkeypatch):
    monkeypatch.setenv("TESS_CACHE", str(tmp_path / "cache"))  # that of other tests changes while it is copied
    program = tmp_path / "tess"
    program.write_text(DOUBLE)
    program.chmod(0o755)
    words = [sys.executable, SCRIPT, "--tess", program, "--budget", "5,600", "--turns", "7", "airfoil/res_calc@quads"]
    done = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")
    titles, row, other = ([cell.strip() for cell in line.strip("|").split("|")] for line in (done[0], *done[2:4]))
    found, long = dict(zip(titles, row)), dict(zip(titles, other))
    assert found["in turns, %"] == "2.00 [1.00, 3.00]" and found["its best"] == "128 mosaic atomics soa"
    assert long["its best"] == "the same"
    assert (long["budget, s"], long["regret, %"], long["in turns, %"]) == ("600", "0.00", "0.00 [0.00, 0.00]")
    assert found["loop, mesh"] == "airfoil/res_calc@quads" and found["tried"] == "1 of 2" and found["regret, %"] == "3.00"
    assert (found["first after, s"], found["on the device, %"]) == ("2.5", "62")
    assert found["tried by the long search"] == "1 of 3"
    assert found["winner"] == "128 rcb atomics soa"
    alone = subprocess.run([*words, "--budget", "5", "--long", "0"], capture_output=True, text=True, check=True).stdout.split("\n")
    titles, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in (alone[0], alone[2]))
    found = dict(zip(titles, row))
    assert (found["waited for blocks, s"], found["for the compiler, s"]) == ("0.5", "1.5") and "regret, %" not in found


def test_a_search_that_fails_says_why(tmp_path):
    program = tmp_path / "tess"
    program.write_text("#!/bin/sh\necho 'no such mesh' >&2\nexit 3\n")
    program.chmod(0o755)
    done = subprocess.run([sys.executable, SCRIPT, "--tess", program, "airfoil@nowhere"], capture_output=True, text=True)
    assert done.returncode == 1 and "no such mesh" in done.stderr
