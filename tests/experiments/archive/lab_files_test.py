"""Labs as files: any h5py opens them; many writers, killed writers and full disks lose nothing."""

import random
import signal
import subprocess
import time

import h5py
import numpy
import pytest


@pytest.fixture(scope="session")
def lab_writer(tess_bin):
    return tess_bin.parents[1] / "tests/lab_writer"


def write(lab_writer, lab, n, seed=1):
    done = subprocess.run([lab_writer, lab, str(n), str(seed)], capture_output=True, text=True, check=True)
    return done.stdout.split()


def arrays(file):
    """Every dataset of a file with its path."""
    found = []
    file.visititems(lambda path, item: found.append((path, item)) if isinstance(item, h5py.Dataset) else None)
    return found


def test_h5py_reads_every_file_with_units_and_checksums(lab_writer, tess, tmp_path):
    (run,) = write(lab_writer, tmp_path, 1)
    tess("runs", "--lab", tmp_path)  # makes the index
    files = sorted(tmp_path.glob("**/*.hdf"))
    assert [file.parent.name for file in files] == [tmp_path.name, "meshes", "runs"]
    for path in files:
        with h5py.File(path) as file:
            assert file.attrs["schema_version"] == b"1.1"
            for name, array in arrays(file):
                if array.shape == ():
                    assert array.id.get_create_plist().get_layout() == h5py.h5d.COMPACT
                else:
                    assert array.fletcher32, f"{path}: {name}"
                assert array.compression in (None, "gzip")
                if array.dtype.kind in "iufV":
                    assert "unit" in array.attrs, f"{path}: {name}"
                assert not h5py.check_string_dtype(array.dtype) or array.dtype.kind == "S"
                array[...]
    with h5py.File(tmp_path / "runs" / f"{run}.hdf") as file:
        configuration = {row["key"]: row for row in file["configuration"][:]}
        assert configuration[b"block_size"]["number"] == 64
        assert configuration[b"block_size"]["unit"] == b"elements"
        assert len(file["samples/time"]) == 25 and file["samples/time"].attrs["unit"] == b"s"
        mesh = file.attrs["mesh"].decode()
    with h5py.File(tmp_path / "meshes" / f"{mesh}.hdf") as file:
        assert file["sets/edges"].attrs["size"] == 999
        assert numpy.array_equal(file["maps/edges_cells"][3], [3, 4])
        assert file["maps/edges_cells"].attrs["to"] == b"cells"


def test_a_newer_schema_is_refused_with_advice_and_the_rest_is_listed(lab_writer, tess, tmp_path):
    runs = write(lab_writer, tmp_path, 3)
    for newer in ("2.0", 7):
        with h5py.File(tmp_path / "runs" / f"{runs[1]}.hdf", "r+") as file:
            file.attrs["schema_version"] = newer
        done = tess("runs", "--lab", tmp_path, "-c", "block_size")
        assert "update tess" in done.stderr and runs[1] in done.stderr
        assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == [
            runs[k][: len(done.stdout.splitlines()[1].split()[0])] for k in (0, 2)
        ]


def test_eight_writers_store_400_runs(lab_writer, tess, tmp_path):
    writers = [
        subprocess.Popen([lab_writer, tmp_path, "50", str(i)], stdout=subprocess.PIPE, text=True)
        for i in range(8)
    ]
    printed = [run for writer in writers for run in writer.communicate()[0].split()]
    assert all(writer.returncode == 0 for writer in writers)
    stored = {path.stem for path in (tmp_path / "runs").iterdir()}
    assert len(stored) == 400 and stored == set(printed)
    listed = tess("runs", "--lab", tmp_path, "--csv", "-c", "block_size").stdout.splitlines()[1:]
    assert {line.split(",")[0] for line in listed} == stored
    assert len(list((tmp_path / "meshes").iterdir())) == 1


def test_killed_writers_tear_nothing(lab_writer, tess, tmp_path):
    generator = random.Random(1)
    printed = set()
    for i in range(200):
        with subprocess.Popen([lab_writer, tmp_path, "1000", str(i)], stdout=subprocess.PIPE, text=True) as writer:
            # A moment measured in runs, then a little more: however slow the machine is.
            printed.update(writer.stdout.readline().strip() for _ in range(generator.randrange(4)))
            time.sleep(generator.uniform(0, 0.02))
            writer.send_signal(signal.SIGKILL)
            printed.update(line.strip() for line in writer.stdout if line.endswith("\n"))
    stored = {path.stem for path in (tmp_path / "runs").glob("*.hdf")}
    assert len(printed) > 100 and printed <= stored
    done = tess("runs", "--lab", tmp_path, "--csv", "-c", "metric_29")
    assert done.stderr == ""  # every one is readable
    assert {line.split(",")[0] for line in done.stdout.splitlines()[1:]} == stored


def test_a_full_disk_says_so_and_loses_nothing(lab_writer, tess, small_disk):
    lab = small_disk("300k")
    done = subprocess.run([lab_writer, lab, "100"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr and str(lab) in done.stderr
    printed = done.stdout.split()
    assert 5 < len(printed) < 100
    assert sorted(path.name for path in (lab / "runs").iterdir()) == [f"{run}.hdf" for run in printed]
    listed = tess("runs", "--lab", lab, "--csv", "-c", "block_size")
    assert [line.split(",")[0] for line in listed.stdout.splitlines()[1:]] == printed


@pytest.mark.parametrize("size", ["50k", "100k", "150k", "200k"])
def test_a_full_disk_ends_a_command_in_words(tess, small_disk, size):
    lab = small_disk(size)
    done = tess("partition", "quads:nx=60:ny=60", "--map", "edges:cells", "--partitioner", "rcb,hilbert,file-order",
                "--block-size", "64,128", "--lab", lab, code=1)  # fmt: skip
    assert "No space left on device" in done.stderr
    assert not list(lab.rglob("*.tmp"))
    finished = [path.stem for path in lab.glob("runs/*.hdf")]
    assert all(run[:14] in done.stdout for run in finished), "what is finished is shown"
    assert "0 defects" in tess("verify", "--lab", lab).stdout


def test_same_content_is_the_same_bytes_whenever_it_is_written(tess, tmp_path):
    contents = []
    for lab in (tmp_path / "one", tmp_path / "two"):
        tess("partition", "tris:nx=9:ny=7", "--map", "edges:cells", "--partitioner", "rcb",
             "--block-size", "32", "--lab", lab, "--no-view")
        contents.append({path.name: path.read_bytes()
                         for kind in ("meshes", "plans") for path in (lab / kind).iterdir()})
        time.sleep(1.1)  # HDF5's times count seconds
    assert len(contents[0]) == 2 and contents[0] == contents[1]
