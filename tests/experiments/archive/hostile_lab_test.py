"""Files of a lab that are HDF5 but not what a lab holds: refused by name, in bounded time and memory,
and never a crash."""

import os
import pathlib
import shutil
import subprocess

import h5py
import numpy
import pytest
from conftest import HANG

pytestmark = pytest.mark.slow
GOLDEN = pathlib.Path(__file__).parent / "golden" / "1.0"
KINDS = ("runs", "meshes", "plans")


def is_like_another(name):
    """One metric stands for all, and one map for all."""
    return name.startswith(("metrics/", "maps/")) and name not in ("metrics/fill", "maps/edges_cells")


def datasets(path):
    with h5py.File(path) as file:
        found = []
        file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    return [name for name in found if not is_like_another(name)]


def attributes(path):
    with h5py.File(path) as file:
        found = [("/", name) for name in file.attrs]
        file.visititems(lambda place, item: found.extend((place, name) for name in item.attrs))
    return [(place, name) for place, name in found if not is_like_another(place)]


def lost(file, name):
    del file[name]


def text(file, name):
    del file[name]
    file.create_dataset(name, data=numpy.array([b"words"] * 3), chunks=True, fletcher32=True)


def variable_text(file, name):
    del file[name]
    file.create_dataset(name, data=["words", "of any length"], dtype=h5py.string_dtype())


def other_rank(file, name):
    del file[name]
    file.create_dataset(name, data=numpy.zeros((2, 2, 2, 2)), chunks=True, fletcher32=True)


def number(file, name):
    del file[name]
    file[name] = -1.5


def claims_a_terabyte(file, name):
    del file[name]
    file.create_dataset(name, shape=(1 << 37,), dtype="i8", chunks=(1 << 16,), fletcher32=True)


def claims_a_large_chunk(file, name):
    """Of which it has some bytes, more than the five values take."""
    del file[name]
    made = file.create_dataset(name, shape=(5,), maxshape=(None,), dtype="i4", chunks=(1 << 28,), compression="gzip")
    made.id.write_direct_chunk((0,), bytes(100))


def out_of_range(file, name):
    array = file[name]
    if array.dtype.kind in "iu" and array.size:
        array[...] = numpy.iinfo(array.dtype).max - 7


def negative(file, name):
    array = file[name]
    if array.dtype.kind == "i" and array.size:
        array[...] = -5


def group(file, name):
    del file[name]
    file.create_group(name)


def link_outside(file, name):
    del file[name]
    file[name] = h5py.ExternalLink("/etc/passwd", "/x")


def link_to_itself(file, name):
    del file[name]
    file[name] = h5py.SoftLink("/" + name)


CHANGES = [
    lost, text, variable_text, other_rank, number, claims_a_terabyte, claims_a_large_chunk, out_of_range, negative,
    group, link_outside, link_to_itself,
]  # fmt: skip


def run(tess_bin, *arguments):
    """A command with a bounded address space and processor time; gives its exit code and words."""
    bounds = ["prlimit", "--cpu=20:30", *([] if "sanitize" in str(tess_bin) else [f"--as={2 << 30}"])]
    done = subprocess.run([*bounds, tess_bin, *map(str, arguments)], capture_output=True, text=True, timeout=HANG)
    return done.returncode, done.stdout + done.stderr


def changed_lab(lab, kind, changes):
    """The golden lab with a file of a kind changed in each way, by the names that files get; one change: under its own."""
    shutil.copytree(GOLDEN, lab)
    original = sorted((GOLDEN / kind).iterdir())[0]
    paths = []
    for i, (change, *where) in enumerate(changes):
        name = original.name if len(changes) == 1 else f"{i:0{len(original.stem)}x}.hdf"
        paths.append(lab / kind / name)
        shutil.copyfile(original, paths[-1])
        with h5py.File(paths[-1], "r+") as file:
            change(file, *where)
    return paths


def check_lab(tess_bin, lab, kind):
    """Gives what `verify` says of the lab's files, a line each."""
    code, words = run(tess_bin, "verify", "--lab", lab)
    assert code in (0, 1), words
    assert kind != "runs" or run(tess_bin, "runs", "--lab", lab)[0] == 0
    shutil.rmtree(lab)
    return code, words.splitlines()


