"""Ten statements of the five papers, whether each holds on an H200 by runs that ship, with a figure and a counter.

    PYTHONPATH=python python3 -m tesselab.findings                     # all ten
    PYTHONPATH=python python3 -m tesselab.findings 3 --figures FOLDER  # one of them, and its figure, 3.png
    PYTHONPATH=python python3 -m tesselab.findings --into docs/what_the_papers_found.md --figures docs/findings"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from .archive import command
from .markup import wrapped
from .page_tables import first_number, page_table
from .paper_tables import PAPERS, beside, open_paper, timed
from .side_by_side import write_part

RESULTS = PAPERS.parents[1] / "docs/results"
HIERARCHICAL, GLOBAL = "block-colour:loads=single:sums=cleared", "global-colour:colouring=sulyok"
LOOPS = {"airfoil": "airfoil:i=800:j=1200", "volna": "tris:nx=1095:ny=1095", "bookleaf": "quads:nx=4000:ny=1000",
         "lulesh": "hexes:nx=170:ny=170:nz=170", "miniaero": "hexes:nx=128:ny=128:nz=128:shuffle=1"}


@dataclass(frozen=True)
class Panel:
    """Bars of a figure: what is here, and diamonds of what is published, which may be in another unit."""

    title: str
    names: list[str]
    here: list[float]
    there: list[float] | None = None


@dataclass(frozen=True)
class Finding:
    """A statement, where it stands, whether it holds here, why, and what shows it."""

    statement: str
    where: str
    held: bool
    text: str
    panels: list[Panel]


def lasts(factor: float, published: float) -> bool:
    """Whether a factor is here, too: at most a tenth smaller."""
    return factor > published / 1.1


def of_gpu(name: str) -> pd.DataFrame:
    """The runs of a paper's loops on the H200 that passed."""
    runs = open_paper(name).runs()
    return runs[(runs.device == "cuda") & (runs.outcome == "passed") & runs.median_time.notna()]


def ways(runs: pd.DataFrame, application: str, strategy: str, **settings: object) -> pd.DataFrame:
    """The runs of an application on the paper's mesh by a strategy and other settings."""
    fits = (runs.application == application) & (runs.mesh == LOOPS[application]) & (runs.strategy == strategy)
    for name, value in settings.items():
        fits &= runs[name] == value
    return runs[fits]


def ms(runs: pd.DataFrame) -> float:
    """The least time of runs."""
    return 1e3 * timed(runs).median_time.min()


def counted(runs: pd.DataFrame) -> pd.Series:
    """The one of the runs that has counters."""
    return runs[runs.dram_read_bytes.notna()].iloc[-1]


def hierarchical(runs: pd.DataFrame) -> Finding:
    best = {name: (ms(ways(runs, name, HIERARCHICAL)), ms(ways(runs, name, GLOBAL))) for name in LOOPS}
    gain = {name: there / here for name, (here, there) in best.items()}
    both = [counted(ways(runs, "airfoil", way, partitioner="file-order", layouts="soa",
                         block_size=480)) for way in (HIERARCHICAL, GLOBAL)]
    sectors = [1e-6 * run.l2_read_sectors for run in both]
    return Finding(
        "Colours of blocks and of threads beat global colours on every loop", "Sulyok et al. 2019, section 4",
        min(gain.values()) > 1,
        f"Best against best, an H200 runs the five loops {min(gain.values()):.2f} to {max(gain.values()):.2f} times as "
        "fast that way. "
        f"Airfoil in its own order asks the L2 for {sectors[0]:.1f} million sectors in place of {sectors[1]:.1f}, and "
        "reads "
        f"{1e-6 * both[0].dram_read_bytes:.0f} MB of memory in place of {1e-6 * both[1].dram_read_bytes:,.0f}.",
        [Panel("times as fast as global colours", list(gain), list(gain.values())),
         Panel("airfoil, million sectors read from L2", ["blocks", "global"], sectors)])


