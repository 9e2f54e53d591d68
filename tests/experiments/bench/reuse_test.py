"""Runs take partitions that an earlier run of the lab left, when all that they follow from is the same."""

import json

import h5py
import numpy as np
import pytest

RUN = ("run", "airfoil", "--mesh", "quads:nx=30:ny=20", "--device", "host", "--strategy", "sequential",
       "--samples", "0", "--no-view", "--block-size", "64", "--partitioner", "random")  # fmt: skip


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def lab(tess, tmp_path):
    """Runs into one lab; gives the record of the last run."""

    def run(*options, words=RUN, **more):
        done = tess(*words, *options, "--lab", tmp_path / "lab", "--json", **more)
        if words[0] == "sweep":
            return done
        return lab.record(json.loads(done.stdout)["runs"][-1]["run"])

    def record(name):
        return json.loads(tess("show", name, "--lab", tmp_path / "lab", "--json").stdout)

    lab = run
    lab.record = record
    lab.folder = tmp_path / "lab"
    lab.plan = lambda record: lab.folder / "plans" / (record["plan_digest"] + ".hdf")
    return lab


def origin(record):
    """The run whose partition a record has; that it states its cost only where no run does."""
    run = record["environment"].get("partition_reused_from")
    names = {metric["name"] for metric in record["metrics"]}
    costs = {"partition_seconds", "partition_cpu_seconds", "partition_memory_bytes"}
    assert names & costs == (set() if run else costs)
    assert ("partition" in record["steps"], "read_partition" in record["steps"]) == (not run, bool(run))
    return run


def test_the_second_run_takes_the_partition_of_the_first(lab):
    first, second, third = lab(), lab(), lab()
    assert origin(first) is None and origin(second) == origin(third) == first["run"]
    assert first["plan_digest"] == second["plan_digest"] and second["outcome"] == "passed"


@pytest.mark.parametrize("options", [("--layout", "aos"), ("--order", "colour"), ("--renumber", "gps"),
                                     ("--colouring", "greedy"), ("--strategy", "openmp")])  # fmt: skip
def test_what_comes_after_the_cut_may_differ(lab, options):
    first, second = lab(), lab(*options)
    assert origin(second) == first["run"]
    with h5py.File(lab.plan(first)) as one, h5py.File(lab.plan(second)) as other:
        assert np.array_equal(one["partition/block_of"], other["partition/block_of"])


@pytest.mark.parametrize("options", [("--seed", "2"), ("--partitioner", "random:seed=2"), ("--block-size", "65"),
                                     ("--partitioner", "file-order"), ("--points", "all"), ("--repair", "move"),
                                     ("--block-numbers", "given"),
                                     ("--loop", "save_soln"), ("--loop", "adt_calc"), ("--precision", "float"),
                                     ("--mesh", "quads:nx=30:ny=21"), ("--fresh",)])  # fmt: skip
def test_another_cut_is_not_taken(lab, options):
    lab()
    second = lab(*options)
    if options[1:] == ("save_soln",):
        assert "partition_reused_from" not in second["environment"]  # a loop without maps is not cut
    else:
        assert origin(second) is None


def test_another_program_cuts_anew(lab):
    first = lab()
    path = lab.folder / "runs" / f"{first['run']}.hdf"
    with h5py.File(path, "r+") as file:
        rows = file["environment"][:]
        rows["text"][rows["key"] == b"commit"] = b"0" * 40
        file["environment"][:] = rows
    assert origin(lab()) is None


def test_blocks_of_points_and_of_elements_are_two_cuts(lab, tess):
    both = ("--device", "emulator", "--samples", "0", "--strategy")
    points = lab(*both, "point-parallel")
    elements = lab(*both, "atomics")
    assert origin(elements) is None
    assert origin(lab(*both, "halo-atomics")) == elements["run"]
    assert origin(lab(*both, "point-parallel:stage=none")) == points["run"]


