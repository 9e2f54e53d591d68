"""What fuzzing of the readers found (tests/data/fuzz): each input is a mesh now, or refused with one message."""

import pathlib
import sys

import pytest
from mesh_files import SANITIZED, Reading

FUZZ = pathlib.Path(__file__).resolve().parent / "fuzz"
sys.path.insert(0, str(FUZZ))
from fuzz import NAMED  # noqa: E402
from seeds import BETWEEN, FILES, SEEDS, apart, together  # noqa: E402

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


def is_text(content):
    return content.isascii() and b"\0" not in content


TEXTS = ("su2", "gmsh", "op2", "gr3", "ugrid_text", "medit", "mfem", "fesom", "tetgen", "vtu", "pvtu", "vtk", "openfoam")
EDITORS = {
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "no newline at the end": lambda text: text.rstrip(b"\n"),
}


@pytest.mark.parametrize("editor", EDITORS)
@pytest.mark.parametrize("reader", TEXTS)
def test_texts_are_the_same_meshes_as_other_editors_leave_them(tmp_path, reader, editor):
    n_texts = 0
    for i, seed in enumerate(filter(is_text, SEEDS[reader]())):
        parts = seed.split(BETWEEN, len(FILES[reader].split()) - 1)
        readings = []
        for name, content in (("as_it_is", seed), ("as_left", together(*map(EDITORS[editor], parts)))):
            (tmp_path / f"{name}{i}").mkdir()
            readings.append(Reading(apart(content, reader, tmp_path / f"{name}{i}")).assert_accepted())
        assert readings[0].stdout.replace(f"as_it_is{i}", f"as_left{i}") == readings[1].stdout
        n_texts += 1
    assert n_texts
