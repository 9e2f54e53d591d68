"""tess tune, then tess march: the line that is printed last works as it is, for a loop and for a whole step."""

import json
import re
import shlex

import pytest
from conftest import ROOT

MESH = ["--mesh", "quads:nx=16:ny=12"]
EMULATOR = ["--device", "emulator", "--by", "read_sectors", "--partitioner", "rcb,file-order", "--block-size", "64",
            "--strategy", "atomics,point-parallel"]  # fmt: skip


def last_line(done, words):
    line = done.stdout.rstrip("\n").split("\n")[-1]
    assert line.startswith(words + ": tess march ")
    return shlex.split(line.removeprefix(words + ": tess "))


def told_device(words):
    return next(word for word in words if word.startswith("--device=")).partition("=")[2]


@pytest.mark.parametrize("words, loop", [
    (["airfoil", *MESH, *EMULATOR, "--threads", "32"], "res_calc"),
    (["airfoil", *MESH, *EMULATOR, "--loop", "adt_calc"], "adt_calc"),
    (["airfoil", *MESH, "--loop", "update", "--device", "emulator", "--by", "read_sectors", "--strategy", "atomics"], "update"),
    (["--kernel", ROOT / "docs/user_kernel/diffusion.yaml", "--loop", "exchange", "--mesh", "tris:nx=9:ny=7", *EMULATOR], "exchange"),
    (["airfoil", *MESH, "--device", "host", "--budget", "1s", "--early", "--strategy", "sequential"], "res_calc")])  # fmt: skip
def test_the_winner_is_marched_by_the_line_that_tune_prints(tess, tmp_path, words, loop):
    lab = ["--lab", tmp_path]
    march = last_line(tess("tune", *words, *lab), "March with it")
    if "--by" in words:
        again = json.loads(tess("tune", *words, "--json", *lab).stdout)["march"]
        assert shlex.split(again)[1:] == march
    told = json.loads(tess(*march, "--steps", "1", "--check", "--loops", "--json", "--keep-text", tmp_path / "pages",
                           *lab).stdout)  # fmt: skip
    row = next(row for row in told["loops"] if row["loop"] == loop)
    assert row["block_size"] == int(next(word for word in march if word.startswith("--block-size=")).partition("=")[2])
    assert "--threads" not in words or row["threads"] == 32
    pages = [page.name for page in (tmp_path / "pages").iterdir()]
    strategy = next(word for word in march if word.startswith("--strategy=")).partition("=")[2]
    assert f"{loop}-{strategy}-{told_device(march)}.cu".replace(":", "-") in pages


def test_a_loop_outside_of_the_step_says_so(tess, tmp_path):
    done = tess("tune", "fun3d", "--loop", "visjac_tets", "--mesh", "tets:nx=3:ny=3:nz=3", "--by", "read_sectors",
                "--budget", "0.001s", "--lab", tmp_path)  # fmt: skip
    assert "It cannot be marched: loop visjac_tets is no part of a time step of fun3d" in done.stdout


@pytest.fixture(scope="module")
def tuned(tess, tmp_path_factory):
    """A step that was tuned on the emulator: its folder and what was printed."""
    folder = tmp_path_factory.mktemp("step")
    done = tess("tune", "airfoil", *MESH, *EMULATOR, "--step", "--lab", "lab", cwd=folder)
    return folder, done


def test_the_file_says_how_it_is_marched(tess, tmp_path):
    tess("tune", "airfoil", *MESH, *EMULATOR, "--step", "--budget", "1s", "--no-lab", "-o", "my step.yaml", cwd=tmp_path)
    march = shlex.split((tmp_path / "my step.yaml").read_text().split("\n")[1].removeprefix("#   tess "))
    assert march == ["march", "--settings", "my step.yaml"]
    tess(*march, "--steps", "1", "--no-lab", cwd=tmp_path)


def test_a_step_is_tuned_and_marched(tess, tuned):
    folder, done = tuned
    march = last_line(done, "March with them")
    assert march == ["march", "airfoil", "--mesh=quads:nx=16:ny=12", "--settings=airfoil.step.yaml"]
    text = (folder / "airfoil.step.yaml").read_text()
    assert "device: emulator" in text and "numbered_by: " in text and "    partitioner: " in text
    run = text.split("run ")[1].split(".")[0]
    pages = {}
    for settings in ("airfoil.step.yaml", "@" + run):
        words = [*march[:-1], "--settings", settings, "--steps", "2", "--check", "--lab", "lab", "--keep-text", settings + "-text"]
        told = json.loads(tess(*words, "--loops", "--json", cwd=folder).stdout)
        assert [row["loop"] for row in told["loops"]] == ["save_soln", "adt_calc", "res_calc", "bres_calc", "update"]
        pages[settings] = {page.name: page.read_text() for page in (folder / (settings + "-text")).iterdir()}
    assert pages["airfoil.step.yaml"] == pages["@" + run]
    kept = json.loads(tess("show", run, "--lab", "lab", "--json", cwd=folder).stdout)
    assert kept["outcome"] == "passed" and kept["configuration"]["loop"] == "step"
    for loop in ("adt_calc", "res_calc"):  # a metric decides: the least of those that were tried
        found = json.loads(tess("runs", "--lab", "lab", "--json", "-w", f"loop={loop}", cwd=folder).stdout)["runs"]
        least = min(found, key=lambda run: run["read_sectors"])
        same = [run for run in found if run["read_sectors"] == least["read_sectors"]]
        assert kept["configuration"][f"strategy/{loop}"] in {run["strategy"] for run in same}


