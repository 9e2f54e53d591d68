"""Fuzzes readers of meshes one after another, and says how much processor time each took and what was found.

    cmake --preset fuzz && cmake --build --preset fuzz       # needs Clang
    /usr/bin/python3 tests/data/fuzz/fuzz.py --minutes 10 vtu tetgen
    /usr/bin/python3 tests/data/fuzz/fuzz.py --minutes 1     # all readers

Each reader keeps what it has learned in build/fuzz/corpus/READER and goes on from there; what it finds lies in
build/fuzz/found/READER. A finding that is mended goes to tests/data/fuzz/found/READER, where tests/data/found_test.py reads it again.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent)]
from seeds import FILES, SEEDS, dictionary  # noqa: E402

BUILD = HERE.parents[2] / "build/fuzz"
READER = BUILD / "tests/fuzz_reader"
# Libraries of others keep memory, or lose it where a file is damaged: what they lose is no finding.
LOSES = ("vtkhdf", "exodus", "cgns", "mpas", "mpas_polygons")
# NetCDF takes five megabytes for each list of a file; to poison them takes a hundred times as long as the reading.
HUGE = ("exodus", "mpas", "mpas_polygons")
JOINS = ("su2", "gmsh", "cgns")  # they read periodic sides
NAMED = ("mpas_polygons",)  # another reader takes their files


def prepare(reader):
    corpus, found = BUILD / "corpus" / reader, BUILD / "found" / reader
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    for i, content in enumerate(SEEDS[reader]()):
        (corpus / f"seed{i}").write_bytes(content)
    known = HERE / "found" / reader
    words = BUILD / f"{reader}.words"
    words.write_text(dictionary(reader))
    return [corpus, *([known] if known.is_dir() else [])], found, words


def breaks(path, options, environment):
    """That the input ends the program; libFuzzer keeps, too, what has ended a process of its own alone (data/formats/probe_in_child.c)."""
    limits = (f"-{key}={options[key]}" for key in ("timeout", "rss_limit_mb", "malloc_limit_mb", "detect_leaks"))
    done = subprocess.run([READER, *limits, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    return done.returncode != 0


def processor_seconds():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def fuzz(reader, seconds):
    """Runs one reader until it has had its seconds of a processor, or found something; libFuzzer's last words, the seconds, and what it found."""
    corpora, found, words = prepare(reader)
    before = set(found.iterdir())
    options = {"max_len": 65536, "timeout": 20, "rss_limit_mb": 2048, "malloc_limit_mb": 128, "use_value_profile": 1,
               "detect_leaks": int(reader not in LOSES), "print_final_stats": 1, "dict": words, "artifact_prefix": f"{found}/"}  # fmt: skip
    command = ["nice", "-n", "15", READER, *(f"-{key}={value}" for key, value in options.items())]
    log = BUILD / f"{reader}.log"
    environment = {**os.environ, "TESS_FUZZ_FILES": FILES[reader], "OMP_NUM_THREADS": "1",
                   "ASAN_OPTIONS": f"allocator_may_return_null=1:detect_leaks={int(reader not in LOSES)}:poison_heap={int(reader not in HUGE)}",
                   "UBSAN_OPTIONS": "print_stacktrace=1"}  # fmt: skip
    if reader in JOINS:
        environment["TESS_FUZZ_PERIODIC"] = "1"
    if reader in NAMED:
        environment["TESS_FUZZ_READER"] = reader
    start, used, ended = processor_seconds(), 0, 0
    with log.open("wb") as out:
        while ended == 0 and used < seconds:  # libFuzzer counts the clock's seconds
            again = [*command, f"-max_total_time={max(5, round(seconds - used))}", *corpora]
            ended = subprocess.run(list(map(str, again)), stdout=out, stderr=subprocess.STDOUT, env=environment).returncode
            used = processor_seconds() - start
    text = log.read_text(errors="replace")
    last = re.findall(r"^#\d+\s.*cov: (\d+).*corp: (\d+)/", text, re.M)
    runs = re.findall(r"number_of_executed_units: (\d+)", text) or re.findall(r"^#(\d+)\s", text, re.M)[-1:]
    for path in set(found.iterdir()) - before:
        if not breaks(path, options, environment):
            path.unlink()
    return used, sum(map(int, runs)), *(last[-1] if last else ("0", "0")), sorted(set(found.iterdir()) - before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", help="all where none is named")
    parser.add_argument("--minutes", type=float, default=10, help="of a processor, for each reader")
    arguments = parser.parse_args()
    unknown = set(arguments.readers) - set(SEEDS)
    if unknown:
        parser.error(f"no seeds for {', '.join(sorted(unknown))}; there are {', '.join(SEEDS)}")
    print(f"{'reader':10} {'seconds':>8} {'inputs':>10} {'edges':>7} {'corpus':>7}  found", flush=True)
    n_found = 0
    for reader in arguments.readers or SEEDS:
        seconds, runs, edges, corpus, found = fuzz(reader, round(60 * arguments.minutes))
        n_found += len(found)
        print(f"{reader:10} {seconds:8.0f} {runs:>10} {edges:>7} {corpus:>7}  {' '.join(map(str, found)) or 'nothing'}", flush=True)
    return 1 if n_found else 0


if __name__ == "__main__":
    sys.exit(main())
