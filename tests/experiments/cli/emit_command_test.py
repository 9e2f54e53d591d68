"""Emitted loops: the sources compile without a warning, check themselves, and say what is wrong with a plan."""

import ctypes
import itertools
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import ROOT
import same_sass

GUIDE = ROOT / "docs" / "user_kernel"
STRICT = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-fno-strict-aliasing"]
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
QUADS = "quads:nx=24:ny=16"


def emit(tess, folder, *options, language="c", code=0):
    return tess("emit", *options, "--language", language, "-o", folder, code=code)


def build(folder):
    subprocess.run(["cc", *STRICT, *sorted(folder.glob("*.c")), "-lm", "-o", folder / "check"], check=True)


def check(folder, *plan):
    return subprocess.run([folder / "check", *plan], cwd=folder, capture_output=True, text=True)


def sections(source):
    """The files that have the page: the user's kernel, how values reach it, the strategy."""
    return [source.with_name(f"{source.stem}_kernel.h"), source.with_name(f"{source.stem}_data.h"), source]


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("strategy,layout", [
    ("atomics", "soa"), ("atomics:aggregate=sorted", "aos"), ("atomics:transpose=shared", "aos16"),
    ("atomics:transpose=shuffles", "aos,maps=aos"), ("global-colour", "soa"), ("block-colour", "aos"), ("two-step", "soa"),
    ("halo-atomics", "soa,cells=aos"), ("halo-atomics:sum=block-gather", "aos"), ("owner-block", "soa"),
    ("point-parallel", "soa"), ("point-parallel:direct=staged:slots=each", "aos"), ("halo-atomics:parts=staged", "aos"),
    ("block-colour:parts=separate", "soa"), ("owner-block:parts=staged", "soa"), ("point-parallel:parts=staged", "soa")])  # fmt: skip
def test_every_strategy_comes_to_what_the_sequential_loop_does(tess, tmp_path, strategy, layout):
    emit(tess, tmp_path, "airfoil", "--mesh", QUADS, "-s", strategy, "--layout", layout)
    build(tmp_path)
    done = check(tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "res_calc: right"), done.stdout + done.stderr
    assert "cells_res is off by" in done.stdout and " ms, the median of " in done.stdout


@pytest.mark.parametrize("options", [
    ("airfoil", "-s", "atomics"), ("airfoil", "-s", "point-parallel"), ("airfoil", "-s", "block-colour", "--layout", "aos"),
    ("airfoil", "-s", "owner-block"), ("airfoil", "-s", "halo-atomics:sum=block-gather"), ("airfoil", "-s", "two-step"),
    ("airfoil", "-s", "atomics:aggregate=sorted"), ("airfoil", "--loop", "update", "-s", "gather:own=staged", "--layout", "aos")])  # fmt: skip
def test_what_is_read_from_top_to_bottom_is_short(tess, tmp_path, options):
    """The kernel's file begins with what the launch needs to know and has the strategy; the user's function is beside it."""
    emit(tess, tmp_path, *options, "--mesh", QUADS, language="cuda")
    (source,) = tmp_path.glob("*.cu")
    kernel, data, _ = [path.read_text() for path in sections(source)]
    text = source.read_text()
    assert text.count("\n") < 250
    assert f"void {source.stem}(" in kernel and f"KERNEL({source.stem}_" in text and f"{source.stem}_launch(" in text
    assert kernel.count("\n") < 130 and "struct element {" in data and "struct element {" not in text


