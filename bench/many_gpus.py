#!/usr/bin/env python3
"""What ranks cost and gain on the GPUs of one host, as tables of docs/many-gpus.md.

    python3 bench/many_gpus.py --launcher mpirun --ranks 1,2 [--bits] [--cases airfoil-chain,lulesh-chain] [--json out.json]

Each case marches without ranks, then on so many GPUs, by the settings that are the fastest on one; as airfoil-chain:-b=456 on
the most GPUs alone, by a setting of its own. A step is the median of the rows after the first. `exposed` is what exchanges add
to a step, `hidden` the share of them that they do not. --faults kills, stops and breaks one rank of the most of --ranks and
says how soon that is told; --states compares what so many GPUs come to with the sequential loops, --bits whether sums in one
order have the same bits on them, of --applications in that order. Cases and these come in the order in which they are asked
for; cases first where they are not named. Without GPUs all is tried by --engine mpi --device emulator --small.
"""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

POINTS = ["--layout", "soa", "--strategy", "point-parallel", "--renumber", "owner", "--partitioner", "mosaic:level=quick", "-b", "256"]
CHAIN = ["--renumber", "owner", "--partitioner", "rcb", "--chains", "auto", "--strategy", "point-parallel"]
RINGS = ["--renumber", "owner", "--partitioner", "rcb", "--chains", "auto:rings=2", "--strategy", "point-parallel",
         "-b", "512", "--threads", "384", "--layout", "soa,nodes=aos"]  # fmt: skip
HALO = ["--layout", "soa", "--strategy", "halo-atomics", "--partitioner", "mosaic:level=quick"]
LULESH = [*CHAIN, "-b", "128", "--threads", "128", "--layout", "soa"]
CASES = {
    "airfoil-chain": ("airfoil", "airfoil:i=800:j=1200", RINGS),
    "miniaero-chain": ("miniaero", "hexes:nx=128:ny=128:nz=128",
                       [*CHAIN, "-b", "256", "--threads", "128", "--layout", "soa"]),
    "lulesh-chain": ("lulesh", "hexes:nx=128:ny=128:nz=128", LULESH),
    "lulesh-170-chain": ("lulesh", "hexes:nx=170:ny=170:nz=170", LULESH),
    "volna-chain": ("volna", "tris:nx=1200:ny=1000", [*CHAIN, "-b", "128", "--layout", "soa,cells=aos"]),
    "bookleaf-chain": ("bookleaf", "quads:nx=2000:ny=2000", [*CHAIN, "-b", "128", "--layout", "soa,nodes=aos"]),
    "airfoil-points": ("airfoil", "airfoil:i=800:j=1200", POINTS),
    "miniaero-halo": ("miniaero", "hexes:nx=128:ny=128:nz=128", [*HALO, "-b", "320", "--threads", "160"]),
    "lulesh-halo": ("lulesh", "hexes:nx=128:ny=128:nz=128", [*HALO, "-b", "512", "--halo", "partial-sums"]),
    "airfoil-atomics": ("airfoil", "airfoil:i=800:j=1200", ["--layout", "soa", "--strategy", "atomics", "--partitioner", "hilbert"]),
}  # fmt: skip
SMALL = {"airfoil": "airfoil:i=60:j=90", "volna": "tris:nx=60:ny=50", "bookleaf": "quads:nx=60:ny=60", "fv": "tets:nx=8:ny=8:nz=8",
         "lulesh": "hexes:nx=16:ny=16:nz=16", "miniaero": "hexes:nx=16:ny=16:nz=16", "fun3d": "tets:nx=8:ny=8:nz=8"}


def without(words, option):
    return [word for i, word in enumerate(words) if word != option and (i == 0 or words[i - 1] != option)]


def grown(mesh, n):
    """A mesh of n times as many elements of the same shapes: refined in all directions alike."""
    name, *sizes = mesh.split(":")
    finer = [word.split("=") for word in sizes]
    return ":".join([name, *(f"{key}={round(int(value) * n ** (1 / len(finer)))}" for key, value in finer)])


def settings_of(name):
    """The case that a name such as airfoil-chain:-b=456:--threads=352 begins with, and its words with these settings."""
    case, *settings = name.split(":")
    application, mesh, words = CASES[case]
    for option, value in (one.split("=", 1) for one in settings):
        words = [*without(words, option), option, value]
    return case, application, mesh, words


class Part(argparse.Action):
    """A part of the bench, which comes where it is asked for."""

    def __call__(self, parser, asked, values, option=None):
        setattr(asked, self.dest, True if values == [] else values)
        asked.parts = [*(part for part in asked.parts if part != self.dest), self.dest]


