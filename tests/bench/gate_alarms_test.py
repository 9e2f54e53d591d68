"""bench/gate_alarms.py: what it counts of gates, by a program that is a double."""

import subprocess
import sys

from conftest import ROOT

SCRIPT = ROOT / "bench/gate_alarms.py"
# Its third gate calls the second of two runs slower.
DOUBLE = """#!/usr/bin/env python3
import json, pathlib, sys
assert sys.argv[1:3] == ["gate", "--reference-program"] and sys.argv[-2:] == ["--budget", "9s"]
count = pathlib.Path(__file__).with_name("count")
n = len(count.read_text()) + 1 if count.exists() else 1
count.write_text("x" * n)
cases = [{"verdict": verdict, "times": [1.0] * 4, "reference": [1.0, 1.02, 1.0, 1.02]} for verdict in ("same", "slower" if n == 3 else "same")]
print(json.dumps({"seconds": 5.0, "cases": cases}))
sys.exit(n == 3)
"""
# Asks its reference, which stands by, for one time, and says how it compares with its own.
ASKING = """#!/usr/bin/env python3
import json, pathlib, subprocess, sys
if "--stand-by" in sys.argv:
    print("x: ready", flush=True)
    for line in sys.stdin:
        print("x: 1.03", flush=True)
    sys.exit()
assert "sequential" in pathlib.Path(sys.argv[6]).read_text()
said = subprocess.run([sys.argv[3], "--stand-by"], input="time\\n", capture_output=True, text=True).stdout.split()
ratio = 1.03 / float(said[-1])
case = {"verdict": "slower" if ratio > 1.02 else "same", "times": [ratio] * 4, "reference": [1.0] * 4, "low": ratio - 0.01, "high": ratio + 0.01}
print(json.dumps({"seconds": 5.0, "cases": [case]}))
"""


def counted(tmp_path, *words, double=DOUBLE, recipe="two.yaml"):
    program = tmp_path / "tess"
    program.write_text(double)
    program.chmod(0o755)
    words = [sys.executable, SCRIPT, "--tess", program, *words, recipe, "--", "--budget", "9s"]
    done = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    titles, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in (done[-3], done[-1]))
    return dict(zip(titles, row))


def test_gates_and_decisions_are_counted_and_a_log_adds_up(tmp_path):
    log = tmp_path / "log"
    first = counted(tmp_path, "--gates", "2", "--log", log)
    assert (first["gates"], first["wrong"], first["decisions"], first["slower"], first["same"]) == ("2", "0", "4", "0", "4")
    both = counted(tmp_path, "--gates", "2", "--log", log)
    assert (both["gates"], both["wrong"], both["decisions"], both["slower"], both["same"]) == ("4", "1", "8", "1", "7")
    assert both["deviation, %"] == "1.14" and both["turns"] == "4.0" and both["s a gate"] == "5"
    assert both == counted(tmp_path, "--gates", "0", "--log", log)


def test_a_planted_part_is_found_and_a_script_is_none(tmp_path):
    for plant, wrong, slower in (("3", "", "1"), ("0", "0", "0")):
        found = counted(tmp_path, "--gates", "1", "--plant", plant, double=ASKING, recipe="small")
        assert (found["wrong"], found["slower"], found["held, %"]) == (wrong, slower, "100")


def test_what_is_drawn_depends_on_the_seed_and_the_number(tmp_path):
    texts = tmp_path / "texts"
    keeping = ASKING.replace("said = ", f"open({str(texts)!r}, 'a').write(pathlib.Path(sys.argv[6]).read_text() + chr(0)); said = ")
    for seed in ("1", "1", "2"):
        counted(tmp_path, "--gates", "2", "--seed", seed, double=keeping, recipe="small")
    drawn = texts.read_text().split(chr(0))
    assert drawn[:2] == drawn[2:4] and len({*drawn[:2], *drawn[4:6]}) == 4


def test_the_rate_is_what_so_few_would_seldom_be_seen_at(tmp_path):
    sys.path.insert(0, str(SCRIPT.parent))
    from gate_alarms import at_most

    assert abs(at_most(0, 299) - 0.01) < 1e-4  # 0.99 ** 299 = 0.0495
    assert abs(at_most(1, 20) - 0.2161) < 1e-4  # the bound of Clopper and Pearson


def test_a_gate_that_cannot_be_made_says_why(tmp_path):
    program = tmp_path / "tess"
    program.write_text("#!/bin/sh\necho 'no such recipe' >&2\nexit 3\n")
    program.chmod(0o755)
    done = subprocess.run([sys.executable, SCRIPT, "--tess", program, "none.yaml"], capture_output=True, text=True)
    assert done.returncode == 1 and "no such recipe" in done.stderr