@pytest.mark.parametrize("options", [
    ("airfoil", "--loop", "update", "--mesh", QUADS, "-s", "gather"),
    ("airfoil", "--loop", "adt_calc", "--mesh", QUADS, "-s", "gather:reads=staged", "--precision", "float"),
    ("volna", "--mesh", "tris:nx=20:ny=16", "-s", "halo-atomics", "--precision", "float"),
    ("bookleaf", "--mesh", QUADS, "-s", "block-colour:stage=increments"),
    ("lulesh", "--mesh", "hexes:nx=5:ny=4:nz=4", "-s", "two-step"),
    ("miniaero", "--mesh", "hexes:nx=5:ny=4:nz=4", "-s", "point-parallel"),
    ("fv", "--mesh", "tets:nx=4:ny=4:nz=3", "-s", "gather"),
    ("fun3d", "--mesh", "layers:nx=4:ny=4:prisms=2:tets=2", "-s", "atomics:transpose=shared"),
    ("fun3d", "--loop", "spmv", "--mesh", "layers:nx=4:ny=4:prisms=2:tets=2", "-s", "owner-block:parts=staged"),
    ("--kernel", GUIDE / "blend.h", "--loop", GUIDE / "blend.yaml", "--mesh", "tris:nx=20:ny=16", "-s", "owner-block"),
    ("--kernel", GUIDE / "heat.h", "--loop", GUIDE / "heat.yaml", "--mesh", "tets:nx=3:ny=3:nz=3", "-s", "tiles"),
    ("--kernel", GUIDE / "mix.h", "--loop", GUIDE / "mix.yaml", "--mesh", "tris:nx=9:ny=8", "-s", "halo-atomics:parts=staged:passed=shared"),
    ("--kernel", GUIDE / "stiffness.h", "--loop", GUIDE / "stiffness.yaml", "--mesh", "hexes:nx=4:ny=3:nz=3",
     "-s", "atomics:find=ranks", "--layout", "aos")])  # fmt: skip
def test_every_application_and_kernels_of_users(tess, tmp_path, options):
    emit(tess, tmp_path, *options)
    build(tmp_path)
    done = check(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].endswith(": right")


TWO_RINGS = ("--chain", "auto:rings=2")


@pytest.mark.parametrize("options,name", [
    (("airfoil", "--mesh", QUADS, "--chain", "res_calc+bres_calc+update"), "res_calc_to_update"),
    (("airfoil", "--mesh", QUADS, *TWO_RINGS, "-b", "64", "--layout", "aos", "--precision", "float"), "save_soln_to_update"),
    (("volna", "--mesh", "tris:nx=20:ny=16", *TWO_RINGS), "compute_fluxes_to_evolve"),
    (("bookleaf", "--mesh", QUADS, *TWO_RINGS), "get_force_to_getacc_apply"),
    (("lulesh", "--mesh", "hexes:nx=5:ny=4:nz=4", *TWO_RINGS, "-b", "32"), "init_stress_to_move_nodes"),
    (("miniaero", "--mesh", "hexes:nx=5:ny=4:nz=4", *TWO_RINGS, "-b", "32"), "compute_face_flux_to_advance"),
    (("fv", "--mesh", "tets:nx=4:ny=4:nz=3", *TWO_RINGS), "differences_to_differences_back"),
    (("fun3d", "--mesh", "layers:nx=4:ny=4:prisms=2:tets=2", "--chain", "update+zero+lstgs+roe_flux", "-b", "32"),
     "update_to_roe_flux")])  # fmt: skip
def test_chains_come_to_what_their_loops_do_one_after_another(tess, tmp_path, options, name):
    """... in buffers of their own where neighbours still read the values before."""
    emit(tess, tmp_path, *options)
    build(tmp_path)
    done = check(tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"{name}: right"), done.stdout + done.stderr
    header, main = (tmp_path / f"{name}.h").read_text(), (tmp_path / "main.c").read_text()
    assert header.count("written: its values after the chain") == main.count("memcpy(host[")
    assert len([path for path in tmp_path.glob("*_sequential.c")]) == main.count("_run_sequential(struct plan_file")


def test_a_chain_is_timed_from_step_to_step(tess, tmp_path):
    """As `tess run` times it: buffers change places. volna's water is at rest at the start, where divisions of 0 take a GPU longer."""
    emit(tess, tmp_path, "volna", "--mesh", "tris:nx=20:ny=16", *TWO_RINGS)
    replace(tmp_path / "compute_fluxes_to_evolve.c", "    struct params p;\n",
            '    printf("%p %p\\n", (const void *)cells_q, (void *)cells_q_next);\n    struct params p;\n')  # fmt: skip
    build(tmp_path)
    done = check(tmp_path)
    buffers = [line.split() for line in done.stdout.splitlines() if line.startswith("0x")]
    assert done.returncode == 0 and len(buffers) > 4 and buffers[0][0] != buffers[0][1]
    assert buffers[1:] == [buffers[0][:: 1 if i % 2 == 0 else -1] for i in range(len(buffers) - 1)]


