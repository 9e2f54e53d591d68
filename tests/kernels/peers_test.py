"""Peers: loops in somebody else's code, checked and archived like any strategy, whatever they do."""

import importlib.util
import json
import os
import subprocess
import sys
import textwrap
import types

import h5py
import pytest
from conftest import ROOT

PEERS = ROOT / "kernels/peers"
HAS_PARSER = subprocess.run(["/usr/bin/python3", "-c", "import pycparser, numpy"], capture_output=True).returncode == 0
WITH_WARP = os.environ.get("TESS_PYTHON", "/usr/bin/python3")
needs_parser = pytest.mark.skipif(not HAS_PARSER, reason="pycparser is missing (Debian: apt-get install python3-pycparser)")

# Of every application the loop of the papers, then loops that branch on data, that write, that sum over all elements.
LOOPS = [("airfoil", "quads:nx=9:ny=7", "res_calc"), ("volna", "tris:nx=9:ny=7", "space_discretization"),
         ("bookleaf", "quads:nx=9:ny=7", "getacc_scatter"), ("lulesh", "hexes:nx=4:ny=3:nz=3", "integrate_stress"),
         ("miniaero", "hexes:nx=4:ny=3:nz=3", "compute_face_flux"), ("fun3d", "tets:nx=3:ny=3:nz=2", "roe_flux"),
         ("airfoil", "quads:nx=9:ny=7", "bres_calc"), ("airfoil", "quads:nx=9:ny=7", "update"),
         ("airfoil", "quads:nx=9:ny=7", "adt_calc"), ("bookleaf", "quads:nx=9:ny=7", "getacc_apply"),
         ("fun3d", "tets:nx=3:ny=3:nz=2", "visrhs_tets"), ("fun3d", "tets:nx=3:ny=3:nz=2", "visjac_tets"),
         ("fv", "tris:nx=9:ny=7", "differences")]  # fmt: skip


@pytest.mark.parametrize("seconds, called", [(0.0004, 10), (0.0021, 5), (0.5, 1)])
def test_a_sample_has_as_many_calls_as_take_a_moment(seconds, called, monkeypatch):
    monkeypatch.setitem(sys.modules, "kernel_trace", types.SimpleNamespace(NotTraced=None, Value=None, trace=None))
    about = importlib.util.spec_from_file_location("columns", PEERS / "columns.py")
    columns = importlib.util.module_from_spec(about)
    about.loader.exec_module(columns)
    calls = []
    monkeypatch.setattr(columns.time, "perf_counter", lambda: seconds * len(calls))
    timed = columns.Calls(lambda: calls.append(1), lambda: None, 10)
    assert timed.run(1) == pytest.approx(seconds) and len(calls) == 1
    assert timed.run(2) == pytest.approx(seconds) and len(calls) == 1 + 2 * called


def run(tess, *arguments, code=0, python="/usr/bin/python3", **more):
    return tess("run", *arguments, "--device", "host", "--json", code=code, env={**os.environ, "TESS_PYTHON": python, **more})


@needs_parser
@pytest.mark.parametrize("application, mesh, loop, layout", [(*loop, "soa") for loop in LOOPS] +
                         [(*LOOPS[0], "aos"), (*LOOPS[3], "aos16,maps=aos"), (*LOOPS[6], "aos"), (*LOOPS[7], "soa,cells=aos")])
def test_numpy_runs_every_kind_of_loop(tess, application, mesh, loop, layout):
    done = run(tess, application, "--mesh", mesh, "--loop", loop, "--strategy", "peer:numpy", "--layout", layout,
               "--samples", "1", "--no-lab")
    found = json.loads(done.stdout)["runs"][0]
    assert found["check"] == "passed" and found["strategy"] == "peer:name=numpy" and len(found["samples"]) == 1


@pytest.mark.skipif(subprocess.run([WITH_WARP, "-c", "import pycparser, warp"], capture_output=True).returncode != 0,
                    reason="Warp is missing (pip install warp-lang, TESS_PYTHON)")
@pytest.mark.parametrize("application, mesh, loop, more", [
    (*LOOPS[0], ["--layout", "aos"]), (*LOOPS[3], ["--layout", "aos16,maps=aos"]), (*LOOPS[7], []), (*LOOPS[12], ["--precision", "float"])])
