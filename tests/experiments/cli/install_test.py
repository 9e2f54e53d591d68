"""What `cmake --install` gives: programs that run where they lie, manual pages, completions in three
shells, and a library that a program of somebody else finds and uses."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, limited

CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
COMMANDS = ["demo", "mesh", "partition", "run", "runs", "show", "compare", "view", "list", "doctor"]


def run(*words, code=0, **options):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, **limited(120), **options)
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tess_bin, tmp_path_factory):
    folder = tmp_path_factory.mktemp("install")
    environment = {key: value for key, value in os.environ.items() if key != "DESTDIR"}
    run("cmake", "--install", tess_bin.parent.parent, "--prefix", folder, env=environment)
    return folder


def test_the_installed_programs_run(prefix, tmp_path):
    answer = json.loads(run(prefix / "bin/tess", "partition", "quads:nx=9:ny=9", "--map",
                            "edges:cells", "--partitioner", "metis,rcb", "--json", cwd=tmp_path))
    assert [run["status"] for run in answer["runs"]] == ["done"] * 4
    assert answer["runs"][0]["partitioner"] == "metis"


def test_meshes_beside_the_program_go_by_name(prefix, tmp_path):
    """Wherever it was put, as the bundle is."""
    for folder in ("bin", "share/tesselab", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(prefix / "bin/tess", tmp_path / "bin")
    run(prefix / "bin/tess", "mesh", "generate", "tris:nx=3:ny=2", "--output", tmp_path / "share/tesselab/mine.su2")
    told = run(tmp_path / "bin/tess", "mesh", "info", "mine.su2", cwd=tmp_path / "elsewhere")
    assert told.startswith("mine.su2: 2D")


def test_the_licence_is_there(prefix):
    assert "Redistribution" in (prefix / "share/doc/tesselab/LICENSE").read_text()


def test_machine_code_for_gpus_is_there(prefix, tess_bin):
    """What the build made; nothing where it had no NVRTC."""
    installed = {path.name: path.read_bytes() for path in (prefix / "share/tesselab/gpu").iterdir()}
    assert installed == {path.name: path.read_bytes() for path in (tess_bin.parents[1] / "share/tesselab/gpu").iterdir()}
    assert {"sm_80.code", "sm_90.code", "sm_100.code"} <= set(installed)
    for code in installed.values():
        index, _, rest = code.partition(b"\n\n")
        sizes = [int(line.split()[3]) for line in index.splitlines()]
        assert len(sizes) in (0, 5) and len(rest) == sum(sizes)


def installed_by():
    """The package of each file below a folder for libraries, its path without /usr, by dpkg's own lists."""
    owners = {}
    for listed in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
        for line in listed.read_text().splitlines():
            if ".so" in line or line.endswith(".a"):
                owners[line.removeprefix("/usr")] = listed.name.removesuffix(".list").partition(":")[0]
    return owners


@pytest.mark.skipif(not shutil.which("dpkg-query"), reason="dpkg is not installed")
def test_a_bundle_has_the_licences_of_its_libraries(prefix, tmp_path):
    """libstdc++ among them, of which other packages have files of the same name, and archives, which programs hold."""
    loaded = re.findall(r"=> (/\S+)", run("ldd", prefix / "bin/tess") + run("ldd", prefix / "bin/tess-worker"))
    libraries = sorted({*loaded, *re.findall(r"=> (/\S+)", run("ldd", shutil.which("cmake")))})
    libraries += [f"{run('pkg-config', '--variable=libdir', 'libarchive').strip()}/libarchive.a"]
    hdf5 = next(name for name in ("hdf5-serial", "hdf5") if subprocess.run(["pkg-config", "--exists", name]).returncode == 0)
    libraries += [f"{run('pkg-config', '--libs-only-L', hdf5).split()[0].removeprefix('-L')}/libhdf5.a"]
    assert len(libraries) > 10
    run("cmake", f"-DLIBRARIES={';'.join(libraries)}", f"-DINTO={tmp_path}", "-P", ROOT / "experiments/licences.cmake")
    owners = installed_by()
    expected = {owners[os.path.realpath(library).removeprefix("/usr")] for library in libraries}
    assert {"libmetis5", "libstdc++6", "libarchive-dev", "libhdf5-dev"} <= expected
    assert {path.name for path in tmp_path.iterdir()} == expected
    for path in tmp_path.iterdir():
        assert path.read_bytes() == pathlib.Path(f"/usr/share/doc/{path.name}/copyright").read_bytes()