def test_shares_of_what_is_not_timed_are_of_bytes(tess, tmp_path):
    """And a mesh without coordinates is tuned, too: fv's two loops are alike."""
    words = ["tune", "fv", "--mesh", "random_blocks:n=300:b=30", "--device", "emulator", "--by", "read_sectors", "--step",
             "--partitioner", "file-order", "--block-size", "64", "--strategy", "gather,atomics", "--lab", "lab"]
    told = json.loads(tess(*words, "--json", cwd=tmp_path).stdout)
    assert [loop["share"] for loop in told["loops"]] == [0.5, 0.5]
    assert all(loop["found"] and loop["seconds_after"] is None for loop in told["loops"])
    tess("march", "--no-lab", "--settings", told["settings"], "--steps", "1", "--check", cwd=tmp_path)


def test_a_file_that_is_there_is_not_written_over(tess, tuned):
    folder, _ = tuned
    before = (folder / "airfoil.step.yaml").read_text()
    words = ["tune", "airfoil", *MESH, *EMULATOR, "--step", "--lab", "lab2", "--runs", "1"]
    assert "is there already" in tess(*words, "--output", "airfoil.step.yaml", code=2, cwd=folder).stderr
    assert not (folder / "lab2/runs").exists() or not list((folder / "lab2/runs").iterdir())
    march = last_line(tess(*words, cwd=folder), "March with them")
    assert march[-1] == "--settings=airfoil.step-2.yaml" and (folder / "airfoil.step-2.yaml").exists()
    assert (folder / "airfoil.step.yaml").read_text() == before


def test_a_step_is_raced_on_the_host(tess, tmp_path):
    words = ["tune", "airfoil", *MESH, "--device", "host", "--step", "--budget", "2s", "--early", "--partitioner", "rcb",
             "--block-size", "64", "--strategy", "sequential", "--lab", "lab", "--output", "found.yaml"]
    told = json.loads(tess(*words, "--json", cwd=tmp_path).stdout)
    assert told["schema"] == "tess.tune_step/1" and told["settings"] == "found.yaml"
    shares = [loop["share"] for loop in told["loops"]]
    assert shares == sorted(shares, reverse=True) and sum(shares) == pytest.approx(1)
    assert told["loops"][0]["tried"] > 0 and told["chains"] in ("none", "auto", "auto:rings=1", "auto:rings=2")
    before = [loop["seconds_before"] for loop in told["loops"]]
    after = [loop["seconds_after"] or 0 for loop in told["loops"]]
    assert told["seconds_before"] == pytest.approx(sum(before)) and all(before)
    if told["chains"] == "none":
        assert all(after) and told["seconds_after"] == pytest.approx(sum(after))
    else:  # loops of chains are timed as these
        assert not all(after) and told["seconds_after"] > sum(after)
    assert f'chains: {told["chains"]}' in (tmp_path / "found.yaml").read_text()
    kept = json.loads(tess("show", told["run"], "--lab", "lab", "--json", cwd=tmp_path).stdout)
    assert len(kept["samples"]["time"]["values"]) == 10
    tess("march", "airfoil", *MESH, "--settings", "found.yaml", "--steps", "1", cwd=tmp_path)


def test_the_table_of_a_step_adds_up(tess, tmp_path):
    done = tess("tune", "airfoil", *MESH, "--device", "host", "--step", "--budget", "2s", "--early", "-p", "rcb", "-b", "64",
                "--strategy", "sequential", "--no-lab", cwd=tmp_path)  # fmt: skip
    titles, *rows = done.stdout.split("\n\n")[0].splitlines()
    ends = {title: titles.index(title) + len(title) for title in ("share %", "ms before", "ms after")}

    def column(title):
        """Numbers end where their title does."""
        return [float(row[:ends[title]].split("  ")[-1].split()[-1]) for row in rows if row[ends[title] - 2:ends[title]].strip()]

    after, before = map(float, re.search(r"A step takes (\S+) ms, (\S+) ms before, loop by loop", done.stdout).groups())
    assert before == pytest.approx(sum(column("ms before")), rel=1e-2) and after == pytest.approx(sum(column("ms after")), rel=1e-2)
    assert sum(column("share %")) == pytest.approx(100, abs=0.5) and len(column("ms before")) == 5
    chained = [row for row in rows if row.endswith("one kernel")]
    assert bool(chained) == ("Chains: none" not in done.stdout) == any(row.endswith(", in a chain") for row in rows)


@pytest.mark.parametrize("words, said", [
    (["--loop", "res_calc"], "leave --loop out"), (["--layout", "soa,aos"], "a march has one layout"),
    (["--output", "no/where.yaml"], "no/where.yaml"), (["--kernel", "mine.h"], "not both")])  # fmt: skip
def test_what_is_no_step_is_refused(tess, tmp_path, words, said):
    done = tess("tune", "airfoil", *MESH, *EMULATOR, "--step", "--no-lab", *words, cwd=tmp_path,
                code=1 if "where" in words[-1] else 2)  # fmt: skip
    assert said in done.stderr
    assert "--step writes" in tess("tune", "airfoil", *MESH, *EMULATOR, "--no-lab", "--output", "x", code=2, cwd=tmp_path).stderr
