"""tess mesh reorder: the same mesh in another order, what is foretold, permutations, refusals."""

import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys

import h5py
import numpy
import pytest
from conftest import ROOT
from polyhedra_files import SIDES, hexes, poly_mesh

DATA = ROOT / "data/meshes"
MACHINE = """machine: small
levels:
  - name: L1
    capacity: {value: 48, unit: words, source: given}
    bandwidth: {value: 1e11, unit: B/s, source: given}
  - name: L2
    capacity: {value: 512, unit: words, source: given}
    bandwidth: {value: 4e10, unit: B/s, source: given}
    random_bandwidth: {value: 2e10, unit: B/s, source: given}
  - name: memory
    capacity: {value: 4096, unit: words, source: given}
    bandwidth: {value: 1e10, unit: B/s, source: given}
    random_bandwidth: {value: 2e9, unit: B/s, source: given}
"""
# Ten meshes in five formats: a mesh, the ending it is written with, and how it is ordered.
MESHES = [
    ("airfoil:i=20:j=30:shuffle=1", ".su2", "-p rcb"),
    ("bay_delta_coarse_v4.gr3.xz", ".su2", "-p levels"),
    ("north_sea.msh.xz", ".msh", "-p mosaic --map edges:cells"),
    ("tets:nx=9:ny=9:nz=9:shuffle=2", ".msh", "-p levels"),
    ("tets:nx=9:ny=9:nz=9:shuffle=2", ".lb8.ugrid", "-p rcb --map faces:cells"),
    ("layers:nx=9:ny=9:prisms=3:tets=3:shuffle=3", ".lb8.ugrid", "-p hilbert"),
    ("hexes:nx=9:ny=9:nz=9:shuffle=2", ".vtu", "-p gps"),
    ("layers:nx=9:ny=9:prisms=3:tets=3:shuffle=3", ".vtkhdf", "-p rcb"),
    ("airfoil:i=20:j=30", ".vtkhdf", "-p rcm --map cells:cells"),
    ("tets:nx=9:ny=9:nz=9:shuffle=2", ".meshb", "-p metis --map edges:nodes"),
]


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    path = tmp_path_factory.mktemp("machine") / "small.yaml"
    path.write_text(MACHINE)
    return path


@pytest.fixture
def preloaded(tmp_path):
    """Compiles functions that a program takes for the C library's, and gives an environment with them."""
    def make(text, **more):
        library = tmp_path / "before.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=text, text=True, check=True)
        return {**os.environ, "LD_PRELOAD": str(library), "ASAN_OPTIONS": "verify_asan_link_order=0", **more}

    return make


def read_text(path):
    """The arrays of a permutation file of text."""
    arrays, lines = {}, iter(pathlib.Path(path).read_text().split("\n"))
    for line in lines:
        if line:
            name, n = line.split()
            arrays[name] = numpy.array([int(next(lines)) for _ in range(int(n))])
    return arrays


@pytest.mark.parametrize("mesh, ending, words", MESHES)
def test_the_same_mesh(tess, tmp_path, machine, mesh, ending, words):
    out = tmp_path / f"out{ending}"
    plain = tmp_path / f"plain{ending}"
    tess("mesh", "reorder", mesh, out, *words.split(), "--machine", machine, "--quiet")
    tess("mesh", "convert", mesh, plain, "--quiet")
    same = json.loads(tess("mesh", "compare", out, plain, "--json").stdout)
    assert same["same_cells"] and same["same_sides"]
    told, before = (json.loads(tess("mesh", "info", m, "--json").stdout) for m in (out, plain))
    for key in ("sets", "least", "largest", "dimension"):
        assert told[key] == before[key]
    for key, of in (("markers", "elements"), ("regions", "cells")):
        assert sorted((m["name"], m[of]) for m in told[key]) == sorted((m["name"], m[of]) for m in before[key])
    assert out.read_bytes() != plain.read_bytes()