@pytest.mark.parametrize("loop", ["res_calc", "bres_calc", "update"])
def test_each_loop_of_a_chain_counts(tess, tmp_path, loop):
    """A loop that is left out of what the chain is compared with makes a difference."""
    emit(tess, tmp_path, "airfoil", "--mesh", QUADS, "--chain", "res_calc+bres_calc+update")
    replace(tmp_path / "main.c", f"    {loop}_run_sequential(&plan->file, host);\n", "")
    build(tmp_path)
    assert (check(tmp_path).returncode, check(tmp_path).stdout.splitlines()[-1]) == (1, "res_calc_to_update: WRONG")


TENTHS = """name: tenths
over: cells
dats: [{name: q, set: cells, dim: 1}, {name: total, dim: 1, start: zero}]
args: [{dat: q, access: read}, {dat: total, access: inc}]
"""


@pytest.mark.parametrize("layout", ["soa", "aos16"])
def test_a_sum_of_many_floats_is_compared_with_one_of_doubles(tess, tmp_path, layout):
    """Tenths added one by one in float are off by 2.4e-3 of their sum at 240,000 cells; blocks of them are not."""
    (tmp_path / "tenths.h").write_text("static inline void tenths(const real *q, real *total) { total[0] += (real)0.1 + 0 * q[0]; }\n")
    (tmp_path / "tenths.yaml").write_text(TENTHS)
    options = ("--kernel", tmp_path / "tenths.h", "--loop", tmp_path / "tenths.yaml", "--mesh", "quads:nx=300:ny=200", "-s", "gather")
    emit(tess, tmp_path, *options, "--precision", "float", "--layout", layout)
    build(tmp_path)
    assert check(tmp_path).stdout.splitlines()[-1] == "tenths: right"
    replace(tmp_path / "tenths_kernel.h", "(real)0.1", "(real)0.10003")
    build(tmp_path)
    assert check(tmp_path).stdout.splitlines()[-1] == "tenths: WRONG"


def test_a_wrong_kernel_is_found(tess, tmp_path):
    emit(tess, tmp_path, "airfoil", "--mesh", QUADS, "-s", "halo-atomics")
    replace(tmp_path / "res_calc_kernel.h", "res1[c] -= f;", "res1[c] -= f * (real)1.0001;")
    build(tmp_path)
    done = check(tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "res_calc: WRONG")


def test_a_dat_called_next_is_no_second_buffer_of_another(tess, tmp_path):
    (tmp_path / "flux.h").write_text("static inline void flux(const real *q, real *s) { s[0] += q[1]; s[1] += q[0]; }\n")
    (tmp_path / "flux.yaml").write_text(
        "name: flux\nover: edges\ndats: [{name: q, set: cells, dim: 1}, {name: q_next, set: cells, dim: 1}]\n"
        'args: [{dat: q, map: "edges:cells", access: read}, {dat: q_next, map: "edges:cells", access: inc}]\n')
    emit(tess, tmp_path / "out", "--kernel", tmp_path / "flux.h", "--loop", tmp_path / "flux.yaml", "--mesh", QUADS)
    build(tmp_path / "out")
    assert check(tmp_path / "out").stdout.splitlines()[-1] == "flux: right"


def test_a_missing_barrier_is_told_or_harmless_but_never_hangs(tess, tmp_path):
    emit(tess, tmp_path, "airfoil", "--mesh", QUADS, "-s", "halo-atomics")
    replace(tmp_path / "words.h", "#define barrier() cpu_barrier()",
            "#define barrier() (thread_index() == 3 ? (void)0 : cpu_barrier())")
    build(tmp_path)
    done = check(tmp_path)
    assert done.returncode in (0, 1)


