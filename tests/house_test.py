"""The house: a function takes at most six parameters and 60 lines; a room has so many constants, a command so many
options; nothing else lies at the top; and the public header repeats the types of the library.

    python3 tests/house_test.py

prints the largest files and folders, and how much of each budget is used."""

import re
import subprocess

from conftest import ROOT
from tower_test import ROOMS

MOST_PARAMETERS, MOST_LINES = 6, 60
# Names of numbers, and numbers in tables, that a room may have: a little above what is there. Who needs more than the
# budget first looks for one that can go.
MOST_CONSTANTS = {
    "partitioners/mosaic": 36, "core/base": 49, "core/mesh": 26, "core/plan": 39, "core/ranks": 6, "data": 266,
    "partitioners": 36, "viz": 20, "kernels/devices": 71, "kernels/cut": 18, "kernels/scatter": 20, "kernels/loops": 41, "kernels/codegen": 36, "kernels/peers": 3,
    "kernels/strategies": 8, "kernels/run": 13, "kernels/emit": 16, "kernels/exchange": 29, "kernels/applications": 13,
    "experiments/archive": 36, "experiments/bench": 33, "experiments/model": 76, "experiments/campaign": 28,
    "experiments/report": 69, "experiments/cli": 85, "experiments/face": 4}  # fmt: skip
# Options that `tess COMMAND --help` shows; another command has at most MOST_OPTIONS.
MOST_OPTIONS = 12
OPTIONS = {
    "partition": 39, "run": 62, "tune": 46, "predict": 40, "march": 59, "emit": 30, "gate": 14, "ranks": 16, "sweep": 22, "runs": 13,
    "export": 13, "view": 22, "mesh reorder": 16, "bound": 15, "record": 15}  # fmt: skip
TOP = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "CMakeLists.txt", "CMakePresets.json", "bootstrap",
       ".ci", ".clang-format", ".dockerignore", ".gitignore", "include", "bench", "core", "data", "partitioners", "viz", "kernels",
       "experiments", "notebooks", "python", "docs", "packaging", "debian", "tests"}  # fmt: skip
SOURCES = ("include", "bench", "core", "data", "partitioners", "viz", "kernels", "experiments", "tests")
SUFFIXES = (".c", ".h", ".cxx", ".cu")
# A kernel takes what its loop declares.
KERNELS = "_kernels.h"
# What is still to be mended: a line leaves as soon as the function does.
TOO_MANY_PARAMETERS = set()
TOO_LONG = set()
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
    """In words, by "file: function"."""
    return {f"{file}: {name}": f"{file}:{line}: {name} has {n} lines, not at most {MOST_LINES}"
            for file, text in texts.items()
            for name, line, _, n in functions(text) if n > MOST_LINES}


def test_functions_have_few_parameters():
    found = too_many_parameters(sources())
    known = TOO_MANY_PARAMETERS | CALLED_BY_OTHERS
    assert not [words for function, words in found.items() if function not in known]
    assert not known - set(found), "mended: take the line out of TOO_MANY_PARAMETERS or CALLED_BY_OTHERS"


def test_functions_are_short():
    found = too_long(sources())
    assert not [words for function, words in found.items() if function not in TOO_LONG]
    assert not TOO_LONG - set(found), "mended: take the line out of TOO_LONG"


def test_a_function_of_many_lines_is_named():
    body = "    call();\n" * 59
    text = f"int declared(int a);\nint sixty(\n    int a) {{\n{body[12:]}}}\nint longer(int a) {{\n{body}}}\n"
    assert [(name, n) for name, _, _, n in functions(text)] == [("declared", 0), ("sixty", 61), ("longer", 61)]
    assert too_long({"a.c": text}) == {
        "a.c: sixty": "a.c:2: sixty has 61 lines, not at most 60",
        "a.c: longer": "a.c:63: longer has 61 lines, not at most 60"}


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


# --- budgets ---------------------------------------------------------------------------------------------------------

ENUM = re.compile(r"\benum\b[^{};()]*{([^}]*)}")
VALUE = re.compile(r"=\s*([^,]*)")
NUMERIC = re.compile(r"\bstatic\s+const\s+((?:unsigned |signed )?(?:int|long|short|double|float|char|size_t|bool|u?int\d+_t))\b"
                     r"(?!\s*\*)([^;()]*=[^;]*);")  # fmt: skip
DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+\(?-?[\d.]", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])\.?\d[\w.]*(?:(?<=[eEpP])[+-]\d+)?")