def test_applied_by_hand_it_is_the_same_file(tess, tmp_path, machine):
    """Rows of an SU2 file, a line an element, moved and renamed by NumPy; and by --apply."""
    mesh, out, moved = tmp_path / "in.su2", tmp_path / "out.su2", tmp_path / "by_hand.su2"
    tess("mesh", "convert", "tris:nx=40:ny=30:shuffle=5", mesh)
    tess("mesh", "reorder", mesh, out, "--permutation", tmp_path / "p.npz", "--machine", machine)
    order = {name.split(".")[0]: old for name, old in numpy.load(tmp_path / "p.npz").items() if name.endswith("new_to_old")}
    new_of_node = numpy.argsort(order["nodes"])
    sections, heads = {"NELEM": [], "NPOIN": []}, []  # rows of words; markers stand one behind the other
    for line in mesh.read_text().splitlines():
        key, *value = line.split()
        if key.endswith("="):
            heads.append((key[:-1], *value))
            into = sections.setdefault("marked" if key == "MARKER_ELEMS=" else key[:-1], [])
            marker = len(heads)  # that of the sides which follow
        else:
            into.append((marker, line.split()))

    def renamed(words, n):
        return [words[0], *(str(new_of_node[int(node)]) for node in words[1:n + 1]), *words[n + 1:]]

    cells, sides, points = ([sections[key][old] for old in order[of]] for key, of in (("NELEM", "cells"), ("marked", "marked_edges"), ("NPOIN", "nodes")))
    rows = {"NELEM": [renamed(words[:-1], 3) + [str(i)] for i, (_, words) in enumerate(cells)],
            "NPOIN": [words[:-1] + [str(i)] for i, (_, words) in enumerate(points)]}  # fmt: skip
    with moved.open("w") as file:
        for at, (key, value) in enumerate(heads, 1):
            print(f"{key}= {value}", file=file)
            of_marker = [renamed(words, 2) for marker, words in sides if marker == at]
            for words in of_marker if key == "MARKER_ELEMS" else rows.get(key, []):
                print(*words, file=file)
    assert moved.read_bytes() == out.read_bytes() != mesh.read_bytes()
    tess("mesh", "reorder", mesh, "--permutation", tmp_path / "p.txt", "--machine", machine)
    tess("mesh", "reorder", mesh, moved, "--apply", tmp_path / "p.txt", "--machine", machine)
    assert moved.read_bytes() == out.read_bytes()


def test_permutation_files_say_the_same(tess, tmp_path, machine):
    """Blocks and colours in the new numbers: no two elements of a block and colour share a point, counted here."""
    mesh = "quads:nx=30:ny=30:shuffle=5"
    for ending in ("npz", "h5", "txt"):
        tess("mesh", "reorder", mesh, "--permutation", tmp_path / f"p.{ending}", "--map", "edges:cells", "-p", "rcb",
             "-b", "64", "--machine", machine)
    arrays = dict(numpy.load(tmp_path / "p.npz"))
    with h5py.File(tmp_path / "p.h5") as file:
        assert {name: file[name][:].tolist() for name in file} == {n: a.tolist() for n, a in arrays.items()}
    assert {n: a.tolist() for n, a in read_text(tmp_path / "p.txt").items()} == {n: a.tolist() for n, a in arrays.items()}
    n_cells = 30 * 30
    assert sorted(arrays["cells.new_to_old"]) == list(range(n_cells))
    assert sorted(arrays["edges.new_to_old"]) == list(range(len(arrays["thread_colour"])))
    offset = arrays["block_offset"]
    assert offset[0] == 0 and offset[-1] == len(arrays["thread_colour"]) and (numpy.diff(offset) <= 64).all()
    tess("mesh", "convert", mesh, tmp_path / "m.op2", "--format", "op2")
    edges = op2_edges(tmp_path / "m.op2")
    new_of_cell = numpy.empty(n_cells, int)
    new_of_cell[arrays["cells.new_to_old"]] = numpy.arange(n_cells)
    edges = new_of_cell[edges[arrays["edges.new_to_old"]]]
    owner = numpy.full(n_cells, -1)
    of_colour = {}
    for block in range(len(offset) - 1):
        rows = edges[offset[block]:offset[block + 1]]
        owner[rows[owner[rows] < 0]] = block
        for colour in set(arrays["thread_colour"][offset[block]:offset[block + 1]]):
            mine = rows[arrays["thread_colour"][offset[block]:offset[block + 1]] == colour].ravel()
            assert len(set(mine)) == len(mine)
        touched = of_colour.setdefault(arrays["block_colour"][block], set())
        assert not touched & set(rows.ravel())
        touched |= set(rows.ravel())
    assert owner.tolist() == arrays["cells.owner"].tolist()
    assert (numpy.maximum.accumulate(edges.ravel()) - numpy.arange(edges.size) <= 0).all()  # cells by first use