def test_a_file_may_have_changed(lab, tmp_path):
    part = tmp_path / "mesh.part"
    names = [f"file:path={part}"] * 2
    for shift in (0, 1):
        part.write_text("".join(f"{(i + shift) // 64}\n" for i in range(1150)))
        record = lab("--partitioner", names[shift])
        assert origin(record) is None


def damage(plan):
    """Flips bytes in the middle of the stored block numbers."""
    with h5py.File(plan) as file:
        place = file["partition/block_of"].id.get_chunk_info(0)
    content = bytearray(plan.read_bytes())
    middle = place.byte_offset + place.size // 2
    content[middle : middle + 8] = bytes(255 - byte for byte in content[middle : middle + 8])
    plan.write_bytes(content)


def overfill(plan):
    """Puts an element of another block into the first, which is full; all checksums fit."""
    with h5py.File(plan, "r+") as file:
        blocks = file["partition/block_of"]
        values = blocks[:]
        values[np.flatnonzero(values == 1)[0]] = 0
        blocks[:] = values


@pytest.mark.parametrize("hurt", [damage, overfill, lambda plan: plan.unlink(), lambda plan: plan.write_bytes(b"")])
def test_a_plan_that_cannot_be_read_is_made_again(lab, tess, hurt):
    first = lab()
    hurt(lab.plan(first))
    second = lab()
    assert origin(second) is None and second["outcome"] == "passed"
    assert "cut again, for an earlier partition cannot be read" in second["log"]
    assert second["plan_digest"] == first["plan_digest"]
    if hurt is not overfill:  # what has another digest's content is not seen to be damaged
        assert origin(lab()) == second["run"]


def test_a_sweep_takes_them_across_points_and_commands(lab, tess, tmp_path):
    recipe = tmp_path / "two.yaml"
    recipe.write_text(
        "sweep: two\naxes: {device: host, application: airfoil, mesh: 'quads:nx=30:ny=20', samples: 0,"
        " strategy: sequential, block_size: 64, partitioner: random, layout: [soa, aos]}\n"
        "subsets: {one: {axes: {layout: soa}}}\n"
    )
    lab(recipe, "--subset", "one", "--no-view", words=("sweep",))
    lab(recipe, "--no-view", words=("sweep",))
    records = [lab.record(path.stem) for path in sorted((lab.folder / "runs").glob("*.hdf"))]
    assert [origin(record) for record in records] == [None, records[0]["run"]]
    fresh = lab(recipe, "--no-view", "--fresh", "--lab", tmp_path / "lab", words=("sweep",))
    assert json.loads(fresh.stdout)


def test_layouts_of_one_command_share_a_cut(lab, tess, tmp_path):
    """Nothing is archived, and still it is cut once: both have its seconds."""
    recipe = tmp_path / "two.yaml"
    recipe.write_text(
        "sweep: two\naxes: {device: host, application: airfoil, mesh: 'quads:nx=30:ny=20', samples: 0,"
        " strategy: sequential, block_size: 64, partitioner: random, layout: [soa, aos]}\n"
    )
    lab(recipe, "--no-view", words=("sweep",))
    records = [lab.record(path.stem) for path in sorted((lab.folder / "runs").glob("*.hdf"))]
    seconds = [record["steps"]["partition"]["value"] for record in records]
    assert len(seconds) == 2 and seconds[0] == seconds[1] and origin(records[1]) is None


def test_a_race_takes_them(lab, tess):
    first = lab("--renumber", "owner")
    done = tess("tune", "airfoil", "--mesh", "quads:nx=30:ny=20", "--device", "host", "--strategy", "sequential",
                "--partitioner", "random", "--block-size", "64", "--layout", "soa", "--json", "--lab", lab.folder)  # fmt: skip
    assert origin(lab.record(json.loads(done.stdout)["candidates"][0]["run"])) == first["run"]
