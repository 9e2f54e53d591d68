#!/usr/bin/env python3
"""Builds what the arena's compiled peers need for a GPU of a machine that reaches nothing, and packs it with tess and Warp.

    CUDAARCHS=90 bench/peers_bundle.py [--folder /tmp/arena] [--only kokkos,op2] [--jobs 8] [--dry-run]
    tar xf arena.tar.xz -C / && OUT=out bash /tmp/arena/run.sh      # there: runs and table come to lie in OUT

The folder is the same there, for programs name their libraries by path. It takes git, CMake, g++, make, nvcc 13 and pip; sources
come from GitHub, or from where git's `insteadOf` says. What is made is not made again. Last, a sweep on the host with this file as
a peer compiles the program of each loop of the recipe, and runs none."""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
from typing import NamedTuple

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
KOKKOS_NAMES = {"70": "VOLTA70", "75": "TURING75", "80": "AMPERE80", "86": "AMPERE86", "89": "ADA89", "90": "HOPPER90",
                "100": "BLACKWELL100", "120": "BLACKWELL120"}  # fmt: skip


class Part(NamedTuple):
    source: str  # repository and commit on GitHub, checked out in `at`; "": none
    at: str
    product: str  # what is there once it is made
    commands: list  # run in `at`
    packed: list


PARTS = {
    # Three calls have other parameters in CUDA 13, and sm_70 is gone.
    "kokkos": Part("kokkos/kokkos 28848dfa8fc1411873b6a663c4d29ba05712510e", "src/kokkos", "kokkos/bin/nvcc_wrapper", [
        "sed -i 's/cudaMemAdvise_v2(/cudaMemAdvise(/' core/src/Cuda/Kokkos_CudaSpace.cpp",
        "sed -i -e 's/(graph, from, to, numDependencies)/(graph, from, to, nullptr, numDependencies)/' -e 's/(devPtr, count, dstDevice, "
        "m_stream)/(devPtr, count, {{dstDevice == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, dstDevice}}, 0, "
        "m_stream)/' core/src/Cuda/Kokkos_Cuda_Instance.hpp",
        "sed -i 's/^default_arch=\"sm_70\"/default_arch=\"sm_{arch}\"/' bin/nvcc_wrapper",
        "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17 -DCMAKE_CXX_COMPILER=$PWD/bin/nvcc_wrapper "
        "-DKokkos_ENABLE_CUDA=ON -DKokkos_ARCH_{kokkos}=ON -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX={folder}/kokkos",
        "cmake --build build --target install --parallel {jobs}"], ["kokkos"]),
    # A checkout's folder is its version where it is packed.
    "op2": Part("OP-DSL/OP2-Common b9e7a58da6e5876f4ed75112467bfc8f0f6dc73a", "v1.1.0-512-gb9e7a58d", "v1.1.0-512-gb9e7a58d/op2/lib/libop2_cuda.a", [
        "python3 -m venv {folder}/op2-python",
        "{folder}/op2-python/bin/pip install --quiet -r translator-v2/requirements.txt",
        "LIBRARY_PATH={cuda}/lib64/stubs OP2_COMPILER=gnu CUDA_INSTALL_PATH={cuda} CUDA_GEN={arch} make -C op2 config",
        "make -C op2 --jobs {jobs} cuda"], ["v1.1.0-512-gb9e7a58d/op2/lib/libop2_cuda.a"]),
    "libceed": Part("CEED/libCEED 64e0491369518e158481079ef966c29e2fa4f8fd", "libceed", "libceed/lib/libceed.so", [
        "LIBRARY_PATH={cuda}/lib64/stubs make --jobs {jobs} lib FC= OPT=-O3 CUDA_DIR={cuda} CUDA_ARCH=sm_{arch}"], ["libceed/include", "libceed/lib"]),
    "mfem": Part("mfem/mfem 5581b0c0797915e1eb554841e39111d8df807703", "src/mfem", "mfem/lib/libmfem.so", [
        "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DMFEM_USE_CUDA=ON -DMFEM_ENABLE_TESTING=OFF "
        "-DCMAKE_CUDA_ARCHITECTURES={arch} -DCMAKE_INSTALL_PREFIX={folder}/mfem",
        "cmake --build build --target install --parallel {jobs}"], ["mfem"]),
    "warp": Part("", ".", "site/warp", [
        "python3 -m pip install --quiet --no-deps --target site warp-lang==1.19.0 pycparser"], ["site"]),
    "tess": Part("", ".", "tess/bin/tess", [
        "cmake --build {root}/build/release --target bundle",
        "mkdir tess && tar xf {root}/build/release/tesselab-*.tar.xz -C tess --strip-components 1"], ["tess"]),
    "programs": Part("", ".", "cache/peers", [
        ". ./env.sh && tess/bin/tess sweep ahead.yaml --allow-exec --lab ahead"], ["cache", "env.sh", "run.sh"]),
}  # fmt: skip

