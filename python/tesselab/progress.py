"""The share of a module's work that is done: `tess`, where it waits, tells of it (core/base/process.h)."""

from __future__ import annotations

import os

_waiting = os.environ.pop("TESS_PROGRESS_FD", "")  # not for programs that this one starts
_done, _parts = 0, 0


def begin(n_parts: int) -> None:
    """What is done so far is one part: libraries and input were read. Then come n_parts."""
    global _done, _parts
    _done, _parts = 0, n_parts + 1
    end_part()


def end_part() -> None:
    """One more part is done."""
    global _done
    _done += 1
    if _waiting and _parts:
        os.pwrite(int(_waiting), b"%d %d\n" % (_done, _parts), 0)
