#!/usr/bin/env python3
"""Compares the machine code (sm_90, by NVRTC) of two builds of tess: same_sass.py OLD NEW [--all].

Where the code of all kernels is the same, so is their speed. Else it says how many instructions and
registers each has, and how often each opcode stands in it. Exits 1 where code is not the same."""

import collections
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

import same_counters

BYTES = 16  # of an instruction


def kernels_of(cubin):
    """The bytes of each kernel, by its name: the sections .text.NAME of an ELF file."""
    start, = struct.unpack_from("<Q", cubin, 0x28)
    size, n, names_at = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, start + i * size) for i in range(n)]
    names = headers[names_at][4]
    found = {}
    for name, _, _, _, offset, length in headers:
        text = cubin[names + name:cubin.index(b"\0", names + name)].decode()
        if text.startswith(".text."):
            found[text[len(".text."):]] = cubin[offset:offset + length]
    return found


def compile_page(tess, point, strategy):
    """The kernels, registers and spilled bytes of one page, or None where the build refuses it."""
    application, mesh, options, _ = point
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [tess, "run", application, "--mesh", mesh, *options.split(), "--strategy", strategy,
             "--device", "nvrtc", "--json", "--no-lab", "--no-view", "--quiet", "--samples", "0"],
            capture_output=True, text=True, env={**os.environ, "TESS_CACHE": cache})
        cubins = glob.glob(cache + "/cubins/*.cubin")
        if done.returncode != 0 or len(cubins) != 1:
            return None
        run = json.loads(done.stdout)["runs"][0]
        with open(cubins[0], "rb") as file:
            return kernels_of(file.read()), run["registers"], run["spilled_bytes"]


def opcodes(code):
    return collections.Counter(struct.unpack_from("<H", code, at)[0] & 0xFFF
                               for at in range(0, len(code), BYTES))


def difference(old, new):
    """What is not the same, in words."""
    words = []
    if old[1:] != new[1:]:
        words.append(f"registers, spilled bytes were {old[1:]}, are {new[1:]}")
    for kernel in sorted(old[0].keys() | new[0].keys()):
        a, b = old[0].get(kernel, b""), new[0].get(kernel, b"")
        if a == b:
            continue
        was, now = opcodes(a), opcodes(b)
        changed = {f"{code:#05x}": now[code] - was[code]
                   for code in sorted(was.keys() | now.keys()) if now[code] != was[code]}
        words.append(f"{kernel}: {len(a) // BYTES} instructions, now {len(b) // BYTES}; "
                     f"{changed if changed else 'others in order or registers only'}")
    return words


def main():
    asked = same_counters.arguments(__doc__, "--all", "all meshes instead of four")
    n = n_different = n_refused = 0
    for point in same_counters.all_points() if asked.all else same_counters.quick_points():
        for strategy in point[3]:
            if asked.only not in strategy:
                continue
            old, new = (compile_page(tess, point, strategy) for tess in (asked.old, asked.new))
            n += 1
            n_refused += old is None
            words = [] if old is None and new is None else (
                difference(old, new) if old and new else ["one build refuses it"])
            n_different += bool(words)
            for word in words:
                print(f"{point[0]} {point[2]} {strategy}: {word}", flush=True)
    print(f"{n} pages, {n_different} differ, {n_refused} refused by the old build")
    return n_different > 0 or n == n_refused


if __name__ == "__main__":
    sys.exit(main())
