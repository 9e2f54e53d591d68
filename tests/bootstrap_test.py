"""./bootstrap: what it says while it builds, and what a build leaves where users look."""

import re
import subprocess

from conftest import ROOT


def watched(lines):
    """What the watcher of builds passes on and what it says, of the lines of a build."""
    function = re.search(r"^watch_build\(\) \{.*?^\}", (ROOT / "bootstrap").read_text(), re.MULTILINE | re.DOTALL)[0]
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", f"{function}\nwatch_build"], text=True,
                          input="".join(lines), capture_output=True, check=True)  # fmt: skip
    return done.stdout, done.stderr.splitlines()


def test_a_build_says_how_far_it_is():
    lines = [f"[{i}/40] Building C object {i}.o\n" for i in range(1, 41)]
    lines.insert(7, "oh.c:3: error: 100 % wrong \\n\n")
    passed, said = watched(["[0/2] Checking\n", *lines])
    assert passed == "".join(["[0/2] Checking\n", *lines]), "the log has every line as it is"
    assert said == ["bootstrap: 2 % (1 of 40 steps)"] + [f"bootstrap: {10 * i} % ({4 * i} of 40 steps)" for i in range(1, 11)]


def test_only_what_users_run_lies_beside_the_program(tess_bin):
    targets = subprocess.run(["ninja", "-C", tess_bin.parents[1], "-t", "targets", "all"], text=True,
                             capture_output=True, check=True).stdout  # fmt: skip
    assert sorted(re.findall(r"^bin/([^:/]+):", targets, re.MULTILINE)) == ["tess", "tess-worker"]
