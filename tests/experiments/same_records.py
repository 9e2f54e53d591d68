#!/usr/bin/env python3
"""Whether two programs leave the same records: same_records.py OLD_TESS NEW_TESS [--quick] [--only WORD] [--keep DIR].

Both run the same commands, each in a folder of its own; then what each command printed, its exit code, its
records and all files that it wrote (plans, meshes, views, exports) are compared. Times, clocks, memory, ids and
commits may differ, all else may not. Says what differs and exits 1.
Any of the two may be a folder that an earlier call left with --keep (DIR/old, DIR/new): it is not run again."""

import argparse
import concurrent.futures
import csv
import fnmatch
import functools
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing

import h5py
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/data")]
import mesh_files  # noqa: E402

# Values that no two runs share: only that they are there is compared. Of JSON, records and attributes.
VOLATILE = re.compile(
    r"(.*_)?(seconds|times?|bandwidth(_\w+)?|flop_rate|clocks?|load|fraction|(memory|peak)_bytes)(/.*|@.*)?|.*@(timer|system)"
    r"|seconds_per_step|samples|commit\w*|diff|program|compiler|flags|cpu_clock|session|median_\w+|partition_reused_from"
    r"|version|timestamp|date|datePublished|endTime|contentSize"
)
ID = re.compile(r"\b01[0-9a-hjkmnp-tv-z]{24}\b")
BEGINNING = re.compile(r"\b01m[0-9a-hjkmnp-tv-z]{5,}\b")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(\.\d+)?(e[-+]?\d+)?")
MESHES = "naca.su2", "new_grid.dat", "mixed.meshb", "mixed.lb8.ugrid"  # written by prepare()
EMULATOR = "--device emulator:workers=1 --no-view"
HOST = "--device host --samples 2 --no-view"
VARIANTS = (
    "atomics atomics:transpose=shared atomics:transpose=shuffles atomics:aggregate=unsorted atomics:aggregate=sorted "
    "atomics:aggregate=sorted:transpose=shuffles block-colour block-colour:loads=vector "
    "block-colour:loads=single:sums=cleared block-colour:stage=increments block-colour:stage=none two-step "
    "halo-atomics:sum=thread-colours halo-atomics halo-atomics:sum=block-gather halo-atomics:sum=shared-atomics "
    "halo-atomics:stage=increments owner-block:sum=thread-colours owner-block:sum=increment-colours "
    "owner-block:sum=block-gather owner-block:sum=shared-atomics owner-block:sum=increment-colours:stage=increments "
    "point-parallel:slots=each point-parallel:slots=all point-parallel:stage=none"
).split()
# global-colour has commands of its own: behind another strategy the old program gave it that one's renumbering.
ALL_STRATEGIES = "atomics,block-colour,two-step,halo-atomics,owner-block,point-parallel"
GENERATORS = (
    "quads:nx=8:ny=6 tris:nx=8:ny=6:periodic=x hexes:nx=4:ny=3:nz=3:stretch=3 tets:nx=3:ny=3:nz=2 "
    "prisms:nx=3:ny=3:nz=2 irregular:nx=12:ny=9 ogrid:ni=16:nj=6 airfoil:i=6:j=4"
).split()
RECIPE = """sweep: small
about: two meshes, two partitioners
axes:
  device: "emulator:workers=1"
  block_size: [32, 64]
  partitioner: [rcb, file-order]
  strategy: [atomics, halo-atomics]
groups:
  - {application: airfoil, mesh: ["quads:nx=12:ny=8", "tris:nx=8:ny=6"]}
  - {mesh: "hexes:nx=4:ny=4:nz=4", map: "cells:nodes", partitioner: [bricks, gps]}
subsets:
  one: {about: one block size, axes: {block_size: 32}}
"""


class Command(typing.NamedTuple):
    """What both programs are asked: words, whether the quick list has it, and whether the numbers of its texts
    must be equal, too, as they must in JSON."""

    words: str
    quick: bool = False
    exact: bool = False


