#!/usr/bin/env python3
"""What `tess mesh reorder` foretells of a host's loop on a GPU, as who owns the loop would find out:

    foretell_gpu.py TESS SET MESH N SMALL... -- OPTIONS OF tess run -- OPTIONS OF tess mesh reorder

It times the loop on small meshes, which the last cache holds in a good order ({n} in MESH is each SMALL), and lays a line
through its times by least squares: `start` is what no element takes, `work` what each does. It times the loop on the mesh of
N, whose sweeps take what is left beside `start`, and has both orders tried. Prints start and work, and for each order
milliseconds of the loop, as predicted."""

import json
import statistics
import subprocess
import sys

own, run_options, reorder_options = " ".join(sys.argv[1:]).split(" -- ")
tess, of_set, mesh, large, *small = own.split()


def asked(*words):
    return json.loads(subprocess.run([tess, *words, "--json"], capture_output=True, text=True, check=True).stdout)


def seconds_of(mesh):
    return asked("run", *run_options.split(), "--mesh", mesh, "--quiet")["runs"][0]["median_time"]


def elements_of(mesh):
    return asked("mesh", "info", mesh)["sets"][of_set]


held = [mesh.replace("{n}", n) + ":order=levels" for n in small]
work, start = statistics.linear_regression([elements_of(one) for one in held], [seconds_of(one) for one in held])
print(f"start {1e6 * start:.1f} us, work {1e12 * work:.1f} ps")
given = mesh.replace("{n}", large)
now = seconds_of(given)
share = 1 - max(start, 0) / now
words = reorder_options.replace("{work}", f"{1e9 * max(work, 0):.5f}").split()
words += ["--dry-run", "--machine", "cuda", "--share", f"{share:.4f}", "--permutation", "none.npz"]  # as for a code that keeps its maps
for order in ("hilbert", "levels"):
    told = asked("mesh", "reorder", given, "-p", order, *words)
    print(f"{order} {1e3 * now / told['gain_of_step']:.4f} ms, sweeps {1e3 * told['now']['seconds']:.4f} and {1e3 * told['then']['seconds']:.4f} ms")