def test_a_busy_machine_and_what_was_written_are_said(tess, tmp_path, machine, preloaded):
    """A load of 99 that is pretended; where a file tells the times nothing is tried, and the load is of no interest."""
    words = ("mesh", "reorder", "tris:nx=20:ny=20:shuffle=5")
    busy = preloaded("int getloadavg(double *to, int n) { *to = 99; return n; }")
    tried = tess(*words, tmp_path / "new.su2", "--permutation", tmp_path / "new.txt", env=busy)
    assert "warning: the machine is busy: 99.0 threads" in tried.stderr
    assert tried.stdout.endswith(f"\n\nWritten to {tmp_path}/new.su2.\nThe permutation is in {tmp_path}/new.txt.\n")
    for more in (["--machine", machine], ["--quiet"], ["--machine", machine, "--json"]):
        done = tess(*words, "--dry-run", *more, env=busy)
        assert "busy" not in done.stderr and "Written" not in done.stdout


def op2_edges(path):
    """edges:cells of OP2's file: behind the counts, the cells and the coordinates."""
    lines = path.read_text().split("\n")
    n_nodes, n_cells, n_edges, _ = map(int, lines[0].split())
    at = 1 + n_nodes + n_cells
    return numpy.array([[int(w) for w in line.split()[2:4]] for line in lines[at:at + n_edges]])


def test_what_is_expected(tess, tmp_path, machine):
    told = tess("mesh", "reorder", "tris:nx=200:ny=200:shuffle=1", "--dry-run", "--machine", machine).stdout
    assert "Expect sweeps of" in told and "by small" in told
    report = json.loads(tess("mesh", "reorder", "tris:nx=200:ny=200:shuffle=1", "--dry-run", "--json", "--machine",
                             machine).stdout)
    assert report["is_worth_it"] and report["gain"] > 2
    # A block of 128 random triangles has nearly 384 points, in as many lines; one of neighbours has some 80.
    assert 370 < report["now"]["points"] < 384 and 360 < report["now"]["lines"] < 384
    assert 65 < report["then"]["points"] < 95 and report["then"]["lines"] < 30
    good = tess("mesh", "reorder", "tris:nx=200:ny=200:order=hilbert", "-p", "hilbert", "--dry-run", "--machine", machine).stdout
    assert "Leave it: the order is good already" in good
    small = tess("mesh", "reorder", "tris:nx=20:ny=20:shuffle=1", "--dry-run", "--machine", machine).stdout
    assert "Leave it: the caches hold what a sweep touches, in any order" in small
    assert not list(tmp_path.iterdir())


def test_this_machine_is_measured(tess, tmp_path):
    for where in (["--dry-run"], [tmp_path / "new.su2"]):
        report = json.loads(tess("mesh", "reorder", "tris:nx=20:ny=20:shuffle=1", *where, "--json").stdout)
        assert report["machine"] == "this machine" and 0 < report["then"]["seconds"] < 1
        assert 0 < report["gain_low"] <= report["gain"] <= report["gain_high"] < 1e9


CLOCK = """#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *to) { /* each look at a thread's clock is so much behind the last, and more each time */
    static double now, step = 1;
    if (clock != CLOCK_THREAD_CPUTIME_ID)
        return (int)syscall(SYS_clock_gettime, clock, to);
    now += step *= 1.05;
    to->tv_sec = (time_t)now;
    to->tv_nsec = (long)(1e9 * (now - (double)to->tv_sec));
    return 0;
}
"""


def test_both_orders_meet_what_a_machine_does_meanwhile(tess, tmp_path, preloaded):
    """On a clock by which whatever is looked at later takes longer: in turns the same order gains nothing, one after the other it would lose."""
    words = ("mesh", "reorder", "tris:nx=20:ny=20:order=hilbert")
    slow = preloaded(CLOCK)
    report = json.loads(tess(*words, "--dry-run", "--json", "--quiet", env=slow).stdout)
    assert report["gain"] == pytest.approx(1.05**-2) == pytest.approx(report["gain_low"])
    assert "\n\nLeave it: the order is good already (0.91 times).\n" in tess(*words, "--dry-run", "--quiet", env=slow).stdout
    after = tess(*words, tmp_path / "new.su2", "--quiet", env=slow).stdout
    assert re.search(r"\nLeave it: the order is good already \(between 0.\d+ and 0.\d+ times\)", after), after