def commands():
    quick, exact = (lambda words: Command(words, True)), (lambda words: Command(words, True, True))
    for what in "partitioners strategies applications devices metrics readers generators".split():
        yield exact(f"list {what} --json")
    yield exact("explain reuse_factor --json")
    yield exact("explain sectors_per_block")
    yield from mesh_commands(quick, exact)
    yield from partition_commands(quick)
    yield from run_commands(quick)
    yield quick("sweep small.yaml --dry-run --no-view")
    yield quick("sweep small.yaml --subset one --no-view")
    yield Command("sweep small.yaml --no-view --json")
    yield Command("tune airfoil --mesh quads:nx=12:ny=8 --by read_sectors --partitioner rcb,file-order --block-size 32 "
                  "--device emulator:workers=1 --budget 600 --json")  # fmt: skip
    for application, mesh in (("airfoil", "airfoil:i=8:j=6"), ("volna", "tris:nx=8:ny=6"), ("bookleaf", "quads:nx=8:ny=6"),
                              ("lulesh", "hexes:nx=4:ny=4:nz=4"), ("miniaero", "hexes:nx=4:ny=4:nz=3")):  # fmt: skip
        yield Command(f"march {application} --mesh {mesh} --steps 6 --every 2 --json", application == "airfoil")
    yield Command("march airfoil --mesh airfoil:i=8:j=6 --steps 4 --surface walls.csv --device emulator:workers=1 --json")
    yield from archive_commands(quick, exact)
    yield from refused_commands(exact)


def mesh_commands(quick, exact):
    for generator in GENERATORS:
        yield exact(f"mesh info --maps --json {generator}")
    for mesh in MESHES:
        yield exact(f"mesh info --maps {mesh}")
    for mesh in sorted((ROOT / "data/meshes").glob("*.xz")):
        yield Command(f"mesh info --maps --json {mesh.name}", "refine" in mesh.name or "pyfr" in mesh.name, True)
    for generator in GENERATORS[:6]:
        yield exact(f"mesh info --maps --json {generator}:refine=1:shuffle=3")
    yield exact("mesh info --maps --json quads:nx=5:ny=4:refine=2")
    for words in ("generate tris:nx=5:ny=4 -o a.su2", "info --json a.su2", "generate tris:nx=5:ny=4 -o a.msh",
                  "info --json a.msh", "generate airfoil:i=6:j=4 -o b.dat", "convert a.su2 c.msh",
                  "convert mixed.lb8.ugrid c.su2", "convert mixed.meshb d.msh", "convert new_grid.dat c.dat"):  # fmt: skip
        yield exact(f"mesh {words}")


def partition_commands(quick):
    edges = "--map edges:cells --block-size 64 --json"
    yield quick(f"partition tris:nx=16:ny=16 {edges}")
    yield Command(f"partition naca.su2 {edges} --no-view")
    yield Command(f"partition new_grid.dat {edges}")
    yield quick("partition hexes:nx=6:ny=6:nz=6 --map cells:nodes --block-size 64 --partitioner bricks,rcb,mosaic --json")
    yield Command("partition tets:nx=4:ny=4:nz=4 --map faces:cells --block-size 64,128 --json")
    yield Command("partition refine_cube_sphere.meshb.xz --map cells:nodes --block-size 256 --partitioner rcb,metis --json")
    yield Command("partition mixed.meshb --map edges:nodes --block-size 8 --partitioner rcb,file-order --json")
    yield quick("export --format metis @last --output cut.part")
    yield Command("partition hexes:nx=4:ny=4:nz=4 --map cells:nodes --block-size 32 --partitioner rcb --json")
    yield Command("export --format metis @last --output cells.part")
    yield Command("partition hexes:nx=4:ny=4:nz=4 --map cells:nodes --block-size 32 --partitioner file:path=cells.part --json")
    for partitioner in (
        "rcb:cut=shortest,rcb:rotate=30", "mosaic:effort=1,mosaic:shape=4,mosaic:colours=1,mosaic:cut=planes",
        "mosaic:effort=4:seed=3,mosaic:reuse=2,mosaic:max_points=60", "random:seed=5,bricks:dims=2",
        "metis:method=recursive,metis:objtype=vol,metis:weights=shared:seed=3,metis:l=1.1",
        "scotch:strategy=quality,scotch:weights=shared:seed=2",
    ):  # fmt: skip
        yield Command(f"partition irregular:nx=14:ny=12 {edges} --partitioner {partitioner}", "cut=shortest" in partitioner)
    for option in ("--refine 2", "--repair move", "--colouring dsatur", "--colouring greedy", "--order colour",
                   "--renumber gps", "--renumber rcm", "--renumber blocks", "--renumber owner", "--renumber colours",
                   "--layout aos", "--dat q:cells:4:float", "--seed 7", "--viz hdf"):  # fmt: skip
        yield Command(f"partition tris:nx=12:ny=12 {edges} --partitioner rcb,metis {option}", "--refine" in option)
    yield Command("partition tris:nx=12:ny=12 --map edges:cells --block-size 64 --front --no-view --json")
    yield Command("partition tris:nx=12:ny=12 --map cells:cells --points all --partitioner rcb --block-size 64 --json")
    yield Command("partition tris:nx=12:ny=12 --map edges:cells --partitioner rcb,hilbert --block-size 64,128")


