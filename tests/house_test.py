"""The house: a function takes at most six parameters and 60 lines, a file 600 lines, a folder 60 files; nothing else lies
at the top; and the public header repeats the types of the library."""

import re
import subprocess

from conftest import ROOT

MOST_PARAMETERS, MOST_LINES, MOST_FILE_LINES, MOST_FILES = 6, 60, 600, 60
TOP = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "CMakeLists.txt", "CMakePresets.json", "bootstrap",
       ".ci", ".clang-format", ".dockerignore", ".gitignore", "include", "bench", "core", "data", "partitioners", "viz", "kernels",
       "experiments", "notebooks", "docs", "packaging", "debian", "tests"}  # fmt: skip
SOURCES = ("include", "bench", "core", "data", "partitioners", "viz", "kernels", "experiments", "tests")
SUFFIXES = (".c", ".h", ".cxx", ".cu")
# A kernel takes what its loop declares.
KERNELS = "_kernels.h"
# What is still to be mended: a line leaves as soon as the function or the folder does.
TOO_MANY_PARAMETERS = set()
TOO_LONG = set()
TOO_FULL = set()
# A library of others calls them, so it says what they take; a line leaves with its function.
CALLED_BY_OTHERS = {f"partitioners/zoltan.c: {name}" for name in ("tell_objects", "tell_nets", "tell_weights")} | {
    "tests/data/cgns_apart_test.c: breaks"}  # fmt: skip

WORDLESS = re.compile(  # comments, strings, characters, preprocessor lines
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*',
    re.DOTALL | re.MULTILINE)
BRACE_OR_CALL = re.compile(r"[{}]|\b([A-Za-z_]\w*)\s*\(")
ENDS_HEAD = re.compile(r"\s*[;{]")


def code_only(text):
    """The text without comments, strings and preprocessor lines; its lines stay where they are."""
    code = WORDLESS.sub(lambda match: "\n" * match[0].count("\n"), text)
    return re.sub(r"\bextern\s*{", "", code)


def parameters(code, opening):
    """How many parameters the parentheses that open there hold, and where they end."""
    depth, n, at = 0, 1, opening
    for at in range(opening, len(code)):
        depth += (code[at] == "(") - (code[at] == ")")
        n += code[at] == "," and depth == 1
        if depth == 0:
            break
    return (0 if code[opening + 1:at].strip() in ("", "void") else n), at + 1


def functions(text):
    """(name, line, number of parameters, lines) of each function that a C text declares (0 lines) or defines."""
    code, depth, at = code_only(text), 0, 0
    while match := BRACE_OR_CALL.search(code, at):
        at = match.end()
        if not match[1]:
            depth = max(0, depth + (1 if match[0] == "{" else -1))
        elif depth == 0:
            n, at = parameters(code, at - 1)
            end = ENDS_HEAD.match(code, at)
            if end and not match[1].isupper():  # which is a macro's
                line = code.count("\n", 0, match.start()) + 1
                closing = code.find("\n}", at) if end[0].endswith("{") else -1
                yield match[1], line, n, code.count("\n", 0, closing + 1) + 2 - line if closing >= 0 else 0


def sources():
    return {path.relative_to(ROOT).as_posix(): path.read_text() for folder in SOURCES
            for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES}


def too_many_parameters(texts):
    """In words, by "file: function"."""
    return {f"{file}: {name}": f"{file}:{line}: {name} has {n} parameters, not at most {MOST_PARAMETERS}"
            for file, text in texts.items() if not file.endswith(KERNELS)
            for name, line, n, _ in functions(text) if n > MOST_PARAMETERS}


def too_long(texts):
    """Functions and files, in words, by "file: function" and by file."""
    return {f"{file}: {name}": f"{file}:{line}: {name} has {n} lines, not at most {MOST_LINES}"
            for file, text in texts.items()
            for name, line, _, n in functions(text) if n > MOST_LINES} | {
                file: f"{file} has {n} lines, not at most {MOST_FILE_LINES}"
                for file, text in texts.items() if (n := text.count("\n")) > MOST_FILE_LINES}


def test_functions_have_few_parameters():
    found = too_many_parameters(sources())
    known = TOO_MANY_PARAMETERS | CALLED_BY_OTHERS
    assert not [words for function, words in found.items() if function not in known]
    assert not known - set(found), "mended: take the line out of TOO_MANY_PARAMETERS or CALLED_BY_OTHERS"


def test_functions_and_files_are_short():
    found = too_long(sources())
    assert not [words for place, words in found.items() if place not in TOO_LONG]
    assert not TOO_LONG - set(found), "mended: take the line out of TOO_LONG"


