"""Counted in memory: what the emulator's caches say that a GPU's L2 and memory are asked for, beside the hardware's
counters of the runs that ship.

    PYTHONPATH=python python3 -m tesselab.counted_memory --count        # by tess in PATH: minutes a run
    PYTHONPATH=python python3 -m tesselab.counted_memory                # the table of what was counted

Deviations are in percent of the hardware's count. Counts are kept in docs/results/emulator_memory.csv, a row a run of
notebooks/papers, and what is there is not counted again."""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
from pathlib import Path

import pandas as pd

from .side_by_side import print_or_write, text_table

ROOT = Path(__file__).resolve().parents[2]
COUNTS = ROOT / "docs/results/emulator_memory.csv"
DEVICE = "emulator:check=no:seed=1:caches=h100:profiled=yes"
COUNTED = {"l2_read_sectors": "L2 reads", "l2_write_sectors": "L2 writes", "dram_read_bytes": "memory reads",
           "dram_write_bytes": "memory writes"}
MEMORY, BOTH = ("dram_read_bytes", "dram_write_bytes"), "memory, both"
PAPERS = {"giles-2012": ("airfoil", "airfoil:i=400:j=600"),  # how its runs call a mesh, and how tess does
          "langguth-2014": ("random_blocks:", "random_blocks:n=1000000:"), "sulyok-2019": ("", "")}
OPTIONS = {"loop": "loop", "precision": "precision", "block_size": "block-size", "points": "points", "repair": "repair",
           "thread_order": "order", "colouring": "colouring", "renumber": "renumber", "layouts": "layout",
           "strategy": "strategy", "block_numbers": "block-numbers", "threads": "threads"}
PARTITIONER_OPTIONS = ("method", "objtype", "weights", "l", "epsilon")  # others that runs have follow from these


def hardware() -> pd.DataFrame:
    """The runs that ship whose memory a GPU's counters counted, but for those that spilled registers, of which the
    emulator knows nothing."""
    papers = []
    for paper, (short, name) in PAPERS.items():
        runs = pd.read_csv(ROOT / "notebooks/papers" / paper / "runs.csv.xz", low_memory=False)
        counted = runs[runs["dram_write_bytes"].notna() & runs["device"].str.startswith("cuda")].copy()
        counted["mesh"] = [mesh.replace(short, name, 1) if short else mesh for mesh in counted["mesh"]]
        papers.append(counted)
    runs = pd.concat(papers).set_index("run")
    return runs[runs["spilled_bytes"].fillna(0) == 0]


def counting(words: list[str], device: str) -> list[str]:
    """The command that counts what `tess run` runs by these words."""
    return ["tess", "run", *words, "--device", device, "--time-limit", "0", "--no-lab", "--json"]


def command_of(run: pd.Series) -> list[str]:
    """The command that counts a run on the emulator."""
    given = {option: run[name] for name, option in OPTIONS.items() if pd.notna(run.get(name)) and run[name] != 0}
    settings = {option: run.get(f"partitioner:{option}") for option in PARTITIONER_OPTIONS}
    partitioner = ":".join([run["partitioner"], *(f"{option}={plain(value)}" for option, value in settings.items()
                                                  if pd.notna(value))])
    return counting([run["application"], "--mesh", run["mesh"], "--partitioner", partitioner,
                     *(word for option, value in given.items() for word in (f"--{option}", plain(value)))], DEVICE)


def plain(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def counts_of(words: list[str]) -> dict[str, float]:
    """What the emulator counts by a command."""
    try:
        done = subprocess.run(words, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise SystemExit("there is no tess in PATH: PATH=$PWD/build/release/bin:$PATH") from error
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    counts: dict[str, float] = json.loads(done.stdout)["runs"][0]
    return counts


def count(runs: pd.DataFrame, path: Path) -> None:
    """Counts the runs that the file lacks, the smallest first, and adds each as it is there."""
    columns = ["run", "read_sectors", "write_sectors", *COUNTED]
    is_new = not path.exists() or path.stat().st_size == 0
    there = set() if is_new else set(pd.read_csv(path)["run"])
    with path.open("a") as file:
        rows = csv.DictWriter(file, columns, lineterminator="\n")
        if is_new:
            rows.writeheader()
        for name, run in runs.sort_values("moved_bytes_min").iterrows():
            if name in there:
                continue
            counts = counts_of(command_of(run))
            rows.writerow({"run": name, **{column: counts[column] for column in columns[1:]}})
            file.flush()


def deviations(runs: pd.DataFrame, counts: pd.DataFrame) -> pd.DataFrame:
    """The emulator's count / the hardware's - 1 of each run that was counted on both."""
    both = counts.set_index("run").add_suffix("@emulator").join(runs, how="inner")
    table = pd.DataFrame({title: both[f"{name}@emulator"] / both[name] - 1 for name, title in COUNTED.items()})
    table[BOTH] = sum(both[f"{name}@emulator"] for name in MEMORY) / sum(both[name] for name in MEMORY) - 1
    table["variant"] = [variant_of(run) for _, run in both.iterrows()]
    return table


def variant_of(run: pd.Series) -> str:
    """What runs are summed up by: the loop, its precision, strategy and layout."""
    strategy = re.sub(":(loads|sums|colouring|registers)=[^:]*", "", run["strategy"])
    return f"{run['application']} {run['loop']}, {run['precision']}s, {run['layouts']}, {strategy}"


def percent(value: float, sign: str = "") -> str:
    return f"{100 * value:{sign}.1f}"


def page(table: pd.DataFrame, markdown: bool) -> str:
    """The medians of each variant's deviations, then the errors of all runs."""
    variants = table.groupby("variant", sort=False)
    titles = [*COUNTED.values(), BOTH]
    medians, many = variants[titles].median(), variants.size()
    rows = [["loop and variant, medians", "runs", *titles]]
    rows += [[variant, str(many[variant]), *(percent(value, "+") for value in of)] for variant, of in sorted(medians.iterrows())]
    errors = table[titles].abs()
    summary = [["errors of all runs", "runs", *titles]]
    for title, of in (("median", errors.median()), ("p90", errors.quantile(0.9)), ("largest", errors.max())):
        summary.append([title, str(len(table)), *map(percent, of)])
    return f"{text_table(summary, markdown)}\n\n{text_table(rows, markdown)}"


def counting_parser(module: str, description: str, counts: Path) -> argparse.ArgumentParser:
    """The options of a module that counts runs on the emulator and makes a table of them."""
    parser = argparse.ArgumentParser(prog=f"python3 -m tesselab.{module}", description=description)
    parser.add_argument("--counts", type=Path, default=counts, help="the file of counts (default: that which ships)")
    parser.add_argument("--count", action="store_true", help="count the runs that it lacks")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--into", metavar="FILE", type=Path, help="write Markdown between the marks of a file")
    return parser


def main(words: list[str] | None = None) -> None:
    parser = counting_parser("counted_memory", "What the L2 and memory are asked for, emulated, beside the hardware.", COUNTS)
    asked = parser.parse_args(words)
    if asked.count:
        count(hardware(), asked.counts)
    text = page(deviations(hardware(), pd.read_csv(asked.counts)), asked.markdown or asked.into is not None)
    print_or_write(asked.into, "memory", "counted_memory", text)


if __name__ == "__main__":
    main()