def partitions(runs: pd.DataFrame) -> Finding:
    part, own = (ways(runs, "airfoil", HIERARCHICAL, partitioner=name) for name in ("metis", "file-order"))
    original = ms(own[(own.block_size == 128) & (own.layouts == "soa")])
    cut, plain = (counted(way[(way.block_size == 480) & (way.layouts == "soa")]) for way in (part, own))
    return Finding(
        "Blocks cut by METIS make airfoil's main loop 19 % faster than OP2's", "Sulyok et al. 2019, section 3.1.1",
        lasts(original / ms(part), 1.19),
        f"The best partition takes {ms(part):.3f} ms here, the original in blocks of 128 {original:.3f}. METIS does save "
        "what the paper says: "
        f"{1e-6 * cut.dram_read_bytes:.0f} MB are read in place of {1e-6 * plain.dram_read_bytes:.0f}, at blocks of 480. "
        f"But {cut.thread_colours_mean:.0f} "
        f"thread colours for {plain.thread_colours_mean:.0f} cost barriers, at which warps wait "
        f"{100 * cut.stall_sync:.0f} % of the time in place of "
        f"{100 * plain.stall_sync:.0f}.",
        [Panel("times as fast as the original", ["original", "part., best"], [1, original / ms(part)], [1, 1.19]),
         Panel("MB read", ["none", "part."], [1e-6 * plain.dram_read_bytes, 1e-6 * cut.dram_read_bytes], [680.8, 458.4]),
         Panel("stalls at barriers", ["none", "part."], [plain.stall_sync, cut.stall_sync], [0.10, 0.14])])


def vectors(runs: pd.DataFrame) -> Finding:
    part = ways(runs, "volna", HIERARCHICAL, partitioner="metis")
    rows, columns = (part[part.layouts == layout] for layout in ("soa,cells=aos", "soa"))
    aos, soa = counted(rows), counted(columns)
    return Finding(
        "Volna is fastest with its cells in rows (AoS), which a thread loads as one vector", "Sulyok et al. 2019, section 3.1.2",
        ms(rows) < ms(columns),
        f"By columns volna takes {ms(columns):.3f} ms at its best block size, by rows {ms(rows):.3f}. Rows take "
        f"{aos.registers:.0f} registers in place of "
        f"{soa.registers:.0f}, so the occupancy that the hardware counts falls from {soa.occupancy_achieved:.2f} to "
        f"{aos.occupancy_achieved:.2f}; "
        "on the P100 it was 0.80 either way.",
        [Panel("share of bandwidth, part.", ["AoS", "SoA"], [rows.useful_fraction.max(), columns.useful_fraction.max()],
               [146 / 495, 134 / 495]),
         Panel("occupancy", ["AoS", "SoA"], [aos.occupancy_achieved, soa.occupancy_achieved], [0.8, 0.8])])


def temporary_array(runs: pd.DataFrame) -> Finding:
    colours = pd.concat([ways(runs, "lulesh", HIERARCHICAL, partitioner=name) for name in ("file-order", "gps", "metis")])
    two = ways(runs, "lulesh", "two-step")
    coloured = counted(ways(runs, "lulesh", HIERARCHICAL, partitioner="file-order", layouts="soa", block_size=320))
    helper = counted(two)
    atomics = ms(ways(runs, "lulesh", "atomics"))
    moved = [1e-6 * (run.dram_read_bytes + run.dram_write_bytes) for run in (coloured, helper)]
    return Finding(
        "On LULESH coloured blocks are 49 % faster than a temporary array", "Sulyok et al. 2019, section 3.1.4",
        lasts(ms(two) / ms(colours), 1.49),
        f"The temporary array takes {ms(two):.3f} ms here, the best coloured blocks {ms(colours):.3f}. It moves "
        f"{moved[1]:,.0f} MB where blocks of 320 move "
        f"{moved[0]:,.0f}, but at an occupancy of {helper.occupancy_achieved:.2f} against "
        f"{coloured.occupancy_achieved:.2f}: with {coloured.registers:.0f} registers a thread "
        "one such block fills a multiprocessor. The paper's other result holds: atomics are the fastest, "
        f"{ms(colours) / atomics:.1f} times here, 1.2 on its P100 "
        "and 2 on its V100.",
        [Panel("times as fast as a temporary array", ["two-step", "coloured", "atomics"],
               [1, ms(two) / ms(colours), ms(two) / atomics], [1, 1.49, 6.98 / 4.004]),
         Panel("occupancy", ["two-step", "coloured"], [helper.occupancy_achieved, coloured.occupancy_achieved], [0.24, 0.29])])