def test_the_folder_builds_itself_for_another_mesh(tess, tess_bin, tmp_path):
    """... with the settings that were typed, from where they were typed; without tess it says so."""
    (tmp_path / "my loop").mkdir()
    for file in ("blend.h", "blend.yaml"):
        shutil.copy(GUIDE / file, tmp_path / "my loop" / file)
    emitted = tmp_path / "emitted"
    tess("emit", "--kernel", "my loop/blend.h", "--loop", "my loop/blend.yaml", "--mesh", "tris:nx=20:ny=16", "-s", "owner-block",
         "--language", "c", "-o", "emitted", cwd=tmp_path)  # fmt: skip

    def texts():
        return sorted((path, path.read_bytes()) for path in emitted.rglob("*") if path.is_file())

    before = texts()

    def configured(path, mesh):
        made = tmp_path / "built"
        done = subprocess.run(["cmake", "-S", emitted, "-B", made, f"-DMESH={mesh}"], capture_output=True, text=True,
                              env={**os.environ, "PATH": path})  # fmt: skip
        return made, done

    path = f"{pathlib.Path(tess_bin).parent}:{os.environ['PATH']}"
    made, done = configured(path, "tris:nx=9:ny=7")
    assert done.returncode == 0, done.stdout + done.stderr
    subprocess.run(["cmake", "--build", made], check=True)
    assert texts() == before
    (program,), (plan,) = made.glob("*_check"), (made / "emitted").glob("*.plan")
    assert subprocess.run([program, plan]).returncode == 0
    assert subprocess.run([program, next(emitted.glob("*.plan"))]).returncode == 3
    tess("mesh", "convert", "tris:nx=6:ny=5", tmp_path / "built/mine.msh")
    assert configured(path, "mine.msh")[1].returncode == 0
    assert "no program for absent.su2" in configured(path, "absent.su2")[1].stderr


