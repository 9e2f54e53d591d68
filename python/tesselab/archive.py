"""An archive: a HDF5 file of a lab, opened with its kind and version checked."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path

try:
    import h5py
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"tesselab needs {error.name}, which this Python lacks: pip install -e python, or "
                              "apt-get install python3-h5py python3-pandas python3-matplotlib", name=error.name) from error
import numpy as np
import pandas as pd

SCHEMA_MAJOR = 1  # a newer minor version only adds
MOST_GROWTH = 1100  # gzip makes nothing smaller than by 1032
SLACK_BYTES = 4096  # for arrays so small that their chunk outweighs them
# What reading a file raises that is not as `tess` writes it.
DAMAGE = (AttributeError, IndexError, KeyError, MemoryError, OSError, OverflowError, RuntimeError, TypeError, ValueError)


class LabError(Exception):
    """A lab, or a file of one, that cannot be read; the message says what to do."""


class NewerSchemaError(LabError):
    """A file that a newer tess has written."""


def command(main: Callable[..., None]) -> Callable[..., None]:
    """A module's `main` that tells a LabError in a line and exits with 3."""
    @wraps(main)
    def told(words: list[str] | None = None) -> None:
        try:
            main(words)
        except LabError as error:
            print(error, file=sys.stderr)
            raise SystemExit(3) from error
    return told


@contextmanager
def open_archive(path: Path, kind: str) -> Iterator[h5py.File]:
    """Opens the file of a "run", "plan", "mesh" or "index" to read.

    Raises LabError where it is missing, damaged or of another kind, NewerSchemaError where this
    package is too old for it."""
    if not path.exists():
        raise LabError(f"{path}: there is no such file; 'tess verify' checks a whole lab")
    if not path.is_file():
        raise LabError(f"{path}: not a file")  # for a pipe one might wait for ever
    try:
        with h5py.File(path, "r") as file:
            _check(file, path, kind)
            yield file
    except DAMAGE as error:
        raise LabError(f"{path}: damaged, 'tess verify' says more ({error})") from error


def _check(file: h5py.File, path: Path, kind: str) -> None:
    if "schema_version" not in file.attrs:
        raise LabError(f"{path}: not a file of a lab: it has no schema_version")
    version = text(file.attrs["schema_version"])
    major = version.partition(".")[0]
    if not major.isdigit() or int(major) < 1:
        raise LabError(f"{path}: its schema_version '{version}' is no version")
    if int(major) > SCHEMA_MAJOR:
        raise NewerSchemaError(
            f"{path}: written by a newer tess (schema {version}; this package reads up to "
            f"{SCHEMA_MAJOR}): use the python/tesselab that came with that tess")
    found = text(file.attrs["kind"])
    if found != kind:
        raise LabError(f"{path}: this is the file of a {found}, not of a {kind}")


def text(value: object) -> str:
    """A text as HDF5 gives it: bytes, str, or a number."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def digest(file: h5py.File, name: str) -> str:
    """Which mesh or plan the file of a run names, which is a file of the lab; "" where it names none."""
    found = text(file.attrs[name])
    if not re.fullmatch("([0-9a-f]{64})?", found):
        raise LabError(f"{file.filename}: the attribute {name} is '{found}', no digest")
    return found


def array(item: h5py.Dataset) -> np.ndarray:
    """What an array of a file holds; ValueError where it claims more than the file can hold."""
    stored = item.id.get_storage_size() * MOST_GROWTH
    chunk = int(np.prod(item.chunks or (), dtype=float)) * item.dtype.itemsize
    if item.nbytes > stored or (item.size and chunk > stored + SLACK_BYTES):
        raise ValueError(f"{item.name} claims more than the file can hold")
    return item[()]


def texts(values: np.ndarray) -> list[str]:
    """An array of texts; those that come often are read once."""
    read: dict[object, str] = {}
    return [read[value] if value in read else read.setdefault(value, text(value)) for value in np.ravel(values).tolist()]


def table(dataset: h5py.Dataset, index: str | None = None) -> pd.DataFrame:
    """A table of the file: a column a member, texts decoded, by the member `index`."""
    rows = array(dataset)
    columns = {name: texts(rows[name]) if rows.dtype[name].kind == "S" else rows[name]
               for name in rows.dtype.names}
    labels = pd.Index(columns.pop(index), name=index) if index else None
    return pd.DataFrame(columns, index=labels)