def atomics(runs: pd.DataFrame) -> Finding:
    increments = HIERARCHICAL.replace("loads", "stage=increments:loads")
    colours = pd.concat([ways(runs, "miniaero", way) for way in (HIERARCHICAL, increments)])
    adds = ways(runs, "miniaero", "atomics", partitioner="gps")
    run = counted(ways(runs, "miniaero", increments, partitioner="gps", layouts="soa", block_size=384))
    return Finding(
        "On miniAero coloured blocks are 75 % faster than atomics", "Sulyok et al. 2019, section 3.1.5",
        lasts(ms(adds) / ms(colours), 1.75),
        f"Atomics take {ms(adds):.3f} ms here in the same order, coloured blocks {ms(colours):.3f} at their best. "
        f"With {run.registers:.0f} registers one block of 384 fills a multiprocessor: the hardware counts an occupancy of "
        f"{run.occupancy_achieved:.2f}, and {100 * run.stall_data:.0f} % of the time "
        f"in which warps wait for data, 35 % on the P100.",
        [Panel("times as fast as atomics", ["atomics", "coloured"], [1, ms(adds) / ms(colours)], [1, 1.75]),
         Panel("coloured, blocks of 384", ["occupancy", "stalls,\ndata"], [run.occupancy_achieved, run.stall_data],
               [0.06, 0.35])])


def shapes(runs: pd.DataFrame) -> Finding:
    of_mesh = runs[(runs.application == "lulesh") & (runs.mesh == "hexes:nx=128:ny=128:nz=128")]
    bricks = of_mesh[of_mesh.partitioner.str.startswith("bricks")]
    best, metis = bricks.loc[bricks.median_time.idxmin()], of_mesh[of_mesh.partitioner == "metis"].iloc[-1]
    gain, names = metis.median_time / best.median_time, [best.partitioner.removeprefix("bricks:dims="), "METIS"]
    return Finding(
        "Regular bricks of cells are faster than METIS's blocks: more reuse by fewer thread colours",
        "Sulyok et al. 2019, section 3.1.6", lasts(gain, 167 / 132),
        f"Bricks of {names[0]} cells take {1e3 * best.median_time:.3f} ms here, METIS's blocks "
        f"{1e3 * metis.median_time:.3f}: {gain:.2f} times as fast, "
        f"{167 / 132:.2f} times on the P100. The plan counts a reuse of {best.reuse_factor:.2f} for "
        f"{metis.reuse_factor:.2f}, and {best.thread_colours_mean:.1f} thread colours for "
        f"{metis.thread_colours_mean:.1f}.",
        [Panel("times as fast as METIS", names, [gain, 1], [167 / 132, 1]),
         Panel("reuse", names, [best.reuse_factor, metis.reuse_factor]),
         Panel("thread colours", names, [best.thread_colours_mean, metis.thread_colours_mean])])


def transposition() -> Finding:
    paper, page = open_paper("fun3d-2021"), RESULTS / "fun3d.md"
    values = beside(paper, paper.runs())
    table = values[values["item"] == "table VI, tets"].set_index("series").ours
    gain = table["by edges Global"] / table["by nodes Smem Trans."]
    counts = page_table(page, "strategy", "visjac_tets: atomics").set_index("strategy")["sectors of atomics"].map(first_number)
    first, last = counts["tiles:by=edges"], counts["tiles:transpose=shared"]
    return Finding(
        "Transposed in shared memory, the blocks of a Jacobian are added up to 4.9 times as fast",
        "Stone et al. 2021, table VI", lasts(gain, 4.86),
        f"{gain:.1f} times here (`visjac_tets`, {1e3 * table['by edges Global']:.2f} and "
        f"{1e3 * table['by nodes Smem Trans.']:.2f} ms). On a small mesh the emulator "
        f"counts {last:,.0f} sectors of atomics in place of {first:,.0f}, since lanes that follow one another add to "
        "consecutive values. By nodes a lane keeps its row of the cell in "
        "registers, where by edges sums pass through shared memory.",
        [Panel("times as fast as Global Atomic by edges", ["Global", "Smem Trans."], [1, gain], [1, 4.86]),
         Panel("sectors of atomics, thousands", ["Global", "Smem Trans."], [1e-3 * first, 1e-3 * last])])


