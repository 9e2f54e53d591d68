"""Files of a lab that are HDF5 but not what a lab holds: refused by name, in bounded time and memory,
and never a crash."""

import pathlib
import resource
import shutil
import subprocess

import h5py
import numpy
import pytest
from conftest import HANG

pytestmark = pytest.mark.slow  # about 400 processes
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
    del file[name]
    file.create_dataset(name, shape=(5,), maxshape=(None,), dtype="i4", chunks=(1 << 28,), compression="gzip")


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

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (20, 30))
        if "sanitize" not in str(tess_bin):
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    done = subprocess.run([tess_bin, *map(str, arguments)], capture_output=True, text=True, timeout=HANG, preexec_fn=limit)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changed_arrays(tess_bin, tmp_path, kind, change):
    for path in sorted((GOLDEN / kind).iterdir())[:1]:
        for name in datasets(path):
            lab = tmp_path / name.replace("/", ".")
            shutil.copytree(GOLDEN, lab)
            with h5py.File(lab / kind / path.name, "r+") as file:
                change(file, name)
            code, words = run(tess_bin, "verify", "--lab", lab)
            assert code == 0 or (code == 1 and path.name in words), (name, code, words)
            assert kind != "runs" or run(tess_bin, "runs", "--lab", lab)[0] == 0
            shutil.rmtree(lab)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [None, -1, 1 << 62, numpy.zeros(0), "x" * 60000, [b"a", b"b"]],
                         ids=["lost", "negative", "huge", "empty", "long_text", "two_texts"])
def test_changed_attributes(tess_bin, tmp_path, kind, value):
    for path in sorted((GOLDEN / kind).iterdir())[:1]:
        for place, name in attributes(path):
            lab = tmp_path / f"{place}.{name}".replace("/", ".")
            shutil.copytree(GOLDEN, lab)
            with h5py.File(lab / kind / path.name, "r+") as file:
                del file[place].attrs[name]
                if value is not None:
                    file[place].attrs[name] = value
            code, words = run(tess_bin, "verify", "--lab", lab)
            assert code == 0 or (code == 1 and path.name in words), (place, name, code, words)
            assert kind != "runs" or run(tess_bin, "runs", "--lab", lab)[0] == 0
            shutil.rmtree(lab)
