"""The diff that records keep of the program, where it is too long to keep whole."""

import re
import subprocess

import pytest
from conftest import ROOT

KEPT = 262144


@pytest.fixture
def diff_of(tmp_path):
    """What experiments/commit.cmake keeps of the diff after a line of a file, or more lines, were added."""
    def git(*words):
        subprocess.run(["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)

    git("init")
    (tmp_path / "a.txt").write_text("one\n")
    git("add", ".")
    git("commit", "-m", "one")

    def kept(added):
        (tmp_path / "a.txt").write_text(f"one\n{added}\n")
        words = ["cmake", f"-DSOURCE={tmp_path}", f"-DOUTPUT={tmp_path}/commit.h", "-P", ROOT / "experiments/commit.cmake"]
        subprocess.run(words, check=True, capture_output=True)
        numbers = re.search(r"tess_commit_diff\[\] = \{(.*)0\};", (tmp_path / "commit.h").read_text())[1]
        return bytes(int(number, 16) for number in numbers.split(",") if number)

    return kept


def test_a_short_diff_is_whole(diff_of):
    assert diff_of("zwei\ndrei €").decode().endswith("\n+zwei\n+drei €\n")


@pytest.mark.parametrize("shift", range(4))
def test_a_long_diff_ends_with_a_character(diff_of, shift):
    kept = diff_of("x" * shift + "𝄞" * (KEPT // 4))
    assert KEPT - 4 <= len(kept) <= KEPT and kept.decode().endswith("𝄞")
