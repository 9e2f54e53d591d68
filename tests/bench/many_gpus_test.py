"""bench/many_gpus.py: what it measures of ranks, here processes on the emulator."""

import importlib.util
import json
import os
import subprocess
import sys

import yaml
from conftest import ROOT
from launched_ranks import ROOT_MAY, launcher_command


def test_steps_of_ranks_are_a_file_that_the_program_predicts(tess, tess_bin, tmp_path):
    launcher = " ".join([*launcher_command("Open MPI"), "--bind-to none"])
    words = ["--launcher", launcher, "--engine", "mpi", "--device", "emulator", "--graph", "no", "--small", "--steps", "6", "--ranks", "1,2",
             "--exchange-samples", "2", "--limit", "250", "--bits", "--applications", "lulesh,bookleaf",
             "--cases", "bookleaf-chain,bookleaf-chain:-b=64:--threads=32"]  # fmt: skip
    made = tmp_path / "steps.yaml"
    said = subprocess.run([sys.executable, ROOT / "bench/many_gpus.py", "--tess", tess_bin, *words, "--marches", made, "--json", tmp_path / "all.json"],
                          capture_output=True, text=True, timeout=550, env={**os.environ, **ROOT_MAY})  # fmt: skip
    assert said.returncode == 0, said.stderr
    kept = json.loads((tmp_path / "all.json").read_text())
    lines = [line for line in said.stdout.splitlines() if not line.startswith("ms a step")]
    digests = [kept["bits"][name]["digests"][0] for name in ("lulesh", "bookleaf")]
    assert [line.rstrip() for line in lines[:2]] == [f"{name:10} 6 runs on [1, 2] ranks: 1 digest(s) {digest}"
                                                     for name, digest in zip(("lulesh", "bookleaf"), digests)]
    assert len({len(digest) for digest in digests}) == 1 and digests[0] != digests[1]
    assert [line.split()[0] for line in lines[2:]] == ["bookleaf-chain", "bookleaf-chain:-b=64:--threads=32"]
    found = kept["bookleaf-chain"]
    assert {n: one["ranks"]["n"] for n, one in found.items() if n != "0"} == {"1": 1, "2": 2}
    [two] = kept["bookleaf-chain:-b=64:--threads=32"].items()  # on the most alone, its efficiency by the first case's one rank
    assert two[0] == "2" and two[1]["ranks"]["n"] == 2 and lines[3].count("(") == 1
    [march] = yaml.safe_load(made.read_text())["marches"]
    assert (march["application"], march["chains"], list(march["steps"])) == ("bookleaf", "auto", [1, 2])
    exposed = found["2"]["ranks"]["exposed_seconds"]
    assert march.get("exposed", {}) == ({2: float(f"{exposed:.4g}")} if exposed > 0 else {})
    [row] = json.loads(tess("ranks", "--against", made, "--json").stdout)["rows"]
    assert row["measured"] == march["steps"][2]


def test_settings_of_a_name_are_those_of_its_case_but_for_its_own():
    spec = importlib.util.spec_from_file_location("many_gpus", ROOT / "bench/many_gpus.py")
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    case, application, mesh, words = bench.settings_of("airfoil-chain:-b=64:--threads=32")
    assert (case, application, mesh, bench.CASES[case][2]) == ("airfoil-chain", "airfoil", "airfoil:i=800:j=1200", bench.RINGS)
    settings, own = (dict(zip(one[::2], one[1::2])) for one in (words, bench.RINGS))
    assert settings == own | {"-b": "64", "--threads": "32"} and len(words) == len(bench.RINGS)


def test_what_the_bench_does_not_know_is_named():
    for words in (["--cases", "airfoil-cain:-b=64"], ["--bits", "--applications", "lulech"]):
        said = subprocess.run([sys.executable, ROOT / "bench/many_gpus.py", *words], capture_output=True, text=True)
        assert said.returncode == 2 and f"there is no {words[-1]}:" in said.stderr
