"""bench/many_gpus.py: what it measures of ranks, here processes on the emulator."""

import json
import os
import subprocess
import sys

import yaml
from conftest import ROOT
from launched_ranks import ROOT_MAY, launcher_command


def test_steps_of_ranks_are_a_file_that_the_program_predicts(tess, tess_bin, tmp_path):
    launcher = " ".join([*launcher_command("Open MPI"), "--bind-to none"])
    words = ["--launcher", launcher, "--engine", "mpi", "--device", "emulator", "--graph", "no", "--small", "--steps", "6",
             "--cases", "bookleaf-chain", "--exchange-samples", "0", "--limit", "250", "--ranks", "1,2", "--bits", "--applications", "bookleaf"]  # fmt: skip
    made = tmp_path / "steps.yaml"
    said = subprocess.run([sys.executable, ROOT / "bench/many_gpus.py", "--tess", tess_bin, *words, "--marches", made, "--json", tmp_path / "all.json"],
                          capture_output=True, text=True, timeout=550, env={**os.environ, **ROOT_MAY})  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert "6 runs on [1, 2] ranks: 1 digest(s)" in said.stdout
    found = json.loads((tmp_path / "all.json").read_text())["bookleaf-chain"]
    assert {n: one["ranks"]["n"] for n, one in found.items() if n != "0"} == {"1": 1, "2": 2}
    [march] = yaml.safe_load(made.read_text())["marches"]
    assert (march["application"], march["chains"], list(march["steps"])) == ("bookleaf", "auto", [1, 2])
    [row] = json.loads(tess("ranks", "--against", made, "--json").stdout)["rows"]
    assert row["measured"] == march["steps"][2]
