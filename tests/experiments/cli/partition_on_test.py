"""`--partition-on`: blocks cut on a device are the host's, records say where, and what cannot be is said."""

import json
import os

import pytest
from conftest import ROOT

SHIPPED = sorted((ROOT / "data/meshes").glob("*.xz"))
SHARED = [path for folder in (ROOT.parent / "shared/meshes", ROOT.parent.parent / "shared/meshes") if folder.is_dir()
          for path in sorted(folder.iterdir()) if path.is_file() and path.name not in ("MANIFEST.md", "bad.tar.xz")
          and not path.name.endswith(".ele.xz")]  # fmt: skip
MESHES = {path.name: path for path in [*SHARED, *SHIPPED]}
MOST = 60_000  # elements, which the emulator cuts in seconds
MESH = "tris:nx=24:ny=20"


def loop_of(tess, path):
    """A map whose elements are few enough, and how many they are."""
    about = json.loads(tess("mesh", "info", path, "--json").stdout)
    maps = [name for name in ("edges:cells", "faces:cells", "cells:nodes") if name in about["maps"]]
    sizes = {name: about["sets"][name.split(":")[0]] for name in maps}
    return min(sizes.items(), key=lambda item: item[1])


def digest_of_plan(tess, lab):
    (record,) = (lab / "runs").glob("*.hdf")
    return json.loads(tess("show", record.stem, "--lab", lab, "--json").stdout)["plan_digest"]


