"""A paper's published values, the runs that make them, and a verdict each.

Structure and bytes are compared as they are. Times are of other hardware, so what is compared is their order: a value
holds if no other one of its item that is published as 10 % smaller is 3 % larger here, nor the other way round."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from .archive import LabError
from .lab import open_lab
from .marches import STEP, application_speedup, is_march, with_loops
from .run_file import open_table

PAPERS = Path(__file__).resolve().parents[2] / "notebooks/papers"
VALUE = ["item", "series", "quantity"]
SERIES = ["item", "series", "x"]
NOT_OF_RUNS = [*SERIES, "mesh", "stand_in"]  # columns of series.csv; the others are columns of runs that have to agree
FASTEST = "best"  # an x: the block size by which the series is fastest
TIMED = ("median_time", "useful_fraction")  # of samples
ORDER = "order"  # a tolerance: the value's place among those of its item
CLEARLY, SLIGHTLY = 1.1, 1.03  # published as another value, and here as another one
ORDERS = {"file-order": "none", "gps": "GPS", "metis": "part."}  # as the papers call them
ORDERS_OF_FILES = {"volna": {"file-order": "by rows", "gps": "none"}}  # Volna's import tool numbers a mesh by GPS
MACHINES = {"cuda": "H200", "emulator:check=no:caches=k20m": "K20m, emulated"}
K20M_MEMORY, K20M_L2 = 171.17, 394.1  # GB/s that Langguth et al. reached (section 7)
HELD, DIFFERS, MISSING = "held", "differs", "not made"


@dataclass(frozen=True)
class Paper:
    """What is published, the run of each series, and the reasons for differences."""

    folder: Path
    published: pd.DataFrame
    series: pd.DataFrame
    because: pd.DataFrame
    values: pd.DataFrame  # [item, series, x, quantity] ours where no run has it
    figures: pd.DataFrame  # what of an item is drawn over more runs than those of its values
    items: pd.DataFrame  # its tables and figures, of which each has one or more items of `published`

    def runs(self, lab: str | Path | None = None) -> pd.DataFrame:
        """The runs of another lab, or those that ship."""
        if lab is not None:
            return derived(open_lab(lab).runs())
        shipped = [open_lab(self.folder / "lab").runs()] if (self.folder / "lab").is_dir() else []
        shipped += [open_table(path).runs() for path in sorted(self.folder.glob("*.csv.xz"))]
        return derived(pd.concat(shipped)) if shipped else pd.DataFrame()

    def heading(self, item: str) -> str:
        """An item and what it shows, as the table of all items says."""
        for row in self.items.itertuples():
            if item in row.parts.split("; "):
                return f"{item}: {row.shows}" + ", on a stand-in" * bool(row.stand_in)
        return item


def published(name: str, papers: Path = PAPERS) -> pd.DataFrame:
    """What a paper says, one row a value: `item`, `series`, `x`, `quantity`, `unit`, `value`, `where`, `tolerance`."""
    return open_paper(name, papers).published


def open_paper(name: str, papers: Path = PAPERS) -> Paper:
    """Reads the tables of a paper."""
    folder = papers / name
    if not (folder / "published.csv").is_file():
        known = ", ".join(sorted(path.parent.name for path in papers.glob("*/published.csv")))
        notebook = papers / f"{name.replace('-', '_')}.py"
        if name and notebook.is_file():
            raise LabError(f"'{name}' has no tables and figures to redraw, its front matter alone is there: its claims are in "
                           f"{notebook}; papers with tables are {known}")
        raise LabError(f"there is no paper '{name}'; there are {known}")
    text = dict.fromkeys([*NOT_OF_RUNS, "tolerance"], str)
    published, series, because = (pd.read_csv(folder / f"{table}.csv", dtype=str if table == "series" else text)
                                  for table in ("published", "series", "because"))
    values = (pd.read_csv(folder / "values.csv", dtype=text) if (folder / "values.csv").is_file() else
              pd.DataFrame(columns=[*SERIES, "quantity", "value", "made_by"]))
    figures = (pd.read_csv(folder / "figures.csv", dtype=str, keep_default_na=False) if (folder / "figures.csv").is_file()
               else pd.DataFrame(columns=["item", "kind", "x", "y", "by", "where", "scale"]))
    items = read_items(papers)
    return Paper(folder, published, series, because, values, figures, items[items.paper == name])


def read_items(papers: Path) -> pd.DataFrame:
    """All tables and figures of the papers: `paper`, `title`, `item`, `shows`, its `parts`, `stand_in`, `because`."""
    return pd.read_csv(papers / "items.csv", keep_default_na=False)


def within(ours: float, published: float, tolerance: str) -> bool:
    """Whether ours is the published value; the tolerance is a share of that ("5%") or a number."""
    allowed = float(tolerance[:-1]) / 100 * abs(published) if tolerance.endswith("%") else float(tolerance)
    return abs(ours - published) <= allowed


def agree(runs: pd.DataFrame, column: str, wanted: str) -> pd.Series:
    """Whether runs have a setting, or begin with it where it ends with `*`; one that no run has is had by none."""
    if column not in runs:
        return pd.Series(False, index=runs.index)
    if wanted.endswith("*"):
        return runs[column].astype(str).str.startswith(wanted[:-1])
    numbers = pd.to_numeric(runs[column], errors="coerce")
    return (runs[column].astype(str) == wanted) | (numbers == pd.to_numeric(wanted, errors="coerce"))


class Choice:
    """Runs to choose from: which of them have a setting is looked up once."""

    def __init__(self, runs: pd.DataFrame):
        self.runs = runs
        self.ended = ((runs.outcome == "passed") | is_march(runs)).to_numpy() if len(runs) else None
        self.known: dict[tuple[str, str], np.ndarray] = {}

    def agree(self, column: str, wanted: str) -> np.ndarray:
        """As `agree`, of all runs."""
        if (column, wanted) not in self.known:
            self.known[column, wanted] = agree(self.runs, column, wanted).to_numpy()
        return self.known[column, wanted]


def timed(runs: pd.DataFrame) -> pd.DataFrame:
    """Those without counters, beside which a run takes one sample, if there are such."""
    several = runs[runs.dram_read_bytes.isna()] if "dram_read_bytes" in runs else runs
    return several if len(several) else runs


def run_of(series: pd.Series, choice: Choice, mesh: str, quantity: str) -> pd.Series | None:
    """The newest run of a series on one mesh that passed, or marched, and has the quantity; the fastest where x says so. Time
    steps of marches stand for no loop, nor the one sample beside counters for a time, where a run of more has it."""
    runs = choice.runs
    if quantity not in runs:
        return None
    fits = choice.agree("mesh", mesh) & choice.ended & runs[quantity].notna().to_numpy()
    if quantity == "median_time":
        fits &= ~choice.agree("loop", STEP)
    settings = series.drop(labels=NOT_OF_RUNS).dropna()
    if "block_size" not in settings and series.x != FASTEST:
        settings["block_size"] = series.x
    for column, wanted in settings.items():
        fits &= choice.agree(column, wanted)
    found = timed(runs[fits]) if quantity in TIMED else runs[fits]
    if found.empty:
        return None
    is_timed = "median_time" in found and found.median_time.notna().any()  # not of the loops of a march, which it tuned
    return found.loc[found.median_time.idxmin()] if series.x == FASTEST and is_timed else found.iloc[-1]


def ours_of(quantity: str, series: pd.DataFrame, choice: Choice) -> tuple[float, str]:
    """What runs have for a published quantity and the mesh it was made on: the paper's, else its stand-in, which is
    too small for what grows with the mesh. Of several ways to make a series the first that has the quantity counts."""
    for _, way in series.iterrows():
        small = [] if quantity == "useful_bytes" else [way.stand_in]
        for mesh in [way.mesh, *small]:
            run = run_of(way, choice, mesh, quantity) if isinstance(mesh, str) and len(choice.runs) else None
            if run is not None:
                return float(run[quantity]), mesh
    return float("nan"), ""


def derived(runs: pd.DataFrame) -> pd.DataFrame:
    """With the loops of marches, and what figures show and runs do not say: `series`, a run's name in a figure, `b`, the
    cells of a block of the mesh, `gflops`, sectors an element, and the `application_speedup` of marches."""
    runs = with_loops(runs)
    of = {name: runs[name] if name in runs else pd.Series(dtype=float, index=runs.index) for name in (
        "blocks", "fill", "block_size", "flops", "median_time", "l2_read_sectors", "l2_write_sectors", "dram_read_bytes")}
    device = runs.device.fillna("") if "device" in runs else pd.Series("", index=runs.index)
    elements = (of["blocks"] * of["fill"] * of["block_size"]).round()
    b = runs.mesh.str.extract(r"\bb=(\d+)")[0].astype(float)
    b = b.fillna(of["block_size"].where(runs.partitioner != "file-order", elements))
    asked = (of["l2_read_sectors"] + of["l2_write_sectors"]) / elements
    memory = (of["dram_read_bytes"] / elements + 8).clip(lower=64)  # of a cell; one value is written
    limit = (11 * K20M_L2 / (32 * asked)).clip(upper=11 * K20M_MEMORY / memory)
    return runs.copy().assign(series=[series_name(run) for _, run in runs.iterrows()], elements=elements, b=b,
                       gflops=1e-9 * of["flops"] / of["median_time"], l2_reads_per_element=of["l2_read_sectors"] / elements,
                       l2_writes_per_element=of["l2_write_sectors"] / elements,
                       memory_reads_per_element=of["dram_read_bytes"] / 32 / elements,
                       application_speedup=application_speedup(runs), machine=device.replace(MACHINES),
                       k20m_gflops=limit.where(device.str.contains("caches=k20m")),
                       instance=runs.mesh.str.startswith("random_blocks").map({True: "constructed", False: "mesh"}))


def series_name(run: pd.Series) -> str:
    """What a figure calls a run, as the papers do: the order of elements, with AoS where data lie so; the kernel of a
    loop that only gathers, and its threads; the threads of a processor."""
    strategy = run.get("strategy")
    if not isinstance(strategy, str):
        return str(run.partitioner)
    if strategy.startswith("gather"):
        threads = run.threads if isinstance(run.threads, (int, float)) and run.threads > 0 else run.block_size
        return f"kernel {1 if 'own=staged' in strategy else 2}, {threads:.0f} threads"
    if strategy.startswith("openmp"):
        threads = run.device.removeprefix("host:threads=")
        return f"{threads} thread{'s' * (threads != '1')}" + ", common arrays" * ("copies=private" not in strategy)
    if strategy.split(":")[0] in ("atomics", "two-step"):
        return strategy.split(":")[0]
    orders = ORDERS | ORDERS_OF_FILES.get(run.get("application"), {})
    order = orders.get(run.partitioner, run.partitioner.removeprefix("bricks:dims=").removesuffix(":full=yes"))
    registers = re.search(r":registers=(\d+)", strategy)
    return ("global " * strategy.startswith("global") + order + " AoS" * ("aos" in run.layouts) +
            (f", {registers[1]} registers" if registers else ""))


def in_order(row: dict, published: np.ndarray, ours: np.ndarray) -> bool:
    """Whether a value stands to the others as published: none is clearly larger there and smaller here."""
    with np.errstate(divide="ignore", invalid="ignore"):
        there, here = published / row["published"], ours / row["ours"]
    return not (((there > CLEARLY) & (here * SLIGHTLY < 1)) | ((there * CLEARLY < 1) & (here > SLIGHTLY))).any()


def beside(paper: Paper, runs: pd.DataFrame) -> pd.DataFrame:
    """One row a published value: `published`, `ours`, `ratio`, `mesh` (that ours is of), `stand_in` (it is not the
    paper's), `verdict` (held, differs, not made) and `because`."""
    series = dict(list(paper.series.groupby(SERIES, sort=False)))
    other = paper.values.set_index([*SERIES, "quantity"])
    choice = Choice(runs)
    rows = []
    for value in paper.published.to_dict("records"):
        of = tuple(value[name] for name in SERIES)
        made_by = series[of]
        ours, mesh = ours_of(value["quantity"], made_by, choice)
        key = (*of, value["quantity"])
        if pd.isna(ours) and key in other.index:
            ours, mesh = other.loc[key, "value"], made_by.mesh.iloc[0]
        rows.append({**{name: value[name] for name in [*VALUE, "x", "unit", "tolerance"]}, "published": value["value"], "ours": ours,
                     "ratio": ours / value["value"], "mesh": mesh, "stand_in": mesh not in ("", made_by.mesh.iloc[0])})
    table = pd.DataFrame(rows)
    known = table[table.ours.notna()]
    others = {key: (of.published.to_numpy(), of.ours.to_numpy()) for key, of in known.groupby(["item", "quantity"], sort=False)}
    table["verdict"] = [verdict(row, others) for row in table.to_dict("records")]
    table["because"] = ["" if row.verdict == HELD else reason(row, paper.because) for _, row in table.iterrows()]
    return table


def reason(row: pd.Series, because: pd.DataFrame) -> str:
    """The first of because.csv that is of a value; `*` stands for every series, or every quantity, of its item."""
    fits = because["item"] == row["item"]
    for column in ("series", "quantity"):
        fits &= because[column].isin([row[column], "*"])
    return because[fits].because.iloc[0] if fits.any() else ""


def verdict(row: dict, others: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]) -> str:
    """Of one value among the others of its item and quantity, as published and as ours."""
    if pd.isna(row["ours"]):
        return MISSING
    if row["tolerance"] != ORDER:
        return HELD if within(row["ours"], row["published"], row["tolerance"]) else DIFFERS
    return HELD if in_order(row, *others[row["item"], row["quantity"]]) else DIFFERS


def unexplained(table: pd.DataFrame) -> pd.DataFrame:
    """What differs or is missing without a reason."""
    return table[(table.verdict != HELD) & (table.because == "")]