def run_commands(quick):
    blend = "run --kernel blend.h --loop blend.yaml --mesh tris:nx=10:ny=8 --block-size 32 --json"
    yield quick(f"{blend} {HOST} --strategy sequential,openmp")
    yield quick(f"{blend} {EMULATOR} --strategy atomics,block-colour,halo-atomics,point-parallel")
    yield Command(f"{blend} {EMULATOR} --strategy {ALL_STRATEGIES} --layout aos --precision float")
    for application, mesh in (("airfoil", "quads:nx=12:ny=8"), ("volna", "tris:nx=8:ny=8"), ("bookleaf", "quads:nx=10:ny=8"),
                              ("lulesh", "hexes:nx=4:ny=4:nz=4"), ("miniaero", "hexes:nx=5:ny=4:nz=4")):  # fmt: skip
        run = f"run {application} --mesh {mesh} --block-size 32 --json"
        yield Command(f"{run} {HOST} --strategy sequential,openmp", application in ("airfoil", "lulesh"))
        yield Command(f"{run} {EMULATOR} --strategy {ALL_STRATEGIES}", application == "airfoil")
        yield Command(f"{run} {EMULATOR} --strategy global-colour", application == "airfoil")
    airfoil = "run airfoil --mesh quads:nx=12:ny=8 --block-size 32 --json"
    for loop in ("save_soln", "adt_calc", "bres_calc", "update"):
        yield Command(f"{airfoil} {EMULATOR} --loop {loop} --strategy atomics,block-colour")
    for layout in ("aos", "soa,cells=aos"):
        yield Command(f"{airfoil} {EMULATOR} --layout {layout} --strategy {','.join(VARIANTS)}")
        yield Command(f"{airfoil} {EMULATOR} --layout {layout} --strategy global-colour")
    for option in ("--precision float", "--renumber none", "--renumber gps", "--renumber rcm", "--renumber owner",
                   "--threads 16", "--points all", "--colouring dsatur", "--order colour", "--repair move", "--seed 4",
                   "--partitioner rcb,metis,mosaic --block-size 32,64", "--fresh", "--cache cold"):  # fmt: skip
        yield Command(f"{airfoil} {EMULATOR} --strategy halo-atomics {option}", option == "--threads 16")
    yield Command(f"{airfoil} --device emulator:workers=1:sample=2 --no-view --strategy atomics,two-step")
    yield Command("run volna --mesh pyfr_triangular_aerofoil.msh.xz --device host --samples 2 --strategy openmp --json")
    yield Command("run airfoil --mesh irregular:nx=9:ny=9:shuffle=1 --no-lab --device host --samples 0 --strategy sequential")


