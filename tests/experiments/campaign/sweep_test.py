"""`tess sweep`: idempotent, resumable, divisible, and clear about what is wrong."""

import collections
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import time

import h5py
import pytest
from conftest import HANG, limited

BLOCKS = """\
sweep: blocks
axes:
  mesh: ["tris:nx=24:ny=20", "quads:nx=16:ny=16"]
  map: edges:cells
  partitioner: [file-order, rcb, "hilbert"]
  block_size: [32, 64]
skip:
  - {when: 'partitioner = hilbert and block_size > 32 and mesh = "quads*"', because: a test}
repetitions: 2
"""
N_BLOCKS = 2 * 3 * 2 * 2 - 2


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """The meshes are tiny: threads would wait for each other."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def sweep(tess, tmp_path):
    """Writes a recipe and sweeps it: sweep(text, "--option", code=0) gives its JSON report."""

    def run(text, *arguments, lab="lab", **options):
        (tmp_path / "recipe.yaml").write_text(text)
        done = tess("sweep", "recipe.yaml", "--lab", lab, "--no-view", "--json", *arguments,
                    cwd=tmp_path, **options)
        report = json.loads(done.stdout) if done.stdout else None
        return report, done

    return run


def states(report):
    return {state: n for state, n in report["states"].items() if n}


def records(lab):
    """Each point's records: a list of (outcome, configuration, metrics that no clock decides)."""
    found = collections.defaultdict(list)
    for path in sorted((lab / "runs").glob("*.hdf")):
        with h5py.File(path, "r") as file:
            configuration = {row["key"].decode(): row["text"].decode() for row in file["configuration"]}
            metrics = {row["name"]: row["value"] for row in file["metrics"] if row["source"] != b"timer"
                       and row["source"] != b"system"}
            digest = configuration["sweep_point"]
            found[digest].append((file.attrs["outcome"].decode(), configuration, metrics))
    return found


def one_each(lab):
    """Each point's configuration and metrics; fails where records of one point differ."""
    result = {}
    for digest, all_records in records(lab).items():
        for record in all_records[1:]:
            assert record == all_records[0], "the same point, other values"
        result[digest] = all_records[0]
    return result


def test_a_sweep_makes_every_point_once_and_then_none(sweep, tmp_path):
    report, _ = sweep(BLOCKS)
    assert states(report) == {"passed": N_BLOCKS}
    assert len({point["point"] for point in report["points"]}) == N_BLOCKS
    found = records(tmp_path / "lab")
    assert sorted(len(runs) for runs in found.values()) == [1] * N_BLOCKS
    assert {point["point"] for point in report["points"]} == set(found)
    again, _ = sweep(BLOCKS)
    assert states(again) == {"done before": N_BLOCKS}
    assert len(list((tmp_path / "lab/runs").glob("*.hdf"))) == N_BLOCKS


