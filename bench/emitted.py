#!/usr/bin/env python3
"""Emits every loop of every application by every strategy in every layout, compiles and checks what is written.

    bench/emitted.py --language c|cuda|hip [--run] [--jobs 4] [--budget SECONDS] [--only airfoil,guide]
    bench/emitted.py --times [--budget SECONDS]

Sources are compiled with all warnings as errors: CUDA for sm_90, HIP to objects for gfx90a and gfx942. --run runs each program's
own check, where there is a device. --times compares the median of emitted CUDA programs on large meshes with that of
`tess run`. Prints what is wrong, and last how many were emitted, compiled, right, and refused because a strategy does not fit."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs/user_kernel"
MESHES = {"airfoil": "quads:nx=24:ny=16", "volna": "tris:nx=20:ny=16", "bookleaf": "quads:nx=24:ny=16", "fv": "tets:nx=4:ny=4:nz=3",
          "lulesh": "hexes:nx=6:ny=6:nz=5", "miniaero": "hexes:nx=6:ny=6:nz=5", "fun3d": "layers:nx=5:ny=5:prisms=2:tets=2"}  # fmt: skip
GUIDE_MESHES = {"blend": "tris:nx=20:ny=16", "heat": "tets:nx=4:ny=4:nz=3", "stiffness": "hexes:nx=6:ny=6:nz=5"}
STRATEGIES = ["atomics", "atomics:transpose=shared", "atomics:transpose=shuffles", "atomics:aggregate=sorted", "global-colour", "block-colour",
              "block-colour:stage=increments", "two-step", "halo-atomics", "halo-atomics:sum=block-gather", "owner-block",
              "point-parallel", "point-parallel:direct=staged:slots=each", "gather", "gather:own=staged", "tiles"]  # fmt: skip
LAYOUTS = ["soa", "aos", "aos16,maps=aos"]
CHAINS = {name: ["auto:rings=2"] for name in MESHES if name != "fun3d"} | {"fun3d": ["update+zero+lstgs+roe_flux"]}
LARGE = {"airfoil": "quads:nx=1200:ny=1200", "volna": "tris:nx=1100:ny=1100", "bookleaf": "quads:nx=1500:ny=1500", "lulesh": "hexes:nx=100:ny=100:nz=100",
         "miniaero": "hexes:nx=100:ny=100:nz=100"}  # fmt: skip
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
CLANG = next((found for n in range(25, 16, -1) if (found := shutil.which(f"clang-{n}"))), "clang")
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
TESS = os.environ.get("TESS_BIN") or shutil.which("tess") or str(ROOT / "build/release/bin/tess")


def loops_of(application):
    """The names that a wrong one is answered with."""
    said = subprocess.run([TESS, "emit", application, "--loop", "?", "--mesh", MESHES[application], "-o", "none"],
                          capture_output=True, text=True).stderr  # fmt: skip
    return said.rpartition("known: ")[2].rpartition(")")[0].split(", ")


def combinations(only):
    """The words of `tess emit`, without language and folder."""
    for name, mesh in MESHES.items():
        if name not in only:
            continue
        for layout in LAYOUTS:
            for loop in loops_of(name):
                for strategy in STRATEGIES:
                    yield [name, "--loop", loop, "--mesh", mesh, "-s", strategy, "--layout", layout]
            for chain in CHAINS[name]:
                yield [name, "--chain", chain, "--mesh", mesh, "-b", "32", "--layout", layout]
    if "guide" in only:
        for name, mesh in GUIDE_MESHES.items():
            for layout in LAYOUTS:
                for strategy in STRATEGIES:
                    yield ["--kernel", str(GUIDE / f"{name}.h"), "--loop", str(GUIDE / f"{name}.yaml"), "--mesh", mesh,
                           "-s", strategy, "--layout", layout]  # fmt: skip


def compile_commands(language, folder, optimised):
    c_sources = sorted(map(str, folder.glob("*.c")))
    if language == "c":
        yield ["cc", "-std=gnu11", "-O1", *WARNINGS, "-fno-strict-aliasing", *c_sources, "-lm", "-o", str(folder / "check")]
    elif language == "cuda":
        sources = [*map(str, folder.glob("*.cu")), *c_sources]
        yield [NVCC, "-arch=sm_90", "-O3" if optimised else "-O1", "-std=c++17", "-Xcompiler=-Wall,-Wextra,-Werror", "-Werror", "all-warnings",
               *sources, "-o", str(folder / "check")]  # fmt: skip
    else:
        (source,) = folder.glob("*.hip")
        strict = ["-O2", *WARNINGS, "-D__HIP_PLATFORM_AMD__"]
        for target in ("gfx90a", "gfx942"):
            text = str(folder / f"{target}.s")
            yield [CLANG, "-x", "hip", f"--offload-arch={target}", "--cuda-device-only", "-nogpulib", "-S", *strict, str(source), "-o", text]
            yield [CLANG, "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-c", text, "-o", str(folder / f"{target}.o")]
        yield [CLANG, "-fsyntax-only", *strict, *c_sources]


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def made(words, asked, folder, optimised=False):
    """Emits and compiles one combination: "refused", "wrong" or "compiled", and what was said."""
    done = run([TESS, "emit", *words, "--language", asked.language, "-o", str(folder), "--quiet"], ROOT)
    if done.returncode != 0:
        return "refused" if done.returncode == 2 else "wrong", done.stderr
    for command in compile_commands(asked.language, folder, optimised):
        done = run(command, folder)
        if done.returncode != 0 or done.stderr:
            return "wrong", done.stdout + done.stderr
    return "compiled", ""


def checked(folder):
    done = run([str(folder / "check"), str(next(folder.glob("*.plan")))], folder)
    return "right" if done.returncode == 0 else "wrong", done.stdout + done.stderr


def attempt(words, asked):
    """What came of one combination, "right" where it ran, too."""
    with tempfile.TemporaryDirectory(prefix="emitted-") as name:
        folder = pathlib.Path(name)
        try:
            what, said = made(words, asked, folder)
            return checked(folder) if what == "compiled" and asked.run else (what, said)
        except subprocess.TimeoutExpired as late:
            return "wrong", str(late)


def sweep(asked):
    begin, found = time.monotonic(), {"refused": 0, "wrong": 0, "compiled": 0, "right": 0, "left": 0}
    all_words = list(combinations(asked.only.split(",")))
    random.Random(51).shuffle(all_words)  # what a budget leaves out is of all kinds

    def timed(words):
        return attempt(words, asked) if time.monotonic() - begin < asked.budget else ("left", "")

    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for words, (what, said) in zip(all_words, pool.map(timed, all_words), strict=True):
            found[what] += 1
            if what == "wrong":
                print(f"WRONG: tess emit {' '.join(words)}\n{said[-1500:]}", flush=True)
    compiled = found["compiled"] + found["right"]
    print(f"{asked.language}: {len(all_words)} combinations, {found['refused']} refused, {compiled} emitted and compiled without a warning, "
          f"{found['right']} of them ran and were right, {found['wrong']} wrong, {found['left']} left for want of time; "
          f"{time.monotonic() - begin:.0f} s")  # fmt: skip
    return found["wrong"] > 0 or compiled == 0


def large_words():
    for name, mesh in LARGE.items():
        yield [name, "--chain", "auto:rings=2", "--mesh", mesh, "-b", "128", "-s", "point-parallel"]
    for strategy in ("point-parallel", "halo-atomics", "owner-block", "atomics"):
        for name, mesh in LARGE.items():
            yield [name, "--mesh", mesh, "-b", "128", "-s", strategy]


def run_ms(words):
    done = run([TESS, "run", *words, "--device", "cuda", "--samples", "20", "--no-lab", "--json", "--quiet"], ROOT)
    (found,) = json.loads(done.stdout)["runs"]
    return found["check"], found["median_time"] * 1e3


def emitted_ms(said):
    return next(float(line.split(": ")[1].split()[0]) for line in said.splitlines() if " ms, the median" in line)


def compare_times(words, folder):
    """The median of emitted program and `tess run`, in turns; gives how many times as long it takes, None where it is wrong."""
    ours, emitted = [], []
    for _ in range(2):
        what, said = checked(folder)
        offs = "; ".join(line.partition(": ")[2] for line in said.splitlines() if "is off by" in line)
        if what == "wrong":
            print(f"WRONG: {' '.join(words)}: {offs or said[-400:]}", flush=True)
            return None
        emitted.append(emitted_ms(said))
        check, ms = run_ms(words)
        ours.append(ms)
    ratio = statistics.median(emitted) / statistics.median(ours)
    print(f"right: {' '.join(words)}: {statistics.median(emitted):.4f} ms, tess run {statistics.median(ours):.4f} ms ({check}), "
          f"ratio {ratio:.4f}; {offs}", flush=True)  # fmt: skip
    return ratio


def times(asked):
    begin, ratios, wrong = time.monotonic(), [], 0
    asked.language = "cuda"
    all_words = list(large_words())
    with tempfile.TemporaryDirectory(prefix="emitted-") as name, concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        folders = [pathlib.Path(name) / str(i) for i in range(len(all_words))]
        all_made = list(pool.map(lambda words, folder: made(words, asked, folder, optimised=True), all_words, folders))
        print(f"{len(all_words)} emitted and compiled in {time.monotonic() - begin:.0f} s", flush=True)
        for words, folder, (what, said) in zip(all_words, folders, all_made, strict=True):
            if what != "compiled" or time.monotonic() - begin > asked.budget:
                print(f"{what if what != 'compiled' else 'left for want of time'}: {' '.join(words)} {said[-300:]}")
                continue
            ratio = compare_times(words, folder)
            wrong += ratio is None
            ratios += [ratio] if ratio else []
    near = sum(ratio <= 1.02 for ratio in ratios)
    print(f"{len(ratios)} compared, {near} within 2 %, {wrong} wrong; {time.monotonic() - begin:.0f} s")
    return wrong > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", default="c", choices=["c", "cuda", "hip"])
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=float, default=1e9)
    parser.add_argument("--only", default=",".join([*MESHES, "guide"]))
    asked = parser.parse_args()
    return times(asked) if asked.times else sweep(asked)


if __name__ == "__main__":
    sys.exit(main())