def test_what_is_wrong_with_a_plan_is_said(tess, tmp_path):
    ours, other = tmp_path / "ours", tmp_path / "other"
    emit(tess, ours, "airfoil", "--mesh", QUADS)
    emit(tess, other, "airfoil", "--mesh", "quads:nx=20:ny=20")
    build(ours)
    good = (ours / "res_calc.plan").read_bytes()

    def fault(plan):
        (tmp_path / "tried.plan").write_bytes(plan)
        done = check(ours, tmp_path / "tried.plan")
        assert done.returncode == 3, done.stdout + done.stderr
        return done.stderr

    said = fault((other / "res_calc.plan").read_bytes())
    assert "another program or mesh: res_calc over 760 edges, 441 nodes, 400 cells" in said
    assert "this program is for res_calc over 728 edges, 425 nodes, 384 cells" in said
    assert "is no plan" in fault(b"")
    assert "is no plan" in fault(b"\x89HDF" + good[4:])
    assert "cut off" in fault(good[:-64])
    assert "version" in fault(good[:8] + b"\x07" + good[9:])
    for at in (250, 700, len(good) // 2, len(good) - 65):  # the table, and arrays
        assert "damaged" in fault(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
    assert "cannot be read" in check(ours, tmp_path / "absent.plan").stderr
    assert check(ours, ours / "res_calc.plan").returncode == 0


def test_each_byte_of_a_plan_counts_or_is_between_arrays(tess, tmp_path):
    """No changed byte of the head makes the program crash or read elsewhere."""
    emit(tess, tmp_path, "airfoil", "--mesh", "quads:nx=6:ny=5")
    build(tmp_path)
    good = (tmp_path / "res_calc.plan").read_bytes()
    for at, value in itertools.product(range(8, 64, 3), (0x00, 0xff)):
        if good[at] == value:
            continue
        (tmp_path / "tried.plan").write_bytes(good[:at] + bytes([value]) + good[at + 1:])
        assert check(tmp_path, tmp_path / "tried.plan").returncode == 3


def test_what_its_owner_wrote_is_kept(tess, tmp_path):
    folder = tmp_path / "my loop"
    said = emit(tess, folder, "airfoil", "--mesh", QUADS).stdout
    build(folder)
    source = folder / "res_calc_kernel.h"
    as_emitted, changed = source.read_text(), source.read_text() + "/* mine */\n"
    source.write_text(changed)
    emit(tess, folder, "airfoil", "--mesh", QUADS)
    emit(tess, folder, "airfoil", "--mesh", QUADS)
    assert source.read_text() == as_emitted
    assert (folder / "res_calc_kernel.h~").read_text() == changed
    assert [path.name for path in folder.glob("*~")] == ["res_calc_kernel.h~"]
    subprocess.run(["bash", "-ec", said.splitlines()[1]], check=True, capture_output=True)


def test_what_cannot_be_emitted_is_refused_by_name(tess, tmp_path):
    def said(*options, language="cuda"):
        return emit(tess, tmp_path, *options, language=language, code=2).stderr

    plain = ("airfoil", "--mesh", QUADS)
    assert "--language fortran: it may be cuda|hip|c|kokkos" in said(*plain, language="fortran")
    assert "strategy openmp runs on the host" in said(*plain, "-s", "openmp")
    assert "gather fits loops that only read" in said(*plain, "-s", "gather")
    assert "adds=widest needs" in said(*plain, "-s", "atomics:transpose=shared:adds=widest", "--layout", "aos16",
                                       language="hip")
    for strategy, word in (("atomics:aggregate=sorted", "shuffle"), ("atomics:transpose=shared", "ballot")):
        assert f"strategy atomics with these settings needs {word}" in said(
            *plain, "-s", strategy, "--layout", "aos16", language="kokkos")
    assert "adds=widest needs" in said(*plain, "-s", "atomics:transpose=shared:adds=widest", "--layout", "aos16",
                                       language="kokkos")
    large = ("--kernel", GUIDE / "stiffness.h", "--loop", GUIDE / "stiffness.yaml", "--mesh", "hexes:nx=6:ny=6:nz=5",
             "-s", "halo-atomics:sum=block-gather")  # fmt: skip
    assert "have 232448 bytes of shared memory, and kernel halo_atomics needs 337248: take smaller blocks" in said(*large)
    assert "have 65536 bytes of shared memory, and kernel halo_atomics needs 84960" in said(*large, "-b", "32", language="hip")
    assert "-o DIR" in tess("emit", *plain, code=2).stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [
    ("airfoil", "--mesh", QUADS, "-s", "point-parallel"),
    ("airfoil", "--mesh", QUADS, "-s", "global-colour"), ("airfoil", "--mesh", QUADS, *TWO_RINGS),
    ("volna", "--mesh", "tris:nx=20:ny=16", "-s", "halo-atomics:registers=40:carveout=50"),
    ("--kernel", GUIDE / "blend.h", "--loop", GUIDE / "blend.yaml", "--mesh", "tris:nx=20:ny=16")])  # fmt: skip
def test_cuda_compiles_without_a_warning(tess, tmp_path, options):
    if not NVCC:
        pytest.skip("nvcc is not on this machine")
    emit(tess, tmp_path, *options, language="cuda")
    sources = [*tmp_path.glob("*.cu"), *tmp_path.glob("*.c")]
    subprocess.run([NVCC, "-arch=sm_90", "-O1", "-std=c++17", "-Xcompiler=-Wall,-Wextra,-Werror", "-Werror",
                    "all-warnings", *sources, "-o", tmp_path / "check"], check=True)
    assert pathlib.Path(tmp_path / "check").stat().st_size > 0


CLANG = next((found for n in range(25, 16, -1) if (found := shutil.which(f"clang-{n}"))), None)  # 17 knows gfx942
HIP = pathlib.Path("/usr/include/hip/hip_runtime.h")


@pytest.mark.parametrize("options", [
    ("airfoil", "--mesh", QUADS, "-s", "point-parallel"), ("airfoil", "--mesh", QUADS, "-s", "atomics:aggregate=sorted"),
    ("volna", "--mesh", "tris:nx=20:ny=16", "-s", "halo-atomics", "--precision", "float"),
    ("lulesh", "--mesh", "hexes:nx=5:ny=4:nz=4", "-s", "block-colour", "--layout", "aos"),
    ("--kernel", GUIDE / "heat.h", "--loop", GUIDE / "heat.yaml", "--mesh", "tets:nx=3:ny=3:nz=3", "-s", "tiles")])  # fmt: skip
def test_hip_becomes_an_object_for_both_targets(tess, tmp_path, options):
    if not CLANG or not HIP.exists():
        pytest.skip("HIP's headers or a clang from 17 on are not on this machine (Debian: libamdhip64-dev, clang-19)")
    emit(tess, tmp_path, *options, language="hip")
    (source,) = tmp_path.glob("*.hip")
    strict = ["-O2", "-Wall", "-Wextra", "-Werror", "-D__HIP_PLATFORM_AMD__"]
    for target in ("gfx90a", "gfx942"):
        text, made = tmp_path / "kernel.s", tmp_path / f"{target}.o"
        subprocess.run([CLANG, "-x", "hip", f"--offload-arch={target}", "--cuda-device-only", "-nogpulib", "-S", *strict, source, "-o", text],
                       check=True)  # fmt: skip
        subprocess.run([CLANG, "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-c", text, "-o", made], check=True)
        assert made.read_bytes()[:4] == b"\x7fELF" and f"{source.stem}_".encode() in made.read_bytes()
    subprocess.run([CLANG, "-fsyntax-only", *strict, *tmp_path.glob("*.c")], check=True)


KOKKOS = os.environ.get("KOKKOS_ROOT")


@pytest.mark.parametrize("options", [
    ("airfoil", "--mesh", QUADS, "-s", "atomics"), ("airfoil", "--mesh", QUADS, "-s", "point-parallel"),
    ("airfoil", "--mesh", QUADS, "-s", "block-colour", "--layout", "aos"),
    ("airfoil", "--loop", "update", "--mesh", QUADS, "-s", "gather"),
    ("airfoil", "--mesh", QUADS, "--chain", "res_calc+bres_calc+update"),
    ("--kernel", GUIDE / "blend.h", "--loop", GUIDE / "blend.yaml", "--mesh", "tris:nx=20:ny=16", "-s", "owner-block")])  # fmt: skip
def test_kokkos_on_the_host_comes_to_the_same(tess, tmp_path, options):
    """Blocks whose threads wait for each other are teams of 32, which OpenMP has where it has as many threads."""
    if not KOKKOS:
        pytest.skip("KOKKOS_ROOT names no installed Kokkos")
    emit(tess, tmp_path, *options, "-b", "32", language="kokkos")
    strict = "-O1 -Wall -Wextra -Werror -fno-strict-aliasing"
    made = tmp_path / "build"
    subprocess.run(["cmake", "-S", tmp_path, "-B", made, f"-DKokkos_ROOT={KOKKOS}", "-DCMAKE_BUILD_TYPE=Debug",
                    f"-DCMAKE_C_FLAGS={strict}", f"-DCMAKE_CXX_FLAGS={strict}"], check=True)
    subprocess.run(["cmake", "--build", made], check=True)
    (program,) = made.glob("*_check")
    (plan,) = tmp_path.glob("*.plan")

    def checked(threads):
        return subprocess.run([program, plan], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": threads})

    done = checked("32")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"{plan.stem}: right"), done.stdout + done.stderr
    few, is_team = checked("2"), "run_teams" in (tmp_path / f"{plan.stem}.cpp").read_text().rpartition("the launch")[2]
    assert few.returncode == is_team and ("teams of this space have fewer threads" in few.stderr) == is_team


def test_the_winner_of_a_search_and_of_a_lab_is_emitted_by_the_line_that_they_print(tess, tmp_path):
    """... into the very kernel and plan that its own settings give."""
    lab = ("--lab", tmp_path / "lab")
    words = ("airfoil", "--mesh", QUADS, "-s", "owner-block", "--layout", "aos", "-b", "64", "--precision", "float")
    tess("run", *words, *lab)
    emit(tess, tmp_path / "own", *words)
    emit(tess, tmp_path / "taken", "--settings", "@last", *lab)
    assert (tmp_path / "own/res_calc.plan").read_bytes() == (tmp_path / "taken/res_calc.plan").read_bytes()
    emit(tess, tmp_path / "other", "--settings", "@last", *lab, "-b", "128")
    assert (tmp_path / "own/res_calc.plan").read_bytes() != (tmp_path / "other/res_calc.plan").read_bytes()

    best = [line for line in tess("best", *lab).stderr.splitlines() if line.startswith("  tess emit ")]
    said = best[0].split()[1:]
    tess(*["best_folder" if word == "DIR" else word for word in said], *lab, cwd=tmp_path)
    assert (tmp_path / "own/res_calc.plan").read_bytes() == (tmp_path / "best_folder/res_calc.plan").read_bytes()

    tune = tess("tune", "airfoil", "--mesh", QUADS, "--device", "emulator", "--by", "read_sectors", "--budget", "5s", *lab)
    home = [line for line in tune.stdout.splitlines() if line.startswith("Take it home: ")]
    tess(*home[0].split(": tess ", 1)[1].split(), cwd=tmp_path)
    assert (tmp_path / "airfoil/res_calc.cu").exists()

    tess("run", "airfoil", "--mesh", QUADS, "--device", "host", "-s", "openmp", "--samples", "1", *lab)
    assert "runs on the host" in emit(tess, tmp_path / "host", "--settings", "@last", *lab, code=2).stderr
    chain = ("airfoil", "--mesh", QUADS, "--chain", "save_soln+adt_calc", "-s", "gather")
    tess("run", *chain, *lab)
    emit(tess, tmp_path / "chain", *chain)
    emit(tess, tmp_path / "last", "--settings", "@last", *lab)
    plans = [tmp_path / of / "save_soln_to_adt_calc.plan" for of in ("chain", "last")]
    assert plans[0].read_bytes() == plans[1].read_bytes()
    tess("march", "airfoil", "--mesh", QUADS, "--steps", "1", *lab)
    assert "is not of one loop" in emit(tess, tmp_path / "march", "--settings", "@last", *lab, code=3).stderr


def nvrtc():
    """NVIDIA's run-time compiler, or None."""
    for name in ("libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def machine_code(library, text):
    """The kernels of a text as the device cuda compiles it, in the order of their names."""
    options = [b"--gpu-architecture=sm_90", b"--std=c++17", b"--device-as-default-execution-space"]
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"page.cu", 0, None, None)
    assert library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)) == 0
    library.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    library.nvrtcGetCUBIN(program, cubin)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    kernels = same_sass.kernels_of(cubin.raw)
    return [kernels[name] for name in sorted(kernels)]


