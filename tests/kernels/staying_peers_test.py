"""Peers that stay: a process runs one loop after another, and whatever a loop does to it, the next one is right."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from conftest import ROOT

PEERS = ROOT / "kernels/peers"
PYTHON = os.environ.get("TESS_PYTHON", "/usr/bin/python3")
pytestmark = pytest.mark.skipif(
    subprocess.run(["/usr/bin/python3", "-c", "import pycparser, numpy"], capture_output=True).returncode != 0,
    reason="pycparser is missing (Debian: apt-get install python3-pycparser)")  # fmt: skip

# NumPy's adaptor, which does something else with its loop number `at`, from 0.
ADAPTOR = """
import ctypes, importlib.util, os, pathlib, signal, sys, time
import numpy
about = importlib.util.spec_from_file_location("numpy_peer", {adaptor!r})
theirs = importlib.util.module_from_spec(about)
about.loader.exec_module(theirs)
LOG = pathlib.Path({log!r})
kept = []

class Runner:
    def __init__(self, loop):
        self.real, self.at = theirs.build(loop), len(LOG.read_text().split()) - 1

    def run(self, times):
        print("loop", self.at)
        {run}
        return self.real.run(times)

    def dats(self):
        dats = self.real.dats()
        {dats}
        return dats

def version():
    return "mine"

def build(loop):
    with LOG.open("a") as log:
        log.write(f"{{os.getpid()}}\\n")
    at = len(LOG.read_text().split()) - 1
    {build}
    return Runner(loop)

def forget():
    at = len(LOG.read_text().split()) - 1
    {forget}
"""


def adaptor(folder, name="mine", **more):
    """Writes one; gives it and the file with the process of each of its loops."""
    path, log = folder / f"{name}.py", folder / f"{name}.log"
    log.write_text("")
    parts = {**dict.fromkeys(("run", "dats", "build", "forget"), "pass"), **more}
    path.write_text(ADAPTOR.format(adaptor=str(PEERS / "numpy/numpy_peer.py"), log=str(log), **parts))
    return path, log


def run(tess, *arguments, code=0, **more):
    return json.loads(tess("run", "airfoil", "--mesh", "quads:nx=9:ny=7", *arguments, "--device", "host", "--json", "--no-lab",
                           code=code, env={**os.environ, "TESS_PYTHON": "/usr/bin/python3", **more}).stdout)["runs"]


def rows(tess, path, *arguments, **more):
    """Four runs of a peer, one behind the other: without samples no run is open beside another."""
    return run(tess, "--strategy", f"peer:{path}", "--block-size", "32,64,96,128", "--samples", "0", *arguments, **more)


def lives(process):
    """Whether it computes or waits: not one that has ended, of which nobody has asked how."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")")[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(processes, seconds=20):
    end = time.monotonic() + seconds
    while any(lives(process) for process in processes) and time.monotonic() < end:
        time.sleep(0.05)
    return [process for process in processes if lives(process)]


def test_one_process_runs_all_loops_and_ends_with_the_program(tess, tmp_path):
    path, log = adaptor(tmp_path)
    assert [one["check"] for one in rows(tess, path, TMPDIR=str(tmp_path))] == ["passed"] * 4
    processes = log.read_text().split()
    assert len(processes) == 4 and len(set(processes)) == 1
    assert gone(processes, 0) == []
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("tess-peer")] == []


def test_runs_in_turns_have_a_process_each(tess, tmp_path):
    path, log = adaptor(tmp_path)
    found = run(tess, "--strategy", f"peer:{path}", "--block-size", "32,64,96", "--samples", "2")
    assert [one["check"] for one in found] == ["passed"] * 3 and [len(one["samples"]) for one in found] == [2] * 3
    assert len(set(log.read_text().split())) == 3


def test_an_adaptor_that_does_not_say_so_has_a_new_process_each_time(tess, tmp_path):
    path, log = adaptor(tmp_path)
    path.write_text(path.read_text().replace("def forget", "def no"))
    assert [one["check"] for one in rows(tess, path)] == ["passed"] * 4
    assert len(set(log.read_text().split())) == 4


COPIER = """#!/bin/sh
echo started >> {log}
echo "peer: a shell"
while read what times; do case $what in
    run) echo "peer: 1e-3" ;;
    save) cp "$1/cells_q" "$1/cells_old"; echo "peer: saved" ;;
esac; done
"""


