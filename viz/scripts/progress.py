"""The parts of a picture that are done: `tess`, where it waits, tells of them (core/base/process.h)."""

import os

WAITING = os.environ.pop("TESS_PROGRESS_FD", "")
counts = {"done": 0, "parts": 0}


def begin(n_parts):
    """ParaView's start was the first part; n_parts follow."""
    counts.update(done=0, parts=n_parts + 1)
    end_part()


def end_part(n=1):
    """n more parts are done."""
    counts["done"] += n
    if WAITING and counts["parts"]:
        os.pwrite(int(WAITING), f"{counts['done']} {counts['parts']}\n".encode(), 0)
