"""The shared library of Tesselab, opened where it is found: libtesselab.so, whose header is tesselab.h."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

VERSION = "0.3"  # of the library: names stay within it
SONAME = f"libtesselab.so.{VERSION}"

HELD = Path(__file__).resolve().parent / "program"  # of a wheel that holds library and program

OK, USAGE, INPUT, MISSING = 0, 5, 6, 7  # of enum tess_status


class TesselabError(RuntimeError):
    """What the library says of a call that failed."""


class BadInputError(TesselabError, ValueError):
    """What was asked for cannot be: a mesh, an option or a name that is wrong."""


class NotInstalledError(TesselabError):
    """The library, or something that it needs, is not on this machine; the message says what to install."""


class Library:
    """The functions of the library. A call that fails raises what the library says."""

    def __init__(self, path: str) -> None:
        self._functions = ctypes.CDLL(path)
        self._functions.tess_message.restype = ctypes.c_char_p
        self._functions.tess_version.restype = ctypes.c_char_p
        self.version: str = self._functions.tess_version().decode()
        if not self.version.startswith(VERSION + "."):
            raise NotInstalledError(f"{path} is of version {self.version}; this package needs {VERSION}")

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function that gives a status."""
        status = getattr(self._functions, name)(*arguments)
        if status != OK:
            kinds = {USAGE: BadInputError, INPUT: BadInputError, MISSING: NotInstalledError}
            message = self._functions.tess_message().decode("utf-8", "replace")
            raise kinds.get(status, TesselabError)(message)

    def ask(self, name: str, kind: Any, *arguments: Any) -> Any:
        """Calls a function that gives a value of that kind of ctypes."""
        function = getattr(self._functions, name)
        function.restype = kind
        return function(*arguments)

    def made(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        """Calls a function that gives an object through its last argument."""
        out = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(out))
        return out

    def freed_by(self, name: str, thing: ctypes.c_void_p) -> Callable[[], None]:
        """What gives an object back, for an ExitStack."""
        return lambda: self.ask(name, None, thing)


def _places() -> Iterator[Path]:
    """Where the library may be: stated, in this package, beside the program, in a checkout, where the system looks."""
    stated = os.environ.get("TESS_LIBRARY")
    if stated:
        yield Path(stated)
        return
    yield HELD / "lib" / SONAME
    program = shutil.which("tess")
    if program:
        prefix = Path(program).resolve().parents[1]
        yield prefix / SONAME  # of a build
        yield from sorted(prefix.glob(f"lib/{SONAME}")) + sorted(prefix.glob(f"lib*/*/{SONAME}"))
    yield Path(__file__).resolve().parents[2] / "build/release" / SONAME
    found = ctypes.util.find_library("tesselab")
    if found:
        yield Path(found)


def nvrtc_of_packages() -> str | None:
    """NVIDIA's compiler where pip has installed it, the newest; the library looks for others itself."""
    found = [path for folder in sys.path for path in Path(folder, "nvidia").glob("*/lib/libnvrtc.so.1?")]
    return str(max(found, key=lambda path: path.name)) if found else None


@lru_cache(maxsize=1)
def _opened(stated: str | None, path: str | None) -> Library:
    del stated, path  # what it depends on
    nvrtc = nvrtc_of_packages()
    if nvrtc:
        os.environ.setdefault("TESS_NVRTC", nvrtc)
    for place in _places():
        if place.exists() or "/" not in str(place):
            try:
                return Library(str(place))
            except OSError as error:
                raise NotInstalledError(f"{place} cannot be opened: {error}") from error
    raise NotInstalledError(
        f"{SONAME} is not found: build Tesselab (./bootstrap build), install its package or its wheel, have `tess` in "
        "PATH or say with TESS_LIBRARY where the library is; labs can be read without it")


def library() -> Library:
    """The library, opened once; NotInstalledError if it is missing."""
    return _opened(os.environ.get("TESS_LIBRARY"), os.environ.get("PATH"))