def test_a_program_that_does_not_say_so_is_asked_for_nothing_else(tess, tmp_path):
    """It would answer nothing until its time is over."""
    path, log, begun = tmp_path / "copier", tmp_path / "log", time.monotonic()
    path.write_text(COPIER.format(log=log))
    path.chmod(0o755)
    found = rows(tess, path, "--loop", "save_soln", "--time-limit", "100")
    assert [one["check"] for one in found] == ["passed"] * 4 and log.read_text().split() == ["started"] * 4
    assert time.monotonic() < begun + 90


HANGS = "time.sleep(1000)"
AT_ONE = "self.at == 1 and "
FAULTS = [
    (dict(run=AT_ONE + "os.kill(os.getpid(), signal.SIGSEGV)"), "was ended by signal 11 (Segmentation fault); it printed last:\nloop 1"),
    (dict(run=AT_ONE + "sys.exit('no luck')"), "ended with 1; it printed last:\nloop 1\nno luck"),
    (dict(run=AT_ONE + HANGS), "did not answer within its time limit of 10 s and was stopped; it printed last:\nloop 1"),
    (dict(build="if at == 1: " + HANGS), "did not answer within its time limit of 10 s"),
    (dict(build="if at == 1: raise ValueError('no luck')"), "ended with 1; it printed last:"),
    (dict(run="if self.at == 1: return float('nan')"), "answers 'nan', which are no seconds"),
    (dict(dats="if self.at == 1: dats[3][:] = numpy.nan"), "the result is wrong: res has values that are not finite"),
    (dict(dats="if self.at == 1: dats[3] = 2 * dats[3]"), "the result is wrong: res differs by"),
    (dict(dats="if self.at == 1: dats[3] = dats[3].ravel()[1:]"), "has not saved the"),
]  # fmt: skip


@pytest.mark.parametrize("fault, words", FAULTS)
def test_a_loop_that_fails_has_the_next_one_in_a_new_process(tess, tmp_path, fault, words):
    path, log = adaptor(tmp_path, **fault)
    before, failed, *after = rows(tess, path, "--time-limit", 10 if HANGS in str(fault) else 600, code=1, TMPDIR=str(tmp_path))
    assert failed["check"] == "FAILED" and words in failed["failure"] and "loop 0" not in failed["failure"]
    assert [one["check"] for one in (before, *after)] == ["passed"] * 3
    one, same, other, again = log.read_text().split()
    assert one == same and other == again and other != one
    assert gone([one, other], 0) == []
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith("tess-peer")] == []


@pytest.mark.parametrize("fault", ["return float('nan')", "time.sleep(11)"])
def test_a_sample_that_fails_ends_a_process_that_was_right_before(tess, tmp_path, fault):
    """The check comes first, and the sample after it. Who is late answers when it is asked for the next loop."""
    path, log = adaptor(tmp_path, run="self.calls = getattr(self, 'calls', 0) + 1\n"
                        f"        if self.at == 1 and self.calls > 2: {fault}")  # fmt: skip
    (tmp_path / "sweep.yaml").write_text(SWEEP.format(strategies=f'["peer:{path}"]', samples=2))
    done = tess("sweep", "sweep.yaml", "--lab", "lab", "--json", cwd=tmp_path, code=1)
    assert [point["state"] for point in json.loads(done.stdout)["points"]] == ["passed", "failed", "passed", "passed"]
    one, same, other, again = log.read_text().split()
    assert one == same and other == again and other != one


@pytest.mark.parametrize("forget, processes", [
    ("os._exit(1)", "0123"), ("os.kill(os.getpid(), signal.SIGSEGV)", "0123"), ("raise ValueError('no luck')", "0123"),
    ("at == 0 and " + HANGS, "0111"), ("return at == 1", "0011"), ("at == 1 and kept.append(numpy.ones(40_000_000))", "0011")])  # fmt: skip
def test_what_cannot_forget_a_loop_is_no_failure(tess, tmp_path, forget, processes):
    path, log = adaptor(tmp_path, forget=forget)
    assert [one["check"] for one in rows(tess, path, "--time-limit", 10 if HANGS in forget else 600)] == ["passed"] * 4
    found = log.read_text().split()
    assert "".join(str(list(dict.fromkeys(found)).index(one)) for one in found) == processes
    assert gone(found, 0) == []


