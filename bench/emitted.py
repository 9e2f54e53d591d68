#!/usr/bin/env python3
"""Emits every loop of every application by every strategy in every layout, compiles and checks what is written.

    bench/emitted.py --language c|cuda|hip [--run] [--jobs 4] [--budget SECONDS] [--only airfoil,guide] [--match parts=] [--part 0/4]
    bench/emitted.py --times [--budget SECONDS]

Sources are compiled with all warnings as errors: CUDA for sm_90, HIP to objects for gfx90a and gfx942. --run runs each program's
own check, where there is a device. --times compares the median of emitted CUDA programs on large meshes with that of
`tess run`. Prints what is wrong, and last how many were emitted, compiled, right, and refused because a strategy does not fit."""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import random
import re
import shlex
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
              "point-parallel", "point-parallel:direct=staged:slots=each", "gather", "gather:own=staged", "tiles",
              "halo-atomics:parts=staged", "block-colour:parts=separate", "owner-block:parts=staged", "point-parallel:parts=staged"]  # fmt: skip
LAYOUTS = ["soa", "aos", "aos16,maps=aos"]
CHAINS = {name: ["auto:rings=2"] for name in MESHES if name != "fun3d"} | {"fun3d": ["update+zero+lstgs+roe_flux"]}
LARGE = {"airfoil": "quads:nx=1200:ny=1200", "volna": "tris:nx=1100:ny=1100", "bookleaf": "quads:nx=1500:ny=1500", "lulesh": "hexes:nx=100:ny=100:nz=100",
         "miniaero": "hexes:nx=100:ny=100:nz=100"}  # fmt: skip
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
CLANG = next((found for n in range(25, 16, -1) if (found := shutil.which(f"clang-{n}"))), "clang")
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
NVCC_STRICT = [NVCC, "-arch=sm_90", "-std=c++17", "-Xcompiler=-Wall,-Wextra,-Werror", "-Werror", "all-warnings"]
HIP_STRICT = ["-O2", *WARNINGS, "-D__HIP_PLATFORM_AMD__"]
TARGETS = ("gfx90a", "gfx942")
SHARED = ("plan_reader.h", "plan_format.h", "words_host.h")  # the same in all programs, or of none of their sources
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
    """Those of one program; C is compiled as C by the host's compiler."""
    c_sources = sorted(map(str, folder.glob("*.c")))
    if language == "c":
        yield ["cc", "-std=gnu11", "-O1", *WARNINGS, "-fno-strict-aliasing", *c_sources, "-lm", "-o", str(folder / "check")]
    elif language == "cuda":
        sources = [*map(str, folder.glob("*.cu")), *c_sources]
        yield [*NVCC_STRICT, "-O3" if optimised else "-O1", *sources, "-o", str(folder / "check")]
    else:
        (source,) = folder.glob("*.hip")
        yield from hip_commands(source)
        yield [CLANG, "-fsyntax-only", *HIP_STRICT, *c_sources]


def hip_commands(source, syntax=False):
    """To an object for each target, or no further than warnings. By -c clang would call a linker of ROCm's, too."""
    for target in TARGETS:
        strict = [CLANG, "-x", "hip", f"--offload-arch={target}", "--cuda-device-only", "-nogpulib", *HIP_STRICT, str(source)]
        how = ["-fsyntax-only"] if syntax else ["-S", "-Xclang", "-emit-obj", "-o", str(source.with_name(f"{target}.o"))]
        yield [*strict, *how]


@functools.cache
def cuda_headers():
    """Where nvcc has its headers."""
    said = subprocess.run([NVCC, "--dryrun", "-c", "-x", "cu", "/dev/null"], capture_output=True, text=True, check=True).stderr
    return shlex.split(re.search('INCLUDES="(.*?)"', said)[1])


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800, check=False)  # against hangs alone


class Wrong(Exception):
    """What a compiler said."""


def compiled(commands, folder):
    """Fails at the first command that says anything."""
    for command in commands:
        done = run(command, folder)
        if done.returncode != 0 or done.stderr:
            raise Wrong(done.stdout + done.stderr)


def emit(words, language, folder):
    """Emits one combination: "refused", "wrong" or "emitted", and what was said."""
    done = run([TESS, "emit", *words, "--language", language, "-o", str(folder), "--quiet"], ROOT)
    return {0: "emitted", 2: "refused"}.get(done.returncode, "wrong"), done.stderr