TICKS = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long long began, now; /* ns on the clock of a thread, which each look moves by 10 us */
int clock_gettime(clockid_t clock, struct timespec *to) {
    if (clock != CLOCK_THREAD_CPUTIME_ID)
        return (int)syscall(SYS_clock_gettime, clock, to);
    if (!began)
        began = now = atoll(getenv("BEGAN"));
    now += 10000;
    *to = (struct timespec){now / 1000000000, now % 1000000000};
    return 0;
}
__attribute__((destructor)) static void say(void) {
    if (began)
        fprintf(stderr, "took %lld\\n", now - began);
}
"""


def test_a_small_mesh_is_swept_for_a_ninth_of_what_it_takes(tess, tmp_path, preloaded):
    """Sixteen times of a 150th part each, some looks at the clock besides; of a large one 2 ms each. What others do between is not in them."""
    def took(began, *more):
        done = tess("mesh", "reorder", "tris:nx=20:ny=20:shuffle=1", tmp_path / "new.su2", *more, env=preloaded(TICKS, BEGAN=str(began)))
        return int(re.search(r"took (\d+)", done.stderr)[1]) / began

    for began, least, most in ((10_000_000, 0.106, 0.15), (10_000_000_000, 0.0032, 0.0033)):
        assert least < took(began) < most
    assert took(10_000_000, "--sweep", "cold=1") > 1.2 * took(10_000_000)


def test_a_step_gains_by_the_share_of_its_sweeps(tess, machine):
    """What is no sweep stays: by Amdahl's law."""
    def foretold(*more):
        return json.loads(tess("mesh", "reorder", "tris:nx=200:ny=190:shuffle=1", "--dry-run", "--machine", machine, "--json", *more).stdout)

    whole, half = foretold(), foretold("--share", 0.5)
    assert whole["gain_of_step"] == whole["gain"] == half["gain"] > 1.5
    assert half["gain_of_step"] == pytest.approx(2 / (1 + 1 / half["gain"]))
    told = tess("mesh", "reorder", "tris:nx=200:ny=190:shuffle=1", "--dry-run", "--machine", machine, "--share", 0.5).stdout
    assert f"A step whose sweeps take 50 % of its time now: {half['gain_of_step']:.2f} times." in told
    for share in (0, -1, 1.5, "nan"):
        assert "--share" in tess("mesh", "reorder", "tris", "--dry-run", "--share", share, code=2).stderr


def test_a_sweep_gains_by_what_it_moves(tess, machine):
    """What streams past gains nothing from an order, arrays at points do, on a file's machine and on this one."""
    words = ("mesh", "reorder", "tris:nx=100:ny=100:shuffle=1", "--dry-run", "--json", "--map")

    def told(map, *more):
        return json.loads(tess(*words, map, *more).stdout)

    plain, same, streams, arrays = (told("edges:cells", "--machine", machine, *(["--sweep", sweep] if sweep else [])) for sweep in (
        "", "reads=1:adds=0:element=8:point=0", "element=4000", "reads=2:adds=2"))
    assert plain == same
    assert 1 < streams["gain"] < 1.2 < plain["gain"]
    assert arrays["now"]["seconds"] > 2 * plain["now"]["seconds"] and arrays["now"]["lines"] == plain["now"]["lines"]
    for map in ("cells:cells", "edges:cells"):  # the first has -1
        here = told(map, "--sweep", "reads=1:adds=2:point=16", "--dat", "q:cells:3:double")
        assert here["machine"] == "this machine" and 0 < here["then"]["seconds"] < 1 and 0 < here["now"]["seconds"] < 1
    here = [told("edges:cells", "--sweep", sweep)["then"]["seconds"] for sweep in ("reads=1", "reads=0:solves=16", "reads=1:point=16:rounds=64")]
    assert here[1] > 2 * here[0] and here[2] > 2 * here[0]  # many times as much is done
    apart, lists = (told("cells:nodes", "--sweep", sweep)["now"]["seconds"] for sweep in ("reads=1", "reads=0:lists=1"))
    assert lists > 2 * apart  # nine entries, found in three lists
    long = json.loads(tess("mesh", "reorder", "hexes:nx=40:ny=40:nz=40:shuffle=1", "--dry-run", "--json", "--map", "cells:nodes", "--sweep", "lists=1").stdout)
    assert 0 < long["gain_low"] <= long["gain"] <= long["gain_high"]  # of turns that take seconds fewer are made
    assert "tried on this machine" in tess(*words, "cells:nodes", "--sweep", "lists=1", "--machine", machine, code=2).stderr
    rows = told("node_pairs:nodes", "--sweep", "reads=0:solves=2", "--dat", "u:nodes:3:double")
    assert 0 < rows["then"]["seconds"] < 1 and 0 < rows["now"]["seconds"] < 1
    rows, pairs = (told("node_pairs:nodes", "--machine", machine, "--sweep", f"reads=0:{more}solves=1:element=4000")["now"]["seconds"] for more in ("", "adds=1:"))
    assert 1.1 < rows / pairs < 1.2  # a matrix has its diagonal, too: a seventh more entries
    for sweep, said in (("lists=2", "lists"), ("reads=0", "it reads, adds to or solves one array at least"), ("rounds=0", "rounds"), ("read=1", "did you mean 'reads'"), ("adds=-1", "adds"),
                        ("reads=1,adds=1", "separated by ':'"), ("element=x", "element"),
                        ("adds=1:lists", "--sweep: 'lists' has no value: write it as in reads=1:adds=0")):  # fmt: skip
        assert said in tess(*words, "edges:cells", "--sweep", sweep, code=2).stderr


