"""The program `tess` that a wheel holds: what pip puts in PATH starts it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .shared_library import HELD, nvrtc_of_packages


def _environment() -> dict[str, str]:
    """That of the user, who may have said otherwise: the program's scripts run by this Python, with this package."""
    own = {"TESS_PACKAGE": str(Path(__file__).resolve().parents[1]), "TESS_PYTHON": sys.executable}
    nvrtc = nvrtc_of_packages()
    if nvrtc:
        own["TESS_NVRTC"] = nvrtc
    return {**own, **os.environ}


def main() -> None:
    """Becomes the program."""
    program = HELD / "bin" / "tess"
    os.execve(program, [str(program), *sys.argv[1:]], _environment())