def test_warp_runs_every_kind_of_loop(tess, application, mesh, loop, more):
    done = run(tess, application, "--mesh", mesh, "--loop", loop, "--strategy", "peer:warp", *more, "--samples", "1", "--no-lab",
               python=WITH_WARP)
    assert json.loads(done.stdout)["runs"][0]["check"] == "passed"


@pytest.mark.parametrize("line, found", [("#define MFEM_USE_CUDA", True), ("// #define MFEM_USE_CUDA", False),
                                         ("/* #undef MFEM_USE_CUDA */", False), ("#define MFEM_USE_CUDA_X", False)])
def test_what_mfem_leaves_as_a_comment_is_not_defined(line, found, monkeypatch):
    monkeypatch.syspath_prepend(PEERS)
    about = importlib.util.spec_from_file_location("mfem_peer", PEERS / "mfem/mfem_peer.py")
    adaptor = importlib.util.module_from_spec(about)
    about.loader.exec_module(adaptor)
    assert adaptor.defines(f"// of MFEM\n{line}\n", "MFEM_USE_CUDA") == found


# An adaptor in plain C++, which shows what compiled peers share.
PLAIN = """
from compiled import Program, Source, call

class Text(Source):
    def at(self, a, i):
        arg = self.args[a]
        dat, column, slot = self.place(arg, i)
        row = "0" if dat["global"] else "i" if slot is None else f"index{arg['set']}[{slot}][i]"
        rows = self.strides[arg["dat"]]
        return f"dat{arg['dat']}[{row} * {dat['row']} + {column}]" if dat["aos"] else f"dat{arg['dat']}[{column} * {rows} + {row}]"

    def write(self, a, i, value):
        return f"{self.at(a, i)} {'+=' if self.args[a]['access'] == 'inc' else '='} {value};"

    def text(self):
        n, lines, saves = self.size(self.loop.n), [], []
        self.strides = [self.size(array.shape[1]) for array in self.loop.dats]
        for d, dat in enumerate(self.dats):
            lines.append(f'auto dat{d} = program::read<{dat["type"]}>(folder + "{dat["file"]}", {self.size(self.loop.dats[d].size)});')
            saves += [f'program::write(folder + "{dat["file"]}", dat{d});'] if dat["written"] else []
        for s, points in enumerate(self.loop.about["sets"]):
            rows = ", ".join(f"index{s}_all.data() + {k} * {self.size(self.loop.strides[s])}" for k in range(points["n_slots"]))
            lines.append(f'auto index{s}_all = program::read<int>(folder + "{points["file"]}", {points["n_slots"]} * {self.size(self.loop.strides[s])});')
            lines.append(f"int *index{s}[] = {{{rows}}};")
        step = f"for (long i = 0; i < {n}; i++) {{ {' '.join(self.body(self.at, self.write))} }}"
        return "\\n".join(['#include "program.h"', "#include <cmath>", self.kernel, "int main(int, char **argv) {",
                           "const std::string folder = argv[1]; const auto size = program::sizes(folder);",
                           "FILE *to = program::answers();", 'puts("a word of its own");', *lines,
                           f"program::serve(to, argv[2], 1, [&] {{ {step} }}, [] {{}}, [&] {{ {' '.join(saves)} }}); }}"])

def version():
    return "plain C++"

def build(loop):
    source = Text(loop)
    def make(folder):
        call("c++", "-std=c++17", "-O1", folder / "program.cpp", "-o", folder / "program")
    return Program(source, {"program.cpp": source.text()}, loop.folder / "kernel.h", make)
"""