def archive_commands(quick, exact):
    yield quick("runs --json")
    yield quick("runs --list-columns")
    yield quick("runs --csv --where 'strategy = \"atomics\" and block_size >= 32' --columns strategy,read_sectors,mesh")
    yield quick("runs --group partitioner,block_size --columns reuse_factor,block_colours --sort -reuse_factor --json")
    yield quick("show @last --json")
    yield quick("diff @last~1 @last --json")
    yield quick("best reuse_factor --json")
    yield quick("best atomic_sectors --group mesh,strategy --json")
    yield Command("compare @last~1 @last --metric read_sectors --json")
    yield quick("tag @last paper")
    yield quick("note @last 'seen twice'")
    yield quick("runs --where tag:paper --json")
    for form in "csv json markdown t4 benchmark ro-crate".split():
        yield Command(f"export --format {form}", form in ("json", "csv"))
    yield quick("verify --json")
    yield quick("merge golden-1.0 --json")
    yield quick("rm tag:golden")
    for lab in ("golden-1.0", "golden-timed-1.0", "golden-timed-1.1"):
        for words in ("runs --json", "runs --csv", "runs", "show @last", "show @last --json", "diff @last~1 @last",
                      "best reuse_factor", "export --format csv", "export --format markdown", "verify",
                      "runs --columns sectors_per_block --where 'sectors_per_block > 1' --json"):  # fmt: skip
            yield exact(f"{words} --lab {lab}")
        if "timed" in lab:
            yield exact(f"compare @last~1 @last --lab {lab}")
            yield exact(f"compare @last~1 @last --lab {lab} --json")


def refused_commands(exact):
    for words in ("run airfoil --mesh tris:nx=3:nn=3", "run airfoyl --mesh tris:nx=3", "run airfoil --mesh none.su2",
                  "partition tris:nx=4 --map edges:cels", "partition tris:nx=4 --map edges:cells --partitioner metsi",
                  "partition tris:nx=4 --map edges:cells --partitioner rcb:cutt=1", "run airfoil",
                  "run airfoil --mesh hexes:nx=2", "run airfoil --mesh tris:nx=4 --strategy atomic",
                  "run airfoil --mesh tris:nx=4 --strategy atomics:transpose=x", "run airfoil --mesh tris:nx=4 --device gpu",
                  "run airfoil --mesh tris:nx=4 --block-size -3",
                  "explain reuse", "list partitioner", "runs --where 'block_size >'", "show 01zz", "sweep blend.yaml",
                  "mesh info bad.su2", "mesh convert a.su2 a.xyz", "export --format csvv"):  # fmt: skip
        yield exact(words)


def prepare(folder):
    """The meshes, kernels, recipe and labs that commands name."""
    for mesh in (ROOT / "data/meshes").glob("*.xz"):
        shutil.copy(mesh, folder)
    for file in ("blend.h", "blend.yaml"):
        shutil.copy(ROOT / "docs/user_kernel" / file, folder)
    for lab in (ROOT / "tests/experiments/archive/golden").iterdir():
        if lab.is_dir():
            shutil.copytree(lab, folder / (lab.name if lab.name.startswith("golden") else f"golden-{lab.name}"))
    contents = mesh_files.su2_text(12), mesh_files.op2_text(6), mesh_files.meshb(), mesh_files.ugrid()
    for name, content in zip(MESHES, contents):
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "bad.su2").write_text("NDIME= 2\nNELEM= 1\n5 0 1\n")
    (folder / "small.yaml").write_text(RECIPE)


def words_of(line):
    return [part.strip("'") for part in re.findall(r"'[^']*'|\S+", line)]


def run_all(program, folder, asked, name):
    """Runs the commands in `folder`; keeps what they printed, and which runs they added, in answers.json."""
    prepare(folder)
    settings = {key: value for key, value in os.environ.items() if not key.startswith(("TESS_", "OMP_", "GOMP_"))}
    settings.update(TESS_LAB="lab", OMP_NUM_THREADS="1", NO_COLOR="1", COLUMNS="120", DISPLAY="")
    answers, known = [], set()
    for number, command in enumerate(asked):
        done = subprocess.run([program, *words_of(command.words)], cwd=folder, env=settings, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, errors="replace", timeout=1800)  # fmt: skip
        runs = {path.stem for path in (folder / "lab/runs").glob("*.hdf")}
        answers.append({"code": done.returncode, "stdout": done.stdout, "stderr": done.stderr, "runs": sorted(runs - known)})
        known |= runs
        if sys.stderr.isatty():
            print(f"\r{name} {number + 1} of {len(asked)} ", end="", file=sys.stderr)
    (folder / "answers.json").write_text(json.dumps(answers))
    return answers


@functools.cache
def is_volatile(name):
    return VOLATILE.fullmatch(name) is not None