@pytest.mark.parametrize("name", MESHES)
def test_blocks_and_plans_of_every_mesh_are_the_hosts(tess, tmp_path, name):
    map_name, n = loop_of(tess, MESHES[name])
    if n > MOST and not os.environ.get("TESS_ALL_WAYS"):
        pytest.skip(f"{n} {map_name.split(':')[0]}, more than {MOST}, which the emulator would take long for")
    device = "emulator" if n < 5_000 else "emulator:check=no"  # races are kernels/device_cut_slow's
    for spec in ("rcb", "hilbert", *(["rcb:swap=1"] if n < 5_000 else [])):
        for on in ("host", "device"):
            done = tess("partition", MESHES[name], "--map", map_name, "-p", spec, "-b", 128, "--partition-on", on,
                        "--device", device, "-o", tmp_path / on, "--no-view", "--lab", tmp_path / f"{spec} {on}")
            assert "on the host" not in done.stderr
        assert (tmp_path / "host").read_bytes() == (tmp_path / "device").read_bytes(), spec
        assert digest_of_plan(tess, tmp_path / f"{spec} host") == digest_of_plan(tess, tmp_path / f"{spec} device")
        assert len(set((tmp_path / "host").read_text().split())) == -(-n // 128)


def test_records_say_where_and_how_long(tess, tmp_path):
    lab = tmp_path / "lab"
    for on in ("device", "host"):
        tess("run", "airfoil", "--mesh", MESH, "-p", "rcb", "-b", 64, "--partition-on", on, "--device", "emulator",
             "--fresh", "--lab", lab)
    shown, seconds = {}, {}
    for path in sorted((lab / "runs").glob("*.hdf")):
        record = json.loads(tess("show", path.stem, "--lab", lab, "--json").stdout)
        on = record["configuration"]["partition_on"]
        shown[on], seconds[on] = record, {metric["name"]: metric["value"] for metric in record["metrics"]}
    assert shown["device"]["environment"]["partitioned_on"] == "emulator"
    assert shown["host"]["environment"]["partitioned_on"] == "host"
    assert [shown[on]["environment"]["planned_on"] for on in ("device", "host")] == ["emulator", "host"]
    assert 0 < seconds["device"]["partition_device_seconds"] < seconds["device"]["partition_seconds"]
    assert "partition_device_seconds" not in seconds["host"]
    assert shown["device"]["plan_digest"] == shown["host"]["plan_digest"], "the very plan"


def test_records_say_who_made_plans_and_tables(tess, tmp_path):
    """The device where it plans, unless its blocks are too large for that; then a line says why."""
    planned, made, said = {}, {}, {}
    for on, size in (("device", 64), ("host", 64), ("device", 2100)):
        lab = tmp_path / f"{on} {size}"
        tess("run", "airfoil", "--mesh", "quads:nx=50:ny=50", "-p", "rcb", "-b", size, "--strategy", "point-parallel",
             "--threads", 128, "--partition-on", on, "--device", "emulator:check=no:count=no", "--lab", lab)  # fmt: skip
        (path,) = (lab / "runs").glob("*.hdf")
        record = json.loads(tess("show", path.stem, "--lab", lab, "--json").stdout)
        made[on, size] = record["environment"].get("tables_made_on")
        planned[on, size] = record["environment"]["planned_on"]
        said[on, size] = [line for line in record["log"].splitlines() if "tables" in line]
    assert made == {("device", 64): "emulator", ("host", 64): None, ("device", 2100): None}
    assert planned == {("device", 64): "emulator", ("host", 64): "host", ("device", 2100): "host"}
    assert said["device", 64] == said["host", 64] == []
    assert said["device", 2100] == ["tables made on the host: blocks of more than 2048 points"]


@pytest.mark.parametrize("strategy", ["point-parallel", "owner-block"])
@pytest.mark.parametrize("loop, mesh", [("airfoil", "quads:nx=20:ny=16"), ("miniaero", "tets:nx=4:ny=4:nz=4"),
                                        ("airfoil", ROOT / "data/meshes/north_sea.msh.xz")])
def test_plans_of_owned_points_are_the_hosts(tess, tmp_path, strategy, loop, mesh):
    """Blocks compute all elements of their points: the very plan, and nothing is left to the host."""
    digests = []
    for on in ("host", "device"):
        lab = tmp_path / on
        done = tess("run", loop, "--mesh", mesh, "-p", "rcb", "-b", 64, "--threads", 128, "--strategy", strategy,
                    "--partition-on", on, "--device", "emulator:check=no:count=no", "--lab", lab)  # fmt: skip
        assert "on the host" not in done.stderr
        digests.append(digest_of_plan(tess, lab))
    assert digests[0] == digests[1]


@pytest.mark.parametrize("command", ["run", "march"])
def test_ranks_cut_and_plan_their_own_parts(tess, tmp_path, command):
    """As the host does, their tables, too, and by what the record says."""
    kept = {}
    for on in ("host", "device"):
        tess(command, "airfoil", "--mesh", MESH, "-p", "rcb", "-b", 32, "--ranks", 2, "--partition-on", on, "--device", "emulator",
             "--strategy", "point-parallel", "--lab", tmp_path / on, *(["--steps", 2] if command == "march" else []))  # fmt: skip
        (path,) = (tmp_path / on / "runs").glob("*.hdf")
        record = json.loads(tess("show", path.stem, "--lab", tmp_path / on, "--json").stdout)
        assert [record["environment"][at] for at in ("partitioned_on", "planned_on")] == [{"host": "host", "device": "emulator"}[on]] * 2
        assert record["environment"].get("tables_made_on") == {"host": None, "device": "emulator"}[on]
        kept[on] = {metric["name"]: metric["value"] for metric in record["metrics"]
                    if "seconds" not in metric["name"] and metric["unit"] != "s"}  # fmt: skip
    assert kept["host"] == kept["device"] and kept["host"]


def test_ranks_say_why_the_host_makes_their_plans_and_tables(tess, tmp_path):
    tess("run", "airfoil", "--mesh", "quads:nx=90:ny=60", "-p", "rcb", "-b", 3000, "--threads", 128, "--ranks", 2, "--partition-on",
         "device", "--device", "emulator:check=no:count=no", "--strategy", "point-parallel", "--lab", tmp_path)  # fmt: skip
    (path,) = (tmp_path / "runs").glob("*.hdf")
    record = json.loads(tess("show", path.stem, "--lab", tmp_path, "--json").stdout)
    assert "tables_made_on" not in record["environment"]
    assert "tables made on the host: blocks of more than 2048" in json.dumps(record["log"])
    assert record["environment"]["planned_on"] == "host"
    assert "planned on the host: " in record["log"]


def test_what_cannot_be_is_said(tess, tmp_path):
    words = {
        (): "--partition-on device: say which, --device cuda, or emulator where there is no GPU",
        ("--device", "host"): "device host cuts no blocks: take --device emulator or cuda",
        ("--device", "nvrtc"): "device nvrtc cuts no blocks",
        ("--device", "emulater"): "did you mean 'emulator'?",
    }
    for more, expected in words.items():
        process = tess("partition", MESH, "--map", "edges:cells", "-p", "rcb", "--partition-on", "device", *more,
                       "--no-lab", code=2, cwd=tmp_path)
        assert expected in process.stderr, more
    process = tess("partition", MESH, "--map", "edges:cells", "-p", "gps", "--partition-on", "device",
                   "--device", "emulator", "--no-lab")
    assert "tess: gps cuts on the host, whatever the device is\n" in process.stderr


@pytest.mark.skipif((ROOT / "/dev/nvidiactl").exists(), reason="this machine has a GPU")
def test_without_a_gpu_the_host_cuts(tess, tmp_path):
    at_home = tess("partition", MESH, "--map", "edges:cells", "-p", "rcb", "-b", 64, "-o", tmp_path / "a", "--no-lab")
    process = tess("partition", MESH, "--map", "edges:cells", "-p", "rcb", "-b", 64, "--partition-on", "device",
                   "--device", "cuda", "-o", tmp_path / "b", "--no-lab")
    assert process.stderr.count("tess: cut on the host: ") == 1 and at_home.stderr == ""
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_without_room_on_the_device_the_host_cuts_and_plans(tess, tmp_path):
    """One line says what had no room: first the cut, with more memory the plan, then nothing."""
    words = ["partition", MESH, "--map", "cells:nodes", "-p", "hilbert", "-b", 64, "--partition-on"]
    tess(*words, "host", "-o", tmp_path / "host", "--no-view", "--lab", tmp_path / "lab")
    digest, told = digest_of_plan(tess, tmp_path / "lab"), []
    for kilobytes in (1, 30, 45, 1000):
        lab = tmp_path / str(kilobytes)
        done = tess(*words, "device", "--device", f"emulator:memory={kilobytes}000", "-o", tmp_path / "device", "--no-view",
                    "--lab", lab)
        assert (tmp_path / "host").read_bytes() == (tmp_path / "device").read_bytes()
        assert digest_of_plan(tess, lab) == digest
        said = [line for line in done.stderr.splitlines() if "on the host" in line]
        assert len(said) <= 1 and all("bytes: of" in line for line in said)
        told.append(said[0].split()[1] if said else "")
    assert [word for i, word in enumerate(told) if i == 0 or told[i - 1] != word] == ["cut", "planned", ""], told


def test_bad_input_is_refused_as_on_the_host(tess, tmp_path):
    nowhere = tmp_path / "nowhere.dat"
    nowhere.write_text("NODE DIMENSION 2\n")
    nan = tmp_path / "nan.su2"
    tess("mesh", "generate", "quads:nx=3:ny=3", "-o", nan)
    nan.write_text(nan.read_text().replace("\n0 0 0\n", "\nnan 0 0\n"))
    for mesh, words in ((nowhere, ""), (nan, "the coordinate 'nan' is not a finite number")):
        said = [tess("partition", mesh, "--map", "edges:cells", "-p", "rcb", "--partition-on", on, "--device", "emulator",
                     "--no-lab", code=3).stderr for on in ("host", "device")]
        assert said[0] == said[1] and said[0] and words in said[0]
    for size in (1, 2**31 - 1):
        out = [tess("partition", "quads:nx=6:ny=5", "--map", "edges:cells", "-p", "rcb,hilbert", "-b", size,
                    "--partition-on", on, "--device", "emulator", "--no-lab", "--json").stdout for on in ("host", "device")]
        kept = [[(run["partitioner"], run["blocks"], run["reuse_factor"]) for run in json.loads(text)["runs"]] for text in out]
        assert kept[0] == kept[1] and kept[0][0][1] == (49 if size == 1 else 1)