def test_a_sweep_computes_as_long_as_it_is_told(tess, machine):
    """The nanoseconds are those of an element, whatever it reads, and more of them where a machine is busy."""
    def told(map, sweep, *more):
        report = json.loads(tess("mesh", "reorder", "tris:nx=60:ny=60:shuffle=1", "--dry-run", "--json", "--map", map, "--sweep", sweep, *more).stdout)
        n = {"cells:cells": 7200, "edges:cells": 10680}[map]
        return 1e9 * report["now"]["seconds"] / n, 1e9 * report["then"]["seconds"] / n

    for map, sweep, *more in (("cells:cells", "reads=2:element=96"), ("edges:cells", "reads=0:adds=2:point=64:rounds=3"),
                              ("cells:cells", "reads=1", "--dat", "q:cells:5:double")):  # fmt: skip
        for took in told(map, f"{sweep}:work=2000", *more):
            assert 1600 < took < 8000
    assert max(told("cells:cells", "work=1")) < 500  # no less than it takes to read and add
    words = ("mesh", "reorder", "tris", "--dry-run", "--sweep")
    for sweep, said in (("work=-1", "work"), ("work=10001", "work"), ("work=x", "work"), ("reads=0:work=9", "one array at least"),
                        ("solves=1:work=9", "not with solves or lists"), ("lists=1:work=9", "not with solves or lists"),
                        ("solves=1:written=8", "not with solves or lists"), ("element=16:written=24", "bytes of an element are 16"),
                        ("cold=2", "cold")):  # fmt: skip
        assert said in tess(*words, sweep, code=2).stderr
    for sweep, what in (("work=9", "computing leaves to wait for"), ("written=8", "writing takes"), ("cold=1", "other loops leave of the caches")):
        assert f"what {what} is tried on this machine" in tess(*words, sweep, "--machine", machine, code=2).stderr
    assert "reads" in tess(*words, "reads=65", code=2).stderr and told("edges:cells", "reads=64")[0] > 0


def test_a_gpu_is_named_that_can_be_timed(tess):
    words = ("mesh", "reorder", "tris", "--dry-run", "--machine")
    for device, *more, said in (("emulator", "cuda is tried"), ("host:threads=2", "cuda is tried"), ("nvrtc:sm=90", "cuda is tried"),
                                ("cuda", "--sweep", "solves=1", "solves, lists and cold are a processor's"),
                                ("cuda", "--sweep", "work=118", "a fraction of a nanosecond, at most 100 here"),
                                ("cuda:gpu=0", "--sweep", "reads=1:cold=1", "are a processor's")):  # fmt: skip
        assert said in tess(*words, device, *more, code=2).stderr


PEAK = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


def test_lists_hold_as_many_entries_as_there_are(tess, tess_bin, tmp_path):
    """15 of a node, 24 bytes each; all pairs of all tetrahedra would be six times as many, 62 MB. What other loops go through
    is as much as a sweep: 65 MB of 162,000 cells."""
    sanitized = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"}  # which keeps what was freed

    def peak(sweep):  # of what is compiled, and by a small parent: that of either would count
        def words(n):
            return "mesh", "reorder", f"tets:nx={n}:ny={n}:nz={n}:shuffle=1", tmp_path / "new.meshb", "--sweep", sweep

        assert json.loads(tess(*words(3), "--json").stdout)["machine"] == "this machine"
        return int(subprocess.check_output([sys.executable, "-c", PEAK, tess_bin, *words(30), "--quiet"], env=sanitized).split()[-1])

    assert 5_000 < peak("reads=0:lists=1") - peak("reads=1") < 40_000
    assert 50_000 < peak("element=400:written=200:cold=1") - peak("element=400:written=200") < 80_000


