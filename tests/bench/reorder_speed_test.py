"""bench/reorder_speed.py: what reordering holds in memory beside reading and writing the same mesh."""

import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

SCRIPT = ROOT / "bench/reorder_speed.py"


@pytest.mark.parametrize("order", ["hilbert", "levels"])
def test_an_order_takes_half_as_much_memory_again_at_most(tess_bin, order):
    """Of the two formats whose files are held in the fewest bytes; their times depend on what else runs."""
    words = [sys.executable, SCRIPT, "--cells", "200000", "--order", order, "--turns", "1", "--build", pathlib.Path(tess_bin).parents[1], "ugrid", "meshb"]
    titles, _, *rows = (line.strip("| ").split(" | ") for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines())
    assert titles[-1] == "times" and [row[0] for row in rows] == ["ugrid", "meshb"]
    assert all(0.5 < float(row[-1]) <= 1.5 for row in rows), rows