@pytest.mark.parametrize("options", [
    ("airfoil", "--mesh", QUADS, "-s", "point-parallel"), ("airfoil", "--mesh", QUADS, "-s", "two-step"),
    ("airfoil", "--mesh", QUADS, "-s", "halo-atomics:sum=block-gather", "--layout", "aos"),
    ("volna", "--mesh", "tris:nx=20:ny=16", "-s", "block-colour", "--arithmetic", "fast"),
    ("airfoil", "--mesh", QUADS, *TWO_RINGS, "-s", "point-parallel:registers=0"),
    ("lulesh", "--mesh", "hexes:nx=5:ny=4:nz=4", *TWO_RINGS, "-b", "32", "-s", "point-parallel"),
    ("fun3d", "--loop", "visjac_tets", "--mesh", "layers:nx=3:ny=3:prisms=2:tets=2", "-s", "tiles", "--layout", "aos")])  # fmt: skip
def test_the_text_has_the_machine_code_of_the_page_that_is_run(tess, tmp_path, options):
    """What is left out of a page for its reader, and the names that it gets, change no instruction."""
    library = nvrtc()
    if library is None:
        pytest.skip("NVRTC is not on this machine")
    tess("run", *options, "--device", "nvrtc", "--no-lab", "--keep-text", tmp_path / "pages")
    emit(tess, tmp_path, *options, language="cuda")
    words, (page,), (source,) = tmp_path / "words.h", (tmp_path / "pages").glob("*.cu"), tmp_path.glob("*.cu")
    text = source.read_text()
    text = text[text.rindex("#include"):text.index("/* --- the launch")].partition("\n")[2]
    text = "".join(path.read_text() for path in sections(source)[:2]) + text
    assert text.count("\n") < page.read_text().count("\n")
    code = machine_code(library, words.read_text() + text)
    assert code and code == machine_code(library, words.read_text() + page.read_text())