def constants(text):
    """How many numbers a C text fixes: enumerators and `static const` that are given one, those in tables of numbers, and
    macros that are one. That something is 0, or the next of a list, fixes none."""
    code = code_only(text)
    n = sum(bool(NUMBER.search(value)) and value.strip() != "0" for body in ENUM.findall(code) for value in VALUE.findall(body))
    for _, names in NUMERIC.findall(code):
        tables = re.findall(r"=\s*{(.*)}", names, re.DOTALL)
        n += sum(len(NUMBER.findall(table)) for table in tables)
        n += sum(bool(NUMBER.search(value)) for value in VALUE.findall(re.sub(r"=\s*{.*}", "", names, flags=re.DOTALL)))
    return n + len(DEFINED.findall(text))


def constants_of_rooms(texts):
    """By room; mosaic, which had 204, is one of its own."""
    found = dict.fromkeys(["partitioners/mosaic", *ROOMS], 0)
    for file, text in texts.items():
        room = next((room for room in found if file.startswith(room + "/")), None)
        if room:
            found[room] += constants(text)
    return found


def test_rooms_keep_to_their_constants():
    found = constants_of_rooms(sources())
    assert not {room: f"{n}, not at most {MOST_CONSTANTS[room]}" for room, n in found.items() if n > MOST_CONSTANTS[room]}
    assert set(MOST_CONSTANTS) == set(found)


def test_constants_are_counted():
    assert constants("""/* enum { NOT = 1 } */
enum { A = 3, B, C = 1 << 20, ZERO = 0, D = A };
typedef enum kind { FIRST, SECOND = 2 } kind;
static const double near = 1.1, far = 2e-3;
static const double table[2][2] = {{1, .5}, {-2e+3, 0x1p-4}};
static const char *const names[] = {"3"};
static const char name[] = "4";
static const tess_option options[] = {{"a", 5}};
#define SIZE 64
#define TEXT "64"
#define CALL(x) 2 * (x)
static const int *five(int n) { return n = 5; }
""") == 3 + 2 + 4 + 1


def options_of(tess_bin, *command):
    text = subprocess.run([tess_bin, *command, "--help=all"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return len(re.findall(r"^  (?:-\w, |    )--\w", text, re.MULTILINE)), re.findall(r"^  (\w+)  ", text, re.MULTILINE)


def options_of_commands(tess_bin, *group):
    """The number of options by command, of those in groups, too."""
    found = {}
    for name in options_of(tess_bin, *group)[1]:
        n, below = options_of(tess_bin, *group, name)
        if n:
            found[" ".join((*group, name))] = n
        elif below:
            found |= options_of_commands(tess_bin, *group, name)
    return found


def test_no_two_sources_have_one_name():
    """But for the lists of plug-ins."""
    names = [file.rsplit("/", 1)[-1] for file in sources() if file.endswith((".c", ".h", ".cu")) and not file.endswith("/list.h")]
    assert len(names) > 500 and not {name for name in names if names.count(name) > 1}


def test_commands_keep_to_their_options(tess_bin):
    found = options_of_commands(tess_bin)
    assert not {command: f"{n} options, not at most {most}" for command, n in found.items()
                if n > (most := OPTIONS.get(command, MOST_OPTIONS))}  # fmt: skip
    assert not set(OPTIONS) - set(found), "there is no such command"


def largest(texts, n=10):
    """(lines, file) of the largest files, the largest first."""
    return sorted(((text.count("\n"), file) for file, text in texts.items()), reverse=True)[:n]


def test_the_largest_files_come_first():
    assert largest({"a.c": "\n", "b.c": "\n\n\n", "c.c": "\n\n"}, 2) == [(3, "b.c"), (2, "c.c")]


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
    (tmp_path / "all.c").write_text('#include "experiments/bench/bench.h"\n#include "kernels/scatter/scatter.h"\n#include "kernels/run/array_loop.h"\n')
    flags = [f"-I{ROOT}", *said("pkg-config", "--cflags", "hdf5", "jansson").split()]
    inside = types_of(said("cc", "-E", "-P", *flags, tmp_path / "all.c"))
    outside = types_of(said("cc", "-E", "-P", ROOT / "include/tesselab.h"))
    assert len(outside) == 29
    assert outside == {name: inside[name] for name in outside}


def print_house():
    texts = sources()
    folders = {}
    for file in texts:
        folder = file.rsplit("/", 1)[0]
        folders[folder] = folders.get(folder, 0) + 1
    print("The largest files, in lines:")
    for n, file in largest(texts):
        print(f"{n:8} {file}")
    print("The fullest folders, in sources:")
    for n, folder in sorted(((n, folder) for folder, n in folders.items()), reverse=True)[:10]:
        print(f"{n:8} {folder}")
    print("Constants of rooms, and the budget:")
    for room, n in constants_of_rooms(texts).items():
        print(f"{n:8} {MOST_CONSTANTS.get(room, 0):5} {room}")
    print("Options of commands, and the budget:")
    for command, n in options_of_commands(ROOT / "build/release/bin/tess").items():
        print(f"{n:8} {OPTIONS.get(command, MOST_OPTIONS):5} {command}")


if __name__ == "__main__":
    print_house()
