"""same_records.py finds a program equal to itself, and names what a changed record, plan or output differs in."""

import json
import pathlib
import re
import subprocess
import sys

import h5py

SCRIPT = pathlib.Path(__file__).parent / "same_records.py"


def compared(*arguments, code):
    done = subprocess.run([sys.executable, SCRIPT, *arguments, "--only", "partitioner rcb --json"], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_only_what_was_changed_differs(tess_bin, tmp_path):
    said = compared(tess_bin, tess_bin, "--keep", tmp_path / "kept", code=0)
    assert "1 commands, 1 records" in said and said.endswith("the same\n")
    new = tmp_path / "kept/new"
    answers = json.loads((new / "answers.json").read_text())
    answers[0]["stdout"] = answers[0]["stdout"].replace('"block_size": 32', '"block_size": 33')
    (new / "answers.json").write_text(json.dumps(answers))
    for path, dataset in ((new / "lab/runs", "metrics"), (new / "lab/plans", "plan/executed")):
        with h5py.File(next(path.glob("*.hdf")), "r+") as file:
            rows = file[dataset][...]
            rows[0] = rows[1]
            file[dataset][...] = rows
    said = compared(tmp_path / "kept/old", new, code=1)
    assert "stdout/runs/0/block_size: 32 -> 33" in said
    assert re.search(r"run 0: metrics/\w+: only before", said)
    assert "plan/executed" in said and said.endswith("differ in 3 places\n")
