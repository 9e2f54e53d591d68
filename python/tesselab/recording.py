"""Recordings: times of any program of yours, archived beside the runs of a lab."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .archive import LabError
from .shared_library import BadInputError, NotInstalledError

BAD_WORDS = (2, 3)  # exit codes of the program for what was asked for


def record(name: str, seconds: ArrayLike | Callable[[], Any], *, samples: int = 5, warm_up: int = 1,
           lab: str | os.PathLike[str] | None = None, mesh: str | None = None, loop: str | None = None,
           settings: Mapping[str, object] | None = None) -> str:
    """Archives times of something that ran outside of Tesselab, and gives the id of its run.

    `seconds` are the times that you have measured, or a function of yours without arguments: it is called
    `warm_up` times and then `samples` times, by the wall clock; on a GPU it returns when the work is done.
    `mesh` and `loop` are what runs beside it call theirs, `settings` what runs are grouped and compared by,
    say {"order": "mosaic"}. `lab` is as for `tess`: $TESS_LAB, else ./lab. `tess compare` compares such runs.

    Raises BadInputError where something is wrong with what is given, NotInstalledError where there is no
    program `tess`, LabError where the lab cannot be written."""
    times = _times_of(seconds, samples, warm_up) if callable(seconds) else np.atleast_1d(np.asarray(seconds, dtype=float))
    if times.ndim != 1 or not times.size or not (np.isfinite(times) & (times > 0)).all():
        raise BadInputError("seconds are one list of finite times, above 0")
    if not name or name.startswith("-"):
        raise BadInputError(f"a name does not begin with '-' and is not empty, as '{name}'")
    words = [_program(), "record", name, "--seconds", "-"]
    for option, value in (("lab", None if lab is None else os.fspath(lab)), ("mesh", mesh), ("loop", loop)):
        words += [] if value is None else [f"--{option}={value}"]
    words += [f"--set={key}={value}" for key, value in (settings or {}).items()]
    done = subprocess.run([*words, "--json"], input="".join(f"{one!r}\n" for one in times.tolist()), text=True, capture_output=True)
    if done.returncode:
        told = done.stderr.strip().removeprefix("tess: error: ")
        raise BadInputError(told) if done.returncode in BAD_WORDS else LabError(told)
    return str(json.loads(done.stdout)["run"])


def _times_of(function: Callable[[], Any], samples: int, warm_up: int) -> np.ndarray:
    if samples < 1 or warm_up < 0:
        raise BadInputError(f"a function is sampled once at least, not {samples} times after {warm_up}")
    times = []
    for turn in range(warm_up + samples):
        began = time.perf_counter()
        function()
        if turn >= warm_up:
            times.append(time.perf_counter() - began)
    return np.array(times)


def _program() -> str:
    """`tess`, by the path or beside the library that TESS_LIBRARY names."""
    stated = os.environ.get("TESS_LIBRARY")
    found = shutil.which("tess") or (stated and shutil.which(str(Path(stated).parent / "bin/tess")))
    if not found:
        raise NotInstalledError("the program tess is not in PATH: build Tesselab (./bootstrap build) or install its package")
    return str(found)