@needs_parser
def test_a_compiled_peer_is_built_once_for_all_meshes(tess, tmp_path):
    adaptor, cache = tmp_path / "plain.py", tmp_path / "cache"
    adaptor.write_text(PLAIN)
    for application, mesh, loop, layout in [(*LOOPS[0], "soa"), ("airfoil", "quads:nx=8:ny=5", "res_calc", "soa"),
                                            (*LOOPS[0], "aos16"), (*LOOPS[3], "soa"), (*LOOPS[7], "aos"), (*LOOPS[11], "soa")]:
        done = run(tess, application, "--mesh", mesh, "--loop", loop, "--strategy", f"peer:{adaptor}", "--layout", layout,
                   "--samples", "2", "--no-lab", TESS_CACHE=str(cache))
        assert json.loads(done.stdout)["runs"][0]["check"] == "passed", (loop, layout)
    assert len(list((cache / "peers").iterdir())) == 5  # one of the six for two meshes
    assert [path.name for path in (cache / "peers").glob("*/*")] == ["program"] * 5
    adaptor.write_text(PLAIN.replace("self.kernel, ", "self.kernel + '\\n', "))  # as another machine's preprocessor leaves it
    run(tess, *LOOPS[0][:1], "--mesh", LOOPS[0][1], "--loop", LOOPS[0][2], "--strategy", f"peer:{adaptor}", "--samples", "2", "--no-lab",
        TESS_CACHE=str(cache))
    assert len(list((cache / "peers").iterdir())) == 5
    adaptor.write_text(PLAIN.replace("*lines,", '"no C++;", *lines,'))
    done = run(tess, "airfoil", "--mesh", "quads:nx=9:ny=7", "--strategy", f"peer:{adaptor}", "--samples", "1", "--no-lab",
               code=1, TESS_CACHE=str(cache))
    assert "ended with 1; it printed last:" in json.loads(done.stdout)["runs"][0]["failure"]


INSTALLED = {"kokkos": "KOKKOS_ROOT", "op2": "OP2_ROOT", "libceed": "LIBCEED_ROOT", "mfem": "MFEM_ROOT"}
REFUSED = {("mfem", "float"): "this MFEM computes in double",
           ("mfem", "visjac_tets"): "no element of MFEM has 12 vertices", ("libceed", "float"): "this libCEED computes in double"}  # fmt: skip


@pytest.mark.parametrize("peer", INSTALLED)
@pytest.mark.parametrize("application, mesh, loop, more", [
    (*LOOPS[0], []), (*LOOPS[0], ["--layout", "aos16"]), (*LOOPS[3], ["--layout", "soa,maps=aos"]), (*LOOPS[7], []),
    (*LOOPS[9], ["--precision", "float"]), (*LOOPS[11], [])])  # fmt: skip
def test_an_installed_library_runs_every_kind_of_loop(tess, peer, application, mesh, loop, more):
    if INSTALLED[peer] not in os.environ:
        pytest.skip(f"{INSTALLED[peer]} names no installed library")
    refused = REFUSED.get((peer, loop)) or REFUSED.get((peer, more[-1] if more else None))
    done = run(tess, application, "--mesh", mesh, "--loop", loop, "--strategy", f"peer:{peer}", *more, "--samples", "2", "--no-lab",
               code=1 if refused else 0)
    found = json.loads(done.stdout)["runs"][0]
    assert refused in found["failure"] if refused else found["check"] == "passed"


KERNEL_THAT_ADDS = "static inline void flux(const real *q, real *sum) { sum[0] += q[1]; sum[1] += q[0]; }"
LOOP_THAT_ADDS = """name: flux
over: edges
dats: [{name: q, set: cells, dim: 1}, {name: sum, set: cells, dim: 1, start: random}]
args: [{dat: q, map: "edges:cells", access: read}, {dat: sum, map: "edges:cells", access: inc}]
"""


@pytest.mark.parametrize("peer", ["numpy", *INSTALLED])
def test_sums_begin_with_what_is_there(tess, tmp_path, peer):
    if peer in INSTALLED and INSTALLED[peer] not in os.environ:
        pytest.skip(f"{INSTALLED[peer]} names no installed library")
    if peer == "numpy" and not HAS_PARSER:
        pytest.skip("pycparser is missing (Debian: apt-get install python3-pycparser)")
    (tmp_path / "flux.h").write_text(KERNEL_THAT_ADDS)
    (tmp_path / "flux.yaml").write_text(LOOP_THAT_ADDS)
    done = run(tess, "--kernel", tmp_path / "flux.h", "--loop", tmp_path / "flux.yaml", "--mesh", "quads:nx=9:ny=7", "--strategy", f"peer:{peer}",
               "--samples", "1", "--no-lab")
    assert json.loads(done.stdout)["runs"][0]["check"] == "passed"