def cliff() -> Finding:
    runs = of_gpu("langguth-2014")
    kernel = runs[runs.strategy == "gather:own=staged"]
    timed = kernel[kernel.l2_read_sectors.isna() & (kernel.block_size == 64)].groupby("b").gflops.max()
    counts = kernel[kernel.l2_read_sectors.notna()].set_index("b").sort_index()
    low, high = counts.iloc[1], counts.iloc[-1]
    table = page_table(RESULTS.parent / "gather-loops.md", "instance", "kernel 1")
    many = table[table.instance.str.startswith("n = 20M")]["kernel 1"].map(first_number)
    fall = timed.max() / timed.iloc[-1]
    return Finding(
        "Cells whose neighbours lie anywhere cost five sixths of the speed: 29 GFLOPS become 5",
        "Langguth et al. 2015, section 5", lasts(fall, 29.42 / 5),
        f"From {timed.max():.0f} to {timed.iloc[-1]:.0f} GFLOPS here, a factor of {fall:.2f} in place of {29.42 / 5:.1f}. "
        "The first slope is there: sectors that a cell reads from the L2 grow "
        f"from {low.l2_reads_per_element:.2f} to {high.l2_reads_per_element:.2f}, as the paper counts. The cliff is not: "
        "a million values fill 8 MB of an L2 of 50 MB, so that memory gives "
        f"{low.memory_reads_per_element:.2f} sectors a cell at b = {low.name:.0f} and {high.memory_reads_per_element:.2f} "
        f"at {high.name:,.0f}. With 20 million cells "
        f"a part of it comes back: {many.iloc[0]:.0f} and {many.iloc[1]:.0f} GFLOPS ([gather "
        "loops](gather-loops.md#on-an-h200)).",
        [Panel("share of the fastest", [f"b = {b:,.0f}" for b in (timed.idxmax(), 15811, 500000)],
               [timed[b] / timed.max() for b in (timed.idxmax(), 15811, 500000)],
               [1, 23.08 / 29.42, 5 / 29.42]),
         Panel("sectors a cell", ["L2,\nb = 16", "L2,\nb = 500,000", "memory,\nb = 16", "memory,\nb = 500,000"],
               [low.l2_reads_per_element, high.l2_reads_per_element, low.memory_reads_per_element,
                high.memory_reads_per_element], [1.75, 5.75, 1.75, float("nan")])])


def doubles() -> Finding:
    runs = of_gpu("giles-2012")
    loop = runs[(runs.loop == "res_calc") & (runs.device == "cuda")]
    one, two = (loop[loop.precision == precision] for precision in ("float", "double"))
    bytes_of = [1e-6 * way.moved_bytes_min.min() for way in (one, two)]
    ratio = ms(two) / ms(one)
    fraction = [way.loc[way.median_time.idxmin()].copy_fraction for way in (one, two)]
    return Finding(
        "In double precision the loop over edges takes twice as long", "Giles, OP2's slides: 2.09 times", lasts(ratio, 2.09),
        f"{ratio:.2f} times here ({ms(one):.4f} and {ms(two):.4f} ms, each at its best block size). Of what must be "
        f"moved, {bytes_of[0]:.0f} MB become {bytes_of[1]:.0f}, "
        f"{bytes_of[1] / bytes_of[0]:.2f} times as many, since maps stay as they are; and the loop moves them at "
        f"{100 * fraction[0]:.0f} and {100 * fraction[1]:.0f} % of the bandwidth of a copy, so bandwidth is not what it "
        "waits for. "
        "Doubles are half as fast as floats on either GPU.",
        [Panel("times as long as in single precision", ["float", "double"], [1, ratio], [1, 5.175 / 2.475]),
         Panel("MB that must be moved", ["float", "double"], bytes_of)])


def times_of_parts() -> pd.DataFrame:
    """Milliseconds of loops by `halo-atomics`, a column for each way to run their parts."""
    table = page_table(RESULTS / "splitting.md", "loop", "strategy", "ms")
    table = table[table.strategy.str.contains("halo-atomics")]
    ways = table.strategy.str.extract(r"parts=(staged:next=after|staged|separate)")[0]
    names = {"staged": "phases", "staged:next=after": "phases, next=after", "separate": "parts=separate"}
    return table.assign(way=ways.map(names).fillna("together"), ms=table.ms.map(first_number)).pivot(
        index="loop", columns="way", values="ms")[["together", *names.values()]]