def check_changes(tess_bin, tmp_path, kind, changes):
    """All changed files in one lab are refused, be it for their names; what is refused for that alone is looked at again
    under the name that it should have."""
    paths = changed_lab(tmp_path / "all", kind, changes)
    _, lines = check_lab(tess_bin, tmp_path / "all", kind)
    for i, path in enumerate(paths):
        said = [line for line in lines if path.name in line]
        assert said, (changes[i], lines)
        if "its name" in said[0]:
            [alone] = changed_lab(tmp_path / "one", kind, changes[i:i + 1])
            code, words = check_lab(tess_bin, tmp_path / "one", kind)
            assert code == 0 or any(alone.name in line for line in words), (changes[i], words)


def test_pipes_in_a_lab_are_not_waited_for(tess_bin, tmp_path):
    lab = tmp_path / "lab"
    shutil.copytree(GOLDEN, lab)
    run_id = sorted((lab / "runs").iterdir())[-1].stem
    paths = [lab / "runs" / f"{run_id[:-1]}0.hdf", lab / "notes" / run_id / "note.01m7y93qzq45nvgg253nchk5kz.txt",
             *(sorted((lab / kind).iterdir())[0] for kind in ("plans", "meshes"))]  # fmt: skip
    for path in paths:
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    code, words = run(tess_bin, "verify", "--lab", lab)
    assert code == 1 and all(f"{path} is not a file" in words for path in paths if path.suffix == ".hdf"), words
    for command in ("runs",), ("show", run_id), ("report", "-o", tmp_path / "page.html"), ("merge", lab, "--lab", tmp_path / "other"):
        code, words = run(tess_bin, *command, *([] if "--lab" in command else ["--lab", lab]))
        assert code == (1 if "merge" in command else 0), words


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changed_arrays(tess_bin, tmp_path, kind, change):
    names = datasets(sorted((GOLDEN / kind).iterdir())[0])
    check_changes(tess_bin, tmp_path, kind, [(change, name) for name in names])


@pytest.mark.parametrize("kind", KINDS)
def test_a_chunk_that_the_file_cannot_fill_is_not_made(tess_bin, tmp_path, kind):
    name = datasets(sorted((GOLDEN / kind).iterdir())[0])[0]
    [path] = changed_lab(tmp_path / "lab", kind, [(claims_a_large_chunk, name)])
    with h5py.File(path) as file:
        assert file[name].id.get_storage_size() == 100
    _, lines = check_lab(tess_bin, tmp_path / "lab", kind)
    assert any(path.name in line and f"{name} claims more than the file can hold" in line for line in lines), lines


@pytest.mark.parametrize("kind", KINDS)
def test_what_lies_in_another_file_is_not_read(tess_bin, tmp_path, kind):
    """Be it the right content: who opens a lab that he was sent does not open files that it names."""
    original = sorted((GOLDEN / kind).iterdir())[0]
    name = datasets(original)[0]

    def link(file):
        del file[name]
        file[name] = h5py.ExternalLink(str(original), "/" + name)

    [path] = changed_lab(tmp_path / "lab", kind, [(link,)])
    with h5py.File(path) as file, h5py.File(original) as of:
        assert file[name][()].tobytes() == of[name][()].tobytes()
    code, lines = check_lab(tess_bin, tmp_path / "lab", kind)
    assert code == 1 and any(path.name in line and f"{name} " in line for line in lines), lines


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [None, -1, 1 << 62, numpy.zeros(0), "x" * 60000, [b"a", b"b"]],
                         ids=["lost", "negative", "huge", "empty", "long_text", "two_texts"])
def test_changed_attributes(tess_bin, tmp_path, kind, value):
    def set_attribute(file, place, name):
        del file[place].attrs[name]
        if value is not None:
            file[place].attrs[name] = value

    places = attributes(sorted((GOLDEN / kind).iterdir())[0])
    check_changes(tess_bin, tmp_path, kind, [(set_attribute, *place) for place in places])
