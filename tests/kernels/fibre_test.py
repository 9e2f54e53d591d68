"""Fibres on every way of switching: this machine's, ucontext, and aarch64 under QEMU."""

import shutil
import subprocess

import pytest
from conftest import ROOT, limited

FIBRES, ROUNDS = 70, 200
FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}"]
SOURCES = [ROOT / "tests/kernels/fibre_driver.c", ROOT / "kernels/devices/emulator/fibre.c"]

# what each fibre adds a round: 10 (number + 1/2) + 4 number + 6
SUM = ROUNDS * sum(14 * number + 11 for number in range(FIBRES))


def one_of(names, package):
    found = next((path for path in map(shutil.which, names) if path), None)
    if not found:
        pytest.skip(f"no {names[0]} (Debian: apt-get install {package})")
    return found


def walks(folder, compiler, *flags, runner=()):
    program = folder / "fibres"
    subprocess.run([compiler, *FLAGS, *flags, *SOURCES, "-o", program], check=True, **limited(60))
    done = subprocess.run([*runner, program], capture_output=True, text=True, **limited(60))
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == SUM


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_fibres_switch_on_this_machine(tmp_path, level):
    walks(tmp_path, "cc", level)


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_fibres_switch_by_ucontext(tmp_path, level):
    walks(tmp_path, "cc", level, "-DTESS_FIBRE_UCONTEXT")


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_fibres_switch_on_aarch64(tmp_path, level):
    compiler = one_of(["aarch64-linux-gnu-gcc"], "gcc-aarch64-linux-gnu libc6-dev-arm64-cross")
    qemu = one_of(["qemu-aarch64-static", "qemu-aarch64"], "qemu-user-static")
    walks(tmp_path, compiler, level, "-static", runner=[qemu])
