#!/usr/bin/env python3
"""Compares the blocks that two builds of tess cut with mosaic: same options, same seed, same blocks.

    tests/partitioners/same_blocks.py OLD_TESS NEW_TESS [--quick]

Names every case in which a build fails or one element is in another block, and exits with 1 then."""

import argparse
import hashlib
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py

SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "data/meshes"
EFFORTS = [f"mosaic:effort={effort}" for effort in range(7)]
OPTIONS = ["mosaic:cut=slabs", "mosaic:cut=halves", "mosaic:shape=0.4", "mosaic:colours=3", "mosaic:reuse=2",
           "mosaic:max_points=100", "mosaic:seed=5"]
SHORT = ["mosaic:effort=1", "mosaic:effort=2", "mosaic"]


def case(mesh, loop, sizes, partitioners, seeds=(1,), refine=None):
    """One call of tess for each seed."""
    return [{"mesh": str(mesh), "map": loop, "sizes": sizes, "partitioners": partitioners, "seed": seed,
             "refine": refine} for seed in seeds]


QUICK = list(itertools.chain(
    case("quads:nx=60:ny=50", "edges:cells", (32, 128), EFFORTS[:5] + OPTIONS),
    case("quads:nx=60:ny=50:shuffle=7", "cells:nodes", (64,), SHORT, (1, 2)),
    case("irregular:nx=50:ny=50", "edges:cells", (32, 128), EFFORTS[:5] + OPTIONS),
    case("irregular:nx=50:ny=50:shuffle=7", "cells:nodes", (64,), SHORT, (1, 2)),
    case("tets:nx=8:shuffle=7", "faces:cells", (64,), EFFORTS[:5] + OPTIONS),
    case("hexes:nx=14:ny=12:nz=13", "cells:nodes", (27, 64), EFFORTS[:3]),
    case(SHIPPED / "north_sea.msh.xz", "edges:cells", (128,), SHORT),
    case("irregular:nx=40:ny=40", "edges:cells", (64,), ["natural", "hilbert"], refine=3)))

FULL = QUICK + list(itertools.chain(
    *(case(mesh + shuffled, loop, (32, 64, 128, 256, 480), SHORT + ["mosaic:effort=0"])
      for mesh, loops in (("quads:nx=120:ny=110", ("edges:cells", "edges:nodes", "cells:nodes")),
                          ("tris:nx=100:ny=90", ("edges:cells", "edges:nodes", "cells:nodes")),
                          ("irregular:nx=90:ny=90", ("edges:cells", "edges:nodes", "cells:nodes")),
                          ("ogrid:ni=150:nj=80", ("edges:cells", "cells:nodes")),
                          ("tets:nx=14", ("faces:cells", "edges:nodes", "cells:nodes")),
                          ("hexes:nx=24:ny=22:nz=20", ("faces:cells", "cells:nodes")),
                          ("prisms:nx=16:ny=16:nz=16", ("faces:cells", "cells:nodes")))
      for shuffled in ("", ":shuffle=7") for loop in loops),
    case("irregular:nx=170:ny=170:shuffle=7", "edges:cells", (64, 480), SHORT, (1, 2, 3)),
    case("quads:nx=250:ny=200", "edges:cells", (64, 480), SHORT),
    case("irregular:nx=60:ny=60", "cells:nodes", (64, 256), EFFORTS + OPTIONS, (1, 2)),
    case("tets:nx=10", "faces:cells", (64, 256), EFFORTS + OPTIONS, (1, 2)),
    case("tets:nx=10", "cells:nodes", (128,), EFFORTS + OPTIONS),
    case("hexes:nx=16:ny=16:nz=15", "faces:cells", (64,), EFFORTS + OPTIONS),
    *(case(SHIPPED / name, loop, (64, 128, 256, 480), EFFORTS[:5])
      for name, loops in (("north_sea.msh.xz", ("edges:cells", "edges:nodes", "cells:nodes")),
                          ("bay_delta_coarse_v4.gr3.xz", ("edges:cells", "cells:nodes")),
                          ("pyfr_triangular_aerofoil.msh.xz", ("faces:cells",)),
                          ("refine_cube_sphere.meshb.xz", ("faces:cells", "cells:nodes")))
      for loop in loops),
    *(case("tets:nx=10", "faces:cells", (64,), ["natural", "hilbert", "random"], refine=effort)
      for effort in range(1, 7))))


def cut(tess, case, lab):
    """What tells the blocks of one call apart: {(partitioner, block size): digest or message}."""
    command = [tess, "partition", case["mesh"], "--map", case["map"], "--lab", lab, "--no-view", "--json",
               "--colouring=greedy", f"--seed={case['seed']}", "--quiet",
               "--block-size=" + ",".join(map(str, case["sizes"])),
               "--partitioner=" + ",".join(case["partitioners"])]
    if case["refine"]:
        command.append(f"--refine={case['refine']}")
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        return {("", 0): done.stderr.strip() or f"exit status {done.returncode}"}
    found = {}
    for run in json.loads(done.stdout)["runs"]:
        blocks = run["status"]
        if run["plan_file"]:
            with h5py.File(run["plan_file"]) as plan:
                blocks = hashlib.sha256(plan["partition/block_of"][:].tobytes()).hexdigest()[:16]
        found[run["partitioner"], run["block_size"]] = blocks
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", metavar="OLD_TESS")
    parser.add_argument("new", metavar="NEW_TESS")
    parser.add_argument("--quick", action="store_true", help="a tenth of the cases")
    asked = parser.parse_args()
    n_cuts = n_others = 0
    for one in QUICK if asked.quick else FULL:
        with tempfile.TemporaryDirectory() as lab:
            old, new = (cut(tess, one, f"{lab}/{i}") for i, tess in enumerate((asked.old, asked.new)))
        for key in sorted(old.keys() | new.keys()):
            n_cuts += 1
            if old.get(key) == new.get(key) and key[0]:
                continue
            n_others += 1
            print(f"{one['mesh']} {one['map']}, seed {one['seed']}, refine {one['refine']}, {key[0]}, S = {key[1]}: "
                  f"{old.get(key)} is {new.get(key)} now", flush=True)
    print(f"{n_cuts} cuts, {n_others} differ")
    sys.exit(n_others > 0)


if __name__ == "__main__":
    main()