def made(words, language, folder, optimised=False):
    """Emits and compiles one combination by itself."""
    what, said = emit(words, language, folder)
    if what != "emitted":
        return what, said
    try:
        compiled(compile_commands(language, folder, optimised), folder)
    except Wrong as wrong:
        return "wrong", str(wrong)
    return "compiled", ""


def checked(folder):
    done = run([str(folder / "check"), str(next(folder.glob("*.plan")))], folder)
    return "right" if done.returncode == 0 else "wrong", done.stdout + done.stderr


# --- many at once -----------------------------------------------------------------------------------------------------
#
# Most of a compiler's time goes to headers that all programs share, and most of a check's to opening the GPU. So programs
# are compiled and run in groups: their sources in one, each in a namespace, their checks as functions of one program.


def digest_of(paths):
    """Of what is compiled: comments, which repeat the command, are left out."""
    texts = (path.name + re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S) for path in sorted(paths))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def kernels_of(path):
    return re.findall(r"KERNEL\((\w+)\)", path.read_text())


def sources_of(folder):
    return [path for path in folder.iterdir() if path.suffix in (".c", ".h", ".cu", ".hip")]


class Program:
    """A text that was emitted, once or by several combinations."""

    def __init__(self, folder, digest):
        self.folder, self.digest, self.all_words, self.plans = folder, digest, [], []

    def source(self):
        return next(path for path in self.folder.iterdir() if path.suffix in (".cu", ".hip"))

    def own_names(self):
        """What other programs have by the same name, too: kernels, and functions of the host."""
        source = self.source()
        return [*kernels_of(source), *(source.stem + end for end in ("_launch", "_plan_open", "_plan_close"))]

    def texts(self):
        """Those that are its own of what its source consists of."""
        return [self.source().read_text(), *(path.read_text() for path in self.folder.glob("*.h") if path.name not in SHARED)]

    def macros(self):
        return {name for text in self.texts() for name in re.findall(r"^\s*#\s*define (\w+)", text, re.M)}

    def headers(self):
        """Of systems, which no namespace is for."""
        return {name for text in self.texts() for name in re.findall(r"^#include <.*>$", text, re.M)}

    def in_namespace(self):
        """Its source in the group's: names its own, macros undone behind it. It is no header, for clang warns less of what is in one."""
        names, text = self.own_names(), self.source().read_text()
        lines = [f"#define {name} {name}_{self.digest}" for name in names]
        lines += [f"namespace of_{self.digest} {{", text.replace('#include "', f'#include "{self.folder}/'), "}"]
        return "\n".join([*lines, *(f"#undef {name}" for name in [*names, *sorted(self.macros())])])

    def compile_host(self, objects, compiler):
        """Its C, the sequential loops once for all programs that have them; gives the objects."""
        renames = [f"-D{name}={name}_{self.digest}" for name in ["main", *self.own_names()]]
        parts = []
        for path in self.folder.glob("*_sequential.c"):
            digest = digest_of([path])
            names = [path.stem.replace("_sequential", "_run_sequential"), *kernels_of(path)]
            defines = [f"-D{name}={name}_{digest}" for name in names]
            renames.append(defines[0])
            parts.append((path, objects / f"{digest}.o", defines))
        parts += [(path, path.with_suffix(".o"), renames) for path in (self.folder / "main.c", *self.folder.glob("*_plan.c"))]
        for path, out, defines in parts:
            if not out.exists():
                own = out.with_suffix(f".{self.digest}")  # others may be at the same
                compiled([[*compiler, *defines, "-c", str(path), "-o", str(own)]], self.folder)
                own.rename(out)
        return [str(out) for _, out, _ in parts]


GROUP_MAIN = """#include <stdio.h>
#include <stdlib.h>
%s
static int (*const mains[])(int, char **) = {%s};

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        char *words[] = {argv[0], argv[i + 1], NULL};
        printf("program %%s ended with %%d\\n", argv[i + 1], mains[atoi(argv[i])](2, words));
        fflush(stdout);
    }
}
"""


def check_objects(programs, folder):
    """Each object has each kernel: fails where one is not there."""
    for target in TARGETS:
        made = (folder / f"{target}.o").read_bytes()
        for program in programs:
            for kernel in kernels_of(program.source()):
                if made[:4] != b"\x7fELF" or f"{kernel}_{program.digest}.kd".encode() not in made:
                    raise Wrong(f"{folder}: no kernel {kernel} for {target}")