ENVIRONMENT = """# What peers look for, on both machines.
export KOKKOS_ROOT={folder}/kokkos OP2_ROOT={folder}/{op2} OP2_PYTHON={folder}/op2-python/bin/python3 LIBCEED_ROOT={folder}/libceed
export MFEM_ROOT={folder}/mfem CUDAARCHS={arch} TESS_CACHE={folder}/cache PYTHONPATH={folder}/site:{folder}/tess/share/tesselab/python
export TESS_PYTHON=${{TESS_PYTHON:-$(command -v python3)}} OMP_NUM_THREADS=4 LIBRARY_PATH={cuda}/lib64/stubs
"""
RUN = """# Measures the arena's table: bash run.sh [PROCESSES]. With LIMIT=SECONDS it stops then; called again it goes on.
set -u
. {folder}/env.sh
cd {folder} && mkdir -p tmp "${{OUT:={folder}/out}}"
mount -t tmpfs -o size=64G tmpfs tmp 2> /dev/null # what peers read, some GB a second; else on the disk
# One NVRTC for all of a process: PyTorch's, where there is one.
nvidia=$(python3 -c 'import importlib.util as u; s = u.find_spec("nvidia"); print(s.submodule_search_locations[0] if s else "")')
export LD_LIBRARY_PATH="$nvidia/cu13/lib:/usr/local/cuda/lib64" TMPDIR={folder}/tmp TORCHINDUCTOR_COMPILE_THREADS=4
export JAX_COMPILATION_CACHE_DIR=$TMPDIR/jax JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0
tess/bin/tess doctor > "$OUT/doctor.txt" 2>&1
for i in $(seq "${{1:-6}}"); do
    timeout -k 20 "${{LIMIT:-0}}" tess/bin/tess sweep tess/share/tesselab/recipes/arena.yaml --subset soa --share "$i/${{1:-6}}" --memory 16 \\
        --lab lab --quiet > "$OUT/log.$i" 2>&1 &
    sleep 0.3 # the first makes the lab
done
wait
python3 -m tesselab.arena lab --markdown > "$OUT/arena.md"
tar cJf "$OUT/lab.tar.xz" lab/runs lab/index.hdf
"""


def ahead(recipe):
    """A recipe of the same loops on meshes of a tenth in each direction, on the host, by this file as a peer."""
    tenth = lambda mesh: re.sub(r"=(\d+)\b", lambda found: f"={max(int(found[1]) // 10, 1)}", mesh)
    meshes = lambda given: [tenth(mesh) for mesh in ([given] if isinstance(given, str) else given)]
    groups = [{"mesh": meshes(group["mesh"]), **{key: group[key] for key in ("application", "loop") if key in group}} for group in recipe["groups"]]
    axes = {"device": "host", "samples": 1, "partitioner": "rcb", "layout": "soa", "time_limit": 3600, "strategy": f"peer:{__file__}"}
    return {"sweep": "ahead", "axes": axes, "groups": groups}


def version():
    """As a peer: see above."""
    return "compiled ahead"


def build(loop):
    from peer import load

    loop.on_gpu = True
    for name in ("kokkos", "op2", "libceed", "mfem"):
        try:
            load(ROOT / "kernels/peers" / name / f"{name}_peer.py").build(loop)
        except (ImportError, NotImplementedError) as why:
            print(f"{name}: {why}")
        shutil.rmtree(loop.folder / "made", ignore_errors=True)
    raise NotImplementedError("compiled, and not run")


def checkout(source, at):
    repository, commit = source.split()
    url = f"https://github.com/{repository}"
    return [f"git clone --quiet --filter=blob:none {url} {shlex.quote(str(at))}", f"git -C {shlex.quote(str(at))} checkout --quiet {commit}"]


def make(part, asked, names):
    """The commands that are still to be run, run unless they are to be printed alone."""
    at = asked.folder / part.at
    commands = [(command, None) for command in checkout(part.source, at)] if part.source and not at.exists() else []
    for command, where in commands + [(command.format(**names), at) for command in part.commands]:
        print(f"(cd {where} && {command})" if where else command, flush=True)
        if not asked.dry_run:
            subprocess.run(command, shell=True, cwd=where, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp/arena"))
    parser.add_argument("--only", default=",".join(PARTS), help="parts: others are neither made nor packed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--dry-run", action="store_true", help="print the commands that are still to be run")
    asked = parser.parse_args()
    arch = os.environ.get("CUDAARCHS", "")
    if arch not in KOKKOS_NAMES:
        parser.error(f"CUDAARCHS is '{arch}': give one of {', '.join(KOKKOS_NAMES)}")
    unknown = set(asked.only.split(",")) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    asked.folder = asked.folder.resolve()
    names = {"folder": asked.folder, "root": ROOT, "arch": arch, "kokkos": KOKKOS_NAMES[arch], "jobs": asked.jobs, "op2": PARTS["op2"].at,
             "cuda": os.environ.get("CUDA_HOME", "/usr/local/cuda")}  # fmt: skip
    if not asked.dry_run:
        asked.folder.mkdir(parents=True, exist_ok=True)
        (asked.folder / "env.sh").write_text(ENVIRONMENT.format(**names))
        (asked.folder / "run.sh").write_text(RUN.format(**names))
        recipe = yaml.safe_load((ROOT / "experiments/recipes/arena.yaml").read_text())
        (asked.folder / "ahead.yaml").write_text(json.dumps(ahead(recipe)))
    packed = []
    for name in asked.only.split(","):
        if not (asked.folder / PARTS[name].product).exists():
            make(PARTS[name], asked, names)
        packed += PARTS[name].packed
    within = asked.folder.relative_to("/")
    command = f"XZ_OPT=-T0 tar cJf {asked.folder}.tar.xz -C / {' '.join(str(within / path) for path in packed)}"
    print(command)
    if not asked.dry_run:
        subprocess.run(command, shell=True, check=True)


if __name__ == "__main__":
    main()
