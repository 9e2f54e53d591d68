"""What fuzzing of the readers found (tests/data/fuzz): each input is a mesh now, or refused with one message."""

import pathlib
import sys

import pytest
from mesh_files import SANITIZED, Reading

FUZZ = pathlib.Path(__file__).resolve().parent / "fuzz"
sys.path.insert(0, str(FUZZ))
from fuzz import NAMED  # noqa: E402
from seeds import FILES, SEEDS, apart  # noqa: E402

FOUND = sorted((FUZZ / "found").glob("*/*"))


@pytest.mark.parametrize("found", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_found(tmp_path, found):
    name = found.parent.name
    reading = Reading(apart(found.read_bytes(), name, tmp_path), reader=name if name in NAMED else None)
    assert reading.code in (0, 3) and len(reading.messages) == (reading.code == 3), reading.messages
    assert all(message.startswith(str(tmp_path)) for message in reading.messages)
    assert reading.seconds < 2
    assert SANITIZED or reading.peak_bytes < 20e6 + 1032 * found.stat().st_size


@pytest.mark.parametrize("reader", FILES)
def test_seeds_are_meshes(tmp_path, reader):
    """What fuzzing begins with: otherwise it would see the first line of a reader alone."""
    for i, seed in enumerate(SEEDS[reader]()):
        (tmp_path / str(i)).mkdir()
        Reading(apart(seed, reader, tmp_path / str(i)), reader=reader if reader in NAMED else None).assert_accepted()
