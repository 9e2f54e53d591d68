"""tess gate: is this program slower than a reference? References are made of this program by a script that says other
times, so that no verdict depends on the machine."""
import json
import os
import re
import subprocess
import textwrap
import xml.etree.ElementTree

import pytest
from conftest import ROOT
import yaml

RUN = ("run", "airfoil", "--mesh", "airfoil:i=12:j=16", "--device", "host", "--strategy", "sequential", "--samples", 3)
RECIPE = """sweep: two
axes:
  application: airfoil
  mesh: airfoil:i=12:j=16
  device: host
  strategy: [sequential, openmp]
  samples: 3
"""
# Runs `tess`, as a version that cannot stand by, then says `factor` times what it took.
REFERENCE = """#!/usr/bin/python3
import json, pathlib, subprocess, sys
if "--stand-by" in sys.argv:
    sys.exit(2)
done = subprocess.run([{tess!r}, *sys.argv[1:]], capture_output=True, text=True)
if done.returncode:
    sys.exit(sys.stderr.write(done.stderr) and 1)
told = json.loads(done.stdout)
count = pathlib.Path({count!r})
n = int(count.read_text()) if count.exists() else 0
count.write_text(str(n + 1))
told["runs"][0]["median_time"] *= {factor} * (1 + {jitter} * ((n * 7) % 5 - 2))
print(json.dumps(told))
"""


@pytest.fixture
def reference(tess, tmp_path):
    def make(factor, jitter=0.0):
        where = tess("doctor", "--json").args[0]
        program = tmp_path / f"reference-{factor}"
        program.write_text(REFERENCE.format(tess=str(where), count=str(tmp_path / "count"), factor=factor, jitter=jitter))
        program.chmod(0o755)
        return program

    return make


# Stands by as `tess` does, and says `factor` times what that took; its process of number `broken` ends in its turn. Each leaves a line. It is ready without
# the words `unsaid`.
STANDING = """#!/usr/bin/python3
import pathlib, subprocess, sys
with open({count!r}, "a+") as count:
    print(*sys.argv[1:], file=count)
    count.seek(0)
    number = count.read().count("--stand-by")
tess = subprocess.Popen([{tess!r}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(tess.stdout.readline().replace({unsaid!r}, ""), end="", flush=True)
for line in sys.stdin:
    print("turn", file=open({count!r}, "a"))
    if number == {broken}:
        sys.exit(sys.stderr.write("broken") and 7)
    print(line, end="", file=tess.stdin, flush=True)
    prefix, seconds = tess.stdout.readline().rsplit(" ", 1)
    print(prefix, {factor} * float(seconds), flush=True)
"""


@pytest.fixture
def standing(tess, tmp_path):
    def make(factor, broken=0, unsaid=""):
        where = tess("doctor", "--json").args[0]
        program = tmp_path / f"standing{len(unsaid)}"
        program.write_text(STANDING.format(tess=str(where), count=str(tmp_path / "started"), factor=factor, broken=broken, unsaid=unsaid))
        program.chmod(0o755)
        return program

    return make


@pytest.fixture
def recipe(tmp_path):
    (tmp_path / "two.yaml").write_text(RECIPE)
    return tmp_path / "two.yaml"


def gate(tess, *arguments, code=0, **options):
    return json.loads(tess("gate", *arguments, "--json", code=code, **options).stdout)["cases"]


def test_what_takes_a_tenth_of_the_reference_is_let_through(tess, reference, recipe, tmp_path):
    recipe.write_text(RECIPE.replace("[sequential, openmp]", "sequential"))
    cases = gate(tess, "--reference-program", reference(10), recipe, "--lab", tmp_path / "lab", "--budget", "5m")
    assert [one["verdict"] for one in cases] == ["same"] and "sequential" in cases[0]["run"] and not cases[0]["reason"]
    assert all(len(one["times"]) == len(one["reference"]) >= 4 and one["high"] < 1 for one in cases)


def test_what_takes_ten_times_the_reference_is_slower(tess, reference, recipe, tmp_path):
    junit = tmp_path / "gate.xml"
    done = tess("gate", "--reference-program", reference(0.1), recipe, "--lab", tmp_path / "lab", "--junit", junit, "--budget", "5m", code=1)
    assert done.stderr == "tess: error: 2 of 2 runs are slower, 0 failed\n"
    assert done.stdout.splitlines()[1].startswith("slower") and "2 slower, 0 failed, 0 the same, 0 out of time; limit 2 %" in done.stdout
    suite = xml.etree.ElementTree.parse(junit).getroot()
    assert suite.attrib["tests"] == suite.attrib["failures"] == "2" and suite.attrib["skipped"] == "0"
    assert [case.find("failure").attrib["message"].split()[1] for case in suite] == ["times", "times"]
    assert all(case.find("failure").text == case.find("failure").attrib["message"] for case in suite)