def test_a_cache_takes_no_more_memory_than_what_it_may_hold(tess_bin, tmp_path):
    """2.5 MB, told 8 MB and 10^17: the same is foretold, without room for the lines of a larger one."""
    reports = []
    for capacity in (10**6, 10**17):
        (tmp_path / "m.yaml").write_text(MACHINE.replace("value: 4096,", f"value: {capacity},"))
        words = (tess_bin, "mesh", "reorder", "tets:nx=20:ny=20:nz=20:shuffle=1", "--dry-run", "--sweep", "reads=16:adds=16", "--machine", tmp_path / "m.yaml", "--json")
        *report, peak = subprocess.check_output([sys.executable, "-c", PEAK, *words], text=True).splitlines()
        reports.append(report)
        assert int(peak) < 400_000
    assert reports[0] == reports[1] and json.loads("".join(reports[0]))["gain"] > 1


@pytest.mark.parametrize("map, order, within", [("faces:cells", "hilbert", 0.02), ("faces:cells", "rcb", 0.02), ("node_pairs:nodes", "gps", 1e-9),
                                                ("node_pairs:nodes", "rcb", 1e-9)])  # fmt: skip
def test_derived_sides_are_foretold_as_a_reader_has_them(tess, tmp_path, machine, map, order, within):
    """Faces upper triangular but for those of one cell, pairs by rows; with --permutation they are as it says."""
    words = ("--map", map, "--machine", machine, "--json")

    def told(mesh, *more):
        report = json.loads(tess("mesh", "reorder", mesh, *more, *words).stdout)
        return report["now"], report["then"]

    old, new = tmp_path / "old.su2", tmp_path / "new.su2"
    tess("mesh", "convert", "tets:nx=14:ny=14:nz=14:shuffle=2", old)
    _, then = told(old, new, "-p", order)
    now, _ = told(new, "--dry-run")
    _, kept = told(old, "--permutation", tmp_path / "p.npz", "-p", order)
    for key in ("points", "lines", "seconds"):
        assert then[key] == pytest.approx(now[key], rel=within)
    assert max(abs(kept[key] / now[key] - 1) for key in now) > 0.2


@pytest.mark.parametrize("order", ["hilbert", "levels", "rcb"])
def test_sides_of_polyhedra_are_foretold_as_any_file_has_them(tess, tmp_path, machine, order):
    """Their file states faces, and the new one states them anew, upper triangular. Of hexes two have a side cut in two."""
    points, cells = hexes(12)
    random.Random(3).shuffle(cells)
    sides = lambda cell: [tuple(cell[i] for i in side) for side in SIDES[8]]
    cut = next(side for side in sides(cells[0]) if any(set(side) <= set(other) for other in cells[1:]))
    for i, cell in enumerate(cells):
        if set(cut) <= set(cell):
            cells[i] = [part for side in sides(cell) for part in ((cut[:3], cut[2:] + cut[:1]) if set(side) == set(cut) else (side,))]
    old, words = poly_mesh(tmp_path / "old", points, cells), ("--map", "faces:cells", "--machine", machine, "--json")
    told = json.loads(tess("mesh", "reorder", old, tmp_path / "polyMesh", "--format", "openfoam", "-p", order, *words).stdout)
    now = json.loads(tess("mesh", "reorder", tmp_path / "polyMesh", "--dry-run", *words).stdout)["now"]
    for key in ("points", "lines", "seconds"):
        assert told["then"][key] == pytest.approx(now[key], rel=1e-9)


