"""Counted in memory: which runs are counted again and how, what is made of the counts, and that the page has those that ship,
these and those counted warm."""

import json
import subprocess

import pandas as pd
import pytest
from conftest import ROOT
from tesselab import counted_memory as module
from tesselab import counted_warm

NAN = float("nan")
RUN = {"run": "r1", "application": "airfoil", "loop": "res_calc", "mesh": "airfoil:i=40:j=60", "precision": "double",
       "partitioner": "metis", "partitioner:l": 1.001, "partitioner:seed": 0.0, "partitioner:method": NAN, "block_size": 128,
       "threads": 0, "points": "all", "thread_order": "colour", "layouts": "soa", "strategy": "block-colour:loads=single",
       "block_numbers": NAN, "moved_bytes_min": 1, "l2_read_sectors": 100, "l2_write_sectors": 50, "dram_read_bytes": 3200,
       "dram_write_bytes": 64}  # fmt: skip


def runs(*changes):
    return pd.DataFrame([RUN | change for change in changes]).set_index("run")


def test_the_runs_are_those_that_counters_counted_and_that_spilled_nothing():
    found = module.hardware()
    assert len(found) == 59 and (found["dram_write_bytes"] > 0).all() and not (found["spilled_bytes"] > 0).any()
    assert set(found["mesh"]) >= {"airfoil:i=400:j=600", "random_blocks:n=1000000:b=5", "airfoil:i=800:j=1200"}


def test_a_run_becomes_the_command_that_counts_it():
    words = module.command_of(runs({}).iloc[0])
    assert words[:7] == ["tess", "run", "airfoil", "--mesh", "airfoil:i=40:j=60", "--partitioner", "metis:l=1.001"]
    assert ["--block-size", "128"] == words[words.index("--block-size"):][:2] and ["--order", "colour"] == words[words.index("--order"):][:2]
    assert "--threads" not in words and "--block-numbers" not in words
    assert words[-6:] == ["--device", module.DEVICE, "--time-limit", "0", "--no-lab", "--json"]


def test_what_is_counted_is_not_counted_again(monkeypatch, tmp_path):
    asked = []

    def run(words, **options):
        asked.append(words[words.index("--mesh") + 1])
        counts = dict.fromkeys(("read_sectors", "write_sectors", *module.COUNTED), len(asked))
        return subprocess.CompletedProcess(words, 0, json.dumps({"runs": [counts]}), "")

    monkeypatch.setattr(subprocess, "run", run)
    both = runs({"mesh": "large", "moved_bytes_min": 9}, {"run": "r2", "mesh": "small"})
    module.count(both[both["mesh"] == "small"], tmp_path / "counts.csv")
    module.count(both, tmp_path / "counts.csv")
    counts = pd.read_csv(tmp_path / "counts.csv")
    assert asked == ["small", "large"] and counts["run"].tolist() == ["r2", "r1"] and counts["dram_read_bytes"].tolist() == [1, 2]
    monkeypatch.setattr(subprocess, "run", lambda words, **options: subprocess.CompletedProcess(words, 2, "", "no such mesh"))
    with pytest.raises(SystemExit, match="--mesh small.*no such mesh"):
        module.count(both, tmp_path / "others.csv")


def test_deviations_are_summed_up(monkeypatch, tmp_path, capsys):
    hardware = runs({}, {"run": "r2", "strategy": "block-colour:sums=cleared"}, {"run": "r3", "loop": "update"}, {"run": "r4"})
    counts = tmp_path / "counts.csv"
    counts.write_text("run,l2_read_sectors,l2_write_sectors,dram_read_bytes,dram_write_bytes\n"
                      "r1,100,60,3200,32\nr2,102,50,3200,64\nr3,90,50,3200,64\n")  # fmt: skip
    monkeypatch.setattr(module, "hardware", lambda: hardware)
    page = tmp_path / "page.md"
    page.write_text("<!-- memory: old -->\n<!-- end of memory -->\n")
    module.main(["--counts", str(counts), "--into", str(page)])
    text = page.read_text()
    assert "| median | 3 | 2.0 | 0.0 | 0.0 | 0.0 | 0.0 |" in text and "| largest | 3 | 10.0 | 20.0 | 0.0 | 50.0 | 1.0 |" in text
    assert "| airfoil res_calc, doubles, soa, block-colour | 2 | +1.0 | +10.0 | +0.0 | -25.0 | -0.5 |" in text
    assert "| airfoil update, doubles, soa, block-colour | 1 | -10.0 | +0.0 | +0.0 | +0.0 | +0.0 |" in text
    module.main(["--counts", str(counts)])
    assert "airfoil update, doubles, soa, block-colour" in capsys.readouterr().out


@pytest.mark.parametrize("made", [module, counted_warm])
def test_the_page_has_the_counts_that_ship(made, tmp_path):
    page = tmp_path / "emulator.md"
    page.write_text((ROOT / "docs/results/emulator.md").read_text())
    before = page.read_text()
    made.main(["--into", str(page)])
    assert page.read_text().replace(str(page), "docs/results/emulator.md") == before


@pytest.mark.parametrize("run", ["01m859d0d1ps2dx7hfkfnwe3p8"])
def test_the_counts_that_ship_are_todays(tess_bin, run, monkeypatch):
    """The smallest of the runs, counted again."""
    monkeypatch.setenv("PATH", f"{tess_bin.parent}:/usr/bin:/bin")
    monkeypatch.delenv("CC", raising=False)
    done = subprocess.run(module.command_of(module.hardware().loc[run]), capture_output=True, check=True)
    counts = json.loads(done.stdout)["runs"][0]
    kept = pd.read_csv(module.COUNTS).set_index("run").loc[run]
    assert {name: counts[name] for name in kept.index} == kept.to_dict()