def test_a_copy_of_op2_in_a_repository_of_others_has_its_own_name(tmp_path):
    copy, at = tmp_path / "op2-1234", {"cwd": tmp_path, "check": True, "capture_output": True, "text": True}
    copy.mkdir()
    commit = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one"]
    ask = [sys.executable, "-c", f"import sys; sys.path[:0] = {[str(PEERS), str(PEERS / 'op2')]}; import op2_peer; print(op2_peer.version())"]
    for folder, known in ((tmp_path, False), (copy, True)):
        subprocess.run(["git", "init", "-q", folder], **at)
        subprocess.run(commit, **{**at, "cwd": folder})
        revision = subprocess.run(["git", "describe", "--always"], **{**at, "cwd": folder}).stdout.strip()
        said = subprocess.run(ask, **at, env={**os.environ, "OP2_ROOT": str(copy)}).stdout.strip()
        assert said == f"OP2 {revision if known else 'op2-1234'}, translator v2"


@pytest.mark.parametrize("peer", INSTALLED)
def test_what_no_variable_names_is_missing(tess, tmp_path, peer):
    for folder, words in (("", "is not set: it names"), (tmp_path / "none", "which is no folder"), (tmp_path, str(tmp_path))):
        done = run(tess, "airfoil", "--mesh", "quads:nx=9:ny=7", "--strategy", f"peer:{peer}", "--samples", "1", "--no-lab",
                   code=4, **{INSTALLED[peer]: str(folder)})
        assert words in json.loads(done.stdout)["runs"][0]["failure"]


@needs_parser
def test_a_float_loop_in_no_order_is_timed_in_turns_and_archived_with_the_version(tess, tmp_path):
    done = run(tess, "airfoil", "--mesh", "irregular:nx=9:ny=7:shuffle=1", "--partitioner", "random", "--precision", "float",
               "--strategy", "openmp,peer:numpy", "--samples", "6", "--lab", tmp_path / "lab")
    ours, theirs = json.loads(done.stdout)["runs"]
    assert ours["check"] == theirs["check"] == "passed" and ours["session"] == theirs["session"]
    assert ours["rounds"] == theirs["rounds"] == list(range(6)) and theirs["moved_bytes_min"] >= theirs["useful_bytes"]
    with h5py.File(tmp_path / "lab/runs" / f"{theirs['run']}.hdf") as file:
        said = {row["key"].decode(): row["text"].decode() for row in file["environment"]}
    assert said["peer"].startswith("NumPy ")


ADAPTOR = """
import os, signal, sys, time
import numpy

class Runner:
    def __init__(self, loop):
        self.loop = loop

    def run(self, times):
        print("begun")
        {run}
        return 1e-3

    def dats(self):
        dats = [dat.copy() for dat in self.loop.dats]
        {dats}
        return dats

def version():
    return "mine"

def build(loop):
    {build}
    return Runner(loop)
"""
FAULTS = [
    (dict(run="os.kill(os.getpid(), signal.SIGSEGV)"), "was ended by signal 11 (Segmentation fault); it printed last:\nbegun"),
    (dict(run="raise ValueError('no luck')"), "ended with 1; it printed last:"),
    (dict(run="sys.exit(0)"), "ended with 0"),
    (dict(run="time.sleep(1000)"), "did not answer within its time limit of 20 s and was stopped; it printed last:\nbegun"),
    (dict(build="time.sleep(1000)"), "did not answer within its time limit of 20 s"),
    (dict(run="return float('nan')"), "answers 'nan', which are no seconds"),
    (dict(run="return 0.0"), "answers '0', which are no seconds"),
    (dict(), "the result is wrong: res differs by 1 of its largest value"),
    (dict(dats="dats[3][:] = numpy.nan"), "the result is wrong: res has values that are not finite"),
    (dict(dats="dats[3] = dats[3].ravel()[1:]"), "has not saved the"),
    (dict(dats="dats[3] = numpy.zeros(dats[3].size + 1)"), "has not saved the"),
    (dict(dats="os.remove(self.loop.folder / 'cells_res'); self.loop.about['dats'][3]['written'] = False"), "has taken away cells_res"),
]  # fmt: skip