TANGLED = """/* A kernel with all that makes text hard to read: "#if 0" in a comment. */
#ifndef MINE_H
#define MINE_H
#define TWICE(x) ((x) + (x)) /* a macro with
                                a comment of two lines */
#define LEVEL (BASE > 1 ? 2 : 3)
#define BASE 2
#if LEVEL == 2 && defined(BASE) && !defined(NOT_HERE)
typedef struct pair {
    real first, second;
} pair;
#elif LEVEL == 3
#error "the wrong branch"
#else
#error "the wrong branch"
#endif
#ifdef __GNUC__
#define LIKE_GCC 1
#else
#define LIKE_GCC 0
#endif
enum { FIRST, SECOND, N_WEIGHTS };
static const real weights[N_WEIGHTS] = {(real)0.5, (real)0.25};
static const real unused_table[2] = {1, 2};
#if BASE \\
    > 5
static inline real never(real x) { return x; }
#endif
struct state { real value; };
static inline struct state state_of(real x) {
    struct state s = {TWICE(x)};
    return s;
}
static inline __attribute__((unused)) real weigh(pair p) {
    return weights[FIRST] * p.first + weights[SECOND] * p.second; // not "quoted
}
static inline real nobody_calls(real x) {
    return unused_table[0] * x;
}
static inline void mine(const real *q, real *left, real *right) {
    const pair p = {q[0], state_of(q[0]).value};
    left[0] += weigh(p) + LIKE_GCC - 1 + (__LINE__ > 0 ? 0 : 1);
    right[0] -= weigh(p);
}
#endif
"""
TANGLED_YAML = """name: mine
over: edges
dats:
  - {name: q, set: edges, dim: 1}
  - {name: r, set: cells, dim: 1, start: zero}
args:
  - {dat: q, access: read}
  - {dat: r, map: "edges:cells", slot: 0, access: inc}
  - {dat: r, map: "edges:cells", slot: 1, access: inc}
"""


