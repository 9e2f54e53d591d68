"""bench/mosaic_gate.py: what its table says of two programs that are doubles, and when the gate is missed."""

import subprocess
import sys

import pytest
from conftest import ROOT

GATE = ROOT / "bench/mosaic_gate.py"
DOUBLE = """#!/bin/sh
# Prints the cut that CUTS names for a spec: reuse, blocks and seconds.
echo "$4" >> "$0.calls"
case "$4" in
%s
*) echo "no such partitioner" >&2; exit 1;;
esac
echo "1000 elements"
echo head
echo "$4 $3 $reuse $reuse $blocks $cpu $cpu 1 0"
"""
OLD = {"mosaic": (4, 16, 1), "metis": (3.9, 17, 1), "metis:method=recursive": (3.8, 17, 2), "rcb": (3, 16, 0.1)}
NEW = {"mosaic": (4, 16, 1.1), "mosaic:level=quick": (3.9, 16, 0.2), "mosaic:level=long": (4.1, 16, 9)}


def double(folder, name, cuts):
    program = folder / name
    program.write_text(DOUBLE % "\n".join(f"{spec}) reuse={reuse} blocks={blocks} cpu={cpu};;"
                                          for spec, (reuse, blocks, cpu) in cuts.items()))
    program.chmod(0o755)
    return program


@pytest.fixture
def gate(tmp_path):
    rows = tmp_path / "rows.csv"  # the doubles cut 1,000 elements in 16 blocks: of 64
    rows.write_text("mesh,map,block_sizes,group\nairfoil:i=100:j=150,edges:cells,64,known\n")

    def call(new, *words):
        command = [sys.executable, GATE, "--old", double(tmp_path, "old", OLD), "--new", double(tmp_path, "new", NEW | new),
                   "--cache", tmp_path / "cuts", "--meshes", tmp_path, "--list", rows, *words]
        subprocess.run([*command, "--baseline"], check=True, capture_output=True)
        return subprocess.run(command, capture_output=True, text=True)

    def row(begin, done):
        found = [line for line in done.stdout.splitlines() if line.startswith(begin)]
        return [cell.strip() for cell in found[0].strip("|").split("|")]

    call.row, call.folder = row, tmp_path
    return call


def test_a_mosaic_as_good_as_the_old_one_passes(gate):
    done = gate({})
    assert done.returncode == 0, done.stdout + done.stderr
    assert gate.row("| all", done)[1:] == [
        "1", "4.000", "-2.50", "+0.00", "+2.50", "-2.50", "-25.00", "+2.56", "0.20", "1.10", "9.00", "1.00", "2.00"]
    assert "| seconds of 1 rows | quick | default | long | old default | METIS recursive | METIS k-way |" in done.stdout
    assert "|  | 0.2 | 1.1 | 9.0 | 1.0 | 2.0 | 1.0 |" in done.stdout
    assert "MISSED" not in done.stdout and "rows that lose" not in done.stdout
    assert "New default against old: +0.00 % in the mean of 1 rows, +0.00 % on the worst" in done.stdout


@pytest.mark.parametrize("new, words", [
    ({"mosaic": (3.98, 16, 1)}, "default's reuse against the old default, mean, % | -0.50 | -0.3"),
    ({"mosaic": (3.8, 16, 1)}, "default's reuse against METIS's best, worst of 1 rows, % | -2.56 | -1.5"),
    ({"mosaic": (4, 16, 1.3)}, "default's time over the old default's | 1.30 | at most 1.2"),
    ({"mosaic:level=quick": (3.9, 16, 0.3)}, "METIS recursive's time over that of quick | 6.7 | 8"),
    ({"mosaic:level=quick": (3.7, 16, 0.1)}, "quick's reuse against METIS recursive, mean, % | -2.63 | 0"),
    ({"mosaic:level=long": (4.1, 17, 9)}, "rows with blocks that are not full but the last | 1 | 0")])  # fmt: skip
def test_what_is_missed_is_named(gate, new, words):
    done = gate(new)
    assert done.returncode == 1
    assert f"| {words} | MISSED |" in done.stdout


def test_a_row_that_loses_is_listed(gate):
    assert "| `airfoil:i=100:j=150` edges:cells | 64 | -5.00 | -2.56 | metis |" in gate({"mosaic": (3.8, 16, 1)}).stdout


def test_cuts_are_made_once(gate):
    gate({})
    gate({})
    assert sorted((gate.folder / "new.calls").read_text().split()) == sorted(NEW)
    assert (gate.folder / "old.calls").read_text().split().count("mosaic") == 1


def test_the_table_is_written_between_the_marks_of_a_page(gate):
    page = gate.folder / "page.md"
    page.write_text("before\n<!-- gate: made by bench/mosaic_gate.py -->\nold\n<!-- end of gate -->\nafter\n")
    gate({}, "--into", page)
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "\nold\n" not in text and "| all |" in text