def test_memory_of_a_loop_is_free_before_the_next(tess, tmp_path):
    """Each loop takes 320 MB beside its data, which are gone when the next one is built."""
    note = "LOG.with_suffix('.{}').open('a').write(open('/proc/self/status').read().split('VmRSS:')[1].split()[0] + ' ')"
    path, log = adaptor(tmp_path, build=note.format("built"), run="self.much = numpy.ones(40_000_000); " + note.format("run"))
    assert [one["check"] for one in rows(tess, path)] == ["passed"] * 4
    built, running = ([int(word) for word in log.with_suffix(suffix).read_text().split()] for suffix in (".built", ".run"))
    assert len(set(log.read_text().split())) == 1 and len(built) == 4 and min(running) > 312_000
    assert max(built) < min(built) + 156_000 and max(running) < min(running) + 156_000


def test_a_result_is_the_same_to_the_last_bit_with_and_without_staying(tess, tmp_path):
    path, log = adaptor(tmp_path, dats="LOG.with_suffix('.bits').open('a').write(f'{hash(dats[3].tobytes())} ')")
    found, bits = [], []
    for text in (path.read_text(), path.read_text().replace("def forget", "def no")):
        path.write_text(text)
        found.append([(one["check"], one["difference"], one["moved_bytes_min"]) for one in rows(tess, path, PYTHONHASHSEED="0")])
        bits.append(log.with_suffix(".bits").read_text().split())
        log.with_suffix(".bits").unlink()
    assert found[0] == found[1] and bits[0] == bits[1] and len(bits[0]) == 4
    assert len(set(log.read_text().split())) == 5  # one, then four


SWEEP = """sweep: some
axes: {{application: airfoil, device: host, samples: {samples}, time_limit: 10, block_size: 64, layout: soa, strategy: {strategies}}}
groups: # each mesh is opened anew, each loop too
  - {{mesh: ["quads:nx=9:ny=7", "tris:nx=5:ny=4"]}}
  - {{mesh: "quads:nx=9:ny=7", loop: [bres_calc, update]}}
"""


def counting_python(folder, python):
    """A Python that notes each of its starts."""
    path, log = folder / "python", folder / "starts"
    path.write_text(f'#!/bin/sh\necho $$ >> {log}\nexec {python} "$@"\n')
    path.chmod(0o755)
    return path, log


@pytest.mark.parametrize("peer, module", [("numpy", "numpy"), ("torch", "torch"), ("jax", "jax"), ("jax-segment_sum", "jax"), ("warp", "warp")])
def test_a_sweep_starts_a_peer_once(tess, tmp_path, peer, module):
    python = "/usr/bin/python3" if peer == "numpy" else PYTHON
    if subprocess.run([python, "-c", f"import pycparser, {module}"], capture_output=True).returncode != 0:
        pytest.skip(f"{module} is missing (pip install, TESS_PYTHON)")
    path, log = counting_python(tmp_path, python)
    (tmp_path / "sweep.yaml").write_text(SWEEP.format(strategies=f"[openmp, \"peer:{peer}\"]", samples=2))
    done = tess("sweep", "sweep.yaml", "--lab", "lab", "--json", cwd=tmp_path, env={**os.environ, "TESS_PYTHON": str(path)})
    assert [point["state"] for point in json.loads(done.stdout)["points"]] == ["passed"] * 8
    assert len(log.read_text().split()) == 1 and gone(log.read_text().split(), 0) == []
    runs = json.loads(tess("runs", "--lab", "lab", "--json", cwd=tmp_path).stdout)["runs"]
    assert len(runs) == 8 and all(one["outcome"] == "passed" for one in runs)


@pytest.mark.parametrize("ended_by", [signal.SIGKILL, signal.SIGINT])
def test_no_process_is_left_behind(tess_bin, tmp_path, ended_by):
    waits, one = adaptor(tmp_path, "waits")
    hangs, other = adaptor(tmp_path, "hangs", run=HANGS)
    program = subprocess.Popen([tess_bin, "run", "airfoil", "--mesh", "quads:nx=9:ny=7", "--device", "host", "--no-lab", "--samples", "0",
                                "--strategy", f"peer:{waits},peer:{hangs}"], env={**os.environ, "TESS_PYTHON": "/usr/bin/python3"},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    end = time.monotonic() + 120
    while not re.match(r"\d+\n", other.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    processes = [*one.read_text().split(), *other.read_text().split()]
    assert len(processes) == 2 and all(lives(process) for process in processes)
    program.send_signal(ended_by)
    assert program.wait(60) == (-signal.SIGKILL if ended_by == signal.SIGKILL else 130)
    assert gone(processes) == []