def test_a_wider_recipe_makes_only_what_is_new(sweep):
    sweep(BLOCKS)
    report, _ = sweep(BLOCKS.replace("[32, 64]", "[64, 96, 32]"))
    assert states(report) == {"done before": N_BLOCKS, "passed": 10}
    report, _ = sweep(BLOCKS.replace("repetitions: 2", "repetitions: 1"))
    assert states(report) == {"done before": N_BLOCKS // 2}
    explicit = BLOCKS.replace("axes:", "axes:\n  renumber: blocks\n  seed: 01")
    assert states(sweep(explicit)[0]) == {"done before": N_BLOCKS}, "a default that is written down"


def test_dry_run_prints_commands_that_make_the_points(sweep, tess, tmp_path):
    report, _ = sweep(BLOCKS, "--dry-run")
    assert states(report) == {"to do": N_BLOCKS}
    assert not (tmp_path / "lab").exists(), "a dry run leaves nothing"
    done = tess("sweep", "recipe.yaml", "--dry-run", "--lab", "lab", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert len(lines) == N_BLOCKS and all(line.startswith("tess partition ") for line in lines)
    assert "--map=edges:cells --partitioner=file-order --block-size=32" in lines[0]
    assert not any(option in lines[0] for option in ("--repair", "--points", "--refine", "--order", "--seed")), "defaults"
    sweep(BLOCKS)
    for line in lines:
        tess(*line.split()[1:], "--lab", "typed", "--no-view", cwd=tmp_path)
    typed, swept = ({(run["plan_digest"], run["partitioner"], run["block_size"], run["seed"], run["renumber"]) for run in
                     json.loads(tess("runs", "--lab", lab, "--json", cwd=tmp_path).stdout)["runs"]} for lab in ("typed", "lab"))
    assert typed == swept and len(typed) > 3


def test_what_a_dry_run_sums_up_comes_below_its_commands(sweep, tess_bin, tmp_path):
    sweep(BLOCKS, "--dry-run")
    both = subprocess.run([tess_bin, "sweep", "recipe.yaml", "--dry-run"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=True, cwd=tmp_path).stdout.splitlines()  # fmt: skip
    assert all(line.startswith("tess partition ") for line in both[:N_BLOCKS]) and both[N_BLOCKS].startswith("sweep ")


def test_shards_divide_the_set(sweep, tmp_path):
    whole = {point["point"] for point in sweep(BLOCKS, "--dry-run")[0]["points"]}
    for n in (1, 2, 3, 7):
        parts = [[point["point"] for point in sweep(BLOCKS, "--dry-run", "--shard", f"{i}/{n}")[0]["points"]]
                 for i in range(1, n + 1)]
        assert sorted(sum(parts, [])) == sorted(whole)
        sizes = [len(part) for part in parts]
        assert max(sizes) - min(sizes) <= 1
    for i in (1, 2, 3):
        sweep(BLOCKS, "--shard", f"{i}/3")
    assert states(sweep(BLOCKS)[0]) == {"done before": N_BLOCKS}
    for wrong in ("0/3", "4/3", "3", "a/3", "1/0", "1/"):
        sweep(BLOCKS, "--shard", wrong, code=2)


RUNS = """\
sweep: orders
axes: {application: airfoil, mesh: "quads:nx=9:ny=8", partitioner: rcb, block_size: 32, samples: 0, strategy: [halo-atomics, point-parallel, atomics]}
"""


def test_a_strategy_has_the_order_that_it_likes(sweep, tess, tmp_path):
    """As by `tess run`; a recipe may name another. Digests of points in the order of blocks stay."""
    sweep(RUNS)
    tess(*"run airfoil --mesh quads:nx=9:ny=8 -p rcb -b 32 --samples 0 -s halo-atomics,point-parallel,atomics --lab typed --no-view".split(), cwd=tmp_path)
    typed, swept = ({(run["strategy"], run["renumber"], run["plan_digest"]) for run in
                     json.loads(tess("runs", "--lab", lab, "--json", cwd=tmp_path).stdout)["runs"]} for lab in ("typed", "lab"))
    assert typed == swept
    assert {strategy: order for strategy, order, _ in swept} == {"halo-atomics": "blocks", "point-parallel": "owner", "atomics": "blocks"}
    named = RUNS.replace("samples: 0", "samples: 0, renumber: blocks")
    assert states(sweep(named, "--dry-run")[0]) == {"done before": 2, "to do": 1}


def test_strategies_on_the_same_blocks_are_of_one_shard(sweep):
    """Whatever order of data each of them likes."""
    assert [len(sweep(RUNS, "--dry-run", "--shard", f"{i}/3")[0]["points"]) for i in (1, 2, 3)] == [3, 0, 0]


LAYOUTS = """\
sweep: layouts
axes:
  application: bookleaf
  mesh: "quads:nx=16:ny=16"
  layout: [soa, aos, "soa,nodes=aos"]
  strategy: [atomics, block-colour, point-parallel]
"""


def test_layouts_on_the_same_blocks_have_metrics_of_their_own(sweep, tmp_path):
    sweep(LAYOUTS, lab="together")
    for layout in ("soa", "aos", '"soa,nodes=aos"'):  # each on a plan of its own
        sweep(LAYOUTS.replace('[soa, aos, "soa,nodes=aos"]', layout), "--fresh", lab="apart")
    together, apart = one_each(tmp_path / "together"), one_each(tmp_path / "apart")
    assert len(together) == 9 and {d: run[2] for d, run in together.items()} == {d: run[2] for d, run in apart.items()}
    lines = {run[1]["layouts"]: run[2][b"sectors_per_block"] for run in together.values()
             if run[1]["strategy"] == "atomics"}
    assert lines["soa,nodes=aos"] == lines["aos"] != lines["soa"]  # what it reaches through maps lies at nodes


def test_failed_points_are_kept_with_their_reason(sweep, tess, tmp_path):
    text = BLOCKS.replace("[file-order, rcb, \"hilbert\"]", "[file-order, \"file:path=part.txt\"]")
    (tmp_path / "part.txt").write_text("0\n")  # of another mesh
    report, done = sweep(text, code=1)
    assert states(report) == {"passed": 8, "failed": 8}
    reason = next(point["reason"] for point in report["points"] if point["state"] == "failed")
    assert "part.txt" in reason and "part.txt" in done.stderr
    run = next(point["run"] for point in report["points"] if point["state"] == "failed")
    shown = tess("show", run, "--lab", "lab", cwd=tmp_path).stdout
    assert "part.txt" in shown and "failed" in shown
    again, _ = sweep(text, code=1)
    assert states(again) == {"done before": 8, "failed before": 8}, "not made again by itself"
    retried, _ = sweep(text, "--retry-failed", code=1)
    assert states(retried) == {"done before": 8, "failed": 8}
    assert len(list((tmp_path / "lab/runs").glob("*.hdf"))) == 24, "what failed first stays"


def test_a_failed_point_that_passes_later_is_done(sweep, tmp_path):
    text = "sweep: a\naxes: {mesh: 'quads:nx=3:ny=3', map: cells:nodes, partitioner: 'file:path=part.txt'}\n"
    (tmp_path / "part.txt").write_text("0\n")
    sweep(text, code=1)
    (tmp_path / "part.txt").write_text("0\n" * 9)
    assert states(sweep(text, "--retry-failed")[0]) == {"passed": 1}
    assert states(sweep(text, "--retry-failed")[0]) == {"done before": 1}


@pytest.mark.parametrize("command, said, digested", [
    ("partition", "map: cells:nodes, partitioner: rcb", ("partitioner", "rcb", "block_size", "64", "renumber", "blocks")),
    ("partition", "map: cells:nodes, partitioner: rcb, renumber: none", ("partitioner", "rcb", "block_size", "64")),
    ("partition", "map: cells:nodes, partitioner: rcb, renumber: gps", ("partitioner", "rcb", "block_size", "64", "renumber", "gps")),
    ("run", "application: airfoil, strategy: atomics", ("block_size", "64", "strategy", "atomics")),
    ("run", "application: airfoil, strategy: openmp, renumber: none", ("block_size", "64", "renumber", "none", "strategy", "openmp")),
    ("run", "application: airfoil, strategy: point-parallel", ("block_size", "64", "renumber", "owner", "strategy", "point-parallel")),
    ("run", "application: airfoil, strategy: point-parallel, renumber: blocks", ("block_size", "64", "strategy", "point-parallel"))])
def test_digests_stay_what_they_are(sweep, command, said, digested):
    """Labs outlive versions: a point that is done stays done. Blocks were compared without renumbering once, and
    executed in the order of blocks whatever the strategy."""
    first = said.split(", ")[0].split(": ")
    report, _ = sweep("sweep: a\naxes: {mesh: 'quads:nx=3:ny=3', block_size: 64, " + said + "}\n", "--dry-run")
    digest = hashlib.sha256()
    for piece in (f"tess {command}", "mesh", "quads:nx=3:ny=3", *first, *digested):
        digest.update(len(piece).to_bytes(8, "little") + piece.encode())
    assert report["points"][0]["point"] == digest.hexdigest()


def test_a_mesh_that_cannot_be_read_fails_its_points_only(sweep, tmp_path):
    (tmp_path / "bad.su2").write_text("NDIME= 2\nNELEM= banana\n")
    report, _ = sweep(BLOCKS.replace('"quads:nx=16:ny=16"', "bad.su2"), code=1)
    assert states(report) == {"passed": 12, "failed": 12}
    bad = [point for point in report["points"] if point["mesh"] == "bad.su2"]
    assert all("bad.su2" in point["reason"] for point in bad)
    assert {point["state"] for point in sweep(BLOCKS, code=0)[0]["points"]} == {"done before", "passed"}


def test_a_mesh_file_that_is_elsewhere_is_skipped_until_its_folder_is_named(sweep, tess, tmp_path):
    text = BLOCKS.replace('"quads:nx=16:ny=16"', '"box.su2:shuffle=1"')
    report, done = sweep(text)
    assert states(report) == {"passed": 12, "skipped": 12}
    assert "box.su2 is not here: say with --meshes DIR" in done.stderr
    listed = tess("sweep", "recipe.yaml", "--dry-run", "--lab", "new", cwd=tmp_path).stdout
    assert "tess partition box.su2:shuffle=1" in listed
    (tmp_path / "elsewhere").mkdir()
    tess("mesh", "generate", "quads:nx=9:ny=9", "-o", "elsewhere/box.su2", cwd=tmp_path)
    assert "no folder nowhere" in sweep(text, "--meshes", "nowhere", code=2)[1].stderr
    report, done = sweep(text, "--meshes", ".", "--meshes", "elsewhere")
    assert states(report) == {"passed": 12, "done before": 12}


@pytest.mark.parametrize("how", [[], ["--dry-run"]])
def test_a_name_that_no_generator_has_is_a_mistake_of_the_recipe(sweep, how):
    said = sweep(BLOCKS.replace('"quads:nx=16:ny=16"', '"quadz:nx=16:ny=16"'), *how, code=3)[1].stderr
    assert "recipe.yaml: mesh: there is neither a file nor a generator 'quadz'; did you mean 'quads'?" in said


def test_skips_are_printed_and_strict_knows_them(sweep):
    text = BLOCKS.replace("file-order", "bricks")
    report, done = sweep(text)
    assert states(report) == {"passed": 18, "skipped": 4}
    assert "skipped: edges:cells on tris:nx=24:ny=20, bricks: 4 points" in done.stderr
    sweep(text, "--strict", code=1)
    known = text + "known_skips: ['partitioner = bricks']\n"
    report, done = sweep(known, "--strict")
    assert states(report) == {"done before": 18, "skipped": 4}
    assert "skipped as known" in done.stderr
    partly = text + "known_skips: ['partitioner = bricks and block_size = 32']\n"
    assert "2 points" in sweep(partly, "--strict", code=1)[1].stderr
    reasons = [line for line in sweep(BLOCKS.replace("edges:cells", "faces:cells"))[1].stderr.splitlines() if "skipped" in line]
    assert [line.split(":nx")[0] + line[line.index(", "):].split(": ")[0] for line in reasons] == [
        "tess: skipped: faces:cells on tris, file-order and others", "tess: skipped: faces:cells on quads, file-order and others"]


def test_groups_subsets_and_rules(sweep):
    text = """\
sweep: groups
axes: {partitioner: [rcb, file-order], block_size: [64, 32]}
groups:
  - {mesh: "tris:nx=8:ny=8", map: edges:cells}
  - {mesh: ["quads:nx=8:ny=8", "tris:nx=8:ny=8"], map: [edges:cells, "cells:nodes"], seed: 1}
only: [block_size >= 32]
subsets:
  ci: {only: [map = edges:cells, partitioner = rcb], axes: {block_size: 32}}
  other: {groups: [{mesh: "tris:nx=9:ny=9", map: cells:nodes}], repetitions: 3}
"""
    assert states(sweep(text, "--dry-run")[0]) == {"to do": 4 * 4}, "the tris are there once"
    assert states(sweep(text, "--dry-run", "--subset", "ci")[0]) == {"to do": 2}
    assert states(sweep(text, "--dry-run", "--subset", "other")[0]) == {"to do": 12}
    assert "ci, other" in sweep(text, "--subset", "nightly", code=2)[1].stderr
    assert "no points: the rules of recipe.yaml (only, skip) leave none\n" in sweep(text.replace(">= 32", "> 64"))[1].stderr


def test_runs_of_applications(sweep, tmp_path):
    text = """\
sweep: runs
axes:
  application: [airfoil, bookleaf, lulesh]
  mesh: "quads:nx=10:ny=8"
  strategy: [atomics, block-colour, sequential]
  layout: [soa, aos]
  partitioner: [file-order, rcb]
  block_size: 32
known_skips:
  - strategy = sequential
  - {when: application = lulesh, because: it needs hexes}
"""
    report, _ = sweep(text, "--strict")
    assert states(report) == {"passed": 16, "skipped": 20}
    for point in report["points"]:
        fits = point["strategy"] != "sequential" and point["application"] != "lulesh"
        assert (point["state"] == "passed") == fits
    assert states(sweep(text, "--strict")[0]) == {"done before": 16, "skipped": 20}
    for (outcome, configuration, metrics), in records(tmp_path / "lab").values():
        assert outcome == "passed"
        assert {"strategy", "layouts"} < set(configuration)
    plans = collections.defaultdict(set)
    for path in (tmp_path / "lab/plans").glob("*.hdf"):
        with h5py.File(path, "r") as file:
            plans[file.attrs["partitioner"]].add(file["partition/block_of"][:].tobytes())
    assert not plans[b"file-order"] & plans[b"rcb"], "other partitioners, other blocks"


@pytest.mark.parametrize("text, place, words", [
    ("", "1:1", "empty"),
    ("sweep: a\naxes: {mesh: quads", "3:1", "begins in line 2"),
    ("sweep: a\naxes:\n\t- b", "3:1", "no YAML"),
    ("axes: {}\n", "1:1", "name"),
    ("sweep: a/b\n", "1:8", "letters"),
    ("sweep: a\nswep: b\n", "2:1", "did you mean 'sweep'"),
    ("sweep: a\nsweep: b\n", "2:1", "twice"),
    ("sweep: a\naxes:\n  mesh: quads\n  map: edges:cells\n  partitoner: rcb\n", "5:3",
     "did you mean 'partitioner'"),
    ("sweep: a\naxes:\n  mesh: quads\n  map: edges:cells\n  partitioner: [rcb, metsi]\n", "5:22",
     "did you mean 'metis'"),
    ("sweep: a\naxes:\n  mesh: quads\n  map: edges:cells\n  partitioner: ['rcb:cutt=x']\n", "5:17",
     "did you mean 'cut'"),
    ("sweep: a\naxes:\n  mesh: quads\n  map: edges:cells\n  partitioner: rcb\n  block_size: [0]\n",
     "6:16", "'0'"),
    ("sweep: a\naxes:\n  mesh: quads\n  map: edges:cells\n  partitioner: rcb\n  renumber: gsp\n",
     "6:13", "did you mean 'gps'"),
    ("sweep: a\naxes:\n  mesh: quads\n  map: edges:cells\n  partitioner: rcb\n  strategy: x\n",
     "6:3", "over maps has no 'strategy'"),
    ("sweep: a\naxes:\n  mesh: quads\n  application: airfol\n  strategy: atomics\n", "4:16",
     "did you mean 'airfoil'"),
    ("sweep: a\naxes:\n  mesh: quads\n  application: airfoil\n  strategy: atomic\n", "5:13",
     "did you mean 'atomics'"),
    ("sweep: a\naxes:\n  mesh: quads\n  partitioner: rcb\n", "3:3", "'map'"),
    ("sweep: a\naxes:\n  mesh: quads\n  map: edges:cells\n", "3:3", "'partitioner' is missing"),
    ("sweep: a\naxes:\n  mesh: []\n  map: edges:cells\n  partitioner: rcb\n", "3:9", "no value"),
    ("sweep: a\nrepetitions: many\naxes: {mesh: quads, map: a:b, partitioner: rcb}\n", "2:14",
     "'many'"),
    ("sweep: a\nskip:\n- block_sizes > 3\naxes: {mesh: quads, map: a:b, partitioner: rcb}\n", "3:3",
     "did you mean 'block_size'"),
    ("sweep: a\nskip:\n- {wen: x}\naxes: {mesh: quads, map: a:b, partitioner: rcb}\n", "3:4",
     "did you mean 'when'"),
    ("sweep: a\nskip:\n- block_size >\naxes: {mesh: quads, map: a:b, partitioner: rcb}\n", "3:3",
     "value"),
    ("sweep: a\n--- \nsweep: b\naxes: {}\n", "1:1", ""),
])
def test_errors_tell_file_line_and_column(sweep, text, place, words):
    _, done = sweep(text, code=3)
    assert done.stderr.startswith(f"tess: error: recipe.yaml:{place}: ") or not words, done.stderr
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_recipe_and_too_many_points(sweep, tess, tmp_path):
    assert "none.yaml" in tess("sweep", "none.yaml", cwd=tmp_path, code=3).stderr
    tess("sweep", "/", cwd=tmp_path, code=3)
    many = ", ".join(str(n) for n in range(1, 400))
    text = f"sweep: a\naxes: {{mesh: quads, map: a:b, partitioner: rcb, block_size: [{many}], seed: [{many}]}}\n"
    assert "points" in sweep(text, code=3)[1].stderr


SYSTEMS = {  # the program that submits, the variable of a task's number, and lines of the script
    "slurm": ("sbatch", "SLURM_ARRAY_TASK_ID", ["#SBATCH --job-name=blocks", "#SBATCH --array=1-3",
                                                "#SBATCH --output=blocks-%a.log", "#SBATCH --hold"]),
    "pbs": ("qsub", "PBS_ARRAY_INDEX", ["#PBS -N blocks", "#PBS -J 1-3", "#PBS -o blocks-^array_index^.log",
                                        "#PBS --hold", "#PBS -j oe", "#PBS -V"]),
    "sge": ("qsub", "SGE_TASK_ID", ["#$ -N blocks", "#$ -t 1-3", "#$ -o blocks-$TASK_ID.log", "#$ --hold", "#$ -j y", "#$ -V", "#$ -cwd"]),
}


def submit(tess_bin, tmp_path, *options, code=0, path="/usr/bin:/bin", **programs):
    """Submits a recipe to programs that pretend to be a batch system's: name=script."""
    for name, script in {"scontrol": "exit 1\n", **programs}.items():
        (tmp_path / name).write_text("#!/bin/sh\n" + script)
        (tmp_path / name).chmod(0o755)
    done = subprocess.run([tess_bin, "sweep", "recipe.yaml", "--lab", "lab", "--no-view", *options], cwd=tmp_path,
                          env=dict(os.environ, PATH=f"{tmp_path}:{path}"), capture_output=True, text=True, **limited(60))
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.mark.parametrize("system", SYSTEMS)
def test_tasks_of_an_array_job_make_everything_once(sweep, tess_bin, tmp_path, system):
    program, task, lines = SYSTEMS[system]
    (tmp_path / "recipe.yaml").write_text(BLOCKS)
    done = submit(tess_bin, tmp_path, "--submit", system, "--tasks", "3", "--submit-option=--hold", "--meshes", ".",
                  **{program: "cp $1 submitted\necho Job 7 is submitted\n"})
    assert done.stdout == "Job 7 is submitted\n" and not done.stderr
    script = (tmp_path / "submitted").read_text()
    assert script.splitlines()[1:1 + len(lines)] == lines and " --meshes . " in script
    assert script.endswith(f' --share "${task}/3"\n')
    # The tasks of a job run at the same time, and none waits for another.
    tasks = [subprocess.Popen(["sh", "submitted"], cwd=tmp_path,
                              env={**os.environ, task: str(i), "PBS_O_WORKDIR": str(tmp_path)}) for i in (1, 2, 3)]
    assert [task.wait(HANG) for task in tasks] == [0, 0, 0]
    assert all(len(runs) == 1 for runs in records(tmp_path / "lab").values())
    assert states(sweep(BLOCKS)[0]) == {"done before": N_BLOCKS}
    done = submit(tess_bin, tmp_path, "--submit", system, "--tasks", "3", **{program: "echo submitted again\n"})
    assert not done.stdout and "0 tasks are enough for what is left" in done.stderr


def test_a_job_has_as_many_tasks_as_are_left_and_as_fit(sweep, tess_bin, tmp_path):
    sweep(BLOCKS, "--shard", "1/2")
    done = submit(tess_bin, tmp_path, "--slurm", "400", "--dry-run")
    assert f"--array=1-{N_BLOCKS // 2}\n" in done.stdout and f"{N_BLOCKS // 2} tasks are enough" in done.stderr
    done = submit(tess_bin, tmp_path, "--slurm", "400", "--dry-run",
                  scontrol="echo 'MaxArraySize            = 6'\necho 'MaxJobCount             = 10000'\n")
    assert "--array=1-5\n" in done.stdout and "5 tasks and not 11: the system takes no more (MaxArraySize)" in done.stderr
    done = submit(tess_bin, tmp_path, "--submit", "print", "--tasks", "2")
    lines = done.stdout.splitlines()
    assert [line.split(" sweep ")[1] for line in lines] == [f"recipe.yaml --quiet --lab lab --share {i}/2" for i in (1, 2)]
    for line in lines:
        subprocess.run(line, shell=True, cwd=tmp_path, check=True, **limited(60))
    assert states(sweep(BLOCKS)[0]) == {"done before": N_BLOCKS}


def test_pbs_has_no_array_of_one(tess_bin, tmp_path):
    (tmp_path / "recipe.yaml").write_text(BLOCKS)
    script = submit(tess_bin, tmp_path, "--submit", "pbs", "--tasks", "1", "--dry-run").stdout
    assert "-J" not in script and "--share" not in script


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("says,words", [
    ("echo Submitted batch job 7", "a task of blocks.{} failed (see blocks-*.log; the same sweep again makes what is left)"),
    ("echo no such partition >&2", "{} refused blocks.{}")])
def test_a_task_that_failed_is_told_from_a_job_that_was_refused(tess_bin, tmp_path, system, says, words):
    (tmp_path / "recipe.yaml").write_text(BLOCKS)
    program, extension = SYSTEMS[system][0], {"slurm": "sbatch"}.get(system, system)
    done = submit(tess_bin, tmp_path, "--submit", system, "--tasks", "3", "--submit-option=--wait", code=1,
                  **{program: f"{says}\nexit 1\n"})
    assert words.format(*[program, extension] if words.startswith("{") else [extension]) in done.stderr


def test_jobs_that_cannot_be_are_refused(tess_bin, tmp_path):
    (tmp_path / "recipe.yaml").write_text(BLOCKS)
    done = submit(tess_bin, tmp_path, "--slurm", "3", code=4, path="")
    assert "sbatch cannot be run" in done.stderr and "blocks.sbatch is written" in done.stderr
    assert "leave --shard and --share out" in submit(tess_bin, tmp_path, "--slurm", "3", "--share", "1/2", code=2).stderr
    assert "--tasks N" in submit(tess_bin, tmp_path, "--submit", "slurm", code=2).stderr
    assert "did you mean 'slurm'" in submit(tess_bin, tmp_path, "--submit", "slrum", "--tasks", "2", code=2).stderr


def start(tess_bin, tmp_path, *arguments):
    return subprocess.Popen([tess_bin, "sweep", "recipe.yaml", "--no-view", "--quiet", *arguments], cwd=tmp_path,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def n_runs(tmp_path):
    return len(list((tmp_path / "lab/runs").glob("*.hdf")))


def test_killed_at_random_moments_and_resumed_it_gives_the_same_lab(sweep, tess_bin, tmp_path):
    kills = int(os.environ.get("TESS_SWEEP_KILLS", "6"))
    text = BLOCKS.replace("repetitions: 2", f"repetitions: {2 * kills}")
    n_points = N_BLOCKS * kills
    sweep(text, lab="whole")
    moments = random.Random(7)
    n_midway = 0
    for _ in range(kills):
        process = start(tess_bin, tmp_path, "--lab", "lab")
        # A moment measured in runs, then a little more: however slow the machine is.
        wanted = n_runs(tmp_path) + moments.randrange(N_BLOCKS * 3 // 2)
        while n_runs(tmp_path) < wanted and process.poll() is None:
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 0.01))
        n_midway += process.poll() is None
        process.kill()
        process.communicate()
    assert n_midway > kills / 2, "the sweep was over too early to be killed"
    report, _ = sweep(text)
    assert sum(states(report).values()) == n_points and set(states(report)) <= {"done before", "passed"}
    assert one_each(tmp_path / "lab") == one_each(tmp_path / "whole")
    assert all(len(runs) == 1 for runs in records(tmp_path / "lab").values()), "nothing is made twice"


def test_ctrl_c_keeps_what_is_finished(sweep, tess_bin, tmp_path):
    text = BLOCKS.replace("repetitions: 2", "repetitions: 200")
    (tmp_path / "recipe.yaml").write_text(text)
    process = start(tess_bin, tmp_path, "--lab", "lab")
    while n_runs(tmp_path) < 5:
        time.sleep(0.01)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=HANG)
    assert process.returncode == 130 and "finished and kept" in words
    found = records(tmp_path / "lab")
    assert 5 <= len(found) < 2000 and all(runs[0][0] == "passed" for runs in found.values())


def test_two_sweeps_at_once_lose_nothing(sweep, tess_bin, tmp_path):
    sweep(BLOCKS, lab="whole")
    both = [start(tess_bin, tmp_path, "--lab", "lab") for _ in range(2)]
    for process in both:
        _, words = process.communicate(timeout=HANG)
        assert process.returncode == 0, words
    assert one_each(tmp_path / "lab") == one_each(tmp_path / "whole")
    assert all(len(runs) == 1 for runs in records(tmp_path / "lab").values()), "nothing is made twice"


def test_what_a_killed_sweep_had_claimed_is_made_by_others_and_nothing_twice(sweep, tess_bin, tmp_path):
    text = BLOCKS.replace("repetitions: 2", "repetitions: 12")
    (tmp_path / "recipe.yaml").write_text(text)
    moments, n_killed = random.Random(11), 0
    for _ in range(3):
        tasks = [start(tess_bin, tmp_path, "--lab", "lab", "--share", f"{i}/3") for i in (1, 2, 3)]
        wanted = n_runs(tmp_path) + moments.randrange(10, 20)
        while n_runs(tmp_path) < wanted and tasks[0].poll() is None:
            time.sleep(0.001)
        n_killed += tasks[0].poll() is None
        tasks[0].kill()
        tasks[1].send_signal(signal.SIGSTOP)  # what it has stays its own
        tasks[2].communicate(timeout=HANG)
        tasks[1].kill()
        for task in tasks[:2]:
            task.communicate()
    assert n_killed, "the sweep was over too early to be killed"
    report, _ = sweep(text)
    assert sum(states(report).values()) == 12 * N_BLOCKS // 2 and set(states(report)) <= {"done before", "passed"}
    assert all(len(runs) == 1 for runs in records(tmp_path / "lab").values()), "nothing is made twice"


RANKS = """\
sweep: ranks
axes:
  application: airfoil
  mesh: "quads:nx=12:ny=12"
  device: host
  strategy: [openmp, atomics]
  engine: mpi
  ranks: [1, 2]
  samples: 1
"""


@pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="no Open MPI (Debian: apt-get install openmpi-bin)")
def test_points_on_processes_are_started_by_a_launcher(sweep, tess, tmp_path, monkeypatch):
    for name, value in {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}.items():
        monkeypatch.setenv(name, value)
    launcher = ("--launcher", "mpirun.openmpi --oversubscribe")
    report, done = sweep(RANKS, *launcher)
    assert states(report) == {"passed": 2, "skipped": 2}
    assert done.stderr.count("\n") == 1 and "atomics: 2 points: strategy atomics runs on GPUs" in done.stderr
    found = records(tmp_path / "lab")
    assert sorted(runs[0][1]["ranks"] for runs in found.values()) == ["1", "2"] and all(len(runs) == 1 for runs in found.values())
    assert states(sweep(RANKS, *launcher)[0]) == {"done before": 2, "skipped": 2}
    script = tess("sweep", "recipe.yaml", *launcher, "--slurm", "1", "--dry-run", "--lab", "other", cwd=tmp_path).stdout
    assert "#SBATCH --ntasks=2\n" in script and "--launcher 'mpirun.openmpi --oversubscribe'" in script
    (tmp_path / "full").write_text("#!/bin/sh\necho no slots\nexit 1\n")
    (tmp_path / "full").chmod(0o755)
    report, done = sweep(RANKS.replace("quads:nx=12", "quads:nx=13"), "--launcher", "./full", code=1)
    assert states(report) == {"passed": 1, "failed": 2, "skipped": 1}
    assert [point["reason"] for point in report["points"] if point["state"] == "failed"] == ["no slots"] * 2