def compile_group(programs, asked, folder, objects, syntax):
    """Compiles programs to one, folder/check, or HIP to objects, with `syntax` no further than warnings."""
    source = folder / ("all" + programs[0].source().suffix)
    headers = {name for program in programs for name in program.headers()} | {f'#include "{programs[0].folder}/plan_reader.h"'}
    source.write_text("\n".join([*sorted(headers), *(program.in_namespace() for program in programs)]))
    if asked.language == "hip":
        compiled(hip_commands(source, syntax), folder)
        if not syntax:
            check_objects(programs, folder)
        for program in programs:
            program.compile_host(objects, [CLANG, "-O0", *WARNINGS, "-D__HIP_PLATFORM_AMD__"])
        return
    mains = [f"main_{program.digest}" for program in programs]
    (folder / "group.c").write_text(GROUP_MAIN % ("\n".join(f"int {name}(int, char **);" for name in mains), ", ".join(mains)))
    compiled([["cc", "-c", "group.c", "-o", "group.o"], [*NVCC_STRICT, "-O1", "-c", str(source), "-o", "all.o"]], folder)
    host = ["cc", "-std=gnu11", "-O1", *WARNINGS, *cuda_headers()]
    parts = sorted({part for program in programs for part in program.compile_host(objects, host)})
    compiled([[NVCC, "-arch=sm_90", "group.o", "all.o", *parts, "-o", "check"]], folder)


def run_group(programs, folder):
    """What came of each plan, by the group's program; where that ends early, by a process each."""
    pairs = [(str(i), str(plan)) for i, program in enumerate(programs) for plan in program.plans]
    said = run([str(folder / "check"), *(word for pair in pairs for word in pair)], folder).stdout
    found = {}
    for pair in pairs:
        ended = f"program {pair[1]} ended with "
        if ended + "0\n" not in said:
            done = run([str(folder / "check"), *pair], folder)
            found[pair[1]] = "right" if ended + "0\n" in done.stdout else f"{done.stdout[-1200:]}{done.stderr[-400:]} ended with {done.returncode}"
        else:
            found[pair[1]] = "right"
    return found


