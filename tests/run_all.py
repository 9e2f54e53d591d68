"""Every test: the cmocka programs of both builds and pytest; the last line counts them.

Two queues run side by side, so that no core waits for the end of one stage or for what pytest's tests
wait for; what a stage says comes in one piece when it is done. A skipped test is printed with its
reason. A skip whose test is not in tests/known_skips.txt counts as a failure: a test that silently stops running is a defect."""

import argparse
import collections
import concurrent.futures
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What bad input reaches first runs under AddressSanitizer and UBSan, too, but for tests of the same files that look at words,
# at numbers of large meshes or at other programs: what they run is sanitized by the tests beside them and by unit tests.
ONLY_RELEASE = ("by_all_strategies", "goes_with_the_grid", "host_is_timed", "on_the_emulator_and_settles", "keep_to_100_columns",
                "all_explained", "vtk_reads_what_the_tests_write", "airfoil_has_op2s_counts", "an_expert_cut_better",
                "get_as_few_colours", "refinement_is_part_of_the_name", "traffic_is_counted_where",
                "takes_a_part_of_a_mesh", "the_verdict_is_by_time", "an_arg_may_be_some_components", "round_for_ever")  # fmt: skip
SANITIZED = ["tests/data", "tests/viz/viz_test.py", *(f"tests/experiments/{name}_test.py" for name in (
    "cli/mesh_command", "cli/partition_command", "cli/list_command", "archive/verify", "cli/run_command",
    "cli/march_command", "cli/yaml_mutation")), "-k", " and ".join(f"not {name}" for name in ONLY_RELEASE)]
# Tests run side by side: none asserts a time. A file's tests stay together for what they share. Of pytest's some wait
# for signals, ranks and browsers, so that one worker more than there are cores keeps all cores busy; the unit tests beside
# them do so at the end of either.
CORES = min(len(os.sched_getaffinity(0)), 8)
SIDE_BY_SIDE = ["-n", str(CORES + 1), "--dist", "loadfile"] if importlib.util.find_spec("xdist") else []
CMOCKA_LINE = re.compile(r"^\[\s*(OK|FAILED|SKIPPED|ERROR)\s*\] ([A-Za-z_]\w*)", re.MULTILINE)


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []

    def add(self, name, outcome, reason=""):
        {"passed": self.passed, "failed": self.failed, "skipped": self.skipped}[outcome].append(
            (name, reason))


def run_stage(title, command, environment):
    """Runs the tests of one stage; what they say is printed in one piece when they are done."""
    print(f"== {title}: begins", flush=True)
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(f"== {title}: {time.monotonic() - began:.0f} s\n{done.stdout}", end="", flush=True)


def tally_ctest(preset, arguments, tally):
    """Runs the cmocka programs of one build; each of their tests counts."""
    report = Path(tempfile.mkdtemp()) / "ctest.xml"
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="STDOUT")
    run_stage(
        f"unit tests ({preset})",
        ["ctest", "--preset", preset, "-j", str(CORES), "--output-junit", str(report), "--test-output-size-passed",
         "10000000", "--test-output-size-failed", "10000000", *arguments], environment)
    if not report.exists():
        tally.add(f"{preset}: ctest", "failed", "ctest wrote no report")
        return
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        program = f"{preset}: {case.get('name')}"
        output = case.findtext("system-out") or ""
        lines = CMOCKA_LINE.findall(output)
        failed = case.get("status") == "fail"
        for outcome, name in set(lines):
            if outcome == "OK":
                tally.add(f"{program}: {name}", "passed")
            elif outcome == "SKIPPED":
                tally.add(f"{program}: {name}", "skipped", "see the output of the test")
            elif name != "tests" and failed:
                tally.add(f"{program}: {name}", "failed")
        if failed and not any(name.startswith(program) for name, _ in tally.failed):
            tally.add(program, "failed", "crashed or timed out")
        elif not failed and not lines:
            tally.add(program, "skipped" if case.get("status") == "notrun" else "passed")


def print_dearest(preset, lines):
    """The files whose tests take most of the processor, in seconds, by what conftest.py writes."""
    spent = collections.Counter()
    for line in lines.read_text().splitlines():
        seconds, _, test = line.partition(" ")
        spent[test.partition("::")[0]] += float(seconds)
    print(f"== processor seconds ({preset}): {spent.total():.0f}")
    for file, seconds in spent.most_common(20):
        print(f"{seconds:8.1f} {file}", flush=True)


def tally_pytest(preset, arguments, tally):
    """Runs pytest on the program of one build."""
    report = Path(tempfile.mkdtemp()) / "pytest.xml"
    spent = report.with_name("seconds")
    environment = dict(
        os.environ, TESS_TEST_SECONDS=str(spent), TESS_BIN=str(ROOT / "build" / preset / "bin" / "tess"),
        LSAN_OPTIONS=f"suppressions={ROOT / 'tests' / 'leaks_of_others.txt'}:print_suppressions=0")
    run_stage(
        f"command line and files ({preset})",
        [sys.executable, "-m", "pytest", "-q", "--tb=short", f"--junitxml={report}", "-p",
         "no:cacheprovider", *SIDE_BY_SIDE, *arguments], environment)
    if not report.exists():
        tally.add(f"{preset}: pytest", "failed", "pytest wrote no report")
        return
    if spent.exists():
        print_dearest(preset, spent)
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{preset}: {case.get('classname')}: {case.get('name')}"
        skipped = case.find("skipped")
        if skipped is not None:
            tally.add(name, "skipped", skipped.get("message", ""))
        elif case.find("failure") is not None or case.find("error") is not None:
            tally.add(name, "failed")
        else:
            tally.add(name, "passed")


def known_skips():
    lines = (ROOT / "tests" / "known_skips.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the tests labelled slow")
    options = parser.parse_args()
    tally = Tally()
    without_slow = ["-LE", "slow"] if options.quick else []

    def run_unit_tests_and_sanitized():
        tally_ctest("release", without_slow, tally)
        tally_ctest("sanitize", ["-LE", "slow|release"], tally)
        tally_pytest("sanitize", SANITIZED, tally)

    with concurrent.futures.ThreadPoolExecutor() as queues:
        others = queues.submit(run_unit_tests_and_sanitized)
        run_stage("tests compiled, once for all workers", [sys.executable, "-m", "pytest", "--collect-only", "-qq", "tests"], os.environ)
        tally_pytest("release", ["tests"] + (["-m", "not slow"] if options.quick else []), tally)
        others.result()

    known = known_skips()
    for name, reason in sorted(tally.skipped):
        if any(re.search(pattern, f"{name}: {reason}") for pattern in known):
            print(f"skipped: {name}: {reason}")
        else:
            tally.add(name, "failed", f"was skipped, but is not in known_skips.txt: {reason}")
    for name, reason in sorted(tally.failed):
        print(f"FAILED: {name} {reason}")
    unknown = {name for name, _ in tally.failed}
    n_skipped = sum(1 for name, _ in tally.skipped if name not in unknown)
    print(f"{len(tally.passed)} passed, {len(tally.failed)} failed, {n_skipped} skipped")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