@pytest.mark.parametrize("fault, words", FAULTS)
def test_a_peer_that_fails_is_a_failed_run_with_its_output(tess, tmp_path, fault, words):
    adaptor = tmp_path / "mine.py"
    adaptor.write_text(ADAPTOR.format(**{"run": "pass", "dats": "pass", "build": "pass", **fault}))
    done = run(tess, "airfoil", "--mesh", "quads:nx=9:ny=7", "--strategy", f"peer:{adaptor},openmp", "--samples", "2",
               "--time-limit", 20 if "sleep" in str(fault) else 600, "--lab", tmp_path / "lab", code=1, TMPDIR=str(tmp_path))
    theirs, ours = json.loads(done.stdout)["runs"]
    assert ours["check"] == "passed"  # all others go on
    assert theirs["check"] == "FAILED" and words in theirs["failure"]
    assert f"the peer {adaptor}" in theirs["failure"] or "the result is wrong" in words
    assert theirs["run"], "it is archived"
    assert [path.name for path in tmp_path.iterdir()if path.name.startswith("tess-peer")] == []


def test_a_program_that_is_no_python_file_speaks_for_itself(tess, tmp_path):
    program = tmp_path / "peer"
    program.write_text(textwrap.dedent("""\
        #!/bin/sh
        test -f "$1/loop.json" -a -f "$1/kernel.h" -a -s "$1/cells_res" || exit 1
        echo "peer: a shell"
        read what times && test "$what $times" = "run 1" && echo 'a word of its own' && echo "peer: 1e-3"
        read what && test "$what" = save && exit 5
        """))
    program.chmod(0o755)
    done = run(tess, "airfoil", "--mesh", "quads:nx=9:ny=7", "--strategy", f"peer:{program}", "--samples", "0", "--no-lab", code=1)
    found = json.loads(done.stdout)["runs"][0]
    assert "ended with 5; it printed last:\na word of its own" in found["failure"]


def test_what_is_not_installed_is_missing_and_nothing_is_archived(tess, tmp_path):
    adaptor = tmp_path / "mine.py"
    adaptor.write_text("import no_such_library\n")
    done = run(tess, "airfoil", "--mesh", "quads:nx=9:ny=7", "--strategy", f"openmp,peer:{adaptor}", "--samples", "1",
               "--lab", tmp_path / "lab", code=4)
    ours, theirs = json.loads(done.stdout)["runs"]
    assert ours["run"] and theirs["run"] is None and "No module named 'no_such_library'" in theirs["failure"]


@pytest.mark.parametrize("arguments, words", [
    (["--strategy", "peer", "--device", "host"], "'peer' needs its option 'name'"),
    (["--strategy", "peer:nunpy", "--device", "host"], "there is no peer 'nunpy'; did you mean 'numpy'? There are numpy, torch"),
    (["--strategy", "peer:./none.py", "--device", "host"], "the peer ./none.py cannot be read"),
    (["--strategy", "peer:numpy"], "a peer runs on this machine: say --device host, or cuda"),
    (["--strategy", "peer:numpy", "--device", "host", "--ranks", "2"], "a peer runs a loop of its own"),
    (["--strategy", "peer:numpy", "--device", "host", "--graph", "on"], "a peer launches what it likes"),
    (["--strategy", "peer:numpy", "--device", "host", "--chain", "save_soln+adt_calc"], "a peer runs a loop, and no chain"),
])
def test_where_no_peer_runs(tess, arguments, words):
    done = tess("run", "airfoil", "--mesh", "quads:nx=9:ny=7", "--no-lab", *arguments, code=2 if "needs" in words else 1)
    assert words in done.stderr


def test_what_is_emitted_is_ours(tess, tmp_path):
    done = tess("emit", "airfoil", "--mesh", "quads:nx=9:ny=7", "--strategy", "peer:numpy", "-o", tmp_path / "out", code=2)
    assert "a peer runs a loop of its own" in done.stderr


# --- the trace -------------------------------------------------------------------------------------------------------

