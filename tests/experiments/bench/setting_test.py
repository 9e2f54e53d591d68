"""A setting is one line: with a line more in experiment_fields.h the program has its option, help, completion,
axis and record, and nothing else changes. So is an option of launches, in launch_options.h: all strategies on GPUs have
it, and tess tune tries it."""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess

import pytest
from conftest import ROOT

TABLE = "experiments/bench/experiment_fields.h"
LINE = """
TESS_FIELD(flavour, CHOICE("plain", "salted", "sweet"), "", "plain", "plain", ABSENT, BLOCKS, "How blocks taste")
"""
LAUNCHES = "kernels/codegen/launch_options.h"
CARVEOUT = '        TESS_INT_OPTION("carveout"'
HINT = '        TESS_CHOICE_OPTION("hint", "none", "none|streaming", "What loads say to the caches"), \\\n'


def words_of(command):
    """The words of a command of the build without the compiler's launcher."""
    words = shlex.split(command)
    return words[1:] if pathlib.Path(words[0]).name == "ccache" else words


def object_of(entry):
    words = shlex.split(entry["command"])
    return words[words.index("-o") + 1]


def objects_of_the_tables(build):
    """The objects of whose sources a table is a part."""
    lines = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found = set()
    for line in lines.splitlines():
        if not line.startswith(" "):
            made = line.partition(":")[0]
        elif line.endswith((TABLE, LAUNCHES)):
            found.add(made)
    return found


def compile_with(tables, entry, folder):
    """Compiles one source with the folder of the other tables in front, and gives the object."""
    words = words_of(entry["command"])
    place = words.index("-o") + 1
    words[place] = str(folder / (entry["file"].replace("/", "_") + ".o"))
    subprocess.run([words[0], f"-I{tables}", *words[1:], "-O0"], cwd=entry["directory"], check=True)
    return words[place]


@pytest.fixture(scope="module")
def salted(tess_bin, tmp_path_factory):
    """The program with a line more in each table."""
    build = tess_bin.parent.parent
    if "sanitize" in build.name or not (build / "compile_commands.json").exists():
        pytest.skip("the release build is changed, for it can be linked by hand")
    tables, folder = tmp_path_factory.mktemp("tables"), tmp_path_factory.mktemp("objects")
    launches = (ROOT / LAUNCHES).read_text()
    assert launches.count(CARVEOUT) == 1 and launches.count("_TUNED NULL") == 1
    launches = launches.replace(CARVEOUT, HINT + CARVEOUT).replace("_TUNED NULL", '_TUNED "hint=streaming", NULL')
    for table, text in ((TABLE, (ROOT / TABLE).read_text() + LINE), (LAUNCHES, launches)):
        (tables / table).parent.mkdir(parents=True)
        (tables / table).write_text(text)
    changed = objects_of_the_tables(build)
    sources = [entry for entry in json.loads((build / "compile_commands.json").read_text())
               if object_of(entry) in changed and object_of(entry).startswith(("experiments/", "kernels/"))]
    by_file = {entry["file"]: entry for entry in sources}  # libraries may have one in common
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda entry: compile_with(tables, entry, folder), by_file.values()))
    link = subprocess.run(["ninja", "-C", build, "-t", "commands", "bin/tess"], capture_output=True, text=True,
                          check=True).stdout.splitlines()[-1]
    words = words_of(link.removeprefix(": && ").removesuffix(" && :"))
    kept = [word for word in words if word not in changed]
    kept[kept.index("-o") + 1] = str(folder / "tess")
    at = kept.index("-o") + 2  # before the libraries, of which nothing is taken that is there already
    subprocess.run([*kept[:at], *objects, *kept[at:]], cwd=build, check=True)
    return folder / "tess"


def run(program, *arguments, code=0):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_setting_is_one_line(salted, tess, tmp_path):
    lab = tmp_path / "lab"
    for command in ("partition", "run", "tune", "march"):
        assert "--flavour=plain|salted|sweet" in run(salted, command, "--help=all")
        assert "How blocks taste (default: plain)" in " ".join(run(salted, command, "--help=all").split())
        assert "--flavour" in run(salted, command, "--help-as=words")
        assert "--flavour" not in tess(command, "--help=all").stdout
    wrong = subprocess.run([salted, "partition", "quads:nx=9:ny=7", "--map", "edges:cells", "--flavour=salty"],
                           capture_output=True, text=True)
    assert wrong.returncode == 2 and "did you mean 'salted'?" in wrong.stderr

    ran = ("run", "airfoil", "--mesh", "quads:nx=9:ny=7", "--block-size", 32, "--lab", lab, "--json")
    for flavour in ("salted", "sweet", "sweet"):
        run(salted, *ran, f"--flavour={flavour}")
    shown = [json.loads(run(salted, "show", name, "--lab", lab, "--json")) for name in ("@last~2", "@last~1", "@last")]
    assert [one["configuration"]["flavour"] for one in shown] == ["salted", "sweet", "sweet"]
    taken = [one["environment"].get("partition_reused_from") for one in shown]
    assert taken == [None, None, shown[1]["run"]], "it decides blocks: those of another flavour are cut anew"

    (tmp_path / "taste.yaml").write_text(
        "sweep: taste\naxes:\n  map: edges:cells\n  mesh: quads:nx=9:ny=7\n  partitioner: rcb\n"
        "  flavour: [plain, salted, sweet]\nskip: [flavour = sweet]\n")
    dry = run(salted, "sweep", tmp_path / "taste.yaml", "--lab", lab, "--dry-run").splitlines()
    assert len(dry) == 2 and [line.split("--flavour=")[1:] for line in dry] == [[], ["salted"]], "plain is the default"


@pytest.mark.slow
def test_an_option_of_launches_is_one_line(salted, tess, tmp_path):
    listed = json.loads(run(salted, "list", "strategies", "--json"))["strategies"]
    assert {one["name"] for one in listed if "hint" not in one["options"]} == {"sequential", "openmp", "peer"}
    ran = run(salted, "run", "airfoil", "--mesh", "quads:nx=9:ny=7", "--strategy", "two-step:hint=streaming,atomics:hint=none",
              "--lab", tmp_path / "lab", "--json")  # fmt: skip
    assert [one["strategy"] for one in json.loads(ran)["runs"]] == ["two-step:hint=streaming", "atomics"]
    words = ("tune", "fv", "--mesh", "random_blocks:n=500:b=50", "--by", "reuse_factor", "--budget", "0.001s", "--layout",
             "soa", "--partitioner", "file-order", "--block-size", "64", "--no-lab", "--json")  # fmt: skip
    tried, before = ([one["strategy"] for one in json.loads(done)["candidates"]]
                     for done in (run(salted, *words), tess(*words).stdout))
    assert tried == [one + hint for one in before for hint in ("", ":hint=streaming")]