def test_refusals(tess, tmp_path, machine):
    mesh = tmp_path / "m.su2"
    tess("mesh", "convert", "tris:nx=3:ny=3", mesh)
    plain = mesh.read_text()
    out = tmp_path / "out.su2"

    def refused(code, *words):
        said = tess("mesh", "reorder", *words, "--machine", machine, code=code).stderr
        assert not out.exists()
        return said

    mesh.write_text(plain + "FFD_NBOX= 1\nFFD_NLEVEL= 1\nFFD_TAG= WING\n")
    assert "free-form deformation (FFD_NBOX), which would be lost" in refused(3, mesh, out)
    mesh.write_text(plain + "NPERIODIC= 2\nPERIODIC_INDEX= 0\n0 0 0\n0 0 0\n0 0 0\nPERIODIC_INDEX= 1\n0 0 0\n0 0 0\n1 0 0\n")
    assert "periodic sections (NPERIODIC), which would be lost" in refused(3, mesh, out)
    mesh.write_text(plain)
    assert "the extension tells no format" in refused(2, mesh, tmp_path / "out.xyz")
    assert "the extension tells no format: .npz" in refused(2, mesh, out, "--permutation", tmp_path / "p.csv")
    assert "no partitioner is called 'mosaik'; did you mean 'mosaic'?" in refused(2, mesh, out, "-p", "mosaik")
    assert "orders without blocks are hilbert, rcm, gps, levels" in refused(2, mesh, out, "-p", "level")
    assert "which mesh, and to which file" in refused(2, mesh)
    given = tmp_path / "p.txt"
    given.write_text("cells.new_to_old 3\n0\n1\n2\n")
    assert "is of another mesh: it renumbers 3 cells, and" in refused(3, mesh, out, "--apply", given)
    given.write_text("cells.new_to_old 18\n" + "".join(f"{i}\n" for i in range(18)) + "nodes.new_to_old 2\n1\n0\n")
    assert "is of another mesh: it renumbers 2 nodes, and" in refused(3, mesh, out, "--apply", given)
    given.write_text("cells.new_to_old 18\n" + "".join(f"{min(i, 16)}\n" for i in range(18)))
    assert "number 17 is 16, which was there before" in refused(3, mesh, out, "--apply", given)
    given.write_text("cells.new_to_old 18\n" + "".join(f"{i + 1}\n" for i in range(18)))
    assert "number 17 is 18, which does not exist" in refused(3, mesh, out, "--apply", given)
    once = "cells.new_to_old 18\n" + "".join(f"{i}\n" for i in range(18))
    given.write_text(once + once)
    assert "p.txt: renumbers cells twice" in refused(3, mesh, out, "--apply", given)
    given.write_text("cells.new_to_old 18\n0\n1\n")
    assert "line 4: cells.new_to_old ends after 2 of 18 numbers" in refused(3, mesh, out, "--apply", given)
    given.write_text("cells.new_to_old 99999999999\n0\n")
    assert "p.txt: line 1" in refused(3, mesh, out, "--apply", given)
    given.write_text("block_offset 1\n0\n")
    assert "renumbers no set" in refused(3, mesh, out, "--apply", given)
    assert "--apply gives the order, and -p another one" in refused(2, mesh, out, "--apply", given, "-p", "hilbert")
    assert "none: cannot be opened" in refused(3, mesh, out, "--apply", tmp_path / "none")
    tess("mesh", "reorder", mesh, tmp_path / "there.su2", "--permutation", tmp_path / "p.npz")
    assert "p.npz: arrays are read from text, as '--permutation FILE.txt'" in refused(3, mesh, out, "--apply", tmp_path / "p.npz")


EXAMPLES = {"c": "cc -O1 -Wall -Wno-unused-result -o {program} {source}", "f90": "gfortran -o {program} {source}",
            "py": "/usr/bin/python3", "jl": "julia"}


@pytest.mark.parametrize("ending", EXAMPLES)
def test_examples_apply_a_permutation(tess, tmp_path, machine, ending):
    """docs/into_your_code/apply.*: data of cells follow them."""
    words = EXAMPLES[ending].split()
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not on this machine")
    mesh, source = "tris:nx=12:ny=9:shuffle=5", ROOT / f"docs/into_your_code/apply.{ending}"
    for kind in ("npz", "txt"):
        tess("mesh", "reorder", mesh, "--permutation", tmp_path / f"p.{kind}", "--machine", machine)
    order = numpy.load(tmp_path / "p.npz")["nodes.new_to_old"]
    program = [tmp_path / "apply"]
    if "{program}" in words:
        subprocess.run([word.format(program=program[0], source=source) for word in words], check=True)
    else:
        program = [words[0], source]
    data = numpy.arange(len(order)) * 0.5
    moved = subprocess.run([*program, tmp_path / ("p.npz" if ending == "py" else "p.txt"), "nodes"], text=True, check=True,
                           input="".join(f"{value}\n" for value in data), stdout=subprocess.PIPE).stdout  # fmt: skip
    assert [float(word) for word in moved.split()] == data[order].tolist()


PAGE = (ROOT / "docs/into_your_code/README.md").read_text()