class Side:
    """One program's answers, ids replaced by their place in the list."""

    def __init__(self, folder):
        self.folder = folder
        self.answers = json.loads((folder / "answers.json").read_text())
        made = [run for answer in self.answers for run in answer["runs"]]
        self.place = {run: f"<run {number}>" for number, run in enumerate(made)}

    def text(self, text):
        """Ids that commands made are numbered; other ids (sessions, notes) are all alike; golden ones stay."""
        text = text.replace(str(self.folder), "<folder>")
        return ID.sub(lambda match: self.place.get(match[0], match[0] if match[0].startswith("01m7") else "<id>"), text)


def flat(value, path=""):
    """The leaves of a JSON value by their paths."""
    if isinstance(value, dict):
        if set(value) == {"name", "value", "unit", "source", "long_name"}:  # a metric of a record
            volatile = value["source"] in ("timer", "system") or is_volatile(value["name"])
            value = {**value, "value": None if volatile else value["value"]}
        hidden = path.endswith("/steps") or is_volatile(str(value.get("name", value.get("what", ""))))
        for key, one in value.items():
            secret = is_volatile(key) or (hidden and key not in ("name", "what"))
            yield from [(f"{path}/{key}", None)] if secret else flat(one, f"{path}/{key}")
    elif isinstance(value, list):
        yield path + "/length", len(value)
        for number, one in enumerate(value):
            name = one.get("name", "") if isinstance(one, dict) else ""
            yield from flat(one, f"{path}/{number}{':' * bool(name)}{name}")
    else:
        yield path, value


def masked(text):
    """A text without its numbers and the beginnings of ids."""
    text = NUMBER.sub("#", BEGINNING.sub("<id>", text))
    return re.sub(r"[-=]{3,}", "--", text.replace("#*", "#"))


def lines_of(stream, text, exact):
    """The lines of a text with single blanks: names that changed have other widths."""
    for number, line in enumerate((text if exact else masked(text)).splitlines(), 1):
        yield f"{stream} line {number}", re.sub(r"[ \t]+", " ", line.rstrip())


def printed(side, answer, command):
    """What a command printed, by part; columns are listed in any order."""
    found = {"exit code": answer["code"]}
    out, err, exact = side.text(answer["stdout"]), side.text(answer["stderr"]), command.exact
    if "--list-columns" in command.words:
        out = "\n".join(sorted(out.splitlines()))
    if out.startswith("{"):
        found.update(("stdout" + path, value) for path, value in flat(json.loads(out)))
    elif out.startswith("run,") and not exact:
        found.update(("stdout" + path, value) for path, value in flat(list(csv.DictReader(out.splitlines()))))
    else:
        found.update(lines_of("stdout", out, exact))
    found.update(lines_of("stderr", err, exact))
    return found


def plain(side, value):
    """A value of an HDF5 file as text or numbers that can be compared."""
    if isinstance(value, numpy.ndarray) and value.dtype.names is None and value.dtype.kind not in "SO":
        return (str(value.dtype), value.shape, hash(value.tobytes()))
    if isinstance(value, (numpy.ndarray, numpy.void)) and getattr(value, "ndim", 0) and value.dtype.names:
        return tuple(plain(side, row) for row in value)
    if isinstance(value, numpy.void):
        return tuple(plain(side, value[name]) for name in value.dtype.names)
    if isinstance(value, numpy.ndarray):
        return tuple(plain(side, one) for one in value.ravel())
    if isinstance(value, bytes):
        return side.text(value.decode(errors="replace"))
    return repr(value)


def rows_of_record(side, name, table):
    """The rows of a record's table by their keys, without what is volatile."""
    for row in table:
        row = {column: plain(side, row[column]) for column in table.dtype.names}
        key = row.get("key", row.get("name", ""))
        if is_volatile(key) or row.get("source") in ("timer", "system") or name == "steps":
            row = {column: row[column] for column in ("unit", "source") if column in row}
        yield f"{name}/{key}", tuple(row.values())


