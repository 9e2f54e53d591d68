"""Counted warm: what the emulator's caches say that an H100's memory gives and takes when a loop has run before, beside
the bytes that ncu counted in one pass.

    PYTHONPATH=python python3 -m tesselab.counted_warm --count        # by tess in PATH: up to some minutes a run
    PYTHONPATH=python python3 -m tesselab.counted_warm                # the table of what was counted

docs/results/emulator_warm.csv has a row a run: its command, what the hardware counted, and what the emulator does;
what it does already is not counted again. Runs that move less than half a megabyte are judged by megabytes."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from .counted_memory import counting, counting_parser, counts_of
from .side_by_side import print_or_write, text_table

ROOT = Path(__file__).resolve().parents[2]
COUNTS = ROOT / "docs/results/emulator_warm.csv"
DEVICE = "emulator:check=no:seed=1:caches=h100:profiled=warm"
COUNTED = {"l2_read_sectors": "L2 reads", "dram_read_bytes": "memory reads", "dram_write_bytes": "memory writes"}
MEMORY = ("dram_read_bytes", "dram_write_bytes")
LITTLE = 5e5  # bytes


def count(runs: pd.DataFrame, path: Path) -> None:
    """Counts the runs that the emulator has not, and keeps each as it is there."""
    for i in runs.index[runs["dram_read_bytes"].isna()]:
        run = counts_of(counting(runs.at[i, "command"].split(), DEVICE))
        for name in COUNTED:
            runs.at[i, name] = run[name]
        runs.to_csv(path, index=False, float_format="%.0f")


def variant_of(command: str) -> str:
    """What rows are called: the loop, its mesh, strategy and layout."""
    option = dict(re.findall(r"--(\S+) (\S+)", command))
    strategy = re.sub(":(loads|sums|colouring)=[^:]*", "", option["strategy"])
    words = [command.split()[0], option.get("loop", ""), option["mesh"], option.get("precision", ""), option["partitioner"].split(":")[0],
             option["block-size"], option["layout"], strategy]  # fmt: skip
    return " ".join(word for word in words if word)


def many(runs: pd.DataFrame, name: str) -> pd.Series:
    """Which rows count in percent."""
    return runs[f"hardware_{name}"] >= LITTLE if name in MEMORY else runs[f"hardware_{name}"] > 0


def errors_of(runs: pd.DataFrame) -> pd.DataFrame:
    """The emulator's count / the hardware's - 1; none where that is little."""
    return pd.DataFrame({title: (runs[name] / runs[f"hardware_{name}"] - 1).where(many(runs, name)) for name, title in COUNTED.items()})


def page(runs: pd.DataFrame, markdown: bool) -> str:
    """The errors of all runs, then each run that moves more than a little."""
    errors = errors_of(runs)
    summary = [["errors, %", *errors], ["runs", *(str(count) for count in errors.count())]]
    for title, of in (("median", errors.abs().median()), ("p90", errors.abs().quantile(0.9)), ("largest", errors.abs().max())):
        summary.append([title, *(f"{100 * value:.1f}" for value in of)])
    apart = [(runs[name] - runs[f"hardware_{name}"]).abs()[~many(runs, name)].max() for name in MEMORY]
    little = [str(int((~many(runs, name)).sum())) for name in MEMORY]
    summary += [["runs that move less than 0.5 MB", "", *little], ["largest difference of these, MB", "", *(f"{of / 1e6:.2f}" for of in apart)]]
    rows = [["run", "read, MB", "emulated", "written, MB", "emulated"]]
    for i in runs.index[many(runs, "dram_read_bytes") | many(runs, "dram_write_bytes")]:
        of = runs.loc[i]
        rows.append([f"`{variant_of(of['command'])}`" if markdown else variant_of(of["command"]),
                     *(f"{of[key + name] / 1e6:.2f}" for name in MEMORY for key in ("hardware_", ""))])  # fmt: skip
    return f"{text_table(summary, markdown)}\n\n{text_table(rows, markdown)}"


def main(words: list[str] | None = None) -> None:
    parser = counting_parser("counted_warm", "What memory gives and takes when a loop has run before, emulated, beside an H100.", COUNTS)
    asked = parser.parse_args(words)
    runs = pd.read_csv(asked.counts)
    if asked.count:
        count(runs, asked.counts)
    text = page(runs[runs["dram_read_bytes"].notna()], asked.markdown or asked.into is not None)
    print_or_write(asked.into, "warm", "counted_warm", text)


if __name__ == "__main__":
    main()