def test_commands_of_the_page(tess, tmp_path, machine):
    """Each command of docs/into_your_code, lines and words in a table alike, on meshes of its names."""
    inputs = {"wing.su2": "layers:nx=4:ny=4:prisms=2:tets=2", "wing.msh": "tets:nx=4:ny=4:nz=4", "part.msh": "tets:nx=4:ny=4:nz=4",
              "grid.dat": "quads:nx=9:ny=9", "case": "tets:nx=4:ny=4:nz=4"}  # fmt: skip
    formats = {"grid.dat": "op2", "case": "openfoam", "part.msh": "gmsh2"}
    for name, mesh in inputs.items():
        tess("mesh", "convert", mesh, name, *(["--format", formats[name]] if name in formats else []), cwd=tmp_path)
    typed = re.findall(r"^ {4}(tess .*?)(?:  +#.*)?$", PAGE, re.M) + re.findall(r"`(?:[^`]*; )?(tess [^`]*)`", PAGE)
    assert len(typed) >= 10
    written = set()
    for words in (shlex.split(line)[1:] for line in typed if len(line.split()) > 2):
        if "new" in words:  # OpenFOAM's row: `cp -r case new` stands before it
            shutil.copytree(tmp_path / "case", tmp_path / "new", dirs_exist_ok=True)
        more = ["--machine", machine] if words[:2] == ["mesh", "reorder"] else []
        tess(*words, *more, cwd=tmp_path, seconds=300)
        written |= {word for word in words if (tmp_path / word).exists()}
    assert {"new.su2", "new.npz", "new.msh", "new_grid.dat", "wing.part", "blocks"} <= written


def test_petsc_permutes_as_the_page_says(tess, tmp_path, machine):
    """The page's DMPlexPermute gives the cells and nodes of the file that was reordered."""
    PETSc = pytest.importorskip("petsc4py.PETSc", reason="petsc4py is not on this machine")
    tess("mesh", "convert", "tets:nx=4:ny=3:nz=3:shuffle=5", tmp_path / "old.su2")
    tess("mesh", "reorder", tmp_path / "old.su2", tmp_path / "new.su2", "--permutation", tmp_path / "new.npz", "--machine", machine)

    def arrays(name):
        lines = (tmp_path / name).read_text().split("\n")

        def rows(key, first, end, kind):
            at = next(i for i, line in enumerate(lines) if line.startswith(key))
            n = int(lines[at].split("=")[1].split()[0])
            return numpy.array([line.split()[first:end] for line in lines[at + 1:at + 1 + n]], dtype=kind)

        return rows("NELEM", 1, 5, int), rows("NPOIN", 0, 3, float)

    cells, points = arrays("old.su2")
    names = {"numpy": numpy, "PETSc": PETSc, "plex": PETSc.DMPlex().createFromCellList(3, cells.astype(PETSc.IntType), points, interpolate=False)}
    (program,) = (block for block in PAGE.split("```python") if "plex.permute" in block)
    exec(program.split("```")[0].replace('"new.npz"', f'"{tmp_path / "new.npz"}"'), names)
    plex, n = names["plex"], len(cells)
    new_cells, new_points = arrays("new.su2")
    assert [sorted(plex.getCone(cell) - n) for cell in range(n)] == [sorted(row) for row in new_cells.tolist()]
    assert numpy.allclose(plex.getCoordinatesLocal().getArray().reshape(-1, 3), new_points)


@pytest.mark.parametrize("order", ["rcb", "levels", "hilbert"])
def test_a_surface_in_space_goes_by_its_nodes_or_edges(tess, tmp_path, order):
    """Cells of two dimensions of a mesh in three have nodes and edges, no faces."""
    mesh = tmp_path / "mesh.msh"
    nodes = "".join(f"{5 * j + i + 1} {i} {j} {i + 5}\n" for j in range(5) for i in range(5))
    tris = [(n, n + 1, n + 6) for n in range(1, 20) if n % 5] + [(n, n + 6, n + 5) for n in range(1, 20) if n % 5]
    cells = "".join(f"{i + 1} 2 2 1 1 {a} {b} {c}\n" for i, (a, b, c) in enumerate(tris))
    mesh.write_text(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n25\n{nodes}$EndNodes\n$Elements\n{len(tris)}\n{cells}$EndElements\n")
    for name, words in (("cells:nodes", ()), ("edges:cells", ("--map", "edges:cells"))):
        assert f"A sweep over {name}" in tess("mesh", "reorder", mesh, tmp_path / "new.msh", "-p", order, *words).stdout
        assert "The same nodes" in tess("mesh", "compare", mesh, tmp_path / "new.msh").stdout