def test_a_function_of_many_lines_is_named():
    body = "    call();\n" * 59
    text = f"int declared(int a);\nint sixty(\n    int a) {{\n{body[12:]}}}\nint longer(int a) {{\n{body}}}\n"
    assert [(name, n) for name, _, _, n in functions(text)] == [("declared", 0), ("sixty", 61), ("longer", 61)]
    assert too_long({"a.c": text, "b.c": "\n" * 601}) == {
        "a.c: sixty": "a.c:2: sixty has 61 lines, not at most 60",
        "a.c: longer": "a.c:63: longer has 61 lines, not at most 60",
        "b.c": "b.c has 601 lines, not at most 600"}


def test_nothing_else_lies_at_the_top():
    """A lab, a picture or notes that came into the repository by mistake are named."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-tree", "--name-only", "HEAD"], stdout=subprocess.PIPE, text=True)
    if listed.returncode == 0:  # else these are the sources without the repository
        assert set(listed.stdout.split()) == TOP


def test_a_function_of_many_parameters_is_named():
    text = """#define MACRO(a, b, c, d, e, f, g) \\
    call(a, b, c, d, e, f, g)
static int six(int a, int (*b)(int, int), int c[2], /* one, two */ int d, int e, const char *f) {
    return seven_called(a, b, c, d, e, ',', "(");
}
extern "C" {
void none(void);
void seven_declared(int a, int b, int c, int d, int e, int f,
                    int g);
}
struct seven_defined *seven_defined(int a, int b, int c, int d, int e, int f, int g)
{
}
"""
    assert list(functions(text)) == [
        ("six", 3, 6, 3), ("none", 7, 0, 0), ("seven_declared", 8, 7, 0), ("seven_defined", 11, 7, 3)]
    assert too_many_parameters({"core/base/x.c": text, "kernels/x_kernels.h": text}) == {
        "core/base/x.c: seven_declared": "core/base/x.c:8: seven_declared has 7 parameters, not at most 6",
        "core/base/x.c: seven_defined": "core/base/x.c:11: seven_defined has 7 parameters, not at most 6"}


def folders():
    """The number of files of each folder of the tree, by its path, but for what builds and tools leave."""
    found = {}
    for path in ROOT.rglob("*"):
        folder = path.relative_to(ROOT).parent
        left = {"build", "__pycache__", "lab"} & {*folder.parts[:1], folder.name} or "_cache/" in f"{folder.as_posix()}/"
        if path.is_file() and not left:
            found[folder.as_posix()] = found.get(folder.as_posix(), 0) + 1
    return found


def too_full(folders):
    return {folder: f"{folder}/ holds {n} files, not at most {MOST_FILES}"
            for folder, n in folders.items() if n > MOST_FILES}


def test_folders_hold_few_files():
    found = too_full(folders())
    assert not [words for folder, words in found.items() if folder not in TOO_FULL]
    assert not TOO_FULL - set(found), "mended: take the folder out of TOO_FULL"


def test_a_full_folder_is_named():
    assert too_full({"core": 60, "viz": 61}) == {"viz": "viz/ holds 61 files, not at most 60"}
    assert folders()["tests/core"] > 10


def said(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def types_of(text):
    """The body of each struct and enum by its name, constants of enums without a name by theirs."""
    found = {}
    for body, name in re.findall(r"(?:struct|enum) \w+ ({[^{}]*}) (\w+);", text):
        found[name] = re.sub(r"\s|,(?=\s*})", "", body)
    for body in re.findall(r"enum {([^{}]*)}", text):
        found |= dict(re.findall(r"(\w+) = (\w+)", body))
    return found


def test_choices_are_compared_by_their_names():
    """cache == TESS_CACHE_COLD, never == 1: the order of a list means nothing."""
    fields = (ROOT / "experiments/bench/experiment_fields.h").read_text()
    choices = re.findall(r"TESS_FIELD\(\s*(\w+),\s*CHOICE\(", fields)
    assert {"cache", "halo", "colouring"} <= set(choices)
    bare = re.compile(rf"\b(?:x|again|\w*experiment)(?:->|\.)(?:{'|'.join(choices)}) [!=]?= \d.*")
    found = [f"{path.relative_to(ROOT)}: {line}" for path in (ROOT / "experiments").rglob("*.c")
             for line in bare.findall(path.read_text())]
    assert found == []


def test_the_header_has_the_types_of_the_library(tmp_path):
    (tmp_path / "all.c").write_text('#include "experiments/bench/bench.h"\n')
    flags = [f"-I{ROOT}", *said("pkg-config", "--cflags", "hdf5", "jansson").split()]
    inside = types_of(said("cc", "-E", "-P", *flags, tmp_path / "all.c"))
    outside = types_of(said("cc", "-E", "-P", ROOT / "include/tesselab.h"))
    assert len(outside) == 13
    assert outside == {name: inside[name] for name in outside}