# Builds what it finds in its folder, as the checkout's does: a program in the place of `tess`.
BOOTSTRAP = '#!/bin/sh\ncd "$(dirname "$0")" && [ "$1" = build ] && mkdir -p build/release/bin && cp program build/release/bin/tess\n'


@pytest.fixture
def branches(tess_bin, reference, recipe, tmp_path):
    """A clone on a branch, of a repository whose main is ten times as slow."""
    files = tmp_path / "files"
    (files / "experiments/recipes").mkdir(parents=True)
    lines = RECIPE.replace("[sequential, openmp]", "sequential")
    (files / "experiments/recipes/gate.yaml").write_text(lines.replace("device: host", "device: none") + "subsets: {host: {axes: {device: host}}}\n")
    (files / "bootstrap").write_text(BOOTSTRAP)
    (files / "bootstrap").chmod(0o755)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "--quiet", "-b", "main"], cwd=files, check=True)
    for branch, program in (("main", reference(10)), ("change", tess_bin)):
        subprocess.run([*git, "checkout", "--quiet", "-B", branch], cwd=files, check=True)
        (files / "program").write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        (files / "program").chmod(0o755)
        for words in (["add", "--all"], ["commit", "--quiet", "-m", branch]):
            subprocess.run([*git, *words], cwd=files, check=True)
    subprocess.run(["git", "clone", "--quiet", "--branch", "change", files, tmp_path / "work"], check=True)
    return tmp_path / "work"