def attempt_group(programs, asked, folder, objects, syntax=False):
    """Gives (words, "compiled", "parsed", "right" or "wrong", what was said) of all combinations that have these texts."""
    folder.mkdir()
    try:
        compile_group(programs, asked, folder, objects, syntax)
        found = run_group(programs, folder) if asked.run else {}
    except (Wrong, subprocess.TimeoutExpired) as wrong:
        if len(programs) == 1:
            return [(words, "wrong", str(wrong)) for words in programs[0].all_words]
        halves = programs[: len(programs) // 2], programs[len(programs) // 2 :]
        return [one for i, half in enumerate(halves) for one in attempt_group(half, asked, folder / str(i), objects, syntax)]
    came = []
    for program in programs:
        for words, plan in zip(program.all_words, program.plans, strict=True):
            said = found.get(str(plan), "")
            came.append((words, "parsed" if syntax else "compiled" if not asked.run else "right" if said == "right" else "wrong", said))
    return came


def attempt_alone(program, asked):
    """What came of one program in C, which is compiled by itself."""
    try:
        compiled(compile_commands(asked.language, program.folder, False), program.folder)
        came = [checked(program.folder) if asked.run else ("compiled", "")]
    except (Wrong, subprocess.TimeoutExpired) as wrong:
        came = [("wrong", str(wrong))]
    return [(words, *came[0]) for words in program.all_words]


def emit_all(all_words, asked, folder, pool):
    """Emits every combination. Gives the programs, each text once, and what came of combinations that are none."""
    folders = [folder / str(i) for i in range(len(all_words))]
    programs, others = {}, []
    for words, at, (what, said) in zip(all_words, folders, pool.map(lambda w, f: emit(w, asked.language, f), all_words, folders), strict=True):
        if what != "emitted":
            others.append((words, what, said))
            continue
        digest = digest_of(sources_of(at))
        program = programs.setdefault(digest, Program(at, digest))
        program.all_words.append(words)
        program.plans.append(next(at.glob("*.plan")))
    return list(programs.values()), others


def combinations_of(asked):
    """Those of this part, in an order by which a budget leaves out some of all kinds."""
    all_words = [words for words in combinations(asked.only.split(",")) if asked.match in " ".join(words)]
    random.Random(51).shuffle(all_words)
    part, parts = map(int, asked.part.split("/"))
    return all_words[len(all_words) * part // parts : len(all_words) * (part + 1) // parts]


def kind_of(words):
    """Application or kernel, strategy or chain, and layout."""
    said = dict(zip(words, words[1:], strict=False))
    return said.get("--kernel", words[0]), said.get("-s", "chain"), said["--layout"]


def one_of_each(programs):
    """Some programs that are of all kinds, and the others."""
    seen, some, others = set(), [], []
    for program in programs:
        kinds = {kind_of(words) for words in program.all_words}
        (others if kinds <= seen else some).append(program)
        seen |= kinds
    return some, others


def attempt_all(programs, asked, folder, pool):
    """What came of each combination, with its text; "left" once the budget is spent."""
    n = 1 if asked.language == "c" else asked.group
    some, others = one_of_each(programs)
    groups = [part[i : i + n] for part in (some, others) for i in range(0, len(part), n)]
    n_objects = {"all": len(groups), "kinds": (len(some) + n - 1) // n, "none": 0}[asked.objects]
    objects = folder / "objects"
    objects.mkdir()

    def timed(i):
        if time.monotonic() > asked.until:
            return [(words, "left", "") for program in groups[i] for words in program.all_words]
        if asked.language == "c":
            return attempt_alone(groups[i][0], asked)
        return attempt_group(groups[i], asked, folder / f"g{i}", objects, asked.language == "hip" and i >= n_objects)

    return [one for came in pool.map(timed, range(len(groups))) for one in came]


def sweep(asked):
    begin, found = time.monotonic(), {"refused": 0, "wrong": 0, "compiled": 0, "parsed": 0, "right": 0, "left": 0}
    asked.until = begin + asked.budget
    os.environ["OMP_NUM_THREADS"] = "1"  # there are as many jobs as cores
    all_words = combinations_of(asked)
    with tempfile.TemporaryDirectory(prefix="emitted-") as name, concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        programs, others = emit_all(all_words, asked, pathlib.Path(name), pool)
        print(f"{len(all_words)} combinations, {len(programs)} texts; {time.monotonic() - begin:.0f} s", flush=True)
        came = others + attempt_all(programs, asked, pathlib.Path(name), pool)
    for words, what, said in came:
        found[what] += 1
        if what == "wrong":
            print(f"WRONG: tess emit {' '.join(words)}\n{said[-1500:]}", flush=True)
    text_of = {tuple(words): program.digest for program in programs for words in program.all_words}
    made = [words for words, what, _ in came if what in ("compiled", "right")]
    texts, kinds = {text_of[tuple(words)] for words in made}, {kind_of(words) for words in made}
    all_kinds = {kind_of(words) for program in programs for words in program.all_words}
    print(f"{asked.language}: {len(all_words)} combinations, {found['refused']} refused, {len(made)} compiled without a warning ({len(texts)} texts; "
          f"{len(kinds)} of {len(all_kinds)} kinds: application, strategy, layout), {found['parsed']} parsed without one, "
          f"{found['right']} ran and were right, {found['wrong']} wrong, {found['left']} left for want of time; "
          f"{time.monotonic() - begin:.0f} s")  # fmt: skip
    return found["wrong"] > 0 or not made + [words for words, what, _ in came if what == "parsed"]


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
    all_words = list(large_words())
    with tempfile.TemporaryDirectory(prefix="emitted-") as name, concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        folders = [pathlib.Path(name) / str(i) for i in range(len(all_words))]
        all_made = list(pool.map(lambda words, folder: made(words, "cuda", folder, optimised=True), all_words, folders))
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
    parser.add_argument("--objects", default="all", choices=["all", "kinds", "none"],
                        help="of HIP: of all texts, one of each application, strategy and layout, or none; the others are parsed")  # fmt: skip
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=float, default=1e9)
    parser.add_argument("--part", default="0/1", help="of the combinations: 0/4 is the first quarter")
    parser.add_argument("--match", default="", help="what the words of a combination hold")
    parser.add_argument("--group", type=int, default=16, help="programs that are compiled as one")
    parser.add_argument("--only", default=",".join([*MESHES, "guide"]))
    asked = parser.parse_args()
    return times(asked) if asked.times else sweep(asked)


if __name__ == "__main__":
    sys.exit(main())
