"""The program itself: help, version, mistyped commands, exit codes."""

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
    assert tess(*command.split(), "-h").stdout == tess(*command.split(), "--help").stdout


@pytest.mark.parametrize("arguments, words", [
    (("runs", "-z"), "'tess runs' has no option '-z'; see 'tess runs --help'"),
    (("runs", "-w"), "option '-w' of 'tess runs' needs a value"),
    (("partition", "quads:nx=3:ny=3", "-m", "edges:cells", "-q"), "has no option '-q'"),
])
def test_letters_that_are_no_options_are_told_of(tess, arguments, words):
    done = tess(*arguments, code=2)
    assert done.stderr.startswith("tess: error: ") and words in done.stderr


def test_values_of_letters_are_no_options(tess, tmp_path):
    """Behind the letter or as a word of their own, whatever they begin with."""
    tess("partition", "quads:nx=3:ny=3", "-medges:cells", "-p", "rcb", "-b32", "--no-lab")
