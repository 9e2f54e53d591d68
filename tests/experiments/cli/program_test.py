"""The program itself: help, version, mistyped commands, exit codes."""

import json
import re
import subprocess

import pytest


def test_help_lists_commands_and_exit_codes(tess):
    for words in (["--help"], ["-h"], ["help"]):
        help_text = tess(*words).stdout
        assert help_text.startswith("Usage: tess COMMAND")
        assert "3 bad input" in help_text


def test_no_command_is_wrong_usage_and_helps_on_stderr(tess):
    done = tess(code=2)
    assert done.stdout == ""
    assert "Usage: tess COMMAND" in done.stderr
    assert "tess: error: a command is missing" in done.stderr


def test_version(tess):
    assert tess("--version").stdout.startswith("tess ")


def test_option_before_the_command(tess):
    assert "the command comes first" in tess("--json", "mesh", code=2).stderr


def test_unknown_command(tess):
    done = tess("frobnicate", code=2)
    assert done.stderr == "tess: error: there is no command 'tess frobnicate'; see 'tess --help'\n"


def test_unwritable_output_is_an_error(tess_bin):
    with open("/dev/full", "w") as full:
        done = subprocess.run([tess_bin, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert "cannot be written to stdout" in done.stderr


@pytest.mark.parametrize("command", ["partition", "run", "tune", "runs", "mesh info", "sweep", "demo", "explain"])
def test_h_is_help(tess, command):
    shown = tess(*command.split(), "-h").stdout
    assert shown == tess(*command.split(), "--help").stdout == tess(*command.split(), "-?").stdout
    assert "-h, --help" in shown


def pages_of(tess):
    """Every command that has options."""
    pages = {line.split("\t")[0] for line in tess("--help-as=words").stdout.splitlines() if line[0] != "-"} - {"mesh", "machine"}
    parts = {group: re.findall(r"^  (\w+) ", tess(group, "--help").stdout, re.M) for group in ("mesh", "machine")}
    return sorted(pages) + [f"{group} {word}" for group in parts for word in parts[group]]


def test_help_is_a_screen(tess):
    """Of 40 lines with 12 options: examples, then those that are typed most; --help=all has the same and all others."""
    option = re.compile(r"^  (?:-\w, |    )--([a-z-]+)(?:[=[]|  |$)", re.M)
    pages, n_long = pages_of(tess), 0
    assert {"compare", "view", "machine measure", "mesh reorder"} < set(pages) and len(pages) > 35
    for page in pages:
        first, whole = tess(*page.split(), "--help").stdout, tess(*page.split(), "--help=all").stdout
        examples = re.findall(rf"^  tess {page} .*", whole, re.M)
        shown = option.findall(first)
        known = option.findall(whole[:whole.index("--verbose") + 9])
        assert first.count("\n") <= 40 and len(shown) <= 12 and set(shown) <= set(known) and "help" in shown, page
        footer = f"\nAll {len(known)} options, and more to read: tess {page} --help=all\n"
        n_long += footer in first
        assert footer in first or sorted(set(first.split())) == sorted(set(whole.split())), page
        if examples:
            assert 0 < first.find(f"\nExamples:\n  tess {page}") < option.search(first).start(), page
            assert re.search(rf"(.)\n  tess {page}\b", whole)[1] == ":", f"{page}: examples without a title"
        assert not re.search(r"^  tess .*[^\\\n]\n {6}", first + whole, re.M), f"{page}: an example that cannot be pasted"
        for told in re.split(r"^ +(?:-\w, )?--", whole, flags=re.M):
            assert told.count("(default: ") <= 1, f"{page}: {told}"
        assert len(known) == len(set(known)), page
        assert tess(*page.split(), "--help=al", code=2).stderr == "tess: error: --help=al: it is --help or --help=all\n"
    assert 10 < n_long < len(pages)


@pytest.mark.parametrize("arguments, words", [
    (("runs", "-z"), "'tess runs' has no option '-z'; see 'tess runs --help'"),
    (("runs", "-w"), "option '-w' of 'tess runs' needs a value"),
    (("partition", "quads:nx=3:ny=3", "-M", "edges:cells", "-q"), "has no option '-q'"),
])
def test_letters_that_are_no_options_are_told_of(tess, arguments, words):
    done = tess(*arguments, code=2)
    assert done.stderr.startswith("tess: error: ") and words in done.stderr


def test_a_letter_means_the_same_everywhere(tess):
    """Walks the help of every command."""
    means = {}
    for page in pages_of(tess):
        shown = tess(*page.split(), "--help=all").stdout
        letters = dict(re.findall(r"^ +-(\w), --([a-z-]+)", shown, re.M))
        for letter, option in letters.items():
            means.setdefault(letter, {}).setdefault(option, []).append(page)
        assert max(map(len, shown.splitlines())) <= 80, page
        for example in re.findall(rf"^  tess {page} (.*)", shown, re.M):
            assert set(re.findall(r"(?:^| )-([a-zA-Z])(?= )", example)) <= letters.keys(), example
    assert {letter: options for letter, options in means.items() if len(options) > 1} == {}
    assert set(means) >= set("bdglmnpsw") and means["s"].keys() == {"strategy"} and means["m"].keys() == {"mesh"}


@pytest.mark.parametrize("arguments, option", [
    (("partition", "quads:nx=3:ny=3", "-m", "edges:cells", "-p", "rcb", "--no-lab"), "-m of 'tess partition' is --map"),
    (("march", "--no-lab", "airfoil", "--mesh", "airfoil:i=4:j=8", "-n2"), "-n of 'tess march' is --steps"),
])
def test_older_letters_are_read_with_a_note(tess, arguments, option):
    done = tess(*arguments)
    assert f"tess: {option} now" in done.stderr and done.stdout.count("\n") > 1
    assert tess(*arguments, "--quiet").stderr == ""


def test_meshes_of_examples_come_with_the_program(tess, tmp_path):
    """Those that are compressed: wing.su2 and the like stand for one's own."""
    named = {name for page in pages_of(tess) for name in re.findall(r"[\w.]+\.xz", tess(*page.split(), "--help=all").stdout)}
    assert "north_sea.msh.xz" in named
    for name in named:
        tess("mesh", "info", name, cwd=tmp_path)


def test_schemas_are_named_in_one_way(tess, tmp_path):
    tess("partition", "quads:nx=4:ny=4", "--map", "edges:cells", "-p", "rcb", "-b", "32", "--lab", tmp_path)
    for command in (["runs"], ["runs", "-g", "partitioner"], ["show", "@last"], ["best", "reuse_factor"], ["tag"],
                    ["note", "@last"], ["verify"], ["diff", "@last", "@last"], ["export", "-f", "json"], ["doctor"]):  # fmt: skip
        schema = json.loads(tess(*command, "--lab", tmp_path, *([] if command[0] == "export" else ["--json"])).stdout)["schema"]
        assert re.fullmatch(r"tess\.[a-z]+/1", schema), (command, schema)


def test_values_of_letters_are_no_options(tess, tmp_path):
    """Behind the letter or as a word of their own, whatever they begin with."""
    tess("partition", "quads:nx=3:ny=3", "-medges:cells", "-p", "rcb", "-b32", "--no-lab")


def test_help_keeps_columns_and_examples(tess):
    """A name that is too long for its column stands alone; examples can be typed as they are."""
    lines = tess("partition", "--help=all").stdout.splitlines()
    at = lines.index("      --block-numbers=along|given|kept")
    assert lines[at + 1].startswith(" " * 29 + "Blocks are numbered")
    assert "  -p, --partitioner=P[,P...] How blocks are made, say" in lines
    options = [line for line in lines[:lines.index("Examples:")] if re.match(r" +(-\w, )?--", line)]
    assert {line.index("--") for line in options} == {6}
    assert options[-1] == "      --verbose              Say more on stderr"
    assert lines[lines.index("Examples:") + 2].endswith(" \\")


def test_help_begins_with_what_to_do(tess):
    """Not with a noun, nor with what a command does: "Compare", "Show"."""
    pages = [line.split("\t")[0] for line in tess("--help-as=words").stdout.splitlines() if line[0] != "-"]
    first = {page: tess(page, "--help").stdout.splitlines()[1].split()[0] for page in set(pages) - {"mesh", "machine"}}
    assert len(first) > 20
    assert not {page: word for page, word in first.items() if word in ("The", "What") or re.search("[^s]s:?$", word)}


def test_help_that_cannot_be_written_fails(tess_bin):
    with open("/dev/full", "w", encoding="utf-8") as full:
        for form in ("--help", "--usage", "--help-as=man"):
            done = subprocess.run([tess_bin, "run", form], stdout=full, stderr=subprocess.PIPE, text=True)
            assert done.returncode == 1 and "cannot be written to stdout" in done.stderr, form
