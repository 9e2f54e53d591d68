"""What takes long says so: one line on a terminal, rewritten, wiped in the end; nothing anywhere else."""

import fcntl
import os
import re
import signal
import struct
import subprocess
import termios

import pytest
from conftest import ROOT, limited

LINE = "\r\x1b[K"
LONG = {
    "partition": (["partition", "irregular:nx=1000:ny=1000", "--map", "edges:cells", "-b", "128", "-p",
                   "mosaic:level=long", "--no-lab"], r"\[1/1\] mosaic:level=long, block size 128"),
    "march": (["march", "--no-lab", "airfoil", "--mesh", "airfoil:i=20:j=30", "--device", "emulator", "--steps", "100000"],
              "marching"),
}  # fmt: skip


def follow(tess_bin, folder, arguments, width, until, term, **environment):
    """Runs the program in a terminal, interrupts it when `until` is on the screen, gives all that was shown."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen([tess_bin, *arguments], stdout=its, stderr=its, cwd=folder,
                               env={**os.environ, "TERM": term, **environment}, processor_seconds=120)  # fmt: skip
    os.close(its)
    shown, asked = b"", False
    while True:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:
            break
        if not asked and re.search(until, shown.decode(errors="ignore")):
            process.send_signal(signal.SIGINT)
            asked = True
    os.close(ours)
    assert process.wait() == 130
    return shown.decode()


def write_program(path, does):
    path.write_text(f"#!/usr/bin/python3\nimport os, time\n{does}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("what, width", [("partition", 60), ("march", 80)])
def test_a_line_tells_time_share_and_estimate(tess_bin, tmp_path, what, width):
    arguments, words = LONG[what]
    shown = follow(tess_bin, tmp_path, arguments, width, rf"{words[:20]}[^\r]*about \d+ (s|min|h|d) left", "xterm")
    first, *lines = shown.split(LINE)
    assert first == "", "nothing before the first line"
    progress, rest = lines[:-1], lines[-1]
    assert all(len(line) < width for line in progress), progress
    assert any(re.fullmatch(rf"{words[:20]}.*, \d+ (s|min), \d+ %, about \d+ (s|min|h|d) left", line) for line in progress)
    assert not any("\n" in line for line in progress)
    assert "left" not in rest and "interrupted" in rest, "it is wiped"


@pytest.mark.parametrize("arguments, words", [
    (["plot", "reuse", "-o", "reuse.svg"], "drawing in Python"), (["report", "-o", "lab.html"], "making the page in Python")])
def test_what_python_does_is_told_and_ends(tess, tess_bin, tmp_path, arguments, words):
    """Of a Python that never ends, where neither share nor estimate can be known."""
    tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "-p", "rcb", "-b", "16,32", "--lab", tmp_path / "lab")
    write_program(tmp_path / "python", "time.sleep(600)")
    shown = follow(tess_bin, tmp_path, arguments, 80, rf"{words}, [2-9] s", "xterm", TESS_PYTHON=str(tmp_path / "python"))
    assert shown.split(LINE)[-1].startswith("tess: error: interrupted"), "the line is wiped"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lab", "python"], "nothing half made is left"


def test_the_share_that_python_and_paraview_write_is_told(tess, tess_bin, tmp_path):
    tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "-p", "rcb", "-b", "16", "--lab", tmp_path / "lab")
    for name in ("python", "pvpython"):
        write_program(tmp_path / name, r'os.pwrite(int(os.environ["TESS_PROGRESS_FD"]), b"1 4\n", 0); time.sleep(600)')
    for arguments, words in ((["report"], "making the page in Python"), (["view", "@last", "--png", "a.png"], "rendering in ParaView")):
        follow(tess_bin, tmp_path, arguments, 80, rf"{words}, \d+ s, 25 %, about \d+ s left", "xterm",
               TESS_PYTHON=str(tmp_path / "python"), PATH=f"{tmp_path}:{os.environ['PATH']}")


def test_modules_write_each_part_that_is_done(tess, tmp_path):
    """The last share is all of what they said they would do."""
    tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "-p", "rcb", "-b", "16,32", "--lab", tmp_path / "lab")
    for module, command in (("report", ["report"]), ("draw_chart", ["plot", "reuse"])):
        with open(tmp_path / module, "wb") as share:
            subprocess.run(["/usr/bin/python3", ROOT / "python/tesselab/start.py", module, tmp_path / f"{module}.{'html' if module == 'report' else 'svg'}"],
                           input=tess(*command, "--json", "--lab", tmp_path / "lab").stdout, text=True, check=True, pass_fds=[share.fileno()],
                           env={**os.environ, "TESS_PROGRESS_FD": str(share.fileno())}, cwd=tmp_path)  # fmt: skip
        done, parts = (tmp_path / module).read_text().split()
        assert done == parts and int(parts) > 2


def test_nothing_is_rewritten_where_lines_cannot_be(tess_bin, tmp_path):
    """With --json and on a terminal that only prints, for longer than it takes until a line appears."""
    arguments, _ = LONG["march"]
    short = [*arguments[:-1], "120"]
    for more, term in ((["--json"], "xterm"), ([], "dumb")):
        ours, its = os.openpty()
        done = subprocess.run([tess_bin, *short, *more], stdout=subprocess.PIPE, stderr=its, cwd=tmp_path,
                              env={**os.environ, "TERM": term}, **limited())  # fmt: skip
        os.close(its)
        with pytest.raises(OSError):
            assert os.read(ours, 1) == b""
        os.close(ours)
        assert done.returncode == 0


def test_steps_are_told_with_their_times(tess, monkeypatch):
    monkeypatch.setenv("TESS_PROGRESS", "times")
    done = tess("run", "airfoil", "--mesh", "airfoil:i=20:j=30", "--no-lab", "--device", "emulator", "--strategy", "atomics", "-b", "64")
    told = [re.fullmatch(r"tess: at +(\d+\.\d{3}) s ( *)(.*), (\d+\.\d{3}) s", line).groups() for line in done.stderr.splitlines()]
    at, depth, words, taken = zip(*told)
    assert {"opening emulator", "generating airfoil", "binding the loop", "cutting", "planning", "executing and checking"} <= set(words)
    assert list(at) == sorted(at, key=float) and all(float(a) + 0.002 > float(t) for a, t in zip(at, taken))
    assert min(depth) == "" and depth[words.index("placing data")] == "  "


def test_an_error_is_written_at_once(tess_bin):
    """Ranks that fail together have one stderr: their words do not mix."""
    into, out = os.pipe2(os.O_DIRECT)  # what is read at once was written at once
    with os.fdopen(into, "rb", buffering=0) as told:
        assert subprocess.run([tess_bin, "mesh", "info", "none\x1b.su2"], stderr=out, timeout=20).returncode == 3
        os.close(out)
        assert told.read(4096) == b"tess: error: none\\x1b.su2: cannot be opened: No such file or directory\n"
        assert told.read(4096) == b""