def hdf(side, path):
    """All attributes and datasets of an HDF5 file by their names."""
    found = {}

    def take(name, node):
        for key, value in node.attrs.items():
            found[f"{name}@{key}"] = None if is_volatile(key) else plain(side, value)
        if isinstance(node, h5py.Dataset):
            record = node.dtype.names and ("key" in node.dtype.names or "name" in node.dtype.names)
            if record and "runs" in path.parts:
                found.update(rows_of_record(side, name, node[...]))
            elif name.startswith("samples/"):
                found[name] = (node.shape, str(node.dtype))
            elif is_volatile(name.split("/")[-1]):
                found[name] = None
            else:
                found[name] = plain(side, node[()])

    with h5py.File(path) as file:
        take("", file)
        file.visititems(take)
    return found


def files(side):
    """What the program left in its folder, by name."""
    for path in sorted(side.folder.rglob("*")):
        name = path.relative_to(side.folder).as_posix()
        if not path.is_file() or name == "answers.json" or fnmatch.fnmatch(name, "*/runs/*") or name.endswith("index.hdf"):
            continue
        if "/notes/" in name or "/trash/" in name:
            name = ID.sub("<id>", name)
        yield name, path


def content(side, path):
    if path.suffix == ".hdf":
        return hdf(side, path)
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rb") as file:
        return {"content": side.text(file.read().decode("latin-1"))}


def differences(before, after):
    """What differs between two dictionaries."""
    for key in [*before, *(key for key in after if key not in before)]:
        if key not in after:
            yield f"{key}: only before: {before[key]!s:.110}"
        elif key not in before:
            yield f"{key}: only after: {after[key]!s:.110}"
        elif before[key] != after[key] and not both_nan(before[key], after[key]):
            yield f"{key}: {before[key]!s:.110} -> {after[key]!s:.110}"


def both_nan(one, other):
    return isinstance(one, float) and isinstance(other, float) and one != one and other != other


def compare(asked, old, new):
    """Prints what differs; whether anything does."""
    n_records, n_different = 0, 0

    def tell(place, found):
        nonlocal n_different
        found = list(found)
        n_different += bool(found)
        for line in found[:12]:
            print(f"{place}: {line}")
        if len(found) > 12:
            print(f"{place}: … and {len(found) - 12} more")

    for command, before, after in zip(asked, old.answers, new.answers):
        place = f"tess {command.words}"
        tell(place, differences(printed(old, before, command), printed(new, after, command)))
        if len(before["runs"]) != len(after["runs"]):
            tell(place, [f"{len(before['runs'])} runs -> {len(after['runs'])}"])
        for number, (a, b) in enumerate(zip(before["runs"], after["runs"])):
            n_records += 1
            paths = [side.folder / "lab/runs" / f"{run}.hdf" for side, run in ((old, a), (new, b))]
            if a != b and all(path.exists() for path in paths):  # the same id: merged from a golden lab
                tell(f"{place}: run {number}", differences(hdf(old, paths[0]), hdf(new, paths[1])))
    before, after = dict(files(old)), dict(files(new))
    tell("files", differences(dict.fromkeys(before), dict.fromkeys(after)))
    for name in sorted(set(before) & set(after)):
        if before[name].read_bytes() != after[name].read_bytes():
            tell(name, differences(content(old, before[name]), content(new, after[name])))
    said = f"differ in {n_different} places" if n_different else "the same"
    print(f"{len(asked)} commands, {n_records} records, {len(before)} files: {said}")
    return n_different > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("old", type=pathlib.Path, help="a program, or a folder that --keep left")
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="a fifth of the commands")
    parser.add_argument("--only", metavar="WORD", default="", help="only commands that hold this text")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path, help="leave both folders here")
    given = parser.parse_args()
    asked = [one for one in commands() if (one.quick or not given.quick) and given.only in one.words]
    with tempfile.TemporaryDirectory() as made:
        top = given.keep or pathlib.Path(made)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            waiting = {}
            for name, program in (("old", given.old.resolve()), ("new", given.new.resolve())):
                if not program.is_dir():
                    (top / name).mkdir(parents=True)
                    waiting[name] = pool.submit(run_all, program, top / name, asked, name)
            for one in waiting.values():
                one.result()
        folders = {"old": given.old, "new": given.new}
        sides = [Side((top / name if name in waiting else folders[name]).resolve()) for name in folders]
        return compare(asked, *sides)


if __name__ == "__main__":
    sys.exit(main())
