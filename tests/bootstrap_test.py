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
    assert sorted(re.findall(r"^bin/([^:/]+):", targets, re.MULTILINE)) == ["tess", "tess-ptscotch", "tess-worker"]


def test_debian_packages_say_what_the_build_says():
    """The version, the number in the library's name, and all packages that bootstrap has for a build."""
    version = re.search(r"project\(tesselab VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    control = (ROOT / "debian/control").read_text()
    assert (ROOT / "debian/changelog").read_text().startswith(f"tesselab ({version}-1) ")
    assert f"\nPackage: libtesselab{version.rpartition('.')[0]}\n" in control
    needed = set(re.search(r"build_packages=\((.*?)\)", (ROOT / "bootstrap").read_text(), re.DOTALL)[1].split())
    of_debian = {"gcc", "g++", "libc6-dev", "make", "git", "ca-certificates"}  # build-essential; or no part of a build
    assert needed - of_debian <= set(re.findall(r"^(?:Build-Depends: | +)([\w+.-]+)", control, re.MULTILINE))
    rules = (ROOT / "debian/rules").read_text()  # the fpath of Debian's zsh lacks share/zsh/site-functions
    assert "TESS_INSTALL_ZSH=share/zsh/vendor-completions" in rules
