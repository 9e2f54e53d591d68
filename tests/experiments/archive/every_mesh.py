#!/usr/bin/python3
"""Every mesh, every map, every partitioner: all plans proved twice, all metrics recomputed.

    every_mesh.py FOLDER [--smallest N] [--largest N] [--block-sizes 64,128,256,480] [--only NAME]
                         [--partitioners P,...]

Runs `tess partition` (which proves every plan with plan_check) on each SU2, Gmsh and OP2 file of a
folder for each of its maps that is neither too small nor too large, and hands every plan to recompute.py, which
shares no code with Tesselab. Prints a line a map and counts them; exits with 1 if anything failed.
The lab is cleared after each mesh."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import recompute

ROOT = pathlib.Path(__file__).resolve().parents[3]
TESS = ROOT / "build/release/bin/tess"
ENDINGS = (".su2", ".su2.xz", ".msh", ".msh.xz", ".dat", ".dat.xz")


def tess(*arguments):
    return subprocess.run([TESS, *map(str, arguments)], capture_output=True, text=True, check=False)


def maps_of(mesh):
    """Names and sizes of the maps of a mesh, stated and derived."""
    described = json.loads(tess("mesh", "info", "--maps", "--json", mesh).stdout)
    return [(name, described["sets"][name.split(":")[0]]) for name in described["maps"]]


def check_map(mesh, name, options, lab):
    """Number of plans of one map; raises where one is wrong."""
    chosen = ["--partitioner", options.partitioners] if options.partitioners else []
    done = tess("partition", mesh, "--map", name, "--block-size", options.block_sizes, "--lab", lab,
                "--no-view", "--json", "--time-limit", "300", *chosen)
    if done.returncode != 0:
        raise recompute.Wrong(done.stderr.strip())
    runs = json.loads(done.stdout)["runs"]
    plans = {run["plan_file"] for run in runs}
    if recompute.check_lab(lab) != len(plans):
        raise recompute.Wrong("not every plan was checked")
    for plan in plans:
        pathlib.Path(plan).unlink()
    return len(runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--smallest", type=int, default=1)
    parser.add_argument("--largest", type=int, default=10**7)
    parser.add_argument("--block-sizes", default="64,128,256,480")
    parser.add_argument("--only", default="")
    parser.add_argument("--partitioners", default="", help="default: all that fit")
    options = parser.parse_args()
    n_runs = n_maps = n_failed = 0
    for mesh in sorted(options.folder.iterdir()):
        if not mesh.name.endswith(ENDINGS) or options.only not in mesh.name:
            continue
        lab = pathlib.Path(tempfile.mkdtemp(prefix="every_mesh_"))
        for name, size in maps_of(mesh):
            if not options.smallest <= size <= options.largest:
                print(f"{mesh.name} {name}: {size} elements, left out", flush=True)
                continue
            start = time.monotonic()
            try:
                n = check_map(mesh, name, options, lab)
                n_runs, n_maps = n_runs + n, n_maps + 1
                print(f"{mesh.name} {name}: {size} elements, {n} plans agree, "
                      f"{time.monotonic() - start:.1f} s", flush=True)
            except (recompute.Wrong, ValueError, KeyError) as error:
                n_failed += 1
                print(f"{mesh.name} {name}: FAILED: {error}", flush=True)
        shutil.rmtree(lab)
    print(f"{n_runs} plans of {n_maps} maps agree, {n_failed} maps failed")
    return 1 if n_failed or not n_runs else 0


if __name__ == "__main__":
    sys.exit(main())