def splitting() -> Finding:
    page = RESULTS / "splitting.md"
    times = times_of_parts()
    loops = ["miniaero", "roe_flux", "lstgs"]
    gains = [times.together[loop] / times.phases[loop] for loop in loops]
    blocks = page_table(page, "block", "shared bytes: together").set_index("block")

    def both(what: str, size: str) -> dict[str, float]:
        column = list(blocks).index(f"{what}: together")  # phases stand beside it
        return {"together": first_number(blocks.iloc[:, column][size]), "phases": first_number(blocks.iloc[:, column + 1][size])}

    staged, barriers = both("shared bytes", "512"), both("barriers", "128")
    owners = page_table(page, "owner-block, miniaero", "registers", "bytes spilled")
    unsplit = ~owners.iloc[:, 0].str.contains("parts=staged")
    owned = owners["ms"].map(first_number)
    return Finding(
        "A large loop split into phases stages less and so runs faster",
        "Loop splitting in OP2, introduction (no number is in the part that we have)", min(gains) > 1,
        f"It does stage less: a block of 512 faces of miniaero takes {staged['phases'] / 1000:.1f} kB in phases in place "
        f"of {staged['together'] / 1000:.1f}. It is slower: {min(gains):.2f} to {max(gains):.2f} times as fast as "
        "together "
        f"on {len(loops)} loops. A multiprocessor has 228 kB to stage in, 48 there, so that registers bound a block; and "
        f"the emulator counts {barriers['phases']:,.0f} barriers in place of {barriers['together']:,.0f}. Only `owner-block` gains: "
        f"blocks of 416 cells in phases are {owned[unsplit].min() / owned[~unsplit].min():.2f} times as fast as the best of 128 "
        "and 192 together; other strategies are faster than both.",
        [Panel("times as fast as together", loops, gains), Panel("kB staged, blocks of 512", list(staged),
                                                                 [value / 1000 for value in staged.values()]),
         Panel("barriers, blocks of 128", list(barriers), list(barriers.values()))])


def findings() -> list[Finding]:
    """All ten, in the order of the page."""
    runs = of_gpu("sulyok-2019")
    of_runs: list[Callable[[pd.DataFrame], Finding]] = [hierarchical, partitions, vectors, temporary_array, atomics, shapes]
    return [*(find(runs) for find in of_runs), transposition(), cliff(), doubles(), splitting()]


def draw(number: int, finding: Finding, folder: Path) -> None:
    """Bars of what is here, diamonds of what is published, a panel each."""
    import matplotlib.pyplot as plt

    from .paper_figures import OURS, THEIRS, finish

    widths = [1.4 + 0.75 * len(panel.names) for panel in finding.panels]
    figure, axes = plt.subplots(1, len(widths), figsize=(sum(widths), 2.7), squeeze=False, layout="constrained",
                                gridspec_kw={"width_ratios": widths})
    for ax, panel in zip(axes[0], finding.panels):
        places = range(len(panel.names))
        ax.bar(places, panel.here, 0.6, color=OURS)
        if panel.there:
            ax.plot(places, panel.there, "D", color=THEIRS, markeredgecolor="white", markersize=9, clip_on=False)
        ax.set_xticks(places, panel.names, fontsize="small")
        ax.set_title(panel.title, fontsize="small")
        finish(ax)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{number}.png", dpi=90, metadata={"Software": None})
    plt.close(figure)


def section(number: int, finding: Finding, pictures: str | None) -> str:
    """A statement with its verdict and reason, as Markdown."""
    verdict = "Held" if finding.held else "Not on an H200"
    words = f"{finding.statement}: blue bars here, orange diamonds as published"
    picture = f"\n\n{wrapped(f'![{words}]({pictures}/{number}.png)')}" if pictures else ""
    text = wrapped(f"{finding.where}. **{verdict}.** {finding.text}")
    return f"## {number}. {finding.statement}\n\n{text}{picture}"


@command
def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tesselab.findings",
                                     description="Ten statements of the papers, and whether they hold on an H200.")
    parser.add_argument("number", nargs="?", type=int, choices=range(1, 11), help="of one statement (default: all)")
    parser.add_argument("--figures", metavar="FOLDER", type=Path, help="draw each, NUMBER.png")
    parser.add_argument("--into", metavar="FILE", type=Path, help="write them between the marks of a page")
    asked = parser.parse_args(words)
    chosen = [(number, finding) for number, finding in enumerate(findings(), 1) if asked.number in (None, number)]
    for number, finding in chosen if asked.figures else []:
        draw(number, finding, asked.figures)
    if asked.into is None:
        print("\n\n".join(section(number, finding, None) for number, finding in chosen))
        return
    held = sum(finding.held for _, finding in chosen)
    write_part(asked.into, "findings", f"python3 -m tesselab.findings --into {asked.into} --figures {asked.into.parent}/findings",
               f"Of {len(chosen)} statements {held} hold on an H200 and {len(chosen) - held} do not.\n\n"
               + "\n\n".join(section(number, finding, "findings") for number, finding in chosen))


if __name__ == "__main__":
    main()
