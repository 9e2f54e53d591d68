"""What every pytest of Tesselab shares: the program under test and where it is."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than 10 seconds")


@pytest.fixture(scope="session")
def tess_bin():
    """The path of the program: TESS_BIN, else the release build."""
    path = pathlib.Path(os.environ.get("TESS_BIN", ROOT / "build/release/bin/tess")).resolve()
    if not path.exists():
        pytest.fail(f"{path} is not built: cmake --preset release && cmake --build --preset release")
    return path


@pytest.fixture(scope="session")
def tess(tess_bin):
    """Runs the program: tess("mesh", "info", path, code=0) gives the finished process, its stdout
    and stderr as text, and fails unless it exits with `code` within `timeout` seconds."""

    def run(*arguments, code=0, timeout=120, **options):
        done = subprocess.run(
            [tess_bin, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, **options
        )
        assert done.returncode == code, (
            f"tess {' '.join(map(str, arguments))} exited with {done.returncode}, not {code}:\n"
            f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
        return done

    return run
