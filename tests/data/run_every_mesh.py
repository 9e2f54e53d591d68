#!/usr/bin/python3
"""Every application on every mesh by every strategy on the emulator, each result checked.

    tests/data/run_every_mesh.py MESH... [--applications airfoil,volna,...] [--chains]

With --chains it marches a step of each in chains instead: without and with rings, each on the emulator, which stops at
races, and on 1, 2 and 4 ranks of the host; each compared with the sequential loops. Blocks have 64 points, or as few as
tess says where a block's memory does not suffice.

Prints for each mesh which applications it serves (a loop runs and all strategies that fit it pass) and exits with 1
where a run failed. An application that a mesh does not serve is not run: tess says which map or shape is missing."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

TESS = os.environ.get("TESS", pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/tess")


def names(kind):
    listed = json.loads(subprocess.run([TESS, "list", kind, "--json"], check=True, capture_output=True, text=True).stdout)
    return [item["name"] for item in listed[kind]]


def run(application, mesh, strategies):
    """(exit code, outcome by strategy, the message)."""
    done = subprocess.run([TESS, "run", application, "--mesh", mesh, "--device", "emulator", "--strategy", ",".join(strategies),
                           "--no-lab", "--no-view", "--json"], capture_output=True, text=True)
    try:
        runs = json.loads(done.stdout)["runs"]
    except (json.JSONDecodeError, KeyError):
        runs = []
    errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()[-1:]
    return done.returncode, runs, errors[-1] if errors else ""


WAYS = [["--device", "emulator"], *(["--device", "host", "--ranks", str(n)] for n in (1, 2, 4))]


def march_in_chains(application, mesh):
    """(exit code, how many came to the state of the sequential loops, those that did not, a message)."""
    n_right, wrong, code, message = 0, [], 0, ""
    for chains in ("auto", "auto:rings=9"):
        for way in WAYS:
            size = "64"
            while size:
                done = subprocess.run([TESS, "march", application, "--mesh", mesh, "--steps", "1", "--check", "--chains", chains,
                                       *way, "--block-size", size, "--no-lab", "--json"], capture_output=True, text=True)
                size = (re.findall(r"try --block-size (\d+)", done.stderr) or [""])[0]
            n_right += done.returncode == 0
            if done.returncode:
                code, message = done.returncode, done.stderr.splitlines()[-1]
                wrong.append(f"{chains} {' '.join(way)}: {message}")
    return code, n_right, wrong, message


def chained(mesh, application):
    """Whether all was right, or the mesh does not serve the application; says so."""
    code, n_right, wrong, message = march_in_chains(application, mesh)
    if n_right == 0 and code in (2, 3):
        print(f"{mesh}  {application}: not served: {message}", flush=True)
        return True
    print(f"{mesh}  {application}: {n_right} marches in chains came to the state of the loops, {len(wrong)} did not",
          *wrong, sep="\n    ", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("meshes", nargs="+")
    parser.add_argument("--applications", default=",".join(names("applications")))
    parser.add_argument("--chains", action="store_true")
    asked = parser.parse_args()
    strategies = [name for name in names("strategies") if name not in ("sequential", "openmp")]  # these are the host's
    failed = 0
    for mesh in asked.meshes:
        for application in asked.applications.split(","):
            if asked.chains:
                failed += not chained(mesh, application)
                continue
            code, runs, message = run(application, mesh, strategies)
            outcomes = [entry.get("check") or "" for entry in runs]
            passed = outcomes.count("passed")
            if passed == 0 and code in (2, 3):
                print(f"{mesh}  {application}: not served: {message}", flush=True)
                continue
            bad = [o for o in outcomes if o not in ("passed", "not applicable")]
            failed += bool(bad) or code == 1
            print(f"{mesh}  {application}: {passed} strategies passed, {len(outcomes) - passed - len(bad)} do not fit, "
                  f"{len(bad)} failed{': ' + message if bad else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
