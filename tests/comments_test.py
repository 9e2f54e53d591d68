"""Comments are sentences that need no second reading: none says that something "is none", opens with "True when", or with
"The same" of what stands elsewhere."""

import re

import pytest

from conftest import ROOT

FOLDERS = ("bench", "core", "data", "docs", "experiments", "include", "kernels", "notebooks", "partitioners", "python", "tests", "viz")
COMMENT = {".c": r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', ".py": r'"""(?:.|\n)*?"""|#[^\n]*', ".md": r"(?:.|\n)+"}
PATTERNS = {"is none": r"\b(?<!there )is\s+(?:\*\s+)?none\b(?! the less)", "there is none": r"\bthere\s+(?:\*\s+)?is\s+(?:\*\s+)?none\b",
            "True when": r"\bTrue (?:where|when|if)\b", "The same": r'^(?:/\*+|"""|#|//)\s*The same\b'}  # fmt: skip


def comments(path):
    """The comments of a source, its strings left out; all of a page."""
    suffix = ".c" if path.suffix in (".h", ".cu", ".cxx") else path.suffix
    found = re.findall(COMMENT[suffix], path.read_text(), re.DOTALL)
    return [text for text in found if suffix != ".c" or not text.startswith('"')]


@pytest.mark.parametrize("what", PATTERNS)
def test_comments_are_plain(what):
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix in (".c", ".h", ".cu", ".cxx", ".py", ".md") and name != "tests/comments_test.py":
                found += [f"{name}: {' '.join(text.split())[:90]}" for text in comments(path) if re.search(PATTERNS[what], text)]
    assert not found, f"say it in other words than '{what}':\n" + "\n".join(found)


RETIRED = re.compile(r"tess_ask(?:ed|ing)\b|tess_manner|tess_(?:ragged|ringed|faced)\b|look_apart|tess_gift|joined ends"
                     r"|HALO_(?:EXEC|SUMS)|\bAHEAD\b|\bclash")


def test_private_words_are_gone():
    """The field has words for them: periodic, conflict, polyhedra, scatter, prefetch distance."""
    found = [str(path.relative_to(ROOT)) for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in (".c", ".h", ".cu", ".py", ".md") and path.name != "comments_test.py"
             and RETIRED.search(path.read_text())]  # fmt: skip
    assert not found, f"private words again: {found}"


def test_the_patterns_find_what_they_are_for():
    assert [bool(re.search(PATTERNS[what], text)) for what, text in (
        ("is none", "/* a value that is none */"), ("is none", "/* NULL where it\n * is none */"), ("is none", "/* none the less */"),
        ("there is none", "/* -1 where there\n * is none */"), ("True when", "/* True when x */"), ("The same", "/* The same of y */"),
        ("The same", "/* It is the same */"))] == [True, True, False, True, True, True, False]  # fmt: skip