def test_no_library_is_looked_for_in_the_folder_that_one_is_in(prefix, tess_bin):
    """An empty entry of a run path means that folder."""
    for program in (prefix / "bin/tess", prefix / "bin/tess-worker", tess_bin, tess_bin.parent / "tess-worker"):
        (path,) = re.findall(r"\(RPATH\).*\[(.*)\]", run("readelf", "-d", program))
        entries = path.split(":")
        assert entries[0] == "$ORIGIN/../lib" and all(entry[:1] in ("/", "$") for entry in entries), path


def test_a_program_of_somebody_else(prefix, tmp_path):
    """It proves a plan of any partitioner, and tess finds what it archives."""
    run("cmake", "-S", CONSUMER, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
    run("cmake", "--build", tmp_path)
    environment = {key: value for key, value in os.environ.items() if key != "TESS_WORKER"}  # it is found
    ids = []
    for partitioner in ("rcb", "metis", "mosaic"):
        printed = run(tmp_path / "consumer", tmp_path / "lab", partitioner, env=environment)
        blocks, reuse, run_id, seconds = re.fullmatch(
            r"(\d+) blocks, reuse (\S+); run (\w{26}) passed in (\S+) s\n", printed).groups()
        assert (int(blocks) == 12 if partitioner == "rcb" else int(blocks) >= 12)
        assert float(reuse) > 1.5 and float(seconds) > 0
        ids.append(run_id)
    runs = json.loads(run(prefix / "bin/tess", "runs", "--lab", tmp_path / "lab", "--json"))["runs"]
    assert [found["run"] for found in runs] == ids
    assert {found["partitioner"] for found in runs} == {"mosaic"}
    run(prefix / "bin/tess", "verify", "--lab", tmp_path / "lab")
    run(tmp_path / "consumer", tmp_path / "lab", "metsi", code=1)


def test_the_example_of_the_page(prefix, tmp_path):
    """Elsewhere, with an environment that says nothing: it finds the library and the worker, and prints what the page
    says. An inner cell of quads has four edges inside, one in a corner two."""
    shutil.copytree(ROOT / "docs/c_library", tmp_path / "source")
    page = (tmp_path / "source/README.md").read_text()
    run("cmake", "-S", tmp_path / "source", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_C_FLAGS=-std=c11 -Wall -Wextra -Werror")
    run("cmake", "--build", tmp_path / "build")
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for partitioner in ("metis", "mosaic"):
        printed = run(tmp_path / "build/cut_mesh", partitioner, cwd=tmp_path, env=bare)
        assert re.fullmatch(r"(9|10) blocks in \d colours, reuse 3\.\d{3}; cell 0 has 2 edges inside, cell 31 has 4\n", printed)
        assert partitioner == "mosaic" or f"```\n{printed}```" in page
    words = subprocess.run([tmp_path / "build/cut_mesh", "mosiac"], capture_output=True, text=True)
    assert words.returncode == 1 and "did you mean 'mosaic'?" in words.stderr


IN_MEMORY = """
#include <stdio.h>
#include <tesselab.h>

enum { NX = 9, NY = 5, N_CELLS = NX * NY, N_NODES = (NX + 1) * (NY + 1) };
tess_status res_calc_build(tess_mesh *mesh, const char *folder);

int main(int argc, char **argv) {
    static int32_t nodes[N_CELLS][4];
    static double coordinates[N_NODES][2];
    tess_mesh *mesh = NULL;
    for (int i = 0; i < N_NODES; i++) {
        coordinates[i][0] = i % (NX + 1);
        coordinates[i][1] = i / (NX + 1);
    }
    for (int cell = 0; cell < N_CELLS; cell++)
        for (int i = 0; i < 4; i++)
            nodes[cell][i] = cell / NX * (NX + 1) + cell % NX + (int[]){0, 1, NX + 2, NX + 1}[i];
    tess_status status = tess_mesh_new("mine", 2, &mesh);
    if (!status)
        status = tess_mesh_add_set(mesh, "nodes", N_NODES, NULL);
    if (!status)
        status = tess_mesh_add_set(mesh, "cells", N_CELLS, NULL);
    if (!status)
        status = tess_mesh_put_coordinates(mesh, &coordinates[0][0]);
    if (!status)
        status = tess_mesh_put_map(mesh, "cells", "nodes", 4, &nodes[0][0]);
    if (!status)
        status = res_calc_build(mesh, argv[argc - 1]);
    printf("%s, %d edges\\n", status ? tess_message() : "made", (int)tess_mesh_set_size(mesh, "edges"));
    tess_mesh_free(mesh);
    return status;
}
"""


def built_by_cc(folder):
    """An emitted program of C, which checks itself."""
    run("cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fno-strict-aliasing", *folder.glob("*.c"), "-lm", "-o", folder / "check")
    return folder / "check"


def test_an_emitted_loop_is_made_for_a_mesh_in_memory(prefix, tmp_path):
    """By the source that is emitted with it, which gives for the same mesh the same files. It needs neither tess nor the files
    of the kernel's folder to be where it is called."""
    air, builder = tmp_path / "air", tmp_path / "air/builder"
    run(prefix / "bin/tess", "emit", "airfoil", "--mesh", "quads:nx=20:ny=9", "-s", "point-parallel:slots=each", "-b", 96, "--layout", "aos",
        "--precision", "float", "--partitioner", "mosaic", "--language", "c", "-o", air)  # fmt: skip
    run("cmake", "-S", builder, "-B", tmp_path / "made", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_C_FLAGS=-std=c11 -Wall -Wextra -Werror")
    run("cmake", "--build", tmp_path / "made")
    build, bare = tmp_path / "made/res_calc_build", {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    run(build, "quads:nx=20:ny=9", tmp_path / "same", env=bare, cwd=tmp_path)
    run("diff", "-r", air, tmp_path / "same")  # where the command was typed, too
    run(build, "quads:nx=31:ny=7", tmp_path / "other", env=bare, cwd=tmp_path)
    assert run(built_by_cc(tmp_path / "other"), tmp_path / "other/res_calc.plan").endswith("res_calc: right\n")
    refused = subprocess.run([built_by_cc(air), tmp_path / "other/res_calc.plan"], capture_output=True, text=True)
    assert refused.returncode == 3 and "this is the plan of another program or mesh: res_calc over " in refused.stderr
    wrong = subprocess.run([build, "tets:nx=2:ny=2:nz=2", tmp_path / "none"], capture_output=True, text=True)
    assert wrong.returncode == 1 and "is 3D" in wrong.stderr and not (tmp_path / "none").exists()

    (builder / "main.c").write_text(IN_MEMORY)
    run("cmake", "--build", tmp_path / "made")
    assert run(build, tmp_path / "mine", env=bare, cwd=tmp_path) == "made, 76 edges\n"
    assert run(built_by_cc(tmp_path / "mine"), tmp_path / "mine/res_calc.plan").endswith("res_calc: right\n")


def test_a_kernel_of_a_user_is_emitted_for_another_mesh(prefix, tmp_path):
    """Its files are found from any folder, as long as they are there."""
    kernel, loop = (shutil.copy(ROOT / "docs/user_kernel" / name, tmp_path) for name in ("blend.h", "blend.yaml"))
    run(prefix / "bin/tess", "emit", "--kernel", "blend.h", "--loop", "blend.yaml", "--mesh", "tris:nx=7:ny=6", "--language", "c", "-o", "blend",
        cwd=tmp_path)  # fmt: skip
    run("cmake", "-S", tmp_path / "blend/builder", "-B", tmp_path / "made", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "made")
    run(tmp_path / "made/blend_build", "tris:nx=12:ny=3", tmp_path / "other", cwd="/")
    assert run(built_by_cc(tmp_path / "other"), tmp_path / "other/blend.plan").endswith("blend: right\n")
    os.remove(kernel)
    gone = subprocess.run([tmp_path / "made/blend_build", "tris:nx=12:ny=3", tmp_path / "none"], capture_output=True, text=True)
    assert gone.returncode == 1 and "blend.h" in gone.stderr, loop


def flags_of(prefix, *words):
    (file,) = prefix.glob("lib*/**/tesselab.pc")
    return run("pkg-config", *words, "tesselab", env={**os.environ, "PKG_CONFIG_PATH": str(file.parent)}).split()


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="pkg-config is not installed")
def test_pkg_config_builds_the_example_of_the_page(prefix, tmp_path):
    (folder,) = flags_of(prefix, "--variable=libdir")
    run("cc", "-Wall", "-Werror", *flags_of(prefix, "--cflags"), ROOT / "docs/c_library/cut_mesh.c", "-o", tmp_path / "cut_mesh",
        *flags_of(prefix, "--libs"), f"-Wl,-rpath,{folder}")
    assert "reuse 3." in run(tmp_path / "cut_mesh", "metis")
    assert flags_of(prefix, "--modversion") == [run(prefix / "bin/tess", "--version").split()[-1]]


@pytest.mark.skipif(not shutil.which("pkg-config") or not shutil.which("gfortran"), reason="pkg-config or gfortran is not installed")
def test_fortran_orders_its_mesh(prefix, tmp_path):
    """By the module that is installed as a source: cells in levels reach a few rows of nodes, and what fails says why."""
    (include,), (folder,) = flags_of(prefix, "--variable=includedir"), flags_of(prefix, "--variable=libdir")
    run("gfortran", "-Wall", "-Werror", "-c", f"{include}/tesselab.f90", cwd=tmp_path)
    run("gfortran", "-Wall", "-Werror", ROOT / "docs/c_library/order_mesh.f90", "tesselab.o", "-o", "order_mesh", *flags_of(prefix, "--libs"),
        f"-Wl,-rpath,{folder}", cwd=tmp_path)
    before, after = map(int, re.findall(r": (\d+)", run(tmp_path / "order_mesh")))
    assert before > 1000 and after < 3 * 41
    refused = subprocess.run([tmp_path / "order_mesh", "nowhere"], capture_output=True, text=True)
    assert refused.returncode != 0 and "there is no order 'nowhere'" in refused.stderr


def test_fortran_declares_functions_of_the_header():
    """Each with as many arguments as the header's, or by a name of its own with fewer."""
    header = " ".join(code_of(ROOT / "include/tesselab.h").split())
    module = (ROOT / "include/tesselab.f90").read_text()
    found = re.findall(r'(?:function|subroutine) (\w+)\(([^)]*)\) bind\(c(?:, name="(\w+)")?\)', module)
    assert len(found) > 30
    for name, arguments, own in found:
        if own == "strlen":
            continue
        (declared,) = re.findall(rf"\b{own or name}\(([^)]*)\);", header)
        n = 0 if declared == "void" else declared.count(",") + 1
        assert n == len(arguments.split(",")) if arguments else n == 0, name


BUILT = """4 sets, the last is bedges; edges join 0 1; node 5 is at 2
2 blocks in 2 colours; the last executes 0 and holds 4 nodes from 0; slots 4
outside: 1
1 of 2 blocks kept
bad input: elements 0 and 1 were both number 1
wrong usage: there is no order of threads 0, or no colouring 5
wrong usage: arg 2 of loop cells:nodes ('x'): there is no type 2, or no access 4
bad input: the name 'a name of forty-eight letters, which is too long' is longer than 47 characters
wrong usage: there is no kind 3 of experiments
bad input: element 1 is in block -1: blocks are numbered from 0
wrong usage: no partitioner is called 'mosiac'; did you mean 'mosaic'?
wrong usage: 'rcb,rcb' is not one partitioner
on a device: blocks 1 0 1 0
and anew: 2 blocks 1 1 0 0
renumbered: block 0 has point 3 first, now 1; element 0 leads to 0 1, its value is 20
planned: 2 1; the first point of block 1 is 0; 1 block kept
wrong usage: set 0 of points has 1 slots, in the plan before 2
wrong usage: owned_slots is -1, n_owned 0 and n_executed 0: none is below 0
bad input: coordinate 0 of element 2 is not finite
wrong usage: 'rcb:rotate=3' does not cut on a device: take rcb, rcb:cut=turns, rcb:swap=8 or hilbert
wrong usage: a block of 0 elements: the block size is at least 1
wrong usage: 'rcb:swap=1' swaps elements by what they reach: give a map of that
bad input: map cells:edges: element 0, slot 1 refers to edges 1 of 1
wrong usage: the mesh has no set 'nowhere': add it first
bad input: coordinate 1 of node 1 is not finite
wrong usage: dat kind: there is no type 3
wrong usage: an experiment of this kind has no setting 'blocksize'; did you mean 'block_size'?
wrong usage: --block-size: '0' is no whole number from 1 to 2147483647
wrong usage: the experiment lacks the setting 'mesh'
wrong usage: only an experiment that runs a loop is emitted
block size 128: unchecked, reuse 1, not kept, nan s
"""


def test_a_mesh_from_arrays(prefix, tmp_path):
    """And what is wrong is refused in words; a setting is then as before."""
    run("cmake", "-S", CONSUMER, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
    run("cmake", "--build", tmp_path)
    printed = run(tmp_path / "builder", tmp_path / "two.su2")
    assert re.sub(r" \(known: .*\)", "", printed) == BUILT


def test_the_consumer_is_short():
    """40 lines, those that give back aside."""
    lines = (CONSUMER / "consumer.c").read_text().splitlines()
    assert len([line for line in lines if line and not re.search(r"_(free|close)\(", line)]) <= 40


def code_of(header):
    return re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)


def test_the_library_exports_what_the_header_declares(prefix):
    assert {path.name for path in (prefix / "include").rglob("*")} == {"tesselab.h", "tesselab.f90"}
    declared = re.findall(r"\b(tess_\w+)\(", code_of(prefix / "include/tesselab.h"))
    (library,) = prefix.glob("lib*/**/libtesselab.so")
    exported = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
    assert sorted(exported) == sorted(declared)
    assert 45 <= len(exported) <= 88


def test_the_header_is_c_and_cxx_by_itself(prefix, tmp_path):
    for compiler, standard in (("cc", "c11"), ("c++", "c++17")):
        if shutil.which(compiler):
            source = tmp_path / f"one.{'c' if compiler == 'cc' else 'cpp'}"
            source.write_text("#include <tesselab.h>\n")
            run(compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                "-fsyntax-only", f"-I{prefix / 'include'}", source)


def test_a_version_that_is_not_there_is_refused(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        (CONSUMER / "CMakeLists.txt").read_text().replace("tesselab 0.3", "tesselab 7.0"))
    words = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "build",
                            f"-DCMAKE_PREFIX_PATH={prefix}"], capture_output=True, text=True)
    assert words.returncode != 0 and "7.0" in words.stderr


@pytest.mark.parametrize("command", COMMANDS + ["mesh info", "mesh generate"])
def test_a_page_holds_all_that_the_help_holds(prefix, command):
    """Every option of --help, with its short form, stands in the manual page."""
    page = (prefix / f"share/man/man1/tess-{command.replace(' ', '-')}.1").read_text()
    plain = page.replace("\\fB", "").replace("\\fR", "").replace("\\fI", "").replace("\\-", "-")
    printed = run(prefix / "bin/tess", *command.split(), "--help=all")
    options = set(re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)", printed, re.MULTILINE)) - {"help", "usage"}
    for option in options:
        assert re.search(rf"^(-\w, )?--{option}(=|$)", plain, re.MULTILINE), option
    for short, option in re.findall(r"^ {2,6}(-\w), --([a-z-]+)", printed, re.MULTILINE):
        assert short == "-?" or f"{short}, --{option}" in plain
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS"):
        assert f".SH {section}\n" in page


def test_every_command_has_a_page_and_roff_takes_them(prefix):
    words = run(prefix / "bin/tess", "--help-as=words").splitlines()
    names = {line.split("\t")[0] for line in words} - {"--help"}
    pages = {page.name for page in (prefix / "share/man/man1").iterdir()}
    assert pages >= {"tess.1", "tess-mesh-convert.1", "tess-worker.1", "tess-ptscotch.1"} | {f"tess-{name}.1" for name in names}
    main = (prefix / "share/man/man1/tess.1").read_text()
    assert all(f".BR tess-{name} (1)" in main for name in names)
    if not shutil.which("man"):
        pytest.skip("man is not installed, so nobody reads the pages")
    for page in sorted((prefix / "share/man/man1").iterdir()):
        done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                              env=dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8"))
        assert done.returncode == 0 and not done.stderr, f"{page.name}: {done.stderr}"


def test_an_unknown_form_is_refused(prefix):
    for words in (["partition"], ["mesh"], []):
        run(prefix / "bin/tess", *words, "--help-as=html", code=2)


# The words before the cursor, the beginning of the one at it, some that follow and one that must not.
COMPLETIONS = [
    (["par"], {"partition"}, "run"),
    (["mesh", ""], {"info", "generate", "convert"}, "partition"),
    (["partition", "--block"], {"--block-size="}, "--partitioner="),
    (["partition", "x.su2", "--repair", "split", "--no-"], {"--no-lab"}, "--json"),
    (["explain", "reuse_factor_"], {"reuse_factor_bytes", "reuse_factor_all"}, "fill"),
    (["list", "part"], {"partitioners"}, "metrics"),
    (["partition", "x.su2", "-p", "m"], {"mosaic", "metis"}, "rcb"),
    (["partition", "x.su2", "--partitioner", "me"], {"metis"}, "mosaic"),
    (["run", "airfoil", "-s", "at"], {"atomics"}, "airfoil"),
    (["run", "airfoil", "-d", "h"], {"host"}, "airfoil"),
    (["run", "air"], {"airfoil"}, "lulesh"),
    (["run", "airfoil", "vol"], set(), "volna"),
    (["partition", "quads:nx=3:ny=3", "--map", "edges:"], {"edges:cells", "edges:nodes"}, "cells:nodes"),
    (["partition", "hexes:nx=2:ny=2:nz=2", "--map=f"], {"--map=faces:cells", "--map=faces:nodes"}, "--map=edges:cells"),
    (["partition", "x.su2", "-p", "metis:m"], {"metis:method=kway", "metis:method=recursive"}, "metis:weights=none"),
    (["run", "airfoil", "--mesh", "x.su2", "--strategy", "halo-atomics:s"], {"halo-atomics:sum=slots"}, "halo-atomics:prefetch="),
    (["mesh", "info", "quads:n"], {"quads:nx=", "quads:ny="}, "quads:lx="),
    (["partition", "--p"], {"--partitioner=", "--points="}, "--points=all"),
]


def complete_in_bash(prefix, words):
    """As bash calls a completion; gives what the word at the cursor would become."""
    line = f"{prefix}/bin/tess {' '.join(words)}"
    script = f"""
        source {prefix}/share/bash-completion/completions/tess
        compopt() {{ :; }}
        COMP_LINE='{line}' COMP_POINT={len(line)}
        _tess
        printf '%s\\n' "${{COMPREPLY[@]}}" """
    kept = re.match("(.*[=:])?", words[-1])[0]  # a word of its own to bash, which stays
    return {kept + word for word in run("bash", "-c", script).split("\n") if word}


def complete_in_zsh(prefix, words):
    script = f"""
        compdef() {{ : }}; _files() {{ : }}
        _describe() {{ local name=$2; print -rl -- ${{(P)name}} }}
        fpath=({prefix}/share/zsh/site-functions $fpath)
        autoload -Uz _tess
        words=({prefix}/bin/tess {' '.join(f"'{word}'" for word in words)})
        CURRENT={len(words) + 1}
        PREFIX='{words[-1]}'
        _tess"""
    given = {re.split(r"(?<!\\):", line)[0].replace("\\:", ":") for line in run("zsh", "-fc", script).split("\n")}
    return {word for word in given if word.startswith(words[-1])} - {""}


def complete_in_fish(prefix, words):
    script = f"""
        set PATH {prefix}/bin $PATH
        source {prefix}/share/fish/vendor_completions.d/tess.fish
        complete --do-complete 'tess {' '.join(words)}'"""
    return {line.split("\t")[0] for line in run("fish", "--no-config", "-c", script).splitlines()}


COMPLETE = {"bash": complete_in_bash, "zsh": complete_in_zsh, "fish": complete_in_fish}


def complete_in(shell, prefix, words):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    return COMPLETE[shell](prefix, words)


@pytest.mark.parametrize("words, some, other", COMPLETIONS, ids=lambda words: str(sorted(words) if isinstance(words, set) else words))
@pytest.mark.parametrize("shell", COMPLETE)
def test_completion(prefix, shell, words, some, other):
    given = complete_in(shell, prefix, words)
    assert some <= given and other not in given


@pytest.mark.parametrize("shell", COMPLETE)
def test_a_list_goes_on_behind_its_comma(prefix, shell):
    for begun in (["-p", "rcb,me"], ["--partitioner=rcb,me"]):
        kept = begun[-1].removesuffix("me")
        assert complete_in(shell, prefix, ["partition", "x.su2", *begun]) == {kept + "metis"}


@pytest.mark.parametrize("shell", COMPLETE)
def test_runs_and_tags_of_the_lab_are_completed(prefix, shell, tess, tmp_path):
    made = json.loads(tess("partition", "quads:nx=3:ny=3", "--map", "edges:cells", "-p", "rcb,gps", "-b", "32", "--lab",
                           tmp_path, "--json").stdout)["runs"]  # fmt: skip
    tess("tag", "good", made[0]["run"], "--lab", tmp_path)
    behind = ["--lab", str(tmp_path)]
    assert {"@last", "@last~1"} == complete_in(shell, prefix, ["show", *behind, "@"])
    ids = complete_in(shell, prefix, ["view", *behind, made[0]["run"][:4]])
    assert len(ids) == 2 and all(any(run["run"].startswith(word) for run in made) for word in ids)
    assert complete_in(shell, prefix, ["compare", *behind, "@last", "tag:"]) == {"tag:good"}
    assert complete_in(shell, prefix, ["tag", *behind, "go"]) == {"good"}


def test_bash_completes_values(prefix):
    assert complete_in_bash(prefix, ["partition", "--points="]) == {"--points=increments", "--points=all"}
    assert complete_in_bash(prefix, ["partition", "--points=inc"]) == {"--points=increments"}
    assert complete_in_bash(prefix, ["run", "--layout="]) == {"--layout=soa", "--layout=aos", "--layout=aos16"}
    assert {"--partitioner=metis", "--partitioner=mosaic"} <= complete_in_bash(prefix, ["partition", "--partitioner=m"])
    assert complete_in_bash(prefix, ["partition", ""]) == set()  # a file comes here: bash's own turn
