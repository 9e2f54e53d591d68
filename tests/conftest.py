"""What every pytest of Tesselab shares: the program under test and where it is."""

import fcntl
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import termios

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("python", "tests/data", "tests/kernels")]  # what several folders import


HANG = 1800  # seconds on the clock, which only what waits for ever reaches
os.environ.pop("TESS_LAB", None)  # whose runs are nobody's tests
# What Python compiles is kept, also for the workers and programs that follow: rewritten assertions take most of a collection.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# One for all builds and workers: what is compiled for a run depends on neither.
os.environ.setdefault("TESS_CACHE", str(ROOT / "build/test-cache"))
# What runs compile is looked at for its results, which optimisation leaves as they are; tests of counts ask for `counting_cc`,
# and the unit tests of kernels compile most strategies as users do.
QUICK_CC = ROOT / "tests/kernels/quick-cc"
os.environ.setdefault("CC", f"{QUICK_CC} -O0")
# On a busy machine anything may take two seconds, and what a test reads on stderr is not how far it was.
os.environ.setdefault("TESS_PROGRESS", "no")
# A run on the host would move 128 MiB three times to tell the bandwidth of copies, in 0.3 s.
os.environ.setdefault("TESS_COPY_MIB", "1")
# Threads that spin while they wait for others slow everything down where cores are fewer than they.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Launchers of MPI end with the X server of another test, if hwloc's "gl" has connected to it.
os.environ.setdefault("HWLOC_COMPONENTS", "-gl")


# Files that compute and wait longest, over 20 s each: they begin first, so that none of them is left to the end alone.
LONGEST = ("hostile_lab", "interrupt", "notebooks", "viz", "readme", "side_by_side", "partitioning", "statistics",
           "report_command", "sweep", "terminal", "view", "package", "rank_process", "predict_command", "install",
           "doctor_command", "view_command")  # fmt: skip


def pytest_collection_modifyitems(items):
    order = {f"{name}_test.py": i for i, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than 10 seconds")


def processor_seconds():
    """Of this process and of the children that it has waited for."""
    return sum(os.times()[:4])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """With TESS_TEST_SECONDS a line in that file for each test: its processor seconds and its name."""
    began = processor_seconds()
    yield
    if "TESS_TEST_SECONDS" in os.environ:
        with open(os.environ["TESS_TEST_SECONDS"], "a") as lines:
            lines.write(f"{processor_seconds() - began:.2f} {item.nodeid}\n")


class Limited(subprocess.Popen):
    """A program that is ended after so many seconds of its own computing, whatever else the machine does. They are limited
    once it runs: a function that Python calls before costs a copy of all pages of this process, 16 ms of processor."""

    def __init__(self, *words, processor_seconds=None, **options):
        super().__init__(*words, **options)
        if processor_seconds:
            resource.prlimit(self.pid, resource.RLIMIT_CPU, (processor_seconds, processor_seconds + 10))


subprocess.Popen = Limited


def limited(seconds=120):
    """For subprocess.run."""
    return {"processor_seconds": seconds, "timeout": HANG}


def is_alive(pid):
    """Whether a process is there, and has not ended without being waited for."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def in_terminal(words, width, **options):
    """Runs a command in a terminal of 24 lines; gives its exit code and all that it writes there."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen([*map(str, words)], stdout=its, processor_seconds=120, **options)
    os.close(its)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:
            break
    os.close(ours)
    return process.wait(), shown


@pytest.fixture(scope="session")
def tess_bin():
    """The path of the program: TESS_BIN, else the release build."""
    path = pathlib.Path(os.environ.get("TESS_BIN", ROOT / "build/release/bin/tess")).resolve()
    if not path.exists():
        pytest.fail(f"{path} is not built: cmake --preset release && cmake --build --preset release")
    return path


@pytest.fixture
def built(tess_bin, monkeypatch):
    """The library of the build under test; sanitizers would have to be loaded before Python."""
    if "sanitize" in str(tess_bin):
        pytest.skip("sanitizers come first")
    monkeypatch.setenv("TESS_LIBRARY", str(tess_bin.parents[1] / "libtesselab.so"))


@pytest.fixture(scope="module")
def compiling_cc():
    """For a module that compiles longer than it computes: pages are not optimised, but in an eighth of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", f"{QUICK_CC} tcc")
        yield


@pytest.fixture(scope="module")
def counting_cc():
    """For a module that looks at counts: pages without the accesses that nobody uses, as users have them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", str(QUICK_CC))
        yield


@pytest.fixture(scope="session")
def tess(tess_bin):
    """Runs the program: tess("mesh", "info", path, code=0) gives the finished process, its stdout
    and stderr as text, and fails unless it exits with `code` after at most so many seconds of computing, or where it
    leaves a run in the checkout."""
    def left():
        return {run.name for run in (ROOT / "lab/runs").glob("*.hdf")}

    known = left()

    def run(*arguments, code=0, seconds=120, **options):
        done = subprocess.run(
            [tess_bin, *map(str, arguments)], capture_output=True, text=True, **limited(seconds), **options
        )
        more = left() - known
        known.update(more)  # one test is told
        assert not more, f"tess {' '.join(map(str, arguments))} leaves a run in the checkout: --lab or --no-lab"
        assert done.returncode == code, (
            f"tess {' '.join(map(str, arguments))} exited with {done.returncode}, not {code}:\n"
            f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
        return done

    return run


@pytest.fixture(scope="session")
def pip():
    """pip(folder, *options) makes a virtual environment and gives the words of a pip that installs into it. All have one pip:
    to install that takes longer than what it installs."""
    folder = pathlib.Path(os.environ["TESS_CACHE"]) / "pip"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder / "venv"], check=True)
            (folder / "made").touch()

    def make(into, *options):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", *options, into], check=True)
        return [folder / "venv/bin/python3", "-m", "pip", "--disable-pip-version-check", "--python", into / "bin/python3"]

    return make


@pytest.fixture(scope="module")
def display():
    """An X server for this module: the number of its display."""
    if not shutil.which("pvpython"):
        pytest.skip("ParaView is missing (Debian: apt-get install python3-paraview)")
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is missing (Debian: apt-get install xvfb)")
    reads, writes = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writes), "-noreset", "-screen", "0", "1280x1024x24"],
        pass_fds=[writes], stderr=subprocess.DEVNULL)
    os.close(writes)
    with os.fdopen(reads) as numbers:
        yield ":" + numbers.readline().strip()
    server.terminate()
    server.wait()


@pytest.fixture
def small_disk(tmp_path):
    """small_disk(size) mounts a file system of that size and gives a place for a lab on it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = []

    def mount(size):
        line = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk]
        if os.geteuid() != 0 or subprocess.run(line, capture_output=True).returncode:
            pytest.skip("mounting a small tmpfs needs root")
        mounted.append(disk)
        return disk / "lab"

    yield mount
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)