KERNEL = """
#define HALF ((real)0.5) /* of one */
#define TWICE_HALF (2 * HALF)
enum { ROWS = 2, COLUMNS };
struct pair { real first, rest[2]; };
static inline real chosen(const real *a, int i) {
    if (a[0] > 0) {
        if (a[1] > 0)
            return 1;
        if (a[1] < -1)
            return 2;
    } else if (a[1] == 0) {
        return 3 + i;
    }
    return 4;
}
static inline void fill(struct pair *p, const real *a, real *sum) {
    p->first = a[0];
    for (int i = 0; i < ROWS; i++)
        p->rest[i] = a[1] * (i % 2 ? -1 : +1);
    *sum += p->rest[0];
}
static inline void kernel(const real *a, const int *flag, real *b, real *c) {
    const int table[ROWS][COLUMNS] = {{0, 1, 2}, {2, 1}};
    struct pair p;
    real sum = 7 / 2, kept = -HALF;
    fill(&p, a, &sum);
    const real *rest = p.rest + 1;
    c[0] += chosen(a, table[1][0]);
    if (flag[0] == 1 && !(a[0] < 0)) {
        b[table[0][1]] = TWICE_HALF * fabs(a[0]) + rest[0];
        kept = 9;
        if (a[1] > 0)
            return;
        c[1] -= 5;
    }
    for (int d = 0; d < 2 && a[0] > 0; d++)
        c[d] += a[d];
    c[1] += kept;
    for (int i = 0, j = 5; i < j; i += 2, j--)
        c[2] += (real)(i + j) + sum + fmin(p.first, (real)0.25) + (a[0] > a[1] ? 1 : 0);
}
"""


def by_hand(a, flag, b):
    """What the kernel does, of numbers."""
    chosen = (1 if a[1] > 0 else 2 if a[1] < -1 else 4) if a[0] > 0 else 5 if a[1] == 0 else 4
    b, c, kept = list(b), [chosen, 0, 0], -0.5
    if flag == 1 and a[0] >= 0:
        b[1], kept = abs(a[0]) - a[1], 9
        if a[1] > 0:
            return b, c
        c[1] -= 5
    c = [c[0] + a[0], c[1] + a[1], 0] if a[0] > 0 else c
    c[1] += kept
    for total in (5, 6):
        c[2] += total + 3 + a[1] + min(a[0], 0.25) + (a[0] > a[1])
    return b, c


def value_of(trace, x, args, known):
    """A value of the trace for one element."""
    import operator

    if not hasattr(x, "number"):
        return x
    if x.number not in known:
        name, operands = trace.operations[x.number]
        given = operands if name == "arg" else [value_of(trace, y, args, known) for y in operands]
        known[x.number] = {
            "arg": lambda a, i: args[a][i], "+": operator.add, "*": operator.mul, "-": lambda p, q=None: -p if q is None else p - q,
            "<": operator.lt, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "abs": abs, "minimum": min,
            "and": lambda p, q: p and q, "or": lambda p, q: p or q, "not": lambda p: not p,
            "where": lambda p, q, r: q if p else r}[name](*given)  # fmt: skip
    return known[x.number]


@needs_parser
def test_a_trace_says_what_c_says():
    script = f"import sys; sys.path[:0] = [{str(PEERS)!r}, {str(ROOT / 'tests/kernels')!r}, {str(ROOT / 'tests')!r}]\n" \
             "import peers_test; peers_test.compare_traces()"
    subprocess.run([sys.executable if importlib.util.find_spec("pycparser") else "/usr/bin/python3", "-c", script], check=True)


def compare_traces():
    import kernel_trace

    traced, results = kernel_trace.trace(KERNEL, "kernel", [("read", 2), ("read", 1), ("rw", 2), ("inc", 3)])
    compared = 0
    for a0 in (-2.0, 0.0, 0.125, 3.0):
        for a1 in (-2.0, -0.5, 0.0, 1.0):
            for flag in (0, 1):
                args = [[a0, a1], [flag], [10.0, 20.0]]
                found = [[value_of(traced, x, args, {}) for x in results[k]] for k in (2, 3)]
                assert found == list(by_hand([a0, a1], flag, [10.0, 20.0])), (a0, a1, flag, found)
                compared += 1
    assert compared == 32
    for body, words in (("b[(int)a[0]] = 0;", "depends on data"), ("b[0] = none(a[0]);", "no function none"),
                        ("while (a[0] > 0) b[0] = 0;", "While"), ("for (int i = 0; a[0] > i; i++) b[0] = i;", "no end"),
                        ("for (int i = 0; i < 2; i++) if (a[i] > 0) return;", "return in the loop")):
        text = f"static inline void kernel(const real *a, real *b) {{ {body} }}"
        try:
            kernel_trace.trace(text, "kernel", [("read", 2), ("rw", 2)])
        except kernel_trace.NotTraced as said:
            assert words in str(said)
        else:
            raise AssertionError(f"{body} is traced")