@pytest.mark.parametrize("strategy", ["atomics", "owner-block"])
def test_text_of_a_user_is_pruned_with_care(tess, tmp_path, strategy):
    (tmp_path / "mine.h").write_text(TANGLED)
    (tmp_path / "mine.yaml").write_text(TANGLED_YAML)
    folder = tmp_path / "out"
    options = ("--kernel", tmp_path / "mine.h", "--loop", tmp_path / "mine.yaml", "--mesh", QUADS, "-s", strategy)
    emit(tess, folder, *options)
    build(folder)
    assert check(folder).stdout.splitlines()[-1] == "mine: right"
    text = "".join(path.read_text() for path in sections(folder / "mine.c"))
    for gone in ("nobody_calls", "unused_table", "never(", "#error", "MINE_H", "NOT_HERE", "#line", "arg1"):
        assert gone not in text
    for kept in ("#ifdef __GNUC__", "state_of", "weights[N_WEIGHTS]", "e->left", "double right[1];", "KERNEL(mine_"):
        assert kept in text
    if NVCC:
        emit(tess, folder, *options, language="cuda")
        assert "__device__ static inline struct state state_of" in (folder / "mine_kernel.h").read_text()
        subprocess.run([NVCC, "-arch=sm_90", "-std=c++17", "-Xcompiler=-Wall,-Wextra,-Werror", "-Werror", "all-warnings",
                        "-c", folder / "mine.cu", "-o", tmp_path / "mine.o"], check=True)