@pytest.mark.parametrize("host", ["GitHub", "GitLab"])
def test_the_examples_for_ci_run_and_keep_the_file_that_they_write(branches, host):
    page = (ROOT / "docs/gate.md").read_text()
    blocks = [textwrap.dedent(block) for block in re.findall(r"(?:^    .+\n)+", page[page.index("## In CI") :], re.MULTILINE)]
    steps, jobs = (yaml.safe_load(block) for block in blocks if "script:" in block or "uses:" in block)
    commands = jobs["gate"]["script"] if host == "GitLab" else [step["run"] for step in steps if "run" in step]
    kept = jobs["gate"]["artifacts"]["reports"]["junit"]
    assert kept == steps[-1]["with"]["path"] and steps[-1]["if"] == "always()" and jobs["gate"]["artifacts"]["when"] == "always"
    for command in commands:
        subprocess.run(["bash", "-e", "-c", command], cwd=branches, check=True,
                       env={**os.environ, "TESS_LAB": str(branches / "lab"), "GITHUB_BASE_REF": "main", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"})  # fmt: skip
    suite = xml.etree.ElementTree.parse(branches / kept).getroot()
    assert suite.attrib["tests"] == "1" and {suite.attrib[how] for how in ("failures", "errors", "skipped")} == {"0"}


@pytest.mark.parametrize("factor, verdict", [(1e6, "same"), (1e-6, "slower")])
def test_runs_are_made_ready_before_their_turns(tess, standing, recipe, tmp_path, factor, verdict):
    cases = gate(tess, "--reference-program", standing(factor), recipe, "--lab", tmp_path / "lab", "--budget", "5m", code=verdict == "slower")
    assert [one["verdict"] for one in cases] == [verdict, verdict]
    assert all(4 <= len(one["times"]) == len(one["reference"]) for one in cases)
    lines = [line.split()[-1] for line in (tmp_path / "started").read_text().splitlines()]
    turns = [len(asked) for asked in re.findall("t+", "".join(line[0] for line in lines))]
    assert lines[:12] == ["--stand-by", "--stand-by", *10 * ["turn"]] and min(turns) >= 10 and max(turns) > 20  # of two runs
    assert lines.count("--stand-by") == sum(len(one["times"]) for one in cases), "a process has one turn"
    assert not list((tmp_path / "lab").glob("runs/*"))


def test_what_is_slower_than_a_reference_whose_places_stay_may_lie_worse(tess, standing, reference, recipe, tmp_path):
    """Releases until 0.3.0 say nothing of places, or cannot stand by; an emulator has none."""
    reasons, strategies = [], "host\n  strategy: [sequential, openmp]"
    for n, program in enumerate((standing(1e-6), standing(1e-6), standing(1e-6, unsaid=" at random places"), reference(1e-6))):
        recipe.write_text(RECIPE.replace(strategies, "host\n  strategy: sequential" if n else "emulator\n  strategy: atomics"))
        file = tmp_path / f"{n}.xml"
        (one,) = gate(tess, "--reference-program", program, recipe, "--lab", tmp_path / "lab", "--budget", "5m", "--junit", file, code=1)
        assert one["verdict"] == "slower" and (one["reason"] or "") in file.read_text().replace("&#39;", "'")
        reasons.append(one["reason"])
    assert reasons == [None, None, *2 * ["or its arrays lie worse: the reference's lie at the same places in each process"]]


def test_each_turn_is_of_a_process_of_its_own(tess, standing, recipe, tmp_path):
    recipe.write_text(RECIPE.replace("[sequential, openmp]", "sequential"))
    program = standing("(10 if number % 2 else 0.1)", broken=6)
    failed = tess("gate", "--reference-program", program, recipe, "--lab", tmp_path / "lab", "--budget", "60m", code=3).stdout
    assert "\nno reference " in failed and "ended with 7" in failed and "broken" in failed
    lines = (tmp_path / "started").read_text().splitlines()
    assert re.fullmatch("(-t{10,}){5}-t", "".join(line.split()[-1][0] for line in lines))
    assert all("--samples=1 --stand-by" in line for line in lines if line != "turn"), "the sooner comes the other's turn"


def test_what_stands_by_places_its_data_anew_for_each_line(tess):
    done = tess(*RUN, "--no-lab", "--quiet", "--stand-by", input="time\ntime\n")
    ready, *times = done.stdout.splitlines()
    assert ready == "tess standing by: ready at random places" and len(times) == 2
    assert all(float(time.removeprefix("tess standing by: ")) > 0 for time in times)
    for more in (("--ranks", 2), ("--block-size", "64,128")):
        assert "--stand-by is for one run without ranks" in tess(*RUN, *more, "--no-lab", "--stand-by", code=2).stderr


def test_without_time_nothing_is_said(tess, reference, recipe, tmp_path):
    done = tess("gate", "--reference-program", reference(0.1), recipe, "--lab", tmp_path / "lab", "--budget", "1e-9s", "--junit", tmp_path / "g.xml")
    assert "0 slower, 0 failed, 0 the same, 2 out of time" in done.stdout
    assert "warning: 2 of 2 runs had no turn within the budget of 1e-09 s" in done.stderr
    suite = xml.etree.ElementTree.parse(tmp_path / "g.xml").getroot()
    assert suite.attrib["skipped"] == "2" and {case.find("skipped").text for case in suite} == {"out of time"}


def test_a_chain_is_named_by_its_loops(tess, recipe, reference, tmp_path):
    recipe.write_text("sweep: one\naxes: {application: lulesh, mesh: 'hexes:nx=3:ny=3:nz=3', device: emulator, strategy: point-parallel}\n"
                      "groups: [{chain: init_stress+integrate_stress+move_nodes}, {loop: move_nodes}]\n")
    cases = gate(tess, "--reference-program", reference(1), recipe, "--lab", tmp_path / "lab", "--budget", "1e-9s")
    assert [one["run"].split(",")[0] for one in cases] == ["lulesh init_stress+integrate_stress+move_nodes", "lulesh move_nodes"]


def test_times_of_the_lab_are_a_reference(tess, tmp_path):
    lab = tmp_path / "lab"
    for _ in range(3):
        tess(*RUN, "--lab", lab)
    tess("tag", "before", "@last", "@last~1", "@last~2", "--lab", lab)
    (one,) = gate(tess, "tag:before", "--lab", lab, "--limit", "1e6%", "--budget", "5m")
    assert one["verdict"] == "same" and len(one["reference"]) == 3 and len(one["times"]) >= 4
    few = tess("gate", "@last", "--lab", lab, code=3).stderr
    assert "the reference is 1 process that timed this run here, and three are the fewest" in few
    assert "run it again and tag them all" in few, "the lab has three"
    (lab / "cuts.yaml").write_text("sweep: cuts\naxes: {partitioner: rcb, block_size: 8}\ngroups:\n  - {mesh: 'quads:nx=4:ny=4', map: 'edges:cells'}\n")
    assert "a gate makes runs of loops, and none of these is one" in tess("gate", lab / "cuts.yaml", "--lab", lab, code=3).stderr


def test_a_recipes_points_are_found_in_the_lab(tess, recipe, tmp_path):
    recipe.write_text(RECIPE.replace("[sequential, openmp]", "sequential") + "repetitions: 3\n")
    lab = tmp_path / "lab"
    tess("sweep", recipe, "--lab", lab)
    (one,) = gate(tess, recipe, "--lab", lab, "--limit", "1e6%", "--budget", "5m")
    assert one["verdict"] == "same" and len(one["reference"]) == 3


def test_a_reference_is_not_asked_for_defaults_which_it_may_not_know(tess, recipe, tmp_path):
    recipe.write_text(RECIPE.replace("[sequential, openmp]", "sequential"))
    program = tmp_path / "says"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\nexit 1\n')
    program.chmod(0o755)
    tess("gate", "--reference-program", program, recipe, "--lab", tmp_path / "lab", code=3)
    asked = (tmp_path / "asked").read_text().split()  # of the process after it did not stand by
    assert asked == ["run", "--json", "--quiet", "--lab", str(tmp_path / "lab"), "--mesh=airfoil:i=12:j=16", "airfoil", "--device=host",
                     "--samples=3", "--renumber=blocks", "--strategy=sequential"]  # fmt: skip


def test_a_reference_that_cannot_stand_by_is_asked_once_and_then_for_more_samples(tess, recipe, reference, tmp_path):
    recipe.write_text(RECIPE.replace("[sequential, openmp]", "sequential"))
    program = tmp_path / "says"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexec {reference(10)} "$@"\n')
    program.chmod(0o755)
    (one,) = gate(tess, "--reference-program", program, recipe, "--lab", tmp_path / "lab", "--budget", "5m")
    first, *turns = [re.findall("--samples=([0-9]+)|(--stand-by)", line) for line in (tmp_path / "asked").read_text().splitlines()]
    assert one["verdict"] == "same" and first == [("3", ""), ("1", ""), ("", "--stand-by")] and len(turns) == len(one["times"])
    assert turns[0] == [("3", "")] and all(turn[0] == ("3", "") and 3 < int(turn[1][0]) <= 1000 for turn in turns[1:])


def test_both_programs_of_one_thread_share_a_core(tess, recipe, tmp_path):
    program = tmp_path / "says"
    program.write_text(f'#!/usr/bin/python3\nimport os, sys\nprint(*sys.argv, *sorted(os.sched_getaffinity(0)), file=open("{tmp_path}/asked", "a"))\nsys.exit(2)\n')
    program.chmod(0o755)
    tess("gate", "--reference-program", program, recipe, "--lab", tmp_path / "lab", code=3)
    asked = (tmp_path / "asked").read_text().splitlines()
    cores = {(strategy, "--stand-by" in line): re.search("[ 0-9]+$", line)[0].split() for line in asked for strategy in ("sequential", "openmp")
             if f"--strategy={strategy}" in line}  # fmt: skip
    assert len(cores) == 4 and all(len(cores["sequential", stands]) == 1 for stands in (False, True))
    assert all(cores["openmp", stands] == [str(core) for core in sorted(os.sched_getaffinity(0))] for stands in (False, True))


@pytest.mark.parametrize("strategies, shared", [("sequential", True), ("[sequential, openmp]", False)])
def test_cores_are_shared_unless_threads_are_what_runs(tess, recipe, tmp_path, strategies, shared):
    recipe.write_text(RECIPE.replace("[sequential, openmp]", strategies))
    program = tmp_path / "says"
    program.write_text(f'#!/bin/sh\necho "threads $OMP_NUM_THREADS" > {tmp_path}/asked\nexit 1\n')
    program.chmod(0o755)
    env = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    tess("gate", "--reference-program", program, recipe, "--lab", tmp_path / "lab", code=3, env=env)
    assert len((tmp_path / "asked").read_text().split()) == 1 + shared


def test_a_run_that_fails_is_no_pass(tess, recipe, tmp_path, reference):
    recipe.write_text(RECIPE.replace("[sequential, openmp]", "sequential").replace("airfoil:i=12:j=16", "gone.su2"))
    program = tmp_path / "says"
    program.write_text('#!/bin/sh\necho \'{"runs": [{"check": "passed", "median_time": 1}]}\'\n')
    program.chmod(0o755)
    (tmp_path / "gone.su2").write_text("no mesh")
    done = tess("gate", "--reference-program", program, recipe, "--lab", tmp_path / "lab", code=1)
    assert "0 of 1 runs are slower, 1 failed" in done.stderr and "gone.su2" in done.stdout


@pytest.mark.parametrize("prints, why", [("true", "exit code 0, but it prints no run that passed"), ("exit 7", "exit code 7"), ("kill -9 $$", "ended by signal 9")])
def test_a_reference_that_says_nothing(tess, recipe, tmp_path, prints, why):
    (tmp_path / "says").write_text(f"#!/bin/sh\n{prints}\n")
    (tmp_path / "says").chmod(0o755)
    done = tess("gate", "--reference-program", tmp_path / "says", recipe, "--lab", tmp_path / "lab", "--budget", "5m", code=3)
    assert [line.startswith("no reference") and why in line for line in done.stdout.splitlines()[1:3]] == [True, True]


def test_a_reference_that_prints_without_end_has_no_longer_than_the_budget(tess, recipe, tmp_path):
    (tmp_path / "says").write_text("#!/bin/sh\nexec yes\n")
    (tmp_path / "says").chmod(0o755)
    done = tess("gate", "--reference-program", tmp_path / "says", recipe, "--lab", tmp_path / "lab", "--budget", "2s")
    assert "2 out of time" in done.stdout and "2 of 2 runs had no turn" in done.stderr


def test_a_reference_that_fails_leaves_the_other_runs_their_verdicts(tess, recipe, reference, tmp_path):
    program, junit = reference(10), tmp_path / "gate.xml"
    (tmp_path / "says").write_text(f'#!/bin/sh\ncase "$*" in *openmp*) printf "no \\351\\n\\001<" >&2; exit 7;; esac\nexec {program} "$@"\n')
    (tmp_path / "says").chmod(0o755)
    done = tess("gate", "--reference-program", tmp_path / "says", recipe, "--lab", tmp_path / "lab", "--junit", junit, "--budget", "5m", code=3)
    assert done.stderr.endswith(f"the reference, {tmp_path}/says, gives no time of 1 of 2 runs\n")
    lacking, same = done.stdout.splitlines()[1:3]
    assert lacking.startswith("no reference") and "openmp" in lacking and same.startswith("same ")
    assert "0 slower, 0 failed, 1 the same, 0 out of time, 1 without a reference; limit" in done.stdout
    suite = xml.etree.ElementTree.parse(junit).getroot()
    assert (suite.attrib["errors"], suite.attrib["failures"], suite.attrib["skipped"]) == ("1", "0", "0")
    assert [one.attrib for one in suite.iter("error")] == [{"type": "no reference", "message": "no ? ?<"}]


def test_runs_that_are_open_have_the_time_of_those_that_are_not(tess, recipe, tmp_path):
    where, program = tess("doctor", "--json").args[0], tmp_path / "says"
    program.write_text(f'#!/bin/sh\ncase "$*" in *openmp*stand-by*) sleep 6; echo tess standing by: ready; read line; exit 7;; esac\nexec {where} "$@"\n')
    program.chmod(0o755)
    done = tess("gate", "--reference-program", program, recipe, "--lab", tmp_path / "lab", "--budget", "12s", "--limit", "1e-3%", "--json", code=3)
    cases = {one["verdict"]: one for one in json.loads(done.stdout)["cases"]}
    assert set(cases) == {"no reference", "out of time"} and len(cases["out of time"]["times"]) > 1


def test_what_was_found_is_told_when_a_gate_is_ended(tess_bin, recipe, reference, tmp_path):
    program = tmp_path / "says"
    program.write_text(f'#!/bin/sh\ncase "$*" in *openmp*) kill $PPID; sleep 60;; esac\nexec {reference(10)} "$@"\n')
    program.chmod(0o755)
    done = subprocess.run([tess_bin, "gate", "--reference-program", program, recipe, "--lab", tmp_path / "lab", "--junit", tmp_path / "g.xml", "--quiet"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 130 and done.stderr == "tess: error: interrupted\n" and "2 out of time" in done.stdout
    assert xml.etree.ElementTree.parse(tmp_path / "g.xml").getroot().attrib["skipped"] == "2"


def write_flux(folder, text):
    (folder / "flux.h").write_text(f"static inline void flux(const double *q, double *sum) {{ {text} }}\n")
    (folder / "flux.yaml").write_text("name: flux\nover: edges\ndats: [{name: q, set: cells, dim: 1}, {name: sum, set: cells, dim: 1, start: zero}]\n"
                                      "args: [{dat: q, map: 'edges:cells', slot: 0, access: read}, {dat: sum, map: 'edges:cells', slot: 0, access: inc}]\n")


FAST, SLOW = "sum[0] += q[0];", "for (int i = 0; i < 200; i++) sum[0] += q[0] * 0.005;"


def test_a_kernel_of_ones_own_is_compared_with_its_earlier_text(tess, tess_bin, tmp_path):
    """The reference is the same program, in the folder of the earlier text."""
    (tmp_path / "mine.yaml").write_text("sweep: mine\naxes: {kernel: flux.h, loop: flux.yaml, mesh: 'quads:nx=20:ny=20', device: host, strategy: sequential}\n")
    (tmp_path / "before").mkdir()
    write_flux(tmp_path / "before", FAST)
    write_flux(tmp_path, SLOW)
    (tmp_path / "reference").write_text(f'#!/bin/sh\ncd before && exec {tess_bin} "$@"\n')
    (tmp_path / "reference").chmod(0o755)
    words = ("gate", "mine.yaml", "--reference-program", "./reference", "--lab", tmp_path / "lab", "--budget", "5m")
    refused = tess(*words, cwd=tmp_path, code=3).stderr
    assert refused == "tess: error: mine.yaml:2:16: the recipe names code that would be executed here: read it, then say --allow-exec\n"
    (one,) = gate(tess, *words[1:], "--allow-exec", cwd=tmp_path, code=1)
    assert one["verdict"] == "slower" and one["run"].startswith("flux.h")


def test_runs_of_a_kernel_of_ones_own_are_compared_with_it_as_it_is_now(tess, tmp_path):
    write_flux(tmp_path, FAST)
    code = ("--kernel", "flux.h", "--loop", "flux.yaml")
    for _ in range(3):
        tess("run", *code, "--mesh", "quads:nx=20:ny=20", "--device", "host", "-s", "sequential", "--lab", "lab", cwd=tmp_path)
    tess("tag", "before", "@last", "@last~1", "@last~2", "--lab", "lab", cwd=tmp_path)
    write_flux(tmp_path, SLOW)
    words = ("tag:before", "--lab", "lab", "--budget", "5m", "--limit", "50%")
    assert "is of code of somebody's: where you trust it, say --kernel flux.h --loop FILE.yaml\n" in tess("gate", *words, cwd=tmp_path, code=3).stderr
    assert "is of application flux.h, not of other.h" in tess("gate", *words, "--kernel", "other.h", "--loop", "flux.yaml", cwd=tmp_path, code=3).stderr
    (one,) = gate(tess, *words, *code, cwd=tmp_path, code=1)
    assert one["verdict"] == "slower" and len(one["reference"]) == 3 and one["run"].startswith("flux.h flux.yaml")
    write_flux(tmp_path, "sum[0] += q[0]")
    told = tess("gate", *words, *code, cwd=tmp_path, code=1).stdout.splitlines()
    assert told[1].startswith("failed ") and told[1].endswith("flux.h does not compile as ...") and not any("\\x0a" in line for line in told)
    assert any(line.startswith("flux.h:1:") and "error: expected" in line for line in told[3:])


@pytest.mark.parametrize("arguments, code, words", [
    ((), 2, "what is to be run?"), (("--limit", "0", "x.yaml"), 2, "above 0"), (("--limit", "x", "x.yaml"), 2, "takes a percentage"),
    (("--budget", "soon", "x.yaml"), 2, "takes a time"), (("@last", "--loop", "x"), 2, "is of --kernel FILE"),
    (("@last", "--kernel", "x.h"), 2, "needs --loop FILE.yaml"),
    (("x.yaml", "--kernel", "y.h"), 2, "the recipe x.yaml names its own"), (("no.yaml",), 3, "no.yaml"), (("@last",), 3, "lab"),
])
def test_bad_arguments(tess, tmp_path, arguments, code, words):
    assert words in tess("gate", *arguments, "--lab", tmp_path / "lab", code=code).stderr


def test_runs_of_another_machine_are_refused(tess):
    golden = ROOT / "tests/experiments/archive/golden"
    lab = next(folder.parent for folder in sorted(golden.rglob("runs")))
    assert "whose times say nothing of this machine" in tess("gate", "@last", "--lab", lab, code=3).stderr