class Bench:
    def __init__(self, asked):
        self.asked, self.results, self.digests, self.began, self.started = asked, {}, {}, time.time(), []
        signal.signal(signal.SIGTERM, self.stop)  # a launcher in a session of its own would stay and keep its GPUs

    def command(self, name, n):
        """The march of a case on n ranks, 0: without any."""
        _, application, mesh, words = settings_of(name)
        mesh = grown(SMALL[application], 0.04) if self.asked.small else mesh
        mesh = grown(mesh, max(n, 1)) if self.asked.weak else mesh
        ranks = ["--engine", self.asked.engine, "--rank-partitioner", self.asked.rank_partitioner, "--graph", self.asked.graph]
        if n > 1 and self.asked.exchange_samples:
            ranks += ["--exchange-samples", str(self.asked.exchange_samples)]
        march = [self.asked.tess, "march", "--no-lab", "--json", application, "--mesh", mesh, "--device", self.asked.device,
                 "--steps", str(self.asked.steps), "--every", str(self.asked.steps // 6)]
        words = words if n else without(words, "--halo")
        return [*self.launch(n), *march, *words, *(ranks if n else [])]

    def launch(self, n):
        return [*self.asked.launcher.split(), "-n", str(n)] if n else []

    def engine(self, n):
        return ["--engine", self.asked.engine] if n else []

    def start(self, command, gpus=None):
        env = {"OMP_NUM_THREADS": str(max(os.cpu_count() // self.asked.gpus, 1)), **os.environ,  # of each rank, whatever marches beside
               **({"CUDA_VISIBLE_DEVICES": ",".join(map(str, gpus))} if gpus else {})}
        self.started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=env))
        return self.started[-1]

    def stop(self, *_):
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        self.keep()
        sys.exit("stopped: no time left")

    def finish(self, process, name):
        try:
            out, error = process.communicate(timeout=self.asked.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return {"error": f"{name}: longer than {self.asked.limit} s"}
        if process.returncode:
            return {"error": f"{name}: exit {process.returncode}: {error.strip()[-400:]}"}
        return json.loads(out)

    def on_each(self, numbers, command, name):
        """What command(n) says for each of the numbers of ranks; with --beside on different GPUs at once, as many as there are."""
        found, running, free = {}, {}, self.asked.gpus
        for n in numbers:
            if running and (not self.asked.beside or max(n, 1) > free):
                found |= {m: self.finish(process, name) for m, process in running.items()}
                running, free = {}, self.asked.gpus
            first = self.asked.gpus - free
            running[n] = self.start(command(n), range(first, first + max(n, 1)))
            free -= max(n, 1)
        return found | {m: self.finish(process, name) for m, process in running.items()}

    def cases(self):
        print("ms a step: without ranks | one rank (more than without) | n ranks (efficiency)")
        for name in filter(None, self.asked.cases.split(",")):
            if self.is_late():
                print(f"{name:16} | not run: no time left")
            else:
                self.measure(name)

    def measure(self, name):
        began = time.time()
        numbers = [max(self.asked.ranks)] if ":" in name else [0, *self.asked.ranks]
        self.results[name] = self.on_each(numbers, lambda n: self.command(name, n), name)
        print(self.row(name, self.results[name]), f"  [{time.time() - began:.0f} s]", flush=True)

    def row(self, name, found):
        cells = [f"{name:16}"]
        steps = {n: step_of(one) for n, one in found.items()}
        steps.setdefault(1, step_of(self.results.get(name.split(":")[0], {}).get(1, {})))
        for n, one in sorted(found.items()):
            if "error" in one:
                cells.append(one["error"])
                continue
            words = f"{1e3 * steps[n]:.4f}"
            if n == 1 and steps.get(0):
                words += f" ({100 * (steps[1] / steps[0] - 1):+.1f} %)"
            if n > 1 and steps.get(1):
                words += f" ({steps[1] / (1 if self.asked.weak else n) / steps[n]:.3f})"
            about = one.get("ranks", {})
            if n > 1 and "exposed_seconds" in about:
                words += (f", exposed {1e6 * about['exposed_seconds']:.1f} us, hidden {about['hidden_share']:.3f}, "
                          f"alone {1e6 * about['exchange_seconds']:.1f} us, packing {1e6 * about['pack_seconds']:.1f} us")
            cells.append(words)
        return " | ".join(cells)

    def marches(self):
        yield f"about: >-\n  Seconds of a step on so many GPUs of one host, medians of the rows after the first, by {' '.join(sys.argv)}\nmarches:\n"
        for name, found in self.results.items():
            if not step_of(found.get(1, {})):
                continue  # nothing is foretold without it
            _, application, mesh, words = settings_of(name)
            mesh = grown(SMALL[application], 0.04) if self.asked.small else mesh
            asked = dict(zip(words, words[1:]))
            steps = ", ".join(f"{n}: {step_of(one):.4g}" for n, one in sorted(found.items()) if n and step_of(one))
            chains = f'chains: "{asked["--chains"]}", ' if "--chains" in asked else ""
            added = ", ".join(f"{n}: {one['ranks']['exposed_seconds']:.4g}" for n, one in sorted(found.items())
                              if one.get("ranks", {}).get("exposed_seconds", 0) > 0)  # fmt: skip
            exposed = f", exposed: {{{added}}}" if added else ""
            yield (f'- {{application: {application}, mesh: "{mesh}", halo: {asked.get("--halo", "redundant")}, '
                   f'rank_partitioner: {self.asked.rank_partitioner}, {chains}steps: {{{steps}}}{exposed}}}\n')

    def keep(self):
        if self.asked.marches:
            pathlib.Path(self.asked.marches).write_text("".join(self.marches()))
        if self.asked.json:
            pathlib.Path(self.asked.json).write_text(json.dumps(self.results | {"bits": self.digests}))

    def states(self):
        """What n GPUs come to in ten steps, checked against the sequential loops."""
        for application, mesh in self.small():
            for words in [["--strategy", "gather" if application == "fv" else "point-parallel"], ["--strategy", "atomics", "--chains", "auto:rings=2"]]:
                cells = []
                for n in self.asked.ranks:
                    if self.is_late():
                        cells.append("not run: no time left")
                        continue
                    command = [*self.launch(n), self.asked.tess, "march", "--no-lab", "--json", application, "--mesh", mesh, "--device", self.asked.device,
                               "--precision", "double", "--steps", "10", "--check", *self.engine(n), "-b", "128", *words]
                    one = self.finish(self.start(command), application)
                    cells.append(one.get("error") or f"{one['check']['difference']:.1e} of {one['check']['tolerance']:.0e}")
                print(f"{application:10} {' '.join(words[1:]):24}", " | ".join(cells), flush=True)

    def bits(self):
        """Whether the loops that are sure of their bits have the same ones on n GPUs and by blocks of three sizes."""
        for application, mesh in self.small():
            if self.is_late():
                print(f"{application:10} not run: no time left", flush=True)
                continue
            with tempfile.TemporaryDirectory() as lab:
                found = self.on_each(self.asked.ranks, lambda n, words=(application, mesh, lab): self.bits_of(n, *words), application)
                columns = ["--columns", "loop,ranks,block_size,strategy,result_bits", "--json"]
                text = subprocess.run([self.asked.tess, "runs", "--lab", lab, *columns], capture_output=True, text=True).stdout
                runs = json.loads(text)["runs"] if text else []
                digests = sorted({run["result_bits"] for run in runs})
                ranks = sorted({run["ranks"] for run in runs})
                errors = [one["error"] for one in found.values() if "error" in one]
                missing = [] if ranks == sorted(self.asked.ranks) else ["not on all ranks"]
                self.digests[application] = {"ranks": ranks, "runs": len(runs), "digests": digests}
                said = f"{application:10} {len(runs)} runs on {ranks} ranks: {len(digests)} digest(s) {' '.join(digests)}"
                print(said, *missing, *errors, sep=" | ", flush=True)

    def bits_of(self, n, application, mesh, lab):
        return [*self.launch(n), self.asked.tess, "run", "--lab", lab, application, "--mesh", mesh, "--device", self.asked.device,
                *self.engine(n), "--strategy", "gather" if application == "fv" else "owner-block:sum=block-gather",
                "--same-bits", "any", "-b", "64,128,256", "--json"]

    def small(self):
        names = filter(None, self.asked.applications.split(","))
        return [(one, grown(SMALL[one], 0.04) if self.asked.small else SMALL[one]) for one in names]

    def is_late(self):
        return time.time() - self.began > self.asked.budget

    def faults(self):
        """How soon a lost rank of the most that are asked for is told, and by which words."""
        n = max(self.asked.ranks)
        long = [*self.launch(n), self.asked.tess, "march", "--no-lab", "airfoil", "--mesh", "airfoil:i=200:j=300", "--device", self.asked.device,
                *self.engine(n), "--strategy", "atomics", "--steps", "100000000", "--every", "1000", "--rank-timeout", str(self.asked.rank_timeout)]
        if self.is_late():
            print("no rank is lost: no time left", flush=True)
            return
        for words, sign in [("killed", signal.SIGKILL), ("stopped", signal.SIGSTOP)]:
            process = self.start(long)
            rank = self.wait_for_rank(process, n - 1)
            began = time.time()
            if rank:
                os.kill(rank, sign)
            self.tell(f"{words}, rank {n - 1} of {n}", process, began)
        with tempfile.TemporaryDirectory() as folder:
            self.break_gpu(pathlib.Path(folder), n)

    def wait_for_rank(self, process, rank):
        """The child of a rank's watcher, once it has marched for a while; None: it has no child."""
        time.sleep(self.asked.warm)
        parents, found = {}, []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                    if (entry / "comm").read_text().startswith("tess") and f"OMPI_COMM_WORLD_RANK={rank}".encode() in (
                            entry / "environ").read_bytes().split(b"\0"):
                        found.append(int(entry.name))
                except OSError:
                    continue
        ours = [one for one in found if process.pid in self.ancestors(one, parents)]
        children = [one for one in ours if parents[one] in ours]
        return (children or ours or [None])[0]

    @staticmethod
    def ancestors(one, parents):
        while one in parents:
            one = parents[one]
            yield one

    def tell(self, words, process, began):
        try:
            _, error = process.communicate(timeout=60)
            line = next((one for one in error.splitlines() if one.startswith("tess:")), error.strip()[:200])
            print(f"{words:24} told after {time.time() - began:.1f} s, exit {process.returncode}: {line}", flush=True)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            print(f"{words:24} NOT told within 60 s", flush=True)

    def break_gpu(self, folder, n):
        """A kernel of one's own that writes where nothing is, on the device alone: its reference is computed on the host."""
        (folder / "bad.h").write_text("static inline void bad(const real *x, real *sum) {\n#if defined(__CUDA_ARCH__) || defined(SIMT_CHECK)\n"
                                      "    *(volatile real *)(x[0] > -1e30 ? 0x10 : 0x20) = 1;\n#endif\n    sum[0] += x[0];\n}\n")
        (folder / "bad.yaml").write_text("name: bad\nover: cells\ndats:\n- {name: x, set: nodes, dim: 2, start: coordinates}\n"
                                         "- {name: sum, set: nodes, dim: 1}\nargs:\n- {dat: x, map: \"cells:nodes\", slot: 0, access: read}\n"
                                         "- {dat: sum, map: \"cells:nodes\", slot: 0, access: inc}\n")
        process = self.start([*self.launch(n), self.asked.tess, "run", "--no-lab", "--kernel", str(folder / "bad.h"), "--loop",
                              str(folder / "bad.yaml"), "--mesh", "quads:nx=50:ny=40", "--device", self.asked.device, *self.engine(n),
                              "--rank-timeout", str(self.asked.rank_timeout)])
        self.tell(f"faulting, {n} ranks", process, time.time())


def step_of(one):
    rows = one.get("rows", [])
    return statistics.median(row["seconds_per_step"] for row in (rows[1:] or rows)) if rows else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tess", default="build/release/bin/tess")
    parser.add_argument("--launcher", default="mpirun")
    parser.add_argument("--ranks", default="1,2", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--cases", default=",".join(CASES), action=Part)
    parser.add_argument("--steps", default=120, type=int)
    parser.add_argument("--exchange-samples", default=20, type=int)
    parser.add_argument("--engine", default="nccl")
    parser.add_argument("--weak", action="store_true", help="n ranks have a mesh of n times as many elements")
    parser.add_argument("--rank-partitioner", default="hilbert")
    parser.add_argument("--graph", default="yes")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rank-timeout", default=5, type=float, help="seconds after which a stopped rank is told")
    parser.add_argument("--gpus", default=2, type=int, help="of this host")
    parser.add_argument("--beside", action="store_true", help="marches on different GPUs at once")
    parser.add_argument("--budget", default=1e9, type=float, help="seconds after which nothing more is begun")
    parser.add_argument("--limit", default=60, type=float, help="seconds of one march")
    parser.add_argument("--warm", default=8, type=float, help="seconds before a rank is lost")
    parser.add_argument("--faults", nargs=0, action=Part)
    parser.add_argument("--states", nargs=0, action=Part)
    parser.add_argument("--bits", nargs=0, action=Part)
    parser.add_argument("--applications", default=",".join(SMALL), help="of --states and --bits")
    parser.add_argument("--small", action="store_true", help="all meshes are small, to try the bench")
    parser.add_argument("--json")
    parser.add_argument("--marches", help="a file for `tess ranks --against`")
    asked = parser.parse_args(namespace=argparse.Namespace(parts=[]))
    unknown = [name for name in asked.cases.split(",") if name and name.split(":")[0] not in CASES]
    unknown += [name for name in asked.applications.split(",") if name and name not in SMALL]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}: cases are {', '.join(CASES)}, applications {', '.join(SMALL)}")
    bench = Bench(asked)
    for part in asked.parts if "cases" in asked.parts else ["cases", *asked.parts]:
        getattr(bench, part)()
    bench.keep()


if __name__ == "__main__":
    sys.exit(main())
